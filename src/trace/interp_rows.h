/* interp_rows.h - arithmetic over whole rows of lanes, part of interp.c: each handler
 * from one expression, for all live lanes (full) and under a mask (part), and the table
 * of which instruction has which. */

/* ---- vector handlers: NAME_full and NAME_part from one expression in a, b, c
 * (elements of the rows) and s (the immediate); what it does not name is not loaded
 * ---- */

#define UNUSED __attribute__((unused)) const
#define HANDLER(name, TD, TA, TB, takes_part, expr)    \
  static void name(ww_exec *x, const ww_code *k) {     \
    TD *d = ROW(TD, k->d);                             \
    const TA *ra = ROW(TA, k->a);                      \
    const TB *rb = ROW(TB, k->b), *rc = ROW(TB, k->c); \
    UNUSED i32 *m = x->m;                              \
    UNUSED u64 s = k->imm;                             \
    EACH {                                             \
      const TA a = ra[l];                              \
      UNUSED TB b = rb[l], c = rc[l];                  \
      const TD v = expr;                               \
      d[l] = takes_part ? v : d[l];                    \
    }                                                  \
  }
#define ROWS(name, TD, TA, TB, expr)             \
  HANDLER(name##_full, TD, TA, TB, true, (expr)) \
  HANDLER(name##_part, TD, TA, TB, m[l], (expr))
#define ALIKE(name, TD, TA, expr) ROWS(name, TD, TA, TA, expr)

/* Operations with a form for 32 and 64 bits: name, signed or unsigned rows, what it
 * computes. Those of ANY_WIDTH are right for narrow values too, since these are
 * zero-extended. */
#define W ((int)sizeof(a) * 8)
#define ANY_WIDTH(X)        \
  X(AND, u, a &b)           \
  X(OR, u, a | b)           \
  X(XOR, u, a ^ b)          \
  X(UMIN, u, a < b ? a : b) \
  X(UMAX, u, a > b ? a : b)
#define WORDS(X)                                       \
  X(ADD, u, a + b)                                     \
  X(SUB, u, a - b)                                     \
  X(MUL, u, a *b)                                      \
  X(SHL, u, b < (unsigned)W ? a << (b & (W - 1)) : 0)  \
  X(LSHR, u, b < (unsigned)W ? a >> (b & (W - 1)) : 0) \
  X(ASHR, i, a >> (b >= 0 && b < W ? b : W - 1))       \
  X(SMIN, i, a < b ? a : b)                            \
  X(SMAX, i, a > b ? a : b)
#define COMPARES(X) \
  X(EQ, u, a == b)  \
  X(NE, u, a != b)  \
  X(SLT, i, a < b)  \
  X(SLE, i, a <= b) \
  X(SGT, i, a > b)  \
  X(SGE, i, a >= b) \
  X(ULT, u, a < b)  \
  X(ULE, u, a <= b) \
  X(UGT, u, a > b)  \
  X(UGE, u, a >= b)
#define FLOATS(X) \
  X(FADD, a + b)  \
  X(FSUB, a - b)  \
  X(FMUL, a *b)   \
  X(FDIV, a / b)
#define FLOAT_COMPARES(X) \
  X(FOEQ, a == b)         \
  X(FOLT, a < b)          \
  X(FOLE, a <= b)         \
  X(FOGT, a > b)          \
  X(FOGE, a >= b)         \
  X(FUNE, a != b)         \
  X(FULT, !(a >= b))      \
  X(FULE, !(a > b))       \
  X(FUGT, !(a <= b))      \
  X(FUGE, !(a < b))

#define INTEGER(name, S, expr)        \
  ALIKE(name##32, S##32, S##32, expr) \
  ALIKE(name##64, S##64, S##64, expr)
#define COMPARE(name, S, expr)      \
  ALIKE(name##32, u32, S##32, expr) \
  ALIKE(name##64, u32, S##64, expr)
#define FLOAT(name, expr)             \
  ALIKE(name##32, float, float, expr) \
  ALIKE(name##64, double, double, expr)
#define FLOAT_COMPARE(name, expr)   \
  ALIKE(name##32, u32, float, expr) \
  ALIKE(name##64, u32, double, expr)
ANY_WIDTH(INTEGER)
WORDS(INTEGER)
COMPARES(COMPARE)
FLOATS(FLOAT)
FLOAT_COMPARES(FLOAT_COMPARE)
INTEGER(mov, u, a)
ROWS(select32, u32, u32, u32, a & 1 ? b : c)
ROWS(select64, u64, u32, u64, a & 1 ? b : c)
ALIKE(mulhs32, u32, i32, ((i64)a * b) >> 32)
ALIKE(mulhu32, u32, u32, ((u64)a * b) >> 32)
ALIKE(udiv32, u32, u32, b ? a / b : ~0u)
ALIKE(urem32, u32, u32, b ? a % b : a)
/* address arithmetic: a + b * imm; powers of two as shifts, which every vector unit has
 */
ALIKE(lea_mul, u64, u64, a + b * s)
ALIKE(lea_shift, u64, u64, a + (b << s))

/* conversions */
ALIKE(trunc6432, u32, u64, a)
ALIKE(zext3264, u64, u32, a)
ALIKE(sext3264, i64, i32, a)
ALIKE(sext8, u32, u32, (i32)(int8_t)a)
ALIKE(sext16, u32, u32, (i32)(int16_t)a)
ALIKE(sext1, u32, u32, 0u - (a & 1))
ALIKE(trunc8, u32, u32, a & 255)
ALIKE(trunc16, u32, u32, a & 65535)
ALIKE(trunc1, u32, u32, a & 1)
ALIKE(sitof32, float, i32, a)
ALIKE(uitof32, float, u32, a)
ALIKE(sitof64, double, i32, a)
ALIKE(uitof64, double, u32, a)
ALIKE(ftod, double, float, a)
ALIKE(dtof, float, double, a)
ALIKE(ftosi32,
      i32,
      float,
      a != a         ? 0
      : a >= 0x1p31f ? INT32_MAX
      : a < -0x1p31f ? INT32_MIN
                     : (i32)a)
ALIKE(dtosi32,
      i32,
      double,
      a != a        ? INT32_MIN
      : a >= 0x1p31 ? INT32_MAX
      : a < -0x1p31 ? INT32_MIN
                    : (i32)a)

/* floating point */
ALIKE(fneg32, u32, u32, a ^ 0x80000000u)
ALIKE(fneg64, u64, u64, a ^ 0x8000000000000000ull)
ALIKE(fabs32, u32, u32, a & 0x7fffffffu)
ALIKE(fabs64, u64, u64, a & 0x7fffffffffffffffull)
ALIKE(fma32, float, float, __builtin_fmaf(a, b, c))
ALIKE(fma64, double, double, __builtin_fma(a, b, c))
ALIKE(sqrt32, float, float, __builtin_sqrtf(a))
ALIKE(sqrt64, double, double, __builtin_sqrt(a))
ALIKE(rsqrt32, float, float, 1 / __builtin_sqrt(a))
ALIKE(rcp32, float, float, 1 / a)
#undef W

/* ---- choosing a handler ---- */

/* 32 and 64 bits; full and part; NULL: there is none */
typedef ww_handler *by_width[2][2];
#define NARROW(name) \
  { name##_full, name##_part }
#define BOTH(name) \
  { NARROW(name##32), NARROW(name##64) }
#define OF_OP(name, ...) [WW_OP_##name] = BOTH(name),
#define OF_PREDICATE(name, ...) [WW_##name] = BOTH(name),
#define IS_ANY(name, ...) [WW_OP_##name] = true,
static const by_width by_op[WW_NOPS] = {ANY_WIDTH(OF_OP) WORDS(OF_OP)
                                            FLOATS(OF_OP)[WW_OP_MOV] = BOTH(mov),
                                        [WW_OP_FREEZE] = BOTH(mov),
                                        [WW_OP_SELECT] = BOTH(select),
                                        [WW_OP_MULHS] = {NARROW(mulhs32)},
                                        [WW_OP_MULHU] = {NARROW(mulhu32)},
                                        [WW_OP_UDIV] = {NARROW(udiv32)},
                                        [WW_OP_UREM] = {NARROW(urem32)},
                                        [WW_OP_FNEG] = BOTH(fneg),
                                        [WW_OP_FABS] = BOTH(fabs),
                                        [WW_OP_FMA] = BOTH(fma)};
static const by_width by_predicate[WW_FUNO + 1] = {COMPARES(OF_PREDICATE)
                                                       FLOAT_COMPARES(OF_PREDICATE)};
static const by_width by_math[WW_NMATH] = {[WW_MATH_SQRT] = BOTH(sqrt),
                                           [WW_MATH_RSQRT] = {NARROW(rsqrt32)},
                                           [WW_MATH_RCP] = {NARROW(rcp32)}};
static const bool any_width[WW_NOPS] = {ANY_WIDTH(IS_ANY)[WW_OP_SELECT] = true};

#define H(name) (out[0] = name##_full, out[1] = name##_part, true)

static bool convert_handler(const ww_ins *i, ww_handler *out[2]) {
  ww_type t = i->type, s = i->type2;
  bool wide = t == WW_I64;
  switch (i->op) {
  case WW_OP_TRUNC:
    if (s == WW_I64)
      return t == WW_I32 && H(trunc6432);
    return t == WW_I16 ? H(trunc16) : t == WW_I8 ? H(trunc8) : t == WW_I1 && H(trunc1);
  case WW_OP_ZEXT:
    return wide ? H(zext3264) : H(mov32);
  case WW_OP_SEXT:
    if (wide)
      return s == WW_I32 && H(sext3264);
    if (t != WW_I32)
      return false;
    return s == WW_I16 ? H(sext16) : s == WW_I8 ? H(sext8) : s == WW_I1 && H(sext1);
  case WW_OP_SITOF:
    if (s != WW_I32 || i->sub != WW_RN)
      return false;
    return t == WW_F32 ? H(sitof32) : t == WW_F64 && H(sitof64);
  case WW_OP_UITOF:
    if (s > WW_I32 || i->sub != WW_RN)
      return false;
    return t == WW_F32 ? H(uitof32) : t == WW_F64 && H(uitof64);
  case WW_OP_FTOSI:
    if (t != WW_I32 || i->sub != WW_RZ)
      return false;
    return s == WW_F32 ? H(ftosi32) : s == WW_F64 && H(dtosi32);
  case WW_OP_FCVT:
    if (t == WW_F64 && s == WW_F32)
      return H(ftod);
    return t == WW_F32 && s == WW_F64 && i->sub == WW_RN && H(dtof);
  default:
    return false;
  }
}

static bool vector_handler(const ww_ins *i, ww_handler *out[2]) {
  bool wide = ww_type_bytes[i->type] == 8, narrow = i->type < WW_I32;
  const by_width *h = &by_op[i->op];
  switch (ww_ops[i->op].cls) {
  case WW_CLASS_CVT:
    return convert_handler(i, out);
  case WW_CLASS_MOV:
    break;
  case WW_CLASS_INT:
    if (i->op == WW_OP_LEA)
      return i->imm > 0 && !(i->imm & (i->imm - 1)) ? H(lea_shift) : H(lea_mul);
    if (narrow && !any_width[i->op])
      return false;
    break;
  case WW_CLASS_CMP:
    if (i->op == WW_OP_FCMP ? i->type < WW_F32
                            : narrow && i->sub >= WW_SLT && i->sub <= WW_SGE)
      return false;
    h = &by_predicate[i->sub];
    break;
  case WW_CLASS_MATH:
    h = &by_math[i->sub];
    if (i->type < WW_F32 || i->imm != WW_RN)
      return false;
    break;
  default: /* floating point */
    if (i->type < WW_F32 || (ww_ops[i->op].cls == WW_CLASS_FP && i->sub != WW_RN))
      return false;
  }
  memcpy(out, (*h)[wide], sizeof(*h)[wide]);
  return out[0];
}
