/* translate_asm_ops.c - the PTX instructions that inline assembly uses, one function
 * per family and one table.
 *
 * Cache hints, scopes and orderings are accepted and dropped; cp.async copies are plain
 * copies, their waits nothing. What sm_90 adds is in translate_asm_async.c and
 * translate_asm_wgmma.c. */
#include "translate_asm.h"

#include <float.h>

typedef bool (*handler)(ptx_ins *i);

ww_val ptx_operand(ptx_ins *i, uint32_t k, ww_type t) {
  if (k < i->narg)
    return ptx_read(i, i->arg[k], t);
  ptx_refuse(i);
  return low_i32(i->F, 0);
}

static ww_val read_t(ptx_ins *i, uint32_t k, ww_type t) {
  return ptx_operand(i, k, t);
}

static ww_val read32(ptx_ins *i, uint32_t k) {
  return read_t(i, k, WW_I32);
}

static ww_val read_own(ptx_ins *i, uint32_t k) { /* of the instruction's own type */
  return read_t(i, k, i->type);
}

static ww_val own_op(ptx_ins *i, ww_op op, ww_val a, ww_val b) {
  return low_binary(i->F, op, i->type, a, b);
}

/* The result, by which a handler ends: true. */
static bool write_t(ptx_ins *i, ww_val v, ww_type t, bool sign) {
  ptx_write(i, i->arg[0], v, t, sign);
  return true;
}

static bool write_own(ptx_ins *i, ww_val v) {
  return write_t(i, v, i->type, i->sign);
}

static bool write_as(ptx_ins *i, ww_val v, ww_type t) {
  return write_t(i, v, t, false);
}

static bool write32(ptx_ins *i, ww_val v) {
  return write_as(i, v, WW_I32);
}

/* Whether it has one of the modifiers, which end with NULL. */
static bool has_any(const ptx_ins *i, const char *const *modifiers) {
  for (; *modifiers; modifiers++)
    if (ptx_has(i, *modifiers))
      return true;
  return false;
}

/* What the first modifier that is in the table stands for. */
static int by_modifier(const ptx_ins *i, const low_named *rows) {
  int value = -1;
  for (uint32_t k = 1; k < i->nop && value < 0; k++)
    value = low_value_named(rows, i->op[k], strlen(i->op[k]));
  return value;
}

static int rounding(const ptx_ins *i) {
  int round = by_modifier(i, low_rounds);
  return round < 0 ? WW_RN : round;
}

static int approx(const ptx_ins *i) {
  return ptx_has(i, "approx") || ptx_has(i, "full") ? WW_F_APPROX : 0;
}

/* Two halves of type t packed in 32 bits: taken apart and put together at no cost, as
 * the operations that need it work on both. */
static void split_pair(ptx_ins *i, ww_val packed, ww_val out[2]) {
  low_comp half[2];
  low_comp word = low_element(WW_I32, 0);
  low_elements(half, i->type, 2);
  if (ptx_halves(i->s, packed, i->type, out))
    return;
  uint32_t here = low_here(i->F);
  low_repack(i->F, &word, 1, &packed, half, 2, out);
  low_parts(i->F, here, WW_NOPS);
}

static ww_val join_pair(ptx_ins *i, ww_type t, const ww_val v[2]) {
  low_comp half[2];
  low_comp word = low_element(WW_I32, 0);
  ww_val packed;
  uint32_t here = low_here(i->F);
  low_repack(i->F, low_elements(half, t, 2), 2, v, &word, 1, &packed);
  low_parts(i->F, here, WW_NOPS);
  ptx_note_halves(i->s, packed, v);
  return packed;
}

/* Applies fn to both halves of packed operands, or once to plain ones. */
typedef ww_val (*scalar_fn)(ptx_ins *i, const ww_val *v);

static bool elementwise(ptx_ins *i, scalar_fn fn, uint32_t nsrc) {
  ww_val v[3];
  ww_val h[3][2];
  ww_val out[2];
  if (i->narg < nsrc + 1) {
    ptx_refuse(i);
    return true;
  }
  if (!i->pair) {
    for (uint32_t k = 0; k < nsrc; k++)
      v[k] = read_own(i, k + 1);
    return write_own(i, fn(i, v));
  }
  for (uint32_t k = 0; k < nsrc; k++)
    split_pair(i, read32(i, k + 1), h[k]);
  for (int e = 0; e < 2; e++) {
    for (uint32_t k = 0; k < nsrc; k++)
      v[k] = h[k][e];
    out[e] = fn(i, v);
  }
  return write32(i, join_pair(i, i->type, out));
}

static ww_val saturate(ptx_ins *i, ww_type t, ww_val v) {
  if (ptx_has(i, "relu"))
    return low_relu(i->F, t, v);
  return ptx_has(i, "sat") && ww_is_float(t) ? low_clamp01(i->F, t, v) : v;
}

/* ---- arithmetic ---- */

/* add.sat.s32 and sub.sat.s32 */
static ww_val saturated_sum(ptx_ins *i, ww_op op, const ww_val *v) {
  low_fn *F = i->F;
  ww_val r = low_op64(F, op, low_int_to(F, v[0], WW_I32, WW_I64, true),
                      low_int_to(F, v[1], WW_I32, WW_I64, true));
  r = low_op64k(F, WW_OP_SMIN, low_op64k(F, WW_OP_SMAX, r, INT32_MIN), INT32_MAX);
  return low_int_to(F, r, WW_I64, WW_I32, false);
}

static ww_val integer_arith(ptx_ins *i, ww_op op, const ww_val *v) {
  if (ptx_has(i, "sat") && i->type == WW_I32)
    return saturated_sum(i, op, v);
  ww_val r = own_op(i, op, v[0], v[1]);
  return ptx_has(i, "relu") ? own_op(i, WW_OP_SMAX, r, low_const(i->F, i->type, 0)) : r;
}

/* min.NaN, max.NaN: of a NaN, a NaN */
static ww_val or_nan(ptx_ins *i, const ww_val *v, ww_val r) {
  return low_select(i->F, i->type, low_cmp(i->F, WW_FUNO, i->type, v[0], v[1]),
                    low_fconst(i->F, i->type, NAN), r);
}

/* min.xorsign.abs: of the magnitudes; negative where one of the signs is */
static ww_val signed_by_both(ptx_ins *i, const ww_val *v, ww_val r) {
  low_fn *F = i->F;
  ww_type t = i->type;
  ww_type it = low_int_type(ww_type_bits(t));
  ww_val both =
      low_binary(F, WW_OP_XOR, it, low_bits(F, v[0], t, it), low_bits(F, v[1], t, it));
  ww_val sign = low_binaryk(F, WW_OP_AND, it, both, 1ull << (ww_type_bits(t) - 1));
  return low_bits(F, low_binary(F, WW_OP_OR, it, low_bits(F, r, t, it), sign), it, t);
}

