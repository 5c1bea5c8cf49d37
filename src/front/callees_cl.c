/* callees_cl.c - OpenCL builtins, found by their Itanium-mangled names because they are
 * overloaded.
 *
 * The mangled parameters tell signedness (LLVM's integers do not) and vector width;
 * elementwise builtins are then handled like any other. Work-item functions follow
 * CUDA's special registers, an offset of zero included. */
#include "callees_int.h"

#include <stdlib.h>

/* ---- mangled names ---- */

/* A type is the letter of its elements': i j l m s t c h f d, 'H' half, 'n' named, 'z'
 * varargs. */
typedef struct {
  const char *s;
  char subst[32];
  uint32_t nsubst;
  bool bad;
} cl_parser;

static char remember(cl_parser *p, char t) {
  if (p->nsubst < 32)
    p->subst[p->nsubst++] = t;
  return t;
}

static char substitution(cl_parser *p) { /* S_ S0_ S1_ ..., base 36 */
  uint32_t k = 0;
  if (*p->s != '_') {
    for (; isalnum((unsigned char)*p->s); p->s++)
      k = k * 36 + (ww_is_digit(*p->s) ? *p->s - '0' : *p->s - 'A' + 10);
    k++;
  }
  if (*p->s == '_')
    p->s++;
  return k < p->nsubst ? p->subst[k] : 'n';
}

static void skip_name(cl_parser *p) {
  size_t n;
  const char *name = low_mangled(p->s, &n);
  p->bad |= !name;
  p->s = name ? name + n : "";
}

static char parse_type(cl_parser *p);

static char plain_type(cl_parser *p) {
  if (*p->s == 'P') {
    p->s++;
    return remember(p, parse_type(p));
  }
  if (ww_starts(p->s, "Dv")) {
    p->s += 2 + strspn(p->s + 2, "0123456789");
    if (*p->s == '_')
      p->s++;
    return remember(p, parse_type(p));
  }
  if (ww_starts(p->s, "Dh")) {
    p->s += 2;
    return 'H';
  }
  if (ww_is_digit(*p->s)) {
    skip_name(p);
    return remember(p, 'n');
  }
  if (*p->s == 'S') {
    p->s++;
    return substitution(p);
  }
  if (islower((unsigned char)*p->s))
    return *p->s++;
  p->bad = true;
  return 'n';
}

static char parse_type(cl_parser *p) {
  bool qualified = false;
  while (*p->s && strchr("UKVr", *p->s)) {
    qualified = true;
    if (*p->s++ == 'U')
      skip_name(p);
  }
  char t = plain_type(p);
  return qualified ? remember(p, t) : t;
}

static bool parse_builtin(low_callee *c, char base[64]) {
  size_t n;
  if (!ww_starts(c->name, "_Z") || !ww_is_digit(c->name[2]))
    return false;
  const char *name = low_mangled(c->name + 2, &n);
  if (!name || !n || n > 63)
    return false;
  snprintf(base, 64, "%.*s", (int)n, name);
  cl_parser p = {.s = name + n};
  for (uint32_t i = 0; *p.s && !p.bad && i < CALL_MAX_ARGS; i++)
    c->sig[i] = parse_type(&p);
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
  ww_val a = call_arg_as(c, arg, WW_I32, false);
  ww_val v = low_sreg(F, first);
  for (int k = 1; k < 3; k++)
    v = low_select(F, WW_I32, low_cmpk(F, WW_EQ, WW_I32, a, k), low_sreg(F, first + k),
                   v);
  return v;
}

static ww_val mul32(low_fn *F, ww_val a, ww_val b) {
  return low_op32(F, WW_OP_MUL, a, b);
}
static ww_val add32(low_fn *F, ww_val a, ww_val b) {
  return low_op32(F, WW_OP_ADD, a, b);
}

void call_global_id(low_callee *c) {
  ww_val v =
      mul32(c->F, call_axis(c, 0, WW_SREG_CTAID_X), call_axis(c, 0, WW_SREG_NTID_X));
  call_set32(c, add32(c->F, v, call_axis(c, 0, WW_SREG_TID_X)));
}

