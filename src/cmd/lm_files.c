/* lm_files.c - `warpwise lm tokenize`, `inspect` and `convert`: models and tokenizers
 * as files. */
#include <inttypes.h>
#include <stdlib.h>

#include "../base/jsonread.h"
#include "lm.h"

/* ---- tokenize ---- */

typedef struct {
  bool special, ids, decode;
} tokenize_options;

static const ww_option tokenize_table[] = {
    WW_OPTION_OF(tokenize_options,
                 special,
                 "special",
                 NULL,
                 "texts of special tokens are these tokens, and BOS is put in front"),
    WW_OPTION_OF(tokenize_options,
                 ids,
                 "ids",
                 NULL,
                 "only the numbers, a line of them for each line of text"),
    WW_OPTION_OF(tokenize_options,
                 decode,
                 "decode",
                 NULL,
                 "the other way: numbers in, text out"),
    {0},
};

static void print_tokens(ww_cmd *c, const ww_tokenizer *t, const ww_tokens *v) {
  ww_json *j = ww_line_begin();
  ww_json_put(j, "tokens:[");
  for (uint32_t k = 0; k < v->n; k++)
    ww_json_int(j, v->v[k]);
  ww_json_put(j, "],texts:[");
  for (uint32_t k = 0; k < v->n; k++) {
    uint32_t n = 0;
    const char *text = ww_tokenizer_text(t, v->v[k], &n);
    ww_json_str(j, text ? ww_strndup(c->arena, text, n) : NULL);
  }
  ww_json_end_arr(j);
  ww_line_end(j);
}

static void print_ids(const ww_tokens *v) {
  for (uint32_t k = 0; k < v->n; k++)
    printf(k ? " %d" : "%d", v->v[k]);
  putchar('\n');
}

static void show_tokens(const ww_tokenizer *t, const ww_tokens *v) {
  for (uint32_t k = 0; k < v->n; k++) {
    uint32_t n = 0;
    const char *text = ww_tokenizer_text(t, v->v[k], &n);
    printf("%8d  ", v->v[k]);
    for (uint32_t i = 0; text && i < n; i++) {
      unsigned char ch = (unsigned char)text[i];
      if (ch == '\n')
        fputs("\\n", stdout);
      else if (ch == '\t')
        fputs("\\t", stdout);
      else if (ch < 0x20 || ch == 0x7f)
        printf("\\x%02x", ch);
      else
        putchar(ch);
    }
    putchar('\n');
  }
}

static ww_status
decode(ww_cmd *c, const ww_tokenizer *t, const char *text, bool special) {
  WW_VEC(int32_t) ids = {0};
  ww_buf b = {0};
  for (char *end; *text; text = end) {
    long id = strtol(text, &end, 10);
    if (end == text) {
      if (!text[strspn(text, " \t\r\n,")])
        break;
      return ww_fail(&c->err, WW_EDATA, "`%.20s` is no token's number", text);
    }
    if (id < 0 || id >= ww_tokenizer_vocab(t))
      return ww_fail(&c->err, WW_EDATA, "%ld: the vocabulary has %u tokens", id,
                     ww_tokenizer_vocab(t));
    ww_push(c->arena, &ids, (int32_t)id);
    end += strspn(end, " \t\r\n,");
  }
  ww_tokenizer_decode(t, ids.v, ids.n, special, &b);
  ww_buf_puts(&b, "\n");
  ww_print_buf(&b);
  return WW_OK;
}

static ww_status tokenize(ww_cmd *c) {
  const tokenize_options *o = c->opt;
  ww_tokenizer *t = NULL;
  const char *text;
  size_t n;
  if (c->noperands < 1 || c->noperands > 2)
    return ww_usage(
        c, "lm tokenize takes a model or a tokenizer.json, and a text ('-': stdin)");
  ww_status st = ww_tokenizer_open(c->operands[0], &t, &c->err);
  if (!st)
    st = ww_lm_text(c, 1, &text, &n);
  if (!st && o->decode)
    st = decode(c, t, text, o->special);
  else if (!st) {
    for (const char *line = text, *end = text + n; line < end || line == text;) {
      const char *stop = o->ids ? memchr(line, '\n', end - line) : NULL;
      if (!stop)
        stop = end;
      ww_tokens v = {0};
      ww_tokenizer_encode(t, line, stop - line, o->special, c->arena, &v);
      if (c->json)
        print_tokens(c, t, &v);
      else if (o->ids)
        print_ids(&v);
      else
        show_tokens(t, &v);
      if (stop == end)
        break;
      line = stop + 1;
    }
  }
  ww_tokenizer_free(t);
  return st;
}

