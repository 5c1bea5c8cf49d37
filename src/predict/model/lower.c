/* lower.c - from the IR to the machine's instructions: by pipe, FLOPs and integer
 * operations as the counters count them.
 *
 * Each IR instruction becomes some of lower.def's instructions, after lower_fold.c has
 * said which ones vanish into their neighbours. Costs are per executing warp and
 * static; how often each block ran comes from the trace. */
#include "lower_int.h"

#include "../../ir/mma.h"

const char *const ww_pipe_names[WW_NPIPES] = {"fma", "alu", "imad",   "fp64",   "half",
                                              "xu",  "lsu", "tensor", "control"};

#define WW_GPU_OP_none (-1)
const ww_sass_info ww_sass_table[WW_NSASS] = {
#define SASS(name, pipe, figure, issue, latency, integer, flops, meaning) \
  {#name, meaning, WW_PIPE_##pipe, WW_GPU_OP_##figure, issue, latency, integer, flops},
#include "lower.def"
};

ww_lower_coef ww_lower_coefs = {
#define COEF(name, value, ...) value,
#include "lower.def"
};

void ww_lower_put(const ww_lowering *x, ww_sass s, float n, ww_cost *c) {
  const ww_sass_info *t = &ww_sass_table[s];
  double issue = t->figure < 0 ? NAN : x->g->issue[t->figure];
  double latency = t->figure < 0 ? NAN : x->g->latency[t->figure];
  if (n <= 0)
    return;
  c->inst[t->pipe] += n;
  c->cycles[t->pipe] += n * (isnan(issue) ? t->issue : (float)issue);
  c->latency += n * (isnan(latency) ? t->latency : (float)latency);
  c->int_ops += n * t->integer;
  if (t->pipe == WW_PIPE_FP64)
    c->flops64 += n * t->flops;
  else if (t->pipe == WW_PIPE_HALF)
    c->flops16 += n * t->flops;
  else
    c->flops32 += n * t->flops;
}

void ww_lower_scale(ww_cost *c, float by) {
  for (uint32_t p = 0; p < WW_NPIPES; p++) {
    c->inst[p] *= by;
    c->cycles[p] *= by;
  }
}

typedef struct {
  const ww_lowering *x;
  const ww_ins *i;
  uint32_t at; /* its number */
  ww_cost *c;
} emit;

static void put(emit *e, ww_sass s, float n) {
  ww_lower_put(e->x, s, n, e->c);
}

static float words(uint8_t type) {
  return ww_type_bytes[type] > 4 ? 2 : 1;
}

/* ---- integer ---- */

/* Instructions are selected block by block: a widening in another block is not seen. */
static bool widened_here(const emit *e, ww_val v) {
  return ww_lower_widened(e->x, v) != WW_NOVAL &&
         e->x->fn->vals[v].ref == e->x->block_of[e->at];
}

/* A product of two widened words is one instruction, where both are widened alike. */
static bool both_widened(const emit *e) {
  bool a = widened_here(e, e->i->a), b = widened_here(e, e->i->b);
  if (a && b)
    return e->x->def[e->i->a]->op == e->x->def[e->i->b]->op;
  return (a || ww_lower_constant(e->x, e->i->a)) &&
         (b || ww_lower_constant(e->x, e->i->b));
}

static bool masks(const ww_ins *i) {
  return i->op == WW_OP_AND;
}

/* Bits that are put beside themselves, v | v << k, and masked: a product for clang, a
 * shift and logic for nvcc, which keeps a half of the mask with each. */
static bool doubles_bits(const emit *e) {
  const ww_lowering *x = e->x;
  const ww_ins *i = e->i;
  uint64_t by = ww_lower_literal(x, i->b) ? x->fn->vals[i->b].bits - 1 : 0;
  if (by < 4 || by & (by - 1) || !ww_lower_all_users(x, i->dst, masks))
    return false;
  for (uint32_t k = 0; k < ww_lower_nuses(x, i->dst); k++)
    if (!ww_lower_literal(x, ww_lower_user(x, i->dst, k)->b))
      return false;
  return true;
}

static void multiply(emit *e) {
  if (doubles_bits(e)) {
    put(e, WW_SASS_shf, words(e->i->type));
    put(e, WW_SASS_lop3, words(e->i->type));
    return;
  }
  if (e->i->type != WW_I64) {
    put(e, WW_SASS_imad, 1);
    return;
  }
  put(e, WW_SASS_wide, 1);
  if (both_widened(e))
    return;
  bool short_literal =
      ww_lower_literal(e->x, e->i->b) && e->x->fn->vals[e->i->b].bits <= UINT32_MAX;
  put(e, WW_SASS_imad, short_literal ? 1 : 2);
  put(e, WW_SASS_iadd3, 1);
  /* the high word of what was widened */
  put(e, WW_SASS_shf,
      ww_lower_widened(e->x, e->i->a) != WW_NOVAL ||
          ww_lower_widened(e->x, e->i->b) != WW_NOVAL);
}

/* An operand that is a product or a shift is part of this instruction. */
static ww_sass adder(const emit *e) {
  for (uint32_t k = 0; k < 2; k++) {
    const ww_ins *d = ww_lower_def(e->x, k ? e->i->b : e->i->a);
    if (!d || d->dst == WW_NOVAL)
      continue;
    if (d->op == WW_OP_SHL && ww_lower_constant(e->x, d->b))
      return WW_SASS_lea;
    if (d->op == WW_OP_MUL && ww_lower_nuses(e->x, d->dst) == 1)
      return WW_SASS_imad;
  }
  return WW_SASS_iadd3;
}

/* Whether the scaling of an index is part of how it is computed: of a shift, of
 * constants that are added and multiplied, of what a loop adds to it. */
static bool scales(const emit *e, ww_val v) {
  const ww_ins *d = ww_lower_def(e->x, v);
  if (d && d->op == WW_OP_ADD && ww_lower_loop_of(e->x, e->at) != WW_NOBLOCK &&
      e->x->moves[v] == WW_STEADY)
    return true;
  if (!d || d->b == WW_NOVAL || !ww_lower_literal(e->x, d->b))
    return false;
  return d->op == WW_OP_LSHR || d->op == WW_OP_ADD || d->op == WW_OP_MUL;
}

static uint32_t addresses_of(const emit *e, ww_val index) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < ww_lower_nuses(e->x, index); k++) {
    const ww_ins *u = ww_lower_user(e->x, index, k);
    n += u && u->op == WW_OP_LEA;
  }
  return n ? n : 1;
}

/* An index of which the compiler sees that its bytes fit a word, because bits are
 * masked out: it is scaled before that and added to both words of the pointer. The
 * instructions of the address; who else needs the index masks it again. 0: no such
 * index. */
