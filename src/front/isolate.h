/* isolate.h - LLVM in processes of its own, for servers: an optimiser that takes too
 * long, takes too much memory or crashes costs its own request alone. */
#ifndef WW_FRONT_ISOLATE_H
#define WW_FRONT_ISOLATE_H

#include "../base/child.h"

/* From now on, where `program` (this one) called as `program --lower DIALECT RAW` ends
 * up in ww_front_lower_child. NULL: in this process, as at the start. Set before
 * threads are. */
void ww_isolate_by(const char *program);
const char *ww_isolate_program(void);
/* From now on in children forked from this process, with so much memory each (0: no
 * limit); quicker, as nothing has to be loaded again. What ww_isolate_by says goes
 * before. */
void ww_isolate_fork(uint64_t bytes);
bool ww_isolated(void); /* one of the two */
/* Such a child, without rights; `work` and `ctx` are the caller's to set. */
ww_child ww_isolate_child(double deadline);
/* LLVM in this process after all: not while a child is made, which would have its locks
 * and not their owner. */
void ww_isolate_enter(void);
void ww_isolate_leave(void);

/* main: LLVM without memory ends the program with a message. (memory.c) */
void ww_front_out_of_memory(void);

#endif
