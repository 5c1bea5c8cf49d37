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

/* A block that does not fit is still answered, as if it were alone: the compiler would
 * have spilled more. */
static void resources(const stages *s, uint32_t k, const ww_run_spec *spec) {
  ww_prediction *p = s->p[k];
  ww_work *w = &p->work;
  double registers;
  double shared = spec->shared_static + spec->shared;
  ww_registers(ww_fn_code_of(p->code, s->fn), w->block_threads, &registers,
               &p->spill_bytes);
  if (s->o[k]->registers > 0)
    registers = s->o[k]->registers;
  ww_occupancy_of(s->gpus[k], w->block_threads, registers, shared, &w->occupancy);
}

/* Store sectors that the request does not fill: what is missing to full sectors, of the
 * worst kind that explains it. */
static double partial_writes(const ww_counts *c) {
  double full = c->global_st_bytes / 32;
  return c->global_st_sectors > full ? c->global_st_sectors - full : 0;
}

/* The first of the GPUs up to k that has k's replay. */
static uint32_t same_replay(const stages *s, uint32_t k) {
  ww_replay_shape mine = ww_replay_shape_of(s->gpus[k], &s->p[k]->work.occupancy);
  for (uint32_t i = 0; i < k; i++) {
    ww_replay_shape his = ww_replay_shape_of(s->gpus[i], &s->p[i]->work.occupancy);
    if (!memcmp(&his, &mine, sizeof mine))
      return i;
  }
  return k;
}

/* What the launch does on each GPU, from more of its blocks. */
static ww_status
run_more(const stages *s, const ww_traced *t, const ww_sampled *sampled, ww_err *e) {
  ww_replay *replays = WW_NEWN(s->a, ww_replay, s->n);
  ww_chain *chains = WW_NEWN(s->a, ww_chain, s->n);
  ww_chain_gpu *each = WW_NEWN(s->a, ww_chain_gpu, s->n);
  for (uint32_t k = 0; k < s->n; k++) {
    ww_work *w = &s->p[k]->work;
    each[k].code = s->p[k]->code = ww_gpu_code_new(s->m, s->gpus[k], s->a);
    shape(&t->spec, sampled, s->gpus[k], w);
    resources(s, k, &t->spec);
    ww_gpu_launch l = {&t->spec, sampled, s->gpus[k], &w->occupancy, s->warm};
    uint32_t r = same_replay(s, k);
    if (r == k)
      ww_replay_run(&l, s->a, &replays[k]);
    ww_traffic_of(&replays[r], &l, s->a, &w->traffic, &each[k].ways);
  }
  ww_status st = ww_chain_run(t, sampled, each, s->n, chains, e);
  for (uint32_t k = 0; k < s->n; k++)
    s->p[k]->work.chain = chains[k];
  return st;
}

/* Behind this a prediction is complete: what corrects reports takes them from here. */
static void finish(const stages *s, uint32_t k, const ww_params *params) {
  ww_prediction *p = s->p[k];
  ww_work *w = &p->work;
  ww_lower(p->code, s->fn, &p->trace.sampled.tally, &w->lowered);
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
  st = run_more(s, &traced, &trace.sampled, e);
  ww_status limit = ww_trace_close(&traced, e);
  if (st || limit)
    return limit ? limit : st;
  trace.launch.kernel = s->fn->name;
  for (uint32_t k = 0; k < s->n; k++) {
    s->p[k]->trace = trace;
    finish(s, k, s->o[k]->params ? s->o[k]->params : &shipped);
  }
  return WW_OK;
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