static float masked(const emit *e, ww_val index) {
  const ww_lowering *x = e->x;
  const ww_ins *w = x->def[index];
  const ww_ins *d = ww_lower_def(x, w->a);
  if (w->op != WW_OP_ZEXT || !d || d->op != WW_OP_AND || !ww_lower_literal(x, d->b))
    return 0;
  bool bytes = e->i->imm == 1;
  float once = (!bytes && !scales(e, d->a)) + (!bytes && ww_lower_nuses(x, d->dst) > 1);
  return 2 + once / addresses_of(e, index);
}

/* A masked index into shared memory whose base is a number, or one of a word's bytes,
 * which one instruction takes out: what is left is part of another one. */
static bool scaled_for_free(const emit *e, ww_val index) {
  const ww_lowering *x = e->x;
  const ww_ins *mask = x->def[x->def[index]->a];
  const ww_ins *shift = ww_lower_def(x, mask->a);
  return x->fn->vals[e->i->a].kind == WW_VAL_SYMBOL ||
         (shift && shift->op == WW_OP_LSHR);
}

/* The first address of a block that adds v to a row's product: v needs both words. */
static bool first_in_row(const emit *e, ww_val v) {
  const ww_lowering *x = e->x;
  for (uint32_t k = 0; k < ww_lower_nuses(x, v); k++) {
    uint32_t at = x->uses[x->uses_at[v] + k];
    if (!(at & WW_PHI) && at < e->at && x->block_of[at] == x->block_of[e->at] &&
        ww_lower_in_row(x, ww_lower_ins(x, at)))
      return false;
  }
  return true;
}

/* What an array's index of 64 bits is the sum of; v WW_NOVAL: there is none. */
typedef struct {
  ww_val v, row;
} long_index;

static long_index index_of(const ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  if (i->op != WW_OP_LEA || x->gone[at] || x->shares[i->dst] ||
      ww_lower_short(x, i->dst) || ww_lower_literal(x, i->b))
    return (long_index){WW_NOVAL, WW_NOVAL};
  if (ww_lower_walks_row(x, at))
    return (long_index){i->b, x->def[i->a]->b};
  bool array = x->fn->vals[i->a].kind == WW_VAL_PARAM;
  bool word = ww_lower_widened(x, ww_lower_scaled(x, i->b)) != WW_NOVAL;
  return (long_index){word || !array ? WW_NOVAL : i->b, WW_NOVAL};
}

/* How many addresses of this block, `before` this one or in all, have the same index of
 * 64 bits: it is scaled once for all of them. */
static uint32_t same_index(const emit *e, bool before) {
  const ww_lowering *x = e->x;
  long_index own = index_of(x, e->at);
  uint32_t n = 0;
  for (uint32_t k = 0; own.v != WW_NOVAL && k < ww_lower_nuses(x, own.v); k++) {
    uint32_t at = x->uses[x->uses_at[own.v] + k];
    if (at & WW_PHI || (before && at >= e->at) || x->block_of[at] != x->block_of[e->at])
      continue;
    long_index other = index_of(x, at);
    n += other.v == own.v && other.row == own.row;
  }
  return n;
}

/* A row's begin and what a loop adds to it are one index for nvcc, which is computed in
 * every iteration. */
static void walk_row(emit *e) {
  bool first = !same_index(e, true);
  put(e, WW_SASS_iadd3, first ? (ww_lower_word_row(e->x, e->i) ? 3 : 2) : 0);
  put(e, WW_SASS_shf, first && same_index(e, false) > 1 ? 2 : 0);
  put(e, WW_SASS_lea, 2);
}

static bool in_constant_bank(const ww_lowering *x, ww_val v) {
  const ww_value *t = &x->fn->vals[v];
  return t->kind == WW_VAL_SYMBOL && x->m->symbols[t->ref].space == WW_CONST;
}

/* LDC adds a word's register to the bank and a number: of an index no more is left than
 * to scale it. */
static void constant_address(emit *e, uint32_t scale) {
  const ww_ins *w = ww_lower_def(e->x, e->i->b);
  const ww_ins *d = w ? ww_lower_def(e->x, w->a) : NULL;
  bool masked = d && d->op == WW_OP_AND && scales(e, d->a);
  put(e, WW_SASS_lea, scale > 1 && !masked);
}

static void address(emit *e) {
  const ww_lowering *x = e->x;
  const ww_ins *i = e->i;
  if (in_constant_bank(x, i->a)) {
    constant_address(e, i->imm);
    return;
  }
  if (ww_lower_walks_row(x, e->at)) {
    walk_row(e);
    return;
  }
  if (ww_lower_in_row(x, i)) {
    put(e, WW_SASS_shf, first_in_row(e, i->b));
    put(e, WW_SASS_wide, 1);
    put(e, WW_SASS_lea, 2);
    return;
  }
  /* Under a predicate a pointer is read where it is needed. */
  if (x->predicated[x->block_of[e->at]] && x->fn->vals[i->a].kind == WW_VAL_PARAM)
    put(e, WW_SASS_ldc, 1);
  ww_val index = ww_lower_scaled(x, i->b);
  bool widened = widened_here(e, index);
  float mask = widened ? masked(e, index) : 0;
  if (ww_lower_short(x, i->dst) || ww_lower_short(x, i->a))
    put(e, WW_SASS_lea, !(mask == 2 && scaled_for_free(e, index)));
  else if (mask > 0)
    put(e, WW_SASS_lea, mask);
  else if (ww_lower_sums_words(x, i->b)) {
    put(e, WW_SASS_iadd3, 1);
    put(e, WW_SASS_wide, 1);
  } else if (widened && (i->imm > 1 || index != i->b))
    put(e, WW_SASS_wide, 1);
  else {
    put(e, WW_SASS_shf, !same_index(e, true) && same_index(e, false) > 1 ? 2 : 0);
    put(e, WW_SASS_lea, 2);
  }
}

static void predicate_logic(emit *e) {
  /* A compare takes one more predicate: the logic is part of it. */
  ww_val of[3] = {e->i->a, e->i->b, e->i->op == WW_OP_SELECT ? e->i->c : WW_NOVAL};
  for (uint32_t k = 0; k < 3; k++) {
    const ww_ins *d = ww_lower_def(e->x, of[k]);
    if (d && (d->op == WW_OP_ICMP || d->op == WW_OP_FCMP) &&
        ww_lower_nuses(e->x, d->dst) == 1)
      return;
  }
  put(e, WW_SASS_plop3, 1);
}

static bool takes_low_word(const ww_ins *i) {
  return i->op == WW_OP_TRUNC;
}

/* Of 64 bits, a shift by whole words only names other registers, and a word that is all
 * zeros or that nobody reads is not made. */
