/* sandbox.c - runs somebody's program so that it can do little harm: no new privileges, no network, no tracing or mounting, no
 * writing outside its scratch folder, limits on memory, file sizes and time.
 *
 * The filter of system calls and the rules for files (Landlock) are set by the child on itself, right before it becomes the
 * program. Where the kernel has no Landlock, writing is kept off only by where the program runs; the result says so. The
 * child leads its own process group, which is killed when the time is up and when the program has ended. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulate_int.h"

#define TAIL (64u << 10) /* bytes of output kept */

extern char **environ;

/* ---- system calls ---- */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

static const int refused[] = {
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_reboot,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_unshare,
    SYS_setns,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_userfaultfd,
    SYS_open_by_handle_at,
    SYS_swapon,
    SYS_swapoff,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_acct,
    SYS_quotactl,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_io_uring_setup,
    SYS_move_pages,
    SYS_migrate_pages,
    SYS_fanotify_init,
    SYS_syslog,
    SYS_vhangup,
    SYS_personality,
#if defined(__x86_64__)
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};
enum { NREFUSED = sizeof refused / sizeof *refused };

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, (what))
#define IF(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), (yes), (no))

/* Signals go to the program itself or its group, nowhere else. */
static uint32_t signal_rule(struct sock_filter *f, int call, pid_t self) {
  const struct sock_filter rule[] = {
      IF(call, 0, 5),           LOAD(args[0]), IF(self, 2, 0), IF(0, 1, 0), ANSWER(SECCOMP_RET_ERRNO | EPERM),
      ANSWER(SECCOMP_RET_ALLOW)};
  memcpy(f, rule, sizeof rule);
  return sizeof rule / sizeof *rule;
}

static bool filter_calls(void) {
#ifdef ARCH
  struct sock_filter f[2 * NREFUSED + 32];
  uint32_t n = 0;
  f[n++] = (struct sock_filter)LOAD(arch);
  f[n++] = (struct sock_filter)IF(ARCH, 1, 0);
  f[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_KILL_PROCESS);
  f[n++] = (struct sock_filter)LOAD(nr);
#if defined(__x86_64__)
  f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1); /* the x32 numbers */
  f[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | EPERM);
#endif
  for (uint32_t i = 0; i < NREFUSED; i++) {
    f[n++] = (struct sock_filter)IF(refused[i], 0, 1);
    f[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | EPERM);
  }
  n += signal_rule(f + n, SYS_kill, getpid());
  n += signal_rule(f + n, SYS_tgkill, getpid());
  f[n++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
  struct sock_fprog p = {.len = (unsigned short)n, .filter = f};
  return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p, 0, 0);
#else
  return false;
#endif
}

/* ---- files: Landlock, by numbers, as the C library has no functions for it ---- */

#define LANDLOCK_CREATE 444
#define LANDLOCK_ADD 445
#define LANDLOCK_RESTRICT 446
#define CHANGE_FILES 0x1ff2ull /* write, remove, make of every sort */
#define REFER 0x2000ull        /* version 2 */
#define TRUNCATE 0x4000ull     /* version 3 */
#define WRITE_FILE 2ull

struct ruleset {
  uint64_t files, net; /* net from version 4 on: bind and connect */
};
struct beneath {
  uint64_t allowed;
  int32_t fd;
} __attribute__((packed));

static bool allow(int rules, const char *path, uint64_t what) {
  struct beneath b = {.allowed = what, .fd = open(path, O_PATH | O_CLOEXEC)};
  bool ok = b.fd >= 0 && !syscall(LANDLOCK_ADD, rules, 1, &b, 0);
  if (b.fd >= 0) close(b.fd);
  return ok;
}

static bool confine_files(const char *writable) {
  long version = syscall(LANDLOCK_CREATE, NULL, 0, 1);
  if (version < 1) return false;
  uint64_t all = CHANGE_FILES | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
  uint64_t file = all & (WRITE_FILE | TRUNCATE);
  struct ruleset r = {.files = all, .net = version >= 4 ? 3 : 0};
  int rules = (int)syscall(LANDLOCK_CREATE, &r, version >= 4 ? 16 : 8, 0);
  bool ok = rules >= 0 && allow(rules, writable, all);
  allow(rules, "/dev/null", file);
  allow(rules, "/dev/zero", file);
  ok = ok && !syscall(LANDLOCK_RESTRICT, rules, 0);
  if (rules >= 0) close(rules);
  return ok;
}

/* ---- the child ---- */

#define CLOSE_RANGE 436
#define CLOSE_ON_EXEC 4u

static void limit(int what, uint64_t value) {
  struct rlimit r;
  if (getrlimit((__rlimit_resource_t)what, &r)) return;
  if (r.rlim_max == RLIM_INFINITY || value < r.rlim_max) r.rlim_max = value;
  r.rlim_cur = r.rlim_max;
  setrlimit((__rlimit_resource_t)what, &r);
}

