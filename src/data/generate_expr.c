/* generate_expr.c - the arithmetic that all productions share: expressions, steps of loops,
 * conditions, blocks of work.
 *
 * Floats stay finite: contents are in [0,1), divisors and arguments of logarithms and roots are
 * kept above zero, and a step that may run a million times is a contraction, a bounded function or
 * a sum. Unsigned integers may wrap.
 *
 * C leaves the order of a call's arguments open: no call here may draw in two of them. */
#include "generate_int.h"

#define T(...) ww_gen_text(g, __VA_ARGS__)
#define L(...) ww_gen_line(g, __VA_ARGS__)
#define pick(n) ww_gen_pick(g, n)
#define chance(p) ww_gen_chance(g, p)

gen_type ww_gen_any_type(gen *g) {
  static const uint8_t bag[] = {GEN_F32, GEN_F32, GEN_F32, GEN_F32, GEN_F32, GEN_F32, GEN_F32,
                                GEN_F32, GEN_F32, GEN_F64, GEN_F64, GEN_I32, GEN_I32, GEN_I32,
                                GEN_U32, GEN_U32, GEN_U32, GEN_U64, GEN_U8,  GEN_I16};
  return bag[pick(sizeof bag)];
}

gen_type ww_gen_compute(gen_type t) {
  return t == GEN_U8 || t == GEN_I8 || t == GEN_I16 ? GEN_I32 : t;
}

const char *ww_gen_literal(gen *g, gen_type t) {
  static const char *const floats[] = {"0.5",  "0.25",   "0.125", "0.9",  "0.99", "1.5",
                                       "0.75", "0.3333", "0.01",  "0.7",  "0.05", "0.62",
                                       "0.2",  "1.25",   "0.8",   "0.001"};
  static const uint32_t odd[] = {1664525, 2654435761u, 1103515245, 40503, 31,
                                 33,      0x9e3779b1u, 17,         69069, 0x85ebca6bu};
  switch (t) {
  case GEN_F32:
    return T("%sf", floats[pick(16)]);
  case GEN_F64:
    return floats[pick(16)];
  case GEN_U32:
    return T("%uu", odd[pick(10)]);
  case GEN_U64:
    return T("%uu", odd[pick(10)]);
  default:
    return T("%u", 2 + pick(30));
  }
}

static const char *operand(gen *g, const char *const *vars, uint32_t n) {
  return vars[pick(n)];
}

static const char *math_expr(gen *g, gen_type t, const char *a, const char *b) {
  const char *f = t == GEN_F32 ? "f" : "";
  const char *one = t == GEN_F32 ? "1.0f" : "1.0", *lit = ww_gen_literal(g, t);
  ww_gen_tag(g, "math");
  switch (pick(t == GEN_F64 ? 10 : 14)) {
  case 0:
    return T("$sqrt%s($fabs%s(%s) + %s)", f, f, a, lit);
  case 1:
    return T("$exp%s(-$fabs%s(%s))", f, f, a);
  case 2:
    return T("$rsqrt%s(%s * %s + %s)", f, a, a, one);
  case 3:
    return T("$fmin%s(%s, %s)", f, a, b);
  case 4:
    return T("$fmax%s(%s, %s)", f, a, b);
  case 5:
    return T("$fabs%s(%s - %s)", f, a, b);
  case 6:
    return T("$sqrt%s(%s * %s + %s * %s)", f, a, a, b, b);
  case 7:
    return T("$floor%s(%s * %s)", f, a, lit);
  case 8:
    return T("$fma%s(%s, %s, %s)", f, a, b, lit);
  case 9:
    return T("$log%s($fabs%s(%s) + %s)", f, f, a, one);
  case 10:
    return T("$sin%s(%s)", "f", a);
  case 11:
    return T("$cos%s(%s + %s)", "f", a, b);
  case 12:
    return T("$fastexp(-$fabsf(%s))", a);
  default:
    return T("$tanh%s(%s)", "f", a);
  }
}

