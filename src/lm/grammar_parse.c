/* grammar_parse.c - GBNF text into elements; repetitions and groups become rules of
 * their own.
 *
 *   root   ::= "{" pair ("," pair)* "}"      # comment
 *   pair   ::= string ":" [0-9]+
 *   x{2,4} repeats; [^"\\] is any character but these; \n \t \" \\ \x41 \u00e9 in texts
 * and classes
 */
#include "grammar_int.h"
#include "split.h"

#include <ctype.h>

#define MOST_REPEATS 10000
#define MOST_ELEMENTS 4000000
/* of repetitions of one item: they multiply the work of every step */
#define MOST_REPETITIONS 8
#define MOST_RANGES 1024 /* of one class */

typedef struct {
  uint32_t rule;
  const char *name;
} named;

typedef WW_VEC(ww_g_element) run; /* elements of what is being read */

typedef struct {
  ww_grammar *g;
  const char *at, *end, *begin;
  WW_VEC(named) names;
  ww_dict rules; /* by name */
  uint32_t depth;
  uint64_t pushed; /* elements that were made, those that are thrown away too */
  ww_arena *scratch;
  ww_err *e;
} parser;

static ww_status bad(parser *p, const char *what) {
  uint32_t line = 1;
  for (const char *c = p->begin; c < p->at; c++)
    line += *c == '\n';
  return ww_fail(p->e, WW_EPARSE, "grammar, line %u: %s", line, what);
}

/* Blanks and comments; `lines`: over line ends too. */
static void skip(parser *p, bool lines) {
  while (p->at < p->end) {
    if (*p->at == '#')
      while (p->at < p->end && *p->at != '\n')
        p->at++;
    else if (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' ||
             (lines && *p->at == '\n'))
      p->at++;
    else
      return;
  }
}

static bool next_is(const parser *p, char c) {
  return p->at < p->end && *p->at == c;
}

/* Steps over it where it is there. */
static bool take(parser *p, char c) {
  bool there = next_is(p, c);
  p->at += there;
  return there;
}

static bool word_char(char c) {
  return isalnum((unsigned char)c) || c == '-' || c == '_';
}

static uint32_t new_rule(parser *p) {
  ww_push(p->g->arena, &p->g->rules, UINT32_MAX);
  return p->g->rules.n - 1;
}

static uint32_t rule_named(parser *p, const char *s, size_t n) {
  const uint32_t *known = ww_dict_find(&p->rules, s, n);
  bool fresh;
  if (known)
    return *known;
  named it = {new_rule(p), ww_strndup(p->scratch, s, n)};
  ww_push(p->scratch, &p->names, it);
  return *ww_dict_at(&p->rules, p->scratch, it.name, n, &fresh) = it.rule;
}

/* The first 256 are of one byte each; a few more are looked for. */
static uint32_t add_set(parser *p, const ww_g_set *s) {
  for (uint32_t k = 256; k < p->g->sets.n && k < 256 + 64; k++)
    if (!memcmp(p->g->sets.v + k, s, sizeof *s))
      return k;
  ww_push(p->g->arena, &p->g->sets, *s);
  return p->g->sets.n - 1;
}

static void push(parser *p, run *r, uint8_t kind, uint32_t of) {
  p->pushed++;
  ww_push(p->scratch, r, (ww_g_element){kind, of});
}

/* Writes a rule whose alternatives are in `r` (ALT between them), closes it with END.
 */
static void write_rule(parser *p, uint32_t rule, const run *r) {
  p->g->rules.v[rule] = p->g->elements.n;
  ww_append(p->g->arena, &p->g->elements, r->v, r->n);
  ww_push(p->g->arena, &p->g->elements, (ww_g_element){WW_G_END, 0});
}

/* ---- characters ---- */

static int hex_digits(parser *p, int n) {
  int v = 0;
  for (; n; n--) {
    if (p->at >= p->end || !isxdigit((unsigned char)*p->at))
      return -1;
    int c = *p->at++;
    v = v * 16 + (isdigit(c) ? c - '0' : (c | 32) - 'a' + 10);
  }
  return v;
}

/* One character of a text or class as a code point; -1: a broken escape. Bytes beyond
 * ASCII come one by one. */
