/* rewrite_tree.c - a tree in shared memory, halved with a barrier each time, whose last
 * five steps become shuffles of the first warp.
 *
 *   for (int d = 128; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
 *
 * Behind it the first element alone is asked for; what else of the tree would be left
 * there is not. */
#include "rewrite_int.h"

#define WARP 32

typedef struct {
  ww_rewriting *x;
  uint32_t loop, limit; /* nodes: the for; the number that its condition ends at */
  uint32_t step;        /* the counter's declaration place */
  uint32_t thread;      /* node of `t` in `t < d` */
  uint32_t element;     /* node of `s[t]` that is assigned to */
  uint32_t array;       /* declaration place of s */
  const char *op;       /* "+", or a function: fmaxf */
} tree;

/* Is it threadIdx.x, or a variable that holds it and never changes? */
static bool is_thread(const ww_rewriting *x, uint32_t node) {
  uint32_t axis;
  node = ww_node_bare(x, node);
  if (node == WW_NONODE)
    return false;
  if (ww_index_of(x, node, &axis) == WW_INDEX_THREAD)
    return axis == 0;
  uint32_t d = x->v[node].kind == WW_NODE_REFERENCE
                   ? ww_node_of_decl(x, x->v[node].decl)
                   : WW_NONODE;
  if (d == WW_NONODE || x->v[d].kind != WW_NODE_VARIABLE || !ww_node_children(x, d) ||
      ww_node_changed(x, x->v[d].decl, x->body))
    return false;
  uint32_t value = ww_node_bare(x, ww_node_child(x, d, ww_node_children(x, d) - 1));
  return value != WW_NONODE && ww_index_of(x, value, &axis) == WW_INDEX_THREAD &&
         axis == 0;
}

static bool is_counter(const tree *t, uint32_t node) {
  const ww_rewriting *x = t->x;
  node = ww_node_bare(x, node);
  return node != WW_NONODE && x->v[node].kind == WW_NODE_REFERENCE &&
         x->v[node].decl == t->step;
}

static bool is_number(const ww_rewriting *x, uint32_t node, int64_t value) {
  node = node == WW_NONODE ? node : ww_node_bare(x, node);
  return node != WW_NONODE && x->v[node].constant && x->v[node].value == value;
}

/* for (int d = ...; d > 0; d /= 2), d >>= 1 */
static bool read_head(tree *t) {
  const ww_rewriting *x = t->x;
  uint32_t first = ww_node_child(x, t->loop, 0);
  if (ww_node_children(x, t->loop) != 4 || x->v[first].kind != WW_NODE_DECLARATIONS ||
      ww_node_children(x, first) != 1)
    return false;
  t->step = x->v[ww_node_child(x, first, 0)].decl;
  uint32_t condition = ww_node_bare(x, ww_node_child(x, t->loop, 1));
  uint32_t halve = ww_node_child(x, t->loop, 2);
  bool half =
      (!strcmp(x->v[halve].name, "/=") &&
       is_number(x, ww_node_child(x, halve, 1), 2)) ||
      (!strcmp(x->v[halve].name, ">>=") && is_number(x, ww_node_child(x, halve, 1), 1));
  if (!half || !is_counter(t, ww_node_child(x, halve, 0)) ||
      x->v[condition].kind != WW_NODE_BINARY || strcmp(x->v[condition].name, ">") ||
      !is_counter(t, ww_node_child(x, condition, 0)))
    return false;
  t->limit = ww_node_child(x, condition, 1);
  return is_number(x, t->limit, 0) && !x->v[t->limit].macro;
}

/* s[t], or s[t + d] where `further`. */
static bool is_element(const tree *t, uint32_t node, bool further) {
  const ww_rewriting *x = t->x;
  node = ww_node_bare(x, node);
  if (node == WW_NONODE || x->v[node].kind != WW_NODE_SUBSCRIPT)
    return false;
  uint32_t array = ww_node_bare(x, ww_node_child(x, node, 0));
  uint32_t index = ww_node_bare(x, ww_node_child(x, node, 1));
  if (x->v[array].kind != WW_NODE_REFERENCE || x->v[array].decl != t->array)
    return false;
  if (!further)
    return is_thread(x, index);
  return x->v[index].kind == WW_NODE_BINARY && !strcmp(x->v[index].name, "+") &&
         is_thread(x, ww_node_child(x, index, 0)) &&
         is_counter(t, ww_node_child(x, index, 1));
}

