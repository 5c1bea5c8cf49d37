/* rewrite_index.c - which element a thread works on, and rewrites that change it: block
 * sizes, the roles of x and y, several elements a thread.
 *
 * A thread that knows nothing but its number in the whole grid (blockIdx * size +
 * threadIdx) may be any thread of any block: then blocks of any shape do the same work.
 */
#include "rewrite_int.h"

/* ---- what the hardware gives ---- */

/* by ww_index_kind */
static const char *const cuda_names[] = {"threadIdx", "blockIdx", "blockDim",
                                         "gridDim"};
static const char *const opencl_names[] = {"get_local_id", "get_group_id",
                                           "get_local_size", "get_num_groups",
                                           "get_global_id"};

static int cuda_index(const ww_rewriting *x, uint32_t node, uint32_t *axis) {
  uint32_t of = ww_node_child(x, node, 0);
  if (x->v[node].kind != WW_NODE_MEMBER || of == WW_NONODE ||
      x->v[of].kind != WW_NODE_REFERENCE)
    return -1;
  char last = x->text[x->v[node].end - 1];
  if (last < 'x' || last > 'z')
    return -1;
  *axis = last - 'x';
  for (int k = 0; k < 4; k++)
    if (!strcmp(x->v[of].name, cuda_names[k]))
      return k;
  return -1;
}

static int opencl_index(const ww_rewriting *x, uint32_t node, uint32_t *axis) {
  const char *callee = ww_node_callee(x, node);
  for (int k = 0; k < 5; k++) {
    if (strcmp(callee, opencl_names[k]))
      continue;
    uint32_t arg = ww_node_bare(x, ww_node_child(x, node, 1));
    if (arg == WW_NONODE || !x->v[arg].constant || x->v[arg].value < 0 ||
        x->v[arg].value > 2)
      return -1;
    *axis = x->v[arg].value;
    return k;
  }
  return -1;
}

int ww_index_of(const ww_rewriting *x, uint32_t node, uint32_t *axis) {
  return x->in->dialect == WW_OPENCL ? opencl_index(x, node, axis)
                                     : cuda_index(x, node, axis);
}

static bool is_opencl(const ww_rewriting *x) {
  return x->in->dialect == WW_OPENCL;
}

const char *ww_text_index(const ww_rewriting *x, int kind, uint32_t axis) {
  return is_opencl(x) ? ww_fmt(x->a, "%s(%u)", opencl_names[kind], axis)
                      : ww_fmt(x->a, "%s.%c", cuda_names[kind], 'x' + axis);
}

const char *ww_text_shared(const ww_rewriting *x) {
  return is_opencl(x) ? "__local" : "__shared__";
}

const char *ww_text_barrier(const ww_rewriting *x) {
  return is_opencl(x) ? "barrier(CLK_LOCAL_MEM_FENCE)" : "__syncthreads()";
}

bool ww_index_varies(const ww_rewriting *x, uint32_t node, int depth) {
  for (uint32_t i = node; i < x->v[node].last; i++) {
    uint32_t axis;
    int k = ww_index_of(x, i, &axis);
    const ww_node *n = &x->v[i];
    if (k == WW_INDEX_THREAD || k == WW_INDEX_GLOBAL || n->kind == WW_NODE_SUBSCRIPT)
      return true;
    if (n->kind == WW_NODE_CALL && k < 0)
      return true;
    uint32_t d = n->kind == WW_NODE_REFERENCE ? ww_node_of_decl(x, n->decl) : WW_NONODE;
    if (d == WW_NONODE || x->v[d].kind == WW_NODE_PARAMETER)
      continue;
    if (depth > 4 || ww_node_changed(x, n->decl, x->body) ||
        ww_index_varies(x, d, depth + 1))
      return true;
  }
  return false;
}

/* ---- threads that know nothing of one another ---- */

static bool is_shared(const ww_rewriting *x, uint32_t variable) {
  const ww_node *n = &x->v[variable];
  const char *text = ww_strndup(x->a, x->text + n->begin, n->decl - n->begin);
  return strstr(text, "__shared__") || strstr(text, "__local ") ||
         strstr(text, "local ");
}

