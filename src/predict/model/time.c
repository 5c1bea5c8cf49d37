/* time.c - from counted work to time: waves of warps that queue for issue slots, pipes,
 * caches and DRAM.
 *
 * A wave is the blocks that are resident at once. A warp alone takes its chain:
 * arithmetic, waits for memory at the latency that the load on the memory system
 * leaves, barriers, and the turnover of its block. All warps of the wave together need
 * each resource for some cycles. The wave takes the p-norm of the chain and of these;
 * the latency under load follows from the achieved bandwidth, so both are iterated to a
 * fixed point. The last, partial wave is evaluated anew with the blocks it has. What a
 * launch pays once comes on top: its floor, the cold way to the first data and code,
 * the excess of its longest block.
 *
 * All is in cycles of the SM clock until the end. Invariant: no answer is below the
 * floor or below any single bound. */
#include "predict.h"

const char *const ww_term_names[WW_NTERMS] = {
#define TERM(name, word, ...) word,
#include "terms.def"
};

/* rounds of those who try that a lock is held longer than by what is done under it */
#define LOCK_ROUNDS 4.5
#define FILLED 3.5e5 /* bytes touched that wake half of the memory system */

static double known(double x, double otherwise) {
  return x > 0 ? x : otherwise;
}

/* ---- demands of one block ---- */

typedef struct {
  double sm[WW_NTERMS];   /* cycles of its SM */
  double chip[WW_NTERMS]; /* cycles of what all SMs share */
  double turnover;        /* slot time besides its work */
  /* cycles of its slowest warp that depend on no load: arithmetic, shared memory,
   * atomics; barriers */
  double chain, barrier;
  double waits; /* for global loads */
  /* what a wait takes without load on the memory system, by how far it goes; they add
   * up */
  double l1, l2, dram;
  double queue;
  double blend; /* exponent that joins all of these */
  ww_pipe busiest;
} demand;

/* Sub-core cycles of the busiest pipe. Additions and moves can be done by the
 * multiplier as well: where the ALU has more to do, the compiler moves a part of them
 * over. */
static double pipe_cycles(const ww_lowered *l, double moved, ww_pipe *busiest) {
  double cycles[WW_NPIPES];
  double most = 0;
  memcpy(cycles, l->cycles, sizeof cycles);
  double excess = fmax(0, cycles[WW_PIPE_ALU] - cycles[WW_PIPE_IMAD]) / 2;
  cycles[WW_PIPE_ALU] -= fmin(excess, moved * cycles[WW_PIPE_ALU]);
  *busiest = WW_PIPE_FMA;
  for (uint32_t k = 0; k < WW_NPIPES; k++)
    if (k != WW_PIPE_LSU && cycles[k] > most)
      most = cycles[ *busiest = k];
  return most;
}

/* GB/s for this mix of reads and writes: the probe knows reads alone, writes alone and
 * half of each. */
static double mixed_gbps(const ww_gpu *g, double read, double written) {
  double r = known(g->dram_read, 0.92 * g->dram_peak);
  double w = known(g->dram_write, r);
  double both = known(g->dram_copy, 0.5 * (r + w));
  double x = read + written > 0 ? written / (read + written) : 0;
  double mix = x < 0.5 ? r + (both - r) * 2 * x : both + (w - both) * (2 * x - 1);
  return fmin(mix, g->dram_peak);
}

/* In a kernel, reads and writes disturb each other less than in the probe: what is
 * written leaves L2 when there is room. */
static double dram_gbps(const ww_gpu *g, const ww_params *p, const ww_traffic *t) {
  double reads = mixed_gbps(g, 1, 0);
  return reads + p->mixed * (mixed_gbps(g, t->dram_read, t->dram_write) - reads);
}

/* Sectors that are fetched without their neighbours come at a part of the bandwidth:
 * two for one, and from rows all over. */