static void shift(emit *e) {
  const ww_ins *i = e->i;
  const ww_value *by = &e->x->fn->vals[i->b];
  float n = words(i->type);
  if (n > 1 && by->kind == WW_VAL_CONST && by->bits >= 32)
    n = (i->op == WW_OP_ASHR) + (by->bits > 32);
  if (n > 1 && (!ww_lower_nuses(e->x, i->dst) ||
                ww_lower_all_users(e->x, i->dst, takes_low_word)))
    n = 1;
  put(e, WW_SASS_shf, n);
}

enum { LOW = 1, HIGH = 2 };

/* Which words of a value of 64 bits are known to be zero. */
static uint32_t zero_words(const emit *e, ww_val v) {
  const ww_value *t = &e->x->fn->vals[v];
  const ww_ins *d = ww_lower_def(e->x, v);
  if (t->kind == WW_VAL_CONST)
    return (t->bits & UINT32_MAX ? 0 : LOW) | (t->bits >> 32 ? 0 : HIGH);
  if (!d)
    return 0;
  const ww_value *by = d->b == WW_NOVAL ? NULL : &e->x->fn->vals[d->b];
  bool words = by && by->kind == WW_VAL_CONST && by->bits >= 32;
  if (d->op == WW_OP_ZEXT || (d->op == WW_OP_LSHR && words))
    return HIGH;
  return d->op == WW_OP_SHL && words ? LOW : 0;
}

/* Logic of 64 bits: a word of which one side is zero is the other side's, or zero. Two
 * words put together are a pair of registers. */
static float logic_words(const emit *e) {
  uint32_t zero = zero_words(e, e->i->a) | zero_words(e, e->i->b);
  return 2 - (zero & LOW ? 1 : 0) - (zero & HIGH ? 1 : 0);
}

static void integer(emit *e) {
  const ww_ins *i = e->i;
  float w = words(i->type);
  switch (i->op) {
  case WW_OP_ADD:
  case WW_OP_SUB:
    if (in_constant_bank(e->x, i->a))
      constant_address(e, 1);
    else
      put(e, w > 1 ? WW_SASS_iadd3 : adder(e), w);
    break;
  case WW_OP_MUL:
    multiply(e);
    break;
  case WW_OP_MULHS:
  case WW_OP_MULHU:
    put(e, WW_SASS_hi, w > 1 ? 7 : 1);
    break;
  case WW_OP_AND:
  case WW_OP_OR:
  case WW_OP_XOR:
    if (i->type == WW_I1)
      predicate_logic(e);
    else
      put(e, WW_SASS_lop3, w > 1 ? logic_words(e) : w);
    break;
  case WW_OP_SHL:
  case WW_OP_LSHR:
  case WW_OP_ASHR:
    shift(e);
    break;
  case WW_OP_SMIN:
  case WW_OP_SMAX:
  case WW_OP_UMIN:
  case WW_OP_UMAX:
    if (w > 1) {
      put(e, WW_SASS_isetp, 2);
      put(e, WW_SASS_sel, 2);
    } else
      put(e, WW_SASS_imnmx, 1);
    break;
  case WW_OP_IABS:
    put(e, WW_SASS_iadd3, w);
    break;
  case WW_OP_CTPOP:
  case WW_OP_BREV:
    put(e, WW_SASS_bits, w);
    break;
  case WW_OP_CTTZ:
    put(e, WW_SASS_bits, 2 * w);
    put(e, WW_SASS_sel, 4 * (w - 1));
    break;
  case WW_OP_CTLZ:
    put(e, WW_SASS_bits, 1);
    put(e, WW_SASS_iadd3, w);
    put(e, WW_SASS_sel, 4 * (w - 1));
    break;
  case WW_OP_FSHL:
  case WW_OP_FSHR:
    put(e, WW_SASS_shf, w);
    break;
  case WW_OP_BSWAP: /* nvcc does not know the shifts and masks for what they are */
    put(e, WW_SASS_lop3, 7 * w);
    break;
  case WW_OP_PRMT:
    put(e, WW_SASS_prmt, w);
    break;
  case WW_OP_BFEU:
  case WW_OP_BFES:
    put(e, WW_SASS_shf, 1);
    put(e, WW_SASS_lop3, 1);
    break;
  case WW_OP_LEA:
    address(e);
    break;
  default:
    put(e, WW_SASS_imad, 1);
    break; /* dp4a, dp2a, sad */
  }
}

/* ---- conversions, floats ---- */

/* The second of two conversions to halves that the source makes in one place: one
 * instruction makes both. */
static bool second_half(const emit *e) {
  const ww_ins *i = e->i;
  uint32_t first = e->x->first[e->x->block_of[e->at]];
  uint32_t n = 0;
  while (e->at - n > first) {
    const ww_ins *b = ww_lower_ins(e->x, e->at - n - 1);
    if (b->op != i->op || b->type != i->type || b->type2 != i->type2 ||
        b->loc != i->loc)
      break;
    n++;
  }
  return i->type2 == WW_F32 && (i->type == WW_F16 || i->type == WW_BF16) && n % 2;
}

static void conversion(emit *e) {
  const ww_ins *i = e->i;
  switch (i->op) {
  case WW_OP_ZEXT:
  case WW_OP_SEXT:
    if (i->type2 == WW_I1)
      put(e, WW_SASS_sel, 1);
    else if (i->op == WW_OP_SEXT)
      put(e, WW_SASS_shf, 1);
    else /* the upper word, and the lower one where others change it */
      put(e, WW_SASS_mov, ww_lower_nuses(e->x, i->a) > 1 ? 2 : 1);
    break;
  case WW_OP_SITOF:
  case WW_OP_UITOF:
    put(e, words(i->type) > 1 || words(i->type2) > 1 ? WW_SASS_cvt : WW_SASS_i2f, 1);
    break;
  case WW_OP_FCVT:
    if (second_half(e))
      break;
    put(e,
        ww_type_bytes[i->type] == 2 || ww_type_bytes[i->type2] == 2 ? WW_SASS_pack
                                                                    : WW_SASS_cvt,
        1);
    break;
  default:
    put(e, WW_SASS_cvt, 1);
    break;
  }
}

/* An FP64 constant is an immediate only when its low half is zero; others are made of
 * two moves. */
static void long_constants(emit *e) {
  ww_val of[3] = {e->i->a, e->i->b, e->i->c};
  for (uint32_t k = 0; k < 3; k++) {
    if (of[k] == WW_NOVAL)
      continue;
    const ww_value *v = &e->x->fn->vals[of[k]];
    if (v->kind == WW_VAL_CONST && v->type == WW_F64 && (v->bits & 0xffffffff))
      put(e, WW_SASS_uniform, 2);
  }
}

