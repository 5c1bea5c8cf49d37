/* predict.c - `warpwise predict`: time and counters of a launch on a GPU that is not
 * here; batches, comparisons, sweeps, a language model's word.
 *
 * Four ways through: single launches, a batch with its sum, two files against each
 * other (--diff), one argument over a range (--sweep). All stand on ww_answers_make;
 * --by text asks the language model about single launches and batches instead. */
#include <float.h>

#include "../predict/show/sweep.h"
#include "confidence.h"
#include "many.h"
#include "predict.h"

typedef ww_predict_options options;
typedef ww_predict_job job;

static const ww_option table[] = {
    WW_PREDICT_OPTIONS,
    WW_OPTION(batch, "FILE", "launches of a whole program, one per line; adds them up"),
    WW_OPTION(diff, NULL, "OLD NEW: two versions of a kernel, the same launch"),
    WW_OPTION_AS(slower,
                 "fail-if-slower",
                 "PERCENT",
                 "with --diff: exit code 1 when the new one is slower by more"),
    WW_OPTION_AS(confidence,
                 "require-confidence",
                 "X",
                 "exit code 1 where high / low of the time is above X, or the GPU's "
                 "figures are below a grade: 2, probed, 2,calibrated"),
    WW_OPTION(sweep,
              "RANGE",
              "an argument over sizes: n=1K..64M, n=1K..64M:9, block=64,128,256"),
    WW_OPTION(
        svg,
        "FILE",
        "with --sweep: the curve, with --batch: the timeline as SVG ('-': stdout)"),
    WW_OPTION(html, "FILE", "with --batch: the timeline and its tables as a page"),
    WW_OPTION(
        jobs, "N", "with --batch and --sweep: processes (default: one a core)", 'j'),
    WW_PARTS_OPTION(options),
    WW_OPTION(model,
              "PATH",
              "with --by text: a .gguf or a model's folder (default: the shipped one)"),
    WW_OPTION(
        heads,
        NULL,
        "with --by text: counters from the regression head, without the JSON; quicker"),
    WW_OPTION(
        evidence,
        "FORM",
        "with --by text: what the model knows besides the text: source (default), "
        "compiled (registers and memory), traced (every number of the machine "
        "model)"),
    WW_OPTION(dump,
              "STAGE",
              "the numbers of one stage of the model instead: lowered, traffic, chain "
              "or time"),
    WW_LIMIT_OPTIONS(ww_ask_options, "60"),
    {0},
};

/* ---- single launches, and batches ---- */

static void dump(const job *j, const ww_prediction *p) {
  ww_buf b = {0};
  ww_dump_write(p, j->o->dump, j->c->json, &b);
  ww_print_buf(&b);
}

static void show(const job *j, const ww_answers *a, uint32_t nth) {
  if (!j->o->dump && !j->c->json) {
    if (nth)
      putchar('\n');
    ww_predict_print(a->p, a->n, stdout);
    return;
  }
  for (const ww_prediction *p = a->p; p && p < a->p + a->n; p++)
    if (!j->o->dump)
      ww_print_report(&p->report, NULL, NULL);
    else if (!p->report.error.code)
      dump(j, p);
}

static ww_status predict_all(job *j) {
  ww_cmd *c = j->c;
  ww_status worst = WW_OK;
  for (uint32_t k = 0; k < j->ask.n; k++) {
    ww_answers a;
    ww_status one = ww_answers_make(&j->ask, &j->ask.launches[k], &a);
    if (!one) {
      show(j, &a, k);
      ww_confidence_check(c, &j->confidence, a.p, a.n);
      ww_answers_free(&a);
    } else if (j->ask.n > 1)
      ww_cmd_complain(c); /* goes on with the next one */
    worst = ww_worse(worst, one);
  }
  return worst;
}

/* ---- a whole program ---- */

typedef struct {
  job *j;
  ww_program program;
  ww_status worst;
} batch;

/* One line a launch. */
static void show_short(const batch *b, const ww_program_launch *l) {
  char v[16];
  char shape[64];
  unsigned long long grid = ww_volume(l->grid);
  unsigned long long block = ww_volume(l->block);
  snprintf(shape, sizeof shape, "%llu x %llu", grid, block);
  printf("%-28s %17s", l->kernel, shape);
  for (uint32_t g = 0; g < b->program.ngpus; g++)
    printf(" %11s", l->time[g].known ? ww_show_us(l->time[g].us, v) : "-");
  if (b->program.ngpus == 1)
    printf("  %s", ww_term_words[l->time[0].bottleneck]);
  putchar('\n');
}

static void check_times(job *j, const ww_program_launch *l) {
  for (uint32_t g = 0; g < j->ask.targets.n; g++)
    if (l->time[g].known)
      ww_confidence_one(j->c, &j->confidence,
                        &(ww_sureness){l->kernel, j->gpus[g], j->grades[g],
                                       l->time[g].low, l->time[g].high});
}

