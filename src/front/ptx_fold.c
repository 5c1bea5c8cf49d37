/* ptx_fold.c - a function from PTX, brought to the form that functions from other
 * inputs have, on which everything behind relies.
 *
 * - A sum with a product by a constant is `lea`.
 * - PTX computes addresses of shared memory in 32 bits; here they have 64, as all
 *   addresses: each such value gets a twin of 64 bits, and whoever widened the value
 *   takes the twin. That is the same number, as shared memory lies below 4 GiB.
 * - What nobody needs any more goes, values that only go round in a loop included. */
#include "ptx_int.h"

#include <stdlib.h>

typedef struct {
  low_fn *F;
  const ww_ins **def; /* per value; NULL: a phi, constant or parameter */
  const ww_phi **phi; /* per value */
  ww_val *twin;       /* per value of 32 bits: the same in 64; WW_NOVAL: none */
} folding;

static void find_defs(folding *x) {
  low_fn *F = x->F;
  x->def = WW_NEWN(F->a, const ww_ins *, F->vals.n + 1);
  x->phi = WW_NEWN(F->a, const ww_phi *, F->vals.n + 1);
  for (uint32_t b = 0; b < F->blocks.n; b++) {
    const low_block *t = &F->blocks.v[b];
    for (uint32_t p = 0; p < t->phis.n; p++)
      x->phi[t->phis.v[p].dst] = &t->phis.v[p];
    for (uint32_t k = 0; k < t->ins.n; k++)
      for (uint32_t r = 0; r < t->ins.v[k].nres; r++)
        x->def[t->ins.v[k].dst + r] = &t->ins.v[k];
  }
}

/* ---- constants ---- */

static uint64_t computed(const ww_ins *i, uint64_t a, uint64_t b) {
  unsigned w = ww_type_bits(i->type);
  switch (i->op) {
  case WW_OP_ADD:
    return a + b;
  case WW_OP_SUB:
    return a - b;
  case WW_OP_MUL:
    return a * b;
  case WW_OP_AND:
    return a & b;
  case WW_OP_OR:
    return a | b;
  case WW_OP_XOR:
    return a ^ b;
  case WW_OP_SHL:
    return b < w ? a << b : 0;
  default:
    return b < w ? a >> b : 0; /* lshr */
  }
}

static bool can_compute(const ww_ins *i) {
  return (i->op >= WW_OP_ADD && i->op <= WW_OP_MUL) || i->op == WW_OP_AND ||
         i->op == WW_OP_OR || i->op == WW_OP_XOR || i->op == WW_OP_SHL ||
         i->op == WW_OP_LSHR;
}

/* Results that are constants, or one of the operands: expansions leave some behind.
 * Blocks stand in an order in which definitions come before uses. */
static void fold_constants(folding *x) {
  low_fn *F = x->F;
  WW_VEC(uint32_t) same = {0};
  for (uint32_t b = 0; b < F->blocks.n; b++)
    for (uint32_t k = 0; k < F->blocks.v[b].ins.n; k++) {
      ww_ins *i = &F->blocks.v[b].ins.v[k];
      uint64_t va;
      uint64_t vb;
      while (same.n < F->vals.n) {
        uint32_t v = same.n;
        ww_push(F->a, &same, v);
      }
      if (!can_compute(i) || !low_is_const(F, same.v[i->b], &vb))
        continue;
      if (low_is_const(F, same.v[i->a], &va))
        same.v[i->dst] = low_const(F, i->type, computed(i, va, vb));
      else if (!vb && i->op != WW_OP_MUL && i->op != WW_OP_AND)
        same.v[i->dst] = same.v[i->a];
    }
  while (same.n < F->vals.n) {
    uint32_t v = same.n;
    ww_push(F->a, &same, v);
  }
  ptx_replace(F, same.v);
}

/* ---- sums with products ---- */

/* Whether it is something times a constant: what, and how much. */
static bool scaled(low_fn *F, const ww_ins *d, ww_type t, ww_val *of, int64_t *by) {
  uint64_t k;
  if (!d || d->type != t || (d->op != WW_OP_MUL && d->op != WW_OP_SHL) ||
      !low_is_const(F, d->b, &k))
    return false;
  if (d->op == WW_OP_SHL && k > 30)
    return false;
  *by = d->op == WW_OP_SHL ? 1ll << k : t == WW_I32 ? (int32_t)k : (int64_t)k;
  *of = d->a;
  return true;
}

