/* emit_mma.h - matrix fragments: what NVVM's intrinsics (callees_mma.c) and PTX share.
 */
#ifndef WW_FRONT_EMIT_MMA_H
#define WW_FRONT_EMIT_MMA_H

#include "../ir/mma.h"
#include "emit.h"

/* Elements of a type in a word, where it is smaller than a byte (ir/mma.h); else 1 */
uint32_t low_mma_per_word(const char *type);
/* m16n8k16, of words where they hold several elements; NULL: no such shape */
const ww_mma_shape *low_mma_shape(const char *text, uint32_t per_word);
/* Element types as the names of intrinsics and PTX write them; of e5m2 what
 * WW_F_UNSIGNED_A says. */
bool low_mma_type(const char *s, ww_type *t, bool *is_unsigned);
/* Registers (of any packing) as elements of type t; returns how many. */
uint32_t
low_mma_unpack(low_fn *F, const ww_val *reg, uint32_t nreg, ww_type t, ww_val out[64]);
void low_mma_pack(
    low_fn *F, const ww_val *in, uint32_t n, ww_type t, ww_type word, ww_val *out);

/* What is multiplied: in is the type of A and B, c that of C, d of the result. */
typedef struct {
  const ww_mma_shape *g;
  ww_type in, c, d;
  int flags;
  uint32_t per_word;
} low_product;
/* D = A * B + C, with A, B and C in v; false when the counts do not fit the shape. */
bool low_mma(low_fn *F, const low_product *p, ww_val v[3][64], ww_val *d);
/* The same of n registers of wmma, where A, B and C lie one behind the other. */
bool low_wmma(
    low_fn *F, const low_product *p, const ww_val *reg, uint32_t n, ww_val *d);

/* A fragment in memory. */
typedef struct {
  low_fn *F;
  const ww_mma_shape *g;
  ww_matrix which;
  ww_type t;
  bool col;       /* column-major in memory */
  ww_val ld;      /* i64, elements from one row (column) to the next */
  low_addr base;  /* at the lane's first element */
  uint32_t major; /* row (column) whose address `row` is, 0: none yet */
  ww_val row;
} low_fragment;
void low_fragment_access(low_fragment *f, bool store, ww_val *v);
/* The 32-bit register of matrix i of ldmatrix. */
ww_val low_matrix_word(low_fn *F, ww_val addr32, uint32_t i, bool trans);

#endif