static void take(void *ctx, uint32_t index, ww_many_answer *x) {
  batch *b = ctx;
  ww_cmd *c = b->j->c;
  b->program.v[index] = x->launch;
  b->worst = ww_worse(b->worst, x->error.code);
  if (x->error.code) {
    c->err = x->error;
    c->file = x->launch.file;
    c->kernel = x->launch.kernel;
    ww_cmd_complain(c);
    return;
  }
  if (c->json)
    fputs(x->reports ? x->reports : "", stdout);
  else
    show_short(b, &x->launch);
  check_times(b->j, &x->launch);
}

static ww_status show_pictures(const batch *b) {
  const options *o = b->j->o;
  ww_buf out = {0};
  if (o->svg) {
    ww_program_svg(&b->program, &out);
    if (ww_write_text(o->svg, &out, &b->j->c->err))
      return b->j->c->err.code;
  }
  if (o->html) {
    out = (ww_buf){0};
    ww_program_page(&b->program, &out);
    if (ww_write_text(o->html, &out, &b->j->c->err))
      return b->j->c->err.code;
  }
  return WW_OK;
}

/* Bytes that stay in L2 from one launch to the next. */
static void carry(batch *b) {
  const ww_query_targets *t = &b->j->ask.targets;
  double *room = WW_NEWN(b->j->c->arena, double, t->n);
  for (uint32_t g = 0; g < t->n; g++) {
    const ww_gpu *gpu = &t->gpus[g];
    double part = gpu->l2_partitions > 1 ? WW_FIGURE(gpu, l2_once) : 1;
    room[g] = part * WW_FIGURE(gpu, l2_bytes);
  }
  ww_program_carry(&b->program, room);
}

static ww_status open_parts(job *j, ww_parts *out) {
  ww_cmd *c = j->c;
  if (ww_parts_open(c, j->o->parts, j->o->batch, out))
    return c->err.code;
  for (uint32_t k = 0; out->size > 1 && k < j->ask.n; k++) {
    ww_buf b = {0};
    ww_launch_write(&j->ask.launches[k], &(ww_json){.out = &b});
    ww_parts_key(out, b.s, b.n);
    ww_buf_free(&b);
  }
  for (uint32_t g = 0; g < j->ask.targets.n; g++)
    ww_parts_key(out, j->gpus[g], strlen(j->gpus[g]));
  return WW_OK;
}

static ww_status predict_batch(job *j) {
  ww_cmd *c = j->c;
  uint32_t n = j->ask.n;
  bool carried = ww_is(j->o->ask.cache, "program");
  batch b = {.j = j,
             .program = {.name = ww_path_base(j->o->batch),
                         .gpus = j->gpus,
                         .grades = j->grades,
                         .ngpus = j->ask.targets.n}};
  ww_parts parts;
  bool mine;
  b.program.v = WW_NEWN(c->arena, ww_program_launch, n + 1);
  b.program.n = n;
  ww_many_how how = {.reports = c->json,
                     .both = carried,
                     .processes = j->o->jobs,
                     .each = take,
                     .ctx = &b,
                     .parts = &parts};
  if (open_parts(j, &parts) ||
      ww_many_predict(&j->ask, j->ask.launches, n, &how, &mine))
    return c->err.code;
  if (!mine)
    return WW_OK;
  if (carried)
    carry(&b);
  if (!c->quiet) {
    FILE *f = c->json ? stderr : stdout;
    if (!c->json)
      fputc('\n', f);
    ww_program_print(&b.program, f);
  }
  return ww_worse(b.worst, show_pictures(&b));
}

/* ---- two versions ---- */

/* The launch as it is for one of the files; a spec's own file gives way. */
static ww_status version(ww_ask *x, const char *file, ww_answers *out) {
  ww_cmd *c = x->c;
  ww_cmd before = *c;
  uint32_t n;
  ww_launch *launches;
  c->operands = &file;
  c->noperands = 1;
  ww_status st = ww_source_launches(c, &x->o->source, &launches, &n);
  if (!st && n != 1)
    st = ww_usage(c, "--diff compares one launch; the spec has %u", n);
  if (!st)
    st = ww_answers_make(x, launches, out);
  c->operands = before.operands;
  c->noperands = before.noperands;
  return st;
}

