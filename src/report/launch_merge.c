/* launch_merge.c - from what people write to a spec that can be run: the short forms
 * (--arg n=4, --grid n/256, the comment in the source), several specs into one, names
 * into positions and numbers.
 *
 * A value is a number, an expression, or a buffer `type[count]:fill`. Before it is
 * resolved, a spec may mix arguments by position and by name. A merge that cannot tell
 * which is which writes positions as digit names; resolve, which knows the kernel's
 * parameters, puts the later of two over the earlier. */
#include "launch_int.h"

#include <ctype.h>
#include <unistd.h>

#include "../base/words.h"

static const char *trimmed(ww_arena *a, const char *s, size_t n) {
  for (; n && isspace((unsigned char)*s); n--)
    s++;
  while (n && isspace((unsigned char)s[n - 1]))
    n--;
  return ww_strndup(a, s, n);
}

/* ---- shapes ---- */

static ww_status dim(const char *text,
                     const char *what,
                     ww_arena *a,
                     uint64_t *value,
                     const char **expr,
                     ww_err *e) {
  ww_arg v = {0};
  ww_status rc = ww_value_text(text, what, a, &v, e);
  if (rc)
    return rc;
  if (!v.expr && (!v.is_int || v.value < 1 || v.value > WW_DIM_MAX))
    return ww_fail(e, WW_EPARSE, "%s: expected 1 to 2^32-1, not %s", what, text);
  *expr = v.expr;
  *value = v.ivalue;
  return WW_OK;
}

/* Where the part that starts at p ends: the next comma outside parentheses, or the end.
 */
static const char *part_end(const char *p) {
  int depth = 0;
  for (; *p && (*p != ',' || depth > 0); p++)
    depth += (*p == '(') - (*p == ')');
  return p;
}

/* Without a pair of brackets or parentheses around everything. */
static const char *unwrapped(ww_arena *a, const char *text) {
  size_t n = strlen(text);
  if (n < 2 || !((text[0] == '[' && text[n - 1] == ']') ||
                 (text[0] == '(' && text[n - 1] == ')')))
    return text;
  int depth = 0;
  for (size_t i = 0; i + 1 < n; i++) {
    depth += text[i] == text[0];
    depth -= text[i] == text[n - 1];
    if (depth == 0)
      return text;
  }
  return trimmed(a, text + 1, n - 2);
}

ww_status ww_launch_shape(const char *text,
                          const char *what,
                          ww_arena *a,
                          uint64_t dims[3],
                          const char *exprs[3],
                          ww_err *e) {
  text = unwrapped(a, trimmed(a, text, strlen(text)));
  for (int i = 0; i < 3; i++) {
    dims[i] = 1;
    exprs[i] = NULL;
  }
  const char *end;
  int n = 0;
  for (const char *p = text;; p = end + 1) {
    if (n == 3)
      return ww_fail(e, WW_EPARSE, "%s: at most three numbers, not \"%.60s\"", what,
                     text);
    end = part_end(p);
    ww_status rc = dim(trimmed(a, p, end - p), what, a, &dims[n], &exprs[n], e);
    if (rc || !*end)
      return rc;
    n++;
  }
}

/* ---- contents ---- */

ww_status ww_launch_fill(
    const char *text, const char *dir, ww_arena *a, ww_fill *out, ww_err *e) {
  const char *paren = strchr(text, '(');
  size_t n = paren ? (size_t)(paren - text) : strlen(text);
  int kind = ww_fill_named(text, n);
  bool needs = kind == WW_FILL_UNIFORM || kind == WW_FILL_FILE;
  if (kind < 0 || (needs && !paren) ||
      (paren && (kind < WW_FILL_RANDOM || text[strlen(text) - 1] != ')')))
    return ww_fail(
        e, WW_EPARSE,
        "unknown contents \"%.60s\"; known are zeros, ones, index, random, "
        "uniform(lo,hi), permutation, monotone(lo,hi), skewed(lo,hi), zipf(lo,hi), "
        "file(path)",
        text);
  *out = (ww_fill){.kind = kind};
  if (!paren)
    return WW_OK;
  const char *inside = trimmed(a, paren + 1, strlen(paren) - 2);
  if (kind == WW_FILL_FILE) {
    out->path = ww_path_join(a, dir, inside);
    return WW_OK;
  }
  const char *comma = part_end(inside);
  const char *where = ww_fill_names[kind];
  if (!*comma)
    return ww_fail(e, WW_EPARSE, "%s: expected two bounds, %s(lo,hi)", where, where);
  ww_status rc = ww_bound_text(trimmed(a, inside, comma - inside), where, a, &out->lo,
                               &out->lo_expr, e);
  if (!rc)
    rc = ww_bound_text(trimmed(a, comma + 1, strlen(comma + 1)), where, a, &out->hi,
                       &out->hi_expr, e);
  return !rc ? ww_fill_check(out, where, e) : rc;
}

