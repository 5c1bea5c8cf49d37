/* code.h - what a kernel is, as a key: equal keys mean equal predictions, whatever else of the file was edited. */
#ifndef WW_SERVE_CODE_H
#define WW_SERVE_CODE_H

#include "../ir/ir.h"
#include "keep.h"

/* Of the kernel's instructions, those of all it may call, and the module's variables (their addresses hang on all of them). `lines`: also
 * where each instruction stands in the source, for answers that name lines. */
ww_key ww_code_key(const ww_module *m, const ww_fn *fn, bool lines);

#endif
