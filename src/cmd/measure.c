/* measure.c - `warpwise measure`: launches on a real device, timed and counted.
 *
 * Each launch goes through plan (what the source tells), compile (CUDA) and the device.
 * One that fails on the way keeps its place in the output, with its error; the others
 * go on. A launch with compiled code needs no source and no front end. */
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "../measure/compile.h"
#include "../measure/ncu.h"
#include "measure_job.h"
#include "ready.h"

#define MOST_BATCH 4096
#define MOST_S 1e6 /* --limit */

typedef struct {
  ww_source_options source;
  bool time_only, compare, worker, compile_worker, once;
  uint64_t repeats, jobs, batch;
  const char *limit, *plan, *with, *dump, *job;
} options;

static const ww_option table[] = {
    WW_SOURCE_OPTIONS(options),
    WW_OPTION_AS(time_only, "time-only", NULL, "no counters"),
    WW_OPTION(repeats,
              "N",
              "timed runs, at most 15 (default: 5 below 100 us, fewer above, more "
              "where they spread)"),
    WW_OPTION(limit, "SECONDS", "give up a kernel that takes longer (default 10)"),
    WW_OPTION(plan,
              "OUT",
              "only write ready launches, to be measured elsewhere, and their code "
              "beside them"),
    WW_OPTION(with, "COMPILER", "nvcc or nvrtc; else nvcc where it is found"),
    WW_OPTION(jobs, "N", "compilations at a time (default: one per core)", 'j'),
    WW_OPTION(batch, "N", "launches that share a pass of the counters (default 256)"),
    WW_OPTION(dump, "DIR", "write the buffers' contents after one run: arg0.bin, ..."),
    WW_OPTION(job,
              "JOB",
              "candidates that tune or optimize --propose wrote: each beside the "
              "original, results into the job"),
    WW_OPTION_AS(compare,
                 "compare-ncu",
                 NULL,
                 "the same launches under Nsight Compute, side by side"),
    WW_OPTION(worker, NULL, NULL),
    WW_OPTION_AS(compile_worker, "compile-worker"),
    WW_OPTION(once, NULL, NULL),
    {0},
};

typedef struct {
  ww_cmd *c;
  const options *o;
  WW_VEC(ww_item) items;
  ww_item *v; /* its n */
  uint32_t n;
  uint32_t *of;     /* per measured launch: its ww_item */
  uint32_t printed; /* items whose line is out */
  ww_status worst;
  /* a message that every launch has is shown once */
  char last[sizeof((ww_err *)0)->msg];
  uint32_t same;
  ww_ncu_row *ncu; /* per measured launch, or NULL */
  ww_arena *a;
} job;

/* ---- which launches ---- */

static void add(job *j, const ww_launch *l, const ww_err *bad) {
  ww_push(j->a, &j->items, (ww_item){.l = *l, .bad = *bad});
  j->v = j->items.v;
  j->n = j->items.n;
}

/* A file of lines of which some are no launch: each of those is a row with its error.
 */
static ww_status by_line(job *j, const char *path, ww_err *first) {
  char *text;
  char *line;
  size_t n;
  ww_err e = {0};
  uint32_t lines = 0;
  uint32_t good = 0;
  uint32_t number = 0;
  if (ww_read_input(j->a, path, 1 << 30, &text, &n, &e))
    return first->code;
  for (; (line = ww_next_line(&text, &number)); lines++) {
    ww_launch l = {0};
    ww_err bad = {0};
    if (ww_launch_parse(line, ww_path_dir(j->a, path), j->a, &l, &bad)) {
      bad.file = path;
      bad.line = number;
    }
    good += !bad.code;
    add(j, &l, &bad);
  }
  return lines > 1 && good ? WW_OK : first->code;
}

static ww_status collect(job *j) {
  ww_cmd *c = j->c;
  static const ww_err fine;
  ww_launch over;
  ww_launch *l;
  ww_launch none = {0};
  uint32_t n;
  ww_status st = ww_source_over(c, &j->o->source, &over);
  if (st)
    return st;
  if (j->o->source.launch) {
    st = ww_input_launches(j->a, j->o->source.launch, &l, &n, &c->err);
    for (uint32_t k = 0; !st && k < n; k++)
      add(j, &l[k], &fine);
    if (st && st != WW_EIO && st != WW_ELIMIT)
      st = by_line(j, j->o->source.launch, &c->err);
    if (!st)
      c->err = (ww_err){0};
  } else
    add(j, &none, &fine);
  for (uint32_t k = 0; !st && k < j->n; k++) {
    ww_launch *one = &j->v[k].l;
    if (j->v[k].bad.code)
      continue;
    ww_launch_merge(one, &over, j->a);
    if (c->noperands)
      one->file = c->operands[0];
    if (one->file || one->binary)
      continue;
    ww_fail(&j->v[k].bad, WW_EUSAGE,
            "name a source file, or a launch spec that has one");
    if (j->n == 1)
      return c->err = j->v[k].bad, WW_EUSAGE;
  }
  return st;
}

