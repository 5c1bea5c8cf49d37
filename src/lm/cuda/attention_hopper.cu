/* attention_hopper.cu - attention forward and backward as in attention_forward.cu and attention_backward.cu, with Hopper's warpgroup products.
 *
 * A head of 128 lies as two tiles of 64 columns behind one another. Forward: a block has 128 queries, a warpgroup 64 of them. Backward: a block has 128
 * keys: one warpgroup for all of them where the head is 64 (two blocks a multiprocessor), two where it is 128. Each waits for its own products only; what
 * the tensor cores do meanwhile is the other warpgroups' work. */
#include "attention_wgmma.cuh"

#define LOG2E 1.4426950408889634f
#define MINUS_INFINITY __int_as_float((int)0xff800000u)
#define UNROLL _Pragma("unroll")
#define TILE_ROWS 64 /* keys (forward) or queries (backward) that come at once */

#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(WW_EMULATE)

/* ---- tiles: PARTS tiles of 64 columns, each ROWS x 128 bytes ---- */

template <int PARTS, int ROWS, int THREADS> INLINE void load_tile(unsigned to, const bf16 *from, int ld, int row0, int T, int D) {
  constexpr int CHUNKS = PARTS * 8, PASS = THREADS / CHUNKS;
  static_assert(PASS % 8 == 0 && ROWS % PASS == 0, "rows of a pass keep their swizzle");
  const int c = threadIdx.x % CHUNKS, r = threadIdx.x / CHUNKS;
  from += (size_t)(row0 + r) * ld + c * 8;
  to += (c >> 3) * ROWS * 128 + r * 128 + (((c & 7) ^ (r & 7)) << 4);
  UNROLL for (int i = 0; i < ROWS / PASS; i++) {
    copy16(to + i * PASS * 128, from, row0 + r + i * PASS < T && c * 8 < D);
    from += (size_t)PASS * ld;
  }
}

/* This warp's 16 rows of x, times by[half], through 16 rows of a tile (`rows` at its part 0) to rows row0.. of a matrix. */
template <int PARTS, int ROWS>
INLINE void write_rows(bf16 *to, int ld, int row0, int T, int D, unsigned rows, const float (&x)[PARTS][8][4], float by0, float by1) {
  const int l = threadIdx.x & 31;
  __syncwarp();
  UNROLL for (int p = 0; p < PARTS; p++) UNROLL for (int n = 0; n < 8; n++) {
    const unsigned at = rows + p * ROWS * 128 + (l >> 2) * 128 + ((n ^ (l >> 2)) << 4) + (l & 3) * 4;
    store4(at, pack(x[p][n][0] * by0, x[p][n][1] * by0));
    store4(at + 8 * 128, pack(x[p][n][2] * by1, x[p][n][3] * by1));
  }
  __syncwarp();
  constexpr int CHUNKS = PARTS * 8, PASS = 32 / CHUNKS;
  const int c = l % CHUNKS;
  for (int r = l / CHUNKS; r < 16; r += PASS)
    if (row0 + r < T && c * 8 < D)
      *(uint4 *)(to + (size_t)(row0 + r) * ld + c * 8) = load16(rows + (c >> 3) * ROWS * 128 + r * 128 + (((c & 7) ^ (r & 7)) << 4));
}

/* 64 rows x 64 values of a product as the left side of the next one */
INLINE void as_left_side(unsigned (&A)[4][4], const float (&x)[8][4]) {
  UNROLL for (int k = 0; k < 4; k++) {
    A[k][0] = pack(x[2 * k][0], x[2 * k][1]);
    A[k][1] = pack(x[2 * k][2], x[2 * k][3]);
    A[k][2] = pack(x[2 * k + 1][0], x[2 * k + 1][1]);
    A[k][3] = pack(x[2 * k + 1][2], x[2 * k + 1][3]);
  }
}

/* x [64, 64] = rows at a . rows at b, over all columns; A_ROWS and 64 are the rows of their tiles */
template <int PARTS, int A_ROWS> INLINE void rows_by_rows(float (&x)[8][4], unsigned a, unsigned b) {
  UNROLL for (int p = 0; p < PARTS; p++) UNROLL for (int k = 0; k < 4; k++) {
    const unsigned long long A = side(a + p * A_ROWS * 128 + k * 32), B = side(b + p * TILE_ROWS * 128 + k * 32);
    if (p + k) wgmma<true, false, false>(x, A, B);
    else wgmma<false, false, false>(x, A, B);
  }
}
/* acc [64, PARTS x 64] += A [64, 64] (registers) . tile [64, PARTS x 64] */
template <int PARTS> INLINE void registers_by_tile(float (&acc)[PARTS][8][4], const unsigned (&A)[4][4], unsigned b) {
  UNROLL for (int p = 0; p < PARTS; p++) UNROLL for (int k = 0; k < 4; k++) wgmma<true, true>(acc[p], A[k], side(b + p * TILE_ROWS * 128 + k * 2048));
}

