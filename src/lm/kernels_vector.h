/* kernels_vector.h - vectors of VW floats for kernels_isa.c: what the compiler's vector
 * types cannot say alone. */
#ifndef WW_LM_KERNELS_VECTOR_H
#define WW_LM_KERNELS_VECTOR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../base/half.h"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
#define VW 16
#elif defined(__AVX2__)
#define VW 8
#else
#define VW 4
#endif
#if defined(__AMX_BF16__)
#define NAME "amx-bf16"
#elif defined(__AVX512VNNI__)
#define NAME "avx512-vnni"
#elif defined(__AVX512F__)
#define NAME "avx512"
#elif defined(__AVX2__)
#define NAME "avx2"
#else
#define NAME "portable"
#endif
enum { NV = 16 / VW }; /* vectors of a panel's column */

#define ALWAYS static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")
/* a loop of constant length, unrolled */
#define EACH(i, n) UNROLL for (int i = 0; i < (n); i++)

typedef float vf __attribute__((vector_size(4 * VW)));
typedef int32_t vi __attribute__((vector_size(4 * VW)));
/* in memory, wherever it lies */
typedef float vf_any __attribute__((vector_size(4 * VW), aligned(4), may_alias));
typedef int32_t vi_any __attribute__((vector_size(4 * VW), aligned(1), may_alias));

ALWAYS vf vf_all(float x) {
  return x - (vf){0};
}
ALWAYS vi vi_all(int32_t x) {
  return x - (vi){0};
}
ALWAYS vf vf_load(const float *p) {
  return *(const vf_any *)p;
}
ALWAYS vi vi_load(const void *p) {
  return *(const vi_any *)p;
}
ALWAYS void vf_store(float *p, vf v) {
  *(vf_any *)p = v;
}
ALWAYS vf vf_of_int(vi v) {
  return __builtin_convertvector(v, vf);
}

ALWAYS int32_t load_i32(const void *p) {
  int32_t v;
  memcpy(&v, p, 4);
  return v;
}

ALWAYS vf vf_max(vf a, vf b) {
#if defined(__AVX512F__)
  return _mm512_max_ps(a, b);
#elif defined(__AVX2__)
  return _mm256_max_ps(a, b);
#else
  vi more = a > b;
  return (vf)(((vi)a & more) | ((vi)b & ~more));
#endif
}

ALWAYS float vf_sum(vf v) {
#if defined(__AVX512F__)
  return _mm512_reduce_add_ps(v);
#else
  float s = 0;
  for (int i = 0; i < VW; i++)
    s += v[i];
  return s;
#endif
}

ALWAYS float vf_most(vf v) {
#if defined(__AVX512F__)
  return _mm512_reduce_max_ps(v);
#else
  float s = v[0];
  for (int i = 1; i < VW; i++)
    s = v[i] > s ? v[i] : s;
  return s;
#endif
}

/* e^x within 2 units of the last place; below -87 a number that is as good as 0. */
ALWAYS vf vf_exp(vf x) {
  x = vf_max(x, vf_all(-87.0f));
  x = -vf_max(-x, vf_all(-88.0f));
  /* 1.5 x 2^23: rounds to an integer in the low bits */
  vf n = x * 1.44269504f + 12582912.0f;
  vi power = (vi)n << 23;
  n -= 12582912.0f;
  vf r = x - n * 0.693359375f + n * 2.12194440e-4f;
  vf p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  return (vf)((vi)p + power);
}

/* ---- half precision and bf16 ---- */

