/* predict.c - a launch on GPUs: which of them can run it, then all stages of the
 * machine model in their order: trace, instructions, registers and occupancy, traffic,
 * chain, time, report, correction.
 *
 * Several GPUs share one trace where it cannot tell them apart. Invariant: every GPU's
 * prediction is what it would be alone, so each stage that runs blocks begins with the
 * memory's contents as at the start. */
#include "predict.h"

#include "../predict/model/chain.h"
#include "../trace/setup.h"
#include "spread.h"

enum { MOST_DECIDING = 4 }; /* arguments that are tried with other contents */
#define MOST_SECONDS 3.0    /* of the processor, after which no others are tried */

typedef struct {
  const ww_gpu *gpu;
  ww_built built;      /* by a compiler that was asked; all zero: estimated */
  ww_assumptions said; /* before what the prediction assumes */
  ww_prediction *p;
  bool done;
} target;

/* GPUs that one trace serves. */
typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  const ww_query_targets *q;
  ww_arena *a;
  bool warm;
  target *t;
  uint32_t n;
  double until; /* by ww_cpu: other contents are tried no longer */
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

/* Without local arrays whatever is loaded of a thread's own memory was spilled. */
static ww_built with_reloads(ww_built b, const ww_fn *fn) {
  if (fn->local_bytes)
    return b;
  b.once.reloaded += b.once.unnamed;
  b.looped.reloaded += b.looped.unnamed;
  return b;
}

/* More shared memory than a block gets there: it would not start. */
static void
check_shared(const ww_fn *fn, const ww_work *w, const ww_gpu *g, ww_err *e) {
  if (w->occupancy.shared_bytes > g->shared_block_max)
    ww_fail(e, WW_EUSAGE,
            "a block of %s takes %.0f bytes of shared memory, and %s gives it at most "
            "%.0f: use less, or name another GPU",
            fn->name, (double)w->occupancy.shared_bytes, g->full_name,
            g->shared_block_max);
}

/* The machine's instructions, and what a block takes of an SM. Registers that do not
 * fit are still answered, as if it were alone: the compiler would have spilled more. */
static void compile(const stages *s, uint32_t k, const ww_traced *t) {
  ww_prediction *p = s->t[k].p;
  ww_work *w = &p->work;
  shape(&t->spec, &p->trace.sampled, s->t[k].gpu, w);
  p->code = ww_gpu_code_new(s->m, s->t[k].gpu, s->a);
  const ww_fn_code *code =
      ww_lower(p->code, s->fn, &p->trace.sampled.tally, &w->lowered);
  ww_resources(code, w->block_threads, t->spec.shared_static + t->spec.shared,
               s->t[k].built.registers, &w->occupancy, &p->spill_bytes);
  if (s->t[k].built.scratch_bytes > s->fn->local_bytes)
    p->spill_bytes = s->t[k].built.scratch_bytes - s->fn->local_bytes;
}

/* What the launch does on each GPU, from more of its blocks. */
static ww_status run_more(const stages *s, const ww_traced *t, ww_err *e) {
  const ww_sampled *sampled = &s->t[0].p->trace.sampled;
  ww_gpu_launch *launches = WW_NEWN(s->a, ww_gpu_launch, s->n);
  ww_traffic *traffic = WW_NEWN(s->a, ww_traffic, s->n);
  ww_ways *ways = WW_NEWN(s->a, ww_ways, s->n);
  ww_chain *chains = WW_NEWN(s->a, ww_chain, s->n);
  ww_chain_gpu *each = WW_NEWN(s->a, ww_chain_gpu, s->n);
  for (uint32_t k = 0; k < s->n; k++)
    launches[k] = (ww_gpu_launch){&t->spec, sampled, s->t[k].gpu,
                                  &s->t[k].p->work.occupancy, s->warm};
  ww_traffic_of(launches, s->n, s->a, traffic, ways);
  for (uint32_t k = 0; k < s->n; k++)
    each[k] = (ww_chain_gpu){s->t[k].p->code, ways[k]};
  ww_status st = ww_chain_run(t, sampled, each, s->n, chains, e);
  for (uint32_t k = 0; k < s->n; k++) {
    s->t[k].p->work.traffic = traffic[k];
    s->t[k].p->work.chain = chains[k];
  }
  return st;
}

/* Behind this a prediction is complete: what corrects reports takes them from here. */
static void finish(const stages *s, const target *t) {
  ww_prediction *p = t->p;
  ww_work *w = &p->work;
  if (!(w->traffic.partial_writes > 0))
    w->traffic.partial_writes = partial_writes(&p->trace.sampled.tally.c);
  w->warm = s->warm;
  w->branches = p->trace.sampled.tally.c.branches;
  w->splits = p->trace.sampled.tally.c.divergent_branches;
  ww_spill_traffic(&t->built, t->gpu, w);
  ww_time(w, t->gpu, s->q->params, &p->timing);
  p->machine_us = p->timing.us;
  p->machine_low = p->timing.low;
  p->machine_high = p->timing.high;
  ww_predict_report(s->fn, t->gpu, s->a, p);
  if (s->q->correction)
    ww_correct(s->q->correction, t->gpu, s->a, p);
  check_shared(s->fn, w, t->gpu, &p->report.error);
}

