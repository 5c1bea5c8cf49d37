/* lower_fold.c - what of a function's IR is no instruction of its own on the machine.
 *
 * The compilers behind us select three-input adds, multiply-adds, shift-adds and
 * addressing with an immediate offset, negate and take absolute values inside other
 * operations, and load and store neighbouring words together. This file finds those
 * cases by looking at operands and users; it moves nothing, so every cost stays with
 * the instruction that the source line belongs to. Values are in SSA form, each defined
 * once. */
#include "lower_int.h"

bool ww_lower_constant(const ww_lowering *x, ww_val v) {
  if (v == WW_NOVAL || x->fn->vals[v].kind == WW_VAL_PARAM)
    return false;
  return x->fn->vals[v].kind != WW_VAL_RESULT || (x->known && x->known[v]);
}

ww_val ww_lower_widened(const ww_lowering *x, ww_val v) {
  const ww_ins *d = ww_lower_def(x, v);
  if (!d || (d->op != WW_OP_SEXT && d->op != WW_OP_ZEXT) || d->type != WW_I64 ||
      d->type2 == WW_I1)
    return WW_NOVAL;
  return d->a;
}

ww_val ww_lower_scaled(const ww_lowering *x, ww_val v) {
  const ww_ins *d = ww_lower_def(x, v);
  bool scaled = d && (d->op == WW_OP_SHL || d->op == WW_OP_MUL) && d->type == WW_I64 &&
                ww_lower_literal(x, d->b) && x->fn->vals[d->b].bits <= UINT32_MAX;
  return scaled && ww_lower_widened(x, d->a) != WW_NOVAL ? d->a : v;
}

/* The allocation an address points into decides; at most a few steps back. */
bool ww_lower_short(const ww_lowering *x, ww_val v) {
  for (uint32_t steps = 0; steps < 16 && v != WW_NOVAL; steps++) {
    const ww_value *t = &x->fn->vals[v];
    if (t->kind == WW_VAL_SYMBOL)
      return x->m->symbols[t->ref].space == WW_SHARED;
    const ww_ins *d = x->def[v];
    if (!d)
      break;
    if (d->op == WW_OP_LOCALADDR)
      return true;
    if (d->op != WW_OP_LEA && d->op != WW_OP_MOV && d->op != WW_OP_ADD)
      break;
    v = d->a;
  }
  /* Nothing known of its origin: its users know. */
  uint32_t n = v == WW_NOVAL ? 0 : ww_lower_nuses(x, v);
  for (uint32_t k = 0; k < n; k++) {
    const ww_ins *i = ww_lower_user(x, v, k);
    if (i && ww_accesses(i) && i->a == v)
      return i->space == WW_SHARED || i->space == WW_LOCAL;
  }
  return false;
}

/* ---- users ---- */

static void number(ww_lowering *x) {
  const ww_fn *fn = x->fn;
  uint32_t n = 0;
  x->first = WW_NEWN(x->arena, uint32_t, fn->nblocks + 1);
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    x->first[b] = n;
    n += fn->blocks[b].nins;
  }
  x->nins = x->first[fn->nblocks] = n;
  x->block_of = WW_NEWN(x->arena, uint32_t, n);
  x->def = ww_ir_defs(fn, x->arena);
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t at = x->first[b]; at < x->first[b + 1]; at++)
      x->block_of[at] = b;
}

/* Counts it, where there is no room for users yet, else notes it. */
static void add_use(ww_lowering *x, ww_val v, uint32_t user) {
  if (v == WW_NOVAL)
    return;
  uint32_t at = x->uses_at[v + 1]++;
  if (x->uses)
    x->uses[at] = user;
}

static void add_uses(ww_lowering *x) {
  const ww_fn *fn = x->fn;
  ww_val of[64];
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *t = &fn->blocks[b];
    for (uint32_t p = 0; p < t->nphis; p++)
      for (uint32_t k = 0; k < t->phis[p].n; k++)
        add_use(x, ww_phi_value(fn, &t->phis[p], k), WW_PHI | b);
    for (uint32_t k = 0; k < t->nins; k++) {
      uint32_t n = ww_ins_uses(fn, &t->ins[k], of, 64);
      for (uint32_t u = 0; u < n; u++)
        add_use(x, of[u], x->first[b] + k);
    }
  }
}

static void find_users(ww_lowering *x) {
  uint32_t n = x->fn->nvals;
  x->uses_at = WW_NEWN(x->arena, uint32_t, n + 2);
  add_uses(x);
  for (uint32_t v = 0; v < n; v++)
    x->uses_at[v + 1] += x->uses_at[v];
  x->uses = WW_NEWN(x->arena, uint32_t, x->uses_at[n] + 1);
  /* While they are noted, v's begin stands at v + 1 and moves to its end. */
  for (uint32_t v = n; v > 0; v--)
    x->uses_at[v] = x->uses_at[v - 1];
  x->uses_at[0] = 0;
  add_uses(x);
}

