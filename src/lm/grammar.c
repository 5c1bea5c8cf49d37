/* grammar.c - follows a grammar: the set of stacks that the bytes so far leave.
 *
 * A stack holds places in the element array, innermost last; its top is always a SET, an empty stack means that the text may end. Grammars that are
 * deterministic, as JSON's, keep one or two stacks; the number is bounded all the same, because a grammar is somebody else's. */
#include "grammar_int.h"

#include <stdlib.h>

#define MOST_DEPTH 256
#define MOST_STACKS 512

typedef struct {
  uint32_t n;
  uint32_t at[MOST_DEPTH];
} stack;

typedef struct {
  stack **v;
  uint32_t n, cap; /* cap: allocated ones, kept for the next use */
} stack_set;

struct ww_grammar_state {
  const ww_grammar *g;
  stack_set now, next, tried; /* next: scratch of one step; tried: scratch of a look ahead */
};

static void set_free(stack_set *s) {
  for (uint32_t k = 0; k < s->cap; k++) free(s->v[k]);
  free(s->v);
}

static bool same(const stack *a, const stack *b) { return a->n == b->n && !memcmp(a->at, b->at, a->n * sizeof *a->at); }

static void copy_stack(stack *to, const stack *from) {
  to->n = from->n;
  memcpy(to->at, from->at, from->n * sizeof *from->at);
}

/* One that is there already is not added again. */
static void set_add(stack_set *s, const stack *k) {
  for (uint32_t i = 0; i < s->n; i++)
    if (same(s->v[i], k)) return;
  if (s->n == MOST_STACKS) return;
  if (s->n == s->cap) {
    s->v = ww_xrealloc(s->v, (s->cap + 1) * sizeof *s->v);
    s->v[s->cap++] = ww_xmalloc(sizeof(stack));
  }
  copy_stack(s->v[s->n++], k);
}

static void set_copy(stack_set *to, const stack_set *from) {
  to->n = 0;
  for (uint32_t k = 0; k < from->n; k++) set_add(to, from->v[k]);
}

/* Adds what the stack becomes when rules at its top are opened, alternative by alternative, until a SET is on top. */
static void open_top(const ww_grammar *g, stack *k, stack_set *out) {
  if (!k->n) {
    set_add(out, k);
    return;
  }
  uint32_t at = k->at[k->n - 1];
  const ww_g_element *el = &g->elements.v[at];
  if (el->kind == WW_G_SET) {
    set_add(out, k);
    return;
  }
  if (el->kind != WW_G_RULE) { /* the alternative is read: back to who asked for it */
    k->n--;
    open_top(g, k, out);
    k->n++;
    return;
  }
  if (k->n + 1 >= MOST_DEPTH) return;
  /* A rule that ends its alternative is not returned to: lists stay shallow. */
  bool last = g->elements.v[at + 1].kind >= WW_G_ALT;
  uint32_t depth = k->n;
  for (uint32_t alt = g->rules.v[el->of];;) {
    stack mine;
    copy_stack(&mine, k);
    mine.n = depth;
    if (last) mine.n--;
    else mine.at[depth - 1] = at + 1;
    mine.at[mine.n++] = alt;
    open_top(g, &mine, out);
    while (g->elements.v[alt].kind < WW_G_ALT) alt++;
    if (g->elements.v[alt++].kind == WW_G_END) break;
  }
}

ww_grammar_state *ww_grammar_begin(const ww_grammar *g) {
  ww_grammar_state *s = ww_xcalloc(1, sizeof *s);
  s->g = g;
  for (uint32_t alt = g->rules.v[g->root];;) {
    stack k = {.n = 1, .at = {alt}};
    open_top(g, &k, &s->now);
    while (g->elements.v[alt].kind < WW_G_ALT) alt++;
    if (g->elements.v[alt++].kind == WW_G_END) break;
  }
  return s;
}

void ww_grammar_end(ww_grammar_state *s) {
  if (!s) return;
  set_free(&s->now);
  set_free(&s->next);
  set_free(&s->tried);
  free(s);
}

static void swap(stack_set *a, stack_set *b) {
  stack_set t = *a;
  *a = *b;
  *b = t;
}

/* One byte: *from becomes what is left; false: nothing is. */
static bool step(ww_grammar_state *s, stack_set *from, uint8_t c) {
  const ww_grammar *g = s->g;
  s->next.n = 0;
  for (uint32_t i = 0; i < from->n; i++) {
    stack *k = from->v[i];
    if (!k->n || !ww_g_has(&g->sets.v[g->elements.v[k->at[k->n - 1]].of], c)) continue;
    stack after;
    copy_stack(&after, k);
    after.at[after.n - 1]++;
    open_top(g, &after, &s->next);
  }
  swap(from, &s->next);
  return from->n;
}

