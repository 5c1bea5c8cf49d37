/* test_arith.c - arithmetic: every operation, type and rounding in every interpreter
 * (lanes x instruction set) against ww_scalar, under full and partial masks and in a
 * tail warp; and ww_scalar against formulas written down here independently. */
#include "rig.h"

#include <fenv.h>
#include <math.h>

#include "../../src/base/half.h"

/* ---- operands ---- */

static uint32_t bits_of(ww_type t) {
  return t == WW_I1 ? 1 : 8u * ww_type_bytes[t];
}
static uint64_t cut(uint64_t v, ww_type t) {
  return bits_of(t) == 64 ? v : v & ((1ull << bits_of(t)) - 1);
}

static const uint64_t f64_special[] = {0,
                                       0x8000000000000000,
                                       0x7ff0000000000000,
                                       0xfff0000000000000,
                                       0x7ff8000000000000,
                                       0x7ff0000000000001,
                                       1,
                                       0x000fffffffffffff,
                                       0x0010000000000000,
                                       0x7fefffffffffffff,
                                       0x3ff0000000000000,
                                       0xbff0000000000000,
                                       0x3fe0000000000000,
                                       0x3ff8000000000000,
                                       0xc004000000000000,
                                       0x41dfffffffe00000,
                                       0x41e0000000000000,
                                       0x43e0000000000000,
                                       0xc1e0000000200000,
                                       0x43f0000000000000,
                                       0xc3e0000000000000,
                                       0x36a0000000000001,
                                       0x47efffffefffffff,
                                       0x40effc0000000000,
                                       0x3e70000000000000,
                                       0x4059000000000000};
static const uint32_t f32_special[] = {
    0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 1,
    0x007fffff, 0x00800000, 0x7f7fffff, 0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000,
    0xc0200000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000,
    0x5effffff, 0x5f000000, 0xdf000000, 0x5f800000, 0x477fe000, 0x477ff000, 0x33000000,
    0x33000001, 0x42c80000, 0x437f0000, 0xc3010000};
static const uint16_t f16_special[] = {0,      0x8000, 0x7c00, 0xfc00, 0x7e00,
                                       1,      0x03ff, 0x0400, 0x7bff, 0x3c00,
                                       0xbc00, 0x3800, 0x3e00, 0xc100, 0x5bf8};
static const uint16_t bf16_special[] = {0,      0x8000, 0x7f80, 0xff80, 0x7fc0,
                                        1,      0x007f, 0x0080, 0x7f7f, 0x3f80,
                                        0xbf80, 0x3f00, 0x3fc0, 0x4f00, 0xcf00};
static const uint64_t int_special[] = {0,
                                       1,
                                       2,
                                       3,
                                       7,
                                       8,
                                       15,
                                       16,
                                       31,
                                       32,
                                       33,
                                       63,
                                       64,
                                       65,
                                       100,
                                       127,
                                       128,
                                       255,
                                       256,
                                       32767,
                                       32768,
                                       65535,
                                       0x7fffffff,
                                       0x80000000,
                                       0xffffffff,
                                       0x100000000,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       ~0ull,
                                       ~0ull - 1,
                                       ~0ull - 127};
#define PICK(table) (table)[rig_random() % (sizeof(table) / sizeof *(table))]

static uint64_t operand(ww_type t) {
  uint64_t r = rig_random();
  if (r % 4 == 0)
    return cut(rig_random(), t);
  switch (t) {
  case WW_F64:
    return r % 4 < 3 ? PICK(f64_special)
                     : 0x3ff0000000000000 + (rig_random() >> 8 << 1);
  case WW_F32:
    return r % 4 < 3 ? PICK(f32_special) : 0x3f000000u + (rig_random() & 0x3ffffff);
  case WW_F16:
    return PICK(f16_special);
  case WW_BF16:
    return PICK(bf16_special);
  default:
    return cut(r % 4 < 3 ? PICK(int_special) : rig_random() % 80, t);
  }
}

static bool is_nan(ww_type t, uint64_t v) {
  switch (t) {
  case WW_F64:
    return (v & ~(1ull << 63)) > 0x7ff0000000000000;
  case WW_F32:
    return (v & 0x7fffffff) > 0x7f800000;
  case WW_F16:
    return (v & 0x7fff) > 0x7c00;
  case WW_BF16:
    return (v & 0x7fff) > 0x7f80;
  default:
    return false;
  }
}

static bool same(ww_type t, uint64_t a, uint64_t b) {
  return a == b || (is_nan(t, a) && is_nan(t, b));
}

/* ---- one operation on the machine ---- */

/* Block of 80: two full warps of 32 and half a one, or one of 64 and a quarter. Lanes
 * stay in the loop for 1 to 4 rounds, so that the operation runs with all lanes and
 * with ever fewer; its result is live behind the loop in the lanes that left early. */
enum { THREADS = 80, ROUNDS = 4, CELLS = THREADS * ROUNDS };

typedef struct {
  const char *op, *tail; /* "fadd.rz", " #4" */
  ww_type type, from;    /* from: WW_VOID none */
  ww_type result, in[3];
} op_case;

