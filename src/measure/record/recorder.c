/* recorder.c - which line a launch belongs to.
 *
 * Assumed workload: up to millions of launches, nearly all of them seen before. A
 * launch becomes a key: kernel, shape, shared memory and the argument bytes, where
 * pointers are replaced by their allocation's size, their offset and which earlier
 * argument shares the allocation. Keys are found in a hash table; only a new one costs
 * an allocation, device reads and output.
 *
 * Invariant: the lines' counts sum up to the number of calls of ww_recorder_launch.
 * Memory is bounded by the number of lines, at most `most` and one for each kernel. */
#include "recorder_int.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define REWRITE_S 2.0 /* seconds between two writes of the counts */

/* ---- open recorders and fork ---- */

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static ww_recorder *all_open;

static void before_fork(void) {
  pthread_mutex_lock(&all_lock);
  for (ww_recorder *r = all_open; r; r = r->next_open)
    pthread_mutex_lock(&r->lock);
}

static void in_parent(void) {
  for (ww_recorder *r = all_open; r; r = r->next_open)
    pthread_mutex_unlock(&r->lock);
  pthread_mutex_unlock(&all_lock);
}

static void in_child(void) {
  for (ww_recorder *r = all_open; r; r = r->next_open)
    r->forked = true;
  in_parent();
}

static void watch_forks(void) {
  pthread_atfork(before_fork, in_parent, in_child);
}

static void enlist(ww_recorder *r) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&all_lock);
  r->next_open = all_open;
  all_open = r;
  pthread_mutex_unlock(&all_lock);
}

static void delist(ww_recorder *r) {
  pthread_mutex_lock(&all_lock);
  ww_recorder **p = &all_open;
  while (*p != r)
    p = &(*p)->next_open;
  *p = r->next_open;
  pthread_mutex_unlock(&all_lock);
}

/* ---- life ---- */

/* Everything that was recorded goes; the memory of the options stays. */
static ww_status start(ww_recorder *r, ww_err *e) {
  ww_arena_free(r->arena);
  r->arena = ww_arena_new();
  memset(&r->broken, 0, sizeof *r - offsetof(ww_recorder, broken));
  r->written = ww_now();
  return ww_recorder_claim(r, e);
}

static void release(ww_recorder *r) {
  pthread_mutex_destroy(&r->lock);
  ww_arena_free(r->arena);
  free((char *)r->o.path);
  free((char *)r->o.source);
  free(r);
}

static char *copy(const char *s) {
  return s ? strcpy(ww_xmalloc(strlen(s) + 1), s) : NULL;
}

ww_recorder *
ww_recorder_open(const ww_recorder_options *o, const ww_recorder_memory *m, ww_err *e) {
  ww_recorder *r = ww_xcalloc(1, sizeof *r);
  r->o = *o;
  r->o.path = copy(o->path);
  r->o.source = copy(o->source);
  if (!r->o.contents_limit)
    r->o.contents_limit = 1 << 30;
  if (r->o.contents_limit > (uint64_t)1 << 50)
    r->o.contents_limit = (uint64_t)1 << 50;
  if (!r->o.per_kernel)
    r->o.per_kernel = 64;
  if (!r->o.most)
    r->o.most = 10000;
  r->memory = *m;
  pthread_mutex_init(&r->lock, NULL);
  if (start(r, e)) {
    release(r);
    return NULL;
  }
  enlist(r);
  return r;
}

const ww_recorder_options *ww_recorder_asked(const ww_recorder *r) {
  return &r->o;
}

void ww_recorder_flush(ww_recorder *r) {
  if (!r)
    return;
  pthread_mutex_lock(&r->lock);
  if (!r->forked && !r->broken && r->dirty)
    ww_recorder_rewrite(r);
  pthread_mutex_unlock(&r->lock);
}

void ww_recorder_close(ww_recorder *r) {
  if (!r)
    return;
  delist(r);
  ww_recorder_flush(r);
  release(r);
}

/* ---- keys ---- */

static bool plausible(uint64_t word) {
  return word >= 0x10000 && word < (uint64_t)1 << 57;
}

bool ww_recorder_find(const ww_recorder *r, ww_found *f) {
  return r->memory.find &&
         r->memory.find(r->memory.ctx, f->address, &f->base, &f->bytes, &f->id) &&
         f->address >= f->base && f->address - f->base <= f->bytes;
}

static bool find_pointer(ww_recorder *r, uint32_t arg, uint32_t at, uint64_t word) {
  ww_found f = {
      .arg = arg,
      .at = at,
      .address = word,
      .alias = r->found.n,
  };
  if (!ww_recorder_find(r, &f))
    return false;
  for (uint32_t i = 0; i < r->found.n && f.alias == r->found.n; i++)
    if (r->found.v[i].id == f.id)
      f.alias = i;
  ww_push(r->arena, &r->found, f);
  ww_push(r->arena, &r->key, f.bytes);
  ww_push(r->arena, &r->key, word - f.base);
  ww_push(r->arena, &r->key, ~(uint64_t)f.alias);
  return true;
}

