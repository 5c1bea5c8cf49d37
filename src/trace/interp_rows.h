/* interp_rows.h - arithmetic over whole rows of lanes, part of interp.c: each handler from one
 * expression, for all live lanes (full) and under a mask (part), and the table of which instruction
 * has which. */

/* ---- vector handlers: NAME(full) and NAME(part) from one expression in a, b, c (elements of the
 * rows) ---- */

#define UNARY(name, TD, TA, expr)                         \
  static void name##_full(ww_exec *x, const ww_code *k) { \
    TD *d = ROW(TD, k->d);                                \
    const TA *ra = ROW(TA, k->a);                         \
    EACH {                                                \
      const TA a = ra[l];                                 \
      d[l] = (TD)(expr);                                  \
    }                                                     \
  }                                                       \
  static void name##_part(ww_exec *x, const ww_code *k) { \
    TD *d = ROW(TD, k->d);                                \
    const TA *ra = ROW(TA, k->a);                         \
    const int32_t *m = x->m;                              \
    EACH {                                                \
      const TA a = ra[l];                                 \
      const TD v = (TD)(expr);                            \
      d[l] = m[l] ? v : d[l];                             \
    }                                                     \
  }
#define BINARY(name, TD, TA, expr)                        \
  static void name##_full(ww_exec *x, const ww_code *k) { \
    TD *d = ROW(TD, k->d);                                \
    const TA *ra = ROW(TA, k->a), *rb = ROW(TA, k->b);    \
    EACH {                                                \
      const TA a = ra[l], b = rb[l];                      \
      d[l] = (TD)(expr);                                  \
    }                                                     \
  }                                                       \
  static void name##_part(ww_exec *x, const ww_code *k) { \
    TD *d = ROW(TD, k->d);                                \
    const TA *ra = ROW(TA, k->a), *rb = ROW(TA, k->b);    \
    const int32_t *m = x->m;                              \
    EACH {                                                \
      const TA a = ra[l], b = rb[l];                      \
      const TD v = (TD)(expr);                            \
      d[l] = m[l] ? v : d[l];                             \
    }                                                     \
  }
#define TERNARY(name, TD, TA, expr)                                         \
  static void name##_full(ww_exec *x, const ww_code *k) {                   \
    TD *d = ROW(TD, k->d);                                                  \
    const TA *ra = ROW(TA, k->a), *rb = ROW(TA, k->b), *rc = ROW(TA, k->c); \
    EACH {                                                                  \
      const TA a = ra[l], b = rb[l], c = rc[l];                             \
      d[l] = (TD)(expr);                                                    \
    }                                                                       \
  }                                                                         \
  static void name##_part(ww_exec *x, const ww_code *k) {                   \
    TD *d = ROW(TD, k->d);                                                  \
    const TA *ra = ROW(TA, k->a), *rb = ROW(TA, k->b), *rc = ROW(TA, k->c); \
    const int32_t *m = x->m;                                                \
    EACH {                                                                  \
      const TA a = ra[l], b = rb[l], c = rc[l];                             \
      const TD v = (TD)(expr);                                              \
      d[l] = m[l] ? v : d[l];                                               \
    }                                                                       \
  }

/* 32-bit and 64-bit integers; BOTH makes the pair NAME32, NAME64 over unsigned, SBOTH over signed
 * rows. */
