/* map.h - hash maps to small numbers: from a number (ww_map) and from bytes (ww_dict).
 *
 * Open addressing, at most half full; nothing is ever taken out. All zero is an empty
 * map. Tables whose lookups are most of what a kernel costs have their own form
 * (trace/coalesce.c, predict/model/traffic.c and cache.c, lm/tokenizer). */
#ifndef WW_BASE_MAP_H
#define WW_BASE_MAP_H

#include "base.h"

typedef struct {
  struct ww_map_slot {
    uint64_t key; /* 0: free */
    uint32_t value;
  } * slots;
  uint32_t n, cap;
} ww_map;
/* The value of a key, which is not 0; a new one gets 0. Memory is the arena's, or,
 * where that is NULL, freed by ww_map_free. The pointer is good until the next call. */
uint32_t *ww_map_at(ww_map *m, ww_arena *a, uint64_t key, bool *fresh);
const uint32_t *ww_map_find(const ww_map *m, uint64_t key); /* NULL: not there */
void ww_map_free(ww_map *m);

typedef struct {
  struct ww_dict_slot {
    const char *key; /* NULL: free */
    uint32_t n, value;
  } * slots;
  uint32_t n, cap;
} ww_dict;
/* The same for bytes, which are not copied and outlive the map. */
uint32_t *ww_dict_at(ww_dict *d, ww_arena *a, const char *key, uint32_t n, bool *fresh);
const uint32_t *ww_dict_find(const ww_dict *d, const char *key, uint32_t n);

#endif
