/* fixes_power.c - pow with a small constant exponent becomes products, square roots,
 * quotients.
 *
 * The base must be known to be floating (an int's square may overflow where pow's does
 * not), free of side effects, and short, since it is written down more than once. */
#include "fixes_int.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
  uint32_t call, open, comma, close; /* tokens of pow ( base , exponent ) */
  bool is_double;                    /* of the base */
  double exponent;
} power;

static bool is_pow(const ww_ctext *c, uint32_t i) {
  return ww_tok_in(c, i, " pow powf __powf pown powr native_powr half_powr ") &&
         ww_tok_opens(c, i + 1, "(") && !ww_tok_in(c, i - 1, " . -> :: ");
}

static bool
constant_exponent(const ww_ctext *c, uint32_t i, uint32_t end, double *out) {
  bool negative = ww_tok_is(c, i, "-");
  i += negative;
  if (i + 1 != end || c->t[i].kind != WW_TOK_NUMBER)
    return false;
  const char *s = ww_tok_text(c, i, end);
  char *rest;
  double v = strtod(s, &rest);
  if (*rest && strcmp(rest, "f") && strcmp(rest, "F"))
    return false;
  *out = negative ? -v : v;
  return true;
}

/* 1 float, 2 double, 0 neither for sure; *lone: a name, a subscript or a member, which
 * needs no parentheses. */
static int
base_type(const ww_ctext *x, const ww_scope *s, uint32_t i, uint32_t end, bool *lone) {
  int type = 0;
  *lone = true;
  for (uint32_t k = i; k < end; k = ww_tok_skip(x, k)) {
    if (ww_tok_word(x, k)) {
      const ww_name *v = ww_ctext_name(x, s, k);
      bool subscript = ww_tok_is(x, k + 1, "[");
      if (!v || ww_tok_is(x, k + 1, "(") || (v->pointer && !subscript) || v->ndims > 1)
        return 0;
      if (k + 1 < end && ww_tok_in(x, k + 1, " . -> "))
        return 0;
      int mine = v->cls == WW_IS_DOUBLE ? 2 : v->cls == WW_IS_FLOAT;
      if (v->cls == WW_IS_UNKNOWN || (mine && !ww_tok_in(x, v->type, " float double ")))
        return 0; /* vectors, half */
      if (mine > type)
        type = mine;
      if (subscript) {
        uint32_t close = x->t[k + 1].pair;
        if (close == WW_NOTOK || close >= end)
          return 0;
        for (uint32_t j = k + 2; j < close; j++)
          if (ww_is_assignment(x, j) || ww_tok_is(x, j, "("))
            return 0;
        k++;
      }
    } else if (x->t[k].kind == WW_TOK_NUMBER) {
      char last = x->text[x->t[k].end - 1];
      bool dot = memchr(ww_tok_at(x, k), '.', ww_tok_len(x, k));
      int mine = dot ? (last == 'f' || last == 'F' ? 1 : 2) : 0;
      type = mine > type ? mine : type;
      *lone = false;
    } else if (ww_tok_in(x, k, " + - * / "))
      *lone = false;
    else
      return 0; /* parentheses, comparisons, calls */
  }
  return type;
}

static bool
read_power(const ww_ctext *x, const ww_scope *s, uint32_t i, power *p, bool *lone) {
  *p = (power){.call = i,
               .open = i + 1,
               .comma = ww_tok_comma(x, i + 1),
               .close = x->t[i + 1].pair};
  if (!p->comma || p->comma == p->open + 1 ||
      !constant_exponent(x, p->comma + 1, p->close, &p->exponent))
    return false;
  int type = base_type(x, s, p->open + 1, p->comma, lone);
  p->is_double = type == 2;
  /* powf of a double is a float */
  if (type == 2)
    return ww_tok_is(x, i, "pow") || x->s->dialect == WW_OPENCL;
  /* pow(x, 2.0) of a float is a double: that nobody wants it is clear where the text
   * has no doubles
   */
  return type == 1 &&
         (!ww_tok_is(x, i, "pow") || !ww_scan_has_word(&x->scan, "double"));
}

