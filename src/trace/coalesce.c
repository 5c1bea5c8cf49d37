/* coalesce.c - one access of a warp against the memory system: sectors of 32 bytes,
 * passes over the banks of shared memory, words of the constant cache, collisions of
 * atomics.
 *
 * Assumed workload: nearly all accesses are uniform, contiguous or strided; these are
 * answered by arithmetic, ascending addresses by one walk, the rest by a small hash
 * table. Nothing is sorted.
 */
#include "count_int.h"

#define SECTOR 5 /* log2 of its bytes */

static inline uint32_t first_lane(ww_mask m) {
  return __builtin_ctzll(m);
}
static inline bool full_warp(ww_mask m) {
  return m == 0xffffffffu || m == UINT64_MAX;
}

/* ---- distinct keys, and how often the most frequent one came ---- */

#define SLOTS 2048 /* 64 lanes * 9 sectors of a 255-byte access stay below a third */

typedef struct {
  uint64_t key;
  uint32_t stamp, count;
} hash_slot;

typedef struct {
  uint32_t now, shift, distinct, most;
} hash_run;

static _Thread_local hash_slot hash_slots[SLOTS];
/* slots of older runs are free: nothing needs clearing */
static _Thread_local uint32_t hash_now;

static hash_run hash_begin(uint32_t keys) {
  if (++hash_now == 0) {
    memset(hash_slots, 0, sizeof hash_slots);
    hash_now = 1;
  }
  return (hash_run){hash_now, keys <= 128 ? 64 - 8 : 64 - 11, 0, 0};
}

static inline void hash_add(hash_run *h, uint64_t key) {
  uint32_t mask = UINT64_MAX >> h->shift;
  uint32_t at = key * 0x9e3779b97f4a7c15ull >> h->shift;
  hash_slot *s = &hash_slots[at];
  while (s->stamp == h->now && s->key != key)
    s = &hash_slots[at = (at + 1) & mask];
  if (s->stamp != h->now) {
    *s = (hash_slot){key, h->now, 0};
    h->distinct++;
  }
  if (++s->count > h->most)
    h->most = s->count;
}

/* By their addresses, without the last bits. */
static hash_run hash_lanes(const ww_access *a, ww_mask lanes, uint32_t bits) {
  hash_run h = hash_begin(64);
  for (; lanes; lanes &= lanes - 1)
    hash_add(&h, a->addr[first_lane(lanes)] >> bits);
  return h;
}

/* ---- sectors ---- */

/* n constant: the compiler makes vectors of it */
static inline uint64_t off_stride(const uint64_t *p, uint64_t d, uint32_t n) {
  uint64_t diff = 0;
  for (uint32_t l = 0; l < n; l++)
    diff |= (p[l + 1] - p[l]) ^ d;
  return diff;
}

/* Same distance between neighbours in a full warp? */
static bool strided(const ww_access *a, int64_t *stride) {
  const uint64_t *p = a->addr;
  uint64_t d = p[1] - p[0];
  *stride = d;
  if (p[2] - p[1] != d || p[31] - p[30] != d)
    return false;
  if (a->lanes == UINT64_MAX && (p[32] - p[31] != d || off_stride(p + 32, d, 31)))
    return false;
  return off_stride(p, d, 28) == 0 && p[29] - p[28] == d && p[30] - p[29] == d;
}

static uint64_t sectors_between(uint64_t lo, uint64_t hi) {
  return ((hi - 1) >> SECTOR) - (lo >> SECTOR) + 1;
}

static ww_span solid_span(uint64_t lo, uint64_t hi) {
  return (ww_span){lo, hi, sectors_between(lo, hi), true};
}

static ww_span span_of(uint64_t lo, uint64_t hi, uint32_t sectors) {
  return (ww_span){lo, hi, sectors, sectors == sectors_between(lo, hi)};
}

/* A stride up to a sector leaves no gap; a larger one with aligned accesses puts each
 * lane into its own sector. sectors == 0: neither. */
static ww_span strided_span(const ww_access *a, int64_t stride) {
  uint32_t n = ww_popcount(a->lanes);
  uint32_t bytes = a->bytes;
  uint64_t step = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
  uint64_t lo = stride < 0 ? a->addr[n - 1] : a->addr[0];
  uint64_t hi = lo + step * (n - 1) + bytes;
  if (hi < lo)
    return (ww_span){0};
  if (step <= 1u << SECTOR || step <= bytes)
    return solid_span(lo, hi);
  bool aligned = bytes <= 32 && !(bytes & (bytes - 1)) && !((lo | step) & (bytes - 1));
  return (ww_span){lo, hi, aligned ? n : 0, false};
}

