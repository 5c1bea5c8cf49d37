/* half precision: __half, __half2 and the conversions between them and the other types.
 * Arithmetic is _Float16's: rounded to nearest even after every operation. */
#ifndef WW_HALF_H
#define WW_HALF_H
#include "ww_vec.h"
#include "ww_round16.h"

typedef _Float16 __ww_half_v2 __attribute__((ext_vector_type(2)));
#define WW_H __half
#define WW_H2 __half2
#define WW_H_RAW __half_raw
#define WW_H2_RAW __half2_raw
#define WW_N _Float16
#define WW_V2 __ww_half_v2
#include "ww_fp16_class.h"
#include "ww_fp16_ops.h"
#undef WW_H_RAW
#undef WW_H2_RAW
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

/* ---- float and double ---- */
WW_HD float __half2float(__half h) { return (float)h.v; }
WW_HD __half __float2half(float f) { return __half(f); }
WW_HD __half __float2half_rn(float f) { return __half(f); }
WW_HD __half __float2half_rz(float f) { return __ww_wrap(__ww_round16<_Float16, WW_TO_ZERO>(f)); }
WW_HD __half __float2half_rd(float f) { return __ww_wrap(__ww_round16<_Float16, WW_DOWN>(f)); }
WW_HD __half __float2half_ru(float f) { return __ww_wrap(__ww_round16<_Float16, WW_UP>(f)); }
WW_HD __half __double2half(double d) { return __half(d); }
WW_HD __half2 __float2half2_rn(float f) { return __half2(__half(f), __half(f)); }
WW_HD __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
WW_HD __half2 __float22half2_rn(float2 f) { return __half2(__half(f.x), __half(f.y)); }
WW_HD float2 __half22float2(__half2 h) { return float2{(float)h.x.v, (float)h.y.v}; }

/* ---- integers: half2int_rn and its family. All halves are exact in float, so round there. ---- */
#define WW_CONV(NAME, T)                                                                                   \
  WW_HD T __half2##NAME##_rn(__half h) { return (T)__builtin_rintf((float)h.v); }                          \
  WW_HD T __half2##NAME##_rz(__half h) { return (T)(float)h.v; }                                           \
  WW_HD T __half2##NAME##_rd(__half h) { return (T)__builtin_floorf((float)h.v); }                         \
  WW_HD T __half2##NAME##_ru(__half h) { return (T)__builtin_ceilf((float)h.v); }                          \
  WW_HD __half __##NAME##2half_rn(T i) { return __ww_wrap((_Float16)i); }                                  \
  WW_HD __half __##NAME##2half_rz(T i) { return __ww_wrap(__ww_round16<_Float16, WW_TO_ZERO>((float)i)); } \
  WW_HD __half __##NAME##2half_rd(T i) { return __ww_wrap(__ww_round16<_Float16, WW_DOWN>((float)i)); }    \
  WW_HD __half __##NAME##2half_ru(T i) { return __ww_wrap(__ww_round16<_Float16, WW_UP>((float)i)); }
WW_CONV(int, int) WW_CONV(uint, unsigned int) WW_CONV(short, short) WW_CONV(ushort, unsigned short)
WW_CONV(ll, long long) WW_CONV(ull, unsigned long long)
#undef WW_CONV
WW_HD signed char __half2char_rz(__half h) { return (signed char)(float)h.v; }
WW_HD unsigned char __half2uchar_rz(__half h) { return (unsigned char)(float)h.v; }

/* ---- bits, packing ---- */
WW_HD unsigned short __half_as_ushort(__half h) { return __builtin_bit_cast(unsigned short, h.v); }
WW_HD short __half_as_short(__half h) { return __builtin_bit_cast(short, h.v); }
WW_HD __half __ushort_as_half(unsigned short u) { return __ww_wrap(__builtin_bit_cast(_Float16, u)); }
WW_HD __half __short_as_half(short s) { return __ww_wrap(__builtin_bit_cast(_Float16, s)); }
WW_HD __half2 __half2half2(__half a) { return __half2(a, a); }
WW_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
WW_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
WW_HD __half __low2half(__half2 a) { return a.x; }
WW_HD __half __high2half(__half2 a) { return a.y; }
WW_HD __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
WW_HD __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
WW_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
WW_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
#endif