/* ---- arguments ---- */

/* What follows a buffer's size: `:fill`, `:id(name)`, `:offset(bytes)`. */
static ww_status suffixes(const char *p,
                          const char *name,
                          ww_arena *a,
                          ww_launch *l,
                          ww_buffer *b,
                          ww_err *e) {
  while (*p) {
    if (*p != ':')
      return ww_fail(e, WW_EPARSE,
                     "%s: expected ':' and the contents behind ']', not \"%.40s\"",
                     name, p);
    const char *start = ++p;
    for (int depth = 0; *p && (*p != ':' || depth); p++)
      depth += (*p == '(') - (*p == ')');
    const char *word = trimmed(a, start, p - start);
    size_t n = strlen(word);
    ww_status rc = WW_OK;
    const char *none = NULL;
    if (n > 4 && ww_starts(word, "id(") && word[n - 1] == ')')
      b->id = trimmed(a, word + 3, n - 4);
    else if (n > 8 && ww_starts(word, "offset(") && word[n - 1] == ')')
      rc = ww_size_text(trimmed(a, word + 7, n - 8), name, a, &b->offset, &none, e);
    else
      rc = ww_launch_fill(word, l->dir, a, &b->fill, e);
    if (!rc && none)
      rc = ww_fail(e, WW_EPARSE, "%s: offset must be a number of bytes", name);
    if (rc)
      return rc;
  }
  return WW_OK;
}

/* `f32[n*m]:random`; text has a '['. */
static ww_status buffer_text(const char *text,
                             const char *name,
                             ww_arena *a,
                             ww_launch *l,
                             ww_buffer *b,
                             ww_err *e) {
  const char *open = strchr(text, '[');
  const char *close = strchr(open, ']');
  if (!close)
    return ww_fail(e, WW_EPARSE, "%s: a ']' is missing in \"%.60s\"", name, text);
  const char *type = trimmed(a, text, open - text);
  const char *count = trimmed(a, open + 1, close - open - 1);
  ww_status rc = WW_OK;
  if (*type) {
    rc = ww_type_check(type, name, e);
    b->type = type;
  }
  if (!rc && *count) { /* [] : contents or type given, the size not */
    uint64_t value = 0;
    rc = ww_size_text(count, name, a, &value, &b->count_expr, e);
    if (!rc && !b->count_expr && b->type) {
      if (value > WW_SIZE_MAX / ww_elem_size(b->type))
        return ww_fail(e, WW_EPARSE, "%s: the buffer is too large", name);
      b->bytes = value * ww_elem_size(b->type);
    } else if (!rc && !b->count_expr) {
      b->count_expr = count;
    }
  }
  return !rc ? suffixes(close + 1, name, a, l, b, e) : rc;
}

static ww_status
add_arg(const char *name, const char *text, ww_arena *a, ww_launch *l, ww_err *e) {
  ww_arg arg = {.name = name};
  ww_status rc;
  if (!*text)
    return ww_fail(e, WW_EPARSE, "%s: a value is missing behind '='", name);
  if (ww_starts(text, "hex:")) {
    arg.kind = WW_ARG_HEX;
    rc = ww_hex_parse(text + 4, name, a, &arg.hex, &arg.hex_n, e);
  } else if (strchr(text, '[')) {
    arg.kind = WW_ARG_BUFFER;
    rc = buffer_text(text, name, a, l, &arg.buffer, e);
  } else {
    arg.kind = WW_ARG_VALUE;
    rc = ww_value_text(text, name, a, &arg, e);
  }
  if (rc)
    return rc;
  uint32_t i = 0;
  while (i < l->nargs && !(l->args[i].name && !strcmp(l->args[i].name, name)))
    i++;
  if (i == l->nargs) {
    l->args = ww_grow(a, l->args, l->nargs * sizeof arg, (l->nargs + 1) * sizeof arg);
    l->nargs++;
  }
  l->args[i] = arg;
  return WW_OK;
}

