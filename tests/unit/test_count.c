/* test_count.c - the counting observer: accesses made by hand against numbers worked
 * out by hand, fast paths against definitions, commit and clear, lines, arguments,
 * dependencies, and docs/counts.md against counts.def. */
#include "group.h"

#include "../../src/trace/count.h"

static ww_module parse(const char *text) {
  ww_module m;
  ww_err e = {0};
  if (ww_ir_parse(text, arena, &m, &e) != WW_OK || ww_ir_check(&m, &e) != WW_OK)
    fail_msg("%s", e.msg);
  return m;
}

/* ---- one access ---- */

static uint64_t addr[64];

static ww_access
access_of(uint32_t lanes, uint32_t bytes, uint64_t base, int64_t stride) {
  for (uint32_t l = 0; l < 64; l++)
    addr[l] = base + (uint64_t)(stride * (int64_t)l);
  return (ww_access){.bytes = (uint8_t)bytes,
                     .lanes = lanes == 64 ? UINT64_MAX : (1ull << lanes) - 1,
                     .addr = addr,
                     .weight = 1,
                     .pattern =
                         stride == 0 ? WW_PATTERN_SAME
                         : stride == (int64_t)bytes && (lanes == 32 || lanes == 64)
                             ? WW_PATTERN_CONTIG
                             : WW_PATTERN_ANY};
}

/* Sectors by definition. */
static uint32_t slow_sectors(const ww_access *a) {
  uint64_t seen[64 * 10];
  uint32_t n = 0;
  for (uint32_t l = 0; l < 64; l++) {
    if (!(a->lanes >> l & 1))
      continue;
    uint64_t p =
        a->pattern == WW_PATTERN_SAME ? a->addr[__builtin_ctzll(a->lanes)] : a->addr[l];
    for (uint64_t s = p / 32; s <= (p + a->bytes - 1) / 32; s++) {
      uint32_t k = 0;
      while (k < n && seen[k] != s)
        k++;
      if (k == n)
        seen[n++] = s;
    }
  }
  return n;
}

static void test_sectors(void **state) {
  (void)state;
  static const struct {
    uint32_t lanes, bytes;
    uint64_t base;
    int64_t stride;
    uint32_t want;
  } cases[] = {
      {32, 4, 0x100000000, 4, 4}, /* coalesced */
      {32, 4, 0x100000004, 4, 5}, /* off by one word */
      {32, 8, 0x100000000, 8, 8},
      {32, 16, 0x100000000, 16, 16},
      {32, 1, 0x100000000, 1, 1},
      {32, 2, 0x10000001e, 2, 3},
      {32, 4, 0x100000000, 0, 1}, /* uniform */
      {32, 8, 0x10000001c, 0, 2}, /* uniform across a sector's end */
      {32, 4, 0x100000000, 8, 8}, /* every other word */
      {32, 4, 0x100000000, 32, 32},
      {32, 4, 0x100000000, 36, 32},
      {32, 4, 0x100000000, 4096, 32},
      {32, 4, 0x100000000, 12, 12}, /* array of three-float structures */
      {32, 8, 0x10000001c, 64, 64}, /* each lane crosses a sector's end */
      {32, 4, 0x100000080, -4, 5},  /* reversed: 0x04 .. 0x84 */
      {32, 4, 0x10000007c, -4, 4},
      {32, 4, 0x100010000, -128, 32},
      {64, 4, 0x100000000, 4, 8},
      {64, 4, 0x100000000, 64, 64},
      {64, 8, 0x100000000, 0, 1},
      {1, 4, 0x100000000, 4, 1},
      {17, 4, 0x100000000, 4, 3},
      {5, 16, 0x100000010, 16, 3},
      {32, 64, 0x100000010, 64, 65}, /* wider than a sector */
      {32, 40, 0x100000000, 128, 64},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ww_access a =
        access_of(cases[k].lanes, cases[k].bytes, cases[k].base, cases[k].stride);
    uint32_t n = ww_coalesce_sectors(&a);
    if (n != cases[k].want || n != slow_sectors(&a))
      fail_msg("case %zu: %u sectors, not %u", k, n, cases[k].want);
    if (a.pattern == WW_PATTERN_ANY)
      continue;
    for (uint32_t l = 1; a.pattern == WW_PATTERN_SAME && l < 64; l++)
      addr[l] = addr[0];
    a.pattern = WW_PATTERN_ANY; /* the pattern is a hint, not an answer */
    assert_int_equal(ww_coalesce_sectors(&a), cases[k].want);
  }
}

static uint32_t next_random(void) {
  static uint32_t seed = 12345;
  seed = seed * 1664525 + 1013904223;
  return seed >> 7;
}

static void random_access(ww_access *a) {
  static const uint8_t sizes[] = {1, 2, 4, 8, 12, 16, 32, 100};
  uint32_t how = next_random() % 6;
  uint64_t base = 0x100000000 + next_random() % 256, stride = next_random() % 300;
  a->bytes = sizes[next_random() % 8];
  a->lanes = next_random() % 3   ? 0xffffffffu
             : next_random() % 2 ? UINT64_MAX
                                 : ((uint64_t)next_random() << 32 | next_random()) | 1;
  for (uint32_t l = 0; l < 64; l++) {
    if (how == 0)
      addr[l] = base + stride * l;
    else if (how == 1)
      addr[l] = base + stride * (63 - l);
    else if (how == 2)
      addr[l] = base + next_random() % 512;
    else if (how == 3)
      addr[l] = base + next_random() * 64ull;
    else if (how == 4)
      addr[l] = (l ? addr[l - 1] : base) + next_random() % 40; /* ascending */
    else
      addr[l] = base + (l * 29 % 64) * a->bytes;
  }
}

