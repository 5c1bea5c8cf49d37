/* generate_share.c - productions since version 2 about sharing work: relaxed tiles,
 * unequal loops, interpreters, items, votes.
 *
 * Barriers stand where every thread of the block comes by, votes where every lane of
 * the warp does; without warps (OpenCL) lanes meet in local memory. */
#include "generate_pen.h"

/* ---- relaxation ---- */

/* What a cell is drawn to: the mean of its neighbours, or a weighted sum of them that
 * stays below 1. */
static gen_text mean(gen *g, const gen_text *v, uint32_t n) {
  static const struct {
    uint8_t shift, least, range; /* least and range: hundredths of a weight */
    gen_text share;
  } by[] = {{1, 30, 10, "0.5"}, {2, 15, 10, "0.25"}, {3, 5, 7, "0.125"}};
  uint32_t of = n / 4;
  bool weighted = FLOATS && chance(40);
  gen_text sum = "";
  for (uint32_t k = 0; k < n; k++) {
    gen_text part =
        weighted ? T("%s * 0.%u@f", v[k], by[of].least + pick(by[of].range)) : v[k];
    sum = T("%s%s%s", sum, k ? " + " : "", part);
  }
  if (!FLOATS)
    return T("((%s) >> %u)", sum, by[of].shift);
  return weighted ? T("(%s)", sum) : T("(%s) * %s@f", sum, by[of].share);
}

/* The new value from the old one, the mean and the cell's source: plain, damped,
 * limited, or any step. */
static gen_text relaxed(gen *g, gen_text cell, gen_text drawn) {
  gen_text v = LET("v", "%s", drawn);
  gen_text vars[] = {"own", v};
  if (!FLOATS) {
    if (chance(50))
      L("%s = (%s + %s + 1) >> 1;", v, v, cell);
    if (chance(50))
      L("%s = %s - (%s >> 3) + (own & 7);", v, v, v);
  } else {
    uint32_t how = pick(4);
    if (how == 1)
      L("%s = %s + 0.@[5+5]@f * (%s - %s);", v, cell, v, cell);
    if (how == 2)
      L("%s = $fmin@f($fmax@f(%s, 0.0@f), 1.0@f);", v, v);
    if (how == 3)
      L("%s = %s * 0.9@f + %s * 0.1@f;", v, v, BEND("own"));
  }
  if (chance(40)) {
    gen_text to = LET("v", "own");
    uint32_t steps = 1 + pick(3);
    for (uint32_t k = 0; k < steps; k++)
      STEP(to, vars + (k ? pick(2) : 1), 1);
    LINE(FLOATS ? "@a = @a * 0.5@f + $fmin@f(@b, 1.0@f) * 0.5@f;"
                : "@a = (@a + (@b & 255)) >> 1;",
         v, to);
  }
  return v;
}

/* One sweep: all cells from the old ones, or the red ones and then the black ones. */
static void
sweep(gen *g, gen_text cell, const gen_text *near, uint32_t n, gen_text parity) {
  if (parity) {
    LOOP("colour", "2");
    OPEN("1", "if (((%s) & 1) == colour)", parity);
  }
  gen_text v = relaxed(g, cell, mean(g, near, n));
  if (!parity)
    L("$sync;");
  L("%s = %s;", cell, v);
  if (parity)
    CLOSE();
  L("$sync;");
  if (parity)
    CLOSE();
}

/* The tile and its rim from memory into shared memory; where the thread's cell is. */
static void load_tile(gen *g, bool flat, uint32_t w, uint32_t h, uint32_t cells) {
  L(flat ? "int flat = $tx;" : "int flat = $ty * %u + $tx;", w);
  L(flat ? "int base = $bx * %u;" : "int base = ($by * $Gx + $bx) * %u;", w * h);
  OPEN(NUM((cells + w * h - 1) / (w * h)),
       "for (int e = flat; e < %u; e += %u)\n"
       "cell[e] = grid[#c base + e];\n"
       "}\n"
       "int at = %s;",
       cells, w * h, flat ? "$tx + 1" : T("($ty + 1) * %u + $tx + 1", w + 2));
  if (chance(50)) {
    READS("source", T("G*%u", w * h));
    L("@T own = source[#c base + flat];");
  } else
    L("@T own = grid[#h base + flat];");
  L("$sync;");
}

/* A tile with a rim in shared memory, relaxed so many times: a barrier or two a sweep.
 */
