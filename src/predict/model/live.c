/* live.c - how many words of registers live at once in each block of a function.
 *
 * Liveness over the IR in the order in which ptxas would leave it, not the one in which
 * LLVM has written it: what only computes stands right before its first user, unless
 * that keeps more alive than its result takes. What the lowering folds away is looked
 * through: a folded value keeps its operands alive instead of itself. Parameters, the
 * constant bank and constants are operands; predicates and what all lanes share have
 * files of their own. */
#include "lower_int.h"

#define MANY_WORDS 40      /* more than what costs no occupancy */
#define TOO_MANY_WORDS 700 /* 590 words became 32 registers, 820 all that there are */
#define REST_WORDS 6       /* that a store and its address take */

typedef WW_VEC(uint32_t) numbers;

typedef struct {
  ww_lowering *x;
  uint64_t **in; /* per block: values live at its begin */
  /* per block: the instructions as they are scheduled, by their number */
  numbers *order;
  uint64_t *now;
  uint32_t words; /* of 64 bits in a set */
  double *weight; /* per value: 32-bit registers */
  double live;    /* of now */
  uint32_t block; /* that is walked */
  double loaded;  /* of live, what the block has loaded itself */
  bool *needed;   /* per value: a phi that lives */
  bool changed;
} liveness;

static bool member(const uint64_t *set, ww_val v) {
  return set[v / 64] >> (v % 64) & 1;
}

/* A word of the constant bank at a place that the code knows is an operand. */
static bool from_bank(const ww_lowering *x, ww_val v) {
  const ww_ins *d = x->def[v];
  return d && d->op == WW_OP_LD && d->space == WW_CONST && ww_lower_constant(x, d->a);
}

static double weight_of(const ww_lowering *x, ww_val v) {
  const ww_value *t = &x->fn->vals[v];
  if (t->kind != WW_VAL_RESULT || t->type == WW_I1 || x->uniform[v] || from_bank(x, v))
    return 0;
  if (t->type == WW_F16 || t->type == WW_BF16)
    return 0.5;
  if (ww_type_bytes[t->type] <= 4)
    return 1;
  return t->type == WW_I64 && ww_lower_short(x, v) ? 1 : 2;
}

uint32_t ww_lower_straight(const ww_lowering *x, uint32_t b) {
  const ww_fn *fn = x->fn;
  for (;;) {
    uint32_t p = fn->blocks[b].idom;
    if (p == WW_NOBLOCK || p == b)
      return b;
    bool joined = fn->blocks[p].ipdom == b && fn->blocks[p].loop == fn->blocks[b].loop;
    for (uint32_t k = 0; k < fn->blocks[p].nsucc && joined; k++)
      joined = fn->blocks[p].succ[k] == b || x->predicated[fn->blocks[p].succ[k]];
    if (!joined && !x->predicated[b])
      return b;
    b = p;
  }
}

/* ---- addresses in loops: what they add up of values from outside is added up there
 * ---- */

enum { LEAVES = 16 };

typedef struct {
  const ww_lowering *x;
  uint32_t loop;
  bool *inside; /* per value: part of such a sum, in a loop */
  uint32_t n;
  ww_val leaf[LEAVES]; /* from outside */
} address_sum;

static bool adds_up(const ww_lowering *x, const ww_ins *d) {
  switch (d->op) {
  case WW_OP_ADD:
  case WW_OP_SUB:
  case WW_OP_LEA:
  case WW_OP_SEXT:
  case WW_OP_ZEXT:
  case WW_OP_TRUNC:
  case WW_OP_MOV:
  case WW_OP_FREEZE:
    return true;
  case WW_OP_SHL:
  case WW_OP_MUL:
    return ww_lower_constant(x, d->b);
  default:
    return false;
  }
}

