/* evaluate.c - `warpwise evaluate`: measured reports in, predictions of the same
 * launches, scores out.
 *
 * Rows of the data that cannot be read end the run, because a score over an unknown
 * part of the data says nothing; launches that cannot be predicted never do: they are
 * rows with an error, and count. */
#include <math.h>
#include <stdlib.h>

#include "../base/jsonread.h"
#include "evaluate.h"

typedef struct {
  const char *by, *sources, *group, *metric, *html, *out, *csv, *recordings, *ncu,
      *parts, *via, *evidence, *task, *ask;
  ww_llm_options llm; /* its `model` is --by text's too */
  ww_strings fail_if;
  uint64_t limit, worst, jobs, seconds, budget, per_class, seed;
  bool markdown, heads, ptxas;
} options;

static const ww_option table[] = {
    WW_OPTION(by,
              "ORACLE|FILE",
              "grounded (default), machine, both side by side, trace, text, or a file "
              "of reports, "
              "one per "
              "measured launch, in order"),
    WW_OPTION(sources,
              "DIR",
              "folder that files and include paths of the launches are relative to "
              "(default: the "
              "data's)"),
    WW_OPTION(group,
              "BY",
              "suite, family, dialect, size, bound, all or none (default: what tells "
              "something)"),
    WW_OPTION(
        metric,
        "NAME",
        "which metric groups, worst cases and the plot are about (default time_us)"),
    WW_OPTION(limit, "N", "only N launches, spread evenly over the data"),
    WW_OPTION(worst, "N", "how many of the worst cases to show (default 10)"),
    WW_OPTION(html, "FILE", "write a page to look at"),
    WW_OPTION(markdown, NULL, "the tables as markdown"),
    WW_OPTION(
        out, "FILE", "write the predictions, a report line per launch, for --by later"),
    WW_OPTION_AS(
        fail_if,
        "fail-if",
        "WHAT",
        "exit code 1 if it holds: 'time.median>30', 'class.balanced<88', 'coverage<95' "
        "(repeatable)"),
    WW_OPTION(
        csv,
        "FILE",
        "instead of MEASURED: a table of profiled launches, for roofline classes"),
    WW_OPTION(
        ncu,
        "FILE",
        "instead of MEASURED: what `ncu --csv` printed; the operand is a recording "
        "of the program, or the kernels' source"),
    WW_PARTS_OPTION(options),
    WW_OPTION(
        recordings, "DIR", "with --csv: a recording per program, <targetName>.jsonl"),
    WW_OPTION_AS(llm.model,
                 "model",
                 "PATH|NAME",
                 "with --by text: the language model (default: the shipped one); with "
                 "--llm: the model's name there"),
    WW_OPTION(heads,
              NULL,
              "with --by text: counters from the regression head, without the JSON"),
    WW_OPTION(
        evidence,
        "FORM",
        "with --by text: what the model knows besides the text: source (default), "
        "compiled or traced"),
    WW_OPTION(jobs, "N", "processes (default: one per core)", 'j'),
    WW_OPTION(seconds, "N", "give up a launch after N seconds (default 120)"),
    WW_OPTION(budget, "N", "warp instructions to trace of a launch"),
    WW_OPTION(
        via, "COMPILER", "clang, or nvcc, of whose PTX the kernels are read (CUDA)"),
    WW_OPTION(ptxas, NULL, "registers as nvcc's assembler allocates them"),
    WW_OPTION(
        task,
        "TASK",
        "roofline: which of a --csv table's kernels are bandwidth-bound, which "
        "compute-bound; --by may then name several oracles: grounded,machine,text"),
    WW_OPTION_AS(per_class,
                 "per-class",
                 "N",
                 "with --task: kernels drawn of each language and class (default 80)"),
    WW_OPTION(seed, "N", "with --task: of the draw (default 505)"),
    WW_OPTION(ask,
              "HOW",
              "with --llm: zero-shot, few-shot, cot, profile, tools; several with "
              "commas between them"),
    WW_LLM_OPTIONS(options),
    {0},
};