static ww_val magnitudes(ptx_ins *i, ww_op op, const ww_val *v) {
  low_fn *F = i->F;
  uint32_t here = low_here(F);
  ww_val r = own_op(i, op, low_unary(F, WW_OP_FABS, i->type, v[0]),
                    low_unary(F, WW_OP_FABS, i->type, v[1]));
  r = signed_by_both(i, v, r);
  low_parts(F, here, WW_OP_FMAX); /* one instruction */
  return r;
}

static ww_val arith(ptx_ins *i, const ww_val *v) {
  int op = low_arith_named(i->op[0], i->type, i->sign);
  if (!ww_is_float(i->type))
    return integer_arith(i, op, v);
  bool extreme = op == WW_OP_FMIN || op == WW_OP_FMAX;
  int round = extreme ? 0 : rounding(i);
  int flags = op == WW_OP_FDIV ? approx(i) : 0;
  ww_val r = ptx_has(i, "xorsign")
                 ? magnitudes(i, op, v)
                 : low_opx(i->F, op, i->type, round, flags, v[0], v[1], WW_NOVAL);
  if (extreme && ptx_has(i, "NaN"))
    r = or_nan(i, v, r);
  return saturate(i, i->type, r);
}

static bool op_arith(ptx_ins *i) {
  return elementwise(i, arith, 2);
}

static ww_val
with_carry(ptx_ins *i, ww_type t, ww_val a, ww_val b, bool sub, bool use) {
  ww_val carry = use ? i->s->carry : WW_NOVAL;
  ww_val r = low_carry(i->F, t, sub, a, b, &carry);
  if (ptx_has(i, "cc"))
    i->s->carry = carry;
  return r;
}

/* add.cc addc[.cc] sub.cc subc; bit 0 of x: subtract, bit 1: uses the carry */
static bool op_add(ptx_ins *i) {
  bool sub = i->x & 1, use = i->x & 2;
  if (use || ptx_has(i, "cc"))
    return write_own(i,
                     with_carry(i, i->type, read_own(i, 1), read_own(i, 2), sub, use));
  return op_arith(i);
}

static ww_type product_type(const ptx_ins *i) {
  return !ptx_has(i, "wide") ? i->type : i->type == WW_I16 ? WW_I32 : WW_I64;
}

static ww_val multiply(ptx_ins *i, ww_val a, ww_val b) {
  ww_type t = i->type;
  ww_type w = product_type(i);
  ww_op op = !ptx_has(i, "hi") || w != t ? WW_OP_MUL
             : i->sign                   ? WW_OP_MULHS
                                         : WW_OP_MULHU;
  return low_binary(i->F, op, w, low_int_to(i->F, a, t, w, i->sign),
                    low_int_to(i->F, b, t, w, i->sign));
}

static bool op_mul(ptx_ins *i) {
  if (ww_is_float(i->type))
    return op_arith(i);
  return write_t(i, multiply(i, read_own(i, 1), read_own(i, 2)), product_type(i),
                 i->sign);
}

static ww_val fused(ptx_ins *i, const ww_val *v) {
  return saturate(i, i->type,
                  low_opx(i->F, WW_OP_FMA, i->type, rounding(i), 0, v[0], v[1], v[2]));
}

static bool op_mad(ptx_ins *i) { /* x: madc */
  if (ww_is_float(i->type))
    return elementwise(i, fused, 3);
  ww_type t = product_type(i);
  ww_val m = multiply(i, read_own(i, 1), read_own(i, 2));
  ww_val c = read_t(i, 3, t);
  if (ptx_has(i, "sat")) /* mad.hi.sat.s32 */
    return i->type == WW_I32 && i->sign &&
           write_own(i, saturated_sum(i, WW_OP_ADD, (ww_val[]){m, c}));
  m = i->x || ptx_has(i, "cc") ? with_carry(i, t, m, c, false, i->x)
                               : low_binary(i->F, WW_OP_ADD, t, m, c);
  return write_t(i, m, t, i->sign);
}

/* Of the product's 48 bits the upper 32. */
static ww_val high_of_48(low_fn *F, ww_val a, ww_val b, bool sign) {
  ww_val p = low_op64(F, WW_OP_MUL, low_int_to(F, a, WW_I32, WW_I64, sign),
                      low_int_to(F, b, WW_I32, WW_I64, sign));
  return low_int_to(F, low_op64k(F, WW_OP_LSHR, p, 16), WW_I64, WW_I32, false);
}

static bool op_mul24(ptx_ins *i) { /* x: adds */
  ww_val a = low_24(i->F, read32(i, 1), i->sign);
  ww_val b = low_24(i->F, read32(i, 2), i->sign);
  ww_val r = ptx_has(i, "hi") ? high_of_48(i->F, a, b, i->sign)
                              : low_op32(i->F, WW_OP_MUL, a, b);
  if (!i->x)
    return write_own(i, r);
  ww_val v[2] = {r, read32(i, 3)};
  return write_own(i, integer_arith(i, WW_OP_ADD, v));
}

static bool op_sad(ptx_ins *i) {
  return write_own(i, low_opx(i->F, WW_OP_SAD, i->type, i->sign, 0, read_own(i, 1),
                              read_own(i, 2), read_own(i, 3)));
}

static ww_val unary(ptx_ins *i, const ww_val *v) {
  low_fn *F = i->F;
  ww_type t = i->type;
  if (i->x == WW_OP_FNEG)
    return ww_is_float(t) ? low_unary(F, WW_OP_FNEG, t, v[0])
                          : own_op(i, WW_OP_SUB, low_const(F, t, 0), v[0]);
  if (i->x == WW_OP_FABS)
    return low_unary(F, ww_is_float(t) ? WW_OP_FABS : WW_OP_IABS, t, v[0]);
  if (i->x == WW_OP_ICMP) /* cnot */
    return low_int_to(F, low_cmpk(F, WW_EQ, t, v[0], 0), WW_I1, t, false);
  return low_binaryk(F, WW_OP_XOR, t, v[0], ~0ull); /* not */
}

static bool op_unary(ptx_ins *i) {
  return elementwise(i, unary, 1);
}

static ww_val math1(ptx_ins *i, const ww_val *v) {
  ww_val r = low_math1(i->F, i->x, i->type, approx(i), v[0]);
  low_math_round(i->F, i->x, rounding(i));
  return r;
}

static bool op_math(ptx_ins *i) {
  return elementwise(i, math1, 1);
}

/* copysign d, a, b puts a's sign on b */
static ww_val copysign2(ptx_ins *i, const ww_val *v) {
  return low_math(i->F, WW_MATH_COPYSIGN, i->type, 0, v[1], v[0], WW_NOVAL);
}

static bool op_copysign(ptx_ins *i) {
  return elementwise(i, copysign2, 2);
}

/* ---- bits ---- */

static bool op_shift(ptx_ins *i) {
  ww_op right = i->sign ? WW_OP_ASHR : WW_OP_LSHR;
  return write_own(i, low_binary(i->F, i->x ? right : WW_OP_SHL, i->type,
                                 read_own(i, 1), read32(i, 2)));
}

