/* tokens.c - tokens of a source text, brackets matched, statements found.
 *
 * Stands on the scan of src/front, which knows what is comment, string and directive.
 * Any text will do: what does not match has no partner. */
#include "tokens.h"

#include "../../base/words.h"

static bool word_char(char ch) {
  return ww_is_word(ch) || ch == '$';
}

/* ---- tokens ---- */

/* Bytes of a line splice at i: backslash, newline. */
static uint32_t splice(const ww_scan *s, uint32_t i) {
  const char *at = s->text + i;
  if (i + 1 >= s->n || at[0] != '\\')
    return 0;
  return at[1] == '\n' ? 2 : i + 2 < s->n && at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

static bool is_code(const ww_scan *s, uint32_t i) {
  return i < s->n && s->kind[i] == WW_BYTE_CODE;
}

static bool belongs(char ch, bool number) {
  return word_char(ch) || (number && ch == '.');
}

/* Of a word, or of a preprocessing number: 1.5e-3f, 0x1p-4, 1'000'000u. */
static uint32_t word_end(const ww_scan *s, uint32_t i, bool number, uint8_t *kind) {
  uint32_t at = i;
  bool hex = s->text[i] == '0' && i + 1 < s->n &&
             (s->text[i + 1] == 'x' || s->text[i + 1] == 'X');
  *kind = number ? WW_TOK_NUMBER : WW_TOK_WORD;
  while (is_code(s, i)) {
    char ch = s->text[i];
    char before = i > at ? s->text[i - 1] : ' ';
    uint32_t k = splice(s, i);
    bool sign = (ch == '+' || ch == '-') && strchr(hex ? "pP" : "eE", before);
    bool digit =
        ch == '\'' && is_code(s, i + 1) && isalnum((unsigned char)s->text[i + 1]);
    if (k && is_code(s, i + k) && belongs(s->text[i + k], number)) {
      *kind = WW_TOK_ODD;
      i += k;
    } else if (belongs(ch, number) || (number && (sign || digit)))
      i++;
    else
      break;
  }
  return i;
}

static uint32_t sign_end(const ww_scan *s, uint32_t i) {
  static const char *const longer[] = {
      "<<=", ">>=", "->*", "...", "->", "++", "--", "+=", "-=", "*=", "/=", "%=",
      "&=",  "|=",  "^=",  "==",  "!=", "<=", ">=", "&&", "||", "::", NULL};
  for (uint32_t k = 0; longer[k]; k++) {
    uint32_t n = strlen(longer[k]);
    if (i + n <= s->n && !memcmp(s->text + i, longer[k], n) &&
        s->kind[i + n - 1] == WW_BYTE_CODE)
      return i + n;
  }
  return i + 1;
}

typedef WW_VEC(ww_token) tokens;

static void lex(const ww_ctext *c, tokens *out) {
  const ww_scan *s = &c->scan;
  for (uint32_t i = 0; i < s->n;) {
    ww_token t = {.at = i, .pair = WW_NOTOK, .kind = WW_TOK_SIGN};
    uint32_t skip = splice(s, i);
    char ch = s->text[i];
    bool dot = ch == '.' && is_code(s, i + 1) && isdigit((unsigned char)s->text[i + 1]);
    if (s->kind[i] == WW_BYTE_STRING) {
      t.kind = WW_TOK_STRING;
      while (i < s->n && s->kind[i] == WW_BYTE_STRING)
        i++;
    } else if (s->kind[i] != WW_BYTE_CODE || isspace((unsigned char)ch) || skip) {
      i += skip ? skip : 1;
      continue;
    } else if (word_char(ch) || dot)
      i = word_end(s, i, dot || isdigit((unsigned char)ch), &t.kind);
    else
      i = sign_end(s, i);
    t.end = i;
    ww_push(c->a, out, t);
  }
}

static char bracket(const ww_ctext *c, uint32_t i) {
  return c->t[i].kind == WW_TOK_SIGN && c->t[i].end == c->t[i].at + 1
             ? c->text[c->t[i].at]
             : ' ';
}

/* A closing brace ends every bracket that is still open inside of it, so that one
 * missing ')' does not cost the file. */
static void match(ww_ctext *c) {
  WW_VEC(uint32_t) open = {0};
  uint32_t braces = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    char ch = bracket(c, i);
    if (ch == '(' || ch == '[' || ch == '{') {
      ww_push(c->a, &open, i);
      braces += ch == '{';
    }
    if (ch == '}' && braces)
      while (bracket(c, open.v[open.n - 1]) != '{')
        open.n--;
    char want = ch == ')' ? '(' : ch == ']' ? '[' : ch == '}' ? '{' : 0;
    if (!want || !open.n || bracket(c, open.v[open.n - 1]) != want)
      continue;
    uint32_t partner = open.v[--open.n];
    braces -= ch == '}';
    c->t[i].pair = partner;
    c->t[partner].pair = i;
  }
}

/* ---- macros ---- */

static uint32_t blanks(const ww_scan *s, uint32_t i, uint32_t end) {
  while (i < end && (s->text[i] == ' ' || s->text[i] == '\t'))
    i++;
  return i;
}

