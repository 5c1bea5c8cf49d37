/* check.c - the C interface from outside: everything that warpwise.h promises, by a
 * program that knows nothing else. Prints TAP.
 *
 * check FOLDER GPU : FOLDER is empty and may be written to, GPU the file of a
 * description called "mine". check metrics : the names of the metrics in the order of
 * their numbers. check report FILE KERNEL GPU : the report as JSON. */
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <warpwise.h>

static int count, bad;
static void ok(bool good, const char *what) {
  count++;
  bad += !good;
  printf("%s %d - %s\n", good ? "ok" : "not ok", count, what);
}

static const char cuda[] =
    "// warpwise: grid=n/256 block=256 n=1<<20 x=[n]\n"
    "__global__ void scale(int n, float a, float *x) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] = a * x[i];\n"
    "}\n"
    "// warpwise: grid=8192 block=256\n"
    "__global__ void gather(int n, const int *at, const double *x, double *y) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = x[at[i] * 16];\n"
    "}\n";
static const char *const both[] = {"h200", "a100"};

static warpwise_question ask(const char *kernel) {
  warpwise_question q = {0};
  q.source.path = "check.cu";
  q.source.text = cuda;
  q.kernel = kernel;
  q.gpus = both;
  q.gpu_count = 2;
  return q;
}

static double microseconds(const warpwise_answer *a, uint32_t i) {
  return warpwise_report_metric(warpwise_report_at(a, i), WARPWISE_TIME_US).value;
}

/* ---- opening ---- */

static void check_open(void) {
  warpwise_context *c = (warpwise_context *)1;
  warpwise_error e = {0};
  warpwise_config config = {0};
  ok(!strcmp(warpwise_version(), WARPWISE_VERSION),
     "library and header are of one version");
  ok(warpwise_open(&config, &c, &e) == WARPWISE_USAGE && !c &&
         strstr(e.message, "WARPWISE_API_VERSION"),
     "a configuration without a version is refused, with what to do");
  config.api = WARPWISE_API_VERSION + 1;
  ok(warpwise_open(&config, &c, &e) == WARPWISE_USAGE && strstr(e.message, "newer"),
     "so is one of a newer interface");
  config.api = WARPWISE_API_VERSION;
  config.root = "/no/such/folder";
  ok(warpwise_open(&config, &c, NULL) == WARPWISE_IO && !c,
     "an error need not be asked for");
  config.root = NULL;
  config.models = "/no/such/folder";
  ok(warpwise_open(&config, &c, &e) == WARPWISE_IO && e.code == WARPWISE_IO,
     "models that are not there");
  warpwise_close(NULL);
  warpwise_answer_free(NULL);
  warpwise_kernels_free(NULL);
  warpwise_launch_free(NULL);
  warpwise_string_free(NULL);
}

static void check_gpus(const warpwise_context *c) {
  uint32_t n = warpwise_gpu_count(c), h200 = n;
  for (uint32_t i = 0; i < n; i++)
    if (!strcmp(warpwise_gpu_at(c, i).name, "h200"))
      h200 = i;
  warpwise_gpu g = warpwise_gpu_at(c, h200);
  ok(n >= 5 && g.lanes == 32 && g.multiprocessors == 132 &&
         !strcmp(g.architecture, "sm_90"),
     "GPUs are listed");
  ok(!warpwise_gpu_at(c, n).name, "there is none beyond the last");
  ok(!strcmp(warpwise_status_name(WARPWISE_LIMIT), "limit") &&
         !strcmp(warpwise_status_name((warpwise_status)99), "unknown"),
     "statuses have names");
}

/* ---- kernels ---- */