static void key_arg(ww_recorder *r, uint32_t index, const ww_raw_arg *g) {
  const unsigned char *p = g->bytes;
  ww_push(r->arena, &r->key, (uint64_t)g->size << 1 | !p);
  for (uint32_t at = 0; p && at < g->size; at += 8) {
    uint64_t word = 0;
    uint32_t n = g->size - at < 8 ? g->size - at : 8;
    memcpy(&word, p + at, n);
    bool look =
        n == 8 && word && (g->pointer == 1 ? at == 0 : g->pointer && plausible(word));
    if (!look || !find_pointer(r, index, at, word))
      ww_push(r->arena, &r->key, word);
  }
}

static uint64_t make_key(ww_recorder *r, const ww_raw_launch *l, uint32_t kernel) {
  r->key.n = r->found.n = 0;
  for (int i = 0; i < 3; i++) {
    ww_push(r->arena, &r->key, l->grid[i]);
    ww_push(r->arena, &r->key, l->block[i]);
  }
  ww_push(r->arena, &r->key, l->shared << 1 | l->cooperative);
  for (int i = 0; l->library && i < WW_LIBRARY_SIZES; i++)
    ww_push(r->arena, &r->key, l->library->size[i]);
  for (uint32_t i = 0; i < l->nargs; i++)
    key_arg(r, i, &l->args[i]);
  return ww_hash(r->key.v, r->key.n * sizeof *r->key.v, kernel);
}

/* ---- hash tables: from the hash of a line or kernel to its index; equal hashes of
 * others move it on ---- */

/* Where the line of the launch at hand is in the map, or belongs. */
static uint64_t line_place(const ww_recorder *r, uint64_t hash) {
  const uint32_t *at;
  for (hash += !hash; (at = ww_map_find(&r->line_at, hash)); hash++) {
    const ww_line *x = &r->lines.v[*at];
    if (x->key_n == r->key.n && !memcmp(x->key, r->key.v, x->key_n * sizeof *x->key))
      break;
  }
  return hash;
}

static uint64_t kernel_place(const ww_recorder *r, uint64_t hash, const char *name) {
  const uint32_t *at;
  for (hash += !hash; (at = ww_map_find(&r->kernel_at, hash)); hash++)
    if (!strcmp(r->kernels.v[*at].name, name))
      break;
  return hash;
}

/* ---- kernels ---- */

static uint64_t hash_code(ww_recorder *r, const void *code, size_t n) {
  if (!code)
    return 0;
  uint64_t at = ww_hash(&code, sizeof code, n) % WW_CODE_CACHE;
  if (r->codes[at].code != code || r->codes[at].n != n) {
    r->codes[at].code = code;
    r->codes[at].n = n;
    r->codes[at].hash = ww_hash(code, n, 0);
  }
  return r->codes[at].hash;
}

static uint64_t hash_kernel(const ww_raw_launch *l, uint64_t code) {
  uint64_t h = ww_hash(l->kernel, strlen(l->kernel), code);
  if (l->file)
    h = ww_hash(l->file, strlen(l->file), h);
  if (l->library)
    h = ww_hash(l->library->type, strlen(l->library->type), h);
  for (const char *const *f = l->flags; f && *f; f++)
    h = ww_hash(*f, strlen(*f), h);
  return h;
}

static uint32_t length(const char *const *v) {
  uint32_t n = 0;
  while (v && v[n])
    n++;
  return n;
}

static void new_kernel(ww_recorder *r, const ww_raw_launch *l, uint64_t code) {
  ww_recorded_kernel k = {.name = ww_strdup(r->arena, l->kernel)};
  bool source = l->binary && l->binary_suffix && !strcmp(l->binary_suffix, "cl");
  if (l->file)
    k.file = ww_recorder_path_of(r, l->file);
  if (source)
    k.file = ww_recorder_store(r, l->binary, l->binary_n, code, "cl");
  else if (l->binary && r->o.binaries)
    k.binary = ww_recorder_store(r, l->binary, l->binary_n, code,
                                 l->binary_suffix ? l->binary_suffix : "cubin");
  if (!k.file && r->o.source)
    k.file = ww_recorder_path_of(r, r->o.source);
  if (!k.file && l->ptx)
    k.file =
        ww_recorder_store(r, l->ptx, l->ptx_n, ww_hash(l->ptx, l->ptx_n, 0), "ptx");
  k.nflags = length(l->flags);
  k.flags = WW_NEWN(r->arena, const char *, k.nflags + 1);
  for (uint32_t i = 0; i < k.nflags; i++)
    k.flags[i] = ww_strdup(r->arena, l->flags[i]);
  k.nmore = length(l->more);
  k.more = WW_NEWN(r->arena, const char *, k.nmore + 1);
  for (uint32_t i = 0; i < k.nmore; i++)
    k.more[i] = ww_recorder_path_of(r, l->more[i]);
  ww_push(r->arena, &r->kernels, k);
}

