/* callees_nv.c - NVVM intrinsics and libdevice, and the C math library (libdevice's names without
 * the prefix). */
#include "callees_int.h"

#include <stdlib.h>

/* As in trace/trace.h: where the interpreter's memory keeps each space. */
enum {
  SHARED_BASE = 0x01000000,
  SHARED_SIZE = 0x01000000,
  LOCAL_BASE = 0x20000000,
  LOCAL_SIZE = 0x20000000
};

/* ---- registers ---- */

int low_nv_sreg(const char *s) {
  static const low_named names[] = {{"tid.x", WW_SREG_TID_X},
                                    {"tid.y", WW_SREG_TID_Y},
                                    {"tid.z", WW_SREG_TID_Z},
                                    {"ntid.x", WW_SREG_NTID_X},
                                    {"ntid.y", WW_SREG_NTID_Y},
                                    {"ntid.z", WW_SREG_NTID_Z},
                                    {"ctaid.x", WW_SREG_CTAID_X},
                                    {"ctaid.y", WW_SREG_CTAID_Y},
                                    {"ctaid.z", WW_SREG_CTAID_Z},
                                    {"nctaid.x", WW_SREG_NCTAID_X},
                                    {"nctaid.y", WW_SREG_NCTAID_Y},
                                    {"nctaid.z", WW_SREG_NCTAID_Z},
                                    {"laneid", WW_SREG_LANEID},
                                    {"warpid", WW_SREG_WARPID},
                                    {"nwarpid", WW_SREG_NWARPID},
                                    {"warpsize", WW_SREG_WARPSIZE},
                                    {"smid", WW_SREG_SMID},
                                    {"nsmid", WW_SREG_NSMID},
                                    {"gridid", WW_SREG_GRIDID},
                                    {"lanemask.eq", WW_SREG_LANEMASK_EQ},
                                    {"lanemask.lt", WW_SREG_LANEMASK_LT},
                                    {"lanemask.le", WW_SREG_LANEMASK_LE},
                                    {"lanemask.gt", WW_SREG_LANEMASK_GT},
                                    {"lanemask.ge", WW_SREG_LANEMASK_GE},
                                    {"dynamic.smem.size", WW_SREG_DYNSHARED},
                                    {"WARP_SZ", WW_SREG_WARPSIZE},
                                    {NULL, -1}};
  return low_value_named(names, s, strlen(s));
}

void call_nv_sreg(low_callee *c, int x, int y) {
  int s = low_nv_sreg(c->tail);
  if (s >= 0)
    call_set32(c, low_sreg(c->F, s));
  else if (ww_starts(c->tail, "clock") || ww_starts(c->tail, "globaltimer"))
    c->res[0] = low_op(c->F, WW_OP_CLOCK, call_type(c), WW_NOVAL, WW_NOVAL, WW_NOVAL);
  else
    call_refuse(c);
}

/* ---- synchronisation ---- */

/* y: the first argument is the barrier's id, the second the number of threads (kept in ext, 0: all)
 */
void call_nv_bar(low_callee *c, int sub, int named) {
  low_fn *F = c->F;
  int64_t id = 0, count = 0;
  if (named && c->nargs && !call_const(c, 0, &id))
    low_refuse(F, "a named barrier whose id is not constant");
  if (named && c->nargs > 1)
    call_const(c, 1, &count);
  ww_val a = WW_NOVAL, dst = WW_NOVAL;
  if (sub) {
    a = low_cmp(F, WW_NE, WW_I32, call_arg(c, 0), low_i32(F, 0));
    dst = low_new_val(F, sub == 1 ? WW_I32 : WW_I1);
  }
  ww_ins *i = low_ins(F, WW_OP_BAR, sub == 0 ? WW_VOID : sub == 1 ? WW_I32 : WW_I1);
  i->a = a;
  i->sub = sub;
  i->imm = id;
  i->ext = count;
  i->dst = dst;
  i->nres = sub != 0;
  if (sub)
    call_set_int(c, dst, sub == 1 ? WW_I32 : WW_I1, false);
}

/* ---- warp ---- */

