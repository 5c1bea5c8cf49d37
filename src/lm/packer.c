/* packer.c - examples to batches: whole documents packed into rows, a shuffled epoch
 * after the other.
 *
 * The plan of an epoch depends on examples, T, seed and epoch alone: documents in a
 * shuffled order are taken in groups of about 128 rows, each group is packed longest
 * first into the fullest row that has room, and its rows come in a shuffled order. So a
 * place in the stream is (epoch, row), and seeking costs one plan. A thread of the
 * packer's own makes the next batch while the last one is learned from. */
#include "examples.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "../base/random.h"
#include "order.h"

enum { GROUP_ROWS = 128 };

typedef struct {
  ww_lm_batch b; /* points into what follows */
  int32_t *token, *target, *first, *ask_at, *describe_at;
  float *weight; /* [B * T]; NULL: the examples have none */
  float *numbers, *features;
  uint64_t epoch, row; /* where the stream goes on behind it */
} slot;

/* Rows of an epoch: row r has documents doc[start[r]] .. doc[start[r + 1] - 1]. */
typedef struct {
  uint64_t epoch;
  uint32_t *doc, *start;
  uint32_t rows;
  bool made;
} plan;

struct ww_packer {
  const ww_examples *x;
  const ww_lm_config *c;
  uint32_t B, T;
  uint64_t seed;
  float noise;
  plan plan;
  slot slots[2];
  int shown;           /* slot that the caller has; the other is being made */
  uint64_t epoch, row; /* of the next batch for the caller */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool threaded, wanted, ready,
      /* wanted: the thread shall make slots[!shown] from (make_epoch, make_row) */
      ending;
  uint64_t make_epoch, make_row;
};

/* ---- order ---- */

/* A Feistel network over the next even number of bits; values beyond n are walked on
 * until they fall inside. */
uint64_t ww_shuffled(uint64_t k, uint64_t n, uint64_t seed) {
  uint32_t half = 1;
  while (half < 32 && (1ull << 2 * half) < n)
    half++;
  uint64_t mask = (1ull << half) - 1;
  do {
    uint64_t left = k >> half;
    uint64_t right = k & mask;
    for (uint64_t round = 0; round < 6; round++) {
      uint64_t next =
          left ^ (ww_mix64(right + ww_mix64(seed + round * WW_GOLDEN)) & mask);
      left = right;
      right = next;
    }
    k = left << half | right;
  } while (k >= n);
  return k;
}

/* ---- the plan ---- */

typedef struct {
  uint32_t doc, n; /* example and its tokens */
  /* row within the group; place in the shuffled order, to break ties */
  uint32_t row, place;
} member;

static int longest_first(const void *a, const void *b) {
  const member *x = a;
  const member *y = b;
  return x->n != y->n ? ww_order(y->n, x->n) : ww_order(x->place, y->place);
}

static int by_row(const void *a, const void *b) {
  const member *x = a;
  const member *y = b;
  return x->row != y->row ? ww_order(x->row, y->row) : ww_order(x->place, y->place);
}

/* Gives each of the group a row; returns how many rows. room: scratch of n. */
static uint32_t pack(member *g, uint32_t n, uint32_t T, uint32_t *room) {
  uint32_t rows = 0;
  qsort(g, n, sizeof *g, longest_first);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t best = rows;
    for (uint32_t r = 0; r < rows; r++)
      if (room[r] >= g[k].n && (best == rows || room[r] < room[best]))
        best = r;
    if (best == rows)
      room[rows++] = T;
    room[best] -= g[k].n;
    g[k].row = best;
  }
  return rows;
}

/* Appends the group's rows in a shuffled order. */
static void
append(plan *p, uint32_t *docs, member *g, uint32_t n, uint32_t rows, uint64_t seed) {
  for (uint32_t k = 0; k < n; k++)
    g[k].row = ww_shuffled(g[k].row, rows, seed);
  qsort(g, n, sizeof *g, by_row);
  for (uint32_t k = 0; k < n; k++) {
    if (!k || g[k].row != g[k - 1].row)
      p->start[p->rows++] = *docs;
    p->doc[(*docs)++] = g[k].doc;
  }
}