static double lone_share(const ww_gpu *g) {
  double alone = 2 * ww_curve_at_x(&g->dram_by_stride, 1024);
  double all = g->dram_read;
  return alone > 0 && all > 0 ? fmin(1, alone / all) : WW_FIGURE(g, dram_lone);
}

static double l2_gbps(const ww_gpu *g, double footprint) {
  /* beyond it the curve shows DRAM, which has its own term */
  double x = fmin(footprint, WW_FIGURE(g, l2_bytes));
  return known(ww_curve_at_x(&g->l2_curve, x), known(g->l2_gbps, 2.5 * g->dram_peak));
}

/* Lines that loads ask L2 for: a sector each at least, also where somebody tries what
 * fewer sectors would bring. */
static double asked_lines(const ww_traffic *t) {
  return fmin(t->load_lines, t->l2_reads);
}

/* Microseconds in which spills move beyond L2. */
static double spill_us(const ww_gpu *g, const ww_traffic *t, double gbps) {
  return t->spill_dram / (1e3 * known(g->dram_spill, gbps)) +
         t->spill_l3 / (1e3 * known(g->l3_gbps, gbps));
}

/* Cycles in which threads take the busiest word that is swapped until it succeeds, or
 * the lock that it is, one after the other. All that wait for it try in every round,
 * and its slice of L2 serves one after the other; who holds a lock has to come through
 * the crowd as well, with what it does there. The last of them have less company. */
static double taking_turns(const ww_work *w, const ww_gpu *g) {
  const ww_chain *c = &w->chain;
  double slots = fmax(1, w->occupancy.blocks) * g->sms;
  double there = fmin(1, slots / fmax(1, w->blocks)); /* of all threads, at a time */
  double round = WW_FIGURE(g, swap_cycles) * c->crowd * there;
  double each = WW_FIGURE(g, atom_latency) + c->held;
  if (c->retried <= 1)
    return 0;
  double all = fmax(each, round);
  double mean = round > each ? (round * round + each * each) / (2 * round) : each;
  if (c->locked > 0) {
    all = each + LOCK_ROUNDS * round;
    mean = each + LOCK_ROUNDS * round / 2;
  }
  return c->retried * ((1 - there) * all + there * mean);
}

static void memory_demand(
    const ww_work *w, const ww_gpu *g, const ww_params *p, double per_us, demand *d) {
  const ww_traffic *t = &w->traffic;
  double n = w->blocks;
  double stored = w->chain.store_lines + t->local_lines;
  double sectors = t->l2_reads + t->l2_writes + p->store_line_sectors * stored +
                   p->load_line_sectors * asked_lines(t);
  double all_over = l2_gbps(g, t->footprint);
  double near = fmax(all_over, known(g->l2_gbps, all_over));
  d->chip[WW_TERM_L2] = 32 * ((sectors - t->in_step) / all_over + t->in_step / near) /
                        (1e3 * p->l2_share) * per_us / n;
  double bytes = t->dram_read * (1 + w->chain.lone * (1 / lone_share(g) - 1)) +
                 t->dram_write - t->spill_dram;
  double gbps = p->dram_share * dram_gbps(g, p, t);
  d->chip[WW_TERM_DRAM] = bytes / (1e3 * gbps) * per_us / n;
  if (t->spill_bytes > 0)
    d->chip[WW_TERM_DRAM] += spill_us(g, t, gbps) * per_us / n;
  d->chip[WW_TERM_ATOMIC] = fmax(w->chain.atomic_cycles, taking_turns(w, g)) / n;
  double l1 = WW_FIGURE(g, l1_latency);
  double l2 = WW_FIGURE(g, l2_latency);
  /* of several lines the last one counts */
  double slowest = 1 + p->scatter * log(fmax(1, w->chain.lines_per_load));
  d->l1 = l1 + p->load_cycles * fmax(0, w->chain.loads_per_wait - 1);
  d->l2 = w->chain.beyond_l1 * (l2 - l1) * slowest * p->l2_latency_factor;
  d->dram = w->chain.beyond_l2 * (WW_FIGURE(g, dram_latency) - l2) * slowest;
  d->queue = p->queue * WW_FIGURE(g, dram_queue);
}

