/* wgmma.c - products of a warp group: D = A * B + D with B, and A as a rule, in shared
 * memory.
 *
 * Four warps hold D, 16 rows each, so a warp multiplies its own rows and needs nobody
 * else: the product is done where it is issued. A descriptor names a matrix in shared
 * memory: address, two strides, and how rows are shuffled; element (i, k) of A and of B
 * transposed lies at
 *   rows of k:    i % 8 * row + i / 8 * stride + k,       row = 16 << shuffle bytes
 *   columns of k: i % w + i / w * leading + k % 8 * row + k / 8 * stride,  w = row
 * in bytes, before the shuffle; unshuffled, the two strides change places and k / 16
 * bytes takes `leading`. Floats are summed as floats, in the order of k. */
#include "async.h"

#include "../base/half.h"
#include "../ir/mma.h"

enum { ROWS = 16, MOST_N = 256, MOST_K = 256 };

typedef struct {
  uint32_t start, leading, stride; /* bytes */
  uint32_t base;                   /* of the pattern, rows of 128 bytes */
  ww_swizzle shuffle;
  bool columns; /* k varies slowest */
} matrix;

static matrix matrix_of(uint64_t d, bool columns) {
  static const uint8_t modes[4] = {WW_SWIZZLE_NONE, WW_SWIZZLE_128B, WW_SWIZZLE_64B,
                                   WW_SWIZZLE_32B};
  return (matrix){.start = (d & 0x3fff) << 4,
                  .leading = (d >> 16 & 0x3fff) << 4,
                  .stride = (d >> 32 & 0x3fff) << 4,
                  .base = d >> 49 & 7,
                  .shuffle = modes[d >> 62],
                  .columns = columns};
}

/* Byte of the 16 that hold element (i, k), given in bytes along its own row. */
static uint32_t place(const matrix *m, uint32_t i, uint32_t k, uint32_t size) {
  uint32_t row = 16u << m->shuffle;
  if (!m->columns && !m->shuffle)
    return i % 8 * 16 + i / 8 * m->stride + k * size / 16 * m->leading + k * size % 16;
  if (!m->columns)
    return i % 8 * row + i / 8 * m->stride + k * size;
  uint32_t at = i * size;
  if (!m->shuffle)
    return at % 16 + at / 16 * m->stride + k % 8 * 16 + k / 8 * m->leading;
  return at % row + at / row * m->leading + k % 8 * row + k / 8 * m->stride;
}

/* Host address of element (i, k); NULL: outside shared memory. */
static const uint8_t *
element(const ww_exec *x, const matrix *m, uint32_t i, uint32_t k, uint32_t size) {
  uint64_t at = m->start + place(m, i, k, size);
  uint64_t row = (at >> 7) - m->base;
  at ^= (row & ((1u << m->shuffle) - 1)) << 4;
  return at + size <= x->shared.size ? x->shared.mem + at : NULL;
}

/* ---- elements ---- */

static float to_float(ww_type t, const uint8_t *p) {
  uint16_t half;
  uint32_t word;
  switch (t) {
  case WW_F16:
    memcpy(&half, p, 2);
    return ww_half_to_float(half);
  case WW_BF16:
    memcpy(&half, p, 2);
    return ww_bf16_to_float(half);
  case WW_F32: /* tf32: the multiplier sees 10 bits of the mantissa */
    memcpy(&word, p, 4);
    return ww_bits_float(word & 0xffffe000u);
  default:
    return ww_to_double(t, *p);
  }
}

/* What the operands are, once for both. */
typedef struct {
  ww_exec *x;
  const ww_ins *i;
  uint32_t n, k, bits; /* bits: of an element */
  uint32_t mode;
} product;

static ww_type element_type(const product *p, bool b) {
  bool other = p->i->flags & (b ? WW_F_UNSIGNED_B : WW_F_UNSIGNED_A);
  return p->i->type2 == WW_E4M3 && other ? WW_E5M2 : p->i->type2;
}

/* Element k of those that begin at `at`; only single bits lie several to a byte. */
static float number(const product *p, bool b, const uint8_t *at, uint32_t k) {
  if (p->i->type2 == WW_I1)
    return *at >> k % 8 & 1;
  if (p->i->type2 != WW_I8)
    return to_float(element_type(p, b), at);
  return p->i->flags & (b ? WW_F_UNSIGNED_B : WW_F_UNSIGNED_A) ? *at : *(int8_t *)at;
}

/* Columns [0, count) of k of a matrix from row `first` on: out[k][row] of B,
 * out[row][k] of A. */
static bool gather(const product *p,
                   const matrix *m,
                   bool b,
                   uint32_t first,
                   uint32_t count,
                   float *out) {
  float sign = p->mode & (b ? WW_WGMMA_NEGATE_B : WW_WGMMA_NEGATE_A) ? -1 : 1;
  for (uint32_t r = 0; r < count; r++)
    for (uint32_t k = 0; k < p->k; k++) {
      uint32_t at_k = p->bits < 8 ? k / 8 : k;
      const uint8_t *at = element(p->x, m, first + r, at_k, (p->bits + 7) / 8);
      if (!at)
        return false;
      out[b ? k * p->n + r : r * p->k + k] = sign * number(p, b, at, k);
    }
  return true;
}

