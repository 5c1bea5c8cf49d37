/* measure.c - the convention of a measurement (docs/measuring.md), the same for every
 * backend.
 *
 * Launches go through the device in batches: all are loaded, each is run once
 * (restored, digested), then timed in rounds over the batch, then counted pass by pass.
 * Invariant: a run that counts starts from pristine contents and, unless the spec says
 * warm, from caches that hold none of them. A launch that cannot be loaded or started
 * gets its row with the error; WW_EDEVICE from anything that ran a kernel ends the
 * process's work, because its context is gone. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "backend.h"
#include "counters.h"

#define MOST_SAMPLES 15
#define MOST_QUICK 7
#define SPREAD 0.03 /* IQR over median above which more rounds are run */
#define SPREAD_QUICK 0.05
#define STEADY_US 10e3 /* ... of launches below this */
#define CLOCK_OFF                                                    \
  0.02 /* a sample this far from the batch's median clock is dropped \
        */
/* a clock read over less than this is off by the timer's ticks alone */
#define CLOCK_US 5
#define SPIN_S 0.05 /* of work before the first batch, so that the clocks are up */

typedef struct {
  uint32_t index; /* of the launch */
  const ww_launch *l;
  ww_ready *ready; /* NULL: failed, see row.report.error */
  ww_measure_row row;
  uint64_t digest;
  bool strayed; /* a timed run left something else than the first */
  double samples[MOST_SAMPLES + 1], clocks[MOST_SAMPLES + 1];
  bool dropped[MOST_SAMPLES + 1];
  uint32_t n;
  double m[WW_NMETRICS]; /* from the counters; NaN unknown */
} slot;

typedef struct {
  const ww_measure_options *o;
  const ww_measure_sink *sink;
  const ww_backend *b;
  ww_device *d;
  ww_device_info info;
  ww_err no_device; /* why the backend could not be opened */
  bool spun;
  bool fresh; /* contents are still those that were loaded */
  slot *v;    /* the batch */
  uint32_t n;
} meter;

const ww_backend *ww_backend_of(const ww_launch *l) {
  const char *name = l->binary ? l->binary : l->file ? l->file : "";
  const char *dot = strrchr(name, '.');
  return dot && !strcmp(dot, ".cl") ? &ww_backend_opencl : &ww_backend_cuda;
}

static void at(const meter *t, const slot *s, ww_measure_stage stage) {
  if (t->sink->at)
    t->sink->at(t->sink->ctx, s->index, stage);
}

/* ---- statistics ---- */

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* The q-quantile of v, which is sorted here; between neighbours by their distance. NaN
 * of nothing.
 */
static double quantile(double *v, uint32_t n, double q) {
  if (!n)
    return NAN;
  qsort(v, n, sizeof *v, by_value);
  double x = q * (n - 1);
  uint32_t k = x;
  return k + 1 < n ? v[k] + (x - k) * (v[k + 1] - v[k]) : v[k];
}

/* Samples that count: those not dropped, all of them where none is left. */
static uint32_t kept(const slot *s, const double *of, double *out) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->n; k++)
    if (!s->dropped[k])
      out[n++] = of[k];
  if (n)
    return n;
  memcpy(out, of, s->n * sizeof *of);
  return s->n;
}

/* Marks the samples that ran at another clock than the batch: a clock that was not up
 * yet, or a throttled one. */
static void drop_off_clock(meter *t, ww_arena *a) {
  double *all = WW_NEWN(a, double, t->n *(MOST_SAMPLES + 1ull));
  uint32_t n = 0;
  for (slot *s = t->v; s && s < t->v + t->n; s++)
    for (uint32_t i = 0; i < s->n; i++)
      if (isfinite(s->clocks[i]))
        all[n++] = s->clocks[i];
  double middle = quantile(all, n, 0.5);
  /* of an unknown clock: false */
  for (slot *s = t->v; n && s < t->v + t->n; s++)
    for (uint32_t i = 0; i < s->n; i++)
      s->dropped[i] =
          s->samples[i] >= CLOCK_US && fabs(s->clocks[i] / middle - 1) > CLOCK_OFF;
}

