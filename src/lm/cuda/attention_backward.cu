/* attention_backward.cu - the gradients of causal attention within documents, bf16 on tensor cores.
 *
 * With P = softmax(S) and delta = rowsum(dout * out): dV = P^T dO, dS = P * (dO V^T - delta), dQ = scale dS K, dK = scale dS^T Q. P is made again from the
 * scores and lse. A block has 128 keys of one key head and goes over the queries, in tiles of 64, of all query heads that it serves: dK and dV stay in
 * registers and need no other block. It works on transposed scores (a row is a key), so that P^T and dS^T are left sides of products right out of
 * the registers. dQ either is added up in device memory by all blocks as they come (the order of additions differs from run to run), or a second
 * kernel makes it, a block for 128 queries, which needs the scores once more. */
#include "attention.cuh"

#define QUERIES 64 /* of a tile */

/* ---- first: delta [B, H, T], and zeros where dQ is added up; DP / 8 lanes a row ---- */

template <int DP>
INLINE void prepare(float *delta, float *dq, const bf16 *dout, const bf16 *out, int T, int H, int D, int padded, size_t rows) {
  constexpr int LANES = DP / 8;
  const size_t at = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / LANES; /* (b * padded + t) * H + h */
  const unsigned token = (unsigned)at / H, b = token / padded;
  const int c = threadIdx.x % LANES, h = (unsigned)at % H, t = token % padded;
  float sum = 0;
  if (at < rows && t < T && c * 8 < D) {
    const size_t from = (((size_t)b * T + t) * H + h) * D + c * 8;
    const uint4 x = *(const uint4 *)(dout + from), y = *(const uint4 *)(out + from);
    sum = low_of(x.x) * low_of(y.x) + high_of(x.x) * high_of(y.x) + low_of(x.y) * low_of(y.y) + high_of(x.y) * high_of(y.y) +
          low_of(x.z) * low_of(y.z) + high_of(x.z) * high_of(y.z) + low_of(x.w) * low_of(y.w) + high_of(x.w) * high_of(y.w);
  }
  UNROLL for (int i = LANES / 2; i; i /= 2) sum += __shfl_xor_sync(~0u, sum, i);
  if (at >= rows) return;
  if (t < T && c == 0) delta[((size_t)b * H + h) * T + t] = sum;
  if (dq) {
    float4 *z = (float4 *)(dq + at * DP + c * 8);
    z[0] = z[1] = make_float4(0, 0, 0, 0);
  }
}

/* ---- dK, dV and, with ADD_DQ, what these keys add to dQ ---- */

/* Where dQ is added up: [B * H, tiles of 64 queries, warps, 2, 4, lanes, 4], just as the accumulators of a product of 2 x (DP / 32) warps lie, so that a warp
 * adds 512 neighbouring bytes at once. Warp w has rows 32 (w % 2).. and columns 32 (w / 2)... */
template <int DP> INLINE void add_dq(float *dq, unsigned dS, unsigned K, int keys) {
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, wm = warp & 1, wn = warp >> 1;
  float acc[2][4][4];
  clear(acc);
  const unsigned a = lane_across(dS, QUERIES * 2) ^ (wm << 6), b = lane_down(K, DP * 2) ^ (wn << 6);
  UNROLL for (int k = 0; k < 8; k++) {
    if (k * 16 >= keys) break;
    unsigned A[2][4];
    UNROLL for (int m = 0; m < 2; m++) ldmatrix_t(A[m], (a ^ (m << 5)) + k * 16 * QUERIES * 2);
    UNROLL for (int n = 0; n < 2; n++) {
      unsigned B[4];
      ldmatrix_t(B, (b ^ (n << 5)) + k * 16 * DP * 2);
      UNROLL for (int m = 0; m < 2; m++) {
        mma(acc[m][2 * n], A[m], B[0], B[1]);
        mma(acc[m][2 * n + 1], A[m], B[2], B[3]);
      }
    }
  }
  dq += warp * 1024 + lane * 4;
  UNROLL for (int m = 0; m < 2; m++) UNROLL for (int n = 0; n < 4; n++) add4(dq + (m * 4 + n) * 128, acc[m][n]);
}