static void add_leaves(address_sum *s, ww_val v, uint32_t depth) {
  const ww_fn *fn = s->x->fn;
  const ww_ins *d = ww_lower_def(s->x, v);
  if (v == WW_NOVAL || fn->vals[v].kind != WW_VAL_RESULT)
    return;
  if (!ww_ir_in_loop(fn, fn->vals[v].ref, s->loop)) {
    for (uint32_t k = 0; k < s->n; k++)
      if (s->leaf[k] == v)
        return;
    if (s->n < LEAVES)
      s->leaf[s->n++] = v;
    return;
  }
  if (!d || !depth || !adds_up(s->x, d))
    return;
  s->inside[v] = true;
  add_leaves(s, d->a, depth - 1);
  add_leaves(s, d->b, depth - 1);
}

/* Needs an address, v: an access, or what hands the addresses of a matrix's rows
 * around. */
static bool takes_address(const ww_ins *i, ww_val v) {
  return i->a == v && (ww_accesses(i) || (i->op == WW_OP_SHFL && ww_is_part(i)));
}

/* In loops, only such sums need it. */
static bool only_in_sums(const address_sum *s, ww_val v) {
  const ww_lowering *x = s->x;
  for (uint32_t k = x->uses_at[v]; k < x->uses_at[v + 1]; k++) {
    if (x->uses[k] & WW_PHI)
      return false;
    const ww_ins *u = ww_lower_ins(x, x->uses[k]);
    if (ww_lower_loop_of(x, x->uses[k]) != WW_NOBLOCK && !takes_address(u, v) &&
        !(u->dst != WW_NOVAL && s->inside[u->dst]))
      return false;
  }
  return true;
}

static void share_addresses(const ww_lowering *x, double *weight, ww_arena *a) {
  address_sum s = {.x = x, .inside = WW_NEWN(a, bool, x->fn->nvals)};
  float *share = WW_NEWN(a, float, x->fn->nvals);
  for (uint32_t at = 0; at < x->nins; at++) {
    const ww_ins *i = ww_lower_ins(x, at);
    s.loop = ww_lower_loop_of(x, at);
    if (!takes_address(i, i->a) || s.loop == WW_NOBLOCK)
      continue;
    s.n = 0;
    add_leaves(&s, x->shares[i->a] == WW_SAME ? x->base[i->a] : i->a, 12);
    float words = i->op == WW_OP_SHFL || ww_lower_short(x, i->a) ? 1 : 2;
    for (uint32_t k = 0; k < s.n; k++)
      share[s.leaf[k]] = fmaxf(share[s.leaf[k]], words / s.n);
  }
  for (ww_val v = 0; v < x->fn->nvals; v++)
    if (share[v] > 0 && share[v] < weight[v] && only_in_sums(&s, v))
      weight[v] = share[v];
}

/* ---- live words ---- */

static void count(liveness *l, ww_val v, double words) {
  const ww_ins *d = l->x->def[v];
  l->live += words;
  if (d && ww_lower_loaded(d) > 0 && l->x->fn->vals[v].ref == l->block)
    l->loaded += words;
}

static void begin(liveness *l, ww_val v) {
  if (member(l->now, v))
    return;
  l->now[v / 64] |= 1ull << (v % 64);
  count(l, v, l->weight[v]);
}

static void end(liveness *l, ww_val v) {
  if (!member(l->now, v))
    return;
  l->now[v / 64] &= ~(1ull << (v % 64));
  count(l, v, -l->weight[v]);
}

/* Is what defines it part of another instruction? A word is widened where that is
 * needed, and kept as a word. */
static bool folded(const ww_lowering *x, ww_val v) {
  uint32_t b = x->fn->vals[v].ref;
  return x->def[v] && (ww_lower_widened(x, v) != WW_NOVAL ||
                       x->gone[x->first[b] + (x->def[v] - x->fn->blocks[b].ins)]);
}

static void use(liveness *l, ww_val v, uint32_t depth) {
  if (v == WW_NOVAL || l->x->fn->vals[v].kind != WW_VAL_RESULT)
    return;
  if (l->x->shares[v] == WW_SAME)
    v = l->x->base[v];
  if (!folded(l->x, v) || depth > 8) {
    begin(l, v);
    return;
  }
  ww_val of[16];
  uint32_t n = ww_ins_uses(l->x->fn, l->x->def[v], of, 16);
  for (uint32_t k = 0; k < n; k++)
    use(l, of[k], depth + 1);
}

