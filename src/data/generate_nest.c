/* generate_nest.c - productions with loop nests inside a thread: stencils, products, rows, sparse
 * rows, searches, small matrices. */
#include "generate_pen.h"

static gen_type float_or(gen *g, uint32_t percent_float) {
  gen_type t = chance(percent_float) ? (chance(82) ? GEN_F32 : GEN_F64)
               : chance(50)          ? GEN_I32
                                     : GEN_U32;
  g->type = (uint8_t)t;
  return t;
}

static const char *zero(gen_type t) {
  return t == GEN_F32 ? "0.0f" : t == GEN_F64 ? "0.0" : t == GEN_U32 ? "0u" : "0";
}

/* One step of a sum over vars, mostly the plain product-sum that people write. */
static void accumulate(gen *g, gen_type t, const char *acc, const char *const *vars, uint32_t n) {
  if (n >= 2 && chance(55))
    L("%s += %s * %s;", acc, vars[0], vars[1]);
  else
    ww_gen_step(g, t, acc, vars, n);
}

GEN_FAMILY(stencil1) {
  gen_type t = float_or(g, 70);
  uint32_t radius = 1 + pick(6);
  bool loop = chance(50), passes = chance(60);
  const char *i = ww_gen_open_1d(g, "n"), *acc = fresh("acc");
  const char *at = i;
  ww_gen_buffer(g, "in", t, T("n+%u", 2 * radius + 16));
  TAG("stencil");
  L("%s %s = %s;", NAME(t), acc, zero(t));
  const char *trips = passes ? ww_gen_iters(g) : NULL, *p = fresh("p");
  if (passes)
    OPEN(trips, "for (int %s = 0; %s < %s; %s++)", p, p, trips, p);
  if (passes)
    at = T("%s + (%s & 15)", i, p); /* each pass reads elsewhere, else compilers read once */
  if (loop) {
    const char *k = fresh("k"), *v = fresh("v");
    if (chance(50))
      L("#pragma unroll");
    OPEN(T("%u", 2 * radius + 1), "for (int %s = 0; %s <= %u; %s++)", k, k, 2 * radius, k);
    L("%s %s = in[#h %s + %s];", NAME(t), v, at, k);
    const char *vars[] = {v};
    ww_gen_step(g, t, acc, vars, 1);
    CLOSE();
  } else {
    const char *sum = T("in[#c %s] * %s", at, ww_gen_literal(g, t));
    for (uint32_t k = 1; k <= 2 * radius; k += 1 + pick(2))
      sum = T("%s + in[#h %s + %u] * %s", sum, at, k, ww_gen_literal(g, t));
    L(passes ? "%s += %s;" : "%s = %s;", acc, sum);
  }
  if (passes) {
    L(ww_gen_is_float(t) ? "%s = %s * 0.5%s;" : "%s = (%s >> 1) ^ %s;", acc, acc,
      ww_gen_is_float(t) ? t == GEN_F32 ? "f" : "" : p);
    CLOSE();
  }
  const char *vars[] = {acc};
  const char *r = chance(40) ? ww_gen_work(g, t, i, vars, 1) : acc;
  ww_gen_output(g, "out", t, "n");
  L("out[#c %s] = %s;", i, r);
}

