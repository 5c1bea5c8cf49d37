/* test_ptx.c - PTX modules written here, and the IR that becomes of them: structure,
 * registers as values, parameters, calls, lines, what refuses and what is an error.
 * Results of whole kernels are tested by tests/ptx.sh. */
#include "group.h"

#include "../../src/front/ptx.h"

static ww_module read_ok(const char *text) {
  ww_module m = {0};
  ww_err e = {0};
  ww_status st = ww_ptx_read(text, strlen(text), "k.ptx", arena, &m, &e);
  if (st)
    print_error("%u: %s\n", e.line, e.msg);
  assert_int_equal(st, WW_OK);
  return m;
}

static const char *text_of(const ww_module *m, uint32_t fn) {
  ww_buf b = {0};
  ww_ir_print_fn(m, &m->fns[fn], &b);
  return ww_buf_text(&b, arena);
}

/* A kernel of these parameters and this body. */
static ww_module kernel(const char *params, const char *body) {
  return read_ok(ww_fmt(arena,
                        ".version 8.0\n.target sm_90\n.address_size 64\n"
                        ".visible .entry k(%s)\n{\n.reg .pred %%p<9>;\n"
                        ".reg .b16 %%h<9>;\n.reg .b32 %%r<40>;\n.reg .f32 %%f<9>;\n"
                        ".reg .b64 %%d<20>;\n.reg .f64 %%g<9>;\n%s\nret;\n}\n",
                        params, body));
}

static const char pointer[] = ".param .u64 k_p";

static const char *lowered(const char *params, const char *body) {
  ww_module m = kernel(params, body);
  if (m.fns[0].refusal)
    print_error("refused: %s\n", m.fns[0].refusal);
  assert_null(m.fns[0].refusal);
  return text_of(&m, 0);
}

static const char *refused(const char *body) {
  ww_module m = kernel(pointer, body);
  assert_non_null(m.fns[0].refusal);
  return m.fns[0].refusal;
}

static void has(const char *text, const char *what) {
  if (!strstr(text, what))
    print_error("no `%s` in\n%s\n", what, text);
  assert_non_null(strstr(text, what));
}

static void has_not(const char *text, const char *what) {
  if (strstr(text, what))
    print_error("`%s` in\n%s\n", what, text);
  assert_null(strstr(text, what));
}

static uint32_t count(const char *text, const char *what) {
  uint32_t n = 0;
  for (const char *s = text; (s = strstr(s, what)); s++)
    n++;
  return n;
}

/* ---- registers ---- */

static void loop_carries_values(void **state) {
  (void)state;
  const char *t = lowered(".param .u64 k_p, .param .u32 k_n",
                          "ld.param.u64 %d1, [k_p];\nld.param.u32 %r1, [k_n];\n"
                          "cvta.to.global.u64 %d2, %d1;\nmov.f32 %f1, 0f00000000;\n"
                          "mov.u32 %r2, 0;\n$L1:\nld.global.f32 %f2, [%d2];\n"
                          "add.f32 %f1, %f1, %f2;\nadd.s64 %d2, %d2, 4;\n"
                          "add.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r1;\n"
                          "@%p1 bra $L1;\nst.global.f32 [%d1+8], %f1;");
  assert_int_equal(count(t, "= phi"), 3);
  has(t, "phi f32");
  has(t, "ld.global f32 [");
  has(t, "st.global f32 [%arg0.0 + 8]");
}

/* What is written once needs no phi wherever it is read behind that. */
static void one_value_has_no_phi(void **state) {
  (void)state;
  const char *t = lowered(pointer, "ld.param.u64 %d1, [k_p];\nmov.u32 %r1, %tid.x;\n"
                                   "mov.u32 %r9, 7;\nsetp.eq.u32 %p1, %r1, 3;\n"
                                   "@%p1 bra A;\nadd.s32 %r2, %r1, %r9;\nbra B;\n"
                                   "A:\nadd.s32 %r2, %r1, 2;\nB:\n"
                                   "add.s32 %r3, %r2, %r9;\nst.global.u32 [%d1], %r3;");
  assert_int_equal(count(t, "= phi"), 1);
  assert_int_equal(count(t, ", 7"), 2);
}

