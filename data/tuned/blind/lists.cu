// Lists and rows, scored once: what is kept of a list in its order, keys into buckets, sums of rows with what was there before.
#include <cuda_fp16.h>

// The numbers above a limit, in their order. Tiles of 1024, four a thread; one thread looks back, tile by tile, at the counts
// before: a word of 2 bits of state above 30 of count.
// warpwise: grid=n/1024 block=256 n=1<<22 limit=0.5 in=f32[n] out=f32[n] kept=u32[1]:zeros state=u32[n/1024]:zeros ticket=u32[1]:zeros
extern "C" __global__ void __launch_bounds__(256)
    keep_above(int n, float limit, const float *__restrict__ in, float *__restrict__ out, unsigned *kept, volatile unsigned *state, unsigned *ticket) {
  __shared__ float list[1024];
  __shared__ unsigned part[8], tile, before, count;
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) tile = atomicAdd(ticket, 1);
  __syncthreads();
  float4 v = ((const float4 *)in)[tile * 256 + t];
  unsigned mine = (v.x > limit) + (v.y > limit) + (v.z > limit) + (v.w > limit), sum = mine;
#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    unsigned w = __shfl_up_sync(~0u, sum, o);
    if (lane >= o) sum += w;
  }
  if (lane == 31) part[warp] = sum;
  __syncthreads();
  if (t == 0) {
    unsigned all = 0;
    for (int i = 0; i < 8; i++) {
      unsigned p = part[i];
      part[i] = all;
      all += p;
    }
    count = all;
    unsigned sums = 0;
    if (tile) {
      state[tile] = 1u << 30 | all;
      for (int look = tile - 1; look >= 0;) {
        unsigned s = state[look];
        if (s >> 30 == 0) continue;
        sums += s & 0x3fffffff;
        if (s >> 30 == 2) break;
        look--;
      }
    }
    state[tile] = 2u << 30 | (sums + all);
    before = sums;
    if (tile == gridDim.x - 1) *kept = sums + all;
  }
  __syncthreads();
  unsigned at = part[warp] + sum - mine;
  if (v.x > limit) list[at++] = v.x;
  if (v.y > limit) list[at++] = v.y;
  if (v.z > limit) list[at++] = v.z;
  if (v.w > limit) list[at++] = v.w;
  __syncthreads();
  for (int i = t; i < count; i += 256) out[before + i] = list[i];
}

// Keys into 256 buckets by their highest byte, in their order: ranks in a warp by match_any, in a tile of 2048 by counts of
// warps, over tiles by looking back, a thread for each bucket. A bucket has room for `room` keys.
// warpwise: grid=n/2048 block=256 n=1<<22 room=n/128 keys=u32[n] out=u32[256*room] state=u32[256*n/2048]:zeros ticket=u32[1]:zeros
extern "C" __global__ void __launch_bounds__(256)
    into_buckets(int n, int room, const unsigned *__restrict__ keys, unsigned *__restrict__ out, volatile unsigned *state, unsigned *ticket) {
  __shared__ unsigned counts[8][256], start[256], tile;
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) tile = atomicAdd(ticket, 1);
#pragma unroll
  for (int i = 0; i < 8; i++) counts[i][t] = 0;
  __syncthreads();
  const unsigned *from = keys + (size_t)tile * 2048 + warp * 256 + lane;
  unsigned key[8], rank[8], below = (1u << lane) - 1;
#pragma unroll
  for (int i = 0; i < 8; i++) key[i] = from[32 * i];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    unsigned digit = key[i] >> 24, same = __match_any_sync(~0u, digit), had = counts[warp][digit];
    rank[i] = had + __popc(same & below);
    __syncwarp();
    if ((same & below) == 0) counts[warp][digit] = had + __popc(same);
    __syncwarp();
  }
  __syncthreads();
  unsigned all = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    unsigned c = counts[i][t];
    counts[i][t] = all;
    all += c;
  }
  unsigned sums = 0;
  if (tile) {
    state[tile * 256 + t] = 1u << 30 | all;
    for (int look = tile - 1; look >= 0;) {
      unsigned s = state[look * 256 + t];
      if (s >> 30 == 0) continue;
      sums += s & 0x3fffffff;
      if (s >> 30 == 2) break;
      look--;
    }
  }
  state[tile * 256 + t] = 2u << 30 | (sums + all);
  start[t] = sums;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; i++) {
    unsigned digit = key[i] >> 24, at = start[digit] + counts[warp][digit] + rank[i];
    if (at < room) out[(size_t)digit * room + at] = key[i];
  }
}

// x + r, and its RMS norm: rows of 4096 halves, 16 bytes at a time, 128 threads a row.
// warpwise: grid=rows block=128 rows=4096 x=f16[rows*4096] r=f16[rows*4096] g=f16[4096] sum=f16[rows*4096] y=f16[rows*4096]
extern "C" __global__ void __launch_bounds__(128)
    norm_residual(int rows, const half *__restrict__ x, const half *__restrict__ r, const half *__restrict__ g, half *__restrict__ sum, half *__restrict__ y) {
  __shared__ float part[4];
  int t = threadIdx.x;
  size_t row = (size_t)blockIdx.x * 512;
  uint4 v[4];
  float squares = 0;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    v[i] = ((const uint4 *)x)[row + t + 128 * i];
    uint4 w = ((const uint4 *)r)[row + t + 128 * i];
    half2 *a = (half2 *)&v[i];
    const half2 *b = (const half2 *)&w;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      a[j] = __hadd2(a[j], b[j]);
      float2 f = __half22float2(a[j]);
      squares += f.x * f.x + f.y * f.y;
    }
    ((uint4 *)sum)[row + t + 128 * i] = v[i];
  }
#pragma unroll
  for (int o = 16; o; o /= 2) squares += __shfl_xor_sync(~0u, squares, o);
  if (t % 32 == 0) part[t / 32] = squares;
  __syncthreads();
  float scale = rsqrtf((part[0] + part[1] + part[2] + part[3]) / 4096 + 1e-5f);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    uint4 w = ((const uint4 *)g)[t + 128 * i];
    half2 *a = (half2 *)&v[i];
    const half2 *b = (const half2 *)&w;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float2 f = __half22float2(a[j]), e = __half22float2(b[j]);
      a[j] = __floats2half2_rn(f.x * scale * e.x, f.y * scale * e.y);
    }
    ((uint4 *)y)[row + t + 128 * i] = v[i];
  }
}
