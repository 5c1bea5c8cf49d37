/* serve.c - clients of `warpwise serve`, for bench/serve.sh and tests/serve.sh.
 *
 *   serve PORT SOURCE NAME KERNEL SECONDS CLIENTS PAUSE_MS [EXTRA]
 *
 * Each client edits a number inside the kernel (the text @EDIT@ of SOURCE stands for it), asks for its prediction, waits PAUSE_MS and does so
 * again until SECONDS have passed. EXTRA: further members of the request, `"launch":{...}`. Prints one line of numbers:
 *   requests errors p50_ms p90_ms p99_ms read_ms clang_ms predict_ms        (the last three: medians of what the server says)
 * Exit 1 if any answer was an error. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  double total, read, clang, predict;
} sample;

static const char *text, *name, *kernel, *extra = "";
static int port;
static double seconds, pause_ms;
static atomic_int edits, errors;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sample *samples;
static size_t nsamples;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* JSON's escapes; @EDIT@ becomes a number that nobody had before. */
static char *request(size_t *n) {
  int edit = atomic_fetch_add(&edits, 1);
  char *body = malloc(2 * strlen(text) + strlen(extra) + 4096), *p = body;
  p += sprintf(p, "{\"file\":\"%s\",\"kernel\":\"%s\",\"gpu\":\"h200\"%s%s,\"source\":\"", name, kernel, *extra ? "," : "",
               extra);
  for (const char *t = text; *t; t++) {
    if (!strncmp(t, "@EDIT@", 6)) {
      p += sprintf(p, "%d.5f", edit + 2);
      t += 5;
    } else if (*t == '\n') {
      p += sprintf(p, "\\n");
    } else if (*t == '"' || *t == '\\') {
      *p++ = '\\', *p++ = *t;
    } else if (*t == '\t') {
      *p++ = ' ';
    } else
      *p++ = *t;
  }
  p += sprintf(p, "\"}");
  *n = (size_t)(p - body);
  return body;
}

static int dial(void) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
  if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0) return fd;
  close(fd);
  return -1;
}

static int send_all(int fd, const char *p, size_t n) {
  while (n) {
    ssize_t k = write(fd, p, n);
    if (k <= 0) return 0;
    p += k, n -= (size_t)k;
  }
  return 1;
}

/* Head and body of one answer, NUL-terminated; NULL when the connection broke. */
static char *receive(int fd) {
  size_t cap = 65536, n = 0, want = 0;
  char *b = malloc(cap);
  for (;;) {
    ssize_t k = read(fd, b + n, cap - n - 1);
    if (k <= 0) break;
    b[n += (size_t)k] = 0;
    char *end = strstr(b, "\r\n\r\n"), *length = strcasestr(b, "Content-Length: ");
    if (end && length) want = (size_t)(end - b) + 4 + strtoul(length + 16, NULL, 10);
    if (want && n >= want) return b;
    if (n + 1 == cap) b = realloc(b, cap *= 2);
  }
  free(b);
  return NULL;
}

static double member(const char *answer, const char *key) {
  const char *at = strstr(answer, "\"timing\":{\"read_ms\"");
  at = at ? strstr(at, key) : NULL;
  return at ? strtod(at + strlen(key), NULL) : -1;
}

static void ask(int fd) {
  size_t n;
  char head[256], *body = request(&n);
  int h = snprintf(head, sizeof head,
                   "POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", n);
  double t = now();
  char *answer = send_all(fd, head, (size_t)h) && send_all(fd, body, n) ? receive(fd) : NULL;
  double took = now() - t;
  if (!answer || strncmp(answer, "HTTP/1.1 200", 12)) {
    if (atomic_fetch_add(&errors, 1) < 3) fprintf(stderr, "%.400s\n", answer ? answer : "the connection broke");
  } else {
    pthread_mutex_lock(&lock);
    samples = realloc(samples, (nsamples + 1) * sizeof *samples);
    samples[nsamples++] = (sample){took, member(answer, "\"read_ms\":"), member(answer, "\"clang_ms\":"),
                                   member(answer, "\"predict_ms\":")};
    pthread_mutex_unlock(&lock);
  }
  free(answer);
  free(body);
}

static void *client(void *ctx) {
  int fd = dial();
  double end = now() + 1e3 * seconds;
  (void)ctx;
  if (fd < 0) {
    atomic_fetch_add(&errors, 1);
    return NULL;
  }
  /* not all at the same moment, again and again: people do not type in step */
  unsigned seed = (unsigned)(uintptr_t)ctx * 7919u + 1;
  while (now() < end) {
    double wait = pause_ms * (0.5 + (double)rand_r(&seed) / RAND_MAX);
    if (pause_ms > 0) usleep((useconds_t)(1e3 * wait));
    ask(fd);
  }
  close(fd);
  return NULL;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double quantile(size_t at, double q) {
  double *v = malloc((nsamples + 1) * sizeof *v);
  for (size_t k = 0; k < nsamples; k++) v[k] = ((const double *)&samples[k])[at];
  qsort(v, nsamples, sizeof *v, ascending);
  double x = nsamples ? v[(size_t)(q * (double)(nsamples - 1) + 0.5)] : -1;
  free(v);
  return x;
}

static char *slurp(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return perror(path), NULL;
  char *b = calloc(1, 1 << 20);
  size_t n = fread(b, 1, (1 << 20) - 1, f);
  fclose(f);
  b[n] = 0;
  return b;
}

int main(int argc, char **argv) {
  pthread_t threads[64];
  if (argc < 8) return fprintf(stderr, "usage: serve PORT SOURCE NAME KERNEL SECONDS CLIENTS PAUSE_MS [EXTRA]\n"), 2;
  port = atoi(argv[1]);
  name = argv[3], kernel = argv[4];
  seconds = atof(argv[5]), pause_ms = atof(argv[7]);
  int clients = atoi(argv[6]);
  if (argc > 8) extra = argv[8];
  if (!(text = slurp(argv[2])) || clients < 1 || clients > 64) return 2;
  atomic_store(&edits, (int)(time(NULL) % 1000) * 1000); /* an earlier run's are known already */
  for (int k = 0; k < clients; k++) pthread_create(&threads[k], NULL, client, (void *)(uintptr_t)(k + 1));
  for (int k = 0; k < clients; k++) pthread_join(threads[k], NULL);
  printf("%zu %d %.1f %.1f %.1f %.1f %.1f %.1f\n", nsamples, atomic_load(&errors), quantile(0, 0.5), quantile(0, 0.9),
         quantile(0, 0.99), quantile(1, 0.5), quantile(2, 0.5), quantile(3, 0.5));
  return atomic_load(&errors) || !nsamples;
}