static uint32_t wanted(const meter *t, const slot *s) {
  double v[MOST_SAMPLES + 1];
  if (t->o->repeats)
    return t->o->repeats < MOST_SAMPLES ? t->o->repeats : MOST_SAMPLES;
  if (!s->n)
    return 1;
  uint32_t n = kept(s, s->samples, v);
  double median = quantile(v, n, 0.5);
  double iqr = quantile(v, n, 0.75) - quantile(v, n, 0.25);
  bool quick = t->o->quick;
  uint32_t least = quick ? (median < 100   ? 3
                            : median < 1e3 ? 2
                                           : 1)
                         : (median < 100    ? 5
                            : median < 1e3  ? 3
                            : median < 20e3 ? 2
                                            : 1);
  uint32_t most = quick ? MOST_QUICK : MOST_SAMPLES;
  bool spread = iqr > (quick ? SPREAD_QUICK : SPREAD) * median;
  return s->n >= least && s->n < most && median < STEADY_US && (spread || n < least)
             ? s->n + 1
             : least;
}

/* ---- one launch on the device ---- */

/* One counted run by the convention: pristine contents, then cold caches or, where the
 * spec says warm, a run before. */
static ww_status count_one(meter *t, slot *s, ww_err *e) {
  ww_status st = t->fresh ? WW_OK : t->b->restore(t->d, s->ready, e);
  if (!st)
    st = s->l->warm ? t->b->launch(t->d, s->ready, e) : t->b->flush(t->d, e);
  return st ? st : t->b->count(t->d, s->ready, e);
}

/* Runs it `times` times on what is there, and waits. */
static ww_status run(meter *t, slot *s, int times, ww_err *e) {
  ww_status st = WW_OK;
  while (!st && times--)
    st = t->b->launch(t->d, s->ready, e);
  return st ? st : t->b->sync(t->d, e);
}

static void give_up(meter *t, slot *s, const ww_err *e) {
  s->row.report.error = *e;
  t->b->unload(t->d, s->ready);
  s->ready = NULL;
}

static ww_status dump(meter *t, slot *s, ww_err *e) {
  if (!t->b->dump)
    return ww_fail(e, WW_EUNSUPPORTED, "--dump: the %s backend cannot write buffers",
                   t->b->name);
  ww_arena *a = ww_arena_new();
  uint32_t number = t->o->number ? t->o->number[s->index] : s->index;
  const char *dir = t->o->dump_each
                        ? ww_path_join(a, t->o->dump, ww_fmt(a, "%u", number))
                        : t->o->dump;
  mkdir(t->o->dump, 0777);
  /* one that is there is fine; any other failure shows when the files are written */
  mkdir(dir, 0777);
  ww_status st = t->b->dump(t->d, s->ready, dir, e);
  ww_arena_free(a);
  return st;
}

/* The first run: finds what cannot run at all, and which buffers it changes. */
static ww_status warm_one(meter *t, slot *s, ww_err *e) {
  at(t, s, WW_AT_WARM);
  ww_status st = run(t, s, 1, e);
  if (st || t->o->tried)
    return st;
  at(t, s, WW_AT_DIGEST);
  st = t->b->digest(t->d, s->ready, &s->digest, e);
  if (!st && t->o->dump)
    st = dump(t, s, e);
  return st ? st : t->b->restore(t->d, s->ready, e);
}

/* Whether a second run on its own output gives another result. Last, as such a run may
 * well break the context. */
static ww_status again_one(meter *t, slot *s, ww_err *e) {
  s->row.measured.accumulates = t->o->alone && t->o->alone[s->index];
  if (s->row.measured.accumulates)
    return WW_OK;
  uint64_t digest = 0;
  at(t, s, WW_AT_AGAIN);
  ww_status st = t->b->restore(t->d, s->ready, e);
  if (st || (st = run(t, s, 2, e)) || (st = t->b->digest(t->d, s->ready, &digest, e)))
    return st;
  s->row.measured.accumulates = digest != s->digest;
  return WW_OK;
}

/* ---- the batch ---- */

/* The launches that are still in it. */
static uint32_t pick_ready(const meter *t, slot **pick) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < t->n; k++)
    if (t->v[k].ready)
      pick[n++] = &t->v[k];
  return n;
}

/* Some work, so that the clocks are up; the flush is what there is at hand. */
static ww_status spin(meter *t, ww_err *e) {
  double until = ww_now() + SPIN_S;
  ww_status st = WW_OK;
  while (!t->spun && !st && ww_now() < until) {
    st = t->b->flush(t->d, e);
    if (!st)
      st = t->b->sync(t->d, e);
  }
  t->spun = true;
  return st;
}

/* Runs each launch once; one that cannot be started is left out, a broken context ends
 * it all. */
