// Other things to reduce: places, counts, rows, columns, segments, moments; and other ways to finish.

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

// The largest value and where it is, in one 64-bit word.
// warpwise: grid=264 block=256 n=1<<23 x=u32[n]:uniform(0,4294967296) best=u64[1]:zeros
extern "C" __global__ void argmax(int n, const unsigned *x, unsigned long long *best) {
  unsigned long long top = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned long long v = (unsigned long long)x[i] << 32 | (unsigned)i;
    top = v > top ? v : top;
  }
  for (int d = 16; d > 0; d >>= 1) {
    unsigned long long v = __shfl_down_sync(0xffffffffu, top, d);
    top = v > top ? v : top;
  }
  if (threadIdx.x % 32 == 0) atomicMax(best, top);
}

// warpwise: grid=(n+1023)/1024 block=256 n=1<<23 limit=1000 x=i32[n]:uniform(0,4000) count=i32[1]:zeros
extern "C" __global__ void count_below(int n, int limit, const int *x, int *count) {
  int mine = 0, base = blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int i = base + k * 256;
    mine += __popc(__ballot_sync(0xffffffffu, i < n && x[i] < limit));
  }
  if (threadIdx.x % 32 == 0) atomicAdd(count, mine);
}

// The whole block votes at its barrier.
// warpwise: grid=(n+511)/512 block=512 n=1<<22 x=u8[n]:uniform(0,256) count=i32[1]:zeros
extern "C" __global__ void count_odd(int n, const unsigned char *x, int *count) {
  int i = blockIdx.x * 512 + threadIdx.x, c = __syncthreads_count(i < n && x[i] & 1);
  if (threadIdx.x == 0) atomicAdd(count, c);
}

// The block that finishes last adds up what the others left.
// warpwise: grid=blocks block=256 n=1<<22 blocks=132 x=f64[n] part=f64[blocks] ticket=u32[1]:zeros sum=f64[1]
extern "C" __global__ void sum_last_block(int n, int blocks, const double *x, double *part, unsigned *ticket,
                                          double *sum) {
  __shared__ double s[256];
  __shared__ bool last;
  int t = threadIdx.x;
  double a = 0.0;
  for (int i = blockIdx.x * 256 + t; i < n; i += blocks * 256) a += x[i];
  for (int round = 0;; round++) {
    s[t] = a;
    for (int d = 128; d > 0; d >>= 1) {
      __syncthreads();
      if (t < d) s[t] += s[t + d];
    }
    if (round) break;
    if (t == 0) {
      part[blockIdx.x] = s[0];
      __threadfence();
      last = atomicAdd(ticket, 1u) == blocks - 1;
    }
    __syncthreads();
    if (!last) return;
    a = 0.0;
    for (int i = t; i < blocks; i += 256) a += ((volatile double *)part)[i];
    __syncthreads();
  }
  if (t == 0) *sum = s[0];
}

// warpwise: grid=rows block=128 rows=4096 n=1024 x=f32[rows*n] mean=f32[rows] var=f32[rows]
extern "C" __global__ void row_moments(int rows, int n, const float *x, float *mean, float *var) {
  __shared__ float s1[4], s2[4];
  if (blockIdx.x >= rows) return;
  const float *row = x + (size_t)blockIdx.x * n;
  float a = 0.0f, b = 0.0f, first = row[0];
  for (int k = threadIdx.x; k < n; k += 128) {
    float v = row[k] - first; // shifted, so that the square doesn't cancel
    a += v, b += v * v;
  }
  a = warp_sum(a), b = warp_sum(b);
  if (threadIdx.x % 32 == 0) s1[threadIdx.x / 32] = a, s2[threadIdx.x / 32] = b;
  __syncthreads();
  if (threadIdx.x) return;
  a = s1[0] + s1[1] + s1[2] + s1[3], b = s2[0] + s2[1] + s2[2] + s2[3];
  mean[blockIdx.x] = first + a / n, var[blockIdx.x] = b / n - (a / n) * (a / n);
}

