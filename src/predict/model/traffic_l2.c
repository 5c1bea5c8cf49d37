/* traffic_l2.c - what leaves the SMs -> L2 lookups and hits as the counters define
 * them, DRAM bytes.
 *
 * No address is simulated here: an allocation's distinct sectors over the launch, the
 * bytes that one wave of blocks touches of it and the part of them that the wave before
 * did not touch say what is new, what comes back soon and what comes back late.
 *
 * The L2 of two partitions: a sector has a home; an SM asks the partition near it,
 * which asks the home when it is the other one (a second lookup) and keeps a copy. So
 * data read once takes 1.5 places, data read from everywhere 2. The GPU's figures of
 * this were read off the counters of the H200 on streaming, random and tiled kernels.
 *
 * Invariant: hits <= lookups; dram_read >= what is read for the first time, unless
 * warm. */
#include "traffic_int.h"

#include <stdlib.h>

/* Of a block's own extent: blocks at the rim of a grid whose neighbours are clamped
 * begin so little beside the others' line. */
#define NEARLY 0.125
#define SOLID 0.3 /* most that may be scattered of an allocation for that */

/* of the lookups that any launch makes; by the counters of the H200 */
#define BASE_HITS 0.9

static bool parted(const ww_flows *f) {
  return f->g->l2_partitions > 1;
}
static double fabric(const ww_flows *f) {
  return parted(f) ? WW_FIGURE(f->g, l2_fabric) : 0;
}
static double fabric_partial(const ww_flows *f) {
  return parted(f) ? WW_FIGURE(f->g, l2_fabric_partial) : 0;
}
static double once_bytes(const ww_flows *f) {
  return (parted(f) ? WW_FIGURE(f->g, l2_once) : 1) * f->g->l2_bytes;
}
static double shared_bytes(const ww_flows *f) {
  return (parted(f) ? WW_FIGURE(f->g, l2_shared) : 1) * f->g->l2_bytes;
}

/* ---- footprints of waves ---- */

/* Blocks may draw numbers for themselves: those that were run drew the first ones. */
static bool draws_numbers(const ww_fn *fn) {
  ww_ins_walk walk = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&walk));)
    if (i->op == WW_OP_ATOM && i->dst != WW_NOVAL && i->sub == WW_RMW_ADD)
      return true;
  return false;
}

/* Do the blocks that were run reach to the ends of every axis? */
static bool spans(const ww_flows *f) {
  if (f->spec->in_order || draws_numbers(f->spec->fn))
    return f->sampled->blocks >= ww_sampled_working(f->sampled);
  uint64_t need = 1;
  for (int d = 0; d < 3; d++)
    need *= f->spec->grid[d] > 3 ? 3 : f->spec->grid[d];
  return f->sampled->blocks >= need;
}

/* Bytes of the allocation that the launch may touch: what the sampled blocks did where
 * they reach all corners, else all of it. */
typedef struct {
  double lo, hi;
} hull;

static hull bounds_of(const ww_flows *f, const ww_flow *w) {
  hull h = {(int64_t)w->counts->lo, (int64_t)w->counts->hi};
  if (spans(f) || !w->region || w->region->unbounded)
    return h;
  double size = (double)w->region->size;
  return (hull){h.lo, fmax(h.hi, h.lo + size)};
}

static void
stretch(hull *h, const ww_footprint *p, const uint64_t grid[3], uint64_t block) {
  double x = block % grid[0];
  double y = block / grid[0] % grid[1];
  double z = block / grid[0] / grid[1];
  double lo = p->at + p->stride[0] * x + p->stride[1] * y + p->stride[2] * z;
  h->lo = fmin(h->lo, lo);
  h->hi = fmax(h->hi, lo + p->bytes);
}

/* Bytes that blocks [from, to) enclose of an allocation: affine, so the ends of each
 * row of blocks suffice. */
