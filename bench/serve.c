/* serve.c - clients of `warpwise serve`, honest and hostile ones, for bench/serve.sh, bench/hostile.sh and tests/serve.sh.
 *
 *   serve PORT SOURCE NAME KERNEL SECONDS CLIENTS PAUSE_MS [EXTRA]
 *
 * Each client edits a number inside the kernel (the text @EDIT@ of SOURCE stands for it), asks for its prediction, waits PAUSE_MS and does so
 * again until SECONDS have passed. EXTRA: further members of the request, `"launch":{...}`. Prints one line of numbers:
 *   requests errors p50_ms p90_ms p99_ms read_ms clang_ms predict_ms        (the last three: medians of what the server says)
 * Exit 1 if any answer was an error.
 *
 *   serve PORT raw SECONDS              sends what is on stdin; prints what comes back, then "closed", or "open" after SECONDS
 *   serve PORT slow KIND COUNT SECONDS  COUNT connections that take their time, opened again when they are closed: a row of `slow` below.
 *                                       Prints "opened N closed N answered N", on SIGTERM too
 *   serve PORT post PATH WORD SECONDS   asks with the body on stdin, again and again, on one connection.
 *                                       Prints "asked N statuses N N N N words N": 2xx to 5xx, and answers with WORD in them
 *   serve PORT heads SECONDS            heads that are malformed or can be read in two ways, again and again. Prints the same */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
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

/* A connection that was closed while nothing was asked is opened again, as browsers do. */
static char *exchange(int *fd, const char *head, size_t h, const char *body, size_t n) {
  for (int again = 0; again < 2; again++) {
    if (*fd < 0) *fd = dial();
    char *answer = *fd >= 0 && send_all(*fd, head, h) && send_all(*fd, body, n) ? receive(*fd) : NULL;
    if (answer) return answer;
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
  return NULL;
}

static void ask(int *fd) {
  size_t n;
  char head[256], *body = request(&n);
  int h = snprintf(head, sizeof head,
                   "POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", n);
  double t = now();
  char *answer = exchange(fd, head, (size_t)h, body, n);
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
    ask(&fd);
  }
  if (fd >= 0) close(fd);
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

/* ---- hostile ones ---- */

#define HOST "Host: 127.0.0.1\r\n"
#define JSON "Content-Type: application/json\r\n"

/* What each connection sends at once, then a piece of every `every_ms`; how much of the answers it reads a second (-1: all). */
static const struct {
  const char *name, *first, *more;
  int every_ms, reads;
} slow[] = {
    {"head", "GET /healthz HTTP/1.1\r\n" HOST "X-Slow: ", "a", 500, -1},
    {"line", "GET /", "a", 500, -1},
    {"headers", "GET /healthz HTTP/1.1\r\n" HOST, "X-One-More: a\r\n", 500, -1},
    {"silent", "", "", 1000, -1},
    {"body", "POST /v1/predict HTTP/1.1\r\n" HOST JSON "Content-Length: 100000\r\n\r\n{", " ", 500, -1},
    {"chunks", "POST /v1/predict HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n", 500, -1},
    {"read", "GET /openapi.json HTTP/1.1\r\n" HOST "\r\n", "GET /openapi.json HTTP/1.1\r\n" HOST "\r\n", 20, 1},
    {"idle", "GET /healthz HTTP/1.1\r\n" HOST "\r\n", "", 1000, -1},
    {"again", "GET /healthz HTTP/1.1\r\n" HOST "\r\nGET /healthz HTTP/1.1\r\n" HOST "X-Slow: ", "a", 500, -1},
    {"flood", "", "GET /healthz HTTP/1.1\r\n" HOST "\r\nGET /healthz HTTP/1.1\r\n" HOST "\r\n", 1, -1},
};

static int dial_slowly(int reads) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), small = 2048;
  inet_pton(AF_INET, "127.0.0.1", &a.sin_addr);
  if (fd >= 0 && reads >= 0) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) && errno != EINPROGRESS) {
    close(fd);
    return -1;
  }
  return fd;
}

typedef struct {
  int fd, begun;
  double next;
} slow_one;

/* Whether the connection is still there. */
static int go_on(slow_one *c, size_t kind, int *answered) {
  char b[65536];
  struct pollfd ready = {.fd = c->fd, .events = POLLOUT};
  double t = now();
  if (poll(&ready, 1, 0) == 1 && (ready.revents & (POLLERR | POLLHUP))) return 0;
  if ((ready.revents & POLLOUT) && t >= c->next) {
    const char *piece = c->begun ? slow[kind].more : slow[kind].first;
    if (*piece && send(c->fd, piece, strlen(piece), MSG_NOSIGNAL) < 0 && errno != EAGAIN) return 0;
    c->begun = 1;
    c->next = t + slow[kind].every_ms;
  }
  ssize_t k = recv(c->fd, b, slow[kind].reads < 0 ? sizeof b : (size_t)slow[kind].reads, 0);
  *answered += k > 5 && !strncmp(b, "HTTP/", 5);
  return k > 0 || (k < 0 && (errno == EAGAIN || errno == ENOTCONN));
}

