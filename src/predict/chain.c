/* chain.c - one warp alone: the longest way through its dependency stream, and what it waits for on that way.
 *
 * A warp issues in order, but the compiler has ordered the instructions of a basic block well: within a block an instruction issues
 * when its operands are there, across blocks everything of one block has issued before the next begins. Loads do not pass
 * earlier stores of their block unless they are known to read constants; barriers order everything. Memory takes nominal latencies to find the
 * longest way; along it cycles of arithmetic and waits of each kind are counted apart, so that the time model can put in the latency that
 * the load on the memory system brings. Loads that are in flight together are one wait.
 *
 * Invariant: the weight of an event multiplies what the event added to the warp's way, so loops that ran in part count in full. */
#include "chain.h"

#include <stdlib.h>

enum { TRACKED = 4, MOST_BLOCKS = 24, LEAST_BLOCKS = 3 };
#define BUDGET 300000.0 /* warp instructions to run again for the chain */
#define NOMINAL_LOAD 500.0
#define NOMINAL_ATOMIC 400.0
#define PREDICATE 9.0 /* cycles from a compare to the branch that it decides, beyond the compare's own latency */

/* A point of time of one warp, and what lies on the longest way to it. */
typedef struct {
  double t; /* nominal cycles; the order is by this */
  double alu, waits, first, shared, atomic, barrier, constant;
} point;

typedef struct {
  float latency, inst; /* of one IR instruction */
} cost;

typedef struct {
  point **ready; /* per function, [nvals], made on demand */
  bool **seen;   /* per function, per block: it ran before */
  bool used;
  point now, sum; /* where the warp is (as run); the way so far, weighted */
  double loads, inst;
} tracked;

struct ww_chainer {
  const ww_module *m;
  const ww_gpu *g;
  cost ***costs; /* per function, per block, per instruction, on demand */
  tracked warps[TRACKED];
  uint32_t nwarps; /* of a block */
  uint32_t nblocks;
  point total;
  double loads, inst, most, all;
  double bar_cycles;
};

ww_chainer *ww_chainer_new(const ww_module *m, const ww_gpu *g, uint64_t block_threads) {
  ww_chainer *c = ww_xcalloc(1, sizeof *c);
  c->m = m;
  c->g = g;
  c->nwarps = (uint32_t)((block_threads + g->lanes - 1) / g->lanes);
  double bar = ww_curve_at_x(&g->barrier, c->nwarps);
  c->bar_cycles = bar > 0 ? bar : 20 + 1.8 * c->nwarps;
  c->costs = ww_xcalloc(m->nfns + 1, sizeof *c->costs);
  for (uint32_t k = 0; k < TRACKED; k++) {
    c->warps[k].ready = ww_xcalloc(m->nfns + 1, sizeof *c->warps[k].ready);
    c->warps[k].seen = ww_xcalloc(m->nfns + 1, sizeof *c->warps[k].seen);
  }
  return c;
}

void ww_chainer_free(ww_chainer *c) {
  if (!c) return;
  for (uint32_t f = 0; f < c->m->nfns; f++) {
    for (uint32_t b = 0; c->costs[f] && b < c->m->fns[f].nblocks; b++) free(c->costs[f][b]);
    free(c->costs[f]);
    for (uint32_t k = 0; k < TRACKED; k++) free(c->warps[k].ready[f]), free(c->warps[k].seen[f]);
  }
  for (uint32_t k = 0; k < TRACKED; k++) free(c->warps[k].ready), free(c->warps[k].seen);
  free(c->costs);
  free(c);
}

/* ---- tables made on demand ---- */

static const cost *costs_of(ww_chainer *c, const ww_fn *fn, uint32_t block) {
  uint32_t f = (uint32_t)(fn - c->m->fns);
  const ww_block *b = &fn->blocks[block];
  if (!c->costs[f]) c->costs[f] = ww_xcalloc(fn->nblocks, sizeof *c->costs[f]);
  if (c->costs[f][block]) return c->costs[f][block];
  cost *v = c->costs[f][block] = ww_xcalloc(b->nins + 1, sizeof *v);
  for (uint32_t i = 0; i < b->nins; i++) {
    ww_cost w = {0};
    ww_lower_cost(c->m, fn, block, i, c->g, &w);
    for (uint32_t p = 0; p < WW_NPIPES; p++) v[i].inst += w.inst[p];
    v[i].latency = w.latency;
  }
  return v;
}

/* Of the warps of a block some are followed: the first, the last, others evenly between. */
static tracked *track(ww_chainer *c, uint32_t warp) {
  for (uint32_t k = 0; k < TRACKED; k++) {
    tracked *w = &c->warps[k];
    if (warp != (c->nwarps > 1 ? k * (c->nwarps - 1) / (TRACKED - 1) : 0)) continue;
    w->used = true;
    return w;
  }
  return NULL;
}