/* A value that is not there on one way is zero on it. */
static void undefined_is_zero(void **state) {
  (void)state;
  const char *t = lowered(pointer, "ld.param.u64 %d1, [k_p];\nmov.u32 %r1, %tid.x;\n"
                                   "setp.eq.u32 %p1, %r1, 3;\n@%p1 bra A;\n"
                                   "mov.u32 %r2, %ntid.x;\nA:\n"
                                   "st.global.u32 [%d1], %r2;");
  has(t, "phi i32 [@0 0]");
}

/* .b32 registers hold what is done with them. */
static void untyped_registers(void **state) {
  (void)state;
  const char *t = lowered(pointer, "ld.param.b64 %d1, [k_p];\n"
                                   "ld.global.v2.b32 {%r1, %r2}, [%d1];\n"
                                   "add.f32 %r3, %r1, %r2;\nst.global.b32 [%d1], %r3;");
  has(t, "ld.global f32x2");
  has(t, "st.global f32");
  has_not(t, "mov");
}

static void scopes(void **state) {
  (void)state;
  const char *t = lowered(
      pointer, "ld.param.u64 %d1, [k_p];\nmov.u32 %r1, %tid.x;\n"
               "{ .reg .pred p; .reg .b32 t<3>;\nsetp.eq.u32 p, %r1, 1;\n"
               "@p bra DONE;\nmov.u32 t1, 5;\nst.global.u32 [%d1], t1;\nDONE: }\n"
               "{ .reg .b32 p;\nmov.u32 p, 6;\nst.global.u32 [%d1+4], p;\n"
               "setp.eq.u32 %p1, %r1, 2;\n@%p1 bra DONE;\n"
               "st.global.u32 [%d1+8], p;\nDONE: }");
  assert_int_equal(count(t, "st.global i32"), 3);
  has(t, ", 5");
  has(t, ", 6");
}

/* ---- predicates ---- */

static void predicates(void **state) {
  (void)state;
  const char *t = lowered(pointer, "ld.param.u64 %d1, [k_p];\nmov.u32 %r1, %tid.x;\n"
                                   "setp.lt.u32 %p1, %r1, 7;\nmov.u32 %r2, 0;\n"
                                   "@%p1 ld.global.u32 %r2, [%d1];\n"
                                   "@!%p1 mov.u32 %r2, 9;\n"
                                   "@%p1 st.global.u32 [%d1+4], %r2;");
  assert_int_equal(count(t, "cbr.part"), 2); /* no branches: predicates */
  assert_int_equal(count(t, "= phi"), 1);
  has(t, "select i32");
}

static void early_exit(void **state) {
  (void)state;
  const char *t = lowered(pointer, "ld.param.u64 %d1, [k_p];\nmov.u32 %r1, %tid.x;\n"
                                   "setp.gt.u32 %p1, %r1, 7;\n@%p1 ret;\n"
                                   "st.global.u32 [%d1], %r1;");
  has(t, "exit");
  has(t, "st.global i32");
}

static void indexed_branch(void **state) {
  (void)state;
  const char *t = lowered(pointer, "ld.param.u64 %d1, [k_p];\nmov.u32 %r1, %tid.x;\n"
                                   "ts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\n"
                                   "A: st.global.u32 [%d1], 1;\nret;\n"
                                   "B: st.global.u32 [%d1], 2;");
  has(t, "switch i32");
  assert_int_equal(count(t, "st.global"), 2);
}

static void no_unroll(void **state) {
  (void)state;
  const char *t = lowered(pointer, "mov.u32 %r1, 9;\nL:\n.pragma \"nounroll\";\n"
                                   "add.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n"
                                   "@%p1 bra L;\nld.param.u64 %d1, [k_p];\n"
                                   "st.global.u32 [%d1], %r1;");
  has(t, "cbr.1 ");
}