/* to nearest even; NaN stays one where its top bits say so */
ALWAYS uint16_t bf16_of(float f) {
  uint32_t u = ww_float_bits(f);
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

ALWAYS float float_of_half(uint16_t h) {
#if defined(__F16C__)
  return _cvtsh_ss(h);
#else
  return ww_half_to_float(h);
#endif
}

/* Too large becomes the largest: keys and values beyond 65504 would make every score
 * NaN. */
ALWAYS uint16_t half_of(float f) {
  f = f > 65504.0f ? 65504.0f : f < -65504.0f ? -65504.0f : f;
#if defined(__F16C__)
  return _cvtss_sh(f, 0);
#else
  return ww_float_to_half(f);
#endif
}

ALWAYS vf vf_half(const uint16_t *p) {
#if defined(__AVX512F__)
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
#elif defined(__F16C__)
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
#else
  typedef uint16_t halves __attribute__((vector_size(2 * VW), aligned(2), may_alias));
  vi h = __builtin_convertvector(*(const halves *)p, vi), x = (h & 0x7fff) << 13;
  vi huge = (vi)((h & 0x7c00) == 0x7c00) & 0x7f800000, sign = (h & 0x8000) << 16;
  return (vf)((vi)((vf)x * 0x1p112f) | huge | sign);
#endif
}

ALWAYS void vf_to_half(uint16_t *to, vf v) {
#if defined(__AVX512F__)
  v = _mm512_min_ps(_mm512_max_ps(v, _mm512_set1_ps(-65504.0f)),
                    _mm512_set1_ps(65504.0f));
  _mm256_storeu_si256((__m256i *)to, _mm512_cvtps_ph(v, 0));
#elif defined(__F16C__)
  v = _mm256_min_ps(_mm256_max_ps(v, _mm256_set1_ps(-65504.0f)),
                    _mm256_set1_ps(65504.0f));
  _mm_storeu_si128((__m128i *)to, _mm256_cvtps_ph(v, 0));
#else
  v = -vf_max(-vf_max(v, vf_all(-65504.0f)), vf_all(-65504.0f));
  ww_from_f32(to, WW_DTYPE_F16, (const float *)&v, VW);
#endif
}

/* ---- integers ---- */

/* s[i] + the four products of bytes 4 i to 4 i + 3 of w (unsigned, the weight + 128)
 * and a (signed). */
ALWAYS vi dot4(vi s, vi w, vi a) {
#if defined(__AVX512VNNI__)
  return (vi)_mm512_dpbusd_epi32((__m512i)s, (__m512i)w, (__m512i)a);
#elif defined(__AVX512BW__)
  /* Pairs in 16 bits do not overflow when the weight's sign goes to the other side; +
   * 128 is then given back. */
  __m512i x = _mm512_xor_si512((__m512i)w, _mm512_set1_epi8((char)0x80));
  __m512i v = _mm512_mask_sub_epi8((__m512i)a, _mm512_movepi8_mask(x),
                                   _mm512_setzero_si512(), (__m512i)a);
  __m512i pairs = _mm512_maddubs_epi16(_mm512_abs_epi8(x), v);
  return s + (vi)_mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
#elif defined(__AVX2__)
  __m256i x = _mm256_xor_si256((__m256i)w, _mm256_set1_epi8((char)0x80));
  __m256i pairs =
      _mm256_maddubs_epi16(_mm256_abs_epi8(x), _mm256_sign_epi8((__m256i)a, x));
  return s + (vi)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
#elif defined(__ARM_NEON)
  int8x16_t x = veorq_s8((int8x16_t)w, vdupq_n_s8(-128)), y = (int8x16_t)a;
  return (vi)vpadalq_s16(
      (int32x4_t)s,
      vpaddq_s16(vmull_s8(vget_low_s8(x), vget_low_s8(y)), vmull_high_s8(x, y)));
#elif defined(__SSE2__)
  /* even and odd bytes as 16 bits */
  __m128i low = _mm_set1_epi16(255), x = (__m128i)w, y = (__m128i)a;
  __m128i even =
      _mm_madd_epi16(_mm_and_si128(x, low), _mm_srai_epi16(_mm_slli_epi16(y, 8), 8));
  return s + (vi)even + (vi)_mm_madd_epi16(_mm_srli_epi16(x, 8), _mm_srai_epi16(y, 8));
#else
  EACH(i, 4) s += (w >> 8 * i & 255) * (a << (24 - 8 * i) >> 24);
  return s;
#endif
}
/* Whether dot4 sees the weight + 128 (then the sum starts at -128 x the inputs' sum) or
 * the weight itself. */
#if (defined(__AVX2__) && !defined(__AVX512VNNI__)) || defined(__ARM_NEON)
enum { OFFSET = 0 };
#else
enum { OFFSET = 128 };
#endif

/* 32 values to bytes and a scale. */
ALWAYS void quantize_block(int8_t *q, float *scale, int32_t *less, const float *x) {
#if defined(__AVX512F__)
  __m512 a = _mm512_loadu_ps(x), b = _mm512_loadu_ps(x + 16);
  float most = _mm512_reduce_max_ps(_mm512_max_ps(_mm512_abs_ps(a), _mm512_abs_ps(b)));
  float by = most > 0 ? 127.0f / most : 0;
  __m512i i = _mm512_cvtps_epi32(_mm512_mul_ps(a, _mm512_set1_ps(by)));
  __m512i j = _mm512_cvtps_epi32(_mm512_mul_ps(b, _mm512_set1_ps(by)));
  _mm_storeu_si128((__m128i *)q, _mm512_cvtepi32_epi8(i));
  _mm_storeu_si128((__m128i *)(q + 16), _mm512_cvtepi32_epi8(j));
  *less = -OFFSET * _mm512_reduce_add_epi32(_mm512_add_epi32(i, j));
#else
  float most = 0;
  for (int i = 0; i < 32; i++)
    most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
  float by = most > 0 ? 127.0f / most : 0;
  int32_t sum = 0;
  for (int i = 0; i < 32; i++) {
    int32_t v = (int32_t)lrintf(x[i] * by);
    q[i] = (int8_t)v;
    sum += v;
  }
  *less = -OFFSET * sum;
#endif
  *scale = most / 127.0f;
}

#endif
