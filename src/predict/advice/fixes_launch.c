/* fixes_launch.c - the `// warpwise: grid=... block=... n=...` comment above a kernel:
 * found, written, changed setting by setting.
 *
 * What a person wrote stays as it is written (n=1<<20) unless its value changes.
 * ww_launch_comment reads back what is written here. */
#include "fixes_int.h"

#include <math.h>

#include "../../base/words.h"

/* ---- a launch as settings ---- */

typedef struct {
  const char *name, *value;
} setting;
typedef WW_VEC(setting) settings;

/* Parameters of a kernel: their names, and the types that they point to; each may be
 * NULL. */
typedef struct {
  const char *name, *pointee;
} parameter;
typedef WW_VEC(parameter) parameters;

static const char *whole(uint64_t v, ww_arena *a) {
  return ww_fmt(a, "%llu", (unsigned long long)v);
}

static const char *
shape(const uint64_t dims[3], const char *const exprs[3], ww_arena *a) {
  ww_buf b = {0};
  int n = 3;
  while (n > 1 && dims[n - 1] <= 1 && !exprs[n - 1])
    n--;
  for (int k = 0; k < n; k++)
    ww_buf_fmt(&b, "%s%s", k ? "," : "",
               exprs[k] ? exprs[k] : whole(dims[k] ? dims[k] : 1, a));
  return ww_buf_text(&b, a);
}

static const char *number(double v, ww_arena *a) {
  char *s = NULL;
  for (int digits = 6; digits <= 17; digits++) {
    s = ww_fmt(a, "%.*g", digits, v);
    double back;
    if (sscanf(s, "%lf", &back) == 1 && back == v)
      break;
  }
  return strpbrk(s, ".en") ? s : ww_fmt(a, "%s.0", s);
}

static const char *fill_text(const ww_fill *f, ww_arena *a) {
  if (f->kind == WW_FILL_NONE || f->kind == WW_FILL_RANDOM)
    return ""; /* what is assumed anyway */
  if (f->kind == WW_FILL_FILE)
    return ww_fmt(a, ":file(%s)", f->path ? f->path : "");
  const char *name = ww_fill_names[f->kind];
  if (f->kind != WW_FILL_UNIFORM && f->lo == 0 && f->hi == 0 && !f->lo_expr &&
      !f->hi_expr)
    return ww_fmt(a, ":%s", name);
  return ww_fmt(a, ":%s(%s,%s)", name,
                f->lo_expr ? f->lo_expr : ww_fmt(a, "%.17g", f->lo),
                f->hi_expr ? f->hi_expr : ww_fmt(a, "%.17g", f->hi));
}

/* type[count]:fill; own is the C type the parameter points to. */
static const char *buffer_text(const ww_buffer *b, const char *own, ww_arena *a) {
  uint32_t size = b->type ? ww_elem_size(b->type) : own ? ww_elem_size(own) : 0;
  const char *type = b->type && (!own || ww_elem_size(own) != size) ? b->type : "";
  const char *count = "";
  if (b->count_expr) {
    count = b->count_expr;
    type = b->type ? b->type : "";
  } else if (b->bytes_expr) {
    count = size > 1 ? ww_fmt(a, "(%s)/%u", b->bytes_expr, size) : b->bytes_expr;
    type = size ? type : "u8";
  } else if (b->bytes && size && b->bytes % size == 0)
    count = whole(b->bytes / size, a);
  else if (b->bytes) {
    count = whole(b->bytes, a);
    type = "u8";
  }
  const char *id = b->id ? ww_fmt(a, ":id(%s)", b->id) : "";
  const char *offset =
      b->offset ? ww_fmt(a, ":offset(%llu)", (unsigned long long)b->offset) : "";
  return ww_fmt(a, "%s[%s]%s%s%s", type, count, fill_text(&b->fill, a), id, offset);
}

static const char *arg_text(const ww_arg *g, const char *own, ww_arena *a) {
  if (g->kind == WW_ARG_BUFFER)
    return buffer_text(&g->buffer, own, a);
  if (g->kind == WW_ARG_VALUE && g->expr)
    return g->expr;
  if (g->kind == WW_ARG_VALUE && g->is_int)
    return g->value >= 0x1p63 ? whole(g->ivalue, a)
                              : ww_fmt(a, "%lld", (long long)g->ivalue);
  if (g->kind == WW_ARG_VALUE)
    return isfinite(g->value) ? number(g->value, a) : NULL;
  if (g->kind != WW_ARG_HEX || g->nptrs)
    return NULL; /* pointers inside a struct have no words here */
  ww_buf b = {0};
  ww_buf_puts(&b, "hex:");
  for (uint32_t k = 0; k < g->hex_n; k++)
    ww_buf_fmt(&b, "%02x", g->hex[k]);
  return ww_buf_text(&b, a);
}

