/* Device intrinsics that neither clang's headers nor libdevice supply: funnel shifts, byte dot products,
 * warp match, cache-hinted loads and stores, sleep and timer. */
#ifndef WW_INTRINSICS_H
#define WW_INTRINSICS_H
#include "ww_vec.h"

/* ---- shifts of a 64-bit pair ---- */
extern "C" __device__ unsigned __nv_fshl(unsigned hi, unsigned lo, unsigned s);
extern "C" __device__ unsigned __nv_fshr(unsigned hi, unsigned lo, unsigned s);
WW_D unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) { return __nv_fshl(hi, lo, s); }
WW_D unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) { return __nv_fshr(hi, lo, s); }
WW_D unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s) { return s >= 32 ? lo : __nv_fshl(hi, lo, s); }
WW_D unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s) { return s >= 32 ? hi : __nv_fshr(hi, lo, s); }

/* ---- dot products of packed bytes (sm_61) ---- */
#define WW_DP4A(T, S)                                                                        \
  extern "C" __device__ T __nv_idp4a_##S(T, T, T);                                              \
  extern "C" __device__ T __nv_idp2a_##S(T, T, bool high, T);                                   \
  WW_D T __dp4a(T a, T b, T c) { return __nv_idp4a_##S(a, b, c); }                           \
  WW_D T __dp2a_lo(T a, T b, T c) { return __nv_idp2a_##S(a, b, false, c); }                 \
  WW_D T __dp2a_hi(T a, T b, T c) { return __nv_idp2a_##S(a, b, true, c); }
WW_DP4A(int, s_s)
WW_DP4A(unsigned, u_u)
#undef WW_DP4A
#define WW_PACKED(T, v) ((T)((unsigned char)(v).x | (unsigned char)(v).y << 8 | (unsigned char)(v).z << 16 | (unsigned)(unsigned char)(v).w << 24))
WW_D int __dp4a(char4 a, char4 b, int c) { return __dp4a(WW_PACKED(int, a), WW_PACKED(int, b), c); }
WW_D unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) { return __dp4a(WW_PACKED(unsigned, a), WW_PACKED(unsigned, b), c); }
#undef WW_PACKED

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
