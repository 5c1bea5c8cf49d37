/* optimize_job.c - a search in two places: what was verified goes out as a job, what a
 * device measured comes back and decides. */
#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "optimize.h"

/* All rewrites that led to it. */
static const char *label_of(const ww_optimized *o, uint32_t id, ww_arena *a) {
  const ww_candidate *c = &o->v.v[id];
  if (!c->title)
    return "original";
  const char *before = c->parent ? label_of(o, c->parent, a) : NULL;
  return before ? ww_fmt(a, "%s; %s", before, c->title) : c->title;
}

static bool is_same(const ww_job_candidate *k, const ww_candidate *c) {
  return !strcmp(k->text, c->text) &&
         !memcmp(k->launch.grid, c->planned.grid, sizeof c->planned.grid) &&
         !memcmp(k->launch.block, c->planned.block, sizeof c->planned.block);
}

ww_status ww_optimized_add(const ww_optimized *o,
                           const ww_optimize_request *q,
                           uint32_t id,
                           uint32_t *number,
                           ww_err *e) {
  const ww_candidate *c = &o->v.v[id];
  ww_job *j = q->job;
  for (*number = 0; *number < j->v.n; ++*number)
    if (is_same(&j->v.v[*number], c))
      return WW_OK;
  ww_job_candidate k = {.label = label_of(o, id, j->a),
                        .file = ww_path_real(j->a, o->path),
                        .text = c->text,
                        .flags = q->source.flags,
                        .nflags = q->source.nflags,
                        .kernel = c->planned.kernel,
                        .launch = c->planned,
                        .predicted = {true, true, c->us, c->low, c->high},
                        .needs = o->v.v[0].needs,
                        .verdict = id ? WW_JOB_SAME : WW_JOB_UNVERIFIED};
  return ww_job_add(j, &k, number, e);
}

bool ww_optimized_complete(const ww_job *j) {
  for (uint32_t k = 0; k < j->notes.n; k++)
    if (ww_starts(j->notes.v[k], "{\"searched\""))
      return true;
  return false;
}

/* ---- back ---- */

static const char *setting(const char *json, const char *name, ww_arena *a) {
  cJSON *o = ww_json_read(json, strlen(json), NULL);
  const char *text = o ? ww_json_text(o, name, a) : NULL;
  cJSON_Delete(o);
  return text;
}

static ww_candidate_state state_of(const ww_job_candidate *k) {
  if (!k->id)
    return WW_CANDIDATE_ORIGINAL;
  if (k->result.state == WW_JOB_NONE)
    return WW_CANDIDATE_VERIFIED;
  if (k->result.state != WW_JOB_MEASURED)
    return WW_CANDIDATE_FAILED;
  return ww_job_faster(k) ? WW_CANDIDATE_FASTER : WW_CANDIDATE_NOT_FASTER;
}

static ww_candidate candidate_of(const ww_job_candidate *k) {
  return (ww_candidate){.kind = WW_NREWRITES,
                        .title = k->id ? k->label : NULL,
                        .text = k->text,
                        .launch = k->launch,
                        .ready = k->launch,
                        .state = state_of(k),
                        .why = k->result.why,
                        .us = k->predicted.value,
                        .low = k->predicted.low,
                        .high = k->predicted.high,
                        .result = k->result};
}

ww_status ww_optimized_resume(
    const ww_job *j, ww_arena *a, ww_optimized *out, uint32_t *measured, ww_err *e) {
  double best = 0;
  *measured = 0;
  *out = (ww_optimized){.stopped = "a device has measured what was proposed"};
  out->kernel = setting(j->settings, "kernel", a);
  out->path = setting(j->settings, "file", a);
  if (!out->path || !j->v.n)
    return ww_fail(e, WW_EDATA, "%s does not say which kernel it is about", j->path);
  if (!out->kernel)
    out->kernel = j->v.v[0].kernel;
  for (uint32_t k = 0; k < j->v.n; k++) {
    const ww_job_candidate *c = &j->v.v[k];
    ww_candidate x = candidate_of(c);
    x.report.gpu = j->gpu;
    *measured += ww_candidate_measured(&x);
    ww_push(a, &out->v, x);
    if (ww_job_faster(c) && c->result.ratio > best) {
      best = c->result.ratio;
      out->best = k;
    }
  }
  return WW_OK;
}
