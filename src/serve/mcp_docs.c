/* mcp_docs.c - what clients can read beside calling tools: descriptions of GPUs, the
 * tables of metrics and findings, prompts. */
#include "mcp_int.h"

#include "../predict/advice/advice.h"

#define GPUS "warpwise://gpus"

/* ---- resources ---- */

static void write_gpu_list(const ww_mcp *m, ww_json *j) {
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(m->o.w, &g);
  for (uint32_t k = 0; k < n; k++) {
    ww_json_obj(j);
    ww_gpu_members(&g[k], j);
    ww_json_end_obj(j);
  }
}

static void write_metrics(const ww_mcp *m, ww_json *j) {
  (void)m;
  for (const ww_metric_info *x = ww_metrics; x < ww_metrics + WW_NMETRICS; x++)
    ww_json_put(j, "{name:%s,unit:%s,meaning:%s,nvidia:%s,amd:%s}", x->name, x->unit,
                x->meaning, x->nvidia, x->amd);
}

static void write_rules(const ww_mcp *m, ww_json *j) {
  (void)m;
  for (uint32_t k = 0; k < WW_NRULES; k++)
    ww_json_put(j, "{rule:%s,title:%s}", ww_rules[k].id, ww_rules[k].title);
}

static const struct {
  const char *uri, *name, *description;
  void (*write)(const ww_mcp *m, ww_json *j); /* the items of an array */
} tables[] = {
    {"warpwise://metrics", "metrics",
     "Every metric of a report: name, unit, meaning, the profilers' counters behind it",
     write_metrics},
    {"warpwise://rules", "rules", "What explain can find: the rules and their titles",
     write_rules},
    {"warpwise://schemas", "schemas", "What each tool's result holds, as JSON Schemas",
     ww_mcp_write_schemas},
    {GPUS, "gpus", "The GPUs that can be asked for", write_gpu_list},
};
#define NTABLES (sizeof tables / sizeof tables[0])

static void
write_resource(ww_json *j, const char *uri, const char *name, const char *description) {
  ww_json_put(j, "{uri:%s,name:%s,description:%s,mimeType:'application/json'}", uri,
              name, description);
}

void ww_mcp_list_resources(void *ctx, ww_rpc_call *c) {
  const ww_mcp *m = ((ww_mcp_peer *)ctx)->m;
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(m->o.w, &g);
  ww_json j = {0};
  ww_json_put(&j, "{resources:[");
  for (size_t k = 0; k < NTABLES; k++)
    write_resource(&j, tables[k].uri, tables[k].name, tables[k].description);
  for (uint32_t k = 0; k < n; k++)
    write_resource(
        &j, ww_fmt(c->arena, GPUS "/%s", g[k].name), g[k].name,
        ww_fmt(c->arena, "%s: the figures that predictions use", g[k].full_name));
  ww_json_end_arr(&j);
  ww_mcp_end_result(c, &j, true);
}

void ww_mcp_list_templates(void *peer, ww_rpc_call *c) {
  ww_json j = {0};
  (void)peer;
  ww_json_put(
      &j,
      "{resourceTemplates:[{uriTemplate:%s,name:'gpu',"
      "description:'One GPU: clocks, caches, bandwidths, latencies, issue rates',"
      "mimeType:'application/json'}]",
      GPUS "/{name}");
  ww_mcp_end_result(c, &j, true);
}

static bool read_uri(const ww_mcp *m, const char *uri, ww_buf *out) {
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(m->o.w, &g);
  for (size_t k = 0; k < NTABLES; k++)
    if (!strcmp(uri, tables[k].uri)) {
      ww_json j = {.out = out};
      ww_json_arr(&j);
      tables[k].write(m, &j);
      ww_json_end_arr(&j);
      return true;
    }
  for (uint32_t k = 0; k < n; k++)
    if (ww_starts(uri, GPUS "/") && !strcmp(uri + strlen(GPUS "/"), g[k].name)) {
      ww_gpu_write(&g[k], false, out);
      return true;
    }
  return false;
}

void ww_mcp_read_resource(void *ctx, ww_rpc_call *c) {
  const char *uri = ww_member_text(ww_rpc_params(c), "uri");
  ww_buf text = {0};
  ww_json j = {0};
  if (!uri || !read_uri(((ww_mcp_peer *)ctx)->m, uri, &text)) {
    ww_json_put(&j, "{uri:%s}", uri);
    ww_rpc_error(c, WW_RPC_BAD_PARAMS,
                 "Resource not found; resources/list has what there is", j.own.s);
    return ww_buf_free(&j.own);
  }
  ww_json_put(&j, "{contents:[{uri:%s,mimeType:'application/json',text:%s}]", uri,
              text.s);
  ww_mcp_end_result(c, &j, true);
  ww_buf_free(&text);
}

