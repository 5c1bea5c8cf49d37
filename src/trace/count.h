/* count.h - the counting observer: what happened, in total, per instruction class, per
 * argument and per source line. */
#ifndef WW_COUNT_H
#define WW_COUNT_H

#include "trace.h"

typedef struct {
#define COUNT(name, meaning) double name;
#include "counts.def"
} ww_counts;

typedef struct {
  const char *name, *meaning;
  size_t at; /* offset in ww_counts */
} ww_count_info;
extern const ww_count_info ww_count_table[];
extern const uint32_t ww_ncounts;

/* What one source line did. */
typedef struct {
  uint32_t file, line; /* ww_loc */
  double warp_instructions, thread_instructions, flops;
  double ld_requests, ld_sectors, ld_bytes; /* global */
  double st_requests, st_sectors, st_bytes;
  double shared_requests, shared_passes, shared_ideal_passes, atomics;
} ww_line_counts;

/* How much of what one line did was inlined at another. */
typedef struct {
  uint32_t file, line, from_file, from_line;
  double warp_instructions;
} ww_call_counts;

/* What one kernel argument (or symbol) saw, by the allocation its addresses fall in. */
typedef struct {
  const char *name;
  int32_t arg, symbol;
  double ld_requests, ld_sectors, ld_bytes, st_requests, st_sectors, st_bytes, atomics;
  /* touched range in bytes relative to the argument's pointer, as int64; hi exclusive;
   * lo == hi: none */
  uint64_t lo, hi;
  /* distinct sectors touched by what was run, scaled to the launch */
  double unique_sectors;
  double block_sectors; /* distinct sectors that one block touches */
} ww_arg_counts;

/* Dependencies of the issue stream of sampled warps: how much can be in flight. */
typedef struct {
  /* mean instructions that could issue together: instructions / longest dependency
   * chain, over windows of 64 */
  double ilp;
  /* mean warp instructions between a global load and its first use */
  double load_use_distance;
  double loads_in_flight; /* mean global loads issued before the first wait on one */
} ww_dependency;

/* How often one block of the IR was executed: by warps, and by their active lanes. */
typedef struct {
  const ww_fn *fn;
  uint32_t block;
  double warps, lanes, splits; /* splits: its branch diverged */
} ww_block_counts;

typedef struct {
  ww_counts c;
  ww_block_counts *blocks;
  uint32_t nblocks;             /* those executed at all */
  double by_class[WW_NCLASSES]; /* warp instructions */
  ww_line_counts *lines;
  uint32_t nlines; /* by file, line */
  ww_call_counts *calls;
  uint32_t ncalls; /* in no order; a pair of lines may come more than once */
  ww_arg_counts *args;
  uint32_t nargs;
  ww_dependency dep;
} ww_tally;
/* of counts; 0: there is nothing to divide by */
static inline double ww_ratio(double a, double b) {
  return b > 0 ? a / b : 0;
}
double ww_tally_runs(const ww_tally *t,
                     const ww_fn *fn,
                     uint32_t block); /* times that warps came by a block */

/* footprint.c: collects per-instruction ranges of each block run. */
typedef struct ww_footprints ww_footprints;
ww_footprints *ww_footprints_new(ww_memory *mem, const uint64_t grid[3]);
void ww_footprints_free(ww_footprints *f);             /* accepts NULL */
uint64_t ww_footprints_shared(const ww_footprints *f); /* end of what was touched */
void ww_footprints_access(ww_footprints *f, const ww_access *a);
void ww_footprints_block(ww_footprints *f, uint64_t block); /* a thread block ended */

typedef struct ww_counter ww_counter;
/* Counts events of launches of one module. */
ww_counter *ww_counter_new(const ww_module *m, ww_memory *mem, uint32_t lanes);
void ww_counter_tell(ww_counter *c, ww_footprints *f); /* they see the same accesses */
void ww_counter_free(ww_counter *c);                   /* accepts NULL */
ww_observer ww_counter_observer(ww_counter *c);
void ww_counter_clear(ww_counter *c);
/* Everything seen since the last commit or clear, times `scale`, added to the total: a
 * block that was run with the number of blocks it stands for. */
void ww_counter_commit(ww_counter *c, double scale);
/* The counts of what was seen since: the same for blocks that behave alike. */
void ww_counter_vector(ww_counter *c, ww_counts *pending);
/* The pending events put aside (and no longer pending), to be added later with the
 * scale then known; freed with the counter. */
typedef struct ww_snapshot ww_snapshot;
ww_snapshot *ww_counter_save(ww_counter *c);
void ww_counter_add(ww_counter *c, const ww_snapshot *s, double scale);
void ww_counter_result(ww_counter *c, ww_arena *a, ww_tally *out);

/* Sectors of 32 bytes and bank passes of one access, for observers and for their tests.
 */
uint32_t ww_coalesce_sectors(const ww_access *a);
uint32_t ww_shared_passes(const ww_access *a, uint32_t *ideal);
uint32_t ww_most_in_bank(const ww_access *a); /* most lanes of an atomic in one bank */
/* All lanes add the same constant to one address: the compiler makes one addition of it
 * for the warp. */
bool ww_one_addition(const ww_access *a);

#endif
