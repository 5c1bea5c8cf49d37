/* net_backward.c - the gradients, from the last norm back to the embedding.
 *
 * dres is the gradient of the residual stream: what a branch added has the same
 * gradient, and the gradient through the branch's norm is added to it. Nothing is
 * computed again; a matrix that does not learn gets no gradient (dw NULL), only passes
 * it on. */
#include "net_int.h"

/* dinp [N, IC] = dout [N, OC] . w (NULL: not wanted); gradients of w, bias and the
 * adapters */
static void linear_back(ww_net *n,
                        ww_net_layer *l,
                        ww_lora_group g,
                        void *dinp,
                        const void *dout,
                        const void *inp) {
  ww_ops *o = n->o;
  ww_net_param w = ww_net_weight(l, g);
  ww_linear matrix = ww_net_linear(n, l, g);
  if (w.dw)
    ww_linear_dweight(o, &matrix, w.dw, ww_net_bias(l, g).dw, dout, inp);
  if (dinp)
    ww_linear_dinp(o, &matrix, dinp, dout, false);
  if (n->opt.lora_rank)
    ww_lora_backward(n, l->lora + g, g, dinp, dout, inp);
}

static void layer_back(ww_net *n, ww_net_layer *l, bool first) {
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
  /* `branch` is free here */
  const void *dbranch = ww_net_dropout(n, l, 1, n->branch, n->dres);
  linear_back(n, l, WW_LORA_DOWN, n->dact, dbranch, l->act);
  o->swiglu_backward(o, n->dwide, n->dact, l->gu_out, N, F);
  linear_back(n, l, WW_LORA_GU, n->dnorm, n->dwide, l->mid_normed);
  o->rmsnorm_backward(o, n->dres, l->norm_mlp.dw, n->dnorm, l->mid, l->norm_mlp.w,
                      l->mid_rstd, N, C);

  dbranch = ww_net_dropout(n, l, 0, n->branch, n->dres);
  linear_back(n, l, WW_LORA_O, n->dact, dbranch, l->att);
  ww_attention_layer attention = ww_net_attention(n, l);
  o->attention_backward(o, &attention);
  o->rope(o, n->dwide, W, b->position, n->rope, N, H + K, D, true);
  /* Below a frozen first layer nobody asks: its input's gradient ends here. */
  bool asked = !first || n->embed.dw || (n->feature_w.dw && b->described);
  linear_back(n, l, WW_LORA_QKV, asked ? n->dnorm : NULL, n->dwide, l->normed);
  if (asked)
    o->rmsnorm_backward(o, n->dres, l->norm_attn.dw, n->dnorm, l->x, l->norm_attn.w,
                        l->rstd, N, C);
}

void ww_net_trunk_backward(ww_net *n) {
  ww_ops *o = n->o;
  const ww_lm_config *c = &n->c;
  const ww_net_batch *b = &n->b;
  uint32_t C = c->width;
  uint32_t G = c->feature_tokens;
  o->zero(o, n->dres, (size_t)b->N * C * n->size);
  o->rmsnorm_backward(o, n->dres, n->norm_final.dw, n->dnorm, n->x_final,
                      n->norm_final.w, n->final_rstd, b->N, C);
  for (uint32_t i = c->layers; i-- > 0;)
    layer_back(n, n->layer + i, i == 0);
  if (n->embed.dw)
    o->embed_backward(o, n->embed.dw, n->dres, b->order, b->group, b->id, b->unique,
                      b->N, C);
  if (!n->feature_w.dw || !b->described)
    return;
  o->gather_rows(o, n->described, n->dres, b->describe_row, b->described * G, C);
  ww_linear map = ww_dense(n->feature_w.w, b->described, c->features, G * C);
  ww_linear_dweight(o, &map, n->feature_w.dw, n->feature_b.dw, n->described,
                    n->feature);
}
