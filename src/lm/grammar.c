/* grammar.c - follows a grammar: the set of stacks that the bytes so far leave.
 *
 * A stack is a chain of nodes: a place in the element array, and the node to go on with behind it. Nodes are kept once each (the same place with the
 * same rest is the same node), so that stacks share their rests, are compared by number, and may be deep. The top of a stack in a set is always a
 * SET; node 0 is the empty stack: the text may end. Grammars that are deterministic, as JSON's, keep one or two stacks; the numbers are bounded all
 * the same, because a grammar is somebody else's. */
#include "grammar_int.h"

#include <stdlib.h>

#define MOST_NODES (1u << 20)
#define MOST_STACKS 16384
#define MOST_LEFT (1u << 20) /* bytes of a shortest end */
#define NONE UINT32_MAX

typedef struct {
  uint32_t at, rest; /* element; node */
  uint32_t left;     /* the fewest bytes that end the text from here */
  uint32_t seen;     /* the step that last came by */
  uint32_t chain;    /* the next node of the same bucket */
} node;

typedef struct {
  uint32_t *v, n, cap; /* nodes */
} stack_set;

struct ww_grammar_state {
  const ww_grammar *g;
  node *nodes;
  uint32_t nnodes, cap, *bucket, nbuckets; /* nbuckets: a power of two */
  uint32_t steps;
  stack_set now, tried, other,
      open; /* tried, other: scratch of a look ahead; open: nodes whose rules are to be opened */
};

static void set_add(stack_set *s, uint32_t k) {
  if (s->n == s->cap) s->v = ww_xrealloc(s->v, (s->cap = s->cap ? 2 * s->cap : 8) * sizeof *s->v);
  s->v[s->n++] = k;
}

static void set_copy(stack_set *to, const stack_set *from) {
  to->n = 0;
  for (uint32_t k = 0; k < from->n; k++) set_add(to, from->v[k]);
}

static void swap(stack_set *a, stack_set *b) {
  stack_set t = *a;
  *a = *b;
  *b = t;
}

/* ---- nodes ---- */

static uint32_t bucket_of(const ww_grammar_state *s, uint32_t at, uint32_t rest) {
  return (uint32_t)(((uint64_t)at << 32 | rest) * 0x9e3779b97f4a7c15u >> 32) & (s->nbuckets - 1);
}

static void more_nodes(ww_grammar_state *s) {
  s->cap = s->cap ? 2 * s->cap : 256;
  s->nbuckets = s->cap;
  s->nodes = ww_xrealloc(s->nodes, s->cap * sizeof *s->nodes);
  s->bucket = ww_xrealloc(s->bucket, s->nbuckets * sizeof *s->bucket);
  for (uint32_t b = 0; b < s->nbuckets; b++) s->bucket[b] = NONE;
  for (uint32_t k = 1; k < s->nnodes; k++) {
    uint32_t b = bucket_of(s, s->nodes[k].at, s->nodes[k].rest);
    s->nodes[k].chain = s->bucket[b];
    s->bucket[b] = k;
  }
}

/* The node of this place with this rest; NONE: there are too many. */
static uint32_t node_of(ww_grammar_state *s, uint32_t at, uint32_t rest) {
  if (rest == NONE) return NONE;
  uint32_t b = bucket_of(s, at, rest);
  for (uint32_t k = s->bucket[b]; k != NONE; k = s->nodes[k].chain)
    if (s->nodes[k].at == at && s->nodes[k].rest == rest) return k;
  if (s->nnodes >= MOST_NODES) return NONE;
  if (s->nnodes == s->cap) more_nodes(s), b = bucket_of(s, at, rest);
  s->nodes[s->nnodes] = (node){at, rest, ww_g_sum(s->g->left[at], s->nodes[rest].left), 0, s->bucket[b]};
  return s->bucket[b] = s->nnodes++;
}

/* ---- steps ---- */

static void visit(ww_grammar_state *s, uint32_t k) {
  if (k == NONE || s->nodes[k].seen == s->steps) return;
  s->nodes[k].seen = s->steps;
  set_add(&s->open, k);
}

/* The alternatives of a rule, each with `rest` behind it. */
static void visit_rule(ww_grammar_state *s, uint32_t rule, uint32_t rest) {
  const ww_g_element *el = s->g->elements.v;
  for (uint32_t at = s->g->rules.v[rule];;) {
    visit(s, node_of(s, at, rest));
    while (el[at].kind < WW_G_ALT) at++;
    if (el[at++].kind == WW_G_END) break;
  }
}

/* Opens the rules on top of what was visited until SETs are on top of all; these go to *out. */
static void open_all(ww_grammar_state *s, stack_set *out) {
  const ww_g_element *el = s->g->elements.v;
  while (s->open.n) {
    uint32_t k = s->open.v[--s->open.n], at = s->nodes[k].at, rest = s->nodes[k].rest;
    if (!k || el[at].kind == WW_G_SET) {
      if (out->n < MOST_STACKS) set_add(out, k);
    } else if (el[at].kind != WW_G_RULE)
      visit(s, rest); /* the alternative is read: back to who asked for it */
    else {
      /* A rule that ends its alternative is not returned to: lists stay shallow. */
      if (el[at + 1].kind < WW_G_ALT) rest = node_of(s, at + 1, rest);
      visit_rule(s, el[at].of, rest);
    }
  }
}

/* One byte: *to becomes what is left of *from; false: nothing is. */
static bool step(ww_grammar_state *s, const stack_set *from, stack_set *to, uint8_t c) {
  const ww_grammar *g = s->g;
  s->steps++;
  to->n = 0;
  for (uint32_t i = 0; i < from->n; i++) {
    uint32_t k = from->v[i];
    if (k && ww_g_has(&g->sets.v[g->elements.v[s->nodes[k].at].of], c))
      visit(s, node_of(s, s->nodes[k].at + 1, s->nodes[k].rest));
  }
  open_all(s, to);
  return to->n;
}