/* `completed`: what was assumed of a launch that is complete; NULL: it is not. */
static ww_status
once(const stages *s, const ww_launch *launch, const ww_assumed *completed, ww_err *e) {
  ww_trace_result trace;
  ww_traced traced;
  ww_trace_options o = {.sampling = {.budget = s->q->budget},
                        .lanes = s->t[0].gpu->lanes,
                        .sms = s->t[0].gpu->sms,
                        .ran = s->q->ran,
                        .cancelled = s->q->cancelled,
                        .cancelled_ctx = s->q->cancelled_ctx,
                        .max_bytes = s->q->max_bytes,
                        .completed = completed};
  ww_status st = ww_trace_open(s->m, s->fn, launch, &o, s->a, &trace, &traced, e);
  s->t[0].p->trace = trace; /* what was assumed is known, answer or not */
  if (st)
    return st;
  trace.launch.kernel = s->fn->name;
  trace.launch.file = launch->file;
  for (uint32_t k = 0; k < s->n; k++) {
    s->t[k].p->trace = trace;
    compile(s, k, &traced);
  }
  st = run_more(s, &traced, e);
  ww_status limit = ww_trace_close(&traced, e);
  for (uint32_t k = 0; !st && !limit && k < s->n; k++)
    finish(s, &s->t[k]);
  return limit ? limit : st;
}

/* Predicts with other contents of the d-th argument whose contents decide. */
static void try_others(const stages *s, uint32_t d, const ww_assumed *completed) {
  const ww_trace_result *t = &s->t[0].p->trace;
  const ww_deciding *x = &t->assumed.deciding.v[d];
  ww_other_times *spread = WW_NEWN(s->a, ww_other_times, s->n);
  for (uint32_t k = 0; k < x->nfills && ww_cpu() < s->until; k++) {
    ww_err unsaid = {0};
    stages other = *s;
    other.a = ww_arena_new();
    other.t = WW_NEWN(other.a, target, s->n);
    for (uint32_t g = 0; g < s->n; g++) {
      other.t[g] = s->t[g];
      other.t[g].p = WW_NEW(other.a, ww_prediction);
    }
    ww_launch launch = ww_spread_launch(t, d, k, other.a);
    if (!once(&other, &launch, completed, &unsaid))
      for (uint32_t g = 0; g < s->n; g++)
        ww_spread_add(&spread[g], other.t[g].p);
    ww_arena_free(other.a);
  }
  for (uint32_t g = 0; g < s->n; g++)
    ww_spread_say(&spread[g], s->fn, x, s->a, s->t[g].p);
}

/* With the likely contents it does not end, or goes where nothing is: others that it
 * might as well have, the first that give an answer. */
static ww_status instead(const stages *s) {
  const ww_trace_result t = s->t[0].p->trace;
  ww_assumed completed = t.assumed;
  for (uint32_t d = 0; d < t.assumed.deciding.n && d < MOST_DECIDING; d++)
    for (uint32_t k = 0; k < t.assumed.deciding.v[d].nfills && ww_cpu() < s->until;
         k++) {
      ww_err unsaid = {0};
      ww_launch launch = ww_spread_launch(&t, d, k, s->a);
      completed.list = (ww_assumptions){0};
      ww_assumptions_add(&completed.list, &t.assumed.list, s->a);
      ww_spread_instead(&completed.list, s->fn, &t.assumed.deciding.v[d], s->a);
      if (!once(s, &launch, &completed, &unsaid))
        return WW_OK;
    }
  return WW_ELIMIT;
}

