/* drive.c - an editor that follows a script: `drive PROGRAM SCRIPT FOLDER`. Ends with 0
 * when everything came as the script says.
 *
 *   > JSON            sends a message ("jsonrpc" is added); @DIR@ is the folder
 *   raw TEXT          sends bytes: \r \n \\ \xNN
 *   flood N JSON      sends a message N times, @N@ counts
 *   < ID WORDS...     waits for the answer with this id (as JSON); it contains each
 * 'word', and none of !'word' note METHOD WORDS waits for a notification or request of
 * the server; older ones count until `forget` never METHOD      none has come so far
 * within MS         the next wait may take that long (else 30 s) forget | pause MS |
 * close (our end) | deaf (their end) | exit CODE
 *
 * Requests of the server are answered with null, but workspace/configuration with
 * [null]. Whatever is no JSON-RPC message ends it. */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int to = -1, from = -1;
static pid_t child;
static char *in;
static size_t in_n, in_cap;
static char **seen; /* messages of the server, as text */
static size_t nseen;
static int number; /* of the script's line */
static const char *folder;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void fail(const char *what, const char *detail) {
  printf("line %d: %s %.1500s\n", number, what, detail ? detail : "");
  for (size_t k = nseen > 3 ? nseen - 3 : 0; k < nseen; k++)
    printf("  came: %.700s\n", seen[k]);
  if (child > 0)
    kill(child, SIGKILL);
  exit(1);
}

static void put(const char *s, size_t n) {
  while (n && to >= 0) {
    ssize_t k = write(to, s, n);
    if (k < 0)
      return; /* it reads no more: the script knows */
    s += k;
    n -= (size_t)k;
  }
}

static void send_json(const char *json) {
  char head[64], *text = malloc(strlen(json) + 32);
  sprintf(text, "{\"jsonrpc\":\"2.0\",%s", json + 1);
  int n = sprintf(head, "Content-Length: %zu\r\n\r\n", strlen(text));
  put(head, (size_t)n);
  put(text, strlen(text));
  free(text);
}

static void take(char *text) {
  cJSON *m = cJSON_Parse(text);
  cJSON *id = cJSON_GetObjectItemCaseSensitive(m, "id"),
        *method = cJSON_GetObjectItemCaseSensitive(m, "method");
  cJSON *version = cJSON_GetObjectItemCaseSensitive(m, "jsonrpc");
  if (!m || (!cJSON_IsArray(m) &&
             (!cJSON_IsString(version) || strcmp(version->valuestring, "2.0"))))
    fail("no message:", text);
  seen = realloc(seen, (nseen + 1) * sizeof *seen);
  seen[nseen++] = text;
  if (id && method) {
    char answer[128];
    snprintf(answer, sizeof answer, "{\"id\":%.0f,\"result\":%s}", id->valuedouble,
             strcmp(method->valuestring, "workspace/configuration") ? "null"
                                                                    : "[null]");
    send_json(answer);
  }
  cJSON_Delete(m);
}

/* Reads what is there within the time. False: nothing came, or the server has closed.
 */
static bool receive(double until) {
  struct pollfd p = {.fd = from, .events = POLLIN};
  double left = until - now();
  if (poll(&p, 1, left > 0 ? (int)left + 1 : 0) <= 0)
    return false;
  if (in_cap - in_n < 65536)
    in = realloc(in, in_cap += 1 << 17);
  ssize_t got = read(from, in + in_n, 65535);
  if (got <= 0)
    return false;
  in_n += (size_t)got;
  for (;;) {
    in[in_n] = 0;
    char *body = memmem(in, in_n, "\r\n\r\n", 4);
    if (!body)
      return true;
    if (strncmp(in, "Content-Length: ", 16))
      fail("no header:", in);
    size_t n = strtoul(in + 16, NULL, 10), head = (size_t)(body + 4 - in);
    if (in_n < head + n)
      return true;
    take(strndup(in + head, n));
    memmove(in, in + head + n, in_n - head - n);
    in_n -= head + n;
  }
}

/* 'a word' !'another' */
static const char *mismatch(const char *text, const char *words) {
  static char word[2048];
  while (*words) {
    while (*words == ' ')
      words++;
    bool absent = *words == '!';
    words += absent;
    if (*words != '\'')
      break;
    size_t n = strcspn(++words, "'");
    snprintf(word, sizeof word, "%.*s", (int)n, words);
    words += n + (words[n] == '\'');
    if ((strstr(text, word) != NULL) == absent)
      return word;
  }
  return NULL;
}

static bool is_answer(const char *text, const char *id) {
  cJSON *m = cJSON_Parse(text), *got = cJSON_GetObjectItemCaseSensitive(m, "id");
  char *printed = got ? cJSON_PrintUnformatted(got) : NULL;
  bool yes = printed && !cJSON_HasObjectItem(m, "method") && !strcmp(printed, id);
  free(printed);
  cJSON_Delete(m);
  return yes;
}

