/* lex.h - tokens of the IR's text form and numbers for names, for parse.c alone. A
 * newline is a token: it ends a statement. */
#ifndef WW_IR_LEX_H
#define WW_IR_LEX_H

#include "../base/map.h"
#include "ir_int.h"

typedef enum {
  TOK_END, /* also everything behind the first error */
  TOK_NEWLINE,
  TOK_WORD,   /* letters, digits, '_' and '.' */
  TOK_NUMBER, /* starts with a digit, or '-' and a digit */
  TOK_STRING, /* escapes resolved */
  TOK_VALUE,  /* %word */
  TOK_BLOCK,  /* @word */
  TOK_GLOBAL, /* $word or $"string" */
  TOK_PUNCT   /* one character of = , : ! # + - ( ) [ ] { } */
} ww_tok;

typedef struct {
  ww_arena *a;
  ww_err *e;
  const char *p; /* what is still to be read */
  uint32_t line;
  ww_status st;
  /* the current token */
  ww_tok kind;
  const char *s; /* NUL-terminated text without sigil, arena-owned */
  uint32_t at;   /* its line */
} ww_lex;

void ww_lex_next(ww_lex *l);
/* Records the first error; from then on every token is TOK_END, so that callers need
 * not check each step. */
void ww_lex_fail(ww_lex *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline bool ww_lex_is(const ww_lex *l, ww_tok kind, const char *s) {
  return l->kind == kind && strcmp(l->s, s) == 0;
}
static inline bool ww_lex_punct(const ww_lex *l, char c) {
  return l->kind == TOK_PUNCT && l->s[0] == c;
}
bool ww_lex_accept(ww_lex *l, char punct);        /* takes it when it is there */
bool ww_lex_keyword(ww_lex *l, const char *word); /* the same for a word */
void ww_lex_expect(ww_lex *l, char punct);
uint64_t ww_lex_uint(ww_lex *l, uint64_t max);
const char *ww_lex_string(ww_lex *l); /* takes a string or fails */
void ww_lex_end_line(ww_lex *l);

/* The number of a name, which is copied; a new one gets `fresh`. */
uint32_t
ww_names_get(ww_dict *d, ww_arena *a, const void *key, uint32_t n, uint32_t fresh);

#endif
