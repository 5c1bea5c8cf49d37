// Numbers in as few bits as they need: fixed widths, differences, frames, lengths of variable codes.

// A thread packs 32 numbers of `width` bits into `width` words.
template <int width> __device__ void pack_group(int groups, const unsigned *in, unsigned *out) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  unsigned long long hold = 0;
  int have = 0, w = 0;
#pragma unroll
  for (int k = 0; k < 32; k++) {
    hold |= (unsigned long long)(in[(size_t)g * 32 + k] & ((1u << width) - 1)) << have;
    have += width;
    if (have >= 32) out[(size_t)g * width + w++] = (unsigned)hold, hold >>= 32, have -= 32;
  }
}

// warpwise: grid=(groups+127)/128 block=128 groups=65536 in=u32[groups*32]:uniform(0,4294967296) out=u32[groups*5]
extern "C" __global__ void pack5(int groups, const unsigned *in, unsigned *out) { pack_group<5>(groups, in, out); }

// warpwise: grid=(groups+127)/128 block=128 groups=65536 in=u32[groups*32]:uniform(0,4294967296) out=u32[groups*11]
extern "C" __global__ void pack11(int groups, const unsigned *in, unsigned *out) { pack_group<11>(groups, in, out); }

// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=i32[n]:monotone(0,1<<28) d=i32[n]
extern "C" __global__ void delta(int n, const int *x, int *d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) d[i] = x[i] - (i % 128 ? x[i - 1] : 0);
}

// The other way: frames of 128, a warp to a frame, four to a lane.
// warpwise: grid=(n/128+7)/8 block=256 n=1<<22 d=i32[n]:uniform(0,100) x=i32[n]
extern "C" __global__ void undelta(int n, const int4 *d, int4 *x) {
  int f = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (f >= n / 128) return;
  int4 v = d[f * 32 + lane];
  v.y += v.x, v.z += v.y, v.w += v.z;
  int s = v.w;
  for (int k = 1; k < 32; k *= 2) {
    int u = __shfl_up_sync(0xffffffffu, s, k);
    if (lane >= k) s += u;
  }
  s -= v.w;
  x[f * 32 + lane] = make_int4(v.x + s, v.y + s, v.z + s, v.w + s);
}

// Least number and bits needed, for each frame of 256.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=i32[n]:uniform(1000,60000) low=i32[(n+255)/256] width=i32[(n+255)/256]
extern "C" __global__ void frame_width(int n, const int *x, int *low, int *width) {
  __shared__ int lo, hi;
  int i = blockIdx.x * 256 + threadIdx.x;
  if (blockIdx.x * 256 >= n) return;
  if (threadIdx.x == 0) lo = 0x7fffffff, hi = 0x80000000;
  __syncthreads();
  int v = x[i < n ? i : n - 1], a = __reduce_min_sync(0xffffffffu, v), b = __reduce_max_sync(0xffffffffu, v);
  if (threadIdx.x % 32 == 0) atomicMin(&lo, a), atomicMax(&hi, b);
  __syncthreads();
  if (threadIdx.x == 0) low[blockIdx.x] = lo, width[blockIdx.x] = 32 - __clz(hi - lo);
}

// Bytes of a seven-bits-a-byte code.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=u64[n]:random bytes=u8[n]
extern "C" __global__ void varint_bytes(int n, const unsigned long long *x, unsigned char *bytes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = x[i] >> (x[i] & 63);
  bytes[i] = v ? (70 - __clzll(v)) / 7 : 1;
}
