/* test_predict_lower.c - IR to machine instructions: what nvcc 13.0 makes of the same
 * source for sm_90, counted in its code. */
#include "unit.h"

#include <math.h>

#include "../../src/predict/model/predict.h"

#define HEAD              \
  "module cuda warp 32\n" \
  "file \"k.cu\"\n"       \
  "symbol $s shared size 4096 align 16\n"
#define PARAMS                                                                     \
  "fn $k kernel file \"k.cu\" line 1 {\n"                                          \
  "  param %n.0 i32 \"n\" \"int\" size 4 align 4\n"                                \
  "  param %x.1 i64 \"x\" \"const float *\" pointer global readonly elem f32 "     \
  "elem_size 4 size 8 "                                                            \
  "align 8\n"                                                                      \
  "  param %y.2 i64 \"y\" \"float *\" pointer global elem f32 elem_size 4 size 8 " \
  "align 8\n"                                                                      \
  "@entry.0:\n"                                                                    \
  "  %3 = sreg i32 ctaid.x\n"                                                      \
  "  %4 = sreg i32 ntid.x\n"                                                       \
  "  %5 = mul i32 %3, %4\n"                                                        \
  "  %6 = sreg i32 tid.x\n"                                                        \
  "  %7 = add i32 %5, %6\n"                                                        \
  "  %8 = sext i64 from i32 %7\n"                                                  \
  "  %9 = lea i64 %x.1, %8 #4\n"                                                   \
  "  %10 = lea i64 %y.2, %8 #4\n"                                                  \
  "  %11 = ld.global f32 [%9]\n"
/* The stack pointer, descriptor and two parameters; three special registers, IMAD, two
 * IMAD.WIDE, LDG. */
#define PARAMS_INST 11
#define PARAMS_INT 3

#define CALLEE                                                   \
  "fn $f ret f32 file \"k.cu\" line 9 {\n"                       \
  "  param %a.0 f32 \"a\" \"float\" size 4 align 4\n@entry.0:\n" \
  "  %1 = fmul f32 %a.0, %a.0\n  ret %1\n}\n"

typedef struct {
  double inst, integer, flops32, flops64;
} totals;

static ww_module parse(ww_arena *a, const char *text) {
  ww_module m;
  ww_err e = {0};
  if (ww_ir_parse(text, a, &m, &e) || ww_ir_check(&m, &e))
    fail_msg("%s", e.msg);
  return m;
}

static ww_gpu h200(ww_arena *a) {
  ww_gpu g;
  ww_err e = {0};
  if (ww_gpu_load("h200", a, &g, &e))
    fail_msg("%s", e.msg);
  return g;
}

/* One warp, every block once. */
static totals once(ww_arena *a, const char *text) {
  ww_module m = parse(a, text);
  ww_gpu g = h200(a);
  ww_fn *fn = &m.fns[0];
  ww_tally t = {.blocks = WW_NEWN(a, ww_block_counts, fn->nblocks),
                .nblocks = fn->nblocks};
  ww_lowered o;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    t.blocks[b] = (ww_block_counts){fn, b, 1, 32, 0};
  ww_lower(ww_gpu_code_new(&m, &g, a), fn, &t, &o);
  double sum = 0;
  for (uint32_t p = 0; p < WW_NPIPES; p++)
    sum += o.inst[p];
  assert_true(fabs(sum - o.total) < 1e-6 * sum);
  return (totals){o.total, o.int_ops / 32, o.flops32 / 32, o.flops64 / 32};
}