static hull hull_of(const ww_flows *f, const ww_flow *w, uint64_t from, uint64_t to) {
  hull h = {INFINITY, -INFINITY};
  const uint64_t *grid = f->sampled->box;
  for (uint32_t k = 0; k < f->sampled->nfootprints; k++) {
    const ww_footprint *p = &f->sampled->footprints[k];
    if (p->arg != w->counts->arg || p->arg < 0)
      continue;
    for (uint64_t b = from; b < to;) {
      uint64_t end = (b / grid[0] + 1) * grid[0];
      if (end > to)
        end = to;
      stretch(&h, p, grid, b);
      stretch(&h, p, grid, end - 1);
      b = end;
    }
  }
  hull bounds = bounds_of(f, w);
  return (hull){fmax(h.lo, bounds.lo), fmin(h.hi, bounds.hi)};
}

/* Enough blocks to solve an affine function of the block index. */
static bool determined(const ww_flows *f) {
  uint32_t need = 1;
  for (int d = 0; d < 3; d++)
    need += f->spec->grid[d] > 1;
  return spans(f) || f->sampled->blocks >= need;
}

static bool is_affine(const ww_flows *f, const ww_flow *w) {
  double most = w->scattered < SOLID ? NEARLY : 0;
  bool any = false, affine = true;
  for (uint32_t k = 0; k < f->sampled->nfootprints; k++) {
    const ww_footprint *p = &f->sampled->footprints[k];
    if (p->arg != w->counts->arg)
      continue;
    any = true;
    affine &= p->affine || p->off <= most * p->bytes;
  }
  return any && affine && w->counts->arg >= 0;
}

/* Does what a block touches of the allocation move with its index along this axis? */
static bool moves(const ww_flows *f, const ww_flow *w, int axis) {
  for (uint32_t k = 0; k < f->sampled->nfootprints; k++) {
    const ww_footprint *p = &f->sampled->footprints[k];
    if (p->arg == w->counts->arg && p->stride[axis] != 0)
      return true;
  }
  return false;
}

/* A wave of blocks, and what of it is new against the wave before. Blocks that differ
 * in an axis along which nothing moves touch the same, so a wave touches of the
 * allocation what it has of the places along the others. It advances along the first
 * axis that it does not fill. */
static void measure_affine_wave(const ww_flows *f, ww_flow *w) {
  const uint64_t *grid = f->sampled->box;
  double all = 32 * w->unique;
  double blocks = (double)f->g->sms * (f->occ->blocks ? f->occ->blocks : 1);
  double part = 1;
  double fresh = 0;
  double advanced = 1; /* of a step along the axis, what one wave makes */
  for (int d = 0; d < 3; d++) {
    double along = fmin(grid[d], fmax(1, blocks));
    if (moves(f, w, d)) {
      part *= along / grid[d];
      if (along < grid[d])
        fresh = fmax(fresh, advanced);
    }
    if (blocks < grid[d])
      advanced *= fmin(1, fmax(1, blocks) / grid[d]);
    blocks /= grid[d];
  }
  w->wave = all * part;
  w->fresh = w->wave * fresh;
}

/* The tally's sum counts what several blocks touch several times, so its part for a
 * wave is the most that a wave can touch. */
static void measure_wave(const ww_flows *f, ww_flow *w) {
  double all = 32 * w->unique;
  w->wave = w->fresh = all;
  if (f->waves <= 1)
    return;
  w->wave = fmin(all, 32 * w->counts->unique_sectors / f->waves);
  w->fresh = fmin(w->wave, all / f->waves);
  if (w->affine)
    measure_affine_wave(f, w);
}

/* ---- distinct sectors ---- */

/* Sectors that the launch can touch: what its footprints enclose where they move evenly
 * with the block, which is less than the allocation where that is larger than need be.
 */
static double range_of(const ww_flows *f, const ww_flow *w) {
  hull h =
      w->affine ? hull_of(f, w, 0, ww_sampled_working(f->sampled)) : bounds_of(f, w);
  return ceil((h.hi - h.lo) / 32);
}

/* Which part of the range a single block reaches over: a gather goes everywhere, a
 * stencil or a row of a sparse matrix does not. */
static double reach(const ww_flows *f, const ww_flow *w, double range) {
  double most = 0;
  for (uint32_t k = 0; k < f->sampled->nfootprints; k++)
    if (f->sampled->footprints[k].arg == w->counts->arg)
      most = fmax(most, f->sampled->footprints[k].bytes / 32);
  return fmin(1, 4 * most / fmax(1, range));
}

/* Regular accesses: the tally's sum, at most the range they lie in. Random ones: drawn
 * from that range, and with each its neighbour. */