static const char *float_expr(gen *g, gen_type t, const char *const *vars, uint32_t n,
                              uint32_t depth) {
  const char *a = ww_gen_expr(g, t, vars, n, depth - 1);
  const char *b =
      chance(70) ? ww_gen_expr(g, t, vars, n, depth - 1 - pick(depth)) : operand(g, vars, n);
  if (chance(g->math))
    return math_expr(g, t, a, b);
  if (chance(g->div)) {
    const char *f = t == GEN_F32 ? "f" : "";
    ww_gen_tag(g, "div");
    return T("%s / ($fabs%s(%s) + %s)", a, f, b, t == GEN_F32 ? "1.0f" : "1.0");
  }
  switch (pick(8)) {
  case 0:
  case 1:
    return T("(%s + %s)", a, b);
  case 2:
    return T("(%s - %s)", a, b);
  case 3:
  case 4:
    return T("%s * %s", a, b);
  case 5:
    return T("(%s * %s + %s)", a, ww_gen_literal(g, t), b);
  case 6:
    return T("(%s * %s + %s)", a, b, operand(g, vars, n));
  default: {
    const char *limit = ww_gen_literal(g, t);
    return T("(%s > %s ? %s : %s)", operand(g, vars, n), limit, a, b);
  }
  }
}

static const char *signed_expr(gen *g, const char *a, const char *b) {
  switch (pick(10)) {
  case 0:
  case 1:
    return T("(%s + %s)", a, b);
  case 2:
    return T("(%s - %s)", a, b);
  case 3: {
    uint32_t by = 3 + pick(14);
    return T("(%s & %u) * %u", a, (8u << pick(6)) - 1, by);
  }
  case 4:
    return T("$min(%s, %s)", a, b);
  case 5:
    return T("$max(%s, %s)", a, b);
  case 6:
    return T("(%s ^ %s)", a, b);
  case 7:
    return T("((%s + %s) >> %u)", a, b, 1 + pick(4));
  case 8:
    return T("$abs(%s - %s)", a, b);
  default:
    return T("(%s > %s ? %s : %u)", a, b, a, pick(100));
  }
}

static const char *bits_expr(gen *g, const char *a, const char *b) {
  ww_gen_tag(g, "bits");
  switch (pick(8)) {
  case 0:
    return T("$popc(%s)", a);
  case 1:
    return T("$clz(%s | 1u)", a);
  case 2: {
    uint32_t by = 1 + pick(30);
    return T("((%s << %u) | (%s >> %u))", a, by, a, 32 - by);
  }
  case 3:
    return T("$mulhi(%s, %s)", a, b);
  case 4:
    return T("(%s ^ (%s >> %u))", a, a, 5 + pick(12));
  case 5:
    return T("(%s & (~%s + 1u))", a, a);
  case 6:
    return T("(((%s >> %u) & 255u) | (%s << 8))", a, 8 * pick(4), b);
  default:
    return T("((%s & 0x55555555u) + ((%s >> 1) & 0x55555555u))", a, a);
  }
}

static const char *unsigned_expr(gen *g, gen_type t, const char *a, const char *b) {
  if (t == GEN_U32 && chance(g->math))
    return bits_expr(g, a, b);
  switch (pick(9)) {
  case 0:
  case 1:
    return T("(%s + %s)", a, b);
  case 2:
    return T("%s * %s", a, ww_gen_literal(g, t));
  case 3:
    return T("(%s ^ %s)", a, b);
  case 4:
    return T("(%s & %s)", a, b);
  case 5:
    return T("(%s << %u)", a, 1 + pick(7));
  case 6:
    return T("(%s >> %u)", a, 1 + pick(15));
  case 7:
    return T("(%s | %s)", a, b);
  default:
    return T("(%s < %s ? %s : %s)", a, b, b, a);
  }
}

