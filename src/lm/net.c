/* net.c - memory and state of a model that learns.
 *
 * Everything that lives as long as the net is five or six flat buffers (values in real,
 * values in fp32, two moments, gradients; with LoRA the frozen base) and one block that
 * is carved into all activations. Nothing is allocated in a step. */

#include "../base/random.h"
#include "net_int.h"

enum {
  STAGE = 1 << 24 /* floats that go through the device at once, at most */,
  LOGITS_BYTES = 256 << 20
};

/* ---- the block ---- */

typedef struct {
  char *base; /* NULL: only counted */
  size_t at;
  size_t N, real; /* tokens of the largest batch; bytes of a real */
} carver;

/* Each part fits 64 bits for every configuration that is allowed; their sum may not,
 * and is then more than any device has. */
static void *take(carver *c, size_t bytes) {
  void *p = c->base ? c->base + c->at : NULL;
  if (__builtin_add_overflow(c->at, (bytes + 255) / 256 * 256, &c->at))
    c->at = SIZE_MAX;
  return p;
}

/* [N, width] reals; floats. */
static void *reals(carver *c, size_t width) {
  return take(c, c->N * width * c->real);
}
static float *floats(carver *c, size_t width) {
  return take(c, c->N * width * sizeof(float));
}

static void carve_layer(ww_net *n, carver *k, ww_net_layer *l) {
  const ww_lm_config *c = &n->c;
  l->x = reals(k, c->width);
  l->normed = reals(k, c->width);
  l->qkv_out = reals(k, ww_lora_out(n, WW_LORA_QKV));
  l->att = reals(k, ww_lora_in(n, WW_LORA_O));
  l->mid = reals(k, c->width);
  l->mid_normed = reals(k, c->width);
  l->gu_out = reals(k, ww_lora_out(n, WW_LORA_GU));
  l->act = reals(k, c->hidden);
  l->rstd = floats(k, 1);
  l->mid_rstd = floats(k, 1);
  l->lse = floats(k, c->heads);
  for (uint32_t g = 0; g < WW_LORA_GROUPS && n->opt.lora_rank; g++)
    l->lora[g].t = reals(k, ww_lora_parts(g) * n->opt.lora_rank);
}

/* What one batch needs at its ends, whatever the layers. */
static void carve_heads(ww_net *n, carver *k) {
  const ww_lm_config *c = &n->c;
  size_t N = k->N;
  size_t padded = N + 128;
  size_t real = k->real;
  size_t C = c->width;
  uint64_t chunk = LOGITS_BYTES / (c->vocab * real) / 128 * 128;
  /* of a large vocabulary: fewer passes over its gradient are worth the room */
  n->chunk = chunk = ww_least(ww_most(chunk, 2048), padded);
  n->hidden = take(k, padded * C * real);
  n->dhidden = take(k, padded * C * real);
  n->logits = take(k, chunk * c->vocab * real);
  n->loss = take(k, padded * sizeof(float));
  uint64_t values = ww_most(n->layout.total, n->learned);
  uint64_t outputs = ww_most(chunk * c->vocab, 2 * N * c->numbers);
  n->chunk_f32_n = ww_least(ww_most(values, outputs), STAGE);
  n->chunk_f32 = take(k, n->chunk_f32_n * sizeof(float));
  if (c->numbers) {
    n->ask_hidden = reals(k, C);
    n->number_out = reals(k, 2 * c->numbers);
    n->dnumber = reals(k, 2 * c->numbers);
  }
  if (c->features) {
    n->feature = take(k, N / c->feature_tokens * c->features * real);
    n->described = reals(k, C);
  }
  n->totals = take(k, 4 * sizeof(float));
}

static void carve(ww_net *n, carver *k) {
  const ww_lm_config *c = &n->c;
  size_t C = c->width;
  n->rope = take(k, (size_t)n->tokens * c->head_size * sizeof(float));
  n->device = take(k, n->batch_bytes);
  n->branch = reals(k, C);
  n->x_final = reals(k, C);
  n->final_normed = reals(k, C);
  n->final_rstd = floats(k, 1);
  carve_heads(n, k);
  carver before = *k;
  for (uint32_t l = 0; l < c->layers; l++) {
    if (n->opt.frozen)
      *k = before; /* nothing is kept for a backward pass: all layers use the same room
                    */
    carve_layer(n, k, n->layer + l);
  }
  if (n->opt.frozen)
    return;
  n->dres = reals(k, C);
  n->dnorm = reals(k, C);
  n->dwide = reals(k, ww_most(ww_lora_out(n, WW_LORA_GU), ww_lora_out(n, WW_LORA_QKV)));
  n->dact = reals(k, ww_most(c->hidden, ww_lora_in(n, WW_LORA_O)));
  if (n->opt.lora_rank)
    n->dt = reals(k, WW_LORA_PARTS * n->opt.lora_rank);
}

