/* gpus_calibrate.c - `warpwise gpus calibrate`: 50 launches on a device, at most five
 * numbers of its description fitted to them, and how much that helped on launches the
 * fit had not seen.
 *
 * The launches are those of gpus/calibrate, or the user's own. They run on the device
 * that is here, or have run elsewhere: --plan writes them ready for `warpwise measure`,
 * --from reads its rows. */
#include <math.h>

#include "../measure/backend.h"
#include "../measure/probe.h"
#include "../predict/learn/calibrate.h"
#include "gpus.h"
#include "ready.h"

enum { FOLDS = 5, LEAST = 10, REPEATS = 5 };

typedef struct {
  ww_cmd *c;
  const ww_gpus_options *o;
  ww_arena *a;
  ww_params params;
  ww_source_cache cache;
  WW_VEC(ww_item) items;
  uint32_t *of; /* per measured launch: its item */
  WW_VEC(ww_launch) launches;
  WW_VEC(ww_fit_sample) samples; /* of the launches */
  uint32_t *fold;                /* per sample: kernels stay together */
  uint32_t kernels, refused;
  ww_device_info device;
  ww_gpu base;  /* as it was named */
  ww_gpu start; /* the same with what the device says of itself */
  double seconds;
} job;

static const char *own_file(job *j, const char *name) {
  const char *gpus = ww_path_join(j->a, ww_data_dir(j->a), "gpus");
  return ww_path_join(j->a, ww_path_join(j->a, gpus, "calibrate"), name);
}

static void complain(job *j, const char *kernel, const ww_err *e) {
  ww_err *err = &j->c->err;
  *err = *e;
  snprintf(err->msg, sizeof err->msg, "%.60s: %.400s", kernel ? kernel : "a launch",
           e->msg);
  ww_cmd_complain(j->c);
  j->refused++;
}

/* ---- launches on the device that is here ---- */

/* CUDA where there is such a device, else OpenCL; --plan is for a GPU's own compiler.
 */
static bool runs_cuda(const job *j) {
  char architecture[16];
  ww_err none;
  if (j->o->plan && j->c->gpu)
    return true;
  return ww_backend_cuda.architecture &&
         !ww_backend_cuda.architecture(j->c->device, architecture, &none);
}

static ww_status collect(job *j) {
  ww_launch *l;
  uint32_t n;
  bool own = !j->o->launch;
  const char *path = own ? own_file(j, "launches.jsonl") : j->o->launch;
  const char *file = own_file(j, runs_cuda(j) ? "kernels.cu" : "kernels.cl");
  ww_status st = ww_input_launches(j->a, path, &l, &n, &j->c->err);
  for (uint32_t k = 0; !st && k < n; k++) {
    if (!l[k].file)
      l[k].file = file;
    ww_push(j->a, &j->items, (ww_item){.l = l[k]});
  }
  return st;
}

static void take(job *j, const ww_launch *l, const char *kernel, double us) {
  ww_launch mine;
  ww_launch_copy(l, j->a, &mine);
  mine.binary = NULL; /* the source tells what it does */
  kernel = ww_strdup(j->a, kernel);
  ww_push(j->a, &j->launches, mine);
  ww_push(j->a, &j->samples,
          ((ww_fit_sample){.measured_us = us, .family = kernel, .name = kernel}));
}

static void know_device(job *j, const ww_device_info *d) {
  if (j->device.device)
    return;
  j->device = *d;
  j->device.device = ww_strdup(j->a, d->device);
  j->device.gpu = d->gpu ? ww_strdup(j->a, d->gpu) : NULL;
}

static void on_row(void *ctx, uint32_t index, const ww_measure_row *row) {
  job *j = ctx;
  const ww_item *i = &j->items.v[j->of[index]];
  ww_launch l = i->l;
  l.kernel = i->kernel;
  ww_progress("measuring", index + 1, j->items.n);
  if (row->report.error.code) {
    complain(j, i->kernel, &row->report.error);
    return;
  }
  know_device(j, &row->measured.device);
  take(j, &l, i->kernel, row->report.m[WW_M_time_us].value);
}

static ww_status write_plan(job *j) {
  ww_buf out = {0};
  ww_status st = WW_OK;
  for (uint32_t k = 0; k < j->items.n && !st; k++)
    if (!j->items.v[k].bad.code)
      st = ww_ready_line(j->o->plan, &j->items.v[k], &out, &j->c->err);
  if (!st)
    st = ww_write_buf(j->o->plan, &out, &j->c->err);
  if (!st && !ww_is_quiet())
    fprintf(stderr,
            "%s: %u launches; there: warpwise measure --launch %s --time-only --json\n",
            j->o->plan, j->items.n - j->refused, j->o->plan);
  return st;
}