static uint32_t directive_end(const ww_scan *s, uint32_t i) {
  uint32_t end = i;
  while (end < s->n && s->kind[end] == WW_BYTE_DIRECTIVE &&
         !(s->text[end] == '\n' && !splice(s, end - 1)))
    end++;
  return end;
}

static void add_macro(ww_ctext *c, uint32_t i, uint32_t end) {
  const ww_scan *s = &c->scan;
  uint32_t name = i;
  while (i < end && word_char(s->text[i]))
    i++;
  if (i == name || (i < end && s->text[i] == '('))
    return;
  ww_macro m = {.name = ww_strndup(c->a, s->text + name, i - name)};
  m.value = i = blanks(s, i, end);
  while (i < end && !(s->text[i] == '/' && i + 1 < end &&
                      (s->text[i + 1] == '/' || s->text[i + 1] == '*')))
    i++;
  while (i > m.value && isspace((unsigned char)s->text[i - 1]))
    i--;
  m.value_n = i - m.value;
  ww_push(c->a, &c->macros, m);
}

static void find_macros(ww_ctext *c) {
  const ww_scan *s = &c->scan;
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->kind[i] != WW_BYTE_DIRECTIVE)
      continue;
    uint32_t end = directive_end(s, i);
    uint32_t at = blanks(s, i + 1, end);
    if (end > at + 7 && !memcmp(s->text + at, "define", 6) &&
        strchr(" \t", s->text[at + 6]))
      add_macro(c, blanks(s, at + 6, end), end);
    if (end > i)
      i = end - 1;
  }
}

bool ww_ctext_directives(const ww_ctext *c, uint32_t word) {
  const ww_scan *s = &c->scan;
  if (word >= c->n)
    return false;
  size_t n = ww_tok_len(c, word);
  const char *from = c->text;
  const char *end = c->text + s->n;
  for (const char *p = from; (p = memmem(p, end - p, ww_tok_at(c, word), n)); p++) {
    bool alone = !(p > from && word_char(p[-1])) && !(p + n < end && word_char(p[n]));
    if (alone && s->kind[p - from] == WW_BYTE_DIRECTIVE)
      return true;
  }
  return false;
}

const ww_macro *ww_ctext_macro(const ww_ctext *c, const char *name, size_t n) {
  const ww_macro *found = NULL;
  for (uint32_t k = 0; k < c->macros.n; k++) {
    const ww_macro *m = &c->macros.v[k];
    if (strlen(m->name) != n || memcmp(m->name, name, n))
      continue;
    if (found)
      return NULL; /* by configuration: which one counts is not ours to say */
    found = m;
  }
  return found;
}

/* ---- reading tokens ---- */

