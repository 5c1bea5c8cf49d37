/* test_memory.c - loads, stores, atomics and copies in every space, with every width
 * and alignment; the access events they tell, against a description worked out lane by
 * lane; and what is said of an address where nothing is. */
#include "rig.h"

#include <math.h>

#include "../../src/base/half.h"

enum { THREADS = 80, SOURCE = 8192 };

#define HEAD "module cuda warp 32\nfile \"k.cu\"\n"
/* ---- the events of one load and one store ---- */

typedef struct {
  uint32_t lanes, bytes;
  uint8_t space;
  const bool *on;
  uint64_t base, stride; /* load: thread t at base + t * stride */
  uint64_t out, out_stride;
  uint32_t loads, stores; /* lanes seen */
} expected;

static void check_access(void *ctx, const ww_access *a) {
  expected *x = ctx;
  if (a->fn->blocks[1].ins > a->ins ||
      a->ins >= a->fn->blocks[1].ins + a->fn->blocks[1].nins)
    return; /* block 1 is what is tested */
  bool store = a->kind == WW_ACCESS_STORE;
  uint64_t lo = UINT64_MAX, hi = 0, first = 0, mask = 0, low = 0, prev = 0, fresh = 0;
  bool same = true, contig = true, started = false;
  uint32_t bytes = x->bytes;
  for (uint32_t l = 0; l < x->lanes; l++) {
    uint32_t t = a->warp.warp * x->lanes + l;
    if (t >= THREADS || !x->on[t]) {
      contig = false;
      continue;
    }
    uint64_t at = store ? x->out + t * x->out_stride : x->base + t * x->stride;
    if (a->addr[l] != at)
      fail_msg("lane %u: 0x%llx, not 0x%llx", l, (unsigned long long)a->addr[l],
               (unsigned long long)at);
    mask |= 1ull << l;
    if (!started) {
      first = at;
      started = true;
    }
    lo = at < lo ? at : lo;
    hi = at > hi ? at : hi;
    low |= at;
    same &= at == first;
    contig &= at == first + (uint64_t)l * bytes;
  }
  for (uint32_t l = 0; l < x->lanes;
       l++) { /* a lane that takes no part holds an active one's address */
    if (!(mask >> l & 1)) {
      bool found = false;
      for (uint32_t k = 0; k < x->lanes; k++)
        found |= mask >> k & 1 && a->addr[k] == a->addr[l];
      assert_true(found);
    }
    if (!l || a->addr[l] / 32 != prev / 32)
      fresh |= 1ull << l;
    prev = a->addr[l];
  }
  assert_int_equal(a->lanes, mask);
  assert_int_equal(a->bytes, bytes);
  assert_int_equal(a->space, store ? WW_GLOBAL : x->space);
  assert_int_equal(a->pattern, same     ? WW_PATTERN_SAME
                               : contig ? WW_PATTERN_CONTIG
                                        : WW_PATTERN_ANY);
  assert_int_equal(a->lo, lo);
  assert_int_equal(a->hi, hi + bytes);
  bool aligned = !(bytes & (bytes - 1)) && !(low & (bytes - 1));
  if (a->aligned && !aligned)
    fail_msg("said to be aligned");
  if (aligned && !a->aligned)
    fail_msg("not said to be aligned");
  if (a->pattern == WW_PATTERN_ANY)
    assert_int_equal(a->fresh, fresh);
  assert_true(a->weight == 1);
  *(store ? &x->stores : &x->loads) += (uint32_t)__builtin_popcountll(mask);
}

typedef struct {
  const char *type, *space;
  uint32_t n, size; /* elements of a lane, bytes of one */
  uint32_t stride, off, out_stride, out_off;
} shape;

/* Each lane loads n elements from %s + its stride and stores them to %q + its stride.
 * Block 0 makes the source. */
