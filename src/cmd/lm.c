/* lm.c - `warpwise lm`: language models on this machine's processor, one command for
 * each thing to do with them. */
#include "lm.h"

extern const ww_command ww_cmd_lm_generate, ww_cmd_lm_score, ww_cmd_lm_tokenize,
    ww_cmd_lm_inspect, ww_cmd_lm_convert;

static const ww_command *const subs[] = {
    &ww_cmd_lm_generate, /* text out of a model */
    &ww_cmd_lm_score,    /* how likely a model finds texts */
    &ww_cmd_lm_tokenize, /* text as tokens */
    &ww_cmd_lm_inspect,  /* what is in a file */
    &ww_cmd_lm_convert,  /* from one format to the other */
    NULL,
};

ww_status ww_lm_real(ww_cmd *c,
                     const char *text,
                     const char *option,
                     double high,
                     double otherwise,
                     double *out) {
  *out = otherwise;
  if (!text || ww_real(text, "", 0, high, out))
    return WW_OK;
  return ww_usage(c, "--%s takes a number from 0 to %g, not `%s`", option, high, text);
}

bool ww_lm_dtype(const char *name, int n, ww_dtype *out) {
  int t = 0;
  while (t < n && strcasecmp(name, ww_dtype_name(t)))
    t++;
  if (t < n)
    *out = t;
  return t < n;
}

ww_status ww_lm_text(ww_cmd *c, uint32_t operand, const char **text, size_t *n) {
  char *data;
  if (operand < c->noperands && strcmp(c->operands[operand], "-")) {
    *text = c->operands[operand];
    *n = strlen(*text);
    return WW_OK;
  }
  ww_status st = ww_read_input(c->arena, "/dev/stdin", 256 << 20, &data, n, &c->err);
  *text = data;
  return st;
}

ww_status ww_lm_need_tokenizer(const ww_lm *m, const char *path, ww_err *e) {
  if (ww_lm_tokenizer(m))
    return WW_OK;
  return ww_ends(path, ".gguf")
             ? ww_fail(e, WW_EDATA,
                       "%s has no tokenizer in it: convert the model again from a "
                       "folder that has "
                       "its tokenizer.json",
                       path)
             : ww_fail(
                   e, WW_EDATA,
                   "%s has no tokenizer.json: put the model's own beside its weights",
                   path);
}

const ww_command ww_cmd_lm = {
    "lm",
    "language models on this machine: generate, score, tokenize, inspect, convert",
    "COMMAND MODEL ...",
    .details =
        "MODEL is a folder with config.json, model.safetensors and tokenizer.json as "
        "Hugging Face has them, or a .gguf. Llama and Qwen2\n"
        "architectures.",
    .examples =
        "  warpwise lm inspect model.gguf\n"
        "  warpwise lm generate ~/models/Llama-3.2-1B-Instruct --chat 'What bounds a "
        "GEMV?'\n"
        "  warpwise lm convert ~/models/Llama-3.2-1B-Instruct llama.gguf --type q8_0\n",
    .subs = subs,
};