/* ---- one instruction ---- */

static void later(point *p, const point *q) {
  if (q->t > p->t) *p = *q;
}
static point plus_alu(point p, double cycles) {
  p.t += cycles;
  p.alu += cycles;
  return p;
}

static bool is_global(const ww_ins *i) { return i->space == WW_GLOBAL || i->space == WW_GENERIC; }

/* When the results of an instruction that issues at `p` can be used. */
static point result_of(const ww_chainer *c, const ww_ins *i, point p, const cost *k, bool first) {
  const ww_gpu *g = c->g;
  double shared = g->latency[WW_GPU_OP_lds32] > 0 ? g->latency[WW_GPU_OP_lds32] : 28;
  switch (i->op) {
  case WW_OP_LD:
    if (is_global(i)) {
      p.t += NOMINAL_LOAD, p.waits++, p.first += first;
      return p;
    }
    if (i->space == WW_SHARED) {
      p.t += shared, p.shared++;
      return p;
    }
    if (i->space == WW_CONST) {
      p.t += shared, p.constant++;
      return p;
    }
    return i->space == WW_LOCAL ? plus_alu(p, g->l1_latency > 0 ? g->l1_latency : 32) : plus_alu(p, k->latency);
  case WW_OP_ATOM:
  case WW_OP_CAS:
    if (i->dst == WW_NOVAL) return p;
    if (i->space == WW_SHARED)
      p.t += shared, p.shared++;
    else
      p.t += NOMINAL_ATOMIC, p.atomic++;
    return p;
  default: return plus_alu(p, k->latency);
  }
}

typedef struct {
  point start, last, stored; /* the block's first issue, its latest issue so far, its latest store's */
} front;

static point issue_at(const ww_fn *fn, point *ready, const ww_ins *i, const front *at) {
  ww_val use[3 + 255];
  uint32_t n = ww_ins_uses(fn, i, use, 3 + 255);
  point p = at->start;
  for (uint32_t k = 0; k < n; k++) later(&p, &ready[use[k]]);
  if (i->op == WW_OP_LD && !(i->flags & WW_F_READONLY) && i->space != WW_CONST && i->space != WW_PARAM) later(&p, &at->stored);
  return p;
}

static void issue(ww_chainer *c, tracked *w, const ww_fn *fn, point *ready, const ww_ins *i, const cost *k, bool first, double weight,
                  front *at) {
  point p = issue_at(fn, ready, i, at);
  if (i->op == WW_OP_CBR || i->op == WW_OP_SWITCH) p = plus_alu(p, PREDICATE);
  later(&at->last, &p);
  if (i->op == WW_OP_LD && is_global(i)) w->loads += weight;
  if (i->op == WW_OP_ST || i->op == WW_OP_MEMCPY || i->op == WW_OP_MEMSET) later(&at->stored, &p);
  if (i->op == WW_OP_BAR || i->op == WW_OP_GRIDSYNC) {
    point q = at->last;
    q.t += c->bar_cycles, q.barrier++;
    at->start = at->last = at->stored = q;
    p = q;
  }
  point r = result_of(c, i, p, k, first);
  for (uint32_t d = 0; i->dst != WW_NOVAL && d < i->nres; d++) ready[i->dst + d] = r;
}

/* All values that may come in: the observer does not know along which edge. */
static void pass_phis(const ww_fn *fn, point *ready, const ww_block *b) {
  for (uint32_t k = 0; k < b->nphis; k++) {
    point p = {0};
    for (uint32_t n = 0; n < b->phis[k].n; n++) later(&p, &ready[fn->pool[b->phis[k].ext + 2 * n + 1]]);
    ready[b->phis[k].dst] = p;
  }
}

/* ---- events ---- */

static void add(point *to, const point *a, const point *b, double weight) {
  to->t += weight * (a->t - b->t);
  to->alu += weight * (a->alu - b->alu);
  to->waits += weight * (a->waits - b->waits);
  to->first += weight * (a->first - b->first);
  to->shared += weight * (a->shared - b->shared);
  to->atomic += weight * (a->atomic - b->atomic);
  to->barrier += weight * (a->barrier - b->barrier);
  to->constant += weight * (a->constant - b->constant);
}

