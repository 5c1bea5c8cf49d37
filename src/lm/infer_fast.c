/* infer_fast.c - one step over the kernels: every thread of the team walks through the
 * layers, with a barrier where one needs what others made.
 *
 * Few rows (decoding): each thread prepares the inputs for itself and takes a fixed
 * share of the panels; five barriers a layer. Many rows: inputs are prepared once,
 * shares are taken from a counter. In the last layer only the rows whose outputs are
 * wanted go on behind the attention. Keys and values: [sequence][layer][kv_head] {
 * keys, values } in half precision, as kernels.h lays them out. */
#include "infer_int.h"

#include <stdatomic.h>

enum { FEW = 2, ITEM_TOKENS = 32 };

/* Rows that follow one another in a sequence: row `row` of the step is at position pos;
 * outputs go to row `to`. */
typedef struct {
  uint32_t row, to, n, pos, sequence;
} span;

typedef struct {
  ww_lm_session *s;
  float *logits, *numbers; /* where the products write: the caller's, or padded below */
  size_t logits_stride;
  uint32_t x_stride, gate_stride, number_stride;
  float *x, *narrow; /* [rows][x_stride]: the stream; narrow: of the wanted rows */
  float *qkv;        /* [rows][qkv_width] */
  float *attended;   /* [rows][heads x head_size] */
  float *gate_up;    /* [rows][gate_stride] */
  float *padded;     /* [rows][vocab, up to a panel]; where the vocabulary is no whole
                        number of panels */
  float *numbers_padded;
  ww_inputs in, in_numbers, *own; /* shared; of the numbers head; [threads][FEW] */
  void **scratch;                 /* [threads] */
  float **temp;                   /* [threads][widest] */
  span *spans, *last;             /* [rows] each */
  uint32_t nspans, nlast;
  _Atomic uint32_t *next; /* [stages]: shares taken */
  uint32_t stages;
  void *block;
  size_t block_bytes;
} work;

/* One thread's way through a step. */
typedef struct {
  work *w;
  const ww_lm *m;
  uint32_t rank, size, stage;
  uint32_t rows; /* of the stream; fewer after the last attention */
  float *x;
  ww_inputs in; /* of the product at hand */
} walk;

static void barrier(const walk *t) {
  ww_team_barrier(t->m->team);
}

static uint16_t *
keys_of(const ww_lm_session *s, size_t sequence, uint32_t layer, uint32_t head) {
  const ww_lm_config *c = &s->m->c;
  size_t room = ww_round_up(s->tokens, 16),
         part = room * (c->head_size + ww_round_up(c->head_size, 16));
  return (uint16_t *)s->cache +
         ((sequence * c->layers + layer) * c->kv_heads + head) * part;
}

static uint16_t *
values_of(const ww_lm_session *s, uint32_t sequence, uint32_t layer, uint32_t head) {
  return keys_of(s, sequence, layer, head) +
         ww_round_up(s->tokens, 16) * s->m->c.head_size;
}

/* ---- shares ---- */

/* The next [*from, *to) of n things, `each` at a time; every thread calls it until it
 * says no, then goes to the next stage. */
static bool take(walk *t, uint32_t n, uint32_t each, uint32_t *from, uint32_t *to) {
  uint32_t at =
      atomic_fetch_add_explicit(&t->w->next[t->stage], each, memory_order_relaxed);
  if (at >= n) {
    t->stage++;
    return false;
  }
  *from = at;
  *to = at + ww_least(n - at, each);
  return true;
}

static void share(const walk *t, size_t n, uint32_t *from, uint32_t *to) {
  *from = n * t->rank / t->size;
  *to = n * (t->rank + 1) / t->size;
}

/* Pairs of panels from .. to. */
static void multiply(const walk *t, ww_product_job *j, uint32_t from, uint32_t to) {
  j->first = 2 * from;
  j->last = ww_least(2 * to, j->w->panels);
  t->m->k->product(j);
}

static void product(walk *t,
                    float *out,
                    size_t stride,
                    const ww_inputs *in,
                    uint32_t rows,
                    const ww_matrix *w,
                    bool add) {
  uint32_t pairs = (w->panels + 1) / 2, from, to;
  ww_product_job j = {.out = out,
                      .out_stride = stride,
                      .x = in,
                      .rows = rows,
                      .w = w,
                      .add = add,
                      .scratch = t->w->scratch[t->rank]};
  if (rows <= FEW || t->size == 1) {
    share(t, pairs, &from, &to);
    multiply(t, &j, from, to);
    return;
  }
  uint32_t at_once = pairs / (4 * t->size);
  while (take(t, pairs, ww_most(at_once, 1), &from, &to))
    multiply(t, &j, from, to);
}

