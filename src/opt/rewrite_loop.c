/* rewrite_loop.c - loops that several threads may share: counted ones whose rounds know
 * nothing of one another but what they add up.
 *
 * A variable that a loop reduces is touched by nothing but its reduction, so that parts
 * of it may be combined in any order. */
#include "rewrite_int.h"

/* ---- the head ---- */

/* Every use of a counter that is declared before its loop stands in a loop that sets
 * it: its last value is not asked for. */
static bool is_set_by_loops(const ww_rewriting *x, uint32_t decl) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    if (x->v[i].kind != WW_NODE_REFERENCE || x->v[i].decl != decl)
      continue;
    uint32_t loop = ww_node_above(x, i, WW_NODE_FOR);
    bool set = false;
    for (; loop != WW_NONODE && !set; loop = ww_node_above(x, loop, WW_NODE_FOR)) {
      uint32_t first = ww_node_child(x, loop, 0);
      uint32_t to = first == WW_NONODE ? WW_NONODE : ww_node_target(x, first);
      set = to != WW_NONODE && x->v[to].kind == WW_NODE_REFERENCE &&
            x->v[to].decl == decl;
    }
    if (!set)
      return false;
  }
  return true;
}

/* `int k = start` or `k = start`. */
static bool read_start(const ww_rewriting *x, ww_counted_loop *c) {
  uint32_t first = ww_node_child(x, c->loop, 0);
  if (x->v[first].kind == WW_NODE_DECLARATIONS && ww_node_children(x, first) == 1) {
    c->counter = ww_node_child(x, first, 0);
    uint32_t n = ww_node_children(x, c->counter);
    c->start = n ? ww_node_child(x, c->counter, n - 1) : WW_NONODE;
    return n > 0;
  }
  uint32_t to = ww_node_target(x, first);
  if (x->v[first].kind != WW_NODE_BINARY || to == WW_NONODE ||
      x->v[to].kind != WW_NODE_REFERENCE)
    return false;
  c->counter = ww_node_of_decl(x, x->v[to].decl);
  c->start = ww_node_child(x, first, 1);
  return c->counter != WW_NONODE && x->v[c->counter].kind == WW_NODE_VARIABLE &&
         is_set_by_loops(x, x->v[to].decl);
}

bool ww_loop_read(const ww_rewriting *x, uint32_t loop, ww_counted_loop *c) {
  *c = (ww_counted_loop){.loop = loop};
  if (x->v[loop].kind != WW_NODE_FOR || ww_node_children(x, loop) != 4 ||
      !read_start(x, c) || x->v[c->counter].type != WW_TYPE_INT)
    return false;
  uint32_t decl = x->v[c->counter].decl;
  uint32_t condition = ww_node_bare(x, ww_node_child(x, loop, 1));
  c->step = ww_node_child(x, loop, 2);
  c->body = ww_node_child(x, loop, 3);
  uint32_t to = ww_node_target(x, c->step);
  bool counts = to != WW_NONODE && x->v[to].kind == WW_NODE_REFERENCE &&
                x->v[to].decl == decl && !x->v[c->step].macro && !x->v[c->start].macro;
  if (!counts || x->v[condition].kind != WW_NODE_BINARY ||
      (strcmp(x->v[condition].name, "<") && strcmp(x->v[condition].name, "<=")) ||
      ww_node_changed(x, decl, c->body))
    return false;
  c->below = ww_node_child(x, condition, 0);
  c->end = ww_node_child(x, condition, 1);
  c->inclusive = !strcmp(x->v[condition].name, "<=");
  if (!strcmp(x->v[c->step].name, "++"))
    return true;
  c->by = ww_node_text(x, ww_node_child(x, c->step, 1));
  return !strcmp(x->v[c->step].name, "+=");
}

/* ---- variables and memory ---- */

