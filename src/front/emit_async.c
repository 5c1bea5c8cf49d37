/* emit_async.c - emitting the asynchronous instructions of sm_90: what inline PTX
 * and NVVM's intrinsics have in common. */
#include "emit.h"

#include "../ir/mbarrier.h"

static ww_ins *at_barrier(low_fn *F, ww_op op, ww_type t, low_addr p, ww_val b) {
  ww_ins *i = low_ins(F, op, t);
  i->a = p.base;
  i->imm = p.off;
  i->space = p.space;
  i->b = b;
  return i;
}

ww_val low_mbar(low_fn *F, ww_mbar what, low_addr p, ww_val n, bool used) {
  ww_val state = used ? low_new_val(F, WW_I64) : WW_NOVAL;
  ww_ins *i = at_barrier(F, WW_OP_MBAR, WW_I64, p, n);
  i->sub = what;
  i->dst = state;
  i->nres = used;
  return state;
}

ww_val low_mwait(low_fn *F, low_addr p, ww_val phase, ww_type t) {
  ww_val over = low_new_val(F, WW_I1);
  ww_ins *i = at_barrier(F, WW_OP_MWAIT, t, p, phase);
  i->dst = over;
  i->nres = 1;
  return over;
}

ww_val low_pending_count(low_fn *F, ww_val state) {
  ww_val word = low_int_to(F, state, WW_I64, WW_I32, false);
  return low_op32k(F, WW_OP_AND, word, WW_MBAR_MOST);
}

void low_bulk(low_fn *F, const low_copy_kind *k, const ww_val *v, uint32_t n) {
  uint32_t ext = low_pool(F, v, n);
  ww_ins *i =
      low_ins(F, k->tile ? WW_OP_TMA : WW_OP_BULK, k->reduces ? k->type : WW_VOID);
  i->sub = k->way;
  i->space = k->way == WW_BULK_STORE ? WW_GLOBAL : WW_SHARED;
  i->imm = k->reduces ? 1 + k->rmw : 0;
  i->ext = ext;
  i->n = n;
}

void low_group(low_fn *F, ww_async_group what, int64_t left) {
  ww_ins *i = low_ins(F, WW_OP_GROUP, WW_VOID);
  i->sub = what;
  i->imm = left;
}

void low_cluster_barrier(low_fn *F, bool wait) {
  low_ins(F, WW_OP_CLUSTERBAR, WW_VOID)->sub = wait;
}

/* The lowest lane of those in the mask that run. */
ww_val low_elect(low_fn *F, ww_val mask, ww_val *leader) {
  uint32_t from = low_here(F);
  ww_val here = low_nullary(F, WW_OP_ACTIVEMASK, WW_I32);
  *leader = low_unary(F, WW_OP_CTTZ, WW_I32, low_op32(F, WW_OP_AND, here, mask));
  ww_val is = low_cmp(F, WW_EQ, WW_I32, low_sreg(F, WW_SREG_LANEID), *leader);
  low_parts(F, from, WW_OP_ICMP);
  return is;
}

void low_max_registers(low_fn *F, int64_t n) {
  low_ins(F, WW_OP_MAXREG, WW_VOID)->imm = n;
}