#define BOTH(name, expr) BINARY(name##32, u32, u32, expr) BINARY(name##64, u64, u64, expr)
#define SBOTH(name, expr) BINARY(name##32, i32, i32, expr) BINARY(name##64, i64, i64, expr)
#define W ((int)sizeof(a) * 8)
BOTH(add, a + b)
BOTH(sub, a - b)
BOTH(mul, a *b)
BOTH(and, a &b)
BOTH(or, a | b)
BOTH(xor, a ^ b)
BOTH(shl, b < W ? a << (b & (W - 1)) : 0)
BOTH(lshr, b < W ? a >> (b & (W - 1)) : 0)
SBOTH(ashr, a >> (b >= 0 && b < W ? b : W - 1))
SBOTH(smin, a < b ? a : b)
SBOTH(smax, a > b ? a : b)
BOTH(umin, a < b ? a : b)
BOTH(umax, a > b ? a : b)
BINARY(mulhs32, u32, i32, ((i64)a * b) >> 32)
BINARY(mulhu32, u32, u32, ((u64)a * b) >> 32)
BINARY(udiv32, u32, u32, b ? a / b : ~0u)
BINARY(urem32, u32, u32, b ? a % b : a)
UNARY(mov32, u32, u32, a)
UNARY(mov64, u64, u64, a)
TERNARY(select32, u32, u32, a & 1 ? b : c)
#undef W

#define CMP(name, op, T, S)                                  \
  BINARY(name##32, u32, T##32, a op b)                       \
  static void name##64_full(ww_exec * x, const ww_code *k) { \
    u32 *d = ROW(u32, k->d);                                 \
    const S *ra = ROW(S, k->a), *rb = ROW(S, k->b);          \
    EACH d[l] = ra[l] op rb[l];                              \
  }                                                          \
  static void name##64_part(ww_exec * x, const ww_code *k) { \
    u32 *d = ROW(u32, k->d);                                 \
    const S *ra = ROW(S, k->a), *rb = ROW(S, k->b);          \
    const i32 *m = x->m;                                     \
    EACH {                                                   \
      const u32 v = ra[l] op rb[l];                          \
      d[l] = m[l] ? v : d[l];                                \
    }                                                        \
  }
CMP(eq, ==, u, u64)
CMP(ne, !=, u, u64)
CMP(slt, <, i, i64)
CMP(sle, <=, i, i64)
CMP(sgt, >, i, i64)
CMP(sge, >=, i, i64)
CMP(ult, <, u, u64)
CMP(ule, <=, u, u64)
CMP(ugt, >, u, u64)
CMP(uge, >=, u, u64)

static void select64_full(ww_exec *x, const ww_code *k) {
  u64 *d = ROW(u64, k->d);
  const u32 *ra = ROW(u32, k->a);
  const u64 *rb = ROW(u64, k->b), *rc = ROW(u64, k->c);
  EACH d[l] = ra[l] & 1 ? rb[l] : rc[l];
}
static void select64_part(ww_exec *x, const ww_code *k) {
  u64 *d = ROW(u64, k->d);
  const u32 *ra = ROW(u32, k->a);
  const u64 *rb = ROW(u64, k->b), *rc = ROW(u64, k->c);
  const i32 *m = x->m;
  EACH d[l] = m[l] ? (ra[l] & 1 ? rb[l] : rc[l]) : d[l];
}

/* address arithmetic: a + b * imm; powers of two as shifts, which every vector unit has */
#define LEA(name, expr)                                   \
  static void name##_full(ww_exec *x, const ww_code *k) { \
    u64 *d = ROW(u64, k->d);                              \
    const u64 *ra = ROW(u64, k->a), *rb = ROW(u64, k->b); \
    const u64 s = k->imm;                                 \
    EACH d[l] = ra[l] + (expr);                           \
  }                                                       \
  static void name##_part(ww_exec *x, const ww_code *k) { \
    u64 *d = ROW(u64, k->d);                              \
    const u64 *ra = ROW(u64, k->a), *rb = ROW(u64, k->b); \
    const u64 s = k->imm;                                 \
    const i32 *m = x->m;                                  \
    EACH {                                                \
      const u64 v = ra[l] + (expr);                       \
      d[l] = m[l] ? v : d[l];                             \
    }                                                     \
  }
LEA(lea_mul, rb[l] * s)
LEA(lea_shift, rb[l] << s)

