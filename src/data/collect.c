/* collect.c - a campaign on its device: one thread makes chunks (collect_chunk.c), this
 * one measures them and keeps the rows.
 *
 * Rows go into the store as the device gives them and are committed every second:
 * whatever ends the process, at most that and the batch on the device is lost. Chunks
 * are large because each costs two starts of a process that measures (one for times,
 * one for counters), about a second each; the first ones are small so that the device
 * does not wait for the compilers. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "../gpu/gpu.h"
#include "../measure/backend.h"
#include "collect_int.h"

#define BATCH 256 /* launches on the device at once: their buffers are */
#define BATCH_COUNTED                                                             \
  512 /* the profiler takes 0.6 s to go from times to counters and back, for each \
         batch */
#define CHUNK_FIRST 224 /* kernels */
#define CHUNK_MOST 4096
#define COMMIT_S 1.0
#define SPARE_S 12.0 /* of a time limit: for the batch in hand */
#define MOST_CAUSES 64

/* ---- the device ---- */

static bool names_opencl(const ww_campaign *c, ww_err *e) {
  char ignored[16];
  if (c->dialect)
    return !strcmp(c->dialect, "opencl");
  return ww_backend_cuda.architecture(c->device, ignored, e) != WW_OK;
}

static ww_status
from_description(const char *name, ww_arena *a, ww_target *t, ww_err *e) {
  ww_gpu g;
  ww_status st = ww_gpu_load(name, a, &g, e);
  if (st)
    return st;
  t->gpu = g.name;
  t->sms = g.sms;
  t->l2_bytes = isfinite(g.l2_bytes) ? (uint64_t)g.l2_bytes : 0;
  snprintf(t->architecture, sizeof t->architecture, "%s",
           g.architecture ? g.architecture : "");
  return WW_OK;
}

/* Opened for what it says of itself, and closed: the measuring is done in other
 * processes. */
static ww_status
open_cuda(const char *device, ww_arena *a, ww_device_info *info, ww_err *e) {
  ww_device *d = NULL;
  ww_status st = ww_backend_cuda.open(device, a, &d, info, e);
  ww_backend_cuda.close(d);
  return st;
}

static ww_status
ask_device(const ww_campaign *c, ww_arena *a, ww_target *t, ww_err *e) {
  ww_device_info *info = &t->info;
  ww_status st = t->opencl
                     ? ww_device_describe(&ww_backend_opencl, c->device, a, info, e)
                     : open_cuda(c->device, a, info, e);
  if (st)
    return st;
  t->gpu = ww_strdup(a, info->gpu ? info->gpu : info->device);
  t->sms = info->sms ? info->sms : 1;
  t->l2_bytes = info->l2_bytes;
  if (info->gpu)
    st = from_description(info->gpu, a, t, e);
  return st || t->opencl ? st
                         : ww_backend_cuda.architecture(c->device, t->architecture, e);
}

ww_status ww_target_find(
    const ww_campaign *c, const char *gpu, ww_arena *a, ww_target *out, ww_err *e) {
  *out = (ww_target){0};
  if (c->dialect && strcmp(c->dialect, "cuda") && strcmp(c->dialect, "opencl"))
    return ww_fail(e, WW_EUSAGE, "no such dialect '%.40s': cuda or opencl", c->dialect);
  if (gpu) {
    out->opencl = c->dialect && !strcmp(c->dialect, "opencl");
    return from_description(gpu, a, out, e);
  }
  ww_err why = {0};
  ww_err other = {0};
  out->opencl = names_opencl(c, &why);
  ww_status st = ask_device(c, a, out, &other);
  if (!st)
    return WW_OK;
  bool neither = out->opencl && why.code && !c->device; /* no device of either kind */
  *e = neither ? why : other;                           /* CUDA's reason */
  return e->code;
}

/* ---- the thread that makes chunks ---- */

