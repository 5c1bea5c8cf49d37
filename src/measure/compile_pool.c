/* compile_pool.c - units compiled by child processes that live over many of them.
 *
 * NVRTC holds a lock per process and is a library that may crash on odd input: so
 * processes, each with one socket as its stdin and stdout, a line of JSON per unit and
 * one per answer, in order. A child has at most two units, one at work and one waiting,
 * so that it never waits for us; when it dies the first of them is blamed and the other
 * done again. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "compile_int.h"
#include "measure.h"

#define IN_FLIGHT 2
#define MOST_PROCESSES 256
#define UNIT_LIMIT 900.0 /* seconds; a compiler that takes longer is ended */

/* ---- units and answers as lines ---- */

static void write_words(ww_json *j, const char *key, const char *const *v, uint32_t n) {
  ww_json_put(j, "%s:[", key);
  for (uint32_t i = 0; i < n; i++)
    ww_json_str(j, v[i]);
  ww_json_end_arr(j);
}

static void write_unit(const ww_unit_job *u, ww_buf *out) {
  ww_json j = {.out = out};
  ww_json_put(
      &j, "{nvcc:%i,limit_s:%u,architecture:%s,file?:%s,text?:%s,out:%s,compiler?:%s",
      u->nvcc, u->limit_s, u->architecture, u->file, u->text, u->out, u->compiler);
  write_words(&j, "flags", u->flags.v, u->flags.n);
  write_words(&j, "kernels", u->kernels.v, u->kernels.n);
  ww_json_end_obj(&j);
  ww_buf_puts(out, "\n");
}

static void words_of(const cJSON *tree, const char *key, ww_arena *a, ww_strings *out) {
  const cJSON *m;
  cJSON_ArrayForEach(m, cJSON_GetObjectItemCaseSensitive(tree, key)) {
    const char *s = cJSON_IsString(m) ? ww_strdup(a, m->valuestring) : NULL;
    ww_push(a, out, s);
  }
}

static ww_status read_unit(const char *line, ww_arena *a, ww_unit_job *u, ww_err *e) {
  cJSON *tree = ww_json_read(line, strlen(line), e);
  if (!tree)
    return WW_EPARSE;
  const cJSON *limit = cJSON_GetObjectItemCaseSensitive(tree, "limit_s");
  *u = (ww_unit_job){.a = a,
                     .limit_s = cJSON_IsNumber(limit) ? limit->valueint : 0,
                     .nvcc =
                         cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(tree, "nvcc")),
                     .architecture = ww_json_text(tree, "architecture", a),
                     .file = ww_json_text(tree, "file", a),
                     .text = ww_json_text(tree, "text", a),
                     .out = ww_json_text(tree, "out", a),
                     .compiler = ww_json_text(tree, "compiler", a)};
  words_of(tree, "flags", a, &u->flags);
  words_of(tree, "kernels", a, &u->kernels);
  cJSON_Delete(tree);
  if (!u->architecture || !u->out || (!u->file && !u->text))
    return ww_fail(e, WW_EPARSE, "a unit needs architecture, out, and file or text");
  return WW_OK;
}

static void write_answer(const ww_unit_job *u, const ww_err *error, ww_buf *out) {
  ww_json j = {.out = out};
  if (error->code)
    ww_json_put(&j, "{error:%d,message:%s,file?:%s,line:%u,col:%u", error->code,
                error->msg, error->file, error->line, error->col);
  else {
    ww_json_put(&j, "{compiler:%s", u->compiler);
    write_words(&j, "entries", u->entries, u->kernels.n);
  }
  ww_json_end_obj(&j);
  ww_buf_puts(out, "\n");
}

