/* worker.c - measuring in child processes, so that a kernel that faults, hangs or
 * breaks its context costs its own row alone.
 *
 * The parent hands a child options and specs (a memory file as its stdin) and reads
 * lines: at 3 warm           what it is about to do: when it dies or stalls, this is
 * the launch that did it row 3 {report}      a finished row fail {error}        it ends
 * because its context is broken Rows are kept as they come and passed on in order. A
 * child that ends early is followed by another with what is left: without the culprit
 * where it is clear, in smaller batches, then one by one, where it is not (many
 * launches were in flight). Each child either finishes a row, names a culprit or makes
 * batches smaller, so there is an end to it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "backend.h"

#define LIMIT_S 10
/* launches of one child: what a restart hands over again stays small */
#define SHARE 32768
#define NARROW 16  /* a batch that broke is run again in so many parts */
#define TURN_S 0.2 /* between two looks whether to go on */
#define NOT_ASKED (UINT32_MAX - 1)
#define DEVICE_S                                                                     \
  120 /* to open a device, to load a launch: compilers and large contents take their \
         time */

static const char *const stages[WW_NSTAGES] = {"open", "load",  "warm", "digest",
                                               "time", "count", "again"};

/* A row that failed, as its JSON; malloc-owned. */
static char *error_text(const ww_err *why) {
  ww_buf text = {0};
  ww_json j = {.out = &text};
  ww_report_write(&(ww_report){.error = *why}, &j, NULL, NULL);
  return text.s;
}

/* ---- the child ---- */

typedef struct {
  FILE *out;
  const uint32_t *index; /* the parent's number of each launch */
} child_sink;

static void child_at(void *ctx, uint32_t k, ww_measure_stage stage) {
  const child_sink *c = ctx;
  fprintf(c->out, "at %u %s\n", c->index[k], stages[stage]);
  fflush(c->out);
}

static void child_row(void *ctx, uint32_t k, const ww_measure_row *row) {
  const child_sink *c = ctx;
  ww_report r = row->report;
  ww_buf b = {0};
  r.launch = NULL; /* the parent has it */
  ww_json j = {.out = &b};
  ww_report_write(&r, &j, ww_measured_write, (void *)&row->measured);
  fprintf(c->out, "row %u %s\n", c->index[k], b.s);
  fflush(c->out);
  ww_buf_free(&b);
}

static bool flag(const cJSON *o, const char *key) {
  return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, key));
}

static ww_status
read_options(const char *line, ww_arena *a, ww_measure_options *o, ww_err *e) {
  cJSON *tree = ww_json_read(line, strlen(line), e);
  if (!tree)
    return WW_EPARSE;
  *o = (ww_measure_options){.device = ww_json_text(tree, "device", a),
                            .time_only = flag(tree, "time_only"),
                            .repeats = ww_json_whole(tree, "repeats"),
                            .quick = flag(tree, "quick"),
                            .tried = flag(tree, "tried"),
                            .batch = ww_json_whole(tree, "batch"),
                            .dump = ww_json_text(tree, "dump", a),
                            .dump_each = flag(tree, "dump_each"),
                            .every = flag(tree, "every")};
  cJSON_Delete(tree);
  return WW_OK;
}

typedef struct {
  WW_VEC(ww_launch) launches;
  WW_VEC(uint32_t) number; /* the parent's */
  WW_VEC(bool) alone;
} specs;

/* Lines of "<number> <alone: 0 or 1> <spec>". */
static ww_status read_specs(FILE *in, ww_arena *a, specs *out, ww_err *e) {
  char *line = NULL;
  size_t cap = 0;
  ww_status st = WW_OK;
  while (!st && getline(&line, &cap, in) > 0) {
    char *end;
    ww_launch one = {0};
    ww_push(a, &out->number, strtoul(line, &end, 10));
    ww_push(a, &out->alone, strtoul(end, &end, 10));
    st = ww_launch_parse(end, NULL, a, &one, e);
    ww_push(a, &out->launches, one);
  }
  free(line);
  return st;
}

ww_status ww_measure_worker(FILE *in, FILE *out, ww_err *e) {
  ww_measure_options o;
  specs all = {0};
  char *line = NULL;
  size_t cap = 0;
  ww_arena *a = ww_arena_new();
  /* a kernel that never ends must not outlive the parent */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  ww_status st =
      getline(&line, &cap, in) > 0
          ? read_options(line, a, &o, e)
          : ww_fail(e, WW_EUSAGE, "--worker reads its launches from the parent");
  if (!st)
    st = read_specs(in, a, &all, e);
  if (!st) {
    o.alone = all.alone.v;
    o.number = all.number.v;
    child_sink c = {out, all.number.v};
    st = ww_measure_here(
        all.launches.v, all.launches.n, &o,
        &(ww_measure_sink){.ctx = &c, .row = child_row, .at = child_at}, e);
  }
  if (st) {
    char *text = error_text(e);
    fprintf(out, "fail %s\n", text);
    free(text);
  }
  fflush(out);
  free(line);
  ww_arena_free(a);
  return st;
}

