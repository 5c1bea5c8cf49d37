/* lower_predicate.c - short ifs: their bodies run under a predicate, without a branch.
 *
 * ptxas does so with bodies of a few instructions, and with guards inside them that
 * only compare indices. Their instructions issue for every warp that comes by, and
 * there is nothing to part or meet. */
#include "lower_int.h"

enum { REGION = 32 }; /* blocks under one predicate at most */

/* Instructions that a body under a predicate would take; INFINITY: it needs a branch of
 * its own. */
static double under_predicate(const ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  if (x->gone[at])
    return 0;
  switch (i->op) {
  case WW_OP_BAR:
  case WW_OP_CALL:
  case WW_OP_CALLI:
  case WW_OP_SWITCH:
  case WW_OP_RET:
  case WW_OP_EXIT:
  case WW_OP_TRAP:
  case WW_OP_GRIDSYNC:
  case WW_OP_SHFL:
  case WW_OP_VOTE:
  case WW_OP_SYNCWARP:
    return INFINITY;
  case WW_OP_BR:
  case WW_OP_CBR:
    return 0;
  case WW_OP_SDIV:
  case WW_OP_UDIV:
  case WW_OP_SREM:
  case WW_OP_UREM: /* words by a number are a product */
    return i->type == WW_I64 || !ww_lower_constant(x, i->b) ? INFINITY : 4;
  case WW_OP_FDIV:
    return i->flags & WW_F_APPROX ? 4 : INFINITY; /* the others have a slow way */
  case WW_OP_MATH:
    return ww_lower_rounding(i) ? 1 : i->flags & WW_F_APPROX ? 3 : INFINITY;
  case WW_OP_ATOM:
  case WW_OP_CAS: /* who waits for the old value, or votes before, takes a branch */
    return ww_lower_one_for_all(x, i) ||
                   (i->dst != WW_NOVAL && ww_lower_nuses(x, i->dst))
               ? INFINITY
               : 1;
  default:
    return 1;
  }
}

/* Index arithmetic, as in `x < w && y < h`. */
static bool guards(const ww_ins *i) {
  uint8_t cls = ww_ops[i->op].cls;
  return (cls == WW_CLASS_INT || cls == WW_CLASS_CVT || cls == WW_CLASS_MOV ||
          i->op == WW_OP_ICMP || i->op == WW_OP_CBR) &&
         !ww_is_float(i->type);
}

/* Whether phis of a block take v on one way and a number on every other: the register
 * holds the number before. */
static bool or_number(const ww_lowering *x, uint32_t b, ww_val v) {
  for (uint32_t p = 0; p < x->fn->blocks[b].nphis; p++) {
    const ww_phi *t = &x->fn->blocks[b].phis[p];
    bool takes = false;
    bool numbers = true;
    for (uint32_t k = 0; k < t->n; k++) {
      ww_val in = ww_phi_value(x->fn, t, k);
      takes |= in == v;
      numbers &= in == v || (in != WW_NOVAL && ww_lower_literal(x, in));
    }
    if (takes && !numbers)
      return false;
  }
  return true;
}

static bool loads(const ww_lowering *x, uint32_t b) {
  for (uint32_t at = x->first[b]; at < x->first[b + 1]; at++) {
    const ww_ins *i = ww_lower_ins(x, at);
    if (i->op == WW_OP_LD && ww_is_global(i) && ww_lower_nuses(x, i->dst))
      return true;
  }
  return false;
}

bool ww_lower_waits_for_load(const ww_lowering *x, ww_val v, uint32_t depth) {
  const ww_ins *d = v == WW_NOVAL ? NULL : ww_lower_def(x, v);
  ww_val of[4];
  if (!d || depth == 0)
    return false;
  uint32_t n = ww_ins_uses(x->fn, d, of, 4);
  bool waits = d->op == WW_OP_LD || ww_is_atomic(d);
  for (uint32_t k = 0; k < n && !waits; k++)
    waits = ww_lower_waits_for_load(x, of[k], depth - 1);
  return waits;
}

/* Whether there is a load before or behind the condition around block b that one inside
 * can wait together with: a branch would keep them apart. */
static bool overlaps(const ww_lowering *x, uint32_t b) {
  uint32_t p = x->fn->blocks[b].idom;
  uint32_t join = p == WW_NOBLOCK ? WW_NOBLOCK : x->fn->blocks[p].ipdom;
  if (join == WW_NOBLOCK)
    return false;
  bool any =
      (loads(x, p) && !ww_lower_waits_for_load(x, ww_block_end(x->fn, p)->a, 6)) ||
      loads(x, join);
  for (uint32_t k = 0; k < x->fn->blocks[join].nsucc; k++) {
    uint32_t s = x->fn->blocks[join].succ[k];
    bool next = x->fn->blocks[s].loop == x->fn->blocks[join].loop &&
                !ww_ir_dominates(x->fn, s, join);
    any |= next && loads(x, s);
  }
  return any;
}

