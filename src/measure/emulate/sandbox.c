/* sandbox.c - runs somebody's program so that it can do little harm: confined by
 * base/confine.h to reading its own files and writing to its scratch folder, in a PID
 * namespace of its own, with an environment of its own and limits on memory, files,
 * disk and time.
 *
 * Two processes: the keeper, first of the namespace, and the program below it. When the
 * keeper ends, the kernel kills whatever the program left behind, wherever it moved.
 * Where the system gives no namespace the program cannot leave the keeper's process
 * group (confine_calls.def has neither setpgid nor setsid), which is killed; the result
 * says so. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/confine.h"
#include "emulate_int.h"

#define TAIL (64u << 10) /* bytes of output kept */
#define FILE_BYTES (4ull << 30)
#define DISK_FILES 200000u
#define LOOK_S 0.5 /* between two looks at the disk */
#define PROCESSES 4096
#define NAMESPACES "processes (PID namespace), "

/* ---- the program ---- */

static void limit(int what, uint64_t value) {
  struct rlimit r;
  if (getrlimit(what, &r))
    return;
  if (value < r.rlim_max) /* no limit is the largest number */
    r.rlim_max = value;
  r.rlim_cur = r.rlim_max;
  setrlimit(what, &r);
}

static void set_limits(const ww_sandbox *s) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, s->memory + (1ull << 30));
  /* threads add up; the clock on the wall is the parent's business */
  limit(RLIMIT_CPU, (uint64_t)(64 * s->limit_s) + 1);
  limit(RLIMIT_FSIZE, FILE_BYTES);
  limit(RLIMIT_NPROC, PROCESSES);
}

static void say(int fd, const char *text) {
  if (write(fd, text, strlen(text)) < 0)
    return;
}

typedef struct {
  /* to `report`: '!' the program could not be started, else which protections are
   * missing */
  int in, out, err, report;
  char *const *env;
  bool own_pids;
} wiring;

/* Only what is safe between fork and exec. */
static void become(const ww_sandbox *s, const wiring *w) {
  dup2(w->in, 0);
  dup2(w->out, 1);
  dup2(w->err, 2);
  signal(SIGPIPE, SIG_DFL);
  syscall(SYS_close_range, 3u, ~0u,
          CLOSE_RANGE_CLOEXEC); /* what this process has open is none of its business */
  if (chdir(s->cwd)) {
    say(w->report, "!cannot enter its working folder");
    _exit(127);
  }
  set_limits(s);
  if (!s->off) {
    const char *const writable[] = {s->writable, NULL};
    ww_confine c = {.read = s->readable,
                    .write = writable,
                    .run = s->runnable,
                    .processes = true,
                    .own_pids = w->own_pids};
    const char *missing = ww_confine_self(&c);
    if (missing)
      say(w->report, missing);
  }
  execve(s->argv[0], (char *const *)s->argv, w->env);
  say(w->report, "!cannot be started");
  _exit(127);
}

/* ---- the keeper ---- */

static void write_to(const char *path, const char *text) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  say(fd, text);
  close(fd);
}

/* So that the program sees its user under the number it knows. */
static void map_ids(unsigned uid, unsigned gid) {
  char text[64];
  write_to("/proc/self/setgroups", "deny");
  snprintf(text, sizeof text, "%u %u 1", uid, uid);
  write_to("/proc/self/uid_map", text);
  snprintf(text, sizeof text, "%u %u 1", gid, gid);
  write_to("/proc/self/gid_map", text);
}

/* Starts the program, waits for it alone, and ends with its wait status in the pipe. */
static void keep(const ww_sandbox *s, const wiring *w, int ended) {
  int status = 0;
  setpgid(0, 0);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  /* it does not outlive the one who would stop it */
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (!s->off && !w->own_pids)
    say(w->report, NAMESPACES);
  pid_t pid = fork();
  if (pid == 0)
    become(s, w);
  close(w->out);
  close(w->err);
  for (pid_t got = 0; pid > 0 && got != pid;) {
    got = waitpid(-1, &status, 0); /* orphans of the namespace come here, too */
    if (got < 0 && errno != EINTR)
      break;
  }
  if (pid < 0)
    say(w->report, "!cannot be started: no more processes");
  if (write(ended, &status, sizeof status) < 0)
    _exit(1);
  _exit(0);
}