/* ---- the parent ---- */

typedef struct {
  const ww_launch *l;
  uint32_t n;
  const ww_measure_options *o;
  const char *self;
  const ww_measure_sink *sink;
  ww_arena *a;
  char **row;      /* JSON of each finished row, malloc-owned; NULL: not yet */
  bool *alone;     /* not to be run on its own output again */
  uint32_t passed; /* rows that went to the sink */
} supervisor;

typedef struct {
  int fd, err; /* its lines; its stderr */
  int slot;    /* for cleaning up */
  pid_t pid;
  uint32_t batch; /* launches of one */
  /* how far it came; WW_AT_OPEN until it says something else */
  bool started, timed_out, stopped;
  uint32_t first, at; /* of the batch; the launch in hand */
  ww_measure_stage stage;
  ww_err why;
  int status;
  off_t stderr_from; /* bytes on its stderr when it began with that */
  ww_buf text;       /* read and not yet taken apart */
} child;

static double limit_of(const supervisor *b) {
  return b->o->limit_s > 0 ? b->o->limit_s : LIMIT_S;
}

static void pass_on(supervisor *b) {
  for (; b->passed < b->n && b->row[b->passed]; b->passed++) {
    ww_arena *a = ww_arena_new();
    ww_measure_row row = {0};
    ww_err e = {0};
    const char *json = b->row[b->passed];
    const ww_launch *l = &b->l[b->passed];
    if (ww_report_parse(json, a, &row.report, &e))
      row.report.error = e;
    if (!row.report.error.code && !row.report.measured)
      ww_fail(&row.report.error, WW_EPARSE, "a measurement without its samples");
    if (!row.report.error.code)
      row.measured = *row.report.measured;
    row.report.launch = l;
    row.report.file = l->file;
    row.report.kernel = l->kernel;
    if (b->sink->row)
      b->sink->row(b->sink->ctx, b->passed, &row);
    free(b->row[b->passed]);
    b->row[b->passed] = ww_strdup(b->a, ""); /* done */
    ww_arena_free(a);
    if (!b->o->tried)
      ww_progress("measuring", b->passed + 1, b->n);
  }
}

static void write_options(const supervisor *b, uint32_t batch, ww_buf *to) {
  ww_json j = {.out = to};
  const ww_measure_options *o = b->o;
  ww_json_put(&j,
              "{device?:%s,time_only:%i,repeats:%u,quick:%i,tried:%i,batch:%u,dump?:%s,"
              "dump_each:%i,"
              "every:%i}",
              o->device, o->time_only, o->repeats, o->quick, o->tried, batch, o->dump,
              o->dump_each, o->every);
  ww_buf_puts(to, "\n");
}

ww_status ww_measure_spawn(const char *self,
                           const char *mode,
                           const int fds[3],
                           pid_t *pid,
                           int *slot,
                           ww_err *e) {
  const char *argv[] = {self, "measure", mode, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attr);
  for (int k = 0; k < 3; k++)
    if (fds[k] >= 0)
      posix_spawn_file_actions_adddup2(&files, fds[k], k);
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP); /* Ctrl-C is ours to handle */
  int rc = posix_spawnp(pid, self, &files, &attr, (char *const *)argv, environ);
  posix_spawnattr_destroy(&attr);
  posix_spawn_file_actions_destroy(&files);
  *slot = rc ? -1 : ww_cleanup_process(*pid);
  return rc ? ww_fail(e, WW_EIO, "cannot run '%s': %s", self, strerror(rc)) : WW_OK;
}

/* What the child reads: launches first .. last that have no row yet. */
static int
input_of(const supervisor *b, uint32_t first, uint32_t last, uint32_t batch) {
  ww_buf text = {0};
  write_options(b, batch, &text);
  for (uint32_t k = first; k <= last; k++) {
    if (b->row[k])
      continue;
    ww_buf_fmt(&text, "%u %d ", k, b->alone[k]);
    ww_json j = {.out = &text};
    ww_launch_write(&b->l[k], &j);
    ww_buf_puts(&text, "\n");
  }
  int fd = memfd_create("warpwise-launches", MFD_CLOEXEC);
  if (fd >= 0) {
    ww_write_all(fd, text.s, text.n);
    lseek(fd, 0, SEEK_SET);
  }
  ww_buf_free(&text);
  return fd;
}

