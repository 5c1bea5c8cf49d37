/* generate_math.c - productions since version 2 of long arithmetic: differential
 * equations, bits, straight-line code, doubles.
 *
 * Floats stay finite or the loop ends: steps are short, systems damped, straight-line
 * statements keep values in [0,1]. */
#include "generate_pen.h"

/* ---- differential equations ---- */

/* the first of those after */
enum { IN_TWO = 4, IN_THREE = 7, NETWORK = 10, NSYSTEMS };

/* The slope of variable k of a system with the variables s. */
static gen_text
slope(gen *g, uint32_t kind, uint32_t n, uint32_t k, const gen_text *s) {
  static const gen_text small[IN_THREE][3] = {
      {"@b", "mu * (1.0@f - @a * @a) * @b - @a"}, /* van der Pol */
      {"@a * (1.0@f - @b)", "@b * (@a - mu)"},    /* Lotka and Volterra */
      {"@b", "-mu * $sin@f(@a) - 0.1@f * @b"},    /* a pendulum */
      {"@a - @a * @a * @a * 0.3333@f - @b + mu",  /* FitzHugh and Nagumo */
       "0.08@f * (@a + 0.7@f - 0.8@f * @b)"},
      {"10.0@f * (@b - @a)", "@a * (28.0@f * mu - @c) - @b",
       /* Lorenz */
       "@a * @b - 2.6667@f * @c"},
      /* Roessler */
      {"-@b - @c", "@a + 0.2@f * @b", "0.2@f + @c * (@a - 5.7@f * mu)"},
      /* an epidemic */
      {"-mu * @a * @b", "mu * @a * @b - 0.1@f * @b", "0.1@f * @b"}};
  /* a chain */
  static const gen_text rings[] = {"mu * (@b - 2.0@f * @a + @c) - 0.05@f * @a",
                                   /* Kuramoto */
                                   "mu * ($sin@f(@b - @a) + $sin@f(@c - @a))",
                                   /* gates */
                                   "(1.0@f / (1.0@f + $exp@f(-@b)) - @a) * mu"};
  if (kind < IN_THREE)
    return ww_gen_form(g, small[kind][k], s);
  if (kind == NETWORK)
    return T("$tanh@f(%s) - %s * mu", ALL(s, n, 1), s[k]);
  return FORM(rings[kind - IN_THREE], s[k], s[(k + 1) % n], s[(k + n - 1) % n]);
}

static void slopes(gen *g, uint32_t kind, uint32_t n, const gen_text *s, gen_text *d) {
  for (uint32_t k = 0; k < n; k++) {
    d[k] = LET("d", "%s", slope(g, kind, n, k, s));
  }
}

/* One step: Euler, midpoint, or Runge and Kutta's of order 3 with two extra stages. */
static void
integrate(gen *g, uint32_t kind, uint32_t n, uint32_t stages, const gen_text *s) {
  gen_text at[8];
  gen_text d[8];
  memcpy(at, s, n * sizeof *at);
  for (uint32_t stage = 1; stage < stages; stage++) {
    slopes(g, kind, n, at, d);
    for (uint32_t k = 0; k < n; k++) {
      at[k] = LET("m", "%s + h * %s * 0.5@f", s[k], d[k]);
    }
  }
  slopes(g, kind, n, at, d);
  for (uint32_t k = 0; k < n; k++)
    L("%s += h * %s;", s[k], d[k]);
}