/* ---- addresses ---- */

static void addresses(void **state) {
  (void)state;
  const char *t =
      lowered(pointer,
              ".shared .align 4 .b8 tile[1024];\nld.param.u64 %d1, [k_p];\n"
              "cvta.to.global.u64 %d2, %d1;\nmov.u32 %r1, %tid.x;\n"
              "mul.wide.s32 %d3, %r1, 4;\nadd.s64 %d4, %d2, %d3;\n"
              "ld.global.f32 %f1, [%d4+16];\nmov.u32 %r2, tile;\n"
              "shl.b32 %r3, %r1, 2;\nadd.s32 %r4, %r2, %r3;\n"
              "st.shared.f32 [%r4+4], %f1;\nbar.sync 0;\nld.shared.f32 %f2, [tile+8];\n"
              "st.global.f32 [%d4], %f2;");
  has(t, "lea i64 %arg0.0, ");
  has(t, "lea i64 $tile, ");
  has_not(t, "mul");
  has_not(t, "shl");
  assert_int_equal(count(t, " #4"), 2); /* four bytes each, by a product or a shift */
  has_not(t, "trunc"); /* addresses of shared memory have 64 bits, as others */
  has(t, "ld.shared f32 [$tile + 8]");
}

static void reductions(void **state) {
  (void)state;
  const char *t = lowered(pointer, "ld.param.u64 %d1, [k_p];\n"
                                   "atom.global.add.u32 %r1, [%d1], 1;\n"
                                   "atom.global.add.u32 %r2, [%d1+4], 1;\n"
                                   "st.global.u32 [%d1+8], %r2;");
  assert_int_equal(count(t, "= atom.add"), 1); /* the other's result is not read */
  assert_int_equal(count(t, "atom.add"), 2);
}

static void local_memory(void **state) {
  (void)state;
  ww_module m = kernel(pointer, ".local .align 8 .b8 depot[40];\nmov.u64 %d1, depot;\n"
                                "cvta.local.u64 %d2, %d1;\nmov.u32 %r1, 3;\n"
                                "st.u32 [%d2+4], %r1;\nst.local.u32 [%d1], %r1;");
  assert_null(m.fns[0].refusal);
  assert_int_equal(m.fns[0].local_bytes, 48);
}

/* ---- arithmetic that words get wrong ---- */

static void modifiers(void **state) {
  (void)state;
  const char *t = lowered(pointer, "ld.param.u64 %d1, [k_p];\nld.u32 %r1, [%d1];\n"
                                   "max.s32.relu %r2, %r1, -4;\n"
                                   "add.sat.s32 %r3, %r2, %r1;\n"
                                   "vabsdiff4.u32.u32.u32.add %r4, %r3, %r1, %r1;\n"
                                   "cvt.sat.u8.s32 %r5, %r4;\nst.u32 [%d1], %r5;");
  assert_int_equal(count(t, "smax i32"), 3);
  has(t, "smin i64");
  assert_int_equal(count(t, "sad"), 4);
  has(refused("mad.hi.sat.u32 %r1, %r2, %r3, %r4;"), "mad.hi.sat.u32");
  has(refused("fma.rn.oob.f16 %h1, %h2, %h3, %h4;"), "fma.rn.oob.f16");
  has(refused("lop3.xor.b32 %r1|%p1, %r2, %r3, %r4, 0x80, %p2;"), "lop3.xor.b32");
}

