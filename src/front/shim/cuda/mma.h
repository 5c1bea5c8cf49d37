/* mma.h: warp matrix fragments (nvcuda::wmma) over clang's wmma builtins, which lower to llvm.nvvm.wmma.*.
 *
 * A fragment is opaque registers spread over the warp; only its element count and uniform element-wise use are
 * defined, as in CUDA. */
#ifndef WW_MMA_H
#define WW_MMA_H
#include "ww_cuda.h"
#include "cuda_fp16.h"
#include "cuda_bf16.h"

namespace nvcuda {
namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major { enum { col = 0 }; };
struct col_major { enum { col = 1 }; };
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}
template <class T> struct __ww_stored { typedef T type; };
template <> struct __ww_stored<precision::tf32> { typedef float type; };

/* N registers' worth of elements. */
template <class T, int N> struct __ww_fragment {
  typedef typename __ww_stored<T>::type element_type;
  typedef element_type storage_element_type;
  enum { num_elements = N, num_storage_elements = N };
  element_type x[N];
};
template <class Use, int M, int N, int K, class T, class Layout = void> class fragment;

template <class F, class V> WW_D void fill_fragment(F &f, V v) {
#pragma unroll
  for (int i = 0; i < F::num_elements; i++) f.x[i] = (typename F::element_type)v;
}
WW_D float __float_to_tf32(float f) { /* 10 mantissa bits, ties away */
  unsigned u = __float_as_uint(f);
  return (u & 0x7f800000u) == 0x7f800000u ? f : __uint_as_float((u + 0x1000u) & 0xffffe000u);
}

/* WW_AB(M, N, K, element, elements of a, of b, builtin prefix and suffix, register type): operands a and b */
#define WW_AB(M, N, K, T, NA, NB, PRE, SUF, R)                                                                        \
  template <class L> class fragment<matrix_a, M, N, K, T, L> : public __ww_fragment<T, NA> {};                        \
  template <class L> class fragment<matrix_b, M, N, K, T, L> : public __ww_fragment<T, NB> {};                        \
  template <class L> WW_D void load_matrix_sync(fragment<matrix_a, M, N, K, T, L> &f, const typename __ww_stored<T>::type *p, unsigned ld) { \
    PRE##ld_a##SUF((R *)f.x, (const R *)p, ld, L::col);                                                               \
  }                                                                                                                   \
  template <class L> WW_D void load_matrix_sync(fragment<matrix_b, M, N, K, T, L> &f, const typename __ww_stored<T>::type *p, unsigned ld) { \
    PRE##ld_b##SUF((R *)f.x, (const R *)p, ld, L::col);                                                               \
  }
/* WW_ACC: accumulators. LD, ST: builtins; R: their register type */
#define WW_ACC(M, N, K, T, NC, LD, ST, R)                                                                             \
  template <> class fragment<accumulator, M, N, K, T> : public __ww_fragment<T, NC> {};                               \
  WW_D void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned ld, layout_t l) {             \
    if (l == mem_row_major) LD((R *)f.x, (const R *)p, ld, 0); else LD((R *)f.x, (const R *)p, ld, 1);                \
  }                                                                                                                   \
  WW_D void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned ld, layout_t l) {            \
    if (l == mem_row_major) ST((R *)p, (const R *)f.x, ld, 0); else ST((R *)p, (const R *)f.x, ld, 1);                \
  }
/* WW_MMA: d = a * b + c for one pair of accumulator types. The layout operand is 2 * a.col + b.col:
 * 0 row.row, 1 row.col, 2 col.row, 3 col.col */
#define WW_MMA(M, N, K, T, TD, TC, FN, RA, RD, RC)                                                                    \
  template <class LA, class LB> WW_D void mma_sync(fragment<accumulator, M, N, K, TD> &d, const fragment<matrix_a, M, N, K, T, LA> &a, \
                                                   const fragment<matrix_b, M, N, K, T, LB> &b,                       \
                                                   const fragment<accumulator, M, N, K, TC> &c, bool = false) {       \
    FN((RD *)d.x, (const RA *)a.x, (const RA *)b.x, (const RC *)c.x, 2 * LA::col + LB::col, 0);                       \
  }
