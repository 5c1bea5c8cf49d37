/* fuse_read.c - may kernels be one? See fuse_int.h.
 *
 * It is the same as the launches in order where a thread of each of them works at the
 * same element under the same conditions, and nobody else works there: every buffer
 * that one of them writes and another one uses is accessed at that element alone. That
 * is read from the syntax: an index or a condition is brought to a normal form in which
 * local variables are what they were set to and parameters are those of the fused
 * kernel. What has no such form is refused. */
#include "fuse_int.h"

#define MOST_NORMAL 4096 /* bytes: sums of sums of sums grow without end */

const char *ww_fuse_element_type(const char *type) {
  return ww_starts(type, "const ") ? type + strlen("const ") : type;
}

/* ---- normal forms ---- */

static const char *normal(const ww_fuse_body *p, uint32_t node, int depth);

static bool is_wrapper(const ww_node *n) {
  return n->kind == WW_NODE_UNEXPOSED || n->kind == WW_NODE_PARENTHESES;
}

uint32_t ww_fuse_inside(const ww_rewriting *x, uint32_t node) {
  while (node != WW_NONODE && is_wrapper(&x->v[node]) && ww_node_children(x, node) == 1)
    node = ww_node_child(x, node, 0);
  return node;
}

int ww_fuse_parameter_of(const ww_fuse_body *p, uint32_t decl) {
  for (uint32_t k = 0; k < p->nparams; k++)
    if (p->x.v[p->param[k]].decl == decl)
      return (int)k;
  return -1;
}

static const char *normal_name(const ww_fuse_body *p, uint32_t node, int depth) {
  const ww_rewriting *x = &p->x;
  const ww_node *n = &x->v[node];
  int k = ww_fuse_parameter_of(p, n->decl);
  uint32_t d = ww_node_of_decl(x, n->decl);
  if (k < 0 && (d == WW_NONODE || !ww_node_inside(x, d, x->body)))
    return n->name;
  if (ww_node_changed(x, n->decl, x->body))
    return NULL;
  if (k >= 0)
    return ww_fmt(x->a, "$%u", p->to[k]);
  uint32_t children = ww_node_children(x, d);
  uint32_t to = children ? ww_node_child(x, d, children - 1) : WW_NONODE;
  const char *value = to != WW_NONODE && depth < 8 ? normal(p, to, depth + 1) : NULL;
  if (!value)
    return NULL;
  const char *type =
      ww_fuse_element_type(x->v[d].spelled); /* a conversion may change it */
  bool same = !strcmp(type, ww_fuse_element_type(x->v[ww_fuse_inside(x, to)].spelled));
  return same ? value : ww_fmt(x->a, "%s:%s", type, value);
}

static const char *normal_binary(const ww_fuse_body *p, uint32_t node, int depth) {
  const ww_rewriting *x = &p->x;
  const char *op = x->v[node].name;
  const char *l = normal(p, ww_node_child(x, node, 0), depth);
  const char *r = l ? normal(p, ww_node_child(x, node, 1), depth) : NULL;
  if (!r || strlen(l) + strlen(r) > MOST_NORMAL)
    return NULL;
  bool turn = (!strcmp(op, "+") || !strcmp(op, "*")) && strcmp(l, r) > 0;
  return ww_fmt(x->a, "(%s%s%s)", turn ? r : l, op, turn ? l : r);
}

/* Equal texts are equal values, in all threads of the same number; NULL: it cannot be
 * told. */
static const char *normal(const ww_fuse_body *p, uint32_t node, int depth) {
  const ww_rewriting *x = &p->x;
  uint32_t axis;
  node = ww_fuse_inside(x, node);
  if (node == WW_NONODE)
    return NULL;
  const ww_node *n = &x->v[node];
  if (n->constant)
    return ww_fmt(x->a, "%lld", (long long)n->value);
  if (ww_index_of(x, node, &axis) >= 0)
    return ww_text_index(x, ww_index_of(x, node, &axis), axis);
  if (n->kind == WW_NODE_REFERENCE)
    return normal_name(p, node, depth);
  if (n->kind == WW_NODE_BINARY && strcmp(n->name, "="))
    return normal_binary(p, node, depth);
  bool cast = n->kind == WW_NODE_CAST || n->kind == WW_NODE_STATIC_CAST ||
              n->kind == WW_NODE_FUNCTIONAL_CAST;
  uint32_t children = ww_node_children(x, node);
  if (!cast || !children)
    return NULL;
  const char *of = normal(p, ww_node_child(x, node, children - 1), depth);
  return of ? ww_fmt(x->a, "%s:%s", n->spelled, of) : NULL;
}

/* ---- conditions ---- */

