// math.cu - operations of the language that become several instructions, for `warpwise gpus probe`.
//
// math4_<op> and math8_<op> run 4 and 8 dependent operations in a loop that is otherwise the same; their difference is what 4 operations
// cost. Between two operations one logic instruction brings the value back into a harmless range ([1, 2) for floats), so that every
// argument is an ordinary number and no operation can be merged with the next; it is subtracted by the reader.
// WW_PART selects a third of the operations, so that three compilers can share the work.

typedef long long s64;
typedef unsigned long long u64;

struct range { // known at run time only: else the compiler would simplify by it
  unsigned mask, one;
  __device__ unsigned again(unsigned x) const { return (x & mask) | one; }
  __device__ int again(int x) const { return (int)again((unsigned)x); }
  __device__ float again(float x) const { return __uint_as_float(again(__float_as_uint(x))); }
  __device__ double again(double x) const { return __hiloint2double(again(__double2hiint(x)), __double2loint(x)); }
  __device__ u64 again(u64 x) const { return (u64)again((unsigned)(x >> 32)) << 32 | (unsigned)x; }
  __device__ s64 again(s64 x) const { return (s64)again((u64)x); }
};

#define BODY(T, N, EXPR)                                                            \
  const range r = {mask, one};                                                      \
  T *v = (T *)io + (blockIdx.x * blockDim.x + threadIdx.x) * 2;                     \
  T x = r.again(v[0]);                                                              \
  const T a = r.again(v[1]);                                                        \
  __syncthreads();                                                                  \
  s64 begin = clock64();                                                            \
  _Pragma("unroll 1") for (int i = 0; i < loops; i++) {                             \
    _Pragma("unroll") for (int u = 0; u < N; u++) x = r.again((T)(EXPR));           \
  }                                                                                 \
  s64 end = clock64();                                                              \
  v[0] = x;                                                                         \
  v[1] = a;                                                                         \
  if (threadIdx.x % 32 == 0 && blockIdx.x == 0) t[threadIdx.x / 32 * 2] = begin, t[threadIdx.x / 32 * 2 + 1] = end;

#define KERNEL(name) \
  extern "C" __global__ void __launch_bounds__(1024) name(double *io, s64 *t, int loops, unsigned mask, unsigned one)
#define MATH(name, T, EXPR)                \
  KERNEL(math4_##name) { BODY(T, 4, EXPR) } \
  KERNEL(math8_##name) { BODY(T, 8, EXPR) }

#if WW_PART == 0
MATH(div_f32, float, a / x)
MATH(div_fast_f32, float, __fdividef(a, x))
MATH(rcp_f32, float, 1.0f / x)
MATH(sqrt_f32, float, sqrtf(x))
MATH(rsqrt_f32, float, rsqrtf(x))
MATH(exp_f32, float, expf(x))
MATH(exp_fast_f32, float, __expf(x))
MATH(exp2_f32, float, exp2f(x))
MATH(log_f32, float, logf(x))
MATH(log_fast_f32, float, __logf(x))
MATH(log2_f32, float, log2f(x))
MATH(sin_f32, float, sinf(x))
MATH(cos_f32, float, cosf(x))
MATH(sin_fast_f32, float, __sinf(x))
MATH(tan_f32, float, tanf(x))
MATH(pow_f32, float, powf(x, a))
MATH(pow_fast_f32, float, __powf(x, a))
MATH(tanh_f32, float, tanhf(x))
MATH(erf_f32, float, erff(x))
MATH(atan2_f32, float, atan2f(x, a))
MATH(fmod_f32, float, fmodf(x, a))
MATH(cbrt_f32, float, cbrtf(x))
MATH(hypot_f32, float, hypotf(x, a))
MATH(floor_f32, float, floorf(x))
MATH(round_f32, float, roundf(x))
__device__ void end_of_part(); // shows what looks for device code in this text that the lines above are some
#elif WW_PART == 1
MATH(div_f64, double, a / x)
MATH(rcp_f64, double, 1.0 / x)
MATH(sqrt_f64, double, sqrt(x))
MATH(rsqrt_f64, double, rsqrt(x))
MATH(exp_f64, double, exp(x))
MATH(log_f64, double, log(x))
MATH(sin_f64, double, sin(x))
MATH(cos_f64, double, cos(x))
MATH(pow_f64, double, pow(x, a))
MATH(tanh_f64, double, tanh(x))
MATH(erf_f64, double, erf(x))
MATH(floor_f64, double, floor(x))
__device__ void end_of_part();
#else
MATH(div_s32, int, a / x)
MATH(mod_s32, int, a % x)
MATH(div_u32, unsigned, a / x)
MATH(mod_u32, unsigned, a % x)
MATH(div_const_s32, int, x / 10)
MATH(mod_const_u32, unsigned, x % 10u)
MATH(div_s64, s64, a / x)
MATH(div_u64, u64, a / x)
MATH(mod_u64, u64, a % x)
MATH(div_small_u64, u64, a / x)
MATH(div_const_u64, u64, x / 10u)
MATH(add_u64, u64, x + a)
MATH(mul_u64, u64, x * a)
MATH(mulhi_u64, u64, __umul64hi(x, a))
MATH(cvt_s32_f32, int, (int)((float)x))
MATH(cvt_s64_f64, s64, (s64)((double)x))
MATH(cvt_f32_f64, double, (double)(float)x)
__device__ void end_of_part();
#endif
