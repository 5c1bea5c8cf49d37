/* explain.c - `warpwise explain`: what each line costs, what to change first. */
#include "../serve/page_export.h"
#include "fix.h"
#include "limits.h"
#include "oracle.h"
#include "sarif.h"

typedef struct {
  ww_source_options source;
  ww_limit_options limits;
  bool ptxas;
  const char *cache, *by;
  uint64_t budget;
  bool sarif, github;
  const char *html;
  ww_fix_options fixing;
} options;

static const ww_option table[] = {
    WW_SOURCE_OPTIONS(options),
    WW_PREDICT_OPTIONS(options),
    WW_OPTION(options, sarif, "sarif", NULL, "findings as SARIF 2.1.0"),
    WW_OPTION(options, github, "github", NULL, "findings as annotations of a GitHub workflow"),
    WW_OPTION(options, html, "html", "FILE", "all of it as one HTML file to pass on ('-': stdout)"),
    WW_FIX_OPTIONS(options),
    WW_LIMIT_OPTIONS(options, "60"),
    {0},
};

typedef struct {
  ww_cmd *c;
  const options *o;
  ww_targets targets;
  ww_source_cache cache;
  ww_sarif *sarif;
  uint32_t shown;
  ww_fixing *fixing;       /* NULL: nothing is to be fixed */
  WW_VEC(ww_report) pages; /* reports for --html */
} job;

typedef struct {
  const ww_explained *x;
  const ww_report *r;
  ww_fixing *fixing;
} extra;

static void write_extra(void *ctx, ww_json *j) {
  extra *e = ctx;
  if (e->fixing)
    ww_fixing_json(e->fixing, e->x->m, e->x->fn, e->r, j);
}

static void show(job *j, const ww_answers *a, uint32_t g) {
  ww_prediction *p = &a->p[g];
  const ww_module *m = &j->cache.read.unit->module;
  ww_advice advice;
  ww_buf b = {0};
  if (p->report.error.code)
    return;
  ww_advise(m, a->fn, &j->targets.gpus[g], &j->targets.params, p, a->arena, &advice);
  ww_advice_report(m, &advice, a->arena, &p->report);
  ww_explained x = {m, a->fn, &j->targets.gpus[g], p, &advice};
  if (j->fixing)
    ww_fixing_add(j->fixing, m, a->fn, &p->report);
  if (j->sarif)
    ww_sarif_add(j->sarif, &p->report);
  else if (j->o->github)
    ww_github_write(&p->report, &b);
  else if (j->o->html) {
    ww_report kept;
    ww_report_copy(&p->report, j->c->arena, &kept);
    ww_push(j->c->arena, &j->pages, kept);
  } else if (j->c->json) {
    ww_json w = {0};
    ww_json_begin(&w, &b);
    ww_report_write(&p->report, &w, write_extra, &(extra){&x, &p->report, j->fixing});
    ww_buf_puts(&b, "\n");
  } else if (!j->fixing) {
    if (j->shown++)
      puts("\n");
    ww_explain_print(&x, stdout);
    const char *hint = ww_fixing_hint(j->c, m, a->fn, &p->report);
    if (*hint)
      printf("\n%s\n", hint);
  }
  ww_print_buf(&b);
}

static ww_status write_html(job *j) {
  ww_buf b = {0};
  ww_export x = {.reports = j->pages.v,
                 .n = j->pages.n,
                 .gpus = j->targets.gpus,
                 .ngpus = j->targets.n,
                 .source = ww_export_from_disk,
                 .made = "warpwise explain --html"};
  ww_export_html(&x, &b);
  ww_status st = ww_write_text(j->o->html, &b, &j->c->err);
  ww_buf_free(&b);
  return st;
}

static ww_status explain_one(job *j, ww_launch *launch) {
  ww_answers a;
  ww_status st = ww_answers_make(j->c, &j->o->source, &j->cache, &j->targets, launch, j->o->cache,
                                 j->o->budget, &a);
  if (st)
    return st;
  for (uint32_t g = 0; g < a.n; g++)
    show(j, &a, g);
  ww_answers_free(&a);
  return WW_OK;
}

static ww_status run(ww_cmd *c) {
  job j = {.c = c, .o = c->opt};
  ww_launch *launches;
  uint32_t n;
  if (j.o->sarif + j.o->github + c->json + !!j.o->html > 1)
    return ww_usage(c, "choose one of --json, --sarif, --github and --html");
  if (j.o->fixing.fix && (j.o->sarif || j.o->github || j.o->html))
    return ww_usage(c, "--fix shows a diff: leave --sarif, --github and --html away");
  ww_status st = ww_cache_check(j.o->cache, &c->err);
  if (!st)
    st = ww_limits_read(&j.o->limits, 60, 0, &c->limits, &c->err);
  if (!st)
    st = ww_fixing_new(c, &j.o->fixing, &j.fixing);
  if (!st)
    st = ww_targets_load(c, j.o->by, &j.targets);
  j.targets.compile = ((const options *)c->opt)->ptxas;
  if (!st)
    st = ww_source_each(c, &j.o->source, &j.cache, &launches, &n);
  ww_status worst = st;
  if (!st && j.o->sarif)
    j.sarif = ww_sarif_new();
  for (uint32_t k = 0; !st && k < n; k++) {
    ww_status one = explain_one(&j, &launches[k]);
    if (one && n > 1)
      ww_cmd_complain(c); /* a batch goes on with the next line */
    if (ww_exit_code(one) > ww_exit_code(worst))
      worst = one;
  }
  if (j.sarif) {
    ww_buf b = {0};
    ww_sarif_end(j.sarif, &b);
    if (!worst || n > 1)
      fwrite(b.s, 1, b.n, stdout);
    ww_buf_free(&b);
  }
  if (j.pages.n && !st)
    st = write_html(&j);
  if (j.fixing && !st && (!worst || n > 1))
    st = ww_fixing_end(j.fixing);
  if (ww_exit_code(st) > ww_exit_code(worst))
    worst = st;
  ww_source_free(&j.cache);
  return worst;
}

const ww_command ww_cmd_explain = {
    .name = "explain",
    .summary = "what each line of a kernel costs, what to change first and what that would gain",
    .usage = "FILE... [options] [-- clang flags]",
    .details = "Gains are predicted: the machine model runs again without the cause. What the "
               "launch does not say is found as\n"
               "`warpwise trace --help` tells. --fix shows edits for those findings that have a "
               "local one; with --json they are the\n"
               "reports' `fixes`.",
    .examples = "  warpwise explain transpose.cu --gpu a100\n"
                "  warpwise explain main.cu -k step --launch launches.jsonl --json\n"
                "  warpwise explain src/kernels.cu --sarif > warpwise.sarif\n"
                "  warpwise explain matmul.cu --gpu h200,a100 --html report.html\n"
                "  warpwise explain tone.cu --fix | patch -p1\n",
    .options = table,
    .options_size = sizeof(options),
    .run = run,
};
