/* lower_idiom.c - groups of IR instructions that the compilers know as one.
 *
 * Logic of three inputs, bytes put together, bytes loaded alone, a value kept between
 * zero and one, a choice of which one side is an operation under a predicate: what each
 * becomes was read off compiled expressions. An instruction that is part of another's
 * is marked as gone; every value still belongs to the instruction that defines it. */
#include "lower_int.h"

static bool logic(uint8_t op) {
  return op == WW_OP_AND || op == WW_OP_OR || op == WW_OP_XOR;
}

/* What defines it, where nobody but one instruction of the same block needs it. */
static const ww_ins *alone(const ww_lowering *x, ww_val v, uint32_t block) {
  const ww_ins *d = ww_lower_def(x, v);
  return d && ww_lower_nuses(x, v) == 1 && x->fn->vals[v].ref == block ? d : NULL;
}

static uint64_t literal(const ww_lowering *x, ww_val v) {
  return x->fn->vals[v].bits;
}

static bool by_literal(const ww_lowering *x, const ww_ins *i) {
  return i->b != WW_NOVAL && ww_lower_literal(x, i->b);
}

static void drop(ww_lowering *x, const ww_ins *i) {
  x->gone[ww_lower_at(x, i->dst)] = true;
}

/* ---- logic of three: a tree of logic with three different inputs is one instruction
 * ---- */

enum { INPUTS = 3 };

typedef struct {
  ww_val v[2 * INPUTS];
  uint32_t n, literals;
} inputs;

static bool is_logic(const ww_lowering *x, ww_val v) {
  const ww_ins *d = ww_lower_def(x, v);
  return d && logic(d->op) && d->type != WW_I1;
}

static void add_input(const ww_lowering *x, inputs *to, ww_val v) {
  for (uint32_t k = 0; k < to->n; k++)
    if (to->v[k] == v)
      return;
  to->literals += ww_lower_literal(x, v);
  to->v[to->n++] = v;
}

static void add_inputs(const ww_lowering *x, inputs *to, const inputs *from) {
  for (uint32_t k = 0; k < from->n; k++)
    add_input(x, to, from->v[k]);
}

/* All bits set: a negation, which is part of any logic. */
static bool all_ones(const ww_lowering *x, ww_val v) {
  const ww_value *t = &x->fn->vals[v];
  return t->kind == WW_VAL_CONST &&
         t->bits == (t->type == WW_I64 ? UINT64_MAX : UINT32_MAX);
}

/* Of its two operands those that are `taken`, as their own inputs. */
static inputs
inputs_with(const ww_lowering *x, const ww_ins *i, const inputs *of, uint32_t taken) {
  inputs out = {0};
  for (uint32_t k = 0; k < 2; k++) {
    ww_val v = k ? i->b : i->a;
    if (taken >> k & 1)
      add_inputs(x, &out, &of[v]);
    else if (!(i->op == WW_OP_XOR && all_ones(x, v)))
      add_input(x, &out, v);
  }
  return out;
}

/* A mask of an index whose elements are wider than a byte: the shift that scales the
 * index stands between the mask and the logic before it. */
static bool masks_index(const ww_lowering *x, const ww_ins *i) {
  if (i->op != WW_OP_AND || !by_literal(x, i))
    return false;
  for (uint32_t k = 0; k < ww_lower_nuses(x, i->dst); k++) {
    const ww_ins *w = ww_lower_user(x, i->dst, k);
    if (!w || w->op != WW_OP_ZEXT || w->type != WW_I64)
      continue;
    const ww_ins *u = ww_lower_nuses(x, w->dst) ? ww_lower_user(x, w->dst, 0) : NULL;
    if (u && u->op == WW_OP_LEA && u->imm > 1)
      return true;
  }
  return false;
}

static void fold_logic(ww_lowering *x) {
  static const uint32_t choices[] = {3, 1, 2, 0};
  inputs *of = WW_NEWN(x->arena, inputs, x->fn->nvals);
  for (uint32_t at = 0; at < x->nins; at++) {
    const ww_ins *i = ww_lower_ins(x, at);
    uint32_t can = 0;
    if (!logic(i->op) || i->type == WW_I1 || x->known[i->dst] || x->dead[i->dst] ||
        x->gone[at])
      continue;
    for (uint32_t k = 0; k < 2 && !masks_index(x, i); k++) {
      ww_val v = k ? i->b : i->a;
      can |= (uint32_t)(is_logic(x, v) && ww_lower_nuses(x, v) == 1 &&
                        x->fn->vals[v].ref == x->block_of[at] && of[v].n &&
                        !x->gone[ww_lower_at(x, v)])
             << k;
    }
    for (uint32_t k = 0; k < WW_COUNT(choices); k++) {
      uint32_t taken = choices[k] & can;
      of[i->dst] = inputs_with(x, i, of, taken);
      if (of[i->dst].n > INPUTS || of[i->dst].literals > 1)
        continue;
      for (uint32_t o = 0; o < 2; o++)
        if (taken >> o & 1)
          x->gone[ww_lower_at(x, o ? i->b : i->a)] = true;
      break;
    }
  }
}