static int character(parser *p, bool *wide) {
  *wide = false;
  if (*p->at != '\\')
    return (unsigned char)*p->at++;
  if (++p->at >= p->end)
    return -1;
  char c = *p->at++;
  switch (c) {
  case 'n':
    return '\n';
  case 't':
    return '\t';
  case 'r':
    return '\r';
  case 'x':
    return hex_digits(p, 2);
  case 'u': {
    int c4 = hex_digits(p, 4);
    *wide = true;
    /* half of a UTF-16 pair is no character */
    return c4 >= 0xd800 && c4 < 0xe000 ? -1 : c4;
  }
  default:
    return strchr("\"\\[]-^'/", c) && c ? c : -1;
  }
}

static void push_point(parser *p, run *r, int c) {
  char byte[4];
  uint32_t n = ww_utf8_put(byte, c);
  for (uint32_t k = 0; k < n; k++)
    push(p, r, WW_G_SET, (uint8_t)byte[k]);
}

static ww_status text(parser *p, run *r) {
  for (p->at++; p->at < p->end && *p->at != '"';) {
    bool wide;
    int c = character(p, &wide);
    if (c < 0)
      return bad(p, "an unknown escape; known are \\n \\t \\r \\\" \\\\ \\xNN \\uNNNN");
    if (wide)
      push_point(p, r, c);
    else
      push(p, r, WW_G_SET, (uint8_t)c);
  }
  return take(p, '"') ? WW_OK : bad(p, "a text without its closing \"");
}

/* ---- classes: ranges of code points, as sequences of sets of bytes ---- */

typedef struct {
  uint32_t from, to;
} range;

static int by_from(const void *a, const void *b) {
  return ww_order(((const range *)a)->from, ((const range *)b)->from);
}

static void push_set(parser *p, run *r, uint8_t from, uint8_t to) {
  ww_g_set s = {{0}};
  for (int c = from; c <= to; c++)
    ww_g_add(&s, c);
  push(p, r, WW_G_SET, add_set(p, &s));
}

/* Code points from .. to beyond ASCII, as alternatives. A range is cut until all of it
 * has the same leading bytes, or these and all that can follow. */
static void push_range(parser *p, run *r, uint32_t from, uint32_t to) {
  static const uint32_t last[] = {0x7ff, 0xd7ff, 0xdfff, 0xffff, 0x10ffff};
  for (; from <= to; from++) {
    uint32_t end = to;
    uint32_t k = 0;
    while (from > last[k])
      k++;
    if (end > last[k])
      end = last[k];
    for (uint32_t bits = 6; bits <= 18; bits += 6) {
      uint32_t m = (1u << bits) - 1;
      if ((from & ~m) == (end & ~m))
        break;
      if (from & m)
        end = from | m;
      else if ((end & m) != m)
        end = (end & ~m) - 1;
    }
    char a[4];
    char b[4];
    uint32_t n = ww_utf8_put(a, from);
    ww_utf8_put(b, end);
    if (k != 2) { /* halves of UTF-16 pairs are no characters */
      if (r->n)
        push(p, r, WW_G_ALT, 0);
      for (uint32_t i = 0; i < n; i++)
        push_set(p, r, a[i], b[i]);
    }
    from = end;
  }
}

/* One character of the ranges, or (no) of what they leave; v has room for one more.
 * False: there is none. */
static bool push_class(parser *p, run *r, range *v, uint32_t n, bool no) {
  ww_g_set ascii = {{0}};
  run all = {0};
  uint32_t next = 0;
  qsort(v, n, sizeof *v, by_from);
  v[n] = (range){0x110000, 0x110000};
  for (uint32_t k = 0; k <= n; k++) {
    uint32_t from = no ? next : v[k].from;
    uint32_t to = no ? v[k].from - 1 : v[k].to;
    if (!no && from < next)
      from = next;
    if (v[k].to + 1 > next)
      next = v[k].to + 1;
    if (from > 0x10ffff || (no && to == UINT32_MAX) || from > to)
      continue;
    for (uint32_t c = from; c <= to && c < 0x80; c++)
      ww_g_add(&ascii, c);
    if (to >= 0x80)
      push_range(p, &all, from < 0x80 ? 0x80 : from, to);
  }
  bool some = ascii.bits[0] | ascii.bits[1];
  if (!all.n) {
    push(p, r, WW_G_SET, add_set(p, &ascii));
    return some;
  }
  if (some) {
    push(p, &all, WW_G_ALT, 0);
    push(p, &all, WW_G_SET, add_set(p, &ascii));
  }
  uint32_t rule = new_rule(p);
  write_rule(p, rule, &all);
  push(p, r, WW_G_RULE, rule);
  return true;
}

