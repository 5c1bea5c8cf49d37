/* advice_launch.c - findings about the shape of the work: divergence, occupancy, grid
 * and block size, tail, barriers. */
#include "advice_int.h"

/* ---- divergence ---- */

/* The branch that made the block's lanes few: one of its own loop, else the nearest
 * before it. */
static uint32_t blamed(const ww_advisor *x, uint32_t block) {
  const ww_fn *fn = x->fn;
  uint32_t loop = fn->blocks[block].loop;
  uint32_t best = WW_NOBLOCK;
  double most = 0;
  for (uint32_t at = block; fn->blocks[at].idom != at;) {
    at = fn->blocks[at].idom;
    const ww_block_counts *c = x->of[at];
    if (!c || c->splits <= 0.02 * c->warps)
      continue;
    best = at;
    most = c->splits;
    break;
  }
  for (uint32_t k = 0; loop != WW_NOBLOCK && k < x->t->nblocks; k++) {
    const ww_block_counts *c = &x->t->blocks[k];
    if (c->fn == fn && ww_ir_in_loop(fn, c->block, loop) && c->splits > most &&
        (best == WW_NOBLOCK || !ww_ir_in_loop(fn, best, loop))) {
      best = c->block;
      most = c->splits;
    }
  }
  return best;
}

static ww_loc branch_loc(const ww_advisor *x, uint32_t block) {
  const ww_block *b = &x->fn->blocks[block];
  ww_loc at = {0};
  for (uint32_t i = b->nins; !at.line && i-- > 0;)
    at = x->m->locs[b->ins[i].loc];
  return at;
}

enum { FEW = 24 }; /* instructions of a block that only writes down a result */

/* One lane speaks for its warp: it tells other blocks something or waits for them, or
 * writes down what the warp has found. There is nothing for the other lanes to do. */
static bool speaks(const ww_site *s) {
  const ww_block *b = &s->fn->blocks[s->block];
  bool loads = false;
  bool stores = false;
  if (s->lanes > 2.01 * s->warps)
    return false;
  for (const ww_ins *i = b->ins; i < b->ins + b->nins; i++) {
    if (i->flags & WW_F_VOLATILE || i->op == WW_OP_ATOM || i->op == WW_OP_CAS ||
        i->op == WW_OP_FENCE)
      return true;
    loads |= i->op == WW_OP_LD;
    stores |= i->op == WW_OP_ST && ww_is_global(i);
  }
  return stores && !loads && b->nins <= FEW;
}

void ww_advise_flow(ww_advisor *x) {
  /* has the lanes that the launch itself gives a warp */
  const ww_block_counts *entry = x->of[0];
  double full = entry && entry->warps > 0 ? entry->lanes / entry->warps : x->g->lanes;
  double *loss = WW_NEWN(x->a, double, x->fn->nblocks + 1);
  double most = 0;
  double loads = 0;
  double idle = 0;
  ww_part part = {0};
  uint32_t worst = WW_NOBLOCK;
  uint32_t last = WW_NOBLOCK;
  for (const ww_site *s = x->sites; s < x->sites_end; s++) {
    double share = s->warps > 0 ? 1 - s->lanes / (s->warps * full) : 0;
    if (s->fn != x->fn || share < 0.02 || speaks(s))
      continue;
    ww_part_add(&part, s, share);
    if (s->ins->op == WW_OP_LD && s->ins->space == WW_GLOBAL)
      loads += share * s->warps;
    double lost = ww_site_inst(s) * s->warps * share;
    idle += lost;
    uint32_t b = s > x->sites && s[-1].fn == s->fn && s[-1].block == s->block
                     ? last
                     : blamed(x, s->block);
    last = b;
    if (b == WW_NOBLOCK)
      continue;
    loss[b] += lost;
    if (loss[b] > most) {
      most = loss[b];
      worst = b;
    }
  }
  if (worst == WW_NOBLOCK || x->work->lowered.total <= 0)
    return;
  ww_work w = *x->work;
  ww_part_remove(x, &part, &w);
  if (x->t->c.global_ld_requests > 0)
    w.chain.waits *= 1 - 0.9 * loads / x->t->c.global_ld_requests;
  double active = full * (1 - idle / x->work->lowered.total);
  bool loop = x->fn->blocks[worst].loop != WW_NOBLOCK;
  ww_advice_add(x, WW_RULE_DIVERGENCE, branch_loc(x, worst), &w,
                ww_fmt(x->a,
                       "lanes of a warp go different ways here: on average %.3g of "
                       "%.3g work, the others wait",
                       active, full),
                loop ? "give neighbouring threads work of equal length (sort or bin it "
                       "by length), or share "
                       "a long item among the threads of a warp"
                     : ww_fmt(x->a,
                              "let whole warps take the same side: order the data by "
                              "case, or choose the side by %s / %u instead of "
                              "neighbouring threads",
                              ww_word_of(x, WW_WORD_INDEX), x->g->lanes));
}