static void set_limits(const ww_sandbox *s) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_AS, s->memory + (1ull << 30));
  limit(RLIMIT_CPU,
        (uint64_t)(64 * s->limit_s) + 1); /* threads add up; the clock on the wall is the parent's business */
  limit(RLIMIT_FSIZE, 4ull << 30);
  limit(RLIMIT_NPROC, 4096);
}

static void say(int fd, const char *text) {
  if (write(fd, text, strlen(text)) < 0) return;
}

/* Only what is safe between fork and exec. Lines to `report`: '!' the program could not be started, else what is missing. */
static void become(const ww_sandbox *s, char *const *env, int in, int out, int report) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* it does not outlive the one who would stop it */
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  signal(SIGPIPE, SIG_DFL);
  syscall(CLOSE_RANGE, 3u, ~0u, CLOSE_ON_EXEC); /* what this process has open is none of its business */
  if (chdir(s->cwd)) {
    say(report, "!cannot enter its working folder");
    _exit(127);
  }
  set_limits(s);
  if (!s->off) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!confine_files(s->writable)) say(report, "files (Landlock)");
    if (!filter_calls()) say(report, " system calls (seccomp)");
  }
  execve(s->argv[0], (char *const *)s->argv, env);
  say(report, "!cannot be started");
  _exit(127);
}

/* ---- the parent ---- */

static char *const *environment(const char *const *over, ww_arena *a) {
  WW_VEC(char *) v = {0};
  for (char **p = environ; *p; p++) {
    bool replaced = false;
    for (const char *const *o = over; *o && !replaced; o++) {
      size_t n = strcspn(*o, "=") + 1;
      replaced = !strncmp(*p, *o, n);
    }
    if (!replaced) ww_push(a, &v, *p);
  }
  for (const char *const *o = over; *o; o++) ww_push(a, &v, (char *)*o);
  ww_push(a, &v, NULL);
  return v.v;
}

static void keep_tail(ww_buf *b) {
  if (b->n <= 2 * TAIL) return;
  memmove(b->s, b->s + b->n - TAIL, TAIL);
  b->n = TAIL;
  b->s[b->n] = 0;
}

/* Reads until the program has ended or its time is up. A grandchild may hold the pipe longer: it is not waited for. */
static bool watch(pid_t pid, int fd, double deadline, ww_buf *output, int *status) {
  struct pollfd p = {.fd = fd, .events = POLLIN};
  char chunk[65536];
  bool ended = false;
  while (!ended || p.fd >= 0) {
    if (!ended) ended = waitpid(pid, status, WNOHANG) == pid;
    if (ww_now() > deadline && !ended) return false;
    int ready = poll(&p, 1, ended ? 0 : 20);
    if (ready <= 0) {
      if (ended) break;
      if (p.fd < 0) usleep(2000);
      continue;
    }
    ssize_t n = read(fd, chunk, sizeof chunk);
    if (n <= 0) p.fd = -1;
    if (n > 0) ww_buf_add(output, chunk, (size_t)n);
    keep_tail(output);
  }
  return true;
}

static ww_status conclude(int report, int status, const ww_buf *output, ww_arena *a, ww_sandboxed *out, ww_err *e) {
  char text[256] = {0};
  ssize_t n = read(report, text, sizeof text - 1);
  const char *failed = n > 0 ? strchr(text, '!') : NULL;
  if (failed) return ww_fail(e, WW_EIO, "the program %s", failed + 1);
  out->exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  size_t skip = output->n > TAIL ? output->n - TAIL : 0;
  out->output = ww_strndup(a, output->s ? output->s + skip : "", output->n - skip);
  out->weaker = n > 0 ? ww_strdup(a, text) : NULL;
  return WW_OK;
}

ww_status ww_sandbox_run(const ww_sandbox *s, ww_arena *a, ww_sandboxed *out, ww_err *e) {
  int pipes[2] = {-1, -1}, report[2] = {-1, -1}, in = open("/dev/null", O_RDONLY | O_CLOEXEC), status = 0;
  ww_buf output = {0};
  *out = (ww_sandboxed){0};
  char *const *env = environment(s->env, a);
  ww_status rc = WW_OK;
  pid_t pid = -1;
  if (in >= 0 && !pipe2(pipes, O_CLOEXEC) && !pipe2(report, O_CLOEXEC)) {
    fflush(NULL);
    pid = fork();
  }
  if (pid == 0) become(s, env, in, pipes[1], report[1]);
  if (pipes[1] >= 0) close(pipes[1]);
  if (report[1] >= 0) close(report[1]);
  if (pid < 0) rc = ww_fail(e, WW_EIO, "cannot start a process: %s", strerror(errno));
  if (rc == WW_OK) {
    out->timed_out = !watch(pid, pipes[0], ww_now() + s->limit_s, &output, &status);
    kill(-pid, SIGKILL); /* what it left behind, too; the program itself is reaped or in that group */
    if (out->timed_out)
      while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    rc = conclude(report[0], status, &output, a, out, e);
  }
  if (in >= 0) close(in);
  if (pipes[0] >= 0) close(pipes[0]);
  if (report[0] >= 0) close(report[0]);
  ww_buf_free(&output);
  return rc;
}
