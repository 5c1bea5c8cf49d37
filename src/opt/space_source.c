/* space_source.c - what an axis changes in a source, and which axes a source offers by
 * itself. By lexing alone (front/scan.h): no clang.
 *
 * A macro that is only set where nobody has set it is set by -D. Of one that is always
 * set, and of a named constant, the number in the text is replaced. */
#include <math.h>

#include "../base/words.h"
#include "../front/scan.h"
#include "space.h"

#define MOST_BLOCK 1024

/* ---- where a name gets its number ---- */

typedef struct {
  size_t at, end; /* the number; end 0: there is none */
  double value;
} literal;

static literal literal_at(const char *text, size_t at) {
  char *end;
  while (text[at] == ' ' || text[at] == '\t' || text[at] == '(')
    at++;
  double v = strtod(text + at, &end);
  size_t stop = end - text;
  bool number = stop > at && (ww_is_digit(text[at]) || text[at] == '-');
  while (number && strchr("uUlL", text[stop]) && text[stop])
    stop++;
  return number && !ww_is_word(text[stop]) ? (literal){at, stop, v} : (literal){0};
}

/* `#define NAME 16`, the first; not under #if 0. */
static literal defined(const ww_scan *s, const char *name) {
  for (const char *p = s->text; (p = ww_find_word(p, name)); p++) {
    const char *q = p;
    while (q > s->text && (q[-1] == ' ' || q[-1] == '\t'))
      q--;
    bool define = q - s->text >= 6 && !strncmp(q - 6, "define", 6);
    size_t at = p - s->text;
    if (define && s->kind[at] == WW_BYTE_DIRECTIVE)
      return literal_at(s->text, at + strlen(name));
  }
  return (literal){0};
}

/* `#ifndef NAME`, `#if !defined(NAME)`. */
static bool guarded(const ww_scan *s, const char *name) {
  for (const char *p = s->text; (p = ww_find_word(p, name)); p++) {
    const char *q = p;
    size_t at = p - s->text;
    while (q > s->text && strchr(" \t(", q[-1]))
      q--;
    size_t before = q - s->text;
    bool ifndef = before >= 6 && !strncmp(q - 6, "ifndef", 6);
    bool not = before >= 7 && !strncmp(q - 7, "defined", 7);
    if (s->kind[at] == WW_BYTE_DIRECTIVE && (ifndef || not ))
      return true;
  }
  return false;
}

/* `constexpr int NAME = 16;`: the word before it in its statement says that it stays.
 */
static literal constant(const ww_scan *s, const char *name) {
  for (const char *p = s->text; (p = ww_find_word(p, name)); p++) {
    size_t at = p - s->text;
    size_t behind = at + strlen(name);
    if (s->kind[at] != WW_BYTE_CODE)
      continue;
    while (ww_is_space(s->text[behind]))
      behind++;
    if (s->text[behind] != '=' || s->text[behind + 1] == '=')
      continue;
    size_t begin = at;
    while (begin && !strchr(";{}", s->text[begin - 1]))
      begin--;
    char words[200];
    size_t n = at - begin < sizeof words ? at - begin : sizeof words - 1;
    memcpy(words, s->text + at - n, n);
    words[n] = 0;
    if (ww_find_word(words, "const") || ww_find_word(words, "constexpr") ||
        ww_find_word(words, "enum"))
      return literal_at(s->text, behind + 1);
  }
  return (literal){0};
}

static bool in_code(const ww_scan *s, const char *name) {
  for (const char *p = s->text; (p = ww_find_word(p, name)); p++)
    if (s->kind[p - s->text] == WW_BYTE_CODE ||
        s->kind[p - s->text] == WW_BYTE_DIRECTIVE)
      return true;
  return false;
}

/* Named in `#pragma unroll NAME`, and in no condition of the preprocessor. */
static bool unrolls(const ww_scan *s, const char *name) {
  bool found = false;
  for (const char *p = s->text; (p = ww_find_word(p, name)); p++) {
    const char *line = p;
    if (s->kind[p - s->text] != WW_BYTE_DIRECTIVE)
      continue;
    while (line > s->text && line[-1] != '\n')
      line--;
    const char *pragma = ww_find_word(line, "unroll");
    if (!pragma || pragma > p)
      return false;
    found = true;
  }
  return found;
}

/* ---- the kernel ---- */