static ww_status
start(const supervisor *b, uint32_t first, uint32_t last, child *c, ww_err *e) {
  int pipes[2] = {-1, -1};
  int in = input_of(b, first, last, c->batch);
  c->err = memfd_create("warpwise-stderr", MFD_CLOEXEC);
  if (in < 0 || c->err < 0 || pipe2(pipes, O_CLOEXEC)) {
    if (in >= 0)
      close(in);
    if (c->err >= 0)
      close(c->err);
    return ww_fail(e, WW_EIO, "cannot start a process to measure in: %s",
                   strerror(errno));
  }
  ww_status st = ww_measure_spawn(b->self, "--worker", (int[]){in, pipes[1], c->err},
                                  &c->pid, &c->slot, e);
  close(in);
  close(pipes[1]);
  c->fd = pipes[0];
  if (st) {
    close(c->fd);
    close(c->err);
  }
  return st;
}

static off_t stderr_bytes(const child *c) {
  struct stat s;
  return !fstat(c->err, &s) ? s.st_size : 0;
}

static void take_line(supervisor *b, child *c, char *line) {
  char *end;
  if (ww_starts(line, "fail ")) {
    ww_report r;
    ww_err ignored;
    if (!ww_report_parse(line + 5, b->a, &r, &ignored))
      c->why = r.error;
    return;
  }
  bool row = ww_starts(line, "row "), at = ww_starts(line, "at ");
  unsigned long k = row || at ? strtoul(line + (row ? 4 : 3), &end, 10) : b->n;
  if (k >= b->n)
    return;
  if (row && !b->row[k]) {
    const char *json = end + (*end == ' ');
    b->row[k] = strcpy(ww_xmalloc(strlen(json) + 1), json);
    return;
  }
  if (!at)
    return;
  c->started = true;
  c->at = k;
  c->stderr_from = stderr_bytes(c);
  for (int s = 0; s < WW_NSTAGES; s++)
    if (!strcmp(end + (*end == ' '), stages[s]))
      c->stage = s;
  if (c->stage == WW_AT_OPEN)
    c->first = c->at;
}

static void take_lines(supervisor *b, child *c) {
  char *from = c->text.s;
  char *nl;
  while (from && (nl = strchr(from, '\n'))) {
    *nl = 0;
    take_line(b, c, from);
    from = nl + 1;
  }
  if (!from)
    return;
  c->text.n = strlen(from);
  memmove(c->text.s, from, c->text.n + 1);
}

/* How long the child may be silent. Counted runs of patched code take many times the
 * kernel's time.
 */
static double patience(const supervisor *b, const child *c) {
  double limit = limit_of(b);
  if (c->stage < WW_AT_WARM || c->stage == WW_AT_DIGEST)
    return DEVICE_S + limit;
  return c->stage == WW_AT_COUNT   ? 30 * limit + 30
         : c->stage == WW_AT_AGAIN ? 2 * limit + 5
                                   : limit + 2;
}

/* Whether the child is to be ended: now, or because another batch begins. */
static bool ends(const supervisor *b, child *c, uint32_t *asked_in) {
  int how = b->sink->stop ? b->sink->stop(b->sink->ctx) : 0;
  uint32_t in = c->started ? c->first : UINT32_MAX;
  if (how == 1 && *asked_in == NOT_ASKED)
    *asked_in = in;
  c->stopped = how == 2 || (how == 1 && (in == UINT32_MAX || in != *asked_in));
  return c->stopped;
}

/* Reads the child's lines until it ends or stalls, or is no longer wanted; reaps it. */
static void follow(supervisor *b, child *c) {
  char chunk[65536];
  double heard = ww_now();
  uint32_t asked_in = NOT_ASKED;
  while (!ends(b, c, &asked_in)) {
    double left = heard + patience(b, c) - ww_now();
    struct pollfd p = {
        .fd = c->fd,
        .events = POLLIN,
    };
    if (b->sink->stop && left > TURN_S)
      left = TURN_S;
    int n =
        left > 0 ? poll(&p, 1, left < 1e6 ? (int)(left * 1000) + 1 : 1000000000) : 0;
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0 && heard + patience(b, c) - ww_now() > 0)
      continue;
    c->timed_out = n <= 0;
    ssize_t got = n > 0 ? read(c->fd, chunk, sizeof chunk) : 0;
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      break;
    heard = ww_now();
    ww_buf_add(&c->text, chunk, got);
    take_lines(b, c);
    pass_on(b);
  }
  if (c->timed_out || c->stopped)
    kill(-c->pid, SIGKILL);
  while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR) {}
  ww_cleanup_forget(c->slot);
  close(c->fd);
  ww_buf_free(&c->text);
}

/* The last line on the child's stderr about the launch in hand, for the message. */
static void last_words(const child *c, char out[256]) {
  char tail[250];
  off_t size = stderr_bytes(c);
  off_t from = size - c->stderr_from > 240 ? size - 240 : c->stderr_from;
  ssize_t got = pread(c->err, tail, sizeof tail - 1, from);
  *out = 0;
  if (got <= 0)
    return;
  tail[got] = 0;
  while (got && (tail[got - 1] == '\n' || tail[got - 1] == '\r'))
    tail[--got] = 0;
  char *nl = strrchr(tail, '\n');
  snprintf(out, 256, ": %s", nl ? nl + 1 : tail);
}