/* SM cycles of what goes to L2 and comes back: 64 bytes a cycle, and something for each
 * line that a load asks for. */
static double sent(const ww_traffic *t, const ww_params *p) {
  return (t->l2_reads + t->l2_writes) / 2 + p->load_line_cycles * asked_lines(t);
}

/* SM cycles of the engine that copies in bulk. */
static double engine(const ww_traffic *t, const ww_gpu *g) {
  return t->bulk_bytes / WW_FIGURE(g, bulk_rate) +
         WW_FIGURE(g, bulk_issue) * t->bulk_requests;
}

static void block_demand(
    const ww_work *w, const ww_gpu *g, const ww_params *p, double per_us, demand *d) {
  const ww_chain *c = &w->chain;
  double n = w->blocks;
  double warps = n * w->warps_per_block;
  double sub = WW_FIGURE(g, subcores);
  *d = (demand){0};
  /* of the instructions, those of blocks that do something */
  double work = 1 - fmin(w->idle_share, 0.99);
  double special = w->lowered.inst[WW_PIPE_XU]; /* their unit takes them in parts */
  d->sm[WW_TERM_ISSUE] = (work * w->lowered.total + p->split_slots * w->splits +
                          p->special_slots * special) /
                         n / sub;
  d->sm[WW_TERM_PIPE] =
      work * pipe_cycles(&w->lowered, p->moved, &d->busiest) / n / sub;
  d->sm[WW_TERM_SHARED] = (w->traffic.shared_cycles + w->lowered.spin_cycles) / n;
  d->sm[WW_TERM_L1] =
      (w->traffic.l1_wavefronts + p->store_line_cycles * c->store_lines +
       p->local_line_cycles * w->traffic.local_lines) /
      n;
  d->sm[WW_TERM_L2] = fmax(sent(&w->traffic, p), engine(&w->traffic, g)) / n;
  d->sm[WW_TERM_CONST] = p->const_word_cycles * w->traffic.const_words / n;
  d->chip[WW_TERM_LAUNCH] = per_us / WW_FIGURE(g, blocks_per_us);
  memory_demand(w, g, p, per_us, d);
  d->turnover = WW_FIGURE(g, block_ns) * 1e-3 * per_us;
  d->chain = p->alu_share * c->alu + p->pace * c->warp_inst + c->fixed +
             (p->split_cycles * w->splits + p->special_cycles * special) / warps +
             c->shared_waits * ww_shared_latency(g) +
             c->atomic_waits * WW_FIGURE(g, atom_latency) +
             2 * c->store_waits * WW_FIGURE(g, l2_latency) +
             c->const_waits * WW_FIGURE(g, const_l1_latency) +
             w->traffic.l1_wavefronts / warps + /* its own, one after the other */
             fmax(w->traffic.shared_cycles / warps, c->passes);
  double beside =
      fmin(1, fmax(w->traffic.copied, ww_ratio(w->lowered.beside, w->lowered.total)));
  d->blend = p->blend + (p->async_blend - p->blend) * beside;
  d->barrier = p->barrier * c->barriers *
               known(ww_curve_at_x(&g->barrier, w->warps_per_block),
                     WW_FIGURE(g, barrier_cycles));
  d->waits = c->waits;
}

/* ---- one wave ---- */

typedef struct {
  double t, slot;        /* cycles of the wave; of one block's slot, alone */
  double use[WW_NTERMS]; /* cycles that each resource alone would take */
} wave;

/* Cycles a wait takes when this share of L2's and DRAM's bandwidth is in use. */
static double wait_cycles(const demand *d, double l2, double dram) {
  return d->l1 + d->l2 * (1 + d->queue * l2 * l2) +
         d->dram * (1 + d->queue * dram * dram);
}

