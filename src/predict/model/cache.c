/* cache.c - a sectored cache; see cache.h.
 *
 * A hash table with chains finds the slot of a line: arrays of indices, index + 1 so
 * that zeroed memory is empty. Invariant: the first `used` slots hold lines, each in
 * exactly one chain. */
#include "cache.h"

#include <stdlib.h>

#include "../../base/random.h"

typedef struct {
  uint64_t line;
  uint32_t sectors;
  uint32_t next; /* in its chain */
} slot;

struct ww_cache {
  slot *slots; /* [1..lines] */
  uint32_t *chain;
  uint32_t lines, used, shift;
  uint64_t random;
};

ww_cache *ww_cache_new(uint32_t lines) {
  ww_cache *c = ww_xcalloc(1, sizeof *c);
  c->lines = lines ? lines : 1;
  uint32_t bits = 4;
  while ((1u << bits) < c->lines && bits < 28)
    bits++;
  c->shift = 64 - bits;
  c->chain = ww_xcalloc(1u << bits, sizeof *c->chain);
  c->slots = ww_xcalloc(c->lines + 1, sizeof *c->slots);
  c->random = WW_GOLDEN;
  return c;
}

void ww_cache_free(ww_cache *c) {
  if (!c)
    return;
  free(c->slots);
  free(c->chain);
  free(c);
}

uint32_t ww_cache_used(const ww_cache *c) {
  return c->used;
}

static inline uint32_t *chain_of(ww_cache *c, uint64_t line) {
  return &c->chain[line * WW_GOLDEN >> c->shift];
}

static uint32_t victim(ww_cache *c) {
  uint32_t s = 1 + ww_random_below(ww_xorshift(&c->random), c->lines);
  uint32_t *at = chain_of(c, c->slots[s].line);
  while (*at != s)
    at = &c->slots[*at].next;
  *at = c->slots[s].next;
  return s;
}

uint32_t ww_cache_touch(ww_cache *c, uint64_t line, uint32_t sectors, bool *present) {
  uint32_t *head = chain_of(c, line);
  uint32_t s = *head;
  while (s && c->slots[s].line != line)
    s = c->slots[s].next;
  if (present)
    *present = s != 0;
  if (s) {
    uint32_t had = c->slots[s].sectors & sectors;
    c->slots[s].sectors |= sectors;
    return had;
  }
  s = c->used < c->lines ? ++c->used : victim(c);
  /* after victim(), which may have changed this chain */
  c->slots[s] = (slot){line, sectors, *head};
  *head = s;
  return 0;
}
