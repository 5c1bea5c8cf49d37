/* limits.c - see limits.h. */
#include "limits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "../base/watchdog.h"
#include "../report/report.h"

#define GRACE_S 1.0 /* for what ends by itself, so that a batch goes on with its next line */

static ww_status number(const char *option, const char *text, double most, double *out, ww_err *e) {
  char *end;
  errno = 0;
  *out = strtod(text, &end);
  if (!errno && end != text && !*end && isfinite(*out) && *out >= 0 && *out <= most)
    return WW_OK;
  return ww_fail(e, WW_EUSAGE, "--%s: expected a number from 0 to %.0f, not '%.40s'", option, most,
                 text);
}

/* So much that another program can still be used. */
static uint64_t most_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 4 * 3 : 0;
}

ww_status ww_limits_read(const ww_limit_options *o, double seconds, uint64_t memory, ww_limits *out,
                         ww_err *e) {
  double mb = 0;
  *out = (ww_limits){.seconds = seconds, .bytes = memory ? memory << 20 : most_memory()};
  ww_status st = o->seconds ? number("seconds", o->seconds, 1e9, &out->seconds, e) : WW_OK;
  if (!st && o->memory)
    st = number("memory", o->memory, 1e9, &mb, e);
  if (o->memory)
    out->bytes = (uint64_t)(mb * (1 << 20));
  return st;
}

static void say_late(const ww_cmd *c, const char *what, ww_err *e) {
  ww_fail(e, WW_ELIMIT, "%.300s took longer than %g s; --seconds raises the limit, 0 takes it away",
          what, c->limits.seconds);
}

ww_status ww_limits_late(ww_cmd *c, const char *what) {
  say_late(c, what, &c->err);
  return c->err.code;
}

/* The error as the program would print it. */
static const char *printed(const ww_cmd *c, const ww_err *e) {
  if (!c->json)
    return ww_fmt(c->arena, "warpwise: %s\n", e->msg);
  ww_report r = {.file = c->file, .kernel = c->kernel, .error = *e};
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_report_write(&r, &j, NULL, NULL);
  ww_buf_puts(&b, "\n");
  const char *text = ww_strdup(c->arena, b.s);
  ww_buf_free(&b);
  return text;
}

void ww_limits_begin(ww_cmd *c, const char *what) {
  ww_err late = {0}, large = {0};
  if (c->limits.seconds <= 0 && !c->limits.bytes)
    return;
  say_late(c, what, &late);
  ww_fail(&large, WW_ELIMIT,
          "%.300s took more than %llu MB of memory; --memory raises the limit, 0 takes it away",
          what, (unsigned long long)c->limits.bytes >> 20);
  fflush(stdout); /* what was printed stays */
  ww_watchdog_begin(&(ww_watchdog){.seconds = c->limits.seconds,
                                   .grace = GRACE_S,
                                   .bytes = c->limits.bytes,
                                   .late = printed(c, &late),
                                   .large = printed(c, &large),
                                   .fd = c->json ? STDOUT_FILENO : STDERR_FILENO,
                                   .late_code = ww_exit_code(WW_ELIMIT),
                                   .large_code = ww_exit_code(WW_ELIMIT)});
}

void ww_limits_end(ww_cmd *c) {
  if (c->limits.seconds > 0 || c->limits.bytes)
    ww_watchdog_end();
}
