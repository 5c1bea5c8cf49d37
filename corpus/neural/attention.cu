// Attention over heads of 64: whole rows, tiles of keys, one token against a cache, windows.

// Flash-like: 64 queries per block, keys and values in tiles of 32, two threads share a query, running maximum and sum.
// warpwise: grid=(queries+63)/64,heads block=128 queries=1024 keys=1024 heads=8 q=[heads*queries*64] k=[heads*keys*64] v=[heads*keys*64] out=[heads*queries*64]
extern "C" __global__ void __launch_bounds__(128) attention_flash(int queries, int keys, int heads, const float *__restrict__ q, const float *__restrict__ k,
                                                                  const float *__restrict__ v, float *__restrict__ out) {
  __shared__ float4 ks[32][16], vs[32][16];
  int t = threadIdx.x, half = t & 1, query = blockIdx.x * 64 + t / 2, head = blockIdx.y;
  if (head >= heads) return;
  const float4 *k4 = (const float4 *)k + (size_t)head * keys * 16, *v4 = (const float4 *)v + (size_t)head * keys * 16;
  const float4 *q4 = (const float4 *)q + ((size_t)head * queries + min(query, queries - 1)) * 16 + half * 8;
  float4 mine[8], acc[8];
#pragma unroll
  for (int d = 0; d < 8; d++) mine[d] = q4[d], acc[d] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float top = -3e38f, sum = 0.0f;
  for (int base = 0; base < keys; base += 32) {
    for (int i = t; i < 512; i += 128) {
      int r = min(base + i / 16, keys - 1);
      ks[i / 16][i % 16] = k4[(size_t)r * 16 + i % 16];
      vs[i / 16][i % 16] = v4[(size_t)r * 16 + i % 16];
    }
    __syncthreads();
    int last = min(32, keys - base);
    for (int j = 0; j < last; j++) {
      float s = 0.0f;
#pragma unroll
      for (int d = 0; d < 8; d++) {
        float4 w = ks[j][half * 8 + d];
        s += mine[d].x * w.x + mine[d].y * w.y + mine[d].z * w.z + mine[d].w * w.w;
      }
      s = (s + __shfl_xor_sync(0xffffffffu, s, 1)) * 0.125f;
      if (s > top) {
        float shrink = __expf(top - s);
        sum *= shrink, top = s;
#pragma unroll
        for (int d = 0; d < 8; d++) acc[d].x *= shrink, acc[d].y *= shrink, acc[d].z *= shrink, acc[d].w *= shrink;
      }
      float p = __expf(s - top);
      sum += p;
#pragma unroll
      for (int d = 0; d < 8; d++) {
        float4 w = vs[j][half * 8 + d];
        acc[d].x += p * w.x, acc[d].y += p * w.y, acc[d].z += p * w.z, acc[d].w += p * w.w;
      }
    }
    __syncthreads();
  }
  if (query >= queries) return;
  float inv = 1.0f / sum;
  float4 *o = (float4 *)out + ((size_t)head * queries + query) * 16 + half * 8;
#pragma unroll
  for (int d = 0; d < 8; d++) o[d] = make_float4(acc[d].x * inv, acc[d].y * inv, acc[d].z * inv, acc[d].w * inv);
}