static void check_kernels(warpwise_context *c) {
  warpwise_source s = {0};
  warpwise_kernels *k;
  warpwise_error e;
  s.path = "check.cu";
  s.text = cuda;
  ok(!warpwise_kernels_read(c, s, &k, &e) && warpwise_kernel_count(k) == 2,
     "kernels of a text");
  if (!k)
    return;
  warpwise_kernel f = warpwise_kernel_at(k, 0);
  warpwise_parameter p = warpwise_parameter_at(k, 1, 1);
  ok(!strcmp(f.name, "scale") && f.line == 2 && f.parameter_count == 3 && f.launch &&
         strstr(f.launch, "1<<20") && !f.refusal,
     "their places, parameters and comments");
  ok(p.pointer && p.bytes == 8 && strstr(p.type, "int") && !strcmp(p.name, "at"),
     "a parameter");
  ok(!warpwise_kernel_at(k, 2).name && !warpwise_parameter_at(k, 0, 3).name &&
         !warpwise_parameter_at(k, 9, 0).name &&
         !warpwise_diagnostic_at(k, warpwise_diagnostic_count(k)).message,
     "nothing beyond the last ones");
  warpwise_kernels_free(k);
  s.text = "__global__ void k(float *x) { x[0] = nothing; }\n__global__ void l(float "
           "*x) { x[0] = "
           "1; }\n";
  ok(!warpwise_kernels_read(c, s, &k, &e) && warpwise_diagnostic_count(k) &&
         warpwise_diagnostic_at(k, 0).line == 1,
     "what is left out is a diagnostic");
  warpwise_kernels_free(k);
  s.text = NULL;
  s.path = "/no/such/file.cu";
  ok(warpwise_kernels_read(c, s, &k, &e) == WARPWISE_IO && !k && *e.message,
     "a file that is not there");
  s.path = NULL;
  ok(warpwise_kernels_read(c, s, &k, &e) == WARPWISE_USAGE, "no source at all");
}

/* ---- launches ---- */

static void check_launch_errors(void) {
  warpwise_launch *l = warpwise_launch_new(), *m;
  warpwise_error e;
  warpwise_buffer b = {0};
  ok(warpwise_launch_grid(l, 1, 0, 1, &e) == WARPWISE_USAGE,
     "a grid of nothing is refused");
  ok(warpwise_launch_float(l, "a", NAN, NULL) == WARPWISE_USAGE,
     "so is a value that is no number");
  ok(warpwise_launch_int(l, "", 1, &e) == WARPWISE_USAGE &&
         warpwise_launch_int(l, NULL, 1, &e) == WARPWISE_USAGE,
     "and an argument without a name");
  b.type = "f33";
  b.count = 4;
  ok(warpwise_launch_buffer(l, "x", b, &e) == WARPWISE_PARSE &&
         strstr(e.message, "f33"),
     "and an unknown type");
  b.type = "f32";
  b.fill = "uniform(3,1)";
  ok(warpwise_launch_buffer(l, "x", b, &e) == WARPWISE_PARSE, "and an impossible fill");
  ok(warpwise_launch_set(l, "what is this", &e) == WARPWISE_PARSE,
     "and words that make no sense");
  ok(warpwise_launch_parse("{\"grit\":1}", NULL, &m, &e) == WARPWISE_PARSE && !m &&
         strstr(e.message, "grit"),
     "and an unknown member");
  char *json = warpwise_launch_json(l);
  ok(json && !strstr(json, "\"x\""), "what was refused is not in the launch");
  warpwise_string_free(json);
  warpwise_launch_free(l);
}

static warpwise_launch *built(int64_t n) {
  warpwise_launch *l = warpwise_launch_new();
  warpwise_buffer x = {0};
  x.type = "f32";
  x.count = (uint64_t)n;
  x.fill = "random";
  warpwise_launch_grid(l, (uint32_t)(n / 128), 1, 1, NULL);
  warpwise_launch_block(l, 128, 1, 1, NULL);
  warpwise_launch_int(l, "n", 7, NULL);
  warpwise_launch_int(l, "n", n, NULL); /* replaces */
  warpwise_launch_float(l, "a", 1.5, NULL);
  warpwise_launch_buffer(l, "x", x, NULL);
  return l;
}

