/* callees_cl.c - OpenCL builtins, found by their Itanium-mangled names because they are overloaded.
 *
 * The mangled parameters tell signedness (LLVM's integers do not) and vector width; elementwise
 * builtins are then handled like any other. Work-item functions follow CUDA's special registers, an
 * offset of zero included. */
#include "callees_int.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- mangled names ---- */

typedef struct {
  char letter; /* element type: i j l m s t c h f d, 'H' half, 'n' named, 'z' varargs */
  bool pointer;
} cl_type;

typedef struct {
  const char *s;
  cl_type subst[32];
  uint32_t nsubst;
  bool bad;
} cl_parser;

static void remember(cl_parser *p, cl_type t) {
  if (p->nsubst < 32)
    p->subst[p->nsubst++] = t;
}

static cl_type substitution(cl_parser *p) { /* S_ S0_ S1_ ..., base 36 */
  uint32_t k = 0;
  if (*p->s != '_') {
    for (; isalnum((unsigned char)*p->s); p->s++)
      k = k * 36 + (isdigit((unsigned char)*p->s) ? *p->s - '0' : *p->s - 'A' + 10);
    k++;
  }
  if (*p->s == '_')
    p->s++;
  return k < p->nsubst ? p->subst[k] : (cl_type){'n', false};
}

static void skip_name(cl_parser *p) {
  char *end;
  unsigned long n = strtoul(p->s, &end, 10);
  if (n > strlen(end))
    p->bad = true;
  p->s = p->bad ? end + strlen(end) : end + n;
}

static cl_type parse_type(cl_parser *p) {
  cl_type t = {'n', false};
  bool qualified = false;
  while (*p->s == 'U' || *p->s == 'K' || *p->s == 'V' || *p->s == 'r') {
    qualified = true;
    if (*p->s++ == 'U')
      skip_name(p);
  }
  if (*p->s == 'P') {
    p->s++;
    t = parse_type(p);
    t.pointer = true;
    remember(p, t);
  } else if (ww_starts(p->s, "Dv")) {
    p->s += 2;
    while (isdigit((unsigned char)*p->s))
      p->s++;
    if (*p->s == '_')
      p->s++;
    t = parse_type(p);
    remember(p, t);
  } else if (ww_starts(p->s, "Dh")) {
    p->s += 2;
    t.letter = 'H';
  } else if (isdigit((unsigned char)*p->s)) {
    skip_name(p);
    remember(p, t);
  } else if (*p->s == 'S') {
    p->s++;
    t = substitution(p);
  } else if (islower((unsigned char)*p->s))
    t.letter = *p->s++;
  else
    p->bad = true;
  if (qualified)
    remember(p, t);
  return t;
}

static bool parse_builtin(low_callee *c, char base[64]) {
  char *end;
  if (strncmp(c->name, "_Z", 2) || !isdigit((unsigned char)c->name[2]))
    return false;
  unsigned long n = strtoul(c->name + 2, &end, 10);
  if (!n || n > 63 || n > strlen(end))
    return false;
  memcpy(base, end, n);
  base[n] = 0;
  cl_parser p = {.s = end + n};
  for (uint32_t i = 0; *p.s && !p.bad && i < CALL_MAX_ARGS; i++)
    c->sig[i] = parse_type(&p).letter;
  return true;
}

/* ---- work items ---- */

ww_val call_axis(low_callee *c, uint32_t arg, int first) {
  low_fn *F = c->F;
  int64_t axis;
  if (call_const(c, arg, &axis)) {
    bool size = first == WW_SREG_NTID_X || first == WW_SREG_NCTAID_X;
    return axis >= 0 && axis < 3 ? low_sreg(F, first + axis) : low_i32(F, size ? 1 : 0);
  }
  ww_val a = call_arg_as(c, arg, WW_I32, false), v = low_sreg(F, first);
  for (int k = 1; k < 3; k++)
    v = low_select(F, WW_I32, low_cmp(F, WW_EQ, WW_I32, a, low_i32(F, k)), low_sreg(F, first + k),
                   v);
  return v;
}

static ww_val mul32(low_fn *F, ww_val a, ww_val b) {
  return low_binary(F, WW_OP_MUL, WW_I32, a, b);
}
static ww_val add32(low_fn *F, ww_val a, ww_val b) {
  return low_binary(F, WW_OP_ADD, WW_I32, a, b);
}

void call_global_id(low_callee *c, int x, int y) {
  ww_val v = mul32(c->F, call_axis(c, 0, WW_SREG_CTAID_X), call_axis(c, 0, WW_SREG_NTID_X));
  call_set32(c, add32(c->F, v, call_axis(c, 0, WW_SREG_TID_X)));
}

void call_global_size(low_callee *c, int x, int y) {
  call_set32(c, mul32(c->F, call_axis(c, 0, WW_SREG_NCTAID_X), call_axis(c, 0, WW_SREG_NTID_X)));
}

static ww_val linear_tid(low_fn *F) {
  ww_val yz = add32(F, mul32(F, low_sreg(F, WW_SREG_TID_Z), low_sreg(F, WW_SREG_NTID_Y)),
                    low_sreg(F, WW_SREG_TID_Y));
  return add32(F, mul32(F, yz, low_sreg(F, WW_SREG_NTID_X)), low_sreg(F, WW_SREG_TID_X));
}

static ww_val group_threads(low_fn *F) {
  return mul32(F, mul32(F, low_sreg(F, WW_SREG_NTID_X), low_sreg(F, WW_SREG_NTID_Y)),
               low_sreg(F, WW_SREG_NTID_Z));
}

