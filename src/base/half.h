/* half.h - half precision and bfloat16 as floats and back, to nearest even; NaN stays
 * NaN, quiet, with what fits of its payload.
 *
 * The vector versions of lm/ give the same bits. report/fill.c has a conversion of its
 * own that never gives infinity: contents of buffers are frozen by it, here and on the
 * device. */
#ifndef WW_BASE_HALF_H
#define WW_BASE_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t ww_float_bits(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}

static inline float ww_bits_float(uint32_t u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}

static inline float ww_half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
  if (rest > 0x7c00)
    return ww_bits_float(sign | 0x7fc00000 | rest << 13);
  if (rest == 0x7c00)
    return ww_bits_float(sign | 0x7f800000);
  /* subnormal or 0: exact */
  if (rest < 0x0400)
    return ww_bits_float(sign | ww_float_bits((float)rest * 0x1p-24f));
  return ww_bits_float(sign | ((rest << 13) + (112u << 23)));
}

static inline uint16_t ww_float_to_half(float f) {
  uint32_t u = ww_float_bits(f), sign = u >> 16 & 0x8000, x = u & 0x7fffffff;
  if (x > 0x7f800000)
    return sign | 0x7e00 | (x >> 13 & 0x3ff);
  if (x >= 0x477ff000)
    return sign | 0x7c00; /* 65520 and more: infinite */
  /* below 2^-14: steps of 2^-24, which is what a float of 0.5 to 1 has */
  if (x < 0x38800000)
    return sign | (ww_float_bits(ww_bits_float(x) + 0.5f) - 0x3f000000);
  return sign | (x - (112u << 23) + 0xfff + (x >> 13 & 1)) >> 13;
}

/* Rounds once, where ww_float_to_half of a double would round twice. NaN becomes
 * 0x7e00. */
static inline uint16_t ww_double_to_half(double v) {
  if (isnan(v))
    return 0x7e00;
  uint16_t sign = signbit(v) ? 0x8000 : 0;
  double m = fabs(v);
  if (m >= 65520.0)
    return sign | 0x7c00;
  if (m < 0x1p-14)
    return sign | (uint16_t)nearbyint(m * 0x1p24);
  int e;
  double f = frexp(m, &e); /* f in [0.5, 1) */
  return sign + ((e + 14) << 10) + (int)nearbyint((f * 2 - 1) * 1024);
}

static inline float ww_bf16_to_float(uint16_t h) {
  return ww_bits_float((uint32_t)h << 16);
}

static inline uint16_t ww_float_to_bf16(float f) {
  uint32_t u = ww_float_bits(f);
  if ((u & 0x7fffffff) > 0x7f800000)
    return u >> 16 | 0x40;
  return (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

#endif
