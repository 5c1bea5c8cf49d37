/* advice.c - costs per source line, and the machinery of findings: sites, parts of
 * work, gains.
 *
 * Invariant: a finding is only kept when the time model, run on the work without its
 * cause, is at least 3 % faster. */
#include "advice_int.h"

#include <stdlib.h>

#define LEAST_GAIN 1.03

const ww_rule_info ww_rules[WW_NRULES] = {
#define RULE(name, id, title) {id, title},
#include "advice.def"
};

const char *const ww_words[WW_NWORDS][WW_NDIALECTS] = {
#define WORD(name, cuda, opencl, hip, openmp) \
  [WW_WORD_##name] = {                        \
      [WW_CUDA] = cuda, [WW_OPENCL] = opencl, [WW_HIP] = hip, [WW_OPENMP] = openmp},
#include "words.def"
};

/* ---- sites and parts ---- */

static void index_blocks(ww_advisor *x) {
  const ww_tally *t = x->t;
  x->lines = t->lines;
  x->lines_end = t->nlines ? t->lines + t->nlines : t->lines;
  x->of = WW_NEWN(x->a, const ww_block_counts *, x->fn->nblocks + 1);
  for (uint32_t k = 0; k < t->nblocks; k++)
    if (t->blocks[k].fn == x->fn)
      x->of[t->blocks[k].block] = &t->blocks[k];
}

static void collect_sites(ww_advisor *x) {
  const ww_tally *t = x->t;
  uint32_t n = 0;
  for (uint32_t k = 0; k < t->nblocks; k++)
    n += t->blocks[k].fn->blocks[t->blocks[k].block].nins;
  x->sites = x->sites_end = WW_NEWN(x->a, ww_site, n + 1);
  const ww_fn *fn = NULL;
  const ww_fn_code *code = NULL;
  for (uint32_t k = 0; k < t->nblocks; k++) {
    const ww_block_counts *b = &t->blocks[k];
    const ww_block *block = &b->fn->blocks[b->block];
    if (b->fn != fn)
      code = ww_fn_code_of(x->p->code, fn = b->fn);
    for (uint32_t i = 0; i < block->nins; i++) {
      ww_site *s = x->sites_end++;
      *s = (ww_site){
          b->fn,    b->block, i, &block->ins[i], code->cost[code->first[b->block] + i],
          b->warps, b->lanes};
      ww_part_add(&x->all, s, 1);
    }
  }
}

double ww_site_inst(const ww_site *s) {
  double n = 0;
  for (int p = 0; p < WW_NPIPES; p++)
    n += s->cost.inst[p];
  return n;
}

void ww_worst_add(const ww_advisor *x, const ww_site *s, double n, ww_worst *w) {
  ww_loc at = ww_site_loc(x, s);
  if (n > w->most && at.line)
    *w = (ww_worst){at, n};
}

void ww_part_add(ww_part *to, const ww_site *s, double share) {
  for (int p = 0; p < WW_NPIPES; p++)
    to->inst[p] += share * s->warps * s->cost.inst[p];
  to->latency += share * s->warps * s->cost.latency;
}

void ww_work_scale_pipes(ww_work *w, uint32_t pipes, double f) {
  double before = w->lowered.total;
  double taken = 0;
  for (int p = 0; p < WW_NPIPES; p++) {
    if (!(pipes >> p & 1))
      continue;
    taken += w->lowered.inst[p] * (1 - f);
    w->lowered.inst[p] *= f;
    w->lowered.cycles[p] *= f;
  }
  double rest = before > 0 ? (before - taken) / before : 1;
  w->lowered.total *= rest;
  w->lowered.thread_inst *= rest;
  w->chain.warp_inst *= rest;
}

void ww_part_remove(const ww_advisor *x, const ww_part *part, ww_work *w) {
  for (int p = 0; p < WW_NPIPES; p++) {
    if (x->all.inst[p] <= 0 || part->inst[p] == 0)
      continue;
    ww_work_scale_pipes(w, 1u << p, fmax(1 - part->inst[p] / x->all.inst[p], 0));
  }
  if (x->all.latency > 0)
    w->chain.alu *= fmax(1 - part->latency / x->all.latency, 0.02);
}

/* ---- findings ---- */

static const char *file_of(const ww_advisor *x, ww_loc at) {
  return at.line ? x->m->files[at.file] : NULL;
}

void ww_advice_add(ww_advisor *x,
                   ww_rule rule,
                   ww_loc at,
                   const ww_work *without,
                   const char *cause,
                   const char *remedy) {
  ww_timing t;
  ww_time(without, x->g, x->params, &t);
  /* Model against model: the corrected time keeps the ratio. But what the correction
   * has taken away already cannot be gained once more. */
  double now = fmin(x->p->machine_us, x->p->timing.us);
  double gain = ww_ratio(now, t.us);
  if (!(gain >= LEAST_GAIN) || !isfinite(gain))
    return;
  ww_push(x->a, &x->items,
          (ww_advice_item){rule,
                           file_of(x, at),
                           at.line,
                           cause,
                           remedy,
                           gain,
                           x->p->timing.us / gain,
                           {0},
                           {{0}, 0, 0}});
}

