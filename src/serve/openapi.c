/* openapi.c - the OpenAPI 3.1 document, from the tables that requests are read by and
 * reports are written by. */
#include "api_int.h"

#include <ctype.h>

#define STRINGS "type:'array',items:{type:'string'}"

static void member_schema(const ww_member *m, ww_json *j) {
  ww_json_put(j, "%s:{description:%s", m->name, m->meaning);
  switch (m->kind) {
  case WW_MEMBER_TEXT:
    ww_json_put(j, "type:'string'");
    break;
  case WW_MEMBER_TEXTS:
    ww_json_put(j, STRINGS);
    break;
  case WW_MEMBER_COUNT:
    ww_json_put(j, "type:'integer',minimum:0");
    break;
  case WW_MEMBER_SPEC:
    ww_json_put(j, "oneOf:[{type:'string'},{type:'object'}]");
    break;
  case WW_MEMBER_NAMES:
    ww_json_put(j, "oneOf:[{type:'string'},{" STRINGS "}]");
    break;
  }
  if (m->one_of)
    ww_schema_one_of(j, m->one_of);
  ww_json_end_obj(j);
}

static void request_schema(const ww_route *r, ww_json *j) {
  ww_json_put(j, "{type:'object',additionalProperties:false,properties:{");
  for (const ww_member *m = ww_api_members; m->name; m++)
    if (m->group & r->groups)
      member_schema(m, j);
  ww_json_end_obj(j);
  if (r->groups & WW_IN_SWEEP)
    ww_json_put(j, "required:['sweep']");
  if (r->groups & WW_IN_FILE)
    ww_json_put(j, "required:['file']");
  if (r->groups & WW_IN_SOURCE)
    ww_json_put(j, "anyOf:[{required:['source']},{required:['file']}]");
  ww_json_end_obj(j);
}

static void answers(ww_json *j,
                    const char *meaning,
                    const char *media,
                    const char *schema,
                    const char *otherwise) {
  ww_json_put(j, "responses:{200:{description:%s,content:{%s:{", meaning, media);
  if (schema) {
    char path[64];
    snprintf(path, sizeof path, "#/components/schemas/%s", schema);
    ww_json_put(j, "schema:{$ref:%s}", path);
  }
  ww_json_put(
      j,
      "}}},default:{description:%s,"
      "content:{application/json:{schema:{$ref:'#/components/schemas/Error'}}}}}",
      otherwise);
}

#define REQUEST "requestBody:{required:true,content:{application/json:{schema:"

static void operation(const ww_route *r, ww_json *j) {
  char id[64];
  size_t n = 0;
  for (const char *p = r->path; *p && n < sizeof id - 1; p++)
    if (isalnum((unsigned char)*p))
      id[n++] = *p;
  id[n] = 0;
  ww_json_put(j, "%s:{%s:{operationId:%s,summary:%s", r->path,
              !strcmp(r->method, "GET") ? "get" : "post", id, r->summary);
  if (r->groups) {
    ww_json_put(j, REQUEST);
    request_schema(r, j);
    ww_json_put(j, "}}}");
  }
  answers(j, "the answer", r->type, r->answer,
          "no answer, and why: 400 the request, 401 the token, 403 another site's, 404 "
          "no such "
          "file, 413 too large, 422 this source or launch cannot be answered, 503 busy "
          "or over the "
          "time");
  ww_json_put(j, "}}");
}

/* ---- the language model's routes, which completions.c answers ---- */

static const char lm_members[] =
    "model string the name in /v1/models, or nothing\n"
    "max_completion_tokens integer 512 unless told; max_tokens is the same\n"
    "max_tokens integer\n"
    "temperature number 0 to 2; 1 unless told, 0: always the likeliest token\n"
    "top_p number 0 to 1\n"
    "top_k integer 0: all\n"
    "seed integer the same seed gives the same text\n"
    "stop any a text, or up to 16, where the answer ends\n"
    "stream boolean as Server-Sent Events, chunk by chunk, `[DONE]` last\n"
    "stream_options object include_usage: a last chunk tells the tokens\n"
    "response_format object type text, json_object, or json_schema with "
    "json_schema.schema: "
    "nothing else can be written";

/* `required`: the line of the member that a request must have; NULL: it has no body. */
static void lm_operation(const char *path,
                         const char *id,
                         const char *summary,
                         const char *required,
                         ww_json *j) {
  ww_json_put(j, "%s:{%s:{operationId:%s,summary:%s", path, required ? "post" : "get",
              id, summary);
  if (required) {
    char name[16];
    sscanf(required, "%15s", name);
    ww_json_put(j, REQUEST "{type:'object',required:[%s],properties:{", name);
    ww_schema_properties(j, required);
    ww_schema_properties(j, lm_members);
    ww_json_put(j, "}}}}}");
  }
  answers(j, "as OpenAI's interface has it", "application/json", NULL,
          "no answer, and why: 400 the request, 401 the token, 404 another model, 503 "
          "the server "
          "has none");
  ww_json_put(j, "}}");
}

