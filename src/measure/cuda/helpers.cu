/* helpers.cu - the device side of the CUDA backend: makes contents, compares with the pristine copy, flushes L2.
 *
 * Compiled to PTX by scripts/cuda_helpers.sh into src/measure/cuda/helpers.ptx, which is part of the tree: building needs
 * no nvcc. All loops are grid-stride; buffers are 16-byte aligned and their allocations a multiple of 16 bytes. */
#include "fill_core.h"

#define LOOP(i, n) \
  for (uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x, s_ = (uint64_t)gridDim.x * blockDim.x; i < (n); i += s_)

/* out: uint64_t[words], contents and zeros behind them */
extern "C" __global__ void ww_fill(uint64_t *out, ww_fill_job j, uint64_t words) {
  WW_ROLLED
  LOOP(i, words) out[i] = core_eight(&j, i);
}

static __device__ __forceinline__ uint64_t warp_sum(uint64_t v) {
  for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

/* The bytes of word i that lie inside the buffer. */
static __device__ __forceinline__ uint64_t inside(uint64_t v, uint64_t i, uint64_t bytes) {
  uint64_t left = bytes - 8 * i;
  return 8 * i >= bytes ? 0 : left >= 8 ? v : v & ((1ull << (8 * left)) - 1);
}

static __device__ __forceinline__ uint64_t at_place(uint64_t v, uint64_t i) { return core_mix(v ^ core_mix(i + 1)); }

/* result[0] += a hash of now[0..bytes), the same in any order; result[1] += words that differ from was (NULL: none do) */
extern "C" __global__ void ww_compare(const ulonglong2 *now, const ulonglong2 *was, uint64_t bytes,
                                      unsigned long long *result) {
  uint64_t hash = 0, changed = 0;
  WW_ROLLED
  LOOP(i, (bytes + 15) / 16) {
    ulonglong2 a = now[i], b = was ? was[i] : a;
    a.x = inside(a.x, 2 * i, bytes), a.y = inside(a.y, 2 * i + 1, bytes);
    b.x = inside(b.x, 2 * i, bytes), b.y = inside(b.y, 2 * i + 1, bytes);
    hash += at_place(a.x, 2 * i) + at_place(a.y, 2 * i + 1);
    changed += (a.x != b.x) + (a.y != b.y);
  }
  hash = warp_sum(hash);
  changed = warp_sum(changed);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&result[0], (unsigned long long)hash);
    if (changed) atomicAdd(&result[1], (unsigned long long)changed);
  }
}

/* Reads zeros[words]; they are zeros, so nothing is ever stored. */
extern "C" __global__ void ww_flush(const uint4 *zeros, uint64_t words, unsigned *never) {
  unsigned any = 0;
#pragma unroll 4
  LOOP(i, words) {
    uint4 v = __ldcg(&zeros[i]);
    any |= v.x | v.y | v.z | v.w;
  }
  if (any) *never = any;
}
