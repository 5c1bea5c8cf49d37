/* generate_nest.c - productions with loop nests inside a thread: stencils, products,
 * rows, sparse rows, searches, small matrices. */
#include "generate_pen.h"

/* One step of a sum over vars, mostly the plain product-sum that people write. */
static void accumulate(gen *g, gen_text acc, const gen_text *vars, uint32_t n) {
  if (n >= 2 && chance(55))
    L("%s += %s * %s;", acc, vars[0], vars[1]);
  else
    STEP(acc, vars, n);
}

GEN_FAMILY(stencil1) {
  NARROW_VALUE(70, 82);
  uint32_t radius = 1 + pick(6);
  bool loop = chance(50), passes = chance(60);
  gen_text i = OPEN_1D("n");
  gen_text at = i;
  READS("in", T("n+%u", 2 * radius + 16));
  TAG("stencil");
  gen_text acc = LET("acc", "@0");
  gen_text trips = passes ? ITERS() : NULL;
  gen_text p = fresh("p");
  if (passes) {
    LOOP(p, trips);
    /* each pass reads elsewhere, else compilers read once */
    at = T("%s + (%s & 15)", i, p);
  }
  if (loop) {
    gen_text k = fresh("k");
    gen_text v = fresh("v");
    if (chance(50))
      L("#pragma unroll");
    OPEN(NUM(2 * radius + 1),
         "for (int %s = 0; %s <= %u; %s++)\n"
         "@T %s = in[#h %s + %s];",
         k, k, 2 * radius, k, v, at, k);
    STEP(acc, NAMES(v));
    CLOSE();
  } else {
    gen_text sum = T("in[#c %s] * @l", at);
    for (uint32_t k = 1; k <= 2 * radius; k += 1 + pick(2))
      sum = T("%s + in[#h %s + %u] * @l", sum, at, k);
    L(passes ? "%s += %s;" : "%s = %s;", acc, sum);
  }
  if (passes) {
    LINE(FLOATS ? "@a = @a * 0.5@f;" : "@a = (@a >> 1) ^ @b;", acc, p);
    CLOSE();
  }
  gen_text r = PERHAPS_WORK(40, i, acc);
  RESULT("n", i, r);
}

GEN_FAMILY(stencil2) {
  NARROW_VALUE(75, 82);
  uint32_t radius = 1 + pick(3);
  uint32_t span = 2 * radius;
  bool box = chance(45), rows = chance(50);
  g->shape.dims = 2;
  TAG("stencil loop2");
  GRID("width", "GX*TX");
  if (rows)
    PRIMARY("height", 4, 1 << 16);
  else
    GRID("height", "GY*TY");
  gen_text pitch = T("(width + %u)", span);
  READS("in", T("(width+%u)*(height+%u)", span, span));
  WRITES("out", "width*height");
  L("int col = $gx;");
  if (rows) {
    L("if (col >= width) return;");
    OPEN("height/(GY*TY)", "for (int row = $gy; row < height; row += $sy)");
  } else {
    L("int row = $gy;");
    OPEN(NULL, "if (col < width && row < height)");
  }
  gen_text acc = LET("acc", "@0");
  if (box) {
    gen_text v = fresh("v");
    gen_text vars[2] = {v, "w"};
    bool weights = chance(50);
    if (weights)
      READS("kernel_w", NUM((span + 1) * (span + 1)));
    if (chance(40))
      L("#pragma unroll");
    OPEN(NUM(span + 1), "for (int dy = 0; dy <= %u; dy++)", span);
    OPEN(NUM(span + 1),
         "for (int dx = 0; dx <= %u; dx++)\n"
         "@T %s = in[#h (row + dy) * %s + col + dx];",
         span, v, pitch);
    if (weights)
      L("@T w = kernel_w[#h dy * %u + dx];", span + 1);
    accumulate(g, acc, vars, weights ? 2 : 1);
    CLOSE();
    CLOSE();
  } else {
    L("int c = (row + %u) * %s + col + %u;\n"
      "%s = in[#c c] * @l;",
      radius, pitch, radius, acc);
    for (uint32_t r = 1; r <= radius; r++) {
      LINE("@a += (in[#h c - @b] + in[#h c + @b]) * @l;\n"
           "@a += (in[#c c - @b * @c] + in[#h c + @b * @c]) * @l;",
           acc, NUM(r), pitch);
    }
  }
  gen_text r = PERHAPS_WORK(65, "col", acc);
  L("out[#c row * width + col] = %s;", r);
}

