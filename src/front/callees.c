/* callees.c - calls: to functions of the module, through pointers, and to known callees
 * by the table callees.def.
 *
 * What has a body is called; what has none is looked up by name, once per declaration.
 * A name nobody knows refuses the caller: a call is never left out in silence. */
#include "callees_int.h"

const low_row *call_find(const low_row *row, size_t nrows, const char *name) {
  const low_row *best = NULL;
  size_t best_n = 0;
  for (; nrows; row++, nrows--) {
    size_t n = strlen(row->pattern);
    if (row->pattern[n - 1] == '*' ? strncmp(name, row->pattern, n - 1)
                                   : strcmp(name, row->pattern))
      continue;
    n += row->pattern[n - 1] != '*';
    if (n > best_n) {
      best = row;
      best_n = n;
    }
  }
  return best;
}

void call_run(low_callee *c, const low_row *r) {
  c->x = r->x;
  c->y = r->y;
  if (r->each)
    call_each(c, r->each, r->x, r->y);
  else
    r->whole(c);
}

/* ---- helpers for handlers ---- */

ww_val call_comp(low_callee *c, uint32_t arg, uint32_t i) {
  return low_comp_of(c->F, c->arg[arg], i);
}

ww_val call_arg(low_callee *c, uint32_t i) {
  return call_comp(c, i, 0);
}

ww_val call_arg_as(low_callee *c, uint32_t i, ww_type t, bool sign) {
  return low_int_to(c->F, call_arg(c, i), c->at[i]->n ? c->at[i]->c[0].type : t, t,
                    sign);
}

bool call_const(low_callee *c, uint32_t i, int64_t *v) {
  if (i >= c->nargs || !LLVMIsAConstantInt(c->arg[i]))
    return false;
  *v = LLVMConstIntGetSExtValue(c->arg[i]);
  return true;
}

low_addr call_ptr(low_callee *c, uint32_t i, uint32_t align) {
  LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(c->inst, i + 1, c->F->L->at_align);
  uint32_t known = a ? LLVMGetEnumAttributeValue(a) : 1;
  low_addr p = low_address(c->F, c->arg[i], known > align ? known : align);
  p.flags = 0;
  return p;
}

bool call_used(low_callee *c) {
  return LLVMGetFirstUse(c->inst);
}

void call_set(low_callee *c, ww_val v) {
  c->res[0] = v;
}

void call_set_int(low_callee *c, ww_val v, ww_type t, bool sign) {
  if (c->rt->n)
    call_set(c, low_int_to(c->F, v, t, call_type(c), sign));
}

void call_set32(low_callee *c, ww_val v) {
  call_set_int(c, v, WW_I32, false);
}

void call_refuse(low_callee *c) {
  low_refuse(c->F, "calls %s, which is not supported", c->name);
}

uint32_t call_tokens(const low_callee *c, char tok[][24], uint32_t max) {
  uint32_t n = 0;
  for (const char *s = c->tail; *s && n < max;) {
    size_t k = strcspn(s, ".");
    snprintf(tok[n++], 24, "%.*s", (int)k, s);
    s += k + (s[k] == '.');
  }
  return n;
}

static bool odd_width(const low_type *t) {
  for (uint32_t i = 0; i < t->n; i++)
    if (t->c[i].bits != ww_type_bits(t->c[i].type))
      return true;
  return false;
}

void call_each(low_callee *c, low_each f, int x, int y) {
  uint32_t n = c->rt->n;
  uint32_t nargs = c->nargs < 4 ? c->nargs : 4;
  for (uint32_t a = 0; a < nargs; a++)
    if (odd_width(c->at[a]))
      low_refuse(c->F, "calls %s on integers of unusual width", c->name);
  for (uint32_t i = 0; i < n; i++) {
    ww_val v[4] = {WW_NOVAL, WW_NOVAL, WW_NOVAL, WW_NOVAL};
    ww_type t[4] = {WW_VOID};
    for (uint32_t a = 0; a < nargs; a++) {
      if (!c->at[a]->n)
        continue;
      uint32_t k = c->at[a]->n == n ? i : 0;
      v[a] = call_comp(c, a, k);
      t[a] = c->at[a]->c[k].type;
    }
    low_lane s = {v[0],           v[1], v[2], t[0], t[1], t[2], c->rt->c[i].type,
                  call_signed(c), c,    c->F, x,    y};
    c->res[i] = f(&s);
  }
}