static void floating(emit *e) {
  const ww_ins *i = e->i;
  if (i->type == WW_F64)
    long_constants(e);
  bool twice = i->type == WW_F64, half = ww_type_bytes[i->type] == 2;
  float n = half ? 0.5f : 1; /* halves come in pairs */
  switch (i->op) {
  case WW_OP_FADD:
  case WW_OP_FSUB:
  case WW_OP_FNEG:
  case WW_OP_FABS:
    put(e, twice ? WW_SASS_dadd : half ? WW_SASS_hadd2 : WW_SASS_fadd, n);
    break;
  case WW_OP_FMUL:
    put(e, twice ? WW_SASS_dmul : half ? WW_SASS_hmul2 : WW_SASS_fmul, n);
    break;
  case WW_OP_FMA:
    put(e, twice ? WW_SASS_dfma : half ? WW_SASS_hfma2 : WW_SASS_ffma, n);
    break;
  case WW_OP_FMIN:
  case WW_OP_FMAX:
    if (twice) {
      put(e, WW_SASS_dsetp, 1);
      put(e, WW_SASS_fsel, 2);
      put(e, WW_SASS_lop3, 1);
      put(e, WW_SASS_mov, 4);
    } else
      put(e, WW_SASS_fmnmx, n);
    break;
  default:
    break;
  }
}

/* ---- memory, warp, control ---- */

/* In a loop, an address that all lanes share is computed on the uniform datapath and
 * moved to the lanes' registers for every load. */
static bool through_uniform(const emit *e) {
  ww_val v = e->i->a;
  return v != WW_NOVAL && e->x->same[v] && e->x->def[v] &&
         ww_lower_loop_of(e->x, e->at) != WW_NOBLOCK;
}

static void copy_in_bulk(emit *e) {
  put(e, WW_SASS_uniform, e->i->n - 1);
  put(e, WW_SASS_bulk, 1);
}

static void access_memory(emit *e) {
  const ww_ins *i = e->i;
  bool shared = i->space == WW_SHARED, local = i->space == WW_LOCAL,
       load = i->op == WW_OP_LD;
  if (ww_is_bulk(i))
    copy_in_bulk(e);
  else if (ww_is_atomic(i))
    ww_lower_atomic(e->x, i, e->c);
  else if (load && i->space == WW_CONST && ww_lower_constant(e->x, i->a))
    return; /* an operand of who needs it */
  else if (load && (i->space == WW_CONST || i->space == WW_PARAM))
    put(e, WW_SASS_ldc, 1);
  else if (load && i->space == WW_GLOBAL && through_uniform(e)) {
    put(e, WW_SASS_ldg, 1);
    put(e, WW_SASS_mov, 2);
  } else
    put(e,
        local    ? WW_SASS_ldl
        : shared ? (load ? WW_SASS_lds : WW_SASS_sts)
                 : (load ? WW_SASS_ldg : WW_SASS_stg),
        1);
}

static bool leaves(const ww_fn *fn, uint32_t b) {
  return fn->blocks[b].nins == 1 && fn->blocks[b].ins[0].op == WW_OP_EXIT;
}

/* One way leads out of the loop: the lanes meet behind it, once. */
static bool breaks(const ww_lowering *x, uint32_t b) {
  const ww_block *t = &x->fn->blocks[b];
  for (uint32_t k = 0; k < t->nsucc && t->loop != WW_NOBLOCK; k++)
    if (!ww_ir_in_loop(x->fn, t->succ[k], t->loop))
      return true;
  return false;
}

static void meet_behind(const ww_lowering *x, uint32_t loop) {
  uint32_t before = x->fn->blocks[x->fn->loops[loop].header].idom;
  uint32_t end = x->first[before + 1];
  if (end > x->first[before])
    ww_lower_put(x, WW_SASS_sync, 2, &x->cost[end - 1]);
}

/* All lanes have the same v, what they load from one address included. */
static bool lanes_agree(const ww_lowering *x, ww_val v, uint32_t depth) {
  ww_val of[4];
  const ww_ins *d = ww_lower_def(x, v);
  if (x->same[v])
    return true;
  if (!d || !depth || d->nres != 1)
    return false;
  bool load = d->op == WW_OP_LD && d->space != WW_LOCAL && !(d->flags & WW_F_VOLATILE);
  if (!load && (!ww_lower_only_computes(d) || ww_ops[d->op].cls == WW_CLASS_SREG))
    return false;
  uint32_t n = ww_ins_uses(x->fn, d, of, 4);
  bool all = n > 0 && n <= 4;
  for (uint32_t k = 0; k < n && all; k++)
    all = lanes_agree(x, of[k], depth - 1);
  return all;
}
enum { AGREE_DEPTH = 8 };

static void branch(emit *e) {
  const ww_lowering *x = e->x;
  uint32_t b = x->block_of[e->at];
  const ww_block *t = &x->fn->blocks[b];
  if (x->predicated[b] || ww_lower_literal(x, e->i->a))
    return;
  bool out = false;
  for (uint32_t k = 0; k < t->nsucc && !out; k++) {
    if (x->predicated[t->succ[k]])
      return;
    out = leaves(x->fn, t->succ[k]);
  }
  put(e, WW_SASS_bra, 1);
  uint32_t header = t->loop == WW_NOBLOCK ? WW_NOBLOCK : x->fn->loops[t->loop].header;
  if (out || header == e->i->imm || header == e->i->ext ||
      lanes_agree(x, e->i->a, AGREE_DEPTH))
    return;
  if (breaks(x, b))
    meet_behind(e->x, t->loop);
  else
    put(e, WW_SASS_sync, 2);
}

/* Of the ways that end where others meet them, one lies before that place and goes on;
 * the others jump. */
static bool jumps(const ww_lowering *x, uint32_t b, uint32_t to) {
  const ww_block *t = &x->fn->blocks[to];
  bool ends = t->nins == 1 && (t->ins[0].op == WW_OP_RET || t->ins[0].op == WW_OP_EXIT);
  for (uint32_t p = b + 1; p < x->fn->nblocks && !ends; p++)
    if (x->fn->blocks[p].nsucc == 1 && x->fn->blocks[p].succ[0] == to &&
        !x->predicated[p])
      return true;
  return false;
}

static void jump(emit *e) {
  const ww_lowering *x = e->x;
  uint32_t b = x->block_of[e->at];
  uint32_t to = e->i->imm;
  uint32_t loop = x->fn->blocks[b].loop;
  if (x->predicated[b])
    return;
  if (loop != WW_NOBLOCK && x->fn->loops[loop].header == to)
    put(e, WW_SASS_bra, to != b + 1);
  else
    put(e, WW_SASS_bra, jumps(x, b, to));
}

/* Few cases are compared one after the other; many are halved by compares until a table
 * of a few leads on, and each way that lanes take passes more of that. */
