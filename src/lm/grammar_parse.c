/* grammar_parse.c - GBNF text into elements; repetitions and groups become rules of their own.
 *
 *   root   ::= "{" pair ("," pair)* "}"      # comment
 *   pair   ::= string ":" [0-9]+
 *   x{2,4} repeats; [^"\\] is any byte but these; \n \t \" \\ \x41 \u00e9 in texts and classes */
#include "grammar_int.h"

#include <ctype.h>
#include <stdlib.h>

#define MOST_REPEATS 10000
#define MOST_ELEMENTS 2000000

typedef struct {
  uint32_t rule;
  const char *name;
} named;

typedef WW_VEC(ww_g_element) run; /* elements of what is being read */

typedef struct {
  ww_grammar *g;
  const char *at, *end, *begin;
  WW_VEC(named) names;
  uint32_t depth;
  ww_arena *scratch;
  ww_err *e;
} parser;

static ww_status bad(parser *p, const char *what) {
  uint32_t line = 1;
  for (const char *c = p->begin; c < p->at; c++) line += *c == '\n';
  return ww_fail(p->e, WW_EPARSE, "grammar, line %u: %s", line, what);
}

/* Blanks and comments; `lines`: over line ends too. */
static void skip(parser *p, bool lines) {
  while (p->at < p->end) {
    if (*p->at == '#')
      while (p->at < p->end && *p->at != '\n') p->at++;
    else if (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' || (lines && *p->at == '\n')) p->at++;
    else return;
  }
}

static bool word_char(char c) { return isalnum((unsigned char)c) || c == '-' || c == '_'; }

static uint32_t new_rule(parser *p) {
  ww_push(p->g->arena, &p->g->rules, UINT32_MAX);
  return p->g->rules.n - 1;
}

static uint32_t rule_named(parser *p, const char *s, size_t n) {
  for (uint32_t k = 0; k < p->names.n; k++)
    if (strlen(p->names.v[k].name) == n && !memcmp(p->names.v[k].name, s, n)) return p->names.v[k].rule;
  named it = {new_rule(p), ww_strndup(p->scratch, s, n)};
  ww_push(p->scratch, &p->names, it);
  return it.rule;
}

static uint32_t add_set(parser *p, const ww_g_set *s) {
  for (uint32_t k = 0; k < p->g->sets.n && k < 64; k++)
    if (!memcmp(&p->g->sets.v[k], s, sizeof *s)) return k;
  ww_push(p->g->arena, &p->g->sets, *s);
  return p->g->sets.n - 1;
}

static void push(parser *p, run *r, uint8_t kind, uint32_t of) { ww_push(p->scratch, r, (ww_g_element){kind, of}); }

static void push_byte(parser *p, run *r, uint8_t c) {
  ww_g_set s = {{0}};
  ww_g_add(&s, c);
  push(p, r, WW_G_SET, add_set(p, &s));
}

/* Writes a rule whose alternatives are in `r` (ALT between them), closes it with END. */
static void write_rule(parser *p, uint32_t rule, const run *r) {
  p->g->rules.v[rule] = p->g->elements.n;
  for (uint32_t k = 0; k < r->n; k++) ww_push(p->g->arena, &p->g->elements, r->v[k]);
  ww_push(p->g->arena, &p->g->elements, (ww_g_element){WW_G_END, 0});
}

/* ---- characters ---- */

static int hex_digits(parser *p, int n) {
  int v = 0;
  for (; n; n--) {
    if (p->at >= p->end || !isxdigit((unsigned char)*p->at)) return -1;
    int c = *p->at++;
    v = v * 16 + (isdigit(c) ? c - '0' : (c | 32) - 'a' + 10);
  }
  return v;
}

/* One character of a text or class as a code point; -1: a broken escape. Bytes beyond ASCII come one by one. */
static int character(parser *p, bool *wide) {
  *wide = false;
  if (*p->at != '\\') return (unsigned char)*p->at++;
  if (++p->at >= p->end) return -1;
  char c = *p->at++;
  switch (c) {
  case 'n': return '\n';
  case 't': return '\t';
  case 'r': return '\r';
  case 'x': return hex_digits(p, 2);
  case 'u': *wide = true; return hex_digits(p, 4);
  default: return strchr("\"\\[]-^'/", c) && c ? c : -1;
  }
}

static void push_point(parser *p, run *r, int c) {
  if (c < 0x80) push_byte(p, r, (uint8_t)c);
  else if (c < 0x800) push_byte(p, r, (uint8_t)(0xc0 | c >> 6)), push_byte(p, r, (uint8_t)(0x80 | (c & 63)));
  else
    push_byte(p, r, (uint8_t)(0xe0 | c >> 12)), push_byte(p, r, (uint8_t)(0x80 | (c >> 6 & 63))), push_byte(p, r, (uint8_t)(0x80 | (c & 63)));
}

static ww_status text(parser *p, run *r) {
  for (p->at++; p->at < p->end && *p->at != '"';) {
    bool wide;
    int c = character(p, &wide);
    if (c < 0) return bad(p, "an unknown escape; known are \\n \\t \\r \\\" \\\\ \\xNN \\uNNNN");
    if (wide) push_point(p, r, c);
    else push_byte(p, r, (uint8_t)c);
  }
  if (p->at >= p->end) return bad(p, "a text without its closing \"");
  p->at++;
  return WW_OK;
}

static ww_status class(parser *p, run *r) {
  ww_g_set s = {{0}};
  bool wide, no = ++p->at < p->end && *p->at == '^';
  for (p->at += no; p->at < p->end && *p->at != ']';) {
    int from = character(p, &wide), to = from;
    if (p->at + 1 < p->end && *p->at == '-' && p->at[1] != ']') {
      p->at++;
      to = character(p, &wide);
    }
    if (from < 0 || to < from) return bad(p, "a broken range or escape in [...]");
    if (to > 0x7f && !no) return bad(p, "characters beyond ASCII in [...]: write them as texts with | between them");
    for (int c = from; c <= to && c < 256; c++) ww_g_add(&s, (uint8_t)c);
  }
  if (p->at >= p->end) return bad(p, "a class without its closing ]");
  p->at++;
  if (no)
    for (int w = 0; w < 4; w++) s.bits[w] = ~s.bits[w];
  push(p, r, WW_G_SET, add_set(p, &s));
  return WW_OK;
}

/* ---- repetitions ---- */

/* x{low,high}, high UINT32_MAX: no end. The item is r's elements from `from` on; they become a rule. */
static ww_status repeat(parser *p, run *r, uint32_t from, uint32_t low, uint32_t high) {
  if (from == r->n) return bad(p, "nothing before the repetition");
  if (p->g->elements.n > MOST_ELEMENTS) return bad(p, "the grammar grows too large");
  run item = {0}, tail = {0};
  for (uint32_t k = from; k < r->n; k++) ww_push(p->scratch, &item, r->v[k]);
  r->n = from;
  uint32_t one = new_rule(p), rest;
  write_rule(p, one, &item);
  for (uint32_t k = 0; k < low; k++) push(p, r, WW_G_RULE, one);
  if (high == UINT32_MAX) { /* rest ::= one rest | nothing */
    rest = new_rule(p);
    push(p, &tail, WW_G_RULE, one);
    push(p, &tail, WW_G_RULE, rest);
    push(p, &tail, WW_G_ALT, 0);
    write_rule(p, rest, &tail);
    push(p, r, WW_G_RULE, rest);
    return WW_OK;
  }
  uint32_t inner = UINT32_MAX; /* rest_k ::= one rest_{k-1} | nothing */
  for (uint32_t k = low; k < high; k++) {
    rest = new_rule(p);
    tail.n = 0;
    push(p, &tail, WW_G_RULE, one);
    if (inner != UINT32_MAX) push(p, &tail, WW_G_RULE, inner);
    push(p, &tail, WW_G_ALT, 0);
    write_rule(p, rest, &tail);
    inner = rest;
  }
  if (inner != UINT32_MAX) push(p, r, WW_G_RULE, inner);
  return WW_OK;
}

static bool number(parser *p, uint32_t *out) {
  if (p->at >= p->end || !isdigit((unsigned char)*p->at)) return false;
  for (*out = 0; p->at < p->end && isdigit((unsigned char)*p->at) && *out <= MOST_REPEATS; p->at++)
    *out = *out * 10 + (uint32_t)(*p->at - '0');
  return *out <= MOST_REPEATS;
}

static ww_status braces(parser *p, run *r, uint32_t from) {
  uint32_t low, high;
  p->at++;
  if (!number(p, &low)) return bad(p, "a number is missing behind {, or is above 10000");
  high = low;
  if (p->at < p->end && *p->at == ',') {
    p->at++;
    if (p->at < p->end && *p->at == '}') high = UINT32_MAX;
    else if (!number(p, &high) || high < low) return bad(p, "x{low,high}: high is missing, below low or above 10000");
  }
  if (p->at >= p->end || *p->at++ != '}') return bad(p, "a } is missing");
  return repeat(p, r, from, low, high);
}

/* ---- rules ---- */

static ww_status alternatives(parser *p, run *r, bool inside);

static ww_status group(parser *p, run *r) {
  run inner = {0};
  p->at++;
  if (++p->depth > 100) return bad(p, "groups are nested too deep");
  ww_status st = alternatives(p, &inner, true);
  if (st) return st;
  if (p->at >= p->end || *p->at++ != ')') return bad(p, "a ) is missing");
  p->depth--;
  uint32_t rule = new_rule(p);
  write_rule(p, rule, &inner);
  push(p, r, WW_G_RULE, rule);
  return WW_OK;
}

/* A name that `::=` follows begins the next rule. */
static bool next_rule_begins(parser *p) {
  const char *c = p->at;
  while (c < p->end && word_char(*c)) c++;
  while (c < p->end && (*c == ' ' || *c == '\t')) c++;
  return c + 3 <= p->end && !memcmp(c, "::=", 3);
}

static ww_status item(parser *p, run *r, bool *there) {
  uint32_t from = r->n;
  ww_status st = WW_OK;
  *there = true;
  if (*p->at == '"') st = text(p, r);
  else if (*p->at == '[') st = class(p, r);
  else if (*p->at == '(') st = group(p, r);
  else if (*p->at == '.') {
    ww_g_set all = {{~0ull, ~0ull, ~0ull, ~0ull}};
    p->at++;
    push(p, r, WW_G_SET, add_set(p, &all));
  } else if (word_char(*p->at) && !next_rule_begins(p)) {
    const char *s = p->at;
    while (p->at < p->end && word_char(*p->at)) p->at++;
    push(p, r, WW_G_RULE, rule_named(p, s, (size_t)(p->at - s)));
  } else *there = false;
  while (!st && *there && p->at < p->end) {
    char c = *p->at;
    if (c == '{') st = braces(p, r, from);
    else if (c == '*' || c == '+' || c == '?') {
      p->at++;
      st = repeat(p, r, from, c == '+', c == '?' ? 1 : UINT32_MAX);
    } else break;
  }
  return st;
}

static ww_status alternatives(parser *p, run *r, bool inside) {
  for (;;) {
    skip(p, true);
    if (p->at >= p->end) return WW_OK;
    if (*p->at == '|') {
      p->at++;
      push(p, r, WW_G_ALT, 0);
      continue;
    }
    bool there;
    ww_status st = item(p, r, &there);
    if (st) return st;
    if (there) continue;
    if (inside || word_char(*p->at)) return WW_OK;
    return bad(p, "expected a name, a text, a class or a group");
  }
}

static ww_status one_rule(parser *p) {
  const char *s = p->at;
  run r = {0};
  while (p->at < p->end && word_char(*p->at)) p->at++;
  if (p->at == s) return bad(p, "expected `name ::= ...`");
  uint32_t rule = rule_named(p, s, (size_t)(p->at - s));
  if (p->g->rules.v[rule] != UINT32_MAX) return bad(p, "this rule is there twice");
  skip(p, false);
  if (p->end - p->at < 3 || memcmp(p->at, "::=", 3)) return bad(p, "expected ::= behind a rule's name");
  p->at += 3;
  ww_status st = alternatives(p, &r, false);
  if (!st) write_rule(p, rule, &r);
  return st;
}

static const char *name_of(void *ctx, uint32_t rule) {
  const parser *p = ctx;
  for (uint32_t k = 0; k < p->names.n; k++)
    if (p->names.v[k].rule == rule) return p->names.v[k].name;
  return "(...)";
}

ww_status ww_grammar_parse(const char *gbnf, size_t n, ww_grammar **out, ww_err *e) {
  ww_arena *a = ww_arena_new(), *scratch = ww_arena_new();
  ww_grammar *g = WW_NEW(a, ww_grammar);
  parser p = {.g = g, .at = gbnf, .end = gbnf + n, .begin = gbnf, .scratch = scratch, .e = e};
  ww_status st = WW_OK;
  g->arena = a;
  g->root = rule_named(&p, "root", 4);
  for (skip(&p, true); !st && p.at < p.end; skip(&p, true)) st = one_rule(&p);
  if (!st) st = ww_grammar_check(g, name_of, &p, e);
  ww_arena_free(scratch);
  if (st) ww_grammar_free(g);
  else *out = g;
  return st;
}
