/* api.c - requests to answers: reads the body by the table of members, checks what clients may ask
 * of this machine, asks the workspace.
 *
 * A client names files below the root alone, and gives clang no flag but definitions, folders below
 * the root and the language's standard: others load plugins or write files. */
#include "api_int.h"

#include <stdlib.h>

#include "../predict/show/roofline.h"
#include "../report/launch_int.h"

#define MOST_REPORTS 1000

const ww_member ww_api_members[] = {
    {"source", WW_MEMBER_TEXT, WW_IN_SOURCE, "what stands in the source file; else `file` is read",
     NULL},
    {"file", WW_MEMBER_TEXT, WW_IN_SOURCE | WW_IN_FILE,
     "path below the folder that is served; with `source`, what the text is called (kernel.cu, or "
     "by `lang`)",
     NULL},
    {"lang", WW_MEMBER_TEXT, WW_IN_SOURCE, "dialect; else by name and contents",
     "cuda|opencl|hip|openmp"},
    {"flags", WW_MEMBER_TEXTS, WW_IN_SOURCE,
     "-DNAME=VALUE, -UNAME, -Ifolder, -std=..., -cl-std=...", NULL},
    {"instantiate", WW_MEMBER_TEXTS, WW_IN_SOURCE, "templates to instantiate: kern<float,256>",
     NULL},
    {"kernel", WW_MEMBER_TEXT, WW_IN_LAUNCH,
     "which kernel, plain or mangled name; else every one of the file", NULL},
    {"launch", WW_MEMBER_SPEC, WW_IN_LAUNCH,
     "launch spec as docs/launch.md has it: grid, block, shared, args, symbols, ...; or its short "
     "form, as in the source: "
     "grid=n/256 block=256 n=1<<20 x=[n]; what is missing is found in the source or assumed",
     NULL},
    {"gpu", WW_MEMBER_NAMES, WW_IN_LAUNCH, "names of GPUs, one or several; else h200", NULL},
    {"cache", WW_MEMBER_TEXT, WW_IN_LAUNCH,
     "state of the caches at the launch; else as the launch spec says", "warm|cold"},
    {"by", WW_MEMBER_TEXT, WW_IN_LAUNCH,
     "machine: the machine model alone; grounded (default): with what measurements taught, where "
     "it is known",
     "machine|grounded"},
    {"budget", WW_MEMBER_COUNT, WW_IN_LAUNCH, "warp instructions to spend on sampling; else 500000",
     NULL},
    {"sweep", WW_MEMBER_TEXT, WW_IN_SWEEP,
     "an argument, grid or block over sizes: n=1K..64M, n=1K..64M:9 (points), n=1000,5000; K, M, G "
     "are 2^10, 2^20, 2^30",
     NULL},
    {0},
};

/* ---- errors ---- */

void ww_api_error(int status, const ww_err *e, ww_api_reply *out) {
  ww_json j = {0};
  ww_buf_free(&out->body);
  *out = (ww_api_reply){.status = status, .type = "application/json"};
  ww_json_begin(&j, &out->body);
  ww_json_obj(&j);
  ww_json_key(&j, "error");
  ww_json_obj(&j);
  ww_json_kstr(&j, "code", ww_status_name(e->code));
  ww_json_kstr(&j, "message", e->msg);
  if (e->file)
    ww_json_kstr(&j, "file", e->file);
  if (e->line)
    ww_json_kuint(&j, "line", e->line);
  if (e->col)
    ww_json_kuint(&j, "col", e->col);
  ww_json_end_obj(&j);
  ww_json_end_obj(&j);
  ww_buf_puts(&out->body, "\n");
}

static int http_status(ww_status code) {
  switch (code) {
  case WW_OK:
    return 200;
  case WW_EUSAGE:
    return 400;
  case WW_EIO:
    return 404;
  case WW_ELIMIT:
  case WW_ECANCEL:
    return 503;
  default:
    return 422; /* understood, but this source or launch cannot be answered */
  }
}

