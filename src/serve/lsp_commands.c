/* lsp_commands.c - workspace/executeCommand: a table of commands, each an object in and an object
 * out.
 *
 * docs/editors.md lists them. Results are plain JSON; "show" in the argument asks us to show them
 * through the editor. */
#include "lsp_int.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  ww_lsp *s;
  ww_rpc_call *c;
  ww_arena *a;
  const cJSON *arg;
  bool show;
  ww_lsp_analysis *of; /* of the document it is about, held */
  ww_buf out;
  ww_json j; /* writes to out; the object is open */
  ww_err err;
} command;

static const char *text(const command *x, const char *name) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(x->arg, name);
  return cJSON_IsString(v) && *v->valuestring ? v->valuestring : NULL;
}

/* ---- showing ---- */

static void message(command *x, const char *words) {
  ww_lsp_log(x->s, 3, "%s", words);
}

/* A folder of ours alone, in one that is everybody's. */
static ww_status private_folder(const char *dir, ww_err *e) {
  struct stat st;
  if (mkdir(dir, 0700) && errno != EEXIST)
    return ww_fail(e, WW_EIO, "cannot make '%s': %s", dir, strerror(errno));
  if (!lstat(dir, &st) && S_ISDIR(st.st_mode) && st.st_uid == getuid())
    return WW_OK;
  return ww_fail(e, WW_EIO, "'%s' is somebody else's; set TMPDIR to a folder of your own", dir);
}

/* Opens it in the editor; else says where it is. */
static void show_file(command *x, const char *name, const char *bytes, size_t n, bool external) {
  const char *tmp = getenv("TMPDIR"),
             *dir = ww_fmt(x->a, "%s/warpwise-%u", tmp && *tmp ? tmp : "/tmp", (unsigned)getuid());
  ww_err e = {0};
  ww_status st = private_folder(dir, &e);
  const char *path = ww_path_join(x->a, dir, name);
  if (!st)
    st = ww_write_file_atomic(path, bytes, n, &e);
  if (st)
    return message(x, e.msg);
  ww_json_kstr(&x->j, "file", path);
  if (!x->s->can.show_document)
    return message(x, ww_fmt(x->a, "Warpwise wrote %s", path));
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_json_obj(&j);
  ww_json_kstr(&j, "uri", ww_path_uri(path, x->a));
  ww_json_kbool(&j, "external", external);
  ww_json_kbool(&j, "takeFocus", true);
  ww_json_end_obj(&j);
  ww_rpc_ask(x->s->rpc, "window/showDocument", b.s, NULL, NULL);
  ww_buf_free(&b);
}

/* ---- what a command is about ---- */

static ww_status about(command *x) {
  const char *uri = text(x, "uri");
  if (!uri)
    return ww_fail(&x->err, WW_EUSAGE, "the command needs `uri`, a document");
  pthread_mutex_lock(&x->s->lock);
  bool open = ww_lsp_find(x->s, uri) != NULL;
  pthread_mutex_unlock(&x->s->lock);
  x->of = open ? ww_lsp_await(x->s, x->c, uri, 0) : ww_lsp_closed(x->s, x->c, uri);
  return x->of ? WW_OK : WW_ECANCEL; /* the call has its answer */
}

static bool is_meant(const command *x, const ww_lsp_kernel *k) {
  const char *name = text(x, "kernel");
  const cJSON *line = cJSON_GetObjectItemCaseSensitive(x->arg, "line");
  if (name)
    return !strcmp(k->name, name) || !strcmp(k->mangled, name);
  if (!cJSON_IsNumber(line))
    return true;
  return k->here && line->valuedouble + 1 >= k->first && line->valuedouble + 1 <= k->end;
}

