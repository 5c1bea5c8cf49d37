/* run.c - the trace oracle from end to end: complete the launch, make it real, run
 * blocks, report.
 */
#include "run.h"

#include "roles.h"

#include <errno.h>
#include <sys/stat.h>

#define DEFAULT_STEPS 400000000ull /* sampled: an endless loop ends within seconds */
#define DEFAULT_STEPS_FULL 40000000000ull

static ww_status dump_region(const char *dir,
                             const char *name,
                             ww_memory *m,
                             const ww_region *r,
                             ww_arena *a,
                             ww_err *e) {
  void *bytes = ww_memory_at(m, r->base, r->size);
  if (mkdir(dir, 0777) && errno != EEXIST)
    return ww_fail(e, WW_EIO, "cannot make the folder '%s': %s", dir, strerror(errno));
  return ww_write_file_atomic(ww_path_join(a, dir, name), bytes, r->size, e);
}

/* Each buffer as arg<i>.bin, each symbol under its name, pointers inside structs as
 * arg<i>.<at>.bin. */
static ww_status
dump(const ww_module *mod, const ww_setup *s, const char *dir, ww_arena *a, ww_err *e) {
  const ww_region *r;
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && (r = ww_memory_region(s->memory, k)); k++) {
    if (r->unbounded)
      continue;
    const char *plus = r->name ? strrchr(r->name, '+') : NULL;
    const char *name = NULL;
    if (r->symbol >= 0)
      name = ww_fmt(a, "%s.bin", mod->symbols[r->symbol].name);
    else if (r->arg >= 0)
      name = plus ? ww_fmt(a, "arg%d.%s.bin", r->arg, plus + 1)
                  : ww_fmt(a, "arg%d.bin", r->arg);
    if (name)
      st = dump_region(dir, name, s->memory, r, a, e);
  }
  return st;
}

static ww_status sample(const ww_trace_options *o,
                        ww_arena *a,
                        ww_trace_result *out,
                        ww_traced *r,
                        ww_err *e) {
  ww_status st = ww_machine_new(&r->spec, &r->machine, e);
  return st ? st : ww_sample(r->machine, &r->spec, &o->sampling, a, &out->sampled, e);
}

/* A wait that was taken to be over has to end some day: some thread must write what it
 * is for. */
static ww_status check_waits(
    const ww_module *m, const ww_fn *fn, const ww_sampled *s, ww_arena *a, ww_err *e) {
  if (!s->passed || ww_may_write(fn, s->passed->arg, a))
    return WW_OK;
  ww_status st = ww_fail(e, WW_ELIMIT,
                         "spins for ever: waits for `%s` to change, which this kernel "
                         "does not write",
                         s->passed->name ? s->passed->name : "?");
  ww_module_place(m, s->passed_loc, e);
  return st;
}

/* The completed launch made real and run. */
static ww_status run(const ww_module *m,
                     const ww_fn *fn,
                     const ww_trace_options *o,
                     ww_arena *a,
                     ww_trace_result *out,
                     ww_traced *r,
                     ww_err *e) {
  *r = (ww_traced){0};
  ww_status st = ww_setup_make(m, fn, &out->launch, a, &r->setup, e);
  if (st)
    return st;
  ww_memory_limit(r->setup.memory, o->max_bytes);
  ww_region *x;
  for (uint32_t k = 0; (x = ww_memory_region(r->setup.memory, k)); k++)
    x->assumed = x->arg >= 0 && out->assumed.args[x->arg];
  r->spec = ww_setup_spec(m, fn, &out->launch, &r->setup);
  r->spec.lanes = o->lanes;
  r->spec.sms = o->sms;
  r->spec.extrapolate = r->spec.counts_only = !o->sampling.full;
  r->spec.print = o->print;
  r->spec.cancelled = o->cancelled;
  r->spec.cancelled_ctx = o->cancelled_ctx;
  r->spec.max_steps = o->max_steps       ? o->max_steps
                      : o->sampling.full ? DEFAULT_STEPS_FULL
                                         : DEFAULT_STEPS;
  r->max_bytes = o->max_bytes;
  r->spec.pass_waits = !o->sampling.full;
  r->spec.share = o->sampling.full ? 0 : ww_volume(r->spec.grid);
  st = sample(o, a, out, r, e);
  if (st && out->sampled.stuck && !o->sampling.full) {
    r->spec.in_order = true;
    ww_machine_free(r->machine);
    ww_memory_reset(r->setup.memory);
    st = sample(o, a, out, r, e);
  }
  if (!st)
    st = check_waits(m, fn, &out->sampled, a, e);
  if (!st && !ww_memory_exhausted(r->setup.memory))
    return WW_OK;
  ww_status limit = ww_trace_close(r, e);
  return limit ? limit : st;
}

static void forget_size(ww_assumptions *list, const char *name) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < list->n; k++)
    if (list->v[k].kind != WW_ASSUME_BUFFER_BYTES || strcmp(list->v[k].argument, name))
      list->v[n++] = list->v[k];
  list->n = n;
}

/* Sizes from the corners of the grid were too small: the accesses are not regular. The
 * buffers become unbounded, but for row pointers, whose contents depend on how many
 * there are. */
