/* libdevice: the __nv_* math functions that clang's headers call, left undefined for the lowering's table.
 *
 * Two changes to clang's declarations. They are marked `const`, because with the real library linked LLVM would
 * see that they touch no memory: without it every load after a sinf() is repeated. And those that return
 * through a pointer get bodies here: an opaque callee would force the results into local memory, which the
 * inlined library never does. */
#ifndef WW_LIBDEVICE_H
#define WW_LIBDEVICE_H
#include "ww_attr.h"

#pragma push_macro("__device__")
#undef __device__
#define __device__ __attribute__((device, const))
#define __nv_fast_sincosf __ww_skip_fast_sincosf
#define __nv_frexp __ww_skip_frexp
#define __nv_frexpf __ww_skip_frexpf
#define __nv_modf __ww_skip_modf
#define __nv_modff __ww_skip_modff
#define __nv_nan __ww_skip_nan
#define __nv_nanf __ww_skip_nanf
#define __nv_norm __ww_skip_norm
#define __nv_normf __ww_skip_normf
#define __nv_rnorm __ww_skip_rnorm
#define __nv_rnormf __ww_skip_rnormf
#define __nv_remquo __ww_skip_remquo
#define __nv_remquof __ww_skip_remquof
#define __nv_sincos __ww_skip_sincos
#define __nv_sincosf __ww_skip_sincosf
#define __nv_sincospi __ww_skip_sincospi
#define __nv_sincospif __ww_skip_sincospif
#include <__clang_cuda_libdevice_declares.h>
#undef __nv_fast_sincosf
#undef __nv_frexp
#undef __nv_frexpf
#undef __nv_modf
#undef __nv_modff
#undef __nv_nan
#undef __nv_nanf
#undef __nv_norm
#undef __nv_normf
#undef __nv_rnorm
#undef __nv_rnormf
#undef __nv_remquo
#undef __nv_remquof
#undef __nv_sincos
#undef __nv_sincosf
#undef __nv_sincospi
#undef __nv_sincospif
#pragma pop_macro("__device__")

extern "C" {
WW_MD void __nv_fast_sincosf(float a, float *s, float *c) { *s = __nv_fast_sinf(a); *c = __nv_fast_cosf(a); }

/* WW_POINTER(type, suffix, integer of its size, mantissa bits, exponent bias, scale 2^k that lifts a subnormal, k) */
#define WW_POINTER(T, F, I, MANT, BIAS, LIFT, K)                                                            \
  WW_MD void __nv_sincos##F(T a, T *s, T *c) { *s = __nv_sin##F(a); *c = __nv_cos##F(a); }                  \
  WW_MD void __nv_sincospi##F(T a, T *s, T *c) { *s = __nv_sinpi##F(a); *c = __nv_cospi##F(a); }            \
  WW_MD T __nv_modf##F(T a, T *whole) {                                                                     \
    T t = __nv_trunc##F(a);                                                                                 \
    *whole = t;                                                                                             \
    return __nv_copysign##F(__nv_fabs##F(a) == (T)__builtin_inf() ? (T)0 : a - t, a);                       \
  }                                                                                                         \
  WW_MD T __nv_frexp##F(T a, int *e) {                                                                      \
    const I exponent = ((I)1 << (8 * sizeof(T) - 1 - MANT)) - 1;                                            \
    if (a == 0 || !__builtin_isfinite(a)) { *e = 0; return a; }                                             \
    int adjust = 0;                                                                                         \
    if ((__builtin_bit_cast(I, a) >> MANT & exponent) == 0) { a *= (T)LIFT; adjust = K; }                   \
    I bits = __builtin_bit_cast(I, a);                                                                      \
    *e = (int)(bits >> MANT & exponent) - (BIAS - 1) - adjust;                                              \
    return __builtin_bit_cast(T, (bits & ~(exponent << MANT)) | (I)(BIAS - 1) << MANT);                     \
  }                                                                                                         \
  WW_MD T __nv_remquo##F(T a, T b, int *q) {                                                                \
    T r = __nv_remainder##F(a, b);                                                                          \
    *q = (int)__nv_fmod##F(__nv_rint##F((a - r) / b), (T)8);                                                \
    return r;                                                                                               \
  }                                                                                                         \
  WW_MD T __nv_norm##F(int n, const T *v) {                                                                 \
    T sum = 0;                                                                                              \
    for (int i = 0; i < n; i++) sum += v[i] * v[i];                                                         \
    return __nv_sqrt##F(sum);                                                                               \
  }                                                                                                         \
  WW_MD T __nv_rnorm##F(int n, const T *v) { return (T)1 / __nv_norm##F(n, v); }                            \
  WW_MD T __nv_nan##F(const signed char *) { return (T)__builtin_nan(""); }
WW_POINTER(float, f, unsigned int, 23, 127, 33554432.0f, 25)
WW_POINTER(double, , unsigned long long, 52, 1023, 18014398509481984.0, 54)
#undef WW_POINTER
}
#endif