static const char *kernel_text(const op_case *c) {
  ww_buf b = {0};
  static const char *const names[] = {"%x", "%y", "%z"};
  ww_buf_puts(
      &b,
      "module cuda warp 32\nfn $k kernel {\n  param %trip i64 pointer global\n  param "
      "%a i64 pointer global\n  param %b i64 pointer global\n"
      "  param %c i64 pointer global\n  param %each i64 pointer global\n  param %last "
      "i64 pointer global\n"
      "@entry:\n  %t = sreg i32 tid.x\n  %j = zext i64 from i32 %t\n  %pt = lea i64 "
      "%trip, %j #4\n  %n = ld.global i32 [%pt]\n  br @loop\n"
      "@loop:\n  %i = phi i32 [@entry 0] [@loop %i1]\n  %row = mul i32 %i, 80\n  %at = "
      "add i32 %row, %t\n  %k = zext i64 from i32 %at\n");
  for (int n = 0; n < 3 && c->in[n]; n++)
    ww_buf_fmt(&b, "  %%p%d = lea i64 %%%c, %%k #8\n  %s = ld.global %s [%%p%d]\n", n,
               "abc"[n], names[n], ww_type_names[c->in[n]], n);
  ww_buf_fmt(&b, "  %%r = %s %s%s%s", c->op, ww_type_names[c->type],
             c->from ? " from " : "", c->from ? ww_type_names[c->from] : "");
  for (int n = 0; n < 3 && c->in[n]; n++)
    ww_buf_fmt(&b, "%s %s", n ? "," : "", names[n]);
  ww_buf_fmt(
      &b,
      "%s\n  %%q = lea i64 %%each, %%k #8\n  st.global %s [%%q], %%r\n  %%i1 = add i32 "
      "%%i, "
      "1\n  %%go = icmp.ult i32 %%i1, %%n\n  cbr %%go, @loop, @out\n"
      "@out:\n  %%s = lea i64 %%last, %%j #8\n  st.global %s [%%s], %%r\n  ret\n}\n",
      c->tail ? c->tail : "", ww_type_names[c->result], ww_type_names[c->result]);
  char *s = ww_strdup(arena, b.s);
  ww_buf_free(&b);
  return s;
}

static const ww_ins *find_ins(
    const ww_fn *fn) { /* the one before the second lea of the loop's tail: named %r */
  const ww_block *l = &fn->blocks[1];
  for (uint32_t k = 0; k < l->nins; k++)
    if (l->ins[k].dst != WW_NOVAL && fn->vals[l->ins[k].dst].name &&
        !strcmp(fn->vals[l->ins[k].dst].name, "r"))
      return &l->ins[k];
  fail_msg("no %%r");
  return NULL;
}

static uint64_t read_cell(const uint8_t *p, ww_type t) {
  uint64_t v = 0;
  memcpy(&v, p, ww_type_bytes[t]);
  return v;
}

static void check_cell(const op_case *c,
                       const char *where,
                       uint32_t lanes,
                       const char *isa,
                       uint32_t cell,
                       const uint64_t in[3][CELLS],
                       uint64_t got,
                       uint64_t want) {
  if (same(c->result, got, want))
    return;
  fail_msg("%s %s from %s, %u lanes, %s, %s: (0x%llx, 0x%llx, 0x%llx) gives 0x%llx, "
           "not 0x%llx",
           c->op, ww_type_names[c->type], ww_type_names[c->from], lanes, isa, where,
           (unsigned long long)in[0][cell], (unsigned long long)in[1][cell],
           (unsigned long long)in[2][cell], (unsigned long long)got,
           (unsigned long long)want);
}

static void run_case(const op_case *c) {
  static uint64_t in[3][CELLS], want[CELLS];
  uint32_t trip[THREADS];
  uint64_t sizes[] = {4 * THREADS, 8 * CELLS, 8 * CELLS,
                      8 * CELLS,   8 * CELLS, 8 * THREADS};
  ww_arena *keep = arena;
  arena = ww_arena_new();
  rig r = rig_open(kernel_text(c), 1, THREADS, sizes);
  const ww_ins *ins = find_ins(r.fn);
  for (uint32_t k = 0; k < THREADS; k++)
    trip[k] = 1 + (uint32_t)(rig_random() % ROUNDS);
  memcpy(rig_buffer(&r, 0), trip, sizeof trip);
  for (int n = 0; n < 3; n++) {
    for (uint32_t k = 0; k < CELLS; k++)
      in[n][k] = c->in[n] ? operand(c->in[n]) : 0;
    memcpy(rig_buffer(&r, 1 + (uint32_t)n), in[n], sizeof in[n]);
  }
  for (uint32_t k = 0; k < CELLS; k++)
    want[k] = ww_scalar(ins, c->in[0], c->in[1], in[0][k], in[1][k], in[2][k]);
  for (uint32_t lanes = 32; lanes <= 64; lanes += 32)
    for (uint32_t i = 0; i < 3; i++) {
      if (!rig_use_isa(rig_isas[i]))
        continue;
      uint8_t *each = rig_buffer(&r, 4), *last = rig_buffer(&r, 5);
      memset(each, 0xa5, sizes[4]);
      memset(last, 0xa5, sizes[5]);
      r.spec.lanes = lanes;
      rig_must(&r);
      for (uint32_t k = 0; k < CELLS; k++) {
        if (k / THREADS < trip[k % THREADS])
          check_cell(c, "in the loop", lanes, rig_isas[i], k, in,
                     read_cell(each + 8 * k, c->result), want[k]);
        else if (read_cell(each + 8 * k, WW_I64) != 0xa5a5a5a5a5a5a5a5)
          fail_msg("%s: a lane that is not there stored", c->op);
      }
      for (uint32_t t = 0; t < THREADS; t++) {
        uint32_t cell = (trip[t] - 1) * THREADS + t;
        check_cell(c, "behind the loop", lanes, rig_isas[i], cell, in,
                   read_cell(last + 8 * t, c->result), want[cell]);
      }
      ww_machine_free(r.mc);
      r.mc = NULL;
    }
  rig_close(&r);
  ww_arena_free(arena);
  arena = keep;
}

