/* embed.cu - the gradient of the embedding: positions sorted by token, summed in pieces of fixed length, always in the same order.
 *
 * Piece j is positions j * PIECE and on, whatever tokens they have. A token whose positions lie in one piece is added at once; one that
 * reaches over a border leaves the sum of its part in `part`: [2 j] where it came from the piece before, [2 j + 1] where it begins in piece j.
 * embed_join then adds up the parts of such a token, in order, from the piece it begins in. */
#include "common.cuh"

#define PIECE 32
#define AHEAD 4 /* rows loaded before the first is added */

/* The token (index into first) whose positions hold position i. */
__device__ __forceinline__ unsigned find_token(const int *first, unsigned U, unsigned i) {
  unsigned low = 0, high = U;
  while (high - low > 1) {
    unsigned middle = (low + high) / 2;
    if ((unsigned)first[middle] <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

template <int W> __device__ __forceinline__ void add_to(float *to, const float (&x)[W]) {
  float t[W];
  load_floats<W>(t, to);
#pragma unroll
  for (int k = 0; k < W; k++) t[k] += x[k];
  store_floats<W>(to, t);
}

/* acc = sum of rows order[from] .. order[to - 1] */
template <typename real, int W>
__device__ __forceinline__ void add_rows(float (&acc)[W], const real *dout, const int *rows, unsigned n, unsigned C) {
  unsigned i = 0;
#pragma unroll
  for (int k = 0; k < W; k++) acc[k] = 0.f;
  for (; i + AHEAD <= n; i += AHEAD) {
    float x[AHEAD][W];
#pragma unroll
    for (int a = 0; a < AHEAD; a++) group<real, W>::load(x[a], dout + (u64)rows[i + a] * C);
#pragma unroll
    for (int a = 0; a < AHEAD; a++)
#pragma unroll
      for (int k = 0; k < W; k++) acc[k] += x[a][k];
  }
  for (; i < n; i++) {
    float x[W];
    group<real, W>::load(x, dout + (u64)rows[i] * C);
#pragma unroll
    for (int k = 0; k < W; k++) acc[k] += x[k];
  }
}

template <typename real, int W>
__device__ __forceinline__ void pieces(float *dweight, float *part, const real *dout, const int *order, const int *first, const int *id,
                                       unsigned U, unsigned N, unsigned C) {
  __shared__ int rows[PIECE];
  unsigned j = blockIdx.x, from = j * PIECE, to = min(from + PIECE, N), c = (blockIdx.y * blockDim.x + threadIdx.x) * W;
  if (threadIdx.x < to - from) rows[threadIdx.x] = order[from + threadIdx.x];
  __syncthreads();
  if (c >= C) return;
  unsigned u = find_token(first, U, from);
  for (unsigned i = from; i < to && u < U; u++) {
    unsigned begin = first[u], end = first[u + 1], stop = min(end, to);
    float acc[W];
    add_rows<real, W>(acc, dout + c, rows + (i - from), stop - i, C);
    i = stop;
    if (begin >= from && end <= to)
      add_to<W>(dweight + (u64)id[u] * C + c, acc);
    else
      store_floats<W>(part + (u64)(2 * j + (begin >= from)) * C + c, acc);
  }
}

template <int W>
__device__ __forceinline__ void join(float *dweight, const float *part, const int *first, const int *id, unsigned U, unsigned N, unsigned C) {
  unsigned j = blockIdx.x, from = j * PIECE, to = from + PIECE, c = (blockIdx.y * blockDim.x + threadIdx.x) * W;
  if (to >= N || c >= C) return;
  unsigned u = find_token(first, U, to - 1), end = first[u + 1];
  if (end <= to || (unsigned)first[u] < from) return; /* ends here, or another piece adds it up */
  float acc[W], x[W];
  load_floats<W>(acc, part + (u64)(2 * j + 1) * C + c);
#pragma unroll 4
  for (unsigned k = j + 1; k * PIECE < end; k++) {
    load_floats<W>(x, part + (u64)2 * k * C + c);
#pragma unroll
    for (int l = 0; l < W; l++) acc[l] += x[l];
  }
  add_to<W>(dweight + (u64)id[u] * C + c, acc);
}

#define EMBED_PARAMS                                                                                                             \
  (float *dweight, float *part, const real *dout, const int *order, const int *first, const int *id, unsigned U, unsigned N, unsigned C)
#define EMBED_ARGS (dweight, part, dout, order, first, id, U, N, C)
template <typename real> __device__ __forceinline__ void embed_pieces EMBED_PARAMS { pieces<real, WIDE(real)> EMBED_ARGS; }
template <typename real> __device__ __forceinline__ void embed_pieces_any EMBED_PARAMS { pieces<real, 1> EMBED_ARGS; }
template <typename real> __device__ __forceinline__ void embed_join EMBED_PARAMS { join<WIDE(real)>(dweight, part, first, id, U, N, C); }
template <typename real> __device__ __forceinline__ void embed_join_any EMBED_PARAMS { join<1>(dweight, part, first, id, U, N, C); }
BOTH(embed_pieces, __launch_bounds__(256), EMBED_PARAMS, EMBED_ARGS)
BOTH(embed_pieces_any, __launch_bounds__(256), EMBED_PARAMS, EMBED_ARGS)
BOTH(embed_join, __launch_bounds__(256), EMBED_PARAMS, EMBED_ARGS)
BOTH(embed_join_any, __launch_bounds__(256), EMBED_PARAMS, EMBED_ARGS)