uint32_t ww_node_variable(const ww_rewriting *x, uint32_t node) {
  for (node = ww_node_bare(x, node); node != WW_NONODE;) {
    const ww_node *n = &x->v[node];
    if (n->kind == WW_NODE_REFERENCE) {
      uint32_t d = ww_node_of_decl(x, n->decl);
      bool pointer = d == WW_NONODE || x->v[d].type == WW_TYPE_POINTER;
      return pointer ? WW_NONODE : d;
    }
    if (n->kind != WW_NODE_SUBSCRIPT && n->kind != WW_NODE_MEMBER)
      return WW_NONODE;
    node = ww_node_bare(x, ww_node_child(x, node, 0));
  }
  return WW_NONODE;
}

/* A pointer variable itself, not what it points to. */
static bool is_pointer_variable(const ww_rewriting *x, uint32_t to) {
  return x->v[to].kind == WW_NODE_REFERENCE && x->v[to].type == WW_TYPE_POINTER;
}

bool ww_node_stores(const ww_rewriting *x, uint32_t node) {
  static const char *const begins[] = {
      "atomic", "atom_", "vstore", "write_image", "async_work_group", NULL};
  for (uint32_t i = node; i < x->v[node].last; i++) {
    uint32_t to = ww_node_target(x, i);
    if (to != WW_NONODE && ww_node_variable(x, to) == WW_NONODE &&
        !is_pointer_variable(x, to))
      return true;
    for (int k = 0; begins[k]; k++)
      if (ww_starts(ww_node_callee(x, i), begins[k]))
        return true;
  }
  return false;
}

/* Does a break leave a loop or switch that lies within? */
static bool breaks_within(const ww_rewriting *x, uint32_t i, uint32_t node) {
  for (int32_t p = x->v[i].parent; p >= (int32_t)node; p = x->v[p].parent) {
    uint8_t kind = x->v[p].kind;
    if (kind == WW_NODE_FOR || kind == WW_NODE_WHILE || kind == WW_NODE_DO ||
        kind == WW_NODE_SWITCH)
      return true;
  }
  return false;
}

bool ww_node_jumps(const ww_rewriting *x, uint32_t node) {
  for (uint32_t i = node; i < x->v[node].last; i++) {
    uint8_t kind = x->v[i].kind;
    if (kind == WW_NODE_RETURN || kind == WW_NODE_GOTO || kind == WW_NODE_ASM ||
        (kind == WW_NODE_BREAK && !breaks_within(x, i, node)))
      return true;
  }
  return false;
}

/* ---- reductions ---- */

/* The same variable, or the same element as it is written. */
static bool is_same(const ww_rewriting *x, uint32_t node, uint32_t target) {
  node = ww_node_bare(x, node);
  return node != WW_NONODE && x->v[node].kind == x->v[target].kind &&
         x->v[node].decl == x->v[target].decl && ww_node_alike(x, node, target);
}

/* fmaxf(s, value) in any order; the function's name, NULL: it is none. */
static const char *extreme_call(const ww_rewriting *x, uint32_t node, uint32_t target) {
  static const char *const names[] = {"fmaxf", "fminf", "fmax", "fmin",
                                      "max",   "min",   NULL};
  node = ww_node_bare(x, node);
  for (int k = 0; node != WW_NONODE && names[k]; k++)
    if (!strcmp(ww_node_callee(x, node), names[k]) && ww_node_children(x, node) == 3 &&
        (is_same(x, ww_node_child(x, node, 1), target) !=
         is_same(x, ww_node_child(x, node, 2), target)))
      return names[k];
  return NULL;
}

/* if (value > s) s = value; the sign that `value` stands left of, NULL: it is not that.
 * */