/* ---- bytes ---- */

/* Of whole bytes, one behind the other. */
static bool byte_mask(uint64_t m) {
  for (uint32_t k = 0; k < 4; k++)
    if ((m >> 8 * k & 255) != 0 && (m >> 8 * k & 255) != 255)
      return false;
  return m && m < UINT32_MAX;
}

/* Bytes of one value at other places, zeros elsewhere: the value; WW_NOVAL: it is not.
 * With `take`, what makes it so is no instruction any more. */
static ww_val bytes_of(ww_lowering *x, ww_val v, uint32_t block, bool take) {
  const ww_ins *d = alone(x, v, block);
  if (!d || d->type != WW_I32 || !by_literal(x, d))
    return WW_NOVAL;
  uint64_t by = literal(x, d->b);
  bool shift = (d->op == WW_OP_SHL || d->op == WW_OP_LSHR) && by % 8 == 0;
  if (!shift && !(d->op == WW_OP_AND && byte_mask(by)))
    return WW_NOVAL;
  if (take)
    drop(x, d);
  ww_val inner = shift ? bytes_of(x, d->a, block, take) : WW_NOVAL;
  return inner == WW_NOVAL ? d->a : inner;
}

static void join_bytes(ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  uint32_t b = x->block_of[at];
  if (i->op != WW_OP_OR || i->type != WW_I32)
    return;
  if (bytes_of(x, i->a, b, false) == WW_NOVAL ||
      bytes_of(x, i->b, b, false) == WW_NOVAL)
    return;
  bytes_of(x, i->a, b, true);
  bytes_of(x, i->b, b, true);
}

/* What a half is made by: a conversion from a float, its bits taken for a number. */
static bool converted_half(const ww_lowering *x, ww_val v) {
  const ww_ins *d = ww_lower_def(x, v);
  while (d && (d->op == WW_OP_ZEXT || d->op == WW_OP_MOV))
    d = ww_lower_def(x, d->a);
  return d && d->op == WW_OP_FCVT && d->type2 == WW_F32 && ww_type_bytes[d->type] == 2;
}

/* Two halves of a word: who converts them puts them together. */
static void join_halves(ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  if (i->op != WW_OP_OR || i->type != WW_I32)
    return;
  const ww_ins *high = alone(x, i->a, x->block_of[at]);
  if (!high || high->op != WW_OP_SHL || !by_literal(x, high) ||
      literal(x, high->b) != 16 || !converted_half(x, high->a) ||
      !converted_half(x, i->b))
    return;
  drop(x, high);
  x->gone[at] = true;
}

/* The load of a half, its bits taken for a number. */
static const ww_ins *loaded_half(const ww_lowering *x, ww_val v, ww_val *half) {
  const ww_ins *d = ww_lower_def(x, v);
  for (; d && (d->op == WW_OP_ZEXT || d->op == WW_OP_MOV); d = ww_lower_def(x, v))
    v = d->a;
  *half = v;
  return d && d->op == WW_OP_LD && ww_type_bytes[d->type] == 2 ? d : NULL;
}

/* Taken apart again: a fragment of a matrix, whose elements the product takes. */
static bool takes_apart(const ww_ins *i) {
  return i->op == WW_OP_TRUNC || i->op == WW_OP_LSHR;
}

/* Two halves of a word that were loaded: as one word, if they lie side by side. Of a
 * matrix that lies the other way nvcc loads words too, and lanes exchange their halves
 * (MOVM). */
static void join_loaded(ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  if (i->op != WW_OP_OR || i->type != WW_I32)
    return;
  for (uint32_t k = 0; k < 2; k++) {
    ww_val halves[2];
    const ww_ins *high = alone(x, k ? i->b : i->a, x->block_of[at]);
    if (!high || high->op != WW_OP_SHL || !by_literal(x, high) ||
        literal(x, high->b) != 16)
      continue;
    const ww_ins *first = loaded_half(x, k ? i->a : i->b, &halves[0]);
    const ww_ins *second = loaded_half(x, high->a, &halves[1]);
    bool matrix = first && second && first->n == 1 && second->n == 1 &&
                  ww_lower_nuses(x, halves[1]) == 1 &&
                  ww_lower_all_users(x, i->dst, takes_apart);
    if (!first || !second || (first != second && !matrix))
      continue;
    drop(x, high);
    x->gone[first == second ? at : ww_lower_at(x, halves[1])] = true;
    return;
  }
}