/* A in registers: four words a lane, laid out as mma.sync has them. */
static void gather_registers(const product *p, const uint32_t *slots, float *out) {
  float sign = p->mode & WW_WGMMA_NEGATE_A ? -1 : 1;
  uint32_t each = 32 / p->bits;
  for (uint32_t lane = 0; lane < 32; lane++)
    for (uint32_t w = 0; w < 4; w++) {
      uint32_t word = ww_cell_of(p->x, slots[w], false, lane);
      uint32_t row = lane / 4 + 8 * (w % 2);
      uint32_t k = lane % 4 * each + w / 2 * 4 * each;
      for (uint32_t e = 0; e < each; e++)
        out[row * p->k + k + e] =
            sign * number(p, false, (const uint8_t *)&word + e * p->bits / 8, e);
    }
}

/* ---- the product ---- */

static uint32_t row_of(uint32_t lane, uint32_t e) {
  return lane / 4 + 8 * (e / 2 % 2);
}
static uint32_t column_of(uint32_t lane, uint32_t e) {
  return e / 4 * 8 + lane % 4 * 2 + e % 2;
}

static void multiply(const product *p, const float *a, const float *b, float *d) {
  for (uint32_t r = 0; r < ROWS; r++)
    for (uint32_t k = 0; k < p->k; k++) {
      float f = a[r * p->k + k];
      const float *from = b + k * p->n;
      float *to = d + r * p->n;
      for (uint32_t c = 0; c < p->n; c++)
        to[c] += f * from[c];
    }
}

static void
put_result(ww_exec *x, const ww_ins *i, uint32_t e, uint32_t lane, float v) {
  ww_cell_put(x, x->prog->slots[i->dst + e], false, lane,
              ww_is_float(i->type) ? ww_from_double(i->type, v, WW_RN)
                                   : (uint32_t)(int64_t)v);
}

static void of_floats(
    const product *p, const float *a, const float *b, const uint32_t *c, bool add) {
  static _Thread_local float d[ROWS * MOST_N];
  ww_exec *x = p->x;
  uint32_t ne = ww_wgmma_elements(p->i->sub);
  memset(d, 0, ROWS * p->n * sizeof *d);
  for (uint32_t lane = 0; add && lane < 32; lane++)
    for (uint32_t e = 0; e < ne; e++)
      d[row_of(lane, e) * p->n + column_of(lane, e)] =
          ww_to_double(p->i->type, ww_cell_of(x, c[e], false, lane));
  multiply(p, a, b, d);
  for (uint32_t lane = 0; lane < 32; lane++)
    for (uint32_t e = 0; e < ne; e++)
      put_result(x, p->i, e, lane, d[row_of(lane, e) * p->n + column_of(lane, e)]);
}

/* Sums of bytes are exact in float as far as 2^24, products of one instruction always
 * are; D is added as an integer. */
static void of_integers(
    const product *p, const float *a, const float *b, const uint32_t *c, bool add) {
  static _Thread_local float d[ROWS * MOST_N];
  ww_exec *x = p->x;
  memset(d, 0, ROWS * p->n * sizeof *d);
  multiply(p, a, b, d);
  for (uint32_t lane = 0; lane < 32; lane++)
    for (uint32_t e = 0; e < ww_wgmma_elements(p->i->sub); e++) {
      int64_t v = d[row_of(lane, e) * p->n + column_of(lane, e)];
      if (add)
        v += (int32_t)ww_cell_of(x, c[e], false, lane);
      if (p->mode & WW_WGMMA_SATURATE)
        v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
      ww_cell_put(x, x->prog->slots[p->i->dst + e], false, lane, (uint32_t)v);
    }
}

void ww_exec_wgmma(ww_exec *x, const ww_code *k) {
  static _Thread_local float a[ROWS * MOST_K];
  static _Thread_local float b[MOST_K * MOST_N];
  const ww_ins *i = k->ins;
  uint32_t nc = ww_wgmma_elements(i->sub);
  uint32_t words = i->n - nc - 3;
  uint32_t first = __builtin_ctzll(x->mask);
  product p = {.x = x,
               .i = i,
               .n = 8 * i->sub,
               .k = ww_wgmma_depth(i->type2),
               .bits = ww_type_bits(i->type2),
               .mode = ww_cell_of(x, k->slots[0], false, first)};
  bool add = ww_cell_of(x, k->slots[1], false, first) & 1;
  if (x->idle_values)
    return;
  if (x->mask != 0xffffffffu) {
    ww_exec_fault(x, i, "wgmma in a warp of which some lanes are elsewhere");
    return;
  }
  matrix mb = matrix_of(ww_cell_of(x, k->slots[2 + words], true, first),
                        p.mode & WW_WGMMA_TRANSPOSE_B);
  bool ok = gather(&p, &mb, true, 0, p.n, b);
  if (words == 4)
    gather_registers(&p, k->slots + 2, a);
  else {
    matrix ma = matrix_of(ww_cell_of(x, k->slots[2], true, first),
                          p.mode & WW_WGMMA_TRANSPOSE_A);
    ok &= gather(&p, &ma, false, x->id.warp % 4 * ROWS, ROWS, a);
  }
  if (!ok) {
    ww_exec_fault(x, i,
                  "a matrix descriptor reaches beyond the %u bytes of shared memory",
                  x->shared.size);
    return;
  }
  (ww_is_float(i->type) ? of_floats : of_integers)(&p, a, b, k->slots + 3 + words, add);
}
