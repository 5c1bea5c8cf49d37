/* recover.c - compiles a file that clang rejects, by taking out as little of it as
 * possible.
 *
 * clang says where it stumbles; scan.c says what stands there. Each round turns every
 * error into an edit of a virtual copy of the file (-ivfsoverlay: names and line
 * numbers stay) and runs clang again: a header that is missing becomes empty; a
 * statement of host code goes, but a launch of a template kernel keeps its
 * instantiation; a body of device code becomes a call of the undefined
 * __ww_lost_<id>, so that no kernel which reaches it can be mistaken for a whole one;
 * what stands at file scope goes as a declaration. An edit that is rejected again grows
 * to the next larger construct. Files of the system, of the shim and of an SDK are
 * never edited: errors there are charged to the user's line that led to them. */
#include "front_int.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 12
#define HEADER_ROUNDS 48
#define STATEMENT_ROUNDS                                       \
  6 /* after these a function that still fails goes as a whole \
     */
#define STATEMENTS_TOLD                                                     \
  8 /* diagnostics about lost statements of host code; the rest is a number \
     */

typedef enum { KEEP_LAUNCH, STATEMENT, BODY, DECLARATION, GIVEN_UP } level;

typedef struct {
  uint32_t begin, end; /* bytes of the original text */
  level level;
  const char *text; /* in their place; the newlines of the range follow it */
  uint32_t pass;    /* made in this one */
} edit;

typedef struct {
  const char *path;  /* absolute, without . and .. */
  const char *shown; /* as clang spells it */
  char *text;
  size_t n;
  ww_scan scan;
  WW_VEC(edit) edits; /* disjoint, by position */
  /* per byte of the rendered text: offset in the original; malloc-owned, NULL before
   * the first render */
  uint32_t *origin;
  uint32_t rendered_n;
  uint32_t *rendered_lines, nrendered_lines; /* offsets of line starts; malloc-owned */
} source;

typedef struct {
  ww_clang_job job;
  ww_arena *a;
  WW_VEC(source *) files;
  ww_strings missing; /* headers to pretend */
  ww_losses *losses;
  ww_diags *diags;
  uint32_t first_loss, round, pass, statements;
  ww_overlay overlay;
  const char *main_path;
  bool append_failed;
} recovery;

/* ---- paths ---- */

static bool below(const char *path, const char *dir) {
  size_t n = dir ? strlen(dir) : 0;
  return n && !strncmp(path, dir, n) && (path[n] == '/' || dir[n - 1] == '/');
}

/* A #line may name any file: only those that clang itself could have read are looked
 * into. */
static bool is_visible(const recovery *r, const char *path) {
  char real[PATH_MAX];
  if (!r->job.nvisible)
    return true;
  if (!realpath(path, real))
    return false;
  for (uint32_t i = 0; i < r->job.nvisible; i++)
    if (below(real, r->job.visible[i]))
      return true;
  return false;
}

static bool is_main(const recovery *r, const char *path) {
  return !strcmp(path, r->main_path);
}

static bool is_user_file(const recovery *r, const char *path) {
  if (is_main(r, path) && r->job.in_memory)
    return true;
  if (!is_visible(r, path))
    return false;
  if (is_main(r, path))
    return true;
  if (path[0] != '/' || below(path, ww_shim_dir(r->a)) || below(path, r->job.sdk))
    return false;
  return below(path, ww_path_dir(r->a, r->main_path)) ||
         (!below(path, "/usr") && !below(path, "/opt") && !below(path, "/proc") &&
          !access(path, R_OK));
}

static source *open_source(recovery *r, const char *shown) {
  if (!shown || shown[0] == '<')
    return NULL;
  const char *path = ww_plain_path(shown, r->a);
  for (uint32_t i = 0; i < r->files.n; i++)
    if (!strcmp(r->files.v[i]->path, path))
      return r->files.v[i];
  if (!is_user_file(r, path))
    return NULL;
  source *s = WW_NEW(r->a, source);
  *s = (source){.path = path, .shown = shown};
  if (r->job.in_memory && is_main(r, path)) {
    s->scan = *r->job.scan;
    s->text = (char *)(uintptr_t)s->scan.text;
    s->n = s->scan.n;
  } else {
    if (ww_read_file(r->a, path, WW_SOURCE_MAX, &s->text, &s->n, NULL))
      return NULL;
    ww_scan_source(s->text, s->n, r->a, &s->scan);
  }
  ww_push(r->a, &r->files, s);
  return s;
}