static void halves(void **state) {
  (void)state;
  const char *t = lowered(pointer, "ld.param.u64 %d1, [k_p];\nld.u32 %r1, [%d1];\n"
                                   "fma.rn.f16x2 %r2, %r1, %r1, %r1;\n"
                                   "mul.f16x2 %r3, %r2, %r2;\nst.u32 [%d1], %r3;");
  assert_int_equal(count(t, "fma f16"), 2);
  assert_int_equal(count(t, "fmul f16"), 2);
  assert_int_equal(count(t, "prmt"), 1); /* between the two nothing is packed */
  has_not(t, "prmt i32");                /* and what is, is part of the product */
  has(t, "elem f16");
}

static void eight_bit_floats(void **state) {
  (void)state;
  const char *text =
      lowered(pointer, "ld.param.u64 %d1, [k_p];\n"
                       "ld.global.f32 %f1, [%d1];\n"
                       "ld.global.f32 %f2, [%d1+4];\n"
                       "cvt.rn.satfinite.relu.e4m3x2.f32 %h1, %f1, %f2;\n"
                       "cvt.rn.f16x2.e4m3x2 %r1, %h1;\n"
                       "cvt.rn.satfinite.e5m2x2.f16x2 %h2, %r1;\n"
                       "st.global.u16 [%d1], %h2;");
  has(text, "fcvt.part e4m3 from f32");
  has(text, "fcvt f16 from e4m3");
  has(text, "fcvt e5m2 from f16");
  has(text, "fmax.part f32");
  has(refused("cvt.rn.f32.e4m3x2 %f1, %h1;"), "cvt.rn.f32.e4m3x2");
}

/* ---- textures and surfaces ---- */

static void textures(void **state) {
  (void)state;
  /* two components are used: an element has 8 bytes */
  const char *t = lowered(
      ".param .u64 k_t, .param .u64 k_p",
      "ld.param.u64 %d1, [k_t];\nld.param.u64 %d2, [k_p];\nld.global.f32 %f1, [%d2];\n"
      "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%d1, {%f1, %f1}];\n"
      "add.f32 %f6, %f2, %f3;\nst.global.f32 [%d2], %f6;");
  has(t, "ld.global.readonly f32x2");
  has(t, "lea.part i64 %arg0.0");
  has(t, "#8");
  has(t, "texdim.part i64 %arg0.0, 1:i32");
  /* linear memory has no edge */
  t = lowered(pointer, "ld.param.u64 %d1, [k_p];\nmov.u32 %r1, %tid.x;\n"
                       "tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [%d1, {%r1}];\n"
                       "add.s32 %r6, %r2, %r5;\nst.global.u32 [%d1], %r6;");
  has(t, "i32x4");
  has_not(t, "texdim");
  t = lowered(pointer,
              "ld.param.u64 %d1, [k_p];\nmov.f32 %f1, 0f40400000;\n"
              "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}|%p1, [%d1, {%f1, %f1}];\n"
              "selp.f32 %f6, %f2, %f1, %p1;\nst.global.f32 [%d1], %f6;");
  has_not(t, "select"); /* it is in memory */
  has(refused("tld4.r.2d.v4.f32.s32 {%f2, %f3, %f4, %f5}, [%d1, {%r1, %r1}];"),
      "tld4.r");
  has(refused(
          "tex.acube.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%d1, {%r1, %f1, %f1, %f1}];"),
      "tex.acube");
  has(refused("tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%d1, {%f1}];"), "tex.2d");
}

static void surfaces(void **state) {
  (void)state;
  const char *t = lowered(
      pointer, "ld.param.u64 %d1, [k_p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n"
               "suld.b.2d.v2.b32.trap {%r3, %r4}, [%d1, {%r1, %r2}];\n"
               "sust.b.a2d.b8.clamp [%d1, {%r2, %r3, %r4, %r4}], {%h1};\n"
               "suq.width.b32 %r5, [%d1];\nst.global.u32 [%d1], %r5;");
  has(t, "ld.global i32x2");
  has(t, "st.global i8");
  has(t, "#8");
  assert_int_equal(count(t, "texdim"), 4); /* width; width and height; width */
  has(refused("sust.p.2d.b32.trap [%d1, {%r1, %r2}], {%r3};"), "sust.p");
}

