/* report.c - a prediction as others read it: a report that agrees with itself, rates
 * are counts over the predicted time, nothing is above a roof of the GPU; in it, as
 * terms, all that the time was computed from; and the features that corrections are
 * learned from. */
#include "predict.h"

#include "../learn/score.h"

const char *const ww_feature_names[WW_NFEATURES] = {
#define FEATURE(name, ...) #name,
#include "features.def"
};

/* ---- metrics ---- */

static void counts(const ww_prediction *p, ww_report *r) {
  const ww_counts *c = &p->trace.sampled.tally.c;
  const ww_lowered *l = &p->work.lowered;
  ww_report_set(r, WW_M_warp_instructions, l->total);
  ww_report_ratio(r, WW_M_active_lanes, l->thread_inst, l->total);
  ww_report_set(r, WW_M_flops_fp64, l->flops64);
  ww_report_set(r, WW_M_flops_fp32, l->flops32);
  ww_report_set(r, WW_M_flops_fp16, l->flops16);
  ww_report_set(r, WW_M_flops_tensor, l->flops_tensor);
  ww_report_set(r, WW_M_int_ops, l->int_ops);
  ww_report_ratio(r, WW_M_shared_conflict_ways,
                  c->shared_ld_passes + c->shared_st_passes,
                  c->shared_ld_requests + c->shared_st_requests);
}

static void memory(const ww_traffic *t, ww_report *r) {
  ww_report_set(r, WW_M_dram_read_bytes, t->dram_read);
  ww_report_set(r, WW_M_dram_write_bytes, t->dram_write);
  double lookups = t->l1_ld_sectors + t->l1_st_sectors +
                   t->l2_atomics; /* atomics are looked up and never found */
  ww_report_set(r, WW_M_l1_hit_pct,
                ww_ratio(100 * (t->l1_ld_hits + t->l1_st_hits), lookups));
  ww_report_set(r, WW_M_l2_hit_pct, ww_ratio(100 * t->l2_hits, t->l2_lookups));
  ww_report_set(r, WW_M_l2_bytes, 32 * t->l2_lookups);
}

static void resources(const ww_prediction *p, const ww_gpu *g, ww_report *r) {
  const ww_occupancy *o = &p->work.occupancy;
  ww_report_set(r, WW_M_registers, o->registers);
  ww_report_set(r, WW_M_shared_bytes, o->shared_bytes);
  ww_report_set(r, WW_M_occupancy_limit_pct, o->limit_pct);
  ww_report_set(r, WW_M_occupancy_pct,
                fmin(100 * p->timing.achieved_warps / g->max_warps, o->limit_pct));
  if (g->boost_mhz > 0)
    ww_report_set(r, WW_M_sm_clock_mhz, p->timing.mhz);
}

void ww_report_derive(const ww_gpu *g, ww_report *r) {
  double bytes = ww_report_dram(r);
  double ns = 1e3 * ww_report_value(r, WW_M_time_us);
  double flops = 0;
  for (int m = WW_M_flops_fp64; m <= WW_M_flops_tensor; m++)
    flops += ww_report_value(r, m);
  ww_report_ratio(r, WW_M_dram_gbps, bytes, ns);
  ww_report_ratio(r, WW_M_gflops, flops, ns);
  ww_report_ratio(r, WW_M_ai, flops, bytes);
  ww_balance balance;
  ww_balance_of(g, &balance);
  ww_bound bound = ww_bound_of(r, &balance);
  r->roofline_class = bound == WW_BOUND_UNKNOWN ? NULL : ww_bound_names[bound];
}