/* ---- edits and their rendering ---- */

static void
add_text(source *s, ww_buf *b, const char *text, size_t n, uint32_t origin, bool step) {
  for (size_t i = 0; i < n; i++)
    s->origin[b->n + i] = origin + i * step;
  ww_buf_add(b, text, n);
}

static void render(source *s, const char *append, ww_buf *b) {
  size_t most = s->n + 1 + (append ? strlen(append) : 0);
  for (uint32_t i = 0; i < s->edits.n; i++)
    most += strlen(s->edits.v[i].text);
  s->origin = ww_xrealloc(s->origin, most * sizeof *s->origin);
  uint32_t at = 0;
  for (uint32_t i = 0; i < s->edits.n; i++) {
    const edit *x = &s->edits.v[i];
    add_text(s, b, s->text + at, x->begin - at, at, true);
    add_text(s, b, x->text, strlen(x->text), x->begin, false);
    for (uint32_t k = x->begin; k < x->end; k++)
      if (s->text[k] == '\n')
        add_text(s, b, "\n", 1, x->begin, false);
    at = x->end;
  }
  add_text(s, b, s->text + at, s->n - at, at, true);
  if (append)
    add_text(s, b, append, strlen(append), s->n, false);
  s->rendered_n = b->n;
  s->rendered_lines =
      ww_xrealloc(s->rendered_lines, (b->n + 1) * sizeof *s->rendered_lines);
  s->rendered_lines[0] = 0;
  s->nrendered_lines = 1;
  for (uint32_t i = 0; i < b->n; i++)
    if (b->s[i] == '\n')
      s->rendered_lines[s->nrendered_lines++] = i + 1;
}

/* Place of a message in the original text. */
static uint32_t offset_of(const source *s, uint32_t line, uint32_t col) {
  if (!s->origin)
    return ww_scan_offset(&s->scan, line, col);
  if (!line || line > s->nrendered_lines)
    return s->n;
  uint32_t at = s->rendered_lines[line - 1] + (col ? col - 1 : 0);
  return at < s->rendered_n ? s->origin[at] : s->n;
}

static edit *edit_at(source *s, uint32_t offset) {
  for (uint32_t i = 0; i < s->edits.n; i++)
    if (offset >= s->edits.v[i].begin && offset < s->edits.v[i].end)
      return &s->edits.v[i];
  return NULL;
}

static bool are_apart(const edit *x, const edit *y) {
  return x->end <= y->begin || x->begin >= y->end;
}

/* Puts an edit in, over any it covers. False: it only repeats, or cuts across, what is
 * there. */
static bool put_edit(recovery *r, source *s, edit x) {
  if (x.begin >= x.end)
    return false;
  uint32_t keep = 0;
  uint32_t at;
  for (uint32_t i = 0; i < s->edits.n; i++) {
    const edit *o = &s->edits.v[i];
    bool inside = o->begin >= x.begin && o->end <= x.end,
         same = o->begin == x.begin && o->end == x.end;
    if ((!are_apart(o, &x) && !inside) || (same && o->level >= x.level))
      return false;
  }
  for (uint32_t i = 0; i < s->edits.n; i++)
    if (are_apart(&s->edits.v[i], &x))
      s->edits.v[keep++] = s->edits.v[i];
  s->edits.n = keep;
  x.pass = r->pass;
  ww_push(r->a, &s->edits, x);
  for (at = s->edits.n - 1; at && s->edits.v[at - 1].begin > x.begin; at--)
    s->edits.v[at] = s->edits.v[at - 1];
  s->edits.v[at] = x;
  return true;
}

/* ---- the overlay ---- */

