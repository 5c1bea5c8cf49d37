/* edit.c - texts before and after: edits applied, launches in the text that follow the
 * kernel, and the difference of two texts as a patch.
 *
 * Launches follow by the expressions that stand there: <<<g, b>>> becomes a dim3 of
 * these, so that whatever the program computes them from still counts. */
#include <ctype.h>
#include <stdlib.h>

#include "optimize.h"
#include "rewrite_int.h"

/* ---- launches in the text ---- */

typedef struct {
  const char *text;
  size_t begin, end; /* of an argument */
} piece;

/* The arguments between <<< and >>>, from `at` behind the first; 0: not closed. */
static uint32_t split_launch(const char *text, size_t at, piece out[4], size_t *end) {
  uint32_t n = 0;
  int depth = 0;
  size_t from = at;
  for (; text[at]; at++) {
    depth += strchr("([{", text[at]) != NULL;
    depth -= strchr(")]}", text[at]) != NULL;
    bool closes = !depth && !strncmp(text + at, ">>>", 3);
    if (depth || (text[at] != ',' && !closes))
      continue;
    if (n < 4)
      out[n++] = (piece){text, from, at};
    from = at + 1;
    *end = at;
    if (closes)
      return n;
  }
  return 0;
}

static const char *piece_text(const piece *p, ww_arena *a) {
  size_t begin = p->begin;
  size_t end = p->end;
  while (begin < end && isspace((unsigned char)p->text[begin]))
    begin++;
  while (end > begin && isspace((unsigned char)p->text[end - 1]))
    end--;
  return ww_strndup(a, p->text + begin, end - begin);
}

static bool is_name_or_number(const char *s) {
  while (*s && (ww_is_word(*s)))
    s++;
  return !*s;
}

static bool is_number(const char *text, uint64_t n) {
  char *end;
  return *text && strtoull(text, &end, 10) == n && !*end;
}

/* One axis of what stands there: of `dim3(a, b)` a, b and 1, of a number itself. */
static const char *axis_of(const char *expr, int axis, ww_arena *a) {
  static const char names[] = "xyz";
  size_t n = strlen(expr);
  int depth = 0;
  int at = 0;
  size_t from = 5;
  if (expr[strspn(expr, "0123456789")] == 0)
    return axis ? "1" : expr;
  for (size_t k = 4; ww_starts(expr, "dim3(") && k < n; k++) {
    depth += (strchr("([{", expr[k]) != NULL) - (strchr(")]}", expr[k]) != NULL);
    bool closes = !depth;
    if (closes && k + 1 < n)
      break; /* dim3(g) and more */
    if (!closes && (depth > 1 || expr[k] != ','))
      continue;
    if (closes && !at)
      break; /* dim3(g): of g nothing is known */
    if (at++ == axis) {
      const piece p = {expr, from, k};
      return piece_text(&p, a);
    }
    from = k + 1;
    if (closes)
      return "1";
  }
  return ww_fmt(a, "dim3(%s).%c", expr, names[axis]);
}

/* Binds at least as a product does. */
static const char *as_factor(const char *expr, ww_arena *a) {
  int depth = 0;
  for (const char *p = expr; *p; p++) {
    depth += (*p == '(') - (*p == ')');
    if (!depth && !ww_is_word(*p) && !strchr(".()", *p))
      return ww_fmt(a, "(%s)", expr);
  }
  return expr;
}

/* A launch as the text has it, and the block that the kernel was looked at with. */
typedef struct {
  const char *grid, *block;
  const uint64_t *threads;
} written;

/* One axis of the new grid, in terms of the old one. Blocks that cover as many elements
 * as they have threads: a launch with blocks of its own needs other blocks than the one
 * that was looked at. */
