/* fuse_text.c - one kernel of several: their bodies one behind the other, parameters
 * that are one buffer or one value merged, elements handed on in variables.
 *
 * It is the same as the launches in order where a thread of each of them works at the
 * same element under the same conditions, and nobody else works there: every buffer
 * that one of them writes and another one uses is accessed at that element alone. That
 * is read from the syntax: an index or a condition is brought to a normal form in which
 * local variables are what they were set to and parameters are those of the fused
 * kernel. What has no such form is refused. */
#include "fuse.h"
#include "rewrite_int.h"

#define MOST_PARAMETERS 64

/* What a part does with a buffer. */
typedef struct {
  bool touched, stored, read;
  bool opaque;       /* not by plain loads and stores of one element */
  const char *index; /* normal form */
  bool elsewhere;    /* not by one index alone */
} use;

/* A parameter of the fused kernel. */
typedef struct {
  const char *name;
  const char *text;  /* its declaration */
  const char *type;  /* of what it points to, without const */
  const ww_arg *arg; /* as recorded */
  const char *who;   /* what it was called first, for messages */
  use of[WW_MOST_FUSED];
  const char *kept; /* variable that has the element; NULL: none */
  uint32_t kept_by; /* the part that fills it */
} parameter;

typedef struct {
  ww_rewriting x;
  ww_rewrite_input in;
  uint32_t param[MOST_PARAMETERS]; /* nodes */
  uint32_t to[MOST_PARAMETERS];    /* which of the fused kernel's */
  uint32_t nparams;
  uint32_t rest; /* what is done under the conditions: braces or a statement */
  ww_strings conditions;
} part;

typedef struct {
  const ww_fuse_part *asked;
  part *v;
  uint32_t n;
  parameter p[MOST_PARAMETERS];
  uint32_t np;
  WW_VEC(uint32_t) sites; /* launches in host code, WW_MOST_FUSED nodes each */
  const char *between;    /* why they do not follow one another there */
  ww_arena *a;
  ww_err *e;
} fusing;

#define NO(f, ...) ww_fail((f)->e, WW_EUNSUPPORTED, __VA_ARGS__)

static const char *name_of(const fusing *f, uint32_t k) {
  return f->asked[k].kernel;
}

static const char *without_const(const char *type) {
  return ww_starts(type, "const ") ? type + strlen("const ") : type;
}

/* ---- normal forms ---- */

static const char *normal(const part *p, uint32_t node, int depth);

static bool is_wrapper(const ww_node *n) {
  return n->kind == WW_NODE_UNEXPOSED || n->kind == WW_NODE_PARENTHESES;
}

/* Through what clang inserts and parentheses, not through casts. */
static uint32_t inside(const ww_rewriting *x, uint32_t node) {
  while (node != WW_NONODE && is_wrapper(&x->v[node]) && ww_node_children(x, node) == 1)
    node = ww_node_child(x, node, 0);
  return node;
}

static int parameter_of(const part *p, uint32_t decl) {
  for (uint32_t k = 0; k < p->nparams; k++)
    if (p->x.v[p->param[k]].decl == decl)
      return (int)k;
  return -1;
}

static const char *normal_name(const part *p, uint32_t node, int depth) {
  const ww_rewriting *x = &p->x;
  const ww_node *n = &x->v[node];
  int k = parameter_of(p, n->decl);
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
  const char *type = without_const(x->v[d].spelled); /* a conversion may change it */
  bool same = !strcmp(type, without_const(x->v[inside(x, to)].spelled));
  return same ? value : ww_fmt(x->a, "%s:%s", type, value);
}

static const char *normal_binary(const part *p, uint32_t node, int depth) {
  const ww_rewriting *x = &p->x;
  const char *op = x->v[node].name;
  const char *l = normal(p, ww_node_child(x, node, 0), depth);
  const char *r = normal(p, ww_node_child(x, node, 1), depth);
  if (!l || !r)
    return NULL;
  bool turn = (!strcmp(op, "+") || !strcmp(op, "*")) && strcmp(l, r) > 0;
  return ww_fmt(x->a, "(%s%s%s)", turn ? r : l, op, turn ? l : r);
}

/* Equal texts are equal values, in all threads of the same number; NULL: it cannot be
 * told. */
