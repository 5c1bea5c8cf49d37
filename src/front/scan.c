/* scan.c - declarations of a C, C++, CUDA or OpenCL source, found by lexing and bracket
 * matching alone.
 *
 * clang rejects a file as a whole; to save the good parts of a bad file something must
 * know where its parts begin and end without understanding them. Two passes: every byte
 * is classed as code, comment, string or directive, then code is cut into declarations
 * at namespace and class scope. Macros are not expanded: a file that hides braces in
 * macros gives wrong cuts, which cost a part of the file but never more, since clang
 * judges the result. */
#include "scan.h"

#include "../base/words.h"

/* ---- pass one: bytes ---- */

typedef struct {
  const char *p;
  uint32_t n;
  uint8_t *kind;
} lexer;

static uint32_t mark(lexer *l, uint32_t from, uint32_t to, ww_byte_kind k) {
  if (to > l->n)
    to = l->n;
  memset(l->kind + from, k, to - from);
  return to;
}

/* Of a line that no backslash continues; i > 0. */
static bool is_line_end(const lexer *l, uint32_t i) {
  return l->p[i] == '\n' && l->p[i - 1] != '\\' &&
         !(l->p[i - 1] == '\r' && i > 1 && l->p[i - 2] == '\\');
}

static uint32_t line_comment_end(const lexer *l, uint32_t i) {
  while (i < l->n && !is_line_end(l, i))
    i++;
  return i;
}

static uint32_t block_comment_end(const lexer *l, uint32_t i) {
  const char *end = memmem(l->p + i + 2, l->n - i - 2, "*/", 2);
  return end ? end - l->p + 2 : l->n;
}

static uint32_t string_end(const lexer *l, uint32_t i) {
  char quote = l->p[i];
  for (i++; i < l->n && l->p[i] != quote && l->p[i] != '\n'; i++)
    if (l->p[i] == '\\' && i + 1 < l->n)
      i++;
  return i + (i < l->n && l->p[i] == quote);
}

/* R"tag( ... )tag"; i at the quote. */
static uint32_t raw_string_end(const lexer *l, uint32_t i) {
  uint32_t open = i + 1;
  while (open < l->n && l->p[open] != '(' && open - i < 18)
    open++;
  char close[24];
  int n = snprintf(close, sizeof close, ")%.*s\"", (int)(open - i - 1), l->p + i + 1);
  const char *end = open < l->n ? memmem(l->p + open, l->n - open, close, n) : NULL;
  return end ? end - l->p + n : l->n;
}

/* Comments inside a directive may span lines; strings hide comment signs. */
static uint32_t directive_end(const lexer *l, uint32_t i) {
  while (i < l->n && !is_line_end(l, i))
    if (l->p[i] == '/' && l->p[i + 1] == '*')
      i = block_comment_end(l, i);
    else if (l->p[i] == '/' && l->p[i + 1] == '/')
      i = line_comment_end(l, i);
    else if (l->p[i] == '"')
      i = string_end(l, i);
    else
      i++;
  return i;
}

static void class_bytes(lexer *l) {
  bool line_start = true;
  for (uint32_t i = 0; i < l->n;) {
    char c = l->p[i];
    if (c == '\n')
      line_start = true;
    if (c == '/' && l->p[i + 1] == '/')
      i = mark(l, i, line_comment_end(l, i), WW_BYTE_COMMENT);
    else if (c == '/' && l->p[i + 1] == '*')
      i = mark(l, i, block_comment_end(l, i), WW_BYTE_COMMENT);
    else if (c == '#' && line_start)
      i = mark(l, i, directive_end(l, i), WW_BYTE_DIRECTIVE);
    else if (c == '"' && i && l->p[i - 1] == 'R' &&
             !(i > 1 && ww_is_word(l->p[i - 2]) && !strchr("LuU8", l->p[i - 2])))
      i = mark(l, i, raw_string_end(l, i), WW_BYTE_STRING);
    else if (c == '"' ||
             (c == '\'' && !(i && ww_is_word(l->p[i - 1])))) /* 1'000'000 is a number */
      i = mark(l, i, string_end(l, i), WW_BYTE_STRING);
    else {
      if (!ww_is_space(c))
        line_start = false;
      i++;
    }
  }
}

