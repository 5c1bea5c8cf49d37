// async.cu - what a Hopper SM does beside its warps, for `warpwise gpus probe`: products of warp groups, bulk copies, mbarriers,
// clusters. Compiled for sm_90a alone, so that other GPUs have a gap here.
//
// Every kernel times one loop; the first block's warps write their begin and end. Shared memory holds operands of about 1 (in), because
// the power that matrix units take, and with it the clock, depends on them. Needs no header: NVRTC compiles it as well.

#define ARGS const unsigned *in, unsigned *out, long long *t, int loops, int stride
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(1024) name(ARGS)
typedef unsigned long long u64;

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void write_times(long long *t, long long begin, long long end) {
  if (blockIdx.x == 0 && threadIdx.x % 32 == 0) t[threadIdx.x / 32 * 2] = begin, t[threadIdx.x / 32 * 2 + 1] = end;
}

// ---- products of a warp group: 128 threads ----

// Rows of 128 bytes, swizzled; eight rows are 1024 bytes.
__device__ u64 descriptor(const void *p) {
  return (u64)(shared_address(p) >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

#define R4(C, k) "+" C(d[k]), "+" C(d[k + 1]), "+" C(d[k + 2]), "+" C(d[k + 3])
#define R16(C, k) R4(C, k), R4(C, k + 4), R4(C, k + 8), R4(C, k + 12)
#define R64(C) R16(C, 0), R16(C, 16), R16(C, 32), R16(C, 48)
#define D4 "{%0,%1,%2,%3}, %4, %5, 1"
#define D64                                                                                                               \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,"   \
  "%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,"  \
  "%60,%61,%62,%63}, %64, %65, 1"
#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")

#define PRODUCTS(T, N, UNROLL, EACH)                                                             \
  __shared__ __align__(1024) unsigned tile[6144]; /* A: 64 rows of 128 bytes, B: 128 */          \
  T d[N];                                                                                        \
  for (unsigned k = threadIdx.x; k < 6144; k += blockDim.x) tile[k] = in[k % 256];               \
  for (int k = 0; k < N; k++) d[k] = 0;                                                          \
  asm volatile("fence.proxy.async;" ::: "memory");                                               \
  __syncthreads();                                                                               \
  const u64 a = descriptor(tile), b = descriptor(tile + 2048);                                   \
  long long begin = clock64();                                                                   \
  _Pragma("unroll 1") for (int i = 0; i < loops; i++) {                                          \
    FENCE;                                                                                       \
    _Pragma("unroll") for (int u = 0; u < UNROLL; u++) { EACH }                                  \
    COMMIT;                                                                                      \
    WAIT;                                                                                        \
  }                                                                                              \
  write_times(t, begin, clock64());                                                              \
  T sum = 0;                                                                                     \
  for (int k = 0; k < N; k++) sum += d[k];                                                       \
  out[threadIdx.x] = (unsigned)sum;

// lat_: 16 products of 8 columns a loop, each waited for; issue_: 64 of 128 columns in one group.
#define WGMMA(name, T, C, DEPTH, TYPES, TAIL)                                                             \
  extern "C" __global__ void __launch_bounds__(128) lat_##name(ARGS) {                                    \
    PRODUCTS(T, 4, 16,                                                                                    \
             asm volatile("wgmma.mma_async.sync.aligned.m64n8" DEPTH TYPES " " D4 TAIL ";"                \
                          : R4(C, 0) : "l"(a), "l"(b) : "memory"); COMMIT; WAIT; FENCE;)                  \
  }                                                                                                       \
  extern "C" __global__ void __launch_bounds__(128) issue_##name(ARGS) {                                  \
    PRODUCTS(T, 64, 64,                                                                                   \
             asm volatile("wgmma.mma_async.sync.aligned.m64n128" DEPTH TYPES " " D64 TAIL ";"             \
                          : R64(C) : "l"(a), "l"(b) : "memory");)                                         \
  }

WGMMA(wgmma_f16, float, "f", "k16", ".f32.f16.f16", ", 1, 1, 0, 0")
WGMMA(wgmma_bf16, float, "f", "k16", ".f32.bf16.bf16", ", 1, 1, 0, 0")
WGMMA(wgmma_tf32, float, "f", "k8", ".f32.tf32.tf32", ", 1, 1")
WGMMA(wgmma_fp8, float, "f", "k32", ".f32.e4m3.e4m3", ", 1, 1")
WGMMA(wgmma_s8, int, "r", "k32", ".s32.s8.s8", "")

// ---- mbarriers and copies ----

__device__ void make(u64 *bar, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}
__device__ void arrive(u64 *bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(bar)) : "memory");
}
__device__ void expect(u64 *bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)), "r"(bytes) : "memory");
}
__device__ void await(u64 *bar, unsigned parity) {
  unsigned over = 0;
  while (!over)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(over) : "r"(shared_address(bar)), "r"(parity) : "memory");
}