/* ---- all operations: the table names what check.c allows ---- */

static const ww_type ints[] = {WW_I1, WW_I8, WW_I16, WW_I32, WW_I64},
                     floats[] = {WW_F16, WW_BF16, WW_F32, WW_F64};
static const char *const roundings[] = {"rn", "rz", "rd", "ru", "rna"};
#define EACH_OF(T, v, table) \
  for (const T *v = (table); v < (table) + sizeof(table) / sizeof *(table); v++)

static void same_types(const char *op, ww_type t, int n) {
  run_case(&(op_case){op, NULL, t, 0, t, {t, n > 1 ? t : 0, n > 2 ? t : 0}});
}

static void test_integers(void **state) {
  (void)state;
  static const char *const two[] = {"add",  "sub",  "mul",  "mulhs", "mulhu", "sdiv",
                                    "udiv", "srem", "urem", "and",   "or",    "xor",
                                    "smin", "smax", "umin", "umax"};
  static const char *const one[] = {"iabs", "ctpop", "ctlz", "cttz", "brev", "bswap"};
  static const char *const shifts[] = {"shl", "lshr", "ashr"}, *const funnels[] = {
                                                                   "fshl", "fshr"};
  static const char *const preds[] = {"eq",  "ne",  "slt", "sle", "sgt",
                                      "sge", "ult", "ule", "ugt", "uge"};
  EACH_OF(ww_type, t, ints) {
    EACH_OF(char *const, op, two) same_types(*op, *t, 2);
    EACH_OF(char *const, op, one)
    if (*t > WW_I8 || strcmp(*op, "bswap"))
      same_types(*op, *t, 1);
    EACH_OF(ww_type, by, ints) { /* counts may have any integer type */
      EACH_OF(char *const, op, shifts)
      run_case(&(op_case){*op, NULL, *t, 0, *t, {*t, *by}});
      EACH_OF(char *const, op, funnels)
      run_case(&(op_case){*op, NULL, *t, 0, *t, {*t, *t, *by}});
    }
    EACH_OF(char *const, p, preds)
    run_case(&(op_case){ww_fmt(arena, "icmp.%s", *p), NULL, *t, 0, WW_I1, {*t, *t}});
    same_types("sad", *t, 3);
    same_types("sad.1", *t, 3);
  }
}

static void test_bit_fields_and_dot_products(void **state) {
  (void)state;
  for (ww_type t = WW_I32; t <= WW_I64; t++) {
    run_case(&(op_case){"bfeu", NULL, t, 0, t, {t, WW_I32, WW_I32}});
    run_case(&(op_case){"bfes", NULL, t, 0, t, {t, WW_I32, WW_I32}});
    for (int s = 0; s < 8; s++) {
      if (s < 4)
        run_case(&(op_case){
            ww_fmt(arena, "dp4a.%d", s), NULL, t, 0, t, {WW_I32, WW_I32, t}});
      run_case(
          &(op_case){ww_fmt(arena, "dp2a.%d", s), NULL, t, 0, t, {WW_I32, WW_I32, t}});
    }
  }
  same_types("prmt", WW_I32, 3);
  static const char *const scales[] = {" #1",  " #4",          " #12",
                                       " #-8", " #1073741824", " #0"};
  EACH_OF(char *const, s, scales)
  run_case(&(op_case){"lea", *s, WW_I64, 0, WW_I64, {WW_I64, WW_I64}});
}

static void test_moves(void **state) {
  (void)state;
  EACH_OF(ww_type, t, ints) {
    same_types("mov", *t, 1);
    same_types("freeze", *t, 1);
    run_case(&(op_case){"select", NULL, *t, 0, *t, {WW_I1, *t, *t}});
  }
  EACH_OF(ww_type, t, floats) {
    same_types("mov", *t, 1);
    same_types("freeze", *t, 1);
    run_case(&(op_case){"select", NULL, *t, 0, *t, {WW_I1, *t, *t}});
  }
  static const ww_type casts[][2] = {{WW_F32, WW_I32}, {WW_I32, WW_F32},
                                     {WW_F64, WW_I64}, {WW_I64, WW_F64},
                                     {WW_F16, WW_I16}, {WW_I16, WW_BF16}};
  for (size_t k = 0; k < sizeof casts / sizeof *casts; k++)
    run_case(&(op_case){"mov", NULL, casts[k][0], 0, casts[k][0], {casts[k][1]}});
}

static void test_conversions(void **state) {
  (void)state;
  EACH_OF(ww_type, s, ints) {
    EACH_OF(ww_type, d, ints) {
      if (bits_of(*d) < bits_of(*s))
        run_case(&(op_case){"trunc", NULL, *d, *s, *d, {*s}});
      if (bits_of(*d) <= bits_of(*s))
        continue;
      run_case(&(op_case){"zext", NULL, *d, *s, *d, {*s}});
      run_case(&(op_case){"sext", NULL, *d, *s, *d, {*s}});
    }
    EACH_OF(ww_type, f, floats)
    EACH_OF(char *const, r, roundings) {
      run_case(&(op_case){ww_fmt(arena, "ftosi.%s", *r), NULL, *s, *f, *s, {*f}});
      run_case(&(op_case){ww_fmt(arena, "ftoui.%s", *r), NULL, *s, *f, *s, {*f}});
      if (!strcmp(*r, "rna"))
        continue;
      run_case(&(op_case){ww_fmt(arena, "sitof.%s", *r), NULL, *f, *s, *f, {*s}});
      run_case(&(op_case){ww_fmt(arena, "uitof.%s", *r), NULL, *f, *s, *f, {*s}});
    }
  }
  EACH_OF(ww_type, s, floats)
  EACH_OF(ww_type, d, floats)
  EACH_OF(char *const, r, roundings)
  run_case(&(op_case){ww_fmt(arena, "fcvt.%s", *r), NULL, *d, *s, *d, {*s}});
}