/* One sentence: what the launch spends its time on, and what that figure is. */
static const char *in_words(const ww_prediction *p, const ww_gpu *g, ww_arena *a) {
  const ww_timing *t = &p->timing;
  double share = 100 * t->stall[t->bottleneck];
  double gbps = ww_report_dram(&p->report) / (1e3 * t->us);
  switch (t->bottleneck) {
  case WW_TERM_LAUNCH:
    if (t->bound_us[WW_TERM_LAUNCH] < 0.25 * t->us)
      return ww_fmt(a, "block starts: %llu blocks do too little each",
                    (unsigned long long)p->work.blocks);
    return ww_fmt(a, "launch overhead: %.1f of %.1f us pass before and after the work",
                  fmin(t->bound_us[WW_TERM_LAUNCH], t->us), t->us);
  case WW_TERM_COLD:
    return "cold start: first loads and instruction fetch come from DRAM one after the "
           "other";
  case WW_TERM_DRAM:
    return ww_fmt(a, "DRAM bandwidth: %.0f of %.0f GB/s", gbps, g->dram_peak);
  case WW_TERM_L2:
    return ww_fmt(a, "L2 bandwidth: %.0f %% of the bound's time", share);
  case WW_TERM_L1:
    return "L1: accesses that touch many lines or sectors each";
  case WW_TERM_CONST:
    return "constant cache: lanes of a warp read different words of it";
  case WW_TERM_SHARED:
    return "shared memory: passes over its banks";
  case WW_TERM_ISSUE:
    return "issue slots: too many instructions for the work";
  case WW_TERM_PIPE:
    return ww_fmt(a, "%s pipe", ww_pipe_names[t->busiest]);
  case WW_TERM_ATOMIC:
    return p->trace.sampled.tally.c.atomic_requests > 0
               ? "atomics: many on one address, or more than L2 takes"
               : "store conflicts: many threads store to one place";
  case WW_TERM_BARRIER:
    return "barriers: warps wait for each other";
  case WW_TERM_TAIL:
    if (p->work.idle > p->work.blocks && t->waves < 1)
      return ww_fmt(a, "idle blocks: %llu of %llu end at once, without work",
                    (unsigned long long)p->work.idle,
                    (unsigned long long)(p->work.idle + p->work.blocks));
    if (t->waves < 1)
      return "tail: one block takes much longer than the others, and nothing is left "
             "to run beside "
             "it";
    return ww_fmt(a, "tail: %.1f waves, the last one leaves SMs idle", t->waves);
  case WW_TERM_LATENCY:
    return ww_fmt(a, "latency: %.0f resident warps an SM do not hide %s",
                  t->achieved_warps,
                  p->work.chain.waits > 0 ? "the waits for memory"
                                          : "the chain of dependent instructions");
  default:
    return NULL;
  }
}

void ww_predict_derive(const ww_gpu *g, ww_arena *a, ww_prediction *p) {
  ww_report_derive(g, &p->report);
  p->report.bottleneck = in_words(p, g, a);
}

/* ---- terms ---- */

typedef struct {
  WW_VEC(ww_report_term) v;
  ww_arena *a;
  ww_report_term at; /* stage and group of what comes next */
} writer;

static void enter(writer *w, const char *stage, const char *group) {
  w->at = (ww_report_term){.stage = stage, .group = group};
  ww_push(w->a, &w->v, w->at);
}

static void number(writer *w, const char *name, double value) {
  ww_report_term t = w->at;
  t.name = name;
  t.value = value;
  ww_push(w->a, &w->v, t);
}

static void word(writer *w, const char *name, const char *value) {
  ww_report_term t = w->at;
  t.name = name;
  t.word = value;
  ww_push(w->a, &w->v, t);
}

static void positive(writer *w,
                     const char *stage,
                     const char *group,
                     const char *const *names,
                     const double *v,
                     int n) {
  enter(w, stage, group);
  for (int k = 0; k < n; k++)
    if (v[k] > 0)
      number(w, names[k], v[k]);
}

static void add_timing(writer *w, const ww_prediction *p) {
  const ww_timing *t = &p->timing;
  enter(w, "timing", NULL);
  number(w, "us", p->machine_us);
  number(w, "low", p->machine_low);
  number(w, "high", p->machine_high);
  word(w, "bottleneck", ww_term_names[t->bottleneck]);
  word(w, "busiest_pipe", ww_pipe_names[t->busiest]);
  number(w, "waves", t->waves);
  number(w, "achieved_warps", t->achieved_warps);
  positive(w, "timing", "bound_us", ww_term_names, t->bound_us, WW_NTERMS);
  positive(w, "timing", "stall", ww_term_names, t->stall, WW_NTERMS);
}