const ww_command ww_cmd_lm_tokenize = {
    "tokenize",
    "text as tokens, or tokens as text",
    "MODEL|tokenizer.json [TEXT|-] [options]",
    .examples = "  warpwise lm tokenize models/text.gguf 'int i = threadIdx.x;'\n"
                "  warpwise lm tokenize tokenizer.json --ids - < kernel.cu\n",
    .options = tokenize_table,
    .options_size = sizeof(tokenize_options),
    .run = tokenize,
};

/* ---- inspect ---- */

static void inspect_config(const ww_lm_config *k) {
  double params = ww_lm_config_params(k);
  printf("%s, %.*f %s parameters\n", ww_lm_archs[k->arch].model_type,
         params < 1e6 ? 0 : 1, params / (params < 1e6 ? 1e3 : 1e6),
         params < 1e6 ? "thousand" : "million");
  printf("  vocabulary %u%s, width %u, layers %u, heads %u of %u (%u for keys), MLP "
         "%u, context %u\n",
         k->vocab, k->tied ? " (tied)" : "", k->width, k->layers, k->heads,
         k->head_size, k->kv_heads, k->hidden, k->context);
  if (k->numbers)
    printf("  %u numbers by the regression head, %u features in %u tokens\n",
           k->numbers, k->features, k->feature_tokens);
}

static void inspect_json(const ww_weights *w, const ww_lm_config *k, const char *why) {
  ww_json *j = ww_line_begin();
  if (k) {
    ww_buf config = {0};
    ww_lm_config_print(k, &config);
    cJSON *one_line = ww_json_read(config.s, config.n, NULL);
    ww_json_put(j, "architecture:%s,parameters:%lu,config:",
                ww_lm_archs[k->arch].model_type, ww_lm_config_params(k));
    ww_json_copy(one_line, j);
    cJSON_Delete(one_line);
    ww_buf_free(&config);
  } else
    ww_json_kstr(j, "no_model", why);
  ww_json_put(j, "tensors:[");
  for (uint32_t i = 0; i < ww_weights_count(w); i++) {
    const ww_tensor *t = ww_weights_at(w, i);
    ww_json_put(j, "{name:%s,type:%s,shape:[", t->name, t->type_name);
    for (uint32_t d = 0; d < t->ndim; d++)
      ww_json_uint(j, t->dim[d]);
    ww_json_put(j, "],bytes:%lu}", t->bytes);
  }
  ww_json_end_arr(j);
  ww_line_end(j);
}

static void inspect_meta(const ww_weights *w) {
  for (uint32_t i = 0; i < ww_weights_nmeta(w); i++) {
    const ww_meta *m = ww_weights_meta_at(w, i);
    printf("  %-44s ", m->key);
    switch (m->kind) {
    case WW_META_UINT:
      printf("%" PRIu64 "\n", m->u);
      break;
    case WW_META_INT:
      printf("%" PRId64 "\n", (int64_t)m->u);
      break;
    case WW_META_REAL:
      printf("%g\n", m->real);
      break;
    case WW_META_BOOL:
      puts(m->u ? "true" : "false");
      break;
    case WW_META_TEXT:
      printf("%.*s%s\n", m->text_n > 60 ? 60 : (int)m->text_n, m->text,
             m->text_n > 60 ? " ..." : "");
      break;
    case WW_META_ARRAY:
      printf("%" PRIu64 " items\n", m->n);
      break;
    }
  }
}

/* llama2.c's have no names in them: only what the header says. */
static bool inspect_bin(const ww_cmd *c, const char *path) {
  ww_lm *m = NULL;
  ww_err why = {0};
  if (c->json || !ww_ends(path, ".bin") || ww_lm_open(path, NULL, &m, &why))
    return false;
  inspect_config(ww_lm_config_of(m));
  ww_lm_close(m);
  return true;
}