static void
compare(job *j, const ww_answers *old, const ww_answers *new_, double limit) {
  for (uint32_t g = 0; g < new_->n; g++) {
    const ww_prediction *p = &old->p[g];
    const ww_prediction *q = &new_->p[g];
    if (p->report.error.code || q->report.error.code)
      continue;
    if (j->c->json) {
      ww_buf b = {0};
      ww_diff_write(p, q, &(ww_json){.out = &b});
      ww_buf_puts(&b, "\n");
      ww_print_buf(&b);
    } else {
      if (g)
        putchar('\n');
      ww_diff_print(p, q, stdout);
    }
    if (limit >= 0 && q->timing.us > p->timing.us * (1 + limit / 100)) {
      j->c->missed = true;
      if (!j->c->json)
        printf("%sslower by %.3g %%, more than the %.3g %% allowed%s\n",
               ww_show_color(stdout, "\033[31m"),
               100 * (q->timing.us / p->timing.us - 1), limit,
               ww_show_color(stdout, "\033[0m"));
    }
  }
}

static ww_status diff(job *j) {
  ww_cmd *c = j->c;
  double limit = -1;
  /* with a cache of its own: both files stay while they are compared */
  ww_ask fresh = j->ask;
  ww_answers old = {0};
  ww_answers new_ = {0};
  const char *slower = j->o->slower;
  if (c->noperands != 2)
    return ww_usage(c, "--diff takes two files, the old one and the new one");
  if (slower && !ww_real(slower, "%", 0, DBL_MAX, &limit))
    return ww_usage(c, "--fail-if-slower: expected a percentage, 5%%, not '%.40s'",
                    slower);
  ww_status st = version(&j->ask, c->operands[0], &old);
  if (!st)
    st = version(&fresh, c->operands[1], &new_);
  if (!st) {
    compare(j, &old, &new_, limit);
    ww_confidence_check(c, &j->confidence, old.p, old.n);
    ww_confidence_check(c, &j->confidence, new_.p, new_.n);
  }
  ww_answers_free(&old);
  ww_answers_free(&new_);
  ww_source_free(&fresh.cache);
  return st;
}

/* ---- sweeps ---- */

static void keep(const ww_many_answer *a, uint32_t n, ww_sweep_point *out) {
  for (uint32_t g = 0; g < n; g++) {
    const ww_program_time *t = &a->launch.time[g];
    if (t->known)
      out[g] =
          (ww_sweep_point){true, t->us, t->low, t->high, ww_term_words[t->bottleneck]};
  }
}

static ww_status show_sweep(job *j, const ww_sweep_result *r) {
  const char *svg = j->o->svg;
  if (svg) {
    ww_buf b = {0};
    ww_sweep_svg(r, &b);
    if (ww_write_text(svg, &b, &j->c->err))
      return j->c->err.code;
  }
  if (!j->c->json && !(svg && !strcmp(svg, "-")))
    ww_sweep_print(r, stdout);
  return WW_OK;
}

typedef struct {
  job *j;
  ww_sweep_result r;
  ww_sweep_point *points;
  ww_err first; /* what is wrong with the first value, where nothing was shown before */
} sweeping;

/* A size that does not fit: the curve has a gap there. */
static void take_size(void *ctx, uint32_t index, ww_many_answer *x) {
  sweeping *s = ctx;
  ww_cmd *c = s->j->c;
  uint32_t n = s->r.ngpus;
  if (x->error.code) {
    bool wrong = !s->r.kernel || x->error.code == WW_EUSAGE;
    if (s->first.code)
      return;
    if (wrong)
      s->first = x->error;
    else {
      c->err = x->error;
      ww_cmd_complain(c);
    }
    return;
  }
  if (s->first.code)
    return;
  keep(x, n, s->points + (size_t)index * n);
  check_times(s->j, &x->launch);
  s->r.last.assumed.n = 0;
  ww_assumptions_add(&s->r.last.assumed, &x->assumed, c->arena);
  if (c->json)
    fputs(x->reports ? x->reports : "", stdout);
  if (!s->r.kernel) {
    s->r.kernel = x->launch.kernel;
    s->r.file = x->launch.file;
  }
}

static ww_status sweep(job *j) {
  ww_cmd *c = j->c;
  ww_sweep s;
  bool mine;
  if (ww_sweep_parse(j->o->sweep, c->arena, &s, &c->err))
    return c->err.code;
  if (j->ask.n != 1)
    return ww_usage(c, "--sweep takes one launch; the spec has %u", j->ask.n);
  uint32_t ngpus = j->ask.targets.n;
  ww_sweep_point *points = WW_NEWN(c->arena, ww_sweep_point, (size_t)s.n * ngpus);
  ww_launch *launches = WW_NEWN(c->arena, ww_launch, s.n);
  sweeping w = {
      j, {.sweep = &s, .gpus = j->gpus, .ngpus = ngpus, .points = points}, points, {0}};
  for (uint32_t k = 0; k < s.n; k++) {
    launches[k] = j->ask.launches[0];
    if (ww_sweep_launch(&s, s.v[k], c->arena, &launches[k], &c->err))
      return c->err.code;
  }
  ww_many_how how = {
      .reports = c->json, .processes = j->o->jobs, .each = take_size, .ctx = &w};
  if (ww_many_predict(&j->ask, launches, s.n, &how, &mine))
    return c->err.code;
  if (w.first.code) {
    c->err = w.first;
    return c->err.code;
  }
  return show_sweep(j, &w.r);
}

