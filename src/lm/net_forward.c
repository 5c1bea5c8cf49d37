/* net_forward.c - forward through the layers, and the two heads with their losses and
 * gradients.
 *
 * Pre-norm: each half of a layer reads a norm of the residual stream and adds to it;
 * the addition is done by the next norm. Logits exist for one chunk of rows at a time
 * and only of rows that have a target: they become their own gradient in place and are
 * used up before the next chunk. */
#include "net_int.h"

/* What comes in: the tokens' embeddings, and the documents' features on the first
 * tokens of theirs.
 */
static void embed(ww_net *n, void *x) {
  ww_ops *o = n->o;
  const ww_net_batch *b = &n->b;
  const ww_lm_config *c = &n->c;
  o->gather_rows(o, x, n->embed.w, b->token, b->N, c->width);
  if (!b->described)
    return;

  o->to_real(o, n->feature, b->feature, (uint64_t)b->described * c->features);
  ww_linear map =
      ww_dense(n->feature_w.w, b->described, c->features, c->feature_tokens * c->width);
  ww_linear_forward(o, &map, n->described, n->feature, n->feature_b.w, false);
  o->scatter_add_rows(o, x, n->described, b->describe_row,
                      b->described * c->feature_tokens, c->width);
}

/* out [N, OC] = inp [N, IC] . w^T + bias, and what the adapters add */
static void
linear(ww_net *n, ww_net_layer *l, ww_lora_group g, void *out, const void *inp) {
  ww_linear matrix = ww_net_linear(n, l, g);
  ww_linear_forward(n->o, &matrix, out, inp, ww_net_bias(l, g).w, false);
  if (n->opt.lora_rank)
    ww_lora_forward(n, l->lora + g, g, out, inp);
}

const void *
ww_net_dropout(ww_net *n, const ww_net_layer *l, int half, void *out, const void *inp) {
  if (!n->dropping)
    return inp;
  uint64_t which = 2 * (uint64_t)(l - n->layer) + half;
  n->o->dropout(n->o, out, inp, n->opt.dropout, ww_hash(&which, sizeof which, n->seed),
                (uint64_t)n->b.N * n->c.width);
  return out;
}

void ww_net_trunk_forward(ww_net *n) {
  ww_ops *o = n->o;
  const ww_lm_config *c = &n->c;
  const ww_net_batch *b = &n->b;
  uint32_t N = b->N;
  uint32_t C = c->width;
  uint32_t H = c->heads;
  uint32_t K = c->kv_heads;
  uint32_t D = c->head_size;
  uint32_t F = c->hidden;
  uint32_t W = (H + 2 * K) * D;
  void *before = NULL; /* the residual stream that `branch` is to be added to */
  embed(n, n->layer[0].x);
  for (uint32_t i = 0; i < c->layers; i++) {
    ww_net_layer *l = n->layer + i;
    o->rmsnorm_forward(o, l->normed, l->rstd, l->x, i ? before : l->x,
                       i ? n->branch : NULL, l->norm_attn.w, c->norm_eps, N, C);
    linear(n, l, WW_LORA_QKV, l->qkv_out, l->normed);
    o->rope(o, l->qkv_out, W, b->position, n->rope, N, H + K, D, false);
    ww_attention_layer attention = ww_net_attention(n, l);
    o->attention_forward(o, &attention);
    linear(n, l, WW_LORA_O, n->branch, l->att);
    ww_net_dropout(n, l, 0, n->branch, n->branch);
    o->rmsnorm_forward(o, l->mid_normed, l->mid_rstd, l->mid, l->x, n->branch,
                       l->norm_mlp.w, c->norm_eps, N, C);
    linear(n, l, WW_LORA_GU, l->gu_out, l->mid_normed);
    o->swiglu_forward(o, l->act, l->gu_out, N, F);
    linear(n, l, WW_LORA_DOWN, n->branch, l->act);
    ww_net_dropout(n, l, 1, n->branch, n->branch);
    before = l->mid;
  }
  o->rmsnorm_forward(o, n->final_normed, n->final_rstd, n->x_final, before, n->branch,
                     n->norm_final.w, c->norm_eps, N, C);
}

/* Rows with a target, chunk by chunk: logits, loss, gradient of their input and of the
 * head. */
static void
token_head(ww_net *n, bool learn, float scale, const void *hidden, void *dhidden) {
  ww_ops *o = n->o;
  uint32_t C = n->c.width;
  uint32_t V = n->c.vocab;
  uint32_t rows = n->b.padded;
  for (size_t at = 0; at < rows; at += n->chunk) {
    uint32_t k = ww_least(rows - at, n->chunk);
    const void *inp = ww_net_at(n, hidden, at * C);
    ww_linear head = ww_dense(n->head.w, k, C, V);
    ww_linear_forward(o, &head, n->logits, inp, NULL, false);
    o->token_loss(o, n->loss + at, n->logits, n->b.target + at,
                  n->b.weight ? n->b.weight + at : NULL, scale, k, V);
    if (!learn)
      continue;
    ww_linear_dinp(o, &head, ww_net_at(n, dhidden, at * C), n->logits, false);
    if (n->head.dw)
      ww_linear_dweight(o, &head, n->head.dw, NULL, n->logits, inp);
  }
  o->sum(o, n->totals, n->loss, n->b.targets, true);
}

/* Numbers at the asked positions; their gradient is added to dnorm. */
static void number_head(ww_net *n, bool learn, float scale) {
  ww_ops *o = n->o;
  const ww_net_batch *b = &n->b;
  uint32_t C = n->c.width;
  uint32_t K = n->c.numbers;
  o->gather_rows(o, n->ask_hidden, n->final_normed, b->ask_at, b->asked, C);
  ww_linear head = ww_dense(n->number_w.w, b->asked, C, 2 * K);
  ww_linear_forward(o, &head, n->number_out, n->ask_hidden, n->number_b.w, false);
  o->number_loss(o, n->loss, n->dnumber, n->number_out, b->number, scale, b->asked, K);
  o->sum(o, n->totals + 1, n->loss, b->asked, true);
  if (!learn)
    return;
  if (n->number_w.dw)
    ww_linear_dweight(o, &head, n->number_w.dw, n->number_b.dw, n->dnumber,
                      n->ask_hidden);
  ww_linear_dinp(o, &head, n->ask_hidden, n->dnumber, false);
  o->scatter_add_rows(o, n->dnorm, n->ask_hidden, b->ask_at, b->asked, C);
}

void ww_net_heads(ww_net *n, bool learn, float token_scale, float number_scale) {
  ww_ops *o = n->o;
  const ww_net_batch *b = &n->b;
  uint32_t C = n->c.width;
  bool all = b->targets == b->N; /* then nothing need be gathered */
  if (learn && !all)
    o->zero(o, n->dnorm, (size_t)b->N * C * n->size);
  if (all) {
    token_head(n, learn, token_scale, n->final_normed, n->dnorm);
  } else if (b->targets) {
    o->gather_rows(o, n->hidden, n->final_normed, b->target_row, b->padded, C);
    token_head(n, learn, token_scale, n->hidden, n->dhidden);
    if (learn)
      o->scatter_add_rows(o, n->dnorm, n->dhidden, b->target_row, b->targets, C);
  }
  if (b->asked)
    number_head(n, learn, number_scale);
}
