/* infer.c - opens a model: the exact path keeps fp32 parameters as they are, the fast
 * path lays matrices out for its kernels.
 *
 * The fast path holds one matrix of floats at a time while it reads; a model of n
 * parameters takes n x 34 / 32 bytes as Q8_0. Where the kernels use AMX and the model
 * is small, a second copy of the matrices lies ready as tiles. */
#include "infer_int.h"

/* bytes; larger models unpack tiles at each use */
static const uint64_t MOST_TILES = 1ull << 30;

/* Where parameters come from: files, or all of them in memory (llama2.c). */
typedef struct {
  const ww_weights *w;
  const float *flat;
} origin;

static ww_status read_param(
    const ww_lm *m, const origin *from, const ww_lm_slot *p, float *to, ww_err *e) {
  if (!from->flat)
    return ww_lm_read_param(from->w, &m->c, p, to, e);
  memcpy(to, from->flat + p->at, p->rows * p->cols * sizeof *to);
  return WW_OK;
}

/* ---- fast: shapes, then contents ---- */

/* The mapping that all matrices lie in; base NULL: their bytes are only counted. */
typedef struct {
  char *base;
  size_t used;
  bool tiles;
} block;

static void shape(
    block *b, ww_matrix *x, ww_dtype type, uint32_t panels, uint32_t cols, bool tiles) {
  uint64_t bytes = ww_matrix_shape(x, type, panels, cols);
  if (b->base)
    x->data = (uint8_t *)b->base + b->used;
  b->used += bytes;
  if (!tiles || !b->tiles)
    return;
  if (type == WW_DTYPE_BF16) { /* lies as tiles do */
    x->tiles = (uint16_t *)x->data;
    return;
  }
  if (b->base)
    x->tiles = (uint16_t *)(b->base + b->used);
  b->used += ww_matrix_tiles(x) * sizeof(uint16_t);
}

static uint32_t panels_of(uint32_t rows) {
  return ww_round_up(rows, WW_PANEL) / WW_PANEL;
}

static void shape_all(ww_lm *m, block *b) {
  const ww_lm_config *c = &m->c;
  uint32_t Q = c->heads * c->head_size, K = c->kv_heads * c->head_size;
  m->at_k = ww_round_up(Q, WW_PANEL);
  m->at_v = m->at_k + ww_round_up(K, WW_PANEL);
  m->qkv_width = m->at_v + ww_round_up(K, WW_PANEL);
  shape(b, &m->embed, m->type, panels_of(c->vocab), c->width, true);
  if (!c->tied)
    shape(b, &m->untied, m->type, panels_of(c->vocab), c->width, true);
  for (uint32_t l = 0; l < c->layers; l++) {
    shape(b, &m->layers[l].qkv, m->type, m->qkv_width / WW_PANEL, c->width, true);
    shape(b, &m->layers[l].o, m->type, panels_of(c->width), Q, true);
    shape(b, &m->layers[l].gate_up, m->type, 2 * panels_of(c->hidden), c->width, true);
    shape(b, &m->layers[l].down, m->type, panels_of(c->width), c->hidden, true);
  }
  if (c->numbers)
    shape(b, &m->number, WW_DTYPE_F32, panels_of(2 * c->numbers), c->width, false);
  m->head = c->tied ? &m->embed : &m->untied;
}

static ww_status reserve(ww_lm *m, ww_err *e) {
  bool small = ww_lm_config_params(&m->c) *
                   (m->type == WW_DTYPE_F32 || m->type == WW_DTYPE_F16 ? 4 : 2) <=
               MOST_TILES;
  block b = {.tiles = m->k->unpack && (small || m->type == WW_DTYPE_BF16)};
  m->layers = WW_NEWN(m->arena, ww_lm_layer, m->c.layers);
  shape_all(m, &b);
  m->block_bytes = b.used;
  m->block = ww_lm_map(b.used);
  if (!m->block)
    return ww_fail(e, WW_ELIMIT, "the model's weights take %.1f GB, more than there is",
                   b.used * 1e-9);
  b = (block){m->block, 0, b.tiles};
  shape_all(m, &b);
  return WW_OK;
}