/* `name` without template arguments; NULL: the only one. */
static const ww_decl *kernel_decl(const ww_scan *s, const char *name) {
  const ww_decl *only = NULL;
  size_t n = name ? strcspn(name, "<") : 0;
  for (const ww_decl *d = s->decls; d && d < s->decls + s->ndecls; d++) {
    if (!d->kernel || !d->body || !d->name)
      continue;
    if (name && strlen(d->name) == n && !strncmp(d->name, name, n))
      return d;
    only = only ? NULL : d;
  }
  return name ? NULL : only;
}

/* Names of its template parameters where all are whole numbers; false: one is not. */
static bool
template_names(const ww_scan *s, const ww_decl *d, ww_arena *a, ww_strings *out) {
  const char *head = ww_find_word(s->text + d->begin, "template");
  if (!d->tmpl || !head || head > s->text + d->params)
    return false;
  const char *open = strchr(head, '<');
  const char *close = open ? strchr(open, '>') : NULL;
  static const char *const whole[] = {"int",      "unsigned", "bool", "size_t",
                                      "uint32_t", "int32_t",  NULL};
  for (const char *p = open + 1; close && p < close;) {
    size_t n = strcspn(p, ",>");
    const char *part = ww_strndup(a, p, n);
    const char *equals = strchr(part, '=');
    bool number = false;
    for (int k = 0; whole[k]; k++)
      number |= ww_find_word(part, whole[k]) != NULL;
    size_t end = equals ? (size_t)(equals - part) : n;
    while (end && !ww_is_word(part[end - 1]))
      end--;
    size_t begin = end;
    while (begin && ww_is_word(part[begin - 1]))
      begin--;
    if (!number || begin == end)
      return false;
    ww_push(a, out, ww_strndup(a, part + begin, end - begin));
    p += n + 1;
  }
  return out->n > 0;
}

/* Behind __global__, or the bounds that are there. */
static bool bounds_place(const ww_scan *s, const ww_decl *d, ww_axis *x) {
  const char *global = ww_find_word(s->text + d->begin, "__global__");
  if (!global || global > s->text + d->params)
    return false;
  const char *old = ww_find_word(global, "__launch_bounds__");
  x->at = x->end = global + strlen("__global__") - s->text;
  if (old && old < s->text + d->params) {
    const char *p = strchr(old, '(');
    int depth = 0;
    for (; p && *p; p++) {
      depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
      if (!depth)
        break;
    }
    x->at = old - s->text;
    x->end = p ? (size_t)(p + 1 - s->text) : x->at;
  }
  x->kind = WW_AXIS_BOUNDS;
  x->original = 0;
  return true;
}

/* ---- binding ---- */

static const char *const shapes[] = {"block.x", "block.y", "block.z", "grid.x",
                                     "grid.y",  "grid.z",  "shared",  NULL};

static void bind_text(const ww_scan *s, ww_axis *x) {
  literal number = defined(s, x->name);
  bool guard = guarded(s, x->name) || ww_find_word(s->text, "kernel_tuner");
  if (number.end) {
    x->original = number.value;
    x->at = number.at;
    x->end = number.end;
  }
  if (number.end && !guard) {
    x->kind = WW_AXIS_TEXT;
    return;
  }
  literal named = constant(s, x->name);
  if (!number.end && named.end)
    *x = (ww_axis){x->name, x->v, x->n, WW_AXIS_TEXT, named.at, named.end, named.value};
  else if (!number.end && unrolls(s, x->name))
    x->kind = WW_AXIS_CONSTANT;
  else
    x->kind = in_code(s, x->name) ? WW_AXIS_MACRO : WW_AXIS_LAUNCH;
}

/* kern<A, B> where A and B are axes. */
static void name_instance(ww_axes *s, const ww_decl *d, const ww_strings *names) {
  ww_buf b = {0};
  bool all = true;
  ww_buf_fmt(&b, "%s<", d->name);
  for (uint32_t k = 0; k < names->n; k++) {
    all = all && ww_space_find(s, names->v[k]) >= 0;
    ww_buf_fmt(&b, "%s%s", k ? ", " : "", names->v[k]);
  }
  ww_buf_puts(&b, ">");
  const char *text = ww_buf_text(&b, s->a);
  s->kernel = all ? text : NULL;
}

