/* dtype.c - the types that weights are stored in, and their values as floats and back.
 *
 * Workload: millions to billions of values in one call, bound by memory. Every
 * conversion rounds to nearest even and the vector versions (AVX2 and F16C, chosen at
 * run time) give the bits of the plain ones; NaN stays NaN, quiet. Q8_0 rounds to
 * multiples of the scale as stored, not of the scale before it became a half: no value
 * is further off than half a step. */
#include "weights.h"

#include <math.h>

#include "../base/half.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define FAST __attribute__((target("avx2,f16c")))
#endif

enum { BLOCK = 32, BLOCK_BYTES = 34 }; /* of Q8_0 */

static const struct {
  const char *name;
  uint32_t bytes, values; /* of one block */
} types[WW_NDTYPE] = {
    [WW_DTYPE_F32] = {"F32", 4, 1},   [WW_DTYPE_F16] = {"F16", 2, 1},
    [WW_DTYPE_BF16] = {"BF16", 2, 1}, [WW_DTYPE_Q8_0] = {"Q8_0", BLOCK_BYTES, BLOCK},
    [WW_DTYPE_I8] = {"I8", 1, 1},     [WW_DTYPE_I32] = {"I32", 4, 1},
    [WW_DTYPE_I64] = {"I64", 8, 1},   [WW_DTYPE_U8] = {"U8", 1, 1},
};

const char *ww_dtype_name(ww_dtype t) {
  return t < WW_NDTYPE ? types[t].name : "?";
}

ww_dtype ww_dtype_named(const char *name) {
  ww_dtype t = 0;
  while (t < WW_NDTYPE && strcmp(types[t].name, name))
    t++;
  return t;
}

uint64_t ww_dtype_bytes(ww_dtype t, uint64_t values) {
  if (t >= WW_NDTYPE || values % types[t].values)
    return 0;
  uint64_t blocks = values / types[t].values;
  return blocks > UINT64_MAX / types[t].bytes ? 0 : blocks * types[t].bytes;
}

/* ---- one value ---- */

static inline uint16_t load16(const void *from) { /* a file's bytes may lie anywhere */
  uint16_t u;
  memcpy(&u, from, 2);
  return u;
}

/* ---- Q8_0 ---- */

/* The largest size of a block's values, infinite or NaN where one of them is. */
static inline float block_max(const float *x) {
  uint32_t most = 0; /* sizes of floats sort as whole numbers, NaN above all */
  for (int i = 0; i < BLOCK; i++) {
    uint32_t size = ww_float_bits(x[i]) & 0x7fffffff;
    most = size > most ? size : most;
  }
  return ww_bits_float(most);
}

/* to: half scale, 32 bytes. A NaN makes the whole block NaN (a scale of NaN): it must
 * not come back as a number. */
static inline __attribute__((always_inline)) void block_pack(uint8_t *to,
                                                             const float *x) {
  float most = block_max(x), scale = most / 127;
  uint16_t half = isnan(most)     ? 0x7e00
                  : scale > 65504 ? 0x7bff
                                  : ww_float_to_half(scale);
  memcpy(to, &half, 2);
  float stored = ww_half_to_float(half);
  if (!(stored > 0)) {
    memset(to + 2, 0, BLOCK);
    return;
  }
  int8_t *q = (int8_t *)to + 2;
  for (int i = 0; i < BLOCK; i++) {
    float v = x[i] / stored; /* a division: 1 / stored would round twice */
    v = v > 127 ? 127 : v < -127 ? -127 : v;
    /* nearest even by adding 1.5 x 2^23 */
    q[i] = ww_float_bits(v + 0x1.8p23f) - 0x4b400000;
  }
}

/* ---- many values, in plain C ---- */

static void f16_to_f32(float *to, const uint16_t *from, uint64_t n) {
  for (uint64_t i = 0; i < n; i++)
    to[i] = ww_half_to_float(load16(from + i));
}

static void bf16_to_f32(float *to, const uint16_t *from, uint64_t n) {
  for (uint64_t i = 0; i < n; i++)
    to[i] = ww_bf16_to_float(load16(from + i));
}

static void q8_to_f32(float *to, const uint8_t *from, uint64_t n) {
  for (uint64_t b = 0; b < n; b += BLOCK, from += BLOCK_BYTES) {
    float scale = ww_half_to_float(load16(from));
    for (int i = 0; i < BLOCK; i++)
      to[b + i] = scale * (int8_t)from[2 + i];
  }
}

static void f32_to_f16(uint16_t *to, const float *from, uint64_t n) {
  for (uint64_t i = 0; i < n; i++)
    to[i] = ww_float_to_half(from[i]);
}

static void f32_to_bf16(uint16_t *to, const float *from, uint64_t n) {
  for (uint64_t i = 0; i < n; i++)
    to[i] = ww_float_to_bf16(from[i]);
}

static void f32_to_q8(uint8_t *to, const float *from, uint64_t n) {
  for (uint64_t i = 0; i < n; i += BLOCK, to += BLOCK_BYTES)
    block_pack(to, from + i);
}

/* ---- many values, eight at a time: the same bits ---- */

#ifdef FAST
static bool fast(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
}

FAST static void f16_to_f32_fast(float *to, const uint16_t *from, uint64_t n) {
  uint64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i,
                     _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(from + i))));
  f16_to_f32(to + i, from + i, n - i);
}

