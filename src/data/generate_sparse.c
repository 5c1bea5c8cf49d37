/* generate_sparse.c - productions where data leads: sparse rows, pointer chasing,
 * searches, tables, dynamically indexed local arrays. */
#include "generate_pen.h"

/* Rows of a sparse matrix or neighbours of a node: one thread, or a few lanes, per row.
 */
GEN_FAMILY(csr) {
  gen_type t = NARROW_VALUE(65, 80);
  bool weights = chance(65), lanes = chance(40);
  uint32_t width = 4u << pick(4);
  TAG("indirect csr data-loop");
  PRIMARY("rows", 64, 1 << 24);
  DRAW("degree", 2, 64)->most = 2048;
  FOLLOWS("nnz", "rows*degree");
  ww_gen_indices(BUFFER("row_ptr", GEN_I32, "rows+1"), WW_FILL_MONOTONE, "0", "nnz");
  ww_fill_kind skew = chance(70) ? WW_FILL_UNIFORM : WW_FILL_ZIPF;
  ww_gen_indices(BUFFER("col_idx", GEN_I32, "nnz"), skew, "0", "rows");
  if (weights)
    READS("vals", "nnz");
  READS("x", "rows");
  WRITES("y", lanes ? T("rows*%u", width) : "rows");
  if (lanes) {
    L("int lane = $tx %% %u;", width);
    OPEN(T("rows*%u/S", width),
         "for (int row = ($gx) / %u; row < rows; row += ($sx) / %u)", width, width);
  } else
    OPEN("rows/S", "for (int row = $gx; row < rows; row += $sx)");
  L("int begin = row_ptr[%s row], end = row_ptr[#h row + 1];\n"
    "@T acc = @0;",
    lanes ? "#b" : "#c");
  gen_text weight = lanes ? T("degree/%u+0.5", width) : "degree*1.3";
  OPEN(weight,
       lanes ? "for (int e = begin + lane; e < end; e += %u)"
             : "for (int e = begin; e < end; e++)",
       width);
  L("int j = col_idx[%s e];\n"
    "@T v = x[#dr j];",
    lanes ? "#c" : "#q");
  gen_text vars[] = {"v", "w"};
  if (weights)
    L("@T w = vals[%s e];", lanes ? "#c" : "#q");
  if (weights && chance(60))
    L("acc += w * v;");
  else
    STEP("acc", vars, weights ? 2 : 1);
  CLOSE();
  if (!lanes) {
    L("y[#c row] = %s;", PERHAPS_WORK(60, "row", "acc"));
  } else if (t == GEN_I32 || t == GEN_U32) {
    TAG("atomic");
    L("$add(&y[#ac row], acc);");
  } else
    L("y[#c row * %u + lane] = acc;",
      width); /* partial sums: a later kernel adds them */
}

GEN_FAMILY(chase) {
  uint32_t chains = chance(60) ? 1 : 2 + pick(3);
  bool payload = chance(50);
  g->type = payload ? NARROW_VALUE(65, 80) : GEN_I32;
  gen_text i = OPEN_1D("starts");
  TAG("pointer-chase indirect");
  DRAW("nodes", 256, 1 << 24);
  gen_text trips = ITERS();
  PERMUTATION("next", "nodes");
  if (payload)
    READS("weight", "nodes");
  for (uint32_t c = 0; c < chains; c++)
    L("int p%u = (int)((%s + %u) %% nodes);", c, i, c * 977);
  L("@T acc = @0;");
  LOOP("k", trips);
  SERIAL();
  for (uint32_t c = 0; c < chains; c++)
    L("p%u = next[%s p%u];", c, c ? "#r" : "#dr", c);
  for (uint32_t c = 0; c < chains; c++) {
    gen_text v = T("p%u", c);
    if (payload) {
      L("@T w%u = weight[#r p%u];", c, c);
      v = T("w%u", c);
    }
    STEP("acc", NAMES(v));
  }
  if (chance(30))
    L("if (p0 == @[0+200]) acc += 1;");
  CLOSE();
  WRITES("out", "starts");
  L("out[#c %s] = acc + (@T)p0;", i);
}

