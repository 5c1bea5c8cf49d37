/* layout.c - every parameter's place in one flat buffer.
 *
 * Each starts at a multiple of 64 elements (128 bytes of bf16: what tensor cores and
 * vector loads like), but for those that follow another without a gap so that one
 * product makes them all: k, v behind q; up behind gate; biases likewise. The gaps hold
 * zeros. */
#include "model.h"

enum { ALIGN = 64 };
enum { MATRIX_ONCE, MATRIX_LAYER, VECTOR_ONCE, VECTOR_LAYER }; /* group */
enum { ALWAYS, UNTIED, FEATURES, NUMBERS, QKV_BIAS };          /* when */

typedef struct {
  const char *hf;
  uint64_t rows, cols;
  uint8_t group;
  bool there;
} spec;

/* Names with %u, sizes for this model. */
static void specs_of(const ww_lm_config *c, spec out[WW_NPARAMS]) {
  uint64_t V = c->vocab, C = c->width, D = c->head_size, Q = c->heads * D,
           K = c->kv_heads * D;
  uint64_t F = c->hidden, X = c->features, GC = c->feature_tokens * C,
           N2 = 2 * c->numbers;
  bool when_true[] = {[ALWAYS] = true,
                      [UNTIED] = !c->tied,
                      [FEATURES] = c->features > 0,
                      [NUMBERS] = c->numbers > 0,
                      [QKV_BIAS] = c->qkv_bias};
  const spec all[WW_NPARAMS] = {
#define PARAM(id, hf, gguf, rows, cols, group, when) \
  {hf, rows, cols, group, when_true[when]},
#include "params.def"
  };
  memcpy(out, all, sizeof all);
}

static bool follows(ww_param_id id) {
  return id == WW_P_k || id == WW_P_v || id == WW_P_up || id == WW_P_kb ||
         id == WW_P_vb;
}

static void
place(ww_lm_layout *l, ww_arena *a, const spec *s, ww_param_id id, uint32_t layer) {
  if (!s[id].there)
    return;
  if (!follows(id))
    l->total = ww_round_up(l->total, ALIGN);
  if (layer == 0)
    l->first[id] = l->n + 1;
  l->v[l->n++] = (ww_lm_slot){.id = id,
                              .layer = layer,
                              .name = ww_fmt(a, s[id].hf, layer),
                              .at = l->total,
                              .rows = s[id].rows,
                              .cols = s[id].cols};
  l->total += s[id].rows * s[id].cols;
}

/* One group: what stands before its first layer entry, the layers, the rest. */
static uint32_t place_group(
    ww_lm_layout *l, ww_arena *a, const spec *s, uint8_t once, uint32_t layers) {
  uint32_t id = 0;
  for (; id < WW_NPARAMS && s[id].group != once + 1; id++)
    if (s[id].group == once)
      place(l, a, s, id, 0);
  uint32_t before = l->n;
  for (uint32_t layer = 0; layer < layers; layer++)
    for (uint32_t k = id; k < WW_NPARAMS; k++)
      if (s[k].group == once + 1)
        place(l, a, s, k, layer);
  uint32_t per_layer = layers ? (l->n - before) / layers : 0;
  for (; id < WW_NPARAMS; id++)
    if (s[id].group == once)
      place(l, a, s, id, 0);
  l->total = ww_round_up(l->total, ALIGN);
  return per_layer;
}

void ww_lm_layout_make(const ww_lm_config *c, ww_arena *a, ww_lm_layout *out) {
  spec s[WW_NPARAMS];
  specs_of(c, s);
  *out =
      (ww_lm_layout){.v = WW_NEWN(a, ww_lm_slot, (size_t)WW_NPARAMS * (c->layers + 1))};
  uint32_t matrices = place_group(out, a, s, MATRIX_ONCE, c->layers);
  out->matrices = out->total;
  uint32_t vectors = place_group(out, a, s, VECTOR_ONCE, c->layers);
  for (uint32_t id = 0; id < WW_NPARAMS; id++)
    out->step[id] = s[id].group == MATRIX_LAYER   ? matrices
                    : s[id].group == VECTOR_LAYER ? vectors
                                                  : 0;
}

const ww_lm_slot *ww_lm_param(const ww_lm_layout *l, ww_param_id id, uint32_t layer) {
  if (id >= WW_NPARAMS || !l->first[id] || (layer && !l->step[id]))
    return NULL;
  uint64_t at = l->first[id] - 1 + (uint64_t)layer * l->step[id];
  return at < l->n && l->v[at].id == id ? l->v + at : NULL;
}

uint64_t ww_lm_config_params(const ww_lm_config *c) {
  spec s[WW_NPARAMS];
  specs_of(c, s);
  uint64_t n = 0;
  for (uint32_t id = 0; id < WW_NPARAMS; id++) {
    bool each = s[id].group == MATRIX_LAYER || s[id].group == VECTOR_LAYER;
    if (s[id].there)
      n += s[id].rows * s[id].cols * (each ? c->layers : 1);
  }
  return n;
}

void ww_lm_param_gguf(const ww_lm_slot *p, char name[WW_LM_NAME]) {
  static const char *const names[WW_NPARAMS] = {
#define PARAM(id, hf, gguf, rows, cols, group, when) gguf,
#include "params.def"
  };
  snprintf(name, WW_LM_NAME, names[p->id], p->layer);
}
