/* generate_dense.c - productions since version 2 that use a load often: blocks of
 * registers, packed bytes, shared parameters. */
#include "generate_pen.h"

/* ---- blocks of registers ---- */

typedef struct {
  uint32_t R, C; /* outputs of a thread: R rows by C columns */
  /* what becomes of two features: product, smaller, difference, bits that differ */
  uint32_t how;
  /* registers as small arrays under #pragma unroll, else each with a name */
  bool arrays;
} block_of;

static gen_text pair(gen *g, const block_of *b, gen_text x, gen_text y) {
  static const gen_text floats[] = {"@a * @b", "$fmin@f(@a, @b)", "$fabs@f(@a - @b)"};
  static const gen_text ints[] = {"@a * @b", "$min(@a, @b)", "$abs(@a - @b)"};
  static const gen_text bits[] = {"@a * @b", "$popc(@a ^ @b)", "$popc(@a ^ @b)"};
  const gen_text *forms = FLOATS ? floats : g->type == GEN_U32 ? bits : ints;
  return FORM(forms[b->how], x, y);
}

/* Opens the loops over r and c. */
static void over_cells(gen *g, const block_of *b) {
  L("#pragma unroll");
  LOOP("r", NUM(b->R));
  L("#pragma unroll");
  LOOP("c", NUM(b->C));
}

static void clear(gen *g, const block_of *b) {
  if (b->arrays) {
    L("@T acc[#v %u][#v %u], ra[#v %u], rb[#v %u];", b->R, b->C, b->R, b->C);
    over_cells(g, b);
    L("acc[#v r][#v c] = @0;\n"
      "}\n"
      "}");
    return;
  }
  for (uint32_t r = 0; r < b->R; r++)
    for (uint32_t c = 0; c < b->C; c++)
      L("@T acc%u_%u = @0;", r, c);
}

/* All pairs of the features in ra and rb. */
static void outer(gen *g, const block_of *b, gen_text part) {
  if (b->arrays) {
    over_cells(g, b);
    L("acc[#v r][#v c] += %s;\n"
      "}\n"
      "}",
      pair(g, b, "ra[#v r]", "rb[#v c]"));
    return;
  }
  for (uint32_t r = 0; r < b->R; r++)
    for (uint32_t c = 0; c < b->C; c++)
      L("acc%u_%u += %s;", r, c,
        pair(g, b, T("ra%u%s", r, part), T("rb%u%s", c, part)));
}

/* Feature k of the set that `name` holds from its place in memory. */
static void
read_one(gen *g, const block_of *b, gen_text name, uint32_t k, gen_text at) {
  L(b->arrays ? "%s[#v %u] = %s;" : "@T %s%u = %s;", name, k, at);
}

/* Features k of the n vectors of a set: vector by vector of a thread, or a block's
 * width apart so that lanes meet neighbours. near: lanes read the same. */
static void read_set(gen *g,
                     const block_of *b,
                     gen_text set,
                     bool near,
                     gen_text index,
                     gen_text count,
                     uint32_t n,
                     bool apart) {
  for (uint32_t k = 0; k < n; k++) {
    gen_text at = apart ? T("%s[#%c k * %s * %u + %u * %s + %s]", set, near ? 'h' : 'c',
                            count, n, k, count, index)
                        : T("%s[#%s k * %s * %u + %s * %u + %u]", set,
                            near || k ? "h" : T("s%u", n), count, n, index, n, k);
    read_one(g, b, T("r%s", set), k, at);
  }
}

/* Straight from memory, feature by feature: sets lie with all vectors' k-th features
 * together. */
static void from_memory(gen *g, const block_of *b) {
  bool apart = chance(55);
  UNROLL(40);
  LOOP("k", "dim");
  read_set(g, b, "a", true, "py", "rows", b->R, apart);
  read_set(g, b, "b", false, "px", "cols", b->C, apart);
  outer(g, b, "");
  CLOSE();
}

/* Four features at a time: vectors lie one behind the other. */
static void by_fours(gen *g, const block_of *b) {
  TAG("vector");
  UNROLL(30);
  OPEN("dim/4", "for (int k = 0; k < dim / 4; k++)");
  for (uint32_t r = 0; r < b->R; r++)
    L("float4 ra%u = a[#h (py * %u + %u) * (dim / 4) + k];", r, b->R, r);
  for (uint32_t c = 0; c < b->C; c++)
    L("float4 rb%u = b[#q (px * %u + %u) * (dim / 4) + k];", c, b->C, c);
  for (uint32_t p = 0; p < 4; p++)
    outer(g, b, T(".%c", "xyzw"[p]));
  CLOSE();
}

