/* net_int.h - what the files of a learning model share: net.c (memory, state),
 * net_batch.c, net_forward.c, net_backward.c, lora.c.
 *
 * Shapes: N tokens of the batch at hand (B rows of T), C width, H query heads, K key
 * heads, D head size, F hidden, V vocabulary, r rank. "Real" is float or bf16, as the
 * device's. */
#ifndef WW_LM_NET_INT_H
#define WW_LM_NET_INT_H

#include <math.h>
#include <stdlib.h>

#include "net.h"

/* A parameter on the device: real values and their gradient, NULL where it does not
 * learn. */
typedef struct {
  void *w;
  float *dw;
} ww_net_param;

/* Matrices that share an input: adapted together. */
typedef enum {
  WW_LORA_QKV,
  WW_LORA_O,
  WW_LORA_GU,
  WW_LORA_DOWN,
  WW_LORA_GROUPS
} ww_lora_group;
enum { WW_LORA_PARTS = 3 };
typedef struct {
  ww_net_param a;                /* [parts * r, in] */
  ww_net_param b[WW_LORA_PARTS]; /* [out, r] each */
  void *t; /* [N, parts * r] real: scale * inp . A^T, kept for the backward pass */
} ww_net_lora;

typedef struct {
  ww_net_param norm_attn, qkv, qkv_bias, o, norm_mlp, gu, down;
  ww_net_lora lora[WW_LORA_GROUPS];
  /* kept from forward to backward, real unless float */
  void *x;                /* [N, C] what came in, on the residual stream */
  void *normed;           /* [N, C] of x */
  void *qkv_out;          /* [N, (H + 2 K) D] rotated */
  void *att;              /* [N, H D] */
  void *mid;              /* [N, C] the residual stream behind attention */
  void *mid_normed;       /* [N, C] */
  void *gu_out;           /* [N, 2 F] */
  void *act;              /* [N, F] */
  float *rstd, *mid_rstd; /* [N] */
  float *lse;             /* [B, H, T] */
} ww_net_layer;

/* The batch on the device: parts of one buffer, one upload. */
typedef struct {
  uint32_t B, T, N;
  const int32_t *token, *first, *position; /* [N] */
  uint32_t unique;                         /* different tokens */
  /* [N], [unique + 1], [unique]: for embed_backward */
  const int32_t *order, *group, *id;
  uint32_t targets, padded;           /* positions with a target; with padding */
  const int32_t *target_row, *target; /* [padded]; padding: row 0, target -1 */
  const float *weight;                /* [padded] of targets; NULL: all 1 */
  uint32_t asked;
  const int32_t *ask_at; /* [asked] */
  const float *number;   /* [asked, numbers] */
  uint32_t described;
  const int32_t *describe_row; /* [described * feature_tokens] */
  const float *feature;        /* [described, features] */
} ww_net_batch;

/* Where the parameters of ww_lm_layout that learn beside the adapters lie in the
 * learned buffer. */
typedef struct {
  uint64_t from, to, n; /* in the layout's buffer; in the learned one; values */
} ww_net_moved;

struct ww_net {
  ww_ops *o;
  ww_lm_config c;
  ww_net_options opt;
  ww_arena *arena;
  ww_lm_layout layout;
  uint32_t rows, tokens; /* the largest batch */
  size_t size;           /* bytes of a real */

  /* What learns: values in fp32 and in real (the same memory where real is fp32),
   * moments, gradients. Frozen: `param` alone. Without LoRA this is all of the model;
   * with it, `base` is the frozen model. */
  /* values; the first of them that weight decay applies to */
  uint64_t learned, decayed;
  void *param, *base;
  float *master, *m, *v, *grad;
  ww_net_moved moved[4];
  uint32_t nmoved;
  float lora_scale; /* alpha / rank */

  ww_net_param embed, head, norm_final, feature_w, feature_b, number_w, number_b;
  ww_net_layer *layer; /* [layers] */

  /* one allocation: everything below and the layers' activations */
  void *block;
  float *rope;        /* [tokens, D / 2, 2] */
  void *branch;       /* [N, C] what a layer adds to the residual stream */
  void *x_final;      /* [N, C] */
  void *final_normed; /* [N, C] */
  float *final_rstd;  /* [N] */
  /* [N, C] gradients: of the residual stream, of what a norm gave */
  void *dres, *dnorm;
  void *dwide;            /* [N, max(2 F, (H + 2 K) D)] */
  void *dact;             /* [N, max(F, H D)] */
  void *dt;               /* [N, 3 r] */
  void *hidden, *dhidden; /* [padded, C]: rows with a target */
  void *logits;           /* [chunk, V], then their gradient */
  uint32_t chunk;
  float *loss; /* [padded] */
  /* [chunk, V] or STAGE floats, for what goes to the host and comes from there */
  float *chunk_f32;
  uint64_t chunk_f32_n;
  void *ask_hidden, *number_out, *dnumber; /* [asked, C], [asked, 2 numbers] twice */
  /* [described, features]; [described * feature_tokens, C] */
  void *feature, *described;
  /* 0 token loss, 1 number loss, 2 squares of the gradient */
  float *totals;