static void make_plan(ww_packer *k, uint64_t epoch) {
  const ww_examples *x = k->x;
  plan *p = &k->plan;
  if (p->made && p->epoch == epoch)
    return;
  if (!p->doc) {
    p->doc = ww_xmalloc((x->n + 1) * sizeof *p->doc);
    p->start = ww_xmalloc((x->n + 2) * sizeof *p->start);
  }
  uint64_t seed = ww_mix64(k->seed + ww_mix64(epoch + 1));
  uint64_t budget = (uint64_t)GROUP_ROWS * k->T;
  uint64_t tokens = 0;
  member *g = ww_xmalloc((x->n + 1) * sizeof *g); /* a group may be all of them */
  uint32_t *room = ww_xmalloc((x->n + 1) * sizeof *room);
  uint32_t n = 0;
  uint32_t docs = 0;
  p->rows = 0;
  for (uint32_t i = 0; i < x->n; i++) {
    uint32_t d = ww_shuffled(i, x->n, seed);
    g[n++] = (member){.doc = d, .n = x->v[d].n, .place = i};
    tokens += x->v[d].n;
    if (tokens < budget && i + 1 < x->n)
      continue;
    append(p, &docs, g, n, pack(g, n, k->T, room), ww_mix64(seed + i));
    n = 0;
    tokens = 0;
  }
  p->start[p->rows] = docs;
  free(g);
  free(room);
  p->epoch = epoch;
  p->made = true;
}

/* ---- a batch ---- */

static void slot_new(slot *s, const ww_packer *k) {
  size_t n = (size_t)k->B * k->T;
  s->token = ww_xmalloc(n * sizeof *s->token);
  s->target = ww_xmalloc(n * sizeof *s->target);
  s->first = ww_xmalloc(n * sizeof *s->first);
  s->weight = k->x->weight ? ww_xcalloc(n, sizeof *s->weight) : NULL;
}

static void slot_free(slot *s) {
  free(s->token);
  free(s->target);
  free(s->first);
  free(s->weight);
  free(s->ask_at);
  free(s->describe_at);
  free(s->numbers);
  free(s->features);
}

/* Room for `docs` documents in all. */
static void slot_room(slot *s, const ww_packer *k, size_t docs) {
  s->ask_at = ww_xrealloc(s->ask_at, (docs + 1) * sizeof *s->ask_at);
  s->describe_at = ww_xrealloc(s->describe_at, (docs + 1) * sizeof *s->describe_at);
  s->numbers = ww_xrealloc(s->numbers, (docs * k->c->numbers + 1) * sizeof *s->numbers);
  s->features =
      ww_xrealloc(s->features, (docs * k->c->features + 1) * sizeof *s->features);
}

bool ww_any_known(const float *v, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (!isnan(v[k]))
      return true;
  return false;
}

/* In 0 .. 1, of the seed, the epoch, the example and a place in it. */
static float chance(const ww_packer *k, uint32_t doc, uint64_t place) {
  return (ww_mix64(ww_mix64(k->seed + k->plan.epoch * WW_GOLDEN + doc) + place) >> 40) *
         0x1p-24f;
}

/* Some of the prompt's tokens are put over others of it, and some features are 0: what
 * a model learns must not depend on one of them. The feature tokens and the last one,
 * at which the numbers are asked, stay. */
