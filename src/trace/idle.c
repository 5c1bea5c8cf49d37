/* idle.c - does what a kernel computes decide what it does?
 *
 * Where only counts are asked for, bytes that copies bring into shared memory and
 * products of matrices need not be made when nothing depends on them: no branch, no
 * address, no count of an mbarrier. Forward over the SSA graph to a fixed point, from
 * loads of shared memory and results of matrix instructions; local memory is one pot.
 * Assumed: kernels that read tiles and indices keep them apart, in shared memory as in
 * global; what goes out to global memory and comes back counts as known. */
#include "code.h"

typedef struct {
  const ww_fn *fn;
  bool *made; /* per value: depends on what is not made */
  bool pot;   /* so does something in local memory */
  bool decides;
  bool changed;
} flow;

static bool is_source(const flow *f, const ww_ins *i) {
  if (ww_ops[i->op].cls == WW_CLASS_TENSOR)
    return true;
  if (i->op != WW_OP_LD && !ww_is_atomic(i))
    return false;
  return i->space == WW_SHARED || i->space == WW_GENERIC ||
         (i->space == WW_LOCAL && f->pot);
}

/* The first operands of an instruction that must be known for it to do what it does. */
static uint32_t known_operands(const ww_ins *i) {
  switch (i->op) {
  case WW_OP_LD:
  case WW_OP_ST:
  case WW_OP_ATOM:
    return 1;
  case WW_OP_CBR:
  case WW_OP_SWITCH:
    return 1;
  case WW_OP_CAS:
  case WW_OP_MEMCPY:
  case WW_OP_MEMSET:
  case WW_OP_MBAR:
  case WW_OP_MWAIT:
  case WW_OP_BULK:
  case WW_OP_TMA:
  case WW_OP_CALL:
  case WW_OP_CALLI:
  case WW_OP_MALLOC:
  case WW_OP_PRINTF:
    return UINT32_MAX;
  case WW_OP_BAR: /* its id and how many it waits for, not what it reduces */
    return ww_bar_reduces(i) ? 0 : UINT32_MAX;
  case WW_OP_WGMMA: /* mode, scale, descriptors; A in registers may be anything */
    return 2;
  default:
    return 0;
  }
}

static void step(flow *f, const ww_ins *i) {
  ww_val use[3 + 255];
  uint32_t n = ww_ins_uses(f->fn, i, use, 3 + 255);
  uint32_t known = known_operands(i);
  bool any = is_source(f, i);
  for (uint32_t u = 0; u < n; u++) {
    f->decides |= u < known && f->made[use[u]];
    any |= f->made[use[u]];
  }
  if (i->op == WW_OP_ST && any && (i->space == WW_LOCAL || i->space == WW_GENERIC)) {
    f->changed |= !f->pot;
    f->pot = true;
  }
  for (uint32_t r = 0; any && r < i->nres; r++) {
    f->changed |= !f->made[i->dst + r];
    f->made[i->dst + r] = true;
  }
}

static void pass(flow *f) {
  const ww_fn *fn = f->fn;
  for (const ww_block *b = fn->blocks; b && b < fn->blocks + fn->nblocks; b++) {
    for (const ww_phi *p = b->phis; p && p < b->phis + b->nphis; p++)
      for (uint32_t n = 0; n < p->n; n++)
        if (f->made[ww_phi_value(fn, p, n)] && !f->made[p->dst])
          f->made[p->dst] = f->changed = true;
    for (uint32_t k = 0; k < b->nins && !f->decides; k++)
      step(f, &b->ins[k]);
  }
}

static bool values_decide(const ww_fn *fn, ww_arena *a) {
  flow f = {.fn = fn, .made = WW_NEWN(a, bool, fn->nvals + 1)};
  do {
    f.changed = false;
    pass(&f);
  } while (f.changed && !f.decides);
  return f.decides;
}

bool ww_values_idle(const ww_module *m, const bool *in) {
  ww_arena *a = ww_arena_new();
  bool any = false;
  bool decide = false;
  for (uint32_t f = 0; f < m->nfns && !decide; f++) {
    const ww_fn *fn = &m->fns[f];
    if (!in[f])
      continue;
    any |= ww_fn_has(fn, WW_OP_WGMMA) || ww_fn_has(fn, WW_OP_BULK) ||
           ww_fn_has(fn, WW_OP_TMA);
    decide = values_decide(fn, a);
  }
  ww_arena_free(a);
  return any && !decide;
}