/* The p-norm of some times. */
static double norm(const double *v, uint32_t n, double p) {
  double most = 0;
  double sum = 0;
  for (uint32_t k = 0; k < n; k++)
    most = fmax(most, v[k]);
  if (!(most > 0))
    return 0;
  for (uint32_t k = 0; k < n; k++)
    sum += pow(v[k] / most, p);
  return most * pow(sum, 1 / p);
}

static double join(const double *use, double p) {
  const double all[] = {use[WW_TERM_ISSUE],
                        use[WW_TERM_PIPE],
                        use[WW_TERM_SHARED] + use[WW_TERM_L1], /* one data stage */
                        use[WW_TERM_CONST],
                        use[WW_TERM_L2],
                        use[WW_TERM_DRAM],
                        use[WW_TERM_ATOMIC],
                        use[WW_TERM_LAUNCH],
                        use[WW_TERM_LATENCY]};
  return norm(all, sizeof all / sizeof *all, p);
}

/* `each` blocks on the fullest SM, `all` in the whole GPU. */
static void run_wave(const demand *d, double each, double all, wave *out) {
  for (uint32_t k = 0; k < WW_NTERMS; k++)
    out->use[k] = fmax(d->sm[k] * each, d->chip[k] * all);
  double rest = d->turnover + d->chain + d->barrier;
  double l2 = 0;
  double dram = 0;
  for (int round = 0; round < 40; round++) {
    out->slot = rest + d->waits * wait_cycles(d, l2, dram);
    out->use[WW_TERM_LATENCY] = out->slot;
    out->t = join(out->use, d->blend);
    double to_l2 = out->use[WW_TERM_L2] / out->t;
    double to_dram = out->use[WW_TERM_DRAM] / out->t;
    if (fabs(to_l2 - l2) + fabs(to_dram - dram) < 1e-4)
      break;
    l2 += 0.6 * (to_l2 - l2);
    dram += 0.6 * (to_dram - dram);
  }
  out->use[WW_TERM_BARRIER] = d->barrier;
}

/* ---- the launch ---- */

/* What the first wave pays because nothing has been fetched yet. */
static double
cold_cycles(const ww_work *w, const ww_gpu *g, const ww_params *p, const demand *d) {
  if (w->warm)
    return 0;
  double walk = p->walk * WW_FIGURE(g, tlb_cold);
  double code = fmin(w->lowered.code_bytes / 16.0, w->chain.warp_inst) * p->fetch *
                WW_FIGURE(g, icache_cold);
  return w->chain.first_waits *
             (walk + p->cold * fmax(0, WW_FIGURE(g, dram_latency) -
                                           (d->l1 + d->l2 + d->dram))) +
         code;
}

/* Microseconds until the memory system is under way: the more a launch touches, the
 * more of its parts have to wake, up to all of them. */
static double filling(const ww_work *w, const ww_params *p) {
  double x = w->warm ? 0 : w->traffic.footprint / FILLED;
  return p->fill_us * x / (1 + x);
}

static void shares_of(const wave *v, const demand *d, double p, ww_timing *out) {
  double sum = 0;
  for (uint32_t k = 0; k < WW_NTERMS; k++)
    sum += out->stall[k] = k == WW_TERM_BARRIER ? 0 : pow(v->use[k] / v->t, p);
  for (uint32_t k = 0; k < WW_NTERMS; k++)
    out->stall[k] /= sum > 0 ? sum : 1;
  double part = ww_ratio(d->barrier, v->slot); /* of the time a warp is alone */
  out->stall[WW_TERM_BARRIER] = part * out->stall[WW_TERM_LATENCY];
  out->stall[WW_TERM_LATENCY] -= out->stall[WW_TERM_BARRIER];
}

