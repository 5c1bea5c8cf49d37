/* compare.c - two images of a kernel's memory, element by element; see diff.h.
 *
 * Bits first; NaNs are the same whatever their payload, which the standards leave open. Floats of
 * other bits are near when they are within `relative` of the larger, or within `absolute` of the
 * largest of the buffer (a sum whose terms cancel keeps the error of its terms). Integers are the
 * same or far. */
#include "diff.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  double relative, absolute;
} tolerance;
static const tolerance of_f32 = {1e-4, 1e-6}, of_f64 = {1e-10, 1e-13};

typedef struct {
  char kind; /* 'f', 'i' */
  uint32_t bytes;
  const char *type;
} component;

static component component_of(const char *type) {
  component c = {.type = type};
  uint32_t lanes;
  if (!ww_elem_parts(type, &c.kind, &c.bytes, &lanes)) {
    c.kind = 'i';
    c.bytes = 1;
  }
  return c;
}

static double float_at(component c, const uint8_t *p) {
  float f;
  double d;
  if (c.bytes == 4)
    return memcpy(&f, p, 4), (double)f;
  return memcpy(&d, p, 8), d;
}

static uint64_t bits_at(component c, const uint8_t *p) {
  uint64_t v = 0;
  memcpy(&v, p, c.bytes);
  return v;
}

static void show(component c, const uint8_t *p, char out[32]) {
  if (c.kind == 'f')
    snprintf(out, 32, c.bytes == 4 ? "%.9g" : "%.17g", float_at(c, p));
  else
    snprintf(out, 32, "0x%llx", (unsigned long long)bits_at(c, p));
}

static double largest(component c, const uint8_t *p, uint64_t n) {
  double most = 0;
  for (uint64_t i = 0; c.kind == 'f' && i < n; i++) {
    double v = fabs(float_at(c, p + i * c.bytes));
    if (isfinite(v) && v > most)
      most = v;
  }
  return most;
}

static diff_verdict
compare_one(component c, const uint8_t *x, const uint8_t *y, double most, double *relative) {
  *relative = 0;
  if (!memcmp(x, y, c.bytes))
    return DIFF_SAME;
  if (c.kind != 'f')
    return DIFF_FAR;
  double a = float_at(c, x), b = float_at(c, y), apart = fabs(a - b), size = fmax(fabs(a), fabs(b));
  if (isnan(a) && isnan(b))
    return DIFF_SAME;
  if (!isfinite(a) || !isfinite(b))
    return *relative = INFINITY, DIFF_FAR;
  tolerance t = c.bytes == 4 ? of_f32 : of_f64;
  if (apart <= t.absolute * most)
    return DIFF_NEAR; /* its relative difference says nothing */
  *relative = apart / size;
  return apart <= t.relative * size ? DIFF_NEAR : DIFF_FAR;
}

static void compare_buffer(const diff_buffer *b,
                           const uint8_t *ours,
                           const uint8_t *theirs,
                           diff_comparison *out) {
  component c = component_of(b->type);
  uint64_t n = b->bytes / c.bytes;
  double most = largest(c, ours, n), relative;
  out->elements += n;
  for (uint64_t i = 0; i < n; i++) {
    const uint8_t *x = ours + i * c.bytes, *y = theirs + i * c.bytes;
    diff_verdict v = compare_one(c, x, y, most, &relative);
    out->other += v != DIFF_SAME;
    out->far += v == DIFF_FAR;
    if (relative > out->worst)
      out->worst = relative;
    if (v <= out->verdict)
      continue;
    out->verdict = (uint8_t)v;
    out->arg = b->arg;
    out->index = i;
    show(c, x, out->ours);
    show(c, y, out->theirs);
  }
}

/* ---- in any order ---- */

static int by_float(const void *x, const void *y) {
  float a = *(const float *)x, b = *(const float *)y;
  return (a > b) - (a < b);
}
static int by_double(const void *x, const void *y) {
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}
#define BY_BITS(n)                                      \
  static int by_bits##n(const void *x, const void *y) { \
    return memcmp(x, y, n);                             \
  }
BY_BITS(1)
BY_BITS(2)
BY_BITS(4)
BY_BITS(8)

static uint8_t *sorted_copy(component c, const uint8_t *p, uint64_t bytes) {
  uint8_t *v = ww_xmalloc(bytes + 1);
  memcpy(v, p, bytes);
  bool f = c.kind == 'f';
  qsort(v, bytes / c.bytes, c.bytes,
        c.bytes == 1   ? by_bits1
        : c.bytes == 2 ? by_bits2
        : c.bytes == 4 ? (f ? by_float : by_bits4)
        : f            ? by_double
                       : by_bits8);
  return v;
}

void diff_compare(const diff_kernel *k,
                  const uint8_t *ours,
                  const uint8_t *theirs,
                  bool sorted,
                  diff_comparison *out) {
  *out = (diff_comparison){0};
  for (uint32_t i = 0; i < k->nbuffers; i++) {
    const diff_buffer *b = &k->buffers[i];
    const uint8_t *x = ours + b->at, *y = theirs + b->at;
    component c = component_of(b->type);
    uint8_t *sx = sorted ? sorted_copy(c, x, b->bytes) : NULL,
            *sy = sorted ? sorted_copy(c, y, b->bytes) : NULL;
    compare_buffer(b, sorted ? sx : x, sorted ? sy : y, out);
    free(sx);
    free(sy);
  }
}

bool diff_gaps_intact(const diff_kernel *k, const uint8_t *image) {
  uint64_t at = 0;
  for (uint32_t i = 0; i <= k->nbuffers; i++) {
    uint64_t end = i < k->nbuffers ? k->buffers[i].at : k->bytes;
    for (; at < end; at++)
      if (image[at] != DIFF_POISON)
        return false;
    if (i < k->nbuffers)
      at = end + k->buffers[i].bytes;
  }
  return true;
}