/* A small system a thread, in registers: long chains of dependent arithmetic. */
GEN_FAMILY(ode) {
  uint32_t kind = pick(NSYSTEMS);
  gen_type t = g->type = chance(70) ? GEN_F32 : GEN_F64;
  uint32_t n = kind < IN_TWO     ? 2
               : kind < IN_THREE ? 3
               : kind == NETWORK ? 2 + pick(4)
                                 : 3 + pick(6);
  uint32_t stages = 1 + pick(n > 5 ? 2 : 3);
  uint32_t ends = pick(4);
  gen_text i = OPEN_1D("n");
  gen_text s[8];
  gen_text trips = ITERS();
  g->shape.max_threads = t == GEN_F64 && n > 4 ? 256 : 512; /* registers */
  TAG("ode chain");
  READS("start", T("n*%u", n));
  READS("rate", "n");
  L("@T mu = rate[#c %s] + 0.5@f, h = 0.00@[1+9]@f;", i);
  for (uint32_t k = 0; k < n; k++) {
    s[k] = T("s%u", k);
    L("@T s%u = start[#c %u * n + %s];", k, k, i);
  }
  UNROLL(20);
  LOOP("k", trips);
  if (ends == 0) { /* stiff ones take smaller steps */
    uint32_t most = 4u << pick(3);
    TAG("data-loop");
    L("int own = 1 + (int)(rate[#h %s] * %u.0@f);", i, most);
    OPEN(NUM(most), "for (int j = 0; j < own; j++)");
  }
  if (ends == 1)
    LOOP("j", "8"); /* until something is reached */
  integrate(g, kind, n, stages, s);
  if (ends == 1)
    L("if ($fabs@f(s0) > @[1+9].0@f) break;");
  if (ends < 2)
    CLOSE();
  if (ends == 2 && chance(50))
    L("if (s0 > 4.0@f) h = h * 0.9@f;");
  CLOSE();
  if (!chance(50)) {
    PUT("n", i, ALL(s, n, 1));
    return;
  }
  WRITES("final", T("n*%u", n));
  for (uint32_t k = 0; k < n; k++)
    L("final[#c %u * n + %s] = s%u;", k, i, k);
}

/* ---- bits ---- */

/* Deltas swapped: rows and columns of 8 x 8 bits, or bytes of a word. */
static void swap_bits(gen *g, gen_text h) {
  static const struct {
    uint32_t by;
    gen_text narrow, wide;
  } steps[] = {{7, "0x00aa00aau", "0x00aa00aa00aa00aau"},
               {14, "0x0000ccccu", "0x0000cccc0000ccccu"},
               {28, "0x0000000fu", "0x00000000f0f0f0f0u"}};
  gen_text w = LET("w", "0u");
  for (uint32_t k = 0; k < 3; k++) {
    L("%s = (%s ^ (%s >> %u)) & %s;\n"
      "%s = %s ^ %s ^ (%s << %u);",
      w, h, h, steps[k].by, g->type == GEN_U64 ? steps[k].wide : steps[k].narrow, h, h,
      w, w, steps[k].by);
  }
}

/* A loop over the set bits, or a product without carries. */
static void bit_loop(gen *g, gen_text h, gen_text b) {
  gen_text w = fresh("w");
  gen_text j = fresh("j");
  if (chance(50)) {
    TAG("data-loop");
    L("@T %s = %s & %s;", w, h, b);
    OPEN(g->type == GEN_U64 ? "20" : "11",
         "while (%s != 0u)\n"
         "%s += (%s & (0u - %s)) * 3u;\n"
         "%s &= %s - 1u;\n"
         "}",
         w, h, w, w, w, w);
    return;
  }
  L("@T %s = 0u;", w);
  OPEN("8",
       "for (int %s = 0; %s < 8; %s++)\n"
       "%s ^= ((%s >> %s) & 1u) != 0u ? %s << %s : 0u;\n"
       "}\n"
       "%s = %s ^ (%s >> 11);",
       j, j, j, w, b, j, h, j, h, w, h);
}