static void test_sectors_of_random_accesses(void **state) {
  (void)state;
  ww_access a = {.addr = addr};
  for (int round = 0; round < 20000; round++) {
    random_access(&a);
    uint32_t n = ww_coalesce_sectors(&a), want = slow_sectors(&a);
    if (n != want)
      fail_msg("round %d: %u sectors, not %u", round, n, want);
  }
}

static bool same_as_neighbour(const ww_access *a, uint32_t from, uint32_t apart) {
  for (uint32_t l = from; l < from + 32; l++)
    if (a->lanes >> l & a->lanes >> (l ^ apart) & 1 && a->addr[l] != a->addr[l ^ apart])
      return false;
  return true;
}

/* Passes by definition: phases of 32, 16 or 8 lanes, wide loads of shared words two at
 * a time; the bank with the most distinct words. */
static uint32_t slow_passes(const ww_access *a, uint32_t *ideal) {
  uint32_t width = 0, total = 0;
  *ideal = 0;
  for (uint32_t at = 0; at < 64; at += width) {
    uint64_t words[32 * 65];
    if (at % 32 == 0) {
      width = a->bytes <= 4 ? 32 : a->bytes <= 8 ? 16 : 8;
      if (a->kind == WW_ACCESS_LOAD && width < 32 && a->bytes <= 16 &&
          (same_as_neighbour(a, at, 1) || same_as_neighbour(a, at, 2)))
        width *= 2;
    }
    uint32_t n = 0, banks[32] = {0}, most = 0;
    for (uint32_t l = at; l < at + width; l++) {
      if (!(a->lanes >> l & 1))
        continue;
      for (uint64_t w = a->addr[l] / 4; w <= (a->addr[l] + a->bytes - 1) / 4; w++) {
        uint32_t k = 0;
        while (k < n && words[k] != w)
          k++;
        if (k < n)
          continue;
        words[n++] = w;
        if (++banks[w % 32] > most)
          most = banks[w % 32];
      }
    }
    total += most;
    *ideal += most > 0;
  }
  return total;
}

static void test_shared_passes(void **state) {
  (void)state;
  static const struct {
    uint32_t lanes, bytes;
    uint64_t base;
    int64_t stride;
    uint32_t want, ideal;
  } cases[] = {
      {32, 4, WW_SHARED_BASE, 4, 1, 1},
      {32, 4, WW_SHARED_BASE, 0, 1, 1},
      {32, 4, WW_SHARED_BASE, 8, 2, 1},
      {32, 4, WW_SHARED_BASE, 128, 32, 1},
      {32, 4, WW_SHARED_BASE, 132, 1, 1}, /* a column; padded */
      {32, 4, WW_SHARED_BASE, 12, 1, 1},
      {32, 4, WW_SHARED_BASE, 64, 16, 1},
      {32, 4, WW_SHARED_BASE + 4096, -4, 1, 1},
      {32, 4, WW_SHARED_BASE + 65536, -128, 32, 1},
      {32, 8, WW_SHARED_BASE, 8, 2, 2},
      {32, 16, WW_SHARED_BASE, 16, 4, 4},
      {32, 8, WW_SHARED_BASE, 0, 1, 1},
      {32, 8, WW_SHARED_BASE, 128, 32, 2},
      {32, 16, WW_SHARED_BASE, 0, 2, 2},
      {9, 16, WW_SHARED_BASE, 0, 1, 1},
      {32, 16, WW_SHARED_BASE, 128, 32, 4},
      {32, 1, WW_SHARED_BASE, 1, 1, 1},
      {32, 2, WW_SHARED_BASE, 2, 1, 1},
      {32, 1, WW_SHARED_BASE, 4, 1, 1},
      {32, 1, WW_SHARED_BASE, 128, 32, 1},
      {16, 8, WW_SHARED_BASE, 8, 1, 1},
      {1, 4, WW_SHARED_BASE, 4, 1, 1},
      {9, 16, WW_SHARED_BASE, 16, 2, 2},
      {64, 4, WW_SHARED_BASE, 4, 2, 2},
      {64, 4, WW_SHARED_BASE, 128, 64, 2},
      {64, 8, WW_SHARED_BASE, 8, 4, 4},
      {32, 12, WW_SHARED_BASE, 12, 4, 4},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ww_access a =
        access_of(cases[k].lanes, cases[k].bytes, cases[k].base, cases[k].stride);
    uint32_t ideal, n = ww_shared_passes(&a, &ideal);
    if (n != cases[k].want || ideal != cases[k].ideal)
      fail_msg("case %zu: %u passes (ideal %u), not %u (%u)", k, n, ideal,
               cases[k].want, cases[k].ideal);
  }
  ww_access a = access_of(32, 4, WW_SHARED_BASE, 4);
  a.pattern = WW_PATTERN_ANY;
  for (uint32_t l = 0; l < 32; l++)
    addr[l] = WW_SHARED_BASE + (l / 2) * 128; /* 16 words of bank 0, each twice */
  assert_int_equal(ww_shared_passes(&a, NULL), 16);
}

