/* test_ir.c - the IR: text form and back, control flow, the checker, names, and
 * docs/ir.md against ops.def. */
#include "group.h"

#include "../../src/ir/ir.h"

static ww_module parse(const char *text) {
  ww_module m;
  ww_err e = {0};
  if (ww_ir_parse(text, arena, &m, &e) != WW_OK)
    fail_msg("%s", e.msg);
  return m;
}

static ww_module parse_checked(const char *text) {
  ww_module m = parse(text);
  ww_err e = {0};
  if (ww_ir_check(&m, &e) != WW_OK)
    fail_msg("%s", e.msg);
  return m;
}

static char *print(const ww_module *m) {
  ww_buf b = {0};
  ww_ir_print_module(m, &b);
  char *s = ww_strdup(arena, b.s);
  ww_buf_free(&b);
  return s;
}

/* ---- text ---- */

/* Exactly as print.c writes it. */
static const char saxpy[] =
    "module cuda warp 32\n"
    "file \"saxpy.cu\"\n"
    "file \"a.h\"\n"
    "symbol $coef const size 16 align 4 init \"0000803f00000040\"\n"
    "\n"
    "fn $_Z5saxpyifPfS_ \"saxpy\" kernel file \"saxpy.cu\" line 3 bounds 256 2 {\n"
    "  param %n.0 i32 \"n\" \"int\" size 4 align 4\n"
    "  param %a.1 f32 \"a\" \"float\" size 4 align 4\n"
    "  param %x.2 i64 \"x\" \"const float *\" pointer global readonly elem f32 "
    "elem_size 4 size 8 "
    "align 8\n"
    "  param %y.3 i64 \"y\" \"float *\" pointer global elem f32 elem_size 4 size 8 "
    "align 8\n"
    "@entry.0:\n"
    "  %4 = sreg i32 ctaid.x  !4\n"
    "  %5 = sreg i32 tid.x  !4\n"
    "  %6 = mul.nsw i32 %4, 256  !4\n"
    "  %i.7 = add i32 %6, %5  !4\n"
    "  %8 = icmp.slt i32 %i.7, %n.0  !5\n"
    "  cbr %8, @then.1, @end.2  !5\n"
    "@then.1:\n"
    "  %9 = sext i64 from i32 %i.7  !6\n"
    "  %10 = lea i64 %x.2, %9 #4  !6\n"
    "  %11 = ld.global.readonly f32 [%10]  !6\n"
    "  %12 = lea i64 %y.3, %9 #4  !1:7\n"
    "  %13 = ld.global f32 [%12 - 8]  !6\n"
    "  %14 = fma f32 %a.1, %11, %13  !6\n"
    "  %15 = fmul.rz.contract f32 %14, 1.5  !6\n"
    "  st.global f32 [%12 + 4], %15  !6\n"
    "  br @end.2\n"
    "@end.2:\n"
    "  %17 = phi f32 [@entry.0 0.1] [@then.1 %15]\n"
    "  %18 = ld.const f32 [$coef+4]\n"
    "  ret\n"
    "}\n";

static void test_print_is_canonical(void **state) {
  (void)state;
  ww_module m = parse_checked(saxpy);
  assert_string_equal(print(&m), saxpy);
  assert_int_equal(m.nlocs, 5); /* unknown, 4, 5, 6, 1:7 */
  const ww_fn *f = &m.fns[0];
  assert_int_equal(f->vals[7].kind, WW_VAL_RESULT);
  assert_string_equal(f->vals[7].name, "i");
  assert_int_equal(f->blocks[1].ins[4].imm, -8);
  assert_true(f->params[2].pointer && f->params[2].readonly);
  assert_int_equal(f->params[2].elem, WW_F32);
}

/* One instruction of every shape: operands in the pool, several results, all kinds of
 * literals. */