static const char *shape_text(const shape *s, uint32_t threads) {
  ww_buf b = {0};
  bool shared = !strcmp(s->space, "shared"), local = !strcmp(s->space, "local"),
       constant = !strcmp(s->space, "const"), param = !strcmp(s->space, "param");
  ww_buf_fmt(
      &b,
      HEAD
      "symbol $tile shared size %d align 16\nsymbol $table const size %d align 16\nfn "
      "$k kernel local %d {\n",
      SOURCE, SOURCE, SOURCE);
  ww_buf_fmt(&b,
             "  param %%on i64 pointer global\n  param %%src i64 pointer global\n  "
             "param %%dst i64 "
             "pointer global\n  param %%st i64 byval size %d align 16\n@entry:\n",
             SOURCE);
  ww_buf_puts(
      &b,
      "  %t = sreg i32 tid.x\n  %j = zext i64 from i32 %t\n  %po = add i64 %on, %j\n  "
      "%o = ld.global i1 [%po]\n");
  if (local) {
    ww_buf_puts(&b, "  %frame = localaddr i64 #0\n");
    ww_buf_fmt(&b, "  memcpy %%frame, %%src, %d:i64\n", SOURCE);
  }
  if (shared)
    ww_buf_fmt(&b, "  memcpy $tile:i64, %%src, %d:i64\n  bar\n", SOURCE);
  const char *from = shared     ? "$tile"
                     : local    ? "%frame"
                     : constant ? "$table"
                     : param    ? "%st"
                                : "%src";
  ww_buf_fmt(
      &b,
      "  %%p = lea i64 %s, %%j #%u\n  %%q = lea i64 %%dst, %%j #%u\n  cbr %%o, @yes, "
      "@no\n@yes:\n  ",
      from, s->stride, s->out_stride);
  for (uint32_t k = 0; k < s->n; k++)
    ww_buf_fmt(&b, "%s%%v%u", k ? ", " : "", k);
  ww_buf_fmt(&b, " = ld%s%s %s", *s->space == '*' ? "" : ".",
             *s->space == '*' ? "" : s->space, s->type);
  if (s->n > 1)
    ww_buf_fmt(&b, "x%u", s->n);
  ww_buf_fmt(&b, " [%%p + %u]\n  st.global %s", s->off, s->type);
  if (s->n > 1)
    ww_buf_fmt(&b, "x%u", s->n);
  ww_buf_fmt(&b, " [%%q + %u]", s->out_off);
  for (uint32_t k = 0; k < s->n; k++)
    ww_buf_fmt(&b, ", %%v%u", k);
  ww_buf_puts(&b, "\n  br @no\n@no:\n  ret\n}\n");
  (void)threads;
  char *text = ww_strdup(arena, b.s);
  ww_buf_free(&b);
  return text;
}

static void run_shape(const shape *s, int round) {
  ww_arena *keep = arena;
  arena = ww_arena_new();
  static uint8_t source[SOURCE], want[SOURCE];
  bool on[THREADS];
  for (uint32_t k = 0; k < SOURCE; k++)
    source[k] = (uint8_t)rig_random();
  for (uint32_t t = 0; t < THREADS; t++)
    on[t] = round == 0 || rig_random() % 3 == 0;
  uint32_t bytes = s->n * s->size;
  uint64_t args[] = {THREADS, SOURCE, SOURCE, (uint64_t)(uintptr_t)source};
  rig r = rig_open(shape_text(s, THREADS), 1, THREADS, args);
  memcpy(rig_buffer(&r, 0), on, THREADS);
  memcpy(rig_buffer(&r, 1), source, SOURCE);
  bool shared = !strcmp(s->space, "shared"), local = !strcmp(s->space, "local"),
       constant = !strcmp(s->space, "const"), param = !strcmp(s->space, "param");
  uint32_t off[4], total;
  ww_param_offsets(r.fn, off, &total);
  if (constant)
    memcpy(ww_memory_at(r.s.memory, r.s.symbol_addr[1], SOURCE), source, SOURCE);
  uint64_t base = shared     ? WW_SHARED_BASE
                  : local    ? WW_LOCAL_BASE
                  : constant ? r.s.symbol_addr[1]
                  : param    ? WW_PARAM_BASE + off[3]
                             : r.s.arg[1]->base;
  memset(want, 0xcc, SOURCE);
  for (uint32_t t = 0; t < THREADS; t++)
    if (on[t])
      memcpy(want + t * s->out_stride + s->out_off, source + t * s->stride + s->off,
             bytes); /* the highest lane wins */
  EVERYWHERE({
    expected x = {.lanes = lanes,
                  .bytes = bytes,
                  .on = on,
                  .base = base + s->off,
                  .stride = s->stride,
                  .out = r.s.arg[2]->base + s->out_off,
                  .out_stride = s->out_stride};
    x.space = shared     ? WW_SHARED
              : local    ? WW_LOCAL
              : constant ? WW_CONST
              : param    ? WW_PARAM
                         : WW_GLOBAL;
    ww_observer obs = {.ctx = &x, .access = check_access};
    memset(rig_buffer(&r, 2), 0xcc, SOURCE);
    r.spec.lanes = lanes;
    if (rig_run(&r, 1, &obs))
      fail_msg("%s", r.e.msg);
    uint32_t active = 0;
    for (uint32_t t = 0; t < THREADS; t++)
      active += on[t];
    assert_int_equal(x.loads, active);
    assert_int_equal(x.stores, active);
    const uint8_t *got = rig_buffer(&r, 2);
    for (uint32_t k = 0; k < SOURCE; k++)
      if (got[k] != want[k])
        fail_msg("%s %sx%u stride %u + %u to stride %u + %u, %u lanes, %s: byte %u is "
                 "%u, not %u",
                 s->space, s->type, s->n, s->stride, s->off, s->out_stride, s->out_off,
                 lanes, rig_isas[isa_], k, got[k], want[k]);
    ww_machine_free(r.mc);
    r.mc = NULL;
  })
  rig_close(&r);
  ww_arena_free(arena);
  arena = keep;
}