typedef struct {
  ww_cmd *c;
  const options *o;
  WW_VEC(ww_eval_case) cases;
  uint32_t unmeasured;
  const char *dir; /* of the data that is read */
  uint32_t filed;  /* predictions taken from a file */
  WW_VEC(const ww_gpu *) gpus;
} job;

/* ---- paths ---- */

/* -Ifolder, or -I folder as two words. */
static void locate_flags(ww_launch *l, const char *dir, ww_arena *a) {
  static const char *const paths[] = {"-isystem", "-include", "-iquote", "-I", NULL};
  bool next = false;
  for (uint32_t k = 0; k < l->nflags; k++) {
    const char *f = l->flags[k];
    const char *const *p = paths;
    if (next) {
      l->flags[k] = ww_path_join(a, dir, f);
      next = false;
      continue;
    }
    while (*p && !ww_starts(f, *p))
      p++;
    size_t n = *p ? strlen(*p) : 0;
    next = n && !f[n];
    if (n && f[n])
      l->flags[k] = ww_fmt(a, "%s%s", *p, ww_path_join(a, dir, f + n));
  }
}

static void locate(const ww_launch *given,
                   const char *file,
                   const char *sources,
                   const char *dir,
                   ww_arena *a,
                   ww_launch *out) {
  ww_launch_locate(given, dir, a, out);
  if (given->file)
    file = given->file;
  out->file = file ? ww_path_join(a, sources, file) : NULL;
  locate_flags(out, sources, a);
}

/* ---- measured reports ---- */

static ww_status gpu_of(job *j, const char *name, const ww_gpu **out) {
  if (j->c->gpu)
    name = j->c->gpu;
  if (!name)
    return ww_usage(j->c, "the data does not name a GPU: give it with --gpu");
  for (uint32_t k = 0; k < j->gpus.n; k++)
    if (!strcmp(j->gpus.v[k]->name, name))
      return *out = j->gpus.v[k], WW_OK;
  ww_gpu *g = WW_NEW(j->c->arena, ww_gpu);
  ww_status st = ww_gpu_load(name, j->c->arena, g, &j->c->err);
  if (st)
    return st;
  if (!g->name || j->c->gpu)
    g->name = name;
  ww_push(j->c->arena, &j->gpus, g);
  *out = g;
  return WW_OK;
}

static ww_status on_measured(job *j, const char *line) {
  ww_arena *a = j->c->arena;
  const char *dir = j->dir;
  ww_eval_case k = {0};
  ww_status st = ww_report_parse(line, a, &k.measured, &j->c->err);
  if (st)
    return st;
  if (k.measured.error.code)
    return j->unmeasured++, WW_OK;
  cJSON *row = ww_json_read(line, strlen(line), &j->c->err);
  if (!row)
    return j->c->err.code;
  for (int m = 0; m < 3; m++)
    k.member[m] = ww_json_text(row, ww_grouping_names[m], a);
  k.run = ww_json_text(row, "run", a);
  cJSON_Delete(row);
  static const ww_launch none;
  locate(k.measured.launch ? k.measured.launch : &none, k.measured.file,
         j->o->sources ? j->o->sources : dir, dir, a, &k.launch);
  st = gpu_of(j, k.measured.gpu, &k.gpu);
  if (st)
    return st;
  ww_balance_of(k.gpu, &k.balance);
  ww_push(a, &j->cases, k);
  return WW_OK;
}

/* Calls `row` for each line that holds something; its errors name the line. */
static ww_status
each_line(job *j, const char *path, ww_status (*row)(job *j, const char *line)) {
  ww_cmd *c = j->c;
  char *text;
  char *line;
  size_t n;
  uint32_t number = 0;
  ww_status st = ww_input_packed(c->arena, path, (size_t)1 << 31, &text, &n, &c->err);
  while (!st && (line = ww_next_line(&text, &number)))
    st = row(j, line);
  if (st && number && !c->err.file) {
    c->err.file = path;
    c->err.line = number;
    c->err.col = 0;
  }
  return st;
}

static void thin(job *j) {
  uint64_t n = j->cases.n;
  uint64_t want = j->o->limit;
  if (!want || want >= n)
    return;
  for (uint64_t k = 0; k < want; k++)
    j->cases.v[k] = j->cases.v[k * n / want];
  j->cases.n = want;
}

