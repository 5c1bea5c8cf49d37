/* hostmath.c - what CUDA gives host code beside the runtime: mathematics that C does
 * not have. */
#include "emu.h"

#include <math.h>

#include "../../../base/half.h"

static const double pi = 3.14159265358979323846;

/* Exact at multiples of a half, as the names promise. */
static double sin_pi(double x) {
  double r = fmod(x, 2);
  if (r < -1)
    r += 2;
  if (r > 1)
    r -= 2;
  if (r == floor(r))
    return 0;
  return r > 0.5 ? sin(pi * (1 - r)) : r < -0.5 ? -sin(pi * (1 + r)) : sin(pi * r);
}
static double cos_pi(double x) {
  return fabs(fmod(x, 1)) == 0.5 ? 0 : cos(pi * fmod(x, 2));
}

/* Newton's steps on erf from a rough start. */
static double erf_inverse(double y) {
  if (y <= -1 || y >= 1)
    return y == 1 ? INFINITY : y == -1 ? -INFINITY : NAN;
  double w = log(1 - y * y);
  double t = 2 / (pi * 0.147) + w / 2;
  double x = copysign(sqrt(sqrt(t * t - w / 0.147) - t), y);
  for (int i = 0; i < 4; i++)
    x -= (erf(x) - y) / (2 / sqrt(pi) * exp(-x * x));
  return x;
}
static double bessel_i(double x, int order) {
  double term = order ? x / 2 : 1;
  double sum = term;
  for (int k = 1; k < 500 && fabs(term) > 1e-17 * fabs(sum); k++)
    sum += term *= x * x / 4 / (k * (double)(k + order));
  return sum;
}

#define BOTH1(name, expression) \
  double name(double x) {       \
    return expression;          \
  }                             \
  float name##f(float y) {      \
    double x = y;               \
    return expression;          \
  }
BOTH1(rsqrt, 1 / sqrt(x))
BOTH1(rcbrt, 1 / cbrt(x))
BOTH1(sinpi, sin_pi(x))
BOTH1(cospi, cos_pi(x))
BOTH1(erfinv, erf_inverse(x))
BOTH1(erfcinv, erf_inverse(1 - x))
BOTH1(normcdf, 0.5 * erfc(-x * sqrt(0.5)))
BOTH1(normcdfinv, sqrt(2.0) * erf_inverse(2 * x - 1))
BOTH1(erfcx, exp(x *x) * erfc(x))
BOTH1(cyl_bessel_i0, bessel_i(x, 0))
BOTH1(cyl_bessel_i1, bessel_i(x, 1))

#define BOTH(name, parameters, parametersf, expression) \
  double name parameters {                              \
    return expression;                                  \
  }                                                     \
  float name##f parametersf {                           \
    return expression;                                  \
  }
BOTH(fdivide, (double a, double b), (float a, float b), a / b)
BOTH(rhypot, (double a, double b), (float a, float b), 1 / hypot(a, b))
#define THREE(type) (type a, type b, type c)
BOTH(norm3d, THREE(double), THREE(float), hypot(hypot(a, b), c))
BOTH(rnorm3d, THREE(double), THREE(float), 1 / hypot(hypot(a, b), c))
#define FOUR(type) (type a, type b, type c, type d)
BOTH(norm4d, FOUR(double), FOUR(float), hypot(hypot(a, b), hypot(c, d)))
BOTH(rnorm4d, FOUR(double), FOUR(float), 1 / hypot(hypot(a, b), hypot(c, d)))

#define SINCOSPI(name, type)            \
  void name(type x, type *s, type *c) { \
    *s = sin_pi(x);                     \
    *c = cos_pi(x);                     \
  }
SINCOSPI(sincospi, double)
SINCOSPI(sincospif, float)
#define EXTREMES(least, most, type) \
  type least(type a, type b) {      \
    return a < b ? a : b;           \
  }                                 \
  type most(type a, type b) {       \
    return a > b ? a : b;           \
  }
EXTREMES(umin, umax, unsigned)
EXTREMES(llmin, llmax, long long)

/* ---- bfloat16: what compilers call for conversions, where the compiler's own library
 * is older than the type. The value comes back in the same register as any 16-bit
 * float. ---- */

#if defined(__x86_64__) && defined(__FLT16_MAX__)
static _Float16 bits16(uint16_t b) {
  _Float16 f;
  memcpy(&f, &b, 2);
  return f;
}

__attribute__((weak)) _Float16 __truncsfbf2(float f) {
  return bits16(ww_float_to_bf16(f));
}
/* Rounded once: to odd in single precision first. */
__attribute__((weak)) _Float16 __truncdfbf2(double d) {
  float f = d;
  if (!isnan(d) && !isinf(f) && f != d) {
    bool away = fabs(f) > fabs(d);
    f = ww_bits_float((ww_float_bits(f) - away) | 1);
  }
  return __truncsfbf2(f);
}
#endif