GEN_FAMILY(stencil2) {
  gen_type t = float_or(g, 75);
  uint32_t radius = 1 + pick(3);
  bool box = chance(45), rows = chance(50);
  g->shape.dims = 2;
  TAG("stencil");
  TAG("loop2");
  ww_gen_size(g, "width", GEN_GRID, 0, 0, "GX*TX");
  if (rows)
    ww_gen_size(g, "height", GEN_PRIMARY, 4, 1 << 16, NULL);
  else
    ww_gen_size(g, "height", GEN_GRID, 0, 0, "GY*TY");
  const char *pitch = T("(width + %u)", 2 * radius), *acc = fresh("acc");
  ww_gen_buffer(g, "in", t, T("(width+%u)*(height+%u)", 2 * radius, 2 * radius));
  ww_gen_output(g, "out", t, "width*height");
  L("int col = $gx;");
  if (rows) {
    L("if (col >= width) return;");
    OPEN("height/(GY*TY)", "for (int row = $gy; row < height; row += $sy)");
  } else {
    L("int row = $gy;");
    OPEN(NULL, "if (col < width && row < height)");
  }
  L("%s %s = %s;", NAME(t), acc, zero(t));
  if (box) {
    const char *v = fresh("v"), *vars[2] = {v, "w"};
    bool weights = chance(50);
    if (weights)
      ww_gen_buffer(g, "kernel_w", t, T("%u", (2 * radius + 1) * (2 * radius + 1)));
    if (chance(40))
      L("#pragma unroll");
    OPEN(T("%u", 2 * radius + 1), "for (int dy = 0; dy <= %u; dy++)", 2 * radius);
    OPEN(T("%u", 2 * radius + 1), "for (int dx = 0; dx <= %u; dx++)", 2 * radius);
    L("%s %s = in[#h (row + dy) * %s + col + dx];", NAME(t), v, pitch);
    if (weights)
      L("%s w = kernel_w[#h dy * %u + dx];", NAME(t), 2 * radius + 1);
    accumulate(g, t, acc, vars, weights ? 2 : 1);
    ww_gen_close_all(g, g->depth - 2u);
  } else {
    L("int c = (row + %u) * %s + col + %u;", radius, pitch, radius);
    L("%s = in[#c c] * %s;", acc, ww_gen_literal(g, t));
    for (uint32_t r = 1; r <= radius; r++) {
      L("%s += (in[#h c - %u] + in[#h c + %u]) * %s;", acc, r, r, ww_gen_literal(g, t));
      L("%s += (in[#c c - %u * %s] + in[#h c + %u * %s]) * %s;", acc, r, pitch, r, pitch,
        ww_gen_literal(g, t));
    }
  }
  const char *vars[] = {acc};
  const char *r = chance(65) ? ww_gen_work(g, t, "col", vars, 1) : acc;
  L("out[#c row * width + col] = %s;", r);
}

GEN_FAMILY(stencil3) {
  gen_type t = float_or(g, 90);
  uint32_t radius = 1 + pick(2), terms = 2 + pick(4);
  bool march = chance(60);
  g->shape.dims = march ? 2 : 3;
  TAG("stencil");
  ww_gen_size(g, "nx", GEN_GRID, 0, 0, "GX*TX");
  ww_gen_size(g, "ny", GEN_GRID, 0, 0, "GY*TY");
  if (march)
    ww_gen_size(g, "nz", GEN_PRIMARY, 4, 2048, NULL);
  else
    ww_gen_size(g, "nz", GEN_GRID, 0, 0, "GZ*TZ");
  ww_gen_buffer(g, "u", t, T("(nx+%u)*(ny+%u)*(nz+%u)", 2 * radius, 2 * radius, 2 * radius));
  ww_gen_output(g, "out", t, "nx*ny*nz");
  L("int ix = $gx, iy = $gy%s;", march ? "" : ", iz = $gz");
  L("int sy = nx + %u;", 2 * radius);
  L("int sz = sy * (ny + %u);", 2 * radius);
  L(march ? "if (ix >= nx || iy >= ny) return;" : "if (ix >= nx || iy >= ny || iz >= nz) return;");
  if (march)
    OPEN("nz", "for (int iz = 0; iz < nz; iz++)");
  L("int c = (iz + %u) * sz + (iy + %u) * sy + ix + %u;", radius, radius, radius);
  L("%s lap = u[#c c] * %s;", NAME(t), ww_gen_literal(g, t));
  for (uint32_t k = 0; k < terms; k++) {
    const char *by = k % 3 == 0 ? "" : k % 3 == 1 ? " * sy" : " * sz";
    uint32_t r = 1 + pick(radius);
    L("lap += %s * (u[%s c - %u%s] + u[#h c + %u%s]);", ww_gen_literal(g, t),
      k % 3 == 2 ? "#c" : "#h", r, by, r, by);
  }
  const char *vars[] = {"lap"}, *r = chance(65) ? ww_gen_work(g, t, "ix", vars, 1) : "lap";
  L("out[#c (iz * ny + iy) * nx + ix] = %s;", r);
}

