/* generate_walk.c - productions since version 2 whose data lead through memory: trees,
 * hash tables, records, queues, tables.
 *
 * Contents come from fills alone, so a structure is one that any contents make valid:
 * children lie inside their tree, walks that data end have a limit as well, slots that
 * atomics hand out are compared with the capacity. */
#include "generate_pen.h"

/* ---- decision trees ---- */

typedef struct {
  uint32_t nodes, features; /* of a tree; of a sample */
  bool branch;              /* the children by if and else, not by ?: */
  gen_text sample;          /* where feature f of this sample lies */
  gen_text bent;            /* what is compared, from v; NULL: v */
} forest;

/* The feature and the threshold of a node, compared: `less` says which way. */
static void look(gen *g, const forest *f, gen_text mark) {
  L("int f = feature[%s base + node];\n"
    "@T v = %s;",
    mark, f->sample);
  if (f->bent)
    L("v = %s;", f->bent);
  L("int less = v < threshold[#t base + node];");
}

/* Nodes as in a heap: the children follow from the place, every path is as long. */
static void heap(gen *g, const forest *f) {
  uint32_t levels = 0;
  while (2u << levels < f->nodes)
    levels++;
  UNROLL(15);
  LOOP("d", NUM(levels));
  SERIAL();
  look(g, f, "#dt");
  if (f->branch) {
    OPEN("1", "if (less)\n"
              "node = 2 * node + 1;");
    ELSE("1");
    L("node = 2 * node + 2;\n"
      "}");
  } else
    L("node = 2 * node + (less ? 1 : 2);");
  CLOSE();
}

/* Preorder: one child is the next node, the other one is skipped to; data say how long
 * a path is.
 */
static void preorder(gen *g, const forest *f) {
  uint32_t parts = 4u << pick(3);
  uint32_t most = f->nodes / parts;
  UNIFORM("skip", GEN_I32, T("trees*%u", f->nodes), "1", NUM(most));
  TAG("data-loop");
  OPEN(NUM(parts * 4), "while (node < %u)", f->nodes - most);
  SERIAL();
  look(g, f, "#dt");
  L("node += less ? 1 : skip[#dt base + node];\n"
    "}");
}

/* Children in arrays, a leaf where the feature is 0; no path is longer than a limit. */
static void linked(gen *g, const forest *f) {
  uint32_t limit = 16u << pick(3);
  uint32_t mean = f->features * 2;
  bool two = chance(50);
  gen_text count = T("trees*%u", f->nodes);
  gen_text hi = NUM(f->nodes);
  UNIFORM(two ? "lower" : "child", GEN_I32, two ? count : T("%s*2", count), "0", hi);
  if (two)
    UNIFORM("upper", GEN_I32, count, "0", hi);
  TAG("data-loop");
  L("int depth = 0;");
  OPEN(NUM(mean < limit ? mean : limit),
       "while (feature[#dt base + node] != 0 && depth < %u)", limit);
  SERIAL();
  look(g, f, "#h"); /* the loop's condition has just read it */
  L(two ? "node = less ? lower[#dt base + node] : upper[#t base + node];"
        : "node = child[#dt 2 * (base + node) + less];");
  L("depth++;\n"
    "}");
}

/* Each thread takes its sample down all trees of a forest and joins what the leaves
 * hold. */
