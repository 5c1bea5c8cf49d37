/* tokens.h - a source as tokens: what edits of C, C++, CUDA, HIP and OpenCL text need
 * to know, and nothing that takes a compiler.
 *
 * Comments, strings, directives and what stands under `#if 0` are no tokens (strings
 * are, as one piece each). Macros are not expanded. Where a name's type cannot be told
 * it is unknown, and whoever asks leaves it alone. */
#ifndef WW_SERVE_TOKENS_H
#define WW_SERVE_TOKENS_H

#include "../../front/scan.h"
#include "fixes.h"

typedef enum {
  WW_TOK_WORD,
  WW_TOK_NUMBER,
  WW_TOK_STRING,
  WW_TOK_SIGN, /* operators and brackets, longest first; < and > stand alone */
  WW_TOK_ODD   /* a word or number with a line splice inside: never edited */
} ww_tok_kind;

typedef struct {
  uint32_t at, end; /* bytes */
  /* a bracket's partner, WW_NOTOK for none; of other tokens WW_NOTOK */
  uint32_t pair;
  uint8_t kind;
} ww_token;
#define WW_NOTOK UINT32_MAX

typedef struct {
  const char *name;        /* of `#define NAME value` */
  uint32_t value, value_n; /* bytes; comments cut off */
} ww_macro;

typedef enum { WW_IS_UNKNOWN, WW_IS_FLOAT, WW_IS_DOUBLE, WW_IS_INT } ww_name_class;

/* A variable, parameter or member, as the text declares it. */
typedef struct {
  uint32_t tok;  /* its name, in the declaration */
  uint32_t type; /* the word of its type; WW_NOTOK: none was recognised */
  uint8_t cls;   /* ww_name_class, of the element where it is a pointer or an array */
  bool pointer;  /* `*` or `[`: */
  bool fixed;    /* const, constexpr */
  bool shared;   /* __shared__, __local */
  bool dynamic;  /* extern */
  bool parameter;
  bool twice;      /* the name is declared again, as something else */
  uint32_t dim[4]; /* tokens of its '[' */
  uint32_t ndims;
} ww_name;
typedef WW_VEC(ww_name) ww_names;

/* Code of one function. */
typedef struct {
  const ww_decl *fn; /* of OpenMP the host function around the region */
  uint32_t lo,
      /* tokens of its body, inside the braces; of OpenMP the statement behind the
         pragma */
      hi;
  ww_names names; /* parameters and locals */
} ww_scope;

/* A text taken apart, and what is to be fixed in it. */
typedef struct {
  const ww_fix_source *s;
  ww_scan scan;
  const char *text;
  ww_token *t;
  uint32_t n;
  WW_VEC(ww_macro) macros; /* without parameters, defined once */
  ww_names file;           /* names at file scope, members of classes */
  const char *eol;         /* "\n" or "\r\n" */
  ww_arena *a;
  ww_scope kernel; /* fixes.c */
  const ww_finding *f;
  WW_VEC(ww_fix) out;
} ww_ctext;

void ww_ctext_read(const ww_fix_source *s, ww_arena *a, ww_ctext *out);

uint32_t ww_tok_from(const ww_ctext *c,
                     uint32_t byte); /* the first token at or behind it; c->n: none */
/* false outside of the tokens */
bool ww_tok_is(const ww_ctext *c, uint32_t i, const char *s);
bool ww_tok_word(const ww_ctext *c, uint32_t i);
bool ww_tok_same(const ww_ctext *c, uint32_t i, uint32_t j);
/* Is it one of these, each with a blank before and behind: " if else ", " . -> "? */
bool ww_tok_in(const ww_ctext *c, uint32_t i, const char *choices);
bool ww_text_in(const char *s, size_t n, const char *choices);
static inline const char *ww_tok_at(const ww_ctext *c, uint32_t i) {
  return c->text + c->t[i].at;
}
static inline uint32_t ww_tok_len(const ww_ctext *c, uint32_t i) {
  return c->t[i].end - c->t[i].at;
}
const char *ww_tok_text(const ww_ctext *c,
                        uint32_t i,
                        uint32_t end); /* source of tokens [i, end), as written */
/* of this token alone */
static inline const char *ww_tok_name(const ww_ctext *c, uint32_t i) {
  return ww_tok_text(c, i, i + 1);
}
/* two runs of n tokens */
bool ww_tok_equal(const ww_ctext *c, uint32_t i, uint32_t j, uint32_t n);
/* Is it this bracket, and has it a partner? */
bool ww_tok_opens(const ww_ctext *c, uint32_t i, const char *bracket);
/* behind token i, or behind its partner where it opens a bracket */
uint32_t ww_tok_skip(const ww_ctext *c, uint32_t i);
/* The first of the choices from token i on, not in brackets; `end`: there is none
 * before that. */
uint32_t ww_tok_find(const ww_ctext *c, uint32_t i, uint32_t end, const char *choices);
/* The only comma between the bracket and its partner; 0: there is none, or several. */
uint32_t ww_tok_comma(const ww_ctext *c, uint32_t open);

/* The statement, part of a for's head, or condition around token i, within tokens [lo,
 * hi). */
void ww_ctext_statement(const ww_ctext *c,
                        uint32_t i,
                        uint32_t lo,
                        uint32_t hi,
                        uint32_t *begin,
                        uint32_t *end);
/* One past the statement that starts at token i, heads of loops and conditions
 * included. */
uint32_t ww_ctext_statement_end(const ww_ctext *c, uint32_t i, uint32_t hi);
/* is this '(' the head of an if, for, while, switch? */
bool ww_ctext_control(const ww_ctext *c, uint32_t open);
/* The blanks before the line of a byte. */
const char *ww_ctext_indent(const ww_ctext *c, uint32_t byte);
bool ww_ctext_first(const ww_ctext *c,
                    uint32_t byte); /* nothing but blanks before it on its line */
uint32_t ww_ctext_line_start(const ww_ctext *c, uint32_t byte);

/* ---- names ---- */
/* Names that tokens [lo, hi) declare. */
void ww_ctext_names(const ww_ctext *c, uint32_t lo, uint32_t hi, ww_names *out);
/* Among those of the scope (NULL: none), then of the file; NULL: not declared here, or
 * as two things.
 */
const ww_name *ww_ctext_name(const ww_ctext *c, const ww_scope *s, uint32_t i);
/* of a type's name: float, float4 ... */
ww_name_class ww_tok_class(const ww_ctext *c, uint32_t i);
/* Bytes of an element, 0 unknown. */
uint32_t ww_name_bytes(const ww_ctext *c, const ww_name *v);
/* A constant expression over literals, macros and constants of this text. */
bool ww_ctext_value(
    const ww_ctext *c, const ww_scope *s, uint32_t i, uint32_t end, int64_t *out);
/* does a directive of the text (a macro's value, say) hold the word of that token? */
bool ww_ctext_directives(const ww_ctext *c, uint32_t word);
const ww_macro *ww_ctext_macro(const ww_ctext *c, const char *name, size_t n);

#endif
