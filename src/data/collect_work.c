/* collect_work.c - a campaign as a list: ready specs first, then the generator's
 * kernels, or what a repeat campaign drew.
 *
 * The list follows from the options alone; the store only takes launches out of it.
 * Rank r of n has every n-th kernel of the list. */
#include <math.h>
#include <stdlib.h>

#include "../measure/backend.h"
#include "collect_int.h"
#include "note.h"
#include "text.h"

/* Device seconds, as bench/measure.sh has them for an H200 (docs/measuring.md). */
#define LOAD_S 0.7e-3   /* code, contents, a look at what the first run changed */
#define RUN_S 0.6e-3    /* a timed run: restore, flush, the profiler's range */
#define COUNT_S 4e-3    /* all counters, in three passes */
#define COUNTED_RUNS 55 /* kernel times in those passes */
#define LONG_US                                                                    \
  50 /* launches above it are counted less often, as code that counts instructions \
        takes some 50 times as long */
/* kernels of a plan whose launches are made for their estimates */
#define ESTIMATED 1500

double ww_launch_device_s(double us, bool counters) {
  if (!isfinite(us))
    us = 300;
  uint32_t runs = us < 100 ? 3 : us < 1e3 ? 2 : 1;
  return LOAD_S + runs * (RUN_S + us * 1e-6) +
         (counters ? COUNT_S + COUNTED_RUNS * us * 1e-6 : 0);
}

typedef struct {
  ww_note note;
  const ww_launch *l; /* NULL: generated, of a repeat campaign */
  uint32_t line;
} entry;

typedef WW_VEC(entry) work_entries;

struct ww_works {
  const ww_campaign *c;
  const ww_rank *r;
  const ww_target *t;
  ww_store *s;
  pthread_mutex_t *lock;
  ww_arena *a;
  /* ready specs and, of a repeat campaign, generated launches; by kernel */
  work_entries list;
  uint32_t at; /* in it */
  ww_gen_stream *stream;
  uint32_t made;    /* kernels taken from the stream */
  uint64_t ordinal; /* kernels of the list so far, of all ranks */
  uint64_t skipped;
};

/* ---- ready specs ---- */

/* A spec of `measure --plan` has no note: its file tells. */
static ww_status
note_of_file(const ww_launch *l, ww_arena *a, ww_note *out, ww_err *e) {
  const char *at = l->file;
  const char *next;
  if (!at || !(at = strstr(at, "corpus/")))
    return ww_fail(e, WW_EDATA, "'%.80s' is no file of a corpus",
                   l->file ? l->file : "");
  while ((next = strstr(at + 1, "/corpus/")))
    at = next + 1;
  *out = (ww_note){.us = NAN};
  return ww_note_key(ww_fmt(a, "%s:%s", at, l->kernel), a, &out->kernel, e);
}

static ww_status read_ready(ww_works *w, ww_err *e) {
  ww_launch *l;
  uint32_t n;
  ww_err why = {0};
  ww_status st = ww_launch_read(w->c->ready, w->a, &l, &n, e);
  for (uint32_t k = 0; !st && k < n; k++) {
    entry x = {
        .l = &l[k],
        .line = k,
    };
    bool opencl = ww_backend_of(&l[k]) == &ww_backend_opencl;
    bool bad = !l[k].binary || opencl != w->t->opencl;
    if (!bad && (!l[k].note || ww_note_parse(l[k].note, w->a, &x.note, &why)))
      bad = note_of_file(&l[k], w->a, &x.note, &why) != WW_OK;
    w->skipped += bad;
    if (bad)
      continue;
    if (!x.note.kernel.dialect)
      x.note.kernel.dialect = opencl ? "opencl" : "cuda";
    ww_push(w->a, &w->list, x);
  }
  if (!st && n && w->skipped == n && why.code)
    return *e = why, why.code;
  return st;
}

static int by_key(const void *x, const void *y) {
  const entry *a = x;
  const entry *b = y;
  return strcmp(a->note.kernel.key, b->note.kernel.key);
}

static int by_kernel(const void *x, const void *y) {
  const entry *a = x;
  const entry *b = y;
  int d = by_key(a, b);
  return d ? d : (a->line > b->line) - (a->line < b->line);
}

static bool same_kernel(const entry *a, const entry *b) {
  return !by_key(a, b);
}

