/* predict_text.c - `warpwise predict --by text`: single launches and batches before the
 * language model.
 *
 * All questions are made first, so that the model answers them in shared passes. With
 * --evidence each launch is predicted by the machine model before, as far as a compiler
 * takes its source. */
#include "../predict/text/question_evidence.h"
#include "../query/text.h"
#include "../predict/show/show.h"
#include "predict.h"

typedef ww_predict_job job;

typedef struct {
  ww_launch launch;
  const char *kernel; /* plain */
  ww_assumptions said;
  uint32_t first; /* of its questions, one a GPU */
  ww_err error;
} asked;

typedef struct {
  asked *v; /* one a launch */
  uint32_t n;
  WW_VEC(ww_text_question) questions;
  ww_text_answer *answers;
} text_job;

static void add_flags(ww_cmd *c, ww_launch *l) {
  ww_strings flags = {0};
  ww_strings_add(c->arena, &flags, l->flags, l->nflags);
  ww_strings_add(c->arena, &flags, c->rest, c->nrest);
  l->flags = flags.v;
  l->nflags = flags.n;
}

/* Neither spec nor comment say how it is launched: the host code may, which a compiler
 * has to read.
 */
static bool by_host_code(job *j, ww_text_reader *source, asked *x) {
  /* its error is of no use: that nothing says the launch was told already */
  ww_cmd c = *j->c;
  ww_launch l = x->launch;
  ww_err e = {0};
  if (l.grid[0] || x->error.code != WW_EUSAGE)
    return false;
  ww_source_cache *cache = &j->ask.cache;
  if (ww_source_kernel(&c, &j->asked.source, cache, &l) ||
      ww_text_reader_ready(source, &l, c.arena, &cache->said, &e))
    return false;
  x->launch = l;
  x->said = cache->said;
  x->error = (ww_err){0};
  return true;
}

/* What the machine model says of a launch, for the question. Where no compiler takes
 * the source, its text alone is asked about, and the answer says so. */
static bool trace_launch(job *j, asked *x, ww_answers *out) {
  ww_cmd *c = j->c;
  ww_launch l = x->launch;
  *out = (ww_answers){0};
  if (!j->evidence)
    return false;
  if (!ww_answers_make(&j->ask, &l, out)) {
    x->launch = l;
    return true;
  }
  ww_push(c->arena, &x->said,
          (ww_assumption){WW_ASSUME_TEXT_ALONE, ww_strdup(c->arena, c->err.msg), {0}});
  c->err = (ww_err){0};
  return false;
}

static void ask_gpu(job *j,
                    const ww_question_kernel *kernel,
                    const ww_launch *l,
                    const ww_prediction *p,
                    text_job *t) {
  ww_text_question q;
  const ww_gpu *g = &j->ask.targets.gpus[t->questions.n % j->ask.targets.n];
  ww_question_ask(kernel, l, g, j->c->arena, &q);
  if (p && !p->report.error.code)
    ww_question_tell_prediction(&q, p, j->evidence, j->c->arena);
  ww_push(j->c->arena, &t->questions, q);
}

static void ask_about(job *j, ww_text_reader *source, asked *x, text_job *t) {
  ww_answers traced;
  bool known;
  add_flags(j->c, &x->launch);
  if (j->asked.cache)
    x->launch.warm = !strcmp(j->asked.cache, "warm");
  known = trace_launch(j, x, &traced);
  if (!ww_text_reader_ready(source, &x->launch, j->c->arena, &x->said, &x->error) ||
      by_host_code(j, source, x)) {
    x->kernel = ww_strdup(j->c->arena, ww_question_name(source->kernel, NULL));
    x->first = t->questions.n;
    for (uint32_t g = 0; g < j->ask.targets.n; g++)
      ask_gpu(j, source->kernel, &x->launch, known ? &traced.p[g] : NULL, t);
  }
  if (known)
    ww_answers_free(&traced);
}

static void make_questions(job *j, text_job *t) {
  ww_text_reader source = {0};
  for (uint32_t k = 0; k < t->n; k++)
    ask_about(j, &source, &t->v[k], t);
  ww_text_reader_free(&source);
}

static void add_text(void *ctx, ww_json *j) {
  const ww_text_answer *x = ctx;
  if (!x->text)
    return;
  ww_json_key(j, "text"); /* as the model wrote it, before roofs and rates */
  ww_json_raw(j, x->text);
  if (x->why)
    ww_json_kstr(j, "why", x->why);
}

/* One line a launch of a batch. */
static void print_text(const asked *x, const ww_report *r) {
  char us[16];
  char low[16];
  char high[16];
  const ww_quantity *t = &r->m[WW_M_time_us];
  unsigned long long grid = ww_volume(x->launch.grid);
  unsigned long long block = ww_volume(x->launch.block);
  printf("%-28s %8llu x %-5llu %-8s %11s   %s .. %s\n", x->kernel, grid, block, r->gpu,
         ww_show_us(t->value, us), ww_show_us(t->low, low), ww_show_us(t->high, high));
}

static void show_text(job *j, const text_job *t, const asked *x) {
  ww_cmd *c = j->c;
  for (uint32_t g = 0; g < j->ask.targets.n; g++) {
    ww_text_answer *answer = &t->answers[x->first + g];
    ww_report *r = &answer->report;
    r->file = x->launch.file;
    r->kernel = x->kernel;
    r->launch = &x->launch;
    ww_query_assume(&j->ask.targets, &x->said, c->arena, r);
    if (c->json)
      ww_print_report(r, add_text, answer);
    else if (j->o->batch)
      print_text(x, r);
    else {
      if (x > t->v || g)
        putchar('\n');
      ww_report_print(r, stdout);
      if (answer->why)
        printf("\n%s\n", answer->why);
    }
  }
}

static ww_status show_texts(job *j, text_job *t) {
  ww_cmd *c = j->c;
  ww_status worst = WW_OK;
  for (uint32_t k = 0; k < t->n; k++) {
    asked *x = &t->v[k];
    worst = ww_worse(worst, x->error.code);
    if (!x->error.code) {
      show_text(j, t, x);
      continue;
    }
    c->err = x->error;
    c->file = x->launch.file;
    c->kernel = x->launch.kernel;
    if (t->n > 1)
      ww_cmd_complain(c);
  }
  return worst;
}

/* All questions are made first, so that the model answers them in shared passes; a
 * launch without a question has its error in its place. */
ww_status ww_predict_by_text(ww_predict_job *j) {
  ww_cmd *c = j->c;
  text_job t = {.n = j->ask.n};
  ww_text *model;
  ww_status st = ww_text_open(j->o->model, 0, &model, &c->err);
  if (st)
    return st;
  t.v = WW_NEWN(c->arena, asked, t.n + 1);
  for (uint32_t k = 0; k < t.n; k++)
    t.v[k].launch = j->ask.launches[k];
  make_questions(j, &t);
  t.answers = WW_NEWN(c->arena, ww_text_answer, t.questions.n + 1);
  st = ww_text_ask(model, t.questions.v, t.questions.n, !j->o->heads, c->arena,
                   t.answers, &c->err);
  if (!st)
    st = show_texts(j, &t);
  ww_text_close(model);
  return st;
}
