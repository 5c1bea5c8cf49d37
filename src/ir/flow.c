/* flow.c - control flow of one function: successors, dominators, post-dominators,
 * natural loops.
 *
 * Works for any graph: unreachable blocks (idom WW_NOBLOCK), irreducible cycles (no
 * loop is made of them) and cycles without a way out. Dominators by Cooper, Harvey and
 * Kennedy's iteration, on the graph and on its reverse.
 *
 * Post-dominators are for reconvergence: where do lanes that parted meet again? So a
 * side that never returns (it ends in a trap or an exit, or spins for ever) does not
 * keep the others from meeting: edges from a block that can return into one that cannot
 * are left out. Among the blocks that cannot return, traps and exits lead to the
 * virtual exit, and so does, for each cycle without a way out, its last block in
 * reverse postorder: the latch. */
#include "ir_int.h"

typedef struct {
  uint32_t *at;   /* [n + 1] */
  uint32_t *list; /* edges of node k: list[at[k]] .. list[at[k + 1] - 1] */
} edges;

typedef struct {
  ww_fn *fn;
  ww_arena *a;     /* what stays */
  ww_arena *tmp;   /* what does not */
  uint32_t *stack; /* [n] for walks that do not nest */
  uint32_t n;      /* blocks; node n is the virtual exit */
  uint32_t *order; /* blocks that the entry reaches, in reverse postorder */
  uint32_t norder;
  uint32_t *num; /* [n] position in order, WW_NOBLOCK when unreachable */
  edges preds;
} flow;

/* ---- successors ---- */

static void add_succ(ww_block *b, uint32_t to) {
  for (uint32_t k = 0; k < b->nsucc; k++)
    if (b->succ[k] == to)
      return;
  b->succ[b->nsucc++] = to;
}

static void successors(ww_fn *fn, ww_block *b, ww_arena *a) {
  b->nsucc = 0;
  b->succ = NULL;
  if (!b->nins)
    return;
  const ww_ins *t = ww_terminator(b);
  bool two = t->op == WW_OP_CBR, many = t->op == WW_OP_SWITCH;
  if (t->op != WW_OP_BR && !two && !many)
    return;
  b->succ = WW_NEWN(a, uint32_t, many ? t->n + 1u : 2);
  add_succ(b, t->imm);
  if (two)
    add_succ(b, t->ext);
  for (uint32_t k = 0; many && k < t->n; k++)
    add_succ(b, fn->pool[t->ext + 2 * k + 1]);
}

static bool returns(const ww_block *b) {
  return b->nins && ww_terminator(b)->op == WW_OP_RET;
}

/* ---- graphs as edge lists ---- */

/* can_return, where it is given: an edge into a block that cannot is left out. */
static bool counts(const bool *can_return, uint32_t from, uint32_t to) {
  return !can_return || !can_return[from] || can_return[to];
}

/* Edges of the function, with the virtual exit as the last successor of exit blocks. */
static edges forward(const flow *f, const bool *can_return, const bool *exit) {
  uint32_t total = 0;
  for (uint32_t b = 0; b < f->n; b++)
    total += f->fn->blocks[b].nsucc + 1;
  edges e = {WW_NEWN(f->tmp, uint32_t, f->n + 2), WW_NEWN(f->tmp, uint32_t, total)};
  uint32_t at = 0;
  for (uint32_t b = 0; b < f->n; b++) {
    e.at[b] = at;
    for (uint32_t k = 0; k < f->fn->blocks[b].nsucc; k++)
      if (counts(can_return, b, f->fn->blocks[b].succ[k]))
        e.list[at++] = f->fn->blocks[b].succ[k];
    if (exit && exit[b])
      e.list[at++] = f->n;
  }
  e.at[f->n] = e.at[f->n + 1] = at;
  return e;
}

/* The same the other way round (to -> its predecessors); node n has none yet, but room
 * for n. */
static edges reverse(const flow *f, const bool *can_return) {
  edges to = forward(f, can_return, NULL);
  uint32_t n = f->n;
  uint32_t total = to.at[n];
  edges from = {WW_NEWN(f->tmp, uint32_t, n + 3), WW_NEWN(f->tmp, uint32_t, total + n)};
  for (uint32_t k = 0; k < total; k++)
    from.at[to.list[k] + 2]++;
  for (uint32_t k = 2; k <= n; k++)
    from.at[k + 1] += from.at[k];
  for (uint32_t b = 0; b < n; b++) /* while they are noted, b's begin stands at b + 1 */
    for (uint32_t k = to.at[b]; k < to.at[b + 1]; k++)
      from.list[from.at[to.list[k] + 1]++] = b;
  return from;
}

