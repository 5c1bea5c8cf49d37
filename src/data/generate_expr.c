/* generate_expr.c - the arithmetic that all productions share: expressions, steps of
 * loops, conditions, blocks of work.
 *
 * Floats stay finite: contents are in [0,1), divisors and arguments of logarithms and
 * roots are kept above zero, and a step that may run a million times is a contraction,
 * a bounded function or a sum. Unsigned integers may wrap.
 *
 * C leaves the order of a call's arguments open: no call here may draw in two of them.
 */
#include "generate_pen.h"

gen_type ww_gen_any_type(gen *g) {
  static const uint8_t bag[] = {GEN_F32, GEN_F32, GEN_F32, GEN_F32, GEN_F32,
                                GEN_F32, GEN_F32, GEN_F32, GEN_F32, GEN_F64,
                                GEN_F64, GEN_I32, GEN_I32, GEN_I32, GEN_U32,
                                GEN_U32, GEN_U32, GEN_U64, GEN_U8,  GEN_I16};
  return bag[pick(sizeof bag)];
}

gen_type ww_gen_compute(gen_type t) {
  return t == GEN_U8 || t == GEN_I8 || t == GEN_I16 ? GEN_I32 : t;
}

gen_text ww_gen_literal(gen *g) {
  static const gen_text floats[] = {"0.5",  "0.25",   "0.125", "0.9",  "0.99", "1.5",
                                    "0.75", "0.3333", "0.01",  "0.7",  "0.05", "0.62",
                                    "0.2",  "1.25",   "0.8",   "0.001"};
  static const uint32_t odd[] = {1664525, 2654435761u, 1103515245, 40503, 31,
                                 33,      0x9e3779b1u, 17,         69069, 0x85ebca6bu};
  if (FLOATS)
    return T("%s@f", floats[pick(16)]);
  return g->type == GEN_I32 ? T("@[2+30]") : T("%uu", odd[pick(10)]);
}

static gen_text operand(gen *g, const gen_text *vars, uint32_t n) {
  return vars[pick(n)];
}

static gen_text math_expr(gen *g, gen_text a, gen_text b) {
  static const gen_text forms[] = {"$sqrt@f($fabs@f(@a) + @c)",
                                   "$exp@f(-$fabs@f(@a))",
                                   "$rsqrt@f(@a * @a + 1.0@f)",
                                   "$fmin@f(@a, @b)",
                                   "$fmax@f(@a, @b)",
                                   "$fabs@f(@a - @b)",
                                   "$sqrt@f(@a * @a + @b * @b)",
                                   "$floor@f(@a * @c)",
                                   "$fma@f(@a, @b, @c)",
                                   "$log@f($fabs@f(@a) + 1.0@f)",
                                   "$sinf(@a)", /* from here on floats alone */
                                   "$cosf(@a + @b)",
                                   "$fastexp(-$fabsf(@a))",
                                   "$tanhf(@a)"};
  gen_text lit = LITERAL();
  TAG("math");
  return FORM(forms[pick(g->type == GEN_F64 ? 10 : 14)], a, b, lit);
}

static gen_text float_expr(gen *g, const gen_text *vars, uint32_t n, uint32_t depth) {
  static const gen_text forms[] = {"(@a + @b)", "(@a + @b)", "(@a - @b)",
                                   "@a * @b",   "@a * @b",   "(@a * @l + @b)"};
  gen_text a = EXPR(vars, n, depth - 1);
  gen_text b =
      chance(70) ? EXPR(vars, n, depth - 1 - pick(depth)) : operand(g, vars, n);
  if (chance(g->math))
    return math_expr(g, a, b);
  if (chance(g->div)) {
    TAG("div");
    return T("%s / ($fabs@f(%s) + 1.0@f)", a, b);
  }
  uint32_t how = pick(8);
  if (how < 6)
    return FORM(forms[how], a, b);
  if (how == 6)
    return T("(%s * %s + %s)", a, b, operand(g, vars, n));
  gen_text limit = LITERAL();
  return T("(%s > %s ? %s : %s)", operand(g, vars, n), limit, a, b);
}