/* ---- where parameters are ---- */

static ww_net_param learned_at(const ww_net *n, uint64_t place) {
  return (ww_net_param){ww_net_at(n, n->param, place),
                        n->grad ? n->grad + place : NULL};
}

static ww_net_param find(const ww_net *n, ww_param_id id, uint32_t layer) {
  const ww_lm_slot *p = ww_lm_param(&n->layout, id, layer);
  if (!p)
    return (ww_net_param){0};
  if (!n->base)
    return learned_at(n, p->at);
  for (uint32_t i = 0; i < n->nmoved; i++)
    if (p->at == n->moved[i].from)
      return learned_at(n, n->moved[i].to);
  return (ww_net_param){ww_net_at(n, n->base, p->at), NULL};
}

static void bind(ww_net *n) {
  for (uint32_t i = 0; i < n->c.layers; i++) {
    ww_net_layer *l = n->layer + i;
    l->norm_attn = find(n, WW_P_norm_attn, i);
    l->qkv = find(n, WW_P_q, i);
    l->qkv_bias = find(n, WW_P_qb, i);
    l->o = find(n, WW_P_o, i);
    l->norm_mlp = find(n, WW_P_norm_mlp, i);
    l->gu = find(n, WW_P_gate, i);
    l->down = find(n, WW_P_down, i);
  }
  n->embed = find(n, WW_P_embed, 0);
  n->head = n->c.tied ? n->embed : find(n, WW_P_head, 0);
  n->norm_final = find(n, WW_P_norm_final, 0);
  n->feature_w = find(n, WW_P_feature_w, 0);
  n->feature_b = find(n, WW_P_feature_b, 0);
  n->number_w = find(n, WW_P_number_w, 0);
  n->number_b = find(n, WW_P_number_b, 0);
  if (n->opt.lora_rank)
    ww_lora_bind(n, learned_at);
}

/* ---- made and freed ---- */

static bool get(ww_net *n, void **p, uint64_t bytes) {
  return (*p = n->o->alloc(n->o, bytes)) != NULL;
}

/* All of the device's memory, or nothing; *bytes is what it takes, about. */
static bool allocate(ww_net *n, double *bytes) {
  bool learns = !n->opt.frozen, apart = learns && n->o->real != WW_DTYPE_F32;
  carver count = {.N = (size_t)n->rows * n->tokens, .real = n->size};
  carver parts = count;
  carve(n, &count);
  uint64_t values = n->learned * n->size;
  uint64_t floats = n->learned * sizeof(float);
  uint64_t base = n->opt.lora_rank ? n->layout.total * n->size : 0;
  *bytes = (double)count.at +
           (values + base + (learns ? 3 * floats : 0) + (apart ? floats : 0));
  bool ok = get(n, &n->block, count.at) && get(n, &n->param, values);
  if (ok && base)
    ok = get(n, &n->base, base);
  if (ok && learns)
    ok = get(n, (void **)&n->m, floats) && get(n, (void **)&n->v, floats) &&
         get(n, (void **)&n->grad, floats);
  if (ok && apart)
    ok = get(n, (void **)&n->master, floats);
  if (!ok)
    return false;
  if (learns && !apart)
    n->master = n->param;
  parts.base = n->block;
  carve(n, &parts);
  return true;
}

static ww_status check(const ww_lm_config *c,
                       const ww_net_options *opt,
                       uint32_t rows,
                       uint32_t tokens,
                       ww_err *e) {
  ww_status s = ww_lm_config_check(c, e);
  if (s)
    return s;
  if (!rows || !tokens || (uint64_t)rows * tokens > INT32_MAX / 2)
    return ww_fail(
        e, WW_EUSAGE,
        "%u rows of %u tokens: a batch has at least one token and at most a billion",
        rows, tokens);
  if (opt->lora_rank > 4096)
    return ww_fail(e, WW_EUSAGE,
                   "LoRA of rank %u: ranks are 1 to 4096, 8 to 64 as a rule",
                   opt->lora_rank);
  return WW_OK;
}

