/* translate_arith.c - arithmetic, comparisons and conversions of component lists, wide
 * integers included.
 *
 * An fmul whose uses are all contractable additions of its block waits for them: nvcc
 * fuses them by default. Integers wider than 64 bits are lists of 64-bit limbs, lowest
 * first. */
#include "translate_int.h"

/* ---- integer arithmetic ---- */

ww_op low_int_op(LLVMOpcode op) {
  static const uint8_t map[] = {
      [LLVMAdd] = WW_OP_ADD,   [LLVMSub] = WW_OP_SUB,   [LLVMMul] = WW_OP_MUL,
      [LLVMUDiv] = WW_OP_UDIV, [LLVMSDiv] = WW_OP_SDIV, [LLVMURem] = WW_OP_UREM,
      [LLVMSRem] = WW_OP_SREM, [LLVMShl] = WW_OP_SHL,   [LLVMLShr] = WW_OP_LSHR,
      [LLVMAShr] = WW_OP_ASHR, [LLVMAnd] = WW_OP_AND,   [LLVMOr] = WW_OP_OR,
      [LLVMXor] = WW_OP_XOR};
  return map[op];
}

static ww_val
int_binop(low_fn *F, LLVMOpcode op, const low_comp *c, ww_val a, ww_val b, int flags) {
  ww_type t = c->type;
  ww_op o = low_int_op(op);
  if (t == WW_I1) {
    if (o == WW_OP_ADD || o == WW_OP_SUB)
      o = WW_OP_XOR;
    else if (o == WW_OP_MUL)
      o = WW_OP_AND;
    else if (o == WW_OP_UDIV || o == WW_OP_SDIV || o == WW_OP_SHL || o == WW_OP_LSHR ||
             o == WW_OP_ASHR)
      return a;
    else if (o == WW_OP_UREM || o == WW_OP_SREM)
      return low_const(F, t, 0);
  }
  bool odd = c->bits < ww_type_bits(t),
       with_sign = o == WW_OP_SDIV || o == WW_OP_SREM || o == WW_OP_ASHR;
  if (odd && with_sign) {
    a = low_signed(F, a, t, c->bits);
    if (o != WW_OP_ASHR)
      b = low_signed(F, b, t, c->bits);
  }
  ww_val v = low_opx(F, o, t, 0, flags, a, b, WW_NOVAL);
  bool may_spill =
      with_sign || o == WW_OP_ADD || o == WW_OP_SUB || o == WW_OP_MUL || o == WW_OP_SHL;
  return odd && may_spill ? low_mask(F, v, t, c->bits) : v;
}

/* 128 bits */
static void wide_mul(low_fn *F, const ww_val *a, const ww_val *b, ww_val *out) {
  ww_val hi = low_op64(F, WW_OP_MULHU, a[0], b[0]);
  hi = low_op64(F, WW_OP_ADD, hi, low_op64(F, WW_OP_MUL, a[0], b[1]));
  hi = low_op64(F, WW_OP_ADD, hi, low_op64(F, WW_OP_MUL, a[1], b[0]));
  out[0] = low_op64(F, WW_OP_MUL, a[0], b[0]);
  out[1] = hi;
}

static void wide_shift_const(
    low_fn *F, LLVMOpcode op, const ww_val *a, uint32_t n, uint64_t k, ww_val *out) {
  ww_val zero = low_const(F, WW_I64, 0);
  ww_val sign = op == LLVMAShr ? low_op64k(F, WW_OP_ASHR, a[n - 1], 63) : zero;
  int64_t words = k / 64;
  unsigned bits = k % 64;
  for (int64_t i = 0; i < n; i++) {
    int64_t j = op == LLVMShl ? i - words : i + words;
    int64_t j2 = op == LLVMShl ? j - 1 : j + 1;
    ww_val x = j < 0 ? zero : j >= n ? sign : a[j];
    ww_val y = j2 < 0 ? zero : j2 >= n ? sign : a[j2];
    if (!bits)
      out[i] = x;
    else if (op == LLVMShl)
      out[i] = low_op(F, WW_OP_FSHL, WW_I64, x, y, low_const(F, WW_I64, bits));
    else
      out[i] = low_op(F, WW_OP_FSHR, WW_I64, y, x, low_const(F, WW_I64, bits));
  }
}

