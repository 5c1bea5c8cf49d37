/* CUDA's math functions that C does not have, declared for host code (it is type-checked, never run),
 * and the float overloads nvcc adds on both sides. */
#ifndef WW_MATH_HOST_H
#define WW_MATH_HOST_H
#include "ww_attr.h"

#define WW_HOST1(N)                                                   \
  extern "C" __host__ double N(double);                               \
  extern "C" __host__ float N##f(float);                              \
  WW_HD float N(float a) { return N##f(a); }
WW_HOST1(rsqrt) WW_HOST1(rcbrt) WW_HOST1(sinpi) WW_HOST1(cospi) WW_HOST1(erfinv) WW_HOST1(erfcinv)
WW_HOST1(normcdf) WW_HOST1(normcdfinv) WW_HOST1(erfcx)
#undef WW_HOST1

extern "C" __host__ double cyl_bessel_i0(double), cyl_bessel_i1(double);
extern "C" __host__ float cyl_bessel_i0f(float), cyl_bessel_i1f(float);
extern "C" __host__ double fdivide(double, double), rhypot(double, double), norm3d(double, double, double),
    rnorm3d(double, double, double), norm4d(double, double, double, double), rnorm4d(double, double, double, double);
extern "C" __host__ float fdividef(float, float), rhypotf(float, float), norm3df(float, float, float),
    rnorm3df(float, float, float), norm4df(float, float, float, float), rnorm4df(float, float, float, float);
extern "C" __host__ void sincospi(double, double *, double *);
extern "C" __host__ void sincospif(float, float *, float *);
extern "C" __host__ unsigned int umin(unsigned int, unsigned int), umax(unsigned int, unsigned int);
extern "C" __host__ long long llmin(long long, long long), llmax(long long, long long);

WW_HD void sincospi(float a, float *s, float *c) { sincospif(a, s, c); }
WW_HD void sincos(float a, float *s, float *c) { sincosf(a, s, c); }
WW_HD float fdivide(float a, float b) { return a / b; }
WW_HD float exp10(float a) { return exp10f(a); }
#endif