static void add_condition(ww_fuse_body *p, const char *text) {
  for (uint32_t k = 0; k < p->conditions.n; k++)
    if (!strcmp(p->conditions.v[k], text))
      return;
  ww_push(p->x.a, &p->conditions, text);
}

/* a >= b is not a < b; a > b is b < a. */
static const char *comparison(const ww_fuse_body *p, uint32_t node, bool negated) {
  const ww_rewriting *x = &p->x;
  const char *op = x->v[node].name;
  bool less = !strcmp(op, "<") || !strcmp(op, ">=");
  bool more = !strcmp(op, ">") || !strcmp(op, "<=");
  const char *l = normal(p, ww_node_child(x, node, 0), 0);
  const char *r = normal(p, ww_node_child(x, node, 1), 0);
  bool equal = op[1] == '=';
  if (!l || !r)
    return NULL;
  if (!less && !more) /* == and != */
    return ww_fmt(x->a, "%s%s%s", l, (op[0] == '!') != negated ? "!=" : "==", r);
  return ww_fmt(x->a, "%s%s<%s", equal != negated ? "not " : "", less ? l : r,
                less ? r : l);
}

static bool add_conditions(ww_fuse_body *p, uint32_t node, bool negated) {
  const ww_rewriting *x = &p->x;
  node = ww_fuse_inside(x, node);
  const ww_node *n = &x->v[node];
  bool binary = n->kind == WW_NODE_BINARY;
  if (n->kind == WW_NODE_UNARY && !strcmp(n->name, "!"))
    return add_conditions(p, ww_node_child(x, node, 0), !negated);
  if (binary && !strcmp(n->name, negated ? "||" : "&&"))
    return add_conditions(p, ww_node_child(x, node, 0), negated) &&
           add_conditions(p, ww_node_child(x, node, 1), negated);
  bool compares = binary && (n->name[0] == '<' || n->name[0] == '>' ||
                             !strcmp(n->name, "==") || !strcmp(n->name, "!="));
  const char *text = compares ? comparison(p, node, negated) : normal(p, node, 0);
  if (!text || !strcmp(n->name, "<<") || !strcmp(n->name, ">>"))
    return false;
  add_condition(p, compares || !negated ? text : ww_fmt(x->a, "not %s", text));
  return true;
}

static bool is_return(const ww_rewriting *x, uint32_t node) {
  if (x->v[node].kind == WW_NODE_COMPOUND && ww_node_children(x, node) == 1)
    node = ww_node_child(x, node, 0);
  return x->v[node].kind == WW_NODE_RETURN;
}

/* Leading `if (c) return;` and an `if` around all the rest are conditions of all that
 * is done. Declarations stand anywhere before it. */
ww_status ww_fuse_conditions(ww_fusing *f, uint32_t k) {
  ww_fuse_body *p = &f->v[k];
  const ww_rewriting *x = &p->x;
  bool done = false; /* something is done besides declarations */
  p->rest = x->body;
  for (uint32_t i = x->body + 1; i < x->v[p->rest].last;) {
    const ww_node *n = &x->v[i];
    bool guard = n->kind == WW_NODE_IF && ww_node_children(x, i) == 2 && !done;
    uint32_t then = guard ? ww_node_child(x, i, 1) : WW_NONODE;
    bool leaves = guard && is_return(x, then);
    bool known = guard && (leaves || n->last == x->v[p->rest].last) &&
                 add_conditions(p, ww_node_child(x, i, 0), leaves);
    if (known && !leaves) { /* on with what it holds */
      p->rest = then;
      bool braces = x->v[then].kind == WW_NODE_COMPOUND;
      i = braces ? then + 1 : then;
      if (braces || x->v[then].kind == WW_NODE_IF)
        continue;
    }
    if (!(known && leaves) && ww_node_jumps(x, i))
      return WW_FUSE_NO(f, "%s returns under a condition that cannot be followed",
                        ww_fuse_name(f, k));
    done |= !known && n->kind != WW_NODE_DECLARATIONS && n->kind != WW_NODE_EMPTY;
    i = x->v[i].last;
  }
  return WW_OK;
}

static bool has_condition(const ww_fuse_body *p, const char *text) {
  for (uint32_t k = 0; k < p->conditions.n; k++)
    if (!strcmp(p->conditions.v[k], text))
      return true;
  return false;
}

static ww_status compare_conditions(ww_fusing *f) {
  const ww_fuse_body *first = &f->v[0];
  for (uint32_t k = 1; k < f->n; k++) {
    bool same = f->v[k].conditions.n == first->conditions.n;
    for (uint32_t c = 0; same && c < first->conditions.n; c++)
      same = has_condition(&f->v[k], first->conditions.v[c]);
    if (!same)
      return WW_FUSE_NO(f, "%s runs under other conditions than %s: another range",
                        ww_fuse_name(f, k), ww_fuse_name(f, 0));
  }
  return WW_OK;
}

