// Transforms of other sizes and kinds: passes over global memory, in registers, by shuffles, whole numbers, wavelets.

__device__ float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ float2 cadd(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 csub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }
__device__ float2 unit(float turns) { // e^(-2 pi i turns)
  float s, c;
  sincospif(-2.0f * turns, &s, &c);
  return make_float2(c, s);
}

// One pass of radix 2 over n points, in order: `half` is 1, 2, 4 ... n/2.
// warpwise: grid=(n/2+255)/256 block=256 n=1<<21 half=1<<8 in=f32[2*n] out=f32[2*n]
extern "C" __global__ void fft_pass2(int n, int half, const float2 *in, float2 *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int k = t % half, to = (t - k) * 2 + k;
  if (t >= n / 2 || to + half >= n) return;
  float2 a = in[t], b = cmul(in[t + n / 2], unit(0.5f * k / half));
  out[to] = cadd(a, b), out[to + half] = csub(a, b);
}

// The same with four points per thread and half as many passes.
// warpwise: grid=(n/4+127)/128 block=128 n=1<<22 quarter=1<<8 in=f32[2*n] out=f32[2*n]
extern "C" __global__ void fft_pass4(int n, int quarter, const float2 *in, float2 *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int k = t % quarter, to = (t - k) * 4 + k;
  if (t >= n / 4 || to + 3 * quarter >= n) return;
  float2 w = unit(0.25f * k / quarter), w2 = cmul(w, w);
  float2 a = in[t], b = cmul(in[t + n / 4], w), c = cmul(in[t + n / 2], w2), d = cmul(in[t + 3 * (n / 4)], cmul(w, w2));
  float2 p = cadd(a, c), q = csub(a, c), r = cadd(b, d), s = csub(b, d);
  out[to] = cadd(p, r), out[to + 2 * quarter] = csub(p, r);
  out[to + quarter] = make_float2(q.x + s.y, q.y - s.x), out[to + 3 * quarter] = make_float2(q.x - s.y, q.y + s.x);
}

__device__ void fft8(float2 *v) {
  const float h = 0.70710678f;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float2 a = v[k], b = v[k + 4];
    v[k] = cadd(a, b), v[k + 4] = csub(a, b);
  }
  v[5] = make_float2(h * (v[5].x + v[5].y), h * (v[5].y - v[5].x));
  v[6] = make_float2(v[6].y, -v[6].x);
  v[7] = make_float2(h * (v[7].y - v[7].x), -h * (v[7].x + v[7].y));
#pragma unroll
  for (int g = 0; g < 8; g += 4) {
    float2 a = v[g], b = v[g + 1], c = v[g + 2], d = v[g + 3];
    float2 p = cadd(a, c), q = csub(a, c), r = cadd(b, d), s = csub(b, d);
    v[g] = cadd(p, r), v[g + 1] = csub(p, r);
    v[g + 2] = make_float2(q.x + s.y, q.y - s.x), v[g + 3] = make_float2(q.x - s.y, q.y + s.x);
  }
  float2 swap = v[1]; // outputs are bit-reversed: 0 4 2 6 1 5 3 7
  v[1] = v[4], v[4] = swap, swap = v[3], v[3] = v[6], v[6] = swap;
}

// Eight points to a thread, the batch across the lanes.
// warpwise: grid=(batch+127)/128 block=128 batch=1<<18 data=f32[batch*16]
extern "C" __global__ void fft8_thread(int batch, float2 *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch) return;
  float2 v[8];
#pragma unroll
  for (int k = 0; k < 8; k++) v[k] = data[(size_t)k * batch + i];
  fft8(v);
#pragma unroll
  for (int k = 0; k < 8; k++) data[(size_t)k * batch + i] = v[k];
}

