/* evaluate_run.c - predicts the launches of an evaluation, in processes of their own.
 *
 * Launches of one file and its flags are a job of the process pool: read once,
 * predicted one after the other. Of each launch comes back a line: the seconds it took,
 * and its report or two. */
#include <stdlib.h>

#include "../base/process_pool.h"
#include "../predict/text/question_evidence.h"
#include "../query/text.h"
#include "evaluate.h"

#define LIMIT_S 120

typedef struct {
  ww_cmd *c;
  const ww_evaluate_how *how;
  ww_eval_case *cases;
  uint32_t n, njobs;
  uint32_t *order;  /* cases by job */
  uint32_t *begin;  /* njobs + 1: where each job begins in order */
  bool *done;       /* per case */
  ww_params params; /* of the machine model */
} run;

/* What a worker keeps from launch to launch. */
typedef struct {
  ww_source_cache source;
  ww_text_reader text; /* the same source as the language model reads it */
  ww_text *model;      /* NULL: not opened yet */
} kept;

/* ---- one launch ---- */

static ww_status by_trace(const run *p,
                          kept *m,
                          const ww_launch *l,
                          const ww_gpu *g,
                          ww_arena *a,
                          ww_report *out,
                          ww_err *e) {
  ww_trace_options o = {.sampling = {.budget = p->how->budget},
                        .lanes = g->lanes,
                        .sms = g->sms,
                        .ran = true};
  ww_trace_result *r = WW_NEW(a, ww_trace_result);
  const ww_source_cache *s = &m->source;
  ww_status st = ww_trace(s->module, s->fn, l, &o, a, r, e);
  if (!st)
    ww_trace_report(s->fn, r, out);
  return st;
}

/* The language model, which knows what the machine model says. */
static ww_status by_evidence(const run *p,
                             kept *m,
                             const ww_launch *l,
                             const ww_prediction *said,
                             const ww_gpu *g,
                             ww_arena *a,
                             ww_report *out,
                             ww_err *e) {
  ww_text_question q;
  ww_text_answer *x = WW_NEW(a, ww_text_answer);
  ww_launch settled = *l;
  ww_status st = WW_OK;
  if (!m->model)
    st = ww_text_open(p->how->model, 1, &m->model, e);
  if (!st)
    st = ww_text_reader_ready(&m->text, &settled, a, NULL, e);
  if (st)
    return st;
  ww_question_ask(m->text.kernel, &settled, g, a, &q);
  ww_question_tell_prediction(&q, said, p->how->evidence, a);
  st = ww_text_ask(m->model, &q, 1, p->how->json, a, x, e);
  *out = x->report;
  return st;
}

/* out[1]: the same before the correction, where both are asked for. */
static ww_status by_machine(const run *p,
                            kept *m,
                            const ww_launch *l,
                            const ww_gpu *g,
                            ww_arena *a,
                            ww_report *out,
                            ww_err *e) {
  const ww_source_cache *s = &m->source;
  ww_prediction *said = WW_NEW(a, ww_prediction);
  ww_answers asked = {
      .read = &s->read,
      .module = s->module,
      .fn = s->fn,
      .launch = *l,
  };
  ww_query_targets q = {.gpus = g,
                        .n = 1,
                        .params = &p->params,
                        .budget = p->how->budget,
                        .ran = true,
                        .correction = p->how->both ? NULL : p->how->correction,
                        .built = p->how->ptxas ? ww_built_by_ptxas : ww_built_by_clang,
                        .built_ctx = &asked};
  ww_status st = ww_query_predict(s->read.unit, s->fn, l, &q, NULL, a, said, e);
  if (st)
    return st;
  if (p->how->evidence)
    return by_evidence(p, m, l, said, g, a, out, e);
  out[1] = said->report;
  out[1].kernel = s->fn->name;
  if (p->how->both)
    ww_correct(p->how->correction, g, a, said);
  out[0] = said->report;
  return WW_OK;
}

/* The one place that asks an oracle. The report lives in `a` and in the cache. */
static ww_status predict(
    const run *p, ww_cmd *c, kept *m, ww_eval_case *k, ww_arena *a, ww_report *out) {
  ww_launch l = k->launch;
  if (k->unready)
    return ww_fail(&c->err, WW_EDATA, "%s", k->unready);
  if (!k->measured.launch)
    return ww_fail(&c->err, WW_EDATA, "the measured report has no launch");
  if (!l.file)
    return ww_fail(&c->err, WW_EDATA, "the launch names no source file");
  const ww_source_cache *s = &m->source;
  /* the same scores with and without a toolkit, unless it is asked for */
  const ww_source_options source = {.via = p->how->via ? p->how->via : "clang",
                                    .lang = k->sourced ? k->member[WW_GROUP_DIALECT]
                                                       : NULL};
  if ((k->sourced ? ww_evaluate_sourced(c, &source, &m->source, k, &l)
                  : ww_source_kernel(c, &source, &m->source, &l)) ||
      ww_lanes_fit(s->module, s->fn, k->gpu, "", &c->err) ||
      (p->how->trace ? by_trace : by_machine)(p, m, &l, k->gpu, a, out, &c->err))
    return c->err.code;
  out->kernel = s->fn->name;
  return WW_OK;
}

/* ---- in a child ---- */