/* One launch in three ways: by functions, as JSON, in words. */
static void check_launches(warpwise_context *c) {
  static const char json[] =
      "{\"grid\":[8192,1,1],\"block\":128,\"args\":[{\"name\":\"n\","
      "\"value\":1048576},{\"name\":\"a\","
      "\"value\":1.5},{\"name\":\"x\",\"buffer\":{\"bytes\":4194304,"
      "\"type\":\"f32\",\"fill\":\"random\"}}]}";
  warpwise_launch *l[3] = {built(1 << 20), NULL, warpwise_launch_new()};
  warpwise_answer *a[3] = {0};
  warpwise_error e;
  ok(!warpwise_launch_parse(json, NULL, &l[1], &e), "a launch from JSON");
  ok(!warpwise_launch_set(
         l[2], "grid=n/128 block=128 n=1<<20 a=1.5 x=f32[n]:random cache=warm", &e) &&
         !warpwise_launch_set(l[2], "cache=cold", &e),
     "a launch from words");
  warpwise_question q = ask("scale");
  for (int i = 0; i < 3; i++) {
    q.launch = l[i];
    if (warpwise_predict(c, &q, &a[i], &e))
      printf("# %s\n", e.message);
  }
  bool same = a[0] && a[1] && a[2];
  for (uint32_t g = 0; same && g < 2; g++)
    same = microseconds(a[0], g) > 0 &&
           microseconds(a[0], g) == microseconds(a[1], g) &&
           microseconds(a[0], g) == microseconds(a[2], g);
  ok(same, "built, parsed and in words they are one launch");
  ok(a[1] && warpwise_report_was_known(warpwise_report_at(a[1], 0)),
     "and it was computed once");
  char *again = warpwise_launch_json(l[0]);
  ok(strstr(again, "8192") && !strstr(again, "\"value\":7") && strstr(again, "1.5"),
     "a launch as JSON");
  warpwise_launch *back;
  ok(!warpwise_launch_parse(again, NULL, &back, &e), "which can be read back");
  warpwise_launch_free(back);
  warpwise_launch_warm(l[0], true);
  warpwise_launch_shared(l[0], 1024);
  warpwise_launch_int(l[1], "0", 1024, NULL); /* by position */
  warpwise_answer *warm = NULL, *few = NULL;
  q.launch = l[0];
  ok(!warpwise_predict(c, &q, &warm, &e) &&
         microseconds(warm, 1) < microseconds(a[0], 1) &&
         warpwise_report_metric(warpwise_report_at(warm, 0), WARPWISE_SHARED_BYTES)
                 .value >= 1024,
     "warm caches and shared memory change the answer");
  q.launch = l[1];
  ok(!warpwise_predict(c, &q, &few, &e) && microseconds(few, 0) < microseconds(a[0], 0),
     "so does an argument by its position");
  for (int i = 0; i < 3; i++) {
    warpwise_answer_free(a[i]);
    warpwise_launch_free(l[i]);
  }
  warpwise_answer_free(warm);
  warpwise_answer_free(few);
  warpwise_string_free(again);
}

/* ---- answers ---- */

static void check_report(const warpwise_report *r) {
  warpwise_quantity us = warpwise_report_metric(r, WARPWISE_TIME_US);
  ok(us.known && us.interval && us.low > 0 && us.low <= us.value && us.value <= us.high,
     "time has its interval");
  bool same = true;
  for (uint32_t m = 0; m < warpwise_metric_count(); m++) {
    warpwise_quantity by_number = warpwise_report_metric(r, (warpwise_metric)m);
    warpwise_quantity by_name =
        warpwise_report_metric_named(r, warpwise_metric_at(m).name);
    same &= by_number.known == by_name.known && by_number.value == by_name.value &&
            *warpwise_metric_at(m).meaning;
  }
  ok(same && warpwise_metric_count() == WARPWISE_SHARED_CONFLICT_WAYS + 1,
     "metrics by number and by name");
  ok(!warpwise_report_metric(r, (warpwise_metric)99).known &&
         !warpwise_report_metric_named(r, "speed").known &&
         !warpwise_metric_at(99).name,
     "what is no metric is not known");
  ok(!strcmp(warpwise_report_roofline(r), "bandwidth") &&
         *warpwise_report_bottleneck(r) && warpwise_report_model(r),
     "class, bottleneck and model");
  ok(strstr(warpwise_report_json(r), "\"schema_version\":1") &&
         !strchr(warpwise_report_json(r), '\n'),
     "JSON, one line");
  double share = 0;
  for (uint32_t i = 0; i < warpwise_line_count(r); i++)
    share += warpwise_line_at(r, i).share;
  ok(warpwise_line_count(r) && warpwise_line_at(r, 0).line == 9 && share > 0.5 &&
         share < 1.001,
     "lines and their shares");
  warpwise_finding f = warpwise_finding_at(r, 0);
  ok(warpwise_finding_count(r) && f.gain > 1 && f.line == 9 && *f.rule && *f.message,
     "findings");
  bool said = warpwise_assumption_count(r) > 0;
  for (uint32_t i = 0; i < warpwise_assumption_count(r); i++)
    said &= *warpwise_assumption_at(r, i) != 0;
  ok(said, "what was assumed is listed");
  ok(!warpwise_finding_at(r, 99).rule && !warpwise_line_at(r, 9999).line &&
         !warpwise_assumption_at(r, 99),
     "and no more than that");
}

