/* traffic.c - accesses of a launch -> what L1, L2 and DRAM see of them: the part up to
 * L1, and the sums.
 *
 * How often each memory instruction runs over the launch, the tally knows (executions
 * of its IR block); what one execution asks of L1 and what of it misses, the replay of
 * one SM's blocks knows. Their product, brought to the tally's own sum of sectors, is
 * what leaves the SMs, by allocation; traffic_l2.c takes it from there.
 *
 * Invariant: l1_ld_sectors and l1_st_sectors are the tally's, hits never exceed them.
 */
#include "traffic_int.h"

static ww_flow *flow_of(ww_flows *f, const ww_replay *r, int32_t region) {
  for (uint32_t k = 0; k < f->nflows; k++)
    if (region >= 0 && f->flows[k].region == r->regions.v[region].region)
      return &f->flows[k];
  return &f->flows[f->nflows]; /* local memory and what is nobody's */
}

/* Sums over the replayed instructions, each as often as the tally says. */
typedef struct {
  double ld_sectors, ld_hits, st_sectors, st_hits, local_ld, local_ld_hits, local_st,
      local_st_hits;
  double requests, slow; /* of loads */
  double cycles;
  double atomic_requests, atomic_lanes; /* global */
  double local_lines;                   /* of local stores */
} l1_sums;

static void
add_row(ww_flows *f, const ww_replay *r, const ww_replay_ins *row, l1_sums *s) {
  if (!(row->requests > 0))
    return;
  double n = ww_tally_runs(&f->sampled->tally, row->fn, row->block) / row->requests;
  ww_flow *w = flow_of(f, r, row->region);
  double sectors = n * row->sectors;
  double hits = n * row->hits;
  s->cycles += n * row->cycles;
  if (row->kind == WW_ACCESS_ATOMIC) {
    w->atomics += sectors;
    s->atomic_requests += n * row->requests;
    s->atomic_lanes += n * row->lanes;
    return;
  }
  bool local = row->space == WW_LOCAL;
  if (row->kind == WW_ACCESS_LOAD) {
    *(local ? &s->local_ld : &s->ld_sectors) += sectors;
    *(local ? &s->local_ld_hits : &s->ld_hits) += hits;
    s->requests += n * row->requests;
    s->slow += n * row->slow;
    w->loads += sectors - hits;
    w->seen_ld += sectors;
    w->slow += n * row->slow;
    w->lines += n * row->lines;
  } else {
    *(local ? &s->local_st : &s->st_sectors) += sectors;
    *(local ? &s->local_st_hits : &s->st_hits) += hits;
    if (local)
      s->local_lines += n * row->touched;
    w->stores += sectors;
    w->partial += n * row->partial;
    w->merged += n * row->merged;
  }
}

/* A replay that was cut off has not seen every instruction: the tally's sums are right.
 */
static void bring_to_tally(ww_flows *f, l1_sums *s, const ww_counts *c) {
  double ld = s->ld_sectors > 0 ? c->global_ld_sectors / s->ld_sectors : 1;
  double st = s->st_sectors > 0 ? c->global_st_sectors / s->st_sectors : 1;
  for (uint32_t k = 0; k < f->nflows; k++) {
    ww_flow *w = &f->flows[k];
    w->loads *= ld;
    w->slow *= ld;
    w->lines *= ld;
    w->stores *= st;
    w->partial *= st;
    w->merged *= st;
  }
  s->ld_sectors *= ld;
  s->ld_hits *= ld;
  s->st_sectors *= st;
  s->st_hits *= st;
}

/* What the replay did not reach of an allocation: nothing of it hits. */
static void add_unseen(ww_flows *f, l1_sums *s) {
  for (uint32_t k = 0; k < f->nflows; k++) {
    ww_flow *w = &f->flows[k];
    const ww_arg_counts *c = w->counts;
    if (w->seen_ld == 0 && c->ld_sectors > 0) {
      w->loads = w->lines = c->ld_sectors;
      w->slow = c->ld_requests;
      s->ld_sectors += w->loads;
      s->requests += w->slow;
      s->slow += w->slow;
    }
    if (w->stores == 0 && c->st_sectors > 0) {
      w->stores = c->st_sectors;
      s->st_sectors += w->stores;
    }
    if (w->atomics == 0)
      w->atomics = c->atomics;
  }
}

/* One flow for each allocation of the tally, and one for the rest behind them. */
static void make_flows(ww_flows *f, const ww_replay *r, ww_arena *a) {
  const ww_tally *t = &f->sampled->tally;
  f->flows = WW_NEWN(a, ww_flow, t->nargs + 1);
  for (uint32_t k = 0; k < t->nargs; k++) {
    const ww_arg_counts *c = &t->args[k];
    if (c->ld_sectors + c->st_sectors + c->atomics <= 0)
      continue;
    ww_flow *w = &f->flows[f->nflows++];
    *w = (ww_flow){.counts = c, .pair = 1};
    const ww_region *g;
    for (uint32_t i = 0; !w->region && (g = ww_memory_region(f->spec->memory, i)); i++)
      if (g->arg == c->arg && g->symbol == c->symbol &&
          !strcmp(c->name, g->name ? g->name : ""))
        w->region = g;
    if (w->region && w->region->space == WW_CONST) { /* the constant cache's */
      f->nflows--;
      continue;
    }
    for (uint32_t i = 0; i < r->regions.n; i++)
      if (r->regions.v[i].region == w->region && r->regions.v[i].sectors > 0) {
        const ww_replay_region *x = &r->regions.v[i];
        w->scattered = fmin(1, fmax(0, 2 * x->pairs / x->sectors - 1));
        w->later = x->later / x->sectors;
        w->other = x->other / x->sectors;
      }
  }
  f->flows[f->nflows] = (ww_flow){.pair = 1};
}

