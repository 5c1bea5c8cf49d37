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

static const ww_member own_detail[] = {DETAIL, {0}};
static const ww_member own_roofline[] = {
    DETAIL,
    {"plot", WW_MEMBER_TEXT, 0, "svg: the plot as well, as an embedded resource",
     "none|svg"},
    {0},
};
static const ww_member own_compare[] = {
    {"other_file", WW_MEMBER_TEXT, 0,
     "path of another version, compared with `file` or `source`", NULL},
    {"other_source", WW_MEMBER_TEXT, 0, "text of another version", NULL},
    {"other_kernel", WW_MEMBER_TEXT, 0,
     "another kernel, of the other version or of the same source; else the same name",
     NULL},
    DETAIL,
    {0},
};
static const ww_member own_verify[] = {
    {"other_file", WW_MEMBER_TEXT, 0,
     "path of the new version, compared with `file` or `source`", NULL},
    {"other_source", WW_MEMBER_TEXT, 0, "text of the new version", NULL},
    {"other_kernel", WW_MEMBER_TEXT, 0,
     "the new kernel, of the new version or of the same source; else the same name",
     NULL},
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
static const ww_member own_evaluate[] = {
    {"measured", WW_MEMBER_TEXT, 0,
     "file of measured reports, one per line (.jsonl or .jsonl.zst), as `warpwise "
     "measure --json` "
     "and the measure tool write them",
     NULL},
    {"sources", WW_MEMBER_TEXT, OF_COMMAND},
    {"by", WW_MEMBER_TEXT, 0,
     "what predicts: with what measurements taught (default), or the machine model "
     "alone",
     "grounded|machine"},
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
     "Lists the GPU kernels of a CUDA, OpenCL, HIP or OpenMP source: name, line, "
     "parameters, the "
     "launch its comment gives, whether "
     "it can be predicted. Give source (text) or file (path).",
     SOURCE, own_detail, ww_mcp_list_kernels, ww_mcp_schema_kernels, QUICK},
    {"predict", "Predict time and counters",
     "Predicts how long kernels take on one or several GPUs and what they do there: "
     "time with its "
     "interval, what bounds it, bandwidth, FLOP/s, "
     "occupancy, cache hits. No GPU is needed. Without `kernel`: every kernel of the "
     "source.",
     LAUNCH, own_detail, ww_mcp_predict, ww_mcp_schema_reports, QUICK},
    {"explain", "Explain why a kernel is slow",
     "As predict, and why: findings (line, rule, what to change, the speed-up that "
     "would give) "
     "with the largest gain first, and the source lines that cost "
     "most. Use it first when a kernel should become faster.",
     LAUNCH, own_detail, ww_mcp_explain, ww_mcp_schema_reports, QUICK},
    {"roofline", "Roofline of kernels",
     "Where kernels stand under the roofs of GPUs: arithmetic intensity, FLOP/s, what "
     "memory and "
     "arithmetic would allow there, and the share of it that is "
     "reached.",
     LAUNCH, own_roofline, ww_mcp_roofline, ww_mcp_schema_roofline, QUICK},
    {"compare", "Compare GPUs or versions",
     "Compares one kernel on several GPUs (`gpu` with two or more names), or two "
     "versions of it "
     "under the same launch (other_file, other_source or "
     "other_kernel): times, speed-up, what changed. Use it to see what an edit brings.",
     LAUNCH, own_compare, ww_mcp_compare, ww_mcp_schema_compare, QUICK},
    {"verify_kernels", "Are two kernels the same?",
     "Runs two versions of a kernel whole at small sizes in an interpreter, over cases "
     "that tell them apart (borders, 0, 1, special floats, overlaps, orders of the "
     "threads), and says whether they are the same, or names the first difference with "
     "its line. No GPU is needed. Use it after every edit. Needs other_file, "
     "other_source or other_kernel.",
     LAUNCH, own_verify, ww_mcp_verify, ww_mcp_schema_verify, QUICK},
    {"tune_kernel", "Best parameters of a kernel",
     "Ranks variants of a kernel (macros, constants, template arguments, launch shape) "
     "by predicted time; the best is compared with the original. No GPU is needed. "
     "Takes minutes, reports progress, can be cancelled.",
     LAUNCH, own_tune, ww_mcp_tune, ww_mcp_schema_tune, NULL, "tune", true, false},
    {"optimize_kernel", "Make a kernel faster",
     "Rewrites a kernel (coalescing, atomics, registers, loops, block sizes): what is "
     "predicted to be faster and verified to be the same comes back as a patch. No GPU "
     "is needed. Takes minutes, reports progress, can be cancelled.",
     LAUNCH, own_optimize, ww_mcp_optimize, ww_mcp_schema_optimize, NULL, "optimize",
     true, false},
    {"measure", "Measure on a device",
     "Runs a kernel on a real device of the server's machine and reports its time and, "
     "on an "
     "NVIDIA GPU, its hardware counters. The kernel's code is executed.",
     LAUNCH, own_measure, ww_mcp_measure, ww_mcp_schema_reports, NULL, "measure", true,
     true},
    {"evaluate", "Score predictions",
     "Predicts every launch of a file of measured reports and scores the predictions: "
     "errors by "
     "metric, coverage, roofline classes, the worst cases. May take "
     "minutes; reports progress and can be cancelled.",
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

static void items(const ww_mcp *m, const ww_member *x, ww_json *j) {
  ww_json_put(j, "type:'array',items:{type:'string'");
  if (x->kind == WW_MEMBER_NAMES) { /* the GPUs there are */
    const ww_gpu *g;
    uint32_t n = ww_query_gpus(m->o.w, &g);
    ww_json_put(j, "enum:[");
    for (uint32_t k = 0; k < n; k++)
      ww_json_str(j, g[k].name);
    ww_json_end_arr(j);
  }
  ww_json_end_obj(j);
}

static void
argument(const ww_mcp *m, const ww_mcp_tool *t, const ww_member *x, ww_json *j) {
  const char *meaning = x->meaning;
  if (!meaning && m->o.help)
    meaning = m->o.help(t->command, x->name);
  ww_json_put(j, "%s:{description?:%s", x->name, meaning);
  switch (x->kind) {
  case WW_MEMBER_TEXT:
    ww_json_kstr(j, "type", "string");
    break;
  case WW_MEMBER_COUNT:
    ww_json_put(j, "type:'integer',minimum:0");
    break;
  case WW_MEMBER_TEXTS:
  case WW_MEMBER_NAMES:
    items(m, x, j);
    break;
  case WW_MEMBER_SPEC:
    ww_json_put(j, "anyOf:[{type:'string'},{type:'object'}]");
    break;
  }
  if (x->one_of)
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

static void write_tool(const ww_mcp *m, const ww_mcp_tool *t, ww_json *j) {
  ww_json_put(j, "{name:%s,title:%s,description:%s,inputSchema:", t->name, t->title,
              t->description);
  input_schema(m, t, j);
  ww_json_put(j, "outputSchema:{type:'object',properties:{");
  t->output(j);
  ww_json_put(j,
              "}},annotations:{title:%s,readOnlyHint:%i,destructiveHint:false,"
              "idempotentHint:true,openWorldHint:false}}",
              t->title, !t->runs);
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