void call_global_size(low_callee *c) {
  call_set32(c, mul32(c->F, call_axis(c, 0, WW_SREG_NCTAID_X),
                      call_axis(c, 0, WW_SREG_NTID_X)));
}

static ww_val linear_tid(low_fn *F) {
  ww_val yz =
      add32(F, mul32(F, low_sreg(F, WW_SREG_TID_Z), low_sreg(F, WW_SREG_NTID_Y)),
            low_sreg(F, WW_SREG_TID_Y));
  return add32(F, mul32(F, yz, low_sreg(F, WW_SREG_NTID_X)),
               low_sreg(F, WW_SREG_TID_X));
}

static ww_val group_threads(low_fn *F) {
  return mul32(F, mul32(F, low_sreg(F, WW_SREG_NTID_X), low_sreg(F, WW_SREG_NTID_Y)),
               low_sreg(F, WW_SREG_NTID_Z));
}

static void cl_local_linear_id(low_callee *c) {
  call_set32(c, linear_tid(c->F));
}

static ww_val global_coord(low_fn *F, int axis) {
  return add32(
      F,
      mul32(F, low_sreg(F, WW_SREG_CTAID_X + axis), low_sreg(F, WW_SREG_NTID_X + axis)),
      low_sreg(F, WW_SREG_TID_X + axis));
}

static ww_val global_size(low_fn *F, int axis) {
  return mul32(F, low_sreg(F, WW_SREG_NCTAID_X + axis),
               low_sreg(F, WW_SREG_NTID_X + axis));
}

static void cl_global_linear_id(low_callee *c) {
  low_fn *F = c->F;
  ww_val v = global_coord(F, 2);
  for (int k = 1; k >= 0; k--)
    v = add32(F, mul32(F, v, global_size(F, k)), global_coord(F, k));
  call_set32(c, v);
}

static void cl_work_dim(low_callee *c) { /* as many axes as are longer than one */
  low_fn *F = c->F;
  ww_val one = low_i32(F, 1);
  ww_val n = one;
  for (int k = 1; k < 3; k++) {
    ww_val size = global_size(F, k);
    n = low_select(F, WW_I32, low_cmp(F, WW_UGT, WW_I32, size, one), low_i32(F, k + 1),
                   n);
  }
  call_set32(c, n);
}

static void cl_sub_group(low_callee *c) { /* 0: id, 1: how many */
  low_fn *F = c->F;
  ww_val five = low_i32(F, 5);
  ww_val v = c->x ? low_add_imm(F, group_threads(F), WW_I32, 31) : linear_tid(F);
  call_set32(c, low_op32(F, WW_OP_LSHR, v, five));
}

/* ---- elementwise ---- */

static ww_val minmax(const low_lane *s, bool max, ww_val a, ww_val b) {
  static const uint8_t ops[2][3] = {{WW_OP_UMIN, WW_OP_SMIN, WW_OP_FMIN},
                                    {WW_OP_UMAX, WW_OP_SMAX, WW_OP_FMAX}};
  return lane_op(s, ops[max][ww_is_float(s->rt) ? 2 : s->sign], a, b);
}

static ww_val each_minmax(const low_lane *s) {
  return minmax(s, s->x, s->a, s->b);
}

static ww_val each_clamp(const low_lane *s) {
  return minmax(s, false, minmax(s, true, s->a, s->b), s->c);
}

static ww_val each_abs(const low_lane *s) {
  return s->sign ? low_unary(s->F, WW_OP_IABS, s->rt, s->a) : s->a;
}

static ww_val each_abs_diff(const low_lane *s) {
  ww_val hi = minmax(s, true, s->a, s->b);
  ww_val lo = minmax(s, false, s->a, s->b);
  return lane_op(s, WW_OP_SUB, hi, lo);
}

static ww_val each_scale(const low_lane *s) {
  double k = s->x ? 57.29577951308232 : 0.017453292519943295;
  return lane_op(s, WW_OP_FMUL, s->a, low_fconst(s->F, s->rt, k));
}

