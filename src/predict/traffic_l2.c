/* traffic_l2.c - what leaves the SMs -> L2 lookups and hits as the counters define them, DRAM bytes.
 *
 * No address is simulated here: an allocation's distinct sectors over the launch, the bytes that one wave of blocks touches of it and
 * the part of them that the wave before did not touch say what is new, what comes back soon and what comes back late.
 *
 * The L2 of two partitions: a sector has a home; an SM asks the partition near it, which asks the home when it is the other one (a second
 * lookup) and keeps a copy. So data read once takes 1.5 places, data read from everywhere 2. Both figures and the others below
 * were read off the counters of the H200 on streaming, random and tiled kernels.
 *
 * Invariant: hits <= lookups; dram_read >= what is read for the first time, unless warm. */
#include "traffic_int.h"

#include <math.h>
#include <stdlib.h>

#define FABRIC 0.5          /* of sectors have their home in the other partition */
#define FABRIC_PARTIAL 0.67 /* second lookups of stores that leave a sector incomplete */
#define DIRTY_SHARE 0.45    /* of L2 that may be dirty at a time */
#define PARTIAL_SHARE 0.11  /* of L2 that may be dirty and incomplete; beyond it sectors are completed from DRAM */
#define BASE_LOOKUPS 1600.0 /* sectors of any launch: code, parameters */
#define SM_LOOKUPS 20.0     /* of each SM that takes part */
#define BLOCK_LOOKUPS 1.3   /* of each block */

/* ---- footprints of waves ---- */

typedef struct {
  double lo, hi;
} hull;

static void stretch(hull *h, const ww_footprint *p, const uint64_t grid[3], uint64_t block) {
  double x = (double)(block % grid[0]), y = (double)(block / grid[0] % grid[1]),
         z = (double)(block / grid[0] / grid[1]);
  double lo = p->at + p->stride[0] * x + p->stride[1] * y + p->stride[2] * z;
  h->lo = fmin(h->lo, lo);
  h->hi = fmax(h->hi, lo + p->bytes);
}

/* Bytes that blocks [from, to) enclose of an allocation: affine, so the ends of each row of blocks suffice. */
static hull hull_of(const ww_flows *f, const ww_flow *w, uint64_t from, uint64_t to) {
  hull h = {INFINITY, -INFINITY};
  const uint64_t *grid = f->spec->grid;
  for (uint32_t k = 0; k < f->sampled->nfootprints; k++) {
    const ww_footprint *p = &f->sampled->footprints[k];
    if (p->arg != w->counts->arg || p->arg < 0) continue;
    for (uint64_t b = from; b < to;) {
      uint64_t end = (b / grid[0] + 1) * grid[0];
      if (end > to) end = to;
      stretch(&h, p, grid, b);
      stretch(&h, p, grid, end - 1);
      b = end;
    }
  }
  h.lo = fmax(h.lo, (double)(int64_t)w->counts->lo);
  h.hi = fmin(h.hi, (double)(int64_t)w->counts->hi);
  return h;
}

static bool is_affine(const ww_flows *f, const ww_flow *w) {
  bool any = false, affine = true;
  for (uint32_t k = 0; k < f->sampled->nfootprints; k++) {
    const ww_footprint *p = &f->sampled->footprints[k];
    if (p->arg != w->counts->arg) continue;
    any = true;
    affine &= p->affine;
  }
  return any && affine && w->counts->arg >= 0;
}

/* A wave in the middle of the launch, and what of it is new against the wave before. */
static void measure_wave(const ww_flows *f, ww_flow *w) {
  double all = 32 * w->unique, asked = 32 * (w->counts->ld_sectors + w->counts->st_sectors + w->counts->atomics);
  w->wave = w->fresh = all;
  if (f->waves <= 1) return;
  w->wave = fmin(all, asked / f->waves);
  w->fresh = fmin(w->wave, all / f->waves);
  if (!w->affine) return;
  uint64_t resident = (uint64_t)f->g->sms * (f->occ->blocks ? f->occ->blocks : 1), total = f->sampled->of;
  uint64_t at = total / 2 + resident > total ? total - resident : total / 2, before = at > resident ? at - resident : 0;
  hull now = hull_of(f, w, at, at + resident), old = hull_of(f, w, before, at);
  double extent = now.hi - now.lo, common = fmin(now.hi, old.hi) - fmax(now.lo, old.lo);
  if (!(extent > 0)) return;
  w->wave = fmin(w->wave, extent);
  w->fresh = w->wave * (1 - fmax(0, common) / extent);
}

/* ---- distinct sectors ---- */

/* Regular accesses: the tally's sum, at most the range they lie in. Scattered ones: drawn at random from that range. The pairs that the
 * replay saw tell which: scattered sectors have no neighbours. */
static void measure_unique(const ww_flows *f, ww_flow *w) {
  double range = ceil((double)(w->counts->hi - w->counts->lo) / 32), seen = w->counts->unique_sectors;
  w->affine = is_affine(f, w);
  w->unique = fmin(seen, range);
  w->pair = fmin(2, fmax(1, w->pair));
  if (w->affine || range <= 0) return;
  double scattered = w->pair - 1, drawn = range * (1 - exp(-seen / range)),
         pairs = range * (1 - exp(-2 * seen / range));
  w->unique = scattered * drawn + (1 - scattered) * w->unique;
  if (w->unique > 0) w->pair = fmin(w->pair, fmax(1, (scattered * pairs + (1 - scattered) * w->unique) / w->unique));
}