static const char *normal(const part *p, uint32_t node, int depth) {
  const ww_rewriting *x = &p->x;
  uint32_t axis;
  node = inside(x, node);
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

static void add_condition(part *p, const char *text) {
  for (uint32_t k = 0; k < p->conditions.n; k++)
    if (!strcmp(p->conditions.v[k], text))
      return;
  ww_push(p->x.a, &p->conditions, text);
}

/* a >= b is not a < b; a > b is b < a. */
static const char *comparison(const part *p, uint32_t node, bool negated) {
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

static bool add_conditions(part *p, uint32_t node, bool negated) {
  const ww_rewriting *x = &p->x;
  node = inside(x, node);
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
static ww_status find_conditions(fusing *f, uint32_t k) {
  part *p = &f->v[k];
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
      return NO(f, "%s returns under a condition that cannot be followed",
                name_of(f, k));
    done |= !known && n->kind != WW_NODE_DECLARATIONS && n->kind != WW_NODE_EMPTY;
    i = x->v[i].last;
  }
  return WW_OK;
}

static bool has_condition(const part *p, const char *text) {
  for (uint32_t k = 0; k < p->conditions.n; k++)
    if (!strcmp(p->conditions.v[k], text))
      return true;
  return false;
}

static ww_status compare_conditions(fusing *f) {
  const part *first = &f->v[0];
  for (uint32_t k = 1; k < f->n; k++) {
    bool same = f->v[k].conditions.n == first->conditions.n;
    for (uint32_t c = 0; same && c < first->conditions.n; c++)
      same = has_condition(&f->v[k], first->conditions.v[c]);
    if (!same)
      return NO(f, "%s runs under other conditions than %s: another range",
                name_of(f, k), name_of(f, 0));
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

static ww_status open_part(fusing *f, const ww_syntax *s, uint32_t k) {
  part *p = &f->v[k];
  ww_rewriting *x = &p->x;
  const ww_launch *l = f->asked[k].launch;
  p->in = (ww_rewrite_input){.syntax = s,
                             .kernel = name_of(f, k),
                             .line = f->asked[k].line,
                             .dialect = WW_CUDA,
                             .launch = l};
  *x = (ww_rewriting){.in = &p->in, .v = s->v, .text = s->text, .a = f->a};
  if (!ww_rewrite_kernel(x))
    return NO(f, "the text of %s is not in this file", name_of(f, k));
  const char *error = ww_rewrite_error(x);
  if (error)
    return NO(f, "libclang does not understand %s: %s", name_of(f, k), error);
  if (x->v[x->kernel].kind != WW_NODE_FUNCTION)
    return NO(f, "%s is a template", name_of(f, k));
  for (uint32_t i = ww_node_child(x, x->kernel, 0); i < x->body; i = x->v[i].last) {
    const ww_node *n = &x->v[i];
    if (n->kind != WW_NODE_PARAMETER)
      continue;
    if (p->nparams == MOST_PARAMETERS || !*n->name || n->macro || n->is_volatile)
      return NO(f, "a parameter of %s is volatile, out of a macro or without a name",
                name_of(f, k));
    p->param[p->nparams++] = i;
  }
  if (p->nparams != l->nargs)
    return NO(f, "the recording has %u arguments of %s, which takes %u", l->nargs,
              name_of(f, k), p->nparams);
  if (has_atomics(x))
    return NO(f, "%s has atomics", name_of(f, k));
  if (!ww_index_independent(x))
    return NO(f, "threads of %s work together: shared memory, barriers or shuffles",
              name_of(f, k));
  if (writes_global(x))
    return NO(f, "%s writes a variable of the file", name_of(f, k));
  return WW_OK;
}

/* ---- launches in host code ---- */

/* The launch of part k that a statement is; WW_NONODE. */
static uint32_t launch_at(const fusing *f, uint32_t statement, uint32_t k) {
  const ww_rewriting *x = &f->v[k].x;
  uint32_t call = inside(x, statement);
  const ww_node *n = &x->v[call];
  uint32_t how = n->kind == WW_NODE_CALL ? ww_node_child(x, call, 1) : WW_NONODE;
  bool is = how != WW_NONODE && n->decl == x->v[x->kernel].decl && !n->macro &&
            ww_starts(x->text + x->v[how].begin, "<<<") &&
            ww_node_children(x, call) == f->v[k].nparams + 2;
  return is ? call : WW_NONODE;
}

static uint32_t
argument_at(const fusing *f, const uint32_t *site, uint32_t k, uint32_t q) {
  return ww_node_child(&f->v[k].x, site[k], q + 2);
}

/* What touches memory in a statement between two launches; NULL: nothing known. */
static const char *memory_call(const ww_rewriting *x, uint32_t statement) {
  for (uint32_t i = statement; i < x->v[statement].last; i++) {
    const char *callee = ww_node_callee(x, i);
    if (ww_starts(callee, "cudaMem") || ww_starts(callee, "cudaFree") ||
        ww_starts(callee, "mem"))
      return callee;
  }
  return NULL;
}

/* i++ among the arguments counts as often as it is written. */
static bool changes_anything(const ww_rewriting *x, uint32_t call) {
  for (uint32_t i = call; i < x->v[call].last; i++)
    if (ww_node_target(x, i) != WW_NONODE)
      return true;
  return false;
}

/* A launch of the first is at `statement`: do the others follow? */
static void follow(fusing *f, uint32_t block, uint32_t statement) {
  const ww_rewriting *x = &f->v[0].x;
  uint32_t site[WW_MOST_FUSED] = {launch_at(f, statement, 0)};
  uint32_t at = statement;
  const char *between = NULL;
  for (uint32_t k = 1; k < f->n; k++) {
    for (at = x->v[at].last; at < x->v[block].last; at = x->v[at].last) {
      site[k] = launch_at(f, at, k);
      if (site[k] != WW_NONODE)
        break;
      const char *call = memory_call(x, at);
      between = call ? ww_fmt(f->a, "%s stands between the launches of %s and %s", call,
                              name_of(f, k - 1), name_of(f, k))
                : between ? between
                          : "";
    }
    if (at >= x->v[block].last)
      return;
    uint32_t how[2] = {ww_node_child(x, site[0], 1), ww_node_child(x, site[k], 1)};
    if (ww_node_alike(x, how[0], how[1]))
      continue;
    uint32_t stream[2] = {ww_node_child(x, how[0], 4), ww_node_child(x, how[1], 4)};
    bool same = stream[0] == WW_NONODE || stream[1] == WW_NONODE
                    ? stream[0] == stream[1]
                    : ww_node_alike(x, stream[0], stream[1]);
    between = same ? between ? between : ""
                   : ww_fmt(f->a, "%s and %s are launched in other streams",
                            name_of(f, 0), name_of(f, k));
  }
  bool directive = memchr(x->text + x->v[site[0]].begin, '#',
                          x->v[site[f->n - 1]].end - x->v[site[0]].begin) != NULL;
  if (between && *between)
    f->between = between;
  bool fits = !between && !directive;
  for (uint32_t k = 0; k < f->n; k++)
    fits = fits && !changes_anything(x, site[k]);
  for (uint32_t k = 0; fits && k < WW_MOST_FUSED; k++)
    ww_push(f->a, &f->sites, site[k]);
}

static ww_status find_sites(fusing *f) {
  const ww_rewriting *x = &f->v[0].x;
  for (uint32_t b = 0; b < x->in->syntax->n; b++)
    for (uint32_t i = b + 1; x->v[b].kind == WW_NODE_COMPOUND && i < x->v[b].last;
         i = x->v[i].last)
      if (launch_at(f, i, 0) != WW_NONODE)
        follow(f, b, i);
  return f->between && !f->sites.n ? NO(f, "%s", f->between) : WW_OK;
}

/* ---- parameters ---- */

static const char *id_of(const ww_arg *g) {
  return g->kind == WW_ARG_BUFFER ? g->buffer.id : NULL;
}

static bool same_id(const ww_arg *x, const ww_arg *y) {
  const char *i = id_of(x);
  const char *j = id_of(y);
  return i && j && !strcmp(i, j);
}

static bool same_value(const ww_arg *x, const ww_arg *y) {
  if (x->kind == WW_ARG_HEX && y->kind == WW_ARG_HEX)
    return !x->nptrs && !y->nptrs && x->hex_n == y->hex_n &&
           !memcmp(x->hex, y->hex, x->hex_n);
  return x->kind == WW_ARG_VALUE && y->kind == WW_ARG_VALUE && x->value == y->value &&
         x->ivalue == y->ivalue;
}

/* The texts of two arguments in a site; true where there is no site. */
static bool alike_at(
    const fusing *f, uint32_t site, uint32_t k, uint32_t q, uint32_t l, uint32_t r) {
  const uint32_t *calls = &f->sites.v[site];
  return ww_node_alike(&f->v[0].x, argument_at(f, calls, k, q),
                       argument_at(f, calls, l, r));
}

/* Is it parameter r of part l as well? A pointer by the recording; a number by the host
 * code, or by its name where that does not show the launches. */
static bool merges(const fusing *f, uint32_t k, uint32_t q, uint32_t l, uint32_t r) {
  const ww_node *m = &f->v[k].x.v[f->v[k].param[q]];
  const ww_node *n = &f->v[l].x.v[f->v[l].param[r]];
  const ww_arg *x = &f->asked[k].launch->args[q];
  const ww_arg *y = &f->asked[l].launch->args[r];
  bool pointer = m->type == WW_TYPE_POINTER;
  if (m->type != n->type ||
      strcmp(without_const(m->spelled), without_const(n->spelled)))
    return false;
  if (pointer)
    return same_id(x, y) && x->buffer.offset == y->buffer.offset;
  bool named = !strcmp(m->name, n->name);
  if (!same_value(x, y))
    return false;
  if (!f->sites.n)
    return named;
  const ww_node *text = &f->v[k].x.v[argument_at(f, f->sites.v, k, q)];
  bool literal = strchr("0123456789.-", f->v[k].x.text[text->begin]) != NULL;
  return alike_at(f, 0, k, q, l, r) && (named || !literal);
}

/* Before parameters are made: pointers that are one buffer are to be one expression in
 * the host code, too. Behind: all that is one, and nothing else that was not one
 * buffer.
 */
static bool is_true_at(const fusing *f, uint32_t s, bool made, uint32_t k, uint32_t l) {
  for (uint32_t q = 0; q < f->v[k].nparams; q++)
    for (uint32_t r = 0; r < f->v[l].nparams; r++) {
      bool pointer = f->v[l].x.v[f->v[l].param[r]].type == WW_TYPE_POINTER;
      bool one =
          made ? f->v[k].to[q] == f->v[l].to[r] : pointer && merges(f, k, q, l, r);
      bool alike = alike_at(f, s, k, q, l, r);
      bool other = made && pointer && !one && (k != l || q != r) &&
                   !same_id(&f->asked[k].launch->args[q], &f->asked[l].launch->args[r]);
      if ((one && !alike) || (other && alike))
        return false;
    }
  return true;
}

static void drop_sites(fusing *f, bool made) {
  uint32_t kept = 0;
  for (uint32_t s = 0; s < f->sites.n; s += WW_MOST_FUSED) {
    bool fits = true;
    for (uint32_t k = 0; k < f->n; k++)
      for (uint32_t l = 0; l < k + made; l++)
        fits = fits && is_true_at(f, s, made, k, l);
    if (fits) {
      memmove(&f->sites.v[kept], &f->sites.v[s], WW_MOST_FUSED * sizeof *f->sites.v);
      kept += WW_MOST_FUSED;
    }
  }
  f->sites.n = kept;
}

static bool is_taken(const fusing *f, const char *name) {
  for (uint32_t k = 0; k < f->np; k++)
    if (f->p[k].name && !strcmp(f->p[k].name, name))
      return true;
  for (uint32_t k = 0; k < f->n; k++) {
    const ww_rewriting *x = &f->v[k].x;
    for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
      const ww_node *n = &x->v[i];
      bool other = n->kind == WW_NODE_VARIABLE || (n->kind == WW_NODE_REFERENCE &&
                                                   parameter_of(&f->v[k], n->decl) < 0);
      if (other && !strcmp(n->name, name))
        return true;
    }
  }
  return false;
}

static const char *free_name(const fusing *f, const char *name, const char *kernel) {
  const char *with = ww_fmt(f->a, "%s_%s", kernel, name);
  if (!is_taken(f, name))
    return name;
  name = with;
  for (int k = 2; is_taken(f, name); k++)
    name = ww_fmt(f->a, "%s%d", with, k);
  return name;
}

static const char *declared(const part *p, uint32_t q, const char *name) {
  const ww_rewriting *x = &p->x;
  const ww_node *n = &x->v[p->param[q]];
  return ww_fmt(x->a, "%.*s%s%.*s", (int)(n->decl - n->begin), x->text + n->begin, name,
                (int)(n->end - n->decl - strlen(n->name)),
                x->text + n->decl + strlen(n->name));
}

static ww_status add_parameter(fusing *f, uint32_t k, uint32_t q) {
  part *p = &f->v[k];
  const ww_node *n = &p->x.v[p->param[q]];
  const ww_arg *g = &f->asked[k].launch->args[q];
  if (n->type == WW_TYPE_POINTER && !id_of(g))
    return NO(f, "the recording does not say which buffer `%s` of %s is", n->name,
              name_of(f, k));
  for (uint32_t l = 0; l < k; l++)
    for (uint32_t r = 0; r < f->v[l].nparams; r++) {
      if (!merges(f, k, q, l, r))
        continue;
      parameter *to = &f->p[p->to[q] = f->v[l].to[r]];
      const ww_node *had = &f->v[l].x.v[f->v[l].param[r]];
      if (had->is_const && !n->is_const)
        to->text = declared(p, q, to->name);
      return WW_OK;
    }
  if (f->np == MOST_PARAMETERS)
    return NO(f, "they have more than %u parameters", MOST_PARAMETERS);
  const char *name = free_name(f, n->name, name_of(f, k));
  f->p[p->to[q] = f->np++] = (parameter){.name = name,
                                         .text = declared(p, q, name),
                                         .type = without_const(n->spelled),
                                         .arg = g,
                                         .who = n->name};
  return WW_OK;
}

static ww_status make_parameters(fusing *f) {
  drop_sites(f, false);
  for (uint32_t k = 0; k < f->n; k++)
    for (uint32_t q = 0; q < f->v[k].nparams; q++)
      if (add_parameter(f, k, q))
        return f->e->code;
  drop_sites(f, true);
  return WW_OK;
}

/* ---- what they do with buffers ---- */

static uint32_t above(const ww_rewriting *x, uint32_t node) {
  return x->v[node].parent < 0 ? WW_NONODE : (uint32_t)x->v[node].parent;
}

/* The element that a reference to a pointer is about; WW_NONODE: none. */
static uint32_t element_of(const ww_rewriting *x, uint32_t reference) {
  uint32_t child = reference;
  uint32_t up = above(x, reference);
  while (up != WW_NONODE && is_wrapper(&x->v[up])) {
    child = up;
    up = above(x, up);
  }
  bool is = up != WW_NONODE && x->v[up].kind == WW_NODE_SUBSCRIPT &&
            ww_node_child(x, up, 0) == child;
  return is ? up : WW_NONODE;
}

/* The assignment that an element is the left side of; WW_NONODE. */
static uint32_t store_of(const ww_rewriting *x, uint32_t element) {
  uint32_t up = above(x, element);
  const ww_node *n = &x->v[up];
  bool assigns =
      n->kind == WW_NODE_ASSIGN || (n->kind == WW_NODE_BINARY && !strcmp(n->name, "="));
  return assigns && ww_node_child(x, up, 0) == element ? up : WW_NONODE;
}

/* clang's conversion of an element to its value. */
static bool is_loaded(const ww_rewriting *x, uint32_t element) {
  const ww_node *n = &x->v[element];
  const ww_node *up = &x->v[above(x, element)];
  bool number =
      n->type == WW_TYPE_INT || n->type == WW_TYPE_FLOAT || n->type == WW_TYPE_DOUBLE;
  return number && up->kind == WW_NODE_UNEXPOSED && up->begin == n->begin &&
         up->end == n->end;
}

static void add_use(part *p, uint32_t reference, bool is_const, use *u) {
  const ww_rewriting *x = &p->x;
  uint32_t element = element_of(x, reference);
  uint32_t store = element == WW_NONODE ? WW_NONODE : store_of(x, element);
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

static void find_uses(fusing *f, uint32_t k) {
  part *p = &f->v[k];
  const ww_rewriting *x = &p->x;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    int q = x->v[i].kind == WW_NODE_REFERENCE ? parameter_of(p, x->v[i].decl) : -1;
    if (q >= 0 && x->v[p->param[q]].type == WW_TYPE_POINTER)
      add_use(p, i, x->v[p->param[q]].is_const, &f->p[p->to[q]].of[k]);
  }
}

static bool is_stored(const fusing *f, const parameter *p) {
  for (uint32_t k = 0; k < f->n; k++)
    if (p->of[k].stored)
      return true;
  return false;
}

/* A buffer that one writes and another one uses: each thread its own element. */
static ww_status check_buffer(fusing *f, const parameter *p) {
  uint32_t first = WW_NONODE;
  for (uint32_t k = 0; k < f->n; k++) {
    const use *u = &p->of[k];
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
      return NO(f, "which elements of `%s` %s uses cannot be followed", p->who,
                name_of(f, k));
    if (u->elsewhere || strcmp(u->index, p->of[first].index) != 0)
      return NO(f, "%s uses other elements of `%s` than its thread's own",
                name_of(f, k), p->who);
  }
  return WW_OK;
}

static bool points_to(const ww_arg *g, const char *id) {
  for (uint32_t k = 0; k < g->nptrs; k++)
    if (g->ptrs[k].buffer.id && !strcmp(g->ptrs[k].buffer.id, id))
      return true;
  return false;
}

static ww_status check_buffers(fusing *f) {
  for (uint32_t j = 0; j < f->np; j++) {
    const parameter *p = &f->p[j];
    if (!is_stored(f, p))
      continue;
    for (uint32_t k = 0; k < f->np; k++)
      if (k != j &&
          (same_id(p->arg, f->p[k].arg) || points_to(f->p[k].arg, id_of(p->arg))))
        return NO(f, "`%s` and `%s` lie in one buffer, which is written", p->name,
                  f->p[k].name);
    if (check_buffer(f, p))
      return f->e->code;
  }
  return WW_OK;
}

/* Each one behind the first takes what one before it wrote. */
static ww_status check_handed_on(fusing *f) {
  for (uint32_t k = 1; k < f->n; k++) {
    bool any = false;
    for (uint32_t j = 0; j < f->np; j++)
      for (uint32_t l = 0; l < k; l++)
        any |= f->p[j].of[l].stored && f->p[j].of[k].read;
    if (!any)
      return NO(f, "%s reads nothing of what the launches before it wrote",
                name_of(f, k));
  }
  return WW_OK;
}

/* ---- elements in registers ---- */

typedef struct {
  uint32_t element, store; /* nodes; store WW_NONODE: it is read */
} access;
typedef WW_VEC(access) accesses;

static void list_accesses(const fusing *f, uint32_t k, uint32_t j, accesses *out) {
  const part *p = &f->v[k];
  const ww_rewriting *x = &p->x;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    int q = x->v[i].kind == WW_NODE_REFERENCE ? parameter_of(p, x->v[i].decl) : -1;
    if (q < 0 || p->to[q] != j)
      continue;
    uint32_t element = element_of(x, i);
    ww_push(f->a, out, (access){element, store_of(x, element)});
  }
}

static bool read_from(const fusing *f, uint32_t j, uint32_t k) {
  bool any = false;
  for (; k < f->n; k++)
    any |= f->p[j].of[k].read;
  return any;
}

/* The first part that stores it whatever else happens, if a later one reads it. */
static void keep(fusing *f, uint32_t j) {
  parameter *p = &f->p[j];
  bool opaque = false;
  uint32_t k = 0;
  for (uint32_t l = 0; l < f->n; l++)
    opaque |= p->of[l].opaque;
  while (k < f->n && !p->of[k].stored)
    k++;
  if (opaque || k == f->n || !read_from(f, j, k + 1))
    return;
  accesses v = {0};
  uint32_t first = WW_NONODE;
  list_accesses(f, k, j, &v);
  for (uint32_t i = 0; i < v.n && first == WW_NONODE; i++)
    first = v.v[i].store;
  const ww_rewriting *x = &f->v[k].x;
  if (first == WW_NONODE || (first != f->v[k].rest && above(x, first) != f->v[k].rest))
    return;
  p->kept = free_name(f, ww_fmt(f->a, "%s_here", p->name), name_of(f, k));
  p->kept_by = k;
}

/* Is the element looked at after this store, in the variable? */
static bool
used_after(const fusing *f, uint32_t k, uint32_t j, const accesses *v, uint32_t store) {
  const ww_rewriting *x = &f->v[k].x;
  bool any = read_from(f, j, k + 1);
  bool loop = ww_node_above(x, store, WW_NODE_FOR) != WW_NONODE ||
              ww_node_above(x, store, WW_NODE_WHILE) != WW_NONODE ||
              ww_node_above(x, store, WW_NODE_DO) != WW_NONODE;
  for (uint32_t i = 0; k > f->p[j].kept_by && i < v->n; i++)
    any |= v->v[i].store == WW_NONODE &&
           (loop || x->v[v->v[i].element].begin >= x->v[store].end);
  return any;
}

static void keep_edits(fusing *f, uint32_t k, uint32_t j, ww_edit_list *e) {
  ww_rewriting *x = &f->v[k].x;
  const parameter *p = &f->p[j];
  accesses v = {0};
  if (!p->kept || k < p->kept_by)
    return;
  list_accesses(f, k, j, &v);
  for (uint32_t i = 0; i < v.n; i++) {
    const ww_node *n = &x->v[v.v[i].element];
    uint32_t store = v.v[i].store;
    bool adds = store != WW_NONODE && x->v[store].kind == WW_NODE_ASSIGN;
    if (store == WW_NONODE && k > p->kept_by)
      ww_edit_put(x, e, n->begin, n->end, p->kept);
    else if (store != WW_NONODE && adds && k == p->kept_by)
      ww_edit_put(x, e, n->begin, n->begin, ww_fmt(f->a, "%s = ", p->kept));
    else if (store != WW_NONODE && (adds || used_after(f, k, j, &v, store)))
      ww_edit_put(x, e, n->end, n->end, ww_fmt(f->a, " = %s", p->kept));
  }
}

/* ---- the text ---- */

static bool is_edited(const ww_edit_list *e, const ww_node *n) {
  for (uint32_t k = 0; k < e->n; k++)
    if (e->v[k].begin <= n->begin && e->v[k].end >= n->end)
      return true;
  return false;
}

/* A body with the fused kernel's names, its elements in variables if that is asked for;
 * NULL: a name comes out of a macro. */
static const char *body_text(fusing *f, uint32_t k, bool kept) {
  part *p = &f->v[k];
  ww_rewriting *x = &p->x;
  ww_edit_list e = {0};
  for (uint32_t j = 0; kept && j < f->np; j++)
    keep_edits(f, k, j, &e);
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    const ww_node *n = &x->v[i];
    int q = n->kind == WW_NODE_REFERENCE ? parameter_of(p, n->decl) : -1;
    const char *name = q < 0 ? n->name : f->p[p->to[q]].name;
    if (q < 0 || !strcmp(name, n->name) || is_edited(&e, n))
      continue;
    if (n->macro)
      return NULL;
    ww_edit_put(x, &e, n->begin, n->end, name);
  }
  return ww_text_edited(x, x->v[x->body].begin, x->v[x->body].end, &e);
}

static const char *names(const fusing *f, const char *by) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < f->n; k++)
    ww_buf_fmt(&b, "%s%s", k ? by : "", name_of(f, k));
  return ww_buf_text(&b, f->a);
}

