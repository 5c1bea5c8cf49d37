/* mcp_tools.c - the table of tools, the schemas that follow from it, and the way from a
 * call to its result.
 *
 * Arguments of predictions are the members of the REST interface (ww_api_members),
 * those of measuring and evaluating the options of the commands: neither is described
 * twice. Schemas keep to what language models' own interfaces take: an object at the
 * top, no oneOf there. */
#include "mcp_int.h"

#define ALIVE_S                                                                        \
  2.0 /* between two comments that keep a stream alive, and show whether its client is \
       */

#define DETAIL                                                                     \
  {                                                                                \
    "detail", WW_MEMBER_TEXT, 0,                                                   \
        "short (default), or full: every metric, what the time was computed from", \
        "short|full"                                                               \
  }

/* the command's option of that name says what it means */
#define OF_COMMAND 0, NULL, NULL

static const ww_member own_none[] = {{0}};
static const ww_member own_detail[] = {DETAIL, {0}};
static const ww_member own_roofline[] = {
    DETAIL,
    {"plot", WW_MEMBER_TEXT, 0, "svg: the plot as well, as an embedded resource",
     "none|svg"},
    {0},
};
/* the other version, beside `file` or `source` */
#define OTHER                                                           \
  {"other_file", WW_MEMBER_TEXT, 0, "path of the other version", NULL}, \
      {"other_source", WW_MEMBER_TEXT, 0, "its text", NULL}, {          \
    "other_kernel", WW_MEMBER_TEXT, 0,                                  \
        "its kernel, also of the same source; else the same name", NULL \
  }
static const ww_member own_compare[] = {OTHER, DETAIL, {0}};
static const ww_member own_verify[] = {
    OTHER,
    {"other_launch", WW_MEMBER_TEXT, 0,
     "its grid and block, where they differ: grid=(n+1023)/1024 block=256", NULL},
    {"seed", WW_MEMBER_COUNT, 0, "of the contents, to repeat a run", NULL},
    {0},
};
static const ww_member own_measure[] = {
    {"device", WW_MEMBER_TEXT, OF_COMMAND},
    {"repeats", WW_MEMBER_COUNT, OF_COMMAND},
    {"limit", WW_MEMBER_COUNT, OF_COMMAND},
    DETAIL,
    {0},
};
static const ww_member own_tune[] = {
    {"param", WW_MEMBER_TEXTS, OF_COMMAND},
    {"where", WW_MEMBER_TEXTS, OF_COMMAND},
    {"most", WW_MEMBER_COUNT, OF_COMMAND},
    DETAIL,
    {0},
};
static const ww_member own_optimize[] = {
    {"seconds", WW_MEMBER_COUNT, OF_COMMAND},
    {"rounds", WW_MEMBER_COUNT, OF_COMMAND},
    {"seed", WW_MEMBER_COUNT, OF_COMMAND},
    DETAIL,
    {0},
};
static const ww_member own_batch[] = {
    {"launches", WW_MEMBER_TEXT, 0, "path of a recording, one launch spec a line",
     NULL},
    {"gpu", WW_MEMBER_NAMES, 0, "names of GPUs, one or several; else h200", NULL},
    {0},
};
static const ww_member own_evaluate[] = {
    {"measured", WW_MEMBER_TEXT, 0,
     "file of measured reports, as `warpwise measure --json` writes them", NULL},
    {"sources", WW_MEMBER_TEXT, OF_COMMAND},
    {"by", WW_MEMBER_TEXT, 0, "what predicts", "grounded|machine"},
    {"metric", WW_MEMBER_TEXT, OF_COMMAND},
    {"limit", WW_MEMBER_COUNT, OF_COMMAND},
    {"worst", WW_MEMBER_COUNT, OF_COMMAND},
    {"budget", WW_MEMBER_COUNT, OF_COMMAND},
    DETAIL,
    {0},
};