/* The one kernel that is meant. */
static ww_status kernel_of(command *x, const ww_lsp_kernel **out) {
  uint32_t n = 0;
  ww_buf names = {0};
  for (uint32_t k = 0; k < x->of->nkernels; k++) {
    if (names.n < 300)
      ww_buf_fmt(&names, "%s%s", k ? ", " : "", x->of->v[k].name);
    if (is_meant(x, &x->of->v[k]) && n++ == 0)
      *out = &x->of->v[k];
  }
  ww_status st = WW_OK;
  if (!x->of->nkernels)
    st = ww_fail(&x->err, WW_EDATA, "there is no kernel in %s", ww_path_base(x->of->path));
  else if (n != 1)
    st =
        ww_fail(&x->err, WW_EUSAGE, "say which kernel is meant by `kernel` or `line`: %s", names.s);
  ww_buf_free(&names);
  return st;
}

/* GPUs of the argument, else of the settings, else all: names that are known. */
static ww_status gpus_of(command *x, bool all, const char ***out, uint32_t *n) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(x->arg, "gpus"), *v;
  const ww_gpu *known;
  uint32_t nknown = ww_query_gpus(x->s->w, &known);
  *n = 0;
  *out = WW_NEWN(x->a, const char *,
                 (size_t)cJSON_GetArraySize(list) + x->of->settings->ngpus + nknown + 1);
  if (list && !cJSON_IsArray(list))
    return ww_fail(&x->err, WW_EUSAGE, "gpus: an array of names is expected");
  cJSON_ArrayForEach(v, list) {
    const char *name = cJSON_IsString(v) ? v->valuestring : "?";
    if (!ww_lsp_gpu(x->s, name))
      return ww_fail(&x->err, WW_EUSAGE, "gpus: there is no GPU '%.60s'", name);
    if (*n < 64)
      (*out)[(*n)++] = ww_strdup(x->a, name);
  }
  if (*n)
    return WW_OK;
  for (uint32_t k = 0; all && k < x->of->settings->ngpus; k++)
    (*out)[(*n)++] = x->of->settings->gpus[k];
  for (uint32_t k = 0; all && !x->of->settings->ngpus && k < nknown; k++)
    (*out)[(*n)++] = known[k].name;
  if (!all)
    (*out)[(*n)++] = x->of->gpu->name;
  return WW_OK;
}

/* ---- reports ---- */

/* The report with what an editor needs besides: where the kernel is, and its table. */
static void write_report(command *x, const ww_lsp_kernel *k, const ww_report *r, bool table) {
  ww_json_obj(&x->j);
  ww_report_members(r, &x->j);
  ww_json_kuint(&x->j, "line", k->line);
  ww_json_kbool(&x->j, "here", k->here);
  ww_json_kstr(&x->j, "origin", ww_lsp_origins[k->origin]);
  if (table) {
    ww_buf t = {0};
    ww_show_table(x->of, k, &t);
    ww_json_kstr(&x->j, "markdown", t.s);
    ww_buf_free(&t);
  }
  ww_json_end_obj(&x->j);
}

static void head(command *x) {
  ww_json_kstr(&x->j, "uri", x->of->uri);
  ww_json_kint(&x->j, "version", x->of->version);
  ww_json_kstr(&x->j, "gpu", x->of->gpu->name);
}

static bool only_current(const command *x, const char **gpus, uint32_t n) {
  return n == 1 && !strcmp(gpus[0], x->of->gpu->name);
}

/* "reports":[...] of the kernels that are meant, on the GPUs. Points of them go to the roofline
 * where there is one. */
static ww_status reports(command *x, const char **gpus, uint32_t n,
                         void (*each)(void *ctx, const ww_report *r, uint32_t gpu), void *ctx) {
  ww_json_key(&x->j, "reports");
  ww_json_arr(&x->j);
  for (uint32_t i = 0; i < x->of->nkernels; i++) {
    const ww_lsp_kernel *k = &x->of->v[i];
    ww_query_result told = {0};
    if (!is_meant(x, k))
      continue;
    bool known = only_current(x, gpus, n) || !k->asked;
    ww_status st =
        known ? WW_OK
              : ww_lsp_ask(x->s, x->of, k, gpus, n, ww_rpc_cancelled, x->c, x->a, &told, &x->err);
    if (st)
      return st;
    for (uint32_t g = 0; g < (known ? 1 : told.n); g++) {
      const ww_report *r = known ? &k->report : &told.v[g].report;
      write_report(x, k, r, known && !x->show);
      if (each && !r->error.code)
        each(ctx, r, g);
    }
  }
  ww_json_end_arr(&x->j);
  return WW_OK;
}

