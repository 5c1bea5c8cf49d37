// Copies that run beside arithmetic: the same sums over tiles of 16 KB by plain loads, by cp.async and by bulk copies, four stages deep, with `work`
// multiplications and additions a value. `wrap` tiles are read again and again: few of them stay in L2, many come from DRAM.

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ float4 add_work(float4 s, float4 v, int work) {
#pragma unroll 4
  for (int k = 0; k < work; k++) {
    v.x = v.x * 0.99f + 0.01f;
    v.y = v.y * 0.99f + 0.01f;
    v.z = v.z * 0.99f + 0.01f;
    v.w = v.w * 0.99f + 0.01f;
  }
  return make_float4(s.x + v.x, s.y + v.y, s.z + v.z, s.w + v.w);
}

__device__ void store_sum(float *out, float4 s) { out[blockIdx.x * 256 + threadIdx.x] = s.x + s.y + s.z + s.w; }

// warpwise: grid=264 block=256 tiles=512 wrap=2048 work=16 in=f32[wrap*4096] out=f32[264*256]
extern "C" __global__ void tiles_loaded(int tiles, int wrap, int work, const float4 *__restrict__ in, float *__restrict__ out) {
  float4 s = make_float4(0, 0, 0, 0);
  for (int i = 0; i < tiles; i++) {
    const float4 *tile = in + (size_t)((blockIdx.x + i * gridDim.x) % wrap) * 1024;
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) v[k] = tile[k * 256 + threadIdx.x];
#pragma unroll
    for (int k = 0; k < 4; k++) s = add_work(s, v[k], work);
  }
  store_sum(out, s);
}

// warpwise: grid=264 block=256 tiles=512 wrap=2048 work=16 in=f32[wrap*4096] out=f32[264*256]
extern "C" __global__ void tiles_async(int tiles, int wrap, int work, const float4 *__restrict__ in, float *__restrict__ out) {
  extern __shared__ float4 stage[]; // warpwise: shared=65536
  float4 s = make_float4(0, 0, 0, 0);
  for (int i = -3; i < tiles; i++) {
    if (i + 3 < tiles) {
      const float4 *tile = in + (size_t)((blockIdx.x + (i + 3) * gridDim.x) % wrap) * 1024;
      float4 *to = stage + (i + 3) % 4 * 1024;
#pragma unroll
      for (int k = 0; k < 4; k++)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to + k * 256 + threadIdx.x)), "l"(tile + k * 256 + threadIdx.x));
    }
    asm volatile("cp.async.commit_group;");
    if (i < 0) continue;
    asm volatile("cp.async.wait_group 3;" ::: "memory");
    float4 *from = stage + i % 4 * 1024; // every thread reads what it copied itself
#pragma unroll
    for (int k = 0; k < 4; k++) s = add_work(s, from[k * 256 + threadIdx.x], work);
  }
  store_sum(out, s);
}

// warpwise: grid=264 block=256 tiles=512 wrap=2048 work=16 in=f32[wrap*4096] out=f32[264*256]
extern "C" __global__ void tiles_bulk(int tiles, int wrap, int work, const float4 *__restrict__ in, float *__restrict__ out) {
  extern __shared__ __align__(128) float4 stage[]; // warpwise: shared=65536
  __shared__ unsigned long long full[4];
  if (threadIdx.x == 0) {
    for (int k = 0; k < 4; k++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[k])) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  float4 s = make_float4(0, 0, 0, 0);
  for (int i = -3; i < tiles; i++) {
    if (i + 3 < tiles && threadIdx.x == 0) {
      int k = (i + 3) % 4;
      const float4 *tile = in + (size_t)((blockIdx.x + (i + 3) * gridDim.x) % wrap) * 1024;
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;" ::"r"(shared_address(&full[k])) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16384, [%2];" ::"r"(shared_address(stage + k * 1024)),
                   "l"(tile), "r"(shared_address(&full[k]))
                   : "memory");
    }
    if (i < 0) continue;
    unsigned over = 0;
    while (!over)
      asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                   : "=r"(over) : "r"(shared_address(&full[i % 4])), "r"(i / 4 & 1) : "memory");
    float4 *from = stage + i % 4 * 1024;
#pragma unroll
    for (int k = 0; k < 4; k++) s = add_work(s, from[k * 256 + threadIdx.x], work);
    __syncthreads();
  }
  store_sum(out, s);
}
