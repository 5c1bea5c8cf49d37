/* rewrite_split.c - loops that add up over a range, one behind the other (a main loop
 * unrolled by hand, then what is left), whose range is split among threads of y.
 *
 * `int r = 0; for (; r + 4 <= h; r += 4) ...; for (; r < h; r++) ...`: each row of
 * threads has a stretch of [0, h) and goes through all loops with it; the sums meet in
 * shared memory. A thread that left at a guard before is left by its whole column. */
#include "rewrite_int.h"

#define MOST_SUMS 8
#define MOST_ITEMS 16     /* of an array of sums */
#define MOST_SHARED 49152 /* bytes of a block */

typedef struct {
  ww_rewriting *x;
  uint32_t counter;     /* node: its declaration */
  uint32_t start;       /* node: its first value */
  uint32_t first, last; /* nodes: the first loop, the last */
  uint32_t bound;       /* declaration of what the loops end at */
  uint32_t sums[MOST_SUMS];
  uint32_t items[MOST_SUMS]; /* elements; 0: no array */
  uint32_t n;
} split;

static bool is_reference(const ww_rewriting *x, uint32_t node, uint32_t decl) {
  return node != WW_NONODE && x->v[node].kind == WW_NODE_REFERENCE &&
         x->v[node].decl == decl;
}

/* `r < h`, `r + 4 <= h`: the node of h; WW_NONODE. */
static uint32_t bound_of(const ww_rewriting *x, uint32_t condition, uint32_t decl) {
  condition = ww_node_bare(x, condition);
  const ww_node *n = &x->v[condition];
  if (n->kind != WW_NODE_BINARY || (strcmp(n->name, "<") && strcmp(n->name, "<=")))
    return WW_NONODE;
  uint32_t left = ww_node_bare(x, ww_node_child(x, condition, 0));
  uint32_t right = ww_node_bare(x, ww_node_child(x, condition, 1));
  bool ahead = x->v[left].kind == WW_NODE_BINARY && !strcmp(x->v[left].name, "+");
  if (ahead) {
    uint32_t by = ww_node_bare(x, ww_node_child(x, left, 1));
    left = x->v[by].constant ? ww_node_bare(x, ww_node_child(x, left, 0)) : WW_NONODE;
  } else if (!strcmp(n->name, "<="))
    return WW_NONODE;
  if (!is_reference(x, left, decl) || x->v[right].kind != WW_NODE_REFERENCE ||
      x->v[right].macro)
    return WW_NONODE;
  return right;
}

/* for (; r < h; r++): the counter is the one that is declared before. */
static bool is_part(split *s, uint32_t loop) {
  const ww_rewriting *x = s->x;
  uint32_t decl = x->v[s->counter].decl;
  if (x->v[loop].kind != WW_NODE_FOR || x->v[loop].macro ||
      ww_node_children(x, loop) != 3)
    return false;
  uint32_t bound = bound_of(x, ww_node_child(x, loop, 0), decl);
  uint32_t step = ww_node_child(x, loop, 1);
  if (bound == WW_NONODE || !is_reference(x, ww_node_target(x, step), decl) ||
      ww_node_changed(x, decl, ww_node_child(x, loop, 2)))
    return false;
  uint32_t d = ww_node_of_decl(x, x->v[bound].decl);
  if (d == WW_NONODE || x->v[d].type != WW_TYPE_INT ||
      ww_node_changed(x, x->v[d].decl, x->body) ||
      (s->bound != WW_NONODE && s->bound != d))
    return false;
  s->bound = d;
  return !strcmp(x->v[step].name, "++") || !strcmp(x->v[step].name, "+=");
}

/* ---- sums ---- */

static uint32_t root_of(const ww_rewriting *x, uint32_t node) {
  while (x->v[node].kind == WW_NODE_SUBSCRIPT)
    node = ww_node_bare(x, ww_node_child(x, node, 0));
  return x->v[node].kind == WW_NODE_REFERENCE ? ww_node_of_decl(x, x->v[node].decl)
                                              : WW_NONODE;
}

/* Elements of `float s[4]`, 0: not known. */
static uint32_t items_of(const ww_rewriting *x, uint32_t variable) {
  uint32_t size = ww_node_child(x, variable, 0);
  if (size == WW_NONODE || !x->v[size].constant || x->v[size].value < 1 ||
      x->v[size].value > MOST_ITEMS || x->text[x->v[size].end] != ']' ||
      x->text[x->v[size].end + 1] == '[')
    return 0;
  return x->v[size].value;
}

