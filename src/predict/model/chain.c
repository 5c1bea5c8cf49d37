/* chain.c - one warp alone: the longest way through its dependency stream, and what it
 * waits for on that way.
 *
 * A warp issues in order, but the compiler has ordered the instructions of a basic
 * block well: within a block an instruction issues when its operands are there, across
 * blocks everything of one block has issued before the next begins. Loads do not pass
 * earlier stores of their block unless they are known to read constants; barriers order
 * everything. Loads are brought forward only as far as registers that cost no occupancy
 * last: beyond that one waits until an earlier one has been used. Memory takes nominal
 * latencies to find the longest way, each load that of L1, L2 or DRAM as often as its
 * requests go there; along it cycles of arithmetic and waits of each kind are counted
 * apart, so that the time model can put in the latency that the load on the memory
 * system brings. Loads that are in flight together are one wait. Iterations that the
 * lowering has unrolled overlap as far as their values allow.
 *
 * Invariant: the weight of an event multiplies what the event added to the warp's way,
 * so loops that ran in part count in full. */
#include "chain_int.h"

#include <stdlib.h>

enum { SOME = 4, MOST_WARPS = 32, MOST_BLOCKS = 24, LEAST_BLOCKS = 3 };
#define BUDGET 300000.0 /* warp instructions to run again for the chain */
/* cycles; orders the way only, time.c has the GPU's figure */
#define NOMINAL_ATOMIC 400.0
/* waits for shared memory that a round of a float atomic there takes: load, add,
 * compare and swap, and the branch back */
#define SPIN_WAITS 4.2
/* times: left-over iterations go in groups so much smaller */
#define FEWER 4
#define LONE_LINES                                                                     \
  8 /* a request that touches so many lines, in one sector each, fetches from all over \
       DRAM */
#define PREDICATE                                                                      \
  9.0 /* cycles from a compare to the branch that it decides, beyond the compare's own \
         latency */

typedef struct {
  float latency, inst;        /* of one IR instruction */
  float beyond_l1, beyond_l2; /* of a load's requests */
  /* registers that a load fills; that earlier loads have filled and nobody reads behind
   * this */
  float words, frees;
  /* a load that gets what the same warp has stored a moment ago: it waits until the
   * store is in L2 */
  bool back;
} cost;
/* values of loads that are remembered with their last use; a power of two */
enum { USED = 64 };
enum { RECENT = 16 }; /* stores of a warp that are remembered for this */

typedef struct {
  cost *ins;
  double trips;    /* of the loop, on average; 0: not known */
  uint32_t header; /* of that loop, else the block itself */
  bool end;        /* its branch stays: the loop's own, or of no such loop */
  ww_block_plan plan;
  uint32_t *times; /* [ntracked]: that each warp came by */
} block_costs;

/* Values of loads that have been read for the last time, and when: what waits for their
 * registers.
 */
typedef struct {
  struct {
    ww_point at;
    double words;
  } v[USED];
  uint32_t n;
} used;

typedef struct {
  ww_point **ready; /* per function, [nvals], made on demand */
  bool used;
  used freed;        /* by the group */
  ww_point now, sum; /* where the warp is (as run); the way so far, weighted */
  uint32_t fn, block,
      /* header of the loop, or the block, it ran last; iterations of the group so far
       */
      group;
  uint32_t straight,
      at;         /* code without branches that it is in; the block it ran last */
  ww_point asked; /* when what it runs under a predicate can begin */
  /* iterations since it came to the loop; those of the group in all */
  uint32_t trip, together;
  ww_point begun, stored[2]; /* of the group */
  ww_flight flight;          /* what else it has under way */
  uint64_t recent[RECENT];   /* where its latest stores went */
  uint32_t nrecent;
  double loads, inst, passes; /* passes: over shared memory */
  double ir;                  /* instructions, as the tally counts them */
} tracked;

struct ww_chainer {
  ww_chainer *next; /* sees the same blocks for another GPU; NULL: none */
  ww_arena *arena;
  const ww_module *m;
  const ww_gpu *g;
  const ww_tally *tally; /* how often blocks run over the launch; NULL: not known */
  ww_chain_gpu of;
  double l1, l2, dram; /* nominal latencies */
  block_costs **costs; /* per function, per block, on demand */
  tracked *warps;
  uint32_t ntracked; /* some of a block's; all where they wait for each other */
  uint32_t nwarps;   /* of a block */
  ww_barriers *barriers;
  uint64_t block; /* that is followed; UINT64_MAX: none */
  uint32_t nblocks;
  double ir;     /* instructions of all their warps, as the tally counts them */
  double before; /* of them, those of the blocks before this one */
  bool queue;    /* warps draw their work */
  ww_point total;
  double loads, inst, passes, most, all;
  double bar_cycles;
  double requests, lines, sectors,
      lone; /* global loads; lone: sectors fetched without their neighbours */
  double store_lines;
  ww_contention *crowd;
  ww_serial *serial;
};

