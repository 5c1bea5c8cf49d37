/* touch.c - what one allocation saw: requests, touched range, distinct sectors.
 *
 * A bit per sector, in chunks of 256 KiB of addresses made on first touch: 1/256 of the
 * touched memory. A new bit counts with the weight of the access that set it, so that a
 * loop iteration which stands for many stands for their sectors too. New bits since the
 * last commit are in a journal, so that a trial run can be forgotten. */
#include "count_int.h"

const ww_touched ww_touched_nothing = {.lo = UINT64_MAX};

ww_touch *ww_touch_new(const ww_region *r, ww_arena *a) {
  ww_touch *t = WW_NEW(a, ww_touch);
  t->a = a;
  t->region = r;
  t->base = r->base & ~31ull;
  t->nsectors = (r->base + r->size - t->base + 31) / 32;
  t->chunks = WW_NEWN(a, uint64_t *, t->nsectors / WW_CHUNK_SECTORS + 1);
  t->pend = t->total = ww_touched_nothing;
  return t;
}

static void journal_add(ww_journal *j, uint64_t *word, uint64_t bits) {
  if (j->n == j->cap) {
    j->cap = j->cap ? j->cap * 2 : 256;
    j->v = ww_xrealloc(j->v, j->cap * sizeof *j->v);
  }
  j->v[j->n++] = (struct ww_undo){word, bits};
}

void ww_journal_undo(ww_journal *j) {
  while (j->n) {
    j->n--;
    *j->v[j->n].word &= ~j->v[j->n].bits;
  }
}

/* Sets bits of one word, of which some may be new. */
static void
set_bits(ww_touch *t, ww_journal *j, uint64_t sector, uint64_t bits, double weight) {
  uint64_t **chunk = &t->chunks[sector / WW_CHUNK_SECTORS];
  if (!*chunk)
    *chunk = WW_NEWN(t->a, uint64_t, WW_CHUNK_SECTORS / 64);
  uint64_t *word = *chunk + sector % WW_CHUNK_SECTORS / 64;
  bits &= ~*word;
  *word |= bits;
  t->pend.unique += weight * __builtin_popcountll(bits);
  if (bits)
    journal_add(j, word, bits);
}

/* Are they all set? Nearly always they are. */
static inline bool are_set(const ww_touch *t, uint64_t sector, uint64_t bits) {
  const uint64_t *chunk = t->chunks[sector / WW_CHUNK_SECTORS];
  return chunk && (chunk[sector % WW_CHUNK_SECTORS / 64] & bits) == bits;
}

/* Sectors [s0, s1] of the region. */
static inline void
touch_range(ww_touch *t, ww_journal *j, uint64_t s0, uint64_t s1, double weight) {
  if (s0 >= t->nsectors)
    return; /* another allocation's */
  if (s1 >= t->nsectors)
    s1 = t->nsectors - 1;
  while (s0 <= s1) {
    uint64_t end = s0 | 63;
    uint64_t last = s1 < end ? s1 : end;
    uint64_t bits = (~0ull >> (63 - (last - s0))) << (s0 & 63);
    if (!are_set(t, s0, bits))
      set_bits(t, j, s0, bits, weight);
    s0 = last + 1;
  }
}

/* Each lane's own sectors. The loop over lanes whose one sector is known already is
 * what scattered accesses cost. */
static void touch_lanes(ww_touch *t, ww_journal *j, const ww_access *a) {
  const uint64_t *addr = a->addr;
  const uint64_t start = t->base;
  const uint64_t nsectors = t->nsectors;
  const uint64_t extent = a->bytes - 1u;
  uint64_t *const *chunks = t->chunks;
  for (ww_mask m = a->fresh && a->aligned ? a->fresh : a->lanes; m; m &= m - 1) {
    uint64_t p = addr[__builtin_ctzll(m)] - start;
    uint64_t s0 = p / 32;
    uint64_t s1 = (p + extent) / 32;
    if (s0 == s1 && s0 < nsectors) {
      const uint64_t *chunk = chunks[s0 / WW_CHUNK_SECTORS];
      if (chunk && chunk[s0 % WW_CHUNK_SECTORS / 64] >> (s0 & 63) & 1)
        continue;
    }
    if (s0 < nsectors)
      touch_range(t, j, s0, s1, a->weight);
  }
}

void ww_touch_access(ww_touch *t, ww_journal *j, const ww_access *a, const ww_span *s) {
  ww_row *r = a->kind == WW_ACCESS_LOAD    ? &t->pend.ld
              : a->kind == WW_ACCESS_STORE ? &t->pend.st
                                           : &t->pend.atom;
  r->requests += a->more ? 0 : a->weight;
  r->units += a->weight * s->sectors;
  r->bytes += a->weight * a->bytes * ww_popcount(a->lanes);
  ww_range_add(&t->pend.lo, &t->pend.hi, s->lo, s->hi);
  if (s->solid)
    touch_range(t, j, s->lo / 32 - t->base / 32, (s->hi - 1) / 32 - t->base / 32,
                a->weight);
  else
    touch_lanes(t, j, a);
}

void ww_touch_commit(ww_touch *t, double scale) {
  if (t->pend.unique > t->most)
    t->most = t->pend.unique;
  ww_add_doubles(&t->total.unique, &t->pend.unique,
                 sizeof(ww_touched) - offsetof(ww_touched, unique), scale);
  ww_range_add(&t->total.lo, &t->total.hi, t->pend.lo, t->pend.hi);
  t->pend = ww_touched_nothing;
}
