/* lsp_findings.c - findings as diagnostics, and their fixes as code actions.
 *
 * Severity is Information where the gain is worth a look, else Hint: nothing here is an
 * error. A finding in a header stands at the kernel that includes it, and says where it
 * is. */
#include "lsp_int.h"

/* ---- where a finding stands ---- */

static bool is_elsewhere(const ww_lsp_analysis *a, const ww_finding *f) {
  return f->line && f->file && strcmp(f->file, a->path) != 0;
}

static uint32_t
line_of(const ww_lsp_analysis *a, const ww_lsp_kernel *k, const ww_finding *f) {
  return f->line && !is_elsewhere(a, f) ? f->line : k->line;
}

/* From the first letter of the line to its last one. */
static void
range_of(const ww_lsp_analysis *a, uint32_t line, ww_position *from, ww_position *to) {
  size_t begin;
  size_t end;
  if (!line || !ww_text_line(a->text, a->n, line - 1, &begin, &end)) {
    *from = *to = (ww_position){0};
    return;
  }
  while (begin < end && strchr(" \t", a->text[begin]))
    begin++;
  while (end > begin && strchr(" \t", a->text[end - 1]))
    end--;
  *from = ww_text_position(a->text, a->n, begin);
  *to = ww_text_position(a->text, a->n, end);
}

static char *message_of(const ww_lsp_analysis *a,
                        const ww_lsp_kernel *k,
                        const ww_finding *f,
                        ww_arena *arena) {
  const char *where = is_elsewhere(a, f)
                          ? ww_fmt(arena, "%s:%u: ", ww_path_base(f->file), f->line)
                          : "";
  const char *gain = f->gain > 1 ? ww_fmt(arena, " (%.2g\u00d7 faster on %s)", f->gain,
                                          ww_show_gpu(a->gpu))
                                 : "";
  return ww_fmt(arena, "%s: %s%s%s", k->name, where, f->message, gain);
}

/* ---- diagnostics ---- */

static void write_diagnostic(const ww_lsp_analysis *a,
                             const ww_lsp_kernel *k,
                             const ww_finding *f,
                             ww_arena *arena,
                             ww_json *j) {
  ww_position from;
  ww_position to;
  range_of(a, line_of(a, k, f), &from, &to);
  ww_json_obj(j);
  ww_range_write(j, from, to);
  ww_json_put(
      j, "severity:%d,source:'warpwise',code:%s,message:%s,data:{kernel:%s,gain:%g}}",
      f->gain >= a->settings->gain ? 3 : 4, f->rule, message_of(a, k, f, arena),
      k->mangled, f->gain);
}

/* Instances of a template tell the same of the same line: the one that gains most is
 * heard. */
static bool
is_told(const ww_lsp_analysis *a, const ww_lsp_kernel *k, const ww_finding *f) {
  for (uint32_t i = 0; i < a->nkernels; i++) {
    const ww_lsp_kernel *o = &a->v[i];
    if (o == k || o->line != k->line || o->here != k->here)
      continue;
    for (uint32_t n = 0; n < o->report.nfindings; n++) {
      const ww_finding *g = &o->report.findings[n];
      if (g->line != f->line || strcmp(g->rule, f->rule) != 0)
        continue;
      if (g->gain > f->gain || (g->gain == f->gain && o < k))
        return true;
    }
  }
  return false;
}

void ww_lsp_publish(ww_lsp *s, const char *uri, const ww_lsp_analysis *a) {
  ww_json j = {0};
  ww_arena *arena = ww_arena_new();
  ww_json_put(&j, "{uri:%s", uri);
  if (a)
    ww_json_kint(&j, "version", a->version);
  ww_json_put(&j, "diagnostics:[");
  for (uint32_t i = 0; a && a->settings->diagnostics && i < a->nkernels; i++)
    for (uint32_t n = 0; n < a->v[i].report.nfindings; n++)
      if (!is_told(a, &a->v[i], &a->v[i].report.findings[n]))
        write_diagnostic(a, &a->v[i], &a->v[i].report.findings[n], arena, &j);
  ww_json_put(&j, "]}");
  ww_rpc_notify(s->rpc, "textDocument/publishDiagnostics", &j);
  ww_arena_free(arena);
}

/* ---- edits ---- */

static void write_edits(const ww_lsp_analysis *a,
                        const ww_fix *f,
                        const char *annotation,
                        ww_json *j) {
  for (uint32_t k = 0; k < f->n; k++) {
    const ww_edit *x = &f->edits[k];
    ww_json_obj(j);
    ww_range_write(j, ww_text_position(a->text, a->n, x->begin),
                   ww_text_position(a->text, a->n, x->end));
    ww_json_put(j, "newText:%s,annotationId?:%s}", x->text, annotation);
  }
}

/* With the version of the document where the client knows what to do with it: a fix of
 * an older text is refused there. */
void ww_lsp_edit_write(const ww_lsp *s,
                       const ww_lsp_analysis *a,
                       const ww_fix *f,
                       ww_json *j) {
  bool versioned = s->can.versioned_edits;
  if (versioned)
    ww_json_put(j, "{documentChanges:[{textDocument:{uri:%s,version:%ld},edits:[",
                a->uri, a->version);
  else
    ww_json_put(j, "{changes:{%s:[", a->uri);
  write_edits(a, f, NULL, j);
  ww_json_put(j, versioned ? "]}]}" : "]}}");
}

