/* question_value.c - integer expressions of a source, as far as launch and source tell
 * them.
 *
 * A value is known at four places at once: thread 0, its neighbour in the warp, the
 * thread and iteration in the middle, the last thread; their differences say how an
 * address goes from lane to lane and how many threads pass a condition. NaN: not known
 * (it comes from memory). */

#include "question_eval.h"

static const ww_qval nothing = {{NAN, NAN, NAN, NAN}};

ww_qval ww_qval_of(double v) {
  return (ww_qval){{v, v, v, v}};
}

ww_qval ww_qval_builtin(const ww_launch *l, uint32_t kind, uint32_t d) {
  double block = l->block[d] ? l->block[d] : 1;
  double grid = l->grid[d] ? l->grid[d] : 1;
  uint32_t inner = l->block[0] > 1   ? 0
                   : l->block[1] > 1 ? 1
                   : l->block[2] > 1 ? 2
                                     : 0; /* along which neighbours lie */
  double step = d == inner;
  switch (kind) {
  case Q_THREAD:
    return (ww_qval){{0, step < block ? step : 0, floor((block - 1) / 2), block - 1}};
  case Q_BLOCK:
    return (ww_qval){{0, 0, floor((grid - 1) / 2), grid - 1}};
  case Q_BLOCKDIM:
    return ww_qval_of(block);
  case Q_GRIDDIM:
    return ww_qval_of(grid);
  case Q_GLOBALID:
    return (ww_qval){{0, step, floor((block * grid - 1) / 2), block * grid - 1}};
  default:
    return ww_qval_of(block * grid);
  }
}

/* ---- operators ---- */

static uint32_t precedence(uint32_t op) { /* 0: no binary operator */
  switch (op) {
  case '*':
  case '/':
  case '%':
    return 10;
  case '+':
  case '-':
    return 9;
  case Q_SHL:
  case Q_SHR:
    return 8;
  case '<':
  case '>':
  case Q_LE:
  case Q_GE:
    return 7;
  case Q_EQ:
  case Q_NE:
    return 6;
  case '&':
    return 5;
  case '^':
    return 4;
  case '|':
    return 3;
  case Q_AND:
    return 2;
  case Q_OR:
    return 1;
  default:
    return 0;
  }
}

static double bits(uint32_t op, double a, double b) {
  if (!(fabs(a) < 9e15 && fabs(b) < 9e15))
    return NAN;
  int64_t x = a;
  int64_t y = b;
  return op == '&' ? x & y : op == '|' ? x | y : x ^ y;
}

static double apply(uint32_t op, double a, double b, bool real) {
  switch (op) {
  case '*':
    return a * b;
  case '/':
    return b == 0 ? NAN : real ? a / b : trunc(a / b);
  case '%':
    return b == 0 ? NAN : fmod(a, b);
  case '+':
    return a + b;
  case '-':
    return a - b;
  case Q_SHL:
    return b >= 0 && b < 64 ? ldexp(a, b) : NAN;
  case Q_SHR:
    return b >= 0 && b < 64 ? floor(ldexp(a, -(int)b)) : NAN;
  case '<':
    return a < b;
  case '>':
    return a > b;
  case Q_LE:
    return a <= b;
  case Q_GE:
    return a >= b;
  case Q_EQ:
    return a == b;
  case Q_NE:
    return a != b;
  case Q_AND:
    return a != 0 && b != 0;
  case Q_OR:
    return a != 0 || b != 0;
  default:
    return bits(op, a, b);
  }
}

static ww_qval binary(uint32_t op, ww_qval a, ww_qval b, bool real) {
  ww_qval r;
  for (int k = 0; k < 4; k++)
    r.at[k] =
        isnan(a.at[k]) || isnan(b.at[k]) ? NAN : apply(op, a.at[k], b.at[k], real);
  return r;
}

/* ---- expressions ---- */

static ww_qval expression(ww_qeval *e, uint32_t least);

static bool op_here(const ww_qeval *e, uint32_t op) {
  return e->i < e->end && e->t[e->i].op == op;
}

/* (int)x, (uint)(x): brackets with types alone inside. */
static bool is_cast(const ww_qeval *e) {
  uint32_t close = e->t[e->i].pair;
  bool type = false;
  if (close <= e->i + 1 || close + 1 >= e->end)
    return false;
  for (uint32_t k = e->i + 1; k < close; k++) {
    char letter;
    uint32_t bytes;
    const ww_qtoken *t = &e->t[k];
    bool named = t->sym < 0 && ww_qtype_named(t, &letter, &bytes);
    bool other = ww_qtoken_is(t, "const") || t->op == '*';
    if (!named && !other)
      return false;
    type |= named;
  }
  return type;
}

/* min, max, abs and the like of what follows in brackets; anything else is not known.
 */
