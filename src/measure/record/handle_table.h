/* handle_table.h - a hash table from a runtime's handles to what we know of them; not
 * locked, never shrinks. */
#ifndef WW_HANDLE_TABLE_H
#define WW_HANDLE_TABLE_H

#include "../../base/map.h"

typedef struct {
  ww_map at; /* a handle's place in values */
  void **values;
  uint32_t n;
} ww_handles;

static inline void *ww_handles_get(const ww_handles *t, const void *key) {
  const uint32_t *at = key ? ww_map_find(&t->at, (uintptr_t)key) : NULL;
  return at ? t->values[*at] : NULL;
}

static inline void ww_handles_put(ww_handles *t, const void *key, void *value) {
  bool fresh;
  uint32_t *at = ww_map_at(&t->at, NULL, (uintptr_t)key, &fresh);
  if (fresh) {
    *at = t->n++;
    if (!(*at & (*at - 1))) /* a power of two: twice the room */
      t->values = ww_xrealloc(t->values, (2 * *at + 1) * sizeof *t->values);
  }
  t->values[*at] = value;
}

#endif
