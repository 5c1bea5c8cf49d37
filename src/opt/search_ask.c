/* search_ask.c - what the search asks about candidates: how fast, and are they the same
 * kernel? In children, as many at a time as there are cores.
 *
 * A candidate is as hostile as a stranger's code: it costs its own child alone. Answers
 * are kept in the job, if there is one, and are not asked for again by a search that
 * goes on with it. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/child.h"
#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "../base/process_pool.h"
#include "../measure/plan.h"
#include "../predict/advice/advice.h"
#include "search_int.h"

#define PREDICT_SECONDS 60
#define VERIFY_BYTES (4ull << 30)
#define VERIFY_SECONDS 300 /* of wall time: other processes may be at work */

/* ---- in this process ---- */

/* Its kernel and launches: as written, and in numbers. */
static ww_status
read_candidate(ww_search *s, ww_candidate *c, ww_launch *ready, ww_err *e) {
  ww_source source = s->q->source;
  ww_query_kernel k = {.launch = c->launch};
  source.text = c->text;
  source.once = false;
  source.as_written = true; /* names and expressions follow verify's sizes */
  ww_status st = ww_query_find(NULL, &source, s->q->deadline, s->a, &c->unit, &k, e);
  if (st == WW_EUSAGE && s->out->kernel) {
    /* a parameter that became const: it has another mangled name */
    k = (ww_query_kernel){.launch = c->launch};
    k.launch.kernel = s->out->kernel;
    *e = (ww_err){0};
    st = ww_query_find(NULL, &source, s->q->deadline, s->a, &c->unit, &k, e);
  }
  if (!st && k.fn->refusal)
    st = ww_fail(e, WW_EUNSUPPORTED, "%s", k.fn->refusal);
  if (st)
    return st;
  c->fn = k.fn;
  ww_launch_copy(&k.launch, s->a, &c->launch); /* the unit may go before it */
  c->unit.source.as_written = false;
  ww_query_kernel numbers = {.fn = k.fn};
  ww_launch_copy(&k.launch, s->a, &numbers.launch);
  st = ww_query_launch(NULL, &c->unit, s->q->deadline, s->a, &numbers, e);
  *ready = numbers.launch;
  return st;
}

static ww_status predict(ww_search *s, ww_candidate *c, bool explain, ww_err *e) {
  ww_query_targets t = *s->q->targets;
  ww_prediction p;
  ww_advice advice;
  ww_launch ready;
  ww_status st = read_candidate(s, c, &ready, e);
  if (st)
    return st;
  ww_arena *own = ww_arena_new();
  t.n = 1;
  t.one_contents = true; /* candidates are compared under the same contents */
  st = ww_query_predict(c->unit.unit, c->fn, &ready, &t, NULL, own, &p, e);
  if (!st) {
    const ww_quantity *time = &p.report.m[WW_M_time_us];
    if (explain)
      ww_advise(&c->unit.unit->module, c->fn, t.gpus, t.params, &p, own, &advice);
    ww_report_copy(&p.report, s->a, &c->report);
    ww_launch_copy(&p.trace.launch, s->a, &c->ready);
    ww_job_needs_of(&p, &c->needs);
    c->us = time->value;
    c->local_bytes = p.report.m[WW_M_local_bytes].value;
    c->low = time->interval ? time->low : time->value;
    c->high = time->interval ? time->high : time->value;
  }
  ww_arena_free(own);
  return st;
}

/* What a device needs to run it. All get the original's buffers: the same bytes go in
 * everywhere. */
static void plan(ww_search *s, ww_candidate *c) {
  const ww_launch *first = s->out->v.n ? &s->out->v.v[0].planned : NULL;
  ww_assumed said = {0};
  ww_err e = {0};
  ww_launch_copy(&c->ready, s->a, &c->planned);
  if (ww_plan(&c->unit.unit->module, c->fn, &c->planned, &said, s->a, &e)) {
    c->planned = (ww_launch){0};
    return;
  }
  for (uint32_t k = 0; first && k < first->nargs && k < c->planned.nargs; k++)
    if (first->args[k].kind == WW_ARG_BUFFER && !c->planned.args[k].buffer.local)
      c->planned.args[k] = first->args[k];
}

ww_status ww_search_load(ww_search *s, ww_candidate *c, ww_err *e) {
  if (c->loaded)
    return WW_OK;
  ww_status st = predict(s, c, true, e);
  if (st) {
    ww_query_release(NULL, &c->unit);
    return st;
  }
  plan(s, c);
  c->loaded = true;
  return WW_OK;
}