static ww_status inspect(ww_cmd *c) {
  ww_weights *w = NULL;
  ww_lm_config k;
  ww_err why = {0};
  if (c->noperands != 1)
    return ww_usage(c, "lm inspect takes one model or file of tensors");
  if (inspect_bin(c, c->operands[0]))
    return WW_OK;
  bool model = !ww_lm_open_files(c->operands[0], c->arena, &w, &k, NULL, &why);
  /* tensors of something else can be listed all the same */
  if (!model && ww_weights_open(c->operands[0], &w, &c->err))
    return c->err.code;
  if (c->json)
    inspect_json(w, model ? &k : NULL, why.msg);
  else {
    if (model)
      inspect_config(&k);
    else
      printf("no model that runs here: %s\n", why.msg);
    inspect_meta(w);
    for (uint32_t i = 0; i < ww_weights_count(w); i++) {
      const ww_tensor *t = ww_weights_at(w, i);
      printf("  %-48s %-6s", t->name, t->type_name);
      for (uint32_t d = 0; d < t->ndim; d++)
        printf(d ? " x %" PRIu64 : " %" PRIu64, t->dim[d]);
      putchar('\n');
    }
  }
  ww_weights_close(w);
  return WW_OK;
}

const ww_command ww_cmd_lm_inspect = {
    "inspect",      "what is in a model's files: configuration, metadata, tensors",
    "MODEL",        .examples = "  warpwise lm inspect models/text.gguf\n",
    .run = inspect,
};

/* ---- convert ---- */

typedef struct {
  const char *type;
} convert_options;

static const ww_option convert_table[] = {
    WW_OPTION_OF(convert_options,
                 type,
                 "type",
                 "TYPE",
                 "of the matrices: f32, f16, bf16 (default), or q8_0 in a .gguf"),
    {0},
};

static ww_status convert_type(ww_cmd *c, const char *name, bool gguf, ww_dtype *out) {
  *out = WW_DTYPE_BF16;
  if (!name || ww_lm_dtype(name, (gguf ? WW_DTYPE_Q8_0 : WW_DTYPE_BF16) + 1, out))
    return WW_OK;
  return ww_usage(
      c, "--type takes %s, not `%s`",
      gguf ? "f32, f16, bf16 or q8_0" : "f32, f16 or bf16 (q8_0 is for a .gguf)", name);
}

static ww_status convert(ww_cmd *c) {
  const convert_options *o = c->opt;
  ww_weights *w = NULL;
  ww_lm_config k;
  ww_lm_layout l;
  const char *tokenizer = NULL;
  ww_dtype type;
  if (c->noperands != 2)
    return ww_usage(c, "lm convert takes a model and what to write: a folder, or a "
                       "name that ends in .gguf");
  const char *to = c->operands[1];
  bool gguf = ww_ends(to, ".gguf");
  if (convert_type(c, o->type, gguf, &type) ||
      ww_lm_open_files(c->operands[0], c->arena, &w, &k, &tokenizer, &c->err))
    return c->err.code;
  ww_lm_layout_make(&k, c->arena, &l);
  float *flat = ww_xcalloc(l.total, sizeof *flat);
  ww_status st = ww_lm_read_params(w, &k, &l, flat, &c->err);
  if (!st)
    st = gguf ? ww_lm_write_gguf(to, &k, flat, type, tokenizer, &c->err)
              : ww_lm_write_folder(to, &k, flat, type, tokenizer, &c->err);
  if (!st && !gguf && !ww_file_exists(ww_path_join(c->arena, to, "tokenizer.json")) &&
      !ww_is_quiet())
    fprintf(stderr,
            "warpwise: %s has no tokenizer.json in it; put the model's own into %s\n",
            c->operands[0], to);
  free(flat);
  ww_weights_close(w);
  return st;
}

const ww_command ww_cmd_lm_convert = {
    "convert",
    "a model from one format to the other: Hugging Face's folders, .gguf",
    "MODEL TO [options]",
    .examples = "  warpwise lm convert ~/models/Llama-3.2-1B llama.gguf --type q8_0\n"
                "  warpwise lm convert models/text.gguf text-model/ --type f32\n",
    .options = convert_table,
    .options_size = sizeof(convert_options),
    .run = convert,
};