/* As an H200 counts them (tests/gpu/probe_memory.c): 8-byte load, 16-byte load, 8-byte
 * store, 16-byte store. */
static void test_shared_passes_of_wide_accesses(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint32_t lanes, want[4];
  } cases[] = {
      {"same", 0xffffffff, {1, 2, 2, 4}},     {"pairs", 0xffffffff, {1, 2, 2, 4}},
      {"pairs2", 0xffffffff, {1, 2, 2, 4}},   {"low_pairs", 0xffffffff, {2, 4, 2, 4}},
      {"low_high", 0xffffffff, {2, 4, 2, 4}}, {"pairs", 0x55555555, {1, 2, 2, 4}},
      {"pairs2", 0x33333333, {1, 2, 2, 4}},   {"pairs", 0xdeadbeef, {1, 2, 2, 4}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (uint32_t w = 0; w < 4; w++) {
      uint8_t bytes = w & 1 ? 16 : 8;
      const char *n = cases[k].name;
      for (uint32_t l = 0; l < 64; l++) {
        uint32_t by1 = l / 2, by2 = l / 4 * 2 + (l & 1);
        uint32_t slot = strcmp(n, "same") == 0        ? 0
                        : strcmp(n, "pairs") == 0     ? by1
                        : strcmp(n, "pairs2") == 0    ? by2
                        : strcmp(n, "low_pairs") == 0 ? (l < 16 ? by1 : l)
                                                      : (l < 16 ? by1 : by2);
        addr[l] = WW_SHARED_BASE + slot * bytes;
      }
      ww_access a = {.kind = w < 2 ? WW_ACCESS_LOAD : WW_ACCESS_STORE,
                     .bytes = bytes,
                     .lanes = cases[k].lanes,
                     .addr = addr};
      uint32_t got = ww_shared_passes(&a, NULL);
      if (got != cases[k].want[w])
        fail_msg("%s %x, way %u: %u passes, not %u", n, cases[k].lanes, w, got,
                 cases[k].want[w]);
    }
}

static void test_shared_passes_of_random_accesses(void **state) {
  (void)state;
  ww_access a = {.addr = addr};
  for (int round = 0; round < 20000; round++) {
    random_access(&a);
    a.kind = round % 3 ? WW_ACCESS_LOAD : WW_ACCESS_STORE;
    for (uint32_t l = 0; l < 64 && round % 4 == 1; l++)
      addr[l] = addr[l & ~(round % 8 == 1 ? 1u : 2u)];
    uint32_t ideal, want_ideal, n = ww_shared_passes(&a, &ideal),
                                want = slow_passes(&a, &want_ideal);
    if (n != want || ideal != want_ideal)
      fail_msg("round %d: %u passes (%u), not %u (%u)", round, n, ideal, want,
               want_ideal);
  }
}

/* ---- a module and its events ---- */

static const char text[] = "module cuda warp 32\n"
                           "file \"k.cu\"\n"
                           "fn $helper ret f32 {\n"
                           "  param %x f32\n"
                           "@a:\n"
                           "  %y = math.sqrt f32 %x  !20\n"
                           "  ret %y  !20\n"
                           "}\n"
                           "fn $k kernel {\n"
                           "  param %p i64 pointer global\n"
                           "  param %n i32\n"
                           "@entry:\n"
                           "  %t = sreg i32 tid.x  !1\n"      /* sreg */
                           "  %i = add i32 %t, %n  !2\n"      /* int */
                           "  %c = icmp.slt i32 %i, %n  !2\n" /* cmp, int_ops */
                           "  cbr %c, @body, @out  !3\n"
                           "@body:\n"
                           "  %j = sext i64 from i32 %i  !4\n" /* cvt */
                           "  %q = lea i64 %p, %j #4  !4\n"    /* int */
                           "  %v = ld.global f32 [%q]  !4\n"
                           "  %w = fma f32 %v, %v, 1.0  !5\n" /* 2 */
                           "  %d = fdiv f32 %w, %v  !5\n"     /* 1 */
                           "  %x = fmax f32 %d, %w  !5\n"     /* fpx: 0 */
                           "  %f = fcvt f64 from f32 %x  !5\n"
                           "  %g = fadd f64 %f, %f  !6\n" /* 1 in f64 */
                           "  %h = fcvt f16 from f32 %x  !6\n"
                           "  %h2 = fma f16 %h, %h, %h  !6\n" /* 2 in f16 */
                           "  %e = math.ilogb i32 %x  !6\n"   /* 1 in f32 */
                           "  %z = call f32 $helper(%x)  !6\n"
                           "  %m0, %m1 = mma f32 from f16 %h, %h #4096  !7\n"
                           "  %s = shfl.bfly f32 %z, 1:i32, 31:i32  !7\n"
                           "  %b = vote.ballot i32 %c  !7\n"
                           "  %am = activemask i32  !7\n"
                           "  %sel = select i32 %c, %e, %b  !7\n"
                           "  st.global f32 [%q], %s  !8\n"
                           "  br @out\n"
                           "@out:\n"
                           "  bar  !9\n"
                           "  ret  !10\n"
                           "}\n";

enum { ENTRY, BODY, OUT };

typedef struct {
  ww_module *m; /* the counter keeps it by reference */
  ww_memory *mem;
  ww_counter *c;
  ww_observer o;
  const ww_fn *k, *helper;
} rig;

static rig make(void) {
  rig r = {.m = WW_NEW(arena, ww_module), .mem = ww_memory_new(1)};
  *r.m = parse(text);
  r.c = ww_counter_new(r.m, r.mem, 32);
  r.o = ww_counter_observer(r.c);
  r.helper = &r.m->fns[0];
  r.k = &r.m->fns[1];
  return r;
}

static void drop(rig *r) {
  ww_counter_free(r->c);
  ww_memory_free(r->mem);
}

static void block(rig *r, const ww_fn *fn, uint32_t b, ww_mask lanes, double weight) {
  r->o.block(r->o.ctx, (ww_warp_id){0, 1}, fn, b, lanes, weight);
}

static const ww_ins *find_op(const ww_fn *fn, ww_op op) {
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nins; k++)
      if (fn->blocks[b].ins[k].op == op)
        return &fn->blocks[b].ins[k];
  return NULL;
}