bool ww_node_knows_others(const ww_rewriting *x, uint32_t i) {
  static const char *const begins[] = {"__sync",  "__shfl",     "__ballot",  "__any",
                                       "__all",   "__active",   "__match",   "__reduce",
                                       "barrier", "work_group", "sub_group", NULL};
  const ww_node *n = &x->v[i];
  if (n->kind == WW_NODE_ASM || n->kind == WW_NODE_GOTO)
    return true;
  if (n->kind == WW_NODE_VARIABLE)
    return is_shared(x, i) || strstr(n->spelled, "cooperative_groups");
  const char *callee = ww_node_callee(x, i);
  for (int k = 0; begins[k]; k++)
    if (ww_starts(callee, begins[k]))
      return true;
  return n->kind == WW_NODE_REFERENCE && !strcmp(n->name, "warpSize");
}

/* A function of this text may do what the kernel itself does not. */
static bool calls_own(const ww_rewriting *x, uint32_t i) {
  return x->v[i].kind == WW_NODE_CALL && x->v[i].decl != UINT32_MAX;
}

static bool own_function_knows(const ww_rewriting *x, uint32_t call) {
  uint32_t axis;
  for (uint32_t f = 0; f < x->in->syntax->n; f++) {
    const ww_node *n = &x->v[f];
    if ((n->kind != WW_NODE_FUNCTION && n->kind != WW_NODE_TEMPLATE) ||
        n->decl != x->v[call].decl)
      continue;
    for (uint32_t i = f + 1; i < n->last; i++)
      if (ww_node_knows_others(x, i) || ww_index_of(x, i, &axis) >= 0 ||
          calls_own(x, i))
        return true;
    return false;
  }
  return true;
}

bool ww_index_independent(const ww_rewriting *x) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++)
    if (ww_node_knows_others(x, i) || (calls_own(x, i) && own_function_knows(x, i)))
      return false;
  return true;
}

/* ---- a thread's number in the whole grid ---- */

typedef struct {
  uint32_t node; /* blockIdx.x * size + threadIdx.x */
  uint32_t size; /* a constant, WW_NONODE: blockDim, or OpenCL's own */
} global_index;

typedef struct {
  bool used[3];  /* the axis */
  bool plain[3]; /* it is used in global indices alone */
  WW_VEC(global_index) of[3];
} indices;

/* `const int tx = threadIdx.x;` is a name for it, as long as nothing changes it. */
static bool is_name(const ww_rewriting *x, uint32_t variable) {
  return x->v[variable].kind == WW_NODE_VARIABLE && !x->v[variable].macro &&
         x->v[variable].type == WW_TYPE_INT &&
         !ww_node_changed(x, x->v[variable].decl, x->body);
}

/* The same as ww_index_of, through such a name. */
static int named_index(const ww_rewriting *x, uint32_t node, uint32_t *axis) {
  uint32_t d = x->v[node].kind == WW_NODE_REFERENCE
                   ? ww_node_of_decl(x, x->v[node].decl)
                   : WW_NONODE;
  uint32_t value = d != WW_NONODE && is_name(x, d) ? ww_node_value(x, d) : WW_NONODE;
  return ww_index_of(x, value != WW_NONODE ? value : node, axis);
}

/* blockIdx.A * size, in any order; *size as in global_index. */
static bool
is_block_start(const ww_rewriting *x, uint32_t node, uint32_t axis, uint32_t *size) {
  node = ww_node_bare(x, node);
  if (node == WW_NONODE || x->v[node].kind != WW_NODE_BINARY ||
      strcmp(x->v[node].name, "*"))
    return false;
  for (uint32_t k = 0; k < 2; k++) {
    uint32_t a;
    uint32_t b;
    uint32_t block = ww_node_bare(x, ww_node_child(x, node, k));
    uint32_t by = ww_node_bare(x, ww_node_child(x, node, !k));
    if (block == WW_NONODE || by == WW_NONODE ||
        named_index(x, block, &a) != WW_INDEX_BLOCK || a != axis)
      continue;
    bool dim = ww_index_of(x, by, &b) == WW_INDEX_BLOCK_SIZE && b == axis;
    bool number = x->v[by].constant && !x->v[by].macro &&
                  x->v[by].kind == WW_NODE_INTEGER &&
                  (uint64_t)x->v[by].value == x->in->launch->block[axis];
    *size = dim ? WW_NONODE : by;
    if (dim || number)
      return true;
  }
  return false;
}

