/* translate_asm_ops.c - the PTX instructions that inline assembly uses, one function per family and
 * one table.
 *
 * Cache hints, scopes and orderings are accepted and dropped; asynchronous copies are plain copies,
 * their waits nothing. */
#include "translate_asm.h"

#include <stdlib.h>

/* Handlers of a table share one signature; few need all of its parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

typedef bool (*handler)(ptx_ins *i, int x);

static ww_val read_t(ptx_ins *i, uint32_t k, ww_type t) {
  if (k < i->narg)
    return ptx_read(i, i->arg[k], t);
  ptx_refuse(i);
  return low_i32(i->F, 0);
}

static ww_val read32(ptx_ins *i, uint32_t k) {
  return read_t(i, k, WW_I32);
}

/* The result, by which a handler ends: true. */
static bool write_t(ptx_ins *i, ww_val v, ptx_type t) {
  ptx_write(i, i->arg[0], v, t.t, t.sign);
  return true;
}

static bool write_as(ptx_ins *i, ww_val v, ww_type t) {
  ptx_write(i, i->arg[0], v, t, false);
  return true;
}

static bool write32(ptx_ins *i, ww_val v) {
  return write_as(i, v, WW_I32);
}

static int rounding(const ptx_ins *i) {
  return ptx_has(i, "rz") || ptx_has(i, "rzi")   ? WW_RZ
         : ptx_has(i, "rm") || ptx_has(i, "rmi") ? WW_RD
         : ptx_has(i, "rp") || ptx_has(i, "rpi") ? WW_RU
         : ptx_has(i, "rna")                     ? WW_RNA
                                                 : WW_RN;
}

static int approx(const ptx_ins *i) {
  return ptx_has(i, "approx") || ptx_has(i, "full") ? WW_F_APPROX : 0;
}

/* Two halves of type t packed in 32 bits. */
static const low_comp word = {WW_I32, 4, 32, 0};

static void split_pair(low_fn *F, ww_type t, ww_val packed, ww_val out[2]) {
  low_comp half[2] = {{t, 2, 16, 0}, {t, 2, 16, 2}};
  low_repack(F, &word, 1, &packed, half, 2, out);
}

static ww_val join_pair(low_fn *F, ww_type t, const ww_val v[2]) {
  low_comp half[2] = {{t, 2, 16, 0}, {t, 2, 16, 2}};
  ww_val packed;
  low_repack(F, half, 2, v, &word, 1, &packed);
  return packed;
}

/* Applies fn to both halves of packed operands, or once to plain ones. */
typedef ww_val (*scalar_fn)(ptx_ins *i, ptx_type t, const ww_val *v, int x);

static bool elementwise(ptx_ins *i, scalar_fn fn, int x, uint32_t nsrc) {
  ptx_type t = ptx_nth_type(i, 0);
  ww_val v[3], h[3][2], out[2];
  if (i->narg < nsrc + 1) {
    ptx_refuse(i);
    return true;
  }
  if (!t.pair) {
    for (uint32_t k = 0; k < nsrc; k++)
      v[k] = read_t(i, k + 1, t.t);
    return write_t(i, fn(i, t, v, x), t);
  }
  for (uint32_t k = 0; k < nsrc; k++)
    split_pair(i->F, t.t, read32(i, k + 1), h[k]);
  for (int e = 0; e < 2; e++) {
    for (uint32_t k = 0; k < nsrc; k++)
      v[k] = h[k][e];
    out[e] = fn(i, t, v, x);
  }
  return write32(i, join_pair(i->F, t.t, out));
}

static ww_val saturate(ptx_ins *i, ww_type t, ww_val v) {
  if (ptx_has(i, "relu"))
    return low_binary(i->F, WW_OP_FMAX, t, v, low_fconst(i->F, t, 0));
  if (!ptx_has(i, "sat") || !ww_is_float(t))
    return v;
  v = low_binary(i->F, WW_OP_FMAX, t, v, low_fconst(i->F, t, 0));
  return low_binary(i->F, WW_OP_FMIN, t, v, low_fconst(i->F, t, 1));
}

/* ---- arithmetic ---- */

enum { A_ADD, A_SUB, A_MUL, A_DIV, A_REM, A_MIN, A_MAX, A_AND, A_OR, A_XOR };

static ww_val arith(ptx_ins *i, ptx_type t, const ww_val *v, int x) {
  static const uint8_t ints[] = {WW_OP_ADD,  WW_OP_SUB,  WW_OP_MUL, WW_OP_UDIV, WW_OP_UREM,
                                 WW_OP_UMIN, WW_OP_UMAX, WW_OP_AND, WW_OP_OR,   WW_OP_XOR};
  static const uint8_t signs[] = {WW_OP_ADD,  WW_OP_SUB,  WW_OP_MUL, WW_OP_SDIV, WW_OP_SREM,
                                  WW_OP_SMIN, WW_OP_SMAX, WW_OP_AND, WW_OP_OR,   WW_OP_XOR};
  static const uint8_t floats[] = {WW_OP_FADD, WW_OP_FSUB, WW_OP_FMUL, WW_OP_FDIV,
                                   0,          WW_OP_FMIN, WW_OP_FMAX};
  if (!ww_is_float(t.t))
    return low_binary(i->F, t.sign ? signs[x] : ints[x], t.t, v[0], v[1]);
  bool rounds = x <= A_DIV;
  return saturate(i, t.t,
                  low_opx(i->F, floats[x], t.t, rounds ? rounding(i) : 0,
                          x == A_DIV ? approx(i) : 0, v[0], v[1], WW_NOVAL));
}