// One new token: a block per head walks the cache, a warp per key, lanes over the head's 64 numbers.
// warpwise: grid=heads,batch block=256 heads=32 batch=4 len=1024 q=f32[batch*heads*64] k=f32[batch*heads*len*64] v=f32[batch*heads*len*64] out=f32[batch*heads*64]
extern "C" __global__ void attention_decode(int heads, int batch, int len, const float2 *__restrict__ q, const float2 *__restrict__ k,
                                            const float2 *__restrict__ v, float2 *__restrict__ out) {
  __shared__ float tops[8], sums[8];
  __shared__ float2 parts[8][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (blockIdx.x >= heads || blockIdx.y >= batch) return;
  size_t head = (size_t)blockIdx.y * heads + blockIdx.x;
  float2 mine = q[head * 32 + lane], acc = make_float2(0.0f, 0.0f);
  float top = -3e38f, sum = 0.0f;
  for (int j = warp; j < len; j += 8) {
    float2 w = k[(head * len + j) * 32 + lane], x = v[(head * len + j) * 32 + lane];
    float s = mine.x * w.x + mine.y * w.y;
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
    s *= 0.125f;
    float higher = fmaxf(top, s), shrink = __expf(top - higher), p = __expf(s - higher);
    acc.x = acc.x * shrink + p * x.x, acc.y = acc.y * shrink + p * x.y;
    sum = sum * shrink + p, top = higher;
  }
  if (lane == 0) tops[warp] = top, sums[warp] = sum;
  parts[warp][lane] = acc;
  __syncthreads();
  if (warp) return;
  float all = tops[0], norm = 0.0f;
  for (int w = 1; w < 8; w++) all = fmaxf(all, tops[w]);
  acc = make_float2(0.0f, 0.0f);
  for (int w = 0; w < 8; w++) {
    float scale = __expf(tops[w] - all);
    norm += sums[w] * scale;
    acc.x += parts[w][lane].x * scale, acc.y += parts[w][lane].y * scale;
  }
  out[head * 32 + lane] = make_float2(acc.x / norm, acc.y / norm);
}

// The cache cut into pieces so that few heads fill the machine: each block leaves a maximum, a sum and 64 numbers.
// warpwise: grid=(len+piece-1)/piece,heads block=128 heads=8 len=8192 piece=256 q=f32[heads*64] k=f32[heads*len*64] v=f32[heads*len*64] part=[heads*((len+piece-1)/piece)*66]
extern "C" __global__ void attention_split(int heads, int len, int piece, const float4 *__restrict__ q, const float4 *__restrict__ k,
                                           const float4 *__restrict__ v, float *__restrict__ part) {
  __shared__ float score[1024], red[4];
  int t = threadIdx.x, head = blockIdx.y, first = blockIdx.x * piece, last = min(len, first + min(piece, 1024));
  if (head >= heads || first >= len) return;
  int sub = t % 16, count = last - first;
  float4 mine = q[head * 16 + sub];
  for (int base = 0; base < count; base += 8) {
    int j = base + t / 16;
    float4 w = k[((size_t)head * len + first + min(j, count - 1)) * 16 + sub];
    float s = mine.x * w.x + mine.y * w.y + mine.z * w.z + mine.w * w.w;
    for (int d = 8; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (sub == 0 && j < count) score[j] = s * 0.125f;
  }
  __syncthreads();
  float top = -3e38f, sum = 0.0f, acc = 0.0f;
  for (int j = t; j < count; j += 128) top = fmaxf(top, score[j]);
  for (int d = 16; d > 0; d >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
  if (t % 32 == 0) red[t / 32] = top;
  __syncthreads();
  top = fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3]));
  const float *vf = (const float *)v + ((size_t)head * len + first) * 64;
  if (t < 64)
    for (int j = 0; j < count; j++) {
      float p = __expf(score[j] - top);
      sum += p, acc += p * vf[(size_t)j * 64 + t];
    }
  float *o = part + ((size_t)head * gridDim.x + blockIdx.x) * 66;
  if (t < 64) o[2 + t] = acc;
  if (t == 0) o[0] = top, o[1] = sum;
}

// Joins the pieces of a head: a block of 64 per head.
// warpwise: grid=heads block=64 heads=256 pieces=32 part=[heads*pieces*66] out=[heads*64]
extern "C" __global__ void attention_join(int heads, int pieces, const float *__restrict__ part, float *__restrict__ out) {
  if (blockIdx.x >= heads || threadIdx.x >= 64) return;
  const float *p = part + (size_t)blockIdx.x * pieces * 66;
  float top = -3e38f, norm = 0.0f, acc = 0.0f;
  for (int i = 0; i < pieces; i++) top = fmaxf(top, p[i * 66]);
  for (int i = 0; i < pieces; i++) {
    float scale = __expf(p[i * 66] - top);
    norm += p[i * 66 + 1] * scale;
    acc += p[i * 66 + 2 + threadIdx.x] * scale;
  }
  out[blockIdx.x * 64 + threadIdx.x] = acc / norm;
}

