/* advice_reuse.c - findings about data that is fetched more often than it is needed.
 *
 * Two forms: a loop that loads or stores the same address each time round (a register
 * would do), and data that many threads of a block load each for itself (a tile in
 * shared memory would do). */
#include "advice_int.h"

/* ---- the same address each time round ---- */

static bool defined_in(const ww_fn *fn, ww_val v, uint32_t loop) {
  return v != WW_NOVAL && fn->vals[v].kind == WW_VAL_RESULT &&
         ww_ir_in_loop(fn, fn->vals[v].ref, loop);
}

static bool find_barrier(const ww_fn *fn, uint32_t loop) {
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    if (!ww_ir_in_loop(fn, b, loop))
      continue;
    for (uint32_t i = 0; i < fn->blocks[b].nins; i++) {
      uint8_t op = fn->blocks[b].ins[i].op;
      if (op == WW_OP_BAR || op == WW_OP_FENCE || op == WW_OP_GRIDSYNC ||
          op == WW_OP_CAS)
        return true;
    }
  }
  return false;
}

static double executions(const ww_advisor *x, uint32_t block) {
  return x->of[block] ? x->of[block]->warps : 0;
}

/* Times that warps enter the loop from outside: what dominates its header ran so often,
 * at most. */
static double entries(const ww_advisor *x, const ww_fn *fn, uint32_t loop) {
  uint32_t header = fn->loops[loop].header;
  uint32_t before = fn->blocks[header].idom;
  double n = executions(x, before);
  double latch =
      fn->loops[loop].latch == WW_NOBLOCK ? 0 : executions(x, fn->loops[loop].latch);
  double entered = latch > 0 ? executions(x, header) - latch : n;
  return entered > 0 && entered < n ? entered : n;
}

typedef struct {
  ww_part part;
  double loads, stores; /* requests that a register would save */
  double trips;         /* of the loops, by warps */
  ww_worst worst;
  const bool *barrier; /* per loop: threads may see each other's stores inside */
} accumulator;

/* Its address is the same each time round the loop, and nobody else sees what is stored
 * there. */
static bool stays_in(const ww_site *s, uint32_t loop, const accumulator *m) {
  return loop != WW_NOBLOCK && !defined_in(s->fn, s->ins->a, loop) && !m->barrier[loop];
}

static void accumulator_site(const ww_advisor *x, const ww_site *s, accumulator *out) {
  const ww_ins *i = s->ins;
  uint32_t loop = s->fn->blocks[s->block].loop;
  if ((i->op != WW_OP_LD && i->op != WW_OP_ST) || !ww_is_global(i) ||
      i->flags & WW_F_VOLATILE || !stays_in(s, loop, out))
    return;
  while (stays_in(s, s->fn->loops[loop].parent, out))
    loop = s->fn->loops[loop].parent;
  double saved = s->warps - entries(x, s->fn, loop);
  if (saved <= 0.5 * s->warps)
    return;
  ww_part_add(&out->part, s, saved / s->warps);
  *(i->op == WW_OP_LD ? &out->loads : &out->stores) += saved;
  out->trips = fmax(out->trips, s->warps);
  /* the store is the line to change */
  ww_worst_add(x, s, i->op == WW_OP_ST ? 2 * saved : saved, &out->worst);
}