static void cl_local_linear_id(low_callee *c, int x, int y) {
  call_set32(c, linear_tid(c->F));
}

static ww_val global_coord(low_fn *F, int axis) {
  return add32(F, mul32(F, low_sreg(F, WW_SREG_CTAID_X + axis), low_sreg(F, WW_SREG_NTID_X + axis)),
               low_sreg(F, WW_SREG_TID_X + axis));
}

static void cl_global_linear_id(low_callee *c, int x, int y) {
  low_fn *F = c->F;
  ww_val v = global_coord(F, 2);
  for (int k = 1; k >= 0; k--)
    v = add32(
        F,
        mul32(F, v, mul32(F, low_sreg(F, WW_SREG_NCTAID_X + k), low_sreg(F, WW_SREG_NTID_X + k))),
        global_coord(F, k));
  call_set32(c, v);
}

static void cl_work_dim(low_callee *c, int x, int y) { /* as many axes as are longer than one */
  low_fn *F = c->F;
  ww_val one = low_i32(F, 1), n = one;
  for (int k = 1; k < 3; k++) {
    ww_val size = mul32(F, low_sreg(F, WW_SREG_NCTAID_X + k), low_sreg(F, WW_SREG_NTID_X + k));
    n = low_select(F, WW_I32, low_cmp(F, WW_UGT, WW_I32, size, one), low_i32(F, k + 1), n);
  }
  call_set32(c, n);
}

static void cl_sub_group(low_callee *c, int what, int y) { /* 0: id, 1: how many */
  low_fn *F = c->F;
  ww_val five = low_i32(F, 5),
         v = what ? low_add_imm(F, group_threads(F), WW_I32, 31) : linear_tid(F);
  call_set32(c, low_binary(F, WW_OP_LSHR, WW_I32, v, five));
}

/* ---- elementwise ---- */

static ww_val each_minmax(low_callee *c, const low_lane *s, int max, int y) {
  if (ww_is_float(s->rt))
    return each_op(c, s, max ? WW_OP_FMAX : WW_OP_FMIN, 0);
  return each_us(c, s, max ? WW_OP_SMAX : WW_OP_SMIN, max ? WW_OP_UMAX : WW_OP_UMIN);
}

static ww_val each_clamp(low_callee *c, const low_lane *s, int x, int y) {
  low_lane a = *s;
  a.v[0] = each_minmax(c, s, 1, 0); /* max(v, lo) */
  a.v[1] = s->v[2];
  return each_minmax(c, &a, 0, 0);
}

static ww_val each_abs(low_callee *c, const low_lane *s, int x, int y) {
  return s->sign ? low_unary(c->F, WW_OP_IABS, s->rt, s->v[0]) : s->v[0];
}

static ww_val each_abs_diff(low_callee *c, const low_lane *s, int x, int y) {
  low_fn *F = c->F;
  ww_val hi = low_binary(F, s->sign ? WW_OP_SMAX : WW_OP_UMAX, s->rt, s->v[0], s->v[1]);
  ww_val lo = low_binary(F, s->sign ? WW_OP_SMIN : WW_OP_UMIN, s->rt, s->v[0], s->v[1]);
  return low_binary(F, WW_OP_SUB, s->rt, hi, lo);
}

static ww_val each_scale(low_callee *c, const low_lane *s, int degrees, int y) {
  double k = degrees ? 57.29577951308232 : 0.017453292519943295;
  return low_binary(c->F, WW_OP_FMUL, s->rt, s->v[0], low_fconst(c->F, s->rt, k));
}

static ww_val each_mix(low_callee *c, const low_lane *s, int x, int y) { /* x + (y - x) * a */
  ww_val d = low_binary(c->F, WW_OP_FSUB, s->rt, s->v[1], s->v[0]);
  return low_op(c->F, WW_OP_FMA, s->rt, d, s->v[2], s->v[0]);
}

static ww_val each_step(low_callee *c, const low_lane *s, int x, int y) {
  low_fn *F = c->F;
  return low_select(F, s->rt, low_cmp(F, WW_FOLT, s->rt, s->v[1], s->v[0]), low_fconst(F, s->rt, 0),
                    low_fconst(F, s->rt, 1));
}

static ww_val each_smoothstep(low_callee *c, const low_lane *s, int x, int y) {
  low_fn *F = c->F;
  ww_type t = s->rt;
  low_lane a = *s;
  a.v[0] = low_binary(F, WW_OP_FDIV, t, low_binary(F, WW_OP_FSUB, t, s->v[2], s->v[0]),
                      low_binary(F, WW_OP_FSUB, t, s->v[1], s->v[0]));
  ww_val u = each_clamp01(c, &a, 0, 0);
  ww_val k = low_op(F, WW_OP_FMA, t, u, low_fconst(F, t, -2), low_fconst(F, t, 3));
  return low_binary(F, WW_OP_FMUL, t, low_binary(F, WW_OP_FMUL, t, u, u), k);
}

static ww_val each_sign(low_callee *c, const low_lane *s, int x, int y) {
  low_fn *F = c->F;
  ww_type t = s->rt;
  ww_val zero = low_fconst(F, t, 0),
         one = low_math(F, WW_MATH_COPYSIGN, t, 0, low_fconst(F, t, 1), s->v[0], WW_NOVAL);
  ww_val r = low_select(F, t, low_cmp(F, WW_FOEQ, t, s->v[0], zero), s->v[0], one);
  return low_select(F, t, low_cmp(F, WW_FUNO, t, s->v[0], s->v[0]), zero, r);
}