enum { USES = WW_LIVE_USES };

/* Values that an instruction needs. A product that is not added to anything needs no
 * sum. */
static uint32_t uses_of(const ww_lowering *x, const ww_ins *i, ww_val of[USES]) {
  uint32_t n = ww_ins_uses(x->fn, i, of, USES);
  if (i->op != WW_OP_WGMMA)
    return n;
  const ww_value *scale = &x->fn->vals[x->fn->pool[i->ext + 1]];
  return scale->kind == WW_VAL_CONST && !scale->bits ? n - i->nres : n;
}

static uint32_t
leaves(const ww_lowering *x, ww_val v, uint32_t depth, ww_val *out, uint32_t n) {
  if (v == WW_NOVAL || x->fn->vals[v].kind != WW_VAL_RESULT || n == USES)
    return n;
  if (x->shares[v] == WW_SAME)
    v = x->base[v];
  if (folded(x, v) && depth <= 8) {
    ww_val of[16];
    uint32_t m = ww_ins_uses(x->fn, x->def[v], of, 16);
    for (uint32_t k = 0; k < m; k++)
      n = leaves(x, of[k], depth + 1, out, n);
    return n;
  }
  for (uint32_t k = 0; k < n; k++)
    if (out[k] == v)
      return n;
  out[n] = v;
  return n + 1;
}

uint32_t
ww_lower_operands(const ww_lowering *x, const ww_ins *i, ww_val out[WW_LIVE_USES]) {
  ww_val of[USES];
  uint32_t uses = uses_of(x, i, of);
  uint32_t n = 0;
  for (uint32_t k = 0; k < uses; k++)
    n = leaves(x, of[k], 0, out, n);
  return n;
}

/* ---- the order of a block: what only computes stands before its first user, where
 * that keeps no more words alive than its result takes ---- */

typedef struct {
  const liveness *l;
  uint32_t block;
  uint32_t *place; /* per instruction: the one that it stands before, or itself */
  uint32_t *first, *last; /* per value: of its users in the block, by place */
} scheduler;

bool ww_lower_only_computes(const ww_ins *i) {
  uint8_t cls = ww_ops[i->op].cls;
  return i->nres == 1 &&
         (cls == WW_CLASS_INT || cls == WW_CLASS_CVT || cls == WW_CLASS_FP ||
          cls == WW_CLASS_FPX || cls == WW_CLASS_MATH || cls == WW_CLASS_MOV ||
          cls == WW_CLASS_CMP || cls == WW_CLASS_SREG);
}

/* Lives at the end of the block, whatever stands in it. */
static bool outlives(const scheduler *s, ww_val v) {
  const ww_lowering *x = s->l->x;
  uint32_t loop = x->fn->blocks[s->block].loop;
  if (loop != WW_NOBLOCK && !ww_ir_in_loop(x->fn, x->fn->vals[v].ref, loop))
    return true;
  for (uint32_t k = x->uses_at[v]; k < x->uses_at[v + 1]; k++)
    if (x->uses[k] & WW_PHI || x->block_of[x->uses[k]] != s->block)
      return true;
  return false;
}

/* Words that live longer when v is needed at `place`. */
static double longer(const scheduler *s, ww_val v, uint32_t place, uint32_t depth) {
  const ww_lowering *x = s->l->x;
  if (v == WW_NOVAL || x->fn->vals[v].kind != WW_VAL_RESULT)
    return 0;
  if (x->shares[v] == WW_SAME)
    v = x->base[v];
  if (folded(x, v) && depth <= 8) {
    ww_val of[16];
    double sum = 0;
    uint32_t n = ww_ins_uses(x->fn, x->def[v], of, 16);
    for (uint32_t k = 0; k < n; k++)
      sum += longer(s, of[k], place, depth + 1);
    return sum;
  }
  bool free = (s->last[v] != UINT32_MAX && s->last[v] >= place) || outlives(s, v);
  return free ? 0 : s->l->weight[v];
}

