/* fixes_float.c - double precision by accident: `f` behind constants, powf for pow.
 *
 * A constant is changed where its statement speaks of floats, and every name in it is
 * known to be no double: by its declaration in this text, or as a function of math.
 * What `auto` stands for is unknown only where the text has the word double. */
#include "fixes_int.h"

#include <math.h>
#include <stdlib.h>

/* Functions with a float twin of the same name and an f: of C, and of CUDA and HIP
 * alone. */
static const char c_math[] = " sqrt pow exp exp2 expm1 log log2 log10 log1p sin cos "
                             "tan asin acos atan atan2 sinh cosh tanh "
                             "asinh acosh atanh fabs floor ceil round trunc rint "
                             "nearbyint fmin fmax fmod fma hypot cbrt "
                             "erf erfc tgamma lgamma fdim copysign ldexp ";
static const char gpu_math[] = " rsqrt exp10 sinpi cospi normcdf rcbrt ";
static const char other_pure[] =
    " min max abs clamp mix select dot length fabsf rsqrtf __expf __logf __log2f "
    "__powf __sinf "
    "__cosf __fdividef __fsqrt_rn __frcp_rn __ldg __fmaf_rn native_exp native_log "
    "native_sqrt "
    "native_rsqrt native_recip get_global_id get_local_id get_group_id get_local_size "
    "get_global_size get_num_groups static_cast sizeof ";
/* Words that say nothing of precision. */
static const char neutral[] =
    " return if else for while const constexpr static volatile threadIdx "
    "blockIdx blockDim gridDim warpSize true false __restrict__ x y z w "
    "M_PI M_E M_SQRT2 INFINITY FLT_MAX FLT_MIN FLT_EPSILON ";

typedef struct {
  ww_ctext *x;
  const ww_scope *s;
  bool strict;         /* the text has the word double */
  uint32_t begin, end; /* the statement last judged */
  bool fits;           /* its constants may become float */
  ww_edits edits;
  uint32_t constants, calls, left;
  ww_buf shown;
} floats;

/* ---- literals ---- */

/* a floating constant without a suffix */
static bool plain_double(const char *s, size_t n) {
  bool hex = n > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'), floating = false;
  for (size_t i = 0; i < n; i++)
    floating |=
        s[i] == '.' || (hex ? s[i] == 'p' || s[i] == 'P' : s[i] == 'e' || s[i] == 'E');
  return floating && n && ((s[n - 1] >= '0' && s[n - 1] <= '9') || s[n - 1] == '.');
}

/* As a float it is neither infinite nor nearer to zero than a float can be. */
static bool fits_float(const char *s, size_t n) {
  char digits[64];
  size_t k = 0;
  for (size_t i = 0; i < n && k + 1 < sizeof digits; i++)
    if (s[i] != '\'')
      digits[k++] = s[i];
  digits[k] = 0;
  double v = fabs(strtod(digits, NULL));
  return k < sizeof digits - 1 && (v == 0 || (v >= 1.2e-38 && v <= 3.4e38));
}

static bool float_suffix(const ww_ctext *c, uint32_t i) {
  char last = c->text[c->t[i].end - 1];
  return c->t[i].kind == WW_TOK_NUMBER && (last == 'f' || last == 'F') &&
         memchr(ww_tok_at(c, i), '.', ww_tok_len(c, i));
}

/* ---- statements ---- */

enum { MOST_TOKENS = 2000 }; /* of a statement; longer ones are tables, or hostile */

static bool own_function(const ww_ctext *c, uint32_t i) {
  for (uint32_t k = 0; k < c->scan.ndecls; k++)
    if (c->scan.decls[k].name && ww_tok_is(c, i, c->scan.decls[k].name))
      return true;
  return false;
}

static bool is_math(const ww_ctext *c, uint32_t i) {
  return ww_tok_in(c, i, c_math) || ww_tok_in(c, i, gpu_math);
}

bool ww_is_pure_call(const ww_ctext *c, uint32_t i) {
  size_t n = ww_tok_len(c, i);
  if (own_function(c, i))
    return false;
  if (is_math(c, i) || ww_tok_in(c, i, other_pure) ||
      ww_tok_class(c, i) != WW_IS_UNKNOWN)
    return true;
  const char *s = ww_tok_at(c, i);
  return n > 1 && s[n - 1] == 'f' &&
         (ww_text_in(s, n - 1, c_math) || ww_text_in(s, n - 1, gpu_math));
}

