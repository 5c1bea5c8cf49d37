/* terms.c - the machine model's own numbers as terms of a report: all that the time was
 * computed from. */
#include "show.h"

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
#include "../model/work.def"
}

static void add_chain(writer *w, const ww_chain *c) {
  enter(w, "chain", NULL);
#define CHAIN(name, unit, reported, ...) \
  if (reported)                          \
    number(w, #name, c->name);
#include "../model/work.def"
}

void ww_predict_terms(ww_prediction *p, ww_arena *a) {
  writer w = {.a = a};
  add_timing(&w, p);
  add_resources(&w, &p->work);
  add_traffic(&w, &p->work.traffic);
  add_chain(&w, &p->work.chain);
  p->report.terms = w.v.v;
  p->report.nterms = w.v.n;
}