/* Warps draw their work each for itself, not one for its block. */
static bool draws(const ww_fn *fn, ww_arena *a) {
  if (ww_fn_has(fn, WW_OP_BAR))
    return false;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t i = 0; i < fn->blocks[b].nins; i++)
      if (ww_is_ticket(fn, b, &fn->blocks[b].ins[i], a))
        return true;
  return false;
}

ww_chainer *
ww_chainer_new(const ww_chain_gpu *of, uint64_t block_threads, ww_arena *a) {
  ww_chainer *c = WW_NEW(a, ww_chainer);
  const ww_module *m = of->code->m;
  const ww_gpu *g = of->code->g;
  *c = (ww_chainer){.arena = a,
                    .m = m,
                    .g = g,
                    .of = *of,
                    .l1 = WW_FIGURE(g, l1_latency),
                    .l2 = WW_FIGURE(g, l2_latency),
                    .dram = WW_FIGURE(g, dram_latency),
                    .costs = WW_NEWN(a, block_costs *, m->nfns + 1),
                    .crowd = ww_contention_new(g, a),
                    .serial = ww_serial_new(a)};
  c->nwarps = (block_threads + g->lanes - 1) / g->lanes;
  bool waits = false;
  for (uint32_t f = 0; f < m->nfns; f++)
    waits |= ww_fn_has(&m->fns[f], WW_OP_MWAIT);
  c->ntracked = !waits ? SOME : c->nwarps < MOST_WARPS ? c->nwarps : MOST_WARPS;
  c->warps = WW_NEWN(a, tracked, c->ntracked);
  c->barriers = ww_barriers_new(g, a);
  c->block = UINT64_MAX;
  double bar = ww_curve_at_x(&g->barrier, c->nwarps);
  double by_warps =
      WW_FIGURE(g, barrier_first) + WW_FIGURE(g, barrier_warp) * c->nwarps;
  c->bar_cycles = bar > 0 ? bar : by_warps;
  for (uint32_t k = 0; k < c->ntracked; k++)
    c->warps[k].ready = WW_NEWN(a, ww_point *, m->nfns + 1);
  return c;
}

/* ---- tables made on demand ---- */

static void way_of(const ww_chainer *c, const ww_ins *i, cost *out) {
  const ww_ways *w = &c->of.ways;
  out->beyond_l1 = w->beyond_l1;
  out->beyond_l2 = w->beyond_l2;
  for (uint32_t k = 0; k < w->n; k++)
    if (w->v[k].ins == i) {
      out->beyond_l1 = w->v[k].beyond_l1;
      out->beyond_l2 = w->v[k].beyond_l2;
    }
}

/* Where in the block each load's value is read for the last time; nowhere if it lives
 * on. */
static void
last_uses(const ww_fn *fn, const ww_block *b, const float *words, cost *out) {
  uint32_t *last = ww_xcalloc(fn->nvals + 1, sizeof *last);
  for (uint32_t i = 0; i < b->nins; i++) {
    ww_val use[3 + 255];
    uint32_t n = ww_ins_uses(fn, &b->ins[i], use, 3 + 255);
    for (uint32_t u = 0; u < n; u++)
      last[use[u]] = i;
  }
  for (uint32_t i = 0; i < b->nins; i++) {
    if (!(words[i] > 0))
      continue;
    uint32_t at = 0;
    for (uint32_t r = 0; r < b->ins[i].nres; r++)
      if (last[b->ins[i].dst + r] > at)
        at = last[b->ins[i].dst + r];
    out[i].words = words[i];
    if (at > i)
      out[at].frees += words[i];
  }
  free(last);
}

/* Iterations of a warp each time it comes to the loop, on average; 0: not known. */
static double mean_trips(const ww_tally *t, const ww_fn *fn, uint32_t loop) {
  uint32_t header = fn->loops[loop].header;
  double from = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nsucc; k++)
      if (fn->blocks[b].succ[k] == header && !ww_ir_in_loop(fn, b, loop))
        from += ww_tally_runs(t, fn, b);
  return ww_ratio(ww_tally_runs(t, fn, header), from);
}

