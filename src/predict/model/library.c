/* library.c - see library.h.
 *
 * Vectors, random numbers, sorts: bytes over the bandwidth, once for each kernel's
 * floor. Products: the roof, lowered by tiles that do not fill the SMs. Transforms: as
 * many passes over memory as a block's part of the points makes necessary. */
#include "library.h"

#define TILE 128.0      /* rows and columns of a product that a block computes */
#define SPLIT 256.0     /* of k, the least that a block is given */
#define PASS_POINTS 13  /* of a transform, log2: what one pass does */
#define SPREAD 1.6      /* 90 % of measured calls lie within this factor */
#define DRAM_SHARE 0.85 /* of the achieved bandwidth, what library kernels get */

typedef enum { PRODUCT_CALL, PASSES_CALL, TRANSFORM_CALL, RADIX_CALL } kind;

static const struct row {
  const char *library, *call;
  kind kind;
  int sizes;
  double n; /* passes, numbers, payload */
} rows[] = {
#define PRODUCT(library, call) {library, call, PRODUCT_CALL, 4, 0},
#define PASSES(library, call, sizes, n) {library, call, PASSES_CALL, sizes, n},
#define TRANSFORM(library, call, n) {library, call, TRANSFORM_CALL, 2, n},
#define RADIX(library, call, n) {library, call, RADIX_CALL, 1, n},
#include "library.def"
};

static const struct type {
  const char *name;
  double bytes;
  double flops;      /* of a multiply-add, against a real one's two */
  double efficiency; /* of the peak, of large products */
} types[] = {{"f64", 8, 1, 0.9},  {"f32", 4, 1, 0.9},  {"f16", 2, 1, 0.7},
             {"bf16", 2, 1, 0.7}, {"f8", 1, 1, 0.6},   {"i8", 1, 1, 0.6},
             {"c32", 8, 4, 0.9},  {"c64", 16, 4, 0.9}, {"u8", 1, 1, 0.6},
             {"i16", 2, 1, 0.6},  {"u16", 2, 1, 0.6},  {"i32", 4, 1, 0.6},
             {"u32", 4, 1, 0.6},  {"i64", 8, 1, 0.6},  {"u64", 8, 1, 0.6}};

static const struct type *type_of(const char *name) {
  for (size_t i = 0; i < WW_COUNT(types); i++)
    if (!strcmp(types[i].name, name))
      return &types[i];
  return NULL;
}

static double first_known(double a, double b) {
  return a > 0 ? a : b;
}

/* TFLOP/s. */
static double peak_of(const ww_gpu *g, const char *type) {
  if (!strcmp(type, "f64") || !strcmp(type, "c64"))
    return fmax(first_known(g->peak_tensor_fp64, 0), first_known(g->peak_fp64, 0));
  if (!strcmp(type, "f16"))
    return first_known(g->peak_tensor_fp16, g->peak_fp16);
  if (!strcmp(type, "bf16"))
    return first_known(g->peak_tensor_bf16, g->peak_fp16);
  if (!strcmp(type, "f8"))
    return first_known(g->peak_tensor_fp8, g->peak_tensor_fp16);
  if (!strcmp(type, "i8"))
    return first_known(g->peak_tensor_int8, g->peak_fp32);
  return g->peak_fp32;
}

static double bandwidth(const ww_gpu *g) { /* bytes a us */
  double gbps = first_known(g->dram_copy, first_known(g->dram_read, g->dram_peak));
  return DRAM_SHARE * 1e3 * first_known(gbps, 1000);
}

/* What the SMs are used of: blocks in whole waves, k split where there are few. */
static double used(const ww_library_call *c, double sms) {
  double blocks = ceil(c->size[0] / TILE) * ceil(c->size[1] / TILE) * c->size[3];
  double split = fmin(ceil(c->size[2] / SPLIT), fmax(1, floor(sms / blocks)));
  blocks *= split;
  double filled = (c->size[0] / (ceil(c->size[0] / TILE) * TILE)) *
                  (c->size[1] / (ceil(c->size[1] / TILE) * TILE));
  return blocks / (ceil(blocks / sms) * sms) * fmax(filled, 0.25);
}

static double product(const ww_library_call *c,
                      const struct type *t,
                      const ww_gpu *g,
                      ww_library_time *out) {
  double m = c->size[0];
  double n = c->size[1];
  double k = c->size[2];
  out->flops = 2 * m * n * k * c->size[3] * t->flops;
  out->bytes = (m * k + k * n + m * n) * c->size[3] * t->bytes;
  double peak = first_known(peak_of(g, c->type), 10);
  return out->flops / (1e6 * peak * t->efficiency * used(c, g->sms));
}

static double passes_of_sort(const struct type *t, double payload) {
  /* a byte of the key a pass, read and written; before them all bytes are counted */
  return t->bytes * 2 * (1 + payload) + 1;
}

static const struct row *row_of(const ww_library_call *c) {
  for (size_t i = 0; i < WW_COUNT(rows); i++)
    if (!strcmp(rows[i].library, c->name) && !strcmp(rows[i].call, c->call))
      return &rows[i];
  return NULL;
}

/* Kernels that follow one another. */
static double work_of(const ww_library_call *c,
                      const struct row *r,
                      const struct type *t,
                      double *bytes) {
  double n = 1;
  for (int i = 0; i < r->sizes; i++)
    n *= c->size[i];
  if (r->kind == TRANSFORM_CALL) {
    double passes = fmax(1, ceil(log2(c->size[0]) / PASS_POINTS));
    *bytes = n * t->bytes * (r->n + 2 + 4 * (passes - 1));
    return passes;
  }
  double passes = r->kind == RADIX_CALL ? passes_of_sort(t, r->n) : r->n;
  *bytes = n * t->bytes * passes;
  return r->kind == RADIX_CALL ? t->bytes + 2 : 1;
}

ww_status ww_library_predict(const ww_library_call *c,
                             const ww_gpu *g,
                             ww_library_time *out,
                             ww_err *e) {
  const struct row *r = row_of(c);
  const struct type *t = type_of(c->type);
  *out = (ww_library_time){0};
  if (!r)
    return ww_fail(e, WW_EUNSUPPORTED, "calls of %.40s's %.40s cannot be predicted",
                   c->name, c->call);
  if (!t)
    return ww_fail(e, WW_EUNSUPPORTED, "library.type: '%.40s' is not known", c->type);
  double kernels = 1;
  double compute = 0;
  if (r->kind == PRODUCT_CALL)
    compute = product(c, t, g, out);
  else
    kernels = work_of(c, r, t, &out->bytes);
  double memory = out->bytes / bandwidth(g);
  double floor_us = WW_FIGURE(g, launch_floor);
  out->us = kernels * floor_us + fmax(compute, memory);
  out->low = out->us / SPREAD;
  out->high = out->us * SPREAD;
  out->bottleneck = kernels * floor_us > fmax(compute, memory) ? WW_TERM_LAUNCH
                    : compute > memory                         ? WW_TERM_PIPE
                                                               : WW_TERM_DRAM;
  return WW_OK;
}