static void straight_lines(void **state) {
  static const struct {
    const char *body; /* after the loads of PARAMS */
    double inst, integer, flops32;
  } rows[] = {
      {"  st.global f32 [%10], %11\n  ret\n}\n", 2, 0, 0},
      {"  %12 = fma f32 %11, %11, %11\n  st.global f32 [%10], %12\n  ret\n}\n", 3, 0,
       2},
      /* a sign is an operand's modifier, a lone absolute value an addition */
      {"  %12 = fneg f32 %11\n  %13 = fmul f32 %12, %11\n  st.global f32 [%10], %13\n  "
       "ret\n}\n",
       3, 0, 1},
      {"  %12 = fabs f32 %11\n  st.global f32 [%10], %12\n  ret\n}\n", 3, 0, 1},
      /* minimum is no FLOP, IEEE division ten of ten instructions, no integer work */
      {"  %12 = fmin f32 %11, 1.0\n  st.global f32 [%10], %12\n  ret\n}\n", 3, 0, 0},
      {"  %12 = fdiv f32 %11, 3.0\n  st.global f32 [%10], %12\n  ret\n}\n", 12, 0, 10},
      /* shift-add, multiply-add, a logic of three: one instruction each */
      {"  %12 = shl i32 %7, 3\n  %13 = add i32 %12, %6\n  st.global i32 [%10], %13\n  "
       "ret\n}\n",
       3, 1, 0},
      {"  %12 = xor i32 %7, %6\n  %13 = and i32 %12, %3\n  st.global i32 [%10], %13\n  "
       "ret\n}\n",
       3, 1, 0},
      /* the same address with another offset costs nothing, unless the sum of words may
         wrap: then IADD3 and IMAD.WIDE */
      {"  %12 = add.nsw i32 %7, 5\n  %13 = sext i64 from i32 %12\n  %14 = lea i64 "
       "%x.1, %13 #4\n  "
       "%15 = ld.global f32 [%14]\n"
       "  st.global f32 [%10], %15\n  ret\n}\n",
       3, 0, 0},
      {"  %12 = add i32 %7, 5\n  %13 = sext i64 from i32 %12\n  %14 = lea i64 %x.1, "
       "%13 #4\n  %15 "
       "= ld.global f32 [%14]\n"
       "  st.global f32 [%10], %15\n  ret\n}\n",
       5, 2, 0},
      /* four words of shared memory at a known alignment are one load */
      {"  %12 = ld.shared f32 [$s]\n  %13 = ld.shared f32 [$s + 4]\n  %14 = ld.shared "
       "f32 [$s + "
       "8]\n  %15 = ld.shared f32 [$s + 12]\n"
       "  %16 = fadd f32 %12, %13\n  %17 = fadd f32 %14, %15\n  %18 = fadd f32 %16, "
       "%17\n  "
       "st.global f32 [%10], %18\n  ret\n}\n",
       6, 0, 3},
      /* two matrices by one ldmatrix: addresses of other lanes and the second load are
       * parts of it
       */
      {"  %12 = shfl.idx.part i32 %7, %6, 31\n  %13 = zext.part i64 from i32 %12\n  "
       "%14 = "
       "ld.shared "
       "i32 [%13]\n  %15 = ld.shared.part i32 [%13 + 512]\n  %16 = xor i32 %14, %15\n"
       "  st.global i32 [%10], %16\n  ret\n}\n",
       4, 1, 0},
      /* an asynchronous copy is one instruction, as are its mark and its wait */
      {"  %12 = ld.global f32 [%10 + 64]\n  st.shared.part f32 [$s], %12\n  "
       "group.copycommit\n  group.copywait\n"
       "  st.global f32 [%10], %11\n  ret\n}\n",
       5, 0, 0},
      /* a shift is part of every addition that takes it, to the right as well; three
         extremes are one instruction */
      {"  %12 = shl i32 %3, 5\n  %13 = add i32 %12, %6\n  %14 = add i32 %12, %7\n  %15 "
       "= xor i32 "
       "%13, %14\n"
       "  st.global i32 [%10], %15\n  ret\n}\n",
       5, 3, 0},
      {"  %12 = ashr i32 %7, 1\n  %13 = add i32 %12, %6\n  st.global i32 [%10], %13\n  "
       "ret\n}\n",
       3, 1, 0},
      {"  %12 = smax i32 %7, %6\n  %13 = smax i32 %12, %3\n  st.global i32 [%10], "
       "%13\n  ret\n}\n",
       3, 1, 0},
      /* logic tells whether its result is zero; a compare takes another one's predicate
       */
      {"  %12 = and i32 %7, 1\n  %13 = icmp.eq i32 %12, 0\n  %14 = select i32 %13, %6, "
       "%3\n  "
       "st.global i32 [%10], %14\n  ret\n}\n",
       4, 1, 0},
      {"  %12 = icmp.slt i32 %7, 9\n  %13 = icmp.slt i32 %6, 5\n  %14 = select i1 %12, "
       "%13, 0\n"
       "  %15 = select i32 %14, %6, %3\n  st.global i32 [%10], %15\n  ret\n}\n",
       5, 2, 0},
      /* an index that fits a word in bytes: LOP3, a shift, then both words of the
         pointer */
      {"  %12 = and i32 %7, 255\n  %13 = zext i64 from i32 %12\n  %14 = lea i64 %x.1, "
       "%13 #4\n  "
       "%15 = ld.global f32 [%14]\n"
       "  st.global f32 [%10], %15\n  ret\n}\n",
       7, 4, 0},
      /* by a power of two: a shift, a mask; with a sign the rest is added first */
      {"  %12 = udiv i32 %7, 8\n  st.global i32 [%10], %12\n  ret\n}\n", 3, 1, 0},
      {"  %12 = urem i32 %7, 8\n  st.global i32 [%10], %12\n  ret\n}\n", 3, 1, 0},
      {"  %12 = sdiv i32 %7, 8\n  st.global i32 [%10], %12\n  ret\n}\n", 5, 3, 0},
      /* beyond a word a shift of two is one of the other, and the sign is one more; the
         upper half of a product of 64 bits is made of four of 32 and their sums */
      {"  %12 = ld.global i64 [%9]\n  %13 = lshr i64 %12, 40\n  st.global i64 [%10], "
       "%13\n  "
       "ret\n}\n",
       4, 1, 0},
      {"  %12 = ld.global i64 [%9]\n  %13 = ashr i64 %12, 40\n  st.global i64 [%10], "
       "%13\n  "
       "ret\n}\n",
       5, 2, 0},
      {"  %12 = ld.global i64 [%9]\n  %13 = mulhu i64 %12, %12\n  st.global i64 [%10], "
       "%13\n  "
       "ret\n}\n",
       10, 7, 0},
      /* a product of words that are widened alike, and of others; a sum is part of it
       */
      {"  %12 = sext i64 from i32 %6\n  %13 = sext i64 from i32 %3\n  %14 = mul i64 "
       "%12, %13\n  "
       "st.global i64 [%10], %14\n  ret\n}\n",
       3, 1, 0},
      {"  %12 = sext i64 from i32 %6\n  %13 = zext i64 from i32 %7\n  %14 = mul i64 "
       "%12, %13\n  "
       "st.global i64 [%10], %14\n  ret\n}\n",
       7, 5, 0},
      {"  %12 = zext i64 from i32 %6\n  %13 = zext i64 from i32 %7\n  %14 = mul i64 "
       "%12, %13\n  "
       "%15 = zext i64 from i32 %3\n"
       "  %16 = add i64 %14, %15\n  st.global i64 [%10], %16\n  ret\n}\n",
       3, 1, 0},
      /* logic whose result is needed tells as well whether it is zero */
      {"  %12 = and i32 %7, %6\n  %13 = icmp.ne i32 %12, 0\n  %14 = select i32 %13, "
       "%6, "
       "%3\n  %15 = add i32 %14, %12\n  st.global i32 [%10], %15\n  ret\n}\n",
       5, 2, 0},
      /* two words put together are a pair of registers; a mask of one word is one */
      {"  %12 = zext i64 from i32 %6\n  %13 = shl i64 %12, 32\n  %14 = zext i64 from "
       "i32 %7\n  %15 = or i64 %13, %14\n  st.global i64 [%10], %15\n  ret\n}\n",
       2, 0, 0},
      {"  %12 = ld.global i64 [%9]\n  %13 = and i64 %12, 4095\n  st.global i64 [%10], "
       "%13\n  ret\n}\n",
       4, 1, 0},
      /* bits beside themselves: a shift, and a half of the mask each */
      {"  %12 = mul i32 %7, 257\n  %13 = and i32 %12, 16711935\n  st.global i32 "
       "[%10], %13\n  ret\n}\n",
       5, 3, 0},
      /* a comparison as a float is one choice; an extreme that is chosen is a compare
         and a choice by both conditions */
      {"  %12 = icmp.slt i32 %7, 9\n  %13 = zext i32 from i1 %12\n  %14 = uitof f32 "
       "from i32 %13\n  st.global f32 [%10], %14\n  ret\n}\n",
       4, 1, 0},
      {"  %12 = smax i32 %7, %6\n  %13 = icmp.slt i32 %3, 9\n  %14 = select i32 %13, "
       "%12, %7\n  st.global i32 [%10], %14\n  ret\n}\n",
       5, 2, 0},
      /* the low word of a remainder of 64 bits by a number, the whole one */
      {"  %12 = ld.global i64 [%9]\n  %13 = urem i64 %12, 1000003\n  %14 = trunc i32 "
       "from i64 %13\n  st.global i32 [%10], %14\n  ret\n}\n",
       2 + 1 + 9, 6.8, 0},
      {"  %12 = ld.global i64 [%9]\n  %13 = urem i64 %12, 1000003\n  st.global i64 "
       "[%10], %13\n  ret\n}\n",
       2 + 1 + 14, 11.05, 0},
      /* the shift of a masked index stands between its mask and other logic */
      {"  %12 = xor i32 %7, %6\n  %13 = and i32 %12, 255\n  %14 = zext i64 from i32 "
       "%13\n  %15 = lea i64 %x.1, %14 #4\n  %16 = ld.global f32 [%15]\n"
       "  st.global f32 [%10], %16\n  ret\n}\n",
       8, 5, 0},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char *text = ww_fmt(*state, "%s%s%s", HEAD, PARAMS, rows[k].body);
    totals t = once(*state, text);
    if (fabs(t.inst - PARAMS_INST - rows[k].inst) > 0.01 ||
        fabs(t.integer - PARAMS_INT - rows[k].integer) > 0.01 ||
        fabs(t.flops32 - rows[k].flops32) > 0.01)
      fail_msg("row %zu: %g instructions, %g integer, %g flops", k,
               t.inst - PARAMS_INST, t.integer - PARAMS_INT, t.flops32);
  }
}

static double inst_of(void **state, const char *body) {
  return once(*state, ww_fmt(*state, "%s%s%s", HEAD, PARAMS, body)).inst - PARAMS_INST;
}

/* What the address of a neighbour takes: x[i] is there, of an index of 32 bits or of
 * (long)y * n + i; the last value of `step` is loaded from. */
static double neighbour(void **state, bool wide, const char *step) {
  const char *index = wide ? "  %12 = sext i64 from i32 %n.0\n"
                             "  %13 = sext i64 from i32 %3\n"
                             "  %14 = mul i64 %13, %12\n"
                             "  %15 = add i64 %14, %8\n"
                             "  %16 = lea i64 %x.1, %15 #4\n"
                           : "  %12 = add i32 %n.0, %3\n"
                             "  %16 = lea i64 %x.1, %8 #4\n";
  const char *end = "  %31 = fadd f32 %30, %11\n  st.global f32 [%10], %31\n  ret\n}\n";
  const char *load = "  %30 = ld.global f32 [%16]\n";
  double alone = inst_of(state, ww_fmt(*state, "%s%s%s", index, load, end));
  double both =
      inst_of(state, ww_fmt(*state,
                            "%s%s%s  %%29 = ld.global f32 [%%28]\n  %%32 = fadd f32 "
                            "%%29, %%30\n  st.global f32 [%%10 + 4], %%32\n%s",
                            index, load, step, end));
  return both - alone - 3; /* its load, addition and store */
}

static void neighbours(void **state) {
  /* IMAD.WIDE of what is added; what is subtracted changes the index */
  assert_float_equal(neighbour(state, false,
                               "  %20 = add.nsw i32 %7, %n.0\n  %21 = sext i64 from "
                               "i32 %20\n  %28 = lea i64 %x.1, %21 #4\n"),
                     1, 0.01);
  assert_float_equal(neighbour(state, false,
                               "  %20 = sub.nsw i32 %7, %n.0\n  %21 = sext i64 from "
                               "i32 %20\n  %28 = lea i64 %x.1, %21 #4\n"),
                     2, 0.01);
  /* of 64 bits: IADD3 and its carry, LEA and its */
  assert_float_equal(
      neighbour(state, true,
                "  %20 = add i64 %15, %12\n  %28 = lea i64 %x.1, %20 #4\n"),
      1, 0.01);
  assert_float_equal(
      neighbour(state, true,
                "  %20 = sub i64 %15, %12\n  %28 = lea i64 %x.1, %20 #4\n"),
      4, 0.01);
  /* another row is another product: an addition, IMAD.WIDE, two LEA */
  assert_float_equal(
      neighbour(state, true,
                "  %20 = add.nsw i32 %6, 1\n  %21 = sext i64 from i32 %20\n  %22 = mul "
                "i64 %21, %12\n  %23 = add i64 %22, %8\n  %28 = lea i64 %x.1, %23 "
                "#4\n"),
      4, 0.01);
}

/* Two columns of a row: nvcc adds each to the product, and scales the sum. One array or
 * two with the same index: scaled once, then two additions each. */