static bool op_arith(ptx_ins *i, int x) {
  return elementwise(i, arith, x, 2);
}

/* add.cc addc[.cc] sub.cc subc: x 0 add, 1 sub */
static ww_val with_carry(ptx_ins *i, ww_type t, ww_val a, ww_val b, bool sub, bool use) {
  low_fn *F = i->F;
  ww_op op = sub ? WW_OP_SUB : WW_OP_ADD;
  ww_val r = low_binary(F, op, t, a, b),
         c = sub ? low_cmp(F, WW_ULT, t, a, b) : low_cmp(F, WW_ULT, t, r, a);
  if (use && i->s->carry != WW_NOVAL) {
    ww_val k = low_int_to(F, i->s->carry, WW_I1, t, false), r2 = low_binary(F, op, t, r, k);
    ww_val c2 = sub ? low_cmp(F, WW_ULT, t, r, k) : low_cmp(F, WW_ULT, t, r2, r);
    c = low_binary(F, WW_OP_OR, WW_I1, c, c2);
    r = r2;
  }
  if (ptx_has(i, "cc"))
    i->s->carry = c;
  return r;
}

static bool op_add(ptx_ins *i, int x) { /* bit 0: subtract, bit 1: uses the carry */
  ptx_type t = ptx_nth_type(i, 0);
  if (!(x & 2) && !ptx_has(i, "cc"))
    return op_arith(i, x & 1 ? A_SUB : A_ADD);
  return write_t(i, with_carry(i, t.t, read_t(i, 1, t.t), read_t(i, 2, t.t), x & 1, x & 2), t);
}

static ww_type doubled(ww_type t) {
  return t == WW_I16 ? WW_I32 : WW_I64;
}

static ww_val multiply(ptx_ins *i, ptx_type t, ww_val a, ww_val b) {
  low_fn *F = i->F;
  if (ptx_has(i, "wide")) {
    ww_type w = doubled(t.t);
    return low_binary(F, WW_OP_MUL, w, low_int_to(F, a, t.t, w, t.sign),
                      low_int_to(F, b, t.t, w, t.sign));
  }
  return low_binary(F, ptx_has(i, "hi") ? (t.sign ? WW_OP_MULHS : WW_OP_MULHU) : WW_OP_MUL, t.t, a,
                    b);
}

static bool op_mul(ptx_ins *i, int x) {
  ptx_type t = ptx_nth_type(i, 0);
  if (ww_is_float(t.t))
    return op_arith(i, A_MUL);
  ptx_type out = t;
  if (ptx_has(i, "wide"))
    out.t = doubled(t.t);
  return write_t(i, multiply(i, t, read_t(i, 1, t.t), read_t(i, 2, t.t)), out);
}

static ww_val fused(ptx_ins *i, ptx_type t, const ww_val *v, int x) {
  return saturate(i, t.t, low_opx(i->F, WW_OP_FMA, t.t, rounding(i), 0, v[0], v[1], v[2]));
}

static bool op_mad(ptx_ins *i, int x) { /* x: madc */
  ptx_type t = ptx_nth_type(i, 0), out = t;
  if (ww_is_float(t.t)) {
    elementwise(i, fused, 0, 3);
    return true;
  }
  if (ptx_has(i, "wide"))
    out.t = doubled(t.t);
  ww_val m = multiply(i, t, read_t(i, 1, t.t), read_t(i, 2, t.t)), c = read_t(i, 3, out.t);
  return write_t(i,
                 x || ptx_has(i, "cc") ? with_carry(i, out.t, m, c, false, x)
                                       : low_binary(i->F, WW_OP_ADD, out.t, m, c),
                 out);
}

static bool op_mul24(ptx_ins *i, int add) {
  ptx_type t = ptx_nth_type(i, 0);
  low_fn *F = i->F;
  ww_val v[2];
  for (uint32_t k = 0; k < 2; k++) {
    v[k] = read32(i, k + 1);
    v[k] = t.sign ? low_signed(F, v[k], WW_I32, 24) : low_mask(F, v[k], WW_I32, 24);
  }
  ww_val r = low_binary(F, WW_OP_MUL, WW_I32, v[0], v[1]);
  return write_t(i, add ? low_binary(F, WW_OP_ADD, WW_I32, r, read32(i, 3)) : r, t);
}

static bool op_sad(ptx_ins *i, int x) {
  ptx_type t = ptx_nth_type(i, 0);
  return write_t(i,
                 low_opx(i->F, WW_OP_SAD, t.t, t.sign, 0, read_t(i, 1, t.t), read_t(i, 2, t.t),
                         read_t(i, 3, t.t)),
                 t);
}

static ww_val unary(ptx_ins *i, ptx_type t, const ww_val *v, int x) {
  low_fn *F = i->F;
  if (x == WW_OP_FNEG)
    return ww_is_float(t.t) ? low_unary(F, WW_OP_FNEG, t.t, v[0])
                            : low_binary(F, WW_OP_SUB, t.t, low_const(F, t.t, 0), v[0]);
  if (x == WW_OP_FABS)
    return low_unary(F, ww_is_float(t.t) ? WW_OP_FABS : WW_OP_IABS, t.t, v[0]);
  return low_binary(F, WW_OP_XOR, t.t, v[0], low_const(F, t.t, ~0ull)); /* not */
}

