/* submit.h - kernel text that a stranger wrote, put in the place of a file's kernel.
 *
 * A submission is device code: the kernel under its own name and parameters, device
 * functions, types and constants. Anything that the host would run or read (functions,
 * objects, macros, includes), that asks for the time, or that outlives a launch is
 * refused. docs/agent.md lists it; the host code of the file stays as it is. */
#ifndef WW_AGENT_SUBMIT_H
#define WW_AGENT_SUBMIT_H

#include "../ir/ir.h"

#define WW_SUBMIT_MOST (64u << 10) /* bytes of a submission */

/* The file with the submission's kernel for its own, in the arena, and the line that
 * the kernel begins in. NULL: `e` says what to change. */
const char *ww_submit_put(const char *file,
                          const char *kernel,
                          ww_dialect dialect,
                          const char *source,
                          ww_arena *a,
                          uint32_t *line,
                          ww_err *e);

#endif