static ww_status measure(job *j) {
  static const ww_source_options plain = {0};
  ww_ready_how how = {.c = j->c,
                      .source = &plain,
                      .with = j->o->with,
                      .elsewhere = j->o->plan,
                      .a = j->a};
  ww_cmd *c = j->c;
  uint32_t n = 0;
  if (collect(j))
    return c->err.code;
  uint32_t operands = c->noperands; /* "calibrate" is no source file */
  c->noperands = 0;
  ww_ready_plan(&how, j->items.v, j->items.n);
  ww_ready_compile(&how, j->items.v, j->items.n);
  c->noperands = operands;
  ww_launch *ready = WW_NEWN(j->a, ww_launch, j->items.n + 1);
  j->of = WW_NEWN(j->a, uint32_t, j->items.n + 1);
  for (uint32_t k = 0; k < j->items.n; k++) {
    if (j->items.v[k].bad.code) {
      complain(j, j->items.v[k].l.kernel, &j->items.v[k].bad);
      continue;
    }
    j->of[n] = k;
    ready[n++] = j->items.v[k].l;
  }
  if (j->o->plan)
    return write_plan(j);
  double begin = ww_now();
  ww_measure_options o = {.device = c->device, .time_only = true, .repeats = REPEATS};
  ww_status st = ww_measure(ready, n, &o, ww_self_path(j->a),
                            &(ww_measure_sink){.ctx = j, .row = on_row}, &c->err);
  j->seconds = ww_now() - begin;
  return st;
}

/* ---- launches that ran elsewhere ---- */

static ww_status add_row(job *j, const char *line, const char *dir) {
  ww_report r;
  ww_launch l;
  ww_status st = ww_report_parse(line, j->a, &r, &j->c->err);
  if (st)
    return st;
  if (r.error.code) {
    complain(j, r.kernel, &r.error);
    return WW_OK;
  }
  if (!r.measured || !r.launch || !r.launch->file || !r.m[WW_M_time_us].known)
    return ww_fail(&j->c->err, WW_EDATA,
                   "not a measured launch: `warpwise measure --json` writes them");
  ww_launch_locate(r.launch, dir, j->a, &l);
  if (!ww_file_exists(l.file)) /* another machine's copy of ours */
    l.file = own_file(j, ww_path_base(l.file));
  know_device(j, &r.measured->device);
  take(j, &l, r.kernel, r.m[WW_M_time_us].value);
  return WW_OK;
}

static ww_status read_rows(job *j) {
  char *text;
  char *line;
  size_t n;
  uint32_t number = 0;
  j->c->file = j->o->from;
  ww_status st = ww_input_packed(j->a, j->o->from, 1 << 28, &text, &n, &j->c->err);
  while (!st && (line = ww_next_line(&text, &number)))
    st = add_row(j, line, ww_path_dir(j->a, j->o->from));
  if (st && !j->c->err.line)
    j->c->err.line = number;
  return st;
}

/* ---- predictions ---- */

/* One launch on each GPU. */
static ww_status predict(
    job *j, uint32_t k, const ww_gpu *g, uint32_t n, ww_arena *a, ww_prediction *p) {
  ww_cmd c = *j->c;
  c.noperands = 0;
  ww_launch l = j->launches.v[k];
  ww_query_targets q = {.gpus = g, .n = n, .params = &j->params};
  ww_status st = ww_source_kernel(&c, &ww_source_plain, &j->cache, &l);
  if (!st)
    st = ww_query_predict(j->cache.read.unit, j->cache.fn, &l, &q, NULL, a, p, &c.err);
  if (st)
    j->c->err = c.err;
  return st;
}

/* The work of every launch; one that cannot be predicted is left out, and said. */
static void find_work(job *j) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < j->samples.n; k++) {
    ww_arena *a = ww_arena_new();
    ww_prediction *p = WW_NEW(a, ww_prediction);
    if (predict(j, k, &j->start, 1, a, p)) {
      ww_err why = j->c->err;
      complain(j, j->samples.v[k].name, &why);
    } else {
      j->samples.v[k].work = p->work;
      j->samples.v[n] = j->samples.v[k];
      j->launches.v[n++] = j->launches.v[k];
    }
    ww_arena_free(a);
    ww_progress("predicting", k + 1, j->samples.n);
  }
  j->samples.n = j->launches.n = n;
}