static ww_status read_csv(job *j) {
  ww_cmd *c = j->c;
  if (c->noperands || !(j->o->recordings || j->o->sources))
    return ww_usage(c, "--csv FILE needs --recordings DIR or --sources DIR, and no "
                       "other data");
  ww_status st =
      ww_evaluate_csv(c, j->o->csv, j->o->recordings, &j->cases.v, &j->cases.n);
  if (st)
    return st;
  j->cases.cap = j->cases.n;
  ww_push(c->arena, &j->gpus, j->cases.v[0].gpu);
  thin(j);
  if (j->o->sources)
    ww_evaluate_sources(j->o->sources, j->cases.v, j->cases.n, c->arena);
  return WW_OK;
}

static ww_status read_ncu(job *j) {
  ww_status st = ww_evaluate_ncu(j->c, j->o->ncu, &j->cases.v, &j->cases.n);
  if (st)
    return st;
  j->cases.cap = j->cases.n;
  ww_push(j->c->arena, &j->gpus, j->cases.v[0].gpu);
  thin(j);
  return WW_OK;
}

static ww_status read_measured(job *j) {
  ww_cmd *c = j->c;
  ww_status st = WW_OK;
  if (j->o->csv)
    return read_csv(j);
  if (j->o->ncu)
    return read_ncu(j);
  if (!c->noperands)
    return ww_usage(
        c, "name a file of measured reports, as `warpwise measure --json` writes them");
  for (uint32_t k = 0; !st && k < c->noperands; k++) {
    j->dir = ww_path_dir(c->arena, c->operands[k]);
    st = each_line(j, c->operands[k], on_measured);
  }
  if (!st && !j->cases.n)
    st =
        ww_fail(&c->err, WW_EDATA, "there is no measured report in %s", c->operands[0]);
  if (!st)
    thin(j);
  return st;
}

/* ---- predictions from a file ---- */

/* The last name of `dwt::forward<192, 8>(int)` is forward. */
static bool last_name_in(const char *plain, const char *other) {
  size_t n = strcspn(plain, "<(");
  const char *begin = plain;
  for (const char *s = plain; s + 1 < plain + n; s++)
    if (s[0] == ':' && s[1] == ':')
      begin = s + 2;
  n -= begin - plain;
  for (const char *at = other; n && (at = strchr(at, *begin)); at++)
    if (!strncmp(at, begin, n))
      return true;
  return false;
}

/* Names may be plain on one side and mangled on the other. */
static bool same_kernel(const char *x, const char *y) {
  return !x || !y || last_name_in(x, y) || last_name_in(y, x);
}

static ww_status on_predicted(job *j, const char *line) {
  ww_cmd *c = j->c;
  if (j->filed >= j->cases.n)
    return j->filed++, WW_OK; /* too many: told below */
  ww_eval_case *k = &j->cases.v[j->filed++];
  ww_status st = ww_report_parse(line, c->arena, &k->predicted, &c->err);
  if (st)
    return st;
  if (!same_kernel(k->predicted.kernel, k->measured.kernel) &&
      !(k->launch.kernel && same_kernel(k->predicted.kernel, k->launch.kernel)))
    return ww_fail(&c->err, WW_EDATA,
                   "this report is about %s, the measured launch in its place about "
                   "%s: a line per "
                   "launch, in order",
                   k->predicted.kernel, k->measured.kernel);
  return WW_OK;
}

static ww_status from_file(job *j) {
  ww_status st = each_line(j, j->o->by, on_predicted);
  if (!st && j->filed != j->cases.n)
    st = ww_fail(&j->c->err, WW_EDATA,
                 "%s has %u reports for %u measured launches: a line per launch, in "
                 "order (errors "
                 "are lines too)",
                 j->o->by, j->filed, j->cases.n);
  return st;
}

static ww_status write_out(const job *j) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < j->cases.n; k++)
    ww_report_text(&j->cases.v[k].predicted, NULL, NULL, &b);
  return ww_write_packable(j->o->out, &b, 9, &j->c->err);
}

/* ---- thresholds ---- */

