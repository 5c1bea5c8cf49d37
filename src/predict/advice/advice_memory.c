/* advice_memory.c - findings about single accesses: coalescing, banks, width, local
 * memory, atomics.
 *
 * Lines come from the trace's tally; each rule makes one finding, at its costliest
 * line, for all lines that share the cause. */
#include "../../trace/guess.h"
#include "advice_int.h"

#include <stdlib.h>

typedef struct {
  ww_loc at;
  double excess, of; /* sectors or passes beyond the need; all of the line */
} culprit;
typedef WW_VEC(culprit) culprits;

static int by_excess(const void *a, const void *b) {
  const culprit *p = a;
  const culprit *q = b;
  return p->excess < q->excess ? 1 : p->excess > q->excess ? -1 : 0;
}

static double sum_excess(culprits *c) {
  double sum = 0;
  if (c->n)
    qsort(c->v, c->n, sizeof *c->v, by_excess);
  for (uint32_t k = 0; k < c->n; k++)
    sum += c->v[k].excess;
  return sum;
}

/* The lines besides the worst that are about as bad, each once. */
static ww_also also_at(const culprits *c) {
  ww_also out = {0};
  for (uint32_t k = 1; k < c->n; k++) {
    ww_loc at = c->v[k].at;
    bool seen = at.line == 0 || !(c->v[k].excess > 0.2 * c->v[0].excess);
    for (uint32_t j = 0; j < k; j++)
      seen |= c->v[j].at.file == at.file && c->v[j].at.line == at.line;
    if (!seen && out.n < WW_COUNT(out.line))
      out.line[out.n++] = at.line;
    else
      out.more += !seen;
  }
  return out;
}

/* ww_advice_add at the worst of them. */
static void add(ww_advisor *x,
                ww_rule rule,
                const culprits *c,
                const ww_work *without,
                const char *cause,
                const char *remedy) {
  uint32_t before = x->items.n;
  ww_advice_add(x, rule, c->v[0].at, without, cause, remedy);
  if (x->items.n > before)
    x->items.v[before].also = also_at(c);
}

/* ---- coalescing ---- */

/* Lines that touch at least half as many sectors again as their bytes fill. */
static culprits scattered(const ww_advisor *x, bool store) {
  culprits out = {0};
  for (const ww_line_counts *l = x->lines; l < x->lines_end; l++) {
    double requests = store ? l->st_requests : l->ld_requests;
    double sectors = store ? l->st_sectors : l->ld_sectors;
    double need = fmax((store ? l->st_bytes : l->ld_bytes) / 32, requests);
    if (sectors > 1.5 * need)
      ww_push(x->a, &out, (culprit){{l->file, l->line, 0}, sectors - need, sectors});
  }
  return out;
}

static const char *scattered_cause(const ww_advisor *x, const culprits *c, bool store) {
  const ww_line_counts *l = ww_advice_line(x, c->v[0].at);
  double requests = store ? l->st_requests : l->ld_requests;
  double sectors = c->v[0].of / requests;
  double need = (c->v[0].of - c->v[0].excess) / requests;
  return ww_fmt(
      x->a,
      "a warp's %s touches %.3g sectors of 32 bytes where %.2g would hold its data",
      store ? "store" : "load", sectors, need);
}

/* L1 cycles once the scattered loads (or stores) take no more sectors than they need:
 * four sectors a cycle, one request at least. The other side keeps its part of what the
 * model says now. */
static double tidy_cycles(const ww_advisor *x, bool store, double now) {
  double side = 0;
  double other = 0;
  double tidy = 0;
  for (const ww_line_counts *l = x->lines; l < x->lines_end; l++) {
    double ld = fmax(l->ld_requests, l->ld_sectors / 4);
    double st = fmax(l->st_requests, l->st_sectors / 4);
    side += store ? st : ld;
    other += store ? ld : st;
    tidy += store ? fmin(st, fmax(l->st_requests, l->st_bytes / 128))
                  : fmin(ld, fmax(l->ld_requests, l->ld_bytes / 128));
  }
  if (side + other <= 0)
    return now;
  return now * other / (side + other) + fmin(tidy, now * side / (side + other));
}