GEN_FAMILY(stencil3) {
  NARROW_VALUE(90, 82);
  uint32_t radius = 1 + pick(2);
  uint32_t terms = 2 + pick(4);
  bool march = chance(60);
  g->shape.dims = march ? 2 : 3;
  TAG("stencil");
  GRID("nx", "GX*TX");
  GRID("ny", "GY*TY");
  if (march)
    PRIMARY("nz", 4, 2048);
  else
    GRID("nz", "GZ*TZ");
  READS("u", T("(nx+%u)*(ny+%u)*(nz+%u)", 2 * radius, 2 * radius, 2 * radius));
  WRITES("out", "nx*ny*nz");
  L("int ix = $gx, iy = $gy%s;\n"
    "int sy = nx + %u;\n"
    "int sz = sy * (ny + %u);",
    march ? "" : ", iz = $gz", 2 * radius, 2 * radius);
  L(march ? "if (ix >= nx || iy >= ny) return;"
          : "if (ix >= nx || iy >= ny || iz >= nz) return;");
  if (march)
    LOOP("iz", "nz");
  L("int c = (iz + %u) * sz + (iy + %u) * sy + ix + %u;\n"
    "@T lap = u[#c c] * @l;",
    radius, radius, radius);
  for (uint32_t k = 0; k < terms; k++) {
    gen_text by = k % 3 == 0 ? "" : k % 3 == 1 ? " * sy" : " * sz";
    LINE(k % 3 == 2 ? "lap += @l * (u[#c c - @a@b] + u[#h c + @a@b]);"
                    : "lap += @l * (u[#h c - @a@b] + u[#h c + @a@b]);",
         NUM(1 + pick(radius)), by);
  }
  gen_text r = PERHAPS_WORK(65, "ix", "lap");
  L("out[#c (iz * ny + iy) * nx + ix] = %s;", r);
}

/* Loops of literal and argument bounds over affine places of one or two arrays, 2 to 4
 * deep; places wrap with a mask. */
GEN_FAMILY(nest) {
  NARROW_VALUE(60, 82);
  uint32_t levels = 2 + pick(3);
  uint32_t bits = 10 + pick(10);
  uint32_t two = pick(2);
  gen_text i = OPEN_1D("n");
  gen_text at = i;
  gen_text vars[3];
  gen_text inner = "";
  uint32_t mask = (1u << bits) - 1;
  uint32_t depth = g->depth;
  TAG(levels == 2 ? "loop2" : levels == 3 ? "loop3" : "loop4");
  READS("a", NUM(mask + 1));
  if (two)
    READS("b", NUM(mask + 1));
  gen_text acc = LET("acc", "@0");
  for (uint32_t l = 0; l < levels; l++) {
    gen_text k = T("%c%u", "jklm"[l], g -> fresh++);
    uint32_t lit = 2 + pick(l + 1 == levels ? 15 : 6);
    uint32_t by = 1u << pick(8);
    if (l == 0)
      LOOP(k, ITERS());
    else if (chance(15))
      OPEN(NUM(lit / 2 + 1), "for (int %s = 0; %s < %u; %s += 2)", k, k, lit, k);
    else
      LOOP(k, NUM(lit));
    at = T("%s + %s * %u", at, k, by + pick(3));
    if (chance(25))
      LINE(FLOATS ? "@a = @a * 0.5@f;" : "@a = (@a >> 1) + @b;", acc, k);
    inner = k;
  }
  vars[0] = LET("v", "a[%s (%s) & %u]", bits < 15 ? "#h" : "#c", at, mask);
  if (two)
    vars[1] = LET("v", "b[%s]",
                  chance(50) ? T("#h (%s) & %u", at, mask)
                             : T("#s8 ((%s & 4095) * 8 + %s) & %u", i, inner, mask));
  accumulate(g, acc, vars, 1 + two);
  if (chance(30))
    STEP(acc, vars, 1 + two);
  CLOSE_ALL(depth);
  RESULT("n", i, acc);
}