static void test_floats(void **state) {
  (void)state;
  static const char *const rounded[] = {"fadd", "fsub", "fmul", "fdiv", "fma"},
                           *const plain[] = {"fneg", "fabs", "fmin", "fmax"};
  static const char *const preds[] = {"foeq", "fone", "folt", "fole", "fogt",
                                      "foge", "ford", "fueq", "fune", "fult",
                                      "fule", "fugt", "fuge", "funo"};
  EACH_OF(ww_type, t, floats) {
    EACH_OF(char *const, op, rounded) {
      for (int r = 0; r < 4; r++)
        same_types(ww_fmt(arena, "%s.%s", *op, roundings[r]), *t,
                   strcmp(*op, "fma") ? 2 : 3);
      same_types(ww_fmt(arena, "%s.approx", *op), *t, strcmp(*op, "fma") ? 2 : 3);
    }
    EACH_OF(char *const, op, plain) same_types(*op, *t, (*op)[1] == 'm' ? 2 : 1);
    EACH_OF(char *const, p, preds)
    run_case(&(op_case){ww_fmt(arena, "fcmp.%s", *p), NULL, *t, 0, WW_I1, {*t, *t}});
  }
}

static void test_math(void **state) {
  (void)state;
  static const ww_type types[] = {WW_F16, WW_F32, WW_F64};
  for (uint32_t f = 0; f < WW_NMATH; f++)
    EACH_OF(ww_type, t, types) {
      bool exponent = f == WW_MATH_ILOGB || f == WW_MATH_FREXP_EXP;
      op_case c = {ww_fmt(arena, "math.%s", ww_math_names[f]),
                   NULL,
                   exponent ? WW_I32 : *t,
                   0,
                   exponent ? WW_I32 : *t,
                   {0}};
      for (int n = 0; n < ww_math_args[f]; n++)
        c.in[n] = *t;
      if (f == WW_MATH_POWI || f == WW_MATH_LDEXP)
        c.in[1] = WW_I32;
      if (f == WW_MATH_JN || f == WW_MATH_YN)
        continue; /* an order of billions takes the C library forever */
      run_case(&c);
      if (f != WW_MATH_SQRT && f != WW_MATH_RCP && f != WW_MATH_RSQRT)
        continue;
      c.op = ww_fmt(arena, "math.%s.approx", ww_math_names[f]);
      run_case(&c);
      c.op = ww_fmt(arena, "math.%s", ww_math_names[f]);
      for (int r = WW_RZ; r <= WW_RU && f != WW_MATH_RSQRT && *t != WW_F16; r++) {
        c.tail = ww_fmt(arena, " #%d", r);
        run_case(&c);
      }
    }
}

/* ---- ww_scalar itself ---- */

static uint64_t
scalar(ww_op op, ww_type t, uint8_t sub, uint64_t a, uint64_t b, uint64_t c) {
  ww_ins i = {.op = (uint8_t)op, .type = (uint8_t)t, .sub = sub};
  return ww_scalar(&i, t, t, a, b, c);
}

static uint64_t convert(ww_op op, ww_type to, ww_type from, uint8_t round, uint64_t v) {
  ww_ins i = {
      .op = (uint8_t)op, .type = (uint8_t)to, .type2 = (uint8_t)from, .sub = round};
  return ww_scalar(&i, from, WW_VOID, v, 0, 0);
}

static uint64_t d_bits(double d) {
  uint64_t u;
  memcpy(&u, &d, 8);
  return u;
}
static uint64_t f_bits(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}
static double bits_d(uint64_t u) {
  double d;
  memcpy(&d, &u, 8);
  return d;
}
static float bits_f(uint64_t u) {
  uint32_t v = (uint32_t)u;
  float f;
  memcpy(&f, &v, 4);
  return f;
}

#define EXPECT(got, want)                                                  \
  do {                                                                     \
    uint64_t got_ = (got), want_ = (want);                                 \
    if (got_ != want_)                                                     \
      fail_msg("%s is 0x%llx, not 0x%llx", #got, (unsigned long long)got_, \
               (unsigned long long)want_);                                 \
  } while (0)

/* Value of a 16-bit float by its definition; infinity counts as the next power of two.
 */
static double small_value(uint32_t h, int mantissa, int bias) {
  int e = (int)(h >> mantissa), m = (int)(h & ((1u << mantissa) - 1));
  return e ? ldexp((1 << mantissa) + m, e - bias - mantissa)
           : ldexp(m, 1 - bias - mantissa);
}

/* d between the neighbours h and h + 1, on the lower one, below the middle, on it,
 * above it: place 0 to 3. */
static uint16_t rounded(uint32_t h, int place, int round, bool negative) {
  bool up = false;
  if (place == 0)
    up = false;
  else if (round == WW_RD)
    up = negative;
  else if (round == WW_RU)
    up = !negative;
  else if (round != WW_RZ)
    up = place == 3 || (place == 2 && (round == WW_RNA || h % 2));
  return (uint16_t)((h + up) | (negative ? 0x8000 : 0));
}

