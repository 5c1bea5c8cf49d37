/* api.c - requests to answers: reads the body by the table of members, checks what
 * clients may ask of this machine, asks the workspace.
 *
 * A client names files below the root alone, and gives clang no flag but definitions,
 * folders below the root and the language's standard: others load plugins or write
 * files. */
#include "api_int.h"

#include "../predict/show/roofline.h"
#include "../report/launch_int.h"

#define MOST_REPORTS 1000

const ww_member ww_api_members[] = {
    {"source", WW_MEMBER_TEXT, WW_IN_SOURCE,
     "what stands in the source file; else `file` is read", NULL},
    {"file", WW_MEMBER_TEXT, WW_IN_SOURCE | WW_IN_FILE,
     "path below the folder that is served; with `source`, what the text is called",
     NULL},
    {"lang", WW_MEMBER_TEXT, WW_IN_SOURCE, "dialect; else by name and contents",
     "cuda|opencl|hip|openmp"},
    {"flags", WW_MEMBER_TEXTS, WW_IN_SOURCE,
     "-DNAME=VALUE, -UNAME, -Ifolder, -std=..., -cl-std=...", NULL},
    {"instantiate", WW_MEMBER_TEXTS, WW_IN_SOURCE,
     "templates to instantiate: kern<float,256>", NULL},
    {"kernel", WW_MEMBER_TEXT, WW_IN_LAUNCH,
     "which kernel, plain or mangled name; else every one of the file", NULL},
    {"launch", WW_MEMBER_SPEC, WW_IN_LAUNCH,
     "launch spec, or its short form: grid=n/256 block=256 n=1<<20 x=[n]; what is "
     "missing is found in the source or assumed",
     NULL},
    {"gpu", WW_MEMBER_NAMES, WW_IN_LAUNCH, "names of GPUs, one or several; else h200",
     NULL},
    {"cache", WW_MEMBER_TEXT, WW_IN_LAUNCH,
     "state of the caches at the launch; else as the launch spec says", "warm|cold"},
    {"by", WW_MEMBER_TEXT, WW_IN_METHOD,
     "machine: the machine model alone; grounded (default): with what measurements "
     "taught, where "
     "it is known",
     "machine|grounded"},
    {"budget", WW_MEMBER_COUNT, WW_IN_METHOD,
     "warp instructions to spend on sampling; else 500000", NULL},
    {"sweep", WW_MEMBER_TEXT, WW_IN_SWEEP,
     "an argument, grid or block over sizes: n=1K..64M, n=1K..64M:9 (points), "
     "n=1000,5000; K, M, G "
     "are 2^10, 2^20, 2^30",
     NULL},
    {"as", WW_MEMBER_TEXT, WW_IN_CODE,
     "ir (default): what is interpreted; ptx: what nvcc makes of a CUDA source, where "
     "it is installed",
     "ir|ptx"},
    {0},
};

/* ---- errors ---- */

void ww_api_error(int status, const ww_err *e, ww_api_reply *out) {
  ww_buf_free(&out->body);
  *out = (ww_api_reply){.status = status, .type = "application/json"};
  ww_json j = {.out = &out->body};
  ww_json_put(&j, "{error:{code:%s,message:%s,file?:%s,line?:%u,col?:%u}}",
              ww_status_name(e->code), e->msg, e->file, e->line, e->col);
  ww_buf_puts(&out->body, "\n");
}

static int http_status(ww_status code) {
  static const short known[] = {[WW_OK] = 200,     [WW_EUSAGE] = 400,  [WW_EIO] = 404,
                                [WW_ELIMIT] = 503, [WW_ECANCEL] = 503, [WW_EDATA] = 0};
  /* understood, but cannot be answered for this source */
  return known[code] ? known[code] : 422;
}

/* ---- the body ---- */

static const cJSON *member(const call *c, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(c->body, name);
}

ww_status ww_call_text(call *c, const char *name, const char **out) {
  const cJSON *v = member(c, name);
  *out = NULL;
  return v ? ww_json_want_str(v, name, out, c->a, &c->err) : WW_OK;
}