typedef struct {
  ww_maker *m;
  ww_works *w;
  pthread_mutex_t lock;
  pthread_cond_t change;
  ww_chunk *ready; /* made, not yet taken */
  bool end, stop;  /* no more come; no more are wanted */
  ww_err e;        /* why the producer failed */
} chunk_queue;

static void *produce(void *ctx) {
  chunk_queue *q = ctx;
  uint32_t kernels = CHUNK_FIRST;
  for (bool last = false; !last;) {
    ww_chunk *c = NULL;
    ww_err e = {0};
    ww_status st = ww_chunk_make(q->m, q->w, kernels, &c, &e);
    last = st || c->last;
    pthread_mutex_lock(&q->lock);
    while (q->ready && !q->stop)
      pthread_cond_wait(&q->change, &q->lock);
    if (q->stop) {
      ww_chunk_free(c);
      last = true;
    } else
      q->ready = c;
    q->e = e;
    q->end = last;
    pthread_cond_broadcast(&q->change);
    pthread_mutex_unlock(&q->lock);
    kernels = kernels * 3 < CHUNK_MOST ? kernels * 3 : CHUNK_MOST;
  }
  return NULL;
}

static void close_queue(chunk_queue *q, pthread_t thread) {
  q->m->cancel = true;
  pthread_mutex_lock(&q->lock);
  q->stop = true;
  pthread_cond_broadcast(&q->change);
  pthread_mutex_unlock(&q->lock);
  pthread_join(thread, NULL);
  ww_chunk_free(q->ready);
}

/* ---- rows ---- */

typedef struct {
  const ww_campaign *c;
  const ww_target *t;
  ww_store *s;
  pthread_mutex_t *lock; /* of the store */
  const ww_campaign_sink *sink;
  ww_campaign_state *state;
  ww_collect_item **of; /* per launch on the device: its item */
  /* left_s: estimated, of what is not done */
  double begun, committed, planned_s, left_s;
  ww_err e; /* of the store */
} campaign;

/* "expected 12 bytes" and "expected 16 bytes" are one cause. */
static void count_cause(ww_campaign_state *s, ww_status code, const char *message) {
  char text[sizeof s->causes->text];
  size_t n = 0;
  for (const char *c = message; *c && n + 1 < sizeof text; c++) {
    bool digit = isxdigit((unsigned char)*c) &&
                 (isdigit((unsigned char)*c) || (n && text[n - 1] == '#'));
    if (digit && n && text[n - 1] == '#')
      continue;
    text[n++] = digit ? '#' : *c;
  }
  text[n] = 0;
  uint32_t k = 0;
  while (k < s->ncauses &&
         (s->causes[k].code != code || strcmp(s->causes[k].text, text)))
    k++;
  if (k == MOST_CAUSES)
    k--;
  ww_campaign_cause *c = &s->causes[k];
  if (k == s->ncauses) {
    *c = (ww_campaign_cause){.code = code};
    s->ncauses++;
  }
  snprintf(c->text, sizeof c->text, "%s", k == MOST_CAUSES - 1 ? "other" : text);
  c->n++;
}

static void tell(campaign *g) {
  ww_campaign_state *s = g->state;
  s->elapsed_s = ww_now() - g->begun;
  double done_s = g->planned_s - g->left_s;
  s->left_s = done_s > 0 && s->done ? s->elapsed_s / done_s * g->left_s : NAN;
  if (g->sink->progress)
    g->sink->progress(g->sink->ctx, s);
}

static void commit(campaign *g, bool now) {
  if (!now && ww_now() - g->committed < COMMIT_S)
    return;
  pthread_mutex_lock(g->lock);
  if (!g->e.code)
    ww_store_commit(g->s, &g->e);
  pthread_mutex_unlock(g->lock);
  g->committed = ww_now();
  tell(g);
}