/* x: transposed scores, y: transposed dP, of 16 M keys and 8 N queries; they become P^T and dS^T. key: of this lane's first value; at: of lse of
 * this lane's first query, delta and first follow at 256 and 512 bytes; query: its place, where a mask is needed, else -1. */
template <int M, int N> INLINE void scores_to_gradients(float (&x)[M][N][4], float (&y)[M][N][4], unsigned at, int key, int query, float scale2) {
  UNROLL for (int n = 0; n < N; n++) {
    const float2 lse = load_floats(at + n * 32), delta = load_floats(at + 256 + n * 32);
    const float less[2] = {lse.x * LOG2E, lse.y * LOG2E}, d[2] = {delta.x, delta.y};
    int f[2];
    if (query >= 0) {
      const int2 from = load_ints(at + 512 + n * 32);
      f[0] = from.x, f[1] = from.y;
    }
    UNROLL for (int m = 0; m < M; m++) UNROLL for (int i = 0; i < 4; i++) {
      const int q = query + n * 8 + (i & 1), k = key + m * 16 + (i >> 1) * 8;
      float p = power2(x[m][n][i] * scale2 - less[i & 1]);
      if (query >= 0 && (k > q || k < f[i & 1])) p = 0;
      x[m][n][i] = p;
      y[m][n][i] = p * (y[m][n][i] - d[i & 1]);
    }
  }
}

