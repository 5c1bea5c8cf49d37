// What stands between the matrix products: activations, embeddings, dropout, optimiser steps, choice of the best k.

// warpwise: grid=(n/4+255)/256 block=256 n=1<<23 gate=f32[n] up=f32[n] y=f32[n]
extern "C" __global__ void swiglu_vec4(int n, const float4 *__restrict__ gate, const float4 *__restrict__ up, float4 *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 g = gate[i], u = up[i];
  y[i] = make_float4(g.x / (1.0f + __expf(-g.x)) * u.x, g.y / (1.0f + __expf(-g.y)) * u.y, g.z / (1.0f + __expf(-g.z)) * u.z,
                     g.w / (1.0f + __expf(-g.w)) * u.w);
}

// Gate and up projection lie in one row, as one matrix product leaves them.
// warpwise: grid=(n+255)/256,rows block=256 rows=1024 n=2752 x=[rows*n*2] y=[rows*n]
extern "C" __global__ void swiglu_split(int rows, int n, const float *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (i >= n || row >= rows) return;
  float g = x[(size_t)row * 2 * n + i], u = x[(size_t)row * 2 * n + n + i];
  y[(size_t)row * n + i] = g / (1.0f + expf(-g)) * u;
}

// Bias and the exact GELU, a grid that walks.
// warpwise: grid=blocks block=256 blocks=1056 rows=4096 n=3072 bias=[n] x=[rows*n]
extern "C" __global__ void bias_gelu_erf(int blocks, int rows, int n, const float *__restrict__ bias, float *x) {
  size_t total = (size_t)rows * n;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += (size_t)gridDim.x * blockDim.x) {
    float v = x[i] + bias[i % n];
    x[i] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
  }
}

// Rows of a table by token number, 16 bytes a thread.
// warpwise: grid=tokens block=128 tokens=8192 vocab=50000 width=1024 id=[tokens]:zipf(0,vocab) table=f32[vocab*width] out=f32[tokens*width]
extern "C" __global__ void embed_rows(int tokens, int vocab, int width, const int *__restrict__ id, const float4 *__restrict__ table, float4 *__restrict__ out) {
  int token = blockIdx.x, w4 = width / 4;
  if (token >= tokens) return;
  const float4 *row = table + (size_t)id[token] * w4;
  for (int i = threadIdx.x; i < w4; i += blockDim.x) out[(size_t)token * w4 + i] = row[i];
}

// Its gradient: frequent tokens meet in the same rows.
// warpwise: grid=tokens block=128 tokens=4096 vocab=32000 width=512 id=[tokens]:zipf(0,vocab) grad=[tokens*width] table=[vocab*width]:zeros
extern "C" __global__ void embed_grad(int tokens, int vocab, int width, const int *__restrict__ id, const float *__restrict__ grad, float *table) {
  int token = blockIdx.x;
  if (token >= tokens) return;
  float *row = table + (size_t)id[token] * width;
  for (int i = threadIdx.x; i < width; i += blockDim.x) atomicAdd(&row[i], grad[(size_t)token * width + i]);
}

// Philox, 10 rounds: four random words for a counter.
__device__ uint4 philox(unsigned c0, unsigned c1, unsigned key) {
  uint4 c = make_uint4(c0, c1, 0u, 0u);
  unsigned k0 = key, k1 = key ^ 0xdeadbeefu;
#pragma unroll
  for (int r = 0; r < 10; r++) {
    unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x, h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  return c;
}

// Dropout whose mask is kept as bits for the way back: four elements of a counter.
// warpwise: grid=(n/4+255)/256 block=256 n=1<<22 seed=7 keep=0.9 x=f32[n] y=f32[n] mask=[n/4]
extern "C" __global__ void dropout_philox(int n, unsigned seed, float keep, const float4 *__restrict__ x, float4 *__restrict__ y, unsigned char *__restrict__ mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  uint4 r = philox(i, 0u, seed);
  unsigned limit = (unsigned)(keep * 4294967040.0f);
  float scale = 1.0f / keep;
  float4 v = x[i];
  bool a = r.x < limit, b = r.y < limit, c = r.z < limit, d = r.w < limit;
  y[i] = make_float4(a ? v.x * scale : 0.0f, b ? v.y * scale : 0.0f, c ? v.z * scale : 0.0f, d ? v.w * scale : 0.0f);
  mask[i] = (unsigned char)(a | b << 1 | c << 2 | d << 3);
}

// warpwise: grid=(n+255)/256 block=256 n=1<<22 rate=0.01 momentum=0.9 decay=0.0001 grad=[n] v=[n] w=[n]
extern "C" __global__ void sgd_momentum(int n, float rate, float momentum, float decay, const float *__restrict__ grad, float *v, float *w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float g = grad[i] + decay * w[i], step = momentum * v[i] + g;
  v[i] = step;
  w[i] -= rate * step;
}

// warpwise: grid=(n+127)/128 block=128 n=1<<21 rate=0.001 b1=0.9 b2=0.999 c1=0.1 c2=0.001 g=[n] m=[n] v=[n] w=[n]
extern "C" __global__ void adam_plain(int n, float rate, float b1, float b2, float c1, float c2, const float *g, float *m, float *v, float *w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  m[i] = b1 * m[i] + (1.0f - b1) * g[i];
  v[i] = b2 * v[i] + (1.0f - b2) * g[i] * g[i];
  w[i] -= rate * (m[i] / c1) / (sqrtf(v[i] / c2) + 1e-8f);
}

__device__ void adam_one(float g, float &m, float &v, float &w, float rate, float b1, float b2, float fix, float decay) {
  m = fmaf(b1, m - g, g);
  v = fmaf(b2, v - g * g, g * g);
  w -= rate * (m * __frcp_rn(sqrtf(v) * fix + 1e-8f) + decay * w);
}

// AdamW on four parameters a thread, grid-stride, two vectors in flight.
// warpwise: grid=blocks block=256 blocks=528 n=1<<23 rate=0.001 b1=0.9 b2=0.999 fix=1.3 decay=0.01 g=f32[n] m=f32[n] v=f32[n] w=f32[n]
extern "C" __global__ void adamw_vec4(int blocks, int n, float rate, float b1, float b2, float fix, float decay, const float4 *__restrict__ g,
                                      float4 *__restrict__ m, float4 *__restrict__ v, float4 *__restrict__ w) {
#pragma unroll 2
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    float4 gi = g[i], mi = m[i], vi = v[i], wi = w[i];
    adam_one(gi.x, mi.x, vi.x, wi.x, rate, b1, b2, fix, decay);
    adam_one(gi.y, mi.y, vi.y, wi.y, rate, b1, b2, fix, decay);
    adam_one(gi.z, mi.z, vi.z, wi.z, rate, b1, b2, fix, decay);
    adam_one(gi.w, mi.w, vi.w, wi.w, rate, b1, b2, fix, decay);
    m[i] = mi, v[i] = vi, w[i] = wi;
  }
}

