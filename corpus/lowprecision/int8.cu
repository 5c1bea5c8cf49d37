// Bytes as numbers: dot products of four, quantisation, integer layers.

// A warp per row, 16 weights a load.
// warpwise: grid=(m+7)/8 block=256 m=8192 n=8192 a=i8[m*n] x=i8[n] y=[m]
extern "C" __global__ void int8_gemv(int m, int n, const int4 *__restrict__ a, const int4 *__restrict__ x, int *__restrict__ y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, s = 0;
  if (row >= m) return;
  for (int i = lane; i < n / 16; i += 32) {
    int4 w = a[(size_t)row * (n / 16) + i], u = x[i];
    s = __dp4a(w.x, u.x, s), s = __dp4a(w.y, u.y, s), s = __dp4a(w.z, u.z, s), s = __dp4a(w.w, u.w, s);
  }
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (lane == 0) y[row] = s;
}

// 64x64 of the product per block, 4x4 a thread, bytes along k packed in words; b by columns. n is a multiple of 64.
// warpwise: grid=n/64,n/64 block=16,16 n=1024 a=i8[n*n] b=i8[n*n] c=i32[n*n]
extern "C" __global__ void int8_gemm_registers(int n, const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ c) {
  __shared__ int as[16][65], bs[16][65];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, words = n / 4;
  int acc[4][4] = {};
  for (int k0 = 0; k0 < words; k0 += 16) {
    for (int i = t; i < 1024; i += 256) {
      as[i % 16][i / 16] = a[(size_t)(blockIdx.y * 64 + i / 16) * words + k0 + i % 16];
      bs[i % 16][i / 16] = b[(size_t)(blockIdx.x * 64 + i / 16) * words + k0 + i % 16];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) {
      int p[4], q[4];
#pragma unroll
      for (int i = 0; i < 4; i++) p[i] = as[k][ty * 4 + i], q[i] = bs[k][tx + 16 * i];
#pragma unroll
      for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) acc[i][j] = __dp4a(p[i], q[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c[(size_t)(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx + 16 * j] = acc[i][j];
}

// Rows to bytes with a scale each: largest magnitude, then division.
// warpwise: grid=rows block=256 rows=4096 n=4096 x=f32[rows*n] q=i8[rows*n] scale=[rows]
extern "C" __global__ void quantize_rows(int rows, int n, const float4 *__restrict__ x, char4 *__restrict__ q, float *__restrict__ scale) {
  __shared__ float part[32];
  int row = blockIdx.x, n4 = n / 4;
  if (row >= rows) return;
  float top = 0.0f;
  for (int i = threadIdx.x; i < n4; i += blockDim.x) {
    float4 v = x[(size_t)row * n4 + i];
    top = fmaxf(top, fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w))));
  }
  for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = top;
  __syncthreads();
  top = threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0.0f;
  for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
  float inv = top > 0.0f ? 127.0f / top : 0.0f;
  if (threadIdx.x == 0) scale[row] = top / 127.0f;
  for (int i = threadIdx.x; i < n4; i += blockDim.x) {
    float4 v = x[(size_t)row * n4 + i];
    q[(size_t)row * n4 + i] = make_char4(__float2int_rn(v.x * inv), __float2int_rn(v.y * inv), __float2int_rn(v.z * inv), __float2int_rn(v.w * inv));
  }
}

// Sums of 32 bits to bytes: fixed-point multiply, shift, ReLU, four outputs a word. Integers alone.
// warpwise: grid=(n/4+255)/256 block=256 n=1<<22 channels=64 shift=16 acc=i32[n]:uniform(-100000,100000) multiplier=[channels]:uniform(20,200) bias=[channels]:uniform(-1000,1000) out=[n/4]
extern "C" __global__ void requantize_relu(int n, int channels, int shift, const int4 *__restrict__ acc, const int *__restrict__ multiplier,
                                           const int *__restrict__ bias, unsigned *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  int4 v = acc[i];
  int s[4] = {v.x, v.y, v.z, v.w};
  unsigned word = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int ch = (4 * i + k) % channels;
    long long wide = (long long)(s[k] + bias[ch]) * multiplier[ch] + (1ll << (shift - 1));
    int byte = (int)(wide >> shift);
    byte = min(max(byte, 0), 255);
    word |= (unsigned)byte << (8 * k);
  }
  out[i] = word;
}

// 3x3 convolution of bytes, channels in fours along the last axis: every tap is a dot product.
// warpwise: grid=(w*w+63)/64,filters/4 block=64,4 w=56 c4=16 filters=64 in=[w*w*c4] weight=[filters*9*c4] out=[w*w*filters]
extern "C" __global__ void int8_conv3(int w, int c4, int filters, const int *__restrict__ in, const int *__restrict__ weight, int *__restrict__ out) {
  int p = blockIdx.x * 64 + threadIdx.x, f = blockIdx.y * 4 + threadIdx.y, x = p % w, y = p / w, s = 0;
  if (p >= w * w || f >= filters) return;
  for (int j = -1; j <= 1; j++) {
    if (y + j < 0 || y + j >= w) continue;
    for (int i = -1; i <= 1; i++) {
      if (x + i < 0 || x + i >= w) continue;
      const int *a = in + ((y + j) * w + x + i) * c4, *b = weight + (f * 9 + (j + 1) * 3 + i + 1) * c4;
      for (int q = 0; q < c4; q++) s = __dp4a(a[q], b[q], s);
    }
  }
  out[(size_t)p * filters + f] = s;
}

// Binary network: xnor and population count of 32 signs a word, a thread per output, weights staged in shared memory.
// warpwise: grid=(m+127)/128,(outs+31)/32 block=128 m=8192 words=32 outs=256 x=[m*words] w=[outs*words] y=[m*outs]
extern "C" __global__ void binary_dense(int m, int words, int outs, const unsigned *__restrict__ x, const unsigned *__restrict__ w, int *__restrict__ y) {
  __shared__ unsigned ws[32][32];
  int row = blockIdx.x * 128 + threadIdx.x, o0 = blockIdx.y * 32, sum[32];
#pragma unroll
  for (int o = 0; o < 32; o++) sum[o] = 0;
  for (int base = 0; base < words; base += 32) {
    for (int i = threadIdx.x; i < 1024; i += 128) {
      int o = o0 + i / 32, k = base + i % 32;
      ws[i / 32][i % 32] = o < outs && k < words ? w[o * words + k] : 0u;
    }
    __syncthreads();
    if (row < m)
      for (int k = 0; k < min(32, words - base); k++) {
        unsigned v = x[(size_t)row * words + base + k];
#pragma unroll
        for (int o = 0; o < 32; o++) sum[o] += __popc(~(v ^ ws[o][k]));
      }
    __syncthreads();
  }
  if (row >= m) return;
#pragma unroll
  for (int o = 0; o < 32; o++)
    if (o0 + o < outs) y[(size_t)row * outs + o0 + o] = 2 * sum[o] - 32 * words;
}
