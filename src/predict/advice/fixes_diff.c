/* fixes_diff.c - the edits of a fix as a unified diff, which `patch` and `git apply`
 * take.
 *
 * No search for a longest common part: the edits say what changed. A hunk is a run of
 * edits less than seven lines apart. */
#include "fixes.h"

enum { CONTEXT = 3 };

typedef struct {
  const char *text;
  size_t n;
  const size_t *line; /* where each begins, and one more: n */
  size_t nlines;
} lines;

static lines cut_lines(const char *text, size_t n, ww_arena *a) {
  WW_VEC(size_t) at = {0};
  for (size_t i = 0; i < n; i++)
    if (!i || text[i - 1] == '\n')
      ww_push(a, &at, i);
  size_t nlines = at.n;
  ww_push(a, &at, n);
  return (lines){text, n, at.v, nlines};
}

/* 0-based; the end of the text is behind the last line */
static size_t line_of(const lines *l, size_t at) {
  size_t lo = 0;
  size_t hi = l->nlines;
  while (hi - lo > 1) {
    size_t mid = (lo + hi) / 2;
    if (l->line[mid] <= at)
      lo = mid;
    else
      hi = mid;
  }
  return at >= l->n && l->n && l->text[l->n - 1] == '\n' ? l->nlines : lo;
}

static size_t put_text(ww_buf *b, char sign, const char *s, size_t n) {
  size_t count = 0;
  for (const char *end = s + n, *next; s < end; s = next, count++) {
    next = memchr(s, '\n', end - s);
    bool whole = next;
    next = whole ? next + 1 : end;
    ww_buf_add(b, &sign, 1);
    ww_buf_add(b, s, next - s);
    if (!whole)
      ww_buf_puts(b, "\n\\ No newline at end of file\n");
  }
  return count;
}

/* A run of lines that is replaced as a whole. */
typedef struct {
  size_t first, last; /* old lines, last exclusive */
  ww_buf now;
} change;
typedef WW_VEC(change) changes;

/* Old lines that an edit touches; where whole lines take the place of whole lines, the
 * one behind is not touched. */
static void span(const lines *l, const ww_edit *e, size_t *first, size_t *last) {
  size_t n = strlen(e->text);
  size_t behind = line_of(l, e->end);
  *first = line_of(l, e->begin);
  bool whole = e->begin == l->line[*first] && e->end == l->line[behind] &&
               (n ? e->text[n - 1] == '\n' : e->end > e->begin);
  *last = whole ? behind : behind + 1;
  if (*last > l->nlines)
    *last = l->nlines;
}

/* The edits from *k on that share lines, or lie in neighbouring ones. */
static change change_of(const lines *l, const ww_fix *f, uint32_t *k) {
  change c = {0};
  size_t first;
  size_t last;
  size_t at = 0;
  for (bool more = false; *k < f->n; (*k)++, more = true) {
    const ww_edit *e = &f->edits[*k];
    span(l, e, &first, &last);
    if (more && first > c.last)
      break;
    if (!more) {
      c.first = c.last = first;
      at = l->line[first];
    }
    ww_buf_add(&c.now, l->text + at, e->begin - at);
    ww_buf_puts(&c.now, e->text);
    at = e->end;
    if (last > c.last)
      c.last = last;
  }
  ww_buf_add(&c.now, l->text + at, l->line[c.last] - at);
  return c;
}

static void put_hunk(const lines *l,
                     const changes *c,
                     uint32_t i,
                     uint32_t j,
                     long *shift,
                     ww_buf *out) {
  size_t from = c->v[i].first > CONTEXT ? c->v[i].first - CONTEXT : 0;
  size_t to = c->v[j - 1].last + CONTEXT;
  size_t at = from;
  size_t added = 0;
  size_t gone = 0;
  ww_buf body = {0};
  if (to > l->nlines)
    to = l->nlines;
  for (uint32_t k = i; k < j; k++) {
    const change *h = &c->v[k];
    put_text(&body, ' ', l->text + l->line[at], l->line[h->first] - l->line[at]);
    gone += put_text(&body, '-', l->text + l->line[h->first],
                     l->line[h->last] - l->line[h->first]);
    added += put_text(&body, '+', h->now.s ? h->now.s : "", h->now.n);
    at = h->last;
  }
  put_text(&body, ' ', l->text + l->line[at], l->line[to] - l->line[at]);
  size_t old = to - from;
  size_t now = old - gone + added;
  ww_buf_fmt(out, "@@ -%zu,%zu +%ld,%zu @@\n", from + (old > 0), old,
             (long)from + (now > 0) + *shift, now);
  ww_buf_add(out, body.s ? body.s : "", body.n);
  *shift += (long)added - (long)gone;
  ww_buf_free(&body);
}

void ww_fix_diff(
    const char *path, const char *text, size_t bytes, const ww_fix *f, ww_buf *out) {
  ww_arena *a = ww_arena_new();
  lines l = cut_lines(text, bytes, a);
  changes c = {0};
  long shift = 0;
  for (uint32_t k = 0; k < f->n;)
    ww_push(a, &c, change_of(&l, f, &k));
  if (c.n)
    ww_buf_fmt(out, "--- %s%s\n+++ %s%s\n", path[0] == '/' ? "" : "a/", path,
               path[0] == '/' ? "" : "b/", path);
  for (uint32_t i = 0; i < c.n;) {
    uint32_t j = i + 1;
    while (j < c.n && c.v[j].first <= c.v[j - 1].last + 2 * CONTEXT)
      j++;
    put_hunk(&l, &c, i, j, &shift, out);
    i = j;
  }
  for (uint32_t k = 0; k < c.n; k++)
    ww_buf_free(&c.v[k].now);
  ww_arena_free(a);
}
