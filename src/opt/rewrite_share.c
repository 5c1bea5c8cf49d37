/* rewrite_share.c - several threads an element: rows of threads (threadIdx.y) take
 * turns in a loop that adds up, and meet in shared memory.
 *
 * For kernels with few threads and long loops. A thread that left at a guard before is
 * left by its whole column, so no barrier waits for it. */
#include "rewrite_int.h"

#define MOST_SUMS 8
#define MOST_SHARED 49152 /* bytes of a block */

typedef struct {
  ww_rewriting *x;
  uint32_t loop, counter;   /* nodes: the for, its variable */
  uint32_t start, step;     /* nodes: where it starts, how it goes on */
  const char *by;           /* what it goes on by; NULL: 1 */
  uint32_t sums[MOST_SUMS]; /* variables */
  uint32_t n;
} shared_loop;

/* for (int k = start; k < end; k++) or k += by. */
static bool read_loop(shared_loop *s) {
  const ww_rewriting *x = s->x;
  uint32_t first = ww_node_child(x, s->loop, 0);
  if (ww_node_children(x, s->loop) != 4 || x->v[first].kind != WW_NODE_DECLARATIONS ||
      ww_node_children(x, first) != 1)
    return false;
  s->counter = ww_node_child(x, first, 0);
  uint32_t n = ww_node_children(x, s->counter);
  if (!n || x->v[s->counter].type != WW_TYPE_INT)
    return false;
  s->start = ww_node_child(x, s->counter, n - 1);
  uint32_t decl = x->v[s->counter].decl;
  uint32_t end = ww_node_bare(x, ww_node_child(x, s->loop, 1));
  s->step = ww_node_child(x, s->loop, 2);
  uint32_t to = ww_node_target(x, s->step);
  bool counts = to != WW_NONODE && x->v[to].kind == WW_NODE_REFERENCE &&
                x->v[to].decl == decl && !x->v[s->step].macro && !x->v[s->start].macro;
  if (!counts || x->v[end].kind != WW_NODE_BINARY ||
      (strcmp(x->v[end].name, "<") && strcmp(x->v[end].name, "<=")) ||
      ww_node_changed(x, decl, ww_node_child(x, s->loop, 3)))
    return false;
  if (!strcmp(x->v[s->step].name, "++"))
    return true;
  s->by = ww_node_text(x, ww_node_child(x, s->step, 1));
  return !strcmp(x->v[s->step].name, "+=");
}

static bool add_sum(shared_loop *s, uint32_t variable) {
  for (uint32_t k = 0; k < s->n; k++)
    if (s->sums[k] == variable)
      return true;
  if (s->n == MOST_SUMS)
    return false;
  s->sums[s->n++] = variable;
  return true;
}

/* An assignment within the loop: to a variable of the loop, or += to a number outside.
 */
static bool may_assign(shared_loop *s, uint32_t node, uint32_t to) {
  const ww_rewriting *x = s->x;
  uint32_t root = to;
  while (x->v[root].kind == WW_NODE_SUBSCRIPT || x->v[root].kind == WW_NODE_MEMBER)
    root = ww_node_bare(x, ww_node_child(x, root, 0));
  uint32_t d = x->v[root].kind == WW_NODE_REFERENCE
                   ? ww_node_of_decl(x, x->v[root].decl)
                   : WW_NONODE;
  if (d == WW_NONODE)
    return false;
  if (ww_node_inside(x, d, s->loop))
    return x->v[d].type != WW_TYPE_POINTER || root == to;
  uint8_t type = x->v[d].type;
  bool number = type == WW_TYPE_FLOAT || type == WW_TYPE_DOUBLE || type == WW_TYPE_INT;
  return root == to && number && x->v[node].kind == WW_NODE_ASSIGN &&
         !strcmp(x->v[node].name, "+=") && x->v[d].kind == WW_NODE_VARIABLE &&
         add_sum(s, d);
}

/* A sum is not looked at before the loop ends. */
static bool only_added(const shared_loop *s, uint32_t node) {
  const ww_rewriting *x = s->x;
  for (uint32_t k = 0; k < s->n; k++) {
    if (x->v[node].decl != x->v[s->sums[k]].decl)
      continue;
    int32_t p = x->v[node].parent;
    return p >= 0 && ww_node_target(x, p) == node;
  }
  return true;
}

static bool is_sum_loop(shared_loop *s) {
  const ww_rewriting *x = s->x;
  uint32_t end = x->v[s->loop].last;
  for (uint32_t i = ww_node_child(x, s->loop, 3); i < end; i++) {
    const ww_node *n = &x->v[i];
    uint32_t to = ww_node_target(x, i);
    if (n->kind == WW_NODE_RETURN || n->kind == WW_NODE_BREAK ||
        ww_starts(ww_node_callee(x, i), "atomic") ||
        (to != WW_NONODE && !may_assign(s, i, to)))
      return false;
  }
  for (uint32_t i = ww_node_child(x, s->loop, 3); i < end; i++)
    if (x->v[i].kind == WW_NODE_REFERENCE && !only_added(s, i))
      return false;
  return s->n > 0;
}

