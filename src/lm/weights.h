/* weights.h - tensors in files: safetensors (one file, or shards with an index) and
 * GGUF v3, mapped into memory.
 *
 * A file is somebody else's: every offset, size and count is checked against the file
 * before a byte of data is touched, and two tensors never share bytes. What cannot be
 * trusted is an error that names the tensor. */
#ifndef WW_LM_WEIGHTS_H
#define WW_LM_WEIGHTS_H

#include "../base/base.h"

/* Q8_0: blocks of 32 values, a half-precision scale and 32 signed bytes: 34 bytes. */
typedef enum {
  WW_DTYPE_F32,
  WW_DTYPE_F16,
  WW_DTYPE_BF16,
  WW_DTYPE_Q8_0,
  WW_DTYPE_I8,
  WW_DTYPE_I32,
  WW_DTYPE_I64,
  WW_DTYPE_U8,
  WW_NDTYPE
} ww_dtype;

const char *ww_dtype_name(ww_dtype t);     /* "F32", as safetensors spells it */
ww_dtype ww_dtype_named(const char *name); /* WW_NDTYPE: none of ours */
/* 0 where `values` is no whole number of blocks */
uint64_t ww_dtype_bytes(ww_dtype t, uint64_t values);
/* Between any of F32, F16, BF16, Q8_0 and floats, n values (of Q8_0: a multiple of 32);
 * rounds to nearest even. */
void ww_to_f32(float *to, const void *from, ww_dtype type, uint64_t n);
void ww_from_f32(void *to, ww_dtype type, const float *from, uint64_t n);
/* The two as plain loops, to read; test_lm_weights.c holds the fast ones to their bits.
 */
void ww_to_f32_plain(float *to, const void *from, ww_dtype type, uint64_t n);
void ww_from_f32_plain(void *to, ww_dtype type, const float *from, uint64_t n);

typedef struct {
  const char *name;
  ww_dtype type;
  uint32_t ndim;   /* 0 to 4 */
  uint64_t dim[4]; /* outermost first, in both formats: a matrix is rows, columns */
  /* in the mapped file, at a multiple of the type's size (copied to one where the file
   * has it elsewhere) */
  const void *data;
  uint64_t bytes;
  /* as the file spells it; `type` is WW_NDTYPE where it is none of ours (listed, never
   * read); writers ignore it */
  const char *type_name;
  /* Writers: floats to be converted on the way, where `data` is NULL. */
  const float *floats;
  /* > 0: of Q or K, so many heads, whose rows GGUF wants in the order of neighbours */
  uint32_t turn_heads;
} ww_tensor;

/* A value of the metadata: of GGUF's key/value pairs, or of safetensors' __metadata__
 * (all text).
 */
typedef enum {
  WW_META_UINT,
  WW_META_INT,
  WW_META_REAL,
  WW_META_BOOL,
  WW_META_TEXT,
  WW_META_ARRAY
} ww_meta_kind;
typedef struct ww_meta {
  const char *key;
  ww_meta_kind kind;
  uint64_t u; /* UINT and BOOL; INT as its bits */
  double real;
  const char *text;
  uint32_t text_n; /* bytes; a token may hold a NUL */
  ww_meta_kind of; /* ARRAY: of what; `items` has n of them, without keys */
  uint64_t n;
  struct ww_meta *items;
} ww_meta;

typedef struct ww_weights ww_weights;
/* A .gguf, a .safetensors, a model.safetensors.index.json, or a folder that has one of
 * these. */
ww_status ww_weights_open(const char *path, ww_weights **out, ww_err *e);
void ww_weights_close(ww_weights *w); /* accepts NULL */
uint32_t ww_weights_count(const ww_weights *w);
const ww_tensor *ww_weights_at(const ww_weights *w, uint32_t i);
/* NULL: there is none */
const ww_tensor *ww_weights_find(const ww_weights *w, const char *name);
/* NULL: there is none */
const ww_meta *ww_weights_meta(const ww_weights *w, const char *key);
uint32_t ww_weights_nmeta(const ww_weights *w);
const ww_meta *ww_weights_meta_at(const ww_weights *w, uint32_t i);

/* The same of a file that lies in memory, for tests of hostile bytes: millions of files
 * by way of a disk would be too slow. The bytes must outlive the result. */
ww_status ww_weights_parse(const void *bytes, size_t n, ww_weights **out, ww_err *e);

/* Writing, temp + rename; a full disk leaves what was there. `meta` of safetensors must
 * be text. Shards of at most `shard_bytes` each (0: one file) get HF's names and an
 * index. */
ww_status ww_safetensors_write(const char *path,
                               const ww_tensor *t,
                               uint32_t n,
                               const ww_meta *meta,
                               uint32_t nmeta,
                               ww_err *e);
ww_status ww_safetensors_write_sharded(
    const char *dir, const ww_tensor *t, uint32_t n, uint64_t shard_bytes, ww_err *e);
ww_status ww_gguf_write(const char *path,
                        const ww_tensor *t,
                        uint32_t n,
                        const ww_meta *meta,
                        uint32_t nmeta,
                        ww_err *e);

#endif
