/* generate_block.c - productions where threads of a block work together: shared tiles,
 * reductions, scans, histograms, shuffles.
 *
 * Barriers stand where every thread of the block comes by: loops around them count
 * blocks' steps, never threads' own. */
#include "generate_pen.h"

/* How two partial results become one. */
static gen_text joined(gen *g, uint32_t how, gen_text a, gen_text b) {
  static const gen_text forms[][3] = {
      {"@a + @b", "$max(@a, @b)", "@a ^ @b"},
      {"@a + @b", "$fmax@f(@a, @b)", "$fmin@f(@a, @b)"}};
  return FORM(forms[FLOATS][how], a, b);
}

static uint32_t fixed_block(gen *g) {
  g->shape.pow2 = true;
  return THREADS(64, 5);
}

static uint32_t log2_of(uint32_t n) {
  uint32_t log = 0;
  while (1u << log < n)
    log++;
  return log;
}

/* A tree over shared memory, in one of the ways it is taught; sm[0] holds the result.
 */
static void tree(gen *g, uint32_t how, uint32_t threads) {
  uint32_t kind = pick(3);
  gen_text levels = NUM(log2_of(threads));
  TAG("barrier");
  L("$sync;");
  if (kind == 0)
    OPEN(levels, "for (int s = %u; s > 0; s >>= 1)", threads / 2);
  else
    OPEN(levels, "for (int s = 1; s < %u; s *= 2)", threads);
  if (kind < 2)
    L("if (%s) sm[$tx] = %s;", kind ? "$tx % (2 * s) == 0" : "$tx < s",
      joined(g, how, "sm[$tx]", "sm[$tx + s]"));
  else
    L("int at = 2 * s * $tx;\n"
      "if (at < %u) sm[#k4 at] = %s;",
      threads, joined(g, how, "sm[at]", "sm[#k4 at + s]"));
  L("$sync;\n"
    "}");
}

/* Result of a block, sm[0], into memory: its own place, or an atomic on one. */
static void deliver(gen *g) {
  if (g->type == GEN_F64 || !chance(45)) {
    WRITES("partial", "GX");
    L("if ($tx == 0) partial[#b $bx] = sm[0];");
    return;
  }
  WRITES("total", "1");
  OPEN("0.03", "if ($tx == 0)");
  ww_gen_atomic_add(g, "total", "#ab", "0", "sm[0]");
  CLOSE();
}

GEN_FAMILY(reduce) {
  gen_type t = NARROW_VALUE(60, 82);
  uint32_t threads = fixed_block(g);
  uint32_t how = pick(3);
  uint32_t nin = 1 + pick(2);
  gen_text vars[3];
  TAG("reduce");
  SHARED("sm", threads);
  PRIMARY("n", 256, 1 << 28);
  L("@T acc = @0;");
  if (chance(20))
    L("#pragma unroll %u", 2u << pick(2));
  OPEN("n/S", "for (int i = $gx; i < n; i += $sx)");
  INPUTS(t, nin, "n", "#c i", vars);
  gen_text e = chance(75) ? WORK("i", vars, nin)
               : nin == 2 ? T("%s * %s", vars[0], vars[1])
                          : vars[0];
  L("acc = %s;\n"
    "}\n"
    "sm[$tx] = acc;",
    joined(g, how, "acc", T("(%s)", e)));
  tree(g, how, threads);
  deliver(g);
}