ww_status ww_space_bind(ww_axes *s, const char *text, const char *kernel, ww_err *e) {
  ww_scan scan;
  ww_strings names = {0};
  ww_scan_source(text, strlen(text), s->a, &scan);
  const ww_decl *d = kernel_decl(&scan, kernel);
  bool tmpl = d && template_names(&scan, d, s->a, &names);
  s->kernel = kernel && strchr(kernel, '<') ? ww_strdup(s->a, kernel) : NULL;
  if (tmpl && !s->kernel)
    name_instance(s, d, &names);
  for (uint32_t k = 0; k < s->n; k++) {
    ww_axis *x = &s->axes[k];
    bool shape = false;
    for (int i = 0; shapes[i]; i++)
      shape |= !strcmp(shapes[i], x->name);
    if (shape)
      x->kind = WW_AXIS_SHAPE;
    else if (!strcmp(x->name, "launch_bounds")) {
      if (!d || !bounds_place(&scan, d, x))
        return ww_fail(e, WW_EUSAGE, "launch_bounds: name a CUDA kernel of the file");
    } else if (s->kernel && ww_find_word(strchr(s->kernel, '<'), x->name))
      x->kind = WW_AXIS_TEMPLATE;
    else
      bind_text(&scan, x);
  }
  return WW_OK;
}

/* ---- variants ---- */

static int by_place(const void *x, const void *y) {
  const ww_axis *a = *(const ww_axis *const *)x;
  const ww_axis *b = *(const ww_axis *const *)y;
  return a->at < b->at ? -1 : a->at > b->at;
}

static bool edits(const ww_axis *x, double v) {
  return x->kind == WW_AXIS_TEXT || x->kind == WW_AXIS_CONSTANT ||
         (x->kind == WW_AXIS_BOUNDS && v > 0);
}

static void put_edits(const ww_axes *s,
                      const ww_config c,
                      const char *text,
                      ww_arena *a,
                      ww_variant *out) {
  const ww_axis *v[WW_MOST_AXES];
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->n; k++)
    if (edits(&s->axes[k], s->axes[k].v[c[k]]))
      v[n++] = &s->axes[k];
  out->text = text;
  if (!n)
    return;
  qsort(v, n, sizeof *v, by_place);
  ww_buf b = {0};
  size_t at = 0;
  for (uint32_t k = 0; k < n; k++) {
    double value = v[k]->v[c[v[k] - s->axes]];
    ww_buf_add(&b, text + at, v[k]->at - at);
    if (v[k]->kind == WW_AXIS_CONSTANT)
      ww_buf_fmt(&b, "constexpr int %s = %.15g;\n#line 1\n", v[k]->name, value);
    else if (v[k]->kind == WW_AXIS_BOUNDS)
      ww_buf_fmt(&b, " __launch_bounds__(WW_BLOCK_THREADS, %.15g) ", value);
    else
      ww_buf_fmt(&b, "%.15g", value);
    at = v[k]->end;
  }
  ww_buf_puts(&b, text + at);
  out->text = ww_buf_text(&b, a);
}

void ww_space_variant(const ww_axes *s,
                      const ww_config c,
                      const char *text,
                      ww_arena *a,
                      ww_variant *out) {
  *out = (ww_variant){.kernel = ww_space_put(s, c, s->kernel, a)};
  put_edits(s, c, text, a, out);
  for (uint32_t k = 0; k < s->n; k++) {
    const ww_axis *x = &s->axes[k];
    if (x->kind == WW_AXIS_MACRO)
      ww_push(a, &out->flags, ww_fmt(a, "-D%s=%.15g", x->name, x->v[c[k]]));
  }
}

uint64_t ww_space_code_key(const ww_axes *s, const ww_config c) {
  uint64_t h = 1;
  for (uint32_t k = 0; k < s->n; k++) {
    ww_axis_kind kind = s->axes[k].kind;
    if (kind != WW_AXIS_LAUNCH && kind != WW_AXIS_SHAPE)
      h = ww_hash(&c[k], sizeof c[k], h + k);
  }
  return h;
}

/* ---- launches ---- */

void ww_space_launch(const ww_axes *s, const ww_config c, ww_arena *a, ww_launch *l) {
  ww_launch copy;
  ww_launch_copy(l, a, &copy);
  *l = copy;
  for (int k = 0; k < 3; k++) {
    l->grid_expr[k] = ww_space_put(s, c, l->grid_expr[k], a);
    l->block_expr[k] = ww_space_put(s, c, l->block_expr[k], a);
  }
  l->shared_expr = ww_space_put(s, c, l->shared_expr, a);
  for (uint32_t k = 0; k < l->nargs; k++) {
    ww_arg *g = &l->args[k];
    g->expr = ww_space_put(s, c, g->expr, a);
    g->buffer.bytes_expr = ww_space_put(s, c, g->buffer.bytes_expr, a);
    g->buffer.count_expr = ww_space_put(s, c, g->buffer.count_expr, a);
  }
}

