/* rewrite_row.c - a team of threads an element: lanes of a warp, or a whole block, take
 * turns in the loops of what was one thread, so that they read neighbouring addresses
 * where one thread walked along a row.
 *
 * All threads of a team do the rest of the kernel alike, with the same values: what
 * loops add up is combined for all of them. So a team never splits outside of the loops
 * that it shares, shuffles and barriers are reached by all of it, and its first thread
 * alone writes there. Of loops inside each other the outermost is shared, or the
 * innermost where that alone adds up; they meet behind the outermost either way. */
#include "rewrite_int.h"

#define WARP 32

typedef struct {
  ww_rewriting *x;
  uint32_t lanes, block; /* threads of a team, of a block */
  bool innermost;        /* of nested loops: the last one is shared, not the first */
  const char *lane;      /* names */
  uint32_t loops;        /* that are shared */
  uint32_t inner;        /* of them: of nested ones the last */
  WW_VEC(ww_counted_loop) shared;
  WW_VEC(uint32_t) once;     /* statements of the first thread alone */
  WW_VEC(uint32_t) elements; /* that loops add to: nodes */
  ww_edit_list edits;
  ww_buf local; /* OpenCL: declarations of local memory, which open the body */
} team;

/* ---- texts ---- */

/* Its name in a thread: elements get variables of their own. */
static const char *name_of(const team *t, const ww_reduction *r) {
  const ww_node *n = &t->x->v[r->variable];
  if (!r->element)
    return n->name;
  uint32_t array = ww_node_bare(t->x, ww_node_child(t->x, r->variable, 0));
  return ww_text_fresh(t->x, ww_fmt(t->x->a, "%s_sum%s", t->x->v[array].name,
                                    t->loops ? ww_fmt(t->x->a, "%u", t->loops) : ""));
}

/* Lanes of a warp meet by shuffles; every one has the result. */
static void
meet_in_warp(const team *t, const ww_loop_work *w, const char *gap, ww_buf *b) {
  ww_rewriting *x = t->x;
  const char *d = ww_text_fresh(x, "d");
  uint32_t width = t->lanes < WARP ? t->lanes : WARP;
  ww_buf_fmt(b, "%sfor (int %s = %u; %s > 0; %s >>= 1) {", gap, d, width / 2, d, d);
  for (uint32_t k = 0; k < w->n; k++) {
    const ww_node *v = &x->v[w->of[k].variable];
    const char *name = name_of(t, &w->of[k]);
    const char *other = ww_fmt(x->a, "%s_other", name);
    ww_buf_fmt(b, "%s\v%s %s = __shfl_xor_sync(0xffffffffu, %s, %s);", gap, v->spelled,
               other, name, d);
    ww_buf_fmt(b, "%s\v%s", gap, ww_reduction_combined(x->a, w->of[k].op, name, other));
  }
  ww_buf_fmt(b, "%s}", gap);
}

/* Warps of a block meet in shared memory. */
static void
meet_in_block(const team *t, const ww_loop_work *w, const char *gap, ww_buf *b) {
  ww_rewriting *x = t->x;
  uint32_t warps = t->lanes / WARP;
  ww_buf_fmt(b, "%s{", gap);
  for (uint32_t k = 0; k < w->n; k++) {
    const char *name = name_of(t, &w->of[k]);
    ww_buf_fmt(b, "%s\v__shared__ %s %s_part[%u];", gap,
               x->v[w->of[k].variable].spelled, name, warps);
    ww_buf_fmt(b, "%s\vif (%s %% 32 == 0) %s_part[%s / 32] = %s;", gap, t->lane, name,
               t->lane, name);
  }
  ww_buf_fmt(b, "%s\v__syncthreads();", gap);
  for (uint32_t k = 0; k < w->n; k++) {
    const char *name = name_of(t, &w->of[k]);
    const char *warp = ww_text_fresh(x, "warp");
    const char *part = ww_fmt(x->a, "%s_part[%s]", name, warp);
    ww_buf_fmt(b, "%s\v%s = %s_part[0];", gap, name, name);
    ww_buf_fmt(b, "%s\vfor (int %s = 1; %s < %u; %s++) %s", gap, warp, warp, warps,
               warp, ww_reduction_combined(x->a, w->of[k].op, name, part));
  }
  ww_buf_fmt(b, "%s\v__syncthreads();%s}", gap, gap);
}