/* Launches that have no number get the next one of their kernel. */
static void number_launches(ww_works *w) {
  entry *v = w->list.v;
  if (v)
    qsort(v, w->list.n, sizeof *v, by_kernel);
  for (uint32_t k = 0, n = 0; k < w->list.n; k++) {
    n = k && same_kernel(&v[k - 1], &v[k]) ? n + 1 : 0;
    if (!v[k].note.number)
      v[k].note.number = n;
  }
}

/* ---- a repeat campaign ---- */

typedef struct {
  ww_works *w;
  work_entries v;
} drawing;

static ww_status draw_row(void *ctx, const ww_store_row *r, ww_err *e) {
  drawing *d = ctx;
  ww_arena *a = d->w->a;
  const ww_store_kernel *k = &r->kernel;
  (void)e;
  if (strcmp(k->dialect, d->w->t->opencl ? "opencl" : "cuda"))
    return WW_OK;
  ww_store_kernel own = *k;
  own.key = ww_strdup(a, k->key);
  own.family = ww_strdup(a, k->family);
  own.name = ww_strdup(a, k->name);
  own.dialect = ww_strdup(a, k->dialect);
  own.file = NULL;
  ww_note note = {
      .kernel = own,
      .number = r->number,
      .us = r->m[WW_M_time_us],
  };
  ww_push(a, &d->v, (entry){.note = note, .line = r->number});
  return WW_OK;
}

/* A ready spec of the same kernel and number. */
static const entry *spec_of(const ww_works *w, const entry *x) {
  const entry *v = w->list.v;
  const entry *at = v ? bsearch(x, v, w->list.n, sizeof *v, by_key) : NULL;
  while (at && at > v && same_kernel(at - 1, x))
    at--;
  for (; at && at < v + w->list.n && same_kernel(at, x); at++)
    if (at->note.number == x->note.number)
      return at;
  return NULL;
}

/* Rows of the old store that can be run here, so many of them at random. */
static ww_status draw(ww_works *w, ww_err *e) {
  ww_store *old;
  drawing d = {.w = w};
  ww_status st = ww_store_open(w->c->again, WW_STORE_READ, &old, e);
  if (st)
    return st;
  st = ww_store_each(old, &(ww_store_filter){.gpu = w->t->gpu, .origin = -1}, draw_row,
                     &d, e);
  ww_store_close(old);
  entry *v = d.v.v;
  uint32_t n = 0;
  for (uint32_t k = 0; !st && k < d.v.n; k++) {
    entry x = v[k];
    const entry *ready =
        x.note.kernel.origin == WW_ORIGIN_GENERATED ? &x : spec_of(w, &x);
    w->skipped += !ready;
    if (ready)
      v[n++] = *ready;
  }
  uint32_t want = w->c->sample && w->c->sample < n ? w->c->sample : n;
  for (uint32_t k = 0; k < want; k++) { /* the first of a shuffle */
    uint64_t key[2] = {w->c->seed, k};
    uint32_t other = k + (uint32_t)(ww_hash(key, sizeof key, 11) % (n - k));
    entry x = v[k];
    v[k] = v[other];
    v[other] = x;
  }
  w->list = d.v;
  w->list.n = want;
  if (want)
    qsort(v, want, sizeof *v, by_kernel);
  if (!st && !want)
    st = ww_fail(
        e, WW_EDATA,
        "%s has no launch on %s that can be measured again: corpus kernels need their "
        "--ready specs",
        w->c->again, w->t->gpu);
  return st;
}

/* ---- the list ---- */

ww_status ww_works_open(const ww_campaign *c,
                        const ww_rank *r,
                        const ww_target *t,
                        ww_store *s,
                        pthread_mutex_t *lock,
                        ww_works **out,
                        ww_err *e) {
  ww_works *w = ww_xcalloc(1, sizeof *w);
  *w = (ww_works){.c = c, .r = r, .t = t, .s = s, .lock = lock, .a = ww_arena_new()};
  ww_status st = c->ready ? read_ready(w, e) : WW_OK;
  if (!st)
    number_launches(w);
  if (!st && c->again)
    st = draw(w, e);
  if (!st && !c->again && c->count && c->version)
    w->stream = ww_gen_stream_new(c->version, c->seed, &c->only);
  if (st)
    ww_works_close(w);
  *out = st ? NULL : w;
  return st;
}