GEN_FAMILY(forest) {
  uint32_t layout = pick(3);
  uint32_t features = 4u << pick(4);
  g->type = chance(70) ? GEN_F32 : chance(60) ? GEN_I32 : GEN_F64;
  gen_text i = OPEN_1D("n");
  forest f = {
      .nodes = 64u << pick(7),
      .features = features,
  };
  f.branch = chance(40);
  TAG("tree indirect");
  DRAW("trees", 1, 48)->most = 1 << 13;
  if (layout != 1 && chance(45))
    f.bent = BEND("v"); /* in preorder, unequal odds make paths endless */
  bool extreme = chance(35);
  READS("samples", T("n*%u", features));
  f.sample = chance(50) ? T("samples[#dr f * n + %s]", i)
                        : T("samples[#dq %s * %u + f]", i, features);
  gen_type small = chance(50) ? GEN_U8 : GEN_I32;
  UNIFORM("feature", small, T("trees*%u", f.nodes), "0", NUM(features));
  READS("threshold", T("trees*%u", f.nodes));
  READS("value", T("trees*%u", f.nodes));
  L("@T sum = @0;");
  if (extreme)
    L("@T most = @0;");
  UNROLL(10);
  LOOP("tree", "trees");
  L("int base = tree * %u, node = 0;", f.nodes);
  if (layout == 0)
    heap(g, &f);
  if (layout == 1)
    preorder(g, &f);
  if (layout == 2)
    linked(g, &f);
  L("@T leaf = value[#dt base + node];");
  if (chance(60))
    L("sum += leaf;");
  else
    STEP("sum", NAMES("leaf"));
  if (extreme)
    L("most = leaf > most ? leaf : most;");
  CLOSE();
  gen_text r = extreme ? SUM(NAMES("sum", "most")) : chance(50) ? BEND("sum") : "sum";
  PUT("n", i, r);
}

/* ---- hash tables ---- */

/* To the next slot to look at: so many hops from the first. */
static const gen_text hop[] = {"1u", "($u32)hops", "(h >> 7 | 1u)"};

/* Lookups in a table with open addressing, by fingerprints of `range` values of which 0
 * is an empty slot: of all probes 2 / range end. */
GEN_FAMILY(probe) {
  uint32_t bits = 10 + pick(13);
  uint32_t mask = (1u << bits) - 1;
  uint32_t range = 4u << pick(4);
  uint32_t how = pick(3);
  gen_type kept = chance(30) ? GEN_U8 : chance(60) ? GEN_U32 : GEN_U64;
  VALUE(60);
  gen_text i = OPEN_1D("n");
  gen_text entry = NAME(ww_gen_compute(kept));
  bool many = g->heavy || chance(50);
  TAG("hash-table indirect data-loop");
  BUFFER("keys", GEN_U32, "n");
  UNIFORM("table", kept, NUM(mask + 1), "0", NUM(range));
  READS("payload", NUM(mask + 1));
  L("$u32 key = keys[#c %s];\n"
    "@T acc = @0;",
    i);
  if (many)
    LOOP("k", ITERS());
  L("$u32 h = (key ^ (key >> @[11+8])) * 2654435761u;");
  if (chance(50))
    L("$u32 slot = h >> %u;", 32 - bits);
  else
    L("$u32 slot = (h ^ (h >> 15)) & %uu;", mask);
  L("%s want = (%s)(1u + (h >> 3) %% %uu);\n"
    "%s entry = table[#dt slot];\n"
    "int hops = 1;",
    entry, entry, range - 1, entry);
  OPEN(NUM(range * 3 / 2), "while (entry != want && entry != 0 && hops < %u)",
       range * 4);
  SERIAL();
  L("slot = (slot + %s) & %uu;\n"
    "entry = table[#dt slot];\n"
    "hops++;\n"
    "}",
    hop[how], mask);
  OPEN("1", "if (entry == want)\n"
            "@T v = payload[#dt slot];");
  STEP("acc", NAMES("v"));
  if (chance(50)) {
    ELSE("1");
    L("acc += (@T)hops;");
  }
  CLOSE();
  if (many)
    L("key = key * 1664525u + 1013904223u;\n"
      "}");
  PUT("n", i, "acc");
}

/* ---- records ---- */

typedef struct {
  uint32_t words; /* of a record */
  bool apart;     /* an array for each field, one behind the other */
  gen_text at;    /* the record */
} layout;

/* `nth` of the fields that are read: the first one of an indirect record is waited for,
 * the others are then near or on their way. */