/* Parameters (bit p, p < 64) whose numbers are where rows begin. */
static uint64_t row_pointers(const ww_advisor *x) {
  ww_role *roles = WW_NEWN(x->a, ww_role, x->fn->nparams + 1);
  uint64_t rows = 0;
  ww_roles_find(x->fn, x->a, roles);
  for (uint32_t p = 0; p < x->fn->nparams && p < 64; p++)
    rows |= (uint64_t)(roles[p].rows || roles[p].bound) << p;
  return rows;
}

/* Numbers that the kernel loads are part of the addresses of this line: no order of its
 * own indices helps. Where a row begins is none of them: its elements are neighbours.
 */
typedef enum { LOADS, STORES, SHARED } accesses;

static bool is_access(const ww_ins *i, accesses kind) {
  if (kind == LOADS)
    return ww_loads_global(i);
  return kind == STORES
             ? i->op == WW_OP_ST && ww_is_global(i)
             : i->space == WW_SHARED &&
                   (i->op == WW_OP_LD || i->op == WW_OP_ST || i->op == WW_OP_ATOM);
}

static bool data_decides(const ww_advisor *x, ww_loc at, accesses kind) {
  ww_origins from = ww_origins_find(x->fn, x->a);
  uint64_t rows = row_pointers(x);
  bool found = false;
  for (const ww_site *s = x->sites; s < x->sites_end; s++) {
    ww_loc here = ww_site_loc(x, s);
    if (!is_access(s->ins, kind) || s->fn != x->fn || here.file != at.file ||
        here.line != at.line)
      continue;
    uint64_t by = from.holds[s->ins->a];
    if (by && !(by & ~rows))
      return false;
    found |= by != 0;
  }
  return found;
}

static void uncoalesced_loads(ww_advisor *x) {
  culprits c = scattered(x, false);
  double excess = sum_excess(&c);
  if (!c.n)
    return;
  ww_work w = *x->work;
  ww_traffic *f = &w.traffic;
  double misses = f->l1_ld_sectors - f->l1_ld_hits;
  f->l1_ld_sectors -= fmin(excess, f->l1_ld_sectors);
  f->l1_wavefronts = tidy_cycles(x, false, f->l1_wavefronts);
  /* What L1 already catches costs L2 nothing; what is left can be no more than the data
   * itself. */
  double kept = fmin(misses, f->l1_ld_sectors);
  double share = misses > 0 ? kept / misses : 1;
  f->l1_ld_hits = f->l1_ld_sectors - kept;
  f->l2_lookups -= f->l2_reads * (1 - share);
  f->l2_reads *= share;
  f->l2_hits = fmin(f->l2_hits, f->l2_lookups);
  f->dram_read = fmin(f->dram_read, 32 * kept);
  w.chain.lines_per_load = fmin(w.chain.lines_per_load, 1);
  w.chain.lone = 0;
  const char *index = ww_word_of(x, WW_WORD_INDEX);
  const char *shared = ww_word_of(x, WW_WORD_SHARED);
  add(x, WW_RULE_UNCOALESCED_LOAD, &c, &w, scattered_cause(x, &c, false),
      data_decides(x, c.v[0].at, LOADS)
          ? ww_fmt(x->a,
                   "data decides these addresses: sort or group it so that consecutive "
                   "%s read near one another, or keep what is read often in %s",
                   index, shared)
          : ww_fmt(x->a,
                   "let consecutive %s read consecutive elements (swap the index "
                   "order, let a warp go along a row together, turn an array of "
                   "structures into a structure of arrays), or bring the data through "
                   "%s",
                   index, shared));
}