static bool is_name(const char *s, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!ww_is_word(s[i]))
      return false;
  return n > 0;
}

ww_status ww_launch_arg(const char *text, ww_arena *a, ww_launch *out, ww_err *e) {
  const char *eq = strchr(text, '=');
  if (!eq)
    return ww_fail(e, WW_EPARSE, "--arg: expected name=value, not \"%.60s\"", text);
  const char *name = trimmed(a, text, eq - text);
  if (!is_name(name, strlen(name)))
    return ww_fail(
        e, WW_EPARSE,
        "--arg: expected an argument's name or position before '=', not \"%.60s\"",
        name);
  return add_arg(name, trimmed(a, eq + 1, strlen(eq + 1)), a, out, e);
}

/* ---- the comment ---- */

/* The next `name =` at or behind p that starts a setting: a blank before it, no second
 * '='. */
static const char *next_setting(const char *start, const char *p, size_t *name_n) {
  for (; *p; p++) {
    if (!(isalpha((unsigned char)*p) || *p == '_') ||
        (p > start && !isspace((unsigned char)p[-1])))
      continue;
    size_t n = 0;
    while (ww_is_word(p[n]) || p[n] == '.')
      n++;
    const char *q = p + n;
    while (*q == ' ' || *q == '\t')
      q++;
    if (*q == '=' && q[1] != '=') {
      *name_n = n;
      return p;
    }
  }
  return p;
}

static ww_status
setting(const char *name, const char *value, ww_arena *a, ww_launch *out, ww_err *e) {
  if (!strcmp(name, "grid"))
    return ww_launch_shape(value, name, a, out->grid, out->grid_expr, e);
  if (!strcmp(name, "block"))
    return ww_launch_shape(value, name, a, out->block, out->block_expr, e);
  if (!strcmp(name, "shared")) {
    out->shared_given = true;
    return ww_size_text(value, name, a, &out->shared, &out->shared_expr, e);
  }
  if (!strcmp(name, "cache")) {
    out->warm = !strcmp(value, "warm");
    if (out->warm || !strcmp(value, "cold"))
      return WW_OK;
    return ww_fail(e, WW_EPARSE, "cache: expected cold or warm, not \"%.40s\"", value);
  }
  if (ww_starts(name, "arg."))
    name += 4; /* an argument called grid, block ... */
  if (!is_name(name, strlen(name)))
    return ww_fail(e, WW_EPARSE, "\"%.60s\" is no argument's name", name);
  return add_arg(name, value, a, out, e);
}

ww_status ww_launch_comment(const char *text, ww_arena *a, ww_launch *out, ww_err *e) {
  const char *mark = strstr(text, "warpwise:");
  if (mark)
    text = mark + strlen("warpwise:");
  const char *stop = strstr(text, "*/");
  text = trimmed(a, text, stop ? (size_t)(stop - text) : strlen(text));
  size_t n = 0;
  const char *p = next_setting(text, text, &n);
  if (p != text)
    return ww_fail(e, WW_EPARSE,
                   "expected settings like grid=n/256 block=256 n=1<<20, not \"%.60s\"",
                   text);
  while (*p) {
    const char *name = ww_strndup(a, p, n);
    const char *value = strchr(p + n, '=') + 1;
    size_t next_n = 0;
    const char *next = next_setting(text, value, &next_n);
    ww_status rc = setting(name, trimmed(a, value, next - value), a, out, e);
    if (rc)
      return rc;
    p = next;
    n = next_n;
  }
  return WW_OK;
}

/* ---- merge ---- */

static bool all_positional(const ww_launch *l) {
  for (uint32_t i = 0; i < l->nargs; i++)
    if (l->args[i].name)
      return false;
  return true;
}

/* `x=[]:zeros` says what is in a buffer and nothing else about it. */
static bool is_contents_alone(const ww_arg *g) {
  const ww_buffer *b = &g->buffer;
  return g->kind == WW_ARG_BUFFER && b->fill.kind && !b->bytes && !b->bytes_expr &&
         !b->count_expr && !b->type && !b->id && !b->offset;
}

