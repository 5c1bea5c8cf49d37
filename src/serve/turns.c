/* turns.c - requests wait here, not in the pool: a worker that has finished takes the
 * next one by its tag.
 *
 * Tags are seconds of work: a request's is the larger of the clock and the time that
 * its client has used; the clock is the tag of the latest that began. Invariant: what
 * waits is either more than the workers can take or kept back because its client has
 * its share. */
#include "turns.h"

#include <assert.h>
#include <stdatomic.h>

#include "../base/threads.h"

struct ww_share {
  atomic_uint users;
  /* Under the lock of the turns. */
  double used; /* tag that its next request gets at least, s */
  uint32_t running;
};

typedef struct turn {
  ww_turns *t;
  ww_share *client;
  void (*work)(void *ctx);
  void *ctx;
  double tag;
  struct turn *next;
} turn;

struct ww_turns {
  ww_pool *pool;
  pthread_mutex_t lock;
  turn *waiting; /* by their arrival */
  uint32_t nwaiting, queue, running, workers;
  double clock;
  bool ended;
};

ww_share *ww_share_new(void) {
  ww_share *s = ww_xcalloc(1, sizeof *s);
  atomic_init(&s->users, 1);
  return s;
}

ww_share *ww_share_hold(ww_share *s) {
  atomic_fetch_add(&s->users, 1);
  return s;
}

void ww_share_drop(ww_share *s) {
  if (s && atomic_fetch_sub(&s->users, 1) == 1)
    free(s);
}

ww_turns *ww_turns_new(uint32_t workers, uint32_t queue) {
  ww_turns *t = ww_xcalloc(1, sizeof *t);
  t->workers = workers;
  t->queue = queue;
  pthread_mutex_init(&t->lock, NULL);
  t->pool = ww_pool_new(workers, workers);
  if (t->pool)
    return t;
  ww_turns_free(t);
  return NULL;
}

void ww_turns_finish(ww_turns *t) {
  if (!t)
    return;
  pthread_mutex_lock(&t->lock);
  t->ended = true;
  pthread_mutex_unlock(&t->lock);
  ww_pool_free(t->pool);
  t->pool = NULL;
}

void ww_turns_free(ww_turns *t) {
  if (!t)
    return;
  ww_turns_finish(t);
  pthread_mutex_destroy(&t->lock);
  free(t);
}

/* Under the lock. A client that has all workers but one waits for itself. */
static bool may_begin(const ww_turns *t, const turn *x) {
  return x->client->running < (t->workers > 1 ? t->workers - 1 : 1);
}

/* Under the lock: takes the next one out; NULL: none, or no worker is free. */
static turn *take(ww_turns *t) {
  turn **best = NULL;
  if (t->running >= t->workers)
    return NULL;
  for (turn **x = &t->waiting; *x; x = &(*x)->next)
    if (may_begin(t, *x) && (!best || (*x)->tag < (*best)->tag))
      best = x;
  if (!best)
    return NULL;
  turn *x = *best;
  *best = x->next;
  t->nwaiting--;
  t->running++;
  x->client->running++;
  if (x->tag > t->clock)
    t->clock = x->tag;
  return x;
}

static void finish(ww_turns *t, turn *x, double took) {
  ww_share *s = x->client;
  pthread_mutex_lock(&t->lock);
  s->used = (s->used > x->tag ? s->used : x->tag) + took;
  s->running--;
  t->running--;
  for (turn *w = t->waiting; w;
       w = w->next) /* a client's requests wait for the time its others took */
    if (w->client == s && w->tag < s->used)
      w->tag = s->used;
  pthread_mutex_unlock(&t->lock);
  ww_share_drop(s);
  free(x);
}

static void run(void *ctx) {
  turn *x = ctx;
  ww_turns *t = x->t;
  while (x) {
    double from = ww_now();
    x->work(x->ctx);
    finish(t, x, ww_now() - from);
    pthread_mutex_lock(&t->lock);
    x = take(t);
    pthread_mutex_unlock(&t->lock);
  }
}

bool ww_turns_submit(ww_turns *t,
                     ww_share *client,
                     void (*work)(void *ctx),
                     void *ctx) {
  turn *x = ww_xcalloc(1, sizeof *x);
  turn **last = &t->waiting;
  pthread_mutex_lock(&t->lock);
  bool room = !t->ended && (t->nwaiting < t->queue || t->running < t->workers);
  if (room) {
    *x = (turn){t,
                ww_share_hold(client),
                work,
                ctx,
                client->used > t->clock ? client->used : t->clock,
                NULL};
    while (*last)
      last = &(*last)->next;
    *last = x;
    t->nwaiting++;
  }
  turn *begins = room ? take(t) : NULL;
  /* it has room for as many as may run */
  bool taken = !begins || ww_pool_submit(t->pool, run, begins);
  assert(taken);
  (void)taken;
  pthread_mutex_unlock(&t->lock);
  if (!room)
    free(x);
  return room;
}
