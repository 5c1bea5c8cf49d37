/* tune_job.c - variants as candidates of a job, measured ones back into the ranking,
 * and verify's word on a variant.
 *
 * All candidates get the original's buffers: what a launch leaves open is found once,
 * so that the same bytes go in everywhere. */
#include <math.h>

#include "../measure/plan.h"
#include "tune_job.h"

/* What the original's plan says of buffers goes over what the variant's says. */
static void same_buffers(const ww_launch *from, ww_launch *to) {
  uint32_t n = from->nargs < to->nargs ? from->nargs : to->nargs;
  for (uint32_t k = 0; k < n; k++)
    if (from->args[k].kind == WW_ARG_BUFFER && !to->args[k].buffer.local)
      to->args[k] = from->args[k];
  to->symbols = from->symbols;
  to->nsymbols = from->nsymbols;
}

ww_status ww_tune_propose(ww_tune *t, uint32_t which, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_tuned *v = &t->v[which];
  ww_query_unit unit = {0};
  ww_query_kernel k;
  ww_prediction p = {0};
  ww_source source;
  ww_variant x;
  ww_assumed said = {0};
  ww_launch l;
  ww_status st = ww_tune_one(t, v, a, &unit, &k, &p, e);
  if (!st) {
    ww_launch_copy(&p.trace.launch, a, &l);
    st = ww_plan(&unit.unit->module, k.fn, &l, &said, a, e);
  }
  if (!st) {
    ww_tune_source(t, v, a, &source);
    ww_space_variant(t->space, v->c, t->text, a, &x);
    if (t->job->v.n)
      same_buffers(&t->job->v.v[0].launch, &l);
    ww_job_candidate c = {.label = v->label,
                          .file = ww_path_base(t->source.path),
                          .text = source.text,
                          .flags = source.flags,
                          .nflags = source.nflags,
                          .kernel = x.kernel ? x.kernel : l.kernel,
                          .launch = l,
                          .predicted = {v->known, true, v->us, v->low, v->high},
                          .needs = v->needs,
                          .verdict = v->verdict};
    ww_job_value *values = WW_NEWN(a, ww_job_value, t->space->n + 1);
    for (uint32_t i = 0; i < t->space->n; i++)
      values[i] = (ww_job_value){t->space->axes[i].name, t->space->axes[i].v[v->c[i]]};
    c.values = values;
    c.nvalues = t->space->n;
    st = ww_job_add(t->job, &c, &v->candidate, e);
  }
  if (st && e->file)
    e->file = ww_strdup(t->a, e->file);
  ww_query_release(NULL, &unit);
  ww_arena_free(a);
  return st;
}

static bool
same_values(const ww_tune *t, const ww_tuned *v, const ww_job_candidate *c) {
  for (uint32_t k = 0; k < t->space->n; k++)
    if (k >= c->nvalues || c->values[k].value != t->space->axes[k].v[v->c[k]])
      return false;
  return true;
}

void ww_tune_take(ww_tune *t) {
  for (uint32_t k = 0; k < t->job->v.n; k++) {
    const ww_job_candidate *c = &t->job->v.v[k];
    for (uint32_t i = 0; i < t->n; i++) {
      ww_tuned *v = &t->v[i];
      if (v->candidate != k &&
          (v->candidate != WW_NOT_PROPOSED || !same_values(t, v, c)))
        continue;
      v->candidate = k;
      if (c->result.state == WW_JOB_MEASURED)
        v->measured_us = c->result.us;
      else if (c->result.state != WW_JOB_NONE)
        v->measured_us = INFINITY;
      break;
    }
  }
}

uint32_t ww_tune_original(const ww_tune *t) {
  ww_config c;
  ww_space_original(t->space, c);
  for (uint32_t k = 0; k < t->n; k++)
    if (!memcmp(t->v[k].c, c, sizeof c) && !t->v[k].refused && t->v[k].known)
      return k;
  for (uint32_t k = 0; k < t->n; k++)
    if (!t->v[k].refused && t->v[k].known)
      return k;
  return UINT32_MAX;
}

ww_status ww_tune_verify(const ww_tune *t,
                         const ww_tuned *old,
                         ww_tuned *new,
                         const ww_verify_options *how,
                         ww_err *e) {
  ww_arena *a = ww_arena_new();
  const ww_tuned *v[2] = {old, new};
  ww_query_unit unit[2] = {0};
  ww_verify_side side[2];
  ww_verdict verdict;
  ww_status st = WW_OK;
  for (int k = 0; !st && k < 2; k++) {
    ww_query_kernel found;
    st = ww_tune_read(t, v[k], a, &unit[k], &found, e);
    if (st)
      break;
    side[k] = (ww_verify_side){&unit[k].unit->module, found.fn, found.launch};
    ww_space_launch(t->space, v[k]->c, a, &side[k].launch);
    ww_space_shape_written(t->space, v[k]->c, a, &side[k].launch);
  }
  if (!st)
    st = ww_verify(&side[0], &side[1], how, a, &verdict, e);
  if (!st) {
    new->verdict = verdict.same ? WW_JOB_SAME : WW_JOB_DIFFERENT;
    new->difference = verdict.same ? NULL : ww_strdup(t->a, verdict.first.what);
  } else if (e->file)
    e->file = ww_strdup(t->a, e->file);
  for (int k = 0; k < 2; k++)
    ww_query_release(NULL, &unit[k]);
  ww_arena_free(a);
  return st;
}
