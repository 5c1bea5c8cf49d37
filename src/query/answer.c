/* answer.c - from a kernel and its launch to predictions: which GPUs can run it, what the answer
 * assumes. */
#include "answer.h"

#include "../predict/show/show.h"

/* OpenCL and OpenMP code takes the GPU's lanes; CUDA and HIP code is compiled for one vendor's. */
static ww_status fits(const ww_module *m, const ww_gpu *g, ww_err *e) {
  bool fixed = m->dialect == WW_CUDA || m->dialect == WW_HIP;
  if (!fixed || g->lanes == m->warp)
    return WW_OK;
  return ww_fail(e, WW_EUSAGE,
                 "%s code is read for warps of %u lanes, %s has %u: name another GPU%s",
                 ww_dialect_names[m->dialect], m->warp, g->full_name, g->lanes,
                 m->dialect == WW_CUDA ? ", or read it with --lang hip" : "");
}

static void add_said(const ww_query_targets *q, const ww_assumptions *said, ww_arena *a,
                     ww_report *r) {
  ww_assumptions all = {0};
  if (q->assumed)
    ww_push(a, &all, (ww_assumption){WW_ASSUME_GPU, "h200", {0}});
  ww_assumptions_add(&all, said, a);
  ww_assumptions_add(&all, &r->assumed, a);
  r->assumed = all;
}

/* Which GPUs the code can run on, and what the model is told of each; the others have their error.
 */
static uint32_t ready(const ww_module *m, const ww_query_targets *q, const ww_assumptions *said,
                      ww_arena *a, ww_predict_options *o, uint32_t *list, ww_assumptions *each,
                      ww_err *errors) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < q->n; k++) {
    const ww_gpu *g = &q->gpus[k];
    if (fits(m, g, &errors[k]))
      continue;
    o[n] = (ww_predict_options){.gpu = g,
                                .params = q->params,
                                .correction = q->correction,
                                .budget = q->budget,
                                .max_bytes = q->max_bytes,
                                .cancelled = q->cancelled,
                                .cancelled_ctx = q->cancelled_ctx};
    ww_assumptions_add(&each[k], said, a);
    if (q->registers)
      o[n].registers = q->registers(q->registers_ctx, g, a, &each[k]);
    list[n++] = k;
  }
  return n;
}

ww_status ww_query_predict(const ww_unit *u, const ww_fn *fn, const ww_launch *launch,
                           const ww_query_targets *q, const ww_assumptions *said, ww_arena *a,
                           ww_prediction *out, ww_err *e) {
  ww_predict_options *o = WW_NEWN(a, ww_predict_options, q->n);
  ww_prediction *p = WW_NEWN(a, ww_prediction, q->n);
  ww_err *errors = WW_NEWN(a, ww_err, q->n), *first = NULL, ignored = {0};
  ww_assumptions *each = WW_NEWN(a, ww_assumptions, q->n);
  uint32_t *list = WW_NEWN(a, uint32_t, q->n),
           n = ready(&u->module, q, said, a, o, list, each, errors);
  bool any = false;
  ww_predict_many(&u->module, fn, launch, o, n, a, p, &ignored);
  for (uint32_t i = 0; i < n; i++) {
    errors[list[i]] = p[i].report.error;
    out[list[i]] = p[i];
  }
  for (uint32_t k = 0; k < q->n; k++) {
    ww_prediction *x = &out[k];
    if (errors[k].code) {
      if (errors[k].code == WW_EUNSUPPORTED)
        ww_diags_blame_header(u, &errors[k]);
      if (!first)
        first = &errors[k];
      *x = (ww_prediction){.report = {.kernel = fn->name, .error = errors[k]}};
    } else {
      any = true;
      x->trace.launch.file = launch->file;
      x->trace.launch.kernel = fn->name;
      x->report.launch = &x->trace.launch;
      add_said(q, &each[k], a, &x->report);
      ww_predict_terms(x, a);
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