static ww_status
texts(call *c, const char *name, bool or_one, const char ***out, uint32_t *n) {
  const cJSON *v = member(c, name);
  const cJSON *item;
  char kind[64];
  *n = 0;
  if (!v)
    return WW_OK;
  if (!cJSON_IsArray(v) && !(or_one && cJSON_IsString(v)))
    return ww_fail(&c->err, WW_EUSAGE, "%s: expected %san array of strings, not %s",
                   name, or_one ? "a string or " : "", ww_json_kind(v, kind));
  *out = WW_NEWN(c->a, const char *,
                 cJSON_IsArray(v) ? (size_t)cJSON_GetArraySize(v) + 1 : 1);
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
    if (cJSON_IsString(v) && !ww_is_one_of(m->one_of, v->valuestring))
      st = ww_fail(&c->err, WW_EUSAGE, "%s: expected %s, not '%.40s'", m->name,
                   m->one_of, v->valuestring);
  }
  return st;
}

/* ---- what clients may ask for ---- */

bool ww_call_harmless(const char *flag) {
  return ((ww_starts(flag, "-D") || ww_starts(flag, "-U")) && flag[2]) ||
         ww_starts(flag, "-std=") || ww_starts(flag, "-cl-std=");
}

static ww_status check_flag(call *c, const char *flag, const char **out) {
  const char *path;
  *out = flag;
  if (ww_starts(flag, "-I") && flag[2]) {
    ww_status st = ww_query_path(c->api->w, flag + 2, true, c->a, &path, &c->err);
    if (!st)
      *out = ww_fmt(c->a, "-I%s", path);
    return st;
  }
  if (ww_call_harmless(flag) && strlen(flag) < 4096)
    return WW_OK;
  return ww_fail(
      &c->err, WW_EUSAGE,
      "flags: '%.60s' is not accepted here; -D, -U, -I, -std= and -cl-std= are", flag);
}

static ww_status read_launch(call *c) {
  const cJSON *v = member(c, "launch");
  const ww_launch *l = &c->launch;
  char kind[64];
  if (!v)
    return WW_OK;
  if (!cJSON_IsObject(v) && !cJSON_IsString(v))
    return ww_fail(&c->err, WW_EUSAGE,
                   "launch: expected an object or its short form, not %s",
                   ww_json_kind(v, kind));
  const char *dir;
  ww_status st = ww_query_path(c->api->w, ".", false, c->a, &dir, &c->err);
  if (!st && cJSON_IsString(v)) {
    if (v->valuestring[strspn(v->valuestring, " \t\r\n")])
      st = ww_launch_comment(v->valuestring, c->a, &c->launch, &c->err);
  } else if (!st)
    st = ww_launch_from_json(v, dir, c->a, &c->launch, &c->err);
  if (!st && (l->binary || l->nflags))
    st = ww_fail(&c->err, WW_EUSAGE,
                 "launch: `binary` and `flags` are not accepted here; flags are a "
                 "member of the request");
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
  if (ww_call_text(c, "source", &s->text) || ww_call_text(c, "file", &file) ||
      ww_call_text(c, "lang", &s->lang))
    return c->err.code;
  if (!s->text && !file)
    return ww_fail(&c->err, WW_EUSAGE, "give `source`, a text, or `file`, a path");
  if (ww_query_path(c->api->w, file ? file : default_name(s->lang), !s->text, c->a,
                    &s->path, &c->err) ||
      texts(c, "flags", false, &s->flags, &s->nflags))
    return c->err.code;
  for (uint32_t k = 0; k < s->nflags; k++)
    if (check_flag(c, s->flags[k], &s->flags[k]))
      return c->err.code;
  return texts(c, "instantiate", false, &s->instantiate, &s->ninstantiate);
}

static bool is_stopping(void *ctx) {
  return atomic_load(&((ww_api *)ctx)->stopping);
}

