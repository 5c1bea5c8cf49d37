/* advice_serial.c - loops whose next turn waits for this one, so that nobody else can
 * take it.
 *
 * A sum, a product, a maximum and a counter can be cut into parts. What goes through a
 * division, a root or a load on its way round, or is multiplied by itself, cannot: a
 * tridiagonal solver, Newton's steps, a walk along links, a power modulo m. Nor can
 * what is written down each time round: a running sum, a filter that feeds back. */
#include "advice_int.h"

enum { MOST_USES = 64 };

typedef struct {
  const ww_fn *fn;
  uint32_t loop;
  bool *from, *to; /* per value: follows from the phi; leads to its next value */
} ring;

static bool mark(bool *set, ww_val v) {
  bool new = v != WW_NOVAL && !set[v];
  if (new)
    set[v] = true;
  return new;
}

static bool pass_phi(ring *r, const ww_phi *p) {
  bool moved = false;
  for (uint32_t k = 0; k < p->n; k++) {
    ww_val v = ww_phi_value(r->fn, p, k);
    moved |= r->from[v] && mark(r->from, p->dst);
    moved |= r->to[p->dst] && mark(r->to, v);
  }
  return moved;
}

static bool pass_ins(ring *r, const ww_ins *i) {
  ww_val use[MOST_USES];
  uint32_t n = i->nres ? ww_ins_uses(r->fn, i, use, MOST_USES) : 0;
  bool from = false;
  bool to = false;
  bool moved = false;
  for (uint32_t k = 0; k < n; k++)
    from |= r->from[use[k]];
  for (uint32_t k = 0; k < i->nres; k++) {
    to |= r->to[i->dst + k];
    moved |= from && mark(r->from, i->dst + k);
  }
  for (uint32_t k = 0; to && k < n; k++)
    moved |= mark(r->to, use[k]);
  return moved;
}

static bool pass(ring *r) {
  bool moved = false;
  for (uint32_t b = 0; b < r->fn->nblocks; b++) {
    const ww_block *block = &r->fn->blocks[b];
    if (!ww_ir_in_loop(r->fn, b, r->loop))
      continue;
    for (uint32_t k = 0; k < block->nphis; k++)
      moved |= pass_phi(r, &block->phis[k]);
    for (uint32_t k = 0; k < block->nins; k++)
      moved |= pass_ins(r, &block->ins[k]);
  }
  return moved;
}

/* On its way round, in an order that cannot be changed. */
static bool binds(const ring *r, const ww_ins *i) {
  if (!i->nres || !r->from[i->dst] || !r->to[i->dst])
    return false;
  switch (i->op) {
  case WW_OP_LD:
  case WW_OP_FDIV:
  case WW_OP_MATH:
    return true;
  case WW_OP_MUL:
  case WW_OP_FMUL:
  case WW_OP_FMA:
    return r->from[i->a] && r->from[i->b];
  default:
    return ww_is_division(i);
  }
}

/* More than a counter: another value joins it on its way, or something but a sum. */
static bool grows(const ring *r, const ww_ins *i) {
  ww_val use[MOST_USES];
  uint32_t n = ww_ins_uses(r->fn, i, use, MOST_USES);
  if (!i->nres || !r->from[i->dst] || !r->to[i->dst] || i->op == WW_OP_MOV)
    return false;
  bool sum = i->op == WW_OP_ADD || i->op == WW_OP_SUB || i->op == WW_OP_LEA;
  for (uint32_t k = 0; k < n; k++) {
    const ww_value *v = &r->fn->vals[use[k]];
    sum &= r->from[use[k]] || v->kind != WW_VAL_RESULT ||
           !ww_ir_in_loop(r->fn, v->ref, r->loop);
  }
  return !sum;
}

/* The value of a store to memory that others see follows from it. */
static bool is_written(const ring *r, const ww_ins *i) {
  ww_val use[MOST_USES];
  uint32_t n =
      i->op == WW_OP_ST && ww_is_global(i) ? ww_ins_uses(r->fn, i, use, MOST_USES) : 0;
  for (uint32_t k = 1; k < n; k++) /* the first is the address */
    if (r->from[use[k]])
      return true;
  return false;
}

static bool is_recurrence(const ww_advisor *x, uint32_t loop, const ww_phi *p) {
  const ww_fn *fn = x->fn;
  ring r = {fn, loop, WW_NEWN(x->a, bool, fn->nvals + 1),
            WW_NEWN(x->a, bool, fn->nvals + 1)};
  r.from[p->dst] = r.to[p->dst] = true;
  while (pass(&r))
    ;
  bool growing = false;
  bool written = false;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; ww_ir_in_loop(fn, b, loop) && k < fn->blocks[b].nins; k++) {
      const ww_ins *i = &fn->blocks[b].ins[k];
      if (binds(&r, i))
        return true;
      growing |= grows(&r, i);
      written |= is_written(&r, i);
    }
  return growing && written;
}

static bool is_serial(const ww_advisor *x, uint32_t loop) {
  const ww_block *header = &x->fn->blocks[x->fn->loops[loop].header];
  for (uint32_t k = 0; k < header->nphis; k++)
    if (is_recurrence(x, loop, &header->phis[k]))
      return true;
  return false;
}

/* Outermost loops alone: where one of them goes over independent items, those can be
 * shared out, whatever each takes. */
bool ww_advice_is_serial(const ww_advisor *x) {
  double all = 0;
  double serial = 0;
  bool *of = WW_NEWN(x->a, bool, x->fn->nloops + 1);
  for (uint32_t k = 0; k < x->fn->nloops; k++)
    of[k] = x->fn->loops[k].parent == WW_NOBLOCK && is_serial(x, k);
  for (const ww_site *s = x->sites; s < x->sites_end; s++) {
    uint32_t loop = s->fn == x->fn ? x->fn->blocks[s->block].loop : WW_NOBLOCK;
    if (loop == WW_NOBLOCK)
      continue;
    while (x->fn->loops[loop].parent != WW_NOBLOCK)
      loop = x->fn->loops[loop].parent;
    all += ww_site_inst(s) * s->warps;
    serial += of[loop] ? ww_site_inst(s) * s->warps : 0;
  }
  return serial > 0.5 * all;
}