static ww_ins *two_results(low_callee *c, ww_op op, ww_type t, ww_val out[2], bool flag) {
  out[0] = low_new_val(c->F, t);
  out[1] = flag ? low_new_val(c->F, WW_I1) : WW_NOVAL;
  ww_ins *i = low_ins(c->F, op, t);
  i->dst = out[0];
  i->nres = i->n = flag ? 2 : 1;
  return i;
}

/* llvm.nvvm.shfl[.sync].<mode>.<type>[p]: the mask, where there is one, comes first */
void call_nv_shfl(low_callee *c, int x, int y) {
  static const char *const modes[] = {"idx", "up", "down", "bfly"};
  char tok[4][24];
  uint32_t n = call_split(c->tail, '.', tok, 4), first = !strcmp(tok[0], "sync");
  int mode = -1;
  for (int m = 0; m < 4; m++)
    if (n > first && !strcmp(tok[first], modes[m]))
      mode = m;
  if (mode < 0 || c->nargs < first + 3) {
    call_refuse(c);
    return;
  }
  ww_type t = call_type(c);
  ww_val v = call_arg(c, first), lane = call_arg(c, first + 1), clamp = call_arg(c, first + 2),
         out[2];
  ww_ins *i = two_results(c, WW_OP_SHFL, t, out, c->rt->n > 1);
  i->a = v;
  i->b = lane;
  i->c = clamp;
  i->sub = mode;
  c->res[0] = out[0];
  if (c->rt->n > 1)
    c->res[1] = out[1];
}

/* Whether the mask may leave out lanes that run along: tiles of cooperative groups vote side by
 * side. A constant mask, or one just taken from the active lanes, names all that are there. */
static bool partial_mask(low_fn *F, ww_val mask) {
  uint64_t k;
  if (mask == WW_NOVAL || low_is_const(F, mask, &k))
    return false;
  for (uint32_t b = 0; b < F->blocks.n; b++)
    for (uint32_t i = 0; i < F->blocks.v[b].ins.n; i++)
      if (F->blocks.v[b].ins.v[i].dst == mask)
        return F->blocks.v[b].ins.v[i].op != WW_OP_ACTIVEMASK;
  return true;
}

ww_val low_vote(low_fn *F, ww_vote mode, ww_val p, ww_val mask, ww_type t) {
  if (!partial_mask(F, mask))
    return low_opx(F, WW_OP_VOTE, t, mode, 0, p, WW_NOVAL, WW_NOVAL);
  ww_val zero = low_i32(F, 0), one = low_const(F, WW_I1, 1);
  ww_val yes = low_opx(F, WW_OP_VOTE, WW_I32, WW_VOTE_BALLOT, 0, p, WW_NOVAL, WW_NOVAL);
  yes = low_binary(F, WW_OP_AND, WW_I32, yes, mask);
  if (mode == WW_VOTE_BALLOT)
    return yes;
  if (mode == WW_VOTE_ANY)
    return low_cmp(F, WW_NE, WW_I32, yes, zero);
  ww_val no = low_opx(F, WW_OP_VOTE, WW_I32, WW_VOTE_BALLOT, 0,
                      low_binary(F, WW_OP_XOR, WW_I1, p, one), WW_NOVAL, WW_NOVAL);
  ww_val all = low_cmp(F, WW_EQ, WW_I32, low_binary(F, WW_OP_AND, WW_I32, no, mask), zero);
  return mode == WW_VOTE_ALL
             ? all
             : low_binary(F, WW_OP_OR, WW_I1, all, low_cmp(F, WW_EQ, WW_I32, yes, zero));
}

void call_nv_vote(low_callee *c, int x, int y) {
  static const char *const modes[] = {"all", "any", "uni", "ballot", "eq"};
  char tok[3][24];
  call_split(c->tail, '.', tok, 3);
  for (int m = 0; m < 5; m++) {
    if (strcmp(tok[0], modes[m]))
      continue;
    ww_val p = call_arg(c, c->nargs - 1), mask = c->nargs > 1 ? call_arg(c, 0) : WW_NOVAL;
    c->res[0] = low_vote(c->F, m == 4 ? WW_VOTE_UNI : m, p, mask, call_type(c));
    return;
  }
  call_refuse(c);
}