static void read_answer(const char *line, ww_pool_unit *u, ww_arena *a) {
  cJSON *tree = ww_json_read(line, strlen(line), &u->error);
  if (!tree)
    return;
  u->error = (ww_err){.code = ww_json_whole(tree, "error"),
                      .file = ww_json_text(tree, "file", a),
                      .line = ww_json_whole(tree, "line"),
                      .col = ww_json_whole(tree, "col")};
  if (u->error.code) {
    snprintf(u->error.msg, sizeof u->error.msg, "%s", ww_json_text(tree, "message", a));
  } else {
    ww_strings entries = {0};
    words_of(tree, "entries", a, &entries);
    u->job.compiler = ww_json_text(tree, "compiler", a);
    u->job.entries = entries.v;
    if (entries.n != u->job.kernels.n)
      ww_fail(&u->error, WW_EDATA, "the compiling process answered something else");
  }
  cJSON_Delete(tree);
}

/* ---- the child's side ---- */

ww_status ww_compile_worker(FILE *in, FILE *out, ww_err *e) {
  char *line = NULL;
  size_t cap = 0;
  ww_status st = WW_OK;
  while (!st && getline(&line, &cap, in) > 0) {
    ww_arena *a = ww_arena_new();
    ww_unit_job u = {0};
    ww_err error = {0};
    ww_buf answer = {0};
    if (!read_unit(line, a, &u, &error))
      ww_unit_compile(&u, &error);
    write_answer(&u, &error, &answer);
    if (fwrite(answer.s, 1, answer.n, out) != answer.n || fflush(out))
      st = ww_fail(e, WW_EIO, "cannot answer: %s", strerror(errno));
    ww_buf_free(&answer);
    ww_arena_free(a);
  }
  free(line);
  return st;
}

/* ---- our side ---- */

typedef struct {
  pid_t pid;    /* 0: none */
  int fd, slot; /* slot: for cleaning up */
  ww_buf in;    /* received, not yet a whole line */
  ww_buf out;   /* to send */
  size_t sent;  /* of out */
  uint32_t unit[IN_FLIGHT];
  uint32_t n;   /* units it has, unit[0] at work */
  double since; /* when unit[0] was begun */
} child;

typedef struct {
  ww_pool_unit **units;
  uint32_t n, next, done;
  WW_VEC(uint32_t) again; /* units whose child died while they waited */
  child *children;
  uint32_t nchildren;
  const char *self;
  ww_arena *a;
} pool;

static ww_status start_child(pool *p, child *c, ww_err *e) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
    return ww_fail(e, WW_EIO, "cannot start a compiling process: %s", strerror(errno));
  ww_status st = ww_measure_spawn(p->self, "--compile-worker",
                                  (int[]){pair[1], pair[1], -1}, &c->pid, &c->slot, e);
  close(pair[1]);
  if (st) {
    close(pair[0]);
    c->pid = 0;
    return st;
  }
  c->fd = pair[0];
  c->n = 0;
  c->sent = c->in.n = c->out.n = 0;
  return WW_OK;
}

/* Returns how it ended, in words. */
static const char *end_child(child *c, bool force, ww_arena *a) {
  int status = 0;
  close(c->fd);
  if (force)
    kill(c->pid, SIGKILL);
  while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {}
  ww_cleanup_forget(c->slot);
  c->pid = 0;
  return WIFSIGNALED(status)
             ? ww_fmt(a, "signal %d, %s", WTERMSIG(status), strsignal(WTERMSIG(status)))
             : ww_fmt(a, "exit code %d", WEXITSTATUS(status));
}

static void lose_child(pool *p, child *c, bool too_long) {
  const char *how = end_child(c, too_long, p->a);
  if (c->n) {
    ww_err *error = &p->units[c->unit[0]]->error;
    if (too_long)
      ww_fail(error, WW_ELIMIT, "compiling took longer than %.0f s and was ended",
              UNIT_LIMIT);
    else
      ww_fail(error, WW_EDATA, "the compiler crashed on this source (%s)", how);
    p->done++;
  }
  for (uint32_t i = 1; i < c->n; i++)
    ww_push(p->a, &p->again, c->unit[i]);
  c->n = 0;
}

