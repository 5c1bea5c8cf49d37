/* lsp_commands.c - workspace/executeCommand: a table of commands, each an object in and
 * an object out.
 *
 * docs/editors.md lists them. Results are plain JSON; "show" in the argument asks us to
 * show them through the editor. */
#include "../opt/optimize.h"
#include "lsp_int.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
  ww_lsp *s;
  ww_rpc_call *c;
  ww_arena *a;
  const cJSON *arg;
  bool show;
  ww_lsp_analysis *of;         /* of the document it is about, held */
  const ww_lsp_kernel *kernel; /* of it, that is meant */
  const char **gpus;           /* names that are known */
  uint32_t ngpus;
  ww_roofs *roofs;              /* of the GPUs, and */
  WW_VEC(ww_roof_point) points; /* kernels under them */
  ww_buf table;                 /* markdown to show beside it */
  const cJSON *token;           /* of the client's progress; NULL: none */
  ww_json j;                    /* the result: the object is open */
  ww_err err;
} command;

static const char *text(const command *x, const char *name) {
  const char *v = ww_member_text(x->arg, name);
  return v && *v ? v : NULL;
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
  return ww_fail(e, WW_EIO,
                 "'%s' is somebody else's; set TMPDIR to a folder of your own", dir);
}

/* Opens it in the editor; else says where it is. */
static void
show_file(command *x, const char *name, const char *bytes, size_t n, bool external) {
  const char *tmp = getenv("TMPDIR");
  const char *dir =
      ww_fmt(x->a, "%s/warpwise-%u", tmp && *tmp ? tmp : "/tmp", (unsigned)getuid());
  ww_err e = {0};
  const char *path = ww_path_join(x->a, dir, name);
  if (private_folder(dir, &e) || ww_write_file_atomic(path, bytes, n, &e))
    return message(x, e.msg);
  ww_json_kstr(&x->j, "file", path);
  if (!x->s->can.show_document)
    return message(x, ww_fmt(x->a, "Warpwise wrote %s", path));
  ww_json j = {0};
  ww_json_put(&j, "{uri:%s,external:%i,takeFocus:true}", ww_path_uri(path, x->a),
              external);
  ww_rpc_ask(x->s->rpc, "window/showDocument", j.own.s, NULL, NULL);
  ww_buf_free(&j.own);
}

/* ---- what a command is about ---- */

static ww_status about(command *x) {
  const char *uri = text(x, "uri");
  if (!uri)
    return ww_fail(&x->err, WW_EUSAGE, "the command needs `uri`, a document");
  x->of = ww_lsp_is_open(x->s, uri) ? ww_lsp_await(x->s, x->c, uri, 0)
                                    : ww_lsp_closed(x->s, x->c, uri);
  return x->of ? WW_OK : WW_ECANCEL; /* the call has its answer */
}

static bool is_meant(const command *x, const ww_lsp_kernel *k) {
  const char *name = text(x, "kernel");
  const cJSON *line = cJSON_GetObjectItemCaseSensitive(x->arg, "line");
  if (name)
    return !strcmp(k->name, name) || !strcmp(k->mangled, name);
  if (!cJSON_IsNumber(line))
    return true;
  return k->here && line->valuedouble + 1 >= k->first &&
         line->valuedouble + 1 <= k->end;
}

/* The one kernel that is meant. */
static ww_status find_kernel(command *x) {
  uint32_t n = 0;
  ww_buf names = {0};
  ww_status st = WW_OK;
  for (uint32_t k = 0; k < x->of->nkernels; k++) {
    if (names.n < 300)
      ww_buf_fmt(&names, "%s%s", k ? ", " : "", x->of->v[k].name);
    if (is_meant(x, &x->of->v[k]) && n++ == 0)
      x->kernel = &x->of->v[k];
  }
  if (!x->of->nkernels)
    st = ww_fail(&x->err, WW_EDATA, "there is no kernel in %s",
                 ww_path_base(x->of->path));
  else if (n != 1)
    st = ww_fail(&x->err, WW_EUSAGE,
                 "say which kernel is meant by `kernel` or `line`: %s", names.s);
  ww_buf_free(&names);
  return st;
}