static const char all_shapes[] =
    "module hip warp 64\n"
    "symbol $tab global size 32 align 8 init \"01\" reloc 8 $tab+16 reloc 16 $callee\n"
    "symbol $\"odd name\" shared dynamic size 0 align 16\n"
    "fn $callee ret f32 {\n"
    "  param %a f32\n"
    "  param %p i64 pointer shared\n"
    "@entry:\n"
    "  %r = fadd f32 %a, -0.0\n"
    "  ret %r\n"
    "}\n"
    "fn $pair {\n"
    "@entry:\n"
    "  ret 1:i32, 0.1:f64\n"
    "}\n"
    "fn $broken \"why::broken<int>\" kernel refusal \"inline \\\"asm\\\"\" {\n"
    "  param %x i32 \"x\"\n"
    "}\n"
    "fn $k kernel local 64 shared 128 reqd 8 4 1 {\n"
    "  param %p i64 \"p\" \"struct s\" param byval size 24 align 8\n"
    "@entry:\n"
    "  %l = localaddr i64 #16\n"
    "  %v0, %v1, %v2, %v3 = ld.global.volatile f32x4 [%p + 16]\n"
    "  st.local f32x2 [%l], %v3, 2.5\n"
    "  %s, %ok = shfl.bfly i32 7, 1, 31\n"
    "  %mask, %all = match.all i64 %s\n"
    "  %b = vote.ballot i64 %ok\n"
    "  %c = call f32 $callee(%v0, $\"odd name\":i64)\n"
    "  %d:i32, %e:f64 = call $pair()\n"
    "  %t = mov i64 $callee\n"
    "  %g = calli f32 %t(0x7fc00000, %p)\n"
    "  %old = atom.fadd.global f32 [%p], %g\n"
    "  atom.add.shared i32 [$\"odd name\" + 4], -1\n"
    "  %cas = cas i64 [$tab-8], 0, 9223372036854775807\n"
    "  %m0:f32, %m1:f32 = mma.3 f32 from f16 %v0, %v1, %v2 #4096\n"
    "  %h = fcvt f16 from f32 %v1\n"
    "  %h2 = fadd f16 %h, 0x3c00\n"
    "  %sq = math.sqrt.approx f32 %c\n"
    "  %ex = math.ilogb i32 %sq\n"
    "  %pw = math.pow f64 %e, -1e-300\n"
    "  memcpy %p, %t, 100:i64\n"
    "  bar #1\n"
    "  %n = bar.popc i32 %ok\n"
    "  %n1 = bar.and i1 %ok, 64:i32 #2\n"
    "  bar %n, 128:i32\n"
    "  bar.arrive %n, 128:i32\n"
    "  printf $tab:i64, %n, 3:i8\n"
    "  %low = ftosi i32 from f32 %sq\n"
    "  %rnd = ftosi.rn i32 from f32 %sq\n"
    "  switch i32 %n, @out, 1 @one, -2 @two, 5 @one\n"
    "@one:\n"
    "  %z = select i32 %all, %low, %rnd\n"
    "  br @out\n"
    "@two:\n"
    "  trap #1\n"
    "@out:\n"
    "  %y = phi i32 [@entry %ex] [@one %z]\n"
    "  exit\n"
    "}\n"
    "fn $async kernel cluster 2 1 1 {\n"
    "  param %p i64 \"p\"\n"
    "@entry:\n"
    "  mbar.init.shared i64 [%p], 4:i32\n"
    "  mbar.expect.shared.part i64 [%p + 8], 512:i32\n"
    "  %s = mbar.arrive.shared i64 [%p + 8], 1:i32\n"
    "  %a = mwait.shared i64 [%p], %s\n"
    "  %b = mwait i32 [%p - 8], 1\n"
    "  bulk.load.shared %p, %p, 64:i32, %p, 0:i32\n"
    "  bulk.store.global f32 %p, %p, 64:i32, 0:i64, 0:i32 #12\n"
    "  tma.load.shared %p, %p, %p, 3:i32, 1:i32, -2:i32\n"
    "  %f0:f32, %f1:f32, %f2:f32, %f3:f32 = wgmma.1.ua f32 from e4m3 0:i32, 1:i1, %p, "
    "%p, 1.0:f32, 2.0:f32, 3.0:f32, 4.0:f32 #65536\n"
    "  %g0:i32, %g1:i32, %g2:i32, %g3:i32 = wgmma.1 i32 from i8 4:i32, %a, 1:i32, "
    "2:i32, 3:i32, 4:i32, %p, 0:i32, 0:i32, 0:i32, 0:i32 #65536\n"
    "  group.wgwait #1\n"
    "  group.bulkcommit\n"
    "  clusterbar.arrive\n"
    "  clusterbar.wait\n"
    "  %m = mapa i64 %p, 1:i32\n"
    "  %r = ctarank i32 %m\n"
    "  %q = sreg i32 cluster.ctaid.x\n"
    "  %e = fcvt e5m2 from f32 %f0\n"
    "  maxreg #232\n"
    "  exit\n"
    "}\n";

static void test_round_trip(void **state) {
  (void)state;
  ww_module m = parse_checked(all_shapes);
  char *once = print(&m);
  ww_module again = parse_checked(once);
  assert_string_equal(print(&again), once);

  const ww_fn *k = &m.fns[3];
  assert_int_equal(k->blocks[0].ins[1].n, 4);
  assert_int_equal(k->blocks[0].ins[1].nres, 4);
  assert_int_equal(k->blocks[0].nsucc, 3);
  assert_int_equal(m.symbols[0].nrelocs, 2);
  assert_true(m.symbols[0].relocs[1].fn);
  assert_int_equal(m.symbols[0].relocs[0].add, 16);
  assert_int_equal(m.symbols[0].init[0], 1);
  assert_int_equal(m.symbols[0].init[31], 0);
  assert_non_null(strstr(once, "refusal \"inline \\\"asm\\\"\""));
  assert_non_null(strstr(once, "switch i32 %n."));
  assert_non_null(strstr(once, "ftosi i32"));
  assert_non_null(strstr(once, "ftosi.rn i32"));
}

