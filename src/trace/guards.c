/* guards.c - which sizes end what: the whole grid's threads, or those of one block.
 *
 * `if (blockIdx.x * blockDim.x + threadIdx.x < n)` compares n with a number that a
 * block index is part of: n is what the grid covers. `for (i = threadIdx.x; i < cols; i
 * += blockDim.x)` compares cols with a number of the thread inside its block: cols is a
 * row that one block or warp works on. Forward over the SSA graph to a fixed point. */
#include "roles.h"

enum { OF_BLOCK = 1, OF_THREAD = 2 };

typedef struct {
  uint8_t ids;      /* indices that it contains */
  uint64_t scalars; /* parameters that are numbers (bit p, p < 64) */
} content;

static bool take(content *to, content from) {
  bool new = from.ids & ~to->ids || from.scalars & ~to->scalars;
  to->ids |= from.ids;
  to->scalars |= from.scalars;
  return new;
}

static content of_index(uint8_t sreg) {
  if (sreg >= WW_SREG_CTAID_X && sreg <= WW_SREG_CTAID_Z)
    return (content){.ids = OF_BLOCK};
  bool thread = sreg <= WW_SREG_TID_Z; /* the first three */
  return (content){.ids = thread || sreg == WW_SREG_LANEID ? OF_THREAD : 0};
}

static bool carries(const ww_ins *i) {
  uint8_t cls = ww_ops[i->op].cls;
  return cls == WW_CLASS_MOV || cls == WW_CLASS_INT || cls == WW_CLASS_CVT;
}

static bool step(const ww_fn *fn, const ww_ins *i, content *of) {
  if (i->op == WW_OP_SREG)
    return take(&of[i->dst], of_index(i->sub));
  if (!carries(i) || i->dst == WW_NOVAL)
    return false;
  ww_val use[8];
  uint32_t n = ww_ins_uses(fn, i, use, 8);
  bool changed = false;
  for (uint32_t u = i->op == WW_OP_SELECT ? 1 : 0; u < n; u++)
    changed |= take(&of[i->dst], of[use[u]]);
  return changed;
}

static bool pass(const ww_fn *fn, content *of) {
  bool changed = false;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *t = &fn->blocks[b];
    for (uint32_t p = 0; p < t->nphis; p++)
      for (uint32_t n = 0; n < t->phis[p].n; n++)
        changed |= take(&of[t->phis[p].dst], of[ww_phi_value(fn, &t->phis[p], n)]);
    for (uint32_t k = 0; k < t->nins; k++)
      changed |= step(fn, &t->ins[k], of);
  }
  return changed;
}

/* An index against a size; or a constant against what is left of a size. */
static void note(const ww_ins *i, const content *of, uint8_t *ends, uint32_t nparams) {
  content a = of[i->a];
  content b = of[i->b];
  uint8_t ids = a.ids | b.ids;
  uint64_t sizes = a.ids && b.ids ? 0 : a.ids ? b.scalars : a.scalars;
  if (!sizes && !(a.ids && b.ids))
    sizes = a.scalars | b.scalars;
  for (uint32_t p = 0; ids && p < nparams && p < 64; p++)
    if (sizes >> p & 1)
      ends[p] |= ids & OF_BLOCK ? WW_ENDS_GRID : WW_ENDS_BLOCK;
}

void ww_guards_find(const ww_fn *fn, ww_arena *a, uint8_t *ends) {
  content *of = WW_NEWN(a, content, fn->nvals + 1);
  for (ww_val v = 0; v < fn->nvals; v++) {
    const ww_value *t = &fn->vals[v];
    if (t->kind == WW_VAL_PARAM && t->ref < 64 && !fn->params[t->ref].pointer)
      of[v].scalars = 1ull << t->ref;
  }
  for (int turn = 0; turn < 12 && pass(fn, of); turn++)
    ;
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));)
    if (i->op == WW_OP_ICMP && i->sub != WW_EQ && i->sub != WW_NE)
      note(i, of, ends, fn->nparams);
}