/* The files as they are edited by now. */
static bool make_overlay(recovery *r) {
  ww_overlay_close(&r->overlay);
  ww_overlay_begin(&r->overlay, &r->job, r->a);
  for (uint32_t i = 0; i < r->files.n; i++) {
    source *s = r->files.v[i];
    bool main = is_main(r, s->path);
    ww_buf b = {0};
    if (!s->edits.n && !(main && (r->job.append || r->job.in_memory)))
      continue;
    render(s, main ? r->job.append : NULL, &b);
    const char *text = b.s ? b.s : "";
    if (main)
      r->job.input = ww_overlay_main(&r->overlay, s->path, text, b.n);
    else
      ww_overlay_file(&r->overlay, s->path, ww_overlay_memory(&r->overlay, text, b.n));
    ww_buf_free(&b);
  }
  r->job.overlay = ww_overlay_end(&r->overlay, &r->missing);
  return r->job.overlay;
}

/* ---- what to take out ---- */

static bool is_code(const ww_scan *s, uint32_t i) {
  return s->kind[i] == WW_BYTE_CODE;
}

/* The brace that closes the one at `i`, or `end`. */
static uint32_t closing_brace(const ww_scan *s, uint32_t i, uint32_t end) {
  uint32_t at = ww_scan_braces(s, i) - 1;
  return at < end ? at : end;
}

/* The statement of [body, body_end) around `offset`: from behind the last ; { } to its
 * own end. When `offset` lies in the head of a block (`if (...) {`), only the head. */
static void find_statement(const ww_scan *s,
                           uint32_t body,
                           uint32_t body_end,
                           uint32_t offset,
                           uint32_t *begin,
                           uint32_t *end) {
  static const char *const heads[] = {"if",     "for",   "while", "else",
                                      "switch", "catch", NULL};
  uint32_t start = body + 1;
  uint32_t i;
  int parens = 0;
  for (i = body + 1; i < offset && i < body_end; i++) {
    if (!is_code(s, i))
      continue;
    char c = s->text[i];
    parens += c == '(' || c == '[';
    parens -= (c == ')' || c == ']') && parens;
    /* for (;;) stays whole; a lambda's body inside a call does not cut */
    if (c == '{' && parens)
      i = closing_brace(s, i, body_end);
    else if (!parens && (c == ';' || c == '{' || c == '}'))
      start = i + 1;
  }
  while (start < body_end && (!is_code(s, start) || ww_is_space(s->text[start])) &&
         start < offset)
    start++;
  parens = 0;
  for (i = start; i + 1 < body_end; i++) {
    if (!is_code(s, i))
      continue;
    char c = s->text[i];
    parens += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (parens > 0)
      continue;
    if (c == ';') {
      i++;
      break;
    }
    if (c == '}' || (c == '{' && ww_begins(s->text + start, heads)))
      break;
    /* an initialiser or a lambda belongs to it */
    if (c == '{')
      i = closing_brace(s, i, body_end - 1);
  }
  *begin = start;
  *end = i;
}

/* "kern<float, 256><<<" in the statement: "kern<float, 256>", or NULL. */
static const char *
launched_template(const ww_scan *s, uint32_t begin, uint32_t end, ww_arena *a) {
  for (uint32_t i = begin; i + 3 < end; i++) {
    if (!is_code(s, i) || !ww_starts(s->text + i, "<<<"))
      continue;
    uint32_t last = i;
    while (last > begin && ww_is_space(s->text[last - 1]))
      last--;
    if (last == begin || s->text[last - 1] != '>')
      return NULL;
    int depth = 0;
    uint32_t k = last;
    while (k > begin) {
      k--;
      if (s->text[k] == '>')
        depth++;
      if (s->text[k] == '<' && --depth == 0)
        break;
    }
    while (k > begin && (ww_is_word(s->text[k - 1]) || s->text[k - 1] == ':'))
      k--;
    char *out = ww_strndup(a, s->text + k, last - k);
    for (char *p = out; *p; p++)
      if (*p == '\n')
        *p = ' ';
    return out;
  }
  return NULL;
}

/* Of the file as it was written; 0 where the message points to another line. */
static uint32_t
column_of(recovery *r, const source *s, uint32_t line, const ww_msg *m) {
  if (open_source(r, m->file) != s)
    return 0;
  uint32_t at = offset_of(s, m->line, m->col);
  if (at >= s->n || ww_scan_line(&s->scan, at) != line)
    return 0;
  uint32_t begin = at;
  while (begin && s->text[begin - 1] != '\n')
    begin--;
  return at - begin + 1;
}