static void wide_shift(
    low_fn *F, LLVMOpcode op, const ww_val *a, uint32_t n, ww_val k, ww_val *out) {
  uint64_t amount;
  if (low_is_const(F, k, &amount)) {
    wide_shift_const(F, op, a, n, amount, out);
    return;
  }
  memcpy(out, a, n * sizeof *a);
  /* barrel shifter over the amount's bits */
  for (unsigned s = 0; (1u << s) < n * 64; s++) {
    ww_val t[16];
    ww_val bit = low_op64k(F, WW_OP_AND, k, 1ull << s);
    ww_val on = low_cmpk(F, WW_NE, WW_I64, bit, 0);
    wide_shift_const(F, op, out, n, 1u << s, t);
    for (uint32_t i = 0; i < n; i++)
      out[i] = low_select(F, WW_I64, on, t[i], out[i]);
  }
}

static void wide_binop(low_fn *F,
                       LLVMOpcode op,
                       const low_type *t,
                       const ww_val *a,
                       const ww_val *b,
                       ww_val *out) {
  ww_val carry = WW_NOVAL;
  switch (op) {
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
    for (uint32_t i = 0; i < t->n; i++)
      out[i] = low_op64(F, low_int_op(op), a[i], b[i]);
    break;
  case LLVMAdd:
  case LLVMSub:
    for (uint32_t i = 0; i < t->n; i++)
      out[i] = low_carry(F, WW_I64, op == LLVMSub, a[i], b[i], &carry);
    break;
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
    wide_shift(F, op, a, t->n, b[0], out);
    break;
  case LLVMMul:
    if (t->n == 2) {
      wide_mul(F, a, b, out);
      break;
    } /* fall through */
  default:
    low_refuse(F, "%s of integers wider than 64 bits",
               op == LLVMMul ? "multiplication" : "division");
    memcpy(out, a, t->n * sizeof *a);
  }
  out[t->n - 1] = low_mask(F, out[t->n - 1], WW_I64, t->c[t->n - 1].bits);
}

/* ---- floating point ---- */

static bool is_contract(low_fn *F, LLVMValueRef inst) {
  return low_fmf(F, inst) & LLVMFastMathAllowContract;
}

/* All uses (at most 4, as the NVPTX back end limits it) are contractable additions in
 * the same block. */
static bool defers(low_fn *F, LLVMValueRef fmul) {
  uint32_t n = 0;
  if (!is_contract(F, fmul))
    return false;
  for (LLVMUseRef u = LLVMGetFirstUse(fmul); u; u = LLVMGetNextUse(u), n++) {
    LLVMValueRef user = LLVMGetUser(u);
    LLVMOpcode op = LLVMGetInstructionOpcode(user);
    if ((op != LLVMFAdd && op != LLVMFSub) || !is_contract(F, user) || n == 4)
      return false;
    if (LLVMGetInstructionParent(user) != LLVMGetInstructionParent(fmul))
      return false;
  }
  return n > 0;
}

static int fp_flags(low_fn *F, LLVMValueRef inst, LLVMOpcode op) {
  unsigned f = low_fmf(F, inst);
  int out = f & LLVMFastMathAllowContract ? WW_F_CONTRACT : 0;
  if (op == LLVMFDiv && (f & (LLVMFastMathApproxFunc | LLVMFastMathAllowReciprocal)))
    out |= WW_F_APPROX;
  if (op == LLVMFDiv && LLVMGetMetadata(inst, F->L->md_fpmath))
    out |= WW_F_APPROX; /* OpenCL's 2.5 ulp */
  return out;
}

static void fp_each(low_fn *F, LLVMValueRef inst, LLVMOpcode op) {
  static const uint8_t map[] = {[LLVMFAdd] = WW_OP_FADD,
                                [LLVMFSub] = WW_OP_FSUB,
                                [LLVMFMul] = WW_OP_FMUL,
                                [LLVMFDiv] = WW_OP_FDIV};
  const low_type *t = low_type_of(F, inst);
  ww_val *out = low_define(F, inst);
  int flags = fp_flags(F, inst, op);
  for (uint32_t i = 0; i < t->n; i++) {
    ww_val a = low_operand(F, inst, 0, i);
    ww_val b = low_operand(F, inst, 1, i);
    out[i] = op == LLVMFRem
                 ? low_math(F, WW_MATH_FMOD, t->c[i].type, 0, a, b, WW_NOVAL)
                 : low_opx(F, map[op], t->c[i].type, 0, flags, a, b, WW_NOVAL);
  }
}