void ww_call_fail(call *c, ww_api_reply *out) {
  ww_api_error(http_status(c->err.code), &c->err, out);
}

/* ---- the body ---- */

static const cJSON *member(const call *c, const char *name) {
  return c->body ? cJSON_GetObjectItemCaseSensitive(c->body, name) : NULL;
}

ww_status ww_call_text(call *c, const char *name, const char **out) {
  const cJSON *v = member(c, name);
  *out = NULL;
  return v ? ww_json_want_str(v, name, out, c->a, &c->err) : WW_OK;
}

static ww_status texts(call *c, const char *name, bool or_one, const char ***out, uint32_t *n) {
  const cJSON *v = member(c, name), *item;
  char kind[64];
  *n = 0;
  if (!v)
    return WW_OK;
  if (!cJSON_IsArray(v) && !(or_one && cJSON_IsString(v)))
    return ww_fail(&c->err, WW_EUSAGE, "%s: expected %san array of strings, not %s", name,
                   or_one ? "a string or " : "", ww_json_kind(v, kind));
  *out = WW_NEWN(c->a, const char *, cJSON_IsArray(v) ? (size_t)cJSON_GetArraySize(v) + 1 : 1);
  if (cJSON_IsString(v))
    return ww_json_want_str(v, name, &(*out)[(*n)++], c->a, &c->err);
  cJSON_ArrayForEach(item, v) {
    ww_status st = ww_json_want_str(item, name, &(*out)[(*n)++], c->a, &c->err);
    if (st)
      return st;
  }
  return WW_OK;
}

static ww_status check_members(call *c) {
  const char *names[32] = {0};
  uint32_t n = 0;
  for (const ww_member *m = ww_api_members; m->name; m++)
    if (m->group & c->route->groups)
      names[n++] = m->name;
  ww_status st = ww_json_want_members(c->body, "the request", names, &c->err);
  for (const ww_member *m = ww_api_members; !st && m->name; m++) {
    const cJSON *v = m->one_of ? member(c, m->name) : NULL;
    if (!v || !cJSON_IsString(v))
      continue;
    bool found = false;
    for (const char *p = m->one_of; *p && !found;) {
      size_t k = strcspn(p, "|");
      found = strlen(v->valuestring) == k && !memcmp(p, v->valuestring, k);
      p += k + (p[k] == '|');
    }
    if (!found)
      st = ww_fail(&c->err, WW_EUSAGE, "%s: expected %s, not '%.40s'", m->name, m->one_of,
                   v->valuestring);
  }
  return st;
}

/* ---- what clients may ask for ---- */

static ww_status check_flag(call *c, const char *flag, const char **out) {
  const char *path;
  *out = flag;
  if (ww_starts(flag, "-I") && flag[2]) {
    ww_status st = ww_query_path(c->api->w, flag + 2, true, c->a, &path, &c->err);
    if (!st)
      *out = ww_fmt(c->a, "-I%s", path);
    return st;
  }
  bool known = (flag[0] == '-' && (flag[1] == 'D' || flag[1] == 'U') && flag[2]) ||
               ww_starts(flag, "-std=") || ww_starts(flag, "-cl-std=");
  if (known && strlen(flag) < 4096)
    return WW_OK;
  return ww_fail(&c->err, WW_EUSAGE,
                 "flags: '%.60s' is not accepted here; -D, -U, -I, -std= and -cl-std= are", flag);
}

