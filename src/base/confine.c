/* confine.c - Landlock rules and a seccomp filter for the calling process.
 *
 * Landlock covers what is done to files by name; what it does not cover (modes, owners,
 * times, attributes, and truncation before its version 3) the filter refuses. The
 * filter is a list of what is allowed: a system call that is new tomorrow is refused.
 * Invariant: only system calls between entry and return, no allocation, no lock, no
 * errno kept. */
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- files: Landlock, by numbers, as the C library has no functions for it ---- */

#define LANDLOCK_CREATE 444
#define LANDLOCK_ADD 445
#define LANDLOCK_RESTRICT 446
#define ASK_VERSION 1u
#define RULE_PATH_BENEATH 1

#define EXECUTE 0x1ull
#define WRITE_FILE 0x2ull
#define READ_FILE 0x4ull
#define READ_FOLDER 0x8ull
#define MAKE_AND_REMOVE 0x1ff0ull
#define REFER 0x2000ull        /* version 2: links and renames between folders */
#define TRUNCATE 0x4000ull     /* version 3 */
#define IOCTL_DEVICE 0x8000ull /* version 5 */
#define ON_FILES                                 \
  (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | \
   IOCTL_DEVICE) /* what a rule about one file may name */
#define READING (READ_FILE | READ_FOLDER)
#define CHANGING (READING | WRITE_FILE | MAKE_AND_REMOVE | REFER | TRUNCATE)
#define NETWORK 3ull /* version 4: bind and connect */
#define SCOPES 3ull  /* version 6: abstract sockets of others, signals to others */

typedef struct {
  uint64_t files, network, scopes;
} ruleset;

typedef struct {
  uint64_t allowed;
  int32_t folder;
} __attribute__((packed)) rule;

static long landlock_version(void) {
  return syscall(LANDLOCK_CREATE, NULL, 0, ASK_VERSION);
}

/* What this kernel's Landlock can refuse, of what we want refused. */
static uint64_t known_to(long version) {
  uint64_t all = EXECUTE | CHANGING | IOCTL_DEVICE;
  return all & ~((version < 2 ? REFER : 0) | (version < 3 ? TRUNCATE : 0) |
                 (version < 5 ? IOCTL_DEVICE : 0));
}

static void allow(int rules, const char *path, uint64_t what) {
  struct stat st;
  int fd = open(path, O_PATH | O_CLOEXEC);
  if (fd < 0)
    return;
  if (!fstat(fd, &st) && !S_ISDIR(st.st_mode))
    what &= ON_FILES;
  rule r = {what, fd};
  if (what)
    syscall(LANDLOCK_ADD, rules, RULE_PATH_BENEATH, &r, 0);
  close(fd);
}

static void allow_all(int rules, const char *const *paths, uint64_t what) {
  for (; paths && *paths; paths++)
    allow(rules, *paths, what);
}

/* What any program needs to start and to ask about its machine: its libraries, the
 * loader's tables, its own entry of /proc. */
static const char *const system_files[] = {"/usr",
                                           "/lib",
                                           "/lib32",
                                           "/lib64",
                                           "/bin",
                                           "/etc/alternatives",
                                           "/etc/ld.so.cache",
                                           "/etc/localtime",
                                           "/proc/self",
                                           "/proc/cpuinfo",
                                           "/proc/meminfo",
                                           "/proc/stat",
                                           "/proc/sys/vm/overcommit_memory",
                                           "/sys/devices/system",
                                           "/sys/kernel/mm/transparent_hugepage",
                                           "/dev/random",
                                           "/dev/urandom",
                                           NULL};
static const char *const sinks[] = {
    "/dev/null", NULL}; /* not /dev/zero: to read it as a file takes all memory */
/* A program that is linked dynamically is started by one of these. */
static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2",
                                      "/lib/ld-linux-aarch64.so.1", NULL};