void ww_works_close(ww_works *w) {
  if (!w)
    return;
  ww_gen_stream_free(w->stream);
  ww_arena_free(w->a);
  free(w);
}

/* Which of a kernel's n launches are counted: the share of them, spread over them, from
 * a place that the kernel's key says. */
static bool counted(const ww_works *w, const char *key, uint32_t at, uint32_t n) {
  uint64_t h = ww_text_hash(key, w->c->seed + 17);
  double share = w->c->counters < 1 ? w->c->counters : 1;
  uint32_t k = share * n + (double)(h >> 40) / (1 << 24);
  uint32_t from = (uint32_t)(h & 0xffff) % n;
  if (k > n)
    k = n;
  uint32_t place = (at + n - from) % n;
  return (uint64_t)(place + 1) * k / n != (uint64_t)place * k / n;
}

static bool wanted(const ww_works *w, const char *key, uint32_t number, bool counters) {
  if (!w->s)
    return true;
  if (w->lock)
    pthread_mutex_lock(w->lock);
  ww_held held = ww_store_has(w->s, key, number, w->t->gpu);
  if (w->lock)
    pthread_mutex_unlock(w->lock);
  return held == WW_HELD_NOT || (held == WW_HELD_FAILED && w->c->retry) ||
         (held == WW_HELD_TIME && counters);
}

static ww_status estimated(const ww_works *w,
                           const ww_collect_work *k,
                           const ww_wanted *x,
                           ww_arena *a,
                           double *us,
                           ww_err *e) {
  ww_launch l = {0};
  *us = x->us;
  if (x->ready || isfinite(x->us))
    return WW_OK;
  return ww_gen_launch(&k->gen, x->number, w->t->sms, w->t->l2_bytes, a, &l, us, e);
}

/* Of launches that take long, one in so many times LONG_US keeps its counters, so that
 * every length costs the device the same; else a shorter one of the kernel gets them
 * instead. */
static ww_status prefer_short(
    const ww_works *w, ww_collect_work *k, ww_wanted *v, ww_arena *a, ww_err *e) {
  ww_status st = WW_OK;
  for (uint32_t i = 0; !st && i < k->all; i++) {
    double us = 0;
    if (!v[i].counters)
      continue;
    st = estimated(w, k, &v[i], a, &us, e);
    if (!st &&
        ww_text_hash(k->kernel.key, v[i].number) % (uint64_t)(us / LONG_US + 1) == 0)
      continue;
    for (uint32_t j = 1; !st && us > LONG_US && j < k->all; j++) {
      ww_wanted *other = &v[(i + j) % k->all];
      double less = 0;
      if (other->counters)
        continue;
      st = estimated(w, k, other, a, &less, e);
      if (st || less > LONG_US)
        continue;
      v[i].counters = false;
      other->counters = true;
      break;
    }
  }
  return st;
}

/* From all launches of a kernel, v, those that are not held; which of them are counted.
 */
static ww_status
choose(const ww_works *w, ww_collect_work *k, ww_wanted *v, ww_arena *a, ww_err *e) {
  uint32_t n = k->all;
  for (uint32_t i = 0; i < n; i++)
    v[i].counters = !w->t->opencl && counted(w, k->kernel.key, i, n);
  ww_status st = w->c->counters < 1 ? prefer_short(w, k, v, a, e) : WW_OK;
  k->v = v;
  for (uint32_t i = 0; !st && i < n; i++) {
    ww_wanted x = v[i];
    k->all_counters += x.counters;
    if (wanted(w, k->kernel.key, x.number, x.counters))
      k->v[k->n++] = x;
  }
  return st;
}

/* A kernel of the list with all its launches there. */
static ww_status from_list(ww_works *w,
                           uint32_t first,
                           uint32_t n,
                           ww_arena *a,
                           ww_collect_work *out,
                           ww_err *e) {
  const entry *x = &w->list.v[first];
  const ww_store_kernel *kernel = &x->note.kernel;
  ww_wanted *v = WW_NEWN(a, ww_wanted, n);
  *out = (ww_collect_work){.kernel = *kernel, .all = n};
  ww_status st =
      x->l ? WW_OK
           : ww_gen_make(kernel->version, kernel->seed, kernel->index, a, &out->gen, e);
  for (uint32_t k = 0; k < n; k++)
    v[k] = (ww_wanted){.number = x[k].note.number, .ready = x[k].l, .us = x[k].note.us};
  return st ? st : choose(w, out, v, a, e);
}