// 1024 points to a block, radix 4: five passes between two buffers in shared memory, in order, nothing bit-reversed.
// warpwise: grid=batch block=256 batch=4096 data=f32[batch*2048]
extern "C" __global__ void fft1024_ordered(int batch, float2 *data) {
  __shared__ float2 s[2][1024];
  if (blockIdx.x >= batch) return;
  float2 *mine = data + (size_t)blockIdx.x * 1024;
  int t = threadIdx.x, now = 0;
  for (int j = t; j < 1024; j += 256) s[0][j] = mine[j];
  for (int quarter = 1; quarter < 1024; quarter *= 4, now ^= 1) {
    __syncthreads();
    int k = t & (quarter - 1), to = 4 * (t - k) + k;
    float2 w = unit(0.25f * k / quarter), w2 = cmul(w, w);
    float2 a = s[now][t], b = cmul(s[now][t + 256], w), c = cmul(s[now][t + 512], w2),
           d = cmul(s[now][t + 768], cmul(w, w2));
    float2 p = cadd(a, c), q = csub(a, c), r = cadd(b, d), e = csub(b, d), *out = s[1 - now] + to;
    out[0] = cadd(p, r), out[2 * quarter] = csub(p, r);
    out[quarter] = make_float2(q.x + e.y, q.y - e.x), out[3 * quarter] = make_float2(q.x - e.y, q.y + e.x);
  }
  __syncthreads();
  for (int j = t; j < 1024; j += 256) mine[j] = s[now][j];
}

// 32 points to a warp, one per lane.
// warpwise: grid=(batch+7)/8 block=256 batch=65536 data=f32[batch*64]
extern "C" __global__ void fft32_warp(int batch, float2 *data) {
  int m = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (m >= batch) return;
  float2 v = data[(size_t)m * 32 + (__brev(lane) >> 27)];
#pragma unroll
  for (int half = 1; half < 32; half *= 2) {
    bool high = lane & half;
    float2 w = unit(0.5f * (lane % half) / half), b = high ? cmul(v, w) : v;
    float2 u = make_float2(__shfl_xor_sync(0xffffffffu, b.x, half), __shfl_xor_sync(0xffffffffu, b.y, half));
    v = high ? csub(u, b) : cadd(b, u);
  }
  data[(size_t)m * 32 + lane] = v;
}

// Doubles, 256 points to a block, the twiddles from a table.
// warpwise: grid=batch block=128 batch=4096 table=f64[256] data=f64[batch*512]
extern "C" __global__ void fft256_double(int batch, const double2 *table, double2 *data) {
  __shared__ double2 s[2][256];
  if (blockIdx.x >= batch) return;
  double2 *mine = data + (size_t)blockIdx.x * 256;
  int t = threadIdx.x, now = 0;
  s[0][t] = mine[t], s[0][t + 128] = mine[t + 128];
  for (int half = 1; half < 256; half *= 2, now ^= 1) {
    __syncthreads();
    int k = t % half, to = (t - k) * 2 + k;
    double2 a = s[now][t], b = s[now][t + 128], w = table[k * (128 / half)];
    b = make_double2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
    s[1 - now][to] = make_double2(a.x + b.x, a.y + b.y), s[1 - now][to + half] = make_double2(a.x - b.x, a.y - b.y);
  }
  __syncthreads();
  mine[t] = s[now][t], mine[t + 128] = s[now][t + 128];
}