/* ---- occupancy ---- */

static void scale_chain(ww_chain *c, double f) {
  c->warp_inst *= f;
  c->alu *= f;
  c->waits *= f;
  c->shared_waits *= f;
  c->atomic_waits *= f;
  c->barriers *= f;
  c->const_waits *= f;
  c->first_waits = fmin(c->first_waits, c->waits);
}

static void low_occupancy(ww_advisor *x,
                          const ww_work *w,
                          const char *because,
                          const char *remedy) {
  ww_advice_add(x, WW_RULE_LOW_OCCUPANCY, ww_advice_kernel(x), w,
                ww_fmt(x->a, "%u of %.0f warps fit on an SM: %s",
                       x->work->occupancy.warps, x->g->max_warps, because),
                remedy);
}

/* How the source asks the compiler for so many blocks on an SM. */
static const char *
bounds_text(const ww_advisor *x, uint32_t threads, const ww_occupancy *o) {
  switch (x->m->dialect) {
  case WW_OPENCL:
    return ww_fmt(x->a, "__attribute__((reqd_work_group_size(%u, 1, 1)))", threads);
  case WW_OPENMP:
    return ww_fmt(x->a, "thread_limit(%u)", threads);
  case WW_HIP: /* counts warps of a SIMD, of which a compute unit has four */
    return ww_fmt(x->a, "__launch_bounds__(%u, %u)", threads, (o->warps + 3) / 4);
  default:
    return ww_fmt(x->a, "__launch_bounds__(%u, %u)", threads, o->blocks);
  }
}

static void by_registers(ww_advisor *x, ww_work *w) {
  const ww_occupancy *o = &x->work->occupancy;
  double warps = w->warps_per_block;
  double want = o->registers;
  for (uint32_t blocks = o->blocks * 2; blocks > o->blocks; blocks--) {
    want = floor(x->g->registers / (blocks * warps * x->g->lanes) / 8) * 8;
    ww_occupancy_of(x->g, w->block_threads, want, o->shared_bytes, &w->occupancy);
    if (want >= 16 && want >= o->registers / 2 && w->occupancy.blocks > o->blocks)
      break;
  }
  if (w->occupancy.blocks <= o->blocks)
    return;
  uint32_t before = x->items.n;
  uint32_t threads = w->block_threads;
  uint32_t blocks = w->occupancy.blocks;
  low_occupancy(
      x, w,
      ww_fmt(x->a, "%.0f registers a thread leave room for no more", o->registers),
      ww_fmt(x->a,
             "with %.0f registers %u warps would fit: %s, "
             "fewer values alive at once, less unrolling",
             want, w->occupancy.warps, bounds_text(x, threads, &w->occupancy)));
  if (x->items.n > before) {
    x->items.v[before].bounds[0] = threads;
    x->items.v[before].bounds[1] = blocks;
  }
}

static void by_shared(ww_advisor *x, ww_work *w) {
  const ww_occupancy *o = &x->work->occupancy;
  ww_occupancy_of(x->g, w->block_threads, o->registers, o->shared_bytes / 4,
                  &w->occupancy);
  low_occupancy(x, w,
                ww_fmt(x->a, "each %s of %llu threads takes %.4g KB of %s",
                       ww_word_of(x, WW_WORD_BLOCK),
                       (unsigned long long)w->block_threads, o->shared_bytes / 1024,
                       ww_word_of(x, WW_WORD_SHARED)),
                ww_fmt(x->a,
                       "use less of it for each %s (a smaller tile, a narrower type), "
                       "or let more threads share it",
                       ww_word_of(x, WW_WORD_BLOCK)));
}

static void by_block_size(ww_advisor *x, ww_work *w) {
  const ww_occupancy *o = &x->work->occupancy;
  uint32_t wide = 256 / x->g->lanes;
  double f = (double)wide / w->warps_per_block;
  if (w->warps_per_block == wide || w->blocks / f < 1)
    return;
  w->blocks = w->blocks / f;
  w->block_threads = (uint64_t)wide * x->g->lanes;
  w->warps_per_block = wide;
  ww_occupancy_of(x->g, w->block_threads, o->registers,
                  o->shared_bytes * (f > 1 ? f : 1), &w->occupancy);
  if (w->occupancy.warps <= o->warps)
    return;
  low_occupancy(x, w,
                ww_fmt(x->a, "an SM holds at most %u %s of %llu threads", o->blocks,
                       ww_word_of(x, WW_WORD_BLOCKS),
                       (unsigned long long)x->work->block_threads),
                ww_word_of(x, WW_WORD_SIZE));
}