static void several_ways(emit *e) {
  const ww_lowering *x = e->x;
  const ww_block *t = &x->fn->blocks[x->block_of[e->at]];
  uint32_t cases = e->i->n;
  bool few = cases <= 4;
  put(e, WW_SASS_isetp, few ? cases : log2f(cases) + 2);
  put(e, WW_SASS_bra, few ? cases : log2f(cases) + 1);
  for (uint32_t k = 0; k < t->nsucc && !few; k++)
    if (x->fn->blocks[t->succ[k]].idom == x->block_of[e->at] && t->succ[k] != t->ipdom)
      ww_lower_put(x, WW_SASS_isetp, 1.5f, &x->cost[x->first[t->succ[k]]]);
  if (!lanes_agree(x, e->i->a, AGREE_DEPTH))
    put(e, WW_SASS_sync, 2);
}

static void control(emit *e) {
  const ww_ins *i = e->i;
  switch (i->op) {
  case WW_OP_BR:
    jump(e);
    break;
  case WW_OP_CBR:
    branch(e);
    break;
  case WW_OP_SWITCH:
    several_ways(e);
    break;
  case WW_OP_CALL:
  case WW_OP_CALLI:
    put(e, WW_SASS_bra, 1);
    put(e, WW_SASS_mov, 1 + i->n);
    break;
  case WW_OP_EXIT:
    if (!leaves(e->x->fn, e->x->block_of[e->at]))
      put(e, WW_SASS_bra, 1);
    break;
  case WW_OP_PRINTF:
    put(e, WW_SASS_bra, 2);
    put(e, WW_SASS_mov, 6);
    put(e, WW_SASS_ldl, i->n);
    break;
  default:
    put(e, WW_SASS_bra, 1);
    break;
  }
}

static void warp_wide(emit *e) {
  switch (e->i->op) {
  case WW_OP_VOTE:
  case WW_OP_ACTIVEMASK:
    put(e, WW_SASS_vote, 1);
    break;
  case WW_OP_MATCH:
    put(e, WW_SASS_redux, words(e->i->type));
    break;
  case WW_OP_REDUX:
    put(e, WW_SASS_redux, 2);
    break;
  case WW_OP_SYNCWARP:
    put(e, WW_SASS_bar, 1);
    break;
  default:
    put(e, WW_SASS_shfl, words(e->i->type));
    break;
  }
}

/* ---- asynchronous work ---- */

static ww_sass matrix_of(const ww_ins *i) {
  switch (i->type2) {
  case WW_BF16:
    return WW_SASS_hgmmabf;
  case WW_F32:
    return WW_SASS_hgmma32;
  case WW_E4M3:
    return WW_SASS_qgmma;
  case WW_I8:
  case WW_I1:
    return WW_SASS_igmma;
  default:
    return WW_SASS_hgmma16;
  }
}

/* One instruction keeps its matrix unit busy for each 8 columns; that is its latency
 * here, because only a wait for its group waits for more. Descriptors lie in uniform
 * registers. */
static void warp_group(emit *e) {
  const ww_ins *i = e->i;
  put(e, matrix_of(i), i->sub);
  e->c->inst[WW_PIPE_TENSOR] = 1;
  float cycles = e->c->cycles[WW_PIPE_TENSOR];
  put(e, WW_SASS_uniform, 4);
  if (!ww_lower_literal(e->x, e->x->fn->pool[i->ext + 1]))
    put(e, WW_SASS_vote, 1); /* the scale of D, of all lanes */
  e->c->latency = cycles;
}

/* Tiles of 16 x 16 and the like are two products of 16 x 8. */
static void matrix(emit *e) {
  const ww_mma_shape *t = &ww_mma_shapes[e->i->sub];
  put(e, WW_SASS_mma, 1);
  if (t->m * t->n > 128)
    ww_lower_scale(e->c, 2);
}

static void group(emit *e) {
  if (e->i->sub != WW_GROUP_WG_COMMIT) /* a mark of the last product */
    put(e, WW_SASS_bar, 1);
}

static void synchronise(emit *e) {
  switch (e->i->op) {
  case WW_OP_SYNCWARP:
    warp_wide(e);
    break;
  case WW_OP_MBAR:
  case WW_OP_MWAIT:
    put(e, WW_SASS_syncs, 1);
    break;
  case WW_OP_GROUP:
    group(e);
    break;
  default:
    put(e, WW_SASS_bar, 1);
    break;
  }
}

/* Whether a value is zero is a second result of the logic that makes it. */
static bool asks_logic(const emit *e) {
  const ww_lowering *x = e->x;
  const ww_ins *i = e->i;
  const ww_ins *d = ww_lower_def(x, i->a);
  return d && i->op == WW_OP_ICMP && (i->sub == WW_EQ || i->sub == WW_NE) &&
         d->type == WW_I32 && ww_lower_nuses(x, i->a) > 1 &&
         (d->op == WW_OP_AND || d->op == WW_OP_OR || d->op == WW_OP_XOR) &&
         ww_lower_literal(x, i->b) && !x->fn->vals[i->b].bits &&
         x->fn->vals[i->a].ref == x->block_of[e->at] && !x->gone[ww_lower_at(x, i->a)];
}

static void compare(emit *e) {
  const ww_ins *i = e->i;
  if (asks_logic(e))
    return;
  if (i->op == WW_OP_ICMP && i->type == WW_I1)
    predicate_logic(e);
  else if (i->op == WW_OP_ICMP)
    put(e, WW_SASS_isetp, words(i->type));
  else
    put(e, i->type == WW_F64 ? WW_SASS_dsetp : WW_SASS_fsetp,
        ww_type_bytes[i->type] == 2 ? 0.5f : 1);
}

static bool composite(const ww_ins *i) {
  return i->op == WW_OP_MATH || i->op == WW_OP_FDIV || ww_is_division(i);
}

/* The same special register again, in a block that an earlier reading dominates. */
static bool read_before(const emit *e) {
  const ww_lowering *x = e->x;
  for (uint32_t at = 0; at < e->at; at++) {
    const ww_ins *i = ww_lower_ins(x, at);
    if (i->op == WW_OP_SREG && i->sub == e->i->sub &&
        ww_ir_dominates(x->fn, x->block_of[at], x->block_of[e->at]))
      return true;
  }
  return false;
}

/* ptxas takes what all lanes share there in loops, and products; short arithmetic
 * before them stays with the lanes. */
static bool on_uniform_datapath(const emit *e) {
  return e->i->op != WW_OP_SREG &&
         (e->i->op == WW_OP_MUL || ww_lower_loop_of(e->x, e->at) != WW_NOBLOCK);
}

