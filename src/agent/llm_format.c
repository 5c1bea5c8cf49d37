/* llm_format.c - questions and answers in the form of OpenAI's chat completions, with
 * tools of the interface's own or in plain text. */
#include <math.h>

#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "llm.h"

#define MOST_TOKENS 1e12 /* of an answer; sums of them do not overflow */

/* ---- questions ---- */

static void write_native(const ww_message *m, ww_json *j) {
  ww_json_put(j, "{role:%s", m->role);
  if (m->answers && !strcmp(m->role, "tool"))
    ww_json_put(j, "tool_call_id:%s", m->answers->id ? m->answers->id : "");
  ww_json_put(j, "content:%s", m->text ? m->text : m->ncalls ? NULL : "");
  if (m->ncalls) {
    ww_json_put(j, "tool_calls:[");
    for (uint32_t k = 0; k < m->ncalls; k++)
      ww_json_put(j, "{id:%s,type:'function',function:{name:%s,arguments:%s}}",
                  m->calls[k].id, m->calls[k].name, m->calls[k].arguments);
    ww_json_end_arr(j);
  }
  ww_json_end_obj(j);
}

/* The tools are part of the system message. */
static void write_plain(const ww_message *m, const ww_llm_question *q, ww_json *j) {
  ww_buf text = {0};
  ww_buf_puts(&text, m->text ? m->text : "");
  if (!strcmp(m->role, "system") && q->plain_tools)
    ww_buf_puts(&text, q->plain_tools);
  ww_json_put(j, "{role:%s,content:%s}", m->role, text.s);
  ww_buf_free(&text);
}

void ww_llm_write(const ww_llm_question *q, const ww_llm_style *s, ww_json *j) {
  ww_json_put(j, "{model?:%s,messages:[", s->model);
  for (uint32_t k = 0; k < q->n; k++)
    if (s->plain)
      write_plain(&q->v[k], q, j);
    else
      write_native(&q->v[k], j);
  ww_json_end_arr(j);
  if (!s->plain && q->tools) {
    ww_json_key(j, "tools");
    ww_json_raw(j, q->tools);
    ww_json_put(j, "tool_choice:%s", q->must ? "required" : "auto");
  }
  if (s->temperature >= 0)
    ww_json_put(j, "temperature:%g", s->temperature);
  ww_json_put(j, "max_tokens?:%u,stream:false}", s->most);
}

/* ---- answers ---- */

static const cJSON *member(const cJSON *o, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(o, name);
}

static const char *text_in(const cJSON *v, ww_arena *a) {
  if (cJSON_IsString(v))
    return ww_strdup(a, v->valuestring);
  if (!cJSON_IsObject(v) && !cJSON_IsArray(v))
    return NULL;
  ww_json j = {0};
  ww_json_copy(v, &j);
  return ww_buf_text(&j.own, a);
}

/* An answer that is one object with a name: small models leave out the fence. */
static bool bare_call(const char *text, ww_arena *a, ww_tool_call *out) {
  ww_err ignored;
  cJSON *o = text[strspn(text, " \n")] == '{'
                 ? ww_json_read(text, strlen(text), &ignored)
                 : NULL;
  const char *name = text_in(member(o, "name"), a);
  const char *args = text_in(member(o, "arguments"), a);
  cJSON_Delete(o);
  *out = (ww_tool_call){.name = name, .arguments = args ? args : "{}"};
  return name;
}

uint32_t ww_llm_calls_in(const char *text, ww_arena *a, ww_tool_call *out) {
  uint32_t n = 0;
  ww_err ignored;
  if (bare_call(text, a, out))
    return 1;
  for (const char *p = text; n < WW_LLM_MOST_CALLS && (p = strstr(p, "```tool"));) {
    const char *end = strstr(p += 7, "```");
    if (!end)
      break;
    const char *block = ww_strndup(a, p, end - p);
    cJSON *o = ww_json_read(block, strlen(block), &ignored);
    const cJSON *args = member(o, "arguments");
    const char *name = text_in(member(o, "name"), a);
    /* what cannot be read is a call all the same: its result says what is wrong */
    out[n++] = (ww_tool_call){.name = name ? name : "?",
                              .arguments = !o     ? block
                                           : args ? text_in(args, a)
                                                  : "{}"};
    cJSON_Delete(o);
    p = end + 3;
  }
  return n;
}

/* As it would be written here: a letter by its number hides nothing from a search. */
static const char *plain_json(const char *text, ww_arena *a) {
  ww_err ignored;
  cJSON *o = text ? ww_json_read(text, strlen(text), &ignored) : NULL;
  const char *out = cJSON_IsObject(o) ? text_in(o, a) : text;
  cJSON_Delete(o);
  return out;
}

static uint32_t native_calls(const cJSON *list, ww_arena *a, ww_tool_call *out) {
  uint32_t n = 0;
  const cJSON *v;
  cJSON_ArrayForEach(v, list) {
    const cJSON *f = member(v, "function");
    const char *name = text_in(member(f, "name"), a);
    const char *args = plain_json(text_in(member(f, "arguments"), a), a);
    const char *id = text_in(member(v, "id"), a);
    if (n == WW_LLM_MOST_CALLS)
      break;
    out[n] = (ww_tool_call){.id = id ? id : ww_fmt(a, "call_%u", n),
                            .name = name ? name : "?",
                            .arguments = args ? args : "{}"};
    n++;
  }
  return n;
}

ww_status
ww_llm_read(const char *json, size_t n, ww_arena *a, ww_llm_answer *out, ww_err *e) {
  cJSON *o = ww_json_read(json, n, e);
  const cJSON *choices = member(o, "choices");
  const cJSON *m = member(cJSON_IsArray(choices) ? choices->child : NULL, "message");
  ww_tool_call *calls = WW_NEWN(a, ww_tool_call, WW_LLM_MOST_CALLS);
  ww_status st = WW_OK;
  *out = (ww_llm_answer){.message = {.role = "assistant", .calls = calls}};
  if (!o)
    st = ww_fail(e, WW_EDATA, "the endpoint's answer is no JSON");
  else if (!cJSON_IsObject(m))
    st = ww_fail(e, WW_EDATA, "the endpoint's answer has no choices[0].message");
  else {
    out->message.text = text_in(member(m, "content"), a);
    out->message.ncalls = native_calls(member(m, "tool_calls"), a, calls);
    if (!out->message.ncalls && out->message.text) {
      out->message.ncalls = ww_llm_calls_in(out->message.text, a, calls);
      out->plain = out->message.ncalls > 0;
    }
    const cJSON *used = member(member(o, "usage"), "total_tokens");
    double n_used = cJSON_IsNumber(used) ? used->valuedouble : 0;
    out->tokens = n_used > 0 ? fmin(n_used, MOST_TOKENS) : 0;
  }
  cJSON_Delete(o);
  return st;
}

const char *ww_llm_error_in(const char *json, size_t n, ww_arena *a) {
  ww_err ignored;
  cJSON *o = ww_json_read(json, n, &ignored);
  const cJSON *error = member(cJSON_IsArray(o) ? o->child : o, "error");
  const cJSON *message = member(error, "message");
  const char *out = text_in(message                 ? message
                            : cJSON_IsString(error) ? error
                                                    : NULL,
                            a);
  cJSON_Delete(o);
  return out;
}
