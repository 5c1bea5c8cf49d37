/* launch_text.c - the short forms of a launch spec: --arg n=4, --grid n/256, and the
 * comment in the source.
 *
 * A value is a number, an expression, or a buffer `type[count]:fill`; what depends on
 * other arguments stays text until ww_launch_resolve. */
#include "launch_int.h"

#include <ctype.h>
#include <math.h>

#include "../base/words.h"

static const char *trimmed(ww_arena *a, const char *s, size_t n) {
  for (; n && isspace((unsigned char)*s); n--)
    s++;
  while (n && isspace((unsigned char)s[n - 1]))
    n--;
  return ww_strndup(a, s, n);
}

ww_status ww_hex_parse(const char *text,
                       const char *where,
                       ww_arena *a,
                       const uint8_t **out,
                       uint32_t *n,
                       ww_err *e) {
  static const char hex[] = "0123456789abcdef";
  uint8_t *bytes = ww_alloc(a, strlen(text) / 2 + 1);
  uint32_t digits = 0;
  for (const char *p = text; *p; p++) {
    if (isspace((unsigned char)*p))
      continue;
    const char *digit = strchr(hex, tolower((unsigned char)*p));
    if (!digit)
      return ww_fail(e, WW_EPARSE, "%s: expected hex digits, not '%c'", where, *p);
    bytes[digits / 2] = (uint8_t)(bytes[digits / 2] << 4 | (digit - hex));
    digits++;
  }
  if (digits % 2)
    return ww_fail(e, WW_EPARSE,
                   "%s: expected two hex digits for each byte, there are %u", where,
                   digits);
  *out = bytes;
  *n = digits / 2;
  return WW_OK;
}

ww_status ww_type_check(const char *type, const char *where, ww_err *e) {
  if (ww_elem_size(type))
    return WW_OK;
  return ww_fail(e, WW_EPARSE,
                 "%s: unknown type \"%.40s\"; known are f16 bf16 f32 f64 i8 u8 i16 u16 "
                 "i32 u32 i64 "
                 "u64, their C names, and vectors like float4",
                 where, type);
}

/* An expression with names is only checked for its form, with 1 for every name. */
ww_status ww_value_text(
    const char *text, const char *where, ww_arena *a, ww_arg *out, ww_err *e) {
  ww_err inner = {0};
  ww_number v;
  bool names = ww_expr_has_name(text);
  ww_status rc = ww_expr_number(text, names ? ww_expr_any : NULL, NULL, &v, &inner);
  if (rc)
    return ww_fail(e, rc, "%s: %s", where, inner.msg);
  if (names) {
    out->expr = ww_strdup(a, text);
    return WW_OK;
  }
  out->is_int = v.is_int;
  out->ivalue = v.i;
  out->value = v.f;
  return WW_OK;
}

ww_status ww_size_text(const char *text,
                       const char *where,
                       ww_arena *a,
                       uint64_t *value,
                       const char **expr,
                       ww_err *e) {
  ww_arg v = {0};
  ww_status rc = ww_value_text(text, where, a, &v, e);
  if (v.expr)
    *expr = v.expr;
  if (rc || v.expr)
    return rc;
  if (!v.is_int || v.value < 0 || v.value > WW_SIZE_MAX)
    return ww_fail(e, WW_EPARSE,
                   "%s: expected a whole number of at least 0 and at most 2^48, not %s",
                   where, text);
  *value = v.ivalue;
  return WW_OK;
}

ww_status ww_bound_text(const char *text,
                        const char *where,
                        ww_arena *a,
                        double *value,
                        const char **expr,
                        ww_err *e) {
  ww_arg v = {0};
  ww_status rc = ww_value_text(text, where, a, &v, e);
  *value = v.value;
  *expr = v.expr;
  return rc;
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

int ww_fill_named(const char *name, size_t n) {
  for (int k = WW_FILL_ZEROS; k < WW_NFILLS; k++)
    if (strlen(ww_fill_names[k]) == n && !memcmp(name, ww_fill_names[k], n))
      return k;
  return -1;
}

ww_status ww_fill_check(const ww_fill *f, const char *where, ww_err *e) {
  if (f->lo_expr || f->hi_expr)
    return WW_OK;
  bool ranged = f->kind == WW_FILL_UNIFORM || f->lo != 0 || f->hi != 0;
  if (!isfinite(f->lo) || !isfinite(f->hi))
    return ww_fail(e, WW_EPARSE, "%s: the bounds are too large", where);
  if (ranged && (f->kind == WW_FILL_MONOTONE ? f->hi < f->lo : f->hi <= f->lo))
    return ww_fail(e, WW_EPARSE, "%s: expected [lo,hi] with lo below hi, not [%g,%g]",
                   where, f->lo, f->hi);
  return WW_OK;
}

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
        "uniform(lo,hi), permutation, monotone(lo,hi), zipf(lo,hi), file(path)",
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
