/* llm.h - a language model's endpoint as commands name it: its address, the model, the
 * key. */
#ifndef WW_CMD_LLM_H
#define WW_CMD_LLM_H

#include "../agent/llm.h"
#include "cmd.h"

/* A member `llm` of a command's options struct. */
typedef struct {
  const char *url, *model, *key_file, *temperature; /* url NULL: none is asked */
  uint64_t answer_tokens;
} ww_llm_options;

#define WW_LLM_KEY "WARPWISE_LLM_KEY"
/* clang-format off */
#define WW_LLM_OPTIONS(T) \
  WW_OPTION_OF(T, llm.url, "llm", "URL", \
            "the model's OpenAI-compatible endpoint, up to /v1"), \
  WW_OPTION_OF(T, llm.key_file, "key-file", "FILE", \
            "the endpoint's key; else that of " WW_LLM_KEY), \
  WW_OPTION_OF(T, llm.temperature, "temperature", "T", \
            "of its choices, 0 to 2 (default: the endpoint's)"), \
  WW_OPTION_OF(T, llm.answer_tokens, "answer-tokens", "N", \
            "of one answer (default 8192)")
/* clang-format on */

/* What the options say of an endpoint. The key is taken out of the environment, so that
 * children do not get to see it. */
ww_status
ww_llm_read_options(ww_cmd *c, const ww_llm_options *o, ww_llm_http_options *out);
/* A number from 0 to `most`, where one is given. */
ww_status
ww_llm_real(ww_cmd *c, const char *name, const char *text, double most, double *out);

#endif