/* out[1] (all lanes agree) only for match.all */
void low_match(low_fn *F, ww_val v, ww_val mask, bool all, ww_val out[2]) {
  bool partial = partial_mask(F, mask), plain = !partial;
  out[0] = low_new_val(F, WW_I32);
  out[1] = all && plain ? low_new_val(F, WW_I1) : WW_NOVAL;
  ww_ins *i = low_ins(F, WW_OP_MATCH, WW_I32);
  i->a = v;
  i->sub = all && plain;
  i->dst = out[0];
  i->nres = i->n = all && plain ? 2 : 1;
  if (plain)
    return;
  ww_val same = low_binary(F, WW_OP_AND, WW_I32, out[0], mask);
  out[0] = same;
  if (!all)
    return;
  ww_val here = low_binary(F, WW_OP_AND, WW_I32,
                           low_op(F, WW_OP_ACTIVEMASK, WW_I32, WW_NOVAL, WW_NOVAL, WW_NOVAL), mask);
  out[1] = low_cmp(F, WW_EQ, WW_I32, same, here);
  out[0] = low_select(F, WW_I32, out[1], same, low_i32(F, 0));
}

void call_nv_match(low_callee *c, int x, int y) {
  ww_val out[2];
  low_match(c->F, call_arg(c, 1), call_arg(c, 0), ww_starts(c->tail, "all"), out);
  c->res[0] = out[0];
  if (c->rt->n > 1)
    c->res[1] = out[1];
}

/* The intrinsic takes (value, mask), but clang's own __reduce_*_sync pass (mask, value): the one
 * that is all ones, or else the first, is taken for the mask. */
void call_nv_redux(low_callee *c, int x, int y) {
  int64_t mask;
  uint32_t value = call_const(c, 1, &mask) && mask == -1 ? 0 : 1;
  bool is_unsigned = c->tail[0] == 'u';
  int op = low_rmw_named(c->tail + is_unsigned, WW_I32, !is_unsigned);
  if (op < 0) {
    call_refuse(c);
    return;
  }
  ww_val operand = call_arg(c, value), lanes = call_arg(c, 1 - value);
  c->res[0] = low_opx(c->F, WW_OP_REDUX, WW_I32, op, 0, operand, lanes, WW_NOVAL);
}

/* ---- memory ---- */

void call_nv_ldg(low_callee *c, int x, int y) {
  int64_t align = 1;
  call_const(c, 1, &align);
  low_addr p = call_ptr(c, 0, align);
  p.space = WW_GLOBAL;
  p.flags |= WW_F_READONLY;
  low_load(c->F, p, c->rt->c, c->rt->n, c->res);
}

int low_rmw_named(const char *name, ww_type t, bool sign) {
  static const struct {
    const char *name;
    int8_t s, u, f;
  } rows[] = {{"add", WW_RMW_ADD, WW_RMW_ADD, WW_RMW_FADD},
              {"sub", WW_RMW_SUB, WW_RMW_SUB, WW_RMW_FSUB},
              {"exch", WW_RMW_XCHG, WW_RMW_XCHG, WW_RMW_XCHG},
              {"xchg", WW_RMW_XCHG, WW_RMW_XCHG, WW_RMW_XCHG},
              {"exchange", WW_RMW_XCHG, WW_RMW_XCHG, WW_RMW_XCHG},
              {"min", WW_RMW_SMIN, WW_RMW_UMIN, WW_RMW_FMIN},
              {"max", WW_RMW_SMAX, WW_RMW_UMAX, WW_RMW_FMAX},
              {"and", WW_RMW_AND, WW_RMW_AND, -1},
              {"or", WW_RMW_OR, WW_RMW_OR, -1},
              {"xor", WW_RMW_XOR, WW_RMW_XOR, -1},
              {"inc", WW_RMW_INC, WW_RMW_INC, -1},
              {"dec", WW_RMW_DEC, WW_RMW_DEC, -1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, name))
      return ww_is_float(t) ? rows[i].f : sign ? rows[i].s : rows[i].u;
  return -1;
}