/* ---- elementwise handlers ---- */

/* x: ww_op, y: sub and, from bit 8 on, flags */
ww_val each_op(const low_lane *s) {
  int n = ww_ops[s->x].nsrc;
  return low_opx(s->F, s->x, s->rt, s->y & 255, s->y >> 8, s->a,
                 n > 1 ? s->b : WW_NOVAL, n > 2 ? s->c : WW_NOVAL);
}

static bool has_int_result(int math) {
  return math == WW_MATH_ILOGB || math == WW_MATH_FREXP_EXP;
}

/* x: ww_math, y: WW_F_* and, from bit 8 on, a ww_round */
ww_val each_math(const low_lane *s) {
  low_fn *F = s->F;
  int n = ww_math_args[s->x];
  int flags = s->y & 255;
  if (low_fmf(F, s->call->inst) & LLVMFastMathApproxFunc)
    flags |= WW_F_APPROX;
  ww_val a = s->a;
  ww_val b = n > 1 ? s->b : WW_NOVAL;
  if (s->x == WW_MATH_JN || s->x == WW_MATH_YN)
    a = low_convert(F, a, s->ta, WW_I32, WW_RN, true);
  if (s->x == WW_MATH_POWI || s->x == WW_MATH_LDEXP)
    b = low_convert(F, b, s->tb, WW_I32, WW_RN, true);
  bool int_result = has_int_result(s->x);
  ww_val r = low_math(F, s->x, int_result ? WW_I32 : s->rt, flags, a, b,
                      n > 2 ? s->c : WW_NOVAL);
  low_math_round(F, s->x, s->y >> 8);
  return int_result ? low_int_to(F, r, WW_I32, s->rt, true) : r;
}

ww_val each_count(const low_lane *s) { /* bits at the argument's width */
  return low_int_to(s->F, low_unary(s->F, s->x, s->ta, s->a), s->ta, s->rt, false);
}

ww_val each_ffs(const low_lane *s) {
  low_fn *F = s->F;
  ww_type t = s->ta;
  ww_val n = low_add_imm(F, low_unary(F, WW_OP_CTTZ, t, s->a), t, 1);
  ww_val none = low_const(F, t, 0);
  n = low_select(F, t, low_cmp(F, WW_EQ, t, s->a, none), none, n);
  return low_int_to(F, n, t, s->rt, false);
}

/* any scalar conversion; x: ww_round, y: signed */
ww_val each_cvt(const low_lane *s) {
  return low_convert(s->F, s->a, s->ta, s->rt, s->x, s->y);
}

ww_val each_same(const low_lane *s) {
  return s->a;
}

static bool lane_sign(const low_lane *s, int given) {
  return given < 0 ? s->sign : given;
}

/* i1: whether r = a + b, or a - b, has the wrong sign. */
static ww_val
signed_overflow(low_fn *F, int op, ww_type t, ww_val a, ww_val b, ww_val r) {
  bool add = op == WW_OP_ADD;
  ww_val x = low_binary(F, WW_OP_XOR, t, a, r);
  ww_val y = low_binary(F, WW_OP_XOR, t, add ? b : a, add ? r : b);
  return low_cmpk(F, WW_SLT, t, low_binary(F, WW_OP_AND, t, x, y), 0);
}

/* x: WW_OP_ADD or SUB, y: signed, -1 by lane */
ww_val each_sat(const low_lane *s) {
  low_fn *F = s->F;
  ww_type t = s->rt;
  ww_val a = s->a;
  ww_val b = s->b;
  bool sign = lane_sign(s, s->y);
  if (!sign && s->x == WW_OP_SUB)
    return lane_op(s, WW_OP_SUB, lane_op(s, WW_OP_UMAX, a, b), b);
  ww_val r = lane_op(s, s->x, a, b);
  if (!sign)
    return low_select(F, t, low_cmp(F, WW_ULT, t, r, a), low_const(F, t, ~0ull), r);
  unsigned top = ww_type_bits(t) - 1;
  ww_val shift = low_const(F, t, top);
  ww_val over = signed_overflow(F, s->x, t, a, b, r);
  ww_val limit =
      lane_opk(s, WW_OP_XOR, lane_op(s, WW_OP_ASHR, a, shift), (1ull << top) - 1);
  return low_select(F, t, over, limit, r);
}