static ww_status from_stream(
    ww_works *w, const ww_gen_kernel *g, ww_arena *a, ww_collect_work *out, ww_err *e) {
  const char *dialect = w->t->opencl ? "opencl" : "cuda";
  char key[64];
  uint32_t n = w->c->launches;
  ww_store_gen_key(key, g->version, g->seed, g->index, dialect);
  *out = (ww_collect_work){.gen = *g,
                           .all = n,
                           .kernel = {.key = ww_strdup(a, key),
                                      .origin = WW_ORIGIN_GENERATED,
                                      .family = ww_strdup(a, g->family),
                                      .name = g->name,
                                      .dialect = dialect,
                                      .version = g->version,
                                      .index = g->index,
                                      .seed = g->seed,
                                      .structure = g->structure}};
  ww_wanted *v = WW_NEWN(a, ww_wanted, n);
  for (uint32_t k = 0; k < n; k++)
    v[k] = (ww_wanted){.number = k, .us = NAN};
  return choose(w, out, v, a, e);
}

static bool mine(ww_works *w) {
  return w->ordinal++ % w->r->size == w->r->rank;
}

ww_status
ww_works_next(ww_works *w, ww_arena *a, ww_collect_work *out, bool *more, ww_err *e) {
  *more = false;
  while (w->at < w->list.n) {
    uint32_t first = w->at;
    uint32_t n = 1;
    while (first + n < w->list.n &&
           same_kernel(&w->list.v[first], &w->list.v[first + n]))
      n++;
    w->at += n;
    if (!mine(w))
      continue;
    *more = true;
    return from_list(w, first, n, a, out, e);
  }
  while (w->stream && w->made < (uint64_t)w->c->first + w->c->count) {
    bool take = w->made++ >= w->c->first && mine(w);
    ww_arena *scratch = take ? NULL : ww_arena_new();
    ww_gen_kernel g;
    ww_status st = ww_gen_stream_next(w->stream, take ? a : scratch, &g, e);
    ww_arena_free(scratch);
    if (st)
      return st;
    if (!take)
      continue;
    *more = true;
    return from_stream(w, &g, a, out, e);
  }
  return WW_OK;
}

/* ---- the plan ---- */

typedef struct {
  uint64_t left[2],
      /* launches to be measured, of them estimated; without and with counters */
      seen[2];
  double seconds[2]; /* of those estimated */
} estimate;

static ww_status estimate_work(const ww_works *all,
                               const ww_collect_work *w,
                               bool look,
                               ww_arena *a,
                               estimate *x,
                               ww_err *e) {
  for (uint32_t k = 0; k < w->n; k++) {
    bool c = w->v[k].counters;
    double us;
    x->left[c]++;
    if (!w->v[k].ready && !look)
      continue;
    ww_status st = estimated(all, w, &w->v[k], a, &us, e);
    if (st)
      return st;
    x->seen[c]++;
    x->seconds[c] += ww_launch_device_s(us, c);
  }
  return WW_OK;
}

ww_status ww_campaign_plan_make(const ww_campaign *c,
                                const ww_rank *r,
                                const ww_target *t,
                                ww_store *s,
                                ww_campaign_plan *out,
                                ww_err *e) {
  ww_works *w;
  estimate x = {0};
  bool more = true;
  uint32_t step = c->count / r->size / ESTIMATED + 1;
  *out = (ww_campaign_plan){0};
  ww_status st = ww_works_open(c, r, t, s, NULL, &w, e);
  while (!st && more) {
    ww_arena *a = ww_arena_new();
    ww_collect_work work;
    st = ww_works_next(w, a, &work, &more, e);
    if (!st && more) {
      out->launches += work.all;
      out->with_counters += work.all_counters;
      out->held += work.all - work.n;
      st = estimate_work(w, &work, out->kernels++ % step == 0, a, &x, e);
    }
    ww_arena_free(a);
  }
  for (int k = 0; !st && k < 2; k++)
    out->device_s += x.seen[k] ? x.seconds[k] / x.seen[k] * x.left[k]
                               : x.left[k] * ww_launch_device_s(NAN, k);
  if (!st)
    out->skipped = w->skipped;
  ww_works_close(w);
  return st;
}