static ww_status report(command *x) {
  const char **gpus;
  uint32_t n;
  ww_status st = about(x);
  if (!st)
    st = gpus_of(x, false, &gpus, &n);
  if (st)
    return st;
  head(x);
  st = reports(x, gpus, n, NULL, NULL);
  if (st || !x->show)
    return st;
  ww_buf b = {0};
  for (uint32_t i = 0; i < x->of->nkernels; i++)
    if (is_meant(x, &x->of->v[i])) {
      if (b.n)
        ww_buf_puts(&b, "\n---\n\n");
      ww_show_table(x->of, &x->of->v[i], &b);
    }
  if (b.n)
    show_file(x, "report.md", b.s, b.n, false);
  ww_buf_free(&b);
  return WW_OK;
}

/* ---- GPUs ---- */

static void write_gpu(ww_json *j, const ww_gpu *g) {
  ww_roofs r;
  ww_roofs_of(g, &r);
  ww_json_obj(j);
  ww_gpu_members(g, j);
  ww_json_kstr(j, "title", ww_show_gpu(g));
  ww_json_knum(j, "dram_gbps", r.v[WW_ROOF_DRAM]);
  ww_json_knum(j, "fp32_gflops", r.v[WW_ROOF_FP32]);
  ww_json_knum(j, "fp64_gflops", r.v[WW_ROOF_FP64]);
  ww_json_end_obj(j);
}

static const char *current_gpu(command *x) {
  const char *uri = text(x, "uri"), *name;
  pthread_mutex_lock(&x->s->lock);
  const ww_lsp_document *d = uri ? ww_lsp_find(x->s, uri) : NULL;
  name = d ? d->settings->gpu : x->s->chosen ? x->s->chosen : x->s->base.gpu;
  pthread_mutex_unlock(&x->s->lock);
  return name ? name : "h200";
}

static ww_status list_gpus(command *x) {
  const ww_gpu *all;
  uint32_t n = ww_query_gpus(x->s->w, &all);
  ww_json_kstr(&x->j, "current", current_gpu(x));
  ww_json_key(&x->j, "gpus");
  ww_json_arr(&x->j);
  for (uint32_t k = 0; k < n; k++)
    write_gpu(&x->j, &all[k]);
  ww_json_end_arr(&x->j);
  return WW_OK;
}

static void choose(ww_lsp *s, const char *name) {
  pthread_mutex_lock(&s->lock);
  s->chosen = ww_lsp_gpu(s, name)->name;
  pthread_mutex_unlock(&s->lock);
  ww_lsp_again(s, true);
}

/* On the reading thread: the user has picked one. */
static void picked(void *ctx, const cJSON *result) {
  const cJSON *title = cJSON_GetObjectItemCaseSensitive(result, "title");
  if (cJSON_IsString(title) && ww_lsp_gpu(ctx, title->valuestring))
    choose(ctx, title->valuestring);
}

static void ask_user(command *x) {
  const ww_gpu *all;
  uint32_t n = ww_query_gpus(x->s->w, &all);
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_json_obj(&j);
  ww_json_kint(&j, "type", 3);
  ww_json_kstr(&j, "message", "GPU that predictions are for");
  ww_json_key(&j, "actions");
  ww_json_arr(&j);
  for (uint32_t k = 0; k < n; k++) {
    ww_json_obj(&j);
    ww_json_kstr(&j, "title", all[k].name);
    ww_json_end_obj(&j);
  }
  ww_json_end_arr(&j);
  ww_json_end_obj(&j);
  ww_rpc_ask(x->s->rpc, "window/showMessageRequest", b.s, picked, x->s);
  ww_buf_free(&b);
}