static void columns(void **state) {
#define ROW                                                        \
  "  %12 = sext i64 from i32 %n.0\n  %13 = sext i64 from i32 %3\n" \
  "  %14 = mul i64 %13, %12\n  %15 = lea i64 %x.1, %14 #4\n"       \
  "  %16 = lea i64 %15, %8 #4\n  %17 = ld.global f32 [%16]\n"
  double one = inst_of(state, ROW "  st.global f32 [%10], %17\n  ret\n}\n");
  double two =
      inst_of(state, ROW "  %18 = sext i64 from i32 %6\n  %19 = lea i64 %15, %18 #4\n"
                         "  %20 = ld.global f32 [%19]\n  %21 = fadd f32 %17, %20\n"
                         "  st.global f32 [%10], %21\n  ret\n}\n");
  /* SHF of the column, IMAD.WIDE, two LEA, LDG, FADD; the uniform product is no more */
  assert_float_equal(two - one, 5, 1.01);
#define LONG                                                   \
  "  %12 = ld.global i64 [%9]\n  %13 = lea i64 %x.1, %12 #4\n" \
  "  %14 = ld.global f32 [%13]\n"
  double first = inst_of(state, LONG "  st.global f32 [%10], %14\n  ret\n}\n");
  double second = inst_of(state, LONG "  %15 = lea i64 %y.2, %12 #4\n"
                                      "  st.global f32 [%15], %14\n  ret\n}\n");
  assert_float_equal(second - first, 4, 0.01);
}

/* LDC adds the index itself to a table in the constant bank: LOP3, LDC, STG. A word at
 * a place that the code knows is an operand of who needs it. */
static void constant_tables(void **state) {
  static const char table[] = "symbol $t const size 256 align 4\n";
  const char *body = "  %12 = and i32 %7, 255\n  %13 = zext i64 from i32 %12\n"
                     "  %14 = add i64 $t, %13\n  %15 = ld.const i8 [%14]\n"
                     "  %16 = zext i32 from i8 %15\n  st.global i32 [%10], %16\n"
                     "  ret\n}\n";
  double inst =
      once(*state, ww_fmt(*state, "%s%s%s%s", HEAD, table, PARAMS, body)).inst;
  assert_float_equal(inst - PARAMS_INST, 4, 0.01);
  const char *word = "  %12 = ld.const f32 [$t + 8]\n  %13 = fmul f32 %11, %12\n"
                     "  st.global f32 [%10], %13\n  ret\n}\n";
  inst = once(*state, ww_fmt(*state, "%s%s%s%s", HEAD, table, PARAMS, word)).inst;
  assert_float_equal(inst - PARAMS_INST, 3, 0.01);
}

/* clang widens two words of an index, nvcc their sum: IADD3 and IMAD.WIDE. */
static void sums_of_words(void **state) {
  double inst =
      inst_of(state, "  %12 = zext i64 from i32 %6\n  %13 = zext i64 from i32 "
                     "%3\n  %14 = add i64 %12, %13\n  %15 = lea i64 %x.1, "
                     "%14 #4\n  %16 = ld.global f32 [%15]\n"
                     "  st.global f32 [%10], %16\n  ret\n}\n");
  assert_float_equal(inst, 2 + 1 + 2, 0.01);
}

/* The sine and cosine of one angle share its reduction. */
static void sines(void **state) {
#define PAIR(first, second)                                      \
  "  %12 = math." first " f32 %11\n  %13 = math." second " f32 " \
  "%11\n"                                                        \
  "  %14 = fadd f32 %12, %13\n  st.global f32 [%10], %14\n  ret\n}\n"
  double pair = inst_of(state, PAIR("sinpi", "cospi"));
  double twice = inst_of(state, PAIR("sinpi", "sinpi"));
  assert_float_equal(pair - 3, 0.75 * (twice - 3), 1); /* a cosine takes two more */
  assert_true(pair > 28 && pair < 36);
}

/* A sum with a product that stands before the loop takes two additions in it; with one
 * that stands beside it, none. */
static void hoisted_products(void **state) {
#define LONG_SUM(entry, loop, stored)                                              \
  "  %12 = sext i64 from i32 %6\n" entry "  br @loop.1\n@loop.1:\n"                \
  "  %20 = phi i32 [@entry.0 0] [@loop.1 %26]\n" loop "  %23 = add i64 %14, %12\n" \
  "  st.global i64 [%10], " stored "\n  %30 = call f32 $f(%11)\n"                  \
  "  %26 = add.nsw i32 %20, 1\n  %27 = icmp.slt i32 %26, %n.0\n"                   \
  "  cbr %27, @loop.1, @end.2\n@end.2:\n  ret\n}\n" CALLEE
#define LONG_PRODUCT "  %14 = mul i64 %12, %12\n"
  double before = inst_of(state, LONG_SUM(LONG_PRODUCT, "", "%23"));
  double beside = inst_of(state, LONG_SUM("", LONG_PRODUCT, "%23"));
  double both = inst_of(state, LONG_SUM("", LONG_PRODUCT, "%14")); /* needed itself */
  assert_float_equal(beside, both - 2, 0.01);
  assert_true(before >
              beside - 5 + 1 + 1.9); /* the product beside widens again: 5, not 1 */
}

/* A loop whose step is not known, over x[(long)row * n + i]: ten instructions for nvcc,
 * of which the address takes five; over x[i] six. */
static double walked(void **state, const char *row, const char *base) {
  return inst_of(
      state,
      ww_fmt(*state,
             "%s  br @loop.1\n@loop.1:\n  %%20 = phi i32 [@entry.0 %%7] [@loop.1 "
             "%%26]\n  %%21 = phi f32 [@entry.0 0.0] [@loop.1 %%25]\n"
             "  %%22 = sext i64 from i32 %%20\n  %%23 = lea i64 %s, %%22 #4\n"
             "  %%24 = ld.global f32 [%%23]\n  %%25 = fadd f32 %%24, %%21\n"
             "  %%26 = add.nsw i32 %%20, %%4\n  %%27 = icmp.slt i32 %%26, %%n.0\n"
             "  cbr %%27, @loop.1, @end.2\n@end.2:\n  st.global f32 [%%10], %%25\n"
             "  ret\n}\n",
             row, base));
}

static void walks_along_rows(void **state) {
  const char *row = "  %12 = sext i64 from i32 %n.0\n  %13 = sext i64 from i32 %3\n"
                    "  %14 = mul i64 %13, %12\n  %15 = lea i64 %x.1, %14 #4\n";
  double along = walked(state, row, "%15") - walked(state, "", "%x.1");
  /* the product is computed before the loop here, on the uniform datapath */
  assert_float_equal(along, 4 + 2, 0.01);
}

/* The high word decides: what memory holds as 64 bits takes a call, as does a product,
 * unless it numbers a block's first thread; an index does not.
 * A known divisor's reciprocal is there. */
static void divisions(void **state) {
  double wide = inst_of(
      state, "  %12 = ld.global i64 [%9]\n  %13 = udiv i64 %12, %8\n  st.global "
             "i64 [%10], %13\n  ret\n}\n");
  double index =
      inst_of(state, "  %12 = zext i64 from i32 %7\n  %13 = udiv i64 %12, %8\n  "
                     "st.global i64 [%10], %13\n  ret\n}\n");
  assert_true(wide > 75 && wide < 90 && index < 45);
  double product = inst_of(
      state, "  %12 = zext i64 from i32 %7\n  %13 = mul i64 %12, %8\n  %14 = udiv i64 "
             "%13, %8\n  st.global i64 [%10], %14\n  ret\n}\n");
  double first_thread =
      inst_of(state, "  %12 = sreg i32 ntid.x\n  %13 = sreg i32 ctaid.x\n  %14 = zext "
                     "i64 from i32 %12\n  %15 = zext i64 from i32 %13\n  %16 = mul i64 "
                     "%14, %15\n  %17 = udiv i64 %16, %8\n  st.global i64 [%10], "
                     "%17\n  ret\n}\n");
  assert_true(product > 75 && first_thread < 50);
  /* and what a loop carries of such */
  double carried = inst_of(
      state,
      "  %12 = ld.global i64 [%9]\n  br @loop.1\n@loop.1:\n"
      "  %20 = phi i64 [@entry.0 %12] [@loop.1 %22]\n  %21 = udiv i64 %20, %8\n"
      "  %22 = add i64 %21, 5\n  %23 = icmp.ult i64 %22, 99\n"
      "  cbr %23, @end.2, @loop.1\n@end.2:\n  st.global i64 [%10], %22\n  ret\n}\n");
  assert_true(carried > wide);
  double one =
      inst_of(state, "  %12 = udiv i32 %7, %6\n  st.global i32 [%10], %12\n  ret\n}\n");
  double two = inst_of(
      state,
      "  %12 = udiv i32 %7, %6\n  %13 = udiv i32 %3, %6\n  %14 = xor i32 %12, %13\n"
      "  st.global i32 [%10], %14\n  ret\n}\n");
  assert_true(one > 15 && two - one > 7 && two - one < 14);
}

/* One lane speaks for all that meet at an address; floats in shared memory are swapped
 * until it works. */
