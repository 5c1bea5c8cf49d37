/* test_predict_lower.c - IR to machine instructions: what nvcc 13.0 makes of the same source for sm_90, counted in its code. */
#include "unit.h"

#include <math.h>

#include "../../src/predict/predict.h"

#define HEAD              \
  "module cuda warp 32\n" \
  "file \"k.cu\"\n"       \
  "symbol $s shared size 4096 align 16\n"
#define PARAMS                                                                                             \
  "fn $k kernel file \"k.cu\" line 1 {\n"                                                                  \
  "  param %n.0 i32 \"n\" \"int\" size 4 align 4\n"                                                        \
  "  param %x.1 i64 \"x\" \"const float *\" pointer global readonly elem f32 elem_size 4 size 8 align 8\n" \
  "  param %y.2 i64 \"y\" \"float *\" pointer global elem f32 elem_size 4 size 8 align 8\n"                \
  "@entry.0:\n"                                                                                            \
  "  %3 = sreg i32 ctaid.x\n"                                                                              \
  "  %4 = sreg i32 ntid.x\n"                                                                               \
  "  %5 = mul i32 %3, %4\n"                                                                                \
  "  %6 = sreg i32 tid.x\n"                                                                                \
  "  %7 = add i32 %5, %6\n"                                                                                \
  "  %8 = sext i64 from i32 %7\n"                                                                          \
  "  %9 = lea i64 %x.1, %8 #4\n"                                                                           \
  "  %10 = lea i64 %y.2, %8 #4\n"                                                                          \
  "  %11 = ld.global f32 [%9]\n"
/* The stack pointer, descriptor and two parameters; three special registers, IMAD, two IMAD.WIDE, LDG. */
#define PARAMS_INST 11
#define PARAMS_INT 3

typedef struct {
  double inst, integer, flops32, flops64;
} totals;

static ww_module parse(ww_arena *a, const char *text) {
  ww_module m;
  ww_err e = {0};
  if (ww_ir_parse(text, a, &m, &e) || ww_ir_check(&m, &e)) fail_msg("%s", e.msg);
  return m;
}

static ww_gpu h200(ww_arena *a) {
  ww_gpu g;
  ww_err e = {0};
  if (ww_gpu_load("h200", a, &g, &e)) fail_msg("%s", e.msg);
  return g;
}

/* One warp, every block once. */
static totals once(ww_arena *a, const char *text) {
  ww_module m = parse(a, text);
  ww_gpu g = h200(a);
  ww_fn *fn = &m.fns[0];
  ww_tally t = {.blocks = WW_NEWN(a, ww_block_counts, fn->nblocks), .nblocks = fn->nblocks};
  ww_lowered o;
  for (uint32_t b = 0; b < fn->nblocks; b++) t.blocks[b] = (ww_block_counts){fn, b, 1, 32, 0};
  ww_lower(&m, fn, &t, &g, a, &o);
  double sum = 0;
  for (uint32_t p = 0; p < WW_NPIPES; p++) sum += o.inst[p];
  assert_true(fabs(sum - o.total) < 1e-6 * sum);
  return (totals){o.total, o.int_ops / 32, o.flops32 / 32, o.flops64 / 32};
}