/* `__global__ void NAME(PARAMETERS) {`, in lines of 100 columns. */
static void put_head(const fusing *f, const char *name, ww_buf *b) {
  size_t line = b->n;
  ww_buf_fmt(b, "__global__ void %s(", name);
  size_t indent = b->n - line;
  for (uint32_t j = 0; j < f->np; j++) {
    bool full = b->n - line + strlen(f->p[j].text) > 98;
    if (j && full) {
      ww_buf_fmt(b, ",\n%*s", (int)indent, "");
      line = b->n - indent;
    } else if (j)
      ww_buf_puts(b, ", ");
    ww_buf_puts(b, f->p[j].text);
  }
  ww_buf_puts(b, ") {\n");
}

static const char *indent_of(const fusing *f) {
  const ww_rewriting *x = &f->v[0].x;
  return x->v[x->body].last > x->body + 1 ? ww_text_indent(x, x->v[x->body + 1].begin)
                                          : "  ";
}

static const char *kernel_text(fusing *f, const char *name) {
  const char *in = indent_of(f);
  ww_buf b = {0};
  ww_buf_fmt(&b, "\n\n/* %s in one launch. */\n", names(f, ", "));
  put_head(f, name, &b);
  for (uint32_t j = 0; j < f->np; j++)
    if (f->p[j].kept)
      ww_buf_fmt(&b, "%s%s %s;\n", in, f->p[j].type, f->p[j].kept);
  for (uint32_t k = 0; k < f->n; k++) {
    const char *body = body_text(f, k, true);
    if (!body)
      return NULL;
    ww_buf_fmt(&b, "%s%s\n", in, ww_text_deeper(&f->v[k].x, body, in));
  }
  ww_buf_puts(&b, "}");
  return ww_buf_text(&b, f->a);
}

