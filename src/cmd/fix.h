/* fix.h - `warpwise explain --fix`: the edits of findings, gathered over kernels, shown
 * as a unified diff, written to the files. */
#ifndef WW_CMD_FIX_H
#define WW_CMD_FIX_H

#include "../predict/advice/advice.h"
#include "../predict/advice/fixes.h"
#include "cmd.h"

typedef struct {
  bool fix, write, assume;
} ww_fix_options;

/* clang-format off */
#define WW_FIX_OPTIONS(T) \
  WW_OPTION_OF(T, fixing.fix, "fix", NULL, \
            "what local edits would do about the findings, as a unified diff"), \
  WW_OPTION_OF(T, fixing.assume, "assume", NULL, \
            "with --fix: edits that assume what the text cannot prove, too"), \
  WW_OPTION_OF(T, fixing.write, "write", NULL, \
            "with --fix: write them to the files")
/* clang-format on */

typedef struct ww_fixing ww_fixing;
/* Lives in c's arena. WW_EUSAGE where options do not go together. */
ww_status ww_fixing_new(ww_cmd *c, const ww_fix_options *o, ww_fixing **out);
/* Takes the findings of one report; the first fix of each that may be taken joins the
 * diff. */
void ww_fixing_add(ww_fixing *f,
                   const ww_module *m,
                   const ww_fn *fn,
                   const ww_report *r);
/* A line for people who did not ask for fixes: which findings have one; "" where none
 * does. */
const char *
ww_fixing_hint(ww_cmd *c, const ww_module *m, const ww_fn *fn, const ww_report *r);
/* `fixes` of a JSON report: every fix of every finding. */
void ww_fixing_json(
    ww_fixing *f, const ww_module *m, const ww_fn *fn, const ww_report *r, ww_json *j);
/* Shows the diff (not with --json), writes the files. */
ww_status ww_fixing_end(ww_fixing *f);

#endif