static void put_over(ww_arg *at, const ww_arg *over) {
  ww_buffer was = at->buffer;
  bool keeps = at->kind == WW_ARG_BUFFER && is_contents_alone(over);
  *at = *over;
  if (!keeps)
    return;
  at->buffer = was;
  at->buffer.fill = over->buffer.fill;
  at->buffer.head_n = 0;
}

static void merge_positional(ww_launch *under, const ww_launch *over, ww_arena *a) {
  uint32_t n = under->nargs > over->nargs ? under->nargs : over->nargs;
  ww_arg *args = WW_NEWN(a, ww_arg, n);
  for (uint32_t i = 0; i < under->nargs; i++)
    args[i] = under->args[i];
  for (uint32_t i = 0; i < over->nargs; i++)
    if (over->args[i].kind != WW_ARG_NONE)
      put_over(&args[i], &over->args[i]);
  under->args = args;
  under->nargs = n;
}

static void add_named(ww_launch *to, const ww_launch *from, ww_arena *a) {
  for (uint32_t i = 0; i < from->nargs; i++) {
    if (from->args[i].kind == WW_ARG_NONE)
      continue;
    ww_arg *g = &to->args[to->nargs++];
    *g = from->args[i];
    if (!g->name)
      g->name = ww_fmt(a, "%u", i);
  }
}

static void merge_args(ww_launch *under, const ww_launch *over, ww_arena *a) {
  if (!over->nargs)
    return;
  if (all_positional(under) && all_positional(over))
    return merge_positional(under, over, a);
  ww_launch both = {.args = WW_NEWN(a, ww_arg, under->nargs + over->nargs)};
  add_named(&both, under, a);
  add_named(&both, over, a);
  under->args = both.args;
  under->nargs = both.nargs;
}

static void merge_symbols(ww_launch *under, const ww_launch *over, ww_arena *a) {
  if (!over->nsymbols)
    return;
  ww_symbol_arg *s = WW_NEWN(a, ww_symbol_arg, under->nsymbols + over->nsymbols);
  uint32_t n = 0;
  for (uint32_t i = 0; i < under->nsymbols; i++) {
    bool replaced = false;
    for (uint32_t k = 0; k < over->nsymbols; k++)
      replaced |= !strcmp(under->symbols[i].name, over->symbols[k].name);
    if (!replaced)
      s[n++] = under->symbols[i];
  }
  for (uint32_t k = 0; k < over->nsymbols; k++)
    s[n++] = over->symbols[k];
  under->symbols = s;
  under->nsymbols = n;
}

static void merge_flags(ww_launch *under, const ww_launch *over, ww_arena *a) {
  if (!over->nflags)
    return;
  ww_strings all = {0};
  ww_strings_add(a, &all, under->flags, under->nflags);
  ww_strings_add(a, &all, over->flags, over->nflags);
  under->flags = all.v;
  under->nflags = all.n;
}

void ww_launch_merge(ww_launch *under, const ww_launch *over, ww_arena *a) {
  if (over->file)
    under->file = over->file;
  if (over->nmore) {
    under->more = over->more;
    under->nmore = over->nmore;
  }
  if (over->library)
    under->library = over->library;
  if (over->kernel)
    under->kernel = over->kernel;
  if (over->grid[0] || over->grid_expr[0]) {
    memcpy(under->grid, over->grid, sizeof under->grid);
    memcpy(under->grid_expr, over->grid_expr, sizeof under->grid_expr);
  }
  if (over->block[0] || over->block_expr[0]) {
    memcpy(under->block, over->block, sizeof under->block);
    memcpy(under->block_expr, over->block_expr, sizeof under->block_expr);
  }
  if (over->threads)
    under->threads = over->threads;
  if (over->cluster[0])
    memcpy(under->cluster, over->cluster, sizeof under->cluster);
  if (over->shared_given) {
    under->shared_given = true;
    under->shared = over->shared;
    under->shared_expr = over->shared_expr;
  }
  under->warm |= over->warm;
  under->cooperative |= over->cooperative;
  if (over->binary)
    under->binary = over->binary;
  if (over->note)
    under->note = over->note;
  if (over->seed)
    under->seed = over->seed;
  if (over->count)
    under->count = over->count;
  if (over->dir)
    under->dir = over->dir;
  merge_args(under, over, a);
  merge_symbols(under, over, a);
  merge_flags(under, over, a);
}

