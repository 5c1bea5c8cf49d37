/* explain.c - `warpwise explain`: what each line costs, what to change first. */
#include "oracle.h"
#include "sarif.h"

typedef struct {
  ww_source_options source;
  bool ptxas;
  const char *cache, *by;
  uint64_t budget;
  bool sarif, github;
} options;

static const ww_option table[] = {
    WW_SOURCE_OPTIONS(options),
    WW_PREDICT_OPTIONS(options),
    {"sarif", 0, WW_OPT_FLAG, NULL, "findings as SARIF 2.1.0", offsetof(options, sarif)},
    {"github", 0, WW_OPT_FLAG, NULL, "findings as annotations of a GitHub workflow", offsetof(options, github)},
    {0},
};

typedef struct {
  ww_cmd *c;
  const options *o;
  ww_targets targets;
  ww_source_cache cache;
  ww_sarif *sarif;
  uint32_t shown;
} job;

static void show(job *j, const ww_answers *a, uint32_t g) {
  ww_prediction *p = &a->p[g];
  const ww_module *m = &j->cache.unit.module;
  ww_advice advice;
  ww_buf b = {0};
  if (p->report.error.code != WW_OK) return;
  ww_advise(m, a->fn, &j->targets.gpus[g], &j->targets.params, p, a->arena, &advice);
  ww_advice_report(m, &advice, a->arena, &p->report);
  ww_explained x = {m, a->fn, &j->targets.gpus[g], p, &advice};
  if (j->sarif)
    ww_sarif_add(j->sarif, &p->report);
  else if (j->o->github)
    ww_github_write(&p->report, &b);
  else if (j->c->global.json) {
    ww_json w = {0};
    ww_json_begin(&w, &b);
    ww_report_write(&p->report, &w, ww_explain_write, &x);
    ww_buf_puts(&b, "\n");
  } else {
    if (j->shown++) puts("\n");
    ww_explain_print(&x, stdout);
  }
  ww_print_buf(&b);
}

static ww_status explain_one(job *j, ww_launch *launch) {
  ww_answers a;
  ww_status st = ww_answers_make(j->c, &j->o->source, &j->cache, &j->targets, launch, j->o->cache, j->o->budget, &a);
  if (st) return st;
  for (uint32_t g = 0; g < a.n; g++) show(j, &a, g);
  ww_answers_free(&a);
  return WW_OK;
}

static ww_status run(ww_cmd *c) {
  job j = {.c = c, .o = c->opt};
  ww_launch *launches;
  uint32_t n;
  if (j.o->sarif + j.o->github + c->global.json > 1)
    return ww_fail(&c->err, WW_EUSAGE, "choose one of --json, --sarif and --github");
  ww_status st = ww_cache_check(j.o->cache, &c->err);
  if (!st) st = ww_targets_load(c, j.o->by, &j.targets);
  j.targets.compile = ((const options *)c->opt)->ptxas;
  if (!st) st = ww_source_each(c, &j.o->source, &j.cache, &launches, &n);
  ww_status worst = st;
  if (!st && j.o->sarif) j.sarif = ww_sarif_new();
  for (uint32_t k = 0; !st && k < n; k++) {
    ww_status one = explain_one(&j, &launches[k]);
    if (one && n > 1) ww_cmd_complain(c); /* a batch goes on with the next line */
    if (ww_exit_code(one) > ww_exit_code(worst)) worst = one;
  }
  if (j.sarif) {
    ww_buf b = {0};
    ww_sarif_end(j.sarif, &b);
    if (worst == WW_OK || n > 1) fwrite(b.s, 1, b.n, stdout);
    ww_buf_free(&b);
  }
  ww_source_free(&j.cache);
  return worst;
}

const ww_command ww_cmd_explain = {
    .name = "explain",
    .summary = "what each line of a kernel costs, what to change first and what that would gain",
    .usage = "FILE... [options] [-- clang flags]",
    .details =
        "Gains are predicted: the machine model runs again without the cause. What the launch does not say is found as\n"
        "`warpwise trace --help` tells.",
    .examples = "  warpwise explain transpose.cu --gpu a100\n"
                "  warpwise explain main.cu -k step --launch launches.jsonl --json\n"
                "  warpwise explain src/kernels.cu --sarif > warpwise.sarif\n",
    .options = table,
    .options_size = sizeof(options),
    .run = run,
};