static block_costs *costs_of(ww_chainer *c, const ww_fn *fn, uint32_t block) {
  uint32_t f = fn - c->m->fns;
  const ww_block *b = &fn->blocks[block];
  if (!c->costs[f])
    c->costs[f] = WW_NEWN(c->arena, block_costs, fn->nblocks);
  block_costs *v = &c->costs[f][block];
  if (v->ins)
    return v;
  const ww_fn_code *code = ww_fn_code_of(c->of.code, fn);
  v->plan = code->plan[block];
  v->ins = WW_NEWN(c->arena, cost, b->nins + 1);
  v->times = WW_NEWN(c->arena, uint32_t, c->ntracked);
  v->header = v->plan.unrolled > 1 ? fn->loops[b->loop].header : block;
  if (v->plan.unrolled > 1 && !v->plan.exact_trips && c->tally)
    v->trips = mean_trips(c->tally, fn, b->loop);
  v->end = v->plan.unrolled == 1 || fn->loops[b->loop].latch == block;
  for (uint32_t i = 0; i < b->nins; i++) {
    const ww_cost *w = &code->cost[code->first[block] + i];
    for (uint32_t p = 0; p < WW_NPIPES; p++)
      v->ins[i].inst += w->inst[p];
    v->ins[i].latency = w->latency;
    if (ww_loads_global(&b->ins[i]) || ww_is_bulk(&b->ins[i]))
      way_of(c, &b->ins[i], &v->ins[i]);
  }
  last_uses(fn, b, v->plan.words, v->ins);
  return v;
}

/* Of the warps of a block some are followed: the first, the last, others evenly
 * between. */
static tracked *track(ww_chainer *c, ww_warp_id id) {
  uint32_t apart = c->ntracked > 1 ? c->ntracked - 1 : 1;
  for (uint32_t k = 0; id.block == c->block && k < c->ntracked; k++) {
    tracked *w = &c->warps[k];
    if (id.warp != (c->nwarps > 1 ? k * (c->nwarps - 1) / apart : 0))
      continue;
    w->used = true;
    return w;
  }
  return NULL;
}

/* ---- one instruction ---- */

/* Does the event, which comes with this probability, come the n-th time? Evenly: one in
 * eight every eighth time. */
static bool drawn(double p, double n, double phase) {
  return floor((n + 1) * p + phase) > floor(n * p + phase);
}

/* A load of global memory that issues at p, in the block's n-th run. */
static ww_point
load_from(const ww_chainer *c, ww_point p, const cost *k, uint32_t n, double phase) {
  double far = floor((n + 1) * (double)k->beyond_l1 + phase);
  p = ww_plus_wait(p, c->l1, WW_WAY_WAITS);
  if (!drawn(k->beyond_l1, n, phase))
    return p;
  p = ww_plus_wait(p, c->l2 - c->l1, WW_WAY_BEYOND_L1);
  if (!drawn(k->beyond_l1 > 0 ? k->beyond_l2 / k->beyond_l1 : 0, far, phase))
    return p;
  return ww_plus_wait(p, c->dram - c->l2, WW_WAY_BEYOND_L2);
}

typedef struct {
  ww_point start, last; /* the block's first issue, its latest issue so far */
  ww_point stored[2];   /* its latest store's: to shared memory, elsewhere */
  bool inner;           /* no branch is left of its end */
  double room;          /* words for loads */
  uint32_t times;       /* that the warp has come by before */
  double phase;
} front;

/* When the results of an instruction that issues at `p` can be used. */
static ww_point result_of(
    const ww_chainer *c, const ww_ins *i, ww_point p, const cost *k, const front *at) {
  double shared = ww_shared_latency(c->g);
  switch (i->op) {
  case WW_OP_LD:
    if (ww_is_global(i)) {
      if (k->back)
        return ww_plus_wait(p, 2 * c->l2, WW_WAY_BACK);
      p.on_way[WW_WAY_FIRST] += !at->times;
      return load_from(c, p, k, at->times, at->phase);
    }
    if (i->space == WW_SHARED || i->space == WW_CONST)
      return ww_plus_wait(p, shared,
                          i->space == WW_SHARED ? WW_WAY_SHARED : WW_WAY_CONSTANT);
    return ww_plus_alu(p, i->space == WW_LOCAL ? c->l1 : k->latency);
  case WW_OP_ATOM:
  case WW_OP_CAS:
    if (!i->nres)
      return p;
    return i->space == WW_SHARED ? ww_plus_wait(p, shared, WW_WAY_SHARED)
                                 : ww_plus_wait(p, NOMINAL_ATOMIC, WW_WAY_ATOMIC);
  case WW_OP_WGMMA: /* only the wait for its group waits */
    return p;
  default:
    return ww_plus_alu(p, k->latency);
  }
}

