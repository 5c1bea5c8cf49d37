/* answer.c - from a kernel and its launch to predictions: which GPUs can run it, what
 * the answer assumes. */
#include "answer.h"

ww_status
ww_lanes_fit(const ww_module *m, const ww_gpu *g, const char *hint, ww_err *e) {
  bool fixed = m->dialect == WW_CUDA || m->dialect == WW_HIP;
  if (!fixed || g->lanes == m->warp)
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

/* What the model is told of a GPU. */
static ww_predict_options options_of(const ww_query_targets *q, const ww_gpu *g) {
  return (ww_predict_options){.gpu = g,
                              .params = q->params,
                              .correction = q->correction,
                              .budget = q->budget,
                              .max_bytes = q->max_bytes,
                              .cancelled = q->cancelled,
                              .cancelled_ctx = q->cancelled_ctx};
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
  ww_predict_options *o = WW_NEWN(a, ww_predict_options, q->n);
  ww_prediction *p = WW_NEWN(a, ww_prediction, q->n);
  ww_assumptions *each = WW_NEWN(a, ww_assumptions, q->n);
  ww_err ignored = {0};
  ww_err *first = NULL;
  uint32_t *list = WW_NEWN(a, uint32_t, q->n);
  uint32_t n = 0; /* GPUs that can run it */
  bool any = false;
  for (uint32_t k = 0; k < q->n; k++) {
    const ww_gpu *g = &q->gpus[k];
    out[k] = (ww_prediction){0};
    if (ww_lanes_fit(m, g, hint, &out[k].report.error))
      continue;
    o[n] = options_of(q, g);
    ww_assumptions_add(&each[k], said, a);
    if (q->registers)
      o[n].registers = q->registers(q->registers_ctx, g, a, &each[k]);
    list[n++] = k;
  }
  ww_predict_many(m, fn, launch, o, n, a, p, &ignored);
  for (uint32_t i = 0; i < n; i++)
    out[list[i]] = p[i];
  for (uint32_t k = 0; k < q->n; k++) {
    ww_prediction *x = &out[k];
    ww_err why = x->report.error;
    if (why.code == WW_EUNSUPPORTED)
      ww_diags_blame_header(u, &why);
    if (why.code) {
      *x = (ww_prediction){.report = {.kernel = fn->name, .error = why}};
      first = first ? first : &x->report.error;
    } else {
      any = true;
      x->trace.launch.file = launch->file;
      x->trace.launch.kernel = fn->name;
      x->report.launch = &x->trace.launch;
      ww_query_assume(q, &each[k], a, &x->report);
    }
    x->report.file = launch->file;
    x->report.gpu = q->gpus[k].name;
  }
  if (any || !first)
    return WW_OK;
  if (e)
    *e = *first;
  return first->code;
}
