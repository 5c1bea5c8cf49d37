/* schema.c - parts of JSON Schemas, from words and lines. */
#include "schema.h"

bool ww_is_one_of(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *p = list; p; p = strchr(p, '|')) {
    p += *p == '|';
    if (strcspn(p, "|") == n && !memcmp(p, word, n))
      return true;
  }
  return false;
}

void ww_json_words(ww_json *j,
                   const char *name,
                   const char *list,
                   const char *between) {
  ww_json_put(j, "%s:[", name);
  for (const char *p = list; *p;) {
    char word[64];
    size_t n = strcspn(p, between);
    snprintf(word, sizeof word, "%.*s", (int)n, p);
    ww_json_str(j, word);
    p += n + (p[n] == *between);
  }
  ww_json_end_arr(j);
}

void ww_schema_one_of(ww_json *j, const char *list) {
  ww_json_words(j, "enum", list, "|");
}

void ww_schema_properties(ww_json *j, const char *lines) {
  for (const char *p = lines; p; p = strchr(p, '\n')) {
    char name[32];
    char type[16];
    char meaning[300] = "";
    p += *p == '\n';
    sscanf(p, "%31s %15s%*[ ]%299[^\n]", name, type, meaning);
    bool strings = !strcmp(type, "strings");
    if (strings)
      strcpy(type, "array");
    ww_json_put(j, "%s:{type?:%s,description?:%s", name,
                strcmp(type, "any") ? type : NULL, *meaning ? meaning : NULL);
    ww_json_put(j, strings ? "items:{type:'string'}}" : "}");
  }
}

const char *ww_schema_meaning(ww_metric m, char text[512]) {
  snprintf(text, 512, "%s [%s]", ww_metrics[m].meaning, ww_metrics[m].unit);
  return text;
}

void ww_roofs_members(const ww_roofs *r, ww_json *j) {
  ww_json_put(
      j, "dram_gbps?:%g,l2_gbps?:%g,fp64_gflops?:%g,fp32_gflops?:%g,tensor_gflops?:%g",
      r->v[WW_ROOF_DRAM], r->v[WW_ROOF_L2], r->v[WW_ROOF_FP64], r->v[WW_ROOF_FP32],
      r->v[WW_ROOF_TENSOR]);
}

const ww_gpu *ww_gpu_of(const ww_query *w, const char *name) {
  const ww_gpu *g;
  uint32_t n = ww_query_gpus(w, &g);
  for (uint32_t k = 0; name && k < n; k++)
    if (!strcmp(g[k].name, name))
      return &g[k];
  return NULL;
}
