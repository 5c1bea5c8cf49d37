/* kernels_isa.c - the kernels of one instruction set; compiled once for each (see
 * KERNELS in the Makefile), named by WW_ISA.
 *
 * Written with the compiler's vectors of VW floats, so that one text serves SSE2, NEON,
 * AVX2 and AVX-512; what an instruction set does better is chosen by #if in
 * kernels_vector.h. Panels are 16 rows wide whatever the vector's width. Inner blocks
 * are always inlined with constant sizes, their arrays have constant sizes too: that is
 * what keeps the sums in registers. Layouts: kernels.h. */
#include "kernels.h"
#include "kernels_vector.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

/* Blocks: rows and panels at once, as many as the registers hold. */
#if VW == 16
enum {
  Q8_ROWS = 6,
  FMA_ROWS = 8,
  BLOCK_PANELS = 2,
  ATTEND_ROWS = 8,
  ATTEND_PANELS = 2
};
#elif VW == 8
enum {
  Q8_ROWS = 2,
  FMA_ROWS = 4,
  BLOCK_PANELS = 1,
  ATTEND_ROWS = 4,
  ATTEND_PANELS = 1
};
#else
enum {
  Q8_ROWS = 2,
  FMA_ROWS = 2,
  BLOCK_PANELS = 1,
  ATTEND_ROWS = 2,
  ATTEND_PANELS = 1
};
#endif

/* ---- inputs of products ---- */

/* 32 values from x[at] on; zeros behind the last of n. */
ALWAYS const float *
block_at(const float *x, uint32_t at, uint32_t n, float padded[32]) {
  if (at + 32 <= n)
    return x + at;
  memset(padded, 0, 32 * sizeof *padded);
  for (uint32_t i = at; i < n; i++)
    padded[i - at] = x[i];
  return padded;
}

static void prepare_q8(ww_inputs *to, size_t row, const float *x, uint32_t n) {
  uint32_t blocks = to->depth / 32;
  int8_t *q = to->q + row * to->depth;
  float *scale = to->scale + row * blocks;
  int32_t *less = to->less + row * blocks;
  for (uint32_t b = 0; b < blocks; b++, q += 32) {
    float padded[32];
    quantize_block(q, scale + b, less + b, block_at(x, 32 * b, n, padded));
  }
}

/* 32 values of a row into their tile, and what rounding left of them into the tile
 * behind it. */
static void prepare_bf16(ww_inputs *to, size_t row, const float *x, uint32_t n) {
  size_t parts = to->form == WW_FORM_BF16X2 ? 2 : 1;
  uint16_t *tile = to->bf16 + row / 16 * 16 * to->depth * parts + row % 16 * 32;
  for (uint32_t k = 0; k < to->depth; k += 32, tile += 512 * parts) {
    float padded[32];
    const float *v = block_at(x, k, n, padded);
    for (uint32_t i = 0; i < 32; i++)
      tile[i] = bf16_of(v[i]);
    if (parts == 2)
      for (uint32_t i = 0; i < 32; i++)
        tile[512 + i] = bf16_of(v[i] - ww_bf16_to_float(tile[i]));
  }
}

static void prepare(ww_inputs *to, uint32_t row, const float *x, uint32_t n) {
  if (to->form == WW_FORM_Q8) {
    prepare_q8(to, row, x, n);
  } else if (to->form == WW_FORM_F32) {
    float *f = to->f32 + (size_t)row * to->depth;
    if (f != x)
      memcpy(f, x, n * sizeof *f);
    memset(f + n, 0, (to->depth - n) * sizeof *f);
  } else {
    prepare_bf16(to, row, x, n);
  }
}

/* ---- products with int8 weights: sums of 32 in integers, scaled into floats ---- */

/* Where the sums of a row and panel, lanes from VW * v on, go. */
ALWAYS void put_sum(const ww_product_job *j, size_t row, size_t panel, int v, vf sum) {
  float *o = j->out + row * j->out_stride + panel * WW_PANEL + VW * v;
  vf_store(o, j->add ? vf_load(o) + sum : sum);
}

