/* page_export.h - reports as one HTML file to pass on: no script, nothing fetched,
 * opens from disk in light and dark. */
#ifndef WW_PREDICT_PAGE_EXPORT_H
#define WW_PREDICT_PAGE_EXPORT_H

#include "../../gpu/gpu.h"
#include "../../report/report.h"

typedef struct {
  /* explained: kernels in order, GPUs within each; errors too */
  const ww_report *reports;
  uint32_t n;
  const ww_gpu *gpus; /* those of the reports, for their roofs and full names */
  uint32_t ngpus;
  const char *(*source)(void *ctx,
                        const char *file,
                        ww_arena *a); /* its text; NULL: not to be had. May be NULL */
  void *ctx;
  /* sections before the kernels; NULL: none */
  void (*first)(void *ctx, ww_buf *out);
  const char *title; /* NULL: the file of the first report */
  const char *made;  /* the command or the request it comes from, in words */
} ww_export;
void ww_export_html(const ww_export *x, ww_buf *out);
const char *ww_export_css(void); /* the style of such pages */

/* A `source` for who may read any file: ctx is not used. */
const char *ww_export_from_disk(void *ctx, const char *file, ww_arena *a);

#endif
