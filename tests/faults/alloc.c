/* alloc.c - LD_PRELOAD: one allocation of our program fails, whoever asks for it: our
 * own code, cJSON, zstd, SQLite, LLVM, libc.
 *
 *   FAULT_PROGRAM  the program's path; others (compilers) are let be
 *   FAULT_STATE    a file of two 64-bit counters shared by all processes: allocations
 * so far, failures so far FAULT_AT       the allocation that fails; 0: none
 *
 * Counted from main() on, whose first act is to ask for SIGHUP's handler. What dlsym
 * needs before malloc is known comes from a small buffer. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static void (*real_free)(void *);
static int (*real_posix_memalign)(void **, size_t, size_t);
static void *(*real_aligned_alloc)(size_t, size_t);
static int (*real_sigaction)(int, const struct sigaction *, struct sigaction *);

static _Atomic uint64_t *state; /* NULL: not our program */
static uint64_t at;
static atomic_bool live;

static _Alignas(16) char early[8192];
static size_t early_used;

static void *from_early(size_t n) {
  void *p = early + early_used;
  early_used += (n + 15) & ~(size_t)15;
  if (early_used > sizeof early)
    abort();
  return p;
}

static bool is_early(const void *p) {
  return (const char *)p >= early && (const char *)p < early + sizeof early;
}

static void find_real(void) {
  static bool finding;
  if (real_free || finding)
    return;
  finding = true;
  real_malloc = dlsym(RTLD_NEXT, "malloc");
  real_calloc = dlsym(RTLD_NEXT, "calloc");
  real_realloc = dlsym(RTLD_NEXT, "realloc");
  real_posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  real_aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
  real_sigaction = dlsym(RTLD_NEXT, "sigaction");
  real_free = dlsym(RTLD_NEXT, "free");
  finding = false;
}

__attribute__((constructor)) static void begin(void) {
  const char *program = getenv("FAULT_PROGRAM"), *file = getenv("FAULT_STATE"),
             *which = getenv("FAULT_AT");
  struct stat ours, self;
  find_real();
  if (!program || !file || stat(program, &ours) || stat("/proc/self/exe", &self) ||
      ours.st_ino != self.st_ino || ours.st_dev != self.st_dev)
    return;
  int fd = open(file, O_RDWR | O_CLOEXEC);
  void *p =
      fd < 0 ? MAP_FAILED : mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0)
    close(fd);
  at = which ? strtoull(which, NULL, 10) : 0;
  if (p != MAP_FAILED)
    state = p;
}

static bool fails(void) {
  if (!atomic_load_explicit(&live, memory_order_relaxed) ||
      atomic_fetch_add(&state[0], 1) + 1 != at)
    return false;
  atomic_fetch_add(&state[1], 1);
  errno = ENOMEM;
  return true;
}

int sigaction(int number, const struct sigaction *act, struct sigaction *was) {
  find_real();
  if (state && number == SIGHUP)
    atomic_store(&live, true);
  return real_sigaction(number, act, was);
}

void *malloc(size_t n) {
  find_real();
  if (!real_malloc)
    return from_early(n);
  return fails() ? NULL : real_malloc(n);
}

void *calloc(size_t n, size_t each) {
  find_real();
  if (!real_calloc)
    return from_early(n * each);
  return fails() ? NULL : real_calloc(n, each);
}

void *realloc(void *p, size_t n) {
  find_real();
  if (is_early(p)) {
    void *q = malloc(n);
    if (q)
      memcpy(q, p,
             n < sizeof early - (size_t)((char *)p - early)
                 ? n
                 : sizeof early - (size_t)((char *)p - early));
    return q;
  }
  return fails() ? NULL : real_realloc(p, n);
}

void free(void *p) {
  find_real();
  if (p && !is_early(p))
    real_free(p);
}

int posix_memalign(void **p, size_t alignment, size_t n) {
  find_real();
  return fails() ? ENOMEM : real_posix_memalign(p, alignment, n);
}

void *aligned_alloc(size_t alignment, size_t n) {
  find_real();
  return fails() ? NULL : real_aligned_alloc(alignment, n);
}
