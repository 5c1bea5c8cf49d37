/* fill_core.h - component i of an allocation's contents, for the device: the values of
 * src/report/fill.c.
 *
 * Compiled twice: by nvcc into the fill kernel, and by the C compiler into a test that
 * holds it against ww_fill_bytes. What depends on the allocation alone (steps, ranges,
 * logarithms) is computed once on the host (ww_contents_job). Needs IEEE doubles
 * without contraction: nvcc -fmad=false, C17. */
#ifndef WW_FILL_CORE_H
#define WW_FILL_CORE_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define WW_CORE static __device__ __forceinline__
/* small code: the driver compiles it in every process */
#define WW_ROLLED _Pragma("unroll 1")
#else
#define WW_CORE static inline
#define WW_ROLLED
#endif

typedef enum {
  WW_NUMBER_F16,
  WW_NUMBER_BF16,
  WW_NUMBER_F32,
  WW_NUMBER_F64,
  WW_NUMBER_INT,
  WW_NUMBER_BOOL
} ww_number_kind;
/* The kinds of ww_fill that the device makes; the same order as there. */
typedef enum {
  WW_JOB_ONES,
  WW_JOB_INDEX,
  WW_JOB_RANDOM,
  WW_JOB_PERMUTATION,
  WW_JOB_MONOTONE,
  WW_JOB_ZIPF
} ww_job_kind;

typedef struct {
  uint64_t seed;
  uint64_t n;     /* components of the allocation; zeros behind them */
  uint64_t range; /* random integers, zipf: number of values */
  int64_t base;   /* the lowest, as an integer */
  double lo, hi;
  double top;      /* random floats: the largest below hi; zipf: log2(range + 1) */
  double step;     /* monotone: (hi - lo) / (n - 1) */
  uint32_t kind;   /* ww_job_kind */
  uint32_t number; /* ww_number_kind */
  uint32_t bytes;  /* of a component: 1, 2, 4, 8 */
  uint32_t given;  /* lo .. hi was given */
} ww_fill_job;

WW_CORE uint64_t core_mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

WW_CORE uint64_t core_random(uint64_t seed, uint64_t i) {
  return core_mix(core_mix(seed + 0x9e3779b97f4a7c15ull) + i * 0x9e3779b97f4a7c15ull);
}

WW_CORE uint64_t core_mulhi(uint64_t a, uint64_t b) {
#ifdef __CUDACC__
  return __umul64hi(a, b);
#else
  return (uint64_t)(((unsigned __int128)a * b) >> 64);
#endif
}

WW_CORE double core_unit(uint64_t r) {
  return (double)(r >> 11) * 0x1p-53;
}

/* Round to nearest even into `mant` stored mantissa bits and exponent bias `bias`;
 * never infinity.
 */
WW_CORE uint16_t core_small(double v, int mant, int bias, uint32_t most) {
  float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, 4);
  uint32_t sign = bits >> 31 << 15, m = (bits & 0x7fffff) | 0x800000;
  int exponent = (int)(bits >> 23 & 255) - 127 + bias, drop = 23 - mant;
  if ((bits & 0x7fffffff) == 0)
    return (uint16_t)sign;
  if (exponent <= 0) { /* subnormal: no hidden bit */
    drop += 1 - exponent;
    exponent = 0;
    if (drop > 24)
      return (uint16_t)sign;
  } else {
    m &= 0x7fffff;
  }
  uint32_t half = 1u << (drop - 1), kept = m >> drop, rest = m & ((1u << drop) - 1);
  kept += rest > half || (rest == half && (kept & 1));
  uint32_t out = ((uint32_t)exponent << mant) + kept;
  return (uint16_t)(sign | (out > most ? most : out));
}

WW_CORE uint64_t core_float(const ww_fill_job *j, double v) {
  uint64_t bits = 0;
  float f = (float)v;
  switch (j->number) {
  case WW_NUMBER_F64:
    memcpy(&bits, &v, 8);
    return bits;
  case WW_NUMBER_F32:
    memcpy(&bits, &f, 4);
    return bits;
  case WW_NUMBER_F16:
    return core_small(v, 10, 15, 0x7bff);
  default:
    return core_small(v, 7, 127, 0x7f7f);
  }
}

WW_CORE uint64_t core_int(const ww_fill_job *j, int64_t v) {
  if (j->number <= WW_NUMBER_F64)
    return core_float(j, (double)v);
  return j->number == WW_NUMBER_BOOL ? v != 0 : (uint64_t)v;
}