static void check_small(ww_type t, int mantissa, int bias, uint32_t infinity) {
  for (uint32_t h = 0; h < infinity; h++) {
    double lo = small_value(h, mantissa, bias), hi = small_value(h + 1, mantissa, bias),
           mid = (lo + hi) / 2;
    EXPECT(convert(WW_OP_FCVT, WW_F64, t, WW_RN, h), d_bits(lo));
    EXPECT(convert(WW_OP_FCVT, WW_F64, t, WW_RN, h | 0x8000), d_bits(-lo));
    EXPECT(convert(WW_OP_FCVT, WW_F32, t, WW_RN, h), f_bits((float)lo));
    double at[2][4] = {
        {lo, nextafter(mid, 0), mid, nextafter(mid, INFINITY)},
        {lo, nextafterf((float)mid, 0), mid, nextafterf((float)mid, INFINITY)}};
    for (int wide = 0; wide < 2; wide++)
      for (int place = 0; place < 4; place++)
        for (int round = WW_RN; round <= WW_RNA; round++)
          for (int negative = 0; negative < 2; negative++) {
            double d = negative ? -at[wide][place] : at[wide][place];
            uint64_t got =
                wide ? convert(WW_OP_FCVT, t, WW_F32, (uint8_t)round, f_bits((float)d))
                     : convert(WW_OP_FCVT, t, WW_F64, (uint8_t)round, d_bits(d));
            uint16_t want = rounded(h, place, round, negative);
            if (wide && (float)mid != mid)
              continue; /* below f32's own precision */
            if (got != want)
              fail_msg("%a in %s, rounding %d: 0x%llx, not 0x%x", d, ww_type_names[t],
                       round, (unsigned long long)got, want);
          }
  }
  for (uint32_t h = infinity; h < 0x8000; h++)
    for (uint32_t sign = 0; sign <= 0x8000; sign += 0x8000) {
      double d = bits_d(convert(WW_OP_FCVT, WW_F64, t, WW_RN, h | sign));
      assert_true(h == infinity ? d == (sign ? -INFINITY : INFINITY) : isnan(d));
      uint64_t back = convert(WW_OP_FCVT, t, WW_F64, WW_RN, d_bits(d));
      assert_true(h == infinity ? back == (h | sign) : is_nan(t, back));
    }
}

static void test_every_half(void **state) {
  (void)state;
  check_small(WW_F16, 10, 15, 0x7c00);
  check_small(WW_BF16, 7, 127, 0x7f80);
  for (uint32_t h = 0; h <= 0xffff; h++)
    if ((h & 0x7fff) <= 0x7c00)
      assert_int_equal(ww_float_to_half(ww_half_to_float((uint16_t)h)), h);
  assert_int_equal(ww_double_to_half(65519.999), 0x7bff);
  assert_int_equal(ww_double_to_half(65520), 0x7c00);
  assert_int_equal(ww_float_to_bf16(1.00390625f), 0x3f80);
}

/* One rounding, although the sum does not fit a double. */
static void test_small_floats_round_once(void **state) {
  (void)state;
  /* (1 + 2^-4)^2 lies in the middle between two bf16; a c of 2^-100 decides */
  EXPECT(scalar(WW_OP_FMA, WW_BF16, WW_RN, 0x3f88, 0x3f88, 0), 0x3f90);
  EXPECT(scalar(WW_OP_FMA, WW_BF16, WW_RN, 0x3f88, 0x3f88, 0x0d80), 0x3f91);
  EXPECT(scalar(WW_OP_FMA, WW_BF16, WW_RN, 0x3f88, 0xbf88, 0x8d80), 0xbf91);
  EXPECT(scalar(WW_OP_FMA, WW_BF16, WW_RN, 0x3f88, 0x3f88, 0x8d80), 0x3f90);
  EXPECT(convert(WW_OP_SITOF, WW_BF16, WW_I64, WW_RN, (1ull << 62) + (1ull << 54)),
         0x5e80);
  EXPECT(convert(WW_OP_SITOF, WW_BF16, WW_I64, WW_RN, (1ull << 62) + (1ull << 54) + 1),
         0x5e81);
  EXPECT(convert(WW_OP_UITOF, WW_BF16, WW_I64, WW_RN, (1ull << 63) + (1ull << 55) + 1),
         0x5f01);
  EXPECT(convert(WW_OP_SITOF, WW_F32, WW_I64, WW_RN, (1ull << 62) + (1ull << 38) + 1),
         0x5e800001);
  EXPECT(convert(WW_OP_FCVT, WW_F16, WW_F64, WW_RN, d_bits(1 + 0x1p-11 + 0x1p-40)),
         0x3c01);
}

/* The two directed results enclose the exact one and are neighbours, the nearest is one
 * of them, and zero lies on the right side. */
static void check_enclosure(const char *what, long double exact, const uint64_t r[4]) {
  float n = bits_f(r[WW_RN]), z = bits_f(r[WW_RZ]), d = bits_f(r[WW_RD]),
        u = bits_f(r[WW_RU]);
  bool ok =
      d <= exact && u >= exact && (d == u ? exact == d : nextafterf(d, INFINITY) == u);
  ok &= z == (exact < 0 ? u : d) && (n == d || n == u);
  ok &= fabsl(n - exact) <= fabsl(d - exact) && fabsl(n - exact) <= fabsl(u - exact);
  if (!ok)
    fail_msg("%s: exact %La, nearest %a, to zero %a, down %a, up %a", what, exact, n, z,
             d, u);
}

