/* completions.c - requests of OpenAI's clients answered by a model on this machine's
 * processor.
 *
 * Members that are known and mean something here are obeyed; those that would change
 * the answer and cannot be (n above 1, logprobs, penalties) are refused with a
 * message; others (user, metadata, ...) are passed over, as servers of this interface
 * do. One text is written at a time: the model takes all cores. */
#include "completions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "../base/jsonread.h"
#include "../lm/chat.h"
#include "../lm/generate.h"
#include "completions_tools.h"
#include "schema.h"

#define MOST_STOPS 16
#define DEFAULT_TOKENS 512

struct ww_completions {
  ww_lm *m;
  char *name;
  pthread_mutex_t writing;
  atomic_bool stopping;
  atomic_uint_least64_t served;
  time_t since;
};

typedef struct {
  ww_completions *c;
  ww_http_call *x;
  ww_arena *a;
  bool chat, stream, usage; /* usage: told at the end of a stream too */
  char id[48];
  time_t at;
  ww_tokens prompt;
  ww_generate_options how;
  const char *stops[MOST_STOPS + 1];
  ww_grammar *grammar;
  ww_chat_tools tools;
} request;

ww_status ww_completions_new(const char *path,
                             uint32_t threads,
                             ww_completions **out,
                             ww_err *e) {
  ww_completions *c = ww_xcalloc(1, sizeof *c);
  pthread_mutex_init(&c->writing, NULL);
  c->since = time(NULL);
  ww_status st = WW_OK;
  if (path) {
    st = ww_lm_open(path, &(ww_lm_options){.threads = threads, .weights = WW_NDTYPE},
                    &c->m, e);
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
      n--;
    char *whole = ww_xstrdup(path);
    whole[n] = 0;
    c->name = ww_xstrdup(ww_path_base(whole));
    free(whole);
    if (!st && !ww_lm_tokenizer(c->m))
      st = ww_fail(e, WW_EDATA, "%s has no tokenizer.json", path);
  }
  if (st) {
    ww_completions_free(c);
    return st;
  }
  *out = c;
  return WW_OK;
}

void ww_completions_free(ww_completions *c) {
  if (!c)
    return;
  ww_lm_close(c->m);
  pthread_mutex_destroy(&c->writing);
  free(c->name);
  free(c);
}

void ww_completions_stop(ww_completions *c) {
  atomic_store(&c->stopping, true);
}

/* ---- answers ---- */

#define ERROR "{error:{message:%s,type:%s,param:null,code:null}}"

static void fail(ww_http_call *x, int status, const char *type, const char *message) {
  ww_json j = {0};
  ww_json_put(&j, ERROR, message, type);
  ww_http_json(x, status, &j);
}

static bool refuse(ww_http_call *x, const char *message) {
  fail(x, 400, "invalid_request_error", message);
  return false;
}

static void begin(const request *r, ww_json *j, const char *chat_object) {
  ww_json_put(j, "{id:%s,object:%s,created:%ld,model:%s", r->id,
              r->chat ? chat_object : "text_completion", r->at, r->c->name);
}

static void write_usage(ww_json *j, const ww_generated *g) {
  ww_json_put(j, "usage:{prompt_tokens:%u,completion_tokens:%u,total_tokens:%lu}",
              g->prompt_tokens, g->tokens, (uint64_t)g->prompt_tokens + g->tokens);
}

static const char *finish_name(const ww_generated *g) {
  return g->finish == WW_FINISH_LENGTH ? "length" : "stop";
}

/* One choice: `text` under message, delta or text; finish NULL: not yet. */
static void write_choice(
    const request *r, ww_json *j, const char *text, bool role, const char *finish) {
  ww_json_put(j, "choices:[{index:0");
  if (r->chat)
    ww_json_put(j, "%s:{role?:%s,content?:%s}", r->stream ? "delta" : "message",
                role ? "assistant" : NULL, text);
  else
    ww_json_kstr(j, "text", text ? text : "");
  ww_json_put(j, "logprobs:null,finish_reason:%s}]", finish);
}

