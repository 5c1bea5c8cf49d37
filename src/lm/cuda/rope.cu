/* rope.cu - rotary embedding in place: value i of a head turns with value i + head_size / 2 by the angle of its token's position.
 *
 * A thread turns W pairs, of the first and of the second half 16 bytes each. */
#include "common.cuh"

template <typename real, int W>
__device__ __forceinline__ void turn(real *qk, unsigned ld, const int *position, const float *table, unsigned N, unsigned heads,
                                     unsigned head_size, float sign) {
  unsigned half = head_size / 2, pieces = half / W;
  u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (u64)N * heads * pieces) return;
  unsigned of_row = heads * pieces, n = (unsigned)(at / of_row), rest = (unsigned)(at - (u64)n * of_row);
  unsigned head = rest / pieces, i = (rest - head * pieces) * W;
  real *a = qk + (u64)n * ld + head * head_size + i, *b = a + half;
  float x[W], y[W], t[2 * W];
  group<real, W>::load(x, a);
  group<real, W>::load(y, b);
  const float *angle = table + ((u64)position[n] * half + i) * 2;
  if (W == 1)
    t[0] = angle[0], t[1] = angle[1];
  else
    load_floats<2 * W>(t, angle);
#pragma unroll
  for (int k = 0; k < W; k++) {
    float c = t[2 * k], s = t[2 * k + 1] * sign, u = x[k];
    x[k] = u * c - y[k] * s;
    y[k] = y[k] * c + u * s;
  }
  group<real, W>::store(a, x);
  group<real, W>::store(b, y);
}

template <typename real>
__device__ __forceinline__ void rope(real *qk, unsigned ld, const int *position, const float *table, unsigned N, unsigned heads,
                                     unsigned head_size, float sign) {
  turn<real, WIDE(real)>(qk, ld, position, table, N, heads, head_size, sign);
}
BOTH(rope, __launch_bounds__(256),
     (real * qk, unsigned ld, const int *position, const float *table, unsigned N, unsigned heads, unsigned head_size, float sign),
     (qk, ld, position, table, N, heads, head_size, sign))

template <typename real>
__device__ __forceinline__ void rope_any(real *qk, unsigned ld, const int *position, const float *table, unsigned N, unsigned heads,
                                         unsigned head_size, float sign) {
  turn<real, 1>(qk, ld, position, table, N, heads, head_size, sign);
}
BOTH(rope_any, __launch_bounds__(256),
     (real * qk, unsigned ld, const int *position, const float *table, unsigned N, unsigned heads, unsigned head_size, float sign),
     (qk, ld, position, table, N, heads, head_size, sign))
