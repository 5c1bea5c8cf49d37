/* Math functions: LLVM intrinsics where there is one, else libdevice (__nv_*f for float, __nv_* for double), which the
 * lowering knows from CUDA. native_ and half_ functions are the fast device instructions. */
#ifndef WW_CL_MATH_H
#define WW_CL_MATH_H

/* name -> __nv_<name>f / __nv_<name>. */
#define WW_NV1(name)                                                                                                    \
  float WW_EXTERN __nv_##name##f(float);                                                                                \
  double WW_EXTERN __nv_##name(double);                                                                                 \
  static float WW_CL name(float a) { return __nv_##name##f(a); }                                                               \
  static double WW_CL name(double a) { return __nv_##name(a); }                                                                \
  WW_VEC1(name, float, float) WW_VEC1(name, double, double)
#define WW_NV2(name)                                                                                                    \
  float WW_EXTERN __nv_##name##f(float, float);                                                                         \
  double WW_EXTERN __nv_##name(double, double);                                                                         \
  static float WW_CL name(float a, float b) { return __nv_##name##f(a, b); }                                                   \
  static double WW_CL name(double a, double b) { return __nv_##name(a, b); }                                                   \
  WW_VEC2(name, float, float, float) WW_VEC2(name, double, double, double)
/* name -> a clang builtin that becomes an LLVM intrinsic. */
#define WW_BUILTIN1(name)                                                                                               \
  static float WW_CL name(float a) { return __builtin_##name##f(a); }                                                          \
  static double WW_CL name(double a) { return __builtin_##name(a); }                                                           \
  WW_VEC1(name, float, float) WW_VEC1(name, double, double)
#define WW_BUILTIN2(name)                                                                                               \
  static float WW_CL name(float a, float b) { return __builtin_##name##f(a, b); }                                              \
  static double WW_CL name(double a, double b) { return __builtin_##name(a, b); }                                              \
  WW_VEC2(name, float, float, float) WW_VEC2(name, double, double, double)
/* f by an expression of scalars, for T = float and double. */
#define WW_EXPR1(f, T, e) static T WW_CL f(T a) { return e; } WW_VEC1(f, T, T)
#define WW_EXPR2(f, T, e) static T WW_CL f(T a, T b) { return e; } WW_VEC2(f, T, T, T)
#define WW_EXPR3(f, T, e) static T WW_CL f(T a, T b, T c) { return e; } WW_VEC3(f, T, T, T, T)

WW_BUILTIN1(floor) WW_BUILTIN1(ceil) WW_BUILTIN1(trunc) WW_BUILTIN1(rint) WW_BUILTIN1(round) WW_BUILTIN1(fabs) WW_BUILTIN1(sqrt)
WW_BUILTIN2(fmin) WW_BUILTIN2(fmax) WW_BUILTIN2(copysign)
WW_VEC2_SCALAR(fmin, float) WW_VEC2_SCALAR(fmax, float) WW_VEC2_SCALAR(fmin, double) WW_VEC2_SCALAR(fmax, double)
WW_EXPR3(fma, float, __builtin_fmaf(a, b, c)) WW_EXPR3(fma, double, __builtin_fma(a, b, c))
WW_EXPR3(mad, float, __builtin_fmaf(a, b, c)) WW_EXPR3(mad, double, __builtin_fma(a, b, c))

WW_NV1(acos) WW_NV1(acosh) WW_NV1(asin) WW_NV1(asinh) WW_NV1(atan) WW_NV1(atanh)
WW_NV1(cbrt) WW_NV1(cos) WW_NV1(cosh) WW_NV1(cospi) WW_NV1(erf) WW_NV1(erfc)
WW_NV1(exp) WW_NV1(exp2) WW_NV1(exp10) WW_NV1(expm1) WW_NV1(lgamma)
WW_NV1(log) WW_NV1(log2) WW_NV1(log10) WW_NV1(log1p) WW_NV1(logb) WW_NV1(rsqrt)
WW_NV1(sin) WW_NV1(sinh) WW_NV1(sinpi) WW_NV1(tan) WW_NV1(tanh) WW_NV1(tgamma)
WW_NV2(atan2) WW_NV2(fdim) WW_NV2(fmod) WW_NV2(hypot) WW_NV2(nextafter) WW_NV2(pow)
WW_NV2(remainder)

WW_EXPR1(acospi, float, acos(a) * M_1_PI_F) WW_EXPR1(asinpi, float, asin(a) * M_1_PI_F) WW_EXPR1(atanpi, float, atan(a) * M_1_PI_F)
WW_EXPR1(acospi, double, acos(a) * M_1_PI) WW_EXPR1(asinpi, double, asin(a) * M_1_PI) WW_EXPR1(atanpi, double, atan(a) * M_1_PI)
WW_EXPR1(tanpi, float, sinpi(a) / cospi(a)) WW_EXPR1(tanpi, double, sinpi(a) / cospi(a))
WW_EXPR2(atan2pi, float, atan2(a, b) * M_1_PI_F) WW_EXPR2(atan2pi, double, atan2(a, b) * M_1_PI)
WW_EXPR2(powr, float, pow(a, b)) WW_EXPR2(powr, double, pow(a, b))
WW_EXPR2(maxmag, float, fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b))
WW_EXPR2(maxmag, double, fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b))
WW_EXPR2(minmag, float, fabs(a) < fabs(b) ? a : fabs(b) < fabs(a) ? b : fmin(a, b))
WW_EXPR2(minmag, double, fabs(a) < fabs(b) ? a : fabs(b) < fabs(a) ? b : fmin(a, b))

/* With an integer operand or result. */
float WW_EXTERN __nv_ldexpf(float, int);
double WW_EXTERN __nv_ldexp(double, int);
float WW_EXTERN __nv_powif(float, int);
double WW_EXTERN __nv_powi(double, int);
int WW_EXTERN __nv_ilogbf(float);
int WW_EXTERN __nv_ilogb(double);
static float WW_CL ldexp(float a, int n) { return __nv_ldexpf(a, n); }
static double WW_CL ldexp(double a, int n) { return __nv_ldexp(a, n); }
static float WW_CL pown(float a, int n) { return __nv_powif(a, n); }
static double WW_CL pown(double a, int n) { return __nv_powi(a, n); }
static float WW_CL rootn(float a, int n) { float r = pow(fabs(a), 1.0f / n); return a < 0 && n & 1 ? -r : a < 0 ? NAN : r; }
static double WW_CL rootn(double a, int n) { double r = pow(fabs(a), 1.0 / n); return a < 0 && n & 1 ? -r : a < 0 ? (double)NAN : r; }
static int WW_CL ilogb(float a) { return __nv_ilogbf(a); }
static int WW_CL ilogb(double a) { return __nv_ilogb(a); }
WW_VEC2(ldexp, float, float, int) WW_VEC2(ldexp, double, double, int)
#define WW_LDEXP(T, n) static T##n WW_CL ldexp(T##n a, int b) { return ldexp(a, (int##n)(b)); }
WW_WIDTHS(WW_LDEXP, float) WW_WIDTHS(WW_LDEXP, double)
#undef WW_LDEXP
WW_VEC2(pown, float, float, int) WW_VEC2(pown, double, double, int) WW_VEC2(rootn, float, float, int) WW_VEC2(rootn, double, double, int)
WW_VEC1(ilogb, int, float) WW_VEC1(ilogb, int, double)
static float WW_CL nan(uint code) { return as_float(0x7fc00000 | code); }
static double WW_CL nan(ulong code) { return as_double(0x7ff8000000000000ul | code); }
WW_VEC1(nan, float, uint) WW_VEC1(nan, double, ulong)

/* Fast ones. */
float WW_EXTERN __nv_fast_sinf(float);
float WW_EXTERN __nv_fast_cosf(float);
float WW_EXTERN __nv_fast_tanf(float);
float WW_EXTERN __nv_fast_expf(float);
float WW_EXTERN __nv_fast_exp10f(float);
float WW_EXTERN __nv_fast_logf(float);
float WW_EXTERN __nv_fast_log2f(float);
float WW_EXTERN __nv_fast_log10f(float);
float WW_EXTERN __nv_fast_powf(float, float);
float WW_EXTERN __nv_fast_fdividef(float, float);
#define WW_FAST1(f, e) WW_EXPR1(native_##f, float, e) WW_EXPR1(half_##f, float, e)
#define WW_FAST2(f, e) WW_EXPR2(native_##f, float, e) WW_EXPR2(half_##f, float, e)
WW_FAST1(sin, __nv_fast_sinf(a)) WW_FAST1(cos, __nv_fast_cosf(a)) WW_FAST1(tan, __nv_fast_tanf(a)) WW_FAST1(exp, __nv_fast_expf(a))
WW_FAST1(exp2, __nvvm_ex2_approx_f(a)) WW_FAST1(exp10, __nv_fast_exp10f(a)) WW_FAST1(log, __nv_fast_logf(a))
WW_FAST1(log2, __nv_fast_log2f(a)) WW_FAST1(log10, __nv_fast_log10f(a)) WW_FAST1(recip, __nvvm_rcp_approx_ftz_f(a))
WW_FAST1(rsqrt, __nvvm_rsqrt_approx_f(a)) WW_FAST1(sqrt, __nvvm_sqrt_approx_f(a))
WW_FAST2(divide, __nv_fast_fdividef(a, b)) WW_FAST2(powr, __nv_fast_powf(a, b))
#undef WW_FAST1
#undef WW_FAST2

/* Functions with a second result through a pointer, in every address space that can be written. */
float __nv_frexpf(float, __private int *);
double __nv_frexp(double, __private int *);
float __nv_modff(float, __private float *);
double __nv_modf(double, __private double *);
float __nv_remquof(float, float, __private int *);
double __nv_remquo(double, double, __private int *);
/* f(a, *p): `body` sets r (the result) and q (what goes through the pointer) from scalar a. */
#define WW_OUT_T(f, S, T, Q, body)                                                                                      \
  static T WW_CLM f(T a, S Q *p) { T r; Q q; body; *p = q; return r; }                                                         \
  static T##2 WW_CLM f(T##2 a, S Q##2 *p) { Q x, y; T##2 r; r.x = f(a.x, &x); r.y = f(a.y, &y); *p = (Q##2)(x, y); return r; } \
  static T##3 WW_CLM f(T##3 a, S Q##3 *p) { Q x, y, z; T##3 r; r.x = f(a.x, &x); r.y = f(a.y, &y); r.z = f(a.z, &z); *p = (Q##3)(x, y, z); return r; } \
  static T##4 WW_CLM f(T##4 a, S Q##4 *p) { Q##2 x, y; T##4 r; r.lo = f(a.lo, &x); r.hi = f(a.hi, &y); *p = (Q##4)(x, y); return r; } \
  static T##8 WW_CLM f(T##8 a, S Q##8 *p) { Q##4 x, y; T##8 r; r.lo = f(a.lo, &x); r.hi = f(a.hi, &y); *p = (Q##8)(x, y); return r; } \
  static T##16 WW_CLM f(T##16 a, S Q##16 *p) { Q##8 x, y; T##16 r; r.lo = f(a.lo, &x); r.hi = f(a.hi, &y); *p = (Q##16)(x, y); return r; }
#define WW_OUT_SPACE(S)                                                                                                 \
  WW_OUT_T(fract, S, float, float, q = floor(a); r = fmin(a - q, 0x1.fffffep-1f))                                       \
  WW_OUT_T(fract, S, double, double, q = floor(a); r = fmin(a - q, 0x1.fffffffffffffp-1))                               \
  WW_OUT_T(sincos, S, float, float, r = sin(a); q = cos(a))                                                             \
  WW_OUT_T(sincos, S, double, double, r = sin(a); q = cos(a))                                                           \
  WW_OUT_T(modf, S, float, float, r = __nv_modff(a, &q))                                                                \
  WW_OUT_T(modf, S, double, double, r = __nv_modf(a, &q))                                                               \
  WW_OUT_T(frexp, S, float, int, r = __nv_frexpf(a, &q))                                                                \
  WW_OUT_T(frexp, S, double, int, r = __nv_frexp(a, &q))                                                                \
  WW_OUT_T(lgamma_r, S, float, int, r = lgamma(a); q = a >= 0 || ((long)floor(a) & 1) == 0 ? 1 : -1)                    \
  WW_OUT_T(lgamma_r, S, double, int, r = lgamma(a); q = a >= 0 || ((long)floor(a) & 1) == 0 ? 1 : -1)                   \
  static float WW_CLM remquo(float a, float b, S int *p) { int q; float r = __nv_remquof(a, b, &q); *p = q; return r; }        \
  static double WW_CLM remquo(double a, double b, S int *p) { int q; double r = __nv_remquo(a, b, &q); *p = q; return r; }
WW_OUT_SPACE(WW_PRIVATE)
WW_OUT_SPACE(__global)
WW_OUT_SPACE(__local)
#undef WW_OUT_SPACE
#undef WW_OUT_T
#undef WW_NV1
#undef WW_NV2
#undef WW_BUILTIN1
#undef WW_BUILTIN2

#endif