static void test_widths_and_alignments(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint32_t size;
  } types[] = {{"i8", 1},  {"i16", 2},  {"i32", 4}, {"i64", 8},
               {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8}};
  static const char *const spaces[] = {"global", "*",     "const",
                                       "shared", "local", "param"};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (uint32_t n = 1; n * types[t].size <= 16; n = n < 4 ? n + 1 : n * 2) {
      uint32_t b = n * types[t].size, strides[] = {b, 0, b + 1, 2 * b, 40, 64};
      for (int k = 0; k < 6; k++) {
        const char *space = t < 4 && k < 3 ? spaces[(n + t + (uint32_t)k) % 6]
                                           : spaces[rig_random() % 6];
        if (!strcmp(space, "shared") && k > 4)
          space = "*";
        shape s = {types[t].name,
                   space,
                   n,
                   types[t].size,
                   strides[k],
                   k % 2 ? (uint32_t)(rig_random() % 24) : 0,
                   k == 3   ? 0
                   : k == 4 ? b + 3
                            : 16 * (1 + (uint32_t)k % 2),
                   k % 3};
        run_shape(&s, k % 2);
      }
    }
}

/* Every space with the plain patterns, not left to chance. */
static void test_spaces(void **state) {
  (void)state;
  static const char *const spaces[] = {"global", "*",     "const",
                                       "shared", "local", "param"};
  for (int k = 0; k < 6; k++)
    for (int round = 0; round < 2; round++) {
      run_shape(&(shape){"i32", spaces[k], 1, 4, 4, 0, 4, 0}, round);
      run_shape(&(shape){"i64", spaces[k], 1, 8, 8, 4, 8, 4}, round);
      run_shape(&(shape){"i32", spaces[k], 4, 4, 0, 8, 16, 0}, round);
      run_shape(&(shape){"i8", spaces[k], 1, 1, 1, 3, 1, 5}, round);
    }
}

static void test_booleans(void **state) {
  (void)state;
  uint64_t args[] = {THREADS, THREADS};
  EVERYWHERE({
    rig r = rig_open(
        HEAD "fn $k kernel {\n  param %a i64 pointer global\n  param %b i64 pointer "
             "global\n@e:\n  "
             "%t = sreg i32 tid.x\n  %j = zext i64 from i32 %t\n  %p = add i64 %a, %j\n"
             "  %q = add i64 %b, %j\n  %v = ld.global i1 [%p]\n  %w = xor i1 %v, 1\n  "
             "st.global i1 "
             "[%q], %w\n  ret\n}\n",
        1, THREADS, args);
    r.spec.lanes = lanes;
    for (uint32_t t = 0; t < THREADS; t++)
      ((uint8_t *)rig_buffer(&r, 0))[t] = (uint8_t)(t * 7);
    rig_must(&r);
    for (uint32_t t = 0; t < THREADS; t++)
      assert_int_equal(((uint8_t *)rig_buffer(&r, 1))[t], !(t * 7 & 1));
    rig_close(&r);
  })
}

/* What a lane loaded last before it left the loop is still there behind it, however the
 * others' addresses lie. */
static void test_loads_of_fewer_lanes(void **state) {
  (void)state;
  static const struct {
    const char *type;
    uint32_t size, by_lane, by_round;
  } cases[] = {{"i32", 4, 4, 320}, {"i32", 4, 12, 8}, {"i32", 4, 0, 4},
               {"i64", 8, 8, 640}, {"i64", 8, 24, 8}, {"i64", 8, 0, 8},
               {"i8", 1, 1, 80},   {"i16", 2, 6, 2},  {"i8", 1, 0, 3}};
  uint64_t args[] = {4 * THREADS, SOURCE, 8 * THREADS};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *text = ww_fmt(
        arena,
        HEAD
        "fn $k kernel {\n  param %%n i64 pointer global\n  param %%a i64 pointer "
        "global\n  param "
        "%%out i64 pointer global\n@e:\n  %%t = sreg i32 tid.x\n  %%j = zext i64 from "
        "i32 %%t\n"
        "  %%pn = lea i64 %%n, %%j #4\n  %%trip = ld.global i32 [%%pn]\n  %%base = lea "
        "i64 %%a, "
        "%%j #%u\n  %%q = lea i64 %%out, %%j #8\n  br @loop\n"
        "@loop:\n  %%i = phi i32 [@e 0] [@loop %%i1]\n  %%i64 = zext i64 from i32 "
        "%%i\n  %%p = lea "
        "i64 %%base, %%i64 #%u\n  %%v = ld.global %s [%%p]\n  %%i1 = add i32 %%i, 1\n"
        "  %%c = icmp.ult i32 %%i1, %%trip\n  cbr %%c, @loop, @out\n@out:\n  st.global "
        "%s [%%q], "
        "%%v\n  ret\n}\n",
        cases[k].by_lane, cases[k].by_round, cases[k].type, cases[k].type);
    EVERYWHERE({
      rig r = rig_open(text, 1, THREADS, args);
      uint32_t *trip = rig_buffer(&r, 0);
      uint8_t *a = rig_buffer(&r, 1);
      for (uint32_t b = 0; b < SOURCE; b++)
        a[b] = (uint8_t)rig_random();
      for (uint32_t t = 0; t < THREADS; t++)
        trip[t] = 1 + (uint32_t)(rig_random() % 5);
      r.spec.lanes = lanes;
      rig_must(&r);
      for (uint32_t t = 0; t < THREADS; t++)
        if (memcmp((uint8_t *)rig_buffer(&r, 2) + 8 * t,
                   a + t * cases[k].by_lane + (trip[t] - 1) * cases[k].by_round,
                   cases[k].size))
          fail_msg("%s by %u, %u lanes, %s: thread %u", cases[k].type, cases[k].by_lane,
                   lanes, rig_isas[isa_], t);
      rig_close(&r);
    })
  }
}