template <int PARTS> INLINE void clear(float (&x)[PARTS][8][4]) {
  UNROLL for (int p = 0; p < PARTS; p++) UNROLL for (int n = 0; n < 8; n++) UNROLL for (int i = 0; i < 4; i++) x[p][n][i] = 0;
}

/* ---- forward ---- */

/* x becomes 2^(scale2 (x - top)); the running maximum is only raised when a row outgrows it by 2^8 (attention_forward.cu). */
template <int PARTS> INLINE void softmax(float (&top)[2], float (&sum)[2], float (&acc)[PARTS][8][4], float (&x)[8][4], float scale2) {
  float most[2];
  UNROLL for (int half = 0; half < 2; half++) {
    float t = fmaxf(x[0][2 * half], x[0][2 * half + 1]);
    UNROLL for (int n = 1; n < 8; n++) t = fmaxf(t, fmaxf(x[n][2 * half], x[n][2 * half + 1]));
    most[half] = t;
  }
  if (__any_sync(~0u, (most[0] - top[0]) * scale2 > 8 || (most[1] - top[1]) * scale2 > 8))
    UNROLL for (int half = 0; half < 2; half++) {
      float t = fmaxf(most[half], top[half]);
      t = fmaxf(t, __shfl_xor_sync(~0u, t, 1));
      t = fmaxf(t, __shfl_xor_sync(~0u, t, 2));
      const float by = power2((top[half] - t) * scale2);
      top[half] = t;
      sum[half] *= by;
      UNROLL for (int p = 0; p < PARTS; p++) UNROLL for (int n = 0; n < 8; n++) acc[p][n][2 * half] *= by, acc[p][n][2 * half + 1] *= by;
    }
  UNROLL for (int half = 0; half < 2; half++) {
    const float less = top[half] * scale2;
    UNROLL for (int n = 0; n < 8; n++) UNROLL for (int i = 2 * half; i < 2 * half + 2; i++) {
      x[n][i] = power2(x[n][i] * scale2 - less);
      sum[half] += x[n][i];
    }
  }
}

