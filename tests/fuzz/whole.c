/* whole.c - mutated sources through the whole command: `fuzz_whole PROGRAM OUT SEED
 * COUNT SECONDS FILE...`.
 *
 * Input number k is made from the seed and k alone: a file with some tokens or lines
 * deleted, doubled, exchanged or made extreme, sometimes with a piece of another file.
 * PROGRAM kernels, predict or explain reads it with --json. A finding is a signal, a
 * sanitizer's report, an exit status that is none of ours, a line on stdout that is no
 * JSON, or more seconds than any input may take. OUT keeps the source and what was
 * said. At most COUNT inputs and SECONDS seconds (0: no limit); ends with `N runs, N
 * findings`. */
#include "fuzz.h"

#include <sys/stat.h>

#include "../../src/base/jsonread.h"

enum { MAX = 1 << 16, PATIENCE = 60 };

/* Nothing of libFuzzer is here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max) {
  (void)data;
  (void)max;
  return n;
}

typedef struct {
  const char *program, *out;
  char **files;
  uint32_t nfiles, findings;
} plan;

/* ---- making inputs ---- */

static size_t read_source(const plan *p, uint32_t which, uint8_t *to) {
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  char *text;
  size_t n = 0;
  if (ww_read_file(a, p->files[which], MAX / 2, &text, &n, &e))
    n = 0;
  if (n)
    memcpy(to, text, n);
  ww_arena_free(a);
  return n;
}

/* Whole lines of another file, somewhere between two lines. */
static size_t splice(const plan *p, uint8_t *data, size_t n, uint32_t *seed) {
  uint8_t *other = ww_xmalloc(MAX);
  size_t m = read_source(p, fuzz_random(seed, p->nfiles), other);
  size_t from = m ? fuzz_random(seed, (uint32_t)m) : 0,
         len = m - from < 400 ? m - from : 400;
  size_t at = n ? fuzz_random(seed, (uint32_t)n) : 0;
  while (at < n && data[at] != '\n')
    at++;
  if (n + len <= MAX) {
    memmove(data + at + len, data + at, n - at);
    memcpy(data + at, other + from, len);
    n += len;
  }
  free(other);
  return n;
}

static size_t make_input(
    const plan *p, uint32_t number, uint32_t seed, uint8_t *data, const char **ending) {
  uint32_t s = seed * 2654435761u + number;
  for (int k = 0; k < 4; k++)
    fuzz_random(&s, 2);
  uint32_t which = fuzz_random(&s, p->nfiles);
  size_t n = read_source(p, which, data);
  *ending = strrchr(p->files[which], '.');
  if (!fuzz_random(&s, 6))
    n = splice(p, data, n, &s);
  for (uint32_t more = 1 + fuzz_random(&s, 4); more; more--)
    n = fuzz_source_change(data, n, MAX, &s);
  return n;
}

/* ---- running them ---- */

static const char *first_wrong_line(const char *out) {
  while (*out) {
    size_t n = strcspn(out, "\n");
    char *line = fuzz_text((const uint8_t *)out, n);
    ww_err e = {0};
    cJSON *tree = n ? ww_json_read(line, n, &e) : NULL;
    bool wrong = n && !tree;
    cJSON_Delete(tree);
    free(line);
    if (wrong)
      return out;
    out += n + (out[n] == '\n');
  }
  return NULL;
}

/* What is wrong with how it ended; NULL: nothing. */
static const char *finding(const ww_run_result *r) {
  if (r->timed_out)
    return "took too long";
  if (r->err.s && (strstr(r->err.s, "Sanitizer") || strstr(r->err.s, "runtime error:")))
    return "a sanitizer's report";
  if (r->exit_code >= 128)
    return "ended by a signal";
  if (r->exit_code > 4)
    return "an exit status that is none of ours";
  if (r->out.s && first_wrong_line(r->out.s))
    return "stdout is no JSON";
  return NULL;
}

static void keep(plan *p,
                 uint32_t number,
                 const char *why,
                 const char *source,
                 const char *command,
                 const ww_run_result *r) {
  char to[512];
  ww_buf b = {0};
  ww_err e = {0};
  ww_arena *a = ww_arena_new();
  char *text;
  size_t n;
  p->findings++;
  ww_buf_fmt(&b, "%s: %s --json, exit status %d\n%s\n%s\n", why, command, r->exit_code,
             r->err.s ? r->err.s : "", r->out.s ? r->out.s : "");
  snprintf(to, sizeof to, "%s/%u-%s%s", p->out, number, command, strrchr(source, '.'));
  if (!ww_read_file(a, source, MAX, &text, &n, &e))
    ww_write_file_atomic(to, text, n, &e);
  printf("%s: %s\n", to, why);
  snprintf(to, sizeof to, "%s/%u-%s.log", p->out, number, command);
  ww_write_file_atomic(to, b.s, b.n, &e);
  ww_buf_free(&b);
  ww_arena_free(a);
}

static void run_one(plan *p, uint32_t number, uint32_t seed) {
  static const char *const commands[] = {"predict", "explain", "kernels"};
  static uint8_t data[MAX];
  const char *ending, *command = commands[number % 3];
  size_t n = make_input(p, number, seed, data, &ending);
  char name[64];
  snprintf(name, sizeof name, "input%.16s", ending ? ending : ".cu");
  const char *path = fuzz_file(name, data, n);
  const char *argv[] = {p->program, command, path, "--json", NULL};
  ww_run_result r = {0};
  ww_err e = {0};
  if (ww_run(argv, NULL, 0, PATIENCE, &r, &e)) {
    fprintf(stderr, "fuzz_whole: %s\n", e.msg);
    exit(2);
  }
  const char *why = finding(&r);
  if (why)
    keep(p, number, why, path, command, &r);
  ww_run_free(&r);
}

int main(int argc, char **argv) {
  if (argc < 7) {
    fprintf(stderr, "usage: fuzz_whole PROGRAM OUT SEED COUNT SECONDS FILE...\n");
    return 2;
  }
  plan p = {argv[1], argv[2], argv + 6, (uint32_t)(argc - 6), 0};
  uint32_t seed = (uint32_t)strtoul(argv[3], NULL, 10),
           count = (uint32_t)strtoul(argv[4], NULL, 10), k = 0;
  double until = strtod(argv[5], NULL), started = ww_now();
  mkdir(p.out, 0777);
  for (; k < count && (until <= 0 || ww_now() - started < until); k++)
    run_one(&p, k, seed);
  printf("%u runs, %u findings\n", k, p.findings);
  return p.findings > 0;
}
