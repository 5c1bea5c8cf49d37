// Row-wise layers of a transformer: softmax, layer norm, RMS norm, GELU, rotary embedding, attention scores.

// A block per row, three passes over memory.
// warpwise: grid=rows block=256 rows=4096 n=2048 x=f32[rows*n] y=f32[rows*n]
extern "C" __global__ void softmax_block(int rows, int n, const float *x, float *y) {
  if (blockIdx.x >= rows) return;
  __shared__ float s[256];
  const float *row = x + (size_t)blockIdx.x * n;
  int t = threadIdx.x;
  float top = -1e30f, sum = 0.0f;
  for (int i = t; i < n; i += 256) top = fmaxf(top, row[i]);
  s[t] = top;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] = fmaxf(s[t], s[t + d]);
    __syncthreads();
  }
  top = s[0];
  __syncthreads();
  for (int i = t; i < n; i += 256) sum += expf(row[i] - top);
  s[t] = sum;
  __syncthreads();
  for (int d = 128; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  sum = 1.0f / s[0];
  for (int i = t; i < n; i += 256) y[(size_t)blockIdx.x * n + i] = expf(row[i] - top) * sum;
}

// A warp per row.
// warpwise: grid=rows/8 block=256 rows=8192 n=1024 x=f32[rows*n] weight=f32[n] bias=f32[n] y=f32[rows*n]
extern "C" __global__ void layernorm_warp(int rows, int n, const float *x, const float *weight, const float *bias, float *y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float *in = x + (size_t)row * n;
  float sum = 0.0f, sq = 0.0f;
  for (int i = lane; i < n; i += 32) sum += in[i], sq += in[i] * in[i];
  for (int d = 16; d > 0; d >>= 1) {
    sum += __shfl_xor_sync(0xffffffffu, sum, d);
    sq += __shfl_xor_sync(0xffffffffu, sq, d);
  }
  float mean = sum / n, scale = rsqrtf(sq / n - mean * mean + 1e-5f);
  for (int i = lane; i < n; i += 32) y[(size_t)row * n + i] = (in[i] - mean) * scale * weight[i] + bias[i];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=f32[n] y=f32[n]
extern "C" __global__ void gelu(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = 0.5f * v * (1.0f + tanhf(0.7978845608f * (v + 0.044715f * v * v * v)));
}

// warpwise: grid=tokens block=heads*32 tokens=2048 heads=16 q=f32[tokens*heads*64]
extern "C" __global__ void rotary(int tokens, int heads, float2 *q) {
  if (blockIdx.x >= tokens || threadIdx.x >= heads * 32) return;
  int pair = threadIdx.x % 32, at = blockIdx.x * blockDim.x + threadIdx.x;
  float angle = blockIdx.x * powf(10000.0f, -pair / 32.0f), s, c;
  sincosf(angle, &s, &c);
  float2 v = q[at];
  q[at] = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
}

// One query per block against all keys, head size 64: scores, softmax, weighted sum.
// warpwise: grid=queries block=128 queries=1024 keys=1024 q=f32[queries*64] k=f32[keys*64] v=f32[keys*64] out=f32[queries*64] shared=keys*4
extern "C" __global__ void attention_row(int queries, int keys, const float *q, const float *k, const float *v, float *out) {
  if (blockIdx.x >= queries) return;
  extern __shared__ float score[];
  __shared__ float red[128], query[64];
  int t = threadIdx.x;
  if (t < 64) query[t] = q[blockIdx.x * 64 + t];
  __syncthreads();
  float top = -1e30f, sum = 0.0f;
  for (int j = t; j < keys; j += 128) {
    float s = 0.0f;
    for (int d = 0; d < 64; d++) s += query[d] * k[j * 64 + d];
    score[j] = s * 0.125f;
    top = fmaxf(top, score[j]);
  }
  red[t] = top;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) red[t] = fmaxf(red[t], red[t + d]);
    __syncthreads();
  }
  top = red[0];
  __syncthreads();
  for (int j = t; j < keys; j += 128) sum += score[j] = __expf(score[j] - top);
  red[t] = sum;
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) red[t] += red[t + d];
    __syncthreads();
  }
  if (t < 64) {
    float s = 0.0f;
    for (int j = 0; j < keys; j++) s += score[j] * v[j * 64 + t];
    out[blockIdx.x * 64 + t] = s / red[0];
  }
}