static bool op_shf(ptx_ins *i) { /* shf.l d, lo, hi, n */
  low_fn *F = i->F;
  bool left = ptx_has(i, "l");
  ww_val lo = read32(i, 1);
  ww_val hi = read32(i, 2);
  ww_val n = read32(i, 3);
  ww_val r = low_op(F, left ? WW_OP_FSHL : WW_OP_FSHR, WW_I32, hi, lo, n);
  if (ptx_has(i, "clamp"))
    r = low_select(F, WW_I32, low_cmpk(F, WW_UGE, WW_I32, n, 32), left ? lo : hi, r);
  return write32(i, r);
}

/* Any function of three bits as the sum of its minterms; bit 2 of a minterm's number is
 * v[0], bit 0 is v[2]. */
static ww_val minterms(low_fn *F, const ww_val *v, uint32_t lut) {
  ww_val sum = low_i32(F, 0);
  ww_val ones = low_i32(F, ~0u);
  for (uint32_t m = 0; m < 8; m++) {
    ww_val term = WW_NOVAL;
    if (!(lut >> m & 1))
      continue;
    for (int k = 0; k < 3; k++) {
      ww_val b = m >> (2 - k) & 1 ? v[k] : low_op32(F, WW_OP_XOR, v[k], ones);
      term = k ? low_op32(F, WW_OP_AND, term, b) : b;
    }
    sum = low_op32(F, WW_OP_OR, sum, term);
  }
  return sum;
}

/* lop3.b32 d, a, b, c, lut, or lop3.or.b32 d|p, a, b, c, lut, q: p is whether any bit
 * of d is set, or q */
static bool write_lop3(ptx_ins *i, ww_val v) {
  low_fn *F = i->F;
  if (i->narg < 6)
    return i->nop == 2 && write32(i, v);
  ww_op op = ptx_has(i, "or") ? WW_OP_OR : WW_OP_AND;
  ww_val any = low_cmpk(F, WW_NE, WW_I32, v, 0);
  ptx_write_results(i, v, WW_I32, low_binary(F, op, WW_I1, any, read_t(i, 5, WW_I1)));
  return i->nop == 3;
}

static bool op_lop3(ptx_ins *i) {
  static const struct {
    uint8_t lut, op1, op2;
  } known[] = {{0x96, WW_OP_XOR, WW_OP_XOR}, {0x80, WW_OP_AND, WW_OP_AND},
               {0xfe, WW_OP_OR, WW_OP_OR},   {0xea, WW_OP_AND, WW_OP_OR},
               {0x6a, WW_OP_AND, WW_OP_XOR}, {0xa8, WW_OP_OR, WW_OP_AND}};
  low_fn *F = i->F;
  uint64_t lut;
  ww_val v[3] = {read32(i, 1), read32(i, 2), read32(i, 3)};
  if (i->narg < 5 || !low_is_const(F, read32(i, 4), &lut))
    return false;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (known[k].lut == lut)
      return write_lop3(
          i, low_op32(F, known[k].op2, low_op32(F, known[k].op1, v[0], v[1]), v[2]));
  return write_lop3(i, minterms(F, v, lut));
}

static bool op_bfe(ptx_ins *i) {
  return write_own(i, low_op(i->F, i->sign ? WW_OP_BFES : WW_OP_BFEU, i->type,
                             read_own(i, 1), read32(i, 2), read32(i, 3)));
}

static bool op_bfi(ptx_ins *i) { /* bfi d, a, b, pos, len: a's low bits into b */
  ww_type t = i->type;
  low_fn *F = i->F;
  ww_val a = read_own(i, 1);
  ww_val b = read_own(i, 2);
  ww_val pos = read32(i, 3);
  ww_val len = read32(i, 4);
  ww_val one = low_const(F, t, 1);
  ww_val ones = low_binary(F, WW_OP_SUB, t, low_binary(F, WW_OP_SHL, t, one, len), one);
  ww_val mask = low_binary(F, WW_OP_SHL, t, ones, pos);
  ww_val in = low_binary(F, WW_OP_AND, t, low_binary(F, WW_OP_SHL, t, a, pos), mask);
  ww_val keep =
      low_binary(F, WW_OP_AND, t, b, low_binaryk(F, WW_OP_XOR, t, mask, ~0ull));
  return write_own(i, low_binary(F, WW_OP_OR, t, in, keep));
}

static bool op_count(ptx_ins *i) { /* popc, clz, brev: result 32 bits but brev's */
  ww_val v = low_unary(i->F, i->x, i->type, read_own(i, 1));
  return i->x == WW_OP_BREV ? write_own(i, v)
                            : write32(i, low_int_to(i->F, v, i->type, WW_I32, false));
}

/* highest set bit (of the complement, when negative), -1: none */
static bool op_bfind(ptx_ins *i) {
  ww_type t = i->type;
  low_fn *F = i->F;
  ww_val v = read_own(i, 1);
  ww_val top = low_const(F, t, ww_type_bits(t) - 1);
  if (i->sign)
    v = own_op(i, WW_OP_XOR, v, own_op(i, WW_OP_ASHR, v, top));
  ww_val z = low_unary(F, WW_OP_CTLZ, t, v);
  ww_val r = ptx_has(i, "shiftamt") ? low_select(F, t, low_cmpk(F, WW_EQ, t, v, 0),
                                                 low_const(F, t, ~0ull), z)
                                    : own_op(i, WW_OP_SUB, top, z);
  return write_t(i, low_int_to(F, r, t, WW_I32, true), WW_I32, true);
}

static bool op_dp(ptx_ins *i) {
  int sub = i->sign | ptx_nth_type(i, 1).sign << 1 | (ptx_has(i, "hi") ? 4 : 0);
  return write32(
      i, low_opx(i->F, i->x, WW_I32, sub, 0, read32(i, 1), read32(i, 2), read32(i, 3)));
}

/* ---- moves, conversions, selection ---- */

/* mov.b128 {lo, hi}, {lo, hi} */
static bool move_128(ptx_ins *i) {
  const char *to[3];
  const char *from[3];
  ww_val v[2];
  if (i->narg != 2 || ptx_list(i, i->arg[0], to, 3) != 2 ||
      ptx_list(i, i->arg[1], from, 3) != 2)
    return false;
  for (int k = 0; k < 2; k++)
    v[k] = ptx_read(i, from[k], WW_I64);
  for (int k = 0; k < 2; k++)
    ptx_write(i, to[k], v[k], WW_I64, false);
  return true;
}

static bool op_mov(ptx_ins *i) {
  if (ptx_has(i, "b128"))
    return move_128(i);
  ww_type w = i->pair ? WW_I32 : i->type;
  uint32_t to = ptx_find_reg(i->s, i->arg[0]);
  uint32_t from = i->narg > 1 ? ptx_find_reg(i->s, i->arg[1]) : PTX_NOREG;
  if (to == PTX_NOREG || from == PTX_NOREG ||
      i->s->regs.v[to].declared != i->s->regs.v[from].declared)
    return write_as(i, read_t(i, 1, w), w);
  ww_val v = ptx_get(i->s, from, &w); /* as what it is */
  return write_as(i, v, w);
}

