/* roofline.h - kernels under the roofs of a GPU: what arithmetic and memory allow,
 * where the kernels are.
 *
 * A kernel's place is its flops per byte of DRAM traffic and its flops per second. One
 * that computes nothing in floating point, or moves nothing, has no place and is listed
 * as such. */
#ifndef WW_ROOFLINE_H
#define WW_ROOFLINE_H

#include "../../gpu/gpu.h"
#include "../../report/report.h"

typedef enum {
  WW_ROOF_DRAM,
  WW_ROOF_L2,
  WW_ROOF_FP64,
  WW_ROOF_FP32,
  WW_ROOF_TENSOR,
  WW_NROOFS
} ww_roof;
extern const char *const ww_roof_names[WW_NROOFS];

typedef struct {
  /* GB/s of memories, GFLOP/s of arithmetic; NaN: the GPU has none, or nobody knows it
   */
  double v[WW_NROOFS];
} ww_roofs;
void ww_roofs_of(const ww_gpu *g, ww_roofs *out);
/* What the roofs allow at this intensity: memory against the highest of the named
 * precisions. */
double ww_roof_at(const ww_roofs *r, ww_roof precision, double ai);

typedef struct {
  const char *kernel; /* label */
  uint32_t gpu;       /* index into the GPUs of the plot */
  bool measured;
  double ai, gflops; /* flop per DRAM byte, GFLOP/s */
  ww_roof precision; /* of most of its flops */
  double roof;       /* GFLOP/s that the roofs allow it */
} ww_roof_point;
/* False: the report has no place in the plot; `why` says it in words. */
bool ww_roof_point_of(const ww_report *r,
                      const ww_roofs *roofs,
                      uint32_t gpu,
                      ww_roof_point *out,
                      const char **why);

typedef struct {
  const ww_gpu *gpus; /* n of them, with their roofs */
  const ww_roofs *roofs;
  uint32_t ngpus;
  const ww_roof_point *points;
  uint32_t npoints;
} ww_roofline;
/* 80 x 24 and one line a point */
void ww_roofline_print(const ww_roofline *r, FILE *f);
void ww_roofline_svg(const ww_roofline *r, ww_buf *out);

/* The number of a point's kernel, in the order in which kernels appear; *first: it is
 * the first point of it. */
uint32_t ww_roof_kernel(const ww_roofline *r, uint32_t point, bool *first);
double ww_roof_top(const ww_roofs *r); /* the highest peak, GFLOP/s */

#endif