static void add_report(const ww_eval_case *k, ww_report *r, ww_buf *line) {
  r->file = k->measured.file;
  r->gpu = k->gpu->name;
  /* as the data has it, so that runs can be compared line by line */
  r->launch = k->measured.launch;
  r->nterms = 0;
  if (!r->kernel)
    r->kernel = k->measured.kernel;
  ww_report_write(r, &(ww_json){.out = line}, NULL, NULL);
}

static void
predict_case(const run *p, ww_cmd *c, kept *m, ww_eval_case *k, ww_worker *w) {
  ww_arena *a = ww_arena_new();
  ww_report r[2] = {0};
  ww_buf line = {0};
  double begin = ww_now();
  c->err = (ww_err){0};
  if (predict(p, c, m, k, a, r))
    r[0] = r[1] = (ww_report){.error = c->err};
  ww_buf_fmt(&line, "%.6f ", ww_now() - begin);
  add_report(k, &r[0], &line);
  if (p->how->both) {
    ww_buf_puts(&line, "\n");
    add_report(k, &r[1], &line);
  }
  ww_worker_send(w, line.s, line.n);
  ww_buf_free(&line);
  ww_arena_free(a);
}

static void predict_job(void *ctx, uint32_t job, ww_worker *w) {
  const run *p = ctx;
  kept m = {0};
  ww_cmd c = *p->c; /* its operands are data files, not sources */
  c.noperands = 0;
  for (uint32_t i = p->begin[job]; i < p->begin[job + 1]; i++) {
    uint32_t index = p->order[i];
    if (p->done[index])
      continue; /* the child before this one died of it, or got it done */
    ww_worker_begin(w, index);
    predict_case(p, &c, &m, &p->cases[index], w);
    ww_worker_end(w);
  }
}

/* ---- the parent ---- */

static void take_report(const run *p, const char *text, ww_report *r) {
  ww_err e = {0};
  if (ww_report_parse(text, p->c->arena, r, &e))
    *r = (ww_report){.error = e};
}

static void take_case(
    void *ctx, uint32_t index, char *line, size_t n, const ww_worker_death *death) {
  run *p = ctx;
  ww_eval_case *k = &p->cases[index];
  (void)n;
  p->done[index] = true;
  if (death) {
    ww_err *e = &k->predicted.error;
    if (death->late)
      ww_fail(e, WW_ELIMIT, "%s", death->why);
    else
      ww_fail(e, WW_EUNSUPPORTED, "the prediction %s", death->why);
    return;
  }
  k->seconds = strtod(line, &line);
  char *plain = strchr(line, '\n'); /* before the correction */
  if (plain)
    *plain++ = 0;
  take_report(p, line + 1, &k->predicted);
  if (plain)
    take_report(p, plain, &k->plain);
}

/* ---- jobs ---- */

static const char *key_of(const ww_eval_case *k, ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(&b, k->launch.file ? k->launch.file : "");
  for (uint32_t i = 0; i < k->launch.nmore; i++)
    ww_buf_fmt(&b, "\n%s", k->launch.more[i]);
  for (uint32_t i = 0; i < k->launch.nflags; i++)
    ww_buf_fmt(&b, "\n%s", k->launch.flags[i]);
  return ww_buf_text(&b, a);
}

typedef struct {
  const char *key;
  uint32_t at;
} keyed;

static int by_key(const void *a, const void *b) {
  const keyed *x = a;
  const keyed *y = b;
  int d = strcmp(x->key, y->key);
  return d ? d : (x->at > y->at) - (x->at < y->at);
}

static void make_jobs(run *p) {
  ww_arena *a = p->c->arena;
  keyed *all = WW_NEWN(a, keyed, p->n + 1);
  for (uint32_t k = 0; k < p->n; k++)
    all[k] = (keyed){key_of(&p->cases[k], a), k};
  qsort(all, p->n, sizeof *all, by_key);
  p->order = WW_NEWN(a, uint32_t, p->n + 1);
  p->begin = WW_NEWN(a, uint32_t, p->n + 1);
  for (uint32_t k = 0; k < p->n; k++) {
    p->order[k] = all[k].at;
    if (!k || strcmp(all[k].key, all[k - 1].key))
      p->begin[p->njobs++] = k;
  }
  p->begin[p->njobs] = p->n;
}

static void unanswered_left(run *p) {
  for (uint32_t k = 0; k < p->n; k++) {
    ww_report *r = &p->cases[k].predicted;
    if (!r->error.code && !r->kernel)
      ww_fail(&r->error, WW_EIO, "no worker could be started");
  }
}

ww_status ww_evaluate_predict(ww_cmd *c,
                              const ww_evaluate_how *how,
                              ww_eval_case *cases,
                              uint32_t n,
                              bool *mine) {
  run p = {
      .c = c,
      .how = how,
      .cases = cases,
      .n = n,
  };
  *mine = true;
  if (!n)
    return WW_OK;
  if (ww_params_load(c->arena, &p.params, &c->err))
    return c->err.code;
  p.done = WW_NEWN(c->arena, bool, n);
  make_jobs(&p);
  ww_process_pool pool = {.ctx = &p,
                          .work = predict_job,
                          .done = take_case,
                          .processes = how->jobs,
                          .limit_s = how->limit_s ? how->limit_s : LIMIT_S,
                          .resume = true,
                          .items = n,
                          .what = "predicting"};
  bool shared = how->parts && how->parts->size > 1;
  ww_status st = ww_parts_run(how->parts, &pool, p.njobs, mine, &c->err);
  if (st && shared)
    return st;
  unanswered_left(&p); /* of which some could not be started */
  return WW_OK;
}