static bool next_unit(pool *p, uint32_t *out) {
  if (!p->again.n && p->next >= p->n)
    return false;
  *out = p->again.n ? p->again.v[--p->again.n] : p->next++;
  return true;
}

static void feed(pool *p, child *c) {
  uint32_t u;
  while (c->n < IN_FLIGHT && next_unit(p, &u)) {
    if (!c->n)
      c->since = ww_now();
    c->unit[c->n++] = u;
    if (c->sent == c->out.n)
      c->sent = c->out.n = 0;
    write_unit(&p->units[u]->job, &c->out);
  }
}

static void take_answers(pool *p, child *c) {
  size_t from = 0;
  char *end;
  while (c->n && (end = memchr(c->in.s + from, '\n', c->in.n - from))) {
    *end = 0;
    read_answer(c->in.s + from, p->units[c->unit[0]], p->a);
    from = (end - c->in.s) + 1;
    memmove(c->unit, c->unit + 1, --c->n * sizeof *c->unit);
    c->since = ww_now();
    ww_progress("compiling", ++p->done, p->n);
  }
  memmove(c->in.s, c->in.s + from, c->in.n - from);
  c->in.n -= from;
}

static void serve_child(pool *p, child *c, short events) {
  char chunk[65536];
  if (events & POLLOUT) {
    ssize_t n = send(c->fd, c->out.s + c->sent, c->out.n - c->sent,
                     MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0)
      c->sent += n;
  }
  if (!(events & (POLLIN | POLLHUP | POLLERR)))
    return;
  ssize_t n = recv(c->fd, chunk, sizeof chunk, MSG_DONTWAIT);
  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return;
  if (n <= 0) {
    lose_child(p, c, false);
    return;
  }
  ww_buf_add(&c->in, chunk, n);
  take_answers(p, c);
}

/* One round: who lacks work gets it, who has something to say is heard. */
static ww_status turn(pool *p, ww_err *e) {
  struct pollfd polls[MOST_PROCESSES];
  for (uint32_t i = 0; i < p->nchildren; i++) {
    child *c = &p->children[i];
    bool work = p->again.n || p->next < p->n;
    ww_status st = !c->pid && work ? start_child(p, c, e) : WW_OK;
    if (st)
      return st;
    if (c->pid)
      feed(p, c);
    polls[i] = (struct pollfd){.fd = c->pid ? c->fd : -1, .events = POLLIN};
    if (c->pid && c->sent < c->out.n)
      polls[i].events |= POLLOUT;
  }
  if (poll(polls, p->nchildren, 200) < 0 && errno != EINTR)
    return ww_fail(e, WW_EIO, "cannot wait for the compiling processes: %s",
                   strerror(errno));
  for (uint32_t i = 0; i < p->nchildren; i++) {
    child *c = &p->children[i];
    if (!c->pid)
      continue;
    if (polls[i].revents)
      serve_child(p, c, polls[i].revents);
    else if (c->n && ww_now() - c->since > UNIT_LIMIT)
      lose_child(p, c, true);
  }
  return WW_OK;
}

ww_status ww_pool_run(ww_pool_unit **units,
                      uint32_t n,
                      uint32_t processes,
                      const char *self,
                      const _Atomic bool *cancel,
                      ww_arena *a,
                      ww_err *e) {
  if (processes > n)
    processes = n;
  if (processes > MOST_PROCESSES)
    processes = MOST_PROCESSES;
  pool p = {
      .units = units,
      .n = n,
      .self = self,
      .a = a,
      .nchildren = processes,
  };
  p.children = WW_NEWN(a, child, processes + 1);
  ww_status st = WW_OK;
  while (!st && p.done < n)
    st = cancel && *cancel ? ww_fail(e, WW_ECANCEL, "stopped") : turn(&p, e);
  for (uint32_t i = 0; i < processes; i++) {
    child *c = &p.children[i];
    if (c->pid)
      end_child(c, st, a); /* at the end of its input it goes by itself */
    ww_buf_free(&c->in);
    ww_buf_free(&c->out);
  }
  return st;
}