static void disturb(const ww_packer *k, uint32_t doc, int32_t *token, float *feature) {
  const ww_example *d = k->x->v + doc;
  uint32_t from = feature ? k->c->feature_tokens : 0;
  uint32_t to = d->prompt ? d->prompt - 1 : 0;
  for (uint32_t i = from; i < to; i++)
    if (chance(k, doc, i) < k->noise)
      token[i] = k->x->token[d->at + from +
                             (uint32_t)(chance(k, doc, 1ull << 32 | i) * (to - from))];
  for (uint32_t i = 0; feature && i < k->x->features; i++)
    if (chance(k, doc, 1ull << 33 | i) < k->noise)
      feature[i] = 0;
}

static void
put_document(slot *s, const ww_packer *k, size_t doc, uint32_t base, uint32_t at) {
  const ww_examples *x = k->x;
  const ww_example *d = x->v + doc;
  const int32_t *token = x->token + d->at;
  uint32_t N = x->numbers;
  uint32_t X = x->features;
  for (uint32_t i = 0; i < d->n; i++) {
    s->token[base + at + i] = token[i];
    s->target[base + at + i] = i + 1 < d->n && i + 1 >= d->prompt ? token[i + 1] : -1;
    s->first[base + at + i] = at;
    if (s->weight)
      s->weight[base + at + i] = x->weight[doc];
  }
  if (N && ww_any_known(x->number + doc * N, N)) {
    s->ask_at[s->b.asked] = base + at + (d->prompt ? d->prompt : d->n) - 1;
    memcpy(s->numbers + (size_t)s->b.asked++ * N, x->number + doc * N,
           N * sizeof(float));
  }
  float *feature = NULL;
  if (X && !isnan(x->feature[doc * X])) {
    s->describe_at[s->b.described] = base + at;
    feature = s->features + (size_t)s->b.described++ * X;
    memcpy(feature, x->feature + doc * X, X * sizeof(float));
  }
  if (k->noise > 0)
    disturb(k, doc, s->token + base + at, feature);
}

static void put_row(slot *s,
                    const ww_packer *k,
                    uint32_t row_of_batch,
                    const uint32_t *docs,
                    uint32_t n) {
  uint32_t base = row_of_batch * k->T;
  uint32_t at = 0;
  for (uint32_t i = 0; i < n; i++) {
    put_document(s, k, docs[i], base, at);
    at += k->x->v[docs[i]].n;
  }
  for (; at < k->T; at++) { /* padding: a document of one token that is asked nothing */
    s->token[base + at] = 0;
    s->target[base + at] = -1;
    s->first[base + at] = at;
  }
}

/* once: rows behind the epoch's end are padding. */
static void make(ww_packer *k, slot *s, uint64_t epoch, uint64_t row, bool once) {
  uint32_t room = 0;
  s->b = (ww_lm_batch){.B = k->B, .T = k->T};
  for (uint32_t r = 0; r < k->B; r++) {
    make_plan(k, epoch);
    if (row >= k->plan.rows && once) {
      put_row(s, k, r, NULL, 0);
      continue;
    }
    if (row >= k->plan.rows) {
      make_plan(k, ++epoch);
      row = 0;
    }
    uint32_t from = k->plan.start[row];
    uint32_t n = k->plan.start[row + 1] - from;
    uint32_t need = s->b.asked + s->b.described + n;
    if (need > room)
      slot_room(s, k, room = 2 * need);
    put_row(s, k, r, k->plan.doc + from, n);
    row++;
  }
  if (!room)
    slot_room(s, k, 0);
  s->epoch = epoch;
  s->row = row;
  s->b.token = s->token;
  s->b.target = s->target;
  s->b.first = s->first;
  s->b.weight = s->weight;
  s->b.ask_at = s->ask_at;
  s->b.numbers = s->numbers;
  s->b.describe_at = s->describe_at;
  s->b.features = s->features;
}

/* ---- one ahead ---- */