static ww_status warm(meter *t, ww_err *e) {
  ww_status st = spin(t, e);
  for (uint32_t k = 0; !st && k < t->n; k++) {
    slot *s = &t->v[k];
    if (!s->ready)
      continue;
    st = warm_one(t, s, e);
    if (!st || st == WW_EDEVICE)
      continue;
    give_up(t, s, e);
    st = WW_OK;
  }
  return st;
}

/* The counters cannot be had (no permission, another profiler): true of every launch
 * there is. A context that a kernel has broken is another matter. */
static ww_status cannot_count(meter *t, ww_status st, ww_err *e) {
  ww_err why = *e;
  if (t->b->sync(t->d, e))
    return WW_EDEVICE;
  t->no_device = why;
  t->no_device.code = st;
  for (uint32_t k = 0; k < t->n; k++)
    if (t->v[k].ready)
      give_up(t, &t->v[k], &t->no_device);
  return WW_OK;
}

static void all_unknown(double metrics[WW_NMETRICS]) {
  for (int k = 0; k < WW_NMETRICS; k++)
    metrics[k] = NAN;
}

/* Counts the launches in `pick` in every pass of a set. */
static ww_status count_set(meter *t,
                           ww_counter_set set,
                           slot **pick,
                           uint32_t n,
                           uint32_t *passes,
                           double values[][WW_NMETRICS],
                           ww_err *e) {
  for (uint32_t k = 0; k < n; k++)
    all_unknown(values[k]);
  ww_measure_stage stage = set == WW_SET_TIME ? WW_AT_TIME : WW_AT_COUNT;
  *passes = 0;
  at(t, pick[0], stage);
  ww_status st = t->b->begin(t->d, set, n, passes, e);
  if (st)
    return cannot_count(t, st, e);
  if (!*passes)
    return WW_OK;
  for (uint32_t p = 0; !st && p < *passes; p++) {
    st = t->b->pass_begin ? t->b->pass_begin(t->d, e) : WW_OK;
    for (uint32_t k = 0; !st && k < n; k++) {
      at(t, pick[k], stage);
      st = count_one(t, pick[k], e);
    }
    if (!st)
      st = t->b->pass_end(t->d, e);
  }
  return st ? st : t->b->end(t->d, values, e);
}

/* A kernel may do its work in the first run alone, and nothing in those that count. */
static ww_status look_again(meter *t, slot *s, ww_err *e) {
  uint64_t digest = 0;
  if (!s->ready || s->strayed)
    return WW_OK;
  at(t, s, WW_AT_DIGEST);
  ww_status st = t->b->digest(t->d, s->ready, &digest, e);
  if (st || digest == s->digest)
    return st;
  s->strayed = true;
  s->digest = digest;
  return t->o->dump ? dump(t, s, e) : WW_OK;
}

static ww_status time_round(meter *t, slot **pick, uint32_t n, ww_arena *a, ww_err *e) {
  double(*values)[WW_NMETRICS] = ww_alloc(a, n * sizeof *values);
  uint32_t passes;
  ww_status st = count_set(t, WW_SET_TIME, pick, n, &passes, values, e);
  for (uint32_t k = 0; !st && k < n && pick[k]->ready; k++) {
    const double *m = values[k];
    if (!isfinite(m[WW_M_time_us]))
      return ww_fail(e, WW_EDEVICE,
                     "the device gave no time for a launch; is its profiler in use by "
                     "another program?");
    pick[k]->samples[pick[k]->n] = m[WW_M_time_us];
    pick[k]->clocks[pick[k]->n++] = m[WW_M_sm_clock_mhz];
  }
  drop_off_clock(t, a);
  for (uint32_t k = 0; !st && t->o->every && k < n; k++)
    st = look_again(t, pick[k], e);
  return st;
}

static ww_status time_all(meter *t, ww_arena *a, ww_err *e) {
  slot **pick = WW_NEWN(a, slot *, t->n);
  for (;;) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < t->n; k++)
      if (t->v[k].ready && t->v[k].n < wanted(t, &t->v[k]))
        pick[n++] = &t->v[k];
    if (!n)
      return WW_OK;
    ww_status st = time_round(t, pick, n, a, e);
    if (st)
      return st;
  }
}

/* Instead of a run before the timed ones: the first round starts from what was loaded,
 * and what it changed is looked at after it. A launch that breaks the context takes its
 * batch along, so this is for kernels that are known to be sound. */