static ww_status choose_gpu(command *x) {
  const char *name = text(x, "gpu");
  if (!name) {
    if (x->show)
      ask_user(x);
    return list_gpus(x);
  }
  if (!ww_lsp_gpu(x->s, name))
    return ww_fail(&x->err, WW_EUSAGE, "there is no GPU '%.60s'; warpwise.gpus lists them", name);
  choose(x->s, name);
  ww_json_kstr(&x->j, "current", name);
  return WW_OK;
}

/* Time, share of the roof and bound of a kernel on each GPU. */
typedef struct {
  command *x;
  const char **gpus;
  ww_buf *out;
} comparing;

static void compare_row(void *ctx, const ww_report *r, uint32_t g) {
  comparing *q = ctx;
  const ww_gpu *gpu = ww_lsp_gpu(q->x->s, q->gpus[g]);
  const char *of;
  double share = ww_show_share(r, gpu, &of);
  ww_buf_fmt(q->out, "| %s | %s | ", r->kernel, ww_show_gpu(gpu));
  ww_show_duration(r->m[WW_M_time_us].value, q->out);
  if (share >= 0)
    ww_buf_fmt(q->out, " | %.*f %% of %s | ", share < 0.1 ? 1 : 0, 100 * share, of);
  else
    ww_buf_puts(q->out, " | | ");
  ww_buf_fmt(q->out, "%s |\n", r->bottleneck ? r->bottleneck : "");
}

static ww_status compare(command *x) {
  const char **gpus;
  uint32_t n;
  ww_buf b = {0};
  comparing q = {x, NULL, &b};
  ww_status st = about(x);
  if (!st)
    st = gpus_of(x, true, &gpus, &n);
  if (st)
    return st;
  q.gpus = gpus;
  ww_buf_puts(&b, "| kernel | GPU | time | | bound by |\n|:--|:--|--:|--:|:--|\n");
  head(x);
  st = reports(x, gpus, n, compare_row, &q);
  if (!st)
    ww_json_kstr(&x->j, "markdown", b.s);
  if (!st && x->show)
    show_file(x, "gpus.md", b.s, b.n, false);
  ww_buf_free(&b);
  return st;
}

/* ---- roofline ---- */

typedef struct {
  command *x;
  ww_roofs *roofs;
  WW_VEC(ww_roof_point) points;
} plotting;

static void add_point(void *ctx, const ww_report *r, uint32_t gpu) {
  plotting *p = ctx;
  ww_roof_point point;
  const char *why;
  if (ww_roof_point_of(r, &p->roofs[gpu], gpu, &point, &why))
    ww_push(p->x->a, &p->points, point);
}

static void write_roofs(command *x, const ww_gpu *gpus, const ww_roofs *roofs, uint32_t n) {
  static const char *const names[WW_NROOFS] = {[WW_ROOF_DRAM] = "dram_gbps",
                                               [WW_ROOF_L2] = "l2_gbps",
                                               [WW_ROOF_FP64] = "fp64_gflops",
                                               [WW_ROOF_FP32] = "fp32_gflops",
                                               [WW_ROOF_TENSOR] = "tensor_gflops"};
  ww_json_key(&x->j, "roofs");
  ww_json_arr(&x->j);
  for (uint32_t g = 0; g < n; g++) {
    ww_json_obj(&x->j);
    ww_json_kstr(&x->j, "gpu", gpus[g].name);
    ww_json_kstr(&x->j, "title", ww_show_gpu(&gpus[g]));
    for (int k = 0; k < WW_NROOFS; k++)
      if (roofs[g].v[k] > 0)
        ww_json_knum(&x->j, names[k], roofs[g].v[k]);
    ww_json_end_obj(&x->j);
  }
  ww_json_end_arr(&x->j);
}