static gen_text signed_expr(gen *g, gen_text a, gen_text b) {
  static const gen_text forms[] = {"(@a + @b)",     "(@a + @b)",
                                   "(@a - @b)",     NULL,
                                   "$min(@a, @b)",  "$max(@a, @b)",
                                   "(@a ^ @b)",     "((@a + @b) >> @[1+4])",
                                   "$abs(@a - @b)", "(@a > @b ? @a : @[0+100])"};
  gen_text form = forms[pick(10)];
  return form ? FORM(form, a, b) : T("(%s & @[8<<6]) * %u", a, 3 + pick(14));
}

static gen_text bits_expr(gen *g, gen_text a, gen_text b) {
  static const gen_text forms[] = {"$popc(@a)",
                                   "$clz(@a | 1u)",
                                   "((@a << @c) | (@a >> @d))",
                                   "$mulhi(@a, @b)",
                                   "(@a ^ (@a >> @[5+12]))",
                                   "(@a & (~@a + 1u))",
                                   "(((@a >> @c) & 255u) | (@b << 8))",
                                   "((@a & 0x55555555u) + ((@a >> 1) & 0x55555555u))"};
  TAG("bits");
  uint32_t how = pick(8);
  uint32_t by = how == 2 ? 1 + pick(30) : how == 6 ? 8 * pick(4) : 0;
  return FORM(forms[how], a, b, NUM(by), NUM(32 - by));
}

static gen_text unsigned_expr(gen *g, gen_text a, gen_text b) {
  static const gen_text forms[] = {
      "(@a + @b)",       "(@a + @b)", "@a * @l",
      "(@a ^ @b)",       "(@a & @b)", "(@a << @[1+7])",
      "(@a >> @[1+15])", "(@a | @b)", "(@a < @b ? @b : @a)"};
  if (g->type == GEN_U32 && chance(g->math))
    return bits_expr(g, a, b);
  return FORM(forms[pick(9)], a, b);
}

gen_text ww_gen_expr(gen *g, const gen_text *vars, uint32_t n, uint32_t depth) {
  if (!depth || depth > 8 || chance(10))
    return chance(85) ? operand(g, vars, n) : LITERAL();
  if (FLOATS)
    return float_expr(g, vars, n, depth);
  gen_text a = EXPR(vars, n, depth - 1);
  gen_text b = EXPR(vars, n, depth - 1 - pick(depth));
  /* by a literal mostly: what compilers turn into multiplications; else never by zero
   */
  if (chance(g->div)) {
    TAG("intdiv");
    gen_text op = chance(50) ? "/" : "%";
    if (chance(60))
      return T("(%s %s %u@u)", a, op, 3 + 2 * pick(500));
    return T("(%s %s ((%s & 1023@u) + 3@u))", a, op, b);
  }
  return g->type == GEN_I32 ? signed_expr(g, a, b) : unsigned_expr(g, a, b);
}

static gen_text join(gen *g, gen_text a, gen_text b) {
  static const gen_text floats[] = {"%s * %s", "(%s - %s)", "(%s + %s)", "(%s + %s)"};
  if (FLOATS) {
    if (chance(g->math / 2))
      return T("$f%s@f(%s, %s)", chance(50) ? "max" : "min", a, b);
    return T(floats[pick(4)], a, b);
  }
  if (g->type == GEN_I32 && chance(20))
    return T("$%s(%s, %s)", chance(50) ? "max" : "min", a, b);
  /* the others shift: nothing that came in may cancel out again */
  if (chance(60))
    return T("(%s + %s)", a, b);
  uint32_t shift = 1 + pick(4);
  return T("(%s %s (%s >> %u))", a, chance(50) ? "^" : "-", b, shift);
}

