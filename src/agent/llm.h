/* llm.h - a language model that one talks to, wherever it runs.
 *
 * What it answers is a stranger's text: sizes are bounded, and nothing of it is more
 * than text and names of tools. */
#ifndef WW_AGENT_LLM_H
#define WW_AGENT_LLM_H

#include "../base/base.h"

#define WW_LLM_MOST_CALLS 16         /* of one answer */
#define WW_LLM_MOST_BYTES (4u << 20) /* of one answer */

typedef struct {
  const char *id; /* the endpoint's; NULL in plain text */
  const char *name;
  const char *arguments; /* JSON, unchecked */
} ww_tool_call;

typedef struct {
  const char *role;          /* system, user, assistant, tool */
  const char *text;          /* NULL: none */
  const ww_tool_call *calls; /* of the assistant */
  uint32_t ncalls;
  const ww_tool_call *answers; /* of role tool: the call that this is the result of */
} ww_message;

typedef struct {
  ww_message message;
  uint64_t tokens; /* of question and answer; as the endpoint says, else by bytes */
  bool plain;      /* the calls were read from its text */
} ww_llm_answer;

typedef struct {
  const ww_message *v;
  uint32_t n;
  const char *tools;       /* a JSON array, as OpenAI has it; NULL: none */
  const char *plain_tools; /* the same in words, for the system message */
  bool must;               /* call one: the last answer had no call */
  double deadline;         /* ww_now's clock */
} ww_llm_question;

typedef struct ww_llm ww_llm;
struct ww_llm {
  void *ctx;
  /* What it says lives in the arena. */
  ww_status (*chat)(
      void *ctx, const ww_llm_question *q, ww_arena *a, ww_llm_answer *out, ww_err *e);
  void (*free)(void *ctx);
};

/* ---- llm_format.c: OpenAI's chat completions ---- */
typedef struct {
  const char *model;  /* NULL: the endpoint's own */
  bool plain;         /* tools in words, calls as ```tool {...}``` in the text */
  double temperature; /* below 0: the endpoint's own */
  uint32_t most;      /* tokens of an answer */
} ww_llm_style;
void ww_llm_write(const ww_llm_question *q, const ww_llm_style *s, ww_json *j);
/* WW_EDATA: it is no answer of a chat. */
ww_status
ww_llm_read(const char *json, size_t n, ww_arena *a, ww_llm_answer *out, ww_err *e);
/* Calls in a text: each a block fenced by ```tool and ```, or the text is one call. */
uint32_t ww_llm_calls_in(const char *text, ww_arena *a, ww_tool_call *out);
/* What an endpoint says of a failure; NULL: nothing that can be read. */
const char *ww_llm_error_in(const char *json, size_t n, ww_arena *a);

/* ---- llm_http.c ---- */
typedef struct {
  const char *url; /* http(s)://host[:port]/v1, with or without /chat/completions */
  const char *key; /* NULL: none */
  ww_llm_style style;
} ww_llm_http_options;
/* WW_EUSAGE: the address cannot be used. */
ww_status ww_llm_http(const ww_llm_http_options *o, ww_llm *out, ww_err *e);

#endif