/* llvm.nvvm.atomic.load.inc.32.p0, llvm.nvvm.atomic.add.gen.i.cta.i32.p0 ... */
void call_nv_atomic(low_callee *c, int x, int y) {
  char tok[6][24];
  uint32_t n = call_split(c->tail, '.', tok, 6), at = n && !strcmp(tok[0], "load");
  ww_type t = c->rt->n ? call_type(c) : WW_VOID;
  low_addr p = call_ptr(c, 0, 16);
  if (n > at && !strcmp(tok[at], "cas") && c->nargs > 2) {
    c->res[0] = low_cas(c->F, t, p, call_arg(c, 1), call_arg(c, 2));
    return;
  }
  int op = n > at ? low_rmw_named(tok[at], t, !(n > at + 2 && strchr(tok[at + 2], 'u'))) : -1;
  if (op < 0)
    call_refuse(c);
  else
    c->res[0] = low_atom(c->F, op, t, p, call_arg(c, 1), true);
}

static ww_val in_window(low_fn *F, ww_val a, uint64_t base, uint64_t size) {
  ww_val offset = low_add_imm(F, a, WW_I64, -base);
  return low_cmp(F, WW_ULT, WW_I64, offset, low_const(F, WW_I64, size));
}

ww_val low_in_space(low_fn *F, ww_val address, ww_space s) {
  switch (s) {
  case WW_SHARED:
    return in_window(F, address, SHARED_BASE, SHARED_SIZE);
  case WW_LOCAL:
    return in_window(F, address, LOCAL_BASE, LOCAL_SIZE);
  case WW_GLOBAL:
    return low_cmp(F, WW_UGE, WW_I64, address, low_const(F, WW_I64, 1ull << 32));
  default:
    return low_const(F, WW_I1, 0);
  }
}

void call_nv_isspace(low_callee *c, int x, int y) {
  static const char *const names[WW_NSPACES] = {
      [WW_GENERIC] = "-",   [WW_GLOBAL] = "global", [WW_SHARED] = "shared",
      [WW_CONST] = "const", [WW_LOCAL] = "local",   [WW_PARAM] = "param"};
  low_fn *F = c->F;
  ww_space is = low_space_of(F, c->arg[0]), want = WW_GENERIC;
  for (int s = 1; s < WW_NSPACES; s++)
    if (!strncmp(c->tail, names[s], strlen(names[s])))
      want = s;
  c->res[0] =
      is != WW_GENERIC ? low_const(F, WW_I1, is == want) : low_in_space(F, call_arg(c, 0), want);
}

void call_nv_handle(low_callee *c, int x, int y) {
  c->res[0] = call_arg(c, c->nargs - 1);
}

/* Copies `bytes`, or clears them when src_bytes is zero (partial sizes count as all). */
void low_copy_or_zero(low_fn *F, low_addr to, low_addr from, ww_val src_bytes, uint32_t bytes) {
  uint64_t k;
  if (low_is_const(F, src_bytes, &k)) {
    if (k)
      low_copy(F, to, from, bytes);
    else
      low_fill(F, to, low_const(F, WW_I8, 0), bytes);
    return;
  }
  uint32_t copy = low_new_block(F, NULL), clear = low_new_block(F, NULL),
           join = low_new_block(F, NULL);
  low_cbr(F, low_cmp(F, WW_NE, WW_I32, src_bytes, low_i32(F, 0)), copy, clear);
  F->cur = copy;
  low_copy(F, to, from, bytes);
  low_br(F, join);
  F->cur = clear;
  low_fill(F, to, low_const(F, WW_I8, 0), bytes);
  low_br(F, join);
  F->cur = join;
}

/* cp.async.{ca,cg}.shared.global.<bytes>[.s](to, from[, bytes read]): a plain copy; groups and
 * waits are nothing */
void call_nv_cp_async(low_callee *c, int x, int y) {
  char tok[6][24];
  uint32_t n = call_split(c->tail, '.', tok, 6);
  if (ww_starts(c->tail, "wait") || ww_starts(c->tail, "commit"))
    return;
  if (n < 4 || strcmp(tok[1], "shared") || !atoi(tok[3])) {
    call_refuse(c);
    return;
  }
  uint32_t bytes = atoi(tok[3]);
  low_addr to = call_ptr(c, 0, bytes), from = call_ptr(c, 1, bytes);
  to.space = WW_SHARED;
  from.space = WW_GLOBAL;
  if (c->nargs > 2)
    low_copy_or_zero(c->F, to, from, call_arg_as(c, 2, WW_I32, false), bytes);
  else
    low_copy(c->F, to, from, bytes);
}

