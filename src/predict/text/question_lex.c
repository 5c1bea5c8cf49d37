/* question_lex.c - source text to tokens, with macros replaced.
 *
 * Not a preprocessor: directives other than #define count for nothing (src/front/scan.c
 * leaves out dead branches), and what a header would define stays as it is written.
 * Everything is bounded: tokens, steps, depth; what goes beyond is left out, never an
 * error. */
#include <stdlib.h>

#include "../../base/words.h"
#include "question_int.h"

enum { DEPTH = 12, STEPS = 200000 };

static bool word_start(char c) {
  return isalpha((unsigned char)c) || c == '_';
}
static bool spelled_as_one_of(const ww_qtoken *t, const char *words) {
  for (const char *at = words; (at = strchr(at, *t->s)); at++) {
    bool begins = at == words || at[-1] == ' ';
    if (begins && !strncmp(at, t->s, t->n) && (!at[t->n] || at[t->n] == ' '))
      return true;
  }
  return false;
}

bool ww_qtoken_in(const ww_qtoken *t, const char *words) {
  return t->kind == Q_WORD && spelled_as_one_of(t, words);
}

bool ww_qop_in(const ww_qtoken *t, const char *ops) {
  return t->op && spelled_as_one_of(t, ops);
}

bool ww_qtoken_begins(const ww_qtoken *t, const char *words) {
  for (size_t n; *words; words += n + (words[n] == ' ')) {
    n = strcspn(words, " ");
    if (t->n >= n && !memcmp(t->s, words, n))
      return true;
  }
  return false;
}

static void push(ww_qlex *l, ww_qtokens *out, ww_qtoken t) {
  if (out->n < WW_QLEX_MOST)
    ww_push(l->a, out, t);
}

/* ---- one token ---- */

/* Each fills in what it knows of the token and returns one past it. Here: 1'000u,
 * 0x1fULL, .5h. */
static const char *lex_number(const char *p, const char *end, ww_qtoken *t) {
  char text[64];
  uint32_t n = 0;
  bool hex = end - p > 1 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'), real = false;
  for (; p < end && (ww_is_word(*p) || *p == '.' || *p == '\''); p++) {
    char c = tolower((unsigned char)*p);
    bool exponent = hex ? c == 'p' : c == 'e';
    real |= *p == '.' || exponent;
    if (*p != '\'' && n + 2 < sizeof text)
      text[n++] = c;
    if (exponent && end - p > 1 && (p[1] == '+' || p[1] == '-')) {
      p++;
      if (n + 2 < sizeof text)
        text[n++] = *p;
    }
  }
  text[n] = 0;
  const char *last = n ? text + n - 1 : text;
  if (real || (!hex && (*last == 'f' || *last == 'h'))) {
    t->kind = Q_FLOAT;
    t->type = !hex && *last == 'f' ? 'f' : *last == 'h' ? 'h' : 'd';
    t->value = strtod(text, NULL);
    return p;
  }
  t->kind = Q_INT;
  char *suffix;
  t->value = strtoull(text + 2 * (n > 2 && text[1] == 'b'), &suffix,
                      n > 2 && text[1] == 'b' ? 2 : 0);
  t->type = strchr(suffix, 'l') ? 'l' : strchr(suffix, 'u') ? 'u' : 'i';
  return p;
}

