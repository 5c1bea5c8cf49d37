/* attention_forward.cu - causal attention within documents, forward, bf16 on tensor cores: a block for 128 queries of one head.
 *
 * Keys come in tiles of 64, from the diagonal down to the document of the block's first query, the next tile on its way while one is worked on. A warp
 * has 16 M query rows; their 64-key tile with the diagonal is the first one that it works on, so that each row has a finite maximum from then on. The
 * running maximum is only raised, and what was summed rescaled, when a row outgrows it by 2^8: any number near the maximum serves as well. */
#include "attention.cuh"

template <int M> struct softmax_rows {
  float top[M][2]; /* the number that scores are taken relative to */
  float sum[M][2]; /* of this lane's columns alone */
};

template <int DP, int M, int N>
INLINE void rescale(softmax_rows<M> &s, float (&acc)[M][DP / 8][4], const float (&x)[M][N][4], float (&most)[M][2], float scale2) {
  UNROLL for (int m = 0; m < M; m++) UNROLL for (int half = 0; half < 2; half++) {
    float t = fmaxf(most[m][half], s.top[m][half]);
    t = fmaxf(t, __shfl_xor_sync(~0u, t, 1));
    t = fmaxf(t, __shfl_xor_sync(~0u, t, 2));
    const float by = power2((s.top[m][half] - t) * scale2);
    s.top[m][half] = t;
    s.sum[m][half] *= by;
    UNROLL for (int n = 0; n < DP / 8; n++) acc[m][n][2 * half] *= by, acc[m][n][2 * half + 1] *= by;
  }
}

/* x becomes 2^(scale2 (x - top)) */
template <int DP, int M, int N> INLINE void softmax(softmax_rows<M> &s, float (&acc)[M][DP / 8][4], float (&x)[M][N][4], float scale2) {
  float most[M][2];
  bool outgrown = false;
  UNROLL for (int m = 0; m < M; m++) UNROLL for (int half = 0; half < 2; half++) {
    float t = x[m][0][2 * half];
    UNROLL for (int n = 0; n < N; n++) t = fmaxf(t, fmaxf(x[m][n][2 * half], x[m][n][2 * half + 1]));
    most[m][half] = t;
    outgrown |= (t - s.top[m][half]) * scale2 > 8;
  }
  if (__any_sync(~0u, outgrown)) rescale<DP, M, N>(s, acc, x, most, scale2);
  UNROLL for (int m = 0; m < M; m++) UNROLL for (int half = 0; half < 2; half++) {
    const float less = s.top[m][half] * scale2;
    float sum = 0;
    UNROLL for (int n = 0; n < N; n++) UNROLL for (int i = 2 * half; i < 2 * half + 2; i++) {
      x[m][n][i] = power2(x[m][n][i] * scale2 - less);
      sum += x[m][n][i];
    }
    s.sum[m][half] += sum;
  }
}

/* Nothing before the row's document, nothing behind the row. row and key: of this lane's first value. */
template <int M, int N> INLINE void mask(float (&x)[M][N][4], const int *first, int row, int key, int T) {
  UNROLL for (int m = 0; m < M; m++) UNROLL for (int half = 0; half < 2; half++) {
    const int r = row + m * 16 + half * 8, f = min(first[min(r, T - 1)], r);
    UNROLL for (int n = 0; n < N; n++) UNROLL for (int i = 0; i < 2; i++)
      if ((unsigned)(key + n * 8 + i - f) > (unsigned)(r - f)) x[m][n][2 * half + i] = MINUS_INFINITY;
  }
}