/* ---- inputs of products ---- */

typedef enum { NORMED, ATTENDED, GATED } source;

static void make_input(
    walk *t, ww_inputs *in, source from, size_t row, const float *norm, uint32_t n) {
  work *w = t->w;
  const ww_kernels *k = t->m->k;
  float *temp = w->temp[t->rank];
  const float *x = temp;
  if (from == NORMED)
    k->rmsnorm(temp, t->x + row * w->x_stride, norm, t->m->c.norm_eps, n);
  else if (from == GATED)
    k->swiglu(temp, w->gate_up + row * w->gate_stride, n);
  else
    x = w->attended + row * n;
  k->prepare(in, row, x, n);
}

/* Rows as the product with `weights` wants them: of this thread alone, or everybody's
 * behind a barrier. */
static const ww_inputs *
inputs(walk *t, source from, const float *norm, uint32_t n, const ww_matrix *weights) {
  bool few = t->rows <= FEW;
  uint32_t first = 0, last = t->rows;
  t->in = few ? t->w->own[t->rank] : t->w->in;
  t->in.form = t->m->k->form(weights->type, t->rows);
  t->in.depth = weights->depth;
  if (!few)
    share(t, t->rows, &first, &last);
  for (uint32_t r = first; r < last; r++)
    make_input(t, &t->in, from, r, norm, n);
  if (!few)
    barrier(t);
  return &t->in;
}

/* ---- attention ---- */

/* Bias, rotation and cache of one row and one key/value head. Scores need q /
 * sqrt(size): done here. */
static void finish_head(walk *t, uint32_t layer, size_t row, size_t head) {
  const ww_lm *m = t->m;
  const ww_lm_session *s = t->w->s;
  size_t size = m->c.head_size, group = m->c.heads / m->c.kv_heads,
         pos = s->step.pos[row], sequence = s->step.sequence[row];
  float *x = t->w->qkv + row * m->qkv_width, *q = x + head * group * size;
  float *k = x + m->at_k + head * size, *v = x + m->at_v + head * size;
  const float *cos = s->cos + pos * (size / 2), *sin = s->sin + pos * (size / 2);
  const float *bias = m->layers[layer].bias;
  if (bias) {
    for (uint32_t i = 0; i < group * size; i++)
      q[i] += bias[head * group * size + i];
    for (uint32_t i = 0; i < size; i++)
      k[i] += bias[m->at_k + head * size + i];
    for (uint32_t i = 0; i < size; i++)
      v[i] += bias[m->at_v + head * size + i];
  }
  for (size_t h = 0; h < group; h++)
    m->k->rope(q + h * size, cos, sin, 1.0f / sqrtf(size), size);
  m->k->rope(k, cos, sin, 1.0f, size);
  m->k->store_key(keys_of(s, sequence, layer, head), k, pos, size);
  m->k->store_value(values_of(s, sequence, layer, head), v, pos, size);
}

static void attend_span(walk *t, uint32_t layer, const span *p, size_t head) {
  const ww_lm *m = t->m;
  work *w = t->w;
  uint32_t size = m->c.head_size, group = m->c.heads / m->c.kv_heads,
           out_stride = m->c.heads * size;
  ww_attention a = {.q = w->qkv + (size_t)p->row * m->qkv_width + head * group * size,
                    .out =
                        w->attended + (size_t)p->to * out_stride + head * group * size,
                    .q_token = m->qkv_width,
                    .q_head = size,
                    .out_token = out_stride,
                    .out_head = size,
                    .rows = p->n * group,
                    .group = group,
                    .pos = p->pos,
                    .size = size,
                    .keys = keys_of(w->s, p->sequence, layer, head),
                    .values = values_of(w->s, p->sequence, layer, head)};
  m->k->attend(&a, w->scratch[t->rank]);
}

/* After it the stream holds `spans`' rows only: all, or in the last layer the wanted
 * ones. */