static ww_val each_rotate(low_callee *c, const low_lane *s, int x, int y) {
  return low_op(c->F, WW_OP_FSHL, s->rt, s->v[0], s->v[0], s->v[1]);
}

static ww_val each_upsample(low_callee *c, const low_lane *s, int x, int y) {
  low_fn *F = c->F;
  ww_val hi = low_int_to(F, s->v[0], s->t[0], s->rt, false),
         lo = low_int_to(F, s->v[1], s->t[1], s->rt, false);
  return low_binary(F, WW_OP_OR, s->rt,
                    low_binary(F, WW_OP_SHL, s->rt, hi, low_const(F, s->rt, ww_type_bits(s->t[1]))),
                    lo);
}

static ww_val each_mad_sat(low_callee *c, const low_lane *s, int x,
                           int y) { /* exact for up to 32 bits, in 64 */
  low_fn *F = c->F;
  ww_type t = s->rt;
  if (t == WW_I64)
    low_refuse(F, "calls mad_sat on 64-bit integers");
  ww_val v[3];
  for (int k = 0; k < 3; k++)
    v[k] = low_int_to(F, s->v[k], t, WW_I64, s->sign);
  ww_val r = low_binary(F, WW_OP_ADD, WW_I64, low_binary(F, WW_OP_MUL, WW_I64, v[0], v[1]), v[2]);
  unsigned w = ww_type_bits(t) & 63;
  uint64_t hi = s->sign ? (1ull << (w - 1)) - 1 : (1ull << w) - 1,
           lo = s->sign ? (uint64_t) - (1ll << (w - 1)) : 0;
  r = low_binary(F, WW_OP_SMIN, WW_I64, r, low_const(F, WW_I64, hi));
  return low_int_to(F, low_binary(F, WW_OP_SMAX, WW_I64, r, low_const(F, WW_I64, lo)), WW_I64, t,
                    false);
}

static ww_val as_int(low_callee *c, const low_lane *s, int k) {
  return low_bits(c->F, s->v[k], s->t[k], low_int_type(ww_type_bits(s->t[k])));
}

static ww_val each_bitselect(low_callee *c, const low_lane *s, int x,
                             int y) { /* a where the mask is 0, b where 1 */
  low_fn *F = c->F;
  ww_type t = low_int_type(ww_type_bits(s->rt));
  ww_val a = as_int(c, s, 0), b = as_int(c, s, 1), m = as_int(c, s, 2);
  ww_val d = low_binary(F, WW_OP_AND, t, low_binary(F, WW_OP_XOR, t, a, b), m);
  return low_bits(F, low_binary(F, WW_OP_XOR, t, a, d), t, s->rt);
}

static ww_val each_select(low_callee *c, const low_lane *s, int x,
                          int y) { /* scalar: c != 0, vector: its sign bit */
  ww_val zero = low_const(c->F, s->t[2], 0),
         p = low_cmp(c->F, c->rt->n > 1 ? WW_SLT : WW_NE, s->t[2], s->v[2], zero);
  return low_select(c->F, s->rt, p, s->v[1], s->v[0]);
}

static ww_val each_rootn(low_callee *c, const low_lane *s, int x, int y) {
  ww_val n = low_cvt(c->F, WW_OP_SITOF, s->rt, s->t[1], WW_RN, s->v[1]);
  ww_val r = low_math1(c->F, WW_MATH_RCP, s->rt, 0, n);
  return low_math(c->F, WW_MATH_POW, s->rt, 0, s->v[0], r, WW_NOVAL);
}

static ww_val each_nan(low_callee *c, const low_lane *s, int x, int y) {
  return low_fconst(c->F, s->rt, NAN);
}

/* ---- reductions over a vector ---- */

static void cl_any_all(low_callee *c, int all, int y) {
  low_fn *F = c->F;
  ww_type t = c->at[0]->c[0].type;
  ww_val acc = low_comp_of(F, c->arg[0], 0);
  for (uint32_t i = 1; i < c->at[0]->n; i++)
    acc = low_binary(F, all ? WW_OP_AND : WW_OP_OR, t, acc, low_comp_of(F, c->arg[0], i));
  call_set_int(c, low_cmp(F, WW_SLT, t, acc, low_const(F, t, 0)), WW_I1, false);
}

static ww_val dot(low_callee *c, const ww_val *a, const ww_val *b, uint32_t n, ww_type t) {
  ww_val acc = low_binary(c->F, WW_OP_FMUL, t, a[0], b[0]);
  for (uint32_t i = 1; i < n; i++)
    acc = low_op(c->F, WW_OP_FMA, t, a[i], b[i], acc);
  return acc;
}

enum { G_DOT, G_LENGTH, G_DISTANCE, G_NORMALIZE };

static void cl_geometric(low_callee *c, int what, int flags) {
  low_fn *F = c->F;
  uint32_t n = c->at[0]->n;
  ww_val a[4], b[4];
  if (!n || n > 4) {
    call_refuse(c);
    return;
  }
  ww_type t = c->at[0]->c[0].type;
  for (uint32_t i = 0; i < n; i++) {
    a[i] = low_comp_of(F, c->arg[0], i);
    b[i] = what == G_DOT || what == G_DISTANCE ? low_comp_of(F, c->arg[1], i) : a[i];
    if (what == G_DISTANCE)
      a[i] = b[i] = low_binary(F, WW_OP_FSUB, t, a[i], b[i]);
  }
  ww_val d = dot(c, a, b, n, t);
  if (what == G_DOT)
    c->res[0] = d;
  else if (what != G_NORMALIZE)
    c->res[0] = low_math1(F, WW_MATH_SQRT, t, flags, d);
  else {
    ww_val r = low_math1(F, WW_MATH_RSQRT, t, flags, d);
    for (uint32_t i = 0; i < n; i++)
      c->res[i] = low_binary(F, WW_OP_FMUL, t, a[i], r);
  }
}