static const char *product(const ww_ctext *x, const char *base, int n) {
  ww_buf b = {0};
  for (int k = 0; k < n; k++)
    ww_buf_fmt(&b, "%s%s", k ? " * " : "", base);
  return ww_buf_text(&b, x->a);
}

/* What stands for it; *tight: it binds like a call, no parentheses are ever needed. */
static const char *instead(const ww_ctext *x,
                           const power *p,
                           const char *bare,
                           const char *base,
                           bool *tight) {
  double e = fabs(p->exponent);
  ww_dialect d = x->s->dialect;
  bool plain = p->is_double || d == WW_OPENCL;
  const char *root = plain ? "sqrt" : "sqrtf";
  const char *one = p->is_double ? "1.0" : "1.0f";
  size_t most = strlen(base) > 12 ? 3 : 4;
  *tight = e == 0.5 && (p->exponent > 0 || d != WW_OPENMP);
  if (*tight)
    return ww_fmt(x->a, "%s%s(%s)", p->exponent > 0 ? "" : "r", root, bare);
  if (e == 0.5)
    return ww_fmt(x->a, "%s / %s(%s)", one, root, bare);
  if (e == 1.5 && p->exponent > 0)
    return ww_fmt(x->a, "%s * %s(%s)", base, root, bare);
  if (e != floor(e) || e < 1 || e > most || strlen(base) > 40)
    return NULL;
  if (e == 1)
    return p->exponent > 0 ? NULL : ww_fmt(x->a, "%s / %s", one, base);
  const char *mult = product(x, base, e);
  return p->exponent > 0 ? mult : ww_fmt(x->a, "%s / (%s)", one, mult);
}

/* May a product stand here as it is? */
static bool loose(const ww_ctext *c, const power *p) {
  return ww_tok_in(c, p->call - 1, " = ( , + += -= return [ { ? : < > - ") &&
         ww_tok_in(c, p->close + 1, " ; ) , + - ] } ? : < > ");
}

const char *
ww_power_instead(const ww_ctext *x, const ww_scope *s, uint32_t i, bool lone_only) {
  power p;
  bool lone, tight;
  if (!is_pow(x, i) || x->t[i + 1].pair >= s->hi || !read_power(x, s, i, &p, &lone) ||
      (lone_only && !lone))
    return NULL;
  const char *bare = ww_tok_text(x, p.open + 1, p.comma);
  const char *base = lone ? bare : ww_fmt(x->a, "(%s)", bare);
  const char *now = strchr(bare, '\n') || strstr(bare, "/*")
                        ? NULL
                        : instead(x, &p, bare, base, &tight);
  return now && !tight && !loose(x, &p) ? ww_fmt(x->a, "(%s)", now) : now;
}

static uint32_t
change(ww_ctext *x, const ww_scope *s, ww_edits *e, const char **example) {
  uint32_t n = 0;
  for (uint32_t i = s->lo; i < s->hi; i++) {
    const char *now = ww_power_instead(x, s, i, false);
    if (!now)
      continue;
    uint32_t end = x->t[i + 1].pair + 1;
    ww_edit_tokens(x, e, i, end, now);
    if (!n++)
      *example = ww_fmt(x->a, "%s for %s", now, ww_tok_text(x, i, end));
    i = end - 1;
  }
  return n;
}

void ww_fix_powers(ww_ctext *x) {
  ww_scope at;
  ww_edits e = {0};
  const char *example = "";
  ww_scope_at_finding(x, &at);
  uint32_t n = change(x, &x->kernel, &e, &example);
  if (at.fn != x->kernel.fn)
    n += change(x, &at, &e, &example);
  if (!n)
    return;
  const char *title =
      n > 1 ? ww_fmt(x->a, "Write %u powers as products and roots: %s ...", n, example)
            : ww_fmt(x->a, "Write %s", example);
  ww_fix_offer(x, &e, &(ww_fix){.title = title, .preferred = true});
}