static uint32_t place_of(const scheduler *s, uint32_t k, const ww_val *of, uint32_t n) {
  const ww_lowering *x = s->l->x;
  const ww_ins *i = &x->fn->blocks[s->block].ins[k];
  double words = 0;
  if (!ww_lower_only_computes(i))
    return k;
  uint32_t place = s->first[i->dst];
  if (place == UINT32_MAX) /* needed behind the block, or nowhere */
    place = x->fn->blocks[s->block].nins - 1;
  if (x->gone[x->first[s->block] + k])
    return place;
  for (uint32_t u = 0; u < n; u++)
    words += longer(s, of[u], place, 0);
  return words <= s->l->weight[i->dst] ? place : k;
}

static void order_block(scheduler *s, uint32_t *out) {
  const ww_fn *fn = s->l->x->fn;
  const ww_block *t = &fn->blocks[s->block];
  uint32_t *count = WW_NEWN(s->l->x->arena, uint32_t, t->nins + 2);
  ww_val of[USES];
  for (uint32_t k = t->nins; k-- > 0;) {
    uint32_t n = uses_of(s->l->x, &t->ins[k], of);
    uint32_t place = s->place[k] = place_of(s, k, of, n);
    count[place + 1]++;
    for (uint32_t u = 0; u < n; u++) {
      if (s->first[of[u]] == UINT32_MAX || place < s->first[of[u]])
        s->first[of[u]] = place;
      if (s->last[of[u]] == UINT32_MAX || place > s->last[of[u]])
        s->last[of[u]] = place;
    }
  }
  for (uint32_t k = 0; k < t->nins; k++) {
    uint32_t n = uses_of(s->l->x, &t->ins[k], of);
    for (uint32_t u = 0; u < n; u++)
      s->first[of[u]] = s->last[of[u]] = UINT32_MAX;
    count[k + 1] += count[k];
  }
  for (uint32_t k = 0; k < t->nins; k++)
    out[count[s->place[k]]++] = k;
}

static void order_blocks(liveness *l, ww_arena *a) {
  const ww_fn *fn = l->x->fn;
  scheduler s = {.l = l};
  s.first = WW_NEWN(a, uint32_t, fn->nvals);
  s.last = WW_NEWN(a, uint32_t, fn->nvals);
  l->order = WW_NEWN(a, numbers, fn->nblocks);
  memset(s.first, 0xff, fn->nvals * sizeof *s.first);
  memset(s.last, 0xff, fn->nvals * sizeof *s.last);
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    s.block = b;
    s.place = WW_NEWN(a, uint32_t, fn->blocks[b].nins + 1);
    uint32_t *order = WW_NEWN(a, uint32_t, fn->blocks[b].nins + 1);
    order_block(&s, order);
    for (uint32_t k = 0; k < fn->blocks[b].nins; k++)
      ww_push(a, &l->order[b], l->x->first[b] + order[k]);
  }
}

/* ---- sums of values that come in under conditions, one after the other: LLVM leaves
 * them where the last is there, ptxas adds each as it comes ---- */

/* The last block before `b` in which one of the values is made, if it is of the same
 * straight code; else b. Their words that nothing else needs: to *ends. */
static uint32_t made_by(const liveness *l,
                        const uint32_t *at_block,
                        uint32_t b,
                        const ww_val *of,
                        uint32_t n,
                        double *ends) {
  const ww_lowering *x = l->x;
  uint32_t last = n ? at_block[of[0]] : b;
  *ends = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (ww_ir_dominates(x->fn, last, at_block[of[k]]))
      last = at_block[of[k]];
    if (x->uses_at[of[k] + 1] - x->uses_at[of[k]] == 1)
      *ends += l->weight[of[k]];
  }
  bool straight =
      !x->predicated[last] && ww_lower_straight(x, last) == ww_lower_straight(x, b);
  return straight ? last : b;
}