static bool
is_global(const ww_rewriting *x, uint32_t node, uint32_t *axis, uint32_t *size) {
  const ww_node *n = &x->v[node];
  if (n->kind != WW_NODE_BINARY || strcmp(n->name, "+"))
    return false;
  for (uint32_t k = 0; k < 2; k++) {
    uint32_t thread = ww_node_bare(x, ww_node_child(x, node, k));
    if (thread != WW_NONODE && named_index(x, thread, axis) == WW_INDEX_THREAD &&
        is_block_start(x, ww_node_child(x, node, !k), *axis, size))
      return true;
  }
  return false;
}

/* Whether the index at `node` is part of one of those found. */
static bool is_found(const ww_rewriting *x, const indices *v, uint32_t node) {
  for (int axis = 0; axis < 3; axis++)
    for (uint32_t k = 0; k < v->of[axis].n; k++)
      if (ww_node_inside(x, node, v->of[axis].v[k].node))
        return true;
  return false;
}

/* Is this index what a variable is a name for, and the name part of those found alone?
 */
static bool is_found_by_name(const ww_rewriting *x, const indices *v, uint32_t node) {
  int32_t d = x->v[node].parent;
  while (d > (int32_t)x->body && ww_node_bare(x, d) == node)
    d = x->v[d].parent;
  if (ww_node_value(x, d) != node || !is_name(x, d))
    return false;
  for (uint32_t i = d; i < x->v[x->body].last; i++)
    if (x->v[i].kind == WW_NODE_REFERENCE && x->v[i].decl == x->v[d].decl &&
        !is_found(x, v, i))
      return false;
  return true;
}

static void find_indices(ww_rewriting *x, indices *out) {
  *out = (indices){.plain = {true, true, true}};
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    uint32_t axis;
    uint32_t size;
    if (is_global(x, i, &axis, &size) && !x->v[i].macro)
      ww_push(x->a, &out->of[axis], (global_index){i, size});
    int k = ww_index_of(x, i, &axis);
    if (k == WW_INDEX_GLOBAL)
      ww_push(x->a, &out->of[axis], (global_index){i, WW_NONODE});
    if (k >= 0)
      out->used[axis] |= k != WW_INDEX_BLOCK_SIZE && k != WW_INDEX_GRID_SIZE;
  }
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    uint32_t axis;
    int k = ww_index_of(x, i, &axis);
    if ((k == WW_INDEX_THREAD || k == WW_INDEX_BLOCK) && !is_found(x, out, i) &&
        !is_found_by_name(x, out, i))
      out->plain[axis] = false;
  }
}

/* Does the declaration bound the size of its blocks? */
static bool has_bounds(const ww_rewriting *x) {
  const ww_node *n = &x->v[x->kernel];
  const char *head =
      ww_strndup(x->a, x->text + n->begin, x->v[x->body].begin - n->begin);
  return strstr(head, "__launch_bounds__") || strstr(head, "reqd_work_group_size");
}

/* Some kernels cannot name an index without a macro: nothing is known of these. */
static bool any_axis(const indices *v) {
  return v->used[0] || v->used[1] || v->used[2];
}

static bool all_plain(const indices *v) {
  for (int k = 0; k < 3; k++)
    if (v->used[k] && !v->plain[k])
      return false;
  return any_axis(v);
}

uint32_t ww_index_global(ww_rewriting *x, uint32_t axis, uint32_t *size) {
  indices v;
  find_indices(x, &v);
  if (!v.plain[axis] || v.of[axis].n != 1 || has_bounds(x))
    return WW_NONODE;
  *size = v.of[axis].v[0].size;
  return v.of[axis].v[0].node;
}

