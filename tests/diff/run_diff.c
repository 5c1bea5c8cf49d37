/* run_diff.c - the interpreter against a device over generated kernels: options, worker processes,
 * rows, the sum.
 *
 *   run_diff cuda|opencl [--grammar V] [--seed S] [--first K] [--count N] [--jobs J] [--batch B]
 *            [--rows FILE] [--prepare | --compile | --spoil] [--verbose]
 *
 * Kernels are those of `warpwise dataset generate` with the same numbers. Work is done in child
 * processes, a batch at a time, so that a kernel that ends its process costs its own row.
 * --prepare only makes the IR (WARPWISE_IR names its folder), --compile also compiles for the
 * device and interprets, without running there. Rows are JSON, one a line. Exit 0: nothing that is
 * not explained; 1: something is; 4: no device. */
#include "diff.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_JOBS 64
#define MOST_BATCH 256
#define SECONDS 300 /* without a step forward: the process is ended */

typedef struct {
  const diff_backend *backend;
  uint32_t grammar, first, count, jobs, batch;
  uint64_t seed;
  const char *rows;
  bool prepare, compile, spoil, verbose;
} options;

/* What the processes share. */
typedef struct {
  uint32_t batch, kernel; /* in hand */
  bool busy;
  bool skip[MOST_BATCH]; /* of that batch: ended a process before */
} seat;
typedef struct {
  _Atomic uint32_t next; /* batch */
  _Atomic uint32_t class[DIFF_NCLASSES];
  _Atomic bool no_device;
  char device[160];
  seat seats[MOST_JOBS];
} board;

typedef struct {
  options o;
  board *b;
  diff_number *numbers;
  uint32_t batches, seat;
  FILE *rows;
} session;

/* ---- a worker ---- */

static void at(void *ctx, uint32_t kernel) {
  session *s = ctx;
  s->b->seats[s->seat].kernel = kernel;
  alarm(SECONDS);
}

static bool skip(void *ctx, uint32_t kernel, const char **why) {
  session *s = ctx;
  *why = "it ended the process that ran it";
  return s->b->seats[s->seat].skip[kernel];
}

static bool bad(diff_class c) {
  return c == CLASS_FAR || c == CLASS_ORDER_FAR || c == CLASS_REFUSED || c == CLASS_DEVICE;
}

static void row(void *ctx, const diff_kernel *k, diff_class c, const char *json) {
  session *s = ctx;
  (void)k;
  s->b->class[c]++;
  if (s->rows)
    fprintf(s->rows, "%s\n", json);
  if (bad(c) || s->o.verbose)
    printf("%s\n", json);
}

static uint32_t batch_size(const session *s, uint32_t batch) {
  uint32_t left = s->o.count - batch * s->o.batch;
  return left < s->o.batch ? left : s->o.batch;
}

static ww_status one_batch(session *s, const diff_judge *j, uint32_t batch, ww_err *e) {
  const diff_number *numbers = s->numbers + (size_t)batch * s->o.batch;
  uint32_t n = batch_size(s, batch);
  ww_status st = s->o.prepare ? diff_prepare(numbers, n, s->o.backend->dialect, e)
                              : diff_batch(j, numbers, n, e);
  if (s->rows)
    fflush(s->rows);
  fflush(stdout);
  return st;
}

static void open_rows(session *s) {
  char path[4096];
  if (!s->o.rows)
    return;
  snprintf(path, sizeof path, "%s.%u", s->o.rows, s->seat);
  s->rows = fopen(path, "a");
}

/* From the batch in hand, where a process before was ended in the midst of it, to the end. */
static int work(session *s) {
  ww_arena *a = ww_arena_new();
  seat *me = &s->b->seats[s->seat];
  diff_judge j = {.backend = s->o.backend,
                  .run = !s->o.compile,
                  .spoil = s->o.spoil,
                  .at = at,
                  .skip = skip,
                  .row = row,
                  .ctx = s};
  ww_err e = {0};
  open_rows(s);
  if (!s->o.prepare && s->o.backend->open(j.run, a, &j.device, &e)) {
    s->b->no_device = true;
    snprintf(s->b->device, sizeof s->b->device, "%.150s", e.msg);
    return 4;
  }
  if (!s->o.prepare)
    snprintf(s->b->device, sizeof s->b->device, "%.150s", s->o.backend->describe(j.device));
  for (;; me->busy = false, memset(me->skip, 0, sizeof me->skip)) {
    if (!me->busy)
      me->batch = s->b->next++;
    if (me->batch >= s->batches)
      break;
    me->busy = true;
    ww_status st = one_batch(s, &j, me->batch, &e);
    if (!st)
      continue;
    fprintf(stderr, "run_diff: batch %u: %s\n", me->batch, e.msg);
    s->b->class[CLASS_REFUSED] += batch_size(s, me->batch);
  }
  if (!s->o.prepare)
    s->o.backend->close(j.device);
  if (s->rows)
    fclose(s->rows);
  ww_arena_free(a);
  return 0;
}

/* ---- the parent ---- */

static pid_t start(session *s, uint32_t who) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid)
    return pid;
  s->seat = who;
  int rc = work(s);
  fflush(NULL);
  _exit(rc);
}

/* A process that was ended had a kernel in hand, which is left out by the next one. */
static bool go_on(session *s, uint32_t who, int status) {
  seat *me = &s->b->seats[who];
  if (WIFEXITED(status) || !me->busy)
    return false;
  fprintf(stderr, "run_diff: signal %d at kernel %u of batch %u\n", WTERMSIG(status), me->kernel,
          me->batch);
  me->skip[me->kernel] = true;
  return true;
}

