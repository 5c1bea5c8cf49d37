/* child.c - see child.h. A pipe brings back what the child has to say; whoever waits
 * looks at the clock 50 times a second. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#include "watchdog.h"

#define TURN_MS 20
#define OUTPUT_MAX (256 << 20)
/* after which a child only gets what others leave of the processor */
#define PATIENT_S 0.1
#define POLITE 19

enum {
  LARGE = 77,
  UNSAID = 78
}; /* exit codes: too much memory; what it wrote could not be handed over */

/* Connections of others must not stay open because this process has them too. */
static void close_others(int keep) {
  if (dup2(keep, 3) < 0)
    _exit(UNSAID);
  if (close_range(4, ~0u, 0) == 0)
    return;
  for (int fd = 4; fd < 4096; fd++)
    close(fd);
}

static void set_signals(void) {
  sigset_t none;
  for (int sig = 1; sig < SIGRTMIN; sig++)
    signal(sig, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

static void be_child(const ww_child *c, pid_t parent, int to) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(UNSAID); /* it ended before that was set */
  set_signals();
  close_others(to);
  ww_watchdog_begin(&(ww_watchdog){.bytes = c->bytes, .large_code = LARGE});
  if (c->confined)
    ww_confine_wholly();
  ww_buf out = {0};
  c->work(c->ctx, &out);
  _exit(ww_write_all(3, out.s, out.n)
            ? 0
            : UNSAID); /* nothing of the parent's is to be flushed or cleaned up here */
}

static bool many_ask;

void ww_child_for_many(void) {
  many_ask = true;
}

/* Where many ask, a processor that runs nothing but such children counts as free for
 * the next who asks, which it does not with the least priority. Where one does, the
 * child must not starve beside whatever else the machine is busy with. */
static void be_polite(pid_t pid) {
  if (many_ask)
    sched_setscheduler(pid, SCHED_IDLE, &(struct sched_param){0});
  else
    setpriority(PRIO_PROCESS, (id_t)pid, POLITE);
}

/* Reads until the child closes its end. Anything but WW_OK: it has to be ended. */
static ww_status collect(const ww_child *c, pid_t pid, int fd, ww_buf *out, ww_err *e) {
  char chunk[65536];
  struct pollfd p = {.fd = fd, .events = POLLIN};
  double polite_from = c->eager ? INFINITY : ww_now() + PATIENT_S;
  for (;;) {
    int n = poll(&p, 1, TURN_MS);
    if (ww_now() > polite_from) {
      be_polite(pid);
      polite_from = INFINITY;
    }
    if (c->cancelled && c->cancelled(c->cancelled_ctx))
      return ww_fail(e, WW_ECANCEL, "cancelled");
    if (c->deadline > 0 && ww_now() > c->deadline)
      return ww_fail(e, WW_ELIMIT, "it took too long");
    if (n <= 0)
      continue;
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return WW_OK;
    ww_buf_add(out, chunk, got);
    if (out->n > OUTPUT_MAX)
      return ww_fail(e, WW_ELIMIT, "its answer is too long");
  }
}

static ww_status verdict(const ww_child *c, int status, ww_err *e) {
  if (status == 0)
    return WW_OK;
  if (WIFEXITED(status) && WEXITSTATUS(status) == LARGE)
    return ww_fail(e, WW_ELIMIT, "it took more than %llu MB of memory",
                   (unsigned long long)c->bytes >> 20);
  return ww_fail(e, WW_EUNSUPPORTED, "it ended early (%s %d)",
                 WIFSIGNALED(status) ? "signal" : "code",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

ww_status ww_child_run(const ww_child *c, ww_buf *out, ww_err *e) {
  int fd[2];
  int status = 0;
  pid_t self = getpid();
  *out = (ww_buf){0};
  ww_buf_puts(out, "");
  if (pipe2(fd, O_CLOEXEC))
    return ww_fail(e, WW_EIO, "cannot start a process: %s", strerror(errno));
  pid_t pid = fork();
  if (pid == 0)
    be_child(c, self, fd[1]);
  close(fd[1]);
  ww_status st = pid < 0
                     ? ww_fail(e, WW_EIO, "cannot start a process: %s", strerror(errno))
                     : collect(c, pid, fd[0], out, e);
  close(fd[0]);
  if (pid < 0)
    return st;
  if (st)
    kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
  return st ? st : verdict(c, status, e);
}