/* ---- folding ---- */

/* The only user of a value, in the same block or not; NULL: several, or a phi. */
static const ww_ins *only_user(const ww_lowering *x, ww_val v, uint32_t *at) {
  if (v == WW_NOVAL || ww_lower_nuses(x, v) != 1)
    return NULL;
  uint32_t u = x->uses[x->uses_at[v]];
  if (u & WW_PHI)
    return NULL;
  *at = u;
  return ww_lower_ins(x, u);
}

/* Takes an operand with a sign or an absolute value of its own. */
static bool takes_modifier(const ww_ins *i) {
  switch (i->op) {
  case WW_OP_FADD:
  case WW_OP_FSUB:
  case WW_OP_FMUL:
  case WW_OP_FMA:
  case WW_OP_FCMP:
  case WW_OP_FMIN:
  case WW_OP_FMAX:
  case WW_OP_FDIV:
  case WW_OP_MATH:
    return true;
  default:
    return false;
  }
}

bool ww_lower_all_users(const ww_lowering *x, ww_val v, bool (*such)(const ww_ins *)) {
  uint32_t n = ww_lower_nuses(x, v);
  for (uint32_t k = 0; k < n; k++) {
    const ww_ins *user = ww_lower_user(x, v, k);
    if (!user || !such(user))
      return false;
  }
  return n > 0;
}

static bool zero(const ww_lowering *x, ww_val v) {
  return ww_lower_literal(x, v) && !x->fn->vals[v].bits;
}

/* An add whose only user is another add, a shift-add or an address; a multiply or a
 * shift inside an add; extremes of three; logic inside logic, or asked for zero. */
static bool folds_into(const ww_lowering *x, const ww_ins *i, const ww_ins *u) {
  bool word = i->type == WW_I32 || i->type == WW_I16 || i->type == WW_I8;
  switch (i->op) {
  case WW_OP_MUL:
    return word && (u->op == WW_OP_ADD || u->op == WW_OP_SUB);
  case WW_OP_SHL:
    if (i->type == WW_I64 && u->type == WW_I64 && u->op == WW_OP_ADD &&
        ww_lower_literal(x, i->b))
      return true;
    if (word && u->op == WW_OP_SUB && u->a == i->dst && ww_lower_constant(x, i->b))
      return true;
    /* fallthrough */
  case WW_OP_LSHR:
  case WW_OP_ASHR:
    return ww_lower_constant(x, i->b) && u->op == WW_OP_ADD && i->type == u->type &&
           word;
  case WW_OP_ADD:
  case WW_OP_SUB:
    if (i->type == WW_I32 && u->op >= WW_OP_SMIN && u->op <= WW_OP_UMAX)
      return true;
    return (word || i->type == WW_I64) && (u->op == WW_OP_ADD || u->op == WW_OP_SUB) &&
           u->type == i->type;
  case WW_OP_SMIN:
  case WW_OP_SMAX:
  case WW_OP_UMIN:
  case WW_OP_UMAX:
    return i->type == WW_I32 && u->op == i->op;
  case WW_OP_AND: /* logic sets a predicate where its result is zero or not */
    return u->op == WW_OP_ICMP && word && (u->sub == WW_EQ || u->sub == WW_NE) &&
           zero(x, u->b);
  default:
    return false;
  }
}

/* A shift by a constant is part of every addition that takes it. */
static bool only_shift_adds(const ww_lowering *x, const ww_ins *i) {
  uint32_t n = ww_lower_nuses(x, i->dst);
  if (i->op != WW_OP_SHL || !ww_lower_constant(x, i->b) || ww_type_bytes[i->type] > 4)
    return false;
  for (uint32_t k = 0; k < n; k++) {
    const ww_ins *t = ww_lower_user(x, i->dst, k);
    if (!t || t->op != WW_OP_ADD || t->type != i->type || ww_lower_constant(x, t->a) ||
        ww_lower_constant(x, t->b))
      return false;
  }
  return n > 1;
}

