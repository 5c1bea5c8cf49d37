/* rewrite_jam.c - several elements a thread, side by side: what does not depend on the
 * element is computed and loaded once (register blocking, thread coarsening).
 *
 * Every statement that depends on the index stands once for each element, its variables
 * with names of their own; loops and conditions stay, so the index may decide nothing
 * but a guard at its end of the data. Elements behind the guard's bound compute what
 * the first one does, and are not stored. */
#include "rewrite_int.h"

typedef struct {
  ww_rewriting *x;
  uint32_t axis, factor;
  uint32_t index, size; /* nodes: blockIdx * size + threadIdx; see ww_index_global */
  uint32_t variable;    /* that holds it */
  const char *bound;    /* that the guard compares it with; NULL: there is no guard */
  bool grow;            /* blocks keep their threads and cover more */
  const char *suffix;   /* of the names of further elements */
  WW_VEC(uint32_t) varied; /* declarations that depend on the index */
  ww_edit_list edits;
} jam;

/* ---- what depends on the index ---- */

static bool is_varied(const jam *j, uint32_t decl) {
  for (uint32_t k = 0; k < j->varied.n; k++)
    if (j->varied.v[k] == decl)
      return true;
  return false;
}

static bool uses_varied(const jam *j, uint32_t node) {
  const ww_node *v = j->x->v;
  for (uint32_t i = node; i < v[node].last; i++)
    if (v[i].kind == WW_NODE_REFERENCE && is_varied(j, v[i].decl))
      return true;
  return false;
}

/* False: a variable that is declared outside of the kernel depends on it. */
static bool find_varied(jam *j) {
  ww_rewriting *x = j->x;
  ww_push(x->a, &j->varied, x->v[j->variable].decl);
  for (uint32_t before = 0; before != j->varied.n;) {
    before = j->varied.n;
    for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
      uint32_t to = ww_node_target(x, i);
      uint32_t d = x->v[i].kind == WW_NODE_VARIABLE ? i
                   : to != WW_NONODE                ? ww_node_variable(x, to)
                                                    : WW_NONODE;
      if (d == WW_NONODE || is_varied(j, x->v[d].decl) || !uses_varied(j, i))
        continue;
      if (x->v[d].kind != WW_NODE_VARIABLE || !ww_node_inside(x, d, x->body))
        return false;
      ww_push(x->a, &j->varied, x->v[d].decl);
    }
  }
  return true;
}

/* ---- texts ---- */

/* The bytes with edits of their own, which lie inside and are sorted. */
static const char *
edited(const jam *j, uint32_t begin, uint32_t end, const ww_edit_list *e) {
  ww_fix fix = {.edits = e->v, .n = e->n};
  for (uint32_t k = 0; k < e->n; k++) {
    e->v[k].begin -= begin;
    e->v[k].end -= begin;
  }
  return ww_fix_apply(j->x->text + begin, end - begin, &fix, j->x->a, NULL);
}

static const char *name_of(const jam *j, const char *name, uint32_t copy) {
  return copy ? ww_fmt(j->x->a, "%s%s%u", name, j->suffix, copy) : name;
}

/* The text of [begin, end), all of whose nodes lie in `node`, for one of the elements.
 * NULL: a macro stands in the way. */
static const char *
copy_text(jam *j, uint32_t node, uint32_t begin, uint32_t end, uint32_t copy) {
  const ww_node *v = j->x->v;
  ww_edit_list e = {0};
  uint32_t last = UINT32_MAX;
  for (uint32_t i = node; i < v[node].last; i++) {
    bool declares = v[i].kind == WW_NODE_VARIABLE && is_varied(j, v[i].decl);
    bool refers = v[i].kind == WW_NODE_REFERENCE && is_varied(j, v[i].decl);
    uint32_t at = declares ? v[i].decl : v[i].begin;
    if ((!declares && !refers) || at < begin || at >= end || at == last)
      continue;
    if (v[i].macro)
      return NULL;
    last = at;
    ww_edit_put(j->x, &e, at, at + strlen(v[i].name), name_of(j, v[i].name, copy));
  }
  return edited(j, begin, end, &e);
}

/* How far apart the elements of a thread are. */
static const char *stride_text(const jam *j) {
  uint64_t block = j->x->in->launch->block[j->axis];
  if (j->size == WW_NONODE)
    return ww_fmt(j->x->a, "blockDim.%c", "xyz"[j->axis]);
  return ww_fmt(j->x->a, "%u", (unsigned)(j->grow ? block : block / j->factor));
}

/* `i_1 = i + blockDim.x`, kept within the bound. */
static const char *element_text(const jam *j, uint32_t copy) {
  ww_arena *a = j->x->a;
  const char *name = j->x->v[j->variable].name;
  const char *own = name_of(j, name, copy);
  const char *step = stride_text(j);
  const char *at = copy == 1 ? ww_fmt(a, "%s + %s", name, step)
                             : ww_fmt(a, "%s + %u * %s", name, copy, step);
  if (!j->bound)
    return ww_fmt(a, "%s = %s", own, at);
  return ww_fmt(a, "%s = %s < %s ? %s : %s", own, at, j->bound, at, name);
}

