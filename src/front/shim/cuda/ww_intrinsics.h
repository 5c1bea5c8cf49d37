/* Device intrinsics that neither clang's headers nor libdevice supply: funnel shifts, byte dot products,
 * warp match, cache-hinted loads and stores, sleep and timer. */
#ifndef WW_INTRINSICS_H
#define WW_INTRINSICS_H
#include "ww_vec.h"

/* ---- shifts of a 64-bit pair ---- */
#define WW_PAIR(lo, hi) ((unsigned long long)(hi) << 32 | (lo))
WW_D unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) { return (unsigned)(WW_PAIR(lo, hi) << (s & 31) >> 32); }
WW_D unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) { return (unsigned)(WW_PAIR(lo, hi) >> (s & 31)); }
WW_D unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s) {
  return s >= 32 ? lo : (unsigned)(WW_PAIR(lo, hi) << s >> 32);
}
WW_D unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s) {
  return s >= 32 ? hi : (unsigned)(WW_PAIR(lo, hi) >> s);
}
#undef WW_PAIR

/* ---- dot products of packed bytes (sm_61) ---- */
#define WW_BYTE(T, v, i) ((int)(T)((v) >> 8 * (i)))
#define WW_HALFWORD(T, v, i) ((int)(T)((v) >> 16 * (i)))
#define WW_DP4A(R, A, AB, B, BB)                                                                       \
  WW_D R __dp4a(A a, B b, R c) {                                                                       \
    return c + (R)(WW_BYTE(AB, a, 0) * WW_BYTE(BB, b, 0)) + (R)(WW_BYTE(AB, a, 1) * WW_BYTE(BB, b, 1)) \
             + (R)(WW_BYTE(AB, a, 2) * WW_BYTE(BB, b, 2)) + (R)(WW_BYTE(AB, a, 3) * WW_BYTE(BB, b, 3)); \
  }                                                                                                    \
  WW_D R __dp2a_lo(A a, B b, R c) {                                                                    \
    return c + (R)(WW_HALFWORD(AB##16, a, 0) * WW_BYTE(BB, b, 0)) + (R)(WW_HALFWORD(AB##16, a, 1) * WW_BYTE(BB, b, 1)); \
  }                                                                                                    \
  WW_D R __dp2a_hi(A a, B b, R c) {                                                                    \
    return c + (R)(WW_HALFWORD(AB##16, a, 0) * WW_BYTE(BB, b, 2)) + (R)(WW_HALFWORD(AB##16, a, 1) * WW_BYTE(BB, b, 3)); \
  }
typedef signed char __ww_s;
typedef unsigned char __ww_u;
typedef short __ww_s16;
typedef unsigned short __ww_u16;
WW_DP4A(int, int, __ww_s, int, __ww_s)
WW_DP4A(unsigned, unsigned, __ww_u, unsigned, __ww_u)
#undef WW_DP4A
#undef WW_BYTE
#undef WW_HALFWORD
WW_D int __dp4a(char4 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
WW_D unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + (unsigned)(a.x * b.x) + (unsigned)(a.y * b.y) + (unsigned)(a.z * b.z) + (unsigned)(a.w * b.w);
}

/* ---- warp match ---- */
#define WW_MATCH(T, W, CONV)                                                                    \
  WW_D unsigned __match_any_sync(unsigned m, T v) { return __nvvm_match_any_sync_i##W(m, CONV(v)); } \
  WW_D unsigned __match_all_sync(unsigned m, T v, int *p) { return __nvvm_match_all_sync_i##W##p(m, CONV(v), p); }
WW_MATCH(int, 32, (unsigned))
WW_MATCH(unsigned, 32, )
WW_MATCH(long, 64, (unsigned long long))
WW_MATCH(unsigned long, 64, )
WW_MATCH(long long, 64, (unsigned long long))
WW_MATCH(unsigned long long, 64, )
WW_MATCH(float, 32, __float_as_uint)
WW_MATCH(double, 64, (unsigned long long)__double_as_longlong)
#undef WW_MATCH

/* ---- loads and stores with cache hints: the hint does not change the value ---- */
template <class T> WW_D T __ldca(const T *p) { return *p; }
template <class T> WW_D T __ldcg(const T *p) { return *p; }
template <class T> WW_D T __ldcs(const T *p) { return *p; }
template <class T> WW_D T __ldlu(const T *p) { return *p; }
template <class T> WW_D T __ldcv(const T *p) { return *(const volatile T *)p; }
template <class T> WW_D void __stwb(T *p, T v) { *p = v; }
template <class T> WW_D void __stcg(T *p, T v) { *p = v; }
template <class T> WW_D void __stcs(T *p, T v) { *p = v; }
template <class T> WW_D void __stwt(T *p, T v) { *p = v; }
/* __ldg of the vector types that clang leaves out (three elements, and 4 x 64 bit is not one load). */
#define WW_LDG(T) WW_D T __ldg(const T *p) { return *p; }
WW_LDG(float3) WW_LDG(int3) WW_LDG(uint3) WW_LDG(double3) WW_LDG(double4) WW_LDG(float1) WW_LDG(int1) WW_LDG(uint1)
#undef WW_LDG

/* ---- time, hints ---- */
WW_D void __nanosleep(unsigned ns) { __nvvm_nanosleep(ns); }
WW_D unsigned long long __globaltimer(void) { return __nvvm_read_ptx_sreg_globaltimer(); }
WW_D unsigned __laneid(void) { return __nvvm_read_ptx_sreg_laneid(); }
#undef __prof_trigger
#define __prof_trigger(n) ((void)0)
#endif
