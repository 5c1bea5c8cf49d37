/* infer_int.h - what the files of inference share: a model in memory, a session, one
 * step of it.
 *
 * A pass of the caller's is cut into steps of at most WW_STEP_ROWS tokens, so that what
 * lies between two products stays in the cache. */
#ifndef WW_LM_INFER_INT_H
#define WW_LM_INFER_INT_H

#include <math.h>
#include <stdlib.h>

#include "infer.h"
#include "kernels.h"
#include "team.h"

enum { WW_STEP_ROWS = 256 };

typedef struct {
  /* qkv: q, k and v, each from a whole panel on; gate_up: panels of gate and up in turn
   */
  ww_matrix qkv, o, gate_up, down;
  const float *norm_attn, *norm_mlp; /* [width] */
  const float *bias;                 /* of qkv, [its panels x 16]; NULL: none */
} ww_lm_layer;

struct ww_lm {
  ww_arena *arena;
  ww_lm_config c;
  const struct ww_lm_path *path;
  ww_dtype type; /* of the matrices in memory */
  ww_tokenizer *tokenizer;
  ww_lm_layout layout;
  float *flat; /* exact: every parameter, layout order */
  /* fast */
  const ww_kernels *k;
  ww_team *team;
  void *block; /* the matrices and their tiles: one mapping */
  size_t block_bytes;
  ww_matrix embed, untied; /* untied: the head where it is not the embedding */
  ww_matrix number;        /* the numbers head, always F32 */
  const ww_matrix *head;
  ww_lm_layer *layers;
  uint32_t at_k, at_v,
      qkv_width; /* where k and v begin in a row of q, k, v; its width with padding */
  const float *norm_final, *feature_w, *feature_b,
      *number_b; /* F32, NULL where the model has none */
};

typedef struct {
  uint32_t length;
  bool described;  /* its features are given */
  float *features; /* [config.features] */
} ww_lm_sequence;

/* Rows of a step; all arrays [n]. */
typedef struct {
  uint32_t n, nwanted;
  int32_t token[WW_STEP_ROWS];
  uint32_t sequence[WW_STEP_ROWS], pos[WW_STEP_ROWS];
  uint32_t wanted[WW_STEP_ROWS]; /* [nwanted]: rows */
} ww_lm_step;

struct ww_lm_session {
  ww_lm *m;
  uint32_t sequences, tokens; /* room */
  ww_lm_sequence *sequence;
  ww_lm_step step;
  float *cos, *sin; /* [tokens][head_size / 2] */
  void *cache;      /* keys and values, one mapping; layout: exact or fast */
  size_t cache_bytes;
  void *work;     /* buffers of a step (infer_exact.c, infer_fast.c) */
  uint32_t *seen; /* [sequences]: tokens that the pass at hand adds, for its check */
};

/* Memory that costs nothing until it is touched, 64-byte aligned and zero; NULL: there
 * is none. */
void *ww_lm_map(size_t bytes);
void ww_lm_unmap(void *p, size_t bytes);
/* What the features of row r's sequence add to its embedding; false: nothing. */
bool ww_lm_described(const ww_lm_session *s, uint32_t row);
void ww_lm_add_features(
    const ww_lm_session *s, uint32_t row, const float *w, const float *b, float *x);

/* A way through the model. */
struct ww_lm_path {
  /* bytes of a sequence's part of the cache */
  size_t (*cache)(const ww_lm *m, uint32_t tokens);
  bool (*make)(ww_lm_session *s); /* buffers; false: no memory */
  void (*free)(ww_lm_session *s); /* where there are none, too */
  /* Outputs of wanted rows, either may be NULL. */
  void (*step)(ww_lm_session *s, float *logits, float *numbers);
};
extern const struct ww_lm_path ww_lm_exact, ww_lm_fast;

/* ---- models of llama2.c (llama2c.c) ---- */

bool ww_llama2c_is(const char *path); /* its name ends in .bin and its header is one */
/* Configuration and all parameters in layout order; *flat is malloc'd. */
ww_status ww_llama2c_read(const char *path,
                          ww_lm_config *c,
                          ww_arena *a,
                          ww_lm_layout *l,
                          float **flat,
                          ww_err *e);

#endif
