/* loss.cu - the losses with their gradients: next token (softmax and cross entropy in place), numbers (Laplace).
 *
 * token_loss: a block for each row. One pass finds maximum and sum together (each thread keeps its own, scaled when its maximum grows), the second
 * writes; a row of 128k bf16 is 256 KB, so the second pass reads it from L2. Rows may begin at any address: what lies before the first and
 * behind the last 16-byte boundary is done one by one. */
#include "common.cuh"

#define LOG2E 1.4426950408889634f
#define UNROLL 4
#define SPREAD_WEIGHT 0.0625f /* WW_SPREAD_WEIGHT of ops.h */

__device__ __forceinline__ float power2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

struct running {
  float most, sum; /* sum of 2^((x - most) log2 e) */
};

__device__ __forceinline__ void take(running &r, float x) {
  if (x > r.most) {
    r.sum *= power2((r.most - x) * LOG2E);
    r.most = x;
  }
  r.sum += power2((x - r.most) * LOG2E);
}

template <int W> __device__ __forceinline__ void take_all(running &r, const float (&x)[W]) {
  float m = x[0];
#pragma unroll
  for (int k = 1; k < W; k++) m = fmaxf(m, x[k]);
  if (m > r.most) {
    r.sum *= power2((r.most - m) * LOG2E);
    r.most = m;
  }
  float base = r.most * LOG2E;
#pragma unroll
  for (int k = 0; k < W; k++) r.sum += power2(x[k] * LOG2E - base);
}

/* Where the aligned part of a row begins, and how many vectors it has. */
struct span {
  unsigned head, vectors, tail; /* tail: index of the first value behind the vectors */
};
template <typename real> __device__ __forceinline__ span find_span(const real *x, unsigned V) {
  const int W = WIDE(real);
  span s;
  s.head = (unsigned)((16 - ((u64)x & 15)) & 15) / (unsigned)sizeof(real);
  if (s.head > V) s.head = V;
  s.vectors = (V - s.head) / W;
  s.tail = s.head + s.vectors * W;
  return s;
}

template <typename real> __device__ void fill_zero(real *x, unsigned V, const span &s) {
  real *body = x + s.head;
  for (unsigned i = threadIdx.x; i < s.vectors; i += blockDim.x) store16(body + i * WIDE(real), make_uint4(0, 0, 0, 0));
  if (threadIdx.x < s.head) x[threadIdx.x] = of_float<real>(0.f);
  if (s.tail + threadIdx.x < V) x[s.tail + threadIdx.x] = of_float<real>(0.f);
}

template <typename real> __device__ __forceinline__ running read_row(const real *x, unsigned V, const span &s) {
  const int W = WIDE(real);
  const real *body = x + s.head;
  running r = {-__int_as_float(0x7f800000), 0.f};
  float f[W];
  unsigned i = threadIdx.x;
  for (; i + (UNROLL - 1) * blockDim.x < s.vectors; i += UNROLL * blockDim.x) {
    uint4 v[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) v[u] = load16(body + (i + u * blockDim.x) * W);
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
      unpack(f, v[u]);
      take_all(r, f);
    }
  }
  for (; i < s.vectors; i += blockDim.x) {
    unpack(f, load16(body + i * W));
    take_all(r, f);
  }
  if (threadIdx.x < s.head) take(r, to_float(x[threadIdx.x]));
  if (s.tail + threadIdx.x < V) take(r, to_float(x[s.tail + threadIdx.x]));
  return r;
}

/* 2^((most - all) log2 e), and 0 for a thread that saw nothing. */
__device__ __forceinline__ float rescale(const running &r, float all) { return r.sum == 0.f ? 0.f : r.sum * power2((r.most - all) * LOG2E); }

__device__ __forceinline__ running join_block(running r, float *hold) {
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float m = warp_max(r.most), s = warp_sum(rescale(r, m));
  if (lane == 0) hold[warp] = m, hold[32 + warp] = s;
  __syncthreads();
  running w = {lane < warps ? hold[lane] : -__int_as_float(0x7f800000), lane < warps ? hold[32 + lane] : 0.f};
  r.most = warp_max(w.most);
  r.sum = warp_sum(rescale(w, r.most));
  return r;
}

