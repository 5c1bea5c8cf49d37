/* callees_amd.c - amdgcn intrinsics and the ROCm device libraries (ocml, ockl).
 *
 * Lane movement (DPP, swizzle) becomes a byte permute with the source lane computed;
 * the hardware does it inside another instruction, so these are counted a little too
 * dear. */
#include "callees_int.h"

/* The packet itself is never read: loads from it become special registers
 * (translate_ins.c). */
void call_amd_packet(low_callee *c) {
  call_set(c, low_const(c->F, WW_I64, 0));
}

/* ---- lanes ---- */

static ww_val from_lane(low_fn *F, ww_type t, ww_val v, ww_val lane) {
  return low_binary(F, WW_OP_BPERMUTE, t, low_op32k(F, WW_OP_SHL, lane, 2), v);
}

/* The lane of the same four that two bits of the pattern choose for each. */
static ww_val quad_lane(low_fn *F, uint64_t pattern, ww_val lane) {
  ww_val shift = low_op32k(F, WW_OP_SHL, low_op32k(F, WW_OP_AND, lane, 3), 1);
  ww_val pick =
      low_op32k(F, WW_OP_AND, low_op32(F, WW_OP_LSHR, low_i32(F, pattern), shift), 3);
  return low_op32(F, WW_OP_OR, low_op32k(F, WW_OP_AND, lane, ~3u), pick);
}

void call_amd_swizzle(low_callee *c) {
  low_fn *F = c->F;
  int64_t mode = 0;
  call_const(c, 1, &mode);
  ww_val lane = low_sreg(F, WW_SREG_LANEID);
  ww_val src;
  if (mode & 0x8000) { /* quad permute: two bits per lane of four */
    src = quad_lane(F, mode & 255, lane);
  } else {
    src = low_op32k(F, WW_OP_AND, lane, 0xffffffe0u | (mode & 31));
    if (mode >> 5 & 31)
      src = low_op32k(F, WW_OP_OR, src, mode >> 5 & 31);
    if (mode >> 10 & 31)
      src = low_op32k(F, WW_OP_XOR, src, mode >> 10 & 31);
  }
  call_set(c, from_lane(F, call_type(c), call_arg(c, 0), src));
}

ww_val each_amd_readlane(const low_lane *s) {
  bool lane = s->x == WW_OP_READLANE;
  return lane_op(s, s->x, s->a,
                 lane ? low_int_to(s->F, s->b, s->tb, WW_I32, false) : WW_NOVAL);
}

ww_val each_amd_mbcnt(const low_lane *s) {
  ww_val n = low_op32(s->F, WW_OP_MBCNT, s->a, s->b);
  low_last(s->F)->imm = s->x;
  return n;
}

static void ballot(low_callee *c, ww_val p) {
  call_set(c, low_vote(c->F, WW_VOTE_BALLOT, p, WW_NOVAL, call_type(c)));
}

void call_amd_ballot(low_callee *c) {
  ballot(c, call_arg(c, 0));
}

/* llvm.amdgcn.icmp(a, b, predicate): the lanes where it holds */
void call_amd_cmp(low_callee *c) {
  int64_t p = -1;
  call_const(c, 2, &p);
  int cmp = low_predicate(p);
  if (cmp < 0 || (cmp >= WW_FOEQ) != c->x)
    call_refuse(c);
  else
    ballot(c, low_cmp(c->F, cmp, c->at[0]->c[0].type, call_arg(c, 0), call_arg(c, 1)));
}

/* Source lane of a DPP control word; *ok becomes the lanes that have one (WW_NOVAL:
 * all). */
static ww_val dpp_source(low_fn *F, unsigned ctrl, ww_val lane, ww_val *ok) {
  unsigned n = ctrl & 15;
  ww_val in_row = low_op32k(F, WW_OP_AND, lane, 15);
  ww_val row = low_op32k(F, WW_OP_AND, lane, ~15u);
  *ok = WW_NOVAL;
  if (ctrl < 0x100)
    return quad_lane(F, ctrl, lane);
  switch (ctrl) {
  case 0x130:
    *ok = low_cmpk(F, WW_ULT, WW_I32, lane, 63);
    return low_op32k(F, WW_OP_ADD, lane, 1);
  case 0x138:
    *ok = low_cmpk(F, WW_UGE, WW_I32, lane, 1);
    return low_op32k(F, WW_OP_SUB, lane, 1);
  case 0x140:
    return low_op32k(F, WW_OP_XOR, lane, 15);
  case 0x141:
    return low_op32k(F, WW_OP_XOR, lane, 7);
  case 0x142:
    *ok = low_cmpk(F, WW_UGE, WW_I32, lane, 16);
    return low_op32k(F, WW_OP_SUB, row, 1);
  case 0x143:
    *ok = low_cmpk(F, WW_UGE, WW_I32, lane, 32);
    return low_i32(F, 31);
  }
  switch (ctrl & 0x1f0) {
  case 0x100: /* row_shl */
    *ok = low_cmpk(F, WW_ULT, WW_I32, in_row, 16 - n);
    return low_op32k(F, WW_OP_ADD, lane, n);
  case 0x110: /* row_shr */
    *ok = low_cmpk(F, WW_UGE, WW_I32, in_row, n);
    return low_op32k(F, WW_OP_SUB, lane, n);
  case 0x120: /* row_ror */
    in_row = low_op32k(F, WW_OP_AND, low_op32k(F, WW_OP_SUB, in_row, n), 15);
    return low_op32(F, WW_OP_OR, row, in_row);
  case 0x130:
    lane = low_op32k(F, WW_OP_ADD, lane, ctrl == 0x134 ? 1 : 63);
    return low_op32k(F, WW_OP_AND, lane, 63);
  case 0x150:
    return low_op32k(F, WW_OP_OR, row, n);
  case 0x160:
    return low_op32k(F, WW_OP_XOR, lane, n);
  default:
    return WW_NOVAL;
  }
}