ww_status ww_net_new(ww_ops *o,
                     const ww_lm_config *c,
                     const ww_net_options *opt,
                     uint32_t rows,
                     uint32_t tokens,
                     ww_net **out,
                     ww_err *e) {
  *out = NULL;
  ww_status s = check(c, opt, rows, tokens, e);
  if (s)
    return s;
  ww_net *n = ww_xcalloc(1, sizeof *n);
  *n = (ww_net){.o = o,
                .c = *c,
                .opt = *opt,
                .rows = rows,
                .tokens = tokens,
                .size = ww_dtype_bytes(o->real, 1)};
  n->arena = ww_arena_new();
  ww_lm_layout_make(c, n->arena, &n->layout);
  n->learned = n->layout.total;
  n->decayed = n->layout.matrices;
  if (opt->lora_rank)
    ww_lora_plan(n);
  n->layer = WW_NEWN(n->arena, ww_net_layer, c->layers);
  n->batch_bytes = ww_net_batch_bytes(n);
  double bytes = 0;
  if (!allocate(n, &bytes)) {
    ww_net_free(n);
    return ww_fail(
        e, WW_ELIMIT,
        "%s: not enough memory for this model and batch, which take %.1f GB: use fewer "
        "rows or LoRA",
        o->name, bytes / 1e9);
  }
  n->host = ww_xcalloc(1, n->batch_bytes);
  n->seen = ww_xcalloc(c->vocab, sizeof *n->seen);
  bind(n);
  float *table = ww_xmalloc((size_t)tokens * c->head_size * sizeof *table);
  ww_lm_rope_table(c, tokens, table);
  o->upload(o, n->rope, table, (size_t)tokens * c->head_size * sizeof *table);
  free(table);
  *out = n;
  return WW_OK;
}

void ww_net_free(ww_net *n) {
  if (!n)
    return;
  ww_ops *o = n->o;
  if (n->master != n->param)
    o->release(o, n->master);
  void *all[] = {n->block, n->param, n->base, n->m, n->v, n->grad};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    o->release(o, all[i]);
  free(n->host);
  free(n->seen);
  ww_arena_free(n->arena);
  free(n);
}

const ww_lm_layout *ww_net_layout(const ww_net *n) {
  return &n->layout;
}
const ww_net_options *ww_net_given(const ww_net *n) {
  return &n->opt;
}
uint64_t ww_net_learned(const ww_net *n) {
  return n->learned;
}

/* A product costs 2 per value and token forward, 4 backward (2 where the matrix is
 * frozen). Attention: two products forward, four backward, half of them masked;
 * recomputation is not counted. */
uint64_t ww_net_flops(const ww_net *n, uint32_t B, uint32_t T) {
  const ww_lm_config *c = &n->c;
  uint64_t C = c->width;
  uint64_t D = c->head_size;
  uint64_t Q = c->heads * D;
  uint64_t KV = c->kv_heads * D;
  uint64_t matrices =
      c->layers * (C * (Q + 2 * KV) + Q * C + 3 * C * c->hidden) + C * c->vocab;
  uint64_t each = n->opt.lora_rank ? 4 * matrices + 6 * n->learned : 6 * matrices;
  return (uint64_t)B * T * (each + 6 * c->layers * Q * T);
}

/* ---- values to and from the host ---- */

/* Values that are not floats there go through chunk_f32, piece by piece. */
static uint64_t piece_of(const ww_net *n, uint64_t left) {
  return n->o->real == WW_DTYPE_F32 ? left : ww_least(left, n->chunk_f32_n);
}

static void store_real(ww_net *n, void *to, const float *from, uint64_t count) {
  ww_ops *o = n->o;
  bool floats = o->real == WW_DTYPE_F32;
  for (uint64_t at = 0, k; at < count; at += k) {
    k = piece_of(n, count - at);
    o->upload(o, floats ? to : n->chunk_f32, from + at, k * sizeof(float));
    if (!floats)
      o->to_real(o, ww_net_at(n, to, at), n->chunk_f32, k);
  }
}

static void load_real(ww_net *n, float *to, const void *from, uint64_t count) {
  ww_ops *o = n->o;
  bool floats = o->real == WW_DTYPE_F32;
  for (uint64_t at = 0, k; at < count; at += k) {
    k = piece_of(n, count - at);
    if (!floats)
      o->to_f32(o, n->chunk_f32, ww_net_at(n, from, at), k);
    o->download(o, to + at, floats ? from : n->chunk_f32, k * sizeof(float));
  }
}

static void store_learned(ww_net *n, uint64_t at, const float *from, uint64_t count) {
  if (!n->master) {
    store_real(n, ww_net_at(n, n->param, at), from, count);
    return;
  }
  n->o->upload(n->o, n->master + at, from, count * sizeof(float));
  if (n->master != n->param)
    n->o->to_real(n->o, ww_net_at(n, n->param, at), n->master + at, count);
}

