/* test_lower.c - the lowering, from LLVM IR written here to the IR's text: what an
 * instruction becomes, and what refuses.
 *
 * clang assembles the text; without clang the tests are skipped. Whole programs are
 * tested by tests/kernels. */
#include "group.h"

#include "../../src/front/front.h"
#include "../../src/front/translate.h"

static const char *clang_path;

static int set_up(void **state) {
  group_setup(state);
  clang_path = ww_front_clang(arena, NULL, NULL);
  return 0;
}

static const char head[] =
    "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"\n"
    "target triple = \"nvptx64-nvidia-cuda\"\n";

static void assemble(const char *body, ww_run_result *r) {
  ww_err e = {0};
  if (!clang_path)
    skip();
  char *text = ww_fmt(arena, "%s%s", head, body);
  const char *argv[] = {clang_path,
                        "-x",
                        "ir",
                        "--target=nvptx64-nvidia-cuda",
                        "-nogpulib",
                        "-w",
                        "-O0",
                        "-Xclang",
                        "-disable-llvm-passes",
                        "-emit-llvm",
                        "-c",
                        "-o",
                        "-",
                        "-",
                        NULL};
  assert_int_equal(ww_run(argv, text, strlen(text), 30, r, &e), WW_OK);
  if (r->exit_code)
    print_error("%s\n", r->err.s);
  assert_int_equal(r->exit_code, 0);
}

/* Lowers `body`; every void function whose name starts with k is a kernel (PTX's
 * calling convention says so). */
static ww_module lower(const char *body) {
  ww_module m = {0};
  ww_err e = {0};
  ww_run_result r;
  assemble(body, &r);
  const void *bitcode[] = {r.out.s};
  ww_status st = ww_lower_bitcode(bitcode, &r.out.n, 1, WW_CUDA, false, arena, &m, &e);
  if (st)
    print_error("%s\n", e.msg);
  assert_int_equal(st, WW_OK);
  ww_run_free(&r);
  return m;
}

static const char *text_of(const ww_module *m, uint32_t fn) {
  ww_buf b = {0};
  ww_ir_print_fn(m, &m->fns[fn], &b);
  char *s = ww_strdup(arena, b.s);
  ww_buf_free(&b);
  return s;
}

static const char *lowered(const char *body) {
  ww_module m = lower(body);
  if (m.fns[0].refusal)
    print_error("refused: %s\n", m.fns[0].refusal);
  assert_null(m.fns[0].refusal);
  return text_of(&m, 0);
}

