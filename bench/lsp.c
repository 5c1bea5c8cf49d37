/* lsp.c - an editor that types: `lsp PROGRAM FILE LANGUAGE EDITS MARK [lines]`, for bench/lsp.sh.
 *
 * Opens FILE with `warpwise lsp`, waits until headers have been precompiled, then EDITS times changes the number at @EDIT@ inside one kernel and asks
 * for the lenses at once, as editors do. Then types without a pause (40 changes, one each 10 ms) and asks for the hover of another document
 * after each. Prints one line:  edits p50 p90 max analysis_p50 first_ms typing_max_ms others_p50 others_max   (ms)
 * With `lines` each change also adds a line to the kernel. Ends with 1 when a lens is the old one. */
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int to, from;
static char *in;
static size_t in_n, in_cap;
static int ids;
static double analysis; /* of the last `warpwise/answered` */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void die(const char *why, const char *what) {
  fprintf(stderr, "%s %.600s\n", why, what ? what : "");
  exit(1);
}

static void say(cJSON *m) {
  cJSON_AddStringToObject(m, "jsonrpc", "2.0");
  char *text = cJSON_PrintUnformatted(m), head[64];
  size_t n = strlen(text);
  int h = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", n);
  if (write(to, head, (size_t)h) != h || write(to, text, n) != (ssize_t)n) die("the server does not read", NULL);
  free(text);
  cJSON_Delete(m);
}

/* The next message. */
static cJSON *hear(void) {
  for (;;) {
    char *body = in_n ? memmem(in, in_n, "\r\n\r\n", 4) : NULL;
    size_t n = body ? strtoul(in + 16, NULL, 10) : 0, head = body ? (size_t)(body + 4 - in) : 0;
    if (body && in_n >= head + n) {
      cJSON *m = cJSON_ParseWithLength(in + head, n);
      memmove(in, in + head + n, in_n - head - n);
      in_n -= head + n;
      return m;
    }
    if (in_cap - in_n < 65536) in = realloc(in, in_cap += 1 << 18);
    ssize_t got = read(from, in + in_n, 65536);
    if (got <= 0) die("the server has gone", NULL);
    in_n += (size_t)got;
  }
}

static const char *method_of(const cJSON *m) {
  const cJSON *v = cJSON_GetObjectItem(m, "method");
  return cJSON_IsString(v) ? v->valuestring : "";
}

/* Answers what the server asks; the answer to our `id`. */
static cJSON *wait_for(int id) {
  for (;;) {
    cJSON *m = hear(), *got = cJSON_GetObjectItem(m, "id");
    const char *method = method_of(m);
    if (!strcmp(method, "warpwise/answered"))
      analysis = cJSON_GetObjectItem(cJSON_GetObjectItem(m, "params"), "ms")->valuedouble;
    if (*method && got) {
      cJSON *answer = cJSON_CreateObject();
      cJSON_AddNumberToObject(answer, "id", got->valuedouble);
      cJSON_AddNullToObject(answer, "result");
      say(answer);
    }
    if (!*method && cJSON_IsNumber(got) && got->valueint == id) return m;
    cJSON_Delete(m);
  }
}

static cJSON *message(const char *method, const char *params, int id) {
  cJSON *m = cJSON_CreateObject(), *p = cJSON_Parse(params);
  if (!p) die("no JSON:", params);
  cJSON_AddStringToObject(m, "method", method);
  cJSON_AddItemToObject(m, "params", p);
  if (id) cJSON_AddNumberToObject(m, "id", id);
  return m;
}

static int ask(const char *method, const char *uri) {
  char params[512];
  snprintf(params, sizeof params, "{\"textDocument\":{\"uri\":\"%s\"},\"position\":{\"line\":1,\"character\":20}}",
           uri);
  say(message(method, params, ++ids));
  return ids;
}

static void open_text(const char *uri, const char *language, const char *text) {
  cJSON *m = message("textDocument/didOpen", "{\"textDocument\":{\"version\":1}}", 0);
  cJSON *d = cJSON_GetObjectItem(cJSON_GetObjectItem(m, "params"), "textDocument");
  cJSON_AddStringToObject(d, "uri", uri);
  cJSON_AddStringToObject(d, "languageId", language);
  cJSON_AddStringToObject(d, "text", text);
  say(m);
}

/* The edit is the number of iterations, 4 digits, at a place of the text. */
static unsigned line, column;
static int version = 1;
static int lines; /* a line is added too */
static void edit(const char *uri, int number) {
  char params[512], more[128] = "";
  if (lines)
    snprintf(
        more, sizeof more,
        "{\"range\":{\"start\":{\"line\":%u,\"character\":0},\"end\":{\"line\":%u,\"character\":0}},\"text\":\"\\n\"},",
        line, line);
  line += (unsigned)lines;
  snprintf(
      params, sizeof params,
      "{\"textDocument\":{\"uri\":\"%s\",\"version\":%d},\"contentChanges\":[%s{\"range\":{\"start\":{\"line\":%u,\"character\":%u},"
      "\"end\":{\"line\":%u,\"character\":%u}},\"text\":\"%04d\"}]}",
      uri, ++version, more, line, column, line, column + 4, number);
  say(message("textDocument/didChange", params, 0));
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}
static double part(double *v, int n, double q) {
  qsort(v, (size_t)n, sizeof *v, by_value);
  return v[(int)(q * (n - 1) + 0.5)];
}