static void cl_cross(low_callee *c, int x, int y) {
  low_fn *F = c->F;
  ww_type t = call_type(c);
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
    ww_val m =
        low_binary(F, WW_OP_FMUL, t, low_comp_of(F, c->arg[0], k), low_comp_of(F, c->arg[1], j));
    c->res[i] = low_op(F, WW_OP_FMA, t, low_comp_of(F, c->arg[0], j), low_comp_of(F, c->arg[1], k),
                       low_unary(F, WW_OP_FNEG, t, m));
  }
  if (c->rt->n > 3)
    c->res[3] = low_fconst(F, t, 0);
}

/* ---- results through a pointer: sincos, fract, modf, frexp, remquo, lgamma_r ---- */

static void store_all(low_callee *c, uint32_t arg, const ww_val *v, uint32_t n, ww_type t) {
  low_comp k[16];
  uint32_t size = ww_type_bytes[t];
  for (uint32_t i = 0; i < n && i < 16; i++)
    k[i] = low_element(t, i);
  low_store(c->F, call_ptr(c, arg, n == 3 ? 4 * size : n * size), k, n < 16 ? n : 16, v);
}

enum { P_SINCOS, P_FRACT, P_MODF, P_FREXP, P_REMQUO };

static void cl_pointer(low_callee *c, int what, int y) {
  low_fn *F = c->F;
  uint32_t n = c->rt->n;
  ww_val out[16];
  ww_type t = call_type(c);
  for (uint32_t i = 0; i < n && i < 16; i++) {
    ww_val a = low_comp_of(F, c->arg[0], i);
    switch (what) {
    case P_SINCOS:
      c->res[i] = low_math1(F, WW_MATH_SIN, t, 0, a);
      out[i] = low_math1(F, WW_MATH_COS, t, 0, a);
      break;
    case P_FRACT:
      c->res[i] = low_math1(F, WW_MATH_FRACT, t, 0, a);
      out[i] = low_math1(F, WW_MATH_FLOOR, t, 0, a);
      break;
    case P_MODF:
      out[i] = low_math1(F, WW_MATH_TRUNC, t, 0, a);
      c->res[i] = low_binary(F, WW_OP_FSUB, t, a, out[i]);
      break;
    case P_FREXP:
      c->res[i] = low_math1(F, WW_MATH_FREXP_MANT, t, 0, a);
      out[i] = low_math1(F, WW_MATH_FREXP_EXP, WW_I32, 0, a);
      break;
    default: {
      ww_val b = low_comp_of(F, c->arg[1], i);
      c->res[i] = low_math(F, WW_MATH_REMAINDER, t, 0, a, b, WW_NOVAL);
      out[i] = call_quotient(F, t, a, b);
    }
    }
  }
  store_all(c, what == P_REMQUO ? 2 : 1, out, n, what == P_FREXP || what == P_REMQUO ? WW_I32 : t);
}

/* ---- conversions: convert_<type>[_sat][_rte|_rtz|_rtp|_rtn] ---- */

static bool is_signed_name(const char *s) {
  return *s != 'u';
}

static ww_val each_convert(low_callee *c, const low_lane *s, int round,
                           int flags) { /* flags: 1 target signed, 2 saturate */
  low_fn *F = c->F;
  bool from_f = ww_is_float(s->t[0]), to_f = ww_is_float(s->rt), to_signed = flags & 1;
  unsigned w = ww_type_bits(s->rt);
  ww_val v = s->v[0];
  if (from_f || to_f)
    return each_cvt(c, s, round, from_f ? to_signed : s->sign);
  if (!(flags & 2) || s->t[0] == WW_I1)
    return low_int_to(F, v, s->t[0], s->rt, s->sign);
  /* clamp where the source reaches beyond the target's range */
  unsigned wf = ww_type_bits(s->t[0]);
  uint64_t top = to_signed ? (1ull << (w - 1)) - 1 : w == 64 ? ~0ull : (1ull << w) - 1;
  if (s->sign && !to_signed)
    v = low_binary(F, WW_OP_SMAX, s->t[0], v, low_const(F, s->t[0], 0));
  if (s->sign && to_signed && wf > w)
    v = low_binary(F, WW_OP_SMAX, s->t[0], v,
                   low_const(F, s->t[0], (uint64_t) - (1ull << (w - 1))));
  if (wf > w || (wf == w && !s->sign && to_signed))
    v = low_binary(F, s->sign ? WW_OP_SMIN : WW_OP_UMIN, s->t[0], v, low_const(F, s->t[0], top));
  return low_int_to(F, v, s->t[0], s->rt, s->sign);
}

static bool cl_convert(low_callee *c, const char *s) {
  if (strncmp(s, "convert_", 8))
    return false;
  s += 8;
  bool to_float = c->rt->n && ww_is_float(call_type(c)),
       from_float = c->at[0]->n && ww_is_float(c->at[0]->c[0].type);
  int round = from_float && !to_float ? WW_RZ : WW_RN;
  if (strstr(s, "_rte"))
    round = WW_RN;
  else if (strstr(s, "_rtz"))
    round = WW_RZ;
  else if (strstr(s, "_rtp"))
    round = WW_RU;
  else if (strstr(s, "_rtn"))
    round = WW_RD;
  call_each(c, each_convert, round, (is_signed_name(s) ? 1 : 0) | (strstr(s, "_sat") ? 2 : 0));
  return true;
}

