/* replay.c - runs inputs through their targets without libFuzzer, in any build: `replay
 * FOLDER` with the inputs of a target in the folder of its name, or `replay FOLDER
 * TARGET`. What is wrong ends it there; else one line, `N passed, 0 failed`.
 *
 * `replay FOLDER TARGET RUNS [FIRST]` runs changed inputs, by the target's own mutator,
 * without looking at what they reach: ten times as many in the same time. The number of
 * a run says what it does: one that ended it is run again alone by `RUNS` 1, which
 * writes its input to standard output first. */
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

/* ---- changed inputs ---- */

static uint32_t changing; /* the seed of the run */

size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max) {
  uint32_t many = 1 + fuzz_random(&changing, 4);
  for (uint32_t k = 0; n && k < many; k++)
    data[fuzz_random(&changing, n)] = (uint8_t)fuzz_random(&changing, 256);
  return n < max ? n : max;
}

typedef struct {
  uint8_t *bytes;
  size_t n;
} input;

static struct {
  input *v;
  uint32_t n, cap;
} inputs;
static uint64_t at_run;

static void tell_run(int signal_number) {
  char line[64];
  int n =
      snprintf(line, sizeof line, "run %llu ended it\n", (unsigned long long)at_run);
  if (write(STDERR_FILENO, line, n) < 0)
    _exit(3);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static int by_bytes(const void *a, const void *b) {
  const input *x = a;
  const input *y = b;
  size_t n = x->n < y->n ? x->n : y->n;
  int d = memcmp(x->bytes, y->bytes, n);
  return d ? d : (x->n > y->n) - (x->n < y->n);
}

static void read_inputs(const char *path, ww_arena *a) {
  DIR *d = opendir(path);
  for (struct dirent *f; d && (f = readdir(d));) {
    input in;
    if (f->d_name[0] != '.' && !ww_read_file(a, ww_path_join(a, path, f->d_name),
                                             1u << 24, (char **)&in.bytes, &in.n, NULL))
      ww_push(a, &inputs, in);
  }
  if (d)
    closedir(d);
  if (inputs.n) /* folders have no order */
    qsort(inputs.v, inputs.n, sizeof *inputs.v, by_bytes);
}

static bool run_changed(const fuzz_target *t, const char *path, uint64_t runs) {
  static const int ends[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
  ww_arena *a = ww_arena_new();
  read_inputs(path, a);
  for (size_t k = 0; k < WW_COUNT(ends); k++) {
    struct sigaction old;
    /* a sanitizer's own says more, and aborts in the end */
    if (!sigaction(ends[k], NULL, &old) && old.sa_handler == SIG_DFL)
      signal(ends[k], tell_run);
  }
  for (uint64_t end = at_run + runs; inputs.n && at_run < end; at_run++) {
    changing = (uint32_t)ww_hash(&at_run, sizeof at_run, 0);
    const input *in = &inputs.v[fuzz_random(&changing, inputs.n)];
    size_t max = in->n + 256;
    uint8_t *own = ww_xmalloc(max);
    size_t n = in->n;
    memcpy(own, in->bytes, n);
    for (uint32_t many = 1 + fuzz_random(&changing, 4); many; many--)
      n = t->mutate(own, n, max, fuzz_random(&changing, UINT32_MAX));
    uint8_t *exact = memcpy(ww_xmalloc(n), own, n);
    if (runs == 1) {
      fwrite(exact, 1, n, stdout);
      fflush(stdout);
    }
    alarm(60);
    t->run(exact, n);
    free(exact);
    free(own);
  }
  alarm(0);
  bool any = inputs.n;
  ww_arena_free(a);
  return any;
}

/* ---- inputs as they are ---- */

static bool replay_file(const fuzz_target *t, const char *path) {
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  char *bytes;
  size_t n;
  bool ok = !ww_read_file(a, path, 1u << 24, &bytes, &n, &e);
  if (ok) {
    uint8_t *own = ww_xmalloc(n); /* of its very size: a read beyond it is seen */
    memcpy(own, bytes, n);
    fprintf(stderr, "%s\n", path); /* the last one is the one that ended it */
    alarm(20);
    t->run(own, n);
    alarm(0);
    free(own);
  } else
    fprintf(stderr, "%s\n", e.msg);
  ww_arena_free(a);
  return ok;
}

static bool replay_folder(const fuzz_target *t, const char *path, uint32_t *passed) {
  DIR *d = opendir(path);
  bool ok = true;
  char file[1024];
  for (struct dirent *f; d && ok && (f = readdir(d));) {
    if (f->d_name[0] == '.')
      continue;
    snprintf(file, sizeof file, "%s/%s", path, f->d_name);
    ok = replay_file(t, file);
    *passed += ok;
  }
  if (d)
    closedir(d);
  return ok;
}

int main(int argc, char **argv) {
  uint32_t passed = 0;
  bool ok = argc >= 2 && argc <= 5;
  if (!ok)
    fprintf(stderr, "usage: replay FOLDER [TARGET [RUNS [FIRST]]]\n");
  if (argc == 3) {
    const fuzz_target *t = fuzz_target_named(argv[2]);
    ok = t && replay_folder(t, argv[1], &passed);
  }
  if (argc > 3) {
    const fuzz_target *t = fuzz_target_named(argv[2]);
    at_run = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
    passed = (uint32_t)strtoull(argv[3], NULL, 10);
    ok = t && run_changed(t, argv[1], passed);
  }
  for (const fuzz_target *t = fuzz_targets; argc == 2 && ok && t->name; t++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", argv[1], t->name);
    ok = replay_folder(t, path, &passed);
  }
  printf("%u passed, %d failed\n", passed, !ok);
  return !ok;
}
