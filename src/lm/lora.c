/* lora.c - low-rank adapters on the matrices of every layer: a matrix W acts as W +
 * (alpha / rank) B A, and only A and B learn.
 *
 * Matrices that share an input (q k v; gate up) have their A's behind one another, so
 * that one product makes t = scale * inp . A^T for all of them; t is kept, it is what
 * the gradient of B needs. On disk they are as peft writes them. */
#include <sys/stat.h>

#include "../base/json_put.h"
#include "net_int.h"

enum { ALIGN = 64 };

uint32_t ww_lora_parts(ww_lora_group g) {
  return g == WW_LORA_QKV ? 3 : g == WW_LORA_GU ? 2 : 1;
}

uint32_t ww_lora_in(const ww_net *n, ww_lora_group g) {
  return g == WW_LORA_O      ? n->c.heads * n->c.head_size
         : g == WW_LORA_DOWN ? n->c.hidden
                             : n->c.width;
}

static uint32_t out_of(const ww_net *n, ww_lora_group g, uint32_t part) {
  if (g == WW_LORA_QKV)
    return (part ? n->c.kv_heads : n->c.heads) * n->c.head_size;
  return g == WW_LORA_GU ? n->c.hidden : n->c.width;
}

uint32_t ww_lora_out(const ww_net *n, ww_lora_group g) {
  uint32_t rows = 0;
  for (uint32_t p = 0; p < ww_lora_parts(g); p++)
    rows += out_of(n, g, p);
  return rows;
}

static ww_param_id target_of(ww_lora_group g, uint32_t part) {
  static const ww_param_id id[WW_LORA_GROUPS][WW_LORA_PARTS] = {
      {WW_P_q, WW_P_k, WW_P_v}, {WW_P_o}, {WW_P_gate, WW_P_up}, {WW_P_down}};
  return id[g][part];
}

/* ---- places ---- */

static uint64_t group_size(const ww_net *n, ww_lora_group g) {
  uint64_t r = n->opt.lora_rank;
  uint64_t size = ww_round_up(ww_lora_parts(g) * r * ww_lora_in(n, g), ALIGN);
  for (uint32_t p = 0; p < ww_lora_parts(g); p++)
    size += ww_round_up(out_of(n, g, p) * r, ALIGN);
  return size;
}

static uint64_t layer_size(const ww_net *n) {
  uint64_t size = 0;
  for (ww_lora_group g = 0; g < WW_LORA_GROUPS; g++)
    size += group_size(n, g);
  return size;
}

/* The place of an A or a B in the learned buffer. */
static uint64_t
part_at(const ww_net *n, uint32_t layer, ww_lora_group g, uint32_t part, bool b) {
  uint64_t r = n->opt.lora_rank;
  uint64_t at = layer * layer_size(n);
  for (ww_lora_group i = 0; i < g; i++)
    at += group_size(n, i);
  if (!b)
    return at + part * r * ww_lora_in(n, g);
  at += ww_round_up(ww_lora_parts(g) * r * ww_lora_in(n, g), ALIGN);
  for (uint32_t p = 0; p < part; p++)
    at += ww_round_up(out_of(n, g, p) * r, ALIGN);
  return at;
}

void ww_lora_plan(ww_net *n) {
  static const ww_param_id heads[] = {WW_P_feature_w, WW_P_number_w, WW_P_feature_b,
                                      WW_P_number_b};
  n->lora_scale = n->opt.lora_alpha / n->opt.lora_rank;
  n->learned = n->c.layers * layer_size(n);
  n->decayed = n->learned;
  for (size_t i = 0; i < 4; i++) {
    const ww_lm_slot *p = ww_lm_param(&n->layout, heads[i], 0);
    if (!p)
      continue;
    n->moved[n->nmoved++] = (ww_net_moved){p->at, n->learned, p->rows * p->cols};
    n->learned += ww_round_up(p->rows * p->cols, ALIGN);
    if (p->cols > 1)
      n->decayed = n->learned;
  }
}

void ww_lora_bind(ww_net *n, ww_net_param (*at)(const ww_net *n, uint64_t place)) {
  for (uint32_t l = 0; l < n->c.layers; l++)
    for (ww_lora_group g = 0; g < WW_LORA_GROUPS; g++) {
      ww_net_lora *lora = &n->layer[l].lora[g];
      lora->a = at(n, part_at(n, l, g, 0, false));
      for (uint32_t p = 0; p < ww_lora_parts(g); p++)
        lora->b[p] = at(n, part_at(n, l, g, p, true));
    }
}