/* Marks code under `#if 0` as skipped; with `second`, also every branch behind an #else
 * or #elif.
 */
static void skip_branches(lexer *l, bool second) {
  bool skip[64] = {false};
  int depth = 0;
  for (uint32_t i = 0; i < l->n; i++) {
    if (l->kind[i] != WW_BYTE_DIRECTIVE) {
      bool dead = false;
      for (int d = 1; d <= depth && d < 64; d++)
        dead |= skip[d];
      if (dead)
        l->kind[i] = WW_BYTE_SKIPPED;
      continue;
    }
    const char *p = l->p + i + 1;
    p += strspn(p, " \t");
    if (ww_starts(p, "if") && ++depth < 64)
      skip[depth] = p[2] == ' ' && p[3 + strspn(p + 3, " ")] == '0' &&
                    !ww_is_word(p[4 + strspn(p + 3, " ")]);
    if (ww_starts(p, "el") && depth > 0 && depth < 64)
      skip[depth] = skip[depth] ? false : second;
    if (ww_starts(p, "endif") && depth > 0)
      depth--;
    while (i + 1 < l->n && l->kind[i + 1] == WW_BYTE_DIRECTIVE)
      i++;
  }
}

/* ---- pass two: declarations ---- */

typedef struct {
  ww_scan *s;
  ww_arena *a;
  WW_VEC(ww_decl) decls;
  uint32_t depth;
  bool unbalanced; /* braces do not match */
} cutter;

static bool is_word(const cutter *c, uint32_t at, uint32_t n, const char *w) {
  return strlen(w) == n && !memcmp(c->s->text + at, w, n);
}

static bool one_of(const cutter *c, uint32_t at, uint32_t n, const char *const *words) {
  for (; *words; words++)
    if (is_word(c, at, n, *words))
      return true;
  return false;
}

/* Next byte of code at or after i that is not space; n at the end. */
static uint32_t next_code(const ww_scan *s, uint32_t i) {
  while (i < s->n && ((s->kind[i] != WW_BYTE_CODE && s->kind[i] != WW_BYTE_STRING) ||
                      ww_is_space(s->text[i])))
    i++;
  return i;
}

/* i at '{'; one past its partner, or n. Other brackets inside are not looked at: a
 * missing ')' must not swallow the file. */
uint32_t ww_scan_braces(const ww_scan *s, uint32_t i) {
  int depth = 0;
  for (; i < s->n; i++) {
    if (s->kind[i] != WW_BYTE_CODE)
      continue;
    if (s->text[i] == '{')
      depth++;
    if (s->text[i] == '}' && --depth == 0)
      return i + 1;
  }
  return s->n + 1;
}

static uint32_t skip_brackets(const ww_scan *s, uint32_t i);

/* i at an opening one; one past its partner, or at `stop` outside of `inside`, which
 * are passed over as a whole, or n. */
static uint32_t skip_pairs(const ww_scan *s,
                           uint32_t i,
                           const char *opens,
                           const char *closes,
                           const char *inside,
                           char stop) {
  int depth = 0;
  while (i < s->n) {
    char ch = s->kind[i] == WW_BYTE_CODE && s->text[i] ? s->text[i] : ' ';
    if (strchr(inside, ch)) {
      i = skip_brackets(s, i);
      continue;
    }
    if (ch == stop)
      return i;
    depth += strchr(opens, ch) != NULL;
    if (strchr(closes, ch) && --depth == 0)
      return i + 1;
    i++;
  }
  return s->n;
}

/* The '}' that ends everything around it stops a '(' or '['. */
static uint32_t skip_brackets(const ww_scan *s, uint32_t i) {
  uint32_t end =
      s->text[i] == '{' ? ww_scan_braces(s, i) : skip_pairs(s, i, "([", ")]", "{", '}');
  return end > s->n ? s->n : end;
}

/* i at '<' of a template header; at a ';' it is none after all. */
static uint32_t skip_angles(const ww_scan *s, uint32_t i) {
  return skip_pairs(s, i, "<", ">", "({[", ';');
}

static const char *const not_a_name[] = {"noexcept",
                                         "throw",
                                         "requires",
                                         "__attribute__",
                                         "__launch_bounds__",
                                         "__align__",
                                         "alignas",
                                         "decltype",
                                         "__declspec",
                                         "__maxnreg__",
                                         "__cluster_dims__",
                                         "__block_size__",
                                         "if",
                                         "for",
                                         "while",
                                         "switch",
                                         "amdgpu_flat_work_group_size",
                                         NULL};