static void atomics(void **state) {
  double apart = inst_of(state, "  atom.add.global i32 [%10], %6\n  ret\n}\n");
  double together = inst_of(state, "  atom.add.global i32 [%y.2], %6\n  ret\n}\n");
  double old = inst_of(
      state,
      "  %12 = atom.add.global i32 [%y.2], %3\n  st.global i32 [%10], %12\n  ret\n}\n");
  double word = inst_of(state, "  atom.add.shared i32 [$s], %6\n  ret\n}\n");
  double single = inst_of(state, "  atom.fadd.shared f32 [$s], %11\n  ret\n}\n");
  assert_float_equal(together - apart, 5, 0.01);
  assert_float_equal(old - together, 6, 0.01);
  assert_true(single > word);

  ww_module m =
      parse(*state, HEAD PARAMS "  atom.fadd.shared f32 [$s], %11\n  ret\n}\n");
  ww_gpu g = h200(*state);
  ww_block_counts b = {&m.fns[0], 0, 1, 32, 0};
  ww_tally t = {.blocks = &b,
                .nblocks = 1,
                .c = {.shared_atomic_requests = 1, .shared_atomic_lanes = 1}};
  ww_lowered few, many;
  ww_gpu_code *code = ww_gpu_code_new(&m, &g, *state);
  ww_lower(code, &m.fns[0], &t, &few);
  t.c.shared_atomic_lanes = 16;
  ww_lower(code, &m.fns[0], &t, &many);
  assert_true(many.total - few.total > 50 && many.flops32 > 3 * few.flops32);
  assert_true(many.spin_cycles > 20 * few.spin_cycles);
}

/* A product of a warp group is one instruction of its four warps that keeps the matrix
 * unit busy for each 8 columns; bytes take as long for twice the depth. */
static void warp_groups(void **state) {
#define ACC "1.0:f32, 2.0:f32, 3.0:f32, 4.0:f32"
#define D4 "  %12:f32, %13:f32, %14:f32, %15:f32 = wgmma.1"
#define PRODUCT(type) D4 " f32 from " type " 0:i32, 1:i1, %10, %10, " ACC " #65536\n"
  double none = inst_of(state, "  ret\n}\n");
  double one = inst_of(state, PRODUCT("f16") "  ret\n}\n");
  assert_float_equal(one - none, 5, 0.01); /* four of them uniform */
  static const char *const each[] = {PRODUCT("f16"), PRODUCT("bf16"), PRODUCT("f32"),
                                     PRODUCT("e4m3")};
  for (uint32_t k = 0; k < WW_COUNT(each); k++) {
    ww_module m = parse(*state, ww_fmt(*state, "%s%s  ret\n}\n", HEAD PARAMS, each[k]));
    ww_gpu g = h200(*state);
    ww_block_counts b = {&m.fns[0], 0, 4, 128, 0};
    ww_tally t = {.blocks = &b, .nblocks = 1};
    ww_lowered o;
    ww_lower(ww_gpu_code_new(&m, &g, *state), &m.fns[0], &t, &o);
    /* 4096 flops a cycle of FP16 in an SM: 64 x 8 x 16 products in 4 cycles */
    double cycles = o.cycles[WW_PIPE_TENSOR] / 4;
    assert_true(cycles > 3.5 && cycles < 5);
    assert_float_equal(o.inst[WW_PIPE_TENSOR], 4, 0.01);
    assert_true(o.beside > 0);
  }
}

/* Short bodies have no branch, with a guard of indices inside as well; a load that may
 * be written to has one where its value merges. */
static void predicates(void **state) {
#define GUARD "  %12 = icmp.slt i32 %7, 9\n  cbr %12, @a.1, @join.3\n@a.1:\n"
#define STORE "  %14 = fadd f32 %11, %11\n  st.global f32 [%10], %14\n"
  double flat =
      inst_of(state, "  %12 = icmp.slt i32 %7, 9\n  %13 = icmp.slt i32 %6, 5\n" STORE
                     "  ret\n}\n");
  double nested = inst_of(
      state, GUARD "  %13 = icmp.slt i32 %6, 5\n  cbr %13, @b.2, @join.3\n@b.2:\n" STORE
                   "  br @join.3\n@join.3:\n  ret\n}\n");
  assert_float_equal(flat, nested, 0.01);
#define MERGE(load)                                                            \
  "  %12 = icmp.slt i32 %7, 9\n  cbr %12, @a.1, @join.2\n@a.1:\n  %14 = " load \
  " f32 [%9 + 4]\n  br @join.2\n@join.2:\n"                                    \
  "  %15 = phi f32 [@entry.0 0.0] [@a.1 %14]\n  st.global f32 [%10], %15\n  ret\n}\n"
  double constant = inst_of(state, MERGE("ld.global.readonly")),
         written = inst_of(state, MERGE("ld.global"));
  assert_float_equal(written - constant, 3, 0.01); /* BRA, BSSY, BSYNC */
#define BESIDE(other)                                                               \
  "  %12 = icmp.slt i32 %7, 9\n  cbr %12, @a.1, @join.2\n@a.1:\n  %14 = ld.global " \
  "f32 [%9 + 4]\n  br @join.2\n@join.2:\n  %15 = phi f32 [@entry.0 " other          \
  "] [@a.1 %14]\n  %16 = fadd f32 %15, %11\n  st.global f32 [%10], %16\n  ret\n}\n"
  /* beside another load it runs under the predicate, if its register holds a number */
  double number = inst_of(state, BESIDE("0.0"));
  double value = inst_of(state, BESIDE("%11"));
  assert_float_equal(number, constant + 1, 0.01);
  assert_float_equal(value - number, 3 - 1, 0.01); /* no move of the number */
}

/* Who has waited for data takes a branch: a load inside could not wait beside it. So do
 * divisions by what varies, and atomics for which one lane speaks. */
static void branches(void **state) {
#define WHERE(cond, body, join)                              \
  "  %12 = " cond "\n  cbr %12, @a.1, @join.2\n@a.1:\n" body \
  "  br @join.2\n@join.2:\n" join "  ret\n}\n"
#define LOADED "  %14 = ld.global f32 [%9 + 4]\n"
#define NUMBER                                                             \
  "  %15 = phi f32 [@entry.0 0.0] [@a.1 %14]\n  %16 = fadd f32 %15, %11\n" \
  "  st.global f32 [%10], %16\n"
  double waits = inst_of(state, WHERE("fcmp.folt f32 %11, 1.0", LOADED, NUMBER));
  double index = inst_of(state, WHERE("icmp.slt i32 %7, 9", LOADED, NUMBER));
  assert_float_equal(waits, index + 3, 0.01);
#define STORED_IN(op) \
  WHERE("icmp.slt i32 %7, 9", "  %13 = " op "\n  st.global i32 [%10], %13\n", "")
  const char *const ops[] = {"udiv i32 %7, %6", "udiv i32 %7, 7"};
  double more[2];
  for (int k = 0; k < 2; k++) {
    double alone = inst_of(
        state, ww_fmt(*state, "  %%13 = %s\n  st.global i32 [%%10], %%13\n  ret\n}\n",
                      ops[k]));
    more[k] =
        inst_of(state, k ? STORED_IN("udiv i32 %7, 7") : STORED_IN("udiv i32 %7, %6")) -
        alone;
  }
  assert_float_equal(more[0], 1 + 3, 0.01); /* ISETP; BRA, BSSY, BSYNC */
  assert_float_equal(more[1], 1, 0.01);
  double apart = inst_of(
      state, WHERE("icmp.slt i32 %7, 9", "  atom.add.global i32 [%10], %6\n", ""));
  double together = inst_of(
      state, WHERE("icmp.slt i32 %7, 9", "  atom.add.global i32 [%y.2], %6\n", ""));
  assert_float_equal(together - apart, 5 + 3, 0.01);
}

/* Of two ways that take a branch, the first jumps over the second; where all lanes go
 * the same way there is no place to meet. */
static void two_ways(void **state) {
#define EITHER(value)                                                              \
  "  %12 = ld.global i32 " value "\n  %13 = icmp.slt i32 %12, 9\n"                 \
  "  cbr %13, @a.1, @b.2\n@a.1:\n  %14 = fdiv f32 %11, %11\n  br @join.3\n@b.2:\n" \
  "  %15 = math.log f32 %11\n  br @join.3\n@join.3:\n"                             \
  "  %16 = phi f32 [@a.1 %14] [@b.2 %15]\n  st.global f32 [%10], %16\n  ret\n}\n"
  double straight = inst_of(
      state,
      "  %12 = ld.global i32 [%9 + 4]\n  %13 = icmp.slt i32 %12, 9\n"
      "  %14 = fdiv f32 %11, %11\n  %15 = math.log f32 %11\n"
      "  %16 = select f32 %13, %14, %15\n  st.global f32 [%10], %16\n  ret\n}\n");
  double parts = inst_of(state, EITHER("[%9 + 4]"));
  double agrees = inst_of(state, EITHER("[%y.2]"));
  assert_float_equal(parts, straight + 3 + 1, 0.01); /* BRA, BSSY, BSYNC; BRA */
  assert_float_equal(agrees, parts - 2, 0.01);
}