static ww_qval call(ww_qeval *e, const ww_qtoken *name) {
  uint32_t close = e->t[e->i].pair;
  uint32_t end = e->end;
  bool least = ww_qtoken_in(name, "min umin"), most = ww_qtoken_in(name, "max umax"),
       size = ww_qtoken_in(name, "abs labs");
  ww_qval a = nothing;
  ww_qval b = nothing;
  if (close >= end)
    close = end ? end - 1 : 0;
  if (size || least || most) {
    e->end = close;
    e->i++;
    a = expression(e, !size);
    if (!size && op_here(e, ',')) {
      e->i++;
      b = expression(e, 1);
    }
    e->end = end;
  }
  for (int k = 0; k < 4; k++) /* fmin and fmax take the one that is known */
    a.at[k] = size    ? fabs(a.at[k])
              : least ? fmin(a.at[k], b.at[k])
                      : fmax(a.at[k], b.at[k]);
  e->i = close + 1;
  return a;
}

/* p[index] at '[', p's symbol before it. */
static ww_qval element(ww_qeval *e, const ww_qline *line) {
  uint32_t close = e->t[e->i].pair;
  uint32_t end = e->end;
  if (!line || isnan(line->slope) || close >= end || e->depth > 100)
    return nothing;
  e->i++;
  e->end = close;
  ww_qval v = expression(e, 0);
  e->end = end;
  e->i = close; /* the caller goes on behind it */
  for (int k = 0; k < 4; k++)
    v.at[k] = line->base + line->slope * v.at[k];
  return v;
}

/* Members, elements and calls behind a primary: memory. `line`: of the primary, NULL
 * none. */
static ww_qval postfix(ww_qeval *e, ww_qval v, const ww_qline *line) {
  while (e->i < e->end) {
    const ww_qtoken *t = &e->t[e->i];
    if (ww_qop_in(t, "[ (")) {
      v = t->op == '[' ? element(e, line) : nothing;
      line = NULL;
      e->i = t->pair + 1;
    } else if (ww_qop_in(t, ". ->")) {
      v = nothing;
      e->i += 2;
    } else if (ww_qsteps(t))
      e->i++;
    else
      break;
  }
  return v;
}

static ww_qval primary(ww_qeval *e) {
  if (e->i >= e->end)
    return nothing;
  const ww_qtoken *t = &e->t[e->i];
  if (t->kind == Q_INT || t->kind == Q_FLOAT) {
    e->real |= t->kind == Q_FLOAT;
    e->i++;
    return ww_qval_of(t->value);
  }
  if (t->kind == Q_WORD) {
    e->i++;
    if (t->sym < 0 && op_here(e, '('))
      return call(e, t);
    if (t->sym < 0 && ww_qtoken_is(t, "warpSize"))
      return ww_qval_of(32);
    return postfix(e, t->sym >= 0 ? e->value[t->sym] : nothing,
                   t->sym >= 0 && e->line ? &e->line[t->sym] : NULL);
  }
  if (t->op == '(') {
    uint32_t close = t->pair;
    uint32_t end = e->end;
    if (is_cast(e)) {
      e->i = close + 1;
      return e->depth++ < 64 ? primary(e) : nothing;
    }
    e->i++;
    e->end = close < end ? close : end;
    ww_qval v = expression(e, 0);
    e->end = end;
    e->i = close + 1;
    return postfix(e, v, NULL);
  }
  e->i++;
  if (ww_qop_in(t, "- + ! ~")) {
    ww_qval v = e->depth++ < 64 ? primary(e) : nothing;
    for (int k = 0; k < 4; k++)
      v.at[k] = t->op == '-'   ? -v.at[k]
                : t->op == '!' ? (isnan(v.at[k]) ? NAN : v.at[k] == 0)
                : t->op == '~' ? -v.at[k] - 1
                               : v.at[k];
    return v;
  }
  return nothing;
}

/* a ? b : c, by each place's own condition; one that is not known gives the first. */
static ww_qval ternary(ww_qeval *e, ww_qval c) {
  e->i++;
  ww_qval a = expression(e, 0);
  ww_qval b = nothing;
  ww_qval r;
  if (op_here(e, ':')) {
    e->i++;
    b = expression(e, 0);
  }
  for (int k = 0; k < 4; k++)
    r.at[k] = isnan(c.at[k]) || c.at[k] != 0 ? a.at[k] : b.at[k];
  return r;
}

static ww_qval expression(ww_qeval *e, uint32_t least) {
  if (e->depth > 200) {
    e->i = e->end;
    return nothing;
  }
  e->depth++;
  ww_qval v = primary(e);
  while (e->i < e->end) {
    uint32_t op = e->t[e->i].op;
    uint32_t p = precedence(op);
    if (op == '?' && !least) {
      v = ternary(e, v);
      continue;
    }
    if (!p || p < least)
      break;
    e->i++;
    v = binary(op, v, expression(e, p + 1), e->real);
  }
  e->depth--;
  return v;
}

ww_qval ww_qval_range(const ww_qtoken *t,
                      uint32_t from,
                      uint32_t to,
                      const ww_qval *value,
                      const ww_qline *line) {
  ww_qeval e = {.t = t, .i = from, .end = to, .value = value, .line = line};
  return from < to ? expression(&e, 0) : nothing;
}
