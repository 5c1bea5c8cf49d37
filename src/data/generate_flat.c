/* generate_flat.c - productions over flat arrays: element-wise, strided, gather,
 * scatter, vectors, chains, hashing, branches. */
#include "generate_pen.h"

static const gen_text in_names[] = {"x",     "y",    "z",     "w",     "src",
                                    "input", "data", "vals",  "field", "alpha",
                                    "beta",  "left", "right", "u"};
static const gen_text out_names[] = {"out", "dst", "result", "output", "y_out", "res"};
static const gen_text index_names[] = {"i", "idx", "gid", "tid", "t"};

gen_text ww_gen_open_1d(gen *g, gen_text n) {
  gen_text i = index_names[pick(5)];
  bool is_unsigned = chance(20);
  switch (pick(10)) {
  case 0:
  case 1: /* one element per thread, early exit */
    GRID(n, "S");
    TAG("early-exit");
    L("int %s = $gx;\n"
      "if (%s >= %s) return;",
      i, i, n);
    break;
  case 2:
  case 3:
    GRID(n, "S");
    L("const int %s = $gx;", i);
    OPEN(NULL, "if (%s < %s)", i, n);
    break;
  case 4: /* a block walks over a chunk of its own */
    PRIMARY(n, 256, 1 << 28);
    TAG("chunked");
    L("int chunk = (%s + $Gx - 1) / $Gx;\n"
      "int first = $bx * chunk, last = $min(first + chunk, %s);",
      n, n);
    OPEN(T("%s/S", n), "for (int %s = first + $tx; %s < last; %s += $dx)", i, i, i);
    break;
  default:
    PRIMARY(n, 256, 1 << 28);
    TAG("grid-stride");
    if (chance(15))
      L("#pragma unroll %u", 1u << pick(4));
    OPEN(T("%s/S", n),
         is_unsigned ? "for ($u32 %s = $gx; %s < ($u32)%s; %s += $sx)"
                     : "for (int %s = $gx; %s < %s; %s += $sx)",
         i, i, n, i);
  }
  return i;
}

gen_text ww_gen_load(gen *g, gen_type t, gen_text buffer, gen_text at) {
  gen_text v = fresh("v");
  L("%s%s %s = %s[%s];", chance(30) ? "const " : "", NAME(ww_gen_compute(t)), v, buffer,
    at);
  return v;
}

void ww_gen_inputs(gen *g,
                   gen_type t,
                   uint32_t count,
                   gen_text elements,
                   gen_text at,
                   gen_text *vars) {
  uint32_t from = pick(14);
  for (uint32_t k = 0; k < count; k++) {
    gen_text name = in_names[(from + k) % 14];
    BUFFER(name, t, elements);
    vars[k] = LOAD(t, name, at);
  }
}

static void store(gen *g, gen_type t, gen_text count, gen_text at, gen_text value) {
  gen_text out = out_names[pick(6)];
  OUTPUT(out, t, count);
  if (t == GEN_U8 || t == GEN_I8 || t == GEN_I16)
    L("%s[%s] = (%s)(%s);", out, at, NAME(t), value);
  else
    L(chance(10) ? "%s[%s] += %s;" : "%s[%s] = %s;", out, at, value);
}

static gen_type begin(gen *g) {
  gen_type t = ww_gen_any_type(g);
  g->type = ww_gen_compute(t);
  return t;
}

GEN_FAMILY(map) {
  gen_type t = begin(g);
  gen_text vars[6];
  gen_text i = OPEN_1D("n");
  gen_text at = T("#c %s", i);
  uint32_t nin = 1 + pick(4);
  uint32_t n = nin;
  INPUTS(t, nin, "n", at, vars);
  if (FLOATS && chance(35)) {
    ww_gen_size(g, "scale", GEN_SCALAR, 0, 0, NULL)->type = g->type;
    vars[n++] = "scale";
  }
  gen_text r = WORK(i, vars, n);
  if (chance(30))
    r = WORK(i, NAMES(r, vars[0]));
  store(g, t, "n", at, r);
}

