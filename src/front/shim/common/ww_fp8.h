/* 8-bit floats: e4m3 (3 mantissa bits, largest 448, no infinity) and e5m2 (2 bits, largest 57344), their
 * packed pairs and quadruples, and conversions. There is no fp8 arithmetic: values pass through float. */
#ifndef WW_FP8_H
#define WW_FP8_H
#include "ww_vec.h"
#include "ww_half.h"
#include "ww_bf16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

/* float -> fp8, to nearest even. `mant` mantissa bits; the smallest normal exponent is `emin`. */
WW_HD unsigned char __ww_to_fp8(float f, __nv_saturation_t sat, __nv_fp8_interpretation_t kind) {
  const int mant = kind == __NV_E4M3 ? 3 : 2, emin = kind == __NV_E4M3 ? -6 : -14;
  const float largest = kind == __NV_E4M3 ? 448.0f : 57344.0f;
  unsigned bits = __builtin_bit_cast(unsigned, f);
  unsigned char sign = (unsigned char)(bits >> 24 & 0x80);
  float a = __builtin_bit_cast(float, bits & 0x7fffffff);
  if (a != a) return 0x7f;
  int e = (int)(bits >> 23 & 0xff) - 127;
  if (e < emin) e = emin;
  /* a / 2^(e-mant), rounded: an integer in [0, 2^(mant+1)] */
  float scaled = a * __builtin_bit_cast(float, (unsigned)(127 - (e - mant)) << 23);
  int code = (int)__builtin_rintf(scaled) + ((e - emin) << mant);
  int top = kind == __NV_E4M3 ? 0x7e : 0x7b; /* code of `largest` */
  if (a > largest && (code > top || __builtin_isinf(a))) code = sat == __NV_SATFINITE ? top : kind == __NV_E4M3 ? 0x7f : 0x7c;
  return (unsigned char)(sign | code);
}
WW_HD float __ww_from_fp8(unsigned char c, __nv_fp8_interpretation_t kind) {
  const int mant = kind == __NV_E4M3 ? 3 : 2, emin = kind == __NV_E4M3 ? -6 : -14;
  int magnitude = c & 0x7f, e = magnitude >> mant, m = magnitude & ((1 << mant) - 1);
  float a;
  if (kind == __NV_E4M3 ? magnitude == 0x7f : magnitude > 0x7c) a = __builtin_nanf("");
  else if (kind == __NV_E5M2 && magnitude == 0x7c) a = __builtin_inff();
  else {
    int shift = (e ? e - 1 : 0) + emin - mant;
    a = (float)(e ? m | 1 << mant : m) * __builtin_bit_cast(float, (unsigned)(127 + shift) << 23);
  }
  return c & 0x80 ? -a : a;
}

/* ---- the C-style conversions ---- */
WW_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __ww_to_fp8(x, s, k); }
WW_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __ww_to_fp8((float)x, s, k); }
WW_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __ww_to_fp8((float)__half(x).v, s, k); }
WW_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) { return __ww_to_fp8((float)__ww_bfloat16(x).v, s, k); }
WW_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return (__nv_fp8x2_storage_t)(__ww_to_fp8(x.x, s, k) | __ww_to_fp8(x.y, s, k) << 8);
}
WW_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), s, k);
}
WW_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t k) { return __half(__ww_from_fp8(x, k)); }
WW_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t k) {
  return __floats2half2_rn(__ww_from_fp8((unsigned char)x, k), __ww_from_fp8((unsigned char)(x >> 8), k));
}

