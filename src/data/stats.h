/* stats.h - what is in a store: counts, noise, distributions; against a repeat
 * campaign; against another set of measurements.
 *
 *   stats.c           rows -> counts;  stats_spread.c  rows -> histograms, and how one
 * set covers another stats_repeat.c    the same launches on two occasions stats_show.c
 * for people; stats_json.c  for programs;  stats_svg.c  pictures and a page */
#ifndef WW_DATA_STATS_H
#define WW_DATA_STATS_H

#include "../base/map.h"
#include "machine.h"
#include "store.h"

/* ---- distributions ---- */

typedef enum {
  WW_SPREAD_time,
  WW_SPREAD_blocks_per_sm,
  WW_SPREAD_occupancy,
  WW_SPREAD_ai,
  WW_SPREAD_l1_hit,
  WW_SPREAD_l2_hit,
  WW_SPREAD_dram_bytes,
  WW_SPREAD_active_lanes,
  WW_SPREAD_load_sectors,
  WW_SPREAD_int_share,
  WW_SPREAD_fp32_share,
  WW_SPREAD_fp64_share,
  WW_SPREAD_fp16_share,
  WW_SPREAD_tensor_share,
  WW_NSPREADS
} ww_spread_id;

typedef struct {
  const char *id, *title, *axis; /* "l1_hit", "L1 hit rate", "% of sectors" */
  double lo, hi;                 /* of the bins */
  bool log;
  /* what an exact zero means, in a bin of its own: "no flops"; NULL: it is a value like
   * others */
  const char *zero;
  uint32_t bins;
} ww_spread_info;
extern const ww_spread_info ww_spreads[WW_NSPREADS];

/* Places of a quantity: its bins, then those for exact zeros and for what lies below
 * and above the bins. */
enum {
  WW_MOST_BINS = 24,
  WW_ZERO = WW_MOST_BINS,
  WW_BELOW,
  WW_ABOVE,
  WW_NPLACES,
  WW_UNKNOWN = 255,
  WW_COVERED_FROM = 20
};
typedef struct {
  /* n: all of them; launches of which the quantity is known */
  uint64_t at[WW_NPLACES], n;
} ww_spread;

/* NaN: not known */
double ww_spread_value(const ww_store_row *r, uint32_t sms, ww_spread_id q);
uint32_t ww_spread_place(const ww_spread_info *i, double v);
double ww_spread_edge(const ww_spread_info *i,
                      uint32_t bin); /* lower edge; bin == bins: the upper end */
/* The share of the other set's launches in places where `ours` has at least
 * WW_COVERED_FROM; NaN: it has none. */
double ww_spread_cover(const ww_spread *ours, const ww_spread *other);

/* ---- counts ---- */

typedef struct {
  uint64_t kernels, launches, with_counters;
} ww_row_counts;

typedef struct {
  const char *name;
  ww_origin origin;
  ww_split split;
  ww_row_counts n;
} ww_family;

typedef struct {
  ww_status code;
  const char *text;    /* the message without what is special to one launch */
  const char *example; /* key of a kernel */
  uint64_t n;
} ww_cause;

typedef struct {
  const char *name, *device;
  uint32_t sms;
  uint64_t launches;
} ww_stats_gpu;

/* By blocks and SMs, as launches are sampled. */
enum { WW_FEW_BLOCKS, WW_TO_20, WW_TO_1000, WW_BEYOND_1000, WW_NBLOCKINGS };
/* "fewer blocks than SMs", ... */
extern const char *const ww_blocking_names[WW_NBLOCKINGS];

typedef struct ww_stats ww_stats;
struct ww_stats {
  ww_arena *a;
  const char *name; /* of the set, in words */
  ww_row_counts all, split[WW_NSPLITS], origin[WW_NORIGINS];
  uint64_t failed;
  WW_VEC(ww_family) families; /* most launches first, once finished */
  WW_VEC(ww_cause) causes;    /* most first */
  WW_VEC(ww_stats_gpu) gpus;
  uint64_t blocking[WW_NBLOCKINGS], blocking_known;
  /* integer_only: of those with counters */
  uint64_t integer_only, under_10us, above_10ms;
  double noise_median, noise_p95,
      noisy; /* iqr / median of a launch's runs; noisy: the share above 5 % */
  double time_least, time_median, time_most;
  ww_spread spread[WW_NSPREADS];
  WW_VEC(uint8_t) places; /* WW_NSPREADS a launch */
  /* while rows are added */
  WW_VEC(float) noise, times;
  ww_map seen; /* hashes of kernels' keys */
  ww_machines machines;
};

void ww_stats_begin(ww_stats *s, const char *name);
ww_status
ww_stats_row(void *stats, const ww_store_row *r, ww_err *e); /* for ww_store_each */
void ww_stats_end(ww_stats *s);                              /* quantiles, order */
void ww_stats_free(ww_stats *s);
int ww_stats_by_value(const void *x, const void *y); /* of floats, for qsort */
/* The share of the other set's launches that are covered in every quantity known of
 * them. */
double ww_stats_cover(const ww_stats *ours, const ww_stats *other);

/* ---- the same launches on two occasions ---- */

enum { WW_WORST_REPEATS = 20 };
typedef struct {
  char key[160];
  uint32_t number;
  double first_us, second_us, iqr_us; /* iqr_us: the larger of both occasions' */
  double off;                         /* second / first - 1 */
} ww_repeat_row;

typedef struct {
  uint64_t compared, agree; /* within 5 %, or 0.25 us below 5 us */
  /* of the others: the row's own spread says that it is noisy (iqr at least half the
   * difference) */
  uint64_t told;
  /* rows of the repetition that the store does not have, or that failed on either side
   */
  uint64_t absent;
  double median, p95; /* of |off| */
  ww_repeat_row worst[WW_WORST_REPEATS];
  uint32_t nworst;
} ww_repeat_counts;
/* `again`: the store of the repetition. */
ww_status
ww_repeats_find(ww_store *s, ww_store *again, ww_repeat_counts *out, ww_err *e);

/* ---- output ---- */

typedef struct {
  const ww_stats *ours, *other;    /* other NULL: nothing to compare with */
  const ww_repeat_counts *repeats; /* NULL: none */
} ww_stats_view;
void ww_stats_print(const ww_stats_view *v, FILE *f);
void ww_stats_json(const ww_stats_view *v, ww_buf *out);
void ww_spread_svg(const ww_stats_view *v, ww_spread_id q, ww_buf *out);
void ww_stats_page(const ww_stats_view *v, ww_buf *out);
/* One picture a quantity, DIR/<id>.svg; the folder is made. */
ww_status ww_stats_pictures(const ww_stats_view *v, const char *dir, ww_err *e);

#endif