/* Does the code touch shared memory in ways that the trace's accesses do not show? */
static bool copies_in_bulk(const ww_fn *fn) {
  return ww_fn_has(fn, WW_OP_BULK) || ww_fn_has(fn, WW_OP_TMA) ||
         ww_fn_has(fn, WW_OP_WGMMA) || ww_fn_has(fn, WW_OP_CALLI);
}

/* Loops that were run in part may use more than was seen. */
static bool unused_shared(ww_advisor *x) {
  ww_work w = *x->work;
  const ww_sampled *s = &x->p->trace.sampled;
  const ww_occupancy *o = &x->work->occupancy;
  double used = s->shared_end;
  if (used > 0.6 * o->shared_bytes || (used > 0 && s->extrapolated) ||
      copies_in_bulk(x->fn))
    return false;
  ww_occupancy_of(x->g, w.block_threads, o->registers, used, &w.occupancy);
  ww_advice_add(
      x, WW_RULE_UNUSED_SHARED, ww_advice_kernel(x), &w,
      ww_fmt(x->a,
             "each %s holds %.4g KB of %s and uses %.3g KB of it: %u warps fit "
             "on an SM where %u would",
             ww_word_of(x, WW_WORD_BLOCK), o->shared_bytes / 1024,
             ww_word_of(x, WW_WORD_SHARED), used / 1024, o->warps, w.occupancy.warps),
      "ask for what is used: a smaller array, or less dynamic shared memory in "
      "the launch");
  return true;
}

static void occupancy(ww_advisor *x) {
  ww_work w = *x->work;
  const ww_occupancy *o = &x->work->occupancy;
  if (o->limit_pct > 75 || !o->blocks)
    return;
  if (o->limiter == WW_LIMIT_REGISTERS)
    by_registers(x, &w);
  if (o->limiter == WW_LIMIT_SHARED && !unused_shared(x))
    by_shared(x, &w);
  if (o->limiter == WW_LIMIT_BLOCKS || o->limiter == WW_LIMIT_WARPS)
    by_block_size(x, &w);
}

/* ---- block and grid ---- */

static void partial_warps(ww_advisor *x) {
  ww_work w = *x->work;
  double lanes = (double)w.warps_per_block * x->g->lanes;
  double used = w.block_threads / lanes;
  if (used > 0.95)
    return;
  uint32_t fit = w.block_threads < x->g->lanes ? 1 : w.block_threads / x->g->lanes;
  ww_work_scale_pipes(&w, (1u << WW_NPIPES) - 1, used);
  w.chain.warp_inst /= used;
  w.blocks = ceil(w.blocks * (double)w.block_threads / (fit * x->g->lanes));
  w.warps_per_block = fit;
  w.block_threads = (uint64_t)fit * x->g->lanes;
  ww_occupancy_of(x->g, w.block_threads, w.occupancy.registers,
                  w.occupancy.shared_bytes, &w.occupancy);
  ww_advice_add(x, WW_RULE_PARTIAL_WARPS, ww_advice_kernel(x), &w,
                ww_fmt(x->a, "%s of %llu threads fill their %u warps to %.0f %%",
                       ww_word_of(x, WW_WORD_BLOCKS),
                       (unsigned long long)x->work->block_threads,
                       x->work->warps_per_block, 100 * used),
                ww_fmt(x->a, "choose a size of the %s that is a multiple of %u",
                       ww_word_of(x, WW_WORD_BLOCK), x->g->lanes));
}

/* Where a thread goes next depends on what it found, or it waits for what others write:
 * its turns cannot be shared out. */
static bool goes_by_data(const ww_advisor *x) {
  ww_role *roles = WW_NEWN(x->a, ww_role, x->fn->nparams + 1);
  ww_roles_find(x->fn, x->a, roles);
  for (uint32_t p = 0; p < x->fn->nparams; p++)
    if (roles[p].linked || roles[p].searched || roles[p].flag)
      return true;
  return false;
}