/* Of requests that miss L1, with `lines` lines each, those of which one waits for DRAM.
 * What L2 has lost is missed by each line for itself: 1 - (1 - p)^n of the requests.
 * What nobody has fetched yet is missed at the beginning, by many lines of a request at
 * a time: where lines are drawn at random, the last of n is found after 1 + 1/2 + .. +
 * 1/n times as long as the first. */
static double waits_for_dram(const ww_flow *w, double lines) {
  if (!(w->loads > 0))
    return 0;
  double cold = fmin(1, fmin(w->first, w->misses) / w->loads);
  double lost = fmin(1, w->misses / w->loads) - cold;
  double n = fmax(1, lines);
  double harmonic = fmax(1, log(n) + 0.577 + 0.5 / n);
  return fmin(1, cold * harmonic + 1 - pow(1 - fmax(0, lost), n));
}

/* Where the slowest sector of a load request comes from. */
static void origins(const ww_flows *f, const l1_sums *s, ww_traffic *out) {
  double dram = 0;
  double slow = ww_ratio(s->slow, s->requests);
  for (uint32_t k = 0; k < f->nflows; k++) {
    const ww_flow *w = &f->flows[k];
    dram += w->slow > 0 ? w->slow * waits_for_dram(w, w->lines / w->slow) : 0;
  }
  dram = ww_ratio(dram, s->requests);
  out->from_dram = fmin(dram, slow);
  out->from_l2 = slow - out->from_dram;
  out->from_l1 = 1 - slow;
}

static void ways_of(
    ww_flows *f, const ww_replay *r, const ww_traffic *t, ww_arena *a, ww_ways *out) {
  *out = (ww_ways){WW_NEWN(a, ww_way, r->ins.n + 1), 0, 1 - t->from_l1, t->from_dram};
  for (uint32_t k = 0; k < r->ins.n; k++) {
    const ww_replay_ins *row = &r->ins.v[k];
    if (row->kind != WW_ACCESS_LOAD || row->space != WW_GLOBAL || !(row->requests > 0))
      continue;
    ww_flow *w = flow_of(f, r, row->region);
    double slow = row->slow / row->requests;
    double deep = row->slow > 0 ? slow * waits_for_dram(w, row->lines / row->slow) : 0;
    out->v[out->n++] = (ww_way){row->ins, slow, deep};
  }
}

/* Operations on the most contended address: what the replay saw, as far as the launch
 * goes on to meet the same addresses. The most of many counts lies above their mean by
 * chance alone, about sqrt(2 ln n) deviations; only what is beyond that is contention.
 */
static double contention(const ww_flows *f, const ww_replay *r, const l1_sums *s) {
  if (!(r->atomics > 0))
    return 0;
  double unique = 0;
  double n = fmax(1, r->atomic_addresses);
  double mean = r->atomics / n;
  for (uint32_t k = 0; k < f->nflows; k++)
    if (f->flows[k].atomics > 0)
      unique += f->flows[k].unique;
  double most = mean + fmax(0, r->atomic_most - mean - sqrt(2 * mean * log(n)));
  /* sectors against addresses: at least the addresses seen */
  double spread = fmax(1, unique / n);
  return fmax(1, most * fmax(1, s->atomic_lanes / r->atomics) / spread);
}

static double pages(const ww_flows *f) {
  double n = 0;
  double page = WW_FIGURE(f->g, page_bytes);
  for (uint32_t k = 0; k < f->nflows; k++) {
    const ww_arg_counts *c = f->flows[k].counts;
    double extent = c->hi - c->lo;
    n += fmin(f->flows[k].unique, ceil(extent / page) + (extent > page / 2));
  }
  return n;
}

static void fill_l1(const l1_sums *s, const ww_counts *c, ww_traffic *out) {
  out->l1_ld_sectors = s->ld_sectors + s->local_ld;
  out->l1_ld_hits = s->ld_hits + s->local_ld_hits;
  out->l1_st_sectors = s->st_sectors + s->local_st;
  out->l1_st_hits = s->st_hits + s->local_st_hits;
  out->l1_wavefronts = s->cycles;
  out->local_lines = s->local_lines;
  /* lanes that meet take turns */
  double shared = fmax(0, c->atomic_requests - s->atomic_requests);
  out->const_words = fmax(0, c->const_words - c->const_requests);
  out->shared_cycles = c->shared_ld_passes + c->shared_st_passes;
  if (c->atomic_requests > 0)
    out->shared_cycles += shared * c->atomic_max_same / c->atomic_requests;
}

void ww_traffic_of(const ww_replay *r,
                   const ww_gpu_launch *l,
                   ww_arena *a,
                   ww_traffic *out,
                   ww_ways *ways) {
  const ww_counts *counts = &l->sampled->tally.c;
  *out = (ww_traffic){0};
  ww_flows f = {.spec = l->spec,
                .sampled = l->sampled,
                .g = l->g,
                .occ = l->occ,
                .warm = l->warm};
  double resident = (double)l->g->sms * (l->occ->blocks ? l->occ->blocks : 1);
  f.waves = fmax(1, ww_sampled_working(l->sampled) / resident);
  l1_sums s = {0};
  make_flows(&f, r, a);
  for (uint32_t k = 0; k < r->ins.n; k++)
    add_row(&f, r, &r->ins.v[k], &s);
  add_unseen(&f, &s);
  bring_to_tally(&f, &s, counts);
  fill_l1(&s, counts, out);
  ww_traffic_l2(&f, out);
  origins(&f, &s, out);
  out->atomics_same = contention(&f, r, &s);
  out->pages = pages(&f);
  ways_of(&f, r, out, a, ways);
}
