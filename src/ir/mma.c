/* mma.c - the layout of matrix fragments over the lanes of a warp, as PTX gives it for
 * mma.sync. */
#include "mma.h"

const ww_mma_shape ww_mma_shapes[] = {
    {16, 8, 16}, {16, 8, 8},   {16, 8, 4},  {16, 8, 32}, {8, 8, 4},
    {8, 8, 16},  {16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {16, 16, 8},
    {32, 8, 16}, {32, 8, 16},  {32, 8, 16}, {32, 8, 16}}; /* from WW_MMA_PAIRS on */
const uint32_t ww_nmma_shapes = sizeof ww_mma_shapes / sizeof *ww_mma_shapes;

int ww_mma_find(uint32_t m, uint32_t n, uint32_t k) {
  for (uint32_t i = 0; i < ww_nmma_shapes; i++)
    if (ww_mma_shapes[i].m == m && ww_mma_shapes[i].n == n && ww_mma_shapes[i].k == k)
      return i;
  return -1;
}

static bool in_pairs(const ww_mma_shape *s) {
  return s >= ww_mma_shapes + WW_MMA_PAIRS;
}

int64_t ww_mma_flops(const ww_mma_shape *s) {
  return 2ll * s->m * s->n * s->k / (in_pairs(s) ? 4 : 1);
}

uint32_t ww_mma_per_word(const ww_ins *i) {
  int64_t flops = ww_mma_flops(&ww_mma_shapes[i->sub]); /* of a product of each word */
  return i->type2 != WW_I32     ? 1
         : i->imm == 8 * flops  ? 8
         : i->imm == 32 * flops ? 32
                                : 1;
}

uint32_t ww_mma_elements(const ww_mma_shape *s, ww_matrix which) {
  if (in_pairs(s))
    return which == WW_MATRIX_C ? 8 : 4;
  uint32_t n = which == WW_MATRIX_A   ? s->m * s->k
               : which == WW_MATRIX_B ? s->k * s->n
                                      : s->m * s->n;
  return n / 32;
}

/* The lanes 4 * block to 4 * block + 3 and those 16 behind them hold a block: the upper
 * and the lower half of A's rows, of B's columns, of C's rows. */
static ww_cell_at place_in_pairs(
    uint32_t order, ww_matrix which, ww_type type, uint32_t lane, uint32_t e) {
  uint32_t block = lane / 4 % 4;
  uint32_t half = lane / 16 * 4;
  uint32_t member = lane % 4;
  bool turned = which == WW_MATRIX_A ? order & 2 : which == WW_MATRIX_B && order & 1;
  if (which == WW_MATRIX_A)
    return (ww_cell_at){8 * block + half + (turned ? e : member),
                        4 * block + (turned ? member : e)};
  if (which == WW_MATRIX_B)
    return (ww_cell_at){4 * block + (turned ? member : e),
                        half + (turned ? e : member)};
  if (type == WW_F16)
    return (ww_cell_at){8 * block + half + member, e};
  return (ww_cell_at){8 * block + half + (member & 1) + (e & 2),
                      (e & 4) + (member & 2) + (e & 1)};
}

/* A: registers alternate between the upper and the lower 8 rows of an m16 block, pairs
 * of them step along k; blocks of 16 rows follow one another. With 8 rows there is no
 * alternation. B: registers step along k, blocks of 8 columns follow one another. C:
 * two elements side by side, 8 rows below, then the next block of columns or rows. */
ww_cell_at ww_mma_place(
    const ww_mma_shape *s, ww_matrix which, ww_type type, uint32_t lane, uint32_t e) {
  if (in_pairs(s))
    return place_in_pairs(s - ww_mma_shapes - WW_MMA_PAIRS, which, type, lane, e);
  uint32_t group = lane / 4;
  uint32_t member = lane % 4;
  uint32_t bytes = ww_type_bytes[type];
  uint32_t p = bytes < 4 ? 4 / bytes : 1;
  uint32_t halves = s->m >= 16 ? 2 : 1; /* of a row block */
  if (which == WW_MATRIX_A) {
    uint32_t per_block = 8 * halves * s->k / 32;
    uint32_t block = e / per_block;
    uint32_t i = e % per_block;
    uint32_t r = i / p;
    return (ww_cell_at){16 * block + group + 8 * (r % halves),
                        p * member + i % p + 4 * p * (r / halves)};
  }
  if (which == WW_MATRIX_B) {
    uint32_t per_block = s->k * 8 / 32;
    uint32_t block = e / per_block;
    uint32_t i = e % per_block;
    return (ww_cell_at){p * member + i % p + 4 * p * (i / p), 8 * block + group};
  }
  uint32_t per_block = 8 * halves * 8 / 32;
  uint32_t block = e / per_block;
  uint32_t i = e % per_block;
  uint32_t columns = s->n / 8;
  return (ww_cell_at){16 * (block / columns) + group + 8 * (i / 2 % halves),
                      8 * (block % columns) + 2 * member + i % 2};
}

uint32_t ww_wgmma_depth(ww_type t) {
  switch (t) {
  case WW_F16:
  case WW_BF16:
    return 16;
  case WW_F32: /* tf32 */
    return 8;
  case WW_I8:
  case WW_E4M3:
    return 32;
  case WW_I1:
    return 256;
  default:
    return 0;
  }
}