/* Shuffles within warps; the OpenCL print takes the same steps through local memory. */
GEN_FAMILY(shuffle) {
  g->type = chance(65) ? GEN_F32 : chance(50) ? GEN_I32 : GEN_U32;
  uint32_t kind = pick(3);
  uint32_t how = pick(3);
  uint32_t threads = fixed_block(g);
  static const gen_text words[] = {"$shfl_down", "$shfl_xor", "$shfl_up"};
  static const gen_text from[] = {"$min(lane + o, 31)", "(lane ^ o)",
                                  "$max(lane - o, 0)"};
  TAG("shuffle");
  PRIMARY("n", 1, 1 << 18);
  READS("x", T("n*GX*%u", threads));
  WRITES("out", T("n*GX*%u", threads));
  SHARED("lanes", threads);
  g->decls.v[g->decls.n - 1].only = 2;
  L("int lane = $tx & 31;");
  OPENCL("int base = $tx - lane;");
  LOOP("k", "n");
  L("int i = (k * $Gx + $bx) * %u + $tx;\n"
    "@T v = x[#c i];",
    threads);
  if (chance(70))
    L("v = %s;", WORK("lane", NAMES("v")));
  OPEN("5", chance(50) || kind == 2 ? "for (int o = 1; o < 32; o <<= 1)"
                                    : "for (int o = 16; o > 0; o >>= 1)");
  gen_text other = fresh("u");
  CUDA("@T %s = %s(0xffffffffu, v, o);", other, words[kind]);
  OPENCL("$sync;\n"
         "lanes[$tx] = v;\n"
         "$sync;\n"
         "@T %s = lanes[base + %s];",
         other, from[kind]);
  L("%sv = %s;\n"
    "}",
    kind == 2 ? "if (lane >= o) " : "", joined(g, how, "v", other));
  if (chance(50))
    L("v = %s;", EXPR(NAMES("v"), 2));
  if (chance(40))
    L("out[#c i] = v;");
  else
    L("if (lane == %u) out[#b i] = v;", kind == 2 ? 31 : 0);
}

GEN_FAMILY(scan) {
  NARROW_VALUE(45, 82);
  uint32_t threads = fixed_block(g);
  uint32_t how = pick(3);
  bool doubled = chance(60), carry = chance(60);
  TAG("scan barrier");
  PRIMARY("tiles", 1, 1 << 16);
  READS("in", T("tiles*GX*%u", threads));
  WRITES("out", T("tiles*GX*%u", threads));
  SHARED("sm", doubled ? 2 * threads : threads);
  if (carry)
    L("@T carry = @0;");
  LOOP("tile", "tiles");
  L("int i = ($bx * tiles + tile) * %u + $tx;\n"
    "@T v = in[#c i];",
    threads);
  if (chance(50))
    L("v = %s;", WORK("i", NAMES("v")));
  gen_text levels = NUM(log2_of(threads));
  if (doubled) {
    L("int cur = 0;\n"
      "sm[$tx] = v;\n"
      "$sync;");
    OPEN(levels,
         "for (int o = 1; o < %u; o <<= 1)\n"
         "@T w = sm[cur + $tx];\n"
         "if ($tx >= o) w = %s;\n"
         "cur = %u - cur;\n"
         "sm[cur + $tx] = w;\n"
         "$sync;\n"
         "}\n"
         "v = sm[cur + $tx];",
         threads, joined(g, how, "sm[cur + $tx]", "sm[cur + $tx - o]"), threads);
  } else {
    L("sm[$tx] = v;");
    OPEN(levels,
         "for (int o = 1; o < %u; o <<= 1)\n"
         "$sync;\n"
         "@T w = $tx >= o ? sm[$tx - o] : @0;\n"
         "$sync;",
         threads);
    L("sm[$tx] = %s;\n"
      "}\n"
      "$sync;\n"
      "v = sm[$tx];",
      joined(g, how, "sm[$tx]", "w"));
  }
  L("out[#c i] = %s;", carry ? joined(g, how, "v", "carry") : "v");
  if (carry)
    L("carry = %s;",
      joined(g, how, "carry",
             doubled ? T("sm[cur + %u]", threads - 1) : T("sm[%u]", threads - 1)));
  L("$sync;");
}

