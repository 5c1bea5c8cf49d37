/* fixes_loop.c - loops: a running value leaves global memory, pointers are said not to
 * overlap, loops over a thread's array are unrolled. */
#include "fixes_int.h"

#include <ctype.h>

/* ---- loops ---- */

typedef struct {
  /* tokens: `for`, its parentheses, one past its last statement */
  uint32_t at, open, close, end;
} loop;

static bool loop_at(const ww_ctext *c, uint32_t i, uint32_t hi, loop *l) {
  if (!ww_tok_in(c, i, " for while ") || !ww_tok_opens(c, i + 1, "("))
    return false;
  *l = (loop){i, i + 1, c->t[i + 1].pair, ww_ctext_statement_end(c, i, hi)};
  return l->close < hi && l->end > l->close + 1; /* a do's while ends at once */
}

/* Stands by itself among the statements of a block: others can be put before and behind
 * it. */
static bool in_block(const ww_ctext *c, uint32_t i) {
  return ww_tok_in(c, i - 1, " ; { } ") && !ww_ctext_control(c, c->t[i - 1].pair);
}

/* bytes */
static bool directive_between(const ww_ctext *c, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++)
    if (c->scan.kind[i] == WW_BYTE_DIRECTIVE)
      return true;
  return false;
}

/* ---- running values ---- */

typedef struct {
  ww_ctext *x;
  const ww_scope *s;
  const ww_name *array;
  uint32_t at, n; /* the first access: tokens name [ index ] */
} element;

static bool has_word(const ww_ctext *c, const ww_name *v, const char *words) {
  for (uint32_t i = v->tok; i && !ww_tok_in(c, i, " , ( ; "); i--)
    if (ww_tok_in(c, i, words))
      return true;
  return false;
}

static uint32_t stars(const ww_ctext *c, const ww_name *v) {
  uint32_t n = v->ndims;
  for (uint32_t i = v->type; i < v->tok; i++)
    n += ww_tok_is(c, i, "*");
  return n;
}

static bool is_restrict(const ww_ctext *c, const ww_name *v) {
  return has_word(c, v, " __restrict__ restrict __restrict RESTRICT ");
}

/* The element that the line stores to: name [ index ] = or +=. */
static bool find_element(element *m) {
  const ww_ctext *x = m->x;
  for (uint32_t i = m->s->lo; i < m->s->hi; i++) {
    if (ww_ctext_line(x, i) != x->f->line || !ww_tok_word(x, i) ||
        !ww_tok_opens(x, i + 1, "["))
      continue;
    const ww_name *v = ww_ctext_name(x, m->s, i);
    uint32_t close = x->t[i + 1].pair;
    if (!v || !v->parameter || v->type == WW_NOTOK || v->fixed || v->shared ||
        stars(x, v) != 1 || has_word(x, v, " volatile "))
      continue;
    /* a macro may do anything with it */
    if (ww_ctext_directives(x, i) || !ww_is_assignment(x, close + 1) ||
        ww_tok_in(x, i - 1, " . -> "))
      continue;
    m->array = v;
    m->at = i;
    m->n = close + 1 - i;
    return true;
  }
  return false;
}

/* Names of the index keep their values in the loop, and it calls nothing. */
static bool fixed_index(const element *m, const loop *l) {
  const ww_ctext *x = m->x;
  for (uint32_t i = m->at + 2; i + 1 < m->at + m->n; i++) {
    if (ww_is_assignment(x, i))
      return false;
    if (!ww_tok_word(x, i))
      continue;
    if (ww_tok_is(x, i + 1, "(") && !ww_is_pure_call(x, i))
      return false;
    const ww_name *v = ww_ctext_name(x, m->s, i);
    if (v && (v->pointer || (v->tok >= l->at && v->tok < l->end)))
      return false;
    if (ww_is_changed(x, i, l->at, l->end))
      return false;
  }
  return true;
}

/* Nothing in the loop hides what it does to memory, every use of the array is this
 * element. */