/* All launches in their order: between two of them the whole grid is done. */
static const char *original_text(fusing *f, const char *name) {
  ww_buf b = {0};
  ww_buf_puts(&b, "\n\nextern \"C\" __device__ void __ww_grid_sync(void);\n");
  put_head(f, name, &b);
  for (uint32_t k = 0; k < f->n; k++)
    ww_buf_fmt(&b, "%s[&]() %s();\n", k ? "__ww_grid_sync();\n" : "",
               body_text(f, k, false));
  ww_buf_puts(&b, "}");
  return ww_buf_text(&b, f->a);
}

/* NAME<<<as before>>>(each argument once) */
static const char *
launch_text(const fusing *f, const uint32_t *site, const char *name) {
  const ww_rewriting *x = &f->v[0].x;
  ww_buf b = {0};
  ww_buf_fmt(&b, "%s%s(", name, ww_node_text(x, ww_node_child(x, site[0], 1)));
  for (uint32_t j = 0, k = 0, q = 0; j < f->np; q++) {
    if (q == f->v[k].nparams) {
      k++;
      q = 0;
    }
    if (f->v[k].to[q] == j)
      ww_buf_fmt(&b, "%s%s", j++ ? ", " : "",
                 ww_node_text(x, argument_at(f, site, k, q)));
  }
  ww_buf_puts(&b, ")");
  return ww_buf_text(&b, f->a);
}

