/* callees_nv.c - NVVM intrinsics and libdevice, and the C math library (libdevice's
 * names without the prefix). */
#include "callees_int.h"

#include <stdlib.h>

/* ---- registers ---- */

void call_nv_sreg(low_callee *c) {
  int s = low_nv_sreg(c->tail);
  if (s >= 0)
    call_set32(c, low_sreg(c->F, s));
  else if (ww_starts(c->tail, "clock") || ww_starts(c->tail, "globaltimer"))
    call_set(c, low_nullary(c->F, WW_OP_CLOCK, call_type(c)));
  else
    call_refuse(c);
}

/* ---- synchronisation ---- */

/* y: the first argument is the barrier's id, the second the number of threads (kept in
 * ext, 0: all)
 */
void call_nv_bar(low_callee *c) {
  bool reduces = c->x && !c->y;
  ww_val p = reduces ? low_nonzero(c->F, call_arg(c, 0)) : WW_NOVAL;
  ww_val id = c->y && c->nargs ? call_arg(c, 0) : WW_NOVAL;
  ww_val threads = c->y && c->nargs > 1 ? call_arg(c, 1) : WW_NOVAL;
  ww_val dst = low_bar(c->F, c->x, p, id, threads);
  if (reduces)
    call_set_int(c, dst, c->x == WW_BAR_POPC ? WW_I32 : WW_I1, false);
}

/* ---- warp ---- */

/* llvm.nvvm.shfl[.sync].<mode>.<type>[p]: the mask, where there is one, comes first */
void call_nv_shfl(low_callee *c) {
  char tok[4][24];
  uint32_t n = call_tokens(c, tok, 4);
  uint32_t first = !strcmp(tok[0], "sync");
  int mode =
      n > first ? low_value_named(low_shuffles, tok[first], strlen(tok[first])) : -1;
  if (mode < 0 || c->nargs < first + 3) {
    call_refuse(c);
    return;
  }
  ww_val in[3] = {call_arg(c, first), call_arg(c, first + 1), call_arg(c, first + 2)};
  ww_val out[2];
  low_shfl(c->F, mode, call_type(c), in, c->rt->n > 1, out);
  memcpy(c->res, out, c->rt->n * sizeof *out);
}

void call_nv_vote(low_callee *c) {
  int mode = low_value_named(low_votes, c->tail, strcspn(c->tail, "."));
  if (mode < 0) {
    call_refuse(c);
    return;
  }
  ww_val p = call_arg(c, c->nargs - 1);
  ww_val mask = c->nargs > 1 ? call_arg(c, 0) : WW_NOVAL;
  call_set(c, low_vote(c->F, mode, p, mask, call_type(c)));
}

void call_nv_match(low_callee *c) {
  ww_val out[2];
  low_match(c->F, call_arg(c, 1), call_arg(c, 0), ww_starts(c->tail, "all"), out);
  memcpy(c->res, out, c->rt->n * sizeof *out);
}

/* The intrinsic takes (value, mask), but clang's own __reduce_*_sync pass (mask,
 * value): the one that is all ones, or else the first, is taken for the mask. */
void call_nv_redux(low_callee *c) {
  int64_t mask;
  uint32_t value = call_const(c, 1, &mask) && mask == -1 ? 0 : 1;
  bool is_unsigned = c->tail[0] == 'u';
  int op = low_rmw_named(c->tail + is_unsigned, WW_I32, !is_unsigned);
  if (op < 0) {
    call_refuse(c);
    return;
  }
  ww_val operand = call_arg(c, value);
  ww_val lanes = call_arg(c, 1 - value);
  call_set(c, low_opx(c->F, WW_OP_REDUX, WW_I32, op, 0, operand, lanes, WW_NOVAL));
}

/* ---- memory ---- */

void call_nv_ldg(low_callee *c) {
  int64_t align = 1;
  call_const(c, 1, &align);
  low_addr p = call_ptr(c, 0, align);
  p.space = WW_GLOBAL;
  p.flags |= WW_F_READONLY;
  low_load(c->F, p, c->rt->c, c->rt->n, c->res);
}

/* llvm.nvvm.atomic.load.inc.32.p0, llvm.nvvm.atomic.add.gen.i.cta.i32.p0 ... */
void call_nv_atomic(low_callee *c) {
  char tok[6][24];
  uint32_t n = call_tokens(c, tok, 6);
  uint32_t at = n && !strcmp(tok[0], "load");
  ww_type t = c->rt->n ? call_type(c) : WW_VOID;
  low_addr p = call_ptr(c, 0, 16);
  if (n > at && !strcmp(tok[at], "cas") && c->nargs > 2) {
    call_set(c, low_cas(c->F, t, p, call_arg(c, 1), call_arg(c, 2)));
    return;
  }
  int op = n > at ? low_rmw_named(tok[at], t, !(n > at + 2 && strchr(tok[at + 2], 'u')))
                  : -1;
  if (op < 0)
    call_refuse(c);
  else
    call_set(c, low_atom(c->F, op, t, p, call_arg(c, 1), true));
}

