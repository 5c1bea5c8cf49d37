/* generate_sparse.c - productions where data leads: sparse rows, pointer chasing, searches, tables,
 * dynamically indexed local arrays. */
#include "generate_pen.h"

static gen_type value_type(gen *g) {
  gen_type t = chance(65) ? (chance(80) ? GEN_F32 : GEN_F64) : chance(50) ? GEN_I32 : GEN_U32;
  g->type = (uint8_t)t;
  return t;
}

static const char *zero(gen_type t) {
  return t == GEN_F32 ? "0.0f" : t == GEN_F64 ? "0.0" : t == GEN_U32 ? "0u" : "0";
}

/* Rows of a sparse matrix or neighbours of a node: one thread, or a few lanes, per row. */
GEN_FAMILY(csr) {
  gen_type t = value_type(g);
  bool weights = chance(65), lanes = chance(40);
  uint32_t width = 4u << pick(4);
  TAG("indirect");
  TAG("csr");
  TAG("data-loop");
  ww_gen_size(g, "rows", GEN_PRIMARY, 64, 1 << 24, NULL);
  ww_gen_size(g, "degree", GEN_DRAW, 2, 64, NULL)->most = 2048;
  ww_gen_size(g, "nnz", GEN_EXPR, 0, 0, "rows*degree");
  ww_gen_indices(ww_gen_buffer(g, "row_ptr", GEN_I32, "rows+1"), WW_FILL_MONOTONE, "0", "nnz");
  ww_fill_kind skew = chance(70) ? WW_FILL_UNIFORM : WW_FILL_ZIPF;
  ww_gen_indices(ww_gen_buffer(g, "col_idx", GEN_I32, "nnz"), skew, "0", "rows");
  if (weights)
    ww_gen_buffer(g, "vals", t, "nnz");
  ww_gen_buffer(g, "x", t, "rows");
  ww_gen_output(g, "y", t, lanes ? T("rows*%u", width) : "rows");
  if (lanes) {
    L("int lane = $tx %% %u;", width);
    OPEN(T("rows*%u/S", width), "for (int row = ($gx) / %u; row < rows; row += ($sx) / %u)", width,
         width);
  } else
    OPEN("rows/S", "for (int row = $gx; row < rows; row += $sx)");
  L("int begin = row_ptr[%s row], end = row_ptr[#h row + 1];", lanes ? "#b" : "#c");
  L("%s acc = %s;", NAME(t), zero(t));
  const char *weight = lanes ? T("degree/%u+0.5", width) : "degree*1.3";
  OPEN(weight,
       lanes ? "for (int e = begin + lane; e < end; e += %u)" : "for (int e = begin; e < end; e++)",
       width);
  L("int j = col_idx[%s e];", lanes ? "#c" : "#q");
  L("%s v = x[#dr j];", NAME(t));
  const char *vars[] = {"v", "w"};
  if (weights)
    L("%s w = vals[%s e];", NAME(t), lanes ? "#c" : "#q");
  if (weights && chance(60))
    L("acc += w * v;");
  else
    ww_gen_step(g, t, "acc", vars, weights ? 2 : 1);
  CLOSE();
  if (!lanes) {
    const char *out[] = {"acc"};
    L("y[#c row] = %s;", chance(60) ? ww_gen_work(g, t, "row", out, 1) : "acc");
  } else if (t == GEN_I32 || t == GEN_U32) {
    TAG("atomic");
    L("$add(&y[#ac row], acc);");
  } else
    L("y[#c row * %u + lane] = acc;", width); /* partial sums: a later kernel adds them */
}