/* GPUs of the argument, else the document's, or `all` of the settings, else all there
 * are. */
static ww_status find_gpus(command *x, bool all) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(x->arg, "gpus");
  const cJSON *v;
  const ww_settings *settings = x->of->settings;
  const ww_gpu *known;
  uint32_t nknown = ww_query_gpus(x->s->w, &known);
  x->gpus = WW_NEWN(x->a, const char *,
                    (size_t)cJSON_GetArraySize(list) + settings->ngpus + nknown + 1);
  if (list && !cJSON_IsArray(list))
    return ww_fail(&x->err, WW_EUSAGE, "gpus: an array of names is expected");
  cJSON_ArrayForEach(v, list) {
    const char *name = cJSON_IsString(v) ? v->valuestring : "?";
    if (!ww_lsp_gpu(x->s, name))
      return ww_fail(&x->err, WW_EUSAGE, "gpus: there is no GPU '%.60s'", name);
    if (x->ngpus < 64)
      x->gpus[x->ngpus++] = name;
  }
  if (x->ngpus)
    return WW_OK;
  for (uint32_t k = 0; all && k < settings->ngpus; k++)
    x->gpus[x->ngpus++] = settings->gpus[k];
  for (uint32_t k = 0; all && !settings->ngpus && k < nknown; k++)
    x->gpus[x->ngpus++] = known[k].name;
  if (!all)
    x->gpus[x->ngpus++] = x->of->gpu->name;
  return WW_OK;
}

/* ---- reports ---- */

/* The report with what an editor needs besides: where the kernel is, and its table. */
static void
write_report(command *x, const ww_lsp_kernel *k, const ww_report *r, bool table) {
  ww_json_obj(&x->j);
  ww_report_members(r, &x->j);
  ww_json_put(&x->j, "line:%u,here:%i,origin:%s", k->line, k->here,
              ww_lsp_origins[k->origin]);
  if (table) {
    ww_buf t = {0};
    ww_show_table(x->of, k, &t);
    ww_json_kstr(&x->j, "markdown", t.s);
    ww_buf_free(&t);
  }
  ww_json_end_obj(&x->j);
}

/* "reports":[...] of the kernels that are meant, on the GPUs; `each` sees those without
 * an error.
 */
static ww_status reports(command *x,
                         void (*each)(command *x, const ww_report *r, uint32_t gpu)) {
  bool current = x->ngpus == 1 && !strcmp(x->gpus[0], x->of->gpu->name);
  ww_json_put(&x->j, "uri:%s,version:%ld,gpu:%s,reports:[", x->of->uri, x->of->version,
              x->of->gpu->name);
  for (uint32_t i = 0; i < x->of->nkernels; i++) {
    const ww_lsp_kernel *k = &x->of->v[i];
    ww_query_result told = {.n = 1};
    if (!is_meant(x, k))
      continue;
    ww_query_request q = ww_lsp_request(x->s, x->of, k);
    q.gpus = x->gpus;
    q.ngpus = x->ngpus;
    bool known = current || !k->asked;
    if (!known && ww_lsp_ask(x->s, x->of, &q, x->c, &told, &x->err))
      return x->err.code;
    for (uint32_t g = 0; g < told.n; g++) {
      const ww_report *r = known ? &k->report : &told.v[g].report;
      write_report(x, k, r, known && !x->show);
      if (each && !r->error.code)
        each(x, r, g);
    }
  }
  ww_json_end_arr(&x->j);
  return WW_OK;
}

