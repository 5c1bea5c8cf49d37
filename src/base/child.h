/* child.h - work in a process of its own, forked from this one: it can be ended at any
 * moment, and one that crashes, takes too long or too much memory costs itself alone.
 *
 * For work that reads what this process has and gives back some bytes. The child has
 * this thread alone: nothing it calls may take a lock of ours that another thread could
 * hold. */
#ifndef WW_BASE_CHILD_H
#define WW_BASE_CHILD_H

#include "base.h"

typedef struct {
  /* in the child; what it puts into `out` comes back */
  void (*work)(void *ctx, ww_buf *out);
  void *ctx;
  double deadline; /* ww_now's clock; 0: none */
  /* of memory on top of what this process has; 0: no limit */
  uint64_t bytes;
  /* it gives up its environment, files and network first (confine.h) */
  bool confined;
  /* it keeps its priority: nobody but who waits for it uses the machine */
  bool eager;
  /* asked many times a second, in this process; NULL: never */
  bool (*cancelled)(void *ctx);
  void *cancelled_ctx;
} ww_child;

/* This process answers many clients: a child that takes long leaves the processor to
 * the others wholly. */
void ww_child_for_many(void);

/* WW_OK: `out` has all that the child wrote; free it in any case. WW_ELIMIT: its time
 * was over, or its memory (e->line is 0 and the message says which). WW_ECANCEL.
 * WW_EUNSUPPORTED: it crashed. WW_EIO: it could not be started. */
ww_status ww_child_run(const ww_child *c, ww_buf *out, ww_err *e);

#endif