static const char *by_hand(const fusing *f, const char *name) {
  ww_buf b = {0};
  ww_buf_fmt(&b,
             "launch %s in place of %s, where nothing in between reads or writes "
             "their buffers:",
             name, names(f, ", "));
  for (uint32_t j = 0; j < f->np; j++) {
    ww_buf_fmt(&b, "%s `%s` is", j ? "," : "", f->p[j].name);
    const char *before = "";
    for (uint32_t k = 0; k < f->n; k++)
      for (uint32_t q = 0; q < f->v[k].nparams; q++)
        if (f->v[k].to[q] == j) {
          ww_buf_fmt(&b, "%s `%s` of %s", before, f->v[k].x.v[f->v[k].param[q]].name,
                     name_of(f, k));
          before = " and";
        }
  }
  return ww_buf_text(&b, f->a);
}

static const char *registers(const fusing *f) {
  ww_buf b = {0};
  for (uint32_t j = 0; j < f->np; j++)
    if (f->p[j].kept)
      ww_buf_fmt(&b, "%s`%s`", b.n ? ", " : "", f->p[j].name);
  return b.n ? ww_buf_text(&b, f->a) : "";
}

static void make_launch(const fusing *f, const char *name, ww_launch *l) {
  ww_launch_copy(f->asked[0].launch, f->a, l);
  l->kernel = name;
  l->binary = NULL;
  l->at = NULL;
  l->nat = 0;
  l->nargs = f->np;
  l->args = WW_NEWN(f->a, ww_arg, f->np + 1);
  for (uint32_t j = 0; j < f->np; j++)
    l->args[j] = *f->p[j].arg;
}