/* ---- bounds that a launch tells ---- */

/* Is it written as `... * bound + variable`: a row of what it counts? */
static bool is_row_length(const ww_rewriting *x, uint32_t variable, uint32_t bound) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    if (x->v[i].kind != WW_NODE_BINARY || strcmp(x->v[i].name, "+"))
      continue;
    uint32_t left = ww_node_bare(x, ww_node_child(x, i, 0));
    uint32_t right = ww_node_bare(x, ww_node_child(x, i, 1));
    if (x->v[right].kind == WW_NODE_REFERENCE &&
        x->v[right].decl == x->v[variable].decl && x->v[left].kind == WW_NODE_BINARY &&
        !strcmp(x->v[left].name, "*") && ww_node_uses(x, left, x->v[bound].decl))
      return true;
  }
  return false;
}

uint32_t ww_index_bound(const ww_rewriting *x, uint32_t axis, uint32_t variable) {
  const ww_launch *l = x->in->launch;
  uint64_t covered = l->grid[axis] * l->block[axis];
  uint32_t found = WW_NONODE;
  uint32_t k = 0;
  for (uint32_t i = x->kernel + 1; i < x->body; i++) {
    if (x->v[i].kind != WW_NODE_PARAMETER)
      continue;
    const ww_arg *g = k < l->nargs ? &l->args[k] : NULL;
    k++;
    if (!g || g->kind != WW_ARG_VALUE || x->v[i].type != WW_TYPE_INT || g->value < 1 ||
        (uint64_t)g->value > covered ||
        (uint64_t)g->value + l->block[axis] <= covered ||
        ww_node_changed(x, x->v[i].decl, x->body))
      continue;
    if (found == WW_NONODE || is_row_length(x, variable, i))
      found = i;
  }
  return found;
}

/* ---- block ---- */

static void offer_block(ww_rewriting *x, const indices *v, const uint32_t block[3]) {
  const uint64_t *was = x->in->launch->block;
  ww_edit_list e = {0};
  ww_rewritten r = {0};
  if (was[0] == block[0] && was[1] == block[1] && was[2] == block[2])
    return;
  for (int k = 0; k < 3; k++) {
    r.shape.block[k] = block[k];
    r.shape.was[k] = was[k];
    r.shape.now[k] = block[k];
    for (uint32_t i = 0; i < v->of[k].n && was[k] != block[k]; i++) {
      uint32_t size = v->of[k].v[i].size;
      if (size != WW_NONODE)
        ww_edit_put(x, &e, x->v[size].begin, x->v[size].end,
                    ww_fmt(x->a, "%u", block[k]));
    }
  }
  r.title = block[1] == 1 && block[2] == 1
                ? ww_fmt(x->a, "blocks of %u threads", block[0])
                : ww_fmt(x->a, "blocks of %u x %u threads", block[0], block[1]);
  ww_rewrite_offer(x, &e, &r);
}

void ww_rewrite_block(ww_rewriting *x) {
  static const uint32_t rows[] = {32, 64, 128, 256, 512, 1024};
  static const uint32_t tiles[][2] = {{32, 2},  {32, 4},  {32, 8}, {32, 16},
                                      {64, 2},  {64, 4},  {64, 8}, {128, 1},
                                      {128, 2}, {256, 1}, {16, 8}, {16, 16}};
  indices v;
  find_indices(x, &v);
  if (!ww_index_independent(x) || !all_plain(&v) || v.used[2] || has_bounds(x) ||
      x->in->launch->block[2] > 1)
    return;
  if (!v.used[1] && x->in->launch->block[1] <= 1)
    for (uint32_t k = 0; k < WW_COUNT(rows); k++)
      offer_block(x, &v, (uint32_t[3]){rows[k], 1, 1});
  else if (v.used[0] && v.used[1])
    for (uint32_t k = 0; k < WW_COUNT(tiles); k++)
      offer_block(x, &v, (uint32_t[3]){tiles[k][0], tiles[k][1], 1});
}

