/* mcp_docs.c - what clients can read beside calling tools: descriptions of GPUs, the tables of
 * metrics and findings, prompts. */
#include "mcp_int.h"

#include "../predict/advice/advice.h"

#define GPUS "warpwise://gpus"

/* ---- resources ---- */

static void write_gpu_list(const ww_mcp *m, ww_buf *out) {
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(m->o.w, &g);
  ww_json j = {0};
  ww_json_begin(&j, out);
  ww_json_arr(&j);
  for (uint32_t k = 0; k < n; k++) {
    ww_json_obj(&j);
    ww_gpu_members(&g[k], &j);
    ww_json_end_obj(&j);
  }
  ww_json_end_arr(&j);
}

static void write_metrics(const ww_mcp *m, ww_buf *out) {
  ww_json j = {0};
  (void)m;
  ww_json_begin(&j, out);
  ww_json_arr(&j);
  for (uint32_t k = 0; k < WW_NMETRICS; k++) {
    ww_json_obj(&j);
    ww_json_kstr(&j, "name", ww_metrics[k].name);
    ww_json_kstr(&j, "unit", ww_metrics[k].unit);
    ww_json_kstr(&j, "meaning", ww_metrics[k].meaning);
    ww_json_kstr(&j, "nvidia", ww_metrics[k].nvidia);
    ww_json_kstr(&j, "amd", ww_metrics[k].amd);
    ww_json_end_obj(&j);
  }
  ww_json_end_arr(&j);
}

static void write_rules(const ww_mcp *m, ww_buf *out) {
  ww_json j = {0};
  (void)m;
  ww_json_begin(&j, out);
  ww_json_arr(&j);
  for (uint32_t k = 0; k < WW_NRULES; k++) {
    ww_json_obj(&j);
    ww_json_kstr(&j, "rule", ww_rules[k].id);
    ww_json_kstr(&j, "title", ww_rules[k].title);
    ww_json_end_obj(&j);
  }
  ww_json_end_arr(&j);
}

static const struct {
  const char *uri, *name, *description;
  void (*write)(const ww_mcp *m, ww_buf *out);
} tables[] = {
    {"warpwise://metrics", "metrics",
     "Every metric of a report: name, unit, meaning, the profilers' counters behind it",
     write_metrics},
    {"warpwise://rules", "rules", "What explain can find: the rules and their titles", write_rules},
    {GPUS, "gpus", "The GPUs that can be asked for", write_gpu_list},
};
#define NTABLES (sizeof tables / sizeof tables[0])

static void write_resource(ww_json *j, const char *uri, const char *name, const char *description) {
  ww_json_obj(j);
  ww_json_kstr(j, "uri", uri);
  ww_json_kstr(j, "name", name);
  ww_json_kstr(j, "description", description);
  ww_json_kstr(j, "mimeType", "application/json");
  ww_json_end_obj(j);
}

void ww_mcp_list_resources(void *ctx, ww_rpc_call *c) {
  const ww_mcp *m = ((ww_mcp_peer *)ctx)->m;
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(m->o.w, &g);
  ww_buf b = {0};
  ww_json j;
  ww_mcp_begin_result(&j, &b);
  ww_json_key(&j, "resources");
  ww_json_arr(&j);
  for (size_t k = 0; k < NTABLES; k++)
    write_resource(&j, tables[k].uri, tables[k].name, tables[k].description);
  for (uint32_t k = 0; k < n; k++)
    write_resource(&j, ww_fmt(ww_rpc_arena(c), GPUS "/%s", g[k].name), g[k].name,
                   ww_fmt(ww_rpc_arena(c), "%s: the figures that predictions use", g[k].full_name));
  ww_json_end_arr(&j);
  ww_mcp_end_result(c, &j, &b, true);
}

