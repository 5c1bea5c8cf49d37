/* generate_pen.c - what many productions of version 2 begin and end with: types,
 * blocks, unrolling, sums, outputs. */
#include "generate_pen.h"

gen_type ww_gen_value(gen *g, uint32_t percent_float) {
  g->type = chance(percent_float) ? (chance(84) ? GEN_F32 : GEN_F64)
            : chance(45)          ? GEN_I32
            : chance(85)          ? GEN_U32
                                  : GEN_U64;
  return g->type;
}

gen_type ww_gen_narrow_value(gen *g, uint32_t percent_float, uint32_t percent_f32) {
  g->type = chance(percent_float) ? (chance(percent_f32) ? GEN_F32 : GEN_F64)
            : chance(50)          ? GEN_I32
                                  : GEN_U32;
  return g->type;
}

void ww_gen_fix(gen *g, uint32_t x, uint32_t y) {
  g->shape.fixed[0] = x;
  g->shape.fixed[1] = y;
  g->shape.fixed[2] = 1;
}

uint32_t ww_gen_threads(gen *g, uint32_t least, uint32_t sizes) {
  uint32_t threads = least << pick(sizes);
  ww_gen_fix(g, threads, 1);
  return threads;
}

void ww_gen_unroll(gen *g, uint32_t percent) {
  if (chance(percent))
    L("#pragma unroll %u", 2u << pick(3));
}

void ww_gen_stir(gen *g, gen_text acc, gen_text k) {
  if (FLOATS)
    return;
  LINE(g->type == GEN_I32 ? "@a = ((@a >> 1) + @b) ^ (@b & 7);"
                          : "@a = (@a * 5u + @b) ^ (@a >> 7);",
       acc, k);
}

gen_text ww_gen_sum(gen *g, const gen_text *parts, uint32_t n) {
  gen_text sum = parts[0];
  bool mixed = !FLOATS && chance(40);
  for (uint32_t k = 1; k < n; k++)
    sum = T(mixed ? "(%s ^ (%s >> 1))" : "%s + %s", sum, parts[k]);
  return sum;
}

static gen_text bend_float(gen *g, gen_text v) {
  static const gen_text math[] = {"$sqrt@f($fabs@f(@a) + @b)",
                                  "$exp@f(-$fabs@f(@a) * @b)",
                                  "@a / ($fabs@f(@a) + 1.0@f)", "$tanh@f(@a * @b)"};
  static const gen_text plain[] = {"(@a * @b + 0.125@f)", "$fabs@f(@a - @b)",
                                   "(@a * @a + @b)", "$fmax@f(@a * @b, 0.0@f)",
                                   "(@a > @b ? @a : @a * 0.25@f)"};
  gen_text lit = LITERAL();
  gen_text form = chance(g->math) ? math[pick(4)] : plain[pick(5)];
  return FORM(form, v, lit);
}

gen_text ww_gen_bend(gen *g, gen_text v) {
  if (FLOATS)
    return bend_float(g, v);
  uint32_t by = 3 + 2 * pick(50);
  switch (pick(5)) {
  case 0:
    return T("(%s * %u@u + 1@u)", v, by);
  case 1:
    return T("(%s ^ (%s >> %u))", v, v, 3 + by % 8);
  case 2:
    return T("(%s %% %u@u + %u@u)", v, by * 16 + 1, by);
  case 3:
    return T("((%s & %u@u) * 3@u)", v, (64u << by % 5) - 1);
  default:
    return T("(%s > %u@u ? %s : %s + %u@u)", v, by * 4, v, v, by);
  }
}

void ww_gen_put(gen *g, gen_text count, gen_text i, gen_text value) {
  static const gen_text names[] = {"out", "dst", "result", "y_out", "found", "res"};
  gen_text out = names[pick(6)];
  WRITES(out, count);
  L(chance(12) ? "%s[#c %s] += %s;" : "%s[#c %s] = %s;", out, i, value);
}

void ww_gen_result(gen *g, gen_text count, gen_text i, gen_text value) {
  WRITES("out", count);
  L("out[#c %s] = %s;", i, value);
}

gen_text ww_gen_perhaps_work(gen *g, uint32_t percent, gen_text index, gen_text v) {
  return chance(percent) ? WORK(index, NAMES(v)) : v;
}

void ww_gen_atomic_add(
    gen *g, gen_text buffer, gen_text mark, gen_text at, gen_text value) {
  TAG("atomic");
  g->helper = g->type == GEN_F32;
  ww_gen_line(g, g->helper, "$add(&%s[%s %s], %s);", buffer, mark, at, value);
  if (g->helper)
    OPENCL("%s_atomic_add(&%s[%s], %s);", g->name, buffer, at, value);
}