GEN_FAMILY(relax) {
  static const uint8_t shapes[][2] = {{8, 4},  {8, 8},   {16, 8}, {16, 16},
                                      {32, 8}, {32, 16}, {32, 32}};
  VALUE(80);
  bool flat = chance(45), coloured = chance(35);
  uint32_t shape = pick(7);
  uint32_t w = flat ? 32u << pick(6) : shapes[shape][0];
  uint32_t h = flat ? 1 : shapes[shape][1];
  uint32_t pitch = w + 2;
  uint32_t cells = flat ? pitch : pitch * (h + 2);
  uint32_t n = flat ? 2 : !coloured && chance(35) ? 8 : 4;
  gen_text near[8];
  g->shape.dims = flat ? 1 : 2;
  ww_gen_fix(g, w, h);
  TAG("barrier relax");
  READS("grid", T("G*%u+%u", w * h, cells));
  SHARED("cell", cells);
  load_tile(g, flat, w, h, cells);
  uint32_t apart[] = {1, pitch, pitch + 1, pitch - 1};
  for (uint32_t k = 0; k < n; k++)
    near[k] = T(k % 2 ? "cell[at + %u]" : "cell[at - %u]", apart[k / 2]);
  gen_text trips = ITERS();
  UNROLL(15);
  LOOP("k", trips);
  SERIAL();
  sweep(g, "cell[at]", near, n, coloured ? (flat ? "flat" : "$tx + $ty") : NULL);
  if (!FLOATS)
    L("own = own + (cell[at] & 15);");
  CLOSE();
  gen_text r = chance(50) ? BEND("cell[at]") : "cell[at]";
  PUT(T("G*%u", w * h), "base + flat", r);
}

/* ---- loops of unequal length ---- */

/* How many rounds a thread has, at most m: by lane, by block, by both, by data.
 * *weight: what a warp comes to, of m. */
static gen_text rounds_of(gen *g, gen_text m, gen_text *weight) {
  uint32_t kind = pick(7);
  TAG(kind < 3 ? "divergent" : kind == 6 ? "data-loop" : "imbalance");
  *weight = kind < 3 ? m : T("%s*0.6", m);
  switch (kind) {
  case 0:
    return T("($tx & 31) * %s / 31 + 1", m);
  case 1:
    return T("%s >> ($tx & %u)", m, 1 + 2 * pick(3));
  case 2:
    return T("($tx & @[4<<4]) == 0 ? %s : %s / 8 + 1", m, m);
  case 3:
    return T("(int)(($i64)($bx + 1) * %s / $Gx) + 1", m);
  case 4:
    return T("($bx %% @[2+6] == 0) ? %s : %s / 4 + 1", m, m);
  case 5:
    return T("(int)(($tx >> 5) + 1) * %s / 8 + 1", m);
  default:
    break;
  }
  gen_param *p = BUFFER("length", GEN_I32, "S");
  bool even = chance(50);
  ww_gen_indices(p, even ? WW_FILL_UNIFORM : WW_FILL_ZIPF, "1", T("%s+1", m));
  *weight = T(even ? "%s*0.95" : "%s*0.5", m);
  return "length[#c $gx]";
}

/* Two loops, the inner as long as the outer has come: half of a square. */
static void half_square(gen *g, uint32_t mask) {
  LOOP("r", ITERS());
  L("@T a = x[#c ($gx + r) & %u];", mask);
  OPEN("12",
       "for (int c = 0; c <= (r & 31); c++)\n"
       "@T v = x[#h ($gx + c * 3) & %u];",
       mask);
  if (chance(50))
    L("acc += v * a;");
  else
    STEP("acc", NAMES("v", "a"));
  STIR("acc", "c");
  CLOSE();
  CLOSE();
}

/* Work that threads have unequal shares of. */
GEN_FAMILY(triangle) {
  VALUE(60);
  uint32_t mask = (1024u << pick(11)) - 1;
  gen_text vars[2] = {"v", "w"};
  gen_text weight;
  bool two = chance(40);
  TAG("triangle");
  READS("x", NUM(mask + 1));
  L("@T acc = @0;");
  if (chance(25)) {
    half_square(g, mask);
  } else {
    gen_text m = ITERS();
    gen_text e = rounds_of(g, m, &weight);
    bool loads = chance(65);
    L("int mine = %s;\n"
      "@T w = x[#c ($gx) & %u];",
      e, mask);
    UNROLL(25);
    OPEN(weight, "for (int k = 0; k < mine; k++)");
    if (loads)
      L("@T v = x[%s & %u];", chance(60) ? "#h ($gx + k)" : "#r (($gx) * 33 + k * 129)",
        mask);
    STEP("acc", loads ? vars : vars + 1, loads && two ? 2 : 1);
    if (two || !loads)
      STEP("acc", vars + 1, 1);
    STIR("acc", "k");
    CLOSE();
  }
  PUT("S", "$gx", "acc");
}

