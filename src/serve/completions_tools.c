/* completions_tools.c - tools in the prompt, calls out of the answer. */
#include "completions_tools.h"

#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "schema.h"

#define MOST_TOOLS 128

static const cJSON *member(const cJSON *o, const char *name) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, name);
  return cJSON_IsNull(v) ? NULL : v;
}

static const char *text_of(const cJSON *o, const char *name) {
  const cJSON *v = member(o, name);
  return cJSON_IsString(v) ? v->valuestring : NULL;
}

/* ---- the request ---- */

typedef struct {
  const cJSON *tools;
  const char *only; /* the one that must be called; NULL: any */
  bool must;
  ww_arena *a;
} choice;

static bool is_offered(const choice *c, const cJSON *tool) {
  const char *name = text_of(member(tool, "function"), "name");
  return !c->only || (name && !strcmp(name, c->only));
}

/* {"name":"x","arguments":SCHEMA}; `loose`: any object in the place of its schema. */
static void write_call(const cJSON *tool, bool loose, ww_json *j) {
  const cJSON *f = member(tool, "function");
  const cJSON *schema = member(f, "parameters");
  ww_json_put(
      j, "{type:'object',properties:{name:{const:%s},arguments:", text_of(f, "name"));
  if (schema && !loose)
    ww_json_copy(schema, j);
  else
    ww_json_put(j, "{type:'object'}");
  ww_json_put(j, "},required:['name','arguments'],additionalProperties:false}");
}

static ww_status one_grammar(const cJSON *tool, bool loose, ww_err *e) {
  ww_grammar *g = NULL;
  ww_json j = {0};
  write_call(tool, loose, &j);
  ww_status st = ww_grammar_of_schema(j.own.s, j.own.n, &g, e);
  ww_grammar_free(g);
  ww_buf_free(&j.own);
  return st;
}

/* A schema that cannot be followed leaves its tool's arguments to the model. */
static ww_status make_grammar(const choice *c, ww_grammar **out, ww_err *e) {
  const cJSON *tool;
  ww_json j = {0};
  ww_json_put(&j, "{anyOf:[");
  cJSON_ArrayForEach(tool, c->tools) {
    ww_err ignored;
    if (is_offered(c, tool))
      write_call(tool, one_grammar(tool, false, &ignored) != WW_OK, &j);
  }
  if (!c->must)
    ww_json_put(&j, "{type:'object',properties:{content:{type:'string'}},"
                    "required:['content'],additionalProperties:false}");
  ww_json_put(&j, "]}");
  ww_status st = ww_grammar_of_schema(j.own.s, j.own.n, out, e);
  ww_buf_free(&j.own);
  return st;
}

static const char *make_prompt(const choice *c) {
  const cJSON *tool;
  ww_buf b = {0};
  ww_buf_puts(&b, "\nTools. To call one, answer with one JSON object: "
                  "{\"name\":NAME,\"arguments\":{..}}");
  ww_buf_puts(&b, c->must ? ".\n" : "; to say something: {\"content\":TEXT}.\n");
  cJSON_ArrayForEach(tool, c->tools) {
    const cJSON *f = member(tool, "function");
    const char *what = text_of(f, "description");
    if (!is_offered(c, tool))
      continue;
    ww_json j = {0};
    ww_json_copy(member(f, "parameters"), &j);
    ww_buf_fmt(&b, "- %s: %s %s\n", text_of(f, "name"), what ? what : "",
               member(f, "parameters") ? j.own.s : "");
    ww_buf_free(&j.own);
  }
  return ww_buf_text(&b, c->a);
}

static ww_status check_tools(const cJSON *tools, ww_err *e) {
  const cJSON *tool;
  if (!cJSON_IsArray(tools) || cJSON_GetArraySize(tools) > MOST_TOOLS)
    return ww_fail(e, WW_EUSAGE, "`tools` must be a list of at most %d", MOST_TOOLS);
  cJSON_ArrayForEach(tool, tools) {
    const char *name = text_of(member(tool, "function"), "name");
    const cJSON *schema = member(member(tool, "function"), "parameters");
    if (!name || !*name || (schema && !cJSON_IsObject(schema)))
      return ww_fail(e, WW_EUSAGE,
                     "each of `tools` is {\"type\":\"function\",\"function\":{\"name\","
                     "\"description\",\"parameters\"}}");
  }
  return WW_OK;
}

