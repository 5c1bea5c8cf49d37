/* grammar.c - follows a grammar: the set of stacks that the bytes so far leave.
 *
 * A node is a place in the element array and a context: the set of nodes to go on with
 * behind the end of its rule. All stacks that call a rule at the same byte share one
 * context, so that a grammar that can be read in many ways has sets as large as the
 * grammar, not as many as there are ways. Nodes and contexts are kept once each, are
 * compared by number, and may be deep. The top of a stack in a set is always a SET;
 * node 0 is the empty stack: the text may end. No stack is ever dropped: where there
 * are too many, because a grammar is somebody else's, the byte is refused. So the
 * shortest end of a set is one that can be followed. */
#include "grammar_int.h"

/* beyond it only bytes that bring the end nearer are taken */
#define MOST_NODES (1u << 20)
#define MOST_MEMBERS (1u << 23)
#define MOST_LEFT (1u << 20) /* bytes of a shortest end */
#define NONE UINT32_MAX

typedef struct {
  uint32_t at, context; /* element; index into contexts */
  uint32_t left;        /* the fewest bytes that end the text from here */
  uint32_t seen;        /* the step that last came by */
  uint32_t alone;       /* the context of just this node; NONE: not made yet */
} node;

typedef struct {
  uint32_t *v, n;   /* nodes in the order of their numbers */
  uint32_t nearest; /* the member with the fewest bytes left */
} context;

typedef WW_VEC(uint32_t) stack_set; /* nodes; malloc's */

typedef struct {
  uint32_t context, next;
} call; /* of a rule, in this step; next: an earlier one, NONE */

struct ww_grammar_state {
  const ww_grammar *g;
  WW_VEC(node) nodes;       /* malloc's */
  ww_map places;            /* nodes by element and context */
  WW_VEC(context) contexts; /* 0: the end of the text */
  ww_dict sets;             /* contexts by their nodes */
  uint32_t members;         /* of all contexts */
  ww_arena *arena;          /* of contexts and calls */
  uint32_t steps;
  bool full;                   /* there is no room for what this step needs */
  stack_set now, tried, other; /* tried, other: scratch of a look ahead */
  stack_set open;              /* nodes that were visited and not looked at */
  WW_VEC(call) calls;
  uint32_t *last_call; /* [rules]: index into calls, NONE */
  ww_heap called;      /* rules that were called, callers first: ~order << 32 | rule */
  stack_set together;  /* scratch: members of several contexts */
};

static void set_copy(stack_set *to, const stack_set *from) {
  to->n = 0;
  ww_append(NULL, to, from->v, from->n);
}

static void swap(stack_set *a, stack_set *b) {
  stack_set t = *a;
  *a = *b;
  *b = t;
}

/* ---- nodes and contexts ---- */

static uint32_t context_left(const ww_grammar_state *s, uint32_t c) {
  return s->nodes.v[s->contexts.v[c].nearest].left;
}

/* The node of this place in this context; NONE: there are too many. */
static uint32_t node_of(ww_grammar_state *s, uint32_t at, uint32_t c) {
  if (c == NONE)
    return NONE;
  uint64_t key = ((uint64_t)at << 32 | c) + 1;
  const uint32_t *known = ww_map_find(&s->places, key);
  if (known)
    return *known;
  if (s->nodes.n >= 4 * MOST_NODES)
    return s->full = true, NONE;
  uint32_t left = ww_g_sum(s->g->left[at], context_left(s, c));
  ww_push(NULL, &s->nodes, (node){at, c, left, 0, NONE});
  return *ww_map_at(&s->places, NULL, key, NULL) = s->nodes.n - 1;
}

