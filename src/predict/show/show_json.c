/* show_json.c - the machine model's own numbers as the member `machine` of a report: all that the
 * time was computed from. */
#include "show.h"

static void write_terms(ww_json *j, const char *key, const double v[WW_NTERMS]) {
  ww_json_key(j, key);
  ww_json_obj(j);
  for (int k = 0; k < WW_NTERMS; k++)
    if (v[k] > 0)
      ww_json_knum(j, ww_term_names[k], v[k]);
  ww_json_end_obj(j);
}

static void write_timing(ww_json *j, const ww_prediction *p) {
  const ww_timing *t = &p->timing;
  ww_json_key(j, "timing");
  ww_json_obj(j);
  ww_json_knum(j, "us", p->machine_us);
  ww_json_knum(j, "low", p->machine_low);
  ww_json_knum(j, "high", p->machine_high);
  ww_json_kstr(j, "bottleneck", ww_term_names[t->bottleneck]);
  ww_json_kstr(j, "busiest_pipe", ww_pipe_names[t->busiest]);
  ww_json_knum(j, "waves", t->waves);
  ww_json_knum(j, "achieved_warps", t->achieved_warps);
  write_terms(j, "bound_us", t->bound_us);
  write_terms(j, "stall", t->stall);
  ww_json_end_obj(j);
}

static void write_occupancy(ww_json *j, const ww_occupancy *o) {
  ww_json_key(j, "occupancy");
  ww_json_obj(j);
  ww_json_kuint(j, "blocks", o->blocks);
  ww_json_kuint(j, "warps", o->warps);
  ww_json_kstr(j, "limiter", ww_limit_names[o->limiter]);
  ww_json_knum(j, "l1_bytes", o->l1_bytes);
  ww_json_end_obj(j);
}

static void write_lowered(ww_json *j, const ww_lowered *l) {
  ww_json_key(j, "instructions");
  ww_json_obj(j);
  for (int p = 0; p < WW_NPIPES; p++)
    if (l->inst[p] > 0)
      ww_json_knum(j, ww_pipe_names[p], l->inst[p]);
  ww_json_end_obj(j);
  ww_json_key(j, "pipe_cycles");
  ww_json_obj(j);
  for (int p = 0; p < WW_NPIPES; p++)
    if (l->cycles[p] > 0)
      ww_json_knum(j, ww_pipe_names[p], l->cycles[p]);
  ww_json_end_obj(j);
}

static void write_traffic(ww_json *j, const ww_traffic *t) {
  ww_json_key(j, "traffic");
  ww_json_obj(j);
#define TRAFFIC(name, unit, reported, ...) \
  if (reported)                            \
    ww_json_knum(j, #name, t->name);
#include "../model/work.def"
  ww_json_end_obj(j);
}

static void write_chain(ww_json *j, const ww_chain *c) {
  ww_json_key(j, "chain");
  ww_json_obj(j);
#define CHAIN(name, unit, reported, ...) \
  if (reported)                          \
    ww_json_knum(j, #name, c->name);
#include "../model/work.def"
  ww_json_end_obj(j);
}

void ww_predict_write(void *ctx, ww_json *j) {
  const ww_prediction *p = ctx;
  ww_json_key(j, "machine");
  ww_json_obj(j);
  write_timing(j, p);
  write_occupancy(j, &p->work.occupancy);
  write_lowered(j, &p->work.lowered);
  write_traffic(j, &p->work.traffic);
  write_chain(j, &p->work.chain);
  ww_json_end_obj(j);
}