const char *ww_gen_expr(gen *g, gen_type t, const char *const *vars, uint32_t n, uint32_t depth) {
  if (!depth || depth > 8 || chance(10))
    return chance(85) ? operand(g, vars, n) : ww_gen_literal(g, t);
  if (ww_gen_is_float(t))
    return float_expr(g, t, vars, n, depth);
  const char *a = ww_gen_expr(g, t, vars, n, depth - 1),
             *b = ww_gen_expr(g, t, vars, n, depth - 1 - pick(depth));
  if (chance(g->div)) { /* by a literal mostly: what compilers turn into multiplications; else never
                           by zero */
    ww_gen_tag(g, "intdiv");
    const char *op = chance(50) ? "/" : "%";
    const char *u = t == GEN_I32 || t == GEN_I64 ? "" : "u";
    if (chance(60))
      return T("(%s %s %u%s)", a, op, 3 + 2 * pick(500), u);
    return T("(%s %s ((%s & 1023%s) + 3%s))", a, op, b, u, u);
  }
  return t == GEN_I32 || t == GEN_I64 ? signed_expr(g, a, b) : unsigned_expr(g, t, a, b);
}

static const char *join(gen *g, gen_type t, const char *a, const char *b) {
  if (ww_gen_is_float(t)) {
    if (chance(g->math / 2))
      return T("$f%s%s(%s, %s)", chance(50) ? "max" : "min", t == GEN_F32 ? "f" : "", a, b);
    uint32_t how = pick(4);
    return how == 0 ? T("%s * %s", a, b) : how == 1 ? T("(%s - %s)", a, b) : T("(%s + %s)", a, b);
  }
  if (t == GEN_I32 && chance(20))
    return T("$%s(%s, %s)", chance(50) ? "max" : "min", a, b);
  if (chance(60))
    return T("(%s + %s)", a, b); /* the others shift: nothing that came in may cancel out again */
  uint32_t shift = 1 + pick(4);
  return T("(%s %s (%s >> %u))", a, chance(50) ? "^" : "-", b, shift);
}

const char *ww_gen_all(gen *g, gen_type t, const char *const *vars, uint32_t n, uint32_t depth) {
  const char *e = NULL;
  for (uint32_t k = 0; k < n; k++) {
    const char *v = vars[k];
    if (depth && chance(50))
      v = join(g, t, v, ww_gen_expr(g, t, vars, n, pick(depth + 1)));
    if (depth > 1 && chance(g->math) && ww_gen_is_float(t))
      v = math_expr(g, t, v, operand(g, vars, n));
    e = e ? join(g, t, e, v) : v;
  }
  return e;
}

static void float_step(gen *g, gen_type t, const char *acc, const char *e) {
  const char *f = t == GEN_F32 ? "f" : "", *lit = t == GEN_F32 ? "0.5f" : "0.5";
  switch (chance(g->math) ? 5 + pick(4) : pick(5)) {
  case 0:
    L("%s += %s;", acc, e);
    break;
  case 1:
    L("%s = %s * %s + %s;", acc, acc, chance(50) ? lit : t == GEN_F32 ? "0.97f" : "0.97", e);
    break;
  case 2:
    L("%s = $fma%s(%s, %s, %s);", acc, f, acc, lit, e);
    break;
  case 3:
    L("%s -= %s * %s;", acc, e, lit);
    break;
  case 4:
    L("%s = $fm%s%s(%s * %s, %s);", acc, chance(50) ? "ax" : "in", f, acc, lit, e);
    break;
  case 5:
    L("%s = $sqrt%s($fabs%s(%s + %s));", acc, f, f, acc, e);
    break;
  case 6:
    L("%s = %s / (%s * %s + 1.0%s) + %s;", acc, lit, acc, acc, f, e);
    break;
  case 7:
    L("%s += $exp%s(-$fabs%s(%s));", acc, f, f, e);
    break;
  default:
    L("%s = $rsqrt%s(%s * %s + %s) * %s;", acc, f, acc, acc, lit, e);
  }
}

static void int_step(gen *g, gen_type t, const char *acc, const char *e) {
  bool s = t == GEN_I32 || t == GEN_I64;
  switch (pick(s ? 5 : 9)) {
  case 0:
    L("%s += %s;", acc, e);
    break;
  case 1:
    L("%s ^= %s;", acc, e);
    break;
  case 2:
    L("%s = %s > %s ? %s : %s;", acc, acc, e, acc, e);
    break;
  case 3:
    L("%s = (%s >> 1) + %s;", acc, acc, e);
    break;
  case 4:
    L("%s = (%s & %u) + %s;", acc, acc, (256u << pick(8)) - 1, e);
    break;
  case 5:
    L("%s = %s * %s + %s;", acc, acc, ww_gen_literal(g, t), e);
    break;
  case 6:
    L("%s ^= (%s << %u) + %s;", acc, acc, 3 + pick(14), e);
    break;
  case 7:
    L("%s = (%s ^ (%s >> %u)) + %s;", acc, acc, acc, 3 + pick(18), e);
    break;
  default:
    L("%s = (%s + %s) * %s;", acc, acc, e, ww_gen_literal(g, t));
  }
}

