/* predict_text.c - `warpwise predict --by text`: what the language model says, many
 * launches and GPUs in one go.
 *
 * All questions are made first, so that the model answers them in shared passes; a
 * launch without a question has its error in its place. */
#include "predict_text.h"

#include "../predict/show/show.h"
#include "../query/text.h"

typedef struct {
  ww_launch launch;
  const char *kernel; /* plain */
  ww_assumptions said;
  uint32_t first; /* of its questions, one a GPU */
  ww_err error;
} asked;

typedef struct {
  ww_cmd *c;
  const ww_text_options *o;
  ww_query_targets targets;
  asked *v;
  uint32_t n;
  WW_VEC(ww_text_question) questions;
  ww_text_answer *answers;
} job;

/* ---- launches ---- */

/* One for each kernel of the file where nothing names one. */
static ww_status launches(job *j, ww_launch **out, uint32_t *n) {
  ww_cmd *c = j->c;
  ww_source_options s = j->o->ask->source;
  const char *const *names;
  char *text;
  size_t size;
  if (j->o->batch)
    s.launch = j->o->batch;
  ww_status st = ww_source_launches(c, &s, out, n);
  if (st || s.launch || s.kernel || !c->noperands)
    return st;
  const char *file = (*out)->file;
  if (ww_input_check(file, &c->err) ||
      ww_read_file(c->arena, file, 64 << 20, &text, &size, &c->err))
    return c->err.code;
  ww_strings kernels = {0};
  uint32_t found = ww_question_kernels(text, size, c->arena, &names);
  ww_strings_add(c->arena, &kernels, names, found);
  ww_source_spread(c, &kernels, out, n);
  return WW_OK;
}

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
static bool
by_host_code(job *j, ww_text_reader *source, ww_source_cache *cache, asked *x) {
  /* its error is of no use: that nothing says the launch was told already */
  ww_cmd c = *j->c;
  ww_launch l = x->launch;
  ww_err e = {0};
  if (l.grid[0] || x->error.code != WW_EUSAGE)
    return false;
  if (ww_source_kernel(&c, &j->o->ask->source, cache, &l) ||
      ww_text_reader_ready(source, &l, c.arena, &cache->said, &e))
    return false;
  x->launch = l;
  x->said = cache->said;
  x->error = (ww_err){0};
  return true;
}

static void make_questions(job *j) {
  ww_text_reader source = {0};
  ww_source_cache cache = {0};
  for (uint32_t k = 0; k < j->n; k++) {
    asked *x = &j->v[k];
    add_flags(j->c, &x->launch);
    if (j->o->ask->cache)
      x->launch.warm = !strcmp(j->o->ask->cache, "warm");
    if (ww_text_reader_ready(&source, &x->launch, j->c->arena, &x->said, &x->error) &&
        !by_host_code(j, &source, &cache, x))
      continue;
    x->kernel = ww_strdup(j->c->arena, ww_question_name(source.kernel, NULL));
    x->first = j->questions.n;
    for (uint32_t g = 0; g < j->targets.n; g++) {
      ww_text_question q;
      ww_question_ask(source.kernel, &x->launch, &j->targets.gpus[g], j->c->arena, &q);
      ww_push(j->c->arena, &j->questions, q);
    }
  }
  ww_text_reader_free(&source);
  ww_source_free(&cache);
}

/* ---- output ---- */

static void extra(void *ctx, ww_json *j) {
  const ww_text_answer *x = ctx;
  if (!x->text)
    return;
  ww_json_key(j, "text"); /* as the model wrote it, before roofs and rates */
  ww_json_raw(j, x->text);
}

/* One line a launch of a batch. */
static void print_short(const asked *x, const ww_report *r) {
  char us[16];
  char low[16];
  char high[16];
  const ww_quantity *t = &r->m[WW_M_time_us];
  unsigned long long grid = ww_volume(x->launch.grid);
  unsigned long long block = ww_volume(x->launch.block);
  printf("%-28.28s %8llu x %-5llu %-8.8s %11s   %s .. %s\n", x->kernel, grid, block,
         r->gpu, ww_show_us(t->value, us), ww_show_us(t->low, low),
         ww_show_us(t->high, high));
}

static ww_status show(job *j, const ww_text *t) {
  ww_cmd *c = j->c;
  ww_status worst = WW_OK;
  for (uint32_t k = 0; k < j->n; k++) {
    asked *x = &j->v[k];
    if (x->error.code) {
      c->err = x->error;
      c->file = x->launch.file;
      c->kernel = x->launch.kernel;
      if (j->n > 1)
        ww_cmd_complain(c);
      worst = ww_worse(worst, x->error.code);
      continue;
    }
    for (uint32_t g = 0; g < j->targets.n; g++) {
      ww_report r;
      ww_text_answer *answer = &j->answers[x->first + g];
      ww_text_report(t, answer, &j->targets.gpus[g], c->arena, &r);
      r.file = x->launch.file;
      r.kernel = x->kernel;
      r.launch = &x->launch;
      ww_query_assume(&j->targets, &x->said, c->arena, &r);
      if (c->json)
        ww_print_report(&r, extra, answer);
      else if (j->o->batch)
        print_short(x, &r);
      else {
        if (k || g)
          putchar('\n');
        ww_report_print(&r, stdout);
      }
    }
  }
  return worst;
}

ww_status ww_predict_by_text(ww_cmd *c, const ww_text_options *o) {
  job j = {.c = c, .o = o};
  ww_text *t = NULL;
  ww_launch *l;
  bool failed = ww_targets_load(c, "machine", &j.targets) ||
                ww_text_open(o->model, 0, &t, &c->err) || launches(&j, &l, &j.n);
  ww_status st = failed ? c->err.code : WW_OK;
  if (!st) {
    j.v = WW_NEWN(c->arena, asked, j.n + 1);
    for (uint32_t k = 0; k < j.n; k++)
      j.v[k].launch = l[k];
    make_questions(&j);
    j.answers = WW_NEWN(c->arena, ww_text_answer, j.questions.n + 1);
    st = ww_text_ask(t, j.questions.v, j.questions.n, !o->heads, c->arena, j.answers,
                     &c->err);
  }
  if (!st)
    st = show(&j, t);
  ww_text_close(t);
  return st;
}
