/* predict.c - all stages of the machine model in their order: trace, registers and
 * occupancy, traffic, chain, instructions, time, report.
 *
 * Several GPUs share one trace where it cannot tell them apart. Invariant: every GPU's
 * prediction is what it would be alone, so each stage that runs blocks begins with the
 * memory's contents as at the start. */

#include "chain.h"
#include "../learn/correct.h"

/* GPUs that one trace serves. */
typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  ww_arena *a;
  bool warm;
  uint32_t n;
  const ww_predict_options **o; /* [n], the same order as the others */
  const ww_gpu **gpus;
  ww_prediction **p;
} stages;

static void
shape(const ww_run_spec *spec, const ww_sampled *sampled, const ww_gpu *g, ww_work *w) {
  w->blocks = ww_sampled_working(sampled);
  w->idle = sampled->of - w->blocks;
  w->idle_share = w->idle ? w->idle * sampled->idle_instructions /
                                sampled->tally.c.warp_instructions
                          : 0;
  w->block_threads = ww_volume(spec->block);
  w->warps_per_block = (w->block_threads + g->lanes - 1) / g->lanes;
}

/* Store sectors that the request does not fill: what is missing to full sectors, of the
 * worst kind that explains it. */
static double partial_writes(const ww_counts *c) {
  double full = c->global_st_bytes / 32;
  return c->global_st_sectors > full ? c->global_st_sectors - full : 0;
}

/* A block that does not fit is still answered, as if it were alone: the compiler would
 * have spilled more. */
static void compile(const stages *s, uint32_t k, const ww_traced *t) {
  ww_prediction *p = s->p[k];
  ww_work *w = &p->work;
  shape(&t->spec, &p->trace.sampled, s->gpus[k], w);
  p->code = ww_gpu_code_new(s->m, s->gpus[k], s->a);
  const ww_fn_code *code =
      ww_lower(p->code, s->fn, &p->trace.sampled.tally, &w->lowered);
  ww_resources(code, w->block_threads, t->spec.shared_static + t->spec.shared,
               s->o[k]->registers, &w->occupancy, &p->spill_bytes);
}

/* What the launch does on each GPU, from more of its blocks. */
static ww_status run_more(const stages *s, const ww_traced *t, ww_err *e) {
  const ww_sampled *sampled = &s->p[0]->trace.sampled;
  ww_gpu_launch *launches = WW_NEWN(s->a, ww_gpu_launch, s->n);
  ww_traffic *traffic = WW_NEWN(s->a, ww_traffic, s->n);
  ww_ways *ways = WW_NEWN(s->a, ww_ways, s->n);
  ww_chain *chains = WW_NEWN(s->a, ww_chain, s->n);
  ww_chain_gpu *each = WW_NEWN(s->a, ww_chain_gpu, s->n);
  for (uint32_t k = 0; k < s->n; k++)
    launches[k] = (ww_gpu_launch){&t->spec, sampled, s->gpus[k],
                                  &s->p[k]->work.occupancy, s->warm};
  ww_traffic_of(launches, s->n, s->a, traffic, ways);
  for (uint32_t k = 0; k < s->n; k++)
    each[k] = (ww_chain_gpu){s->p[k]->code, ways[k]};
  ww_status st = ww_chain_run(t, sampled, each, s->n, chains, e);
  for (uint32_t k = 0; k < s->n; k++) {
    s->p[k]->work.traffic = traffic[k];
    s->p[k]->work.chain = chains[k];
  }
  return st;
}

/* Behind this a prediction is complete: what corrects reports takes them from here. */
static void finish(const stages *s, uint32_t k, const ww_params *params) {
  ww_prediction *p = s->p[k];
  ww_work *w = &p->work;
  if (!(w->traffic.partial_writes > 0))
    w->traffic.partial_writes = partial_writes(&p->trace.sampled.tally.c);
  w->warm = s->warm;
  w->branches = p->trace.sampled.tally.c.branches;
  w->splits = p->trace.sampled.tally.c.divergent_branches;
  ww_time(w, s->gpus[k], params, &p->timing);
  p->machine_us = p->timing.us;
  p->machine_low = p->timing.low;
  p->machine_high = p->timing.high;
  ww_predict_report(s->fn, s->gpus[k], s->a, p);
  if (s->o[k]->correction)
    ww_correct(s->o[k]->correction, s->gpus[k], s->a, p);
}