static bool add_sum(split *s, uint32_t variable) {
  const ww_node *n = &s->x->v[variable];
  bool number = ww_starts(n->spelled, "float") || ww_starts(n->spelled, "double") ||
                !strcmp(n->spelled, "int") || ww_starts(n->spelled, "unsigned");
  bool array = n->type == WW_TYPE_ARRAY;
  for (uint32_t k = 0; k < s->n; k++)
    if (s->sums[k] == variable)
      return true;
  uint32_t items = array ? items_of(s->x, variable) : 0;
  if (s->n == MOST_SUMS || !number || !n->bytes || n->type == WW_TYPE_POINTER ||
      n->kind != WW_NODE_VARIABLE || (array && !items))
    return false;
  s->sums[s->n] = variable;
  s->items[s->n++] = items;
  return true;
}

/* Loops only add to variables from outside, and do not look at them. */
static bool only_adds(split *s, uint32_t loop) {
  const ww_rewriting *x = s->x;
  uint32_t body = ww_node_child(x, loop, 2);
  for (uint32_t i = body; i < x->v[body].last; i++) {
    const ww_node *n = &x->v[i];
    uint32_t to = ww_node_target(x, i);
    if (n->kind == WW_NODE_RETURN || n->kind == WW_NODE_BREAK ||
        ww_starts(ww_node_callee(x, i), "atomic"))
      return false;
    uint32_t d = to == WW_NONODE ? WW_NONODE : root_of(x, to);
    if (to == WW_NONODE || (d != WW_NONODE && ww_node_inside(x, d, body) &&
                            x->v[d].type != WW_TYPE_POINTER))
      continue;
    if (d == WW_NONODE || n->kind != WW_NODE_ASSIGN || strcmp(n->name, "+=") ||
        !ww_node_inside(x, d, x->body) || !add_sum(s, d))
      return false;
  }
  return true;
}

/* The sums stand on the left of += alone. */
static bool looks_at_sums(const split *s, uint32_t loop) {
  const ww_rewriting *x = s->x;
  for (uint32_t i = loop; i < x->v[loop].last; i++)
    for (uint32_t k = 0; k < s->n; k++) {
      if (!is_reference(x, i, x->v[s->sums[k]].decl))
        continue;
      int32_t p = i;
      while (p > (int32_t)loop && ww_node_target(x, p) == WW_NONODE)
        p = x->v[p].parent;
      if (!ww_node_inside(x, i, ww_node_child(x, p, 0)))
        return true;
    }
  return false;
}

/* Before the loops nothing is written that others see; behind them the counter is not
 * used. */
static bool is_quiet(const split *s) {
  const ww_rewriting *x = s->x;
  for (uint32_t i = x->body; i < s->first; i++) {
    uint32_t to = ww_node_target(x, i);
    if ((to != WW_NONODE && x->v[to].kind != WW_NODE_REFERENCE) ||
        ww_starts(ww_node_callee(x, i), "atomic"))
      return false;
  }
  for (uint32_t i = x->v[s->last].last; i < x->v[x->body].last; i++)
    if (is_reference(x, i, x->v[s->counter].decl))
      return false;
  return true;
}

/* ---- the edits ---- */

static const char *meet(const split *s, uint32_t rows, uint32_t columns) {
  ww_rewriting *x = s->x;
  const char *gap = ww_fmt(x->a, "\n%s", ww_text_indent(x, x->v[s->last].begin));
  const char *part = ww_text_fresh(x, "part");
  const char *row = ww_text_fresh(x, "row");
  ww_buf put = {0};
  ww_buf add = {0};
  ww_buf b = {0};
  for (uint32_t k = 0; k < s->n; k++) {
    const ww_node *n = &x->v[s->sums[k]];
    uint32_t items = s->items[k] ? s->items[k] : 1;
    ww_buf_fmt(&b, "%s__shared__ %s %s_%s[%u][%u][%u];", gap, n->spelled, part, n->name,
               rows, items, columns);
    for (uint32_t j = 0; j < items; j++) {
      const char *sum = s->items[k] ? ww_fmt(x->a, "%s[%u]", n->name, j) : n->name;
      ww_buf_fmt(&put, "%s%s_%s[threadIdx.y][%u][threadIdx.x] = %s;", gap, part,
                 n->name, j, sum);
      ww_buf_fmt(&add, "%s\v%s += %s_%s[%s][%u][threadIdx.x];", gap, sum, part, n->name,
                 row, j);
    }
  }
  ww_buf_fmt(&b, "%s%s__syncthreads();%sif (threadIdx.y > 0) return;",
             ww_buf_text(&put, x->a), gap, gap);
  ww_buf_fmt(&b, "%sfor (int %s = 1; %s < %u; %s++) {%s%s}", gap, row, row, rows, row,
             ww_buf_text(&add, x->a), gap);
  return ww_buf_text(&b, x->a);
}

/* Where a row's stretch begins; of the next row: where it ends. */
static const char *stretch(const split *s, uint32_t rows, const char *row) {
  ww_rewriting *x = s->x;
  const char *end = x->v[s->bound].name;
  const char *from = ww_node_text(x, s->start);
  if (ww_node_reads(x, s->start, "0"))
    return ww_fmt(x->a, "(int)((long long)%s * %s / %u)", end, row, rows);
  return ww_fmt(x->a, "(%s) + (int)((long long)(%s - (%s)) * %s / %u)", from, end, from,
                row, rows);
}