/* ---- vloadN vstoreN [_half[N]] ---- */

static void vector_address(low_callee *c, uint32_t offset_arg, uint32_t ptr_arg, uint32_t n,
                           uint32_t size, bool aligned, low_addr *p) {
  uint32_t step = aligned && n == 3 ? 4 : n;
  *p = call_ptr(c, ptr_arg, aligned ? step * size : size);
  ww_val k = call_arg_as(c, offset_arg, WW_I64, false);
  p->base = low_lea(c->F, p->base, k, (int64_t)step * size);
}

static bool cl_vload(low_callee *c, const char *s) {
  bool aligned = ww_starts(s, "vloada"), half;
  if (strncmp(s, "vload", 5) || c->nargs != 2)
    return false;
  half = strstr(s, "_half") != NULL;
  low_addr p;
  low_comp k[16];
  ww_val v[16];
  uint32_t n = c->rt->n;
  if (!n || n > 16)
    return false;
  ww_type t = half ? WW_F16 : call_type(c);
  uint32_t size = ww_type_bytes[t];
  vector_address(c, 0, 1, n, size, aligned, &p);
  for (uint32_t i = 0; i < n; i++)
    k[i] = low_element(t, i);
  low_load(c->F, p, k, n, v);
  for (uint32_t i = 0; i < n; i++)
    c->res[i] = half && call_type(c) != WW_F16
                    ? low_cvt(c->F, WW_OP_FCVT, call_type(c), WW_F16, WW_RN, v[i])
                    : v[i];
  return true;
}

static bool cl_vstore(low_callee *c, const char *s) {
  bool aligned = ww_starts(s, "vstorea"), half;
  if (strncmp(s, "vstore", 6) || c->nargs != 3)
    return false;
  half = strstr(s, "_half") != NULL;
  int round = strstr(s, "_rtz")   ? WW_RZ
              : strstr(s, "_rtp") ? WW_RU
              : strstr(s, "_rtn") ? WW_RD
                                  : WW_RN;
  low_addr p;
  low_comp k[16];
  ww_val v[16];
  uint32_t n = c->at[0]->n;
  if (!n || n > 16)
    return false;
  ww_type from = c->at[0]->c[0].type, t = half ? WW_F16 : from;
  uint32_t size = ww_type_bytes[t];
  vector_address(c, 1, 2, n, size, aligned, &p);
  for (uint32_t i = 0; i < n; i++) {
    k[i] = low_element(t, i);
    v[i] = low_comp_of(c->F, c->arg[0], i);
    if (half && from != WW_F16)
      v[i] = low_cvt(c->F, WW_OP_FCVT, WW_F16, from, round, v[i]);
  }
  low_store(c->F, p, k, n, v);
  return true;
}

/* ---- async copies: the work-group shares the elements out, then waits ---- */

static void cl_async_copy(low_callee *c, int strided, int y) {
  low_fn *F = c->F;
  char letter = c->sig[0];
  ww_type t = strchr("cha", letter)  ? WW_I8
              : strchr("st", letter) ? WW_I16
              : letter == 'H'        ? WW_F16
              : letter == 'f'        ? WW_F32
              : letter == 'd'        ? WW_F64
              : strchr("lm", letter) ? WW_I64
                                     : WW_I32;
  const char *v = strstr(c->name, "Dv"); /* a vector element: its width */
  uint32_t lanes = v ? atoi(v + 2) : 1, bytes = (lanes == 3 ? 4 : lanes) * ww_type_bytes[t];
  bool to_local = low_space_of(F, c->arg[0]) == WW_SHARED;
  low_addr to = call_ptr(c, 0, bytes < 16 ? bytes : 16),
           from = call_ptr(c, 1, bytes < 16 ? bytes : 16);
  ww_val n = call_arg_as(c, 2, WW_I64, false),
         stride = strided ? call_arg_as(c, 3, WW_I64, false) : WW_NOVAL;
  ww_val first = low_int_to(F, linear_tid(F), WW_I32, WW_I64, false),
         step = low_int_to(F, group_threads(F), WW_I32, WW_I64, false);
  uint32_t before = F->cur, head = low_new_block(F, "copy"), body = low_new_block(F, NULL),
           done = low_new_block(F, NULL);
  low_br(F, head);
  F->cur = head;
  ww_val i =
      low_phi2(F, WW_I64, before, first, body, first); /* the second value is patched below */
  low_cbr(F, low_cmp(F, WW_ULT, WW_I64, i, n), body, done);
  F->cur = body;
  ww_val far = strided ? low_binary(F, WW_OP_MUL, WW_I64, i, stride) : i;
  to.base = low_lea(F, to.base, strided && !to_local ? far : i, bytes);
  from.base = low_lea(F, from.base, strided && to_local ? far : i, bytes);
  low_copy(F, to, from, bytes);
  ww_val next = low_binary(F, WW_OP_ADD, WW_I64, i, step);
  F->pool.v[F->blocks.v[head].phis.v[0].ext + 3] = next;
  low_br(F, head);
  F->cur = done;
  if (c->rt->n)
    c->res[0] = call_arg(c, c->nargs - 1);
}

/* ---- atomics ---- */

static ww_type pointee(low_callee *c) {
  char l = c->sig[0];
  return l == 'l' || l == 'm' ? WW_I64 : l == 'f' ? WW_F32 : l == 'd' ? WW_F64 : WW_I32;
}

