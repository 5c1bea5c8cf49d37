/* process.c - runs a child to its end and captures what it prints.
 *
 * The input goes through an unnamed memory file, so nothing has to be fed while output
 * is read and no SIGPIPE can arise. The child leads its own process group: a timeout
 * ends what it started too.
 */
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_MAX (1 << 30)
#define TURN_MS 100 /* between two looks whether it is cancelled, or does nothing */

static _Atomic uint64_t child_memory; /* bytes; 0: no limit */
static _Atomic bool stopped;

void ww_run_memory(uint64_t bytes) {
  child_memory = bytes;
}
void ww_run_stop(void) {
  stopped = true;
}

extern char **environ;

static double seconds(clockid_t clock) {
  struct timespec t = {0};
  clock_gettime(clock, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

double ww_now(void) {
  return seconds(CLOCK_MONOTONIC);
}

double ww_cpu(void) {
  return seconds(CLOCK_THREAD_CPUTIME_ID);
}

static int input_file(const void *input, size_t n) {
  if (!input)
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
  int fd = memfd_create("warpwise-input", MFD_CLOEXEC);
  if (fd >= 0 && !ww_write_all(fd, input, n)) {
    close(fd);
    return -1;
  }
  if (fd >= 0)
    lseek(fd, 0, SEEK_SET);
  return fd;
}

/* Our environment with one variable more; the pointers only are copied. NULL: nothing
 * to add. */
static char **environment(const char *more) {
  size_t n = 0;
  size_t name = more ? strcspn(more, "=") + 1 : 0;
  if (!more)
    return NULL;
  while (environ[n])
    n++;
  char **v = ww_xmalloc((n + 2) * sizeof *v);
  size_t k = 0;
  for (size_t i = 0; i < n; i++)
    if (strncmp(environ[i], more, name))
      v[k++] = environ[i];
  v[k++] = (char *)more;
  v[k] = NULL;
  return v;
}

/* The child's side: it shares our memory until it becomes the program, so it only makes
 * system calls. Returns why not. */
static int become(const char *const *argv, const ww_run_watch *w, const int from[3]) {
  char *const env[] = {(char *)w->env, NULL};
  sigset_t none;
  sigemptyset(&none);
  setpgid(0, 0);
  /* the thread that started it waits for it: it goes only when we are killed */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC);
  for (uint32_t i = 0; i < w->nkeep; i++)
    fcntl(w->keep[i], F_SETFD, 0);
  for (int i = 0; i < 3; i++)
    if (dup2(from[i], i) < 0)
      return errno;
  if (w->dir && chdir(w->dir))
    return errno;
  uint64_t most = child_memory && !w->own_memory ? child_memory : w->memory;
  if (most)
    setrlimit(RLIMIT_AS, &(struct rlimit){most, most});
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  ww_confine_self(w->confine);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(argv[0], (char *const *)argv, env);
  return errno;
}

/* As posix_spawn does it, with a confinement between: no signal handler of ours runs in
 * the child.
 */
static int spawn_confined(const char *const *argv,
                          const ww_run_watch *w,
                          const int from[3],
                          pid_t *pid) {
  static _Thread_local volatile int why; /* written by the child, in our memory */
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  why = 0;
  *pid = vfork();
  if (*pid == 0) {
    why = become(argv, w, from);
    _exit(127);
  }
  if (*pid < 0)
    why = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (*pid > 0 && why)
    waitpid(*pid, NULL, 0);
  return why;
}

static int spawn(const char *const *argv,
                 const ww_run_watch *w,
                 int in,
                 int out,
                 int err,
                 pid_t *pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  if (w->confine)
    return spawn_confined(argv, w, (const int[3]){in, out, err}, pid);
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attr);
  posix_spawn_file_actions_adddup2(&files, in, 0);
  posix_spawn_file_actions_adddup2(&files, out, 1);
  posix_spawn_file_actions_adddup2(&files, err, 2);
  if (w->dir)
    posix_spawn_file_actions_addchdir_np(&files, w->dir);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attr, 0);
  char **env = environment(w->env);
  int rc = posix_spawnp(pid, argv[0], &files, &attr, (char *const *)argv,
                        env ? env : environ);
  free(env);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&files);
  return rc;
}

/* Hands on what is complete of stderr behind *told. */
static void tell_lines(const ww_run_watch *w, ww_buf *err, size_t *told) {
  char *end;
  while (w->line && *told < err->n &&
         (end = memchr(err->s + *told, '\n', err->n - *told))) {
    *end = 0;
    w->line(w->ctx, err->s + *told);
    *end = '\n';
    *told = (size_t)(end - err->s) + 1;
  }
}

/* How long poll may sleep: to the deadline, but whether it is cancelled is looked at
 * often. */
static int turn_ms(double deadline) {
  double left = deadline == 0 ? INFINITY : 1000 * (deadline - ww_now());
  if (left >= TURN_MS)
    return TURN_MS;
  return left <= 0 ? 0 : (int)left + 1;
}

/* ---- a child that waits for something that never comes: an end of a pipe, a terminal
 * ---- */

typedef struct {
  /* processor seconds when last looked at, and since when it is so */
  double used, since;
} idleness;

