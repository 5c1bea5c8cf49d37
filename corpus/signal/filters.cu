// Signals: filters with and without memory, tones, wavelets, correlation.

// Many channels through a cascade of second-order sections: a thread per channel, samples interleaved by channel.
// warpwise: grid=(channels+63)/64 block=64 channels=8192 len=128 sections=2 coef=[sections*5] x=[channels*len] y=[channels*len]
extern "C" __global__ void iir_channels(int channels, int len, int sections, const float *__restrict__ coef, const float *__restrict__ x, float *__restrict__ y) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  for (int s = 0; s < sections; s++) {
    float b0 = coef[s * 5], b1 = coef[s * 5 + 1], b2 = coef[s * 5 + 2], a1 = 0.3f * coef[s * 5 + 3], a2 = 0.3f * coef[s * 5 + 4], z1 = 0.0f, z2 = 0.0f;
    const float *in = s ? y : x;
    for (int t = 0; t < len; t++) {
      float v = in[(size_t)t * channels + c], o = b0 * v + z1;
      z1 = b1 * v - a1 * o + z2, z2 = b2 * v - a2 * o;
      y[(size_t)t * channels + c] = o;
    }
  }
}

// The same for channels stored one after the other: tiles of 32 by 32 are turned in shared memory.
// warpwise: grid=(channels+31)/32 block=32 channels=4096 len=256 b=0.2 a=0.8 x=[channels*len] y=[channels*len]
extern "C" __global__ void iir_turned(int channels, int len, float b, float a, const float *__restrict__ x, float *__restrict__ y) {
  __shared__ float tile[32][33];
  int lane = threadIdx.x, c0 = blockIdx.x * 32;
  float state = 0.0f;
  for (int t0 = 0; t0 < len; t0 += 32) {
    for (int r = 0; r < 32; r++)
      if (c0 + r < channels && t0 + lane < len) tile[r][lane] = x[(size_t)(c0 + r) * len + t0 + lane];
    __syncwarp();
    for (int k = 0; k < 32; k++) tile[lane][k] = state = b * tile[lane][k] + a * state;
    __syncwarp();
    for (int r = 0; r < 32; r++)
      if (c0 + r < channels && t0 + lane < len) y[(size_t)(c0 + r) * len + t0 + lane] = tile[r][lane];
    __syncwarp();
  }
}

// Filter and keep every fourth sample; taps in constant memory.
__constant__ float lowpass[32] = {0.001f, 0.002f, 0.004f, 0.007f, 0.011f, 0.016f, 0.022f, 0.028f, 0.034f, 0.040f, 0.045f, 0.049f, 0.052f, 0.054f, 0.055f, 0.055f,
                                  0.055f, 0.055f, 0.054f, 0.052f, 0.049f, 0.045f, 0.040f, 0.034f, 0.028f, 0.022f, 0.016f, 0.011f, 0.007f, 0.004f, 0.002f, 0.001f};
// warpwise: grid=(n+255)/256 block=256 n=1<<20 x=f32[n*4+32] y=[n]
extern "C" __global__ void decimate4(int n, const float4 *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    float4 v = x[i + k];
    s += lowpass[4 * k] * v.x + lowpass[4 * k + 1] * v.y + lowpass[4 * k + 2] * v.z + lowpass[4 * k + 3] * v.w;
  }
  y[i] = s;
}

// Integer filter of 16-bit samples, pairs packed in words, 64-bit sums.
// warpwise: grid=(n+127)/128 block=128 n=1<<19 taps=64 x=[n+taps] h=[taps] y=[n]
extern "C" __global__ void fir_int16(int n, int taps, const short *__restrict__ x, const short *__restrict__ h, short *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long s = 0;
#pragma unroll 8
  for (int k = 0; k < taps; k++) s += (int)x[i + k] * h[k];
  s = (s + 16384) >> 15;
  y[i] = (short)(s > 32767 ? 32767 : s < -32768 ? -32768 : s);
}

