/* evaluate_run.c - predicts the launches of an evaluation, in processes of their own.
 *
 * Launches of one file and its flags are a job: read once, predicted one after the other. Workers
 * are forks of this program that take job after job from a counter in shared memory and write a
 * line per launch to a pipe: its index, the seconds it took, its report. So a launch that breaks
 * the program or takes too long costs itself alone: the worker dies, another one goes on behind it.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../predict/model/predict.h"
#include "evaluate.h"

#define WORKERS_MAX 64
#define LIMIT_S 120
#define NOBODY UINT32_MAX

typedef struct {
  atomic_uint next;              /* job */
  atomic_uint busy[WORKERS_MAX]; /* index into order of the launch a worker is at; NOBODY: none */
  atomic_uchar done[];           /* per case */
} shared;

typedef struct {
  pid_t pid; /* 0: none */
  int fd;
  ww_buf line;
} worker;

typedef struct {
  ww_cmd *c;
  const ww_evaluate_how *how;
  ww_case *cases;
  uint32_t n, njobs, finished;
  uint32_t *order; /* cases by job */
  uint32_t *begin; /* njobs + 1: where each job begins in order */
  shared *s;
  worker *w;
  uint32_t nworkers;
  ww_params params; /* of the machine model */
} pool;

/* ---- one launch ---- */

static ww_status lanes_fit(const ww_module *m, const ww_gpu *g, ww_err *e) {
  bool fixed = m->dialect == WW_CUDA || m->dialect == WW_HIP;
  if (!fixed || g->lanes == m->warp)
    return WW_OK;
  return ww_fail(e, WW_EUSAGE, "%s code is read for warps of %u lanes, %s has %u",
                 ww_dialect_names[m->dialect], m->warp, g->full_name, g->lanes);
}

static ww_status by_trace(const pool *p, const ww_module *m, const ww_fn *fn, const ww_launch *l,
                          const ww_gpu *g, ww_arena *a, ww_report *out, ww_err *e) {
  ww_trace_options o = {.sampling = {.budget = p->how->budget}, .lanes = g->lanes, .sms = g->sms};
  ww_trace_result *r = WW_NEW(a, ww_trace_result);
  ww_status st = ww_trace(m, fn, l, &o, a, r, e);
  if (!st)
    ww_trace_report(fn, r, out);
  return st;
}

/* out[1]: the same before the correction, where both are asked for. */
static ww_status by_machine(const pool *p, const ww_module *m, const ww_fn *fn, const ww_launch *l,
                            const ww_gpu *g, ww_arena *a, ww_report *out, ww_err *e) {
  ww_prediction *said = WW_NEW(a, ww_prediction);
  ww_predict_options o = {.gpu = g,
                          .params = &p->params,
                          .budget = p->how->budget,
                          .correction = p->how->both ? NULL : p->how->correction};
  ww_status st = ww_predict(m, fn, l, &o, a, said, e);
  if (st)
    return st;
  out[1] = said->report;
  out[1].kernel = fn->name;
  if (p->how->both)
    ww_correct(p->how->correction, g, a, said);
  out[0] = said->report;
  return WW_OK;
}

/* The one place that asks an oracle. The report lives in `a` and in the cache. */
static ww_status predict(pool *p, ww_cmd *c, ww_source_cache *cache, ww_case *k, ww_arena *a,
                         ww_report *out) {
  static const ww_source_options none;
  const ww_fn *fn;
  ww_assumptions said = {0};
  ww_launch l = k->launch;
  if (k->unready)
    return ww_fail(&c->err, WW_EDATA, "%s", k->unready);
  if (!k->measured.launch)
    return ww_fail(&c->err, WW_EDATA, "the measured report has no launch");
  if (!l.file)
    return ww_fail(&c->err, WW_EDATA, "the launch names no source file");
  ww_status st = ww_source_kernel(c, &none, cache, &l, &fn, &said);
  const ww_module *m = &cache->read.unit->module;
  if (!st)
    st = lanes_fit(m, k->gpu, &c->err);
  if (st)
    return st;
  st = (p->how->trace ? by_trace : by_machine)(p, m, fn, &l, k->gpu, a, out, &c->err);
  if (st)
    return st;
  out->kernel = fn->name;
  return WW_OK;
}

/* ---- a worker ---- */

static void send(const ww_case *k, uint32_t index, double seconds, ww_report *r) {
  ww_buf b = {0};
  ww_json j = {0};
  r->file = k->measured.file;
  r->gpu = k->gpu->name;
  r->launch =
      k->measured.launch; /* as the data has it, so that runs can be compared line by line */
  if (!r->kernel)
    r->kernel = k->measured.kernel;
  ww_buf_fmt(&b, "%u %.6f ", index, seconds);
  ww_json_begin(&j, &b);
  ww_report_write(r, &j, NULL, NULL);
  ww_buf_puts(&b, "\n");
  fwrite(b.s, 1, b.n, stdout);
  fflush(stdout);
  ww_buf_free(&b);
}