/* To what the other type can hold. */
static ww_val clamp_integer(low_fn *F, ww_val v, ptx_type from, ptx_type to) {
  unsigned have = ww_type_bits(from.t) - from.sign;
  unsigned most = ww_type_bits(to.t) - to.sign;
  if (from.sign && !to.sign)
    v = low_binaryk(F, WW_OP_SMAX, from.t, v, 0);
  if (have <= most)
    return v;
  int64_t hi = (int64_t)((1ull << most) - 1);
  if (from.sign && to.sign)
    v = low_binaryk(F, WW_OP_SMAX, from.t, v, -hi - 1);
  return low_binaryk(F, from.sign ? WW_OP_SMIN : WW_OP_UMIN, from.t, v, hi);
}

/* What would be infinite in the other type is its greatest number. */
static ww_val not_beyond(low_fn *F, ww_val v, ww_type from, ww_type to) {
  uint32_t here = low_here(F);
  ww_val most = low_fconst(F, from, to == WW_F16 ? 65504 : 0x1.fep127);
  ww_val over = low_cmp(F, WW_FOGT, from, low_unary(F, WW_OP_FABS, from, v), most);
  most = low_math(F, WW_MATH_COPYSIGN, from, 0, most, v, WW_NOVAL);
  v = low_select(F, from, over, most, v);
  low_parts(F, here, WW_NOPS);
  return v;
}

static ww_val convert(ptx_ins *i, ptx_type to, ptx_type from, ww_val v) {
  static const low_named wholes[] = {{"rni", WW_MATH_RINT},
                                     {"rzi", WW_MATH_TRUNC},
                                     {"rmi", WW_MATH_FLOOR},
                                     {"rpi", WW_MATH_CEIL},
                                     {NULL, -1}};
  low_fn *F = i->F;
  bool from_float = ww_is_float(from.t), to_float = ww_is_float(to.t);
  int whole = from_float && to_float ? by_modifier(i, wholes) : -1;
  if (whole >= 0)
    v = low_math1(F, whole, from.t, 0, v);
  if (!from_float && !to_float && ptx_has(i, "sat"))
    v = clamp_integer(F, v, from, to);
  if (from_float && to_float && ptx_has(i, "satfinite"))
    v = not_beyond(F, v, from.t, to.t);
  v = low_convert(F, v, from.t, to.t, whole >= 0 ? WW_RN : rounding(i),
                  from_float ? to.sign : from.sign);
  uint32_t here = low_here(F);
  if (!from_float || !to_float)
    return v;
  v = saturate(i, to.t, v);
  low_parts(F, here, WW_OP_FMAX); /* one instruction */
  return v;
}

/* Two 8-bit floats in 16 bits, of two f32 or one f16x2 (then rounded to what they can
 * hold), and back to an f16x2. One instruction. */
static bool cvt_fp8(ptx_ins *i) {
  ww_type small = ptx_has(i, "e4m3x2") ? WW_E4M3 : WW_E5M2;
  low_fn *F = i->F;
  low_comp bytes[2];
  low_comp word = low_element(WW_I16, 0);
  bool widens = !ptx_has(i, "satfinite");
  ww_type other = i->type;
  uint32_t here = low_here(F);
  ww_val v[2];
  ww_val packed;
  low_elements(bytes, WW_I8, 2);
  if (i->narg != (other == WW_F32 ? 3 : 2) || (other != WW_F32 && other != WW_F16) ||
      (other == WW_F32 && widens))
    return false;
  if (widens) {
    packed = read_t(i, 1, WW_I16);
    low_repack(F, &word, 1, &packed, bytes, 2, v);
  } else if (other == WW_F16)
    split_pair(i, read32(i, 1), v);
  else {
    v[1] = read_t(i, 1, WW_F32);
    v[0] = read_t(i, 2, WW_F32);
  }
  for (int k = 0; k < 2; k++) {
    if (widens)
      v[k] = saturate(
          i, other,
          low_convert(F, low_bits(F, v[k], WW_I8, small), small, other, WW_RN, false));
    else
      v[k] = low_bits(
          F, low_convert(F, saturate(i, other, v[k]), other, small, WW_RN, false),
          small, WW_I8);
  }
  if (!widens)
    low_repack(F, bytes, 2, v, &word, 1, &packed);
  low_parts(F, here, WW_OP_FCVT);
  return widens ? write32(i, join_pair(i, other, v)) : write_as(i, packed, WW_I16);
}

/* Of a float's mantissa 10 bits stay. */
static bool cvt_tf32(ptx_ins *i) {
  enum { MANTISSA = 0xffffe000, GREATEST = 0x7f7fe000, NOT_A_NUMBER = 0x7fffffff };
  low_fn *F = i->F;
  ww_val v = read32(i, 1);
  uint32_t here = low_here(F);
  ww_val more = low_i32(F, ptx_has(i, "rz") ? 0 : 0x1000);
  if (ptx_has(i, "rn")) /* to the even one */
    more = low_op32k(F, WW_OP_ADD,
                     low_op(F, WW_OP_BFEU, WW_I32, v, low_i32(F, 13), low_i32(F, 1)),
                     0xfff);
  low_parts(F, here, WW_NOPS);
  ww_val r = low_op32k(F, WW_OP_AND, low_op32(F, WW_OP_ADD, v, more), MANTISSA);
  here = low_here(F);
  ww_val size = low_op32k(F, WW_OP_AND, v, 0x7fffffff);
  if (ptx_has(i, "satfinite")) {
    ww_val most =
        low_op32k(F, WW_OP_OR, low_op32k(F, WW_OP_AND, v, 0x80000000u), GREATEST);
    r = low_select(F, WW_I32, low_cmpk(F, WW_UGT, WW_I32, size, GREATEST + 0xfff), most,
                   r);
  }
  if (ptx_has(i, "relu"))
    r = low_op32k(F, WW_OP_SMAX, r, 0);
  r = low_select(F, WW_I32, low_cmpk(F, WW_UGT, WW_I32, size, 0x7f800000),
                 low_i32(F, NOT_A_NUMBER), r);
  low_parts(F, here, WW_NOPS);
  return write32(i, r);
}

static bool op_cvt(ptx_ins *i) {
  if (ptx_has(i, "pack"))
    return ptx_cvt_pack(i);
  if (ptx_has(i, "e4m3x2") || ptx_has(i, "e5m2x2"))
    return cvt_fp8(i);
  ptx_type from = ptx_nth_type(i, 1);
  ptx_type to = ptx_nth_type(i, 0);
  if (ptx_has(i, "tf32"))
    return cvt_tf32(i);
  if (from.t == WW_VOID)
    return false; /* smaller floats */
  if (to.pair) {
    ww_val v[2];
    if (i->narg < 3)
      return false;
    uint32_t here = low_here(i->F);
    v[1] = convert(i, to, from, read_t(i, 1, from.t));
    v[0] = convert(i, to, from, read_t(i, 2, from.t));
    low_parts(i->F, here, WW_OP_FCVT); /* one instruction */
    return write32(i, join_pair(i, to.t, v));
  }
  return write_own(i, convert(i, to, from, read_t(i, 1, from.t)));
}

