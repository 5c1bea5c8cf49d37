/* weights_int.h - what the readers and writers of weights share. */
#ifndef WW_LM_WEIGHTS_INT_H
#define WW_LM_WEIGHTS_INT_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/map.h"
#include "weights.h"

/* ---- names to places (weights.c) ---- */

bool ww_names_add(ww_dict *t,
                  ww_arena *a,
                  const char *name,
                  uint32_t at); /* false: it is there already; the name is not copied */

/* ---- an open file ---- */

/* puts the file's name in front of what went wrong with it; returns rc */
ww_status ww_file_named(ww_status rc, const char *path, ww_err *e);
struct ww_weights {
  ww_arena *a;
  bool gguf;
  /* of the file that was opened (in a folder, the one found there); NULL: parsed from
   * memory */
  const char *path;
  WW_VEC(ww_tensor) tensors;
  WW_VEC(ww_meta) metas;
  ww_dict tensor_names, meta_names;
  struct {
    void *at;
    size_t n;
  } * maps; /* mmapped files */
  uint32_t nmaps;
};
/* Adds what a header describes to w; bytes must outlive it. */
ww_status
ww_weights_add_safetensors(ww_weights *w, const uint8_t *bytes, size_t n, ww_err *e);
ww_status ww_weights_add_gguf(ww_weights *w, const uint8_t *bytes, size_t n, ww_err *e);

ww_status ww_weights_add_tensor(ww_weights *w,
                                const ww_tensor *t,
                                ww_err *e); /* names are told apart */
ww_status ww_weights_add_meta(ww_weights *w, const ww_meta *m, ww_err *e);
/* Of tensors[first ..], all of whose data lies in [data, data + n): no two share bytes;
 * `filled`: nor do any lie between them. */
ww_status ww_weights_check_ranges(ww_weights *w,
                                  uint32_t first,
                                  const uint8_t *data,
                                  uint64_t n,
                                  bool filled,
                                  ww_err *e);
bool ww_product(const uint64_t *dim,
                uint32_t ndim,
                uint64_t *out); /* false: it does not fit 64 bits */

/* ---- a file that is being written (out.c): it takes its name when all of it is on the
 * disk ----
 */

typedef struct {
  int fd, slot; /* slot: of temp, for cleaning up */
  const char *path;
  char temp[PATH_MAX];
  uint64_t at; /* bytes written */
  ww_err *e;
  ww_status rc; /* the first failure; everything after it does nothing */
} ww_out;
/* path must outlive it */
ww_status ww_out_open(ww_out *o, const char *path, ww_err *e);
void ww_out_write(ww_out *o, const void *bytes, uint64_t n);
/* all of it on the disk, not yet under its name; removes it where something failed */
ww_status ww_out_finish(ww_out *o);
ww_status ww_out_commit(ww_out *o);   /* takes its name; after ww_out_finish */
void ww_sync_folder(const char *dir); /* its names reach the disk */
void ww_out_drop(ww_out *o);          /* instead of ww_out_commit */
ww_status ww_out_close(ww_out *o);    /* finish and commit */

/* 0 where a row of this type cannot be */
uint64_t ww_tensor_bytes(const ww_tensor *t);
void ww_out_tensor(ww_out *o, const ww_tensor *t); /* its bytes */

#endif