/* A call, or a text, out of the object that the model wrote. */
static void write_said(const request *r, ww_json *j, const ww_generated *g) {
  ww_chat_said said;
  ww_chat_tools_said(g->text.s ? g->text.s : "", r->a, &said);
  ww_json_put(j, "choices:[{index:0,%s:{role:'assistant',content:%s",
              r->stream ? "delta" : "message", said.content);
  if (said.name)
    ww_json_put(j,
                "tool_calls:[{index:0,id:%s,type:'function',"
                "function:{name:%s,arguments:%s}}]",
                ww_fmt(r->a, "call_%s", r->id), said.name, said.arguments);
  ww_json_put(j, "},logprobs:null,finish_reason:%s}]",
              said.name ? "tool_calls" : finish_name(g));
}

/* A NUL would end the text for the writer of JSON: it becomes what is no UTF-8. */
static void no_nul(char *s, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (!s[k])
      s[k] = (char)0xff;
}

static void reply_whole(const request *r, const ww_generated *g) {
  ww_json j = {0};
  no_nul(g->text.s, g->text.n);
  begin(r, &j, "chat.completion");
  if (r->tools.prompt)
    write_said(r, &j, g);
  else
    write_choice(r, &j, g->text.s, true, finish_name(g));
  write_usage(&j, g);
  ww_json_end_obj(&j);
  ww_http_json(r->x, 200, &j);
}

/* ---- streams ---- */

static bool send_event(const request *r, ww_json *j) {
  ww_buf *b = &j->own;
  ww_buf_puts(b, "\n\n");
  bool ok = ww_http_write(r->x, b->s, b->n);
  ww_buf_free(b);
  return ok;
}

static ww_json begin_event(void) {
  ww_json j = {0};
  ww_buf_puts(&j.own, "data: ");
  return j;
}

static bool
event(const request *r, const char *text, bool role, const ww_generated *end) {
  ww_json j = begin_event();
  begin(r, &j, "chat.completion.chunk");
  write_choice(r, &j, text, role, end ? finish_name(end) : NULL);
  ww_json_end_obj(&j);
  return send_event(r, &j);
}

static void said_event(const request *r, const ww_generated *g) {
  ww_json j = begin_event();
  no_nul(g->text.s, g->text.n);
  begin(r, &j, "chat.completion.chunk");
  write_said(r, &j, g);
  ww_json_end_obj(&j);
  send_event(r, &j);
}

static void usage_event(const request *r, const ww_generated *g) {
  ww_json j = begin_event();
  begin(r, &j, "chat.completion.chunk");
  ww_json_put(&j, "choices:[]");
  write_usage(&j, g);
  ww_json_end_obj(&j);
  send_event(r, &j);
}

static bool piece(void *ctx, const char *text, size_t n) {
  request *r = ctx;
  if (atomic_load(&r->c->stopping))
    return false;
  if (!r->stream || r->tools.prompt) /* a call is told when it is whole */
    return true;
  char *copy = ww_xmalloc(n + 1);
  memcpy(copy, text, n);
  copy[n] = 0;
  no_nul(copy, n);
  bool ok = event(r, copy, false, NULL);
  free(copy);
  return ok;
}

static void error_event(const request *r, const char *message) {
  ww_json j = begin_event();
  ww_json_put(&j, ERROR, message, "server_error");
  send_event(r, &j);
}

static void
end_answer(const request *r, const ww_generated *g, ww_status st, const char *why) {
  if (st && r->stream)
    error_event(r, why);
  else if (st)
    fail(r->x, st == WW_ELIMIT ? 400 : 500,
         st == WW_ELIMIT ? "invalid_request_error" : "server_error", why);
  else if (!r->stream && g->finish == WW_FINISH_CANCEL)
    fail(r->x, 503, "server_error", "the server ends");
  else if (!r->stream)
    reply_whole(r, g);
  else if (g->finish != WW_FINISH_CANCEL) { /* else nobody reads any more */
    if (r->tools.prompt)
      said_event(r, g);
    else
      event(r, r->chat ? NULL : "", false, g);
    if (r->usage)
      usage_event(r, g);
    ww_http_write(r->x, "data: [DONE]\n\n", 14);
  }
}

