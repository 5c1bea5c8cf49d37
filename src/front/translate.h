/* translate.h - LLVM bitcode of the device side in, Warpwise IR out; internal to
 * src/front/. */
#ifndef WW_FRONT_LOWER_H
#define WW_FRONT_LOWER_H

#include "../ir/ir.h"

/* Links the n device modules (internal clashes are renamed), lowers every kernel and
 * what it calls, checks the result. raw: clang has not optimised them, that is done
 * here. A kernel that cannot be lowered is listed with its refusal. Everything returned
 * lives in `a`. */
ww_status ww_lower_bitcode(const void *bitcode[],
                           const size_t sizes[],
                           uint32_t n,
                           ww_dialect d,
                           bool raw,
                           ww_arena *a,
                           ww_module *out,
                           ww_err *e);

#endif