/* (a & b) + ((a ^ b) >> 1), or (a | b) - ((a ^ b) >> 1) when rounding up (x); y:
 * signed, -1 by lane
 */
ww_val each_hadd(const low_lane *s) {
  ww_op shift = lane_sign(s, s->y) ? WW_OP_ASHR : WW_OP_LSHR;
  ww_val x = lane_op(s, WW_OP_XOR, s->a, s->b);
  x = lane_opk(s, shift, x, 1);
  return lane_op(s, s->x ? WW_OP_SUB : WW_OP_ADD,
                 lane_op(s, s->x ? WW_OP_OR : WW_OP_AND, s->a, s->b), x);
}

static ww_val lane_add(const low_lane *s, ww_val product) {
  return s->y ? lane_op(s, WW_OP_ADD, product, s->c) : product;
}

/* x: signed, -1 by lane, y: adds the third */
ww_val each_mulhi(const low_lane *s) {
  ww_op op = lane_sign(s, s->x) ? WW_OP_MULHS : WW_OP_MULHU;
  return lane_add(s, lane_op(s, op, s->a, s->b));
}

ww_val each_mul24(const low_lane *s) {
  bool sign = lane_sign(s, s->x);
  ww_val a = low_24(s->F, s->a, sign);
  ww_val b = low_24(s->F, s->b, sign);
  return lane_add(s, lane_op(s, WW_OP_MUL, a, b));
}

static ww_val sign_bit(low_fn *F, ww_type t, ww_val a) {
  ww_type it = low_int_type(ww_type_bits(t));
  return low_cmpk(F, WW_SLT, it, low_bits(F, a, t, it), 0);
}

/* One class of floating-point values, by magnitude. */
static ww_val magnitude_class(low_fn *F, ww_type t, ww_val a, int group) {
  double least = t == WW_F64 ? 0x1p-1022 : t == WW_F16 ? 0x1p-14 : 0x1p-126;
  ww_val inf = low_fconst(F, t, INFINITY);
  ww_val zero = low_fconst(F, t, 0);
  ww_val lo = low_fconst(F, t, least);
  ww_val m = group ? low_unary(F, WW_OP_FABS, t, a) : a;
  switch (group) {
  case 0:
    return low_cmp(F, WW_FUNO, t, a, a);
  case 1:
    return low_cmp(F, WW_FOEQ, t, m, inf);
  case 2:
    return low_binary(F, WW_OP_AND, WW_I1, low_cmp(F, WW_FOLT, t, m, inf),
                      low_cmp(F, WW_FOGE, t, m, lo));
  case 3:
    return low_binary(F, WW_OP_AND, WW_I1, low_cmp(F, WW_FOLT, t, m, lo),
                      low_cmp(F, WW_FOGT, t, m, zero));
  default:
    return low_cmp(F, WW_FOEQ, t, m, zero);
  }
}

static ww_val fpclass(low_fn *F, ww_type t, ww_val a, unsigned mask) {
  static const struct {
    unsigned neg, pos;
  } group[5] = {{1, 2}, {4, 512}, {8, 256}, {16, 128}, {32, 64}};
  ww_val acc = WW_NOVAL;
  ww_val sign = WW_NOVAL;
  if ((mask & FC_FINITE) == FC_FINITE) { /* finite: one comparison */
    acc = low_cmp(F, WW_FOLT, t, low_unary(F, WW_OP_FABS, t, a),
                  low_fconst(F, t, INFINITY));
    mask &= ~FC_FINITE;
  }
  for (int g = 0; g < 5; g++) {
    bool neg = mask & group[g].neg, pos = mask & group[g].pos;
    if (!neg && !pos)
      continue;
    ww_val v = magnitude_class(F, t, a, g);
    if (g && neg != pos) {
      if (sign == WW_NOVAL)
        sign = sign_bit(F, t, a);
      v = low_binary(F, WW_OP_AND, WW_I1, v, neg ? sign : low_not(F, sign));
    }
    acc = acc == WW_NOVAL ? v : low_binary(F, WW_OP_OR, WW_I1, acc, v);
  }
  return acc == WW_NOVAL ? low_const(F, WW_I1, 0) : acc;
}

