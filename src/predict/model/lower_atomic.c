/* lower_atomic.c - atomics: one instruction each, and what the compiler puts around it.
 *
 * Where all lanes of a warp meet at one address, it lets one of them speak for all;
 * floats in shared memory, for which there is no instruction, become a loop that
 * compares and swaps. In a round of it one lane of each bank succeeds, so how often it
 * turns depends on how many fall into one, which the trace counts. */
#include "lower_int.h"

static bool wants_old_value(const ww_lowering *x, const ww_ins *i) {
  return i->dst != WW_NOVAL && ww_lower_nuses(x, i->dst) > 0;
}

/* Sums, logic and extremes of words can be put together before they go to memory; who
 * wants the old value gets it only for sums of what all lanes share. */
bool ww_lower_one_for_all(const ww_lowering *x, const ww_ins *i) {
  if (i->op != WW_OP_ATOM || i->type != WW_I32 || i->a == WW_NOVAL ||
      i->b == WW_NOVAL || !x->same[i->a])
    return false;
  bool adds = i->sub == WW_RMW_ADD || i->sub == WW_RMW_SUB;
  if (wants_old_value(x, i))
    return adds && x->same[i->b];
  return adds || (i->sub >= WW_RMW_AND && i->sub <= WW_RMW_UMAX);
}

bool ww_lower_spins(const ww_ins *i) {
  return i->op == WW_OP_ATOM && i->space == WW_SHARED && ww_is_float(i->type);
}

double ww_lower_spin_rounds(const ww_counts *c) {
  return ww_lower_coefs.spin *
         fmax(1, ww_ratio(c->shared_atomic_lanes, c->shared_atomic_requests));
}

/* Load, add, compare and swap, and back if another one was faster. */
static void round_of(const ww_lowering *x, const ww_ins *i, ww_cost *c) {
  ww_lower_put(x, WW_SASS_lds, 1, c);
  ww_lower_put(x, i->type == WW_F64 ? WW_SASS_dadd : WW_SASS_fadd, 1, c);
  ww_lower_put(x, WW_SASS_atom, 1, c);
  ww_lower_put(x, WW_SASS_isetp, 1, c);
  ww_lower_put(x, WW_SASS_bra, 1, c);
}

void ww_lower_atomic(const ww_lowering *x, const ww_ins *i, ww_cost *c) {
  if (ww_lower_spins(i)) {
    round_of(x, i, c);
    ww_lower_put(x, WW_SASS_sync, 2, c);
    return;
  }
  ww_lower_put(x, WW_SASS_atom, 1, c);
  if (!ww_lower_one_for_all(x, i))
    return;
  /* Who is there, how many, and am I the first of them? */
  ww_lower_put(x, WW_SASS_vote, 1, c);
  ww_lower_put(x, WW_SASS_s2r, 1, c);
  ww_lower_put(x, WW_SASS_bits, 2, c);
  ww_lower_put(x, WW_SASS_isetp, 1, c);
  if (!wants_old_value(x, i))
    return;
  /* The leader's old value, and what the lanes before this one add. */
  ww_lower_put(x, WW_SASS_shfl, 1, c);
  ww_lower_put(x, WW_SASS_s2r, 1, c);
  ww_lower_put(x, WW_SASS_lop3, 1, c);
  ww_lower_put(x, WW_SASS_bits, 1, c);
  ww_lower_put(x, WW_SASS_iadd3, 1, c);
}

uint32_t ww_lower_spinning(const ww_lowering *x,
                           uint32_t b,
                           const ww_counts *counts,
                           ww_cost *c) {
  double more = ww_lower_spin_rounds(counts) - 1;
  uint32_t any = 0;
  *c = (ww_cost){0};
  for (uint32_t k = 0; k < x->fn->blocks[b].nins && more > 0; k++) {
    const ww_ins *i = &x->fn->blocks[b].ins[k];
    if (ww_lower_spins(i)) {
      round_of(x, i, c);
      any++;
    }
  }
  ww_lower_scale(c, more);
  /* Of the lanes that met, a third is still there in the average round. */
  float lanes = (float)more / 3;
  c->flops32 *= lanes;
  c->flops64 *= lanes;
  c->int_ops *= lanes;
  return any;
}