static void predict_job(pool *p, ww_cmd *c, uint32_t job, uint32_t self) {
  ww_source_cache cache = {0};
  for (uint32_t i = p->begin[job]; i < p->begin[job + 1]; i++) {
    uint32_t index = p->order[i];
    ww_case *k = &p->cases[index];
    if (atomic_exchange(&p->s->done[index], 1))
      continue; /* the worker before this one died of it, or got it done */
    atomic_store(&p->s->busy[self], index);
    ww_arena *a = ww_arena_new();
    ww_report r[2] = {0};
    double begin = ww_now();
    alarm(p->how->limit_s ? p->how->limit_s : LIMIT_S);
    c->err = (ww_err){0};
    if (predict(p, c, &cache, k, a, r))
      r[0] = r[1] = (ww_report){.error = c->err};
    alarm(0);
    if (p->how->both)
      send(k, index + p->n, 0, &r[1]);
    send(k, index, ww_now() - begin, &r[0]);
    ww_arena_free(a);
  }
  atomic_store(&p->s->busy[self], NOBODY);
  ww_source_free(&cache);
}

static void work(pool *p, uint32_t self, uint32_t first) {
  ww_cmd c = *p->c; /* its operands are data files, not sources */
  c.noperands = 0;
  if (first != NOBODY)
    predict_job(p, &c, first, self);
  for (uint32_t job; (job = atomic_fetch_add(&p->s->next, 1)) < p->njobs;)
    predict_job(p, &c, job, self);
  c.err = (ww_err){0};
}

/* 1: this is the child, and it has worked; 0: it was started; -1: it could not be. */
static int start(pool *p, uint32_t self, uint32_t first) {
  int fd[2];
  if (pipe(fd))
    return -1;
  pid_t pid = ww_fork();
  if (pid == 0) {
    signal(SIGALRM, SIG_DFL);
    ww_set_quiet(true);
    dup2(fd[1], STDOUT_FILENO);
    close(fd[0]);
    close(fd[1]);
    work(p, self, first);
    return 1;
  }
  close(fd[1]);
  if (pid < 0)
    close(fd[0]);
  p->w[self] = (worker){.pid = pid > 0 ? pid : 0, .fd = fd[0], .line = p->w[self].line};
  return pid < 0 ? -1 : 0;
}

/* ---- the parent ---- */

static void take_line(pool *p, const char *line) {
  char *end;
  unsigned long index = strtoul(line, &end, 10);
  double seconds = strtod(end, &end);
  ww_err e = {0};
  if (index >= 2ul * p->n || *end != ' ')
    return;
  ww_case *k = &p->cases[index % p->n];
  if (index >= p->n) { /* before the correction; the corrected one follows */
    if (ww_report_parse(end + 1, p->c->arena, &k->plain, &e))
      k->plain = (ww_report){.error = e};
    return;
  }
  if (ww_report_parse(end + 1, p->c->arena, &k->predicted, &e))
    k->predicted = (ww_report){.error = e};
  k->seconds = seconds;
  ww_progress("predicting", ++p->finished, p->n);
}

static void take_lines(pool *p, worker *w) {
  char *at = w->line.s, *end;
  if (!at)
    return; /* nothing read yet */
  while ((end = memchr(at, '\n', w->line.n - (size_t)(at - w->line.s)))) {
    *end = 0;
    take_line(p, at);
    at = end + 1;
  }
  size_t left = w->line.n - (size_t)(at - w->line.s);
  memmove(w->line.s, at, left);
  w->line.n = left;
}

static uint32_t job_of(const pool *p, uint32_t index) {
  for (uint32_t job = 0; job < p->njobs; job++)
    for (uint32_t i = p->begin[job]; i < p->begin[job + 1]; i++)
      if (p->order[i] == index)
        return job;
  return NOBODY;
}

/* A worker's pipe is closed: it is done, or it died of the launch that it was at. 1: this is a new
 * child that has worked. */
static int ended(pool *p, uint32_t self) {
  worker *w = &p->w[self];
  int status = 0;
  while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {}
  close(w->fd);
  w->pid = 0;
  w->line.n = 0;
  uint32_t at = atomic_exchange(&p->s->busy[self], NOBODY);
  if (at == NOBODY)
    return 0;
  ww_err *e = &p->cases[at].predicted.error;
  int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (sig == SIGALRM)
    ww_fail(e, WW_ELIMIT, "took longer than %u s", p->how->limit_s ? p->how->limit_s : LIMIT_S);
  else
    ww_fail(e, WW_EUNSUPPORTED, "the prediction ended the program (signal %d)", sig);
  ww_progress("predicting", ++p->finished, p->n);
  return start(p, self, job_of(p, at));
}