static ww_status make_text(fusing *f, ww_fused_text *out) {
  ww_rewriting *x = &f->v[0].x;
  ww_edit_list e = {0};
  uint32_t at = 0; /* behind the last of them */
  *out = (ww_fused_text){.name = ww_text_fresh(x, names(f, "_")),
                         .registers = registers(f)};
  out->original = ww_text_fresh(x, ww_fmt(f->a, "%s_in_order", out->name));
  const char *kernel = kernel_text(f, out->name);
  if (!kernel)
    return NO(f, "a macro names a parameter");
  for (uint32_t k = 0; k < f->n; k++)
    if (x->v[f->v[k].x.kernel].end > at)
      at = x->v[f->v[k].x.kernel].end;
  ww_edit_put(x, &e, at, at,
              ww_fmt(f->a, "%s%s", kernel, original_text(f, out->original)));
  out->judged = ww_text_edited(x, 0, x->in->syntax->bytes, &e);
  e.v[0].text = kernel;
  out->kernel = ww_text_edited(x, 0, x->in->syntax->bytes, &e);
  for (uint32_t s = 0; s < f->sites.n; s += WW_MOST_FUSED) {
    const uint32_t *site = &f->sites.v[s];
    if (x->v[site[0]].begin < at)
      continue;
    ww_edit_put(x, &e, x->v[site[0]].begin, x->v[site[f->n - 1]].end,
                launch_text(f, site, out->name));
    out->sites++;
  }
  out->text = ww_text_edited(x, 0, x->in->syntax->bytes, &e);
  out->by_hand = out->sites ? NULL : by_hand(f, out->name);
  make_launch(f, out->name, &out->launch);
  return WW_OK;
}

ww_status ww_fuse_text(const ww_syntax *s,
                       const ww_fuse_part *parts,
                       uint32_t n,
                       ww_arena *a,
                       ww_fused_text *out,
                       ww_err *e) {
  fusing *f = WW_NEW(a, fusing);
  *f = (fusing){.asked = parts, .v = WW_NEWN(a, part, n + 1), .n = n, .a = a, .e = e};
  for (uint32_t k = 0; k < n; k++)
    if (open_part(f, s, k))
      return e->code;
  if (find_sites(f) || make_parameters(f))
    return e->code;
  for (uint32_t k = 0; k < n; k++) {
    if (find_conditions(f, k))
      return e->code;
    find_uses(f, k);
  }
  if (check_buffers(f) || compare_conditions(f) || check_handed_on(f))
    return e->code;
  for (uint32_t j = 0; j < f->np; j++)
    keep(f, j);
  return make_text(f, out);
}