/* `n` guards in each other, five multiplications before each; flat: the same without a
 * branch. */
static double guards(void **state, uint32_t n, bool flat) {
  ww_buf b = {0};
  uint32_t v = 12;
  for (uint32_t g = 0; g < n; g++) {
    for (uint32_t k = 0; k < 5; k++, v++)
      ww_buf_fmt(&b, "  %%%u = mul i32 %%%u, %%%u\n", v, v == 12 ? 7 : v - 1,
                 v == 12 ? 7 : v - 1);
    ww_buf_fmt(&b, "  %%%u = icmp.slt i32 %%%u, 9\n", 100 + g, v - 1);
    if (!flat)
      ww_buf_fmt(&b, "  cbr %%%u, @b.%u, @join.%u\n@b.%u:\n", 100 + g, g + 1, n + 1,
                 g + 1);
  }
  ww_buf_fmt(&b, "  st.global i32 [%%10], %%%u\n", v - 1);
  if (!flat)
    ww_buf_fmt(&b, "  br @join.%u\n@join.%u:\n", n + 1, n + 1);
  ww_buf_puts(&b, "  ret\n}\n");
  double inst = inst_of(state, b.s);
  ww_buf_free(&b);
  return inst;
}

/* All that is under one predicate is issued by every warp: where that is much, a branch
 * stays. */
static void nested_guards(void **state) {
  assert_float_equal(guards(state, 3, false), guards(state, 3, true), 0.01);
  assert_true(guards(state, 8, false) > guards(state, 8, true) + 0.99);
}

/* Local memory is aligned: four words are one store. */
static void local_words(void **state) {
#define LOCAL(stores)                                                               \
  HEAD "fn $k kernel file \"k.cu\" line 1 local 64 {\n@entry.0:\n  %0 = localaddr " \
       "i64\n  %1 = "                                                               \
       "sreg i32 tid.x\n"                                                           \
       "  st.local i32 [%0], %1\n" stores "  ret\n}\n"
  double one = once(*state, LOCAL("")).inst;
  double four =
      once(*state, LOCAL("  st.local i32 [%0 + 4], %1\n  st.local i32 [%0 + 8], %1\n  "
                         "st.local i32 [%0 + 12], %1\n"))
          .inst;
  double far = once(*state, LOCAL("  st.local i32 [%0 + 32], %1\n")).inst;
  assert_float_equal(four, one, 0.01);
  assert_float_equal(far, one + 1, 0.01);
}

/* As many compares and branches as cases, and one place to meet, unless all lanes have
 * the same case; of many, some. All ways but the last jump to what follows. */
static void switches(void **state) {
#define WAYS "@a.1:\n  br @join.3\n@b.2:\n  br @join.3\n@join.3:\n  ret\n}\n"
#define MORE                                                                         \
  "@a.1:\n  br @join.3\n@b.2:\n  br @join.3\n@join.3:\n  st.global f32 [%10], %11\n" \
  "  ret\n}\n"
  double two = inst_of(state, "  switch i32 %6, @join.3, 0 @a.1, 31 @b.2\n" WAYS);
  double eight = inst_of(
      state, "  switch i32 %6, @join.3, 0 @a.1, 1 @b.2, 2 @a.1, 3 @b.2, 4 @a.1, "
             "5 @b.2, 6 @a.1, 7 @b.2\n" WAYS);
  double more = inst_of(state, "  switch i32 %6, @join.3, 0 @a.1, 31 @b.2\n" MORE);
  double same =
      inst_of(state, "  %12 = ld.global i32 [%y.2]\n  switch i32 %12, @join.3, "
                     "0 @a.1, 31 @b.2\n" MORE);
  assert_float_equal(two, 1 + 2 * 2 + 2, 0.01);
  assert_float_equal(more, two + 1 + 1, 0.01);  /* STG and BRA */
  assert_float_equal(same, more - 2 + 1, 0.01); /* LDG, no BSSY and BSYNC */
  assert_true(eight > two && eight < 8 * 2);
}

/* axpy as the corpus has it: 19 instructions, 4 of them integer, as counted on an H200.
 */
static void guarded(void **state) {
  totals t = once(
      *state, HEAD PARAMS
      "  %12 = icmp.slt i32 %7, %n.0\n  cbr %12, @then.1, @exit.2\n@then.1:\n"
      "  %13 = ld.global f32 [%10]\n  %14 = fma f32 %11, 2.0, %13\n  st.global f32 "
      "[%10], %14\n  ret\n"
      "@exit.2:\n  exit\n}\n");
  assert_float_equal(t.inst, 18, 0.01); /* without the load of the factor */
  assert_float_equal(t.integer, 4, 0.01);
  assert_float_equal(t.flops32, 2, 0.01);
}

/* A loop over a row: joined, its addresses pointers, so that load and multiply-add are
 * most of what is left. */
static const char row_sum[] =
    HEAD PARAMS "  br @loop.1\n@loop.1:\n  %12 = phi i32 [@entry.0 0] [@loop.1 %18]\n  "
                "%13 = phi f32 [@entry.0 "
                "0.0] [@loop.1 %17]\n"
                "  %14 = sext i64 from i32 %12\n  %15 = lea i64 %9, %14 #4\n  %16 = "
                "ld.global f32 [%15]\n  %17 "
                "= fma f32 %16, %16, %13\n"
                "  %18 = add.nsw i32 %12, 1\n  %19 = icmp.slt i32 %18, %n.0\n  cbr "
                "%19, @loop.1, @end.2\n"
                "@end.2:\n  st.global f32 [%10], %17\n  ret\n}\n";

static void unrolled_loop(void **state) {
  ww_module m = parse(*state, row_sum);
  ww_gpu g = h200(*state);
  ww_block_counts b[3] = {{&m.fns[0], 0, 1, 32, 0},
                          {&m.fns[0], 1, 1024, 32 * 1024, 0},
                          {&m.fns[0], 2, 1, 32, 0}};
  ww_tally t = {.blocks = b, .nblocks = 3};
  ww_lowered o;
  ww_gpu_code *code = ww_gpu_code_new(&m, &g, *state);
  ww_lower(code, &m.fns[0], &t, &o);
  assert_true(o.total / 1024 > 2 &&
              o.total / 1024 < 2.6); /* LDG, FFMA, and 5 for every 16 */
  assert_true(o.int_ops / 32 / 1024 < 0.4);
  /* Three trips do not fill an unrolled body. */
  b[1].warps = 3;
  b[1].lanes = 96;
  ww_lower(code, &m.fns[0], &t, &o);
  assert_true((o.total - 20) / 3 > 4);
}

/* Of 1024 iterations, each `by` of the source: what is computed from the counter is
 * computed in each; an address that all lanes share is moved to their registers. */
static double per_iteration_of(void **state, const char *body, uint32_t by) {
  ww_module m = parse(
      *state,
      ww_fmt(
          *state,
          "%s%s  br @loop.1\n@loop.1:\n  %%12 = phi i32 [@entry.0 0] [@loop.1 %%13]\n%s"
          "  %%13 = add.nsw i32 %%12, %u\n  %%14 = icmp.slt i32 %%13, %%n.0\n"
          "  cbr %%14, @loop.1, @end.2 #%u\n@end.2:\n  ret\n}\n%s",
          HEAD, PARAMS, body, by, by, CALLEE));
  ww_gpu g = h200(*state);
  ww_block_counts b[3] = {{&m.fns[0], 0, 1, 32, 0},
                          {&m.fns[0], 1, 1024, 32 * 1024, 0},
                          {&m.fns[0], 2, 1, 32, 0}};
  ww_tally t = {.blocks = b, .nblocks = 3};
  ww_lowered o;
  ww_lower(ww_gpu_code_new(&m, &g, *state), &m.fns[0], &t, &o);
  return o.total / 1024;
}

static double per_iteration(void **state, const char *body) {
  return per_iteration_of(state, body, 1);
}

static void loops(void **state) {
  double none = per_iteration(state, "");
  double derived = per_iteration(
      state,
      "  %15 = add i32 %12, %7\n  %16 = and i32 %15, 15\n  st.shared i32 [$s], %16\n");
  assert_true(derived - none > 2.9); /* IADD, LOP3, STS */
  double lanes =
      per_iteration(state, "  %15 = add i32 %12, %7\n  %16 = sext i64 from i32 %15\n  "
                           "%17 = lea i64 %x.1, %16 #4\n"
                           "  %18 = ld.global f32 [%17]\n  st.shared f32 [$s], %18\n");
  double shared =
      per_iteration(state, "  %15 = add i32 %12, %3\n  %16 = sext i64 from i32 %15\n  "
                           "%17 = lea i64 %x.1, %16 #4\n"
                           "  %18 = ld.global f32 [%17]\n  st.shared f32 [$s], %18\n");
  assert_true(shared - lanes > 2);
}