/* What comes on top where that is more than half, else what the warps wait for most. */
static void name_bottleneck(ww_timing *out) {
  const double *us = out->bound_us;
  ww_term most = us[WW_TERM_COLD] > us[WW_TERM_LAUNCH] ? WW_TERM_COLD : WW_TERM_LAUNCH;
  if (us[WW_TERM_TAIL] > us[most])
    most = WW_TERM_TAIL;
  out->bottleneck = most;
  if (us[most] > 0.5 * out->us)
    return;
  out->bottleneck = WW_TERM_ISSUE;
  for (uint32_t k = 0; k < WW_NTERMS; k++)
    if (out->stall[k] > out->stall[out->bottleneck])
      out->bottleneck = k;
}

/* Parameters know the spread that holds 80 % of families left out, of written kernels
 * like those they were fitted on; of code by hand that is like none of them, so many
 * times as much holds 90 %. */
#define WIDER 1.5

double ww_time_spread(const ww_timing *t, const ww_params *p) {
  if (t->us < 5)
    return p->spread_short;
  switch (t->bottleneck) {
  case WW_TERM_L2:
  case WW_TERM_DRAM:
    return p->spread_memory;
  case WW_TERM_LATENCY:
  case WW_TERM_BARRIER:
  case WW_TERM_TAIL:
  case WW_TERM_COLD:
    return p->spread_latency;
  default:
    return p->spread_compute;
  }
}

typedef struct {
  double whole, rest; /* full waves; blocks of the last one */
  double slots;       /* blocks of a full wave */
  wave full, last;
} waves;

static void all_waves(const ww_work *w, const ww_gpu *g, const demand *d, waves *v) {
  double each = w->occupancy.blocks ? w->occupancy.blocks : 1;
  double n = w->blocks;
  v->slots = each * g->sms;
  v->whole = floor(n / v->slots);
  v->rest = n - v->whole * v->slots;
  if (v->whole > 0)
    run_wave(d, each, v->slots, &v->full);
  if (v->rest > 0)
    run_wave(d, ceil(v->rest / g->sms), v->rest, &v->last);
}

/* Blocks that end at once pass through what is left beside those at work, once these
 * have all begun: how long the launch takes beyond them. */
static double
idle_cycles(const ww_work *w, const demand *d, const waves *v, double steady) {
  if (!w->idle)
    return 0;
  double each = fmax(d->chip[WW_TERM_LAUNCH], d->turnover / v->slots);
  double all = v->whole + (v->rest > 0);
  double begun = steady * v->whole / fmax(1, all) +
                 d->chip[WW_TERM_LAUNCH] * (v->rest > 0 ? v->rest : v->slots);
  return fmax(0, begun + each * w->idle - steady);
}

/* Of what an incomplete last wave costs, the part that does not show: after many waves
 * blocks no longer begin and end together. */
static double taken_over(const waves *v, const ww_params *p) {
  return v->whole > 1 ? p->last_wave_hidden * (1 - 1 / v->whole) : 0;
}

/* Cycles until a flag that blocks hand on from the first to the last has come there:
 * what each does in between, the way to L2 and the look that finds it. */
static double chained(const ww_work *w, const ww_gpu *g) {
  const ww_chain *c = &w->chain;
  double l2 = WW_FIGURE(g, l2_latency);
  return c->link > 0 ? w->blocks / fmax(1, c->link_blocks) * (c->link + 2 * l2) : 0;
}

/* Cycles of a launch whose blocks look back over those before them until one knows the
 * sum of all before it. In the steady state a block comes `apart` cycles behind the one
 * before, each look takes the way to L2 and back, and there are as many as blocks come
 * in that time, of which one look covers `back`: slots * apart = full + look + look *
 * n, n = look / (back * apart). */
static double
looking_back(const ww_work *w, const ww_gpu *g, double full, double slots) {
  double look = 2 * WW_FIGURE(g, l2_latency);
  double b = full + look;
  if (!(w->chain.back > 0))
    return 0;
  double apart =
      (b + sqrt(b * b + 4 * slots * look * look / w->chain.back)) / (2 * slots);
  return w->blocks * apart;
}