// A thread walks down a column, with four sums so that four loads are on their way.
// warpwise: grid=(w+127)/128 block=128 h=2048 w=4096 x=f32[h*w] sum=f32[w]
extern "C" __global__ void column_sums(int h, int w, const float *x, float *sum) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= w) return;
  float s[4] = {};
  int r = 0;
  for (; r + 4 <= h; r += 4)
#pragma unroll
    for (int j = 0; j < 4; j++) s[j] += x[(size_t)(r + j) * w + c];
  for (; r < h; r++) s[0] += x[(size_t)r * w + c];
  sum[c] = (s[0] + s[1]) + (s[2] + s[3]);
}

// A block takes 32 columns and a slice of the rows; rows of threads meet in shared memory, slices by atomics.
// warpwise: grid=(w+31)/32,16 block=32,8 h=2048 w=4096 x=f32[h*w] sum=f32[w]:zeros
extern "C" __global__ void column_sums_sliced(int h, int w, const float *x, float *sum) {
  __shared__ float s[8][33];
  int c = blockIdx.x * 32 + threadIdx.x, each = (h + gridDim.y - 1) / gridDim.y;
  int end = min(h, (int)(blockIdx.y + 1) * each);
  float a = 0.0f;
  if (c < w)
    for (int r = blockIdx.y * each + threadIdx.y; r < end; r += 8) a += x[(size_t)r * w + c];
  s[threadIdx.y][threadIdx.x] = a;
  __syncthreads();
  if (threadIdx.y || c >= w) return;
  for (int j = 1; j < 8; j++) a += s[j][threadIdx.x];
  atomicAdd(&sum[c], a);
}

// Segments of any length, a warp for each.
// warpwise: grid=(segments+7)/8 block=256 segments=65536 total=1<<21 start=i32[segments+1]:monotone(0,total) x=i32[total]:uniform(0,1000) most=i32[segments]
extern "C" __global__ void segment_max(int segments, int total, const int *start, const int *x, int *most) {
  int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (s >= segments) return;
  int m = 0x80000000, end = min(start[s + 1], total);
  for (int k = start[s] + lane; k < end; k += 32) m = max(m, x[k]);
  for (int d = 16; d > 0; d >>= 1) m = max(m, __shfl_xor_sync(0xffffffffu, m, d));
  if (lane == 0) most[s] = m;
}

// Sums with the lost low part carried along.
// warpwise: grid=(threads+255)/256 block=256 n=1<<21 threads=16896 x=f32[n] sum=f32[2*threads]
extern "C" __global__ void sum_compensated(int n, int threads, const float *x, float *sum) {
  float s = 0.0f, lost = 0.0f;
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= threads) return;
  for (int i = id; i < n; i += threads) {
    float y = __fadd_rn(x[i], -lost), t = __fadd_rn(s, y);
    lost = __fadd_rn(__fadd_rn(t, -s), -y);
    s = t;
  }
  sum[2 * id] = s, sum[2 * id + 1] = lost;
}

// warpwise: grid=264 block=512 n=1<<24 x=u32[n]:uniform(0,4294967296) all=u32[3]:zeros
extern "C" __global__ void bitwise_all(int n, const uint4 *x, unsigned *all) {
  unsigned any = 0, odd = 0, ones = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    uint4 v = x[i];
    any |= (v.x | v.y) | (v.z | v.w);
    odd ^= (v.x ^ v.y) ^ (v.z ^ v.w);
    ones += __popc(v.x) + __popc(v.y) + __popc(v.z) + __popc(v.w);
  }
  any = __reduce_or_sync(0xffffffffu, any), odd = __reduce_xor_sync(0xffffffffu, odd);
  ones = __reduce_add_sync(0xffffffffu, ones);
  if (threadIdx.x % 32) return;
  atomicOr(&all[0], any), atomicXor(&all[1], odd), atomicAdd(&all[2], ones);
}