/* ---- prompts ---- */

static const char *const prompt_args[][2] = {
    {"file", "path of the source"},
    {"kernel", "which kernel; else every one of the file"},
    {"gpu", "which GPU; else h200"}};
#define NARGS (sizeof prompt_args / sizeof prompt_args[0])

static const struct {
  /* %s: the file, the kernel in words, the GPU */
  const char *name, *title, *description, *text;
} prompts[] = {
    {"why_slow", "Why is this kernel slow?",
     "Explains what limits a kernel and what to change first",
     "Call the explain tool for %s%s on %s. Say in plain words what bounds the kernel, "
     "which "
     "source lines cost most and why, and which change would gain most, "
     "with the predicted speed-up and its interval. Name what was assumed about the "
     "launch. Change "
     "no file."},
    {"make_faster", "Make this kernel faster",
     "Edits a kernel step by step, each step checked by a prediction",
     "Make %s%s faster on %s. Call explain, take the finding with the largest "
     "speed-up, edit the "
     "source so that the results stay the same, and call compare with "
     "the old text as source and the new one as other_source. Keep the edit only where "
     "the verdict "
     "is faster. Repeat until no finding promises more than 5 %%, "
     "then show the first and the last predicted time."},
};
#define NPROMPTS (sizeof prompts / sizeof prompts[0])

void ww_mcp_list_prompts(void *peer, ww_rpc_call *c) {
  ww_json j = {0};
  (void)peer;
  ww_json_put(&j, "{prompts:[");
  for (size_t k = 0; k < NPROMPTS; k++) {
    ww_json_put(&j, "{name:%s,title:%s,description:%s,arguments:[", prompts[k].name,
                prompts[k].title, prompts[k].description);
    for (size_t i = 0; i < NARGS; i++)
      ww_json_put(&j, "{name:%s,description:%s,required:%i}", prompt_args[i][0],
                  prompt_args[i][1], i == 0);
    ww_json_put(&j, "]}");
  }
  ww_json_end_arr(&j);
  ww_mcp_end_result(c, &j, true);
}

static const char *argument(ww_rpc_call *c, size_t k) {
  const cJSON *args = cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "arguments");
  const char *text = ww_member_text(args, prompt_args[k][0]);
  return text && *text ? text : NULL;
}

void ww_mcp_get_prompt(void *peer, ww_rpc_call *c) {
  const char *name = ww_member_text(ww_rpc_params(c), "name");
  const char *file = argument(c, 0);
  const char *kernel = argument(c, 1);
  const char *gpu = argument(c, 2);
  size_t at = 0;
  (void)peer;
  while (at < NPROMPTS && (!name || strcmp(prompts[at].name, name) != 0))
    at++;
  if (at == NPROMPTS)
    return ww_rpc_error(c, WW_RPC_BAD_PARAMS,
                        "Unknown prompt; prompts/list has what there is", NULL);
  if (!file)
    return ww_rpc_error(c, WW_RPC_BAD_PARAMS, "the prompt needs `file`", NULL);
  const char *which = kernel ? ww_fmt(c->arena, ", kernel %s,", kernel) : "";
  ww_buf text = {0};
  ww_json j = {0};
  ww_buf_fmt(&text, prompts[at].text, file, which, gpu ? gpu : "h200");
  ww_json_put(&j,
              "{description:%s,messages:[{role:'user',content:{type:'text',text:%s}}]",
              prompts[at].description, text.s);
  ww_mcp_end_result(c, &j, false);
  ww_buf_free(&text);
}

/* Names of GPUs, for the prompts' argument and the template's variable. */
void ww_mcp_complete(void *ctx, ww_rpc_call *c) {
  const cJSON *params = ww_rpc_params(c);
  const cJSON *given = cJSON_GetObjectItemCaseSensitive(params, "argument");
  const char *name = ww_member_text(given, "name");
  const char *value = ww_member_text(given, "value");
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(((ww_mcp_peer *)ctx)->m->o.w, &g);
  ww_json j = {0};
  if (!cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(params, "ref")) || !name ||
      !value)
    return ww_rpc_error(c, WW_RPC_BAD_PARAMS,
                        "completion needs ref and argument with name and value", NULL);
  bool gpu = !strcmp(name, "gpu") || !strcmp(name, "name");
  ww_json_put(&j, "{completion:{values:[");
  for (uint32_t k = 0; gpu && k < n && k < 100; k++)
    if (ww_starts(g[k].name, value))
      ww_json_str(&j, g[k].name);
  ww_json_put(&j, "],hasMore:false}");
  ww_mcp_end_result(c, &j, false);
}