/* The address that cooperative launches give the grid's barrier, in two halves. */
static void grid_workspace(void **state) {
  (void)state;
  ww_module m = kernel("", "mov.u32 %r1, %envreg2;\nmov.u32 %r2, %envreg1;\n"
                           "cvt.u64.u32 %d1, %r1;\ncvt.u64.u32 %d2, %r2;\n"
                           "bfi.b64 %d3, %d2, %d1, 32, 32;\n"
                           "atom.add.release.gpu.u32 %r3, [%d3+4], 1;");
  assert_null(m.fns[0].refusal);
  assert_int_equal(m.nsymbols, 1);
  assert_int_equal(m.symbols[0].space, WW_GLOBAL);
  has(text_of(&m, 0), "$grid_workspace");
}

static void barriers(void **state) {
  (void)state;
  const char *t = lowered(pointer, "ld.param.u64 %d1, [k_p];\nld.u32 %r1, [%d1];\n"
                                   "bar.sync 3;\nbarrier.sync.aligned 4, 64;\n"
                                   "bar.arrive %r1, 128;\nbar.sync %r1, %r1;\n"
                                   "setp.ne.s32 %p1, %r1, 0;\n"
                                   "bar.red.popc.u32 %r2, 5, 96, %p1;\n"
                                   "st.u32 [%d1], %r2;");
  has(t, "bar #3");
  has(t, "bar 4:i32, 64:i32");
  has(t, "bar.arrive %1, 128:i32");
  has(t, "bar %1, %1");
  has(t, ", 96 #5");
  has(refused("bar.arrive 1;"), "bar.arrive");
  has(refused("mov.u32 %r1, %tid.x;\nbar.red.or.pred %p1, %r1, 64, %p1;"),
      "id is not constant");
}

/* What arrives by itself says so to the mbarrier. */
static void asynchronous_stores(void **state) {
  (void)state;
  static const char to[] = ".shared .align 8 .b8 s[64];\nmov.u32 %r1, s;\n";
  static const char how[] = "async.shared::cluster.mbarrier::complete_tx::bytes";
  const char *t = lowered(
      "", ww_fmt(arena, "%sst.%s.v2.b32 [%%r1], {%%r2, %%r3}, [%%r1+8];", to, how));
  has(t, "st.shared i32x2");
  has(t, "mbar.complete");
  has(t, ", 8");
  t = lowered("", ww_fmt(arena, "%sred.%s.add.u32 [%%r1], 1, [%%r1+8];", to, how));
  has(t, "mbar.complete");
  has(refused("st.async.shared::cluster.b32 [%r1], %r2;"), "st.async");
}

static void unknown_instructions(void **state) {
  (void)state;
  has(refused("tcgen05.alloc.cta_group::1.sync.aligned.b32 [%r1], 32;"),
      "tcgen05.alloc");
  has(refused("mov.u32 %r1, %envreg3;"), "%envreg3");
  has(refused("bra NOWHERE;"), "bra NOWHERE");
  has(refused("add.s32 %r1, %q7, 1;"), "%q7");
  ww_module m = read_ok(".version 8.0\n.target sm_90\n.address_size 64\n"
                        ".entry a() { frobnicate; }\n.entry b() { ret; }\n");
  assert_int_equal(m.nfns, 2);
  assert_non_null(m.fns[0].refusal); /* alone */
  assert_null(m.fns[1].refusal);
}

/* ---- functions ---- */

