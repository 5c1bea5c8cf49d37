/* live_tight.c - the words that live at once in straight code, in an order that keeps
 * them few.
 *
 * Where a loop is unrolled completely, LLVM leaves the sums of one thread interleaved:
 * a word that several of them need is loaded for the first and waits for the last. And
 * it moves a sum that is only stored under a condition behind that condition, where all
 * its words wait for it. ptxas has each sum where its words are, so that none waits
 * (15 x 15 taps, four results a thread, from shared memory: 255 words in LLVM's order,
 * 32 registers).
 *
 * The code is a block and what loads and computes in successors that nothing else leads
 * to.
 * One instruction after another is taken from those whose operands are there and that
 * make another one ready: the one after which the fewest words live, what becomes ready
 * by it included; of equal ones the first in the code. Order of memory is kept: no load
 * passes a store, a barrier or a call. */
#include "lower_int.h"

#define LARGEST 20000 /* instructions of the code */

typedef struct {
  const ww_lowering *x;
  uint32_t block;
  const double *weight;
  uint32_t n;
  uint32_t *at;      /* [n] its instructions, by their number in the function */
  uint32_t *place;   /* per instruction of the function: its place in at, plus 1 */
  uint32_t *need_at; /* [n + 1] into need */
  ww_val *need;      /* operands, each once */
  uint32_t *next_at; /* [n + 1] into next */
  uint32_t *next;    /* those that wait for one */
  uint32_t *waits;   /* [n] for how many */
  uint32_t *left;    /* per value: users that are not placed */
  bool *stays;       /* per value: lives on behind the code */
  bool *placed;      /* [n] */
  bool *listed;      /* [n] in near */
  uint32_t *near;    /* ready, and something becomes ready by them or they just did */
  uint32_t nnear;
  WW_VEC(uint64_t) edges; /* from << 32 | to */
  ww_arena *a;
} list;

/* ---- the code ---- */

static const ww_ins *ins_of(const list *l, uint32_t k) {
  return ww_lower_ins(l->x, l->at[k]);
}

bool ww_lower_continues(const ww_fn *fn, uint32_t block, uint32_t s) {
  uint32_t from = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nsucc; k++)
      from += fn->blocks[b].succ[k] == s;
  return from == 1 && fn->blocks[s].idom == block &&
         fn->blocks[s].loop == fn->blocks[block].loop;
}

/* The number of the instruction that makes v; UINT32_MAX: none does. */
static uint32_t maker(const ww_lowering *x, ww_val v) {
  uint32_t b = x->fn->vals[v].ref;
  return x->def[v] ? x->first[b] + (x->def[v] - x->fn->blocks[b].ins) : UINT32_MAX;
}

/* All that it needs is made in the code, or before it. */
static bool can_stand(const list *l, uint32_t s, uint32_t at) {
  ww_val of[WW_LIVE_USES];
  const ww_ins *i = ww_lower_ins(l->x, at);
  if (l->x->gone[at] || (i->op != WW_OP_LD && !ww_lower_only_computes(i)))
    return false;
  uint32_t n = ww_lower_operands(l->x, i, of);
  for (uint32_t u = 0; u < n; u++) {
    uint32_t made = maker(l->x, of[u]);
    if (l->x->fn->vals[of[u]].ref == s && (made == UINT32_MAX || !l->place[made]))
      return false;
  }
  return true;
}

static void add(list *l, uint32_t at) {
  l->at[l->n++] = at;
  l->place[at] = l->n;
}

/* Up to its first write. */
static void collect_behind(list *l, uint32_t s) {
  const ww_block *t = &l->x->fn->blocks[s];
  for (uint32_t k = 0; k < t->nins; k++) {
    uint32_t at = l->x->first[s] + k;
    if (can_stand(l, s, at))
      add(l, at);
    else if (t->ins[k].op != WW_OP_LD && !ww_lower_only_computes(&t->ins[k]))
      return;
  }
}

static void collect(list *l) {
  const ww_fn *fn = l->x->fn;
  const ww_block *t = &fn->blocks[l->block];
  for (uint32_t k = 0; k < t->nins; k++)
    if (!l->x->gone[l->x->first[l->block] + k] && &t->ins[k] != ww_terminator(t))
      add(l, l->x->first[l->block] + k);
  for (uint32_t k = 0; k < t->nsucc; k++)
    if (ww_lower_continues(fn, l->block, t->succ[k]))
      collect_behind(l, t->succ[k]);
}