static const char *
grid_axis(const written *w, int axis, const ww_reshape *r, ww_arena *a) {
  int from = r->swap && axis < 2 ? !axis : axis;
  const char *old = axis_of(w->grid, from, a);
  const char *block = axis_of(w->block, from, a);
  uint32_t was = r->was[axis];
  uint32_t now = r->now[axis];
  if (!was || was == now)
    return old;
  old = as_factor(old, a);
  if (r->block[axis] && was == w->threads[axis] && !is_number(block, was))
    return ww_fmt(a, "(%s * %s + %u) / %u", old, as_factor(block, a), now - 1, now);
  if (now % was == 0)
    return ww_fmt(a, "(%s + %u) / %u", old, now / was - 1, now / was);
  return was % now == 0 ? ww_fmt(a, "%s * %u", old, was / now)
                        : ww_fmt(a, "(%s * %u + %u) / %u", old, was, now - 1, now);
}

static const char *
block_axis(const written *w, int axis, const ww_reshape *r, ww_arena *a) {
  int from = r->swap && axis < 2 ? !axis : axis;
  return r->block[axis] ? ww_fmt(a, "%u", r->block[axis]) : axis_of(w->block, from, a);
}

static const char *
three_axes(const written *w,
           const char *(*axis)(const written *, int, const ww_reshape *, ww_arena *),
           const ww_reshape *r,
           ww_arena *a) {
  const char *y = axis(w, 1, r, a);
  const char *z = axis(w, 2, r, a);
  const char *x = axis(w, 0, r, a);
  return strcmp(y, "1") || strcmp(z, "1") ? ww_fmt(a, "dim3(%s, %s, %s)", x, y, z) : x;
}

/* What does not change stays as it is written. */
static const char *new_grid(const written *w, const ww_reshape *r, ww_arena *a) {
  bool same = !r->swap;
  for (int k = 0; k < 3; k++)
    same = same && (!r->was[k] || r->was[k] == r->now[k]);
  return same ? w->grid : three_axes(w, grid_axis, r, a);
}

static const char *new_block(const written *w, const ww_reshape *r, ww_arena *a) {
  bool same = !r->swap && !r->block[0] && !r->block[1] && !r->block[2];
  return same ? w->block : three_axes(w, block_axis, r, a);
}

/* <<<(n + 255) / 256, 256>>> of one axis is written as a person would. */
static const char *
simple_grid(const char *grid, const char *block, const ww_reshape *r, ww_arena *a) {
  const char *end = ww_fmt(a, " + %u) / %u", r->was[0] - 1, r->was[0]);
  size_t n = strlen(grid);
  size_t m = strlen(end);
  bool known = r->was[0] && !r->swap && r->block[1] <= 1 && r->block[2] <= 1 &&
               is_name_or_number(block) && n > m + 1 && grid[0] == '(' &&
               !strcmp(grid + n - m, end) && !memchr(grid + 1, '(', n - m - 1) &&
               !memchr(grid + 1, ')', n - m - 1);
  if (!known)
    return NULL;
  return ww_fmt(a, "(%.*s + %u) / %u", (int)(n - m - 1), grid + 1, r->now[0] - 1,
                r->now[0]);
}

static void edit_launch(const char *text,
                        size_t at,
                        const ww_reshape *r,
                        const uint64_t threads[3],
                        ww_arena *a,
                        ww_buf *out,
                        size_t *next) {
  piece v[4];
  size_t end = 0;
  uint32_t n = split_launch(text, at, v, &end);
  *next = at;
  if (n < 2)
    return;
  written w = {piece_text(&v[0], a), piece_text(&v[1], a), threads};
  const char *simple = simple_grid(w.grid, w.block, r, a);
  if (simple)
    ww_buf_fmt(out, "%s, %s", simple,
               r->block[0] ? ww_fmt(a, "%u", r->block[0]) : w.block);
  else
    ww_buf_fmt(out, "%s, %s", new_grid(&w, r, a), new_block(&w, r, a));
  *next = v[1].end;
}

static bool changes(const ww_reshape *r) {
  static const ww_reshape none;
  return memcmp(r, &none, sizeof none) != 0;
}

/* The next mention of a kernel from there on, what stands behind it: <<<, or ( of a
 * declaration, or what takes its address; NULL: there is none. An instance of a
 * template is called by the template's name. */