GEN_FAMILY(histogram) {
  bool private_copy = chance(65), bytes = chance(40);
  uint32_t bins = 32u << pick(6);
  uint32_t op = pick(4);
  gen_type t = bytes ? GEN_U8 : GEN_U32;
  gen_text add = op == 0 ? "$amax" : op == 1 ? "$aor" : "$add";
  g->type = GEN_U32;
  TAG("atomic histogram");
  PRIMARY("n", 256, 1 << 28);
  gen_param *p = BUFFER("data", t, "n");
  if (chance(35))
    ww_gen_indices(p, WW_FILL_ZIPF, "0", bytes ? "256" : NUM(bins));
  OUTPUT("hist", GEN_U32, NUM(bins));
  if (private_copy) {
    SHARED("local_hist", bins);
    TAG("barrier");
    OPEN(T("%u/T", bins),
         "for (int b = $tx; b < %u; b += $dx)\n"
         "local_hist[b] = 0u;\n"
         "}\n"
         "$sync;",
         bins);
  }
  OPEN("n/S", "for (int i = $gx; i < n; i += $sx)\n"
              "$u32 v = data[#c i];");
  gen_text bin = chance(45)   ? WORK("i", NAMES("v"))
                 : chance(50) ? "v"
                              : T("(v >> @[0+6])");
  L("$u32 bin = (%s) & %uu;\n"
    "%s(&%s bin], %s);\n"
    "}",
    bin, bins - 1, add, private_copy ? "local_hist[#ak3" : "hist[#ar",
    op < 2 ? "v" : "1u");
  if (!private_copy)
    return;
  L("$sync;");
  OPEN(T("%u/T", bins),
       "for (int b = $tx; b < %u; b += $dx)\n"
       "%s%s(&hist[#ac b], local_hist[b]);",
       bins, chance(50) ? "if (local_hist[b] != 0u) " : "", add);
}

/* A tile with halo in shared memory, then a few passes over it. */
GEN_FAMILY(tile) {
  NARROW_VALUE(75, 82);
  uint32_t threads = fixed_block(g);
  uint32_t radius = 1 + pick(8);
  uint32_t span = 2 * radius;
  uint32_t width = threads + span;
  bool passes = chance(65);
  TAG("halo barrier");
  PRIMARY("tiles", 1, 1 << 17);
  READS("in", T("tiles*GX*%u+%u", threads, span));
  WRITES("out", T("tiles*GX*%u", threads));
  SHARED("sm", width);
  OPEN("tiles",
       "for (int tile = $bx; tile < tiles * $Gx; tile += $Gx)\n"
       "int base = tile * %u;",
       threads);
  OPEN(T("%u/T", width),
       "for (int k = $tx; k < %u; k += %u)\n"
       "sm[k] = in[#c base + k];\n"
       "}\n"
       "$sync;\n"
       "@T acc = @0;",
       width, threads);
  gen_text trips = passes ? ITERS() : NULL;
  if (passes)
    LOOP("p", trips);
  if (chance(50)) {
    if (chance(40))
      L("#pragma unroll");
    OPEN(NUM(span + 1), "for (int k = 0; k <= %u; k++)", span);
    if (chance(50))
      L("acc += sm[$tx + k]%s;", FLOATS ? T(" * @l") : "");
    else
      STEP("acc", NAMES("sm[$tx + k]"));
    CLOSE();
  } else {
    if (passes)
      L("int o = p %% %u;", span + 1);
    L("@T t0 = %s;", ALL(NAMES(passes ? "sm[$tx + o]" : "sm[$tx]",
                               T("sm[$tx + %u]", radius), T("sm[$tx + %u]", span)),
                         1 + pick(2)));
    STEP("acc", NAMES("t0"));
  }
  if (passes) {
    if (!FLOATS)
      L("acc = (acc >> 1) ^ p;");
    CLOSE();
  }
  L("out[#c base + $tx] = acc;\n"
    "$sync;");
}

