/* fixes.h - findings as edits of the source: what a person would type, where the text
 * alone shows that it is right.
 *
 * Text in, edits out: no clang, no files. Invariants: edits of a fix are sorted, do not
 * overlap, lie inside the text and never in a comment or a string (but for the `//
 * warpwise:` comment itself); a text that a fix was applied to is not offered the same
 * fix again. Which rule has which fix, and why others have none, is the table
 * fixes.def; docs/explain.md shows it. */
#ifndef WW_SERVE_FIXES_H
#define WW_SERVE_FIXES_H

#include "../../ir/ir.h"
#include "../../report/report.h"

typedef struct {
  uint32_t begin, end; /* bytes [begin, end) of the text; begin == end inserts */
  const char *text;    /* what stands there instead, NUL-terminated */
} ww_edit;

typedef struct {
  const char *rule; /* of the finding; "launch" for ww_fix_launch */
  /* one line, imperative, no full stop: "Write 3 constants as float"; says what is
   * assumed and whether the launch changes */
  const char *title;
  const char *assumes; /* what the text cannot prove: "out overlaps no other buffer";
                          NULL: nothing */
  /* nothing is assumed, and it removes the finding's cause: may be applied without a
   * look */
  bool preferred;
  bool launch; /* the launch has to change too, as the title says */
  ww_edit *edits;
  uint32_t n;
} ww_fix;

typedef struct {
  const char *text; /* of the file that holds the kernel, NUL-terminated */
  size_t n;         /* its bytes, without the NUL */
  ww_dialect dialect;
  const char *kernel; /* its name, plain or mangled; NULL: the one at `line` */
  /* where it is declared, 1-based, as ww_fn and ww_query_answer have it; 0: by name */
  uint32_t line;
  /* the one the finding is about (of its report), NULL: unknown */
  const ww_launch *launch;
} ww_fix_source;

/* The fixes of one finding, best first; 0 where there is no local and safe one. The
 * finding has to be about this very text: its `file` is the caller's business, its line
 * may be outside of the kernel (a function that was inlined). Any text and any line are
 * fine. */
uint32_t
ww_fixes_find(const ww_fix_source *s, const ww_finding *f, ww_arena *a, ww_fix **out);

/* The `// warpwise: grid=... block=... n=...` comment of the kernel: written above it,
 * or what it has is changed: settings of `l` go over those that stand there, the others
 * stay as they are written. What the comment has no words for (structs, symbols, flags)
 * is left out. To set what a person typed, parse it with ww_launch_comment first. Fails
 * when there is no such kernel (WW_EUSAGE) or nothing to set. */
ww_status ww_fix_launch(
    const ww_fix_source *s, const ww_launch *l, ww_arena *a, ww_fix *out, ww_err *e);
/* Settings alone, "grid=4096 block=256 n=1048576 x=[1048576]"; types[i] is parameter
 * i's C type, as "const float *"; NULL or "" unknown. An argument that has no name is
 * `arg.0`. */
const char *ww_launch_settings(const ww_launch *l,
                               const char *const *types,
                               uint32_t ntypes,
                               ww_arena *a);

/* Of a finding's fixes the one to take: the first that assumes nothing, else (asked for
 * or not) the first. */
const ww_fix *ww_fix_choose(const ww_fix *v, uint32_t n, bool assume);
/* Are the edits of `x` among those of `all`? Two findings may have the same remedy. */
bool ww_fix_holds(const ww_fix *all, const ww_fix *x);
/* The text after the fix; *n gets its bytes where n is not NULL. */
char *
ww_fix_apply(const char *text, size_t bytes, const ww_fix *f, ww_arena *a, size_t *n);
/* Puts the edits of `add` to those of `to`; false, and nothing done, where they overlap
 * (or are the same). */
bool ww_fix_join(ww_fix *to, const ww_fix *add, ww_arena *a);
/* A unified diff of the fix, three lines of context, `path` in its head. */
void ww_fix_diff(
    const char *path, const char *text, size_t bytes, const ww_fix *f, ww_buf *out);

#endif