void ww_gen_step(gen *g, gen_type t, const char *acc, const char *const *vars, uint32_t n) {
  const char *e = n < 4 || chance(40) ? ww_gen_all(g, t, vars, n, pick(3))
                                      : ww_gen_expr(g, t, vars, n, 1 + pick(2));
  if (ww_gen_is_float(t))
    float_step(g, t, acc, e);
  else if (chance(g->div / 2))
    L("%s = %s %% %u%s + %s;", acc, acc, 1021 + 2 * pick(40),
      t == GEN_I32 || t == GEN_I64 ? "" : "u", e);
  else
    int_step(g, t, acc, e);
}

const char *ww_gen_condition(gen *g, gen_type t, const char *index, const char *const *vars,
                             uint32_t n, const char **weight) {
  static const char *const levels[] = {"0.25", "0.5", "0.75", "0.9"};
  *weight = "1"; /* divergent: both sides are issued */
  switch (pick(7)) {
  case 0:
    ww_gen_tag(g, "divergent");
    return T("(%s & 1) == 0", index);
  case 1: {
    uint32_t some = 1 + pick(2);
    ww_gen_tag(g, "divergent");
    return T("%s %% %u < %u", index, 3 + pick(6), some);
  }
  case 2:
    ww_gen_tag(g, "divergent");
    return T("($tx & 31) < %u", 1 + pick(30));
  case 3:
    ww_gen_tag(g, "uniform");
    return *weight = "0.5", T("($bx & 1) == %u", pick(2));
  case 4:
    ww_gen_tag(g, "uniform");
    return *weight = "0.5", T("(($tx >> 5) & 1) == %u", pick(2));
  default:
    break;
  }
  ww_gen_tag(g, "data-branch");
  const char *v = operand(g, vars, n);
  if (ww_gen_is_float(t)) {
    const char *level = levels[pick(4)];
    return T("%s %s %s%s", v, chance(50) ? "<" : ">", level, t == GEN_F32 ? "f" : "");
  }
  if (t == GEN_I32 || t == GEN_I64)
    return T("(%s & %u) == %u", v, 3u << pick(2), 0);
  const char *op = chance(50) ? "==" : "!=";
  return T("(%s & %uu) %s 0u", v, 1u << pick(12), op);
}

/* ---- blocks of work ---- */

static const char *chain(gen *g, gen_type t, const char *const *vars, uint32_t n, uint32_t steps) {
  const char *r = ww_gen_fresh(g, "r");
  ww_gen_tag(g, "chain");
  L("%s %s = %s;", ww_gen_name(t), r, ww_gen_all(g, t, vars, n, pick(2)));
  for (uint32_t k = 0; k < steps; k++)
    ww_gen_step(g, t, r, vars, n);
  return r;
}

static const char *wide(gen *g, gen_type t, const char *const *vars, uint32_t n) {
  uint32_t w = 2 + pick(5), steps = 1 + pick(3);
  const char *lanes[8] = {0};
  ww_gen_tag(g, "ilp");
  for (uint32_t k = 0; k < w; k++) {
    lanes[k] = ww_gen_fresh(g, "p");
    L("%s %s = %s;", ww_gen_name(t), lanes[k],
      k ? ww_gen_expr(g, t, vars, n, 1 + pick(2)) : ww_gen_all(g, t, vars, n, 1));
  }
  for (uint32_t s = 0; s < steps; s++)
    for (uint32_t k = 0; k < w; k++)
      ww_gen_step(g, t, lanes[k], vars, n);
  const char *sum = lanes[0];
  for (uint32_t k = 1; k < w; k++)
    sum = T("%s %s %s", sum, ww_gen_is_float(t) || chance(50) ? "+" : "^", lanes[k]);
  const char *r = ww_gen_fresh(g, "r");
  L("%s %s = %s;", ww_gen_name(t), r, sum);
  return r;
}