static void test_literals_keep_their_bits(void **state) {
  (void)state;
  static const struct {
    const char *text;
    ww_type type;
    uint64_t bits;
  } cases[] = {
      {"-1:i32", WW_I32, 0xffffffff},
      {"-1:i64", WW_I64, UINT64_MAX},
      {"-9223372036854775808:i64", WW_I64, 1ull << 63},
      {"-1:i8", WW_I8, 0xff},
      {"1:i1", WW_I1, 1},
      {"0x10:i16", WW_I16, 16},
      {"0.1:f32", WW_F32, 0x3dcccccd},
      {"-0.0:f32", WW_F32, 0x80000000},
      {"0.1:f64", WW_F64, 0x3fb999999999999aull},
      {"1e-45:f32", WW_F32, 1},
      {"0x7f800000:f32", WW_F32, 0x7f800000},
      {"0xfff0000000000001:f64", WW_F64, 0xfff0000000000001ull},
      {"0x3f80:bf16", WW_BF16, 0x3f80},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ww_module m = parse_checked(
        ww_fmt(arena, "fn $f {\n@a:\n  ret %s, 0:i1\n}\n", cases[k].text));
    ww_module n = parse_checked(print(&m));
    for (int twice = 0; twice < 2; twice++) {
      const ww_fn *f = twice ? &n.fns[0] : &m.fns[0];
      const ww_value *v = &f->vals[f->pool[0]];
      assert_int_equal(v->type, cases[k].type);
      assert_true(v->bits == cases[k].bits);
    }
  }
}

static void test_parse_errors(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint32_t line;
    const char *says;
  } cases[] = {
      {"module cuda\nfn $f {\n@a:\n  br @b\n}\n", 4, "no block @b"},
      {"fn $f {\n@a:\n  %x = add i32 %y, 1\n  ret\n}\n", 3, "%y is never defined"},
      {"fn $f {\n@a:\n  %x = add i32 1, 1\n  %x = add i32 1, 2\n  ret\n}\n", 4,
       "defined twice"},
      {"fn $f {\n@a:\n  %x = frob i32 1\n  ret\n}\n", 3, "unknown operation 'frob'"},
      {"fn $f {\n@a:\n  %x = add i32 1\n  ret\n}\n", 3, "needs 2 operands"},
      {"fn $f {\n@a:\n  %x = add i8 300, 1\n  ret\n}\n", 3, "'300' is no i8"},
      {"fn $f {\n@a:\n  ret 1\n}\n", 3, "needs a type"},
      {"fn $f {\n@a:\n  call $g()\n  ret\n}\n", 3, "no function or symbol 'g'"},
      {"fn $f {\n@a:\n  ret\n@a:\n  ret\n}\n", 4, "there twice"},
      {"fn $f {\n}\nfn $f {\n}\n", 3, "there twice"},
      {"fn $f {\n@a:\n  %x.2, %y.9 = shfl.idx i32 1, 2, 3\n  ret\n}\n", 3,
       "not in sequence"},
      {"fn $f {\n@a:\n  %x.2 = add i32 1, 2\n  %y.2 = add i32 1, 2\n  ret\n}\n", 4,
       "index is taken"},
      {"fn $f {\n@a:\n  %x.999999999 = add i32 1, 2\n  ret\n}\n", 3, "too large"},
      {"fn $f {\n@a:\n  ret", 3, "expected '}'"},
      {"file \"x\nfn $f {\n}\n", 1, "not closed"},
      {"symbol $s global size 1 init \"0102\"\n", 1, "no hexadecimal"},
      {"fn $f {\n@a:\n  %x = phi\n  ret\n}\n", 3, "expected a type"},
      {"fn $f {\n@a:\n  phi i32\n  ret\n}\n", 3, "phi has one result"},
      {"fn $f {\n  param\n}\n", 2, "expected a value"},
      {"~\n", 1, "unexpected character"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ww_module m;
    ww_err e = {0};
    assert_int_equal(ww_ir_parse(cases[k].text, arena, &m, &e), WW_EPARSE);
    if (!strstr(e.msg, cases[k].says) || e.line != cases[k].line)
      fail_msg("case %zu: line %u: %s", k, e.line, e.msg);
  }
}

/* Damaged text must give an error or a module, never a crash (run under the
 * sanitizers). */
static void test_parse_survives_damage(void **state) {
  (void)state;
  size_t n = strlen(all_shapes);
  char *text = ww_strdup(arena, all_shapes);
  uint32_t seed = 1, parsed = 0;
  for (int round = 0; round < 3000; round++) {
    seed = seed * 1664525 + 1013904223;
    size_t at = (seed >> 8) % n;
    char old = text[at];
    text[at] = "\n %@$0x9,.:=]}\"-"[seed % 17];
    ww_arena *a = ww_arena_new();
    ww_module m;
    if (ww_ir_parse(text, a, &m, NULL) == WW_OK && ww_ir_check(&m, NULL) == WW_OK) {
      ww_buf b = {0};
      ww_ir_print_module(&m, &b);
      assert_int_equal(ww_ir_parse(b.s, a, &m, NULL), WW_OK);
      ww_buf_free(&b);
      parsed++;
    }
    ww_arena_free(a);
    text[at] = old;
  }
  assert_in_range(parsed, 1, 2999);
}

/* ---- flow ---- */

/* Graphs are given as "successors of 0 | of 1 | ..."; "r" returns, "t" traps, "e"
 * exits. */
