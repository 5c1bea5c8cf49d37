/* describe.c - a device asked for its description in a process of its own: a driver
 * that crashes or never answers costs that process alone. */
#include "../base/child.h"
#include "backend.h"

#define OPEN_LIMIT_S 120 /* to open a device: its compiler builds a kernel */

typedef struct {
  const ww_backend *backend;
  const char *device;
  ww_arena *a;
} device_query;

static void describe_in_child(void *ctx, ww_buf *out) {
  const device_query *q = ctx;
  ww_report r = {0};
  ww_measured m = {0};
  ww_device *d;
  q->backend->open(q->device, q->a, &d, &m.device, &r.error);
  ww_json j = {.out = out};
  ww_report_write(&r, &j, ww_measured_write, &m);
}

ww_status ww_device_describe(const ww_backend *b,
                             const char *device,
                             ww_arena *a,
                             ww_device_info *out,
                             ww_err *e) {
  device_query q = {b, device, a};
  ww_child child = {
      .work = describe_in_child, .ctx = &q, .deadline = ww_now() + OPEN_LIMIT_S};
  ww_buf text;
  ww_report r;
  ww_err why = {0};
  *out = (ww_device_info){0};
  ww_status st = ww_child_run(&child, &text, &why);
  if (st)
    st = ww_fail(
        e, WW_EDEVICE,
        "the %s driver cannot be opened: %s; do `ulimit -u` and `ulimit -v` leave it "
        "threads and memory?",
        b->name, why.msg);
  else if (!(st = ww_report_parse(text.s, a, &r, e)) && r.error.code) {
    *e = r.error;
    st = e->code;
  } else if (!st && r.measured)
    *out = r.measured->device;
  ww_buf_free(&text);
  return st;
}