static void put(campaign *g, const ww_collect_item *i, ww_store_row *r) {
  r->kernel = *i->kernel;
  r->number = i->number;
  r->spec = i->spec;
  for (int k = 0; k < 3; k++) {
    r->grid[k] = i->l.grid[k] ? i->l.grid[k] : 1;
    r->block[k] = i->l.block[k] ? i->l.block[k] : 1;
  }
  r->gpu = g->t->gpu;
  r->device = g->t->info.device;
  r->driver = g->t->info.driver;
  r->versions = g->t->info.versions;
  r->compiler = i->compiler ? i->compiler : "";
  r->sms = g->t->sms;
  r->l2_bytes = g->t->l2_bytes;
  pthread_mutex_lock(g->lock);
  if (!g->e.code)
    ww_store_put(g->s, r, &g->e);
  pthread_mutex_unlock(g->lock);
  g->state->done++;
  g->state->failed += r->status != WW_OK;
  g->state->with_counters += !r->status && r->passes;
  g->left_s -= ww_launch_device_s(i->us, i->counters);
  if (r->status)
    count_cause(g->state, r->status, r->error);
  commit(g, false);
}

static void put_error(campaign *g, const ww_collect_item *i, const ww_err *e) {
  ww_store_row r = {
      .status = e->code,
      .error = e->msg,
  };
  put(g, i, &r);
}

/* A device that is not there, or code that we wrote and cannot read, says nothing about
 * the launch: no row, the campaign ends. */
static void on_row(void *ctx, uint32_t index, const ww_measure_row *row) {
  campaign *g = ctx;
  const ww_collect_item *i = g->of[index];
  const ww_err *bad = &row->report.error;
  if (bad->code == WW_EDEVICE ||
      (bad->code == WW_EIO && i->kernel->origin == WW_ORIGIN_GENERATED)) {
    if (!g->e.code)
      g->e = *bad;
    return;
  }
  if (bad->code) {
    put_error(g, i, bad);
    return;
  }
  ww_store_row r = {.iqr_us = row->measured.iqr_us,
                    .samples = row->measured.nsamples,
                    .passes = row->measured.passes,
                    .accumulates = row->measured.accumulates};
  for (int m = 0; m < WW_NMETRICS; m++)
    r.m[m] = row->report.m[m].known ? row->report.m[m].value : NAN;
  put(g, i, &r);
}

static int stop(void *ctx) {
  campaign *g = ctx;
  double limit = g->c->seconds;
  double left = limit > 0 ? g->begun + limit - ww_now() : INFINITY;
  double spare = limit > 4 * SPARE_S ? SPARE_S : limit / 4;
  if (g->e.code || left <= 0)
    return 2;
  int asked = g->sink->stop ? g->sink->stop(g->sink->ctx) : 0;
  return asked ? asked : left < spare;
}

/* ---- a chunk on the device ---- */

static ww_status measure(campaign *g,
                         const ww_chunk *k,
                         bool counters,
                         const char *self,
                         ww_arena *a,
                         ww_err *e) {
  ww_launch *l = WW_NEWN(a, ww_launch, k->v.n + 1);
  uint32_t n = 0;
  g->of = WW_NEWN(a, ww_collect_item *, k->v.n + 1);
  for (ww_collect_item *i = k->v.v; i && i < k->v.v + k->v.n; i++) {
    if (i->error.code || i->counters != counters)
      continue;
    g->of[n] = i;
    l[n++] = i->l;
  }
  if (!n)
    return WW_OK;
  ww_measure_options o = {.device = g->c->device,
                          .time_only = !counters,
                          .quick = true,
                          .batch = g->c->batch ? g->c->batch
                                   : counters  ? BATCH_COUNTED
                                               : BATCH};
  double from = ww_now();
  ww_status st = ww_measure(
      l, n, &o, self, &(ww_measure_sink){.ctx = g, .row = on_row, .stop = stop}, e);
  g->state->device_s += ww_now() - from;
  commit(g, true);
  return g->e.code ? g->e.code : st;
}