GEN_FAMILY(transpose) {
  NARROW_VALUE(55, 82);
  uint32_t dim = chance(60) ? 32 : 16;
  uint32_t rows = dim >> pick(3);
  uint32_t pad = pick(3);
  uint32_t repeat = chance(60);
  bool naive = chance(25);
  g->shape.dims = 2;
  ww_gen_fix(g, dim, rows);
  TAG("transpose");
  GRID("width", T("GX*%u", dim));
  GRID("height", T("GY*%u", dim));
  READS("in", "width*height");
  WRITES("out", "width*height");
  if (!naive) {
    ww_gen_shared(g, g->type, "tile", T("[%u][%u]", dim, dim + (pad > 0)),
                  dim * (dim + 1));
    TAG("barrier");
  }
  L("int x = $bx * %u + $tx, y = $by * %u + $ty;", dim, dim);
  if (repeat)
    LOOP("r", ITERS());
  OPEN(NUM(dim / rows), "for (int j = 0; j < %u; j += %u)", dim, rows);
  OPEN(NULL,
       "if (x < width && y + j < height)\n"
       "@T v = in[%s (y + j) * width + x];",
       repeat ? "#h" : "#c");
  gen_text e = chance(35) ? EXPR(NAMES("v"), 2) : "v";
  if (naive)
    L("out[#pheight x * height + y + j] = %s;", e);
  else
    L("tile[$ty + j][$tx] = %s;", e);
  CLOSE();
  CLOSE();
  if (naive)
    return;
  L("$sync;\n"
    "int tx = $by * %u + $tx, ty = $bx * %u + $ty;",
    dim, dim);
  OPEN(NUM(dim / rows),
       "for (int j = 0; j < %u; j += %u)\n"
       "if (tx < height && ty + j < width) out[#c (ty + j) * height + tx] = "
       "tile[$tx][%s $ty + j];\n"
       "}",
       dim, rows, pad ? "#k1" : "#k16");
  if (repeat)
    L("$sync;");
}

/* A product through square tiles of shared memory. */
GEN_FAMILY(tilemul) {
  gen_type t = NARROW_VALUE(80, 82);
  uint32_t dim = 8u << pick(3);
  bool fuse = chance(40), unroll = chance(50);
  g->shape.dims = 2;
  ww_gen_fix(g, dim, dim);
  TAG("matmul barrier");
  GRID("m", T("GY*%u", dim));
  GRID("n", T("GX*%u", dim));
  PRIMARY("kdim", dim, 8192)->step = dim;
  READS("a", "m*kdim");
  READS("b", "kdim*n");
  WRITES("c", "m*n");
  ww_gen_shared(g, t, "as", T("[%u][%u]", dim, dim + chance(30)), dim * dim);
  ww_gen_shared(g, t, "bs", T("[%u][%u]", dim, dim), dim * dim);
  L("int row = $by * %u + $ty, col = $bx * %u + $tx;\n"
    "@T acc = @0;",
    dim, dim);
  OPEN(T("kdim/%u", dim),
       "for (int k0 = 0; k0 < kdim; k0 += %u)\n"
       "as[$ty][$tx] = row < m ? a[#c row * kdim + k0 + $tx] : @0;\n"
       "bs[$ty][$tx] = col < n ? b[#c (k0 + $ty) * n + col] : @0;\n"
       "$sync;",
       dim);
  if (unroll)
    L("#pragma unroll");
  LOOP("k", NUM(dim));
  if (chance(60))
    L("acc += as[$ty][k] * bs[k][$tx];");
  else
    STEP("acc", NAMES("as[$ty][k]", "bs[k][$tx]"));
  CLOSE();
  L("$sync;\n"
    "}");
  OPEN(NULL, "if (row < m && col < n)");
  gen_text r = fuse ? WORK("col", NAMES("acc")) : "acc";
  L("c[#c row * n + col] = %s;", r);
}

/* A table filled row by row in shared memory: each cell from three neighbours of the
 * row before. */