static const char *
next_mention(const char *text, const char *from, const char *kernel) {
  size_t n = strcspn(kernel, "<");
  for (const char *p = from; n && *p; p++)
    if (!strncmp(p, kernel, n) && (p == text || !ww_is_word(p[-1])) &&
        !ww_is_word(p[n])) {
      const char *behind = ww_text_behind(p + n);
      return behind + (*behind == ')' && !strncmp(behind + 1, "<<<", 3));
    }
  return NULL;
}

/* Behind the next kernel<<<; NULL: there is none. */
static const char *next_launch(const char *text, const char *from, const char *kernel) {
  for (const char *p = from; (p = next_mention(text, p, kernel));)
    if (!strncmp(p, "<<<", 3))
      return p + 3;
  return NULL;
}

/* Is it handed to a function that launches it? */
static bool is_launched_by_call(const char *text, const char *kernel) {
  if (!strstr(text, "hipLaunchKernelGGL") && !strstr(text, "LaunchKernelEx") &&
      !strstr(text, "cudaLaunchKernel") && !strstr(text, "cudaLaunchCooperativeKernel"))
    return false;
  for (const char *p = text; (p = next_mention(text, p, kernel));)
    if (*p != '(' && *p != '<')
      return true;
  return false;
}

uint32_t ww_text_launches(const char *text, const char *kernel) {
  uint32_t n = 0;
  for (const char *p = text; (p = next_launch(text, p, kernel));)
    n++;
  return n;
}

/* Every kernel<<<...>>> of the text. NULL: it is launched in a way that cannot be
 * followed. */
static const char *follow_launches(const char *text,
                                   const ww_rewrite_input *in,
                                   const ww_reshape *r,
                                   ww_arena *a) {
  ww_buf out = {0};
  size_t done = 0;
  if (is_launched_by_call(text, in->kernel))
    return NULL;
  for (const char *p = text; (p = next_launch(text, p, in->kernel));) {
    size_t at = p - text;
    ww_buf_add(&out, text + done, at - done);
    edit_launch(text, at, r, in->launch->block, a, &out, &done);
    p = text + done;
  }
  ww_buf_puts(&out, text + done);
  return ww_buf_text(&out, a);
}

/* The `// warpwise:` comment, where the kernel has one. */
static const char *follow_comment(const ww_rewrite_input *in,
                                  const char *text,
                                  const ww_launch *l,
                                  ww_arena *a) {
  ww_fix_source s = {.text = text,
                     .n = strlen(text),
                     .dialect = in->dialect,
                     .kernel = in->kernel,
                     .line = in->line};
  ww_launch shape = {0};
  ww_fix fix;
  if (!ww_source_comment(text, s.n, in->line, a))
    return text;
  memcpy(shape.grid, l->grid, sizeof shape.grid);
  memcpy(shape.block, l->block, sizeof shape.block);
  memcpy(shape.grid_expr, l->grid_expr, sizeof shape.grid_expr);
  memcpy(shape.block_expr, l->block_expr, sizeof shape.block_expr);
  return ww_fix_launch(&s, &shape, a, &fix, NULL)
             ? text
             : ww_fix_apply(text, s.n, &fix, a, NULL);
}

/* New lines end as the file's first one does. */
static const char *with_line_ends(const char *text, const char *old, ww_arena *a) {
  const char *first = strchr(old, '\n');
  ww_buf b = {0};
  if (!first || first == old || first[-1] != '\r')
    return text;
  for (const char *p = text; *p; p++) {
    if (*p == '\n' && (p == text || p[-1] != '\r'))
      ww_buf_puts(&b, "\r");
    ww_buf_add(&b, p, 1);
  }
  return ww_buf_text(&b, a);
}

const char *ww_rewrite_apply(const ww_rewrite_input *in,
                             const ww_rewritten *r,
                             const ww_launch *launch,
                             ww_arena *a) {
  ww_fix fix = {
      .edits = r->edits,
      .n = r->n,
  };
  const char *text = ww_fix_apply(in->syntax->text, in->syntax->bytes, &fix, a, NULL);
  if (changes(&r->shape)) {
    text = follow_launches(text, in, &r->shape, a);
    text = text ? follow_comment(in, text, launch, a) : NULL;
  }
  return text ? with_line_ends(text, in->syntax->text, a) : NULL;
}