/* s[t] += s[t + d], or s[t] = fmaxf(s[t], s[t + d]). */
static bool read_assignment(tree *t, uint32_t node) {
  static const char *const calls[] = {"fmaxf", "fminf", "fmax", "fmin",
                                      "max",   "min",   NULL};
  const ww_rewriting *x = t->x;
  t->element = ww_node_target(x, node);
  if (t->element == WW_NONODE || x->v[t->element].kind != WW_NODE_SUBSCRIPT)
    return false;
  uint32_t array = ww_node_bare(x, ww_node_child(x, t->element, 0));
  uint32_t value = ww_node_bare(x, ww_node_child(x, node, 1));
  t->array = x->v[array].decl;
  if (!is_element(t, t->element, false) || value == WW_NONODE)
    return false;
  t->op = "+";
  if (!strcmp(x->v[node].name, "+="))
    return is_element(t, value, true);
  for (int k = 0; !strcmp(x->v[node].name, "=") && calls[k]; k++)
    if (!strcmp(ww_node_callee(x, value), calls[k]) &&
        ww_node_children(x, value) == 3) {
      t->op = calls[k];
      return is_element(t, ww_node_child(x, value, 1), false) &&
             is_element(t, ww_node_child(x, value, 2), true);
    }
  return false;
}

/* { if (t < d) s[t] += s[t + d]; __syncthreads(); } */
static bool read_body(tree *t) {
  const ww_rewriting *x = t->x;
  uint32_t body = ww_node_child(x, t->loop, 3);
  if (x->v[body].kind != WW_NODE_COMPOUND || ww_node_children(x, body) != 2)
    return false;
  uint32_t when = ww_node_child(x, body, 0);
  if (x->v[when].kind != WW_NODE_IF || ww_node_children(x, when) != 2 ||
      strcmp(ww_node_callee(x, ww_node_child(x, body, 1)), "__syncthreads"))
    return false;
  uint32_t below = ww_node_bare(x, ww_node_child(x, when, 0));
  uint32_t then = ww_node_child(x, when, 1);
  if (x->v[then].kind == WW_NODE_COMPOUND && ww_node_children(x, then) == 1)
    then = ww_node_child(x, then, 0);
  if (x->v[below].kind != WW_NODE_BINARY || strcmp(x->v[below].name, "<") ||
      !is_counter(t, ww_node_child(x, below, 1)))
    return false;
  t->thread = ww_node_child(x, below, 0);
  return is_thread(x, t->thread) && !x->v[then].macro && read_assignment(t, then);
}

/* Behind the loop, s[0] is all that is asked for. */
static bool is_first_asked_for(const tree *t) {
  const ww_rewriting *x = t->x;
  for (uint32_t i = x->v[t->loop].last; i < x->v[x->body].last; i++) {
    if (x->v[i].kind != WW_NODE_REFERENCE || x->v[i].decl != t->array)
      continue;
    uint32_t use = ww_node_above(x, i, WW_NODE_SUBSCRIPT);
    if (use == WW_NONODE || !is_number(x, ww_node_child(x, use, 1), 0))
      return false;
  }
  return true;
}

static const char *last_steps(const tree *t) {
  ww_rewriting *x = t->x;
  const char *gap = ww_fmt(x->a, "\n%s", ww_text_indent(x, x->v[t->loop].begin));
  const char *thread = ww_node_text(x, t->thread);
  const char *s = ww_node_text(x, ww_node_child(x, t->element, 0));
  const char *v = ww_text_fresh(x, "part");
  const char *d = ww_text_fresh(x, "d");
  const char *other = ww_fmt(x->a, "__shfl_down_sync(0xffffffffu, %s, %s)", v, d);
  const char *step = *t->op == '+'
                         ? ww_fmt(x->a, "%s += %s;", v, other)
                         : ww_fmt(x->a, "%s = %s(%s, %s);", v, t->op, v, other);
  ww_buf b = {0};
  ww_buf_fmt(&b, "%sif (%s < %u) {%s\v%s %s = %s[%s];", gap, thread, WARP, gap,
             x->v[t->element].spelled, v, s, thread);
  ww_buf_fmt(&b, "%s\vfor (int %s = %u; %s > 0; %s /= 2) %s", gap, d, WARP / 2, d, d,
             step);
  ww_buf_fmt(&b, "%s\vif (%s == 0) %s[0] = %s;%s}%s__syncthreads();", gap, thread, s, v,
             gap, gap);
  return ww_buf_text(&b, x->a);
}

void ww_rewrite_tree(ww_rewriting *x) {
  const uint64_t *block = x->in->launch->block;
  if (x->in->dialect != WW_CUDA || block[1] > 1 || block[2] > 1 ||
      block[0] < 2 * WARP || block[0] & (block[0] - 1))
    return;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    tree t = {
        .x = x,
        .loop = i,
    };
    ww_edit_list e = {0};
    if (x->v[i].kind != WW_NODE_FOR || x->v[i].macro || !ww_node_in_block(x, i) ||
        !read_head(&t) || !read_body(&t) || !is_first_asked_for(&t))
      continue;
    ww_edit_put(x, &e, x->v[t.limit].begin, x->v[t.limit].end,
                ww_fmt(x->a, "%u", WARP / 2));
    uint32_t end = ww_node_end(x, i);
    ww_edit_put(x, &e, end, end, last_steps(&t));
    ww_rewrite_offer(
        x, &e, &(ww_rewritten){.title = "the last five steps of a tree by shuffles"});
  }
}