/* ---- forward and backward ---- */

/* The product with all A of a group, and with the B of one part. */
static ww_linear with_a(const ww_net *n, const ww_net_lora *l, ww_lora_group g) {
  return ww_dense(l->a.w, n->b.N, ww_lora_in(n, g),
                  ww_lora_parts(g) * n->opt.lora_rank);
}
static ww_linear
with_b(const ww_net *n, const ww_net_lora *l, ww_lora_group g, uint32_t part) {
  uint32_t r = n->opt.lora_rank;
  return (ww_linear){l->b[part].w,         n->b.N,           r, out_of(n, g, part),
                     ww_lora_parts(g) * r, ww_lora_out(n, g)};
}

void ww_lora_forward(
    ww_net *n, ww_net_lora *l, ww_lora_group g, void *out, const void *inp) {
  ww_ops *o = n->o;
  ww_linear a = with_a(n, l, g);
  ww_linear_forward(o, &a, l->t, inp, NULL, false);
  o->column_scale(o, l->t, n->lora_scale, (uint64_t)a.N * a.OC);
  uint64_t at = 0;
  for (uint32_t p = 0; p < ww_lora_parts(g); p++) {
    ww_linear b = with_b(n, l, g, p);
    ww_linear_forward(o, &b, ww_net_at(n, out, at), ww_net_at(n, l->t, p * b.C), NULL,
                      true);
    at += b.OC;
  }
}

void ww_lora_backward(ww_net *n,
                      ww_net_lora *l,
                      ww_lora_group g,
                      void *dinp,
                      const void *dout,
                      const void *inp) {
  ww_ops *o = n->o;
  ww_linear a = with_a(n, l, g);
  uint64_t at = 0;
  for (uint32_t p = 0; p < ww_lora_parts(g); p++) {
    ww_linear b = with_b(n, l, g, p);
    const void *mine = ww_net_at(n, dout, at);
    ww_linear_dweight(o, &b, l->b[p].dw, NULL, mine, ww_net_at(n, l->t, p * b.C));
    ww_linear_dinp(o, &b, ww_net_at(n, n->dt, p * b.C), mine, false);
    at += b.OC;
  }
  o->column_scale(o, n->dt, n->lora_scale, (uint64_t)a.N * a.OC);
  ww_linear_dweight(o, &a, l->a.dw, NULL, n->dt, inp);
  if (dinp)
    ww_linear_dinp(o, &a, dinp, n->dt, true);
}

/* ---- values ---- */

/* A as peft: uniform within 1 / sqrt(in), here of the same spread; B 0, so that the
 * adapted model begins as its base. */
void ww_lora_init(const ww_net *n, float *learned, uint64_t seed) {
  for (uint32_t l = 0; l < n->c.layers; l++)
    for (ww_lora_group g = 0; g < WW_LORA_GROUPS; g++) {
      uint32_t in = ww_lora_in(n, g);
      uint64_t at = part_at(n, l, g, 0, false);
      uint64_t count = (uint64_t)ww_lora_parts(g) * n->opt.lora_rank * in;
      float scale = 1 / sqrtf(3 * (float)in);
      for (uint64_t i = 0; i < count; i++)
        learned[at + i] = scale * ww_net_normal(~seed, at + i);
    }
}

void ww_lora_merge(const ww_net *n, const float *learned, float *flat) {
  uint32_t r = n->opt.lora_rank;
  for (uint32_t l = 0; l < n->c.layers; l++)
    for (ww_lora_group g = 0; g < WW_LORA_GROUPS; g++) {
      for (uint32_t p = 0; p < ww_lora_parts(g); p++) {
        uint32_t in = ww_lora_in(n, g);
        uint32_t out = out_of(n, g, p);
        const float *a = learned + part_at(n, l, g, p, false);
        const float *b = learned + part_at(n, l, g, p, true);
        float *w = flat + ww_lm_param(&n->layout, target_of(g, p), l)->at;
        for (size_t i = 0; i < out; i++)
          for (size_t j = 0; j < r; j++) {
            float by = n->lora_scale * b[i * r + j];
            for (uint32_t k = 0; k < in; k++)
              w[i * in + k] += by * a[j * in + k];
          }
      }
    }
}