/* Far apart: more pages than are made at once; and across the border of two pages. */
static void test_pages(void **state) {
  (void)state;
  static const uint64_t strides[] = {4194304, 2048, 100000, 65536 * 2, 65536 + 8};
  for (int k = 0; k < 5; k++) {
    uint64_t args[] = {(THREADS + 1) * strides[k] + 131072, THREADS * 8};
    rig r = rig_open(ww_fmt(arena,
                            HEAD "fn $k kernel {\n  param %%a i64 pointer global\n  "
                                 "param %%b i64 pointer global\n@e:\n "
                                 " %%t = sreg i32 tid.x\n  %%j = zext i64 from i32 "
                                 "%%t\n  %%p = lea i64 %%a, %%j #%llu\n"
                                 "  %%q = lea i64 %%b, %%j #8\n  %%v = ld.global i64 "
                                 "[%%p + 65534]\n  st.global i64 "
                                 "[%%q], %%v\n  ret\n}\n",
                            (unsigned long long)strides[k]),
                     1, THREADS, args);
    r.s.arg[0]->fill = (ww_fill){.kind = WW_FILL_INDEX};
    r.s.arg[0]->type = "i64";
    rig_must(&r);
    for (uint64_t t = 0; t < THREADS; t++) {
      uint64_t at = 65534 + t * strides[k], pair[2] = {at / 8, at / 8 + 1}, want;
      memcpy(&want, (uint8_t *)pair + at % 8, 8);
      assert_int_equal(((uint64_t *)rig_buffer(&r, 1))[t], want);
    }
    rig_close(&r);
  }
}

/* ---- copies ---- */

static void count_copies(void *ctx,
                         const ww_access *a) { /* bytes by kind; the last piece may be
                                                  shorter than it says */
  uint64_t *n = ctx;
  n[a->kind] += (uint64_t)__builtin_popcountll(a->lanes);
}

static void test_memcpy_and_memset(void **state) {
  (void)state;
  enum { PIECE = 64 };
  uint64_t args[] = {THREADS * PIECE, THREADS * PIECE, THREADS * 4};
  EVERYWHERE({
    rig r = rig_open(HEAD "fn $k kernel local 64 {\n  param %a i64 pointer global\n  "
                          "param %b i64 pointer global\n  "
                          "param %n i64 pointer global\n@e:\n  %t = sreg i32 tid.x\n  "
                          "%j = zext i64 from i32 %t\n"
                          "  %p = lea i64 %a, %j #64\n  %q = lea i64 %b, %j #64\n  %pn "
                          "= lea i64 %n, %j #4\n  %c = "
                          "ld.global i32 [%pn]\n  %f = localaddr i64 #0\n  %o = and "
                          "i32 %t, 1\n  %odd = icmp.ne i32 "
                          "%o, 0\n  cbr %odd, @copy, @set\n"
                          "@copy:\n  memcpy %f, %p, %c\n  memcpy %q, %f, %c\n  br "
                          "@out\n@set:\n  memset %q, %t, %c\n "
                          " br @out\n@out:\n  ret\n}\n",
                     1, THREADS, args);
    r.spec.lanes = lanes;
    uint8_t *a = rig_buffer(&r, 0);
    uint8_t *b = rig_buffer(&r, 1);
    uint32_t *n = rig_buffer(&r, 2);
    uint64_t seen[3] = {0};
    uint64_t pieces = 0;
    for (uint32_t k = 0; k < THREADS * PIECE; k++)
      a[k] = (uint8_t)rig_random();
    memset(b, 0xee, THREADS * PIECE);
    for (uint32_t t = 0; t < THREADS; t++) {
      n[t] = (uint32_t)(rig_random() % (PIECE + 1));
      pieces += t % 2 ? 2 * ((n[t] + 3) / 4) : (n[t] + 3) / 4;
    }
    ww_observer obs = {.ctx = seen, .access = count_copies};
    if (rig_run(&r, 1, &obs))
      fail_msg("%s", r.e.msg);
    for (uint32_t t = 0; t < THREADS; t++)
      for (uint32_t k = 0; k < PIECE; k++) {
        uint8_t want = k >= n[t] ? 0xee : t % 2 ? a[t * PIECE + k] : (uint8_t)t;
        if (b[t * PIECE + k] != want)
          fail_msg("thread %u of %u bytes, byte %u: %u, not %u", t, n[t], k,
                   b[t * PIECE + k], want);
      }
    assert_int_equal(seen[WW_ACCESS_STORE], pieces);
    rig_close(&r);
  })
}