static void one(emit *e) {
  const ww_ins *i = e->i;
  if (e->x->gone[e->at] || ww_is_part(i))
    return;
  if (i->dst != WW_NOVAL && e->x->shares[i->dst] == WW_ONE_STEP) {
    float n = e->x->step[i->dst];
    bool narrow = ww_lower_short(e->x, i->dst);
    put(e, narrow || n >= 2 ? WW_SASS_iadd3 : WW_SASS_wide, n);
    return;
  }
  if (i->dst != WW_NOVAL && e->x->uniform[i->dst] && on_uniform_datapath(e)) {
    put(e, WW_SASS_uniform, words(i->type));
    return;
  }
  if (composite(i)) {
    ww_lower_math(e->x, i, e->c);
    return;
  }
  switch (ww_ops[i->op].cls) {
  case WW_CLASS_INT:
    if (i->op == WW_OP_SELECT && i->type == WW_I1)
      predicate_logic(e);
    else if (i->op == WW_OP_SELECT)
      put(e, i->type == WW_F32 ? WW_SASS_fsel : WW_SASS_sel, words(i->type));
    else
      integer(e);
    break;
  case WW_CLASS_CMP:
    compare(e);
    break;
  case WW_CLASS_CVT:
    conversion(e);
    break;
  case WW_CLASS_FP:
  case WW_CLASS_FPX:
    floating(e);
    break;
  case WW_CLASS_LOAD:
  case WW_CLASS_STORE:
  case WW_CLASS_ATOMIC:
    access_memory(e);
    break;
  case WW_CLASS_WARP:
    warp_wide(e);
    break;
  case WW_CLASS_SYNC:
    synchronise(e);
    break;
  case WW_CLASS_TENSOR:
    if (i->op == WW_OP_WGMMA)
      warp_group(e);
    else
      matrix(e);
    break;
  case WW_CLASS_CTL:
    control(e);
    break;
  case WW_CLASS_SREG:
    if (i->op != WW_OP_SREG || !read_before(e))
      put(e, WW_SASS_s2r, 1);
    break;
  case WW_CLASS_MISC:
    if (i->op == WW_OP_PRINTF)
      control(e);
    else
      put(e, WW_SASS_mov, 2);
    break;
  default:
    break;
  }
}

/* ---- loops ---- */

static void scale(ww_cost *c, float by) {
  ww_lower_scale(c, by);
  c->flops32 *= by;
  c->flops64 *= by;
  c->flops16 *= by;
  c->int_ops *= by;
  if (by == 0)
    c->latency = 0;
}

static void add(ww_cost *to, const ww_cost *c) {
  for (uint32_t p = 0; p < WW_NPIPES; p++) {
    to->inst[p] += c->inst[p];
    to->cycles[p] += c->cycles[p];
  }
  to->int_ops += c->int_ops;
}

/* Once, where the loop is entered from. */
static void on_entry(ww_lowering *x, uint32_t loop, const ww_cost *c) {
  uint32_t header = x->fn->loops[loop].header;
  uint32_t before = x->fn->blocks[header].idom;
  uint32_t end = x->first[before + 1];
  if (end == x->first[before] || before == header)
    return;
  add(&x->cost[end - 1], c);
  add(&x->loops[loop].entry, c);
}

/* What no longer happens in the loop happens when it is entered. */
static void in_its_loop(ww_lowering *x, uint32_t at) {
  float share = x->share[at];
  if (share == 1)
    return;
  if (share <= 0)
    on_entry(x, ww_lower_loop_of(x, at), &x->cost[at]);
  scale(&x->cost[at], share < 0 ? 0 : share);
  if (share < 0)
    ww_lower_put(x, WW_SASS_wide, 1, &x->cost[at]);
}

/* Whether all lanes leave the loop at once. */
static bool together(const ww_lowering *x, const ww_loop *t) {
  const ww_ins *end = t->latch == WW_NOBLOCK ? NULL : ww_block_end(x->fn, t->latch);
  return end && end->op == WW_OP_CBR && x->same[end->a];
}

static void put_at(ww_lowering *x, ww_sass s, double n, uint32_t at) {
  ww_lower_put(x, s, n, &x->cost[at]);
}

/* Additions, and copies of what is still needed as it was; before the loop also tests
 * of how many iterations there are. */
static void pointers(ww_lowering *x, uint32_t loop) {
  const ww_lower_loop *l = &x->loops[loop];
  const ww_loop *t = &x->fn->loops[loop];
  uint32_t at = x->first[t->header + 1] - 1;
  ww_cost tests = {0};
  put_at(x, WW_SASS_iadd3, 0.6 * l->streams / l->unrolled, at);
  put_at(x, WW_SASS_mov, 0.4 * l->streams / l->unrolled, at);
  if (l->unrolled == 1)
    return;
  double entry =
      together(x, t) ? ww_lower_coefs.loop_entry : ww_lower_coefs.loop_entry_apart;
  ww_lower_put(x, WW_SASS_iadd3, 0.4 * entry, &tests);
  ww_lower_put(x, WW_SASS_mov, 0.3 * entry, &tests);
  ww_lower_put(x, WW_SASS_bra, 0.3 * entry, &tests);
  on_entry(x, loop, &tests);
}

/* ---- constants in registers: what is stored, carried into a loop or merged cannot be
 * an immediate
 * ---- */

static void constant_at(ww_lowering *x, ww_val v, uint32_t at) {
  if (v != WW_NOVAL && ww_lower_literal(x, v) && at != UINT32_MAX)
    put_at(x, WW_SASS_mov, 1, at);
}

/* The end of the block that the loop around b is entered from, outermost first; of b
 * itself when there is none. */
static uint32_t before_loops(const ww_lowering *x, uint32_t b) {
  uint32_t l = x->fn->blocks[b].loop;
  while (l != WW_NOBLOCK) {
    b = x->fn->blocks[x->fn->loops[l].header].idom;
    l = x->fn->loops[l].parent;
  }
  return x->first[b + 1] > x->first[b] ? x->first[b + 1] - 1 : UINT32_MAX;
}

/* What a loop begins with and others need too is copied. */
static bool lives_on(const ww_lowering *x, ww_val v) {
  return v != WW_NOVAL && x->fn->vals[v].kind == WW_VAL_RESULT &&
         ww_lower_nuses(x, v) > 1;
}

/* What an instruction computes from v, in the loop. */
static bool
computed_from(const ww_lowering *x, const ww_ins *i, ww_val v, uint32_t depth) {
  ww_val of[8];
  uint32_t n = depth ? ww_ins_uses(x->fn, i, of, 8) : 0;
  for (uint32_t k = 0; k < n; k++) {
    const ww_ins *d = ww_lower_def(x, of[k]);
    if (of[k] == v || (d && x->fn->vals[of[k]].ref == x->fn->vals[v].ref &&
                       computed_from(x, d, v, depth - 1)))
      return true;
  }
  return false;
}

