/* kernels.h - the arithmetic of the fast path: one set of functions for each
 * instruction set, chosen when a model is opened.
 *
 * All sets read the same memory. A matrix lies in panels of 16 output rows, side by
 * side, so that a vector register holds one column of a panel; columns are padded with
 * zeros to a multiple of 32, rows to a multiple of 16: Q8_0   [cols/32][8][16][4]
 * bytes, each value + 128 (VNNI multiplies unsigned by signed), then [cols/32][16]
 * scales, half precision F16    [cols][16] BF16 [cols/2][16][2], as AMX wants it F32
 * [cols][16] kernels_isa.c is compiled once for each set; the test of inference runs
 * them all against the exact path. */
#ifndef WW_LM_KERNELS_H
#define WW_LM_KERNELS_H

#include "weights.h"

enum { WW_PANEL = 16, WW_DEPTH = 32 };

typedef struct {
  ww_dtype type;
  uint32_t panels, depth; /* depth: columns with padding */
  uint8_t *data;          /* panels of panel_bytes each, a multiple of 64 */
  uint64_t panel_bytes;
  /* AMX: the panels once more as [cols/32][parts][16][16][2] bf16; 2 parts (value and
   * rest) for F16 and F32. NULL: unpacked at each use */
  uint16_t *tiles;
} ww_matrix;

/* Inputs of a product, prepared once and read by every panel: [rows][depth] in one of
 * these forms.
 */
typedef enum { WW_FORM_F32, WW_FORM_Q8, WW_FORM_BF16, WW_FORM_BF16X2 } ww_form;
typedef struct {
  ww_form form;
  uint32_t depth; /* of this product */
  float *f32;     /* F32: [rows][depth] */
  int8_t *q;      /* Q8: [rows][depth] */
  float *scale;   /* Q8: [rows][depth / 32] */
  /* Q8: [rows][depth / 32], -128 x the block's sum: takes back the weights' + 128 */
  int32_t *less;
  /* BF16: tiles, [rows / 16][depth / 32][parts][16][32], parts 1 or 2 */
  uint16_t *bf16;
} ww_inputs;

/* Attention of rows that share one key/value head: row r is the query at position pos +
 * r / group.
 */
typedef struct {
  /* row r at q + (r / group) * q_token + (r % group) * q_head; scaled by 1 / sqrt(size)
   * already */
  const float *q;
  float *out; /* likewise, [size] each */
  size_t q_token, q_head, out_token, out_head;
  uint32_t rows, group, pos, size;
  const uint16_t *keys; /* half precision, [positions / 16][size][16] */
  /* half precision, [positions][size, up to a multiple of 16] */
  const uint16_t *values;
} ww_attention;

/* out[r * out_stride + n] = (add: +=) inputs r . weights n, for r < rows and n in
 * panels [first, last); scratch: ww_scratch_bytes */
typedef struct {
  float *out;
  size_t out_stride;
  const ww_inputs *x;
  uint32_t rows;
  const ww_matrix *w;
  uint32_t first, last;
  bool add;
  void *scratch;
} ww_product_job;

typedef struct {
  const char *name;
  /* in which a product of `rows` rows wants its inputs */
  ww_form (*form)(ww_dtype weights, uint32_t rows);
  void (*prepare)(ww_inputs *to, uint32_t row, const float *x, uint32_t n);
  void (*product)(const ww_product_job *j);
  void (*attend)(const ww_attention *a, void *scratch);
  void (*rmsnorm)(
      float *out, const float *x, const float *weight, float eps, uint32_t n);
  void (*swiglu)(float *out,
                 const float *gate_up,
                 uint32_t n); /* gate_up: 16 of gate, 16 of up, ... */
  void (*rope)(float *x,
               const float *cos,
               const float *sin,
               float scale,
               uint32_t size); /* one head: halves rotated, then scaled */
  void (*store_key)(uint16_t *keys, const float *x, uint32_t pos, uint32_t size);
  void (*store_value)(uint16_t *values, const float *x, uint32_t pos, uint32_t size);
  void (*row)(float *out,
              const ww_matrix *w,
              uint32_t row,
              uint32_t n); /* one row of a matrix, for embeddings */
  void (*fill)(const ww_matrix *w,
               uint8_t *panel,
               uint32_t r,
               const float *x); /* row r of a panel; x [depth], zeros behind its end */
  /* one panel into `tiles`' layout; NULL: this set has no AMX */
  void (*unpack)(uint16_t *tiles, const ww_matrix *w, uint32_t panel);
} ww_kernels;

/* that product and attend want, at most */
uint64_t ww_scratch_bytes(uint32_t depth, uint32_t head_size);

/* The sets that this processor has, best first; NULL beyond the last. */
const ww_kernels *ww_kernels_at(uint32_t i);
/* The best one, or the one that $WARPWISE_LM_KERNELS names. */
ww_status ww_kernels_pick(const ww_kernels **out, ww_err *e);

/* Lays out a matrix of `panels` panels and `cols` columns; data is left NULL. Returns
 * its bytes. */
uint64_t ww_matrix_shape(ww_matrix *m, ww_dtype type, uint32_t panels, uint32_t cols);
/* Fills panels from, from + step, ... with rows [rows][cols]. */
void ww_matrix_fill(const ww_kernels *k,
                    ww_matrix *m,
                    uint32_t from,
                    uint32_t step,
                    const float *x,
                    uint64_t rows,
                    uint64_t cols);
uint32_t ww_matrix_parts(const ww_matrix *m); /* of its tiles */
uint64_t ww_matrix_tiles(const ww_matrix *m); /* uint16_t that its tiles take */

#endif