/* A load that is brought forward keeps its registers from then on: before others have
 * been freed there is only `room`. */
static void await_registers(ww_point *p, const used *freed, double room) {
  double words = 0;
  for (uint32_t k = 0; k < USED && k < freed->n; k++) {
    uint32_t at = (freed->n - 1 - k) % USED;
    words += freed->v[at].words;
    if (words <= room)
      continue;
    ww_later(p, &freed->v[at].at);
    return;
  }
}

static ww_point issue_at(const ww_fn *fn,
                         const tracked *w,
                         ww_point *ready,
                         const ww_ins *i,
                         const cost *c,
                         const front *at) {
  ww_val use[3 + 255];
  uint32_t n = ww_ins_uses(fn, i, use, 3 + 255);
  ww_point p = at->start;
  for (uint32_t k = 0; k < n; k++)
    ww_later(&p, &ready[use[k]]);
  if (c->words > 0)
    await_registers(&p, &w->freed, at->room);
  if (i->op != WW_OP_LD || i->flags & WW_F_READONLY || i->space == WW_CONST ||
      i->space == WW_PARAM)
    return p;
  if (i->space != WW_SHARED)
    ww_later(&p, &at->stored[1]);
  if (i->space == WW_SHARED || i->space == WW_GENERIC)
    ww_later(&p, &at->stored[0]);
  return p;
}

static void issue(ww_chainer *c,
                  tracked *w,
                  const ww_fn *fn,
                  ww_point *ready,
                  const ww_ins *i,
                  const cost *k,
                  double weight,
                  front *at) {
  ww_point p = issue_at(fn, w, ready, i, k, at);
  if (ww_is_part(i) && i->op == WW_OP_ST) { /* the warp goes on */
    ww_later(&w->flight.copied, &p);
    return;
  }
  p = ww_flight_issue(&w->flight, i, c->g, k->latency, p);
  if (k->frees > 0) {
    w->freed.v[w->freed.n % USED].at = p;
    w->freed.v[w->freed.n++ % USED].words = k->frees;
  }
  if (at->inner && i->op == WW_OP_CBR) {
    w->asked = p;
    return;
  }
  if (ww_is_branch(i))
    p = ww_plus_alu(p, PREDICATE);
  ww_later(&at->last, &p);
  if (ww_loads_global(i))
    w->loads += weight;
  if (ww_is_atomic(i)) {
    ww_later(&at->stored[0], &p);
    ww_later(&at->stored[1], &p);
  }
  if (i->op == WW_OP_ST || i->op == WW_OP_MEMCPY || i->op == WW_OP_MEMSET)
    ww_later(&at->stored[i->space != WW_SHARED], &p);
  if (i->op == WW_OP_GROUP && i->sub != WW_GROUP_COPY_COMMIT)
    at->start = w->begun = at->last; /* nothing behind it is brought forward */
  if (i->op == WW_OP_FENCE && !ww_is_part(i) && i->sub) { /* beyond the block */
    p = ww_plus_wait(at->last, 2 * c->l2, WW_WAY_BACK);
    at->start = w->begun = at->last = p;
  }
  if ((i->op == WW_OP_BAR && i->sub != WW_BAR_ARRIVE) || i->op == WW_OP_GRIDSYNC) {
    p = ww_plus_wait(at->last, c->bar_cycles, WW_WAY_BARRIER);
    at->start = w->begun = at->last = at->stored[0] = at->stored[1] = p;
  }
  if (ww_lower_spins(i)) { /* a loop: what follows begins behind it */
    double waits = SPIN_WAITS * (c->tally ? ww_lower_spin_rounds(&c->tally->c) : 1);
    p = at->last;
    p.t += waits * ww_shared_latency(c->g);
    p.on_way[WW_WAY_SHARED] += waits;
    at->start = w->begun = at->last = p;
  }
  at->phase += 0.381966; /* other instructions at other times */
  at->phase -= at->phase >= 1;
  ww_point r = result_of(c, i, p, k, at);
  for (uint32_t d = 0; d < i->nres; d++)
    ready[i->dst + d] = r;
}

