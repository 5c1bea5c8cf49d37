/* block.c - the block that a kernel's own constants are written for.
 *
 * Three things tell: `for (i = threadIdx.x; i < n; i += 256)` goes on by a block;
 * `blockIdx.x * 512 + threadIdx.x` begins a block every 512 elements; a `__shared__`
 * array with an element for each thread has as many as there are threads. Values are
 * followed as sums of thread and block indices with constant factors; what such a sum
 * contains beside them does not matter unless a thread index is part of it. Where a
 * thread takes several elements a block apart, addresses differ by constants 0, K, 2K
 * ...: then K is the block's. */
#include "guess.h"

#include <stdlib.h>

enum { MOST_THREADS = 1024, LAST_THREADS = 64, MOST_GROUPS = 64, MOST_OFFSETS = 32 };

typedef struct {
  int64_t tid[3], cta[3]; /* factors of the indices */
  int64_t plus;           /* constant */
  uint32_t symbol;        /* the variable that it is an address in, plus one; 0: none */
  bool more;              /* contains something else */
  bool thread;            /* which a thread index is part of */
} form;

/* Addresses that differ by constants alone. */
typedef struct {
  form of;
  int axis;      /* whose block index counts; -1: a variable in shared memory */
  int64_t total; /* bytes that a block has for itself */
  int64_t plus[MOST_OFFSETS];
  uint32_t n;
} group;

typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  form *of; /* per value */
  group groups[MOST_GROUPS];
  uint32_t ngroups;
  uint64_t steps[3]; /* threads along each axis, by how loops go on; 0: nothing tells */
  uint64_t starts[3]; /* by where blocks begin */
  uint64_t arrays[3]; /* by shared arrays */
  uint64_t last;      /* threads along x, by the index of the last; 0: nothing tells */
  uint64_t apart;     /* only so many of them do something: there are more */
  uint64_t items[3];  /* elements from where one block begins to the next */
} finder;

static bool has_thread(const form *f) {
  return f->thread || f->tid[0] || f->tid[1] || f->tid[2];
}

/* ---- forms ---- */

/* Numbers of the code may be anything: they wrap around, as addresses do. */
static int64_t plus(int64_t a, int64_t times, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)times * (uint64_t)b);
}

static form sum(form a, form b, int64_t times) {
  for (int d = 0; d < 3; d++) {
    a.tid[d] = plus(a.tid[d], times, b.tid[d]);
    a.cta[d] = plus(a.cta[d], times, b.cta[d]);
  }
  a.plus = plus(a.plus, times, b.plus);
  a.more |= b.more;
  a.thread |= b.thread;
  if (!a.symbol)
    a.symbol = b.symbol;
  return a;
}

static form opaque(const finder *x, const ww_ins *i) {
  form f = {.more = true};
  ww_val use[8];
  uint32_t n = ww_ins_uses(x->fn, i, use, 8);
  for (uint32_t k = 0; k < n; k++)
    f.thread |= has_thread(&x->of[use[k]]);
  return f;
}

static bool is_constant(const finder *x, ww_val v) {
  return x->fn->vals[v].kind == WW_VAL_CONST;
}

static form of_sreg(uint8_t sub) {
  form f = {0};
  if (sub <= WW_SREG_TID_Z)
    f.tid[sub - WW_SREG_TID_X] = 1;
  else if (sub >= WW_SREG_CTAID_X && sub <= WW_SREG_CTAID_Z)
    f.cta[sub - WW_SREG_CTAID_X] = 1;
  else
    f = (form){.more = true, .thread = sub == WW_SREG_LANEID || sub == WW_SREG_WARPID};
  return f;
}

static form of_ins(const finder *x, const ww_ins *i) {
  const form *of = x->of;
  form none = {0};
  switch (i->op) {
  case WW_OP_SREG:
    return of_sreg(i->sub);
  case WW_OP_MOV:
  case WW_OP_FREEZE:
  case WW_OP_SEXT:
  case WW_OP_ZEXT:
  case WW_OP_TRUNC:
    return of[i->a];
  case WW_OP_ADD:
    return sum(of[i->a], of[i->b], 1);
  case WW_OP_OR: /* of a sum that has those bits free, as a rule */
    return is_constant(x, i->b) ? sum(of[i->a], of[i->b], 1) : opaque(x, i);
  case WW_OP_SUB:
    return sum(of[i->a], of[i->b], -1);
  case WW_OP_LEA:
    return sum(of[i->a], of[i->b], i->imm);
  case WW_OP_MUL:
    return is_constant(x, i->b) ? sum(none, of[i->a], of[i->b].plus) : opaque(x, i);
  case WW_OP_SHL:
    return is_constant(x, i->b) && of[i->b].plus >= 0 && of[i->b].plus < 32
               ? sum(none, of[i->a], 1ll << of[i->b].plus)
               : opaque(x, i);
  default:
    return opaque(x, i);
  }
}

