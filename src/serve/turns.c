/* turns.c - requests wait here, not in the pool: a worker that has finished takes the
 * next one by its tag.
 *
 * Tags are seconds of work: a request's is the larger of the clock and the time that
 * its client has used; the clock is the tag of the latest that began. Invariant: what
 * waits is either more than the workers can take or kept back because its client has
 * its share. Nobody waits for ever: the clock passes every tag while workers work.
 *
 * On one machine all clients have the same address, so a hostile one is as many clients
 * as it has connections. What it cannot fake cheaply is time: a person asks, reads and
 * thinks. So a connection earns PACE requests a second, BURST at most, and begins with
 * one. Where all together ask more than CALM a second, one that has spent what it
 * earned is held back until it has earned the next. Hundreds of connections then get
 * a few answers a second each; a person, and a program that opens a connection for each
 * request, do not notice. */
#include "turns.h"

#include <assert.h>
#include <stdatomic.h>

#include "../base/threads.h"

#define UNKNOWN_S                                                                 \
  0.05             /* of work, that who never had an answer is taken to have used \
                    */
#define CALM 300.0 /* requests a second of all clients that need no rule */
#define CALM_BURST 150.0
#define PACE 2.0 /* requests a second of one client, where there are more */
#define BURST 16.0

struct ww_share {
  atomic_uint users;
  /* Under the lock of the turns. */
  double used; /* tag that its next request gets at least, s */
  uint32_t running;
  bool known;  /* it had an answer */
  double asks; /* meter of its requests */
};

typedef struct turn {
  ww_turns *t;
  ww_share *client;
  void (*work)(void *ctx), (*refuse)(void *ctx);
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
  double asks; /* meter of all requests */
  bool ended;
};

ww_share *ww_share_new(double now) {
  ww_share *s = ww_xcalloc(1, sizeof *s);
  atomic_init(&s->users, 1);
  s->asks = now + (BURST - 1) / PACE;
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

/* ---- who has to wait although there is room ---- */

double ww_meter_wait(double next, double now, double rate, double burst) {
  double wait = next - now - (burst - 1) / rate;
  return wait > 0 ? wait : 0;
}

void ww_meter_count(double *next, double now, double rate) {
  *next = (*next > now ? *next : now) + 1 / rate;
}

double ww_turns_pause(ww_turns *t, ww_share *client, double now) {
  pthread_mutex_lock(&t->lock);
  bool calm = ww_meter_wait(t->asks, now, CALM, CALM_BURST) == 0;
  double wait = ww_meter_wait(client->asks, now, PACE, BURST);
  if (calm)
    ww_meter_count(&t->asks, now, CALM);
  if (wait > WW_HELD_S) { /* many connections of one address: it need not pay for all */
    client->asks -= wait - WW_HELD_S;
    wait = WW_HELD_S;
  }
  ww_meter_count(&client->asks, now, PACE);
  pthread_mutex_unlock(&t->lock);
  return calm ? 0 : wait;
}

/* ---- whose turn it is ---- */

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
  s->known = true;
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

/* Under the lock: takes out the one that is furthest behind this tag; NULL: none is. */
static turn *displace(ww_turns *t, double tag) {
  turn **worst = NULL;
  for (turn **x = &t->waiting; *x; x = &(*x)->next)
    if ((*x)->tag > tag && (!worst || (*x)->tag >= (*worst)->tag))
      worst = x;
  if (!worst)
    return NULL;
  turn *x = *worst;
  *worst = x->next;
  t->nwaiting--;
  return x;
}

/* Under the lock: the last of those that wait. */
static void append(ww_turns *t, turn *x) {
  turn **last = &t->waiting;
  while (*last)
    last = &(*last)->next;
  *last = x;
  t->nwaiting++;
}

void ww_turns_submit(ww_turns *t,
                     ww_share *client,
                     void (*work)(void *ctx),
                     void (*refuse)(void *ctx),
                     void *ctx) {
  turn *x = ww_xcalloc(1, sizeof *x), *refused = NULL;
  *x = (turn){t, ww_share_hold(client), work, refuse, ctx, 0, NULL};
  pthread_mutex_lock(&t->lock);
  x->tag = client->used > t->clock ? client->used : t->clock;
  if (!client->known)
    x->tag += UNKNOWN_S;
  bool room = t->nwaiting < t->queue || t->running < t->workers;
  if (t->ended || (!room && !(refused = displace(t, x->tag))))
    refused = x;
  else
    append(t, x);
  turn *begins = refused == x ? NULL : take(t);
  /* it has room for as many as may run */
  bool taken = !begins || ww_pool_submit(t->pool, run, begins);
  assert(taken);
  (void)taken;
  pthread_mutex_unlock(&t->lock);
  if (refused) {
    refused->refuse(refused->ctx);
    ww_share_drop(refused->client);
    free(refused);
  }
}
