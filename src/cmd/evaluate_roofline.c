/* evaluate_roofline.c - `warpwise evaluate --task roofline`: is a kernel
 * bandwidth-bound or compute-bound, from its source? Answered by our predictors and by
 * language models about the same kernels, and scored by the same rules.
 *
 * The kernels are a balanced draw from a table of profiled launches: of each language
 * and class as many, the first launch of each kernel; which ones depends on the seed
 * and the names alone. No answer counts as a wrong one. */
#include <math.h>
#include <stdlib.h>

#include "evaluate.h"

static const char *const languages[] = {"cuda", "openmp"};
enum { PER_CLASS = 80, SEED = 505, STRATA = 2 * WW_COUNT(languages) };

typedef struct {
  const char *language;
  ww_bound is;
  uint32_t n, of;
} stratum;

typedef struct {
  ww_cmd *c;
  ww_roofline_task *t;
  stratum strata[STRATA];
  ww_eval_case *cases;
  uint32_t n;
  WW_VEC(ww_roofline_row) rows;
} run;

/* ---- the draw ---- */

typedef struct {
  uint64_t order;
  uint32_t at;
} drawn;

static int by_order(const void *a, const void *b) {
  const drawn *x = a;
  const drawn *y = b;
  return (x->order > y->order) - (x->order < y->order);
}

static bool seen_before(const ww_eval_case *v, uint32_t k) {
  for (uint32_t i = 0; i < k; i++)
    if (!strcmp(v[i].name, v[k].name) && !strcmp(v[i].run, v[k].run))
      return true;
  return false;
}

/* All kernels of one language and class, in the seed's order. */
static drawn *candidates(const run *r, const ww_eval_case *v, uint32_t n, stratum *s) {
  drawn *all = WW_NEWN(r->c->arena, drawn, n + 1);
  for (uint32_t k = 0; k < n; k++) {
    const char *language = v[k].member[WW_GROUP_DIALECT];
    if (!language || strcmp(language, s->language) || v[k].truth != s->is ||
        seen_before(v, k))
      continue;
    uint64_t order = ww_hash(v[k].run, strlen(v[k].run) + 1, r->t->seed);
    order = ww_hash(v[k].name, strlen(v[k].name), order);
    all[s->of++] = (drawn){order, k};
  }
  qsort(all, s->of, sizeof *all, by_order);
  return all;
}

/* As many of each as the smallest stratum has, in the table's order. */
static void draw(run *r, ww_eval_case *v, uint32_t n) {
  drawn *of[STRATA];
  uint32_t each = r->t->per_class < UINT32_MAX ? r->t->per_class : UINT32_MAX;
  bool *taken = WW_NEWN(r->c->arena, bool, n + 1);
  for (uint32_t k = 0; k < n; k++)
    v[k].truth = ww_bound_of(&v[k].measured, &v[k].balance);
  for (uint32_t k = 0; k < STRATA; k++) {
    r->strata[k] = (stratum){.language = languages[k / 2],
                             .is = k % 2 ? WW_BOUND_COMPUTE : WW_BOUND_BANDWIDTH};
    of[k] = candidates(r, v, n, &r->strata[k]);
    if (r->strata[k].of)
      each = ww_least(each, r->strata[k].of);
  }
  for (uint32_t k = 0; k < STRATA; k++)
    for (uint32_t i = 0; i < each && i < r->strata[k].of; i++, r->strata[k].n++)
      taken[of[k][i].at] = true;
  r->cases = v;
  for (uint32_t k = 0; k < n; k++)
    if (taken[k])
      v[r->n++] = v[k];
}

/* ---- rows ---- */

static ww_roofline_row *add_row(run *r, const char *name) {
  ww_arena *a = r->c->arena;
  ww_push(a, &r->rows,
          (ww_roofline_row){.name = name,
                            .said = WW_NEWN(a, ww_bound, r->n),
                            .why = WW_NEWN(a, const char *, r->n)});
  return &r->rows.v[r->rows.n - 1];
}

/* What the cases' reports say: `predicted`, or before the correction `plain`. */
static void take_reports(run *r, const char *name, bool plain) {
  ww_roofline_row *row = add_row(r, name);
  for (uint32_t k = 0; k < r->n; k++) {
    const ww_eval_case *c = &r->cases[k];
    /* one whose process died has no other report than that */
    bool both = c->plain.kernel || c->plain.error.code;
    const ww_report *p = plain && both ? &c->plain : &c->predicted;
    row->seconds += c->seconds;
    row->said[k] = p->error.code ? WW_BOUND_UNKNOWN : ww_bound_of(p, &c->balance);
    row->why[k] = p->error.code  ? p->error.msg
                  : row->said[k] ? NULL
                                 : "the report does not tell the class";
  }
}