static form of_value(const ww_value *v) {
  if (v->kind == WW_VAL_CONST && v->type == WW_I32)
    return (form){.plus = (int32_t)v->bits};
  if (v->kind == WW_VAL_CONST && v->type == WW_I64)
    return (form){.plus = (int64_t)v->bits};
  if (v->kind == WW_VAL_SYMBOL)
    return (form){.symbol = v->ref + 1, .plus = (int64_t)v->bits};
  return (form){.more = true};
}

/* ---- what they say ---- */

/* Threads along each axis where `total` elements are those of a block. */
static void divide(const form *f, int64_t total, uint64_t out[3]) {
  int last = -1;
  for (int d = 0; d < 3; d++) {
    if (f->tid[d] <= 0)
      continue;
    if (last >= 0)
      out[last] = f->tid[d] / f->tid[last]; /* the next axis goes on behind this one */
    last = d;
  }
  if (last >= 0)
    out[last] = total / f->tid[last];
}

/* A row of 33 or 34 elements has 32 threads: padding and edges have none. */
static uint64_t rounded(uint64_t n) {
  uint64_t p = 1;
  if (n % 32 == 0)
    return n;
  while (2 * p <= n)
    p *= 2;
  return p;
}

/* That a GPU can run, of at least a quarter of a warp along x. */
static bool is_block(const uint64_t b[3]) {
  uint64_t n = 1;
  for (int d = 0; d < 3; d++)
    n *= b[d] ? b[d] : 1;
  return n >= 2 && n <= MOST_THREADS && (!b[0] || b[0] >= 4) &&
         (n >= 8 || b[1] || b[2]);
}

static void offer(uint64_t to[3], const uint64_t b[3]) {
  uint64_t all[3];
  for (int d = 0; d < 3; d++)
    all[d] = to[d] ? to[d] : b[d];
  if (is_block(all))
    memcpy(to, all, sizeof all);
}

/* An unrolled loop begins at its start, or one turn behind it: that turn's step. 0: it
 * begins at one place. */
static int64_t first_turn(const finder *x, ww_val start, const form **at) {
  const ww_value *v = &x->fn->vals[start];
  const ww_block *b = v->kind == WW_VAL_RESULT ? &x->fn->blocks[v->ref] : NULL;
  for (uint32_t k = 0; b && k < b->nphis; k++) {
    const ww_phi *p = &b->phis[k];
    if (p->dst != start || p->n != 2)
      continue;
    const form *f = &x->of[ww_phi_value(x->fn, p, 0)];
    const form *g = &x->of[ww_phi_value(x->fn, p, 1)];
    *at = f->plus < g->plus ? f : g;
    return memcmp(f->tid, g->tid, sizeof f->tid) ? 0
                                                 : llabs(plus(f->plus, -1, g->plus));
  }
  return 0;
}

/* i = threadIdx.x + ...; i += 256. */
static void look_at_loop(finder *x, const ww_phi *p, const ww_ins *const *defs) {
  for (uint32_t n = 0; p->n == 2 && n < 2; n++) {
    const ww_ins *next = defs[ww_phi_value(x->fn, p, n)];
    const form *start = &x->of[ww_phi_value(x->fn, p, 1 - n)];
    if (!next || next->op != WW_OP_ADD || next->a != p->dst || !is_constant(x, next->b))
      continue;
    int64_t step = x->of[next->b].plus;
    int64_t turn = first_turn(x, ww_phi_value(x->fn, p, 1 - n), &start);
    if (turn && step % turn == 0)
      step = turn;
    if (start->thread || step < 2)
      continue;
    uint64_t b[3] = {0};
    divide(start, step, b);
    offer(x->steps, b);
  }
}

/* blockIdx.x * 512 + threadIdx.x */
static void look_at_start(finder *x, const form *f) {
  for (int d = 0; d < 3 && !f->thread && !f->symbol; d++) {
    bool other = f->cta[(d + 1) % 3] || f->cta[(d + 2) % 3];
    uint64_t b[3] = {0};
    if (f->cta[d] < 2 || other || !has_thread(f) || f->cta[d] > 1 << 20)
      continue;
    divide(f, f->cta[d], b);
    if (!f->tid[d] || !is_block(b))
      continue;
    offer(x->starts, b);
    if (!x->items[d])
      x->items[d] = f->cta[d];
  }
}

/* threadIdx.x == 127: the last thread is asked for. threadIdx.x < 32: it is asked which
 * of them they are, so others are there too. */
static void look_at_compare(finder *x, const ww_ins *i) {
  const form *f = &x->of[i->a];
  int64_t n = x->of[i->b].plus + 1;
  bool below =
      i->sub == WW_ULT || i->sub == WW_SLT || i->sub == WW_UGE || i->sub == WW_SGE;
  uint64_t asked = below ? n - 1 : n;
  bool alone = f->tid[0] == 1 && !f->tid[1] && !f->tid[2] && !f->more && !f->thread &&
               !f->plus && !f->cta[0] && !f->cta[1] && !f->cta[2];
  if (!is_constant(x, i->b) || !alone || n < 2 || n > MOST_THREADS)
    return;
  if (i->sub != WW_EQ && i->sub != WW_NE)
    x->apart = x->apart > asked ? x->apart : asked;
  else if (n >= LAST_THREADS && n % 32 == 0)
    x->last = n;
}

