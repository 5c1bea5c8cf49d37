/* rewrite_walk.c - vector accesses: in a loop whose thread walks through memory, in one
 * that threads go through together, and in kernels of one element a thread.
 *
 * What walks is rewrite_vector.c's. The code as it was stays beside the vectors, for
 * elements left over and for addresses that are not aligned. */
#include "rewrite_vector.h"

#define MOST_TWICE 400 /* bytes of a loop's body that stands once more */

static const uint32_t widths[] = {2, 4, 8, 16};

/* Vectors of 8 to 16 bytes of the smallest and the largest elements. */
static bool is_worth(const ww_vector *v) {
  uint32_t least = UINT32_MAX;
  uint32_t most = 0;
  for (uint32_t k = 0; k < v->walks.n; k++) {
    const ww_walk *w = &v->walks.v[k];
    least = w->taken && w->bytes < least ? w->bytes : least;
    most = w->taken && w->bytes > most ? w->bytes : most;
  }
  return v->width == 4 || (v->width < 4 ? most >= 4 : v->width * least <= 16);
}

/* ---- loops ---- */

typedef struct {
  ww_rewriting *x;
  uint32_t loop, counter, start, bound, body; /* nodes */
  const char *sign;                           /* < or <= */
  const char *step;    /* NULL: 1; else what threads go on by together */
  uint32_t begin, end; /* bytes, the pragma above included */
  const char *pragma;  /* "" */
} walk_loop;

/* The line above it, where that is a #pragma unroll. */
static void take_pragma(walk_loop *w) {
  const char *text = w->x->text;
  uint32_t line = w->begin;
  while (line && strchr(" \t", text[line - 1]))
    line--;
  if (!line || text[line - 1] != '\n')
    return;
  uint32_t above = line - 1;
  while (above && text[above - 1] != '\n')
    above--;
  const char *p = text + above + strspn(text + above, " \t");
  if (!ww_starts(p, "#pragma unroll"))
    return;
  w->pragma = ww_strndup(w->x->a, text + above, line - above);
  w->begin = above;
}

static bool has_break(const ww_rewriting *x, uint32_t body) {
  for (uint32_t i = body; i < x->v[body].last; i++)
    if (x->v[i].kind == WW_NODE_BREAK || x->v[i].kind == WW_NODE_GOTO ||
        x->v[i].kind == WW_NODE_ASM || ww_starts(ww_node_callee(x, i), "__sync") ||
        ww_starts(ww_node_callee(x, i), "__shfl"))
      return true;
  return false;
}

static bool read_step(walk_loop *w, uint32_t step) {
  const ww_rewriting *x = w->x;
  uint32_t to = ww_node_target(x, step);
  if (to == WW_NONODE || x->v[to].kind != WW_NODE_REFERENCE ||
      x->v[to].decl != x->v[w->counter].decl)
    return false;
  if (!strcmp(x->v[step].name, "++"))
    return true;
  w->step = ww_node_text(x, ww_node_child(x, step, 1));
  return !strcmp(x->v[step].name, "+=");
}

/* for (int k = start; k < bound; k++) or k += step. */
static bool read_loop(walk_loop *w) {
  const ww_rewriting *x = w->x;
  uint32_t first = ww_node_child(x, w->loop, 0);
  if (ww_node_children(x, w->loop) != 4 || x->v[first].kind != WW_NODE_DECLARATIONS ||
      ww_node_children(x, first) != 1)
    return false;
  w->counter = ww_node_child(x, first, 0);
  uint32_t n = ww_node_children(x, w->counter);
  uint32_t end = ww_node_bare(x, ww_node_child(x, w->loop, 1));
  w->body = ww_node_child(x, w->loop, 3);
  if (!n || x->v[w->counter].type != WW_TYPE_INT || x->v[end].kind != WW_NODE_BINARY)
    return false;
  w->start = ww_node_child(x, w->counter, n - 1);
  w->bound = ww_node_child(x, end, 1);
  w->sign = x->v[end].name;
  uint32_t left = ww_node_bare(x, ww_node_child(x, end, 0));
  uint32_t decl = x->v[w->counter].decl;
  return x->v[left].decl == decl && (!strcmp(w->sign, "<") || !strcmp(w->sign, "<=")) &&
         !ww_node_uses(x, w->bound, decl) && !ww_node_changed(x, decl, w->body) &&
         !has_break(x, w->body) && read_step(w, ww_node_child(x, w->loop, 2));
}

