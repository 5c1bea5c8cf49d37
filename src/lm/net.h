/* net.h - a model that learns: parameters, gradients, moments and activations on one
 * device, forward and backward over ops.h.
 *
 * All state is flat buffers in the order of ww_lm_layout. With LoRA the base is frozen
 * (real, no gradients, no moments) and what is learned is a flat buffer of its own: for
 * each layer and each group of matrices that share an input (q k v; o; gate up; down)
 * all A [rank, in], then each B [out, rank]; behind them the heads of numbers and
 * features where the model has them, which no base brings along. */
#ifndef WW_LM_NET_H
#define WW_LM_NET_H

#include "model.h"
#include "ops.h"
#include "ranks.h"

/* B rows of T tokens, host memory. Documents are packed into rows; `first` is the place
 * in the row where a token's document begins. */
typedef struct {
  uint32_t B, T;
  const int32_t *token; /* [B * T] */
  /* [B * T]: the next token, or -1: not asked; NULL: none is */
  const int32_t *target;
  /* [B * T]: what each target's loss counts, below 0 to make it less likely; NULL: 1 */
  const float *weight;
  const int32_t *first;  /* [B * T] */
  uint32_t asked;        /* positions where numbers are asked */
  const int32_t *ask_at; /* [asked]: index into B * T, all different */
  const float *numbers;  /* [asked, config.numbers], NaN: not known */
  uint32_t described;    /* documents that begin with features */
  /* [described]: index of the document's first token; its feature_tokens tokens follow
   * one another */
  const int32_t *describe_at;
  const float *features; /* [described, config.features] */
} ww_lm_batch;

typedef struct {
  uint32_t lora_rank;  /* 0: all parameters learn */
  float lora_alpha;    /* scale is alpha / rank */
  bool frozen;         /* forward only: no gradients, no moments */
  float number_weight; /* of the number loss beside the token loss */
  /* share of what each half of a layer adds that is left out while learning; 0: none */
  float dropout;
} ww_net_options;

typedef struct {
  double token_loss;  /* mean over asked tokens */
  double number_loss; /* mean over asked positions */
  uint64_t tokens, asked;
} ww_net_loss;

typedef struct ww_net ww_net;
/* Room for batches of up to `rows` x `tokens`. WW_ELIMIT where the device has not
 * enough memory, with how much it takes. */
ww_status ww_net_new(ww_ops *o,
                     const ww_lm_config *c,
                     const ww_net_options *opt,
                     uint32_t rows,
                     uint32_t tokens,
                     ww_net **out,
                     ww_err *e);
void ww_net_free(ww_net *n); /* accepts NULL */
const ww_lm_layout *ww_net_layout(const ww_net *n);
const ww_net_options *ww_net_given(const ww_net *n); /* to ww_net_new */
/* values that learn: layout.total, or all adapters' */
uint64_t ww_net_learned(const ww_net *n);
/* of one forward and backward, as MFU counts: 6 x matrices + attention */
uint64_t ww_net_flops(const ww_net *n, uint32_t B, uint32_t T);

/* normal 0.02 (o and down scaled by 1/sqrt(2 layers)), norms 1, biases 0, LoRA: A
 * small, B 0 */
void ww_net_init(ww_net *n, uint64_t seed);
void ww_net_set_base(ww_net *n, const float *flat); /* all parameters, layout order */
/* with LoRA: without the adapters */
void ww_net_get_base(ww_net *n, float *flat);
/* State of what learns, ww_net_learned floats each: 0 values, 1 first moments, 2 second
 * moments, 3 gradients (get only). */
void ww_net_get(ww_net *n, int which, float *flat);
void ww_net_set(ww_net *n, int which, const float *flat);
/* base with the adapters added: layout.total floats */
void ww_net_merged(ww_net *n, float *flat);

/* What dropout leaves out in the next ww_net_learn: another seed, another choice. */
void ww_net_seed(ww_net *n, uint64_t seed);
/* Forward and backward: gradients are added, each loss scaled by 1 / (its count over
 * the whole step), given by the caller. */
ww_status ww_net_learn(ww_net *n,
                       const ww_lm_batch *b,
                       double tokens_of_step,
                       double asked_of_step,
                       ww_err *e);
/* The sums since the last call, waits for the device. */
ww_status ww_net_losses(ww_net *n, ww_net_loss *out, ww_err *e);
typedef struct {
  float lr, beta1, beta2, eps, decay, clip;
  uint32_t step; /* from 1 */
} ww_net_update_options;
/* Gradients become their sum over the ranks; a failure of the device may show later. */
ww_status ww_net_reduce(ww_net *n, ww_ranks *r, ww_err *e);
/* Clips, one AdamW step, gradients zero again. squares of the last step: ww_net_norm.
 */
void ww_net_update(ww_net *n, const ww_net_update_options *u);
/* of the last update's gradient, before clipping; waits */
float ww_net_norm(ww_net *n);
/* Forward alone. logits [B * T, vocab] floats or NULL; numbers [asked, 2 * numbers]
 * floats or NULL; host memory. Adds to the losses. */
ww_status ww_net_forward(
    ww_net *n, const ww_lm_batch *b, float *logits, float *numbers, ww_err *e);

/* ---- adapters on disk (lora.c), as peft writes them: adapter_model.safetensors and
 * adapter_config.json ---- */

ww_status ww_net_lora_save(ww_net *n,
                           const char *dir,
                           const char *base_name /* of the base model, or NULL */,
                           ww_err *e);

#endif