/* Where a matrix of the file goes: panels from `from` on, every `step`-th. */
static ww_matrix *place(ww_lm *m, const ww_lm_slot *p, uint32_t *from, uint32_t *step) {
  ww_lm_layer *l = &m->layers[p->layer];
  *from = 0;
  *step = 1;
  switch (p->id) {
  case WW_P_embed:
    return &m->embed;
  case WW_P_head:
    return &m->untied;
  case WW_P_q:
    return &l->qkv;
  case WW_P_k:
    *from = m->at_k / WW_PANEL;
    return &l->qkv;
  case WW_P_v:
    *from = m->at_v / WW_PANEL;
    return &l->qkv;
  case WW_P_o:
    return &l->o;
  case WW_P_up:
    *from = 1; /* fall through */
  case WW_P_gate:
    *step = 2;
    return &l->gate_up;
  case WW_P_down:
    return &l->down;
  case WW_P_number_w:
    return &m->number;
  default:
    return NULL;
  }
}

static void keep_vector(ww_lm *m, const ww_lm_slot *p, const float *x) {
  ww_lm_layer *l = &m->layers[p->layer];
  if (p->id == WW_P_qb || p->id == WW_P_kb || p->id == WW_P_vb) {
    if (!l->bias)
      l->bias = WW_NEWN(m->arena, float, m->qkv_width);
    uint32_t at = p->id == WW_P_qb ? 0 : p->id == WW_P_kb ? m->at_k : m->at_v;
    memcpy((float *)l->bias + at, x, p->rows * sizeof *x);
    return;
  }
  float *copy = WW_NEWN(m->arena, float, p->rows * p->cols);
  memcpy(copy, x, p->rows * p->cols * sizeof *x);
  switch (p->id) {
  case WW_P_norm_attn:
    l->norm_attn = copy;
    break;
  case WW_P_norm_mlp:
    l->norm_mlp = copy;
    break;
  case WW_P_norm_final:
    m->norm_final = copy;
    break;
  case WW_P_feature_w:
    m->feature_w = copy;
    break;
  case WW_P_feature_b:
    m->feature_b = copy;
    break;
  case WW_P_number_b:
    m->number_b = copy;
    break;
  default:
    break;
  }
}

typedef struct {
  const ww_kernels *k;
  ww_matrix *to;
  uint32_t from, step;
  const float *x;
  uint64_t rows, cols;
} filling;

/* Each thread a share of the rows, whole panels. */
static void fill_share(void *ctx, uint32_t rank, uint32_t size) {
  const filling *f = ctx;
  uint64_t panels = (f->rows + 15) / 16, first = panels * rank / size,
           last = panels * (rank + 1) / size;
  if (first == last)
    return;
  uint64_t row = first * 16, end = ww_least(last * 16, f->rows);
  ww_matrix_fill(f->k, f->to, f->from + first * f->step, f->step, f->x + row * f->cols,
                 end - row, f->cols);
}

typedef struct {
  const ww_kernels *k;
  const ww_matrix *m;
} unpacking;

static void unpack_share(void *ctx, uint32_t rank, uint32_t size) {
  const unpacking *u = ctx;
  uint64_t each = ww_matrix_tiles(u->m) / u->m->panels;
  if (!u->m->tiles || u->m->type == WW_DTYPE_BF16)
    return;
  for (uint32_t p = rank; p < u->m->panels; p += size)
    u->k->unpack(u->m->tiles + p * each, u->m, p);
}

static void unpack_one(ww_lm *m, const ww_matrix *x) {
  ww_team_run(m->team, unpack_share, &(unpacking){m->k, x});
}

static void unpack_all(ww_lm *m) {
  if (!m->embed.tiles)
    return;
  unpack_one(m, &m->embed);
  if (!m->c.tied)
    unpack_one(m, &m->untied);
  for (uint32_t l = 0; l < m->c.layers; l++) {
    const ww_lm_layer *x = m->layers + l;
    unpack_one(m, &x->qkv);
    unpack_one(m, &x->o);
    unpack_one(m, &x->gate_up);
    unpack_one(m, &x->down);
  }
}

