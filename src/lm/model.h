/* model.h - what a model is: its configuration, its parameters by name and place, and
 * its folder.
 *
 * One forward path serves every architecture; what differs is a row of ww_lm_archs and
 * the members of ww_lm_config. Two heads sit on the one trunk: the next token, and
 * `numbers` pairs of mean and log spread, read at any position. Optional numeric
 * inputs: a document that begins with `feature_tokens` tokens may add to their
 * embeddings a linear map of its `features` numbers. */
#ifndef WW_LM_MODEL_H
#define WW_LM_MODEL_H

#include "weights.h"

typedef enum { WW_LM_LLAMA, WW_LM_QWEN2, WW_LM_NARCHS } ww_lm_arch;
typedef struct {
  const char *model_type;   /* config.json: "llama" */
  const char *architecture; /* config.json: "LlamaForCausalLM" */
  const char *gguf;         /* general.architecture */
  bool qkv_bias;            /* unless config.json says otherwise (attention_bias) */
  /* GGUF stores rows of Q and K for rotation of neighbours; ours rotates halves as
   * Hugging Face does */
  bool gguf_permutes_qk;
} ww_lm_arch_info;
extern const ww_lm_arch_info ww_lm_archs[WW_LM_NARCHS];

enum { WW_LM_MAX_HEAD = 1024 }; /* largest head_size */
typedef enum { WW_ROPE_PLAIN, WW_ROPE_LINEAR, WW_ROPE_LLAMA3 } ww_rope_kind;
typedef struct {
  ww_lm_arch arch;
  /* hidden: of the MLP */
  uint32_t vocab, width, layers, heads, kv_heads, head_size, hidden;
  /* most tokens of a sequence */
  uint32_t context;
  float norm_eps;
  bool tied; /* the head is the embedding */
  bool qkv_bias;
  float rope_theta;
  ww_rope_kind rope;
  float rope_factor, rope_low, rope_high; /* LINEAR: factor; LLAMA3: all */
  uint32_t rope_original;                 /* LLAMA3: context it was trained with */
  int32_t bos, eos[4];                    /* -1: none */
  uint32_t neos;
  uint32_t numbers;                  /* of the regression head; 0: none */
  uint32_t features, feature_tokens; /* numeric inputs; 0: none */
} ww_lm_config;

/* sizes that fit together, nothing 0 or absurd */
ww_status ww_lm_config_check(const ww_lm_config *c, ww_err *e);
ww_status ww_lm_config_parse(const char *json,
                             size_t n,
                             ww_lm_config *out,
                             ww_err *e); /* config.json */
ww_status ww_lm_config_of_gguf(const ww_weights *w, ww_lm_config *out, ww_err *e);
void ww_lm_config_print(
    const ww_lm_config *c,
    ww_buf *json); /* a config.json that transformers loads; ours under "warpwise" */
uint64_t ww_lm_config_params(const ww_lm_config *c); /* how many, tied ones once */
/* Angles of rotary embedding: cos and sin of position p and pair i at [(p * head_size /
 * 2 + i) * 2]; n positions. */
void ww_lm_rope_table(const ww_lm_config *c, uint32_t n, float *table);
/* radians a position, of each of head_size / 2 pairs */
void ww_lm_rope_freqs(const ww_lm_config *c, float *freq);

/* ---- the parameters in one flat buffer (layout.c) ---- */

typedef enum {
#define PARAM(id, hf, gguf, rows, cols, group, when) WW_P_##id,
#include "params.def"
  WW_NPARAMS
} ww_param_id;

typedef struct {
  ww_param_id id;
  uint32_t layer;   /* 0 where there is one only */
  const char *name; /* Hugging Face's, with its layer */
  /* first element in the flat buffer; a multiple of 64, unless it follows q, k, gate or
   * their biases */
  uint64_t at;
  uint64_t rows, cols; /* cols 1: a vector */
} ww_lm_slot;

typedef struct {
  ww_lm_slot *v;
  uint32_t n;
  uint64_t total; /* elements of the flat buffer, padding included */
  /* elements before the first vector: the part that weight decay applies to */
  uint64_t matrices;
  uint32_t first[WW_NPARAMS],
      /* index into v + 1 (0: this model has none), from layer to layer */
      step[WW_NPARAMS];
} ww_lm_layout;

/* In the order of params.def: the matrices (embed; all of layer 0; layer 1; ...; head;
 * ...), then the vectors likewise. */
void ww_lm_layout_make(const ww_lm_config *c, ww_arena *a, ww_lm_layout *out);
const ww_lm_slot *ww_lm_param(const ww_lm_layout *l,
                              ww_param_id id,
                              uint32_t layer); /* NULL: this model has none */
enum { WW_LM_NAME = 96 };
/* its name in a GGUF */
void ww_lm_param_gguf(const ww_lm_slot *p, char name[WW_LM_NAME]);

/* ---- a model on disk: weights.c opens it, folder.c reads and writes parameters ----
 */

/* Opens weights and configuration of a .gguf or of a folder with config.json;
 * `tokenizer` (may be NULL) gets the path that ww_tokenizer_open takes: the .gguf
 * itself or the folder's tokenizer.json, in the arena. */
ww_status ww_lm_open_files(const char *path,
                           ww_arena *a,
                           ww_weights **w,
                           ww_lm_config *c,
                           const char **tokenizer,
                           ww_err *e);

/* One parameter as floats, in our order (Q and K of a llama GGUF put back), shape
 * checked. */
ww_status ww_lm_read_param(const ww_weights *w,
                           const ww_lm_config *c,
                           const ww_lm_slot *p,
                           float *to,
                           ww_err *e);
/* All of them into a flat buffer of layout.total floats. */
ww_status ww_lm_read_params(const ww_weights *w,
                            const ww_lm_config *c,
                            const ww_lm_layout *l,
                            float *flat,
                            ww_err *e);
/* Writes DIR/config.json and DIR/model.safetensors (F32, F16 or BF16; shards beyond 4
 * GB); `tokenizer_from` (may be NULL): a tokenizer.json to copy beside them. */
ww_status ww_lm_write_folder(const char *dir,
                             const ww_lm_config *c,
                             const float *flat,
                             ww_dtype type,
                             const char *tokenizer_from,
                             ww_err *e);
/* The same as one .gguf; matrices of `type` (Q8_0 too), vectors F32; the tokenizer
 * inside where `tokenizer_from` is given. */
ww_status ww_lm_write_gguf(const char *path,
                           const ww_lm_config *c,
                           const float *flat,
                           ww_dtype type,
                           const char *tokenizer_from,
                           ww_err *e);

#endif