// Between the two halves of a long transform: multiply by the twiddles and turn the square.
// warpwise: grid=n/32,n/32 block=32,8 n=1024 in=f32[2*n*n] out=f32[2*n*n]
extern "C" __global__ void fft_turn(int n, const float2 *in, float2 *out) {
  __shared__ float2 tile[32][33];
  if ((blockIdx.x + 1) * 32 > n || (blockIdx.y + 1) * 32 > n) return;
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  float scale = 1.0f / ((float)n * n);
  for (int j = 0; j < 32; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = cmul(in[(size_t)(y + j) * n + x], unit((float)x * (y + j) * scale));
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(size_t)(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

// The spectrum of 2 n real numbers from the transform of n complex ones.
// warpwise: grid=(n/2+256)/256 block=256 n=1<<21 z=f32[2*n] out=f32[2*n+2]
extern "C" __global__ void fft_real(int n, const float2 *z, float2 *out) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k > n / 2) return;
  float2 a = z[k], b = z[k ? n - k : 0];
  float2 even = make_float2(0.5f * (a.x + b.x), 0.5f * (a.y - b.y)),
         odd = make_float2(0.5f * (a.y + b.y), 0.5f * (b.x - a.x));
  odd = cmul(odd, unit(0.5f * k / n));
  out[k] = cadd(even, odd);
  float2 c = csub(even, odd);
  out[n - k] = make_float2(c.x, -c.y);
}

// By the definition, a thread to a frequency; the angle is kept exact as a whole number.
// warpwise: grid=(n+127)/128 block=128 n=4096 x=f32[n] out=f32[2*n]
extern "C" __global__ void dft_direct(int n, const float *x, float2 *out) {
  int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  float2 s = make_float2(0.0f, 0.0f);
  int phase = 0;
  for (int j = 0; j < n; j++) {
    float2 w = unit((float)phase / n);
    s.x += x[j] * w.x, s.y += x[j] * w.y;
    phase += k;
    if (phase >= n) phase -= n;
  }
  out[k] = s;
}

// Sums and differences only: 2048 whole numbers to a block.
// warpwise: grid=n/2048 block=256 n=1<<22 x=i32[n]:uniform(0,1000)
extern "C" __global__ void hadamard2048(int n, int *x) {
  __shared__ int s[2048];
  int *mine = x + (size_t)blockIdx.x * 2048, t = threadIdx.x, v[8];
  if ((blockIdx.x + 1) * 2048 > n) return;
  for (int k = 0; k < 8; k++) v[k] = mine[k * 256 + t];
#pragma unroll
  for (int d = 1; d < 8; d *= 2)
#pragma unroll
    for (int k = 0; k < 8; k++)
      if (!(k & d)) {
        int a = v[k], b = v[k + d];
        v[k] = a + b, v[k + d] = a - b;
      }
  for (int k = 0; k < 8; k++) s[k * 256 + t] = v[k];
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    for (int p = t; p < 1024; p += 256) {
      int a = p / d * 2 * d + p % d, u = s[a], w = s[a + d];
      s[a] = u + w, s[a + d] = u - w;
    }
  }
  __syncthreads();
  for (int k = t; k < 2048; k += 256) mine[k] = s[k];
}

// Whole numbers modulo 998244353, 1024 to a block; roots has the powers of a root of one.
// warpwise: grid=batch block=512 batch=1024 roots=u32[512]:uniform(1,998244353) data=u32[batch*1024]:uniform(0,998244353)
extern "C" __global__ void ntt1024(int batch, const unsigned *roots, unsigned *data) {
  __shared__ unsigned s[1024];
  const unsigned p = 998244353u;
  if (blockIdx.x >= batch) return;
  unsigned *mine = data + (size_t)blockIdx.x * 1024;
  int t = threadIdx.x;
  s[__brev(t) >> 22] = mine[t], s[__brev(t + 512) >> 22] = mine[t + 512];
  for (int half = 1; half < 1024; half *= 2) {
    __syncthreads();
    int k = t & (half - 1), at = 2 * (t - k) + k;
    unsigned a = s[at], b = (unsigned)((unsigned long long)s[at + half] * roots[k * (512 / half)] % p);
    s[at] = a + b >= p ? a + b - p : a + b, s[at + half] = a >= b ? a - b : a + p - b;
  }
  __syncthreads();
  mine[t] = s[t], mine[t + 512] = s[t + 512];
}

// A level of the 5/3 wavelet on rows of whole numbers: predict the odd, update the even.
// warpwise: grid=rows block=256 rows=2048 n=2048 x=i32[rows*n]:uniform(0,256) out=i32[rows*n]
extern "C" __global__ void wavelet_rows(int rows, int n, const int *x, int *out) {
  if (blockIdx.x >= rows) return;
  const int *row = x + (size_t)blockIdx.x * n;
  int *low = out + (size_t)blockIdx.x * n, *high = low + n / 2, half = n / 2;
  for (int k = threadIdx.x; k < half; k += blockDim.x) {
    int here = row[2 * k], next = row[k + 1 < half ? 2 * k + 2 : 2 * k], d = row[2 * k + 1] - (here + next >> 1);
    int back = row[k ? 2 * k - 2 : 0], e = row[k ? 2 * k - 1 : 1] - (back + (k ? here : next) >> 1);
    high[k] = d, low[k] = here + (d + e + 2 >> 2);
  }
}