uint32_t ww_tok_from(const ww_ctext *c, uint32_t byte) {
  uint32_t lo = 0;
  uint32_t hi = c->n;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (c->t[mid].at < byte)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

bool ww_tok_is(const ww_ctext *c, uint32_t i, const char *s) {
  size_t n = strlen(s);
  return i < c->n && ww_tok_len(c, i) == n && !memcmp(ww_tok_at(c, i), s, n);
}

bool ww_tok_word(const ww_ctext *c, uint32_t i) {
  return i < c->n && c->t[i].kind == WW_TOK_WORD;
}

bool ww_tok_same(const ww_ctext *c, uint32_t i, uint32_t j) {
  if (i >= c->n || j >= c->n)
    return false;
  uint32_t n = ww_tok_len(c, i);
  return ww_tok_len(c, j) == n && !memcmp(ww_tok_at(c, i), ww_tok_at(c, j), n);
}

bool ww_text_in(const char *s, size_t n, const char *choices) {
  for (const char *p = choices; (p = memmem(p, strlen(p), s, n)); p++)
    if (p > choices && p[-1] == ' ' && p[n] == ' ')
      return true;
  return false;
}

bool ww_tok_in(const ww_ctext *c, uint32_t i, const char *choices) {
  return i < c->n && ww_text_in(ww_tok_at(c, i), ww_tok_len(c, i), choices);
}

const char *ww_tok_text(const ww_ctext *c, uint32_t i, uint32_t end) {
  if (i >= end || end > c->n)
    return "";
  return ww_strndup(c->a, ww_tok_at(c, i), c->t[end - 1].end - c->t[i].at);
}

bool ww_tok_equal(const ww_ctext *c, uint32_t i, uint32_t j, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (!ww_tok_same(c, i + k, j + k))
      return false;
  return true;
}

bool ww_tok_opens(const ww_ctext *c, uint32_t i, const char *bracket) {
  return ww_tok_is(c, i, bracket) && c->t[i].pair != WW_NOTOK;
}

uint32_t ww_tok_skip(const ww_ctext *c, uint32_t i) {
  return i < c->n && c->t[i].pair != WW_NOTOK && c->t[i].pair > i ? c->t[i].pair + 1
                                                                  : i + 1;
}

uint32_t ww_tok_find(const ww_ctext *c, uint32_t i, uint32_t end, const char *choices) {
  while (i < end && !ww_tok_in(c, i, choices))
    i = ww_tok_skip(c, i);
  return i < end ? i : end;
}

uint32_t ww_tok_comma(const ww_ctext *c, uint32_t open) {
  uint32_t close = c->t[open].pair;
  uint32_t comma = ww_tok_find(c, open + 1, close, " , ");
  return comma < close && ww_tok_find(c, comma + 1, close, " , ") == close ? comma : 0;
}

/* ---- statements ---- */

bool ww_ctext_control(const ww_ctext *c, uint32_t open) {
  return open && ww_tok_is(c, open, "(") &&
         (ww_tok_in(c, open - 1, " if for while switch ") ||
          (ww_tok_is(c, open - 1, "constexpr") && open > 1 &&
           ww_tok_is(c, open - 2, "if")));
}

/* is this '{' part of an expression? */
static bool initialiser(const ww_ctext *c, uint32_t open) {
  return open && ww_tok_in(c, open - 1, " = ] , { return ");
}

static uint32_t statement_begin(const ww_ctext *c, uint32_t i, uint32_t lo) {
  while (i > lo) {
    uint32_t p = i - 1;
    char ch = bracket(c, p);
    if (ch == ';' || ww_tok_in(c, p, " else do ") ||
        (ch == '(' && ww_ctext_control(c, p)) || (ch == '{' && !initialiser(c, p)))
      break;
    if (ch == ')' || ch == ']' || ch == '}') {
      p = c->t[p].pair;
      if (p == WW_NOTOK || (ch == ')' && ww_ctext_control(c, p)) ||
          (ch == '}' && !initialiser(c, p)) || p < lo)
        break;
    }
    i = p;
  }
  return i;
}

static uint32_t statement_stop(const ww_ctext *c, uint32_t i, uint32_t hi) {
  while (i < hi) {
    char ch = bracket(c, i);
    uint32_t pair = c->t[i].pair;
    if (ch == ';' || (ch == '{' && !initialiser(c, i)) ||
        (ch == ')' && pair != WW_NOTOK && ww_ctext_control(c, pair)) ||
        (ch == '}' && (pair == WW_NOTOK || !initialiser(c, pair))))
      break;
    i = ww_tok_skip(c, i);
  }
  return i < hi ? i : hi;
}

void ww_ctext_statement(const ww_ctext *c,
                        uint32_t i,
                        uint32_t lo,
                        uint32_t hi,
                        uint32_t *begin,
                        uint32_t *end) {
  *begin = statement_begin(c, i, lo);
  *end = statement_stop(c, i, hi);
}

uint32_t ww_ctext_statement_end(const ww_ctext *c, uint32_t i, uint32_t hi) {
  for (int heads = 0; heads < 64 && i < hi; heads++) {
    if (ww_tok_is(c, i, "{"))
      return ww_tok_skip(c, i);
    if (ww_tok_in(c, i, " else do ")) {
      i++;
      continue;
    }
    uint32_t open = i + 1 + ww_tok_is(c, i + 1, "constexpr");
    if (open < hi && ww_ctext_control(c, open)) {
      i = ww_tok_skip(c, open);
      continue;
    }
    uint32_t stop = statement_stop(c, i, hi);
    return stop < hi && ww_tok_is(c, stop, ";") ? stop + 1 : stop;
  }
  return hi;
}

/* ---- lines ---- */

uint32_t ww_ctext_line_start(const ww_ctext *c, uint32_t byte) {
  while (byte && c->text[byte - 1] != '\n')
    byte--;
  return byte;
}

const char *ww_ctext_indent(const ww_ctext *c, uint32_t byte) {
  uint32_t at = ww_ctext_line_start(c, byte);
  return ww_strndup(c->a, c->text + at, blanks(&c->scan, at, byte) - at);
}

bool ww_ctext_first(const ww_ctext *c, uint32_t byte) {
  uint32_t at = ww_ctext_line_start(c, byte);
  return at + strlen(ww_ctext_indent(c, byte)) == byte;
}

/* ---- all ---- */

/* What lies outside of functions: file scope and members of classes. */
static void file_names(ww_ctext *c) {
  uint32_t from = 0;
  for (uint32_t k = 0; k < c->scan.ndecls; k++) {
    const ww_decl *d = &c->scan.decls[k];
    if (!d->body || d->begin < from)
      continue;
    ww_ctext_names(c, ww_tok_from(c, from), ww_tok_from(c, d->begin), &c->file);
    from = d->body_end;
  }
  ww_ctext_names(c, ww_tok_from(c, from), c->n, &c->file);
}

void ww_ctext_read(const ww_fix_source *s, ww_arena *a, ww_ctext *out) {
  *out = (ww_ctext){.s = s, .text = s->text, .a = a};
  ww_scan_source(s->text, s->n, a, &out->scan);
  const char *line = memchr(s->text, '\n', s->n);
  out->eol = line && line > s->text && line[-1] == '\r' ? "\r\n" : "\n";
  tokens t = {0};
  lex(out, &t);
  out->t = t.v;
  out->n = t.n;
  match(out);
  find_macros(out);
  file_names(out);
}
