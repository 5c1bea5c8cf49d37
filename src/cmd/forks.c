/* forks.c - runs pieces of work in child processes, so many at a time; what a child has to say goes
 * through a file without a name. */
#include "forks.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS_MAX = 64 };

typedef struct {
  pid_t pid; /* 0: none */
  uint32_t index;
  FILE *out;
} child;

static uint32_t jobs_of(const ww_forks *f, uint32_t n) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t jobs = f->jobs ? f->jobs : cores > 0 ? (uint32_t)cores : 1;
  if (jobs > JOBS_MAX)
    jobs = JOBS_MAX;
  return jobs > n ? n : jobs;
}

static ww_status start(const ww_forks *f, uint32_t index, child *c, ww_err *e) {
  *c = (child){.index = index, .out = tmpfile()};
  if (!c->out)
    return ww_fail(e, WW_EIO, "cannot make a temporary file: %s", strerror(errno));
  fflush(NULL);
  c->pid = ww_fork();
  if (c->pid == 0) {
    signal(SIGALRM, SIG_DFL);
    ww_set_quiet(true);
    if (f->limit_s)
      alarm(f->limit_s);
    f->work(f->ctx, index, c->out);
    fflush(c->out);
    _exit(0); /* nothing of the parent's is to be flushed or cleaned up here */
  }
  if (c->pid > 0)
    return WW_OK;
  fclose(c->out);
  c->pid = 0;
  return ww_fail(e, WW_EIO, "cannot start a process: %s", strerror(errno));
}

static char *read_all(FILE *in) {
  ww_buf b = {0};
  char chunk[16384];
  rewind(in);
  ww_buf_puts(&b, "");
  for (size_t n; (n = fread(chunk, 1, sizeof chunk, in)) > 0;)
    ww_buf_add(&b, chunk, n);
  return b.s;
}

static void ended(const ww_forks *f, child *c, int status) {
  char why[80], *text = read_all(c->out);
  const char *died = NULL;
  int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (sig == SIGALRM) {
    snprintf(why, sizeof why, "took longer than %u s", f->limit_s);
    died = why;
  } else if (status) {
    snprintf(why, sizeof why, "ended the program (%s %d)", sig ? "signal" : "code",
             sig ? sig : status);
    died = why;
  }
  f->done(f->ctx, c->index, text, died);
  fclose(c->out);
  free(text);
  c->pid = 0;
}

/* The next one of ours that ends. */
static child *wait_for(child *c, uint32_t n, int *status) {
  for (;;) {
    pid_t pid = waitpid(-1, status, 0);
    if (pid < 0 && errno != EINTR)
      return NULL;
    for (uint32_t k = 0; pid > 0 && k < n; k++)
      if (c[k].pid == pid)
        return &c[k];
  }
}

ww_status ww_forks_run(const ww_forks *f, uint32_t n, ww_err *e) {
  child c[JOBS_MAX] = {0};
  uint32_t jobs = jobs_of(f, n), next = 0, done = 0;
  ww_status st = WW_OK;
  while (done < next || (!st && next < n)) {
    for (uint32_t k = 0; k < jobs && !st && next < n; k++)
      if (!c[k].pid && !(st = start(f, next, &c[k], e)))
        next++;
    int status = 0;
    child *one = done < next ? wait_for(c, jobs, &status) : NULL;
    if (!one)
      break;
    ended(f, one, status);
    ww_progress(f->what, ++done, n);
  }
  return st;
}