/* OpenCL's vector relations answer -1, scalar ones 1 */
ww_val lane_bool(const low_lane *s, ww_val i1) {
  return low_int_to(s->F, i1, WW_I1, s->rt, s->call->sig[0] && s->call->rt->n > 1);
}

ww_val each_fclass(const low_lane *s) {
  return lane_bool(s, s->x == FC_SIGN ? sign_bit(s->F, s->ta, s->a)
                                      : fpclass(s->F, s->ta, s->a, s->x));
}

ww_val each_clamp01(const low_lane *s) {
  return low_clamp01(s->F, s->rt, s->a);
}

/* y: 1 the amount is clamped at the width, 2 rotate */
ww_val each_fshift(const low_lane *s) {
  low_fn *F = s->F;
  ww_type t = s->rt;
  if (s->y == 2)
    return low_op(F, s->x, t, s->a, s->a, low_int_to(F, s->b, s->tb, t, false));
  ww_val r = low_op(F, s->x, t, s->a, s->b, s->c);
  if (s->y == 0)
    return r;
  ww_val full = low_cmpk(F, WW_UGE, t, s->c, ww_type_bits(t));
  return low_select(F, t, full, s->x == WW_OP_FSHL ? s->b : s->a, r);
}

ww_val each_bits(const low_lane *s) {
  low_fn *F = s->F;
  if (s->x == 1)
    return low_bits(F, low_cvt(F, WW_OP_FCVT, WW_F16, s->ta, WW_RN, s->a), WW_F16,
                    s->rt); /* float -> half bits */
  if (s->x == 2)
    return low_cvt(F, WW_OP_FCVT, s->rt, WW_F16, WW_RN,
                   low_bits(F, s->a, s->ta, WW_F16));
  return low_bits(F, s->a, s->ta, s->rt);
}

/* x: WW_OP_FMIN or FMAX, y: a NaN wins */
ww_val each_fminmax(const low_lane *s) {
  ww_val r = lane_op(s, s->x, s->a, s->b);
  if (!s->y)
    return r;
  ww_val any = low_cmp(s->F, WW_FUNO, s->rt, s->a, s->b);
  return low_select(s->F, s->rt, any, low_fconst(s->F, s->rt, NAN), r);
}

ww_val each_byte_perm(const low_lane *s) { /* three bits of each selector count */
  uint64_t k;
  ww_val sel = low_is_const(s->F, s->c, &k) ? low_i32(s->F, k & 0x7777)
                                            : low_op32k(s->F, WW_OP_AND, s->c, 0x7777);
  return low_op(s->F, WW_OP_PRMT, WW_I32, s->a, s->b, sel);
}

ww_val each_rcp(const low_lane *s) {
  return low_math1(s->F, WW_MATH_RCP, s->rt, s->x, s->a);
}

/* ---- whole-call handlers: LLVM and C ---- */

void call_nothing(low_callee *c) {
  (void)c;
}

void call_objectsize(low_callee *c) {
  call_set(c, low_const(c->F, call_type(c), ~0ull));
}

void call_sreg(low_callee *c) {
  call_set32(c, low_sreg(c->F, c->x));
}

