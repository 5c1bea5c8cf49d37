/* code.h - what a kernel is, as a key: equal keys mean equal predictions, whatever else of the file
 * was edited. */
#ifndef WW_QUERY_CODE_H
#define WW_QUERY_CODE_H

#include "../ir/ir.h"
#include "memo.h"

/* Of the kernel's instructions, those of all it may call, and the module's variables (their
 * addresses hang on all of them). `lines`: also where each instruction stands in the source, as
 * seen from the kernel's line where it is in the same file, for answers that name lines. */
ww_key ww_code_key(const ww_module *m, const ww_fn *fn, bool lines);
/* Where a kernel stands: what an answer says of places, and the key does not hold. */
typedef struct {
  const char *file;
  uint32_t line;
  const char *host; /* what is said of its launch in the host code; NULL: nothing */
} ww_code_place;
/* The report of a kernel that has moved within its file since. */
const char *ww_code_moved(const char *json, const ww_code_place *was, const ww_code_place *now,
                          ww_arena *a);

#endif
