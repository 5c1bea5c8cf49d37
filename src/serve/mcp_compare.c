/* mcp_compare.c - one kernel on several GPUs, or two versions of it under the same
 * launch.
 *
 * The first of a group is what the others are compared with. Where intervals overlap
 * the order is not certain, and the verdict says so. */
#include <math.h>

#include "mcp_int.h"

#define CHANGES 8    /* that are shown */
#define CHANGED 0.05 /* of the logarithm: what differs less is the same */
#define GROUPS 32

typedef struct {
  const char *what; /* "before", "after", or NULL: the GPU's name tells them apart */
  ww_report r;
} candidate;

static const char *verdict(const ww_quantity *before, const ww_quantity *after) {
  double ratio = after->value / before->value;
  if (fabs(log(ratio)) < 0.02)
    return "the same";
  bool sure = !before->interval || !after->interval || after->high < before->low ||
              after->low > before->high;
  if (ratio < 1)
    return sure ? "faster" : "faster, though the intervals overlap";
  return sure ? "slower" : "slower, though the intervals overlap";
}

static void write_candidate(const candidate *first, const candidate *c, ww_json *j) {
  const ww_quantity *a = &first->r.m[WW_M_time_us];
  const ww_quantity *b = &c->r.m[WW_M_time_us];
  ww_json_put(j, "{version?:%s,kernel:%s,gpu:%s,grade?:%s", c->what, c->r.kernel,
              c->r.gpu, c->r.grade);
  if (c->r.error.code)
    ww_json_kstr(j, "error", c->r.error.msg);
  else {
    ww_mcp_quantity(j, "time_us", b);
    if (c != first && a->known && b->known && b->value > 0)
      ww_json_put(j, "speedup:%g,verdict:%s", ww_mcp_digits(a->value / b->value),
                  verdict(a, b));
    ww_json_put(j, "roofline_class?:%s,bottleneck?:%s", c->r.roofline_class,
                c->r.bottleneck);
  }
  ww_json_end_obj(j);
}

typedef struct {
  ww_metric m;
  double size;
} change;

static int by_size(const void *a, const void *b) {
  double x = ((const change *)a)->size;
  double y = ((const change *)b)->size;
  return x < y ? 1 : x > y ? -1 : 0;
}

static void write_changes(const ww_report *before, const ww_report *after, ww_json *j) {
  change v[WW_NMETRICS];
  uint32_t n = 0;
  if (before->error.code || after->error.code)
    return;
  for (int k = 0; k < WW_NMETRICS; k++) {
    const ww_quantity *a = &before->m[k];
    const ww_quantity *b = &after->m[k];
    if (k == WW_M_time_us || !a->known || !b->known || a->value == b->value)
      continue;
    double size = a->value > 0 && b->value > 0 ? fabs(log(b->value / a->value)) : 10;
    if (size > CHANGED)
      v[n++] = (change){k, size};
  }
  qsort(v, n, sizeof *v, by_size);
  ww_json_put(j, "changed:[");
  for (uint32_t k = 0; k < n && k < CHANGES; k++)
    ww_json_put(j, "{metric:%s,before:%g,after:%g}", ww_metrics[v[k].m].name,
                ww_mcp_digits(before->m[v[k].m].value),
                ww_mcp_digits(after->m[v[k].m].value));
  ww_json_end_arr(j);
}

static void write_group(ww_mcp_call *t, const candidate *v, uint32_t n, bool versions) {
  ww_json *j = &t->j;
  ww_json_put(j, "{kernel:%s,candidates:[", v[0].r.kernel);
  for (uint32_t k = 0; k < n; k++)
    write_candidate(v, &v[k], j);
  ww_json_end_arr(j);
  if (versions)
    write_changes(&v[0].r, &v[1].r, j);
  if (!v[0].r.error.code && v[0].r.assumed.n)
    ww_assumptions_write(&v[0].r.assumed, j);
  ww_json_end_obj(j);
}

/* Any candidate has a time. */
static bool answered(const candidate *v, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (!v[k].r.error.code)
      return true;
  return false;
}

/* What follows the comparisons; `error`: why there is none, of the last one. */
static ww_status finish(ww_mcp_call *t,
                        const ww_query_result *a,
                        const ww_query_result *b,
                        const ww_err *error) {
  if (error) {
    t->err = *error;
    return error->code;
  }
  if (!t->full)
    return WW_OK;
  ww_json_put(&t->j, "full:[");
  ww_call_reports(a, a->n, &t->j);
  if (b)
    ww_call_reports(b, b->n, &t->j);
  ww_json_end_arr(&t->j);
  return WW_OK;
}