static ww_status roofline(command *x) {
  const char **names;
  uint32_t n;
  ww_status st = about(x);
  if (!st)
    st = gpus_of(x, false, &names, &n);
  if (st)
    return st;
  ww_gpu *gpus = WW_NEWN(x->a, ww_gpu, n);
  plotting p = {.x = x, .roofs = WW_NEWN(x->a, ww_roofs, n)};
  for (uint32_t g = 0; g < n; g++) {
    gpus[g] = *ww_lsp_gpu(x->s, names[g]);
    ww_roofs_of(&gpus[g], &p.roofs[g]);
  }
  head(x);
  st = reports(x, names, n, add_point, &p);
  if (st)
    return st;
  write_roofs(x, gpus, p.roofs, n);
  ww_roofline plot = {gpus, p.roofs, n, p.points.v, p.points.n};
  ww_buf svg = {0};
  ww_roofline_svg(&plot, &svg);
  ww_json_kstr(&x->j, "svg", svg.s);
  if (x->show)
    show_file(x, "roofline.svg", svg.s, svg.n, true);
  ww_buf_free(&svg);
  return WW_OK;
}

/* ---- the launch ---- */

static void apply(command *x, const ww_fix *f) {
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_json_obj(&j);
  ww_json_kstr(&j, "label", f->title);
  ww_json_key(&j, "edit");
  ww_lsp_edit_write(x->s, x->of, f, &j);
  ww_json_end_obj(&j);
  ww_rpc_ask(x->s->rpc, "workspace/applyEdit", b.s, NULL, NULL);
  ww_buf_free(&b);
}

static ww_status write_launch(command *x, const ww_lsp_kernel *k, const ww_launch *l) {
  ww_fix_source source = {.text = x->of->text,
                          .n = x->of->n,
                          .dialect = x->of->dialect,
                          .kernel = k->name,
                          .line = k->line};
  ww_fix fix = {0};
  if (!k->here)
    return ww_fail(&x->err, WW_EUSAGE,
                   "%s stands in another file; set its launch there, or in .warpwise.json",
                   k->name);
  ww_status st = ww_fix_launch(&source, l, x->a, &fix, &x->err);
  if (st)
    return st;
  ww_json_key(&x->j, "edit");
  ww_lsp_edit_write(x->s, x->of, &fix, &x->j);
  if (x->s->can.apply_edit)
    apply(x, &fix);
  return WW_OK;
}

static ww_status set_launch(command *x) {
  const ww_lsp_kernel *k;
  const char *given = text(x, "launch");
  ww_launch l = {0};
  ww_status st = about(x);
  if (!st)
    st = kernel_of(x, &k);
  if (!st && given)
    st = ww_launch_comment(ww_strdup(x->a, given), x->a, &l, &x->err);
  if (st)
    return st;
  ww_json_kstr(&x->j, "kernel", k->name);
  ww_json_kstr(&x->j, "launch",
               given ? given : ww_launch_settings(&k->launch, k->types, k->ntypes, x->a));
  ww_json_kstr(&x->j, "origin", ww_lsp_origins[k->origin]);
  ww_assumptions_write(&k->report.assumed, &x->j);
  return given || x->show ? write_launch(x, k, given ? &l : &k->launch) : WW_OK;
}

/* ---- measuring ---- */

static ww_status measure(command *x) {
  const ww_lsp_kernel *k;
  const char *json;
  ww_status st = about(x);
  if (!st)
    st = kernel_of(x, &k);
  if (!st)
    st = ww_lsp_measure(x->of, k, text(x, "device"), x->c, &json, &x->err);
  if (st)
    return st;
  ww_json_kstr(&x->j, "uri", x->of->uri);
  ww_json_key(&x->j, "reports");
  ww_json_arr(&x->j);
  ww_json_raw(&x->j, json);
  ww_json_end_arr(&x->j);
  ww_json_key(&x->j, "predicted");
  if (k->asked)
    ww_report_write(&k->report, &x->j, NULL, NULL);
  else
    ww_json_raw(&x->j, "null");
  if (!x->show)
    return WW_OK;
  ww_report r = {0};
  ww_buf b = {0};
  if (ww_report_parse(json, x->a, &r, &x->err))
    return x->err.code;
  ww_buf_fmt(&b, "%s: measured ", k->name);
  ww_show_duration(r.m[WW_M_time_us].value, &b);
  ww_buf_fmt(&b, " on %s, predicted ", r.gpu ? r.gpu : "the device that is here");
  ww_show_duration(k->report.m[WW_M_time_us].value, &b);
  ww_buf_fmt(&b, " for %s", ww_show_gpu(x->of->gpu));
  message(x, b.s);
  ww_buf_free(&b);
  return WW_OK;
}