void call_overflow(low_callee *c) {
  low_fn *F = c->F;
  ww_type t = call_type(c);
  ww_val a = call_arg(c, 0);
  ww_val b = call_arg(c, 1);
  ww_val r = low_binary(F, c->x, t, a, b);
  ww_val over;
  ww_val zero = low_const(F, t, 0);
  if (c->rt->n != 2 || odd_width(c->rt)) {
    low_refuse(F, "overflow arithmetic on vectors or unusual widths");
    return;
  }
  if (c->x == WW_OP_MUL) {
    ww_val hi = low_binary(F, c->y ? WW_OP_MULHS : WW_OP_MULHU, t, a, b);
    ww_val fits = c->y ? low_binaryk(F, WW_OP_ASHR, t, r, ww_type_bits(t) - 1) : zero;
    over = low_cmp(F, WW_NE, t, hi, fits);
  } else if (!c->y)
    over =
        c->x == WW_OP_ADD ? low_cmp(F, WW_ULT, t, r, a) : low_cmp(F, WW_ULT, t, a, b);
  else
    over = signed_overflow(F, c->x, t, a, b, r);
  call_set(c, r);
  c->res[1] = over;
}

void call_threeway(low_callee *c) {
  low_fn *F = c->F;
  for (uint32_t i = 0; i < c->rt->n; i++) {
    ww_type t = c->at[0]->c[i].type;
    ww_type rt = c->rt->c[i].type;
    ww_val a = call_comp(c, 0, i);
    ww_val b = call_comp(c, 1, i);
    ww_val gt =
        low_int_to(F, low_cmp(F, c->x ? WW_SGT : WW_UGT, t, a, b), WW_I1, rt, false);
    ww_val lt =
        low_int_to(F, low_cmp(F, c->x ? WW_SLT : WW_ULT, t, a, b), WW_I1, rt, false);
    c->res[i] = low_binary(F, WW_OP_SUB, rt, gt, lt);
  }
}

/* llvm.vector.reduce.<op>: the accumulator argument of fadd and fmul comes first */
void call_reduce(low_callee *c) {
  static const low_named ops[] = {{"add", WW_OP_ADD},   {"mul", WW_OP_MUL},
                                  {"and", WW_OP_AND},   {"or", WW_OP_OR},
                                  {"xor", WW_OP_XOR},   {"smin", WW_OP_SMIN},
                                  {"smax", WW_OP_SMAX}, {"umin", WW_OP_UMIN},
                                  {"umax", WW_OP_UMAX}, {"fadd", WW_OP_FADD},
                                  {"fmul", WW_OP_FMUL}, {"fmin", WW_OP_FMIN},
                                  {"fmax", WW_OP_FMAX}, {NULL, -1}};
  char tok[2][24];
  call_tokens(c, tok, 2);
  int op = low_value_named(ops, tok[0], strlen(tok[0]));
  if (op < 0) {
    call_refuse(c);
    return;
  }
  uint32_t v = c->nargs - 1;
  ww_val acc = call_arg(c, 0);
  for (uint32_t k = !v; k < c->at[v]->n; k++)
    acc = low_binary(c->F, op, call_type(c), acc, call_comp(c, v, k));
  call_set(c, acc);
}

ww_val each_ptrmask(const low_lane *s) {
  return low_op64(s->F, WW_OP_AND, s->a, low_int_to(s->F, s->b, s->tb, WW_I64, true));
}

void call_llvm_frexp(low_callee *c) {
  ww_val a = call_arg(c, 0);
  if (c->rt->n != 2) {
    call_refuse(c);
    return;
  }
  call_set(c, low_math1(c->F, WW_MATH_FREXP_MANT, call_type(c), 0, a));
  c->res[1] = low_int_to(c->F, low_math1(c->F, WW_MATH_FREXP_EXP, WW_I32, 0, a), WW_I32,
                         c->rt->c[1].type, true);
}

void call_llvm_sincos(low_callee *c) {
  uint32_t n = c->rt->n / 2;
  for (uint32_t i = 0; i < n; i++) {
    ww_val a = call_comp(c, 0, i);
    c->res[i] = low_math1(c->F, WW_MATH_SIN, c->rt->c[i].type, 0, a);
    c->res[n + i] = low_math1(c->F, WW_MATH_COS, c->rt->c[i].type, 0, a);
  }
}

void call_fpclass(low_callee *c) {
  int64_t mask = 0;
  call_const(c, 1, &mask);
  for (uint32_t i = 0; i < c->rt->n; i++)
    c->res[i] = fpclass(c->F, c->at[0]->c[i].type, call_comp(c, 0, i), mask);
}