/* Ascending addresses: one walk. sectors == 0: they are not. */
static ww_span ascending_span(const ww_access *a) {
  uint32_t n = 0;
  uint32_t extent = a->bytes - 1u;
  uint64_t lo = a->addr[first_lane(a->lanes)];
  uint64_t last = lo;
  uint64_t next = lo >> SECTOR; /* sectors below next are counted */
  for (ww_mask m = a->lanes; m; m &= m - 1) {
    uint64_t p = a->addr[first_lane(m)];
    uint64_t s0 = p >> SECTOR;
    uint64_t s1 = (p + extent) >> SECTOR;
    if (p < last)
      return (ww_span){0};
    last = p;
    if (s0 < next)
      s0 = next;
    if (s1 >= s0) {
      n += s1 - s0 + 1;
      next = s1 + 1;
    }
  }
  return span_of(lo, last + a->bytes, n);
}

static ww_span hashed_span(const ww_access *a) {
  uint32_t n = ww_popcount(a->lanes);
  uint32_t extent = a->bytes - 1u;
  hash_run h = hash_begin(n * (extent / 32 + 2));
  uint64_t lo = UINT64_MAX;
  uint64_t last = 0;
  for (ww_mask m = a->lanes; m; m &= m - 1) {
    uint64_t p = a->addr[first_lane(m)];
    uint64_t s1 = (p + extent) >> SECTOR;
    if (p < lo)
      lo = p;
    if (p > last)
      last = p;
    for (uint64_t s = p >> SECTOR; s <= s1; s++)
      hash_add(&h, s);
  }
  return span_of(lo, last + a->bytes, h.distinct);
}

/* The interpreter said where the sector changes from lane to lane: only those lanes are
 * looked at.
 */
static ww_span fresh_span(const ww_access *a) {
  uint64_t last = 0;
  uint32_t n = 0;
  bool rising = true;
  for (ww_mask m = a->fresh; m; m &= m - 1, n++) {
    uint64_t s = a->addr[first_lane(m)] >> SECTOR;
    rising &= s > last;
    last = s;
  }
  return span_of(a->lo, a->hi, rising ? n : hash_lanes(a, a->fresh, SECTOR).distinct);
}

ww_span ww_coalesce(const ww_access *a) {
  if (!a->lanes || !a->bytes)
    return (ww_span){0};
  if (a->pattern == WW_PATTERN_ANY && a->fresh && a->aligned)
    return fresh_span(a);
  uint64_t first = a->addr[first_lane(a->lanes)];
  if (a->pattern == WW_PATTERN_SAME)
    return solid_span(first, first + a->bytes);
  if (a->pattern == WW_PATTERN_CONTIG)
    return solid_span(first, first + (uint64_t)a->bytes * ww_popcount(a->lanes));
  ww_span s = {0};
  int64_t stride;
  if (full_warp(a->lanes) && strided(a, &stride))
    s = strided_span(a, stride);
  if (!s.sectors)
    s = ascending_span(a);
  return s.sectors ? s : hashed_span(a);
}

uint32_t ww_coalesce_sectors(const ww_access *a) {
  return ww_coalesce(a).sectors;
}

/* ---- shared memory ---- */

/* Lanes that are served together: all 32 up to 4 bytes, half of them up to 8, a quarter
 * beyond. */
static uint32_t phase_lanes(uint32_t bytes) {
  return bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
}

static uint32_t active_phases(ww_mask lanes, uint32_t width) {
  uint32_t n = 0;
  for (ww_mask part = (1ull << width) - 1; lanes; lanes >>= width)
    n += (lanes & part) != 0;
  return n;
}

/* Distinct words of the fullest bank. Words of a bank hang in a list; 8 lanes touch at
 * most 65 words each, 16 at most 5, 32 at most 3. */
static uint32_t phase_passes(const ww_access *a, ww_mask lanes) {
  uint64_t word[8 * 65];
  uint16_t next[8 * 65];
  uint16_t head[32] = {0}; /* index + 1 */
  uint8_t count[32] = {0};
  uint8_t most = 0;
  uint32_t n = 0;
  uint32_t extent = a->bytes - 1u;
  for (; lanes; lanes &= lanes - 1) {
    uint64_t p = a->addr[first_lane(lanes)];
    for (uint64_t w = p >> 2; w <= (p + extent) >> 2; w++) {
      uint32_t bank = w & 31;
      uint32_t k = head[bank];
      while (k && word[k - 1] != w)
        k = next[k - 1];
      if (k)
        continue; /* a broadcast, or a store to the same word */
      word[n] = w;
      next[n] = head[bank];
      head[bank] = (uint16_t)++n;
      if (++count[bank] > most)
        most = count[bank];
    }
  }
  return most;
}