static void tell(rig *r,
                 ww_access a,
                 ww_op op,
                 uint32_t id,
                 ww_space space,
                 ww_access_kind kind,
                 double weight) {
  a.fn = r->k;
  a.ins = find_op(r->k, op);
  a.ins_id = id;
  a.space = space;
  a.kind = kind;
  a.weight = weight;
  r->o.access(r->o.ctx, &a);
}

static void test_block_counts(void **state) {
  (void)state;
  rig r = make();
  ww_tally t;
  r.o.block_start(r.o.ctx, 7);
  block(&r, r.k, ENTRY, 0xffffffff, 1);
  r.o.diverge(r.o.ctx, (ww_warp_id){0, 1}, r.k, ENTRY, 1);
  block(&r, r.k, BODY, 0x0000000f, 1);
  block(&r, r.helper, 0, 0x0000000f, 1);
  block(&r, r.k, OUT, 0xffffffff, 1);
  r.o.block_end(r.o.ctx, 7);
  ww_counter_commit(r.c, 10);
  ww_counter_result(r.c, arena, &t);
  assert_true(t.c.blocks == 10 && t.c.warps == 10);
  assert_true(t.c.warp_instructions == 10 * (4 + 19 + 2 + 2));
  assert_true(t.c.thread_instructions == 10 * (4 * 32 + 19 * 4 + 2 * 4 + 2 * 32));
  assert_true(t.c.branches == 10 && t.c.divergent_branches == 10);
  assert_true(t.c.flops_fp64 == 10 * 4 * 1);
  assert_true(t.c.flops_fp32 ==
              10 * 4 * (2 + 1 + 1 + 1)); /* fma, fdiv, ilogb; sqrt in the helper */
  assert_true(t.c.flops_fp16 == 10 * 4 * 2);
  assert_true(t.c.flops_tensor == 10 * 4096);
  assert_true(t.c.int_ops == 10 * (2 * 32 + 1 * 4));
  assert_true(t.c.math_ops == 10 * 4 * 2);
  assert_true(t.c.barriers == 10 && t.c.shuffles == 20);
  assert_true(t.by_class[WW_CLASS_SREG] == 10 && t.by_class[WW_CLASS_FP] == 10 * 4 &&
              t.by_class[WW_CLASS_TENSOR] == 10);
  assert_true(t.by_class[WW_CLASS_CTL] == 10 * 5 && t.by_class[WW_CLASS_FPX] == 10);
  double sum = 0;
  for (int k = 0; k < WW_NCLASSES; k++)
    sum += t.by_class[k];
  assert_true(sum == t.c.warp_instructions);
  drop(&r);
}

static void test_weights(void **state) {
  (void)state;
  rig r = make();
  ww_counts v;
  block(&r, r.k, BODY, 0xff, 100);
  tell(&r, access_of(32, 4, 0x100000000, 4), WW_OP_LD, 0, WW_GLOBAL, WW_ACCESS_LOAD,
       2.5);
  ww_counter_vector(r.c, &v);
  assert_true(v.warp_instructions == 1900 && v.thread_instructions == 1900 * 8);
  assert_true(v.global_ld_requests == 2.5 && v.global_ld_sectors == 10 &&
              v.global_ld_bytes == 320);
  drop(&r);
}

