/* names.c - what names of a source text stand for, as far as their declarations tell:
 * float or double, pointer, shared array, constant.
 *
 * No grammar of C++: a type's word followed by a declarator. A name that is declared
 * twice in different ways is nobody's. */
#include "tokens.h"

#include <stdlib.h>

#include "../../report/launch.h"

/* ---- types ---- */

static const struct {
  const char *words;
  uint8_t cls, bytes;
  bool vectors; /* word2, word3, word4, ... are types too */
} types[] = {
    {" float ", WW_IS_FLOAT, 4, true},
    {" double ", WW_IS_DOUBLE, 8, true},
    {" half ", WW_IS_FLOAT, 2, true},
    {" __half __nv_bfloat16 ", WW_IS_FLOAT, 2, false},
    {" __half2 ", WW_IS_FLOAT, 4, false},
    {" char uchar ", WW_IS_INT, 1, true},
    {" short ushort ", WW_IS_INT, 2, true},
    {" int uint ", WW_IS_INT, 4, true},
    {" long ulong longlong ulonglong ", WW_IS_INT, 8, true},
    {" bool int8_t uint8_t ", WW_IS_INT, 1, false},
    {" int16_t uint16_t ", WW_IS_INT, 2, false},
    {" unsigned signed int32_t uint32_t ", WW_IS_INT, 4, false},
    {" size_t ptrdiff_t int64_t uint64_t ", WW_IS_INT, 8, false},
    {" dim3 ", WW_IS_INT, 12, false},
};

/* Its row, -1 for none; *lanes of a vector type. */
static int type_row(const ww_ctext *c, uint32_t i, uint32_t *lanes) {
  const char *word = ww_tok_at(c, i);
  size_t n = ww_tok_len(c, i);
  for (size_t digits = 0; digits <= 2 && digits < n; digits++) {
    *lanes = digits ? strtoul(word + n - digits, NULL, 10) : 1;
    bool some = (*lanes >= 1 && *lanes <= 4) || *lanes == 8 || *lanes == 16;
    for (size_t k = 0; some && k < sizeof types / sizeof *types; k++)
      if ((!digits || types[k].vectors) && ww_text_in(word, n - digits, types[k].words))
        return k;
  }
  return -1;
}

ww_name_class ww_tok_class(const ww_ctext *c, uint32_t i) {
  uint32_t lanes;
  int k = type_row(c, i, &lanes);
  return k < 0 ? WW_IS_UNKNOWN : types[k].cls;
}

static bool is_type(const ww_ctext *c, uint32_t i) {
  uint32_t lanes;
  return ww_tok_word(c, i) && type_row(c, i, &lanes) >= 0;
}

uint32_t ww_name_bytes(const ww_ctext *c, const ww_name *v) {
  uint32_t lanes;
  uint32_t t = v->type;
  if (t == WW_NOTOK)
    return 0;
  int k = type_row(c, t, &lanes);
  if (k < 0)
    return 0;
  uint32_t bytes = types[k].bytes;
  if (ww_tok_in(c, t, " unsigned signed ")) /* unsigned char */
    for (uint32_t j = t + 1; j < v->tok && is_type(c, j); j++)
      bytes = types[type_row(c, j, &lanes)].bytes;
  return bytes * (lanes == 3 && !ww_starts(ww_tok_at(c, t), "float") ? 4 : lanes);
}

/* ---- declarations ---- */

static const char qualifiers[] =
    " const volatile * & __restrict__ restrict __restrict __global __local global "
    "local constexpr "
    "__shared__ static __shared __const__ __private RESTRICT __constant__ __constant ";
static const char no_types[] = " return else case goto new delete typedef using "
                               "operator throw struct class union enum if for "
                               "while do switch template public break continue ";

enum { MOST_NAMES = 2048 }; /* of a scope: a look-up goes through them all */

