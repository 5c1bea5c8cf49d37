/* structure.c - what a kernel does, as a sorted set of hashes of short paths through
 * its IR.
 *
 * A path runs from an instruction backwards over what it uses, three and four steps, or
 * to a constant, an argument or a special register. A step is the operation with what
 * the compiler may choose taken out: constants have no value, integers no width or
 * sign, a multiplication by a power of two is one by any other number, conversions are
 * not there, nor is the order of what commutes. It is a set: unrolling a loop more
 * often adds little to it. Loops add what they hold (which memory, barriers) at which
 * depth. Names, formatting and the order of independent statements are gone with the IR
 * already. */
#include <stdlib.h>

#include "../trace/setup.h"
#include "split.h"

#define HASHES_MAX (1u << 20) /* of one kernel before equal ones are joined */
enum { STEPS_SHORT = 3, STEPS = 4, USES_MAX = 8 };

typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  const ww_ins **ins; /* per value: what defines it */
  const ww_phi **phi;
  ww_arena *a;
  WW_VEC(uint64_t) hashes;
} finder;

static void add(finder *f, uint64_t h) {
  if (f->hashes.n < HASHES_MAX)
    ww_push(f->a, &f->hashes, h);
}

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
  return h ^ (h >> 32);
}

/* ---- what an operation is called here ---- */

/* Operations that compilers put in each other's place. */
static uint8_t alike_op(uint8_t op) {
  switch (op) {
  case WW_OP_SUB:
  case WW_OP_LEA:
  case WW_OP_OR:
    return WW_OP_ADD;
  case WW_OP_SHL:
    return WW_OP_MUL;
  case WW_OP_LSHR:
  case WW_OP_ASHR:
  case WW_OP_UDIV:
  case WW_OP_MULHS:
  case WW_OP_MULHU:
    return WW_OP_SDIV;
  case WW_OP_UREM:
  case WW_OP_AND:
    return WW_OP_SREM;
  case WW_OP_UMIN:
    return WW_OP_SMIN;
  case WW_OP_UMAX:
    return WW_OP_SMAX;
  case WW_OP_FSUB:
    return WW_OP_FADD;
  case WW_OP_UITOF:
    return WW_OP_SITOF;
  case WW_OP_FTOUI:
    return WW_OP_FTOSI;
  default:
    return op;
  }
}

static uint8_t alike_type(uint8_t t) {
  return t >= WW_I1 && t <= WW_I64 ? WW_I32 : t;
}

static uint8_t alike_compare(uint8_t c) {
  if (c <= WW_NE)
    return WW_EQ;
  if (c <= WW_UGE)
    return WW_SLT;
  return c == WW_FOEQ || c == WW_FONE || c == WW_FUEQ || c == WW_FUNE ? WW_FOEQ
                                                                      : WW_FOLT;
}

/* 64-bit arithmetic that LLVM makes of a size_t cut to an int (OpenCL's indices): x <<
 * 32, plus n
 * << 32, >> 32 less the element's scale. */
static bool cuts_to_int(const ww_fn *fn, const ww_ins *i) {
  if (i->type != WW_I64 || i->b >= fn->nvals || fn->vals[i->b].kind != WW_VAL_CONST)
    return false;
  uint64_t c = fn->vals[i->b].bits;
  if (i->op == WW_OP_SHL)
    return c == 32;
  if (i->op == WW_OP_ASHR || i->op == WW_OP_LSHR)
    return c >= 26 && c <= 32;
  if (i->op == WW_OP_AND)
    return c == UINT32_MAX;
  return i->op == WW_OP_ADD && c && (uint32_t)c == 0;
}

static bool transparent(const ww_fn *fn, const ww_ins *i) {
  return i->op == WW_OP_MOV || i->op == WW_OP_FREEZE || i->op == WW_OP_TRUNC ||
         i->op == WW_OP_ZEXT || i->op == WW_OP_SEXT || cuts_to_int(fn, i);
}