static const char *zeros(const split *s, const char *gap) {
  ww_rewriting *x = s->x;
  const char *out = "";
  for (uint32_t k = 0; k < s->n; k++)
    for (uint32_t j = 0; j < (s->items[k] ? s->items[k] : 1); j++)
      out = ww_fmt(x->a, s->items[k] ? "%s%s\v%s[%u] = 0;" : "%s%s\v%s = 0;", out, gap,
                   x->v[s->sums[k]].name, j);
  return ww_fmt(x->a, "if (threadIdx.y > 0) {%s%s}%s", out, gap, gap);
}

static void
offer_split(const split *s, uint32_t size, uint32_t columns, uint32_t rows) {
  ww_rewriting *x = s->x;
  ww_edit_list e = {0};
  uint32_t was = x->in->launch->block[0];
  const char *gap = ww_fmt(x->a, "\n%s", ww_text_indent(x, x->v[s->first].begin));
  const char *end = ww_text_fresh(x, ww_fmt(x->a, "%s_end", x->v[s->counter].name));
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < s->n; k++)
    bytes += (uint64_t)x->v[s->sums[k]].bytes * (s->items[k] ? s->items[k] : 1) * rows *
             columns;
  if (bytes > MOST_SHARED || columns > was)
    return;
  if (size != WW_NONODE && columns != was)
    ww_edit_put(x, &e, x->v[size].begin, x->v[size].end, ww_fmt(x->a, "%u", columns));
  ww_edit_put(x, &e, x->v[s->start].begin, x->v[s->start].end,
              stretch(s, rows, "threadIdx.y"));
  ww_edit_put(x, &e, x->v[s->first].begin, x->v[s->first].begin,
              ww_fmt(x->a, "const int %s = %s;%s%s", end,
                     stretch(s, rows, "(threadIdx.y + 1)"), gap, zeros(s, gap)));
  for (uint32_t i = s->first; i < x->v[s->last].last; i = x->v[i].last) {
    uint32_t bound = bound_of(x, ww_node_child(x, i, 0), x->v[s->counter].decl);
    ww_edit_put(x, &e, x->v[bound].begin, x->v[bound].end, end);
  }
  uint32_t behind = ww_node_end(x, s->last);
  ww_edit_put(x, &e, behind, behind, meet(s, rows, columns));
  ww_rewrite_offer(
      x, &e,
      &(ww_rewritten){
          .title = ww_fmt(x->a,
                          "loops that add up split among %u threads, blocks "
                          "of %u x %u",
                          rows, columns, rows),
          .shape = {.block = {columns, rows, 0}, .was = {was}, .now = {columns}}});
}

/* The loops and their counter's declaration, all of the body itself. */
static bool find_split(split *s) {
  ww_rewriting *x = s->x;
  for (uint32_t i = ww_node_child(x, x->body, 0); i < x->v[x->body].last;
       i = x->v[i].last) {
    uint32_t n = ww_node_children(x, i);
    uint32_t variable = n ? ww_node_child(x, i, n - 1) : WW_NONODE;
    uint32_t next = x->v[i].last;
    if (x->v[i].kind != WW_NODE_DECLARATIONS || next >= x->v[x->body].last ||
        x->v[variable].type != WW_TYPE_INT || x->v[i].macro ||
        x->v[variable].last == variable + 1)
      continue;
    *s = (split){.x = x, .counter = variable, .bound = WW_NONODE, .first = next};
    s->start = ww_node_child(x, variable, ww_node_children(x, variable) - 1);
    for (; next < x->v[x->body].last && is_part(s, next) && only_adds(s, next);
         next = x->v[next].last)
      s->last = next;
    if (s->last && s->n && is_quiet(s))
      return true;
  }
  return false;
}

void ww_rewrite_split(ww_rewriting *x) {
  static const uint32_t shapes[][2] = {{128, 4}, {128, 8}, {64, 8},
                                       {64, 16}, {32, 16}, {32, 32}};
  const ww_launch *l = x->in->launch;
  uint32_t size;
  split s = {.x = x};
  if (x->in->dialect == WW_OPENCL || !ww_index_independent(x) || l->block[1] > 1 ||
      l->block[2] > 1 || ww_index_global(x, 0, &size) == WW_NONODE || !find_split(&s))
    return;
  for (uint32_t i = s.first; i < x->v[s.last].last; i = x->v[i].last)
    if (looks_at_sums(&s, ww_node_child(x, i, 2)))
      return;
  for (uint32_t k = 0; k < WW_COUNT(shapes); k++)
    offer_split(&s, size, shapes[k][0], shapes[k][1]);
}
