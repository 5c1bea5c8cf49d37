/* attention.cuh - tiles in shared memory and their products, for the kernels of attention_forward.cu and attention_backward.cu.
 *
 * A tile is rows of DP bf16 values (DP 64 or 128: the head size, padded by zeros), 16 bytes a chunk; chunk c of row r lies at c ^ (r & 7), so that
 * the eight rows that ldmatrix reads at once lie in different banks. As a tile begins at a multiple of 256 bytes, going to the next 16 columns is
 * an exclusive or of the address with 32 k, and going down 16 rows an addition. */
#pragma once
#include "attention_ptx.cuh"

#define LOG2E 1.4426950408889634f
#define MINUS_INFINITY __int_as_float((int)0xff800000u)
#define UNROLL _Pragma("unroll")

/* Rows row0 .. row0 + ROWS - 1 of a matrix with stride ld; those from T on and columns from D on are zero. */
template <int DP, int ROWS, int THREADS> INLINE void load_tile(unsigned to, const bf16 *from, int ld, int row0, int T, int D) {
  constexpr int CHUNKS = DP / 8, PASS = THREADS / CHUNKS; /* rows at once, a multiple of 8 */
  static_assert(PASS % 8 == 0 && ROWS % PASS == 0, "rows of a pass keep their swizzle");
  const int c = threadIdx.x % CHUNKS, r = threadIdx.x / CHUNKS;
  from += (size_t)(row0 + r) * ld + c * 8;
  to += r * DP * 2 + ((c ^ (r & 7)) << 4);
  UNROLL for (int i = 0; i < ROWS / PASS; i++) {
    copy16(to + i * PASS * DP * 2, from, row0 + r + i * PASS < T && c * 8 < D);
    from += (size_t)PASS * ld;
  }
}

INLINE unsigned chunk_at(unsigned tile, int stride, int row, int chunk) { return tile + row * stride + ((chunk ^ (row & 7)) << 4); }
/* This lane's address for ldmatrix: of A [16 rows, 16 columns] as it lies, or of B [16 rows of k, 16 columns] transposed */
INLINE unsigned lane_down(unsigned tile, int stride) {
  const int l = threadIdx.x & 31;
  return chunk_at(tile, stride, l & 15, l >> 4);
}
/* of B [16 columns of the product, 16 of k] as it lies, or of A [16 of k, 16 rows of the product] transposed */
INLINE unsigned lane_across(unsigned tile, int stride) {
  const int l = threadIdx.x & 31;
  return chunk_at(tile, stride, (l & 7) + (l >> 4 << 3), l >> 3 & 1);
}

template <int M, int N> INLINE void clear(float (&x)[M][N][4]) {
  UNROLL for (int m = 0; m < M; m++) UNROLL for (int n = 0; n < N; n++) UNROLL for (int i = 0; i < 4; i++) x[m][n][i] = 0;
}

/* acc [16 M, 16 N] += A [16 M, DP] . B [16 N, DP]^T; a from lane_down, b from lane_across */
template <int DP, int M, int N> INLINE void rows_by_rows(float (&acc)[M][2 * N][4], unsigned a, unsigned b) {
  UNROLL for (int k = 0; k < DP / 16; k++) {
    unsigned A[M][4];
    UNROLL for (int m = 0; m < M; m++) ldmatrix(A[m], (a ^ (k << 5)) + m * 16 * DP * 2);
    UNROLL for (int n = 0; n < N; n++) {
      unsigned B[4];
      ldmatrix(B, (b ^ (k << 5)) + n * 16 * DP * 2);
      UNROLL for (int m = 0; m < M; m++) {
        mma(acc[m][2 * n], A[m], B[0], B[1]);
        mma(acc[m][2 * n + 1], A[m], B[2], B[3]);
      }
    }
  }
}

/* acc [16 M, DP] += A [16 M, 16 KT] (registers) . B [16 KT, DP]; b from lane_down */
template <int DP, int M, int KT> INLINE void registers_by_tile(float (&acc)[M][DP / 8][4], const unsigned (&A)[M][KT][4], unsigned b) {
  UNROLL for (int k = 0; k < KT; k++) UNROLL for (int n = 0; n < DP / 16; n++) {
    unsigned B[4];
    ldmatrix_t(B, (b ^ (n << 5)) + k * 16 * DP * 2);
    UNROLL for (int m = 0; m < M; m++) {
      mma(acc[m][2 * n], A[m][k], B[0], B[1]);
      mma(acc[m][2 * n + 1], A[m][k], B[2], B[3]);
    }
  }
}

/* A product's result as the left side of the next one: two neighbouring 8-column parts are one step of 16 */
template <int M, int KT> INLINE void as_left_side(unsigned (&A)[M][KT][4], const float (&x)[M][2 * KT][4]) {
  UNROLL for (int m = 0; m < M; m++) UNROLL for (int k = 0; k < KT; k++) {
    A[m][k][0] = pack(x[m][2 * k][0], x[m][2 * k][1]);
    A[m][k][1] = pack(x[m][2 * k][2], x[m][2 * k][3]);
    A[m][k][2] = pack(x[m][2 * k + 1][0], x[m][2 * k + 1][1]);
    A[m][k][3] = pack(x[m][2 * k + 1][2], x[m][2 * k + 1][3]);
  }
}

/* This warp's 16 M rows of x, each times by[m][half], through its own rows of a tile to rows row0.. of a matrix. */
template <int DP, int M> INLINE void write_rows(bf16 *to, int ld, int row0, int T, int D, unsigned tile, const float (&x)[M][DP / 8][4], const float (&by)[M][2]) {
  const int l = threadIdx.x & 31;
  __syncwarp();
  UNROLL for (int m = 0; m < M; m++) UNROLL for (int half = 0; half < 2; half++) {
    const int r = m * 16 + half * 8 + (l >> 2);
    const float f = by[m][half];
    UNROLL for (int n = 0; n < DP / 8; n++)
      store4(chunk_at(tile, DP * 2, r, n) + (l & 3) * 4, pack(x[m][n][2 * half] * f, x[m][n][2 * half + 1] * f));
  }
  __syncwarp();
  constexpr int CHUNKS = DP / 8, PASS = 32 / CHUNKS;
  const int c = l % CHUNKS;
  for (int r = l / CHUNKS; r < M * 16; r += PASS)
    if (row0 + r < T && c * 8 < D) *(uint4 *)(to + (size_t)(row0 + r) * ld + c * 8) = load16(chunk_at(tile, DP * 2, r, c));
}
