/* sample_int.h - what sample.c (which launches) and knobs.c (what of a launch can move)
 * share. */
#ifndef WW_DATA_SAMPLE_INT_H
#define WW_DATA_SAMPLE_INT_H

#include "sample.h"

typedef enum {
  WW_KNOB_SIZE, /* an integer that the grid or a buffer's size is an expression of */
  /* one that the block or the shared memory depends on: small steps, powers of two */
  WW_KNOB_SMALL,
  WW_KNOB_WORK, /* another integer: rounds, steps, strides */
  /* elements of a buffer whose size depends on nothing and whose contents are a
     permutation of it */
  WW_KNOB_TABLE
} ww_knob_kind;

typedef struct {
  uint32_t param;
  uint8_t kind; /* ww_knob_kind */
  bool mask;    /* 2^k - 1 */
  const char *name;
  int64_t value; /* in the base */
  uint32_t elem; /* WW_KNOB_TABLE: bytes of an element */
} ww_knob;

enum { WW_KNOBS_MAX = 16 };
typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  ww_launch base; /* not resolved */
  ww_launch at;   /* completed */
  ww_knob v[WW_KNOBS_MAX];
  uint32_t n;
  bool moves_grid; /* a size does */
  bool strides;    /* the kernel asks how many blocks there are */
  bool axis[3];    /* it asks for its block's index on that axis */
  /* it asks for the block's size, and nothing else seems to depend on it */
  bool block_free;
} ww_knobs;

/* A place for every knob. */
typedef struct {
  int64_t value[WW_KNOBS_MAX];
  uint64_t block[3]; /* 0: the base's */
} ww_knob_setting;

ww_status ww_knobs_find(const ww_module *m,
                        const ww_fn *fn,
                        const ww_launch *base,
                        ww_arena *a,
                        ww_knobs *out,
                        ww_err *e);
/* The base's launch with its knobs so set, resolved: grid, block and given buffers have
 * their sizes. */
ww_status ww_knobs_turn(const ww_knobs *k,
                        const ww_knob_setting *s,
                        ww_arena *a,
                        ww_launch *out,
                        ww_err *e);
/* Sizes that were plain numbers are taken back where the launch has more threads than
 * the base: the memory analysis finds them anew. */
void ww_knobs_free_sizes(const ww_knobs *k, ww_launch *l);

static inline uint64_t ww_blocks(const ww_launch *l) {
  return l->grid[0] * l->grid[1] * l->grid[2];
}
static inline uint64_t ww_block_threads(const ww_launch *l) {
  return l->block[0] * l->block[1] * l->block[2];
}

#endif