static bool cl_atomic(low_callee *c, const char *s) {
  low_fn *F = c->F;
  char op[64];
  if (ww_starts(s, "atomic_"))
    s += 7;
  else if (ww_starts(s, "atom_"))
    s += 5;
  else
    return false;
  if (ww_starts(s, "fetch_"))
    s += 6;
  snprintf(op, sizeof op, "%s", s);
  char *tail = strstr(op, "_explicit");
  if (tail)
    *tail = 0;
  if (!c->nargs)
    return false;
  ww_type t = pointee(c);
  low_addr p = call_ptr(c, 0, 16);
  low_comp one = low_element(t, 0);
  p.flags = 0;
  if (!strcmp(op, "inc") || !strcmp(op, "dec")) {
    ww_val k = low_const(F, t, 1),
           r = low_atom(F, op[0] == 'i' ? WW_RMW_ADD : WW_RMW_SUB, t, p, k, call_used(c));
    if (call_used(c))
      c->res[0] = r;
    return true;
  }
  if (!strcmp(op, "cmpxchg")) {
    c->res[0] = low_cas(F, t, p, call_arg(c, 1), call_arg(c, 2));
    return true;
  }
  if (ww_starts(op, "compare_exchange")) { /* (object, expected *, desired): bool */
    ww_val want, old;
    low_addr e = call_ptr(c, 1, ww_type_bytes[t]);
    low_load(F, e, &one, 1, &want);
    old = low_cas(F, t, p, want, call_arg(c, 2));
    low_store(F, e, &one, 1, &old);
    call_set_int(c,
                 low_cmp(F, WW_EQ, t,
                         ww_is_float(t) ? low_bits(F, old, t, low_int_type(ww_type_bits(t))) : old,
                         want),
                 WW_I1, false);
    return true;
  }
  p.flags = WW_F_VOLATILE;
  p.align = ww_type_bytes[t];
  if (!strcmp(op, "load")) {
    low_load(F, p, &one, 1, c->res);
    return true;
  }
  if (!strcmp(op, "store") || !strcmp(op, "init")) {
    ww_val v = call_arg(c, 1);
    low_store(F, p, &one, 1, &v);
    return true;
  }
  p.flags = 0;
  int rmw = c->nargs < 2 ? -1 : low_rmw_named(op, t, strchr("cslxia", c->sig[0]));
  if (rmw < 0)
    return false;
  ww_val r = low_atom(F, rmw, t, p, call_arg(c, 1), call_used(c));
  if (call_used(c))
    c->res[0] = r;
  return true;
}

/* ---- sub-groups: a warp ---- */

static ww_val shuffle(low_fn *F, ww_shfl mode, ww_type t, ww_val v, ww_val lane) {
  ww_val clamp = low_i32(F, mode == WW_SHFL_UP ? 0 : 31);
  return low_opx(F, WW_OP_SHFL, t, mode, 0, v, lane, clamp);
}

static int reduce_op(const char *s, ww_type t, bool sign) {
  bool f = ww_is_float(t);
  if (!strcmp(s, "add"))
    return f ? WW_OP_FADD : WW_OP_ADD;
  if (!strcmp(s, "mul"))
    return f ? WW_OP_FMUL : WW_OP_MUL;
  if (!strcmp(s, "min"))
    return f ? WW_OP_FMIN : sign ? WW_OP_SMIN : WW_OP_UMIN;
  if (!strcmp(s, "max"))
    return f ? WW_OP_FMAX : sign ? WW_OP_SMAX : WW_OP_UMAX;
  if (!strcmp(s, "and"))
    return WW_OP_AND;
  if (!strcmp(s, "or"))
    return WW_OP_OR;
  if (!strcmp(s, "xor"))
    return WW_OP_XOR;
  return -1;
}

static ww_val identity(low_fn *F, int op, ww_type t) {
  uint64_t top = 1ull << ((ww_type_bits(t) - 1) & 63);
  switch (op) {
  case WW_OP_MUL:
    return low_const(F, t, 1);
  case WW_OP_FMUL:
    return low_fconst(F, t, 1);
  case WW_OP_AND:
  case WW_OP_UMIN:
    return low_const(F, t, ~0ull);
  case WW_OP_SMIN:
    return low_const(F, t, top - 1);
  case WW_OP_SMAX:
    return low_const(F, t, top);
  case WW_OP_FMIN:
    return low_fconst(F, t, INFINITY);
  case WW_OP_FMAX:
    return low_fconst(F, t, -INFINITY);
  default:
    return low_const(F, t, 0);
  }
}

static void group_scan(low_callee *c, int op, ww_type t, bool inclusive) {
  low_fn *F = c->F;
  ww_val v = call_arg(c, 0), lane = low_sreg(F, WW_SREG_LANEID);
  for (uint32_t d = 1; d < 32; d *= 2) {
    ww_val n = low_i32(F, d), up = shuffle(F, WW_SHFL_UP, t, v, n);
    v = low_select(F, t, low_cmp(F, WW_UGE, WW_I32, lane, n), low_binary(F, op, t, v, up), v);
  }
  if (!inclusive) {
    ww_val up = shuffle(F, WW_SHFL_UP, t, v, low_i32(F, 1));
    v = low_select(F, t, low_cmp(F, WW_EQ, WW_I32, lane, low_i32(F, 0)), identity(F, op, t), up);
  }
  c->res[0] = v;
}

