/* kernels_amx.h - products of many rows by AMX tiles of bf16, for kernels_isa.c.
 *
 * A tile is 16 rows of 32 bf16, one instruction multiplies 16 x 32 by 32 x 16. Weights
 * of Q8_0 become bf16 (8 bits of the product of byte and scale); those of F16 and F32
 * are split in two parts of 8 bits each, inputs too, and three of the four products are
 * taken: 16 bits in all. Tiles are configured and released within a call, so that no
 * thread carries their 8 KiB through a switch. */

enum { AMX_ROWS = 8 }; /* fewer rows are faster without */

typedef struct {
  uint8_t palette, start, reserved[14];
  uint16_t bytes[16]; /* of a row */
  uint8_t rows[16];
} amx_config;

/* Tiles: 0 to 3 sums (rows a, a; rows b, b), 4 and 5 inputs, 6 and 7 weights. */
ALWAYS void amx_configure(uint32_t a, uint32_t b) {
  amx_config c = {.palette = 1};
  for (int i = 0; i < 8; i++) {
    c.bytes[i] = 64;
    c.rows[i] = (uint8_t)(i == 6 || i == 7 ? 16 : i == 2 || i == 3 || i == 5 ? b : a);
  }
  __asm__ volatile("" ::"m"(c));
  _tile_loadconfig(&c);
}

/* ---- weights into tiles ---- */

ALWAYS vi amx_round(vf x) { /* to bf16, in the upper halves */
  vi u = (vi)x;
  return u + 0x7fff + (u >> 16 & 1);
}

/* Columns k and k + 1 of 16 rows, side by side as a tile wants them. */
ALWAYS void amx_pair(uint16_t *to, vf x, vf y) {
  vi a = amx_round(x), b = amx_round(y);
  *(vi_any *)to =
      (vi)_mm512_ternarylogic_epi32(_mm512_srli_epi32((__m512i)a, 16), (__m512i)b,
                                    _mm512_set1_epi32((int)0xffff0000), 0xd8);
}

ALWAYS vf amx_upper(vf x) {
  return (vf)(amx_round(x) & (int32_t)0xffff0000);
}

static void
unpack_q8(uint16_t *tiles, const uint8_t *q, const uint16_t *scale, uint32_t depth) {
  for (uint32_t b = 0; b < depth / 32; b++, scale += 16, tiles += 512, q += 512) {
    vf s = vf_half(scale), less = s * -128.0f;
    for (int i = 0; i < 8; i++) {
      vi w = vi_load(q + 64 * i);
      vf a = vf_of_int(w & 255) * s + less, c = vf_of_int(w >> 8 & 255) * s + less;
      vf d = vf_of_int(w >> 16 & 255) * s + less,
         e = vf_of_int(w >> 24 & 255) * s + less;
      amx_pair(tiles + 64 * i, a, c);
      amx_pair(tiles + 64 * i + 32, d, e);
    }
  }
}

static void unpack(uint16_t *tiles, const ww_matrix *w, uint32_t panel) {
  const uint8_t *data = w->data + panel * w->panel_bytes;
  if (w->type == WW_DTYPE_Q8_0) {
    unpack_q8(tiles, data, (const uint16_t *)(data + (size_t)w->depth * WW_PANEL),
              w->depth);
    return;
  }
  for (uint32_t k = 0; k < w->depth; k += 2, tiles += k % 32 ? 32 : 544) {
    vf x = column(data, w->type, k, 0), y = column(data, w->type, k + 1, 0);
    vf a = amx_upper(x), b = amx_upper(y);
    amx_pair(tiles, a, b);
    amx_pair(tiles + 512, x - a, y - b);
  }
}

/* ---- products ---- */

typedef struct {
  float *out;
  size_t out_bytes;  /* of a row */
  const uint16_t *x; /* tiles of all rows */
  uint32_t depth;
  const uint16_t *left, *right; /* tiles of two panels; right NULL: one alone */
  uint32_t parts;
} amx_job;

#define AMX_INPUTS(part)                    \
  do {                                      \
    _tile_loadd(4, x + 512 * (part), 64);   \
    if (B)                                  \
      _tile_loadd(5, y + 512 * (part), 64); \
  } while (0)