static const char *
extreme_if(const ww_rewriting *x, uint32_t assignment, uint32_t target) {
  uint32_t then = assignment;
  int32_t above = x->v[then].parent;
  if (above >= 0 && x->v[above].kind == WW_NODE_COMPOUND &&
      ww_node_children(x, above) == 1) {
    then = above;
    above = x->v[above].parent;
  }
  if (above < 0 || x->v[above].kind != WW_NODE_IF || ww_node_children(x, above) != 2 ||
      ww_node_child(x, above, 1) != then)
    return NULL;
  uint32_t c = ww_node_bare(x, ww_node_child(x, above, 0));
  uint32_t value = ww_node_child(x, assignment, 1);
  if (x->v[c].kind != WW_NODE_BINARY ||
      (strcmp(x->v[c].name, "<") && strcmp(x->v[c].name, ">")))
    return NULL;
  bool more = *x->v[c].name == '>';
  if (is_same(x, ww_node_child(x, c, 1), target) &&
      ww_node_alike(x, ww_node_child(x, c, 0), value))
    return more ? ">" : "<";
  if (is_same(x, ww_node_child(x, c, 0), target) &&
      ww_node_alike(x, ww_node_child(x, c, 1), value))
    return more ? "<" : ">";
  return NULL;
}

/* s = s + value, in any order. */
static const char *added(const ww_rewriting *x, uint32_t node, uint32_t target) {
  static const char *const signs[] = {"+", "*", "|", "&", "^", NULL};
  node = ww_node_bare(x, node);
  if (node == WW_NONODE || x->v[node].kind != WW_NODE_BINARY)
    return NULL;
  bool left = is_same(x, ww_node_child(x, node, 0), target);
  bool right = is_same(x, ww_node_child(x, node, 1), target);
  if (left && !strcmp(x->v[node].name, "-"))
    return "+";
  for (int k = 0; (left || right) && signs[k]; k++)
    if (!strcmp(x->v[node].name, signs[k]))
      return signs[k];
  return NULL;
}

/* How an assignment reduces its target; *uses: how often it then names it. */
static const char *
reduction_of(const ww_rewriting *x, uint32_t node, uint32_t target, uint32_t *uses) {
  static const char *const signs[][2] = {{"+=", "+"}, {"-=", "+"}, {"*=", "*"},
                                         {"|=", "|"}, {"&=", "&"}, {"^=", "^"},
                                         {"++", "+"}, {"--", "+"}};
  *uses = 1;
  for (size_t k = 0; k < WW_COUNT(signs); k++)
    if (!strcmp(x->v[node].name, signs[k][0]))
      return signs[k][1];
  if (strcmp(x->v[node].name, "="))
    return NULL;
  *uses = 2;
  const char *op = added(x, ww_node_child(x, node, 1), target);
  if (!op)
    op = extreme_call(x, ww_node_child(x, node, 1), target);
  return op ? op : extreme_if(x, node, target);
}

static bool is_reducible(const ww_node *n) {
  static const char *const types[] = {
      "float", "double",    "int",           "unsigned int",
      "long",  "long long", "unsigned long", "unsigned long long",
      NULL};
  for (int k = 0; types[k]; k++)
    if (!strcmp(n->spelled, types[k]))
      return true;
  return false;
}

/* `variable`: as in ww_reduction; `node`: the assignment to `target`. */
static bool add_reduction(const ww_rewriting *x,
                          ww_loop_work *w,
                          const ww_reduction *r,
                          uint32_t node,
                          uint32_t target) {
  uint32_t uses;
  const char *op = reduction_of(x, node, target, &uses);
  if (!op || !is_reducible(&x->v[r->variable]))
    return false;
  for (uint32_t k = 0; k < w->n; k++)
    if (w->of[k].element == r->element &&
        (r->element ? ww_node_alike(x, w->of[k].variable, target)
                    : w->of[k].variable == r->variable)) {
      w->of[k].uses += uses;
      return !strcmp(w->of[k].op, op);
    }
  if (w->n == WW_MOST_REDUCTIONS)
    return false;
  w->of[w->n] = *r;
  w->of[w->n].uses = uses;
  w->of[w->n++].op = op;
  return true;
}

/* An element that the loop adds to: one neutral value has to be there, as others of a
 * team must not read it. */