static ww_status report(command *x) {
  if (find_gpus(x, false) || reports(x, NULL) || !x->show)
    return x->err.code;
  for (uint32_t i = 0; i < x->of->nkernels; i++)
    if (is_meant(x, &x->of->v[i])) {
      if (x->table.n)
        ww_buf_puts(&x->table, "\n---\n\n");
      ww_show_table(x->of, &x->of->v[i], &x->table);
    }
  if (x->table.n)
    show_file(x, "report.md", x->table.s, x->table.n, false);
  return WW_OK;
}

/* ---- GPUs ---- */

static void write_gpu(ww_json *j, const ww_gpu *g) {
  ww_roofs r;
  ww_roofs_of(g, &r);
  ww_json_obj(j);
  ww_gpu_members(g, j);
  ww_json_put(j, "title:%s,dram_gbps:%g,fp32_gflops:%g,fp64_gflops:%g}", ww_show_gpu(g),
              r.v[WW_ROOF_DRAM], r.v[WW_ROOF_FP32], r.v[WW_ROOF_FP64]);
}

static const char *current_gpu(command *x) {
  const char *uri = text(x, "uri");
  const char *name = "h200";
  pthread_mutex_lock(&x->s->lock);
  const ww_lsp_document *d = uri ? ww_lsp_find(x->s, uri) : NULL;
  const char *set = x->s->chosen ? x->s->chosen : x->s->base.gpu;
  if (d)
    set = d->config->settings.gpu;
  if (set)
    name = ww_strdup(x->a, set); /* settings go with their document */
  pthread_mutex_unlock(&x->s->lock);
  return name;
}

static ww_status list_gpus(command *x) {
  const ww_gpu *all;
  uint32_t n = ww_query_gpus(x->s->w, &all);
  ww_json_put(&x->j, "current:%s,gpus:[", current_gpu(x));
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
  const char *title = ww_member_text(result, "title");
  if (ww_lsp_gpu(ctx, title))
    choose(ctx, title);
}

static void ask_user(command *x) {
  const ww_gpu *all;
  uint32_t n = ww_query_gpus(x->s->w, &all);
  ww_json j = {0};
  ww_json_put(&j, "{type:3,message:'GPU that predictions are for',actions:[");
  for (uint32_t k = 0; k < n; k++) {
    ww_json_put(&j, "{title:%s}", all[k].name);
  }
  ww_json_put(&j, "]}");
  ww_rpc_ask(x->s->rpc, "window/showMessageRequest", j.own.s, picked, x->s);
  ww_buf_free(&j.own);
}

static ww_status choose_gpu(command *x) {
  const char *name = text(x, "gpu");
  if (!name) {
    if (x->show)
      ask_user(x);
    return list_gpus(x);
  }
  if (!ww_lsp_gpu(x->s, name))
    return ww_fail(&x->err, WW_EUSAGE,
                   "there is no GPU '%.60s'; warpwise.gpus lists them", name);
  choose(x->s, name);
  ww_json_kstr(&x->j, "current", name);
  return WW_OK;
}

/* Time, share of the roof and bound of a kernel on each GPU. */
static void compare_row(command *x, const ww_report *r, uint32_t g) {
  const ww_gpu *gpu = ww_lsp_gpu(x->s, x->gpus[g]);
  const char *of;
  double share = ww_show_share(r, gpu, &of);
  ww_buf_fmt(&x->table, "| %s | %s | ", r->kernel, ww_show_gpu(gpu));
  ww_show_duration(r->m[WW_M_time_us].value, &x->table);
  if (share >= 0)
    ww_buf_fmt(&x->table, " | %.*f %% of %s | ", share < 0.1 ? 1 : 0, 100 * share, of);
  else
    ww_buf_puts(&x->table, " | | ");
  ww_buf_fmt(&x->table, "%s |\n", r->bottleneck ? r->bottleneck : "");
}