static const char *arg_name(const char *name, ww_arena *a) {
  static const char *const taken[] = {"grid", "block", "shared", "cache"};
  bool prefix = isdigit((unsigned char)name[0]);
  for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
    prefix |= !strcmp(name, taken[k]);
  return prefix ? ww_fmt(a, "arg.%s", name) : name;
}

static void launch_settings(const ww_launch *l,
                            const parameters *params,
                            ww_arena *a,
                            settings *out) {
  if (l->grid[0] || l->grid_expr[0])
    ww_push(a, out, (setting){"grid", shape(l->grid, l->grid_expr, a)});
  if (l->block[0] || l->block_expr[0])
    ww_push(a, out, (setting){"block", shape(l->block, l->block_expr, a)});
  if (l->shared_expr || l->shared)
    ww_push(a, out,
            (setting){"shared", l->shared_expr ? l->shared_expr : whole(l->shared, a)});
  if (l->warm)
    ww_push(a, out, (setting){"cache", "warm"});
  for (uint32_t k = 0; k < l->nargs; k++) {
    const ww_arg *g = &l->args[k];
    const char *name = g->name;
    const char *own = NULL;
    if (!name && k < params->n)
      name = params->v[k].name;
    if (!name)
      name = ww_fmt(a, "%u", k);
    for (uint32_t j = 0; j < params->n; j++)
      if (params->v[j].name && !strcmp(params->v[j].name, name))
        own = params->v[j].pointee;
    const char *value = arg_text(g, own, a);
    if (value)
      ww_push(a, out, (setting){arg_name(name, a), value});
  }
}

static const char *settings_text(const settings *s, ww_arena *a) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < s->n; k++)
    ww_buf_fmt(&b, "%s%s=%s", k ? " " : "", s->v[k].name, s->v[k].value);
  return ww_buf_text(&b, a);
}

/* "const float *__restrict__" is about floats. */
static const char *pointee(const char *type, ww_arena *a) {
  static const char no_word[] =
      "const __restrict__ restrict __restrict volatile __global __local "
      "__constant global local";
  const char *word = NULL;
  size_t n = 0;
  for (const char *p = type; p && *p;) {
    size_t len = strcspn(p, " *&");
    bool skip = !len || ww_find_word(no_word, ww_strndup(a, p, len));
    if (!skip && word)
      return NULL; /* unsigned char: two words */
    if (!skip) {
      word = p;
      n = len;
    }
    p += len ? len : 1;
  }
  return word ? ww_strndup(a, word, n) : NULL;
}

const char *ww_launch_settings(const ww_launch *l,
                               const char *const *types,
                               uint32_t ntypes,
                               ww_arena *a) {
  settings s = {0};
  parameters params = {0};
  for (uint32_t k = 0; k < ntypes; k++)
    ww_push(a, &params,
            (parameter){k < l->nargs && l->args[k].name ? l->args[k].name
                                                        : ww_fmt(a, "%u", k),
                        types ? pointee(types[k], a) : NULL});
  launch_settings(l, &params, a, &s);
  return settings_text(&s, a);
}

/* ---- the comment that is there ---- */

static const char mark[] = "warpwise:";

static bool
comment_in(const ww_scan *s, uint32_t lo, uint32_t hi, uint32_t *begin, uint32_t *end) {
  const char *p = s->text + lo;
  for (; p < s->text + hi && (p = memmem(p, s->text + hi - p, mark, strlen(mark)));
       p += strlen(mark)) {
    uint32_t at = p - s->text;
    uint32_t stop = at;
    if (s->kind[at] != WW_BYTE_COMMENT)
      continue;
    while (stop < s->n && s->text[stop] != '\n' && s->kind[stop] == WW_BYTE_COMMENT)
      stop++;
    if (stop - at >= 2 + strlen(mark) && !memcmp(s->text + stop - 2, "*/", 2))
      stop -= 2;
    at += strlen(mark);
    while (at < stop && strchr(" \t", s->text[at]))
      at++;
    while (stop > at && strchr(" \t\r", s->text[stop - 1]))
      stop--;
    *begin = at;
    *end = stop;
    return true;
  }
  return false;
}

static uint32_t reach_up(const ww_scan *s,
                         uint32_t begin) { /* comments above belong to a declaration */
  while (begin && (s->kind[begin - 1] == WW_BYTE_COMMENT ||
                   strchr(" \t\r\n", s->text[begin - 1])))
    begin--;
  return begin;
}