void call_nv_isspace(low_callee *c) {
  ww_space is = low_space_of(c->F, c->arg[0]);
  ww_space want = WW_GENERIC;
  for (int s = 1; s < WW_NSPACES; s++)
    if (ww_starts(c->tail, ww_space_names[s]))
      want = s;
  call_set(c, is != WW_GENERIC ? low_const(c->F, WW_I1, is == want)
                               : low_in_space(c->F, call_arg(c, 0), want));
}

void call_nv_handle(low_callee *c) {
  call_set(c, call_arg(c, c->nargs - 1));
}

/* cp.async.{ca,cg}.shared.global.<bytes>[.s](to, from[, bytes read]),
 * cp.async.commit.group, cp.async.wait.group(left), cp.async.wait.all */
void call_nv_cp_async(low_callee *c) {
  char tok[6][24];
  uint32_t n = call_tokens(c, tok, 6);
  int64_t left = 0;
  bool waits = ww_starts(c->tail, "wait");
  if (ww_starts(c->tail, "commit") || (waits && !c->nargs))
    low_group(c->F, WW_GROUP_COPY_COMMIT, 0);
  if (waits && c->nargs && !call_const(c, 0, &left)) {
    call_refuse(c);
    return;
  }
  if (waits)
    low_group(c->F, WW_GROUP_COPY_WAIT, left);
  if (waits || ww_starts(c->tail, "commit"))
    return;
  if (n < 4 || strcmp(tok[1], "shared") || !atoi(tok[3])) {
    call_refuse(c);
    return;
  }
  uint32_t bytes = atoi(tok[3]);
  low_addr to = call_ptr(c, 0, bytes);
  low_addr from = call_ptr(c, 1, bytes);
  to.space = WW_SHARED;
  from.space = WW_GLOBAL;
  if (c->nargs > 2)
    low_copy_or_zero(c->F, to, from, call_arg_as(c, 2, WW_I32, false), bytes);
  else
    low_copy_async(c->F, to, from, bytes);
}

/* ---- bits ---- */

void call_hilo(low_callee *c) {
  low_comp half[2];
  low_comp whole = low_element(WW_F64, 0);
  ww_val in[2] = {call_arg(c, c->x), call_arg(c, !c->x)};
  low_repack(c->F, low_elements(half, WW_I32, 2), 2, in, &whole, 1, c->res);
}

void call_dhalf(low_callee *c) {
  ww_val v = low_bits(c->F, call_arg(c, 0), WW_F64, WW_I64);
  if (c->x)
    v = low_op64k(c->F, WW_OP_LSHR, v, 32);
  call_set_int(c, v, WW_I64, false);
}

/* llvm.nvvm.idp4a.<a>.<b>(a, b, c) and the shim's __nv_idp4a_<a>_<b>; idp2a has the
 * half selector before c */
void call_nv_dp(low_callee *c) {
  int64_t hi = 0;
  int sub = (c->tail[0] == 's') | (strlen(c->tail) > 2 && c->tail[2] == 's') << 1;
  if (c->x == WW_OP_DP2A && call_const(c, 2, &hi) && hi)
    sub |= 4;
  call_set(c, low_opx(c->F, c->x, WW_I32, sub, 0, call_arg(c, 0), call_arg(c, 1),
                      call_arg(c, c->nargs - 1)));
}

/* ---- floating point by token ---- */

static ww_type arg_type(low_callee *c, uint32_t i) {
  return i < c->nargs && c->at[i]->n ? c->at[i]->c[0].type : WW_VOID;
}

static int rounding(const char *tok) {
  return low_value_named(low_rounds, tok, strlen(tok));
}