static ww_status together(stages *s,
                          const ww_launch *given,
                          const ww_predict_options *first,
                          ww_err *e) {
  ww_params shipped;
  bool need = false;
  for (uint32_t k = 0; k < s->n; k++)
    need |= !s->o[k]->params;
  ww_status st = need ? ww_params_load(s->a, &shipped, e) : WW_OK;
  if (st)
    return st;
  ww_trace_result trace;
  ww_traced traced;
  ww_trace_options t = {.sampling = {.budget = first->budget},
                        .lanes = s->gpus[0]->lanes,
                        .sms = s->gpus[0]->sms,
                        .cancelled = first->cancelled,
                        .cancelled_ctx = first->cancelled_ctx,
                        .max_bytes = first->max_bytes};
  st = ww_trace_open(s->m, s->fn, given, &t, s->a, &trace, &traced, e);
  if (st)
    return st;
  trace.launch.kernel = s->fn->name;
  for (uint32_t k = 0; k < s->n; k++) {
    s->p[k]->trace = trace;
    compile(s, k, &traced);
  }
  st = run_more(s, &traced, e);
  ww_status limit = ww_trace_close(&traced, e);
  for (uint32_t k = 0; !st && !limit && k < s->n; k++)
    finish(s, k, s->o[k]->params ? s->o[k]->params : &shipped);
  return limit ? limit : st;
}

/* Does the code see which GPU it runs on, or leave more behind than contents of memory?
 */
static bool tells_gpus_apart(const ww_module *m) {
  for (uint32_t f = 0; f < m->nfns; f++) {
    ww_ins_walk w = {.fn = &m->fns[f]};
    for (const ww_ins *i; (i = ww_next_ins(&w));)
      if (i->op == WW_OP_MALLOC ||
          (i->op == WW_OP_SREG && (i->sub == WW_SREG_SMID || i->sub == WW_SREG_NSMID)))
        return true;
  }
  return false;
}

ww_status ww_predict_many(const ww_module *m,
                          const ww_fn *fn,
                          const ww_launch *given,
                          const ww_predict_options *o,
                          uint32_t n,
                          ww_arena *a,
                          ww_prediction *out,
                          ww_err *e) {
  stages s = {m, fn, a, given->warm, 0, NULL, NULL, NULL};
  s.o = WW_NEWN(a, const ww_predict_options *, n);
  s.gpus = WW_NEWN(a, const ww_gpu *, n);
  s.p = WW_NEWN(a, ww_prediction *, n);
  bool alone = n > 1 && tells_gpus_apart(m), any = false, *done = WW_NEWN(a, bool, n);
  ww_err first = {0};
  for (uint32_t k = 0; k < n; k++)
    out[k] = (ww_prediction){0};
  for (uint32_t k = 0; k < n; k++) {
    if (done[k])
      continue;
    s.n = 0;
    for (uint32_t i = k; i < n; i++) {
      if (done[i] || o[i].gpu->lanes != o[k].gpu->lanes || (alone && i > k))
        continue;
      done[i] = true;
      s.o[s.n] = &o[i];
      s.gpus[s.n] = o[i].gpu;
      s.p[s.n++] = &out[i];
    }
    ww_err ours = {0};
    if (!together(&s, given, o, &ours)) {
      any = true;
      continue;
    }
    for (uint32_t i = 0; i < s.n; i++)
      *s.p[i] = (ww_prediction){
          .report = {.kernel = fn->name, .gpu = s.gpus[i]->name, .error = ours}};
    if (!first.code)
      first = ours;
  }
  if (any || !n)
    return WW_OK;
  if (e)
    *e = first;
  return first.code;
}

ww_status ww_predict(const ww_module *m,
                     const ww_fn *fn,
                     const ww_launch *given,
                     const ww_predict_options *o,
                     ww_arena *a,
                     ww_prediction *out,
                     ww_err *e) {
  return ww_predict_many(m, fn, given, o, 1, a, out, e);
}
