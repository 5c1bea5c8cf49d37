/* chain_int.h - what the files of the chain share. */
#ifndef WW_CHAIN_INT_H
#define WW_CHAIN_INT_H

#include "chain.h"

/* contention.c: what atomics and stores keep busy at L2. */
typedef struct ww_contention ww_contention;
ww_contention *ww_contention_new(const ww_gpu *g, ww_arena *a);
void ww_contention_atomic(ww_contention *c, const ww_access *a);
/* lines that it touches */
uint32_t ww_contention_store(ww_contention *c, const ww_access *a);
double ww_contention_busiest(
    const ww_contention *c); /* cycles of the busiest address, slice, or all slices */

#define WW_ACCESS_LINES 129
uint32_t ww_access_lines(const ww_access *a,
                         uint64_t *lines); /* of 128 bytes, that one request touches */

#endif
