/* advice_flow.c - where a kernel's values go: into shared memory, into how much
 * arithmetic.
 *
 * Two ways lead to shared memory. A tile that is fetched ahead waits in registers for
 * the next trip of its loop: it passes phis and stays what it is. One that is scaled or
 * packed on its way passes arithmetic, but no phi: a running sum that is stored at the
 * end is no tile. */
#include "advice_int.h"

enum { MOST_USES = 64, PASSES = 12 };

typedef struct {
  const ww_fn *fn;
  bool *plain, *changed; /* per value: reaches shared memory as it is; computed with */
  ww_flow_to *to;
} flow;

static bool copies(const ww_ins *i) {
  uint8_t cls = ww_ops[i->op].cls;
  return cls == WW_CLASS_MOV || cls == WW_CLASS_CVT || i->op == WW_OP_SELECT;
}

static bool computes(const ww_ins *i) {
  uint8_t cls = ww_ops[i->op].cls;
  return cls == WW_CLASS_FP || cls == WW_CLASS_FPX || cls == WW_CLASS_INT;
}

static bool mark(bool *set, ww_val v) {
  bool new = v != WW_NOVAL && !set[v];
  if (new)
    set[v] = true;
  return new;
}

static bool step(flow *f, const ww_ins *i) {
  ww_val use[MOST_USES];
  uint32_t n = ww_ins_uses(f->fn, i, use, MOST_USES);
  bool stores = i->op == WW_OP_ST && i->space == WW_SHARED;
  bool moved = false;
  for (uint32_t k = stores ? 1 : 0; k < n; k++) { /* the first is the address */
    bool plain = stores || (copies(i) && i->nres && f->plain[i->dst]);
    bool changed =
        stores || ((copies(i) || computes(i)) && i->nres && f->changed[i->dst]);
    moved |= plain && mark(f->plain, use[k]);
    moved |= changed && mark(f->changed, use[k]);
  }
  return moved;
}

static bool pass(flow *f) {
  bool moved = false;
  for (uint32_t b = f->fn->nblocks; b-- > 0;) {
    const ww_block *block = &f->fn->blocks[b];
    for (uint32_t k = block->nins; k-- > 0;)
      moved |= step(f, &block->ins[k]);
    for (uint32_t k = 0; k < block->nphis; k++)
      for (uint32_t j = 0; f->plain[block->phis[k].dst] && j < block->phis[k].n; j++)
        moved |= mark(f->plain, ww_phi_value(f->fn, &block->phis[k], j));
  }
  return moved;
}

/* Arithmetic on each value, through conversions; those end at the first pass. */
static void count_uses(flow *f) {
  for (uint32_t b = f->fn->nblocks; b-- > 0;)
    for (uint32_t k = f->fn->blocks[b].nins; k-- > 0;) {
      const ww_ins *i = &f->fn->blocks[b].ins[k];
      uint8_t cls = ww_ops[i->op].cls;
      ww_val use[MOST_USES];
      uint32_t n = ww_ins_uses(f->fn, i, use, MOST_USES);
      uint32_t more = cls == WW_CLASS_FP || cls == WW_CLASS_TENSOR ? 1
                      : copies(i) && i->nres                       ? f->to[i->dst].uses
                                                                   : 0;
      for (uint32_t j = 0; j < n; j++)
        f->to[use[j]].uses += more;
    }
}

const ww_flow_to *ww_advice_flow(const ww_fn *fn, ww_arena *a) {
  flow f = {fn, WW_NEWN(a, bool, fn->nvals + 1), WW_NEWN(a, bool, fn->nvals + 1),
            WW_NEWN(a, ww_flow_to, fn->nvals + 1)};
  for (int k = 0; k < PASSES && pass(&f); k++)
    ;
  count_uses(&f);
  for (uint32_t v = 0; v < fn->nvals; v++)
    f.to[v].shared = f.plain[v] || f.changed[v];
  return f.to;
}