/* ---- an interpreter ---- */

/* What one operation does to the registers r0..: always another step. */
static void operation(gen *g, uint32_t regs, uint32_t op) {
  gen_text to = T("r%u", op % regs);
  gen_text vars[] = {T("r%u", (op + 1) % regs), "k0"};
  uint32_t steps = 1 + pick(3);
  for (uint32_t s = 0; s < steps; s++)
    STEP(to, vars, s ? 1 : 2);
}

/* A switch over operations, or a ladder of ifs; `weight` is how often a warp comes to
 * one of them.
 */
static void dispatch(gen *g, uint32_t ops, uint32_t regs, gen_text weight) {
  bool ladder = ops < 6 && chance(30);
  if (!ladder)
    OPEN(NULL, "switch (op)");
  for (uint32_t op = 0; op < ops; op++) {
    if (ladder)
      OPEN(weight, "if (op == %u)", op);
    else if (op + 1 == ops)
      OPEN(weight, "default:");
    else
      OPEN(weight, "case %u:", op);
    RARE();
    operation(g, regs, op);
    if (!ladder)
      L("break;");
    CLOSE();
  }
  if (!ladder)
    CLOSE();
}

/* Bytecode from memory: a program for all, or one a warp, or one a thread. */
GEN_FAMILY(interp) {
  VALUE(55);
  gen_type code = chance(70) ? GEN_U8 : GEN_I32;
  uint32_t ops = 3 + pick(10);
  uint32_t regs = 2 + pick(5);
  uint32_t whose = pick(3);
  uint32_t mask = (256u << pick(7)) - 1;
  gen_text i = OPEN_1D("n");
  gen_text trips = ITERS();
  gen_text parts[8];
  TAG("interpreter");
  TAG(whose == 2 ? "divergent" : "uniform");
  UNIFORM("code", code, NUM(mask + 1), "0", NUM(ops));
  READS("x", "n");
  L("@T k0 = x[#c %s];", i);
  for (uint32_t r = 0; r < regs; r++)
    L(FLOATS ? "@T r%u = k0 * 0.%u@f;" : "@T r%u = k0 + %u;", r, 9 - r);
  gen_text from = whose == 0   ? "0"
                  : whose == 1 ? T("(int)(%s >> 5) * 7", i)
                               : T("(int)%s * 7", i);
  L("int pc = %s;", from);
  UNROLL(12);
  LOOP("step", trips);
  L("int op = code[%s pc & %u];", whose == 2 ? "#dt" : "#dh", mask);
  dispatch(g, ops, regs, whose == 2 ? "0.95" : T("1/%u", ops));
  L(chance(25) ? "pc += op == 0 ? @[2+9] : 1;" : "pc++;");
  STIR("r0", "step");
  CLOSE();
  for (uint32_t r = 0; r < regs; r++)
    parts[r] = T("r%u", r);
  PUT("n", i, SUM(parts, regs));
}

/* ---- blocks that take item after item ---- */

/* What the block does with its item's tile, by the item's kind or for all alike. */
static void phase(gen *g, uint32_t threads, uint32_t kind) {
  gen_text near =
      LET("near", "tile[($tx + %u) & %u]", 1 + pick(threads - 1), threads - 1);
  gen_text vars[] = {"v", near};
  if (kind == 0) {
    L("v = %s;", WORK("$tx", vars, 2));
  } else if (kind == 1) {
    gen_text j = fresh("j");
    LOOP(j, NUM(threads < 32 ? threads : 32));
    STEP("v", NAMES(T("tile[#k1 (%s * 3) & %u]", j, threads - 1)));
    CLOSE();
  } else {
    STEPS(3 + kind, "v", vars, 2);
  }
}

/* A grid that stays: each block loads an item's head and tile, works in phases, writes,
 * and takes the next. */
GEN_FAMILY(persist) {
  VALUE(65);
  uint32_t threads = THREADS(32, 5);
  uint32_t phases = 1 + pick(3);
  bool by_kind = chance(50), shuffled = chance(40);
  gen_text order = shuffled ? "order[#b item]" : "item";
  TAG("persistent barrier");
  PRIMARY("items", 16, 1 << 20);
  if (shuffled)
    PERMUTATION("order", "items");
  if (by_kind)
    UNIFORM("kind", GEN_I32, "items", "0", "8");
  READS("in", T("items*%u", threads));
  WRITES("out", T("items*%u", threads));
  SHARED("tile", threads);
  OPEN("items/G",
       "for (int item = $bx; item < items; item += $Gx)\n"
       "int which = %s;\n"
       "@T v = in[#%sc which * %u + $tx];\n"
       "tile[$tx] = v;\n"
       "$sync;",
       order, shuffled ? "d" : "", threads);
  for (uint32_t p = 0; p < phases; p++) {
    uint32_t what = pick(4);
    if (by_kind && p) {
      TAG("uniform");
      OPEN("0.6", "if (kind[#b which] > @[2+3])");
      RARE();
      phase(g, threads, what);
      CLOSE();
    } else
      phase(g, threads, what);
    if (p + 1 < phases) {
      L("$sync;\n"
        "tile[$tx] = v;\n"
        "$sync;");
    }
  }
  L("out[#c which * %u + $tx] = v;\n"
    "$sync;",
    threads);
}