static ww_fn *graph(const char *spec) {
  ww_buf b = {0};
  ww_buf_puts(&b, "fn $g {\n  param %c i1\n  param %s i32\n");
  int block = 0;
  for (const char *p = spec; *p;) {
    uint32_t to[8], n = 0;
    char end = 0;
    for (; *p && *p != '|'; p++) {
      if (*p >= '0' && *p <= '9')
        to[n++] = (uint32_t)(*p - '0');
      else if (*p != ' ')
        end = *p;
    }
    if (*p)
      p++;
    ww_buf_fmt(&b, "@%d:\n", block++);
    if (n == 0)
      ww_buf_puts(&b, end == 't' ? "  trap\n" : end == 'e' ? "  exit\n" : "  ret\n");
    else if (n == 1)
      ww_buf_fmt(&b, "  br @%u\n", to[0]);
    else if (n == 2)
      ww_buf_fmt(&b, "  cbr %%c, @%u, @%u\n", to[0], to[1]);
    else {
      ww_buf_fmt(&b, "  switch i32 %%s, @%u", to[0]);
      for (uint32_t k = 1; k < n; k++)
        ww_buf_fmt(&b, ", %u @%u", k, to[k]);
      ww_buf_puts(&b, "\n");
    }
  }
  ww_buf_puts(&b, "}\n");
  ww_module m = parse(b.s);
  ww_buf_free(&b);
  return &m.fns[0];
}

#define NONE 99 /* WW_NOBLOCK in the expectations */

static void expect(
    const char *what, const ww_fn *f, const char *spec, size_t field, const int *want) {
  for (uint32_t k = 0; k < f->nblocks; k++) {
    uint32_t is = *(const uint32_t *)((const char *)&f->blocks[k] + field);
    if (is != (want[k] == NONE ? WW_NOBLOCK : (uint32_t)want[k]))
      fail_msg("graph %s: %s of block %u is %d, not %d", spec, what, k, (int)is,
               want[k]);
  }
}

static void test_dominators(void **state) {
  (void)state;
  static const struct {
    const char *graph;
    int idom[9], ipdom[9];
  } cases[] = {
      {"1 2|3|3|r", {0, 0, 0, 0}, {3, 3, 3, NONE}}, /* diamond */
      {"1|2 3|1|r", {0, 0, 1, 1}, {1, 3, 1, NONE}}, /* loop */
      {"1 1|r", {0, 0}, {1, NONE}},                 /* both ways to one block */
      {"1 2|r|r", {0, 0, 0}, {NONE, NONE, NONE}},   /* two returns */
      {"1 2|t|3|r",
       {0, 0, 0, 2},
       {2, NONE, 3, NONE}}, /* the trap does not keep lanes apart */
      {"1 4|2 3|t|4|r",
       {0, 0, 1, 1, 0},
       {4, 3, NONE, 4, NONE}},                    /* nested: they meet at 4 */
      {"1 2|e|t", {0, 0, 0}, {NONE, NONE, NONE}}, /* none returns */
      {"1|2 3|4|4|1",
       {0, 0, 1, 1, 1},
       {1, 4, 4, 4, NONE}}, /* endless loop with a diamond: latch is 4 */
      {"1 2|1|r", {0, 0, 0}, {2, NONE, NONE}},          /* a side that spins for ever */
      {"1 2|2 3|1 3|r", {0, 0, 0, 0}, {3, 3, 3, NONE}}, /* irreducible */
      {"1 2 3 3|4|4|4|r", {0, 0, 0, 0, 0}, {4, 4, 4, 4, NONE}}, /* switch */
      {"2|2|r", {0, NONE, 0}, {2, 2, NONE}}, /* block 1 cannot be reached */
      {"1|1", {0, 0}, {1, NONE}},
      {"0 1|r", {0, 0}, {1, NONE}}, /* entry is a loop */
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const ww_fn *f = graph(cases[k].graph);
    expect("idom", f, cases[k].graph, offsetof(ww_block, idom), cases[k].idom);
    expect("ipdom", f, cases[k].graph, offsetof(ww_block, ipdom), cases[k].ipdom);
  }
}

/* Dominance by definition, on random graphs: a dominates b when b is not reached
 * without a. */
static bool reaches_without(
    const ww_fn *f, uint32_t from, uint32_t to, uint32_t without, bool *seen) {
  if (from == without || seen[from])
    return false;
  if (from == to)
    return true;
  seen[from] = true;
  for (uint32_t k = 0; k < f->blocks[from].nsucc; k++)
    if (reaches_without(f, f->blocks[from].succ[k], to, without, seen))
      return true;
  return false;
}

static bool by_tree(const ww_fn *f, uint32_t a, uint32_t b) {
  while (b != a && f->blocks[b].idom != b && f->blocks[b].idom != WW_NOBLOCK)
    b = f->blocks[b].idom;
  return a == b;
}

