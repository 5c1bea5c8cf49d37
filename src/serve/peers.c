/* peers.c - a list of connections, and a thread that shuts down those whose time is
 * over.
 *
 * Shutting a socket down is all that is done to it: its owner sees the end of it and
 * closes it, after ww_peer_leave. The table has a few hundred rows at most: it is gone
 * through from end to end. */
#include "peers.h"

#include <netinet/in.h>

#include "../base/threads.h"

#define LOOK_S 0.25    /* how often deadlines are looked at, and */
#define CROWD_S 0.05   /* how often where somebody is held, or there are too many */
#define SLOW_S 0.25    /* an answer that is not taken by then is taken slowly */
#define TURNOVER 300.0 /* connections a second that are closed to make room */
#define TURNOVER_BURST 16.0

struct ww_peer {
  int fd;
  struct in6_addr address; /* IPv4 as its mapped form */
  bool loopback, served, shut;
  bool worked_for; /* a worker made an answer for it */
  ww_peer_stage stage;
  double since; /* the stage began, ww_now's clock */
  size_t bytes;
  ww_share *share;
  double until; /* HELD */
  void (*go)(void *ctx, bool shut);
  void *ctx;
  ww_peer *next;
};

struct ww_peers {
  ww_peer_limits limits;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t watcher;
  ww_peer *first;
  uint32_t n;    /* that are not shut */
  double closed; /* meter of those that made room */
  bool ending, holds_nobody;
};

/* ---- deadlines ---- */

static double deadline(const ww_peers *s, const ww_peer *p) {
  const ww_peer_limits *l = &s->limits;
  double flow = p->bytes / l->bytes_per_s;
  switch (p->stage) {
  case WW_PEER_HEAD:
    return p->since + (p->served ? l->idle_s : l->head_s);
  case WW_PEER_BODY:
    return p->since + l->body_s + flow;
  case WW_PEER_ANSWER:
    return p->bytes == SIZE_MAX ? 1e300 : p->since + l->answer_s + flow;
  case WW_PEER_HELD:
  case WW_PEER_BUSY:
    break;
  }
  return 1e300;
}

/* Under the lock, as all below. */
static void go_on(ww_peer *p) {
  p->stage = WW_PEER_BODY;
  p->go(p->ctx, p->shut);
}

static void shut(ww_peers *s, ww_peer *p) {
  shutdown(p->fd, SHUT_RDWR);
  p->shut = true;
  s->n--;
  if (p->stage == WW_PEER_HELD)
    go_on(p); /* its owner does not look at the socket meanwhile */
}

/* ---- too many ---- */

/* It has begun to ask, and the server waits for the rest: a first head, a body. */
static bool is_asking(const ww_peer *p) {
  return !p->shut &&
         ((p->stage == WW_PEER_HEAD && !p->served) || p->stage == WW_PEER_BODY);
}

/* The larger, the sooner it goes; -1: it stays. A quick answer is no record, anybody
 * can have one: who had an answer that was computed, and pauses, goes after those. */
static int slackness(const ww_peer *p, double now, bool many_ask) {
  if (p->shut || p->stage == WW_PEER_BUSY || p->bytes == SIZE_MAX)
    return -1;
  if (is_asking(p))
    return many_ask ? 4 : 0;
  if (p->stage == WW_PEER_HELD)
    return 6;
  if (p->stage == WW_PEER_ANSWER)
    return now - p->since >= SLOW_S ? 5 : 1;
  return p->worked_for ? 2 : 3;
}

static bool same_address(const ww_peer *a, const ww_peer *b) {
  return !memcmp(&a->address, &b->address, sizeof a->address);
}

static ww_peer *
first_to_go(const ww_peers *s, const ww_peer *p, bool of_address, bool many_ask) {
  double now = ww_now();
  ww_peer *out = NULL;
  int most = 0;
  for (ww_peer *x = s->first; x; x = x->next) {
    int k = slackness(x, now, many_ask);
    if (x == p || (of_address && !same_address(x, p)) || k < 0 ||
        (out && (k < most || (k == most && x->since >= out->since))))
      continue;
    most = k;
    out = x;
  }
  return out;
}

/* One of all, or of its address, gives way to `p`; itself if all others are being
 * answered. NULL: to somebody who is there already.
 *
 * Those who ask have a half of the table among themselves, so that however fast they
 * come and go, nobody who was served goes for them, and a newcomer stays until as many
 * others have come: that is long enough to send a request, and too short to send it
 * slowly. */
static bool make_room(ww_peers *s, ww_peer *p, bool of_address) {
  uint32_t asking = 0;
  for (const ww_peer *x = s->first; x; x = x->next)
    asking += is_asking(x) && (!of_address || same_address(x, p));
  bool many = asking > (of_address ? s->limits.of_address : s->limits.most) / 2;
  ww_peer *first = first_to_go(s, p, of_address, many);
  if (!first && p && !p->shut)
    first = p;
  if (first)
    shut(s, first);
  return first != NULL;
}

/* As many as there are too many, and as may be closed by now. */
static void keep_to_limit(ww_peers *s, ww_peer *newcomer, double now) {
  while (s->n > s->limits.most &&
         ww_meter_wait(s->closed, now, TURNOVER, TURNOVER_BURST) == 0 &&
         make_room(s, newcomer, false))
    ww_meter_count(&s->closed, now, TURNOVER);
}