static ww_val each_mix(const low_lane *s) { /* x + (y - x) * a */
  ww_val d = low_binary(s->F, WW_OP_FSUB, s->rt, s->b, s->a);
  return low_op(s->F, WW_OP_FMA, s->rt, d, s->c, s->a);
}

static ww_val each_step(const low_lane *s) {
  low_fn *F = s->F;
  return low_select(F, s->rt, low_cmp(F, WW_FOLT, s->rt, s->b, s->a),
                    low_fconst(F, s->rt, 0), low_fconst(F, s->rt, 1));
}

static ww_val each_smoothstep(const low_lane *s) {
  low_fn *F = s->F;
  ww_type t = s->rt;
  ww_val u = low_clamp01(F, t,
                         lane_op(s, WW_OP_FDIV, lane_op(s, WW_OP_FSUB, s->c, s->a),
                                 lane_op(s, WW_OP_FSUB, s->b, s->a)));
  ww_val k = low_op(F, WW_OP_FMA, t, u, low_fconst(F, t, -2), low_fconst(F, t, 3));
  return lane_op(s, WW_OP_FMUL, lane_op(s, WW_OP_FMUL, u, u), k);
}

static ww_val each_sign(const low_lane *s) {
  low_fn *F = s->F;
  ww_type t = s->rt;
  ww_val zero = low_fconst(F, t, 0);
  ww_val one = low_math(F, WW_MATH_COPYSIGN, t, 0, low_fconst(F, t, 1), s->a, WW_NOVAL);
  ww_val r = low_select(F, t, low_cmp(F, WW_FOEQ, t, s->a, zero), s->a, one);
  return low_select(F, t, low_cmp(F, WW_FUNO, t, s->a, s->a), zero, r);
}

static ww_val each_upsample(const low_lane *s) {
  ww_val hi = low_int_to(s->F, s->a, s->ta, s->rt, false);
  ww_val lo = low_int_to(s->F, s->b, s->tb, s->rt, false);
  return lane_op(s, WW_OP_OR, lane_opk(s, WW_OP_SHL, hi, ww_type_bits(s->tb)), lo);
}

static ww_val each_mad_sat(const low_lane *s) { /* exact for up to 32 bits, in 64 */
  low_fn *F = s->F;
  ww_type t = s->rt;
  if (t == WW_I64)
    low_refuse(F, "calls mad_sat on 64-bit integers");
  ww_val a = low_int_to(F, s->a, t, WW_I64, s->sign);
  ww_val b = low_int_to(F, s->b, t, WW_I64, s->sign);
  ww_val c = low_int_to(F, s->c, t, WW_I64, s->sign);
  ww_val r = low_op64(F, WW_OP_ADD, low_op64(F, WW_OP_MUL, a, b), c);
  unsigned w = ww_type_bits(t) & 63;
  uint64_t hi = s->sign ? (1ull << (w - 1)) - 1 : (1ull << w) - 1;
  uint64_t lo = s->sign ? (uint64_t) - (1ll << (w - 1)) : 0;
  r = low_op64k(F, WW_OP_SMIN, r, hi);
  return low_int_to(F, low_op64k(F, WW_OP_SMAX, r, lo), WW_I64, t, false);
}

static ww_val each_bitselect(const low_lane *s) { /* a where the mask is 0, b where 1 */
  low_fn *F = s->F;
  ww_type t = low_int_type(ww_type_bits(s->rt));
  ww_val a = low_bits(F, s->a, s->ta, t);
  ww_val b = low_bits(F, s->b, s->tb, t);
  ww_val m = low_bits(F, s->c, s->tc, t);
  ww_val d = low_binary(F, WW_OP_AND, t, low_binary(F, WW_OP_XOR, t, a, b), m);
  return low_bits(F, low_binary(F, WW_OP_XOR, t, a, d), t, s->rt);
}

/* scalar: c != 0, vector: its sign bit */
static ww_val each_select(const low_lane *s) {
  ww_val zero = low_const(s->F, s->tc, 0);
  ww_val p = low_cmp(s->F, s->call->rt->n > 1 ? WW_SLT : WW_NE, s->tc, s->c, zero);
  return low_select(s->F, s->rt, p, s->b, s->a);
}