/* ---- the classes ---- */
#define WW_FP8(N, KIND)                                                                                        \
  struct N {                                                                                                   \
    __nv_fp8_storage_t __x;                                                                                    \
    N() = default;                                                                                             \
    WW_MHD explicit N(float f) : __x(__ww_to_fp8(f, __NV_SATFINITE, KIND)) {}                                  \
    WW_MHD explicit N(double f) : __x(__ww_to_fp8((float)f, __NV_SATFINITE, KIND)) {}                          \
    WW_MHD explicit N(__half f) : __x(__ww_to_fp8((float)f.v, __NV_SATFINITE, KIND)) {}                        \
    WW_MHD explicit N(__ww_bfloat16 f) : __x(__ww_to_fp8((float)f.v, __NV_SATFINITE, KIND)) {}                 \
    WW_MHD explicit N(int i) : __x(__ww_to_fp8((float)i, __NV_SATFINITE, KIND)) {}                             \
    WW_MHD explicit N(unsigned i) : __x(__ww_to_fp8((float)i, __NV_SATFINITE, KIND)) {}                        \
    WW_MHD explicit operator float() const { return __ww_from_fp8(__x, KIND); }                                \
    WW_MHD explicit operator double() const { return __ww_from_fp8(__x, KIND); }                               \
    WW_MHD explicit operator __half() const { return __half(__ww_from_fp8(__x, KIND)); }                       \
    WW_MHD explicit operator __ww_bfloat16() const { return __ww_bfloat16(__ww_from_fp8(__x, KIND)); }         \
    WW_MHD explicit operator int() const { return (int)__ww_from_fp8(__x, KIND); }                             \
    WW_MHD explicit operator bool() const { return (__x & 0x7f) != 0; }                                        \
  };
#define WW_FP8X(N2, N4, KIND)                                                                                  \
  struct WW_ALIGN(2) N2 {                                                                                      \
    __nv_fp8x2_storage_t __x;                                                                                  \
    N2() = default;                                                                                            \
    WW_MHD explicit N2(float2 f) : __x(__nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, KIND)) {}                   \
    WW_MHD explicit N2(double2 f) : N2(float2{(float)f.x, (float)f.y}) {}                                      \
    WW_MHD explicit N2(__half2 f) : N2(__half22float2(f)) {}                                                   \
    WW_MHD explicit N2(__ww_bfloat162 f) : N2(__bfloat1622float2(f)) {}                                        \
    WW_MHD explicit operator float2() const {                                                                  \
      return float2{__ww_from_fp8((unsigned char)__x, KIND), __ww_from_fp8((unsigned char)(__x >> 8), KIND)};  \
    }                                                                                                          \
    WW_MHD explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, KIND)); }        \
  };                                                                                                           \
  struct WW_ALIGN(4) N4 {                                                                                      \
    __nv_fp8x4_storage_t __x;                                                                                  \
    N4() = default;                                                                                            \
    WW_MHD explicit N4(float2 lo, float2 hi)                                                                   \
        : __x(__nv_cvt_float2_to_fp8x2(lo, __NV_SATFINITE, KIND) |                                             \
              (unsigned)__nv_cvt_float2_to_fp8x2(hi, __NV_SATFINITE, KIND) << 16) {}                           \
    WW_MHD explicit N4(float4 f) : N4(float2{f.x, f.y}, float2{f.z, f.w}) {}                                   \
    WW_MHD explicit N4(double4 f) : N4(float2{(float)f.x, (float)f.y}, float2{(float)f.z, (float)f.w}) {}      \
    WW_MHD explicit N4(__half2 lo, __half2 hi) : N4(__half22float2(lo), __half22float2(hi)) {}                 \
    WW_MHD explicit N4(__ww_bfloat162 lo, __ww_bfloat162 hi) : N4(__bfloat1622float2(lo), __bfloat1622float2(hi)) {} \
    WW_MHD explicit operator float4() const {                                                                  \
      return float4{__ww_from_fp8((unsigned char)__x, KIND), __ww_from_fp8((unsigned char)(__x >> 8), KIND),   \
                    __ww_from_fp8((unsigned char)(__x >> 16), KIND), __ww_from_fp8((unsigned char)(__x >> 24), KIND)}; \
    }                                                                                                          \
  };
WW_FP8(__nv_fp8_e4m3, __NV_E4M3)
WW_FP8(__nv_fp8_e5m2, __NV_E5M2)
WW_FP8X(__nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
WW_FP8X(__nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef WW_FP8
#undef WW_FP8X
#endif