/* ---- rows ---- */

static void print_error(job *j, const ww_item *i, const ww_err *e) {
  ww_cmd *c = j->c;
  j->worst = ww_worse(j->worst, e->code);
  c->file = i->l.file;
  c->kernel = i->kernel;
  c->err = *e;
  bool again = !c->json && !strcmp(j->last, e->msg);
  j->same = again ? j->same + 1 : 0;
  snprintf(j->last, sizeof j->last, "%s", e->msg);
  if (!again && !c->json && i->kernel) {
    const char *where = e->file || !i->l.file ? "" : i->l.file;
    snprintf(c->err.msg, sizeof c->err.msg, "%s%s%s: %.400s", where, *where ? ": " : "",
             i->kernel, e->msg);
  }
  if (!again)
    ww_cmd_complain(c);
  c->err = (ww_err){0};
}

static void print_samples(const ww_measured *m, FILE *f) {
  uint32_t dropped = 0;
  for (uint32_t k = 0; k < m->nsamples; k++)
    dropped += m->dropped[k];
  fprintf(f, "  %u run%s, middle half within %.3g us (%.1f %%)", m->nsamples,
          m->nsamples == 1 ? "" : "s", m->iqr_us,
          m->median_us > 0 ? 100 * m->iqr_us / m->median_us : 0);
  if (dropped)
    fprintf(f, ", %u dropped for their clock", dropped);
  if (m->passes)
    fprintf(f, ", counters in %u passes", m->passes);
  if (m->accumulates)
    fputs(", accumulates: a second run on its own output gives another result", f);
  fprintf(f, "\n  %s, %s %s", m->device.device, m->device.backend,
          m->device.driver ? m->device.driver : "");
  if (m->compiler)
    fprintf(f, ", %s", m->compiler);
  fputc('\n', f);
}

typedef struct {
  ww_measured *m;
  const ww_ncu_row *ncu;
  const ww_report *r;
} extras;

static void write_extras(void *ctx, ww_json *j) {
  extras *x = ctx;
  ww_measured_write(x->m, j);
  if (x->ncu)
    ww_ncu_write(x->ncu, x->r, j);
}

/* The rows before k that never came to a device. */
static void print_bad_before(job *j, uint32_t k) {
  for (; j->printed < k; j->printed++)
    if (j->v[j->printed].bad.code)
      print_error(j, &j->v[j->printed], &j->v[j->printed].bad);
}

static void on_row(void *ctx, uint32_t index, const ww_measure_row *row) {
  job *j = ctx;
  ww_item *i = &j->v[j->of[index]];
  print_bad_before(j, j->of[index]);
  j->printed = j->of[index] + 1;
  if (row->report.error.code) {
    print_error(j, i, &row->report.error);
    return;
  }
  ww_report r = row->report;
  ww_measured m = row->measured;
  const ww_ncu_row *ncu = j->ncu ? &j->ncu[index] : NULL;
  m.compiler = i->compiler;
  r.kernel = i->kernel;
  r.assumed = i->said;
  if (j->c->json)
    ww_print_report(&r, write_extras, &(extras){&m, ncu, &r});
  else {
    ww_report_print(&r, stdout);
    print_samples(&m, stdout);
    if (ncu)
      ww_ncu_print(ncu, &r, stdout);
  }
  fflush(stdout);
}

/* ---- ready launches for another machine ---- */

static ww_status write_plan(job *j) {
  ww_buf out = {0};
  uint32_t ready = 0;
  for (uint32_t k = 0; k < j->n; k++) {
    ww_item *i = &j->v[k];
    if (!i->bad.code && ww_ready_line(j->o->plan, i, &out, &i->bad))
      i->bad.code = WW_EIO;
    ready += !i->bad.code;
  }
  print_bad_before(j, j->n);
  ww_status st = ww_write_buf(j->o->plan, &out, &j->c->err);
  if (!st && !j->c->json && !ww_is_quiet())
    printf("%u ready launches in %s\n", ready, j->o->plan);
  return st ? st : j->worst;
}

/* ---- the command ---- */

static ww_status limit_of(job *j, double *out) {
  *out = 0;
  if (!j->o->limit)
    return WW_OK;
  if (!ww_real(j->o->limit, "", 0, INFINITY, out) || !*out)
    return ww_usage(j->c, "--limit: expected seconds above 0, not '%.60s'",
                    j->o->limit);
  if (*out > MOST_S)
    *out = MOST_S;
  return WW_OK;
}

