/* comment.c - the `// warpwise: grid=n/256 block=256 n=1<<20` comment that gives a
 * kernel its launch. */
#include "front_int.h"

static const char mark[] = "warpwise:";

/* Text behind the mark up to the end of its line or comment. */
static const char *text_at(const ww_scan *s, uint32_t at, ww_arena *a) {
  uint32_t i = at + strlen(mark);
  uint32_t end = i;
  while (end < s->n && s->text[end] != '\n' && s->kind[end] == WW_BYTE_COMMENT)
    end++;
  if (end - i >= 2 && !memcmp(s->text + end - 2, "*/", 2))
    end -= 2;
  while (i < end && strchr(" \t", s->text[i]))
    i++;
  while (end > i && strchr(" \t\r", s->text[end - 1]))
    end--;
  return ww_strndup(a, s->text + i, end - i);
}

/* Bytes that belong to a kernel for this purpose: its declaration and all comments
 * above it. */
static uint32_t reach_up(const ww_scan *s, uint32_t begin) {
  while (begin && (s->kind[begin - 1] == WW_BYTE_COMMENT ||
                   strchr(" \t\r\n", s->text[begin - 1])))
    begin--;
  return begin;
}

/* Whether the byte belongs to a kernel: then it says nothing about others. */
static bool is_of_a_kernel(const ww_scan *s, uint32_t at) {
  for (uint32_t i = 0; i < s->ndecls; i++)
    if (s->decls[i].kernel && at >= reach_up(s, s->decls[i].begin) &&
        at < s->decls[i].end)
      return true;
  return false;
}

const char *ww_front_comment(const char *file, uint32_t line, ww_arena *a) {
  char *text;
  size_t n;
  if (ww_read_file(a, file, WW_SOURCE_MAX, &text, &n, NULL))
    return NULL;
  return ww_front_comment_in(text, n, line, a);
}

const char *
ww_front_comment_in(const char *text, size_t n, uint32_t line, ww_arena *a) {
  ww_scan s;
  if (!strstr(text, mark))
    return NULL;
  ww_scan_source(text, n, a, &s);
  const ww_decl *d = ww_scan_decl_at(&s, ww_scan_offset(&s, line, 1));
  for (uint32_t i = 0; i < s.ndecls && !d;
       i++) /* the line of the name inside a longer declaration */
    if (s.decls[i].line == line)
      d = &s.decls[i];
  uint32_t lo = d ? reach_up(&s, d->begin) : 0;
  uint32_t hi = d ? d->end : 0;
  uint32_t count = 0;
  const char *only = NULL;
  for (const char *p = text; (p = strstr(p, mark)); p += strlen(mark)) {
    uint32_t at = p - text;
    if (s.kind[at] != WW_BYTE_COMMENT)
      continue;
    if (d && at >= lo && at < hi)
      return text_at(&s, at, a);
    count++;
    only = p;
  }
  return count == 1 && !is_of_a_kernel(&s, only - text) ? text_at(&s, only - text, a)
                                                        : NULL;
}