template <int PARTS> INLINE void forward(bf16 *out, float *lse, const bf16 *qkv, const int *first, int heads, int T, int H, int K, int D, float scale) {
  constexpr int ROWS = 128, THREADS = 256;
  constexpr unsigned TILE = PARTS * TILE_ROWS * 128;
  const int head = blockIdx.x + blockIdx.z * gridDim.x, h = head % H, b = head / H, ld = (H + 2 * K) * D;
  if (head >= heads) return;
  const int q0 = (gridDim.y - 1 - blockIdx.y) * ROWS; /* the longest first */
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, group0 = q0 + (warp >> 2) * 64, row0 = q0 + warp * 16;
  const bf16 *q = qkv + (size_t)b * T * ld + h * D, *k = qkv + (size_t)b * T * ld + (H + h / (H / K)) * D;
  const int v = K * D; /* from k */
  first += (size_t)b * T;
  const unsigned Q = shared_base(), KV = Q + PARTS * ROWS * 128;
  const int from_low = min(first[min(group0, T - 1)], group0), from_high = first[min(row0 + 16, T) - 1];
  const int lo = min(first[q0], q0) / TILE_ROWS;
  int j = (min(q0 + ROWS, T) - 1) / TILE_ROWS;
  load_tile<PARTS, ROWS, THREADS>(Q, q, ld, q0, T, D);
  load_tile<PARTS, TILE_ROWS, THREADS>(KV, k, ld, j * TILE_ROWS, T, D);
  load_tile<PARTS, TILE_ROWS, THREADS>(KV + TILE, k + v, ld, j * TILE_ROWS, T, D);

  float acc[PARTS][8][4], top[2] = {MINUS_INFINITY, MINUS_INFINITY}, sum[2] = {0, 0};
  clear(acc);
  const float scale2 = scale * LOG2E;
  const unsigned q_at = Q + (warp >> 2) * 64 * 128;
  unsigned stage = KV, other = KV + 2 * TILE;
  for (; j >= lo; j--) {
    copies_done();
    writes_to_wgmma();
    __syncthreads(); /* the tile is there for all, and nobody reads the other one any more */
    if (j > lo) {
      load_tile<PARTS, TILE_ROWS, THREADS>(other, k, ld, (j - 1) * TILE_ROWS, T, D);
      load_tile<PARTS, TILE_ROWS, THREADS>(other + TILE, k + v, ld, (j - 1) * TILE_ROWS, T, D);
    }
    const int k0 = j * TILE_ROWS;
    if (k0 <= group0 && k0 + TILE_ROWS > from_low) { /* the same for a warpgroup */
      float x[8][4];
      wgmma_fence();
      rows_by_rows<PARTS, ROWS>(x, q_at, stage);
      wgmma_commit();
      wgmma_wait<0>();
      settle(x);
      if (k0 + TILE_ROWS - 1 > row0 || k0 < from_high)
        UNROLL for (int half = 0; half < 2; half++) {
          const int r = row0 + half * 8 + (lane >> 2), f = min(first[min(r, T - 1)], r), key = k0 + (lane & 3) * 2;
          UNROLL for (int n = 0; n < 8; n++) UNROLL for (int i = 0; i < 2; i++)
            if ((unsigned)(key + n * 8 + i - f) > (unsigned)(r - f)) x[n][2 * half + i] = MINUS_INFINITY;
        }
      softmax<PARTS>(top, sum, acc, x, scale2);
      unsigned P[4][4];
      as_left_side(P, x);
      wgmma_fence();
      registers_by_tile<PARTS>(acc, P, stage + TILE);
      wgmma_commit();
      wgmma_wait<0>();
      UNROLL for (int p = 0; p < PARTS; p++) settle(acc[p]);
    }
    const unsigned swap = stage;
    stage = other, other = swap;
  }

  UNROLL for (int half = 0; half < 2; half++) {
    sum[half] += __shfl_xor_sync(~0u, sum[half], 1);
    sum[half] += __shfl_xor_sync(~0u, sum[half], 2);
    const int row = row0 + half * 8 + (lane >> 2);
    if (row < T && (lane & 3) == 0) lse[((size_t)b * H + h) * T + row] = top[half] * scale + logf(sum[half]);
  }
  __syncthreads(); /* nobody reads Q any more */
  write_rows<PARTS, ROWS>(out + (size_t)b * T * H * D + h * D, H * D, row0, T, D, Q + warp * 16 * 128, acc, 1 / sum[0], 1 / sum[1]);
}

/* ---- backward: dK, dV, and what these keys add to dQ (attention_backward.cu says how) ---- */

/* x: transposed scores, become P^T. at: lse of this lane's first query; first follows at 512 bytes; query: its place where a mask is needed, else -1. */
INLINE void scores_to_weights(float (&x)[8][4], unsigned at, int key, int query, float scale2) {
  UNROLL for (int n = 0; n < 8; n++) {
    const float2 lse = load_floats(at + n * 32);
    const float less[2] = {lse.x * LOG2E, lse.y * LOG2E};
    UNROLL for (int i = 0; i < 4; i++) x[n][i] = power2(x[n][i] * scale2 - less[i & 1]);
    if (query >= 0) {
      const int2 from = load_ints(at + 512 + n * 32);
      UNROLL for (int i = 0; i < 4; i++) {
        const int q = query + n * 8 + (i & 1), k = key + (i >> 1) * 8;
        if (k > q || k < (i & 1 ? from.y : from.x)) x[n][i] = 0;
      }
    }
  }
}
/* y: transposed dP, becomes dS^T = x (y - delta) */
INLINE void weights_to_gradients(float (&y)[8][4], const float (&x)[8][4], unsigned at) {
  UNROLL for (int n = 0; n < 8; n++) {
    const float2 d = load_floats(at + 256 + n * 32);
    UNROLL for (int i = 0; i < 4; i++) y[n][i] = x[n][i] * (y[n][i] - (i & 1 ? d.y : d.x));
  }
}