GEN_FAMILY(strided) {
  gen_type t = begin(g);
  gen_text vars[4];
  gen_text i = OPEN_1D("n");
  uint32_t nin = 1 + pick(3);
  uint32_t lit = 1u << (1 + pick(6));
  bool out_strided = chance(30);
  gen_text at;
  gen_text count;
  TAG("stride");
  if (chance(50)) {
    DRAW("stride", 2, 96);
    at = T("#pstride %s * stride", i);
    count = "n*stride";
  } else {
    lit += pick(4);
    at = chance(50) ? T("#s%u %s * %u", lit, i, lit)
                    : T("#s%u %s * %u + %u", lit, i, lit, pick(lit));
    count = T("n*%u", lit);
  }
  INPUTS(t, nin, count, at, vars);
  gen_text r = WORK(i, vars, nin);
  store(g, t, out_strided ? count : "n", out_strided ? at : T("#c %s", i), r);
}

/* Indices into n elements, filled in one of the ways that real ones are distributed. */
static gen_text indices(gen *g, bool distinct) {
  static const gen_text names[] = {"index", "idx_list", "perm", "map", "order", "col"};
  gen_text name = names[pick(6)];
  gen_param *p = BUFFER(name, GEN_I32, "n");
  if (distinct || chance(30))
    ww_gen_indices(p, WW_FILL_PERMUTATION, NULL, NULL);
  else
    ww_gen_indices(p, chance(70) ? WW_FILL_UNIFORM : WW_FILL_ZIPF, "0", "n");
  TAG("indirect");
  return name;
}

GEN_FAMILY(gather) {
  gen_type t = begin(g);
  gen_text vars[6];
  gen_text i = OPEN_1D("n");
  gen_text ix = indices(g, false);
  gen_text j = fresh("j");
  uint32_t nin = 1 + pick(2);
  uint32_t n = nin;
  L("int %s = %s[#c %s];", j, ix, i);
  if (chance(20))
    L("%s = %s[#dr %s];", j, ix, j);
  INPUTS(t, nin, "n", T("#dr %s", j), vars);
  if (chance(40)) {
    BUFFER("weight", t, "n");
    vars[n++] = LOAD(t, "weight", T("#c %s", i));
  }
  gen_text r = WORK(i, vars, n);
  store(g, t, "n", T("#c %s", i), r);
}

GEN_FAMILY(scatter) {
  gen_type t = begin(g);
  bool atomic = chance(45) && (t == GEN_F32 || t == GEN_I32 || t == GEN_U32);
  gen_text vars[6];
  gen_text i = OPEN_1D("n");
  gen_text ix = indices(g, !atomic);
  gen_text j = fresh("j");
  uint32_t nin = 1 + pick(3);
  INPUTS(t, nin, "n", T("#c %s", i), vars);
  gen_text r = WORK(i, vars, nin);
  L("int %s = %s[#c %s];", j, ix, i);
  if (!atomic) {
    store(g, t, "n", T("#dr %s", j), r);
    return;
  }
  OUTPUT("bins", t, "n");
  ww_gen_atomic_add(g, "bins", "#ar", j, r);
}

