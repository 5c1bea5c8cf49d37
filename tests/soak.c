/* soak.c - `soak PROGRAM SECONDS [RATE]` : an editor on `warpwise lsp` and clients of
 * `warpwise serve`, RATE requests a second each (default 3), while memory and
 * descriptors of both are sampled. Ends with a table; 1 when one of them grows.
 *
 * The load: edits, good and broken texts, requests that are cancelled, files that close
 * and open, unknown methods; predictions, explanations, bad JSON, unknown files,
 * clients that leave in the middle of a request or before its answer. Texts repeat
 * after a while, so that what the servers keep is full before the second quarter. Flat:
 * the last quarter's mean is at most 3 % and 4 MB above the second's (15 % in runs
 * below ten minutes, which only warm up), and the least number of descriptors, which is
 * that between requests, at most 8. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WINDOWS = 12, TEXT = 2048, MESSAGE = 4096 };

typedef struct {
  const char *name;
  pid_t pid;
  int to, from; /* pipes; the server's stdin and stdout */
  int port;
  atomic_long asked, answered, refused, cancelled,
      left;    /* requests; answers; errors as answers; given up by us */
  double *rss; /* MB, a sample each */
  int *fds;
} server;

static double seconds;
static double period; /* of one client, s */
static int variants;
static atomic_bool over;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nap(double s) {
  struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};
  nanosleep(&t, NULL);
}

static void die(const char *what) {
  fprintf(stderr, "soak: %s: %s\n", what, strerror(errno));
  exit(2);
}

static void start(server *s, const char *program, char *const *argv) {
  int in[2], out[2];
  if (pipe(in) || pipe(out))
    die("pipe");
  s->pid = fork();
  if (s->pid < 0)
    die("fork");
  if (!s->pid) {
    dup2(in[0], 0);
    dup2(out[1], 1);
    for (int k = 3; k < 64; k++)
      close(k);
    execv(program, argv);
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  s->to = in[1];
  s->from = out[0];
}

/* ---- texts ---- */

static void kernel_text(int k, bool broken, bool json, char *out, size_t n) {
  const char *nl = json ? "\\n" : "\n";
  snprintf(out, n,
           "// warpwise: grid=n/256 block=256 n=65536 x=f32[n] y=f32[n]%s__global__ "
           "void first(int "
           "n, const float *x, float *y) {%s"
           "  int i = blockIdx.x * 256 + threadIdx.x;%s  y[i] = x[i] * %d.5f%s%s}%s"
           "__global__ void second(int n, float *x) { int i = blockIdx.x * 256 + "
           "threadIdx.x; if "
           "(i < n) x[i] += %d; }%s",
           nl, nl, nl, k % variants, broken ? "" : ";", nl, nl, k % variants % 7, nl);
}

/* ---- the editor ---- */

static void put(server *s, const char *json) {
  char head[64];
  int n = snprintf(head, sizeof head, "Content-Length: %zu\r\n\r\n", strlen(json));
  if (write(s->to, head, (size_t)n) < 0 || write(s->to, json, strlen(json)) < 0)
    atomic_store(&over, true);
}

static void *listen_to(void *ctx) { /* answers are counted by what is in them */
  server *s = ctx;
  char buf[1 << 16];
  size_t held = 0;
  for (;;) {
    ssize_t got = read(s->from, buf + held, sizeof buf - 1 - held);
    if (got <= 0)
      return NULL;
    held += (size_t)got;
    buf[held] = 0;
    char *p = buf, *next;
    while ((next = strstr(p, "\"jsonrpc\":\"2.0\",\"id\":"))) {
      char *end = strstr(next + 20, "\"jsonrpc\":\"2.0\"");
      size_t room = end ? (size_t)(end - next) : strlen(next);
      char *bad = memmem(next, room < 200 ? room : 200, "\"error\":", 8);
      atomic_fetch_add(bad ? &s->refused : &s->answered, 1);
      p = next + 20;
    }
    held = 0; /* a header that is cut costs one answer in the count, no more */
  }
}

static void edit(server *s, long k) {
  char text[TEXT], message[MESSAGE + TEXT];
  int file = (int)(k % 3);
  static int version = 1;
  switch (k % 10) {
  case 0:
  case 5:
    kernel_text((int)k, false, true, text, sizeof text);
    snprintf(message, sizeof message,
             "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/"
             "didChange\",\"params\":{\"textDocument\":{\"uri\":\"file:///soak/"
             "%d.cu\",\"version\":%d},\"contentChanges\":[{\"text\":\"%s\"}]}}",
             file, ++version, text);
    break;
  case 7:
    kernel_text((int)k, true, true, text, sizeof text);
    snprintf(message, sizeof message,
             "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/"
             "didChange\",\"params\":{\"textDocument\":{\"uri\":\"file:///soak/"
             "%d.cu\",\"version\":%d},\"contentChanges\":[{\"text\":\"%s\"}]}}",
             file, ++version, text);
    break;
  case 8:
    snprintf(
        message, sizeof message,
        "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/"
        "didClose\",\"params\":{\"textDocument\":{\"uri\":\"file:///soak/%d.cu\"}}}",
        file);
    put(s, message);
    kernel_text((int)k, false, true, text, sizeof text);
    snprintf(message, sizeof message,
             "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/"
             "didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file:///soak/"
             "%d.cu\",\"languageId\":\"cuda-cpp\",\"version\":%d,\"text\":\"%s\"}}}",
             file, ++version, text);
    break;
  default: {
    static const char *const methods[] = {"codeLens", "hover", "inlayHint",
                                          "codeAction", "nonsense"};
    const char *m = methods[k / 10 % 5];
    snprintf(message, sizeof message,
             "{\"jsonrpc\":\"2.0\",\"id\":%ld,\"method\":\"textDocument/"
             "%s\",\"params\":{\"textDocument\":{\"uri\":\"file:///soak/"
             "%d.cu\"},\"position\":{\"line\":3,\"character\":4},\"range\":{\"start\":{"
             "\"line\":0,"
             "\"character\":0},\"end\":{\"line\":9,\"character\":0}},\"context\":{"
             "\"diagnostics\":[]}}}",
             k + 10, m, file);
    atomic_fetch_add(&s->asked, 1);
  }
  }
  put(s, message);
  if (k % 10 == 4) { /* that one is not waited for */
    snprintf(
        message, sizeof message,
        "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":%ld}}",
        k + 10);
    put(s, message);
    atomic_fetch_add(&s->cancelled, 1);
  }
}