/* ---- bits ---- */

void call_hilo(low_callee *c, int high_first, int y) {
  static const low_comp half[2] = {{WW_I32, 4, 32, 0}, {WW_I32, 4, 32, 4}},
                        whole = {WW_F64, 8, 64, 0};
  ww_val in[2] = {call_arg(c, high_first ? 1 : 0), call_arg(c, high_first ? 0 : 1)};
  low_repack(c->F, half, 2, in, &whole, 1, c->res);
}

void call_dhalf(low_callee *c, int high, int y) {
  ww_val v = low_bits(c->F, call_arg(c, 0), WW_F64, WW_I64);
  if (high)
    v = low_binary(c->F, WW_OP_LSHR, WW_I64, v, low_const(c->F, WW_I64, 32));
  call_set_int(c, v, WW_I64, false);
}

/* llvm.nvvm.idp4a.<a>.<b>(a, b, c) and the shim's __nv_idp4a_<a>_<b>; idp2a has the half selector
 * before c */
void call_nv_dp(low_callee *c, int op, int y) {
  int64_t hi = 0;
  int sub = (c->tail[0] == 's') | (strlen(c->tail) > 2 && c->tail[2] == 's') << 1;
  if (op == WW_OP_DP2A && call_const(c, 2, &hi) && hi)
    sub |= 4;
  c->res[0] =
      low_opx(c->F, op, WW_I32, sub, 0, call_arg(c, 0), call_arg(c, 1), call_arg(c, c->nargs - 1));
}

/* ---- floating point by token ---- */

static int rounding(const char *tok) {
  return !strcmp(tok, "rn")                         ? WW_RN
         : !strcmp(tok, "rz")                       ? WW_RZ
         : !strcmp(tok, "rm") || !strcmp(tok, "rd") ? WW_RD
         : !strcmp(tok, "rp") || !strcmp(tok, "ru") ? WW_RU
         : !strcmp(tok, "rna")                      ? WW_RNA
                                                    : -1;
}

typedef struct {
  const char *name;
  uint8_t op;
  int16_t math;
} float_op;
static const float_op float_ops[] = {
    {"add", WW_OP_FADD, -1},     {"sub", WW_OP_FSUB, -1},     {"mul", WW_OP_FMUL, -1},
    {"div", WW_OP_FDIV, -1},     {"fma", WW_OP_FMA, -1},      {"fmin", WW_OP_FMIN, -1},
    {"fmax", WW_OP_FMAX, -1},    {"neg", WW_OP_FNEG, -1},     {"fabs", WW_OP_FABS, -1},
    {"abs", WW_OP_FABS, -1},     {"rcp", 0, WW_MATH_RCP},     {"sqrt", 0, WW_MATH_SQRT},
    {"rsqrt", 0, WW_MATH_RSQRT}, {"ex2", 0, WW_MATH_EXP2},    {"lg2", 0, WW_MATH_LOG2},
    {"sin", 0, WW_MATH_SIN},     {"cos", 0, WW_MATH_COS},     {"tanh", 0, WW_MATH_TANH},
    {"ceil", 0, WW_MATH_CEIL},   {"floor", 0, WW_MATH_FLOOR}, {"trunc", 0, WW_MATH_TRUNC},
    {"round", 0, WW_MATH_RINT}};

static ww_val each_saturated(low_callee *c, const low_lane *s, int op, int sub_flags) {
  low_lane r = *s;
  r.v[0] = each_op(c, s, op, sub_flags);
  return each_clamp01(c, &r, 0, 0);
}

static ww_val each_relu(low_callee *c, const low_lane *s, int op, int sub_flags) {
  return low_binary(c->F, WW_OP_FMAX, s->rt, each_op(c, s, op, sub_flags),
                    low_fconst(c->F, s->rt, 0));
}

/* x2y.<round>: f d i ui ll ull h bf16; types come from the call itself, only the signs from the
 * name */