GEN_FAMILY(vector) {
  static const struct {
    uint8_t t, e;
    gen_text make;
    uint8_t lanes;
  } kinds[] = {{GEN_F32X4, GEN_F32, "$make4", 4},
               {GEN_F32X2, GEN_F32, "$make2", 2},
               {GEN_I32X4, GEN_I32, "$makei4", 4}};
  uint32_t k = pick(3);
  uint32_t nin = 1 + pick(3);
  uint32_t lanes = kinds[k].lanes;
  gen_type t = kinds[k].t;
  gen_type e = kinds[k].e;
  gen_text in[4];
  gen_text part[4];
  gen_text i = OPEN_1D("n");
  gen_text out = out_names[pick(6)];
  g->type = e;
  TAG("vector");
  for (uint32_t b = 0; b < nin; b++) {
    in[b] = fresh("q");
    gen_text name = in_names[(b * 3 + pick(3)) % 14];
    BUFFER(name, t, "n");
    L("%s %s = %s[#c %s];", NAME(t), in[b], name, i);
  }
  if (g->heavy && chance(70)) {
    gen_text it = fresh("it");
    TAG("loop");
    LOOP(it, ITERS());
    for (uint32_t l = 0; l < lanes; l++) {
      gen_text vars[4];
      gen_text own = T("%s.%c", in[0], "xyzw"[l]);
      for (uint32_t b = 1; b < nin; b++)
        vars[b - 1] = T("%s.%c", in[b], "xyzw"[(l + b) % lanes]);
      if (nin == 1)
        vars[0] = e == GEN_F32 ? T("%s * 0.25f", own) : it;
      STEP(own, vars, nin > 1 ? nin - 1 : 1);
      if (nin == 1 && e == GEN_F32)
        L("%s = %s * 0.5f;", own, own);
    }
    CLOSE();
  }
  bool same = chance(60); /* the usual: each component the same way */
  uint64_t rng = g->rng;
  for (uint32_t l = 0; l < lanes; l++) {
    gen_text vars[4];
    for (uint32_t b = 0; b < nin; b++)
      vars[b] = T("%s.%c", in[b], "xyzw"[l]);
    if (same)
      g->rng = rng;
    part[l] = same ? ALL(vars, nin, 2) : WORK(i, vars, nin);
  }
  OUTPUT(out, t, "n");
  L("%s[#c %s] = %s(%s);", out, i, kinds[k].make,
    ww_gen_form(g, lanes == 4 ? "@a, @b, @c, @d" : "@a, @b", part));
}

GEN_FAMILY(chain) {
  gen_type t = g->type = chance(60)   ? GEN_F32
                         : chance(40) ? GEN_F64
                         : chance(50) ? GEN_U32
                                      : GEN_U64;
  gen_text vars[4];
  gen_text acc[8];
  gen_text i = OPEN_1D("n");
  gen_text at = T("#c %s", i);
  uint32_t nin = 1 + pick(2);
  uint32_t width = chance(40) ? 1 : 2 + pick(6);
  uint32_t steps = 1 + pick(width > 3 ? 2 : 6);
  TAG(width == 1 ? "chain" : "ilp");
  INPUTS(t, nin, "n", at, vars);
  for (uint32_t k = 0; k < width; k++)
    acc[k] = LET("a", "%s", ALL(vars, nin, 1));
  gen_text k = fresh("k");
  gen_text trips = ITERS();
  if (chance(30))
    L("#pragma unroll %u", 1u << pick(4));
  LOOP(k, trips);
  for (uint32_t s = 0; s < steps; s++)
    for (uint32_t c = 0; c < width; c++)
      STEP(acc[c], vars, nin);
  if (!FLOATS)
    for (uint32_t c = 0; c < width; c++)
      L("%s = (%s * 5u + %s) ^ (%s >> %u);", acc[c], acc[c], k, acc[c], 3 + c);
  CLOSE();
  gen_text sum = acc[0];
  for (uint32_t c = 1; c < width; c++)
    sum = T("%s + %s", sum, acc[c]);
  store(g, t, "n", at, sum);
}

GEN_FAMILY(hash) {
  bool wide = chance(25);
  gen_type t = g->type = wide ? GEN_U64 : GEN_U32;
  gen_text h = fresh("h");
  gen_text i = OPEN_1D("n");
  gen_text vars[3];
  uint32_t rounds = 1 + pick(5);
  uint32_t nin = 1 + pick(2);
  if (g->math < 20)
    g->math = 20;
  TAG("hash");
  INPUTS(t, nin, "n", T("#c %s", i), vars);
  L("@T %s = %s ^ @l;", h, vars[0]);
  bool loop = chance(60);
  gen_text k = fresh("k");
  if (loop)
    LOOP(k, ITERS());
  for (uint32_t r = 0; r < rounds; r++) {
    if (chance(60))
      L("%s ^= %s >> @[11+8];", h, h);
    if (chance(70))
      L("%s *= @l;", h);
    if (chance(50))
      STEP(h, vars, nin);
    if (chance(40))
      L("%s = (%s << @[5+8]) | (%s >> %u);", h, h, h, (wide ? 64 : 32) - 13u);
  }
  if (loop)
    L("%s = (%s ^ %s) * @l;\n"
      "}",
      h, h, k);
  if (!wide && chance(30)) {
    TAG("atomic");
    OUTPUT("table", GEN_U32, "65536");
    L("$add(&table[#ar %s & 65535u], 1u);", h);
  } else
    store(g, t, "n", T("#c %s", i), h);
}

