/* code.h - what a kernel is, as a key: equal keys mean equal predictions, whatever else
 * of the file was edited. */
#ifndef WW_QUERY_CODE_H
#define WW_QUERY_CODE_H

#include "../ir/ir.h"
#include "../report/report.h"
#include "memo.h"

/* Of the kernel's instructions, those of all it may call, and the module's variables
 * (their addresses depend on all of them). `lines`: also where each instruction stands
 * in the source, as seen from the kernel's line where it is in the same file, for
 * answers that name lines. */
ww_key ww_code_key(const ww_module *m, const ww_fn *fn, bool lines);
/* The report of a kernel that stands `by` lines further down in its file by now. */
void ww_code_move(const char *file, int64_t by, ww_arena *a, ww_report *r);

#endif