static ww_status read_launch(call *c) {
  const cJSON *v = member(c, "launch");
  const ww_launch *l = &c->launch;
  char kind[64];
  if (!v)
    return WW_OK;
  if (!cJSON_IsObject(v) && !cJSON_IsString(v))
    return ww_fail(&c->err, WW_EUSAGE, "launch: expected an object or its short form, not %s",
                   ww_json_kind(v, kind));
  const char *dir;
  ww_status st = ww_query_path(c->api->w, ".", false, c->a, &dir, &c->err);
  if (!st && cJSON_IsString(v))
    st = v->valuestring[strspn(v->valuestring, " \t\r\n")]
             ? ww_launch_comment(v->valuestring, c->a, &c->launch, &c->err)
             : WW_OK;
  else if (!st)
    st = ww_launch_from_json(v, dir, c->a, &c->launch, &c->err);
  if (!st && (l->binary || l->nflags))
    st = ww_fail(
        &c->err, WW_EUSAGE,
        "launch: `binary` and `flags` are not accepted here; flags are a member of the request");
  if (st)
    return st;
  c->ask.launch = l;
  if (l->kernel && !c->ask.kernel)
    c->ask.kernel = l->kernel;
  return WW_OK;
}

static const char *default_name(const char *lang) {
  if (lang && !strcmp(lang, "opencl"))
    return "kernel.cl";
  if (lang && !strcmp(lang, "hip"))
    return "kernel.hip";
  return lang && !strcmp(lang, "openmp") ? "kernel.c" : "kernel.cu";
}

static ww_status read_source(call *c) {
  ww_source *s = &c->ask.source;
  const char *file;
  ww_status st = ww_call_text(c, "source", &s->text);
  if (!st)
    st = ww_call_text(c, "file", &file);
  if (!st)
    st = ww_call_text(c, "lang", &s->lang);
  if (!st && !s->text && !file)
    st = ww_fail(&c->err, WW_EUSAGE, "give `source`, a text, or `file`, a path");
  if (!st) {
    const char *name = file ? file : default_name(s->lang);
    st = ww_query_path(c->api->w, name, !s->text, c->a, &s->path, &c->err);
  }
  if (!st)
    st = texts(c, "flags", false, &s->flags, &s->nflags);
  for (uint32_t k = 0; !st && k < s->nflags; k++)
    st = check_flag(c, s->flags[k], &s->flags[k]);
  if (!st)
    st = texts(c, "instantiate", false, &s->instantiate, &s->ninstantiate);
  return st;
}

static bool is_stopping(void *ctx) {
  return atomic_load(&((ww_api *)ctx)->stopping);
}

ww_status ww_call_read(call *c) {
  ww_query_request *q = &c->ask;
  char kind[64];
  if (!c->q->body || !c->q->n)
    return ww_fail(&c->err, WW_EUSAGE, "the request has no body; a JSON object is expected");
  c->body = ww_json_read(c->q->body, c->q->n, &c->err);
  if (!c->body)
    return c->err.code = WW_EUSAGE;
  if (!cJSON_IsObject(c->body))
    return ww_fail(&c->err, WW_EUSAGE, "expected an object, not %s", ww_json_kind(c->body, kind));
  ww_status st = check_members(c);
  if (!st)
    st = read_source(c);
  if (!st)
    st = ww_call_text(c, "kernel", &q->kernel);
  if (!st)
    st = texts(c, "gpu", true, &q->gpus, &q->ngpus);
  if (!st)
    st = ww_call_text(c, "cache", &q->cache);
  if (!st)
    st = ww_call_text(c, "by", &q->by);
  if (!st && member(c, "budget"))
    st = ww_json_want_uint(member(c, "budget"), "budget", &q->budget, &c->err);
  if (!st)
    st = read_launch(c);
  if (!st && q->ngpus > 64)
    st = ww_fail(&c->err, WW_EUSAGE, "gpu: at most 64 of them");
  if (c->api->o.seconds > 0)
    q->deadline = c->q->arrived + c->api->o.seconds;
  q->cancelled = is_stopping;
  q->ctx = c->api;
  return st && st != WW_EIO ? c->err.code = WW_EUSAGE : st; /* the client's words, not a source's */
}

/* ---- answers ---- */

void ww_call_begin(ww_api_reply *out, ww_json *j) {
  *out = (ww_api_reply){.status = 200, .type = "application/json"};
  *j = (ww_json){0};
  ww_json_begin(j, &out->body);
  ww_json_obj(j);
}