/* Before the loop nothing is written that others see. */
static bool quiet_before(const shared_loop *s) {
  const ww_rewriting *x = s->x;
  for (uint32_t i = x->body; i < s->loop; i++) {
    uint32_t to = ww_node_target(x, i);
    if ((to != WW_NONODE && x->v[to].kind != WW_NODE_REFERENCE) ||
        ww_starts(ww_node_callee(x, i), "atomic"))
      return false;
  }
  return true;
}

/* ---- the edits ---- */

static const char *meet(const shared_loop *s, uint32_t rows, const char *gap) {
  ww_rewriting *x = s->x;
  unsigned columns = x->in->launch->block[0];
  const char *part = ww_text_fresh(x, "part");
  const char *row = ww_text_fresh(x, "row");
  ww_buf b = {0};
  for (uint32_t k = 0; k < s->n; k++)
    ww_buf_fmt(&b, "%s__shared__ %s %s_%s[%u][%u];", gap, x->v[s->sums[k]].spelled,
               part, x->v[s->sums[k]].name, rows, columns);
  for (uint32_t k = 0; k < s->n; k++)
    ww_buf_fmt(&b, "%s%s_%s[threadIdx.y][threadIdx.x] = %s;", gap, part,
               x->v[s->sums[k]].name, x->v[s->sums[k]].name);
  ww_buf_fmt(&b, "%s__syncthreads();%sif (threadIdx.y > 0) return;", gap, gap);
  ww_buf_fmt(&b, "%sfor (int %s = 1; %s < %u; %s++) {", gap, row, row, rows, row);
  for (uint32_t k = 0; k < s->n; k++)
    ww_buf_fmt(&b, "%s  %s += %s_%s[%s][threadIdx.x];", gap, x->v[s->sums[k]].name,
               part, x->v[s->sums[k]].name, row);
  ww_buf_fmt(&b, "%s}", gap);
  return ww_buf_text(&b, x->a);
}

static const char *start_text(const shared_loop *s) {
  ww_rewriting *x = s->x;
  const char *turn =
      s->by ? ww_fmt(x->a, "(int)threadIdx.y * (%s)", s->by) : "(int)threadIdx.y";
  return ww_node_reads(x, s->start, "0")
             ? turn
             : ww_fmt(x->a, "(%s) + %s", ww_node_text(x, s->start), turn);
}

static void offer_share(const shared_loop *s, uint32_t rows) {
  ww_rewriting *x = s->x;
  ww_edit_list e = {0};
  uint32_t begin = x->v[s->loop].begin;
  uint32_t end = ww_node_end(x, s->loop);
  const char *gap = ww_fmt(x->a, "\n%s", ww_text_indent(x, begin));
  const char *zeros = "";
  uint32_t bytes = 0;
  for (uint32_t k = 0; k < s->n; k++) {
    zeros = ww_fmt(x->a, "%s%s%s = 0", zeros, k ? ", " : "", x->v[s->sums[k]].name);
    bytes += x->v[s->sums[k]].bytes * rows * x->in->launch->block[0];
  }
  if (!bytes || bytes > MOST_SHARED)
    return;
  ww_edit_put(x, &e, begin, begin,
              ww_fmt(x->a, "if (threadIdx.y > 0) %s;%s", zeros, gap));
  ww_edit_put(x, &e, x->v[s->start].begin, x->v[s->start].end, start_text(s));
  ww_edit_put(x, &e, x->v[s->step].begin, x->v[s->step].end,
              s->by
                  ? ww_fmt(x->a, "%s += (%s) * %u", x->v[s->counter].name, s->by, rows)
                  : ww_fmt(x->a, "%s += %u", x->v[s->counter].name, rows));
  ww_edit_put(x, &e, end, end, meet(s, rows, gap));
  ww_rewrite_offer(
      x, &e,
      &(ww_rewritten){.title =
                          ww_fmt(x->a, "%u threads share a loop that adds up", rows),
                      .shape = {.block = {0, rows, 0}}});
}

/* A loop of the body itself, after which others of the column may end. */
void ww_rewrite_share(ww_rewriting *x) {
  static const uint32_t rows[] = {2, 4, 8, 16};
  const ww_launch *l = x->in->launch;
  uint32_t size;
  if (!ww_index_independent(x) || l->block[1] > 1 || l->grid[1] > 1 ||
      ww_index_global(x, 0, &size) == WW_NONODE)
    return;
  for (uint32_t i = ww_node_child(x, x->body, 0); i < x->v[x->body].last;
       i = x->v[i].last) {
    shared_loop s = {.x = x, .loop = i};
    if (x->v[i].kind != WW_NODE_FOR || x->v[i].macro || !read_loop(&s) ||
        !is_sum_loop(&s) || !quiet_before(&s))
      continue;
    for (uint32_t k = 0; k < WW_COUNT(rows); k++)
      if (l->block[0] * rows[k] <= 1024)
        offer_share(&s, rows[k]);
    return;
  }
}