/* Loops of literal and argument bounds over affine places of one or two arrays, 2 to 4 deep; places
 * wrap with a mask. */
GEN_FAMILY(nest) {
  gen_type t = float_or(g, 60);
  uint32_t levels = 2 + pick(3), bits = 10 + pick(10), two = pick(2);
  const char *i = ww_gen_open_1d(g, "n"), *acc = fresh("acc"), *at = i, *vars[3], *inner = "";
  uint32_t mask = (1u << bits) - 1, depth = g->depth;
  TAG(levels == 2 ? "loop2" : levels == 3 ? "loop3" : "loop4");
  ww_gen_buffer(g, "a", t, T("%u", mask + 1));
  if (two)
    ww_gen_buffer(g, "b", t, T("%u", mask + 1));
  L("%s %s = %s;", NAME(t), acc, zero(t));
  for (uint32_t l = 0; l < levels; l++) {
    const char *k = T("%c%u", "jklm"[l], g -> fresh++);
    uint32_t lit = 2 + pick(l + 1 == levels ? 15 : 6), by = 1u << pick(8);
    if (l == 0)
      OPEN(ww_gen_iters(g), "for (int %s = 0; %s < %s; %s++)", k, k, ww_gen_iters(g), k);
    else if (chance(15))
      OPEN(T("%u", lit / 2 + 1), "for (int %s = 0; %s < %u; %s += 2)", k, k, lit, k);
    else
      OPEN(T("%u", lit), "for (int %s = 0; %s < %u; %s++)", k, k, lit, k);
    at = T("%s + %s * %u", at, k, by + pick(3));
    if (chance(25))
      L(ww_gen_is_float(t) ? "%s = %s * 0.5%.0s%s;" : "%s = (%s >> 1) + %s;", acc, acc, k,
        t == GEN_F32 ? "f" : "");
    inner = k;
  }
  vars[0] = fresh("v");
  L("%s %s = a[%s (%s) & %u];", NAME(t), vars[0], bits < 15 ? "#h" : "#c", at, mask);
  if (two) {
    vars[1] = fresh("v");
    L("%s %s = b[%s];", NAME(t), vars[1],
      chance(50) ? T("#h (%s) & %u", at, mask)
                 : T("#s8 ((%s & 4095) * 8 + %s) & %u", i, inner, mask));
  }
  accumulate(g, t, acc, vars, 1 + two);
  if (chance(30))
    ww_gen_step(g, t, acc, vars, 1 + two);
  ww_gen_close_all(g, depth);
  ww_gen_output(g, "out", t, "n");
  L("out[#c %s] = %s;", i, acc);
}

GEN_FAMILY(matmul) {
  gen_type t = float_or(g, 75);
  bool tb = chance(30), ta = chance(20);
  uint32_t per = chance(35) ? 2 + pick(3) : 1;
  g->shape.dims = 2;
  TAG("matmul");
  TAG("loop1");
  ww_gen_size(g, "m", GEN_GRID, 0, 0, "GY*TY");
  ww_gen_size(g, "n", GEN_GRID, 0, 0, "GX*TX");
  ww_gen_size(g, "kdim", GEN_PRIMARY, 4, 8192, NULL);
  ww_gen_buffer(g, "a", t, T("m*kdim*%u", per));
  ww_gen_buffer(g, "b", t, "kdim*n");
  ww_gen_output(g, "c", t, T("m*n*%u", per));
  L("int row = $gy, col = $gx;");
  OPEN(NULL, "if (row < m && col < n)");
  for (uint32_t p = 0; p < per; p++)
    L("%s acc%u = %s;", NAME(t), p, zero(t));
  if (chance(30))
    L("#pragma unroll %u", 2u << pick(3));
  OPEN("kdim", "for (int k = 0; k < kdim; k++)");
  L("%s bv = b[%s];", NAME(t), tb ? "#q col * kdim + k" : "#c k * n + col");
  for (uint32_t p = 0; p < per; p++) {
    const char *row = per == 1 ? "row" : T("(row * %u + %u)", per, p);
    const char *av = T("a[#h %s]", ta ? T("k * m * %u + %s", per, row) : T("%s * kdim + k", row));
    if (chance(70))
      L("acc%u += %s * bv;", p, av);
    else {
      L("%s av%u = %s;", NAME(t), p, av);
      const char *vars[] = {T("av%u", p), "bv"};
      ww_gen_step(g, t, T("acc%u", p), vars, 2);
    }
  }
  CLOSE();
  for (uint32_t p = 0; p < per; p++) {
    const char *vars[] = {T("acc%u", p)}, *r = chance(30) ? ww_gen_expr(g, t, vars, 1, 2) : vars[0];
    L("c[#c (row * %u + %u) * n + col] = %s;", per, p, r);
  }
}