static bool tame(const element *m, const loop *l) {
  const ww_ctext *x = m->x;
  for (uint32_t i = l->at; i < l->end; i++) {
    if (ww_tok_in(x, i, " return goto asm __asm__ volatile this new delete [[ ") ||
        x->t[i].kind == WW_TOK_ODD)
      return false;
    if (ww_tok_same(x, i, m->array->tok) &&
        (!ww_tok_equal(x, i, m->at, m->n) || ww_tok_in(x, i + m->n, " [ . ") ||
         ww_takes_address(x, i)))
      return false;
    if (ww_tok_is(x, i, "(") && i && ww_tok_word(x, i - 1) && !ww_ctext_control(x, i) &&
        !ww_is_pure_call(x, i - 1))
      return false;
  }
  return true;
}

/* The outermost loop around the element in which it stays the same. */
static bool find_loop(const element *m, loop *out) {
  const ww_ctext *x = m->x;
  bool found = false;
  for (uint32_t i = m->s->lo; i < m->at && !found; i++)
    found = loop_at(x, i, m->s->hi, out) && m->at > out->close && m->at < out->end &&
            in_block(x, i) && fixed_index(m, out) && tame(m, out);
  return found;
}

/* `out[i] = 0.0f;` right before the loop, from which the variable starts: its first
 * token, 0: there is none. */
static uint32_t set_before(const element *m, const loop *l) {
  const ww_ctext *x = m->x;
  uint32_t begin;
  uint32_t end;
  if (l->at < 2 || !ww_tok_is(x, l->at - 1, ";"))
    return 0;
  ww_ctext_statement(x, l->at - 2, m->s->lo, m->s->hi, &begin, &end);
  if (!in_block(x, begin) || begin + m->n >= end || end != l->at - 1 ||
      !ww_tok_equal(x, begin, m->at, m->n) || !ww_tok_is(x, begin + m->n, "=") ||
      directive_between(x, x->t[begin].at, x->t[l->at].at))
    return 0;
  for (uint32_t i = begin + m->n; i < end; i++)
    if (ww_tok_same(x, i, m->array->tok))
      return 0;
  return begin;
}

static bool other_pointers(const element *m, const loop *l) {
  const ww_ctext *x = m->x;
  for (uint32_t i = l->at; i < l->end; i++) {
    const ww_name *v = ww_ctext_name(x, m->s, i);
    if (v && v->pointer && !v->shared && v != m->array && (v->parameter || !v->ndims))
      return true;
  }
  return false;
}

static const char *type_text(const ww_ctext *c, const ww_name *v) {
  uint32_t end = v->type + 1;
  while (end < v->tok && ww_tok_word(c, end) && ww_tok_class(c, end) != WW_IS_UNKNOWN)
    end++;
  return ww_tok_text(c, v->type, end);
}

static void keep_in_register(ww_ctext *x) {
  element m = {.x = x, .s = &x->kernel};
  loop l;
  ww_edits e = {0};
  if (!find_element(&m) || !find_loop(&m, &l))
    return;
  uint32_t set = set_before(&m, &l);
  if (!set && directive_between(x, x->t[l.at - 1].end, x->t[l.at].at))
    return;
  const char *name = ww_ctext_fresh(x, "sum");
  const char *type = type_text(x, m.array);
  const char *what = ww_tok_text(x, m.at, m.at + m.n);
  const char *indent = ww_ctext_indent(x, x->t[l.at].at);
  const char *gap =
      ww_ctext_first(x, x->t[l.at].at) ? ww_fmt(x->a, "%s%s", x->eol, indent) : " ";
  for (uint32_t i = l.at; i < l.end; i++)
    if (ww_tok_same(x, i, m.array->tok))
      ww_edit_tokens(x, &e, i, i + m.n, name);
  if (set)
    ww_edit_tokens(x, &e, set, set + m.n, ww_fmt(x->a, "%s %s", type, name));
  else
    ww_edit_insert(x, &e, x->t[l.at].at,
                   ww_fmt(x->a, "%s %s = %s;%s", type, name, what, gap));
  ww_edit_insert(x, &e, x->t[l.end - 1].end,
                 ww_fmt(x->a, "%s%s = %s;", gap, what, name));
  bool alias = !is_restrict(x, m.array) && other_pointers(&m, &l);
  const char *array = ww_tok_name(x, m.array->tok);
  ww_fix f = {.preferred = set && !alias};
  if (alias || !set)
    f.assumes = ww_fmt(
        x->a, "%s%s%s%s", alias ? array : "", alias ? " overlaps no other buffer" : "",
        alias && !set ? ", and " : "", set ? "" : "the loop runs at least once");
  f.title = ww_fmt(x->a, "Keep %s in a variable during the loop", what);
  if (f.assumes)
    f.title = ww_fmt(x->a, "%s (if %s)", f.title, f.assumes);
  ww_fix_offer(x, &e, &f);
}