static void make_folds(job *j) {
  const char **names = WW_NEWN(j->a, const char *, j->samples.n + 1);
  j->fold = WW_NEWN(j->a, uint32_t, j->samples.n + 1);
  for (uint32_t k = 0; k < j->samples.n; k++) {
    uint32_t f = 0;
    while (f < j->kernels && strcmp(names[f], j->samples.v[k].family))
      f++;
    if (f == j->kernels)
      names[j->kernels++] = j->samples.v[k].family;
    j->fold[k] = f % FOLDS;
  }
}

/* ---- the description ---- */

/* What the device says of itself goes over the base; one with another number of
 * multiprocessors is another GPU. */
static ww_status begin_with(job *j) {
  const char *name = j->o->base ? j->o->base : j->c->gpu ? j->c->gpu : j->device.gpu;
  if (!name)
    return ww_usage(j->c,
                    "no description fits '%.60s': name the one that is most like it, "
                    "--base NAME; `warpwise gpus` lists them",
                    j->device.device);
  if (ww_gpu_load(name, j->a, &j->base, &j->c->err))
    return j->c->err.code;
  static const char says[] = "as the device reports it";
  ww_gpu *g = &j->start;
  *g = j->base;
  if (j->device.l2_bytes)
    ww_figure_set(g, ww_figure_named("l2.bytes"), j->device.l2_bytes, says);
  if (!j->device.sms || j->device.sms == g->sms)
    return WW_OK;
  if (!(g->dram_read > 0))
    g->dram_read = g->dram_peak;
  g->dram_peak = NAN; /* the base's, not this device's: it bounds nothing */
  g->name = ww_gpus_short_name(j->device.device, j->a);
  g->full_name = j->device.device;
  g->sms = j->device.sms;
  if (j->device.memory_bytes)
    ww_figure_set(g, ww_figure_named("dram.bytes"), j->device.memory_bytes, says);
  return WW_OK;
}

/* Peaks of a GPU that the base does not describe: with what bounds them. */
static void guess_peaks(const job *j, const ww_calibration *k, ww_gpu *g) {
  double clock = k->factor[0] * g->sms / j->base.sms;
  for (uint32_t i = 0; i < WW_NGPU_FIGURES; i++) {
    const char *path = ww_gpu_figures[i].path;
    bool memory = !strcmp(path, "dram.peak_gbps");
    double v = ww_figure_of(&j->base, i);
    if (!isnan(v) && (memory || ww_starts(path, "peak.")))
      ww_figure_set(g, i, v * (memory ? k->factor[1] : clock), "estimate");
  }
  g->dram_peak = fmax(g->dram_peak, g->dram_read);
}

static void
describe(job *j, const ww_calibration *k, const ww_fit_error *error, ww_gpu *g) {
  const char *date = ww_probe_date(j->a);
  ww_calibration_apply(k, &j->start, ww_fmt(j->a, "calibration %s", date), j->a, g);
  g->calibrated = ww_fmt(j->a,
                         "calibration by %u launches on %s, %s; median error %.0f %%, "
                         "%.0f %% before",
                         j->samples.n, j->device.device, date, 100 * error[1].median,
                         100 * error[0].median);
  bool other = g->sms != j->base.sms;
  if (other)
    guess_peaks(j, k, g);
  g->notes = other ? ww_fmt(j->a, "what was not fitted is the %s's", j->base.full_name)
                   : j->base.notes;
}

/* ---- the fit ---- */

/* Every launch by the base, and by a fit that had not seen its kernel. */
static ww_status
score(job *j, const ww_calibration *by_fold, ww_fit_error *error, ww_arena *a) {
  ww_gpu *gpus = WW_NEWN(a, ww_gpu, FOLDS + 1);
  double *before = WW_NEWN(a, double, j->samples.n + 1);
  double *after = WW_NEWN(a, double, j->samples.n + 1);
  gpus[0] = j->start;
  for (uint32_t f = 0; f < FOLDS; f++)
    ww_calibration_apply(&by_fold[f], &j->start, NULL, a, &gpus[f + 1]);
  for (uint32_t k = 0; k < j->samples.n; k++) {
    ww_arena *own = ww_arena_new();
    ww_prediction *p = WW_NEWN(own, ww_prediction, 2);
    const ww_gpu two[] = {gpus[0], gpus[j->fold[k] + 1]};
    ww_status st = predict(j, k, two, 2, own, p);
    before[k] = p[0].timing.us;
    after[k] = p[1].timing.us;
    ww_arena_free(own);
    if (st)
      return st;
    ww_progress("scoring", k + 1, j->samples.n);
  }
  error[0] = ww_fit_errors(j->samples.v, j->samples.n, before, a);
  error[1] = ww_fit_errors(j->samples.v, j->samples.n, after, a);
  return WW_OK;
}

