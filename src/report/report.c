/* report.c - a report as JSON, out and in. The object is the same from every oracle;
 * docs/report.md is the manual. */
#include "report.h"

#include <math.h>

#include "../base/jsonread.h"
#include "../base/json_put.h"
#include "launch_int.h"

const char *const ww_by_names[WW_NBY] = {"grounded", "machine", "text", "trace",
                                         "hardware"};

/* ---- out ---- */

static void write_metrics(const ww_report *r, ww_json *j) {
  ww_json_put(j, "metrics:{");
  for (int i = 0; i < WW_NMETRICS; i++) {
    const ww_quantity *q = &r->m[i];
    if (!q->known || !isfinite(q->value))
      continue; /* what is no number is not known */
    ww_json_put(j, "%s:{value:%g", ww_metrics[i].name, q->value);
    if (q->interval)
      ww_json_put(j, "low:%g,high:%g", q->low, q->high);
    ww_json_end_obj(j);
  }
  ww_json_end_obj(j);
}

/* "key":[12,14]; nothing of none */
static void write_whole(ww_json *j, const char *key, const uint32_t *v, uint32_t n) {
  if (!n)
    return;
  ww_json_put(j, "%s:[", key);
  for (uint32_t k = 0; k < n; k++)
    ww_json_uint(j, v[k]);
  ww_json_end_arr(j);
}