/* A group meets in local memory: nobody promises how wide a subgroup is. */
static void meet_in_group(team *t, const ww_loop_work *w, const char *gap, ww_buf *b) {
  ww_rewriting *x = t->x;
  const char *d = ww_text_fresh(x, "d");
  const char *barrier = ww_text_barrier(x);
  ww_buf half = {0};
  ww_buf back = {0};
  for (uint32_t k = 0; k < w->n; k++) {
    const char *name = name_of(t, &w->of[k]);
    const char *part = ww_text_fresh(
        x, ww_fmt(x->a, t->loops ? "%s_part%u" : "%s_part", name, t->loops + 1));
    const char *own = ww_fmt(x->a, "%s[%s]", part, t->lane);
    const char *other = ww_fmt(x->a, "%s[%s + %s]", part, t->lane, d);
    ww_buf_fmt(&t->local, "__local %s %s[%u];\n", x->v[w->of[k].variable].spelled, part,
               t->lanes);
    ww_buf_fmt(b, "%s%s = %s;", gap, own, name);
    ww_buf_fmt(&half, "%s\v\v%s", gap,
               ww_reduction_combined(x->a, w->of[k].op, own, other));
    ww_buf_fmt(&back, "%s%s = %s[0];", gap, name, part);
  }
  ww_buf_fmt(b, "%s%s;%sfor (int %s = %u; %s > 0; %s >>= 1) {", gap, barrier, gap, d,
             t->lanes / 2, d, d);
  ww_buf_fmt(b, "%s\vif (%s < %s) {%s%s\v}%s\v%s;%s}", gap, t->lane, d,
             ww_buf_text(&half, x->a), gap, gap, barrier, gap);
  ww_buf_fmt(b, "%s%s%s;", ww_buf_text(&back, x->a), gap, barrier);
}

static const char *meet(team *t, const ww_loop_work *w, const char *gap) {
  ww_buf b = {0};
  bool group = t->x->in->dialect == WW_OPENCL;
  if (w->n && group)
    meet_in_group(t, w, gap, &b);
  else if (w->n)
    meet_in_warp(t, w, gap, &b);
  if (w->n && t->lanes > WARP && !group)
    meet_in_block(t, w, gap, &b);
  return ww_buf_text(&b, t->x->a);
}

/* Before the loop all but the first thread forget what it starts from. */
static const char *forget(const team *t, const ww_loop_work *w, const char *gap) {
  ww_rewriting *x = t->x;
  const char *zeros = "";
  const char *text = "";
  for (uint32_t k = 0; k < w->n; k++) {
    const ww_node *n = &x->v[w->of[k].variable];
    const char *name = name_of(t, &w->of[k]);
    const char *zero = ww_reduction_neutral(w->of[k].op);
    if (w->of[k].element)
      text = ww_fmt(x->a, "%s%s %s = %s == 0 ? %s : (%s)%s;%s", text, n->spelled, name,
                    t->lane, ww_node_text(x, w->of[k].variable), n->spelled, zero, gap);
    else if (zero)
      zeros = ww_fmt(x->a, "%s%s%s = %s", zeros, *zeros ? ", " : "", name, zero);
  }
  return *zeros ? ww_fmt(x->a, "%sif (%s > 0) %s;%s", text, t->lane, zeros, gap) : text;
}