static void *be_editor(void *ctx) {
  server *s = ctx;
  char text[TEXT], message[MESSAGE + TEXT];
  put(s, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
         "\"processId\":null,"
         "\"rootUri\":null,\"capabilities\":{}}}");
  put(s, "{\"jsonrpc\":\"2.0\",\"method\":\"initialized\",\"params\":{}}");
  for (int f = 0; f < 3; f++) {
    kernel_text(f, false, true, text, sizeof text);
    snprintf(message, sizeof message,
             "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/"
             "didOpen\",\"params\":{\"textDocument\":{\"uri\":\"file:///soak/"
             "%d.cu\",\"languageId\":\"cuda-cpp\",\"version\":1,\"text\":\"%s\"}}}",
             f, text);
    put(s, message);
  }
  for (long k = 0; !atomic_load(&over); k++) {
    edit(s, k);
    nap(period);
  }
  put(s, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"shutdown\"}");
  put(s, "{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}");
  return NULL;
}

/* ---- clients ---- */

static int dial(const server *s) {
  struct sockaddr_in a = {.sin_family = AF_INET,
                          .sin_port = htons((uint16_t)s->port),
                          .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct timeval most = {.tv_sec = 40};
  if (fd >= 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a)) {
    close(fd);
    return -1;
  }
  return fd;
}

/* One request on a connection of its own; leave: 1 gone before the answer, 2 in the
 * middle of the request. */
