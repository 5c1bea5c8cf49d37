/* plain.cu - matrix products without tensor cores, for devices without cuBLASLt and for shapes it does not take.
 *
 * d[i, j] = sum over k of a(i, k) b(k, j) (+ bias[j]) (+ d[i, j]); all three products of a layer differ in strides alone. A block of 256 threads
 * makes a tile of 64 x 64, 16 deep at a time. */
#include "common.cuh"

#define TILE 64
#define DEEP 16

template <typename real, typename wide>
__device__ __forceinline__ void product(wide *d, const real *a, const real *b, const real *bias, u64 ldd, u64 ai, u64 ak, u64 bk, u64 bj,
                                        unsigned rows, unsigned cols, unsigned depth, unsigned add) {
  __shared__ float ta[DEEP][TILE + 4], tb[DEEP][TILE + 4];
  unsigned i0 = blockIdx.y * TILE, j0 = blockIdx.x * TILE, x = threadIdx.x % 16, y = threadIdx.x / 16;
  float acc[4][4] = {};
  for (unsigned k0 = 0; k0 < depth; k0 += DEEP) {
    for (unsigned t = threadIdx.x; t < TILE * DEEP; t += 256) {
      unsigned k = ak == 1 ? t % DEEP : t / TILE, i = ak == 1 ? t / DEEP : t % TILE;
      ta[k][i] = i0 + i < rows && k0 + k < depth ? to_float(a[(i0 + i) * ai + (k0 + k) * ak]) : 0.f;
      k = bk == 1 ? t % DEEP : t / TILE, i = bk == 1 ? t / DEEP : t % TILE;
      tb[k][i] = j0 + i < cols && k0 + k < depth ? to_float(b[(j0 + i) * bj + (k0 + k) * bk]) : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEEP; k++)
#pragma unroll
      for (int r = 0; r < 4; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) acc[r][c] += ta[k][y * 4 + r] * tb[k][x * 4 + c];
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; r++)
#pragma unroll
    for (int c = 0; c < 4; c++) {
      unsigned i = i0 + y * 4 + r, j = j0 + x * 4 + c;
      if (i >= rows || j >= cols) continue;
      float s = acc[r][c] + (bias ? to_float(bias[j]) : 0.f);
      wide *to = d + i * ldd + j;
      *to = of_float<wide>(add ? to_float(*to) + s : s);
    }
}

#define PRODUCT_REST                                                                                                                        \
  const real *a, const real *b, const real *bias, u64 ldd, u64 ai, u64 ak, u64 bk, u64 bj, unsigned rows, unsigned cols, unsigned depth,     \
      unsigned add
#define PRODUCT_ARGS (d, a, b, bias, ldd, ai, ak, bk, bj, rows, cols, depth, add)
template <typename real> __device__ __forceinline__ void product_real(real *d, PRODUCT_REST) { product<real, real> PRODUCT_ARGS; }
template <typename real> __device__ __forceinline__ void product_float(float *d, PRODUCT_REST) { product<real, float> PRODUCT_ARGS; }
BOTH(product_real, __launch_bounds__(256), (real * d, PRODUCT_REST), PRODUCT_ARGS)
BOTH(product_float, __launch_bounds__(256), (float *d, PRODUCT_REST), PRODUCT_ARGS)