static group *group_of(finder *x, const form *f, int axis, int64_t total) {
  for (uint32_t k = 0; k < x->ngroups; k++) {
    group *g = &x->groups[k];
    if (g->axis == axis && g->of.symbol == f->symbol &&
        !memcmp(g->of.tid, f->tid, sizeof f->tid) &&
        !memcmp(g->of.cta, f->cta, sizeof f->cta))
      return g;
  }
  if (x->ngroups == MOST_GROUPS)
    return NULL;
  x->groups[x->ngroups] = (group){.of = *f, .axis = axis, .total = total};
  return &x->groups[x->ngroups++];
}

static void look_at_access(finder *x, const ww_ins *i) {
  form f = x->of[i->a];
  int axis = -1;
  f.plus = plus(f.plus, 1, i->imm);
  if (f.thread || !has_thread(&f) || (i->op != WW_OP_LD && i->op != WW_OP_ST))
    return;
  for (int d = 0; d < 3; d++)
    if (f.cta[d] > 0 && f.tid[d] > 0)
      axis = d;
  bool shared = f.symbol && x->m->symbols[f.symbol - 1].space == WW_SHARED &&
                !x->m->symbols[f.symbol - 1].dynamic;
  if (shared ? f.more || i->op != WW_OP_ST || axis >= 0 : axis < 0)
    return;
  group *g = group_of(x, &f, axis,
                      shared ? (int64_t)x->m->symbols[f.symbol - 1].size : f.cta[axis]);
  for (uint32_t k = 0; g && k < g->n; k++)
    if (g->plus[k] == f.plus)
      return;
  if (g && g->n < MOST_OFFSETS)
    g->plus[g->n++] = f.plus;
}

/* 0, K, 2K ... as far as `total`, whatever their order; 0: they are others. */
static int64_t step_of(const group *g) {
  int64_t low = g->plus[0];
  if (g->n < 2)
    return 0;
  for (uint32_t k = 1; k < g->n; k++)
    low = g->plus[k] < low ? g->plus[k] : low;
  int64_t step = g->total / g->n;
  for (uint32_t k = 0; k < g->n; k++)
    if (!step || plus(g->plus[k], -1, low) % step)
      return 0;
  return step;
}

static void look_at_groups(finder *x) {
  uint64_t best = 0;
  for (uint32_t k = 0; k < x->ngroups; k++) {
    const group *g = &x->groups[k];
    int64_t step = step_of(g);
    uint64_t b[3] = {0};
    uint64_t n = 1;
    divide(&g->of, step ? step : g->total, b);
    for (int d = 0; d < 3; d++)
      b[d] = b[d] ? rounded(b[d]) : 0;
    if (!is_block(b))
      continue;
    if (step)
      offer(x->steps, b);
    for (int d = 0; d < 3; d++)
      n *= b[d] ? b[d] : 1;
    if (g->axis < 0 && n > best && n > x->apart) {
      best = n;
      memcpy(x->arrays, b, sizeof b);
    }
  }
}

static void follow(finder *x) {
  const ww_fn *fn = x->fn;
  for (ww_val v = 0; v < fn->nvals; v++)
    x->of[v] = of_value(&fn->vals[v]);
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *t = &fn->blocks[b];
    for (uint32_t p = 0; p < t->nphis; p++)
      for (uint32_t n = 0; n < t->phis[p].n; n++)
        x->of[t->phis[p].dst].thread |=
            has_thread(&x->of[ww_phi_value(fn, &t->phis[p], n)]);
    for (uint32_t k = 0; k < t->nins; k++) {
      const ww_ins *i = &t->ins[k];
      if (i->dst != WW_NOVAL && i->nres <= 1)
        x->of[i->dst] = of_ins(x, i);
    }
  }
}

void ww_block_find(const ww_module *m,
                   const ww_fn *fn,
                   ww_arena *a,
                   ww_block_hint *out) {
  finder *x = WW_NEW(a, finder);
  *x = (finder){.m = m, .fn = fn, .of = WW_NEWN(a, form, fn->nvals + 1)};
  const ww_ins **defs = ww_ir_defs(fn, a);
  follow(x);
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t p = 0; p < fn->blocks[b].nphis; p++)
      look_at_loop(x, &fn->blocks[b].phis[p], defs);
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));) {
    if (i->op == WW_OP_LD || i->op == WW_OP_ST)
      look_at_access(x, i);
    else if (i->op == WW_OP_ICMP)
      look_at_compare(x, i);
    else if (i->dst != WW_NOVAL && i->nres <= 1)
      look_at_start(x, &x->of[i->dst]);
  }
  look_at_groups(x);
  memcpy(out->threads, x->steps, sizeof x->steps);
  memcpy(out->items, x->items, sizeof x->items);
  offer(out->threads, (const uint64_t[3]){x->last});
  offer(out->threads, x->starts);
  offer(out->threads, x->arrays);
}