static void load_learned(ww_net *n, float *to, uint64_t at, uint64_t count) {
  if (n->master)
    n->o->download(n->o, to, n->master + at, count * sizeof(float));
  else
    load_real(n, to, ww_net_at(n, n->param, at), count);
}

static void store_base(ww_net *n, uint64_t at, const float *from, uint64_t count) {
  if (n->base)
    store_real(n, ww_net_at(n, n->base, at), from, count);
  else
    store_learned(n, at, from, count);
}

void ww_net_set_base(ww_net *n, const float *flat) {
  store_base(n, 0, flat, n->layout.total);
  for (uint32_t i = 0; i < n->nmoved; i++)
    store_learned(n, n->moved[i].to, flat + n->moved[i].from, n->moved[i].n);
}

void ww_net_get_base(ww_net *n, float *flat) {
  if (!n->base) {
    load_learned(n, flat, 0, n->layout.total);
    return;
  }
  load_real(n, flat, n->base, n->layout.total);
  for (uint32_t i = 0; i < n->nmoved; i++)
    load_learned(n, flat + n->moved[i].from, n->moved[i].to, n->moved[i].n);
}

static float *state(const ww_net *n, int which) {
  return which == 1 ? n->m : which == 2 ? n->v : which == 3 ? n->grad : NULL;
}

void ww_net_get(ww_net *n, int which, float *flat) {
  if (which == 0)
    load_learned(n, flat, 0, n->learned);
  else if (state(n, which))
    n->o->download(n->o, flat, state(n, which), n->learned * sizeof(float));
  else
    memset(flat, 0, n->learned * sizeof(float));
}

void ww_net_set(ww_net *n, int which, const float *flat) {
  if (which == 0)
    store_learned(n, 0, flat, n->learned);
  else if (state(n, which))
    n->o->upload(n->o, state(n, which), flat, n->learned * sizeof(float));
}

void ww_net_merged(ww_net *n, float *flat) {
  ww_net_get_base(n, flat);
  if (!n->base)
    return;
  float *learned = ww_xmalloc(n->learned * sizeof *learned);
  load_learned(n, learned, 0, n->learned);
  ww_lora_merge(n, learned, flat);
  free(learned);
}

/* ---- the first values ---- */

/* The sum of four uniform values of 16 bits: quick, and the same wherever it is made.
 */
float ww_net_normal(uint64_t seed, uint64_t place) {
  uint64_t x = ww_mix64(seed + (place + 1) * WW_GOLDEN);
  int32_t sum = (int32_t)(x & 0xffff) + (int32_t)(x >> 16 & 0xffff) +
                (int32_t)(x >> 32 & 0xffff) + (x >> 48) - 2 * 0xffff;
  return sum * (1.7320508f / 65536); /* of variance 1/3 before */
}

static float first_scale(const ww_net *n, const ww_lm_slot *p) {
  bool into_residual = p->id == WW_P_o || p->id == WW_P_down;
  if (p->cols == 1)
    return 0; /* a norm or a bias */
  return into_residual ? 0.02f / sqrtf(2 * (float)n->c.layers) : 0.02f;
}

static bool is_norm(ww_param_id id) {
  return id == WW_P_norm_attn || id == WW_P_norm_mlp || id == WW_P_norm_final;
}

static void init_param(
    ww_net *n, const ww_lm_slot *p, uint64_t seed, float *piece, uint64_t piece_n) {
  float scale = first_scale(n, p);
  float middle = is_norm(p->id) ? 1 : 0;
  uint64_t count = p->rows * p->cols;
  for (uint64_t at = 0; at < count; at += piece_n) {
    uint64_t k = ww_least(count - at, piece_n);
    for (uint64_t i = 0; i < k; i++)
      piece[i] = scale > 0 ? scale * ww_net_normal(seed, p->at + at + i) : middle;
    store_base(n, p->at + at, piece, k);
    for (uint32_t m = 0; m < n->nmoved; m++)
      if (n->moved[m].from == p->at)
        store_learned(n, n->moved[m].to + at, piece, k);
  }
}

void ww_net_init(ww_net *n, uint64_t seed) {
  uint64_t piece_n = 1 << 22;
  float *piece = ww_xmalloc(piece_n * sizeof *piece);
  if (n->opt.lora_rank) {
    float *learned = ww_xcalloc(n->learned, sizeof *learned);
    ww_lora_init(n, learned, seed);
    store_learned(n, 0, learned, n->learned);
    free(learned);
  }
  for (uint32_t i = 0; i < n->layout.n; i++)
    init_param(n, n->layout.v + i, seed, piece, piece_n);
  free(piece);
}