void low_fmul_now(low_fn *F, LLVMValueRef inst) {
  *low_map_at(F->a, &F->of->deferred, inst, NULL) = 0;
  fp_each(F, inst, LLVMFMul);
}

static bool fused(low_fn *F, LLVMValueRef inst, LLVMOpcode op) {
  LLVMValueRef mul = NULL;
  LLVMValueRef x = LLVMGetOperand(inst, 0);
  LLVMValueRef y = LLVMGetOperand(inst, 1);
  bool first = false;
  if (!is_contract(F, inst))
    return false;
  if (low_map_get(&F->of->deferred, x, 0)) {
    mul = x;
    first = true;
  } else if (low_map_get(&F->of->deferred, y, 0))
    mul = y;
  if (!mul || x == y)
    return false;
  const low_type *t = low_type_of(F, inst);
  ww_val *out = low_define(F, inst);
  for (uint32_t i = 0; i < t->n; i++) {
    ww_type ct = t->c[i].type;
    ww_val a = low_operand(F, mul, 0, i);
    ww_val b = low_operand(F, mul, 1, i);
    ww_val c = low_comp_of(F, first ? y : x, i);
    if (op == LLVMFSub && first)
      c = low_unary(F, WW_OP_FNEG, ct, c);
    if (op == LLVMFSub && !first)
      a = low_unary(F, WW_OP_FNEG, ct, a);
    out[i] = low_opx(F, WW_OP_FMA, ct, 0, WW_F_CONTRACT, a, b, c);
  }
  return true;
}

void low_binop(low_fn *F, LLVMValueRef inst) {
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  if (op == LLVMFMul && defers(F, inst)) {
    *low_map_at(F->a, &F->of->deferred, inst, NULL) = 1;
    return;
  }
  if (op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMFDiv ||
      op == LLVMFRem) {
    if ((op == LLVMFAdd || op == LLVMFSub) && fused(F, inst, op))
      return;
    fp_each(F, inst, op);
    return;
  }
  const low_type *t = low_type_of(F, inst);
  ww_val *out = low_define(F, inst);
  low_val *a = low_get(F, LLVMGetOperand(inst, 0));
  low_val *b = low_get(F, LLVMGetOperand(inst, 1));
  if (low_wide_int(LLVMTypeOf(inst)))
    wide_binop(F, op, t, a->v, b->v, out);
  else {
    bool wraps = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
    int flags = wraps && LLVMGetNSW(inst) ? WW_F_NSW : 0;
    for (uint32_t i = 0; i < t->n; i++)
      out[i] = int_binop(F, op, &t->c[i], low_operand(F, inst, 0, i),
                         low_operand(F, inst, 1, i), flags);
  }
}

/* ---- comparisons ---- */

int low_predicate(int64_t p) {
  static const uint8_t map[] = {
      [LLVMRealOEQ] = WW_FOEQ, [LLVMRealOGT] = WW_FOGT, [LLVMRealOGE] = WW_FOGE,
      [LLVMRealOLT] = WW_FOLT, [LLVMRealOLE] = WW_FOLE, [LLVMRealONE] = WW_FONE,
      [LLVMRealORD] = WW_FORD, [LLVMRealUNO] = WW_FUNO, [LLVMRealUEQ] = WW_FUEQ,
      [LLVMRealUGT] = WW_FUGT, [LLVMRealUGE] = WW_FUGE, [LLVMRealULT] = WW_FULT,
      [LLVMRealULE] = WW_FULE, [LLVMRealUNE] = WW_FUNE, [LLVMIntEQ] = WW_EQ,
      [LLVMIntNE] = WW_NE,     [LLVMIntUGT] = WW_UGT,   [LLVMIntUGE] = WW_UGE,
      [LLVMIntULT] = WW_ULT,   [LLVMIntULE] = WW_ULE,   [LLVMIntSGT] = WW_SGT,
      [LLVMIntSGE] = WW_SGE,   [LLVMIntSLT] = WW_SLT,   [LLVMIntSLE] = WW_SLE};
  bool is_float = p >= LLVMRealOEQ && p <= LLVMRealUNE;
  bool is_int = p >= LLVMIntEQ && p <= LLVMIntSLE;
  return is_float || is_int ? map[p] : -1;
}

