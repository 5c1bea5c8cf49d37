/* run_kernels.c - runs the triples of tests/kernels through the program and checks what
 * it says and leaves.
 *
 *   run_kernels PROGRAM [FOLDER] [--nvcc PATH] [--only SUBSTRING] [--jobs N]
 * [--verbose]
 *
 * For NAME.want: `PROGRAM trace FILE --launch NAME.launch --full --json --dump TMP`,
 * FILE being the spec's own "file". Every counter in "counts" must be equal; every
 * buffer and symbol must match the host reference in kernels/refs.c, bit for bit or
 * within "ulps" of its type (and below "abs" where sums cancel). One line per failure,
 * then a summary.
 *
 * With --nvcc: CUDA triples alone, and FILE is the PTX that nvcc makes of it. Counts of
 * what a library function does are another's there: "counts_of":"source" leaves them
 * out. */
#include "triple.h"

#include <pthread.h>
#include <stdlib.h>

#define MAX_JOBS 64

typedef struct {
  const char *program, *dir, *only, *nvcc;
  int jobs;
  bool verbose;
  char **names;
  uint32_t n, next, passed, failed, skipped;
  pthread_mutex_t lock; /* next, the counts and stdout */
} suite;

static void check_counts(triple *t, const cJSON *report) {
  const cJSON *counts = cJSON_GetObjectItemCaseSensitive(report, "counts"), *want;
  if (!counts)
    triple_fail(t, "the report has no \"counts\"");
  cJSON_ArrayForEach(want, cJSON_GetObjectItemCaseSensitive(t->want, "counts")) {
    const cJSON *got = cJSON_GetObjectItemCaseSensitive(counts, want->string);
    if (!got)
      triple_fail(t, "%s want %.0f got nothing", want->string, want->valuedouble);
    else if (got->valuedouble != want->valuedouble)
      triple_fail(t, "%s want %.0f got %.17g", want->string, want->valuedouble,
                  got->valuedouble);
  }
}

/* The source as PTX in the folder, which the triple's launch then names; false: nvcc
 * has not all of its headers. */
static bool compile(triple *t, const char *nvcc, const char *folder) {
  const char *out = ww_path_join(t->a, folder, "kernel.ptx");
  const char *argv[32] = {nvcc, "-ptx", "-arch=sm_90a", "-lineinfo", "-std=c++17",
                          "-o", out,    t->launch->file};
  uint32_t n = 8;
  ww_run_result run = {0};
  ww_err e = {0};
  for (uint32_t k = 0; k < t->launch->nflags && n < 30; k++)
    argv[n++] = t->launch->flags[k];
  ww_status st = ww_run(argv, NULL, 0, 120, &run, &e);
  bool known = st || !run.err.s || !strstr(run.err.s, "No such file");
  if (known && (st || run.exit_code))
    triple_fail(t, "nvcc: %.200s", run.err.s ? run.err.s : e.msg);
  t->launch->file = out;
  ww_run_free(&run);
  return known;
}

static bool counts_hold(const triple *t, const char *nvcc) {
  return !nvcc || !cJSON_GetObjectItemCaseSensitive(t->want, "counts_of");
}

/* False: it cannot be tested here. */
static bool check(triple *t, const char *program, const char *nvcc) {
  char dump[] = "/tmp/ww_kernels.XXXXXX";
  if (!mkdtemp(dump)) {
    triple_fail(t, "no folder for the dump in /tmp");
    return true;
  }
  bool can = !nvcc || compile(t, nvcc, dump);
  cJSON *report = t->lines.n || !can ? NULL : triple_trace(t, program, dump);
  if (report) {
    if (counts_hold(t, nvcc))
      check_counts(t, report);
    triple_check_reference(t, dump, NULL);
  }
  cJSON_Delete(report);
  triple_remove_dump(dump);
  return can;
}

static void run_one(suite *s, const char *name) {
  triple t;
  bool there = triple_open(&t, s->dir, name);
  if (there && s->nvcc && !ww_ends(t.launch->file, ".cu")) {
    triple_close(&t);
    return;
  }
  bool can = !there || check(&t, s->program, s->nvcc);
  bool ok = t.lines.n == 0;
  pthread_mutex_lock(&s->lock);
  s->passed += ok && can;
  s->failed += !ok;
  s->skipped += !can;
  if (!ok)
    fputs(t.lines.s, stdout);
  else if (s->verbose)
    printf("ok   %s\n", name);
  fflush(stdout);
  pthread_mutex_unlock(&s->lock);
  triple_close(&t);
}

static void *worker(void *arg) {
  suite *s = arg;
  for (;;) {
    pthread_mutex_lock(&s->lock);
    uint32_t i = s->next++;
    pthread_mutex_unlock(&s->lock);
    if (i >= s->n)
      return NULL;
    run_one(s, s->names[i]);
  }
}

static bool parse(suite *s, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      s->only = argv[++i];
    else if (strcmp(argv[i], "--nvcc") == 0 && i + 1 < argc)
      s->nvcc = argv[++i];
    else if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc)
      s->jobs = atoi(argv[++i]);
    else if (strcmp(argv[i], "--verbose") == 0)
      s->verbose = true;
    else if (argv[i][0] == '-')
      return false;
    else if (!s->program)
      s->program = argv[i];
    else
      s->dir = argv[i];
  }
  return s->program && s->jobs > 0 && s->jobs <= MAX_JOBS;
}

int main(int argc, char **argv) {
  suite s = {.dir = "tests/kernels", .jobs = 2, .lock = PTHREAD_MUTEX_INITIALIZER};
  if (!parse(&s, argc, argv)) {
    fprintf(stderr,
            "usage: %s PROGRAM [FOLDER] [--nvcc PATH] [--only SUBSTRING] [--jobs N] "
            "[--verbose]\n",
            argv[0]);
    return 2;
  }
  s.names = triple_names(s.dir, "", s.only, &s.n);
  pthread_t threads[MAX_JOBS];
  int started = 0;
  while (started < s.jobs - 1 &&
         pthread_create(&threads[started], NULL, worker, &s) == 0)
    started++;
  worker(&s);
  while (started > 0)
    pthread_join(threads[--started], NULL);
  printf("%u passed, %u failed, %u skipped\n", s.passed, s.failed, s.skipped);
  triple_names_free(s.names, s.n);
  return s.failed || s.n == 0;
}
