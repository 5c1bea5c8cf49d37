/* async.h - asynchronous work of sm_90 in the interpreter: mbarriers, bulk copies,
 * tiles of tensors, products of warp groups; private to src/trace. */
#ifndef WW_ASYNC_H
#define WW_ASYNC_H

#include "../report/tensormap.h"
#include "code.h"

/* ---- async.c ---- */

void ww_exec_mbar(ww_exec *x, const ww_code *k);
/* Whether every active lane's phase is over, or the wait has timed out; puts what each
 * lane gets. */
bool ww_exec_mwait(ww_exec *x, const ww_seg *s);
void ww_exec_bulk(ww_exec *x, const ww_code *k);
void ww_exec_tma(ww_exec *x, const ww_code *k);
/* The wait that a warp stands at, or NULL; what it waits for, in words. */
const ww_seg *ww_exec_wait_of(const ww_exec *x);
void ww_exec_waits_for(ww_exec *x, char *out, size_t n);
/* Host bytes of [addr, addr + n), contents made; NULL: out of range, or not to be
 * written. */
uint8_t *ww_exec_bytes(ww_exec *x, uint64_t addr, uint64_t n, bool write);

/* ---- tensor.c ---- */

/* NULL, or why there is no such map. */
const char *
ww_tensor_encode(const ww_tensor_map *m, uint64_t base, uint8_t out[static 128]);
bool ww_tensor_decode(const uint8_t *from, ww_tma_tensor *out);
uint64_t ww_tensor_tile_bytes(const ww_tma_tensor *t);

/* A row of a tile: bytes that lie side by side in the tensor and, before they are
 * shuffled, in shared memory. */
typedef struct {
  uint64_t global;
  uint32_t shared;       /* from the tile's begin */
  uint32_t bytes;        /* of the row */
  uint32_t before, here; /* bytes of it outside the tensor, then inside; the rest out */
} ww_tile_run;
typedef struct {
  const ww_tma_tensor *t;
  int32_t at[WW_TENSOR_RANK];   /* the tile's first element */
  uint32_t row[WW_TENSOR_RANK]; /* the next one, counted in the tile */
  uint32_t shared;
  bool done;
} ww_tile_walk;
/* Row after row: ww_tile_walk w = {t, {coordinates}}; false: that was all. */
bool ww_tile_next(ww_tile_walk *w, ww_tile_run *out);

/* ---- wgmma.c ---- */

void ww_exec_wgmma(ww_exec *x, const ww_code *k);

#endif