static ww_status read_members(call *c) {
  ww_query_request *q = &c->ask;
  const cJSON *budget = member(c, "budget");
  if (check_members(c) || read_source(c) || ww_call_text(c, "kernel", &q->kernel) ||
      texts(c, "gpu", true, &q->gpus, &q->ngpus) ||
      ww_call_text(c, "cache", &q->cache) || ww_call_text(c, "by", &q->by) ||
      (budget && ww_json_want_uint(budget, "budget", &q->budget, &c->err)) ||
      read_launch(c))
    return c->err.code;
  return q->ngpus > 64 ? ww_fail(&c->err, WW_EUSAGE, "gpu: at most 64 of them") : WW_OK;
}

ww_status ww_call_read(call *c) {
  ww_query_request *q = &c->ask;
  char kind[64];
  if (!c->q->body || !c->q->n)
    return ww_fail(&c->err, WW_EUSAGE,
                   "the request has no body; a JSON object is expected");
  c->body = ww_json_read(c->q->body, c->q->n, &c->err);
  if (!c->body)
    return c->err.code = WW_EUSAGE;
  if (!cJSON_IsObject(c->body))
    return ww_fail(&c->err, WW_EUSAGE, "expected an object, not %s",
                   ww_json_kind(c->body, kind));
  ww_status st = read_members(c);
  if (c->api->o.seconds > 0)
    q->deadline = c->q->arrived + c->api->o.seconds;
  q->cancelled = is_stopping;
  q->ctx = c->api;
  /* the client's words, not a source's */
  return st && st != WW_EIO ? c->err.code = WW_EUSAGE : st;
}

/* ---- answers ---- */

ww_json ww_call_json(ww_api_reply *out) {
  *out = (ww_api_reply){.status = 200, .type = "application/json"};
  return (ww_json){.out = &out->body};
}

ww_status ww_call_end(ww_json *j) {
  ww_json_end_obj(j);
  ww_buf_puts(j->out, "\n");
  return WW_OK;
}

ww_status ww_call_ask(call *c, ww_query_result *x) {
  ww_status st = ww_call_read(c);
  return st ? st : ww_query_ask(c->api->w, &c->ask, c->a, x, &c->err);
}

void ww_call_reports(const ww_query_result *x, uint32_t most, ww_json *j) {
  for (uint32_t k = 0; k < x->n && k < most; k++)
    ww_report_write(&x->v[k].report, j, NULL, NULL);
}

static void write_times(const ww_query_result *x, ww_json *j) {
  uint32_t known = 0;
  for (uint32_t k = 0; k < x->n; k++)
    known += x->v[k].known;
  ww_json_put(j, "timing:{read_ms:%g,clang_ms:%g,host_ms:%g,predict_ms:%g,known:%u}",
              x->read_ms, x->clang_ms, x->host_ms, x->predict_ms, known);
}

static ww_status reports(call *c, ww_api_reply *out) {
  ww_query_result x;
  ww_status st = ww_call_ask(c, &x);
  if (st)
    return st;
  ww_json j = ww_call_json(out);
  ww_json_put(&j, "{reports:[");
  ww_call_reports(&x, c->api->o.reports ? c->api->o.reports : MOST_REPORTS, &j);
  ww_json_end_arr(&j);
  write_times(&x, &j);
  ww_call_end(&j);
  /* one kernel, one GPU, no answer: the status says so too */
  if (x.n == 1 && x.v[0].code)
    out->status = http_status(x.v[0].code);
  return WW_OK;
}

static ww_status explain(call *c, ww_api_reply *out) {
  c->ask.explain = true;
  return reports(c, out);
}

uint32_t ww_call_gpus(call *c, ww_gpu **out) {
  uint32_t n = c->ask.ngpus ? c->ask.ngpus : 1;
  *out = WW_NEWN(c->a, ww_gpu, n);
  for (uint32_t g = 0; g < n; g++) {
    const ww_gpu *known = ww_gpu_of(c->api->w, c->ask.ngpus ? c->ask.gpus[g] : "h200");
    if (known)
      (*out)[g] = *known;
  }
  return n;
}

