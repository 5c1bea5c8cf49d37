/* schedule.c - thread blocks on a machine: lets their warps take turns, holds them at
 * barriers, and finds others to run when all of them wait.
 *
 * A warp runs until it waits, ends or has used its slice. Blocks run a few at a time,
 * in the order given. When nothing moves any more, because every warp waits for
 * something that none of those here will do, in this order: lanes that wait for others
 * of their own warp go on without them (split.c); waits for mbarriers time out, as the
 * hardware's do; the next block of the list begins, as
 * on a GPU more blocks are resident than one; those at a grid-wide barrier pass it; a
 * loop that does nothing but wait is left, where the results do not matter. When that
 * is not possible either, the wait has no end, and the error says whose. */
#include "machine_int.h"

#include "async.h"
#include "setup.h"

/* iterations that change nothing, of a warp that others of its block go along with,
 * before it counts as one that waits */
enum { IN_VAIN = 64 };
/* times that the wait for an mbarrier is given up in a row before it counts as endless
 */
enum { MOST_TIMEOUTS = 100 };
#define MOST_TOGETHER 4096u /* blocks */

typedef struct {
  ww_machine *m;
  const ww_observer *obs;
  const uint64_t *blocks; /* [n]: to run */
  uint32_t n, started;
  uint32_t used,
      running;    /* places of the pool in use; blocks there that have not ended */
  uint64_t steps; /* warp instructions of warps that ended */
  bool moved;     /* in this round somebody did something */
  ww_run_stats *st;
  ww_arena *a;
  ww_err *e;
} schedule;

/* ---- barriers ---- */

static bool waits(const thread_block *b, uint32_t w, ww_run_end what, uint32_t id) {
  return b->state[w] == what && (what != WW_RUN_BARRIER || b->warps[w]->bar_id == id);
}

/* The warps that wait there go on. */
static void
release(const ww_observer *obs, thread_block *b, ww_run_end what, uint32_t id) {
  uint32_t total = 0, count = 0;
  uint64_t met = 0;
  for (uint32_t w = 0; w < b->n; w++)
    if (waits(b, w, what, id)) {
      total += b->warps[w]->bar_result;
      count += __builtin_popcountll(b->warps[w]->mask);
    }
  for (uint32_t w = 0; w < b->n; w++) {
    ww_exec *x = b->warps[w];
    if (waits(b, w, what, id) || b->state[w] == WW_RUN_DONE)
      met |= 1ull << x->id.warp; /* who has ended is before those that go on */
    if (!waits(b, w, what, id))
      continue;
    uint8_t sub = x->bar->ins->sub;
    x->bar_result = sub == WW_BAR_AND  ? total == count
                    : sub == WW_BAR_OR ? total > 0
                                       : total;
    b->state[w] = WW_RUN_SLICE;
  }
  if (what != WW_RUN_BARRIER)
    return;
  if (obs->sync)
    obs->sync(obs->ctx, b->index, met | b->arrived[id].warps);
  b->arrived[id].lanes = b->arrived[id].warps = 0;
}

/* Warps that only arrive are noted, and go on. */
static bool note_arrivals(const schedule *s, thread_block *b) {
  bool any = false;
  for (uint32_t w = 0; w < b->n; w++) {
    ww_exec *x = b->warps[w];
    if (b->state[w] != WW_RUN_BARRIER || x->bar->ins->sub != WW_BAR_ARRIVE)
      continue;
    b->arrived[x->bar_id].lanes +=
        x->split ? (uint32_t)__builtin_popcountll(x->mask) : s->m->lanes;
    b->arrived[x->bar_id].warps |= 1ull << x->id.warp;
    b->state[w] = WW_RUN_SLICE;
    any = true;
  }
  return any;
}

