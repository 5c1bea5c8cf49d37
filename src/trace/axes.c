/* axes.c - along which axes a kernel tells its threads and blocks apart.
 *
 * `(tid.z * ntid.y + tid.y) * ntid.x + tid.x`, the rank of a cooperative group or of a
 * flattened block, reads three axes and has one: what is multiplied by the extent of
 * the axis before it, and used for nothing else, is a longer x. */
#include "guess.h"

#include "code.h"

typedef struct {
  const ww_fn *fn;
  const ww_ins **def;
  bool *part;             /* per value: the index, or a sum of it and lines before it */
  uint32_t index, extent; /* TID_X or CTAID_X, NTID_X or NCTAID_X */
  int axis;
} search;

/* Behind conversions. */
static const ww_ins *made_by(const search *s, ww_val v) {
  const ww_ins *i = s->def[v];
  while (i && (i->op == WW_OP_ZEXT || i->op == WW_OP_SEXT || i->op == WW_OP_TRUNC ||
               i->op == WW_OP_MOV || i->op == WW_OP_FREEZE))
    i = s->def[i->a];
  return i;
}

static bool is_sreg(const ww_ins *i, uint32_t sreg) {
  return i && i->op == WW_OP_SREG && i->sub == sreg;
}

/* The extent of an axis before this one, or of both. */
static bool is_extent(const search *s, ww_val v, int axis) {
  const ww_ins *i = made_by(s, v);
  if (i && i->op == WW_OP_MUL)
    return is_extent(s, i->a, axis) && is_extent(s, i->b, axis);
  for (int d = 0; d < axis; d++)
    if (is_sreg(i, s->extent + d))
      return true;
  return false;
}

/* Whole lines of this axis: the digits before it, of a number in mixed radix. */
static bool is_lines(const search *s, ww_val v) {
  const ww_ins *i = made_by(s, v);
  return i && i->op == WW_OP_MUL &&
         (is_sreg(made_by(s, i->a), s->extent + s->axis) ||
          is_sreg(made_by(s, i->b), s->extent + s->axis));
}

/* What the instruction makes of it still only goes into a rank. */
static bool only_ranks(search *s, const ww_ins *i, ww_val used) {
  switch (i->op) {
  case WW_OP_ZEXT:
  case WW_OP_SEXT:
  case WW_OP_TRUNC:
  case WW_OP_MOV:
  case WW_OP_FREEZE:
    s->part[i->dst] = true;
    return true;
  case WW_OP_MUL:
    return is_extent(s, i->a == used ? i->b : i->a, s->axis);
  case WW_OP_ADD:
    s->part[i->dst] = true;
    return is_lines(s, i->a == used ? i->b : i->a);
  default:
    return false;
  }
}

static bool is_in_phi(const search *s) {
  const ww_fn *fn = s->fn;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t p = 0; p < fn->blocks[b].nphis; p++)
      for (uint32_t n = 0; n < fn->blocks[b].phis[p].n; n++)
        if (s->part[ww_phi_value(fn, &fn->blocks[b].phis[p], n)])
          return true;
  return false;
}

static bool counts_on_its_own(search *s) {
  ww_ins_walk w = {.fn = s->fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));) {
    ww_val use[16];
    uint32_t n = ww_ins_uses(s->fn, i, use, 16);
    if (is_sreg(i, s->index + s->axis))
      s->part[i->dst] = true;
    for (uint32_t u = 0; u < n && u < 16; u++)
      if (s->part[use[u]] && !only_ranks(s, i, use[u]))
        return true;
  }
  return is_in_phi(s);
}

bool ww_has_axis(const ww_fn *fn, uint32_t index, int d) {
  if (!ww_reads_sreg(fn, index + d) || !d)
    return ww_reads_sreg(fn, index + d);
  ww_arena *a = ww_arena_new();
  search s = {.fn = fn,
              .def = ww_ir_defs(fn, a),
              .part = WW_NEWN(a, bool, fn->nvals + 1),
              .index = index,
              .extent = index == WW_SREG_TID_X ? WW_SREG_NTID_X : WW_SREG_NCTAID_X,
              .axis = d};
  bool own = counts_on_its_own(&s);
  ww_arena_free(a);
  return own;
}