/* ---- the table ---- */

static const struct {
  const char *name;
  ww_status (*run)(command *x);
} commands[] = {
    {"warpwise.gpus", list_gpus},        {"warpwise.report", report},
    {"warpwise.showReport", report},     {"warpwise.chooseGpu", choose_gpu},
    {"warpwise.setLaunch", set_launch},  {"warpwise.compareGpus", compare},
    {"warpwise.openRoofline", roofline}, {"warpwise.measureHere", measure},
};

const char *ww_lsp_command_name(uint32_t k) {
  return k < sizeof commands / sizeof *commands ? commands[k].name : NULL;
}

/* The client's own token: it shows that the command is under way. */
static void progress(const command *x, const cJSON *token, const char *kind, const char *title) {
  ww_buf b = {0};
  ww_json j = {0};
  if (!cJSON_IsString(token) && !cJSON_IsNumber(token))
    return;
  ww_json_begin(&j, &b);
  ww_json_obj(&j);
  ww_json_key(&j, "token");
  if (cJSON_IsString(token))
    ww_json_str(&j, token->valuestring);
  else
    ww_json_num(&j, token->valuedouble);
  ww_json_key(&j, "value");
  ww_json_obj(&j);
  ww_json_kstr(&j, "kind", kind);
  if (title)
    ww_json_kstr(&j, "title", title);
  if (title)
    ww_json_kbool(&j, "cancellable", true);
  ww_json_end_obj(&j);
  ww_json_end_obj(&j);
  ww_rpc_notify(x->s->rpc, "$/progress", b.s);
  ww_buf_free(&b);
}

void ww_lsp_execute(void *server, ww_rpc_call *c) {
  const cJSON *params = ww_rpc_params(c),
              *name = cJSON_GetObjectItemCaseSensitive(params, "command");
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(params, "arguments");
  const cJSON *token = cJSON_GetObjectItemCaseSensitive(params, "workDoneToken");
  command x = {.s = server, .c = c, .a = ww_rpc_arena(c), .arg = cJSON_GetArrayItem(list, 0)};
  uint32_t k = 0;
  while (cJSON_IsString(name) && k < sizeof commands / sizeof *commands &&
         strcmp(commands[k].name, name->valuestring) != 0)
    k++;
  ww_status st;
  if (!cJSON_IsString(name) || k == sizeof commands / sizeof *commands)
    st = ww_fail(&x.err, WW_EUSAGE, "there is no command '%.60s'",
                 cJSON_IsString(name) ? name->valuestring : "?");
  else if (x.arg && !cJSON_IsObject(x.arg))
    st = ww_fail(&x.err, WW_EUSAGE, "%s: the argument is an object", commands[k].name);
  else {
    x.show = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(x.arg, "show"));
    ww_json_begin(&x.j, &x.out);
    ww_json_obj(&x.j);
    progress(&x, token, "begin", commands[k].name);
    st = commands[k].run(&x);
    progress(&x, token, "end", NULL);
  }
  if (st && x.err.code)
    ww_rpc_fail(c, &x.err);
  else if (!st) {
    ww_json_end_obj(&x.j);
    ww_rpc_result(c, x.out.s);
  }
  ww_buf_free(&x.out);
  ww_lsp_let_go(x.s, x.of);
}