/* A value that a variable keeps; the node itself where it is none. */
static uint32_t kept_value(const ww_rewriting *x, uint32_t node) {
  node = ww_node_bare(x, node);
  for (int depth = 0; depth < 4 && x->v[node].kind == WW_NODE_REFERENCE; depth++) {
    uint32_t d = ww_node_of_decl(x, x->v[node].decl);
    uint32_t n = d == WW_NONODE ? 0 : ww_node_children(x, d);
    if (!n || x->v[d].kind != WW_NODE_VARIABLE ||
        ww_node_changed(x, x->v[d].decl, x->body))
      break;
    node = ww_node_bare(x, ww_node_child(x, d, n - 1));
  }
  return node;
}

static bool is_index(const ww_rewriting *x, uint32_t node, int kind) {
  uint32_t axis;
  return ww_index_of(x, node, &axis) == kind && axis == 0;
}

static bool is_product(const ww_rewriting *x, uint32_t node, int one, int other) {
  if (x->v[node].kind != WW_NODE_BINARY || strcmp(x->v[node].name, "*"))
    return false;
  uint32_t left = ww_node_bare(x, ww_node_child(x, node, 0));
  uint32_t right = ww_node_bare(x, ww_node_child(x, node, 1));
  return (is_index(x, left, one) && is_index(x, right, other)) ||
         (is_index(x, left, other) && is_index(x, right, one));
}

/* Starts of all threads together are 0 to step - 1: threadIdx.x and blockDim.x,
 * threadIdx.x % 32 and 32, blockIdx.x * blockDim.x + threadIdx.x and the grid's. */
static bool starts_side_by_side(walk_loop *w) {
  ww_rewriting *x = w->x;
  const ww_launch *l = x->in->launch;
  uint32_t size;
  uint32_t start = kept_value(x, w->start);
  uint32_t by = kept_value(x, ww_node_child(x, ww_node_child(x, w->loop, 2), 1));
  bool block = is_index(x, by, WW_INDEX_BLOCK_SIZE) ||
               (x->v[by].constant && (uint64_t)x->v[by].value == l->block[0]);
  if (l->block[1] > 1 || l->block[2] > 1 || x->in->dialect == WW_OPENCL)
    return false;
  if (is_index(x, start, WW_INDEX_THREAD))
    return block;
  if (is_product(x, by, WW_INDEX_BLOCK_SIZE, WW_INDEX_GRID_SIZE))
    return start == ww_index_global(x, 0, &size);
  if (x->v[start].kind != WW_NODE_BINARY || !x->v[by].constant)
    return false;
  uint32_t of = kept_value(x, ww_node_child(x, start, 0));
  uint32_t lanes = ww_node_bare(x, ww_node_child(x, start, 1));
  int64_t n = x->v[by].value;
  return is_index(x, of, WW_INDEX_THREAD) && x->v[lanes].constant &&
         ((!strcmp(x->v[start].name, "%") && x->v[lanes].value == n) ||
          (!strcmp(x->v[start].name, "&") && x->v[lanes].value == n - 1));
}

/* Constants whose difference the width divides: nothing is left over. */
static bool is_whole(const walk_loop *w, uint32_t width) {
  const ww_rewriting *x = w->x;
  uint32_t start = ww_node_bare(x, w->start);
  uint32_t bound = ww_node_bare(x, w->bound);
  return !w->step && x->v[start].constant && x->v[bound].constant &&
         (x->v[bound].value - x->v[start].value + (w->sign[1] == '=')) % width == 0;
}