template <int DP, int M, int WARPS, bool ADD_DQ, int CHUNK>
INLINE void keys_backward(bf16 *dqkv, float *dq, const bf16 *dout, const bf16 *qkv, const float *lse, const float *delta, const int *first, int heads, int T,
                          int H, int K, int D, float scale) {
  constexpr int KEYS = WARPS * M * 16, THREADS = WARPS * 32, STRIDE = DP * 2, N = CHUNK / 8;
  constexpr unsigned TILE = QUERIES * STRIDE, STAGE = 2 * TILE + 1024; /* a stage: Q, dO, lse, delta, first */
  static_assert(KEYS == 128, "add_dq goes over 128 keys");
  const int head = blockIdx.x + blockIdx.z * gridDim.x, g = head % K, b = head / K, ld = (H + 2 * K) * D, group = H / K;
  if (head >= heads) return;
  const int k0 = blockIdx.y * KEYS; /* the longest first */
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, key0 = k0 + warp * M * 16;
  const int tiles = (T + QUERIES - 1) / QUERIES, lo = k0 / QUERIES;
  const bf16 *row = qkv + (size_t)b * T * ld;
  first += (size_t)b * T;
  const unsigned Ks = shared_base(), Vs = Ks + KEYS * STRIDE, Ss = Vs + KEYS * STRIDE, ring = Ss + (ADD_DQ ? KEYS * QUERIES * 2 : 0);

  load_tile<DP, KEYS, THREADS>(Ks, row + (H + g) * D, ld, k0, T, D);
  load_tile<DP, KEYS, THREADS>(Vs, row + (H + K + g) * D, ld, k0, T, D);
  auto load_stage = [&](unsigned to, int h, int tile) {
    load_tile<DP, QUERIES, THREADS>(to, row + h * D, ld, tile * QUERIES, T, D);
    load_tile<DP, QUERIES, THREADS>(to + TILE, dout + (size_t)b * T * H * D + h * D, H * D, tile * QUERIES, T, D);
    const int i = threadIdx.x & 63, t = tile * QUERIES + i;
    const size_t at = ((size_t)b * H + h) * T + min(t, T - 1);
    if (threadIdx.x < 64) {
      copy4(to + 2 * TILE + i * 4, lse + at, t < T);
      copy4(to + 2 * TILE + 512 + i * 4, first + min(t, T - 1), t < T);
    } else if (threadIdx.x < 128)
      copy4(to + 2 * TILE + 256 + i * 4, delta + at, t < T);
  };
  int h = g * group, tile = lo;
  const int end = h + group;
  load_stage(ring, h, tile);
  int hi = 0; /* tiles of queries whose documents do not begin behind the last key: all that come before the first other one */
  for (int i = 0; i < tiles; i += THREADS) {
    const int t = i + threadIdx.x;
    hi += __syncthreads_count(t < tiles && first[min(t * QUERIES, T - 1)] < min(k0 + KEYS, T));
  }

  float dk[M][DP / 8][4], dv[M][DP / 8][4];
  clear(dk);
  clear(dv);
  const float scale2 = scale * LOG2E;
  const unsigned k_at = lane_down(Ks + warp * M * 16 * STRIDE, STRIDE), v_at = k_at + KEYS * STRIDE;
  unsigned stage = ring, other = ring + STAGE;
  while (h < end) {
    int next_h = h, next = tile + 1;
    if (next >= hi) next = lo, next_h++;
    copies_done();
    __syncthreads();
    if (next_h < end) load_stage(other, next_h, next);
    UNROLL for (int c = 0; c < QUERIES; c += CHUNK) {
      const int q0 = tile * QUERIES + c, rows = c * STRIDE;
      const unsigned at = stage + 2 * TILE + (c + (lane & 3) * 2) * 4;
      const unsigned s_at = Ss + (warp * M * 16 + (lane >> 2)) * QUERIES * 2 + (lane & 3) * 4, turn = (lane >> 2) & 7;
      const int from_low = load_ints(stage + 2 * TILE + 512 + c * 4).x, from_high = load_ints(stage + 2 * TILE + 512 + (c + CHUNK - 2) * 4).y;
      if (key0 > q0 + CHUNK - 1 || (from_low >= key0 + M * 16 && q0 + CHUNK <= T)) { /* none of these sees any of the keys */
        if (ADD_DQ)
          UNROLL for (int m = 0; m < M * 2; m++) UNROLL for (int n = 0; n < N; n++) store4(s_at + m * 8 * QUERIES * 2 + (((c / 8 + n) ^ turn) << 4), 0);
        continue;
      }
      float x[M][N][4], y[M][N][4];
      clear(x);
      rows_by_rows<DP, M, N / 2>(x, k_at, lane_across(stage, STRIDE) + rows);
      clear(y);
      rows_by_rows<DP, M, N / 2>(y, v_at, lane_across(stage + TILE, STRIDE) + rows);
      const bool whole = key0 + M * 16 - 1 <= q0 && from_high <= key0 && q0 + CHUNK <= T;
      if (whole)
        scores_to_gradients<M, N>(x, y, at, 0, -1, scale2);
      else
        scores_to_gradients<M, N>(x, y, at, key0 + (lane >> 2), q0 + (lane & 3) * 2, scale2);
      unsigned P[M][N / 2][4], dS[M][N / 2][4];
      as_left_side(P, x);
      as_left_side(dS, y);
      if (ADD_DQ)
        UNROLL for (int m = 0; m < M; m++) UNROLL for (int k = 0; k < N / 2; k++) UNROLL for (int i = 0; i < 4; i++)
          store4(s_at + (m * 16 + (i & 1) * 8) * QUERIES * 2 + (((c / 8 + 2 * k + (i >> 1)) ^ turn) << 4), dS[m][k][i]);
      registers_by_tile<DP, M, N / 2>(dv, P, lane_down(stage + TILE, STRIDE) + rows);
      registers_by_tile<DP, M, N / 2>(dk, dS, lane_down(stage, STRIDE) + rows);
    }
    if (ADD_DQ) {
      __syncthreads(); /* dS is there */
      add_dq<DP>(dq + (((size_t)b * H + h) * tiles + tile) * QUERIES * DP, Ss, Ks, min(KEYS, (tile + 1) * QUERIES - k0));
    }
    h = next_h, tile = next;
    const unsigned swap = stage;
    stage = other, other = swap;
  }
  __syncthreads(); /* all are done with K */
  float one[M][2], by[M][2];
  UNROLL for (int m = 0; m < M; m++) UNROLL for (int i = 0; i < 2; i++) one[m][i] = 1, by[m][i] = scale;
  bf16 *to = dqkv + (size_t)b * T * ld;
  write_rows<DP, M>(to + (H + g) * D, ld, key0, T, D, Ks + warp * M * 16 * STRIDE, dk, by);
  write_rows<DP, M>(to + (H + K + g) * D, ld, key0, T, D, Vs + warp * M * 16 * STRIDE, dv, one);
}

/* ---- dQ as it was added up -> dqkv: a thread has 8 columns of the rows r and r + 8 ---- */