/* Asleep, or stopped; waiting for a disk or for its turn is work. */
static bool sleeps(pid_t pid) {
  char path[32];
  char text[256];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = 0;
  const char *name_end = strrchr(text, ')');
  return name_end && name_end[1] == ' ' && strchr("STt", name_end[2]);
}

static bool is_idle(const ww_run_watch *w, pid_t pid, idleness *x) {
  clockid_t clock;
  struct timespec t;
  if (w->idle_s <= 0 || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
    return false;
  double used = t.tv_sec + 1e-9 * t.tv_nsec;
  double now = ww_now();
  if (used != x->used || x->since == 0 || !sleeps(pid))
    *x = (idleness){used, now};
  return now - x->since > w->idle_s;
}

/* Reads both pipes until they close. False: the deadline passed, it was cancelled or
 * idle, or there was too much. */
static bool collect(pid_t pid,
                    int fd[2],
                    const ww_run_watch *w,
                    double deadline,
                    ww_run_result *r,
                    bool *too_much,
                    bool *cancelled) {
  size_t told = 0;
  idleness idle = {0};
  struct pollfd p[2] = {{.fd = fd[0], .events = POLLIN},
                        {.fd = fd[1], .events = POLLIN}};
  ww_buf *to[2] = {&r->out, &r->err};
  char chunk[65536];
  while (p[0].fd >= 0 || p[1].fd >= 0) {
    int n = poll(p, 2, turn_ms(deadline));
    if (n < 0 && errno != EINTR)
      return false;
    if (stopped || (w->cancelled && w->cancelled(w->ctx)))
      *cancelled = true;
    if (*cancelled || (n <= 0 && deadline != 0 && ww_now() >= deadline))
      return false;
    if (n <= 0 && is_idle(w, pid, &idle))
      return false;
    if (n <= 0)
      continue;
    for (int i = 0; i < 2; i++) {
      if (p[i].fd < 0 || !p[i].revents)
        continue;
      ssize_t got = read(p[i].fd, chunk, sizeof chunk);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        p[i].fd = -1;
      else
        ww_buf_add(to[i], chunk, got);
      if (to[i]->n > OUTPUT_MAX) {
        *too_much = true;
        return false;
      }
    }
    tell_lines(w, &r->err, &told);
  }
  return true;
}

/* The child may outlive its pipes: wait for it, but no longer than the deadline. */
static bool reap(pid_t pid, double deadline, int *status) {
  for (;;) {
    pid_t got = waitpid(pid, status, deadline == 0 ? 0 : WNOHANG);
    if (got == pid)
      return true;
    if (got < 0 && errno != EINTR) {
      *status = 0;
      return true;
    }
    if (deadline != 0 && ww_now() > deadline)
      return false;
    if (got == 0)
      nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
  }
}

static void close_pair(int fd[2]) {
  if (fd[0] >= 0)
    close(fd[0]);
  if (fd[1] >= 0)
    close(fd[1]);
}

ww_status ww_run(const char *const *argv,
                 const void *input,
                 size_t input_n,
                 double timeout_s,
                 ww_run_result *r,
                 ww_err *e) {
  return ww_run_watched(argv, input, input_n, timeout_s, &(ww_run_watch){0}, r, e);
}

ww_status ww_run_watched(const char *const *argv,
                         const void *input,
                         size_t input_n,
                         double timeout_s,
                         const ww_run_watch *watch,
                         ww_run_result *r,
                         ww_err *e) {
  *r = (ww_run_result){0};
  ww_buf_add(&r->out, "", 0);
  ww_buf_add(&r->err, "", 0);
  int out[2] = {-1, -1};
  int err[2] = {-1, -1};
  int status = 0;
  bool too_much = false, cancelled = false;
  ww_status rc = WW_OK;
  int in = input_file(input, input_n);
  if (in < 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
    rc = ww_fail(e, WW_EIO, "cannot run '%s': %s", argv[0], strerror(errno));
    goto done;
  }
  pid_t pid;
  int why = spawn(argv, watch, in, out[1], err[1], &pid);
  if (why) {
    rc = ww_fail(e, WW_EIO, "cannot run '%s': %s", argv[0], strerror(why));
    goto done;
  }
  if (child_memory && !watch->own_memory)
    prlimit(pid, RLIMIT_AS, &(struct rlimit){child_memory, child_memory}, NULL);
  int listed = ww_cleanup_group(pid);
  close(out[1]);
  close(err[1]);
  out[1] = err[1] = -1;
  double deadline = timeout_s > 0 ? ww_now() + timeout_s : 0;
  bool ended = collect(pid, (int[2]){out[0], err[0]}, watch, deadline, r, &too_much,
                       &cancelled) &&
               reap(pid, deadline, &status);
  if (!ended) {
    kill(-pid, SIGKILL);
    reap(pid, 0, &status);
    r->timed_out = !too_much && !cancelled;
  }
  ww_cleanup_forget(listed);
  r->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (cancelled)
    rc = ww_fail(e, WW_ECANCEL, "cancelled");
  if (too_much)
    rc = ww_fail(e, WW_ELIMIT, "'%s' printed more than 1 GiB and was ended", argv[0]);
done:
  if (in >= 0)
    close(in);
  close_pair(out);
  close_pair(err);
  return rc;
}

void ww_run_free(ww_run_result *r) {
  ww_buf_free(&r->out);
  ww_buf_free(&r->err);
}