static void attention(walk *t, uint32_t layer) {
  const ww_lm *m = t->m;
  work *w = t->w;
  const ww_lm_layer *l = m->layers + layer;
  bool narrow = layer + 1 == m->c.layers;
  const span *spans = narrow ? w->last : w->spans;
  uint32_t n = narrow ? w->nlast : w->nspans, heads = m->c.kv_heads, from, to;
  product(t, w->qkv, m->qkv_width, inputs(t, NORMED, l->norm_attn, m->c.width, &l->qkv),
          t->rows, &l->qkv, false);
  barrier(t);
  if (t->rows <= FEW) {
    for (uint32_t h = t->rank; h < heads; h += t->size) {
      for (uint32_t r = 0; r < t->rows; r++)
        finish_head(t, layer, r, h);
      for (size_t i = 0; i < n; i++)
        attend_span(t, layer, spans + i, h);
    }
  } else {
    share(t, t->rows, &from, &to);
    for (uint32_t r = from; r < to; r++)
      for (uint32_t h = 0; h < heads; h++)
        finish_head(t, layer, r, h);
    barrier(t);
    /* the longest first: they come last in a prompt */
    while (take(t, n * heads, 1, &from, &to))
      attend_span(t, layer, spans + n - 1 - from / heads, from % heads);
  }
  if (narrow) {
    uint32_t wanted = w->s->step.nwanted;
    for (size_t i = t->rank; i < wanted; i += t->size)
      memcpy(w->narrow + i * w->x_stride,
             w->x + (size_t)w->s->step.wanted[i] * w->x_stride,
             w->x_stride * sizeof(float));
    t->rows = wanted;
    t->x = w->narrow;
  }
  barrier(t);
  if (!t->rows)
    return;
  product(t, t->x, w->x_stride,
          inputs(t, ATTENDED, NULL, m->c.heads * m->c.head_size, &l->o), t->rows, &l->o,
          true);
  barrier(t);
}

static void mlp(walk *t, uint32_t layer) {
  work *w = t->w;
  const ww_lm_layer *l = t->m->layers + layer;
  product(t, w->gate_up, w->gate_stride,
          inputs(t, NORMED, l->norm_mlp, t->m->c.width, &l->gate_up), t->rows,
          &l->gate_up, false);
  barrier(t);
  product(t, t->x, w->x_stride, inputs(t, GATED, NULL, t->m->c.hidden, &l->down),
          t->rows, &l->down, true);
  barrier(t);
}

static void heads(walk *t) {
  work *w = t->w;
  const ww_lm *m = t->m;
  const ww_inputs *in = inputs(t, NORMED, m->norm_final, m->c.width, m->head);
  if (w->logits)
    product(t, w->logits, w->logits_stride, in, t->rows, m->head, false);
  if (!w->numbers || t->rank)
    return;
  for (uint32_t r = 0; r < t->rows; r++)
    make_input(t, &w->in_numbers, NORMED, r, m->norm_final, m->c.width);
  m->k->product(&(ww_product_job){.out = w->numbers,
                                  .out_stride = w->number_stride,
                                  .x = &w->in_numbers,
                                  .rows = t->rows,
                                  .w = &m->number,
                                  .last = m->number.panels,
                                  .scratch = w->scratch[0]});
}

static void step(void *ctx, uint32_t rank, uint32_t size) {
  work *w = ctx;
  ww_lm_session *s = w->s;
  walk t = {
      .w = w, .m = s->m, .rank = rank, .size = size, .rows = s->step.n, .x = w->x};
  uint32_t from, to;
  share(&t, t.rows, &from, &to);
  for (size_t r = from; r < to; r++) {
    float *x = w->x + r * w->x_stride;
    s->m->k->row(x, &s->m->embed, s->step.token[r], s->m->c.width);
    if (ww_lm_described(s, r))
      ww_lm_add_features(s, r, s->m->feature_w, s->m->feature_b, x);
  }
  barrier(&t);
  for (uint32_t l = 0; l < s->m->c.layers; l++) {
    attention(&t, l);
    if (!t.rows)
      return;
    mlp(&t, l);
  }
  heads(&t);
}

/* ---- a step ---- */

/* Spans of up to ITEM_TOKENS rows; rows NULL: all n, else these. */
static uint32_t
find_spans(span *to, const ww_lm_step *st, const uint32_t *rows, uint32_t n) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t r = rows ? rows[i] : i;
    span *p = count ? to + count - 1 : NULL;
    if (p && p->row + p->n == r && p->sequence == st->sequence[r] &&
        p->pos + p->n == st->pos[r] && p->n < ITEM_TOKENS)
      p->n++;
    else
      to[count++] = (span){r, i, 1, st->pos[r], st->sequence[r]};
  }
  return count;
}

static void run_step(ww_lm_session *s, float *logits, float *numbers) {
  work *w = s->work;
  const ww_lm_config *c = &s->m->c;
  const ww_lm_step *st = &s->step;
  bool pad = c->vocab % WW_PANEL;
  w->logits = pad && logits ? w->padded : logits;
  w->logits_stride = pad ? ww_round_up(c->vocab, WW_PANEL) : c->vocab;
  w->numbers = numbers ? w->numbers_padded : NULL;
  w->nspans = find_spans(w->spans, st, NULL, st->n);
  w->nlast = find_spans(w->last, st, st->wanted, st->nwanted);
  memset(w->next, 0, w->stages * sizeof *w->next);
  ww_team_run(s->m->team, step, w);
  for (size_t i = 0; i < st->nwanted; i++) {
    if (pad && logits)
      memcpy(logits + i * c->vocab, w->padded + i * w->logits_stride,
             c->vocab * sizeof *logits);
    for (uint32_t k = 0; numbers && k < 2 * c->numbers; k++)
      numbers[i * 2 * c->numbers + k] =
          w->numbers[i * w->number_stride + k] + s->m->number_b[k];
  }
}