/* The context of these nodes, which are in order; NONE: there are too many. */
static uint32_t context_of(ww_grammar_state *s, const uint32_t *v, uint32_t n) {
  const uint32_t bytes = n * sizeof *v;
  const uint32_t *known = ww_dict_find(&s->sets, (const char *)v, bytes);
  bool fresh;
  if (known)
    return *known;
  if (n > MOST_MEMBERS - s->members)
    return s->full = true, NONE;
  s->members += n;
  context c = {memcpy(ww_alloc(s->arena, bytes), v, bytes), n, v[0]};
  for (uint32_t k = 1; k < n; k++)
    if (s->nodes.v[v[k]].left < s->nodes.v[c.nearest].left)
      c.nearest = v[k];
  ww_push(s->arena, &s->contexts, c);
  return *ww_dict_at(&s->sets, s->arena, (const char *)c.v, bytes, &fresh) =
             s->contexts.n - 1;
}

static uint32_t alone(ww_grammar_state *s, uint32_t k) {
  if (k == NONE)
    return NONE;
  if (s->nodes.v[k].alone == NONE) {
    uint32_t c = context_of(s, &k, 1);
    s->nodes.v[k].alone = c;
  }
  return s->nodes.v[k].alone;
}

static int by_number(const void *a, const void *b) {
  return ww_order(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* ---- steps ---- */

static void visit(ww_grammar_state *s, uint32_t k) {
  if (k == NONE || s->nodes.v[k].seen == s->steps)
    return;
  s->nodes.v[k].seen = s->steps;
  ww_push(NULL, &s->open, k);
}

static void visit_members(ww_grammar_state *s, uint32_t c) {
  for (uint32_t k = 0; k < s->contexts.v[c].n; k++)
    visit(s, s->contexts.v[c].v[k]);
}

/* Somebody wants the rule, to go on in context c behind it: at once where the rule may
 * be empty. */
static void call_rule(ww_grammar_state *s, uint32_t rule, uint32_t c) {
  if (c == NONE)
    return;
  if (s->last_call[rule] == NONE)
    ww_heap_push(&s->called, (uint64_t)~s->g->order[rule] << 32 | rule);
  ww_push(s->arena, &s->calls, (call){c, s->last_call[rule]});
  s->last_call[rule] = s->calls.n - 1;
  if (!s->g->left[s->g->best[rule]])
    visit_members(s, c);
}

/* One context for all calls of the rule in this step. */
static uint32_t join_calls(ww_grammar_state *s, uint32_t rule) {
  const call *c = &s->calls.v[s->last_call[rule]];
  s->last_call[rule] = NONE;
  if (c->next == NONE)
    return c->context;
  stack_set *t = &s->together;
  t->n = 0;
  for (;; c = &s->calls.v[c->next]) {
    const context *x = &s->contexts.v[c->context];
    ww_append(NULL, t, x->v, x->n);
    if (c->next == NONE)
      break;
  }
  qsort(t->v, t->n, sizeof *t->v, by_number);
  uint32_t n = 0;
  for (uint32_t k = 0; k < t->n; k++)
    if (!n || t->v[n - 1] != t->v[k])
      t->v[n++] = t->v[k];
  return context_of(s, t->v, n);
}

/* The alternatives of a rule. */
static void open_rule(ww_grammar_state *s, uint32_t rule, uint32_t c) {
  const ww_g_element *el = s->g->elements.v;
  for (uint32_t at = s->g->rules.v[rule];;) {
    visit(s, node_of(s, at, c));
    while (el[at].kind < WW_G_ALT)
      at++;
    if (el[at++].kind == WW_G_END)
      break;
  }
}

static void look_at(ww_grammar_state *s, uint32_t k, stack_set *out) {
  const ww_g_element *el = s->g->elements.v;
  uint32_t at = s->nodes.v[k].at;
  uint32_t c = s->nodes.v[k].context;
  if (!k || el[at].kind == WW_G_SET)
    ww_push(NULL, out, k);
  else if (el[at].kind != WW_G_RULE)
    visit_members(s, c); /* the alternative is read: back to who asked for it */
  else /* a rule that ends its alternative is not returned to: lists stay shallow */
    call_rule(s, el[at].of,
              el[at + 1].kind < WW_G_ALT ? alone(s, node_of(s, at + 1, c)) : c);
}

/* Opens the rules on top of what was visited until SETs are on top of all; these go to
 * *out. A rule is opened when all that may begin with it were: then all its callers are
 * known. */
static bool open_all(ww_grammar_state *s, stack_set *out) {
  for (;;) {
    while (s->open.n)
      look_at(s, s->open.v[--s->open.n], out);
    if (!s->called.n)
      break;
    uint32_t rule = ww_heap_pop(&s->called);
    open_rule(s, rule, join_calls(s, rule));
  }
  s->calls.n = 0;
  return !s->full;
}

static uint32_t nearest(const ww_grammar_state *s, const stack_set *t) {
  uint32_t best = NONE;
  for (uint32_t i = 0; i < t->n; i++)
    if (best == NONE || s->nodes.v[t->v[i]].left < s->nodes.v[best].left)
      best = t->v[i];
  return best;
}

static uint32_t left_of(const ww_grammar_state *s, const stack_set *t) {
  return t->n ? s->nodes.v[nearest(s, t)].left : WW_G_NEVER;
}

/* One byte: *to becomes what is left of *from; false: nothing is. */
static bool step(ww_grammar_state *s, const stack_set *from, stack_set *to, uint8_t c) {
  const ww_grammar *g = s->g;
  s->steps++;
  s->full = false;
  to->n = 0;
  for (uint32_t i = 0; i < from->n; i++) {
    uint32_t k = from->v[i];
    if (k && ww_g_has(&g->sets.v[g->elements.v[s->nodes.v[k].at].of], c))
      visit(s, node_of(s, s->nodes.v[k].at + 1, s->nodes.v[k].context));
  }
  if (!open_all(s, to) ||
      (s->nodes.n > MOST_NODES && left_of(s, to) >= left_of(s, from)))
    to->n = 0;
  return to->n;
}

ww_grammar_state *ww_grammar_begin(const ww_grammar *g) {
  static const uint32_t end_of_text = 0;
  ww_grammar_state *s = ww_xcalloc(1, sizeof *s);
  s->g = g;
  s->arena = ww_arena_new();
  ww_push(NULL, &s->nodes, (node){0}); /* the end of the text */
  s->steps = 1;
  s->last_call = ww_xmalloc((g->rules.n + 1) * sizeof *s->last_call);
  s->called.v = ww_xmalloc((g->rules.n + 1) * sizeof *s->called.v);
  for (uint32_t r = 0; r < g->rules.n; r++)
    s->last_call[r] = NONE;
  call_rule(s, g->root, context_of(s, &end_of_text, 1));
  if (!open_all(s, &s->now))
    s->now.n = 0;
  return s;
}

void ww_grammar_end(ww_grammar_state *s) {
  if (!s)
    return;
  void *all[] = {s->now.v,   s->tried.v,    s->other.v,   s->open.v,
                 s->nodes.v, s->together.v, s->last_call, s->called.v};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  ww_map_free(&s->places);
  ww_arena_free(s->arena);
  free(s);
}

bool ww_grammar_allows(ww_grammar_state *s, const char *bytes, size_t n) {
  set_copy(&s->tried, &s->now);
  for (size_t i = 0; i < n; i++) {
    if (!step(s, &s->tried, &s->other, bytes[i]))
      return false;
    swap(&s->tried, &s->other);
  }
  return true;
}

bool ww_grammar_take(ww_grammar_state *s, const char *bytes, size_t n) {
  if (!ww_grammar_allows(s, bytes, n))
    return false;
  swap(&s->now, &s->tried);
  return true;
}

/* Stacks that are empty: the text may end. */
static uint32_t ended(const ww_grammar_state *s) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->now.n; i++)
    n += !s->now.v[i];
  return n;
}