static bool conversion(low_callee *c, const char *op, int round) {
  const char *two = strchr(op, '2');
  if (!two || two == op || c->nargs != 1 || c->rt->n != 1 || c->at[0]->n != 1)
    return false;
  bool half = !strcmp(two + 1, "h"), from_unsigned = op[0] == 'u', to_unsigned = two[1] == 'u';
  if (half && !ww_is_float(call_type(c)))
    call_each(c, each_bits, 1, 0);
  else if (ww_starts(op, "bf") || ww_starts(two + 1, "bf")) {
    if (!ww_is_float(call_type(c)))
      return false;
    call_each(c, each_cvt, round, 0);
  } else
    call_each(c, each_cvt, round, ww_is_float(c->at[0]->c[0].type) ? !to_unsigned : !from_unsigned);
  return true;
}

static const low_comp pair_bf16[2] = {{WW_BF16, 2, 16, 0}, {WW_BF16, 2, 16, 2}},
                      pair_f16[2] = {{WW_F16, 2, 16, 0}, {WW_F16, 2, 16, 2}};

/* ff2bf16x2.rn(a, b): a goes to the high half */
static bool pack_convert(low_callee *c, const char *op, int round, bool relu) {
  bool bf = !strcmp(op, "ff2bf16x2");
  if ((!bf && strcmp(op, "ff2f16x2")) || c->nargs != 2)
    return false;
  ww_type t = bf ? WW_BF16 : WW_F16;
  ww_val v[2] = {low_cvt(c->F, WW_OP_FCVT, t, WW_F32, round, call_arg(c, 1)),
                 low_cvt(c->F, WW_OP_FCVT, t, WW_F32, round, call_arg(c, 0))};
  for (int i = 0; i < 2 && relu; i++)
    v[i] = low_binary(c->F, WW_OP_FMAX, t, v[i], low_fconst(c->F, t, 0));
  if (c->rt->n == 2) {
    c->res[0] = v[0];
    c->res[1] = v[1];
  } else
    low_repack(c->F, bf ? pair_bf16 : pair_f16, 2, v, c->rt->c, c->rt->n, c->res);
  return true;
}

static bool has(char tok[][24], uint32_t n, const char *what) {
  for (uint32_t i = 0; i < n; i++)
    if (!strcmp(tok[i], what))
      return true;
  return false;
}

void call_nv_float(low_callee *c, int x, int y) {
  char tok[8][24];
  uint32_t n = call_split(c->tail, '.', tok, 8);
  int round = WW_RN;
  for (uint32_t i = 1; i < n; i++)
    if (rounding(tok[i]) >= 0)
      round = rounding(tok[i]);
  bool approx = has(tok, n, "approx") || has(tok, n, "full"), relu = has(tok, n, "relu");
  if (n && !strcmp(tok[0], "saturate")) {
    call_each(c, each_clamp01, 0, 0);
    return;
  }
  for (size_t i = 0; n && i < sizeof float_ops / sizeof *float_ops; i++) {
    const float_op *f = &float_ops[i];
    if (strcmp(tok[0], f->name))
      continue;
    if (!c->rt->n || !ww_is_float(call_type(c)))
      break; /* packed as integers */
    if (f->math >= 0)
      call_each(c, each_math, f->math, (approx ? WW_F_APPROX : 0) | round << 8);
    else if (f->op == WW_OP_FMIN || f->op == WW_OP_FMAX)
      call_each(c, each_fminmax, f->op, has(tok, n, "nan"));
    else
      call_each(c,
                relu                 ? each_relu
                : has(tok, n, "sat") ? each_saturated
                                     : each_op,
                f->op,
                (f->op == WW_OP_FNEG || f->op == WW_OP_FABS ? 0 : round) | (approx ? APPROX : 0));
    return;
  }
  if (n && (conversion(c, tok[0], round) || pack_convert(c, tok[0], round, relu)))
    return;
  call_refuse(c);
}

/* ---- libdevice ---- */

static int suffix_round(const char *name, size_t *n) { /* _rn _rz _rd _ru at the end */
  if (*n < 4 || name[*n - 3] != '_')
    return -1;
  int r = rounding(name + *n - 2);
  if (r >= 0)
    *n -= 3;
  return r;
}