typedef struct {
  char metric[48], stat[24];
  char op; /* < or > */
  bool equal;
  double bound;
} threshold;

static ww_status threshold_of(ww_cmd *c, const char *text, threshold *t) {
  static const ww_evaluation nothing;
  char name[72];
  double ignored;
  size_t n = strcspn(text, "<>");
  size_t word = n;
  char *end;
  *t = (threshold){.op = text[n]};
  if (!text[n] || n >= sizeof name)
    goto bad;
  while (word && text[word - 1] == ' ')
    word--;
  snprintf(name, sizeof name, "%.*s", (int)word, text);
  t->equal = text[++n] == '=';
  n += t->equal;
  t->bound = strtod(text + n, &end);
  if (end == text + n || end[strspn(end, " %")])
    goto bad;
  const char *dot = strrchr(name, '.');
  snprintf(t->metric, sizeof t->metric, "%.*s", dot ? (int)(dot - name) : 0, name);
  snprintf(t->stat, sizeof t->stat, "%.23s", dot ? dot + 1 : name);
  if (ww_evaluate_stat(&nothing, t->metric, t->stat, &ignored))
    return WW_OK;
bad:
  return ww_usage(
      c,
      "--fail-if: '%.60s' is not of the form metric.number<bound; e.g. time.median>30, "
      "flops.right<90, class.mcc<0.5, "
      "coverage<95 (numbers: median, mean, p90, ln, within10, right, rank, bias, "
      "inside, ratio, interval, coverage; of class: accuracy, "
      "balanced, f1, mcc)",
      text);
}

static void check(ww_cmd *c, const options *o, const ww_evaluation *v) {
  for (uint32_t k = 0; k < o->fail_if.n; k++) {
    threshold t;
    double is;
    threshold_of(c, o->fail_if.v[k], &t); /* fine, as it was read before */
    ww_evaluate_stat(v, t.metric, t.stat, &is);
    bool holds = t.op == '<' ? is < t.bound : is > t.bound;
    if (!holds && !(t.equal && is == t.bound) && !isnan(is))
      continue;
    c->missed = true;
    if (isnan(is))
      fprintf(stderr, "missed: %s (no launch gives this number)\n", o->fail_if.v[k]);
    else
      fprintf(stderr, "missed: %s (it is %.4g)\n", o->fail_if.v[k], is);
  }
}

/* ---- all together ---- */

typedef struct {
  int metric, grouping; /* -1: not said; -2: no groups */
} chosen;

static ww_status choose(ww_cmd *c, const options *o, chosen *out) {
  threshold ignored;
  ww_status st = WW_OK;
  *out = (chosen){-1, -1};
  if (o->metric && (out->metric = ww_scored_named(o->metric)) < 0)
    return ww_usage(c,
                    "--metric: there is no metric '%.40s'; docs/metrics.md lists them",
                    o->metric);
  static const int8_t groupings[] = {0, 1, 2, 3, 4, -1, -2}; /* all, none */
  int group =
      ww_word_option(c, "group", o->group, "suite family dialect size bound all none");
  if (group < 0)
    return WW_EUSAGE;
  if (o->group)
    out->grouping = groupings[group];
  for (uint32_t k = 0; !st && k < o->fail_if.n; k++)
    st = threshold_of(c, o->fail_if.v[k], &ignored);
  return st;
}

/* The list with one more name. */
static const char *and_name(const char *list, const char *name, ww_arena *a) {
  return list ? ww_fmt(a, "%s, %s", list, name) : name;
}

static ww_status
show(ww_cmd *c, const options *o, const ww_evaluation *v, int grouping) {
  ww_table *tables;
  uint32_t n = ww_evaluate_tables(v, grouping, c->arena, &tables);
  ww_buf b = {0};
  if (c->json)
    ww_evaluate_json(v);
  else {
    printf("%s\n", ww_evaluate_head(v, c->arena));
    (o->markdown ? ww_tables_markdown : ww_tables_text)(tables, n, stdout);
  }
  if (!o->html)
    return WW_OK;
  n = ww_evaluate_tables(v, -1, c->arena, &tables);
  ww_evaluate_page(v, tables, n, c->arena, &b);
  return ww_write_buf(o->html, &b, &c->err);
}