static void measure_unique(const ww_flows *f, ww_flow *w) {
  w->affine = is_affine(f, w) && determined(f);
  double range = range_of(f, w);
  double seen = w->counts->unique_sectors;
  w->random = w->affine ? 0 : w->scattered * reach(f, w, range);
  w->unique = fmin(seen, range);
  w->pair = fmin(1 + w->scattered, fmax(1, range / fmax(1, w->unique)));
  if (w->affine || range <= 0)
    return;
  double drawn = range * (1 - exp(-seen / range));
  double pairs = range * (1 - exp(-2 * seen / range));
  double regular = (1 - w->random) * w->unique;
  w->unique = w->random * drawn + regular;
  if (w->unique > 0)
    w->pair = fmax(1, (w->random * pairs + w->pair * regular) / w->unique);
}

/* ---- misses ---- */

static int by_wave(const void *a, const void *b) {
  const ww_flow *x = *(const ww_flow *const *)a;
  const ww_flow *y = *(const ww_flow *const *)b;
  return x->wave < y->wave ? -1 : x->wave > y->wave;
}

static double read_once(const ww_flow *w) {
  return fmin(w->unique, w->loads + w->atomics);
}

/* Bytes that are touched before a sector is touched again. */
static double reuse_bytes(const ww_flow *w) {
  if (w->affine)
    return w->wave;
  return w->random * 32 * w->unique + (1 - w->random) * w->wave;
}

/* What is asked for again and no longer there. Blocks that were started together walk
 * through their loops in step, so what they share comes from DRAM once for the wave,
 * however much the wave touches until its end; left are what the wave before touched
 * and what a block itself comes back to. */
static double again(const ww_flows *f, const ww_flow *w, double left) {
  double repeated = w->loads + w->atomics - w->first;
  if (!w->affine)
    return repeated * (1 - w->fits);
  double blocks = ww_sampled_working(f->sampled);
  double each_block = fmin(w->loads + w->atomics, blocks * w->counts->block_sectors);
  double each_wave = fmax(0, fmin(each_block, f->waves * w->wave / 32) - w->first);
  double in_block = fmax(0, w->loads + w->atomics - fmax(each_block, w->first));
  /* A wave that walks through more than there is room for finds nothing of the last. */
  double kept = fmin(1, fmax(0, 5 - 4 * w->wave / fmax(1, left)));
  return fmin(repeated, (each_wave + in_block) * (1 - kept));
}

/* What comes back finds its place taken with the share of its footprint that does not
 * fit. Small footprints come back soonest, so they are served first. */
static void find_misses(ww_flows *f, double footprint, ww_arena *a) {
  double shared = shared_bytes(f);
  double left = shared;
  double traffic = 0;
  bool all_fits = footprint <= once_bytes(f);
  ww_flow **order = WW_NEWN(a, ww_flow *, f->nflows + 1);
  for (uint32_t k = 0; k < f->nflows; k++) {
    order[k] = &f->flows[k];
    traffic += f->flows[k].loads + f->flows[k].stores + f->flows[k].atomics;
  }
  qsort(order, f->nflows, sizeof *order, by_wave);
  for (uint32_t k = 0; k < f->nflows; k++) {
    ww_flow *w = order[k];
    double asked = w->loads + w->atomics;
    double once = read_once(w);
    double late = all_fits ? 1 : fmin(1, shared / footprint);
    w->fits = all_fits ? 1 : fmin(1, left / fmax(1, reuse_bytes(w)));
    if (w->fits < 1 && traffic > 0) /* streams pass through */
      w->fits *= 1 - w->random * (1 - (asked + w->stores) / traffic);
    w->first =
        once + fmax(0, fmin(asked, w->fresh * f->waves / 32) - once) * (1 - late);
    w->misses = w->first + again(f, w, left);
    if (f->warm) {
      w->misses *= 1 - late;
      w->first *= 1 - late;
    }
    if (asked > 0)
      left = fmax(0, left - w->wave);
  }
}

/* ---- sums ---- */

