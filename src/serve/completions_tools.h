/* completions_tools.h - tools of a chat request: told to the model in the prompt, and
 * its answer held to a form that can be read.
 *
 * The model writes one JSON object: {"name":..,"arguments":{..}} is a call,
 * {"content":".."} a text. A grammar made from the tools' schemas allows nothing else,
 * so that any model's call can be read. */
#ifndef WW_SERVE_COMPLETIONS_TOOLS_H
#define WW_SERVE_COMPLETIONS_TOOLS_H

#include <cjson/cJSON.h>

#include "../lm/grammar.h"

typedef struct {
  const char *prompt; /* for the system message; NULL: there are no tools to call */
  ww_grammar *grammar;
} ww_chat_tools;

/* `tools` and `tool_choice` (auto, none, required, a name) of a request. */
ww_status
ww_chat_tools_read(const cJSON *request, ww_arena *a, ww_chat_tools *out, ww_err *e);

/* What such an answer says. */
typedef struct {
  const char *name, *arguments; /* NULL: no call */
  const char *content;          /* NULL: no text */
} ww_chat_said;
void ww_chat_tools_said(const char *text, ww_arena *a, ww_chat_said *out);

/* An assistant's earlier message with `tool_calls`, as the model wrote it; NULL: it has
 * none. A result with the name of what was called, which `messages` has. */
const char *ww_chat_tools_calls(const cJSON *message, ww_arena *a);
const char *ww_chat_tools_result(const cJSON *messages,
                                 const cJSON *message,
                                 const char *content,
                                 ww_arena *a);

#endif