static void test_dominators_of_random_graphs(void **state) {
  (void)state;
  uint32_t seed = 7;
  for (int round = 0; round < 400; round++) {
    char spec[64] = "";
    for (int b = 0; b < 8; b++) {
      char one[16];
      seed = seed * 1664525 + 1013904223;
      if ((seed >> 28) % 5 == 0)
        snprintf(one, sizeof one, "r|");
      else
        snprintf(one, sizeof one, "%u %u|", (seed >> 8) % 8, (seed >> 16) % 8);
      strcat(spec, one);
    }
    const ww_fn *f = graph(spec);
    for (uint32_t b = 0; b < f->nblocks; b++) {
      bool reached[9] = {0};
      bool reachable = reaches_without(f, 0, b, WW_NOBLOCK, reached);
      assert_int_equal(reachable, f->blocks[b].idom != WW_NOBLOCK);
      for (uint32_t a = 0; reachable && a < f->nblocks; a++) {
        bool seen[9] = {0};
        bool dom = a == b || !reaches_without(f, 0, b, a, seen);
        if (dom != by_tree(f, a, b))
          fail_msg("graph %s: does %u dominate %u?", spec, a, b);
      }
    }
  }
}

static bool can_return(const ww_fn *f, uint32_t from, uint32_t without) {
  for (uint32_t r = 0; r < f->nblocks; r++) {
    bool seen[9] = {0};
    if (!f->blocks[r].nsucc && reaches_without(f, from, r, without, seen))
      return true;
  }
  return false;
}

static bool by_post_tree(const ww_fn *f, uint32_t a, uint32_t b) {
  while (b != a && b != WW_NOBLOCK)
    b = f->blocks[b].ipdom;
  return a == b;
}

/* The same for post-dominance: a post-dominates b when b does not return without a. */
static void test_post_dominators_of_random_graphs(void **state) {
  (void)state;
  uint32_t seed = 11, looked = 0;
  for (int round = 0; round < 400; round++) {
    char spec[64] = "";
    for (int b = 0; b < 8; b++) {
      char one[16];
      seed = seed * 1664525 + 1013904223;
      if (b == 7 || (seed >> 28) % 5 == 0)
        snprintf(one, sizeof one, "r|");
      else
        snprintf(one, sizeof one, "%u %u|", (seed >> 8) % 8, (seed >> 16) % 8);
      strcat(spec, one);
    }
    const ww_fn *f = graph(spec);
    bool all = true;
    for (uint32_t b = 0; b < f->nblocks; b++)
      all = all && can_return(f, b, WW_NOBLOCK);
    if (!all)
      continue; /* blocks that spin for ever have rules of their own */
    looked++;
    for (uint32_t b = 0; b < f->nblocks; b++)
      for (uint32_t a = 0; a < f->nblocks; a++) {
        bool post = a == b || !can_return(f, b, a);
        if (post != by_post_tree(f, a, b))
          fail_msg("graph %s: does %u post-dominate %u?", spec, a, b);
      }
  }
  assert_true(looked > 50);
}

static void test_loops(void **state) {
  (void)state;
  /* 1 is an outer loop with two latches (4, 5), 2-3 an inner one, 6 behind it */
  const ww_fn *f = graph("1|2 6|3|2 4|1 5|1|r");
  static const int loop[] = {NONE, 0, 1, 1, 0, 0, NONE};
  assert_int_equal(f->nloops, 2);
  expect("loop", f, "nested", offsetof(ww_block, loop), loop);
  assert_int_equal(f->loops[0].header, 1);
  assert_int_equal(f->loops[0].latch, WW_NOBLOCK);
  assert_int_equal(f->loops[0].parent, WW_NOBLOCK);
  assert_int_equal(f->loops[0].depth, 1);
  assert_int_equal(f->loops[1].header, 2);
  assert_int_equal(f->loops[1].latch, 3);
  assert_int_equal(f->loops[1].parent, 0);
  assert_int_equal(f->loops[1].depth, 2);
  assert_int_equal(graph("1 2|2 3|1 3|r")->nloops,
                   0); /* irreducible: no natural loop */
  const ww_fn *self = graph("0 1|r");
  assert_int_equal(self->nloops, 1);
  assert_int_equal(self->loops[0].latch, 0);
}

/* ---- checker ---- */

static void test_check_accepts(void **state) {
  (void)state;
  parse_checked(saxpy);
  parse_checked(all_shapes);
}