void ww_space_shape(const ww_axes *s, const ww_config c, ww_launch *l) {
  uint64_t *of[] = {&l->block[0], &l->block[1], &l->block[2], &l->grid[0],
                    &l->grid[1],  &l->grid[2],  &l->shared};
  for (uint32_t k = 0; k < s->n; k++) {
    const ww_axis *x = &s->axes[k];
    if (x->kind != WW_AXIS_SHAPE)
      continue;
    int i = 0;
    while (strcmp(shapes[i], x->name))
      i++;
    uint64_t v = x->v[c[k]];
    uint64_t before = *of[i];
    *of[i] = v;
    if (i < 3 && v && before && ww_space_find(s, shapes[i + 3]) < 0)
      l->grid[i] = (l->grid[i] * before + v - 1) / v;
    l->shared_given |= i == 6;
  }
}

void ww_space_shape_written(const ww_axes *s,
                            const ww_config c,
                            ww_arena *a,
                            ww_launch *l) {
  for (uint32_t k = 0; k < s->n; k++) {
    const ww_axis *x = &s->axes[k];
    int i = 0;
    while (x->kind == WW_AXIS_SHAPE && strcmp(shapes[i], x->name))
      i++;
    if (x->kind != WW_AXIS_SHAPE)
      continue;
    const char *v = ww_fmt(a, "%.15g", x->v[c[k]]);
    const char **exprs[] = {&l->block_expr[0], &l->block_expr[1], &l->block_expr[2],
                            &l->grid_expr[0],  &l->grid_expr[1],  &l->grid_expr[2],
                            &l->shared_expr};
    if (i < 3 && ww_space_find(s, shapes[i + 3]) < 0) {
      const char *block =
          l->block_expr[i] ? l->block_expr[i] : ww_fmt(a, "%lu", l->block[i]);
      const char *grid =
          l->grid_expr[i] ? l->grid_expr[i] : ww_fmt(a, "%lu", l->grid[i]);
      l->grid_expr[i] = ww_fmt(a, "((%s)*(%s)+%s-1)/%s", grid, block, v, v);
    }
    *exprs[i] = v;
    l->shared_given |= i == 6;
  }
}

/* ---- what a source offers ---- */

/* Named in a condition of the preprocessor. */
static bool switches(const ww_scan *s, const char *name) {
  for (const char *p = s->text; (p = ww_find_word(p, name)); p++) {
    const char *line = p;
    while (line > s->text && line[-1] != '\n')
      line--;
    line += strspn(line, " \t#");
    if (s->kind[p - s->text] == WW_BYTE_DIRECTIVE &&
        (ww_starts(line, "if ") || ww_starts(line, "elif ") || ww_starts(line, "if(")))
      return true;
  }
  return false;
}

/* Half, twice and so on of a number; of a switch (`#if NAME`) both. */
static ww_status
around(ww_axes *s, const ww_scan *scan, const char *name, double v, ww_err *e) {
  double list[8];
  uint32_t n = 0;
  if ((v == 0 || v == 1) && switches(scan, name)) {
    list[n++] = 0;
    list[n++] = 1;
  } else
    for (double x = v / 4; x > 0 && x <= 4 * v && x <= MOST_BLOCK; x *= 2)
      if (x >= 1 && x == floor(x))
        list[n++] = x;
  return n < 2 ? WW_OK : ww_space_add(s, name, list, n, e);
}

/* Whether the name decides a size of shared memory, a loop's end or its unrolling
 * within the kernel. */
static bool decides(const ww_scan *s, const ww_decl *d, const char *name) {
  const char *body = s->text + d->body;
  const char *stop = s->text + d->body_end;
  for (const char *p = body; (p = ww_find_word(p, name)) && p < stop; p++) {
    const char *line = p;
    while (line > body && line[-1] != '\n' && line[-1] != ';')
      line--;
    char words[200];
    size_t n = p - line < (long)sizeof words ? (size_t)(p - line) : sizeof words - 1;
    memcpy(words, p - n, n);
    words[n] = 0;
    const char *half = strrchr(words, ';');
    if (ww_find_word(words, "__shared__") || ww_find_word(words, "__local") ||
        ww_find_word(words, "unroll") || (half && ww_find_word(words, "for")) ||
        (line > body && line[-1] == ';' && strpbrk(words, "<>")))
      return true;
  }
  return false;
}

