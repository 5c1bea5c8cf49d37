/* translate_asm_simd.c - PTX instructions on the bytes and halves of a word, and on bit
 * fields that few use: each is one instruction of the machine. */
#include "translate_asm.h"

static ww_val word(ptx_ins *i, uint32_t k) {
  if (k < i->narg)
    return ptx_read(i, i->arg[k], WW_I32);
  ptx_refuse(i);
  return low_i32(i->F, 0);
}

static bool result(ptx_ins *i, ww_val v) {
  ptx_write(i, i->arg[0], v, WW_I32, false);
  return true;
}

/* Part k of n of a word, extended. */
static ww_val field(low_fn *F, ww_val v, uint32_t k, uint32_t n, bool sign) {
  uint32_t bits = 32 / n;
  return low_op(F, sign ? WW_OP_BFES : WW_OP_BFEU, WW_I32, v, low_i32(F, k * bits),
                low_i32(F, bits));
}

static bool has_parts(const ptx_ins *i) {
  bool any = false;
  for (uint32_t k = 0; k < i->narg; k++)
    any |= strchr(i->arg[k], '.') != NULL;
  return any;
}

/* vabsdiff4.u32.u32.u32{.add} d, a, b, c: differences part by part, or their sum. x:
 * how many parts */
bool ptx_vabsdiff(ptx_ins *i) {
  low_fn *F = i->F;
  bool sum = ptx_has(i, "add"), sign = ptx_nth_type(i, 1).sign;
  if (ptx_has(i, "sat") || sign != ptx_nth_type(i, 2).sign || has_parts(i)) {
    i->x = WW_OP_IABS;
    return ptx_video_parts(i);
  }
  uint32_t bits = 32 / i->x;
  ww_val a = word(i, 1);
  ww_val b = word(i, 2);
  ww_val r = sum ? word(i, 3) : low_i32(F, 0);
  uint32_t here = low_here(F);
  if (i->narg != 4)
    return false;
  for (int k = 0; k < i->x; k++) {
    ww_val d = low_opx(F, WW_OP_SAD, WW_I32, sign, 0, field(F, a, k, i->x, sign),
                       field(F, b, k, i->x, sign), sum ? r : low_i32(F, 0));
    if (!sum) {
      d = low_op32k(F, WW_OP_AND, d, (1u << bits) - 1);
      d = low_op32(F, WW_OP_OR, r, low_op32k(F, WW_OP_SHL, d, k * bits));
    }
    r = d;
  }
  low_parts(F, here, WW_OP_SAD);
  return result(i, r);
}

/* prmt.b32{.mode} d, a, b, c: a mode has four selectors, of which c's low bits name one
 */
bool ptx_prmt(ptx_ins *i) {
  static const struct {
    const char *mode;
    uint64_t selectors; /* the first lowest */
  } modes[] = {{"f4e", 0x6543543243213210}, {"b4e", 0x0123701267015670},
               {"rc8", 0x3333222211110000}, {"ecl", 0x3333322232113210},
               {"ecr", 0x3210221011100000}, {"rc16", 0x3232101032321010}};
  low_fn *F = i->F;
  ww_val a = word(i, 1);
  ww_val b = word(i, 2);
  ww_val c = word(i, 3);
  uint32_t here = low_here(F);
  for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
    if (ptx_has(i, modes[k].mode)) {
      ww_val at = low_op32k(F, WW_OP_SHL, low_op32k(F, WW_OP_AND, c, 3), 4);
      c = low_binary(F, WW_OP_LSHR, WW_I64, low_const(F, WW_I64, modes[k].selectors),
                     at);
      c = low_op32k(F, WW_OP_AND, low_int_to(F, c, WW_I64, WW_I32, false), 0xffff);
    }
  ww_val r = low_op(F, WW_OP_PRMT, WW_I32, a, b, c);
  low_parts(F, here, WW_OP_PRMT);
  return result(i, r);
}

/* bmsk.clamp.b32 d, a, b: b ones from bit a on; both counted from 0 again behind 31
 * with .wrap */
bool ptx_bmsk(ptx_ins *i) {
  low_fn *F = i->F;
  ww_val a = word(i, 1);
  ww_val b = word(i, 2);
  uint32_t here = low_here(F);
  if (ptx_has(i, "wrap")) {
    a = low_op32k(F, WW_OP_AND, a, 31);
    b = low_op32k(F, WW_OP_AND, b, 31);
  }
  ww_val ones = low_op32k(F, WW_OP_SUB, low_op32(F, WW_OP_SHL, low_i32(F, 1), b), 1);
  ww_val r = low_op32(F, WW_OP_SHL, ones, a);
  low_parts(F, here, WW_OP_SHL);
  return result(i, r);
}