gen_text ww_gen_all(gen *g, const gen_text *vars, uint32_t n, uint32_t depth) {
  gen_text e = NULL;
  for (uint32_t k = 0; k < n; k++) {
    gen_text v = vars[k];
    if (depth && chance(50))
      v = join(g, v, EXPR(vars, n, pick(depth + 1)));
    if (depth > 1 && chance(g->math) && FLOATS)
      v = math_expr(g, v, operand(g, vars, n));
    e = e ? join(g, e, v) : v;
  }
  return e;
}

static gen_text float_step(gen *g) {
  static const gen_text math[] = {
      "@a = $sqrt@f($fabs@f(@a + @b));", "@a = 0.5@f / (@a * @a + 1.0@f) + @b;",
      "@a += $exp@f(-$fabs@f(@b));", "@a = $rsqrt@f(@a * @a + 0.5@f) * @b;"};
  if (chance(g->math))
    return math[pick(4)];
  switch (pick(5)) {
  case 0:
    return "@a += @b;";
  case 1:
    return chance(50) ? "@a = @a * 0.5@f + @b;" : "@a = @a * 0.97@f + @b;";
  case 2:
    return "@a = $fma@f(@a, 0.5@f, @b);";
  case 3:
    return "@a -= @b * 0.5@f;";
  default:
    return chance(50) ? "@a = $fmax@f(@a * 0.5@f, @b);"
                      : "@a = $fmin@f(@a * 0.5@f, @b);";
  }
}

static gen_text int_step(gen *g) {
  static const gen_text forms[] = {
      "@a += @b;", "@a ^= @b;", "@a = @a > @b ? @a : @b;", "@a = (@a >> 1) + @b;",
      "@a = (@a & @[256<<8]) + @b;",
      /* from here on unsigned ones alone */
      "@a = @a * @l + @b;", "@a ^= (@a << @[3+14]) + @b;",
      "@a = (@a ^ (@a >> @[3+18])) + @b;", "@a = (@a + @b) * @l;"};
  return forms[pick(g->type == GEN_I32 ? 5 : 9)];
}

void ww_gen_step(gen *g, gen_text acc, const gen_text *vars, uint32_t n) {
  gen_text e = n < 4 || chance(40) ? ALL(vars, n, pick(3)) : EXPR(vars, n, 1 + pick(2));
  if (!FLOATS && chance(g->div / 2))
    L("%s = %s %% %u@u + %s;", acc, acc, 1021 + 2 * pick(40), e);
  else
    LINE(FLOATS ? float_step(g) : int_step(g), acc, e);
}

void ww_gen_steps(
    gen *g, uint32_t count, gen_text acc, const gen_text *vars, uint32_t n) {
  while (count--)
    STEP(acc, vars, n);
}

gen_text ww_gen_condition(
    gen *g, gen_text index, const gen_text *vars, uint32_t n, gen_text *weight) {
  static const gen_text levels[] = {"0.25", "0.5", "0.75", "0.9"};
  uint32_t how = pick(7);
  TAG(how < 3 ? "divergent" : how < 5 ? "uniform" : "data-branch");
  *weight = how == 3 || how == 4 ? "0.5" : "1"; /* divergent: both sides are issued */
  switch (how) {
  case 0:
    return T("(%s & 1) == 0", index);
  case 1: {
    uint32_t some = 1 + pick(2);
    return T("%s %% @[3+6] < %u", index, some);
  }
  case 2:
    return T("($tx & 31) < @[1+30]");
  case 3:
    return T("($bx & 1) == @[0+2]");
  case 4:
    return T("(($tx >> 5) & 1) == @[0+2]");
  default:
    break;
  }
  gen_text v = operand(g, vars, n);
  if (FLOATS) {
    gen_text level = levels[pick(4)];
    return T("%s %s %s@f", v, chance(50) ? "<" : ">", level);
  }
  if (g->type == GEN_I32)
    return T("(%s & %u) == 0", v, 3u << pick(2));
  gen_text op = chance(50) ? "==" : "!=";
  return T("(%s & %uu) %s 0u", v, 1u << pick(12), op);
}