static bool has_word(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *s = list; s && *s; s += strcspn(s, ","), s += *s == ',')
    if (strcspn(s, ",") == n && !strncmp(s, word, n))
      return true;
  return false;
}

/* Every word of the list, separated by commas, is one of `words`. */
static ww_status
check_words(ww_cmd *c, const char *option, const char *list, const char *words) {
  for (const char *s = list; s && *s; s += strcspn(s, ","), s += *s == ',') {
    const char *one = ww_strndup(c->arena, s, strcspn(s, ","));
    if (ww_word_option(c, option, one, words) < 0)
      return WW_EUSAGE;
  }
  return WW_OK;
}

/* One trace of each launch for both rows, and for the prompts that show figures. */
static ww_status by_machine(run *r) {
  ww_roofline_task *t = r->t;
  bool grounded = has_word(t->by, "grounded");
  bool machine = has_word(t->by, "machine");
  bool told = has_word(t->ask, ww_roofline_asks[WW_ROOFLINE_TOOLS]);
  bool mine;
  ww_status st = WW_OK;
  if (!grounded && !machine && !told)
    return WW_OK;
  if (grounded || told)
    st = ww_correction_load(r->c->arena, &t->how.correction, &r->c->err);
  t->how.both = machine && t->how.correction;
  if (!st)
    st = ww_evaluate_predict(r->c, &t->how, r->cases, r->n, &mine);
  if (!st && grounded)
    take_reports(r, "grounded", false);
  if (!st && machine)
    take_reports(r, "machine", t->how.both);
  return st;
}

/* The reports of the machine model stay for the prompts. */
static ww_status by_text(run *r) {
  if (!has_word(r->t->by, "text"))
    return WW_OK;
  ww_eval_case *asked = WW_NEWN(r->c->arena, ww_eval_case, r->n);
  ww_eval_case *kept = r->cases;
  memcpy(asked, kept, r->n * sizeof *kept);
  ww_status st = ww_evaluate_text(r->c, r->t->endpoint ? NULL : r->t->how.model,
                                  r->t->how.json, asked, r->n);
  r->cases = asked;
  if (!st)
    take_reports(r, "text", false);
  r->cases = kept;
  return st;
}

static ww_status by_endpoint(run *r) {
  ww_status st = WW_OK;
  for (int k = 0; k < WW_NROOFLINES && !st && r->t->endpoint; k++)
    if (has_word(r->t->ask, ww_roofline_asks[k]))
      st = ww_evaluate_ask(r->c, r->t, k, r->cases, r->n,
                           add_row(r, ww_roofline_asks[k]));
  return st;
}

/* ---- scores ---- */

/* Of one language, NULL: of all. `all`: no answer is a wrong one, in every number. */
static ww_class_score
score(const run *r, const ww_roofline_row *row, const char *language, bool all) {
  ww_bound *truth = WW_NEWN(r->c->arena, ww_bound, r->n);
  ww_bound *said = WW_NEWN(r->c->arena, ww_bound, r->n);
  ww_class_score out;
  uint32_t n = 0;
  for (uint32_t k = 0; k < r->n; k++) {
    const ww_eval_case *c = &r->cases[k];
    if (language && strcmp(c->member[WW_GROUP_DIALECT], language))
      continue;
    truth[n] = c->truth;
    said[n] = row->said[k];
    if (all && said[n] == WW_BOUND_UNKNOWN)
      said[n] = truth[n] == WW_BOUND_COMPUTE ? WW_BOUND_BANDWIDTH : WW_BOUND_COMPUTE;
    n++;
  }
  ww_class_score_of(truth, said, n, &out);
  return out;
}

static double recall(const ww_class_score *s, int k) {
  uint32_t of = s->matrix[k][0] + s->matrix[k][1];
  return of ? (double)s->matrix[k][k] / of : NAN;
}

static ww_reasons reasons_of(const run *r, const ww_roofline_row *row) {
  ww_reasons all = {0};
  for (uint32_t k = 0; k < r->n; k++)
    if (row->why[k])
      ww_reason_add(&all, ww_without_names(row->why[k], 110, ";\n", r->c->arena),
                    &r->cases[k], r->c->arena);
  ww_reasons_sort(&all);
  return all;
}