/* A load that others may write to is not done on the chance that it is needed: where
 * its value merges with another one that is no number, a branch stays. */
static bool carried_on(const ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  if (i->op != WW_OP_LD || i->space != WW_GLOBAL || i->flags & WW_F_READONLY)
    return false;
  for (uint32_t k = 0; k < ww_lower_nuses(x, i->dst); k++) {
    uint32_t u = x->uses[x->uses_at[i->dst] + k];
    if (u & WW_PHI &&
        !(or_number(x, u & ~WW_PHI, i->dst) && overlaps(x, x->block_of[at])))
      return true;
  }
  return false;
}

/* A body without a loop, a call or a barrier, short enough to run under a predicate:
 * its instructions issue for every warp that meets it. Of a condition inside, only a
 * guard of indices: who has waited for data skips with a branch what need not be done.
 */
static double body_size(const ww_lowering *x, uint32_t b) {
  double n = 0;
  for (uint32_t at = x->first[b]; at < x->first[b + 1]; at++) {
    n += under_predicate(x, at);
    if (carried_on(x, at))
      return INFINITY;
    if (x->fn->blocks[b].nsucc > 1 && !guards(ww_lower_ins(x, at)))
      return INFINITY;
  }
  return n <= ww_lower_coefs.predicated ? n : INFINITY;
}

/* Whether a condition inside has a result that is carried on: then it is no mere guard.
 */
static bool
merges(const ww_lowering *x, const uint32_t *region, uint32_t n, uint32_t to) {
  const ww_fn *fn = x->fn;
  for (uint32_t p = 0; n > 1 && p < fn->blocks[to].nphis; p++)
    for (uint32_t k = 0; k < fn->blocks[to].phis[p].n; k++)
      for (uint32_t r = 0; r < n; r++)
        if (ww_phi_from(fn, &fn->blocks[to].phis[p], k) == region[r])
          return true;
  return false;
}

/* Everything between block p and where its ways meet again, of which p lets all in:
 * conditions inside become part of its compares. `region` gets the blocks; 0: one of
 * them is too long, or leads elsewhere. */
static uint32_t
region_of(const ww_lowering *x, uint32_t p, uint32_t to, uint32_t region[REGION]) {
  const ww_fn *fn = x->fn;
  double size = 0;
  uint32_t n = 0;
  for (uint32_t at = 0, b = p; at <= n; b = region[at++]) {
    for (uint32_t k = 0; k < fn->blocks[b].nsucc; k++) {
      uint32_t s = fn->blocks[b].succ[k];
      uint32_t seen = 0;
      if (s == to || (b == p && x->predicated[s]))
        continue;
      while (seen < n && region[seen] != s)
        seen++;
      if (seen < n)
        continue;
      if (s == p || n == REGION || fn->blocks[s].loop != fn->blocks[p].loop ||
          !ww_ir_dominates(fn, p, s))
        return 0;
      region[n++] = s;
      size += body_size(x, s);
    }
    if (at == n)
      break;
  }
  return size <= ww_lower_coefs.predicated_all && !merges(x, region, n, to) ? n : 0;
}

/* One way of a branch alone: it leads straight to where both meet. */
static void predicate_way(ww_lowering *x, uint32_t p, uint32_t s) {
  const ww_block *t = &x->fn->blocks[s];
  if (s != p && t->nsucc == 1 && t->succ[0] == x->fn->blocks[p].ipdom && t->idom == p &&
      body_size(x, s) <= ww_lower_coefs.predicated)
    x->predicated[s] = 1;
}

void ww_lower_predicated(ww_lowering *x) {
  const ww_fn *fn = x->fn;
  uint32_t region[REGION];
  x->predicated = WW_NEWN(x->arena, uint8_t, fn->nblocks);
  for (uint32_t p = 0; p < fn->nblocks; p++) {
    const ww_block *t = &fn->blocks[p];
    if (!t->nins || ww_block_end(fn, p)->op != WW_OP_CBR)
      continue;
    if (ww_is_part(ww_block_end(fn, p))) { /* the code says so */
      x->predicated[ww_block_end(fn, p)->imm] = 1;
      continue;
    }
    if (t->ipdom == WW_NOBLOCK)
      continue;
    uint32_t n = region_of(x, p, t->ipdom, region);
    for (uint32_t k = 0; k < n; k++)
      x->predicated[region[k]] = 1;
    for (uint32_t k = 0; k < t->nsucc && !n; k++)
      predicate_way(x, p, t->succ[k]);
  }
}