static ww_status measure_all(job *j) {
  ww_cmd *c = j->c;
  ww_launch *ready = WW_NEWN(j->a, ww_launch, j->n + 1);
  uint32_t n = 0;
  ww_measure_options o = {.device = c->device,
                          .time_only = j->o->time_only,
                          .repeats = j->o->repeats < 15 ? j->o->repeats : 15,
                          .batch = j->o->batch < MOST_BATCH ? j->o->batch : MOST_BATCH,
                          .dump = j->o->dump,
                          .dump_each = j->n > 1};
  ww_status st = limit_of(j, &o.limit_s);
  if (st)
    return st;
  j->of = WW_NEWN(j->a, uint32_t, j->n + 1);
  for (uint32_t k = 0; k < j->n; k++) {
    if (j->v[k].bad.code)
      continue;
    j->of[n] = k;
    ready[n++] = j->v[k].l;
  }
  const char *self = ww_self_path(j->a);
  if (j->o->compare)
    st = ww_ncu_run(ready, n, &o, self, j->a, &j->ncu, &c->err);
  if (!st)
    st = ww_measure(ready, n, &o, self, &(ww_measure_sink){.ctx = j, .row = on_row},
                    &c->err);
  print_bad_before(j, j->n);
  if (j->same && !c->json)
    fprintf(stderr, "warpwise: ... and so for %u launches more\n", j->same);
  return st ? st : j->worst;
}

/* What the kernel prints goes to the device library's stdout: the worker's own lines
 * get another descriptor. */
static FILE *own_stdout(void) {
  int fd = dup(STDOUT_FILENO);
  int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) {
    dup2(null, STDOUT_FILENO);
    close(null);
  }
  return fd >= 0 ? fdopen(fd, "w") : NULL;
}

static ww_status run_worker(ww_cmd *c, const options *o) {
  if (o->compile_worker)
    return ww_compile_worker(stdin, stdout, &c->err);
  FILE *out = own_stdout();
  if (!out)
    return ww_fail(&c->err, WW_EIO, "cannot write to standard output");
  ww_status st = ww_measure_worker(stdin, out, &c->err);
  fclose(out);
  return st;
}

static ww_status run_job(job *j) {
  const options *o = j->o;
  ww_job_how how = {.device = j->c->device,
                    .with = o->with,
                    .repeats = o->repeats < 15 ? o->repeats : 15,
                    .processes = o->jobs < UINT32_MAX ? o->jobs : UINT32_MAX};
  ww_status st = limit_of(j, &how.limit_s);
  return st ? st : ww_cmd_measure_job(j->c, o->job, &how);
}

static ww_status run_once(ww_cmd *c, const options *o) {
  ww_launch *l;
  uint32_t n;
  ww_status st = o->source.launch
                     ? ww_input_launches(c->arena, o->source.launch, &l, &n, &c->err)
                     : ww_usage(c, "--once reads ready launches: --launch FILE");
  return st ? st
            : ww_measure_once(l, n, &(ww_measure_options){.device = c->device},
                              &c->err);
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  if (o->worker || o->compile_worker)
    return run_worker(c, o);
  if (o->once)
    return run_once(c, o);
  job j = {
      .c = c,
      .o = o,
      .a = c->arena,
  };
  if (o->job)
    return run_job(&j);
  ww_status st = collect(&j);
  if (st)
    return st;
  ww_ready_how how = {.c = c,
                      .source = &o->source,
                      .with = o->with,
                      .jobs = o->jobs < UINT32_MAX ? o->jobs : UINT32_MAX,
                      .elsewhere = o->plan,
                      .a = c->arena};
  ww_ready_plan(&how, j.v, j.n);
  ww_ready_compile(&how, j.v, j.n);
  return o->plan ? write_plan(&j) : measure_all(&j);
}

const ww_command ww_cmd_measure = {
    "measure",
    "run a kernel on a real device: its time and its counters",
    "FILE... [options] [-- compiler flags]",
    .details = "Caches cold, contents restored before each run, the kernel's own time; "
               "docs/measuring.md has the convention.\n"
               "CUDA sources run on an NVIDIA GPU, OpenCL sources on any OpenCL device "
               "(--device "
               "pocl: the CPU).\n"
               "What the launch does not say is found as for a trace, and listed.",
    .examples =
        "  warpwise measure saxpy.cu --grid n/256 --block 256 --arg 'n=1<<20'\n"
        "  warpwise measure --launch launches.jsonl --json > measured.jsonl\n"
        "  warpwise measure saxpy.cl --device pocl --time-only\n"
        "  warpwise measure --launch launches.jsonl --plan ready.jsonl --gpu h200\n"
        "  warpwise measure --job tune.job\n",
    WW_OPTIONS,
    .run = run,
};