static bool cl_sub_group_fn(low_callee *c, const char *s) {
  low_fn *F = c->F;
  if (strncmp(s, "sub_group_", 10) || c->rt->n != 1 || !c->nargs)
    return false;
  s += 10;
  ww_type t = call_type(c);
  bool sign = strchr("cslxia", c->sig[0]) != NULL;
  if (!strcmp(s, "all") || !strcmp(s, "any")) {
    ww_val p = low_cmp(F, WW_NE, WW_I32, call_arg(c, 0), low_i32(F, 0));
    call_set_int(c,
                 low_opx(F, WW_OP_VOTE, WW_I1, *s == 'a' && s[1] == 'l' ? WW_VOTE_ALL : WW_VOTE_ANY,
                         0, p, WW_NOVAL, WW_NOVAL),
                 WW_I1, false);
    return true;
  }
  static const low_named shuffles[] = {{"broadcast", WW_SHFL_IDX},     {"shuffle", WW_SHFL_IDX},
                                       {"shuffle_xor", WW_SHFL_BFLY},  {"shuffle_up", WW_SHFL_UP},
                                       {"shuffle_down", WW_SHFL_DOWN}, {NULL, -1}};
  int mode = c->nargs == 2 ? low_value_named(shuffles, s, strlen(s)) : -1;
  if (mode >= 0) {
    ww_val lane = call_arg_as(c, 1, WW_I32, false);
    c->res[0] = shuffle(F, mode, t, call_arg(c, 0), lane);
    return true;
  }
  bool reduce = ww_starts(s, "reduce_"), in = ww_starts(s, "scan_inclusive_"),
       ex = ww_starts(s, "scan_exclusive_");
  if (in && c->nargs > 2)
    return false;
  int op = reduce ? reduce_op(s + 7, t, sign) : in || ex ? reduce_op(s + 15, t, sign) : -1;
  if (op < 0)
    return false;
  if (!reduce) {
    group_scan(c, op, t, in);
    return true;
  }
  ww_val v = call_arg(c, 0);
  for (uint32_t d = 16; d; d /= 2)
    v = low_binary(F, op, t, v, shuffle(F, WW_SHFL_BFLY, t, v, low_i32(F, d)));
  c->res[0] = v;
  return true;
}

static void cl_group_vote(low_callee *c, int sub, int y) { /* work_group_all, work_group_any */
  low_fn *F = c->F;
  ww_val p = low_cmp(F, WW_NE, WW_I32, call_arg(c, 0), low_i32(F, 0)), r = low_new_val(F, WW_I1);
  ww_ins *b = low_ins(F, WW_OP_BAR, WW_I1);
  b->sub = sub;
  b->a = p;
  b->dst = r;
  b->nres = 1;
  call_set_int(c, r, WW_I1, false);
}

static void cl_image(low_callee *c, int x, int y) {
  low_refuse(c->F, "images (%s)", c->name);
}

static void cl_same_pointer(low_callee *c, int x, int y) {
  c->res[0] = call_arg(c, 0);
}

/* ---- the table ---- */

