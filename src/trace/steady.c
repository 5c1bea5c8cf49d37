/* steady.c - loops that need not run in full: some iterations stand for others, with a
 * weight.
 *
 * Found once per function: a loop with one latch and one exit, tested in every
 * iteration, whose exit compares values that depend on the loop's own counters and on
 * nothing loaded in it. Watched at run time: when the compared values moved by the same
 * step three times, the iterations left are known. They are cut into three segments; of
 * each only a window in its middle runs, every iteration of it weighted by segment /
 * window, and the counters (header phis that are only added to, and moved evenly) jump
 * over the rest. Windows of eight consecutive iterations see all eight alignments a
 * 4-byte step has in a 32-byte sector; three segments make work that grows evenly with
 * the counter come out exact. Values accumulated in the loop are then wrong, which a
 * sampled run accepts: it asks what is done, not what results. */
#include "code.h"

enum { SEGMENTS = 3, WINDOW_INNER = 8, WINDOW_OUTER = 2 };

/* ---- which loops qualify ---- */

typedef struct {
  const ww_fn *fn;
  uint32_t loop, header, latch;
  uint8_t *seen;      /* per value: 1 being looked at or found pure */
  const ww_ins **def; /* ww_ir_defs */
} finder;

static bool pure_op(const ww_ins *i) {
  switch (ww_ops[i->op].cls) {
  case WW_CLASS_MOV:
  case WW_CLASS_INT:
  case WW_CLASS_CMP:
  case WW_CLASS_CVT:
    return true;
  case WW_CLASS_SREG:
    return i->op == WW_OP_SREG;
  default:
    return false;
  }
}

static bool made_inside(const finder *f, ww_val v) {
  const ww_value *x = &f->fn->vals[v];
  return x->kind == WW_VAL_RESULT && ww_ir_in_loop(f->fn, x->ref, f->loop);
}

/* v depends on nothing but header phis of the loop, values from outside, and plain
 * arithmetic. */
static bool pure(finder *f, ww_val v, int depth) {
  if (f->seen[v])
    return true;
  const ww_fn *fn = f->fn;
  if (!made_inside(f, v))
    return true;
  if (depth > 40)
    return false;
  f->seen[v] = 1;
  if (!f->def[v]) { /* a phi: of the header, and fed by something pure */
    const ww_block *h = &fn->blocks[f->header];
    for (uint32_t k = 0; k < h->nphis; k++)
      if (h->phis[k].dst == v)
        return pure(f, ww_phi_of(fn, &h->phis[k], f->latch), depth + 1);
    return false;
  }
  if (!pure_op(f->def[v]))
    return false;
  ww_val use[8];
  uint32_t n = ww_ins_uses(fn, f->def[v], use, 8);
  for (uint32_t k = 0; k < n; k++)
    if (!pure(f, use[k], depth + 1))
      return false;
  return true;
}

static bool traps(const ww_block *b) {
  return b->nins && ww_terminator(b)->op == WW_OP_TRAP;
}

/* The one block that leaves the loop; WW_NOBLOCK: none or several. */
static uint32_t exiting_block(const finder *f) {
  uint32_t found = WW_NOBLOCK;
  for (uint32_t b = 0; b < f->fn->nblocks; b++) {
    const ww_block *bb = &f->fn->blocks[b];
    if (!ww_ir_in_loop(f->fn, b, f->loop))
      continue;
    bool leaves = bb->nsucc == 0 && !traps(bb);
    for (uint32_t s = 0; s < bb->nsucc; s++)
      leaves |= !ww_ir_in_loop(f->fn, bb->succ[s], f->loop) &&
                !traps(&f->fn->blocks[bb->succ[s]]);
    if (!leaves)
      continue;
    if (found != WW_NOBLOCK)
      return WW_NOBLOCK;
    found = b;
  }
  return found;
}

/* v is the phi plus or minus something: it goes on as it began, until it meets a limit
 * that the loop does not move (the end of an OpenMP team's part is the lesser of two).
 * A mask, a remainder or a choice turns back some day. */
static bool only_adds(const finder *f, ww_val v, ww_val phi, int depth) {
  if (v == phi)
    return true;
  const ww_ins *d = f->def[v];
  if (!d || depth > 16 || !made_inside(f, v))
    return false;
  switch (d->op) {
  case WW_OP_ADD:
  case WW_OP_SUB:
  case WW_OP_LEA:
    return only_adds(f, d->a, phi, depth + 1) ||
           (d->op == WW_OP_ADD && only_adds(f, d->b, phi, depth + 1));
  case WW_OP_SMIN:
  case WW_OP_SMAX:
  case WW_OP_UMIN:
  case WW_OP_UMAX:
    return (!made_inside(f, d->b) && only_adds(f, d->a, phi, depth + 1)) ||
           (!made_inside(f, d->a) && only_adds(f, d->b, phi, depth + 1));
  case WW_OP_SEXT:
  case WW_OP_ZEXT:
  case WW_OP_TRUNC:
  case WW_OP_MOV:
  case WW_OP_FREEZE:
    return only_adds(f, d->a, phi, depth + 1);
  default:
    return false;
  }
}