/* ---- swap ---- */

static void swap_axis(ww_rewriting *x, uint32_t node, uint32_t axis, ww_edit_list *e) {
  const ww_node *n = &x->v[node];
  if (axis > 1)
    return;
  if (x->in->dialect == WW_OPENCL) {
    uint32_t arg = ww_node_bare(x, ww_node_child(x, node, 1));
    ww_edit_put(x, e, x->v[arg].begin, x->v[arg].end, axis ? "0" : "1");
  } else
    ww_edit_put(x, e, n->end - 1, n->end, axis ? "x" : "y");
}

void ww_rewrite_swap(ww_rewriting *x) {
  indices v;
  ww_edit_list e = {0};
  find_indices(x, &v);
  if (!v.used[0] || !v.used[1] || !ww_index_independent(x) || has_bounds(x))
    return;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    uint32_t axis;
    if (ww_index_of(x, i, &axis) < 0)
      continue;
    if (x->v[i].macro)
      return;
    swap_axis(x, i, axis, &e);
  }
  ww_rewrite_offer(x, &e,
                   &(ww_rewritten){.title = "x and y of threads and blocks swapped",
                                   .shape = {.swap = true}});
}

/* ---- axes ---- */

static bool has_atomics(const ww_rewriting *x) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++)
    if (x->v[i].kind == WW_NODE_CALL && ww_starts(ww_node_callee(x, i), "atom"))
      return true;
  return false;
}

/* Threads of an axis that nothing reads do the same work once for each of them. */
void ww_rewrite_axes(ww_rewriting *x) {
  const ww_launch *l = x->in->launch;
  ww_reshape shape = {0};
  ww_edit_list none = {0};
  bool any = false;
  indices v;
  find_indices(x, &v);
  if (!ww_index_independent(x) || has_atomics(x) || has_bounds(x))
    return;
  for (int k = 1; k < 3; k++) {
    if (v.used[k] || l->block[k] * l->grid[k] <= 1)
      continue;
    shape.block[k] = 1;
    shape.was[k] = 1;
    shape.now[k] = l->grid[k];
    any = true;
  }
  if (any)
    ww_rewrite_offer(
        x, &none,
        &(ww_rewritten){.title = "one thread along axes that nothing reads",
                        .shape = shape});
}

/* ---- stride ---- */

typedef struct {
  uint32_t declaration; /* statement that declares the index */
  uint32_t variable;
  uint32_t guard; /* statement behind it: if (i < n) work, or if (i >= n) return; */
  uint32_t work;  /* of the first form; WW_NONODE: the rest of the body */
  const char *bound;
} guarded;

/* i < bound, or i >= bound where it leaves: the bound as text. */
static const char *
bound_of(ww_rewriting *x, uint32_t condition, uint32_t variable, const char *sign) {
  condition = ww_node_bare(x, condition);
  if (x->v[condition].kind != WW_NODE_BINARY || strcmp(x->v[condition].name, sign))
    return NULL;
  uint32_t left = ww_node_bare(x, ww_node_child(x, condition, 0));
  uint32_t right = ww_node_child(x, condition, 1);
  if (x->v[left].kind != WW_NODE_REFERENCE || x->v[left].decl != x->v[variable].decl ||
      x->v[right].macro)
    return NULL;
  return ww_node_text(x, right);
}

static bool leaves(const ww_rewriting *x, uint32_t node) {
  if (x->v[node].kind == WW_NODE_COMPOUND && ww_node_children(x, node) == 1)
    node = ww_node_child(x, node, 0);
  return x->v[node].kind == WW_NODE_RETURN && x->v[node].last == node + 1;
}