/* As many warps as the barrier at which w waits names, else all that still run. */
static bool
enough(const schedule *s, const thread_block *b, uint32_t w, uint32_t live) {
  const ww_exec *x = b->warps[w];
  uint32_t lanes = s->m->lanes;
  uint32_t here = b->arrived[x->bar_id].lanes / lanes;
  for (uint32_t v = 0; v < b->n; v++)
    here += waits(b, v, WW_RUN_BARRIER, x->bar_id);
  return here >= (x->bar_threads ? (x->bar_threads + lanes - 1) / lanes : live);
}

/* Lets the warps at barriers go on where enough have come. When everyone waits and no
 * barrier has enough, the lowest id other than 0 gives way. True when some go on. */
static bool
release_barriers(const schedule *s, thread_block *b, uint32_t live, uint32_t waiting) {
  uint32_t low = 0;
  bool any = false;
  for (uint32_t w = 0; w < b->n; w++) {
    if (b->state[w] != WW_RUN_BARRIER)
      continue;
    uint32_t id = b->warps[w]->bar_id;
    if (enough(s, b, w, live)) {
      release(s->obs, b, WW_RUN_BARRIER, id);
      any = true;
    } else if (!low || (id && id < low))
      low = id;
  }
  if (!any && waiting == live) {
    release(s->obs, b, WW_RUN_BARRIER, low);
    any = true;
  }
  return any;
}

/* ---- turns ---- */

static ww_status report_fault(schedule *s, const ww_exec *x) {
  ww_run_stats *st = s->st;
  st->fault = ww_strdup(s->a, x->fault);
  st->fault_loc = x->fault_ins ? x->fault_ins->loc : 0;
  st->fault_assumed = x->fault_assumed;
  ww_status rc = ww_fail(s->e, WW_EDATA, "%s (block %llu, warp %u)", st->fault,
                         (unsigned long long)x->id.block, x->id.warp);
  ww_module_place(s->m->s.module, st->fault_loc, s->e);
  return rc;
}

/* It does not go round and round with the others of its block. */
static bool gets_on(const ww_exec *x) {
  return x->in_vain < IN_VAIN || x->changes != x->spins[x->vain->number].changes;
}

static ww_status run_warp(schedule *s, thread_block *b, uint32_t w) {
  ww_exec *x = b->warps[w];
  if (b->state[w] != WW_RUN_SLICE && b->state[w] != WW_RUN_WAIT)
    return WW_OK;
  uint64_t before = x->steps;
  x->slice = x->steps + s->m->s.slice;
  b->state[w] = s->m->isa->run(x);
  s->moved |= (x->steps != before || b->state[w] != WW_RUN_WAIT) && gets_on(x);
  if (x->cancelled)
    return ww_fail(s->e, WW_ECANCEL, "cancelled");
  if (b->state[w] == WW_RUN_FAULT)
    return report_fault(s, x);
  if (b->state[w] == WW_RUN_DONE) {
    s->steps += x->steps;
    s->st->extrapolated |= x->extrapolated;
  }
  return WW_OK;
}

/* One turn for every warp of a block that can run. */
static ww_status turn(schedule *s, thread_block *b) {
  uint32_t live = 0, bars = 0, grids = 0;
  for (uint32_t k = 0; k < b->n; k++) {
    ww_status rc = run_warp(s, b, s->m->s.backwards ? b->n - 1 - k : k);
    if (rc)
      return rc;
  }
  if (b->n > s->m->warps)
    s->moved |= ww_split_meet(s->m, b, false);
  s->moved |= note_arrivals(s, b);
  for (uint32_t w = 0; w < b->n; w++) {
    live += b->state[w] != WW_RUN_DONE;
    bars += b->state[w] == WW_RUN_BARRIER;
    grids += b->state[w] == WW_RUN_GRIDSYNC;
  }
  if (bars && release_barriers(s, b, live, bars + grids))
    for (uint32_t w = 0; w < b->n; w++)
      s->moved |= b->state[w] == WW_RUN_SLICE && gets_on(b->warps[w]);
  b->done = !live;
  s->running -= b->done;
  if (b->done && s->obs->block_end)
    s->obs->block_end(s->obs->ctx, b->index);
  return WW_OK;
}