void ww_call_end(ww_api_reply *out, ww_json *j) {
  ww_json_end_obj(j);
  ww_buf_puts(&out->body, "\n");
}

static void write_times(const ww_query_result *x, ww_json *j) {
  uint32_t known = 0;
  for (uint32_t k = 0; k < x->n; k++)
    known += x->v[k].known;
  ww_json_key(j, "timing");
  ww_json_obj(j);
  ww_json_knum(j, "read_ms", x->read_ms);
  ww_json_knum(j, "clang_ms", x->clang_ms);
  ww_json_knum(j, "host_ms", x->host_ms);
  ww_json_knum(j, "predict_ms", x->predict_ms);
  ww_json_kuint(j, "known", known);
  ww_json_end_obj(j);
}

static void reports(call *c, ww_api_reply *out) {
  ww_query_result x;
  ww_json j;
  if (ww_call_read(c) || ww_query_ask(c->api->w, &c->ask, c->a, &x, &c->err)) {
    ww_call_fail(c, out);
    return;
  }
  uint32_t most = c->api->o.reports ? c->api->o.reports : MOST_REPORTS;
  ww_call_begin(out, &j);
  ww_json_key(&j, "reports");
  ww_json_arr(&j);
  for (uint32_t k = 0; k < x.n && k < most; k++)
    ww_report_write(&x.v[k].report, &j, NULL, NULL);
  ww_json_end_arr(&j);
  write_times(&x, &j);
  ww_call_end(out, &j);
  for (uint32_t k = 0; k < x.n; k++) /* one kernel, one GPU, no answer: the status says so too */
    if (x.n == 1 && x.v[k].code)
      out->status = http_status(x.v[k].code);
}

static void predict(call *c, ww_api_reply *out) {
  reports(c, out);
}

static void explain(call *c, ww_api_reply *out) {
  c->ask.explain = true;
  reports(c, out);
}

uint32_t ww_call_gpus(call *c, ww_gpu **out) {
  static const char *const assumed[] = {"h200"};
  const char *const *names = c->ask.ngpus ? (const char *const *)c->ask.gpus : assumed;
  const ww_gpu *known;
  uint32_t nknown = ww_query_gpus(c->api->w, &known), n = c->ask.ngpus ? c->ask.ngpus : 1;
  *out = WW_NEWN(c->a, ww_gpu, n);
  for (uint32_t g = 0; g < n; g++)
    for (uint32_t k = 0; k < nknown; k++)
      if (!strcmp(known[k].name, names[g]))
        (*out)[g] = known[k];
  return n;
}

static void roofline(call *c, ww_api_reply *out) {
  ww_query_result x;
  if (ww_call_read(c) || ww_query_ask(c->api->w, &c->ask, c->a, &x, &c->err)) {
    ww_call_fail(c, out);
    return;
  }
  ww_gpu *gpus;
  uint32_t n = ww_call_gpus(c, &gpus);
  ww_roofs *roofs = WW_NEWN(c->a, ww_roofs, n);
  for (uint32_t g = 0; g < n; g++)
    ww_roofs_of(&gpus[g], &roofs[g]);
  WW_VEC(ww_roof_point) points = {0};
  for (uint32_t k = 0; k < x.n; k++) {
    ww_roof_point p;
    const char *why;
    if (x.v[k].code)
      continue;
    if (ww_roof_point_of(&x.v[k].report, &roofs[k % n], k % n, &p, &why))
      ww_push(c->a, &points, p);
  }
  ww_roofline plot = {gpus, roofs, n, points.v, points.n};
  *out = (ww_api_reply){.status = 200, .type = "image/svg+xml"};
  ww_roofline_svg(&plot, &out->body);
}

static void write_param(const ww_param *p, ww_json *j) {
  ww_json_obj(j);
  ww_json_kstr(j, "name", p->name);
  ww_json_kstr(j, "type", p->ctype ? p->ctype : ww_type_names[p->type]);
  ww_json_kbool(j, "pointer", p->pointer);
  ww_json_kuint(j, "bytes", p->size);
  ww_json_end_obj(j);
}