static void want_answer(char *rest, double limit) {
  char *id = strsep(&rest, " ");
  double until = now() + limit;
  for (size_t k = 0;; k++) {
    while (k >= nseen)
      if (!receive(until))
        fail("no answer to", id);
    if (!is_answer(seen[k], id))
      continue;
    const char *word = mismatch(seen[k], rest ? rest : "");
    if (word) {
      printf("  answer: %.1500s\n", seen[k]);
      fail("the answer is wrong about", word);
    }
    memmove(seen + k, seen + k + 1, (--nseen - k) * sizeof *seen);
    return;
  }
}

static bool is_note(const char *text, const char *method) {
  char wanted[128];
  snprintf(wanted, sizeof wanted, "\"method\":\"%s\"", method);
  return strstr(text, wanted) != NULL;
}

static void want_note(char *rest, double limit) {
  char *method = strsep(&rest, " ");
  double until = now() + limit;
  for (size_t k = 0;; k++) {
    while (k >= nseen)
      if (!receive(until))
        fail("this did not come:", method);
    if (is_note(seen[k], method) && !mismatch(seen[k], rest ? rest : ""))
      return;
  }
}

static void want_exit(int code) {
  int status;
  double until = now() + 30000;
  while (receive(until)) {}
  for (int k = 0; waitpid(child, &status, WNOHANG) == 0; k++) {
    if (k > 3000)
      fail("it does not end", NULL);
    usleep(10000);
  }
  child = 0;
  char text[64];
  int got = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  snprintf(text, sizeof text, "%d, not %d", got, code);
  if (got != code)
    fail("it ended with", text);
}

static void raw(const char *s) {
  for (; *s; s++) {
    char c = *s;
    if (c == '\\' && s[1]) {
      s++;
      c = *s == 'r' ? '\r' : *s == 'n' ? '\n' : *s;
      if (*s == 'x' && isxdigit((unsigned char)s[1])) {
        c = (char)strtol((char[]){s[1], s[2], 0}, NULL, 16);
        s += 2;
      }
    }
    put(&c, 1);
  }
}

static char *replace(const char *s, const char *what, const char *with) {
  char *out = malloc(strlen(s) * (strlen(with) + 1) + 1), *o = out;
  for (; *s; s++)
    if (!strncmp(s, what, strlen(what))) {
      o = stpcpy(o, with);
      s += strlen(what) - 1;
    } else
      *o++ = *s;
  *o = 0;
  return out;
}

static void flood(char *rest) {
  int n = atoi(strsep(&rest, " "));
  for (int k = 0; k < n; k++) {
    char count[16];
    sprintf(count, "%d", k + 100);
    char *text = replace(rest, "@N@", count);
    send_json(text);
    free(text);
    receive(now() - 10);
  }
}

static void run(char *s) {
  static double limit = 30000;
  char *line = replace(s, "@DIR@", folder), *rest = line, *word = strsep(&rest, " ");
  if (!*word || *word == '#')
    return;
  if (!strcmp(word, ">"))
    send_json(rest);
  else if (!strcmp(word, "raw"))
    raw(rest);
  else if (!strcmp(word, "flood"))
    flood(rest);
  else if (!strcmp(word, "<")) {
    want_answer(rest, limit);
    limit = 30000;
  } else if (!strcmp(word, "note")) {
    want_note(rest, limit);
    limit = 30000;
  } else if (!strcmp(word, "within"))
    limit = atof(rest);
  else if (!strcmp(word, "pause")) {
    double until = now() + atof(rest);
    while (now() < until)
      receive(until);
  } else if (!strcmp(word, "never")) {
    for (size_t k = 0; k < nseen; k++)
      if (is_note(seen[k], rest))
        fail("this came:", seen[k]);
  } else if (!strcmp(word, "forget"))
    nseen = 0;
  else if (!strcmp(word, "close")) {
    close(to);
    to = -1;
  } else if (!strcmp(word, "deaf")) {
    close(from);
    from = -1;
  } else if (!strcmp(word, "exit"))
    want_exit(atoi(rest));
  else
    fail("what is", word);
}

static void start(const char *program) {
  int a[2], b[2];
  if (pipe2(a, O_CLOEXEC) || pipe2(b, O_CLOEXEC))
    exit(2);
  child = fork();
  if (!child) {
    dup2(a[0], 0);
    dup2(b[1], 1);
    execl(program, program, "lsp", (char *)NULL);
    _exit(127);
  }
  close(a[0]);
  close(b[1]);
  to = a[1];
  from = b[0];
}

int main(int argc, char **argv) {
  FILE *f = argc == 4 ? fopen(argv[2], "r") : NULL;
  char *line = NULL;
  size_t cap = 0;
  ssize_t n;
  if (!f)
    return 2;
  signal(SIGPIPE, SIG_IGN);
  folder = argv[3];
  start(argv[1]);
  for (number = 1; (n = getline(&line, &cap, f)) >= 0; number++) {
    if (n && line[n - 1] == '\n')
      line[n - 1] = 0;
    run(line);
  }
  if (child)
    kill(child, SIGKILL);
  return child ? (printf("the script does not end with exit\n"), 1) : 0;
}
