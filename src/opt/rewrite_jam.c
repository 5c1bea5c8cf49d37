/* rewrite_jam.c - several elements a thread, side by side: what does not depend on the
 * element is computed and loaded once (register blocking, thread coarsening).
 *
 * Every statement that depends on the index stands once for each element, its variables
 * with names of their own; so does a whole `if` that an element decides and does not
 * leave. Loops stay, so the index may decide nothing of them but a guard at its end of
 * the data. Elements behind the guard's bound compute what the first one does, and are
 * not stored. */
#include "rewrite_int.h"

/* One axis along which a thread works on several. */
typedef struct {
  uint32_t axis, factor;
  uint32_t index, size; /* nodes: blockIdx * size + threadIdx; see ww_index_global */
  uint32_t variable;    /* that holds it */
  const char *bound;    /* that the guard compares it with; NULL: there is no guard */
  bool guessed;         /* the bound, from the launch: a guard has to be written */
  const char *suffix;   /* of the names of further elements */
} side;

typedef struct {
  uint32_t decl;
  uint32_t sides; /* bits: on which indices it depends */
} varied;

typedef struct {
  ww_rewriting *x;
  side of[2];
  uint32_t n;
  bool grow; /* blocks keep their threads and cover more */
  WW_VEC(varied) varied;
  WW_VEC(uint32_t) guards; /* nodes: the `if`s that end at the data's end */
  ww_edit_list edits;
} jam;

/* Which of a thread's elements, along each side; 0: the first. */
typedef struct {
  uint32_t at[2];
} copy;

/* ---- what depends on the index ---- */

static uint32_t sides_of(const jam *j, uint32_t decl) {
  for (uint32_t k = 0; k < j->varied.n; k++)
    if (j->varied.v[k].decl == decl)
      return j->varied.v[k].sides;
  return 0;
}

static uint32_t sides_used(const jam *j, uint32_t node) {
  const ww_node *v = j->x->v;
  uint32_t sides = 0;
  for (uint32_t i = node; i < v[node].last; i++)
    if (v[i].kind == WW_NODE_REFERENCE)
      sides |= sides_of(j, v[i].decl);
  return sides;
}

static void add_sides(jam *j, uint32_t decl, uint32_t sides) {
  for (uint32_t k = 0; k < j->varied.n; k++)
    if (j->varied.v[k].decl == decl) {
      j->varied.v[k].sides |= sides;
      return;
    }
  ww_push(j->x->a, &j->varied, (varied){decl, sides});
}

/* The variable that a node declares or changes; WW_NONODE. */
static uint32_t variable_set(const ww_rewriting *x, uint32_t node) {
  if (x->v[node].kind == WW_NODE_VARIABLE)
    return node;
  uint32_t to = ww_node_target(x, node);
  if (to == WW_NONODE)
    return WW_NONODE;
  bool pointer = x->v[to].kind == WW_NODE_REFERENCE && x->v[to].type == WW_TYPE_POINTER;
  return pointer ? ww_node_of_decl(x, x->v[to].decl) : ww_node_variable(x, to);
}

static bool is_guard(const jam *j, uint32_t node) {
  for (uint32_t k = 0; k < j->guards.n; k++)
    if (j->guards.v[k] == node)
      return true;
  return false;
}

/* On which indices it depends whether a statement runs. */
static uint32_t sides_around(const jam *j, uint32_t node) {
  const ww_rewriting *x = j->x;
  uint32_t sides = 0;
  for (uint32_t above = ww_node_above(x, node, WW_NODE_IF); above != WW_NONODE;
       above = ww_node_above(x, above, WW_NODE_IF))
    if (!is_guard(j, above))
      sides |= sides_used(j, ww_node_child(x, above, 0));
  return sides;
}

/* False: a variable that is declared outside of the kernel depends on it. `decided`: by
 * an `if`, too, once the guards are known. */