static void write_kernel(const call *c, const ww_query_unit *r, const ww_fn *fn, ww_json *j) {
  ww_json_obj(j);
  ww_json_kstr(j, "name", fn->name);
  ww_json_kstr(j, "mangled", fn->mangled);
  ww_json_kstr(j, "file", fn->file);
  ww_json_kuint(j, "line", fn->line);
  ww_json_kstr(j, "dialect", ww_dialect_names[r->unit->module.dialect]);
  ww_json_key(j, "args");
  ww_json_arr(j);
  for (uint32_t k = 0; k < fn->nparams; k++)
    write_param(&fn->params[k], j);
  ww_json_end_arr(j);
  ww_json_kstr(j, "comment", ww_front_comment_in(r->text, strlen(r->text), fn->line, c->a));
  ww_json_kbool(j, "interpretable", !fn->refusal);
  ww_json_kstr(j, "reason", fn->refusal);
  ww_json_end_obj(j);
}

static void kernels(call *c, ww_api_reply *out) {
  ww_query_unit r;
  ww_json j;
  if (ww_call_read(c) ||
      ww_query_read(c->api->w, &c->ask.source, c->ask.deadline, c->a, &r, &c->err)) {
    ww_call_fail(c, out);
    return;
  }
  ww_call_begin(out, &j);
  ww_json_key(&j, "kernels");
  ww_json_arr(&j);
  for (uint32_t k = 0; k < r.unit->module.nfns; k++)
    if (r.unit->module.fns[k].kernel)
      write_kernel(c, &r, &r.unit->module.fns[k], &j);
  ww_json_end_arr(&j);
  ww_json_kbool(&j, "partial", r.unit->partial);
  ww_diags_write(r.unit, &j);
  ww_call_end(out, &j);
  ww_query_release(c->api->w, &r);
}

static void write_roofs(const ww_gpu *g, ww_json *j) {
  static const char *const keys[WW_NROOFS] = {"dram_gbps", "l2_gbps", "fp64_gflops", "fp32_gflops",
                                              "tensor_gflops"};
  ww_roofs roofs;
  ww_roofs_of(g, &roofs);
  ww_json_key(j, "roofs");
  ww_json_obj(j);
  for (int k = 0; k < WW_NROOFS; k++)
    if (roofs.v[k] > 0)
      ww_json_knum(j, keys[k], roofs.v[k]);
  ww_json_end_obj(j);
}

static void gpus(call *c, ww_api_reply *out) {
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(c->api->w, &g);
  ww_json j;
  ww_call_begin(out, &j);
  ww_json_key(&j, "gpus");
  ww_json_arr(&j);
  for (uint32_t k = 0; k < n; k++) {
    ww_json_obj(&j);
    ww_gpu_members(&g[k], &j);
    write_roofs(&g[k], &j);
    ww_json_end_obj(&j);
  }
  ww_json_end_arr(&j);
  ww_call_end(out, &j);
}

static void write_kept(const char *name, ww_memo_stats s, ww_json *j) {
  ww_json_key(j, name);
  ww_json_obj(j);
  ww_json_kuint(j, "kept", s.n);
  ww_json_kuint(j, "bytes", s.bytes);
  ww_json_kuint(j, "made", s.made);
  ww_json_kuint(j, "found", s.hits);
  ww_json_end_obj(j);
}

static void health(call *c, ww_api_reply *out) {
  ww_query_stats s = ww_query_count(c->api->w);
  ww_json j;
  ww_call_begin(out, &j);
  ww_json_kstr(&j, "status", "ok");
  ww_json_kstr(&j, "version", WW_VERSION);
  ww_json_kuint(&j, "answered", atomic_load(&c->api->answered));
  ww_json_kuint(&j, "failed", atomic_load(&c->api->failed));
  write_kept("units", s.units, &j);
  write_kept("hosts", s.hosts, &j);
  write_kept("answers", s.answers, &j);
  ww_call_end(out, &j);
}