typedef struct {
  ww_decl d;
  bool no_member; /* typedef, using, friend, static ...: takes no room in an object */
  bool is_scope;  /* namespace, extern "C" */
  bool is_class;
  bool is_enum;
  bool assigned;  /* '=' seen: braces initialise */
  bool init_list; /* ':' behind the parameters */
  bool has_params;
  uint32_t last;         /* offset of the last significant byte */
  uint32_t word, word_n; /* last word */
} head;

static void note_word(cutter *c, head *h, uint32_t at, uint32_t n) {
  static const char *const roomless[] = {"typedef",   "using", "friend",
                                         "static",    "enum",  "static_assert",
                                         "namespace", NULL};
  static const char *const classes[] = {"class", "struct", "union", NULL};
  static const char *const kernels[] = {"__global__", "__kernel", NULL};
  static const char *const devices[] = {"__device__", "constexpr", "consteval", NULL};
  h->no_member |= one_of(c, at, n, roomless);
  h->is_scope |= is_word(c, at, n, "namespace");
  h->is_class |= !h->has_params && one_of(c, at, n, classes);
  h->is_enum |= is_word(c, at, n, "enum");
  h->d.kernel |=
      one_of(c, at, n, kernels) ||
      (is_word(c, at, n, "void") && is_word(c, h->word, h->word_n, "kernel"));
  h->d.host |= is_word(c, at, n, "__host__");
  /* A macro may stand for __device__ or __global__. */
  bool upper = n > 2 && !h->has_params && !ww_is_digit(c->s->text[at]);
  for (uint32_t i = 0; i < n; i++)
    upper &= !islower((unsigned char)c->s->text[at + i]);
  h->d.device |= upper || one_of(c, at, n, devices);
  h->word = at;
  h->word_n = n;
}

static void note_params(cutter *c, head *h, uint32_t open, uint32_t close) {
  if (!h->word_n || h->init_list || h->assigned)
    return;
  bool name_before = h->word + h->word_n == h->last + 1;
  if (!name_before && c->s->text[h->last] != '>' && c->s->text[h->last] != ')' &&
      !strchr("=+-*/%^&|<>!~]", c->s->text[h->last]))
    return;
  if (name_before && one_of(c, h->word, h->word_n, not_a_name))
    return;
  h->has_params = true;
  h->d.params = open + 1;
  /* a bracket that nothing closes ends where it opens */
  h->d.params_end = close > open + 1 ? close - 1 : open + 1;
  h->d.name = ww_strndup(c->a, c->s->text + h->word, h->word_n);
  h->d.line = h->word;
}

static void finish(cutter *c, head *h, uint32_t end) {
  h->d.end = end;
  h->d.layout =
      !h->has_params && !h->is_class && !h->is_scope && !h->is_enum && !h->no_member;
  if (!h->has_params)
    h->d.line = h->d.begin;
  ww_push(c->a, &c->decls, h->d);
}

static void cut_scope(cutter *c, uint32_t *pos);

/* At '{' outside parentheses: what it opens. Returns true when the declaration ended
 * with it. */
static bool cut_brace(cutter *c, head *h, uint32_t *pos) {
  const ww_scan *s = c->s;
  uint32_t open = *pos;
  bool extern_c =
      h->last < s->n && s->kind[h->last] == WW_BYTE_STRING && !h->has_params;
  if ((h->is_scope || extern_c) && !h->has_params) {
    *pos = open + 1;
    cut_scope(c, pos);
    return true;
  }
  if (h->is_class && !h->has_params && !h->assigned) {
    h->d.is_class = true;
    *pos = open + 1;
    cut_scope(c, pos);
    h->last = *pos - 1;
    return false; /* up to the semicolon */
  }
  bool member_init =
      h->init_list && (ww_is_word(s->text[h->last]) || s->text[h->last] == '>');
  *pos = ww_scan_braces(s, open);
  if (*pos > s->n) {
    c->unbalanced = true;
    *pos = s->n;
  }
  if (h->assigned || h->is_enum || !h->has_params || member_init) {
    h->last = *pos - 1;
    return false;
  }
  h->d.body = open;
  h->d.body_end = *pos;
  finish(c, h, *pos);
  return true;
}

