/* threads.c - a ring of jobs, one lock, as many threads as asked for. Jobs are long
 * (milliseconds): one lock is no matter. */
#include "threads.h"

typedef struct {
  void (*work)(void *ctx);
  void *ctx;
} job;

struct ww_pool {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t *threads;
  uint32_t nthreads;
  job *ring;
  uint32_t cap, at, n;
  bool ending;
};

#define STACK (16u << 20) /* the front end recurses over what people write */

static void *run(void *ctx) {
  ww_pool *p = ctx;
  pthread_mutex_lock(&p->lock);
  for (;;) {
    while (!p->n && !p->ending)
      pthread_cond_wait(&p->changed, &p->lock);
    if (!p->n)
      break;
    job j = p->ring[p->at];
    p->at = (p->at + 1) % p->cap;
    p->n--;
    pthread_mutex_unlock(&p->lock);
    j.work(j.ctx);
    pthread_mutex_lock(&p->lock);
  }
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

ww_pool *ww_pool_new(uint32_t threads, uint32_t queue) {
  ww_pool *p = ww_xcalloc(1, sizeof *p);
  pthread_attr_t attr;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->changed, NULL);
  p->cap = queue ? queue : 1;
  p->ring = ww_xcalloc(p->cap, sizeof *p->ring);
  p->threads = ww_xcalloc(threads, sizeof *p->threads);
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, STACK);
  while (p->nthreads < threads &&
         !pthread_create(&p->threads[p->nthreads], &attr, run, p))
    p->nthreads++;
  pthread_attr_destroy(&attr);
  if (p->nthreads)
    return p;
  ww_pool_free(p);
  return NULL;
}

bool ww_pool_submit(ww_pool *p, void (*work)(void *ctx), void *ctx) {
  pthread_mutex_lock(&p->lock);
  bool room = p->n < p->cap && !p->ending;
  if (room)
    p->ring[(p->at + p->n++) % p->cap] = (job){work, ctx};
  pthread_cond_signal(&p->changed);
  pthread_mutex_unlock(&p->lock);
  return room;
}

void ww_pool_free(ww_pool *p) {
  if (!p)
    return;
  pthread_mutex_lock(&p->lock);
  p->ending = true;
  pthread_cond_broadcast(&p->changed);
  pthread_mutex_unlock(&p->lock);
  for (uint32_t k = 0; k < p->nthreads; k++)
    pthread_join(p->threads[k], NULL);
  pthread_cond_destroy(&p->changed);
  pthread_mutex_destroy(&p->lock);
  free(p->threads);
  free(p->ring);
  free(p);
}

/* ---- waiting ---- */

void ww_cond_init(pthread_cond_t *c) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(c, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

bool ww_cond_wait(pthread_cond_t *c, pthread_mutex_t *lock, double until) {
  struct timespec t = {.tv_sec = until};
  t.tv_nsec = (until - t.tv_sec) * 1e9;
  return !pthread_cond_timedwait(c, lock, &t);
}