static float short_float(void) {
  return (float)(int32_t)(rig_random() >> 48) *
         ldexpf(rig_random() & 1 ? 1 : -1, (int)(rig_random() % 8) - 20);
}

static void test_directed_rounding(void **state) {
  (void)state;
  for (int k = 0; k < 20000; k++) {
    float x = short_float(), y = short_float(), z = short_float();
    if (x == 0 || y == 0)
      continue;
    uint64_t a = f_bits(x), b = f_bits(y), c = f_bits(z), add[4], mul[4], fma[4],
             div[4];
    for (uint8_t r = 0; r < 4; r++) {
      add[r] = scalar(WW_OP_FADD, WW_F32, r, a, b, 0);
      mul[r] = scalar(WW_OP_FMUL, WW_F32, r, a, b, 0);
      fma[r] = scalar(WW_OP_FMA, WW_F32, r, a, b, c);
      div[r] = scalar(WW_OP_FDIV, WW_F32, r, a, b, 0);
    }
    check_enclosure("fadd", (long double)x + y, add);
    check_enclosure("fmul", (long double)x * y, mul);
    check_enclosure("fma", (long double)x * y + z, fma);
    check_enclosure("fdiv", (long double)x / y,
                    div); /* 64 bits tell 16-bit quotients from their neighbours */
  }
  assert_true(fegetround() == FE_TONEAREST);
}

static int64_t signed_of(uint64_t v, ww_type t) {
  return (int64_t)(v << (64 - bits_of(t))) >> (64 - bits_of(t));
}

static void test_saturating_conversions(void **state) {
  (void)state;
  for (int k = 0; k < 200000; k++) {
    ww_type t = ints[rig_random() % 5], f = floats[rig_random() % 4];
    uint8_t round = (uint8_t)(rig_random() % 5);
    bool sign = rig_random() & 1;
    uint64_t v = operand(f);
    if (is_nan(f, v))
      continue;
    long double d = bits_d(f == WW_F64 ? v : convert(WW_OP_FCVT, WW_F64, f, WW_RN, v));
    d = round == WW_RZ    ? truncl(d)
        : round == WW_RD  ? floorl(d)
        : round == WW_RU  ? ceill(d)
        : round == WW_RNA ? roundl(d)
                          : rintl(d);
    long double low = sign ? -ldexpl(1, (int)bits_of(t) - 1) : 0,
                high = ldexpl(1, (int)bits_of(t) - sign) - 1;
    d = d < low ? low : d > high ? high : d;
    uint64_t want = cut(sign ? (uint64_t)(int64_t)d : (uint64_t)d, t);
    uint64_t got = convert(sign ? WW_OP_FTOSI : WW_OP_FTOUI, t, f, round, v);
    if (got != want)
      fail_msg("0x%llx from %s to %s %s, rounding %u: 0x%llx, not 0x%llx",
               (unsigned long long)v, ww_type_names[f], sign ? "signed" : "unsigned",
               ww_type_names[t], round, (unsigned long long)got,
               (unsigned long long)want);
  }
  EXPECT(convert(WW_OP_FTOSI, WW_I32, WW_F32, WW_RZ, 0x7fc00000), 0);
  EXPECT(convert(WW_OP_FTOUI, WW_I32, WW_F32, WW_RZ, 0xffc00000), 0);
}

/* PTX's bfe: msb = width - 1; pos = b & 255; len = c & 255; the sign is bit min(pos +
 * len - 1, msb). */
static uint64_t
ptx_bfe(uint64_t a, uint32_t pos, uint32_t len, uint32_t width, bool sign) {
  uint32_t msb = width - 1, top = pos + len - 1 < msb ? pos + len - 1 : msb;
  uint64_t s = sign && len ? a >> top & 1 : 0, d = 0;
  for (uint32_t i = 0; i <= msb; i++) {
    uint64_t bit = i < len && pos + i <= msb ? a >> (pos + i) & 1 : s;
    if (bit)
      d |= 1ull << i;
  }
  return d;
}

static void check_wide_integers(uint64_t a, uint64_t b, uint32_t n) {
  unsigned __int128 both = (unsigned __int128)a << 64 | b;
  EXPECT(scalar(WW_OP_MULHU, WW_I64, 0, a, b, 0),
         (uint64_t)((unsigned __int128)a * b >> 64));
  EXPECT(scalar(WW_OP_MULHS, WW_I64, 0, a, b, 0),
         (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64));
  EXPECT(scalar(WW_OP_FSHL, WW_I64, 0, a, b, n), (uint64_t)(both << n % 64 >> 64));
  EXPECT(scalar(WW_OP_FSHR, WW_I64, 0, a, b, n), (uint64_t)(both >> n % 64));
  EXPECT(scalar(WW_OP_BREV, WW_I64, 0, scalar(WW_OP_BREV, WW_I64, 0, a, 0, 0), 0, 0),
         a);
}