/* Is the element there? */
static const char *present(const jam *j, uint32_t copy) {
  const char *name = j->x->v[j->variable].name;
  return ww_fmt(j->x->a, "if (%s != %s) ", name_of(j, name, copy), name);
}

/* ---- statements ---- */

/* `int row = ..., col = ...;` for one element: what depends on it alone. */
static const char *declaration_copy(jam *j, uint32_t node, uint32_t copy) {
  ww_rewriting *x = j->x;
  uint32_t first = ww_node_child(x, node, 0);
  if (first == WW_NONODE || x->v[first].kind != WW_NODE_VARIABLE)
    return NULL;
  const char *type =
      ww_strndup(x->a, x->text + x->v[node].begin, x->v[first].decl - x->v[node].begin);
  bool several = ww_node_children(x, node) > 1;
  if (several && strpbrk(type, "*&"))
    return NULL;
  const char *out = "";
  for (uint32_t d = first; d < x->v[node].last; d = x->v[d].last) {
    if (!is_varied(j, x->v[d].decl))
      continue;
    const char *one = d == j->variable
                          ? element_text(j, copy)
                          : copy_text(j, d, x->v[d].decl, x->v[d].end, copy);
    if (!one)
      return NULL;
    out = *out ? ww_fmt(x->a, "%s, %s", out, one) : one;
  }
  return *out ? ww_fmt(x->a, "%s%s;", type, out) : "";
}

/* What a thread's first index becomes: blocks cover more, or have fewer threads. */
static const char *first_copy(jam *j, uint32_t node) {
  ww_rewriting *x = j->x;
  uint32_t begin = x->v[node].begin;
  uint32_t end = ww_node_end(x, node);
  ww_edit_list e = {0};
  for (uint32_t i = j->index; i < x->v[j->index].last; i++) {
    uint32_t axis;
    bool dim = j->size == WW_NONODE &&
               ww_index_of(x, i, &axis) == WW_INDEX_BLOCK_SIZE && axis == j->axis;
    if (!ww_node_inside(x, j->index, node) || (!dim && (i != j->size || !j->grow)))
      continue;
    ww_edit_put(x, &e, x->v[i].begin, x->v[i].end,
                dim ? ww_fmt(x->a, "(%s * %u)", ww_node_text(x, i), j->factor)
                    : ww_fmt(x->a, "%u", (unsigned)x->v[i].value * j->factor));
    break;
  }
  return edited(j, begin, end, &e);
}

/* A statement without statements of its own, once for each element. */
static bool spread(jam *j, uint32_t node) {
  ww_rewriting *x = j->x;
  uint32_t begin = x->v[node].begin;
  uint32_t end = ww_node_end(x, node);
  bool declares = x->v[node].kind == WW_NODE_DECLARATIONS;
  const char *line = ww_fmt(x->a, "\n%s", ww_text_indent(x, begin));
  bool alone = !ww_node_in_block(x, node); /* of a loop or a condition */
  const char *gap = alone ? ww_fmt(x->a, "%s  ", line) : line;
  const char *text = first_copy(j, node);
  bool guarded = j->bound && ww_node_stores(j->x, node);
  for (uint32_t k = 1; k < j->factor; k++) {
    const char *one =
        declares ? declaration_copy(j, node, k) : copy_text(j, node, begin, end, k);
    if (!one)
      return false;
    if (*one)
      text = ww_fmt(x->a, "%s%s%s%s", text, gap, guarded ? present(j, k) : "", one);
  }
  if (alone)
    text = ww_fmt(x->a, "{%s%s%s}", gap, text, line);
  if (end == begin || x->text[end - 1] != ';')
    return false;
  ww_edit_put(x, &j->edits, begin, end, text);
  return true;
}

/* ---- guards ---- */

/* i < n && ..., or i >= n || ...: nothing else of the condition depends on the index.
 */
static bool read_guard(jam *j, uint32_t node, bool leaves) {
  ww_rewriting *x = j->x;
  node = ww_node_bare(x, node);
  const ww_node *n = &x->v[node];
  if (!uses_varied(j, node))
    return true;
  if (n->kind != WW_NODE_BINARY)
    return false;
  uint32_t left = ww_node_child(x, node, 0);
  uint32_t right = ww_node_child(x, node, 1);
  if (!strcmp(n->name, leaves ? "||" : "&&"))
    return read_guard(j, left, leaves) && read_guard(j, right, leaves);
  uint32_t name = ww_node_bare(x, left);
  if (strcmp(n->name, leaves ? ">=" : "<") || x->v[name].kind != WW_NODE_REFERENCE ||
      x->v[name].decl != x->v[j->variable].decl || uses_varied(j, right) ||
      x->v[right].macro || j->bound)
    return false;
  j->bound = ww_node_text(x, right);
  return true;
}

