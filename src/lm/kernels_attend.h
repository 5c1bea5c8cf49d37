/* kernels_attend.h - attention for kernels_isa.c: softmax of the scores on the way, 64
 * positions at a time, several queries together.
 *
 * Keys and values are half precision; a chunk of them is turned into floats once and
 * used by up to ITEM_ROWS queries. Scores beyond a query's own position are never used:
 * they may come from tokens that were cut away. */

enum { CHUNK = 64, ITEM_ROWS = 32 };

typedef struct {
  float *keys;   /* [CHUNK / 16][size][16] */
  float *values; /* [CHUNK][stride] */
  float *q;      /* [ITEM_ROWS / ATTEND_ROWS][size][ATTEND_ROWS] */
  float *out;    /* [ITEM_ROWS][stride] */
  float *scores; /* [ATTEND_ROWS][CHUNK] */
  float most[ITEM_ROWS], sum[ITEM_ROWS];
  uint32_t stride; /* size, up to a multiple of 16 */
} attend_state;

/* scores[r][0..16 P) of R queries and P panels of keys. `half`: keys as they lie in the
 * cache. */
ALWAYS void attend_scores(float *scores,
                          const float *q,
                          const void *keys,
                          size_t size,
                          const int R,
                          const int P,
                          const bool half) {
  vf sum[4][NV][ATTEND_ROWS];
  EACH(p, P) EACH(v, NV) EACH(r, R) sum[p][v][r] = vf_all(0);
  for (size_t d = 0; d < size; d++) {
    vf k[4][NV];
    EACH(p, P) EACH(v, NV) {
      size_t at = (p * size + d) * 16 + VW * v;
      k[p][v] = half ? vf_half((const uint16_t *)keys + at)
                     : vf_load((const float *)keys + at);
    }
    EACH(r, R) EACH(p, P) EACH(v, NV) sum[p][v][r] += k[p][v] * q[d * R + r];
  }
  EACH(p, P)
  EACH(v, NV) EACH(r, R) vf_store(scores + r * CHUNK + 16 * p + VW * v, sum[p][v][r]);
}

/* One row's scores, of which `valid` count, become weights; returns what its sums so
 * far are multiplied by. */
static float attend_softmax(float *scores, uint32_t valid, float *most, float *sum) {
  uint32_t end = ww_round_up(valid, 16);
  for (uint32_t j = valid; j < end; j++)
    scores[j] = -INFINITY;
  vf m = vf_all(*most);
  for (uint32_t j = 0; j < end; j += VW)
    m = vf_max(m, vf_load(scores + j));
  float top = vf_most(m), by = *most == top ? 1.0f : expf(*most - top);
  vf s = vf_all(0);
  for (uint32_t j = 0; j < end; j += VW) {
    vf p = vf_exp(vf_load(scores + j) - top);
    vf_store(scores + j, p);
    s += p;
  }
  *sum = *sum * by + vf_sum(s);
  *most = top;
  for (uint32_t j = valid; j < CHUNK; j++)
    scores[j] = 0;
  return by;
}

/* out[r] = out[r] * by[r] + sum over n positions of weight x value, R rows and two
 * vectors at a time. */
ALWAYS void attend_values(float *out,
                          const float *scores,
                          const float *by,
                          const float *values,
                          size_t n,
                          size_t stride,
                          const int R) {
  size_t d = 0;
  for (; d + 2 * VW <= stride; d += 2 * VW) {
    vf a[ATTEND_ROWS], b[ATTEND_ROWS];
    EACH(r, R) {
      a[r] = vf_load(out + r * stride + d) * by[r];
      b[r] = vf_load(out + r * stride + d + VW) * by[r];
    }
    for (size_t j = 0; j < n; j++) {
      const float *v = values + j * stride + d;
      vf x = vf_load(v), y = vf_load(v + VW);
      EACH(r, R) {
        a[r] += x * scores[r * CHUNK + j];
        b[r] += y * scores[r * CHUNK + j];
      }
    }
    EACH(r, R) {
      vf_store(out + r * stride + d, a[r]);
      vf_store(out + r * stride + d + VW, b[r]);
    }
  }
  for (; d < stride; d += VW) {
    vf a[ATTEND_ROWS];
    EACH(r, R) a[r] = vf_load(out + r * stride + d) * by[r];
    for (size_t j = 0; j < n; j++) {
      vf x = vf_load(values + j * stride + d);
      EACH(r, R) a[r] += x * scores[r * CHUNK + j];
    }
    EACH(r, R) vf_store(out + r * stride + d, a[r]);
  }
}

/* The same for one row with values as they lie in the cache. */
static void attend_values_half(float *out,
                               const float *scores,
                               float by,
                               const uint16_t *values,
                               uint32_t n,
                               size_t stride) {
  for (uint32_t d = 0; d < stride; d += VW) {
    vf s[4] = {vf_load(out + d) * by, vf_all(0), vf_all(0), vf_all(0)};
    const uint16_t *v = values + d;
    uint32_t j = 0;
    for (; j + 4 <= n; j += 4, v += 4 * stride)
      EACH(k, 4) s[k] += vf_half(v + k * stride) * scores[j + k];
    for (; j < n; j++, v += stride)
      s[0] += vf_half(v) * scores[j];
    vf_store(out + d, s[0] + s[1] + (s[2] + s[3]));
  }
}