static void straight_lines(void **state) {
  static const struct {
    const char *body; /* after the loads of PARAMS */
    double inst, integer, flops32;
  } rows[] = {
      {"  st.global f32 [%10], %11\n  ret\n}\n", 2, 0, 0},
      {"  %12 = fma f32 %11, %11, %11\n  st.global f32 [%10], %12\n  ret\n}\n", 3, 0, 2},
      /* a sign is an operand's modifier, a lone absolute value an addition */
      {"  %12 = fneg f32 %11\n  %13 = fmul f32 %12, %11\n  st.global f32 [%10], %13\n  ret\n}\n", 3, 0, 1},
      {"  %12 = fabs f32 %11\n  st.global f32 [%10], %12\n  ret\n}\n", 3, 0, 1},
      /* minimum is no FLOP, IEEE division ten of ten instructions, no integer work */
      {"  %12 = fmin f32 %11, 1.0\n  st.global f32 [%10], %12\n  ret\n}\n", 3, 0, 0},
      {"  %12 = fdiv f32 %11, 3.0\n  st.global f32 [%10], %12\n  ret\n}\n", 12, 0, 10},
      /* shift-add, multiply-add, a logic of three: one instruction each */
      {"  %12 = shl i32 %7, 3\n  %13 = add i32 %12, %6\n  st.global i32 [%10], %13\n  ret\n}\n", 3, 1, 0},
      {"  %12 = xor i32 %7, %6\n  %13 = and i32 %12, %3\n  st.global i32 [%10], %13\n  ret\n}\n", 3, 1, 0},
      /* the same address with another offset costs nothing */
      {"  %12 = add i32 %7, 5\n  %13 = sext i64 from i32 %12\n  %14 = lea i64 %x.1, %13 #4\n  %15 = ld.global f32 [%14]\n"
       "  st.global f32 [%10], %15\n  ret\n}\n",
       3, 0, 0},
      /* four words of shared memory at a known alignment are one load */
      {"  %12 = ld.shared f32 [$s]\n  %13 = ld.shared f32 [$s + 4]\n  %14 = ld.shared f32 [$s + 8]\n  %15 = ld.shared f32 [$s + 12]\n"
       "  %16 = fadd f32 %12, %13\n  %17 = fadd f32 %14, %15\n  %18 = fadd f32 %16, %17\n  st.global f32 [%10], %18\n  ret\n}\n",
       6, 0, 3},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char *text = ww_fmt(*state, "%s%s%s", HEAD, PARAMS, rows[k].body);
    totals t = once(*state, text);
    if (fabs(t.inst - PARAMS_INST - rows[k].inst) > 0.01 || fabs(t.integer - PARAMS_INT - rows[k].integer) > 0.01 ||
        fabs(t.flops32 - rows[k].flops32) > 0.01)
      fail_msg("row %zu: %g instructions, %g integer, %g flops", k, t.inst - PARAMS_INST, t.integer - PARAMS_INT,
               t.flops32);
  }
}

/* axpy as the corpus has it: 19 instructions, 4 of them integer, as counted on an H200. */
static void guarded(void **state) {
  totals t = once(*state, HEAD PARAMS
                  "  %12 = icmp.slt i32 %7, %n.0\n  cbr %12, @then.1, @exit.2\n@then.1:\n"
                  "  %13 = ld.global f32 [%10]\n  %14 = fma f32 %11, 2.0, %13\n  st.global f32 [%10], %14\n  ret\n"
                  "@exit.2:\n  exit\n}\n");
  assert_float_equal(t.inst, 18, 0.01); /* without the load of the factor */
  assert_float_equal(t.integer, 4, 0.01);
  assert_float_equal(t.flops32, 2, 0.01);
}

/* A loop over a row: joined, its addresses pointers, so that load and multiply-add are most of what is left. */
static const char row_sum[] = HEAD PARAMS
    "  br @loop.1\n@loop.1:\n  %12 = phi i32 [@entry.0 0] [@loop.1 %18]\n  %13 = phi f32 [@entry.0 0.0] [@loop.1 %17]\n"
    "  %14 = sext i64 from i32 %12\n  %15 = lea i64 %9, %14 #4\n  %16 = ld.global f32 [%15]\n  %17 = fma f32 %16, %16, %13\n"
    "  %18 = add.nsw i32 %12, 1\n  %19 = icmp.slt i32 %18, %n.0\n  cbr %19, @loop.1, @end.2\n"
    "@end.2:\n  st.global f32 [%10], %17\n  ret\n}\n";

static void joined_loop(void **state) {
  ww_module m = parse(*state, row_sum);
  ww_gpu g = h200(*state);
  ww_block_counts b[3] = {{&m.fns[0], 0, 1, 32, 0}, {&m.fns[0], 1, 1024, 32 * 1024, 0}, {&m.fns[0], 2, 1, 32, 0}};
  ww_tally t = {.blocks = b, .nblocks = 3};
  ww_lowered o;
  ww_lower(&m, &m.fns[0], &t, &g, *state, &o);
  assert_true(o.total / 1024 > 2 && o.total / 1024 < 2.6); /* LDG, FFMA, and 5 for every 16 */
  assert_true(o.int_ops / 32 / 1024 < 0.4);
  /* Three trips do not fill a joined body. */
  b[1].warps = 3, b[1].lanes = 96;
  ww_lower(&m, &m.fns[0], &t, &g, *state, &o);
  assert_true((o.total - 20) / 3 > 4);
}

static void registers(void **state) {
  ww_module m = parse(*state, row_sum);
  ww_gpu g = h200(*state);
  double n, spill;
  ww_registers(&m, &m.fns[0], &g, 256, &n, &spill);
  assert_true(n >= 16 && n <= 32 && spill == 0);
  m.fns[0].max_threads = 1024, m.fns[0].min_blocks = 4; /* 16 registers a thread, whatever it needs */
  ww_registers(&m, &m.fns[0], &g, 256, &n, &spill);
  assert_true(n == 16 && spill > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(straight_lines), TEST(guarded), TEST(joined_loop), TEST(registers)};
  return RUN(tests);
}
