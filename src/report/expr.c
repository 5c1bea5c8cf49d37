/* expr.c - the small expressions of launch specs: grid=(n+255)/256, x=f32[n*m],
 * n=1<<20; and of the conditions of a tuning space: BX*BY<=1024 && BX%32==0.
 *
 * Integers stay exact 64-bit integers and every overflow is an error; a float anywhere
 * makes the result a float. Division of integers cuts towards zero as in C. Precedence
 * as in C: * / %, + -, << >>, < <= > >=, == !=, &&, ||, ?:; ** binds closest.
 * Comparisons give 1 or 0. `and`, `or` and `not` are taken too, for Kernel Tuner's
 * conditions. What does not count (behind 0 && and 1 ||, the other half of ?:) may
 * divide by zero. */
#include "launch.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "../base/units.h"
#include "../base/words.h"

#define DEPTH_MAX 64

typedef struct {
  const char *text, *p;
  ww_expr_lookup lookup;
  void *ctx;
  int depth;
  uint32_t idle; /* of what is read now nothing counts */
  ww_err *e;
} parser;

static bool binary(parser *s, int level, ww_number *out);
static bool choice(parser *s, ww_number *out);

static bool fail(parser *s, const char *what) {
  ww_fail(s->e, WW_EPARSE, "in \"%.100s\": %s", s->text, what);
  return false;
}

bool ww_expr_any(void *ctx, const char *name, size_t n, double *value) {
  (void)ctx;
  (void)name;
  (void)n;
  *value = 1;
  return true;
}

static ww_number of_int(int64_t i) {
  return (ww_number){.is_int = true, .i = i, .f = i};
}
static ww_number of_float(double f) {
  return (ww_number){.f = f};
}

/* What values are to blame for: no error where names stand for any value, or where
 * nothing counts. */
static bool fail_value(parser *s, const char *what, ww_number *out) {
  if (s->lookup != ww_expr_any && !s->idle)
    return fail(s, what);
  *out = of_int(1);
  return true;
}

static void skip(parser *s) {
  while (isspace((unsigned char)*s->p))
    s->p++;
}

static bool take(parser *s, const char *op) {
  skip(s);
  size_t n = strlen(op);
  if (strncmp(s->p, op, n) != 0 || (ww_is_word(*op) && ww_is_word(s->p[n])))
    return false;
  s->p += n;
  return true;
}

/* A whole number of at most 2^53 counts as an integer: 1e6 and a name's value. */
static ww_number of_double(double f) {
  if (f == floor(f) && fabs(f) <= 9007199254740992.0)
    return of_int(f);
  return of_float(f);
}

/* 64K, 2M, 1.5G: powers of 1024, as in a sweep. */
static bool binary_unit(parser *s, ww_number *out) {
  int shift = ww_unit_shift(*s->p);
  int64_t by = 1ll << shift;
  if (!shift || ww_is_word(s->p[1]) || out->f > (double)(INT64_MAX / by) || out->i < 0)
    return false;
  s->p++;
  *out = out->is_int ? of_int(out->i * by) : of_double(out->f * by);
  return true;
}

static bool literal(parser *s, ww_number *out) {
  const char *start = s->p;
  bool hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
  char *end;
  char *fend;
  errno = 0;
  uint64_t u = strtoull(start, &end, hex ? 16 : 10);
  bool too_big = errno == ERANGE;
  double f = hex ? u : strtod(start, &fend);
  bool fraction = !hex && memchr(start, '.', fend - start);
  if (!hex && fend > end) {
    *out = fraction ? of_float(f) : of_double(f);
    s->p = fend;
    if (isinf(f))
      return fail(s, "a number is too large");
  } else {
    if (too_big)
      return fail(s, "a number does not fit 64 bits");
    *out = (ww_number){.is_int = true, .i = u, .f = u};
    s->p = end;
  }
  if (!hex && binary_unit(s, out))
    return true;
  if (isalpha((unsigned char)*s->p) || *s->p == '_') {
    if ((*s->p == 'f' || *s->p == 'F') && !isalnum((unsigned char)s->p[1])) {
      s->p++; /* 1.5f */
      *out = of_float(out->f);
      return true;
    }
    return fail(s, "a number with letters behind it");
  }
  return true;
}

