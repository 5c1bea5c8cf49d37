/* lex.c - tokens of the IR's text form, numbers for names; `;` starts a comment. See
 * lex.h. */
#include "lex.h"

#include <stdlib.h>

void ww_lex_fail(ww_lex *l, const char *fmt, ...) {
  if (l->st)
    return;
  char msg[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(msg, sizeof msg, fmt, ap);
  va_end(ap);
  l->st = ww_fail(l->e, WW_EPARSE, "line %u of the IR text: %s", l->at, msg);
  if (l->e)
    l->e->line = l->at;
  l->kind = TOK_END;
  l->s = "";
}

static void take(ww_lex *l, ww_tok kind, size_t n) {
  l->kind = kind;
  l->s = ww_strndup(l->a, l->p, n);
  l->p += n;
}

static void take_word(ww_lex *l, ww_tok kind) {
  size_t n = 0;
  while (ww_ir_word_char(l->p[n]))
    n++;
  if (n)
    take(l, kind, n);
  else
    ww_lex_fail(l, "a name is missing");
}

static void take_string(ww_lex *l, ww_tok kind) {
  const char *p = l->p + 1;
  size_t n = strcspn(p, "\n");
  size_t k = 0;
  char *s = ww_alloc(l->a, n + 1);
  for (; *p && *p != '"' && *p != '\n'; p++) {
    if (*p != '\\') {
      s[k++] = *p;
    } else if (p[1] == 'x' && strspn(p + 2, "0123456789abcdefABCDEF") >= 2) {
      s[k++] = strtoul((char[]){p[2], p[3], 0}, NULL, 16);
      p += 3;
    } else if (p[1] == '"' || p[1] == '\\') {
      s[k++] = *++p;
    } else {
      ww_lex_fail(l, "unknown escape in a string; \\\", \\\\ and \\xNN are known");
      return;
    }
  }
  if (*p != '"') {
    ww_lex_fail(l, "a string is not closed");
    return;
  }
  l->kind = kind;
  l->s = s;
  l->p = p + 1;
}

static void take_number(ww_lex *l) {
  size_t n = l->p[0] == '-';
  bool hex = l->p[n] == '0' && (l->p[n + 1] == 'x' || l->p[n + 1] == 'X');
  while (ww_ir_word_char(l->p[n]) || (!hex && (l->p[n] == '-' || l->p[n] == '+') &&
                                      tolower((unsigned char)l->p[n - 1]) == 'e'))
    n++;
  take(l, TOK_NUMBER, n);
}

void ww_lex_next(ww_lex *l) {
  if (l->st)
    return;
  while (*l->p == ' ' || *l->p == '\t' || *l->p == '\r')
    l->p++;
  if (*l->p == ';')
    l->p += strcspn(l->p, "\n");
  l->at = l->line;
  char c = *l->p;
  if (!c) {
    take(l, TOK_END, 0);
  } else if (c == '\n') {
    take(l, TOK_NEWLINE, 1);
    l->line++;
  } else if (c == '%' || c == '@' || c == '$') {
    l->p++;
    if (c == '$' && *l->p == '"')
      take_string(l, TOK_GLOBAL);
    else
      take_word(l, c == '%' ? TOK_VALUE : c == '@' ? TOK_BLOCK : TOK_GLOBAL);
  } else if (c == '"') {
    take_string(l, TOK_STRING);
  } else if (isdigit((unsigned char)c) ||
             (c == '-' && isdigit((unsigned char)l->p[1]))) {
    take_number(l);
  } else if (ww_ir_word_char(c)) {
    take_word(l, TOK_WORD);
  } else if (strchr("=,:!#+-()[]{}", c)) {
    take(l, TOK_PUNCT, 1);
  } else {
    ww_lex_fail(l, "unexpected character '%c'", isprint((unsigned char)c) ? c : '?');
  }
}

bool ww_lex_accept(ww_lex *l, char punct) {
  if (!ww_lex_punct(l, punct))
    return false;
  ww_lex_next(l);
  return true;
}

bool ww_lex_keyword(ww_lex *l, const char *word) {
  if (!ww_lex_is(l, TOK_WORD, word))
    return false;
  ww_lex_next(l);
  return true;
}

void ww_lex_expect(ww_lex *l, char punct) {
  if (!ww_lex_accept(l, punct))
    ww_lex_fail(l, "expected '%c' before '%s'", punct, l->s);
}

uint64_t ww_lex_uint(ww_lex *l, uint64_t max) {
  char *end;
  uint64_t v = l->kind == TOK_NUMBER ? strtoull(l->s, &end, 10) : 0;
  if (l->kind != TOK_NUMBER || *end || l->s[0] == '-' || v > max) {
    ww_lex_fail(l, "expected a number up to %llu, not '%s'", (unsigned long long)max,
                l->s);
    return 0;
  }
  ww_lex_next(l);
  return v;
}

const char *ww_lex_string(ww_lex *l) {
  const char *s = l->s;
  if (l->kind != TOK_STRING)
    ww_lex_fail(l, "expected a string, not '%s'", s);
  ww_lex_next(l);
  return s;
}

void ww_lex_end_line(ww_lex *l) {
  if (l->kind == TOK_NEWLINE)
    ww_lex_next(l);
  else if (l->kind != TOK_END)
    ww_lex_fail(l, "unexpected '%s'", l->s);
}

/* ---- names ---- */

uint32_t
ww_names_get(ww_dict *d, ww_arena *a, const void *key, uint32_t n, uint32_t fresh) {
  const uint32_t *known = ww_dict_find(d, key, n);
  if (known)
    return *known;
  bool made;
  char *copy = ww_alloc(a, n + 1u);
  memcpy(copy, key, n);
  *ww_dict_at(d, a, copy, n, &made) = fresh;
  return fresh;
}