template <typename real>
__device__ __forceinline__ void write_row(real *x, unsigned V, const span &s, const running &r, float scale) {
  const int W = WIDE(real);
  real *body = x + s.head;
  float f[W], base = r.most * LOG2E, by = scale / r.sum;
  unsigned i = threadIdx.x;
  for (; i + (UNROLL - 1) * blockDim.x < s.vectors; i += UNROLL * blockDim.x) {
    uint4 v[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) v[u] = load16(body + (i + u * blockDim.x) * W);
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
      unpack(f, v[u]);
#pragma unroll
      for (int k = 0; k < W; k++) f[k] = power2(f[k] * LOG2E - base) * by;
      store16(body + (i + u * blockDim.x) * W, pack(f));
    }
  }
  for (; i < s.vectors; i += blockDim.x) {
    unpack(f, load16(body + i * W));
#pragma unroll
    for (int k = 0; k < W; k++) f[k] = power2(f[k] * LOG2E - base) * by;
    store16(body + i * W, pack(f));
  }
  unsigned t = s.tail + threadIdx.x;
  if (threadIdx.x < s.head) x[threadIdx.x] = of_float<real>(power2(to_float(x[threadIdx.x]) * LOG2E - base) * by);
  if (t < V) x[t] = of_float<real>(power2(to_float(x[t]) * LOG2E - base) * by);
}

template <typename real>
__device__ __forceinline__ void token_loss(float *loss, real *logits, const int *target, const float *weight, float scale, unsigned V) {
  __shared__ float hold[64];
  real *x = logits + (u64)blockIdx.x * V;
  span s = find_span(x, V);
  int t = target[blockIdx.x];
  if (t < 0 || (unsigned)t >= V) {
    fill_zero(x, V, s);
    if (threadIdx.x == 0) loss[blockIdx.x] = 0.f;
    return;
  }
  float asked = to_float(x[t]); /* before anybody writes: join_block has a barrier */
  running r = join_block(read_row(x, V, s), hold);
  float by = weight ? weight[blockIdx.x] : 1.f;
  scale *= by;
  write_row(x, V, s, r, scale);
  __syncthreads();
  if (threadIdx.x) return;
  x[t] = of_float<real>((power2(asked * LOG2E - r.most * LOG2E) / r.sum - 1.f) * scale);
  loss[blockIdx.x] = (logf(r.sum) + r.most - asked) * by;
}
BOTH(token_loss, __launch_bounds__(1024), (float *loss, real *logits, const int *target, const float *weight, float scale, unsigned V),
     (loss, logits, target, weight, scale, V))

/* A thread for each row: K is small. Outside -5..5 the log spread has no gradient. */
template <typename real>
__device__ __forceinline__ void number_loss(float *loss, real *dout, const real *out, const float *target, float scale, unsigned n, unsigned K) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const real *o = out + (u64)i * 2 * K;
  real *d = dout + (u64)i * 2 * K;
  float sum = 0.f;
  for (unsigned k = 0; k < K; k++) {
    float y = target[(u64)i * K + k], mean = to_float(o[k]), raw = to_float(o[K + k]);
    float s = fminf(fmaxf(raw, -5.f), 5.f), e = expf(-s), gap = fabsf(y - mean), dmean = 0.f, ds = 0.f;
    if (y == y) {
      sum += gap + SPREAD_WEIGHT * (gap * e + s);
      dmean = (mean > y ? 1.f : mean < y ? -1.f : 0.f) * (1.f + SPREAD_WEIGHT * e) * scale;
      ds = raw < -5.f || raw > 5.f ? 0.f : SPREAD_WEIGHT * (1.f - gap * e) * scale;
      if (raw != raw || mean != mean) sum = dmean = ds = mean + raw; /* not a number stays one */
    }
    d[k] = of_float<real>(dmean);
    d[K + k] = of_float<real>(ds);
  }
  loss[i] = sum;
}
BOTH(number_loss, __launch_bounds__(128),
     (float *loss, real *dout, const real *out, const float *target, float scale, unsigned n, unsigned K), (loss, dout, out, target, scale, n, K))
