/* predict.c - all stages of the machine model in their order: trace, registers and occupancy, traffic, chain, instructions, time,
 * report. */
#include "predict.h"

#include "chain.h"
#include "traffic.h"

typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  const ww_gpu *g;
  ww_arena *a;
  ww_prediction *p;
  bool warm;
  double registers; /* known; 0: estimated */
} stages;

static void shape(const ww_run_spec *spec, const ww_gpu *g, ww_work *w) {
  w->blocks = spec->grid[0] * spec->grid[1] * spec->grid[2];
  w->block_threads = spec->block[0] * spec->block[1] * spec->block[2];
  w->warps_per_block = (uint32_t)((w->block_threads + g->lanes - 1) / g->lanes);
}

/* A block that does not fit is still answered, as if it were alone: the compiler would have spilled more. */
static void resources(const stages *s, const ww_run_spec *spec) {
  ww_work *w = &s->p->work;
  double registers = 32, shared = (double)(spec->shared_static + spec->shared);
  ww_registers(s->m, s->fn, s->g, w->block_threads, &registers, &s->p->spill_bytes);
  if (s->registers > 0) registers = s->registers;
  ww_occupancy_of(s->g, w->block_threads, registers, shared, &w->occupancy);
}

/* Store sectors that the request does not fill: what is missing to full sectors, of the worst kind that explains it. */
static double partial_writes(const ww_counts *c) {
  double full = c->global_st_bytes / 32;
  return c->global_st_sectors > full ? c->global_st_sectors - full : 0;
}

static ww_status observe(void *ctx, ww_machine *machine, const ww_run_spec *spec, const ww_sampled *sampled,
                         ww_err *e) {
  stages *s = ctx;
  ww_work *w = &s->p->work;
  shape(spec, s->g, w);
  resources(s, spec);
  ww_status st = ww_traffic_measure(machine, spec, sampled, s->g, &w->occupancy, s->warm, 0, s->a, &w->traffic, e);
  if (!st) st = ww_chain_run(machine, spec, sampled, s->g, &w->chain, e);
  return st;
}

static void finish(const stages *s, const ww_params *params) {
  ww_work *w = &s->p->work;
  ww_lower(s->m, s->fn, &s->p->trace.sampled.tally, s->g, s->a, &w->lowered);
  if (!(w->traffic.partial_writes > 0)) w->traffic.partial_writes = partial_writes(&s->p->trace.sampled.tally.c);
  w->warm = s->warm;
  ww_time(w, s->g, params, &s->p->timing);
  ww_predict_report(s->fn, s->g, s->a, s->p);
}

ww_status ww_predict(const ww_module *m, const ww_fn *fn, const ww_launch *given, const ww_predict_options *o,
                     ww_arena *a, ww_prediction *out, ww_err *e) {
  *out = (ww_prediction){0};
  stages s = {m, fn, o->gpu, a, out, given->warm, o->registers};
  ww_params shipped;
  const ww_params *params = o->params;
  if (!params) {
    ww_status st = ww_params_load(a, &shipped, e);
    if (st) return st;
    params = &shipped;
  }
  ww_trace_options t = {
      .sampling = {.budget = o->budget}, .lanes = o->gpu->lanes, .sms = o->gpu->sms, .after = observe, .after_ctx = &s};
  ww_status st = ww_trace(m, fn, given, &t, a, &out->trace, e);
  if (st) return st;
  out->trace.launch.kernel = fn->name;
  finish(&s, params);
  return WW_OK;
}

/* Cache traffic is kept as it was found: it hangs on the blocks that were resident on the first GPU. */
void ww_predict_again(const ww_module *m, const ww_fn *fn, const ww_predict_options *o, ww_arena *a, ww_prediction *p) {
  stages s = {m, fn, o->gpu, a, p, p->work.warm, o->registers};
  ww_params shipped = ww_params_default;
  ww_err e = {0};
  if (!o->params && ww_params_load(a, &shipped, &e)) shipped = ww_params_default;
  ww_work *w = &p->work;
  double registers = w->occupancy.registers, shared = w->occupancy.shared_bytes;
  w->warps_per_block = (uint32_t)((w->block_threads + o->gpu->lanes - 1) / o->gpu->lanes);
  ww_registers(m, fn, o->gpu, w->block_threads, &registers, &p->spill_bytes);
  if (s.registers > 0) registers = s.registers;
  ww_occupancy_of(o->gpu, w->block_threads, registers, shared, &w->occupancy);
  finish(&s, o->params ? o->params : &shipped);
}