ALWAYS void
q8_block(const ww_product_job *j, size_t row, size_t panel, const int R, const int P) {
  const ww_inputs *x = j->x;
  const ww_matrix *w = j->w;
  size_t depth = w->depth, blocks = depth / 32;
  const uint8_t *q = w->data + panel * w->panel_bytes;
  const uint16_t *ws = (const uint16_t *)(q + depth * WW_PANEL);
  const int8_t *xq = x->q + row * depth;
  const float *xs = x->scale + row * blocks;
  const int32_t *less = x->less + row * blocks;
  vf sum[BLOCK_PANELS][NV][Q8_ROWS];
  EACH(p, P) EACH(v, NV) EACH(r, R) sum[p][v][r] = vf_all(0);
  for (uint32_t b = 0; b < blocks; b++, q += 512, ws += 16, xq += 32) {
    vi s[BLOCK_PANELS][NV][Q8_ROWS];
    EACH(p, P) EACH(v, NV) EACH(r, R) s[p][v][r] = vi_all(less[r * blocks + b]);
    EACH(i, 8) {
      vi wq[BLOCK_PANELS][NV];
      EACH(p, P)
      EACH(v, NV) wq[p][v] = vi_load(q + p * w->panel_bytes + 64 * i + 4 * VW * v);
      EACH(r, R) {
        vi a = vi_all(load_i32(xq + r * depth + 4 * i));
        EACH(p, P) EACH(v, NV) s[p][v][r] = dot4(s[p][v][r], wq[p][v], a);
      }
    }
    EACH(p, P) EACH(v, NV) {
      vf scale = vf_half((const uint16_t *)((const uint8_t *)ws + p * w->panel_bytes) +
                         VW * v);
      EACH(r, R) sum[p][v][r] += vf_of_int(s[p][v][r]) * (scale * xs[r * blocks + b]);
    }
  }
  EACH(p, P) EACH(v, NV) EACH(r, R) put_sum(j, row + r, panel + p, v, sum[p][v][r]);
}

ALWAYS void q8_rows(const ww_product_job *j, uint32_t panel, const int P) {
  uint32_t r = 0, rows = j->rows;
  for (; r + Q8_ROWS <= rows; r += Q8_ROWS)
    q8_block(j, r, panel, Q8_ROWS, P);
#if VW == 16
  for (; r + 3 <= rows; r += 3)
    q8_block(j, r, panel, 3, P);
#endif
  for (; r < rows; r++)
    q8_block(j, r, panel, 1, P);
}

static void product_q8(const ww_product_job *j) {
  uint32_t p = j->first, last = j->last;
  for (; p + BLOCK_PANELS <= last; p += BLOCK_PANELS)
    q8_rows(j, p, BLOCK_PANELS);
  for (; p < last; p++)
    q8_rows(j, p, 1);
}

/* ---- products with F16, BF16 and F32 weights ---- */

/* Column k of a panel, lanes from VW * v on. */
ALWAYS vf column(const uint8_t *panel, const ww_dtype type, size_t k, int v) {
  if (type == WW_DTYPE_F32)
    return vf_load((const float *)panel + 16 * k + VW * v);
  if (type == WW_DTYPE_F16)
    return vf_half((const uint16_t *)panel + 16 * k + VW * v);
  vi pair = vi_load((const uint32_t *)panel + k / 2 * 16 + VW * v);
  return (vf)(k % 2 ? pair & (int32_t)0xffff0000 : pair << 16);
}

/* K columns at a time, each with sums of its own: a chain of additions is as long as
 * its latency allows. */
ALWAYS void fma_block(const ww_product_job *j,
                      size_t row,
                      size_t panel,
                      const int R,
                      const int P,
                      const int K,
                      const ww_dtype type) {
  const ww_matrix *w = j->w;
  size_t depth = w->depth;
  const uint8_t *data = w->data + panel * w->panel_bytes;
  const float *in = j->x->f32 + row * depth;
  vf sum[4][BLOCK_PANELS][NV][FMA_ROWS];
  EACH(k, K) EACH(p, P) EACH(v, NV) EACH(r, R) sum[k][p][v][r] = vf_all(0);
  for (size_t at = 0; at < depth; at += K)
    EACH(k, K) {
      vf c[BLOCK_PANELS][NV];
      EACH(p, P)
      EACH(v, NV) c[p][v] = column(data + p * w->panel_bytes, type, at + k, v);
      EACH(r, R) {
        float a = in[r * depth + at + k];
        EACH(p, P) EACH(v, NV) sum[k][p][v][r] += c[p][v] * a;
      }
    }
  EACH(p, P) EACH(v, NV) EACH(r, R) {
    vf s = sum[0][p][v][r];
    UNROLL for (int k = 1; k < K; k++) s += sum[k][p][v][r];
    put_sum(j, row + r, panel + p, v, s);
  }
}

