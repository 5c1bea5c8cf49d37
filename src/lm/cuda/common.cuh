/* common.cuh - what the kernels share: bf16 without any header, 16-byte accesses, sums over a warp and over a block.
 *
 * Compiled by nvcc or by NVRTC, which has no headers: nothing is included. Sums have one order, so the same inputs give the same bits. */
#ifndef WW_LM_COMMON_CUH
#define WW_LM_COMMON_CUH

typedef unsigned long long u64;

struct bf16 {
  unsigned short bits;
};

/* A kernel in bf16 and in fp32: `real` in its parameters is the one or the other. */
#define BOTH(name, bounds, params, args)                                                            \
  namespace in_bf16 {                                                                               \
  typedef bf16 real;                                                                                \
  extern "C" __global__ void bounds name##_bf16 params { name<bf16> args; }                         \
  }                                                                                                 \
  namespace in_f32 {                                                                                \
  typedef float real;                                                                               \
  extern "C" __global__ void bounds name##_f32 params { name<float> args; }                         \
  }

#define WIDE(real) (16 / (int)sizeof(real)) /* values of a 16-byte access */
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))

/* ---- between real and float ---- */

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(bf16 x) { return __uint_as_float((unsigned)x.bits << 16); }

/* Two floats to two bf16, rounded to nearest even; `low` is the first in memory. */
__device__ __forceinline__ unsigned pack_bf16(float low, float high) {
#if __CUDA_ARCH__ >= 800
  unsigned d;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(high), "f"(low));
  return d;
#else
  unsigned a = __float_as_uint(low), b = __float_as_uint(high);
  a = low != low ? 0x7fff0000u : a + 0x7fffu + ((a >> 16) & 1u);
  b = high != high ? 0x7fff0000u : b + 0x7fffu + ((b >> 16) & 1u);
  return (a >> 16) | (b & 0xffff0000u);
#endif
}

template <typename real> __device__ __forceinline__ real of_float(float x);
template <> __device__ __forceinline__ float of_float<float>(float x) { return x; }
template <> __device__ __forceinline__ bf16 of_float<bf16>(float x) {
  bf16 r;
  r.bits = (unsigned short)pack_bf16(x, 0.f);
  return r;
}

/* ---- 16 bytes at once ---- */

__device__ __forceinline__ void unpack(float (&x)[8], uint4 v) {
  unsigned w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (int i = 0; i < 4; i++) {
    x[2 * i] = __uint_as_float(w[i] << 16);
    x[2 * i + 1] = __uint_as_float(w[i] & 0xffff0000u);
  }
}
__device__ __forceinline__ void unpack(float (&x)[4], uint4 v) {
  x[0] = __uint_as_float(v.x), x[1] = __uint_as_float(v.y), x[2] = __uint_as_float(v.z), x[3] = __uint_as_float(v.w);
}
__device__ __forceinline__ uint4 pack(const float (&x)[8]) {
  return make_uint4(pack_bf16(x[0], x[1]), pack_bf16(x[2], x[3]), pack_bf16(x[4], x[5]), pack_bf16(x[6], x[7]));
}
__device__ __forceinline__ uint4 pack(const float (&x)[4]) {
  return make_uint4(__float_as_uint(x[0]), __float_as_uint(x[1]), __float_as_uint(x[2]), __float_as_uint(x[3]));
}

template <typename real> __device__ __forceinline__ uint4 load16(const real *p) { return *(const uint4 *)p; }
template <typename real> __device__ __forceinline__ void store16(real *p, uint4 v) { *(uint4 *)p = v; }

/* 16 bytes from device to shared memory while the thread goes on; what it fetched it may read itself after fetch_wait. */
__device__ __forceinline__ void fetch16(void *shared, const void *from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(shared)), "l"(from) : "memory");
#else
  *(uint4 *)shared = *(const uint4 *)from;
#endif
}
__device__ __forceinline__ void fetch_commit() { /* ends a group of fetches */
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int N> __device__ __forceinline__ void fetch_wait() { /* until at most N groups are under way */
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

/* W values: WIDE(real), of an aligned address, or 1. */
template <typename real, int W> struct group {
  static __device__ __forceinline__ void load(float (&x)[W], const real *p) { unpack(x, load16(p)); }
  static __device__ __forceinline__ void store(real *p, const float (&x)[W]) { store16(p, pack(x)); }
};
template <typename real> struct group<real, 1> {
  static __device__ __forceinline__ void load(float (&x)[1], const real *p) { x[0] = to_float(*p); }
  static __device__ __forceinline__ void store(real *p, const float (&x)[1]) { *p = of_float<real>(x[0]); }
};

/* W floats, of an address aligned for them where W > 1. */
template <int W> __device__ __forceinline__ void load_floats(float (&x)[W], const float *p) {
  if (W == 1) x[0] = *p;
#pragma unroll
  for (int i = 0; i + 3 < W; i += 4) {
    float4 v = *(const float4 *)(p + i);
    x[i] = v.x, x[i + 1] = v.y, x[i + 2] = v.z, x[i + 3] = v.w;
  }
}
template <int W> __device__ __forceinline__ void store_floats(float *p, const float (&x)[W]) {
  if (W == 1) *p = x[0];
#pragma unroll
  for (int i = 0; i + 3 < W; i += 4) *(float4 *)(p + i) = make_float4(x[i], x[i + 1], x[i + 2], x[i + 3]);
}

/* ---- sums ---- */

__device__ __forceinline__ float warp_sum(float x) {
#pragma unroll
  for (int d = 16; d; d >>= 1) x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}
__device__ __forceinline__ float warp_max(float x) {
#pragma unroll
  for (int d = 16; d; d >>= 1) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, d));
  return x;
}

/* Over all threads of the block (a multiple of 32); everyone gets it. `hold` is 32 floats of shared memory, free again at the next
 * barrier after the one this ends behind. */
__device__ __forceinline__ float block_sum(float x, float *hold) {
  unsigned warp = threadIdx.x / 32, warps = blockDim.x / 32;
  x = warp_sum(x);
  if (threadIdx.x % 32 == 0) hold[warp] = x;
  __syncthreads();
  float s = threadIdx.x % 32 < warps ? hold[threadIdx.x % 32] : 0.f;
  return warp_sum(s);
}

#endif