GEN_FAMILY(branchy) {
  gen_type t = begin(g);
  gen_text vars[5];
  gen_text weight;
  gen_text i = OPEN_1D("n");
  gen_text element = i;
  uint32_t nin = 1 + pick(3);
  uint32_t levels = 1 + pick(3);
  uint32_t depth;
  INPUTS(t, nin, "n", T("#c %s", i), vars);
  gen_text r = LET("r", "%s", ALL(vars, nin, 1));
  depth = g->depth;
  if (g->heavy) {
    gen_text it = fresh("it");
    TAG("loop");
    LOOP(it, ITERS());
    if (chance(50))
      i = T("(%s + %s)", i, it); /* other lanes take the branch each time */
  }
  for (uint32_t l = 0; l < levels; l++) {
    gen_text cond = CONDITION(i, vars, nin, &weight);
    OPEN(weight, "if (%s)", cond);
    for (uint32_t s = 0; s <= pick(4); s++)
      STEP(r, vars, nin);
    if (chance(35)) { /* a loop as long as the data says, at most 64 */
      gen_text k = fresh("k");
      gen_text m = fresh("m");
      TAG("data-loop");
      L(FLOATS ? "int %s = $min((int)($fabs@f(%s) * 32), 64);"
               : "int %s = $min((int)(%s & 31), 64);",
        m, vars[0]);
      OPEN("28", "for (int %s = 0; %s < %s; %s++)", k, k, m, k);
      STEP(r, vars, nin);
      CLOSE();
    }
    if (chance(50)) {
      ELSE(weight);
      for (uint32_t s = 0; s <= pick(3); s++)
        STEP(r, vars, nin);
      if (chance(50))
        CLOSE();
    } else if (chance(40))
      CLOSE();
  }
  CLOSE_ALL(depth);
  store(g, t, "n", T("#c %s", element), r);
}

GEN_FAMILY(montecarlo) {
  gen_type t = g->type = chance(75) ? GEN_F32 : GEN_F64;
  gen_text s = fresh("s");
  gen_text k = fresh("k");
  gen_text hits = fresh("hits");
  gen_text vars[3];
  gen_text u = fresh("u");
  gen_text i = OPEN_1D("n");
  gen_text trips = ITERS();
  TAG("random");
  BUFFER("seeds", GEN_U32, "n");
  L("$u32 %s = seeds[#c %s] | 1u;\n"
    "@T %s = 0;",
    s, i, hits);
  uint32_t depth = g->depth;
  LOOP(k, trips);
  uint32_t draws = 1 + pick(3);
  uint32_t kind = pick(3);
  for (uint32_t d = 0; d < draws; d++) {
    if (kind == 0)
      L("%s = %s * 1664525u + 1013904223u;", s, s);
    if (kind == 1)
      LINE("@a ^= @a << 13;\n"
           "@a ^= @a >> 17;\n"
           "@a ^= @a << 5;",
           s);
    if (kind == 2)
      L("%s = (%s ^ (%s >> 15)) * 2246822519u + %uu;", s, s, s, 1 + 2 * pick(1000));
    vars[d] = T("%s_%u", u, d);
    L("@T %s = (%s >> 8) * (1.0@f / 16777216.0@f);", vars[d], s);
  }
  if (chance(50)) {
    gen_text a = vars[0];
    gen_text b = vars[draws - 1];
    OPEN("1", "if (%s * %s + %s * %s < @l)", a, a, b, b);
  }
  STEP(hits, vars, draws);
  CLOSE_ALL(depth);
  store(g, t, "n", T("#c %s", i), hits);
}

