/* config_int.h - what the formats share about configurations, and nobody else needs. */
#ifndef WW_LM_CONFIG_INT_H
#define WW_LM_CONFIG_INT_H

#include "model.h"

/* with the type that the weights are stored in */
void ww_lm_config_print_as(const ww_lm_config *c, ww_dtype type, ww_buf *json);
/* heads of Q or K whose rows a GGUF has in another order; 0: as ours */
uint32_t ww_lm_turned_heads(const ww_lm_config *c, ww_param_id id);
/* The parameters as the tensors that writers take, under Hugging Face's names, with
 * room for `more` behind them. */
ww_tensor *ww_lm_tensors(const ww_lm_config *c,
                         const float *flat,
                         ww_dtype type,
                         ww_lm_layout *l,
                         uint32_t more,
                         ww_arena *a);
enum { WW_TOKENIZER_MAX = 256 << 20 }; /* bytes of a tokenizer.json that goes along */
/* Metadata of a GGUF: a list whose memory is the arena's. */
typedef struct {
  ww_arena *a;
  WW_VEC(ww_meta) list;
} ww_metas;
void ww_meta_add(ww_metas *m, ww_meta one);
void ww_meta_text(ww_metas *m, const char *key, const char *text, size_t n);
void ww_meta_array(
    ww_metas *m, const char *key, ww_meta_kind of, ww_meta *items, uint64_t n);
/* What llama.cpp wants to know of a tokenizer.json, and the file itself. */
ww_status ww_gguf_tokenizer(
    const char *json, size_t n, const ww_lm_config *c, ww_metas *m, ww_err *e);
/* The text of a tokenizer.json, or of the one that a .gguf has whole. *json NULL: this
 * .gguf has only what llama.cpp reads; it stays open in *gguf, which the caller closes.
 */
ww_status ww_lm_tokenizer_json(const char *from,
                               ww_arena *a,
                               char **json,
                               size_t *n,
                               ww_weights **gguf,
                               ww_err *e);

#endif
