/* measured.c - what a measured report holds beyond its metrics, as JSON, out and in:
 * member `measured`; and a device asked for its description in a process of its own. */
#include <math.h>

#include "../base/child.h"
#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "backend.h"

#define OPEN_LIMIT_S 120 /* to open a device: its compiler builds a kernel */

static void write_numbers(ww_json *j, const char *key, const double *v, uint32_t n) {
  ww_json_put(j, "%s:[", key);
  for (uint32_t k = 0; k < n; k++)
    ww_json_num(j, v[k]);
  ww_json_end_arr(j);
}

static void write_device(const ww_device_info *d, ww_json *j) {
  ww_json_put(j,
              "device:%s,backend:%s,driver?:%s,versions?:%s,gpu?:%s,"
              "sms?:%u,lanes?:%u,l2_bytes?:%lu,memory_bytes?:%lu",
              d->device, d->backend, d->driver, d->versions, d->gpu, d->sms, d->lanes,
              d->l2_bytes, d->memory_bytes);
}

void ww_measured_write(void *measured, ww_json *j) {
  const ww_measured *m = measured;
  bool clocks = false;
  ww_json_put(j, "measured:{");
  write_device(&m->device, j);
  write_numbers(j, "samples_us", m->samples_us, m->nsamples);
  for (uint32_t k = 0; k < m->nsamples; k++)
    clocks |= isfinite(m->clocks_mhz[k]);
  if (clocks)
    write_numbers(j, "clocks_mhz", m->clocks_mhz, m->nsamples);
  ww_json_put(j, "dropped:["); /* indices of samples */
  for (uint32_t k = 0; k < m->nsamples; k++)
    if (m->dropped[k])
      ww_json_uint(j, k);
  ww_json_put(j, "],median_us:%g,iqr_us:%g,passes:%u,accumulates:%i,compiler?:%s}",
              m->median_us, m->iqr_us, m->passes, m->accumulates, m->compiler);
}

/* ---- in ---- */

static const cJSON *get(const cJSON *o, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(o, key);
}

static double number(const cJSON *n) {
  return cJSON_IsNumber(n) ? n->valuedouble : NAN;
}

static ww_device_info read_device(const cJSON *o, ww_arena *a) {
  return (ww_device_info){.device = ww_json_text(o, "device", a),
                          .backend = ww_json_text(o, "backend", a),
                          .driver = ww_json_text(o, "driver", a),
                          .versions = ww_json_text(o, "versions", a),
                          .gpu = ww_json_text(o, "gpu", a),
                          .sms = ww_json_whole(o, "sms"),
                          .lanes = ww_json_whole(o, "lanes"),
                          .l2_bytes = ww_json_whole(o, "l2_bytes"),
                          .memory_bytes = ww_json_whole(o, "memory_bytes")};
}

static ww_status
read_samples(const cJSON *o, ww_arena *a, ww_measured *out, ww_err *e) {
  const cJSON *samples = get(o, "samples_us");
  const cJSON *clocks = get(o, "clocks_mhz");
  const cJSON *dropped = get(o, "dropped");
  if (!cJSON_IsArray(samples))
    return ww_fail(e, WW_EPARSE, "measured.samples_us: expected an array of numbers");
  uint32_t n = cJSON_GetArraySize(samples);
  uint32_t k = 0;
  out->samples_us = WW_NEWN(a, double, n + 1);
  out->clocks_mhz = WW_NEWN(a, double, n + 1);
  out->dropped = WW_NEWN(a, bool, n + 1);
  out->nsamples = n;
  for (const cJSON *s = samples->child; s; s = s->next)
    out->samples_us[k++] = number(s);
  for (k = 0; k < n; k++)
    out->clocks_mhz[k] = NAN;
  k = 0;
  for (const cJSON *s = clocks ? clocks->child : NULL; s && k < n; s = s->next)
    out->clocks_mhz[k++] = number(s);
  for (const cJSON *s = dropped ? dropped->child : NULL; s; s = s->next)
    if (cJSON_IsNumber(s) && s->valuedouble >= 0 && s->valuedouble < n)
      out->dropped[(uint32_t)s->valuedouble] = true;
  return WW_OK;
}

ww_status
ww_measured_parse(const char *json, ww_arena *a, ww_measured *out, ww_err *e) {
  *out = (ww_measured){0};
  cJSON *tree = ww_json_read(json, strlen(json), e);
  if (!tree)
    return WW_EPARSE;
  const cJSON *o = get(tree, "measured");
  ww_status st = WW_OK;
  if (!cJSON_IsObject(o))
    st = ww_fail(e, WW_EPARSE,
                 "measured: expected an object: this report is none of a measurement");
  if (!st)
    st = read_samples(o, a, out, e);
  if (!st) {
    out->device = read_device(o, a);
    out->median_us = number(get(o, "median_us"));
    out->iqr_us = number(get(o, "iqr_us"));
    out->passes = ww_json_whole(o, "passes");
    out->accumulates = cJSON_IsTrue(get(o, "accumulates"));
    out->compiler = ww_json_text(o, "compiler", a);
  }
  cJSON_Delete(tree);
  return st;
}

/* ---- a device's description ---- */

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
  ww_measured m = {0};
  ww_err why = {0};
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
  } else if (!st)
    st = ww_measured_parse(text.s, a, &m, e);
  *out = m.device;
  ww_buf_free(&text);
  return st;
}