/* What needs no more words than end with it is computed at the end of the block that
 * makes its last value. */
static void compute_early(liveness *l, ww_arena *a) {
  const ww_lowering *x = l->x;
  uint32_t *at_block = WW_NEWN(a, uint32_t, x->fn->nvals);
  ww_val of[WW_LIVE_USES];
  double ends;
  for (ww_val v = 0; v < x->fn->nvals; v++)
    at_block[v] = x->fn->vals[v].ref;
  for (uint32_t b = 0; b < x->fn->nblocks; b++) {
    uint32_t stay = 0;
    numbers *own = &l->order[b];
    for (uint32_t k = 0; k < own->n; k++) {
      uint32_t at = own->v[k];
      const ww_ins *i = ww_lower_ins(x, at);
      uint32_t to = b;
      if (!x->gone[at] && ww_lower_only_computes(i))
        to = made_by(l, at_block, b, of, ww_lower_operands(x, i, of), &ends);
      if (to == b || ends < l->weight[i->dst]) {
        own->v[stay++] = at;
        continue;
      }
      numbers *there = &l->order[to];
      uint32_t end = there->v[there->n - 1]; /* its branch */
      there->v[there->n - 1] = at;
      ww_push(a, there, end);
      at_block[i->dst] = to;
    }
    own->n = stay;
  }
}

/* ---- liveness ---- */

static void load_set(liveness *l, const uint64_t *from) {
  memcpy(l->now, from, l->words * sizeof *l->now);
  l->live = l->loaded = 0;
  for (uint32_t w = 0; w < l->words; w++)
    for (uint64_t bits = l->now[w]; bits; bits &= bits - 1) {
      ww_val v = 64 * w + __builtin_ctzll(bits);
      count(l, v, l->weight[v]);
    }
}

/* What lives behind the block: what its successors need, and of their phis that live
 * the operands for this edge. */
static void live_out(liveness *l, uint32_t b) {
  const ww_fn *fn = l->x->fn;
  uint64_t *sum = l->now;
  l->block = b;
  memset(sum, 0, l->words * sizeof *sum);
  for (uint32_t k = 0; k < fn->blocks[b].nsucc; k++)
    for (uint32_t w = 0; w < l->words; w++)
      sum[w] |= l->in[fn->blocks[b].succ[k]][w];
  load_set(l, sum);
  for (uint32_t k = 0; k < fn->blocks[b].nsucc; k++) {
    const ww_block *s = &fn->blocks[fn->blocks[b].succ[k]];
    for (uint32_t p = 0; p < s->nphis; p++)
      for (uint32_t e = 0; e < s->phis[p].n && l->needed[s->phis[p].dst]; e++)
        if (ww_phi_from(fn, &s->phis[p], e) == b)
          use(l, ww_phi_value(fn, &s->phis[p], e), 0);
  }
}

/* Words that an operation of several instructions needs for itself. */
static double within(const ww_ins *i) {
  if (i->op == WW_OP_MATH &&
      (i->flags & WW_F_APPROX || (i->sub >= WW_MATH_FLOOR && i->sub <= WW_MATH_RINT)))
    return 1;
  if (i->op == WW_OP_MATH || i->op == WW_OP_FDIV)
    return i->type == WW_F64 ? ww_lower_coefs.reg_math64 : ww_lower_coefs.reg_math;
  return ww_is_division(i) ? 3 : 0;
}

/* Backward over the block; the set at its begin stays in now, phis' results taken out.
 */