/* A widening is part of the multiply-add that uses it. */
static bool widening_gone(const ww_lowering *x, const ww_ins *i) {
  uint32_t n = ww_lower_nuses(x, i->dst);
  if (i->type2 == WW_I1)
    return false;
  if (i->type != WW_I64)
    return true; /* loads of bytes and shorts extend; the rest is kept zero-extended */
  for (uint32_t k = 0; k < n; k++) {
    uint32_t u = x->uses[x->uses_at[i->dst] + k];
    if (u & WW_PHI)
      return false; /* both words have a register of their own */
    const ww_ins *t = ww_lower_ins(x, u);
    if (t->dst != WW_NOVAL && x->dead[t->dst])
      continue;
    if (i->op == WW_OP_ZEXT || t->op == WW_OP_TRUNC || (n == 1 && t->op == WW_OP_ADD))
      continue;
    if ((t->op != WW_OP_LEA && t->op != WW_OP_MUL && t->op != WW_OP_SHL) ||
        x->block_of[u] != x->fn->vals[i->dst].ref)
      return false;
  }
  return true;
}

/* A sum of 64 bits with a product: the multiply-add has it, if it stands there too. */
static bool in_multiply_add(const ww_lowering *x, const ww_ins *i) {
  if (i->op != WW_OP_ADD || i->type != WW_I64)
    return false;
  for (uint32_t k = 0; k < 2; k++) {
    const ww_ins *d = ww_lower_def(x, k ? i->b : i->a);
    if (d && d->op == WW_OP_MUL && ww_lower_nuses(x, d->dst) == 1 &&
        x->fn->vals[d->dst].ref == x->fn->vals[i->dst].ref)
      return true;
  }
  return false;
}

/* The address of a matrix: what is added to it stands in the instruction that loads it.
 */
static bool matrix_offset(const ww_lowering *x, const ww_ins *i) {
  uint32_t at;
  const ww_ins *u = i->op == WW_OP_ADD && ww_lower_constant(x, i->b)
                        ? only_user(x, i->dst, &at)
                        : NULL;
  return u && u->op == WW_OP_TRUNC && ww_lower_all_users(x, u->dst, ww_is_part);
}

static bool is_address(const ww_ins *i) {
  return i->op == WW_OP_LEA;
}

bool ww_lower_sums_words(const ww_lowering *x, ww_val v) {
  const ww_ins *d = ww_lower_def(x, v);
  return d && d->op == WW_OP_ADD && d->type == WW_I64 &&
         ww_lower_widened(x, d->a) != WW_NOVAL &&
         ww_lower_widened(x, d->b) != WW_NOVAL &&
         x->def[d->a]->op == x->def[d->b]->op && ww_lower_all_users(x, v, is_address);
}

static bool gone(const ww_lowering *x, const ww_ins *i, uint32_t at) {
  uint32_t user;
  const ww_ins *u;
  if (ww_is_part(i) && i->op != WW_OP_LD) /* what is loaded needs its register */
    return true;
  if (i->dst != WW_NOVAL && i->nres <= 1 &&
      (x->known[i->dst] || x->dead[i->dst] || x->shares[i->dst] == WW_SAME))
    return true;
  if (i->dst != WW_NOVAL && x->shares[i->dst] == WW_ONE_STEP)
    return false;
  if (i->op == WW_OP_MOV || i->op == WW_OP_FREEZE || i->op == WW_OP_TRUNC ||
      i->op == WW_OP_LOCALADDR)
    return true;
  if (i->op == WW_OP_SEXT || i->op == WW_OP_ZEXT)
    return widening_gone(x, i);
  if (i->op == WW_OP_FNEG || i->op == WW_OP_FABS)
    return ww_lower_all_users(x, i->dst, takes_modifier);
  if (i->op == WW_OP_LEA)
    return ww_lower_constant(x, i->b);
  if (matrix_offset(x, i))
    return true;
  if (i->dst != WW_NOVAL && ww_lower_scaled(x, i->dst) != i->dst &&
      ww_lower_all_users(x, i->dst, is_address))
    return true;
  if (i->dst == WW_NOVAL || i->nres > 1)
    return false;
  if (ww_lower_sums_words(x, i->dst))
    return true;
  if (only_shift_adds(x, i) || in_multiply_add(x, i))
    return true;
  u = only_user(x, i->dst, &user);
  /* One operand a chain: the user takes only one of two such. */
  if (!u || x->block_of[user] != x->block_of[at] || !folds_into(x, i, u))
    return false;
  const ww_ins *other = ww_lower_def(x, u->a == i->dst ? u->b : u->a);
  return !(other && other < i && only_user(x, other->dst, &user) == u &&
           folds_into(x, other, u) && other->op == i->op);
}