/* What is carried on in another register than it comes in is copied: a value that takes
 * another one's place, one that who needs both meets, a count of what a test found. An
 * index that a loop adds to is scaled before it is masked. */
static void carried_on(void **state) {
#define CARRY(first, rest)                                                     \
  "  %15 = phi i32 [@entry.0 0] [@loop.1 " first "]\n"                         \
  "  %16 = phi i32 [@entry.0 0] [@loop.1 %17]\n  %17 = xor i32 %16, %7\n" rest \
  "  st.shared i32 [$s], %15\n  %30 = call f32 $f(%11)\n"
  double stays = per_iteration(state, CARRY("%15", ""));
  double moves = per_iteration(state, CARRY("%16", ""));
  assert_float_equal(moves - stays, 1, 0.01);
#define BOTH \
  "  %18 = mul i32 %17, %6\n  %19 = add i32 %18, %16\n  st.shared i32 [$s + 4], %19\n"
#define NEXT \
  "  %18 = mul i32 %17, %6\n  %19 = add i32 %18, %17\n  st.shared i32 [$s + 4], %19\n"
  double both = per_iteration(state, CARRY("%15", BOTH));
  double next = per_iteration(state, CARRY("%15", NEXT));
  assert_float_equal(both - next, 1, 0.01);
#define COUNT                                                    \
  "  %18 = icmp.slt i32 %12, %6\n  %19 = zext i32 from i1 %18\n" \
  "  %20 = add i32 %15, %19\n  st.shared i32 [$s + 4], %20\n"
  double counts = per_iteration(state, CARRY("%20", COUNT));
  double once_only = per_iteration(state, CARRY("%15", COUNT));
  assert_float_equal(counts - once_only, 1, 0.01);
#define TABLE(index)                                                                  \
  "  %15 = " index "\n  %16 = and i32 %15, 255\n  %17 = zext i64 from i32 %16\n"      \
  "  %18 = lea i64 %x.1, %17 #4\n  %19 = ld.global f32 [%18]\n  st.shared f32 [$s], " \
  "%19\n  %30 = call f32 $f(%11)\n"
  double walks_on = per_iteration(state, TABLE("add i32 %12, %7"));
  double jumps = per_iteration(state, TABLE("mul i32 %12, %7"));
  assert_float_equal(jumps - walks_on, 1, 0.01);
}

/* nvcc unrolls a counted loop fourfold while its body is not too long, and ptxas a
 * short one four times more, sooner where there are loads to have in flight: so much is
 * left of the counter, its compare and its branch in an iteration. */
static void unrolled(void **state) {
  ww_buf b = {0};
  double of[3];
  static const uint32_t sizes[] = {4, 20, 120};
  for (size_t k = 0; k < 3; k++) {
    ww_buf_puts(&b, "  %15 = xor i32 %12, %7\n");
    for (uint32_t n = 1; n < sizes[k]; n++)
      ww_buf_fmt(&b, "  %%%u = mul i32 %%%u, %%%u\n", 15 + n, 14 + n, 14 + n);
    ww_buf_fmt(&b, "  st.shared i32 [$s], %%%u\n", 14 + sizes[k]);
    of[k] = per_iteration(state, b.s) - sizes[k] - 1;
    b.n = 0;
  }
  ww_buf_free(&b);
  assert_float_equal(of[0], 3 / 4.0, 0.1);
  assert_float_equal(of[1], 3 / 4.0, 0.1);
  assert_float_equal(of[2], 3, 0.1);
  double load =
      per_iteration(state, "  %15 = sext i64 from i32 %12\n  %16 = lea i64 %9, %15 #4\n"
                           "  %17 = ld.global f32 [%16]\n  %18 = fadd f32 %17, 1.0\n"
                           "  %19 = fmul f32 %18, %18\n  st.shared f32 [$s], %19\n");
  assert_true(load - 4 < 0.6);
}

/* nvcc lays four calls side by side, as LLVM does; ptxas leaves it at that: the
 * counter, its compare and its branch are there for every four. Without global loads it
 * goes on up to 16 iterations, where shared memory is loaded. */
static void unrolled_again(void **state) {
#define CALL(n) "  %" #n " = call f32 $f(%11)\n"
  double one = per_iteration_of(state, CALL(20), 4);
  double two = per_iteration_of(state, CALL(20) CALL(21), 4);
  assert_float_equal(one - (two - one), 3, 0.1);
  double dot = per_iteration(
      state, "  %15 = phi f32 [@entry.0 0.0] [@loop.1 %20]\n"
             "  %16 = sext i64 from i32 %12\n  %17 = lea i64 $s, %16 #4\n"
             "  %18 = ld.shared f32 [%17]\n  %19 = ld.shared f32 [%17 + 1024]\n"
             "  %20 = fma f32 %18, %19, %15\n");
  assert_true(dot - 3 < 0.5);
}

/* nvcc 13 leaves 38 instructions for 16 iterations of a sum over an array. Where n
 * decides how far a step goes, each load has an IMAD.WIDE for its address: a second
 * array is that, LDG and FADD. */
static void walks(void **state) {
#define SUM(array, from, at)                       \
  "  %" #from "1 = lea i64 " array ", " at " #4\n" \
  "  %" #from "2 = ld.global f32 [%" #from "1]\n"  \
  "  %" #from "3 = fadd f32 %" #from "2, %11\n"    \
  "  st.shared f32 [$s + " #from "], %" #from "3\n"
#define STEPS "  %16 = mul.nsw i32 %12, %n.0\n  %17 = sext i64 from i32 %16\n"
  double steady = per_iteration(state, "  %15 = phi f32 [@entry.0 0.0] [@loop.1 %20]\n"
                                       "  %17 = sext i64 from i32 %12\n"
                                       "  %18 = lea i64 %9, %17 #4\n"
                                       "  %19 = ld.global f32 [%18]\n"
                                       "  %20 = fadd f32 %15, %19\n");
  double one = per_iteration(state, STEPS SUM("%9", 4, "%17"));
  double two = per_iteration(state, STEPS SUM("%9", 4, "%17") SUM("%10", 8, "%17"));
  assert_float_equal(steady, 38 / 16.0, 0.1);
  assert_float_equal(two - one, 4, 0.1); /* one is STS */
}

/* A loop whose trips are known vanishes: nothing is left of its counter. An address
 * that moves by what only the launch knows is one addition in each iteration. */
static void known_trips(void **state) {
#define TIMES(end, body)                                                          \
  HEAD PARAMS                                                                     \
      "  br @loop.1\n@loop.1:\n  %12 = phi i32 [@entry.0 0] [@loop.1 %13]\n" body \
      "  %13 = add.nsw i32 %12, 1\n  %14 = icmp.slt i32 %13, " end                \
      "\n  cbr %14, @loop.1, @end.2\n@end.2:\n  ret\n}\n"
#define STORED "  st.shared f32 [$s], %11\n"
  double counts[2];
  const char *const texts[] = {TIMES("8", STORED), TIMES("8", STORED STORED)};
  for (int k = 0; k < 2; k++) {
    ww_module m = parse(*state, texts[k]);
    ww_gpu g = h200(*state);
    ww_block_counts b[3] = {{&m.fns[0], 0, 1, 32, 0},
                            {&m.fns[0], 1, 8, 8 * 32, 0},
                            {&m.fns[0], 2, 1, 32, 0}};
    ww_tally t = {.blocks = b, .nblocks = 3};
    ww_lowered o;
    ww_lower(ww_gpu_code_new(&m, &g, *state), &m.fns[0], &t, &o);
    counts[k] = o.total;
  }
  assert_float_equal(counts[1] - counts[0], 8, 0.01);
  assert_true(counts[0] - 8 - PARAMS_INST <= 2); /* EXIT, a move */
#define WALK(index)                                                                   \
  index                                                                               \
      "  %16 = sext i64 from i32 %15\n  %17 = lea i64 %9, %16 #4\n"                   \
      "  %18 = ld.global f32 [%17]\n  %19 = mul i32 %12, %12\n  st.shared i32 [$s], " \
      "%19\n  st.shared f32 [$s + 4], %18\n"
  double strided = per_iteration(state, WALK("  %15 = mul.nsw i32 %12, %n.0\n"));
  /* LDG, IMAD, two STS; a quarter of three; the addition, and what computes its step */
  assert_true(strided > 4 + 3 / 4.0 + 1 && strided < 4 + 3 / 4.0 + 2.1);
}

