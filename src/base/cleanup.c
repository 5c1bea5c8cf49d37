/* cleanup.c - what must not outlive the program: temporary files, scratch folders,
 * children.
 *
 * A fixed table, so that a signal handler can read it: INT, TERM and HUP end the
 * children that are listed and take the files away, then end the program by the same
 * signal. Memory that is out does the same. A process cleans up what it listed itself:
 * what a fork has inherited stays its parent's. A full table only means that a name is
 * not looked after. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base.h"

enum { SLOTS = 512, DEPTH = 32, TRIES = 40 };
enum { FREE, TAKEN, A_FILE, A_TREE, A_GROUP, A_PROCESS };

static struct {
  atomic_int kind;
  pid_t owner, child;
  char path[PATH_MAX];
} table[SLOTS];
static atomic_bool guarded;
static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

/* ---- the list ---- */

static int take(int kind, const char *path, pid_t child) {
  if (path && strlen(path) >= PATH_MAX)
    return -1;
  for (int k = 0; k < SLOTS; k++) {
    int none = FREE;
    if (!atomic_compare_exchange_strong(&table[k].kind, &none, TAKEN))
      continue;
    table[k].owner = getpid();
    table[k].child = child;
    if (path)
      strcpy(table[k].path, path);
    atomic_store(&table[k].kind, kind);
    return k;
  }
  return -1;
}

int ww_cleanup_file(const char *path) {
  return take(A_FILE, path, 0);
}
int ww_cleanup_tree(const char *path) {
  return take(A_TREE, path, 0);
}
int ww_cleanup_group(pid_t leader) {
  return take(A_GROUP, NULL, leader);
}
int ww_cleanup_process(pid_t pid) {
  return take(A_PROCESS, NULL, pid);
}

void ww_cleanup_forget(int slot) {
  if (slot >= 0 && table[slot].owner == getpid())
    atomic_store(&table[slot].kind, FREE);
}

/* No signal may come between the file and its place in the list. */
static void hold(sigset_t *before) {
  sigset_t set;
  sigemptyset(&set);
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
    sigaddset(&set, ends[k]);
  pthread_sigmask(SIG_BLOCK, &set, before);
}

static void release(const sigset_t *before) {
  int why = errno;
  pthread_sigmask(SIG_SETMASK, before, NULL);
  errno = why;
}

/* mkostemp with the mode of an ordinary file: a confined process may not change modes
 * later. */
static int make_file(char *name) {
  char *tail = name + strlen(name) - 6;
  for (int k = 0; k < TRIES; k++) {
    uint64_t bits = 0;
    if (getrandom(&bits, sizeof bits, 0) != sizeof bits)
      return -1;
    for (int i = 0; i < 6; i++, bits /= 36)
      tail[i] = "0123456789abcdefghijklmnopqrstuvwxyz"[bits % 36];
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

int ww_temp_file(char *name, int *slot) {
  sigset_t before;
  hold(&before);
  int fd = make_file(name);
  *slot = fd < 0 ? -1 : ww_cleanup_file(name);
  release(&before);
  return fd;
}

bool ww_temp_folder(char *name, int *slot) {
  sigset_t before;
  hold(&before);
  bool made = mkdtemp(name);
  *slot = made ? ww_cleanup_tree(name) : -1;
  release(&before);
  return made;
}

/* The parent may be gone before the child could ask for the signal. */
pid_t ww_fork(void) {
  pid_t parent = getpid();
  pid_t pid = fork();
  if (!pid && (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent))
    _exit(0);
  return pid;
}

/* ---- taking away; only calls that a signal handler may make ---- */

struct entry { /* as the kernel writes it */
  uint64_t inode;
  int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[];
};

static void empty(int folder, int depth) {
  _Alignas(16) char some[4096];
  long n;
  while ((n = syscall(SYS_getdents64, folder, some, sizeof some)) > 0)
    for (long at = 0; at < n; at += ((struct entry *)(some + at))->length) {
      const char *name = ((struct entry *)(some + at))->name;
      if (!strcmp(name, ".") || !strcmp(name, "..") || !unlinkat(folder, name, 0))
        continue;
      int below =
          depth < DEPTH
              ? openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
              : -1;
      if (below >= 0) {
        empty(below, depth + 1);
        close(below);
      }
      unlinkat(folder, name, AT_REMOVEDIR);
    }
}

bool ww_remove_tree(const char *path) {
  for (int k = 0; k < TRIES; k++) { /* a child that is just ending may still write */
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) {
      empty(folder, 0);
      close(folder);
    }
    if (!rmdir(path) || errno == ENOENT)
      return true;
    if (errno != ENOTEMPTY && errno != EEXIST)
      return false;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  return false;
}

void ww_cleanup_now(void) {
  pid_t self = getpid();
  for (int pass = 0; pass < 2; pass++) /* who writes first */
    for (int k = 0; k < SLOTS; k++) {
      int kind = table[k].owner == self ? atomic_load(&table[k].kind) : FREE;
      if (!pass && kind == A_GROUP)
        kill(-table[k].child, SIGKILL);
      if (!pass && kind == A_PROCESS)
        kill(table[k].child, SIGTERM);
      if (pass && kind == A_FILE)
        unlink(table[k].path);
      if (pass && kind == A_TREE)
        ww_remove_tree(table[k].path);
    }
}

/* ---- ends ---- */

void ww_end_by_signal(int number) {
  sigset_t one;
  ww_cleanup_now();
  signal(number, SIG_DFL);
  sigemptyset(&one);
  sigaddset(&one, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  _exit(128 + number);
}

void ww_end_on_signals(void) {
  struct sigaction end = {.sa_handler = ww_end_by_signal};
  struct sigaction was;
  atomic_store(&guarded, true);
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) /* nohup's choice stays */
    if (!sigaction(ends[k], NULL, &was) && was.sa_handler != SIG_IGN)
      sigaction(ends[k], &end, NULL);
}

void ww_out_of_memory(size_t bytes) {
  char text[96];
  int n = bytes ? snprintf(text, sizeof text,
                           "warpwise: out of memory (%zu bytes asked for)\n", bytes)
                : snprintf(text, sizeof text, "warpwise: out of memory\n");
  /* stdio may want memory too */
  ssize_t ignored = n > 0 ? write(STDERR_FILENO, text, n) : 0;
  (void)ignored;
  if (!atomic_load(&guarded))
    abort(); /* in somebody else's program: theirs to look at */
  ww_cleanup_now();
  _exit(ww_exit_code(WW_ELIMIT));
}
