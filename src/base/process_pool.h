/* process_pool.h - jobs in child processes, so many at a time.
 *
 * A job is one or more items; each job has a child of its own, forked from this
 * process. One that crashes or takes too long costs the item that it was at, and
 * nothing else. The child begins and ends its items, and what it sends in between comes
 * back as the item's bytes. */
#ifndef WW_BASE_PROCESS_POOL_H
#define WW_BASE_PROCESS_POOL_H

#include "base.h"

typedef struct ww_worker ww_worker;                /* a child's way to its parent */
void ww_worker_begin(ww_worker *w, uint32_t item); /* its time begins */
void ww_worker_send(ww_worker *w, const void *bytes, size_t n);
void ww_worker_end(ww_worker *w);

typedef struct {
  char why[80]; /* "took longer than 2 s", "ended the program (signal 6)" */
  int signal;   /* 0: none */
  bool late;
} ww_worker_death;

typedef struct {
  void *ctx;
  void (*work)(void *ctx, uint32_t job, ww_worker *w); /* in the child */
  /* In the parent, in order of ending. bytes: all that was sent of the item, and a NUL;
   * death: why its child did not end it, or NULL. */
  void (*done)(
      void *ctx, uint32_t item, char *bytes, size_t n, const ww_worker_death *death);
  uint32_t processes; /* at a time; 0: one per core */
  uint32_t limit_s;   /* of an item; 0: none */
  /* a job whose child died is worked on again: it leaves out what was done */
  bool resume;
  uint32_t items;   /* of all jobs, for the progress bar */
  const char *what; /* for the progress bar */
} ww_process_pool;

/* WW_EIO: a process could not be started; what was running is done first. */
ww_status ww_process_pool_run(const ww_process_pool *p, uint32_t jobs, ww_err *e);

#endif
