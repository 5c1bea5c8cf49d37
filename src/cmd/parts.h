/* parts.h - work that is shared among the ranks of a parallel job: each does its part
 * of the jobs of a process pool, and whoever ends last has all of them.
 *
 * Ranks need nothing in common but a folder that all of them see. A rank leaves what it
 * did there as one file, written whole or not at all; the one that then finds the parts
 * of all takes them together. A rank that is started again finds its part and does
 * nothing twice. */
#ifndef WW_CMD_PARTS_H
#define WW_CMD_PARTS_H

#include "../base/process_pool.h"
#include "cmd.h"

typedef struct {
  uint32_t rank, size;
  const char *folder;
  uint64_t key; /* of what is asked: parts of something else are not taken */
} ww_parts;

#define WW_PARTS_OPTION(T)                                                     \
  WW_OPTION_OF(                                                                \
      T, parts, "parts", "FOLDER",                                             \
      "in a parallel job: where ranks leave their parts (default: beside the " \
      "input)")

/* What the launcher of a parallel job says of this process; size 1 without one.
 * `folder` NULL: beside `input`. */
ww_status
ww_parts_open(ww_cmd *c, const char *folder, const char *input, ww_parts *out);
/* Adds to the key. */
void ww_parts_key(ww_parts *p, const void *bytes, size_t n);
/* ww_process_pool_run of this rank's jobs; p NULL: of all. *mine: this process has the
 * items of all ranks, `done` was called for each. Where not, another one has them. */
ww_status ww_parts_run(const ww_parts *p,
                       const ww_process_pool *pool,
                       uint32_t jobs,
                       bool *mine,
                       ww_err *e);

#endif