ALWAYS void
fma_rows(const ww_product_job *j, uint32_t panel, const int P, const ww_dtype type) {
  uint32_t r = 0, rows = j->rows;
  for (; r + FMA_ROWS <= rows; r += FMA_ROWS)
    fma_block(j, r, panel, FMA_ROWS, P, 2 / P, type);
  for (; r + 2 <= rows; r += 2)
    fma_block(j, r, panel, 2, P, 2, type);
  for (; r < rows; r++)
    fma_block(j, r, panel, 1, P, 4, type);
}

ALWAYS void product_fma(const ww_product_job *j, const ww_dtype type) {
  uint32_t p = j->first, last = j->last;
  for (; p + BLOCK_PANELS <= last; p += BLOCK_PANELS)
    fma_rows(j, p, BLOCK_PANELS, type);
  for (; p < last; p++)
    fma_rows(j, p, 1, type);
}

#if defined(__AMX_BF16__)
#include "kernels_amx.h"
#endif

static void product(const ww_product_job *p) {
  const ww_product_job job = *p, *j = &job; /* a copy of our own stays in registers */
#if defined(__AMX_BF16__)
  if (j->x->form >= WW_FORM_BF16) {
    product_amx(j);
    return;
  }
#endif
  switch (j->w->type) {
  case WW_DTYPE_Q8_0:
    product_q8(j);
    break;
  case WW_DTYPE_F16:
    product_fma(j, WW_DTYPE_F16);
    break;
  case WW_DTYPE_BF16:
    product_fma(j, WW_DTYPE_BF16);
    break;
  default:
    product_fma(j, WW_DTYPE_F32);
  }
}

static ww_form form(ww_dtype weights, uint32_t rows) {
#if defined(__AMX_BF16__)
  if (rows >= AMX_ROWS)
    return weights == WW_DTYPE_Q8_0 || weights == WW_DTYPE_BF16 ? WW_FORM_BF16
                                                                : WW_FORM_BF16X2;
#endif
  (void)rows;
  return weights == WW_DTYPE_Q8_0 ? WW_FORM_Q8 : WW_FORM_F32;
}

#include "kernels_attend.h"

/* ---- the small things ---- */

static void
rmsnorm(float *out, const float *x, const float *weight, float eps, uint32_t n) {
  vf sums = vf_all(0);
  float squares = 0;
  uint32_t i = 0;
  for (; i + VW <= n; i += VW) {
    vf v = vf_load(x + i);
    sums += v * v;
  }
  for (uint32_t k = i; k < n; k++)
    squares += x[k] * x[k];
  squares += vf_sum(sums);
  float scale = 1.0f / sqrtf(squares / (float)n + eps);
  for (i = 0; i < n; i++)
    out[i] = x[i] * scale * weight[i];
}

static void swiglu(float *out, const float *gate_up, uint32_t n) {
  for (uint32_t i = 0; i < n; i += 16, gate_up += 32)
    for (int v = 0; v < 16; v += VW) {
      vf g = vf_load(gate_up + v), u = vf_load(gate_up + 16 + v);
      vf_store(out + i + v, g * u / (1 + vf_exp(-g)));
    }
}

static void
rope(float *x, const float *cos, const float *sin, float scale, uint32_t size) {
  uint32_t half = size / 2;
  for (uint32_t i = 0; i < half; i++) {
    float a = x[i], b = x[half + i];
    x[i] = (a * cos[i] - b * sin[i]) * scale;
    x[half + i] = (b * cos[i] + a * sin[i]) * scale;
  }
}