static void
report(recovery *r, const source *s, uint32_t line, const char *what, const ww_msg *m) {
  ww_push(r->a, r->diags,
          (ww_diag){s->shown, line, column_of(r, s, line, m), true, false,
                    ww_fmt(r->a, "%s: %s", what, m->text), ww_strdup(r->a, m->text)});
}

static void lose(recovery *r,
                 const source *s,
                 const ww_decl *d,
                 const ww_msg *m,
                 uint32_t line,
                 bool whole) {
  /* a body that goes as a whole now */
  for (uint32_t i = r->first_loss; i < r->losses->n; i++) {
    ww_loss *l = &r->losses->v[i];
    bool same = l->name && d->name ? !strcmp(l->name, d->name) : l->name == d->name;
    if (l->line == d->line && same && !strcmp(l->file, s->shown)) {
      l->whole |= whole;
      return;
    }
  }
  uint32_t col = column_of(r, s, line, m);
  const char *place = ww_fmt(r->a, "%s:%u", ww_path_base(s->shown), line);
  if (col)
    place = ww_fmt(r->a, "%s:%u", place, col);
  ww_loss l = {.id = r->losses->n,
               .file = s->shown,
               .line = d->line,
               .name = d->name,
               .kernel = d->kernel,
               .whole = whole,
               .told = d->name ? r->diags->n : 0,
               .message = ww_fmt(r->a, "%s: %s", place, m->text)};
  if (d->params_end > d->params)
    l.params = ww_strndup(r->a, s->text + d->params, d->params_end - d->params);
  ww_push(r->a, r->losses, l);
}

/* The body that stands for a lost one. Its call says which loss it is; see front.c. */
static const char *lost_body(const recovery *r, const ww_decl *d) {
  bool two_sides = r->job.dialect == WW_CUDA || r->job.dialect == WW_HIP;
  if (!d->kernel && !d->device && two_sides)
    return "{ __builtin_trap(); }";
  const char *sides = two_sides ? "__attribute__((host)) __attribute__((device)) " : "";
  return ww_fmt(
      r->a, "{ extern %svoid __ww_lost_%u(void); __ww_lost_%u(); __builtin_trap(); }",
      sides, r->losses->n, r->losses->n);
}

/* A preprocessor line goes, with its continuation lines. */
static bool drop_directive(recovery *r, source *s, uint32_t offset, const ww_msg *m) {
  uint32_t begin = offset;
  uint32_t end = ww_scan_directive_end(&s->scan, offset);
  while (!ww_scan_directive(&s->scan, begin))
    begin--;
  if (!put_edit(r, s, (edit){begin, end, DECLARATION, "", 0}))
    return false;
  report(r, s, ww_scan_line(&s->scan, begin), "this line was left out", m);
  return true;
}

static bool drop_statement(recovery *r,
                           source *s,
                           const ww_decl *d,
                           uint32_t offset,
                           level lv,
                           const ww_msg *m) {
  edit x = {.level = lv, .text = ";"};
  find_statement(&s->scan, d->body, d->body_end, offset, &x.begin, &x.end);
  const char *launch =
      lv == KEEP_LAUNCH ? launched_template(&s->scan, x.begin, x.end, r->a) : NULL;
  if (launch)
    x.text = ww_fmt(r->a, "(void)&%s;", launch);
  else if (x.end < s->n && s->text[x.end] == '{')
    x.text = "";
  if (!launch && lv == KEEP_LAUNCH)
    x.level = STATEMENT;
  if (!put_edit(r, s, x))
    return false;
  if (!launch && memmem(s->text + x.begin, x.end - x.begin, "<<<",
                        3)) { /* with it may go a template's only instance */
    ww_decl lost = {.line = ww_scan_line(&s->scan, x.begin)};
    lose(r, s, &lost, m, lost.line, true);
  }
  if (r->statements++ < STATEMENTS_TOLD)
    report(r, s, ww_scan_line(&s->scan, offset),
           "a statement of host code was left out", m);
  return true;
}