static void write_text(request *r) {
  const ww_lm_config *k = ww_lm_config_of(r->c->m);
  ww_lm_session *s = NULL;
  ww_generated g = {0};
  ww_err e = {0};
  uint64_t room = (uint64_t)r->prompt.n + r->how.most;
  if (room > k->context)
    room = k->context;
  if (r->prompt.n >= k->context) {
    char text[160];
    snprintf(text, sizeof text, "the prompt has %u tokens, the model reads %u at most",
             r->prompt.n, k->context);
    refuse(r->x, text);
    return;
  }
  pthread_mutex_lock(&r->c->writing);
  ww_status st = ww_lm_session_new(r->c->m, 1, room, &s, &e);
  bool there = true; /* who asked */
  if (!st && r->stream) {
    ww_http_stream(r->x, 200, "text/event-stream");
    there = event(r, "", r->chat, NULL);
  }
  if (!st && there)
    st = ww_lm_generate(s, r->c->m, 0, r->prompt.v, r->prompt.n, &r->how, &g, &e);
  pthread_mutex_unlock(&r->c->writing);
  if (there)
    end_answer(r, &g, st, e.msg);
  ww_buf_free(&g.text);
  ww_lm_session_free(s);
}

/* ---- requests ---- */

static const cJSON *member(const cJSON *o, const char *name) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, name);
  return cJSON_IsNull(v) ? NULL : v;
}

/* A number in its range; false: something else, which was answered. */
static bool real(request *r,
                 const cJSON *o,
                 const char *name,
                 double low,
                 double high,
                 double *out) {
  const cJSON *v = member(o, name);
  char text[120];
  if (!v)
    return true;
  if (cJSON_IsNumber(v) && v->valuedouble >= low && v->valuedouble <= high) {
    *out = v->valuedouble;
    return true;
  }
  snprintf(text, sizeof text, "`%s` must be a number from %g to %g", name, low, high);
  return refuse(r->x, text);
}

static bool stops(request *r, const cJSON *o) {
  const cJSON *v = member(o, "stop");
  const cJSON *k = cJSON_IsArray(v) ? v->child : v;
  for (uint32_t n = 0; k; k = k == v ? NULL : k->next) {
    if (!cJSON_IsString(k) || n == MOST_STOPS)
      return refuse(r->x, "`stop` must be a text, or up to 16 of them");
    if (*k->valuestring)
      r->stops[n++] = ww_strdup(r->a, k->valuestring);
  }
  r->how.stop = r->stops;
  return true;
}

/* response_format: text, json_object, or json_schema. */
static bool format(request *r, const cJSON *o) {
  const cJSON *f = member(o, "response_format");
  const cJSON *schema = member(member(f, "json_schema"), "schema");
  const cJSON *given = member(f, "type");
  const char *type = cJSON_IsString(given) ? given->valuestring : "";
  ww_err e = {0};
  ww_status st;
  if (!f || !strcmp(type, "text"))
    return true;
  if (!strcmp(type, "json_object"))
    st = ww_grammar_any_json(&r->grammar, &e);
  else if (!strcmp(type, "json_schema") && cJSON_IsObject(schema)) {
    ww_json text = {0};
    ww_json_copy(schema, &text);
    st = ww_grammar_of_schema(text.own.s, text.own.n, &r->grammar, &e);
    ww_buf_free(&text.own);
  } else
    return refuse(r->x,
                  "`response_format` must be {\"type\":\"text\"}, json_object, or "
                  "json_schema with a json_schema.schema");
  if (st)
    return refuse(r->x, e.msg);
  r->how.grammar = r->grammar;
  return true;
}

static bool tools(request *r, const cJSON *o) {
  ww_err e = {0};
  if (!r->chat)
    return true;
  if (ww_chat_tools_read(o, r->a, &r->tools, &e))
    return refuse(r->x, e.msg);
  if (r->tools.prompt && r->grammar)
    return refuse(r->x, "`tools` and `response_format` exclude one another");
  if (r->tools.prompt)
    r->how.grammar = r->tools.grammar;
  return true;
}

/* Left out, or that number. */
static bool is_number(const cJSON *o, const char *name, double number) {
  const cJSON *v = member(o, name);
  return !v || (cJSON_IsNumber(v) && v->valuedouble == number);
}