static bool find_varied(jam *j, bool decided) {
  ww_rewriting *x = j->x;
  for (uint32_t k = 0; k < j->n; k++)
    add_sides(j, x->v[j->of[k].variable].decl, 1u << k);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
      uint32_t d = variable_set(x, i);
      uint32_t sides = d == WW_NONODE ? 0 : sides_used(j, i);
      sides |= d != WW_NONODE && decided ? sides_around(j, i) : 0;
      if (!(sides & ~(d == WW_NONODE ? 0 : sides_of(j, x->v[d].decl))))
        continue;
      if (x->v[d].kind != WW_NODE_VARIABLE || !ww_node_inside(x, d, x->body))
        return false;
      add_sides(j, x->v[d].decl, sides);
      more = true;
    }
  }
  for (uint32_t k = 0; k < j->n; k++) /* an index that depends on the other */
    if (sides_of(j, x->v[j->of[k].variable].decl) != 1u << k)
      return false;
  return true;
}

/* ---- texts ---- */

static const char *name_of(const jam *j, const char *name, uint32_t sides, copy c) {
  for (uint32_t k = 0; k < j->n; k++)
    if (c.at[k] && sides >> k & 1)
      name = ww_fmt(j->x->a, "%s%s%u", name, j->of[k].suffix, c.at[k]);
  return name;
}

/* The text of [begin, end), all of whose nodes lie in `node`, for one of the elements.
 * NULL: a macro stands in the way. */
static const char *
copy_text(jam *j, uint32_t node, uint32_t begin, uint32_t end, copy c) {
  const ww_node *v = j->x->v;
  ww_edit_list e = {0};
  uint32_t last = UINT32_MAX;
  for (uint32_t i = node; i < v[node].last; i++) {
    bool named = v[i].kind == WW_NODE_VARIABLE || v[i].kind == WW_NODE_REFERENCE;
    uint32_t sides = named ? sides_of(j, v[i].decl) : 0;
    uint32_t at = v[i].kind == WW_NODE_VARIABLE ? v[i].decl : v[i].begin;
    if (!sides || at < begin || at >= end || at == last)
      continue;
    if (v[i].macro)
      return NULL;
    last = at;
    ww_edit_put(j->x, &e, at, at + strlen(v[i].name), name_of(j, v[i].name, sides, c));
  }
  return ww_text_edited(j->x, begin, end, &e);
}

/* How far apart the elements of a thread are. */
static const char *stride_text(const jam *j, const side *s) {
  uint64_t block = j->x->in->launch->block[s->axis];
  if (s->size == WW_NONODE)
    return ww_fmt(j->x->a, "blockDim.%c", "xyz"[s->axis]);
  return ww_fmt(j->x->a, "%u", (unsigned)(j->grow ? block : block / s->factor));
}

/* `i_1 = i + blockDim.x`, kept within the bound. */
static const char *element_text(const jam *j, const side *s, copy c) {
  ww_arena *a = j->x->a;
  uint32_t at_copy = c.at[s - j->of];
  const char *name = j->x->v[s->variable].name;
  const char *own = name_of(j, name, 1u << (s - j->of), c);
  const char *step = stride_text(j, s);
  const char *at = at_copy == 1 ? ww_fmt(a, "%s + %s", name, step)
                                : ww_fmt(a, "%s + %u * %s", name, at_copy, step);
  if (!s->bound)
    return ww_fmt(a, "%s = %s", own, at);
  return ww_fmt(a, "%s = %s < %s ? %s : %s", own, at, s->bound, at, name);
}

/* Is the element there? */
static const char *present(const jam *j, copy c) {
  const char *text = "";
  for (uint32_t k = 0; k < j->n; k++) {
    const char *name = j->x->v[j->of[k].variable].name;
    if (c.at[k] && j->of[k].bound)
      text = ww_fmt(j->x->a, "%s%s%s != %s", text, *text ? " && " : "",
                    name_of(j, name, 1u << k, c), name);
  }
  return *text ? ww_fmt(j->x->a, "if (%s) ", text) : "";
}

/* ---- statements ---- */

static const side *side_of(const jam *j, uint32_t variable) {
  for (uint32_t k = 0; k < j->n; k++)
    if (j->of[k].variable == variable)
      return &j->of[k];
  return NULL;
}