/* fadd dadd fmaf fma fsqrt drcp ... with an explicit rounding */
static bool rounded(low_callee *c, const char *s, size_t n, int round) {
  static const float_op ops[] = {{"add", WW_OP_FADD, -1},    {"sub", WW_OP_FSUB, -1},
                                 {"mul", WW_OP_FMUL, -1},    {"div", WW_OP_FDIV, -1},
                                 {"rcp", 0, WW_MATH_RCP},    {"sqrt", 0, WW_MATH_SQRT},
                                 {"rsqrt", 0, WW_MATH_RSQRT}};
  if (ww_starts(s, "fma") && (n == 3 || ww_starts(s + 3, "f"))) {
    call_each(c, each_op, WW_OP_FMA, round);
    return true;
  }
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (n != strlen(ops[i].name) + 1 || (s[0] != 'f' && s[0] != 'd') ||
        strncmp(s + 1, ops[i].name, n - 1))
      continue;
    if (ops[i].math >= 0)
      call_each(c, each_math, ops[i].math, round << 8);
    else
      call_each(c, each_op, ops[i].op, round);
    return true;
  }
  return false;
}

/* int2float uint2double ll2float float2ull double2int ... */
static bool named_conversion(low_callee *c, const char *s, size_t n, int round) {
  const char *two = memchr(s, '2', n);
  if (!two || c->nargs != 1)
    return false;
  bool from_float = ww_starts(s, "float") || ww_starts(s, "double");
  bool is_unsigned = from_float ? two[1] == 'u' : s[0] == 'u';
  call_each(c, each_cvt, round, !is_unsigned);
  return true;
}

void call_nv_lib(low_callee *c, int x, int y) {
  const char *s = c->tail;
  size_t n = strlen(s);
  int flags = 0, round = suffix_round(s, &n);
  if (round >= 0 && (rounded(c, s, n, round) || named_conversion(c, s, n, round)))
    return;
  if (ww_starts(s, "fast_")) {
    s += 5;
    flags = WW_F_APPROX;
  }
  if (!call_math_library(c, s, flags))
    low_refuse(c->F, "calls %s, which has no definition", c->name);
}

/* ---- the C math library ---- */

static ww_type arg_type(low_callee *c, uint32_t i) {
  return i < c->nargs && c->at[i]->n ? c->at[i]->c[0].type : WW_VOID;
}

void call_store(low_callee *c, uint32_t i, ww_val v, ww_type t) {
  low_comp one = low_element(t, 0);
  low_store(c->F, call_ptr(c, i, one.mem), &one, 1, &v);
}

static ww_val math1(low_callee *c, ww_math m, ww_type t, int flags, uint32_t i) {
  return low_math1(c->F, m, t, flags, call_arg(c, i));
}

ww_val call_quotient(low_fn *F, ww_type t, ww_val a, ww_val b) {
  ww_val q = low_math1(F, WW_MATH_RINT, t, 0, low_binary(F, WW_OP_FDIV, t, a, b));
  return low_cvt(F, WW_OP_FTOSI, WW_I32, t, WW_RZ, q);
}

static bool with_pointers(low_callee *c, const char *s, int flags) {
  low_fn *F = c->F;
  ww_type t = arg_type(c, 0);
  bool pi = !strcmp(s, "sincospi");
  if (pi || !strcmp(s, "sincos")) {
    call_store(c, 1, math1(c, pi ? WW_MATH_SINPI : WW_MATH_SIN, t, flags, 0), t);
    call_store(c, 2, math1(c, pi ? WW_MATH_COSPI : WW_MATH_COS, t, flags, 0), t);
  } else if (!strcmp(s, "frexp")) {
    c->res[0] = math1(c, WW_MATH_FREXP_MANT, t, 0, 0);
    call_store(c, 1, math1(c, WW_MATH_FREXP_EXP, WW_I32, 0, 0), WW_I32);
  } else if (!strcmp(s, "modf")) {
    ww_val whole = math1(c, WW_MATH_TRUNC, t, 0, 0);
    call_store(c, 1, whole, t);
    c->res[0] =
        low_math(F, WW_MATH_COPYSIGN, t, 0, low_binary(F, WW_OP_FSUB, t, call_arg(c, 0), whole),
                 call_arg(c, 0), WW_NOVAL);
  } else if (!strcmp(s, "remquo")) {
    c->res[0] = low_math(F, WW_MATH_REMAINDER, t, 0, call_arg(c, 0), call_arg(c, 1), WW_NOVAL);
    call_store(c, 2, call_quotient(F, t, call_arg(c, 0), call_arg(c, 1)), WW_I32);
  } else
    return false;
  return true;
}