static void check_answers(warpwise_context *c) {
  warpwise_question q = ask("gather");
  warpwise_answer *a;
  warpwise_error e;
  q.explain = true;
  ok(!warpwise_predict(c, &q, &a, &e) && warpwise_report_count(a) == 2,
     "one kernel on two GPUs");
  if (!a)
    return;
  check_report(warpwise_report_at(a, 0));
  ok(!strcmp(warpwise_report_gpu(warpwise_report_at(a, 1)), "a100") &&
         !warpwise_report_at(a, 2),
     "GPUs in the order asked");
  warpwise_answer_free(a);
  q = ask(NULL);
  q.gpu_count = 0;
  q.model = WARPWISE_MODEL_MACHINE;
  ok(!warpwise_predict(c, &q, &a, &e) && warpwise_report_count(a) == 2 &&
         !strcmp(warpwise_report_kernel(warpwise_report_at(a, 1)), "gather") &&
         warpwise_report_line(warpwise_report_at(a, 1)) == 7,
     "every kernel, on the GPU that is assumed");
  ok(a && !strcmp(warpwise_report_model(warpwise_report_at(a, 0)), "machine") &&
         strstr(warpwise_assumption_at(warpwise_report_at(a, 0), 0), "h200") &&
         !warpwise_line_count(warpwise_report_at(a, 0)),
     "by the machine model alone, and said so");
  warpwise_answer_free(a);
}

static void check_refusals(warpwise_context *c) {
  static const char *const nowhere[] = {"h2000"};
  static const char *const amd[] = {"mi300x"};
  warpwise_question q = ask("scale");
  warpwise_answer *a;
  warpwise_error e;
  q.gpus = nowhere;
  q.gpu_count = 1;
  ok(warpwise_predict(c, &q, &a, &e) == WARPWISE_USAGE && !a &&
         strstr(e.message, "h200"),
     "an unknown GPU: which are known");
  q.gpus = amd;
  ok(!warpwise_predict(c, &q, &a, &e) &&
         warpwise_report_status(warpwise_report_at(a, 0), &e) == WARPWISE_USAGE &&
         *e.message &&
         !warpwise_report_metric(warpwise_report_at(a, 0), WARPWISE_TIME_US).known &&
         !warpwise_report_model(warpwise_report_at(a, 0)),
     "a GPU that cannot run it: a report that says so");
  warpwise_answer_free(a);
  q = ask("skale");
  ok(warpwise_predict(c, &q, &a, &e) == WARPWISE_USAGE && strstr(e.message, "scale"),
     "an unknown kernel: which there are");
  q = ask("scale");
  q.source.text = "int main(void) { return 0; }\n";
  ok(warpwise_predict(c, &q, &a, &e) != WARPWISE_OK && !a, "a source without kernels");
  q.source.text = "__global__ void k( {\n";
  ok(warpwise_predict(c, &q, &a, NULL) != WARPWISE_OK && !a, "a source that is none");
  q.model = (warpwise_model)9;
  ok(warpwise_predict(c, &q, &a, &e) == WARPWISE_USAGE, "an unknown model");
}

/* ---- cancelling ---- */

static bool after(void *payload) {
  return --*(int *)payload < 0;
}

static void check_cancel(warpwise_context *c) {
  warpwise_question q = ask("gather");
  warpwise_answer *a;
  warpwise_error e;
  int left = 0;
  q.budget = 40000000; /* not known yet, and long */
  q.cancellation.payload = &left;
  q.cancellation.cancelled = after;
  ok(warpwise_predict(c, &q, &a, &e) == WARPWISE_CANCELLED && !a,
     "cancelled from the beginning");
  left = 3;
  warpwise_status st = warpwise_predict(c, &q, &a, &e);
  bool ended =
      st == WARPWISE_CANCELLED ||
      (a && warpwise_report_status(warpwise_report_at(a, 0), &e) == WARPWISE_CANCELLED);
  ok(ended && left < 0, "cancelled on the way");
  warpwise_answer_free(a);
  left = 1 << 30;
  ok(!warpwise_predict(c, &q, &a, &e) && microseconds(a, 0) > 0 && left < 1 << 30,
     "asked again without, it is answered");
  warpwise_answer_free(a);
  q = ask("scale");
  q.source.text = "__global__ void scale(float *x) { x[threadIdx.x] = 3; }\n";
  q.seconds = 1e-6;
  ok(warpwise_predict(c, &q, &a, &e) == WARPWISE_LIMIT && !a, "no time: a limit");
}