const ww_line_counts *ww_advice_line(const ww_advisor *x, ww_loc at) {
  const ww_line_counts *lo = x->lines;
  const ww_line_counts *hi = x->lines_end;
  while (lo < hi) {
    const ww_line_counts *l = lo + (hi - lo) / 2;
    if (l->file == at.file && l->line == at.line)
      return l;
    if (l->file < at.file || (l->file == at.file && l->line < at.line))
      lo = l + 1;
    else
      hi = l;
  }
  return NULL;
}

/* Bytes from the first to the last that the argument's footprints reach in any working
 * block; 0: one of them does not move evenly. */
static double hull(const ww_advisor *x, int32_t arg) {
  const ww_sampled *s = &x->p->trace.sampled;
  double lo = INFINITY;
  double hi = -INFINITY;
  for (uint32_t k = 0; k < s->nfootprints; k++) {
    const ww_footprint *f = &s->footprints[k];
    double from = f->at;
    double to = f->at + f->bytes;
    if (f->arg != arg)
      continue;
    if (!f->affine)
      return 0;
    for (int d = 0; d < 3; d++) {
      double reach = f->stride[d] * (s->box[d] - 1.0);
      *(reach < 0 ? &from : &to) += reach;
    }
    lo = fmin(lo, from);
    hi = fmax(hi, to);
  }
  return fmax(hi - lo, 0);
}

double ww_advice_touched(const ww_advisor *x, const ww_arg_counts *g) {
  double range = fmax(g->hi - g->lo, g->arg < 0 ? 0 : hull(x, g->arg));
  double unique = 32 * g->unique_sectors;
  return range > 0 ? fmin(range, unique) : unique;
}

ww_loc ww_advice_kernel(const ww_advisor *x) {
  for (uint32_t k = 0; x->fn->file && k < x->m->nfiles; k++)
    if (x->m->files[k] && !strcmp(x->m->files[k], x->fn->file))
      return (ww_loc){k, x->fn->line, 0};
  return (ww_loc){0};
}

static int by_gain(const void *a, const void *b) {
  const ww_advice_item *p = a;
  const ww_advice_item *q = b;
  if (p->gain != q->gain)
    return p->gain < q->gain ? 1 : -1;
  return p->rule - q->rule;
}

/* ---- lines ---- */

/* What a line takes of each resource that the time model knows; L1's sectors are L2's
 * and DRAM's too. */
typedef struct {
  double of[WW_NTERMS];
} shares;

static double known(double v, double otherwise) {
  return isnan(v) ? otherwise : v;
}

/* Cycles of a global load, by where this kernel's loads are served. */
static double load_latency(const ww_advisor *x) {
  const ww_traffic *f = &x->work->traffic;
  double l1 = known(x->g->l1_latency, 40);
  double l2 = known(x->g->l2_latency, 250);
  double dram = known(x->g->dram_latency, 600);
  return f->from_l1 * l1 + f->from_l2 * l2 + f->from_dram * dram;
}

static void site_shares(const ww_advisor *x, ww_report_line *lines, shares *by_line) {
  double load = load_latency(x);
  for (const ww_site *s = x->sites; s < x->sites_end; s++) {
    const ww_line_counts *l = ww_advice_line(x, ww_site_loc(x, s));
    if (!l)
      continue;
    const ww_ins *i = s->ins;
    double n = ww_site_inst(s);
    double *of = by_line[l - x->lines].of;
    ww_report_line *line = &lines[l - x->lines];
    line->instructions += n * s->warps;
    of[WW_TERM_ISSUE] += n * s->warps;
    of[WW_TERM_PIPE] += s->cost.inst[x->p->timing.busiest] * s->warps;
    bool memory = i->op == WW_OP_LD && ww_is_global(i);
    of[WW_TERM_LATENCY] += s->warps * (s->cost.latency + (memory ? load : 0));
    if (ww_is_local(i)) { /* the tally has global ones only */
      double sectors = s->lanes * ww_type_bytes[i->type] * i->n / 32;
      of[WW_TERM_L1] += sectors;
      line->bytes += 32 * sectors;
    }
    if (i->space == WW_CONST && i->op == WW_OP_LD)
      of[WW_TERM_CONST] += s->warps;
    if (i->op == WW_OP_BAR || i->op == WW_OP_GRIDSYNC)
      of[WW_TERM_BARRIER] += s->warps;
  }
}

static int by_share(const void *a, const void *b) {
  const ww_report_line *p = a;
  const ww_report_line *q = b;
  return p->share < q->share   ? 1
         : p->share > q->share ? -1
                               : (int)p->line - (int)q->line;
}