static gen_text
field_at(gen *g, const layout *l, uint32_t field, bool indirect, uint32_t nth) {
  gen_text d = indirect && !nth ? "d" : "";
  if (l->apart)
    return T("#%s%c %u * n + %s", d, indirect ? 'r' : 'c', field, l->at);
  if (indirect)
    return T("#%s%c %s * %u + %u", d, nth ? 'h' : 'r', l->at, l->words, field);
  return T("#s%u %s * %u + %u", l->words, l->at, l->words, field);
}

/* Fields of a record read, others computed from them, some written: in place or into
 * another array, which may be laid out otherwise. */
GEN_FAMILY(records) {
  static const uint8_t sizes[] = {3, 4, 5, 6, 8, 8, 12, 16};
  uint32_t words = sizes[pick(8)];
  uint32_t reads = 2 + pick(words < 6 ? words - 1 : 5);
  uint32_t writes = 1 + pick(3);
  gen_type t = VALUE(65);
  gen_text i = OPEN_1D("n");
  gen_text vars[8];
  gen_text r[3];
  bool place = chance(45), indirect = chance(20);
  layout from = {words, chance(35), i};
  layout to = {place ? words : writes, chance(50), i};
  TAG("records stride");
  if (place)
    to = from;
  READS("rec", T("n*%u", words))->written = place;
  if (indirect) {
    PERMUTATION("pick", "n");
    TAG("indirect");
    L("int at = pick[#c %s];", i);
    from.at = "at";
    if (place)
      to.at = "at";
  }
  uint32_t first = pick(words);
  for (uint32_t k = 0; k < reads; k++)
    vars[k] = LOAD(t, "rec", field_at(g, &from, (first + k) % words, indirect, k));
  for (uint32_t k = 0; k < writes; k++) {
    r[k] = LET("f", "%s", WORK(i, vars, reads));
    vars[k % reads] = r[k];
  }
  if (!place)
    WRITES("out", T("n*%u", writes));
  for (uint32_t k = 0; k < writes; k++)
    L("%s[%s] = %s;", place ? "rec" : "out",
      field_at(g, &to, place ? (first + k) % words : k, indirect && place, k), r[k]);
}

/* ---- waiting for loads ---- */

/* How a stream gets its next place: from what was loaded (and the step: no walk may end
 * in a short circle), or without it. */
static const gen_text next_place[] = {"p@a = (v@a ^ ($u32)k) & @bu;",
                                      "p@a = (v@a + (p@a + ($u32)k) * @cu) & @bu;",
                                      "p@a = (p@a * 1664525u + @cu) & @bu;"};

/* Few threads, each with some streams of loads that wait for themselves alone, over
 * tables from L1's size to L2's. */
GEN_FAMILY(latency) {
  uint32_t streams = 1 + pick(chance(50) ? 3 : 8);
  uint32_t bits = 10 + pick(14);
  uint32_t mask = (1u << bits) - 1;
  uint32_t how = pick(3);
  gen_type t = g->type = chance(60) ? GEN_U32 : VALUE(100);
  gen_text trips = ITERS();
  gen_text acc[8];
  bool one = streams < 2 || chance(50), payload = t != GEN_U32;
  g->shape.max_threads = 32u << pick(4);
  TAG("latency");
  if (how < 2)
    TAG("pointer-chase");
  BUFFER("table", GEN_U32, NUM(mask + 1));
  if (payload)
    READS("weight", NUM(mask + 1));
  for (uint32_t s = 0; s < streams; s++) {
    L("$u32 p%u = (($u32)($gx) * %uu + %uu) & %uu;", s, 977 + 2 * s, s * 4099, mask);
    acc[s] = one && s ? acc[0] : T("a%u", s);
    if (!one || !s)
      L("@T a%u = @0;", s);
  }
  if (chance(75))
    L("#pragma unroll %u", 1u << pick(4));
  LOOP("k", trips);
  if (how < 2)
    SERIAL();
  gen_text mark = how == 2 ? "#t" : "#dt";
  for (uint32_t s = 0; s < streams; s++)
    L("$u32 v%u = table[%s p%u];", s, s ? "#t" : mark, s);
  for (uint32_t s = 0; s < streams; s++) {
    gen_text v = T(payload ? "w%u" : "v%u", s);
    if (payload)
      L("@T w%u = weight[#t p%u];", s, s);
    if (chance(70))
      L(FLOATS || chance(50) ? "%s += %s;" : "%s ^= %s;", acc[s], v);
    else
      STEP(acc[s], NAMES(v));
    LINE(next_place[how], NUM(s), NUM(mask), NUM(3 + 2 * (s + pick(50))));
  }
  CLOSE();
  PUT("S", "$gx", T("%s + (@T)p0", SUM(acc, one ? 1 : streams)));
}