/* min(a, b) and max(a, b), behind the bracket. */
static bool extreme(parser *s, bool most, ww_number *out) {
  ww_number b;
  if (!choice(s, out))
    return false;
  while (take(s, ",")) {
    if (!choice(s, &b))
      return false;
    if (most ? b.f > out->f : b.f < out->f)
      *out = b;
  }
  return take(s, ")") || fail(s, "a ')' is missing");
}

static bool name(parser *s, ww_number *out) {
  const char *start = s->p;
  while (ww_is_word(*s->p))
    s->p++;
  size_t n = s->p - start;
  bool most = n == 3 && !strncmp(start, "max", 3);
  if ((most || (n == 3 && !strncmp(start, "min", 3))) && take(s, "("))
    return extreme(s, most, out);
  double v;
  if (s->lookup && s->lookup(s->ctx, start, n, &v)) {
    *out = of_double(v);
    return true;
  }
  char what[160];
  snprintf(what, sizeof what, "\"%.*s\" has no value", (int)(n > 60 ? 60 : n), start);
  return fail(s, what);
}

static bool primary(parser *s, ww_number *out) {
  skip(s);
  if (s->depth++ >= DEPTH_MAX)
    return fail(s, "nested too deeply");
  bool ok;
  if (take(s, "(")) {
    ok = choice(s, out);
    if (ok && !take(s, ")"))
      ok = fail(s, "a ')' is missing");
  } else if (take(s, "-")) {
    ok = primary(s, out);
    bool least = ok && out->i == INT64_MIN && out->f < 0;
    if (ok && out->is_int && (least || out->f > 9223372036854775808.0))
      ok = fail(s, "the result does not fit 64 bits");
    else if (ok)
      *out = out->is_int ? of_int(0 - (uint64_t)out->i) : of_float(-out->f);
  } else if (take(s, "+")) {
    ok = primary(s, out);
  } else if ((s->p[0] == '!' && s->p[1] != '=' && take(s, "!")) || take(s, "not")) {
    ok = primary(s, out);
    *out = of_int(ok && out->f == 0);
  } else if (isdigit((unsigned char)*s->p) || *s->p == '.') {
    ok = literal(s, out);
  } else if (isalpha((unsigned char)*s->p) || *s->p == '_') {
    ok = name(s, out);
  } else {
    ok = fail(s, *s->p ? "a number, a name or '(' is expected" : "it ends too early");
  }
  s->depth--;
  return ok;
}

static bool int_op(parser *s, char op, int64_t a, int64_t b, ww_number *out) {
  int64_t r = 0;
  bool over = false;
  switch (op) {
  case '+':
    over = __builtin_add_overflow(a, b, &r);
    break;
  case '-':
    over = __builtin_sub_overflow(a, b, &r);
    break;
  case '*':
    over = __builtin_mul_overflow(a, b, &r);
    break;
  case '<':
  case '>':
    if (b < 0 || b > 62)
      return fail_value(s, "a shift must be by 0 to 62", out);
    if (op == '<')
      over = __builtin_mul_overflow(a, (int64_t)1 << b, &r);
    else
      r = a >> b;
    break;
  default:
    if (b == 0)
      return fail_value(s, "division by zero", out);
    if (a == INT64_MIN && b == -1)
      over = true;
    else
      r = op == '/' ? a / b : a % b;
  }
  if (over)
    return fail(s, "the result does not fit 64 bits");
  *out = of_int(r);
  return true;
}

static bool apply(parser *s, char op, ww_number a, ww_number b, ww_number *out) {
  if (a.is_int && b.is_int) {
    bool unsigned_only = (a.i < 0 && a.f > 0) || (b.i < 0 && b.f > 0);
    if (unsigned_only)
      return fail(s, "the result does not fit 64 bits");
    return int_op(s, op, a.i, b.i, out);
  }
  switch (op) {
  case '+':
    *out = of_float(a.f + b.f);
    break;
  case '-':
    *out = of_float(a.f - b.f);
    break;
  case '*':
    *out = of_float(a.f * b.f);
    break;
  case '/':
    *out = of_float(a.f / b.f);
    break;
  default:
    return fail_value(s, "% << >> need whole numbers", out);
  }
  if (isfinite(out->f))
    return true;
  return b.f == 0 ? fail_value(s, "division by zero", out)
                  : fail(s, "the result is too large");
}