static const char *loop_text(const walk_loop *w, const ww_vector *v) {
  ww_rewriting *x = w->x;
  ww_arena *a = x->a;
  const char *in = ww_text_indent(x, x->v[w->loop].begin);
  const char *wide = ww_vector_text(v, ww_fmt(a, "%s\v\v\v", in));
  const char *k = v->counter;
  const char *bound = ww_node_text(x, w->bound);
  const char *start = ww_node_text(x, w->start);
  const char *head = ww_strndup(a, x->text + x->v[w->counter].begin,
                                x->v[w->start].begin - x->v[w->counter].begin);
  const char *body = ww_strndup(a, x->text + x->v[w->body].begin,
                                ww_node_end(x, w->body) - x->v[w->body].begin);
  if (!wide)
    return NULL;
  ww_buf b = {0};
  ww_buf_fmt(&b, w->step ? "{\n%s\v%s(%s) * %u;\n" : "{\n%s\v%s%s;\n", in, head, start,
             v->width);
  bool whole = is_whole(w, v->width);
  if (!w->step && !whole && strlen(body) < MOST_TWICE) /* up to the first vector */
    ww_buf_fmt(&b, "%s\vfor (; %s %s %s && %s; %s++) %s\n", in, k, w->sign, bound,
               ww_vector_before(v), k, ww_text_deeper(x, body, "\v"));
  ww_buf_fmt(&b, "%s\vif (%s) {\n%s", in, ww_vector_aligned(v), w->pragma);
  ww_buf_fmt(&b, "%s\v\vfor (; %s + %u %s %s; %s += ", in, k, v->width - 1, w->sign,
             bound, k);
  ww_buf_fmt(&b, w->step ? "(%s) * %u" : "%.0s%u", w->step ? w->step : "", v->width);
  ww_buf_fmt(&b, ") {\n%s%s\v\v}\n", wide, in);
  if (w->step)
    ww_buf_fmt(&b, "%s\v\v%s = (%s) / %u * %u + (%s);\n%s\v} else\n%s\v\v%s = %s;\n",
               in, k, bound, v->width, v->width, start, in, in, k, start);
  else
    ww_buf_fmt(&b, "%s\v}%s\n", in, whole ? " else" : "");
  ww_buf_fmt(&b, "%s%s\vfor (; %s %s %s; %s", w->pragma, in, k, w->sign, bound, k);
  ww_buf_fmt(&b, w->step ? " += %s" : "++%.0s", w->step ? w->step : "");
  ww_buf_fmt(&b, ") %s\n%s}", ww_text_deeper(x, body, "\v"), in);
  return ww_buf_text(&b, a);
}

static void offer_loop(walk_loop *w, uint32_t width) {
  ww_rewriting *x = w->x;
  ww_edit_list e = {0};
  ww_vector v = {.x = x,
                 .decl = x->v[w->counter].decl,
                 .counter = x->v[w->counter].name,
                 .first = w->body,
                 .last = x->v[w->body].last,
                 .begin = x->v[w->body].begin,
                 .end = ww_node_end(x, w->body),
                 .width = width,
                 .item = ww_text_fresh(x, "item")};
  uint32_t start = ww_node_bare(x, w->start);
  uint32_t bound = ww_node_bare(x, w->bound);
  if (x->v[start].constant && x->v[bound].constant && !w->step &&
      x->v[bound].value - x->v[start].value < width)
    return;
  for (uint32_t i = w->body; i < x->v[w->body].last; i++)
    v.leaves |= x->v[i].kind == WW_NODE_CONTINUE;
  if (!ww_vector_find(&v) || !is_worth(&v))
    return;
  const char *text = loop_text(w, &v);
  if (!text)
    return;
  if (*w->pragma)
    text = ww_fmt(x->a, "%s%s", ww_text_indent(x, x->v[w->loop].begin), text);
  ww_edit_put(x, &e, w->begin, w->end, text);
  ww_rewrite_offer(
      x, &e,
      &(ww_rewritten){.title = ww_fmt(x->a, "vectors of %u in `for (%s...)`: %s", width,
                                      v.counter, ww_vector_names(&v)),
                      .apart = v.apart});
}