static bool op_selp(ptx_ins *i) {
  return write_own(i, low_select(i->F, i->type, read_t(i, 3, WW_I1), read_own(i, 1),
                                 read_own(i, 2)));
}

static bool op_slct(ptx_ins *i) { /* slct.t.s32 d, a, b, c: c >= 0 ? a : b */
  ww_type t = ptx_nth_type(i, 1).t;
  ww_val c = read_t(i, 3, t);
  /* 0.0 is the same bits */
  ww_val ge = low_cmpk(i->F, ww_is_float(t) ? WW_FOGE : WW_SGE, t, c, 0);
  return write_own(i, low_select(i->F, i->type, ge, read_own(i, 1), read_own(i, 2)));
}

void ptx_write_results(ptx_ins *i, ww_val v, ww_type t, ww_val p) {
  char *first = ww_strdup(i->F->a, i->arg[0]);
  char *bar = strchr(first, '|');
  if (bar)
    *bar = 0;
  ptx_write(i, first, v, t, false);
  if (bar)
    ptx_write(i, bar + 1, p, WW_I1, false);
}

static bool has_predicate(const ptx_ins *i) {
  return strchr(i->arg[0], '|');
}

static int predicate_named(const char *s, ptx_type t) {
  static const low_kinds rows[] = {{"eq", WW_EQ, WW_EQ, WW_FOEQ},
                                   {"ne", WW_NE, WW_NE, WW_FONE},
                                   {"lt", WW_SLT, WW_ULT, WW_FOLT},
                                   {"le", WW_SLE, WW_ULE, WW_FOLE},
                                   {"gt", WW_SGT, WW_UGT, WW_FOGT},
                                   {"ge", WW_SGE, WW_UGE, WW_FOGE},
                                   {"lo", WW_ULT, WW_ULT, -1},
                                   {"ls", WW_ULE, WW_ULE, -1},
                                   {"hi", WW_UGT, WW_UGT, -1},
                                   {"hs", WW_UGE, WW_UGE, -1},
                                   {"equ", -1, -1, WW_FUEQ},
                                   {"neu", -1, -1, WW_FUNE},
                                   {"ltu", -1, -1, WW_FULT},
                                   {"leu", -1, -1, WW_FULE},
                                   {"gtu", -1, -1, WW_FUGT},
                                   {"geu", -1, -1, WW_FUGE},
                                   {"num", -1, -1, WW_FORD},
                                   {"nan", -1, -1, WW_FUNO},
                                   {NULL, -1, -1, -1}};
  return low_pick(rows, s, t.t, t.sign);
}

/* A value that stands for true or false: all ones, or 1. */
static ww_val as_value(low_fn *F, ww_type t, ww_val p) {
  return ww_is_float(t) ? low_select(F, t, p, low_fconst(F, t, 1), low_fconst(F, t, 0))
                        : low_int_to(F, p, WW_I1, t, true);
}

/* Of packed halves: setp.f16x2 p|q, and set.f16x2.f16x2 or set.u32.f16x2 (x). */
static bool
compare_pairs(ptx_ins *i, ww_cmp how, ptx_type of, ptx_type to, int combine) {
  low_fn *F = i->F;
  ww_val a[2];
  ww_val b[2];
  ww_val r[2];
  ww_type t = to.pair ? to.t : WW_I16;
  i->type = of.t;
  split_pair(i, read32(i, 1), a);
  split_pair(i, read32(i, 2), b);
  for (int k = 0; k < 2; k++)
    r[k] = low_cmp(F, how, of.t, a[k], b[k]);
  ww_val c = combine >= 0 ? read_t(i, 3, WW_I1) : WW_NOVAL;
  for (int k = 0; k < 2 && combine >= 0; k++)
    r[k] = low_binary(F, combine, WW_I1, r[k], c);
  if (!i->x) {
    ptx_write_results(i, r[0], WW_I1, r[1]);
    return true;
  }
  for (int k = 0; k < 2; k++)
    r[k] = as_value(F, t, r[k]);
  return write32(i, join_pair(i, t, r));
}

static bool op_setp(ptx_ins *i) { /* x: the result is a value, not a predicate */
  static const low_named combines[] = {
      {"and", WW_OP_AND}, {"or", WW_OP_OR}, {"xor", WW_OP_XOR}, {NULL, -1}};
  low_fn *F = i->F;
  ptx_type t = ptx_nth_type(i, i->x);
  ww_type out = i->x ? i->type : WW_I1;
  int p = i->nop > 1 ? predicate_named(i->op[1], t) : -1;
  int combine = by_modifier(i, combines);
  if (p < 0)
    return false;
  if (t.pair)
    return compare_pairs(i, p, t, ptx_nth_type(i, 0), combine);
  ww_val r = low_cmp(F, p, t.t, read_t(i, 1, t.t), read_t(i, 2, t.t));
  ww_val c = combine >= 0 ? read_t(i, 3, WW_I1) : WW_NOVAL;
  ww_val r2 = has_predicate(i) ? low_not(F, r) : WW_NOVAL;
  if (r2 != WW_NOVAL && combine >= 0)
    r2 = low_binary(F, combine, WW_I1, r2, c);
  if (combine >= 0)
    r = low_binary(F, combine, WW_I1, r, c);
  if (i->x)
    r = as_value(F, out, r);
  ptx_write_results(i, r, out, r2);
  return true;
}

/* testp.normal, which zero is, and testp.subnormal */
static bool test_normal(ptx_ins *i, ww_val a) {
  low_fn *F = i->F;
  ww_type t = i->type;
  ww_val m = low_unary(F, WW_OP_FABS, t, a);
  ww_val least = low_fconst(F, t, t == WW_F32 ? FLT_MIN : DBL_MIN);
  bool normal = ptx_has(i, "normal");
  ww_val zero = low_cmp(F, normal ? WW_FOEQ : WW_FONE, t, m, low_fconst(F, t, 0));
  ww_val r = low_cmp(F, normal ? WW_FOGE : WW_FOLT, t, m, least);
  if (normal)
    r = low_binary(F, WW_OP_AND, WW_I1, r,
                   low_cmp(F, WW_FOLT, t, m, low_fconst(F, t, INFINITY)));
  r = low_binary(F, normal ? WW_OP_OR : WW_OP_AND, WW_I1, r, zero);
  return (normal || ptx_has(i, "subnormal")) && write_as(i, r, WW_I1);
}

static bool op_testp(ptx_ins *i) {
  static const low_named tests[] = {{"finite", WW_FOLT},
                                    {"infinite", WW_FOEQ},
                                    {"notanumber", WW_FUNO},
                                    {"number", WW_FORD},
                                    {NULL, -1}};
  ww_type t = i->type;
  int p = by_modifier(i, tests);
  ww_val a = read_own(i, 1);
  if (p < 0)
    return test_normal(i, a);
  ww_val m = low_unary(i->F, WW_OP_FABS, t, a);
  ww_val inf = low_fconst(i->F, t, INFINITY);
  bool nan = p == WW_FUNO || p == WW_FORD;
  return write_as(i, low_cmp(i->F, p, t, nan ? a : m, nan ? a : inf), WW_I1);
}