static bool op_unary(ptx_ins *i, int x) {
  return elementwise(i, unary, x, 1);
}

static ww_val math1(ptx_ins *i, ptx_type t, const ww_val *v, int x) {
  ww_val r = low_math1(i->F, x, t.t, approx(i), v[0]);
  low_math_round(i->F, x, rounding(i));
  return r;
}

static bool op_math(ptx_ins *i, int x) {
  return elementwise(i, math1, x, 1);
}

static ww_val copysign2(ptx_ins *i, ptx_type t, const ww_val *v,
                        int x) { /* PTX: copysign d, a, b puts a's sign on b */
  return low_math(i->F, WW_MATH_COPYSIGN, t.t, 0, v[1], v[0], WW_NOVAL);
}

static bool op_copysign(ptx_ins *i, int x) {
  return elementwise(i, copysign2, x, 2);
}

/* ---- bits ---- */

static bool op_shift(ptx_ins *i, int right) {
  ptx_type t = ptx_nth_type(i, 0);
  return write_t(i,
                 low_binary(i->F,
                            !right   ? WW_OP_SHL
                            : t.sign ? WW_OP_ASHR
                                     : WW_OP_LSHR,
                            t.t, read_t(i, 1, t.t), read32(i, 2)),
                 t);
}

static bool op_shf(ptx_ins *i, int x) { /* shf.l d, lo, hi, n */
  low_fn *F = i->F;
  bool left = ptx_has(i, "l");
  ww_val lo = read32(i, 1), hi = read32(i, 2), n = read32(i, 3);
  ww_val r = low_op(F, left ? WW_OP_FSHL : WW_OP_FSHR, WW_I32, hi, lo, n);
  if (ptx_has(i, "clamp"))
    r = low_select(F, WW_I32, low_cmp(F, WW_UGE, WW_I32, n, low_i32(F, 32)), left ? lo : hi, r);
  return write32(i, r);
}

/* Any function of three bits as the sum of its minterms; bit 2 of a minterm's number is v[0], bit 0
 * is v[2]. */
static ww_val minterms(low_fn *F, const ww_val *v, uint32_t lut) {
  ww_val sum = low_i32(F, 0), ones = low_i32(F, ~0u);
  for (uint32_t m = 0; m < 8; m++) {
    ww_val term = WW_NOVAL;
    if (!(lut >> m & 1))
      continue;
    for (int k = 0; k < 3; k++) {
      ww_val b = m >> (2 - k) & 1 ? v[k] : low_binary(F, WW_OP_XOR, WW_I32, v[k], ones);
      term = k ? low_binary(F, WW_OP_AND, WW_I32, term, b) : b;
    }
    sum = low_binary(F, WW_OP_OR, WW_I32, sum, term);
  }
  return sum;
}

static bool op_lop3(ptx_ins *i, int x) {
  static const struct {
    uint8_t lut, op1, op2;
  } known[] = {{0x96, WW_OP_XOR, WW_OP_XOR}, {0x80, WW_OP_AND, WW_OP_AND},
               {0xfe, WW_OP_OR, WW_OP_OR},   {0xea, WW_OP_AND, WW_OP_OR},
               {0x6a, WW_OP_AND, WW_OP_XOR}, {0xa8, WW_OP_OR, WW_OP_AND}};
  low_fn *F = i->F;
  uint64_t lut;
  ww_val v[3] = {read32(i, 1), read32(i, 2), read32(i, 3)}, r = WW_NOVAL;
  if (i->narg < 5 || !low_is_const(F, read32(i, 4), &lut))
    return false;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (known[k].lut == lut)
      r = low_binary(F, known[k].op2, WW_I32, low_binary(F, known[k].op1, WW_I32, v[0], v[1]),
                     v[2]);
  return write32(i, r == WW_NOVAL ? minterms(F, v, lut) : r);
}

static bool op_bfe(ptx_ins *i, int x) {
  ptx_type t = ptx_nth_type(i, 0);
  return write_t(i,
                 low_op(i->F, t.sign ? WW_OP_BFES : WW_OP_BFEU, t.t, read_t(i, 1, t.t),
                        read32(i, 2), read32(i, 3)),
                 t);
}

static bool op_bfi(ptx_ins *i, int x) { /* bfi d, a, b, pos, len: a's low bits into b */
  ptx_type t = ptx_nth_type(i, 0);
  low_fn *F = i->F;
  ww_val a = read_t(i, 1, t.t), b = read_t(i, 2, t.t), pos = read32(i, 3), len = read32(i, 4),
         one = low_const(F, t.t, 1);
  ww_val mask =
      low_binary(F, WW_OP_SHL, t.t,
                 low_binary(F, WW_OP_SUB, t.t, low_binary(F, WW_OP_SHL, t.t, one, len), one), pos);
  ww_val in = low_binary(F, WW_OP_AND, t.t, low_binary(F, WW_OP_SHL, t.t, a, pos), mask);
  ww_val keep = low_binary(F, WW_OP_AND, t.t, b,
                           low_binary(F, WW_OP_XOR, t.t, mask, low_const(F, t.t, ~0ull)));
  return write_t(i, low_binary(F, WW_OP_OR, t.t, in, keep), t);
}

static bool op_prmt(ptx_ins *i, int x) {
  if (i->nop > 2)
    return false; /* f4e, rc8 ... */
  write32(i, low_op(i->F, WW_OP_PRMT, WW_I32, read32(i, 1), read32(i, 2), read32(i, 3)));
  return true;
}