#define QUICK NULL, NULL, false, false
#define SOURCE WW_IN_SOURCE
#define LAUNCH (WW_IN_SOURCE | WW_IN_LAUNCH)
const ww_mcp_tool ww_mcp_tools[] = {
    {"list_kernels", "Kernels of a source",
     "The GPU kernels of a CUDA, OpenCL, HIP or OpenMP source: line, parameters, the "
     "launch its comment gives, whether it can be predicted.",
     SOURCE, own_detail, ww_mcp_list_kernels, ww_mcp_schema_kernels, QUICK},
    {"predict", "Predict time and counters",
     "How long kernels take on GPUs and what they do there: time with its interval, "
     "what limits it, bandwidth, FLOP/s, occupancy, cache hits. No GPU is "
     "needed. Arguments without a description are those of the tools before.",
     LAUNCH, own_detail, ww_mcp_predict, ww_mcp_schema_reports, QUICK},
    {"explain", "Explain why a kernel is slow",
     "As predict, and why: findings (line, rule, what to change, the speed-up that "
     "gives), largest first, and the lines that cost most. Begin with it when a kernel "
     "should become faster.",
     LAUNCH, own_detail, ww_mcp_explain, ww_mcp_schema_reports, QUICK},
    {"fix", "Edits for findings",
     "Findings of explain that an edit of a few words removes, and a patch of those "
     "that assume nothing.",
     LAUNCH, own_detail, ww_mcp_fix, ww_mcp_schema_fix, QUICK},
    {"roofline", "Roofline of kernels",
     "Where kernels stand under the roofs of GPUs, and the share of the roof that is "
     "reached.",
     LAUNCH, own_roofline, ww_mcp_roofline, ww_mcp_schema_roofline, QUICK},
    {"sweep", "Time over sizes", "Times of one kernel over a range of sizes.",
     LAUNCH | WW_IN_SWEEP, own_none, ww_mcp_sweep, ww_mcp_schema_sweep, "sweep", NULL,
     false, false},
    {"compare", "Compare GPUs or versions",
     "One kernel on several GPUs, or two versions of it under the same launch: times, "
     "speed-up, what changed. Use it to see what an edit brings.",
     LAUNCH, own_compare, ww_mcp_compare, ww_mcp_schema_compare, QUICK},
    {"verify_kernels", "Are two kernels the same?",
     "Runs two versions of a kernel at small sizes in an interpreter, over cases that "
     "tell them apart, and says whether they are the same, or the first difference "
     "with its line. Use it after every edit.",
     LAUNCH, own_verify, ww_mcp_verify, ww_mcp_schema_verify, QUICK},
    {"tune_kernel", "Best parameters of a kernel",
     "Ranks variants of a kernel (macros, constants, template arguments, launch shape) "
     "by predicted time. Takes minutes.",
     LAUNCH, own_tune, ww_mcp_tune, ww_mcp_schema_tune, NULL, "tune", true, false},
    {"optimize_kernel", "Make a kernel faster",
     "Rewrites a kernel: what is predicted to be faster and verified to be the same "
     "comes back as a patch. Takes minutes.",
     LAUNCH, own_optimize, ww_mcp_optimize, ww_mcp_schema_optimize, NULL, "optimize",
     true, false},
    {"batch", "A whole program",
     "The launches of a recorded program added up by kernel, with a total for each "
     "GPU.",
     0, own_batch, ww_mcp_batch, ww_mcp_schema_batch, "launches", NULL, true, false},
    {"measure", "Measure on a device",
     "Runs a kernel on a real device of the server's machine: time and, on NVIDIA "
     "GPUs, hardware counters.",
     LAUNCH, own_measure, ww_mcp_measure, ww_mcp_schema_reports, NULL, "measure", true,
     true},
    {"evaluate", "Score predictions",
     "Predicts every launch of a file of measured reports: errors by metric, the worst "
     "cases. Takes minutes.",
     0, own_evaluate, ww_mcp_evaluate, ww_mcp_schema_evaluate, "measured", "evaluate",
     true, false},
    {0},
};

static bool offered(const ww_mcp *m, const ww_mcp_tool *t) {
  return m->o.measure || !t->runs;
}

/* ---- schemas ---- */

void ww_mcp_begin_list(ww_json *j, const char *name, const char *meaning) {
  ww_json_put(j, "%s:{type:'array',description?:%s,items:{type:'object',properties:{",
              name, meaning);
}