/* 40 values of a type live at once. */
static ww_module forty(void **state, const char *type) {
  ww_buf b = {0};
  for (uint32_t n = 0; n < 40; n++)
    ww_buf_fmt(&b, "  %%%u = ld.global %s [%%9 + %u]\n", 12 + n, type, 4 * n);
  for (uint32_t n = 0; n < 40; n++)
    ww_buf_fmt(&b, "  st.global %s [%%10 + %u], %%%u\n", type, 4 * n, 51 - n);
  ww_buf_puts(&b, "  ret\n}\n");
  ww_module m = parse(*state, ww_fmt(*state, "%s%s%s", HEAD, PARAMS, b.s));
  ww_buf_free(&b);
  return m;
}

/* Two halves share a register. */
static void half_registers(void **state) {
  ww_occupancy of[2];
  double spill;
  ww_gpu g = h200(*state);
  for (int k = 0; k < 2; k++) {
    ww_module m = forty(state, k ? "f32" : "f16");
    ww_gpu_code *code = ww_gpu_code_new(&m, &g, *state);
    ww_resources(ww_fn_code_of(code, &m.fns[0]), 256, 0, 0, &of[k], &spill);
  }
  double more = of[1].registers - of[0].registers;
  assert_true(more >= 16 && more <= 24);
}

/* Two conversions to halves in one place are one instruction. */
static void pairs_of_halves(void **state) {
#define HALF(n) "  %" #n " = fcvt f16 from f32 %11\n"
#define KEEP(n) "  st.global f16 [%10 + " #n "], %" #n "\n"
  double together = inst_of(state, HALF(12) HALF(13) KEEP(12) KEEP(13) "  ret\n}\n");
  double apart = inst_of(state, HALF(12) KEEP(12) HALF(13) KEEP(13) "  ret\n}\n");
  assert_float_equal(apart - together, 1, 0.01);
}

/* Two halves side by side in memory are loaded as the word that they are put together
 * to; of a matrix that lies the other way a word too, and lanes exchange halves. */
static void halves_of_matrices(void **state) {
#define PUT(first, second)                                                            \
  "  %40 = mov i16 " first "\n  %41 = zext i32 from i16 %40\n  %42 = mov i16 " second \
  "\n  %43 = zext i32 from i16 %42\n  %44 = shl i32 %43, 16\n  %45 = or i32 %41, "    \
  "%44\n"
#define KEPT "  st.global i32 [%10], %45\n  ret\n}\n"
  double pair =
      inst_of(state, "  %20, %21 = ld.global f16x2 [%9]\n" PUT("%20", "%21") KEPT);
  double apart = inst_of(state, "  %20 = ld.global f16 [%9]\n  %21 = ld.global f16 [%9 "
                                "+ 64]\n" PUT("%20", "%21") KEPT);
  assert_float_equal(pair, 3, 0.01);
  assert_float_equal(apart - pair, 3, 0.01); /* LDG, a shift, LOP3 */
#define TAKEN                                                                         \
  "  %46 = trunc i16 from i32 %45\n  %47 = lshr i32 %45, 16\n  %48 = trunc i16 from " \
  "i32 %47\n  st.global i16 [%10], %46\n  st.global i16 [%10 + 64], %48\n  ret\n}\n"
  double turned = inst_of(state, "  %20 = ld.global f16 [%9]\n  %21 = ld.global f16 "
                                 "[%9 + 64]\n" PUT("%20", "%21") TAKEN);
  double straight =
      inst_of(state, "  %20, %21 = ld.global f16x2 [%9]\n" PUT("%20", "%21") TAKEN);
  assert_float_equal(turned - straight, 1, 0.01); /* MOVM */
}

/* A tile of 16 x 16 is two products of 16 x 8. */
static void tiles(void **state) {
  double halves[2];
  for (uint32_t k = 0; k < 2; k++) {
    ww_buf b = {0};
    uint32_t n = k ? 24 : 16;
    uint32_t results = k ? 8 : 4;
    ww_buf_puts(&b, "  %12 = fcvt f16 from f32 %11\n  ");
    for (uint32_t r = 0; r < results; r++)
      ww_buf_fmt(&b, "%s%%%u:f32", r ? ", " : "", 20 + r);
    ww_buf_fmt(&b, " = mma.%d f32 from f16 ", k ? 6 : 0);
    for (uint32_t r = 0; r < n; r++)
      ww_buf_fmt(&b, "%s%s", r ? ", " : "", r < n - results ? "%12" : "%11");
    ww_buf_fmt(&b, " #%u\n  st.global f32 [%%10], %%20\n  ret\n}\n", k ? 8192 : 4096);
    halves[k] = inst_of(state, b.s);
    ww_buf_free(&b);
  }
  assert_float_equal(halves[1] - halves[0], 1, 0.01);
}

/* Registers of a kernel that loads 40 values, each by `load`, makes of each another one
 * by `use`, all of them first or one by one, and stores them. */
static double
registers_of_forty(void **state, const char *load, const char *use, bool first) {
  ww_buf b = {0};
  for (uint32_t n = 0; n < 40; n++)
    ww_buf_fmt(&b, load, 20 + n, 4 * n);
  for (uint32_t n = 0; n < 40 && first; n++)
    ww_buf_fmt(&b, use, 60 + n, 20 + n, 20 + n);
  for (uint32_t n = 0; n < 40; n++) {
    if (!first)
      ww_buf_fmt(&b, use, 60 + n, 20 + n, 20 + n);
    ww_buf_fmt(&b, "  st.global f64 [%%10 + %u], %%%u\n", 8 * n, 60 + n);
  }
  ww_buf_puts(&b, "  ret\n}\n");
  ww_module m =
      parse(*state, ww_fmt(*state, "%s%s%s%s", HEAD,
                           "symbol $table const size 256 align 16\n", PARAMS, b.s));
  ww_buf_free(&b);
  ww_gpu g = h200(*state);
  return ww_fn_code_of(ww_gpu_code_new(&m, &g, *state), &m.fns[0])->registers;
}

/* What only computes waits for its first user; a place of the constant bank is an
 * operand; a word is kept as a word until its 64 bits are needed. */
static void scheduled(void **state) {
  const char *load = "  %%%u = ld.global i32 [%%9 + %u]\n";
  const char *wider = "  %%%u = sitof f64 from i32 %%%u\n";
  double early = registers_of_forty(state, load, wider, true);
  assert_true(early > 40 && early < 56);
  assert_float_equal(early, registers_of_forty(state, load, wider, false), 0.01);
  const char *bank = "  %%%u = ld.const i32 [$table + %u]\n";
  assert_true(registers_of_forty(state, bank, wider, true) <= 32);
}

/* Loads of shared memory are brought forward up to the next step of occupancy, and not
 * beyond. */
static void steps_of_occupancy(void **state) {
  ww_buf b = {0};
  ww_buf_puts(&b, "  br @loop.1\n@loop.1:\n  %12 = phi i32 [@entry.0 0] "
                  "[@loop.1 %13]\n");
  for (uint32_t n = 0; n < 40; n++)
    ww_buf_fmt(&b, "  %%%u = phi f32 [@entry.0 %%11] [@loop.1 %%%u]\n", 20 + n,
               100 + n);
  for (uint32_t n = 0; n < 40; n++) {
    ww_buf_fmt(&b, "  %%%u = ld.shared f32 [$s + %u]\n", 60 + n, 64 * n);
    ww_buf_fmt(&b, "  %%%u = fma f32 %%%u, %%%u, %%%u\n", 100 + n, 60 + n, 60 + n,
               20 + n);
  }
  ww_buf_puts(&b, "  %13 = add i32 %12, 1\n  %14 = icmp.slt i32 %13, %n.0\n"
                  "  cbr %14, @loop.1, @end.2\n@end.2:\n");
  for (uint32_t n = 0; n < 40; n++)
    ww_buf_fmt(&b, "  st.global f32 [%%10 + %u], %%%u\n", 4 * n, 100 + n);
  ww_buf_puts(&b, "  ret\n}\n");
  ww_module m = parse(*state, ww_fmt(*state, "%s%s%s", HEAD, PARAMS, b.s));
  ww_buf_free(&b);
  ww_gpu g = h200(*state);
  double n = ww_fn_code_of(ww_gpu_code_new(&m, &g, *state), &m.fns[0])->registers;
  assert_true(n > 40 && n <= 64);
}

/* Two sums of 100 words each, of which 40 are the same: as LLVM leaves them, side by
 * side, so that what both need waits for the second. */
typedef struct {
  const char *load, *between; /* %u: the value; what stands after each step of the first
                                 sum */
  bool behind;                /* the second sum only where n > 0 */
} two_sums;

static void second_sum(ww_buf *b, const two_sums *t, uint32_t n) {
  if (n < 60)
    ww_buf_fmt(b, t->load, 1000 + n, 4 * n);
  ww_buf_fmt(b, "  %%%u = fma f32 %%%u, %%%u, %%%u\n", 3000 + n, 1000 + n, 1000 + n,
             n ? 2999 + n : 11);
}