/* Elements have variables in the loop, and get their values behind it. */
static const char *put_elements(team *t,
                                const ww_counted_loop *c,
                                const ww_loop_work *w,
                                const char *gap) {
  ww_rewriting *x = t->x;
  const char *text = "";
  for (uint32_t k = 0; k < w->n; k++) {
    uint32_t element = w->of[k].variable;
    if (!w->of[k].element)
      continue;
    for (uint32_t i = c->body; i < x->v[c->body].last; i++)
      if (x->v[i].kind == WW_NODE_SUBSCRIPT && ww_node_alike(x, i, element))
        ww_edit_put(x, &t->edits, x->v[i].begin, x->v[i].end, name_of(t, &w->of[k]));
    text = ww_fmt(x->a, "%s%sif (%s == 0) %s = %s;", text, gap, t->lane,
                  ww_node_text(x, element), name_of(t, &w->of[k]));
    ww_push(x->a, &t->elements, element);
  }
  return text;
}

/* ---- the kernel ---- */

/* The only loop inside another that holds no further one, if all that the outer one
 * adds up is added there. */
static bool read_innermost(const ww_rewriting *x,
                           const ww_counted_loop *outer,
                           const ww_loop_work *w,
                           ww_counted_loop *in) {
  ww_loop_work own;
  uint32_t loop = WW_NONODE;
  for (uint32_t i = outer->body; i < x->v[outer->body].last; i++) {
    uint8_t kind = x->v[i].kind;
    if (kind == WW_NODE_WHILE || kind == WW_NODE_DO ||
        (kind == WW_NODE_FOR && loop != WW_NONODE && !ww_node_inside(x, i, loop)))
      return false;
    if (kind == WW_NODE_FOR)
      loop = i;
  }
  if (loop == WW_NONODE || x->v[loop].macro || w->stores || w->atomics ||
      !ww_loop_read(x, loop, in) || !ww_loop_work_of(x, in, &own) || own.n != w->n)
    return false;
  for (uint32_t k = 0; k < own.n; k++)
    if (own.of[k].variable != w->of[k].variable || own.of[k].uses != w->of[k].uses)
      return false;
  return true;
}

/* Lanes take turns in the rounds of `turns`, and meet behind `c`: the same loop, or one
 * around it. */
static void share_loop(team *t,
                       const ww_counted_loop *c,
                       const ww_loop_work *w,
                       const ww_counted_loop *turns) {
  ww_rewriting *x = t->x;
  uint32_t begin = x->v[c->loop].begin;
  uint32_t end = ww_node_end(x, c->loop);
  bool alone = !ww_node_in_block(x, c->loop);
  const char *gap = ww_fmt(x->a, "\n%s", ww_text_indent(x, begin));
  const char *start = ww_node_text(x, turns->start);
  const char *turn =
      turns->by ? ww_fmt(x->a, "%s * (%s)", t->lane, turns->by) : t->lane;
  const char *before =
      ww_fmt(x->a, "%s%s", alone ? ww_fmt(x->a, "{%s", gap) : "", forget(t, w, gap));
  const char *behind =
      ww_fmt(x->a, "%s%s%s", meet(t, w, gap), put_elements(t, c, w, gap),
             alone ? ww_fmt(x->a, "%s}", gap) : "");
  if (*before)
    ww_edit_put(x, &t->edits, begin, begin, before);
  ww_edit_put(x, &t->edits, x->v[turns->start].begin, x->v[turns->start].end,
              !strcmp(start, "0") ? turn : ww_fmt(x->a, "(%s) + %s", start, turn));
  const char *step = turns->by ? ww_fmt(x->a, "(%s) * %u", turns->by, t->lanes)
                               : ww_fmt(x->a, "%u", t->lanes);
  ww_edit_put(x, &t->edits, x->v[turns->step].begin, x->v[turns->step].end,
              ww_fmt(x->a, "%s += %s", x->v[turns->counter].name, step));
  if (*behind)
    ww_edit_put(x, &t->edits, end, end, behind);
  ww_push(x->a, &t->shared, *c);
  t->loops++;
}