/* ---- atomics ---- */

typedef struct {
  const char *op;
  ww_type type;
} atomic;

static double small_to_double(ww_type t, uint64_t v) {
  float f;
  double d;
  uint32_t u = (uint32_t)v;
  if (t == WW_F16)
    return ww_half_to_float((uint16_t)v);
  if (t == WW_BF16)
    return ww_bf16_to_float((uint16_t)v);
  if (t == WW_F32)
    return memcpy(&f, &u, 4), f;
  return memcpy(&d, &v, 8), d;
}

static uint64_t double_to(ww_type t, double d) {
  float f = (float)d;
  uint64_t v = 0;
  if (t == WW_F16)
    return ww_double_to_half(d);
  if (t == WW_BF16)
    return ww_float_to_bf16(f);
  memcpy(&v, t == WW_F32 ? (void *)&f : &d, t == WW_F32 ? 4 : 8);
  return v;
}

static uint64_t new_value(const atomic *c, uint64_t old, uint64_t b) {
  const char *o = c->op;
  uint64_t all =
      ww_type_bytes[c->type] == 8 ? ~0ull : (1ull << 8 * ww_type_bytes[c->type]) - 1;
  uint32_t shift = 64 - 8u * ww_type_bytes[c->type];
  int64_t so = (int64_t)(old << shift) >> shift, sb = (int64_t)(b << shift) >> shift;
  if (*o == 'f') {
    double x = small_to_double(c->type, old), y = small_to_double(c->type, b);
    return !strcmp(o, "fadd")   ? double_to(c->type, x + y)
           : !strcmp(o, "fsub") ? double_to(c->type, x - y)
           : !strcmp(o, "fmin") ? double_to(c->type, fmin(x, y))
                                : double_to(c->type, fmax(x, y));
  }
  if (!strcmp(o, "xchg"))
    return b;
  if (!strcmp(o, "add"))
    return (old + b) & all;
  if (!strcmp(o, "sub"))
    return (old - b) & all;
  if (!strcmp(o, "and"))
    return old & b;
  if (!strcmp(o, "or"))
    return old | b;
  if (!strcmp(o, "xor"))
    return old ^ b;
  if (!strcmp(o, "nand"))
    return ~(old & b) & all;
  if (!strcmp(o, "smin"))
    return so < sb ? old : b;
  if (!strcmp(o, "smax"))
    return so > sb ? old : b;
  if (!strcmp(o, "umin"))
    return old < b ? old : b;
  if (!strcmp(o, "umax"))
    return old > b ? old : b;
  if (!strcmp(o, "inc"))
    return old >= b ? 0 : old + 1;
  return old == 0 || old > b ? b : old - 1; /* dec */
}

static uint64_t atomic_operand(const atomic *c) {
  uint64_t r = rig_random();
  if (ww_is_float(c->type))
    return double_to(c->type, (double)(int64_t)(r % 64) - 20);
  if (!strcmp(c->op, "inc") || !strcmp(c->op, "dec"))
    return r % 9;
  return r >> (64 - 8 * ww_type_bytes[c->type]);
}

static void check_atomic_event(void *ctx, const ww_access *a) {
  if (a->kind != WW_ACCESS_ATOMIC)
    return;
  *(uint32_t *)ctx += (uint32_t)__builtin_popcountll(a->lanes);
  for (uint64_t m = a->lanes; m; m &= m - 1) {
    uint64_t at = a->addr[__builtin_ctzll(m)];
    assert_true(at >= a->lo && at + a->bytes <= a->hi);
  }
}

/* Threads meet at seven places, in order of warps and lanes; the odd ones keep the old
 * value. */