/* Where dQ is added up: [B * H, tiles of 64 queries, parts of 64 columns, 8, 4 warps, lanes, 4]. A warpgroup makes one part: [64, 64] = dS . K */
INLINE void add_dq(float *dq, unsigned dS, unsigned K) {
  const int warp = threadIdx.x >> 5 & 3, lane = threadIdx.x & 31;
  float acc[8][4];
  wgmma_fence();
  wgmma<false, true, true>(acc, side(dS), side(K));
  UNROLL for (int k = 1; k < 8; k++) wgmma<true, true, true>(acc, side(dS + k * 2048), side(K + k * 2048));
  wgmma_commit();
  wgmma_wait<0>();
  settle(acc);
  dq += warp * 128 + lane * 4;
  UNROLL for (int n = 0; n < 8; n++) add4(dq + n * 512, acc[n]);
}

/* PARTS: columns / 64; HALVES: 64 keys each that a warpgroup has, one after the other */
template <int PARTS, int HALVES>
INLINE void backward(bf16 *dqkv, float *dq, const bf16 *dout, const bf16 *qkv, const float *lse, const float *delta, const int *first, int heads, int T, int H, int K,
                     int D, float scale) {
  constexpr int KEYS = 128, GROUPS = KEYS / 64 / HALVES, THREADS = GROUPS * 128;
  static_assert(GROUPS == PARTS, "a warpgroup for each part of dQ");
  constexpr unsigned TILE = PARTS * TILE_ROWS * 128, STAGE = 2 * TILE + 1024; /* a stage: Q, dO, lse, delta, first */
  const int head = blockIdx.x + blockIdx.z * gridDim.x, g = head % K, b = head / K, ld = (H + 2 * K) * D, group = H / K;
  if (head >= heads) return;
  const int k0 = blockIdx.y * KEYS; /* the longest first */
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5 & 3, wg = threadIdx.x >> 7;
  const int tiles = (T + TILE_ROWS - 1) / TILE_ROWS, lo = k0 / TILE_ROWS;
  const bf16 *row = qkv + (size_t)b * T * ld;
  first += (size_t)b * T;
  const unsigned Ks = shared_base(), Vs = Ks + PARTS * KEYS * 128, Ss = Vs + PARTS * KEYS * 128, ring = Ss + KEYS * 128;

  load_tile<PARTS, KEYS, THREADS>(Ks, row + (H + g) * D, ld, k0, T, D);
  load_tile<PARTS, KEYS, THREADS>(Vs, row + (H + K + g) * D, ld, k0, T, D);
  auto load_stage = [&](unsigned to, int h, int tile) {
    load_tile<PARTS, TILE_ROWS, THREADS>(to, row + h * D, ld, tile * TILE_ROWS, T, D);
    load_tile<PARTS, TILE_ROWS, THREADS>(to + TILE, dout + (size_t)b * T * H * D + h * D, H * D, tile * TILE_ROWS, T, D);
    const int i = threadIdx.x & 63, t = tile * TILE_ROWS + i;
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
    hi += __syncthreads_count(t < tiles && first[min(t * TILE_ROWS, T - 1)] < min(k0 + KEYS, T));
  }

  float dk[HALVES][PARTS][8][4], dv[HALVES][PARTS][8][4];
  UNROLL for (int i = 0; i < HALVES; i++) clear(dk[i]), clear(dv[i]);
  const float scale2 = scale * LOG2E;
  unsigned stage = ring, other = ring + STAGE;
  while (h < end) {
    int next_h = h, next = tile + 1;
    if (next >= hi) next = lo, next_h++;
    copies_done();
    writes_to_wgmma();
    __syncthreads();
    if (next_h < end) load_stage(other, next_h, next);
    const int q0 = tile * TILE_ROWS;
    const unsigned at = stage + 2 * TILE + (lane & 3) * 8;
    const int from_low = load_ints(stage + 2 * TILE + 512).x, from_high = load_ints(stage + 2 * TILE + 512 + 62 * 4).y;
    UNROLL for (int i = 0; i < HALVES; i++) {
      const int block = wg * HALVES + i, key0 = k0 + block * 64, key = key0 + warp * 16 + (lane >> 2); /* key: this lane's first */
      const unsigned m_at = Ss + (block * 64 + warp * 16 + (lane & 15)) * 128;
      if (key0 > q0 || from_low >= key0 + 64) { /* none of these queries sees any of the keys; the same for a warpgroup */
        const unsigned none[4] = {0, 0, 0, 0};
        UNROLL for (int k = 0; k < 4; k++) stmatrix(m_at + (((2 * k + (lane >> 4)) ^ (lane & 7)) << 4), none);
        continue;
      }
      float x[8][4], y[8][4];
      wgmma_fence();
      rows_by_rows<PARTS, KEYS>(x, Ks + block * 64 * 128, stage);
      wgmma_commit();
      rows_by_rows<PARTS, KEYS>(y, Vs + block * 64 * 128, stage + TILE);
      wgmma_commit();
      wgmma_wait<1>();
      settle(x);
      const bool whole = key0 + 63 <= q0 && from_high <= key0 && q0 + TILE_ROWS <= T;
      scores_to_weights(x, at, key, whole ? -1 : q0 + (lane & 3) * 2, scale2);
      unsigned P[4][4], dS[4][4];
      as_left_side(P, x);
      wgmma_wait<0>();
      settle(y);
      wgmma_fence();
      registers_by_tile<PARTS>(dv[i], P, stage + TILE);
      wgmma_commit();
      weights_to_gradients(y, x, at);
      as_left_side(dS, y);
      UNROLL for (int k = 0; k < 4; k++) stmatrix(m_at + (((2 * k + (lane >> 4)) ^ (lane & 7)) << 4), dS[k]);
      wgmma_fence();
      registers_by_tile<PARTS>(dk[i], dS, stage);
      wgmma_commit();
      wgmma_wait<0>();
      UNROLL for (int p = 0; p < PARTS; p++) settle(dv[i][p]), settle(dk[i][p]);
    }
    writes_to_wgmma();
    __syncthreads(); /* dS is there */
    add_dq(dq + ((((size_t)b * H + h) * tiles + tile) * PARTS + wg) * 4096, Ss, Ks + wg * KEYS * 128);
    h = next_h, tile = next;
    const unsigned swap = stage;
    stage = other, other = swap;
  }
  __syncthreads(); /* all are done with K */
  bf16 *to = dqkv + (size_t)b * T * ld;
  UNROLL for (int i = 0; i < HALVES; i++) {
    const int r = (wg * HALVES + i) * 64 + warp * 16;
    write_rows<PARTS, KEYS>(to + (H + g) * D, ld, k0 + r, T, D, Ks + r * 128, dk[i], scale, scale);
    write_rows<PARTS, KEYS>(to + (H + K + g) * D, ld, k0 + r, T, D, Vs + r * 128, dv[i], 1, 1);
  }
}