static void test_access_counts(void **state) {
  (void)state;
  rig r = make();
  ww_counts v;
  tell(&r, access_of(32, 4, 0x100000000, 4), WW_OP_LD, 0, WW_GLOBAL, WW_ACCESS_LOAD, 1);
  tell(&r, access_of(8, 16, 0x100000000, 16), WW_OP_LD, 0, WW_GLOBAL, WW_ACCESS_LOAD,
       1);
  tell(&r, access_of(32, 4, 0x100000000, 0), WW_OP_LD, 0, WW_GLOBAL, WW_ACCESS_LOAD, 1);
  tell(&r, access_of(32, 4, 0x100000000, 64), WW_OP_ST, 1, WW_GLOBAL, WW_ACCESS_STORE,
       1);
  tell(&r, access_of(32, 4, WW_SHARED_BASE, 8), WW_OP_LD, 0, WW_SHARED, WW_ACCESS_LOAD,
       1);
  tell(&r, access_of(32, 8, WW_SHARED_BASE, 8), WW_OP_ST, 1, WW_SHARED, WW_ACCESS_STORE,
       1);
  tell(&r, access_of(32, 4, WW_LOCAL_BASE, 4), WW_OP_ST, 1, WW_LOCAL, WW_ACCESS_STORE,
       1);
  tell(&r, access_of(32, 4, WW_PARAM_BASE, 0), WW_OP_LD, 0, WW_PARAM, WW_ACCESS_LOAD,
       1);
  tell(&r, access_of(32, 8, 0x100000000, 0), WW_OP_LD, 0, WW_CONST, WW_ACCESS_LOAD, 1);
  tell(&r, access_of(32, 4, 0x100000000, 4), WW_OP_LD, 0, WW_CONST, WW_ACCESS_LOAD, 1);
  tell(&r, access_of(32, 4, 0x100000000, 0), WW_OP_ST, 1, WW_GLOBAL, WW_ACCESS_ATOMIC,
       1);
  tell(&r, access_of(32, 4, WW_SHARED_BASE, 4), WW_OP_ST, 1, WW_SHARED,
       WW_ACCESS_ATOMIC, 1);
  ww_access a = access_of(9, 4, 0x100000000, 4);
  addr[8] = addr[3] = addr[0]; /* three lanes meet, nine act */
  tell(&r, a, WW_OP_ST, 1, WW_GLOBAL, WW_ACCESS_ATOMIC, 1);
  ww_counter_vector(r.c, &v);
  assert_true(v.global_ld_requests == 3 && v.global_ld_sectors == 4 + 4 + 1 &&
              v.global_ld_bytes == 128 + 128 + 128);
  assert_true(v.global_st_requests == 1 && v.global_st_sectors == 32 &&
              v.global_st_bytes == 128);
  assert_true(v.shared_ld_requests == 1 && v.shared_ld_passes == 2 &&
              v.shared_ld_bytes == 128);
  assert_true(v.shared_st_requests == 1 && v.shared_st_passes == 2 &&
              v.shared_st_bytes == 256);
  assert_true(v.shared_ideal_passes == 3);
  assert_true(v.local_requests == 1 && v.local_bytes == 128);
  assert_true(v.const_requests == 3 && v.const_words == 1 + 1 + 32);
  assert_true(v.atomic_requests == 3 && v.atomic_lanes == 32 + 32 + 9 &&
              v.atomic_max_same == 32 + 1 + 3);
  assert_true(v.shared_atomic_requests == 1 && v.shared_atomic_lanes == 1);
  assert_true(v.warp_instructions == 0);
  drop(&r);
}

static void test_a_warp_of_64(void **state) {
  (void)state;
  ww_module m = parse(text);
  ww_counter *c = ww_counter_new(&m, NULL, 64);
  ww_observer o = ww_counter_observer(c);
  ww_access a = access_of(64, 4, 0x100000000, 4);
  ww_counts v;
  a.fn = &m.fns[1];
  a.ins = find_op(a.fn, WW_OP_LD);
  a.space = WW_GLOBAL;
  o.access(o.ctx, &a);
  a = access_of(64, 4, WW_SHARED_BASE, 4);
  a.fn = &m.fns[1];
  a.ins = find_op(a.fn, WW_OP_LD);
  a.space = WW_SHARED;
  o.access(o.ctx, &a);
  o.block(o.ctx, (ww_warp_id){0, 0}, &m.fns[1], ENTRY, UINT64_MAX, 1);
  ww_counter_vector(c, &v);
  assert_true(v.global_ld_requests == 1 && v.global_ld_sectors == 8 &&
              v.global_ld_bytes == 256);
  assert_true(v.shared_ld_passes == 2 && v.shared_ideal_passes == 2);
  assert_true(v.thread_instructions == 4 * 64);
  ww_counter_free(c);
}

/* Another machine may number memory instructions otherwise: the instruction decides,
 * not the number. */
static void test_renumbered_instructions(void **state) {
  (void)state;
  rig r = make();
  ww_tally t;
  block(&r, r.k, BODY, 0xffffffff, 2);
  tell(&r, access_of(32, 4, 0x100000000, 4), WW_OP_LD, 0, WW_GLOBAL, WW_ACCESS_LOAD, 1);
  tell(&r, access_of(32, 4, 0x100000000, 4), WW_OP_ST, 1000, WW_GLOBAL, WW_ACCESS_STORE,
       1);
  tell(&r, access_of(32, 4, 0x100000000, 8), WW_OP_ST, 0, WW_GLOBAL, WW_ACCESS_STORE,
       1);
  tell(&r, access_of(32, 4, 0x100000000, 8), WW_OP_LD, 1000, WW_GLOBAL, WW_ACCESS_LOAD,
       1);
  ww_counter_commit(r.c, 1);
  ww_counter_result(r.c, arena, &t);
  for (uint32_t k = 0; k < t.nlines; k++) {
    assert_true(t.lines[k].ld_sectors == (t.lines[k].line == 4 ? 12 : 0));
    assert_true(t.lines[k].st_sectors == (t.lines[k].line == 8 ? 12 : 0));
  }
  drop(&r);
}

