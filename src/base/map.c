/* map.c - see map.h. */
#include "map.h"

#include "random.h"

/* ---- numbers ---- */

static struct ww_map_slot *map_slot(const ww_map *m, uint64_t key) {
  uint32_t at = key * WW_GOLDEN >> 32 & (m->cap - 1);
  while (m->slots[at].key && m->slots[at].key != key)
    at = (at + 1) & (m->cap - 1);
  return &m->slots[at];
}

static void map_grow(ww_map *m, ww_arena *a) {
  ww_map old = *m;
  m->cap = old.cap ? old.cap * 2 : 32;
  m->slots =
      a ? WW_NEWN(a, struct ww_map_slot, m->cap) : ww_xcalloc(m->cap, sizeof *m->slots);
  for (uint32_t i = 0; i < old.cap; i++)
    if (old.slots[i].key)
      *map_slot(m, old.slots[i].key) = old.slots[i];
  if (!a)
    free(old.slots);
}

uint32_t *ww_map_at(ww_map *m, ww_arena *a, uint64_t key, bool *fresh) {
  if (m->n * 2 >= m->cap)
    map_grow(m, a);
  struct ww_map_slot *s = map_slot(m, key);
  if (fresh)
    *fresh = !s->key;
  m->n += !s->key;
  s->key = key;
  return &s->value;
}

const uint32_t *ww_map_find(const ww_map *m, uint64_t key) {
  const struct ww_map_slot *s = m->cap ? map_slot(m, key) : NULL;
  return s && s->key ? &s->value : NULL;
}

void ww_map_free(ww_map *m) {
  free(m->slots);
  *m = (ww_map){0};
}

/* ---- bytes ---- */

static struct ww_dict_slot *dict_slot(const ww_dict *d, const char *key, uint32_t n) {
  uint32_t at = ww_hash(key, n, 0) & (d->cap - 1);
  while (d->slots[at].key && (d->slots[at].n != n || memcmp(d->slots[at].key, key, n)))
    at = (at + 1) & (d->cap - 1);
  return &d->slots[at];
}

uint32_t *
ww_dict_at(ww_dict *d, ww_arena *a, const char *key, uint32_t n, bool *fresh) {
  if (d->n * 2 >= d->cap) {
    ww_dict old = *d;
    d->cap = old.cap ? old.cap * 2 : 32;
    d->slots = WW_NEWN(a, struct ww_dict_slot, d->cap);
    for (uint32_t i = 0; i < old.cap; i++)
      if (old.slots[i].key)
        *dict_slot(d, old.slots[i].key, old.slots[i].n) = old.slots[i];
  }
  struct ww_dict_slot *s = dict_slot(d, key, n);
  *fresh = !s->key;
  if (*fresh) {
    *s = (struct ww_dict_slot){.key = key, .n = n};
    d->n++;
  }
  return &s->value;
}

const uint32_t *ww_dict_find(const ww_dict *d, const char *key, uint32_t n) {
  const struct ww_dict_slot *s = d->cap ? dict_slot(d, key, n) : NULL;
  return s && s->key ? &s->value : NULL;
}