/* szext.clamp.s32 d, a, b: the low b bits of a, extended */
bool ptx_szext(ptx_ins *i) {
  low_fn *F = i->F;
  ww_val a = word(i, 1);
  ww_val b = word(i, 2);
  bool sign = ptx_nth_type(i, 0).sign;
  if (ptx_has(i, "wrap"))
    b = low_op32k(F, WW_OP_AND, b, 31);
  return result(i,
                low_op(F, sign ? WW_OP_BFES : WW_OP_BFEU, WW_I32, a, low_i32(F, 0), b));
}

/* cvt.pack.sat.u8.s32.b32 d, a, b, c: a and b, clamped, above each other; c's low half
 * above both where they are bytes */
bool ptx_cvt_pack(ptx_ins *i) {
  low_fn *F = i->F;
  ptx_type to = ptx_nth_type(i, 0);
  unsigned bits = ww_type_bits(to.t);
  int64_t hi = (1ll << (bits - to.sign)) - 1;
  int64_t lo = to.sign ? -hi - 1 : 0;
  bool third = i->narg > 3;
  if ((bits != 8 && bits != 16) || ptx_nth_type(i, 1).t != WW_I32 || i->narg < 3)
    return false;
  ww_val r = third ? low_op32k(F, WW_OP_SHL, word(i, 3), 2 * bits) : low_i32(F, 0);
  uint32_t here = low_here(F);
  for (uint32_t k = 1; k <= 2; k++) {
    ww_val v = low_op32k(F, WW_OP_SMIN, low_op32k(F, WW_OP_SMAX, word(i, k), lo), hi);
    v = low_op32k(F, WW_OP_AND, v, (1u << bits) - 1);
    r = low_op32(F, WW_OP_OR, r, k == 1 ? low_op32k(F, WW_OP_SHL, v, bits) : v);
  }
  low_parts(F, here, WW_OP_SMAX);
  return result(i, r);
}

/* The place of the n-th set bit of m, from 1 on; 31 where there are fewer. */
static ww_val place_of_bit(low_fn *F, ww_val m, ww_val n) {
  ww_val place = low_i32(F, 0);
  for (uint32_t w = 16; w; w /= 2) {
    ww_val low = low_op(F, WW_OP_BFEU, WW_I32, m, place, low_i32(F, w));
    ww_val set = low_unary(F, WW_OP_CTPOP, WW_I32, low);
    ww_val above = low_cmp(F, WW_UGT, WW_I32, n, set);
    n = low_select(F, WW_I32, above, low_op32(F, WW_OP_SUB, n, set), n);
    place = low_select(F, WW_I32, above, low_op32k(F, WW_OP_ADD, place, w), place);
  }
  return place;
}

/* fns.b32 d, mask, base, n: the n-th set bit from base upwards, downwards where n is
 * negative, of 0 the base itself; -1: there is none. No instruction of the machine:
 * ptxas searches as is done here. */
bool ptx_fns(ptx_ins *i) {
  low_fn *F = i->F;
  ww_val m = word(i, 1);
  ww_val base = word(i, 2);
  ww_val n = word(i, 3);
  ww_val down = low_cmpk(F, WW_SLT, WW_I32, n, 0);
  ww_val itself = low_cmpk(F, WW_EQ, WW_I32, n, 0);
  ww_val mirrored = low_op32(F, WW_OP_SUB, low_i32(F, 31), base);
  m = low_select(F, WW_I32, down, low_unary(F, WW_OP_BREV, WW_I32, m), m);
  ww_val from = low_select(F, WW_I32, down, mirrored, base);
  ww_val range = low_select(F, WW_I32, itself, low_i32(F, 1), low_i32(F, ~0u));
  m = low_op32(F, WW_OP_AND, m, low_op32(F, WW_OP_SHL, range, from));
  n = low_select(F, WW_I32, itself, low_i32(F, 1), low_unary(F, WW_OP_IABS, WW_I32, n));
  ww_val place = place_of_bit(F, m, n);
  ww_val there = low_cmp(F, WW_UGE, WW_I32, low_unary(F, WW_OP_CTPOP, WW_I32, m), n);
  place =
      low_select(F, WW_I32, down, low_op32(F, WW_OP_SUB, low_i32(F, 31), place), place);
  return result(i, low_select(F, WW_I32, there, place, low_i32(F, ~0u)));
}