static void add(const ww_ctext *c, ww_names *out, const ww_name *v) {
  for (uint32_t k = 0; k < out->n; k++) {
    ww_name *o = &out->v[k];
    if (!ww_tok_same(c, o->tok, v->tok))
      continue;
    if (o->cls != v->cls || o->pointer != v->pointer || o->shared != v->shared ||
        o->ndims || v->ndims)
      o->twice = true;
    return;
  }
  if (out->n < MOST_NAMES)
    ww_push(c->a, out, *v);
}

/* From the type's words back to the start of the declaration: what it says of itself.
 */
static void read_before(const ww_ctext *c, uint32_t type, uint32_t lo, ww_name *v) {
  for (uint32_t i = type; i > lo;) {
    i--;
    if (c->t[i].kind != WW_TOK_WORD && !ww_tok_is(c, i, ")"))
      break;
    if (ww_tok_is(c, i, ")")) { /* __align__(16) */
      uint32_t open = c->t[i].pair;
      if (open == WW_NOTOK || open <= lo || ww_ctext_control(c, open) ||
          !ww_tok_word(c, open - 1))
        break;
      i = open - 1;
      continue;
    }
    if (ww_tok_in(c, i, " const constexpr "))
      v->fixed = true;
    if (ww_tok_in(c, i, " __shared__ __local local "))
      v->shared = true;
    if (ww_tok_is(c, i, "extern"))
      v->dynamic = true;
  }
}

/* A word that a declaration may name. */
static bool is_name(const ww_ctext *c, uint32_t i, uint32_t hi) {
  return i < hi && ww_tok_word(c, i) && !is_type(c, i) && !ww_tok_in(c, i, no_types);
}

/* One declarator from i on; its end, or i when there is none. */
static uint32_t
declarator(const ww_ctext *c, uint32_t i, uint32_t hi, ww_name v, ww_names *out) {
  uint32_t from = i;
  for (; i < hi && ww_tok_in(c, i, qualifiers); i++) {
    if (ww_tok_is(c, i, "*"))
      v.pointer = true;
    if (ww_tok_is(c, i, "const") && !v.pointer)
      v.fixed = true;
  }
  if (!is_name(c, i, hi))
    return from;
  v.tok = i++;
  for (; i < hi && ww_tok_is(c, i, "["); i = ww_tok_skip(c, i)) {
    v.pointer = true;
    if (c->t[i].pair == WW_NOTOK)
      return from;
    if (v.ndims < 4)
      v.dim[v.ndims] = i;
    v.ndims++;
  }
  if (!(ww_tok_in(c, i, " = , ; ) { : ") || (ww_tok_is(c, i, "(") && !v.pointer)))
    return from;
  if (ww_tok_is(c, i, "("))
    v.cls = WW_IS_UNKNOWN; /* a function, or an object made by its constructor */
  add(c, out, &v);
  return i;
}

/* The other declarators of `float a = f(1, 2), *b, c[4];` */
static void declarators(
    const ww_ctext *c, uint32_t i, uint32_t hi, const ww_name *v, ww_names *out) {
  while (i < hi) {
    while (i < hi && !ww_tok_in(c, i, " , ; ) } "))
      i = ww_tok_in(c, i, " ( [ { ") ? ww_tok_skip(c, i) : i + 1;
    if (i >= hi || !ww_tok_is(c, i, ","))
      return;
    uint32_t next = declarator(c, i + 1, hi, *v, out);
    if (next == i + 1)
      return;
    i = next;
  }
}

/* Is the word at i a type nobody knows, with a name behind it: `Real x`, `const Vec3
 * *__restrict__ p`? */
static bool other_type(const ww_ctext *c, uint32_t i, uint32_t hi) {
  if (!ww_tok_word(c, i) || ww_tok_in(c, i, no_types) || ww_tok_in(c, i, qualifiers))
    return false;
  uint32_t j = i + 1;
  bool stars = false;
  for (; j < hi && ww_tok_in(c, j, qualifiers); j++)
    stars |= ww_tok_in(c, j, " * & ");
  if (!is_name(c, j, hi))
    return false;
  /* a * b; is a product as well: behind a qualifier or a bracket it is none */
  return !stars ||
         (i && (ww_tok_in(c, i - 1, qualifiers) || ww_tok_in(c, i - 1, " ( , ")) &&
          (ww_tok_in(c, j + 1, " , ) ")));
}