void ww_rewrite_vector_loop(ww_rewriting *x) {
  if (x->in->dialect == WW_OPENCL)
    return;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    walk_loop w = {
        .x = x,
        .loop = i,
        .begin = x->v[i].begin,
        .pragma = "",
    };
    if (x->v[i].kind != WW_NODE_FOR || x->v[i].macro || !read_loop(&w) ||
        (w.step && (!starts_side_by_side(&w) || strcmp(w.sign, "<"))))
      continue;
    w.end = ww_node_end(x, i);
    take_pragma(&w);
    for (uint32_t k = 0; k < WW_COUNT(widths); k++)
      offer_loop(&w, widths[k]);
  }
}

/* ---- kernels of one element a thread ---- */

typedef struct {
  ww_rewriting *x;
  uint32_t index, variable, guard; /* nodes */
  bool leaves;                     /* if (i >= n) return; the rest follows */
  uint32_t work;                   /* node: of the other form */
  const char *all;                 /* the guard for all elements of a thread */
} element_kernel;

/* The same comparison seen from the other side. */
static const char *turned(const char *sign) {
  static const char *const pairs[][2] = {
      {"<", ">"}, {">", "<"}, {"<=", ">="}, {">=", "<="}};
  for (size_t k = 0; k < WW_COUNT(pairs); k++)
    if (!strcmp(sign, pairs[k][0]))
      return pairs[k][1];
  return sign;
}

static const char *opposite(const char *sign) {
  static const char *const pairs[][2] = {{"<", ">="}, {">=", "<"},  {"<=", ">"},
                                         {">", "<="}, {"==", "!="}, {"!=", "=="}};
  for (size_t k = 0; k < WW_COUNT(pairs); k++)
    if (!strcmp(sign, pairs[k][0]))
      return pairs[k][1];
  return NULL;
}

/* A comparison with the index, for all elements from it on; NULL: it is no such one. */
static const char *
compare_all(const element_kernel *m, uint32_t node, uint32_t width, bool leaves) {
  ww_rewriting *x = m->x;
  const ww_node *n = &x->v[node];
  uint32_t decl = x->v[m->variable].decl;
  if (n->kind != WW_NODE_BINARY || !opposite(n->name))
    return NULL;
  uint32_t left = ww_node_bare(x, ww_node_child(x, node, 0));
  bool first = x->v[left].kind == WW_NODE_REFERENCE && x->v[left].decl == decl;
  uint32_t own = first ? left : ww_node_bare(x, ww_node_child(x, node, 1));
  uint32_t other = ww_node_child(x, node, first);
  if (x->v[own].kind != WW_NODE_REFERENCE || x->v[own].decl != decl ||
      ww_node_uses(x, other, decl))
    return NULL;
  const char *sign = first ? n->name : turned(n->name);
  sign = leaves ? opposite(sign) : sign;
  uint32_t bare = ww_node_bare(x, other);
  if (!strcmp(sign, "!=") && x->v[bare].constant && !x->v[bare].value)
    sign = ">"; /* an index is not negative */
  const char *name = x->v[m->variable].name;
  const char *to = ww_node_text(x, other);
  if (*sign == '<')
    return ww_fmt(x->a, "%s + %u %s %s", name, width - 1, sign, to);
  return *sign == '>' ? ww_fmt(x->a, "%s %s %s", name, sign, to) : NULL;
}