/* What became of it, as the error of the row that did it. */
static ww_err verdict(const supervisor *b, const child *c) {
  ww_err e = {0};
  char words[256];
  bool ran = c->stage >= WW_AT_WARM && c->stage != WW_AT_DIGEST;
  int sig = WIFSIGNALED(c->status) ? WTERMSIG(c->status) : 0;
  last_words(c, words);
  if (c->timed_out && ran)
    ww_fail(
        &e, WW_ELIMIT,
        "the kernel did not end within %g s; raise --limit or make the launch smaller",
        limit_of(b));
  else if (c->timed_out)
    ww_fail(&e, WW_ELIMIT, "%s took more than %g s",
            c->stage == WW_AT_OPEN ? "opening the device" : "loading the launch",
            patience(b, c));
  else if (c->why.code) {
    e = c->why;
    e.code = ran && e.code == WW_EDEVICE ? WW_EDATA : e.code;
  } else if (ran && (sig == SIGSEGV || sig == SIGBUS))
    ww_fail(
        &e, WW_EDATA,
        "the kernel accessed memory outside its buffers; its process ended with %s%s",
        sig == SIGSEGV ? "SIGSEGV" : "SIGBUS", words);
  else if (sig)
    ww_fail(&e, WW_EDATA, "the process that measured it ended with signal %d (%s)%s",
            sig, strsignal(sig), words);
  else
    ww_fail(&e, WW_EDATA, "the process that measured it ended with exit code %d%s",
            WEXITSTATUS(c->status), words);
  return e;
}

/* Launches first .. to go in batches of `by`; to UINT32_MAX: none do. */
typedef struct {
  uint32_t to, by;
} narrow;

/* After a child that left launches without a row: whose fault, and what to run in
 * smaller batches.
 */
static void blame(supervisor *b, const child *c, uint32_t last, narrow *next) {
  ww_err why = verdict(b, c);
  if (c->stage == WW_AT_OPEN) { /* true of all that need this device */
    const ww_backend *which = c->started ? ww_backend_of(&b->l[c->at]) : NULL;
    why.code = WW_EDEVICE;
    for (uint32_t k = 0; k <= last; k++)
      if (!b->row[k] && (!which || ww_backend_of(&b->l[k]) == which))
        b->row[k] = error_text(&why);
    return;
  }
  bool clear = c->batch == 1 || c->stage <= WW_AT_DIGEST;
  if (c->stage == WW_AT_AGAIN && !b->alone[c->at])
    b->alone[c->at] = true;
  else if ((clear || c->stage == WW_AT_AGAIN) && !b->row[c->at])
    b->row[c->at] = error_text(&why);
  else { /* something of the batch, between its first launch and as far as one can be */
    next->to = c->batch <= last - c->first ? c->first + c->batch - 1 : last;
    next->by = c->batch > NARROW ? c->batch / NARROW : 1;
  }
}

static uint32_t next_open(const supervisor *b) {
  uint32_t k = b->passed;
  while (k < b->n && b->row[k])
    k++;
  return k;
}

ww_status ww_measure(const ww_launch *l,
                     uint32_t n,
                     const ww_measure_options *o,
                     const char *self,
                     const ww_measure_sink *s,
                     ww_err *e) {
  ww_arena *a = ww_arena_new();
  supervisor b = {
      .l = l,
      .n = n,
      .o = o,
      .self = self,
      .sink = s,
      .a = a,
  };
  b.row = WW_NEWN(a, char *, n + 1);
  b.alone = WW_NEWN(a, bool, n + 1);
  narrow now = {.to = UINT32_MAX};
  ww_status st = WW_OK;
  for (uint32_t first; !st && (first = next_open(&b)) < n;) {
    bool small = now.to != UINT32_MAX && first <= now.to;
    child c = {.batch = small ? now.by : o->batch ? o->batch : WW_BATCH};
    uint32_t last = small ? now.to : n - first > SHARE ? first + SHARE - 1 : n - 1;
    if (!small)
      now.to = UINT32_MAX;
    st = start(&b, first, last, &c, e);
    if (st)
      break;
    follow(&b, &c);
    bool left = false;
    for (uint32_t k = first; k <= last; k++)
      left |= !b.row[k];
    if (c.stopped)
      st = ww_fail(e, WW_ECANCEL, "stopped");
    else if (left)
      blame(&b, &c, last, &now);
    close(c.err);
    pass_on(&b);
  }
  for (uint32_t k = b.passed; k < n; k++)
    free(b.row[k]);
  ww_arena_free(a);
  return st;
}