static ww_status time_first(meter *t, ww_arena *a, ww_err *e) {
  slot **pick = WW_NEWN(a, slot *, t->n);
  uint32_t n = pick_ready(t, pick);
  ww_status st = spin(t, e);
  t->fresh = true;
  if (!st)
    st = time_round(t, pick, n, a, e);
  t->fresh = false;
  for (uint32_t k = 0; !st && k < n; k++) {
    if (!pick[k]->ready)
      continue;
    at(t, pick[k], WW_AT_DIGEST);
    st = t->b->digest(t->d, pick[k]->ready, &pick[k]->digest, e);
  }
  return st;
}

/* The matrix units' operations, for the launches that used them: their counters take
 * more passes than all others. */
static ww_status count_tensor(
    meter *t, slot **pick, uint32_t n, double values[][WW_NMETRICS], ww_err *e) {
  uint32_t left = 0;
  uint32_t passes = 0;
  for (uint32_t k = 0; k < n; k++)
    if (pick[k]->ready && isnan(pick[k]->m[WW_M_flops_tensor]))
      pick[left++] = pick[k];
  ww_status st =
      left ? count_set(t, WW_SET_TENSOR, pick, left, &passes, values, e) : WW_OK;
  for (uint32_t k = 0; !st && k < left && passes; k++) {
    pick[k]->m[WW_M_flops_tensor] = values[k][WW_M_flops_tensor];
    pick[k]->row.measured.passes += passes;
  }
  return st;
}

static ww_status count_all(meter *t, ww_arena *a, ww_err *e) {
  slot **pick = WW_NEWN(a, slot *, t->n);
  double(*values)[WW_NMETRICS] = ww_alloc(a, t->n * sizeof *values);
  uint32_t n = pick_ready(t, pick);
  uint32_t passes = 0;
  for (uint32_t k = 0; k < t->n; k++)
    all_unknown(t->v[k].m);
  if (t->o->time_only || !n)
    return WW_OK;
  ww_status st = count_set(t, WW_SET_COUNTERS, pick, n, &passes, values, e);
  for (uint32_t k = 0; !st && k < n; k++) {
    memcpy(pick[k]->m, values[k], sizeof pick[k]->m);
    pick[k]->row.measured.passes = passes;
  }
  return st || !passes ? st : count_tensor(t, pick, n, values, e);
}

/* ---- rows ---- */

/* Times from the timed rounds win over those of the counters' passes; what follows from
 * them is made to. */
static void fill_metrics(slot *s) {
  double v[MOST_SAMPLES + 1];
  ww_report *r = &s->row.report;
  ww_measured *d = &s->row.measured;
  uint32_t n = kept(s, s->samples, v);
  double median = quantile(v, n, 0.5);
  double low = quantile(v, n, 0.25);
  double high = quantile(v, n, 0.75);
  s->m[WW_M_time_us] = median;
  n = kept(s, s->clocks, v);
  s->m[WW_M_sm_clock_mhz] = n && isfinite(v[0]) ? quantile(v, n, 0.5) : NAN;
  for (int k = 0; k < WW_NMETRICS; k++)
    if (r->m[k].known && !isnan(s->m[k]))
      s->m[k] = r->m[k].value; /* what the code itself says, the backend knows better */
  ww_metrics_derive(s->m);
  for (int k = 0; k < WW_NMETRICS; k++)
    if (isfinite(s->m[k]))
      ww_report_set(r, k, s->m[k]);
  r->m[WW_M_time_us] = (ww_quantity){
      .known = true, .interval = true, .value = median, .low = low, .high = high};
  d->median_us = median;
  d->iqr_us = high - low;
  d->samples_us = s->samples;
  d->clocks_mhz = s->clocks;
  d->dropped = s->dropped;
  d->nsamples = s->n;
  d->digest = s->digest;
}

static void emit(meter *t) {
  for (uint32_t k = 0; k < t->n; k++) {
    slot *s = &t->v[k];
    ww_report *r = &s->row.report;
    r->file = s->l->file;
    r->kernel = s->l->kernel;
    r->launch = s->l;
    r->by = WW_BY_HARDWARE;
    s->row.measured.device = t->info;
    r->gpu = t->info.gpu;
    if (s->ready && !t->o->tried) {
      t->b->resources(t->d, s->ready, r);
      fill_metrics(s);
    }
    t->sink->row(t->sink->ctx, s->index, &s->row);
  }
}