static void *run(void *ctx) {
  ww_packer *k = ctx;
  pthread_mutex_lock(&k->lock);
  for (;;) {
    while (!k->wanted && !k->ending)
      pthread_cond_wait(&k->changed, &k->lock);
    if (k->ending)
      break;
    pthread_mutex_unlock(&k->lock);
    make(k, &k->slots[!k->shown], k->make_epoch, k->make_row,
         false); /* nobody else touches plan or slot meanwhile */
    pthread_mutex_lock(&k->lock);
    k->wanted = false;
    k->ready = true;
    pthread_cond_broadcast(&k->changed);
  }
  pthread_mutex_unlock(&k->lock);
  return NULL;
}

/* Waits until the thread is idle; whether what it made is the batch that is wanted now.
 */
static bool settle(ww_packer *k) {
  if (!k->threaded)
    return false;
  pthread_mutex_lock(&k->lock);
  while (k->wanted)
    pthread_cond_wait(&k->changed, &k->lock);
  bool ready = k->ready && k->make_epoch == k->epoch && k->make_row == k->row;
  k->ready = false;
  pthread_mutex_unlock(&k->lock);
  return ready;
}

static void request_next(ww_packer *k) {
  if (!k->threaded)
    k->threaded = pthread_create(&k->thread, NULL, run, k) == 0;
  if (!k->threaded)
    return;
  pthread_mutex_lock(&k->lock);
  k->make_epoch = k->epoch;
  k->make_row = k->row;
  k->wanted = true;
  pthread_cond_broadcast(&k->changed);
  pthread_mutex_unlock(&k->lock);
}

ww_packer *ww_packer_new(const ww_examples *x,
                         const ww_lm_config *c,
                         uint32_t B,
                         uint32_t T,
                         uint64_t seed) {
  ww_packer *k = ww_xcalloc(1, sizeof *k);
  *k = (ww_packer){.x = x, .c = c, .B = B, .T = T, .seed = seed};
  pthread_mutex_init(&k->lock, NULL);
  pthread_cond_init(&k->changed, NULL);
  for (int s = 0; s < 2; s++)
    slot_new(k->slots + s, k);
  return k;
}

void ww_packer_noise(ww_packer *k, float share) {
  k->noise = share;
}

void ww_packer_free(ww_packer *k) {
  if (!k)
    return;
  if (k->threaded) {
    pthread_mutex_lock(&k->lock);
    k->ending = true;
    pthread_cond_broadcast(&k->changed);
    pthread_mutex_unlock(&k->lock);
    pthread_join(k->thread, NULL);
  }
  for (int s = 0; s < 2; s++)
    slot_free(k->slots + s);
  pthread_mutex_destroy(&k->lock);
  pthread_cond_destroy(&k->changed);
  free(k->plan.doc);
  free(k->plan.start);
  free(k);
}

const ww_lm_batch *ww_packer_next(ww_packer *k) {
  slot *s = &k->slots[!k->shown];
  if (!settle(k))
    make(k, s, k->epoch, k->row, false);
  k->shown = !k->shown;
  k->epoch = s->epoch;
  k->row = s->row;
  request_next(k);
  return &s->b;
}

const ww_lm_batch *ww_packer_next_once(ww_packer *k) {
  settle(k);
  make_plan(k, k->epoch);
  if (k->row >= k->plan.rows)
    return k->row = 0, NULL;
  slot *s = &k->slots[!k->shown];
  make(k, s, k->epoch, k->row, true);
  k->shown = !k->shown;
  k->row = s->row;
  return &s->b;
}

void ww_packer_tell(const ww_packer *k, uint64_t *epoch, uint64_t *row) {
  *epoch = k->epoch;
  *row = k->row;
}

void ww_packer_seek(ww_packer *k, uint64_t epoch, uint64_t row) {
  settle(k);
  k->epoch = epoch;
  k->row = row;
}

uint64_t ww_packer_rows(ww_packer *k) {
  settle(k);
  make_plan(k, k->epoch);
  return k->plan.rows;
}

double ww_packer_filled(ww_packer *k) {
  uint64_t rows = ww_packer_rows(k);
  return k->x->tokens / ((double)rows * k->T);
}