bool ww_grammar_complete(const ww_grammar_state *s) {
  return ended(s) > 0;
}

bool ww_grammar_finished(const ww_grammar_state *s) {
  return ended(s) == s->now.n;
}

/* The only byte that may follow in `t`; -1: there is a choice, or the text may end. */
static int only_byte(const ww_grammar_state *s, const stack_set *t) {
  const ww_grammar *g = s->g;
  ww_g_set all = {{0}};
  for (uint32_t i = 0; i < t->n; i++) {
    if (!t->v[i])
      return -1;
    const ww_g_set *one = &g->sets.v[g->elements.v[s->nodes.v[t->v[i]].at].of];
    for (int w = 0; w < 4; w++)
      all.bits[w] |= one->bits[w];
  }
  int count = 0;
  int byte = -1;
  for (int w = 0; w < 4; w++) {
    count += __builtin_popcountll(all.bits[w]);
    if (all.bits[w])
      byte = w * 64 + __builtin_ctzll(all.bits[w]);
  }
  return count == 1 ? byte : -1;
}

void ww_grammar_forced(ww_grammar_state *s, size_t most, ww_buf *out) {
  int c;
  set_copy(&s->tried, &s->now);
  for (size_t n = 0; n < most && (c = only_byte(s, &s->tried)) >= 0; n++) {
    char byte = c;
    if (!step(s, &s->tried, &s->other, c))
      return;
    ww_buf_add(out, &byte, 1);
    swap(&s->tried, &s->other);
  }
}

