/* handle_table.h - a hash table from a runtime's handles to what we know of them; not locked, never
 * shrinks. */
#ifndef WW_HANDLE_TABLE_H
#define WW_HANDLE_TABLE_H

#include <stdlib.h>

#include "../../base/base.h"

typedef struct {
  const void **keys;
  void **values;
  uint32_t n, cap; /* cap a power of two */
} ww_handles;

static inline uint32_t ww_handles_place(const ww_handles *t, const void *key) {
  uint32_t i = (uint32_t)ww_hash(&key, sizeof key, 0) & (t->cap - 1);
  while (t->keys[i] && t->keys[i] != key)
    i = (i + 1) & (t->cap - 1);
  return i;
}

static inline void *ww_handles_get(const ww_handles *t, const void *key) {
  return t->cap && key ? t->values[ww_handles_place(t, key)] : NULL; /* a free place holds NULL */
}

static inline void ww_handles_put(ww_handles *t, const void *key, void *value) {
  if (t->n * 2 >= t->cap) {
    ww_handles old = *t;
    t->cap = old.cap ? old.cap * 2 : 64;
    t->keys = ww_xcalloc(t->cap, sizeof *t->keys);
    t->values = ww_xcalloc(t->cap, sizeof *t->values);
    for (uint32_t i = 0; i < old.cap; i++) {
      if (!old.keys[i])
        continue;
      uint32_t to = ww_handles_place(t, old.keys[i]);
      t->keys[to] = old.keys[i];
      t->values[to] = old.values[i];
    }
    free(old.keys);
    free(old.values);
  }
  uint32_t at = ww_handles_place(t, key);
  t->n += !t->keys[at];
  t->keys[at] = key;
  t->values[at] = value;
}

#endif