static void add_restrict(ww_ctext *x) {
  uint32_t pointers = 0;
  uint32_t lacking = 0;
  ww_edits e = {0};
  for (uint32_t k = 0; k < x->kernel.names.n; k++) {
    const ww_name *v = &x->kernel.names.v[k];
    if (!v->parameter || !v->pointer || v->shared || v->twice || v->ndims ||
        v->type == WW_NOTOK)
      continue;
    pointers++;
    if (is_restrict(x, v))
      continue;
    lacking++;
    ww_edit_insert(x, &e, x->t[v->tok].at,
                   x->s->dialect == WW_OPENCL ? "restrict " : "__restrict__ ");
  }
  if (pointers < 2 || !lacking || x->s->dialect == WW_OPENMP)
    return;
  ww_fix_offer(
      x, &e,
      &(ww_fix){.assumes = "no two buffers of the kernel overlap",
                .title = ww_fmt(
                    x->a, "Mark %s as %s (if no two buffers overlap)",
                    lacking == 1 ? "the pointer" : ww_fmt(x->a, "%u pointers", lacking),
                    x->s->dialect == WW_OPENCL ? "restrict" : "__restrict__")});
}

void ww_fix_accumulator(ww_ctext *x) {
  keep_in_register(x);
  add_restrict(x);
}

/* ---- unrolling ---- */

enum { MOST_TRIPS = 64, MOST_LOOPS = 64 };

typedef struct {
  loop l;
  uint32_t variable;
  int64_t trips;
  bool marked;         /* has its pragma */
  uint32_t limit, end; /* bytes behind its `unroll`, where it says how far */
} counted;

static void read_pragma(const ww_ctext *c, uint32_t i, counted *out) {
  static const char word[] = "unroll";
  uint32_t from = i ? c->t[i - 1].end : 0;
  uint32_t to = c->t[i].at;
  while (from < to && c->scan.kind[from] != WW_BYTE_DIRECTIVE)
    from++;
  if (from == to) {
    out->marked = i > 1 && ww_tok_opens(c, i - 1, ")") &&
                  ww_tok_is(c, c->t[i - 1].pair - 1, "_Pragma");
    return;
  }
  const char *at = memmem(c->text + from, to - from, word, strlen(word));
  out->marked = at;
  if (!at)
    return;
  out->limit = out->end = at + strlen(word) - c->text;
  for (uint32_t k = out->limit; k < to && c->text[k] != '\r' && c->text[k] != '\n'; k++)
    if (isdigit((unsigned char)c->text[k]) || c->text[k] == ')')
      out->end = k + 1;
}

/* for (int k = 0; k < 8; k++) with constants. */
static bool
read_counted(const ww_ctext *x, const ww_scope *s, uint32_t i, counted *out) {
  loop l;
  int64_t from;
  int64_t to;
  if (!ww_tok_is(x, i, "for") || !loop_at(x, i, s->hi, &l))
    return false;
  uint32_t first = l.open + 1;
  uint32_t semi = ww_tok_find(x, first, l.close, " ; ");
  uint32_t second = ww_tok_find(x, semi + 1, l.close, " ; ");
  if (second >= l.close || second < semi + 4)
    return false;
  uint32_t v = semi + 1;
  uint32_t eq = first;
  while (eq < semi && !ww_tok_is(x, eq, "="))
    eq++;
  if (eq == first || !ww_tok_same(x, eq - 1, v) ||
      !ww_ctext_value(x, s, eq + 1, semi, &from))
    return false;
  bool up = ww_tok_in(x, v + 1, " < <= "), down = ww_tok_in(x, v + 1, " > >= ");
  uint32_t value = v + 2;
  int64_t less = 0;
  if (!up && ww_tok_is(x, v + 1, "+") && ww_tok_is(x, v + 2, "1") &&
      ww_tok_is(x, v + 3, "<")) {
    up = true;
    less = 1;
    value = v + 4;
  } /* k + 1 < N */
  if ((!up && !down) || !ww_ctext_value(x, s, value, second, &to))
    return false;
  if (ww_is_changed(x, v, l.close + 1, l.end))
    return false;
  *out = (counted){.l = l, .variable = v, .trips = up ? to - from - less : from - to};
  read_pragma(x, i, out);
  return out->trips > 0 && out->trips <= MOST_TRIPS;
}