/* ---- threads ---- */

enum { THREADS = 8, ROUNDS = 6 };
typedef struct {
  warpwise_context *context;
  const warpwise_launch *launch;
  double want[2];
  int number, wrong;
} worker;

static void *work(void *arg) {
  worker *w = arg;
  for (int i = 0; i < ROUNDS; i++) {
    char text[1024];
    warpwise_question q = ask("scale");
    warpwise_answer *a;
    warpwise_kernels *k;
    if (i % 2) { /* of its own: another text in each round and thread */
      snprintf(text, sizeof text, "%s// %d %d\n__device__ float extra%d_%d;\n", cuda,
               w->number, i, w->number, i);
      q.source.text = text;
    }
    q.launch = w->launch; /* all share it */
    w->wrong += warpwise_predict(w->context, &q, &a, NULL) != WARPWISE_OK;
    for (uint32_t g = 0; a && g < 2; g++)
      w->wrong += microseconds(a, g) != w->want[g];
    w->wrong += warpwise_kernels_read(w->context, q.source, &k, NULL) ||
                warpwise_kernel_count(k) != 2;
    warpwise_kernels_free(k);
    warpwise_answer_free(a);
  }
  return NULL;
}

static void check_threads(warpwise_context *c) {
  pthread_t t[THREADS];
  worker w[THREADS];
  warpwise_launch *l = built(1 << 18);
  warpwise_question q = ask("scale");
  warpwise_answer *a;
  q.launch = l;
  if (warpwise_predict(c, &q, &a, NULL))
    return ok(false, "threads: nothing to compare with");
  int wrong = 0, started = 0;
  for (int i = 0; i < THREADS; i++) {
    w[i] = (worker){c, l, {microseconds(a, 0), microseconds(a, 1)}, i, 0};
    started += !pthread_create(&t[i], NULL, work, &w[i]);
  }
  for (int i = 0; i < started; i++) {
    pthread_join(t[i], NULL);
    wrong += w[i].wrong;
  }
  ok(started == THREADS && wrong == 0,
     "eight threads, one context, one launch: each has its right answer");
  warpwise_answer_free(a);
  warpwise_launch_free(l);
}

/* ---- the host's surroundings ---- */

static void check_locale(warpwise_context *c) {
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
    printf("ok %d - # SKIP no locale with decimal commas here\n", ++count);
    return;
  }
  warpwise_question q = ask("scale");
  warpwise_answer *a;
  warpwise_launch *l = built(1 << 19);
  char shown[32];
  q.launch = l;
  bool good = !warpwise_predict(c, &q, &a, NULL) &&
              strstr(warpwise_report_json(warpwise_report_at(a, 0)), "1.5") &&
              microseconds(a, 0) > 0;
  snprintf(shown, sizeof shown, "%.1f", 1.5);
  ok(good && !strcmp(shown, "1,5"),
     "decimal commas: answers as ever, and the program keeps its locale");
  warpwise_answer_free(a);
  warpwise_launch_free(l);
  setlocale(LC_ALL, "C");
}

static void put(const char *folder, const char *name, const char *text) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  if (!f || fputs(text, f) < 0 || fclose(f))
    abort();
}

