/* lsp.c - the language server's life: initialize, settings, shutdown; the table of
 * methods.
 *
 * Before `initialize` every request is refused, after `shutdown` too. What the client
 * can do decides what it is offered; what it cannot show is never sent. */
#include "../base/confine.h"
#include "lsp_int.h"

#include <malloc.h>

enum { NOT_INITIALIZED = -32002 };

static const cJSON *at(const cJSON *v, const char *path) {
  char name[64];
  while (v && *path) {
    size_t n = strcspn(path, ".");
    snprintf(name, sizeof name, "%.*s", (int)n, path);
    v = cJSON_GetObjectItemCaseSensitive(v, name);
    path += n + (path[n] == '.');
  }
  return v;
}

static bool yes(const cJSON *v, const char *path) {
  return cJSON_IsTrue(at(v, path));
}

static bool before(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  const char *name = c->name;
  c->mark = s->generation; /* it is about texts up to here */
  if (!strcmp(name, "exit"))
    return false;
  bool first = !strcmp(name, "initialize");
  if (s->shut_down)
    ww_rpc_error(c, WW_RPC_INVALID, "the server has been shut down", NULL);
  else if (first && s->initialized)
    ww_rpc_error(c, WW_RPC_INVALID, "initialize was asked before", NULL);
  else if (!first && !s->initialized)
    ww_rpc_error(c, NOT_INITIALIZED, "initialize comes first", NULL);
  return s->shut_down || first == s->initialized;
}

/* ---- settings ---- */

/* The command line's GPU lies under everything. What came before from the editor no
 * longer counts: a setting may have been taken back. */
static void take_settings(ww_lsp *s, const cJSON *object, const char *where) {
  ww_problems problems = {0};
  if (!object || !object->child)
    return;
  pthread_mutex_lock(&s->lock);
  s->base = ww_settings_default;
  s->base.gpu = s->gpu;
  ww_settings_add(&s->base, object, where, NULL, false, s->arena, &problems);
  pthread_mutex_unlock(&s->lock);
  for (uint32_t k = 0; k < problems.n; k++)
    ww_lsp_log(s, 2, "%s", problems.v[k]);
}

static void change_settings(ww_lsp *s, const cJSON *ours) {
  take_settings(s, ours, "settings");
  ww_lsp_again(s, true);
}

static void configured(void *ctx, const cJSON *result) {
  ww_lsp *s = ctx;
  const cJSON *ours = cJSON_IsArray(result) ? result->child : NULL;
  if (cJSON_IsObject(ours))
    change_settings(s, ours);
}

static void ask_settings(ww_lsp *s) {
  if (s->can.configuration)
    ww_rpc_ask(s->rpc, "workspace/configuration",
               "{\"items\":[{\"section\":\"warpwise\"}]}", configured, s);
}

static void did_change_configuration(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  const cJSON *settings = at(ww_rpc_params(c), "settings");
  const cJSON *ours = at(settings, "warpwise");
  if (cJSON_IsObject(ours))
    change_settings(s, ours);
  else
    ask_settings(s);
}

/* ---- initialize ---- */

static bool has_markdown(const cJSON *capabilities) {
  const cJSON *formats = at(capabilities, "textDocument.hover.contentFormat");
  const cJSON *f;
  if (!cJSON_IsArray(formats))
    return true;
  cJSON_ArrayForEach(f, formats) if (cJSON_IsString(f) &&
                                     !strcmp(f->valuestring, "markdown")) return true;
  return false;
}

static void read_capabilities(ww_lsp *s, const cJSON *c) {
  s->can.configuration = yes(c, "workspace.configuration");
  s->can.watch = yes(c, "workspace.didChangeWatchedFiles.dynamicRegistration");
  s->can.progress = yes(c, "window.workDoneProgress");
  s->can.refresh_lens = yes(c, "workspace.codeLens.refreshSupport");
  s->can.refresh_hints = yes(c, "workspace.inlayHint.refreshSupport");
  s->can.versioned_edits = yes(c, "workspace.workspaceEdit.documentChanges");
  s->can.apply_edit = yes(c, "workspace.applyEdit");
  s->can.annotations = at(c, "workspace.workspaceEdit.changeAnnotationSupport") != NULL;
  s->can.show_document = yes(c, "window.showDocument.support");
  s->can.markdown = has_markdown(c);
  s->can.literal_actions =
      at(c, "textDocument.codeAction.codeActionLiteralSupport") != NULL;
}

static void initialize(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  const cJSON *params = ww_rpc_params(c);
  ww_json j = {0};
  read_capabilities(s, at(params, "capabilities"));
  take_settings(s, at(params, "initializationOptions"), "initializationOptions");
  s->initialized = true;
  ww_json_put(&j, "{capabilities:{positionEncoding:'utf-16',"
                  "textDocumentSync:{openClose:true,change:2,save:{includeText:false}},"
                  "codeLensProvider:{resolveProvider:false},hoverProvider:true,"
                  "inlayHintProvider:true,"
                  "codeActionProvider:{codeActionKinds:['quickfix','source.warpwise']},"
                  "executeCommandProvider:{workDoneProgress:true,commands:[");
  for (uint32_t k = 0; ww_lsp_command_name(k); k++)
    ww_json_str(&j, ww_lsp_command_name(k));
  ww_json_put(&j, "]}},serverInfo:{name:'warpwise',version:%s}}", WW_VERSION);
  ww_rpc_answer(c, &j);
}

