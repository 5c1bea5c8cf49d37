/* rewrite_team.c - other block sizes for kernels whose threads work together.
 *
 * The size stands in the code as blockDim.x or as a number, beside it a number of
 * warps: all of these change together, and the grid where blocks are numbered by what
 * they cover. Whether the kernel holds at the other size cannot be seen from here:
 * verify says. */
#include "rewrite_int.h"

typedef struct {
  ww_rewriting *x;
  int64_t was, now; /* threads of a block */
  ww_edit_list edits;
} team;

static bool is_index(const ww_rewriting *x, uint32_t node, int kind) {
  uint32_t axis;
  return ww_index_of(x, node, &axis) == kind && axis == 0;
}

static bool has_index(const ww_rewriting *x, uint32_t node, int kind) {
  for (uint32_t i = node; i < x->v[node].last; i++)
    if (is_index(x, i, kind))
      return true;
  return false;
}

static bool is_number(const ww_rewriting *x, uint32_t node, int64_t value) {
  const ww_node *n = &x->v[node];
  return n->kind == WW_NODE_INTEGER && n->constant && n->value == value && !n->macro;
}

/* Is it declared in shared memory? Further names of a declaration have the word as a
 * child alone. */
static bool is_shared(const ww_rewriting *x, uint32_t variable) {
  if (x->v[variable].kind != WW_NODE_VARIABLE)
    return false;
  for (uint32_t c = variable + 1; c < x->v[variable].last; c = x->v[c].last)
    if (ww_node_reads(x, c, "__shared__"))
      return true;
  return false;
}

static uint32_t above_casts(const ww_rewriting *x, uint32_t node) {
  int32_t p = x->v[node].parent;
  while (p > (int32_t)x->body &&
         (x->v[p].kind == WW_NODE_UNEXPOSED || x->v[p].kind == WW_NODE_PARENTHESES))
    p = x->v[p].parent;
  return p;
}

/* A product with the block's number: what the block covers. */
static bool numbers_blocks(const ww_rewriting *x, uint32_t node) {
  uint32_t p = above_casts(x, node);
  return x->v[p].kind == WW_NODE_BINARY && !strcmp(x->v[p].name, "*") &&
         has_index(x, p, WW_INDEX_BLOCK);
}

/* A number of warps: of a shared array, of a loop over them, of rows that a block has.
 */
static bool counts_warps(const ww_rewriting *x, uint32_t node) {
  if (numbers_blocks(x, node) || is_shared(x, above_casts(x, node)))
    return true;
  uint32_t p = above_casts(x, node);
  uint32_t loop = x->v[p].parent;
  return x->v[p].kind == WW_NODE_BINARY && !strcmp(x->v[p].name, "<") &&
         x->v[loop].kind == WW_NODE_FOR;
}

/* `256 + 16` of a shared array: is that the value? */
static bool is_sum(const ww_rewriting *x, uint32_t node, int64_t value, int64_t block) {
  const ww_node *n = &x->v[node];
  if (n->kind != WW_NODE_BINARY || strcmp(n->name, "+"))
    return false;
  uint32_t left = ww_node_bare(x, ww_node_child(x, node, 0));
  uint32_t right = ww_node_bare(x, ww_node_child(x, node, 1));
  return (is_number(x, left, block) || is_number(x, right, block)) &&
         x->v[left].value + x->v[right].value == value;
}

/* Sizes of shared arrays that are the block's and some more: all numbers of that value
 * change with it. */
static bool is_size_and_more(const ww_rewriting *x, int64_t value, int64_t block) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++)
    for (uint32_t c = i + 1; is_shared(x, i) && c < x->v[i].last; c++)
      if (is_sum(x, c, value, block))
        return true;
  return false;
}

/* Where a loop starts that halves: for (int d = 128; d > 0; d /= 2) */
static bool starts_halving(const ww_rewriting *x, uint32_t node) {
  uint32_t variable = above_casts(x, node);
  uint32_t loop = ww_node_above(x, node, WW_NODE_FOR);
  if (x->v[variable].kind != WW_NODE_VARIABLE || loop == WW_NONODE ||
      ww_node_children(x, loop) != 4 ||
      !ww_node_inside(x, variable, ww_node_child(x, loop, 0)))
    return false;
  const char *step = x->v[ww_node_child(x, loop, 2)].name;
  return step && (!strcmp(step, "/=") || !strcmp(step, ">>="));
}

static void edit_numbers(team *t) {
  ww_rewriting *x = t->x;
  int64_t warps = t->was / 32;
  bool named = has_index(x, x->body, WW_INDEX_BLOCK_SIZE);
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    const ww_node *n = &x->v[i];
    int64_t now = n->value;
    if (n->kind != WW_NODE_INTEGER || !n->constant || n->macro)
      continue;
    if (n->value == t->was && !named)
      now = t->now;
    else if (warps > 1 && n->value == warps && counts_warps(x, i))
      now = t->now / 32;
    else if (n->value == t->was / 2 && !named && starts_halving(x, i))
      now = t->now / 2;
    else if (n->value > t->was && !named && is_size_and_more(x, n->value, t->was))
      now = n->value - t->was + t->now;
    if (now != n->value)
      ww_edit_put(x, &t->edits, n->begin, n->end, ww_fmt(x->a, "%lld", (long long)now));
  }
}

/* Do more threads mean fewer blocks? */
static bool covers(const ww_rewriting *x, int64_t block) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    bool size = is_index(x, i, WW_INDEX_BLOCK_SIZE) || is_number(x, i, block) ||
                (block > 32 && is_number(x, i, block / 32));
    if (size && numbers_blocks(x, i))
      return true;
  }
  return false;
}

static void offer_team(ww_rewriting *x, uint32_t block) {
  team t = {
      .x = x,
      .was = x->in->launch->block[0],
      .now = block,
  };
  ww_rewritten r = {.title =
                        ww_fmt(x->a, "blocks of %u threads that work together", block),
                    .shape = {.block = {block}}};
  edit_numbers(&t);
  if (covers(x, t.was)) {
    r.shape.was[0] = t.was;
    r.shape.now[0] = t.now;
  }
  ww_rewrite_offer(x, &t.edits, &r);
}

static bool is_bounded(const ww_rewriting *x) {
  const ww_node *n = &x->v[x->kernel];
  return strstr(ww_strndup(x->a, x->text + n->begin, x->v[x->body].begin - n->begin),
                "__launch_bounds__");
}

/* Does nothing but the number of threads change where all are free? Then `block` has
 * it. */
static bool is_free(ww_rewriting *x) {
  uint32_t size;
  return ww_index_independent(x) && ww_index_global(x, 0, &size) != WW_NONODE;
}

void ww_rewrite_team(ww_rewriting *x) {
  static const uint32_t sizes[] = {32, 64, 128, 256, 512, 1024};
  const uint64_t *was = x->in->launch->block;
  if (x->in->dialect == WW_OPENCL || was[1] > 1 || was[2] > 1 || was[0] % 32 ||
      is_bounded(x) || is_free(x) || !has_index(x, x->body, WW_INDEX_THREAD))
    return;
  for (uint32_t k = 0; k < WW_COUNT(sizes); k++)
    if (sizes[k] != was[0] && sizes[k] <= 4 * was[0] && was[0] <= 4 * sizes[k])
      offer_team(x, sizes[k]);
}
