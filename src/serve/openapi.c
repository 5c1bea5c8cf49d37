/* openapi.c - the OpenAPI 3.1 document, from the tables that requests are read by and reports are
 * written by. */
#include "api_int.h"

#include <ctype.h>

#include "../report/report.h"

static void type_of(ww_json *j, const char *type) {
  ww_json_kstr(j, "type", type);
}

static void one_of(ww_json *j, const char *list) {
  ww_json_key(j, "enum");
  ww_json_arr(j);
  for (const char *p = list; *p;) {
    char word[32];
    size_t n = strcspn(p, "|");
    snprintf(word, sizeof word, "%.*s", (int)n, p);
    ww_json_str(j, word);
    p += n + (p[n] == '|');
  }
  ww_json_end_arr(j);
}

static void strings(ww_json *j) {
  type_of(j, "array");
  ww_json_key(j, "items");
  ww_json_obj(j);
  type_of(j, "string");
  ww_json_end_obj(j);
}

static void member_schema(const ww_member *m, ww_json *j) {
  ww_json_obj(j);
  ww_json_kstr(j, "description", m->meaning);
  switch ((ww_member_kind)m->kind) {
  case WW_MEMBER_TEXT:
    type_of(j, "string");
    break;
  case WW_MEMBER_TEXTS:
    strings(j);
    break;
  case WW_MEMBER_COUNT:
    type_of(j, "integer");
    ww_json_kint(j, "minimum", 0);
    break;
  case WW_MEMBER_SPEC:
  case WW_MEMBER_NAMES:
    ww_json_key(j, "oneOf");
    ww_json_arr(j);
    ww_json_obj(j);
    type_of(j, "string");
    ww_json_end_obj(j);
    ww_json_obj(j);
    if (m->kind == WW_MEMBER_NAMES)
      strings(j);
    else
      type_of(j, "object");
    ww_json_end_obj(j);
    ww_json_end_arr(j);
    break;
  }
  if (m->one_of)
    one_of(j, m->one_of);
  ww_json_end_obj(j);
}

static void required(ww_json *j, const char *member) {
  ww_json_key(j, "required");
  ww_json_arr(j);
  ww_json_str(j, member);
  ww_json_end_arr(j);
}

static void request_schema(const ww_route *r, ww_json *j) {
  ww_json_obj(j);
  type_of(j, "object");
  ww_json_kbool(j, "additionalProperties", false);
  ww_json_key(j, "properties");
  ww_json_obj(j);
  for (const ww_member *m = ww_api_members; m->name; m++) {
    if (!(m->group & r->groups))
      continue;
    ww_json_key(j, m->name);
    member_schema(m, j);
  }
  ww_json_end_obj(j);
  if (r->groups & WW_IN_SWEEP)
    required(j, "sweep");
  if (r->groups & WW_IN_FILE)
    required(j, "file");
  if (r->groups & WW_IN_SOURCE) {
    ww_json_key(j, "anyOf");
    ww_json_arr(j);
    static const char *const either[] = {"source", "file"};
    for (int k = 0; k < 2; k++) {
      ww_json_obj(j);
      required(j, either[k]);
      ww_json_end_obj(j);
    }
    ww_json_end_arr(j);
  }
  ww_json_end_obj(j);
}

static void ref(ww_json *j, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "#/components/schemas/%s", name);
  ww_json_obj(j);
  ww_json_kstr(j, "$ref", path);
  ww_json_end_obj(j);
}

static void content(ww_json *j, const char *media, const char *schema) {
  ww_json_key(j, "content");
  ww_json_obj(j);
  ww_json_key(j, media);
  ww_json_obj(j);
  if (schema) {
    ww_json_key(j, "schema");
    ref(j, schema);
  }
  ww_json_end_obj(j);
  ww_json_end_obj(j);
}

static void answers(const ww_route *r, ww_json *j) {
  ww_json_key(j, "responses");
  ww_json_obj(j);
  ww_json_key(j, "200");
  ww_json_obj(j);
  ww_json_kstr(j, "description", "the answer");
  content(j, r->type, r->answer);
  ww_json_end_obj(j);
  ww_json_key(j, "default");
  ww_json_obj(j);
  ww_json_kstr(j, "description",
               "no answer, and why: 400 the request, 401 the token, 403 another site's, 404 no "
               "such file, 413 too large, "
               "422 this source or launch cannot be answered, 503 busy or over the time");
  content(j, "application/json", "Error");
  ww_json_end_obj(j);
  ww_json_end_obj(j);
}

static void operation(const ww_route *r, ww_json *j) {
  char id[64], method[8];
  size_t n = 0;
  for (const char *p = r->path; *p && n < sizeof id - 1; p++)
    if (isalnum((unsigned char)*p))
      id[n++] = *p;
  id[n] = 0;
  snprintf(method, sizeof method, "%s", r->method);
  for (char *p = method; *p; p++)
    *p = (char)tolower((unsigned char)*p);
  ww_json_key(j, r->path);
  ww_json_obj(j);
  ww_json_key(j, method);
  ww_json_obj(j);
  ww_json_kstr(j, "operationId", id);
  ww_json_kstr(j, "summary", r->summary);
  if (r->groups) {
    ww_json_key(j, "requestBody");
    ww_json_obj(j);
    ww_json_kbool(j, "required", true);
    ww_json_key(j, "content");
    ww_json_obj(j);
    ww_json_key(j, "application/json");
    ww_json_obj(j);
    ww_json_key(j, "schema");
    request_schema(r, j);
    ww_json_end_obj(j);
    ww_json_end_obj(j);
    ww_json_end_obj(j);
  }
  answers(r, j);
  ww_json_end_obj(j);
  ww_json_end_obj(j);
}

