/* forks.h - independent pieces of work, each in a child process of its own: one that crashes or
 * hangs costs itself alone. */
#ifndef WW_CMD_FORKS_H
#define WW_CMD_FORKS_H

#include "../base/base.h"

typedef struct {
  void *ctx;
  void (*work)(void *ctx, uint32_t index, FILE *out); /* in the child */
  /* In the parent, in order of ending. text: what the child wrote before it ended; died: why it did
   * not end well, or NULL. */
  void (*done)(void *ctx, uint32_t index, char *text, const char *died);
  uint32_t jobs;    /* at a time; 0: one per core */
  uint32_t limit_s; /* of a piece; 0: none */
  const char *what; /* for the progress bar */
} ww_forks;

ww_status ww_forks_run(const ww_forks *f, uint32_t n, ww_err *e);

#endif