static bool is_supported(request *r, const cJSON *o) {
  const cJSON *probabilities = member(o, "logprobs");
  if (!is_number(o, "n", 1) || !is_number(o, "best_of", 1))
    return refuse(r->x, "`n` and `best_of` must be 1: one answer at a time");
  if (!r->chat && member(o, "tools"))
    return refuse(r->x, "`tools` belong to /v1/chat/completions");
  if (probabilities && !cJSON_IsFalse(probabilities))
    return refuse(r->x, "`logprobs` are not served");
  if (!is_number(o, "presence_penalty", 0) || !is_number(o, "frequency_penalty", 0))
    return refuse(r->x, "penalties are not served: leave them out, or 0");
  if (cJSON_GetArraySize(member(o, "logit_bias")))
    return refuse(r->x, "`logit_bias` is not served");
  if (cJSON_IsTrue(member(o, "echo")) || member(o, "suffix"))
    return refuse(r->x, "`echo` and `suffix` are not served");
  return true;
}

static bool common(request *r, const cJSON *o) {
  double temperature = 1;
  double top_p = 1;
  double top_k = 0;
  double most = DEFAULT_TOKENS;
  const cJSON *model = member(o, "model");
  if (model && !cJSON_IsString(model))
    return refuse(r->x, "`model` must be a text");
  if (model && strcmp(model->valuestring, r->c->name)) {
    char text[300];
    snprintf(text, sizeof text,
             "there is no model `%.100s` here; this server has `%.100s`",
             model->valuestring, r->c->name);
    fail(r->x, 404, "invalid_request_error", text);
    return false;
  }
  double seed = atomic_load(&r->c->served) & 0xffffff;
  if (!is_supported(r, o) || !real(r, o, "temperature", 0, 2, &temperature) ||
      !real(r, o, "top_p", 0, 1, &top_p) || !real(r, o, "top_k", 0, 1e6, &top_k) ||
      !real(r, o, "seed", -9e15, 9e15, &seed) ||
      !real(r, o, "max_tokens", 1, 1e9, &most) ||
      !real(r, o, "max_completion_tokens", 1, 1e9, &most) || !stops(r, o) ||
      !format(r, o) || !tools(r, o))
    return false;
  if (top_p <= 0)
    top_p = 1e-6; /* the likeliest alone */
  r->how.sample = (ww_sample_options){temperature, top_p, top_k, (int64_t)seed};
  r->how.most = most;
  r->stream = cJSON_IsTrue(member(o, "stream"));
  r->usage = cJSON_IsTrue(member(member(o, "stream_options"), "include_usage"));
  r->how.piece = piece;
  r->how.ctx = r;
  return true;
}

/* A message's content: a text, or parts of type text. */
static const char *content_of(ww_arena *a, const cJSON *content) {
  const cJSON *part;
  ww_buf b = {0};
  if (cJSON_IsString(content))
    return content->valuestring;
  if (!cJSON_IsArray(content))
    return NULL;
  cJSON_ArrayForEach(part, content) {
    const cJSON *text = member(part, "text");
    if (!cJSON_IsString(text)) {
      ww_buf_free(&b);
      return NULL;
    }
    ww_buf_puts(&b, text->valuestring);
  }
  const char *out = ww_strdup(a, b.s ? b.s : "");
  ww_buf_free(&b);
  return out;
}

/* What the model reads of a message; NULL: it is none. */
static const char *said_in(request *r, const cJSON *list, const cJSON *m) {
  const cJSON *role = member(m, "role");
  const char *content = content_of(r->a, member(m, "content"));
  if (!cJSON_IsString(role))
    return NULL;
  if (!strcmp(role->valuestring, "tool"))
    return content ? ww_chat_tools_result(list, m, content, r->a) : NULL;
  const char *calls = ww_chat_tools_calls(m, r->a);
  return calls ? calls : content;
}

static bool is_system(const char *role) {
  return !strcmp(role, "system") || !strcmp(role, "developer");
}