/* a to the power of b: whole numbers, as Kernel Tuner's lists have them. */
static bool power(parser *s, ww_number a, ww_number b, ww_number *out) {
  if (!a.is_int || !b.is_int || b.i < 0 || b.i > 64)
    return fail_value(s, "** needs whole numbers, the second from 0 to 64", out);
  int64_t r = 1;
  for (int64_t k = 0; k < b.i; k++)
    if (__builtin_mul_overflow(r, a.i, &r))
      return fail(s, "the result does not fit 64 bits");
  *out = of_int(r);
  return true;
}

static bool compares(char op) {
  return strchr("=!LlGg&|", op);
}

static bool compare(char op, double a, double b) {
  switch (op) {
  case '=':
    return a == b;
  case '!':
    return a != b;
  case 'L':
    return a < b;
  case 'l':
    return a <= b;
  case 'G':
    return a > b;
  case 'g':
    return a >= b;
  case '&':
    return a != 0 && b != 0;
  default:
    return a != 0 || b != 0;
  }
}

/* Operators of a level bind closer than those of the levels before; each has its sign
 * for int_op.
 */
static const struct {
  const char *text;
  char op;
} levels[][5] = {{{"||", '|'}, {"or", '|'}, {0}},
                 {{"&&", '&'}, {"and", '&'}, {0}},
                 {{"==", '='}, {"!=", '!'}, {0}},
                 {{"<=", 'l'}, {">=", 'g'}, {"<", 'L'}, {">", 'G'}, {0}},
                 {{"<<", '<'}, {">>", '>'}, {0}},
                 {{"+", '+'}, {"-", '-'}, {0}},
                 {{"*", '*'}, {"/", '/'}, {"%", '%'}, {0}},
                 {{"**", '^'}, {0}}};
enum { NLEVELS = WW_COUNT(levels) };

static bool binary(parser *s, int level, ww_number *out) {
  if (level == NLEVELS)
    return primary(s, out);
  if (!binary(s, level + 1, out))
    return false;
  for (;;) {
    int k = 0;
    while (levels[level][k].text && !take(s, levels[level][k].text))
      k++;
    ww_number b;
    char op = levels[level][k].op;
    if (!levels[level][k].text)
      return true;
    bool known = (op == '&' && out->f == 0) || (op == '|' && out->f != 0);
    s->idle += known;
    bool ok = binary(s, level + 1, &b);
    s->idle -= known;
    if (!ok)
      return false;
    if (compares(op))
      *out = of_int(compare(op, out->f, b.f));
    else if (!(op == '^' ? power(s, *out, b, out) : apply(s, op, *out, b, out)))
      return false;
  }
}

/* a ? b : c */
static bool choice(parser *s, ww_number *out) {
  if (!binary(s, 0, out))
    return false;
  if (!take(s, "?"))
    return true;
  bool first = out->f != 0;
  ww_number half[2];
  for (int k = 0; k < 2; k++) {
    bool idle = first == (k == 1);
    s->idle += idle;
    bool ok = choice(s, &half[k]);
    s->idle -= idle;
    if (!ok || (!k && !take(s, ":") && !fail(s, "a ':' is missing")))
      return false;
  }
  *out = half[first ? 0 : 1];
  return true;
}

ww_status ww_expr_number(
    const char *text, ww_expr_lookup lookup, void *ctx, ww_number *out, ww_err *e) {
  ww_err own = {0};
  parser s = {.text = text, .p = text, .lookup = lookup, .ctx = ctx, .e = e ? e : &own};
  if (!choice(&s, out))
    return WW_EPARSE;
  skip(&s);
  if (*s.p)
    fail(&s, "an operator is expected");
  return *s.p ? WW_EPARSE : WW_OK;
}

bool ww_expr_has_name(const char *text) {
  for (const char *p = text; *p; p++) {
    if (isdigit((unsigned char)*p) || *p == '.') {
      while (isalnum((unsigned char)p[1]) || p[1] == '.' || p[1] == '_')
        p++;
    } else if (isalpha((unsigned char)*p) || *p == '_') {
      return true;
    }
  }
  return false;
}