static bool op_count(ptx_ins *i, int op) { /* popc, clz, brev: result 32 bits but brev's */
  ptx_type t = ptx_nth_type(i, 0);
  ww_val v = low_unary(i->F, op, t.t, read_t(i, 1, t.t));
  if (op == WW_OP_BREV)
    write_t(i, v, t);
  else
    write32(i, low_int_to(i->F, v, t.t, WW_I32, false));
  return true;
}

static bool op_bfind(ptx_ins *i,
                     int x) { /* highest set bit (of the complement, when negative), -1: none */
  ptx_type t = ptx_nth_type(i, 0);
  low_fn *F = i->F;
  ww_val v = read_t(i, 1, t.t), top = low_const(F, t.t, ww_type_bits(t.t) - 1);
  if (t.sign)
    v = low_binary(F, WW_OP_XOR, t.t, v, low_binary(F, WW_OP_ASHR, t.t, v, top));
  ww_val z = low_unary(F, WW_OP_CTLZ, t.t, v);
  ww_val r = ptx_has(i, "shiftamt") ? z : low_binary(F, WW_OP_SUB, t.t, top, z);
  if (ptx_has(i, "shiftamt"))
    r = low_select(F, t.t, low_cmp(F, WW_EQ, t.t, v, low_const(F, t.t, 0)),
                   low_const(F, t.t, ~0ull), r);
  ptx_write(i, i->arg[0], low_int_to(F, r, t.t, WW_I32, true), WW_I32, true);
  return true;
}

static bool op_dp(ptx_ins *i, int op) {
  ptx_type a = ptx_nth_type(i, 0), b = ptx_nth_type(i, 1);
  int sub = a.sign | b.sign << 1 | (ptx_has(i, "hi") ? 4 : 0);
  return write32(i, low_opx(i->F, op, WW_I32, sub, 0, read32(i, 1), read32(i, 2), read32(i, 3)));
}

/* ---- moves, conversions, selection ---- */

static bool op_mov(ptx_ins *i, int x) {
  ptx_type t = ptx_nth_type(i, 0);
  ww_type w = t.pair ? WW_I32 : t.t;
  return write_as(i, read_t(i, 1, w), w);
}

static ww_val round_to_whole(ptx_ins *i, ww_type t, ww_val v) {
  ww_math m = ptx_has(i, "rzi")   ? WW_MATH_TRUNC
              : ptx_has(i, "rmi") ? WW_MATH_FLOOR
              : ptx_has(i, "rpi") ? WW_MATH_CEIL
                                  : WW_MATH_RINT;
  return low_math1(i->F, m, t, 0, v);
}

static ww_val convert(ptx_ins *i, ptx_type to, ptx_type from, ww_val v) {
  low_fn *F = i->F;
  bool ff = ww_is_float(from.t), tf = ww_is_float(to.t);
  bool whole = ptx_has(i, "rni") || ptx_has(i, "rzi") || ptx_has(i, "rmi") || ptx_has(i, "rpi");
  if (ff && tf) {
    if (whole)
      v = round_to_whole(i, from.t, v);
    if (from.t != to.t)
      v = low_cvt(F, WW_OP_FCVT, to.t, from.t, whole ? WW_RN : rounding(i), v);
    return saturate(i, to.t, v);
  }
  if (ff)
    return low_cvt(F, to.sign ? WW_OP_FTOSI : WW_OP_FTOUI, to.t, from.t, rounding(i), v);
  if (tf)
    return low_cvt(F, from.sign ? WW_OP_SITOF : WW_OP_UITOF, to.t, from.t, rounding(i), v);
  if (ptx_has(i, "sat") &&
      ww_type_bits(to.t) < ww_type_bits(from.t)) { /* clamp to the narrower range */
    unsigned w = ww_type_bits(to.t);
    int64_t lo = to.sign ? -(1ll << (w - 1)) : 0,
            hi = to.sign ? (1ll << (w - 1)) - 1 : (1ll << w) - 1;
    if (from.sign)
      v = low_binary(F, WW_OP_SMAX, from.t, v, low_const(F, from.t, lo));
    v = low_binary(F, from.sign ? WW_OP_SMIN : WW_OP_UMIN, from.t, v, low_const(F, from.t, hi));
  }
  return low_int_to(F, v, from.t, to.t, from.sign);
}

static bool op_cvt(ptx_ins *i, int x) {
  ptx_type to = ptx_nth_type(i, 0), from = ptx_nth_type(i, 1);
  low_fn *F = i->F;
  if (ptx_has(i, "tf32")) { /* 10 bits of mantissa stay */
    ww_val v = low_add_imm(F, read32(i, 1), WW_I32, 0x1000);
    write32(i, low_binary(F, WW_OP_AND, WW_I32, v, low_i32(F, 0xffffe000u)));
    return true;
  }
  if (from.t == WW_VOID)
    return false; /* fp8 and kin */
  if (to.pair) {
    ww_val v[2];
    if (i->narg < 3)
      return false;
    ptx_type one = {to.t, true, false};
    v[1] = convert(i, one, from, read_t(i, 1, from.t));
    v[0] = convert(i, one, from, read_t(i, 2, from.t));
    return write32(i, join_pair(F, to.t, v));
  }
  return write_t(i, convert(i, to, from, read_t(i, 1, from.t)), to);
}