static ww_val each_rootn(const low_lane *s) {
  ww_val n = low_cvt(s->F, WW_OP_SITOF, s->rt, s->tb, WW_RN, s->b);
  ww_val r = low_math1(s->F, WW_MATH_RCP, s->rt, 0, n);
  return low_math(s->F, WW_MATH_POW, s->rt, 0, s->a, r, WW_NOVAL);
}

static ww_val each_compare(const low_lane *s) {
  return lane_bool(s, low_cmp(s->F, s->x, s->ta, s->a, s->b));
}

static ww_val each_nan(const low_lane *s) {
  return low_fconst(s->F, s->rt, NAN);
}

/* ---- reductions over a vector ---- */

static void cl_any_all(low_callee *c) {
  low_fn *F = c->F;
  ww_type t = c->at[0]->c[0].type;
  ww_val acc = call_comp(c, 0, 0);
  for (uint32_t i = 1; i < c->at[0]->n; i++)
    acc = low_binary(F, c->x ? WW_OP_AND : WW_OP_OR, t, acc, call_comp(c, 0, i));
  call_set_int(c, low_cmpk(F, WW_SLT, t, acc, 0), WW_I1, false);
}

static ww_val dot(low_fn *F, const ww_val *a, const ww_val *b, uint32_t n, ww_type t) {
  ww_val acc = low_binary(F, WW_OP_FMUL, t, a[0], b[0]);
  for (uint32_t i = 1; i < n; i++)
    acc = low_op(F, WW_OP_FMA, t, a[i], b[i], acc);
  return acc;
}

void call_norm4(low_callee *c, ww_math root) {
  ww_type t = call_type(c);
  ww_val v[4];
  for (uint32_t i = 0; i < 4; i++)
    v[i] = call_arg(c, i);
  call_set(c, low_math1(c->F, root, t, 0, dot(c->F, v, v, 4, t)));
}

enum { G_DOT, G_LENGTH, G_DISTANCE, G_NORMALIZE };

static void cl_geometric(low_callee *c) {
  low_fn *F = c->F;
  uint32_t n = c->at[0]->n;
  ww_val a[4];
  ww_val b[4];
  if (!n || n > 4) {
    call_refuse(c);
    return;
  }
  ww_type t = c->at[0]->c[0].type;
  for (uint32_t i = 0; i < n; i++) {
    a[i] = call_comp(c, 0, i);
    b[i] = c->x == G_DOT || c->x == G_DISTANCE ? call_comp(c, 1, i) : a[i];
    if (c->x == G_DISTANCE)
      a[i] = b[i] = low_binary(F, WW_OP_FSUB, t, a[i], b[i]);
  }
  ww_val d = dot(F, a, b, n, t);
  if (c->x == G_DOT)
    call_set(c, d);
  else if (c->x != G_NORMALIZE)
    call_set(c, low_math1(F, WW_MATH_SQRT, t, c->y, d));
  else {
    ww_val r = low_math1(F, WW_MATH_RSQRT, t, c->y, d);
    for (uint32_t i = 0; i < n; i++)
      c->res[i] = low_binary(F, WW_OP_FMUL, t, a[i], r);
  }
}

static void cl_cross(low_callee *c) {
  low_fn *F = c->F;
  ww_type t = call_type(c);
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t j = (i + 1) % 3;
    uint32_t k = (i + 2) % 3;
    ww_val m = low_binary(F, WW_OP_FMUL, t, call_comp(c, 0, k), call_comp(c, 1, j));
    c->res[i] = low_op(F, WW_OP_FMA, t, call_comp(c, 0, j), call_comp(c, 1, k),
                       low_unary(F, WW_OP_FNEG, t, m));
  }
  if (c->rt->n > 3)
    c->res[3] = low_fconst(F, t, 0);
}

/* ---- results through a pointer: sincos, fract, modf, frexp, remquo, lgamma_r ---- */