/* A sum of v and a comparison's result: v + 1, or under a predicate v again. */
static bool counts_up(const ww_lowering *x, ww_val sum, ww_val v) {
  const ww_ins *d = ww_lower_def(x, sum);
  const ww_ins *w = d && d->op == WW_OP_ADD && (d->a == v || d->b == v)
                        ? ww_lower_def(x, d->a == v ? d->b : d->a)
                        : NULL;
  return w && w->op == WW_OP_ZEXT && w->type2 == WW_I1;
}

/* Whether what the loop carries on as v cannot be made in v's register, because what is
 * there is needed at the same time: by another value that is carried, or by who needs
 * both. */
static bool needs_copy(const ww_lowering *x, uint32_t header, ww_val v, ww_val next) {
  enum { DEPTH = 4 };
  if (next == WW_NOVAL || next == v || x->fn->vals[next].kind != WW_VAL_RESULT)
    return false;
  if (!x->def[next])
    return x->fn->vals[next].ref == header;
  if (counts_up(x, next, v))
    return true;
  for (uint32_t k = 0; k < ww_lower_nuses(x, v); k++) {
    const ww_ins *u = ww_lower_user(x, v, k);
    if (u && u != x->def[next] && computed_from(x, u, next, DEPTH))
      return true;
  }
  return false;
}

static void carried(ww_lowering *x, uint32_t b) {
  const ww_fn *fn = x->fn;
  uint32_t l = fn->blocks[b].loop;
  if (l == WW_NOBLOCK || fn->loops[l].header != b || x->vanishes[l])
    return;
  for (uint32_t p = 0; p < fn->blocks[b].nphis; p++) {
    const ww_phi *t = &fn->blocks[b].phis[p];
    if (x->address[t->dst])
      continue;
    for (uint32_t e = 0; e < t->n; e++) {
      ww_phi_way in = ww_phi_edge(fn, t, e);
      uint32_t at = x->first[in.from + 1] - 1;
      if (ww_ir_in_loop(fn, in.from, l)) {
        if (needs_copy(x, b, t->dst, in.value))
          put_at(x, WW_SASS_mov, words(fn->vals[t->dst].type) / x->loops[l].unrolled,
                 at);
        continue;
      }
      constant_at(x, in.value, at);
      if (lives_on(x, in.value))
        put_at(x, WW_SASS_mov, 1, at);
    }
  }
}

/* Where ways meet, a value that is a constant on one of them is moved into its register
 * before they part. */
static void merged(ww_lowering *x, uint32_t b) {
  const ww_fn *fn = x->fn;
  uint32_t l = fn->blocks[b].loop;
  uint32_t from = fn->blocks[b].idom;
  if (from == b || x->first[from + 1] == x->first[from] ||
      (l != WW_NOBLOCK && fn->loops[l].header == b))
    return;
  for (uint32_t p = 0; p < fn->blocks[b].nphis; p++) {
    const ww_phi *t = &fn->blocks[b].phis[p];
    ww_val constant = WW_NOVAL;
    for (uint32_t e = 0; e < t->n; e++) {
      ww_val v = ww_phi_value(fn, t, e);
      if (v != WW_NOVAL && ww_lower_literal(x, v))
        constant = v;
    }
    constant_at(x, constant, x->first[from + 1] - 1);
  }
}

static void put_constants(ww_lowering *x) {
  for (uint32_t b = 0; b < x->fn->nblocks; b++) {
    carried(x, b);
    merged(x, b);
    for (uint32_t j = 0; j < x->fn->blocks[b].nins; j++) {
      const ww_ins *i = &x->fn->blocks[b].ins[j];
      if (i->op == WW_OP_ST && i->n == 1)
        constant_at(x, x->fn->pool[i->ext], before_loops(x, b));
      if (i->op == WW_OP_ATOM)
        constant_at(x, i->b, before_loops(x, b));
    }
  }
}

/* ---- what a kernel reads once: the stack pointer at its begin; parameters, the memory
 * descriptor and the window of shared memory where the first block begins that needs
 * them, so that a warp which leaves at once never sees them ---- */

static uint32_t common_dominator(const ww_fn *fn, uint32_t a, uint32_t b) {
  if (a == WW_NOBLOCK)
    return b;
  while (a && !ww_ir_dominates(fn, a, b))
    a = fn->blocks[a].idom == WW_NOBLOCK ? 0 : fn->blocks[a].idom;
  return a;
}

static uint32_t needed_from(const ww_lowering *x, ww_val v) {
  uint32_t at = WW_NOBLOCK;
  for (uint32_t k = 0; k < ww_lower_nuses(x, v); k++) {
    uint32_t u = x->uses[x->uses_at[v] + k];
    uint32_t b = u & WW_PHI ? x->fn->blocks[u & ~WW_PHI].idom : x->block_of[u];
    if (b != WW_NOBLOCK)
      at = common_dominator(x->fn, at, b);
  }
  return at;
}

static uint32_t memory_from(const ww_lowering *x, bool shared) {
  uint32_t from = WW_NOBLOCK;
  for (uint32_t at = 0; at < x->nins; at++) {
    const ww_ins *i = ww_lower_ins(x, at);
    if (ww_touches_memory(i) && (shared ? i->space == WW_SHARED : ww_is_global(i)))
      from = common_dominator(x->fn, from, x->block_of[at]);
  }
  return from;
}

static void put_before(ww_lowering *x, uint32_t block, ww_sass s, float n) {
  uint32_t at = block == WW_NOBLOCK ? UINT32_MAX : before_loops(x, block);
  if (at != UINT32_MAX)
    put_at(x, s, n, at);
}

static void prologue(ww_lowering *x) {
  if (!x->fn->kernel || !x->fn->nblocks || !x->fn->blocks[0].nins)
    return;
  ww_lower_put(x, WW_SASS_ldc, 1, &x->cost[0]);
  put_before(x, memory_from(x, false), WW_SASS_uniform, 1);
  /* Where the block's shared memory begins in the cluster's window. */
  if (x->fn->shared_bytes)
    put_before(x, memory_from(x, true), WW_SASS_uniform, 3);
  for (uint32_t p = 0; p < x->fn->nparams; p++)
    put_before(x, needed_from(x, p), WW_SASS_ldc,
               x->fn->params[p].pointer ? 1 : ww_lower_coefs.scalar_load);
}

static ww_lowering *lowered(const ww_gpu_code *code, const ww_fn *fn) {
  ww_lowering *x = ww_lower_analyse(code->m, fn, code->g, code->arena);
  x->cost = WW_NEWN(x->arena, ww_cost, x->nins + 1);
  for (uint32_t at = 0; at < x->nins; at++)
    one(&(emit){x, ww_lower_ins(x, at), at, &x->cost[at]});
  for (uint32_t at = 0; at < x->nins; at++)
    in_its_loop(x, at);
  for (uint32_t l = 0; l < fn->nloops; l++)
    pointers(x, l);
  put_constants(x);
  prologue(x);
  return x;
}

