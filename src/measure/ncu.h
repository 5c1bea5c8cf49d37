/* ncu.h - the same launches under Nsight Compute, to compare with. */
#ifndef WW_MEASURE_NCU_H
#define WW_MEASURE_NCU_H

#include "measure.h"

typedef struct {
  bool known;            /* ncu has a row for this launch */
  double m[WW_NMETRICS]; /* NaN: ncu does not tell */
} ww_ncu_row;

/* Runs `self measure --once` with the launches under ncu, once for all counters, three
 * times for the time (the median is taken); rows[i] belongs to launch i. */
ww_status ww_ncu_run(const ww_launch *l,
                     uint32_t n,
                     const ww_measure_options *o,
                     const char *self,
                     ww_arena *a,
                     ww_ncu_row **rows,
                     ww_err *e);
/* ---- ncu_table.c: what `ncu --csv` prints ---- */
typedef struct {
  const char *kernel, *device; /* as the table names them; device NULL: it does not */
  uint64_t grid[3], block[3];  /* 0: not told */
  ww_ncu_row row;
} ww_ncu_launch;
typedef WW_VEC(ww_ncu_launch) ww_ncu_table;
/* Launches in the table's order, in any of its units: --page raw has a row a launch and
 * a column a metric, --page details a row a metric. What stands before the table is
 * skipped. */
ww_status ww_ncu_read(const char *csv, ww_arena *a, ww_ncu_table *out, ww_err *e);
/* The names of metrics that are no counters, a comma before each. */
void ww_ncu_attributes(ww_buf *out);

/* The table's rows that belong to launches, in order. */
ww_status ww_ncu_parse(const char *csv,
                       const ww_launch *l,
                       uint32_t n,
                       ww_arena *a,
                       ww_ncu_row *rows,
                       ww_err *e);
/* Ours minus theirs, in per cent of theirs; NaN where one of them is not known or
 * theirs is zero.
 */
double ww_ncu_deviation(const ww_ncu_row *row, const ww_report *r, ww_metric m);
void ww_ncu_write(const ww_ncu_row *row,
                  const ww_report *r,
                  ww_json *j); /* members "ncu" and "deviation_pct" */
void ww_ncu_print(const ww_ncu_row *row, const ww_report *r, FILE *f);

#endif