/* Eight features of the block's n * size vectors of a set into shared memory. */
static void load_slab(gen *g,
                      gen_text set,
                      gen_text count,
                      gen_text block,
                      uint32_t n,
                      uint32_t size,
                      uint32_t threads) {
  uint32_t w = n * size;
  gen_text width = NUM(w);
  OPEN(NUM((8 * w + threads - 1) / threads),
       "for (int e = flat; e < %u; e += %u)\n"
       "%s\n"
       "}",
       8 * w, threads,
       FORM("s@a[e / @b][e % @b] = @a[#c (k0 + e / @b) * @c * @d + @e * @b + e % @b];",
            set, width, count, NUM(n), block));
}

/* Through slabs of 8 features of the block's rows and columns in shared memory. */
static void from_shared(gen *g, const block_of *b, uint32_t bx, uint32_t by) {
  uint32_t h = by * b->R;
  uint32_t w = bx * b->C;
  TAG("barrier");
  ww_gen_shared(g, g->type, "sa", T("[8][%u]", h), 8 * h);
  ww_gen_shared(g, g->type, "sb", T("[8][%u]", w), 8 * w);
  L("int flat = $ty * %u + $tx;", bx);
  OPEN("dim/8", "for (int k0 = 0; k0 < dim; k0 += 8)");
  load_slab(g, "a", "rows", "$by", b->R, by, bx * by);
  load_slab(g, "b", "cols", "$bx", b->C, bx, bx * by);
  L("$sync;");
  if (chance(50))
    L("#pragma unroll");
  LOOP("k", "8");
  for (uint32_t r = 0; r < b->R; r++)
    read_one(g, b, "ra", r, T("sa[#v k][#k1 $ty * %u + %u]", b->R, r));
  for (uint32_t c = 0; c < b->C; c++)
    read_one(g, b, "rb", c, T("sb[#v k][#k1 %u * %u + $tx]", c, bx));
  outer(g, b, "");
  L("}\n"
    "$sync;\n"
    "}");
}

/* Two sets of vectors, all with all: each thread R x C of the results, from R + C loads
 * a feature.
 */
GEN_FAMILY(window) {
  static const uint8_t shapes[][2] = {{8, 8}, {16, 8}, {16, 16}, {32, 4}, {32, 8}};
  uint32_t kind = pick(3);
  uint32_t shape = pick(5);
  uint32_t bx = shapes[shape][0];
  uint32_t by = shapes[shape][1];
  gen_type t = g->type = kind == 1    ? GEN_F32
                         : chance(70) ? (chance(88) ? GEN_F32 : GEN_F64)
                         : chance(50) ? GEN_I32
                                      : GEN_U32;
  block_of b = {.arrays = chance(45) && kind != 1};
  b.R = 2 + pick(t == GEN_F64 ? 3 : 7);
  b.C = b.R > 5 ? 2 + pick(5) : 2 + pick(7);
  b.how = chance(60) ? 0 : 1 + pick(2);
  g->shape.dims = 2;
  TAG("register-block");
  if (kind == 2)
    ww_gen_fix(g, bx, by);
  g->shape.max_threads = kind == 1 || t == GEN_F64 ? 256 : 512; /* registers */
  gen_type held = kind == 1 ? GEN_F32X4 : t;
  gen_text quarter = kind == 1 ? "/4" : "";
  ww_gen_size(g, "rows", kind == 2 ? GEN_EXPR : GEN_GRID, 0, 0, "GY*TY");
  ww_gen_size(g, "cols", kind == 2 ? GEN_EXPR : GEN_GRID, 0, 0, "GX*TX");
  PRIMARY("dim", 8, 4096)->step = 8;
  BUFFER("a", held, T("rows*%u*dim%s", b.R, quarter));
  BUFFER("b", held, T("cols*%u*dim%s", b.C, quarter));
  WRITES("score", T("rows*%u*cols*%u", b.R, b.C));
  L("int px = $gx, py = $gy;");
  if (kind < 2)
    L("if (px >= cols || py >= rows) return;");
  clear(g, &b);
  if (kind == 0)
    from_memory(g, &b);
  if (kind == 1)
    by_fours(g, &b);
  if (kind == 2)
    from_shared(g, &b, bx, by);
  bool bent = chance(45);
  uint64_t rng = g->rng;
  for (uint32_t r = 0; r < b.R; r++)
    for (uint32_t c = 0; c < b.C; c++) {
      gen_text v = b.arrays ? T("acc[#v %u][#v %u]", r, c) : T("acc%u_%u", r, c);
      g->rng = rng; /* each output the same way */
      if (bent)
        v = BEND(v);
      L("score[#c (py * %u + %u) * cols * %u + %u * cols + px] = %s;", b.R, r, b.C, c,
        v);
    }
}

