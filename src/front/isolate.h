/* isolate.h - bitcode to IR in a process of its own, for servers: an optimiser that
 * takes too long, takes too much memory or crashes costs its own request alone. */
#ifndef WW_FRONT_ISOLATE_H
#define WW_FRONT_ISOLATE_H

#include "front.h"

/* From now on, where `program` (this one) called as `program --lower DIALECT RAW` ends
 * up in ww_isolate_child. NULL: in this process, as at the start. Set before threads
 * are. */
void ww_isolate_by(const char *program);
/* From now on in children forked from this process, with so much memory each (0: no
 * limit); quicker, as nothing has to be loaded again. What ww_isolate_by says goes
 * before. */
void ww_isolate_fork(uint64_t bytes);
bool ww_isolated(void); /* one of the two */
/* Something of LLVM's in such a child, which gives up its environment, files and
 * network first (base/confine.h); free `out` in any case. */
ww_status ww_isolate_run(void (*work)(void *ctx, ww_buf *out),
                         void *ctx,
                         double deadline,
                         ww_buf *out,
                         ww_err *e);
/* LLVM in this process after all: not while a child is made, which would have its locks
 * and not their owner. */
void ww_isolate_enter(void);
void ww_isolate_leave(void);
ww_status ww_isolate_lower(const void *bitcode,
                           size_t n,
                           ww_dialect d,
                           bool raw,
                           double timeout_s,
                           ww_arena *a,
                           ww_module *out,
                           ww_err *e);
/* The child's side: bitcode on stdin, IR on stdout. */
ww_status
ww_isolate_child(const char *dialect, const char *raw, ww_arena *a, ww_err *e);

/* main: LLVM without memory ends the program with a message. (memory.c) */
void ww_front_out_of_memory(void);

#endif