/* A block begins, in a place of the pool that is free. */
static ww_status start_block(schedule *s, uint64_t block, uint32_t *place) {
  uint32_t at = 0;
  while (at < s->used && !s->m->pool[at].done)
    at++;
  if (at == s->used) {
    ww_status rc = ww_machine_pool(s->m, at + 1, s->e);
    if (rc)
      return rc;
    s->used++;
  }
  ww_block_start(s->m, &s->m->pool[at], block, s->obs);
  s->running++;
  *place = at;
  return WW_OK;
}

/* The next block of the list, with the other blocks of its cluster. */
static ww_status start_next(schedule *s) {
  const ww_run_spec *spec = &s->m->s;
  uint32_t place[WW_MAX_CLUSTER];
  uint32_t n = ww_cluster_size(spec);
  uint64_t first = ww_cluster_first(spec, s->blocks[s->started++]);
  for (uint32_t r = 0; r < n; r++) {
    ww_status rc = start_block(s, ww_cluster_block(spec, first, r), &place[r]);
    if (rc)
      return rc;
  }
  ww_cluster_start(s->m, place, n);
  return WW_OK;
}

/* ---- when everybody waits ---- */

/* Each warp that still runs, with its place. */
typedef struct {
  schedule *s;
  uint32_t block, warp;
} walk;

static ww_exec *next_warp(walk *k, thread_block **b) {
  for (; k->block < k->s->used; k->block++, k->warp = 0) {
    *b = &k->s->m->pool[k->block];
    for (; !(*b)->done && k->warp < (*b)->n; k->warp++)
      if ((*b)->state[k->warp] != WW_RUN_DONE)
        return (*b)->warps[k->warp++];
  }
  return NULL;
}

/* Lanes that wait for others of their warp, where sides of a branch meet, go on without
 * them; `locks`: without those that try an atomic again and again. */
static bool split_warps(schedule *s, bool locks) {
  bool any = false;
  walk k = {.s = s};
  thread_block *b;
  for (const ww_exec *x; s->m->splits && (x = next_warp(&k, &b));) {
    const ww_spin *l = ww_spin_of(x);
    bool now = !locks || (l && l->locks) || ww_exec_wait_of(x);
    if (b->state[k.warp - 1] == WW_RUN_WAIT && now)
      any |= ww_split(s->m, b, k.warp - 1, s->e);
  }
  return any;
}

/* Parts of a warp that wait for others of it go on without them. */
static bool part_warps(schedule *s) {
  bool any = false;
  for (uint32_t at = 0; at < s->used; at++)
    if (!s->m->pool[at].done)
      any |= ww_split_meet(s->m, &s->m->pool[at], true);
  return any;
}

/* Waits for mbarriers are given up: whoever polls may have something else to do. */
static bool time_out(schedule *s) {
  bool any = false;
  walk k = {.s = s};
  thread_block *b;
  for (ww_exec *x; (x = next_warp(&k, &b));)
    if (b->state[k.warp - 1] == WW_RUN_WAIT && ww_exec_wait_of(x) &&
        ww_exec_wait_of(x)->ctl == WW_OP_MWAIT && x->timeouts < MOST_TIMEOUTS)
      any = x->timed_out = true;
  return any;
}

/* Those at a grid-wide barrier go on, when nobody else runs: as much of the grid as
 * runs together. */
static bool release_grid(schedule *s) {
  walk k = {.s = s};
  thread_block *b;
  while (next_warp(&k, &b))
    if (b->state[k.warp - 1] != WW_RUN_GRIDSYNC)
      return false;
  for (uint32_t at = 0; at < s->used; at++)
    if (!s->m->pool[at].done)
      release(s->obs, &s->m->pool[at], WW_RUN_GRIDSYNC, 0);
  if (s->obs->sync)
    s->obs->sync(s->obs->ctx, UINT64_MAX, UINT64_MAX);
  return true;
}