/* ---- resolve ---- */

typedef struct {
  ww_launch *l;
  const ww_launch_params *p;
  const char *const *names; /* p's */
  uint32_t n;
  uint8_t *state; /* per argument: 0 untouched, 1 being evaluated, 2 done */
  ww_arena *a;
  ww_err *e;
  ww_err inner;   /* why a name had no value */
  char hint[400]; /* behind the message: what to do about it */
} resolver;

static ww_status eval(resolver *r, const char *text, const char *where, ww_number *out);

static void list_names(const resolver *r, char list[300]) {
  size_t at = 0;
  list[0] = 0;
  for (uint32_t i = 0; i < r->n && at < 300; i++)
    at += snprintf(list + at, 300 - at, "%s%s", i ? ", " : "", r->names[i]);
}

static void set_value(ww_arg *g, const ww_number *v) {
  g->is_int = v->is_int;
  g->ivalue = v->i;
  g->value = v->f;
  g->expr = NULL;
}

static bool value_of(resolver *r, uint32_t i) {
  ww_arg *g = &r->l->args[i];
  if (g->kind != WW_ARG_VALUE)
    return false;
  if (!g->expr)
    return true;
  if (r->state[i] == 1) {
    ww_fail(&r->inner, WW_EPARSE, "\"%s\" depends on itself", r->names[i]);
    return false;
  }
  r->state[i] = 1;
  ww_number v;
  if (eval(r, g->expr, r->names[i], &v))
    return false;
  set_value(g, &v);
  r->state[i] = 2;
  return true;
}

static bool lookup(void *ctx, const char *name, size_t n, double *value) {
  resolver *r = ctx;
  for (uint32_t i = 0; i < r->n; i++) {
    const ww_arg *g = &r->l->args[i];
    if (strlen(r->names[i]) != n || memcmp(r->names[i], name, n) != 0)
      continue;
    bool known = value_of(r, i);
    if (known)
      *value = g->value;
    else if (g->kind == WW_ARG_NONE)
      snprintf(r->hint, sizeof r->hint, "; give one, e.g. --arg %.60s=1024",
               r->names[i]);
    return known;
  }
  char list[300];
  list_names(r, list);
  if (r->n)
    snprintf(r->hint, sizeof r->hint, "; the kernel's arguments are %s", list);
  return false;
}

static ww_status
eval(resolver *r, const char *text, const char *where, ww_number *out) {
  ww_err own = {0};
  ww_status rc = ww_expr_number(text, lookup, r, out, &own);
  if (!rc)
    return rc;
  if (!r->inner.code)
    ww_fail(&r->inner, WW_EPARSE, "%.60s: %.400s%s", where, own.msg, r->hint);
  return ww_fail(r->e, WW_EPARSE, "%s", r->inner.msg);
}

static ww_status whole(resolver *r,
                       const char *text,
                       const char *where,
                       double lo,
                       double hi,
                       uint64_t *out) {
  ww_number v;
  ww_status rc = eval(r, text, where, &v);
  if (rc)
    return rc;
  if (!v.is_int || v.f < lo || v.f > hi)
    return ww_fail(r->e, WW_EPARSE,
                   "%s: \"%s\" is %.17g; a whole number from %.0f to %.0f is expected",
                   where, text, v.f, lo, hi);
  *out = v.i;
  return WW_OK;
}

static ww_status bound(resolver *r, const char **expr, const char *where, double *out) {
  if (!*expr)
    return WW_OK;
  ww_number v = {0};
  ww_status rc = eval(r, *expr, where, &v);
  *out = v.f;
  *expr = NULL;
  return rc;
}

static ww_status resolve_fill(resolver *r, ww_fill *f, const char *where) {
  bool had = f->lo_expr || f->hi_expr;
  ww_status rc = bound(r, &f->lo_expr, where, &f->lo);
  if (!rc)
    rc = bound(r, &f->hi_expr, where, &f->hi);
  if (!rc && had)
    rc = ww_fill_check(f, where, r->e);
  if (!rc && f->kind == WW_FILL_FILE && r->p->root) {
    /* when it is read, what lies at the path may be another thing */
    f->root = r->p->root;
    rc = ww_path_inside(f->root, f->path, true, r->a, &f->path, r->e);
  }
  if (!rc && f->kind == WW_FILL_FILE && access(f->path, R_OK) != 0)
    return ww_fail(r->e, WW_EIO, "%s: cannot read '%s', the file with its contents",
                   where, f->path);
  return rc;
}