/* ---- the language model's routes, which completions.c answers ---- */

typedef struct {
  const char *name, *type, *meaning;
  uint8_t in; /* 1: /v1/chat/completions, 2: /v1/completions */
} lm_member;

static const lm_member lm_members[] = {
    {"messages", "array",
     "of {role, content}: system, developer, user or assistant; content is a text, or parts of "
     "type text",
     1},
    {"prompt", NULL, "a text, or an array of tokens", 2},
    {"model", "string", "the name in /v1/models, or nothing", 3},
    {"max_completion_tokens", "integer", "512 unless told; max_tokens is the same", 3},
    {"max_tokens", "integer", NULL, 3},
    {"temperature", "number", "0 to 2; 1 unless told, 0: always the likeliest token", 3},
    {"top_p", "number", "0 to 1", 3},
    {"top_k", "integer", "0: all", 3},
    {"seed", "integer", "the same seed gives the same text", 3},
    {"stop", NULL, "a text, or up to 16, where the answer ends", 3},
    {"stream", "boolean", "as Server-Sent Events, chunk by chunk, `[DONE]` last", 3},
    {"stream_options", "object", "include_usage: a last chunk tells the tokens", 3},
    {"response_format", "object",
     "type text, json_object, or json_schema with json_schema.schema: nothing else can be written",
     3},
    {0},
};

static void lm_request(uint8_t in, ww_json *j) {
  ww_json_key(j, "requestBody");
  ww_json_obj(j);
  ww_json_kbool(j, "required", true);
  ww_json_key(j, "content");
  ww_json_obj(j);
  ww_json_key(j, "application/json");
  ww_json_obj(j);
  ww_json_key(j, "schema");
  ww_json_obj(j);
  type_of(j, "object");
  required(j, in == 1 ? "messages" : "prompt");
  ww_json_key(j, "properties");
  ww_json_obj(j);
  for (const lm_member *m = lm_members; m->name; m++) {
    if (!(m->in & in))
      continue;
    ww_json_key(j, m->name);
    ww_json_obj(j);
    if (m->type)
      type_of(j, m->type);
    if (m->meaning)
      ww_json_kstr(j, "description", m->meaning);
    ww_json_end_obj(j);
  }
  for (int k = 0; k < 5; k++)
    ww_json_end_obj(j);
}

static void lm_operation(const char *path, const char *method, const char *id, const char *summary,
                         uint8_t in, ww_json *j) {
  ww_json_key(j, path);
  ww_json_obj(j);
  ww_json_key(j, method);
  ww_json_obj(j);
  ww_json_kstr(j, "operationId", id);
  ww_json_kstr(j, "summary", summary);
  if (in)
    lm_request(in, j);
  ww_json_key(j, "responses");
  ww_json_obj(j);
  ww_json_key(j, "200");
  ww_json_obj(j);
  ww_json_kstr(j, "description", "as OpenAI's interface has it");
  content(j, "application/json", NULL);
  ww_json_end_obj(j);
  ww_json_key(j, "default");
  ww_json_obj(j);
  ww_json_kstr(j, "description",
               "no answer, and why: 400 the request, 401 the token, 404 another model, 503 the "
               "server has none");
  content(j, "application/json", "Error");
  for (int k = 0; k < 4; k++)
    ww_json_end_obj(j);
}

static void language_model(ww_json *j) {
  lm_operation("/v1/models", "get", "v1models",
               "The language model that is served, for OpenAI's clients", 0, j);
  lm_operation("/v1/chat/completions", "post", "v1chatcompletions",
               "The model's answer to messages, whole or as a stream", 1, j);
  lm_operation("/v1/completions", "post", "v1completions", "How the model goes on with a text", 2,
               j);
}

/* ---- schemas of answers ---- */

static void object(ww_json *j, const char *name) {
  ww_json_key(j, name);
  ww_json_obj(j);
  type_of(j, "object");
  ww_json_key(j, "properties");
  ww_json_obj(j);
}

static void end_object(ww_json *j) {
  ww_json_end_obj(j);
  ww_json_end_obj(j);
}

static void property(ww_json *j, const char *name, const char *type, const char *meaning) {
  ww_json_key(j, name);
  ww_json_obj(j);
  type_of(j, type);
  if (meaning)
    ww_json_kstr(j, "description", meaning);
  ww_json_end_obj(j);
}

static void list_of(ww_json *j, const char *name, const char *schema) {
  ww_json_key(j, name);
  ww_json_obj(j);
  type_of(j, "array");
  ww_json_key(j, "items");
  ref(j, schema);
  ww_json_end_obj(j);
}

