/* count_int.h - what the files of the counting observer share.
 *
 * count.c    tables, events, commit, totals coalesce.c sectors, shared-memory passes,
 * collisions of one access (no state) touch.c    what each allocation saw: range,
 * distinct sectors depend.c dependencies in the instruction stream of a sampled warp
 * lines.c    the tables by source line and by argument */
#ifndef WW_COUNT_INT_H
#define WW_COUNT_INT_H

#include "count.h"

/* ---- coalesce.c ---- */

/* What one access touches. */
typedef struct {
  uint64_t lo, hi;  /* bytes [lo, hi) enclose it */
  uint32_t sectors; /* distinct 32-byte sectors */
  bool solid;       /* every sector between lo and hi is touched */
} ww_span;
ww_span ww_coalesce(const ww_access *a);
/* distinct words at which lanes start to read */
uint32_t ww_const_words(const ww_access *a);
uint32_t ww_most_same(const ww_access *a); /* most lanes at one address */

/* without the popcnt instruction a full warp is worth the test */
static inline uint32_t ww_popcount(ww_mask m) {
  return m == 0xffffffffu  ? 32
         : m == UINT64_MAX ? 64
                           : (uint32_t)__builtin_popcountll(m);
}

/* ---- touch.c: one allocation ---- */

typedef struct {
  double requests, units, bytes, extra;
} ww_row; /* units: sectors, passes, words or collisions; extra: passes without
             conflicts, or atomic operations */

typedef struct {
  uint64_t lo, hi; /* device addresses touched; lo >= hi: none */
  double unique;   /* distinct sectors */
  ww_row ld, st, atom;
} ww_touched;

#define WW_CHUNK_SECTORS 8192u /* 256 KiB of addresses in 1 KiB of bits */

typedef struct {
  ww_arena *a;
  const ww_region *region;
  ww_touched pend, total;
  double most; /* distinct sectors of the block that had most to itself */
  uint64_t base, nsectors;
  /* bit per sector, made on demand; [nsectors / WW_CHUNK_SECTORS + 1] */
  uint64_t **chunks;
} ww_touch;

/* Bits set since the last commit, to take them back. */
typedef struct {
  struct ww_undo {
    uint64_t *word, bits;
  } * v;
  size_t n, cap;
} ww_journal;

ww_touch *ww_touch_new(const ww_region *r, ww_arena *a);
void ww_touch_access(ww_touch *t, ww_journal *j, const ww_access *a, const ww_span *s);
void ww_touch_commit(ww_touch *t, double scale);
extern const ww_touched ww_touched_nothing;
void ww_journal_undo(ww_journal *j);

/* ---- depend.c ---- */

typedef struct {
  double instructions, longest; /* over windows */
  double distance, distances;   /* load to first use */
  double in_flight, waits;
} ww_depend_sums;

typedef struct ww_depend ww_depend;
ww_depend *ww_depend_new(const ww_module *m, ww_arena *a);
void ww_depend_start(ww_depend *d); /* a warp begins */
/* it executes a block; false: seen enough */
bool ww_depend_block(ww_depend *d, const ww_fn *fn, uint32_t block);
void ww_depend_end(ww_depend *d, ww_depend_sums *add); /* it ends: adds what was seen */

/* ---- count.c ---- */

typedef enum {
  WW_CAT_GLOBAL_LD,
  WW_CAT_GLOBAL_ST,
  WW_CAT_SHARED_LD,
  WW_CAT_SHARED_ST,
  WW_CAT_LOCAL,
  WW_CAT_CONST,
  WW_CAT_ATOMIC,
  WW_CAT_SHARED_ATOMIC, /* of them */
  WW_CAT_BULK_LD,
  WW_CAT_BULK_ST,
  WW_NCATS
} ww_cat;

/* A memory instruction. The space is known only when it runs, so every category has a
 * row. */
typedef struct {
  const ww_ins *ins;
  ww_touch *touch; /* allocation of its last access, or NULL */
  ww_row pend[WW_NCATS], total[WW_NCATS];
} ww_slot;

/* Executions of one block of the IR. */
typedef struct {
  double warps, lanes, splits; /* splits: its branch diverged */
} ww_cell;

/* What one execution of a block amounts to: known from the IR. */
typedef struct {
  ww_counts per_warp, per_lane;
  uint32_t by_class[WW_NCLASSES];
} ww_static;

struct ww_counter {
  ww_arena *a; /* it and all of its tables but the journal */
  const ww_module *m;
  ww_memory *mem;
  ww_footprints *prints; /* or NULL */
  ww_mask full;          /* all lanes of a warp */
  double full_lanes;
  const ww_fn *fn;       /* of the last block event */
  ww_cell *cells;        /* its cells in pend */
  ww_cell *pend, *total; /* [ncells] */
  uint32_t *base;        /* [nfns + 1] first cell of each function */
  uint32_t ncells;       /* blocks of all functions */
  ww_static *statics;    /* [ncells] */
  double pend_blocks, total_blocks;
  uint32_t *index; /* ins_id -> slot + 1 */
  uint32_t nindex;
  WW_VEC(ww_slot *) slots;
  WW_VEC(ww_touch *) touches;
  ww_journal journal;
  ww_depend *depend;
  ww_depend_sums pend_dep, total_dep;
  uint64_t dep_block; /* thread block whose first warp is followed, UINT64_MAX: none */
  uint64_t dep_seen;  /* thread blocks looked at so far */
};

/* Adds requests, units and bytes to three counts in a row. */
static inline void ww_row_add(double *to, const ww_row *r) {
  to[0] += r->requests;
  to[1] += r->units;
  to[2] += r->bytes;
}
/* to += scale * from, where every member is a double. */
void ww_add_doubles(void *to, const void *from, size_t bytes, double scale);
/* per lane; MMA: 0 */
double ww_ins_flops(const ww_fn *fn, const ww_ins *i, ww_type *type);

/* ---- lines.c ---- */
void ww_count_lines(const ww_counter *c, ww_arena *a, ww_tally *out);
void ww_count_args(const ww_counter *c, ww_arena *a, ww_tally *out);

#endif