static void openapi(call *c, ww_api_reply *out) {
  (void)c;
  *out = (ww_api_reply){.status = 200, .type = "application/json"};
  ww_api_openapi(&out->body);
}

/* ---- routes ---- */

#define BOTH (WW_IN_SOURCE | WW_IN_LAUNCH)
const ww_route ww_api_routes[] = {
    {"POST", "/v1/predict", "Time and counters of each kernel on each GPU", BOTH, false, "Reports",
     "application/json", predict},
    {"POST", "/v1/explain", "The same with findings and what each source line costs", BOTH, false,
     "Reports", "application/json", explain},
    {"POST", "/v1/roofline.svg", "The kernels under the roofs of the GPUs", BOTH, false, NULL,
     "image/svg+xml", roofline},
    {"POST", "/v1/sweep", "Times of one kernel over a range of sizes, on each GPU",
     BOTH | WW_IN_SWEEP, false, "Sweep", "application/json", ww_call_sweep},
    {"POST", "/v1/sweep.svg", "The same as a plot", BOTH | WW_IN_SWEEP, false, NULL,
     "image/svg+xml", ww_call_sweep_svg},
    {"POST", "/v1/report.html", "What /v1/explain says, as one HTML file to pass on", BOTH, false,
     NULL, "text/html; charset=utf-8", ww_call_html},
    {"POST", "/v1/kernels", "The kernels of a source, and what of it could not be read",
     WW_IN_SOURCE, false, "Kernels", "application/json", kernels},
    {"GET", "/v1/files", "Source files of the folder that is served", 0, false, "Files",
     "application/json", ww_call_files},
    {"POST", "/v1/source", "The text of one of them", WW_IN_FILE, false, "Source",
     "application/json", ww_call_source},
    {"GET", "/v1/gpus", "The GPUs that can be asked for", 0, true, "Gpus", "application/json",
     gpus},
    {"GET", "/healthz", "Whether the server is up, what it keeps", 0, true, "Health",
     "application/json", health},
    {"GET", "/openapi.json", "This document", 0, true, NULL, "application/json", openapi},
    {0},
};

static const ww_route *route_of(const char *method, const char *path, bool *known) {
  *known = false;
  for (const ww_route *r = ww_api_routes; r->method; r++) {
    if (strcmp(r->path, path) != 0)
      continue;
    *known = true;
    if (!strcmp(r->method, method) || (!strcmp(method, "HEAD") && !strcmp(r->method, "GET")))
      return r;
  }
  return NULL;
}

bool ww_api_is_quick(const char *method, const char *path) {
  bool known;
  const ww_route *r = route_of(method, path, &known);
  return !r || r->quick; /* an error is quick too */
}

ww_api *ww_api_new(ww_query *w, const ww_api_options *o) {
  ww_api *api = ww_xcalloc(1, sizeof *api);
  api->w = w;
  api->o = *o;
  return api;
}

void ww_api_free(ww_api *api) {
  free(api);
}
void ww_api_stop(ww_api *api) {
  atomic_store(&api->stopping, true);
}

void ww_api_handle(ww_api *api, const ww_api_request *q, ww_api_reply *out) {
  bool known;
  const ww_route *r = route_of(q->method, q->path, &known);
  *out = (ww_api_reply){0};
  if (!r) {
    ww_err e = {0};
    ww_fail(&e, WW_EUSAGE,
            known ? "%s is not a method of %.200s"
                  : "%s %.200s: there is no such thing; see /openapi.json",
            q->method, q->path);
    ww_api_error(known ? 405 : 404, &e, out);
  } else {
    call c = {.api = api, .q = q, .route = r, .a = ww_arena_new()};
    r->handle(&c, out);
    cJSON_Delete(c.body);
    ww_arena_free(c.a);
  }
  atomic_fetch_add(out->status < 400 ? &api->answered : &api->failed, 1);
}
