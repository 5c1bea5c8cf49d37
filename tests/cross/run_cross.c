/* run_cross.c - the OpenCL triples of tests/kernels on other people's runtimes: PoCL
 * (compiles to this CPU) and Oclgrind (interprets LLVM IR work-item by work-item and
 * counts).
 *
 *   run_cross PROGRAM|- CL_HOST [FOLDER] [--only SUBSTRING] [--no-pocl] [--no-oclgrind]
 * [--verbose]
 *
 * Per triple: each runtime's buffers against the host reference and against our own
 * dump; Oclgrind's byte totals by address space against the .want and against our
 * counts. `-` for PROGRAM leaves our side out: it then checks the references and .want
 * files alone. What can be compared, and why, is in README.md. A runtime that is not
 * installed is skipped, aloud. */
#include "../triple.h"

#include <stdlib.h>
#include <unistd.h>

#define TIMEOUT_S 120

typedef struct {
  const char *program, *host, *dir, *only; /* program NULL: our side is left out */
  bool pocl, oclgrind, verbose;
} setup;

/* Bytes by address space, as Oclgrind's histogram words them. */
static const struct {
  const char *count, *line;
} spaces[] = {
    {"global_ld_bytes", "load global"},
    {"global_st_bytes", "store global"},
    {"shared_ld_bytes", "load local"},
    {"shared_st_bytes", "store local"},
};
#define NSPACES (sizeof spaces / sizeof *spaces)

/* Kernels whose memory goes through built-in functions, which Oclgrind counts as calls,
 * not as loads and stores. */
static bool bytes_comparable(const char *name) {
  return strcmp(name, "cl_vload") != 0;
}

static bool run(triple *t, const char *const *argv, ww_run_result *r, const char *who) {
  ww_err e = {0};
  if (ww_run(argv, NULL, 0, TIMEOUT_S, r, &e) == WW_OK && r->exit_code == 0 &&
      !r->timed_out)
    return true;
  triple_fail(t, "%s: exit %d: %.300s", who, r->exit_code,
              e.msg[0]   ? e.msg
              : r->err.s ? r->err.s
                         : "");
  return false;
}

/* "   1000 - load global (8000 bytes)": the bytes, 0 when there is no such line. */
static double histogram_bytes(const char *text, const char *what) {
  char key[64];
  snprintf(key, sizeof key, "- %s (", what);
  const char *p = text ? strstr(text, key) : NULL;
  return p ? strtod(p + strlen(key), NULL) : 0;
}

static void
check_bytes(triple *t, const char *text, const cJSON *counts, const char *whose) {
  for (size_t i = 0; i < NSPACES; i++) {
    const cJSON *ours = cJSON_GetObjectItemCaseSensitive(counts, spaces[i].count);
    double theirs = histogram_bytes(text, spaces[i].line);
    if (ours && ours->valuedouble != theirs)
      triple_fail(t, "%s %s %.17g oclgrind %.0f", whose, spaces[i].count,
                  ours->valuedouble, theirs);
  }
}

static void
check_oclgrind(triple *t, const setup *s, const char *dump, ww_buf *histogram) {
  const char *argv[] = {"oclgrind", "--inst-counts", "--num-threads", "1",
                        s->host,    t->spec,         "--dump",        dump,
                        NULL};
  ww_run_result r = {0};
  if (run(t, argv, &r, "oclgrind")) {
    triple_check_reference(t, dump, "oclgrind");
    if (bytes_comparable(t->name))
      check_bytes(t, r.out.s, cJSON_GetObjectItemCaseSensitive(t->want, "counts"),
                  "want");
    if (r.out.s)
      ww_buf_puts(histogram, r.out.s);
  }
  ww_run_free(&r);
}

static bool check_pocl(triple *t, const setup *s, const char *dump) {
  const char *argv[] = {s->host,  t->spec, "--platform", "Portable",
                        "--dump", dump,    NULL};
  ww_run_result r = {0};
  bool ok = run(t, argv, &r, "pocl");
  if (ok)
    triple_check_reference(t, dump, "pocl");
  ww_run_free(&r);
  return ok;
}