static void initialized(void *server, ww_rpc_call *c) {
  static const char watchers[] =
      "{\"registrations\":[{\"id\":\"warpwise-files\",\"method\":\"workspace/"
      "didChangeWatchedFiles\",\"registerOptions\":"
      "{\"watchers\":[{\"globPattern\":\"**/.warpwise.json\"},{\"globPattern\":\"**/"
      "compile_commands.json\"}]}}]}";
  ww_lsp *s = server;
  (void)c;
  const char *missing = ww_confine_missing();
  if (missing)
    ww_lsp_log(
        s, 4,
        "this kernel cannot confine %s: open no folder here that you do not trust",
        missing);
  ask_settings(s);
  if (s->can.watch)
    ww_rpc_ask(s->rpc, "client/registerCapability", watchers, NULL, NULL);
  s->can.watch = false; /* once */
}

/* ---- the end ---- */

static void shut_down(void *server, ww_rpc_call *c) {
  ((ww_lsp *)server)->shut_down = true;
  ww_rpc_result(c, "null");
}

static void leave(void *server, ww_rpc_call *c) {
  (void)server;
  ww_rpc_end(c->r);
}

static void cancel(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  ww_rpc_cancel(c->r, at(ww_rpc_params(c), "id"));
  pthread_mutex_lock(&s->lock);
  pthread_cond_broadcast(&s->changed); /* those who wait for an analysis look */
  pthread_mutex_unlock(&s->lock);
}

/* ---- the server ---- */

static const ww_rpc_method methods[] = {
    {"initialize", true, initialize},
    {"initialized", true, initialized},
    {"shutdown", true, shut_down},
    {"exit", true, leave},
    {"$/cancelRequest", true, cancel},
    {"$/setTrace", true, NULL},
    {"window/workDoneProgress/cancel", true, ww_lsp_cancel_progress},
    {"workspace/didChangeConfiguration", true, did_change_configuration},
    {"workspace/didChangeWatchedFiles", true, ww_lsp_watched},
    {"textDocument/didOpen", true, ww_lsp_did_open},
    {"textDocument/didChange", true, ww_lsp_did_change},
    {"textDocument/didClose", true, ww_lsp_did_close},
    {"textDocument/didSave", true, ww_lsp_did_save},
    {"textDocument/codeLens", false, ww_lsp_code_lens},
    {"textDocument/hover", false, ww_lsp_hover},
    {"textDocument/inlayHint", false, ww_lsp_inlay_hint},
    {"textDocument/codeAction", false, ww_lsp_code_action},
    {"workspace/executeCommand", false, ww_lsp_execute},
    {NULL, false, NULL},
};

/* A name, or the path of a description, which then goes by the name inside. */
static ww_status open_workspace(ww_lsp *s, const ww_lsp_options *o, ww_err *e) {
  const char *gpu = o->gpu;
  bool file = gpu && (strchr(gpu, '/') || strstr(gpu, ".json"));
  const ww_gpu *first;
  s->seconds = o->seconds;
  s->w = ww_query_new(
      &(ww_query_options){
          .gpu_files = &gpu, .ngpu_files = file, .bytes = o->bytes, .children = true},
      e);
  if (!s->w)
    return e->code;
  ww_query_gpus(s->w, &first);
  s->gpu = file ? first->name : gpu ? ww_strdup(s->arena, gpu) : NULL;
  s->base.gpu = s->gpu;
  if (!s->gpu || ww_lsp_gpu(s, s->gpu))
    return WW_OK;
  return ww_fail(e, WW_EUSAGE, "there is no GPU '%.60s'; `warpwise gpus` lists them",
                 gpu);
}

/* Requests mostly wait for an analysis: more workers than cores. */
ww_status
ww_lsp_run(const ww_lsp_options *o, int in, int out, bool *orderly, ww_err *e) {
  ww_lsp s = {
      .arena = ww_arena_new(),
      .base = ww_settings_default,
  };
  ww_rpc_options ro = {.methods = methods,
                       .server = &s,
                       .before = before,
                       .workers = 12,
                       .max_message = (size_t)64 << 20};
  /* one for each of some 20 threads keeps what others could use */
  mallopt(M_ARENA_MAX, 2);
  pthread_mutex_init(&s.lock, NULL);
  ww_cond_init(&s.changed);
  s.rpc = ww_rpc_new(&ro, NULL, NULL);
  ww_status st = open_workspace(&s, o, e);
  if (!st && !ww_lsp_start(&s, e))
    st = e->code;
  if (!st)
    st = ww_rpc_serve(s.rpc, in, out, WW_RPC_HEADERS, e);
  *orderly = s.shut_down;
  ww_lsp_stop(&s); /* who is left hears that it is over */
  ww_rpc_free(s.rpc);
  ww_lsp_documents_free(&s);
  ww_query_free(s.w);
  pthread_cond_destroy(&s.changed);
  pthread_mutex_destroy(&s.lock);
  ww_arena_free(s.arena);
  return st;
}