/* dQ as it was added up -> dqkv: a thread has 8 columns of the rows r and r + 8 */
template <int PARTS> INLINE void finish_dq(bf16 *dqkv, const float *dq, int T, int H, int K, int D, float scale, size_t n) {
  const size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  constexpr int CHUNKS = PARTS * 8;
  const int c = at % CHUNKS, i = at / CHUNKS % 32, r = (i >> 3) * 16 + (i & 7);
  if (at >= n || c * 8 >= D) return;
  const unsigned block = at / CHUNKS / 32, tiles = (T + TILE_ROWS - 1) / TILE_ROWS; /* block: (b * H + h) * tiles + tile */
  const int t = block % tiles * TILE_ROWS + r, h = block / tiles % H, b = block / tiles / H;
  const float4 *from = (const float4 *)(dq + ((size_t)block * PARTS + (c >> 3)) * 4096 + (c & 7) * 512 + (r >> 4) * 128 + (r & 7) * 16);
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

#define BODY(...) { __VA_ARGS__; }
#else
#define BODY(...) {} /* never launched on another chip */
#endif

#define HOPPER(DP, PARTS, HALVES, THREADS, BLOCKS)                                                                                               \
  extern "C" __global__ void __launch_bounds__(256, 2) attention_hopper_forward_##DP(bf16 *out, float *lse, const bf16 *qkv, const int *first, int heads, int T,   \
                                                                                     int H, int K, int D, float scale)                             \
      BODY(forward<PARTS>(out, lse, qkv, first, heads, T, H, K, D, scale))                                                                               \
  extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                                                                                   \
      attention_hopper_backward_##DP(bf16 *dqkv, float *dq, const bf16 *dout, const bf16 *qkv, const float *lse, const float *delta,                  \
                                     const int *first, int heads, int T, int H, int K, int D, float scale)                                                   \
          BODY(backward<PARTS, HALVES>(dqkv, dq, dout, qkv, lse, delta, first, heads, T, H, K, D, scale))                                                \
  extern "C" __global__ void __launch_bounds__(256)                                                                                               \
      attention_hopper_finish_##DP(bf16 *dqkv, const float *dq, int T, int H, int K, int D, float scale, size_t n)                                    \
          BODY(finish_dq<PARTS>(dqkv, dq, T, H, K, D, scale, n))
HOPPER(64, 1, 2, 128, 2)
HOPPER(128, 2, 1, 256, 1)
