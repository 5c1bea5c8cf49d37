/* cache.h - a sectored cache: lines of tags, sectors of data, one capacity, any line
 * anywhere.
 *
 * An L1 of a GPU behaves as few sets of very many ways, so associativity is left out;
 * what is replaced is chosen at random (the same each time). */
#ifndef WW_CACHE_H
#define WW_CACHE_H

#include "../../base/base.h"

typedef struct ww_cache ww_cache;

ww_cache *ww_cache_new(uint32_t lines);    /* how many it holds, at least 1 */
void ww_cache_free(ww_cache *c);           /* accepts NULL */
uint32_t ww_cache_used(const ww_cache *c); /* lines it holds */
/* Sectors (a mask) of a line are looked up and then there. Returns those that were
 * there before. `present`, unless NULL: the line had its tag. */
uint32_t ww_cache_touch(ww_cache *c, uint64_t line, uint32_t sectors, bool *present);

#endif