// Two warps pass a turn to each other: two arrivals and two waits a loop.
KERNEL(mbarrier) {
  __shared__ u64 bar[2];
  if (threadIdx.x == 0) make(&bar[0], 1), make(&bar[1], 1);
  __syncthreads();
  const unsigned warp = threadIdx.x / 32;
  long long begin = clock64();
  if (threadIdx.x % 32 == 0)
    for (int i = 0; i < loops; i++) {
      if (warp == 0) arrive(&bar[0]);
      await(&bar[warp ^ 1], i & 1);
      if (warp == 1) arrive(&bar[1]);
    }
  __syncwarp();
  write_times(t, begin, clock64());
}

// One thread; `stride` bytes a copy, COPIES copies a loop, then a wait for all.
#define BULK(name, COPIES)                                                                                      \
  KERNEL(name) {                                                                                                \
    __shared__ __align__(128) unsigned char to[32768];                                                          \
    __shared__ u64 bar;                                                                                         \
    if (threadIdx.x == 0) make(&bar, 1);                                                                        \
    asm volatile("fence.proxy.async;" ::: "memory");                                                            \
    __syncthreads();                                                                                            \
    long long begin = clock64();                                                                                \
    for (int i = 0; i < loops; i++) {                                                                           \
      expect(&bar, COPIES * stride);                                                                            \
      for (int c = 0; c < COPIES; c++)                                                                          \
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"  \
                     ::"r"(shared_address(to) + c * stride % 32768),                                            \
                     "l"(__cvta_generic_to_global((const char *)in + c * stride)), "r"(stride),                 \
                     "r"(shared_address(&bar)) : "memory");                                                     \
      await(&bar, i & 1);                                                                                       \
    }                                                                                                           \
    write_times(t, begin, clock64());                                                                           \
    out[0] = to[0];                                                                                             \
  }
BULK(bulk_one, 1)
BULK(bulk_many, 64)

// A tile of 8 rows of 32 floats by a tensor map.
struct __align__(64) tensor_map { u64 words[16]; };
extern "C" __global__ void tile(const __grid_constant__ tensor_map map, unsigned *out, long long *t, int loops) {
  __shared__ __align__(128) unsigned to[256];
  __shared__ u64 bar;
  if (threadIdx.x == 0) make(&bar, 1);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  long long begin = clock64();
  for (int i = 0; i < loops; i++) {
    expect(&bar, sizeof to);
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(shared_address(to)), "l"(&map), "r"(0), "r"(0), "r"(shared_address(&bar)) : "memory");
    await(&bar, i & 1);
  }
  write_times(t, begin, clock64());
  out[0] = to[0];
}

// ---- clusters of two blocks ----

#define CLUSTER_BARRIER                                                                     \
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory")
#define PAIR(name) extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(1024) name(ARGS)

__device__ unsigned of_the_other(const void *p) {
  unsigned rank, there;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank ^ 1));
  return there;
}

PAIR(cluster_barrier) {
  CLUSTER_BARRIER;
  long long begin = clock64();
  for (int i = 0; i < loops; i++) CLUSTER_BARRIER;
  write_times(t, begin, clock64());
}

// One thread: every word holds where the next one is, in the other block.
PAIR(cluster_chase) {
  __shared__ unsigned ring[64];
  unsigned there = of_the_other(ring);
  for (unsigned k = threadIdx.x; k < 64; k += blockDim.x) ring[k] = shared_address(ring + (k + 1) % 64) - shared_address(ring);
  CLUSTER_BARRIER;
  unsigned at = 0;
  long long begin = clock64();
  for (int i = 0; i < loops; i++)
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(at) : "r"(there + at) : "memory");
  write_times(t, begin, clock64());
  out[threadIdx.x] = at;
  CLUSTER_BARRIER; // the other still reads here
}

// 1024 threads: four loads of 16 bytes a loop.
PAIR(cluster_stream) {
  __shared__ __align__(16) uint4 words[1024];
  words[threadIdx.x] = make_uint4(threadIdx.x, 1, 2, 3);
  unsigned there = of_the_other(words + threadIdx.x);
  CLUSTER_BARRIER;
  uint4 v[4];
  unsigned sum = 0;
  long long begin = clock64();
  for (int i = 0; i < loops; i++) {
#pragma unroll
    for (int k = 0; k < 4; k++)
      asm volatile("ld.volatile.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "r"(there) : "memory");
#pragma unroll
    for (int k = 0; k < 4; k++) sum += v[k].x ^ v[k].w;
  }
  write_times(t, begin, clock64());
  out[threadIdx.x] = sum;
  CLUSTER_BARRIER;
}