/* One warp leaves a loop that does nothing but wait; first one that waits for another
 * block. Warps of a block that go round together leave together. */
static bool pass_wait(schedule *s) {
  thread_block *b;
  for (int near = 0; near < 2; near++) {
    walk k = {.s = s};
    for (ww_exec *x; (x = next_warp(&k, &b));) {
      const ww_spin *l = ww_spin_of(x);
      const ww_spin_place *p = ww_spin_reads(x);
      if (!l || !l->pure || (!near && (!p || p->space != WW_GLOBAL)))
        continue;
      if (!ww_spin_leave(x))
        continue;
      if (p && p->space == WW_GLOBAL && !s->st->passed) {
        s->st->passed = ww_memory_find(x->memory, p->addr);
        s->st->passed_loc = p->ins->loc;
      }
      b->state[k.warp - 1] = WW_RUN_SLICE;
      return true;
    }
  }
  bool any = false;
  walk k = {.s = s};
  for (ww_exec *x; (x = next_warp(&k, &b));)
    if (!gets_on(x) && x->vain->meets && x->vain->pure)
      any = x->leaves = true;
  return any;
}

/* What a loop reads, as far as it can be named: an element of a buffer. */
static void name_place(const ww_exec *x, const ww_spin_place *p, char *out, size_t n) {
  uint64_t value = 0;
  memcpy(&value, p->host, p->bytes < 8 ? p->bytes : 8);
  const ww_region *r =
      p->space == WW_GLOBAL ? ww_memory_find(x->memory, p->addr) : NULL;
  if (r)
    snprintf(out, n, "byte %lld of `%s` to change; it is %llu",
             (long long)(p->addr - r->origin), r->name ? r->name : "?",
             (unsigned long long)value);
  else
    snprintf(out, n, "byte %llu of shared memory to change; it is %llu",
             (unsigned long long)(p->addr - WW_SHARED_BASE), (unsigned long long)value);
}

static uint32_t loop_line(const ww_fn *fn, uint32_t loop) {
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; ww_ir_in_loop(fn, b, loop) && k < fn->blocks[b].nins; k++)
      if (fn->blocks[b].ins[k].loc)
        return fn->blocks[b].ins[k].loc;
  return 0;
}

static ww_status report_barrier(schedule *s, ww_exec *x) {
  char why[240];
  ww_exec_waits_for(x, why, sizeof why);
  ww_status rc = ww_fail(s->e, WW_ELIMIT, "%s (block %llu, warp %u)", why,
                         (unsigned long long)x->id.block, x->id.warp);
  ww_module_place(s->m->s.module, ww_exec_wait_of(x)->ins->loc, s->e);
  return rc;
}

static ww_status report_wait(schedule *s) {
  walk k = {.s = s};
  thread_block *b;
  const ww_exec *first = NULL;
  s->st->stuck = true;
  for (ww_exec *x; (x = next_warp(&k, &b));) {
    if (b->state[k.warp - 1] == WW_RUN_WAIT && ww_exec_wait_of(x))
      return report_barrier(s, x);
    if (!first && (ww_spin_of(x) || !gets_on(x)))
      first = x;
  }
  if (!first)
    return ww_fail(s->e, WW_ELIMIT, "every warp waits for another");
  const ww_spin_place *p = ww_spin_reads(first);
  char place[160];
  if (p)
    name_place(first, p, place, sizeof place);
  const ww_region *r =
      p && p->space == WW_GLOBAL ? ww_memory_find(first->memory, p->addr) : NULL;
  s->st->fault_assumed = r && r->assumed;
  ww_status rc =
      p ? ww_fail(s->e, WW_ELIMIT,
                  "spins for ever: waits for %s, and no thread that runs writes it "
                  "(block %llu, warp %u)",
                  place, (unsigned long long)first->id.block, first->id.warp)
        : ww_fail(s->e, WW_ELIMIT,
                  "an endless loop: nothing changes from one iteration to the next "
                  "(block %llu, warp %u)",
                  (unsigned long long)first->id.block, first->id.warp);
  ww_module_place(s->m->s.module,
                  p ? p->ins->loc : loop_line(first->prog->fn, first->vain->loop),
                  s->e);
  return rc;
}