bool ww_grammar_allows(ww_grammar_state *s, const char *bytes, size_t n) {
  set_copy(&s->tried, &s->now);
  for (size_t i = 0; i < n; i++)
    if (!step(s, &s->tried, (uint8_t)bytes[i])) return false;
  return true;
}

bool ww_grammar_take(ww_grammar_state *s, const char *bytes, size_t n) {
  if (!ww_grammar_allows(s, bytes, n)) return false;
  swap(&s->now, &s->tried);
  return true;
}

bool ww_grammar_complete(const ww_grammar_state *s) {
  for (uint32_t i = 0; i < s->now.n; i++)
    if (!s->now.v[i]->n) return true;
  return false;
}

bool ww_grammar_finished(const ww_grammar_state *s) {
  for (uint32_t i = 0; i < s->now.n; i++)
    if (s->now.v[i]->n) return false;
  return true;
}

/* The only byte that may follow in `t`; -1: there is a choice, or the text may end. */
static int only_byte(const ww_grammar *g, const stack_set *t) {
  ww_g_set all = {{0}};
  for (uint32_t i = 0; i < t->n; i++) {
    const stack *k = t->v[i];
    if (!k->n) return -1;
    const ww_g_set *one = &g->sets.v[g->elements.v[k->at[k->n - 1]].of];
    for (int w = 0; w < 4; w++) all.bits[w] |= one->bits[w];
  }
  int count = 0, byte = -1;
  for (int w = 0; w < 4; w++) {
    count += __builtin_popcountll(all.bits[w]);
    if (all.bits[w]) byte = w * 64 + __builtin_ctzll(all.bits[w]);
  }
  return count == 1 ? byte : -1;
}

void ww_grammar_forced(ww_grammar_state *s, size_t most, ww_buf *out) {
  int c;
  set_copy(&s->tried, &s->now);
  for (size_t n = 0; n < most && (c = only_byte(s->g, &s->tried)) >= 0; n++) {
    char byte = (char)c;
    ww_buf_add(out, &byte, 1);
    step(s, &s->tried, (uint8_t)c);
  }
}

void ww_grammar_free(ww_grammar *g) {
  if (!g) return;
  ww_arena *a = g->arena; /* it lies in there itself */
  ww_arena_free(a);
}

/* ---- is it one that can be followed? ---- */

/* Whether a rule can be read as nothing: grows until nothing changes. */
static void find_empty(const ww_grammar *g, bool *empty) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t r = 0; r < g->rules.n; r++) {
      bool all = true;
      for (uint32_t k = g->rules.v[r]; !empty[r]; k++) {
        const ww_g_element *el = &g->elements.v[k];
        if (el->kind == WW_G_SET || (el->kind == WW_G_RULE && !empty[el->of])) all = false;
        if (el->kind < WW_G_ALT) continue;
        if (all) empty[r] = more = true;
        all = true;
        if (el->kind == WW_G_END) break;
      }
    }
  }
}

/* Depth first through the rules that one may begin with; state 1: being looked at. */
static bool begins_with_itself(const ww_grammar *g, const bool *empty, uint8_t *state, uint32_t r, uint32_t *which) {
  if (state[r]) return *which = r, state[r] == 1;
  state[r] = 1;
  bool first = true;
  for (uint32_t k = g->rules.v[r];; k++) {
    const ww_g_element *el = &g->elements.v[k];
    if (first && el->kind == WW_G_RULE && begins_with_itself(g, empty, state, el->of, which)) return true;
    if (el->kind == WW_G_END) break;
    if (el->kind == WW_G_ALT) first = true;
    else if (el->kind == WW_G_SET || !empty[el->of]) first = false;
  }
  state[r] = 2;
  return false;
}

ww_status ww_grammar_check(const ww_grammar *g, const char *(*name)(void *ctx, uint32_t rule), void *ctx, ww_err *e) {
  uint32_t which = 0;
  ww_status st = WW_OK;
  for (uint32_t r = 0; r < g->rules.n; r++)
    if (g->rules.v[r] == UINT32_MAX)
      return ww_fail(e, WW_EPARSE, "the grammar uses the rule `%s`, which it does not have", name(ctx, r));
  bool *empty = ww_xcalloc(g->rules.n, sizeof *empty);
  uint8_t *state = ww_xcalloc(g->rules.n, 1);
  find_empty(g, empty);
  for (uint32_t r = 0; r < g->rules.n && !st; r++)
    if (begins_with_itself(g, empty, state, r, &which))
      st = ww_fail(e, WW_EPARSE, "the rule `%s` begins with itself; write it with a repetition: x* or x+", name(ctx, which));
  free(empty);
  free(state);
  return st;
}