/* ---- misses ---- */

static int by_wave(const void *a, const void *b) {
  const ww_flow *x = *(const ww_flow *const *)a, *y = *(const ww_flow *const *)b;
  return x->wave < y->wave ? -1 : x->wave > y->wave;
}

static double read_once(const ww_flow *w) { return fmin(w->unique, w->loads + w->atomics); }

/* What comes back finds its place taken with the share of its footprint that does not fit. Small footprints come back soonest, so they are
 * served first. */
static void find_misses(ww_flows *f, double footprint, ww_arena *a) {
  double l2 = f->g->l2_bytes, shared = l2 / fmax(1, f->g->l2_partitions), left = shared, traffic = 0;
  ww_flow **order = WW_NEWN(a, ww_flow *, f->nflows + 1);
  for (uint32_t k = 0; k < f->nflows; k++) {
    order[k] = &f->flows[k];
    traffic += f->flows[k].loads + f->flows[k].stores + f->flows[k].atomics;
  }
  qsort(order, f->nflows, sizeof *order, by_wave);
  for (uint32_t k = 0; k < f->nflows; k++) {
    ww_flow *w = order[k];
    double asked = w->loads + w->atomics, once = read_once(w);
    double fits = footprint <= 0.7 * l2 ? 1 : fmin(1, left / fmax(1, w->affine ? w->wave : 32 * w->unique));
    double late = footprint <= 0.7 * l2 ? 1 : fmin(1, shared / footprint);
    if (!w->affine && fits < 1) fits *= traffic > 0 ? (asked + w->stores) / traffic : 1; /* streams pass through */
    double first = once + fmax(0, fmin(asked, w->fresh * f->waves / 32) - once) * (1 - late);
    w->misses = first + (asked - first) * (1 - fits);
    if (f->warm) w->misses *= footprint <= 0.7 * l2 ? 0 : 1 - late;
    left = fmax(0, left - w->wave);
  }
}

/* ---- sums ---- */

static void add_loads(const ww_flow *w, ww_traffic *out) {
  double asked = w->loads + w->atomics, fetched = w->misses * w->pair;
  double touches = w->misses > 0 ? fmax(1, asked / fetched) : 1;
  double second = w->misses > 0 ? fetched * (1 - pow(1 - FABRIC, touches)) : 0; /* the first from the far side */
  double lookups = asked + second, missed = w->misses + FABRIC * fetched;
  out->l2_reads += w->loads;
  out->l2_atomics += w->atomics;
  out->l2_lookups += lookups + FABRIC_PARTIAL * w->atomics;
  out->l2_hits += fmax(0, lookups - missed) + FABRIC_PARTIAL * w->atomics;
  out->dram_read += 32 * fetched;
}

static void add_stores(const ww_flow *w, ww_traffic *out) {
  double lookups = w->stores + FABRIC * (w->stores - w->partial) + FABRIC_PARTIAL * w->partial;
  out->l2_writes += w->stores;
  out->partial_writes += w->partial;
  out->l2_lookups += lookups;
  out->l2_hits += lookups;
}

/* Dirty sectors leave L2 when others need their place or when too much is dirty; the rest is written after the kernel. */
static void write_back(const ww_flows *f, double footprint, ww_traffic *out) {
  double l2 = f->g->l2_bytes, dirty = out->unique_written, incomplete = 0, again = 0;
  if (!(dirty > 0)) return;
  double keep = fmin(dirty / fmax(footprint, 1) * 0.7 * l2, DIRTY_SHARE * l2);
  for (uint32_t k = 0; k < f->nflows; k++) {
    const ww_flow *w = &f->flows[k];
    double once = fmin(w->unique, w->stores);
    if (!(w->stores > 0)) continue;
    if (w->counts && !(w->loads > 0)) incomplete += fmax(0, 32 * once - w->counts->st_bytes);
    if (!w->affine) again += 32 * w->pair * (w->stores - once) * fmax(0, 1 - keep / dirty);
  }
  out->dram_write = fmax(0, dirty - keep) + again;
  out->dram_read += fmax(0, incomplete - PARTIAL_SHARE * l2);
}

static void add_base(const ww_flows *f, ww_traffic *out) {
  double blocks = (double)f->sampled->of;
  double n = BASE_LOOKUPS + SM_LOOKUPS * fmin(blocks, f->g->sms) + BLOCK_LOOKUPS * blocks;
  out->l2_lookups += n;
  out->l2_hits += 0.9 * n;
}

void ww_traffic_l2(ww_flows *f, ww_traffic *out) {
  ww_arena *a = ww_arena_new();
  for (uint32_t k = 0; k < f->nflows; k++) {
    ww_flow *w = &f->flows[k];
    measure_unique(f, w);
    measure_wave(f, w);
    out->footprint += 32 * w->unique;
    out->unique_read += 32 * read_once(w);
    if (w->stores > 0 || w->atomics > 0) out->unique_written += 32 * fmin(w->unique, w->stores + w->atomics);
  }
  find_misses(f, out->footprint, a);
  for (uint32_t k = 0; k <= f->nflows; k++) { /* local memory, behind the others, stays in L2 */
    add_loads(&f->flows[k], out);
    add_stores(&f->flows[k], out);
  }
  write_back(f, out->footprint, out);
  add_base(f, out);
  ww_arena_free(a);
}