/* ---- a kernel ---- */

/* Writes of memory or variables that are neither its own nor a parameter's. */
static bool writes_global(const ww_rewriting *x) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    uint32_t to = ww_node_target(x, i);
    uint32_t d = to == WW_NONODE ? WW_NONODE : ww_node_variable(x, to);
    if (d != WW_NONODE && !ww_node_inside(x, d, x->kernel))
      return true;
  }
  return false;
}

static bool has_atomics(const ww_rewriting *x) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++)
    if (ww_starts(ww_node_callee(x, i), "atomic"))
      return true;
  return false;
}

ww_status ww_fuse_open(ww_fusing *f, const ww_syntax *s, uint32_t k) {
  ww_fuse_body *p = &f->v[k];
  ww_rewriting *x = &p->x;
  const ww_launch *l = f->asked[k].launch;
  p->in = (ww_rewrite_input){.syntax = s,
                             .kernel = ww_fuse_name(f, k),
                             .line = f->asked[k].line,
                             .dialect = WW_CUDA,
                             .launch = l};
  *x = (ww_rewriting){.in = &p->in, .v = s->v, .text = s->text, .a = f->a};
  if (!ww_rewrite_kernel(x))
    return WW_FUSE_NO(f, "the text of %s is not in this file", ww_fuse_name(f, k));
  if (x->v[x->kernel].parent != f->v[0].x.v[f->v[0].x.kernel].parent)
    return WW_FUSE_NO(f, "%s and %s are in other namespaces", ww_fuse_name(f, 0),
                      ww_fuse_name(f, k));
  const char *error = ww_rewrite_error(x);
  if (error)
    return WW_FUSE_NO(f, "libclang does not understand %s: %s", ww_fuse_name(f, k),
                      error);
  if (x->v[x->kernel].kind != WW_NODE_FUNCTION)
    return WW_FUSE_NO(f, "%s is a template", ww_fuse_name(f, k));
  for (uint32_t i = ww_node_child(x, x->kernel, 0); i < x->body; i = x->v[i].last) {
    const ww_node *n = &x->v[i];
    if (n->kind != WW_NODE_PARAMETER)
      continue;
    if (p->nparams == WW_MOST_FUSED_PARAMETERS || !*n->name || n->macro ||
        n->is_volatile)
      return WW_FUSE_NO(
          f, "a parameter of %s is volatile, out of a macro or without a name",
          ww_fuse_name(f, k));
    p->param[p->nparams++] = i;
  }
  if (p->nparams != l->nargs)
    return WW_FUSE_NO(f, "the recording has %u arguments of %s, which takes %u",
                      l->nargs, ww_fuse_name(f, k), p->nparams);
  if (has_atomics(x))
    return WW_FUSE_NO(f, "%s has atomics", ww_fuse_name(f, k));
  if (!ww_index_independent(x))
    return WW_FUSE_NO(
        f, "threads of %s work together: shared memory, barriers or shuffles",
        ww_fuse_name(f, k));
  if (writes_global(x))
    return WW_FUSE_NO(f, "%s writes a variable of the file", ww_fuse_name(f, k));
  return WW_OK;
}

/* ---- what they do with buffers ---- */

const char *ww_fuse_buffer(const ww_arg *g) {
  return g->kind == WW_ARG_BUFFER ? g->buffer.id : NULL;
}

bool ww_fuse_same_buffer(const ww_arg *x, const ww_arg *y) {
  const char *i = ww_fuse_buffer(x);
  const char *j = ww_fuse_buffer(y);
  return i && j && !strcmp(i, j);
}

uint32_t ww_fuse_element_of(const ww_rewriting *x, uint32_t reference) {
  uint32_t child = reference;
  uint32_t up = ww_node_over(x, reference);
  while (up != WW_NONODE && is_wrapper(&x->v[up])) {
    child = up;
    up = ww_node_over(x, up);
  }
  bool is = up != WW_NONODE && x->v[up].kind == WW_NODE_SUBSCRIPT &&
            ww_node_child(x, up, 0) == child;
  return is ? up : WW_NONODE;
}

uint32_t ww_fuse_store_of(const ww_rewriting *x, uint32_t element) {
  uint32_t up = ww_node_over(x, element);
  const ww_node *n = &x->v[up];
  bool assigns =
      n->kind == WW_NODE_ASSIGN || (n->kind == WW_NODE_BINARY && !strcmp(n->name, "="));
  return assigns && ww_node_child(x, up, 0) == element ? up : WW_NONODE;
}