static void memory_accumulators(ww_advisor *x) {
  bool *barrier = WW_NEWN(x->a, bool, x->fn->nloops + 1);
  for (uint32_t k = 0; k < x->fn->nloops; k++)
    barrier[k] = find_barrier(x->fn, k);
  accumulator m = {.barrier = barrier};
  const ww_counts *c = &x->t->c;
  for (const ww_site *s = x->sites; s < x->sites_end; s++)
    if (s->fn == x->fn)
      accumulator_site(x, s, &m);
  if (m.stores + m.loads <= 0 || !m.worst.at.line)
    return;
  ww_work w = *x->work;
  ww_traffic *f = &w.traffic;
  double ld = ww_ratio(m.loads, c->global_ld_requests);
  double st = ww_ratio(m.stores, c->global_st_requests);
  double all = f->l1_ld_sectors + f->l1_st_sectors;
  if (all > 0)
    f->l1_wavefronts *= 1 - (ld * f->l1_ld_sectors + st * f->l1_st_sectors) / all;
  f->l1_ld_hits -= fmin(ld * f->l1_ld_sectors, f->l1_ld_hits);
  f->l1_ld_sectors *= 1 - ld;
  f->l1_st_sectors *= 1 - st;
  f->l1_st_hits *= 1 - st;
  f->l2_lookups -= st * f->l2_writes;
  f->l2_hits -= fmin(st * f->l2_writes, f->l2_hits);
  f->l2_writes *= 1 - st;
  f->partial_writes *= 1 - st;
  w.chain.store_lines *= 1 - st;
  ww_part_remove(x, &m.part, &w);
  /* A store that may alias the loads keeps the loop from loading ahead: without it four
   * trips' loads fly together. */
  double trips = ww_per_thread(x, m.trips);
  double waits = fmin(w.chain.waits, trips);
  if (m.stores > 0) {
    w.chain.waits -= 0.75 * waits;
    w.chain.loads_per_wait *= 1 + 2 * (waits / (w.chain.waits + waits));
  }
  bool both = m.stores > 0 && m.loads > 0;
  ww_advice_add(
      x, WW_RULE_MEMORY_ACCUMULATOR, m.worst.at, &w,
      ww_fmt(x->a,
             "the same element is %s each time round the loop, %.3g times a thread",
             both           ? "loaded and stored"
             : m.stores > 0 ? "stored"
                            : "loaded",
             trips),
      m.stores > 0
          ? "keep the running value in a local variable and store it once, after the "
            "loop"
          : ww_fmt(x->a,
                   "load it once before the loop into a local variable; %s on the "
                   "pointers lets the compiler do so itself",
                   ww_word_of(x, WW_WORD_RESTRICT)));
}

/* ---- tiles ---- */

enum {
  SAVED = 8
}; /* a tile of 16 x 16 saves 15 of 16 loads on each side; half of that is what people
      reach */

enum { REUSED = 4 }; /* arithmetic instructions on a value that make a register tile */

/* Loads of the argument through regular addresses. */
typedef struct {
  ww_loc at; /* the line with most of them that go nowhere but to the thread */
  double bytes, private; /* lanes' bytes; of those, what no one shares as it is */
} loads;

/* Does the instruction keep what it loads where others find it, or where the thread
 * uses it again and again: in shared memory, in a tile of registers? */
static bool is_staged(const ww_advisor *x, const ww_footprint *f) {
  const ww_ins *i = f->ins;
  if (ww_is_bulk(i))
    return true;
  for (uint32_t k = 0; i->op == WW_OP_LD && f->fn == x->fn && k < i->nres; k++)
    if (x->flow[i->dst + k].shared || x->flow[i->dst + k].uses >= REUSED)
      return true;
  return false;
}

static double lanes_of(const ww_advisor *x, const ww_footprint *f) {
  for (const ww_site *s = x->sites; s < x->sites_end; s++)
    if (s->ins == f->ins && s->fn == f->fn)
      return s->lanes;
  return 0;
}

static loads loads_of(const ww_advisor *x, int32_t arg) {
  const ww_sampled *s = &x->p->trace.sampled;
  loads out = {0};
  double most = 0;
  for (uint32_t k = 0; k < s->nfootprints; k++) {
    const ww_footprint *f = &s->footprints[k];
    ww_loc at = x->m->locs[f->ins->loc];
    if (f->arg != arg || f->kind != WW_ACCESS_LOAD || !f->affine || !at.line ||
        f->ins->flags & WW_F_VOLATILE) /* it looks for what others write */
      continue;
    bool staged = is_staged(x, f);
    double bytes =
        lanes_of(x, f) * ww_type_bytes[f->ins->type] * (f->ins->n ? f->ins->n : 1);
    const ww_line_counts *l = ww_advice_line(x, at);
    out.bytes += bytes;
    out.private += staged ? 0 : bytes;
    if (!staged && l && l->ld_requests > most) {
      most = l->ld_requests;
      out.at = at;
    }
  }
  return out;
}

typedef struct {
  double requests, sectors, unique; /* of arguments that are loaded again and again */
  double again;                     /* how often, mean */
  const ww_arg_counts *worst;
  ww_loc at;    /* where it is loaded */
  double times; /* that each of its elements is */
} reuse;

