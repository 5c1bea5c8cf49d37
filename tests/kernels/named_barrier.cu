// Two warps fill tiles, two use them: barriers by number, which the code does not know, at which one side only arrives.
#define SYNC(id, threads) asm volatile("barrier.sync.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory")
#define ARRIVE(id, threads) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory")
__global__ void named_barrier(const int *__restrict__ in, int *__restrict__ out, int tiles) {
  __shared__ int tile[2][64];
  const int all = 128, filled = 1, empty = 3;
  int l = threadIdx.x % 64;
  if (threadIdx.x < 64) {
#pragma unroll 1
    for (int t = 0; t < tiles; t++) {
      int stage = t % 2;
      SYNC(empty + stage, all);
      tile[stage][l] = in[t * 64 + l] + t;
      ARRIVE(filled + stage, all);
    }
  } else {
    ARRIVE(empty, all);
    ARRIVE(empty + 1, all);
#pragma unroll 1
    for (int t = 0; t < tiles; t++) {
      int stage = t % 2, odd, v;
      SYNC(filled + stage, all);
      v = tile[stage][63 - l];
      asm volatile("{\n.reg .pred p;\nsetp.gt.s32 p, %1, 100;\nbarrier.red.popc.aligned.u32 %0, 5, 64, p;\n}" : "=r"(odd) : "r"(v) : "memory");
      if (t + 2 < tiles) ARRIVE(empty + stage, all);
      out[t * 64 + l] = v * 1000 + odd;
    }
  }
}