static ww_status compare(command *x) {
  ww_buf_puts(&x->table,
              "| kernel | GPU | time | | bound by |\n|:--|:--|--:|--:|:--|\n");
  if (find_gpus(x, true) || reports(x, compare_row))
    return x->err.code;
  ww_json_kstr(&x->j, "markdown", x->table.s);
  if (x->show)
    show_file(x, "gpus.md", x->table.s, x->table.n, false);
  return WW_OK;
}

/* ---- roofline ---- */

static void add_point(command *x, const ww_report *r, uint32_t gpu) {
  ww_roof_point point;
  const char *why;
  if (ww_roof_point_of(r, &x->roofs[gpu], gpu, &point, &why))
    ww_push(x->a, &x->points, point);
}

static ww_status roofline(command *x) {
  ww_status st = find_gpus(x, false);
  if (st)
    return st;
  ww_gpu *gpus = WW_NEWN(x->a, ww_gpu, x->ngpus);
  x->roofs = WW_NEWN(x->a, ww_roofs, x->ngpus);
  for (uint32_t g = 0; g < x->ngpus; g++) {
    gpus[g] = *ww_lsp_gpu(x->s, x->gpus[g]);
    ww_roofs_of(&gpus[g], &x->roofs[g]);
  }
  st = reports(x, add_point);
  if (st)
    return st;
  ww_json_put(&x->j, "roofs:[");
  for (uint32_t g = 0; g < x->ngpus; g++) {
    ww_json_put(&x->j, "{gpu:%s,title:%s", gpus[g].name, ww_show_gpu(&gpus[g]));
    ww_roofs_members(&x->roofs[g], &x->j);
    ww_json_end_obj(&x->j);
  }
  ww_roofline plot = {gpus, x->roofs, x->ngpus, x->points.v, x->points.n};
  ww_buf svg = {0};
  ww_roofline_svg(&plot, &svg);
  ww_json_put(&x->j, "],svg:%s", svg.s);
  if (x->show)
    show_file(x, "roofline.svg", svg.s, svg.n, true);
  ww_buf_free(&svg);
  return WW_OK;
}

/* ---- the launch ---- */

static void apply(command *x, const ww_fix *f) {
  ww_json j = {0};
  ww_json_put(&j, "{label:%s,edit:", f->title);
  ww_lsp_edit_write(x->s, x->of, f, &j);
  ww_json_end_obj(&j);
  ww_rpc_ask(x->s->rpc, "workspace/applyEdit", j.own.s, NULL, NULL);
  ww_buf_free(&j.own);
}