void ww_mcp_list_templates(void *peer, ww_rpc_call *c) {
  ww_buf b = {0};
  ww_json j;
  (void)peer;
  ww_mcp_begin_result(&j, &b);
  ww_json_key(&j, "resourceTemplates");
  ww_json_arr(&j);
  ww_json_obj(&j);
  ww_json_kstr(&j, "uriTemplate", GPUS "/{name}");
  ww_json_kstr(&j, "name", "gpu");
  ww_json_kstr(&j, "description", "One GPU: clocks, caches, bandwidths, latencies, issue rates");
  ww_json_kstr(&j, "mimeType", "application/json");
  ww_json_end_obj(&j);
  ww_json_end_arr(&j);
  ww_mcp_end_result(c, &j, &b, true);
}

static bool read_uri(const ww_mcp *m, const char *uri, ww_buf *out) {
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(m->o.w, &g);
  for (size_t k = 0; k < NTABLES; k++)
    if (!strcmp(uri, tables[k].uri)) {
      tables[k].write(m, out);
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
  const cJSON *uri = cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "uri");
  ww_buf text = {0}, b = {0};
  ww_json j;
  if (!cJSON_IsString(uri) || !read_uri(((ww_mcp_peer *)ctx)->m, uri->valuestring, &text)) {
    ww_buf data = {0};
    ww_mcp_begin_result(&j, &data);
    ww_json_kstr(&j, "uri", cJSON_IsString(uri) ? uri->valuestring : NULL);
    ww_json_end_obj(&j);
    ww_rpc_error(c, WW_MCP_BAD_PARAMS, "Resource not found; resources/list has what there is",
                 data.s);
    ww_buf_free(&data);
    return;
  }
  ww_mcp_begin_result(&j, &b);
  ww_json_key(&j, "contents");
  ww_json_arr(&j);
  ww_json_obj(&j);
  ww_json_kstr(&j, "uri", uri->valuestring);
  ww_json_kstr(&j, "mimeType", "application/json");
  ww_json_kstr(&j, "text", text.s);
  ww_json_end_obj(&j);
  ww_json_end_arr(&j);
  ww_mcp_end_result(c, &j, &b, true);
  ww_buf_free(&text);
}

/* ---- prompts ---- */

static const char *const prompt_args[][2] = {{"file", "path of the source"},
                                             {"kernel", "which kernel; else every one of the file"},
                                             {"gpu", "which GPU; else h200"}};
#define NARGS (sizeof prompt_args / sizeof prompt_args[0])

static const struct {
  const char *name, *title, *description, *text; /* %s: the file, the kernel in words, the GPU */
} prompts[] = {
    {"why_slow", "Why is this kernel slow?",
     "Explains what limits a kernel and what to change first",
     "Call the explain tool for %s%s on %s. Say in plain words what bounds the kernel, which "
     "source lines cost most and why, and which change would gain most, "
     "with the predicted speed-up and its interval. Name what was assumed about the launch. Change "
     "no file."},
    {"make_faster", "Make this kernel faster",
     "Edits a kernel step by step, each step checked by a prediction",
     "Make %s%s faster on %s. Call explain, take the finding with the largest speed-up, edit the "
     "source so that the results stay the same, and call compare with "
     "the old text as source and the new one as other_source. Keep the edit only where the verdict "
     "is faster. Repeat until no finding promises more than 5 %%, "
     "then show the first and the last predicted time."},
};
#define NPROMPTS (sizeof prompts / sizeof prompts[0])