static void test_commit_and_clear(void **state) {
  (void)state;
  rig r = make();
  ww_counts v;
  ww_tally t;
  for (int k = 0; k < 3; k++) {
    r.o.block_start(r.o.ctx, 0);
    block(&r, r.k, ENTRY, 0xffffffff, 1);
    tell(&r, access_of(32, 4, 0x100000000, 4), WW_OP_LD, 0, WW_GLOBAL, WW_ACCESS_LOAD,
         1);
    r.o.block_end(r.o.ctx, 0);
    ww_counter_vector(r.c, &v);
    assert_true(v.blocks == 1 && v.warps == 1 && v.global_ld_sectors == 4);
    if (k == 1)
      ww_counter_clear(r.c); /* forgotten */
    else
      ww_counter_commit(r.c, k == 0 ? 5 : 0.5);
  }
  ww_counter_vector(r.c, &v);
  for (uint32_t k = 0; k < ww_ncounts; k++)
    assert_true(*(double *)((char *)&v + ww_count_table[k].at) == 0);
  ww_counter_result(r.c, arena, &t);
  assert_true(t.c.blocks == 5.5 && t.c.warps == 5.5 && t.c.global_ld_sectors == 22 &&
              t.c.warp_instructions == 22);
  ww_counter_result(r.c, arena, &t); /* reading changes nothing */
  assert_true(t.c.blocks == 5.5);
  drop(&r);
}

/* What was put aside counts like a commit, with the scale known later. */
static void test_snapshots(void **state) {
  (void)state;
  rig r = make();
  ww_counts v;
  ww_tally t;
  ww_snapshot *s[2];
  ww_region *x = ww_memory_add(r.mem, "x", WW_GLOBAL, 1 << 20);
  for (uint64_t k = 0; k < 2; k++) {
    r.o.block_start(r.o.ctx, k);
    block(&r, r.k, ENTRY, 0xffffffff, 1);
    tell(&r, access_of(32, 4, x->base + k * 64, 4), WW_OP_LD, 0, WW_GLOBAL,
         WW_ACCESS_LOAD, 1);
    r.o.block_end(r.o.ctx, k);
    s[k] = ww_counter_save(r.c);
    ww_counter_vector(r.c, &v);
    assert_true(v.blocks == 0 && v.global_ld_requests == 0);
  }
  ww_counter_add(r.c, s[0], 3);
  ww_counter_add(r.c, s[1], 10);
  ww_counter_result(r.c, arena, &t);
  assert_true(t.c.blocks == 13 && t.c.global_ld_sectors == 13 * 4);
  assert_true(t.args[0].unique_sectors ==
              3 * 4 + 10 * 2); /* the second block shares two sectors with the first */
  assert_true(t.args[0].lo == 0 && t.args[0].hi == 192);
  drop(&r);
}

static void test_lines(void **state) {
  (void)state;
  rig r = make();
  ww_tally t;
  block(&r, r.k, ENTRY, 0xffffffff, 3);
  block(&r, r.k, BODY, 0xff, 1);
  tell(&r, access_of(8, 4, 0x100000000, 4), WW_OP_LD, 0, WW_GLOBAL, WW_ACCESS_LOAD, 1);
  tell(&r, access_of(8, 4, WW_SHARED_BASE, 128), WW_OP_ST, 1, WW_SHARED,
       WW_ACCESS_STORE, 1);
  ww_counter_commit(r.c, 2);
  ww_counter_result(r.c, arena, &t);
  assert_int_equal(t.nlines,
                   8); /* 1 to 8: 9, 10 and 20 did not run, the br has no line */
  for (uint32_t k = 0; k < 8; k++)
    assert_int_equal(t.lines[k].line, k + 1);
  assert_true(t.lines[0].warp_instructions == 6 &&
              t.lines[0].thread_instructions == 6 * 32);
  assert_true(t.lines[1].warp_instructions == 12); /* add and icmp */
  assert_true(t.lines[3].warp_instructions == 6 && t.lines[3].ld_requests == 2 &&
              t.lines[3].ld_sectors == 2 && t.lines[3].ld_bytes == 64);
  assert_true(t.lines[4].flops == 2 * 8 * 3);
  assert_true(t.lines[5].flops == 2 * 8 * 4);
  assert_true(t.lines[6].flops == 2 * 4096);
  assert_true(t.lines[7].shared_requests == 2 && t.lines[7].shared_passes == 16 &&
              t.lines[7].shared_ideal_passes == 2);
  assert_true(t.lines[7].st_requests == 0);
  drop(&r);
}

/* ---- arguments ---- */