static bool find_guard(ww_rewriting *x, const global_index *g, guarded *out) {
  uint32_t variable = ww_node_above(x, g->node, WW_NODE_VARIABLE);
  uint32_t declaration = ww_node_above(x, g->node, WW_NODE_DECLARATIONS);
  if (variable == WW_NONODE || declaration == WW_NONODE ||
      x->v[declaration].parent != (int32_t)x->body ||
      ww_node_children(x, declaration) != 1 || x->v[variable].type != WW_TYPE_INT ||
      ww_node_value(x, variable) != g->node ||
      ww_node_changed(x, x->v[variable].decl, x->body))
    return false;
  uint32_t guard = x->v[declaration].last;
  if (guard >= x->v[x->body].last || x->v[guard].kind != WW_NODE_IF ||
      ww_node_children(x, guard) != 2)
    return false;
  uint32_t condition = ww_node_child(x, guard, 0);
  uint32_t then = ww_node_child(x, guard, 1);
  *out = (guarded){declaration, variable, guard, WW_NONODE, NULL};
  if (leaves(x, then)) {
    out->bound = bound_of(x, condition, variable, ">=");
  } else if (x->v[guard].last == x->v[x->body].last) {
    out->work = then;
    out->bound = bound_of(x, condition, variable, "<");
  }
  return out->bound;
}

/* Every return of the work leaves the loop's round: false where it stands in a loop of
 * its own. */
static bool returns_to_continue(ww_rewriting *x, const guarded *g, ww_edit_list *e) {
  for (uint32_t i = x->v[g->declaration].last; i < x->v[x->body].last; i++) {
    if (x->v[i].kind != WW_NODE_RETURN ||
        (g->work == WW_NONODE && ww_node_inside(x, i, g->guard)))
      continue;
    bool loop = ww_node_above(x, i, WW_NODE_FOR) != WW_NONODE ||
                ww_node_above(x, i, WW_NODE_WHILE) != WW_NONODE ||
                ww_node_above(x, i, WW_NODE_DO) != WW_NONODE;
    if (loop || x->v[i].macro || x->v[i].last != i + 1)
      return false;
    ww_edit_put(x, e, x->v[i].begin, x->v[i].end, "continue");
  }
  return true;
}

/* Lines of [begin, end) that are not empty go in by a step. */
static void
indent_lines(ww_rewriting *x, uint32_t begin, uint32_t end, ww_edit_list *e) {
  for (uint32_t i = begin; i < end; i++)
    if (x->text[i] == '\n' && i + 1 < end && !strchr("\r\n#", x->text[i + 1]))
      ww_edit_put(x, e, i + 1, i + 1, "\v");
}

bool ww_put_mutable(ww_rewriting *x, uint32_t variable, ww_edit_list *e) {
  const ww_node *n = &x->v[variable];
  if (!n->is_const)
    return true;
  for (uint32_t at = n->begin; at + 5 < n->decl; at++)
    if (ww_starts(x->text + at, "const") && !ww_is_word(x->text[at + 5]) &&
        (at == n->begin || !ww_is_word(x->text[at - 1]))) {
      uint32_t gap = strspn(x->text + at + 5, " \t");
      ww_edit_put(x, e, at, at + 5 + gap, "");
      return true;
    }
  return false;
}

static const char *loop_head(ww_rewriting *x, const guarded *g, const char *brace) {
  bool cl = x->in->dialect == WW_OPENCL;
  const ww_node *v = &x->v[g->variable];
  ww_edit_list e = {0};
  if (!ww_put_mutable(x, g->variable, &e))
    return NULL;
  const char *declaration = ww_text_edited(x, v->begin, v->end, &e);
  return ww_fmt(x->a, "for (%s; %s < %s; %s += %s)%s", declaration,
                x->v[g->variable].name, g->bound, x->v[g->variable].name,
                cl ? "get_global_size(0)" : "gridDim.x * blockDim.x", brace);
}