/* The `#pragma omp target` construct around `offset`, from its '#' to the end of its
 * statement. Regions of data are none. */
static bool find_region(const ww_scan *s,
                        const ww_decl *d,
                        uint32_t offset,
                        uint32_t *begin,
                        uint32_t *end) {
  for (uint32_t i = d->body; i < d->body_end && i <= offset; i++) {
    if (!ww_scan_directive(s, i))
      continue;
    uint32_t stop = ww_scan_directive_end(s, i);
    const char *omp = memmem(s->text + i, stop - i, "omp", 3);
    const char *target =
        omp ? memmem(omp, (size_t)(s->text + stop - omp), "target", 6) : NULL;
    if (!target)
      continue;
    const char *next = target + 6 + strspn(target + 6, " \t");
    static const char *const data[] = {"data", "enter", "exit", "update", NULL};
    if (ww_begins(next, data))
      continue;
    *begin = i;
    *end = ww_scan_statement_end(s, stop);
    if (offset < *end)
      return true;
  }
  return false;
}

/* Any target directive but `declare target` runs on the host. */
static bool has_region(const ww_scan *s, const ww_decl *d) {
  for (uint32_t i = d->body; i < d->body_end; i++) {
    if (!ww_scan_directive(s, i))
      continue;
    size_t n = strcspn(s->text + i, "\n");
    if (memmem(s->text + i, n, "target", 6) && !memmem(s->text + i, n, "declare", 7))
      return true;
  }
  return false;
}

/* Code of which a statement may go without changing what a kernel does. In the host
 * half nothing may: a launch whose arguments were computed by a lost statement would
 * come out wrong. With OpenMP any function may be called from a target region, so only
 * those that hold one are surely the host's. */
static bool is_host_only(const recovery *r, const source *s, const ww_decl *d) {
  if (r->job.dialect == WW_OPENMP && !has_region(&s->scan, d) &&
      !(d->name && !strcmp(d->name, "main")))
    return false;
  return !d->kernel && !d->device && r->job.dialect != WW_OPENCL && !r->job.host;
}

/* An OpenMP kernel is a statement of a host function. */
static bool drop_region(
    recovery *r, source *s, const ww_decl *d, uint32_t offset, const ww_msg *m) {
  uint32_t begin;
  uint32_t end;
  uint32_t line;
  if (!find_region(&s->scan, d, offset, &begin, &end) ||
      !put_edit(r, s, (edit){begin, end, BODY, ";", 0}))
    return false;
  line = ww_scan_line(&s->scan, begin);
  ww_decl region = {.line = line,
                    .kernel = true,
                    .name = ww_fmt(r->a, "%s_l%u", d->name ? d->name : "region", line)};
  report(r, s, line, ww_fmt(r->a, "target region '%s' was left out", region.name), m);
  lose(r, s, &region, m, ww_scan_line(&s->scan, offset), true);
  return true;
}

/* The body of the declaration, or all of it. */
static bool drop(recovery *r,
                 source *s,
                 const ww_decl *d,
                 level lv,
                 uint32_t line,
                 const ww_msg *m) {
  bool body = lv == BODY;
  edit part = {d->body, d->body_end, BODY, lost_body(r, d), 0};
  edit whole = {d->begin, d->end, DECLARATION, "", 0};
  if (!put_edit(r, s, body ? part : whole))
    return false;
  const char *name = d->name ? d->name : "?";
  const char *what = "a declaration was left out";
  if (body)
    what = ww_fmt(r->a, "the body of %s '%s' was left out",
                  d->kernel ? "kernel" : "function", name);
  else if (d->kernel)
    what = ww_fmt(r->a, "kernel '%s' was left out", name);
  report(r, s, line, what, m);
  lose(r, s, d, m, line, !body);
  return true;
}

/* A class that lost a data member would have another layout: it goes as a whole, and so
 * does what needs it. */
static const ww_decl *whole_class(const ww_scan *s, const ww_decl *d) {
  const ww_decl *out = d;
  for (uint32_t i = 0; i < s->ndecls && d->layout; i++) {
    const ww_decl *c = &s->decls[i];
    if (c->is_class && c->begin < out->begin && c->end > out->end)
      out = c;
  }
  return out;
}

