/* pieces.c - tokens, and the declarations that they make. */
#include "pieces.h"

#include <ctype.h>

#include "../base/words.h"

uint32_t ww_line_at(const char *text, uint32_t at) {
  uint32_t line = 1;
  for (uint32_t k = 0; k < at && text[k]; k++)
    line += text[k] == '\n';
  return line;
}

/* ---- tokens ---- */

static ww_status bad(const ww_pieces *p, uint32_t at, const char *what, ww_err *e) {
  uint32_t line = ww_line_at(p->text, at);
  ww_fail(e, WW_EDATA, "line %u: %s", line, what);
  return WW_EDATA;
}

/* To the end of the line; one that ends in a backslash goes on. */
static uint32_t line_end(const char *s, uint32_t i) {
  while (s[i] && (s[i] != '\n' || s[i - 1] == '\\'))
    i++;
  return i;
}

/* Behind blanks and comments; UINT32_MAX: a comment does not end. */
static uint32_t skip(const char *s, uint32_t i) {
  for (;;) {
    if (s[i] == '/' && s[i + 1] == '/')
      i = line_end(s, i + 2);
    else if (s[i] == '/' && s[i + 1] == '*') {
      const char *end = strstr(s + i + 2, "*/");
      if (!end)
        return UINT32_MAX;
      i = end + 2 - s;
    } else if (s[i] && isspace((unsigned char)s[i]))
      i++;
    else
      return i;
  }
}

/* Behind the closing quote; UINT32_MAX: there is none on this line. */
static uint32_t quoted(const char *s, uint32_t i) {
  char quote = s[i++];
  for (; s[i] && s[i] != '\n'; i++) {
    if (s[i] == quote)
      return i + 1;
    if (s[i] == '\\' && s[i + 1] && s[i + 1] != '\n')
      i++;
  }
  return UINT32_MAX;
}

/* A comment that begins on the line of a directive may end on a later one. */
static uint32_t directive_end(const char *s, uint32_t i) {
  for (; s[i] && (s[i] != '\n' || s[i - 1] == '\\'); i++)
    if (s[i] == '/' && s[i + 1] == '/')
      return line_end(s, i + 2);
    else if (s[i] == '/' && s[i + 1] == '*') {
      const char *end = strstr(s + i + 2, "*/");
      if (!end)
        return UINT32_MAX;
      i = end + 1 - s;
    } else if (s[i] == '"' && quoted(s, i) != UINT32_MAX)
      i = quoted(s, i) - 1;
  return i;
}

static bool starts_line(const char *s, uint32_t i) {
  while (i && (s[i - 1] == ' ' || s[i - 1] == '\t'))
    i--;
  return !i || s[i - 1] == '\n';
}

static bool is_raw_string(const char *s, uint32_t begin, uint32_t end) {
  return s[end] == '"' && s[end - 1] == 'R' && end - begin <= 3;
}

static ww_status cut_tokens(ww_pieces *p, ww_arena *a, ww_err *e) {
  const char *s = p->text;
  for (uint32_t i = 0, end;; i = end) {
    uint32_t from = i;
    if ((i = skip(s, i)) == UINT32_MAX)
      return bad(p, from, "a comment does not end", e);
    if (!s[i])
      return WW_OK;
    ww_token t = {.kind = WW_TOKEN_SIGN, .begin = i};
    end = i + 1;
    if (s[i] == '#' && starts_line(s, i)) {
      t.kind = WW_TOKEN_DIRECTIVE;
      if ((end = directive_end(s, i)) == UINT32_MAX)
        return bad(p, i, "a comment does not end", e);
    } else if (isalpha((unsigned char)s[i]) || s[i] == '_') {
      t.kind = WW_TOKEN_WORD;
      while (ww_is_word(s[end]))
        end++;
      if (is_raw_string(s, i, end))
        return bad(p, i, "raw strings are not understood here", e);
    } else if (isdigit((unsigned char)s[i])) {
      t.kind = WW_TOKEN_NUMBER;
      while (ww_is_word(s[end]) || s[end] == '.' ||
             (s[end] == '\'' && ww_is_word(s[end + 1])))
        end++;
    } else if (s[i] == '"' || s[i] == '\'') {
      t.kind = WW_TOKEN_TEXT;
      if ((end = quoted(s, i)) == UINT32_MAX)
        return bad(p, i, "a string does not end", e);
    }
    t.end = end;
    ww_push(a, &p->tokens, t);
  }
}

bool ww_token_is(const ww_pieces *p, uint32_t k, const char *text) {
  if (k >= p->tokens.n)
    return false;
  const ww_token *t = &p->tokens.v[k];
  size_t n = strlen(text);
  return t->end - t->begin == n && !memcmp(p->text + t->begin, text, n);
}

bool ww_pieces_has(const ww_pieces *p, uint32_t from, uint32_t to, const char *word) {
  for (uint32_t k = from; k < to; k++)
    if (ww_token_is(p, k, word))
      return true;
  return false;
}

/* ---- declarations ---- */