// Strength of tones: a block per tone, each thread runs the recurrence over its stretch, powers are added.
// warpwise: grid=tones block=128 tones=128 n=16384 x=[n] power=[tones]
extern "C" __global__ void goertzel(int tones, int n, const float *__restrict__ x, float *__restrict__ power) {
  __shared__ float part[4];
  if (blockIdx.x >= tones) return;
  int stretch = n / blockDim.x, first = threadIdx.x * stretch;
  float w = 6.2831853f * (blockIdx.x + 1) / (2.5f * tones), c = 2.0f * cosf(w), s1 = 0.0f, s2 = 0.0f;
  for (int k = 0; k < stretch; k++) {
    float s = x[first + k] + c * s1 - s2;
    s2 = s1, s1 = s;
  }
  float p = s1 * s1 + s2 * s2 - c * s1 * s2;
  for (int d = 16; d > 0; d >>= 1) p += __shfl_down_sync(0xffffffffu, p, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32 % 4] = p;
  __syncthreads();
  if (threadIdx.x == 0) power[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

// Integer wavelet (5/3 lifting), one level of rows: even and odd samples part. Integers alone.
// warpwise: grid=(n/2+255)/256,rows block=256 n=4096 rows=512 x=[n*rows]:uniform(-1000,1000) low=[n/2*rows] high=[n/2*rows]
extern "C" __global__ void lifting53(int n, int rows, const int *__restrict__ x, int *__restrict__ low, int *__restrict__ high) {
  __shared__ int detail[257];
  int half = n / 2, k = blockIdx.x * 256 + threadIdx.x;
  if (blockIdx.y >= rows) return;
  const int *p = x + (size_t)blockIdx.y * n;
  int even = 0;
  if (k < half) {
    even = p[2 * k];
    int next = 2 * k + 2 < n ? p[2 * k + 2] : even, d = p[2 * k + 1] - (even + next >> 1);
    detail[threadIdx.x + 1] = d;
    high[(size_t)blockIdx.y * half + k] = d;
  }
  if (threadIdx.x == 0) detail[0] = k > 0 && k < half ? p[2 * k - 1] - (p[2 * k - 2] + even >> 1) : detail[1];
  __syncthreads();
  if (k < half) low[(size_t)blockIdx.y * half + k] = even + (detail[threadIdx.x] + detail[threadIdx.x + 1] + 2 >> 2);
}

// Haar transform of blocks of 1024, all ten levels in shared memory.
// warpwise: grid=pieces block=512 pieces=2048 x=[pieces*1024] y=[pieces*1024]
extern "C" __global__ void haar_levels(int pieces, const float *__restrict__ x, float *__restrict__ y) {
  __shared__ float s[1024];
  int t = threadIdx.x;
  if (blockIdx.x >= pieces) return;
  s[t] = x[(size_t)blockIdx.x * 1024 + t], s[t + 512] = x[(size_t)blockIdx.x * 1024 + t + 512];
  __syncthreads();
  for (int half = 512; half > 0; half >>= 1) {
    float a = 0.0f, b = 0.0f;
    if (t < half) a = s[2 * t], b = s[2 * t + 1];
    __syncthreads();
    if (t < half) {
      s[t] = (a + b) * 0.70710678f;
      y[(size_t)blockIdx.x * 1024 + half + t] = (a - b) * 0.70710678f;
    }
    __syncthreads();
  }
  if (t == 0) y[(size_t)blockIdx.x * 1024] = s[0];
}

// Autocorrelation at `lags` lags: a block per lag, double sums.
// warpwise: grid=lags block=256 lags=128 n=65536 x=[n+lags] r=[lags]
extern "C" __global__ void autocorrelate(int lags, int n, const float *__restrict__ x, double *__restrict__ r) {
  __shared__ double part[32];
  int lag = blockIdx.x;
  if (lag >= lags) return;
  double s = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += (double)x[i] * x[i + lag];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x) return;
  for (int k = 1; k < blockDim.x / 32; k++) s += part[k];
  r[lag] = s;
}

// A spectrum that slides: each thread keeps one frequency and turns it on with every sample that comes and goes; power stored every `hop`.
// warpwise: grid=(bins+63)/64 block=64 bins=2048 window=256 steps=512 hop=32 x=[steps+window] power=[bins*(steps/hop)]
extern "C" __global__ void sliding_spectrum(int bins, int window, int steps, int hop, const float *__restrict__ x, float *__restrict__ power) {
  int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= bins) return;
  float c, s, re = 0.0f, im = 0.0f;
  sincosf(6.2831853f * f / (2.0f * bins), &s, &c);
  for (int t = 0; t < steps / hop * hop; t++) {
    float a = re + x[t + window] - x[t], b = im;
    re = a * c - b * s, im = a * s + b * c;
    if ((t + 1) % hop == 0) power[(size_t)(t / hop) * bins + f] = re * re + im * im;
  }
}

// Sample rate change by a ratio, linear, positions in fixed point. Integers alone.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 step=60211 x=[n+2] y=[n]
extern "C" __global__ void resample_fixed(int n, unsigned step, const short *__restrict__ x, short *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long at = (unsigned long long)i * min(step, 65536u);
  int k = (int)(at >> 16), f = (int)(at & 65535u);
  y[i] = (short)(x[k] + ((x[k + 1] - x[k]) * (f >> 1) >> 15));
}

// Energy in bands: frames of 256 with a window, squared, folded to 16 bands by a warp.
// warpwise: grid=(frames+7)/8 block=256 frames=16384 hop=128 x=[frames*hop+256] band=[frames*16]
extern "C" __global__ void band_energy(int frames, int hop, const float *__restrict__ x, float *__restrict__ band) {
  int f = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (f >= frames) return;
  float e[8];
#pragma unroll
  for (int k = 0; k < 8; k++) {
    float v = x[(size_t)f * hop + k * 32 + lane] * (0.5f - 0.5f * __cosf(0.0245437f * (k * 32 + lane)));
    e[k] = v * v;
  }
#pragma unroll
  for (int k = 0; k < 8; k++)
    for (int d = 8; d > 0; d >>= 1) e[k] += __shfl_xor_sync(0xffffffffu, e[k], d);
  if (lane % 16 == 0)
    for (int k = 0; k < 8; k++) band[f * 16 + 2 * k + lane / 16] = __logf(e[k] + 1e-9f);
}