template <int DP> INLINE void finish_dq(bf16 *dqkv, const float *dq, int T, int H, int K, int D, float scale, size_t n) {
  const size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  constexpr int CHUNKS = DP / 8;
  const int tiles = (T + QUERIES - 1) / QUERIES, c = at % CHUNKS, i = at / CHUNKS % 32, r = (i >> 3) * 16 + (i & 7);
  const unsigned block = at / CHUNKS / 32; /* (b * H + h) * tiles + tile */
  const int t = block % tiles * QUERIES + r, h = block / tiles % H, b = block / tiles / H;
  if (c * 8 >= D) return;
  const int warp = (r >> 5) + (c >> 2) * 2, part = (r >> 4 & 1) * 4 + (c & 3);
  const float4 *from = (const float4 *)(dq + (size_t)block * QUERIES * DP + warp * 1024 + part * 128 + (r & 7) * 16);
  unsigned up[4], low[4];
  UNROLL for (int j = 0; j < 4; j++) {
    const float4 v = from[j];
    up[j] = pack(v.x * scale, v.y * scale), low[j] = pack(v.z * scale, v.w * scale);
  }
  const size_t ld = (size_t)(H + 2 * K) * D;
  bf16 *to = dqkv + ((size_t)b * T + t) * ld + h * D + c * 8;
  if (t < T) *(uint4 *)to = make_uint4(up[0], up[1], up[2], up[3]);
  if (t + 8 < T) *(uint4 *)(to + 8 * ld) = make_uint4(low[0], low[1], low[2], low[3]);
}

/* ---- dQ by itself: the same bits each time ---- */

template <int DP, int M, int WARPS>
INLINE void queries_backward(bf16 *dqkv, const bf16 *dout, const bf16 *qkv, const float *lse, const float *delta, const int *first, int heads, int T, int H,
                             int K, int D, float scale) {
  constexpr int ROWS = WARPS * M * 16, KEYS = 64, CHUNK = 32, N = CHUNK / 8, THREADS = WARPS * 32, STRIDE = DP * 2;
  constexpr unsigned TILE = KEYS * STRIDE;
  const int head = blockIdx.x + blockIdx.z * gridDim.x, h = head % H, b = head / H, ld = (H + 2 * K) * D;
  if (head >= heads) return;
  const int q0 = (gridDim.y - 1 - blockIdx.y) * ROWS; /* the longest first */
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, row0 = q0 + warp * M * 16;
  const bf16 *q = qkv + (size_t)b * T * ld + h * D, *k = qkv + (size_t)b * T * ld + (H + h / (H / K)) * D, *v = k + K * D;
  first += (size_t)b * T;
  const unsigned Q = shared_base(), dO = Q + ROWS * STRIDE, KV = dO + ROWS * STRIDE;
  const int lo = min(first[q0], q0) / KEYS;
  int j = (min(q0 + ROWS, T) - 1) / KEYS;
  load_tile<DP, ROWS, THREADS>(Q, q, ld, q0, T, D);
  load_tile<DP, ROWS, THREADS>(dO, dout + (size_t)b * T * H * D + h * D, H * D, q0, T, D);
  load_tile<DP, KEYS, THREADS>(KV, k, ld, j * KEYS, T, D);
  load_tile<DP, KEYS, THREADS>(KV + TILE, v, ld, j * KEYS, T, D);

  float acc[M][DP / 8][4], less[M][2], minus[M][2], by[M][2];
  int from[M][2];
  clear(acc);
  UNROLL for (int m = 0; m < M; m++) UNROLL for (int half = 0; half < 2; half++) {
    const int r = row0 + m * 16 + half * 8 + (lane >> 2), t = min(r, T - 1);
    less[m][half] = lse[((size_t)b * H + h) * T + t] * LOG2E;
    minus[m][half] = delta[((size_t)b * H + h) * T + t];
    from[m][half] = min(first[t], r);
    by[m][half] = scale;
  }
  const float scale2 = scale * LOG2E;
  const unsigned q_at = lane_down(Q + warp * M * 16 * STRIDE, STRIDE), o_at = q_at + ROWS * STRIDE;
  unsigned stage = KV, other = KV + 2 * TILE;
  for (; j >= lo; j--) {
    copies_done();
    __syncthreads();
    if (j > lo) {
      load_tile<DP, KEYS, THREADS>(other, k, ld, (j - 1) * KEYS, T, D);
      load_tile<DP, KEYS, THREADS>(other + TILE, v, ld, (j - 1) * KEYS, T, D);
    }
    UNROLL for (int c = 0; c < KEYS; c += CHUNK) {
      const int key = j * KEYS + c + (lane & 3) * 2, rows = c * STRIDE;
      if (j * KEYS + c >= row0 + M * 16) continue;
      float x[M][N][4], y[M][N][4];
      clear(x);
      rows_by_rows<DP, M, N / 2>(x, q_at, lane_across(stage, STRIDE) + rows);
      clear(y);
      rows_by_rows<DP, M, N / 2>(y, o_at, lane_across(stage + TILE, STRIDE) + rows);
      UNROLL for (int m = 0; m < M; m++) UNROLL for (int n = 0; n < N; n++) UNROLL for (int i = 0; i < 4; i++) {
        const int kk = key + n * 8 + (i & 1), r = row0 + m * 16 + (i >> 1) * 8 + (lane >> 2), f = from[m][i >> 1];
        float p = power2(x[m][n][i] * scale2 - less[m][i >> 1]);
        if ((unsigned)(kk - f) > (unsigned)(r - f)) p = 0;
        y[m][n][i] = p * (y[m][n][i] - minus[m][i >> 1]);
      }
      unsigned dS[M][N / 2][4];
      as_left_side(dS, y);
      registers_by_tile<DP, M, N / 2>(acc, dS, lane_down(stage, STRIDE) + rows);
    }
    const unsigned swap = stage;
    stage = other, other = swap;
  }
  write_rows<DP, M>(dqkv + (size_t)b * T * ld + h * D, ld, row0, T, D, Q + warp * M * 16 * STRIDE, acc, by);
}