static uint32_t count(const char *text, const char *what) {
  uint32_t n = 0;
  for (const char *s = text; (s = strstr(s, what)); s++)
    n++;
  return n;
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

static const char *refused(const char *body) {
  ww_module m = lower(body);
  assert_non_null(m.fns[0].refusal);
  assert_int_equal(m.fns[0].nblocks, 0);
  return m.fns[0].refusal;
}

/* ---- floating point ---- */

static void contraction(void **state) {
  (void)state;
  const char *t =
      lowered("define ptx_kernel void @k(ptr %p, float %a, float %b, float %c) {\n"
              "  %m = fmul contract float %a, %b\n  %s = fadd contract float %m, %c\n"
              "  store float %s, ptr %p\n  ret void\n}\n");
  has(t, "fma.contract f32 %a.1, %b.2, %c.3");
  has_not(t, "fmul");
  t = lowered("define ptx_kernel void @k(ptr %p, float %a, float %b, float %c) {\n"
              "  %m = fmul contract float %a, %b\n  %s = fsub contract float %c, %m\n"
              "  store float %s, ptr %p\n  ret void\n}\n");
  assert_int_equal(count(t, "fneg"), 1);
  assert_int_equal(count(t, "fma"), 1);
}

static void contraction_needs_leave(void **state) {
  (void)state;
  const char *t =
      lowered("define ptx_kernel void @k(ptr %p, float %a, float %b, float %c) {\n"
              "  %m = fmul float %a, %b\n  %s = fadd contract float %m, %c\n"
              "  store float %s, ptr %p\n  ret void\n}\n");
  has(t, "fmul");
  has_not(t, "fma");
  t = lowered(
      "define ptx_kernel void @k(ptr %p, float %a, float %b, float %c) {\n" /* the
                                                                               product
                                                                               itself is
                                                                               stored,
                                                                               too */
      "  %m = fmul contract float %a, %b\n  %s = fadd contract float %m, %c\n"
      "  store float %s, ptr %p\n  %q = getelementptr float, ptr %p, i64 1\n  store "
      "float %m, ptr "
      "%q\n  ret void\n}\n");
  has(t, "fmul");
}

/* ---- memory ---- */

static void vector_access(void **state) {
  (void)state;
  const char *t = lowered("define ptx_kernel void @k(ptr %p, ptr %q) {\n  %v = load <4 "
                          "x float>, ptr %p, align 16\n"
                          "  store <4 x float> %v, ptr %q, align 8\n  ret void\n}\n");
  has(t, "ld.global f32x4 [%p.0]");
  assert_int_equal(count(t, "st.global f32x2"), 2);
}

static void odd_alignment_and_width(void **state) {
  (void)state;
  const char *t = lowered(
      "define ptx_kernel void @k(ptr %p, ptr %q) {\n  %v = load i32, ptr %p, align 1\n"
      "  store i32 %v, ptr %q, align 2\n  ret void\n}\n");
  assert_int_equal(count(t, "ld.global i8"), 4);
  assert_int_equal(count(t, "st.global i16"), 2);
  t = lowered("define ptx_kernel void @k(ptr %p, i24 %x) {\n  %s = sext i24 %x to "
              "i32\n  %d = sdiv "
              "i32 %s, 3\n  store i32 %d, ptr %p\n  ret void\n}\n");
  has(t, "shl i32 %x.1, 8");
  has(t, "ashr i32");
}

static void offsets_fold(void **state) {
  (void)state;
  const char *t = lowered(
      "define ptx_kernel void @k(ptr %p, i32 %i) {\n  %x = sext i32 %i to i64\n  %q = "
      "getelementptr {float, [3 x i32]}, ptr %p, i64 %x, i32 1, i64 2\n"
      "  %v = load i32, ptr %q\n  %w = add i32 %v, 1\n  store i32 %w, ptr %q\n  ret "
      "void\n}\n");
  has(t, "#16");
  has(t, "+ 12]");
  has_not(t, ", 12");
}

static void by_value_struct(void **state) {
  (void)state;
  const char *t =
      lowered("%s = type {ptr, i32}\ndefine ptx_kernel void @k(ptr byval(%s) align 8 "
              "%v) {\n  %p = load ptr, ptr %v, align 8\n"
              "  %q = getelementptr i8, ptr %v, i64 8\n  %n = load i32, ptr %q, align "
              "8\n  store i32 %n, ptr %p\n  ret void\n}\n");
  has(t, "param byval size 16");
  has(t, "ld.param i32 [%v.0 + 8]");
  has(t, "st.global"); /* a pointer from the host */
  t = lowered("%s = type {ptr, i32}\ndefine ptx_kernel void @k(ptr byval(%s) align 8 "
              "%v, i32 %i) "
              "{\n  %q = getelementptr i8, ptr %v, i64 8\n"
              "  store volatile i32 %i, ptr %q, align 8\n  ret void\n}\n");
  has(t, "localaddr"); /* the kernel writes its own copy */
  has(t, "st.local");
  has_not(t, "st.param");
}

static void variables(void **state) {
  (void)state;
  ww_module m = lower("@tile = internal addrspace(3) global [8 x float] undef, align "
                      "16\n@dyn = external "
                      "addrspace(3) global [0 x float], align 4\n"
                      "@other = internal addrspace(3) global [99 x i8] undef\n"
                      "@coef = addrspace(4) global [2 x i32] [i32 7, i32 258]\n@ptrs = "
                      "addrspace(1) global "
                      "[2 x ptr addrspace(4)] [ptr addrspace(4) @coef, ptr "
                      "addrspace(4) getelementptr (i8, "
                      "ptr addrspace(4) @coef, i64 4)]\n"
                      "define ptx_kernel void @k(i32 %i) {\n  %p = getelementptr "
                      "float, ptr addrspace(3) "
                      "@tile, i32 %i\n  store float 0.0, ptr addrspace(3) %p\n"
                      "  store float 1.0, ptr addrspace(3) @dyn\n  %q = load volatile "
                      "ptr addrspace(4), ptr "
                      "addrspace(1) @ptrs\n  %v = load volatile i32, ptr addrspace(4) "
                      "%q\n  ret void\n}\n");
  assert_null(m.fns[0].refusal);
  assert_int_equal(m.fns[0].shared_bytes,
                   32); /* what it reaches, without the dynamic part */
  uint32_t seen = 0;
  for (uint32_t s = 0; s < m.nsymbols; s++) {
    const ww_symbol *y = &m.symbols[s];
    if (!strcmp(y->name, "dyn")) {
      seen |= 1;
      assert_true(y->dynamic && y->size == 0);
    }
    if (!strcmp(y->name, "coef")) {
      seen |= 2;
      assert_true(y->space == WW_CONST && y->size == 8 && y->init[0] == 7 &&
                  y->init[5] == 1);
    }
    if (!strcmp(y->name, "ptrs")) {
      seen |= 4;
      assert_true(y->nrelocs == 2 && y->relocs[1].at == 8 && y->relocs[1].add == 4);
    }
  }
  assert_int_equal(seen, 7);
}

/* ---- values of several parts ---- */

static void wide_integers(void **state) {
  (void)state;
  const char *t =
      lowered("define ptx_kernel void @k(ptr %p, i64 %a, i64 %b) {\n  %x = zext i64 %a "
              "to i128\n  %y = zext i64 %b to i128\n  %m = mul i128 %x, %y\n"
              "  %h = lshr i128 %m, 64\n  %r = trunc i128 %h to i64\n  store i64 %r, "
              "ptr %p\n  ret void\n}\n");
  has(t, "mulhu i64 %a.1, %b.2");
  has(refused("define ptx_kernel void @k(ptr %p, i128 %a) {\n  %d = udiv i128 %a, 10\n "
              " store i128 "
              "%d, ptr %p\n  ret void\n}\n"),
      "wider than 64 bits");
}

static void packed_halves(void **state) {
  (void)state;
  const char *t =
      lowered("define ptx_kernel void @k(ptr %p, half %a, half %b) {\n  %v = "
              "insertelement <2 x half> poison, half %a, i32 0\n"
              "  %w = insertelement <2 x half> %v, half %b, i32 1\n  %i = bitcast <2 x "
              "half> %w to i32\n  store volatile i32 %i, ptr %p\n  ret void\n}\n");
  assert_int_equal(count(t, "prmt"), 1);
}

static void aggregates_flow(void **state) {
  (void)state;
  const char *t = lowered(
      "define ptx_kernel void @k(ptr %p, i1 %c, i32 %a, float %f) {\nentry:\n  br i1 "
      "%c, "
      "label %x, label %y\nx:\n  %v = insertvalue {i32, float} undef, i32 %a, 0\n"
      "  br label %y\ny:\n  %s = phi {i32, float} [%v, %x], [{i32 5, float 2.0}, "
      "%entry]\n "
      " %i = extractvalue {i32, float} %s, 0\n  store i32 %i, ptr %p\n  ret void\n}\n");
  has(t, "phi i32");
  has(t, "5");
}

/* ---- calls ---- */

static void unknown_callee(void **state) {
  (void)state;
  ww_module m = lower(
      "declare void @mystery(i32)\ndefine void @helper(i32 %i) noinline {\n  call void "
      "@mystery(i32 %i)\n  ret void\n}\n"
      "define ptx_kernel void @k(i32 %i) {\n  call void @helper(i32 %i)\n  ret "
      "void\n}\ndefine "
      "ptx_kernel void @good(ptr %p) {\n  store i32 1, ptr %p\n  ret void\n}\n");
  const ww_fn *k = ww_ir_find(&m, "k"), *good = ww_ir_find(&m, "good");
  assert_non_null(k);
  has(k->refusal, "calls helper: calls mystery, which has no definition");
  assert_null(good->refusal);
}

static void functions_are_inlined(void **state) {
  (void)state;
  const char *t = lowered(
      "define internal i32 @twice(i32 %i) {\n  %r = shl i32 %i, 1\n  ret i32 %r\n}\n"
      "define ptx_kernel void @k(ptr %p, i32 %i) {\n  %v = call i32 @twice(i32 %i)\n  "
      "store i32 %v, ptr %p\n  ret void\n}\n");
  has_not(t, "call ");
  has(t, "shl i32 %i.1, 1");
}

static void library_and_intrinsics(void **state) {
  (void)state;
  const char *t = lowered(
      "declare float @__nv_fast_expf(float)\ndeclare double @__nv_erf(double)\ndeclare "
      "float "
      "@llvm.sqrt.f32(float)\ndeclare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, "
      "i32)\n"
      "declare void @llvm.nvvm.barrier0()\ndeclare i32 @__nv_float2int_rd(float)\n"
      "define ptx_kernel void @k(ptr %p, float %a, double %d, i32 %i) {\n  %e = call "
      "float "
      "@__nv_fast_expf(float %a)\n  %s = call float @llvm.sqrt.f32(float %e)\n"
      "  %x = call double @__nv_erf(double %d)\n  %h = call i32 "
      "@llvm.nvvm.shfl.sync.bfly.i32(i32 "
      "-1, i32 %i, i32 8, i32 31)\n  call void @llvm.nvvm.barrier0()\n"
      "  %r = call i32 @__nv_float2int_rd(float %s)\n  store volatile float %s, ptr "
      "%p\n  store "
      "volatile double %x, ptr %p\n  store volatile i32 %h, ptr %p\n  store volatile "
      "i32 %r, ptr "
      "%p\n  ret void\n}\n");
  has(t, "math.exp.approx f32 %a.1");
  has(t, "math.sqrt f32");
  has(t, "math.erf f64 %d.2");
  has(t, "shfl.bfly i32 %i.3, 8, 31");
  has(t, "bar");
  has(t, "ftosi.rd i32 from f32");
}

static void tiles_vote_apart(void **state) {
  (void)state;
  const char *vote =
      "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)\ndefine ptx_kernel void @k(ptr "
      "%%p, i1 "
      "%%c, i32 %%m) {\n  %%v = call i32 @llvm.nvvm.vote.ballot.sync(i32 %s, i1 %%c)\n"
      "  store i32 %%v, ptr %%p\n  ret void\n}\n";
  has_not(lowered(ww_fmt(arena, vote, "-1")), "and i32");
  has(lowered(ww_fmt(arena, vote, "%m")), "and i32");
}

/* ---- inline PTX ---- */

static void ptx(void **state) {
  (void)state;
  const char *t = lowered(
      "define ptx_kernel void @k(ptr %p, i32 %a, i32 %b) {\n  %r = call {i32, i32} asm "
      "\"{ .reg "
      ".u32 t; add.cc.u32 $0, $2, $3; addc.u32 $1, $2, 0; }\", \"=r,=r,r,r\"(i32 %a, "
      "i32 %b)\n"
      "  %x = extractvalue {i32, i32} %r, 0\n  %y = extractvalue {i32, i32} %r, 1\n  "
      "store "
      "volatile i32 %x, ptr %p\n  store volatile i32 %y, ptr %p\n  ret void\n}\n");
  has(t, "add i32 %a.1, %b.2");
  has(t, "icmp.ult i32");
  t = lowered(
      "define ptx_kernel void @k(ptr %p, i32 %a) {\n  %r = call i32 asm sideeffect \"{ "
      ".reg .pred q; setp.ne.u32 q, $2, 0; mov.u32 $0, 7; @q ld.global.u32 $0, [$1+8]; "
      "}\", \"=r,l,r\"(ptr %p, i32 %a)\n"
      "  store i32 %r, ptr %p\n  ret void\n}\n");
  has(t, "ld.global i32 [%p.0 + 8]");
  has(t, "cbr"); /* the load is branched around */
  has(t, "phi i32");
  has(refused("define ptx_kernel void @k() {\n  call void asm sideeffect "
              "\"tcgen05.wait::ld.sync.aligned;\", \"\"()\n  ret void\n}\n"),
      "inline PTX: tcgen05.wait::ld.sync.aligned");
  t = lowered("define ptx_kernel void @k(ptr %p, float %a) {\n"
              "  %r = call float asm \"sqrt.rp.f32 $0, $1;\", \"=f,f\"(float %a)\n"
              "  %s = call float asm \"rcp.rz.f32 $0, $1;\", \"=f,f\"(float %r)\n"
              "  store float %s, ptr %p\n  ret void\n}\n");
  const char *redux = lowered(
      "define ptx_kernel void @k(ptr %p, i32 %a, i32 %m) {\n  %r = call i32 asm "
      "\"redux.sync.add.s32 $0, $1, $2;\", \"=r,r,r\"(i32 %a, i32 %m)\n"
      "  store i32 %r, ptr %p\n  ret void\n}\n");
  has(redux, "redux.add i32 %a.1, %m.2");
  has(t, "math.sqrt f32 %a.1 #3"); /* toward plus infinity, not dropped */
  has(t, "math.rcp f32 %3 #1");
}

#define ASM(text, constraints, args)                                      \
  "define ptx_kernel void @k(ptr %p, i32 %a, i64 %m) {\n  call void asm " \
  "sideeffect \"" text "\", \"" constraints "\"(" args ")\n  ret void\n}\n"

/* Labels, forward and back; what a loop does not change is no phi. */
static void ptx_branches(void **state) {
  (void)state;
  const char *t = lowered(ASM("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 "
                              "p, [$0], 1; @p bra D; bra W; D: }",
                              "r", "i32 %a"));
  has(t, "= mwait.shared i32 [%");
  has_not(t, "phi");
  t = lowered("define ptx_kernel void @k(ptr %p, i32 %a) {\n  %r = call i32 asm "
              "sideeffect \"{ .reg .pred p; .reg .u32 n; mov.u32 n, 0; mov.u32 $0, 1; "
              "L: add.u32 n, n, 1; add.u32 $0, $0, $0; setp.lt.u32 p, n, $1; @p bra L; "
              "}\", \"=r,r\"(i32 %a)\n  store i32 %r, ptr %p\n  ret void\n}\n");
  has(t, "phi i32 [@0 0] [@1 %8]");
  has(t, "phi i32 [@0 1] [@1 %9]");
  has(refused(ASM("bra NOWHERE;", "", "")), "no label NOWHERE");
  has(refused(ASM("A: A: bra A;", "", "")), "the label A is there twice");
}

static void ptx_of_sm_90(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {ASM("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], 512;", "r", "i32 %a"),
       "mbar.expect.shared.part i64 [%4], 512:i32"},
      {ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
           ".multicast::cluster [$0], [$1], 64, [$0], $0;",
           "r,l", "i32 %a, ptr %p"),
       "bulk.load.shared %5, %p.0, 64:i32, %7, %a.1"},
      {ASM("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.u32 [$1], [$0], 16;",
           "r,l", "i32 %a, ptr %p"),
       "bulk.store.global i32 %p.0, %5, 16, 0:i64, 0 #10"},
      {ASM("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [$1, {1, $0, 3}], "
           "[$0];",
           "r,l", "i32 %a, ptr %p"),
       "tma.store.global %p.0, %7, 0:i64, 0:i32, 1:i32, %a.1, 3:i32"},
      {ASM("wgmma.wait_group.sync.aligned 2;", "", ""), "group.wgwait #2"},
      {ASM("cp.async.bulk.wait_group.read 1;", "", ""), "group.bulkwait #1"},
      {ASM("barrier.cluster.arrive.relaxed.aligned;", "", ""), "clusterbar.arrive"},
      {ASM("setmaxnreg.inc.sync.aligned.u32 232;", "", ""), "maxreg #232"},
      {ASM("cp.async.mbarrier.arrive.noinc.shared.b64 [$0];", "r", "i32 %a"),
       "mbar.copies.shared i64 [%5], 1:i32"},
  };
  for (size_t k = 0; k < WW_COUNT(rows); k++)
    has(lowered(rows[k][0]), rows[k][1]);
  has(refused(ASM("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier"
                  "::complete_tx::bytes [$0], [$1, {1, 2, 3}], [$0], {4};",
                  "r,l", "i32 %a, ptr %p")),
      "im2col");
}