/* Scores of the cases as they are predicted now. */
static ww_evaluation *summed(job *j, const chosen *as, const char *by, double begin) {
  ww_cmd *c = j->c;
  ww_evaluation *v = WW_NEW(c->arena, ww_evaluation);
  *v = (ww_evaluation){.cases = j->cases.v,
                       .n = j->cases.n,
                       .unmeasured = j->unmeasured,
                       .total_s = ww_now() - begin,
                       .by = by};
  if (j->o->csv || j->o->ncu)
    v->data = ww_path_base(j->o->csv ? j->o->csv : j->o->ncu);
  for (uint32_t k = 0; k < c->noperands; k++)
    v->data = and_name(v->data, ww_path_base(c->operands[k]), c->arena);
  for (uint32_t k = 0; k < j->gpus.n; k++)
    v->gpu = and_name(v->gpu, j->gpus.v[k]->name, c->arena);
  ww_evaluate_sum(v, as->metric, j->o->worst ? j->o->worst : 10, c->arena);
  return v;
}

/* The same launches by the machine model alone and corrected, side by side. */
static ww_status side_by_side(job *j, const chosen *as, ww_evaluate_how *how) {
  ww_cmd *c = j->c;
  double begin = ww_now();
  if (!how->correction)
    return ww_usage(
        c,
        "--by both: there is no learned correction here (models/correction.json.zst)");
  how->both = true;
  bool mine;
  ww_status st = ww_evaluate_predict(c, how, j->cases.v, j->cases.n, &mine);
  if (st || !mine)
    return st;
  ww_eval_case *plain = WW_NEWN(c->arena, ww_eval_case, j->cases.n);
  ww_eval_case *corrected = j->cases.v;
  memcpy(plain, corrected, j->cases.n * sizeof *plain);
  for (uint32_t k = 0; k < j->cases.n; k++)
    plain[k].predicted = plain[k].plain.kernel || plain[k].plain.error.code
                             ? plain[k].plain
                             : corrected[k].predicted;
  j->cases.v = plain;
  const ww_evaluation *without = summed(j, as, "machine model", begin);
  j->cases.v = corrected;
  const ww_evaluation *with = summed(j, as, "machine model, corrected", begin);
  ww_table both = ww_evaluate_both(without, with, c->arena);
  printf("%s\n", ww_evaluate_head(with, c->arena));
  (j->o->markdown ? ww_tables_markdown : ww_tables_text)(&both, 1, stdout);
  check(c, j->o, with);
  return j->o->out ? write_out(j) : WW_OK;
}

static ww_status open_parts(job *j, ww_parts *out) {
  ww_cmd *c = j->c;
  const char *input = j->o->csv ? j->o->csv : j->o->ncu ? j->o->ncu : c->operands[0];
  if (ww_parts_open(c, j->o->parts, input, out))
    return c->err.code;
  for (uint32_t k = 0; out->size > 1 && k < j->cases.n; k++) {
    const ww_eval_case *x = &j->cases.v[k];
    ww_buf b = {0};
    ww_launch_write(&x->launch, &(ww_json){.out = &b});
    ww_buf_fmt(&b, "%s %s", x->gpu->name, j->o->by ? j->o->by : "");
    ww_parts_key(out, b.s, b.n);
    ww_buf_free(&b);
  }
  return WW_OK;
}