/* Names behind #define with a number; `found` gets each once. */
static ww_status
propose_defines(ww_axes *s, const ww_scan *scan, const ww_decl *d, ww_err *e) {
  ww_status st = WW_OK;
  for (const char *p = scan->text; !st && (p = ww_find_word(p, "define")); p++) {
    const char *q = p + 6 + strspn(p + 6, " \t");
    const char *name = ww_strndup(s->a, q, ww_word_length(q));
    literal number = literal_at(scan->text, q + strlen(name) - scan->text);
    bool directive = scan->kind[p - scan->text] == WW_BYTE_DIRECTIVE;
    if (!directive || !number.end || number.value != floor(number.value) ||
        number.value < 0 || ww_space_find(s, name) >= 0)
      continue;
    if (guarded(scan, name) || (d && decides(scan, d, name)))
      st = around(s, scan, name, number.value, e);
  }
  return st;
}

/* Behind the word at p, and one byte on. */
static const char *behind_word(const char *p) {
  p += ww_word_length(p);
  return p + (*p != 0);
}

static ww_status
propose_constants(ww_axes *s, const ww_scan *scan, const ww_decl *d, ww_err *e) {
  ww_status st = WW_OK;
  for (const char *p = scan->text; !st && d && *p; p = behind_word(p)) {
    p += strcspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    const char *name = ww_strndup(s->a, p, ww_word_length(p));
    const char *q = p + strlen(name);
    q += strspn(q, " \t");
    if (!*name || *q != '=' || q[1] == '=' ||
        scan->kind[p - scan->text] != WW_BYTE_CODE)
      continue;
    literal number = constant(scan, name);
    if (number.end && number.value >= 1 && number.value == floor(number.value) &&
        decides(scan, d, name) && ww_space_find(s, name) < 0)
      st = around(s, scan, name, number.value, e);
    if (!*p)
      break;
  }
  return st;
}

/* kern<128, 4> somewhere in the text says what its parameters are like. */
static ww_status
propose_template(ww_axes *s, const ww_scan *scan, const ww_decl *d, ww_err *e) {
  ww_strings names = {0};
  if (!template_names(scan, d, s->a, &names))
    return WW_OK;
  for (const char *p = scan->text; (p = ww_find_word(p, d->name)); p++) {
    const char *q = p + strlen(d->name);
    double v[WW_MOST_AXES];
    uint32_t n = 0;
    while (*q == (n ? ',' : '<') && n < names.n) {
      literal number = literal_at(scan->text, q + 1 - scan->text);
      if (!number.end)
        break;
      v[n++] = number.value;
      q = scan->text + number.end;
      q += strspn(q, " \t");
    }
    if (n != names.n || *q != '>')
      continue;
    ww_status st = WW_OK;
    for (uint32_t k = 0; !st && k < n; k++)
      if (ww_space_find(s, names.v[k]) < 0) {
        uint32_t before = s->n;
        st = around(s, scan, names.v[k], v[k], e);
        if (!st && s->n == before)
          st = ww_space_add(s, names.v[k], &v[k], 1, e);
        s->axes[s->n - 1].original = v[k];
      }
    return st;
  }
  return WW_OK;
}

ww_status ww_space_propose(ww_axes *s,
                           const char *text,
                           const char *kernel,
                           const uint64_t block[3],
                           ww_err *e) {
  ww_scan scan;
  ww_scan_source(text, strlen(text), s->a, &scan);
  const ww_decl *d = kernel_decl(&scan, kernel);
  ww_status st = propose_defines(s, &scan, d, e);
  if (!st)
    st = propose_constants(s, &scan, d, e);
  if (!st && d && d->tmpl)
    st = propose_template(s, &scan, d, e);
  bool flat = block[0] && block[1] <= 1 && block[2] <= 1;
  bool reads = d && (ww_find_word(text + d->body, "blockDim") ||
                     ww_find_word(text + d->body, "get_global_id"));
  bool fixed = false; /* a constant is the block's size already */
  for (uint32_t k = 0; k < s->n; k++)
    fixed |= s->axes[k].n > 1;
  static const double sizes[] = {64, 128, 256, 512, 1024};
  if (!st && flat && reads && !fixed) {
    st = ww_space_add(s, "block.x", sizes, WW_COUNT(sizes), e);
    s->axes[s->n - 1].original = block[0];
  }
  static const double blocks[] = {0, 2, 4};
  ww_axis probe = {0};
  if (!st && d && bounds_place(&scan, d, &probe))
    st = ww_space_add(s, "launch_bounds", blocks, WW_COUNT(blocks), e);
  return st;
}