/* fork(), into a PID namespace where the system allows it: below a user namespace, or
 * as root without one. */
static pid_t fork_keeper(bool alone, bool *own_pids) {
  static const long ways[] = {CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD,
                              CLONE_NEWPID | SIGCHLD};
  unsigned uid = getuid();
  unsigned gid = getgid();
  fflush(NULL);
  for (size_t i = 0; alone && i < WW_COUNT(ways); i++) {
    *own_pids = true; /* seen by both */
    pid_t pid = syscall(SYS_clone, ways[i], 0, 0, 0, 0);
    if (pid == 0 && (ways[i] & CLONE_NEWUSER))
      map_ids(uid, gid);
    if (pid >= 0)
      return pid;
  }
  *own_pids = false;
  return fork();
}

/* ---- the parent ---- */

/* Variables of ours that the program sees: how to speak, how many threads, where its
 * own libraries are. Nothing else of the environment, which may hold keys. */
static bool harmless(const char *variable) {
  static const char *const names[] = {
      "LANG=", "LC_", "TZ=", "TERM=", "OMP_", "LD_LIBRARY_PATH=", NULL};
  for (const char *const *n = names; *n; n++)
    if (ww_starts(variable, *n))
      return true;
  return false;
}

static char *const *environment(const ww_sandbox *s, ww_arena *a) {
  WW_VEC(char *) v = {0};
  if (!s->off) {
    ww_push(a, &v, (char *)"PATH=/usr/local/bin:/usr/bin:/bin");
    ww_push(a, &v, ww_fmt(a, "HOME=%s", s->writable));
  }
  for (char **p = environ; *p; p++) {
    bool replaced = !s->off && !harmless(*p);
    for (const char *const *o = s->env; *o && !replaced; o++)
      replaced = !strncmp(*p, *o, strcspn(*o, "=") + 1);
    if (!replaced)
      ww_push(a, &v, *p);
  }
  for (const char *const *o = s->env; *o; o++)
    ww_push(a, &v, (char *)*o);
  ww_push(a, &v, NULL);
  return v.v;
}

static void keep_tail(ww_buf *b) {
  if (b->n <= 2 * TAIL)
    return;
  memmove(b->s, b->s + b->n - TAIL, TAIL);
  b->n = TAIL;
  b->s[b->n] = 0;
}

static _Thread_local struct {
  uint64_t bytes, most;
  uint32_t files;
} disk;

static int add_size(const char *path, const struct stat *st, int flag, struct FTW *f) {
  (void)path;
  (void)flag;
  (void)f;
  disk.bytes += st->st_blocks * 512;
  disk.files++;
  return disk.bytes > disk.most || disk.files > DISK_FILES;
}

static bool fills_the_disk(const ww_sandbox *s) {
  disk.most = s->disk;
  disk.bytes = 0;
  disk.files = 0;
  return nftw(s->writable, add_size, 32, FTW_PHYS) > 0;
}

typedef enum { ENDED, TOO_LONG, TOO_MUCH } ending;

/* The program's stdout and stderr. */
typedef struct {
  struct pollfd p[2];
  const int *show; /* where each goes, -1: nowhere */
  ww_buf *output;
} streams;

static bool any_open(const streams *x) {
  return x->p[0].fd >= 0 || x->p[1].fd >= 0;
}

/* A reader of ours that has gone is no reason to end the program. */
static void show(int fd, const char *s, ssize_t n) {
  while (fd >= 0 && n > 0) {
    ssize_t done = write(fd, s, n);
    if (done < 0 && errno != EINTR)
      return;
    s += done > 0 ? done : 0;
    n -= done > 0 ? done : 0;
  }
}

/* Whether something came within `ms`. */
static bool pass_on(streams *x, int ms) {
  char chunk[65536];
  if (poll(x->p, 2, ms) <= 0)
    return false;
  for (int i = 0; i < 2; i++) {
    if (x->p[i].fd < 0 || !x->p[i].revents)
      continue;
    ssize_t n = read(x->p[i].fd, chunk, sizeof chunk);
    if (n <= 0) {
      x->p[i].fd = -1; /* poll passes it over */
      continue;
    }
    show(x->show[i], chunk, n);
    ww_buf_add(x->output, chunk, n);
    keep_tail(x->output);
  }
  return true;
}