static ww_status collect(pool *p, bool *child) {
  char chunk[65536];
  for (;;) {
    struct pollfd fds[WORKERS_MAX];
    uint32_t of[WORKERS_MAX], n = 0;
    for (uint32_t k = 0; k < p->nworkers; k++)
      if (p->w[k].pid) {
        fds[n] = (struct pollfd){.fd = p->w[k].fd, .events = POLLIN};
        of[n++] = k;
      }
    if (!n)
      return WW_OK;
    if (poll(fds, n, -1) < 0 && errno != EINTR)
      return ww_fail(&p->c->err, WW_EIO, "poll: %s", strerror(errno));
    for (uint32_t k = 0; k < n; k++) {
      worker *w = &p->w[of[k]];
      if (!fds[k].revents)
        continue;
      ssize_t got = read(w->fd, chunk, sizeof chunk);
      if (got < 0 && errno == EINTR)
        continue;
      if (got > 0) {
        ww_buf_add(&w->line, chunk, (size_t)got);
        take_lines(p, w);
      } else if (ended(p, of[k]) == 1) {
        *child = true;
        return WW_OK;
      }
    }
  }
}

/* ---- jobs ---- */

static const char *key_of(const ww_case *k, ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(&b, k->launch.file ? k->launch.file : "");
  for (uint32_t i = 0; i < k->launch.nflags; i++)
    ww_buf_fmt(&b, "\n%s", k->launch.flags[i]);
  const char *key = ww_strdup(a, b.s);
  ww_buf_free(&b);
  return key;
}

typedef struct {
  const char *key;
  uint32_t at;
} keyed;

static int by_key(const void *a, const void *b) {
  const keyed *x = a, *y = b;
  int d = strcmp(x->key, y->key);
  return d ? d : (x->at > y->at) - (x->at < y->at);
}

static void make_jobs(pool *p) {
  ww_arena *a = p->c->arena;
  keyed *all = WW_NEWN(a, keyed, p->n + 1);
  for (uint32_t k = 0; k < p->n; k++)
    all[k] = (keyed){key_of(&p->cases[k], a), k};
  qsort(all, p->n, sizeof *all, by_key);
  p->order = WW_NEWN(a, uint32_t, p->n + 1);
  p->begin = WW_NEWN(a, uint32_t, p->n + 1);
  for (uint32_t k = 0; k < p->n; k++) {
    p->order[k] = all[k].at;
    if (!k || strcmp(all[k].key, all[k - 1].key))
      p->begin[p->njobs++] = k;
  }
  p->begin[p->njobs] = p->n;
}

static uint32_t workers_of(const pool *p) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t n = p->how->jobs ? p->how->jobs : cores > 0 ? (uint32_t)cores : 1;
  if (n > WORKERS_MAX)
    n = WORKERS_MAX;
  return n > p->njobs ? p->njobs : n;
}

static void unanswered_left(pool *p) {
  for (uint32_t k = 0; k < p->n; k++) {
    ww_report *r = &p->cases[k].predicted;
    if (!r->error.code && !r->kernel)
      ww_fail(&r->error, WW_EIO, "no worker could be started");
  }
}

ww_status ww_evaluate_predict(ww_cmd *c, const ww_evaluate_how *how, ww_case *cases, uint32_t n,
                              bool *child) {
  pool p = {.c = c, .how = how, .cases = cases, .n = n};
  size_t bytes = sizeof(shared) + n;
  *child = false;
  if (!n)
    return WW_OK;
  if (ww_params_load(c->arena, &p.params, &c->err))
    return c->err.code;
  p.s = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p.s == MAP_FAILED)
    return ww_fail(&c->err, WW_EIO, "cannot share memory: %s", strerror(errno));
  make_jobs(&p);
  p.nworkers = workers_of(&p);
  p.w = WW_NEWN(c->arena, worker, p.nworkers);
  for (uint32_t k = 0; k < WORKERS_MAX; k++)
    atomic_init(&p.s->busy[k], NOBODY);
  fflush(stdout);
  for (uint32_t k = 0; k < p.nworkers && !*child; k++)
    *child = start(&p, k, NOBODY) == 1;
  ww_status st = *child ? WW_OK : collect(&p, child);
  if (!*child)
    unanswered_left(&p);
  for (uint32_t k = 0; !*child && k < p.nworkers; k++)
    ww_buf_free(&p.w[k].line);
  munmap(p.s, bytes);
  return st;
}