static void uncoalesced_stores(ww_advisor *x) {
  culprits c = scattered(x, true);
  double excess = sum_excess(&c);
  if (!c.n)
    return;
  ww_work w = *x->work;
  ww_traffic *f = &w.traffic;
  double share = f->l1_st_sectors > 0 ? 1 - fmin(excess / f->l1_st_sectors, 1) : 1;
  f->l1_wavefronts = tidy_cycles(x, true, f->l1_wavefronts);
  f->l1_st_sectors *= share;
  f->l1_st_hits *= share;
  f->partial_writes *= share < 0.5 ? 0 : 1 - 2 * (1 - share);
  f->l2_lookups -= f->l2_writes * (1 - share);
  f->l2_hits -= f->l2_writes * (1 - share);
  f->l2_writes *= share;
  f->dram_write = fmin(f->dram_write, 32 * f->l1_st_sectors);
  w.chain.store_lines *= share;
  const char *index = ww_word_of(x, WW_WORD_INDEX);
  const char *shared = ww_word_of(x, WW_WORD_SHARED);
  add(x, WW_RULE_UNCOALESCED_STORE, &c, &w, scattered_cause(x, &c, true),
      data_decides(x, c.v[0].at, STORES)
          ? ww_fmt(x->a,
                   "data decides these addresses: sort or group it, in %s where a "
                   "block's part fits there, so that consecutive %s write near one "
                   "another",
                   shared, index)
          : ww_fmt(x->a,
                   "let consecutive %s write consecutive elements; where the output is "
                   "transposed, turn a tile around in %s first",
                   index, shared));
}

/* ---- shared memory ---- */

#define BY_CHANCE 3.5 /* passes of 32 words at addresses that data decides, at best */

static void bank_conflicts(ww_advisor *x) {
  culprits c = {0};
  double passes = 0;
  for (const ww_line_counts *l = x->lines; l < x->lines_end; l++) {
    ww_loc at = {l->file, l->line, 0};
    double need = l->shared_ideal_passes;
    passes += l->shared_passes;
    if (l->shared_passes > 1.3 * need && data_decides(x, at, SHARED))
      need *= BY_CHANCE;
    if (l->shared_passes > 1.3 * need)
      ww_push(x->a, &c, (culprit){at, l->shared_passes - need, l->shared_passes});
  }
  double excess = sum_excess(&c);
  if (!c.n)
    return;
  ww_work w = *x->work;
  w.traffic.shared_cycles *= 1 - excess / passes;
  const ww_line_counts *worst = ww_advice_line(x, c.v[0].at);
  double ways = worst->shared_passes / worst->shared_ideal_passes;
  bool data = data_decides(x, c.v[0].at, SHARED);
  add(x, WW_RULE_BANK_CONFLICT, &c, &w,
      ww_fmt(x->a,
             "threads of a warp meet in the same bank: shared memory takes %.3g passes "
             "where %s would do",
             ways, data ? "three or four" : "one"),
      data
          ? "data decides these addresses: pad what is a power of two (i + i / 32), or "
            "keep several copies, so that they spread over the banks"
          : "pad the row by one element (tile[N][N + 1]) or change which thread takes "
            "which word, so that 32 neighbouring threads use 32 different banks");
}

/* ---- width ---- */

/* Requests of the line that take 4 bytes or less a lane, side by side. */
static bool narrow(const ww_line_counts *l) {
  double requests = l->ld_requests + l->st_requests;
  double sectors = l->ld_sectors + l->st_sectors;
  double bytes = l->ld_bytes + l->st_bytes;
  return requests > 0 && bytes <= 4.01 * 32 * requests && bytes >= 16 * requests &&
         32 * sectors <= 1.3 * bytes + 0.1 * requests;
}

/* Each element is moved about once: only then can a thread take four neighbours instead
 * of one. */
static bool moved_once(const ww_advisor *x) {
  const ww_tally *t = x->t;
  double moved = 0;
  double unique = 0;
  for (uint32_t k = 0; k < t->nargs; k++) {
    moved += t->args[k].ld_bytes + t->args[k].st_bytes;
    unique += ww_advice_touched(x, &t->args[k]);
  }
  return moved < 2.2 * unique;
}

static culprits narrow_lines(const ww_advisor *x, double *bytes, double *others) {
  culprits c = {0};
  *bytes = *others = 0;
  for (const ww_line_counts *l = x->lines; l < x->lines_end; l++) {
    double n = l->ld_requests + l->st_requests;
    if (narrow(l)) {
      ww_push(x->a, &c, (culprit){{l->file, l->line, 0}, n, n});
      *bytes += l->ld_bytes + l->st_bytes;
    } else
      *others += n;
  }
  return c;
}

/* Each thread goes through something by itself: what its neighbours have beside it is
 * not what its own next turns take. */