/* ---- votes ---- */

/* votes: bit l is what lane l of the warp says of `yes`, or whether it says the same;
 * or the same for all, where any or all say so. */
static void ballot(gen *g) {
  static const gen_text cuda[] = {"votes = $ballot(0xffffffffu, yes);",
                                  "votes = $any(0xffffffffu, yes) ? 0x55555555u : 0u;",
                                  "votes = $all(0xffffffffu, yes) ? 0x77777777u : 1u;",
                                  "votes = $match(0xffffffffu, yes);"};
  uint32_t how = chance(65) ? 0 : 1 + pick(3);
  if (how == 3) {
    TAG("match");
    L(FLOATS ? "yes = (int)(v * 8.0@f);" : "yes = (int)(v & 7);");
  }
  CUDA("%s", cuda[how]);
  OPENCL("$sync;\n"
         "said[$tx] = yes;\n"
         "$sync;\n"
         "votes = 0u;\n"
         "for (int l = 0; l < 32; l++) votes |= ($u32)(said[base + l] %s) << l;",
         how == 3 ? "== yes" : "!= 0");
  if (how == 1)
    OPENCL("votes = votes != 0u ? 0x55555555u : 0u;");
  if (how == 2)
    OPENCL("votes = votes == 0xffffffffu ? 0x77777777u : 1u;");
}

/* What follows from the votes: a place among those who said yes, a majority, a loop
 * over them, only some lanes go on. */
static void decide(gen *g, gen_text i) {
  gen_text vars[] = {"v", "m"};
  gen_text b = fresh("b");
  switch (pick(5)) {
  case 0:
    L("m += (@T)$popc(votes & ((1u << lane) - 1u));");
    break;
  case 1:
    OPEN("0.6", "if ($popc(votes) > @[4+10])");
    RARE();
    L("m = %s;\n"
      "}",
      WORK(i, vars, 2));
    break;
  case 2:
    TAG("data-loop");
    L("$u32 %s = votes;", b);
    OPEN("12", "while (%s != 0u)", b);
    STEP("m", vars, 1);
    L("%s &= %s - 1u;\n"
      "}",
      b, b);
    break;
  case 3:
    OPEN("1", "if ((votes >> lane & 1u) != 0u)");
    STEPS(3, "m", vars, 1);
    CLOSE();
    break;
  default:
    OPEN("0.9", "if (votes != 0u && votes != 0xffffffffu)");
    STEP("m", vars, 1);
    CLOSE();
  }
}

/* Lanes of a warp ask each other, and go on by what they say. */
GEN_FAMILY(vote) {
  VALUE(55);
  uint32_t threads = THREADS(32, 6);
  uint32_t votes = 1 + pick(4);
  TAG("vote");
  PRIMARY("turns", 1, 1 << 16);
  READS("x", T("turns*GX*%u", threads));
  WRITES("out", T("turns*GX*%u", threads));
  ww_gen_shared(g, GEN_I32, "said", T("[%u]", threads), threads);
  g->decls.v[g->decls.n - 1].only = 2;
  L("int lane = $tx & 31;");
  OPENCL("int base = $tx - lane;");
  L("$u32 votes = 0u;");
  LOOP("turn", "turns");
  L("int i = (turn * $Gx + $bx) * %u + $tx;\n"
    "@T v = x[#c i], m = v;\n"
    "int yes = 0;",
    threads);
  bool inner = chance(50);
  if (inner)
    LOOP("k", ITERS());
  for (uint32_t s = 0; s < votes; s++) {
    gen_text limit = LITERAL();
    gen_text also =
        T(inner ? "((lane + k) & %u) == 0" : "(lane & %u) == 0", 1 + 2 * pick(4));
    if (FLOATS)
      L(chance(60) ? "yes = v < %s || %s;" : "yes = m > v * %s || %s;", limit, also);
    else
      L("yes = (m & @[2<<4]) == 0 || %s;", also);
    ballot(g);
    decide(g, "i");
  }
  if (inner)
    CLOSE();
  L("out[#c i] = m;");
}