static void run_atomic(const atomic *c, bool shared) {
  enum { PLACES = 7 };
  uint32_t size = ww_type_bytes[c->type];
  const char *name = ww_type_names[c->type], *space = shared ? "shared" : "global";
  uint64_t args[] = {8 * THREADS, 8 * PLACES, 8 * THREADS}, in[THREADS], place[PLACES],
           start[PLACES], want_old[THREADS] = {0};
  const char *base = shared ? "$cells" : "%cells";
  char *text = ww_fmt(arena,
                      HEAD "symbol $cells shared size 56 align 8\nfn $k kernel {\n  "
                           "param %%in i64 pointer global\n  "
                           "param %%cells i64 pointer global\n  param %%old i64 "
                           "pointer global\n@e:\n  %%t = sreg i32 "
                           "tid.x\n  %%j = zext i64 from i32 %%t\n"
                           "  %%p = lea i64 %%in, %%j #8\n  %%v = ld.global %s [%%p]\n "
                           " %%m = urem i64 %%j, 7\n  %%q = "
                           "lea i64 %s, %%m #8\n  %%g = lea i64 %%cells, %%m #8\n  %%o "
                           "= lea i64 %%old, %%j #8\n"
                           "  %%c = icmp.ult i32 %%t, 7\n  cbr %%c, @init, "
                           "@go\n@init:\n  %%i = ld.global %s [%%g]\n  "
                           "st.%s %s [%%q], %%i\n  br @go\n@go:\n  bar\n  %%b = and "
                           "i32 %%t, 1\n  %%odd = icmp.ne i32 "
                           "%%b, 0\n"
                           "  %%r = atom.%s.%s %s [%%q], %%v\n  cbr %%odd, @keep, "
                           "@out\n@keep:\n  st.global %s [%%o], "
                           "%%r\n  br @out\n@out:\n  bar\n  %%f = ld.%s %s [%%q]\n  "
                           "st.global %s [%%g], %%f\n  ret\n}\n",
                      name, base, name, space, name, c->op, space, name, name, space,
                      name, name);
  rig r = rig_open(text, 1, THREADS, args);
  for (uint32_t t = 0; t < THREADS; t++)
    in[t] = atomic_operand(c);
  for (uint32_t k = 0; k < PLACES; k++)
    start[k] = place[k] = atomic_operand(c);
  memcpy(rig_buffer(&r, 0), in, sizeof in);
  for (uint32_t t = 0; t < THREADS; t++) {
    if (t % 2)
      want_old[t] = place[t % PLACES];
    place[t % PLACES] = new_value(c, place[t % PLACES], in[t]);
  }
  EVERYWHERE({
    memcpy(rig_buffer(&r, 1), start, sizeof start);
    memset(rig_buffer(&r, 2), 0, args[2]);
    r.spec.lanes = lanes;
    uint32_t seen = 0;
    ww_observer obs = {.ctx = &seen, .access = check_atomic_event};
    if (rig_run(&r, 1, &obs))
      fail_msg("%s", r.e.msg);
    assert_int_equal(seen, THREADS);
    for (uint32_t t = 0; t < THREADS; t++)
      if (memcmp((uint8_t *)rig_buffer(&r, 2) + 8 * t, &want_old[t], size))
        fail_msg("atom.%s %s, %s: old value of thread %u", c->op, name, space, t);
    for (uint32_t k = 0; k < PLACES; k++)
      if (memcmp((uint8_t *)rig_buffer(&r, 1) + 8 * k, &place[k], size))
        fail_msg("atom.%s %s, %s: place %u", c->op, name, space, k);
    ww_machine_free(r.mc);
    r.mc = NULL;
  })
  rig_close(&r);
}

static void test_atomics(void **state) {
  (void)state;
  static const char *const ints[] = {"xchg", "add",  "sub",  "and",  "or",
                                     "xor",  "nand", "smin", "smax", "umin",
                                     "umax", "inc",  "dec"},
                           *const reals[] = {"fadd", "fsub", "fmin", "fmax", "xchg"};
  for (int shared = 0; shared < 2; shared++) {
    for (ww_type t = WW_I8; t <= WW_I64; t++)
      for (int k = 0; k < 13; k++)
        run_atomic(&(atomic){ints[k], t}, shared);
    for (ww_type t = WW_F16; t <= WW_F64; t++)
      for (int k = 0; k < 5; k++)
        run_atomic(&(atomic){reals[k], t}, shared);
  }
}

