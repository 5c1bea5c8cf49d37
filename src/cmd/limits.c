/* limits.c - see limits.h. */
#include "limits.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "../base/watchdog.h"

/* for what ends by itself, so that a batch goes on with its next line */
#define GRACE_S 1.0

static ww_status number(ww_cmd *c, const char *option, const char *text, double *out) {
  errno = 0;
  if (ww_real(text, "", 0, 1e9, out) && !errno)
    return WW_OK;
  return ww_usage(c, "--%s: expected a number from 0 to 1000000000, not '%.40s'",
                  option, text);
}

/* So much that another program can still be used. */
static uint64_t most_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES);
  long size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 4 * 3 : 0;
}

ww_status
ww_limits_read(const ww_limit_options *o, double seconds, uint64_t memory, ww_cmd *c) {
  double mb;
  c->limits = (ww_limits){.seconds = seconds,
                          .grace = GRACE_S,
                          .bytes = memory ? memory << 20 : most_memory()};
  if (o->seconds && number(c, "seconds", o->seconds, &c->limits.seconds))
    return WW_EUSAGE;
  if (!o->memory)
    return WW_OK;
  ww_status st = number(c, "memory", o->memory, &mb);
  c->limits.bytes = st ? 0 : mb * (1 << 20);
  return st;
}

ww_status ww_limits_late(const ww_cmd *c, const char *what, ww_err *e) {
  return ww_fail(
      e, WW_ELIMIT,
      "%.300s took longer than %g s; --seconds raises the limit, 0 takes it away", what,
      c->limits.seconds);
}

/* The error as the program would print it. */
static const char *printed(const ww_cmd *c, const ww_err *e) {
  if (c->limits.silent)
    return "";
  if (!c->json)
    return ww_fmt(c->arena, "warpwise: %s\n", e->msg);
  ww_report r = {
      .file = c->file,
      .kernel = c->kernel,
      .error = *e,
  };
  ww_buf b = {0};
  ww_report_text(&r, NULL, NULL, &b);
  return ww_buf_text(&b, c->arena);
}

void ww_limits_begin(ww_cmd *c, const char *what) {
  ww_err late = {0};
  ww_err large = {0};
  if (c->limits.seconds <= 0 && !c->limits.bytes)
    return;
  ww_limits_late(c, what, &late);
  ww_fail(&large, WW_ELIMIT,
          "%.300s took more than %llu MB of memory; --memory raises the limit, 0 takes "
          "it away",
          what, (unsigned long long)c->limits.bytes >> 20);
  fflush(stdout); /* what was printed stays */
  ww_watchdog_begin(&(ww_watchdog){.seconds = c->limits.seconds,
                                   .grace = c->limits.grace,
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
