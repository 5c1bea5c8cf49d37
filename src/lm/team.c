/* team.c - fork-join with spinning, then sleeping workers.
 *
 * Two words carry everything: `epoch` grows by one for each pass, `turn` for each
 * barrier. Who waits for a word to change spins, then counts himself as a sleeper and
 * sleeps on it by futex; who changes it wakes only where somebody sleeps. Both sides
 * use sequentially consistent operations, so either the waker sees the sleeper or the
 * sleeper sees the new value. */
#include "team.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 256, SPINS = 2000 };

typedef struct {
  _Alignas(64) _Atomic uint32_t value;
  _Atomic uint32_t sleepers;
} signal_word;

typedef struct {
  struct ww_team *team;
  uint32_t rank;
} worker;

struct ww_team {
  signal_word epoch, turn;
  _Alignas(64) _Atomic uint32_t arrived; /* at the barrier */
  _Alignas(64) pthread_mutex_t pass;     /* held for one pass */
  uint32_t size, started, spins;         /* started: workers that run */
  bool stop;
  void (*fn)(void *ctx, uint32_t rank, uint32_t size);
  void *ctx;
  pthread_t *threads; /* [size], of ranks 1 and up */
  worker *workers;    /* [size] */
  struct ww_team *next;
};

/* All teams, for fork(): the child has the memory but not the workers. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct ww_team *all;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* ---- words that people wait for ---- */

static void wait_change(signal_word *w, uint32_t old, uint32_t spins) {
  for (uint32_t i = 0; i < spins; i++) {
    if (atomic_load_explicit(&w->value, memory_order_acquire) != old)
      return;
    relax();
  }
  atomic_fetch_add(&w->sleepers, 1);
  while (atomic_load(&w->value) == old)
    syscall(SYS_futex, &w->value, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
  atomic_fetch_sub(&w->sleepers, 1);
}

static void change(signal_word *w) {
  atomic_fetch_add(&w->value, 1);
  if (atomic_load(&w->sleepers))
    syscall(SYS_futex, &w->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void ww_team_barrier(ww_team *t) {
  uint32_t members = t->started + 1;
  if (members == 1)
    return;
  uint32_t turn = atomic_load_explicit(&t->turn.value, memory_order_acquire);
  if (atomic_fetch_add(&t->arrived, 1) + 1 < members) {
    wait_change(&t->turn, turn, t->spins);
    return;
  }
  atomic_store(&t->arrived, 0);
  change(&t->turn);
}

/* ---- workers ---- */

static void *work(void *arg) {
  worker *w = arg;
  ww_team *t = w->team;
  for (uint32_t seen = 0;; seen++) {
    wait_change(&t->epoch, seen, t->spins);
    if (t->stop)
      return NULL;
    t->fn(t->ctx, w->rank, t->started + 1);
    ww_team_barrier(t);
  }
}

static void forget_workers(ww_team *t) {
  t->started = 0;
  atomic_store(&t->epoch.value, 0);
  atomic_store(&t->epoch.sleepers, 0);
  atomic_store(&t->turn.value, 0);
  atomic_store(&t->turn.sleepers, 0);
  atomic_store(&t->arrived, 0);
}

/* As many as the system gives; with none the caller does all. Signals stay with the
 * program's own threads. */
static void start(ww_team *t) {
  sigset_t every;
  sigset_t mine;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &mine);
  forget_workers(t);
  uint32_t n = 0;
  for (uint32_t r = 1; r < t->size; r++) {
    t->workers[r] = (worker){t, r};
    if (pthread_create(t->threads + r, NULL, work, t->workers + r))
      break;
    n++;
  }
  t->started = n; /* before the first epoch: workers read it after */
  pthread_sigmask(SIG_SETMASK, &mine, NULL);
}

/* ---- fork() ---- */

static void before_fork(void) {
  pthread_mutex_lock(&all_lock);
}
static void after_fork(void) {
  pthread_mutex_unlock(&all_lock);
}

static void in_child(void) {
  for (ww_team *t = all; t; t = t->next) {
    forget_workers(t);
    pthread_mutex_init(&t->pass, NULL); /* a pass of the parent's may have held it */
  }
  pthread_mutex_unlock(&all_lock);
}

static void watch_forks(void) {
  pthread_atfork(before_fork, after_fork, in_child);
}

/* ---- what others call ---- */

/* What a container's share of processor time comes to, in cores; n where there is no
 * limit. */
static int within_quota(int n) {
  FILE *f = fopen("/sys/fs/cgroup/cpu.max", "r");
  double quota;
  double period;
  if (!f)
    return n;
  bool limited =
      fscanf(f, "%lf %lf", &quota, &period) == 2 && period > 0 && quota / period < n;
  fclose(f);
  return limited ? (quota / period + 0.5) : n;
}

uint32_t ww_team_cores(void) {
  cpu_set_t set;
  int n = sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN)
                                                 : CPU_COUNT(&set);
  n = within_quota(n);
  return n < 1 ? 1 : n > MOST ? MOST : n;
}

ww_team *ww_team_new(uint32_t threads) {
  uint32_t cores = ww_team_cores();
  ww_team *t = aligned_alloc(64, sizeof *t);
  if (!t)
    ww_out_of_memory(sizeof *t);
  memset(t, 0, sizeof *t);
  t->size = !threads ? cores : threads > MOST ? MOST : threads;
  /* more threads than cores: who spins keeps others from working */
  t->spins = t->size > cores ? 50 : SPINS;
  t->threads = ww_xcalloc(t->size, sizeof *t->threads);
  t->workers = ww_xcalloc(t->size, sizeof *t->workers);
  pthread_mutex_init(&t->pass, NULL);
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&all_lock);
  t->next = all;
  all = t;
  pthread_mutex_unlock(&all_lock);
  return t;
}

void ww_team_free(ww_team *t) {
  if (!t)
    return;
  pthread_mutex_lock(&all_lock);
  for (ww_team **p = &all; *p; p = &(*p)->next)
    if (*p == t) {
      *p = t->next;
      break;
    }
  pthread_mutex_unlock(&all_lock);
  t->stop = true;
  change(&t->epoch);
  for (uint32_t r = 1; r <= t->started; r++)
    pthread_join(t->threads[r], NULL);
  pthread_mutex_destroy(&t->pass);
  free(t->threads);
  free(t->workers);
  free(t);
}

uint32_t ww_team_size(const ww_team *t) {
  return t->size;
}

void ww_team_run(ww_team *t,
                 void (*fn)(void *ctx, uint32_t rank, uint32_t size),
                 void *ctx) {
  pthread_mutex_lock(&t->pass);
  if (t->size > 1 && !t->started)
    start(t);
  t->fn = fn;
  t->ctx = ctx;
  if (t->started)
    change(&t->epoch);
  fn(ctx, 0, t->started + 1);
  ww_team_barrier(t);
  pthread_mutex_unlock(&t->pass);
}