/* Lanes enabled by a four-bit mask over lane >> shift & 3. */
static ww_val
masked_lanes(low_fn *F, ww_val ok, ww_val lane, int64_t mask, unsigned shift) {
  if ((mask & 15) == 15)
    return ok;
  ww_val group = low_op32k(F, WW_OP_AND, low_op32k(F, WW_OP_LSHR, lane, shift), 3);
  ww_val bit =
      low_op32k(F, WW_OP_AND, low_op32(F, WW_OP_LSHR, low_i32(F, mask & 15), group), 1);
  ww_val on = low_nonzero(F, bit);
  return ok == WW_NOVAL ? on : low_binary(F, WW_OP_AND, WW_I1, ok, on);
}

void call_amd_dpp(low_callee *c) {
  low_fn *F = c->F;
  uint32_t v = c->x;
  int64_t ctrl = 0;
  int64_t rows = 15;
  int64_t banks = 15;
  int64_t bound = 0;
  call_const(c, v + 1, &ctrl);
  call_const(c, v + 2, &rows);
  call_const(c, v + 3, &banks);
  call_const(c, v + 4, &bound);
  ww_type t = call_type(c);
  ww_val lane = low_sreg(F, WW_SREG_LANEID);
  ww_val ok;
  ww_val src = dpp_source(F, ctrl, lane, &ok);
  if (src == WW_NOVAL) {
    call_refuse(c);
    return;
  }
  ww_val old = c->x ? call_arg(c, 0) : low_const(F, t, 0);
  ww_val r = from_lane(F, t, call_arg(c, v), src);
  if (ok != WW_NOVAL)
    r = low_select(F, t, ok, r, bound ? low_const(F, t, 0) : old);
  ww_val on = masked_lanes(F, masked_lanes(F, WW_NOVAL, lane, rows, 4), lane, banks, 2);
  call_set(c, on == WW_NOVAL ? r : low_select(F, t, on, r, old));
}

/* ---- arithmetic ---- */

ww_val each_amd_trig(const low_lane *s) { /* the argument counts turns */
  ww_val v = lane_op(s, WW_OP_FMUL, s->a, low_fconst(s->F, s->rt, 2));
  return low_math1(s->F, s->x, s->rt, WW_F_APPROX, v);
}

ww_val each_amd_med3(const low_lane *s) {
  ww_val hi = lane_op(s, WW_OP_FMAX, s->a, s->b);
  ww_val top = lane_op(s, WW_OP_FMIN, hi, s->c);
  return lane_op(s, WW_OP_FMAX, lane_op(s, WW_OP_FMIN, s->a, s->b), top);
}

ww_val each_amd_alignbyte(const low_lane *s) {
  ww_val n = low_op32k(s->F, WW_OP_SHL, low_op32k(s->F, WW_OP_AND, s->c, 3), 3);
  return low_op(s->F, WW_OP_FSHR, WW_I32, s->a, s->b, n);
}

/* bytes 0..3 of the selector's code are the second operand's */
void call_amd_perm(low_callee *c) {
  int64_t sel;
  uint32_t prmt = 0;
  uint32_t keep = 0;
  uint32_t set = 0;
  if (!call_const(c, 2, &sel)) {
    call_refuse(c);
    return;
  }
  for (int i = 0; i < 4; i++) {
    unsigned code = (sel >> (8 * i)) & 255;
    if (code < 8) {
      prmt |= code << (4 * i);
      keep |= 255u << (8 * i);
    } else if (code > 12)
      set |= 255u << (8 * i);
    else if (code < 12)
      call_refuse(c); /* sign replication */
  }
  ww_val v = low_op(c->F, WW_OP_PRMT, WW_I32, call_arg(c, 1), call_arg(c, 0),
                    low_i32(c->F, prmt));
  if (keep != ~0u)
    v = low_op32k(c->F, WW_OP_AND, v, keep);
  call_set(c, set ? low_op32k(c->F, WW_OP_OR, v, set) : v);
}