static const char *
guard_all(const element_kernel *m, uint32_t node, uint32_t width, bool leaves) {
  ww_rewriting *x = m->x;
  uint32_t bare = ww_node_bare(x, node);
  const ww_node *n = &x->v[bare];
  if (!ww_node_uses(x, bare, x->v[m->variable].decl))
    return ww_fmt(x->a, leaves ? "!(%s)" : "(%s)", ww_node_text(x, bare));
  if (n->kind == WW_NODE_BINARY && !strcmp(n->name, leaves ? "||" : "&&")) {
    const char *left = guard_all(m, ww_node_child(x, bare, 0), width, leaves);
    const char *right = guard_all(m, ww_node_child(x, bare, 1), width, leaves);
    return left && right ? ww_fmt(x->a, "%s && %s", left, right) : NULL;
  }
  return compare_all(m, bare, width, leaves);
}

static bool is_return(const ww_rewriting *x, uint32_t node) {
  if (x->v[node].kind == WW_NODE_COMPOUND && ww_node_children(x, node) == 1)
    node = ww_node_child(x, node, 0);
  return x->v[node].kind == WW_NODE_RETURN;
}

/* Variables from before the guard are the same for all elements. */
static bool is_free_before(const element_kernel *m, uint32_t code) {
  const ww_rewriting *x = m->x;
  uint32_t decl = x->v[m->variable].decl;
  for (uint32_t i = x->body; i < m->guard; i++) {
    if (x->v[i].kind != WW_NODE_VARIABLE || i == m->variable)
      continue;
    if (ww_node_uses(x, i, decl))
      return false;
    for (uint32_t c = code; c < x->v[x->body].last; c = x->v[c].last)
      if (ww_node_changed(x, x->v[i].decl, c))
        return false;
  }
  return true;
}

/* `int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) ...`, in whatever order
 * the rest stands before. */
static bool find_element(element_kernel *m) {
  ww_rewriting *x = m->x;
  uint32_t size;
  m->index = ww_index_global(x, 0, &size);
  if (m->index == WW_NONODE || x->v[m->index].macro)
    return false;
  m->variable = ww_node_above(x, m->index, WW_NODE_VARIABLE);
  if (m->variable == WW_NONODE || x->v[m->variable].type != WW_TYPE_INT ||
      ww_node_value(x, m->variable) != m->index ||
      ww_node_changed(x, x->v[m->variable].decl, x->body))
    return false;
  m->guard = WW_NONODE;
  for (uint32_t i = ww_node_child(x, x->body, 0);
       i < x->v[x->body].last && m->guard == WW_NONODE; i = x->v[i].last)
    if (ww_node_uses(x, i, x->v[m->variable].decl) &&
        x->v[i].kind != WW_NODE_DECLARATIONS)
      m->guard = i;
  if (m->guard == WW_NONODE || x->v[m->guard].kind != WW_NODE_IF ||
      ww_node_children(x, m->guard) != 2)
    return false;
  m->work = ww_node_child(x, m->guard, 1);
  m->leaves = is_return(x, m->work);
  return (m->leaves || x->v[m->guard].last == x->v[x->body].last) &&
         is_free_before(m, m->leaves ? x->v[m->guard].last : m->work);
}

/* A return within a loop leaves more than the element. */
static bool has_deep_return(const ww_vector *v) {
  const ww_rewriting *x = v->x;
  for (uint32_t i = v->first; i < v->last; i++) {
    if (x->v[i].kind != WW_NODE_RETURN)
      continue;
    if (x->v[i].macro || ww_node_above(x, i, WW_NODE_FOR) != WW_NONODE ||
        ww_node_above(x, i, WW_NODE_WHILE) != WW_NONODE ||
        ww_node_above(x, i, WW_NODE_DO) != WW_NONODE)
      return true;
  }
  return false;
}