static void check_narrow_integers(uint32_t x, uint32_t y, uint32_t n) {
  uint64_t both = (uint64_t)x << 32 | y;
  EXPECT(scalar(WW_OP_MULHU, WW_I32, 0, x, y, 0), (uint64_t)x * y >> 32);
  EXPECT(scalar(WW_OP_MULHS, WW_I32, 0, x, y, 0),
         (uint32_t)((int64_t)(int32_t)x * (int32_t)y >> 32));
  EXPECT(scalar(WW_OP_FSHL, WW_I32, 0, x, y, n), (uint32_t)(both << n % 32 >> 32));
  EXPECT(scalar(WW_OP_FSHR, WW_I32, 0, x, y, n), (uint32_t)(both >> n % 32));
  EXPECT(scalar(WW_OP_BSWAP, WW_I32, 0, x, 0, 0),
         (x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24));
  EXPECT(scalar(WW_OP_MULHS, WW_I16, 0, x & 0xffff, y & 0xffff, 0),
         (uint16_t)((int16_t)x * (int16_t)y >> 16));
  EXPECT(scalar(WW_OP_SAD, WW_I32, 1, x, y, n),
         (uint32_t)((int32_t)x > (int32_t)y ? x - y : y - x) + n);
  uint8_t bytes[8], sel[4] = {x & 15, x >> 4 & 15, x >> 8 & 15, x >> 12 & 15}, out[4];
  memcpy(bytes, &x, 4);
  memcpy(bytes + 4, &y, 4);
  for (int k = 0; k < 4; k++)
    out[k] = sel[k] & 8 ? (bytes[sel[k] & 7] >> 7 ? 0xff : 0) : bytes[sel[k]];
  uint32_t want;
  memcpy(&want, out, 4);
  EXPECT(scalar(WW_OP_PRMT, WW_I32, 0, x, y, x), want);
  for (int s = 0; s < 4; s++) {
    int64_t dot4 = (int32_t)n, dot2[2] = {(int32_t)n, (int32_t)n};
    for (int k = 0; k < 4; k++)
      dot4 += (s & 1 ? (int8_t)bytes[k] : bytes[k]) *
              (s & 2 ? (int8_t)bytes[4 + k] : bytes[4 + k]);
    for (int half = 0; half < 2; half++)
      for (int k = 0; k < 2; k++) {
        uint16_t h = (uint16_t)(bytes[2 * k] | bytes[2 * k + 1] << 8);
        uint8_t q = bytes[4 + 2 * half + k];
        dot2[half] += (int64_t)(s & 1 ? (int16_t)h : h) * (s & 2 ? (int8_t)q : q);
      }
    EXPECT(scalar(WW_OP_DP4A, WW_I32, (uint8_t)s, x, y, n), (uint32_t)dot4);
    EXPECT(scalar(WW_OP_DP2A, WW_I32, (uint8_t)s, x, y, n), (uint32_t)dot2[0]);
    EXPECT(scalar(WW_OP_DP2A, WW_I32, (uint8_t)(s | 4), x, y, n), (uint32_t)dot2[1]);
  }
}

static void test_integer_formulas(void **state) {
  (void)state;
  for (int k = 0; k < 50000; k++) {
    uint64_t a = operand(WW_I64), b = operand(WW_I64);
    uint32_t n = (uint32_t)operand(WW_I32), pos = (uint32_t)(rig_random() % 80),
             len = (uint32_t)(rig_random() % 80);
    check_wide_integers(a, b, n);
    check_narrow_integers((uint32_t)a, (uint32_t)(b >> (k % 33)), n);
    EXPECT(scalar(WW_OP_BFEU, WW_I64, 0, a, pos, len), ptx_bfe(a, pos, len, 64, false));
    EXPECT(scalar(WW_OP_BFES, WW_I32, 0, a & 0xffffffff, pos, len),
           (uint32_t)ptx_bfe(a & 0xffffffff, pos, len, 32, true));
    for (int t = 1; t < 4; t++) { /* narrow types: as wide arithmetic, cut */
      int64_t x = signed_of(a, ints[t]), y = signed_of(b, ints[t]);
      uint64_t ua = cut(a, ints[t]), ub = cut(b, ints[t]);
      EXPECT(scalar(WW_OP_SDIV, ints[t], 0, ua, ub, 0),
             cut(y ? (uint64_t)(x / y) : ~0ull, ints[t]));
      EXPECT(scalar(WW_OP_SREM, ints[t], 0, ua, ub, 0),
             cut(y ? (uint64_t)(x % y) : (uint64_t)x, ints[t]));
      EXPECT(scalar(WW_OP_SMAX, ints[t], 0, ua, ub, 0), x > y ? ua : ub);
      EXPECT(scalar(WW_OP_ASHR, ints[t], 0, ua, pos, 0),
             cut((uint64_t)(x >> (pos > 63 ? 63 : pos)), ints[t]));
      EXPECT(scalar(WW_OP_SHL, ints[t], 0, ua, pos, 0),
             pos < bits_of(ints[t]) ? cut(ua << pos, ints[t]) : 0);
      EXPECT(scalar(WW_OP_CTLZ, ints[t], 0, ua, 0, 0),
             ua ? bits_of(ints[t]) - (64 - (uint64_t)__builtin_clzll(ua))
                : bits_of(ints[t]));
      EXPECT(scalar(WW_OP_ICMP, ints[t], WW_SLT, ua, ub, 0), x < y);
    }
  }
  EXPECT(scalar(WW_OP_SDIV, WW_I64, 0, 1ull << 63, ~0ull, 0), 1ull << 63);
  EXPECT(scalar(WW_OP_SREM, WW_I64, 0, 1ull << 63, ~0ull, 0), 0);
}

static void test_minimum_and_maximum(void **state) {
  (void)state;
  EXPECT(scalar(WW_OP_FMIN, WW_F32, 0, 0x7fc00000, 0x3f800000, 0), 0x3f800000);
  EXPECT(scalar(WW_OP_FMAX, WW_F32, 0, 0x3f800000, 0x7fc00000, 0), 0x3f800000);
  EXPECT(scalar(WW_OP_FMIN, WW_F32, 0, 0, 0x80000000, 0), 0x80000000);
  EXPECT(scalar(WW_OP_FMAX, WW_F32, 0, 0x80000000, 0, 0), 0);
  EXPECT(scalar(WW_OP_FMAX, WW_F16, 0, 0xfc00, 0xbc00, 0), 0xbc00);
  EXPECT(scalar(WW_OP_FNEG, WW_BF16, 0, 0x3f80, 0, 0), 0xbf80);
  EXPECT(scalar(WW_OP_FABS, WW_F64, 0, d_bits(-2.5), 0, 0), d_bits(2.5));
}