static void metrics(ww_json *j) {
  object(j, "Quantity");
  property(j, "value", "number", NULL);
  property(j, "low", "number", NULL);
  property(j, "high", "number", NULL);
  end_object(j);
  object(j, "Metrics");
  for (uint32_t k = 0; k < WW_NMETRICS; k++) {
    char text[512];
    snprintf(text, sizeof text, "%s%s%s%s", ww_metrics[k].meaning,
             ww_metrics[k].unit && *ww_metrics[k].unit ? " [" : "",
             ww_metrics[k].unit ? ww_metrics[k].unit : "",
             ww_metrics[k].unit && *ww_metrics[k].unit ? "]" : "");
    ww_json_key(j, ww_metrics[k].name);
    ww_json_obj(j);
    ww_json_kstr(j, "description", text);
    ww_json_kstr(j, "$ref", "#/components/schemas/Quantity");
    ww_json_end_obj(j);
  }
  end_object(j);
}

static void report(ww_json *j) {
  object(j, "Report");
  property(j, "schema_version", "integer", NULL);
  property(j, "file", "string", NULL);
  property(j, "kernel", "string", NULL);
  property(j, "gpu", "string", NULL);
  property(j, "by", "string", "machine or grounded");
  property(j, "launch", "object", "the launch, completed: a launch spec");
  ww_json_key(j, "assumed");
  ww_json_obj(j);
  strings(j);
  ww_json_end_obj(j);
  ww_json_key(j, "metrics");
  ref(j, "Metrics");
  property(j, "bottleneck", "string", "what limits it, in words");
  property(j, "findings", "array", "of /v1/explain: file, line, rule, message, gain");
  property(j, "lines", "array",
           "of /v1/explain: file, line, share of the time, instructions, bytes; "
           "sectors_per_request of global accesses, "
           "shared_conflict_ways of shared ones");
  property(j, "machine", "object", "all that the time was computed from");
  property(j, "error", "object", "instead of the metrics: code, message");
  end_object(j);
}

static void schemas(ww_json *j) {
  metrics(j);
  report(j);
  object(j, "Reports");
  list_of(j, "reports", "Report");
  property(j, "timing", "object",
           "read_ms, of it clang_ms, host_ms, predict_ms: 0 where it was known; known: reports "
           "that were");
  end_object(j);
  object(j, "Kernels");
  property(j, "kernels", "array",
           "name, mangled, file, line, dialect, args, comment, interpretable, reason");
  property(j, "partial", "boolean", "something of the source was left out; diagnostics say what");
  property(j, "diagnostics", "array", "file, line, col, severity, message");
  end_object(j);
  object(j, "Gpus");
  property(j, "gpus", "array",
           "name, full_name, vendor, architecture, sms, lanes, calibrated, roofs");
  end_object(j);
  object(j, "Sweep");
  property(j, "kernel", "string", NULL);
  property(j, "name", "string", "what is swept");
  property(j, "gpus", "array", "names");
  property(j, "points", "array",
           "per value: value, grid and block it was launched with, times: per GPU us, low, high, "
           "bound, or null; error: why there is none");
  end_object(j);
  object(j, "Files");
  property(j, "files", "array", "path, bytes");
  property(j, "truncated", "boolean", "there are more than can be listed");
  end_object(j);
  object(j, "Source");
  property(j, "file", "string", NULL);
  property(j, "text", "string", NULL);
  end_object(j);
  object(j, "Health");
  property(j, "status", "string", NULL);
  property(j, "version", "string", NULL);
  end_object(j);
  object(j, "Error");
  property(j, "error", "object", "code, message; file, line, col where they are known");
  end_object(j);
}

void ww_api_openapi(ww_buf *out) {
  ww_json j = {0};
  ww_json_begin(&j, out);
  ww_json_obj(&j);
  ww_json_kstr(&j, "openapi", "3.1.0");
  ww_json_key(&j, "info");
  ww_json_obj(&j);
  ww_json_kstr(&j, "title", "Warpwise");
  ww_json_kstr(&j, "version", WW_VERSION);
  ww_json_kstr(&j, "description", "What a kernel will do to a GPU that is not here.");
  ww_json_end_obj(&j);
  ww_json_key(&j, "paths");
  ww_json_obj(&j);
  for (const ww_route *r = ww_api_routes; r->method; r++)
    operation(r, &j);
  language_model(&j);
  ww_json_end_obj(&j);
  ww_json_key(&j, "components");
  ww_json_obj(&j);
  ww_json_key(&j, "schemas");
  ww_json_obj(&j);
  schemas(&j);
  ww_json_end_obj(&j);
  ww_json_key(&j, "securitySchemes");
  ww_json_obj(&j);
  ww_json_key(&j, "token");
  ww_json_obj(&j);
  type_of(&j, "http");
  ww_json_kstr(&j, "scheme", "bearer");
  ww_json_end_obj(&j);
  ww_json_end_obj(&j);
  ww_json_end_obj(&j);
  ww_json_end_obj(&j);
  ww_buf_puts(out, "\n");
}