/* A context that sees one folder. */
static void check_root(const char *folder) {
  warpwise_config config = {0};
  warpwise_context *c;
  warpwise_question q = ask("scale");
  warpwise_answer *a;
  warpwise_error e;
  put(folder, "inside.cu", cuda);
  config.api = WARPWISE_API_VERSION;
  config.root = folder;
  config.memory = 1 << 20;
  if (warpwise_open(&config, &c, &e))
    return ok(false, e.message);
  q.source.text = NULL;
  q.source.path = "inside.cu";
  q.gpu_count = 1;
  warpwise_launch *l = warpwise_launch_new();
  q.launch = l;
  warpwise_launch_set(l, "grid=4 block=256 n=1024 x=[n]:zeros", NULL);
  ok(!warpwise_predict(c, &q, &a, &e) && microseconds(a, 0) > 0,
     "a file inside of the root");
  warpwise_answer_free(a);
  q.source.path = "/etc/passwd";
  ok(warpwise_predict(c, &q, &a, &e) == WARPWISE_USAGE, "none outside");
  q.source.path = "inside.cu";
  warpwise_launch_set(l, "x=[n]:file(/etc/passwd)", &e);
  ok(warpwise_predict(c, &q, &a, &e) == WARPWISE_USAGE && !a,
     "no contents from outside either");
  warpwise_launch_set(l, "n=1<<28 x=[n]:random grid=n/256", &e);
  warpwise_status st = warpwise_predict(c, &q, &a, &e);
  ok(st || warpwise_report_status(warpwise_report_at(a, 0), &e) == WARPWISE_OK ||
         e.code == WARPWISE_LIMIT,
     "memory is bounded, or not needed");
  warpwise_answer_free(a);
  warpwise_launch_free(l);
  warpwise_close(c);
}

/* A description of the program's own, and a launch that names its file. */
static void check_own_gpu(const char *folder, const char *described) {
  static const char *const mine[] = {"mine"};
  char spec[4600];
  const char *files[] = {described};
  warpwise_config config = {0};
  warpwise_context *c;
  warpwise_question q = {0};
  warpwise_answer *a;
  warpwise_launch *l;
  warpwise_error e;
  config.api = WARPWISE_API_VERSION;
  config.gpu_files = files;
  config.gpu_file_count = 1;
  if (warpwise_open(&config, &c, &e))
    return ok(false, e.message);
  put(folder, "named.cu", cuda);
  snprintf(spec, sizeof spec,
           "{\"file\":\"named.cu\",\"kernel\":\"scale\",\"grid\":64,\"block\":256,"
           "\"flags\":[\"-DX="
           "1\"]}");
  ok(!warpwise_launch_parse(spec, folder, &l, &e), "a launch that names its file");
  q.launch = l;
  q.gpus = mine;
  q.gpu_count = 1;
  bool good = !warpwise_predict(c, &q, &a, &e);
  ok(good && warpwise_report_count(a) == 1 &&
         !strcmp(warpwise_report_gpu(warpwise_report_at(a, 0)), "mine"),
     "is predicted on a GPU of the program's own");
  warpwise_launch_free(l);
  warpwise_close(c);
  ok(good && microseconds(a, 0) > 0 &&
         !strcmp(warpwise_report_gpu(warpwise_report_at(a, 0)), "mine"),
     "answers outlive their context");
  warpwise_answer_free(a);
}

static int print_report(const char *file, const char *kernel, const char *gpu) {
  warpwise_context *c;
  warpwise_answer *a;
  warpwise_question q = {0};
  warpwise_error e;
  q.source.path = file;
  q.kernel = kernel;
  q.gpus = &gpu;
  q.gpu_count = 1;
  if (warpwise_open(NULL, &c, &e) || warpwise_predict(c, &q, &a, &e))
    return fprintf(stderr, "%s\n", e.message), 1;
  puts(warpwise_report_json(warpwise_report_at(a, 0)));
  warpwise_answer_free(a);
  warpwise_close(c);
  return 0;
}

int main(int argc, char **argv) {
  warpwise_context *c;
  warpwise_error e;
  if (argc == 2 && !strcmp(argv[1], "metrics")) {
    for (uint32_t m = 0; m < warpwise_metric_count(); m++)
      puts(warpwise_metric_at(m).name);
    return 0;
  }
  if (argc == 5)
    return print_report(argv[2], argv[3], argv[4]);
  check_open();
  if (warpwise_open(NULL, &c, &e))
    return printf("not ok - %s\n", e.message), 1;
  check_gpus(c);
  check_kernels(c);
  check_launch_errors();
  check_launches(c);
  check_answers(c);
  check_refusals(c);
  check_cancel(c);
  check_threads(c);
  check_locale(c);
  check_root(argv[1]);
  check_own_gpu(argv[1], argv[2]);
  warpwise_close(c);
  printf("1..%d\n", count);
  return bad != 0;
}