/* clang's conversion of an element to its value. */
static bool is_loaded(const ww_rewriting *x, uint32_t element) {
  const ww_node *n = &x->v[element];
  const ww_node *up = &x->v[ww_node_over(x, element)];
  bool number =
      n->type == WW_TYPE_INT || n->type == WW_TYPE_FLOAT || n->type == WW_TYPE_DOUBLE;
  return number && up->kind == WW_NODE_UNEXPOSED && up->begin == n->begin &&
         up->end == n->end;
}

static void
add_use(ww_fuse_body *p, uint32_t reference, bool is_const, ww_fuse_use *u) {
  const ww_rewriting *x = &p->x;
  uint32_t element = ww_fuse_element_of(x, reference);
  uint32_t store = element == WW_NONODE ? WW_NONODE : ww_fuse_store_of(x, element);
  const char *index =
      element == WW_NONODE ? NULL : normal(p, ww_node_child(x, element, 1), 0);
  u->touched = true;
  u->elsewhere |= !index || (u->index && strcmp(u->index, index) != 0);
  if (index)
    u->index = index;
  if (store != WW_NONODE) {
    u->stored = true;
    u->read |= x->v[store].kind == WW_NODE_ASSIGN; /* += */
    u->opaque |= x->v[element].macro;
  } else if (element != WW_NONODE && is_loaded(x, element) && !x->v[element].macro)
    u->read = true;
  else {
    u->read = u->opaque = true;
    u->stored |= !is_const;
  }
}

void ww_fuse_uses(ww_fusing *f, uint32_t k) {
  ww_fuse_body *p = &f->v[k];
  const ww_rewriting *x = &p->x;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    int q =
        x->v[i].kind == WW_NODE_REFERENCE ? ww_fuse_parameter_of(p, x->v[i].decl) : -1;
    if (q >= 0 && x->v[p->param[q]].type == WW_TYPE_POINTER)
      add_use(p, i, x->v[p->param[q]].is_const, &f->p[p->to[q]].of[k]);
  }
}

static bool is_stored(const ww_fusing *f, const ww_fuse_parameter *p) {
  for (uint32_t k = 0; k < f->n; k++)
    if (p->of[k].stored)
      return true;
  return false;
}

/* A buffer that one writes and another one uses: each thread its own element. */
static ww_status check_buffer(ww_fusing *f, const ww_fuse_parameter *p) {
  uint32_t first = WW_NONODE;
  for (uint32_t k = 0; k < f->n; k++) {
    const ww_fuse_use *u = &p->of[k];
    if (!u->touched)
      continue;
    if (first == WW_NONODE)
      first = k;
    bool alone = true;
    for (uint32_t l = 0; l < f->n; l++)
      alone = alone && (l == k || !p->of[l].touched);
    if (alone)
      return WW_OK;
    if (!u->index)
      return WW_FUSE_NO(f, "which elements of `%s` %s uses cannot be followed", p->who,
                        ww_fuse_name(f, k));
    if (u->elsewhere || strcmp(u->index, p->of[first].index) != 0)
      return WW_FUSE_NO(f, "%s uses other elements of `%s` than its thread's own",
                        ww_fuse_name(f, k), p->who);
  }
  return WW_OK;
}

static bool points_to(const ww_arg *g, const char *id) {
  for (uint32_t k = 0; k < g->nptrs; k++)
    if (g->ptrs[k].buffer.id && !strcmp(g->ptrs[k].buffer.id, id))
      return true;
  return false;
}

static ww_status check_buffers(ww_fusing *f) {
  for (uint32_t j = 0; j < f->np; j++) {
    const ww_fuse_parameter *p = &f->p[j];
    if (!is_stored(f, p))
      continue;
    for (uint32_t k = 0; k < f->np; k++)
      if (k != j && (ww_fuse_same_buffer(p->arg, f->p[k].arg) ||
                     points_to(f->p[k].arg, ww_fuse_buffer(p->arg))))
        return WW_FUSE_NO(f, "`%s` and `%s` lie in one buffer, which is written",
                          p->name, f->p[k].name);
    if (check_buffer(f, p))
      return f->e->code;
  }
  return WW_OK;
}

/* Each one behind the first takes what one before it wrote. */
static ww_status check_handed_on(ww_fusing *f) {
  for (uint32_t k = 1; k < f->n; k++) {
    bool any = false;
    for (uint32_t j = 0; j < f->np; j++)
      for (uint32_t l = 0; l < k; l++)
        any |= f->p[j].of[l].stored && f->p[j].of[k].read;
    if (!any)
      return WW_FUSE_NO(f, "%s reads nothing of what the launches before it wrote",
                        ww_fuse_name(f, k));
  }
  return WW_OK;
}

ww_status ww_fuse_check(ww_fusing *f) {
  if (check_buffers(f) || compare_conditions(f) || check_handed_on(f))
    return f->e->code;
  return WW_OK;
}
