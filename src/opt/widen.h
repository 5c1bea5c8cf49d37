/* widen.h - a kernel whose single precision is double: what it would compute if it did
 * not round. */
#ifndef WW_OPT_WIDEN_H
#define WW_OPT_WIDEN_H

#include "../ir/ir.h"

/* A copy of the module in which every f32 of fn and of what it calls is an f64; memory
 * keeps its layout, so that values are rounded where they are stored. A kernel's own
 * f32 parameters become f64 ones. False: it uses matrix instructions, which have no
 * f64 form. */
bool ww_widen(const ww_module *m, const ww_fn *fn, ww_arena *a, ww_module *out);

#endif
