/* memo.c - a table of at most some thousands of entries under one lock; making happens
 * outside of it.
 *
 * Invariant: an entry is MAKING (one maker, any number of waiters), READY, or STALE
 * (pinned by somebody, found by nobody). */
#include "memo.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef enum { MAKING, READY, STALE } state;

typedef struct entry {
  ww_key key;
  state state;
  void *thing;
  size_t bytes;
  uint32_t pins;
  uint64_t used; /* by the table's clock */
  struct entry *next;
} entry;

struct ww_memo {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  entry **slots;
  uint32_t nslots, most;
  size_t most_bytes;
  uint64_t clock;
  void (*drop)(void *thing);
  ww_memo_stats stats;
};

ww_key ww_key_of(const void *data, size_t n) {
  return (ww_key){ww_hash(data, n, 1), ww_hash(data, n, 2)};
}

ww_key ww_key_with(ww_key k, const void *data, size_t n) {
  uint64_t size = n; /* so that "ab" and "c" differ from "a" and "bc" */
  if (!n)
    data = ""; /* it may be NULL then */
  return (ww_key){ww_hash(data, n, ww_hash(&size, sizeof size, k.a)),
                  ww_hash(data, n, ww_hash(&size, sizeof size, k.b))};
}

ww_key ww_key_str(ww_key k, const char *s) {
  return s ? ww_key_with(k, s, strlen(s) + 1) : ww_key_with(k, "", 0);
}

ww_memo *ww_memo_new(uint32_t most, size_t bytes, void (*drop)(void *thing)) {
  ww_memo *k = ww_xcalloc(1, sizeof *k);
  pthread_condattr_t attr;
  k->most = most;
  k->most_bytes = bytes;
  k->drop = drop;
  for (k->nslots = 64; k->nslots < most; k->nslots *= 2) {}
  k->slots = ww_xcalloc(k->nslots, sizeof *k->slots);
  pthread_mutex_init(&k->lock, NULL);
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&k->changed, &attr);
  pthread_condattr_destroy(&attr);
  return k;
}

static void free_entry(ww_memo *k, entry *x) {
  k->stats.bytes -= x->bytes;
  k->stats.n--;
  if (x->thing)
    k->drop(x->thing);
  free(x);
}

void ww_memo_free(ww_memo *k) {
  if (!k)
    return;
  for (uint32_t s = 0; s < k->nslots; s++)
    for (entry *x = k->slots[s], *next; x; x = next) {
      next = x->next;
      free_entry(k, x);
    }
  pthread_cond_destroy(&k->changed);
  pthread_mutex_destroy(&k->lock);
  free(k->slots);
  free(k);
}

static entry **slot_of(ww_memo *k, ww_key key) {
  return &k->slots[key.a & (k->nslots - 1)];
}

/* STALE ones are nobody's to find. */
static entry *find(ww_memo *k, ww_key key) {
  for (entry *x = *slot_of(k, key); x; x = x->next)
    if (x->key.a == key.a && x->key.b == key.b && x->state != STALE)
      return x;
  return NULL;
}

static entry *pinned(ww_memo *k, ww_key key, const void *thing) {
  entry *x = *slot_of(k, key);
  while (x && x->thing != thing)
    x = x->next;
  assert(x && x->pins);
  return x;
}

static void take_out(ww_memo *k, entry *gone) {
  entry **at = slot_of(k, gone->key);
  while (*at != gone)
    at = &(*at)->next;
  *at = gone->next;
  free_entry(k, gone);
}

/* Down to the limits, oldest first. Tables are small: looking through all of it costs
 * less than what made an entry. */
static void shrink(ww_memo *k) {
  while (k->stats.n > k->most || k->stats.bytes > k->most_bytes) {
    entry *oldest = NULL;
    for (uint32_t s = 0; s < k->nslots; s++)
      for (entry *x = k->slots[s]; x; x = x->next)
        if (x->state == READY && !x->pins && (!oldest || x->used < oldest->used))
          oldest = x;
    if (!oldest)
      return;
    take_out(k, oldest);
  }
}

static bool wait_until(ww_memo *k, double deadline) {
  if (deadline <= 0)
    return pthread_cond_wait(&k->changed, &k->lock) == 0;
  struct timespec t = {.tv_sec = deadline,
                       .tv_nsec = (deadline - (time_t)deadline) * 1e9};
  return pthread_cond_timedwait(&k->changed, &k->lock, &t) == 0;
}

ww_memo_answer ww_memo_get(ww_memo *k, ww_key key, double deadline, void **thing) {
  ww_memo_answer answer = WW_MEMO_MAKE;
  pthread_mutex_lock(&k->lock);
  entry *x = find(k, key);
  while (x && x->state == MAKING && answer == WW_MEMO_MAKE) {
    if (!wait_until(k, deadline))
      answer = WW_MEMO_LATE;
    x = find(k, key);
  }
  if (x && x->state == READY) {
    answer = WW_MEMO_HIT;
    x->pins++;
    x->used = ++k->clock;
    *thing = x->thing;
    k->stats.hits++;
  } else if (answer == WW_MEMO_MAKE) {
    x = ww_xcalloc(1, sizeof *x);
    *x = (entry){.key = key, .state = MAKING, .next = *slot_of(k, key)};
    *slot_of(k, key) = x;
    k->stats.n++;
  }
  pthread_mutex_unlock(&k->lock);
  return answer;
}

void ww_memo_put(ww_memo *k, ww_key key, void *thing, size_t bytes) {
  pthread_mutex_lock(&k->lock);
  entry *x = find(k, key);
  assert(x && x->state == MAKING);
  x->state = READY;
  x->thing = thing;
  x->bytes = bytes;
  x->pins = 1;
  x->used = ++k->clock;
  k->stats.bytes += bytes;
  k->stats.made++;
  shrink(k);
  pthread_cond_broadcast(&k->changed);
  pthread_mutex_unlock(&k->lock);
}

void ww_memo_give_up(ww_memo *k, ww_key key) {
  pthread_mutex_lock(&k->lock);
  entry *x = find(k, key);
  assert(x && x->state == MAKING);
  take_out(k, x);
  pthread_cond_broadcast(&k->changed);
  pthread_mutex_unlock(&k->lock);
}

static void unpin(ww_memo *k, entry *x) {
  x->pins--;
  if (x->state == STALE && !x->pins)
    take_out(k, x);
  shrink(k);
}

void ww_memo_release(ww_memo *k, ww_key key, const void *thing) {
  pthread_mutex_lock(&k->lock);
  unpin(k, pinned(k, key, thing));
  pthread_mutex_unlock(&k->lock);
}

void ww_memo_forget(ww_memo *k, ww_key key, const void *thing) {
  pthread_mutex_lock(&k->lock);
  entry *x = pinned(k, key, thing);
  x->state = STALE;
  unpin(k, x);
  pthread_mutex_unlock(&k->lock);
}

ww_memo_stats ww_memo_count(ww_memo *k) {
  pthread_mutex_lock(&k->lock);
  ww_memo_stats s = k->stats;
  pthread_mutex_unlock(&k->lock);
  return s;
}
