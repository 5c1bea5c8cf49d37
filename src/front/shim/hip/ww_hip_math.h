/* Math that clang's HIP wrapper lacks: directed rounding of + - * / sqrt fma, host declarations of device-only names. */
#ifndef WW_HIP_MATH_H
#define WW_HIP_MATH_H

extern "C" {
#define WW_OCML_ROUNDED(mode)                                                                                     \
  __device__ __attribute__((const)) float __ocml_add_##mode##_f32(float, float);                                 \
  __device__ __attribute__((const)) float __ocml_sub_##mode##_f32(float, float);                                 \
  __device__ __attribute__((const)) float __ocml_mul_##mode##_f32(float, float);                                 \
  __device__ __attribute__((const)) float __ocml_div_##mode##_f32(float, float);                                 \
  __device__ __attribute__((const)) float __ocml_sqrt_##mode##_f32(float);                                       \
  __device__ __attribute__((const)) float __ocml_fma_##mode##_f32(float, float, float);                          \
  __device__ __attribute__((const)) double __ocml_add_##mode##_f64(double, double);                              \
  __device__ __attribute__((const)) double __ocml_sub_##mode##_f64(double, double);                              \
  __device__ __attribute__((const)) double __ocml_mul_##mode##_f64(double, double);                              \
  __device__ __attribute__((const)) double __ocml_div_##mode##_f64(double, double);                              \
  __device__ __attribute__((const)) double __ocml_sqrt_##mode##_f64(double);                                     \
  __device__ __attribute__((const)) double __ocml_fma_##mode##_f64(double, double, double);
WW_OCML_ROUNDED(rtn)
WW_OCML_ROUNDED(rtp)
WW_OCML_ROUNDED(rtz)
#undef WW_OCML_ROUNDED
}

#define WW_ROUNDED_OPS(suffix, mode)                                                                        \
  WW_DEVICE float __fadd_##suffix(float x, float y) { return __ocml_add_##mode##_f32(x, y); }               \
  WW_DEVICE float __fsub_##suffix(float x, float y) { return __ocml_sub_##mode##_f32(x, y); }               \
  WW_DEVICE float __fmul_##suffix(float x, float y) { return __ocml_mul_##mode##_f32(x, y); }               \
  WW_DEVICE float __fdiv_##suffix(float x, float y) { return __ocml_div_##mode##_f32(x, y); }               \
  WW_DEVICE float __frcp_##suffix(float x) { return __ocml_div_##mode##_f32(1.0f, x); }                     \
  WW_DEVICE float __fsqrt_##suffix(float x) { return __ocml_sqrt_##mode##_f32(x); }                         \
  WW_DEVICE float __fmaf_##suffix(float x, float y, float z) { return __ocml_fma_##mode##_f32(x, y, z); }   \
  WW_DEVICE double __dadd_##suffix(double x, double y) { return __ocml_add_##mode##_f64(x, y); }            \
  WW_DEVICE double __dsub_##suffix(double x, double y) { return __ocml_sub_##mode##_f64(x, y); }            \
  WW_DEVICE double __dmul_##suffix(double x, double y) { return __ocml_mul_##mode##_f64(x, y); }            \
  WW_DEVICE double __ddiv_##suffix(double x, double y) { return __ocml_div_##mode##_f64(x, y); }            \
  WW_DEVICE double __drcp_##suffix(double x) { return __ocml_div_##mode##_f64(1.0, x); }                    \
  WW_DEVICE double __dsqrt_##suffix(double x) { return __ocml_sqrt_##mode##_f64(x); }                       \
  WW_DEVICE double __fma_##suffix(double x, double y, double z) { return __ocml_fma_##mode##_f64(x, y, z); }
WW_ROUNDED_OPS(rd, rtn)
WW_ROUNDED_OPS(ru, rtp)
WW_ROUNDED_OPS(rz, rtz)
#undef WW_ROUNDED_OPS

/* Names that ROCm gives the host too. */
extern "C" {
__host__ float rsqrtf(float);
__host__ double rsqrt(double);
__host__ float rcbrtf(float);
__host__ double rcbrt(double);
__host__ float normcdff(float);
__host__ double normcdf(double);
__host__ float erfcinvf(float);
__host__ double erfcinv(double);
__host__ float sinpif(float);
__host__ double sinpi(double);
__host__ float cospif(float);
__host__ double cospi(double);
}
WW_DEVICE void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
WW_DEVICE float rsqrt(float x) { return rsqrtf(x); }

#endif