/* ---- memory ---- */

ww_space ptx_space(const ptx_ins *i) {
  for (int s = WW_GENERIC + 1; s < WW_NSPACES; s++)
    for (uint32_t m = 1; m < i->nop; m++)
      if (ww_starts(i->op[m], ww_space_names[s]))
        return s;
  return WW_GENERIC;
}

static uint32_t vector_width(const ptx_ins *i) {
  return ptx_has(i, "v2") ? 2 : ptx_has(i, "v4") ? 4 : ptx_has(i, "v8") ? 8 : 1;
}

static int cache_flags(const ptx_ins *i) {
  static const char *const ordered[] = {"volatile", "relaxed", "acquire",
                                        "release",  "mmio",    NULL};
  static const char *const uncached[] = {"cg", "cs", "cv", "wt", "lu", NULL};
  return (has_any(i, ordered) ? WW_F_VOLATILE : 0) |
         (has_any(i, uncached) ? WW_F_NOCACHE : 0) |
         (ptx_has(i, "nc") ? WW_F_READONLY : 0);
}

/* ld d, [p] and st [p], d (x) */
static bool op_access(ptx_ins *i) {
  bool wide = ptx_has(i, "b128");
  ww_type t = wide ? WW_I64 : i->type;
  uint32_t n = wide ? 2 : vector_width(i);
  uint32_t value = i->x;
  uint32_t address = !i->x;
  const char *part[8];
  low_comp c[8];
  ww_val v[8];
  if (t == WW_VOID || i->pair || i->narg < 2 ||
      ptx_list(i, i->arg[value], part, 8) != n)
    return false;
  low_addr p = ptx_address(i, i->arg[address], ptx_space(i), n * ww_type_bytes[t]);
  p.flags = cache_flags(i);
  if (ptx_untyped(i))
    t = ptx_natural(i, part, n, t);
  low_elements(c, t, n);
  if (!i->x)
    low_load(i->F, p, c, n, v);
  for (uint32_t k = 0; k < n; k++)
    if (i->x)
      v[k] = ptx_read(i, part[k], t);
    else
      ptx_write(i, part[k], v[k], t, i->sign);
  if (i->x)
    low_store(i->F, p, c, n, v);
  return !ptx_has(i, "async") || ptx_complete(i, n * ww_type_bytes[t]);
}

static int rmw_of(const ptx_ins *i) {
  int op = -1;
  for (uint32_t k = 1; k < i->nop && op < 0; k++)
    op = low_rmw_named(i->op[k], i->type, i->sign);
  return op;
}

/* red.v4.f32, atom.add.f16x2: element by element, at the price of one */
static bool atom_elements(ptx_ins *i, ww_rmw op, low_addr p, bool red) {
  const char *part[8];
  const char *to[8];
  ww_type t = i->type;
  uint32_t each = i->pair ? 2 : 1;
  uint32_t n = ptx_list(i, i->arg[!red + 1], part, 8);
  ww_val old[8][2];
  if (n != vector_width(i) || (!red && ptx_list(i, i->arg[0], to, 8) != n))
    return false;
  ww_val new[8][2];
  for (uint32_t e = 0; e < n; e++) {
    new[e][0] = ptx_read(i, part[e], i->pair ? WW_I32 : t);
    if (i->pair)
      split_pair(i, new[e][0], new[e]);
  }
  uint32_t here = low_here(i->F);
  for (uint32_t e = 0; e < n * each; e++, p.off += ww_type_bytes[t])
    old[e / each][e % each] = low_atom(i->F, op, t, p, new[e / each][e % each], !red);
  low_parts(i->F, here, WW_OP_ATOM);
  for (uint32_t e = 0; e < n && !red; e++)
    ptx_write(i, to[e], i->pair ? join_pair(i, t, old[e]) : old[e][0],
              i->pair ? WW_I32 : t, false);
  return true;
}

static bool op_atom(ptx_ins *i) { /* x: red, which has no destination */
  ww_type t = i->type;
  bool red = i->x;
  uint32_t at = !red;
  if (t == WW_VOID || i->narg < at + 2)
    return false;
  low_addr p = ptx_address(i, i->arg[at], ptx_space(i), 16);
  if (ptx_has(i, "cas"))
    return !i->pair && vector_width(i) == 1 &&
           write_own(i, low_cas(i->F, t, p, read_own(i, at + 1), read_own(i, at + 2)));
  int op = rmw_of(i);
  if (op < 0)
    return false;
  if (i->pair || vector_width(i) > 1)
    return atom_elements(i, op, p, red);
  ww_val old = low_atom(i->F, op, t, p, read_own(i, at + 1), !red);
  if (ptx_has(i, "async"))
    return ptx_complete(i, ww_type_bytes[t]);
  return red || write_own(i, old);
}

/* What cp.async reads: so many bytes, or, where a predicate says that the source is to
 * be ignored, none. */
static ww_val bytes_read(ptx_ins *i, uint32_t bytes) {
  uint32_t reg = ptx_find_reg(i->s, i->arg[3] + (*i->arg[3] == '!'));
  if (reg == PTX_NOREG || i->s->regs.v[reg].declared != WW_I1)
    return read32(i, 3);
  return low_select(i->F, WW_I32, read_t(i, 3, WW_I1), low_i32(i->F, 0),
                    low_i32(i->F, bytes));
}

/* cp.async.cg.shared.global [to], [from], bytes{, bytes read}{, policy} */
static bool op_cp(ptx_ins *i) {
  uint64_t left = 0;
  if (ptx_has(i, "reduce"))
    return ptx_reduce_bulk(i);
  if (ptx_has(i, "bulk") || ptx_has(i, "mbarrier"))
    return ptx_bulk(i);
  if (ptx_has(i, "commit_group") || ptx_has(i, "wait_all"))
    low_group(i->F, WW_GROUP_COPY_COMMIT, 0);
  if (ptx_has(i, "wait_group") && !low_is_const(i->F, read32(i, 0), &left))
    return false;
  if (ptx_has(i, "wait_group") || ptx_has(i, "wait_all"))
    low_group(i->F, WW_GROUP_COPY_WAIT, left);
  if (ptx_has(i, "commit_group") || ptx_has(i, "wait_group") || ptx_has(i, "wait_all"))
    return true;
  if (!ptx_has(i, "async") || i->narg < 3)
    return false;
  uint64_t bytes;
  if (!low_is_const(i->F, read32(i, 2), &bytes) || bytes > 16)
    return false;
  low_addr to = ptx_address(i, i->arg[0], WW_SHARED, bytes);
  low_addr from = ptx_address(i, i->arg[1], WW_GLOBAL, bytes);
  if (i->narg - ptx_has(i, "L2::cache_hint") > 3)
    low_copy_or_zero(i->F, to, from, bytes_read(i, bytes), bytes);
  else
    low_copy_async(i->F, to, from, bytes);
  return true;
}

