/* bfloat16: __nv_bfloat16, __nv_bfloat162 and their conversions. Arithmetic is __bf16's. */
#ifndef WW_BF16_H
#define WW_BF16_H
#include "ww_vec.h"
#include "ww_round16.h"

typedef __bf16 __ww_bf16_v2 __attribute__((ext_vector_type(2)));
#ifndef WW_BF16_NAME /* HIP calls them __hip_bfloat16 and __hip_bfloat162 */
#define WW_BF16_NAME __nv_bfloat16
#define WW_BF162_NAME __nv_bfloat162
#endif
#define WW_H WW_BF16_NAME
#define WW_H2 WW_BF162_NAME
#define WW_H_RAW __nv_bfloat16_raw
#define WW_H2_RAW __nv_bfloat162_raw
#define WW_N __bf16
#define WW_V2 __ww_bf16_v2
#include "ww_fp16_class.h"
#include "ww_fp16_ops.h"
#undef WW_H_RAW
#undef WW_H2_RAW
typedef WW_BF16_NAME nv_bfloat16, __ww_bfloat16;
typedef WW_BF162_NAME nv_bfloat162, __ww_bfloat162;

/* ---- float and double ---- */
WW_HD float __bfloat162float(__ww_bfloat16 h) { return (float)h.v; }
WW_HD __ww_bfloat16 __float2bfloat16(float f) { return __ww_bfloat16(f); }
WW_HD __ww_bfloat16 __float2bfloat16_rn(float f) { return __ww_bfloat16(f); }
WW_HD __ww_bfloat16 __float2bfloat16_rz(float f) { return __ww_wrap(__ww_round16<__bf16, WW_TO_ZERO>(f)); }
WW_HD __ww_bfloat16 __float2bfloat16_rd(float f) { return __ww_wrap(__ww_round16<__bf16, WW_DOWN>(f)); }
WW_HD __ww_bfloat16 __float2bfloat16_ru(float f) { return __ww_wrap(__ww_round16<__bf16, WW_UP>(f)); }
WW_HD __ww_bfloat16 __double2bfloat16(double d) { return __ww_bfloat16(d); }
WW_HD __ww_bfloat162 __float2bfloat162_rn(float f) { return __ww_bfloat162(__ww_bfloat16(f), __ww_bfloat16(f)); }
WW_HD __ww_bfloat162 __floats2bfloat162_rn(float a, float b) { return __ww_bfloat162(__ww_bfloat16(a), __ww_bfloat16(b)); }
WW_HD __ww_bfloat162 __float22bfloat162_rn(float2 f) { return __ww_bfloat162(__ww_bfloat16(f.x), __ww_bfloat16(f.y)); }
WW_HD float2 __bfloat1622float2(__ww_bfloat162 h) { return float2{(float)h.x.v, (float)h.y.v}; }

/* ---- integers ---- */
#define WW_CONV(NAME, T)                                                                                    \
  WW_HD T __bfloat162##NAME##_rn(__ww_bfloat16 h) { return (T)__builtin_rintf((float)h.v); }                \
  WW_HD T __bfloat162##NAME##_rz(__ww_bfloat16 h) { return (T)(float)h.v; }                                 \
  WW_HD T __bfloat162##NAME##_rd(__ww_bfloat16 h) { return (T)__builtin_floorf((float)h.v); }               \
  WW_HD T __bfloat162##NAME##_ru(__ww_bfloat16 h) { return (T)__builtin_ceilf((float)h.v); }                \
  WW_HD __ww_bfloat16 __##NAME##2bfloat16_rn(T i) { return __ww_bfloat16((float)i); }
WW_CONV(int, int) WW_CONV(uint, unsigned int) WW_CONV(short, short) WW_CONV(ushort, unsigned short)
WW_CONV(ll, long long) WW_CONV(ull, unsigned long long)
#undef WW_CONV

/* ---- bits, packing ---- */
WW_HD unsigned short __bfloat16_as_ushort(__ww_bfloat16 h) { return __builtin_bit_cast(unsigned short, h.v); }
WW_HD short __bfloat16_as_short(__ww_bfloat16 h) { return __builtin_bit_cast(short, h.v); }
WW_HD __ww_bfloat16 __ushort_as_bfloat16(unsigned short u) { return __ww_wrap(__builtin_bit_cast(__bf16, u)); }
WW_HD __ww_bfloat16 __short_as_bfloat16(short s) { return __ww_wrap(__builtin_bit_cast(__bf16, s)); }
WW_HD __ww_bfloat162 __bfloat162bfloat162(__ww_bfloat16 a) { return __ww_bfloat162(a, a); }
WW_HD __ww_bfloat162 __halves2bfloat162(__ww_bfloat16 a, __ww_bfloat16 b) { return __ww_bfloat162(a, b); }
WW_HD __ww_bfloat162 make_bfloat162(__ww_bfloat16 a, __ww_bfloat16 b) { return __ww_bfloat162(a, b); }
WW_HD __ww_bfloat16 __low2bfloat16(__ww_bfloat162 a) { return a.x; }
WW_HD __ww_bfloat16 __high2bfloat16(__ww_bfloat162 a) { return a.y; }
WW_HD __ww_bfloat162 __low2bfloat162(__ww_bfloat162 a) { return __ww_bfloat162(a.x, a.x); }
WW_HD __ww_bfloat162 __high2bfloat162(__ww_bfloat162 a) { return __ww_bfloat162(a.y, a.y); }
WW_HD __ww_bfloat162 __lows2bfloat162(__ww_bfloat162 a, __ww_bfloat162 b) { return __ww_bfloat162(a.x, b.x); }
WW_HD __ww_bfloat162 __highs2bfloat162(__ww_bfloat162 a, __ww_bfloat162 b) { return __ww_bfloat162(a.y, b.y); }
#endif
