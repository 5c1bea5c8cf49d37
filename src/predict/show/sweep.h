/* sweep.h - one launch over a range of sizes: which values, the table, the curve. */
#ifndef WW_SWEEP_H
#define WW_SWEEP_H

#include "../../report/report.h"

typedef struct {
  const char *name; /* an argument, or grid or block */
  uint64_t *v;      /* ascending */
  uint32_t n;
} ww_sweep;

/* n=1K..64M, n=1K..64M:9 (points, spaced by equal factors), n=1000,5000,20000. K, M, G
 * are 2^10, 2^20, 2^30. Without a number of points each is twice the one before. */
ww_status ww_sweep_parse(const char *text, ww_arena *a, ww_sweep *out, ww_err *e);
/* The launch with this value in its place; what else it gives as an expression follows.
 */
ww_status
ww_sweep_launch(const ww_sweep *s, uint64_t v, ww_arena *a, ww_launch *l, ww_err *e);

typedef struct {
  bool known;
  double us, low, high;
  const char *bound; /* in words */
} ww_sweep_point;

/* points[i * ngpus + g] is value i on GPU g. */
typedef struct {
  const ww_sweep *sweep;
  const char *const *gpus;
  uint32_t ngpus;
  const ww_sweep_point *points;
  const char *kernel, *file;
  ww_report last; /* of the last value: what was assumed there */
} ww_sweep_result;
void ww_sweep_print(const ww_sweep_result *r, FILE *f);
void ww_sweep_svg(const ww_sweep_result *r, ww_buf *out);

#endif