static void add_resources(writer *w, const ww_work *x) {
  enter(w, "occupancy", NULL);
  number(w, "blocks", x->occupancy.blocks);
  number(w, "warps", x->occupancy.warps);
  word(w, "limiter", ww_limit_names[x->occupancy.limiter]);
  number(w, "l1_bytes", x->occupancy.l1_bytes);
  positive(w, "instructions", NULL, ww_pipe_names, x->lowered.inst, WW_NPIPES);
  positive(w, "pipe_cycles", NULL, ww_pipe_names, x->lowered.cycles, WW_NPIPES);
}

static void add_traffic(writer *w, const ww_traffic *t) {
  enter(w, "traffic", NULL);
#define TRAFFIC(name, unit, reported, ...) \
  if (reported)                            \
    number(w, #name, t->name);
#include "work.def"
}

static void add_chain(writer *w, const ww_chain *c) {
  enter(w, "chain", NULL);
#define CHAIN(name, unit, reported, ...) \
  if (reported)                          \
    number(w, #name, c->name);
#include "work.def"
}

static void add_terms(ww_prediction *p, ww_arena *a) {
  writer w = {.a = a};
  add_timing(&w, p);
  add_resources(&w, &p->work);
  add_traffic(&w, &p->work.traffic);
  add_chain(&w, &p->work.chain);
  p->report.terms = w.v.v;
  p->report.nterms = w.v.n;
}

/* ---- features ---- */

static double lg(double x) {
  return log2(fmax(x, 1e-6));
}

/* Of the resources that a wave queues for, the second largest bound over the largest.
 */
static double second_of(const ww_timing *t) {
  double most = 0;
  double second = 0;
  for (int k = WW_TERM_ISSUE; k <= WW_TERM_LATENCY; k++) {
    double v = t->bound_us[k];
    second = fmax(second, fmin(v, most));
    most = fmax(most, v);
  }
  return ww_ratio(second, most);
}

static double bounds_of(const ww_timing *t) {
  double sum = 0;
  for (int k = WW_TERM_ISSUE; k <= WW_TERM_LATENCY; k++)
    sum += t->bound_us[k];
  return sum;
}

static double uneven_of(double blocks, double sms) {
  return ww_ratio(ceil(blocks / sms), blocks / sms);
}

static double known(double x, double otherwise) {
  return x > 0 ? x : otherwise;
}

/* Only what the trace and the machine model say goes in; nothing of the source text, no
 * names. */
static void add_features(const ww_gpu *g, ww_prediction *p) {
  const ww_timing *t = &p->timing;
  const ww_work *w = &p->work;
  const ww_lowered *l = &w->lowered;
  const ww_traffic *m = &w->traffic;
  const ww_chain *c = &w->chain;
  const ww_occupancy *o = &w->occupancy;
  const ww_counts *k = &p->trace.sampled.tally.c;
  double floor_us = known(g->launch_floor, 2);
  double sms_used = fmin(w->blocks, g->sms);
  double l2_latency = known(g->l2_latency, 250);
  const double v[WW_NFEATURES] = {
#define FEATURE(name, value, ...) [WW_F_##name] = (double)(value),
#include "features.def"
  };
  for (int i = 0; i < WW_NFEATURES; i++)
    p->features.v[i] = isfinite(v[i]) ? fmin(1e6, fmax(-1e6, v[i])) : 0;
}

/* ---- all of it ---- */

void ww_predict_report(const ww_fn *fn,
                       const ww_gpu *g,
                       ww_arena *a,
                       ww_prediction *p) {
  ww_report *r = &p->report;
  ww_trace_report(fn, &p->trace, r); /* what follows knows better */
  r->gpu = g->name;
  r->grade = ww_grades[ww_gpu_grade(g)].text;
  r->by = WW_BY_MACHINE;
  ww_report_set(r, WW_M_local_bytes, fn->local_bytes + p->spill_bytes);
  counts(p, r);
  memory(&p->work.traffic, r);
  resources(p, g, r);
  r->m[WW_M_time_us] = (ww_quantity){.known = true,
                                     .interval = true,
                                     .value = p->timing.us,
                                     .low = p->timing.low,
                                     .high = p->timing.high};
  ww_predict_derive(g, a, p);
  add_terms(p, a);
  add_features(g, p);
}