/* Of a word that is loaded for one byte or half-word of it, no more is loaded. */
static void narrow_load(ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  uint32_t b = x->block_of[at];
  if (i->op != WW_OP_AND || !by_literal(x, i) ||
      (literal(x, i->b) != 0xff && literal(x, i->b) != 0xffff))
    return;
  const ww_ins *d = alone(x, i->a, b);
  const ww_ins *shift = NULL;
  if (d && d->op == WW_OP_LSHR && by_literal(x, d) && literal(x, d->b) % 8 == 0) {
    shift = d;
    d = alone(x, d->a, b);
  }
  if (!d || d->op != WW_OP_LD || d->n > 1 || d->type != WW_I32 ||
      d->flags & WW_F_VOLATILE)
    return;
  x->gone[at] = true;
  if (shift)
    drop(x, shift);
}

/* A shift only looks at five bits of the distance. */
static void masked_shift(ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  if (i->op != WW_OP_SHL && i->op != WW_OP_LSHR && i->op != WW_OP_ASHR)
    return;
  const ww_ins *d = alone(x, i->b, x->block_of[at]);
  if (d && d->op == WW_OP_AND && i->type == WW_I32 && by_literal(x, d) &&
      literal(x, d->b) == 31)
    drop(x, d);
}

/* ---- floats between zero and one ---- */

enum { ONE = 0x3f800000 };

static void saturate(ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  uint32_t b = x->block_of[at];
  if (i->op != WW_OP_FMIN || i->type != WW_F32 || !by_literal(x, i) ||
      literal(x, i->b) != ONE)
    return;
  const ww_ins *d = alone(x, i->a, b);
  if (!d || d->op != WW_OP_FMAX || !by_literal(x, d) || literal(x, d->b))
    return;
  drop(x, d);
  const ww_ins *of = alone(x, d->a, b);
  if (of && (of->op == WW_OP_FADD || of->op == WW_OP_FMUL || of->op == WW_OP_FMA))
    x->gone[at] = true;
}

/* ---- choices ---- */

/* Nobody needs v behind instruction `at`. */
static bool ends_at(const ww_lowering *x, ww_val v, uint32_t at) {
  for (uint32_t k = 0; k < ww_lower_nuses(x, v); k++) {
    uint32_t u = x->uses[x->uses_at[v] + k];
    if (u & WW_PHI || u > at || x->block_of[u] != x->block_of[at])
      return false;
  }
  return true;
}

/* `c ? op(..) : v`: the operation runs under the predicate and overwrites v, where v
 * is not needed any more. */
static void choose(ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  if (i->op != WW_OP_SELECT || i->type == WW_I1 || ww_type_bytes[i->type] > 4)
    return;
  for (uint32_t k = 0; k < 2; k++) {
    ww_val other = k ? i->b : i->c;
    const ww_ins *d = alone(x, k ? i->c : i->b, x->block_of[at]);
    if (!d || ww_lower_literal(x, other) || ww_touches_memory(d) ||
        x->gone[ww_lower_at(x, d->dst)])
      continue;
    uint8_t cls = ww_ops[d->op].cls;
    if (d->op >= WW_OP_SMIN && d->op <= WW_OP_UMAX) /* a compare and a choice by both */
      continue;
    if ((cls == WW_CLASS_INT || cls == WW_CLASS_FP) && d->op != WW_OP_SELECT &&
        !ww_is_division(d) && ends_at(x, other, at)) {
      x->gone[at] = true;
      return;
    }
  }
}

/* A comparison's result as a float: one choice between zero and one. */
static bool to_float(const ww_ins *i) {
  return (i->op == WW_OP_UITOF || i->op == WW_OP_SITOF) && i->type == WW_F32;
}

static void float_of_test(ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  if (i->op == WW_OP_ZEXT && i->type2 == WW_I1 && i->type == WW_I32 &&
      ww_lower_all_users(x, i->dst, to_float))
    x->gone[at] = true;
}

void ww_lower_idioms(ww_lowering *x) {
  for (uint32_t at = 0; at < x->nins; at++) {
    join_bytes(x, at);
    join_halves(x, at);
    join_loaded(x, at);
    narrow_load(x, at);
    masked_shift(x, at);
    saturate(x, at);
    choose(x, at);
    float_of_test(x, at);
  }
  fold_logic(x);
}