typedef struct {
  const char *name;
  int16_t op, math; /* one of them, the other is -1 */
} float_op;
static const float_op float_ops[] = {
    {"add", WW_OP_FADD, -1},
    {"sub", WW_OP_FSUB, -1},
    {"mul", WW_OP_FMUL, -1},
    {"div", WW_OP_FDIV, -1},
    {"rcp", -1, WW_MATH_RCP},
    {"sqrt", -1, WW_MATH_SQRT},
    /* those with an explicit rounding in libdevice end here */
    {"rsqrt", -1, WW_MATH_RSQRT},
    {"fma", WW_OP_FMA, -1},
    {"fmin", WW_OP_FMIN, -1},
    {"fmax", WW_OP_FMAX, -1},
    {"neg", WW_OP_FNEG, -1},
    {"fabs", WW_OP_FABS, -1},
    {"abs", WW_OP_FABS, -1},
    {"ex2", -1, WW_MATH_EXP2},
    {"lg2", -1, WW_MATH_LOG2},
    {"sin", -1, WW_MATH_SIN},
    {"cos", -1, WW_MATH_COS},
    {"tanh", -1, WW_MATH_TANH},
    {"ceil", -1, WW_MATH_CEIL},
    {"floor", -1, WW_MATH_FLOOR},
    {"trunc", -1, WW_MATH_TRUNC},
    {"round", -1, WW_MATH_RINT}};

enum { WITH_ROUNDING = 7, ALL_FLOAT_OPS = sizeof float_ops / sizeof *float_ops };

static const float_op *float_op_named(const char *name, size_t n, uint32_t among) {
  for (const float_op *f = float_ops; f && f < float_ops + among; f++)
    if (strlen(f->name) == n && !memcmp(f->name, name, n))
      return f;
  return NULL;
}

static ww_val each_saturated(const low_lane *s) {
  return low_clamp01(s->F, s->rt, each_op(s));
}

static ww_val each_relu(const low_lane *s) {
  return low_relu(s->F, s->rt, each_op(s));
}

/* x2y.<round>: f d i ui ll ull h bf16; types come from the call itself, only the signs
 * from the name */
static bool conversion(low_callee *c, const char *op, int round) {
  const char *two = strchr(op, '2');
  if (!two || two == op || c->nargs != 1 || c->rt->n != 1 || c->at[0]->n != 1)
    return false;
  bool to_float = ww_is_float(call_type(c)), from_float = ww_is_float(arg_type(c, 0)),
       bf = ww_starts(op, "bf") || ww_starts(two + 1, "bf");
  if (!to_float && !strcmp(two + 1, "h"))
    call_each(c, each_bits, 1, 0);
  else if (!to_float && bf)
    return false;
  else
    call_each(c, each_cvt, round, !bf && (from_float ? two[1] : op[0]) != 'u');
  return true;
}

/* ff2bf16x2.rn(a, b): a goes to the high half */
static bool pack_convert(low_callee *c, const char *op, int round, bool relu) {
  bool bf = !strcmp(op, "ff2bf16x2");
  if ((!bf && strcmp(op, "ff2f16x2")) || c->nargs != 2)
    return false;
  ww_type t = bf ? WW_BF16 : WW_F16;
  ww_val v[2] = {low_cvt(c->F, WW_OP_FCVT, t, WW_F32, round, call_arg(c, 1)),
                 low_cvt(c->F, WW_OP_FCVT, t, WW_F32, round, call_arg(c, 0))};
  for (int i = 0; i < 2 && relu; i++)
    v[i] = low_relu(c->F, t, v[i]);
  low_comp half[2];
  low_repack(c->F, low_elements(half, t, 2), 2, v, c->rt->c, c->rt->n, c->res);
  return true;
}

static bool has(char tok[][24], uint32_t n, const char *what) {
  for (uint32_t i = 0; i < n; i++)
    if (!strcmp(tok[i], what))
      return true;
  return false;
}