/* A chain of compare-and-swaps: only the thread whose turn it is gets through. */
static void test_compare_and_swap(void **state) {
  (void)state;
  uint64_t args[] = {16, THREADS * 4};
  EVERYWHERE({
    rig r = rig_open(
        HEAD "fn $k kernel {\n  param %a i64 pointer global\n  param %out i64 pointer "
             "global\n@e:\n  %t = sreg i32 tid.x\n  %j = zext i64 from i32 %t\n  %p = "
             "lea i64 %out, %j #4\n  %n = add i32 %t, 1\n"
             "  %old = cas.global i32 [%a + 4], %t, %n\n  cas.global i64 [%a + 8], 0, "
             "%j\n  st.global i32 [%p], %old\n  ret\n}\n",
        1, THREADS, args);
    r.spec.lanes = lanes;
    rig_must(&r);
    for (uint32_t t = 0; t < THREADS; t++)
      assert_int_equal(((uint32_t *)rig_buffer(&r, 1))[t], t);
    assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[1], THREADS);
    assert_int_equal(((uint64_t *)rig_buffer(&r, 0))[1], 1);
    rig_close(&r);
  })
}

/* ---- addresses where nothing is ---- */

#define BAD(body)                                                                      \
  HEAD "symbol $tile shared size 64 align 4\nfn $k kernel local 32 {\n  param %a i64 " \
       "\"a\" "                                                                        \
       "pointer global\n  param %b i64 \"b\" pointer global\n  param %s i64 \"s\" "    \
       "byval size 16 "                                                                \
       "align 8\n@e:\n"                                                                \
       "  %t = sreg i32 tid.x  !2\n  %j = zext i64 from i32 %t  !2\n  %l = localaddr " \
       "i64 #0  "                                                                      \
       "!2\n  st.shared i32 [$tile], 0  !2\n" body "  ret\n}\n"

static void expect_fault(const char *text, const char *part, uint32_t line) {
  static const uint8_t bytes[16];
  uint64_t args[] = {THREADS * 4 - 4, 256, (uint64_t)(uintptr_t)bytes};
  EVERYWHERE({
    rig r = rig_open(text, 1, THREADS, args);
    r.spec.lanes = lanes;
    ww_status st = rig_run(&r, 1, NULL);
    if (st != WW_EDATA)
      fail_msg("status %s, not a fault: %s", ww_status_name(st), part);
    if (!strstr(r.e.msg, part))
      fail_msg("`%s` does not say `%s`", r.e.msg, part);
    if (r.e.line != line || !r.e.file || strcmp(r.e.file, "k.cu"))
      fail_msg("`%s` is said of line %u", r.e.msg, r.e.line);
    assert_false(r.stats.fault_assumed);
    rig_close(&r);
  })
  for (uint32_t k = 0; k < 16; k++)
    assert_int_equal(bytes[k], 0);
}

static void test_faults(void **state) {
  (void)state;
  expect_fault(BAD("  %p = lea i64 %a, %j #4  !5\n  %v = ld.global i32 [%p]  !6\n"),
               "load of 4 bytes at byte 316 of `a`, which has 316 bytes, thread 79", 6);
  expect_fault(BAD("  %p = lea i64 %a, %j #4  !5\n  st.global i32 [%p], %t  !7\n"),
               "store of 4 bytes at byte 316 of `a`, which has 316 bytes, thread 79",
               7);
  expect_fault(
      BAD("  %p = lea i64 %a, %j #4  !5\n  %v = atom.add.global i32 [%p], %t  !8\n"),
      "atomic of 4 bytes at byte 316 of `a`", 8);
  expect_fault(BAD("  %p = lea i64 %b, %j #4  !5\n  %v, %w, %x, %y = ld.global i32x4 "
                   "[%p - 4]  !9\n"),
               "load of 16 bytes at byte -4 of `b`, which has 256 bytes, thread 0", 9);
  expect_fault(
      BAD("  %p = lea i64 %b, %j #4  !5\n  %v, %w = ld.global i32x2 [%p + 4]  !9\n"),
      "load of 8 bytes at byte 252 of `b`, which has 256 bytes, thread 62", 9);
  expect_fault(BAD("  %v = ld.global i32 [8]  !3\n"),
               "load of 4 bytes through a null pointer (address 8)", 3);
  expect_fault(BAD("  st i32 [0], 1  !4\n"),
               "store of 4 bytes through a null pointer (address 0)", 4);
  expect_fault(
      BAD("  %p = lea i64 $tile, %j #4  !5\n  st.shared i32 [%p], %t  !5\n"),
      "store of 4 bytes at shared memory offset 64, which has 64 bytes, thread 16", 5);
  expect_fault(BAD("  %p = lea i64 $tile, %j #4  !5\n  %v = ld i32 [%p]  !6\n"),
               "load of 4 bytes at shared memory offset 64", 6);
  expect_fault(BAD("  %v = atom.add.shared i32 [$tile + 64], 1  !6\n"),
               "atomic of 4 bytes at shared memory offset 64", 6);
  expect_fault(BAD("  st i32 [%s], 1  !6\n"), "store of 4 bytes at", 6);
  expect_fault(BAD("  %p = lea i64 %s, %j #4  !6\n  st i32 [%p], 1  !6\n"),
               "store of 4 bytes at", 6);
  expect_fault(BAD("  atom.add i32 [%s], 1  !6\n"), "atomic of 4 bytes at", 6);
  expect_fault(BAD("  %v = cas i32 [%s + 4], 0, 1  !6\n"), "atomic of 4 bytes at", 6);
  expect_fault(BAD("  memset %s, 1:i32, 4:i32  !6\n"), "memset of 4 bytes at", 6);
  expect_fault(BAD("  memcpy %s, %a, 8:i32  !6\n"), "memcpy of 4 bytes at", 6);
  expect_fault(BAD("  %v = ld i32 [%s + 16]  !6\n"), "load of 4 bytes at address 0x",
               6);
  expect_fault(BAD("  %v = ld.local i32 [%l + 32]  !6\n"),
               "load of 4 bytes at address 0x", 6);
  expect_fault(BAD("  memcpy %b, %a, 257:i64  !6\n"),
               "memcpy of 4 bytes at byte 256 of `b`", 6);
  expect_fault(BAD("  memcpy %l, %a, 36:i64  !6\n"), "memcpy of 4 bytes at address 0x",
               6);
  expect_fault(BAD("  memset %b, 0:i32, 300:i64  !6\n"),
               "memset of 4 bytes at byte 256 of `b`", 6);
  expect_fault(BAD("  %v = ld.global i32 [-4]  !6\n"), "load of 4 bytes", 6);
}