static ww_status
resolve_buffer(resolver *r, ww_buffer *b, uint32_t elem, const char *where) {
  ww_status rc = WW_OK;
  if (b->bytes_expr)
    rc = whole(r, b->bytes_expr, where, 0, WW_SIZE_MAX, &b->bytes);
  if (!rc && b->count_expr) {
    if (b->type)
      elem = ww_elem_size(b->type);
    uint64_t count;
    if (!elem)
      return ww_fail(
          r->e, WW_EPARSE,
          "%s: how large an element is, is not known; write type[n], e.g. f32[%s]",
          where, b->count_expr);
    rc = whole(r, b->count_expr, where, 0, WW_SIZE_MAX / elem, &count);
    if (!rc)
      b->bytes = count * elem;
  }
  b->bytes_expr = b->count_expr = NULL;
  return !rc ? resolve_fill(r, &b->fill, where) : rc;
}

static ww_status
resolve_shape(resolver *r, const char *what, uint64_t dims[3], const char *exprs[3]) {
  for (int i = 0; i < 3; i++) {
    if (!exprs[i])
      continue;
    ww_status rc = whole(r, exprs[i], what, 1, WW_DIM_MAX, &dims[i]);
    if (rc)
      return rc;
    exprs[i] = NULL;
  }
  return WW_OK;
}

static ww_status no_such_argument(resolver *r, const char *name) {
  char list[300];
  list_names(r, list);
  if (r->n == 0)
    return ww_fail(r->e, WW_EPARSE,
                   "the kernel has no argument \"%.60s\", it takes none", name);
  return ww_fail(r->e, WW_EPARSE, "the kernel has no argument \"%.60s\"; it has: %s",
                 name, list);
}

static bool index_of(resolver *r, const ww_arg *g, uint32_t place, uint32_t *out) {
  if (!g->name) {
    *out = place;
    return place < r->n;
  }
  for (*out = 0; *out < r->n; ++*out)
    if (!strcmp(r->names[*out], g->name))
      return true;
  uint64_t position = 0;
  for (const char *p = g->name; *p; p++) {
    if (!isdigit((unsigned char)*p) || position > 1000000)
      return false;
    position = position * 10 + (*p - '0');
  }
  *out = position;
  return *g->name && position < r->n;
}

/* Arguments by position leave the runtime's own one out, which is then null. */
static void add_state(resolver *r) {
  ww_launch *l = r->l;
  if (!r->p->state_first || l->nargs + 1 != r->n || !all_positional(l))
    return;
  ww_arg *args = WW_NEWN(r->a, ww_arg, r->n);
  args[0] = (ww_arg){.kind = WW_ARG_VALUE, .is_int = true};
  memcpy(args + 1, l->args, l->nargs * sizeof *args);
  l->args = args;
  l->nargs = r->n;
}

/* Lists that it will write to are its own: what was given stays as it is. */
static void *own(const void *list, size_t bytes, ww_arena *a) {
  return bytes ? memcpy(ww_alloc(a, bytes), list, bytes) : NULL;
}

static ww_status place_args(resolver *r) {
  ww_arg *placed = WW_NEWN(r->a, ww_arg, r->n ? r->n : 1);
  for (uint32_t i = 0; i < r->l->nargs; i++) {
    const ww_arg *g = &r->l->args[i];
    uint32_t at;
    if (g->kind == WW_ARG_NONE)
      continue;
    if (!index_of(r, g, i, &at)) {
      if (g->name && !isdigit((unsigned char)*g->name))
        return no_such_argument(r, g->name);
      return ww_fail(r->e, WW_EPARSE, "args[%s]: the kernel takes %u arguments",
                     g->name ? g->name : ww_fmt(r->a, "%u", i), r->n);
    }
    put_over(&placed[at], g);
    placed[at].name = NULL;
    placed[at].ptrs = own(g->ptrs, g->nptrs * sizeof *g->ptrs, r->a);
  }
  r->l->args = placed;
  r->l->nargs = r->n;
  return WW_OK;
}

/* A copy is resolved: what was given may be resolved again for another kernel. A buffer
 * of no size is as large as the tensor. */