static void exit_inside_a_block(void **state) {
  (void)state;
  const char *t = lowered(
      "define ptx_kernel void @k(ptr %p, i1 %c) {\nentry:\n  br i1 %c, label %a, label "
      "%b\na:\n  call void asm sideeffect \"exit;\", \"\"()\n  br label %b\nb:\n"
      "  %v = phi i32 [1, %entry], [2, %a]\n  store i32 %v, ptr %p\n  ret void\n}\n");
  has(t, "exit");
  has(t, "phi i32 [@entry.0 1]\n"); /* no edge from a */
}

/* ---- many modules in one process ---- */

static bool masks(const ww_run_result *r) {
  ww_arena *a = ww_arena_new();
  ww_module m = {0};
  ww_err e = {0};
  ww_buf b = {0};
  const void *bitcode[] = {r->out.s};
  assert_int_equal(ww_lower_bitcode(bitcode, &r->out.n, 1, WW_CUDA, true, a, &m, &e),
                   WW_OK);
  ww_ir_print_module(&m, &b);
  bool found = strstr(b.s, " and ") != NULL;
  ww_buf_free(&b);
  ww_arena_free(a);
  return found;
}

/* A kernel for at most 128 threads needs no mask of tid + 165, others do: also where
 * memory of one is used for the next. */
