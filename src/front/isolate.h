/* isolate.h - bitcode to IR in a process of its own, for servers: an optimiser that takes too long, takes too much memory or crashes costs
 * its own request alone. */
#ifndef WW_FRONT_ISOLATE_H
#define WW_FRONT_ISOLATE_H

#include "front.h"

/* From now on, where `program` (this one) called as `program --lower DIALECT RAW` ends up in ww_isolate_child. NULL: in this process, as at
 * the start. Set before threads are. */
void ww_isolate_by(const char *program);
bool ww_isolated(void);
ww_status ww_isolate_lower(const void *bitcode, size_t n, ww_dialect d, bool raw, double timeout_s, ww_arena *a, ww_module *out, ww_err *e);
/* The child's side: bitcode on stdin, IR on stdout. */
ww_status ww_isolate_child(const char *dialect, const char *raw, ww_arena *a, ww_err *e);

/* main: LLVM without memory ends the program with a message. (memory.c) */
void ww_front_out_of_memory(void);

#endif