static void test_arguments(void **state) {
  (void)state;
  rig r = make();
  ww_tally t;
  ww_region *y = ww_memory_add(r.mem, "y", WW_GLOBAL, 1 << 20),
            *x = ww_memory_add(r.mem, "x", WW_GLOBAL, 1000);
  ww_region *tab = ww_memory_add(r.mem, "tab", WW_CONST, 256);
  y->arg = 1;
  x->arg = 0;
  tab->arg = -1;
  tab->symbol = 3;
  x->symbol = y->symbol = -1;
  x->origin = x->base + 128; /* the pointer points behind the start */
  tell(&r, access_of(32, 4, x->base, 4), WW_OP_LD, 0, WW_GLOBAL, WW_ACCESS_LOAD,
       1); /* sectors 0-3 */
  tell(&r, access_of(32, 4, x->base + 64, 4), WW_OP_LD, 0, WW_GLOBAL, WW_ACCESS_LOAD,
       1); /* 2-5 */
  tell(&r, access_of(32, 4, y->base + 4096, 64), WW_OP_ST, 1, WW_GLOBAL,
       WW_ACCESS_STORE, 1); /* 32 apart */
  tell(&r, access_of(32, 4, y->base + 4096, 0), WW_OP_LD, 0, WW_GLOBAL, WW_ACCESS_LOAD,
       1); /* the same instruction moves to y */
  tell(&r, access_of(32, 4, y->base + 8192, 0), WW_OP_ST, 1, WW_GLOBAL,
       WW_ACCESS_ATOMIC, 1);
  tell(&r, access_of(32, 4, tab->base + 32, 0), WW_OP_LD, 0, WW_CONST, WW_ACCESS_LOAD,
       1);
  tell(&r, access_of(32, 4, WW_PARAM_BASE, 0), WW_OP_LD, 0, WW_PARAM, WW_ACCESS_LOAD,
       1);
  tell(&r, access_of(32, 4, WW_SHARED_BASE, 0), WW_OP_LD, 0, WW_SHARED, WW_ACCESS_LOAD,
       1);
  ww_counter_commit(r.c, 3);
  ww_counter_result(r.c, arena, &t);
  assert_int_equal(t.nargs, 3);
  assert_string_equal(t.args[0].name, "x");
  assert_true(t.args[0].ld_requests == 6 && t.args[0].ld_sectors == 24 &&
              t.args[0].ld_bytes == 768 && t.args[0].st_requests == 0);
  assert_true(t.args[0].unique_sectors == 18);
  assert_true((int64_t)t.args[0].lo == -128 && (int64_t)t.args[0].hi == 64);
  assert_string_equal(t.args[1].name, "y");
  assert_true(t.args[1].st_sectors == 96 && t.args[1].ld_sectors == 3 &&
              t.args[1].atomics == 3);
  assert_true(t.args[1].unique_sectors ==
              3 * 33); /* the load came back to a stored sector, the
                          atomic was new: 4096 + 31 * 64 < 8192 */
  assert_true(t.args[1].lo == 4096 && t.args[1].hi == 8196);
  assert_int_equal(t.args[2].symbol, 3);
  assert_true(t.args[2].ld_requests == 3 && t.args[2].lo == 32 && t.args[2].hi == 36);
  assert_true(t.c.const_requests == 6 && t.c.global_ld_requests == 9);
  drop(&r);
}

static void test_unique_sectors(void **state) {
  (void)state;
  rig r = make();
  ww_tally t;
  ww_region *x = ww_memory_add(r.mem, "x", WW_GLOBAL, 4 << 20);
  for (int round = 0; round < 3;
       round++) /* forwards, again, and a trial that is forgotten */
    for (uint64_t at = 0; at < 1 << 20; at += 128) {
      tell(&r, access_of(32, 4, x->base + at + (round == 2 ? 2 << 20 : 0), 4), WW_OP_LD,
           0, WW_GLOBAL, WW_ACCESS_LOAD, 1);
      if (round == 2 && at + 128 == 1 << 20)
        ww_counter_clear(r.c);
      else if (round < 2 && at + 128 == 1 << 20)
        ww_counter_commit(r.c, 1);
    }
  ww_counter_result(r.c, arena, &t);
  assert_true(t.args[0].unique_sectors == (1 << 20) / 32);
  assert_true(t.args[0].lo == 0 && t.args[0].hi == 1 << 20);
  /* what was cleared counts when it comes again; an iteration that stands for 4 brings
   * 4 times its sectors */
  tell(&r, access_of(32, 4, x->base + (2 << 20), 4), WW_OP_LD, 0, WW_GLOBAL,
       WW_ACCESS_LOAD, 4);
  /* lanes beyond the end of the allocation are not its sectors: 1 of 32 is inside */
  tell(&r, access_of(32, 4, x->base + (4 << 20) - 32, 4096), WW_OP_LD, 0, WW_GLOBAL,
       WW_ACCESS_LOAD, 1);
  ww_counter_commit(r.c, 2);
  ww_counter_result(r.c, arena, &t);
  assert_true(t.args[0].unique_sectors == (1 << 20) / 32 + 2 * (4 * 4 + 1));
  drop(&r);
}

/* ---- dependencies ---- */

static ww_dependency depend(const char *body, const char *trace, ww_module *m) {
  *m = parse(
      ww_fmt(arena, "fn $k kernel {\n  param %%p i64\n  param %%q i64\n%s}\n", body));
  ww_counter *c = ww_counter_new(m, NULL, 32);
  ww_observer o = ww_counter_observer(c);
  ww_tally t;
  o.block_start(o.ctx, 5);
  for (const char *p = trace; *p; p++) {
    o.block(o.ctx, (ww_warp_id){5, 0}, &m->fns[0], (uint32_t)(*p - '0'), 0xffffffff, 1);
    o.block(o.ctx, (ww_warp_id){5, 1}, &m->fns[0], (uint32_t)(*p - '0'), 0xffffffff,
            1); /* not the first warp: not followed */
  }
  o.block_end(o.ctx, 5);
  ww_counter_commit(c, 1);
  ww_counter_result(c, arena, &t);
  ww_counter_free(c);
  return t.dep;
}

static void test_chain(void **state) {
  (void)state;
  ww_module m;
  ww_dependency d = depend(
      "@a:\n  %a = add i64 %p, 1\n  %b = add i64 %a, 1\n  %c = add i64 %b, 1\n  ret\n",
      "0", &m);
  assert_true(d.ilp == 4.0 / 3);
  d = depend(
      "@a:\n  %a = add i64 %p, 1\n  %b = add i64 %p, 1\n  %c = add i64 %p, 1\n  ret\n",
      "0", &m);
  assert_true(d.ilp == 4);
  assert_true(d.loads_in_flight == 0 && d.load_use_distance == 0);
}