static const char calls[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".func (.param .b32 r) twice(.param .b32 a) {\n.reg .f32 %f<3>;\n"
    "ld.param.f32 %f1, [a];\nadd.f32 %f2, %f1, %f1;\nst.param.f32 [r+0], "
    "%f2;\nret;\n}\n"
    ".func (.param .align 8 .b8 r[16]) pair(.param .align 8 .b8 a[16]) {\n"
    ".reg .f64 %g<3>;\n.reg .b64 %d<3>;\nld.param.f64 %g1, [a+8];\n"
    "ld.param.b64 %d1, [a];\nst.param.b64 [r+8], %d1;\nst.param.f64 [r], "
    "%g1;\nret;\n}\n"
    ".global .u64 table[2] = {twice, generic(data)+4};\n"
    ".global .align 4 .u32 data[3] = {1, 0x10, -1};\n"
    ".visible .entry k(.param .u64 p) {\n.reg .f32 %f<3>;\n.reg .b64 %d<9>;\n"
    ".reg .f64 %g<3>;\nld.param.u64 %d1, [p];\nld.global.f32 %f1, [%d1];\n"
    "{ .param .b32 a0;\nst.param.f32 [a0+0], %f1;\n.param .b32 r0;\n"
    "call.uni (r0), twice, (a0);\nld.param.f32 %f2, [r0+0]; }\n"
    "st.global.f32 [%d1], %f2;\nld.global.f64 %g1, [%d1+8];\n"
    "{ .param .align 8 .b8 a0[16];\nst.param.f64 [a0], %g1;\nst.param.b64 [a0+8], "
    "%d1;\n"
    ".param .align 8 .b8 r0[16];\ncall (r0), pair, (a0);\n"
    "ld.param.b64 %d2, [r0+0]; }\nst.global.u64 [%d1+8], %d2;\n"
    "ld.global.u64 %d3, [table];\n{ .param .b32 a0;\nst.param.f32 [a0], %f2;\n"
    ".param .b32 r0;\nproto : .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    "call (r0), %d3, (a0), proto;\nld.param.f32 %f1, [r0]; }\n"
    "st.global.f32 [%d1+4], %f1;\nret;\n}\n";

static void function_calls(void **state) {
  (void)state;
  ww_module m = read_ok(calls);
  assert_int_equal(m.nfns, 3);
  for (uint32_t f = 0; f < m.nfns; f++)
    assert_null(m.fns[f].refusal);
  const char *t = text_of(&m, 0);
  has(t, "call $twice(");
  has(t, "call $pair(");
  has(t, "calli ");
  assert_int_equal(m.fns[2].nparams, 4); /* two doubles as words */
  assert_int_equal(m.nsymbols, 2);
  const ww_symbol *table = &m.symbols[0];
  assert_string_equal(table->name, "table");
  assert_int_equal(table->nrelocs, 2);
  assert_true(table->relocs[0].fn);
  assert_int_equal(table->relocs[1].add, 4);
  uint32_t data[3];
  memcpy(data, m.symbols[1].init, sizeof data);
  assert_int_equal(data[1], 0x10);
  assert_int_equal(data[2], UINT32_MAX);
}

/* A parameter whose address is taken lies in memory. */
static void address_of_parameter(void **state) {
  (void)state;
  ww_module m = read_ok(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".func (.param .b32 r) pick(.param .align 4 .b8 a[12], .param .b32 k) {\n"
      ".reg .b32 %r<4>;\n.reg .b64 %d<6>;\nmov.b64 %d1, a;\n"
      "ld.param.b32 %r1, [k];\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\n"
      "ld.local.b32 %r2, [%d3];\nst.param.b32 [r], %r2;\nret;\n}\n"
      ".visible .entry k(.param .u64 p) {\n.reg .b32 %r<4>;\n.reg .b64 %d<3>;\n"
      "ld.param.u64 %d1, [p];\n{ .param .align 4 .b8 a0[12];\n"
      "st.param.b32 [a0], 1;\nst.param.b32 [a0+4], 2;\nst.param.b32 [a0+8], 3;\n"
      ".param .b32 a1;\nst.param.b32 [a1], 2;\n.param .b32 r0;\n"
      "call (r0), pick, (a0, a1);\nld.param.b32 %r1, [r0]; }\n"
      "st.global.u32 [%d1], %r1;\nret;\n}\n");
  assert_null(m.fns[0].refusal);
  const char *t = text_of(&m, 1);
  assert_int_equal(count(t, "st.local i32"), 3);
  has(t, "ld.local i32");
}