ww_grammar_state *ww_grammar_begin(const ww_grammar *g) {
  ww_grammar_state *s = ww_xcalloc(1, sizeof *s);
  s->g = g;
  more_nodes(s);
  s->nodes[0] = (node){.chain = NONE};
  s->nnodes = s->steps = 1;
  visit_rule(s, g->root, 0);
  open_all(s, &s->now);
  return s;
}

void ww_grammar_end(ww_grammar_state *s) {
  if (!s) return;
  free(s->now.v), free(s->tried.v), free(s->other.v), free(s->open.v);
  free(s->nodes), free(s->bucket);
  free(s);
}

bool ww_grammar_allows(ww_grammar_state *s, const char *bytes, size_t n) {
  set_copy(&s->tried, &s->now);
  for (size_t i = 0; i < n; i++) {
    if (!step(s, &s->tried, &s->other, (uint8_t)bytes[i])) return false;
    swap(&s->tried, &s->other);
  }
  return true;
}

bool ww_grammar_take(ww_grammar_state *s, const char *bytes, size_t n) {
  if (!ww_grammar_allows(s, bytes, n)) return false;
  swap(&s->now, &s->tried);
  return true;
}

bool ww_grammar_complete(const ww_grammar_state *s) {
  for (uint32_t i = 0; i < s->now.n; i++)
    if (!s->now.v[i]) return true;
  return false;
}

bool ww_grammar_finished(const ww_grammar_state *s) {
  for (uint32_t i = 0; i < s->now.n; i++)
    if (s->now.v[i]) return false;
  return true;
}

/* The only byte that may follow in `t`; -1: there is a choice, or the text may end. */
static int only_byte(const ww_grammar_state *s, const stack_set *t) {
  const ww_grammar *g = s->g;
  ww_g_set all = {{0}};
  for (uint32_t i = 0; i < t->n; i++) {
    if (!t->v[i]) return -1;
    const ww_g_set *one = &g->sets.v[g->elements.v[s->nodes[t->v[i]].at].of];
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
  for (size_t n = 0; n < most && (c = only_byte(s, &s->tried)) >= 0; n++) {
    char byte = (char)c;
    if (!step(s, &s->tried, &s->other, (uint8_t)c)) return;
    ww_buf_add(out, &byte, 1);
    swap(&s->tried, &s->other);
  }
}

void ww_grammar_free(ww_grammar *g) {
  if (!g) return;
  ww_arena *a = g->arena; /* it lies in there itself */
  ww_arena_free(a);
}

/* ---- the shortest end ---- */

static uint32_t nearest(const ww_grammar_state *s, const stack_set *t) {
  uint32_t best = t->v[0];
  for (uint32_t i = 1; i < t->n; i++)
    if (s->nodes[t->v[i]].left < s->nodes[best].left) best = t->v[i];
  return best;
}

uint32_t ww_grammar_left(const ww_grammar_state *s, bool tried) {
  uint32_t left = s->nodes[nearest(s, tried ? &s->tried : &s->now)].left;
  return left > MOST_LEFT ? UINT32_MAX : left;
}

/* A byte of the set that one can read, if there is one. */
static char any_byte(const ww_g_set *set) {
  for (int c = 0x21; c < 0x21 + 256; c++)
    if (ww_g_has(set, (uint8_t)c)) return (char)c;
  return 0;
}

static void shortest_from(ww_grammar_state *s, uint32_t k, ww_buf *out) {
  const ww_g_element *el = s->g->elements.v;
  while (k && k != NONE) {
    uint32_t at = s->nodes[k].at, rest = s->nodes[k].rest;
    if (el[at].kind >= WW_G_ALT)
      k = rest;
    else if (el[at].kind == WW_G_RULE)
      k = node_of(s, s->g->best[el[at].of], node_of(s, at + 1, rest));
    else {
      char c = any_byte(&s->g->sets.v[el[at].of]);
      ww_buf_add(out, &c, 1);
      k = node_of(s, at + 1, rest);
    }
  }
}

void ww_grammar_shortest(ww_grammar_state *s, bool tried, ww_buf *out) {
  ww_buf_puts(out, "");
  if (ww_grammar_left(s, tried) != UINT32_MAX) shortest_from(s, nearest(s, tried ? &s->tried : &s->now), out);
}

/* ---- all words at once ---- */

void ww_grammar_mask(ww_grammar_state *s, const ww_word *words, uint32_t n, uint32_t most_left, bool *allowed) {
  uint32_t levels = 1, reach = 0; /* level[k]: after k bytes of the word before, of which `reach` were allowed */
  stack_set *level = ww_xcalloc(levels, sizeof *level);
  set_copy(&level[0], &s->now);
  for (uint32_t i = 0; i < n; i++) {
    const ww_word *w = &words[i];
    allowed[i] = false;
    if (w->shared > reach) continue; /* it begins with what was refused */
    if (levels <= w->n) {
      level = ww_xrealloc(level, (w->n + 1) * sizeof *level);
      memset(level + levels, 0, (w->n + 1 - levels) * sizeof *level);
      levels = w->n + 1;
    }
    for (reach = w->shared; reach < w->n; reach++)
      if (!step(s, &level[reach], &level[reach + 1], (uint8_t)w->text[reach])) break;
    allowed[i] = w->n && reach == w->n && s->nodes[nearest(s, &level[reach])].left <= most_left;
  }
  for (uint32_t k = 0; k < levels; k++) free(level[k].v);
  free(level);
}