static volatile sig_atomic_t stopped;
static void stop(int which) { stopped = which; }

static int slowly(const char *name_of, int count, double s) {
  size_t kind = 0, kinds = sizeof slow / sizeof *slow;
  int opened = 0, closed = 0, answered = 0;
  while (kind < kinds && strcmp(slow[kind].name, name_of)) kind++;
  if (kind == kinds || count < 1) return 2;
  slow_one *all = calloc((size_t)count, sizeof *all);
  for (int k = 0; k < count; k++) all[k].fd = -1;
  signal(SIGTERM, stop);
  for (double end = now() + 1e3 * s; now() < end && !stopped; usleep(slow[kind].every_ms < 20 ? 1000 : 20000))
    for (int k = 0; k < count; k++) {
      if (all[k].fd < 0) {
        all[k] = (slow_one){.fd = dial_slowly(slow[kind].reads)};
        opened += all[k].fd >= 0;
      } else if (!go_on(&all[k], kind, &answered)) {
        close(all[k].fd);
        all[k].fd = -1;
        closed++;
      }
    }
  printf("opened %d closed %d answered %d\n", opened, closed, answered);
  return 0;
}

static char *all_of_stdin(size_t *n) {
  char *b = malloc(1 << 22);
  *n = fread(b, 1, (1 << 22) - 1, stdin);
  b[*n] = 0;
  return b;
}

/* Until the other side closes, or for s seconds. */
static int raw(double s) {
  size_t n;
  char *b = all_of_stdin(&n);
  int fd = dial(), closed = 0;
  double end = now() + 1e3 * s;
  struct pollfd ready = {.fd = fd, .events = POLLIN};
  if (fd < 0) return 1;
  send_all(fd, b, n);
  while (!closed && now() < end && poll(&ready, 1, (int)(end - now()) + 1) == 1) {
    ssize_t k = read(fd, b, 1 << 22);
    if (k > 0) fwrite(b, 1, (size_t)k, stdout);
    closed = k <= 0;
  }
  puts(closed ? "\nclosed" : "\nopen");
  return 0;
}

static int statuses[6], words;

static void count(char *answer, const char *word) {
  words += answer && *word && strstr(answer, word);
  int status = answer && !strncmp(answer, "HTTP/1.", 7) ? atoi(answer + 9) / 100 : 0;
  statuses[status >= 2 && status <= 5 ? status : 0]++;
  free(answer);
}

static int tell_statuses(void) {
  int n = statuses[0];
  for (int k = 2; k < 6; k++) n += statuses[k];
  printf("asked %d statuses %d %d %d %d words %d\n", n, statuses[2], statuses[3], statuses[4], statuses[5], words);
  return 0;
}

static int post(const char *path, const char *word, double s) {
  size_t n;
  char head[512], *body = all_of_stdin(&n);
  int fd = -1, h = snprintf(head, sizeof head, "POST %.200s HTTP/1.1\r\n" HOST JSON "Content-Length: %zu\r\n\r\n", path, n);
  for (double end = now() + 1e3 * s; now() < end;) count(exchange(&fd, head, (size_t)h, body, n), word);
  return tell_statuses();
}

static int heads(double s) {
  static const char *const bad[] = {
      "\r\n\r\n\r\n\r\nGARBAGE\r\n\r\n",
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\n" HOST "\r\n",
      "GET / HTTP/1.1\r\n" HOST HOST "\r\n",
      "GET / HTTP/1.1\r\n" HOST "X(Y): nothing\r\n\r\n",
      "POST /v1/predict HTTP/1.1\r\n" HOST JSON "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /v1/predict HTTP/1.1\r\n" HOST JSON "Content-Length: -1\r\n\r\n",
      "POST /v1/predict HTTP/1.1\r\n" HOST JSON "Transfer-Encoding: chunked\r\n\r\nZZZZ\r\n",
  };
  double end = now() + 1e3 * s;
  for (size_t k = 0; now() < end; k++) {
    int fd = dial();
    const char *head = bad[k % (sizeof bad / sizeof *bad)];
    struct timeval patience = {.tv_sec = 2};
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    count(fd >= 0 && send_all(fd, head, strlen(head)) ? receive(fd) : NULL, "");
    if (fd >= 0) close(fd);
    usleep(1000);
  }
  return tell_statuses();
}

static int hostile(int argc, char **argv) {
  double s = atof(argv[argc - 1]);
  if (!strcmp(argv[2], "raw")) return raw(s);
  if (argc == 6 && !strcmp(argv[2], "post")) return post(argv[3], argv[4], s);
  if (!strcmp(argv[2], "heads")) return heads(s);
  return argc == 6 && !strcmp(argv[2], "slow") ? slowly(argv[3], atoi(argv[4]), s) : 2;
}

int main(int argc, char **argv) {
  pthread_t threads[64];
  signal(SIGPIPE, SIG_IGN);
  if (argc > 1) port = atoi(argv[1]);
  if (argc >= 4 && argc <= 6) return hostile(argc, argv);
  if (argc < 8) return fprintf(stderr, "usage: serve PORT SOURCE NAME KERNEL SECONDS CLIENTS PAUSE_MS [EXTRA]\n"), 2;
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