bool ww_ctext_comment(const ww_ctext *x, uint32_t *begin, uint32_t *end) {
  return comment_in(&x->scan, reach_up(&x->scan, x->kernel.fn->begin),
                    x->kernel.fn->end, begin, end);
}

/* One for the whole file, of no kernel: what it says holds for those that have none of
 * their own.
 */
static bool only_comment(const ww_ctext *x, uint32_t *begin, uint32_t *end) {
  const ww_scan *s = &x->scan;
  uint32_t b;
  uint32_t e;
  if (!comment_in(s, 0, s->n, begin, end) || comment_in(s, *end, s->n, &b, &e))
    return false;
  for (uint32_t k = 0; k < s->ndecls; k++)
    if (s->decls[k].kernel && *begin >= reach_up(s, s->decls[k].begin) &&
        *begin < s->decls[k].end)
      return false;
  return true;
}

static void read_settings(const char *text, ww_arena *a, settings *out) {
  const char *p = text;
  const char *name = NULL;
  const char *value = NULL;
  size_t name_n = 0;
  for (;; p++) {
    size_t n = 0;
    bool start = ww_is_word(*p) && !isdigit((unsigned char)*p) &&
                 (p == text || isspace((unsigned char)p[-1]));
    while (start && (ww_is_word(p[n]) || p[n] == '.'))
      n++;
    const char *q = p + n;
    while (start && (*q == ' ' || *q == '\t'))
      q++;
    start = start && *q == '=' && q[1] != '=';
    if (!start && *p)
      continue;
    if (name) {
      const char *end = p;
      while (end > value && isspace((unsigned char)end[-1]))
        end--;
      ww_push(
          a, out,
          (setting){ww_strndup(a, name, name_n), ww_strndup(a, value, end - value)});
    }
    if (!*p)
      return;
    name = p;
    name_n = n;
    for (value = q + 1; *value == ' ' || *value == '\t';)
      value++;
    p = value > p ? value - 1 : p;
  }
}

/* The same value in other words: n=1<<20 and n=1048576. */
static bool same_value(const setting *p, const setting *q, ww_arena *a) {
  ww_launch l[2] = {{0}, {0}};
  const setting *s[2] = {p, q};
  const char *text[2];
  for (int k = 0; k < 2; k++) {
    if (ww_launch_comment(ww_fmt(a, "%s=%s", s[k]->name, s[k]->value), a, &l[k],
                          NULL) != WW_OK)
      return false;
    text[k] = ww_launch_settings(&l[k], NULL, 0, a);
  }
  return !strcmp(text[0], text[1]);
}

static void put_over(settings *under, const settings *over, ww_arena *a) {
  for (uint32_t k = 0; k < over->n; k++) {
    setting *old = NULL;
    for (uint32_t j = 0; j < under->n && !old; j++)
      if (!strcmp(under->v[j].name, over->v[k].name))
        old = &under->v[j];
    if (!old)
      ww_push(a, under, over->v[k]);
    else if (!same_value(old, &over->v[k], a))
      old->value = over->v[k].value;
  }
}

/* ---- the edit ---- */

/* Name and pointee of one parameter, tokens [i, end). */
static parameter read_parameter(const ww_ctext *x, uint32_t i, uint32_t end) {
  parameter out = {0};
  uint32_t last = WW_NOTOK;
  for (uint32_t k = i; k < end && !ww_tok_in(x, k, " = [ "); k++)
    if (ww_tok_word(x, k))
      last = k;
  if (last != WW_NOTOK && last != i)
    out.name = ww_tok_name(x, last);
  for (uint32_t k = 0; k < x->kernel.names.n; k++) {
    const ww_name *v = &x->kernel.names.v[k];
    if (v->tok != last || v->type == WW_NOTOK)
      continue;
    static const char *const by_size[] = {NULL, "u8", "u16", NULL, "u32",
                                          NULL, NULL, NULL,  "u64"};
    uint32_t bytes = ww_name_bytes(x, v);
    const char *word = ww_tok_name(x, v->type);
    out.pointee = bytes && ww_elem_size(word) == bytes ? word
                  : bytes <= 8                         ? by_size[bytes]
                                                       : NULL;
  }
  return out;
}