/* ---- packed bytes ---- */

/* Byte or half-word k of a packed word as an int. */
static gen_text unpack(gen *g, gen_text w, uint32_t bits, bool is_signed, uint32_t k) {
  if (is_signed)
    return T("((int)(%s << %u) >> %u)", w, 32 - bits * (k + 1), 32 - bits);
  return T("(int)((%s >> %u) & %uu)", w, bits * k, (1u << bits) - 1);
}

/* Each part of a word through a saturating step, and packed again. */
static void by_parts(gen *g, uint32_t bits, bool is_signed, gen_text acc, gen_text w) {
  static const gen_text forms[] = {"@a + @b", "(@a + @b + 1) >> 1",
                                   "((@a * @b) >> @c) + @d", "@a - $abs(@a - @b)"};
  uint32_t n = 32 / bits;
  uint32_t top = is_signed ? (1u << (bits - 1)) - 1 : (1u << bits) - 1;
  uint32_t kind = pick(4);
  gen_text low = is_signed ? T("-%u", top + 1) : "0";
  gen_text packed = "";
  gen_text p = fresh("b");
  for (uint32_t k = 0; k < n; k++) {
    gen_text a = unpack(g, acc, bits, is_signed, k);
    gen_text b = unpack(g, w, bits, is_signed, k);
    gen_text e = FORM(forms[kind], a, b, NUM(bits - 1), NUM(k));
    L("int %s_%u = $min($max(%s, %s), %u);", p, k, e, low, top);
    packed = T("%s%s(($u32)(%s_%u & %u) << %u)", packed, k ? " | " : "", p, k,
               (1u << bits) - 1, bits * k);
  }
  L("%s = %s;", acc, packed);
}

/* All parts at once in the word. */
static const gen_text at_once[] = {
    "@a = (((@a ^ @b) & 0xfefefefeu) >> 1) + (@a & @b);",
    "@a = ((@a & 0x7f7f7f7fu) + (@b & 0x7f7f7f7fu)) ^ ((@a ^ @b) & 0x80808080u);",
    "@a = (@a & 0x00ff00ffu) * 3u + ((@b >> 8) & 0x00ff00ffu);",
    "@a = (@a >> 3) + ((@b & 0x0f0f0f0fu) << 4);"};

/* A product-sum of four bytes each. */
static void dot(gen *g, gen_text sum, gen_text a, gen_text b) {
  gen_text e = sum;
  TAG("dot4");
  for (uint32_t k = 0; k < 4; k++) {
    gen_text x = unpack(g, a, 8, true, k);
    gen_text y = unpack(g, b, 8, true, k);
    e = T("%s + %s * %s", e, x, y);
  }
  if (chance(60)) {
    CUDA("%s = $dp4a((int)%s, (int)%s, %s);", sum, a, b, sum);
    OPENCL("%s = %s;", sum, e);
  } else
    L("%s = %s;", sum, e);
}

/* Bytes and half-words, four or two in a word: unpacked, saturated, packed again, or
 * multiplied in place. */
