/* rewrite_turn.c - a transpose through a tile of shared memory: what is read along rows
 * and written along columns, or the other way round, changes direction there.
 *
 * The body stands twice, in a loop over a tile of 32 x 32: first it stores in the tile,
 * then it stores from the tile with x and y of the block's threads exchanged, so that
 * lanes are neighbours in both. What one of the two does not need the compiler drops.
 * All threads go through both loops, so the barrier between them is met by all. */
#include "rewrite_int.h"

#define TILE 32
#define ROWS 8 /* of threads */

typedef struct {
  ww_rewriting *x;
  uint32_t index[2];      /* nodes: blockIdx * size + threadIdx of x and y */
  uint32_t store;         /* the only assignment to memory */
  uint32_t declaration;   /* the later one of the two indices' variables */
  const char *guard;      /* that the kernel did without; "" */
  const char *tile, *row; /* names */
} turn;

static bool is_loop(uint8_t kind) {
  return kind == WW_NODE_FOR || kind == WW_NODE_WHILE || kind == WW_NODE_DO ||
         kind == WW_NODE_SWITCH || kind == WW_NODE_GOTO || kind == WW_NODE_CONTINUE;
}

/* One plain store, no loops, no atomics. */
static bool find_store(turn *t) {
  ww_rewriting *x = t->x;
  t->store = WW_NONODE;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    uint32_t to = ww_node_target(x, i);
    if (is_loop(x->v[i].kind) || ww_starts(ww_node_callee(x, i), "atomic") ||
        (x->v[i].kind == WW_NODE_RETURN && x->v[i].macro))
      return false;
    if (to == WW_NONODE)
      continue;
    if (t->store != WW_NONODE || x->v[i].kind != WW_NODE_BINARY || x->v[i].macro ||
        x->v[to].kind != WW_NODE_SUBSCRIPT || ww_node_variable(x, to) != WW_NONODE ||
        !x->v[to].bytes || x->v[to].bytes > 16 || x->v[to].is_volatile)
      return false;
    t->store = i;
  }
  return t->store != WW_NONODE;
}

static bool has_guard(const ww_rewriting *x) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++)
    if (x->v[i].kind == WW_NODE_IF)
      return true;
  return false;
}

/* Both indices, and a guard where the kernel has none. */
static bool find_indices(turn *t) {
  ww_rewriting *x = t->x;
  t->guard = "";
  for (uint32_t axis = 0; axis < 2; axis++) {
    uint32_t size;
    t->index[axis] = ww_index_global(x, axis, &size);
    if (t->index[axis] == WW_NONODE)
      return false;
    if (has_guard(x))
      continue;
    uint32_t variable = ww_node_above(x, t->index[axis], WW_NODE_VARIABLE);
    if (variable == WW_NONODE || ww_node_value(x, variable) != t->index[axis])
      return false;
    uint32_t bound = ww_index_bound(x, axis, variable);
    uint32_t declaration = x->v[variable].parent;
    if (bound == WW_NONODE || x->v[declaration].parent != (int32_t)x->body)
      return false;
    t->declaration = declaration > t->declaration ? declaration : t->declaration;
    t->guard = ww_fmt(x->a, "%s%s%s >= %s", t->guard, *t->guard ? " || " : "",
                      x->v[variable].name, x->v[bound].name);
  }
  return true;
}

/* The body for one of the two loops, with x and y of threads exchanged or not. */
static const char *phase(turn *t, bool fills, bool exchanged) {
  ww_rewriting *x = t->x;
  ww_edit_list e = {0};
  uint32_t begin = x->v[x->body].begin + 1;
  uint32_t end = ww_body_close(x);
  const char *near = "threadIdx.x";
  const char *far = ww_fmt(x->a, "threadIdx.y + %s", t->row);
  for (uint32_t axis = 0; axis < 2; axis++)
    ww_edit_put(x, &e, x->v[t->index[axis]].begin, x->v[t->index[axis]].end,
                ww_fmt(x->a, "blockIdx.%c * %u + %s", "xy"[axis], TILE,
                       exchanged == !axis ? far : near));
  const char *place = ww_fmt(x->a, "%s[%s][%s]", t->tile, exchanged ? near : far,
                             exchanged ? far : near);
  uint32_t part = ww_node_child(x, t->store, fills ? 0 : 1);
  ww_edit_put(x, &e, x->v[part].begin, x->v[part].end, place);
  for (uint32_t i = x->body; i < x->v[x->body].last; i++)
    if (x->v[i].kind == WW_NODE_RETURN)
      ww_edit_put(x, &e, x->v[i].begin, x->v[i].end, "continue");
  if (*t->guard) {
    uint32_t at = ww_node_end(x, t->declaration);
    ww_edit_put(x, &e, at, at,
                ww_fmt(x->a, "\n%sif (%s) continue;",
                       ww_text_indent(x, x->v[t->declaration].begin), t->guard));
  }
  const char *text = ww_text_edited(x, begin, end, &e);
  return ww_text_deeper(x, text, "\v");
}

/* turned_first: reads go along columns, writes along rows. */
static void offer_turn(turn *t, bool turned_first) {
  ww_rewriting *x = t->x;
  ww_edit_list e = {0};
  const ww_node *to = &x->v[ww_node_target(x, t->store)];
  const uint64_t *block = x->in->launch->block;
  uint32_t begin = x->v[x->body].begin + 1;
  const char *gap = ww_body_gap(x);
  const char *head = ww_fmt(x->a, "for (int %s = 0; %s < %u; %s += %u) {", t->row,
                            t->row, TILE, t->row, ROWS);
  ww_buf b = {0};
  ww_buf_fmt(&b, "%s__shared__ %s %s[%u][%u];%s%s", gap, to->spelled, t->tile, TILE,
             TILE + 1, gap, head);
  ww_buf_puts(&b, phase(t, true, turned_first));
  ww_buf_fmt(&b, "%s}%s__syncthreads();%s%s", gap + 1, gap, gap, head);
  ww_buf_puts(&b, phase(t, false, !turned_first));
  ww_buf_fmt(&b, "%s}\n", gap + 1);
  ww_edit_put(x, &e, begin, ww_body_close(x), ww_buf_text(&b, x->a));
  ww_rewrite_offer(
      x, &e,
      &(ww_rewritten){.title = ww_fmt(x->a, "a tile of %u x %u, %s along rows", TILE,
                                      TILE, turned_first ? "written" : "read"),
                      .shape = {.block = {TILE, ROWS},
                                .was = {block[0], block[1]},
                                .now = {TILE, TILE}},
                      .apart = true});
}

void ww_rewrite_turn(ww_rewriting *x) {
  turn t = {.x = x};
  const ww_launch *l = x->in->launch;
  if (x->in->dialect != WW_CUDA || l->block[2] > 1 || !ww_index_independent(x) ||
      !find_store(&t) || !find_indices(&t))
    return;
  uint32_t close = ww_body_close(x); /* braces on lines of their own */
  if (!close || x->text[close - 1] != '\n')
    return;
  t.tile = ww_text_fresh(x, "tile");
  t.row = ww_text_fresh(x, "step");
  offer_turn(&t, false);
  offer_turn(&t, true);
}