/* conversions */
UNARY(trunc6432, u32, u64, a)
UNARY(zext3264, u64, u32, a)
UNARY(sext3264, i64, i32, a)
UNARY(sext8, u32, u32, (int8_t)a)
UNARY(sext16, u32, u32, (int16_t)a)
UNARY(sext1, u32, u32, 0u - (a & 1))
UNARY(trunc8, u32, u32, a & 255)
UNARY(trunc16, u32, u32, a & 65535)
UNARY(trunc1, u32, u32, a & 1)
UNARY(sitof32, float, i32, a)
UNARY(uitof32, float, u32, a)
UNARY(sitof64, double, i32, a)
UNARY(uitof64, double, u32, a)
UNARY(ftod, double, float, a)
UNARY(dtof, float, double, a)
UNARY(ftosi32, i32, float, a != a ? 0 : a >= 0x1p31f ? INT32_MAX : a < -0x1p31f ? INT32_MIN : a)
UNARY(dtosi32, i32, double,
      a != a        ? INT32_MIN
      : a >= 0x1p31 ? INT32_MAX
      : a < -0x1p31 ? INT32_MIN
                    : a)

/* floating point */
#define FBOTH(name, expr) \
  BINARY(name##32, float, float, expr) BINARY(name##64, double, double, expr)
FBOTH(fadd, a + b)
FBOTH(fsub, a - b)
FBOTH(fmul, a *b)
FBOTH(fdiv, a / b)
UNARY(fneg32, u32, u32, a ^ 0x80000000u)
UNARY(fneg64, u64, u64, a ^ 0x8000000000000000ull)
UNARY(fabs32, u32, u32, a & 0x7fffffffu)
UNARY(fabs64, u64, u64, a & 0x7fffffffffffffffull)
TERNARY(fma32, float, float, __builtin_fmaf(a, b, c))
TERNARY(fma64, double, double, __builtin_fma(a, b, c))
UNARY(sqrt32, float, float, __builtin_sqrtf(a))
UNARY(sqrt64, double, double, __builtin_sqrt(a))
UNARY(rsqrt32, float, float, 1 / __builtin_sqrt(a))
UNARY(rcp32, float, float, 1 / a)

#define FCMP(name, expr)                                           \
  BINARY(name##32, u32, float, expr)                               \
  static void name##64_full(ww_exec * x, const ww_code *k) {       \
    u32 *d = ROW(u32, k->d);                                       \
    const double *ra = ROW(double, k->a), *rb = ROW(double, k->b); \
    EACH {                                                         \
      const double a = ra[l], b = rb[l];                           \
      d[l] = (expr);                                               \
    }                                                              \
  }                                                                \
  static void name##64_part(ww_exec * x, const ww_code *k) {       \
    u32 *d = ROW(u32, k->d);                                       \
    const double *ra = ROW(double, k->a), *rb = ROW(double, k->b); \
    const i32 *m = x->m;                                           \
    EACH {                                                         \
      const double a = ra[l], b = rb[l];                           \
      const u32 v = (expr);                                        \
      d[l] = m[l] ? v : d[l];                                      \
    }                                                              \
  }
FCMP(foeq, a == b)
FCMP(folt, a < b)
FCMP(fole, a <= b)
FCMP(fogt, a > b)
FCMP(foge, a >= b)
FCMP(fune, a != b)
FCMP(fult, !(a >= b))
FCMP(fule, !(a > b))
FCMP(fugt, !(a <= b))
FCMP(fuge, !(a < b))

/* ---- choosing a handler ---- */

#define H(name) (out[0] = name##_full, out[1] = name##_part, true)
#define BY_WIDTH(name) (wide ? H(name##64) : H(name##32))