static ww_status
compare_gpus(ww_mcp_call *t, const ww_query_result *x, uint32_t ngpus) {
  candidate *v = WW_NEWN(t->a, candidate, ngpus);
  bool any = false;
  ww_json_put(&t->j, "comparisons:[");
  for (uint32_t at = 0; at + ngpus <= x->n && at / ngpus < GROUPS; at += ngpus) {
    for (uint32_t k = 0; k < ngpus; k++)
      v[k] = (candidate){.r = x->v[at + k].report};
    any |= answered(v, ngpus);
    write_group(t, v, ngpus, false);
  }
  ww_json_end_arr(&t->j);
  return finish(t, x, NULL, !any && x->n ? &v[0].r.error : NULL);
}

/* Kernels of the same name and GPU; where one was named on either side, the two that
 * were. */
static const ww_query_answer *
partner(const ww_query_result *b, const ww_query_answer *a, bool named) {
  for (uint32_t k = 0; k < b->n; k++)
    if ((named || !strcmp(b->v[k].kernel, a->kernel)) && !strcmp(b->v[k].gpu, a->gpu))
      return &b->v[k];
  return NULL;
}

static ww_status compare_versions(ww_mcp_call *t,
                                  const ww_query_result *a,
                                  const ww_query_result *b,
                                  bool named) {
  candidate v[2];
  uint32_t n = 0;
  bool any = false;
  ww_json_put(&t->j, "comparisons:[");
  for (uint32_t k = 0; k < a->n && n < GROUPS; k++) {
    const ww_query_answer *other = partner(b, &a->v[k], named);
    if (!other)
      continue;
    v[0] = (candidate){.what = "before", .r = a->v[k].report};
    v[1] = (candidate){.what = "after", .r = other->report};
    any |= answered(v, 2);
    write_group(t, v, 2, true);
    n++;
  }
  ww_json_end_arr(&t->j);
  if (!n)
    return ww_fail(
        &t->err, WW_EUSAGE,
        "the versions have no kernel of the same name; give kernel and other_kernel");
  return finish(t, a, b, any ? NULL : &v[0].r.error);
}

cJSON *ww_mcp_other_args(const ww_mcp_call *t) {
  static const char *const names[][2] = {
      {"other_file", "file"}, {"other_source", "source"}, {"other_kernel", "kernel"}};
  cJSON *args = cJSON_Duplicate(t->args, true);
  bool file = cJSON_GetObjectItemCaseSensitive(args, "other_file"),
       source = cJSON_GetObjectItemCaseSensitive(args, "other_source");
  if (file && !source)
    cJSON_DeleteItemFromObjectCaseSensitive(args, "source");
  for (int k = 0; k < 3; k++) {
    cJSON *v = cJSON_DetachItemFromObjectCaseSensitive(args, names[k][0]);
    if (!v)
      continue;
    cJSON_DeleteItemFromObjectCaseSensitive(args, names[k][1]);
    cJSON_AddItemToObject(args, names[k][1], v);
  }
  return args;
}

ww_status ww_mcp_compare(ww_mcp_call *t) {
  bool versions = ww_mcp_text(t, "other_file") || ww_mcp_text(t, "other_source") ||
                  ww_mcp_text(t, "other_kernel");
  ww_query_result a;
  ww_query_result b;
  call c;
  ww_status st = ww_mcp_ask(t, t->args, &c);
  if (!st && !versions && c.ask.ngpus < 2)
    st = ww_fail(&t->err, WW_EUSAGE,
                 "compare needs two names in `gpu`, or other_file, other_source or "
                 "other_kernel");
  if (!st)
    st = ww_query_ask(t->m->o.w, &c.ask, t->a, &a, &t->err);
  if (st)
    return st;
  if (!versions)
    return compare_gpus(t, &a, c.ask.ngpus);
  cJSON *args = ww_mcp_other_args(t);
  call d;
  st = ww_mcp_ask(t, args, &d);
  cJSON_Delete(args);
  if (!st && ww_mcp_text(t, "other_kernel"))
    d.launch.kernel = NULL; /* the launch is the first one's */
  if (!st)
    st = ww_query_ask(t->m->o.w, &d.ask, t->a, &b, &t->err);
  bool named = ww_mcp_text(t, "kernel") || ww_mcp_text(t, "other_kernel");
  return st ? st : compare_versions(t, &a, &b, named);
}

/* ---- schema ---- */

void ww_mcp_schema_compare(ww_json *j) {
  ww_mcp_begin_list(j, "comparisons", "one per kernel (and GPU, of versions)");
  ww_schema_properties(j, "kernel string");
  ww_mcp_list(j, "candidates", NULL,
              "version string before or after\n"
              "kernel string\n"
              "gpu string\n"
              "grade string of the GPU's figures\n"
              "time_us object value, low, high\n"
              "speedup number over the first candidate; above 1 is faster\n"
              "verdict string\n"
              "roofline_class string bandwidth or compute\n"
              "bottleneck string\n"
              "error string why it has no time");
  ww_mcp_list(
      j, "changed", "of versions: the metrics that changed most",
      "metric string warpwise://metrics lists them\nbefore number\nafter number");
  ww_schema_properties(j, "assumed strings what the launch did not say");
  ww_json_put(j, "}}}");
  ww_schema_properties(j, "full array with detail: full, the whole reports");
}
