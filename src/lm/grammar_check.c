/* grammar_check.c - is a grammar one that can be followed, and how few bytes end each
 * of its rules?
 *
 * Grammars come from others and may have a million rules: no recursion here, and
 * nothing slower than sorting. */
#include "grammar_int.h"

/* ---- shortest texts ---- */

typedef struct {
  uint32_t rule, start;
  uint32_t missing; /* rules in it whose length is not known yet */
  uint32_t bytes;   /* of the rest */
} alternative;

typedef struct {
  const ww_grammar *g;
  alternative *alt;
  uint32_t nalt;
  /* uses[first_use[r] ..]: alternatives that rule r stands in, once for each time */
  uint32_t *uses, *first_use;
  /* bytes << 32 | alternative: those that are known, the shortest on top */
  ww_heap heap;
} lengths;

static void known(lengths *l, uint32_t a) {
  ww_heap_push(&l->heap, (uint64_t)l->alt[a].bytes << 32 | a);
}

/* Two passes over all alternatives: the first counts, the second notes who uses whom.
 */
static void list_alternatives(lengths *l) {
  const ww_grammar *g = l->g;
  for (int pass = 0; pass < 2; pass++) {
    uint32_t a = 0;
    for (uint32_t r = 0; r < g->rules.n; r++)
      for (uint32_t k = g->rules.v[r], start = k;; k++) {
        const ww_g_element *el = g->elements.v + k;
        if (el->kind == WW_G_RULE && !pass)
          l->first_use[el->of + 1]++;
        if (el->kind == WW_G_RULE && pass) {
          l->alt[a].missing++;
          l->uses[l->first_use[el->of]++] = a;
        }
        if (el->kind == WW_G_SET && pass)
          l->alt[a].bytes++;
        if (el->kind < WW_G_ALT)
          continue;
        if (pass) {
          l->alt[a].rule = r;
          l->alt[a].start = start;
        }
        a++;
        start = k + 1;
        if (el->kind == WW_G_END)
          break;
      }
    if (pass)
      break;
    l->nalt = a;
    l->alt = ww_xcalloc(a + 1, sizeof *l->alt);
    l->heap.v = ww_xcalloc(a + 1, sizeof *l->heap.v);
    for (uint32_t r = 0; r < g->rules.n; r++)
      l->first_use[r + 1] += l->first_use[r];
    l->uses = ww_xcalloc(l->first_use[g->rules.n] + 1, sizeof *l->uses);
  }
  for (uint32_t r = g->rules.n; r; r--)
    l->first_use[r] = l->first_use[r - 1]; /* the second pass moved each to its end */
  l->first_use[0] = 0;
}

/* As Dijkstra's paths: the shortest known alternative of all settles its rule, and with
 * it what uses that. */
static void find_shortest(ww_grammar *g, uint32_t *bytes) {
  lengths l = {.g = g, .first_use = ww_xcalloc(g->rules.n + 1, sizeof *l.first_use)};
  list_alternatives(&l);
  for (uint32_t r = 0; r < g->rules.n; r++) {
    bytes[r] = WW_G_NEVER;
    g->best[r] = g->rules.v[r];
  }
  for (uint32_t a = 0; a < l.nalt; a++)
    if (!l.alt[a].missing)
      known(&l, a);
  while (l.heap.n) {
    const alternative *a = &l.alt[(uint32_t)ww_heap_pop(&l.heap)];
    if (bytes[a->rule] != WW_G_NEVER || a->bytes >= WW_G_NEVER)
      continue;
    bytes[a->rule] = a->bytes;
    g->best[a->rule] = a->start;
    for (uint32_t u = l.first_use[a->rule]; u < l.first_use[a->rule + 1]; u++) {
      alternative *in = &l.alt[l.uses[u]];
      in->bytes = ww_g_sum(in->bytes, a->bytes);
      if (!--in->missing)
        known(&l, l.uses[u]);
    }
  }
  for (uint32_t k = g->elements.n; k--;) {
    const ww_g_element *el = g->elements.v + k;
    g->left[k] =
        el->kind >= WW_G_ALT
            ? 0
            : ww_g_sum(el->kind == WW_G_SET ? 1 : bytes[el->of], g->left[k + 1]);
  }
  free(l.alt);
  free(l.uses);
  free(l.first_use);
  free(l.heap.v);
}

/* ---- rules that begin with themselves ---- */

typedef struct {
  uint32_t rule, at; /* the element to look at next */
  bool first;        /* all before it in its alternative may be empty */
} visit;

/* The next rule that this one may begin with; UINT32_MAX: no more. */
static uint32_t next_first(const ww_grammar *g, const uint32_t *bytes, visit *v) {
  for (;; v->at++) {
    const ww_g_element *el = &g->elements.v[v->at];
    if (el->kind == WW_G_END)
      return UINT32_MAX;
    if (el->kind == WW_G_ALT)
      v->first = true;
    else if (el->kind == WW_G_SET)
      v->first = false;
    else {
      bool was = v->first;
      if (bytes[el->of])
        v->first = false;
      if (was)
        return v->at++, el->of;
    }
  }
}

/* Depth first; state 1: being looked at, 2: done. UINT32_MAX: there is none. */
static uint32_t begins_with_itself(ww_grammar *g, const uint32_t *bytes) {
  uint8_t *state = ww_xcalloc(g->rules.n + 1, 1);
  visit *stack = ww_xmalloc((g->rules.n + 1) * sizeof *stack);
  uint32_t found = UINT32_MAX;
  uint32_t done = 0;
  for (uint32_t r = 0; r < g->rules.n && found == UINT32_MAX; r++) {
    uint32_t n = 0;
    if (!state[r]) {
      stack[n++] = (visit){r, g->rules.v[r], true};
      state[r] = 1;
    }
    while (n && found == UINT32_MAX) {
      uint32_t to = next_first(g, bytes, stack + n - 1);
      if (to == UINT32_MAX) {
        state[stack[--n].rule] = 2;
        g->order[stack[n].rule] = done++;
      } else if (state[to] == 1)
        found = to;
      else if (!state[to]) {
        stack[n++] = (visit){to, g->rules.v[to], true};
        state[to] = 1;
      }
    }
  }
  free(state);
  free(stack);
  return found;
}

ww_status ww_grammar_check(ww_grammar *g,
                           const char *(*name)(void *ctx, uint32_t rule),
                           void *ctx,
                           ww_err *e) {
  for (uint32_t r = 0; r < g->rules.n; r++)
    if (g->rules.v[r] == UINT32_MAX)
      return ww_fail(e, WW_EPARSE,
                     "the grammar uses the rule `%s`, which it does not have",
                     name(ctx, r));
  g->left = WW_NEWN(g->arena, uint32_t, g->elements.n);
  g->best = WW_NEWN(g->arena, uint32_t, g->rules.n);
  g->order = WW_NEWN(g->arena, uint32_t, g->rules.n);
  uint32_t *bytes = ww_xcalloc(g->rules.n + 1, sizeof *bytes);
  find_shortest(g, bytes);
  uint32_t which = begins_with_itself(g, bytes);
  bool endless = bytes[g->root] >= WW_G_NEVER;
  free(bytes);
  if (which != UINT32_MAX)
    return ww_fail(
        e, WW_EPARSE,
        "the rule `%s` begins with itself; write it with a repetition: x* or x+",
        name(ctx, which));
  if (endless)
    return ww_fail(
        e, WW_EPARSE,
        "no text of this grammar has an end: `root` needs an alternative that ends");
  return WW_OK;
}