static void runtime_functions(void **state) {
  (void)state;
  ww_module m = read_ok(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".extern .func missing();\n.global .align 1 .b8 $str[4] = {37, 100, 10, 0};\n"
      ".entry p() {\n.reg .b64 %d<4>;\n.reg .b32 %r<4>;\nmov.u64 %d1, $str;\n"
      "cvta.global.u64 %d2, %d1;\nmov.u64 %d3, 0;\n{ .param .b64 a;\n"
      "st.param.b64 [a], %d2;\n.param .b64 b;\nst.param.b64 [b], %d3;\n"
      ".param .b32 r;\ncall.uni (r), vprintf, (a, b);\nld.param.b32 %r1, [r]; "
      "}\nret;\n}\n"
      ".entry q() { call missing; ret; }\n");
  has(text_of(&m, 0), "printf");
  has(m.fns[1].refusal, "missing");
}

/* ---- what is said of kernels ---- */

static void parameters(void **state) {
  (void)state;
  ww_module m = read_ok(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry _Z4kernIdLi2EEvPT_PKfi5float(.param .u64 a, .param .u64 b,"
      " .param .u32 n, .param .align 4 .b8 s[12])\n.maxntid 256, 2, 1\n"
      ".minnctapersm 2\n{\n.reg .b64 %d<9>;\n.reg .b32 %r<9>;\n.reg .f64 %g<3>;\n"
      "ld.param.u64 %d1, [a];\nld.param.u64 %d2, [b];\nld.param.u32 %r1, [s+8];\n"
      "cvta.to.global.u64 %d3, %d1;\ncvta.to.global.u64 %d4, %d2;\n"
      "ld.global.u32 %r2, [%d4];\nadd.s32 %r3, %r1, %r2;\ncvt.rn.f64.s32 %g1, %r3;\n"
      "st.global.f64 [%d3], %g1;\nret;\n}\n");
  const ww_fn *k = &m.fns[0];
  assert_null(k->refusal);
  assert_string_equal(k->name, "kern<double, 2>");
  assert_int_equal(k->max_threads, 512);
  assert_int_equal(k->min_blocks, 2);
  assert_string_equal(k->params[0].name, "arg0");
  assert_string_equal(k->params[0].ctype, "double *");
  assert_true(k->params[0].pointer);
  assert_int_equal(k->params[0].elem, WW_F64);
  assert_string_equal(k->params[1].ctype, "const float *");
  assert_true(k->params[1].readonly);
  assert_false(k->params[2].pointer);
  assert_true(k->params[3].byval);
  assert_int_equal(k->params[3].size, 12);
  has(text_of(&m, 0), "ld.param i32 [%arg3.3 + 8]");
}

static void lines(void **state) {
  (void)state;
  ww_module m = read_ok(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 "
      "p)\n"
      "{\n.reg .b64 %d<3>;\n.reg .b32 %r<5>;\n.loc 1 12 0\nld.param.u64 %d1, [p];\n"
      ".loc 1 14 3\nmov.u32 %r1, %tid.x;\n"
      ".loc 2 99 1, function_name $info, inlined_at 1 15 7\nadd.s32 %r2, %r1, 1;\n"
      ".loc 1 16 3\nst.global.u32 [%d1], %r2;\nret;\n}\n.file 1 \"/src/k.cu\"\n"
      ".file 2 \"/usr/local/cuda/include/x.hpp\"\n.section .debug_str\n{\n$info:\n"
      ".b8 95\n}\n");
  assert_string_equal(m.fns[0].file, "/src/k.cu");
  assert_int_equal(m.fns[0].line, 12);
  const char *t = text_of(&m, 0);
  has(t, "add i32 %1, 1  !1:15"); /* a header's code counts where it was inlined */
  has(t, "!1:16");
  m = read_ok(".version 8.0\n.target sm_90\n.address_size 64\n"
              "/* two\n lines */ .entry k(.param .u64 p) {\n.reg .b64 %d<3>;\n"
              "ld.param.u64 %d1, [p];\nst.global.u32 [%d1], 1;\nret; }\n");
  assert_string_equal(m.fns[0].file, "k.ptx"); /* its own, where it names none */
  assert_int_equal(m.fns[0].line, 5);
  has(text_of(&m, 0), "!1:8");
}

/* ---- what is no PTX ---- */

static void malformed(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint32_t line;
  } bad[] = {{"hello", 1},
             {".version 8.0\n.entry k( { ret; }", 2},
             {".version 8.0\n\n.entry k() { ret;", 3},
             {".version 8.0\n.global .u32 x", 2},
             {".version 8.0\n.section .debug { ", 2},
             {".version 8.0\n.entry () { }", 2},
             {".version 8.0\n.global .u32 x[4294967296][4294967296];", 2}};
  for (size_t k = 0; k < WW_COUNT(bad); k++) {
    ww_module m;
    ww_err e = {0};
    assert_int_equal(
        ww_ptx_read(bad[k].text, strlen(bad[k].text), "k.ptx", arena, &m, &e),
        WW_EPARSE);
    assert_int_equal(e.line, bad[k].line);
    assert_string_equal(e.file, "k.ptx");
  }
}

