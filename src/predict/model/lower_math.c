/* lower_math.c - operations that become several instructions: divisions, roots, math
 * functions.
 *
 * The GPU description says how many instructions and FLOPs an ordinary argument takes,
 * from a probe. Where it does not, the counts of ptxas for sm_90 stand here and in
 * lower_math.def. Functions that nobody probed stand beside one that is alike. */
#include "lower_int.h"

typedef struct {
  int16_t figure;               /* ww_gpu_math or -1 */
  float scale;                  /* of the figure: so many times as long */
  float inst, flops32, flops64; /* where the figure is not known */
} sequence;

#define F32(figure, scale, inst, flops) \
  { WW_GPU_MATH_##figure, scale, inst, flops, 0 }
#define F64(figure, scale, inst, flops) \
  { WW_GPU_MATH_##figure, scale, inst, 0, flops }
#define OWN32(inst, flops) \
  { -1, 1, inst, flops, 0 }
#define OWN64(inst, flops) \
  { -1, 1, inst, 0, flops }

static const struct {
  sequence single, twice, fast; /* f32, f64, f32 with WW_F_APPROX; inst 0: as single */
} functions[WW_NMATH] = {
#define BOTH(inst, f32, f64) \
  { -1, 1, inst, f32, f64 }
#define NONE \
  { 0 }
#define MATH(name, single, twice, fast) [WW_MATH_##name] = {single, twice, fast},
#include "lower_math.def"
};

static float or_else(double figure, float scale, float otherwise) {
  return isnan(figure) ? otherwise : (float)figure * scale;
}

/* `inst` instructions of which the FLOPs say how many are floating point; one goes to
 * the special-function unit, the rest is integer work. */
static void
spread(const ww_lowering *x, const sequence *s, float integer_share, ww_cost *c) {
  bool known = s->figure >= 0;
  const ww_gpu *g = x->g;
  float inst =
      or_else(known ? g->math_instructions[s->figure] : NAN, s->scale, s->inst);
  float f32 = or_else(known ? g->math_flops32[s->figure] : NAN, s->scale, s->flops32);
  float f64 = or_else(known ? g->math_flops64[s->figure] : NAN, s->scale, s->flops64);
  float fma = f32 * 0.6f;
  float dfma = f64 * 0.6f;
  if (fma + dfma > inst) {
    fma *= inst / (fma + dfma);
    dfma = inst - fma;
  }
  float rest = inst - fma - dfma;
  float mufu = rest < 1 ? rest : 1;
  rest -= mufu;
  c->inst[WW_PIPE_FMA] += fma;
  c->cycles[WW_PIPE_FMA] += fma;
  c->inst[WW_PIPE_FP64] += dfma;
  c->cycles[WW_PIPE_FP64] += dfma * or_else(g->issue[WW_GPU_OP_dfma], 1, 2);
  c->inst[WW_PIPE_XU] += mufu;
  c->cycles[WW_PIPE_XU] += mufu * or_else(g->issue[WW_GPU_OP_rcp], 1, 8);
  c->inst[WW_PIPE_ALU] += rest;
  c->cycles[WW_PIPE_ALU] += rest * or_else(g->issue[WW_GPU_OP_iadd3], 1, 2);
  c->flops32 += f32;
  c->flops64 += f64;
  c->int_ops += rest * integer_share;
  c->latency += or_else(known ? g->math_latency[s->figure] : NAN, s->scale, 5 * inst);
}

/* ---- divisions ---- */

static bool power_of_two(const ww_lowering *x, ww_val v) {
  if (!ww_lower_literal(x, v))
    return x->known[v];
  uint64_t bits = x->fn->vals[v].bits;
  return bits && !(bits & (bits - 1));
}

/* blockDim, blockIdx and their like, widened. */
static bool is_special(const ww_lowering *x, ww_val v) {
  const ww_ins *d = ww_lower_def(x, v);
  while (d && (d->op == WW_OP_ZEXT || d->op == WW_OP_SEXT))
    d = ww_lower_def(x, d->a);
  return d && d->op == WW_OP_SREG;
}

static bool fills_both_words(const ww_lowering *x, ww_val v, uint32_t depth);

/* What a loop carries, or what ways bring together. */
static bool brings_both_words(const ww_lowering *x, ww_val v, uint32_t depth) {
  const ww_value *t = &x->fn->vals[v];
  const ww_block *b = t->kind == WW_VAL_RESULT ? &x->fn->blocks[t->ref] : NULL;
  bool fills = false;
  for (uint32_t p = 0; b && p < b->nphis; p++)
    for (uint32_t k = 0; k < b->phis[p].n && b->phis[p].dst == v; k++)
      fills |= fills_both_words(x, ww_phi_value(x->fn, &b->phis[p], k), depth - 1);
  return fills;
}

/* Whether a number of 64 bits has more than 32 that matter, as far as its operations
 * tell: sizes, indices and the number of a block's first thread do not, other products
 * and what memory holds as 64 bits do. */
static bool fills_both_words(const ww_lowering *x, ww_val v, uint32_t depth) {
  const ww_ins *d = ww_lower_def(x, v);
  if (v == WW_NOVAL || !depth || x->fn->vals[v].type != WW_I64)
    return false;
  if (!d)
    return brings_both_words(x, v, depth);
  switch (d->op) {
  case WW_OP_LD:
  case WW_OP_MULHU:
    return true;
  case WW_OP_MUL:
    return !is_special(x, d->a) || !is_special(x, d->b);
  case WW_OP_LSHR:
    return !(ww_lower_literal(x, d->b) && x->fn->vals[d->b].bits >= 32) &&
           fills_both_words(x, d->a, depth - 1);
  case WW_OP_AND:
    return fills_both_words(x, d->a, depth - 1) && fills_both_words(x, d->b, depth - 1);
  case WW_OP_ADD:
  case WW_OP_SUB:
  case WW_OP_OR:
  case WW_OP_XOR:
  case WW_OP_SHL:
    return fills_both_words(x, d->a, depth - 1) || fills_both_words(x, d->b, depth - 1);
  default:
    return false;
  }
}

/* The reciprocal of the divisor, half of the work, is there already: from an earlier
 * division, or from before the loop. */
static bool reciprocal_known(const ww_lowering *x, const ww_ins *i) {
  const ww_fn *fn = x->fn;
  uint32_t here = fn->vals[i->dst].ref;
  uint32_t loop = fn->blocks[here].loop;
  const ww_value *by = &fn->vals[i->b];
  if (loop != WW_NOBLOCK &&
      !(by->kind == WW_VAL_RESULT && ww_ir_in_loop(fn, by->ref, loop)))
    return true;
  for (uint32_t k = 0; k < ww_lower_nuses(x, i->b); k++) {
    const ww_ins *o = ww_lower_user(x, i->b, k);
    if (!o || o == i || o->b != i->b || !ww_is_division(o))
      continue;
    uint32_t there = fn->vals[o->dst].ref;
    if (there == here ? o < i : ww_ir_dominates(fn, there, here))
      return true;
  }
  return false;
}

/* Whether the multiplier that stands for an unsigned division of a word by n has one
 * bit too many, so that an addition has to make up for it. */
static bool long_multiplier(uint64_t n) {
  for (uint32_t shift = 0; shift < 32 && (1ull << shift) < 2 * n; shift++) {
    uint64_t power = (uint64_t)((((__uint128_t)1) << (32 + shift)) / n) + 1;
    uint64_t over = power * n - (uint64_t)((((__uint128_t)1) << (32 + shift)));
    if (power <= UINT32_MAX && over <= 1ull << shift)
      return false;
  }
  return true;
}

/* A product's high half, shifted; of signed numbers the sign is added, and where the
 * multiplier is negative the number itself. A remainder is one multiply-add more. */
static void by_literal(const ww_lowering *x, const ww_ins *i, ww_cost *c) {
  bool rem = i->op == WW_OP_SREM || i->op == WW_OP_UREM;
  bool sign = i->op == WW_OP_SDIV || i->op == WW_OP_SREM;
  uint64_t n = x->fn->vals[i->b].bits & UINT32_MAX;
  bool add = long_multiplier(n);
  ww_lower_put(x, sign ? WW_SASS_hi : WW_SASS_wide, 1, c);
  ww_lower_put(x, WW_SASS_shf, 1, c);
  ww_lower_put(x, WW_SASS_iadd3, sign ? (n != 3) : 2 * add, c);
  ww_lower_put(x, WW_SASS_mov, sign && add, c);
  ww_lower_put(x, WW_SASS_imad, rem, c);
}

/* Shifts and masks; of signed numbers what rounds towards zero comes before. */
static void by_power_of_two(const ww_lowering *x, const ww_ins *i, ww_cost *c) {
  bool rem = i->op == WW_OP_SREM || i->op == WW_OP_UREM;
  bool sign = i->op == WW_OP_SDIV || i->op == WW_OP_SREM;
  bool two = ww_lower_literal(x, i->b) && x->fn->vals[i->b].bits == 2;
  float words = i->type == WW_I64 ? 2 : 1;
  ww_lower_put(x, WW_SASS_shf, words * (sign ? 1 + !rem - two : !rem), c);
  ww_lower_put(x, WW_SASS_lea, words * sign, c);
  ww_lower_put(x, WW_SASS_lop3, words * rem, c);
  ww_lower_put(x, WW_SASS_iadd3, words * (rem && sign), c);
}

static bool takes_low_word(const ww_ins *i) {
  return i->op == WW_OP_TRUNC;
}

static void integer_division(const ww_lowering *x, const ww_ins *i, ww_cost *c) {
  static const sequence word[4] = {F32(div_s32, 1, 22, 0), F32(div_u32, 1, 18, 0),
                                   F32(mod_s32, 1, 21, 0), F32(mod_u32, 1, 17, 0)};
  static const sequence wide_constant = OWN32(14, 0);
  static const sequence low_word = OWN32(9, 0); /* of such a one */
  static const sequence wide = F32(div_small_u64, 1, 28, 0);
  static const sequence full = OWN32(76, 0); /* a call, where a high word is not zero */
  bool rem = i->op == WW_OP_SREM || i->op == WW_OP_UREM,
       sign = i->op == WW_OP_SDIV || i->op == WW_OP_SREM;
  if (power_of_two(x, i->b))
    by_power_of_two(x, i, c);
  else if (i->type == WW_I64)
    spread(x,
           ww_lower_constant(x, i->b)
               ? (!sign && ww_lower_all_users(x, i->dst, takes_low_word)
                      ? &low_word
                      : &wide_constant)
           : fills_both_words(x, i->a, 6) ? &full
                                          : &wide,
           0.85f, c);
  else if (ww_lower_constant(x, i->b))
    by_literal(x, i, c);
  else {
    sequence here = word[2 * rem + !sign];
    if (reciprocal_known(x, i)) {
      here.scale *= 0.5f;
      here.inst *= 0.5f;
    }
    spread(x, &here, 0.85f, c);
  }
}

static void division(const ww_lowering *x, const ww_ins *i, ww_cost *c) {
  static const sequence exact = F32(div_f32, 1, 10, 10);
  static const sequence fast = F32(div_fast_f32, 1, 5, 1);
  static const sequence twice = {WW_GPU_MATH_div_f64, 1, 16, 2, 15};
  static const sequence inverse = F32(rcp_f32, 1, 8, 5);
  static const sequence inverse64 = F64(rcp_f64, 1, 11, 10);
  const ww_value *a = &x->fn->vals[i->a];
  bool one =
      a->kind == WW_VAL_CONST &&
      (i->type == WW_F64 ? a->bits == 0x3ff0000000000000ull : a->bits == 0x3f800000);
  if (ww_lower_constant(x, i->b) && !ww_lower_literal(x, i->b)) {
    ww_lower_put(x, i->type == WW_F64 ? WW_SASS_dmul : WW_SASS_fmul, 1, c);
    return;
  }
  if (i->type == WW_F64)
    spread(x, one ? &inverse64 : &twice, 0.2f, c);
  else
    spread(x, i->flags & WW_F_APPROX ? &fast : one ? &inverse : &exact, 0, c);
  if (i->type == WW_F16 || i->type == WW_BF16)
    ww_lower_put(x, WW_SASS_pack, 3, c);
}

/* Of what is neither floating point nor special function, how much is integer work:
 * range reduction, exponents by hand. */
static float integer_part(const ww_ins *i, bool twice) {
  if (twice)
    return 0.35f;
  if (i->sub == WW_MATH_SQRT)
    return 0.3f; /* the test of its argument */
  if (i->flags & WW_F_APPROX)
    return 0;
  switch (i->sub) {
  case WW_MATH_SIN:
  case WW_MATH_COS:
  case WW_MATH_TAN:
    return 0.35f;
  case WW_MATH_LOG:
  case WW_MATH_LOG10:
  case WW_MATH_LOG1P:
  case WW_MATH_POW:
  case WW_MATH_CBRT:
  case WW_MATH_FMOD:
    return 0.4f;
  case WW_MATH_EXP:
    return 0.3f;
  default:
    return 0;
  }
}

/* The other one of sine and cosine; WW_NMATH: it is neither. */
static uint8_t partner(uint8_t function) {
  switch (function) {
  case WW_MATH_SIN:
    return WW_MATH_COS;
  case WW_MATH_COS:
    return WW_MATH_SIN;
  case WW_MATH_SINPI:
    return WW_MATH_COSPI;
  case WW_MATH_COSPI:
    return WW_MATH_SINPI;
  default:
    return WW_NMATH;
  }
}

/* The sine and cosine of one angle share its reduction, which of one in half turns is
 * most of the work; of a power whose base is a constant, the logarithm is known. */
static float shortened(const ww_lowering *x, const ww_ins *i) {
  if (i->flags & WW_F_APPROX)
    return 1;
  if (i->sub == WW_MATH_POW && ww_lower_constant(x, i->a))
    return 0.8f;
  if (partner(i->sub) == WW_NMATH || ww_lower_constant(x, i->a))
    return 1;
  for (uint32_t k = 0; k < ww_lower_nuses(x, i->a); k++) {
    const ww_ins *o = ww_lower_user(x, i->a, k);
    if (o && o->op == WW_OP_MATH && o->sub == partner(i->sub))
      return i->sub == WW_MATH_SIN || i->sub == WW_MATH_COS ? 0.86f : 0.75f;
  }
  return 1;
}

bool ww_lower_rounding(const ww_ins *i) {
  return i->sub == WW_MATH_FLOOR || i->sub == WW_MATH_CEIL || i->sub == WW_MATH_TRUNC ||
         i->sub == WW_MATH_RINT;
}

/* Moves that make a polynomial's constants for each call, which the probe's loop found
 * in registers. */
static float constants_of(uint8_t function) {
  switch (function) {
  case WW_MATH_EXP:
  case WW_MATH_TANH:
    return 36;
  case WW_MATH_ERF:
    return 43;
  default:
    return 0;
  }
}

void ww_lower_math(const ww_lowering *x, const ww_ins *i, ww_cost *c) {
  if (i->op == WW_OP_FDIV) {
    division(x, i, c);
    return;
  }
  if (i->op != WW_OP_MATH) {
    integer_division(x, i, c);
    return;
  }
  bool twice =
      i->type == WW_F64 || (i->a != WW_NOVAL && x->fn->vals[i->a].type == WW_F64);
  bool fast = i->flags & WW_F_APPROX && functions[i->sub].fast.inst > 0;
  sequence here = twice  ? functions[i->sub].twice
                  : fast ? functions[i->sub].fast
                         : functions[i->sub].single;
  here.scale *= shortened(x, i);
  if (i->type == WW_F64)
    ww_lower_put(x, WW_SASS_uniform, constants_of(i->sub), c);
  spread(x, &here, integer_part(i, twice), c);
  if (i->type == WW_F16 || i->type == WW_BF16)
    ww_lower_put(x, WW_SASS_pack, 2, c);
}
