/* mma.h - shapes of matrix instructions and who holds which element: shared by the
 * front end, which loads and stores fragments, and the interpreter, which multiplies
 * them. */
#ifndef WW_MMA_H
#define WW_MMA_H

#include "ir.h"

typedef struct {
  uint8_t m, n, k;
} ww_mma_shape;

/* Four products of 8 x 8 x 4 halves at once, each of eight lanes (Volta's mma.m8n8k4):
 * as one of 32 x 8 x 16 with A's blocks along the diagonal. Behind the first 2 for a
 * column-major A, 1 for a row-major B. */
enum { WW_MMA_PAIRS = 10 };
extern const ww_mma_shape ww_mma_shapes[];
extern const uint32_t ww_nmma_shapes;
int ww_mma_find(uint32_t m, uint32_t n, uint32_t k); /* index for ww_ins.sub, or -1 */

typedef enum { WW_MATRIX_A, WW_MATRIX_B, WW_MATRIX_C } ww_matrix; /* D lies as C */

typedef struct {
  uint32_t row, col;
} ww_cell_at;

uint32_t ww_mma_elements(const ww_mma_shape *s, ww_matrix which); /* per lane */
int64_t ww_mma_flops(const ww_mma_shape *s);
/* Operands smaller than a byte are multiplied in words of 32 bits (type i32, the
 * shape's k counted in words): elements in a word, 8 of 4 bits or 32 single ones; 1:
 * not so. */
uint32_t ww_mma_per_word(const ww_ins *i);
/* Where element e of a lane's fragment lies in its matrix. type: the element's. */
ww_cell_at ww_mma_place(
    const ww_mma_shape *s, ww_matrix which, ww_type type, uint32_t lane, uint32_t e);

/* ---- products of a warp group: m64, n from 8 to 256, A and B in shared memory ---- */

/* Bits of the `mode` operand of a wgmma: A and B are negated, are stored with k varying
 * slowest; sums of integers end at the largest. */
enum {
  WW_WGMMA_NEGATE_A = 1,
  WW_WGMMA_NEGATE_B = 2,
  WW_WGMMA_TRANSPOSE_A = 4,
  WW_WGMMA_TRANSPOSE_B = 8,
  WW_WGMMA_SATURATE = 16
};
/* Elements of D that a lane holds, for n / 8; k of an operand type, 0: none. */
static inline uint32_t ww_wgmma_elements(uint32_t n8) {
  return 4 * n8;
}
uint32_t ww_wgmma_depth(ww_type t);
/* Bytes of shared memory that one warp's part of a product with so many operands reads:
 * 32 of k for its 16 rows of A, where A lies there, and for a quarter of B's columns.
 */
static inline uint32_t ww_wgmma_shared_bytes(uint32_t n8, uint32_t operands) {
  bool registers = operands - ww_wgmma_elements(n8) == 7;
  return (registers ? 0 : 16 * 32) + 8 * n8 * 32 / 4;
}

#endif