void call_memcpy(low_callee *c) {
  int64_t n;
  low_addr to = call_ptr(c, 0, 1);
  low_addr from = call_ptr(c, 1, 1);
  if (call_const(c, 2, &n))
    low_copy(c->F, to, from, n);
  else
    low_sized(c->F, WW_OP_MEMCPY, to, low_addr_value(c->F, from), from.space,
              call_arg_as(c, 2, WW_I64, false));
  if (c->rt->n)
    call_set(c, call_arg(c, 0));
}

void call_memset(low_callee *c) {
  int64_t n;
  low_addr to = call_ptr(c, 0, 1);
  ww_val byte = call_arg_as(c, 1, WW_I8, false);
  if (call_const(c, 2, &n))
    low_fill(c->F, to, byte, n);
  else
    low_sized(c->F, WW_OP_MEMSET, to, byte, WW_GENERIC,
              call_arg_as(c, 2, WW_I64, false));
  if (c->rt->n)
    call_set(c, call_arg(c, 0));
}

void call_emit(low_callee *c) {
  low_ins(c->F, c->x, WW_VOID)->imm = c->y;
}

void call_fence(low_callee *c) {
  low_ins(c->F, WW_OP_FENCE, WW_VOID)->sub = c->x;
}

ww_val each_malloc(const low_lane *s) {
  return low_unary(s->F, WW_OP_MALLOC, WW_I64,
                   low_int_to(s->F, s->a, s->ta, WW_I64, false));
}

static ww_ins *print(low_callee *c, ww_val fmt, const ww_val *v, uint32_t n) {
  uint32_t ext = low_pool(c->F, v, n);
  ww_ins *i = low_ins(c->F, WW_OP_PRINTF, WW_VOID);
  i->a = fmt;
  i->ext = ext;
  i->n = n;
  return i;
}

/* vprintf(format, packed arguments): sub 1 says that the one pool operand is the
 * arguments' address
 */
void call_vprintf(low_callee *c) {
  ww_val fmt = call_arg(c, 0);
  ww_val args = call_arg(c, 1);
  print(c, fmt, &args, 1)->sub = 1;
}

void call_printf(low_callee *c) {
  WW_VEC(ww_val) v = {0};
  ww_val fmt = call_arg(c, 0);
  for (uint32_t a = 1; a < c->nargs; a++)
    for (uint32_t k = 0; k < c->at[a]->n; k++)
      ww_push(c->F->a, &v, call_comp(c, a, k));
  if (v.n > 255)
    low_refuse(c->F, "a printf of more than 255 values");
  print(c, fmt, v.v, v.n);
}

void call_dynamic_parallelism(low_callee *c) {
  low_refuse(c->F, "launches kernels from the device (%s)", c->name);
}

void call_tensor(low_callee *c) {
  low_refuse(c->F, "tensor core instruction %s", c->name);
}

void call_texture(low_callee *c) {
  low_refuse(c->F, "texture or surface instruction %s", c->name);
}

ww_val each_texdim(const low_lane *s) {
  ww_val handle = low_int_to(s->F, s->a, s->ta, WW_I64, false);
  return lane_op(s, WW_OP_TEXDIM, handle, low_int_to(s->F, s->b, s->tb, WW_I32, true));
}

/* __ww_unsupported("thrust::sort"): the shim has the name but no device code */
void call_unsupported(low_callee *c) {
  LLVMValueRef g;
  int64_t off;
  size_t n;
  bool found = low_const_addr(c->F->L, c->arg[0], &g, &off) && g &&
               LLVMIsAGlobalVariable(g) && LLVMGetInitializer(g) &&
               LLVMIsConstantString(LLVMGetInitializer(g));
  low_refuse(c->F, "uses %s, whose device code is not available here",
             found ? LLVMGetAsString(LLVMGetInitializer(g), &n) : "a library function");
}