static const char *lex_punct(const char *p, const char *end, ww_qtoken *t) {
  static const char *const longer[] = {
      "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
      "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "::", "##", NULL};
  uint32_t n = 1;
  for (const char *const *w = longer; *w && n == 1; w++)
    if ((size_t)(end - p) >= strlen(*w) && !memcmp(p, *w, strlen(*w)))
      n = strlen(*w);
  t->kind = Q_PUNCT;
  for (uint32_t i = 0; i < n; i++)
    t->op |= Q_OP1(p[i]) << 8 * i;
  return p + n;
}

/* Character constants are numbers, strings are texts. */
static const char *lex_quoted(const char *p, const char *end, ww_qtoken *t) {
  char quote = *p++;
  while (p < end && *p != quote && *p != '\n')
    p += *p == '\\' && end - p > 1 ? 2 : 1;
  p += p < end;
  t->kind = Q_TEXT;
  if (quote == '\'') {
    t->kind = Q_INT;
    t->type = 'c';
    t->value = p - t->s > 2 ? (unsigned char)t->s[1] : 0;
  }
  return p;
}

/* Spaces, comments and continued lines; NULL at the end. */
static const char *skip_space(const char *p, const char *end) {
  while (p < end) {
    if (isspace((unsigned char)*p) ||
        (*p == '\\' && end - p > 1 && (p[1] == '\n' || p[1] == '\r')))
      p++;
    else if (end - p > 1 && p[0] == '/' && p[1] == '/')
      while (p < end && *p != '\n')
        p++;
    else if (end - p > 1 && p[0] == '/' && p[1] == '*') {
      const char *close = memmem(p + 2, end - p - 2, "*/", 2);
      p = close ? close + 2 : end;
    } else
      return p;
  }
  return NULL;
}

static const char *lex_one(const char *p, const char *end, ww_qtoken *t) {
  *t = (ww_qtoken){.kind = Q_WORD, .s = p, .sym = -1};
  if (word_start(*p))
    while (p < end && ww_is_word(*p))
      p++;
  else if (isdigit((unsigned char)*p) ||
           (*p == '.' && end - p > 1 && isdigit((unsigned char)p[1])))
    p = lex_number(p, end, t);
  else if (*p == '"' || *p == '\'')
    p = lex_quoted(p, end, t);
  else
    p = lex_punct(p, end, t);
  t->n = p - t->s;
  return p;
}

static void lex_text(ww_qlex *l, const char *p, const char *end, ww_qtokens *out) {
  ww_qtoken t;
  while ((p = skip_space(p, end)) && p < end && out->n < WW_QLEX_MOST) {
    p = lex_one(p, end, &t);
    push(l, out, t);
  }
}

/* ---- macros ---- */

static const ww_qmacro *find(const ww_qlex *l, const ww_qtoken *t) {
  int32_t index = t->kind == Q_WORD ? ww_qmap_get(&l->names, t) : -1;
  return index < 0 ? NULL : &l->macros.v[index];
}

static void add(ww_qlex *l, ww_qmacro m) {
  ww_qmap_put(&l->names, l->a, &m.name, l->macros.n);
  ww_push(l->a, &l->macros, m);
}

void ww_qlex_define(ww_qlex *l,
                    const ww_qtoken *name,
                    const ww_qtoken *body,
                    uint32_t nbody) {
  ww_qmacro m = {.name = *name};
  for (uint32_t i = 0; i < nbody; i++)
    ww_push(l->a, &m.body, body[i]);
  add(l, m);
}

/* `NAME value` or `NAME(a, b) value`. */
static void define_text(ww_qlex *l, const char *p, const char *end) {
  ww_qmacro m = {0};
  WW_VEC(const char *) params = {0};
  if (!(p = skip_space(p, end)) || !word_start(*p))
    return;
  p = lex_one(p, end, &m.name);
  if (p < end && *p == '(') {
    m.function = true;
    while (p < end && *p != ')') {
      const char *w = ++p;
      while (p < end && *p != ',' && *p != ')')
        p++;
      const char *behind = p;
      while (w < behind && isspace((unsigned char)*w))
        w++;
      while (behind > w && isspace((unsigned char)behind[-1]))
        behind--;
      if (behind > w && params.n < 64)
        ww_push(l->a, &params, ww_strndup(l->a, w, behind - w));
    }
    p += p < end;
  }
  m.params = params.v;
  m.nparams = params.n;
  lex_text(l, p, end, &m.body);
  add(l, m);
}

void ww_qlex_macros(ww_qlex *l, const char *const *flags, uint32_t nflags) {
  const ww_scan *s = l->scan;
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->kind[i] != WW_BYTE_DIRECTIVE)
      continue;
    uint32_t end = i;
    while (end < s->n && s->kind[end] == WW_BYTE_DIRECTIVE)
      end++;
    const char *p = s->text + i + 1;
    while (p < s->text + end && (*p == ' ' || *p == '\t'))
      p++;
    if (end - i > 8 && !strncmp(p, "define", 6))
      define_text(l, p + 6, s->text + end);
    i = end;
  }
  for (uint32_t k = 0; k < nflags; k++) {
    const char *f = flags[k];
    if (!ww_starts(f, "-D") || !f[2])
      continue;
    char *text = ww_strdup(l->a, f + 2);
    char *equals = strchr(text, '=');
    if (equals)
      *equals = ' ';
    if (!equals)
      text = ww_fmt(l->a, "%s 1", text);
    define_text(l, text, text + strlen(text));
  }
}

/* ---- expansion ---- */

typedef struct {
  ww_qlex *l;
  ww_qtokens *out;
  uint32_t steps;
} expander;

static void expand(expander *x, const ww_qtoken *t, uint32_t n, int depth);

static void paste(ww_qlex *l, ww_qtokens *v, ww_qtoken t) {
  ww_qtoken *last = &v->v[v->n - 1];
  ww_qtoken joined;
  char *text = ww_fmt(l->a, "%.*s%.*s", (int)last->n, last->s, (int)t.n, t.s);
  lex_one(text, text + strlen(text), &joined);
  *last = joined;
}

/* The macro's body with arguments in place; args[k] is a range of the caller's tokens.
 */