void ww_grammar_free(ww_grammar *g) {
  if (!g)
    return;
  ww_arena *a = g->arena; /* it lies in there itself */
  ww_arena_free(a);
}

/* ---- the shortest end ---- */

uint32_t ww_grammar_left(const ww_grammar_state *s, bool tried) {
  uint32_t left = left_of(s, tried ? &s->tried : &s->now);
  return left > MOST_LEFT ? UINT32_MAX : left;
}

/* A byte of the set that one can read, if there is one. */
static char any_byte(const ww_g_set *set) {
  for (int c = 0x21; c < 0x21 + 256; c++)
    if (ww_g_has(set, c))
      return c;
  return 0;
}

/* From node k by the shortest alternatives; `back`: where to go on behind rules that
 * were entered on the way. */
static void shortest_from(const ww_grammar_state *s, uint32_t k, ww_buf *out) {
  const ww_g_element *el = s->g->elements.v;
  stack_set back = {0};
  for (uint32_t at = s->nodes.v[k].at; k;) {
    if (el[at].kind == WW_G_SET) {
      char c = any_byte(&s->g->sets.v[el[at++].of]);
      ww_buf_add(out, &c, 1);
    } else if (el[at].kind == WW_G_RULE) {
      ww_push(NULL, &back, at + 1);
      at = s->g->best[el[at].of];
    } else if (back.n)
      at = back.v[--back.n];
    else {
      k = s->contexts.v[s->nodes.v[k].context].nearest;
      at = s->nodes.v[k].at;
    }
  }
  free(back.v);
}

void ww_grammar_shortest(ww_grammar_state *s, bool tried, ww_buf *out) {
  ww_buf_puts(out, "");
  if (ww_grammar_left(s, tried) != UINT32_MAX)
    shortest_from(s, nearest(s, tried ? &s->tried : &s->now), out);
}

/* ---- all words at once ---- */

void ww_grammar_mask(ww_grammar_state *s,
                     const ww_word *words,
                     uint32_t n,
                     uint32_t most_left,
                     bool *allowed) {
  uint32_t levels = 1;
  uint32_t reach =
      0; /* level[k]: after k bytes of the word before, of which `reach` were allowed */
  stack_set *level = ww_xcalloc(levels, sizeof *level);
  set_copy(level, &s->now);
  for (uint32_t i = 0; i < n; i++) {
    const ww_word *w = words + i;
    allowed[i] = false;
    if (w->shared > reach)
      continue; /* it begins with what was refused */
    if (levels <= w->n) {
      level = ww_xrealloc(level, (w->n + 1) * sizeof *level);
      memset(level + levels, 0, (w->n + 1 - levels) * sizeof *level);
      levels = w->n + 1;
    }
    for (reach = w->shared; reach < w->n; reach++)
      if (!step(s, level + reach, level + reach + 1, w->text[reach]))
        break;
    allowed[i] = w->n && reach == w->n && left_of(s, level + reach) <= most_left;
  }
  for (uint32_t k = 0; k < levels; k++)
    free(level[k].v);
  free(level);
}