#define BACKWARD(DP, M, WARPS, BLOCKS, CHUNK)                                                                                                  \
  extern "C" __global__ void __launch_bounds__(256) attention_prepare_##DP(float *delta, float *dq, const bf16 *dout, const bf16 *out, int T, int H,   \
                                                                           int D, int padded, size_t rows) {                                         \
    prepare<DP>(delta, dq, dout, out, T, H, D, padded, rows);                                                                                  \
  }                                                                                                                                            \
  extern "C" __global__ void __launch_bounds__(WARPS * 32, BLOCKS)                                                                              \
      attention_backward_##DP(bf16 *dqkv, float *dq, const bf16 *dout, const bf16 *qkv, const float *lse, const float *delta, const int *first, int heads, int T, \
                              int H, int K, int D, float scale) {                                                                              \
    keys_backward<DP, M, WARPS, true, CHUNK>(dqkv, dq, dout, qkv, lse, delta, first, heads, T, H, K, D, scale);                                      \
  }                                                                                                                                            \
  extern "C" __global__ void __launch_bounds__(WARPS * 32, BLOCKS)                                                                              \
      attention_backward_keys_##DP(bf16 *dqkv, const bf16 *dout, const bf16 *qkv, const float *lse, const float *delta, const int *first, int heads, int T, int H, \
                                   int K, int D, float scale) {                                                                                \
    keys_backward<DP, M, WARPS, false, CHUNK>(dqkv, nullptr, dout, qkv, lse, delta, first, heads, T, H, K, D, scale);                                \
  }                                                                                                                                            \
  extern "C" __global__ void __launch_bounds__(WARPS * 32, BLOCKS)                                                                              \
      attention_backward_queries_##DP(bf16 *dqkv, const bf16 *dout, const bf16 *qkv, const float *lse, const float *delta, const int *first, int heads, int T,    \
                                      int H, int K, int D, float scale) {                                                                      \
    queries_backward<DP, M, WARPS>(dqkv, dout, qkv, lse, delta, first, heads, T, H, K, D, scale);                                                    \
  }                                                                                                                                            \
  extern "C" __global__ void __launch_bounds__(256) attention_finish_##DP(bf16 *dqkv, const float *dq, int T, int H, int K, int D, float scale,      \
                                                                          size_t n) {                                                          \
    finish_dq<DP>(dqkv, dq, T, H, K, D, scale, n);                                                                                             \
  }
BACKWARD(64, 2, 4, 2, 32)
BACKWARD(128, 1, 8, 1, 64)