void ww_lsp_preview_write(const ww_lsp *s,
                          const ww_lsp_analysis *a,
                          const ww_fix *f,
                          const char *why,
                          ww_json *j) {
  if (!s->can.annotations || !s->can.versioned_edits) {
    ww_lsp_edit_write(s, a, f, j);
    return;
  }
  ww_json_put(j, "{documentChanges:[{textDocument:{uri:%s,version:%ld},edits:[", a->uri,
              a->version);
  write_edits(a, f, "rewrite", j);
  ww_json_put(j,
              "]}],changeAnnotations:{rewrite:{label:%s,needsConfirmation:true,"
              "description?:%s}}}",
              f->title, why);
}

/* ---- actions ---- */

typedef struct {
  const ww_lsp *s;
  const ww_lsp_analysis *a;
  ww_arena *arena;
  uint32_t first, last; /* lines from 1 that the editor asks about */
  ww_json *j;
  WW_VEC(const ww_fix *) offered; /* two findings may have the same fix */
} asking;

static bool is_offered(asking *q, const ww_fix *x) {
  for (uint32_t k = 0; k < q->offered.n; k++) {
    const ww_fix *o = q->offered.v[k];
    bool same = o->n == x->n && !strcmp(o->title, x->title);
    for (uint32_t i = 0; same && i < x->n; i++)
      same =
          o->edits[i].begin == x->edits[i].begin && o->edits[i].end == x->edits[i].end;
    if (same)
      return true;
  }
  ww_push(q->arena, &q->offered, x);
  return false;
}

static void write_fix(const asking *q,
                      const ww_lsp_kernel *k,
                      const ww_finding *f,
                      const ww_fix *x) {
  ww_json *j = q->j;
  ww_json_put(j, "{title:%s,kind:'quickfix',isPreferred?:%i,diagnostics:[", x->title,
              x->preferred);
  write_diagnostic(q->a, k, f, q->arena, j);
  ww_json_put(j, "],edit:");
  ww_lsp_edit_write(q->s, q->a, x, j);
  ww_json_end_obj(j);
}

static void fixes_of(asking *q, const ww_lsp_kernel *k) {
  const ww_lsp_analysis *a = q->a;
  ww_fix_source source = {.text = a->text,
                          .n = a->n,
                          .dialect = a->dialect,
                          .kernel = k->name,
                          .line = k->line,
                          .launch = k->report.launch};
  for (uint32_t i = 0; i < k->report.nfindings; i++) {
    const ww_finding *f = &k->report.findings[i];
    uint32_t line = line_of(a, k, f);
    ww_fix *x;
    if (!k->here || is_elsewhere(a, f) || line < q->first || line > q->last ||
        is_told(a, k, f))
      continue;
    uint32_t n = ww_fixes_find(&source, f, q->arena, &x);
    for (uint32_t m = 0; m < n; m++)
      if (!is_offered(q, &x[m]))
        write_fix(q, k, f, &x[m]);
  }
}

/* Where a kernel is declared: what can be done with it. */
static void commands_of(const asking *q, const ww_lsp_kernel *k) {
  static const char *const offers[][3] = {
      /* the command, and what stands before and behind the kernel's name */
      {"warpwise.setLaunch", "Write the launch of ", " as a comment"},
      {"warpwise.compareGpus", "Compare GPUs for ", ""},
      {"warpwise.openRoofline", "Show the roofline of ", ""},
      {"warpwise.measureHere", "Measure ", " on this machine's GPU"},
      {"warpwise.optimize", "Optimise ", ""},
  };
  ww_json *j = q->j;
  if (!k->here || k->body < q->first || k->first > q->last || k->report.error.code)
    return;
  for (size_t i = 0; i < sizeof offers / sizeof *offers; i++) {
    const char *title = ww_fmt(q->arena, "%s%s%s", offers[i][1], k->name, offers[i][2]);
    ww_json_put(j,
                "{title:%s,kind:'source.warpwise',command:{title:%s,command:%s,"
                "arguments:[{uri:%s,kernel:%s,show:true}]}}",
                title, title, offers[i][0], q->a->uri, k->mangled);
  }
}

/* Kinds are words with dots: "quickfix" is wanted by "quickfix" and by "". */
static bool wants(const cJSON *only, const char *kind) {
  const cJSON *o;
  if (!cJSON_IsArray(only))
    return true;
  cJSON_ArrayForEach(o, only) {
    if (!cJSON_IsString(o))
      continue;
    size_t n = strlen(o->valuestring);
    if (ww_starts(kind, o->valuestring) && (!n || !kind[n] || kind[n] == '.'))
      return true;
  }
  return false;
}

void ww_lsp_code_action(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  const cJSON *context = cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "context");
  const cJSON *only = cJSON_GetObjectItemCaseSensitive(context, "only");
  ww_position from;
  ww_position to;
  if (!ww_range_read(ww_rpc_params(c), &from, &to))
    return ww_rpc_fail(c, &(ww_err){.code = WW_EUSAGE, .msg = "range is missing"});
  ww_lsp_analysis *a = ww_lsp_asked(s, c, 0);
  if (!a)
    return;
  ww_json j = {0};
  asking q = {.s = s,
              .a = a,
              .arena = c->arena,
              .first = from.line + 1,
              .last = to.line + 1,
              .j = &j};
  bool fixes = wants(only, "quickfix"), commands = wants(only, "source.warpwise");
  ww_json_arr(&j);
  for (uint32_t i = 0; i < a->nkernels && s->can.literal_actions; i++) {
    if (fixes)
      fixes_of(&q, &a->v[i]);
    if (commands)
      commands_of(&q, &a->v[i]);
  }
  ww_json_end_arr(&j);
  ww_rpc_answer(c, &j);
  ww_lsp_let_go(s, a);
}
