/* text.c - reads a kernel as text and completes its launch from the comment above it.
 */
#include "text.h"

#include "../front/front.h"
#include "input.h"

void ww_text_reader_free(ww_text_reader *s) {
  ww_arena_free(s->arena);
  *s = (ww_text_reader){0};
}

static const char *key_of(const ww_launch *l, ww_arena *a) {
  const char *key = ww_fmt(a, "%s\n%s", l->file, l->kernel ? l->kernel : "");
  for (uint32_t k = 0; k < l->nflags; k++)
    key = ww_fmt(a, "%s\n%s", key, l->flags[k]);
  return key;
}

static ww_status load(ww_text_reader *s, const ww_launch *l, ww_arena *a, ww_err *e) {
  const char *key = key_of(l, a);
  char *text;
  size_t n;
  uint32_t line;
  if (s->key && !strcmp(s->key, key))
    return WW_OK;
  ww_text_reader_free(s);
  s->arena = ww_arena_new();
  ww_status st = ww_input_check(l->file, e);
  if (!st)
    st = ww_read_file(s->arena, l->file, 64 << 20, &text, &n, e);
  if (!st)
    st = ww_question_read(text, n, l->kernel, l->flags, l->nflags, s->arena, &s->kernel,
                          e);
  if (st) {
    if (!e->file)
      e->file = l->file;
    ww_text_reader_free(s);
    return st;
  }
  ww_question_name(s->kernel, &line);
  s->comment = ww_front_comment_in(text, n, line, s->arena);
  s->key = ww_strdup(s->arena, key);
  return WW_OK;
}

ww_status ww_text_reader_ready(
    ww_text_reader *s, ww_launch *l, ww_arena *a, ww_assumptions *said, ww_err *e) {
  ww_launch_params p = {0};
  ww_status st = load(s, l, a, e);
  if (st)
    return st;
  p.n = ww_question_params(s->kernel, &p.names, &p.elem_bytes, a);
  bool whole = l->grid[0] && l->block[0] && l->nargs >= p.n;
  st = ww_launch_settle(l, whole ? NULL : s->comment, NULL, &p, a, e);
  if (!st && !(l->grid[0] && l->block[0]))
    st = ww_fail(e, WW_EUSAGE,
                 "%s: its grid and block are not known: say --grid and --block, give a "
                 "launch spec "
                 "(--launch), or a comment "
                 "`// warpwise: grid=n/256 block=256 n=1<<20`",
                 ww_question_name(s->kernel, NULL));
  for (uint32_t k = 0; !st && said && k < l->nargs && k < p.n; k++)
    if (l->args[k].kind == WW_ARG_NONE)
      ww_push(a, said,
              (ww_assumption){WW_ASSUME_NOT_GIVEN, ww_strdup(a, p.names[k]), {0}});
  return st;
}