static bool goes_alone(const ww_advisor *x) {
  ww_size_use *use = WW_NEWN(x->a, ww_size_use, x->fn->nparams + 1);
  ww_sizes_find(x->fn, x->a, use);
  for (uint32_t p = 0; p < x->fn->nparams; p++)
    if (use[p].loop && !use[p].ends)
      return true;
  return false;
}

/* Four elements a thread: a quarter of the requests and of their addresses, and of the
 * blocks or, where threads go round over neighbouring elements, of the turns. */
static void widen(const ww_advisor *x, double requests, double bytes, ww_work *w) {
  ww_part part = {0};
  part.inst[WW_PIPE_LSU] = 0.75 * requests;
  part.inst[WW_PIPE_ALU] = fmin(0.75 * 2 * requests, 0.5 * x->all.inst[WW_PIPE_ALU]);
  part.inst[WW_PIPE_CTL] = fmin(0.75 * requests, 0.5 * x->all.inst[WW_PIPE_CTL]);
  ww_part_remove(x, &part, w);
  double waves = w->traffic.l1_wavefronts / 4;
  w->traffic.l1_wavefronts = fmin(w->traffic.l1_wavefronts, fmax(waves, bytes / 128));
  if (x->fn->nloops && !goes_alone(x))
    w->chain.waits /= 4;
  else if (w->blocks >= 4) {
    w->blocks /= 4;
    w->chain.warp_inst *= 4; /* a warp does four times as much, the launch the same */
  }
}

static void narrow_accesses(ww_advisor *x) {
  double bytes;
  double others;
  culprits c = narrow_lines(x, &bytes, &others);
  double requests = sum_excess(&c);
  if (!c.n || others > 0.25 * requests || !moved_once(x) ||
      x->t->c.shared_ld_requests + x->t->c.atomic_requests > 0.25 * requests)
    return;
  double lane = bytes / requests / x->g->lanes; /* bytes of a lane */
  ww_work w = *x->work;
  widen(x, requests, bytes, &w);
  const char *vector = ww_word_of(x, lane < 1.5   ? WW_WORD_WIDE1
                                     : lane < 2.5 ? WW_WORD_WIDE2
                                                  : WW_WORD_WIDE4);
  add(x, WW_RULE_NARROW_ACCESS, &c, &w,
      ww_fmt(x->a,
             "each thread moves %.2g byte%s at a time: the number of requests and "
             "blocks is the "
             "limit, not their bytes",
             lane, lane > 1.01 ? "s" : ""),
      ww_fmt(x->a, "let a thread take four neighbouring elements with one %s access",
             vector));
}

/* ---- local memory ---- */

static void local_memory(ww_advisor *x) {
  const ww_counts *c = &x->t->c;
  if (c->local_requests <= 0)
    return;
  ww_part part = {0};
  ww_worst worst = {0};
  for (const ww_site *s = x->sites; s < x->sites_end; s++) {
    if (!ww_is_local(s->ins))
      continue;
    ww_part_add(&part, s, 1);
    ww_worst_add(x, s, s->warps, &worst);
  }
  ww_work w = *x->work;
  ww_traffic *f = &w.traffic;
  double ld = fmax(f->l1_ld_sectors - c->global_ld_sectors, 0);
  double st = fmax(f->l1_st_sectors - c->global_st_sectors, 0);
  double all = f->l1_ld_sectors + f->l1_st_sectors;
  ww_part_remove(x, &part, &w);
  if (all > 0)
    f->l1_wavefronts *= 1 - (ld + st) / all;
  double written = ww_ratio(st, f->l1_st_sectors);
  f->l2_lookups -= f->l2_writes * written;
  f->l2_hits -= f->l2_writes * written;
  f->l2_writes *= 1 - written;
  f->dram_write *= 1 - written;
  f->local_lines = 0;
  /* the loops that index it are unrolled then, their branches become selects */
  w.splits = 0;
  f->l1_ld_sectors -= ld;
  f->l1_st_sectors -= st;
  f->l1_ld_hits = fmax(f->l1_ld_hits - ld, 0);
  ww_advice_add(
      x, WW_RULE_LOCAL_MEMORY, worst.at, &w,
      ww_fmt(x->a,
             "an array of the thread (%u bytes) is indexed by values known only at run "
             "time, so it lies in memory: %.3g accesses a thread",
             x->fn->local_bytes, ww_per_thread(x, c->local_requests)),
      ww_fmt(x->a,
             "unroll the loops that index it (%s, constant bounds) so that it "
             "becomes registers, or keep it in %s",
             ww_word_of(x, WW_WORD_UNROLL), ww_word_of(x, WW_WORD_SHARED)));
}