static ww_val
wide_cmp(low_fn *F, ww_cmp p, const low_type *t, const ww_val *a, const ww_val *b) {
  uint32_t n = t->n;
  if (p == WW_EQ || p == WW_NE) {
    ww_val acc = WW_NOVAL;
    for (uint32_t i = 0; i < n; i++) {
      ww_val x = low_op64(F, WW_OP_XOR, a[i], b[i]);
      acc = i ? low_op64(F, WW_OP_OR, acc, x) : x;
    }
    return low_cmpk(F, p, WW_I64, acc, 0);
  }
  static const uint8_t unsigned_of[] = {
      [WW_SLT] = WW_ULT, [WW_SLE] = WW_ULE, [WW_SGT] = WW_UGT, [WW_SGE] = WW_UGE,
      [WW_ULT] = WW_ULT, [WW_ULE] = WW_ULE, [WW_UGT] = WW_UGT, [WW_UGE] = WW_UGE};
  ww_val r = low_cmp(F, unsigned_of[p], WW_I64, a[0], b[0]);
  for (uint32_t i = 1; i < n; i++) {
    bool top = i + 1 == n;
    unsigned bits = t->c[i].bits;
    ww_val x = top ? low_signed(F, a[i], WW_I64, bits) : a[i];
    ww_val y = top ? low_signed(F, b[i], WW_I64, bits) : b[i];
    ww_val eq = low_cmp(F, WW_EQ, WW_I64, x, y);
    ww_val c = low_cmp(F, top ? p : unsigned_of[p], WW_I64, x, y);
    r = low_select(F, WW_I1, eq, r, c);
  }
  return r;
}

void low_icmp(low_fn *F, LLVMValueRef inst) {
  LLVMValueRef x = LLVMGetOperand(inst, 0);
  LLVMValueRef y = LLVMGetOperand(inst, 1);
  const low_type *t = low_type_of(F, x);
  ww_cmp p = low_predicate(LLVMGetICmpPredicate(inst));
  ww_val *out = low_define(F, inst);
  if (low_wide_int(LLVMTypeOf(x))) {
    out[0] = wide_cmp(F, p, t, low_get(F, x)->v, low_get(F, y)->v);
    return;
  }
  bool with_sign = p >= WW_SLT && p <= WW_SGE;
  for (uint32_t i = 0; i < t->n; i++) {
    ww_val a = low_comp_of(F, x, i);
    ww_val b = low_comp_of(F, y, i);
    ww_type ct = t->c[i].type;
    if (with_sign) {
      a = low_signed(F, a, ct, t->c[i].bits);
      b = low_signed(F, b, ct, t->c[i].bits);
    }
    out[i] = low_cmp(F, p, ct, a, b);
  }
}

void low_fcmp(low_fn *F, LLVMValueRef inst) {
  LLVMRealPredicate p = LLVMGetFCmpPredicate(inst);
  const low_type *t = low_type_of(F, LLVMGetOperand(inst, 0));
  ww_val *out = low_define(F, inst);
  for (uint32_t i = 0; i < t->n; i++)
    out[i] = p == LLVMRealPredicateFalse || p == LLVMRealPredicateTrue
                 ? low_const(F, WW_I1, p == LLVMRealPredicateTrue)
                 : low_cmp(F, low_predicate(p), t->c[i].type,
                           low_operand(F, inst, 0, i), low_operand(F, inst, 1, i));
}

/* ---- conversions ---- */

/* Components of one integer of `from` bits as one of `to` bits. */
static void int_cast(low_fn *F,
                     const low_comp *fc,
                     uint32_t nf,
                     const ww_val *in,
                     const low_comp *tc,
                     uint32_t nt,
                     bool sign,
                     ww_val *out) {
  if (nf == 1 && nt == 1) {
    ww_val v = in[0];
    bool grows = tc->bits > fc->bits;
    if (sign && grows)
      v = low_signed(F, v, fc->type, fc->bits);
    v = low_int_to(F, v, fc->type, tc->type, sign && grows);
    out[0] = grows && !sign ? v : low_mask(F, v, tc->type, tc->bits);
    return;
  }
  ww_val top =
      sign ? low_signed(F, in[nf - 1], fc[nf - 1].type, fc[nf - 1].bits) : in[nf - 1];
  top = low_int_to(F, top, fc[nf - 1].type, WW_I64, sign);
  ww_val fill = sign ? low_op64k(F, WW_OP_ASHR, top, 63) : low_const(F, WW_I64, 0);
  for (uint32_t i = 0; i < nt; i++) {
    ww_val v = i + 1 < nf ? in[i] : i + 1 == nf ? top : fill;
    out[i] = low_mask(F, low_int_to(F, v, WW_I64, tc[i].type, false), tc[i].type,
                      tc[i].bits);
  }
}