static ww_status fit(job *j, ww_calibration *all, ww_fit_error *error) {
  ww_calibration by_fold[FOLDS];
  bool *left_out = WW_NEWN(j->a, bool, j->samples.n + 1);
  uint32_t n = j->samples.n;
  make_folds(j);
  for (uint32_t f = 0; f < FOLDS; f++) {
    for (uint32_t k = 0; k < n; k++)
      left_out[k] = j->fold[k] == f;
    ww_calibrate(j->samples.v, n, left_out, &j->start, &j->params, &by_fold[f]);
  }
  ww_calibrate(j->samples.v, n, NULL, &j->start, &j->params, all);
  return score(j, by_fold, error, j->a);
}

/* ---- what a person, or a program, is told ---- */

static void print_error(const char *when, const ww_fit_error *e) {
  printf("  %-8s %8.1f %% %12.2fx %11.0f %%\n", when, 100 * e->median, exp(e->log_mean),
         100 * e->within20);
}

static double leading(const ww_gpu *g, int knob) {
  return ww_figure_of(g, ww_figure_named(ww_knobs[knob].paths[0]));
}

static void print_result(job *j,
                         const ww_calibration *k,
                         const ww_gpu *g,
                         const ww_fit_error *error) {
  FILE *f = stdout;
  fprintf(f, "%s from %s: %u launches of %u kernels", j->device.device, j->base.name,
          j->samples.n, j->kernels);
  if (j->seconds > 0)
    fprintf(f, ", measured in %.0f s", j->seconds);
  fprintf(f, "\n  %-16s %-18s %10s %10s %8s\n", "FITTED", "FIGURE", "BASE", "NOW",
          "FACTOR");
  for (int i = 0; i < WW_NKNOBS; i++) {
    double base = leading(g, i) / k->factor[i];
    if (k->factor[i] == 1)
      continue;
    fprintf(f, "  %-16s %-18s %10.4g %10.4g %8.3g\n", ww_knobs[i].name,
            ww_knobs[i].paths[0], base, leading(g, i), k->factor[i]);
  }
  fprintf(f, "time, each launch by a fit without its kernel:\n  %-8s %10s %13s %13s\n",
          "", "median", "mean factor", "within 20 %");
  print_error("before", &error[0]);
  print_error("after", &error[1]);
}

static void put_error(ww_json *j, const char *key, const ww_fit_error *e) {
  ww_json_put(j, "%s:{median:%g,mean_factor:%g,within_20_pct:%g}", key, e->median,
              exp(e->log_mean), 100 * e->within20);
}

static void put_result(job *j, const ww_calibration *k, const ww_fit_error *error) {
  ww_json *w = ww_line_begin();
  ww_json_put(
      w, "device:%s,base:%s,launches:%u,kernels:%u,refused:%u,seconds:%g,fitted:{",
      j->device.device, j->base.name, j->samples.n, j->kernels, j->refused, j->seconds);
  for (int i = 0; i < WW_NKNOBS; i++)
    if (k->factor[i] != 1)
      ww_json_knum(w, ww_knobs[i].paths[0], k->factor[i]);
  ww_json_end_obj(w);
  put_error(w, "before", &error[0]);
  put_error(w, "after", &error[1]);
  ww_line_end(w);
}

static ww_status calibrate(job *j) {
  ww_calibration all;
  ww_fit_error error[2];
  ww_gpu g;
  ww_status st = j->o->from ? read_rows(j) : measure(j);
  if (st || j->o->plan)
    return st;
  if (j->samples.n && begin_with(j))
    return j->c->err.code;
  find_work(j);
  if (j->samples.n < LEAST)
    return ww_fail(&j->c->err, WW_EDATA,
                   "%u launches were measured and predicted; a calibration takes %d",
                   j->samples.n, LEAST);
  st = fit(j, &all, error);
  if (st)
    return st;
  describe(j, &all, error, &g);
  if (j->c->json)
    put_result(j, &all, error);
  else
    print_result(j, &all, &g, error);
  return j->o->output ? ww_gpus_write(j->c, &g) : WW_OK;
}

ww_status ww_gpus_calibrate(ww_cmd *c) {
  job j = {.c = c, .o = c->opt, .a = c->arena};
  ww_status st = ww_params_load(j.a, &j.params, &c->err);
  /* what is named is read before the device is kept busy */
  if (!st && j.o->base)
    st = ww_gpu_load(j.o->base, j.a, &j.base, &c->err);
  if (!st)
    st = calibrate(&j);
  ww_source_free(&j.cache);
  return st;
}
