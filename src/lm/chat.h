/* chat.h - a conversation as tokens, in the form that the tokenizer's special tokens
 * tell: Llama 3's headers, else ChatML. */
#ifndef WW_LM_CHAT_H
#define WW_LM_CHAT_H

#include "tokenizer.h"

typedef struct {
  const ww_tokenizer *t;
  /* <|start_header_id|>role<|end_header_id|>\n\ncontent<|eot_id|>; else
   * <|im_start|>role\ncontent<|im_end|>\n */
  bool llama3;
  /* ids; -1: the tokenizer has none and the mark is written as text. middle: Llama 3's
   * end of header */
  int32_t begin, middle;
  int32_t end; /* ends an answer; -1: text */
} ww_chat;

ww_chat ww_chat_of(const ww_tokenizer *t);
/* Appends BOS where the tokenizer has one: once, before the first message. */
void ww_chat_open(const ww_chat *c, ww_arena *a, ww_tokens *out);
/* A whole message. Texts of special tokens inside `content` stay text: nobody ends a
 * message from within. */
void ww_chat_message(const ww_chat *c,
                     const char *role,
                     const char *content,
                     ww_arena *a,
                     ww_tokens *out);
/* The two halves of an assistant's message: what asks for it, and the answer with its
 * end mark. */
void ww_chat_ask(const ww_chat *c, ww_arena *a, ww_tokens *out);
void ww_chat_answer(const ww_chat *c, const char *content, ww_arena *a, ww_tokens *out);

#endif
