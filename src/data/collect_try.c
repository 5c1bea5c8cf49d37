/* collect_try.c - kernels of strangers, run once each before anything is counted.
 *
 * Their launches were found from sources alone, so that many read outside of a buffer
 * or never end. A fault takes its process along, and under the profiler its batch with
 * it: seconds each. Here it costs a new context, in one of several processes, as
 * nothing is measured. The first launch of each kernel is tried, the others where that
 * was sound. */
#include "collect_int.h"

#define PARTS 8   /* processes on the device at once */
#define BATCH 32  /* launches whose buffers they hold */
#define LIMIT_S 3 /* what takes longer is nothing to be counted */

typedef struct {
  ww_launch *l;
  ww_collect_item **of; /* per launch */
  uint32_t n;
  const ww_maker *m;
  const ww_measure_sink *sink; /* whose `stop` ends it */
  ww_status st;
  ww_err e;
} part;

static void on_row(void *ctx, uint32_t k, const ww_measure_row *row) {
  part *p = ctx;
  if (row->report.error.code != WW_EDEVICE) /* true of all: measuring will say it */
    p->of[k]->error = row->report.error;
}

static int stop(void *ctx) {
  const part *p = ctx;
  return p->sink->stop ? p->sink->stop(p->sink->ctx) : 0;
}

static void *run_part(void *ctx) {
  part *p = ctx;
  ww_measure_options o = {
      .device = p->m->c->device, .tried = true, .batch = BATCH, .limit_s = LIMIT_S};
  p->st = ww_measure(p->l, p->n, &o, p->m->self,
                     &(ww_measure_sink){.ctx = p, .row = on_row, .stop = stop}, &p->e);
  return NULL;
}

static ww_status run_all(const ww_maker *m,
                         ww_collect_item **of,
                         uint32_t n,
                         const ww_measure_sink *s,
                         ww_err *e) {
  part parts[PARTS] = {0};
  pthread_t threads[PARTS];
  ww_arena *a = ww_arena_new();
  uint32_t most = n < PARTS ? n : PARTS;
  uint32_t begun = 0;
  for (; begun < most; begun++) {
    part *p = &parts[begun];
    *p = (part){.l = WW_NEWN(a, ww_launch, n / most + 1),
                .of = WW_NEWN(a, ww_collect_item *, n / most + 1),
                .m = m,
                .sink = s};
    for (uint32_t k = begun; k < n; k += most) {
      p->of[p->n] = of[k];
      p->l[p->n++] = of[k]->l;
    }
    if (pthread_create(&threads[begun], NULL, run_part, p)) {
      run_part(p);
      threads[begun] = pthread_self();
    }
  }
  ww_status st = WW_OK;
  for (uint32_t k = 0; k < begun; k++) {
    if (!pthread_equal(threads[k], pthread_self()))
      pthread_join(threads[k], NULL);
    if (!st && parts[k].st) {
      st = parts[k].st;
      *e = parts[k].e;
    }
  }
  ww_arena_free(a);
  return st;
}

ww_status
ww_chunk_try(const ww_maker *m, ww_chunk *c, const ww_measure_sink *s, ww_err *e) {
  ww_collect_item **of = WW_NEWN(c->a, ww_collect_item *, c->v.n + 1);
  ww_status st = WW_OK;
  for (int others = 0; !st && others < 2; others++) {
    const ww_collect_item *first = NULL;
    uint32_t n = 0;
    for (ww_collect_item *i = c->v.v; i && i < c->v.v + c->v.n; i++) {
      bool is_first = !first || first->kernel != i->kernel;
      if (is_first)
        first = i;
      if (i->kernel->origin != WW_ORIGIN_IMPORTED || i->error.code ||
          is_first == others)
        continue;
      if (others && first->error.code)
        ww_fail(&i->error, first->error.code,
                "not tried, as another launch of the kernel failed: %.300s",
                first->error.msg);
      else
        of[n++] = i;
    }
    st = run_all(m, of, n, s, e);
  }
  return st;
}