/* Something outside the code needs it, or the next iteration does. */
static bool lives_on(const list *l, ww_val v) {
  const ww_lowering *x = l->x;
  uint32_t loop = x->fn->blocks[l->block].loop;
  if (loop != WW_NOBLOCK && !ww_ir_in_loop(x->fn, x->fn->vals[v].ref, loop))
    return true;
  for (uint32_t k = x->uses_at[v]; k < x->uses_at[v + 1]; k++) {
    uint32_t at = x->uses[k];
    if (at & WW_PHI)
      return true;
    /* a folded one is part of its users, which stand in the block too or need it there
     */
    if (!l->place[at] && !(x->gone[at] && x->block_of[at] == l->block))
      return true;
  }
  return false;
}

/* ---- what waits for what ---- */

static void add_edge(list *l, uint32_t from, uint32_t to) {
  ww_push(l->a, &l->edges, (uint64_t)from << 32 | to);
  l->waits[to]++;
}

static void take_operands(list *l) {
  WW_VEC(ww_val) all = {0};
  for (uint32_t k = 0; k < l->n; k++) {
    const ww_ins *i = ins_of(l, k);
    ww_val of[WW_LIVE_USES];
    uint32_t n = ww_lower_operands(l->x, i, of);
    l->need_at[k] = all.n;
    for (uint32_t r = 0; r < i->nres; r++)
      l->stays[i->dst + r] = lives_on(l, i->dst + r);
    for (uint32_t u = 0; u < n; u++) {
      uint32_t made = maker(l->x, of[u]);
      ww_push(l->a, &all, of[u]);
      if (!l->left[of[u]]++)
        l->stays[of[u]] = lives_on(l, of[u]);
      if (made != UINT32_MAX && l->place[made])
        add_edge(l, l->place[made] - 1, k);
    }
  }
  l->need_at[l->n] = all.n;
  l->need = all.v;
}

/* Loads wait for the last write, a write for it and for the loads since. */
static void keep_memory_order(list *l) {
  uint32_t write = UINT32_MAX;
  uint32_t since = 0;
  for (uint32_t k = 0; k < l->n; k++) {
    const ww_ins *i = ins_of(l, k);
    bool load = i->op == WW_OP_LD;
    if (ww_lower_only_computes(i) ||
        (load && (i->space == WW_PARAM || i->space == WW_CONST)))
      continue;
    if (write != UINT32_MAX)
      add_edge(l, write, k);
    if (load)
      continue;
    for (uint32_t m = since; m < k; m++)
      if (ins_of(l, m)->op == WW_OP_LD)
        add_edge(l, m, k);
    write = since = k;
  }
}

static void sort_edges(list *l) {
  uint32_t *at = l->next_at;
  uint32_t *fill = WW_NEWN(l->a, uint32_t, l->n + 1);
  for (uint32_t k = 0; k < l->edges.n; k++)
    at[(l->edges.v[k] >> 32) + 1]++;
  for (uint32_t k = 0; k < l->n; k++)
    at[k + 1] += at[k];
  l->next = WW_NEWN(l->a, uint32_t, l->edges.n + 1);
  for (uint32_t k = 0; k < l->edges.n; k++) {
    uint32_t from = l->edges.v[k] >> 32;
    l->next[at[from] + fill[from]++] = (uint32_t)l->edges.v[k];
  }
}

/* ---- the order ---- */

/* Words that die with instruction k less those that it makes. */
static double freed(const list *l, uint32_t k) {
  const ww_ins *i = ins_of(l, k);
  double words = 0;
  for (uint32_t u = l->need_at[k]; u < l->need_at[k + 1]; u++) {
    ww_val v = l->need[u];
    words += l->left[v] == 1 && !l->stays[v] ? l->weight[v] : 0;
  }
  for (uint32_t r = 0; r < i->nres; r++) {
    ww_val v = i->dst + r;
    words -= l->left[v] || l->stays[v] ? l->weight[v] : 0;
  }
  return words;
}