/* A character as a code point, UTF-8 too; -1: broken. */
static int point(parser *p) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool wide;
  unsigned char first = *p->at;
  int n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  int c = first & (0x7f >> n);
  if (n == 1)
    return first < 0x80 ? character(p, &wide) : -1;
  if (p->end - p->at < n)
    return -1;
  for (int k = 1; k < n; k++) {
    if ((p->at[k] & 0xc0) != 0x80)
      return -1;
    c = c << 6 | (p->at[k] & 63);
  }
  p->at += n;
  return (uint32_t)c >= least[n] && c <= 0x10ffff ? c : -1;
}

static ww_status class(parser *p, run *r) {
  range v[MOST_RANGES + 1];
  uint32_t n = 0;
  p->at++;
  bool no = take(p, '^');
  for (; p->at < p->end && *p->at != ']'; n++) {
    int from = point(p);
    int to = from;
    if (p->at + 1 < p->end && *p->at == '-' && p->at[1] != ']') {
      p->at++;
      to = point(p);
    }
    if (from < 0 || to < from)
      return bad(p, "a broken range or escape in [...]");
    if (n == MOST_RANGES)
      return bad(p, "too many characters in [...]");
    v[n] = (range){from, to};
  }
  if (!take(p, ']'))
    return bad(p, "a class without its closing ]");
  return push_class(p, r, v, n, no) ? WW_OK : bad(p, "a class that no character is of");
}

/* ---- repetitions ---- */

/* x{low,high}, high UINT32_MAX: no end. The item is r's elements from `from` on; they
 * become a rule. */
static ww_status repeat(parser *p, run *r, uint32_t from, uint32_t low, uint32_t high) {
  if (from == r->n)
    return bad(p, "nothing before the repetition");
  if (p->pushed + low + (high == UINT32_MAX ? 0 : high) > MOST_ELEMENTS)
    return bad(p, "the grammar grows too large");
  run item = {0};
  run tail = {0};
  bool endless = high == UINT32_MAX;
  ww_append(p->scratch, &item, r->v + from, r->n - from);
  r->n = from;
  uint32_t one = new_rule(p);
  uint32_t inner = UINT32_MAX;
  write_rule(p, one, &item);
  for (uint32_t k = 0; k < low; k++)
    push(p, r, WW_G_RULE, one);
  for (uint32_t k = low; k < (endless ? low + 1 : high); k++) {
    uint32_t rest = new_rule(p); /* one inner | nothing; endless: one rest | nothing */
    tail.n = 0;
    push(p, &tail, WW_G_RULE, one);
    if (endless || inner != UINT32_MAX)
      push(p, &tail, WW_G_RULE, endless ? rest : inner);
    push(p, &tail, WW_G_ALT, 0);
    write_rule(p, rest, &tail);
    inner = rest;
  }
  if (inner != UINT32_MAX)
    push(p, r, WW_G_RULE, inner);
  return WW_OK;
}

static bool number(parser *p, uint32_t *out) {
  if (p->at >= p->end || !isdigit((unsigned char)*p->at))
    return false;
  for (*out = 0;
       p->at < p->end && isdigit((unsigned char)*p->at) && *out <= MOST_REPEATS;
       p->at++)
    *out = *out * 10 + (*p->at - '0');
  return *out <= MOST_REPEATS;
}

static ww_status braces(parser *p, run *r, uint32_t from) {
  uint32_t low;
  uint32_t high;
  p->at++;
  if (!number(p, &low))
    return bad(p, "a number is missing behind {, or is above 10000");
  high = low;
  if (take(p, ',')) {
    if (next_is(p, '}'))
      high = UINT32_MAX;
    else if (!number(p, &high) || high < low)
      return bad(p, "x{low,high}: high is missing, below low or above 10000");
  }
  if (!take(p, '}'))
    return bad(p, "a } is missing");
  return repeat(p, r, from, low, high);
}

/* ---- rules ---- */

static ww_status alternatives(parser *p, run *r, bool inside);