static void names(void **state) {
  (void)state;
  static const struct {
    const char *mangled, *plain;
    uint32_t params;
  } of[] = {{"_Z5saxpyifPKfPf", "saxpy", 4},
            {"_ZN2ns4kernIfLj256ELb1EEEvPKT_i", "kern<float, 256U, true>", 2},
            {"_ZN2ns1AIiE1kIS1_EEvT_PS1_", "k<ns::A<int> >", 2},
            {"_ZN12_GLOBAL__N_11kEv", "k", 0},
            {"_Z1kILin3EEvPA4_f", "k<-3>", 1},
            {"_Z1kZ4mainEUlvE_", NULL, 0},
            {"_Z99k", NULL, 0},
            {"plain", NULL, 0}};
  for (size_t k = 0; k < WW_COUNT(of); k++) {
    ww_strings params = {0};
    const char *plain = ww_ir_demangle(of[k].mangled, arena, &params);
    if (of[k].plain)
      assert_string_equal(plain, of[k].plain);
    else
      assert_null(plain);
    assert_int_equal(params.n, of[k].params);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(loop_carries_values),
                                     cmocka_unit_test(one_value_has_no_phi),
                                     cmocka_unit_test(undefined_is_zero),
                                     cmocka_unit_test(untyped_registers),
                                     cmocka_unit_test(scopes),
                                     cmocka_unit_test(predicates),
                                     cmocka_unit_test(early_exit),
                                     cmocka_unit_test(indexed_branch),
                                     cmocka_unit_test(no_unroll),
                                     cmocka_unit_test(addresses),
                                     cmocka_unit_test(reductions),
                                     cmocka_unit_test(local_memory),
                                     cmocka_unit_test(barriers),
                                     cmocka_unit_test(modifiers),
                                     cmocka_unit_test(halves),
                                     cmocka_unit_test(eight_bit_floats),
                                     cmocka_unit_test(textures),
                                     cmocka_unit_test(surfaces),
                                     cmocka_unit_test(grid_workspace),
                                     cmocka_unit_test(asynchronous_stores),
                                     cmocka_unit_test(unknown_instructions),
                                     cmocka_unit_test(function_calls),
                                     cmocka_unit_test(address_of_parameter),
                                     cmocka_unit_test(runtime_functions),
                                     cmocka_unit_test(parameters),
                                     cmocka_unit_test(lines),
                                     cmocka_unit_test(malformed),
                                     cmocka_unit_test(names)};
  return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