static void request(server *s, const char *path, const char *body, int leave) {
  char head[512], answer[1024];
  int fd = dial(s);
  if (fd < 0)
    return;
  size_t n = body ? strlen(body) : 0;
  int h =
      snprintf(head, sizeof head,
               "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: "
               "application/json\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
               body ? "POST" : "GET", path, s->port, n);
  atomic_fetch_add(&s->asked, 1);
  if (send(fd, head, (size_t)h, MSG_NOSIGNAL) == h && n)
    send(fd, body, leave == 2 ? n / 2 : n, MSG_NOSIGNAL);
  if (leave)
    atomic_fetch_add(&s->left, 1);
  else {
    ssize_t got = recv(fd, answer, sizeof answer - 1, 0);
    answer[got > 0 ? got : 0] = 0;
    atomic_fetch_add(strstr(answer, " 200 ") ? &s->answered : &s->refused, 1);
    while (got > 0)
      got = recv(fd, answer, sizeof answer, 0);
  }
  close(fd);
}

static void *be_client(void *ctx) {
  server *s = ctx;
  char text[TEXT], body[MESSAGE + TEXT];
  for (long k = 0; !atomic_load(&over); k++) {
    kernel_text((int)k, k % 10 == 3, true, text, sizeof text);
    snprintf(body, sizeof body,
             "{\"source\":\"%s\",\"file\":\"soak.cu\",\"gpu\":\"%s\"}", text,
             k % 2 ? "h200" : "a100");
    switch (k % 10) {
    case 1:
      request(s, "/v1/explain", body, 0);
      break;
    case 4:
      request(s, "/v1/predict", body, 1);
      break;
    case 5:
      request(s, "/v1/predict", body, 2);
      break;
    case 6:
      request(s, "/v1/predict", "{\"file\":\"nowhere.cu\"}", 0);
      break;
    case 7:
      request(s, "/v1/predict", "{\"file\":", 0);
      break;
    case 8:
      request(s, k % 20 == 8 ? "/healthz" : "/nowhere", NULL, 0);
      break;
    case 9:
      request(s, "/v1/kernels", body, 0);
      break;
    default:
      request(s, "/v1/predict", body, 0);
    }
    nap(period);
  }
  return NULL;
}

/* ---- samples ---- */

static double rss_of(pid_t pid) {
  char path[64], line[256];
  double kb = 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f))
    sscanf(line, "VmRSS: %lf", &kb);
  if (f)
    fclose(f);
  return kb / 1024;
}

static int fds_of(pid_t pid) {
  char path[64];
  int n = 0;
  snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
  DIR *d = opendir(path);
  for (struct dirent *e; d && (e = readdir(d));)
    n += e->d_name[0] != '.';
  if (d)
    closedir(d);
  return n;
}

static double mean(const double *v, long from, long to) {
  double sum = 0;
  for (long k = from; k < to; k++)
    sum += v[k];
  return to > from ? sum / (double)(to - from) : 0;
}

static int least(const int *v, long from, long to) {
  int n = v[from];
  for (long k = from; k < to; k++)
    n = v[k] < n ? v[k] : n;
  return n;
}

static int most(const int *v, long from, long to) {
  int n = v[from];
  for (long k = from; k < to; k++)
    n = v[k] > n ? v[k] : n;
  return n;
}

/* MB an hour, by least squares over the second half. */
static double slope(const double *v, long n) {
  double x = 0, y = 0, xx = 0, xy = 0, m = 0;
  for (long k = n / 2; k < n; k++) {
    double t = seconds * (double)k / (double)n / 3600;
    x += t;
    y += v[k];
    xx += t * t;
    xy += t * v[k];
    m++;
  }
  double d = m * xx - x * x;
  return d > 0 ? (m * xy - x * y) / d : 0;
}

static bool judge(const server *s, long n) {
  double before = mean(s->rss, n / 4, n / 2), after = mean(s->rss, 3 * n / 4, n);
  int fds_before = least(s->fds, n / 4, n / 2), fds_after = least(s->fds, 3 * n / 4, n);
  double slack = seconds < 600 ? 1.15 : 1.03;
  bool flat = after <= before * slack + 4 && fds_after <= fds_before + 8;
  printf("%s: %.1f MB in the second quarter, %.1f MB in the last (%+.1f MB an hour "
         "over the second "
         "half); descriptors %d and %d: %s\n",
         s->name, before, after, slope(s->rss, n), fds_before, fds_after,
         flat ? "flat" : "NOT FLAT");
  return flat;
}