/* ---- the difference of two texts ---- */

typedef struct {
  const char *text;
  size_t *at; /* where each line begins, and the end */
  uint32_t n;
} text_lines;

static text_lines cut(const char *text, ww_arena *a) {
  WW_VEC(size_t) at = {0};
  size_t i = 0;
  for (; text[i]; i++)
    if (!i || text[i - 1] == '\n')
      ww_push(a, &at, i);
  uint32_t n = at.n;
  ww_push(a, &at, i);
  return (text_lines){text, at.v, n};
}

static bool
same_line(const text_lines *x, uint32_t i, const text_lines *y, uint32_t j) {
  size_t n = x->at[i + 1] - x->at[i];
  return n == y->at[j + 1] - y->at[j] &&
         !memcmp(x->text + x->at[i], y->text + y->at[j], n);
}

/* Length of the longest common subsequence of what is behind each pair of lines. */
static uint16_t *common(const text_lines *x,
                        const text_lines *y,
                        const uint32_t from,
                        const uint32_t end[2],
                        ww_arena *a) {
  uint32_t rows = end[0] - from + 1;
  uint32_t columns = end[1] - from + 1;
  uint16_t *t = WW_NEWN(a, uint16_t, (size_t)rows * columns);
  for (uint32_t i = rows - 1; i-- > 0;)
    for (uint32_t j = columns - 1; j-- > 0;) {
      uint16_t down = t[(size_t)(i + 1) * columns + j];
      uint16_t right = t[(size_t)i * columns + j + 1];
      t[(size_t)i * columns + j] = same_line(x, from + i, y, from + j)
                                       ? t[(size_t)(i + 1) * columns + j + 1] + 1
                                       : (down > right ? down : right);
    }
  return t;
}

static void add_change(const text_lines *x,
                       const text_lines *y,
                       const uint32_t begin[2],
                       const uint32_t end[2],
                       ww_arena *a,
                       ww_fix *out) {
  if (begin[0] == end[0] && begin[1] == end[1])
    return;
  ww_edit *v = WW_NEWN(a, ww_edit, out->n + 1);
  if (out->n)
    memcpy(v, out->edits, out->n * sizeof *v);
  v[out->n++] = (ww_edit){
      x->at[begin[0]], x->at[end[0]],
      ww_strndup(a, y->text + y->at[begin[1]], y->at[end[1]] - y->at[begin[1]])};
  out->edits = v;
}

void ww_edits_between(const char *old, const char *now, ww_arena *a, ww_fix *out) {
  text_lines x = cut(old, a);
  text_lines y = cut(now, a);
  uint32_t from = 0;
  uint32_t end[2] = {x.n, y.n};
  *out = (ww_fix){0};
  while (from < x.n && from < y.n && same_line(&x, from, &y, from))
    from++;
  while (end[0] > from && end[1] > from && same_line(&x, end[0] - 1, &y, end[1] - 1)) {
    end[0]--;
    end[1]--;
  }
  uint32_t columns = end[1] - from + 1;
  if ((uint64_t)(end[0] - from + 1) * columns > 16u << 20) {
    add_change(&x, &y, (uint32_t[2]){from, from}, end, a, out);
    return;
  }
  const uint16_t *t = common(&x, &y, from, end, a);
  uint32_t at[2] = {from, from};
  uint32_t begin[2] = {from, from};
  while (at[0] < end[0] && at[1] < end[1]) {
    size_t k = (size_t)(at[0] - from) * columns + (at[1] - from);
    if (same_line(&x, at[0], &y, at[1])) {
      add_change(&x, &y, begin, at, a, out);
      begin[0] = ++at[0];
      begin[1] = ++at[1];
    } else
      at[t[k + columns] < t[k + 1]]++;
  }
  add_change(&x, &y, begin, end, a, out);
}

void ww_patch_write(
    const char *path, const char *old, const char *now, ww_arena *a, ww_buf *out) {
  ww_fix fix;
  ww_edits_between(old, now, a, &fix);
  if (fix.n)
    ww_fix_diff(path, old, strlen(old), &fix, out);
}