/* Over the banks for these lanes, `width` of them at a time. */
static uint32_t passes_of(const ww_access *a, ww_mask lanes, uint32_t width) {
  uint32_t passes = 0;
  for (uint32_t at = 0; at < 64; at += width) {
    ww_mask part = lanes & ((1ull << width) - 1) << at;
    if (part)
      passes += phase_passes(a, part);
  }
  return passes;
}

static uint32_t gcd32(uint64_t words) { /* with the number of banks */
  uint32_t low = words ? __builtin_ctzll(words) : 5;
  return 1u << (low < 5 ? low : 5);
}

/* Do all active lanes agree with the active one `apart` places away? */
static bool agree(const ww_access *a, ww_mask lanes, uint32_t apart) {
  for (ww_mask m = lanes; m; m &= m - 1) {
    uint32_t l = first_lane(m);
    uint32_t other = l ^ apart;
    if (lanes >> other & 1 && a->addr[l] != a->addr[other])
      return false;
  }
  return true;
}

/* Loads of 8 and 16 bytes: phases are served two at a time when neighbours read the
 * same, lane i and i^1 throughout the 32 or lane i and i^2 throughout; stores never
 * are. Measured: docs/hardware-check.md. */
static uint32_t wide_load_passes(const ww_access *a, uint32_t *ideal) {
  uint32_t passes = 0;
  *ideal = 0;
  for (uint32_t half = 0; half < 64; half += 32) {
    ww_mask lanes = a->lanes & 0xffffffffull << half;
    uint32_t width = phase_lanes(a->bytes)
                     << (agree(a, lanes, 1) || agree(a, lanes, 2));
    passes += passes_of(a, lanes, width);
    *ideal += active_phases(lanes, width);
  }
  return passes;
}

uint32_t ww_shared_passes(const ww_access *a, uint32_t *ideal) {
  uint32_t width = phase_lanes(a->bytes);
  bool wide_load = a->kind == WW_ACCESS_LOAD && a->bytes > 4 && a->bytes <= 16;
  uint32_t phases = active_phases(
      a->lanes, wide_load && a->pattern == WW_PATTERN_SAME ? 2 * width : width);
  uint64_t first = a->lanes ? a->addr[first_lane(a->lanes)] : 0;
  int64_t stride;
  uint32_t nobody;
  if (!ideal)
    ideal = &nobody;
  *ideal = phases;
  if (!a->lanes || !a->bytes)
    return 0;
  if (a->pattern == WW_PATTERN_SAME ||
      (a->pattern == WW_PATTERN_CONTIG && a->bytes <= 16 &&
       first % (a->bytes < 4 ? 4 : a->bytes) == 0))
    return phases;
  if (wide_load)
    return wide_load_passes(a, ideal);
  /* within 32 consecutive words no two share a bank */
  if (a->bytes <= 4 && a->hi && (a->hi - 1) / 4 - a->lo / 4 < 32)
    return phases;
  bool word = a->bytes <= 4 && first % 4 == 0;
  if (word && a->pattern == WW_PATTERN_ANY && full_warp(a->lanes) &&
      strided(a, &stride) && stride % 4 == 0)
    return stride ? phases * gcd32(stride / 4) : phases;
  return passes_of(a, a->lanes, width);
}

/* ---- constants and atomics ---- */

uint32_t ww_const_words(const ww_access *a) {
  if (!a->lanes)
    return 0;
  return a->pattern == WW_PATTERN_SAME ? 1 : hash_lanes(a, a->lanes, 2).distinct;
}

bool ww_one_addition(const ww_access *a) {
  const ww_ins *i = a->ins;
  if (i->op != WW_OP_ATOM || (i->sub != WW_RMW_ADD && i->sub != WW_RMW_SUB) ||
      ww_is_float(i->type) || a->fn->vals[i->b].kind != WW_VAL_CONST)
    return false;
  for (ww_mask m = a->lanes; m; m &= m - 1)
    if (a->addr[first_lane(m)] != a->addr[first_lane(a->lanes)])
      return false;
  return true;
}

uint32_t ww_most_in_bank(const ww_access *a) {
  uint8_t count[32] = {0};
  if (ww_one_addition(a))
    return 1;
  uint8_t most = 0;
  for (ww_mask m = a->lanes; m; m &= m - 1) {
    uint8_t *n = &count[a->addr[first_lane(m)] >> 2 & 31];
    if (++*n > most)
      most = *n;
  }
  return most;
}

uint32_t ww_most_same(const ww_access *a) {
  if (!a->lanes)
    return 0;
  if (a->pattern == WW_PATTERN_SAME)
    return ww_popcount(a->lanes);
  return a->pattern == WW_PATTERN_CONTIG ? 1 : hash_lanes(a, a->lanes, 0).most;
}