/* ---- the command ---- */

static bool by_text(const options *o) {
  return ww_is(o->ask.by, "text");
}

static ww_status check(ww_cmd *c, const options *o) {
  if (o->diff + !!o->sweep + !!o->batch > 1)
    return ww_usage(c, "choose one of --diff, --sweep and --batch");
  if (o->slower && !o->diff)
    return ww_usage(c, "--fail-if-slower belongs to --diff OLD NEW");
  if (o->svg && !o->sweep && !o->batch)
    return ww_usage(c,
                    "--svg belongs to --sweep and --batch; `warpwise roofline --svg` "
                    "plots single kernels");
  if ((o->html || o->parts) && !o->batch)
    return ww_usage(c,
                    "--html and --parts belong to --batch; `warpwise explain --html` "
                    "makes a page of single kernels");
  if (o->dump && (o->diff || o->sweep || o->batch))
    return ww_usage(c, "--dump takes single launches, not --diff, --sweep or --batch");
  if (o->dump && ww_dump_check(o->dump, &c->err))
    return c->err.code;
  if (by_text(o) && (o->diff || o->sweep || o->ask.ptxas || o->dump || o->confidence))
    return ww_usage(c,
                    "--by text takes single launches and --batch, not --diff, --sweep, "
                    "--ptxas, --dump or --require-confidence");
  if ((o->model || o->heads || o->evidence) && !by_text(o))
    return ww_usage(c, "--model, --heads and --evidence belong to --by text");
  if (o->batch && o->ask.source.launch)
    return ww_usage(c, "--batch and --launch: give one of them");
  return WW_OK;
}

static ww_status run(ww_cmd *c) {
  job j = {
      .c = c,
      .o = c->opt,
  };
  const options *o = j.o;
  if (check(c, o) || ww_confidence_parse(c, o->confidence, &j.confidence))
    return c->err.code;
  j.asked = o->ask;
  int form = ww_word_option(c, "evidence", o->evidence, WW_EVIDENCE_WORDS);
  if (form < 0)
    return WW_EUSAGE;
  j.evidence = o->evidence ? form : WW_EVIDENCE_SOURCE;
  if (by_text(o) && j.evidence)
    j.asked.by = "machine"; /* what the model was trained beside */
  j.asked.text = by_text(o) && !j.evidence;
  j.asked.program = o->batch;
  if (o->batch)
    j.asked.source.launch = o->batch;
  /* each version has its own launch */
  if ((o->diff ? ww_ask_targets : ww_ask_open)(c, &j.asked, &j.ask))
    return c->err.code;
  j.gpus = WW_NEWN(c->arena, const char *, j.ask.targets.n);
  j.grades = WW_NEWN(c->arena, const char *, j.ask.targets.n);
  for (uint32_t g = 0; g < j.ask.targets.n; g++) {
    j.gpus[g] = j.ask.targets.gpus[g].name;
    j.grades[g] = ww_grades[ww_gpu_grade(&j.ask.targets.gpus[g])].text;
  }
  ww_status st = o->diff      ? diff(&j)
                 : o->sweep   ? sweep(&j)
                 : by_text(o) ? ww_predict_by_text(&j)
                 : o->batch   ? predict_batch(&j)
                              : predict_all(&j);
  ww_source_free(&j.ask.cache);
  return st;
}

const ww_command ww_cmd_predict = {
    "predict",
    "time and counters of a kernel on a GPU that is not here, with intervals",
    "FILE... [options] [-- clang flags]",
    .details = "The machine model on the kernel's trace. --gpu takes several names: "
               "h200,a100. "
               "What the launch does not say is found\n"
               "as `warpwise trace --help` tells, and listed as assumed. --by text "
               "asks a small "
               "language model instead, from source,\n"
               "launch and GPU alone, without a compiler (docs/text-model.md).",
    .examples =
        "  warpwise predict saxpy.cu --grid n/256 --block 256 --arg 'n=1<<20' --gpu "
        "h200,a100\n"
        "  warpwise predict --batch launches.jsonl --gpu h100,h200\n"
        "  warpwise predict --diff old.cu new.cu --gpu a100 --fail-if-slower 5%\n"
        "  warpwise predict saxpy.cu --by text --grid 4096 --block 256 --arg 'n=1<<20' "
        "--arg "
        "'x=f32[n]' --arg 'y=f32[n]'\n"
        "  warpwise predict saxpy.cu --sweep n=1K..64M --gpu h200,a100 --svg "
        "saxpy.svg\n",
    WW_OPTIONS,
    .run = run,
};