/* Operands may change places. */
static bool commutes(uint8_t op) {
  return op == WW_OP_ADD || op == WW_OP_MUL || op == WW_OP_XOR || op == WW_OP_SMIN ||
         op == WW_OP_SMAX || op == WW_OP_FADD || op == WW_OP_FMUL || op == WW_OP_FMIN ||
         op == WW_OP_FMAX || op == WW_OP_ICMP || op == WW_OP_FCMP;
}

static uint64_t label(const ww_ins *i) {
  uint8_t op = i->op;
  uint8_t cls = ww_ops[op].cls;
  uint8_t sub = 0;
  uint64_t space = 0;
  if (op == WW_OP_ICMP || op == WW_OP_FCMP)
    sub = alike_compare(i->sub);
  if (op == WW_OP_MATH || op == WW_OP_ATOM || op == WW_OP_SHFL || op == WW_OP_VOTE ||
      op == WW_OP_REDUX || op == WW_OP_SREG)
    sub = i->sub + 1;
  if (cls == WW_CLASS_LOAD || cls == WW_CLASS_STORE || cls == WW_CLASS_ATOMIC)
    space = i->space + 1;
  uint64_t wide = space && i->n > 1 ? i->n : 0;
  return alike_op(op) | alike_type(i->type) << 8 | sub << 16 | space << 24 | wide << 32;
}

/* Of a value that nothing in the function defines. */
static uint64_t leaf(const finder *f, const ww_value *v) {
  uint64_t kind = (uint64_t)(v->kind + 1) << 40;
  if (v->kind == WW_VAL_PARAM) {
    const ww_param *p = &f->fn->params[v->ref];
    return kind | (p->pointer ? 256u | p->elem : alike_type(v->type));
  }
  if (v->kind == WW_VAL_SYMBOL)
    return kind | f->m->symbols[v->ref].space;
  return kind | (ww_is_float(v->type) ? 1 : 0);
}

/* ---- paths ---- */

static ww_val behind(const finder *f, ww_val v) {
  for (int most = 0; most < 64 && f->ins[v] && transparent(f->fn, f->ins[v]); most++)
    v = f->ins[v]->a;
  return v;
}

static uint32_t uses_of(const finder *f, const ww_ins *i, ww_val use[USES_MAX]) {
  uint32_t n = ww_ins_uses(f->fn, i, use, USES_MAX);
  return n < USES_MAX ? n : USES_MAX;
}

static void walk(finder *f, ww_val v, uint32_t steps, uint64_t h);

static void walk_all(
    finder *f, const ww_val *use, uint32_t n, bool any, uint32_t steps, uint64_t h) {
  for (uint32_t k = 0; k < n; k++)
    if (use[k] != WW_NOVAL)
      walk(f, use[k], steps, any ? h : mix(h, k + 1));
}

static void walk(finder *f, ww_val v, uint32_t steps, uint64_t h) {
  v = behind(f, v);
  const ww_ins *i = f->ins[v];
  const ww_phi *p = f->phi[v];
  h = mix(h, i   ? label(i)
             : p ? (uint64_t)1 << 48 | alike_type(f->fn->vals[v].type)
                 : leaf(f, &f->fn->vals[v]));
  steps++;
  ww_val use[USES_MAX];
  uint32_t n = i ? uses_of(f, i, use) : 0;
  for (; p && n < p->n && n < USES_MAX; n++)
    use[n] = f->fn->pool[p->ext + 2 * n + 1];
  if (steps >= STEPS_SHORT || !n)
    add(f, h);
  if (steps < STEPS)
    walk_all(f, use, n, p || (i && commutes(alike_op(i->op))), steps, h);
}

static void begin_at(finder *f, const ww_ins *i) {
  ww_val use[USES_MAX];
  uint32_t n = uses_of(f, i, use);
  uint64_t h = mix(0, label(i));
  if (ww_ops[i->op].cls == WW_CLASS_SYNC || ww_ops[i->op].cls == WW_CLASS_WARP)
    add(f, h);
  walk_all(f, use, n, commutes(alike_op(i->op)), 1, h);
}