static ww_status roofline(call *c, ww_api_reply *out) {
  ww_query_result x;
  ww_status st = ww_call_ask(c, &x);
  if (st)
    return st;
  ww_gpu *gpus;
  uint32_t n = ww_call_gpus(c, &gpus);
  ww_roofs *roofs = WW_NEWN(c->a, ww_roofs, n);
  for (uint32_t g = 0; g < n; g++)
    ww_roofs_of(&gpus[g], &roofs[g]);
  WW_VEC(ww_roof_point) points = {0};
  for (uint32_t k = 0; k < x.n; k++) {
    ww_roof_point p;
    const char *why;
    if (!x.v[k].code &&
        ww_roof_point_of(&x.v[k].report, &roofs[k % n], k % n, &p, &why))
      ww_push(c->a, &points, p);
  }
  *out = (ww_api_reply){.status = 200, .type = "image/svg+xml"};
  ww_roofline_svg(&(ww_roofline){gpus, roofs, n, points.v, points.n}, &out->body);
  return WW_OK;
}

static void write_param(const ww_param *p, ww_json *j) {
  ww_json_put(j, "{name:%s,type:%s,pointer:%i,bytes:%u}", p->name,
              p->ctype ? p->ctype : ww_type_names[p->type], p->pointer, p->size);
}

static void
write_kernel(const call *c, const ww_query_unit *r, const ww_fn *fn, ww_json *j) {
  ww_json_put(j, "{name:%s,mangled:%s,file:%s,line:%u,dialect:%s,args:[", fn->name,
              fn->mangled, fn->file, fn->line,
              ww_dialect_names[r->unit->module.dialect]);
  for (uint32_t k = 0; k < fn->nparams; k++)
    write_param(&fn->params[k], j);
  ww_json_put(j, "],comment:%s", ww_query_comment(c->api->w, r, fn, c->a));
  ww_refusal_write(r->unit, fn, j);
  ww_json_end_obj(j);
}

static ww_status kernels(call *c, ww_api_reply *out) {
  ww_query_unit r = {0};
  if (ww_call_read(c) ||
      ww_query_read(c->api->w, &c->ask.source, c->ask.deadline, c->a, &r, &c->err))
    return c->err.code;
  ww_json j = ww_call_json(out);
  ww_json_put(&j, "{kernels:[");
  for (uint32_t k = 0; k < r.unit->module.nfns; k++)
    if (r.unit->module.fns[k].kernel)
      write_kernel(c, &r, &r.unit->module.fns[k], &j);
  ww_json_put(&j, "],partial:%i", r.unit->partial);
  ww_diags_write(r.unit, &j);
  ww_call_end(&j);
  ww_query_release(c->api->w, &r);
  return WW_OK;
}

static void write_gpus(const ww_query *w, ww_buf *out) {
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(w, &g);
  ww_json j = {.out = out};
  ww_json_put(&j, "{gpus:[");
  for (uint32_t k = 0; k < n; k++) {
    ww_roofs roofs;
    ww_roofs_of(&g[k], &roofs);
    ww_json_obj(&j);
    ww_gpu_members(&g[k], &j);
    ww_json_put(&j, "roofs:{");
    ww_roofs_members(&roofs, &j);
    ww_json_put(&j, "}}");
  }
  ww_json_end_arr(&j);
  ww_call_end(&j);
}

static ww_status gpus(call *c, ww_api_reply *out) {
  ww_call_json(out);
  ww_buf_add(&out->body, c->api->gpus.s, c->api->gpus.n);
  return WW_OK;
}

static void write_kept(const char *name, ww_memo_stats s, ww_json *j) {
  ww_json_put(j, "%s:{kept:%u,bytes:%lu,made:%lu,found:%lu}", name, s.n, s.bytes,
              s.made, s.hits);
}