static bool unbound(const ww_fn *fn, ww_trace_result *t) {
  bool any = false;
  for (uint32_t p = 0; p < fn->nparams; p++) {
    ww_buffer *b = &t->launch.args[p].buffer;
    if (!t->assumed.sized[p] || !b->bytes || b->fill.kind == WW_FILL_MONOTONE)
      continue;
    forget_size(&t->assumed.list, fn->params[p].name);
    b->bytes = b->offset = 0;
    any = true;
  }
  return any;
}

/* After a run with unbounded buffers: what it touched is their size. */
static void bound(const ww_fn *fn, ww_trace_result *t, ww_arena *a) {
  for (uint32_t p = 0; p < fn->nparams; p++) {
    ww_buffer *b = &t->launch.args[p].buffer;
    if (!t->assumed.sized[p] || b->bytes)
      continue;
    int64_t lo = 0;
    int64_t hi = 0;
    for (uint32_t k = 0; k < t->sampled.tally.nargs; k++)
      if (t->sampled.tally.args[k].arg == (int32_t)p) {
        lo = t->sampled.tally.args[k].lo;
        hi = t->sampled.tally.args[k].hi;
      }
    if (lo > 0)
      lo = 0;
    if (hi < 0)
      hi = 0; /* the pointer itself counts as inside */
    b->bytes = hi > lo ? hi - lo : 8;
    b->offset = -lo;
    ww_push(a, &t->assumed.list,
            (ww_assumption){
                WW_ASSUME_BUFFER_BYTES, ww_strdup(a, fn->params[p].name), {b->bytes}});
  }
}

ww_status ww_trace_open(const ww_module *m,
                        const ww_fn *fn,
                        const ww_launch *given,
                        const ww_trace_options *o,
                        ww_arena *a,
                        ww_trace_result *out,
                        ww_traced *r,
                        ww_err *e) {
  *out = (ww_trace_result){.launch = *given};
  if (fn->refusal)
    return ww_fail(e, WW_EUNSUPPORTED, "%s cannot be interpreted: %s", fn->name,
                   fn->refusal);
  double t0 = ww_now();
  const ww_until until = {o->cancelled, o->cancelled_ctx, o->max_bytes};
  ww_status st = ww_inputs_complete(m, fn, &out->launch, &until, &out->assumed, a, e);
  if (st)
    return st;
  double t1 = ww_now();
  double cpu = ww_cpu();
  st = run(m, fn, o, a, out, r, e);
  if (st == WW_EDATA && out->sampled.fault_assumed && unbound(fn, out)) {
    st = run(m, fn, o, a, out, r, e);
    if (!st)
      bound(fn, out, a);
  }
  if (st && out->sampled.fault_assumed && e) {
    size_t n = strlen(e->msg);
    snprintf(e->msg + n, sizeof e->msg - n,
             "; contents of buffers were assumed here: describe them with --arg or a "
             "launch spec");
  }
  out->inputs_ms = 1e3 * (t1 - t0);
  out->trace_ms = 1e3 * (ww_now() - t1);
  out->trace_cpu_ms = 1e3 * (ww_cpu() - cpu);
  return st;
}

ww_status ww_trace_close(ww_traced *r, ww_err *e) {
  bool exhausted = ww_memory_exhausted(r->setup.memory);
  ww_machine_free(r->machine);
  ww_setup_free(&r->setup);
  return exhausted ? ww_memory_too_small(r->max_bytes, e) : WW_OK;
}

ww_status ww_trace(const ww_module *m,
                   const ww_fn *fn,
                   const ww_launch *given,
                   const ww_trace_options *o,
                   ww_arena *a,
                   ww_trace_result *out,
                   ww_err *e) {
  ww_traced r;
  ww_status st = ww_trace_open(m, fn, given, o, a, out, &r, e);
  if (st)
    return st;
  if (o->dump)
    st = dump(m, &r.setup, o->dump, a, e);
  ww_status limit = ww_trace_close(&r, e);
  return limit ? limit : st;
}

/* ---- the report ---- */

#define COUNTED(metric) ww_report_set(out, WW_M_##metric, c->metric)

void ww_trace_report(const ww_fn *fn, const ww_trace_result *t, ww_report *out) {
  const ww_counts *c = &t->sampled.tally.c;
  *out = (ww_report){.file = fn->file,
                     .kernel = fn->name,
                     .by = WW_BY_TRACE,
                     .launch = &t->launch,
                     .assumed = t->assumed.list,
                     .sampled_blocks = t->sampled.blocks,
                     .total_blocks = t->sampled.of};
  ww_report_set(out, WW_M_shared_bytes, fn->shared_bytes + t->launch.shared);
  ww_report_set(out, WW_M_local_bytes, fn->local_bytes);
  COUNTED(warp_instructions);
  ww_report_ratio(out, WW_M_active_lanes, c->thread_instructions, c->warp_instructions);
  COUNTED(flops_fp64);
  COUNTED(flops_fp32);
  COUNTED(flops_fp16);
  COUNTED(flops_tensor);
  COUNTED(int_ops);
  ww_report_ratio(out, WW_M_ld_sectors_per_request, c->global_ld_sectors,
                  c->global_ld_requests);
  ww_report_ratio(out, WW_M_st_sectors_per_request, c->global_st_sectors,
                  c->global_st_requests);
  ww_report_ratio(out, WW_M_shared_conflict_ways,
                  c->shared_ld_passes + c->shared_st_passes, c->shared_ideal_passes);
}