static void store_all(low_callee *c, const ww_val *v, uint32_t n, ww_type t) {
  low_comp k[16];
  low_addr p = call_ptr(c, c->nargs - 1, (n == 3 ? 4 : n) * ww_type_bytes[t]);
  low_store(c->F, p, low_elements(k, t, n), n, v);
}

/* res = a - floor(a) or a - trunc(a), or a function of the first row; out = one of the
 * second */
static void two_results(low_callee *c, uint32_t i, ww_val *out) {
  static const uint8_t first[] = {WW_MATH_SIN,   WW_MATH_SINPI, WW_MATH_FRACT,
                                  WW_MATH_FLOOR, WW_MATH_TRUNC, WW_MATH_FREXP_MANT};
  static const uint8_t second[] = {WW_MATH_COS, WW_MATH_COSPI,    WW_MATH_FLOOR, 0,
                                   0,           WW_MATH_FREXP_EXP};
  low_fn *F = c->F;
  ww_type t = call_type(c);
  ww_val a = call_comp(c, 0, i);
  if (c->x == P_REMQUO) {
    ww_val b = call_comp(c, 1, i);
    c->res[i] = low_math(F, WW_MATH_REMAINDER, t, 0, a, b, WW_NOVAL);
    *out = call_quotient(F, t, a, b);
    return;
  }
  ww_val r = low_math1(F, first[c->x], t, 0, a);
  bool fraction = c->x == P_WHOLE || c->x == P_MODF;
  *out = fraction ? r : low_math1(F, second[c->x], c->x == P_FREXP ? WW_I32 : t, 0, a);
  c->res[i] = fraction ? low_binary(F, WW_OP_FSUB, t, a, r) : r;
}

void call_two(low_callee *c) {
  uint32_t n = c->rt->n < 16 ? c->rt->n : 16;
  ww_val out[16];
  for (uint32_t i = 0; i < n; i++)
    two_results(c, i, &out[i]);
  store_all(c, out, n, c->x == P_FREXP || c->x == P_REMQUO ? WW_I32 : call_type(c));
}

/* ---- conversions: convert_<type>[_sat][_rte|_rtz|_rtp|_rtn] ---- */

int call_rounding(char letter) {
  return letter == 'z' ? WW_RZ : letter == 'p' ? WW_RU : letter == 'n' ? WW_RD : WW_RN;
}

/* The rounding that the name ends in, else `none`. */
static int named_rounding(const char *s, int none) {
  const char *at = strstr(s, "_rt");
  return at ? call_rounding(at[3]) : none;
}

static ww_val each_convert(const low_lane *s) { /* s->y: 1 target signed, 2 saturate */
  low_fn *F = s->F;
  bool from_f = ww_is_float(s->ta), to_f = ww_is_float(s->rt), to_signed = s->y & 1;
  unsigned w = ww_type_bits(s->rt);
  ww_val v = s->a;
  if (from_f || to_f)
    return low_convert(F, v, s->ta, s->rt, s->x, from_f ? to_signed : s->sign);
  if (!(s->y & 2) || s->ta == WW_I1)
    return low_int_to(F, v, s->ta, s->rt, s->sign);
  /* clamp where the source reaches beyond the target's range */
  unsigned wf = ww_type_bits(s->ta);
  uint64_t top = to_signed ? (1ull << (w - 1)) - 1 : w == 64 ? ~0ull : (1ull << w) - 1;
  if (s->sign && !to_signed)
    v = low_binaryk(F, WW_OP_SMAX, s->ta, v, 0);
  if (s->sign && to_signed && wf > w)
    v = low_binaryk(F, WW_OP_SMAX, s->ta, v, (uint64_t) - (1ull << (w - 1)));
  if (wf > w || (wf == w && !s->sign && to_signed))
    v = low_binaryk(F, s->sign ? WW_OP_SMIN : WW_OP_UMIN, s->ta, v, top);
  return low_int_to(F, v, s->ta, s->rt, s->sign);
}