static void fold(ww_lowering *x) {
  x->gone = WW_NEWN(x->arena, bool, x->nins);
  ww_lower_idioms(x);
  for (uint32_t at = 0; at < x->nins; at++) {
    const ww_ins *i = ww_lower_ins(x, at);
    x->gone[at] |= gone(x, i, at);
    bool needed = i->dst == WW_NOVAL || (!x->dead[i->dst] && !x->known[i->dst]);
    /* A chain of three-input operations takes two steps in one, not all in one. */
    for (uint32_t o = 0; o < 2 && x->gone[at] && needed && i->op != WW_OP_LEA; o++) {
      ww_val v = o ? i->b : i->a;
      const ww_ins *d = ww_lower_def(x, v);
      if (!d || d->op != i->op || ww_lower_constant(x, v))
        continue;
      uint32_t b = x->block_of[at];
      if (x->fn->vals[v].ref == b && x->gone[x->first[b] + (d - x->fn->blocks[b].ins)])
        x->gone[at] =
            !(i->op == WW_OP_ADD || (i->op >= WW_OP_SMIN && i->op <= WW_OP_UMAX));
    }
  }
}

/* ---- accesses to neighbouring words of shared and local memory become a wide one
 * where their alignment is known ---- */

static uint32_t alignment(const ww_lowering *x, ww_val v) {
  uint32_t at_most = 16;
  for (uint32_t steps = 0; steps < 16; steps++) {
    if (x->fn->vals[v].kind == WW_VAL_SYMBOL)
      return at_most;
    const ww_ins *d = x->def[v];
    if (d && d->op == WW_OP_LOCALADDR)
      return at_most;
    if (!d || d->op != WW_OP_LEA)
      return 1;
    while (at_most > 1 && d->imm % at_most && !ww_lower_constant(x, d->b))
      at_most /= 2;
    v = d->a;
  }
  return 1;
}

static bool word_access(const ww_ins *i) {
  return (i->op == WW_OP_LD || i->op == WW_OP_ST) &&
         (i->space == WW_SHARED || i->space == WW_LOCAL) && i->n <= 1 &&
         ww_type_bytes[i->type] >= 4 && !(i->flags & WW_F_VOLATILE);
}

/* Offset of an access from what its base begins with. */
static int64_t offset_of(const ww_lowering *x, const ww_ins *i) {
  const ww_value *v = &x->fn->vals[i->a];
  return i->imm + (v->kind == WW_VAL_SYMBOL ? (int64_t)v->bits : 0);
}

static bool same_base(const ww_lowering *x, ww_val a, ww_val b) {
  const ww_value *v = &x->fn->vals[a];
  const ww_value *w = &x->fn->vals[b];
  return a == b ||
         (v->kind == WW_VAL_SYMBOL && w->kind == WW_VAL_SYMBOL && v->ref == w->ref);
}

/* The load in block b that is `like` this one, at `offset` of the same base;
 * UINT32_MAX: none. */
static uint32_t
load_at(const ww_lowering *x, uint32_t b, const ww_ins *like, int64_t offset) {
  for (uint32_t at = x->first[b]; at < x->first[b + 1]; at++) {
    const ww_ins *i = ww_lower_ins(x, at);
    if (word_access(i) && i->op == like->op && i->space == like->space &&
        i->type == like->type && !x->gone[at] && same_base(x, i->a, like->a) &&
        offset_of(x, i) == offset)
      return at;
  }
  return UINT32_MAX;
}

static void widen_loads(ww_lowering *x) {
  for (uint32_t at = 0; at < x->nins; at++) {
    const ww_ins *i = ww_lower_ins(x, at);
    if (!word_access(i) || x->gone[at])
      continue;
    uint32_t wide = alignment(x, i->a);
    uint32_t bytes = ww_type_bytes[i->type];
    uint32_t b = x->block_of[at];
    for (; wide > bytes; wide /= 2) {
      uint32_t others[4];
      uint32_t n = 0;
      if (offset_of(x, i) % wide)
        continue;
      for (uint32_t k = 1; k < wide / bytes; k++) {
        uint32_t o = load_at(x, b, i, offset_of(x, i) + k * bytes);
        if (o != UINT32_MAX)
          others[n++] = o;
      }
      if (n + 1 < wide / bytes)
        continue;
      for (uint32_t k = 0; k < n; k++)
        x->gone[others[k]] = true;
      break;
    }
  }
}

ww_lowering *
ww_lower_analyse(const ww_module *m, const ww_fn *fn, const ww_gpu *g, ww_arena *a) {
  ww_lowering *x = WW_NEW(a, ww_lowering);
  *x = (ww_lowering){.m = m, .fn = fn, .g = g, .arena = a};
  number(x);
  find_users(x);
  ww_lower_uniform(x);
  ww_lower_unrolled(x);
  ww_lower_addresses(x);
  fold(x);
  widen_loads(x);
  ww_lower_predicated(x);
  ww_lower_loops(x);
  ww_lower_rows(x);
  return x;
}