/* Values from tables, for the functions that are not the C library's own. */
static void test_math_values(void **state) {
  (void)state;
  static const struct {
    ww_math f;
    double x, y, z, want;
  } cases[] = {{WW_MATH_RSQRT, 4, 0, 0, 0.5},
               {WW_MATH_RCBRT, 27, 0, 0, 1.0 / 3},
               {WW_MATH_EXP10, 2, 0, 0, 100},
               {WW_MATH_SINPI, 0.5, 0, 0, 1},
               {WW_MATH_SINPI, 1, 0, 0, 0},
               {WW_MATH_SINPI, 1e6 + 0.25, 0, 0, 0.70710678118654752},
               {WW_MATH_SINPI, -1.75, 0, 0, 0.70710678118654752},
               {WW_MATH_COSPI, 1, 0, 0, -1},
               {WW_MATH_COSPI, 0.5, 0, 0, 0},
               {WW_MATH_COSPI, 2.75, 0, 0, -0.70710678118654752},
               {WW_MATH_TANPI, 0.25, 0, 0, 1},
               {WW_MATH_ERFINV, 0.5, 0, 0, 0.4769362762044699},
               {WW_MATH_ERFINV, -0.9, 0, 0, -1.1630871536766743},
               {WW_MATH_ERFINV, 1e-10, 0, 0, 8.862269254527581e-11},
               {WW_MATH_ERFCINV, 0.5, 0, 0, 0.4769362762044699},
               {WW_MATH_ERFCINV, 1e-20, 0, 0, 6.601580622355143},
               {WW_MATH_NORMCDF, 1, 0, 0, 0.8413447460685429},
               {WW_MATH_NORMCDFINV, 0.975, 0, 0, 1.959963984540054},
               {WW_MATH_NORMCDFINV, 1e-12, 0, 0, -7.034483825301131},
               {WW_MATH_ERFCX, 1, 0, 0, 0.427583576155807},
               {WW_MATH_ERFCX, 30, 0, 0, 0.018795888861416751},
               {WW_MATH_CYL0, 1, 0, 0, 1.2660658777520084},
               {WW_MATH_CYL1, 1, 0, 0, 0.5651591039924851},
               {WW_MATH_ATAN2PI, 1, 1, 0, 0.25},
               {WW_MATH_ACOSPI, -1, 0, 0, 1},
               {WW_MATH_RHYPOT, 3, 4, 0, 0.2},
               {WW_MATH_MAXMAG, -3, 2, 0, -3},
               {WW_MATH_MINMAG, -3, 2, 0, 2},
               {WW_MATH_NORM3D, 1, 2, 2, 3},
               {WW_MATH_RNORM3D, 2, 4, 4, 1.0 / 6},
               {WW_MATH_FRACT, -0.25, 0, 0, 0.75},
               {WW_MATH_FREXP_MANT, 48, 0, 0, 0.75},
               {WW_MATH_FDIM, 5, 3, 0, 2}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double got =
        bits_d(scalar(WW_OP_MATH, WW_F64, (uint8_t)cases[k].f, d_bits(cases[k].x),
                      d_bits(cases[k].y), d_bits(cases[k].z)));
    if (!(fabs(got - cases[k].want) <= 2e-15 * fabs(cases[k].want)))
      fail_msg("%s(%g, %g, %g) is %.17g, not %.17g", ww_math_names[cases[k].f],
               cases[k].x, cases[k].y, cases[k].z, got, cases[k].want);
  }
  ww_ins powi = {.op = WW_OP_MATH, .type = WW_F32, .sub = WW_MATH_POWI},
         jn = {.op = WW_OP_MATH, .type = WW_F64, .sub = WW_MATH_JN};
  EXPECT(ww_scalar(&powi, WW_F32, WW_I32, f_bits(2), 0xfffffffe, 0), f_bits(0.25f));
  assert_true(fabs(bits_d(ww_scalar(&jn, WW_I32, WW_F64, 2, d_bits(1), 0)) -
                   0.1149034849319005) < 1e-15);
  ww_ins ilogb = {.op = WW_OP_MATH, .type = WW_I32, .sub = WW_MATH_ILOGB},
         expo = {.op = WW_OP_MATH, .type = WW_I32, .sub = WW_MATH_FREXP_EXP};
  EXPECT(ww_scalar(&ilogb, WW_F32, WW_VOID, f_bits(0.125f), 0, 0), 0xfffffffd);
  EXPECT(ww_scalar(&expo, WW_F64, WW_VOID, d_bits(48), 0, 0), 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(test_integers),
      RIG_TEST(test_bit_fields_and_dot_products),
      RIG_TEST(test_moves),
      RIG_TEST(test_conversions),
      RIG_TEST(test_floats),
      RIG_TEST(test_math),
      RIG_TEST(test_every_half),
      RIG_TEST(test_small_floats_round_once),
      RIG_TEST(test_directed_rounding),
      RIG_TEST(test_saturating_conversions),
      RIG_TEST(test_integer_formulas),
      RIG_TEST(test_minimum_and_maximum),
      RIG_TEST(test_math_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