static void on_block(void *ctx, ww_warp_id id, const ww_fn *fn, uint32_t block, ww_mask lanes, double weight) {
  ww_chainer *c = ctx;
  tracked *w = track(c, id.warp);
  (void)lanes;
  if (!w) return;
  uint32_t f = (uint32_t)(fn - c->m->fns);
  const ww_block *b = &fn->blocks[block];
  const cost *k = costs_of(c, fn, block);
  if (!w->ready[f]) {
    w->ready[f] = ww_xcalloc(fn->nvals + 1, sizeof **w->ready);
    w->seen[f] = ww_xcalloc(fn->nblocks + 1, sizeof **w->seen);
  }
  pass_phis(fn, w->ready[f], b);
  front at = {w->now, w->now, {0}};
  double inst = 0;
  for (uint32_t i = 0; i < b->nins; i++) {
    issue(c, w, fn, w->ready[f], &b->ins[i], &k[i], !w->seen[f][block], weight, &at);
    inst += k[i].inst;
  }
  w->seen[f][block] = true;
  point slots = plus_alu(w->now, inst); /* one instruction a cycle at best */
  later(&at.last, &slots);
  add(&w->sum, &at.last, &w->now, weight);
  w->inst += weight * inst;
  w->now = at.last;
}

static void on_start(void *ctx, uint64_t block) {
  ww_chainer *c = ctx;
  (void)block;
  for (uint32_t k = 0; k < TRACKED; k++) {
    tracked *w = &c->warps[k];
    for (uint32_t f = 0; f < c->m->nfns; f++) {
      if (!w->ready[f]) continue;
      memset(w->ready[f], 0, c->m->fns[f].nvals * sizeof **w->ready);
      memset(w->seen[f], 0, c->m->fns[f].nblocks * sizeof **w->seen);
    }
    w->used = false;
    w->now = w->sum = (point){0};
    w->loads = w->inst = 0;
  }
}

static void on_end(void *ctx, uint64_t block) {
  ww_chainer *c = ctx;
  const tracked *slowest = &c->warps[0];
  (void)block;
  for (uint32_t k = 1; k < TRACKED; k++)
    if (c->warps[k].used && c->warps[k].sum.t > slowest->sum.t) slowest = &c->warps[k];
  const point zero = {0};
  add(&c->total, &slowest->sum, &zero, 1);
  c->loads += slowest->loads;
  c->inst += slowest->inst;
  c->all += slowest->sum.t;
  if (slowest->sum.t > c->most) c->most = slowest->sum.t;
  c->nblocks++;
}

ww_observer ww_chainer_observer(ww_chainer *c) {
  return (ww_observer){.ctx = c, .block = on_block, .block_start = on_start, .block_end = on_end};
}

static double positive(double x) { return x > 0 ? x : 0; }

void ww_chainer_result(const ww_chainer *c, ww_chain *out) {
  double n = c->nblocks ? c->nblocks : 1, waits = positive(c->total.waits);
  *out = (ww_chain){
      .warp_inst = c->inst / n,
      .alu = positive(c->total.alu) / n,
      .waits = waits / n,
      .loads_per_wait = waits > 0 ? c->loads / waits : 0,
      .first_waits = positive(c->total.first) / n,
      .shared_waits = positive(c->total.shared) / n,
      .atomic_waits = positive(c->total.atomic) / n,
      .barriers = positive(c->total.barrier) / n,
      .const_waits = positive(c->total.constant) / n,
      .spread = c->all > 0 ? c->most * n / c->all : 1,
  };
}

/* ---- some blocks of a launch ---- */

/* Evenly over the grid, first and last among them. */
static uint32_t choose(uint64_t of, double each, uint64_t *blocks) {
  double want = BUDGET / (each > 1 ? each : 1);
  uint64_t n = want < LEAST_BLOCKS ? LEAST_BLOCKS : want > MOST_BLOCKS ? MOST_BLOCKS : (uint64_t)want;
  if (each > 3 * BUDGET) n = 1;
  if (n > of) n = of;
  for (uint64_t k = 0; k < n; k++) blocks[k] = n > 1 ? k * (of - 1) / (n - 1) : of / 2;
  return (uint32_t)n;
}

ww_status ww_chain_run(ww_machine *machine, const ww_run_spec *spec, const ww_sampled *sampled, const ww_gpu *g, ww_chain *out,
                       ww_err *e) {
  uint64_t blocks[MOST_BLOCKS];
  double each = sampled->blocks ? (double)sampled->warp_instructions / (double)sampled->blocks : 0;
  uint32_t n = choose(sampled->of, each, blocks);
  ww_chainer *c = ww_chainer_new(spec->module, g, spec->block[0] * spec->block[1] * spec->block[2]);
  ww_observer obs = ww_chainer_observer(c);
  ww_run_stats stats = {0};
  ww_arena *a = ww_arena_new();
  ww_memory_reset(spec->memory); /* what the sampled blocks wrote must not change what these do */
  ww_status st = ww_machine_run(machine, blocks, n, 1, &obs, &stats, a, e);
  ww_memory_reset(spec->memory);
  ww_chainer_result(c, out);
  ww_chainer_free(c);
  ww_arena_free(a);
  return st;
}