static void substitute(expander *x,
                       const ww_qmacro *m,
                       const ww_qtoken *const *args,
                       const uint32_t *nargs,
                       int depth) {
  ww_qtokens v = {0};
  bool join = false;
  for (uint32_t i = 0; i < m->body.n && v.n < WW_QLEX_MOST; i++) {
    ww_qtoken t = m->body.v[i];
    if (t.op == Q_OP2('#', '#')) {
      join = v.n > 0;
      continue;
    }
    uint32_t p = 0;
    while (p < m->nparams && !ww_qtoken_is(&t, m->params[p]))
      p++;
    uint32_t count = p < m->nparams ? nargs[p] : 1;
    for (uint32_t k = 0; k < count; k++, join = false) {
      ww_qtoken one = p < m->nparams ? args[p][k] : t;
      if (join && one.n + v.v[v.n - 1].n < 200)
        paste(x->l, &v, one);
      else
        push(x->l, &v, one);
      if (++x->steps > STEPS)
        return;
    }
  }
  expand(x, v.v, v.n, depth + 1);
}

/* t[at] is a function-like macro's name, t[at + 1] its '('; returns one past ')'. 0: no
 * end. */
static uint32_t call(expander *x,
                     const ww_qmacro *m,
                     const ww_qtoken *t,
                     uint32_t at,
                     uint32_t n,
                     int depth) {
  const ww_qtoken *args[64] = {NULL};
  uint32_t nargs[64] = {0};
  uint32_t arg = 0;
  uint32_t level = 0;
  for (uint32_t i = at + 1; i < n; i++) {
    if (ww_qop_in(&t[i], "( [ {") && !level++) {
      args[0] = t + i + 1;
      continue;
    }
    if (ww_qop_in(&t[i], ") ] }") && !--level) {
      nargs[arg] = t + i - args[arg];
      substitute(x, m, args, nargs, depth);
      return i + 1;
    }
    if (t[i].op == ',' && level == 1 && arg + 1 < 64 && arg + 1 < m->nparams) {
      nargs[arg] = t + i - args[arg];
      args[++arg] = t + i + 1;
    }
  }
  return 0;
}

static void expand(expander *x, const ww_qtoken *t, uint32_t n, int depth) {
  for (uint32_t i = 0; i < n && x->out->n < WW_QLEX_MOST; i++) {
    const ww_qmacro *m = depth < DEPTH ? find(x->l, &t[i]) : NULL;
    if (++x->steps > STEPS)
      return;
    bool called = m && m->function && i + 1 < n && t[i + 1].op == '(';
    uint32_t end = called ? call(x, m, t, i, n, depth) : 0;
    if (m && !m->function)
      substitute(x, m, NULL, NULL, depth);
    else if (end)
      i = end - 1;
    else
      push(x->l, x->out, t[i]);
  }
}

/* ---- ranges of the source ---- */

/* #pragma unroll and #pragma omp change the code, and stand in the text. */
static void lex_pragma(ww_qlex *l, const char *p, const char *end, ww_qtokens *out) {
  ww_qtokens all = {0};
  lex_text(l, p, end, &all);
  if (all.n < 3 || !ww_qtoken_is(&all.v[1], "pragma") ||
      !ww_qtoken_in(&all.v[2], "unroll omp"))
    return;
  for (uint32_t i = 2; i < all.n; i++) {
    /* where data is, not what is done */
    if (ww_qtoken_in(&all.v[i], "map shared firstprivate")) {
      uint32_t level = 0;
      for (i++; i < all.n; i++) {
        level += all.v[i].op == '(';
        if (all.v[i].op == ')' && !--level)
          break;
      }
      continue;
    }
    push(l, out, all.v[i]);
  }
  push(l, out, (ww_qtoken){.kind = Q_PUNCT, .s = "\n", .n = 1, .op = '\n', .sym = -1});
}

void ww_qlex_range(
    ww_qlex *l, uint32_t from, uint32_t to, bool macros, ww_qtokens *out) {
  const ww_scan *s = l->scan;
  ww_qtokens raw = {0};
  if (to > s->n)
    to = s->n;
  for (uint32_t i = from; i < to && raw.n < WW_QLEX_MOST;) {
    uint8_t k = s->kind[i];
    uint32_t end = i;
    bool code = k == WW_BYTE_CODE || k == WW_BYTE_STRING;
    while (end < to &&
           (s->kind[end] == k ||
            (code && (s->kind[end] == WW_BYTE_CODE || s->kind[end] == WW_BYTE_STRING))))
      end++;
    if (code)
      lex_text(l, s->text + i, s->text + end, &raw);
    if (k == WW_BYTE_DIRECTIVE)
      lex_pragma(l, s->text + i, s->text + end, &raw);
    i = end;
  }
  expander x = {.l = l, .out = out};
  if (macros)
    expand(&x, raw.v, raw.n, 0);
  else
    for (uint32_t i = 0; i < raw.n; i++)
      push(l, out, raw.v[i]);
}

void ww_qlex_words(ww_qlex *l, uint32_t from, uint32_t to, ww_qtokens *out) {
  lex_text(l, l->scan->text + from, l->scan->text + to, out);
}