/* Of an OpenMP region they are the compiler's own choice. */
static parameters read_parameters(const ww_ctext *x) {
  parameters out = {0};
  uint32_t i = ww_tok_from(x, x->kernel.fn->params);
  uint32_t end = ww_tok_from(x, x->kernel.fn->params_end);
  int angles = 0;
  for (uint32_t from = i; x->s->dialect != WW_OPENMP && i < end;
       i = ww_tok_skip(x, i)) {
    angles += ww_tok_is(x, i, "<") - ww_tok_is(x, i, ">");
    bool comma = ww_tok_is(x, i, ",") && angles <= 0;
    uint32_t next = ww_tok_skip(x, i);
    if (!comma && next < end)
      continue;
    ww_push(x->a, &out, read_parameter(x, from, comma ? i : end));
    from = i + 1;
  }
  return out;
}

/* What can be said by name. */
static ww_launch named_alone(const ww_launch *l, ww_arena *a) {
  ww_launch out = *l;
  out.args = WW_NEWN(a, ww_arg, l->nargs + 1);
  out.nargs = 0;
  for (uint32_t k = 0; k < l->nargs; k++)
    if (l->args[k].name)
      out.args[out.nargs++] = l->args[k];
  return out;
}

/* Where a comment line goes: above the declaration, or the pragma of an OpenMP region.
 */
static uint32_t above(const ww_ctext *x) {
  uint32_t at = x->kernel.fn->begin;
  if (x->s->dialect == WW_OPENMP && x->s->line)
    at = ww_scan_offset(&x->scan, x->s->line, 1);
  while (at < x->s->n && strchr(" \t", x->s->text[at]))
    at++;
  return at;
}

static bool sane(const char *text, bool block) {
  for (const char *p = text; *p; p++)
    if ((unsigned char)*p < ' ' || (block && p[0] == '*' && p[1] == '/'))
      return false;
  return *text && text[strlen(text) - 1] != '\\';
}

static ww_status write_comment(ww_ctext *x,
                               settings *old,
                               const settings *now,
                               bool there,
                               uint32_t begin,
                               uint32_t end,
                               ww_edits *e,
                               ww_err *err) {
  put_over(old, now, x->a);
  const char *text = settings_text(old, x->a);
  const char *behind = x->s->text + end + (there ? strspn(x->s->text + end, " \t") : 0);
  bool block = there && behind[0] == '*' && behind[1] == '/';
  if (!sane(text, block))
    return ww_fail(err, WW_EUSAGE, "a comment cannot hold these settings: %.200s",
                   text);
  if (there) {
    if (strlen(text) == end - begin && !memcmp(text, x->s->text + begin, end - begin))
      return ww_fail(err, WW_EUSAGE, "the kernel's comment says so already: %.200s",
                     text);
    ww_edit_replace(x, e, begin, end,
                    begin && x->s->text[begin - 1] == ':' ? ww_fmt(x->a, " %s", text)
                                                          : text);
    return WW_OK;
  }
  uint32_t at = above(x);
  bool first = ww_ctext_first(x, at);
  const char *indent = ww_ctext_indent(x, at);
  const char *line =
      ww_fmt(x->a, "%s// %s %s%s", first ? indent : x->eol, mark, text, x->eol);
  ww_edit_insert(x, e, first ? ww_ctext_line_start(x, at) : at, line);
  return WW_OK;
}

ww_status ww_fix_launch(
    const ww_fix_source *s, const ww_launch *l, ww_arena *a, ww_fix *out, ww_err *e) {
  ww_ctext x;
  settings old = {0};
  settings now = {0};
  uint32_t begin = 0;
  uint32_t end = 0;
  *out = (ww_fix){0};
  if (!ww_ctext_open(&x, s, a))
    return ww_fail(
        e, WW_EUSAGE,
        "no kernel %s is to be seen in the text; name one that is written there",
        s->kernel ? s->kernel : "at that line");
  parameters params = read_parameters(&x);
  ww_launch named = s->dialect == WW_OPENMP ? named_alone(l, a) : *l;
  launch_settings(&named, &params, a, &now);
  if (!now.n)
    return ww_fail(e, WW_EUSAGE,
                   "nothing to set: give grid=, block= or arguments, as in grid=n/256 "
                   "block=256 n=1<<20");
  bool there = ww_ctext_comment(&x, &begin, &end);
  if (there || only_comment(&x, &begin, &end))
    read_settings(ww_strndup(a, s->text + begin, end - begin), a, &old);
  ww_finding f = {.rule = "launch"};
  ww_edits edits = {0};
  x.f = &f;
  ww_status st = write_comment(&x, &old, &now, there, begin, end, &edits, e);
  if (st)
    return st;
  ww_fix_offer(
      &x, &edits,
      &(ww_fix){.title = ww_fmt(a, "Set the launch: %s", settings_text(&now, a))});
  if (!x.out.n)
    return ww_fail(e, WW_EUSAGE, "the comment cannot be written into this text");
  *out = x.out.v[0];
  return WW_OK;
}