static ww_block_words walk(liveness *l, uint32_t b) {
  const ww_block *t = &l->x->fn->blocks[b];
  ww_block_words out = {.most = l->live, .least = l->live};
  ww_val of[USES];
  for (uint32_t n = l->order[b].n; n-- > 0;) {
    uint32_t at = l->order[b].v[n];
    const ww_ins *i = ww_lower_ins(l->x, at);
    for (uint32_t r = 0; r < i->nres; r++)
      end(l, i->dst + r);
    out.least = fmin(out.least, l->live);
    if (l->x->gone[at])
      continue;
    uint32_t uses = uses_of(l->x, i, of);
    for (uint32_t u = 0; u < uses; u++)
      use(l, of[u], 0);
    if (l->live + within(i) <= out.most)
      continue;
    out.most = l->live + within(i);
    out.loaded = l->loaded;
  }
  for (uint32_t p = 0; p < t->nphis; p++) {
    ww_val v = t->phis[p].dst;
    l->changed |= member(l->now, v) && !l->needed[v];
    l->needed[v] |= member(l->now, v);
    end(l, v);
  }
  return out;
}

/* Words at the block's begin, phis' results included. */
static double words_before(liveness *l, uint32_t b) {
  const ww_block *t = &l->x->fn->blocks[b];
  load_set(l, l->in[b]);
  for (uint32_t p = 0; p < t->nphis; p++)
    l->live += l->needed[t->phis[p].dst] ? l->weight[t->phis[p].dst] : 0;
  return l->live;
}

static bool has_many(const liveness *l, uint32_t b, const ww_block_words *out) {
  const ww_block *t = &l->x->fn->blocks[b];
  bool many = out[b].most > MANY_WORDS;
  /* in loops, loads are brought forward instead: registers.c */
  if (t->loop != WW_NOBLOCK || out[b].most > TOO_MANY_WORDS)
    return false;
  for (uint32_t k = 0; k < t->nsucc; k++)
    many |= out[t->succ[k]].most > MANY_WORDS &&
            ww_lower_continues(l->x->fn, b, t->succ[k]);
  return many;
}

/* Where many words live at once in code without a loop, ptxas looks for an order with
 * fewer, unless they are too many for it. What is left of the blocks behind, whose sums
 * it has moved up, needs few more than live there. */
static void tighten(liveness *l, ww_block_words *out) {
  const ww_fn *fn = l->x->fn;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    ww_tight_words w = {.begin = words_before(l, b)};
    if (!has_many(l, b, out) || !ww_lower_tight(l->x, b, l->weight, &w))
      continue;
    out[b].most = fmin(out[b].most, w.most);
    out[b].loaded = fmin(out[b].loaded, w.most);
    for (uint32_t k = 0; k < fn->blocks[b].nsucc; k++) {
      uint32_t s = fn->blocks[b].succ[k];
      if (ww_lower_continues(fn, b, s))
        out[s].most = fmin(out[s].most, fmax(w.most, w.end + REST_WORDS));
    }
  }
}

ww_block_words *ww_lower_live(ww_lowering *x, ww_arena *a) {
  const ww_fn *fn = x->fn;
  ww_block_words *out = WW_NEWN(a, ww_block_words, fn->nblocks + 1);
  liveness l = {.x = x, .words = (fn->nvals + 63) / 64};
  l.now = WW_NEWN(a, uint64_t, l.words);
  l.in = WW_NEWN(a, uint64_t *, fn->nblocks);
  l.weight = WW_NEWN(a, double, (size_t)l.words * 64);
  l.needed = WW_NEWN(a, bool, fn->nvals);
  for (ww_val v = 0; v < fn->nvals; v++)
    l.weight[v] = weight_of(l.x, v);
  share_addresses(x, l.weight, a);
  for (uint32_t b = 0; b < fn->nblocks; b++)
    l.in[b] = WW_NEWN(a, uint64_t, l.words);
  order_blocks(&l, a);
  compute_early(&l, a);
  do {
    l.changed = false;
    for (uint32_t b = fn->nblocks; b-- > 0;) {
      live_out(&l, b);
      out[b] = walk(&l, b);
      l.changed |= memcmp(l.in[b], l.now, l.words * sizeof *l.now) != 0;
      memcpy(l.in[b], l.now, l.words * sizeof *l.now);
    }
  } while (l.changed);
  tighten(&l, out);
  return out;
}