/* ---- JSON ---- */

static void
write_score(const ww_class_score *all, const ww_class_score *answered, ww_json *j) {
  ww_json_put(
      j,
      "n:%u,answered:%u,accuracy!:%g,f1!:%g,mcc!:%g,recall_bandwidth!:%g,"
      "recall_compute!:%g,of_answered:{accuracy!:%g,balanced!:%g,f1!:%g,mcc!:%g}",
      all->n, answered->answered, all->accuracy, all->f1, all->mcc, recall(all, 0),
      recall(all, 1), answered->accuracy, answered->balanced, answered->f1,
      answered->mcc);
}

static void write_row(const run *r, const ww_roofline_row *row, ww_json *j) {
  ww_reasons why = reasons_of(r, row);
  ww_class_score all = score(r, row, NULL, true);
  ww_class_score answered = score(r, row, NULL, false);
  ww_json_put(j, "{by:%s", row->name);
  write_score(&all, &answered, j);
  ww_json_put(j, "tokens:%lu,calls:%u,seconds:%g,languages:{", row->tokens, row->calls,
              row->seconds);
  for (size_t k = 0; k < WW_COUNT(languages); k++) {
    all = score(r, row, languages[k], true);
    answered = score(r, row, languages[k], false);
    ww_json_put(j, "%s:{", languages[k]);
    write_score(&all, &answered, j);
    ww_json_end_obj(j);
  }
  ww_json_put(j, "},unanswered:[");
  for (uint32_t k = 0; k < why.n; k++)
    ww_json_put(j, "{why:%s,kernels:%u}", why.v[k].text, why.v[k].n);
  ww_json_put(j, "]}");
}

/* What each row says of each kernel; null: nothing. */
static void write_kernels(const run *r, ww_json *j) {
  ww_json_put(j, "list:[");
  for (uint32_t k = 0; k < r->n; k++) {
    const ww_eval_case *c = &r->cases[k];
    ww_json_put(j, "{program:%s,kernel:%s,language:%s,class:%s,sourced?:%i,said:{",
                c->run, c->name, c->member[WW_GROUP_DIALECT], ww_bound_names[c->truth],
                c->sourced);
    for (uint32_t i = 0; i < r->rows.n; i++)
      ww_json_put(j, "%s:%s", r->rows.v[i].name,
                  r->rows.v[i].said[k] ? ww_bound_names[r->rows.v[i].said[k]] : NULL);
    ww_json_put(j, "}}");
  }
  ww_json_put(j, "]");
}

static void print_json(const run *r) {
  ww_json *j = ww_line_begin();
  ww_json_put(j, "task:'roofline',data:%s,gpu:%s,model?:%s,seed:%lu,kernels:%u,drawn:[",
              ww_path_base(r->t->table), r->n ? r->cases->gpu->name : NULL,
              r->t->endpoint ? r->t->endpoint->style.model : NULL, r->t->seed, r->n);
  for (uint32_t k = 0; k < STRATA; k++)
    ww_json_put(j, "{language:%s,class:%s,kernels:%u,of:%u}", r->strata[k].language,
                ww_bound_names[r->strata[k].is], r->strata[k].n, r->strata[k].of);
  ww_json_put(j, "],rows:[");
  for (uint32_t k = 0; k < r->rows.n; k++)
    write_row(r, &r->rows.v[k], j);
  ww_json_put(j, "]");
  write_kernels(r, j);
  ww_line_end(j);
}

/* ---- tables ---- */

static void put_cells(ww_table *t, const char *const *cells, ww_arena *a) {
  size_t bytes = t->ncols * sizeof *cells;
  t->cells = ww_grow(a, t->cells, t->nrows * bytes, (t->nrows + 1) * bytes);
  memcpy(t->cells + (size_t)t->nrows++ * t->ncols, cells, bytes);
}

static const char *percent(double share, ww_arena *a) {
  return isnan(share) ? "-" : ww_fmt(a, "%.1f %%", 100 * share);
}