/* ---- queues ---- */

/* A slot of the one queue for every lane that wants one, by one atomic of the warp;
 * without warps by one of each lane. */
static void warp_slot(gen *g) {
  TAG("vote");
  CUDA("$u32 votes = $ballot(0xffffffffu, keep);\n"
       "int lane = $tx & 31, leader = $ffs(votes) - 1, slot = 0;\n"
       "if (lane == leader) slot = $add(&taken[#dab 0], $popc(votes));\n"
       "slot = $shfl(0xffffffffu, slot, $max(leader, 0)) + $popc(votes & ((1u << lane) "
       "- 1u));");
  OPENCL("int slot = keep ? $add(&taken[0], 1) : 0;");
}

static void block_slot(gen *g) {
  TAG("barrier");
  ww_gen_shared(g, GEN_I32, "wanted", "[2]", 2);
  L("if ($tx == 0) wanted[0] = 0;\n"
    "$sync;\n"
    "int slot = 0;\n"
    "if (keep) slot = $add(&wanted[#ak16 0], 1);\n"
    "$sync;\n"
    "if ($tx == 0) wanted[1] = $add(&taken[#dab 0], wanted[0]);\n"
    "$sync;\n"
    "slot += wanted[1];");
}

/* Elements that pass a test go to slots that an atomic hands out: one queue or several,
 * by thread, warp or block. */
GEN_FAMILY(queue) {
  static const uint8_t many[] = {1, 1, 1, 2, 8, 32};
  uint32_t threads = THREADS(32, 6);
  uint32_t by = pick(3);
  uint32_t queues = by ? 1 : many[pick(6)];
  gen_type t = g->type = chance(40) ? GEN_F32 : chance(50) ? GEN_I32 : GEN_U32;
  gen_text all = T("turns*GX*%u", threads);
  gen_text vars[] = {"v"};
  gen_text r = "v";
  TAG("atomic queue");
  PRIMARY("turns", 1, 1 << 16);
  READS("in", all);
  OUTPUT("taken", GEN_I32, NUM(queues));
  FOLLOWS("capacity", T("%s/%u+1", all, queues * (1 + pick(4))));
  WRITES("slots", queues > 1 ? T("capacity*%u", queues) : "capacity");
  LOOP("turn", "turns");
  L("int i = (turn * $Gx + $bx) * %u + $tx;\n"
    "@T v = in[#c i];",
    threads);
  if (chance(60)) {
    r = fresh("r");
    L("@T %s = %s;", r, WORK("i", vars, 1));
  }
  gen_text weight;
  gen_text cond = CONDITION("i", vars, 1, &weight);
  if (chance(45))
    L("int keep = %s;", cond);
  else if (t == GEN_F32)
    L("int keep = v < 0.%uf;", 5 + 5 * pick(19));
  else
    L("int keep = (v & @[2<<5]@u) == 0@u;");
  if (queues > 1)
    L("int q = %s & %u;",
      chance(50)     ? "i"
      : t == GEN_F32 ? "(int)(v * 4096.0f)"
                     : "(int)(v >> 5)",
      queues - 1);
  if (by == 1)
    warp_slot(g);
  if (by == 2)
    block_slot(g);
  OPEN("0.7", "if (keep%s)", by ? " && slot < capacity" : "");
  if (!by)
    L("int slot = $add(&taken[%s], 1);", queues > 1 ? "#dar q" : "#dab 0");
  gen_text at = queues > 1 ? "#r q * capacity + slot" : by ? "#c slot" : "#s2 slot";
  L(by ? "slots[%s] = %s;" : "if (slot < capacity) slots[%s] = %s;", at, r);
  CLOSE();
  if (by == 2)
    L("$sync;");
}