/* Reverse postorder from a node, without recursion: how many of the n + 1 it reaches,
 * and their numbers, WW_NOBLOCK for the others. */
static uint32_t order_nodes(
    const flow *f, const edges *e, uint32_t from, uint32_t *order, uint32_t *num) {
  uint32_t n = f->n + 1;
  uint32_t *stack = WW_NEWN(f->tmp, uint32_t, n);
  uint32_t *next = WW_NEWN(f->tmp, uint32_t, n);
  uint32_t depth = 0;
  uint32_t at = n;
  bool *seen = WW_NEWN(f->tmp, bool, n);
  memcpy(next, e->at, n * sizeof *next);
  stack[depth++] = from;
  seen[from] = true;
  while (depth) {
    uint32_t b = stack[depth - 1];
    if (next[b] == e->at[b + 1]) {
      order[--at] = b;
      depth--;
      continue;
    }
    uint32_t s = e->list[next[b]++];
    if (!seen[s])
      stack[depth++] = s;
    seen[s] = true;
  }
  memmove(order, order + at, (n - at) * sizeof *order);
  memset(num, 0xff, n * sizeof *num); /* WW_NOBLOCK */
  for (uint32_t k = 0; k < n - at; k++)
    num[order[k]] = k;
  return n - at;
}

/* ---- dominators of any graph: `order` in reverse postorder from order[0], preds by
 * node ---- */

static uint32_t
meet(const uint32_t *idom, const uint32_t *num, uint32_t a, uint32_t b) {
  while (a != b) {
    while (num[a] > num[b])
      a = idom[a];
    while (num[b] > num[a])
      b = idom[b];
  }
  return a;
}

/* By node; WW_NOBLOCK: not reached. */
static uint32_t *dominators(const flow *f,
                            const uint32_t *order,
                            uint32_t norder,
                            const uint32_t *num,
                            const edges *preds) {
  uint32_t *idom = WW_NEWN(f->tmp, uint32_t, f->n + 1);
  memset(idom, 0xff, (f->n + 1) * sizeof *idom); /* WW_NOBLOCK */
  idom[order[0]] = order[0];
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = 1; k < norder; k++) {
      uint32_t b = order[k];
      uint32_t d = WW_NOBLOCK;
      for (uint32_t p = preds->at[b]; p < preds->at[b + 1]; p++) {
        uint32_t from = preds->list[p];
        if (idom[from] != WW_NOBLOCK)
          d = d == WW_NOBLOCK ? from : meet(idom, num, d, from);
      }
      changed |= d != idom[b];
      idom[b] = d;
    }
  }
  return idom;
}

static void set_idoms(flow *f) {
  const uint32_t *idom = dominators(f, f->order, f->norder, f->num, &f->preds);
  for (uint32_t k = 0; k < f->n; k++)
    f->fn->blocks[k].idom = idom[k];
}

/* ---- post-dominators ---- */

/* Marks what reaches `from` backwards. */
static void mark_back(const flow *f, const edges *preds, uint32_t from, bool *mark) {
  uint32_t *stack = f->stack;
  uint32_t depth = 0;
  if (!mark[from])
    stack[depth++] = from;
  mark[from] = true;
  while (depth) {
    uint32_t b = stack[--depth];
    for (uint32_t p = preds->at[b]; p < preds->at[b + 1]; p++)
      if (!mark[preds->list[p]]) {
        mark[preds->list[p]] = true;
        stack[depth++] = preds->list[p];
      }
  }
}

static void
lead_out(const flow *f, const edges *preds, uint32_t b, bool *exit, bool *reaches) {
  exit[b] = true;
  mark_back(f, preds, b, reaches);
}

/* Which blocks lead to the virtual exit directly. They become the edges of its node. */
static bool *exits(const flow *f, edges *preds) {
  bool *exit = WW_NEWN(f->tmp, bool, f->n), *reaches = WW_NEWN(f->tmp, bool, f->n);
  for (uint32_t b = 0; b < f->n; b++)
    if (!f->fn->blocks[b].nsucc)
      lead_out(f, preds, b, exit, reaches);
  for (uint32_t k = f->norder; k-- > 0;)
    if (!reaches[f->order[k]])
      lead_out(f, preds, f->order[k], exit, reaches);
  for (uint32_t b = 0; b < f->n; b++) /* cycles that even the entry does not reach */
    if (!reaches[b])
      lead_out(f, preds, b, exit, reaches);
  for (uint32_t b = 0; b < f->n; b++)
    if (exit[b])
      preds->list[preds->at[f->n + 1]++] = b;
  return exit;
}