void ww_mcp_list(ww_json *j, const char *name, const char *meaning, const char *lines) {
  ww_mcp_begin_list(j, name, meaning);
  ww_schema_properties(j, lines);
  ww_json_put(j, "}}}");
}

/* What a member holds; of GPUs the names there are, where it is described. */
static void items(const ww_mcp *m, const ww_member *x, bool described, ww_json *j) {
  ww_json_put(j, "type:'array',items:{type:'string'");
  if (x->kind == WW_MEMBER_NAMES && described) {
    const ww_gpu *g;
    uint32_t n = ww_query_gpus(m->o.w, &g);
    ww_json_put(j, "enum:[");
    for (uint32_t k = 0; k < n; k++)
      ww_json_str(j, g[k].name);
    ww_json_end_arr(j);
  }
  ww_json_end_obj(j);
}

static bool has(const ww_mcp_tool *t, const ww_member *x) {
  const ww_member *of[] = {ww_api_members, t->own};
  for (size_t k = 0; k < WW_COUNT(of); k++)
    for (const ww_member *o = of[k]; o->name; o++)
      if ((k || (o->group & t->groups)) && !strcmp(o->name, x->name) && o->meaning &&
          x->meaning && !strcmp(o->meaning, x->meaning))
        return true;
  return false;
}

/* An agent reads the list whole and pays for it each time, so what several tools have
 * in common is described by the first of them. */
static bool is_described(const ww_mcp_tool *t, const ww_member *x) {
  for (const ww_mcp_tool *before = ww_mcp_tools; before < t; before++)
    if (has(before, x))
      return false;
  return true;
}

static const char *
meaning_of(const ww_mcp *m, const ww_mcp_tool *t, const ww_member *x) {
  return x->meaning || !m->o.help ? x->meaning : m->o.help(t->command, x->name);
}

static void
argument(const ww_mcp *m, const ww_mcp_tool *t, const ww_member *x, ww_json *j) {
  bool described = is_described(t, x);
  ww_json_put(j, "%s:{", x->name);
  if (described)
    ww_json_put(j, "description?:%s", meaning_of(m, t, x));
  switch (x->kind) {
  case WW_MEMBER_TEXT:
    ww_json_kstr(j, "type", "string");
    break;
  case WW_MEMBER_COUNT:
    ww_json_put(j, "type:'integer'");
    break;
  case WW_MEMBER_TEXTS:
  case WW_MEMBER_NAMES:
    items(m, x, described, j);
    break;
  case WW_MEMBER_SPEC:
    ww_json_put(j, "anyOf:[{type:'string'},{type:'object'}]");
    break;
  }
  if (x->one_of && described)
    ww_schema_one_of(j, x->one_of);
  ww_json_end_obj(j);
}

static void input_schema(const ww_mcp *m, const ww_mcp_tool *t, ww_json *j) {
  ww_json_put(j, "{type:'object',properties:{");
  for (const ww_member *x = ww_api_members; x->name; x++)
    if (x->group & t->groups)
      argument(m, t, x, j);
  for (const ww_member *x = t->own; x->name; x++)
    argument(m, t, x, j);
  ww_json_end_obj(j);
  if (t->required)
    ww_json_put(j, "required:[%s]", t->required);
  ww_json_put(j, "additionalProperties:false}");
}

/* What a result holds is in warpwise://schemas: clients that show the list to a model
 * would show it all of them. */
static void write_tool(const ww_mcp *m, const ww_mcp_tool *t, ww_json *j) {
  ww_json_put(j, "{name:%s,title:%s,description:%s,inputSchema:", t->name, t->title,
              t->description);
  input_schema(m, t, j);
  ww_json_put(j, "annotations:{readOnlyHint:%i,openWorldHint:false}}", !t->runs);
}

void ww_mcp_write_schemas(const ww_mcp *m, ww_json *j) {
  for (const ww_mcp_tool *t = ww_mcp_tools; t->name; t++) {
    if (!offered(m, t))
      continue;
    ww_json_put(j, "{name:%s,outputSchema:{type:'object',properties:{", t->name);
    t->output(j);
    ww_json_put(j, "}}}");
  }
}