static void start(const char *program) {
  int a[2], b[2];
  if (pipe2(a, O_CLOEXEC) || pipe2(b, O_CLOEXEC)) die("no pipe", NULL);
  if (!fork()) {
    dup2(a[0], 0);
    dup2(b[1], 1);
    execl(program, program, "lsp", (char *)NULL);
    _exit(127);
  }
  to = a[1];
  from = b[0];
  say(message("initialize", "{\"capabilities\":{\"window\":{\"workDoneProgress\":true}}}", ++ids));
  cJSON_Delete(wait_for(ids));
  say(message("initialized", "{}", 0));
}

/* Waits until answers do not become faster any more: headers are precompiled beside. */
static double warm(const char *uri) {
  double t = now(), first;
  cJSON_Delete(wait_for(ask("textDocument/codeLens", uri)));
  first = now() - t;
  for (int k = 0; k < 8; k++) {
    struct timespec rest = {.tv_nsec = 600000000};
    nanosleep(&rest, NULL);
    edit(uri, 200 + k);
    cJSON_Delete(wait_for(ask("textDocument/codeLens", uri)));
  }
  return first;
}

static void one_edit(const char *uri, int k, double *total, double *inside) {
  char *old, *new;
  struct timespec rest = {.tv_nsec = 150000000};
  nanosleep(&rest, NULL); /* people do */
  cJSON *m = wait_for(ask("textDocument/codeLens", uri));
  old = cJSON_PrintUnformatted(cJSON_GetObjectItem(m, "result"));
  cJSON_Delete(m);
  double t = now();
  edit(uri, 12 + k);
  m = wait_for(ask("textDocument/codeLens", uri));
  *total = now() - t;
  *inside = analysis;
  new = cJSON_PrintUnformatted(cJSON_GetObjectItem(m, "result"));
  if (!new || !strstr(new, "bound by")) die("no lens:", new);
  if (!strcmp(old, new)) die("the lens is the old one:", new);
  free(old);
  free(new);
  cJSON_Delete(m);
}

/* Typing without a pause: how long does the server take to take a change, and to answer about another document meanwhile? */
static void flood(const char *uri, const char *other, double *typing, double *others, int n) {
  *typing = 0;
  for (int k = 0; k < n; k++) {
    struct timespec rest = {.tv_nsec = 10000000};
    double t = now();
    edit(uri, 100 + k);
    if (now() - t > *typing) *typing = now() - t;
    t = now();
    cJSON_Delete(wait_for(ask("textDocument/hover", other)));
    others[k] = now() - t;
    nanosleep(&rest, NULL);
  }
}

int main(int argc, char **argv) {
  static const char small[] =
      "// warpwise: grid=64 block=256 n=16384 x=f32[n]\n__global__ void small(float *x, int n) {\n"
      "  int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) x[i] += 1.0f;\n}\n";
  if (argc < 6) return 2;
  lines = argc > 6;
  FILE *f = fopen(argv[2], "r");
  char *text = calloc(1, 1 << 20), uri[300], other[] = "untitled:other.cu";
  int edits = atoi(argv[4]), others_n = 40;
  double *total = calloc((size_t)edits, sizeof *total), *inside = calloc((size_t)edits, sizeof *inside), others[40],
         typing;
  if (!f || fread(text, 1, (1 << 20) - 1, f) == 0) die("cannot read", argv[2]);
  const char *at = strstr(text, argv[5]), *begin = at;
  if (!at) die("the text has no", argv[5]);
  for (const char *p = text; p < at; p++)
    if (*p == '\n') line++, begin = p + 1;
  column = (unsigned)(at - begin);
  snprintf(uri, sizeof uri, "file://%s", argv[2]);
  start(argv[1]);
  open_text(uri, argv[3], text);
  double first = warm(uri);
  for (int k = 0; k < edits; k++) one_edit(uri, k, &total[k], &inside[k]);
  open_text(other, "cuda-cpp", small);
  cJSON_Delete(wait_for(ask("textDocument/hover", other)));
  flood(uri, other, &typing, others, others_n);
  double p50 = part(total, edits, 0.5), p90 = part(total, edits, 0.9), most = part(total, edits, 1);
  double quiet = part(others, others_n, 0.5), slowest = part(others, others_n, 1);
  printf("%d %.0f %.0f %.0f %.0f %.0f %.1f %.1f %.1f\n", edits, p50, p90, most, part(inside, edits, 0.5), first, typing,
         quiet, slowest);
  say(message("shutdown", "{}", ++ids));
  cJSON_Delete(wait_for(ids));
  say(message("exit", "{}", 0));
  return wait(NULL) < 0;
}