/* Reads of a small part by many SMs at once meet before they reach L2. */
static double merged(const ww_flows *f, const ww_flow *w) {
  double times = w->first > 0 ? w->loads / w->first : 1;
  return WW_FIGURE(f->g, l2_merged) * (1 - w->random) * fmax(0, w->loads - w->misses) *
         fmin(1, fmax(0, times - 1) / 8);
}

/* What blocks that walk through their loops in step read again within a wave. */
static double in_step(const ww_flows *f, const ww_flow *w, double loads) {
  double once = fmin(loads, f->waves * w->wave / 32);
  return w->affine ? (1 - w->random) * (loads - once) : 0;
}

/* Do all loads of the allocation move with the block alike? Where they do not, one that
 * runs early may have brought what another one walks along later. */
static bool moves_alike(const ww_flows *f, const ww_flow *w) {
  const double *first = NULL;
  for (uint32_t k = 0; k < f->sampled->nfootprints; k++) {
    const ww_footprint *p = &f->sampled->footprints[k];
    if (p->arg != w->counts->arg || p->kind != WW_ACCESS_LOAD)
      continue;
    if (!first)
      first = p->stride;
    for (int d = 0; d < 3; d++)
      if (p->stride[d] != first[d])
        return false;
  }
  return true;
}

/* Of the sectors that come from DRAM, those that come along with their neighbour, which
 * was asked for before. */
static double brought(const ww_flows *f, const ww_flow *w) {
  return fmin(1, w->later + WW_FIGURE(f->g, l2_neighbour) * w->other);
}

double ww_flow_cold(const ww_flows *f, const ww_flow *w) {
  double once = fmin(w->loads, f->waves * w->wave / 32);
  if (!w->affine || !(once > 0) || !moves_alike(f, w))
    return 0;
  /* a wave of an SM asks once for what its blocks share; what comes back later is there
   */
  double blocks = ww_sampled_working(f->sampled);
  double sms = fmin(blocks, f->g->sms);
  double each = fmin(blocks * w->counts->block_sectors, sms * once);
  double fetched = w->first * (1 - brought(f, w));
  return (1 - w->random) * fmin(1, fetched / once) * fmin(1, each / w->loads);
}

/* Sectors that loads bring from DRAM. */
static double fetched_of(const ww_flow *w) {
  return w->first * w->pair + (w->misses - w->first) * (1 + w->random);
}

static void add_loads(const ww_flows *f, const ww_flow *w, ww_traffic *out) {
  double loads = w->loads - merged(f, w);
  double asked = loads + w->atomics;
  double fetched = fetched_of(w);
  double touches = fetched > 0 ? fmax(1, asked / fetched) : 1;
  /* the first from the far side */
  double second = fetched * (1 - pow(1 - fabric(f), touches));
  double late = brought(f, w) * w->first;
  double lookups = asked + second;
  double missed = w->misses - late + ww_ratio(fabric(f) * fetched * loads, asked);
  out->l2_reads += loads;
  out->in_step += in_step(f, w, loads);
  /* a line is asked for by one sector at least */
  out->load_lines += fmin(w->lines - w->bulk_lines, loads);
  out->l2_atomics += w->atomics;
  out->l2_lookups += lookups + fabric_partial(f) * w->atomics;
  out->l2_hits += fmax(0, lookups - missed) + fabric_partial(f) * w->atomics;
  out->dram_read += 32 * fetched;
}

/* Partial stores that were merged into one with others fill more of their sectors. */
static void add_stores(const ww_flows *f, const ww_flow *w, ww_traffic *out) {
  double stores = w->stores - w->merged;
  double partial = fmin(stores, fmax(0, w->partial - 2 * w->merged));
  double lookups =
      stores + fabric(f) * (stores - partial) + fabric_partial(f) * partial;
  out->l2_writes += stores;
  out->partial_writes += partial;
  out->l2_lookups += lookups;
  out->l2_hits += lookups;
}

/* Sectors that no store completes and no load has brought are completed from DRAM when
 * there are too many of them. */
static void fill_incomplete(const ww_flows *f, double bytes, ww_traffic *out) {
  double fill = fmax(0, bytes - WW_FIGURE(f->g, l2_unfilled) * f->g->l2_bytes);
  /* under in-band ECC a sector is written whole, with its check bytes */
  if (f->g->dram_ecc > 0)
    fill = fmax(fill, bytes * fmin(1, out->dram_write / out->unique_written));
  double second = WW_FIGURE(f->g, l2_fabric_partial);
  out->dram_read += fill;
  out->l2_lookups += second * fill / 32;
  out->l2_hits -= (1 - second) * fill / 32;
}

