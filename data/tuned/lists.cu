// Lists of numbers: prefix sums in one pass, sorting, counting, the largest of a row.

__device__ __forceinline__ int warp_prefix(int v, int lane) {
#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    int w = __shfl_up_sync(~0u, v, o);
    if (lane >= o) v += w;
  }
  return v;
}

// Blocks take tiles of 4096 in order; a warp looks back over the tiles before, 32 at a time: 1 a tile's own sum, 2 with all before.
// warpwise: grid=n/4096 block=256 n=1<<22 in=i32[n]:uniform(0,100) out=i32[n] state=u64[n/4096]:zeros ticket=u32[1]:zeros
extern "C" __global__ void __launch_bounds__(256) scan_window(int n, const int *__restrict__ in, int *__restrict__ out, volatile unsigned long long *state, unsigned *ticket) {
  __shared__ int part[8], tile, before;
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) tile = atomicAdd(ticket, 1);
  __syncthreads();
  int b = tile, v[16], sum = 0;
  const int4 *from = (const int4 *)(in + (size_t)b * 4096) + t * 4;
#pragma unroll
  for (int i = 0; i < 4; i++) *(int4 *)&v[4 * i] = from[i];
#pragma unroll
  for (int i = 0; i < 16; i++) sum += v[i];
  int prefix = warp_prefix(sum, lane);
  if (lane == 31) part[warp] = prefix;
  __syncthreads();
  if (warp == 0) {
    int p = lane < 8 ? part[lane] : 0, all;
    p = warp_prefix(p, lane);
    all = __shfl_sync(~0u, p, 7);
    if (lane < 8) part[lane] = p;
    if (lane == 0) state[b] = (b ? 1ull : 2ull) << 32 | (unsigned)all;
    int sums = 0;
    for (int look = b - 1; look >= 0; look -= 32) {
      int at = look - lane;
      unsigned long long s = 2ull << 32;
      do
        if (at >= 0) s = state[at];
      while (__any_sync(~0u, s >> 32 == 0));
      unsigned complete = __ballot_sync(~0u, s >> 32 == 2);
      int last = complete ? __ffs(complete) - 1 : 31;
      int mine = lane <= last ? (int)s : 0;
      sums += __reduce_add_sync(~0u, mine);
      if (complete) break;
    }
    if (lane == 0) {
      if (b) state[b] = 2ull << 32 | (unsigned)(sums + all);
      before = sums;
    }
  }
  __syncthreads();
  int run = before + (warp ? part[warp - 1] : 0) + prefix - sum;
#pragma unroll
  for (int i = 0; i < 16; i++) {
    run += v[i];
    v[i] = run;
  }
  int4 *to = (int4 *)(out + (size_t)b * 4096) + t * 4;
#pragma unroll
  for (int i = 0; i < 4; i++) to[i] = *(int4 *)&v[4 * i];
}

// Each 2048 numbers sorted: four a thread; short steps in registers and by shuffles, long ones through shared memory.
__device__ __forceinline__ void order(unsigned &x, unsigned &y, bool up) {
  unsigned small = min(x, y), large = max(x, y);
  x = up ? small : large;
  y = up ? large : small;
}
// warpwise: grid=n/2048 block=512 n=1<<20 in=u32[n] out=u32[n]
extern "C" __global__ void __launch_bounds__(512) sort_bitonic(int n, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
  __shared__ uint4 s[512];
  int t = threadIdx.x, lane = t % 32;
  uint4 w = ((const uint4 *)in)[blockIdx.x * 512 + t];
  unsigned v[4] = {w.x, w.y, w.z, w.w};
  for (int size = 2; size <= 2048; size *= 2) {
    for (int step = size / 2; step >= 4; step /= 2) {
      int far = step / 4;
      bool up = (t * 4 & size) == 0, low = (t & far) == 0;
      if (far >= 32) {
        __syncthreads();
        s[t] = make_uint4(v[0], v[1], v[2], v[3]);
        __syncthreads();
        uint4 o = s[t ^ far];
        unsigned other[4] = {o.x, o.y, o.z, o.w};
#pragma unroll
        for (int i = 0; i < 4; i++) v[i] = up == low ? min(v[i], other[i]) : max(v[i], other[i]);
      } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
          unsigned other = __shfl_sync(~0u, v[i], lane ^ far);
          v[i] = up == low ? min(v[i], other) : max(v[i], other);
        }
      }
    }
    bool up = (t * 4 & size) == 0;
    if (size >= 4) {
      order(v[0], v[2], up);
      order(v[1], v[3], up);
      order(v[0], v[1], up);
      order(v[2], v[3], up);
    } else {
      order(v[0], v[1], true);
      order(v[2], v[3], false);
    }
  }
  ((uint4 *)out)[blockIdx.x * 512 + t] = make_uint4(v[0], v[1], v[2], v[3]);
}

// 256 bins, a copy for each of eight warps; 16 bytes a load.
// warpwise: grid=264 block=256 n=1<<24 in=u8[n] bins=u32[256]:zeros
extern "C" __global__ void __launch_bounds__(256) count_private(int n, const unsigned char *__restrict__ in, unsigned *bins) {
  __shared__ unsigned own[8][256];
  int t = threadIdx.x, warp = t / 32;
#pragma unroll
  for (int i = 0; i < 8; i++) own[i][t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + t; i < n / 16; i += gridDim.x * 256) {
    uint4 v = ((const uint4 *)in)[i];
    unsigned words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int k = 0; k < 32; k += 8) atomicAdd(&own[warp][words[j] >> k & 255], 1);
  }
  __syncthreads();
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) sum += own[i][t];
  atomicAdd(&bins[t], sum);
}

// The 8 largest of each row: every lane keeps its own 8 in order, then the warp takes the largest head eight times.
// warpwise: grid=rows/4 block=128 rows=8192 cols=2048 x=f32[rows*cols] value=f32[rows*8] index=i32[rows*8]
extern "C" __global__ void __launch_bounds__(128) top8(int rows, int cols, const float *__restrict__ x, float *value, int *index) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const float *in = x + (size_t)row * cols;
  float best[8];
  int where[8];
#pragma unroll
  for (int i = 0; i < 8; i++) {
    best[i] = -1e30f;
    where[i] = -1;
  }
  for (int c = lane * 4; c < cols; c += 128) {
    float4 v = *(const float4 *)&in[c];
    float four[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int j = 0; j < 4; j++) {
      if (four[j] <= best[7]) continue;
      best[7] = four[j];
      where[7] = c + j;
#pragma unroll
      for (int i = 6; i >= 0; i--)
        if (best[i + 1] > best[i]) {
          float f = best[i];
          int w = where[i];
          best[i] = best[i + 1];
          where[i] = where[i + 1];
          best[i + 1] = f;
          where[i + 1] = w;
        }
    }
  }
  for (int k = 0; k < 8; k++) {
    float m = best[0];
#pragma unroll
    for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    int owner = __ffs(__ballot_sync(~0u, best[0] == m)) - 1;
    if (lane == owner) {
      value[row * 8 + k] = best[0];
      index[row * 8 + k] = where[0];
#pragma unroll
      for (int i = 0; i < 7; i++) {
        best[i] = best[i + 1];
        where[i] = where[i + 1];
      }
      best[7] = -1e30f;
    }
  }
}
