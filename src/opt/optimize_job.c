/* optimize_job.c - a search in two places: what was verified goes out as a job, what a
 * device measured comes back and decides. */
#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "optimize.h"

#define MOST_PROPOSED 16 /* candidates: each takes seconds on the device */

/* The fastest of the verified ones that is not listed yet; 0: none. */
static uint32_t next_best(const ww_optimized *o, const uint32_t *ids, uint32_t n) {
  uint32_t out = 0;
  for (uint32_t k = 1; k < o->v.n; k++) {
    const ww_candidate *c = &o->v.v[k];
    bool listed = false;
    for (uint32_t i = 0; i < n; i++)
      listed |= ids[i] == k;
    if (!listed && c->state == WW_CANDIDATE_VERIFIED && c->planned.grid[0] &&
        (!out || c->us < o->v.v[out].us))
      out = k;
  }
  return out;
}

/* All rewrites that led to it. */
static const char *label_of(const ww_optimized *o, uint32_t id, ww_arena *a) {
  const ww_candidate *c = &o->v.v[id];
  if (!c->title)
    return "original";
  const char *before = c->parent ? label_of(o, c->parent, a) : NULL;
  return before ? ww_fmt(a, "%s; %s", before, c->title) : c->title;
}

static ww_status add(ww_job *j,
                     const ww_optimized *o,
                     const ww_optimize_request *q,
                     uint32_t id,
                     ww_err *e) {
  const ww_candidate *c = &o->v.v[id];
  uint32_t number;
  ww_job_candidate k = {.label = label_of(o, id, j->a),
                        .file = o->path,
                        .text = c->text,
                        .flags = q->source.flags,
                        .nflags = q->source.nflags,
                        .kernel = c->planned.kernel,
                        .launch = c->planned,
                        .predicted = {true, true, c->us, c->low, c->high},
                        .needs = o->v.v[0].needs,
                        .verdict = id ? WW_JOB_SAME : WW_JOB_UNVERIFIED};
  return ww_job_add(j, &k, &number, e);
}

ww_status ww_optimized_propose(const ww_optimized *o,
                               const ww_optimize_request *q,
                               const char *path,
                               ww_arena *a,
                               ww_err *e) {
  uint32_t ids[MOST_PROPOSED];
  uint32_t n = 0;
  ww_json settings = {0};
  ww_json_put(&settings, "{kernel:%s,file:%s}", o->kernel, o->path);
  ww_job j = {.path = path,
              .tool = "optimize",
              .gpu = q->targets->gpus->name,
              .settings = ww_strdup(a, settings.own.s),
              .a = a};
  ww_buf_free(&settings.own);
  if (!o->v.v[0].planned.grid[0])
    return ww_fail(e, WW_EUNSUPPORTED,
                   "the launch of the original cannot be made ready for a device");
  ww_status st = ww_job_create(&j, e);
  if (!st)
    st = add(&j, o, q, 0, e);
  while (!st && n < MOST_PROPOSED) {
    uint32_t k = next_best(o, ids, n);
    if (!k)
      break;
    ids[n++] = k;
    st = add(&j, o, q, k, e);
  }
  return st;
}

/* ---- back ---- */

static const char *setting(const char *json, const char *name, ww_arena *a) {
  cJSON *o = ww_json_read(json, strlen(json), NULL);
  const char *text = o ? ww_json_text(o, name, a) : NULL;
  cJSON_Delete(o);
  return text;
}

static ww_candidate candidate_of(const ww_job_candidate *k) {
  const ww_job_result *r = &k->result;
  bool done = r->state == WW_JOB_MEASURED;
  return (ww_candidate){.kind = WW_NREWRITES,
                        .title = k->id ? k->label : NULL,
                        .text = k->text,
                        .launch = k->launch,
                        .ready = k->launch,
                        .state = !k->id ? WW_CANDIDATE_ORIGINAL
                                 : done ? (ww_job_faster(k) ? WW_CANDIDATE_FASTER
                                                            : WW_CANDIDATE_NOT_FASTER)
                                 : r->state == WW_JOB_NONE ? WW_CANDIDATE_VERIFIED
                                                           : WW_CANDIDATE_FAILED,
                        .why = r->why,
                        .us = done ? r->us : k->predicted.value,
                        .low = done ? r->low : k->predicted.low,
                        .high = done ? r->high : k->predicted.high,
                        .measured = done};
}

ww_status ww_optimized_resume(
    const char *path, ww_arena *a, ww_optimized *out, uint32_t *measured, ww_err *e) {
  ww_job j;
  double best = 0;
  *measured = 0;
  *out = (ww_optimized){.stopped = "a device has measured what was proposed"};
  ww_status st = ww_job_read(path, a, &j, e);
  if (st)
    return st;
  if (!j.v.n || strcmp(j.tool, "optimize"))
    return ww_fail(e, WW_EUSAGE, "'%s' is not a job of optimize", path);
  out->kernel = setting(j.settings, "kernel", a);
  out->path = setting(j.settings, "file", a);
  if (!out->kernel || !out->path)
    return ww_fail(e, WW_EDATA, "'%s' does not say which kernel it is about", path);
  for (uint32_t k = 0; k < j.v.n; k++) {
    const ww_job_candidate *c = &j.v.v[k];
    ww_candidate x = candidate_of(c);
    x.report.gpu = j.gpu;
    *measured += x.measured;
    ww_push(a, &out->v, x);
    if (ww_job_faster(c) && c->result.ratio > best) {
      best = c->result.ratio;
      out->best = k;
    }
  }
  return WW_OK;
}
