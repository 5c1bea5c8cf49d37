/* mma.c - matrix instructions: D = A * B + C over the fragments that the lanes of a
 * warp hold.
 *
 * Which lane holds which element is PTX's layout of mma.sync, written as one formula
 * for every shape and element size: a 32-bit register packs p elements (2 of 16 bits, 4
 * of 8, 1 of 32 or 64), lane = 4 * group + member. Larger shapes (wmma's m32 and n16,
 * n32) are blocks of m16 and n8; the front end loads and stores fragments by the same
 * formula. Products are exact in double; sums are rounded once to the accumulator's
 * type, where hardware rounds in steps. Elements of 4 bits and single bits come in
 * words, whose product is that of all their elements. */
#include "code.h"

#include "../ir/mma.h"

#include <math.h>

enum { MOST = 32 * 32 }; /* elements of the largest fragment */

static double value_of(ww_type t, uint64_t bits, bool is_unsigned) {
  if (ww_is_float(t))
    return ww_to_double(t == WW_E4M3 && is_unsigned ? WW_E5M2 : t, bits);
  if (t == WW_I8)
    return is_unsigned ? (uint8_t)bits : (int8_t)bits;
  return (int32_t)bits;
}

static uint64_t bits_of_value(const ww_ins *i, double v) {
  if (ww_is_float(i->type))
    return ww_from_double(i->type, v, WW_RN);
  if (i->flags & WW_F_NSW)
    v = fmin(fmax(v, INT32_MIN), INT32_MAX);
  return (uint32_t)(int64_t)v;
}

static int nibble(uint32_t word, int k, bool is_unsigned) {
  uint32_t v = word >> 4 * k & 15;
  return is_unsigned ? (int)v : (int)(v ^ 8) - 8;
}

static double product(const ww_ins *i, uint32_t per_word, double a, double b) {
  if (per_word == 1)
    return a * b;
  uint32_t x = (uint32_t)(int64_t)a, y = (uint32_t)(int64_t)b;
  int sum = 0;
  if (per_word == 32)
    return __builtin_popcount(i->flags & WW_F_UNSIGNED_A ? x ^ y : x & y);
  for (int k = 0; k < 8; k++)
    sum += nibble(x, k, i->flags & WW_F_UNSIGNED_A) *
           nibble(y, k, i->flags & WW_F_UNSIGNED_B);
  return sum;
}

/* tf32: the multiplier sees 10 bits of the mantissa. */
static uint64_t input_bits(ww_type t, uint64_t bits) {
  return t == WW_F32 ? bits & 0xffffe000u : bits;
}

static void gather(const ww_exec *x,
                   const uint32_t *slots,
                   ww_type t,
                   ww_matrix which,
                   const ww_mma_shape *s,
                   bool is_unsigned,
                   double *out) {
  uint32_t n = ww_mma_elements(s, which), cols = which == WW_MATRIX_A ? s->k : s->n;
  for (uint32_t e = 0; e < n; e++)
    for (uint32_t lane = 0; lane < 32; lane++) {
      ww_cell_at c = ww_mma_place(s, which, t, lane, e);
      uint64_t b = ww_cell_of(x, slots[e], ww_type_bytes[t] == 8, lane);
      out[c.row * cols + c.col] =
          value_of(t, which == WW_MATRIX_C ? b : input_bits(t, b), is_unsigned);
    }
}

void ww_exec_mma(ww_exec *x, const ww_code *k) {
  const ww_ins *i = k->ins;
  const ww_mma_shape *s = &ww_mma_shapes[i->sub];
  static _Thread_local double a[MOST], b[MOST], c[MOST];
  uint32_t per_word = ww_mma_per_word(i);
  uint32_t na = ww_mma_elements(s, WW_MATRIX_A), nb = ww_mma_elements(s, WW_MATRIX_B),
           nc = ww_mma_elements(s, WW_MATRIX_C);
  if (i->sub >= WW_MMA_PAIRS) /* blocks beside the diagonal */
    memset(a, 0, sizeof a);
  gather(x, k->slots, i->type2, WW_MATRIX_A, s, i->flags & WW_F_UNSIGNED_A, a);
  gather(x, k->slots + na, i->type2, WW_MATRIX_B, s, i->flags & WW_F_UNSIGNED_B, b);
  gather(x, k->slots + na + nb, i->type, WW_MATRIX_C, s, false, c);
  for (uint32_t r = 0; r < s->m; r++)
    for (uint32_t q = 0; q < s->n; q++)
      for (uint32_t t = 0; t < s->k; t++)
        c[r * s->n + q] += product(i, per_word, a[r * s->k + t], b[t * s->n + q]);
  const uint32_t *out = x->prog->slots + i->dst;
  for (uint32_t e = 0; e < nc; e++)
    for (ww_mask m = x->mask; m; m &= m - 1) {
      uint32_t lane = __builtin_ctzll(m);
      ww_cell_at at = ww_mma_place(s, WW_MATRIX_C, i->type, lane & 31, e);
      uint64_t v = bits_of_value(i, c[at.row * s->n + at.col]);
      ww_cell_put(x, out[e], ww_type_bytes[i->type] == 8, lane, v);
    }
}