static uint32_t row_position(const ww_attention *a, uint32_t row) {
  return a->pos + row / a->group;
}

static void attend_one(const ww_attention *a, uint32_t row, attend_state *s) {
  size_t positions = row_position(a, row) + 1, size = a->size, stride = s->stride;
  const float *q = a->q + row / a->group * a->q_token + row % a->group * a->q_head;
  memset(s->out, 0, stride * sizeof *s->out);
  s->most[0] = -INFINITY;
  s->sum[0] = 0;
  for (size_t at = 0; at < positions; at += CHUNK) {
    uint32_t n = ww_least(positions - at, CHUNK);
    const uint16_t *k = a->keys + at * size;
    if (n > 48)
      attend_scores(s->scores, q, k, size, 1, 4, true);
    else
      for (uint32_t p = 0; 16 * p < n; p++)
        attend_scores(s->scores + 16 * p, q, k + p * 16 * size, size, 1, 1, true);
    float by = attend_softmax(s->scores, n, &s->most[0], &s->sum[0]);
    attend_values_half(s->out, s->scores, by, a->values + at * stride, n, stride);
  }
  float *out = a->out + row / a->group * a->out_token + row % a->group * a->out_head;
  for (uint32_t d = 0; d < size; d++)
    out[d] = s->out[d] / s->sum[0];
}

/* One block of queries against the chunk that begins at position `at`. */
static void attend_block(const ww_attention *a,
                         uint32_t first,
                         uint32_t block,
                         uint32_t rows,
                         uint32_t at,
                         attend_state *s) {
  enum { R = ATTEND_ROWS, P = ATTEND_PANELS };
  size_t from = block * R, size = a->size;
  uint32_t n = 0, valid[R];
  float by[R];
  for (uint32_t r = 0; r < R; r++) {
    uint32_t row = from + r < rows ? from + r : rows - 1,
             end = row_position(a, first + row) + 1;
    valid[r] = end <= at ? 0 : ww_least(end - at, CHUNK);
    n = ww_most(n, valid[r]);
  }
  if (!n)
    return;
  for (uint32_t p = 0; 16 * p < n; p += P)
    attend_scores(s->scores + 16 * p, s->q + from * size, s->keys + p * 16 * size, size,
                  R, P, false);
  for (uint32_t r = 0; r < R; r++) {
    by[r] = 1;
    if (valid[r])
      by[r] = attend_softmax(s->scores + r * CHUNK, valid[r], &s->most[from + r],
                             &s->sum[from + r]);
    else
      memset(s->scores + r * CHUNK, 0, CHUNK * sizeof *s->scores);
  }
  attend_values(s->out + from * s->stride, s->scores, by, s->values, n, s->stride, R);
}

/* Up to ITEM_ROWS rows from `first` on. Rows that fill up the last block repeat the
 * last one. */
static void
attend_item(const ww_attention *a, uint32_t first, uint32_t rows, attend_state *s) {
  enum { R = ATTEND_ROWS };
  size_t size = a->size, stride = s->stride, blocks = (rows + R - 1) / R;
  for (uint32_t r = 0; r < blocks * R; r++) {
    uint32_t row = first + (r < rows ? r : rows - 1);
    const float *q = a->q + row / a->group * a->q_token + row % a->group * a->q_head;
    for (uint32_t d = 0; d < size; d++)
      s->q[r / R * R * size + d * R + r % R] = q[d];
    s->most[r] = -INFINITY;
    s->sum[r] = 0;
  }
  memset(s->out, 0, blocks * R * stride * sizeof *s->out);
  uint32_t positions = row_position(a, first + rows - 1) + 1;
  for (size_t at = 0; at < positions; at += CHUNK) {
    size_t n = ww_least(positions - at, CHUNK), panels = (n + 15) / 16;
    for (size_t i = 0; i < panels * 16 * size; i += VW)
      vf_store(s->keys + i, vf_half(a->keys + at * size + i));
    for (size_t i = 0; i < n * stride; i += VW)
      vf_store(s->values + i, vf_half(a->values + at * stride + i));
    for (uint32_t b = 0; b < blocks; b++)
      attend_block(a, first, b, rows, at, s);
  }
  for (uint32_t r = 0; r < rows; r++) {
    float *out = a->out + (first + r) / a->group * a->out_token +
                 (first + r) % a->group * a->out_head;
    for (uint32_t d = 0; d < size; d++)
      out[d] = s->out[r * stride + d] / s->sum[r];
  }
}

static void attend(const ww_attention *a, void *scratch) {
  float *f = scratch;
  attend_state s = {.stride = ww_round_up(a->size, 16)};
  s.keys = f;
  f += CHUNK * a->size;
  s.values = f;
  f += CHUNK * s.stride;
  s.q = f;
  f += ITEM_ROWS * a->size;
  s.out = f;
  f += ITEM_ROWS * s.stride;
  s.scores = f;
  for (uint32_t r = 0; r < a->rows; r += ITEM_ROWS) {
    uint32_t rows = ww_least(a->rows - r, ITEM_ROWS);
    if (rows <= ATTEND_ROWS / 4)
      for (uint32_t i = 0; i < rows; i++)
        attend_one(a, r + i, &s);
    else
      attend_item(a, r, rows, &s);
  }
}
