/* SIMD within a word: __vadd4, __vabsdiffu2, __vcmpgtu4 ... The hardware emulates most of them too.
 *
 * clang's device header (in the CUDA 9.1 mode ww_clang_device.h asks for) forwards __vNAME to __nv_vNAME;
 * these are the bodies. A lane is a byte (x4) or a halfword (x2), signed or unsigned by the name. */
#ifndef WW_SIMD_H
#define WW_SIMD_H
#include "ww_attr.h"

/* Applies f to each lane of type T and packs the low bits of the results. */
template <class T, class F> WW_D int __ww_lanes(unsigned a, unsigned b, F f) {
  constexpr int bits = 8 * sizeof(T);
  constexpr unsigned mask = (1u << bits) - 1;
  unsigned r = 0;
#pragma unroll
  for (int s = 0; s < 32; s += bits) r |= ((unsigned)f((int)(T)(a >> s), (int)(T)(b >> s)) & mask) << s;
  return (int)r;
}
template <class T> WW_D int __ww_sat(int v) {
  constexpr int bits = 8 * sizeof(T);
  constexpr int lo = (T)-1 < 0 ? -(1 << (bits - 1)) : 0, hi = (T)-1 < 0 ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  return v < lo ? lo : v > hi ? hi : v;
}

#define WW_LANE2(N, T, E) \
  extern "C" WW_MD int __nv_##N(int a, int b) { return __ww_lanes<T>(a, b, [](int x, int y) { return (E); }); }
#define WW_LANE1(N, T, E) \
  extern "C" WW_MD int __nv_##N(int a) { return __ww_lanes<T>(a, 0, [](int x, int) { return (E); }); }
#define WW_SUM(N, T, E) /* sums of the lanes of E */                                   \
  extern "C" WW_MD int __nv_##N(int a, int b) {                                        \
    int sum = 0;                                                                       \
    __ww_lanes<T>(a, b, [&](int x, int y) { sum += (E); return 0; });                  \
    return sum;                                                                        \
  }
/* comparisons: vcmp gives all ones in the lane, vset gives one */
#define WW_CMP(N, T, E) WW_LANE2(vcmp##N, T, (E) ? -1 : 0) WW_LANE2(vset##N, T, (E) ? 1 : 0)

#define WW_SIMD(L, S, U)                                                                                   \
  WW_LANE2(vadd##L, U, x + y) WW_LANE2(vsub##L, U, x - y)                                                   \
  WW_LANE2(vaddss##L, S, __ww_sat<S>(x + y)) WW_LANE2(vsubss##L, S, __ww_sat<S>(x - y))                     \
  WW_LANE2(vaddus##L, U, __ww_sat<U>(x + y)) WW_LANE2(vsubus##L, U, __ww_sat<U>(x - y))                     \
  WW_LANE1(vabs##L, S, x < 0 ? -x : x) WW_LANE1(vabsss##L, S, __ww_sat<S>(x < 0 ? -x : x))                  \
  WW_LANE1(vneg##L, S, -x) WW_LANE1(vnegss##L, S, __ww_sat<S>(-x))                                          \
  WW_LANE2(vabsdiffu##L, U, x > y ? x - y : y - x) WW_LANE2(vabsdiffs##L, S, x > y ? x - y : y - x)         \
  WW_LANE2(vavgs##L, S, (x + y + (x + y >= 0)) >> 1) WW_LANE2(vavgu##L, U, (x + y + 1) >> 1)                \
  WW_LANE2(vhaddu##L, U, (x + y) >> 1)                                                                      \
  WW_LANE2(vmaxs##L, S, x > y ? x : y) WW_LANE2(vmaxu##L, U, x > y ? x : y)                                 \
  WW_LANE2(vmins##L, S, x < y ? x : y) WW_LANE2(vminu##L, U, x < y ? x : y)                                 \
  WW_SUM(vsads##L, S, x > y ? x - y : y - x) WW_SUM(vsadu##L, U, x > y ? x - y : y - x)                     \
  WW_CMP(eq##L, U, x == y) WW_CMP(ne##L, U, x != y)                                                         \
  WW_CMP(ges##L, S, x >= y) WW_CMP(geu##L, U, x >= y) WW_CMP(gts##L, S, x > y) WW_CMP(gtu##L, U, x > y)     \
  WW_CMP(les##L, S, x <= y) WW_CMP(leu##L, U, x <= y) WW_CMP(lts##L, S, x < y) WW_CMP(ltu##L, U, x < y)
WW_SIMD(2, short, unsigned short)
WW_SIMD(4, signed char, unsigned char)
#undef WW_SIMD
#undef WW_CMP
#undef WW_SUM
#undef WW_LANE1
#undef WW_LANE2
#endif