/* Shared memory that the shim's work-group functions combine partial results in. */
void call_group_scratch(low_callee *c) {
  low *L = c->F->L;
  static const char name[] = "__ww_group_scratch.memory";
  LLVMValueRef g = LLVMGetNamedGlobal(L->mod, name);
  if (!g) {
    g = LLVMAddGlobalInAddressSpace(
        L->mod, LLVMArrayType2(LLVMInt64TypeInContext(L->ctx), 33), name, 3);
    LLVMSetInitializer(g, LLVMGetUndef(LLVMGlobalGetValueType(g)));
  }
  call_set(c, low_scalar(c->F, g));
}

void call_ww_axis(low_callee *c) {
  call_set32(c, call_axis(c, 0, c->x));
}

/* ---- math functions by their C names ---- */

int low_math_named(const char *name, size_t n) {
  for (int m = 0; m < WW_NMATH; m++)
    if (strlen(ww_math_names[m]) == n && !memcmp(ww_math_names[m], name, n))
      return m;
  static const low_named also[] = {{"nearbyint", WW_MATH_RINT},
                                   {"roundeven", WW_MATH_RINT},
                                   {"scalbn", WW_MATH_LDEXP},
                                   {"scalb", WW_MATH_LDEXP},
                                   {"i0", WW_MATH_CYL0},
                                   {"i1", WW_MATH_CYL1},
                                   {"gamma", WW_MATH_LGAMMA},
                                   {"drem", WW_MATH_REMAINDER},
                                   {"recip", WW_MATH_RCP},
                                   {"pown", WW_MATH_POWI},
                                   {"ncdf", WW_MATH_NORMCDF},
                                   {"ncdfinv", WW_MATH_NORMCDFINV},
                                   {"len3", WW_MATH_NORM3D},
                                   {"rlen3", WW_MATH_RNORM3D},
                                   {NULL, -1}};
  return low_value_named(also, name, n);
}

bool call_class(low_callee *c, const char *name) {
  static const low_named classes[] = {{"isnan", FC_NAN},
                                      {"isinf", FC_INF},
                                      {"finite", FC_FINITE},
                                      {"isfinite", FC_FINITE},
                                      {"signbit", FC_SIGN},
                                      {"isnormal", FC_NORMAL},
                                      {NULL, -1}};
  int what = low_value_named(classes, name, strlen(name));
  if (what >= 0)
    call_each(c, each_fclass, what, 0);
  return what >= 0;
}

bool call_float_fn(low_callee *c, const char *base, size_t n, int flags) {
  static const low_named ops[] = {{"fabs", WW_OP_FABS},
                                  {"fmin", WW_OP_FMIN},
                                  {"fmax", WW_OP_FMAX},
                                  {"fma", WW_OP_FMA},
                                  {"mad", WW_OP_FMA},
                                  {"divide", WW_OP_FDIV},
                                  {NULL, -1}};
  if (!c->rt->n || !c->nargs)
    return false;
  int op = low_value_named(ops, base, n);
  if (op >= 0) {
    if (!ww_is_float(call_type(c)))
      return false;
    call_each(c, each_op, op, flags << 8);
    return true;
  }
  int m = low_math_named(base, n);
  if (m < 0 || c->nargs < ww_math_args[m])
    return false;
  if (ww_is_float(call_type(c)) == has_int_result(m))
    return false;
  call_each(c, each_math, m, flags);
  return true;
}

/* ---- dispatch ---- */

static const low_row rows[] = {
#define W(pattern, fn, x, y) {pattern, fn, NULL, x, y},
#define E(pattern, fn, x, y) {pattern, NULL, fn, x, y},
#include "callees.def"
};

static void
take_apart(low_callee *c, low_fn *F, LLVMValueRef inst, LLVMValueRef callee) {
  *c = (low_callee){.F = F,
                    .inst = inst,
                    .name = low_name(callee),
                    .tail = "",
                    .nargs = LLVMGetNumArgOperands(inst)};
  if (c->nargs > CALL_MAX_ARGS) {
    low_refuse(F, "a call with more than 64 arguments");
    c->nargs = CALL_MAX_ARGS;
  }
  for (uint32_t i = 0; i < c->nargs; i++) {
    c->arg[i] = LLVMGetOperand(inst, i);
    c->at[i] = low_type_of(F, c->arg[i]);
  }
  c->rt = low_type_of(F, inst);
  c->res = low_values(F, c->rt->n);
  memset(c->res, 0xff, c->rt->n * sizeof *c->res); /* WW_NOVAL */
}