static ww_val
convert(low_fn *F, LLVMOpcode op, const low_comp *f, const low_comp *t, ww_val v) {
  switch (op) {
  case LLVMSIToFP:
    v = low_signed(F, v, f->type, f->bits);
    if (f->type == WW_I1)
      return low_cvt(F, WW_OP_SITOF, t->type, WW_I32, WW_RN,
                     low_int_to(F, v, WW_I1, WW_I32, true));
    return low_cvt(F, WW_OP_SITOF, t->type, f->type, WW_RN, v);
  case LLVMUIToFP:
    if (f->type == WW_I1)
      return low_cvt(F, WW_OP_UITOF, t->type, WW_I32, WW_RN,
                     low_int_to(F, v, WW_I1, WW_I32, false));
    return low_cvt(F, WW_OP_UITOF, t->type, f->type, WW_RN, v);
  case LLVMFPToSI:
  case LLVMFPToUI: {
    /* as nvcc: 32 bits, then the low part */
    ww_type to = t->type < WW_I32 ? WW_I32 : t->type;
    v = low_cvt(F, op == LLVMFPToSI || t->type < WW_I32 ? WW_OP_FTOSI : WW_OP_FTOUI, to,
                f->type, WW_RZ, v);
    return low_mask(F, low_int_to(F, v, to, t->type, false), t->type, t->bits);
  }
  default:
    return low_cvt(F, WW_OP_FCVT, t->type, f->type, WW_RN, v);
  }
}

void low_cast(low_fn *F, LLVMValueRef inst) {
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  LLVMTypeRef ft = LLVMTypeOf(LLVMGetOperand(inst, 0));
  LLVMTypeRef tt = LLVMTypeOf(inst);
  const low_type *f = low_flat(F->L, ft);
  const low_type *t = low_flat(F->L, tt);
  ww_val *out = low_define(F, inst);
  if (op == LLVMTrunc || op == LLVMZExt || op == LLVMSExt) {
    bool vec = LLVMGetTypeKind(tt) == LLVMVectorTypeKind;
    uint32_t lanes = vec ? LLVMGetVectorSize(tt) : 1;
    uint32_t nf = f->n / lanes;
    uint32_t nt = t->n / lanes;
    const ww_val *in = low_get(F, LLVMGetOperand(inst, 0))->v;
    for (uint32_t i = 0; i < lanes; i++)
      int_cast(F, f->c + i * nf, nf, in + i * nf, t->c + i * nt, nt, op == LLVMSExt,
               out + i * nt);
  } else if (f->n != t->n || low_wide_int(ft) || low_wide_int(tt))
    low_refuse(F, "conversion between floating point and integers wider than 64 bits");
  else
    for (uint32_t i = 0; i < t->n; i++)
      out[i] = convert(F, op, &f->c[i], &t->c[i], low_operand(F, inst, 0, i));
}

void low_bitcast(low_fn *F, LLVMValueRef inst) {
  const low_type *f = low_type_of(F, LLVMGetOperand(inst, 0));
  const low_type *t = low_type_of(F, inst);
  const ww_val *in = low_comps(F, LLVMGetOperand(inst, 0), f->n);
  low_repack(F, f->c, f->n, in, t->c, t->n, low_define(F, inst));
}

/* ptrtoint, inttoptr: an address is 64 bits wide here */
void low_pointer_cast(low_fn *F, LLVMValueRef inst) {
  const low_type *f = low_type_of(F, LLVMGetOperand(inst, 0));
  const low_type *t = low_type_of(F, inst);
  ww_val *out = low_define(F, inst);
  if (low_wide_int(LLVMTypeOf(inst)) ||
      low_wide_int(LLVMTypeOf(LLVMGetOperand(inst, 0))))
    low_refuse(F, "an integer wider than 64 bits as a pointer");
  for (uint32_t i = 0; i < t->n; i++)
    out[i] = low_mask(
        F, low_int_to(F, low_operand(F, inst, 0, i), f->c[i].type, t->c[i].type, false),
        t->c[i].type, t->c[i].bits);
}