static void fold_sums(folding *x) {
  low_fn *F = x->F;
  for (uint32_t b = 0; b < F->blocks.n; b++)
    for (uint32_t k = 0; k < F->blocks.v[b].ins.n; k++) {
      ww_ins *i = &F->blocks.v[b].ins.v[k];
      ww_val of;
      int64_t by;
      if (i->op != WW_OP_ADD || i->type != WW_I64)
        continue;
      bool second = scaled(F, x->def[i->b], WW_I64, &of, &by);
      if (!second && !scaled(F, x->def[i->a], WW_I64, &of, &by))
        continue;
      i->op = WW_OP_LEA;
      i->a = second ? i->a : i->b;
      i->b = of;
      i->imm = by;
    }
}

/* ---- addresses of shared memory ---- */

/* Computed from the address of a variable there. */
static bool in_shared(const folding *x, ww_val v) {
  for (int steps = 0; steps < 16; steps++) {
    const ww_value *t = &x->F->vals.v[v];
    const ww_ins *d = x->def[v];
    if (t->kind == WW_VAL_SYMBOL)
      return x->F->m->sym_list.v[t->ref].space == WW_SHARED;
    if (!d || (d->op != WW_OP_MOV && d->op != WW_OP_ADD && d->op != WW_OP_LEA))
      return false;
    v = d->a;
  }
  return false;
}

/* Which operand of a sum is the address; false: none is known to be. */
static bool address_of_sum(const folding *x, const ww_ins *i, ww_val *at, ww_val *by) {
  bool first = x->twin[i->a] != WW_NOVAL;
  if (!first && (i->op == WW_OP_SUB || x->twin[i->b] == WW_NOVAL))
    return false;
  *at = first ? i->a : i->b;
  *by = first ? i->b : i->a;
  return true;
}

static bool becomes_address(const folding *x, const ww_ins *i) {
  ww_val at;
  ww_val by;
  if (i->op == WW_OP_TRUNC)
    return i->type == WW_I32 && i->type2 == WW_I64 && in_shared(x, i->a);
  if (i->type != WW_I32)
    return false;
  if (i->op == WW_OP_SELECT)
    return x->twin[i->b] != WW_NOVAL && x->twin[i->c] != WW_NOVAL;
  return (i->op == WW_OP_ADD || i->op == WW_OP_SUB) && address_of_sum(x, i, &at, &by);
}

static bool phi_becomes_address(const folding *x, const ww_phi *p) {
  bool any = false;
  for (uint32_t e = 0; e < p->n; e++)
    any |= x->twin[x->F->pool.v[p->ext + 2 * e + 1]] != WW_NOVAL;
  return any && x->F->vals.v[p->dst].type == WW_I32;
}

static ww_val new_twin(folding *x, ww_val v) {
  x->F->cur = x->F->vals.v[v].ref;
  return x->twin[v] = low_new_val(x->F, WW_I64);
}

/* Twins are numbered to a fixed point: a loop carries addresses round. */
static bool find_twins(folding *x, uint32_t nvals) {
  low_fn *F = x->F;
  bool any = false;
  x->twin = WW_NEWN(F->a, ww_val, nvals + 1);
  for (uint32_t v = 0; v < nvals; v++)
    x->twin[v] = WW_NOVAL;
  for (bool changed = true; changed; any |= changed) {
    changed = false;
    for (uint32_t b = 0; b < F->blocks.n; b++) {
      const low_block *t = &F->blocks.v[b];
      for (uint32_t p = 0; p < t->phis.n; p++)
        if (x->twin[t->phis.v[p].dst] == WW_NOVAL &&
            phi_becomes_address(x, &t->phis.v[p]))
          changed |= new_twin(x, t->phis.v[p].dst) != WW_NOVAL;
      for (uint32_t k = 0; k < t->ins.n; k++) {
        const ww_ins *i = &t->ins.v[k];
        if (i->nres != 1 || x->twin[i->dst] != WW_NOVAL || !becomes_address(x, i))
          continue;
        if (i->op == WW_OP_TRUNC)
          x->twin[i->dst] = i->a;
        else
          new_twin(x, i->dst);
        changed = true;
      }
    }
  }
  return any;
}

/* The value as 64 bits, in the current block. */
static ww_val wide(folding *x, ww_val v) {
  return x->twin[v] != WW_NOVAL ? x->twin[v]
                                : low_int_to(x->F, v, WW_I32, WW_I64, true);
}