/* ---- atomics ---- */

/* Of the updates that reach memory, those left when they are combined first: once a
 * block and address where the addresses fit shared memory, else once a warp. A
 * grid-stride loop needs no more blocks than are resident. */
static double atomics_left(const ww_advisor *x) {
  const ww_counts *c = &x->t->c;
  const ww_work *w = x->work;
  double bytes = 0;
  double blocks = fmin(w->blocks, x->g->sms * fmax(1, w->occupancy.blocks));
  for (uint32_t k = 0; k < x->t->nargs; k++)
    if (x->t->args[k].atomics > 0)
      bytes += ww_advice_touched(x, &x->t->args[k]);
  if (bytes > 48 << 10)
    return c->atomic_max_same > 0 ? c->atomic_requests / c->atomic_max_same : 1;
  return w->traffic.atomics_same > blocks ? blocks / w->traffic.atomics_same : 1;
}

/* Most of them are how threads wait for one another: a barrier of the grid, a lock.
 * Each has to arrive by itself. */
static bool atomics_are_signals(const ww_advisor *x) {
  ww_role *roles = WW_NEWN(x->a, ww_role, x->fn->nparams + 1);
  double all = 0;
  double signals = 0;
  ww_roles_find(x->fn, x->a, roles);
  for (uint32_t k = 0; k < x->t->nargs; k++) {
    const ww_arg_counts *g = &x->t->args[k];
    all += g->atomics;
    if (g->arg >= 0 && (uint32_t)g->arg < x->fn->nparams && roles[g->arg].flag)
      signals += g->atomics;
  }
  return signals > 0.5 * all;
}

static void atomics(ww_advisor *x) {
  const ww_counts *c = &x->t->c;
  ww_work w = *x->work;
  if (c->atomic_requests <= 0 || w.traffic.l2_atomics <= 0 || atomics_are_signals(x))
    return; /* there are none, or they stay in shared memory */
  culprits lines = {0};
  for (const ww_line_counts *l = x->lines; l < x->lines_end; l++)
    if (l->atomics > 0)
      ww_push(x->a, &lines, (culprit){{l->file, l->line, 0}, l->atomics, l->atomics});
  if (!lines.n)
    return;
  sum_excess(&lines);
  double left = atomics_left(x);
  w.traffic.l2_lookups -= (1 - left) * w.traffic.l2_atomics;
  w.traffic.l2_hits = fmin(w.traffic.l2_hits, w.traffic.l2_lookups);
  w.traffic.l2_atomics *= left;
  w.traffic.atomics_same *= left;
  w.traffic.shared_cycles += 2 * c->atomic_requests;
  w.chain.atomic_cycles *= left;
  w.chain.atomic_waits = fmin(w.chain.atomic_waits, 1);
  double meet = c->atomic_max_same / c->atomic_requests;
  ww_advice_add(
      x, WW_RULE_ATOMIC_CONTENTION, lines.v[0].at, &w,
      meet > 1.5
          ? ww_fmt(x->a,
                   "%.3g atomic updates, %.2g lanes of a warp at the same "
                   "address: they are carried out one after the other",
                   c->atomic_lanes, meet)
          : ww_fmt(x->a,
                   "%.3g atomic updates, many of them to the same addresses: they "
                   "are carried out one after the other",
                   c->atomic_lanes),
      ww_fmt(x->a,
             "combine first: add up within the thread, then %s, and let one thread of "
             "each %s do the atomic; %s need fewer still",
             ww_word_of(x, WW_WORD_COMBINE), ww_word_of(x, WW_WORD_BLOCK),
             ww_word_of(x, WW_WORD_FEWER)));
}

void ww_advise_access(ww_advisor *x) {
  uncoalesced_loads(x);
  uncoalesced_stores(x);
  bank_conflicts(x);
  narrow_accesses(x);
  local_memory(x);
  atomics(x);
}