GEN_FAMILY(chase) {
  uint32_t chains = chance(60) ? 1 : 2 + pick(3);
  bool payload = chance(50);
  gen_type t = payload ? value_type(g) : GEN_I32;
  const char *trips, *i = ww_gen_open_1d(g, "starts");
  g->type = (uint8_t)t;
  TAG("pointer-chase");
  TAG("indirect");
  ww_gen_size(g, "nodes", GEN_DRAW, 256, 1 << 24, NULL);
  trips = ww_gen_iters(g);
  ww_gen_indices(ww_gen_buffer(g, "next", GEN_I32, "nodes"), WW_FILL_PERMUTATION, NULL, NULL);
  if (payload)
    ww_gen_buffer(g, "weight", t, "nodes");
  for (uint32_t c = 0; c < chains; c++)
    L("int p%u = (int)((%s + %u) %% nodes);", c, i, c * 977);
  L("%s acc = %s;", NAME(t), zero(t));
  OPEN(trips, "for (int k = 0; k < %s; k++)", trips);
  ww_gen_serial(g);
  for (uint32_t c = 0; c < chains; c++)
    L("p%u = next[%s p%u];", c, c ? "#r" : "#dr", c);
  for (uint32_t c = 0; c < chains; c++) {
    const char *v = T("p%u", c);
    if (payload) {
      L("%s w%u = weight[%s p%u];", NAME(t), c, c ? "#r" : "#r", c);
      v = T("w%u", c);
    }
    const char *vars[] = {v};
    ww_gen_step(g, t, "acc", vars, 1);
  }
  if (chance(30))
    L("if (p0 == %u) acc += 1;", pick(200));
  CLOSE();
  ww_gen_output(g, "out", t, "starts");
  L("out[#c %s] = acc + (%s)p0;", i, NAME(t));
}

GEN_FAMILY(search) {
  gen_type t = chance(50) ? GEN_I32 : chance(60) ? GEN_F32 : GEN_U32;
  bool branchless = chance(40);
  const char *i = ww_gen_open_1d(g, "queries");
  g->type = (uint8_t)t;
  TAG("search");
  TAG("data-branch");
  ww_gen_size(g, "n", GEN_DRAW, 256, 1 << 24, NULL);
  ww_gen_size(g, "levels", GEN_EXPR, 0, 0, "24");
  ww_gen_indices(ww_gen_buffer(g, "sorted", t, "n"), WW_FILL_MONOTONE, "0",
                 t == GEN_F32 ? "1" : "1000000");
  gen_param *q = ww_gen_buffer(g, "keys", t, "queries");
  if (t != GEN_F32)
    ww_gen_indices(q, WW_FILL_UNIFORM, "0", "1000000");
  L("%s key = keys[#c %s];", NAME(t), i);
  L("int lo = 0, hi = n;");
  if (branchless) {
    OPEN("20", "for (int s = 0; s < levels; s++)");
    ww_gen_serial(g);
    L("int mid = (lo + hi) >> 1;");
    L("bool less = mid < n && sorted[#dr $min(mid, n - 1)] < key;");
    L("lo = less && lo < hi ? mid + 1 : lo;");
    L("hi = less ? hi : mid;");
  } else {
    OPEN("16", "while (lo < hi)");
    ww_gen_serial(g);
    L("int mid = lo + (hi - lo) / 2;");
    OPEN("1", "if (sorted[#dr mid] < key)");
    L("lo = mid + 1;");
    ww_gen_else(g, "1");
    L("hi = mid;");
    CLOSE();
  }
  CLOSE();
  if (chance(50)) {
    const char *found = fresh("v"), *vars[] = {found, "key"};
    L("%s %s = sorted[#r $min(lo, n - 1)];", NAME(t), found);
    const char *r = ww_gen_work(g, t, i, vars, 2);
    ww_gen_output(g, "out", t, "queries");
    L("out[#c %s] = %s;", i, r);
  } else {
    ww_gen_output(g, "pos", GEN_I32, "queries");
    L("pos[#c %s] = lo;", i);
  }
}