/* One error at one place of a user's file. Returns whether something new was taken out.
 */
static bool
take_out(recovery *r, source *s, uint32_t line, uint32_t col, const ww_msg *m) {
  uint32_t offset = offset_of(s, line, col);
  if (offset >= s->n) {
    offset = s->n ? s->n - 1 : 0;
    if (r->job.append && is_main(r, s->path)) {
      r->append_failed = true;
      return false;
    }
  }
  line = ww_scan_line(&s->scan, offset);
  const edit *old = edit_at(s, offset);
  if (old && old->pass == r->pass)
    return true; /* another message about what just went */
  level from = old ? old->level + 1 : KEEP_LAUNCH;
  if (from >= GIVEN_UP)
    return false;
  if (s->scan.kind[offset] == WW_BYTE_DIRECTIVE)
    return drop_directive(r, s, offset, m);
  const ww_decl *d = ww_scan_decl_at(&s->scan, offset);
  if (!d)
    return false;
  bool in_body = d->body && offset >= d->body && offset < d->body_end;
  if (in_body && from <= BODY) {
    if (r->job.dialect == WW_OPENMP && drop_region(r, s, d, offset, m))
      return true;
    if (is_host_only(r, s, d) && r->round < STATEMENT_ROUNDS)
      for (level lv = from; lv <= STATEMENT; lv++)
        if (drop_statement(r, s, d, offset, lv, m))
          return true;
    if (drop(r, s, d, BODY, line, m))
      return true;
  }
  return drop(r, s, whole_class(&s->scan, d), DECLARATION, line, m);
}

static bool add_missing(recovery *r, const ww_msg *m) {
  const char *end = strstr(m->text, "' file not found");
  if (!end || m->text[0] != '\'')
    return false;
  const char *name = ww_strndup(r->a, m->text + 1, end - m->text - 1);
  if (name[0] == '/' || strstr(name, ".."))
    return false;
  for (uint32_t i = 0; i < r->missing.n; i++)
    if (!strcmp(r->missing.v[i], name))
      return false;
  ww_push(r->a, &r->missing, name);
  const char *text =
      ww_fmt(r->a, "header '%s' was not found and is taken to be empty (add -I)", name);
  ww_push(r->a, r->diags, (ww_diag){m->file, m->line, m->col, true, true, text, NULL});
  return true;
}

/* 'kern<double>' of "in instantiation of function template specialization
 * 'ns::kern<double>' requested here". */
static const char *instance_in(const char *note, ww_arena *a) {
  const char *from = strstr(note, "template specialization '");
  const char *end = from ? strstr(from, "' requested here") : NULL;
  if (!end)
    return NULL;
  from += strlen("template specialization '");
  for (const char *p = from; p < end && *p != '<'; p++)
    if (p[0] == ':' && p[1] == ':')
      from = p + 2;
  return ww_strndup(a, from, end - from);
}

/* Where a message points to in a user's file: s is NULL elsewhere, d outside of
 * declarations. */
typedef struct {
  source *s;
  uint32_t offset;
  const ww_decl *d;
} place;

static place place_of(recovery *r, const ww_msg *m) {
  place p = {.s = open_source(r, m->file)};
  if (!p.s)
    return p;
  p.offset = offset_of(p.s, m->line, m->col);
  p.d = ww_scan_decl_at(&p.s->scan, p.offset);
  return p;
}

static bool is_in_host_code(const recovery *r, const place *p) {
  return p->d && p->offset < p->s->n && p->d->body && p->offset >= p->d->body &&
         is_host_only(r, p->s, p->d);
}

/* An error that only one instance of a template of device code has: the host statement
 * that asks for the instance goes, the template and its other instances stay. Among the
 * places that led to it a plain function is preferred to a template. */