/* ---- loops ---- */

/* What a loop holds itself and in loops inside it, as bits: memory read and written by
 * space, barriers, atomics, math. */
static uint64_t holds(const ww_fn *fn, uint32_t loop) {
  uint64_t bits = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    if (!ww_ir_in_loop(fn, b, loop))
      continue;
    for (uint32_t k = 0; k < fn->blocks[b].nins; k++) {
      const ww_ins *i = &fn->blocks[b].ins[k];
      uint8_t cls = ww_ops[i->op].cls;
      if (cls == WW_CLASS_LOAD)
        bits |= 1ull << i->space;
      if (cls == WW_CLASS_STORE)
        bits |= 1ull << (8 + i->space);
      if (cls == WW_CLASS_ATOMIC)
        bits |= 1ull << (16 + i->space);
      if (cls == WW_CLASS_SYNC || cls == WW_CLASS_WARP || cls == WW_CLASS_TENSOR)
        bits |= 1ull << (24 + cls);
    }
  }
  return bits;
}

static void function(finder *f, const ww_fn *fn) {
  f->fn = fn;
  f->ins = WW_NEWN(f->a, const ww_ins *, fn->nvals + 1);
  f->phi = WW_NEWN(f->a, const ww_phi *, fn->nvals + 1);
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *k = &fn->blocks[b];
    for (uint32_t p = 0; p < k->nphis; p++)
      f->phi[k->phis[p].dst] = &k->phis[p];
    for (uint32_t i = 0; i < k->nins; i++) {
      const ww_ins *x = &k->ins[i];
      for (uint32_t r = 0; x->dst != WW_NOVAL && r < (x->nres ? x->nres : 1u); r++)
        f->ins[x->dst + r] = x;
    }
  }
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t i = 0; i < fn->blocks[b].nins; i++)
      if (!transparent(fn, &fn->blocks[b].ins[i]))
        begin_at(f, &fn->blocks[b].ins[i]);
  for (uint32_t l = 0; l < fn->nloops; l++)
    add(f, mix(mix((uint64_t)1 << 50, fn->loops[l].depth), holds(fn, l)));
}

static int by_value(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a;
  uint64_t y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

void ww_structure_of(const ww_module *m,
                     const ww_fn *fn,
                     ww_arena *a,
                     ww_structure *out) {
  finder f = {
      .m = m,
      .a = ww_arena_new(),
  };
  bool *reached = ww_alloc(f.a, m->nfns + 1);
  ww_reach(m, fn, reached);
  for (uint32_t k = 0; k < m->nfns; k++)
    if (&m->fns[k] == fn || reached[k])
      function(&f, &m->fns[k]);
  uint64_t *v = f.hashes.v;
  uint32_t n = f.hashes.n;
  if (n)
    qsort(v, n, sizeof *v, by_value);
  out->n = 0;
  for (uint32_t k = 0; k < n; k++)
    if (!k || v[k] != v[k - 1])
      v[out->n++] = v[k];
  out->v = WW_NEWN(a, uint64_t, out->n + 1);
  if (n)
    memcpy(out->v, v, out->n * sizeof *v);
  ww_arena_free(f.a);
}

double ww_structure_alike(const ww_structure *a, const ww_structure *b) {
  uint32_t i = 0;
  uint32_t k = 0;
  uint32_t both = 0;
  while (i < a->n && k < b->n) {
    uint64_t x = a->v[i];
    uint64_t y = b->v[k];
    both += x == y;
    i += x <= y;
    k += y <= x;
  }
  uint32_t all = a->n + b->n - both;
  return all ? (double)both / all : 1;
}

uint64_t ww_structure_hash(const ww_structure *s) {
  uint64_t h = ww_hash(s->v, s->n * sizeof *s->v, 0);
  return h ? h : 1; /* 0 means unknown */
}