/* One thread or one warp-wide loop per row: two or three passes over it, as in softmax and
 * normalisation. */
GEN_FAMILY(rowwise) {
  gen_type t = float_or(g, 90);
  bool per_thread = chance(35);
  uint32_t passes = 1 + pick(3);
  const char *row = "row", *vars[3], *step = per_thread ? "1" : "$dx",
             *from = per_thread ? "0" : "$tx";
  const char *weight = per_thread ? "cols" : "cols/T", *acc[3];
  TAG("rows");
  ww_gen_size(g, "rows", GEN_DRAW, 64, 1 << 16, NULL);
  ww_gen_size(g, "cols", GEN_PRIMARY, 8, 1 << 17, NULL);
  ww_gen_buffer(g, "x", t, "rows*cols");
  ww_gen_output(g, "y", t, "rows*cols");
  if (per_thread)
    OPEN("rows/S", "for (int row = $gx; row < rows; row += $sx)");
  else
    OPEN("rows/G", "for (int row = $bx; row < rows; row += $Gx)");
  const char *how = per_thread ? "#q" : "#c";
  for (uint32_t p = 0; p < passes; p++) {
    acc[p] = fresh("acc");
    L("%s %s = %s;", NAME(t), acc[p], zero(t));
    OPEN(weight, "for (int c = %s; c < cols; c += %s)", from, step);
    vars[0] = fresh("v");
    L("%s %s = x[%s %s * cols + c];", NAME(t), vars[0], p && !per_thread ? "#h" : how, row);
    if (p)
      L("%s = %s - %s;", vars[0], vars[0], acc[p - 1]);
    ww_gen_step(g, t, acc[p], vars, 1);
    CLOSE();
  }
  OPEN(weight, "for (int c = %s; c < cols; c += %s)", from, step);
  vars[0] = fresh("v");
  L("%s %s = x[#h %s * cols + c];", NAME(t), vars[0], row);
  for (uint32_t p = 0; p < passes && p < 2; p++)
    vars[p + 1] = acc[passes - 1 - p];
  const char *r = g->heavy && chance(50) ? ww_gen_work(g, t, "c", vars, passes < 2 ? 2 : 3)
                                         : ww_gen_all(g, t, vars, passes < 2 ? 2 : 3, pick(3));
  L("y[%s %s * cols + c] = %s;", how, row, r);
}