static bool add_element(const ww_rewriting *x,
                        const ww_counted_loop *c,
                        ww_loop_work *w,
                        uint32_t node,
                        uint32_t to) {
  uint32_t array = ww_node_bare(x, ww_node_child(x, to, 0));
  ww_reduction r = {
      .variable = to,
      .element = true,
  };
  return x->v[to].kind == WW_NODE_SUBSCRIPT && !x->v[to].macro &&
         !x->v[to].is_volatile && x->v[array].kind == WW_NODE_REFERENCE &&
         ww_node_invariant(x, to, c->loop) && add_reduction(x, w, &r, node, to) &&
         strchr("+*^", *w->of[w->n - 1].op);
}

/* Does the index of a store name the counter, or what the loop declares, or is it a
 * place that nobody else gets, of a queue? */
static bool is_own_place(const ww_rewriting *x, uint32_t to, const ww_counted_loop *c) {
  for (uint32_t i = to; i < x->v[to].last; i++) {
    if (!strcmp(ww_node_callee(x, i), "atomicAdd"))
      return true;
    uint32_t d = x->v[i].kind == WW_NODE_REFERENCE ? ww_node_of_decl(x, x->v[i].decl)
                                                   : WW_NONODE;
    if (d != WW_NONODE && (d == c->counter || ww_node_inside(x, d, c->body)))
      return true;
  }
  return false;
}

static bool may_assign(const ww_rewriting *x,
                       const ww_counted_loop *c,
                       ww_loop_work *w,
                       uint32_t node,
                       uint32_t to) {
  uint32_t d = ww_node_variable(x, to);
  if (d == WW_NONODE && is_pointer_variable(x, to))
    d = ww_node_of_decl(x, x->v[to].decl);
  if (d == WW_NONODE) {
    bool own = is_own_place(x, to, c);
    w->stores |= own;
    return own || add_element(x, c, w, node, to);
  }
  ww_reduction r = {.variable = d};
  return ww_node_inside(x, d, c->loop) ||
         (x->v[to].kind == WW_NODE_REFERENCE && x->v[d].kind == WW_NODE_VARIABLE &&
          add_reduction(x, w, &r, node, to));
}

/* How often the loop names the variable, or the array of the element. */
static uint32_t
uses_of(const ww_rewriting *x, const ww_counted_loop *c, const ww_reduction *r) {
  uint32_t n = 0;
  uint32_t decl = x->v[r->variable].decl;
  if (r->element)
    decl = x->v[ww_node_bare(x, ww_node_child(x, r->variable, 0))].decl;
  for (uint32_t i = c->loop; i < x->v[c->loop].last; i++)
    n += x->v[i].kind == WW_NODE_REFERENCE && x->v[i].decl == decl;
  return n;
}

bool ww_loop_work_of(const ww_rewriting *x, const ww_counted_loop *c, ww_loop_work *w) {
  *w = (ww_loop_work){0};
  if (ww_node_jumps(x, c->body))
    return false;
  for (uint32_t i = c->body; i < x->v[c->body].last; i++) {
    uint32_t to = ww_node_target(x, i);
    if (to != WW_NONODE && !may_assign(x, c, w, i, to))
      return false;
    w->atomics |= ww_starts(ww_node_callee(x, i), "atomic");
  }
  for (uint32_t k = 0; k < w->n; k++)
    if (uses_of(x, c, &w->of[k]) != w->of[k].uses)
      return false;
  return w->n || w->stores || w->atomics;
}

/* ---- what parts of a reduction become ---- */

const char *ww_reduction_neutral(const char *op) {
  return *op == '+' || *op == '^' ? "0" : *op == '*' ? "1" : NULL;
}

const char *
ww_reduction_combined(ww_arena *a, const char *op, const char *into, const char *from) {
  if (strchr("+*|&^", *op))
    return ww_fmt(a, "%s %s= %s;", into, op, from);
  if (strchr("<>", *op))
    return ww_fmt(a, "%s = %s %s %s ? %s : %s;", into, from, op, into, from, into);
  return ww_fmt(a, "%s = %s(%s, %s);", into, op, into, from);
}