static bool is_access_label(cutter *c, const head *h) {
  static const char *const labels[] = {"public",  "private", "protected",
                                       "signals", "slots",   NULL};
  return h->word == h->d.begin && one_of(c, h->word, h->word_n, labels);
}

/* One declaration from *pos on, or the scope's '}'. Returns false at the end of the
 * scope. */
static bool cut_one(cutter *c, uint32_t *pos) {
  const ww_scan *s = c->s;
  uint32_t i = next_code(s, *pos);
  head h = {.d = {.begin = i}, .last = UINT32_MAX};
  for (;; i = next_code(s, i)) {
    if (i >= s->n)
      break;
    char ch = s->text[i];
    if (s->kind[i] == WW_BYTE_STRING) {
      h.last = i;
      while (i < s->n && s->kind[i] == WW_BYTE_STRING)
        h.last = i++;
      continue;
    }
    if (ww_is_word(ch)) {
      uint32_t n = 0;
      while (i + n < s->n && ww_is_word(s->text[i + n]) &&
             s->kind[i + n] == WW_BYTE_CODE)
        n++;
      note_word(c, &h, i, n);
      h.last = i + n - 1;
      i += n;
      uint32_t next = next_code(s, i);
      if (is_word(c, h.word, n, "template") && next < s->n && s->text[next] == '<') {
        h.d.tmpl = true;
        i = skip_angles(s, next);
        h.last = i - 1;
      }
      continue;
    }
    if (ch == '(' || ch == '[') {
      uint32_t close = skip_brackets(s, i);
      if (ch == '(')
        note_params(c, &h, i, close);
      i = close;
      h.last = i - 1;
      continue;
    }
    if (ch == ';') {
      finish(c, &h, i + 1);
      *pos = i + 1;
      return true;
    }
    if (ch == '{') {
      *pos = i;
      if (cut_brace(c, &h, pos))
        return true;
      i = *pos;
      continue;
    }
    if (ch == '}' && !c->depth)
      c->unbalanced = true;
    if (ch == '}' && c->depth) {
      if (h.last != UINT32_MAX)
        finish(c, &h, i);
      *pos = i + 1;
      return false;
    }
    if (ch == ':' && i + 1 < s->n && s->text[i + 1] == ':') {
      h.last = i + 1;
      i += 2;
      continue;
    }
    if (ch == ':' && is_access_label(c, &h)) {
      *pos = i + 1;
      return true;
    }
    if (ch == ':' && h.has_params)
      h.init_list = true;
    if (ch == '=' && !(is_word(c, h.word, h.word_n, "operator") && !h.has_params))
      h.assigned = true;
    h.last = i++;
  }
  if (h.last != UINT32_MAX)
    finish(c, &h, s->n);
  if (c->depth)
    c->unbalanced = true;
  *pos = s->n;
  return false;
}

static void cut_scope(cutter *c, uint32_t *pos) {
  if (c->depth > 200) { /* hostile nesting: leave it whole */
    *pos = c->s->n;
    return;
  }
  c->depth++;
  while (cut_one(c, pos)) {}
  c->depth--;
}

static void cut_file(cutter *c) {
  c->decls.n = c->depth = c->unbalanced = 0;
  for (uint32_t pos = 0; pos < c->s->n;)
    while (cut_one(c, &pos)) {} /* a stray '}' ends nothing at file scope */
}

uint32_t ww_scan_line(const ww_scan *s, uint32_t offset) {
  uint32_t lo = 0;
  uint32_t hi = s->nlines;
  while (hi - lo > 1) {
    uint32_t mid = (lo + hi) / 2;
    if (s->lines[mid] <= offset)
      lo = mid;
    else
      hi = mid;
  }
  return lo + 1;
}