GEN_FAMILY(matmul) {
  NARROW_VALUE(75, 82);
  bool tb = chance(30), ta = chance(20);
  uint32_t per = chance(35) ? 2 + pick(3) : 1;
  g->shape.dims = 2;
  TAG("matmul loop1");
  GRID("m", "GY*TY");
  GRID("n", "GX*TX");
  PRIMARY("kdim", 4, 8192);
  READS("a", T("m*kdim*%u", per));
  READS("b", "kdim*n");
  WRITES("c", T("m*n*%u", per));
  L("int row = $gy, col = $gx;");
  OPEN(NULL, "if (row < m && col < n)");
  for (uint32_t p = 0; p < per; p++)
    L("@T acc%u = @0;", p);
  UNROLL(30);
  LOOP("k", "kdim");
  L("@T bv = b[%s];", tb ? "#q col * kdim + k" : "#c k * n + col");
  for (uint32_t p = 0; p < per; p++) {
    gen_text row = per == 1 ? "row" : T("(row * %u + %u)", per, p);
    gen_text av =
        T("a[#h %s]", ta ? T("k * m * %u + %s", per, row) : T("%s * kdim + k", row));
    if (chance(70))
      L("acc%u += %s * bv;", p, av);
    else {
      L("@T av%u = %s;", p, av);
      STEP(T("acc%u", p), NAMES(T("av%u", p), "bv"));
    }
  }
  CLOSE();
  for (uint32_t p = 0; p < per; p++) {
    gen_text vars[] = {T("acc%u", p)};
    gen_text r = chance(30) ? EXPR(vars, 1, 2) : vars[0];
    L("c[#c (row * %u + %u) * n + col] = %s;", per, p, r);
  }
}

/* One thread or one warp-wide loop per row: two or three passes over it, as in softmax
 * and normalisation. */
GEN_FAMILY(rowwise) {
  NARROW_VALUE(90, 82);
  bool per_thread = chance(35);
  uint32_t passes = 1 + pick(3);
  gen_text vars[3];
  gen_text acc[3];
  gen_text how = per_thread ? "#q" : "#c";
  gen_text weight = per_thread ? "cols" : "cols/T";
  gen_text loop = per_thread ? "for (int c = 0; c < cols; c += 1)"
                             : "for (int c = $tx; c < cols; c += $dx)";
  TAG("rows");
  DRAW("rows", 64, 1 << 16);
  PRIMARY("cols", 8, 1 << 17);
  READS("x", "rows*cols");
  WRITES("y", "rows*cols");
  if (per_thread)
    OPEN("rows/S", "for (int row = $gx; row < rows; row += $sx)");
  else
    OPEN("rows/G", "for (int row = $bx; row < rows; row += $Gx)");
  for (uint32_t p = 0; p < passes; p++) {
    acc[p] = LET("acc", "@0");
    OPEN(weight, "%s", loop);
    vars[0] = LET("v", "x[%s row * cols + c]", p && !per_thread ? "#h" : how);
    if (p)
      L("%s = %s - %s;", vars[0], vars[0], acc[p - 1]);
    STEP(acc[p], vars, 1);
    CLOSE();
  }
  OPEN(weight, "%s", loop);
  vars[0] = LET("v", "x[#h row * cols + c]");
  uint32_t n = 1;
  for (uint32_t p = passes; p-- && n < 3;)
    vars[n++] = acc[p];
  gen_text r = g->heavy && chance(50) ? WORK("c", vars, n) : ALL(vars, n, pick(3));
  L("y[%s row * cols + c] = %s;", how, r);
}