// A causal window of the last `window` keys: a warp per query, a lane per key in turns of 32.
// warpwise: grid=(queries+3)/4 block=128 queries=4096 window=128 q=[queries*64] k=[queries*64] v=[queries*64] out=[queries*64]
extern "C" __global__ void attention_window(int queries, int window, const float *__restrict__ q, const float *__restrict__ k,
                                            const float *__restrict__ v, float *__restrict__ out) {
  __shared__ float qs[4][64];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * 4 + warp;
  if (i >= queries) return;
  qs[warp][lane] = q[(size_t)i * 64 + lane], qs[warp][lane + 32] = q[(size_t)i * 64 + lane + 32];
  __syncwarp();
  float top = -3e38f, sum = 0.0f, lo = 0.0f, hi = 0.0f;
  for (int base = max(0, i - window + 1); base <= i; base += 32) {
    int j = base + lane;
    float s = -3e38f;
    if (j <= i) {
      s = 0.0f;
      for (int d = 0; d < 64; d++) s += qs[warp][d] * k[(size_t)j * 64 + d];
      s *= 0.125f;
    }
    float higher = s;
    for (int d = 16; d > 0; d >>= 1) higher = fmaxf(higher, __shfl_xor_sync(0xffffffffu, higher, d));
    higher = fmaxf(higher, top);
    float p = __expf(s - higher), shrink = __expf(top - higher), total = p;
    for (int d = 16; d > 0; d >>= 1) total += __shfl_xor_sync(0xffffffffu, total, d);
    sum = sum * shrink + total, lo *= shrink, hi *= shrink, top = higher;
    int here = min(32, i - base + 1);
    for (int r = 0; r < here; r++) {
      float w = __shfl_sync(0xffffffffu, p, r);
      lo += w * v[(size_t)(base + r) * 64 + lane], hi += w * v[(size_t)(base + r) * 64 + lane + 32];
    }
  }
  out[(size_t)i * 64 + lane] = lo / sum, out[(size_t)i * 64 + lane + 32] = hi / sum;
}

// Scores of all pairs, scaled and masked to the past: 32x32 tiles, whole tiles above the diagonal only write.
// warpwise: grid=(n+31)/32,(n+31)/32 block=32,8 n=1024 q=[n*64] k=[n*64] scores=[n*n]
extern "C" __global__ void causal_scores(int n, const float *__restrict__ q, const float *__restrict__ k, float *__restrict__ scores) {
  __shared__ float qs[32][65], ks[32][65];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32, tx = threadIdx.x, ty = threadIdx.y;
  bool above = x0 > y0 + 31;
  float s[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  if (!above) {
    for (int r = ty; r < 32; r += 8)
      for (int c = tx; c < 64; c += 32) {
        qs[r][c] = q[(size_t)min(y0 + r, n - 1) * 64 + c];
        ks[r][c] = k[(size_t)min(x0 + r, n - 1) * 64 + c];
      }
    __syncthreads();
#pragma unroll 8
    for (int d = 0; d < 64; d++) {
      float b = ks[tx][d];
      for (int r = 0; r < 4; r++) s[r] += qs[ty + 8 * r][d] * b;
    }
  }
  for (int r = 0; r < 4; r++) {
    int y = y0 + ty + 8 * r, x = x0 + tx;
    if (x < n && y < n) scores[(size_t)y * n + x] = x <= y ? s[r] * 0.125f : -1e30f;
  }
}

// Rotates halves of every head with tables of cosines and sines; a block per token.
// warpwise: grid=tokens block=256 tokens=2048 heads=32 cosine=[tokens*64] sine=[tokens*64] x=[tokens*heads*128]
extern "C" __global__ void rotary_tables(int tokens, int heads, const float *__restrict__ cosine, const float *__restrict__ sine, float *x) {
  int token = blockIdx.x;
  if (token >= tokens) return;
  for (int i = threadIdx.x; i < heads * 64; i += blockDim.x) {
    int head = i / 64, d = i % 64;
    float c = cosine[token * 64 + d], s = sine[token * 64 + d];
    float *p = x + ((size_t)token * heads + head) * 128 + d, a = p[0], b = p[64];
    p[0] = a * c - b * s;
    p[64] = b * c + a * s;
  }
}
