/* isolate.c - see isolate.h. The IR's text form carries everything, so it is what comes
 * back. */
#include "../base/confine.h"
#include "isolate.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/child.h"
#include "translate.h"

#define TIMEOUT_S 120

extern char **environ;

static const char *self;

static bool forks;
static uint64_t fork_bytes;
static pthread_mutex_t llvm = PTHREAD_MUTEX_INITIALIZER;

void ww_isolate_by(const char *program) {
  self = program;
}
bool ww_isolated(void) {
  return self || forks;
}

void ww_isolate_enter(void) {
  pthread_mutex_lock(&llvm);
}
void ww_isolate_leave(void) {
  pthread_mutex_unlock(&llvm);
}

void ww_isolate_fork(uint64_t bytes) {
  if (!forks)
    pthread_atfork(ww_isolate_enter, ww_isolate_leave, ww_isolate_leave);
  forks = true;
  fork_bytes = bytes;
}

/* The optimiser needs nothing but the bitcode, which it did not ask the author of: not
 * our environment, and no file beyond the system's libraries, which are loaded. */
static void give_up_rights(void) {
  for (char **v = environ; *v; v++)
    memset(*v, 0, strlen(*v));
  ww_confine_self(&(ww_confine){.read = (const char *const[]){NULL}});
}

typedef struct {
  void (*work)(void *ctx, ww_buf *out);
  void *ctx;
} confined;

static void work_confined(void *ctx, ww_buf *out) {
  const confined *c = ctx;
  give_up_rights();
  c->work(c->ctx, out);
}

ww_status ww_isolate_run(void (*work)(void *ctx, ww_buf *out),
                         void *ctx,
                         double deadline,
                         ww_buf *out,
                         ww_err *e) {
  confined c = {work, ctx};
  ww_child child = {
      .work = work_confined, .ctx = &c, .deadline = deadline, .bytes = fork_bytes};
  return ww_child_run(&child, out, e);
}

/* ---- lowering in a forked child: a byte that says whether it went well, then the IR
 * or the message ---- */

typedef struct {
  const void *bitcode;
  size_t n;
  ww_dialect dialect;
  bool raw;
  ww_arena *a;
} lowering;

static void lower_in_child(void *ctx, ww_buf *out) {
  const lowering *l = ctx;
  ww_module m = {0};
  ww_err e = {0};
  const void *bitcode[] = {l->bitcode};
  size_t n[] = {l->n};
  ww_status st = ww_lower_bitcode(bitcode, n, 1, l->dialect, l->raw, l->a, &m, &e);
  uint8_t code = st;
  ww_buf_add(out, &code, 1);
  if (st)
    ww_buf_puts(out, e.msg);
  else
    ww_ir_print_module(&m, out);
}

/* What such a child wrote. */
static ww_status read_lowered(const ww_buf *b, ww_arena *a, ww_module *out, ww_err *e) {
  if (!b->n)
    return ww_fail(
        e, WW_ELIMIT,
        "optimising the code took more memory than it may have, or failed; --memory "
        "raises the limit");
  if (b->s[0])
    return ww_fail(e, (ww_status)b->s[0], "%s", b->s + 1);
  return ww_ir_parse(b->s + 1, a, out, e);
}

static ww_status
lower_forked(lowering *l, double timeout_s, ww_module *out, ww_err *e) {
  ww_buf b;
  ww_status st = ww_isolate_run(
      lower_in_child, l, ww_now() + (timeout_s > 0 ? timeout_s : TIMEOUT_S), &b, e);
  if (st)
    ww_fail(e, st = WW_ELIMIT,
            "optimising the code took more time or memory than it may have, or failed; "
            "--seconds "
            "and --memory raise the limits");
  else
    st = read_lowered(&b, l->a, out, e);
  ww_buf_free(&b);
  return st;
}

ww_status ww_isolate_lower(const void *bitcode,
                           size_t n,
                           ww_dialect d,
                           bool raw,
                           double timeout_s,
                           ww_arena *a,
                           ww_module *out,
                           ww_err *e) {
  if (!self)
    return lower_forked(&(lowering){bitcode, n, d, raw, a}, timeout_s, out, e);
  char dialect[16];
  snprintf(dialect, sizeof dialect, "%d", (int)d);
  const char *argv[] = {self, "--lower", dialect, raw ? "1" : "0", NULL};
  ww_run_result r;
  ww_status st = ww_run(argv, bitcode, n, timeout_s > 0 ? timeout_s : TIMEOUT_S, &r, e);
  if (!st && r.timed_out)
    st = ww_fail(e, WW_ELIMIT,
                 "optimising the code took longer than this request may take");
  else if (!st) {
    ww_buf nothing = {0};
    st = read_lowered(r.exit_code ? &nothing : &r.out, a, out, e);
  }
  ww_run_free(&r);
  return st;
}

ww_status
ww_isolate_child(const char *dialect, const char *raw, ww_arena *a, ww_err *e) {
  ww_buf in = {0};
  ww_buf text = {0};
  char piece[65536];
  for (ssize_t n; (n = read(STDIN_FILENO, piece, sizeof piece)) > 0;)
    ww_buf_add(&in, piece, n);
  give_up_rights();
  lower_in_child(&(lowering){in.s, in.n, atoi(dialect), *raw == '1', a}, &text);
  bool written = fwrite(text.s, 1, text.n, stdout) == text.n;
  ww_buf_free(&in);
  ww_buf_free(&text);
  return written ? WW_OK : ww_fail(e, WW_EIO, "cannot write the code");
}