static void emit_twin(folding *x, const ww_ins *i) {
  low_fn *F = x->F;
  ww_val at;
  ww_val by;
  ww_val of;
  int64_t scale;
  F->loc = i->loc;
  ww_ins out = {.nres = 1, .type = WW_I64, .dst = x->twin[i->dst], .loc = i->loc};
  if (i->op == WW_OP_SELECT) {
    out.op = WW_OP_SELECT;
    out.a = i->a;
    out.b = x->twin[i->b];
    out.c = x->twin[i->c];
  } else {
    if (!address_of_sum(x, i, &at, &by))
      return;
    uint64_t number;
    bool sum = i->op == WW_OP_ADD && !low_is_const(F, by, &number);
    bool product = sum && scaled(F, x->def[by], WW_I32, &of, &scale);
    out.op = sum ? WW_OP_LEA : i->op;
    out.c = WW_NOVAL;
    out.a = x->twin[at];
    out.b = wide(x, product ? of : by);
    out.imm = !sum ? 0 : product ? scale : 1;
  }
  ww_push(F->a, &low_cur(F)->ins, out);
}

static void emit_phi_twin(folding *x, ww_phi p) {
  low_fn *F = x->F;
  ww_phi out = {x->twin[p.dst], F->pool.n, p.n};
  for (uint32_t e = 0; e < p.n; e++) {
    uint64_t k;
    uint32_t from = F->pool.v[p.ext + 2 * e];
    ww_val v = F->pool.v[p.ext + 2 * e + 1];
    bool number = low_is_const(F, v, &k);
    ww_val w = x->twin[v] != WW_NOVAL ? x->twin[v]
               : number               ? low_const(F, WW_I64, k)
                                      : WW_NOVAL;
    if (w == WW_NOVAL) { /* no address after all: widened where it comes from */
      low_block *b = &F->blocks.v[from];
      ww_ins end = b->ins.v[--b->ins.n];
      F->cur = from;
      b->ended = false;
      w = low_cvt(F, WW_OP_ZEXT, WW_I64, WW_I32, 0, v);
      ww_push(F->a, &F->blocks.v[from].ins, end);
      F->blocks.v[from].ended = true;
    }
    ww_push(F->a, &F->pool, from);
    ww_push(F->a, &F->pool, w);
  }
  ww_push(F->a, &F->blocks.v[F->vals.v[p.dst].ref].phis, out);
}

/* Copies the block's instructions, twins behind their values. */
static void widen_block(folding *x, uint32_t b) {
  low_fn *F = x->F;
  low_block was = F->blocks.v[b];
  F->cur = b;
  memset(&F->blocks.v[b].ins, 0, sizeof was.ins);
  F->blocks.v[b].ended = false;
  for (uint32_t k = 0; k < was.ins.n; k++) {
    const ww_ins *i = &was.ins.v[k];
    ww_push(F->a, &F->blocks.v[b].ins, *i);
    if (i->nres == 1 && i->dst < F->vals.n && i->op != WW_OP_TRUNC &&
        x->twin[i->dst] != WW_NOVAL)
      emit_twin(x, i);
  }
  F->blocks.v[b].ended = true;
}

static void widen_addresses(folding *x) {
  low_fn *F = x->F;
  uint32_t nvals = F->vals.n;
  if (!find_twins(x, nvals))
    return;
  for (uint32_t b = 0; b < F->blocks.n; b++)
    widen_block(x, b);
  for (uint32_t b = 0; b < F->blocks.n; b++) {
    uint32_t n = F->blocks.v[b].phis.n;
    for (uint32_t p = 0; p < n; p++)
      if (x->twin[F->blocks.v[b].phis.v[p].dst] != WW_NOVAL)
        emit_phi_twin(x, F->blocks.v[b].phis.v[p]);
  }
  uint32_t *same = WW_NEWN(F->a, uint32_t, F->vals.n);
  for (uint32_t v = 0; v < F->vals.n; v++) {
    const ww_ins *d = v < nvals ? x->def[v] : NULL;
    bool widens = d && d->op == WW_OP_ZEXT && d->type == WW_I64 && d->type2 == WW_I32 &&
                  x->twin[d->a] != WW_NOVAL;
    same[v] = widens ? x->twin[d->a] : v;
  }
  ptx_replace(F, same);
}

/* ---- what nobody needs ---- */

typedef struct {
  low_fn *F;
  bool *live; /* per value */
  ptx_numbers todo;
} sweeping;

static void need(sweeping *x, ww_val v) {
  if (x->live[v])
    return;
  x->live[v] = true;
  ww_push(x->F->a, &x->todo, v);
}

static void need_operands(sweeping *x, const ww_ins *i) {
  ww_operands o = ww_ins_operands(i);
  const ww_val fixed[3] = {i->a, i->b, i->c};
  for (uint32_t k = 0; k < o.fixed; k++)
    need(x, fixed[k]);
  for (uint32_t k = 0; k < o.n; k++)
    need(x, x->F->pool.v[o.ext + k * o.stride]);
}