/* A word that says nothing of precision. */
#define SAYS_NOTHING WW_IS_INT

/* What a function gives back, by the words before its parameters. */
static ww_name_class head_says(const ww_ctext *c, const ww_decl *d) {
  ww_name_class out = WW_IS_UNKNOWN;
  for (uint32_t i = ww_tok_from(c, d->begin); i < c->n && c->t[i].at < d->params; i++) {
    ww_name_class one = ww_tok_class(c, i);
    if (one == WW_IS_DOUBLE)
      return one;
    if (one != WW_IS_UNKNOWN)
      out = one;
  }
  return out;
}

static ww_name_class call_says(const floats *f, uint32_t i) {
  const ww_ctext *x = f->x;
  if (ww_is_pure_call(x, i))
    return ww_tok_class(x, i) == WW_IS_DOUBLE ? WW_IS_DOUBLE : SAYS_NOTHING;
  ww_name_class out = WW_IS_UNKNOWN;
  for (uint32_t k = 0; k < x->scan.ndecls; k++) {
    const ww_decl *d = &x->scan.decls[k];
    if (!d->name || !ww_tok_is(x, i, d->name))
      continue;
    ww_name_class one = head_says(x, d);
    if (one == WW_IS_DOUBLE || one == WW_IS_UNKNOWN)
      return one;
    out = SAYS_NOTHING;
  }
  return out;
}

/* What the word tells: by its type, or by what it is declared as. */
static ww_name_class word_says(const floats *f, uint32_t i) {
  const ww_ctext *x = f->x;
  bool member = ww_tok_in(x, i - 1, " . -> ");
  if (ww_tok_is(x, i + 1, "::"))
    return SAYS_NOTHING; /* std */
  if (ww_tok_in(x, i, neutral) && (member || !ww_ctext_name(x, f->s, i)))
    return SAYS_NOTHING;
  if (!member && ww_tok_is(x, i + 1, "(") && !ww_ctext_name(x, f->s, i))
    return call_says(f, i);
  ww_name_class cls = ww_tok_class(x, i);
  if (cls != WW_IS_UNKNOWN)
    return cls;
  if (!f->strict && ww_tok_is(x, i, "auto"))
    return SAYS_NOTHING;
  uint32_t next = i + 1;
  while (ww_tok_opens(x, next, "["))
    next = x->t[next].pair + 1;
  if (ww_tok_in(x, next, " . -> "))
    return SAYS_NOTHING; /* its member tells */
  const ww_name *v = ww_ctext_name(x, member ? NULL : f->s, i);
  if (v && v->cls == WW_IS_UNKNOWN && !f->strict && v->type != WW_NOTOK &&
      ww_tok_is(x, v->type, "auto"))
    return SAYS_NOTHING;
  if (v)
    return v->cls;
  /* a macro is looked at on its own */
  return ww_ctext_macro(x, ww_tok_at(x, i), ww_tok_len(x, i)) ||
                 ww_tok_in(x, i, other_pure)
             ? SAYS_NOTHING
             : WW_IS_UNKNOWN;
}

static bool judge(const floats *f, uint32_t begin, uint32_t end) {
  const ww_ctext *x = f->x;
  bool speaks = false;
  if (end - begin > MOST_TOKENS)
    return false;
  for (uint32_t i = begin; i < end; i++) {
    speaks |= float_suffix(x, i);
    if (x->t[i].kind == WW_TOK_ODD)
      return false;
    if (x->t[i].kind != WW_TOK_WORD)
      continue;
    ww_name_class what =
        ww_tok_is(x, i, "return") ? head_says(x, f->s->fn) : word_says(f, i);
    if (what == WW_IS_DOUBLE || what == WW_IS_UNKNOWN)
      return false;
    speaks |= what == WW_IS_FLOAT;
  }
  return speaks;
}

static bool may_change(floats *f, uint32_t i) {
  /* tokens come in order: a long statement is judged once */
  if (i >= f->end || i < f->begin) {
    ww_ctext_statement(f->x, i, f->s->lo, f->s->hi, &f->begin, &f->end);
    f->fits = judge(f, f->begin, f->end);
  }
  return f->fits;
}

/* ---- edits ---- */

