/* report.c - a report as JSON, out and in. The object is the same from every oracle; docs/report.md
 * is the manual. */
#include "report.h"

#include <math.h>

#include "../base/jsonread.h"
#include "launch_int.h"

const char *const ww_by_names[WW_NBY] = {"grounded", "machine", "text", "trace", "hardware"};

/* ---- out ---- */

static void write_quantity(const ww_quantity *q, ww_json *j) {
  ww_json_obj(j);
  ww_json_knum(j, "value", q->value);
  if (q->interval) {
    ww_json_knum(j, "low", q->low);
    ww_json_knum(j, "high", q->high);
  }
  ww_json_end_obj(j);
}

static void write_metrics(const ww_report *r, ww_json *j) {
  ww_json_key(j, "metrics");
  ww_json_obj(j);
  for (int i = 0; i < WW_NMETRICS; i++) {
    if (!r->m[i].known || !isfinite(r->m[i].value))
      continue; /* what is no number is not known */
    ww_json_key(j, ww_metrics[i].name);
    write_quantity(&r->m[i], j);
  }
  ww_json_end_obj(j);
}

static void write_findings(const ww_report *r, ww_json *j) {
  ww_json_key(j, "findings");
  ww_json_arr(j);
  for (uint32_t i = 0; i < r->nfindings; i++) {
    const ww_finding *f = &r->findings[i];
    ww_json_obj(j);
    if (f->file)
      ww_json_kstr(j, "file", f->file);
    if (f->line)
      ww_json_kuint(j, "line", f->line);
    ww_json_kstr(j, "rule", f->rule);
    ww_json_kstr(j, "message", f->message);
    if (f->gain > 0)
      ww_json_knum(j, "gain", f->gain);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

static void write_error(const ww_err *e, ww_json *j) {
  ww_json_key(j, "error");
  ww_json_obj(j);
  ww_json_kstr(j, "code", ww_status_name(e->code));
  ww_json_kstr(j, "message", e->msg);
  if (e->file)
    ww_json_kstr(j, "file", e->file);
  if (e->line)
    ww_json_kuint(j, "line", e->line);
  ww_json_end_obj(j);
}

static void write_answer(const ww_report *r, ww_json *j) {
  if (r->gpu)
    ww_json_kstr(j, "gpu", r->gpu);
  ww_json_kstr(j, "by", ww_by_names[r->by]);
  if (r->launch) {
    ww_json_key(j, "launch");
    ww_launch_write(r->launch, j);
  }
  ww_json_key(j, "assumed");
  ww_json_arr(j);
  for (uint32_t i = 0; i < r->nassumed; i++)
    ww_json_str(j, r->assumed[i]);
  ww_json_end_arr(j);
  write_metrics(r, j);
  if (r->roofline_class) {
    ww_json_key(j, "roofline");
    ww_json_obj(j);
    ww_json_kstr(j, "class", r->roofline_class);
    ww_json_end_obj(j);
  }
  if (r->bottleneck)
    ww_json_kstr(j, "bottleneck", r->bottleneck);
  if (r->nfindings)
    write_findings(r, j);
  if (r->total_blocks) {
    ww_json_key(j, "sampled");
    ww_json_obj(j);
    ww_json_kuint(j, "blocks", r->sampled_blocks);
    ww_json_kuint(j, "of", r->total_blocks);
    ww_json_end_obj(j);
  }
}

void ww_report_write(const ww_report *r, ww_json *j, void (*extra)(void *ctx, ww_json *j),
                     void *ctx) {
  ww_json_obj(j);
  ww_json_kint(j, "schema_version", 1);
  if (r->file)
    ww_json_kstr(j, "file", r->file);
  if (r->kernel)
    ww_json_kstr(j, "kernel", r->kernel);
  if (r->error.code != WW_OK) {
    write_error(&r->error, j);
  } else {
    write_answer(r, j);
    if (extra)
      extra(ctx, j);
  }
  ww_json_end_obj(j);
}

/* ---- in ---- */

static const cJSON *get(const cJSON *o, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(o, key);
}

static bool number(const cJSON *o, const char *key, double *out) {
  const cJSON *n = get(o, key);
  if (!cJSON_IsNumber(n) || !isfinite(n->valuedouble))
    return false;
  *out = n->valuedouble;
  return true;
}

static ww_status read_metrics(const cJSON *metrics, ww_report *out, ww_err *e) {
  if (metrics && !cJSON_IsObject(metrics))
    return ww_fail(e, WW_EPARSE, "metrics: expected an object");
  for (const cJSON *m = metrics ? metrics->child : NULL; m; m = m->next) {
    int i = ww_metric_named(m->string);
    if (i < 0)
      continue; /* a newer writer's */
    ww_quantity *q = &out->m[i];
    if (!cJSON_IsObject(m) || !number(m, "value", &q->value))
      return ww_fail(e, WW_EPARSE, "metrics.%s: expected an object with a number \"value\"",
                     m->string);
    q->known = true;
    q->interval = number(m, "low", &q->low) && number(m, "high", &q->high);
  }
  return WW_OK;
}

static ww_status read_findings(const cJSON *list, ww_arena *a, ww_report *out, ww_err *e) {
  if (!list)
    return WW_OK;
  if (!cJSON_IsArray(list))
    return ww_fail(e, WW_EPARSE, "findings: expected an array");
  out->findings = WW_NEWN(a, ww_finding, cJSON_GetArraySize(list));
  for (const cJSON *n = list->child; n; n = n->next) {
    ww_finding *f = &out->findings[out->nfindings++];
    f->file = ww_json_text(n, "file", a);
    f->rule = ww_json_text(n, "rule", a);
    f->message = ww_json_text(n, "message", a);
    f->line = (uint32_t)ww_json_whole(n, "line");
    number(n, "gain", &f->gain);
    if (!f->rule || !f->message)
      return ww_fail(e, WW_EPARSE, "findings[%u]: expected \"rule\" and \"message\"",
                     out->nfindings - 1);
  }
  return WW_OK;
}

static ww_status read_assumed(const cJSON *list, ww_arena *a, ww_report *out, ww_err *e) {
  if (!list)
    return WW_OK;
  if (!cJSON_IsArray(list))
    return ww_fail(e, WW_EPARSE, "assumed: expected an array of strings");
  out->assumed = WW_NEWN(a, const char *, cJSON_GetArraySize(list));
  for (const cJSON *n = list->child; n; n = n->next) {
    if (!cJSON_IsString(n))
      return ww_fail(e, WW_EPARSE, "assumed: expected an array of strings");
    out->assumed[out->nassumed++] = ww_strdup(a, n->valuestring);
  }
  return WW_OK;
}

static ww_status read_launch(const cJSON *n, ww_arena *a, ww_report *out, ww_err *e) {
  if (!n)
    return WW_OK;
  ww_launch *l = WW_NEW(a, ww_launch);
  out->launch = l;
  return ww_launch_from_json(n, NULL, a, l, e);
}

static void read_error(const cJSON *n, ww_arena *a, ww_report *out) {
  const char *code = ww_json_text(n, "code", a), *message = ww_json_text(n, "message", a);
  out->error.code = WW_EDATA;
  for (int c = WW_EUSAGE; c <= WW_EDATA; c++)
    if (code && strcmp(ww_status_name((ww_status)c), code) == 0)
      out->error.code = (ww_status)c;
  snprintf(out->error.msg, sizeof out->error.msg, "%s", message ? message : "");
  out->error.file = ww_json_text(n, "file", a);
  out->error.line = (uint32_t)ww_json_whole(n, "line");
}

static ww_status read_answer(const cJSON *tree, ww_arena *a, ww_report *out, ww_err *e) {
  const char *by = ww_json_text(tree, "by", a);
  int b = 0;
  while (b < WW_NBY && (!by || strcmp(by, ww_by_names[b]) != 0))
    b++;
  if (b == WW_NBY)
    return ww_fail(e, WW_EPARSE, "by: expected grounded, machine, text, trace or hardware");
  out->by = (ww_by)b;
  out->gpu = ww_json_text(tree, "gpu", a);
  out->roofline_class = ww_json_text(get(tree, "roofline"), "class", a);
  out->bottleneck = ww_json_text(tree, "bottleneck", a);
  out->sampled_blocks = ww_json_whole(get(tree, "sampled"), "blocks");
  out->total_blocks = ww_json_whole(get(tree, "sampled"), "of");
  ww_status rc = read_launch(get(tree, "launch"), a, out, e);
  if (rc == WW_OK)
    rc = read_assumed(get(tree, "assumed"), a, out, e);
  if (rc == WW_OK)
    rc = read_metrics(get(tree, "metrics"), out, e);
  if (rc == WW_OK)
    rc = read_findings(get(tree, "findings"), a, out, e);
  return rc;
}

ww_status ww_report_parse(const char *json, ww_arena *a, ww_report *out, ww_err *e) {
  *out = (ww_report){0};
  cJSON *tree = ww_json_read(json, strlen(json), e);
  if (!tree)
    return WW_EPARSE;
  ww_status rc = WW_OK;
  if (!cJSON_IsObject(tree))
    rc = ww_fail(e, WW_EPARSE, "report: expected an object");
  if (rc == WW_OK && ww_json_whole(tree, "schema_version") != 1)
    rc = ww_fail(e, WW_EPARSE, "schema_version: this version of warpwise reads 1");
  out->file = ww_json_text(tree, "file", a);
  out->kernel = ww_json_text(tree, "kernel", a);
  if (rc == WW_OK && get(tree, "error"))
    read_error(get(tree, "error"), a, out);
  else if (rc == WW_OK)
    rc = read_answer(tree, a, out, e);
  cJSON_Delete(tree);
  return rc;
}
