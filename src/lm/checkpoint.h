/* checkpoint.h - the state of a training on disk: arrays of floats in shards of at most
 * 16 MiB, each with its hash, and a manifest.
 *
 *   DIR/00000400/manifest.json        written last; a folder without one is nothing
 *   DIR/00000400/values-0000.f32 ...  little-endian floats
 *
 * A checkpoint is written under another name and takes its place by one rename; the one
 * before it stays beside it. So a crash, a full disk or a damaged file costs at most
 * the steps since the last good one. */
#ifndef WW_LM_CHECKPOINT_H
#define WW_LM_CHECKPOINT_H

#include "../base/jsonread.h"

enum { WW_CHECKPOINT_SHARD = 16 << 20, WW_CHECKPOINT_KEPT = 2 };

typedef struct {
  const char *name; /* letters */
  uint64_t n;       /* floats */
} ww_checkpoint_array;

/* What is saved: `get` fills array i, one at a time. `state` is a JSON object of the
 * caller's. An array with a value that is not finite is not saved (WW_EDATA): what is
 * there stays the last good one. */
typedef struct {
  uint64_t step;
  const char *state;
  const ww_checkpoint_array *arrays;
  uint32_t n;
  void (*get)(void *ctx, uint32_t i, float *to);
  void *ctx;
  /* at most; 0: WW_CHECKPOINT_SHARD, which is the most there may be */
  uint32_t shard_bytes;
} ww_checkpoint_plan;
ww_status ww_checkpoint_save(const char *dir, const ww_checkpoint_plan *p, ww_err *e);

typedef struct {
  uint64_t step;
  const cJSON *state; /* of its manifest */
  char note[512];     /* why a newer one was not taken; "" */
  cJSON *manifest;
  char *path; /* its folder */
} ww_checkpoint;
/* The newest one whose every shard is whole. WW_EIO: there is none at all; WW_EDATA:
 * none is good, with what is wrong with the newest. */
ww_status ww_checkpoint_open(const char *dir, ww_checkpoint *out, ww_err *e);
void ww_checkpoint_close(ww_checkpoint *c);
ww_status ww_checkpoint_read(
    const ww_checkpoint *c, const char *name, uint64_t n, float *to, ww_err *e);
uint64_t ww_checkpoint_floats(const ww_checkpoint *c,
                              const char *name); /* of an array; 0: it has none */

#endif