static reuse find_reuse(const ww_advisor *x) {
  reuse r = {0};
  double bytes = 0;
  for (uint32_t k = 0; k < x->t->nargs; k++) {
    const ww_arg_counts *g = &x->t->args[k];
    double touched = ww_advice_touched(x, g);
    loads l = g->arg < 0 ? (loads){0} : loads_of(x, g->arg);
    double share = ww_ratio(l.private, l.bytes);
    double again = share * ww_ratio(g->ld_bytes, touched);
    if (again < SAVED || !l.at.line)
      continue;
    /* Sectors that coalescing would save are another finding's. */
    r.requests += share * g->ld_requests;
    r.sectors += share * fmin(g->ld_sectors, fmax(g->ld_requests, g->ld_bytes / 32));
    r.unique += touched / 32;
    bytes += share * g->ld_bytes;
    if (r.worst && g->ld_sectors <= r.worst->ld_sectors)
      continue;
    r.worst = g;
    r.at = l.at;
    r.times = again;
  }
  if (r.unique > 0)
    r.again = bytes / (32 * r.unique);
  return r;
}

/* The tile is read as often as memory was; where reuse is rich, four results a thread
 * need a quarter of the reads. */
static void tile(const ww_advisor *x, const reuse *r, ww_work *w) {
  const ww_counts *c = &x->t->c;
  ww_traffic *f = &w->traffic;
  double q = r->sectors / c->global_ld_sectors;
  double share = r->requests / c->global_ld_requests;
  double saved = 1 - 1.0 / SAVED;
  double all = f->l1_ld_sectors + f->l1_st_sectors;
  double misses = f->l1_ld_sectors - f->l1_ld_hits;
  double reads = r->again >= 4 * SAVED ? 0.25 * r->requests : r->requests;
  if (all > 0)
    f->l1_wavefronts *= 1 - q * saved * f->l1_ld_sectors / all;
  f->l1_ld_sectors *= 1 - q * saved;
  double kept = fmin(misses, fmax(misses * (1 - q * saved), r->unique));
  double left = misses > 0 ? kept / misses : 1;
  f->l1_ld_hits = fmax(0, f->l1_ld_sectors - kept);
  f->l2_lookups -= f->l2_reads * (1 - left);
  f->l2_reads *= left;
  f->l2_hits = fmin(f->l2_hits, f->l2_lookups);
  f->shared_cycles += reads;
  ww_part part = {0};
  part.inst[WW_PIPE_LSU] = part.inst[WW_PIPE_ALU] = r->requests - reads;
  part.inst[WW_PIPE_ALU] = fmin(part.inst[WW_PIPE_ALU], 0.5 * x->all.inst[WW_PIPE_ALU]);
  ww_part_remove(x, &part, w);
  double waits = share > 0.75 ? w->chain.waits * share * saved
                              : 0; /* else a wait is for the other loads all the same */
  w->chain.waits -= waits;
  w->chain.shared_waits += waits * reads / r->requests;
  w->chain.barriers += 2 * waits / 16;
}

enum { CONSTANT = 64 << 10 }; /* bytes of constant memory */

/* Each load of a warp is for one element, and all of them fit constant memory. */
static bool is_broadcast(const ww_advisor *x, const ww_arg_counts *g) {
  return g->ld_sectors <= 1.05 * g->ld_requests && g->ld_bytes > 48 * g->ld_requests &&
         ww_advice_touched(x, g) <= CONSTANT;
}

static const char *keep_near(const ww_advisor *x, const ww_arg_counts *g) {
  if (is_broadcast(x, g))
    return ww_fmt(x->a,
                  "a warp reads one element at a time: keep %s in %s, and let a thread "
                  "compute several results from what it has loaded",
                  g->name, ww_word_of(x, WW_WORD_UNIFORM));
  return ww_fmt(x->a,
                "load a tile into %s once for the whole %s and read it from there, and "
                "let a thread compute several results from what it has loaded",
                ww_word_of(x, WW_WORD_SHARED), ww_word_of(x, WW_WORD_BLOCK));
}