static const low_row rows[] = {{"get_global_id", call_global_id, NULL, 0, 0},
                               {"get_local_id", call_ww_axis, NULL, WW_SREG_TID_X, 0},
                               {"get_group_id", call_ww_axis, NULL, WW_SREG_CTAID_X, 0},
                               {"get_local_size", call_ww_axis, NULL, WW_SREG_NTID_X, 0},
                               {"get_enqueued_local_size", call_ww_axis, NULL, WW_SREG_NTID_X, 0},
                               {"get_num_groups", call_ww_axis, NULL, WW_SREG_NCTAID_X, 0},
                               {"get_global_size", call_global_size, NULL, 0, 0},
                               {"get_global_offset", call_nothing, NULL, 0, 0},
                               {"get_work_dim", cl_work_dim, NULL, 0, 0},
                               {"get_local_linear_id", cl_local_linear_id, NULL, 0, 0},
                               {"get_global_linear_id", cl_global_linear_id, NULL, 0, 0},
                               {"get_sub_group_size", call_sreg, NULL, WW_SREG_WARPSIZE, 0},
                               {"get_max_sub_group_size", call_sreg, NULL, WW_SREG_WARPSIZE, 0},
                               {"get_sub_group_local_id", call_sreg, NULL, WW_SREG_LANEID, 0},
                               {"get_sub_group_id", cl_sub_group, NULL, 0, 0},
                               {"get_num_sub_groups", cl_sub_group, NULL, 1, 0},
                               {"get_enqueued_num_sub_groups", cl_sub_group, NULL, 1, 0},
                               {"barrier", call_emit, NULL, WW_OP_BAR, 0},
                               {"work_group_barrier", call_emit, NULL, WW_OP_BAR, 0},
                               {"sub_group_barrier", call_emit, NULL, WW_OP_SYNCWARP, 0},
                               {"mem_fence", call_fence, NULL, 0, 0},
                               {"read_mem_fence", call_fence, NULL, 0, 0},
                               {"write_mem_fence", call_fence, NULL, 0, 0},
                               {"atomic_work_item_fence", call_fence, NULL, 1, 0},
                               {"work_group_all", cl_group_vote, NULL, 2, 0},
                               {"work_group_any", cl_group_vote, NULL, 3, 0},
                               {"async_work_group_copy", cl_async_copy, NULL, 0, 0},
                               {"async_work_group_strided_copy", cl_async_copy, NULL, 1, 0},
                               {"wait_group_events", call_emit, NULL, WW_OP_BAR, 0},
                               {"prefetch", call_nothing, NULL, 0, 0},
                               {"printf", call_printf, NULL, 0, 0},
                               {"read_image*", cl_image, NULL, 0, 0},
                               {"write_image*", cl_image, NULL, 0, 0},
                               {"get_image*", cl_image, NULL, 0, 0},
                               {"to_global", cl_same_pointer, NULL, 0, 0},
                               {"to_local", cl_same_pointer, NULL, 0, 0},
                               {"to_private", cl_same_pointer, NULL, 0, 0},
                               {"min", NULL, each_minmax, 0, 0},
                               {"max", NULL, each_minmax, 1, 0},
                               {"fmin", NULL, each_minmax, 0, 0},
                               {"fmax", NULL, each_minmax, 1, 0},
                               {"clamp", NULL, each_clamp, 0, 0},
                               {"abs", NULL, each_abs, 0, 0},
                               {"abs_diff", NULL, each_abs_diff, 0, 0},
                               {"add_sat", NULL, each_sat, WW_OP_ADD, -1},
                               {"sub_sat", NULL, each_sat, WW_OP_SUB, -1},
                               {"hadd", NULL, each_hadd, 0, -1},
                               {"rhadd", NULL, each_hadd, 1, -1},
                               {"mul_hi", NULL, each_mulhi, -1, 0},
                               {"mad_hi", NULL, each_mulhi, -1, 1},
                               {"mul24", NULL, each_mul24, -1, 0},
                               {"mad24", NULL, each_mul24, -1, 1},
                               {"mad_sat", NULL, each_mad_sat, 0, 0},
                               {"clz", NULL, each_op, WW_OP_CTLZ, 0},
                               {"ctz", NULL, each_op, WW_OP_CTTZ, 0},
                               {"popcount", NULL, each_op, WW_OP_CTPOP, 0},
                               {"rotate", NULL, each_rotate, 0, 0},
                               {"upsample", NULL, each_upsample, 0, 0},
                               {"degrees", NULL, each_scale, 1, 0},
                               {"radians", NULL, each_scale, 0, 0},
                               {"mix", NULL, each_mix, 0, 0},
                               {"step", NULL, each_step, 0, 0},
                               {"smoothstep", NULL, each_smoothstep, 0, 0},
                               {"sign", NULL, each_sign, 0, 0},
                               {"bitselect", NULL, each_bitselect, 0, 0},
                               {"select", NULL, each_select, 0, 0},
                               {"rootn", NULL, each_rootn, 0, 0},
                               {"nan", NULL, each_nan, 0, 0},
                               {"any", cl_any_all, NULL, 0, 0},
                               {"all", cl_any_all, NULL, 1, 0},
                               {"isnan", NULL, each_fclass, FC_NAN, 0},
                               {"isinf", NULL, each_fclass, FC_INF, 0},
                               {"isfinite", NULL, each_fclass, FC_FINITE, 0},
                               {"isnormal", NULL, each_fclass, FC_NORMAL, 0},
                               {"signbit", NULL, each_fclass, FC_SIGN, 0},
                               {"isordered", NULL, each_fclass, FC_NOT_NAN2, 0},
                               {"isunordered", NULL, each_fclass, FC_NAN2, 0},
                               {"isequal", NULL, each_fclass, FC_EQ, 0},
                               {"isnotequal", NULL, each_fclass, FC_NE, 0},
                               {"isgreater", NULL, each_fclass, FC_GT, 0},
                               {"isgreaterequal", NULL, each_fclass, FC_GE, 0},
                               {"isless", NULL, each_fclass, FC_LT, 0},
                               {"islessequal", NULL, each_fclass, FC_LE, 0},
                               {"islessgreater", NULL, each_fclass, FC_LG, 0},
                               {"dot", cl_geometric, NULL, G_DOT, 0},
                               {"length", cl_geometric, NULL, G_LENGTH, 0},
                               {"distance", cl_geometric, NULL, G_DISTANCE, 0},
                               {"normalize", cl_geometric, NULL, G_NORMALIZE, 0},
                               {"fast_length", cl_geometric, NULL, G_LENGTH, WW_F_APPROX},
                               {"fast_distance", cl_geometric, NULL, G_DISTANCE, WW_F_APPROX},
                               {"fast_normalize", cl_geometric, NULL, G_NORMALIZE, WW_F_APPROX},
                               {"cross", cl_cross, NULL, 0, 0},
                               {"sincos", cl_pointer, NULL, P_SINCOS, 0},
                               {"fract", cl_pointer, NULL, P_FRACT, 0},
                               {"modf", cl_pointer, NULL, P_MODF, 0},
                               {"frexp", cl_pointer, NULL, P_FREXP, 0},
                               {"remquo", cl_pointer, NULL, P_REMQUO, 0}};

static const low_row *row_named(const char *base) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t n = strlen(rows[i].pattern);
    bool prefix = rows[i].pattern[n - 1] == '*';
    if (prefix ? !strncmp(base, rows[i].pattern, n - 1) : !strcmp(base, rows[i].pattern))
      return &rows[i];
  }
  return NULL;
}

bool call_opencl(low_callee *c) {
  char base[64];
  int flags = 0;
  if (c->F->L->dialect != WW_OPENCL || !parse_builtin(c, base))
    return false;
  const low_row *r = row_named(base);
  if (r) {
    if (r->each)
      call_each(c, r->each, r->x, r->y);
    else
      r->whole(c, r->x, r->y);
    return true;
  }
  if (cl_convert(c, base) || cl_vload(c, base) || cl_vstore(c, base) || cl_atomic(c, base) ||
      cl_sub_group_fn(c, base))
    return true;
  const char *s = base;
  if (ww_starts(s, "native_")) {
    s += 7;
    flags = WW_F_APPROX;
  } else if (ww_starts(s, "half_")) {
    s += 5;
    flags = WW_F_APPROX;
  }
  return call_float_fn(c, s, strlen(s), flags);
}
