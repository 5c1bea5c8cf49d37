/* generate_pen.c - what many productions of version 2 begin and end with: types, blocks, unrolling,
 * sums, outputs. */
#include "generate_pen.h"

const char *ww_gen_zero(gen_type t) {
  return t == GEN_F32 ? "0.0f" : t == GEN_F64 ? "0.0" : t == GEN_U32 || t == GEN_U64 ? "0u" : "0";
}

gen_type ww_gen_value(gen *g, uint32_t percent_float) {
  gen_type t = chance(percent_float) ? (chance(84) ? GEN_F32 : GEN_F64)
               : chance(45)          ? GEN_I32
               : chance(85)          ? GEN_U32
                                     : GEN_U64;
  g->type = (uint8_t)t;
  return t;
}

uint32_t ww_gen_threads(gen *g, uint32_t least, uint32_t sizes) {
  uint32_t threads = least << pick(sizes);
  g->shape.fixed[0] = threads;
  g->shape.fixed[1] = g->shape.fixed[2] = 1;
  return threads;
}

void ww_gen_unroll(gen *g, uint32_t percent) {
  if (chance(percent))
    L("#pragma unroll %u", 2u << pick(3));
}

void ww_gen_stir(gen *g, gen_type t, const char *acc, const char *k) {
  if (ww_gen_is_float(t))
    return;
  if (t == GEN_I32 || t == GEN_I64)
    L("%s = ((%s >> 1) + %s) ^ (%s & 7);", acc, acc, k, k);
  else
    L("%s = (%s * 5u + %s) ^ (%s >> 7);", acc, acc, k, acc);
}

const char *ww_gen_sum(gen *g, gen_type t, const char *const *parts, uint32_t n) {
  const char *sum = parts[0];
  bool mixed = !ww_gen_is_float(t) && chance(40);
  for (uint32_t k = 1; k < n; k++)
    sum = T(mixed ? "(%s ^ (%s >> 1))" : "%s + %s", sum, parts[k]);
  return sum;
}

static const char *bend_float(gen *g, gen_type t, const char *v) {
  const char *f = t == GEN_F32 ? "f" : "", *lit = ww_gen_literal(g, t);
  if (chance(g->math)) {
    uint32_t how = pick(4);
    if (how == 0)
      return T("$sqrt%s($fabs%s(%s) + %s)", f, f, v, lit);
    if (how == 1)
      return T("$exp%s(-$fabs%s(%s) * %s)", f, f, v, lit);
    if (how == 2)
      return T("%s / ($fabs%s(%s) + 1.0%s)", v, f, v, f);
    return T("$tanh%s(%s * %s)", f, v, lit);
  }
  switch (pick(5)) {
  case 0:
    return T("(%s * %s + 0.125%s)", v, lit, f);
  case 1:
    return T("$fabs%s(%s - %s)", f, v, lit);
  case 2:
    return T("(%s * %s + %s)", v, v, lit);
  case 3:
    return T("$fmax%s(%s * %s, 0.0%s)", f, v, lit, f);
  default:
    return T("(%s > %s ? %s : %s * 0.25%s)", v, lit, v, v, f);
  }
}

const char *ww_gen_bend(gen *g, gen_type t, const char *v) {
  if (ww_gen_is_float(t))
    return bend_float(g, t, v);
  const char *u = t == GEN_I32 || t == GEN_I64 ? "" : "u";
  uint32_t by = 3 + 2 * pick(50);
  switch (pick(5)) {
  case 0:
    return T("(%s * %u%s + 1%s)", v, by, u, u);
  case 1:
    return T("(%s ^ (%s >> %u))", v, v, 3 + by % 8);
  case 2:
    return T("(%s %% %u%s + %u%s)", v, by * 16 + 1, u, by, u);
  case 3:
    return T("((%s & %u%s) * 3%s)", v, (64u << by % 5) - 1, u, u);
  default:
    return T("(%s > %u%s ? %s : %s + %u%s)", v, by * 4, u, v, v, by, u);
  }
}

void ww_gen_put(gen *g, gen_type t, const char *count, const char *at, const char *value) {
  static const char *const names[] = {"out", "dst", "result", "y_out", "found", "res"};
  const char *out = ww_gen_one_of(g, names, 6);
  ww_gen_output(g, out, t, count);
  L(chance(12) ? "%s[%s] += %s;" : "%s[%s] = %s;", out, at, value);
}