static void unload_all(meter *t) {
  for (uint32_t k = 0; t->d && k < t->n; k++) {
    t->b->unload(t->d, t->v[k].ready);
    t->v[k].ready = NULL;
  }
}

/* Loads from launch `first` on until the batch or the device's memory is full. */
static ww_status
load(meter *t, const ww_launch *l, uint32_t first, uint32_t n, ww_err *e) {
  uint32_t loaded = 0;
  for (t->n = 0; t->n < n; t->n++) {
    slot *s = &t->v[t->n];
    *s = (slot){.index = first + t->n, .l = &l[first + t->n]};
    s->row.report.error = t->no_device;
    if (t->no_device.code)
      continue;
    at(t, s, WW_AT_LOAD);
    ww_err why = {0};
    ww_status st = t->b->load(t->d, s->l, &s->ready, &why);
    if (st == WW_ELIMIT && loaded)
      return WW_OK; /* when the others have gone */
    if (st) {
      s->ready = NULL;
      s->row.report.error = why;
    }
    if (st == WW_EDEVICE && t->b->sync(t->d, e))
      return WW_EDEVICE;
    loaded += !st;
  }
  return WW_OK;
}

static ww_status batch(meter *t, ww_arena *a, ww_err *e) {
  ww_status st = WW_OK;
  bool any = false;
  for (uint32_t k = 0; k < t->n; k++)
    any |= t->v[k].ready != NULL;
  if (t->o->tried) {
    st = warm(t, e);
    if (!st)
      emit(t);
    return st;
  }
  if (any)
    st = t->o->quick ? time_first(t, a, e) : warm(t, e);
  if (!st && any)
    st = time_all(t, a, e);
  if (!st)
    st = count_all(t, a, e);
  for (uint32_t k = 0; !st && !t->o->quick && k < t->n; k++)
    if (t->v[k].ready)
      st = again_one(t, &t->v[k], e);
  if (!st)
    emit(t);
  return st;
}

static void open_device(meter *t, const ww_backend *b, ww_arena *a) {
  if (t->b == b)
    return;
  if (t->b)
    t->b->close(t->d);
  t->b = b;
  t->d = NULL;
  t->spun = false;
  t->no_device = (ww_err){0};
  t->info = (ww_device_info){0};
  ww_status st = b->open(t->o->device, a, &t->d, &t->info, &t->no_device);
  if (st) {
    t->d = NULL;
    t->no_device.code = st;
  }
}

ww_status ww_measure_here(const ww_launch *l,
                          uint32_t n,
                          const ww_measure_options *o,
                          const ww_measure_sink *sink,
                          ww_err *e) {
  uint32_t most = o->batch ? o->batch : WW_BATCH;
  if (most > n)
    most = n;
  meter t = {
      .o = o,
      .sink = sink,
  };
  ww_arena *process = ww_arena_new();
  t.v = WW_NEWN(process, slot, most + 1);
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < n;) {
    ww_arena *a = ww_arena_new();
    uint32_t same = 1;
    while (k + same < n && same < most &&
           ww_backend_of(&l[k + same]) == ww_backend_of(&l[k]))
      same++;
    if (t.sink->at)
      t.sink->at(t.sink->ctx, k, WW_AT_OPEN);
    open_device(&t, ww_backend_of(&l[k]), process);
    st = load(&t, l, k, same, e);
    if (!st)
      st = batch(&t, a, e);
    k += t.n;
    if (!st)
      unload_all(&t); /* a broken context has nothing to be unloaded from */
    ww_arena_free(a);
  }
  if (!st && t.b && t.d)
    t.b->close(t.d);
  ww_arena_free(process);
  return st;
}

/* ---- once ---- */

ww_status ww_measure_once(const ww_launch *l,
                          uint32_t n,
                          const ww_measure_options *o,
                          ww_err *e) {
  meter t = {.o = o};
  ww_arena *a = ww_arena_new();
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < n; k++) {
    ww_ready *r = NULL;
    open_device(&t, ww_backend_of(&l[k]), a);
    if (t.no_device.code)
      *e = t.no_device;
    st = t.no_device.code;
    if (!st && t.b->load(t.d, &l[k], &r, e))
      continue; /* its row says so elsewhere */
    t.spun = false;
    if (st || (st = spin(&t, e)) || (st = run(&t, &(slot){.ready = r}, 1, e)))
      break;
    t.b->unload(t.d, r);
  }
  if (!st && t.d)
    t.b->close(t.d);
  ww_arena_free(a);
  return st;
}