static void bit_statement(gen *g, gen_text h, gen_text b) {
  static const gen_text narrow[] = {
      "@a += (@T)$popc(@a ^ @b) * @cu;",
      "@a ^= @b << ($clz(@a | 1u) & 31);",
      "@a = (@a << @d) | (@a >> @e);",
      "@a = (@a << (@b & 31u)) | (@a >> ((32u - @b) & 31u));",
      NULL,
      "@a = (@a ^ (@a >> 1)) + @b;",
      "@a = @a / (@b | 3u) + @a;",
      "@a = @a % (@b | 7u) + (@a << 3);",
      "@a ^= $mulhi(@a, @b);",
      "@a = (@a & @b) | (~@a & (@a >> 5));",
      "@a = ((@a >> 8) & 0x00ff00ffu) | ((@a & 0x00ff00ffu) << 8);",
      NULL,
      "@a = @a * @b + @cu;"};
  static const gen_text wide[] = {
      "@a += (@T)$popcll(@a ^ @b) * @cu;", "@a ^= @b << ($clzll(@a | 1u) & 63);",
      [3] = "@a = (@a << (@b & 63u)) | (@a >> ((64u - @b) & 63u));",
      [8] = "@a ^= $mulhi64(@a, @b);"};
  bool is_wide = g->type == GEN_U64;
  uint32_t width = is_wide ? 64 : 32;
  uint32_t by = 1 + pick(width - 2);
  uint32_t how = pick(13);
  if (how == 4)
    swap_bits(g, h);
  else if (how == 11)
    bit_loop(g, h, b);
  else
    LINE(is_wide && how < 9 && wide[how] ? wide[how] : narrow[how], h, b,
         NUM(2 * by + 1), NUM(by), NUM(width - by));
}

/* Integer arithmetic of 32 or 64 bits that is no plain sum: counts, shifts by data,
 * division by runtime values, loops over bits. */
GEN_FAMILY(bits) {
  gen_type t = g->type = chance(50) ? GEN_U32 : GEN_U64;
  gen_text i = OPEN_1D("n");
  gen_text vars[2];
  gen_text h = fresh("h");
  uint32_t count = 2 + pick(9);
  uint32_t lanes = 1 + pick(3);
  TAG("bits");
  INPUTS(t, 2, "n", T("#c %s", i), vars);
  for (uint32_t k = 0; k < lanes; k++)
    L("@T %s_%u = %s ^ %uu;", h, k, vars[0], k * 0x9e37u);
  bool loop = chance(85);
  if (loop) {
    UNROLL(20);
    LOOP("k", ITERS());
  }
  for (uint32_t k = 0; k < count; k++) {
    gen_text other = k % 3 == 2 && lanes > 1 ? T("%s_%u", h, (k + 1) % lanes) : vars[1];
    bit_statement(g, T("%s_%u", h, k % lanes), other);
  }
  if (loop) {
    for (uint32_t k = 0; k < lanes; k++)
      L("%s_%u = (%s_%u ^ (@T)k) * 2654435761u;", h, k, h, k);
    CLOSE();
  }
  gen_text parts[3];
  for (uint32_t k = 0; k < lanes; k++)
    parts[k] = T("%s_%u", h, k);
  PUT("n", i, SUM(parts, lanes));
}

/* ---- straight-line code ---- */

/* Every form maps [0,1] into itself. */
static gen_text float_statement(gen *g) {
  static const gen_text math[] = {"@a = $sqrt@f(@b);", "@a = $exp@f(-@b);",
                                  "@a = $rsqrt@f(@b + 1.0@f);",
                                  "@a = @b / (@c + 1.0@f);"};
  static const gen_text plain[] = {"@a = @b * @c;",
                                   "@a = 1.0@f - @a * @b;",
                                   "@a = (@a + @b) * 0.5@f;",
                                   "@a = @a * 0.75@f + @b * 0.25@f;",
                                   "@a = @a + @b * (@c - @a);",
                                   "@a = $fabs@f(@b - @c);",
                                   "@a = $fma@f(@a, -@b, 1.0@f);",
                                   "@a = $fmin@f(@b, @c * 0.9@f + 0.1@f);",
                                   "@a = ((@b * 0.5@f + 0.25@f) * @b + 0.125@f) * @c;"};
  return chance(g->math / 3) ? math[pick(4)] : plain[pick(9)];
}