static bool messages(request *r, const cJSON *o) {
  const cJSON *list = member(o, "messages");
  const char *tools_text = r->tools.prompt;
  const cJSON *m;
  ww_chat chat = ww_chat_of(ww_lm_tokenizer(r->c->m));
  if (!cJSON_IsArray(list) || !list->child)
    return refuse(r->x, "`messages` must be a list of {\"role\",\"content\"}");
  ww_chat_open(&chat, r->a, &r->prompt);
  cJSON_ArrayForEach(m, list) {
    const char *content = said_in(r, list, m);
    if (!content)
      return refuse(r->x, "each message has a `role`, and `content` of text");
    const char *role = member(m, "role")->valuestring;
    if (!ww_is_one_of("system|developer|user|assistant|tool", role))
      return refuse(r->x,
                    "a message's `role` is system, developer, user, assistant or tool");
    if (tools_text && is_system(role))
      content = ww_fmt(r->a, "%s%s", content, tools_text);
    else if (tools_text)
      ww_chat_message(&chat, "system", tools_text + 1, r->a, &r->prompt);
    tools_text = NULL; /* they are told once, first */
    ww_chat_message(&chat,
                    is_system(role)         ? "system"
                    : !strcmp(role, "tool") ? "user"
                                            : role,
                    content, r->a, &r->prompt);
  }
  ww_chat_ask(&chat, r->a, &r->prompt);
  return true;
}

static bool plain_prompt(request *r, const cJSON *o) {
  const cJSON *p = member(o, "prompt");
  const cJSON *k;
  uint32_t vocab = ww_lm_config_of(r->c->m)->vocab;
  if (cJSON_IsArray(p) && cJSON_GetArraySize(p) == 1 && !cJSON_IsNumber(p->child))
    p = p->child; /* a list of one prompt */
  if (cJSON_IsString(p))
    ww_tokenizer_encode(ww_lm_tokenizer(r->c->m), p->valuestring,
                        strlen(p->valuestring), true, r->a, &r->prompt);
  else if (cJSON_IsArray(p) && p->child) {
    cJSON_ArrayForEach(k, p) {
      if (!cJSON_IsNumber(k) || !(k->valuedouble >= 0 && k->valuedouble < vocab))
        return refuse(
            r->x, "`prompt` must be one text, or tokens below the vocabulary's size");
      ww_push(r->a, &r->prompt, k->valuedouble);
    }
  } else
    return refuse(r->x, "`prompt` must be a text, or a list of tokens");
  return r->prompt.n || refuse(r->x, "the prompt is empty");
}

static void answer(ww_completions *c, ww_http_call *x, bool chat) {
  request r = {
      .c = c,
      .x = x,
      .chat = chat,
      .at = time(NULL),
  };
  ww_err e = {0};
  size_t n;
  if (strcmp(ww_http_method(x), "POST"))
    return fail(x, 405, "invalid_request_error", "POST a JSON object here");
  if (!c->m)
    return fail(
        x, 503, "server_error",
        "this server has no language model: start it with `warpwise serve --lm MODEL`");
  const char *body = ww_http_body(x, &n);
  cJSON *o = ww_json_read(body, n, &e);
  if (!cJSON_IsObject(o))
    refuse(x, o ? "the request must be a JSON object" : e.msg);
  else {
    r.a = ww_arena_new();
    snprintf(r.id, sizeof r.id, "%s-%llx-%llx", chat ? "chatcmpl" : "cmpl",
             (unsigned long long)r.at,
             (unsigned long long)atomic_fetch_add(&c->served, 1));
    if (common(&r, o) && (chat ? messages(&r, o) : plain_prompt(&r, o)))
      write_text(&r);
    ww_grammar_free(r.grammar);
    ww_grammar_free(r.tools.grammar);
    ww_arena_free(r.a);
  }
  cJSON_Delete(o);
}

void ww_completions_text(void *ctx, ww_http_call *x) {
  answer(ctx, x, false);
}
void ww_completions_chat(void *ctx, ww_http_call *x) {
  answer(ctx, x, true);
}

#define MODEL "{id:%s,object:'model',created:%ld,owned_by:'warpwise'}"

void ww_completions_model(void *ctx, ww_http_call *x) {
  const ww_completions *c = ctx;
  const char *name = strrchr(ww_http_path(x), '/') + 1;
  ww_json j = {0};
  if (!c->m || strcmp(name, c->name) != 0)
    return fail(x, 404, "invalid_request_error",
                "there is no such model here; /v1/models has the names");
  ww_json_put(&j, MODEL, c->name, c->since);
  ww_http_json(x, 200, &j);
}

void ww_completions_models(void *ctx, ww_http_call *x) {
  const ww_completions *c = ctx;
  ww_json j = {0};
  ww_json_put(&j, "{object:'list',data:[");
  if (c->m)
    ww_json_put(&j, MODEL, c->name, c->since);
  ww_json_put(&j, "]}");
  ww_http_json(x, 200, &j);
}