void call_nv_float(low_callee *c) {
  char tok[8][24];
  uint32_t n = call_tokens(c, tok, 8);
  int round = WW_RN;
  for (uint32_t i = 1; i < n; i++)
    if (rounding(tok[i]) >= 0)
      round = rounding(tok[i]);
  int approx = has(tok, n, "approx") || has(tok, n, "full") ? WW_F_APPROX : 0;
  bool relu = has(tok, n, "relu");
  const float_op *f = n ? float_op_named(tok[0], strlen(tok[0]), ALL_FLOAT_OPS) : NULL;
  if (!c->rt->n || !ww_is_float(call_type(c)))
    f = NULL; /* packed as integers */
  if (n && !strcmp(tok[0], "saturate"))
    call_each(c, each_clamp01, 0, 0);
  else if (f && f->math >= 0)
    call_each(c, each_math, f->math, approx | round << 8);
  else if (f && (f->op == WW_OP_FMIN || f->op == WW_OP_FMAX))
    call_each(c, each_fminmax, f->op, has(tok, n, "nan"));
  else if (f)
    call_each(c,
              relu                 ? each_relu
              : has(tok, n, "sat") ? each_saturated
                                   : each_op,
              f->op,
              (f->op == WW_OP_FNEG || f->op == WW_OP_FABS ? 0 : round) | approx << 8);
  else if (!n ||
           (!conversion(c, tok[0], round) && !pack_convert(c, tok[0], round, relu)))
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
  const float_op *f =
      *s == 'f' || *s == 'd' ? float_op_named(s + 1, n - 1, WITH_ROUNDING) : NULL;
  if (ww_starts(s, "fma") && (n == 3 || s[3] == 'f'))
    call_each(c, each_op, WW_OP_FMA, round);
  else if (f && f->math >= 0)
    call_each(c, each_math, f->math, round << 8);
  else if (f)
    call_each(c, each_op, f->op, round);
  else
    return false;
  return true;
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

void call_nv_lib(low_callee *c) {
  const char *s = c->tail;
  size_t n = strlen(s);
  int flags = 0;
  int round = suffix_round(s, &n);
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

static void call_store(low_callee *c, uint32_t i, ww_val v, ww_type t) {
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
  ww_type t = arg_type(c, 0);
  bool pi = !strcmp(s, "sincospi");
  if (pi || !strcmp(s, "sincos")) {
    call_store(c, 1, math1(c, pi ? WW_MATH_SINPI : WW_MATH_SIN, t, flags, 0), t);
    call_store(c, 2, math1(c, pi ? WW_MATH_COSPI : WW_MATH_COS, t, flags, 0), t);
  } else if (!strcmp(s, "modf")) {
    ww_val whole = math1(c, WW_MATH_TRUNC, t, 0, 0);
    call_store(c, 1, whole, t);
    call_set(c, low_math(c->F, WW_MATH_COPYSIGN, t, 0,
                         low_binary(c->F, WW_OP_FSUB, t, call_arg(c, 0), whole),
                         call_arg(c, 0), WW_NOVAL));
  } else if (c->rt->n && (!strcmp(s, "frexp") || !strcmp(s, "remquo"))) {
    c->x = *s == 'f' ? P_FREXP : P_REMQUO;
    call_two(c);
  } else
    return false;
  return true;
}

static bool irregular(low_callee *c, const char *s) {
  static const low_named to_int[] = {{"lrint", WW_RN},
                                     {"llrint", WW_RN},
                                     {"lround", WW_RNA},
                                     {"llround", WW_RNA},
                                     {NULL, -1}};
  size_t n = ww_is_float(arg_type(c, 0)) ? strlen(s) : 0;
  int round = low_value_named(to_int, s, n);
  bool norm = !strcmp(s, "norm4d");
  if (n && call_class(c, s))
    return true;
  if (round >= 0)
    call_each(c, each_cvt, round, 1);
  else if (!strcmp(s, "nan"))
    call_set(c, low_fconst(c->F, call_type(c), NAN));
  else if (norm || !strcmp(s, "rnorm4d"))
    call_norm4(c, norm ? WW_MATH_SQRT : WW_MATH_RSQRT);
  else if (!strcmp(s, "scalbln"))
    call_each(c, each_math, WW_MATH_LDEXP, 0);
  else
    return false;
  return true;
}

static bool named(low_callee *c, const char *s, int flags) {
  return with_pointers(c, s, flags) || irregular(c, s) ||
         call_float_fn(c, s, strlen(s), flags);
}

/* "_ZL9nearbyintf": an overload that clang's headers declare and leave to the library
 */
static const char *mangled_base(const char *name, char out[32]) {
  size_t n;
  if (!ww_starts(name, "_Z"))
    return name;
  name = low_mangled(name + (name[2] == 'L' ? 3 : 2), &n);
  if (!name || n >= 32)
    return "";
  snprintf(out, 32, "%.*s", (int)n, name);
  return out;
}

bool call_math_library(low_callee *c, const char *name, int flags) {
  char base[32];
  char s[32];
  if (c->F->L->m.dialect != WW_OPENCL)
    name = mangled_base(name, base);
  size_t n = strlen(name);
  if (n >= sizeof s || !n || !c->nargs)
    return false;
  bool finite = ww_starts(name, "__") && n > 9 && ww_ends(name, "_finite");
  if (finite) { /* __exp_finite of -ffast-math */
    name += 2;
    n -= 9;
  }
  snprintf(s, sizeof s, "%.*s", (int)n, name);
  bool single = arg_type(c, 0) == WW_F32 || arg_type(c, 1) == WW_F32 ||
                (c->rt->n && call_type(c) == WW_F32);
  if (!single || n < 2 || s[n - 1] != 'f')
    return named(c, s, flags);
  /* sinf -> sin; but a double's erf keeps its f, and so does an overload's */
  s[n - 1] = 0;
  if (named(c, s, flags))
    return true;
  s[n - 1] = 'f';
  return named(c, s, flags);
}