/* Which of the header's phis can jump over iterations. */
static struct ww_steady_phi *phis_of(const finder *f, ww_arena *a) {
  const ww_block *h = &f->fn->blocks[f->header];
  struct ww_steady_phi *out = WW_NEWN(a, struct ww_steady_phi, h->nphis + 1);
  for (uint32_t k = 0; k < h->nphis; k++) {
    ww_val v = h->phis[k].dst;
    ww_type t = f->fn->vals[v].type;
    out[k].jumps = !ww_is_float(t) && ww_type_bytes[t] >= 4 &&
                   only_adds(f, ww_phi_of(f->fn, &h->phis[k], f->latch), v, 0);
  }
  return out;
}

/* Warps that wait for each other run their loops in step: none may leave iterations
 * out. */
static bool waits_inside(const finder *f) {
  for (uint32_t b = 0; b < f->fn->nblocks; b++)
    for (uint32_t k = 0; ww_ir_in_loop(f->fn, b, f->loop) && k < f->fn->blocks[b].nins;
         k++) {
      const ww_ins *i = &f->fn->blocks[b].ins[k];
      if (i->op == WW_OP_MBAR || ww_is_wait(i))
        return true;
    }
  return false;
}

static const uint8_t inverse[] = {
    [WW_EQ] = WW_NE,   [WW_NE] = WW_EQ,   [WW_SLT] = WW_SGE, [WW_SLE] = WW_SGT,
    [WW_SGT] = WW_SLE, [WW_SGE] = WW_SLT, [WW_ULT] = WW_UGE, [WW_ULE] = WW_UGT,
    [WW_UGT] = WW_ULE, [WW_UGE] = WW_ULT};

static bool qualify(finder *f, ww_steady *out) {
  const ww_fn *fn = f->fn;
  if (f->latch == WW_NOBLOCK || waits_inside(f))
    return false;
  uint32_t e = exiting_block(f);
  if (e == WW_NOBLOCK || !ww_ir_dominates(fn, e, f->latch))
    return false;
  const ww_ins *t = ww_terminator(&fn->blocks[e]);
  if (t->op != WW_OP_CBR)
    return false;
  const ww_ins *c = f->def[t->a];
  if (!c || c->op != WW_OP_ICMP || ww_type_bytes[c->type] < 4 ||
      !made_inside(f, t->a) || !pure(f, c->a, 0) || !pure(f, c->b, 0))
    return false;
  *out = (ww_steady){.loop = f->loop,
                     .header = f->header,
                     .nphis = fn->blocks[f->header].nphis,
                     .innermost = true,
                     .a = c->a,
                     .b = c->b,
                     .pred =
                         ww_ir_in_loop(fn, t->imm, f->loop) ? c->sub : inverse[c->sub]};
  for (uint32_t l = 0; l < fn->nloops; l++)
    out->innermost &= fn->loops[l].parent != f->loop;
  return true;
}

void ww_steady_find(
    const ww_fn *fn, const ww_ins **def, ww_arena *a, ww_steady **out, uint32_t *n) {
  *n = 0;
  *out = WW_NEWN(a, ww_steady, fn->nloops + 1);
  finder f = {.fn = fn, .def = def, .seen = WW_NEWN(a, uint8_t, fn->nvals + 1)};
  for (uint32_t l = 0; l < fn->nloops; l++) {
    memset(f.seen, 0, fn->nvals);
    f.loop = l;
    f.header = fn->loops[l].header;
    f.latch = fn->loops[l].latch;
    if (qualify(&f, &(*out)[*n]))
      (*out)[(*n)++].phi = phis_of(&f, a);
  }
}

/* ---- at run time ---- */

/* What a counter's cell means. */
static __int128 number(uint64_t cell, bool sign, bool wide) {
  if (sign)
    return wide ? (int64_t)cell : (int32_t)cell;
  return wide ? cell : (uint32_t)cell;
}

/* How many more times the compare will hold when its operands go on moving like this;
 * UINT64_MAX: no end in sight. */
static uint64_t
holds(uint8_t pred, bool wide, uint64_t a, uint64_t da, uint64_t b, uint64_t db) {
  bool sign = pred >= WW_SLT && pred <= WW_SGE;
  __int128 diff = number(b, sign, wide) - number(a, sign, wide);
  /* diff shrinks by move each time */
  __int128 move = number(da, true, true) - number(db, true, true);
  bool falls = pred == WW_SGT || pred == WW_UGT || pred == WW_SGE || pred == WW_UGE;
  if (falls) {
    diff = -diff;
    move = -move;
  }
  switch (pred) {
  case WW_NE:
    return move != 0 && diff % move == 0 && diff / move > 0 ? diff / move - 1
                                                            : UINT64_MAX;
  case WW_SLT:
  case WW_ULT:
  case WW_SGT:
  case WW_UGT:
    return diff <= 0 ? 0 : move <= 0 ? UINT64_MAX : (diff - 1) / move;
  case WW_SLE:
  case WW_ULE:
  case WW_SGE:
  case WW_UGE:
    return diff < 0 ? 0 : move <= 0 ? UINT64_MAX : diff / move;
  default:
    return 0; /* staying while equal: not a counter */
  }
}

