/* Distributions over the generators: uniform in (0, 1], normal by Box-Muller, log-normal, Poisson.
 *
 * Constants and the order of draws are cuRAND's, so that Philox gives its numbers bit for bit up to the math library. */
#ifndef WW_RNG_DIST_H
#define WW_RNG_DIST_H
#include "ww_rng_philox.h"
#include "ww_rng_sobol.h"
#include "ww_rng_xorwow.h"

WW_HD float __ww_uniform(unsigned x) { return x * 2.3283064e-10f + (2.3283064e-10f / 2.0f); }
WW_HD double __ww_uniform_double(unsigned x) { return x * 2.3283064365386963e-10 + 2.3283064365386963e-10; }
WW_HD double __ww_uniform53(unsigned x, unsigned y) {
  unsigned long long z = (unsigned long long)x ^ (unsigned long long)y << (53 - 32);
  return z * 1.1102230246251565e-16 + (1.1102230246251565e-16 / 2.0);
}
WW_HD float2 __ww_box_muller(unsigned x, unsigned y) {
  float u = __ww_uniform(x), v = y * (2.3283064e-10f * 6.2831855f) + (2.3283064e-10f * 6.2831855f / 2.0f);
  float r = sqrtf(-2.0f * logf(u));
  return float2{r * sinf(v), r * cosf(v)};
}
WW_HD double2 __ww_box_muller_double(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  double u = __ww_uniform53(x0, x1);
  unsigned long long z = (unsigned long long)y0 ^ (unsigned long long)y1 << (53 - 32);
  double v = z * (1.1102230246251565e-16 * 2.0) + 1.1102230246251565e-16, r = sqrt(-2.0 * log(u));
  return double2{r * sinpi(v), r * cospi(v)};
}

/* ---- uniform ---- */
WW_HD float curand_uniform(curandStateXORWOW_t *s) { return __ww_uniform(curand(s)); }
WW_HD float curand_uniform(curandStatePhilox4_32_10_t *s) { return __ww_uniform(curand(s)); }
WW_HD float curand_uniform(curandStateMRG32k3a_t *s) { return (float)(curand_MRG32k3a(s) * 2.3283065498378288e-10); }
WW_HD float curand_uniform(curandStateSobol32_t *s) { return __ww_uniform(curand(s)); }
WW_HD float curand_uniform(curandStateScrambledSobol32_t *s) { return __ww_uniform(curand(s)); }
WW_HD double curand_uniform_double(curandStateXORWOW_t *s) { unsigned x = curand(s), y = curand(s); return __ww_uniform53(x, y); }
WW_HD double curand_uniform_double(curandStatePhilox4_32_10_t *s) { return __ww_uniform_double(curand(s)); }
WW_HD double curand_uniform_double(curandStateMRG32k3a_t *s) { return curand_MRG32k3a(s) * 2.3283065498378288e-10; }
WW_HD double curand_uniform_double(curandStateSobol32_t *s) { return __ww_uniform_double(curand(s)); }
WW_HD float4 curand_uniform4(curandStatePhilox4_32_10_t *s) {
  uint4 x = curand4(s);
  return float4{__ww_uniform(x.x), __ww_uniform(x.y), __ww_uniform(x.z), __ww_uniform(x.w)};
}
WW_HD double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s) {
  uint4 x = curand4(s);
  return double2{__ww_uniform53(x.x, x.y), __ww_uniform53(x.z, x.w)};
}
WW_HD double4 curand_uniform4_double(curandStatePhilox4_32_10_t *s) {
  double2 a = curand_uniform2_double(s), b = curand_uniform2_double(s);
  return double4{a.x, a.y, b.x, b.y};
}

/* ---- normal: two per Box-Muller, the second kept for the next call ---- */
template <class S> WW_HD float2 __ww_normal2(S *s) { unsigned x = curand(s), y = curand(s); return __ww_box_muller(x, y); }
template <class S> WW_HD double2 __ww_normal2_double(S *s) {
  unsigned x0 = curand(s), x1 = curand(s), y0 = curand(s), y1 = curand(s);
  return __ww_box_muller_double(x0, x1, y0, y1);
}
template <class S> WW_HD float curand_normal(S *s) {
  if (s->boxmuller_flag) { s->boxmuller_flag = 0; return s->boxmuller_extra; }
  float2 v = __ww_normal2(s);
  s->boxmuller_extra = v.y, s->boxmuller_flag = 1;
  return v.x;
}
template <class S> WW_HD double curand_normal_double(S *s) {
  if (s->boxmuller_flag_double) { s->boxmuller_flag_double = 0; return s->boxmuller_extra_double; }
  double2 v = __ww_normal2_double(s);
  s->boxmuller_extra_double = v.y, s->boxmuller_flag_double = 1;
  return v.x;
}
template <class S> WW_HD float2 curand_normal2(S *s) { return __ww_normal2(s); }
template <class S> WW_HD double2 curand_normal2_double(S *s) { return __ww_normal2_double(s); }
WW_HD float4 curand_normal4(curandStatePhilox4_32_10_t *s) {
  uint4 x = curand4(s);
  float2 a = __ww_box_muller(x.x, x.y), b = __ww_box_muller(x.z, x.w);
  return float4{a.x, a.y, b.x, b.y};
}
/* A quasi-random point must use one dimension per number: inverse distribution instead of Box-Muller. */
WW_HD float curand_normal(curandStateSobol32_t *s) { return normcdfinvf(curand_uniform(s)); }
WW_HD float curand_normal(curandStateScrambledSobol32_t *s) { return normcdfinvf(curand_uniform(s)); }

template <class S> WW_HD float curand_log_normal(S *s, float mean, float stddev) { return expf(mean + stddev * curand_normal(s)); }
template <class S> WW_HD double curand_log_normal_double(S *s, double mean, double stddev) { return exp(mean + stddev * curand_normal_double(s)); }
template <class S> WW_HD float2 curand_log_normal2(S *s, float mean, float stddev) {
  float2 v = curand_normal2(s);
  return float2{expf(mean + stddev * v.x), expf(mean + stddev * v.y)};
}

/* ---- Poisson: Knuth's product for small means, a rounded normal above ---- */
template <class S> WW_HD unsigned curand_poisson(S *s, double lambda) {
  if (lambda < 64.0) {
    float p = expf((float)lambda);
    unsigned k = 0;
    do { k++; p *= curand_uniform(s); } while (p > 1.0f);
    return k - 1;
  }
  float v = sqrtf((float)lambda) * curand_normal(s) + (float)lambda + 0.5f;
  return v > 0 ? (unsigned)v : 0;
}
#endif