static const char *temporaries(gen *g, gen_type t, const char *const *vars, uint32_t n) {
  const char *live[12];
  uint32_t m = n < 8 ? n : 8, count = 1 + pick(4);
  memcpy(live, vars, m * sizeof *live);
  for (uint32_t k = 0; k < count && m < 12; k++) {
    const char *v = ww_gen_fresh(g, "t"),
               *e = k ? join(g, t, live[m - 1], ww_gen_expr(g, t, live, m, 1 + pick(3)))
                      : ww_gen_all(g, t, live, m, 1 + pick(2));
    L("%s%s %s = %s;", chance(25) ? "const " : "", ww_gen_name(t), v, e);
    live[m++] = v;
  }
  return live[m - 1];
}

static const char *looped(gen *g, gen_type t, const char *const *vars, uint32_t n, bool argument) {
  const char *r = ww_gen_fresh(g, "r"), *k = ww_gen_fresh(g, "k");
  uint32_t steps = 1 + pick(4), trips = 4u << pick(4);
  ww_gen_tag(g, "loop");
  L("%s %s = %s;", ww_gen_name(t), r, ww_gen_all(g, t, vars, n, pick(2)));
  if (chance(20))
    L("#pragma unroll%s", argument ? chance(50) ? " 4" : " 1" : "");
  if (argument)
    ww_gen_open(g, ww_gen_iters(g), "for (int %s = 0; %s < %s; %s++)", k, k, ww_gen_iters(g), k);
  else
    ww_gen_open(g, T("%u", trips), "for (int %s = 0; %s < %u; ++%s)", k, k, trips, k);
  for (uint32_t s = 0; s < steps; s++)
    ww_gen_step(g, t, r, vars, n);
  if (!ww_gen_is_float(t)) /* without it compilers find closed forms of whole loops */
    L(t == GEN_I32 || t == GEN_I64 ? "%s = ((%s >> 1) + %s) ^ (%s & 7);"
                                   : "%s = (%s * 5u + %s) ^ (%s >> 7);",
      r, r, k, t == GEN_I32 || t == GEN_I64 ? k : r);
  ww_gen_close(g);
  return r;
}

static const char *branched(gen *g, gen_type t, const char *index, const char *const *vars,
                            uint32_t n) {
  const char *r = ww_gen_fresh(g, "r"), *weight;
  const char *cond = ww_gen_condition(g, t, index, vars, n, &weight);
  uint32_t steps = 1 + pick(4);
  L("%s %s = %s;", ww_gen_name(t), r, ww_gen_all(g, t, vars, n, pick(2)));
  ww_gen_open(g, weight, "if (%s)", cond);
  for (uint32_t s = 0; s < steps; s++)
    ww_gen_step(g, t, r, vars, n);
  if (chance(60)) {
    ww_gen_else(g, weight);
    steps = 1 + pick(3);
    for (uint32_t s = 0; s < steps; s++)
      ww_gen_step(g, t, r, vars, n);
  }
  ww_gen_close(g);
  return r;
}

const char *ww_gen_work(gen *g, gen_type t, const char *index, const char *const *vars,
                        uint32_t n) {
  if (g->heavy && !g->iters && chance(95)) { /* a loop of its own, then perhaps more */
    const char *r = looped(g, t, vars, n, true);
    if (chance(60))
      return r;
    const char *more[] = {r, vars[0]};
    return temporaries(g, t, more, 2);
  }
  switch (pick(12)) {
  case 0:
  case 1:
  case 2:
    return ww_gen_all(g, t, vars, n, pick(4));
  case 3:
  case 4:
  case 5:
    return temporaries(g, t, vars, n);
  case 6:
    return chain(g, t, vars, n, 2 + pick(12));
  case 7:
    return wide(g, t, vars, n);
  case 8:
  case 9:
    return looped(g, t, vars, n, chance(65));
  default:
    return branched(g, t, index, vars, n);
  }
}
