/* answer.c - from a unit to answers: kernel, launch, GPUs.
 *
 * What is said of a launch, weakest first: the host code's own <<<...>>>, the comment in the
 * source, what the caller gives. Each is put over the one before. */
#include "answer.h"

/* ---- the kernel ---- */

static ww_status no_kernel(const ww_unit *u, const char *file, const char *asked, ww_err *e) {
  const ww_module *m = &u->module;
  ww_buf names = {0};
  uint32_t n = 0;
  ww_status st;
  for (uint32_t k = 0; k < m->nfns; k++)
    if (m->fns[k].kernel && names.n < 300)
      ww_buf_fmt(&names, "%s%s", n++ ? ", " : "", m->fns[k].name);
  if (!n) {
    const char *why = NULL; /* templates that nobody instantiates */
    for (uint32_t k = 0; k < u->ndiags && !why; k++)
      why = u->diags[k].file ? u->diags[k].message : NULL;
    st =
        ww_fail(e, WW_EDATA, "there is no kernel in %s%s%s", file, why ? ": " : "", why ? why : "");
    if (e && !why)
      e->reason = WW_REASON_NO_KERNEL;
  } else if (asked)
    st = ww_fail(e, WW_EUSAGE, "%s has no kernel `%s` (or several of that name); it has %s", file,
                 asked, names.s);
  else
    st = ww_fail(e, WW_EUSAGE, "%s has several kernels, name one with --kernel: %s", file, names.s);
  ww_buf_free(&names);
  return st;
}

ww_status ww_answer_kernel(const ww_unit *u, const char *file, const char *name, const ww_fn **fn,
                           ww_err *e) {
  const ww_module *m = &u->module;
  uint32_t kernels = 0;
  *fn = name ? ww_ir_find(m, name) : NULL;
  for (uint32_t k = 0; !name && k < m->nfns; k++)
    if (m->fns[k].kernel && kernels++ == 0)
      *fn = &m->fns[k];
  if (*fn && kernels <= 1)
    return WW_OK;
  *fn = NULL;
  return no_kernel(u, file, name, e);
}

/* ---- the launch ---- */

bool ww_answer_complete(const ww_launch *l, const ww_fn *fn) {
  return (l->grid[0] || l->grid_expr[0]) && (l->block[0] || l->block_expr[0]) &&
         l->nargs >= fn->nparams;
}

ww_status ww_answer_launch(const ww_fn *fn, const char *comment, const ww_host_launch *host,
                           uint32_t nhost, ww_arena *a, ww_launch *launch, ww_assumptions *said,
                           ww_err *e) {
  ww_launch under = {0}, noted = {0};
  ww_status st = comment ? ww_launch_comment(comment, a, &noted, e) : WW_OK;
  if (st)
    return st;
  for (uint32_t k = 0; k < nhost; k++) {
    const ww_host_launch *h = &host[k];
    if (strcmp(h->kernel, fn->mangled) != 0 && !ww_ir_same_internal(h->kernel, fn->mangled))
      continue;
    ww_launch_merge(&under, &h->launch, a);
    const char *file = ww_path_base(h->file ? h->file : fn->file);
    ww_push(a, said, (ww_assumption){WW_ASSUME_HOST_LAUNCH, ww_strdup(a, file), {h->line}});
    break;
  }
  ww_launch_merge(&under, &noted, a);
  ww_launch_merge(&under, launch, a);
  *launch = under;
  return WW_OK;
}

/* ---- GPUs ---- */

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

static void add_said(const ww_question *q, const ww_assumptions *said, ww_arena *a, ww_report *r) {
  ww_assumptions all = {0};
  if (q->assumed)
    ww_push(a, &all, (ww_assumption){WW_ASSUME_GPU, "h200", {0}});
  ww_assumptions_add(&all, said, a);
  ww_assumptions_add(&all, &r->assumed, a);
  r->assumed = all;
}

/* Which GPUs the code can run on, and what the model is told of each; the others have their error.
 */
static uint32_t ready(const ww_module *m, const ww_question *q, const ww_assumptions *said,
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

ww_status ww_answer(const ww_unit *u, const ww_fn *fn, const ww_launch *launch,
                    const ww_question *q, const ww_assumptions *said, ww_arena *a,
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
