/* lower_uniform.c - what all lanes of a warp share.
 *
 * `uniform` is computed straight from parameters and special registers, and goes to a
 * datapath of its own; what a loop carries is mostly left to the lanes. `same` has that
 * too: it tells whether lanes load from one place, meet at one address, leave a loop
 * together. Only integer arithmetic is looked at. */
#include "lower_int.h"

static bool uniform_sreg(uint8_t sub) {
  return (sub >= WW_SREG_NTID_X && sub <= WW_SREG_NCTAID_Z) ||
         sub == WW_SREG_WARPSIZE || sub == WW_SREG_DYNSHARED;
}

static bool uniform_op(const ww_ins *i) {
  switch (i->op) {
  case WW_OP_SREG:
    return uniform_sreg(i->sub);
  case WW_OP_ADD:
  case WW_OP_SUB:
  case WW_OP_MUL:
  case WW_OP_AND:
  case WW_OP_OR:
  case WW_OP_XOR:
  case WW_OP_SHL:
  case WW_OP_LSHR:
  case WW_OP_ASHR:
  case WW_OP_TRUNC:
  case WW_OP_ZEXT:
  case WW_OP_SEXT:
  case WW_OP_MOV:
  case WW_OP_FREEZE:
  case WW_OP_LEA:
  case WW_OP_ICMP:
    return true;
  default:
    return false;
  }
}

static bool all_in(const ww_lowering *x, const ww_ins *i, const bool *set) {
  ww_val of[64];
  uint32_t n = ww_ins_uses(x->fn, i, of, 64);
  for (uint32_t u = 0; u < n; u++)
    if (!set[of[u]])
      return false;
  return true;
}

/* Loops that all lanes leave together. */
static void find_together(const ww_lowering *x, bool *together) {
  const ww_fn *fn = x->fn;
  for (uint32_t l = 0; l < fn->nloops; l++)
    together[l] = true;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *t = &fn->blocks[b];
    const ww_ins *end = t->nins ? ww_block_end(fn, b) : NULL;
    if (end && end->op == WW_OP_CBR && x->same[end->a])
      continue;
    for (uint32_t k = 0; k < t->nsucc; k++)
      for (uint32_t l = t->loop; l != WW_NOBLOCK && !ww_ir_in_loop(fn, t->succ[k], l);
           l = fn->loops[l].parent)
        together[l] = false;
  }
}

/* What such a loop carries is the same for all lanes where it begins and moves alike.
 */
static bool same_phi(const ww_lowering *x, const ww_phi *p, bool together) {
  for (uint32_t k = 0; together && k < p->n; k++) {
    ww_val v = ww_phi_value(x->fn, p, k);
    if (v == WW_NOVAL || !x->same[v])
      return false;
  }
  return together;
}

static bool not_the_same(ww_lowering *x, uint32_t b, const bool *together) {
  const ww_block *t = &x->fn->blocks[b];
  bool changed = false;
  for (uint32_t p = 0; p < t->nphis; p++)
    if (x->same[t->phis[p].dst] && !same_phi(x, &t->phis[p], together[t->loop])) {
      x->same[t->phis[p].dst] = false;
      changed = true;
    }
  for (uint32_t k = 0; k < t->nins; k++) {
    ww_val v = t->ins[k].dst;
    if (v != WW_NOVAL && x->same[v] && !all_in(x, &t->ins[k], x->same)) {
      x->same[v] = false;
      changed = true;
    }
  }
  return changed;
}

/* An address that only moves with the loop's counter stays a pointer of the lanes, and
 * so does the counter itself. */
static bool walks(const ww_lowering *x, const ww_ins *i) {
  ww_val v = i->op == WW_OP_LEA                           ? i->b
             : i->op == WW_OP_SEXT || i->op == WW_OP_ZEXT ? i->a
                                                          : WW_NOVAL;
  if (v == WW_NOVAL)
    return false;
  if (ww_lower_widened(x, v) != WW_NOVAL)
    v = ww_lower_widened(x, v);
  return x->fn->vals[v].kind == WW_VAL_RESULT && !x->def[v];
}

/* Taken as the same until shown otherwise: what loops carry, and integer arithmetic. */
static void suppose(ww_lowering *x, uint32_t b) {
  const ww_fn *fn = x->fn;
  const ww_block *t = &fn->blocks[b];
  bool header = t->loop != WW_NOBLOCK && fn->loops[t->loop].header == b;
  for (uint32_t p = 0; p < t->nphis; p++)
    x->same[t->phis[p].dst] = header && !ww_is_float(fn->vals[t->phis[p].dst].type);
  for (uint32_t k = 0; k < t->nins; k++) {
    const ww_ins *i = &t->ins[k];
    if (i->dst == WW_NOVAL || !uniform_op(i))
      continue;
    x->same[i->dst] = true;
    x->uniform[i->dst] = all_in(x, i, x->uniform);
  }
}

void ww_lower_uniform(ww_lowering *x) {
  const ww_fn *fn = x->fn;
  bool *together = WW_NEWN(x->arena, bool, fn->nloops + 1);
  x->uniform = WW_NEWN(x->arena, bool, fn->nvals);
  x->same = WW_NEWN(x->arena, bool, fn->nvals);
  for (ww_val v = 0; v < fn->nvals; v++)
    x->same[v] = x->uniform[v] = fn->vals[v].kind != WW_VAL_RESULT;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    suppose(x, b);
  for (bool changed = true; changed;) {
    changed = false;
    find_together(x, together);
    for (uint32_t b = 0; b < fn->nblocks; b++)
      changed |= not_the_same(x, b, together);
  }
  for (ww_val v = 0; v < fn->nvals; v++)
    if (x->def[v] && walks(x, x->def[v]))
      x->same[v] = false;
}