/* Two types at once: quantise, convert, count, pack. */
GEN_FAMILY(mixed) {
  static const uint8_t to[] = {GEN_U8, GEN_I8, GEN_I16, GEN_I32, GEN_F64, GEN_F32};
  gen_type out = to[pick(6)];
  gen_type in = chance(50) ? GEN_F32 : chance(50) ? GEN_U8 : GEN_I16;
  gen_type ct = ww_gen_compute(in);
  gen_text vars[4];
  gen_text i = OPEN_1D("n");
  uint32_t nin = 1 + pick(3);
  g->type = ct;
  TAG("convert");
  INPUTS(in, nin, "n", T("#c %s", i), vars);
  gen_text r = WORK(i, vars, nin);
  gen_text q = fresh("q");
  if (ct == GEN_F32 && !ww_gen_is_float(out)) {
    L("float %s = $fminf($fmaxf((%s) * %u.0f, 0.0f), 127.0f);", q, r, 16u << pick(3));
    r = q;
  } else if (out == GEN_F64) {
    g->type = GEN_F64;
    L("double %s = (double)(%s);", q, r);
    r = T("%s * 0.5 + 1.0", q);
  }
  gen_text o = out_names[pick(6)];
  OUTPUT(o, out, "n");
  L("%s[#c %s] = (%s)(%s);", o, i, NAME(out), r);
}

/* ---- two and three dimensions ---- */

GEN_FAMILY(grid2) {
  gen_type t = begin(g);
  gen_text vars[4];
  gen_text x = chance(50) ? "px" : "col";
  gen_text y = x[0] == 'p' ? "py" : "row";
  bool guard = chance(50), transposed = chance(15);
  uint32_t nin = 1 + pick(3);
  g->shape.dims = 2;
  ww_gen_size(g, "width", guard ? GEN_GRID : GEN_DRAW, 64, 8192, "GX*TX");
  ww_gen_size(g, "height", guard ? GEN_GRID : GEN_PRIMARY, 16, 1 << 16, "GY*TY");
  if (guard) {
    L("int %s = $gx;\n"
      "int %s = $gy;",
      x, y);
    OPEN(NULL, "if (%s < width && %s < height)", x, y);
  } else {
    TAG("loop2");
    OPEN("height/(GY*TY)", "for (int %s = $gy; %s < height; %s += $sy)", y, y, y);
    OPEN("width/(GX*TX)", "for (int %s = $gx; %s < width; %s += $sx)", x, x, x);
  }
  gen_text at =
      transposed ? T("#pheight %s * height + %s", x, y) : T("#c %s * width + %s", y, x);
  INPUTS(t, nin, "width*height", at, vars);
  if (chance(30)) {
    BUFFER("bias", t, "width");
    vars[nin - 1] = LOAD(t, "bias", T("#h %s", x));
  }
  gen_text r = WORK(x, vars, nin);
  store(g, t, "width*height", T("#c %s * width + %s", y, x), r);
}

GEN_FAMILY(grid3) {
  gen_type t = begin(g);
  gen_text vars[4];
  uint32_t nin = 1 + pick(2);
  g->shape.dims = 3;
  GRID("nx", "GX*TX");
  GRID("ny", "GY*TY");
  bool loop = chance(60);
  if (loop)
    PRIMARY("nz", 1, 4096);
  else
    GRID("nz", "GZ*TZ");
  L("int ix = $gx;\n"
    "int iy = $gy;");
  if (!loop)
    L("int iz = $gz;");
  OPEN(NULL, loop ? "if (ix < nx && iy < ny)" : "if (ix < nx && iy < ny && iz < nz)");
  if (loop)
    OPEN("nz/(GZ*TZ)", "for (int iz = $gz; iz < nz; iz += $sz)");
  gen_text at =
      chance(80) ? "#c (iz * ny + iy) * nx + ix" : "#pnz (iy * nx + ix) * nz + iz";
  INPUTS(t, nin, "nx*ny*nz", at, vars);
  gen_text r = WORK("ix", vars, nin);
  store(g, t, "nx*ny*nz", at, r);
}