/* An atomic whose result nobody reads is a reduction. */
static void drop_result(const sweeping *x, ww_ins *i) {
  if (i->op != WW_OP_ATOM || !i->nres || x->live[i->dst])
    return;
  i->dst = WW_NOVAL;
  i->nres = 0;
}

static void sweep(folding *f) {
  low_fn *F = f->F;
  sweeping x = {.F = F, .live = WW_NEWN(F->a, bool, F->vals.n + 1)};
  find_defs(f);
  for (uint32_t b = 0; b < F->blocks.n; b++)
    for (uint32_t k = 0; k < F->blocks.v[b].ins.n; k++)
      if (!low_removable(&F->blocks.v[b].ins.v[k]))
        need_operands(&x, &F->blocks.v[b].ins.v[k]);
  while (x.todo.n) {
    ww_val v = x.todo.v[--x.todo.n];
    if (f->def[v])
      need_operands(&x, f->def[v]);
    for (uint32_t e = 0; f->phi[v] && e < f->phi[v]->n; e++)
      need(&x, F->pool.v[f->phi[v]->ext + 2 * e + 1]);
  }
  for (uint32_t b = 0; b < F->blocks.n; b++) {
    low_block *t = &F->blocks.v[b];
    uint32_t n = 0;
    for (uint32_t k = 0; k < t->ins.n; k++) {
      if (low_removable(&t->ins.v[k]) && !x.live[t->ins.v[k].dst])
        continue;
      t->ins.v[n] = t->ins.v[k];
      drop_result(&x, &t->ins.v[n++]);
    }
    t->ins.n = n;
    n = 0;
    for (uint32_t p = 0; p < t->phis.n; p++)
      if (x.live[t->phis.v[p].dst])
        t->phis.v[n++] = t->phis.v[p];
    t->phis.n = n;
  }
}

/* ---- late addresses ---- */

typedef struct {
  uint32_t key, at; /* the instruction it stands before, its place so far */
} place;

static int by_place(const void *a, const void *b) {
  const place *x = a;
  const place *y = b;
  return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                          : (x->at > y->at) - (x->at < y->at);
}

static bool is_late(const ww_ins *i) {
  return low_removable(i) && i->type == WW_I64 && i->op != WW_OP_LOCALADDR;
}

/* Addresses are computed where they are first needed: PTX has those of a whole unrolled
 * body in front of its loads, which ptxas does not leave there. */
static void sink_addresses(low_fn *F, uint32_t b, uint32_t *first_use) {
  low_block *t = &F->blocks.v[b];
  place *order = WW_NEWN(F->a, place, t->ins.n);
  ww_ins *was = WW_NEWN(F->a, ww_ins, t->ins.n);
  memcpy(was, t->ins.v, t->ins.n * sizeof *was);
  for (uint32_t k = t->ins.n; k-- > 0;) {
    const ww_ins *i = &was[k];
    bool used = i->dst != WW_NOVAL && first_use[i->dst] != UINT32_MAX;
    order[k] = (place){!is_late(i) ? k : used ? first_use[i->dst] : t->ins.n - 1, k};
    ww_operands o = ww_ins_operands(i);
    const ww_val fixed[3] = {i->a, i->b, i->c};
    for (uint32_t e = 0; e < o.fixed + o.n; e++) {
      ww_val v = e < o.fixed ? fixed[e] : F->pool.v[o.ext + (e - o.fixed) * o.stride];
      if (order[k].key < first_use[v])
        first_use[v] = order[k].key;
    }
  }
  qsort(order, t->ins.n, sizeof *order, by_place);
  for (uint32_t k = 0; k < t->ins.n; k++)
    t->ins.v[k] = was[order[k].at];
  for (uint32_t k = 0; k < t->ins.n; k++) { /* only of this block */
    ww_operands o = ww_ins_operands(&was[k]);
    const ww_val fixed[3] = {was[k].a, was[k].b, was[k].c};
    for (uint32_t e = 0; e < o.fixed + o.n; e++)
      first_use[e < o.fixed ? fixed[e] : F->pool.v[o.ext + (e - o.fixed) * o.stride]] =
          UINT32_MAX;
  }
}

static void sink(low_fn *F) {
  uint32_t *first_use = WW_NEWN(F->a, uint32_t, F->vals.n + 1);
  memset(first_use, 0xff, (F->vals.n + 1) * sizeof *first_use);
  for (uint32_t b = 0; b < F->blocks.n; b++)
    sink_addresses(F, b, first_use);
}

void ptx_fold(low_fn *F) {
  folding x = {.F = F};
  fold_constants(&x);
  find_defs(&x);
  fold_sums(&x);
  widen_addresses(&x);
  sweep(&x);
  sink(F);
}