/* An array of the thread's own, indexed by data, so that it lives in local memory. */
GEN_FAMILY(local) {
  gen_type t = value_type(g);
  uint32_t size = 8u << pick(4), kind = pick(3);
  const char *i = ww_gen_open_1d(g, "n"), *v = fresh("v"), *trips = ww_gen_iters(g);
  TAG("local-array");
  ww_gen_buffer(g, "x", t, "n");
  ww_gen_buffer(g, "codes", GEN_U8, "n+256");
  L("%s buf[%u];", NAME(t), size);
  L("%s %s = x[#c %s];", NAME(t), v, i);
  OPEN(T("%u", size), "for (int k = 0; k < %u; k++)", size);
  L(ww_gen_is_float(t) ? "buf[k] = %s * (%s)k;" : "buf[k] = %s + (%s)k;", v, NAME(t));
  CLOSE();
  OPEN(trips, "for (int k = 0; k < %s; k++)", trips);
  L("int s = (codes[#h %s + (k & 255)] + k) & %u;", i, size - 1);
  const char *vars[] = {v};
  if (kind == 0) {
    L("buf[s] += %s;", ww_gen_all(g, t, vars, 1, 1));
    L(ww_gen_is_float(t) ? "buf[s] = buf[s] * %s + %s;" : "buf[s] = (buf[s] >> 1) + %.0s%s;",
      ww_gen_is_float(t) ? t == GEN_F32 ? "0.5f" : "0.5" : "", v);
  } else if (kind == 1) {
    L("%s tmp = buf[s];", NAME(t));
    L("buf[s] = buf[k & %u];", size - 1);
    L("buf[k & %u] = tmp;", size - 1);
    const char *more[] = {"tmp"};
    ww_gen_step(g, t, v, more, 1);
  } else {
    L(ww_gen_is_float(t) ? "buf[s] += %s;" : "buf[s] ^= %s;", v);
    const char *more[] = {T("buf[(s + %u) & %u]", 1 + pick(size - 1), size - 1)};
    ww_gen_step(g, t, v, more, 1);
  }
  CLOSE();
  L("%s sum = %s;", NAME(t), zero(t));
  OPEN(T("%u", size), "for (int k = 0; k < %u; k++)", size);
  L("sum += buf[k];");
  CLOSE();
  ww_gen_output(g, "out", t, "n");
  L("out[#c %s] = sum + %s;", i, v);
}

/* A table of constants: constant memory, shared memory filled from it, or global memory. */
GEN_FAMILY(table) {
  gen_type t = value_type(g);
  uint32_t size = 16u << pick(4), where = pick(3);
  const char *tab = T("%s_lut", g->name), *values = "";
  TAG("table");
  if (where < 2) {
    for (uint32_t k = 0; k < size && k < 32; k++)
      values = T("%s%s%s", values, k ? ", " : "",
                 ww_gen_is_float(t) ? ww_gen_literal(g, t) : T("%u", pick(256)));
    ww_gen_outside(g, "$constant %s %s[%u] = {%s};", NAME(t), tab, size, values);
  } else
    ww_gen_buffer(g, "lut", t, T("%u", size));
  if (where == 1) {
    ww_gen_shared(g, t, "lut", T("[%u]", size), size);
    OPEN(T("%u/T", size), "for (int k = $tx; k < %u; k += $dx)", size);
    L("lut[k] = %s[k];", tab);
    CLOSE();
    L("$sync;");
    TAG("barrier");
  }
  const char *name = where ? "lut" : tab;
  /* no early return behind a barrier is needed: the barrier stands before */
  const char *i = ww_gen_open_1d(g, "n"), *acc = fresh("acc"),
             *trips = chance(70) ? ww_gen_iters(g) : NULL;
  gen_type codes = chance(60) ? GEN_U8 : GEN_U32;
  ww_gen_buffer(g, "codes", codes, "n");
  ww_gen_output(g, "out", t, "n");
  L("$u32 code = codes[#c %s];", i);
  L("%s %s = %s;", NAME(t), acc, zero(t));
  if (trips)
    OPEN(trips, "for (int k = 0; k < %s; k++)", trips);
  const char *v = fresh("v");
  const char *spread = chance(50) ? "code" : T("(code >> %u)", 1 + pick(5));
  L("%s %s = %s[%s %s & %uu];", NAME(t), v, name, where == 2 ? "#dh" : "#k3", spread, size - 1);
  const char *vars[] = {v};
  ww_gen_step(g, t, acc, vars, 1);
  uint32_t plus = 1 + 2 * pick(100);
  L("code = code * %uu + %uu;", 5 + 4 * pick(20), plus);
  if (trips)
    CLOSE();
  L("out[#c %s] = %s;", i, acc);
}