ww_val call_norm4(low_callee *c, ww_type t) {
  ww_val acc = low_binary(c->F, WW_OP_FMUL, t, call_arg(c, 0), call_arg(c, 0));
  for (uint32_t i = 1; i < 4; i++)
    acc = low_op(c->F, WW_OP_FMA, t, call_arg(c, i), call_arg(c, i), acc);
  return acc;
}

static bool irregular(low_callee *c, const char *s) {
  static const struct {
    const char *name;
    int8_t what, round;
  } rows[] = {{"isnan", FC_NAN, 0},       {"isinf", FC_INF, 0},    {"finite", FC_FINITE, 0},
              {"isfinite", FC_FINITE, 0}, {"signbit", FC_SIGN, 0}, {"isnormal", FC_NORMAL, 0},
              {"lrint", -1, WW_RN},       {"llrint", -1, WW_RN},   {"lround", -1, WW_RNA},
              {"llround", -1, WW_RNA}};
  ww_type t = arg_type(c, 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].name, s) || !ww_is_float(t))
      continue;
    if (rows[i].what >= 0)
      call_each(c, each_fclass, rows[i].what, 0);
    else
      call_each(c, each_cvt, rows[i].round, 1);
    return true;
  }
  if (!strcmp(s, "nan"))
    c->res[0] = low_fconst(c->F, call_type(c), NAN);
  else if (!strcmp(s, "norm4d"))
    c->res[0] = low_math1(c->F, WW_MATH_SQRT, t, 0, call_norm4(c, t));
  else if (!strcmp(s, "rnorm4d"))
    c->res[0] = low_math1(c->F, WW_MATH_RSQRT, t, 0, call_norm4(c, t));
  else if (!strcmp(s, "scalbln"))
    call_each(c, each_math, WW_MATH_LDEXP, 0);
  else
    return false;
  return true;
}

static bool named(low_callee *c, const char *s, int flags) {
  return with_pointers(c, s, flags) || irregular(c, s) || call_float_fn(c, s, strlen(s), flags);
}

/* "_ZL9nearbyintf": an overload that clang's headers declare and leave to the library */
static const char *mangled_base(const char *name, char out[32]) {
  char *end;
  if (strncmp(name, "_Z", 2))
    return name;
  name += name[2] == 'L' ? 3 : 2;
  unsigned long n = strtoul(name, &end, 10);
  if (end == name || n >= 32 || n > strlen(end))
    return "";
  memcpy(out, end, n);
  out[n] = 0;
  return out;
}

bool call_math_library(low_callee *c, const char *name, int flags) {
  char base[32], s[32];
  if (c->F->L->dialect != WW_OPENCL)
    name = mangled_base(name, base);
  size_t n = strlen(name);
  if (n >= sizeof s || !n || !c->nargs)
    return false;
  memcpy(s, name, n + 1);
  if (ww_starts(s, "__") && n > 9 &&
      !strcmp(s + n - 7, "_finite")) { /* __exp_finite of -ffast-math */
    memmove(s, s + 2, n - 9);
    s[n -= 9] = 0;
  }
  bool single =
      arg_type(c, 0) == WW_F32 || arg_type(c, 1) == WW_F32 || (c->rt->n && call_type(c) == WW_F32);
  if (!single || n < 2 || s[n - 1] != 'f')
    return named(c, s, flags);
  s[n - 1] = 0; /* sinf -> sin; but a double's erf keeps its f, and so does an overload's */
  if (named(c, s, flags))
    return true;
  s[n - 1] = 'f';
  return named(c, s, flags);
}