static void set_ipdoms(flow *f) {
  uint32_t n = f->n;
  bool *can_return = WW_NEWN(f->tmp, bool, n);
  for (uint32_t b = 0; b < n; b++)
    if (returns(&f->fn->blocks[b]))
      mark_back(f, &f->preds, b, can_return);

  edges preds = reverse(f, can_return);
  bool *exit = exits(f, &preds);
  edges succs = forward(f, can_return, exit);
  uint32_t *order = WW_NEWN(f->tmp, uint32_t, n + 1);
  uint32_t *num = WW_NEWN(f->tmp, uint32_t, n + 1);
  uint32_t count = order_nodes(f, &preds, n, order, num);
  const uint32_t *ipdom = dominators(f, order, count, num, &succs);
  for (uint32_t b = 0; b < n; b++)
    f->fn->blocks[b].ipdom = ipdom[b] == n ? WW_NOBLOCK : ipdom[b];
}

/* ---- loops ---- */

/* Blocks from which the latch is reached without passing the header, which has its
 * mark; loops come outermost first, so the last one written is the innermost. */
static void fill_loop(const flow *f, uint32_t loop, uint32_t latch) {
  ww_block *blocks = f->fn->blocks;
  uint32_t *stack = f->stack;
  uint32_t depth = 0;
  if (blocks[latch].loop != loop)
    stack[depth++] = latch;
  blocks[latch].loop = loop;
  while (depth) {
    uint32_t b = stack[--depth];
    for (uint32_t p = f->preds.at[b]; p < f->preds.at[b + 1]; p++) {
      uint32_t q = f->preds.list[p];
      if (f->num[q] == WW_NOBLOCK || blocks[q].loop == loop)
        continue;
      blocks[q].loop = loop;
      stack[depth++] = q;
    }
  }
}

static void set_loops(flow *f) {
  ww_fn *fn = f->fn;
  for (uint32_t b = 0; b < f->n; b++)
    fn->blocks[b].loop = WW_NOBLOCK;
  fn->loops = WW_NEWN(f->a, ww_loop, f->n);
  for (uint32_t k = 0; k < f->norder;
       k++) { /* an outer header comes before the inner ones it dominates */
    uint32_t h = f->order[k];
    uint32_t parent = fn->blocks[h].loop;
    uint32_t latches = 0;
    ww_loop *l = &fn->loops[fn->nloops];
    *l = (ww_loop){h, WW_NOBLOCK, parent, 1};
    if (parent != WW_NOBLOCK)
      l->depth = fn->loops[parent].depth + 1;
    for (uint32_t p = f->preds.at[h]; p < f->preds.at[h + 1]; p++) {
      uint32_t b = f->preds.list[p];
      if (!ww_ir_dominates(fn, h, b))
        continue;
      l->latch = latches++ ? WW_NOBLOCK : b;
      fn->blocks[h].loop = fn->nloops;
      fill_loop(f, fn->nloops, b);
    }
    fn->nloops += latches > 0;
  }
}

/* ---- */

bool ww_ir_dominates(const ww_fn *fn, uint32_t a, uint32_t b) {
  while (b != a && fn->blocks[b].idom != b && fn->blocks[b].idom != WW_NOBLOCK)
    b = fn->blocks[b].idom;
  return a == b;
}

bool ww_ir_in_loop(const ww_fn *fn, uint32_t block, uint32_t loop) {
  for (uint32_t l = fn->blocks[block].loop; l != WW_NOBLOCK; l = fn->loops[l].parent)
    if (l == loop)
      return true;
  return false;
}

void ww_ir_flow(ww_fn *fn, ww_arena *a) {
  fn->loops = NULL;
  fn->nloops = 0;
  if (!fn->nblocks)
    return;
  flow f = {.fn = fn, .a = a, .tmp = ww_arena_new(), .n = fn->nblocks};
  f.stack = WW_NEWN(f.tmp, uint32_t, f.n);
  for (uint32_t b = 0; b < fn->nblocks; b++)
    successors(fn, &fn->blocks[b], a);
  f.order = WW_NEWN(f.tmp, uint32_t, f.n + 1);
  f.num = WW_NEWN(f.tmp, uint32_t, f.n + 1);
  edges succs = forward(&f, NULL, NULL);
  f.norder = order_nodes(&f, &succs, 0, f.order, f.num);
  f.preds = reverse(&f, NULL);
  set_idoms(&f);
  set_ipdoms(&f);
  set_loops(&f);
  ww_arena_free(f.tmp);
}