static ww_status together(const stages *s, const ww_launch *launch, ww_err *e) {
  ww_status st = once(s, launch, NULL, e);
  if ((st == WW_ELIMIT || st == WW_EDATA) && !instead(s))
    st = WW_OK;
  if (st || s->q->one_contents)
    return st;
  ww_assumed completed = s->t[0].p->trace.assumed;
  completed.list = (ww_assumptions){0}; /* is not to be changed by other contents */
  for (uint32_t d = 0; d < completed.deciding.n && d < MOST_DECIDING; d++)
    try_others(s, d, &completed);
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

/* ---- which GPUs ---- */

/* The kernel, or a function that it can get to. */
static bool looks_across_lanes(const ww_module *m, const ww_fn *fn) {
  ww_arena *a = ww_arena_new();
  bool *in = WW_NEWN(a, bool, m->nfns);
  bool any = false;
  ww_reach(m, fn, in);
  for (uint32_t f = 0; f < m->nfns && !any; f++) {
    ww_ins_walk w = {.fn = &m->fns[f]};
    for (const ww_ins *i; in[f] && !any && (i = ww_next_ins(&w));)
      any = ww_ops[i->op].cls == WW_CLASS_WARP ||
            (i->op == WW_OP_SREG &&
             (i->sub == WW_SREG_LANEID || i->sub == WW_SREG_WARPSIZE));
  }
  ww_arena_free(a);
  return any;
}

ww_status ww_lanes_fit(
    const ww_module *m, const ww_fn *fn, const ww_gpu *g, const char *hint, ww_err *e) {
  bool amd = !strcmp(g->vendor, "amd");
  bool fixed = m->dialect == WW_CUDA || m->dialect == WW_HIP;
  bool same = g->lanes == m->warp;
  if (!fixed || (same && amd == (m->dialect == WW_HIP)))
    return WW_OK;
  if (same)
    return ww_fail(e, WW_EUSAGE, "%s code does not run on %s%s",
                   ww_dialect_names[m->dialect], g->full_name, hint);
  /* read for wavefronts of 64: in code where no lane sees another it makes no
   * difference that there are two of 32 */
  if (amd && m->dialect == WW_HIP && !looks_across_lanes(m, fn))
    return WW_OK;
  return ww_fail(e, WW_EUSAGE, "%s code is read for warps of %u lanes, %s has %u%s",
                 ww_dialect_names[m->dialect], m->warp, g->full_name, g->lanes, hint);
}

void ww_query_assume(const ww_query_targets *q,
                     const ww_assumptions *said,
                     ww_arena *a,
                     ww_report *r) {
  ww_assumptions all = {0};
  if (q->assumed)
    ww_push(a, &all, (ww_assumption){WW_ASSUME_GPU, "h200", {0}});
  ww_assumptions_add(&all, said, a);
  ww_assumptions_add(&all, &r->assumed, a);
  r->assumed = all;
}

/* What is wrong with a launch of the host code is to be put right there. */
static void name_host(const ww_assumptions *said, ww_err *e) {
  const ww_assumption *host = ww_assumptions_find(said, WW_ASSUME_HOST_LAUNCH);
  size_t n = strlen(e->msg);
  if (host && (e->code == WW_EUSAGE || e->code == WW_EDATA))
    snprintf(e->msg + n, sizeof e->msg - n, " (launched by %s:%llu)", host->argument,
             (unsigned long long)host->value[0]);
}

/* Traces those that are left, as many together as one trace serves. */
static void predict_all(stages *s, target *all, const ww_launch *launch) {
  uint32_t n = s->q->n;
  bool alone = n > 1 && tells_gpus_apart(s->m);
  for (uint32_t k = 0; k < n; k++) {
    if (all[k].done)
      continue;
    s->n = 0;
    for (uint32_t i = k; i < n && !(alone && i > k); i++)
      if (!all[i].done && all[i].gpu->lanes == all[k].gpu->lanes) {
        all[i].done = true;
        s->t[s->n++] = all[i];
      }
    ww_err why = {0};
    s->until = ww_cpu() + MOST_SECONDS;
    ww_status st = together(s, launch, &why);
    if (st)
      name_host(&all[k].said, &why);
    for (uint32_t i = 0; st && i < s->n; i++)
      s->t[i].p->report.error = why;
  }
}

ww_status ww_query_predict(const ww_unit *u,
                           const ww_fn *fn,
                           const ww_launch *launch,
                           const ww_query_targets *q,
                           const ww_assumptions *said,
                           ww_arena *a,
                           ww_prediction *out,
                           ww_err *e) {
  const ww_module *m = &u->module;
  const char *hint = m->dialect == WW_CUDA
                         ? ": name another GPU, or read it with --lang hip"
                         : ": name another GPU";
  target *all = WW_NEWN(a, target, q->n);
  stages s = {m, fn, q, a, launch->warm, WW_NEWN(a, target, q->n), 0, 0};
  const ww_err *first = NULL;
  bool any = false;
  for (uint32_t k = 0; k < q->n; k++) {
    target *t = &all[k];
    out[k] = (ww_prediction){0};
    *t = (target){.gpu = &q->gpus[k], .p = &out[k]};
    t->done = ww_lanes_fit(m, fn, t->gpu, hint, &out[k].report.error);
    if (said)
      ww_assumptions_add(&t->said, said, a);
    if (q->built && !t->done)
      out[k].built = q->built(q->built_ctx, t->gpu, a, &t->said);
    t->built = with_reloads(out[k].built, fn);
  }
  predict_all(&s, all, launch);
  for (uint32_t k = 0; k < q->n; k++) {
    ww_prediction *p = &out[k];
    ww_err why = p->report.error;
    if (why.code == WW_EUNSUPPORTED)
      ww_diags_blame(u, fn, &why);
    if (why.code) {
      *p = (ww_prediction){.report = {.kernel = fn->name, .error = why}};
      first = first ? first : &p->report.error;
    } else {
      any = true;
      p->report.launch = &p->trace.launch;
      ww_query_assume(q, &all[k].said, a, &p->report);
    }
    p->report.file = launch->file;
    p->report.gpu = q->gpus[k].name;
  }
  if (any || !first)
    return WW_OK;
  if (e)
    *e = *first;
  return first->code;
}