/* Every index of the array is made of constants and variables of counted loops around
 * it; those loops are noted. */
static bool constant_uses(const ww_ctext *x,
                          const ww_scope *s,
                          const ww_name *array,
                          const counted *loops,
                          uint32_t nloops,
                          bool *needed) {
  for (uint32_t i = s->lo; i < s->hi; i++) {
    if (!ww_tok_same(x, i, array->tok) || i == array->tok)
      continue;
    if (!ww_tok_opens(x, i + 1, "["))
      return false;
    for (uint32_t k = i + 2; k < x->t[i + 1].pair; k++) {
      int64_t value;
      if (!ww_tok_word(x, k) || ww_ctext_value(x, s, k, k + 1, &value))
        continue;
      bool known = false;
      for (uint32_t j = 0; j < nloops; j++)
        if (ww_tok_same(x, k, loops[j].variable) && k > loops[j].l.at &&
            k < loops[j].l.end)
          known = needed[j] = true;
      if (!known)
        return false;
    }
  }
  return true;
}

static int64_t nested_trips(const counted *loops, uint32_t n, const bool *needed) {
  int64_t most = 1;
  for (uint32_t k = 0; k < n; k++) {
    int64_t all = 1;
    for (uint32_t j = 0; j < n; j++)
      if (needed[j] && loops[j].l.at <= loops[k].l.at &&
          loops[k].l.at < loops[j].l.end && all < 1 << 20)
        all *= loops[j].trips;
    if (needed[k] && all > most)
      most = all;
  }
  return most;
}

void ww_fix_unroll(ww_ctext *x) {
  ww_scope s;
  counted loops[MOST_LOOPS];
  bool needed[MOST_LOOPS] = {false};
  uint32_t n = 0;
  uint32_t arrays = 0;
  uint32_t added = 0;
  ww_edits e = {0};
  ww_scope_at_finding(x, &s);
  for (uint32_t i = s.lo; i < s.hi && n < MOST_LOOPS; i++)
    n += read_counted(x, &s, i, &loops[n]);
  for (uint32_t k = 0; k < s.names.n; k++) {
    const ww_name *v = &s.names.v[k];
    if (v->parameter || v->shared || v->twice || !v->ndims || v->tok < s.lo)
      continue;
    if (!constant_uses(x, &s, v, loops, n, needed))
      return;
    arrays++;
  }
  if (!arrays || nested_trips(loops, n, needed) > 1024)
    return;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t at = x->t[loops[k].l.at].at;
    if (!needed[k] || (loops[k].marked && loops[k].limit == loops[k].end))
      continue;
    if (loops[k].marked) {
      ww_edit_replace(x, &e, loops[k].limit, loops[k].end, "");
    } else {
      if (!ww_ctext_first(x, at))
        return;
      ww_edit_insert(
          x, &e, ww_ctext_line_start(x, at),
          ww_fmt(x->a, "%s#pragma unroll%s", ww_ctext_indent(x, at), x->eol));
    }
    added++;
  }
  ww_fix_offer(
      x, &e,
      &(ww_fix){.title =
                    added == 1
                        ? "Unroll the loop over the array (#pragma unroll)"
                        : ww_fmt(x->a,
                                 "Unroll the %u loops over the array (#pragma unroll)",
                                 added),
                .preferred = true});
}