static bool drop_instance(recovery *r, const ww_compiled *c, uint32_t i) {
  const ww_msg *m = &c->msgs[i];
  place error = place_of(r, m);
  place where = {0};
  if (is_in_host_code(r, &error))
    return false;
  const char *name = NULL;
  for (uint32_t k = i + 1; k < c->nmsgs && c->msgs[k].severity == WW_MSG_NOTE; k++) {
    const char *instance = instance_in(c->msgs[k].text, r->a);
    place p = instance ? place_of(r, &c->msgs[k]) : (place){0};
    if (!is_in_host_code(r, &p))
      continue;
    if (!name)
      name = instance;
    if (!where.d || where.d->tmpl)
      where = p;
  }
  if (!where.d || r->round >= STATEMENT_ROUNDS)
    return false;
  const edit *old = edit_at(where.s, where.offset);
  if (old && old->pass == r->pass)
    return true;
  if (!drop_statement(r, where.s, where.d, where.offset, STATEMENT, m))
    return false;
  ww_decl lost = {
      .name = name, .kernel = true, .line = ww_scan_line(&where.s->scan, where.offset)};
  bool kernel = error.d && error.d->kernel;
  if (kernel) {
    lost.line = error.d->line;
    lost.params = error.d->params;
    lost.params_end = error.d->params_end;
  }
  lose(r, kernel ? error.s : where.s, &lost, m, m->line, true);
  return true;
}

/* Handles the error c->msgs[i], with the notes behind it. */
static bool handle(recovery *r, const ww_compiled *c, uint32_t i) {
  const ww_msg *m = &c->msgs[i];
  if (add_missing(r, m) || drop_instance(r, c, i))
    return true;
  source *s = open_source(r, m->file);
  if (s)
    return take_out(r, s, m->line, m->col, m);
  for (uint32_t k = i + 1; k < c->nmsgs && c->msgs[k].severity == WW_MSG_NOTE; k++) {
    const ww_msg *note = &c->msgs[k];
    if (!strstr(note->text, "requested here") && !strstr(note->text, "called by"))
      continue;
    s = open_source(r, note->file);
    if (s && take_out(r, s, note->line, note->col, m))
      return true;
  }
  s = open_source(r, m->from);
  return s && take_out(r, s, m->from_line, 1, m);
}

static bool handle_all(recovery *r, const ww_compiled *c, bool *only_headers) {
  bool progress = false;
  *only_headers = true;
  r->pass++;
  for (uint32_t i = 0; i < c->nmsgs; i++) {
    if (c->msgs[i].severity < WW_MSG_ERROR)
      continue;
    uint32_t headers = r->missing.n;
    if (!handle(r, c, i))
      continue;
    progress = true;
    if (r->missing.n == headers)
      *only_headers = false;
  }
  return progress;
}

/* out: what clang said of it as it stands. */
ww_status ww_recover(const ww_clang_job *j,
                     ww_arena *a,
                     ww_compiled *out,
                     ww_losses *losses,
                     ww_diags *diags,
                     ww_err *e) {
  recovery r = {.job = *j,
                .a = a,
                .losses = losses,
                .diags = diags,
                .first_loss = losses->n,
                .main_path = ww_plain_path(j->file, a)};
  if (j->append || j->in_memory)
    open_source(&r, j->file);
  ww_status rc = WW_OK;
  ww_compiled c = *out;
  uint32_t headers = 0;
  while (!rc && !c.ok && r.round < ROUNDS && headers < HEADER_ROUNDS) {
    bool only_headers;
    if (!handle_all(&r, &c, &only_headers))
      break;
    rc = make_overlay(&r)
             ? ww_clang_compile(&r.job, a, &c, e)
             : ww_fail(e, WW_EIO, "cannot make an anonymous file for '%s'", j->file);
    if (only_headers)
      headers++;
    else
      r.round++;
  }
  if (!rc && c.ok)
    *out = c;
  if (r.statements > STATEMENTS_TOLD)
    ww_push(
        a, diags,
        (ww_diag){.file = j->file,
                  .error = true,
                  .message = ww_fmt(a, "%u more statements of host code were left out",
                                    r.statements - STATEMENTS_TOLD)});
  if (!rc && r.append_failed)
    out->append_failed = true;
  ww_overlay_close(&r.overlay);
  for (uint32_t i = 0; i < r.files.n; i++) {
    free(r.files.v[i]->origin);
    free(r.files.v[i]->rendered_lines);
  }
  return rc;
}