static ww_status write_launch(command *x, const ww_launch *l) {
  const ww_lsp_kernel *k = x->kernel;
  ww_fix_source source = {.text = x->of->text,
                          .n = x->of->n,
                          .dialect = x->of->dialect,
                          .kernel = k->name,
                          .line = k->line};
  ww_fix fix = {0};
  if (!k->here)
    return ww_fail(
        &x->err, WW_EUSAGE,
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
  const ww_lsp_kernel *k = x->kernel;
  const char *given = text(x, "launch");
  ww_launch l = {0};
  if (given && ww_launch_comment(ww_strdup(x->a, given), x->a, &l, &x->err))
    return x->err.code;
  ww_json_put(&x->j, "kernel:%s,launch:%s,origin:%s", k->name,
              given ? given : ww_launch_settings(&k->launch, k->types, k->ntypes, x->a),
              ww_lsp_origins[k->origin]);
  ww_assumptions_write(&k->report.assumed, &x->j);
  return given || x->show ? write_launch(x, given ? &l : &k->launch) : WW_OK;
}

/* ---- measuring ---- */

static ww_status measure(command *x) {
  const ww_lsp_kernel *k = x->kernel;
  const char *json;
  ww_report r;
  ww_buf b = {0};
  ww_status st = ww_lsp_measure(x->of, k, text(x, "device"), x->c, &json, &x->err);
  if (st)
    return st;
  ww_json_put(&x->j, "uri:%s,reports:[", x->of->uri);
  ww_json_raw(&x->j, json);
  ww_json_put(&x->j, "],predicted:");
  if (k->asked)
    ww_report_write(&k->report, &x->j, NULL, NULL);
  else
    ww_json_put(&x->j, "null");
  if (!x->show || ww_report_parse(json, x->a, &r, &x->err))
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

/* ---- verifying ---- */

static ww_status verify(command *x) {
  const char *json;
  ww_status st =
      ww_lsp_verify(x->s, x->of, x->kernel, text(x, "against"), x->c, &json, &x->err);
  if (st)
    return st;
  ww_json_put(&x->j, "uri:%s,version:%ld,verdict:", x->of->uri, x->of->version);
  ww_json_raw(&x->j, json);
  if (!x->show)
    return WW_OK;
  cJSON *verdict = cJSON_Parse(json);
  const char *words = ww_member_text(verdict, "text");
  if (words)
    message(x, words);
  cJSON_Delete(verdict);
  return WW_OK;
}

/* ---- progress ---- */

/* The client's own token: it shows that the command is under way. */
static void
progress(const command *x, const char *kind, const char *title, const char *words) {
  const cJSON *token = x->token;
  ww_json j = {0};
  if (!cJSON_IsString(token) && !cJSON_IsNumber(token))
    return;
  ww_json_put(&j, "{token:");
  if (cJSON_IsString(token))
    ww_json_str(&j, token->valuestring);
  else
    ww_json_num(&j, token->valuedouble);
  ww_json_put(&j, "value:{kind:%s,title?:%s,message?:%s,cancellable?:%i}}", kind, title,
              words, title != NULL);
  ww_rpc_notify(x->s->rpc, "$/progress", &j);
}

/* ---- optimising ---- */

static void tell(void *ctx, const char *words) {
  progress(ctx, "report", NULL, words);
}

static uint64_t number(const command *x, const char *name) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(x->arg, name);
  return cJSON_IsNumber(v) && v->valuedouble > 0 ? (uint64_t)v->valuedouble : 0;
}

static void preview(command *x, const ww_fix *f, const char *why) {
  ww_json j = {0};
  ww_json_put(&j, "{label:%s,edit:", f->title);
  ww_lsp_preview_write(x->s, x->of, f, why, &j);
  ww_json_end_obj(&j);
  ww_rpc_ask(x->s->rpc, "workspace/applyEdit", j.own.s, NULL, NULL);
  ww_buf_free(&j.own);
}

/* "Optimise f: 2.1 times as fast by prediction", and what it became. */
static void describe(command *x, const cJSON *all, ww_fix *f, ww_buf *why) {
  const cJSON *gain = cJSON_GetObjectItemCaseSensitive(all, "gain");
  const cJSON *apart = cJSON_GetObjectItemCaseSensitive(all, "assumes_no_overlap");
  f->title = ww_fmt(x->a, "Optimise %s: %.2f times as fast by prediction",
                    x->kernel->name, gain ? gain->valuedouble : 1);
  ww_buf_puts(why, "verified to do the same");
  if (cJSON_IsTrue(apart))
    ww_buf_puts(why, ", where no two buffers overlap");
  const char *launched = ww_json_text(all, "launched", x->a);
  if (launched)
    ww_buf_fmt(why, "; launched as %s", launched);
}

/* Members of `warpwise optimize --json`; with `show` the change is previewed. */
static ww_status optimize(command *x) {
  static const char *const members[] = {"kernel", "gpu",      "before", "after",
                                        "gain",   "improved", "patch",  "stopped",
                                        "source", NULL};
  ww_lsp_optimizing how = {number(x, "seconds"), number(x, "rounds"), number(x, "seed"),
                           tell, x};
  ww_buf why = {0};
  ww_fix fix = {0};
  cJSON *all;
  if (!x->kernel->here)
    return ww_fail(&x->err, WW_EUSAGE, "%s stands in another file", x->kernel->name);
  ww_status st = ww_lsp_optimize(x->of, x->kernel, &how, x->c, &all, &x->err);
  if (st)
    return st;
  ww_json_put(&x->j, "uri:%s,version:%ld", x->of->uri, x->of->version);
  for (const char *const *m = members; *m; m++) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(all, *m);
    if (!v)
      continue;
    ww_json_key(&x->j, *m);
    ww_json_copy(v, &x->j);
  }
  if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(all, "improved"))) {
    ww_edits_between(x->of->text, ww_member_text(all, "source"), x->a, &fix);
    describe(x, all, &fix, &why);
    ww_json_kstr(&x->j, "title", fix.title);
    ww_json_key(&x->j, "edit");
    ww_lsp_preview_write(x->s, x->of, &fix, why.s, &x->j);
    if (x->show && x->s->can.apply_edit)
      preview(x, &fix, why.s);
  } else if (x->show)
    message(x, ww_fmt(x->a, "%s: nothing surely better was found", x->kernel->name));
  ww_buf_free(&why);
  cJSON_Delete(all);
  return WW_OK;
}