static void language_model(ww_json *j) {
  lm_operation("/v1/models", "v1models",
               "The language model that is served, for OpenAI's clients", NULL, j);
  lm_operation("/v1/chat/completions", "v1chatcompletions",
               "The model's answer to messages, whole or as a stream",
               "messages array of {role, content}: system, developer, user or "
               "assistant; content "
               "is a text, or parts of type text",
               j);
  lm_operation("/v1/completions", "v1completions", "How the model goes on with a text",
               "prompt any a text, or an array of tokens", j);
}

/* ---- schemas of answers ---- */

static void object(ww_json *j, const char *name, const char *lines) {
  ww_json_put(j, "%s:{type:'object',properties:{", name);
  ww_schema_properties(j, lines);
  ww_json_put(j, "}}");
}

static void metrics(ww_json *j) {
  object(j, "Quantity", "value number\nlow number\nhigh number");
  ww_json_put(j, "Metrics:{type:'object',properties:{");
  for (ww_metric k = 0; k < WW_NMETRICS; k++) {
    char text[512];
    ww_json_put(j, "%s:{description:%s,$ref:'#/components/schemas/Quantity'}",
                ww_metrics[k].name, ww_schema_meaning(k, text));
  }
  ww_json_put(j, "}}");
}

static void report(ww_json *j) {
  ww_json_put(j, "Report:{type:'object',properties:{");
  ww_schema_properties(
      j, "schema_version integer\n"
         "file string\n"
         "kernel string\n"
         "gpu string\n"
         "grade string of the GPU's figures: probed, calibrated, fitted or from paper\n"
         "by string machine or grounded\n"
         "launch object the launch, completed: a launch spec\n"
         "assumed strings\n"
         "assumptions array the same for programs: kind, argument, values");
  ww_json_put(j, "metrics:{$ref:'#/components/schemas/Metrics'}");
  ww_schema_properties(
      j,
      "bottleneck string what limits it, in words\n"
      "findings array of /v1/explain: file, line, rule, message, gain; cause, remedy, "
      "also\n"
      "held string other sizes at which the findings were found too\n"
      "lines array of /v1/explain: file, line, share of the time, instructions, bytes; "
      "sectors_per_request of global accesses, shared_conflict_ways of shared ones\n"
      "machine object all that the time was computed from\n"
      "error object instead of the metrics: code, message");
  ww_json_put(j, "}}");
}

static void schemas(ww_json *j) {
  metrics(j);
  report(j);
  ww_json_put(j, "Reports:{type:'object',properties:{"
                 "reports:{type:'array',items:{$ref:'#/components/schemas/Report'}}");
  ww_schema_properties(
      j, "timing object read_ms, of it clang_ms, host_ms, predict_ms: 0 where it "
         "was known; known: reports that were");
  ww_json_put(j, "}}");
  object(
      j, "Fixes",
      "file string\n"
      "fixes array kernel, rule, line, title, speedup, assumes: what the text cannot "
      "prove, taken: in the patch, launch: it has to change too, edits: begin, end "
      "(bytes), text\n"
      "patch string a unified diff of all that are taken");
  object(j, "Kernels",
         "kernels array name, mangled, file, line, dialect, args, comment, "
         "interpretable, reason, diagnostic: the index of the one that is the reason\n"
         "partial boolean something of the source was left out; diagnostics say what\n"
         "diagnostics array file, line, col, severity, message, cause: the compiler's "
         "words alone");
  object(j, "Gpus",
         "gpus array name, full_name, vendor, architecture, sms, lanes, calibrated, "
         "grade, roofs");
  object(j, "Sweep",
         "kernel string\n"
         "name string what is swept\n"
         "gpus array names\n"
         "points array per value: value, grid and block it was launched with, times: "
         "per GPU us, "
         "low, high, bound, or null; error: why there is none");
  object(
      j, "Files",
      "files array path, bytes\ntruncated boolean there are more than can be listed");
  object(j, "Instructions",
         "kernel string\n"
         "instructions array file, line: where in the source, where that is known; "
         "text: an instruction of the IR that is interpreted, or of PTX\n"
         "truncated boolean there are more than can be listed");
  object(j, "Source", "file string\ntext string");
  object(j, "Health", "status string\nversion string");
  object(j, "Error",
         "error object code, message; file, line, col where they are known");
}

void ww_api_openapi(ww_buf *out) {
  ww_json j = {.out = out};
  ww_json_put(&j,
              "{openapi:'3.1.0',info:{title:'Warpwise',version:%s,"
              "description:'What a kernel will do to a GPU that is not here.'},paths:{",
              WW_VERSION);
  for (const ww_route *r = ww_api_routes; r->method; r++)
    operation(r, &j);
  language_model(&j);
  ww_json_put(&j, "},components:{schemas:{");
  schemas(&j);
  ww_json_put(&j, "},securitySchemes:{token:{type:'http',scheme:'bearer'}}}}");
  ww_buf_puts(out, "\n");
}
