/* llama2c.c - reads models of llama2.c (stories15M.bin and its like): a header of seven
 * integers, then floats in a fixed order.
 *
 * Its queries and keys rotate neighbours (2 i, 2 i + 1); ours rotates halves (i, i +
 * size / 2): rows of both are put in our order. */
#include "infer_int.h"

#include <errno.h>
#include <limits.h>

typedef struct {
  int32_t width, hidden, layers, heads, kv_heads, vocab,
      context; /* vocab < 0: the head is not the embedding */
} header;

static bool sensible(const header *h) {
  return h->width > 0 && h->width <= 1 << 16 && h->hidden > 0 && h->hidden <= 1 << 18 &&
         h->layers > 0 && h->layers <= 1024 && h->heads > 0 &&
         h->width % h->heads == 0 && h->kv_heads > 0 && h->heads % h->kv_heads == 0 &&
         h->vocab != INT_MIN && abs(h->vocab) > 0 && abs(h->vocab) <= 1 << 24 &&
         h->context > 0 && h->context <= 1 << 20;
}

static bool read_header(const char *path, header *h) {
  FILE *f = fopen(path, "rb");
  if (!f)
    return false;
  bool ok = fread(h, sizeof *h, 1, f) == 1 && sensible(h);
  fclose(f);
  return ok;
}

bool ww_llama2c_is(const char *path) {
  header h;
  return ww_ends(path, ".bin") && ww_file_regular(path) && read_header(path, &h);
}

/* rows [heads][size][cols], neighbours to halves */
static void
unpermute(float *to, const float *from, uint64_t heads, uint64_t size, uint64_t cols) {
  for (uint64_t h = 0; h < heads; h++)
    for (uint64_t i = 0; i < size; i++) {
      uint64_t source = i < size / 2 ? 2 * i : 2 * (i - size / 2) + 1;
      memcpy(to + (h * size + i) * cols, from + (h * size + source) * cols,
             cols * sizeof *to);
    }
}

/* The parameters in the file's order. */
static const ww_param_id ORDER[] = {
    WW_P_embed,    WW_P_norm_attn, WW_P_q,    WW_P_k,  WW_P_v,          WW_P_o,
    WW_P_norm_mlp, WW_P_gate,      WW_P_down, WW_P_up, WW_P_norm_final, WW_P_head};

static bool
read_all(FILE *f, const ww_lm_config *c, const ww_lm_layout *l, float *flat) {
  float *x = ww_xmalloc((size_t)c->width * c->width * sizeof *x);
  bool ok = true;
  for (size_t k = 0; k < sizeof ORDER / sizeof *ORDER && ok; k++) {
    if (ORDER[k] == WW_P_head) /* tables of angles, which we make ourselves */
      ok = !fseek(f, (long)c->context * c->head_size * sizeof(float), SEEK_CUR);
    for (uint32_t i = 0; i < c->layers && ok; i++) {
      const ww_lm_slot *p = ww_lm_param(l, ORDER[k], i);
      if (!p || (i && p == ww_lm_param(l, ORDER[k], 0)))
        break;
      bool turned = p->id == WW_P_q || p->id == WW_P_k;
      uint64_t n = p->rows * p->cols;
      ok = fread(turned ? x : flat + p->at, sizeof *x, n, f) == n;
      if (ok && turned)
        unpermute(flat + p->at, x, p->rows / c->head_size, c->head_size, p->cols);
    }
  }
  free(x);
  return ok;
}

ww_status ww_llama2c_read(const char *path,
                          ww_lm_config *c,
                          ww_arena *a,
                          ww_lm_layout *l,
                          float **flat,
                          ww_err *e) {
  header h;
  *flat = NULL;
  if (!read_header(path, &h))
    return ww_fail(e, WW_EPARSE, "%s: not a model of llama2.c", path);
  *c = (ww_lm_config){.arch = WW_LM_LLAMA,
                      .vocab = abs(h.vocab),
                      .width = h.width,
                      .layers = h.layers,
                      .heads = h.heads,
                      .kv_heads = h.kv_heads,
                      .head_size = h.width / h.heads,
                      .hidden = h.hidden,
                      .context = h.context,
                      .norm_eps = 1e-5f,
                      .tied = h.vocab > 0,
                      .rope_theta = 10000.0f,
                      .bos = 1,
                      .eos = {2, -1, -1, -1},
                      .neos = 1};
  ww_status st = ww_lm_config_check(c, e);
  if (st)
    return st;
  ww_lm_layout_make(c, a, l);
  FILE *f = fopen(path, "rb");
  if (!f)
    return ww_fail(e, WW_EIO, "cannot read '%s': %s", path, strerror(errno));
  fseek(f, 0, SEEK_END);
  bool ok = ftell(f) >= 0 &&
            (uint64_t)ftell(f) >= sizeof h + ww_lm_config_params(c) * sizeof(float);
  if (ok)
    *flat = calloc(l->total, sizeof **flat);
  ok = ok && *flat && !fseek(f, sizeof h, SEEK_SET) && read_all(f, c, l, *flat);
  fclose(f);
  if (ok)
    return WW_OK;
  free(*flat);
  *flat = NULL;
  return ww_fail(e, WW_EDATA,
                 "%s: the file is shorter than its header says; fetch it again", path);
}