static uint32_t kernel_of(ww_recorder *r, const ww_raw_launch *l) {
  uint64_t code = hash_code(r, l->binary, l->binary_n);
  uint64_t place = kernel_place(r, hash_kernel(l, code), l->kernel);
  const uint32_t *at = ww_map_find(&r->kernel_at, place);
  if (at)
    return *at;
  new_kernel(r, l, code);
  return *ww_map_at(&r->kernel_at, r->arena, place, NULL) = r->kernels.n - 1;
}

/* ---- lines ---- */

static double log_threads(const ww_raw_launch *l) {
  double n = 1;
  for (int i = 0; i < 3; i++)
    n *= l->grid[i] * (double)l->block[i];
  return log2(n);
}

/* How far a line is from the launch at hand: the shape first, then how many words of
 * the key differ. */
static double distance(const ww_recorder *r, const ww_line *x, double threads) {
  uint32_t n = x->key_n < r->key.n ? x->key_n : r->key.n;
  uint32_t differ = x->key_n > n ? x->key_n - n : r->key.n - n;
  bool shape = !memcmp(x->key, r->key.v, 7 * sizeof *x->key);
  for (uint32_t i = 7; i < n; i++)
    differ += x->key[i] != r->key.v[i];
  double words = differ / (double)(r->key.n + 1);
  return shape ? words : 2 + fabs(x->log_threads - threads) * 16 + words;
}

/* One more launch of the line, the program's latest. */
static void count_in(ww_recorder *r, ww_line *x) {
  uint64_t n = r->launches++;
  uint32_t last = x->at.n;
  x->count++;
  if (last && x->at.v[last - 2] + x->at.v[last - 1] == n)
    x->at.v[last - 1]++;
  else if (last < 2 * WW_RUNS) {
    ww_push(r->arena, &x->at, n);
    ww_push(r->arena, &x->at, (uint64_t)1);
  }
}

static void count_into_nearest(ww_recorder *r,
                               const ww_recorded_kernel *k,
                               const ww_raw_launch *l) {
  ww_line *best = &r->lines.v[k->first - 1];
  double least = INFINITY;
  double threads = log_threads(l);
  for (uint32_t i = k->first; i; i = r->lines.v[i - 1].next) {
    double d = distance(r, &r->lines.v[i - 1], threads);
    if (d < least) {
      least = d;
      best = &r->lines.v[i - 1];
    }
  }
  count_in(r, best);
  best->others++;
}

static void new_line(ww_recorder *r,
                     ww_recorded_kernel *k,
                     const ww_raw_launch *l,
                     uint64_t place) {
  ww_line x = {.key_n = r->key.n, .next = k->first, .log_threads = log_threads(l)};
  uint64_t *key = WW_NEWN(r->arena, uint64_t, r->key.n);
  x.key = memcpy(key, r->key.v, r->key.n * sizeof *key);
  ww_recorder_describe(r, l, k, &x);
  count_in(r, &x);
  *ww_map_at(&r->line_at, r->arena, place, NULL) = r->lines.n;
  ww_push(r->arena, &r->lines, x);
  k->first = r->lines.n;
  k->lines++;
  ww_recorder_append(r, &x);
}

static double now_coarse(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void launch(ww_recorder *r, const ww_raw_launch *l) {
  uint32_t kernel = kernel_of(r, l);
  uint64_t place = line_place(r, make_key(r, l, kernel));
  ww_recorded_kernel *k = &r->kernels.v[kernel];
  const uint32_t *at = ww_map_find(&r->line_at, place);
  if (at)
    count_in(r, &r->lines.v[*at]);
  else if (!k->lines || (k->lines < r->o.per_kernel && r->lines.n < r->o.most))
    new_line(r, k, l, place);
  else
    count_into_nearest(r, k, l);
  r->dirty = true;
  double now = now_coarse();
  if (now - r->written > REWRITE_S && now - r->written > 50 * r->cost)
    ww_recorder_rewrite(r);
}

/* Takes the lock; false (and no lock held): nothing can be recorded. */
static bool enter(ww_recorder *r) {
  pthread_mutex_lock(&r->lock);
  if (r->forked) {
    r->forked = false;
    r->broken = start(r, NULL);
  }
  if (!r->broken)
    return true;
  pthread_mutex_unlock(&r->lock);
  return false;
}

void ww_recorder_launch(ww_recorder *r, const ww_raw_launch *given) {
  if (!r || !given->kernel || !enter(r))
    return;
  ww_raw_launch l = *given;
  for (int i = 0; i < 3; i++) {
    l.grid[i] += !l.grid[i];
    l.block[i] += !l.block[i];
  }
  launch(r, &l);
  pthread_mutex_unlock(&r->lock);
}

void ww_recorder_note(ww_recorder *r, const char *text) {
  if (!r || !enter(r))
    return;
  if (!ww_strings_have(&r->notes, text)) {
    ww_push(r->arena, &r->notes, ww_strdup(r->arena, text));
    ww_recorder_rewrite(r);
  }
  pthread_mutex_unlock(&r->lock);
}