static bool cl_convert(low_callee *c, const char *s) {
  if (!ww_starts(s, "convert_"))
    return false;
  s += 8;
  bool to_float = c->rt->n && ww_is_float(call_type(c)),
       from_float = c->at[0]->n && ww_is_float(c->at[0]->c[0].type);
  int round = named_rounding(s, from_float && !to_float ? WW_RZ : WW_RN);
  call_each(c, each_convert, round, (*s != 'u') | (strstr(s, "_sat") ? 2 : 0));
  return true;
}

/* ---- vloadN vstoreN [_half[N]] ---- */

/* The vector in memory that the name speaks of: its n components to k, its address to
 * p. */
static bool vector_at(low_callee *c,
                      const char *s,
                      uint32_t offset_arg,
                      const low_type *t,
                      low_comp k[16],
                      low_addr *p) {
  if (c->nargs != offset_arg + 2 || !t->n || t->n > 16)
    return false;
  bool aligned = s[offset_arg ? 6 : 5] == 'a', half = strstr(s, "_half");
  low_elements(k, half ? WW_F16 : t->c[0].type, t->n);
  uint32_t step = aligned && t->n == 3 ? 4 : t->n;
  uint32_t size = k->mem;
  *p = call_ptr(c, offset_arg + 1, aligned ? step * size : size);
  ww_val index = call_arg_as(c, offset_arg, WW_I64, false);
  p->base = low_lea(c->F, p->base, index, (int64_t)step * size);
  return true;
}

static bool cl_vload(low_callee *c, const char *s) {
  low_addr p;
  low_comp k[16];
  ww_val v[16];
  if (!ww_starts(s, "vload") || !vector_at(c, s, 0, c->rt, k, &p))
    return false;
  low_load(c->F, p, k, c->rt->n, v);
  for (uint32_t i = 0; i < c->rt->n; i++)
    c->res[i] = low_convert(c->F, v[i], k->type, call_type(c), WW_RN, false);
  return true;
}

static bool cl_vstore(low_callee *c, const char *s) {
  const low_type *t = c->at[0];
  low_addr p;
  low_comp k[16];
  ww_val v[16];
  if (!ww_starts(s, "vstore") || !vector_at(c, s, 1, t, k, &p))
    return false;
  for (uint32_t i = 0; i < t->n; i++)
    v[i] = low_convert(c->F, call_comp(c, 0, i), t->c[0].type, k->type,
                       named_rounding(s, WW_RN), false);
  low_store(c->F, p, k, t->n, v);
  return true;
}

/* ---- async copies: the work-group shares the elements out, then waits ---- */

static ww_type pointee(const low_callee *c) {
  static const char letters[] = "chastHfdlm";
  static const uint8_t types[] = {WW_I8,  WW_I8,  WW_I8,  WW_I16, WW_I16,
                                  WW_F16, WW_F32, WW_F64, WW_I64, WW_I64};
  const char *at = c->sig[0] ? strchr(letters, c->sig[0]) : NULL;
  return at ? types[at - letters] : WW_I32;
}

static void cl_async_copy(low_callee *c) {
  low_fn *F = c->F;
  ww_type t = pointee(c);
  const char *v = strstr(c->name, "Dv"); /* a vector element: its width */
  uint32_t lanes = v ? atoi(v + 2) : 1;
  uint32_t bytes = (lanes == 3 ? 4 : lanes) * ww_type_bytes[t];
  bool to_local = low_space_of(F, c->arg[0]) == WW_SHARED;
  low_addr to = call_ptr(c, 0, bytes < 16 ? bytes : 16);
  low_addr from = call_ptr(c, 1, bytes < 16 ? bytes : 16);
  ww_val n = call_arg_as(c, 2, WW_I64, false);
  ww_val stride = c->x ? call_arg_as(c, 3, WW_I64, false) : WW_NOVAL;
  ww_val first = low_int_to(F, linear_tid(F), WW_I32, WW_I64, false);
  ww_val step = low_int_to(F, group_threads(F), WW_I32, WW_I64, false);
  uint32_t before = F->cur;
  uint32_t head = low_new_block(F, "copy");
  uint32_t body = low_new_block(F, NULL);
  uint32_t done = low_new_block(F, NULL);
  low_br(F, head);
  F->cur = head;
  /* the second value is patched below */
  ww_val i = low_phi2(F, WW_I64, before, first, body, first);
  low_cbr(F, low_cmp(F, WW_ULT, WW_I64, i, n), body, done);
  F->cur = body;
  ww_val far = c->x ? low_op64(F, WW_OP_MUL, i, stride) : i;
  to.base = low_lea(F, to.base, c->x && !to_local ? far : i, bytes);
  from.base = low_lea(F, from.base, c->x && to_local ? far : i, bytes);
  low_copy(F, to, from, bytes);
  ww_val next = low_op64(F, WW_OP_ADD, i, step);
  F->pool.v[F->blocks.v[head].phis.v[0].ext + 3] = next;
  low_br(F, head);
  F->cur = done;
  if (c->rt->n)
    call_set(c, call_arg(c, c->nargs - 1));
}