static bool int_handler(const ww_ins *i, ww_handler *out[2]) {
  bool wide = i->type == WW_I64, narrow = i->type < WW_I32;
  switch (i->op) { /* right for every width, since narrow values are zero-extended */
  case WW_OP_AND:
    return BY_WIDTH(and);
  case WW_OP_OR:
    return BY_WIDTH(or);
  case WW_OP_XOR:
    return BY_WIDTH(xor);
  case WW_OP_UMIN:
    return BY_WIDTH(umin);
  case WW_OP_UMAX:
    return BY_WIDTH(umax);
  default:
    break;
  }
  if (narrow)
    return false;
  switch (i->op) {
  case WW_OP_ADD:
    return BY_WIDTH(add);
  case WW_OP_SUB:
    return BY_WIDTH(sub);
  case WW_OP_MUL:
    return BY_WIDTH(mul);
  case WW_OP_SHL:
    return BY_WIDTH(shl);
  case WW_OP_LSHR:
    return BY_WIDTH(lshr);
  case WW_OP_ASHR:
    return BY_WIDTH(ashr);
  case WW_OP_SMIN:
    return BY_WIDTH(smin);
  case WW_OP_SMAX:
    return BY_WIDTH(smax);
  case WW_OP_MULHS:
    return !wide && H(mulhs32);
  case WW_OP_MULHU:
    return !wide && H(mulhu32);
  case WW_OP_UDIV:
    return !wide && H(udiv32);
  case WW_OP_UREM:
    return !wide && H(urem32);
  case WW_OP_LEA:
    return i->imm > 0 && !(i->imm & (i->imm - 1)) ? H(lea_shift) : H(lea_mul);
  default:
    return false;
  }
}

static bool icmp_handler(const ww_ins *i, ww_handler *out[2]) {
  bool wide = i->type == WW_I64;
  if (i->type < WW_I32 && i->sub >= WW_SLT && i->sub <= WW_SGE)
    return false;
  switch (i->sub) {
  case WW_EQ:
    return BY_WIDTH(eq);
  case WW_NE:
    return BY_WIDTH(ne);
  case WW_SLT:
    return BY_WIDTH(slt);
  case WW_SLE:
    return BY_WIDTH(sle);
  case WW_SGT:
    return BY_WIDTH(sgt);
  case WW_SGE:
    return BY_WIDTH(sge);
  case WW_ULT:
    return BY_WIDTH(ult);
  case WW_ULE:
    return BY_WIDTH(ule);
  case WW_UGT:
    return BY_WIDTH(ugt);
  default:
    return BY_WIDTH(uge);
  }
}

static bool fp_handler(const ww_ins *i, ww_handler *out[2]) {
  bool wide = i->type == WW_F64;
  if (i->type != WW_F32 && i->type != WW_F64)
    return false;
  if (i->op == WW_OP_FCMP)
    switch (i->sub) {
    case WW_FOEQ:
      return BY_WIDTH(foeq);
    case WW_FOLT:
      return BY_WIDTH(folt);
    case WW_FOLE:
      return BY_WIDTH(fole);
    case WW_FOGT:
      return BY_WIDTH(fogt);
    case WW_FOGE:
      return BY_WIDTH(foge);
    case WW_FUNE:
      return BY_WIDTH(fune);
    case WW_FULT:
      return BY_WIDTH(fult);
    case WW_FULE:
      return BY_WIDTH(fule);
    case WW_FUGT:
      return BY_WIDTH(fugt);
    case WW_FUGE:
      return BY_WIDTH(fuge);
    default:
      return false;
    }
  if (i->op == WW_OP_FNEG)
    return BY_WIDTH(fneg);
  if (i->op == WW_OP_FABS)
    return BY_WIDTH(fabs);
  if (i->op == WW_OP_MATH)
    switch (i->imm == WW_RN ? i->sub : WW_NMATH) {
    case WW_MATH_SQRT:
      return BY_WIDTH(sqrt);
    case WW_MATH_RSQRT:
      return !wide && H(rsqrt32);
    case WW_MATH_RCP:
      return !wide && H(rcp32);
    default:
      return false;
    }
  if (i->sub != WW_RN)
    return false;
  switch (i->op) {
  case WW_OP_FADD:
    return BY_WIDTH(fadd);
  case WW_OP_FSUB:
    return BY_WIDTH(fsub);
  case WW_OP_FMUL:
    return BY_WIDTH(fmul);
  case WW_OP_FDIV:
    return BY_WIDTH(fdiv);
  case WW_OP_FMA:
    return BY_WIDTH(fma);
  default:
    return false;
  }
}

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