static double registers_of_sums(void **state, const two_sums *t) {
  ww_buf b = {0};
  for (uint32_t n = 0; n < 100; n++) {
    ww_buf_fmt(&b, t->load, 1060 + n, 4 * (60 + n));
    ww_buf_fmt(&b, "  %%%u = fma f32 %%%u, %%%u, %%%u\n", 2000 + n, 1060 + n, 1060 + n,
               n ? 1999 + n : 11);
    ww_buf_fmt(&b, t->between, 2000 + n);
    if (!t->behind)
      second_sum(&b, t, n);
  }
  if (t->behind)
    ww_buf_puts(&b, "  %12 = icmp.slt i32 0, %n.0\n  cbr %12, @then.1, @end.2\n"
                    "@then.1:\n");
  for (uint32_t n = 0; n < 100 && t->behind; n++)
    second_sum(&b, t, n);
  ww_buf_puts(&b, "  st.global f32 [%10 + 4], %3099\n");
  if (t->behind)
    ww_buf_puts(&b, "  br @end.2\n@end.2:\n");
  ww_buf_puts(&b, "  st.global f32 [%10], %2099\n  ret\n}\n");
  ww_module m = parse(*state, ww_fmt(*state, "%s%s%s", HEAD, PARAMS, b.s));
  ww_buf_free(&b);
  ww_gpu g = h200(*state);
  return ww_fn_code_of(ww_gpu_code_new(&m, &g, *state), &m.fns[0])->registers;
}

/* Straight code is brought into an order in which no word waits, where memory allows
 * it. */
static void tight_order(void **state) {
  const char *load = "  %%%u = ld.global f32 [%%9 + %u]\n";
  const char *store = "  st.shared f32 [$s], %%%u\n";
  assert_true(registers_of_sums(state, &(two_sums){load, "", false}) <= 32);
  assert_true(registers_of_sums(state, &(two_sums){load, "", true}) <= 32);
  assert_true(registers_of_sums(state, &(two_sums){load, store, false}) > 40);
}

/* What nothing can change is loaded ahead, at the cost of occupancy. */
static void read_ahead(void **state) {
  ww_buf b = {0};
  for (uint32_t n = 0; n < 600; n++)
    ww_buf_fmt(&b,
               "  %%%u = ld.global.readonly f32 [%%9 + %u]\n"
               "  %%%u = fma f32 %%%u, %%%u, %%%u\n",
               1000 + n, 4 * n, 2000 + n, 1000 + n, 1000 + n, n ? 1999 + n : 11);
  ww_buf_puts(&b, "  st.global f32 [%10], %2599\n  ret\n}\n");
  ww_module m = parse(*state, ww_fmt(*state, "%s%s%s", HEAD, PARAMS, b.s));
  ww_gpu g = h200(*state);
  double n = ww_fn_code_of(ww_gpu_code_new(&m, &g, *state), &m.fns[0])->registers;
  assert_true(n > 64 && n < 128);
  for (char *at = b.s; (at = strstr(at, ".readonly"));)
    memcpy(at, "         ", 9);
  m = parse(*state, ww_fmt(*state, "%s%s%s", HEAD, PARAMS, b.s));
  ww_buf_free(&b);
  n = ww_fn_code_of(ww_gpu_code_new(&m, &g, *state), &m.fns[0])->registers;
  assert_true(n <= 32);
}

/* 300 loads of what nothing can change, each under a condition of its own or (waits)
 * under one that another load decides; their sum stands behind the last, as LLVM leaves
 * it. */
static double registers_of_guarded(void **state, bool waits) {
  ww_buf b = {0};
  for (uint32_t n = 0; n < 300; n++) {
    if (waits)
      ww_buf_fmt(&b, "  %%%u = ld.global i32 [%%9 + %u]\n", 4000 + n, 4000 + 4 * n);
    ww_buf_fmt(&b,
               waits ? "  %%%u = icmp.slt i32 %u, %%%u\n"
                     : "  %%%u = icmp.slt i32 %u, %%n.0\n",
               1000 + n, n, 4000 + n);
    ww_buf_fmt(&b, "  cbr %%%u, @then.%u, @join.%u\n@then.%u:\n", 1000 + n, 2 * n + 1,
               2 * n + 2, 2 * n + 1);
    ww_buf_fmt(&b, "  %%%u = ld.global.readonly f32 [%%9 + %u]\n", 2000 + n, 4 * n);
    ww_buf_fmt(&b, "  br @join.%u\n@join.%u:\n", 2 * n + 2, 2 * n + 2);
    ww_buf_fmt(&b, "  %%%u = phi f32 [@then.%u %%%u] [@%s.%u 0.0]\n", 3000 + n,
               2 * n + 1, 2000 + n, n ? "join" : "entry", 2 * n);
  }
  for (uint32_t n = 0; n < 300; n++)
    ww_buf_fmt(&b, "  %%%u = fadd f32 %%%u, %%%u\n", 5000 + n, 3000 + n,
               n ? 4999 + n : 11);
  ww_buf_puts(&b, "  st.global f32 [%10], %5299\n  ret\n}\n");
  ww_module m = parse(*state, ww_fmt(*state, "%s%s%s", HEAD, PARAMS, b.s));
  ww_buf_free(&b);
  ww_gpu g = h200(*state);
  return ww_fn_code_of(ww_gpu_code_new(&m, &g, *state), &m.fns[0])->registers;
}

static void guarded_loads(void **state) {
  double ahead = registers_of_guarded(state, false);
  assert_true(ahead > 40 && ahead < 64);
  assert_true(registers_of_guarded(state, true) <= 32);
}

static void registers(void **state) {
  ww_module m = parse(*state, row_sum);
  ww_gpu g = h200(*state);
  ww_occupancy o;
  double spill;
  const ww_fn_code *code = ww_fn_code_of(ww_gpu_code_new(&m, &g, *state), &m.fns[0]);
  ww_resources(code, 256, 0, 0, &o, &spill);
  assert_true(o.registers >= 16 && o.registers <= 32 && spill == 0 && o.blocks == 8);
  ww_resources(code, 256, 0, 100, &o, &spill);
  assert_true(o.registers == 100 && o.blocks == 2); /* as a compiler has said */
  m.fns[0].max_threads = 1024;
  m.fns[0].min_blocks = 4; /* 16 registers a thread, whatever it needs */
  ww_resources(code, 256, 0, 0, &o, &spill);
  assert_true(o.registers == 16 && spill > 0);
}

/* What loads can be brought forward into: up to 32 registers, less what lives; a vector
 * takes as many as it has words. */
static void room_for_loads(void **state) {
  ww_module m = parse(*state, row_sum);
  ww_gpu g = h200(*state);
  const ww_block_plan *plan =
      ww_fn_code_of(ww_gpu_code_new(&m, &g, *state), &m.fns[0])->plan;
  assert_true(plan[0].unrolled == 1 && plan[1].unrolled > 1 && !plan[1].exact_trips);
  assert_true(plan[1].room > 8 && plan[1].room < 27);
  double words = 0;
  for (uint32_t k = 0; k < m.fns[0].blocks[1].nins; k++)
    words += plan[1].words[k];
  assert_float_equal(words, 1, 0.01);
  /* a kernel that needs more than 32 gets the next step of 8, and one to spare */
  m = forty(state, "f32");
  plan = ww_fn_code_of(ww_gpu_code_new(&m, &g, *state), &m.fns[0])->plan;
  assert_true(plan[0].room >= 8 && plan[0].room < 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(room_for_loads),
                                     TEST(straight_lines),
                                     TEST(divisions),
                                     TEST(atomics),
                                     TEST(warp_groups),
                                     TEST(predicates),
                                     TEST(local_words),
                                     TEST(switches),
                                     TEST(guarded),
                                     TEST(unrolled_loop),
                                     TEST(loops),
                                     TEST(registers),
                                     TEST(unrolled),
                                     TEST(known_trips),
                                     TEST(half_registers),
                                     TEST(nested_guards),
                                     TEST(scheduled),
                                     TEST(steps_of_occupancy),
                                     TEST(unrolled_again),
                                     TEST(walks),
                                     TEST(pairs_of_halves),
                                     TEST(neighbours),
                                     TEST(columns),
                                     TEST(walks_along_rows),
                                     TEST(halves_of_matrices),
                                     TEST(tiles),
                                     TEST(tight_order),
                                     TEST(read_ahead),
                                     TEST(guarded_loads),
                                     TEST(constant_tables),
                                     TEST(hoisted_products),
                                     TEST(sums_of_words),
                                     TEST(sines),
                                     TEST(branches),
                                     TEST(two_ways),
                                     TEST(carried_on)};
  return RUN(tests);
}