void ww_mcp_list_tools(void *ctx, ww_rpc_call *c) {
  const ww_mcp *m = ((ww_mcp_peer *)ctx)->m;
  ww_json j = {0};
  ww_json_put(&j, "{tools:[");
  for (const ww_mcp_tool *t = ww_mcp_tools; t->name; t++)
    if (offered(m, t))
      write_tool(m, t, &j);
  ww_json_end_arr(&j);
  ww_mcp_end_result(c, &j, true);
}

/* ---- arguments ---- */

static bool in_table(const ww_member *v, uint8_t groups, const char *name) {
  for (; v->name; v++)
    if (!strcmp(v->name, name) && (!groups || (v->group & groups)))
      return true;
  return false;
}

const char *ww_mcp_text(ww_mcp_call *t, const char *name) {
  return ww_member_text(t->args, name);
}

/* The tool's own arguments; the others are checked by who reads them. */
static ww_status check_own(ww_mcp_call *t) {
  const ww_member *x;
  char kind[64];
  uint64_t ignored;
  const cJSON *v;
  for (x = t->tool->own; x->name; x++) {
    if (!(v = cJSON_GetObjectItemCaseSensitive(t->args, x->name)))
      continue;
    if (x->kind == WW_MEMBER_COUNT && ww_json_want_uint(v, x->name, &ignored, &t->err))
      return WW_EUSAGE;
    if (x->kind == WW_MEMBER_TEXT && !cJSON_IsString(v))
      return ww_fail(&t->err, WW_EUSAGE, "%s: expected a string, not %s", x->name,
                     ww_json_kind(v, kind));
    if (x->one_of && !ww_is_one_of(x->one_of, v->valuestring))
      return ww_fail(&t->err, WW_EUSAGE, "%s: expected %s, not '%.40s'", x->name,
                     x->one_of, v->valuestring);
  }
  cJSON_ArrayForEach(v, t->args) {
    if (in_table(ww_api_members, t->tool->groups, v->string) && t->tool->groups)
      continue;
    if (!in_table(t->tool->own, 0, v->string))
      return ww_fail(&t->err, WW_EUSAGE,
                     "%s has no argument '%.40s'; its inputSchema lists them",
                     t->tool->name, v->string);
  }
  if (t->tool->required &&
      !cJSON_GetObjectItemCaseSensitive(t->args, t->tool->required))
    return ww_fail(&t->err, WW_EUSAGE, "%s needs `%s`", t->tool->name,
                   t->tool->required);
  const char *detail = ww_mcp_text(t, "detail");
  t->full = detail && !strcmp(detail, "full");
  return WW_OK;
}

ww_status ww_mcp_ask(ww_mcp_call *t, const cJSON *args, call *out) {
  const ww_route route = {.groups = t->tool->groups};
  const cJSON *v;
  ww_json j = {0};
  ww_json_obj(&j);
  cJSON_ArrayForEach(v, args) {
    if (!in_table(ww_api_members, t->tool->groups, v->string))
      continue;
    ww_json_key(&j, v->string);
    ww_json_copy(v, &j);
  }
  /* those that the server was started for */
  if (t->m->o.gpu && (t->tool->groups & WW_IN_LAUNCH) &&
      !cJSON_GetObjectItemCaseSensitive(args, "gpu"))
    ww_json_words(&j, "gpu", t->m->o.gpu, ",");
  ww_json_end_obj(&j);
  ww_api_request q = {
      .body = j.own.s,
      .n = j.own.n,
      .arrived = t->arrived,
  };
  *out = (call){.api = t->m->o.api, .q = &q, .route = &route, .a = t->a};
  ww_status st = ww_call_read(out);
  if (st)
    t->err = out->err;
  out->q = NULL; /* these two go with this function */
  out->route = NULL;
  out->ask.cancelled = ww_mcp_cancelled;
  out->ask.ctx = t;
  cJSON_Delete(out->body); /* strings are the arena's */
  out->body = NULL;
  ww_buf_free(&j.own);
  return st;
}

/* ---- while it runs ---- */

