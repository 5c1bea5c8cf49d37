/* library.c - see library.h.
 *
 * Vectors, random numbers, sorts: bytes over the bandwidth, behind what a small call
 * takes. Products: waves of tiles over the SMs, each at its SM's share of the peak, k
 * split where tiles are few; the tile that is best. Transforms: as many passes over
 * memory as a block's part of the points makes necessary. Efficiencies are those of an
 * H200. */
#include "library.h"

#define SPLIT 256.0    /* of k, the least that a block is given */
#define SPLIT_US 2.0   /* to add the parts up */
#define ALIGNED 8      /* elements: products of other sizes leave the fast path */
#define UNALIGNED 0.35 /* of its speed, where elements are of two bytes or less */
#define SPREAD 1.7     /* nine in ten measured calls lie within this factor */
#define DRAM_SHARE \
  0.75 /* of the achieved bandwidth, what products and transforms get */

typedef enum { PRODUCT_CALL, PASSES_CALL, TRANSFORM_CALL, RADIX_CALL } kind;

static const struct row {
  const char *library, *call;
  kind kind;
  int sizes;
  double n; /* passes, numbers, payload */
  double share, us;
} rows[] = {
#define PRODUCT(library, call) {library, call, PRODUCT_CALL, 4, 0, DRAM_SHARE, 0},
#define PASSES(library, call, sizes, ...) \
  {library, call, PASSES_CALL, sizes, __VA_ARGS__},
#define TRANSFORM(library, call, n) {library, call, TRANSFORM_CALL, 2, n, 0.9, 0},
#define RADIX(library, call, ...) {library, call, RADIX_CALL, 1, __VA_ARGS__},
#include "library.def"
};

static const struct type {
  const char *name;
  double bytes;
  double flops;      /* of a multiply-add, against a real one's */
  double efficiency; /* of the peak, of large products */
} types[] = {{"f64", 8, 1, 0.9},  {"f32", 4, 1, 0.76}, {"f16", 2, 1, 0.8},
             {"bf16", 2, 1, 0.8}, {"f8", 1, 1, 0.7},   {"i8", 1, 1, 0.7},
             {"c32", 8, 4, 0.76}, {"c64", 16, 4, 0.9}, {"u8", 1, 1, 0.7},
             {"i16", 2, 1, 0.7},  {"u16", 2, 1, 0.7},  {"i32", 4, 1, 0.7},
             {"u32", 4, 1, 0.7},  {"i64", 8, 1, 0.7},  {"u64", 8, 1, 0.7}};

/* Rows and columns that a block computes, and its speed against the largest. */
static const struct tile {
  double side, speed;
} tiles[] = {{128, 1}, {64, 0.6}, {32, 0.3}};

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
  return 1e3 * first_known(gbps, 1000);
}

/* rate: operations a us of an SM. */
static double
tiled(const ww_library_call *c, const struct tile *t, double sms, double rate) {
  double blocks = ceil(c->size[0] / t->side) * ceil(c->size[1] / t->side) * c->size[3];
  double split = fmin(ceil(c->size[2] / SPLIT), fmax(1, floor(sms / blocks)));
  double waves = ceil(blocks * split / sms);
  double depth = ceil(c->size[2] / split);
  return waves * 2 * t->side * t->side * depth / (rate * t->speed) +
         (split > 1 ? SPLIT_US : 0);
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
  double rate = 1e6 * first_known(peak_of(g, c->type), 10) * t->efficiency / t->flops;
  if (t->bytes <= 2 && (c->size[0] | c->size[1] | c->size[2]) % ALIGNED)
    rate *= UNALIGNED;
  double best = INFINITY;
  for (size_t i = 0; i < WW_COUNT(tiles); i++)
    best = fmin(best, tiled(c, &tiles[i], g->sms, rate / g->sms));
  return best;
}

/* Points of a transform that stay within a block need one pass, more need two or three.
 */
static double passes_of(double points, double bytes) {
  double log = log2(points);
  return log <= (bytes > 4 ? 13 : 14) ? 1 : fmax(2, ceil(log / 10));
}

static double bytes_of(const ww_library_call *c,
                       const struct row *r,
                       const struct type *t,
                       double *kernels) {
  double n = 1;
  for (int i = 0; i < r->sizes; i++)
    n *= c->size[i];
  if (r->kind == TRANSFORM_CALL) {
    *kernels = passes_of(c->size[0], t->bytes);
    return n * t->bytes * 2 * r->n * *kernels;
  }
  /* a byte of the key a pass, read and written; before them all bytes are counted */
  double passes = r->kind == RADIX_CALL ? t->bytes * 2 * (1 + r->n) + 1 : r->n;
  return n * t->bytes * passes;
}

static const struct row *row_of(const ww_library_call *c) {
  for (size_t i = 0; i < WW_COUNT(rows); i++)
    if (!strcmp(rows[i].library, c->name) && !strcmp(rows[i].call, c->call))
      return &rows[i];
  return NULL;
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
    out->bytes = bytes_of(c, r, t, &kernels);
  double memory = out->bytes / (bandwidth(g) * r->share);
  double begin = fmax(r->us, kernels * WW_FIGURE(g, launch_floor));
  out->us = begin + fmax(compute, memory);
  out->low = out->us / SPREAD;
  out->high = out->us * SPREAD;
  out->bottleneck = begin > fmax(compute, memory) ? WW_TERM_LAUNCH
                    : compute > memory            ? WW_TERM_PIPE
                                                  : WW_TERM_DRAM;
  return WW_OK;
}