void ww_ctext_names(const ww_ctext *c, uint32_t lo, uint32_t hi, ww_names *out) {
  for (uint32_t i = lo; i < hi;) {
    bool known = is_type(c, i);
    if (!known && !other_type(c, i, hi)) {
      i++;
      continue;
    }
    ww_name v = {.type = i, .cls = WW_IS_UNKNOWN};
    read_before(c, i, lo, &v);
    uint32_t end = i + 1;
    if (known) {
      v.cls = ww_tok_class(c, i);
      for (; end < hi && is_type(c, end); end++) /* unsigned long long, long double */
        if (ww_tok_class(c, end) == WW_IS_DOUBLE)
          v.cls = WW_IS_DOUBLE;
    }
    uint32_t next = declarator(c, end, hi, v, out);
    if (next != end && !(ww_tok_is(c, next, ",") &&
                         (is_type(c, next + 1) || other_type(c, next + 1, hi) ||
                          ww_tok_in(c, next + 1, qualifiers))))
      declarators(c, next, hi, &v, out);
    i = end;
  }
}

static const ww_name *
find(const ww_ctext *c, const ww_scope *scope, const char *name, size_t n) {
  const ww_names *sets[] = {scope ? &scope->names : NULL, &c->file};
  for (int s = 0; s < 2; s++)
    for (uint32_t k = 0; sets[s] && k < sets[s]->n; k++) {
      const ww_name *v = &sets[s]->v[k];
      if (ww_tok_len(c, v->tok) == n && !memcmp(ww_tok_at(c, v->tok), name, n))
        return v->twice ? NULL : v;
    }
  return NULL;
}

const ww_name *ww_ctext_name(const ww_ctext *c, const ww_scope *s, uint32_t i) {
  return ww_tok_word(c, i) ? find(c, s, ww_tok_at(c, i), ww_tok_len(c, i)) : NULL;
}

/* ---- constants ---- */

typedef struct {
  const ww_ctext *c;
  const ww_scope *s;
  int depth,
      /* how deep macros lie in macros; names still to be looked up: a text may be
         hostile */
      left;
} lookup;

static bool evaluate(lookup *l, const char *text, double *out);

/* A constant of the text: `constexpr int N = 4;`. Its value's tokens. */
static const char *constant_text(const lookup *l, const char *name, size_t n) {
  const ww_ctext *c = l->c;
  const ww_name *v = find(c, l->s, name, n);
  if (!v || !v->fixed || v->pointer || v->cls != WW_IS_INT ||
      !ww_tok_is(c, v->tok + 1, "="))
    return NULL;
  uint32_t from = v->tok + 2;
  return ww_tok_text(c, from, ww_tok_find(c, from, c->n, " ; , "));
}

static bool look_up(void *ctx, const char *name, size_t n, double *value) {
  lookup *l = ctx;
  if (l->depth >= 8 || l->left-- <= 0)
    return false;
  const ww_macro *m = ww_ctext_macro(l->c, name, n);
  const char *text = m ? ww_strndup(l->c->a, l->c->text + m->value, m->value_n)
                       : constant_text(l, name, n);
  l->depth++;
  bool known = text && *text && evaluate(l, text, value);
  l->depth--;
  return known;
}

/* Whole numbers alone. */
static bool evaluate(lookup *l, const char *text, double *out) {
  ww_number v;
  if (strlen(text) > 200 || ww_expr_number(text, look_up, l, &v, NULL) != WW_OK)
    return false;
  *out = v.f;
  return v.f > -1e15 && v.f < 1e15 && (v.is_int || v.f == (int64_t)v.f);
}

bool ww_ctext_value(
    const ww_ctext *c, const ww_scope *s, uint32_t i, uint32_t end, int64_t *out) {
  lookup l = {c, s, 0, 100};
  double v;
  if (i >= end || !evaluate(&l, ww_tok_text(c, i, end), &v))
    return false;
  *out = v;
  return true;
}