static void show(floats *f, const char *what) {
  if (f->constants + f->calls < 4)
    ww_buf_fmt(&f->shown, "%s%s", f->shown.n ? ", " : "", what);
  if (f->constants + f->calls == 4)
    ww_buf_puts(&f->shown, " ...");
}

/* The constant of these n bytes becomes a float. */
static void add_suffix(floats *f, uint32_t at, uint32_t n) {
  ww_edit_insert(f->x, &f->edits, at + n, "f");
  show(f, ww_fmt(f->x->a, "%.*sf", (int)n, f->x->text + at));
  f->constants++;
}

static void constant(floats *f, uint32_t i) {
  const ww_ctext *x = f->x;
  const char *s = ww_tok_at(x, i);
  size_t n = ww_tok_len(x, i);
  if (!plain_double(s, n))
    return;
  if (!fits_float(s, n) || !may_change(f, i)) {
    f->left++;
    return;
  }
  add_suffix(f, x->t[i].at, n);
}

/* pow(x, 2) is computed in double by the language's rules, and in C so is sqrt(x). */
static bool integer_argument(const ww_ctext *c, uint32_t open) {
  uint32_t close = c->t[open].pair;
  for (uint32_t i = open + 1; i < close; i = ww_tok_skip(c, i)) {
    bool starts = ww_tok_in(c, i - 1, " ( , ") ||
                  (ww_tok_is(c, i - 1, "-") && (i < 2 || ww_tok_is(c, i - 2, ",")));
    bool ends = ww_tok_is(c, i + 1, ",") || i + 1 == close;
    if (c->t[i].kind == WW_TOK_NUMBER && starts && ends &&
        !memchr(ww_tok_at(c, i), '.', ww_tok_len(c, i)))
      return true;
  }
  return false;
}

static void call(floats *f, uint32_t i) {
  const ww_ctext *x = f->x;
  ww_dialect d = x->s->dialect;
  if (!is_math(x, i) || d == WW_OPENCL || !ww_tok_opens(x, i + 1, "(") ||
      own_function(x, i))
    return;
  if (ww_tok_in(x, i - 1, " . -> :: "))
    return;
  if (d == WW_OPENMP ? ww_tok_in(x, i, gpu_math) : !integer_argument(x, i + 1))
    return;
  if (!may_change(f, i)) {
    f->left++;
    return;
  }
  /* what the compiler makes of pow(x, 2), it may not make of powf */
  const char *product = ww_power_instead(x, f->s, i, true);
  if (product)
    ww_edit_tokens(x, &f->edits, i, x->t[i + 1].pair + 1, product);
  else
    ww_edit_insert(x, &f->edits, x->t[i].end, "f");
  show(f, product ? product : ww_fmt(x->a, "%sf", ww_tok_name(x, i)));
  f->calls++;
}

/* A macro whose value is one constant, perhaps signed and in parentheses: where that
 * constant is, 0 for none. */
static uint32_t macro_constant(const ww_ctext *c, const ww_macro *m, uint32_t *n) {
  uint32_t at = m->value;
  uint32_t end = m->value + m->value_n;
  while (at < end && strchr("(+- \t", c->text[at]))
    at++;
  while (end > at && strchr(") \t", c->text[end - 1]))
    end--;
  *n = end - at;
  for (uint32_t i = at; i < end; i++)
    if (!strchr("0123456789.eE+-", c->text[i]) ||
        (strchr("+-", c->text[i]) && (i == at || !strchr("eE", c->text[i - 1]))))
      return 0;
  return *n && plain_double(c->text + at, *n) && fits_float(c->text + at, *n) ? at : 0;
}

/* All uses of the macro must be of the kind that may change, in functions of the GPU.
 */
static bool
macro_uses(floats *f, const ww_macro *m, const ww_scope *scopes, uint32_t nscopes) {
  const ww_ctext *x = f->x;
  for (uint32_t k = 0; k < x->macros.n; k++)
    if (&x->macros.v[k] != m &&
        memmem(x->text + x->macros.v[k].value, x->macros.v[k].value_n, m->name,
               strlen(m->name)))
      return false;
  for (uint32_t i = 0; i < x->n; i++) {
    if (!ww_tok_is(x, i, m->name))
      continue;
    const ww_scope *in = NULL;
    for (uint32_t k = 0; k < nscopes; k++)
      if (i >= scopes[k].lo && i < scopes[k].hi)
        in = &scopes[k];
    if (!in)
      return false;
    f->s = in;
    f->begin = f->end = 0;
    if (!may_change(f, i))
      return false;
  }
  return true;
}