static void test_loads_in_flight(void **state) {
  (void)state;
  ww_module m;
  /* four loads, then their sum: the first add waits for all; 3, 2.. instructions lie
   * between a load and its use */
  ww_dependency d = depend(
      "@a:\n"
      "  %a = ld.global f32 [%p]\n  %b = ld.global f32 [%p + 4]\n  %c = ld.global f32 "
      "[%p + "
      "8]\n  %d = ld.global f32 [%p + 12]\n"
      "  %e = fadd f32 %a, %b\n  %f = fadd f32 %c, %d\n  %g = fadd f32 %e, %f\n  ret\n",
      "0", &m);
  assert_true(d.loads_in_flight == 4);
  assert_true(d.load_use_distance == (3 + 2 + 2 + 1) / 4.0);
  assert_true(d.ilp == 8.0 / 3);
  /* one by one; the shared load is no global load */
  d = depend("@a:\n"
             "  %a = ld.global f32 [%p]\n  %b = fadd f32 %a, 1.0\n  %s = ld.shared f32 "
             "[%q]\n  %t "
             "= fadd f32 %s, %b\n"
             "  %c = ld.global f32 [%p + 4]\n  %d = fadd f32 %c, %c\n  ret\n",
             "0", &m);
  assert_true(d.loads_in_flight == 1 && d.load_use_distance == 0);
  /* a vector load is one load: its second element, used later, waits for nothing */
  d = depend("@a:\n  %a, %b = ld.global f32x2 [%p]\n  %m = mov i32 %a\n  %x = add i32 "
             "%m, 1\n  %y "
             "= fadd f32 %b, 1.0\n  ret\n",
             "0", &m);
  assert_true(d.loads_in_flight == 1 &&
              d.load_use_distance == 1); /* the mov lies between */
}

static void test_pipelined_loop(void **state) {
  (void)state;
  ww_module m;
  /* the load of the next iteration is issued before the value of this one is used: two
   * in flight */
  ww_dependency d = depend(
      "@a:\n  %first = ld.global f32 [%p]\n  br @l\n"
      "@l:\n"
      "  %v = phi f32 [@a %first] [@l %next]\n  %s = phi f32 [@a 0.0] [@l %sum]\n"
      "  %next = ld.global f32 [%q]\n  %sum = fadd f32 %s, %v\n  cbr 1, @l, @z\n"
      "@z:\n  ret\n",
      "01111111111112", &m);
  assert_true(d.loads_in_flight == 2);
  assert_true(d.load_use_distance ==
              (11 * 3 + 2) /
                  12.0); /* fadd, cbr and ld lie between; at first br and ld */
}

/* A window is 64 instructions: a serial loop has ILP 1 per chain however long it runs,
 * and sampling ends. */
static void test_windows(void **state) {
  (void)state;
  ww_module m;
  char trace[6001] = "0";
  memset(trace + 1, '1', 5999);
  ww_dependency d = depend(
      "@a:\n  br @l\n"
      "@l:\n  %i = phi i64 [@a 0] [@l %n]\n  %n = add i64 %i, 1\n  cbr 1, @l, @z\n"
      "@z:\n  ret\n",
      trace, &m);
  assert_true(d.ilp > 1.9 && d.ilp < 2.1); /* 32 adds in a chain of 64 instructions */
}

/* ---- documentation ---- */

static void test_manual_names_every_count(void **state) {
  (void)state;
  char *doc;
  size_t n;
  ww_err e = {0};
  if (ww_read_file(arena, "docs/counts.md", 1 << 20, &doc, &n, &e) != WW_OK)
    fail_msg("%s", e.msg);
  for (uint32_t k = 0; k < ww_ncounts; k++)
    if (!strstr(doc, ww_fmt(arena, "| `%s` | %s |", ww_count_table[k].name,
                            ww_count_table[k].meaning)))
      fail_msg("docs/counts.md lacks | `%s` | %s |", ww_count_table[k].name,
               ww_count_table[k].meaning);
  for (int k = 0; k < WW_NCLASSES; k++)
    assert_non_null(strstr(doc, ww_fmt(arena, "`%s`", ww_class_names[k])));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sectors),
      cmocka_unit_test(test_sectors_of_random_accesses),
      cmocka_unit_test(test_shared_passes),
      cmocka_unit_test(test_shared_passes_of_wide_accesses),
      cmocka_unit_test(test_shared_passes_of_random_accesses),
      cmocka_unit_test(test_block_counts),
      cmocka_unit_test(test_weights),
      cmocka_unit_test(test_access_counts),
      cmocka_unit_test(test_a_warp_of_64),
      cmocka_unit_test(test_renumbered_instructions),
      cmocka_unit_test(test_commit_and_clear),
      cmocka_unit_test(test_snapshots),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_arguments),
      cmocka_unit_test(test_unique_sectors),
      cmocka_unit_test(test_chain),
      cmocka_unit_test(test_loads_in_flight),
      cmocka_unit_test(test_pipelined_loop),
      cmocka_unit_test(test_windows),
      cmocka_unit_test(test_manual_names_every_count),
  };
  return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