/* ---- the thread ---- */

static void *watch(void *ctx) {
  ww_peers *s = ctx;
  pthread_mutex_lock(&s->lock);
  while (!s->ending) {
    double now = ww_now();
    bool crowd = false;
    keep_to_limit(s, NULL, now);
    for (ww_peer *p = s->first; p; p = p->next) {
      if (!p->shut && now > deadline(s, p))
        shut(s, p);
      if (p->stage == WW_PEER_HELD && now >= p->until)
        go_on(p);
      crowd = crowd || p->stage == WW_PEER_HELD;
    }
    crowd = crowd || s->n > s->limits.most;
    if (s->first)
      ww_cond_wait(&s->changed, &s->lock, now + (crowd ? CROWD_S : LOOK_S));
    else
      pthread_cond_wait(&s->changed, &s->lock);
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

ww_peers *ww_peers_new(const ww_peer_limits *l) {
  ww_peers *s = ww_xcalloc(1, sizeof *s);
  s->limits = *l;
  pthread_mutex_init(&s->lock, NULL);
  ww_cond_init(&s->changed);
  if (!pthread_create(&s->watcher, NULL, watch, s))
    return s;
  free(s);
  return NULL;
}

void ww_peers_free(ww_peers *s) {
  if (!s)
    return;
  pthread_mutex_lock(&s->lock);
  s->ending = true;
  pthread_cond_signal(&s->changed);
  pthread_mutex_unlock(&s->lock);
  pthread_join(s->watcher, NULL);
  pthread_cond_destroy(&s->changed);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

/* ---- coming and going ---- */

static void set_address(ww_peer *p, const struct sockaddr *a) {
  const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)a;
  if (a && a->sa_family == AF_INET6)
    p->address = ((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
  if (a && a->sa_family == AF_INET) {
    memset(p->address.s6_addr + 10, 0xff, 2);
    memcpy(p->address.s6_addr + 12, &v4->sin_addr, 4);
  }
  bool mapped = IN6_IS_ADDR_V4MAPPED(&p->address);
  p->loopback =
      mapped ? p->address.s6_addr[12] == 127 : IN6_IS_ADDR_LOOPBACK(&p->address);
}

ww_peer *ww_peer_join(ww_peers *s, int fd, const struct sockaddr *address) {
  ww_peer *p = ww_xcalloc(1, sizeof *p);
  uint32_t neighbours = 0;
  p->fd = fd;
  p->since = ww_now();
  set_address(p, address);
  pthread_mutex_lock(&s->lock);
  for (ww_peer *x = s->first; x && !p->loopback; x = x->next)
    if (same_address(x, p)) {
      neighbours += !x->shut;
      if (!p->share)
        p->share = ww_share_hold(x->share);
    }
  if (!p->share)
    p->share = ww_share_new(p->since);
  p->next = s->first;
  s->first = p;
  s->n++;
  if (neighbours >= s->limits.of_address)
    make_room(s, p, true);
  else
    keep_to_limit(s, p, p->since);
  if (!p->next)
    pthread_cond_signal(&s->changed); /* else it looks by itself */
  pthread_mutex_unlock(&s->lock);
  return p;
}

void ww_peer_leave(ww_peers *s, ww_peer *p) {
  if (!p)
    return;
  pthread_mutex_lock(&s->lock);
  ww_unlink(s->first, p);
  s->n -= !p->shut;
  pthread_mutex_unlock(&s->lock);
  ww_share_drop(p->share);
  free(p);
}

void ww_peer_at(ww_peers *s, ww_peer *p, ww_peer_stage stage, size_t bytes) {
  pthread_mutex_lock(&s->lock);
  if (p->stage != stage || stage == WW_PEER_ANSWER)
    p->since = ww_now();
  if (p->stage == WW_PEER_ANSWER && stage == WW_PEER_HEAD)
    p->served = true;
  if (p->stage == WW_PEER_BUSY && stage == WW_PEER_ANSWER)
    p->worked_for = true;
  p->stage = stage;
  p->bytes = bytes;
  pthread_mutex_unlock(&s->lock);
}

void ww_peer_hold(ww_peers *s,
                  ww_peer *p,
                  double seconds,
                  void (*go)(void *ctx, bool shut),
                  void *ctx) {
  pthread_mutex_lock(&s->lock);
  p->since = ww_now();
  p->until = p->since + seconds;
  p->stage = WW_PEER_HELD;
  p->go = go;
  p->ctx = ctx;
  if (s->holds_nobody || p->shut)
    go_on(p);
  pthread_mutex_unlock(&s->lock);
}

void ww_peers_release(ww_peers *s) {
  if (!s)
    return;
  pthread_mutex_lock(&s->lock);
  s->holds_nobody = true;
  for (ww_peer *p = s->first; p; p = p->next)
    if (p->stage == WW_PEER_HELD)
      go_on(p);
  pthread_mutex_unlock(&s->lock);
}

ww_share *ww_peer_share(ww_peer *p) {
  return p->share;
}