/* All values that may come in: the observer does not know along which edge. */
static void pass_phis(const ww_fn *fn, ww_point *ready, const ww_block *b) {
  for (uint32_t k = 0; k < b->nphis; k++) {
    ww_point p = {0};
    for (uint32_t n = 0; n < b->phis[k].n; n++)
      ww_later(&p, &ready[ww_phi_value(fn, &b->phis[k], n)]);
    ready[b->phis[k].dst] = p;
  }
}

/* ---- events ---- */

static void add(ww_point *to, const ww_point *a, const ww_point *b, double weight) {
  to->t += weight * (a->t - b->t);
  for (int k = 0; k < WW_WAY_PARTS; k++)
    to->on_way[k] += weight * (a->on_way[k] - b->on_way[k]);
}

/* Iterations that go together with this one, which is number `trip` of its loop: what
 * does not fill a group is left to smaller ones. */
static uint32_t together(const block_costs *k, uint32_t trip) {
  if (!(k->trips > 0))
    return k->plan.unrolled;
  uint32_t all = fmin(k->trips + 0.5, 1e9);
  uint32_t before = 0;
  for (uint32_t by = k->plan.unrolled; by > 1; by /= FEWER) {
    before += (all - before) / by * by;
    if (trip < before)
      return by;
  }
  return 1;
}

/* Where the block begins: at the end of the one before, or with the first iteration of
 * its group.
 */
static front begin(tracked *w, uint32_t f, uint32_t block, const block_costs *k) {
  bool head = block == k->header, same = k->plan.unrolled > 1 && w->fn == f &&
                                         w->block == k->header && w->group > 0;
  bool again = same && (!head || w->group < w->together);
  /* the way on through straight code: it does not come back to a block */
  bool on =
      w->fn == f && w->straight == k->plan.straight && w->group > 0 && block > w->at;
  w->trip = same ? w->trip + head : 0;
  if (!again && !on) {
    w->begun = w->now;
    w->freed.n = 0;
    memset(w->stored, 0, sizeof w->stored);
    w->group = 0;
    w->together = k->plan.unrolled > 1 ? together(k, w->trip) : 1;
  }
  w->fn = f;
  w->block = k->header;
  w->straight = k->plan.straight;
  w->at = block;
  w->group += head || !again;
  ww_point start = w->begun;
  if (on && k->plan.under)
    ww_later(&start, &w->asked);
  return (front){.start = start,
                 .last = w->now,
                 .stored = {w->stored[0], w->stored[1]},
                 .inner = k->plan.joined ||
                          (k->plan.unrolled > 1 && (w->group < w->together || !k->end)),
                 .room = k->plan.room};
}

static void run_block(
    ww_chainer *c, ww_warp_id id, const ww_fn *fn, uint32_t block, double weight) {
  tracked *w = track(c, id);
  if (id.block != c->block)
    return;
  c->ir += weight * fn->blocks[block].nins;
  if (!w)
    return;
  w->ir += weight * fn->blocks[block].nins;
  uint32_t f = fn - c->m->fns;
  const ww_block *b = &fn->blocks[block];
  block_costs *k = costs_of(c, fn, block);
  uint32_t self = w - c->warps;
  if (!w->ready[f]) {
    w->ready[f] = WW_NEWN(c->arena, ww_point, fn->nvals + 1);
    c->queue |= draws(fn, c->arena);
  }
  pass_phis(fn, w->ready[f], b);
  front at = begin(w, f, block, k);
  at.times = k->times[self]++;
  at.phase = 0.618034 * self - floor(0.618034 * self);
  double inst = 0;
  for (uint32_t i = 0; i < b->nins; i++) {
    issue(c, w, fn, w->ready[f], &b->ins[i], &k->ins[i], weight, &at);
    inst += k->ins[i].inst;
  }
  memcpy(w->stored, at.stored, sizeof w->stored);
  add(&w->sum, &at.last, &w->now, weight);
  w->inst += weight * inst;
  w->now = at.last;
}

/* ---- accesses ---- */

static void mark_back(ww_chainer *c, const ww_access *a) {
  uint32_t f = a->fn - c->m->fns;
  for (uint32_t b = 0; c->costs[f] && b < a->fn->nblocks; b++) {
    const ww_block *k = &a->fn->blocks[b];
    if (a->ins >= k->ins && a->ins < k->ins + k->nins && c->costs[f][b].ins)
      c->costs[f][b].ins[a->ins - k->ins].back = true;
  }
}