static void write_findings(const ww_report *r, ww_json *j) {
  ww_json_put(j, "findings:[");
  for (uint32_t i = 0; i < r->nfindings; i++) {
    const ww_finding *f = &r->findings[i];
    ww_json_put(j, "{file?:%s,line?:%u,rule:%s,message:%s,gain?:%g", f->file, f->line,
                f->rule, f->message, f->gain);
    ww_json_put(j, "cause?:%s,remedy?:%s", f->cause, f->remedy);
    write_whole(j, "also", f->also.line, f->also.n);
    ww_json_put(j, "more?:%u", f->also.more);
    write_whole(j, "bounds", f->bounds, f->bounds[0] ? 2 : 0);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

static void write_lines(const ww_report *r, ww_json *j) {
  ww_json_put(j, "lines:[");
  for (uint32_t i = 0; i < r->nlines; i++) {
    const ww_report_line *l = &r->lines[i];
    ww_json_put(j,
                "{file:%s,line:%u,share:%g,instructions:%g,bytes:%g,"
                "sectors_per_request?:%g,shared_conflict_ways?:%g,inlined?:%g}",
                l->file, l->line, l->share, l->instructions, l->bytes,
                l->sectors_per_request, l->shared_conflict_ways, l->inlined);
  }
  ww_json_end_arr(j);
}

static bool same(const char *a, const char *b) {
  return a == b || (a && b && !strcmp(a, b));
}

/* Closes and opens objects until the member `machine` stands at the stage and group of
 * `to`; NULL: at none. */
static void move_to(const ww_report_term *from, const ww_report_term *to, ww_json *j) {
  bool other = !from || !to || !same(from->stage, to->stage);
  bool changed = other || !same(from->group, to->group);
  if (from && from->group && changed)
    ww_json_end_obj(j);
  if (from && other)
    ww_json_end_obj(j);
  if (to && other)
    ww_json_put(j, "%s:{", to->stage);
  if (to && to->group && changed)
    ww_json_put(j, "%s:{", to->group);
}

static void write_terms(const ww_report *r, ww_json *j) {
  const ww_report_term *before = NULL;
  ww_json_put(j, "machine:{");
  for (uint32_t i = 0; i < r->nterms; i++) {
    const ww_report_term *t = &r->terms[i];
    move_to(before, t, j);
    before = t;
    if (t->word)
      ww_json_kstr(j, t->name, t->word);
    else if (t->name)
      ww_json_knum(j, t->name, t->value);
  }
  move_to(before, NULL, j);
  ww_json_end_obj(j);
}

static void write_answer(const ww_report *r, ww_json *j) {
  ww_json_put(j, "gpu?:%s,grade?:%s,by:%s", r->gpu, r->grade, ww_by_names[r->by]);
  if (r->launch) {
    ww_json_key(j, "launch");
    ww_launch_write(r->launch, j);
  }
  ww_assumptions_write(&r->assumed, j);
  ww_assumptions_write_kinds(&r->assumed, j);
  write_metrics(r, j);
  if (r->roofline_class)
    ww_json_put(j, "roofline:{class:%s}", r->roofline_class);
  ww_json_put(j, "bottleneck?:%s", r->bottleneck);
  if (r->nfindings)
    write_findings(r, j);
  ww_json_put(j, "held?:%s", r->held);
  if (r->total_blocks)
    ww_json_put(j, "sampled:{blocks:%lu,of:%lu}", r->sampled_blocks, r->total_blocks);
  if (r->explained)
    write_lines(r, j);
  if (r->nterms)
    write_terms(r, j);
}

void ww_report_members(const ww_report *r, ww_json *j) {
  ww_json_put(j, "schema_version:1,file?:%s,kernel?:%s", r->file, r->kernel);
  const ww_err *e = &r->error;
  if (e->code)
    ww_json_put(j, "error:{code:%s,message:%s,file?:%s,line?:%u,col?:%u}",
                ww_status_name(e->code), e->msg, e->file, e->line, e->col);
  else
    write_answer(r, j);
}

void ww_report_write(const ww_report *r,
                     ww_json *j,
                     void (*extra)(void *ctx, ww_json *j),
                     void *ctx) {
  ww_json_obj(j);
  ww_report_members(r, j);
  if (extra && !r->error.code)
    extra(ctx, j);
  ww_json_end_obj(j);
}

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
  ww_json_put(j, "],median_us:%g,iqr_us:%g,passes:%u,accumulates:%i,compiler?:%s",
              m->median_us, m->iqr_us, m->passes, m->accumulates, m->compiler);
  if (m->digest) {
    char hex[20];
    snprintf(hex, sizeof hex, "%016lx", m->digest);
    ww_json_kstr(j, "digest", hex);
  }
  ww_json_put(j, "}");
}

static const ww_report_term *
find_term(const ww_report *r, const char *stage, const char *group, const char *name) {
  for (uint32_t i = 0; i < r->nterms; i++) {
    const ww_report_term *t = &r->terms[i];
    if (same(t->stage, stage) && same(t->group, group) && same(t->name, name))
      return t;
  }
  return NULL;
}

double ww_report_term_of(const ww_report *r,
                         const char *stage,
                         const char *group,
                         const char *name) {
  const ww_report_term *t = find_term(r, stage, group, name);
  return t && !t->word ? t->value : NAN;
}

const char *ww_report_word_of(const ww_report *r, const char *stage, const char *name) {
  const ww_report_term *t = find_term(r, stage, NULL, name);
  return t ? t->word : NULL;
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
  const cJSON *m;
  if (metrics && !cJSON_IsObject(metrics))
    return ww_fail(e, WW_EPARSE, "metrics: expected an object");
  cJSON_ArrayForEach(m, metrics) {
    int i = ww_metric_named(m->string);
    if (i < 0)
      continue; /* a newer writer's */
    ww_quantity *q = &out->m[i];
    if (!cJSON_IsObject(m) || !number(m, "value", &q->value))
      return ww_fail(e, WW_EPARSE,
                     "metrics.%s: expected an object with a number \"value\"",
                     m->string);
    q->known = true;
    q->interval = number(m, "low", &q->low) && number(m, "high", &q->high);
  }
  return WW_OK;
}

/* As many numbers as there are, n at most; how many. */
static uint32_t read_whole(const cJSON *list, uint32_t *v, uint32_t n) {
  uint32_t found = 0;
  const cJSON *x;
  cJSON_ArrayForEach(x, list) {
    bool good = cJSON_IsNumber(x) && x->valuedouble >= 0 && x->valuedouble < 4e9;
    if (!good || found == n)
      break;
    v[found++] = (uint32_t)x->valuedouble;
  }
  return found;
}

static ww_status want_list(const cJSON *list, const char *what, ww_err *e) {
  if (!list || cJSON_IsArray(list))
    return WW_OK;
  return ww_fail(e, WW_EPARSE, "%s", what);
}

static ww_status
read_findings(const cJSON *list, ww_arena *a, ww_report *out, ww_err *e) {
  const cJSON *n;
  ww_status st = want_list(list, "findings: expected an array", e);
  if (st)
    return st;
  out->findings = WW_NEWN(a, ww_finding, cJSON_GetArraySize(list));
  cJSON_ArrayForEach(n, list) {
    ww_finding *f = &out->findings[out->nfindings++];
    f->file = ww_json_text(n, "file", a);
    f->rule = ww_json_text(n, "rule", a);
    f->message = ww_json_text(n, "message", a);
    f->line = ww_json_whole(n, "line");
    number(n, "gain", &f->gain);
    if (!f->rule || !f->message)
      return ww_fail(e, WW_EPARSE, "findings[%u]: expected \"rule\" and \"message\"",
                     out->nfindings - 1);
    f->cause = ww_json_text(n, "cause", a);
    f->remedy = ww_json_text(n, "remedy", a);
    if (!f->remedy)
      f->cause = NULL;
    f->also.n = read_whole(get(n, "also"), f->also.line, WW_COUNT(f->also.line));
    f->also.more = ww_json_whole(n, "more");
    if (read_whole(get(n, "bounds"), f->bounds, 2) < 2)
      f->bounds[0] = f->bounds[1] = 0;
  }
  return WW_OK;
}

static ww_status read_lines(const cJSON *list, ww_arena *a, ww_report *out, ww_err *e) {
  const cJSON *n;
  ww_status st = want_list(list, "lines: expected an array", e);
  if (st)
    return st;
  out->explained = list;
  out->lines = WW_NEWN(a, ww_report_line, cJSON_GetArraySize(list));
  cJSON_ArrayForEach(n, list) {
    ww_report_line *l = &out->lines[out->nlines++];
    l->file = ww_json_text(n, "file", a);
    l->line = ww_json_whole(n, "line");
    number(n, "share", &l->share);
    number(n, "instructions", &l->instructions);
    number(n, "bytes", &l->bytes);
    number(n, "sectors_per_request", &l->sectors_per_request);
    number(n, "shared_conflict_ways", &l->shared_conflict_ways);
    number(n, "inlined", &l->inlined);
  }
  return WW_OK;
}

typedef WW_VEC(ww_report_term) terms;

/* Members of a stage, or of a group within one. */
static void read_members(const cJSON *of, ww_report_term at, ww_arena *a, terms *out) {
  const cJSON *n;
  ww_push(a, out, at);
  cJSON_ArrayForEach(n, of) {
    ww_report_term t = at;
    const char *name = ww_strdup(a, n->string);
    if (cJSON_IsObject(n) && !at.group) {
      t.group = name;
      read_members(n, t, a, out);
      continue;
    }
    if (!cJSON_IsNumber(n) && !cJSON_IsString(n))
      continue;
    t.name = name;
    t.word = cJSON_IsString(n) ? ww_strdup(a, n->valuestring) : NULL;
    t.value = cJSON_IsNumber(n) ? n->valuedouble : 0;
    ww_push(a, out, t);
  }
}

static void read_terms(const cJSON *machine, ww_arena *a, ww_report *out) {
  terms v = {0};
  for (const cJSON *n = cJSON_IsObject(machine) ? machine->child : NULL; n; n = n->next)
    if (cJSON_IsObject(n))
      read_members(n, (ww_report_term){.stage = ww_strdup(a, n->string)}, a, &v);
  out->terms = v.v;
  out->nterms = v.n;
}

static ww_status read_assumed(
    const cJSON *list, const cJSON *kinds, ww_arena *a, ww_report *out, ww_err *e) {
  static const char what[] = "assumed: expected an array of strings";
  const cJSON *n;
  ww_status st = want_list(list, what, e);
  if (st)
    return st;
  const cJSON *kind = cJSON_IsArray(kinds) ? kinds->child : NULL;
  cJSON_ArrayForEach(n, list) {
    if (!cJSON_IsString(n))
      return ww_fail(e, WW_EPARSE, what);
    ww_push(a, &out->assumed, ww_assumption_read(kind, n->valuestring, a));
    kind = kind ? kind->next : NULL;
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

/* ---- what was measured ---- */

static double sample(const cJSON *n) {
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
    out->samples_us[k++] = sample(s);
  for (k = 0; k < n; k++)
    out->clocks_mhz[k] = NAN;
  k = 0;
  for (const cJSON *s = clocks ? clocks->child : NULL; s && k < n; s = s->next)
    out->clocks_mhz[k++] = sample(s);
  for (const cJSON *s = dropped ? dropped->child : NULL; s; s = s->next)
    if (cJSON_IsNumber(s) && s->valuedouble >= 0 && s->valuedouble < n)
      out->dropped[(uint32_t)s->valuedouble] = true;
  return WW_OK;
}

static ww_status read_measured(const cJSON *o, ww_arena *a, ww_report *out, ww_err *e) {
  if (!cJSON_IsObject(o))
    return WW_OK;
  ww_measured *m = WW_NEW(a, ww_measured);
  const char *digest = ww_json_text(o, "digest", a);
  *m = (ww_measured){.device = read_device(o, a),
                     .median_us = sample(get(o, "median_us")),
                     .iqr_us = sample(get(o, "iqr_us")),
                     .passes = ww_json_whole(o, "passes"),
                     .digest = digest ? strtoull(digest, NULL, 16) : 0,
                     .accumulates = cJSON_IsTrue(get(o, "accumulates")),
                     .compiler = ww_json_text(o, "compiler", a)};
  out->measured = m;
  return read_samples(o, a, m, e);
}

/* ---- the whole ---- */

static void read_error(const cJSON *n, ww_arena *a, ww_report *out) {
  const char *code = ww_json_text(n, "code", a);
  const char *message = ww_json_text(n, "message", a);
  out->error.code = WW_EDATA;
  for (int c = WW_EUSAGE; c <= WW_EDATA; c++)
    if (code && !strcmp(ww_status_name(c), code))
      out->error.code = c;
  snprintf(out->error.msg, sizeof out->error.msg, "%s", message ? message : "");
  out->error.file = ww_json_text(n, "file", a);
  out->error.line = ww_json_whole(n, "line");
}

static ww_status
read_answer(const cJSON *tree, ww_arena *a, ww_report *out, ww_err *e) {
  const char *by = ww_json_text(tree, "by", a);
  int b = 0;
  while (b < WW_NBY && (!by || strcmp(by, ww_by_names[b]) != 0))
    b++;
  if (b == WW_NBY)
    return ww_fail(e, WW_EPARSE,
                   "by: expected grounded, machine, text, trace or hardware");
  out->by = b;
  out->gpu = ww_json_text(tree, "gpu", a);
  out->grade = ww_json_text(tree, "grade", a);
  out->roofline_class = ww_json_text(get(tree, "roofline"), "class", a);
  out->bottleneck = ww_json_text(tree, "bottleneck", a);
  out->held = ww_json_text(tree, "held", a);
  out->sampled_blocks = ww_json_whole(get(tree, "sampled"), "blocks");
  out->total_blocks = ww_json_whole(get(tree, "sampled"), "of");
  read_terms(get(tree, "machine"), a, out);
  ww_status st = read_launch(get(tree, "launch"), a, out, e);
  if (!st)
    st = read_assumed(get(tree, "assumed"), get(tree, "assumptions"), a, out, e);
  if (!st)
    st = read_metrics(get(tree, "metrics"), out, e);
  if (!st)
    st = read_findings(get(tree, "findings"), a, out, e);
  if (!st)
    st = read_measured(get(tree, "measured"), a, out, e);
  return st ? st : read_lines(get(tree, "lines"), a, out, e);
}

ww_status ww_report_parse(const char *json, ww_arena *a, ww_report *out, ww_err *e) {
  *out = (ww_report){0};
  cJSON *tree = ww_json_read(json, strlen(json), e);
  if (!tree)
    return WW_EPARSE;
  ww_status st = WW_OK;
  out->file = ww_json_text(tree, "file", a);
  out->kernel = ww_json_text(tree, "kernel", a);
  if (!cJSON_IsObject(tree))
    st = ww_fail(e, WW_EPARSE, "report: expected an object");
  else if (ww_json_whole(tree, "schema_version") > 1)
    st = ww_fail(
        e, WW_EPARSE,
        "schema_version: written by a newer warpwise, this one reads 1: update");
  else if (ww_json_whole(tree, "schema_version") != 1)
    st = ww_fail(e, WW_EPARSE, "schema_version: this version of warpwise reads 1");
  else if (get(tree, "error"))
    read_error(get(tree, "error"), a, out);
  else
    st = read_answer(tree, a, out, e);
  cJSON_Delete(tree);
  return st;
}