/* Compares the row with the last iteration's; remembers value and step. True when every
 * active lane moved as before. */
static bool
watch(const ww_exec *x, uint32_t slot, bool wide, uint64_t *prev, uint64_t *step) {
  bool same = true;
  for (ww_mask m = x->mask; m; m &= m - 1) {
    uint32_t l = __builtin_ctzll(m);
    uint64_t v = ww_cell_of(x, slot, wide, l);
    uint64_t d = number(v - prev[l], true, wide);
    same &= d == step[l];
    step[l] = d;
    prev[l] = v;
  }
  return same;
}

#define ROWS(st, x, k) \
  ((st)->prev + (size_t)(k) * (x)->lanes), ((st)->step + (size_t)(k) * (x)->lanes)

static void observe(ww_exec *x, const ww_steady *s, ww_loop_state *st) {
  bool even = watch(x, s->a, s->cmp_wide, ROWS(st, x, s->nphis));
  even &= watch(x, s->b, s->cmp_wide, ROWS(st, x, s->nphis + 1));
  for (uint32_t k = 0; k < s->nphis; k++)
    if (s->phi[k].jumps)
      st->affine[k] = watch(x, s->phi[k].slot, s->phi[k].wide, ROWS(st, x, k))
                          ? st->affine[k] + (st->affine[k] < 9)
                          : 0;
  st->linear = even ? st->linear + 1 : 0;
}

/* Lets the counters jump over n iterations. */
static void advance(ww_exec *x, const ww_steady *s, ww_loop_state *st, uint64_t n) {
  if (!n)
    return;
  for (uint32_t k = 0; k < s->nphis; k++) {
    const struct ww_steady_phi *p = &s->phi[k];
    if (!p->jumps || !st->affine[k])
      continue;
    const uint64_t *step = st->step + (size_t)k * x->lanes;
    for (ww_mask m = x->mask; m; m &= m - 1) {
      uint32_t l = __builtin_ctzll(m);
      ww_cell_put(x, p->slot, p->wide, l,
                  ww_cell_of(x, p->slot, p->wide, l) + n * step[l]);
    }
  }
}

static void
begin_segment(ww_exec *x, const ww_steady *s, ww_loop_state *st, uint32_t window) {
  uint64_t before = (st->span - window) / 2;
  st->segments--;
  st->left = window;
  st->skip_after = st->span - window - before;
  advance(x, s, st, before);
  x->weight = st->weight_in * ((double)st->span / window);
}

static void plan(ww_exec *x, const ww_steady *s, ww_loop_state *st, uint32_t window) {
  const uint64_t *a = st->prev + (size_t)s->nphis * x->lanes;
  const uint64_t *b = a + x->lanes;
  const uint64_t *da = st->step + (size_t)s->nphis * x->lanes;
  const uint64_t *db = da + x->lanes;
  uint64_t left = UINT64_MAX;
  st->mask = x->mask;
  for (ww_mask m = x->mask; m; m &= m - 1) {
    uint32_t l = __builtin_ctzll(m);
    uint64_t r = holds(s->pred, s->cmp_wide, a[l], da[l], b[l], db[l]);
    if (r < left)
      left = r;
  }
  st->planned = true;
  if (left == UINT64_MAX || left < 2 + 2ull * SEGMENTS * window)
    return;
  st->segments = SEGMENTS;
  /* whole windows: each alignment of a window as often as the others */
  st->span = (left - 2) / SEGMENTS / window * window;
  x->extrapolated = true;
  begin_segment(x, s, st, window);
}

void ww_steady_iteration(ww_exec *x, const ww_steady *s) {
  if (!x->spec->extrapolate)
    return;
  ww_loop_state *st = &x->loops[s->number];
  uint32_t window = s->innermost ? WINDOW_INNER : WINDOW_OUTER;
  if (st->iteration++ == 0) {
    st->weight_in = x->weight;
    st->linear = st->left = st->segments = 0;
    st->planned = false;
    memset(st->affine, 0, s->nphis);
    observe(x, s, st);
    return;
  }
  if (st->left) { /* inside a window */
    /* lanes left against the forecast: weigh nothing any more */
    bool lost = x->mask != st->mask;
    if (!lost && --st->left)
      return;
    x->weight = st->weight_in;
    if (lost)
      st->left = st->segments = 0;
    else
      advance(x, s, st, st->skip_after);
    if (!lost && st->segments)
      begin_segment(x, s, st, window);
    else {
      st->linear = 0;
      observe(x, s, st);
    }
    return;
  }
  if (st->planned && st->mask == x->mask)
    return; /* the tail */
  if (st->planned) {
    st->planned = false;
    st->linear = 0;
  }
  observe(x, s, st);
  if (st->linear >= 2 && st->iteration > 3)
    plan(x, s, st, window);
}