bool ww_mcp_cancelled(void *ctx) {
  ww_mcp_call *t = ctx;
  ww_mcp_peer *p = t->peer;
  if (ww_rpc_cancelled(t->c) || atomic_load(&t->m->stopping) || atomic_load(&p->gone))
    return true;
  if (!p->streams)
    return false;
  pthread_mutex_lock(&p->lock);
  double now = ww_now();
  bool silent = now - p->wrote > ALIVE_S;
  if (silent)
    p->wrote = now;
  pthread_mutex_unlock(&p->lock);
  if (silent && !ww_http_write(p->x, ":\n\n", 3))
    atomic_store(&p->gone, true);
  return atomic_load(&p->gone);
}

void ww_mcp_progress(ww_mcp_call *t, uint64_t done, uint64_t total, const char *what) {
  ww_json j = {0};
  if (!t->token || (t->peer->x && !t->peer->streams))
    return;
  ww_json_put(&j, "{progressToken:");
  ww_json_copy(t->token, &j);
  ww_json_put(&j, "progress:%lu,total?:%lu,message:%s}", done, total, what);
  ww_rpc_notify(t->peer->rpc, "notifications/progress", &j);
}

/* ---- a call ---- */

/* What went wrong with arguments or a kernel is a result: the model reads it and can do
 * better. */
static void answer(ww_mcp_call *t, ww_status st) {
  ww_buf why = {0};
  ww_json j = {0};
  if (t->err.file)
    ww_buf_fmt(&why, "%s:", t->err.file);
  if (t->err.file && t->err.line)
    ww_buf_fmt(&why, "%u:", t->err.line);
  ww_buf_fmt(&why, "%s%s", why.n ? " " : "", t->err.msg);
  ww_json_put(&j, "{content:[{type:'text',text:%s}", st ? why.s : t->j.own.s);
  if (!st && t->content.own.n)
    ww_json_raw(&j, t->content.own.s);
  ww_json_end_arr(&j);
  if (!st) {
    ww_json_key(&j, "structuredContent");
    ww_json_raw(&j, t->j.own.s);
  }
  ww_json_kbool(&j, "isError", st);
  ww_mcp_end_result(t->c, &j, false);
  ww_buf_free(&why);
}

/* Devices and cores are shared: what takes long runs one at a time. */
static ww_status run_slow(ww_mcp_call *t) {
  int none = 0;
  if (!atomic_compare_exchange_strong(&t->m->slow, &none, 1))
    return ww_fail(
        &t->err, WW_ELIMIT,
        "another measurement or evaluation runs; try again when it has ended");
  ww_status st = t->tool->run(t);
  atomic_store(&t->m->slow, 0);
  return st;
}

static void run(ww_mcp_call *t) {
  ww_json_obj(&t->j);
  ww_status st = check_own(t);
  if (!st)
    st = t->tool->slow ? run_slow(t) : t->tool->run(t);
  ww_json_end_obj(&t->j);
  if (!ww_rpc_cancelled(t->c))
    answer(t, st);
  ww_buf_free(&t->j.own);
  ww_buf_free(&t->content.own);
}

void ww_mcp_call_tool(void *ctx, ww_rpc_call *c) {
  ww_mcp_peer *peer = ctx;
  const cJSON *params = ww_rpc_params(c);
  const cJSON *meta = cJSON_GetObjectItemCaseSensitive(params, "_meta");
  const cJSON *token = cJSON_GetObjectItemCaseSensitive(meta, "progressToken");
  const char *name = ww_member_text(params, "name");
  ww_mcp_call t = {.m = peer->m,
                   .peer = peer,
                   .c = c,
                   .tool = ww_mcp_tools,
                   .args = cJSON_GetObjectItemCaseSensitive(params, "arguments"),
                   .token =
                       cJSON_IsString(token) || cJSON_IsNumber(token) ? token : NULL,
                   .arrived = ww_now(),
                   .a = c->arena};
  while (t.tool->name && (!name || strcmp(t.tool->name, name) != 0))
    t.tool++;
  if (!t.tool->name || !offered(peer->m, t.tool)) {
    char text[160];
    snprintf(text, sizeof text, "Unknown tool: %.80s",
             name ? name : "params.name is no string");
    ww_rpc_error(c, WW_RPC_BAD_PARAMS, text, NULL);
  } else if (t.args && !cJSON_IsObject(t.args))
    ww_rpc_error(c, WW_RPC_BAD_PARAMS, "arguments must be an object", NULL);
  else
    run(&t);
}