static void bounds_stay_their_own(void **state) {
  static const char text[] =
      "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "define void @k(ptr addrspace(1) %%p) {\n  %%t = call i32 "
      "@llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "  %%a = add i32 %%t, 165\n  %%m = and i32 %%a, 511\n"
      "  %%q = getelementptr i32, ptr addrspace(1) %%p, i32 %%t\n"
      "  store i32 %%m, ptr addrspace(1) %%q\n  ret void\n}\n"
      "!nvvm.annotations = !{!0%s}\n!0 = !{ptr @k, !\"kernel\", i32 1}\n%s";
  static const char *const bounds[] = {"", "!1 = !{ptr @k, !\"maxntidx\", i32 128}\n",
                                       "!1 = !{ptr @k, !\"maxntidx\", i32 512}\n"};
  ww_run_result r[3];
  uint32_t wrong = 0, random = 1;
  bool alone[3];
  (void)state;
  for (int i = 0; i < 3; i++) {
    assemble(ww_fmt(arena, text, i ? ", !1" : "", bounds[i]), &r[i]);
    alone[i] = i != 1;
  }
  /* LLVM 18 and older know nothing of bounds, newer ones keep them with the function:
   * what matters is that it stays so */
  alone[1] = masks(&r[1]);
  for (int i = 0; i < 200; i++) {
    random = random * 1103515245u + 12345u;
    uint32_t which = (random >> 16) % 3;
    wrong += masks(&r[which]) != alone[which];
  }
  assert_int_equal(wrong, 0);
  for (int i = 0; i < 3; i++)
    ww_run_free(&r[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(contraction),
                                     cmocka_unit_test(contraction_needs_leave),
                                     cmocka_unit_test(vector_access),
                                     cmocka_unit_test(odd_alignment_and_width),
                                     cmocka_unit_test(offsets_fold),
                                     cmocka_unit_test(by_value_struct),
                                     cmocka_unit_test(variables),
                                     cmocka_unit_test(wide_integers),
                                     cmocka_unit_test(packed_halves),
                                     cmocka_unit_test(aggregates_flow),
                                     cmocka_unit_test(unknown_callee),
                                     cmocka_unit_test(functions_are_inlined),
                                     cmocka_unit_test(library_and_intrinsics),
                                     cmocka_unit_test(tiles_vote_apart),
                                     cmocka_unit_test(ptx),
                                     cmocka_unit_test(ptx_branches),
                                     cmocka_unit_test(ptx_of_sm_90),
                                     cmocka_unit_test(exit_inside_a_block),
                                     cmocka_unit_test(bounds_stay_their_own)};
  return cmocka_run_group_tests(tests, set_up, group_teardown);
}