/* ---- memory ---- */

static size_t cache_bytes(const ww_lm *m, uint32_t tokens) {
  size_t part =
      ww_round_up(tokens, 16) * (m->c.head_size + ww_round_up(m->c.head_size, 16));
  return (size_t)m->c.layers * m->c.kv_heads * part * sizeof(uint16_t);
}

/* Buffers are carved from one mapping in two walks: the first only counts. */
typedef struct {
  char *at;
  size_t used;
} carver;

static void *carve(carver *v, size_t bytes) {
  void *p = v->at ? v->at + v->used : NULL;
  v->used += ww_round_up(bytes, 64);
  return p;
}

static void carve_inputs(carver *v, ww_inputs *in, size_t rows, size_t depth) {
  in->f32 = carve(v, rows * depth * 4); /* one form at a time: they share the memory */
  in->bf16 = (uint16_t *)in->f32;
  in->q = (int8_t *)in->f32;
  in->scale = in->f32 ? in->f32 + rows * depth / 4 : NULL;
  in->less = in->scale ? (int32_t *)in->scale + rows * depth / 32 : NULL;
}

static void carve_work(carver *v, work *w, const ww_lm *m, size_t rows) {
  const ww_lm_config *c = &m->c;
  uint32_t Q = c->heads * c->head_size, threads = ww_team_size(m->team);
  uint32_t widest = ww_round_up(ww_most(Q, ww_most(c->hidden, c->width)), WW_DEPTH);
  w->x = carve(v, rows * w->x_stride * 4);
  w->narrow = carve(v, rows * w->x_stride * 4);
  w->qkv = carve(v, rows * m->qkv_width * 4);
  w->attended = carve(v, rows * Q * 4);
  w->gate_up = carve(v, rows * w->gate_stride * 4);
  w->padded =
      carve(v, c->vocab % WW_PANEL ? rows * ww_round_up(c->vocab, WW_PANEL) * 4 : 0);
  w->numbers_padded = carve(v, rows * w->number_stride * 4);
  carve_inputs(v, &w->in, rows, widest);
  carve_inputs(v, &w->in_numbers, c->numbers ? rows : 1,
               ww_round_up(c->width, WW_DEPTH));
  w->in_numbers.form = WW_FORM_F32;
  w->in_numbers.depth = ww_round_up(c->width, WW_DEPTH);
  for (uint32_t i = 0; i < threads; i++) {
    carve_inputs(v, w->own + i, FEW, widest);
    w->scratch[i] = carve(v, ww_scratch_bytes(widest, c->head_size));
    w->temp[i] = carve(v, widest * 4);
    carve(v, 64); /* threads write apart */
  }
  w->spans = carve(v, rows * sizeof *w->spans);
  w->last = carve(v, rows * sizeof *w->last);
  w->next = carve(v, w->stages * sizeof *w->next);
}

static bool make_work(ww_lm_session *s) {
  const ww_lm *m = s->m;
  uint32_t threads = ww_team_size(m->team);
  work *w = s->work = ww_xcalloc(1, sizeof *w);
  w->s = s;
  w->x_stride = ww_round_up(m->c.width, WW_DEPTH);
  w->gate_stride = 2 * ww_round_up(m->c.hidden, WW_PANEL);
  w->number_stride = ww_round_up(2 * m->c.numbers, WW_PANEL);
  w->stages = m->c.layers * 8 + 8;
  w->own = ww_xcalloc(threads, sizeof *w->own);
  w->scratch = ww_xcalloc(threads, sizeof *w->scratch);
  w->temp = ww_xcalloc(threads, sizeof *w->temp);
  carver v = {0};
  carve_work(&v, w, m, WW_STEP_ROWS);
  w->block_bytes = v.used;
  if (!(w->block = ww_lm_map(v.used)))
    return false;
  v = (carver){w->block, 0};
  carve_work(&v, w, m, WW_STEP_ROWS);
  return true;
}

static void free_work(ww_lm_session *s) {
  work *w = s->work;
  if (!w)
    return;
  ww_lm_unmap(w->block, w->block_bytes);
  free(w->own);
  free(w->scratch);
  free(w->temp);
  free(w);
}

const struct ww_lm_path ww_lm_fast = {cache_bytes, make_work, free_work, run_step};