/* Somebody goes on. */
static ww_status unstick(schedule *s) {
  bool more = s->started < s->n;
  if (split_warps(s, true) || time_out(s))
    return WW_OK;
  if (more && s->running < MOST_TOGETHER)
    return start_next(s);
  if ((!more && release_grid(s)) || (s->m->s.pass_waits && pass_wait(s)) ||
      split_warps(s, false) || part_warps(s))
    return WW_OK;
  if (more)
    return ww_fail(s->e, WW_ELIMIT,
                   "more than %u blocks wait for each other: no more run together",
                   MOST_TOGETHER);
  return report_wait(s);
}

/* ---- running ---- */

static ww_status check_steps(schedule *s) {
  uint64_t steps = s->st->warp_instructions + s->steps;
  const ww_exec *longest = NULL;
  walk k = {.s = s};
  thread_block *b;
  for (const ww_exec *x; (x = next_warp(&k, &b));) {
    steps += x->steps;
    if (!longest || x->steps > longest->steps)
      longest = x;
  }
  if (steps <= s->m->s.max_steps)
    return WW_OK;
  const ww_seg *at = longest ? &longest->prog->segs[longest->pc] : NULL;
  uint32_t loop = at ? longest->prog->fn->blocks[at->block].loop : WW_NOBLOCK;
  ww_status rc =
      ww_fail(s->e, WW_ELIMIT,
              "stopped after %llu warp instructions: an endless loop, or a long one "
              "(`warpwise trace --max-steps` lets it run longer)",
              (unsigned long long)steps);
  if (loop != WW_NOBLOCK)
    ww_module_place(s->m->s.module, loop_line(longest->prog->fn, loop), s->e);
  return rc;
}

static ww_status run_round(schedule *s) {
  ww_machine *m = s->m;
  s->moved = false;
  for (uint32_t b = 0; b < s->used; b++) {
    if (m->pool[b].done)
      continue;
    if (m->s.cancelled && m->s.cancelled(m->s.cancelled_ctx))
      return ww_fail(s->e, WW_ECANCEL, "cancelled");
    ww_status rc = turn(s, &m->pool[b]);
    if (rc)
      return rc;
  }
  if (s->running && !s->moved) {
    ww_status rc = unstick(s);
    if (rc)
      return rc;
  }
  if (s->obs->cancelled && s->obs->cancelled(s->obs->ctx))
    return ww_fail(s->e, WW_ECANCEL, "cancelled");
  return check_steps(s);
}

ww_status ww_machine_run(ww_machine *m,
                         const uint64_t *blocks,
                         uint32_t n,
                         uint32_t resident,
                         const ww_observer *obs,
                         ww_run_stats *stats,
                         ww_arena *a,
                         ww_err *e) {
  ww_run_stats none;
  if (!stats)
    stats = &none;
  *stats = (ww_run_stats){0};
  schedule s = {
      .m = m, .obs = obs, .blocks = blocks, .n = n, .st = stats, .a = a, .e = e};
  ww_status st = WW_OK;
  while (!st && (s.running || s.started < n)) {
    if (!s.running) {
      ww_machine_put_back(m);
      s.used = 0;
      do
        st = start_next(&s);
      while (!st && s.started < n && s.running < resident);
    }
    if (!st)
      st = run_round(&s);
  }
  ww_machine_put_back(m);
  stats->warp_instructions = s.steps;
  return st;
}

bool ww_machine_waits(const ww_machine *m) {
  return m->waits;
}