static bool op_selp(ptx_ins *i, int x) {
  ptx_type t = ptx_nth_type(i, 0);
  return write_t(
      i, low_select(i->F, t.t, read_t(i, 3, WW_I1), read_t(i, 1, t.t), read_t(i, 2, t.t)), t);
}

static bool op_slct(ptx_ins *i, int x) { /* slct.t.s32 d, a, b, c: c >= 0 ? a : b */
  ptx_type t = ptx_nth_type(i, 0), ct = ptx_nth_type(i, 1);
  ww_val c = read_t(i, 3, ct.t),
         ge = ww_is_float(ct.t) ? low_cmp(i->F, WW_FOGE, ct.t, c, low_fconst(i->F, ct.t, 0))
                                : low_cmp(i->F, WW_SGE, ct.t, c, low_const(i->F, ct.t, 0));
  return write_t(i, low_select(i->F, t.t, ge, read_t(i, 1, t.t), read_t(i, 2, t.t)), t);
}

/* `d|p`: the name before the bar into `first`, the one behind it returned; NULL: there is none. */
static char *split_result(const ptx_ins *i, char first[PTX_NAME]) {
  snprintf(first, PTX_NAME, "%s", i->arg[0]);
  char *bar = strchr(first, '|');
  if (!bar)
    return NULL;
  *bar = 0;
  return bar + 1;
}