ww_val each_amd_sad8(const low_lane *s) {
  low_fn *F = s->F;
  ww_val acc = s->c;
  ww_val eight = low_i32(F, 8);
  for (uint64_t i = 0; i < 4; i++) {
    ww_val at = low_i32(F, 8 * i);
    ww_val a = low_op(F, WW_OP_BFEU, WW_I32, s->a, at, eight);
    ww_val b = low_op(F, WW_OP_BFEU, WW_I32, s->b, at, eight);
    acc = low_op(F, WW_OP_SAD, WW_I32, a, b, acc);
  }
  return acc;
}

/* Both products of two 16-bit elements, widened to the result's type, onto the third
 * operand. */
void call_amd_dot2(low_callee *c) { /* x: signed */
  low_fn *F = c->F;
  ww_type t = call_type(c);
  ww_type from = c->at[0]->c[0].type;
  ww_val acc = call_arg(c, 2);
  for (uint32_t i = 0; i < 2; i++) {
    ww_val a = low_convert(F, call_comp(c, 0, i), from, t, WW_RN, c->x);
    ww_val b = low_convert(F, call_comp(c, 1, i), from, t, WW_RN, c->x);
    acc = ww_is_float(t) ? low_op(F, WW_OP_FMA, t, a, b, acc)
                         : low_op32(F, WW_OP_ADD, acc, low_op32(F, WW_OP_MUL, a, b));
  }
  call_set(c, acc);
}

void call_amd_pkrtz(low_callee *c) {
  for (uint32_t i = 0; i < 2; i++)
    c->res[i] = low_cvt(c->F, WW_OP_FCVT, WW_F16, WW_F32, WW_RZ, call_arg(c, i));
}

ww_val each_amd_isspace(const low_lane *s) {
  return low_in_space(s->F, s->a, s->x);
}

void call_amd_fadd(low_callee *c) {
  bool used = call_used(c) && c->rt->n == c->at[1]->n;
  low_atoms(c->F, WW_RMW_FADD, call_ptr(c, 0, 16), c->arg[1], used, c->res);
}

/* ---- ocml: __ocml_<name>[_rtz]_<type> ---- */

static bool ocml_pointer(low_callee *c, const char *s) {
  static const low_named names[] = {{"sincos", P_SINCOS},
                                    {"sincospi", P_SINCOSPI},
                                    {"frexp", P_FREXP},
                                    {"modf", P_MODF},
                                    {"fract", P_WHOLE},
                                    {"remquo", P_REMQUO},
                                    {NULL, -1}};
  c->x = low_value_named(names, s, strlen(s));
  if (!c->rt->n || c->x < 0 || (c->x == P_WHOLE && c->nargs != 2))
    return false;
  call_two(c);
  return true;
}

static bool ocml_rounded(low_callee *c, char *s) { /* add_rtz, sqrt_rte ... */
  static const low_named ops[] = {{"add", WW_OP_FADD}, {"sub", WW_OP_FSUB},
                                  {"mul", WW_OP_FMUL}, {"div", WW_OP_FDIV},
                                  {"fma", WW_OP_FMA},  {NULL, -1}};
  size_t n = strlen(s);
  if (n < 5 || !ww_starts(s + n - 4, "_rt"))
    return false;
  int op = low_value_named(ops, s, n - 4);
  if (op < 0)
    return call_float_fn(c, s, n - 4, 0);
  call_each(c, each_op, op, call_rounding(s[n - 1]));
  return true;
}

void call_ocml(low_callee *c) {
  char s[64];
  int flags = 0;
  snprintf(s, sizeof s, "%s", c->tail);
  char *type = strrchr(s, '_');
  char *base = s;
  if (type)
    *type = 0;
  if (ww_starts(base, "native_")) {
    base += 7;
    flags = WW_F_APPROX;
  }
  if (!strcmp(base, "fmuladd"))
    base = "fma";
  if (ww_starts(base, "cvtrt")) { /* cvtrtz_f16_f32 */
    call_each(c, each_cvt, call_rounding(base[5]), 1);
    return;
  }
  if (!strcmp(base, "len4") || !strcmp(base, "rlen4")) {
    call_norm4(c, *base == 'r' ? WW_MATH_RSQRT : WW_MATH_SQRT);
    return;
  }
  if (ocml_pointer(c, base) || call_class(c, base) ||
      call_float_fn(c, base, strlen(base), flags) || ocml_rounded(c, base))
    return;
  low_refuse(c->F, "calls %s, which has no definition", c->name);
}