/* The first thread alone writes; what else the statement does all of them need. */
static bool write_once(team *t, uint32_t node) {
  ww_rewriting *x = t->x;
  if (x->v[node].macro || x->v[node].kind == WW_NODE_DECLARATIONS ||
      x->v[node].kind == WW_NODE_RETURN)
    return false;
  for (uint32_t i = node; i < x->v[node].last; i++) {
    uint32_t to = ww_node_target(x, i);
    if (to != WW_NONODE && ww_node_variable(x, to) != WW_NONODE)
      return false;
  }
  uint32_t begin = x->v[node].begin;
  ww_edit_put(x, &t->edits, begin, begin, ww_fmt(x->a, "if (%s == 0) ", t->lane));
  ww_push(x->a, &t->once, node);
  return true;
}

static bool walk(team *t, uint32_t node) {
  ww_rewriting *x = t->x;
  const ww_node *n = &x->v[node];
  ww_counted_loop c;
  ww_counted_loop in;
  ww_loop_work w;
  if (n->kind == WW_NODE_FOR && !n->macro && ww_loop_read(x, node, &c) &&
      ww_loop_work_of(x, &c, &w)) {
    bool innermost = t->innermost && read_innermost(x, &c, &w, &in);
    share_loop(t, &c, &w, innermost ? &in : &c);
    t->inner += innermost;
    return true;
  }
  if (!ww_node_stores(x, node) && n->kind != WW_NODE_COMPOUND &&
      n->kind != WW_NODE_IF && n->kind != WW_NODE_FOR && n->kind != WW_NODE_WHILE)
    return true;
  if (n->kind == WW_NODE_DO || n->kind == WW_NODE_SWITCH || n->kind == WW_NODE_CASE)
    return false;
  if (n->kind != WW_NODE_COMPOUND && n->kind != WW_NODE_IF && n->kind != WW_NODE_FOR &&
      n->kind != WW_NODE_WHILE)
    return write_once(t, node);
  uint32_t count = ww_node_children(x, node);
  uint32_t bodies = n->kind == WW_NODE_COMPOUND           ? count
                    : n->kind == WW_NODE_IF && count == 3 ? 2
                                                          : 1;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t part = ww_node_child(x, node, k);
    if (k + bodies < count ? ww_node_stores(x, part) : !walk(t, part))
      return false;
  }
  return true;
}

/* ---- who reads what others of the team write ---- */

static const ww_counted_loop *shared_around(const team *t, uint32_t node) {
  for (uint32_t k = 0; k < t->shared.n; k++)
    if (ww_node_inside(t->x, node, t->shared.v[k].loop))
      return &t->shared.v[k];
  return NULL;
}

/* By the first thread alone: its statements, and elements that have variables. */
static bool is_of_first(const team *t, uint32_t node) {
  const ww_rewriting *x = t->x;
  for (uint32_t k = 0; k < t->once.n; k++)
    if (ww_node_inside(x, node, t->once.v[k]))
      return true;
  uint32_t use = ww_node_above(x, node, WW_NODE_SUBSCRIPT);
  for (uint32_t k = 0; k < t->elements.n && use != WW_NONODE; k++)
    if (ww_node_alike(x, use, t->elements.v[k]) && shared_around(t, node))
      return true;
  return false;
}

/* A use of an array beside a store to it: by the thread that stores, of what it stores.
 */
static bool is_own_use(const team *t, uint32_t use, uint32_t to, uint32_t array) {
  const ww_rewriting *x = t->x;
  const ww_counted_loop *store = shared_around(t, to);
  const ww_counted_loop *loop = shared_around(t, use);
  if (is_of_first(t, array) || !store)
    return is_of_first(t, use);
  uint32_t element = ww_node_above(x, use, WW_NODE_SUBSCRIPT);
  return loop && element != WW_NONODE && ww_node_alike(x, element, to) &&
         ww_node_alike(x, loop->start, store->start);
}

static bool is_race_free(const team *t) {
  const ww_rewriting *x = t->x;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    uint32_t to = ww_node_target(x, i);
    if (to == WW_NONODE || ww_node_variable(x, to) != WW_NONODE)
      continue;
    uint32_t array = to;
    while (array < x->v[to].last && (x->v[array].kind != WW_NODE_REFERENCE ||
                                     x->v[array].type != WW_TYPE_POINTER))
      array++;
    for (uint32_t use = x->body; array < x->v[to].last && use < x->v[x->body].last;
         use++)
      if (x->v[use].kind == WW_NODE_REFERENCE && x->v[use].decl == x->v[array].decl &&
          !ww_node_inside(x, use, to) && !is_own_use(t, use, to, array))
        return false;
  }
  return true;
}