GEN_FAMILY(lowbits) {
  uint32_t bits = chance(70) ? 8 : 16;
  uint32_t kind = pick(3);
  uint32_t lanes = 1 + pick(3);
  bool is_signed = chance(50), two = kind == 2 || chance(60), row = chance(50);
  gen_text i = OPEN_1D("n");
  gen_text trips = ITERS();
  gen_text w = "w";
  g->type = GEN_U32;
  TAG("packed loop");
  BUFFER("words", GEN_U32, row ? "n+65536" : "n");
  if (two)
    BUFFER("others", GEN_U32, "4096");
  L("$u32 p = words[#c %s];", i);
  for (uint32_t k = 0; k < lanes; k++)
    L("%s a%u = %s;", kind == 2 ? "int" : "$u32", k,
      k           ? T("%uu", k * 257)
      : kind == 2 ? "0"
                  : "p");
  UNROLL(25);
  LOOP("k", trips);
  if (row)
    L("$u32 w = words[#h (%s + k * %u) & 65535];", i, 33 + 2 * pick(100));
  else
    L(two ? "$u32 w = others[#h k & 4095];" : "$u32 w = p + ($u32)k * 0x01030507u;");
  if (two && row)
    L("$u32 o = others[#h k & 4095];");
  for (uint32_t k = 0; k < lanes; k++) {
    gen_text acc = T("a%u", k);
    gen_text other = two && row ? "o" : "p";
    if (k)
      w = T("(w >> %u)", k);
    if (kind == 0)
      by_parts(g, bits, is_signed, acc, w);
    if (kind == 1)
      LINE(at_once[pick(4)], acc, w);
    if (kind == 2)
      dot(g, acc, w, other);
  }
  if (kind == 1)
    L("a0 ^= w;");
  CLOSE();
  gen_text sum = "($u32)a0";
  for (uint32_t k = 1; k < lanes; k++)
    sum = T("%s + ($u32)a%u", sum, k);
  bool narrow = chance(30);
  OUTPUT("out", narrow ? GEN_U8 : GEN_U32, "n");
  L(narrow ? "out[#c %s] = ($u8)((%s) >> 3);" : "out[#c %s] = %s;", i, sum);
}

/* ---- parameters that all lanes read ---- */

/* One parameter after the other, on elements that stay in registers: a polynomial, a
 * count of thresholds, or any step. */
static void apply(gen *g, uint32_t width, const gen_text *acc) {
  gen_text vars[] = {"v", "p", "s"};
  uint32_t how = pick(3);
  bool two = chance(40); /* a second parameter of the same tap */
  if (two)
    READS("scales", "rows*taps");
  UNROLL(35);
  LOOP("q", "taps");
  L("@T p = params[#h row * taps + q];");
  if (two)
    L("@T s = scales[#h row * taps + q];");
  gen_text by = two ? "s" : FLOATS ? T("0.25@f") : "3";
  for (uint32_t w = 0; w < width; w++) {
    vars[0] = T("v%u", w);
    if (how == 0 && FLOATS)
      L("%s = %s * v%u * 0.5@f + p * %s;", acc[w], acc[w], w, by);
    else if (how == 1)
      L("%s += v%u > p ? %s : %s;", acc[w], w, by, w & 1 ? "p" : T("@0"));
    else
      STEP(acc[w], vars, 2 + two);
  }
  CLOSE();
}

/* A block or a warp has a row of parameters: every lane reads the same one while
 * elements lie side by side. */
GEN_FAMILY(bcast) {
  VALUE(75);
  uint32_t width = 1u << pick(3);
  bool warps = chance(40);
  gen_text acc[4];
  gen_text lanes = warps ? "32" : "$dx";
  TAG("broadcast rows");
  if (width > 1)
    TAG("ilp");
  DRAW("rows", 16, 4096)->most = 1 << 17;
  PRIMARY("cols", 32, 1 << 17);
  DRAW("taps", 2, 64)->most = 1 << 15;
  READS("params", "rows*taps");
  READS("data", T("rows*cols+%u", width * 1024));
  WRITES("out", T("rows*cols+%u", width * 1024));
  if (warps)
    OPEN("rows*32/S", "for (int row = ($gx) / 32; row < rows; row += ($sx) / 32)");
  else
    OPEN("rows/G", "for (int row = $bx; row < rows; row += $Gx)");
  OPEN(T(warps ? "cols/%u" : "cols/(T*%u)", warps ? 32 * width : width),
       "for (int c = %s; c < cols; c += %u * %s)", warps ? "$tx & 31" : "$tx", width,
       lanes);
  for (uint32_t w = 0; w < width; w++) {
    acc[w] = T("a%u", w);
    L("@T a%u = @0;\n"
      "@T v%u = data[#c row * cols + c + %u * %s];",
      w, w, w, lanes);
  }
  apply(g, width, acc);
  if (chance(50)) {
    uint64_t rng = g->rng;
    for (uint32_t w = 0; w < width; w++) {
      g->rng = rng; /* each column the same way */
      L("a%u = %s;", w, BEND(acc[w]));
    }
  }
  for (uint32_t w = 0; w < width; w++)
    L("if (c + %u * %s < cols) out[#c row * cols + c + %u * %s] = a%u;", w, lanes, w,
      lanes, w);
}