template <int DP, int M, int WARPS>
INLINE void forward(bf16 *out, float *lse, const bf16 *qkv, const int *first, int heads, int T, int H, int K, int D, float scale) {
  constexpr int ROWS = WARPS * M * 16, KEYS = 64, N = KEYS / 8, THREADS = WARPS * 32, STRIDE = DP * 2;
  constexpr unsigned TILE = KEYS * STRIDE;
  const int head = blockIdx.x + blockIdx.z * gridDim.x, h = head % H, b = head / H, ld = (H + 2 * K) * D;
  if (head >= heads) return;
  const int q0 = (gridDim.y - 1 - blockIdx.y) * ROWS; /* the longest first */
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const bf16 *q = qkv + (size_t)b * T * ld + h * D, *k = qkv + (size_t)b * T * ld + (H + h / (H / K)) * D, *v = k + K * D;
  first += (size_t)b * T;

  const unsigned Q = shared_base(), KV = Q + ROWS * STRIDE; /* two stages of a K and a V tile */
  const int row0 = q0 + warp * M * 16; /* of this warp */
  const int from_low = min(first[min(row0, T - 1)], row0), from_high = first[min(row0 + M * 16, T) - 1];
  const int lo = min(first[q0], q0) / KEYS;
  int j = (min(q0 + ROWS, T) - 1) / KEYS;
  load_tile<DP, ROWS, THREADS>(Q, q, ld, q0, T, D);
  load_tile<DP, KEYS, THREADS>(KV, k, ld, j * KEYS, T, D);
  load_tile<DP, KEYS, THREADS>(KV + TILE, v, ld, j * KEYS, T, D);

  float acc[M][DP / 8][4];
  clear(acc);
  softmax_rows<M> s;
  UNROLL for (int m = 0; m < M; m++) UNROLL for (int half = 0; half < 2; half++) s.top[m][half] = MINUS_INFINITY, s.sum[m][half] = 0;
  const float scale2 = scale * LOG2E;
  const unsigned q_at = lane_down(Q + warp * M * 16 * STRIDE, STRIDE);
  unsigned stage = KV, other = KV + 2 * TILE;
  for (; j >= lo; j--) {
    copies_done();
    __syncthreads(); /* the tile is there for all, and nobody reads the other one any more */
    if (j > lo) {
      load_tile<DP, KEYS, THREADS>(other, k, ld, (j - 1) * KEYS, T, D);
      load_tile<DP, KEYS, THREADS>(other + TILE, v, ld, (j - 1) * KEYS, T, D);
    }
    const int k0 = j * KEYS;
    if (k0 < row0 + M * 16 && k0 + KEYS > from_low) {
      float x[M][N][4];
      clear(x);
      rows_by_rows<DP, M, N / 2>(x, q_at, lane_across(stage, STRIDE));
      if (k0 + KEYS - 1 > row0 || k0 < from_high) mask<M, N>(x, first, row0 + (lane >> 2), k0 + (lane & 3) * 2, T);
      softmax<DP, M, N>(s, acc, x, scale2);
      unsigned P[M][N / 2][4];
      as_left_side(P, x);
      registers_by_tile<DP, M, N / 2>(acc, P, lane_down(stage + TILE, STRIDE));
    }
    const unsigned swap = stage;
    stage = other, other = swap;
  }

  UNROLL for (int m = 0; m < M; m++) UNROLL for (int half = 0; half < 2; half++) {
    float sum = s.sum[m][half];
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    const int row = row0 + m * 16 + half * 8 + (lane >> 2);
    if (row < T && (lane & 3) == 0) lse[((size_t)b * H + h) * T + row] = s.top[m][half] * scale + logf(sum);
    s.sum[m][half] = 1 / sum;
  }
  write_rows<DP, M>(out + (size_t)b * T * H * D + h * D, H * D, row0, T, D, Q + warp * M * 16 * STRIDE, acc, s.sum);
}

#define FORWARD(DP, M, WARPS, BLOCKS)                                                                                                              \
  extern "C" __global__ void __launch_bounds__(WARPS * 32, BLOCKS) attention_forward_##DP(bf16 *out, float *lse, const bf16 *qkv, const int *first, int heads, int T, \
                                                                                         int H, int K, int D, float scale) {                    \
    forward<DP, M, WARPS>(out, lse, qkv, first, heads, T, H, K, D, scale);                                                                               \
  }
FORWARD(64, 2, 4, 3)
FORWARD(128, 2, 4, 2)