static void integer_statement(gen *g, gen_text a, gen_text b, gen_text c) {
  static const gen_text forms[] = {"@a += @b ^ @c;",
                                   "@a = ((@a ^ @b) << @d) | (@a >> @e);",
                                   "@a = @a * @b + @c;",
                                   "@a ^= @b >> @d;",
                                   "@a = (@a & @b) | (~@a & @c);",
                                   "@a -= @b * @l;",
                                   "@a = @b > @c ? @a : @b + 1u;",
                                   "@a += (@b << @d) - @c;"};
  uint32_t by = 3 + pick(26);
  uint32_t how = pick(8);
  LINE(forms[how], a, b, c, NUM(how < 7 ? by : by & 15), NUM(32 - by));
}

/* Hundreds of statements without a loop around them, or with one: more code than
 * instruction caches like, many values alive. */
GEN_FAMILY(straight) {
  static const uint16_t lengths[] = {200, 200, 300, 300, 400, 500, 700, 1000, 1500};
  static const uint8_t alive[] = {4, 8, 12, 16, 24, 32, 48, 64};
  gen_type t = g->type = chance(65) ? (chance(75) ? GEN_F32 : GEN_F64) : GEN_U32;
  uint32_t length = lengths[pick(t == GEN_F64 ? 6 : 9)];
  uint32_t n = alive[pick(t == GEN_F64 ? 6 : 8)];
  uint32_t nin = 1 + pick(3);
  gen_text i = OPEN_1D("n");
  gen_text vars[3];
  gen_text v[64];
  bool loop = chance(60),
       near = chance(50); /* near: operands are what was written last, as in a chain */
  uint32_t words = n * ww_gen_types[t].bytes / 4;
  g->shape.max_threads = words > 90 ? 256 : words > 40 ? 512 : 1024; /* registers */
  TAG("straight");
  INPUTS(t, nin, "n", T("#c %s", i), vars);
  for (uint32_t k = 0; k < n; k++) {
    v[k] = T("q%u", k);
    if (t == GEN_U32)
      L("@T q%u = %s + %uu;", k, vars[k % nin], k * 40503u);
    else
      L("@T q%u = %s * 0.%u@f;", k, vars[k % nin], 99 - k);
  }
  if (loop)
    LOOP("k", ITERS());
  for (uint32_t k = 0; k < length; k++) {
    gen_text a = v[k % n];
    gen_text b = v[near ? (k + n - 1) % n : pick(n)];
    gen_text c = v[pick(n)];
    if (t == GEN_U32)
      integer_statement(g, a, b, c);
    else
      LINE(float_statement(g), a, b, c);
  }
  if (loop)
    CLOSE();
  L("@T all = q0;");
  for (uint32_t k = 1; k < n; k++)
    L(t == GEN_U32 ? "all = all * 3u + q%u;" : "all += q%u;", k);
  PUT("n", i, "all");
}

/* ---- double precision ---- */

/* A power series with as many terms as the argument says, in Horner's form or term by
 * term. */
static void series(gen *g) {
  gen_text trips = ITERS();
  if (chance(50)) {
    L("double term = 1.0, sum = 1.0;");
    UNROLL(25);
    OPEN(trips, "for (int k = 1; k <= %s; k++)", trips);
    L(chance(50) ? "term = term * v / (double)k;"
                 : "term = -term * v * v / ((double)k * ((double)k + 0.5));");
    L("sum += term;");
  } else {
    L("double sum = 0.5;");
    UNROLL(25);
    OPEN(trips,
         "for (int k = %s; k > 0; k--)\n"
         "sum = $fma(sum, v * 0.9, 1.0 / ((double)k + 1.0));",
         trips);
  }
  CLOSE();
}

/* A sum of products that keeps what rounding loses. */
static void compensated(gen *g, gen_text i, bool narrow) {
  bool exact = chance(50);
  DRAW("len", 4, 256)->most = 1 << 14;
  BUFFER("more", narrow ? GEN_F32 : GEN_F64, "n*len");
  L("double sum = 0.0, lost = 0.0;");
  UNROLL(25);
  LOOP("k", "len");
  L("double e = (double)more[#q %s * len + k], a = e * v;", i);
  if (exact) { /* Knuth's sum of two, and the product's own error */
    L("double s = sum + a, bb = s - sum;\n"
      "lost += (sum - (s - bb)) + (a - bb) + $fma(e, v, -a);\n"
      "sum = s;");
  } else { /* Kahan's */
    L("double y = a - lost, s = sum + y;\n"
      "lost = (s - sum) - y;\n"
      "sum = s;");
  }
  CLOSE();
  L("sum = sum + lost;");
}