/* All against all, straight from global memory: every thread reads the same element. */
GEN_FAMILY(pairwise) {
  gen_type t = chance(80) ? GEN_F32 : chance(50) ? GEN_F64 : GEN_I32;
  uint32_t dims = 1 + pick(3);
  const char *f = t == GEN_F32 ? "f" : "", *i = ww_gen_open_1d(g, "n"), *d2 = zero(t);
  static const char *const axis[] = {"px", "py", "pz"};
  g->type = (uint8_t)t;
  TAG("broadcast");
  TAG("pairwise");
  ww_gen_size(g, "m", GEN_DRAW, 16, 2048, NULL)->most = 1 << 18;
  for (uint32_t d = 0; d < dims; d++)
    ww_gen_buffer(g, axis[d], t, "n+m");
  ww_gen_output(g, "force", t, "n");
  for (uint32_t d = 0; d < dims; d++)
    L("%s %c0 = %s[#c %s];", NAME(t), "xyz"[d], axis[d], i);
  L("%s acc = %s;", NAME(t), zero(t));
  if (chance(30))
    L("#pragma unroll %u", 2u << pick(3));
  OPEN("m", "for (int j = 0; j < m; j++)");
  for (uint32_t d = 0; d < dims; d++)
    L("%s d%c = %s[#h j] - %c0;", NAME(t), "xyz"[d], axis[d], "xyz"[d]);
  for (uint32_t d = 0; d < dims; d++)
    d2 = d ? T("%s + d%c * d%c", d2, "xyz"[d], "xyz"[d]) : "dx * dx";
  L("%s d2 = %s;", NAME(t), d2);
  const char *vars[] = {"d2", "dx"};
  bool cut = chance(35);
  if (cut)
    OPEN("1", ww_gen_is_float(t) ? "if (d2 < %s)" : "if ((d2 & %s) != 0)", ww_gen_literal(g, t));
  if (ww_gen_is_float(t) && chance(60)) {
    L("%s inv = $rsqrt%s(d2 + 0.01%s);", NAME(t), f, f);
    const char *more[] = {"inv", "d2", "dx"};
    if (chance(50))
      L("acc += dx * inv * inv * inv;");
    else
      ww_gen_step(g, t, "acc", more, 3);
  } else
    ww_gen_step(g, t, "acc", vars, 2);
  ww_gen_close_all(g, g->depth - (cut ? 2u : 1u));
  L("force[#c %s] = acc;", i);
}

/* A window whose length is an argument, weights read by every thread alike. */
GEN_FAMILY(filter) {
  gen_type in = chance(30) ? GEN_U8 : chance(70) ? GEN_F32 : GEN_I16, t = ww_gen_compute(in);
  const char *i = ww_gen_open_1d(g, "n"), *v = fresh("v"), *acc = fresh("acc");
  bool dilated = chance(40);
  uint32_t by = dilated ? 2 + pick(31) : 1;
  g->type = (uint8_t)t;
  TAG("window");
  ww_gen_size(g, "taps", GEN_DRAW, 4, 256, NULL)->most = 1 << 16;
  ww_gen_buffer(g, "signal", in, T("n+taps*%u", by));
  ww_gen_buffer(g, "coef", t, "taps");
  ww_gen_output(g, "out", t, "n");
  L("%s %s = %s;", NAME(t), acc, zero(t));
  if (chance(40))
    L("#pragma unroll %u", 2u << pick(3));
  OPEN("taps", "for (int k = 0; k < taps; k++)");
  L("%s %s = signal[#h %s + k * %u];", NAME(t), v, i, by);
  L("%s w = coef[#h k];", NAME(t));
  const char *vars[] = {v, "w"};
  if (chance(50))
    L("%s += %s * w;", acc, v);
  else
    ww_gen_step(g, t, acc, vars, 2);
  CLOSE();
  const char *out[] = {acc};
  L("out[#c %s] = %s;", i, chance(40) ? ww_gen_work(g, t, i, out, 1) : acc);
}