/* Dirty sectors leave L2 when others need their place or when too much is dirty; the
 * rest is written after the kernel. */
static void write_back(const ww_flows *f, ww_traffic *out) {
  double dirty = out->unique_written;
  double incomplete = 0;
  double again = 0;
  if (!(dirty > 0))
    return;
  double passed = fmax(out->footprint, out->dram_read);
  for (uint32_t k = 0; k < f->nflows; k++) {
    const ww_flow *w = &f->flows[k];
    double once = fmin(w->unique, w->stores);
    if (!(w->stores > 0))
      continue;
    if (!(w->loads > 0))
      incomplete += fmax(0, 32 * once - w->counts->st_bytes);
    again += 32 * w->random * (w->stores - once) * (1 - w->fits);
  }
  double share = WW_FIGURE(f->g, l2_dirty);
  double most =
      (share - (share - WW_FIGURE(f->g, l2_incomplete)) * fmin(1, incomplete / dirty)) *
      f->g->l2_bytes;
  double keep = fmin(dirty / fmax(passed, 1) * once_bytes(f), most);
  out->dram_write = fmax(0, dirty - keep) + again;
  fill_incomplete(f, incomplete, out);
}

/* In-band ECC keeps check bytes in the same DRAM as the data, those of a run of sectors
 * (512 bytes at a share of 1/16) in one sector. Neighbours share it; a sector without
 * neighbours brings a whole one. Bytes for so many of data, of which `scattered` have
 * no neighbours and ask for a check sector `lone` times. */
static double check_bytes(const ww_gpu *g, double data, double scattered, double lone) {
  return g->dram_ecc * (1 - scattered) * data + 32 * scattered * lone;
}

/* The check bytes of all that is read and written; those of a written sector without
 * neighbours are a part of a check sector, which is read before it is written. */
static void add_checks(const ww_flows *f, ww_traffic *out) {
  double sectors = 0;
  double scattered = 0; /* of the sectors */
  for (uint32_t k = 0; k < f->nflows; k++) {
    const ww_flow *w = &f->flows[k];
    double once = fmin(w->unique, w->stores);
    out->dram_read += check_bytes(f->g, 32 * fetched_of(w), w->scattered, w->misses);
    sectors += once;
    scattered += w->scattered * once;
  }
  double share = ww_ratio(scattered, sectors);
  double lone = out->dram_write / 32;
  out->dram_write += check_bytes(f->g, out->dram_write, share, lone);
  out->dram_read += 32 * share * lone;
}

static void add_base(const ww_flows *f, ww_traffic *out) {
  double blocks = f->sampled->of;
  double n = WW_FIGURE(f->g, launch_lookups) +
             WW_FIGURE(f->g, launch_sm_lookups) * fmin(blocks, f->g->sms) +
             WW_FIGURE(f->g, launch_block_lookups) * blocks;
  out->l2_lookups += n;
  out->l2_hits += BASE_HITS * n;
  if (!f->warm)
    out->dram_read += WW_FIGURE(f->g, launch_read);
}

void ww_traffic_l2(ww_flows *f, ww_traffic *out) {
  ww_arena *a = ww_arena_new();
  for (uint32_t k = 0; k < f->nflows; k++) {
    ww_flow *w = &f->flows[k];
    measure_unique(f, w);
    measure_wave(f, w);
    out->footprint += 32 * w->unique;
    out->unique_read += 32 * read_once(w);
    if (w->stores > 0 || w->atomics > 0)
      out->unique_written += 32 * fmin(w->unique, w->stores + w->atomics);
  }
  find_misses(f, out->footprint, a);
  /* local memory, behind the others, stays in L2 */
  for (uint32_t k = 0; k <= f->nflows; k++) {
    add_loads(f, &f->flows[k], out);
    add_stores(f, &f->flows[k], out);
  }
  write_back(f, out);
  if (f->g->dram_ecc > 0)
    add_checks(f, out);
  add_base(f, out);
  ww_arena_free(a);
}