/* A system of 3 or 4 equations, strong on its diagonal: eliminated, then solved from
 * below. */
static void solve(gen *g, gen_text i, uint32_t m, bool again) {
  for (uint32_t k = 0; k < m * m; k++)
    L("double g%u = mats[#c %u * n + %s];", k, k, i);
  if (again)
    LOOP("it", ITERS());
  for (uint32_t r = 0; r < m; r++) {
    for (uint32_t c = 0; c < m; c++)
      L("double m%u%u = g%u%s;", r, c, r * m + c, r == c ? " + 4.0 + sum * 0.01" : "");
    L("double b%u = v * %u.5 - sum;", r, r);
  }
  for (uint32_t p = 0; p < m; p++) {
    L("double inv%u = 1.0 / m%u%u;", p, p, p);
    for (uint32_t r = p + 1; r < m; r++) {
      L("double f%u%u = m%u%u * inv%u;", r, p, r, p, p);
      for (uint32_t c = p + 1; c < m; c++)
        L("m%u%u -= f%u%u * m%u%u;", r, c, r, p, p, c);
      L("b%u -= f%u%u * b%u;", r, r, p, p);
    }
  }
  for (uint32_t p = m; p-- > 0;) {
    gen_text left = T("b%u", p);
    for (uint32_t c = p + 1; c < m; c++)
      left = T("%s - m%u%u * b%u", left, p, c, c);
    L("b%u = (%s) * inv%u;", p, left, p);
  }
  L("sum = $fmin($fmax(sum * 0.5 + b0 + b%u, 0.0), 9.0);", m - 1);
  if (again)
    CLOSE();
}

/* A root by Newton's method: until it stands, or so many times. */
static void newton(gen *g) {
  static const gen_text steps[] = {
      "(sum * sum - v) / (2.0 * sum)",
      "(sum * sum * sum - v - 2.0) / (3.0 * sum * sum + 0.1)",
      "(sum - $exp(-sum) * v) / (1.0 + $exp(-sum))"};
  gen_text trips = ITERS();
  gen_text step = steps[pick(3)];
  L("double sum = 1.0 + v;");
  UNROLL(20);
  LOOP("k", trips);
  L("double step = %s;", step);
  L(chance(40) ? "sum -= step * 0.5 + (double)(k & 3) * 0.001;"
               : "sum -= step * 0.75;");
  CLOSE();
}

GEN_FAMILY(double) {
  uint32_t kind = pick(4);
  uint32_t m = 3 + pick(2);
  bool narrow = chance(30);
  gen_text i = OPEN_1D("n");
  g->type = GEN_F64;
  g->shape.max_threads = kind == 2 ? 256 : 512; /* registers */
  TAG("double");
  BUFFER("x", narrow ? GEN_F32 : GEN_F64, "n");
  if (kind == 2)
    BUFFER("mats", GEN_F64, T("n*%u", m * m));
  L("double v = (double)x[#c %s]%s;", i, chance(50) ? "" : " * 0.5 + 0.25");
  if (kind == 0)
    series(g);
  if (kind == 1)
    compensated(g, i, narrow);
  if (kind == 2) {
    L("double sum = 0.0;");
    solve(g, i, m, chance(80));
  }
  if (kind == 3)
    newton(g);
  gen_text r = chance(50) ? WORK(i, NAMES("v", "sum")) : "sum";
  if (chance(25)) {
    OUTPUT("out", GEN_F32, "n");
    L("out[#c %s] = (float)(%s);", i, r);
  } else
    PUT("n", i, r);
}