// Best k of a row, a block per row: k rounds of a maximum over the row in shared memory.
// warpwise: grid=rows block=256 rows=512 n=4096 k=8 x=[rows*n] best=[rows*k] at=[rows*k] shared=n*4
extern "C" __global__ void topk_rounds(int rows, int n, int k, const float *__restrict__ x, float *best, int *at) {
  extern __shared__ float row[];
  __shared__ float value[8];
  __shared__ int place[8];
  int r = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (r >= rows) return;
  for (int i = threadIdx.x; i < n; i += 256) row[i] = x[(size_t)r * n + i];
  __syncthreads();
  for (int round = 0; round < k; round++) {
    float top = -3e38f;
    int where = 0;
    for (int i = threadIdx.x; i < n; i += 256)
      if (row[i] > top) top = row[i], where = i;
    for (int d = 16; d > 0; d >>= 1) {
      float other = __shfl_down_sync(0xffffffffu, top, d);
      int there = __shfl_down_sync(0xffffffffu, where, d);
      if (other > top) top = other, where = there;
    }
    if (lane == 0) value[warp] = top, place[warp] = where;
    __syncthreads();
    if (threadIdx.x == 0) {
      int w = 0;
      for (int j = 1; j < 8; j++)
        if (value[j] > value[w]) w = j;
      best[r * k + round] = value[w], at[r * k + round] = place[w];
      row[place[w]] = -3e38f;
    }
    __syncthreads();
  }
}

// Best 4 of a row, a warp per row: every lane keeps its own four sorted in registers, then the lanes are merged.
// warpwise: grid=(rows+7)/8 block=256 rows=4096 n=1024 x=[rows*n] at=[rows*4]
extern "C" __global__ void top4_warp(int rows, int n, const float *__restrict__ x, int *__restrict__ at) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float v[4] = {-3e38f, -3e38f, -3e38f, -3e38f};
  int p[4] = {0, 0, 0, 0};
  for (int i = lane; i < n; i += 32) {
    float a = x[(size_t)row * n + i];
    int j = i;
    if (a <= v[3]) continue;
#pragma unroll
    for (int s = 0; s < 4; s++)
      if (a > v[s]) {
        float tv = v[s];
        int tp = p[s];
        v[s] = a, p[s] = j, a = tv, j = tp;
      }
  }
  for (int round = 0; round < 4; round++) {
    float top = v[0];
    int who = lane;
    for (int d = 16; d > 0; d >>= 1) {
      float other = __shfl_xor_sync(0xffffffffu, top, d);
      int o = __shfl_xor_sync(0xffffffffu, who, d);
      if (other > top || (other == top && o < who)) top = other, who = o;
    }
    if (lane == who) {
      at[row * 4 + round] = p[0];
      v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = -3e38f;
      p[0] = p[1], p[1] = p[2], p[2] = p[3];
    }
  }
}

// Experts of a token: softmax over 64 scores held by a warp, the best two, loads counted per block first.
// warpwise: grid=(tokens+7)/8 block=256 tokens=16384 score=f32[tokens*64] choice=[tokens*2] weight=[tokens*2] load=[64]:zeros
extern "C" __global__ void route_experts(int tokens, const float2 *__restrict__ score, int *choice, float *weight, int *load) {
  __shared__ int count[64];
  int token = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (threadIdx.x < 64) count[threadIdx.x] = 0;
  __syncthreads();
  if (token < tokens) {
    float2 s = score[token * 32 + lane];
    float chosen[2];
    int id[2];
    for (int round = 0; round < 2; round++) {
      float top = fmaxf(s.x, s.y);
      int at = 2 * lane + (s.y > s.x);
      for (int d = 16; d > 0; d >>= 1) {
        float o = __shfl_xor_sync(0xffffffffu, top, d);
        int there = __shfl_xor_sync(0xffffffffu, at, d);
        if (o > top || (o == top && there < at)) top = o, at = there;
      }
      chosen[round] = top, id[round] = at;
      if (at / 2 == lane) (at & 1 ? s.y : s.x) = -3e38f;
    }
    if (lane < 2) {
      float e = __expf(chosen[1] - chosen[0]), w = 1.0f / (1.0f + e);
      choice[token * 2 + lane] = id[lane];
      weight[token * 2 + lane] = lane ? 1.0f - w : w;
      atomicAdd(&count[id[lane]], 1);
    }
  }
  __syncthreads();
  if (threadIdx.x < 64 && count[threadIdx.x]) atomicAdd(&load[threadIdx.x], count[threadIdx.x]);
}