/* The code as it was for one element after the other, returns as continues. */
static const char *one_by_one(const element_kernel *m, const ww_vector *v) {
  ww_rewriting *x = m->x;
  ww_edit_list e = {0};
  uint32_t from = m->leaves ? m->guard : v->first;
  for (uint32_t i = from; i < v->last; i++)
    if (x->v[i].kind == WW_NODE_RETURN)
      ww_edit_put(x, &e, x->v[i].begin, x->v[i].end, "continue");
  if (m->leaves)
    return ww_text_edited(x, x->v[m->guard].begin, v->end, &e);
  const char *code = ww_text_edited(x, v->begin, v->end, &e);
  return ww_fmt(x->a, "if (%s) %s", ww_node_text(x, ww_node_child(x, m->guard, 0)),
                code);
}

static const char *kernel_text(const element_kernel *m, const ww_vector *v) {
  ww_rewriting *x = m->x;
  ww_arena *a = x->a;
  const char *in = ww_text_indent(x, x->v[m->guard].begin);
  const char *wide = ww_vector_text(v, ww_fmt(a, "%s\v", in));
  const char *end = ww_text_fresh(x, "end");
  if (!wide)
    return NULL;
  const char *head = ww_fmt(
      a, "if (%s && %s) {\n%s%s} else\n%s\vfor (int %s = %s + %u; %s < %s; %s++) ",
      m->all, ww_vector_aligned(v), wide, in, in, end, v->counter, v->width, v->counter,
      end, v->counter);
  const char *code = one_by_one(m, v);
  if (!m->leaves)
    return ww_fmt(a, "%s%s", head, ww_text_deeper(x, code, "\v"));
  size_t n = strlen(code);
  while (n && strchr(" \t\n", code[n - 1]))
    n--;
  code = ww_text_deeper(x, ww_strndup(a, code, n), "\v\v");
  return ww_fmt(a, "%s{\n%s\v\v%s\n%s\v}\n", head, in, code, in);
}

static void offer_element(element_kernel *m, uint32_t width) {
  ww_rewriting *x = m->x;
  ww_edit_list e = {0};
  uint32_t block = x->in->launch->block[0];
  uint32_t first = m->leaves ? x->v[m->guard].last : m->work;
  if (first >= x->v[x->body].last)
    return;
  ww_vector v = {.x = x,
                 .decl = x->v[m->variable].decl,
                 .counter = x->v[m->variable].name,
                 .first = first,
                 .last = x->v[x->body].last,
                 .begin = x->v[first].begin,
                 .end = m->leaves ? ww_body_close(x) : ww_node_end(x, m->work),
                 .width = width,
                 .item = ww_text_fresh(x, "item"),
                 .statements = m->leaves};
  for (uint32_t i = v.first; i < v.last; i++)
    v.leaves |= x->v[i].kind == WW_NODE_RETURN;
  m->all = guard_all(m, ww_node_child(x, m->guard, 0), width, m->leaves);
  if (!m->all || has_deep_return(&v) || !ww_vector_find(&v) || !is_worth(&v))
    return;
  const char *text = kernel_text(m, &v);
  if (!text)
    return;
  const ww_node *index = &x->v[m->index];
  if (!ww_put_mutable(x, m->variable, &e))
    return;
  ww_edit_put(x, &e, index->begin, index->end,
              ww_fmt(x->a, "(%s) * %u", ww_node_text(x, m->index), width));
  ww_edit_put(x, &e, x->v[m->guard].begin, v.end, text);
  ww_rewrite_offer(
      x, &e,
      &(ww_rewritten){
          .title = ww_fmt(x->a, "%u neighbouring elements a thread, vectors of %s",
                          width, ww_vector_names(&v)),
          .shape = {.was = {block}, .now = {block * width}},
          .apart = v.apart});
}

void ww_rewrite_vector(ww_rewriting *x) {
  element_kernel m = {.x = x};
  if (x->in->dialect == WW_OPENCL || !ww_index_independent(x) || !find_element(&m))
    return;
  for (uint32_t k = 0; k < WW_COUNT(widths); k++)
    offer_element(&m, widths[k]);
}