/* WW_OK with *none: there is nothing to call. */
static ww_status read_choice(const cJSON *request, choice *c, bool *none, ww_err *e) {
  const cJSON *given = member(request, "tool_choice");
  const char *word = cJSON_IsString(given) ? given->valuestring : "auto";
  const cJSON *tool;
  c->only = text_of(member(given, "function"), "name");
  c->must = c->only || !strcmp(word, "required");
  *none = !strcmp(word, "none");
  bool known = !c->only;
  cJSON_ArrayForEach(tool, c->tools) known |= c->only && is_offered(c, tool);
  if (known &&
      (c->only || (!cJSON_IsObject(given) && ww_is_one_of("auto|none|required", word))))
    return WW_OK;
  return ww_fail(e, WW_EUSAGE,
                 "`tool_choice` must be auto, none, required, or one of "
                 "`tools` by its name");
}

ww_status
ww_chat_tools_read(const cJSON *request, ww_arena *a, ww_chat_tools *out, ww_err *e) {
  choice c = {.tools = member(request, "tools"), .a = a};
  bool none;
  *out = (ww_chat_tools){0};
  if (member(request, "functions"))
    return ww_fail(e, WW_EUSAGE, "`functions` are called `tools` by now");
  if (!c.tools || !cJSON_GetArraySize(c.tools))
    return WW_OK;
  ww_status st = check_tools(c.tools, e);
  if (!st)
    st = read_choice(request, &c, &none, e);
  if (st || none)
    return st;
  out->prompt = make_prompt(&c);
  return make_grammar(&c, &out->grammar, e);
}

/* ---- answers ---- */

void ww_chat_tools_said(const char *text, ww_arena *a, ww_chat_said *out) {
  ww_err ignored;
  cJSON *o = ww_json_read(text, strlen(text), &ignored);
  const char *content = text_of(o, "content");
  *out = (ww_chat_said){.name = ww_json_text(o, "name", a)};
  if (out->name) {
    ww_json j = {0};
    ww_json_copy(member(o, "arguments"), &j);
    out->arguments = ww_buf_text(&j.own, a);
  } else /* one that was cut off is handed over as it is */
    out->content = content ? ww_strdup(a, content) : text;
  cJSON_Delete(o);
}

const char *ww_chat_tools_calls(const cJSON *message, ww_arena *a) {
  const cJSON *v;
  ww_buf b = {0};
  cJSON_ArrayForEach(v, member(message, "tool_calls")) {
    const cJSON *f = member(v, "function");
    const char *name = text_of(f, "name");
    const char *args = text_of(f, "arguments");
    ww_json j = {0};
    ww_json_put(&j, "{name:%s,arguments:", name ? name : "");
    cJSON *o = args ? ww_json_read(args, strlen(args), &(ww_err){0}) : NULL;
    ww_json_copy(o, &j);
    ww_json_put(&j, "}");
    ww_buf_fmt(&b, "%s%s", b.n ? "\n" : "", j.own.s);
    cJSON_Delete(o);
    ww_buf_free(&j.own);
  }
  return b.n ? ww_buf_text(&b, a) : NULL;
}

static const char *called_name(const cJSON *messages, const char *id) {
  const cJSON *m;
  const cJSON *v;
  cJSON_ArrayForEach(m, messages) {
    cJSON_ArrayForEach(v, member(m, "tool_calls")) {
      const char *its = text_of(v, "id");
      if (its && id && !strcmp(its, id))
        return text_of(member(v, "function"), "name");
    }
  }
  return NULL;
}

const char *ww_chat_tools_result(const cJSON *messages,
                                 const cJSON *message,
                                 const char *content,
                                 ww_arena *a) {
  const char *name = called_name(messages, text_of(message, "tool_call_id"));
  return ww_fmt(a, "Result of %s:\n%s", name ? name : "the call", content);
}