static void check(triple *t, const setup *s) {
  char pocl[] = "/tmp/ww_pocl.XXXXXX", grind[] = "/tmp/ww_oclgrind.XXXXXX",
       ours[] = "/tmp/ww_ours.XXXXXX";
  ww_buf histogram = {0};
  if (!mkdtemp(pocl) || !mkdtemp(grind) || !mkdtemp(ours)) {
    triple_fail(t, "no folder for the dumps in /tmp");
    return;
  }
  bool have_pocl = s->pocl && check_pocl(t, s, pocl);
  if (s->oclgrind)
    check_oclgrind(t, s, grind, &histogram);
  cJSON *report = s->program ? triple_trace(t, s->program, ours) : NULL;
  if (report && have_pocl)
    triple_check_dumps(t, pocl, "pocl", ours, "ours");
  if (report && histogram.n)
    triple_check_dumps(t, grind, "oclgrind", ours, "ours");
  if (report && histogram.n && bytes_comparable(t->name))
    check_bytes(t, histogram.s, cJSON_GetObjectItemCaseSensitive(report, "counts"),
                "ours");
  cJSON_Delete(report);
  ww_buf_free(&histogram);
  triple_remove_dump(pocl);
  triple_remove_dump(grind);
  triple_remove_dump(ours);
}

static bool installed(const char *const *argv, const char *what) {
  ww_run_result r = {0};
  bool ok = ww_run(argv, NULL, 0, TIMEOUT_S, &r, NULL) == WW_OK && r.exit_code == 0;
  if (!ok)
    printf("skipped: %s is not here\n", what);
  ww_run_free(&r);
  return ok;
}

static bool parse(setup *s, int argc, char **argv) {
  int plain = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      s->only = argv[++i];
    else if (strcmp(argv[i], "--no-pocl") == 0)
      s->pocl = false;
    else if (strcmp(argv[i], "--no-oclgrind") == 0)
      s->oclgrind = false;
    else if (strcmp(argv[i], "--verbose") == 0)
      s->verbose = true;
    else if (argv[i][0] == '-' && argv[i][1])
      return false;
    else {
      *(const char **[]){&s->program, &s->host, &s->dir}[plain < 2 ? plain : 2] =
          argv[i];
      plain++;
    }
  }
  if (s->program && strcmp(s->program, "-") == 0)
    s->program = NULL;
  return plain >= 2 && plain <= 3;
}

int main(int argc, char **argv) {
  setup s = {.dir = "tests/kernels", .pocl = true, .oclgrind = true};
  if (!parse(&s, argc, argv)) {
    fprintf(stderr,
            "usage: %s PROGRAM|- CL_HOST [FOLDER] [--only SUBSTRING] [--no-pocl] "
            "[--no-oclgrind] "
            "[--verbose]\n",
            argv[0]);
    return 2;
  }
  uint32_t n, passed = 0, failed = 0;
  char **names = triple_names(s.dir, "cl_", s.only, &n);
  const char *probe = n ? names[0] : "cl_saxpy";
  char spec[512];
  snprintf(spec, sizeof spec, "%s/%s.launch", s.dir, probe);
  bool asked = s.pocl;
  s.pocl =
      s.pocl &&
      installed((const char *[]){s.host, spec, "--platform", "Portable", NULL}, "PoCL");
  uint32_t skipped = asked && !s.pocl;
  asked = s.oclgrind;
  s.oclgrind = s.oclgrind &&
               installed((const char *[]){"oclgrind", "--version", NULL}, "Oclgrind");
  skipped += asked && !s.oclgrind;
  for (uint32_t i = 0; i < n; i++) {
    triple t;
    if (triple_open(&t, s.dir, names[i]))
      check(&t, &s);
    if (t.lines.n) {
      failed++;
      fputs(t.lines.s, stdout);
    } else if (passed++, s.verbose)
      printf("ok   %s\n", names[i]);
    fflush(stdout);
    triple_close(&t);
  }
  if (!s.pocl && !s.oclgrind) { /* compared with nothing */
    skipped = passed;
    passed = 0;
  }
  printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
  triple_names_free(names, n);
  return failed || n == 0;
}