/* The same with what can follow at once. */
static double gain(const list *l, uint32_t k) {
  const ww_ins *i = ins_of(l, k);
  double words = freed(l, k);
  uint32_t ready = 0;
  if (words >= 0)
    return words;
  for (uint32_t e = l->next_at[k]; e < l->next_at[k + 1]; e++)
    if (l->waits[l->next[e]] == 1) {
      words += freed(l, l->next[e]);
      ready++;
    }
  /* the last of several users ends it */
  if (i->nres == 1 && ready > 1 && ready == l->left[i->dst] && !l->stays[i->dst])
    words += l->weight[i->dst];
  return words;
}

/* It costs nothing, or something becomes ready by it. */
static bool is_useful(const list *l, uint32_t k) {
  for (uint32_t e = l->next_at[k]; e < l->next_at[k + 1]; e++)
    if (l->waits[l->next[e]] == 1)
      return true;
  return freed(l, k) >= 0;
}

static void list_near(list *l, uint32_t k) {
  if (l->placed[k] || l->listed[k] || l->waits[k])
    return;
  l->listed[k] = true;
  l->near[l->nnear++] = k;
}

/* What k alone still waits for. */
static void list_before(list *l, uint32_t k) {
  for (uint32_t u = l->need_at[k]; u < l->need_at[k + 1]; u++) {
    uint32_t made = maker(l->x, l->need[u]);
    if (made != UINT32_MAX && l->place[made])
      list_near(l, l->place[made] - 1);
  }
}

/* Of those near the best; where there is none, the first of all that is ready. */
static uint32_t choose(list *l, uint32_t first) {
  double best = -INFINITY;
  uint32_t out = UINT32_MAX;
  for (uint32_t c = 0; c < l->nnear; c++) {
    uint32_t k = l->near[c];
    double words = gain(l, k);
    if (words > best || (words == best && k < out)) {
      best = words;
      out = k;
    }
  }
  for (uint32_t k = first; out == UINT32_MAX; k++)
    if (!l->placed[k] && !l->waits[k])
      out = k;
  return out;
}

static void put(list *l, uint32_t k) {
  l->placed[k] = true;
  for (uint32_t c = 0; c < l->nnear && l->listed[k]; c++)
    if (l->near[c] == k) {
      l->near[c] = l->near[--l->nnear];
      break;
    }
  for (uint32_t u = l->need_at[k]; u < l->need_at[k + 1]; u++)
    l->left[l->need[u]]--;
  for (uint32_t e = l->next_at[k]; e < l->next_at[k + 1]; e++) {
    uint32_t to = l->next[e];
    if (!--l->waits[to] && is_useful(l, to))
      list_near(l, to);
    else if (l->waits[to] == 1)
      list_before(l, to);
  }
}

static void order(list *l, ww_tight_words *out) {
  uint32_t first = 0;
  for (uint32_t k = 0; k < l->n; k++)
    if (!l->waits[k] && is_useful(l, k))
      list_near(l, k);
  out->most = out->end = out->begin;
  for (uint32_t n = 0; n < l->n; n++) {
    while (l->placed[first])
      first++;
    uint32_t k = choose(l, first);
    double words = freed(l, k);
    put(l, k);
    out->end -= words;
    out->most = fmax(out->most, out->end);
  }
}

bool ww_lower_tight(const ww_lowering *x,
                    uint32_t block,
                    const double *weight,
                    ww_tight_words *out) {
  ww_arena *a = ww_arena_new();
  list l = {.x = x, .block = block, .weight = weight, .a = a};
  l.at = WW_NEWN(a, uint32_t, x->nins + 1);
  l.place = WW_NEWN(a, uint32_t, x->nins + 1);
  collect(&l);
  bool small = l.n <= LARGEST;
  if (small) {
    l.need_at = WW_NEWN(a, uint32_t, l.n + 1);
    l.next_at = WW_NEWN(a, uint32_t, l.n + 2);
    l.waits = WW_NEWN(a, uint32_t, l.n + 1);
    l.placed = WW_NEWN(a, bool, l.n + 1);
    l.listed = WW_NEWN(a, bool, l.n + 1);
    l.near = WW_NEWN(a, uint32_t, l.n + 1);
    l.left = WW_NEWN(a, uint32_t, x->fn->nvals + 1);
    l.stays = WW_NEWN(a, bool, x->fn->nvals + 1);
    take_operands(&l);
    keep_memory_order(&l);
    sort_edges(&l);
    order(&l, out);
  }
  ww_arena_free(a);
  return small;
}