/* Does the warp load where it stored a moment ago? */
static void follow_stores(ww_chainer *c, const ww_access *a) {
  tracked *w = track(c, a->warp);
  if (!w || a->kind == WW_ACCESS_ATOMIC)
    return;
  uint64_t key = a->lo + 1;
  if (a->kind == WW_ACCESS_STORE) {
    w->recent[w->nrecent++ % RECENT] = key;
    return;
  }
  for (uint32_t k = 0; k < RECENT; k++)
    if (w->recent[k] == key) {
      mark_back(c, a);
      return;
    }
}

static void access_global(ww_chainer *c, const ww_access *a) {
  const tracked *w = track(c, a->warp);
  ww_chain_turns turns = ww_serial_access(c->serial, a, w ? w->now.t : -1);
  ww_contention_turns(c->crowd, a, turns.won, turns.freed);
  follow_stores(c, a);
  if (a->kind == WW_ACCESS_ATOMIC) {
    ww_contention_atomic(c->crowd, a);
  } else if (a->kind == WW_ACCESS_STORE) {
    c->store_lines += a->weight * ww_contention_store(c->crowd, a);
  } else {
    uint64_t lines[WW_ACCESS_LINES];
    uint32_t n = ww_access_lines(a, lines);
    uint32_t sectors = ww_coalesce_sectors(a);
    c->requests += a->weight;
    c->lines += a->weight * n;
    c->sectors += a->weight * sectors;
    if (n >= LONE_LINES && sectors < 1.5 * n)
      c->lone += a->weight * sectors;
  }
}

/* ---- mbarriers ---- */

/* When bytes are there that the warp's copy brings. */
static ww_point filled(ww_chainer *c, const tracked *w, const ww_mbar_event *e) {
  const ww_gpu *g = c->g;
  bool tile = e->ins->op == WW_OP_TMA;
  cost way = {0};
  way_of(c, e->ins, &way);
  way.beyond_l1 = 1; /* none of it comes from there */
  double engine = tile ? WW_FIGURE(g, tile_latency) : WW_FIGURE(g, bulk_latency);
  ww_point p = ww_barriers_copy(c->barriers, e->bytes, w->now);
  p.on_way[WW_WAY_FIRST] += !w->loads;
  return ww_plus_fixed(load_from(c, p, &way, w->loads, 0), fmax(0, engine - c->l2));
}

static void on_warps_barrier(ww_chainer *c, const ww_mbar_event *e) {
  tracked *w = track(c, e->warp);
  if (!w)
    return;
  ww_point there = w->now;
  switch (e->kind) {
  case WW_MBAR_AWAITED:
    there = ww_barriers_waited(c->barriers, e->barrier, w->now);
    add(&w->sum, &there, &w->now, e->weight);
    w->now = w->begun = there;
    return;
  case WW_MBAR_FILLED:
    there = filled(c, w, e);
    w->loads += e->weight;
    break;
  case WW_MBAR_COPIED:
    ww_later(&there, &w->flight.copied);
    break;
  default:
    break;
  }
  ww_barriers_event(c->barriers, e, &there);
}

static void start(ww_chainer *c) {
  ww_serial_start(c->serial);
  ww_barriers_start(c->barriers);
  for (uint32_t k = 0; k < c->ntracked; k++) {
    tracked *w = &c->warps[k];
    for (uint32_t f = 0; f < c->m->nfns; f++) {
      if (w->ready[f])
        memset(w->ready[f], 0, c->m->fns[f].nvals * sizeof **w->ready);
      for (uint32_t b = 0; c->costs[f] && b < c->m->fns[f].nblocks; b++)
        if (c->costs[f][b].times)
          c->costs[f][b].times[k] = 0;
    }
    w->used = false;
    w->group = w->nrecent = 0;
    memset(w->recent, 0, sizeof w->recent);
    w->now = w->sum = (ww_point){0};
    w->flight = (ww_flight){0};
    w->loads = w->inst = w->passes = w->ir = 0;
  }
}

/* Warps that draw their work have as much of it as the others, though the first one of
 * a block to run has drawn most: of its way, this share. */
static double drawn_share(const ww_chainer *c, const tracked *w) {
  double mean = (c->ir - c->before) / fmax(1, c->nwarps);
  return c->queue && w->ir > mean ? mean / w->ir : 1;
}