static bool confine_files(const ww_confine *c) {
  long version = landlock_version();
  if (version < 1)
    return false;
  uint64_t all = known_to(version);
  if (!c->read)
    all &= ~READING;
  ruleset r = {all, version >= 4 ? NETWORK : 0, version >= 6 ? SCOPES : 0};
  size_t size = version >= 6   ? sizeof r
                : version >= 4 ? 2 * sizeof(uint64_t)
                               : sizeof(uint64_t);
  int rules = syscall(LANDLOCK_CREATE, &r, size, 0);
  if (rules < 0)
    return false;
  if (c->read) {
    allow_all(rules, system_files, all & READING);
    allow_all(rules, c->read, all & READING);
  }
  allow_all(rules, sinks, all & (READ_FILE | WRITE_FILE | TRUNCATE));
  allow_all(rules, c->write, all & CHANGING);
  allow_all(rules, c->run, all & (READING | EXECUTE));
  if (c->run)
    allow_all(rules, loaders, all & (READ_FILE | EXECUTE));
  bool ok = !syscall(LANDLOCK_RESTRICT, rules, 0);
  close(rules);
  return ok;
}

/* ---- system calls ---- */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef ARCH

static const int allowed[] = {
#define CALL(name) SYS_##name,
#include "confine_calls.def"
#undef CALL
};
/* What the C library tries first and does without: for these the answer is that the
 * kernel is older. */
static const int absent[] = {SYS_clone3, SYS_openat2, SYS_io_uring_setup};

enum {
  NALLOWED = sizeof allowed / sizeof *allowed,
  NABSENT = sizeof absent / sizeof *absent
};
enum { LENGTH = 2 * (NALLOWED + NABSENT) + 128 };

#define ENTERS_NAMESPACE                                                      \
  (CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | \
   CLONE_NEWUTS | CLONE_NEWCGROUP)

typedef struct {
  struct sock_filter f[LENGTH];
  unsigned short n;
} filter;

static void put(filter *x, unsigned code, unsigned k, unsigned yes, unsigned no) {
  x->f[x->n++] = (struct sock_filter){(unsigned short)code, yes, no, k};
}
static void load(filter *x, size_t at) {
  put(x, BPF_LD | BPF_W | BPF_ABS, at, 0, 0);
}
static void answer(filter *x, unsigned what) {
  put(x, BPF_RET | BPF_K, what, 0, 0);
}
static void permit(filter *x) {
  answer(x, SECCOMP_RET_ALLOW);
}
static void refuse(filter *x) {
  answer(x, SECCOMP_RET_ERRNO | EPERM);
}
/* Jumps `no` instructions ahead unless what is loaded equals k. */
static void unless_equal(filter *x, unsigned k, unsigned no) {
  put(x, BPF_JMP | BPF_JEQ | BPF_K, k, 0, no);
}
static void when_any_bit(filter *x, unsigned bits, unsigned yes) {
  put(x, BPF_JMP | BPF_JSET | BPF_K, bits, yes, 0);
}

/* of an argument: both architectures store it first */
static size_t low_half(int argument) {
  return offsetof(struct seccomp_data, args) + sizeof(uint64_t) * argument;
}

/* A call that is allowed, or refused, when one of its arguments is one of n values. */
static void by_argument(filter *x,
                        bool allowed_then,
                        int call,
                        int argument,
                        const unsigned *values,
                        unsigned n) {
  unless_equal(x, call, 2 + 2 * n);
  load(x, low_half(argument));
  for (unsigned i = 0; i < n; i++) {
    unless_equal(x, values[i], 1);
    (allowed_then ? permit : refuse)(x);
  }
  (allowed_then ? refuse : permit)(x);
}

static void plain(filter *x, int call) {
  unless_equal(x, call, 1);
  permit(x);
}

/* Opening may not truncate what is opened for reading alone: before version 3 Landlock
 * does not look. */
static void opening(filter *x, int call, int flags) {
  unless_equal(x, call, 5);
  load(x, low_half(flags));
  put(x, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE | O_TRUNC, 0, 0);
  unless_equal(x, O_TRUNC | O_RDONLY, 1);
  refuse(x);
  permit(x);
}