static void few_blocks(ww_advisor *x) {
  ww_work w = *x->work;
  double blocks = w.blocks;
  double slots = (double)x->g->sms * w.occupancy.blocks;
  double more = slots;
  if (blocks >= 0.7 * slots || blocks < 1)
    return;
  if (x->fn->nloops && (goes_by_data(x) || ww_advice_is_serial(x)))
    return;
  if (x->fn->nloops) {
    /* a block should still have something to do */
    more = fmin(more, blocks * w.chain.warp_inst / 60);
    if (more < 1.2 * blocks)
      return;
    scale_chain(&w.chain, blocks / floor(more));
    w.blocks = more;
  } else { /* one item a thread: the same threads in smaller blocks reach more SMs */
    uint32_t k = 1;
    while (k * 2 <= w.warps_per_block && blocks * k < x->g->sms)
      k *= 2;
    if (k == 1)
      return;
    w.blocks *= k;
    w.warps_per_block /= k;
    w.block_threads /= k;
    ww_occupancy_of(x->g, w.block_threads, w.occupancy.registers,
                    w.occupancy.shared_bytes / k, &w.occupancy);
  }
  bool idle = blocks <= x->g->sms / 2.0;
  ww_advice_add(
      x, WW_RULE_FEW_BLOCKS, ww_advice_kernel(x), &w,
      idle ? ww_fmt(x->a, "%.0f %s for %u SMs: most of the GPU has nothing to do",
                    blocks, ww_word_of(x, blocks > 1 ? WW_WORD_BLOCKS : WW_WORD_BLOCK),
                    x->g->sms)
           : ww_fmt(x->a,
                    "%.0f %s for %u SMs that could hold %.0f: too few warps to "
                    "hide latency",
                    blocks, ww_word_of(x, WW_WORD_BLOCKS), x->g->sms, slots),
      ww_fmt(x->a, "launch more, smaller pieces: %llu %s or more, with less work each",
             (unsigned long long)w.blocks, ww_word_of(x, WW_WORD_BLOCKS)));
}

static void tail(ww_advisor *x) {
  ww_work w = *x->work;
  double slots = (double)x->g->sms * w.occupancy.blocks;
  double waves = ww_ratio(w.blocks, slots);
  double last = waves - floor(waves);
  if (waves <= 1.02 || waves > 8 || last < 0.02 || last > 0.5)
    return; /* a last wave that is half full leaves no more than that idle */
  double even = floor(waves) * slots;
  scale_chain(&w.chain, w.blocks / even);
  w.blocks = even;
  ww_advice_add(
      x, WW_RULE_TAIL, ww_advice_kernel(x), &w,
      ww_fmt(x->a,
             "%.0f %s are %.3g waves of the %.0f that fit at once: the last wave "
             "leaves most of the GPU idle",
             (double)x->work->blocks, ww_word_of(x, WW_WORD_BLOCKS), waves, slots),
      ww_fmt(
          x->a,
          "launch a multiple of %.0f %s with %s, or smaller ones so that the rest is "
          "small",
          slots, ww_word_of(x, WW_WORD_BLOCKS), ww_word_of(x, WW_WORD_STRIDE)));
}

static void imbalance(ww_advisor *x) {
  ww_work w = *x->work;
  if (w.chain.spread < 1.25)
    return;
  w.chain.spread = 1;
  ww_advice_add(
      x, WW_RULE_IMBALANCE, ww_advice_kernel(x), &w,
      ww_fmt(x->a,
             "the longest %s takes %.2g times the mean: SMs wait for it at the end",
             ww_word_of(x, WW_WORD_BLOCK), x->work->chain.spread),
      ww_fmt(
          x->a,
          "cut the work into equal pieces, start the long ones first, or let %s fetch "
          "pieces from a counter",
          ww_word_of(x, WW_WORD_BLOCKS)));
}

static void barriers(ww_advisor *x) {
  ww_work w = *x->work;
  const ww_site *worst = NULL;
  if (w.chain.barriers <= 0)
    return;
  for (const ww_site *s = x->sites; s < x->sites_end; s++)
    if (s->ins->op == WW_OP_BAR && s->warps > (worst ? worst->warps : 0))
      worst = s;
  w.chain.barriers *= 0.25;
  ww_advice_add(
      x, WW_RULE_BARRIERS, worst ? ww_site_loc(x, worst) : (ww_loc){0}, &w,
      ww_fmt(x->a, "%.3g barriers a thread; at each the %s waits for its slowest warp",
             x->work->chain.barriers, ww_word_of(x, WW_WORD_BLOCK)),
      ww_fmt(x->a, "do more between barriers, use %s within a warp, or smaller %s",
             ww_word_of(x, WW_WORD_WARP_SYNC), ww_word_of(x, WW_WORD_BLOCKS)));
}

void ww_advise_launch(ww_advisor *x) {
  occupancy(x);
  partial_warps(x);
  few_blocks(x);
  tail(x);
  imbalance(x);
  barriers(x);
}
