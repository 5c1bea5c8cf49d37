/* callees_async.c - NVVM's intrinsics of sm_90: mbarriers, bulk copies, clusters. */
#include "callees_int.h"

static ww_val zero64(low_callee *c) {
  return low_const(c->F, WW_I64, 0);
}

static ww_val pointer(low_callee *c, uint32_t i) {
  return low_addr_value(c->F, call_ptr(c, i, 8));
}

/* ---- mbarriers: llvm.nvvm.mbarrier.<what>[.noComplete][.shared](ptr[, count]) ---- */

void call_nv_mbarrier(low_callee *c) { /* x: ww_mbar */
  ww_val n = c->nargs > 1 ? call_arg(c, 1) : low_i32(c->F, 1);
  bool used = c->rt->n;
  ww_val state = low_mbar(c->F, c->x, call_ptr(c, 0, 8), n, used);
  if (used)
    call_set(c, state);
}

void call_nv_mbarrier_wait(low_callee *c) {
  call_set(c, low_mwait(c->F, call_ptr(c, 0, 8), call_arg(c, 1), WW_I64));
}

void call_nv_pending_count(low_callee *c) {
  call_set(c, low_pending_count(c->F, call_arg(c, 0)));
}

/* llvm.nvvm.cp.async.mbarrier.arrive[.noinc][.shared](ptr) */
void call_nv_copies_arrive(low_callee *c) {
  ww_val n = low_i32(c->F, ww_starts(c->tail, ".noinc") ? 1 : 0);
  low_mbar(c->F, WW_MBAR_COPIES, call_ptr(c, 0, 8), n, false);
}

/* ---- bulk copies ---- */

/* The mask behind the other operands, which counts where the flag says so. */
static ww_val mask_of(low_callee *c, uint32_t mask, uint32_t flag) {
  int64_t on = 0;
  return call_const(c, flag, &on) && on ? call_arg_as(c, mask, WW_I32, false)
                                        : low_i32(c->F, 0);
}

/* (to, mbarrier, from, bytes, mask, hint, masked, hinted), and shorter where it is
 * between blocks */
void call_nv_bulk_load(low_callee *c) { /* x: ww_bulk */
  low_copy_kind k = {.way = c->x};
  ww_val v[5] = {pointer(c, 0), pointer(c, 2), call_arg(c, 3), pointer(c, 1),
                 c->nargs > 6 ? mask_of(c, 4, 6) : low_i32(c->F, 0)};
  low_bulk(c->F, &k, v, 5);
}

/* (to, from, bytes, hint, hinted) */
void call_nv_bulk_store(low_callee *c) {
  low_copy_kind k = {.way = WW_BULK_STORE};
  ww_val v[5] = {pointer(c, 0), pointer(c, 1), call_arg(c, 2), zero64(c),
                 low_i32(c->F, 0)};
  low_bulk(c->F, &k, v, 5);
}

/* cp.async.bulk.tensor.{g2s,s2g,prefetch}.tile.<n>d: (to, mbarrier, map, coordinates,
 * mask, hint, masked, hinted), (from, map, coordinates, hint, hinted), (map,
 * coordinates, hint, hinted) */
void call_nv_tile(low_callee *c) { /* x: ww_bulk */
  uint32_t rank = c->tail[0] - '0';
  uint32_t map = c->x == WW_BULK_LOAD ? 2 : c->x == WW_BULK_STORE ? 1 : 0;
  low_copy_kind k = {.way = c->x, .tile = true};
  ww_val v[9];
  if (rank < 1 || rank > 5 || c->nargs < map + 1 + rank) {
    call_refuse(c);
    return;
  }
  v[0] = pointer(c, map);
  v[1] = map ? pointer(c, 0) : zero64(c);
  v[2] = map == 2 ? pointer(c, 1) : zero64(c);
  v[3] = map == 2 ? mask_of(c, map + 1 + rank, map + 3 + rank) : low_i32(c->F, 0);
  for (uint32_t d = 0; d < rank; d++)
    v[4 + d] = call_arg(c, map + 1 + d);
  low_bulk(c->F, &k, v, 4 + rank);
}

/* Of bulk copies and of products of a warp group; x: ww_async_group */
void call_nv_group(low_callee *c) {
  int64_t left = 0;
  if (c->nargs)
    call_const(c, 0, &left);
  low_group(c->F, c->x, left);
}

/* ---- clusters ---- */

void call_nv_cluster_barrier(low_callee *c) { /* x: wait */
  low_cluster_barrier(c->F, c->x);
}

void call_nv_mapa(low_callee *c) {
  call_set(c, low_binary(c->F, WW_OP_MAPA, WW_I64, pointer(c, 0), call_arg(c, 1)));
}

void call_nv_ctarank(low_callee *c) {
  call_set(c, low_unary(c->F, WW_OP_CTARANK, WW_I32, pointer(c, 0)));
}

void call_nv_explicit_cluster(low_callee *c) {
  call_set(c, low_nonzero(c->F, low_sreg(c->F, WW_SREG_CLUSTER_EXPLICIT)));
}

/* ---- warps ---- */

void call_nv_elect(low_callee *c) {
  c->res[1] = low_elect(c->F, call_arg(c, 0), &c->res[0]);
}

void call_nv_setmaxnreg(low_callee *c) {
  int64_t n = 0;
  if (call_const(c, 0, &n))
    low_max_registers(c->F, n);
}
