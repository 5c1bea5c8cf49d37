/* ptx.h - PTX text in, Warpwise IR out. No LLVM, no clang. */
#ifndef WW_FRONT_PTX_H
#define WW_FRONT_PTX_H

#include "../ir/ir.h"

/* Reads a PTX module (n bytes, ended by NUL): every kernel, and what it calls. One that
 * has an instruction which is not known is listed with its refusal. Lines are those of
 * the source that `.loc` names, or, where it names none, of the text itself, whose name
 * is `path`. Everything returned lives in `a`. */
ww_status ww_ptx_read(const char *text,
                      size_t n,
                      const char *path,
                      ww_arena *a,
                      ww_module *out,
                      ww_err *e);

/* The text is PTX: .version comes first, behind comments. */
bool ww_ptx_begins(const char *text);

#endif
