/* DPX: three-way minima and maxima, with addition, with a floor of zero (relu), and with the choice as a predicate; on
 * 32-bit words and on pairs of 16-bit halves. */
#ifndef WW_DPX_H
#define WW_DPX_H
#include "ww_minmax.h"
#include "ww_simd.h"

/* ---- 32 bits ---- */
#define WW_DPX(T, S)                                                                              \
  WW_HD T __vimax3_##S(T a, T b, T c) { return max(max(a, b), c); }                               \
  WW_HD T __vimin3_##S(T a, T b, T c) { return min(min(a, b), c); }                               \
  WW_HD T __viaddmax_##S(T a, T b, T c) { return max((T)(a + b), c); }                            \
  WW_HD T __viaddmin_##S(T a, T b, T c) { return min((T)(a + b), c); }                            \
  WW_HD T __vibmax_##S(T a, T b, bool *first) { *first = a >= b; return max(a, b); }              \
  WW_HD T __vibmin_##S(T a, T b, bool *first) { *first = a <= b; return min(a, b); }
WW_DPX(int, s32)
WW_DPX(unsigned, u32)
#undef WW_DPX
WW_HD int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
WW_HD int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
WW_HD int __vimax3_s32_relu(int a, int b, int c) { return max(max(max(a, b), c), 0); }
WW_HD int __vimin3_s32_relu(int a, int b, int c) { return max(min(min(a, b), c), 0); }
WW_HD int __viaddmax_s32_relu(int a, int b, int c) { return max(max(a + b, c), 0); }
WW_HD int __viaddmin_s32_relu(int a, int b, int c) { return max(min(a + b, c), 0); }

/* ---- 2 x 16 bits: E over the lanes x, y, z; sums wrap to 16 bits before they are compared ---- */
template <class T, class F> WW_HD unsigned __ww_halves(unsigned a, unsigned b, unsigned c, F f) {
  return (unsigned)(unsigned short)f((int)(T)a, (int)(T)b, (int)(T)c) |
         (unsigned)(unsigned short)f((int)(T)(a >> 16), (int)(T)(b >> 16), (int)(T)(c >> 16)) << 16;
}
#define WW_DPX3(N, T, E) WW_HD unsigned N(unsigned a, unsigned b, unsigned c) { return __ww_halves<T>(a, b, c, [](int x, int y, int z) { return (E); }); }
#define WW_DPX2(N, T, E) WW_HD unsigned N(unsigned a, unsigned b) { return __ww_halves<T>(a, b, 0, [](int x, int y, int) { return (E); }); }
#define WW_DPXB(N, T, O, F)                                                                           \
  WW_HD unsigned N(unsigned a, unsigned b, bool *hi, bool *lo) {                                      \
    *hi = (T)(a >> 16) O(T)(b >> 16), *lo = (T)a O(T)b;                                               \
    return __ww_halves<T>(a, b, 0, [](int x, int y, int) { return F(x, y); });                        \
  }
#define WW_DPX(T, S)                                                                                  \
  WW_DPX3(__vimax3_##S, T, max(max(x, y), z)) WW_DPX3(__vimin3_##S, T, min(min(x, y), z))             \
  WW_DPX3(__viaddmax_##S, T, max((int)(T)(x + y), z)) WW_DPX3(__viaddmin_##S, T, min((int)(T)(x + y), z)) \
  WW_DPXB(__vibmax_##S, T, >=, max) WW_DPXB(__vibmin_##S, T, <=, min)
WW_DPX(short, s16x2)
WW_DPX(unsigned short, u16x2)
WW_DPX2(__vimax_s16x2_relu, short, max(max(x, y), 0))
WW_DPX2(__vimin_s16x2_relu, short, max(min(x, y), 0))
WW_DPX3(__vimax3_s16x2_relu, short, max(max(max(x, y), z), 0))
WW_DPX3(__vimin3_s16x2_relu, short, max(min(min(x, y), z), 0))
WW_DPX3(__viaddmax_s16x2_relu, short, max(max((int)(short)(x + y), z), 0))
WW_DPX3(__viaddmin_s16x2_relu, short, max(min((int)(short)(x + y), z), 0))
#undef WW_DPX
#undef WW_DPX2
#undef WW_DPX3
#undef WW_DPXB
#endif