/* `int row = ..., col = ...;` for one element: what depends on it alone. */
static const char *declaration_copy(jam *j, uint32_t node, copy c) {
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
  uint32_t needs = (c.at[0] ? 1u : 0) | (c.at[1] ? 2u : 0);
  for (uint32_t d = first; d < x->v[node].last; d = x->v[d].last) {
    if (needs & ~sides_of(j, x->v[d].decl))
      continue;
    const side *own = side_of(j, d);
    const char *one =
        own ? element_text(j, own, c) : copy_text(j, d, x->v[d].decl, x->v[d].end, c);
    if (!one)
      return NULL;
    out = *out ? ww_fmt(x->a, "%s, %s", out, one) : one;
  }
  return *out ? ww_fmt(x->a, "%s%s;", type, out) : "";
}

/* The node of an index that becomes larger, and its text; WW_NONODE: none. */
static uint32_t larger_size(const jam *j, const side *s, const char **text) {
  ww_rewriting *x = j->x;
  for (uint32_t i = s->index; i < x->v[s->index].last; i++) {
    uint32_t axis;
    bool dim = s->size == WW_NONODE &&
               ww_index_of(x, i, &axis) == WW_INDEX_BLOCK_SIZE && axis == s->axis;
    if (!dim && (i != s->size || !j->grow))
      continue;
    *text = dim ? ww_fmt(x->a, "(%s * %u)", ww_node_text(x, i), s->factor)
                : ww_fmt(x->a, "%u", (unsigned)x->v[i].value * s->factor);
    return i;
  }
  return WW_NONODE;
}

/* What a thread's first index becomes: blocks cover more, or have fewer threads. */
static const char *first_copy(jam *j, uint32_t node) {
  ww_rewriting *x = j->x;
  ww_edit_list e = {0};
  for (uint32_t k = 0; k < j->n; k++) {
    const char *text;
    uint32_t i = ww_node_inside(x, j->of[k].index, node)
                     ? larger_size(j, &j->of[k], &text)
                     : WW_NONODE;
    if (i != WW_NONODE)
      ww_edit_put(x, &e, x->v[i].begin, x->v[i].end, text);
  }
  return ww_text_edited(x, x->v[node].begin, ww_node_end(x, node), &e);
}

/* The guard that the kernel did without, behind the last of its indices. */
static const char *new_guard(const jam *j, uint32_t node, const char *gap) {
  const char *text = "";
  uint32_t last = 0;
  for (uint32_t k = 0; k < j->n; k++) {
    const side *s = &j->of[k];
    uint32_t declaration = j->x->v[s->variable].parent;
    last = declaration > last ? declaration : last;
    if (s->guessed)
      text = ww_fmt(j->x->a, "%s%s%s >= %s", text, *text ? " || " : "",
                    j->x->v[s->variable].name, s->bound);
  }
  return *text && last == node ? ww_fmt(j->x->a, "%sif (%s) return;", gap, text) : "";
}

/* A statement without statements of its own, or a whole `if`, once for each element. */
static bool spread(jam *j, uint32_t node, uint32_t sides) {
  ww_rewriting *x = j->x;
  uint32_t begin = x->v[node].begin;
  uint32_t end = ww_node_end(x, node);
  bool declares = x->v[node].kind == WW_NODE_DECLARATIONS;
  const char *line = ww_fmt(x->a, "\n%s", ww_text_indent(x, begin));
  bool alone = !ww_node_in_block(x, node); /* of a loop or a condition */
  const char *gap = alone ? ww_fmt(x->a, "%s\v", line) : line;
  const char *text = first_copy(j, node);
  bool stores = ww_node_stores(x, node);
  uint32_t rows = j->n > 1 && sides & 2 ? j->of[1].factor : 1;
  uint32_t columns = sides & 1 ? j->of[0].factor : 1;
  for (uint32_t k = 1; k < rows * columns; k++) {
    copy c = {{k % columns, k / columns}};
    const char *one =
        declares ? declaration_copy(j, node, c) : copy_text(j, node, begin, end, c);
    if (!one)
      return false;
    if (*one)
      text = ww_fmt(x->a, "%s%s%s%s", text, gap, stores ? present(j, c) : "", one);
  }
  if (alone)
    text = ww_fmt(x->a, "{%s%s%s}", gap, text, line);
  bool braces = x->v[node].kind == WW_NODE_IF && x->text[end - 1] == '}';
  if (end == begin || (x->text[end - 1] != ';' && !braces))
    return false;
  ww_edit_put(x, &j->edits, begin, end,
              ww_fmt(x->a, "%s%s", text, new_guard(j, node, gap)));
  return true;
}