static ww_status group(parser *p, run *r) {
  run inner = {0};
  p->at++;
  if (++p->depth > 100)
    return bad(p, "groups are nested too deep");
  ww_status st = alternatives(p, &inner, true);
  if (st)
    return st;
  if (!take(p, ')'))
    return bad(p, "a ) is missing");
  p->depth--;
  uint32_t rule = new_rule(p);
  write_rule(p, rule, &inner);
  push(p, r, WW_G_RULE, rule);
  return WW_OK;
}

/* The rule that the word here names. */
static uint32_t rule_named_here(parser *p) {
  const char *s = p->at;
  while (p->at < p->end && word_char(*p->at))
    p->at++;
  return rule_named(p, s, p->at - s);
}

/* A name that `::=` follows begins the next rule. */
static bool next_rule_begins(parser *p) {
  const char *c = p->at;
  while (c < p->end && word_char(*c))
    c++;
  while (c < p->end && (*c == ' ' || *c == '\t'))
    c++;
  return c + 3 <= p->end && !memcmp(c, "::=", 3);
}

static ww_status item(parser *p, run *r, bool *there) {
  uint32_t from = r->n;
  ww_status st = WW_OK;
  *there = true;
  if (*p->at == '"')
    st = text(p, r);
  else if (*p->at == '[')
    st = class(p, r);
  else if (*p->at == '(')
    st = group(p, r);
  else if (take(p, '.'))
    push_class(p, r, &(range){0}, 0, true);
  else if (word_char(*p->at) && !next_rule_begins(p))
    push(p, r, WW_G_RULE, rule_named_here(p));
  else
    *there = false;
  for (int times = 0; !st && *there && p->at < p->end; times++) {
    char c = *p->at;
    if (times == MOST_REPETITIONS && strchr("{*+?", c))
      st = bad(p, "more than 8 repetitions of one item behind each other");
    else if (c == '{')
      st = braces(p, r, from);
    else if (c == '*' || c == '+' || c == '?') {
      p->at++;
      st = repeat(p, r, from, c == '+', c == '?' ? 1 : UINT32_MAX);
    } else
      break;
  }
  return st;
}

static ww_status alternatives(parser *p, run *r, bool inside) {
  for (;;) {
    skip(p, true);
    if (p->at >= p->end)
      return WW_OK;
    if (take(p, '|')) {
      push(p, r, WW_G_ALT, 0);
      continue;
    }
    bool there;
    ww_status st = item(p, r, &there);
    if (st)
      return st;
    if (there)
      continue;
    if (inside || word_char(*p->at))
      return WW_OK;
    return bad(p, "expected a name, a text, a class or a group");
  }
}

static ww_status one_rule(parser *p) {
  run r = {0};
  if (!word_char(*p->at))
    return bad(p, "expected `name ::= ...`");
  uint32_t rule = rule_named_here(p);
  if (p->g->rules.v[rule] != UINT32_MAX)
    return bad(p, "this rule is there twice");
  skip(p, false);
  if (p->end - p->at < 3 || memcmp(p->at, "::=", 3))
    return bad(p, "expected ::= behind a rule's name");
  p->at += 3;
  ww_status st = alternatives(p, &r, false);
  if (!st)
    write_rule(p, rule, &r);
  return st;
}

static const char *name_of(void *ctx, uint32_t rule) {
  const parser *p = ctx;
  for (uint32_t k = 0; k < p->names.n; k++)
    if (p->names.v[k].rule == rule)
      return p->names.v[k].name;
  return "(...)";
}

ww_status ww_grammar_parse(const char *gbnf, size_t n, ww_grammar **out, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_arena *scratch = ww_arena_new();
  ww_grammar *g = WW_NEW(a, ww_grammar);
  parser p = {
      .g = g, .at = gbnf, .end = gbnf + n, .begin = gbnf, .scratch = scratch, .e = e};
  ww_status st = WW_OK;
  g->arena = a;
  for (int c = 0; c < 256; c++) {
    ww_g_set one = {{0}};
    ww_g_add(&one, c);
    ww_push(a, &g->sets, one);
  }
  g->root = rule_named(&p, "root", 4);
  for (skip(&p, true); !st && p.at < p.end; skip(&p, true)) {
    st = one_rule(&p);
    if (!st && p.pushed > MOST_ELEMENTS)
      st = bad(&p, "the grammar grows too large");
  }
  if (!st)
    st = ww_grammar_check(g, name_of, &p, e);
  ww_arena_free(scratch);
  if (st)
    ww_grammar_free(g);
  else
    *out = g;
  return st;
}