void ww_search_unload(ww_candidate *c) {
  if (c->loaded)
    ww_query_release(NULL, &c->unit);
  c->loaded = false;
  c->fn = NULL;
}

uint32_t ww_search_processes(const ww_search *s) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return s->q->processes ? s->q->processes : cores > 0 ? (uint32_t)cores : 1;
}

/* ---- the job's notes ---- */

static const char *key_text(uint64_t key, ww_arena *a) {
  return ww_fmt(a, "%016" PRIx64, key);
}

static const cJSON *member(const cJSON *o, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(o, name);
}

static double number(const cJSON *o, const char *name) {
  const cJSON *v = member(o, name);
  return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

/* The note about this candidate whose first member is `kind`, of this seed; NULL:
 * there is none. */
static cJSON *
recall(const ww_search *s, const char *kind, uint64_t key, uint64_t seed) {
  const ww_job *j = s->q->job;
  const char *begins = ww_fmt(s->a, "{\"%s\":\"%016" PRIx64 "\"", kind, key);
  ww_err ignored;
  for (uint32_t k = 0; j && k < j->notes.n; k++) {
    const char *line = j->notes.v[k];
    cJSON *o =
        ww_starts(line, begins) ? ww_json_read(line, strlen(line), &ignored) : NULL;
    if (o && ww_json_whole(o, "seed") == seed)
      return o;
    cJSON_Delete(o);
  }
  return NULL;
}

static void keep(ww_search *s, ww_json *note) {
  if (!s->unkept.code)
    ww_job_note(s->q->job, note->own.s, &s->unkept);
  ww_buf_free(&note->own);
}

/* A note begins with its kind and the candidate's key: that is how it is found. */
static void keep_prediction(ww_search *s, const ww_candidate *c, const char *answer) {
  const ww_candidate *all = s->out->v.v;
  ww_json j = {0};
  ww_buf diff = {0};
  if (!s->q->job)
    return;
  ww_patch_write(ww_path_base(s->out->path), all[0].text, c->text, s->a, &diff);
  ww_json_put(&j, "{tried:%s,from:%s,rewrite:%s,title:%s,diff?:%s,answer:",
              key_text(c->key, s->a), key_text(all[c->parent].key, s->a),
              c->kind < WW_NREWRITES ? ww_rewrites[c->kind].id : "", c->title, diff.s);
  ww_json_raw(&j, answer);
  ww_json_put(&j, "}");
  keep(s, &j);
  ww_buf_free(&diff);
}

static void
keep_judgement(ww_search *s, uint64_t key, uint64_t seed, const ww_judgement *x) {
  ww_json j = {0};
  if (!s->q->job)
    return;
  ww_json_put(&j, "{judged:%s,seed:%lu,state:%s,cases:%u,unreached?:%u,why?:%s}",
              key_text(key, s->a), seed, ww_candidate_names[x->state], x->cases,
              x->unreached, x->why);
  keep(s, &j);
}

/* ---- predictions ---- */

typedef struct {
  ww_search *s;
  ww_candidate *v;
  uint32_t *ask; /* per job: which of v */
} predicting;

static void write_axes(ww_json *j, const char *name, const uint64_t v[3]) {
  ww_json_put(j, "%s:[%lu,%lu,%lu]", name, v[0], v[1], v[2]);
}

static void write_answer(const ww_candidate *c, ww_json *j) {
  const ww_job_needs *n = &c->needs;
  ww_json_put(j, "{us:%g,low:%g,high:%g,local_bytes:%g,", c->us, c->low, c->high,
              c->local_bytes);
  write_axes(j, "grid", c->ready.grid);
  write_axes(j, "block", c->ready.block);
  ww_json_put(j, "needs:[%g,%g,%g,%g,%g,%g]}", n->read_bytes, n->written_bytes,
              n->flops64, n->flops32, n->flops16, n->flops_tensor);
}

/* No answer: the time was over. */
static void predict_one(void *ctx, uint32_t job, ww_worker *w) {
  const predicting *x = ctx;
  ww_candidate c = x->v[x->ask[job]];
  ww_err e = {0};
  ww_json j = {0};
  ww_worker_begin(w, x->ask[job]);
  bool over = ww_search_over(x->s);
  ww_status st = over ? WW_ECANCEL : predict(x->s, &c, false, &e);
  if (!st)
    write_answer(&c, &j);
  else if (!over && !ww_search_over(x->s))
    ww_json_put(&j, "{error:%s}", e.msg);
  if (j.own.n)
    ww_worker_send(w, j.own.s, j.own.n);
  ww_worker_end(w);
}

static void read_axes(const cJSON *o, const char *name, uint64_t v[3]) {
  const cJSON *list = member(o, name);
  for (int k = 0; k < 3; k++) {
    const cJSON *x = cJSON_GetArrayItem(list, k);
    v[k] = cJSON_IsNumber(x) ? (uint64_t)x->valuedouble : 0;
  }
}

static double nth(const cJSON *list, int k) {
  const cJSON *x = cJSON_GetArrayItem(list, k);
  return cJSON_IsNumber(x) ? x->valuedouble : 0;
}

static void take_answer(ww_search *s, ww_candidate *c, const cJSON *o) {
  c->why = ww_json_text(o, "error", s->a);
  c->state = c->why ? WW_CANDIDATE_FAILED : WW_CANDIDATE_NO_GAIN;
  if (c->why)
    return;
  c->us = number(o, "us");
  c->low = number(o, "low");
  c->high = number(o, "high");
  c->local_bytes = number(o, "local_bytes");
  read_axes(o, "grid", c->ready.grid);
  read_axes(o, "block", c->ready.block);
  const cJSON *n = member(o, "needs");
  c->needs =
      (ww_job_needs){nth(n, 0), nth(n, 1), nth(n, 2), nth(n, 3), nth(n, 4), nth(n, 5)};
}

/* Kept as it comes: whatever ends this process, it is not asked for again. */
static void take_text(ww_search *s, ww_candidate *c, const char *answer) {
  ww_err ignored;
  cJSON *o = ww_json_read(answer, strlen(answer), &ignored);
  if (!o)
    return;
  take_answer(s, c, o);
  keep_prediction(s, c, answer);
  cJSON_Delete(o);
}

static void on_answer(
    void *ctx, uint32_t item, char *bytes, size_t n, const ww_worker_death *death) {
  const predicting *x = ctx;
  ww_json j = {0};
  if (death) {
    ww_json_put(&j, "{error:%s}", death->why);
    take_text(x->s, &x->v[item], j.own.s);
    ww_buf_free(&j.own);
  } else if (n)
    take_text(x->s, &x->v[item], bytes);
}

static ww_status search_status(const ww_search *s, ww_status st, ww_err *e) {
  if (st || !s->unkept.code)
    return st;
  *e = s->unkept;
  return e->code;
}

ww_status ww_search_predict(ww_search *s, ww_candidate *v, uint32_t n, ww_err *e) {
  predicting x = {s, v, WW_NEWN(s->a, uint32_t, n + 1)};
  uint32_t jobs = 0;
  for (uint32_t k = 0; k < n; k++) {
    cJSON *known = recall(s, "tried", v[k].key, 0);
    if (known)
      take_answer(s, &v[k], member(known, "answer"));
    else
      x.ask[jobs++] = k;
    cJSON_Delete(known);
  }
  ww_process_pool pool = {.ctx = &x,
                          .work = predict_one,
                          .done = on_answer,
                          .processes = s->q->processes,
                          .limit_s = PREDICT_SECONDS,
                          .items = jobs,
                          .what = "predicting"};
  s->out->predictions += n;
  ww_status st = jobs ? ww_process_pool_run(&pool, jobs, e) : WW_OK;
  return search_status(s, st, e);
}

/* ---- verdicts ---- */

typedef struct {
  ww_search *s;
  const uint32_t *ids;
  const ww_judging *how;
  uint32_t *ask; /* per job: which of ids */
  ww_judgement *out;
} judging;

typedef struct {
  const ww_verify_side *side;
  const ww_verify_options *how;
} comparison;

static void write_judgement(const ww_judgement *x, ww_buf *out) {
  ww_buf_fmt(out, "%d %u %u\n%s", x->state, x->cases, x->unreached,
             x->why ? x->why : "");
}

/* In a child of the child, which has a limit of its own. */
static void compare(void *ctx, ww_buf *out) {
  const comparison *x = ctx;
  ww_arena *a = ww_arena_new();
  ww_verdict v = {0};
  ww_err e = {0};
  ww_judgement found = {
      .state = WW_CANDIDATE_UNJUDGED,
      .why = e.msg,
  };
  ww_status st = ww_verify(&x->side[0], &x->side[1], x->how, a, &v, &e);
  if (!st) {
    found.state = v.same ? WW_CANDIDATE_VERIFIED : WW_CANDIDATE_DIFFERENT;
    found.cases = v.cases;
    found.unreached =
        v.missed[1] > v.missed[0] && v.unreached[1].n ? v.unreached[1].v[0].line : 0;
    found.why = v.same ? NULL
                       : ww_fmt(a, "%s%s%s with %s", ww_difference_texts[v.first.kind],
                                v.first.buffer ? " in " : "",
                                v.first.buffer ? v.first.buffer : "", v.first.at);
  }
  write_judgement(&found, out);
  ww_arena_free(a);
}

static ww_status verify(const judging *x, ww_candidate *c, ww_buf *out, ww_err *e) {
  ww_search *s = x->s;
  const ww_candidate *o = &s->out->v.v[0];
  ww_launch ready;
  ww_status st = c->loaded ? WW_OK : read_candidate(s, c, &ready, e);
  if (st)
    return st;
  ww_verify_side side[2] = {{&o->unit.unit->module, o->fn, o->launch},
                            {&c->unit.unit->module, c->fn, c->launch}};
  ww_verify_options how = {
      .seed = x->how->seed, .budget = x->how->budget, .apart = c->apart};
  comparison both = {side, &how};
  double deadline = ww_now() + VERIFY_SECONDS;
  if (s->q->deadline > 0 && s->q->deadline < deadline)
    deadline = s->q->deadline;
  return ww_child_run(&(ww_child){.work = compare,
                                  .ctx = &both,
                                  .deadline = deadline,
                                  .bytes = VERIFY_BYTES,
                                  .eager = true},
                      out, e);
}

/* No answer: the time was over. */
static void judge_one(void *ctx, uint32_t job, ww_worker *w) {
  const judging *x = ctx;
  ww_candidate c = x->s->out->v.v[x->ids[x->ask[job]]];
  ww_buf out = {0};
  ww_err e = {0};
  unsetenv("WARPWISE_PROGRESS"); /* cases of one candidate are nobody's news */
  ww_worker_begin(w, x->ask[job]);
  bool over = ww_search_over(x->s);
  if (!over && verify(x, &c, &out, &e)) {
    out.n = 0;
    ww_judgement none = {
        .state = WW_CANDIDATE_UNJUDGED,
        .why = e.msg,
    };
    if (!ww_search_over(x->s))
      write_judgement(&none, &out);
  }
  if (out.n)
    ww_worker_send(w, out.s, out.n);
  ww_worker_end(w);
}

static void on_judged(
    void *ctx, uint32_t item, char *bytes, size_t n, const ww_worker_death *death) {
  judging *x = ctx;
  ww_judgement *j = &x->out[item];
  unsigned state;
  if (death)
    *j = (ww_judgement){.state = WW_CANDIDATE_UNJUDGED,
                        .why = ww_strdup(x->s->a, death->why)};
  else if (n && sscanf(bytes, "%u %u %u", &state, &j->cases, &j->unreached) == 3 &&
           state < WW_NCANDIDATES) {
    const char *why = strchr(bytes, '\n');
    j->state = state;
    j->why = why && why[1] ? ww_strdup(x->s->a, why + 1) : NULL;
  }
  /* one that took too long may be quicker on a machine that is less busy */
  if (j->state != WW_CANDIDATE_ORIGINAL && j->state != WW_CANDIDATE_UNJUDGED)
    keep_judgement(x->s, x->s->out->v.v[x->ids[item]].key, x->how->seed, j);
}

static bool
recall_judgement(ww_search *s, uint64_t key, uint64_t seed, ww_judgement *out) {
  cJSON *o = recall(s, "judged", key, seed);
  const char *state = o ? ww_json_text(o, "state", s->a) : NULL;
  *out = (ww_judgement){0};
  for (uint32_t k = 0; state && k < WW_NCANDIDATES; k++)
    if (!strcmp(state, ww_candidate_names[k]))
      *out = (ww_judgement){.state = k,
                            .cases = ww_json_whole(o, "cases"),
                            .unreached = ww_json_whole(o, "unreached"),
                            .why = ww_json_text(o, "why", s->a)};
  cJSON_Delete(o);
  return out->state != WW_CANDIDATE_ORIGINAL;
}

ww_status ww_search_judge(ww_search *s,
                          const uint32_t *ids,
                          uint32_t n,
                          const ww_judging *how,
                          ww_judgement *out,
                          ww_err *e) {
  judging x = {s, ids, how, WW_NEWN(s->a, uint32_t, n + 1), out};
  uint32_t jobs = 0;
  for (uint32_t k = 0; k < n; k++)
    if (!recall_judgement(s, s->out->v.v[ids[k]].key, how->seed, &out[k]))
      x.ask[jobs++] = k;
  ww_process_pool pool = {.ctx = &x,
                          .work = judge_one,
                          .done = on_judged,
                          .processes = s->q->processes,
                          .items = jobs,
                          .what = "verifying"};
  ww_status st = jobs ? ww_process_pool_run(&pool, jobs, e) : WW_OK;
  return search_status(s, st, e);
}
