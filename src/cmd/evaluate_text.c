/* evaluate_text.c - measured launches before the language model: questions of many
 * launches share their passes.
 *
 * No worker processes: the model runs on all cores by itself, and a question cannot
 * die. */
#include "evaluate.h"
#include "../query/text.h"

enum { AT_ONCE = 256 }; /* questions kept at a time */

typedef struct {
  ww_cmd *c;
  ww_text *text;
  bool json;
  ww_arena *arena; /* of the present questions */
  ww_text_question questions[AT_ONCE];
  ww_text_answer answers[AT_ONCE];
  ww_eval_case *of[AT_ONCE];
  uint32_t n;
} job;

static void keep(job *j, ww_eval_case *k, const ww_text_answer *x, double seconds) {
  ww_report *r = &k->predicted;
  *r = x->report;
  r->assumed = (ww_assumptions){0}; /* it lies in what is freed */
  ww_assumptions_add(&r->assumed, &x->report.assumed, j->c->arena);
  r->file = k->measured.file;
  r->kernel = k->measured.kernel;
  r->launch = k->measured.launch;
  k->seconds = seconds;
}

static ww_status answer(job *j) {
  double begin = ww_now();
  ww_status st = ww_text_ask(j->text, j->questions, j->n, j->json, j->arena, j->answers,
                             &j->c->err);
  for (uint32_t i = 0; i < j->n && !st; i++)
    keep(j, j->of[i], &j->answers[i], (ww_now() - begin) / j->n);
  ww_arena_free(j->arena);
  j->arena = ww_arena_new();
  j->n = 0;
  return st;
}

static ww_status question(job *j, ww_text_reader *s, ww_eval_case *k, ww_err *e) {
  ww_launch l = k->launch;
  if (k->unready)
    return ww_fail(e, WW_EDATA, "%s", k->unready);
  if (!k->measured.launch || !l.file)
    return ww_fail(e, WW_EDATA,
                   "the measured report has no launch, or it names no source file");
  ww_status st = ww_text_reader_ready(s, &l, j->arena, NULL, e);
  if (!st)
    ww_question_ask(s->kernel, &l, k->gpu, j->arena, &j->questions[j->n]);
  return st;
}

ww_status ww_evaluate_text(
    ww_cmd *c, const char *model, bool json, ww_eval_case *cases, uint32_t n) {
  job *j = WW_NEW(c->arena, job);
  ww_text_reader source = {0};
  *j = (job){.c = c, .json = json, .arena = ww_arena_new()};
  ww_status st = ww_text_open(model, 0, &j->text, &c->err);
  for (uint32_t k = 0; k < n && !st; k++) {
    ww_err e = {0};
    if (question(j, &source, &cases[k], &e))
      cases[k].predicted = (ww_report){.file = cases[k].measured.file,
                                       .kernel = cases[k].measured.kernel,
                                       .error = e};
    else
      j->of[j->n++] = &cases[k];
    if (j->n == AT_ONCE || k + 1 == n)
      st = answer(j);
    ww_progress("predicting", k + 1, n);
  }
  ww_text_reader_free(&source);
  ww_text_close(j->text);
  ww_arena_free(j->arena);
  return st;
}