/* Returns the last one that was changed. */
static const char *macros(floats *f, const ww_scope *scopes, uint32_t nscopes) {
  const ww_ctext *x = f->x;
  const char *changed = NULL;
  for (uint32_t k = 0; k < x->macros.n; k++) {
    const ww_macro *m = &x->macros.v[k];
    uint32_t n;
    uint32_t at = macro_constant(x, m, &n);
    bool used = false;
    for (uint32_t s = 0; at && s < nscopes; s++)
      for (uint32_t i = scopes[s].lo; i < scopes[s].hi && !used; i++)
        used = ww_tok_is(x, i, m->name);
    if (!used || ww_ctext_macro(x, m->name, strlen(m->name)) != m)
      continue;
    if (!macro_uses(f, m, scopes, nscopes)) {
      f->left++;
      continue;
    }
    add_suffix(f, at, n);
    changed = m->name;
  }
  return changed;
}

/* ---- the functions it is about ---- */

enum { MOST_SCOPES = 32 };

/* of types: what is float in one is double in another */
static bool is_template(const ww_ctext *c, const ww_decl *d) {
  for (uint32_t i = ww_tok_from(c, d->begin);
       d->tmpl && i < c->n && c->t[i].at < d->params; i++)
    if (ww_tok_in(c, i, " typename class auto "))
      return true;
  return false;
}

/* The kernel and functions for the GPU alone that it calls, and they, in this text. */
static uint32_t reach(const ww_ctext *x, ww_scope *out) {
  uint32_t n = 1;
  out[0] = x->kernel;
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t d = 0; d < x->scan.ndecls && n < MOST_SCOPES; d++) {
      const ww_decl *fn = &x->scan.decls[d];
      bool known = !fn->body || !fn->name || fn->host || fn->kernel ||
                   fn->body_end <= fn->body + 1 || is_template(x, fn) ||
                   (!fn->device && x->s->dialect != WW_OPENCL);
      for (uint32_t j = 0; j < n; j++)
        known |= out[j].fn == fn;
      for (uint32_t i = out[k].lo; !known && i < out[k].hi; i++)
        if (ww_tok_is(x, i, fn->name) && ww_tok_is(x, i + 1, "(")) {
          ww_scope_of(x, fn, &out[n++]);
          break;
        }
    }
  return n;
}

static const char *title_of(const floats *f) {
  const char *what = f->calls && f->constants ? "Compute in float"
                     : f->calls               ? "Call float functions"
                                              : "Write float constants";
  return ww_fmt(f->x->a, "%s: %s", what, f->shown.s ? f->shown.s : "");
}

void ww_fix_floats(ww_ctext *x) {
  ww_scope *scopes = WW_NEWN(x->a, ww_scope, MOST_SCOPES);
  floats f = {.x = x, .strict = ww_scan_has_word(&x->scan, "double")};
  if (is_template(x, x->kernel.fn))
    return;
  uint32_t n = reach(x, scopes);
  for (uint32_t k = 0; k < n; k++) {
    f.s = &scopes[k];
    f.begin = f.end = 0;
    for (uint32_t i = scopes[k].lo; i < scopes[k].hi; i++) {
      if (x->t[i].kind == WW_TOK_NUMBER)
        constant(&f, i);
      if (x->t[i].kind == WW_TOK_WORD)
        call(&f, i);
    }
  }
  ww_edits plain = {0};
  for (uint32_t k = 0; k < f.edits.n; k++)
    ww_push(x->a, &plain, f.edits.v[k]);
  const char *title = title_of(&f);
  const char *shared = macros(&f, scopes, n);
  bool whole = f.left == 0 && !shared;
  if (shared)
    ww_fix_offer(
        x, &f.edits,
        &(ww_fix){.title = ww_fmt(x->a, "%s (if no other file uses %s)", title_of(&f),
                                  shared),
                  .assumes = ww_fmt(x->a, "no other file uses the macro %s", shared)});
  ww_fix_offer(x, &plain, &(ww_fix){.title = title, .preferred = whole});
  ww_buf_free(&f.shown);
}