static ww_status load_fast(ww_lm *m, const origin *from, ww_err *e) {
  ww_status st = ww_kernels_pick(&m->k, e);
  if (st || (st = reserve(m, e)))
    return st;
  uint64_t most = 0;
  for (uint32_t i = 0; i < m->layout.n; i++) {
    uint64_t n = m->layout.v[i].rows * m->layout.v[i].cols;
    most = ww_most(most, n);
  }
  float *x = ww_lm_map(most * sizeof *x);
  if (!x)
    return ww_fail(e, WW_ELIMIT, "not enough memory to read a matrix of %.1f GB",
                   most * 4e-9);
  for (uint32_t i = 0; i < m->layout.n && !st; i++) {
    const ww_lm_slot *p = m->layout.v + i;
    filling f = {.k = m->k, .x = x, .rows = p->rows, .cols = p->cols};
    if ((st = read_param(m, from, p, x, e)))
      break;
    f.to = place(m, p, &f.from, &f.step);
    if (f.to)
      ww_team_run(m->team, fill_share, &f);
    else
      keep_vector(m, p, x);
  }
  ww_lm_unmap(x, most * sizeof *x);
  if (!st)
    unpack_all(m);
  return st;
}

/* ---- exact ---- */

static ww_status load_exact(ww_lm *m, const origin *from, ww_err *e) {
  m->flat = ww_lm_map(m->layout.total * sizeof *m->flat);
  if (!m->flat)
    return ww_fail(e, WW_ELIMIT, "the model takes %.1f GB as fp32, more than there is",
                   m->layout.total * 4e-9);
  if (!from->flat)
    return ww_lm_read_params(from->w, &m->c, &m->layout, m->flat, e);
  memcpy(m->flat, from->flat, m->layout.total * sizeof *m->flat);
  return WW_OK;
}

/* ---- opening ---- */

/* What the matrices become: as asked, else as most of the file's are; what the kernels
 * do not read becomes F32. */
static ww_dtype pick_type(const ww_lm_options *o, const ww_weights *w) {
  const ww_tensor *t = NULL;
  if (o && o->weights <= WW_DTYPE_Q8_0)
    return o->weights;
  if (w && !(t = ww_weights_find(w, "blk.0.attn_q.weight")))
    t = ww_weights_find(w, "model.layers.0.self_attn.q_proj.weight");
  return t && t->type <= WW_DTYPE_Q8_0 ? t->type : WW_DTYPE_F32;
}

static ww_status load(ww_lm *m, const char *path, const ww_lm_options *o, ww_err *e) {
  ww_weights *w = NULL;
  float *flat = NULL;
  const char *tokenizer = NULL;
  ww_status st;
  if (ww_llama2c_is(path)) {
    if ((st = ww_llama2c_read(path, &m->c, m->arena, &m->layout, &flat, e)))
      return st;
    const char *beside =
        ww_path_join(m->arena, ww_path_dir(m->arena, path), "tokenizer.bin");
    if (ww_file_exists(beside))
      tokenizer = beside;
  } else {
    if ((st = ww_lm_open_files(path, m->arena, &w, &m->c, &tokenizer, e)))
      return st;
    ww_lm_layout_make(&m->c, m->arena, &m->layout);
  }
  m->type = pick_type(o, w);
  m->team = ww_team_new(o ? o->threads : 0);
  origin from = {w, flat};
  st = m->path == &ww_lm_exact ? load_exact(m, &from, e) : load_fast(m, &from, e);
  if (!st && tokenizer)
    st = ww_tokenizer_open(tokenizer, &m->tokenizer, e);
  if (!st && m->tokenizer && ww_tokenizer_vocab(m->tokenizer) > m->c.vocab)
    st = ww_fail(
        e, WW_EDATA,
        "%s: the tokenizer has %u ids, the model %u: they do not belong together", path,
        ww_tokenizer_vocab(m->tokenizer), m->c.vocab);
  ww_weights_close(w);
  free(flat);
  return st;
}

ww_status ww_lm_open(const char *path, const ww_lm_options *o, ww_lm **out, ww_err *e) {
  ww_lm *m = ww_xcalloc(1, sizeof *m);
  *out = NULL;
  m->arena = ww_arena_new();
  m->path = o && o->exact ? &ww_lm_exact : &ww_lm_fast;
  ww_status st = load(m, path, o, e);
  if (st)
    ww_lm_close(m);
  else
    *out = m;
  return st;
}

void ww_lm_close(ww_lm *m) {
  if (!m)
    return;
  ww_team_free(m->team);
  ww_tokenizer_free(m->tokenizer);
  ww_lm_unmap(m->flat, m->layout.total * sizeof *m->flat);
  ww_lm_unmap(m->block, m->block_bytes);
  ww_arena_free(m->arena);
  free(m);
}

const ww_lm_config *ww_lm_config_of(const ww_lm *m) {
  return &m->c;
}
const ww_tokenizer *ww_lm_tokenizer(const ww_lm *m) {
  return m->tokenizer;
}