/* ---- the table ---- */

static const struct {
  const char *name;
  ww_status (*run)(command *x);
  enum { NOTHING, DOCUMENT, KERNEL } about;
} commands[] = {
    {"warpwise.gpus", list_gpus, NOTHING},
    {"warpwise.report", report, DOCUMENT},
    {"warpwise.showReport", report, DOCUMENT},
    {"warpwise.chooseGpu", choose_gpu, NOTHING},
    {"warpwise.setLaunch", set_launch, KERNEL},
    {"warpwise.compareGpus", compare, DOCUMENT},
    {"warpwise.openRoofline", roofline, DOCUMENT},
    {"warpwise.measureHere", measure, KERNEL},
    {"warpwise.verify", verify, KERNEL},
    {"warpwise.optimize", optimize, KERNEL},
};
#define NCOMMANDS (sizeof commands / sizeof *commands)

const char *ww_lsp_command_name(uint32_t k) {
  return k < NCOMMANDS ? commands[k].name : NULL;
}

static ww_status run(command *x, uint32_t k) {
  if (commands[k].about >= DOCUMENT && about(x))
    return WW_ECANCEL;
  if (commands[k].about == KERNEL && find_kernel(x))
    return x->err.code;
  return commands[k].run(x);
}

void ww_lsp_execute(void *server, ww_rpc_call *c) {
  const cJSON *params = ww_rpc_params(c);
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(params, "arguments");
  const char *name = ww_member_text(params, "command");
  command x = {.s = server,
               .c = c,
               .a = c->arena,
               .arg = cJSON_GetArrayItem(list, 0),
               .token = cJSON_GetObjectItemCaseSensitive(params, "workDoneToken")};
  uint32_t k = 0;
  while (k < NCOMMANDS && (!name || strcmp(commands[k].name, name) != 0))
    k++;
  ww_status st;
  if (k == NCOMMANDS)
    st = ww_fail(&x.err, WW_EUSAGE, "there is no command '%.60s'", name ? name : "?");
  else if (x.arg && !cJSON_IsObject(x.arg))
    st = ww_fail(&x.err, WW_EUSAGE, "%s: the argument is an object", name);
  else {
    x.show = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(x.arg, "show"));
    ww_json_obj(&x.j);
    progress(&x, "begin", name, NULL);
    st = run(&x, k);
    progress(&x, "end", NULL, NULL);
  }
  if (st && x.err.code)
    ww_rpc_fail(c, &x.err);
  else if (!st) {
    ww_json_end_obj(&x.j);
    ww_rpc_result(c, x.j.own.s);
  }
  ww_buf_free(&x.j.own);
  ww_buf_free(&x.table);
  ww_lsp_let_go(x.s, x.of);
}