/* ---- warp and block ---- */

static bool op_shfl(ptx_ins *i) {
  int mode = by_modifier(i, low_shuffles);
  if (mode < 0 || i->narg < 4)
    return false;
  ww_val in[3] = {read32(i, 1), read32(i, 2), read32(i, 3)};
  ww_val out[2];
  low_shfl(i->F, mode, WW_I32, in, has_predicate(i), out);
  ptx_write_results(i, out[0], WW_I32, out[1]);
  return true;
}

static bool op_vote(ptx_ins *i) {
  int m = by_modifier(i, low_votes);
  if (m < 0)
    return false;
  ww_type t = m == WW_VOTE_BALLOT ? WW_I32 : WW_I1;
  ww_val p = read_t(i, 1, WW_I1);
  ww_val mask = i->narg > 2 ? read32(i, 2) : WW_NOVAL;
  return write_as(i, low_vote(i->F, m, p, mask, t), t);
}

static bool op_match(ptx_ins *i) {
  ww_val out[2];
  low_match(i->F, read_own(i, 1), i->narg > 2 ? read32(i, 2) : WW_NOVAL,
            ptx_has(i, "all"), out);
  ptx_write_results(i, out[0], WW_I32, out[1]);
  return true;
}

static bool op_redux(ptx_ins *i) {
  int op = rmw_of(i);
  return op >= 0 && !ww_is_float(i->type) &&
         write32(i, low_opx(i->F, WW_OP_REDUX, WW_I32, op, 0, read32(i, 1),
                            read32(i, 2), WW_NOVAL));
}

static bool op_activemask(ptx_ins *i) {
  return write32(i, low_nullary(i->F, WW_OP_ACTIVEMASK, WW_I32));
}

static bool op_bar(ptx_ins *i) {
  static const low_named kinds[] = {{"arrive", WW_BAR_ARRIVE},
                                    {"popc", WW_BAR_POPC},
                                    {"and", WW_BAR_AND},
                                    {"or", WW_BAR_OR},
                                    {NULL, -1}};
  low_fn *F = i->F;
  if (ptx_has(i, "warp")) {
    low_ins(F, WW_OP_SYNCWARP, WW_VOID);
    return true;
  }
  if (ptx_has(i, "cluster"))
    return ptx_cluster_barrier(i);
  int kind = by_modifier(i, kinds);
  ww_bar sub = kind < 0 ? WW_BAR_SYNC : kind;
  bool red = ptx_has(i, "red");
  uint32_t at = red; /* behind the result; a predicate comes last */
  if (sub == WW_BAR_ARRIVE && i->narg < 2)
    return false;
  ww_val id = i->narg > at ? read32(i, at) : WW_NOVAL;
  ww_val threads = i->narg > 2 * at + 1 ? read32(i, at + 1) : WW_NOVAL;
  ww_val r =
      low_bar(F, sub, red ? read_t(i, i->narg - 1, WW_I1) : WW_NOVAL, id, threads);
  return !red || write_as(i, r, sub == WW_BAR_POPC ? WW_I32 : WW_I1);
}

static bool op_fence(ptx_ins *i) {
  if (!ptx_has(i, "proxy") && !ptx_has(i, "mbarrier_init"))
    low_ins(i->F, WW_OP_FENCE, WW_VOID)->sub = ptx_has(i, "cta")   ? 0
                                               : ptx_has(i, "sys") ? 2
                                                                   : 1;
  return true;
}

static bool op_end(ptx_ins *i) {
  low_ins(i->F, i->x, WW_VOID);
  return true;
}

static bool op_isspace(ptx_ins *i) {
  return write_as(i, low_in_space(i->F, read_t(i, 1, WW_I64), ptx_space(i)), WW_I1);
}

/* createpolicy and kin: the result only steers caches */
static bool op_zero(ptx_ins *i) {
  return write_as(i, low_const(i->F, WW_I64, 0), WW_I64);
}

/* ---- the tables ---- */

typedef struct {
  const char *name; /* NULL ends a table */
  handler fn;
  int x;
  /* modifiers besides types, each between blanks: another one means something that is
   * not done here. NULL: any */
  const char *may;
} ptx_row;

#define FLOATS " rn rz rm rp ftz sat "
#define ROUNDS " rn rz rm rp ftz approx full "
#define NONE " "