static void end(ww_chainer *c) {
  const tracked *slowest = &c->warps[0];
  for (uint32_t k = 1; k < c->ntracked; k++)
    if (c->warps[k].used && c->warps[k].sum.t > slowest->sum.t)
      slowest = &c->warps[k];
  const ww_point zero = {0};
  double share = drawn_share(c, slowest);
  add(&c->total, &slowest->sum, &zero, share);
  c->loads += share * slowest->loads;
  c->inst += share * slowest->inst;
  c->passes += share * slowest->passes;
  c->all += share * slowest->sum.t;
  c->most = fmax(c->most, share * slowest->sum.t);
  c->before = c->ir;
  c->nblocks++;
}

static void on_block(void *ctx,
                     ww_warp_id id,
                     const ww_fn *fn,
                     uint32_t block,
                     ww_mask lanes,
                     double weight) {
  (void)lanes;
  for (ww_chainer *c = ctx; c; c = c->next)
    run_block(c, id, fn, block, weight);
}
static void on_mbarrier(void *ctx, const ww_mbar_event *e) {
  for (ww_chainer *c = ctx; c; c = c->next)
    on_warps_barrier(c, e);
}
static void access_shared(ww_chainer *c, const ww_access *a) {
  tracked *w = track(c, a->warp);
  uint32_t ideal;
  if (w)
    w->passes +=
        a->weight * (a->kind == WW_ACCESS_ATOMIC ? ww_most_in_bank(a)
                                                 : ww_shared_passes(a, &ideal));
}

/* What the engine copies is not the warps' loads and stores. */
static void on_access(void *ctx, const ww_access *a) {
  for (ww_chainer *c = a->space == WW_SHARED ? ctx : NULL; c; c = c->next)
    if (a->warp.block == c->block)
      access_shared(c, a);
  bool theirs = a->space == WW_GLOBAL && !ww_is_bulk(a->ins);
  for (ww_chainer *c = theirs ? ctx : NULL; c; c = c->next)
    if (a->warp.block == c->block)
      access_global(c, a);
}
/* Of the blocks of a cluster, which run together, the first one to begin is followed.
 */
static void on_start(void *ctx, uint64_t block) {
  for (ww_chainer *c = ctx; c; c = c->next)
    if (c->block == UINT64_MAX) {
      c->block = block;
      start(c);
    }
}
static void on_end(void *ctx, uint64_t block) {
  for (ww_chainer *c = ctx; c; c = c->next)
    if (c->block == block) {
      end(c);
      c->block = UINT64_MAX;
    }
}

ww_observer ww_chainer_observer(ww_chainer *c) {
  return (ww_observer){.ctx = c,
                       .block = on_block,
                       .access = on_access,
                       .mbarrier = on_mbarrier,
                       .block_start = on_start,
                       .block_end = on_end};
}

void ww_chainer_result(const ww_chainer *c, ww_chain *out) {
  ww_serial_sums serial = ww_serial_result(c->serial);
  double n = c->nblocks ? c->nblocks : 1;
  double way[WW_WAY_PARTS];
  for (int k = 0; k < WW_WAY_PARTS; k++)
    way[k] = fmax(0, c->total.on_way[k]);
  *out = (ww_chain){
      .warp_inst = c->inst / n,
      .passes = c->passes / n,
      .alu = way[WW_WAY_ALU] / n,
      .waits = way[WW_WAY_WAITS] / n,
      .beyond_l1 = fmin(1, ww_ratio(way[WW_WAY_BEYOND_L1], way[WW_WAY_WAITS])),
      .beyond_l2 = fmin(1, ww_ratio(way[WW_WAY_BEYOND_L2], way[WW_WAY_WAITS])),
      .loads_per_wait = ww_ratio(c->loads, way[WW_WAY_WAITS]),
      .first_waits = way[WW_WAY_FIRST] / n,
      .shared_waits = way[WW_WAY_SHARED] / n,
      .atomic_waits = way[WW_WAY_ATOMIC] / n,
      .barriers = way[WW_WAY_BARRIER] / n,
      .const_waits = way[WW_WAY_CONSTANT] / n,
      .store_waits = way[WW_WAY_BACK] / n,
      .fixed = way[WW_WAY_FIXED] / n,
      .spread = c->all > 0 ? c->most * n / c->all : 1,
      .lines_per_load = ww_ratio(c->lines, c->requests),
      .atomic_cycles = ww_contention_busiest(c->crowd) /
                       n, /* of one block; the caller knows how many there are */
      .store_lines = c->store_lines / n,
      .retried = serial.won / n,
      .crowd = serial.won > 0 ? ww_contention_crowd(c->crowd, serial.at) / n : 0,
      .locked = serial.locks,
      .held = serial.held,
      /* a chain is one where most blocks are links of it */
      .link = 2 * serial.links > n - 1 ? serial.link : 0,
      .link_blocks = serial.apart,
      .back = 2 * serial.backs > n - 1 ? serial.reach : 0,
      .lone = ww_ratio(c->lone, c->sectors),
  };
}