void ww_mcp_list_prompts(void *peer, ww_rpc_call *c) {
  ww_buf b = {0};
  ww_json j;
  (void)peer;
  ww_mcp_begin_result(&j, &b);
  ww_json_key(&j, "prompts");
  ww_json_arr(&j);
  for (size_t k = 0; k < NPROMPTS; k++) {
    ww_json_obj(&j);
    ww_json_kstr(&j, "name", prompts[k].name);
    ww_json_kstr(&j, "title", prompts[k].title);
    ww_json_kstr(&j, "description", prompts[k].description);
    ww_json_key(&j, "arguments");
    ww_json_arr(&j);
    for (size_t i = 0; i < NARGS; i++) {
      ww_json_obj(&j);
      ww_json_kstr(&j, "name", prompt_args[i][0]);
      ww_json_kstr(&j, "description", prompt_args[i][1]);
      ww_json_kbool(&j, "required", i == 0);
      ww_json_end_obj(&j);
    }
    ww_json_end_arr(&j);
    ww_json_end_obj(&j);
  }
  ww_json_end_arr(&j);
  ww_mcp_end_result(c, &j, &b, true);
}

static const char *argument(ww_rpc_call *c, size_t k) {
  const cJSON *args = cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "arguments");
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(args, prompt_args[k][0]);
  return cJSON_IsString(v) && v->valuestring[0] ? v->valuestring : NULL;
}

void ww_mcp_get_prompt(void *peer, ww_rpc_call *c) {
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "name");
  const char *file = argument(c, 0), *kernel = argument(c, 1), *gpu = argument(c, 2);
  ww_buf b = {0};
  ww_json j;
  size_t at = 0;
  (void)peer;
  while (at < NPROMPTS &&
         (!cJSON_IsString(name) || strcmp(prompts[at].name, name->valuestring) != 0))
    at++;
  if (at == NPROMPTS || !file) {
    ww_rpc_error(c, WW_MCP_BAD_PARAMS,
                 at == NPROMPTS ? "Unknown prompt; prompts/list has what there is"
                                : "the prompt needs `file`",
                 NULL);
    return;
  }
  const char *which = kernel ? ww_fmt(ww_rpc_arena(c), ", kernel %s,", kernel) : "";
  ww_buf text = {0};
  ww_buf_fmt(&text, prompts[at].text, file, which, gpu ? gpu : "h200");
  ww_mcp_begin_result(&j, &b);
  ww_json_kstr(&j, "description", prompts[at].description);
  ww_json_key(&j, "messages");
  ww_json_arr(&j);
  ww_json_obj(&j);
  ww_json_kstr(&j, "role", "user");
  ww_json_key(&j, "content");
  ww_json_obj(&j);
  ww_json_kstr(&j, "type", "text");
  ww_json_kstr(&j, "text", text.s);
  ww_json_end_obj(&j);
  ww_json_end_obj(&j);
  ww_json_end_arr(&j);
  ww_mcp_end_result(c, &j, &b, false);
  ww_buf_free(&text);
}

/* Names of GPUs, for the prompts' argument and the template's variable. */
void ww_mcp_complete(void *ctx, ww_rpc_call *c) {
  const cJSON *given = cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "argument"),
              *name = cJSON_GetObjectItemCaseSensitive(given, "name"),
              *value = cJSON_GetObjectItemCaseSensitive(given, "value");
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(((ww_mcp_peer *)ctx)->m->o.w, &g);
  ww_buf b = {0};
  ww_json j;
  if (!cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "ref")) ||
      !cJSON_IsString(name) || !cJSON_IsString(value)) {
    ww_rpc_error(c, WW_MCP_BAD_PARAMS, "completion needs ref and argument with name and value",
                 NULL);
    return;
  }
  bool gpu = !strcmp(name->valuestring, "gpu") || !strcmp(name->valuestring, "name");
  ww_mcp_begin_result(&j, &b);
  ww_json_key(&j, "completion");
  ww_json_obj(&j);
  ww_json_key(&j, "values");
  ww_json_arr(&j);
  for (uint32_t k = 0; gpu && k < n && k < 100; k++)
    if (ww_starts(g[k].name, value->valuestring))
      ww_json_str(&j, g[k].name);
  ww_json_end_arr(&j);
  ww_json_kbool(&j, "hasMore", false);
  ww_json_end_obj(&j);
  ww_mcp_end_result(c, &j, &b, false);
}