static void test_check_rejects_text(void **state) {
  (void)state;
  static const struct {
    const char *body, *says;
  } cases[] = {
      {"@a:\n  %x = add f32 1.0, 1.0\n  ret\n", "cannot have type f32"},
      {"@a:\n  %x = add i32 %p, 1\n  ret\n", "operand 0 has type i64"},
      {"@a:\n  %x:i64 = add i32 1, 1\n  ret\n", "result has type i64"},
      {"@a:\n  %x, %y = add i32 1, 1\n  ret\n", "has 2 results"},
      {"@a:\n  add i32 1, 1\n  ret\n", "has 0 results"},
      {"@a:\n  %x = ld f64x4 [%p]\n  ret\n", "1 to 16 bytes"},
      {"@a:\n  %x = ld f32x2 [%p]\n  ret\n", "has 1 results, not 2"},
      {"@a:\n  %x = ld f32 [%n]\n  ret\n", "operand 0 has type i32"},
      {"@a:\n  st f32 [%p], 1:i32\n  ret\n", "operand 1 has type i32"},
      {"@a:\n  %x = icmp.folt i32 1, 1\n  ret\n", "floating-point predicate"},
      {"@a:\n  %x = fcmp.slt f32 1.0, 1.0\n  ret\n", "integer predicate"},
      {"@a:\n  %x = trunc i32 from i16 1\n  ret\n", "converts i16 to i32"},
      {"@a:\n  %x = sext i16 from i32 1\n  ret\n", "converts i32 to i16"},
      {"@a:\n  %x = fcvt f32 from i32 1\n  ret\n", "converts i32 to f32"},
      {"@a:\n  %x = mov i32 1:i64\n  ret\n", "operand 0 has type i64"},
      {"@a:\n  %x = math.pow f32 1.0, 1:i32\n  ret\n", "operand 1 has type i32"},
      {"@a:\n  %x = math.ilogb f32 1.0\n  ret\n", "gives no f32"},
      {"@a:\n  %x = call f32 $g(1.0:f32)\n  ret\n", "takes 2"},
      {"@a:\n  %x = call f32 $g(1.0, 2.0)\n  ret\n", "argument 1 has type f32"},
      {"@a:\n  %x = call f64 $g(1.0:f32, 2:i32)\n  ret\n",
       "result has type f64, not f32"},
      {"@a:\n  ret 1:i32\n", "returns 1 values"},
      {"@a:\n  %x = add i32 1, 1\n", "does not end the block"},
      {"@a:\n  ret\n  ret\n", "ends the block too early"},
      {"@a:\n  cbr 1, @b, @c\n@b:\n  %x = add i32 1, 1\n  br @c\n@c:\n  %y = add i32 "
       "%x, 1\n  "
       "ret\n",
       "does not dominate"},
      {"@a:\n  %y = add i32 %x, 1\n  %x = add i32 1, 1\n  ret\n", "does not dominate"},
      {"@a:\n  br @b\n@b:\n  %x = phi i32 [@a 1] [@b 2]\n  ret\n", "2 pairs for 1"},
      {"@a:\n  br @b\n@b:\n  %x = phi i32 [@b 1]\n  ret\n", "no predecessor"},
      {"@a:\n  cbr 1, @b, @c\n@b:\n  %x = add i32 1, 1\n  br @c\n@c:\n  %y = phi i32 "
       "[@a %x] [@b "
       "1]\n  ret\n",
       "does not dominate the end of block 0"},
      {"@a:\n  br @b\n@b:\n  %x = phi i32 [@a 1.0:f32]\n  ret\n",
       "pair 0 has type f32"},
      {"@a:\n  ret\n@b:\n  ret\n", "cannot be reached"},
      {"@a:\n  switch i32 %n, @b, %n @b\n@b:\n  ret\n", "case 0 is no i32 constant"},
      {"@a:\n  cbr %n, @b, @b\n@b:\n  ret\n", "operand 0 has type i32"},
      {"@a:\n  %x = bar.popc i32\n  ret\n", "needs an i1"},
      {"@a:\n  bar 1:i64\n  ret\n", "has an id that is no i32"},
      {"@a:\n  bar 1:i32, 64:i64\n  ret\n", "has a number of threads that is no i32"},
      {"@a:\n  bar.arrive 1:i32\n  ret\n", "does not say how many threads"},
      {"@a:\n  %x = shfl.up i32 1.0:f32, 1, 0\n  ret\n", "operand 0 has type f32"},
      {"@a:\n  %x = mov i32 $s\n  ret\n", "no symbol's address"},
      {"@a:\n  mbar.init i32 [%p], 1\n  ret\n", "cannot have type i32"},
      {"@a:\n  %x = mbar.init i64 [%p], 1:i32\n  ret\n", "has 1 results"},
      {"@a:\n  %x = mwait i64 [%p], 1:i32\n  ret\n", "operand 1 has type i32"},
      {"@a:\n  bulk.load %p, %p, 16:i32, %p\n  ret\n", "has 4 operands"},
      {"@a:\n  bulk.load %p, %p, 16:i64, %p, 0:i32\n  ret\n", "operand 2 has type i64"},
      {"@a:\n  tma.load %p, %p, %p, 0:i32\n  ret\n", "has 4 operands"},
      {"@a:\n  tma.store %p, %p, %p, 0:i32, %p\n  ret\n", "operand 4 has type i64"},
      {"@a:\n  tma.store %p, %p, %p, 0:i32, 0:i32 #99\n  ret\n",
       "reduction 99 is unknown"},
      {"@a:\n  %x = wgmma.1 f32 from f16 0:i32, 1:i1, %p, %p\n  ret\n",
       "do not fit n = 8"},
      {"@a:\n  %x = mapa i64 %n, %n\n  ret\n", "operand 0 has type i32"},
      {"", "neither a body nor a refusal"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ww_err e = {0};
    ww_module m =
        parse(ww_fmt(arena,
                     "symbol $s global size 8 align 8\nfn $g ret f32 {\n  param %%a "
                     "f32\n  param %%b i32\n@a:\n  ret %%a\n}\n"
                     "fn $f {\n  param %%p i64\n  param %%n i32\n%s}\n",
                     cases[k].body));
    if (ww_ir_check(&m, &e) != WW_EDATA)
      fail_msg("case %zu passed: %s", k, cases[k].body);
    if (!strstr(e.msg, cases[k].says) || !strstr(e.msg, "f"))
      fail_msg("case %zu: %s", k, e.msg);
  }
}

/* Damage that text cannot express. */
static void test_check_rejects_structures(void **state) {
  (void)state;
  ww_err e = {0};
#define REJECTS(damage, says)                        \
  do {                                               \
    ww_module m = parse(saxpy);                      \
    ww_fn *f = &m.fns[0];                            \
    (void)f;                                         \
    damage;                                          \
    assert_int_equal(ww_ir_check(&m, &e), WW_EDATA); \
    if (!strstr(e.msg, says))                        \
      fail_msg("%s", e.msg);                         \
  } while (0)
  REJECTS(f->blocks[0].ins[2].a = 1000, "operand 0 is value 1000");
  REJECTS(f->blocks[0].ins[2].a = WW_NOVAL, "operand 0 is value");
  REJECTS(f->blocks[0].ins[2].dst = 1000, "defines value 1000");
  REJECTS(f->blocks[0].ins[2].nres = 0, "dst and nres disagree");
  REJECTS(f->blocks[0].ins[5].imm = 3, "no block 3");
  REJECTS(f->blocks[0].ins[5].imm = -1, "no block -1");
  REJECTS(f->blocks[0].ins[5].ext = 9, "no block 9");
  REJECTS(f->blocks[1].ins[7].ext = f->npool, "outside the pool");
  REJECTS(f->blocks[2].phis[0].ext = UINT32_MAX, "outside the pool");
  REJECTS(f->blocks[0].ins[2].op = WW_NOPS, "out of range");
  REJECTS(f->blocks[0].ins[0].sub = WW_NSREGS, "is unknown");
  REJECTS(f->blocks[0].ins[0].loc = 77, "location 77");
  REJECTS(f->blocks[1].idom = 1, "stale");
  REJECTS(f->blocks[0].ipdom = 1, "stale");
  REJECTS(f->blocks[0].nsucc = 1, "stale");
  REJECTS(f->vals[7].ref = 1, "says it is defined in block 1");
  REJECTS(f->vals[2].type = WW_I32, "does not match the parameters");
  REJECTS(f->vals[16] = ((ww_value){.kind = WW_VAL_CONST, .type = WW_I8, .bits = 256}),
          "bits outside its type");
  REJECTS(m.symbols[0].align = 3, "no power of two");
  REJECTS(m.symbols[0].mangled = f->mangled, "are called _Z5saxpyifPfS_");
  REJECTS(m.warp = 16, "16 lanes");
  REJECTS(m.locs[1].file = 2, "file 2 of 2");
#undef REJECTS
}

/* ---- names, operands, documentation ---- */

static void test_find(void **state) {
  (void)state;
  ww_module m = parse("fn $_Z1av \"a\" kernel {\n@x:\n  ret\n}\n"
                      "fn $_Z1bIfE \"ns::b<float, 256>\" kernel {\n@x:\n  ret\n}\n"
                      "fn $_Z1cIiE \"c<int>\" kernel {\n@x:\n  ret\n}\n"
                      "fn $_Z1cIfE \"c<float>\" kernel {\n@x:\n  ret\n}\n"
                      "fn $helper {\n@x:\n  ret\n}\n"
                      "fn $_Z1aPi \"d::a\" kernel {\n@x:\n  ret\n}\n");
  assert_ptr_equal(ww_ir_find(&m, "_Z1av"), &m.fns[0]);
  assert_ptr_equal(ww_ir_find(&m, "a"),
                   &m.fns[0]); /* the plain name before the bare one of d::a */
  assert_ptr_equal(ww_ir_find(&m, "ns::b<float,256>"), &m.fns[1]);
  assert_ptr_equal(ww_ir_find(&m, "ns::b"), &m.fns[1]);
  assert_ptr_equal(ww_ir_find(&m, "b"), &m.fns[1]);
  assert_ptr_equal(ww_ir_find(&m, "c<float>"), &m.fns[3]);
  assert_null(ww_ir_find(&m, "c")); /* ambiguous */
  assert_null(ww_ir_find(&m, "helper"));
  assert_null(ww_ir_find(&m, "nothing"));
}

/* Internal linkage: clang's marks and numbers, nvcc's file names. */
static void test_internal_names(void **state) {
  (void)state;
  static const char *const names[][2] = {
      {"_ZL1kPi__intern__aaec77fe00_059a4aa7", "_Z1kPi"},
      {"_ZN2nsL4bumpEPi", "_ZN2ns4bumpEPi"},
      {"_ZL1tIiEvPT_", "_Z1tIiEvPT_"},
      {"_Z1kIL4mode1EEvPi",
       "_Z1kIL4mode1EEvPi"}, /* a template argument of an enumeration */
      {"_ZN12_GLOBAL__N_11aEPi__intern__0_1", "_ZN12_GLOBAL__N_11aEPi"},
      {"_Z16my__intern__namev", "_Z16my__intern__namev"},
      {"plain", "plain"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_string_equal(ww_ir_nvcc_name(names[i][0], arena), names[i][1]);
  assert_true(ww_ir_same_internal("_Z1kPi", "_ZL1kPi__intern__aaec77fe00_059a4aa7"));
  assert_true(ww_ir_same_internal("_ZN35_GLOBAL__N__299a567a_5_st_cu__Z1bPi1aEPi",
                                  "_ZN12_GLOBAL__N_11aEPi__intern__0_1"));
  assert_false(ww_ir_same_internal("_Z1kPi", "_Z1kPf"));
  assert_false(ww_ir_same_internal("_ZN12_GLOBAL__N_11aEPi", "_ZN12_GLOBAL__N_11bEPi"));
}

static void test_uses(void **state) {
  (void)state;
  ww_module m = parse(all_shapes);
  const ww_fn *f = &m.fns[3];
  const ww_ins *ins = f->blocks[0].ins;
  ww_val v[8];
  assert_int_equal(ww_ins_uses(f, &ins[0], v, 8), 0); /* localaddr */
  assert_int_equal(ww_ins_uses(f, &ins[2], v, 8),
                   3); /* st x2: address and two values */
  assert_int_equal(v[0], ins[0].dst);
  assert_int_equal(v[1], ins[1].dst + 3);
  assert_int_equal(ww_ins_uses(f, &ins[2], v, 1), 1); /* no more than asked for */
  assert_int_equal(ww_ins_uses(f, &ins[9], v, 8), 3); /* calli: target and arguments */
  assert_int_equal(v[0], ins[8].dst);
  assert_int_equal(ww_ins_uses(f, &ins[16], v, 8), 1); /* math.sqrt */
  assert_int_equal(ww_ins_uses(f, &ins[20], v, 8), 0); /* bar without operand */
  assert_int_equal(ww_ins_uses(f, &ins[21], v, 8), 1); /* bar.popc */
  assert_int_equal(ww_ins_uses(f, &ins[22], v, 8), 2); /* bar.and of some threads */
  assert_int_equal(ww_ins_uses(f, &ins[25], v, 8), 3); /* printf: format and two */
  const ww_ins *sw = &ins[f->blocks[0].nins - 1];
  assert_int_equal(ww_ins_uses(f, sw, v, 8), 4); /* switch: value and three cases */
  assert_int_equal(f->vals[v[2]].bits, 0xfffffffe);
}

static void test_manual_names_every_op(void **state) {
  (void)state;
  char *text;
  size_t n;
  ww_err e = {0};
  if (ww_read_file(arena, "docs/ir.md", 1 << 20, &text, &n, &e) != WW_OK)
    fail_msg("%s", e.msg);
  for (int k = 0; k < WW_NOPS; k++)
    if (!strstr(text, ww_fmt(arena, "`%s`", ww_ops[k].name)))
      fail_msg("docs/ir.md says nothing about `%s`", ww_ops[k].name);
  for (int k = 0; k < WW_NTYPES; k++)
    assert_non_null(strstr(text, ww_fmt(arena, "`%s`", ww_type_names[k])));
  for (int k = 0; k < WW_NSPACES; k++)
    assert_non_null(strstr(text, ww_fmt(arena, "`%s`", ww_space_names[k])));
  for (int k = 0; k < WW_NSREGS; k++)
    if (!strstr(text, ww_fmt(arena, "`%s`", ww_sreg_names[k])))
      fail_msg("docs/ir.md says nothing about `%s`", ww_sreg_names[k]);
}

/* Every fenced block of the manual that starts with "module" is a module that passes
 * the checker.
 */
static void test_manual_examples(void **state) {
  (void)state;
  char *text;
  size_t n;
  uint32_t examples = 0;
  assert_int_equal(ww_read_file(arena, "docs/ir.md", 1 << 20, &text, &n, NULL), WW_OK);
  for (char *p = text; (p = strstr(p, "```\nmodule "));) {
    char *end = strstr(p + 4, "\n```");
    assert_non_null(end);
    parse_checked(ww_strndup(arena, p + 4, (size_t)(end + 1 - (p + 4))));
    examples++;
    p = end + 4;
  }
  assert_int_not_equal(examples, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_print_is_canonical),
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_literals_keep_their_bits),
      cmocka_unit_test(test_parse_errors),
      cmocka_unit_test(test_parse_survives_damage),
      cmocka_unit_test(test_dominators),
      cmocka_unit_test(test_dominators_of_random_graphs),
      cmocka_unit_test(test_post_dominators_of_random_graphs),
      cmocka_unit_test(test_loops),
      cmocka_unit_test(test_check_accepts),
      cmocka_unit_test(test_check_rejects_text),
      cmocka_unit_test(test_check_rejects_structures),
      cmocka_unit_test(test_find),
      cmocka_unit_test(test_internal_names),
      cmocka_unit_test(test_uses),
      cmocka_unit_test(test_manual_names_every_op),
      cmocka_unit_test(test_manual_examples),
  };
  return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