GEN_FAMILY(colwise) {
  gen_type t = float_or(g, 70);
  const char *vars[3], *acc = fresh("acc"), *trips = "rows";
  TAG("columns");
  ww_gen_size(g, "cols", GEN_GRID, 0, 0, "S");
  ww_gen_size(g, "rows", GEN_PRIMARY, 4, 1 << 16, NULL);
  ww_gen_buffer(g, "a", t, "rows*cols");
  bool two = chance(40), major = chance(25);
  if (two)
    ww_gen_buffer(g, "coef", t, "rows");
  L("int col = $gx;");
  L("if (col >= cols) return;");
  L("%s %s = %s;", NAME(t), acc, zero(t));
  bool passes = g->heavy && chance(60);
  if (passes)
    OPEN(ww_gen_iters(g), "for (int pass = 0; pass < %s; pass++)", ww_gen_iters(g));
  if (chance(30))
    L("#pragma unroll %u", 2u << pick(3));
  uint32_t skip = chance(25) ? 2 + pick(3) : 1;
  OPEN(skip == 1 ? trips : T("rows/%u", skip), "for (int r = 0; r < rows; r += %u)", skip);
  vars[0] = fresh("v");
  L("%s %s = a[%s];", NAME(t), vars[0], major ? "#q col * rows + r" : "#c r * cols + col");
  vars[1] = fresh("w");
  if (two)
    L("%s %s = coef[#b r];", NAME(t), vars[1]);
  accumulate(g, t, acc, vars, 1 + two);
  if (chance(30))
    ww_gen_step(g, t, acc, vars, 1 + two);
  CLOSE();
  if (passes) {
    L(ww_gen_is_float(t) ? "%s = %s * 0.5%s;" : "%s = (%s >> 1) ^ pass;", acc, acc,
      t == GEN_F32 ? "f" : "");
    CLOSE();
  }
  const char *out[] = {acc}, *r = chance(40) ? ww_gen_work(g, t, "col", out, 1) : acc;
  ww_gen_output(g, "out", t, "cols");
  L("out[#c col] = %s;", r);
}

/* A small matrix per thread in registers: product, elimination step, rotation. */
GEN_FAMILY(batched) {
  gen_type t = float_or(g, 90);
  uint32_t n = 2 + pick(3), kind = pick(3);
  const char *i = ww_gen_open_1d(g, "batch"), *trips = chance(60) ? ww_gen_iters(g) : NULL,
             *k = fresh("it");
  bool soa = chance(60);
  TAG("small-matrix");
  ww_gen_buffer(g, "mats", t, T("batch*%u", n * n));
  ww_gen_buffer(g, "vecs", t, T("batch*%u", n));
  ww_gen_output(g, "out", t, T("batch*%u", n));
  for (uint32_t r = 0; r < n; r++)
    for (uint32_t c = 0; c < n; c++)
      L(soa ? "%s m%u%u = mats[#c %u * batch + %s];" : "%s m%u%u = mats[#s%u %s * %u + %u];",
        NAME(t), r, c, soa ? r * n + c : n * n, i, n * n, r * n + c);
  for (uint32_t r = 0; r < n; r++)
    L(soa ? "%s x%u = vecs[#c %u * batch + %s];" : "%s x%u = vecs[#s%u %s * %u + %u];", NAME(t), r,
      soa ? r : n, i, n, r);
  if (trips)
    OPEN(trips, "for (int %s = 0; %s < %s; %s++)", k, k, trips, k);
  for (uint32_t r = 0; r < n; r++) {
    const char *sum = T("m%u0 * x0", r);
    for (uint32_t c = 1; c < n; c++)
      sum = T("%s + m%u%u * x%u", sum, r, c, c);
    if (kind == 0)
      L("%s y%u = %s;", NAME(t), r, sum);
    if (kind == 1)
      L("%s y%u = x%u - (%s) * %s;", NAME(t), r, r, sum, ww_gen_literal(g, t));
    if (kind == 2) {
      const char *vars[] = {T("x%u", r), T("m%u%u", r, r), T("m0%u", r)};
      L("%s y%u = %s;", NAME(t), r, ww_gen_expr(g, t, vars, 3, 2));
    }
  }
  for (uint32_t r = 0; r < n; r++)
    L(ww_gen_is_float(t) ? "x%u = y%u * %s;" : "x%u = (y%u >> 1) ^ %s;", r, r,
      t == GEN_F32   ? "0.25f"
      : t == GEN_F64 ? "0.25"
                     : ww_gen_literal(g, t));
  if (trips)
    CLOSE();
  for (uint32_t r = 0; r < n; r++)
    L(soa ? "out[#c %u * batch + %s] = x%u;" : "out[#s%u %s * %u + %u] = x%u;", soa ? r : n, i,
      soa ? r : n, r, r);
}