/* ---- guards ---- */

/* Are all its names known where the further elements are declared, behind the index? */
static bool is_known_before(const ww_rewriting *x, uint32_t node, uint32_t variable) {
  for (uint32_t i = node; i < x->v[node].last; i++) {
    uint32_t d = x->v[i].kind == WW_NODE_REFERENCE ? ww_node_of_decl(x, x->v[i].decl)
                                                   : WW_NONODE;
    if (d != WW_NONODE && d > variable)
      return false;
  }
  return true;
}

/* i < n && ..., or i >= n || ...: nothing else of the condition depends on an index.
 */
static bool read_guard(jam *j, uint32_t node, bool leaves) {
  ww_rewriting *x = j->x;
  node = ww_node_bare(x, node);
  const ww_node *n = &x->v[node];
  if (!sides_used(j, node))
    return true;
  if (n->kind != WW_NODE_BINARY)
    return false;
  uint32_t left = ww_node_child(x, node, 0);
  uint32_t right = ww_node_child(x, node, 1);
  if (!strcmp(n->name, leaves ? "||" : "&&"))
    return read_guard(j, left, leaves) && read_guard(j, right, leaves);
  uint32_t name = ww_node_bare(x, left);
  if (strcmp(n->name, leaves ? ">=" : "<") || x->v[name].kind != WW_NODE_REFERENCE ||
      sides_used(j, right) || x->v[right].macro)
    return false;
  for (uint32_t k = 0; k < j->n; k++)
    if (x->v[name].decl == x->v[j->of[k].variable].decl && !j->of[k].bound &&
        is_known_before(x, right, j->of[k].variable)) {
      j->of[k].bound = ww_node_text(x, right);
      return true;
    }
  return false;
}

static bool is_return(const ww_rewriting *x, uint32_t node) {
  if (x->v[node].kind == WW_NODE_COMPOUND && ww_node_children(x, node) == 1)
    node = ww_node_child(x, node, 0);
  return x->v[node].kind == WW_NODE_RETURN;
}

/* Does it go on with an outer loop, or leave one? */
static bool is_left(const ww_rewriting *x, uint32_t node) {
  for (uint32_t i = node; i < x->v[node].last; i++)
    if (x->v[i].kind == WW_NODE_CONTINUE)
      return true;
  return ww_node_jumps(x, node);
}

/* The guards, before anything is written: of the body itself. What else an element
 * decides there must not leave. */