/* ---- shared memory at any place ---- */

/* Cells of the thread's own: in a row of the block's width, or in a column where banks
 * meet. */
static void own_cells(gen *g, gen_text trips) {
  uint32_t threads = THREADS(32, 4);
  uint32_t cells = 4u << pick(threads > 128 ? 2 : 4);
  uint32_t ways = cells < 32 ? cells : 32;
  bool column = chance(50), pad = column && chance(35);
  uint32_t pitch = cells + pad;
  gen_text at = column ? T("#k%u $tx * %u + c", pad ? 1 : ways, pitch)
                       : T("#k1 c * %u + $tx", threads);
  SHARED("cell", threads * pitch);
  L("@T seed = init[#c $tx], acc = @0;");
  LOOP("c", NUM(cells));
  L("cell[%s] = seed;\n"
    "}",
    at);
  UNROLL(20);
  LOOP("k", trips);
  L(chance(50) ? "int c = k & %u;" : "int c = (k * 5 + $tx) & %u;", cells - 1);
  L("@T v = cell[%s];", at);
  STEP("acc", NAMES("v", "seed"));
  L(FLOATS ? "cell[%s] = (v + acc) * 0.5@f;" : "cell[%s] = (v >> 1) ^ acc;", at);
  CLOSE();
}

/* A table that all read: at random, in strides, or where the last value says. */
static void any_cells(gen *g, gen_text trips, uint32_t size) {
  static const uint8_t strides[] = {1, 2, 3, 4, 7, 8, 16, 17, 32, 33};
  uint32_t kind = pick(3);
  uint32_t stride = strides[pick(10)];
  uint32_t ways = stride & (0u - stride);
  uint32_t by = 1 + 2 * pick(16);
  bool pad = chance(35);
  gen_text place = pad ? "(at + (at >> 5))" : "at";
  gen_text k = kind == 1 ? (pad ? "k2" : T("k%u", ways)) : "k3";
  SHARED("cell", size + size / 32);
  OPEN(T("%u/T", size),
       "for (int at = $tx; at < %u; at += $dx)\n"
       "cell[%s] = init[#c at];\n"
       "}\n"
       "$sync;\n"
       "int at = ($tx * %u) & %u;",
       size, place, kind == 1 ? stride : 29, size - 1);
  if (kind == 1)
    L("int from = at;");
  L("@T acc = @0;");
  UNROLL(25);
  LOOP("k", trips);
  if (kind == 2)
    SERIAL();
  if (kind == 1)
    L("at = (from + k * %u) & %u;", by, size - 1);
  L("@T v = cell[#%s %s];", k, place);
  STEP("acc", NAMES("v"));
  gen_text value = FLOATS ? T("(int)(v * %u.0@f)", size) : "(int)v";
  if (kind == 0)
    L("at = (at * %u + %u) & %u;", 5 + 4 * (by & 7), by, size - 1);
  if (kind == 2)
    L("at = (at + %s + 1) & %u;", value, size - 1);
  CLOSE();
}

GEN_FAMILY(gather_shared) {
  VALUE(60);
  uint32_t size = 256u << pick(4);
  gen_text trips = ITERS();
  TAG("bank-conflict loop");
  READS("init", NUM(size > 1024 ? size : 1024));
  if (chance(35))
    own_cells(g, trips);
  else
    any_cells(g, trips, size);
  PUT("S", "$gx", "acc");
}