static void known_callee(low_fn *F, LLVMValueRef inst, LLVMValueRef callee) {
  low_callee c;
  bool fresh;
  uint32_t *memo = low_map_at(F->a, &F->L->callees, callee, &fresh);
  if (fresh) {
    const low_row *found =
        call_find(rows, sizeof rows / sizeof *rows, low_name(callee));
    *memo = found ? found - rows + 1 : 0;
  }
  take_apart(&c, F, inst, callee);
  if (*memo) {
    const low_row *r = &rows[*memo - 1];
    size_t n = strlen(r->pattern);
    if (r->pattern[n - 1] == '*')
      c.tail = c.name + n - 1;
    call_run(&c, r);
  } else if (ww_starts(c.name, "llvm.")) {
    const char *base = c.name + strlen("llvm.");
    if (!call_float_fn(&c, base, strcspn(base, "."), 0))
      call_refuse(&c);
  } else if (!call_math_library(&c, c.name, 0) && !call_opencl(&c))
    low_refuse(F, "calls %s, which has no definition", c.name);
  for (uint32_t i = 0; i < c.rt->n; i++)
    if (c.res[i] == WW_NOVAL)
      c.res[i] = low_const(F, c.rt->c[i].type, 0);
  low_set(F, inst, c.res, c.rt->n);
}

/* A by-value aggregate: the callee may write it, so it gets a copy in this frame. */
static ww_val byval_copy(low_fn *F, LLVMValueRef inst, uint32_t i) {
  LLVMTypeRef t = LLVMGetTypeAttributeValue(
      LLVMGetCallSiteEnumAttribute(inst, i + 1, F->L->at_byval));
  LLVMAttributeRef al = LLVMGetCallSiteEnumAttribute(inst, i + 1, F->L->at_align);
  uint32_t align =
      al ? LLVMGetEnumAttributeValue(al) : LLVMABIAlignmentOfType(F->L->td, t);
  uint64_t bytes = LLVMABISizeOfType(F->L->td, t);
  ww_val v = low_local(F, bytes, align);
  low_copy(F, (low_addr){.base = v, .space = WW_LOCAL, .align = align},
           low_address(F, LLVMGetOperand(inst, i), align), bytes);
  return v;
}

static void real_call(low_fn *F, LLVMValueRef inst, LLVMValueRef callee) {
  low *L = F->L;
  WW_VEC(ww_val) args = {0};
  for (uint32_t i = 0; i < LLVMGetNumArgOperands(inst); i++) {
    LLVMValueRef a = LLVMGetOperand(inst, i);
    if (LLVMGetCallSiteEnumAttribute(inst, i + 1, L->at_byval))
      ww_push(L->a, &args, byval_copy(F, inst, i));
    else
      for (uint32_t k = 0; k < low_type_of(F, a)->n; k++)
        ww_push(L->a, &args, low_comp_of(F, a, k));
  }
  const low_type *rt = low_type_of(F, inst);
  bool direct = LLVMIsAFunction(callee) != NULL;
  low_invocation c = {.target = direct ? WW_NOVAL : low_scalar(F, callee),
                      .index = direct ? low_want_fn(L, callee) : 0,
                      .args = args.v,
                      .nargs = args.n,
                      .nres = rt->n};
  c.types = WW_NEWN(F->a, ww_type, rt->n + 1);
  for (uint32_t i = 0; i < rt->n; i++)
    c.types[i] = rt->c[i].type;
  low_invoke(F, &c, low_define(F, inst));
}

void low_call(low_fn *F, LLVMValueRef inst) {
  LLVMValueRef callee = LLVMGetCalledValue(inst);
  while (LLVMIsAGlobalAlias(callee))
    callee = LLVMAliasGetAliasee(callee);
  if (LLVMIsAInlineAsm(callee))
    low_asm(F, inst, callee);
  else if (LLVMIsAFunction(callee) && LLVMIsDeclaration(callee))
    known_callee(F, inst, callee);
  else
    real_call(F, inst, callee);
}