static ww_status resolve_map(resolver *r, ww_arg *g, const char *where) {
  ww_tensor_map *m = WW_NEW(r->a, ww_tensor_map);
  *m = *g->map;
  g->map = m;
  for (uint32_t d = 0; d < m->rank; d++) {
    ww_status rc = WW_OK;
    if (m->dims_expr[d])
      rc = whole(r, m->dims_expr[d], where, 1, 0x1p32, &m->dims[d]);
    if (!rc && m->strides_expr[d])
      rc = whole(r, m->strides_expr[d], where, 0, 0x1p40, &m->strides[d]);
    if (rc)
      return rc;
    m->dims_expr[d] = m->strides_expr[d] = NULL;
  }
  const char *why = ww_tensor_map_complete(m);
  if (why)
    return ww_fail(r->e, WW_EPARSE, "%s: the tensor map is impossible: %s", where, why);
  ww_buffer *b = &g->buffer;
  if (!b->type)
    b->type = ww_tensor_type_named(m->type)->fill;
  if (!b->bytes && !b->bytes_expr && !b->count_expr)
    b->bytes = b->offset + ww_tensor_map_bytes(m);
  return resolve_buffer(r, b, 0, where);
}

static ww_status resolve_arg(resolver *r, ww_arg *g, uint32_t elem, const char *where) {
  ww_status rc = WW_OK;
  if (g->kind == WW_ARG_BUFFER)
    rc = resolve_buffer(r, &g->buffer, elem, where);
  if (g->kind == WW_ARG_TENSORMAP)
    rc = resolve_map(r, g, where);
  for (uint32_t k = 0; !rc && k < g->nptrs; k++)
    rc = resolve_buffer(r, &g->ptrs[k].buffer, 0, where);
  return rc;
}

static ww_status resolve_symbols(resolver *r) {
  r->l->symbols = own(r->l->symbols, r->l->nsymbols * sizeof *r->l->symbols, r->a);
  for (uint32_t i = 0; i < r->l->nsymbols; i++) {
    ww_symbol_arg *s = &r->l->symbols[i];
    ww_number v;
    ww_status rc = s->arg.expr ? eval(r, s->arg.expr, s->name, &v) : WW_OK;
    if (!rc && s->arg.expr)
      set_value(&s->arg, &v);
    if (!rc)
      rc = resolve_arg(r, &s->arg, 0, s->name);
    if (rc)
      return rc;
  }
  return WW_OK;
}

ww_status
ww_launch_resolve(ww_launch *l, const ww_launch_params *p, ww_arena *a, ww_err *e) {
  resolver r = {.l = l, .p = p, .names = p->names, .n = p->n, .a = a, .e = e};
  r.state = ww_alloc(a, p->n + 1);
  add_state(&r);
  ww_status rc = place_args(&r);
  for (uint32_t i = 0; !rc && i < p->n; i++) {
    if (l->args[i].kind == WW_ARG_VALUE && !value_of(&r, i))
      rc = ww_fail(e, WW_EPARSE, "%s", r.inner.msg);
    else
      rc = resolve_arg(&r, &l->args[i], p->elem_bytes ? p->elem_bytes[i] : 0,
                       p->names[i]);
  }
  if (!rc)
    rc = resolve_shape(&r, "grid", l->grid, l->grid_expr);
  if (!rc)
    rc = resolve_shape(&r, "block", l->block, l->block_expr);
  if (!rc && l->shared_expr)
    rc = whole(&r, l->shared_expr, "shared", 0, 1 << 30, &l->shared);
  if (!rc)
    rc = resolve_symbols(&r);
  l->shared_expr = NULL;
  if (!l->seed)
    l->seed = 1;
  if (!l->count)
    l->count = 1;
  return rc;
}

ww_status ww_launch_settle(ww_launch *l,
                           const char *comment,
                           const ww_launch *host,
                           const ww_launch_params *p,
                           ww_arena *a,
                           ww_err *e) {
  ww_launch under = {0};
  ww_launch noted = {0};
  ww_status st = comment ? ww_launch_comment(comment, a, &noted, e) : WW_OK;
  if (st)
    return st;
  if (host)
    ww_launch_merge(&under, host, a);
  ww_launch_merge(&under, &noted, a);
  ww_launch_merge(&under, l, a);
  *l = under;
  return p ? ww_launch_resolve(l, p, a, e) : WW_OK;
}