bool ww_stride_edits(ww_rewriting *x, ww_edit_list *e, const char **close) {
  indices v;
  guarded g;
  *close = "";
  find_indices(x, &v);
  if (v.used[1] || v.used[2] || !v.plain[0] || v.of[0].n != 1 ||
      !ww_index_independent(x) || !find_guard(x, &v.of[0].v[0], &g) ||
      x->v[g.variable].macro || !returns_to_continue(x, &g, e))
    return false;
  uint32_t begin = x->v[g.declaration].begin;
  const char *head = loop_head(x, &g, g.work != WW_NONODE ? " " : " {");
  if (!head)
    return false;
  if (g.work != WW_NONODE) {
    ww_edit_put(x, e, begin, x->v[g.work].begin, head);
    return true;
  }
  uint32_t from = ww_node_end(x, g.guard);
  ww_edit_put(x, e, begin, from, head);
  indent_lines(x, from, ww_body_close(x), e);
  *close = ww_fmt(x->a, "%s}\n", ww_text_indent(x, begin));
  return true;
}

uint32_t ww_body_close(const ww_rewriting *x) {
  uint32_t close = x->v[x->body].end - 1;
  uint32_t at = close;
  while (at && strchr(" \t", x->text[at - 1]))
    at--;
  return at && x->text[at - 1] == '\n' ? at : close;
}

void ww_put_at_close(ww_rewriting *x, ww_edit_list *e, const char *text) {
  uint32_t at = ww_body_close(x);
  bool line = at && x->text[at - 1] == '\n';
  if (*text)
    ww_edit_put(x, e, at, at, line ? text : ww_fmt(x->a, "\n%s", text));
}

void ww_rewrite_stride(ww_rewriting *x) {
  static const uint32_t factors[] = {2, 4, 8, 16};
  uint32_t block = x->in->launch->block[0];
  for (uint32_t k = 0; k < WW_COUNT(factors); k++) {
    ww_edit_list e = {0};
    const char *close;
    if (x->in->launch->grid[0] <= factors[k] || !ww_stride_edits(x, &e, &close))
      continue;
    ww_put_at_close(x, &e, close);
    ww_rewrite_offer(
        x, &e,
        &(ww_rewritten){
            .title = ww_fmt(x->a, "%u elements a thread, a grid apart", factors[k]),
            .shape = {.was = {block}, .now = {block * factors[k]}}});
  }
}

/* ---- grid ---- */

/* A loop that goes on by the whole grid takes any number of blocks. */
static bool strides_by_grid(const ww_rewriting *x) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    uint32_t axis;
    if (ww_index_of(x, i, &axis) == WW_INDEX_GRID_SIZE && axis == 0 &&
        (ww_node_above(x, i, WW_NODE_FOR) != WW_NONODE ||
         ww_node_above(x, i, WW_NODE_VARIABLE) != WW_NONODE))
      return true;
  }
  return false;
}

/* Blocks that do not know their number take their work from a counter. */
static bool takes_turns(const ww_rewriting *x) {
  bool counter = false;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    uint32_t axis;
    int k = ww_index_of(x, i, &axis);
    if (k == WW_INDEX_BLOCK || k == WW_INDEX_GRID_SIZE || k == WW_INDEX_GLOBAL)
      return false;
    int32_t p = x->v[i].parent;
    bool used = x->v[p].kind != WW_NODE_COMPOUND && x->v[p].kind != WW_NODE_IF;
    counter |= used && ww_starts(ww_node_callee(x, i), "atomic");
  }
  return counter;
}

void ww_rewrite_grid(ww_rewriting *x) {
  static const uint32_t times[] = {2, 4, 8};
  const ww_launch *l = x->in->launch;
  if ((!strides_by_grid(x) && !takes_turns(x)) || l->grid[1] > 1 || l->grid[2] > 1)
    return;
  for (uint32_t k = 0; k < WW_COUNT(times); k++) {
    uint32_t f = times[k];
    ww_rewritten r = {.title = ww_fmt(x->a, "%u times the blocks", f),
                      .shape = {.was = {f}, .now = {1}}};
    ww_rewrite_offer(x, &(ww_edit_list){0}, &r);
    if (l->grid[0] < 2 * f)
      continue;
    r.title = ww_fmt(x->a, "1/%u of the blocks", f);
    r.shape = (ww_reshape){.was = {1}, .now = {f}};
    ww_rewrite_offer(x, &(ww_edit_list){0}, &r);
  }
}