/* ---- steps ---- */

void ww_net_seed(ww_net *n, uint64_t seed) {
  n->seed = seed;
}

ww_status ww_net_learn(ww_net *n,
                       const ww_lm_batch *b,
                       double tokens_of_step,
                       double asked_of_step,
                       ww_err *e) {
  if (n->opt.frozen)
    return ww_fail(e, WW_EUSAGE, "this model was opened to be read, not to learn");
  ww_status s = ww_net_batch_send(n, b, e);
  if (s)
    return s;
  n->dropping = n->opt.dropout > 0;
  ww_net_trunk_forward(n);
  ww_net_heads(n, true, tokens_of_step > 0 ? (1 / tokens_of_step) : 0,
               asked_of_step > 0 ? (n->opt.number_weight / asked_of_step) : 0);
  ww_net_trunk_backward(n);
  n->dropping = false;
  return WW_OK;
}

ww_status ww_net_losses(ww_net *n, ww_net_loss *out, ww_err *e) {
  ww_status s = n->o->finish(n->o, e);
  if (s)
    return s;
  float sums[2];
  n->o->download(n->o, sums, n->totals, sizeof sums);
  n->o->zero(n->o, n->totals, sizeof sums);
  *out = (ww_net_loss){.token_loss = n->ntokens ? (double)sums[0] / n->ntokens : 0,
                       .number_loss = n->nasked ? (double)sums[1] / n->nasked : 0,
                       .tokens = n->ntokens,
                       .asked = n->nasked};
  n->ntokens = n->nasked = 0;
  return WW_OK;
}

/* A step of values from .. from + count. */
static void adamw(ww_net *n,
                  const ww_net_update_options *u,
                  uint64_t from,
                  uint64_t count,
                  float decay) {
  n->o->adamw(n->o, &(ww_adamw){.param = ww_net_at(n, n->param, from),
                                .master = n->master + from,
                                .m = n->m + from,
                                .v = n->v + from,
                                .grad = n->grad + from,
                                .squares = n->totals + 2,
                                .n = count,
                                .lr = u->lr,
                                .beta1 = u->beta1,
                                .beta2 = u->beta2,
                                .eps = u->eps,
                                .decay = decay,
                                .clip = u->clip,
                                .step = u->step});
}

ww_status ww_net_reduce(ww_net *n, ww_ranks *r, ww_err *e) {
  return n->opt.frozen ? WW_OK : ww_ranks_sum(r, n->o, n->grad, n->learned, e);
}

void ww_net_update(ww_net *n, const ww_net_update_options *u) {
  if (n->opt.frozen)
    return;
  ww_ops *o = n->o;
  float *squares = n->totals + 2;
  uint64_t d = n->decayed;
  uint64_t rest = n->learned - d;
  o->sum_squares(o, squares, n->grad, n->learned, false);
  if (d)
    adamw(n, u, 0, d, u->decay);
  if (rest)
    adamw(n, u, d, rest, 0);
  o->zero(o, n->grad, n->learned * sizeof(float));
}

float ww_net_norm(ww_net *n) {
  float squares = 0;
  n->o->download(n->o, &squares, n->totals + 2, sizeof squares);
  return sqrtf(squares);
}

static void read_logits(ww_net *n, float *logits) {
  ww_ops *o = n->o;
  uint32_t C = n->c.width;
  uint32_t V = n->c.vocab;
  for (size_t at = 0; at < n->b.N; at += n->chunk) {
    uint32_t k = ww_least(n->b.N - at, n->chunk);
    ww_linear head = ww_dense(n->head.w, k, C, V);
    ww_linear_forward(o, &head, n->logits, ww_net_at(n, n->final_normed, at * C), NULL,
                      false);
    load_real(n, logits + at * V, n->logits, (uint64_t)k * V);
  }
}

ww_status ww_net_forward(
    ww_net *n, const ww_lm_batch *b, float *logits, float *numbers, ww_err *e) {
  ww_status s = ww_net_batch_send(n, b, e);
  if (s)
    return s;
  ww_net_trunk_forward(n);
  ww_net_heads(n, false, 0, 0);
  if (logits)
    read_logits(n, logits);
  if (numbers && n->b.asked)
    load_real(n, numbers, n->number_out, (uint64_t)n->b.asked * 2 * n->c.numbers);
  return n->o->finish(n->o, e);
}