/* ---- some blocks of a launch ---- */

/* Evenly over the blocks that work, first and last among them; the first ones where
 * blocks need what those before them leave. */
static uint32_t
choose(const ww_sampled *s, const ww_traced *t, double each, uint64_t *blocks) {
  const ww_run_spec *spec = &t->spec;
  bool in_order = spec->in_order || s->passed;
  uint64_t of = ww_sampled_working(s);
  uint64_t n = fmin(fmax(BUDGET / fmax(each, 1), LEAST_BLOCKS), MOST_BLOCKS);
  if (each > 3 * BUDGET)
    n = 1;
  if (n > of)
    n = of;
  for (uint64_t k = 0; k < n; k++) {
    uint64_t at = n > 1 ? k * (of - 1) / (n - 1) : of / 2;
    blocks[k] = ww_sampled_block(s, spec->grid, in_order ? k : at);
  }
  return n;
}

/* The blocks that were followed are few and stand evenly over the grid; the tally knows
 * better what a block does on average, because it looked for regions that differ. Where
 * most blocks do nothing, the few that were seen at work are more of those followed
 * than of the grid: the means come down, and what the longest block takes stays. */
static void weigh(const ww_chainer *c, const ww_sampled *sampled, ww_chain *out) {
  double working = ww_sampled_working(sampled);
  double idle = sampled->of - working;
  double all = sampled->tally.c.warp_instructions - idle * sampled->idle_instructions;
  double here = c->nblocks ? c->ir / c->nblocks : 0;
  double mean = all / working;
  double share = here > 0 && mean > 0 ? fmin(fmax(mean / here, 1e-4), 1) : 1;
  double *const means[] = {&out->warp_inst,    &out->alu,         &out->waits,
                           &out->passes,       &out->first_waits, &out->shared_waits,
                           &out->atomic_waits, &out->barriers,    &out->const_waits,
                           &out->store_waits,  &out->fixed,       &out->atomic_cycles,
                           &out->store_lines};
  if (share > 0.8)
    return;
  for (size_t k = 0; k < sizeof means / sizeof *means; k++)
    *means[k] *= share;
  out->spread /= share;
}

ww_status ww_chain_run(const ww_traced *t,
                       const ww_sampled *sampled,
                       const ww_chain_gpu *gpus,
                       uint32_t n,
                       ww_chain *out,
                       ww_err *e) {
  const ww_run_spec *spec = &t->spec;
  uint64_t blocks[MOST_BLOCKS];
  double each =
      sampled->blocks ? sampled->warp_instructions / (double)sampled->blocks : 0;
  uint32_t nblocks = choose(sampled, t, each, blocks);
  ww_arena *a = ww_arena_new();
  ww_chainer *all = NULL; /* the blocks run once for all of them */
  for (uint32_t k = n; k-- > 0;) {
    ww_chainer *c = ww_chainer_new(&gpus[k], ww_volume(spec->block), a);
    c->tally = &sampled->tally;
    c->next = all;
    all = c;
  }
  ww_observer obs = ww_chainer_observer(all);
  /* what the sampled blocks wrote must not change what these do */
  ww_memory_reset(spec->memory);
  ww_status st = ww_machine_run(t->machine, blocks, nblocks, 1, &obs, NULL, a, e);
  ww_memory_reset(spec->memory);
  for (const ww_chainer *c = all; c; c = c->next, out++) {
    ww_chainer_result(c, out);
    weigh(c, sampled, out);
    out->atomic_cycles *= ww_sampled_working(sampled);
    out->retried *= ww_sampled_working(sampled);
    out->crowd *= ww_sampled_working(sampled);
    out->store_lines *= ww_sampled_working(sampled);
  }
  ww_arena_free(a);
  return st;
}