static ww_status measure_chunk(campaign *g, const ww_maker *m, ww_chunk *k, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_status st = ww_chunk_try(m, k, &(ww_measure_sink){.ctx = g, .stop = stop}, e);
  for (const ww_collect_item *i = k->v.v; i && i < k->v.v + k->v.n; i++)
    if (i->error.code)
      put_error(g, i, &i->error);
  commit(g, true);
  for (int counters = 0; !st && counters < 2; counters++)
    st = stop(g) ? ww_fail(e, WW_ECANCEL, "stopped")
                 : measure(g, k, counters, m->self, a, e);
  ww_arena_free(a);
  if (!g->e.code)
    return st;
  *e = g->e;
  return e->code;
}

static int by_count(const void *x, const void *y) {
  const ww_campaign_cause *a = x;
  const ww_campaign_cause *b = y;
  return (a->n < b->n) - (a->n > b->n);
}

static ww_status make_folder(const char *path, ww_err *e) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST)
    return WW_OK;
  return ww_fail(e, WW_EIO, "cannot make the folder '%s' for compiled code: %s", path,
                 strerror(errno));
}

/* The next chunk; NULL at the end, when the producer failed, or when it is time to
 * stop. */
static ww_chunk *next_chunk(campaign *g, chunk_queue *q, bool *end) {
  pthread_mutex_lock(&q->lock);
  while (!q->ready && !q->end && !stop(g)) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 200000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&q->change, &q->lock, &until);
  }
  ww_chunk *c = q->ready;
  q->ready = NULL;
  *end = q->end;
  pthread_cond_broadcast(&q->change);
  pthread_mutex_unlock(&q->lock);
  return c;
}

static ww_status run(campaign *g, chunk_queue *q, ww_err *e) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, produce, q))
    return ww_fail(e, WW_EIO, "cannot start a thread: %s", strerror(errno));
  ww_status st = WW_OK;
  for (bool last = false, end; !st && !last;) {
    double from = ww_now();
    ww_chunk *c = next_chunk(g, q, &end);
    g->state->waited_s += ww_now() - from;
    if (!c && !end)
      st = ww_fail(e, WW_ECANCEL, "stopped");
    if (!c)
      break;
    last = c->last;
    st = measure_chunk(g, q->m, c, e);
    ww_chunk_free(c);
  }
  close_queue(q, thread);
  if (st || !q->e.code || q->e.code == WW_ECANCEL)
    return st;
  *e = q->e;
  return e->code;
}

ww_status ww_campaign_run(const ww_campaign_job *j,
                          ww_arena *a,
                          ww_campaign_state *end,
                          ww_err *e) {
  const ww_campaign *c = j->campaign;
  const ww_target *t = j->target;
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  ww_maker m = {.c = c,
                .t = t,
                .self = j->self,
                .work = ww_fmt(a, "%s.work", ww_store_path(j->store))};
  chunk_queue q = {
      .m = &m, .lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};
  *end = (ww_campaign_state){.total = j->plan->launches - j->plan->held, .left_s = NAN};
  end->causes = WW_NEWN(a, ww_campaign_cause, MOST_CAUSES + 1);
  campaign g = {
      .c = c, .t = t, .s = j->store, .lock = &lock, .sink = j->sink, .state = end};
  g.begun = g.committed = ww_now();
  g.planned_s = g.left_s = j->plan->device_s;
  ww_status st = make_folder(m.work, e);
  if (!st)
    st = ww_works_open(c, j->rank, t, j->store, &lock, &q.w, e);
  if (!st)
    st = run(&g, &q, e);
  if (end->ncauses)
    qsort(end->causes, end->ncauses, sizeof *end->causes, by_count);
  end->elapsed_s = ww_now() - g.begun;
  ww_works_close(q.w);
  ww_remove_tree(m.work); /* with what a process that was killed left in it */
  return st;
}