/* The gap between two buffers belongs to neither. */
static void test_gaps(void **state) {
  (void)state;
  ww_memory *m = ww_memory_new(1);
  ww_region *a = ww_memory_add(m, "a", WW_GLOBAL, 100),
            *b = ww_memory_add(m, "b", WW_CONST, 1 << 20),
            *c = ww_memory_add(m, "c", WW_GLOBAL, 0);
  assert_true(a->base >= WW_GLOBAL_BASE && a->base % 256 == 0 && b->base % 256 == 0);
  assert_ptr_equal(ww_memory_find(m, a->base), a);
  assert_ptr_equal(ww_memory_find(m, a->base + 99), a);
  assert_null(ww_memory_find(m, a->base + 100));
  assert_null(ww_memory_find(m, b->base - 1));
  assert_ptr_equal(ww_memory_find(m, b->base + (1 << 20) - 1), b);
  assert_null(ww_memory_find(m, 0));
  assert_null(ww_memory_at(m, a->base + 96, 5));
  assert_non_null(ww_memory_at(m, a->base + 96, 4));
  assert_true(c->unbounded && c->origin > c->base &&
              ww_memory_find(m, c->origin - 4096) == c);
  *(uint32_t *)ww_memory_at(m, a->base, 4) = 7;
  ww_memory_reset(m);
  assert_int_equal(*(uint32_t *)ww_memory_at(m, a->base, 4), 0);
  ww_memory_free(m);
}

/* ---- textures ---- */

/* What is asked for says how many axes there are; flags are none of them. */
static void test_texture_shapes(void **state) {
  (void)state;
  static const struct {
    const char *axes[3];
    uint32_t want[3];
  } of[] = {{{"0", "1", "3"}, {32, 32, 0}},
            {{"0", "1", "2"}, {10, 10, 10}},
            {{"0", "3", "4"}, {1024, 0, 0}}};
  for (size_t k = 0; k < WW_COUNT(of); k++) {
    const char *const *axes = of[k].axes;
    rig r = rig_open(ww_fmt(arena,
                            HEAD "fn $k kernel {\n  param %%t i64 pointer global\n"
                                 "  param %%o i64 pointer global\n@e:\n"
                                 "  %%a = texdim i64 %%t, %s:i32\n"
                                 "  %%b = texdim i64 %%t, %s:i32\n"
                                 "  %%c = texdim i64 %%t, %s:i32\n"
                                 "  st.global i64 [%%o], %%a\n"
                                 "  st.global i64 [%%o + 8], %%b\n"
                                 "  st.global i64 [%%o + 16], %%c\n  ret\n}\n",
                            axes[0], axes[1], axes[2]),
                     1, 1, (const uint64_t[]){4096, 24});
    rig_must(&r);
    const uint64_t *got = rig_buffer(&r, 1);
    for (int n = 0; n < 3; n++)
      assert_int_equal(got[n], of[k].want[n]);
    rig_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(test_widths_and_alignments),
      RIG_TEST(test_spaces),
      RIG_TEST(test_booleans),
      RIG_TEST(test_loads_of_fewer_lanes),
      RIG_TEST(test_pages),
      RIG_TEST(test_memcpy_and_memset),
      RIG_TEST(test_atomics),
      RIG_TEST(test_compare_and_swap),
      RIG_TEST(test_faults),
      RIG_TEST(test_gaps),
      RIG_TEST(test_texture_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
