/* llm.c - options of a language model's endpoint; the key from a file or the
 * environment, written nowhere. */
#include "llm.h"

#include <stdlib.h>

#define ANSWER_TOKENS 8192

/* From the file or the environment, which children do not get to see. */
static ww_status take_key(ww_cmd *c, const ww_llm_options *o, const char **key) {
  char *given = getenv(WW_LLM_KEY);
  char *text;
  size_t n;
  *key = given && *given ? ww_strdup(c->arena, given) : NULL;
  if (given)
    explicit_bzero(given, strlen(given)); /* /proc shows what stands there */
  unsetenv(WW_LLM_KEY);
  if (!o->key_file)
    return WW_OK;
  ww_status st = ww_read_file(c->arena, o->key_file, 64 << 10, &text, &n, &c->err);
  if (st)
    return st;
  text[strcspn(text, "\r\n")] = 0;
  *key = text;
  return *text ? WW_OK : ww_usage(c, "--key-file: %s is empty", o->key_file);
}

ww_status
ww_llm_real(ww_cmd *c, const char *name, const char *text, double most, double *out) {
  char *end = NULL;
  if (!text)
    return WW_OK;
  *out = strtod(text, &end);
  if (end == text || *end || !(*out >= 0 && *out <= most))
    return ww_usage(c, "--%s: a number from 0 to %g", name, most);
  return WW_OK;
}

ww_status
ww_llm_read_options(ww_cmd *c, const ww_llm_options *o, ww_llm_http_options *out) {
  *out = (ww_llm_http_options){
      .url = o->url,
      .style = {.model = o->model,
                .temperature = -1,
                .most = o->answer_tokens ? o->answer_tokens : ANSWER_TOKENS}};
  ww_status st =
      ww_llm_real(c, "temperature", o->temperature, 2, &out->style.temperature);
  return st ? st : take_key(c, o, &out->key);
}