GEN_FAMILY(search) {
  gen_type t = g->type = chance(50) ? GEN_I32 : chance(60) ? GEN_F32 : GEN_U32;
  bool branchless = chance(40);
  gen_text i = OPEN_1D("queries");
  TAG("search data-branch");
  DRAW("n", 256, 1 << 24);
  FOLLOWS("levels", "24");
  ww_gen_indices(READS("sorted", "n"), WW_FILL_MONOTONE, "0",
                 t == GEN_F32 ? "1" : "1000000");
  gen_param *q = READS("keys", "queries");
  if (t != GEN_F32)
    ww_gen_indices(q, WW_FILL_UNIFORM, "0", "1000000");
  L("@T key = keys[#c %s];\n"
    "int lo = 0, hi = n;",
    i);
  if (branchless) {
    OPEN("20", "for (int s = 0; s < levels; s++)");
    SERIAL();
    L("int mid = (lo + hi) >> 1;\n"
      "bool less = mid < n && sorted[#dr $min(mid, n - 1)] < key;\n"
      "lo = less && lo < hi ? mid + 1 : lo;\n"
      "hi = less ? hi : mid;");
  } else {
    OPEN("16", "while (lo < hi)");
    SERIAL();
    L("int mid = lo + (hi - lo) / 2;");
    OPEN("1", "if (sorted[#dr mid] < key)\n"
              "lo = mid + 1;");
    ELSE("1");
    L("hi = mid;\n"
      "}");
  }
  CLOSE();
  if (chance(50)) {
    gen_text vars[] = {LET("v", "sorted[#r $min(lo, n - 1)]"), "key"};
    gen_text r = WORK(i, vars, 2);
    RESULT("queries", i, r);
  } else {
    OUTPUT("pos", GEN_I32, "queries");
    L("pos[#c %s] = lo;", i);
  }
}

/* An array of the thread's own, indexed by data, so that it lives in local memory. */
GEN_FAMILY(local) {
  NARROW_VALUE(65, 80);
  uint32_t size = 8u << pick(4);
  uint32_t kind = pick(3);
  gen_text i = OPEN_1D("n");
  gen_text trips = ITERS();
  TAG("local-array");
  READS("x", "n");
  BUFFER("codes", GEN_U8, "n+256");
  L("@T buf[%u];", size);
  gen_text v = LET("v", "x[#c %s]", i);
  LOOP("k", NUM(size));
  L(FLOATS ? "buf[k] = %s * (@T)k;" : "buf[k] = %s + (@T)k;", v);
  CLOSE();
  LOOP("k", trips);
  L("int s = (codes[#h %s + (k & 255)] + k) & %u;", i, size - 1);
  if (kind == 0) {
    L("buf[s] += %s;", ALL(NAMES(v), 1));
    L(FLOATS ? "buf[s] = buf[s] * 0.5@f + %s;" : "buf[s] = (buf[s] >> 1) + %s;", v);
  } else if (kind == 1) {
    L("@T tmp = buf[s];\n"
      "buf[s] = buf[k & %u];\n"
      "buf[k & %u] = tmp;",
      size - 1, size - 1);
    STEP(v, NAMES("tmp"));
  } else {
    L(FLOATS ? "buf[s] += %s;" : "buf[s] ^= %s;", v);
    STEP(v, NAMES(T("buf[(s + %u) & %u]", 1 + pick(size - 1), size - 1)));
  }
  CLOSE();
  L("@T sum = @0;");
  LOOP("k", NUM(size));
  L("sum += buf[k];\n"
    "}");
  WRITES("out", "n");
  L("out[#c %s] = sum + %s;", i, v);
}

/* A table of constants: constant memory, shared memory filled from it, or global
 * memory. */