/* without the saturate operand */
#define WW_MMA_PLAIN(M, N, K, T, TD, FN, RA, RD)                                                                      \
  template <class LA, class LB> WW_D void mma_sync(fragment<accumulator, M, N, K, TD> &d, const fragment<matrix_a, M, N, K, T, LA> &a, \
                                                   const fragment<matrix_b, M, N, K, T, LB> &b,                       \
                                                   const fragment<accumulator, M, N, K, TD> &c, bool = false) {       \
    FN((RD *)d.x, (const RA *)a.x, (const RA *)b.x, (const RD *)c.x, 2 * LA::col + LB::col WW_SATF);                  \
  }

/* ---- half ---- */
#define WW_HALF(M, N, K, S)                                                                                           \
  WW_AB(M, N, K, __half, 16, 16, __hmma_##S##_, , int)                                                                \
  WW_ACC(M, N, K, __half, 8, __hmma_##S##_ld_c_f16, __hmma_##S##_st_c_f16, int)                                       \
  WW_ACC(M, N, K, float, 8, __hmma_##S##_ld_c_f32, __hmma_##S##_st_c_f32, float)                                      \
  WW_MMA(M, N, K, __half, float, float, __hmma_##S##_mma_f32f32, int, float, float)                                   \
  WW_MMA(M, N, K, __half, __half, __half, __hmma_##S##_mma_f16f16, int, int, int)                                     \
  WW_MMA(M, N, K, __half, float, __half, __hmma_##S##_mma_f32f16, int, float, int)                                    \
  WW_MMA(M, N, K, __half, __half, float, __hmma_##S##_mma_f16f32, int, int, float)
WW_HALF(16, 16, 16, m16n16k16)
WW_HALF(32, 8, 16, m32n8k16)
WW_HALF(8, 32, 16, m8n32k16)

/* ---- bfloat16, tf32, double ---- */
#define WW_SATF , 0
#define WW_BF16(M, N, K, S, NA, NB)                                                                                   \
  WW_AB(M, N, K, __nv_bfloat16, NA, NB, __mma_bf16_##S##_, , int)                                                     \
  WW_MMA_PLAIN(M, N, K, __nv_bfloat16, float, __mma_bf16_##S##_mma_f32, int, float)
WW_BF16(16, 16, 16, m16n16k16, 8, 8)
WW_BF16(32, 8, 16, m32n8k16, 16, 4)
WW_BF16(8, 32, 16, m8n32k16, 4, 16)
WW_AB(16, 16, 8, precision::tf32, 4, 4, __mma_tf32_m16n16k8_, , int)
WW_ACC(16, 16, 8, float, 8, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32, float)
WW_MMA_PLAIN(16, 16, 8, precision::tf32, float, __mma_tf32_m16n16k8_mma_f32, int, float)
WW_AB(8, 8, 4, double, 1, 1, __dmma_m8n8k4_, , double)
WW_ACC(8, 8, 4, double, 2, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64, double)
WW_MMA_PLAIN(8, 8, 4, double, double, __dmma_m8n8k4_mma_f64, double, double)

/* ---- 8-bit integers ---- */
#define WW_INT8(M, N, K, S, NA, NB)                                                                                   \
  WW_AB(M, N, K, signed char, NA, NB, __imma_##S##_, _s8, int)                                                        \
  WW_AB(M, N, K, unsigned char, NA, NB, __imma_##S##_, _u8, int)                                                      \
  WW_ACC(M, N, K, int, 8, __imma_##S##_ld_c, __imma_##S##_st_c_i32, int)                                              \
  WW_MMA_PLAIN(M, N, K, signed char, int, __imma_##S##_mma_s8, int, int)                                              \
  WW_MMA_PLAIN(M, N, K, unsigned char, int, __imma_##S##_mma_u8, int, int)
WW_INT8(16, 16, 16, m16n16k16, 8, 8)
WW_INT8(32, 8, 16, m32n8k16, 16, 4)
WW_INT8(8, 32, 16, m8n32k16, 4, 16)
#undef WW_SATF
#undef WW_AB
#undef WW_ACC
#undef WW_MMA
#undef WW_MMA_PLAIN
#undef WW_HALF
#undef WW_BF16
#undef WW_INT8
} // namespace wmma
} // namespace nvcuda
#endif