FAST static void bf16_to_f32_fast(float *to, const uint16_t *from, uint64_t n) {
  uint64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(from + i)));
    _mm256_storeu_ps(to + i, _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16)));
  }
  bf16_to_f32(to + i, from + i, n - i);
}

FAST static void q8_to_f32_fast(float *to, const uint8_t *from, uint64_t n) {
  for (uint64_t b = 0; b < n; b += BLOCK, from += BLOCK_BYTES) {
    __m256 scale = _mm256_set1_ps(ww_half_to_float(load16(from)));
    for (int i = 0; i < BLOCK; i += 8) {
      __m256i q =
          _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(from + 2 + i)));
      _mm256_storeu_ps(to + b + i, _mm256_mul_ps(scale, _mm256_cvtepi32_ps(q)));
    }
  }
}

FAST static void f32_to_f16_fast(uint16_t *to, const float *from, uint64_t n) {
  uint64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128((__m128i *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i),
                                                          _MM_FROUND_TO_NEAREST_INT));
  f32_to_f16(to + i, from + i, n - i);
}

/* Eight floats as bf16 in the low halves of eight words. */
FAST static inline __m256i bf16_of(__m256 x) {
  __m256i u = _mm256_castps_si256(x), high = _mm256_srli_epi32(u, 16);
  __m256i odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
  __m256i up = _mm256_add_epi32(u, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  return _mm256_blendv_epi8(_mm256_srli_epi32(up, 16),
                            _mm256_or_si256(high, _mm256_set1_epi32(0x40)), nan);
}

FAST static void f32_to_bf16_fast(uint16_t *to, const float *from, uint64_t n) {
  uint64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    __m256i a = bf16_of(_mm256_loadu_ps(from + i)),
            b = bf16_of(_mm256_loadu_ps(from + i + 8));
    /* packs within halves: put in order */
    __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), 0xd8);
    _mm256_storeu_si256((__m256i *)(to + i), both);
  }
  f32_to_bf16(to + i, from + i, n - i);
}

FAST static void f32_to_q8_fast(uint8_t *to, const float *from, uint64_t n) {
  const __m256 size = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff)),
               top = _mm256_set1_ps(127);
  for (uint64_t b = 0; b < n; b += BLOCK, to += BLOCK_BYTES) {
    const float *x = from + b;
    float scale = block_max(x) / 127;
    uint16_t half = ww_float_to_half(scale);
    float stored = ww_half_to_float(half);
    if (!(stored > 0 && scale <= 65504)) { /* zeros, infinities, NaN: rare */
      block_pack(to, x);
      continue;
    }
    memcpy(to, &half, 2);
    for (int i = 0; i < BLOCK; i += 8) {
      __m256 v = _mm256_div_ps(_mm256_loadu_ps(x + i), _mm256_set1_ps(stored));
      __m256 sign = _mm256_andnot_ps(size, v);
      v = _mm256_or_ps(sign, _mm256_min_ps(_mm256_and_ps(size, v), top));
      __m256i q = _mm256_cvtps_epi32(v); /* nearest even */
      __m128i words =
          _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));
      _mm_storel_epi64((__m128i *)(to + 2 + i), _mm_packs_epi16(words, words));
    }
  }
}
#else
static bool fast(void) {
  return false;
}
#define f16_to_f32_fast f16_to_f32
#define bf16_to_f32_fast bf16_to_f32
#define q8_to_f32_fast q8_to_f32
#define f32_to_f16_fast f32_to_f16
#define f32_to_bf16_fast f32_to_bf16
#define f32_to_q8_fast f32_to_q8
#endif

static void to_f32(float *to, const void *from, ww_dtype type, uint64_t n, bool quick) {
  if (type == WW_DTYPE_F32)
    memcpy(to, from, n * 4);
  else if (type == WW_DTYPE_F16)
    (quick ? f16_to_f32_fast : f16_to_f32)(to, from, n);
  else if (type == WW_DTYPE_BF16)
    (quick ? bf16_to_f32_fast : bf16_to_f32)(to, from, n);
  else if (type == WW_DTYPE_Q8_0)
    (quick ? q8_to_f32_fast : q8_to_f32)(to, from, n);
}

static void
from_f32(void *to, ww_dtype type, const float *from, uint64_t n, bool quick) {
  if (type == WW_DTYPE_F32)
    memcpy(to, from, n * 4);
  else if (type == WW_DTYPE_F16)
    (quick ? f32_to_f16_fast : f32_to_f16)(to, from, n);
  else if (type == WW_DTYPE_BF16)
    (quick ? f32_to_bf16_fast : f32_to_bf16)(to, from, n);
  else if (type == WW_DTYPE_Q8_0)
    (quick ? f32_to_q8_fast : f32_to_q8)(to, from, n);
}

void ww_to_f32_plain(float *to, const void *from, ww_dtype type, uint64_t n) {
  to_f32(to, from, type, n, false);
}

void ww_from_f32_plain(void *to, ww_dtype type, const float *from, uint64_t n) {
  from_f32(to, type, from, n, false);
}

void ww_to_f32(float *to, const void *from, ww_dtype type, uint64_t n) {
  if (n)
    to_f32(to, from, type, n, fast());
}

void ww_from_f32(void *to, ww_dtype type, const float *from, uint64_t n) {
  if (n)
    from_f32(to, type, from, n, fast());
}