static ww_status roofline(ww_cmd *c, const options *o, const ww_evaluate_how *how) {
  ww_llm_http_options endpoint;
  ww_llm tried; /* a wrong address is told before anything runs */
  if (!ww_is(o->task, "roofline"))
    return ww_usage(c, "--task: expected roofline, not '%.40s'", o->task);
  if (o->fail_if.n || o->group || o->html || o->ncu)
    return ww_usage(c, "--fail-if, --group, --html and --ncu do not go with --task");
  if (o->llm.url && (ww_llm_read_options(c, &o->llm, &endpoint) ||
                     ww_llm_http(&endpoint, &tried, &c->err)))
    return c->err.code;
  if (o->llm.url)
    tried.free(tried.ctx);
  ww_roofline_task t = {.table = o->csv,
                        .sources = o->sources,
                        .recordings = o->recordings,
                        .by = o->by,
                        .per_class = o->per_class,
                        .seed = o->seed,
                        .how = *how,
                        .endpoint = o->llm.url ? &endpoint : NULL,
                        .ask = o->ask,
                        .out = o->out,
                        .markdown = o->markdown};
  return ww_evaluate_roofline(c, &t);
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  job j = {
      .c = c,
      .o = o,
  };
  chosen as;
  bool trace = ww_is(o->by, "trace"), side = ww_is(o->by, "both"),
       text = ww_is(o->by, "text");
  bool grounded = !o->by || ww_is(o->by, "grounded") || side;
  ww_evaluate_how how = {.trace = trace,
                         .jobs = o->jobs,
                         .limit_s = o->seconds,
                         .budget = o->budget,
                         .via = o->via,
                         .ptxas = o->ptxas,
                         .model = o->llm.model,
                         .json = !o->heads};
  if (o->task)
    return roofline(c, o, &how);
  if (o->llm.url || o->ask)
    return ww_usage(c, "--llm and --ask belong to --task roofline");
  int form = ww_word_option(c, "evidence", o->evidence, WW_EVIDENCE_WORDS);
  if (form < 0)
    return WW_EUSAGE;
  how.evidence = o->evidence ? form : WW_EVIDENCE_SOURCE;
  if ((o->llm.model || o->heads || o->evidence) && !text)
    return ww_usage(c, "--model, --heads and --evidence belong to --by text");
  if (choose(c, o, &as) || read_measured(&j) ||
      (grounded && ww_correction_load(c->arena, &how.correction, &c->err)))
    return c->err.code;
  double begin = ww_now();
  bool mine = true;
  ww_parts parts;
  if (open_parts(&j, &parts))
    return c->err.code;
  how.parts = &parts;
  if (side)
    return side_by_side(&j, &as, &how);
  bool ask = trace || grounded || how.evidence || ww_is(o->by, "machine");
  ww_status st = text && !how.evidence ? ww_evaluate_text(c, o->llm.model, !o->heads,
                                                          j.cases.v, j.cases.n)
                 : ask ? ww_evaluate_predict(c, &how, j.cases.v, j.cases.n, &mine)
                       : from_file(&j);
  if (st || !mine)
    return st;
  if (o->ncu && !c->json)
    ww_evaluate_ncu_print(j.cases.v, j.cases.n, c->arena, stdout);
  ww_evaluation *v = summed(&j, &as,
                            trace            ? "trace"
                            : text           ? "language model"
                            : !ask           ? ww_path_base(o->by)
                            : how.correction ? "machine model, corrected"
                                             : "machine model",
                            begin);
  if (o->out)
    st = write_out(&j);
  if (!st)
    st = show(c, o, v, as.grouping);
  if (!st)
    check(c, o, v);
  return st;
}

const ww_command ww_cmd_evaluate = {
    "evaluate",
    "score predictions against measured reports",
    "MEASURED.jsonl[.zst]... [options]",
    .details =
        "Predicts every measured launch and prints errors by metric, roofline classes, "
        "coverage, groups and the worst cases,\n"
        "by the rules of docs/evaluation.md. A launch without an answer counts as an "
        "error "
        "of 100 %.",
    .examples =
        "  warpwise evaluate data/corpus-h200.jsonl.zst --html corpus.html\n"
        "  warpwise evaluate data/public/h200.jsonl.zst --sources ~/suites "
        "--out predicted.jsonl\n"
        "  warpwise evaluate measured.jsonl --by predicted.jsonl --metric "
        "dram_bytes --group "
        "family\n"
        "  warpwise evaluate measured.jsonl --fail-if 'time.median>30' "
        "--fail-if 'coverage<95'\n"
        "  warpwise evaluate --task roofline --csv table.csv --sources suite/src "
        "--by grounded,text\n"
        "  warpwise evaluate --task roofline --csv table.csv --sources suite/src "
        "--llm http://localhost:8080/v1 --ask zero-shot,cot --out answers.jsonl\n",
    WW_OPTIONS,
    .run = run,
};