/* ---- blocks of work ---- */

static gen_text chain(gen *g, const gen_text *vars, uint32_t n, uint32_t steps) {
  TAG("chain");
  gen_text r = LET("r", "%s", ALL(vars, n, pick(2)));
  STEPS(steps, r, vars, n);
  return r;
}

static gen_text wide(gen *g, const gen_text *vars, uint32_t n) {
  uint32_t w = 2 + pick(5);
  uint32_t steps = 1 + pick(3);
  gen_text lanes[8] = {0};
  TAG("ilp");
  for (uint32_t k = 0; k < w; k++)
    lanes[k] = LET("p", "%s", k ? EXPR(vars, n, 1 + pick(2)) : ALL(vars, n, 1));
  for (uint32_t s = 0; s < steps; s++)
    for (uint32_t k = 0; k < w; k++)
      STEP(lanes[k], vars, n);
  gen_text sum = lanes[0];
  for (uint32_t k = 1; k < w; k++)
    sum = T("%s %s %s", sum, FLOATS || chance(50) ? "+" : "^", lanes[k]);
  return LET("r", "%s", sum);
}

static gen_text temporaries(gen *g, const gen_text *vars, uint32_t n) {
  gen_text live[12];
  uint32_t m = n < 8 ? n : 8;
  uint32_t count = 1 + pick(4);
  memcpy(live, vars, m * sizeof *live);
  for (uint32_t k = 0; k < count && m < 12; k++) {
    gen_text v = fresh("t");
    gen_text e = k ? join(g, live[m - 1], EXPR(live, m, 1 + pick(3)))
                   : ALL(live, m, 1 + pick(2));
    L("%s@T %s = %s;", chance(25) ? "const " : "", v, e);
    live[m++] = v;
  }
  return live[m - 1];
}

static gen_text looped(gen *g, const gen_text *vars, uint32_t n, bool argument) {
  uint32_t steps = 1 + pick(4);
  uint32_t trips = 4u << pick(4);
  TAG("loop");
  gen_text r = LET("r", "%s", ALL(vars, n, pick(2)));
  gen_text k = fresh("k");
  if (chance(20))
    L("#pragma unroll%s", argument ? chance(50) ? " 4" : " 1" : "");
  if (argument)
    LOOP(k, ITERS());
  else
    OPEN(NUM(trips), "for (int %s = 0; %s < %u; ++%s)", k, k, trips, k);
  STEPS(steps, r, vars, n);
  STIR(r, k); /* without it compilers find closed forms of whole loops */
  CLOSE();
  return r;
}

static gen_text branched(gen *g, gen_text index, const gen_text *vars, uint32_t n) {
  gen_text weight;
  gen_text cond = CONDITION(index, vars, n, &weight);
  uint32_t steps = 1 + pick(4);
  gen_text r = LET("r", "%s", ALL(vars, n, pick(2)));
  OPEN(weight, "if (%s)", cond);
  STEPS(steps, r, vars, n);
  if (chance(60)) {
    ELSE(weight);
    STEPS(1 + pick(3), r, vars, n);
  }
  CLOSE();
  return r;
}

gen_text ww_gen_work(gen *g, gen_text index, const gen_text *vars, uint32_t n) {
  if (g->heavy && !g->iters && chance(95)) { /* a loop of its own, then perhaps more */
    gen_text r = looped(g, vars, n, true);
    if (chance(60))
      return r;
    return temporaries(g, NAMES(r, vars[0]));
  }
  switch (pick(12)) {
  case 0:
  case 1:
  case 2:
    return ALL(vars, n, pick(4));
  case 3:
  case 4:
  case 5:
    return temporaries(g, vars, n);
  case 6:
    return chain(g, vars, n, 2 + pick(12));
  case 7:
    return wide(g, vars, n);
  case 8:
  case 9:
    return looped(g, vars, n, chance(65));
  default:
    return branched(g, index, vars, n);
  }
}