/* A function of this text that gets memory to write in. */
static bool hands_on_memory(const ww_rewriting *x) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++)
    for (uint32_t c = i + 1;
         x->v[i].kind == WW_NODE_CALL && x->v[i].decl != UINT32_MAX && c < x->v[i].last;
         c = x->v[c].last)
      if (x->v[c].type == WW_TYPE_POINTER && !x->v[c].is_const && c != i + 1)
        return true;
  return false;
}

/* `blockIdx.x * 128 + threadIdx.x` of a thread becomes the team's number. */
static void put_index(team *t, uint32_t index, uint32_t size) {
  ww_rewriting *x = t->x;
  const char *text = ww_node_text(x, index);
  const char *own = ww_fmt(x->a, "threadIdx.x %% %u", t->lanes);
  if (t->lanes == t->block) {
    own = ww_text_index(x, WW_INDEX_THREAD, 0);
    text = ww_text_index(x, WW_INDEX_BLOCK, 0);
  } else {
    if (size != WW_NONODE && x->in->launch->block[0] != t->block)
      text = ww_fmt(x->a, "blockIdx.x * %u + threadIdx.x", t->block);
    text = ww_fmt(x->a, "(%s) / %u", text, t->lanes);
  }
  uint32_t first = x->v[ww_node_child(x, x->body, 0)].begin;
  const char *indent = ww_text_indent(x, first);
  const char *local = ww_text_deeper(x, ww_buf_text(&t->local, x->a), indent);
  ww_edit_put(x, &t->edits, first, first,
              ww_fmt(x->a, "%s%sint %s = %s;\n%s", local, *local ? indent : "", t->lane,
                     own, indent));
  ww_edit_put(x, &t->edits, x->v[index].begin, x->v[index].end, text);
}

static void offer_row(ww_rewriting *x, uint32_t lanes, uint32_t block, bool innermost) {
  team t = {
      .x = x,
      .lanes = lanes,
      .block = block,
      .innermost = innermost,
  };
  uint32_t size;
  uint32_t was = x->in->launch->block[0];
  uint32_t index = ww_index_global(x, 0, &size);
  t.lane = ww_text_fresh(x, "lane");
  if (index == WW_NONODE || !walk(&t, x->body) || !t.loops || (innermost && !t.inner) ||
      !is_race_free(&t)) {
    ww_buf_free(&t.local);
    return;
  }
  const char *where = innermost ? ", in the innermost loop" : "";
  put_index(&t, index, size);
  ww_rewrite_offer(
      x, &t.edits,
      &(ww_rewritten){.title = lanes == block
                                   ? ww_fmt(x->a, "a block of %u threads an element%s",
                                            block, where)
                                   : ww_fmt(x->a, "%u lanes an element, blocks of %u%s",
                                            lanes, block, where),
                      .shape = {.block = {block}, .was = {was}, .now = {block / lanes}},
                      .apart = true});
}

void ww_rewrite_row(ww_rewriting *x) {
  static const uint32_t shapes[][2] = {{32, 256}, {32, 128},  {16, 256}, {8, 256},
                                       {4, 256},  {128, 128}, {256, 256}};
  const ww_launch *l = x->in->launch;
  if (x->in->dialect == WW_HIP || l->block[1] > 1 || l->block[2] > 1 ||
      l->grid[1] > 1 || l->grid[2] > 1 || !ww_index_independent(x) ||
      hands_on_memory(x))
    return;
  for (int innermost = 0; innermost < 2; innermost++)
    for (uint32_t k = 0; k < WW_COUNT(shapes); k++)
      if (x->in->dialect == WW_CUDA || shapes[k][0] == shapes[k][1])
        offer_row(x, shapes[k][0], shapes[k][1], innermost);
}