/* Reads until the keeper has ended, the time is up or the disk is too full. */
static ending watch(const ww_sandbox *s, pid_t keeper, streams *x) {
  bool ended = false;
  double deadline = ww_now() + s->limit_s;
  double look = ww_now() + LOOK_S;
  while (!ended || any_open(x)) {
    if (!ended)
      ended = waitpid(keeper, NULL, WNOHANG) == keeper;
    if (ww_now() > deadline && !ended)
      return TOO_LONG;
    if (ww_now() > look && !ended) {
      if (fills_the_disk(s))
        return TOO_MUCH;
      look = ww_now() + LOOK_S;
    }
    if (pass_on(x, ended ? 0 : 20))
      continue;
    if (ended)
      break;
    if (!any_open(x))
      usleep(2000);
  }
  return ENDED;
}

static ww_status conclude(int report,
                          int ended,
                          const ww_buf *output,
                          ww_arena *a,
                          ww_emulated *out,
                          ww_err *e) {
  char text[256] = {0};
  int status = SIGKILL; /* when the keeper was killed before it could tell */
  ssize_t n = read(report, text, sizeof text - 1);
  const char *failed = n > 0 ? strchr(text, '!') : NULL;
  if (failed)
    return ww_fail(e, WW_EIO, "the program %s", failed + 1);
  if (read(ended, &status, sizeof status) != sizeof status)
    status = SIGKILL;
  out->exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  size_t skip = output->n > TAIL ? output->n - TAIL : 0;
  out->output = ww_strndup(a, output->s ? output->s + skip : "", output->n - skip);
  if (ww_ends(text, ", ")) /* one alone */
    text[strlen(text) - 2] = 0;
  out->weaker = n > 0 ? ww_strdup(a, text) : NULL;
  return WW_OK;
}

static void close_all(int *fd, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (fd[i] >= 0)
      close(fd[i]);
}

ww_status
ww_sandbox_run(const ww_sandbox *s, ww_arena *a, ww_emulated *out, ww_err *e) {
  int output_fd[2] = {-1, -1};
  int error_fd[2] = {-1, -1};
  int report[2] = {-1, -1};
  int ended[2] = {-1, -1};
  ww_buf output = {0};
  wiring w = {
      .in = open("/dev/null", O_RDONLY | O_CLOEXEC),
      .env = environment(s, a),
  };
  ww_status rc = WW_OK;
  pid_t keeper = -1;
  *out = (ww_emulated){0};
  if (w.in >= 0 && !pipe2(output_fd, O_CLOEXEC) && !pipe2(error_fd, O_CLOEXEC) &&
      !pipe2(report, O_CLOEXEC) && !pipe2(ended, O_CLOEXEC)) {
    w.out = output_fd[1];
    w.err = error_fd[1];
    w.report = report[1];
    keeper = fork_keeper(!s->off, &w.own_pids);
  }
  if (keeper == 0)
    keep(s, &w, ended[1]);
  int theirs[] = {output_fd[1], error_fd[1], report[1], ended[1], w.in};
  close_all(theirs, WW_COUNT(theirs));
  if (keeper < 0)
    rc = ww_fail(e, WW_EIO, "cannot start a process: %s", strerror(errno));
  if (!rc) {
    setpgid(keeper, keeper); /* whoever comes first */
    int listed = ww_cleanup_group(keeper);
    streams x = {.p = {{.fd = output_fd[0], .events = POLLIN},
                       {.fd = error_fd[0], .events = POLLIN}},
                 .show = s->show,
                 .output = &output};
    ending how = watch(s, keeper, &x);
    /* what is left of its group; the namespace ends with the keeper */
    kill(-keeper, SIGKILL);
    if (how != ENDED)
      while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR) {}
    ww_cleanup_forget(listed);
    out->timed_out = how == TOO_LONG;
    out->disk_full = how == TOO_MUCH;
    rc = conclude(report[0], ended[0], &output, a, out, e);
  }
  int ours[] = {output_fd[0], error_fd[0], report[0], ended[0]};
  close_all(ours, WW_COUNT(ours));
  ww_buf_free(&output);
  return rc;
}