static void store_key(uint16_t *keys, const float *x, uint32_t pos, uint32_t size) {
  uint16_t *to = keys + (size_t)(pos / 16) * size * 16 + pos % 16, half[VW];
  size_t d = 0;
  for (; d + VW <= size; d += VW) {
    vf_to_half(half, vf_load(x + d));
    for (uint32_t i = 0; i < VW; i++)
      to[16 * (d + i)] = half[i];
  }
  for (; d < size; d++)
    to[16 * d] = half_of(x[d]);
}

static void store_value(uint16_t *values, const float *x, uint32_t pos, uint32_t size) {
  uint32_t stride = ww_round_up(size, 16), d = 0;
  uint16_t *to = values + (size_t)pos * stride;
  for (; d + VW <= size; d += VW)
    vf_to_half(to + d, vf_load(x + d));
  for (; d < size; d++)
    to[d] = half_of(x[d]);
  for (; d < stride; d++)
    to[d] = 0;
}

static void matrix_row(float *out, const ww_matrix *w, uint32_t row, uint32_t n) {
  const uint8_t *panel = w->data + row / 16 * w->panel_bytes;
  const uint16_t *half = (const uint16_t *)panel,
                 *scale = (const uint16_t *)(panel + (size_t)w->depth * WW_PANEL);
  uint32_t r = row % 16;
  float s = 0;
  for (size_t k = 0; k < n; k++) {
    if (w->type == WW_DTYPE_Q8_0) {
      if (k % 32 == 0)
        s = float_of_half(scale[k / 32 * 16 + r]);
      out[k] = (float)((int)panel[k / 4 * 64 + 4 * r + k % 4] - 128) * s;
    } else if (w->type == WW_DTYPE_F32) {
      out[k] = ((const float *)panel)[16 * k + r];
    } else if (w->type == WW_DTYPE_F16) {
      out[k] = float_of_half(half[16 * k + r]);
    } else {
      out[k] = ww_bf16_to_float(half[k / 2 * 32 + 2 * r + k % 2]);
    }
  }
}

/* What was Q8_0 in the file, its largest value 127 as every writer has it, comes back
 * bit for bit.
 */
static void fill_q8(const ww_matrix *m, uint8_t *panel, uint32_t r, const float *x) {
  uint16_t *scales = (uint16_t *)(panel + (size_t)m->depth * WW_PANEL);
  for (uint32_t b = 0; b < m->depth / 32; b++, x += 32, panel += 512) {
    uint8_t q[32];
    float most = 0;
    for (uint32_t i = 0; i < 32; i++)
      most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    scales[16 * b + r] = half_of(most / 127.0f);
    float scale = float_of_half(scales[16 * b + r]), by = scale > 0 ? 1.0f / scale : 0;
    for (uint32_t i = 0; i < 32; i++) {
      float v = x[i] * by;
      v = v > 127 ? 127 : v >= -127 ? v : -127; /* NaN too becomes a number */
      q[i] = (uint8_t)((int)(v < 0 ? v - 0.5f : v + 0.5f) + 128);
    }
    for (uint32_t i = 0; i < 8; i++)
      memcpy(panel + 64 * i + 4 * r, q + 4 * i, 4);
  }
}

static void fill(const ww_matrix *m, uint8_t *panel, uint32_t r, const float *x) {
  uint16_t *to = (uint16_t *)panel;
  if (m->type == WW_DTYPE_Q8_0) {
    fill_q8(m, panel, r, x);
    return;
  }
  for (size_t k = 0; k < m->depth; k++)
    if (m->type == WW_DTYPE_F32)
      ((float *)panel)[16 * k + r] = x[k];
    else if (m->type == WW_DTYPE_F16)
      to[16 * k + r] = half_of(x[k]);
    else
      to[k / 2 * 32 + 2 * r + k % 2] = bf16_of(x[k]);
}

extern const ww_kernels CAT(ww_kernels_, WW_ISA);
const ww_kernels CAT(ww_kernels_, WW_ISA) = {
    .name = NAME,
    .form = form,
    .prepare = prepare,
    .product = product,
    .attend = attend,
    .rmsnorm = rmsnorm,
    .swiglu = swiglu,
    .rope = rope,
    .store_key = store_key,
    .store_value = store_value,
    .row = matrix_row,
    .fill = fill,
#if defined(__AMX_BF16__)
    .unpack = unpack,
#endif
};