/* ---- atomics ---- */

static bool atomic_rmw(low_callee *c, int rmw, ww_type t, low_addr p, ww_val operand) {
  ww_val r = low_atom(c->F, rmw, t, p, operand, call_used(c));
  if (call_used(c))
    call_set(c, r);
  return true;
}

/* (object, expected *, desired): bool */
static bool compare_exchange(low_callee *c, ww_type t, low_addr p) {
  low_fn *F = c->F;
  low_comp one = low_element(t, 0);
  ww_val want;
  ww_val old;
  low_addr e = call_ptr(c, 1, one.mem);
  low_load(F, e, &one, 1, &want);
  old = low_cas(F, t, p, want, call_arg(c, 2));
  low_store(F, e, &one, 1, &old);
  old = ww_is_float(t) ? low_bits(F, old, t, low_int_type(ww_type_bits(t))) : old;
  call_set_int(c, low_cmp(F, WW_EQ, t, old, want), WW_I1, false);
  return true;
}

static bool cl_atomic(low_callee *c, const char *s) {
  if ((!ww_starts(s, "atomic_") && !ww_starts(s, "atom_")) || !c->nargs)
    return false;
  s = strchr(s, '_') + 1;
  if (ww_starts(s, "fetch_"))
    s += 6;
  char *op = ww_strdup(c->F->a, s);
  char *tail = strstr(op, "_explicit");
  if (tail)
    *tail = 0;
  ww_type t = pointee(c);
  low_addr p = call_ptr(c, 0, 16);
  low_comp one = low_element(t, 0);
  if (!strcmp(op, "inc") || !strcmp(op, "dec"))
    return atomic_rmw(c, *op == 'i' ? WW_RMW_ADD : WW_RMW_SUB, t, p,
                      low_const(c->F, t, 1));
  if (ww_starts(op, "compare_exchange"))
    return compare_exchange(c, t, p);
  bool store = !strcmp(op, "store") || !strcmp(op, "init");
  if (!strcmp(op, "cmpxchg"))
    call_set(c, low_cas(c->F, t, p, call_arg(c, 1), call_arg(c, 2)));
  else if (store || !strcmp(op, "load")) {
    p.flags = WW_F_VOLATILE;
    p.align = one.mem;
    ww_val v = store ? call_arg(c, 1) : WW_NOVAL;
    if (store)
      low_store(c->F, p, &one, 1, &v);
    else
      low_load(c->F, p, &one, 1, c->res);
  } else {
    int rmw = c->nargs < 2 ? -1 : low_rmw_named(op, t, call_signed(c));
    return rmw >= 0 && atomic_rmw(c, rmw, t, p, call_arg(c, 1));
  }
  return true;
}

/* ---- sub-groups: a warp ---- */

static ww_val shuffle(low_fn *F, ww_shfl mode, ww_type t, ww_val v, ww_val lane) {
  return low_opx(F, WW_OP_SHFL, t, mode, 0, v, lane,
                 low_i32(F, mode == WW_SHFL_UP ? 0 : 31));
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
  ww_val v = call_arg(c, 0);
  ww_val lane = low_sreg(F, WW_SREG_LANEID);
  for (uint32_t d = 1; d < 32; d *= 2) {
    ww_val n = low_i32(F, d);
    ww_val up = shuffle(F, WW_SHFL_UP, t, v, n);
    v = low_select(F, t, low_cmp(F, WW_UGE, WW_I32, lane, n),
                   low_binary(F, op, t, v, up), v);
  }
  if (!inclusive) {
    ww_val up = shuffle(F, WW_SHFL_UP, t, v, low_i32(F, 1));
    v = low_select(F, t, low_cmpk(F, WW_EQ, WW_I32, lane, 0), identity(F, op, t), up);
  }
  call_set(c, v);
}