static bool is_return(const ww_rewriting *x, uint32_t node) {
  if (x->v[node].kind == WW_NODE_COMPOUND && ww_node_children(x, node) == 1)
    node = ww_node_child(x, node, 0);
  return x->v[node].kind == WW_NODE_RETURN;
}

/* The guard, before anything is written: only one, of the body itself. */
static bool find_guard(jam *j) {
  ww_rewriting *x = j->x;
  for (uint32_t i = ww_node_child(x, x->body, 0); i < x->v[x->body].last;
       i = x->v[i].last) {
    if (x->v[i].kind != WW_NODE_IF)
      continue;
    uint32_t condition = ww_node_child(x, i, 0);
    if (uses_varied(j, condition) &&
        (ww_node_children(x, i) != 2 ||
         !read_guard(j, condition, is_return(x, ww_node_child(x, i, 1)))))
      return false;
  }
  return true;
}

/* ---- the whole ---- */

static bool is_control(uint8_t kind) {
  return kind == WW_NODE_IF || kind == WW_NODE_FOR || kind == WW_NODE_WHILE ||
         kind == WW_NODE_DO || kind == WW_NODE_SWITCH || kind == WW_NODE_CASE;
}

static bool walk(jam *j, uint32_t node);

/* Heads of loops and conditions are the same for all elements, but for the guard. */
static bool walk_control(jam *j, uint32_t node) {
  ww_rewriting *x = j->x;
  uint32_t n = ww_node_children(x, node);
  bool guard = x->v[node].kind == WW_NODE_IF && x->v[node].parent == (int32_t)x->body;
  uint32_t bodies = x->v[node].kind == WW_NODE_IF && n == 3 ? 2 : 1;
  if (x->v[node].kind == WW_NODE_DO || x->v[node].kind == WW_NODE_SWITCH ||
      x->v[node].kind == WW_NODE_CASE)
    return !uses_varied(j, node);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t part = ww_node_child(x, node, k);
    if (k + bodies < n ? uses_varied(j, part) && !guard : !walk(j, part))
      return false;
  }
  return true;
}

static bool walk(jam *j, uint32_t node) {
  ww_rewriting *x = j->x;
  if (is_control(x->v[node].kind))
    return walk_control(j, node);
  if (x->v[node].kind != WW_NODE_COMPOUND) {
    bool declares = x->v[node].kind == WW_NODE_DECLARATIONS;
    bool varied = uses_varied(j, node);
    for (uint32_t d = node + 1; declares && d < x->v[node].last; d = x->v[d].last)
      varied |= is_varied(j, x->v[d].decl);
    return !varied || spread(j, node);
  }
  for (uint32_t i = node + 1; i < x->v[node].last; i = x->v[i].last)
    if (!walk(j, i))
      return false;
  return true;
}

static const char *fresh_suffix(const ww_rewriting *x, char axis) {
  const char *suffix = ww_fmt(x->a, "_%c", axis);
  while (strstr(x->text, ww_fmt(x->a, "%s1", suffix)))
    suffix = ww_fmt(x->a, "%s%c", suffix, axis);
  return suffix;
}

static void offer_jam(ww_rewriting *x, uint32_t axis, uint32_t factor, bool grow) {
  jam j = {.x = x,
           .axis = axis,
           .factor = factor,
           .grow = grow,
           .suffix = fresh_suffix(x, "xyz"[axis])};
  uint32_t block = x->in->launch->block[axis];
  j.index = ww_index_global(x, axis, &j.size);
  if (j.index == WW_NONODE)
    return;
  j.variable = ww_node_above(x, j.index, WW_NODE_VARIABLE);
  if (j.variable == WW_NONODE || x->v[j.variable].type != WW_TYPE_INT ||
      ww_node_bare(x, ww_node_child(x, j.variable, 0)) != j.index ||
      ww_node_changed(x, x->v[j.variable].decl, x->body) || !find_varied(&j) ||
      !find_guard(&j) || (grow && !j.bound) || !walk(&j, x->body))
    return;
  ww_rewritten r = {.title =
                        ww_fmt(x->a, "%u elements a thread along %c, blocks of %u",
                               factor, "xyz"[axis], grow ? block : block / factor)};
  if (grow) {
    r.shape.was[axis] = block;
    r.shape.now[axis] = block * factor;
  } else
    r.shape.block[axis] = block / factor;
  ww_rewrite_offer(x, &j.edits, &r);
}

void ww_rewrite_jam(ww_rewriting *x) {
  static const uint32_t factors[] = {2, 4, 8};
  if (!ww_index_independent(x))
    return;
  for (uint32_t axis = 0; axis < 2; axis++)
    for (uint32_t k = 0; k < WW_COUNT(factors); k++) {
      uint32_t block = x->in->launch->block[axis];
      if (block % factors[k] == 0 && block >= factors[k] && block > 1)
        offer_jam(x, axis, factors[k], false);
      offer_jam(x, axis, factors[k], true);
    }
}
