/* chain_loop.c - which loops NVIDIA's compiler unrolls where LLVM has left them as they were, and
 * how often they go round. */
#include "chain_int.h"

#define PREDICATED_MOST 20 /* instructions of a block that becomes predicated */
#define UNROLL_MOST 64     /* instructions of a body that is still unrolled */

static bool epilogue_of(const ww_fn *fn, const char *name) {
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const char *other = fn->blocks[b].name;
    if (other && ww_starts(other, name) && ww_starts(other + strlen(name), ".epil"))
      return true;
  }
  return false;
}

static const ww_ins *defined_in(const ww_fn *fn, uint32_t loop, ww_val v) {
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; fn->blocks[b].loop == loop && k < fn->blocks[b].nins; k++) {
      const ww_ins *i = &fn->blocks[b].ins[k];
      if (i->dst != WW_NOVAL && v >= i->dst && v < i->dst + i->nres)
        return i;
    }
  return NULL;
}

/* v counts by a constant, or by something fixed without an overflow: it is a counter of this loop,
 * or its next value. */
static bool counts(const ww_fn *fn, uint32_t loop, ww_val v, bool next) {
  const ww_block *h = &fn->blocks[fn->loops[loop].header];
  for (const ww_phi *p = h->phis; !next && p - h->phis < h->nphis; p++)
    for (uint32_t n = 0; p->dst == v && n < p->n; n++)
      if (ww_phi_edge(fn, p, n).from == fn->loops[loop].latch)
        return counts(fn, loop, ww_phi_edge(fn, p, n).value, true);
  const ww_ins *d = defined_in(fn, loop, v);
  if (!d || (d->op != WW_OP_ADD && d->op != WW_OP_SUB && d->op != WW_OP_LEA))
    return false;
  if (fn->vals[d->b].kind == WW_VAL_CONST || fn->vals[d->a].kind == WW_VAL_CONST)
    return true;
  return d->flags & WW_F_NSW && !defined_in(fn, loop, d->b);
}

/* The number of iterations can be known when the loop begins: its end compares something that
 * counts by a constant. */
static bool counted(const ww_fn *fn, uint32_t loop) {
  const ww_ins *end = ww_block_end(fn, fn->loops[loop].latch),
               *test = end->op == WW_OP_CBR ? defined_in(fn, loop, end->a) : NULL;
  return test && test->op == WW_OP_ICMP &&
         (counts(fn, loop, test->a, false) || counts(fn, loop, test->b, false));
}

/* Blocks between header and latch are few instructions behind an `if`, which become predicated. */
static bool is_straight(const ww_fn *fn, uint32_t loop) {
  const ww_loop *l = &fn->loops[loop];
  uint32_t all = 0;
  for (uint32_t k = 0; k < fn->nloops; k++)
    if (fn->loops[k].parent == loop)
      return false;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *x = &fn->blocks[b];
    if (x->loop != loop)
      continue;
    all += x->nins;
    if (b != l->header && b != l->latch && (x->nins > PREDICATED_MOST || x->nsucc != 1))
      return false;
    if (b != l->latch)
      for (uint32_t k = 0; k < x->nsucc; k++)
        if (fn->blocks[x->succ[k]].loop != loop)
          return false; /* another way out */
    for (uint32_t k = 0; k < x->nins; k++)
      if (ww_ops[x->ins[k].op].cls == WW_CLASS_SYNC || x->ins[k].op == WW_OP_CALL ||
          x->ins[k].op == WW_OP_CALLI)
        return false;
  }
  return all <= UNROLL_MOST;
}

/* A small counted loop without barriers or calls, which LLVM has left as it was. */
bool ww_chain_unrollable(const ww_fn *fn, uint32_t loop) {
  if (loop == WW_NOBLOCK || fn->loops[loop].latch == WW_NOBLOCK || !is_straight(fn, loop) ||
      !counted(fn, loop))
    return false;
  const char *name = fn->blocks[fn->loops[loop].header].name;
  if (ww_block_end(fn, fn->loops[loop].latch)->sub == 1)
    return false; /* the source says no */
  return !name || (!strstr(name, ".epil") && !epilogue_of(fn, name));
}

/* Iterations of a warp each time it comes to the loop, on average. */
double ww_chain_trips(const ww_tally *t, const ww_fn *fn, uint32_t loop) {
  uint32_t header = fn->loops[loop].header;
  double from = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nsucc; k++)
      if (fn->blocks[b].succ[k] == header && !ww_ir_in_loop(fn, b, loop))
        from += ww_tally_runs(t, fn, b);
  return ww_ratio(ww_tally_runs(t, fn, header), from);
}