  /* the batch: made on the host, uploaded at once */
  char *host, *device;
  size_t batch_bytes;
  int32_t *seen; /* [V], zero between batches */
  ww_net_batch b;

  uint64_t seed; /* of dropout */
  /* in ww_net_learn with dropout: forward and backward leave out the same values */
  bool dropping;

  uint64_t ntokens, nasked; /* since the last ww_net_losses */
};

/* p + n reals, for what is cut out of a wider buffer */
static inline void *ww_net_at(const ww_net *n, const void *p, uint64_t reals) {
  return (char *)p + reals * n->size;
}

/* Bytes of the largest batch; the batch checked, made and sent (net_batch.c). */
size_t ww_net_batch_bytes(const ww_net *n);
ww_status ww_net_batch_send(ww_net *n, const ww_lm_batch *b, ww_err *e);

/* out [N, C] = inp without what dropout leaves out of a layer's half (0 attention, 1
 * MLP); inp itself where nothing is left out. */
const void *
ww_net_dropout(ww_net *n, const ww_net_layer *l, int half, void *out, const void *inp);

/* The matrices of a group as one; their bias. */
static inline ww_net_param ww_net_weight(const ww_net_layer *l, ww_lora_group g) {
  return g == WW_LORA_QKV  ? l->qkv
         : g == WW_LORA_O  ? l->o
         : g == WW_LORA_GU ? l->gu
                           : l->down;
}
static inline ww_net_param ww_net_bias(const ww_net_layer *l, ww_lora_group g) {
  return g == WW_LORA_QKV ? l->qkv_bias : (ww_net_param){0};
}

static inline ww_attention_layer ww_net_attention(const ww_net *n,
                                                  const ww_net_layer *l) {
  return (ww_attention_layer){.qkv = l->qkv_out,
                              .first = n->b.first,
                              .out = l->att,
                              .lse = l->lse,
                              .dout = n->dact,
                              .dqkv = n->dwide,
                              .B = n->b.B,
                              .T = n->b.T,
                              .H = n->c.heads,
                              .K = n->c.kv_heads,
                              .D = n->c.head_size};
}

void ww_net_trunk_forward(ww_net *n);
void ww_net_trunk_backward(ww_net *n);
/* Losses of the batch; with `learn` also gradients: of the heads, and of what the last
 * norm gave, in n->dnorm. Scales 0: losses alone. */
void ww_net_heads(ww_net *n, bool learn, float token_scale, float number_scale);

/* The learned buffer's plan (lora.c). */
void ww_lora_plan(ww_net *n); /* sets learned, decayed, moved */
/* sets the layers' lora[] */
void ww_lora_bind(ww_net *n, ww_net_param (*at)(const ww_net *n, uint64_t place));
uint32_t ww_lora_parts(ww_lora_group g);
/* Columns and rows of a group's matrices together. */
uint32_t ww_lora_in(const ww_net *n, ww_lora_group g);
uint32_t ww_lora_out(const ww_net *n, ww_lora_group g);
void ww_lora_init(const ww_net *n, float *learned, uint64_t seed);
void ww_lora_merge(const ww_net *n, const float *learned, float *flat);
/* out += scale * (inp . A^T) . B^T */
void ww_lora_forward(
    ww_net *n, ww_net_lora *l, ww_lora_group g, void *out, const void *inp);
/* gradients of A and B; dinp += where it is not NULL */
void ww_lora_backward(ww_net *n,
                      ww_net_lora *l,
                      ww_lora_group g,
                      void *dinp,
                      const void *dout,
                      const void *inp);
static inline ww_linear
ww_net_linear(const ww_net *n, const ww_net_layer *l, ww_lora_group g) {
  return ww_dense(ww_net_weight(l, g).w, n->b.N, ww_lora_in(n, g), ww_lora_out(n, g));
}

float ww_net_normal(
    uint64_t seed,
    uint64_t place); /* about normal, |x| < 3.5: the same value wherever it is made */

#endif