static char sign(const ww_pieces *p, uint32_t k) {
  const ww_token *t = &p->tokens.v[k];
  return k < p->tokens.n && t->kind == WW_TOKEN_SIGN ? p->text[t->begin] : 0;
}

uint32_t ww_pieces_close(const ww_pieces *p, uint32_t k) {
  int depth = 0;
  for (; k < p->tokens.n; k++) {
    char c = sign(p, k);
    depth += (c == '(' || c == '{' || c == '[') - (c == ')' || c == '}' || c == ']');
    if (!depth)
      return k + 1;
  }
  return UINT32_MAX;
}

/* Behind `template <...>`, where there is one. */
static uint32_t skip_template(const ww_pieces *p, uint32_t k) {
  while (ww_token_is(p, k, "template") && sign(p, k + 1) == '<') {
    int depth = 0;
    for (k++; k < p->tokens.n; k++) {
      char c = sign(p, k);
      depth += (c == '<') - (c == '>');
      uint32_t behind = c == '(' || c == '{' ? ww_pieces_close(p, k) : k + 1;
      if (behind == UINT32_MAX)
        return p->tokens.n; /* no declaration follows */
      k = behind - 1;
      if (!depth)
        break;
    }
    k++;
  }
  return k;
}

/* Words that have parentheses of their own before a function's name. */
static bool is_attribute(const ww_pieces *p, uint32_t k) {
  static const char *const words[] = {"__launch_bounds__", "__attribute__", "__align__",
                                      "alignas",           "__maxnreg__",   "decltype",
                                      "__cluster_dims__"};
  for (size_t i = 0; i < WW_COUNT(words); i++)
    if (ww_token_is(p, k, words[i]))
      return true;
  return false;
}

static bool is_type(const ww_pieces *p, uint32_t k) {
  static const char *const words[] = {"struct", "union",   "class",        "enum",
                                      "using",  "typedef", "static_assert"};
  for (size_t i = 0; i < WW_COUNT(words); i++)
    if (ww_token_is(p, k, words[i]))
      return true;
  return false;
}

/* One declaration from its first token on; its end is found on the way. */
static ww_status cut_one(ww_pieces *p, ww_piece *x, ww_err *e) {
  bool assigned = false;
  x->head = skip_template(p, x->first);
  x->type = is_type(p, x->head);
  x->open = UINT32_MAX;
  for (uint32_t k = x->head; k < p->tokens.n; k++) {
    char c = sign(p, k);
    uint32_t behind = c == '(' || c == '{' || c == '[' ? ww_pieces_close(p, k) : k + 1;
    if (behind == UINT32_MAX || c == ')' || c == '}' || c == ']' ||
        p->tokens.v[k].kind == WW_TOKEN_DIRECTIVE)
      return bad(p, p->tokens.v[k].begin, "brackets do not match", e);
    assigned |= c == '=';
    if (c == '(' && !x->type && !assigned && !x->function && k > x->head &&
        p->tokens.v[k - 1].kind == WW_TOKEN_WORD && !is_attribute(p, k - 1)) {
      x->function = true;
      x->name = k - 1;
      x->params[0] = k + 1;
      x->params[1] = behind - 1;
    }
    if (c == '{' && x->open == UINT32_MAX)
      x->open = k;
    if (c == ';' || (c == '{' && x->function && !assigned)) {
      x->last = behind;
      if (x->open == UINT32_MAX)
        x->open = x->last;
      return WW_OK;
    }
    k = behind - 1;
  }
  return bad(p, p->tokens.v[x->first].begin, "a declaration does not end", e);
}

/* The { of namespace a { or extern "C" {; 0: it is neither. */
static uint32_t opens_block(const ww_pieces *p, uint32_t k) {
  if (ww_token_is(p, k, "extern") && k + 2 < p->tokens.n && sign(p, k + 2) == '{')
    return k + 2;
  if (ww_token_is(p, k, "inline"))
    k++;
  if (!ww_token_is(p, k, "namespace"))
    return 0;
  while (++k < p->tokens.n && sign(p, k) != '{')
    if (sign(p, k) == ';' || sign(p, k) == '=')
      return 0;
  return k < p->tokens.n ? k : 0;
}

ww_status ww_pieces_cut(const char *text, ww_arena *a, ww_pieces *out, ww_err *e) {
  uint32_t depth = 0;
  *out = (ww_pieces){.text = text};
  ww_status st = cut_tokens(out, a, e);
  for (uint32_t k = 0; !st && k < out->tokens.n;) {
    uint32_t brace = opens_block(out, k);
    bool ends = sign(out, k) == '}' && depth;
    if (brace || ends || out->tokens.v[k].kind == WW_TOKEN_DIRECTIVE ||
        sign(out, k) == ';') {
      depth += brace ? 1 : ends ? -1u : 0;
      out->blocks |= brace != 0;
      k = brace ? brace + 1 : k + 1;
      continue;
    }
    ww_piece x = {.first = k};
    st = cut_one(out, &x, e);
    if (!st)
      ww_push(a, &out->v, x);
    k = x.last;
  }
  if (!st && depth)
    st = ww_fail(e, WW_EDATA, "brackets do not match");
  return st;
}