GEN_FAMILY(colwise) {
  NARROW_VALUE(70, 82);
  gen_text vars[3];
  TAG("columns");
  GRID("cols", "S");
  PRIMARY("rows", 4, 1 << 16);
  READS("a", "rows*cols");
  bool two = chance(40), major = chance(25);
  if (two)
    READS("coef", "rows");
  L("int col = $gx;\n"
    "if (col >= cols) return;");
  gen_text acc = LET("acc", "@0");
  bool passes = g->heavy && chance(60);
  if (passes)
    LOOP("pass", ITERS());
  UNROLL(30);
  uint32_t skip = chance(25) ? 2 + pick(3) : 1;
  OPEN(skip == 1 ? "rows" : T("rows/%u", skip), "for (int r = 0; r < rows; r += %u)",
       skip);
  vars[0] = LET("v", "a[%s]", major ? "#q col * rows + r" : "#c r * cols + col");
  vars[1] = fresh("w");
  if (two)
    L("@T %s = coef[#b r];", vars[1]);
  accumulate(g, acc, vars, 1 + two);
  if (chance(30))
    STEP(acc, vars, 1 + two);
  CLOSE();
  if (passes) {
    LINE(FLOATS ? "@a = @a * 0.5@f;" : "@a = (@a >> 1) ^ pass;", acc);
    CLOSE();
  }
  gen_text out[] = {acc};
  gen_text r = chance(40) ? WORK("col", out, 1) : acc;
  WRITES("out", "cols");
  L("out[#c col] = %s;", r);
}

/* Where part k of the n parts of item i lies: parts of all items together, or items one
 * by one. */
static gen_text member(gen *g, bool soa, gen_text i, uint32_t n, uint32_t k) {
  return soa ? T("#c %u * batch + %s", k, i) : T("#s%u %s * %u + %u", n, i, n, k);
}

/* A small matrix per thread in registers: product, elimination step, rotation. */
GEN_FAMILY(batched) {
  NARROW_VALUE(90, 82);
  uint32_t n = 2 + pick(3);
  uint32_t kind = pick(3);
  gen_text i = OPEN_1D("batch");
  gen_text trips = chance(60) ? ITERS() : NULL;
  gen_text k = fresh("it");
  bool soa = chance(60);
  TAG("small-matrix");
  READS("mats", T("batch*%u", n * n));
  READS("vecs", T("batch*%u", n));
  WRITES("out", T("batch*%u", n));
  for (uint32_t r = 0; r < n; r++)
    for (uint32_t c = 0; c < n; c++)
      L("@T m%u%u = mats[%s];", r, c, member(g, soa, i, n * n, r * n + c));
  for (uint32_t r = 0; r < n; r++)
    L("@T x%u = vecs[%s];", r, member(g, soa, i, n, r));
  if (trips)
    LOOP(k, trips);
  for (uint32_t r = 0; r < n; r++) {
    gen_text sum = T("m%u0 * x0", r);
    for (uint32_t c = 1; c < n; c++)
      sum = T("%s + m%u%u * x%u", sum, r, c, c);
    if (kind == 0)
      L("@T y%u = %s;", r, sum);
    if (kind == 1)
      L("@T y%u = x%u - (%s) * @l;", r, r, sum);
    if (kind == 2) {
      L("@T y%u = %s;", r, EXPR(NAMES(T("x%u", r), T("m%u%u", r, r), T("m0%u", r)), 2));
    }
  }
  for (uint32_t r = 0; r < n; r++)
    L(FLOATS ? "x%u = y%u * 0.25@f;" : "x%u = (y%u >> 1) ^ @l;", r, r);
  if (trips)
    CLOSE();
  for (uint32_t r = 0; r < n; r++)
    L("out[%s] = x%u;", member(g, soa, i, n, r), r);
}