GEN_FAMILY(dp) {
  gen_type t = g->type = chance(70) ? GEN_I32 : GEN_F32;
  uint32_t threads = fixed_block(g);
  uint32_t kind = pick(3);
  gen_text f = t == GEN_F32 ? "f" : "";
  TAG("wavefront barrier");
  PRIMARY("rows", 1, 1 << 18);
  READS("cost", T("65536+%u", threads));
  WRITES("best", T("GX*%u", threads));
  SHARED("row", 2 * threads);
  L("int cur = 0;\n"
    "row[$tx] = cost[#c $tx];\n"
    "$sync;");
  OPEN("rows", "for (int r = 1; r <= rows; r++)");
  SERIAL();
  L("@T up = row[cur + $tx];\n"
    "@T left = row[cur + ($tx > 0 ? $tx - 1 : 0)];\n"
    "@T right = row[cur + $min((int)$tx + 1, %u)];\n"
    "@T w = cost[#h ((r * %u + $bx * 64) & 65535) + $tx];",
    threads - 1, threads);
  if (kind == 0)
    L("@T v = $%smin@f(up, $%smin@f(left, right)) + w;", f, f);
  if (kind == 1)
    L("@T v = $%smax@f(left + w, $%smax@f(up, right) - @l);", f, f);
  if (kind == 2)
    L("@T v = %s;", EXPR(NAMES("up", "left", "right", "w"), 3));
  if (chance(40))
    L(t == GEN_F32 ? "v = v * 0.5f;" : "v = v & 65535;");
  L("cur = %u - cur;\n"
    "row[cur + $tx] = v;\n"
    "$sync;\n"
    "}\n"
    "best[#c $gx] = row[cur + $tx];",
    threads);
}

/* Bitonic or odd-even sort of a block's tile in shared memory. */
GEN_FAMILY(sort) {
  g->type = chance(50) ? GEN_I32 : chance(50) ? GEN_U32 : GEN_F32;
  uint32_t threads = THREADS(64, 4);
  uint32_t log = log2_of(threads);
  bool bitonic = chance(65), payload = chance(40);
  TAG("sort barrier divergent");
  PRIMARY("tiles", 1, 1 << 15);
  READS("in", T("tiles*GX*%u", threads));
  WRITES("out", T("tiles*GX*%u", threads));
  SHARED("key", threads);
  if (payload)
    ww_gen_shared(g, GEN_I32, "val", T("[%u]", threads), threads);
  LOOP("tile", "tiles");
  L("int i = ($bx * tiles + tile) * %u + $tx;\n"
    "key[$tx] = in[#c i];",
    threads);
  if (payload)
    L("val[$tx] = i;");
  L("$sync;");
  if (bitonic) {
    OPEN(NUM(log), "for (int k = 2; k <= %u; k <<= 1)", threads);
    OPEN(NUM((log + 1) / 2), "for (int j = k >> 1; j > 0; j >>= 1)\n"
                             "int other = $tx ^ j;");
    OPEN("1", "if (other > (int)$tx && (key[$tx] > key[other]) == (($tx & k) == 0))");
  } else {
    LOOP("r", NUM(threads));
    L("int other = $tx + 1;");
    OPEN("1", "if (($tx & 1) == (r & 1) && other < %u && key[$tx] > key[other])",
         threads);
  }
  L("@T a = key[$tx];\n"
    "key[$tx] = key[other];\n"
    "key[other] = a;");
  if (payload)
    L("int b = val[$tx];\n"
      "val[$tx] = val[other];\n"
      "val[other] = b;");
  L("}\n"
    "$sync;\n"
    "}");
  if (bitonic)
    CLOSE();
  gen_text r = chance(40) ? EXPR(NAMES("key[$tx]"), 2) : "key[$tx]";
  L("out[#c i] = %s%s;\n"
    "$sync;",
    r, payload ? T(" + (@T)(val[$tx] & 7)") : "");
}