ww_gpu_code *ww_gpu_code_new(const ww_module *m, const ww_gpu *g, ww_arena *a) {
  ww_gpu_code *c = WW_NEW(a, ww_gpu_code);
  *c = (ww_gpu_code){m, g, a, WW_NEWN(a, const ww_fn_code *, m->nfns + 1)};
  return c;
}

const ww_fn_code *ww_fn_code_of(ww_gpu_code *c, const ww_fn *fn) {
  const ww_fn_code **at = &c->of[fn - c->m->fns];
  if (*at)
    return *at;
  ww_fn_code *code = WW_NEW(c->arena, ww_fn_code);
  ww_lowering *x = lowered(c, fn);
  *code = (ww_fn_code){.first = x->first, .cost = x->cost, .lowering = x};
  ww_lower_registers(x, code);
  return *at = code;
}

/* ---- the launch ---- */

typedef struct {
  double warps, lanes;
} executed;

/* `rounds`: of the loop's own instructions, against what their cost assumes. */
static void add_block(const ww_lowering *x,
                      uint32_t b,
                      executed issued,
                      double lanes,
                      double rounds,
                      ww_lowered *out) {
  for (uint32_t at = x->first[b]; at < x->first[b + 1]; at++) {
    const ww_cost *c = &x->cost[at];
    double n = 0;
    double by = x->share[at] > 0 && x->share[at] < 1 ? rounds : 1;
    if (ww_lower_ins(x, at)->op == WW_OP_WGMMA)
      out->beside += c->cycles[WW_PIPE_TENSOR] * issued.warps * by;
    for (uint32_t p = 0; p < WW_NPIPES; p++) {
      out->inst[p] += c->inst[p] * issued.warps * by;
      out->cycles[p] += c->cycles[p] * issued.warps * by;
      n += c->inst[p] * by;
    }
    out->total += n * issued.warps;
    out->thread_inst += n * issued.lanes;
    out->flops32 += c->flops32 * lanes * by;
    out->flops64 += c->flops64 * lanes * by;
    out->flops16 += c->flops16 * lanes * by;
    out->int_ops += c->int_ops * lanes * by;
  }
}

/* Lanes that meet in one bank of shared memory try again. */
static void add_spinning(const ww_lowering *x,
                         uint32_t b,
                         executed issued,
                         const ww_counts *counts,
                         ww_lowered *out) {
  ww_cost c;
  uint32_t spinning = ww_lower_spinning(x, b, counts, &c);
  if (!spinning)
    return;
  /* all that are left of a bank's lanes are served in each round */
  double lanes = ww_lower_spin_rounds(counts) / ww_lower_coefs.spin;
  out->spin_cycles += spinning * issued.warps * lanes * (lanes + 3) / 2;
  for (uint32_t p = 0; p < WW_NPIPES; p++) {
    out->inst[p] += c.inst[p] * issued.warps;
    out->cycles[p] += c.cycles[p] * issued.warps;
    out->total += c.inst[p] * issued.warps;
    out->thread_inst += c.inst[p] / 3 * issued.lanes;
  }
  out->flops32 += c.flops32 * issued.lanes;
  out->flops64 += c.flops64 * issued.lanes;
  out->int_ops += c.int_ops * issued.lanes;
}

/* Iterations of the loop that the block belongs to, per entry. */
static double trips_of(const ww_lowering *x, uint32_t b, const executed *ran) {
  uint32_t l = x->fn->blocks[b].loop;
  if (l == WW_NOBLOCK)
    return 1;
  uint32_t h = x->fn->loops[l].header;
  double entries = ran[x->fn->blocks[h].idom].warps;
  return entries > 0 && ran[h].warps > entries ? ran[h].warps / entries : 1;
}

/* Of a loop that not every warp enters, what entering costs is not paid by all. */
static void
skip_entry(const ww_lowering *x, uint32_t loop, const executed *ran, ww_lowered *out) {
  uint32_t header = x->fn->loops[loop].header;
  const executed *before = &ran[x->fn->blocks[header].idom];
  const ww_cost *c = &x->loops[loop].entry;
  double warps = before->warps - ran[header].warps;
  if (warps <= 0)
    return;
  double lanes = before->lanes * warps / before->warps;
  for (uint32_t p = 0; p < WW_NPIPES; p++) {
    out->inst[p] -= c->inst[p] * warps;
    out->cycles[p] -= c->cycles[p] * warps;
    out->total -= c->inst[p] * warps;
    out->thread_inst -= c->inst[p] * lanes;
  }
  out->int_ops -= c->int_ops * lanes;
}

static void add_function(const ww_lowering *x, const ww_tally *t, ww_lowered *out) {
  executed *ran = WW_NEWN(x->arena, executed, x->fn->nblocks);
  for (uint32_t k = 0; k < t->nblocks; k++)
    if (t->blocks[k].fn == x->fn)
      ran[t->blocks[k].block] = (executed){t->blocks[k].warps, t->blocks[k].lanes};
  for (uint32_t b = 0; b < x->fn->nblocks; b++) {
    executed issued = ran[b];
    for (uint32_t p = b; x->predicated[p];)
      issued = ran[p = x->fn->blocks[p].idom];
    uint32_t l = x->fn->blocks[b].loop;
    double rounds =
        l == WW_NOBLOCK ? 1 : ww_lower_rounds(&x->loops[l], trips_of(x, b, ran));
    if (issued.warps <= 0)
      continue;
    add_block(x, b, issued, ran[b].lanes, rounds, out);
    add_spinning(x, b, issued, &t->c, out);
  }
  for (uint32_t l = 0; l < x->fn->nloops; l++)
    skip_entry(x, l, ran, out);
  double n = 0;
  for (uint32_t at = 0; at < x->nins; at++)
    for (uint32_t p = 0; p < WW_NPIPES; p++)
      n += x->cost[at].inst[p];
  out->code_bytes += (uint32_t)(16 * n);
}

const ww_fn_code *
ww_lower(ww_gpu_code *c, const ww_fn *fn, const ww_tally *t, ww_lowered *out) {
  memset(out, 0, sizeof *out);
  const ww_fn *done = NULL;
  const ww_fn_code *own = ww_fn_code_of(c, fn);
  add_function(own->lowering, t, out);
  /* Blocks of a function lie together in the tally. */
  for (uint32_t k = 0; k < t->nblocks; k++) {
    const ww_fn *f = t->blocks[k].fn;
    if (f == fn || f == done)
      continue;
    done = f;
    add_function(ww_fn_code_of(c, f)->lowering, t, out);
  }
  out->flops_tensor = t->c.flops_tensor;
  return own;
}