#define AMX_WEIGHTS(part)                       \
  do {                                          \
    _tile_loadd(6, left + 512 * (part), 64);    \
    if (P == 2)                                 \
      _tile_loadd(7, right + 512 * (part), 64); \
  } while (0)
#define AMX_MULTIPLY()         \
  do {                         \
    _tile_dpbf16ps(0, 4, 6);   \
    if (P == 2)                \
      _tile_dpbf16ps(1, 4, 7); \
    if (B)                     \
      _tile_dpbf16ps(2, 5, 6); \
    if (B && P == 2)           \
      _tile_dpbf16ps(3, 5, 7); \
  } while (0)

/* Rows a (and, where B, the 16 after them) by P panels; the tiles' sums go to `out` at
 * column 0 and 16. */
ALWAYS void amx_tile(const amx_job *j,
                     float *out,
                     const uint16_t *x,
                     bool add,
                     const bool B,
                     const int P) {
  float *below = (float *)((char *)out + 16 * j->out_bytes);
  const uint16_t *left = j->left, *right = j->right,
                 *y = x + (B ? 16 * (size_t)j->depth * j->parts : 0);
  size_t step = 512 * j->parts;
  if (add) {
    _tile_loadd(0, out, j->out_bytes);
    if (P == 2)
      _tile_loadd(1, out + 16, j->out_bytes);
    if (B)
      _tile_loadd(2, below, j->out_bytes);
    if (B && P == 2)
      _tile_loadd(3, below + 16, j->out_bytes);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (uint32_t k = 0; k < j->depth; k += 32, x += step, y += B ? step : 0,
                left += step, right += P == 2 ? step : 0) {
    AMX_INPUTS(0);
    AMX_WEIGHTS(0);
    AMX_MULTIPLY();
    if (j->parts == 1)
      continue;
    AMX_WEIGHTS(1);
    AMX_MULTIPLY();
    AMX_INPUTS(1);
    AMX_WEIGHTS(0);
    AMX_MULTIPLY();
  }
  _tile_stored(0, out, j->out_bytes);
  if (P == 2)
    _tile_stored(1, out + 16, j->out_bytes);
  if (B)
    _tile_stored(2, below, j->out_bytes);
  if (B && P == 2)
    _tile_stored(3, below + 16, j->out_bytes);
}

ALWAYS void
amx_panels(const amx_job *j, uint32_t rows, uint32_t from, bool add, const int P) {
  for (uint32_t r = from; r < rows; r += 32) {
    float *out = (float *)((char *)j->out + r * j->out_bytes);
    const uint16_t *x = j->x + (size_t)r * j->depth * j->parts;
    if (rows - r > 16)
      amx_tile(j, out, x, add, true, P);
    else
      amx_tile(j, out, x, add, false, P);
  }
}

/* All whole 32 rows first, then the rest under its own configuration. */
static void product_amx(const ww_product_job *job) {
  const ww_matrix *w = job->w;
  uint16_t *scratch = job->scratch;
  uint32_t rows = job->rows, last = job->last;
  uint32_t whole = rows / 32 * 32, rest = rows - whole;
  uint32_t parts = ww_matrix_parts(w);
  size_t panel = (size_t)w->depth * WW_PANEL * parts;
  for (int turn = 0; turn < 2; turn++) {
    uint32_t from = turn ? whole : 0, to = turn ? rows : whole;
    if (from == to)
      continue;
    if (turn)
      amx_configure(rest < 16 ? rest : 16, rest > 16 ? rest - 16 : 16);
    else
      amx_configure(16, 16);
    for (uint32_t p = job->first; p < last; p += 2) {
      bool two = p + 1 < last;
      amx_job j = {.out = job->out + (size_t)p * WW_PANEL,
                   .out_bytes = job->out_stride * 4,
                   .x = job->x->bf16,
                   .depth = w->depth,
                   .left = scratch,
                   .parts = parts};
      if (w->tiles || w->type == WW_DTYPE_BF16) {
        j.left = (w->tiles ? w->tiles : (const uint16_t *)w->data) +
                 p * panel; /* BF16 lies as tiles do */
      } else {
        unpack(scratch, w, p);
        if (two)
          unpack(scratch + panel, w, p + 1);
      }
      j.right = j.left + panel;
      if (two)
        amx_panels(&j, to, from, job->add, 2);
      else
        amx_panels(&j, to, from, job->add, 1);
    }
  }
  _tile_release();
}