static void redundant_loads(ww_advisor *x) {
  reuse r = find_reuse(x);
  if (!r.worst || x->t->c.global_ld_sectors <= 0 || x->t->c.global_ld_requests <= 0)
    return;
  ww_work w = *x->work;
  tile(x, &r, &w);
  ww_advice_add(x, WW_RULE_REDUNDANT_LOAD, r.at, &w,
                ww_fmt(x->a,
                       "each element of %s is loaded %.0f times from global memory, "
                       "each thread for itself",
                       r.worst->name, r.times),
                keep_near(x, r.worst));
}

/* ---- operands from shared memory ---- */

static void shared_traffic(ww_advisor *x) {
  const ww_counts *c = &x->t->c;
  double arithmetic = x->work->lowered.inst[WW_PIPE_FMA] +
                      x->work->lowered.inst[WW_PIPE_FP64] +
                      x->work->lowered.inst[WW_PIPE_HALF];
  const ww_line_counts *worst = NULL;
  for (const ww_line_counts *l = x->lines; l < x->lines_end; l++)
    if (!worst || l->shared_requests > worst->shared_requests)
      worst = l;
  if (!worst || arithmetic <= 0 || c->shared_ld_requests < 0.7 * arithmetic ||
      worst->flops <= 0)
    return;
  if (worst->shared_passes > 1.3 * worst->shared_ideal_passes)
    return; /* its conflicts come first */
  ww_work w = *x->work;
  ww_part part = {0};
  part.inst[WW_PIPE_LSU] = 0.75 * c->shared_ld_requests;
  w.traffic.shared_cycles *=
      1 - 0.75 * c->shared_ld_passes / (c->shared_ld_passes + c->shared_st_passes);
  w.chain.shared_waits *= 0.25;
  ww_part_remove(x, &part, &w);
  ww_advice_add(x, WW_RULE_SHARED_TRAFFIC, (ww_loc){worst->file, worst->line, 0}, &w,
                ww_fmt(x->a,
                       "%.2g loads from shared memory for each arithmetic instruction: "
                       "its bandwidth is the "
                       "limit",
                       c->shared_ld_requests / arithmetic),
                "let a thread compute a small tile of results (4 x 4) from values it "
                "keeps in registers");
}

/* ---- L2 ---- */

#define AGAIN 1.25 /* fetched from DRAM beyond the first time */

static void l2_residency(ww_advisor *x) {
  ww_work w = *x->work;
  ww_traffic *f = &w.traffic;
  double l2 = x->g->l2_bytes;
  if (!(f->unique_read > 0) || f->dram_read < AGAIN * f->unique_read || !(l2 > 0) ||
      f->footprint < 0.5 * l2)
    return;
  const ww_arg_counts *worst = NULL;
  for (uint32_t k = 0; k < x->t->nargs; k++)
    if (x->t->args[k].arg >= 0 && loads_of(x, x->t->args[k].arg).at.line &&
        (!worst || x->t->args[k].ld_sectors > worst->ld_sectors))
      worst = &x->t->args[k];
  double share = f->unique_read / f->dram_read;
  double saved = (f->dram_read - f->unique_read) / 32;
  f->dram_read = f->unique_read;
  f->l2_hits = fmin(f->l2_hits + saved, f->l2_lookups);
  f->from_l2 += f->from_dram * (1 - share);
  f->from_dram *= share;
  w.chain.beyond_l2 *= share;
  ww_advice_add(
      x, WW_RULE_L2_RESIDENCY, worst ? loads_of(x, worst->arg).at : ww_advice_kernel(x),
      &w,
      ww_fmt(x->a,
             "%.4g MB come from DRAM where the launch reads %.4g MB: %s come back to "
             "data that has left L2 (%.3g MB) since",
             x->work->traffic.dram_read / 1e6, f->unique_read / 1e6,
             ww_word_of(x, WW_WORD_BLOCKS), l2 / 1e6),
      ww_fmt(x->a,
             "let %s that share data follow one another: swap the axes of the grid, "
             "number them in tiles, or go over the data in parts that fit L2",
             ww_word_of(x, WW_WORD_BLOCKS)));
}

void ww_advise_reuse(ww_advisor *x) {
  shared_traffic(x);
  memory_accumulators(x);
  redundant_loads(x);
  l2_residency(x);
}
