/* chat.c - messages to tokens: the marks by their ids, the words between them as plain
 * text.
 *
 * A tokenizer splits at its special tokens first, so encoding the pieces one by one
 * gives the ids that the whole text gives. */
#include "chat.h"

static void
text(const ww_chat *c, const char *before, const char *s, ww_arena *a, ww_tokens *out) {
  ww_buf b = {0};
  ww_buf_puts(&b, before);
  ww_buf_puts(&b, s);
  ww_tokenizer_encode(c->t, b.s, b.n, false, a, out);
  ww_buf_free(&b);
}

static void
mark(const ww_chat *c, int32_t id, const char *as_text, ww_arena *a, ww_tokens *out) {
  if (id >= 0)
    ww_push(a, out, id);
  else
    text(c, "", as_text, a, out);
}

ww_chat ww_chat_of(const ww_tokenizer *t) {
  ww_chat c = {t, true, ww_tokenizer_id(t, "<|start_header_id|>"),
               ww_tokenizer_id(t, "<|end_header_id|>"),
               ww_tokenizer_id(t, "<|eot_id|>")};
  if (c.begin >= 0 && c.middle >= 0 && c.end >= 0)
    return c;
  return (ww_chat){t, false, ww_tokenizer_id(t, "<|im_start|>"), -1,
                   ww_tokenizer_id(t, "<|im_end|>")};
}

void ww_chat_open(const ww_chat *c, ww_arena *a, ww_tokens *out) {
  ww_tokenizer_encode(c->t, "", 0, true, a, out);
}

/* Up to where the words begin; their leading newlines are one piece with them, as the
 * whole text has it. */
static void head(const ww_chat *c,
                 const char *role,
                 const char *content,
                 ww_arena *a,
                 ww_tokens *out) {
  mark(c, c->begin, "<|im_start|>", a, out);
  if (c->llama3) {
    text(c, "", role, a, out);
    mark(c, c->middle, "", a, out);
    text(c, "\n\n", content, a, out);
    return;
  }
  ww_buf b = {0};
  ww_buf_fmt(&b, "%s\n", role);
  text(c, b.s, content, a, out);
  ww_buf_free(&b);
}

void ww_chat_message(const ww_chat *c,
                     const char *role,
                     const char *content,
                     ww_arena *a,
                     ww_tokens *out) {
  head(c, role, content, a, out);
  mark(c, c->end, "<|im_end|>", a, out);
  if (!c->llama3)
    text(c, "", "\n", a, out);
}

void ww_chat_ask(const ww_chat *c, ww_arena *a, ww_tokens *out) {
  head(c, "assistant", "", a, out);
}

/* The answer ends with its mark: what follows it in a longer conversation is nothing
 * that the model has to say. */
void ww_chat_answer(const ww_chat *c,
                    const char *content,
                    ww_arena *a,
                    ww_tokens *out) {
  text(c, "", content, a, out);
  mark(c, c->end, "<|im_end|>", a, out);
}
