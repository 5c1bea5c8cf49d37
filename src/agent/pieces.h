/* pieces.h - a source cut into its declarations by its tokens alone.
 *
 * For text that is not trusted: no preprocessor runs, and what cannot be told apart for
 * certain is an error. */
#ifndef WW_AGENT_PIECES_H
#define WW_AGENT_PIECES_H

#include "../base/base.h"

typedef enum {
  WW_TOKEN_WORD,
  WW_TOKEN_NUMBER,
  WW_TOKEN_TEXT,      /* a string or a character */
  WW_TOKEN_SIGN,      /* one character */
  WW_TOKEN_DIRECTIVE, /* a whole line of the preprocessor */
} ww_token_kind;

typedef struct {
  ww_token_kind kind;
  uint32_t begin, end; /* bytes of the text */
} ww_token;

/* A declaration outside of all functions; numbers are those of tokens. */
typedef struct {
  uint32_t first, last; /* last: one behind */
  uint32_t head;        /* behind `template <...>` */
  uint32_t open;        /* its first { , or `last` */
  bool function;        /* with or without a body */
  bool type;            /* struct, enum, using, typedef, static_assert, ... */
  uint32_t name;        /* of a function */
  uint32_t params[2];   /* of a function: between its parentheses */
} ww_piece;

typedef struct {
  const char *text;
  WW_VEC(ww_token) tokens;
  WW_VEC(ww_piece) v;
  bool blocks; /* there is a namespace or extern "C" { } around some */
} ww_pieces;

/* e->line: where it cannot be understood. */
ww_status ww_pieces_cut(const char *text, ww_arena *a, ww_pieces *out, ww_err *e);
bool ww_token_is(const ww_pieces *p, uint32_t token, const char *text);
/* Is the word among the tokens from..to? */
bool ww_pieces_has(const ww_pieces *p, uint32_t from, uint32_t to, const char *word);
/* One behind the bracket that closes the one at `token`; UINT32_MAX: none does. */
uint32_t ww_pieces_close(const ww_pieces *p, uint32_t token);
uint32_t ww_line_at(const char *text, uint32_t at); /* counted from 1 */

#endif