static bool sub_group_vote(low_callee *c, ww_vote mode) {
  call_set_int(c,
               low_vote(c->F, mode, low_nonzero(c->F, call_arg(c, 0)), WW_NOVAL, WW_I1),
               WW_I1, false);
  return true;
}

static bool cl_sub_group_fn(low_callee *c, const char *s) {
  low_fn *F = c->F;
  if (!ww_starts(s, "sub_group_") || c->rt->n != 1 || !c->nargs)
    return false;
  s += strlen("sub_group_");
  ww_type t = call_type(c);
  if (!strcmp(s, "all"))
    return sub_group_vote(c, WW_VOTE_ALL);
  if (!strcmp(s, "any"))
    return sub_group_vote(c, WW_VOTE_ANY);
  static const low_named shuffles[] = {
      {"broadcast", WW_SHFL_IDX},     {"shuffle", WW_SHFL_IDX},
      {"shuffle_xor", WW_SHFL_BFLY},  {"shuffle_up", WW_SHFL_UP},
      {"shuffle_down", WW_SHFL_DOWN}, {NULL, -1}};
  int mode = c->nargs == 2 ? low_value_named(shuffles, s, strlen(s)) : -1;
  if (mode >= 0) {
    call_set(c, shuffle(F, mode, t, call_arg(c, 0), call_arg_as(c, 1, WW_I32, false)));
    return true;
  }
  bool reduce = ww_starts(s, "reduce_"), in = ww_starts(s, "scan_inclusive_");
  if (!reduce && !in && !ww_starts(s, "scan_exclusive_"))
    return false;
  int op = low_arith_named(s + strlen(reduce ? "reduce_" : "scan_inclusive_"), t,
                           call_signed(c));
  if (op < 0 || (in && c->nargs > 2))
    return false;
  if (!reduce) {
    group_scan(c, op, t, in);
    return true;
  }
  ww_val v = call_arg(c, 0);
  for (uint32_t d = 16; d; d /= 2)
    v = low_binary(F, op, t, v, shuffle(F, WW_SHFL_BFLY, t, v, low_i32(F, d)));
  call_set(c, v);
  return true;
}

static void cl_group_vote(low_callee *c) { /* work_group_all, work_group_any */
  ww_val r = low_bar(c->F, c->x, low_nonzero(c->F, call_arg(c, 0)), WW_NOVAL, WW_NOVAL);
  call_set_int(c, r, WW_I1, false);
}

static void cl_image(low_callee *c) {
  low_refuse(c->F, "images (%s)", c->name);
}

/* ---- the table ---- */

static const low_row rows[] = {
#define W(pattern, fn, x, y) {pattern, fn, NULL, x, y},
#define E(pattern, fn, x, y) {pattern, NULL, fn, x, y},
#include "callees_cl.def"
};

bool call_opencl(low_callee *c) {
  char base[64];
  int flags = 0;
  if (c->F->L->m.dialect != WW_OPENCL || !parse_builtin(c, base))
    return false;
  const low_row *r = call_find(rows, sizeof rows / sizeof *rows, base);
  if (r) {
    call_run(c, r);
    return true;
  }
  if (cl_convert(c, base) || cl_vload(c, base) || cl_vstore(c, base) ||
      cl_atomic(c, base) || cl_sub_group_fn(c, base))
    return true;
  const char *s = base;
  if (ww_starts(s, "native_") || ww_starts(s, "half_")) {
    s = strchr(s, '_') + 1;
    flags = WW_F_APPROX;
  }
  return call_float_fn(c, s, strlen(s), flags);
}