static ww_table rows_table(const run *r) {
  static const char *head[] = {
      "by",     "answered", "accuracy",         "of answered",
      "F1",     "MCC",      "recall bandwidth", "recall compute",
      "CUDA",   "OpenMP",   "tokens",           "calls",
      "seconds"};
  ww_arena *a = r->c->arena;
  ww_table t = {.title = "Roofline class",
                .head = head,
                .ncols = WW_COUNT(head),
                .left = 1,
                .note = "no answer counts as wrong, but in the column `of answered'; "
                        "CUDA, OpenMP: accuracy"};
  for (uint32_t k = 0; k < r->rows.n; k++) {
    const ww_roofline_row *x = &r->rows.v[k];
    ww_class_score all = score(r, x, NULL, true);
    ww_class_score answered = score(r, x, NULL, false);
    const char *cells[] = {x->name,
                           ww_fmt(a, "%u", answered.answered),
                           percent(all.accuracy, a),
                           percent(answered.accuracy, a),
                           ww_fmt(a, "%.3f", all.f1),
                           ww_fmt(a, "%.3f", all.mcc),
                           percent(recall(&all, 0), a),
                           percent(recall(&all, 1), a),
                           percent(score(r, x, languages[0], true).accuracy, a),
                           percent(score(r, x, languages[1], true).accuracy, a),
                           ww_fmt(a, "%lu", x->tokens),
                           ww_fmt(a, "%u", x->calls),
                           ww_fmt(a, "%.1f", x->seconds)};
    put_cells(&t, cells, a);
  }
  return t;
}

static ww_table reasons_table(const run *r) {
  static const char *head[] = {"by", "why", "kernels", "for example"};
  ww_arena *a = r->c->arena;
  ww_table t = {.title = "Not answered",
                .head = head,
                .ncols = WW_COUNT(head),
                .left = 2,
                .words = 1 << 3};
  for (uint32_t k = 0; k < r->rows.n; k++) {
    ww_reasons why = reasons_of(r, &r->rows.v[k]);
    for (uint32_t i = 0; i < why.n; i++) {
      const ww_eval_case *c = why.v[i].example;
      const char *cells[] = {r->rows.v[k].name, why.v[i].text,
                             ww_fmt(a, "%u", why.v[i].n),
                             ww_fmt(a, "%s of %s", c->measured.kernel, c->run)};
      put_cells(&t, cells, a);
    }
  }
  return t;
}

static void print_tables(const run *r) {
  ww_table t[] = {rows_table(r), reasons_table(r)};
  printf("%u kernels of %s on %s (seed %lu):", r->n, ww_path_base(r->t->table),
         r->n ? r->cases->gpu->name : "?", r->t->seed);
  for (uint32_t k = 0; k < STRATA; k++)
    printf("%s %u of %u %s %s", k ? "," : "", r->strata[k].n, r->strata[k].of,
           r->strata[k].language, ww_bound_names[r->strata[k].is]);
  printf("\n");
  (r->t->markdown ? ww_tables_markdown : ww_tables_text)(t, t[1].nrows ? 2 : 1, stdout);
}

/* ---- the task ---- */

static ww_status check(ww_cmd *c, const ww_roofline_task *t) {
  if (!t->table || c->noperands)
    return ww_usage(c, "--task roofline needs --csv TABLE, and no other data");
  if (!t->sources && !t->recordings)
    return ww_usage(c, "--task roofline needs --sources DIR, the folder of the suite's "
                       "programs, or --recordings DIR");
  if (!t->ask != !t->endpoint)
    return ww_usage(c, "--ask says what --llm URL is asked: zero-shot, few-shot, cot, "
                       "profile or tools, with commas between them");
  if (check_words(c, "by", t->by, "grounded machine text"))
    return WW_EUSAGE;
  return check_words(c, "ask", t->ask, WW_ROOFLINE_WORDS);
}

ww_status ww_evaluate_roofline(ww_cmd *c, ww_roofline_task *t) {
  run r = {.c = c, .t = t};
  ww_eval_case *cases;
  uint32_t n;
  if (!t->by && !t->ask)
    t->by = "grounded";
  t->per_class = t->per_class ? t->per_class : PER_CLASS;
  t->seed = t->seed ? t->seed : SEED;
  if (check(c, t) || ww_evaluate_csv(c, t->table, t->recordings, &cases, &n))
    return c->err.code;
  draw(&r, cases, n);
  if (!r.n)
    return ww_fail(&c->err, WW_EDATA, "%s has no kernel whose class is known",
                   t->table);
  if (t->sources)
    ww_evaluate_sources(t->sources, r.cases, r.n, c->arena);
  if (by_machine(&r) || by_text(&r) || by_endpoint(&r))
    return c->err.code;
  (c->json ? print_json : print_tables)(&r);
  return WW_OK;
}
