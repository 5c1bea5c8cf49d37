/* process_pool.c - see process_pool.h. A pipe for each child brings its messages: an
 * item begins, some of its bytes, it ends. */
#include "process_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES_MAX = 64 };

#define BEGIN UINT32_MAX
#define END (UINT32_MAX - 1)

typedef struct {
  uint32_t item;
  uint32_t bytes; /* that follow, or BEGIN or END */
} header;

struct ww_worker {
  int fd;
  uint32_t item, limit_s;
};

typedef struct {
  pid_t pid; /* 0: none */
  int fd;
  uint32_t job, item;
  bool at_item; /* begun and not ended */
  ww_buf raw;   /* came through the pipe and is not looked at yet */
  ww_buf bytes; /* of the item */
} child;

typedef struct {
  const ww_process_pool *p;
  child c[PROCESSES_MAX];
  uint32_t n, alive, finished;
} pool;

/* ---- in the child ---- */

static void send_header(ww_worker *w, uint32_t bytes) {
  header h = {w->item, bytes};
  if (!ww_write_all(w->fd, &h, sizeof h))
    _exit(1); /* nobody is there to read it */
}

void ww_worker_begin(ww_worker *w, uint32_t item) {
  w->item = item;
  send_header(w, BEGIN);
  alarm(w->limit_s);
}

void ww_worker_send(ww_worker *w, const void *bytes, size_t n) {
  send_header(w, n);
  if (!ww_write_all(w->fd, bytes, n))
    _exit(1);
}

void ww_worker_end(ww_worker *w) {
  alarm(0);
  send_header(w, END);
}

static void be_child(const ww_process_pool *p, uint32_t job, int fd) {
  ww_worker w = {.fd = fd, .limit_s = p->limit_s};
  signal(SIGALRM, SIG_DFL);
  ww_set_quiet(true);
  p->work(p->ctx, job, &w);
  _exit(0); /* nothing of the parent's is to be flushed or cleaned up here */
}

/* ---- in the parent ---- */

static ww_status start(pool *l, child *c, uint32_t job, ww_err *e) {
  int fd[2];
  if (pipe2(fd, O_CLOEXEC))
    return ww_fail(e, WW_EIO, "cannot start a process: %s", strerror(errno));
  fflush(NULL);
  pid_t pid = ww_fork();
  if (pid == 0)
    be_child(l->p, job, fd[1]);
  close(fd[1]);
  if (pid < 0) {
    close(fd[0]);
    return ww_fail(e, WW_EIO, "cannot start a process: %s", strerror(errno));
  }
  c->pid = pid;
  c->fd = fd[0];
  c->job = job;
  l->alive++;
  return WW_OK;
}

static void item_done(pool *l, child *c, const ww_worker_death *death) {
  ww_buf_puts(&c->bytes, "");
  l->p->done(l->p->ctx, c->item, c->bytes.s, c->bytes.n, death);
  ww_progress(l->p->what, ++l->finished, l->p->items);
  c->at_item = false;
  c->bytes.n = 0;
}

static void take_messages(pool *l, child *c) {
  size_t at = 0;
  for (header h; c->raw.n - at >= sizeof h;) {
    memcpy(&h, c->raw.s + at, sizeof h);
    size_t bytes = h.bytes < END ? h.bytes : 0;
    if (c->raw.n - at - sizeof h < bytes)
      break;
    if (h.bytes == BEGIN)
      c->at_item = true;
    c->item = h.item;
    ww_buf_add(&c->bytes, c->raw.s + at + sizeof h, bytes);
    if (h.bytes == END)
      item_done(l, c, NULL);
    at += sizeof h + bytes;
  }
  memmove(c->raw.s, c->raw.s + at, c->raw.n - at);
  c->raw.n -= at;
}

static ww_worker_death death_of(const ww_process_pool *p, int status) {
  ww_worker_death d = {.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
  d.late = d.signal == SIGALRM;
  if (d.late)
    snprintf(d.why, sizeof d.why, "took longer than %u s", p->limit_s);
  else
    snprintf(d.why, sizeof d.why, "ended the program (%s %d)",
             d.signal ? "signal" : "code", d.signal ? d.signal : status);
  return d;
}

/* A child's pipe is closed: it is done, or it died of the item that it was at. */
static void ended(pool *l, child *c) {
  int status = 0;
  while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {}
  close(c->fd);
  c->pid = 0;
  c->raw.n = 0;
  l->alive--;
  if (!c->at_item)
    return;
  ww_worker_death death = death_of(l->p, status);
  item_done(l, c, &death);
  if (l->p->resume)
    start(l, c, c->job, NULL);
}

static void read_from(pool *l, child *c) {
  char chunk[65536];
  ssize_t got = read(c->fd, chunk, sizeof chunk);
  if (got < 0 && errno == EINTR)
    return;
  if (got <= 0) {
    ended(l, c);
    return;
  }
  ww_buf_add(&c->raw, chunk, got);
  take_messages(l, c);
}

static ww_status wait_for_some(pool *l, ww_err *e) {
  struct pollfd fds[PROCESSES_MAX];
  for (uint32_t k = 0; k < l->n; k++)
    fds[k] = (struct pollfd){.fd = l->c[k].pid ? l->c[k].fd : -1, .events = POLLIN};
  if (poll(fds, l->n, -1) < 0)
    return errno == EINTR ? WW_OK : ww_fail(e, WW_EIO, "poll: %s", strerror(errno));
  for (uint32_t k = 0; k < l->n; k++)
    if (fds[k].revents)
      read_from(l, &l->c[k]);
  return WW_OK;
}

static uint32_t processes_of(const ww_process_pool *p, uint32_t jobs) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  uint32_t n = p->processes ? p->processes : cores > 0 ? (uint32_t)cores : 1;
  if (n > PROCESSES_MAX)
    n = PROCESSES_MAX;
  return n > jobs ? jobs : n;
}

ww_status ww_process_pool_run(const ww_process_pool *p, uint32_t jobs, ww_err *e) {
  pool l = {.p = p, .n = processes_of(p, jobs)};
  uint32_t next = 0;
  ww_status st = WW_OK;
  while (l.alive || (!st && next < jobs)) {
    for (uint32_t k = 0; k < l.n && !st && next < jobs; k++)
      if (!l.c[k].pid && !(st = start(&l, &l.c[k], next, e)))
        next++;
    if (!l.alive)
      continue;
    /* what could not be started now is tried again when one has ended */
    st = wait_for_some(&l, e);
    if (st)
      return st;
  }
  for (uint32_t k = 0; k < l.n; k++) {
    ww_buf_free(&l.c[k].raw);
    ww_buf_free(&l.c[k].bytes);
  }
  return st;
}