GEN_FAMILY(table) {
  NARROW_VALUE(65, 80);
  uint32_t size = 16u << pick(4);
  uint32_t where = pick(3);
  gen_text tab = T("%s_lut", g->name);
  gen_text values = "";
  TAG("table");
  if (where < 2) {
    for (uint32_t k = 0; k < size && k < 32; k++)
      values = T("%s%s%s", values, k ? ", " : "", FLOATS ? LITERAL() : T("@[0+256]"));
    ww_push(g->a, &g->outside,
            (gen_line){.text = T("$constant @T %s[%u] = {%s};", tab, size, values)});
  } else
    READS("lut", NUM(size));
  if (where == 1) {
    SHARED("lut", size);
    OPEN(T("%u/T", size),
         "for (int k = $tx; k < %u; k += $dx)\n"
         "lut[k] = %s[k];\n"
         "}\n"
         "$sync;",
         size, tab);
    TAG("barrier");
  }
  gen_text name = where ? "lut" : tab;
  /* no early return behind a barrier is needed: the barrier stands before */
  gen_text i = OPEN_1D("n");
  gen_text acc = fresh("acc");
  gen_text trips = chance(70) ? ITERS() : NULL;
  BUFFER("codes", chance(60) ? GEN_U8 : GEN_U32, "n");
  WRITES("out", "n");
  L("$u32 code = codes[#c %s];\n"
    "@T %s = @0;",
    i, acc);
  if (trips)
    LOOP("k", trips);
  gen_text spread = chance(50) ? "code" : T("(code >> @[1+5])");
  gen_text v =
      LET("v", "%s[%s %s & %uu]", name, where == 2 ? "#dh" : "#k3", spread, size - 1);
  STEP(acc, NAMES(v));
  uint32_t plus = 1 + 2 * pick(100);
  L("code = code * %uu + %uu;", 5 + 4 * pick(20), plus);
  if (trips)
    CLOSE();
  L("out[#c %s] = %s;", i, acc);
}

/* All against all, straight from global memory: every thread reads the same element. */
GEN_FAMILY(pairwise) {
  g->type = chance(80) ? GEN_F32 : chance(50) ? GEN_F64 : GEN_I32;
  uint32_t dims = 1 + pick(3);
  gen_text i = OPEN_1D("n");
  gen_text d2 = NULL;
  static const gen_text axis[] = {"px", "py", "pz"};
  TAG("broadcast pairwise");
  DRAW("m", 16, 2048)->most = 1 << 18;
  for (uint32_t d = 0; d < dims; d++)
    READS(axis[d], "n+m");
  WRITES("force", "n");
  for (uint32_t d = 0; d < dims; d++)
    L("@T %c0 = %s[#c %s];", "xyz"[d], axis[d], i);
  L("@T acc = @0;");
  UNROLL(30);
  LOOP("j", "m");
  for (uint32_t d = 0; d < dims; d++)
    L("@T d%c = %s[#h j] - %c0;", "xyz"[d], axis[d], "xyz"[d]);
  for (uint32_t d = 0; d < dims; d++)
    d2 = d ? T("%s + d%c * d%c", d2, "xyz"[d], "xyz"[d]) : "dx * dx";
  L("@T d2 = %s;", d2);
  bool cut = chance(35);
  if (cut)
    OPEN("1", FLOATS ? "if (d2 < @l)" : "if ((d2 & @l) != 0)");
  if (FLOATS && chance(60)) {
    L("@T inv = $rsqrt@f(d2 + 0.01@f);");
    if (chance(50))
      L("acc += dx * inv * inv * inv;");
    else
      STEP("acc", NAMES("inv", "d2", "dx"));
  } else
    STEP("acc", NAMES("d2", "dx"));
  if (cut)
    CLOSE();
  CLOSE();
  L("force[#c %s] = acc;", i);
}

/* A window whose length is an argument, weights read by every thread alike. */
GEN_FAMILY(filter) {
  gen_type in = chance(30) ? GEN_U8 : chance(70) ? GEN_F32 : GEN_I16;
  gen_type t = ww_gen_compute(in);
  gen_text i = OPEN_1D("n");
  gen_text v = fresh("v");
  bool dilated = chance(40);
  uint32_t by = dilated ? 2 + pick(31) : 1;
  g->type = t;
  TAG("window");
  DRAW("taps", 4, 256)->most = 1 << 16;
  BUFFER("signal", in, T("n+taps*%u", by));
  READS("coef", "taps");
  WRITES("out", "n");
  gen_text acc = LET("acc", "@0");
  UNROLL(40);
  LOOP("k", "taps");
  L("@T %s = signal[#h %s + k * %u];\n"
    "@T w = coef[#h k];",
    v, i, by);
  if (chance(50))
    L("%s += %s * w;", acc, v);
  else
    STEP(acc, NAMES(v, "w"));
  CLOSE();
  gen_text out[] = {acc};
  L("out[#c %s] = %s;", i, chance(40) ? WORK(i, out, 1) : acc);
}
