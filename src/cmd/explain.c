/* explain.c - `warpwise explain`: what each line costs, what to change first. */
#include "../predict/show/page_export.h"
#include "fix.h"
#include "sarif.h"
#include "source.h"

typedef struct {
  ww_ask_options ask;
  bool sarif, github;
  const char *html;
  ww_fix_options fixing;
} options;

static const ww_option table[] = {
    WW_PREDICT_OPTIONS,
    WW_OPTION(sarif, NULL, "findings as SARIF 2.1.0"),
    WW_OPTION(github, NULL, "findings as annotations of a GitHub workflow"),
    WW_OPTION(html, "FILE", "all of it as one HTML file to pass on ('-': stdout)"),
    WW_FIX_OPTIONS(options),
    WW_LIMIT_OPTIONS(ww_ask_options, "60"),
    {0},
};

typedef struct {
  ww_cmd *c;
  const options *o;
  ww_ask ask;
  ww_sarif *sarif;
  uint32_t shown;
  ww_fixing *fixing;       /* NULL: nothing is to be fixed */
  WW_VEC(ww_report) pages; /* reports for --html */
} job;

typedef struct {
  const ww_explained *x;
  ww_fixing *fixing;
} extra;

static void write_fixes(void *ctx, ww_json *j) {
  extra *e = ctx;
  ww_fixing_json(e->fixing, e->x->m, e->x->fn, &e->x->p->report, j);
}

static void show(job *j, const ww_answers *a, uint32_t g, const ww_advice *advice) {
  ww_prediction *p = &a->p[g];
  const ww_module *m = a->module;
  ww_buf b = {0};
  if (p->report.error.code) { /* the others answer all the same */
    if (j->c->json)
      ww_print_report(&p->report, NULL, NULL);
    else
      ww_print_error(&p->report.error, stderr);
    return;
  }
  ww_explained x = {m, a->fn, p, &advice[g]};
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
  } else if (j->c->json)
    ww_report_text(&p->report, j->fixing ? write_fixes : NULL, &(extra){&x, j->fixing},
                   &b);
  else if (!j->fixing) {
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
                 .gpus = j->ask.targets.gpus,
                 .ngpus = j->ask.targets.n,
                 .source = ww_export_from_disk,
                 .made = "warpwise explain --html"};
  ww_export_html(&x, &b);
  return ww_write_text(j->o->html, &b, &j->c->err);
}

static bool is_page(const job *j) {
  return !j->sarif && !j->o->github && !j->o->html && !j->c->json && !j->fixing;
}

static void compare(const ww_answers *a, const ww_advice *advice) {
  ww_explained *x = WW_NEWN(a->arena, ww_explained, a->n);
  for (uint32_t g = 0; g < a->n; g++)
    x[g] = (ww_explained){a->module, a->fn, &a->p[g], &advice[g]};
  ww_explain_compare(x, a->n, stdout);
}

static ww_status explain_one(job *j, ww_launch *launch) {
  ww_answers a;
  ww_status st = ww_answers_make(&j->ask, launch, &a);
  if (st)
    return st;
  ww_advice *advice = WW_NEWN(a.arena, ww_advice, a.n);
  ww_limits_begin(j->c, ww_fmt(a.arena, "kernel `%s`", a.fn->name));
  ww_query_advise(j->ask.cache.read.unit, a.fn, &j->ask.targets, a.arena, a.p, advice);
  ww_limits_end(j->c);
  for (uint32_t g = 0; g < a.n; g++)
    show(j, &a, g, advice);
  if (a.n > 1 && is_page(j))
    compare(&a, advice);
  ww_answers_free(&a);
  return WW_OK;
}

static ww_status run(ww_cmd *c) {
  job j = {
      .c = c,
      .o = c->opt,
  };
  if (j.o->sarif + j.o->github + c->json + !!j.o->html > 1)
    return ww_usage(c, "choose one of --json, --sarif, --github and --html");
  if (j.o->fixing.fix && (j.o->sarif || j.o->github || j.o->html))
    return ww_usage(c, "--fix shows a diff: leave --sarif, --github and --html away");
  ww_status st = WW_OK;
  ww_status worst = WW_OK;
  if (ww_fixing_new(c, &j.o->fixing, &j.fixing) || ww_ask_open(c, &j.o->ask, &j.ask))
    st = c->err.code;
  uint32_t n = st ? 0 : j.ask.n;
  if (!st && j.o->sarif)
    j.sarif = ww_sarif_new();
  for (uint32_t k = 0; k < n; k++) {
    ww_status one = explain_one(&j, &j.ask.launches[k]);
    if (one && n > 1)
      ww_cmd_complain(c); /* a batch goes on with the next line */
    worst = ww_worse(worst, one);
  }
  bool any = !ww_worse(worst, st) || n > 1;
  if (j.sarif) {
    ww_buf b = {0};
    ww_sarif_end(j.sarif, &b);
    if (any)
      ww_print_buf(&b);
    ww_buf_free(&b);
  }
  if (j.pages.n)
    st = write_html(&j);
  if (j.fixing && !st && any)
    st = ww_fixing_end(j.fixing);
  ww_source_free(&j.ask.cache);
  return ww_worse(worst, st);
}

const ww_command ww_cmd_explain = {
    "explain",
    "what each line of a kernel costs, what to change first and what that would gain",
    "FILE... [options] [-- clang flags]",
    .details =
        "Gains are predicted: the machine model runs again without the cause. What the "
        "launch does not say is found as\n"
        "`warpwise trace --help` tells. --fix shows edits for those findings that have "
        "a "
        "local one; with --json they are the\n"
        "reports' `fixes`.",
    .examples = "  warpwise explain transpose.cu --gpu a100\n"
                "  warpwise explain main.cu -k step --launch launches.jsonl --json\n"
                "  warpwise explain src/kernels.cu --sarif > warpwise.sarif\n"
                "  warpwise explain matmul.cu --gpu h200,a100 --html report.html\n"
                "  warpwise explain tone.cu --fix | patch -p1\n",
    WW_OPTIONS,
    .run = run,
};