static int predicate_named(const char *s, ptx_type t) {
  static const struct {
    const char *name;
    int8_t s, u, f;
  } rows[] = {{"eq", WW_EQ, WW_EQ, WW_FOEQ},   {"ne", WW_NE, WW_NE, WW_FONE},
              {"lt", WW_SLT, WW_ULT, WW_FOLT}, {"le", WW_SLE, WW_ULE, WW_FOLE},
              {"gt", WW_SGT, WW_UGT, WW_FOGT}, {"ge", WW_SGE, WW_UGE, WW_FOGE},
              {"lo", WW_ULT, WW_ULT, -1},      {"ls", WW_ULE, WW_ULE, -1},
              {"hi", WW_UGT, WW_UGT, -1},      {"hs", WW_UGE, WW_UGE, -1},
              {"equ", -1, -1, WW_FUEQ},        {"neu", -1, -1, WW_FUNE},
              {"ltu", -1, -1, WW_FULT},        {"leu", -1, -1, WW_FULE},
              {"gtu", -1, -1, WW_FUGT},        {"geu", -1, -1, WW_FUGE},
              {"num", -1, -1, WW_FORD},        {"nan", -1, -1, WW_FUNO}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (!strcmp(rows[k].name, s))
      return ww_is_float(t.t) ? rows[k].f : t.sign ? rows[k].s : rows[k].u;
  return -1;
}

static bool op_setp(ptx_ins *i, int set) { /* set: the result is a value, not a predicate */
  low_fn *F = i->F;
  ptx_type t = ptx_nth_type(i, set ? 1 : 0),
           out = set ? ptx_nth_type(i, 0) : (ptx_type){WW_I1, false, false};
  int p = i->nop > 1 ? predicate_named(i->op[1], t) : -1;
  if (p < 0 || t.pair)
    return false;
  ww_val r = low_cmp(F, p, t.t, read_t(i, 1, t.t), read_t(i, 2, t.t));
  int combine = ptx_has(i, "and")   ? WW_OP_AND
                : ptx_has(i, "or")  ? WW_OP_OR
                : ptx_has(i, "xor") ? WW_OP_XOR
                                    : -1;
  ww_val c = combine >= 0 ? read_t(i, 3, WW_I1) : WW_NOVAL, r2 = WW_NOVAL;
  char first[PTX_NAME];
  char *predicate = split_result(i, first);
  if (predicate) {
    r2 = low_binary(F, WW_OP_XOR, WW_I1, r, low_const(F, WW_I1, 1));
    if (combine >= 0)
      r2 = low_binary(F, combine, WW_I1, r2, c);
  }
  if (combine >= 0)
    r = low_binary(F, combine, WW_I1, r, c);
  if (set)
    r = ww_is_float(out.t)
            ? low_select(F, out.t, r, low_fconst(F, out.t, 1), low_fconst(F, out.t, 0))
            : low_int_to(F, r, WW_I1, out.t, true);
  ptx_write(i, first, r, out.t, false);
  if (predicate)
    ptx_write(i, predicate, r2, WW_I1, false);
  return true;
}

static bool op_testp(ptx_ins *i, int x) {
  ptx_type t = ptx_nth_type(i, 0);
  low_fn *F = i->F;
  ww_val a = read_t(i, 1, t.t), m = low_unary(F, WW_OP_FABS, t.t, a),
         inf = low_fconst(F, t.t, INFINITY);
  ww_val r = ptx_has(i, "finite")       ? low_cmp(F, WW_FOLT, t.t, m, inf)
             : ptx_has(i, "infinite")   ? low_cmp(F, WW_FOEQ, t.t, m, inf)
             : ptx_has(i, "notanumber") ? low_cmp(F, WW_FUNO, t.t, a, a)
             : ptx_has(i, "number")     ? low_cmp(F, WW_FORD, t.t, a, a)
                                        : WW_NOVAL;
  if (r == WW_NOVAL)
    return false;
  return write_as(i, r, WW_I1);
}

/* ---- memory ---- */

static ww_space space_of(const ptx_ins *i) {
  static const char *const names[] = {"global", "shared", "const", "local", "param"};
  static const uint8_t spaces[] = {WW_GLOBAL, WW_SHARED, WW_CONST, WW_LOCAL, WW_PARAM};
  for (int k = 0; k < 5; k++)
    for (uint32_t m = 1; m < i->nop; m++)
      if (!strncmp(i->op[m], names[k], strlen(names[k])))
        return spaces[k];
  return WW_GENERIC;
}

static uint32_t vector_width(const ptx_ins *i) {
  return ptx_has(i, "v2") ? 2 : ptx_has(i, "v4") ? 4 : ptx_has(i, "v8") ? 8 : 1;
}

static int cache_flags(const ptx_ins *i) {
  int f = ptx_has(i, "volatile") || ptx_has(i, "relaxed") || ptx_has(i, "acquire") ||
                  ptx_has(i, "release") || ptx_has(i, "mmio")
              ? WW_F_VOLATILE
              : 0;
  if (ptx_has(i, "cg") || ptx_has(i, "cs") || ptx_has(i, "cv") || ptx_has(i, "wt") ||
      ptx_has(i, "lu"))
    f |= WW_F_NOCACHE;
  if (ptx_has(i, "nc"))
    f |= WW_F_READONLY;
  return f;
}

static bool op_ld(ptx_ins *i, int x) {
  ptx_type t = ptx_nth_type(i, 0);
  uint32_t n = vector_width(i);
  const char *part[8];
  low_comp c[8];
  ww_val v[8];
  if (t.t == WW_VOID || t.pair || i->narg < 2 || ptx_list(i, i->arg[0], part, 8) != n)
    return false;
  low_addr p = ptx_address(i, i->arg[1], space_of(i), n * ww_type_bytes[t.t]);
  p.flags = cache_flags(i);
  for (uint32_t k = 0; k < n; k++)
    c[k] = low_element(t.t, k);
  low_load(i->F, p, c, n, v);
  for (uint32_t k = 0; k < n; k++)
    ptx_write(i, part[k], v[k], t.t, t.sign);
  return true;
}

static bool op_st(ptx_ins *i, int x) {
  ptx_type t = ptx_nth_type(i, 0);
  uint32_t n = vector_width(i);
  const char *part[8];
  low_comp c[8];
  ww_val v[8];
  if (t.t == WW_VOID || t.pair || i->narg < 2 || ptx_list(i, i->arg[1], part, 8) != n)
    return false;
  low_addr p = ptx_address(i, i->arg[0], space_of(i), n * ww_type_bytes[t.t]);
  p.flags = cache_flags(i);
  for (uint32_t k = 0; k < n; k++) {
    v[k] = ptx_read(i, part[k], t.t);
    c[k] = low_element(t.t, k);
  }
  low_store(i->F, p, c, n, v);
  return true;
}

static int rmw_of(const ptx_ins *i, ptx_type t) {
  for (uint32_t k = 1; k < i->nop; k++) {
    int op = low_rmw_named(i->op[k], t.t, t.sign);
    if (op >= 0)
      return op;
  }
  return -1;
}

static bool op_atom(ptx_ins *i, int red) { /* red has no destination */
  ptx_type t = ptx_nth_type(i, 0);
  uint32_t at = red ? 0 : 1, n = vector_width(i) * (t.pair ? 2 : 1);
  ww_type whole = t.pair ? WW_I32 : t.t;
  if (t.t == WW_VOID || i->narg < at + 2)
    return false;
  low_addr p = ptx_address(i, i->arg[at], space_of(i), 16);
  if (ptx_has(i, "cas")) {
    write_t(i, low_cas(i->F, t.t, p, read_t(i, at + 1, t.t), read_t(i, at + 2, t.t)), t);
    return true;
  }
  int op = rmw_of(i, t);
  if (op < 0 || (n > 1 && !red))
    return false;
  if (n == 1) {
    ww_val old = low_atom(i->F, op, t.t, p, read_t(i, at + 1, t.t), !red);
    if (!red)
      write_t(i, old, t);
    return true;
  }
  const char *part[8];
  uint32_t k = ptx_list(i, i->arg[at + 1], part, 8);
  for (uint32_t e = 0; e < k; e++) { /* red.v2/.v4 and packed halves: element by element */
    ww_val w = ptx_read(i, part[e], whole), h[2] = {w, w};
    if (t.pair)
      split_pair(i->F, t.t, w, h);
    for (uint32_t q = 0; q < (t.pair ? 2u : 1u); q++) {
      low_atom(i->F, op, t.t, p, h[q], false);
      p.off += ww_type_bytes[t.t];
    }
  }
  return true;
}

/* cp.async.cg.shared.global [to], [from], bytes{, bytes read}; commit and wait do nothing */
static bool op_cp(ptx_ins *i, int x) {
  if (ptx_has(i, "commit_group") || ptx_has(i, "wait_group") || ptx_has(i, "wait_all"))
    return true;
  if (!ptx_has(i, "async") || ptx_has(i, "bulk") || ptx_has(i, "mbarrier") || i->narg < 3)
    return false;
  ww_val n = read32(i, 2);
  uint64_t bytes;
  if (!low_is_const(i->F, n, &bytes) || bytes > 16)
    return false;
  low_addr to = ptx_address(i, i->arg[0], WW_SHARED, bytes),
           from = ptx_address(i, i->arg[1], WW_GLOBAL, bytes);
  bool sized = i->narg > 3 && !ptx_has(i, "L2::cache_hint");
  if (sized)
    low_copy_or_zero(i->F, to, from, read32(i, 3), bytes);
  else
    low_copy(i->F, to, from, bytes);
  return true;
}

/* ---- warp and block ---- */

static bool op_shfl(ptx_ins *i, int x) {
  static const char *const modes[] = {"idx", "up", "down", "bfly"};
  low_fn *F = i->F;
  int mode = -1;
  for (int m = 0; m < 4; m++)
    if (ptx_has(i, modes[m]))
      mode = m;
  if (mode < 0 || i->narg < 4)
    return false;
  char d[PTX_NAME];
  char *predicate = split_result(i, d);
  ww_val a = read32(i, 1), b = read32(i, 2), c = read32(i, 3), r = low_new_val(F, WW_I32),
         p = predicate ? low_new_val(F, WW_I1) : WW_NOVAL;
  ww_ins *s = low_ins(F, WW_OP_SHFL, WW_I32);
  s->dst = r;
  s->n = s->nres = predicate ? 2 : 1;
  s->a = a;
  s->b = b;
  s->c = c;
  s->sub = mode;
  ptx_write(i, d, r, WW_I32, false);
  if (predicate)
    ptx_write(i, predicate, p, WW_I1, false);
  return true;
}

static bool op_vote(ptx_ins *i, int x) {
  int m = ptx_has(i, "ballot") ? WW_VOTE_BALLOT
          : ptx_has(i, "all")  ? WW_VOTE_ALL
          : ptx_has(i, "any")  ? WW_VOTE_ANY
          : ptx_has(i, "uni")  ? WW_VOTE_UNI
                               : -1;
  if (m < 0)
    return false;
  ww_type t = m == WW_VOTE_BALLOT ? WW_I32 : WW_I1;
  ww_val p = read_t(i, 1, WW_I1), mask = i->narg > 2 ? read32(i, 2) : WW_NOVAL;
  return write_as(i, low_vote(i->F, m, p, mask, t), t);
}

static bool op_match(ptx_ins *i, int x) {
  ptx_type t = ptx_nth_type(i, 0);
  low_fn *F = i->F;
  char d[PTX_NAME];
  char *predicate = split_result(i, d);
  ww_val out[2];
  low_match(F, read_t(i, 1, t.t), i->narg > 2 ? read32(i, 2) : WW_NOVAL, ptx_has(i, "all"), out);
  ptx_write(i, d, out[0], WW_I32, false);
  if (predicate)
    ptx_write(i, predicate, out[1], WW_I1, false);
  return true;
}

static bool op_redux(ptx_ins *i, int x) {
  ptx_type t = ptx_nth_type(i, 0);
  int op = rmw_of(i, t);
  if (op < 0 || ww_is_float(t.t))
    return false;
  return write32(i, low_opx(i->F, WW_OP_REDUX, WW_I32, op, 0, read32(i, 1), WW_NOVAL, WW_NOVAL));
}

static bool op_activemask(ptx_ins *i, int x) {
  return write32(i, low_op(i->F, WW_OP_ACTIVEMASK, WW_I32, WW_NOVAL, WW_NOVAL, WW_NOVAL));
}

static bool op_bar(ptx_ins *i, int x) {
  low_fn *F = i->F;
  uint64_t id = 0, count = 0;
  if (ptx_has(i, "warp")) {
    low_ins(F, WW_OP_SYNCWARP, WW_VOID);
    return true;
  }
  if (ptx_has(i, "arrive") || ptx_has(i, "cluster"))
    return false;
  int sub = !ptx_has(i, "red") ? 0 : ptx_has(i, "popc") ? 1 : ptx_has(i, "and") ? 2 : 3;
  uint32_t at = sub ? 1 : 0, npred = sub ? 1 : 0;
  if (i->narg > at && !low_is_const(F, read32(i, at), &id))
    return false;
  if (i->narg > at + 1 + npred && !low_is_const(F, read32(i, at + 1), &count))
    count = 0;
  ww_val a = sub ? read_t(i, i->narg - 1, WW_I1) : WW_NOVAL;
  ww_type t = sub == 0 ? WW_VOID : sub == 1 ? WW_I32 : WW_I1;
  ww_val r = sub ? low_new_val(F, t) : WW_NOVAL;
  ww_ins *b = low_ins(F, WW_OP_BAR, t);
  b->sub = sub;
  b->a = a;
  b->dst = r;
  b->nres = sub != 0;
  b->imm = id;
  b->ext = count;
  if (sub)
    write_as(i, r, t);
  return true;
}

static bool op_fence(ptx_ins *i, int x) {
  if (ptx_has(i, "proxy") || ptx_has(i, "mbarrier_init"))
    return true;
  low_ins(i->F, WW_OP_FENCE, WW_VOID)->sub = ptx_has(i, "cta") ? 0 : ptx_has(i, "sys") ? 2 : 1;
  return true;
}

static bool op_end(ptx_ins *i, int op) {
  low_ins(i->F, op, WW_VOID);
  return true;
}

static bool op_nothing(ptx_ins *i, int x) {
  return true;
}

static bool op_isspace(ptx_ins *i, int x) {
  return write_as(i, low_in_space(i->F, read_t(i, 1, WW_I64), space_of(i)), WW_I1);
}

static bool op_zero(ptx_ins *i, int x) { /* createpolicy and kin: the result only steers caches */
  write_as(i, low_const(i->F, WW_I64, 0), WW_I64);
  return true;
}

static bool op_mma(ptx_ins *i, int load) {
  return load ? ptx_ldmatrix(i) : ptx_mma(i);
}

/* ---- the table ---- */

typedef struct {
  const char *name;
  handler fn;
  int x;
  bool pure;
} ptx_row;
static const ptx_row rows[] = {{"mov", op_mov, 0, true},
                               {"cvt", op_cvt, 0, true},
                               {"cvta", op_mov, 0, true},
                               {"add", op_add, 0, true},
                               {"sub", op_add, 1, true},
                               {"addc", op_add, 2, true},
                               {"subc", op_add, 3, true},
                               {"mul", op_mul, 0, true},
                               {"mad", op_mad, 0, true},
                               {"madc", op_mad, 1, true},
                               {"fma", op_mad, 0, true},
                               {"mul24", op_mul24, 0, true},
                               {"mad24", op_mul24, 1, true},
                               {"sad", op_sad, 0, true},
                               {"div", op_arith, A_DIV, true},
                               {"rem", op_arith, A_REM, true},
                               {"min", op_arith, A_MIN, true},
                               {"max", op_arith, A_MAX, true},
                               {"and", op_arith, A_AND, true},
                               {"or", op_arith, A_OR, true},
                               {"xor", op_arith, A_XOR, true},
                               {"not", op_unary, WW_OP_XOR, true},
                               {"cnot", NULL, 0, true},
                               {"neg", op_unary, WW_OP_FNEG, true},
                               {"abs", op_unary, WW_OP_FABS, true},
                               {"shl", op_shift, 0, true},
                               {"shr", op_shift, 1, true},
                               {"shf", op_shf, 0, true},
                               {"lop3", op_lop3, 0, true},
                               {"bfe", op_bfe, 0, true},
                               {"bfi", op_bfi, 0, true},
                               {"prmt", op_prmt, 0, true},
                               {"popc", op_count, WW_OP_CTPOP, true},
                               {"clz", op_count, WW_OP_CTLZ, true},
                               {"brev", op_count, WW_OP_BREV, true},
                               {"bfind", op_bfind, 0, true},
                               {"dp4a", op_dp, WW_OP_DP4A, true},
                               {"dp2a", op_dp, WW_OP_DP2A, true},
                               {"selp", op_selp, 0, true},
                               {"slct", op_slct, 0, true},
                               {"setp", op_setp, 0, true},
                               {"set", op_setp, 1, true},
                               {"testp", op_testp, 0, true},
                               {"copysign", op_copysign, 0, true},
                               {"rcp", op_math, WW_MATH_RCP, true},
                               {"sqrt", op_math, WW_MATH_SQRT, true},
                               {"rsqrt", op_math, WW_MATH_RSQRT, true},
                               {"ex2", op_math, WW_MATH_EXP2, true},
                               {"lg2", op_math, WW_MATH_LOG2, true},
                               {"sin", op_math, WW_MATH_SIN, true},
                               {"cos", op_math, WW_MATH_COS, true},
                               {"tanh", op_math, WW_MATH_TANH, true},
                               {"ld", op_ld, 0, false},
                               {"ldu", op_ld, 0, false},
                               {"st", op_st, 0, false},
                               {"atom", op_atom, 0, false},
                               {"red", op_atom, 1, false},
                               {"cp", op_cp, 0, false},
                               {"shfl", op_shfl, 0, false},
                               {"vote", op_vote, 0, false},
                               {"match", op_match, 0, false},
                               {"redux", op_redux, 0, false},
                               {"activemask", op_activemask, 0, false},
                               {"bar", op_bar, 0, false},
                               {"barrier", op_bar, 0, false},
                               {"membar", op_fence, 0, false},
                               {"fence", op_fence, 0, false},
                               {"exit", op_end, WW_OP_EXIT, false},
                               {"trap", op_end, WW_OP_TRAP, false},
                               {"brkpt", op_nothing, 0, true},
                               {"nanosleep", op_nothing, 0, true},
                               {"prefetch", op_nothing, 0, true},
                               {"prefetchu", op_nothing, 0, true},
                               {"discard", op_nothing, 0, true},
                               {"applypriority", op_nothing, 0, true},
                               {"griddepcontrol", op_nothing, 0, true},
                               {"setmaxnreg", op_nothing, 0, true},
                               {"pmevent", op_nothing, 0, true},
                               {"mma", op_mma, 0, false},
                               {"ldmatrix", op_mma, 1, false},
                               {"createpolicy", op_zero, 0, true},
                               {"isspacep", op_isspace, 0, true}};

static const ptx_row *row_of(const ptx_ins *i) {
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (!strcmp(rows[k].name, i->op[0]))
      return rows[k].fn ? &rows[k] : NULL;
  return NULL;
}

bool ptx_execute(ptx_ins *i) {
  const ptx_row *r = row_of(i);
  return r &&
         (i->narg || r->fn == op_end || r->fn == op_nothing || r->fn == op_fence ||
          r->fn == op_cp || r->fn == op_bar) &&
         r->fn(i, r->x);
}

bool ptx_is_pure(const ptx_ins *i) {
  const ptx_row *r = row_of(i);
  return r && r->pure && !ptx_has(i, "cc") && i->op[0][strlen(i->op[0]) - 1] != 'c';
}