/* The time at one SM clock, in cycles a microsecond. */
static void time_at(const ww_work *w,
                    const ww_gpu *g,
                    const ww_params *p,
                    double per_us,
                    ww_timing *out) {
  demand d;
  waves v = {0};
  double sms = g->sms;
  *out = (ww_timing){0};
  block_demand(w, g, p, per_us, &d);
  all_waves(w, g, &d, &v);
  const wave *main = v.whole > 0 ? &v.full : &v.last;
  double apart = v.whole * v.full.t + v.last.t;
  double evenly = main->t * w->blocks / (v.whole > 0 ? v.slots : v.rest);
  double steady = apart - taken_over(&v, p) * fmax(0, apart - evenly);
  /* what the longest block takes beyond the mean, when the others have gone and nothing
   * queues any more */
  double alone = d.chain + d.barrier + d.waits * wait_cycles(&d, 0, 0);
  double spread = fmax(1, w->chain.spread);
  double excess = (spread - 1) * alone * (v.whole > 0 ? p->tail : 1);
  /* no launch is over before its longest block */
  excess = fmax(excess, spread * alone - steady);
  /* nor before its last block has had what it waits for of the one before */
  excess = fmax(excess, chained(w, g) + alone - steady);
  double slots = v.whole > 0 ? v.slots : v.rest;
  excess = fmax(excess, looking_back(w, g, main->t, slots) - steady);
  double idle = idle_cycles(w, &d, &v, steady + excess);
  double cold = cold_cycles(w, g, p, &d);
  for (uint32_t k = 0; k < WW_NTERMS; k++)
    out->bound_us[k] =
        (v.whole * v.full.use[k] + v.last.use[k]) * steady / apart / per_us;
  out->bound_us[WW_TERM_LAUNCH] =
      WW_FIGURE(g, launch_floor) + p->start_us + filling(w, p);
  out->bound_us[WW_TERM_COLD] = cold / per_us;
  out->bound_us[WW_TERM_TAIL] = (fmax(0, steady - evenly) + excess + idle) / per_us;
  out->us = out->bound_us[WW_TERM_LAUNCH] + (cold + steady + excess + idle) / per_us;
  out->waves = w->blocks / v.slots;
  out->busiest = d.busiest;
  shares_of(main, &d, d.blend, out);
  name_bottleneck(out);
  double busy = v.whole * v.slots * fmax(0, v.full.t - d.turnover) +
                v.rest * fmax(0, v.last.t - d.turnover);
  /* SMs that have any */
  double active = v.whole * sms * v.full.t + fmin(v.rest, sms) * v.last.t;
  out->achieved_warps = ww_ratio(w->warps_per_block * busy, active);
  double s = hypot(WIDER * ww_time_spread(out, p), ww_grades[ww_gpu_grade(g)].spread);
  out->low = out->us * exp(-s);
  out->high = out->us * exp(s);
}

/* Matrix units draw power: a kernel that uses them runs at a lower clock, the lower the
 * busier they are. */
void ww_time(const ww_work *w, const ww_gpu *g, const ww_params *p, ww_timing *out) {
  double mhz = WW_FIGURE(g, boost_mhz);
  double tensor = w->lowered.flops_tensor;
  bool slower = tensor > 0 && g->tensor_mhz < mhz;
  if (slower)
    mhz = g->tensor_mhz;
  time_at(w, g, p, mhz, out);
  if (slower && g->peak_tensor_fp16 > 0) {
    double busy = fmin(1, tensor / (1e6 * out->us * g->peak_tensor_fp16));
    mhz *= 1 - WW_FIGURE(g, tensor_drop) * busy;
    time_at(w, g, p, mhz, out);
  }
  out->mhz = mhz;
}