static void show(const server *s, long n) {
  printf("\n%s: %ld asked, %ld answered, %ld refused, %ld cancelled, %ld left by the "
         "client\n%10s "
         "%10s %12s\n",
         s->name, atomic_load(&s->asked), atomic_load(&s->answered),
         atomic_load(&s->refused), atomic_load(&s->cancelled), atomic_load(&s->left),
         "to, s", "RSS, MB", "descriptors");
  for (long w = 0; w < WINDOWS; w++) {
    long from = w * n / WINDOWS, to = (w + 1) * n / WINDOWS;
    if (to > from)
      printf("%10.0f %10.1f %6d..%d\n", seconds * (double)(w + 1) / WINDOWS,
             mean(s->rss, from, to), least(s->fds, from, to), most(s->fds, from, to));
  }
}

static bool ended(server *s) {
  int status;
  return waitpid(s->pid, &status, WNOHANG) != 0;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return fputs("usage: soak PROGRAM SECONDS [RATE]\n", stderr), 2;
  server lsp = {.name = "lsp"}, serve = {.name = "serve"};
  pthread_t editor, listener, client;
  char line[256] = "";
  seconds = atof(argv[2]);
  period = 1 / (argc > 3 ? atof(argv[3]) : 3);
  variants = seconds / 8 < 8 ? 8 : seconds / 8 > 300 ? 300 : (int)(seconds / 8);
  signal(SIGPIPE, SIG_IGN);
  start(&lsp, argv[1], (char *[]){argv[1], "lsp", NULL});
  start(&serve, argv[1],
        (char *[]){argv[1], "serve", "--port", "0", "--workers", "2", NULL});
  FILE *f = fdopen(serve.from, "r");
  if (!f || !fgets(line, sizeof line, f) ||
      sscanf(line, "http://127.0.0.1:%d", &serve.port) != 1)
    die("the server did not say where it is");
  long n = (long)seconds, at = 0;
  for (server *s = &lsp; s; s = s == &lsp ? &serve : NULL) {
    s->rss = calloc((size_t)n + 1, sizeof *s->rss);
    s->fds = calloc((size_t)n + 1, sizeof *s->fds);
  }
  pthread_create(&listener, NULL, listen_to, &lsp);
  pthread_create(&editor, NULL, be_editor, &lsp);
  pthread_create(&client, NULL, be_client, &serve);
  double begin = now();
  bool died = false;
  while (at < n && !died && !atomic_load(&over)) {
    double wait = begin + (double)(at + 1) - now();
    if (wait > 0)
      nap(wait);
    for (server *s = &lsp; s; s = s == &lsp ? &serve : NULL) {
      s->rss[at] = rss_of(s->pid);
      s->fds[at] = fds_of(s->pid);
    }
    at++;
    if ((died = ended(&lsp) || ended(&serve)))
      fputs("soak: a server ended\n", stderr);
  }
  atomic_store(&over, true);
  pthread_join(editor, NULL);
  pthread_join(client, NULL);
  kill(serve.pid, SIGTERM);
  int a = 0, b = 0;
  waitpid(lsp.pid, &a, 0);
  waitpid(serve.pid, &b, 0);
  pthread_join(listener, NULL);
  show(&lsp, at);
  show(&serve, at);
  printf("\n");
  bool flat = judge(&lsp, at);
  flat = judge(&serve, at) && flat;
  if (!died && (a || b))
    printf("ended with %d and %d, not orderly\n", a, b);
  bool worked =
      atomic_load(&lsp.answered) > at / 10 && atomic_load(&serve.answered) > at / 10;
  if (!worked)
    printf("too few answers for %ld s of load\n", at);
  return flat && worked && !died && !a && !b ? 0 : 1;
}