static void run_all(session *s) {
  pid_t pids[MOST_JOBS];
  uint32_t alive = 0;
  for (uint32_t i = 0; i < s->o.jobs; i++)
    alive += (pids[i] = start(s, i)) > 0;
  while (alive) {
    int status;
    pid_t pid = wait(&status);
    if (pid < 0)
      return;
    for (uint32_t i = 0; i < s->o.jobs; i++) {
      if (pids[i] != pid)
        continue;
      alive--;
      pids[i] = 0;
      if (go_on(s, i, status))
        alive += (pids[i] = start(s, i)) > 0;
    }
  }
}

/* The rows of all processes into one file. */
static void merge_rows(const session *s) {
  FILE *out = s->o.rows ? fopen(s->o.rows, "w") : NULL;
  for (uint32_t i = 0; out && i < s->o.jobs; i++) {
    char path[4096], chunk[65536];
    size_t n;
    snprintf(path, sizeof path, "%s.%u", s->o.rows, i);
    FILE *in = fopen(path, "r");
    while (in && (n = fread(chunk, 1, sizeof chunk, in)) > 0)
      fwrite(chunk, 1, n, out);
    if (in)
      fclose(in);
    unlink(path);
  }
  if (out)
    fclose(out);
}

static ww_status draw_numbers(session *s, ww_err *e) {
  ww_gen_stream *stream = ww_gen_stream_new(s->o.grammar, s->o.seed, NULL);
  s->numbers = ww_xcalloc(s->o.count + 1, sizeof *s->numbers);
  ww_status st = WW_OK;
  for (uint32_t i = 0; !st && i < s->o.first + s->o.count; i++) {
    ww_arena *a = ww_arena_new();
    ww_gen_kernel k;
    st = ww_gen_stream_next(stream, a, &k, e);
    if (!st && i >= s->o.first)
      s->numbers[i - s->o.first] = (diff_number){k.version, k.index, k.seed};
    ww_arena_free(a);
  }
  ww_gen_stream_free(stream);
  return st;
}

static int sum(const session *s, double seconds) {
  uint32_t wrong = 0, all = 0;
  printf("%s, grammar %u, seed %llu, kernels %u to %u, %.0f s\n", s->b->device, s->o.grammar,
         (unsigned long long)s->o.seed, s->o.first, s->o.first + s->o.count - 1, seconds);
  for (int c = 0; c < DIFF_NCLASSES; c++) {
    all += s->b->class[c];
    if (bad((diff_class)c))
      wrong += s->b->class[c];
    if (s->b->class[c])
      printf("%6u %-12s %s\n", s->b->class[c], diff_class_names[c], diff_class_texts[c]);
  }
  if (all < s->o.count)
    wrong += s->o.count - all;
  printf("%u passed, %u failed\n", s->o.count - wrong, wrong);
  return wrong ? 1 : 0;
}

static bool number(const char *text, uint64_t most, uint64_t *out) {
  char *end;
  *out = strtoull(text, &end, 10);
  return *text && !*end && *out <= most;
}

static bool parse(options *o, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    uint64_t v = 0;
    const char *w = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(w, "cuda"))
      o->backend = &diff_cuda;
    else if (!strcmp(w, "opencl"))
      o->backend = &diff_opencl;
    else if (!strcmp(w, "--prepare"))
      o->prepare = true;
    else if (!strcmp(w, "--compile"))
      o->compile = true;
    else if (!strcmp(w, "--spoil"))
      o->spoil = true;
    else if (!strcmp(w, "--verbose"))
      o->verbose = true;
    else if (!strcmp(w, "--rows") && *value)
      o->rows = argv[++i];
    else if (!number(value, UINT32_MAX, &v))
      return false;
    else if (!strcmp(w, "--grammar")) {
      o->grammar = (uint32_t)v;
      i++;
    } else if (!strcmp(w, "--seed")) {
      o->seed = v;
      i++;
    } else if (!strcmp(w, "--first")) {
      o->first = (uint32_t)v;
      i++;
    } else if (!strcmp(w, "--count")) {
      o->count = (uint32_t)v;
      i++;
    } else if (!strcmp(w, "--jobs")) {
      o->jobs = (uint32_t)v;
      i++;
    } else if (!strcmp(w, "--batch")) {
      o->batch = (uint32_t)v;
      i++;
    } else
      return false;
  }
  if (o->backend && !o->batch)
    o->batch = o->backend->together;
  return o->backend && o->count && o->jobs && o->jobs <= MOST_JOBS && o->batch <= MOST_BATCH;
}

int main(int argc, char **argv) {
  session s = {.o = {.grammar = WW_GENERATOR_VERSION, .seed = 1, .count = 64, .jobs = 2}};
  ww_err e = {0};
  double from = ww_now();
  if (!parse(&s.o, argc, argv)) {
    fprintf(stderr,
            "usage: %s cuda|opencl [--grammar V] [--seed S] [--first K] [--count N] [--jobs J]\n"
            "       [--batch B] [--rows FILE] [--prepare | --compile | --spoil] [--verbose]\n",
            argv[0]);
    return 2;
  }
  s.batches = (s.o.count + s.o.batch - 1) / s.o.batch;
  s.b = mmap(NULL, sizeof *s.b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (s.b == MAP_FAILED || draw_numbers(&s, &e)) {
    fprintf(stderr, "run_diff: %s\n", e.msg[0] ? e.msg : "no memory");
    return 3;
  }
  run_all(&s);
  merge_rows(&s);
  int rc = s.b->no_device ? (fprintf(stderr, "run_diff: %s\n", s.b->device), 4)
           : s.o.prepare  ? 0
                          : sum(&s, ww_now() - from);
  free(s.numbers);
  return rc;
}