/* As a C conversion, but what no integer holds becomes the nearest that does. */
WW_CORE int64_t core_whole(double v) {
  return v >= 0x1p63 ? INT64_MAX : v <= -0x1p63 ? INT64_MIN : (int64_t)v;
}

WW_CORE uint64_t core_random_component(const ww_fill_job *j, uint64_t r) {
  if (j->number <= WW_NUMBER_F64) {
    uint32_t bits = j->number == WW_NUMBER_F64   ? 53
                    : j->number == WW_NUMBER_F32 ? 24
                    : j->number == WW_NUMBER_F16 ? 11
                                                 : 8;
    double u = (double)(r >> (64 - bits)) / (double)((uint64_t)1 << bits);
    if (!j->given)
      return core_float(j, u);
    double v = j->lo + u * (j->hi - j->lo);
    if (v > j->top)
      v = j->top;
    return core_float(j, v < j->lo ? j->lo : v);
  }
  if (j->number == WW_NUMBER_BOOL)
    return r >> 63;
  return j->given ? (uint64_t)j->base + core_mulhi(r, j->range) : r;
}

/* A bijection of [0, n): an alternating Feistel network over the next power of two,
 * walked until it lands inside. */
WW_CORE uint64_t core_permuted(uint64_t seed, uint64_t i, uint64_t n) {
  if (n < 2)
    return 0;
  uint32_t bits = 0;
  for (uint64_t v = n - 1; v; v >>= 1)
    bits++;
  if (bits < 2)
    bits = 2;
  uint32_t low = bits / 2, high = bits - low;
  uint64_t low_mask = ((uint64_t)1 << low) - 1, high_mask = ((uint64_t)1 << high) - 1;
  do {
    uint64_t l = i & low_mask, h = i >> low;
    WW_ROLLED
    for (uint64_t round = 0; round < 4; round++) {
      h ^= core_random(seed + 2 * round, l) & high_mask;
      l ^= core_random(seed + 2 * round + 1, h) & low_mask;
    }
    i = h << low | l;
  } while (i >= n);
  return i;
}

WW_CORE double core_monotone(const ww_fill_job *j, uint64_t i) {
  if (i == 0 || j->n < 2)
    return j->lo;
  if (i >= j->n - 1)
    return j->hi;
  return j->lo + ((double)i + core_unit(core_random(j->seed, i))) * j->step;
}

WW_CORE uint64_t core_zipf(const ww_fill_job *j, uint64_t r) {
  double x = core_unit(r) * j->top;
  int k = x < 63 ? (int)x : 63;
  double f = (x - k) * 0.6931471805599453094, term = 1, sum = 1;
  WW_ROLLED
  for (int n = 1; n < 20; n++) {
    term *= f / n;
    sum += term;
  }
  double rank = sum * (double)((uint64_t)1 << k) - 1.0;
  uint64_t v = rank >= 0x1p64 ? UINT64_MAX : rank > 0 ? (uint64_t)rank : 0;
  return v < j->range ? v : j->range - 1;
}

/* The low `bytes` of it are component i, i < n. */
WW_CORE uint64_t core_component(const ww_fill_job *j, uint64_t i) {
  switch (j->kind) {
  case WW_JOB_ONES:
    return core_int(j, 1);
  case WW_JOB_INDEX:
    return core_int(j, (int64_t)i);
  case WW_JOB_PERMUTATION:
    return core_int(j, (int64_t)((uint64_t)j->base + core_permuted(j->seed, i, j->n)));
  case WW_JOB_MONOTONE: {
    double v = core_monotone(j, i);
    return j->number <= WW_NUMBER_F64 ? core_float(j, v) : core_int(j, core_whole(v));
  }
  case WW_JOB_ZIPF:
    return core_int(
        j, (int64_t)((uint64_t)j->base + core_zipf(j, core_random(j->seed, i))));
  default:
    return core_random_component(j, core_random(j->seed, i));
  }
}

/* Eight bytes of the allocation, number `at`: its components, and zeros behind the
 * last. */
WW_CORE uint64_t core_eight(const ww_fill_job *j, uint64_t at) {
  uint32_t per = 8 / j->bytes, width = 8 * j->bytes;
  uint64_t out = 0, first = at * per, mask = UINT64_MAX >> (64 - width);
  WW_ROLLED
  for (uint32_t k = 0; k < per; k++)
    if (first + k < j->n)
      out |= (core_component(j, first + k) & mask) << (k * width);
  return out;
}

#endif