static const ptx_row pure[] =
    {{"mov", op_mov, 0, " b128 "},
     {"cvt", op_cvt, 0,
      " rn rz rm rp rna rni rzi rmi rpi ftz sat relu satfinite tf32 pack "
      "e4m3x2 e5m2x2 "},
     {"cvta", op_mov, 0,
      " to global shared local const param shared::cta shared::cluster param::entry "
      "param::func "},
     {"add", op_add, 0, " cc" FLOATS},
     {"sub", op_add, 1, " cc" FLOATS},
     {"addc", op_add, 2, " cc "},
     {"subc", op_add, 3, " cc "},
     {"mul", op_mul, 0, " lo hi wide" FLOATS},
     {"mad", op_mad, 0, " lo hi wide cc" FLOATS},
     {"madc", op_mad, 1, " lo hi cc "},
     {"fma", op_mad, 0, " relu" FLOATS},
     {"mul24", op_mul24, 0, " lo hi "},
     {"mad24", op_mul24, 1, " lo hi sat "},
     {"sad", op_sad, 0, NONE},
     {"div", op_arith, 0, ROUNDS},
     {"rem", op_arith, 0, NONE},
     {"min", op_arith, 0, " ftz NaN relu xorsign abs "},
     {"max", op_arith, 0, " ftz NaN relu xorsign abs "},
     {"and", op_arith, 0, NONE},
     {"or", op_arith, 0, NONE},
     {"xor", op_arith, 0, NONE},
     {"not", op_unary, WW_OP_XOR, NONE},
     {"cnot", op_unary, WW_OP_ICMP, NONE},
     {"neg", op_unary, WW_OP_FNEG, " ftz "},
     {"abs", op_unary, WW_OP_FABS, " ftz "},
     {"shl", op_shift, 0, NONE},
     {"shr", op_shift, 1, NONE},
     {"shf", op_shf, 0, " l r wrap clamp "},
     {"lop3", op_lop3, 0, " or and "},
     {"bfe", op_bfe, 0, NONE},
     {"bfi", op_bfi, 0, NONE},
     {"prmt", ptx_prmt, 0, " f4e b4e rc8 ecl ecr rc16 "},
     {"popc", op_count, WW_OP_CTPOP, NONE},
     {"clz", op_count, WW_OP_CTLZ, NONE},
     {"brev", op_count, WW_OP_BREV, NONE},
     {"bfind", op_bfind, 0, " shiftamt "},
     {"dp4a", op_dp, WW_OP_DP4A, NONE},
     {"dp2a", op_dp, WW_OP_DP2A, " lo hi "},
     {"selp", op_selp, 0, NONE},
     {"slct", op_slct, 0, " ftz "},
     {"setp", op_setp, 0, NULL},
     {"set", op_setp, 1, NULL},
     {"testp", op_testp, 0, NULL},
     {"copysign", op_copysign, 0, NONE},
     {"rcp", op_math, WW_MATH_RCP, ROUNDS},
     {"sqrt", op_math, WW_MATH_SQRT, ROUNDS},
     {"rsqrt", op_math, WW_MATH_RSQRT, ROUNDS},
     {"ex2", op_math, WW_MATH_EXP2, ROUNDS},
     {"lg2", op_math, WW_MATH_LOG2, ROUNDS},
     {"sin", op_math, WW_MATH_SIN, ROUNDS},
     {"cos", op_math, WW_MATH_COS, ROUNDS},
     {"tanh", op_math, WW_MATH_TANH, ROUNDS},
     {"createpolicy", op_zero, 0, NULL},
     {"isspacep", op_isspace, 0, NULL},
     {"vadd", ptx_video, WW_OP_ADD, " sat add min max "},
     {"vsub", ptx_video, WW_OP_SUB, " sat add min max "},
     {"vabsdiff", ptx_video, WW_OP_IABS, " sat add min max "},
     {"vmin", ptx_video, WW_OP_SMIN, " sat add min max "},
     {"vmax", ptx_video, WW_OP_SMAX, " sat add min max "},
     {"vshl", ptx_video, WW_OP_SHL, " sat clamp wrap add min max "},
     {"vshr", ptx_video, WW_OP_ASHR, " sat clamp wrap add min max "},
     {"vset", ptx_video, WW_OP_ICMP, " eq ne lt le gt ge add min max "},
     {"vmad", ptx_vmad, 0, " sat po shr7 shr15 "},
     {"vadd2", ptx_video_parts, WW_OP_ADD, " sat add "},
     {"vsub2", ptx_video_parts, WW_OP_SUB, " sat add "},
     {"vavrg2", ptx_video_parts, WW_OP_LEA, " sat add "},
     {"vmin2", ptx_video_parts, WW_OP_SMIN, " sat add "},
     {"vmax2", ptx_video_parts, WW_OP_SMAX, " sat add "},
     {"vset2", ptx_video_parts, WW_OP_ICMP, " eq ne lt le gt ge add "},
     {"vadd4", ptx_video_parts, WW_OP_ADD, " sat add "},
     {"vsub4", ptx_video_parts, WW_OP_SUB, " sat add "},
     {"vavrg4", ptx_video_parts, WW_OP_LEA, " sat add "},
     {"vmin4", ptx_video_parts, WW_OP_SMIN, " sat add "},
     {"vmax4", ptx_video_parts, WW_OP_SMAX, " sat add "},
     {"vset4", ptx_video_parts, WW_OP_ICMP, " eq ne lt le gt ge add "},
     {"vabsdiff2", ptx_vabsdiff, 2, " sat add "},
     {"vabsdiff4", ptx_vabsdiff, 4, " sat add "},
     {"bmsk", ptx_bmsk, 0, " clamp wrap "},
     {"szext", ptx_szext, 0, " clamp wrap "},
     {"fns", ptx_fns, 0, NONE},
     {NULL, NULL, 0, NULL}},
                     effects[] = {{"ld", op_access, 0, NULL},
                                  {"ldu", op_access, 0, NULL},
                                  {"st", op_access, 1, NULL},
                                  {"atom", op_atom, 0, NULL},
                                  {"red", op_atom, 1, NULL},
                                  {"cp", op_cp, 0, NULL},
                                  {"shfl", op_shfl, 0, NULL},
                                  {"vote", op_vote, 0, NULL},
                                  {"match", op_match, 0, NULL},
                                  {"redux", op_redux, 0, NULL},
                                  {"activemask", op_activemask, 0, NULL},
                                  {"bar", op_bar, 0, NULL},
                                  {"barrier", op_bar, 0, NULL},
                                  {"membar", op_fence, 0, NULL},
                                  {"fence", op_fence, 0, NULL},
                                  {"exit", op_end, WW_OP_EXIT, NULL},
                                  {"trap", op_end, WW_OP_TRAP, NULL},
                                  {"mma", ptx_mma, 0, NULL},
                                  {"ldmatrix", ptx_ldmatrix, 0, NULL},
                                  {"wmma", ptx_wmma, 0, NULL},
                                  {"stmatrix", ptx_stmatrix, 0, NULL},
                                  {"movmatrix", ptx_movmatrix, 0, NULL},
                                  {"mbarrier", ptx_mbarrier, 0, NULL},
                                  {"tensormap", ptx_tensormap, 0, NULL},
                                  {"wgmma", ptx_wgmma, 0, NULL},
                                  {"mapa", ptx_mapa, 0, NULL},
                                  {"getctarank", ptx_getctarank, 0, NULL},
                                  {"elect", ptx_elect, 0, NULL},
                                  {"setmaxnreg", ptx_setmaxnreg, 0, NULL},
                                  {"tex", ptx_tex, 0, NULL},
                                  {"tld4", ptx_gather, 0, NULL},
                                  {"suld", ptx_surface, 0, NULL},
                                  {"sust", ptx_surface, 1, NULL},
                                  {"txq", ptx_image_query, 0, NULL},
                                  {"suq", ptx_image_query, 0, NULL},
                                  {NULL, NULL, 0, NULL}};

static const char *const ignored[] = {"brkpt",          "nanosleep", "prefetch",
                                      "prefetchu",      "discard",   "applypriority",
                                      "griddepcontrol", "pmevent",   NULL};

static const ptx_row *row_of(const ptx_row *row, const ptx_ins *i) {
  while (row->name && strcmp(row->name, i->op[0]))
    row++;
  return row;
}

static bool may_be_so(const ptx_row *r, const ptx_ins *i) {
  for (uint32_t k = 1; k < i->nop && r->may; k++) {
    ptx_type t;
    char word[40];
    snprintf(word, sizeof word, " %.30s ", i->op[k]);
    if (!ptx_type_named(i->op[k], &t) && !strstr(r->may, word))
      return false;
  }
  return true;
}

bool ptx_execute(ptx_ins *i) {
  if (ww_one_of(i->op[0], ignored))
    return true;
  const ptx_row *r = row_of(pure, i);
  if (!r->name)
    r = row_of(effects, i);
  i->x = r->x;
  ptx_type t = ptx_nth_type(i, 0);
  i->type = t.t;
  i->sign = t.sign;
  i->pair = t.pair;
  bool bare = r->fn == op_end || r->fn == op_fence || r->fn == op_cp ||
              r->fn == op_bar || r->fn == ptx_wgmma;
  return r->name && may_be_so(r, i) && (i->narg || bare) && r->fn(i);
}

bool ptx_is_pure(const ptx_ins *i) {
  if (ww_one_of(i->op[0], ignored))
    return true;
  return row_of(pure, i)->name && !ptx_has(i, "cc") &&
         i->op[0][strlen(i->op[0]) - 1] != 'c';
}