static ww_status health(call *c, ww_api_reply *out) {
  ww_query_stats s = ww_query_count(c->api->w);
  ww_json j = ww_call_json(out);
  ww_json_put(&j, "{status:'ok',version:%s,answered:%lu,failed:%lu", WW_VERSION,
              atomic_load(&c->api->answered), atomic_load(&c->api->failed));
  write_kept("units", s.units, &j);
  write_kept("hosts", s.hosts, &j);
  write_kept("answers", s.answers, &j);
  return ww_call_end(&j);
}

static ww_status openapi(call *c, ww_api_reply *out) {
  ww_call_json(out);
  ww_buf_add(&out->body, c->api->openapi.s, c->api->openapi.n);
  return WW_OK;
}

/* ---- routes ---- */

#define BOTH (WW_IN_SOURCE | WW_IN_LAUNCH | WW_IN_METHOD)
const ww_route ww_api_routes[] = {
    {"POST", "/v1/predict", "Time and counters of each kernel on each GPU", BOTH, false,
     "Reports", "application/json", reports},
    {"POST", "/v1/explain", "The same with findings and what each source line costs",
     BOTH, false, "Reports", "application/json", explain},
    {"POST", "/v1/fixes",
     "Edits for findings, and a patch of those that assume nothing", BOTH, false,
     "Fixes", "application/json", ww_call_fixes},
    {"POST", "/v1/roofline.svg", "The kernels under the roofs of the GPUs", BOTH, false,
     NULL, "image/svg+xml", roofline},
    {"POST", "/v1/sweep", "Times of one kernel over a range of sizes, on each GPU",
     BOTH | WW_IN_SWEEP, false, "Sweep", "application/json", ww_call_sweep},
    {"POST", "/v1/sweep.svg", "The same as a plot", BOTH | WW_IN_SWEEP, false, NULL,
     "image/svg+xml", ww_call_sweep_svg},
    {"POST", "/v1/report.html", "What /v1/explain says, as one HTML file to pass on",
     BOTH, false, NULL, "text/html; charset=utf-8", ww_call_html},
    {"POST", "/v1/kernels", "The kernels of a source, and what of it could not be read",
     WW_IN_SOURCE, false, "Kernels", "application/json", kernels},
    {"POST", "/v1/instructions", "What a kernel is compiled to, with its source lines",
     WW_IN_SOURCE | WW_IN_LAUNCH | WW_IN_CODE, false, "Instructions",
     "application/json", ww_call_instructions},
    {"GET", "/v1/files", "Source files of the folder that is served", 0, false, "Files",
     "application/json", ww_call_files},
    {"POST", "/v1/source", "The text of one of them", WW_IN_FILE, false, "Source",
     "application/json", ww_call_source},
    {"GET", "/v1/gpus", "The GPUs that can be asked for", 0, true, "Gpus",
     "application/json", gpus},
    {"GET", "/healthz", "Whether the server is up, what it keeps", 0, true, "Health",
     "application/json", health},
    {"GET", "/openapi.json", "This document", 0, true, NULL, "application/json",
     openapi},
    {0},
};

static const ww_route *route_of(const char *method, const char *path, bool *known) {
  *known = false;
  for (const ww_route *r = ww_api_routes; r->method; r++) {
    if (strcmp(r->path, path) != 0)
      continue;
    *known = true;
    if (!strcmp(r->method, method) ||
        (!strcmp(method, "HEAD") && !strcmp(r->method, "GET")))
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
  write_gpus(w, &api->gpus);
  ww_api_openapi(&api->openapi);
  return api;
}

void ww_api_free(ww_api *api) {
  if (api) {
    ww_buf_free(&api->gpus);
    ww_buf_free(&api->openapi);
  }
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
    call c = {
        .api = api,
        .q = q,
        .route = r,
        .a = ww_arena_new(),
    };
    if (r->handle(&c, out))
      ww_api_error(http_status(c.err.code), &c.err, out);
    cJSON_Delete(c.body);
    ww_arena_free(c.a);
  }
  atomic_fetch_add(out->status < 400 ? &api->answered : &api->failed, 1);
}