void ww_scan_source(const char *text, size_t n, ww_arena *a, ww_scan *out) {
  *out = (ww_scan){.text = text, .n = n, .kind = WW_NEWN(a, uint8_t, n + 1)};
  lexer l = {text, n, out->kind};
  class_bytes(&l);
  skip_branches(&l, false);
  WW_VEC(uint32_t) lines = {0};
  ww_push(a, &lines, 0);
  for (uint32_t i = 0; i < n; i++)
    if (text[i] == '\n')
      ww_push(a, &lines, i + 1);
  out->lines = lines.v;
  out->nlines = lines.n;
  cutter c = {.s = out, .a = a};
  cut_file(&c);
  if (c.unbalanced) { /* #ifdef A `f() {` #else `g() {` #endif */
    skip_branches(&l, true);
    cut_file(&c);
  }
  for (uint32_t i = 0; i < c.decls.n; i++)
    c.decls.v[i].line = ww_scan_line(out, c.decls.v[i].line); /* was an offset so far */
  out->decls = c.decls.v;
  out->ndecls = c.decls.n;
}

static bool at_word(const ww_scan *s, uint32_t i, const char *word) {
  size_t n = strlen(word);
  return i + n <= s->n && !memcmp(s->text + i, word, n) && !ww_is_word(s->text[i + n]);
}

uint32_t ww_scan_statement_end(const ww_scan *s, uint32_t at) {
  for (int nested = 0; nested < 64;
       nested++) { /* heads of loops and conditions, then the statement proper */
    uint32_t i = next_code(s, at);
    if (i >= s->n || s->text[i] == '}')
      return i;
    if (s->text[i] == '{')
      return skip_brackets(s, i);
    if (!at_word(s, i, "for") && !at_word(s, i, "while") && !at_word(s, i, "if") &&
        !at_word(s, i, "switch")) {
      while (i < s->n &&
             !(s->kind[i] == WW_BYTE_CODE && (s->text[i] == ';' || s->text[i] == '}')))
        i = s->kind[i] == WW_BYTE_CODE && strchr("([{", s->text[i]) && s->text[i]
                ? skip_brackets(s, i)
                : i + 1;
      return i < s->n && s->text[i] == ';' ? i + 1 : i;
    }
    while (i < s->n && !(s->kind[i] == WW_BYTE_CODE && s->text[i] == '('))
      i++;
    at = skip_brackets(s, i);
  }
  return s->n;
}

bool ww_scan_directive(const ww_scan *s, uint32_t i) {
  return s->kind[i] == WW_BYTE_DIRECTIVE && !(i && s->kind[i - 1] == WW_BYTE_DIRECTIVE);
}

uint32_t ww_scan_directive_end(const ww_scan *s, uint32_t i) {
  while (i < s->n && s->kind[i] == WW_BYTE_DIRECTIVE)
    i++;
  return i;
}

const ww_decl *ww_scan_decl_at(const ww_scan *s, uint32_t offset) {
  const ww_decl *best = NULL;
  for (uint32_t i = 0; i < s->ndecls; i++) {
    const ww_decl *d = &s->decls[i];
    if (offset < d->begin || offset >= d->end)
      continue;
    if (!best || d->end - d->begin < best->end - best->begin)
      best = d;
  }
  return best;
}

uint32_t ww_scan_offset(const ww_scan *s, uint32_t line, uint32_t col) {
  if (!line || line > s->nlines)
    return s->n;
  uint32_t at = s->lines[line - 1];
  uint32_t end = line < s->nlines ? s->lines[line] - 1 : s->n;
  at += col ? col - 1 : 0;
  return at > end ? end : at;
}

bool ww_scan_has_word(const ww_scan *s, const char *word) {
  size_t n = strlen(word);
  for (const char *p = s->text; (p = strstr(p, word)); p += n) {
    size_t at = p - s->text;
    if (s->kind[at] == WW_BYTE_CODE && !(at && ww_is_word(p[-1])) && !ww_is_word(p[n]))
      return true;
  }
  return false;
}

bool ww_scan_has_directive(const ww_scan *s, const char *first, const char *second) {
  for (const char *p = s->text; (p = strstr(p, first)); p++) {
    const char *eol = p + strcspn(p, "\n");
    if (s->kind[p - s->text] == WW_BYTE_DIRECTIVE &&
        memmem(p, eol - p, second, strlen(second)))
      return true;
  }
  return false;
}

bool ww_scan_kernel(const ww_scan *s, const char *name, size_t n) {
  for (uint32_t i = 0; i < s->ndecls; i++)
    if (s->decls[i].kernel && s->decls[i].name && strlen(s->decls[i].name) == n &&
        !memcmp(s->decls[i].name, name, n))
      return true;
  return false;
}
