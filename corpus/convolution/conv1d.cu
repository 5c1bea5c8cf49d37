// One dimension and separable filters.

// warpwise: grid=(n+255)/256 block=256 n=1<<20 taps=31 x=[n+taps-1] h=[taps] y=[n]
extern "C" __global__ void conv1d_naive(int n, int taps, const float *x, const float *h, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.0f;
  for (int k = 0; k < taps; k++) s += h[taps - 1 - k] * x[i + k];
  y[i] = s;
}

// Input of the block and taps in shared memory; four neighbours a thread slide through registers. taps at most 128.
// warpwise: grid=(n+1023)/1024 block=256 n=1<<20 taps=63 x=[n+taps-1] h=[taps] y=[n]
extern "C" __global__ void conv1d_shared4(int n, int taps, const float *__restrict__ x, const float *__restrict__ h, float *__restrict__ y) {
  __shared__ float xs[1024 + 128], hs[128];
  int base = blockIdx.x * 1024, t = threadIdx.x;
  for (int i = t; i < 1024 + taps - 1; i += 256) xs[i] = base + i < n + taps - 1 ? x[base + i] : 0.0f;
  for (int i = t; i < taps; i += 256) hs[i] = h[taps - 1 - i];
  __syncthreads();
  float a = xs[4 * t], b = xs[4 * t + 1], c = xs[4 * t + 2], s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
  for (int k = 0; k < taps; k++) {
    float d = xs[4 * t + k + 3], w = hs[k];
    s0 += w * a, s1 += w * b, s2 += w * c, s3 += w * d;
    a = b, b = c, c = d;
  }
  int i = base + 4 * t;
  if (i < n) y[i] = s0;
  if (i + 1 < n) y[i + 1] = s1;
  if (i + 2 < n) y[i + 2] = s2;
  if (i + 3 < n) y[i + 3] = s3;
}

// Causal, dilated, channels first: a block per output channel and piece of time.
// warpwise: grid=(len+127)/128,outs block=128 len=4096 ins=64 outs=64 dilation=4 x=[ins*len] w=[outs*ins*3] y=[outs*len]
extern "C" __global__ void conv1d_dilated(int len, int ins, int outs, int dilation, const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y;
  if (t >= len || o >= outs) return;
  float s = 0.0f;
  for (int c = 0; c < ins; c++)
#pragma unroll
    for (int k = 0; k < 3; k++) {
      int at = t - k * dilation;
      if (at >= 0) s += w[(o * ins + c) * 3 + k] * x[(size_t)c * len + at];
    }
  y[(size_t)o * len + t] = tanhf(s);
}

__constant__ float gauss[17] = {0.0011f, 0.0039f, 0.011f, 0.0266f, 0.0547f, 0.0954f, 0.1413f, 0.1776f, 0.1906f, 0.1776f, 0.1413f, 0.0954f, 0.0547f, 0.0266f, 0.011f, 0.0039f, 0.0011f};

// Rows of an image, 17 taps: a block takes 256 pixels and their margins.
// warpwise: grid=(w+255)/256,h block=256 w=2048 h=2048 in=[w*h] out=[w*h]
extern "C" __global__ void separable_rows(int w, int h, const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float s[256 + 16];
  int x = blockIdx.x * 256 + threadIdx.x, y = blockIdx.y;
  if (y >= h) return;
  const float *row = in + (size_t)y * w;
  for (int i = threadIdx.x; i < 272; i += 256) s[i] = row[min(max((int)blockIdx.x * 256 + i - 8, 0), w - 1)];
  __syncthreads();
  if (x >= w) return;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 17; k++) sum += gauss[k] * s[threadIdx.x + k];
  out[(size_t)y * w + x] = sum;
}

// Columns: a thread walks down a strip of 32 rows with the last 17 values in registers.
// warpwise: grid=(w+127)/128,(h+31)/32 block=128 w=2048 h=2048 in=[w*h] out=[w*h]
extern "C" __global__ void separable_columns(int w, int h, const float *__restrict__ in, float *__restrict__ out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y0 = blockIdx.y * 32;
  if (x >= w) return;
  float v[17];
#pragma unroll
  for (int k = 0; k < 16; k++) v[k + 1] = in[(size_t)min(max(y0 + k - 8, 0), h - 1) * w + x];
  for (int y = y0; y < min(y0 + 32, h); y++) {
#pragma unroll
    for (int k = 0; k < 16; k++) v[k] = v[k + 1];
    v[16] = in[(size_t)min(y + 8, h - 1) * w + x];
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 17; k++) sum += gauss[k] * v[k];
    out[(size_t)y * w + x] = sum;
  }
}