/* The line of this place among those of the tally, or one that has only calls. */
static ww_report_line *line_at(const ww_advisor *x, ww_loc at, ww_advice *out) {
  const ww_line_counts *l = ww_advice_line(x, at);
  if (l)
    return &out->lines[l - x->lines];
  const char *file = file_of(x, at);
  for (uint32_t k = x->t->nlines; k < out->nlines; k++)
    if (out->lines[k].line == at.line && out->lines[k].file == file)
      return &out->lines[k];
  out->lines[out->nlines] = (ww_report_line){.file = file, .line = at.line};
  return &out->lines[out->nlines++];
}

/* What a line costs counts at the calls that led to it too, by its instructions there.
 */
static void cost_calls(const ww_advisor *x, ww_advice *out) {
  for (uint32_t k = 0; k < x->t->ncalls; k++) {
    const ww_call_counts *c = &x->t->calls[k];
    const ww_line_counts *of = ww_advice_line(x, (ww_loc){c->file, c->line, 0});
    if (!of)
      continue;
    double part = ww_ratio(c->warp_instructions, of->warp_instructions);
    line_at(x, (ww_loc){c->from_file, c->from_line, 0}, out)->inlined +=
        part * out->lines[of - x->lines].share;
  }
}

static void cost_lines(const ww_advisor *x, ww_advice *out) {
  const ww_tally *t = x->t;
  shares *each = WW_NEWN(x->a, shares, t->nlines + 1);
  out->lines = WW_NEWN(x->a, ww_report_line, t->nlines + t->ncalls + 1);
  out->nlines = t->nlines;
  for (uint32_t k = 0; k < t->nlines; k++) {
    const ww_line_counts *l = &t->lines[k];
    double sectors = l->ld_sectors + l->st_sectors;
    double requests = l->ld_requests + l->st_requests;
    out->lines[k] = (ww_report_line){
        .file = file_of(x, (ww_loc){l->file, l->line, 0}),
        .line = l->line,
        .bytes = 32 * sectors,
        .sectors_per_request = ww_ratio(sectors, requests),
        .shared_conflict_ways = ww_ratio(l->shared_passes, l->shared_requests)};
    each[k] = (shares){{[WW_TERM_SHARED] = l->shared_passes,
                        [WW_TERM_L1] = sectors,
                        [WW_TERM_ATOMIC] = l->atomics}};
  }
  site_shares(x, out->lines, each);
  out->rest = 1;
  for (int term = 0; term < WW_NTERMS; term++) {
    double sum = 0;
    double part = x->p->timing.stall[term];
    int of = term == WW_TERM_L2 || term == WW_TERM_DRAM ? WW_TERM_L1 : term;
    for (uint32_t k = 0; k < t->nlines; k++)
      sum += each[k].of[of];
    if (!(sum > 0) || !(part > 0))
      continue;
    for (uint32_t k = 0; k < t->nlines; k++)
      out->lines[k].share += part * each[k].of[of] / sum;
    out->rest -= part;
  }
  out->rest = fmax(out->rest, 0);
  cost_calls(x, out);
  qsort(out->lines, out->nlines, sizeof *out->lines, by_share);
}

/* ---- all ---- */

void ww_advice_report(const ww_advice *d, ww_arena *a, ww_report *r) {
  r->explained = true;
  r->lines = d->lines;
  r->nlines = d->nlines;
  r->findings = WW_NEWN(a, ww_finding, d->nitems + 1);
  r->nfindings = d->nitems;
  for (uint32_t k = 0; k < d->nitems; k++) {
    const ww_advice_item *i = &d->items[k];
    r->findings[k] = (ww_finding){.line = i->line,
                                  .file = i->file,
                                  .rule = ww_rules[i->rule].id,
                                  .cause = i->cause,
                                  .remedy = i->remedy,
                                  .also = i->also,
                                  .gain = i->gain,
                                  .bounds = {i->bounds[0], i->bounds[1]}};
    ww_finding_word(&r->findings[k], a);
  }
}

void ww_advise(const ww_module *m,
               const ww_fn *fn,
               const ww_gpu *g,
               const ww_params *params,
               ww_prediction *p,
               ww_arena *a,
               ww_advice *out) {
  ww_advisor x = {.m = m,
                  .fn = fn,
                  .g = g,
                  .params = params,
                  .p = p,
                  .work = &p->work,
                  .t = &p->trace.sampled.tally,
                  .a = a};
  *out = (ww_advice){0};
  index_blocks(&x);
  collect_sites(&x);
  x.flow = ww_advice_flow(fn, a);
  cost_lines(&x, out);
  ww_advise_access(&x);
  ww_advise_reuse(&x);
  ww_advise_code(&x);
  ww_advise_flow(&x);
  ww_advise_launch(&x);
  ww_advise_width(&x);
  ww_advise_matrix(&x);
  ww_advise_sync(&x);
  if (x.items.n)
    qsort(x.items.v, x.items.n, sizeof *x.items.v, by_gain);
  out->items = x.items.v;
  out->nitems = x.items.n;
  ww_advice_report(out, a, &p->report);
}