/* Threads always, processes where they may be, namespaces never. */
static void cloning(filter *x, bool processes) {
  unless_equal(x, SYS_clone, processes ? 4 : 5);
  load(x, low_half(0));
  when_any_bit(x, ENTERS_NAMESPACE, 1);
  if (processes) {
    permit(x);
    refuse(x);
    return;
  }
  when_any_bit(x, CLONE_THREAD, 1);
  refuse(x);
  permit(x);
}

static void about_processes(filter *x, const ww_confine *c) {
  unsigned self[] = {getpid(), 0};
  cloning(x, c->processes);
#ifdef __x86_64__
  if (c->processes) {
    plain(x, SYS_fork);
    plain(x, SYS_vfork);
  }
#endif
  if (c->own_pids) {
    plain(x, SYS_kill);
    plain(x, SYS_tgkill);
    return;
  }
  by_argument(x, true, SYS_kill, 0, self, 2);
  by_argument(x, true, SYS_tgkill, 0, self, 1);
}

static void about_arguments(filter *x) {
  static const unsigned terminals[] = {TCGETS,  TIOCGWINSZ, FIONREAD,
                                       FIOCLEX, FIONCLEX,   FIONBIO};
  static const unsigned names[] = {PR_SET_NAME, PR_GET_NAME,
                                   0x53564d41 /* PR_SET_VMA: names of memory */};
  static const unsigned owners[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE,
                                    F_NOTIFY}; /* send signals */
  static const unsigned self[] = {0};
  by_argument(x, true, SYS_ioctl, 1, terminals, sizeof terminals / sizeof *terminals);
  by_argument(x, true, SYS_prctl, 0, names, sizeof names / sizeof *names);
  by_argument(x, true, SYS_prlimit64, 0, self, 1);
  by_argument(x, false, SYS_fcntl, 1, owners, sizeof owners / sizeof *owners);
  opening(x, SYS_openat, 2);
#ifdef __x86_64__
  opening(x, SYS_open, 1);
  plain(x, SYS_creat);
#endif
}

static bool filter_calls(const ww_confine *c) {
  filter x = {.n = 0};
  load(&x, offsetof(struct seccomp_data, arch));
  put(&x, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
  answer(&x, SECCOMP_RET_KILL_PROCESS);
  load(&x, offsetof(struct seccomp_data, nr));
  for (int i = 0; i < NALLOWED; i++)
    plain(&x, allowed[i]);
  for (int i = 0; i < NABSENT; i++) {
    unless_equal(&x, absent[i], 1);
    answer(&x, SECCOMP_RET_ERRNO | ENOSYS);
  }
  about_processes(&x, c);
  about_arguments(&x);
  refuse(&x); /* also the numbers of x86's x32 */
  struct sock_fprog p = {.len = x.n, .filter = x.f};
  return !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p, 0, 0);
}

static bool can_filter(void) {
  unsigned action = SECCOMP_RET_ERRNO;
  return !syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
}

#else /* an architecture whose numbers are not listed */

static bool filter_calls(const ww_confine *c) {
  (void)c;
  return false;
}
static bool can_filter(void) {
  return false;
}

#endif

/* ---- both ---- */

static const char *told(bool files, bool calls) {
  static const char *const words[] = {"files (Landlock) and system calls (seccomp)",
                                      "system calls (seccomp)", "files (Landlock)",
                                      NULL};
  return words[(files ? 1 : 0) + (calls ? 2 : 0)];
}

const char *ww_confine_self(const ww_confine *c) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  bool files = confine_files(c), calls = filter_calls(c);
  return told(files, calls);
}

void ww_confine_wholly(void) {
  for (char **v = environ; *v; v++)
    memset(*v, 0, strlen(*v));
  ww_confine_self(&(ww_confine){.read = (const char *const[]){NULL}});
}

const char *ww_confine_missing(void) {
  return told(landlock_version() >= 1, can_filter());
}