/* ---- on disk ---- */

/* peft's name of one half: the parameter's without ".weight", prefixed, with
 * .lora_A.weight or .lora_B.weight */
static const char *half_name(const ww_net *n,
                             ww_arena *a,
                             uint32_t layer,
                             ww_lora_group g,
                             uint32_t part,
                             bool b) {
  const char *name = ww_lm_param(&n->layout, target_of(g, part), layer)->name;
  return ww_fmt(a, "base_model.model.%.*s.lora_%c.weight",
                (int)(strlen(name) - strlen(".weight")), name, b ? 'B' : 'A');
}

static const ww_lm_slot *param_at(const ww_net *n, uint64_t at) {
  for (uint32_t i = 0; i < n->layout.n; i++)
    if (n->layout.v[i].at == at)
      return n->layout.v + i;
  return NULL;
}

/* Every tensor of the adapters, with its place in `learned` as its data. */
static uint32_t list(const ww_net *n, ww_arena *a, float *learned, ww_tensor **out) {
  uint64_t r = n->opt.lora_rank;
  WW_VEC(ww_tensor) v = {0};
  for (uint32_t l = 0; l < n->c.layers; l++)
    for (ww_lora_group g = 0; g < WW_LORA_GROUPS; g++) {
      for (uint32_t p = 0; p < ww_lora_parts(g); p++)
        for (int b = 0; b < 2; b++) {
          uint64_t rows = b ? out_of(n, g, p) : r;
          uint64_t cols = b ? r : ww_lora_in(n, g);
          ww_push(a, &v,
                  (ww_tensor){.name = half_name(n, a, l, g, p, b),
                              .type = WW_DTYPE_F32,
                              .ndim = 2,
                              .dim = {rows, cols},
                              .data = learned + part_at(n, l, g, p, b),
                              .bytes = rows * cols * sizeof(float)});
        }
    }
  for (uint32_t i = 0; i < n->nmoved; i++) {
    const ww_lm_slot *p = param_at(n, n->moved[i].from);
    ww_push(a, &v,
            (ww_tensor){.name = ww_fmt(a, "base_model.model.%s", p->name),
                        .type = WW_DTYPE_F32,
                        .ndim = p->cols > 1 ? 2 : 1,
                        .dim = {p->rows, p->cols},
                        .data = learned + n->moved[i].to,
                        .bytes = n->moved[i].n * sizeof(float)});
  }
  *out = v.v;
  return v.n;
}

static void print_config(const ww_net *n, const char *base_name, ww_buf *out) {
  ww_json j = {.pretty = true};
  ww_json_begin(&j, out);
  ww_json_put(
      &j,
      "{peft_type:'LORA',task_type:'CAUSAL_LM',base_model_name_or_path:%s,r:%u,"
      "lora_alpha:%g,lora_dropout:0,bias:'none',fan_in_fan_out:false,use_rslora:false,"
      "inference_mode:true,target_modules:['q_proj','k_proj','v_proj','o_proj',"
      "'gate_proj','up_proj','down_proj']}",
      base_name, n->opt.lora_rank, n->opt.lora_alpha);
  ww_buf_puts(out, "\n");
}

ww_status
ww_net_lora_save(ww_net *n, const char *dir, const char *base_name, ww_err *e) {
  if (!n->opt.lora_rank)
    return ww_fail(
        e, WW_EUSAGE,
        "%s: all parameters of this model learn, there are no adapters to write", dir);
  ww_arena *a = ww_arena_new();
  ww_buf config = {0};
  float *learned = ww_xmalloc(n->learned * sizeof *learned);
  ww_net_get(n, 0, learned);
  ww_tensor *t;
  uint32_t count = list(n, a, learned, &t);
  const ww_meta meta = {
      .key = "format", .kind = WW_META_TEXT, .text = "pt", .text_n = 2};
  mkdir(dir, 0777); /* where it cannot be made, writing says so */
  ww_status s = ww_safetensors_write(ww_path_join(a, dir, "adapter_model.safetensors"),
                                     t, count, &meta, 1, e);
  if (!s) {
    print_config(n, base_name, &config);
    s = ww_write_file_atomic(ww_path_join(a, dir, "adapter_config.json"), config.s,
                             config.n, e);
  }
  ww_buf_free(&config);
  free(learned);
  ww_arena_free(a);
  return s;
}