static bool find_guards(jam *j) {
  ww_rewriting *x = j->x;
  for (uint32_t i = ww_node_child(x, x->body, 0); i < x->v[x->body].last;
       i = x->v[i].last) {
    if (x->v[i].kind != WW_NODE_IF)
      continue;
    uint32_t condition = ww_node_child(x, i, 0);
    const side before[2] = {j->of[0], j->of[1]};
    if (!sides_used(j, condition))
      continue;
    if (ww_node_children(x, i) == 2 &&
        read_guard(j, condition, is_return(x, ww_node_child(x, i, 1)))) {
      ww_push(x->a, &j->guards, i);
      continue;
    }
    memcpy(j->of, before, sizeof before);
    if (is_left(x, i))
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

/* Heads of loops are the same for all elements. */
static bool walk_control(jam *j, uint32_t node) {
  ww_rewriting *x = j->x;
  uint32_t n = ww_node_children(x, node);
  bool guard = is_guard(j, node);
  bool decided = x->v[node].kind == WW_NODE_IF && !guard &&
                 sides_used(j, ww_node_child(x, node, 0));
  uint32_t bodies = x->v[node].kind == WW_NODE_IF && n == 3 ? 2 : 1;
  if (x->v[node].kind == WW_NODE_DO || x->v[node].kind == WW_NODE_SWITCH ||
      x->v[node].kind == WW_NODE_CASE)
    return !sides_used(j, node);
  if (decided)
    return !is_left(x, node) && spread(j, node, sides_used(j, node));
  for (uint32_t k = 0; k < n; k++) {
    uint32_t part = ww_node_child(x, node, k);
    if (k + bodies < n ? sides_used(j, part) && !guard : !walk(j, part))
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
    uint32_t sides = sides_used(j, node);
    for (uint32_t d = node + 1; declares && d < x->v[node].last; d = x->v[d].last)
      sides |= sides_of(j, x->v[d].decl);
    return !sides || spread(j, node, sides);
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

/* ---- offers ---- */

static bool find_side(jam *j, side *s) {
  ww_rewriting *x = j->x;
  s->suffix = fresh_suffix(x, "xyz"[s->axis]);
  s->index = ww_index_global(x, s->axis, &s->size);
  if (s->index == WW_NONODE)
    return false;
  s->variable = ww_node_above(x, s->index, WW_NODE_VARIABLE);
  return s->variable != WW_NONODE && x->v[s->variable].type == WW_TYPE_INT &&
         ww_node_value(x, s->variable) == s->index &&
         !ww_node_changed(x, x->v[s->variable].decl, x->body);
}

static const char *title_of(const jam *j) {
  ww_arena *a = j->x->a;
  const uint64_t *block = j->x->in->launch->block;
  unsigned threads[2];
  for (uint32_t k = 0; k < j->n; k++)
    threads[k] = block[j->of[k].axis] / (j->grow ? 1 : j->of[k].factor);
  return j->n == 1 ? ww_fmt(a, "%u elements a thread along %c, blocks of %u",
                            j->of[0].factor, "xyz"[j->of[0].axis], threads[0])
                   : ww_fmt(a, "%u x %u elements a thread, blocks of %u x %u",
                            j->of[0].factor, j->of[1].factor, threads[0], threads[1]);
}

/* A factor of 1 leaves its axis as it is. */
static void offer_jam(ww_rewriting *x, uint32_t columns, uint32_t rows, bool grow) {
  const uint32_t factors[2] = {columns, rows};
  jam j = {
      .x = x,
      .grow = grow,
  };
  ww_rewritten r = {0};
  for (uint32_t axis = 0; axis < 2; axis++) {
    uint32_t block = x->in->launch->block[axis];
    if (factors[axis] < 2)
      continue;
    side *s = &j.of[j.n++];
    *s = (side){.axis = axis, .factor = factors[axis]};
    if (!find_side(&j, s) || (!grow && block % factors[axis]))
      return;
    r.shape.was[axis] = grow ? block : 0;
    r.shape.now[axis] = grow ? block * factors[axis] : 0;
    r.shape.block[axis] = grow ? 0 : block / factors[axis];
  }
  if (!find_varied(&j, false) || !find_guards(&j) || !find_varied(&j, true))
    return;
  for (uint32_t k = 0; k < j.n && grow; k++) {
    side *s = &j.of[k];
    uint32_t p = s->bound ? WW_NONODE : ww_index_bound(x, s->axis, s->variable);
    s->guessed = p != WW_NONODE;
    if (s->guessed)
      s->bound = x->v[p].name;
    if (!s->bound)
      return;
  }
  if (!walk(&j, x->body))
    return;
  r.title = title_of(&j);
  ww_rewrite_offer(x, &j.edits, &r);
}

void ww_rewrite_jam(ww_rewriting *x) {
  static const uint32_t factors[] = {2, 4, 8};
  static const uint32_t both[][2] = {{2, 2}, {2, 4}, {4, 4}, {4, 8}};
  const uint64_t *block = x->in->launch->block;
  if (x->in->dialect == WW_OPENCL || !ww_index_independent(x))
    return;
  for (uint32_t k = 0; k < WW_COUNT(factors); k++) {
    if (block[0] > 1)
      offer_jam(x, factors[k], 1, false);
    offer_jam(x, factors[k], 1, true);
    if (block[1] > 1)
      offer_jam(x, 1, factors[k], false);
    offer_jam(x, 1, factors[k], true);
  }
  for (uint32_t k = 0; k < WW_COUNT(both); k++) {
    if (block[0] * block[1] >= 32 * both[k][0] * both[k][1])
      offer_jam(x, both[k][0], both[k][1], false);
    offer_jam(x, both[k][0], both[k][1], true);
  }
}
