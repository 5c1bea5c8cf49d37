/* rewrite_tile.c - what the threads of a block load alike in a counted loop is loaded
 * once, a chunk of rounds at a time, into shared memory.
 *
 * Barriers are reached by all threads: the loop has the same rounds for a whole block
 * and stands in nothing that threads decide apart. A guard (if (i >= n) return) becomes
 * a name: threads beyond it work on the last element, and do not store. Each thread
 * stages what it would have loaded itself, but for other rounds: nothing but the
 * counter changes in an index.
 *
 * A chunk may be copied asynchronously (cp.async) while the one before is worked on:
 * then there are two tiles, used by turns. */
#include "rewrite_int.h"

#define MOST_LOADS 128
#define MOST_TERMS 6
#define MOST_SHARED 49152 /* bytes of a block */
#define X 1u
#define Y 2u
#define UNKNOWN 8u

typedef struct {
  uint32_t node; /* the subscript */
  uint32_t axes; /* 0: the same for the block; X or Y: along that axis of its threads */
  const char *name;
} load;

/* `variable < bound`, of a guard. */
typedef struct {
  uint32_t variable, bound; /* nodes; variable WW_NONODE: `bound` is the whole term */
  bool leaves;              /* of the whole term: who it holds for leaves */
} term;

typedef struct {
  ww_rewriting *x;
  ww_counted_loop c;
  uint32_t chunk;    /* rounds */
  uint32_t block[2]; /* threads */
  load loads[MOST_LOADS];
  uint32_t n;
  term terms[MOST_TERMS];
  uint32_t nterms;
  uint32_t guards[MOST_TERMS]; /* statements */
  uint32_t nguards;
  /* names: a chunk's first round, a round of it, how many it has; is a thread inside */
  const char *first, *at, *rounds, *inside;
  bool ahead;       /* the next chunk is on its way */
  const char *turn; /* then: a name, of the tile that is worked on */
  /* where a load or a use stands: the first round of its chunk, which of two tiles */
  const char *from, *half;
  ww_edit_list edits;
} tiling;

/* ---- what threads have in common ---- */

/* The axes of a block along which a value differs. */
static uint32_t axes_of(const ww_rewriting *x, uint32_t node, int depth) {
  uint32_t out = 0;
  for (uint32_t i = node; i < x->v[node].last; i++) {
    uint32_t axis;
    int k = ww_index_of(x, i, &axis);
    const ww_node *n = &x->v[i];
    if (k == WW_INDEX_THREAD || k == WW_INDEX_GLOBAL)
      out |= axis < 2 ? 1u << axis : UNKNOWN;
    if (n->kind == WW_NODE_SUBSCRIPT || (n->kind == WW_NODE_CALL && k < 0) ||
        ww_node_target(x, i) != WW_NONODE)
      return UNKNOWN;
    uint32_t d = n->kind == WW_NODE_REFERENCE ? ww_node_of_decl(x, n->decl) : WW_NONODE;
    if (d == WW_NONODE ||
        (x->v[d].kind == WW_NODE_PARAMETER && !ww_node_changed(x, n->decl, x->body)))
      continue;
    if (depth > 4 || ww_node_changed(x, n->decl, x->body))
      return UNKNOWN;
    out |= axes_of(x, d, depth + 1);
  }
  return out;
}

/* ---- loads ---- */

/* The index: of the counter, and of names that the loop leaves alone. */
static bool is_staged_index(const tiling *t, uint32_t node) {
  const ww_rewriting *x = t->x;
  uint32_t counter = x->v[t->c.counter].decl;
  bool counts = false;
  for (uint32_t i = node; i < x->v[node].last; i++) {
    const ww_node *n = &x->v[i];
    if (n->kind != WW_NODE_REFERENCE)
      continue;
    uint32_t d = ww_node_of_decl(x, n->decl);
    if (n->decl == counter)
      counts = true;
    else if (d != WW_NONODE && (ww_node_inside(x, d, t->c.loop) ||
                                ww_node_changed(x, n->decl, t->c.loop)))
      return false;
  }
  return counts;
}

/* The index but for the counter: axes, UNKNOWN. */
static uint32_t index_axes(const tiling *t, uint32_t node) {
  const ww_rewriting *x = t->x;
  uint32_t out = 0;
  for (uint32_t i = node; i < x->v[node].last; i++) {
    uint32_t axis;
    int k = ww_index_of(x, i, &axis);
    const ww_node *n = &x->v[i];
    if (k == WW_INDEX_THREAD || k == WW_INDEX_GLOBAL)
      out |= axis < 2 ? 1u << axis : UNKNOWN;
    if (n->kind == WW_NODE_SUBSCRIPT || (n->kind == WW_NODE_CALL && k < 0))
      return UNKNOWN;
    if (n->kind == WW_NODE_REFERENCE && n->decl != x->v[t->c.counter].decl)
      out |= axes_of(x, i, 0);
  }
  return out;
}

/* Is it written anywhere: then a block's threads may not see the same. */
static bool is_written(const ww_rewriting *x, uint32_t decl) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    uint32_t to = ww_node_target(x, i);
    if ((to != WW_NONODE && ww_node_uses(x, to, decl)) ||
        (ww_starts(ww_node_callee(x, i), "atomic") && ww_node_uses(x, i, decl)))
      return true;
  }
  return false;
}

static bool read_load(const tiling *t, uint32_t node, load *out) {
  const ww_rewriting *x = t->x;
  const ww_node *n = &x->v[node];
  uint32_t array = ww_node_bare(x, ww_node_child(x, node, 0));
  uint32_t index = ww_node_child(x, node, 1);
  int32_t above = n->parent;
  if (n->kind != WW_NODE_SUBSCRIPT || n->macro || n->is_volatile || !n->bytes ||
      n->bytes > 16 || x->v[array].kind != WW_NODE_REFERENCE ||
      (above >= 0 && x->v[above].kind == WW_NODE_UNARY &&
       !strcmp(x->v[above].name, "&")))
    return false;
  uint32_t d = ww_node_of_decl(x, x->v[array].decl);
  if (d == WW_NONODE || x->v[d].type != WW_TYPE_POINTER ||
      ww_node_inside(x, d, t->c.loop) || !is_staged_index(t, index) ||
      is_written(x, x->v[array].decl))
    return false;
  *out = (load){node, index_axes(t, index) | axes_of(x, array, 0), NULL};
  return out->axes == 0 || (out->axes == X && t->block[1] > 1) ||
         (out->axes == Y && t->block[0] > 1);
}

static bool is_first_of(const tiling *t, uint32_t k) {
  for (uint32_t j = 0; j < k; j++)
    if (!strcmp(t->loads[j].name, t->loads[k].name))
      return false;
  return true;
}

static bool find_loads(tiling *t) {
  ww_rewriting *x = t->x;
  for (uint32_t i = t->c.body; i < x->v[t->c.body].last; i++) {
    load l;
    if (!read_load(t, i, &l))
      continue;
    for (uint32_t k = 0; k < t->n && !l.name; k++)
      if (ww_node_alike(x, t->loads[k].node, i))
        l.name = t->loads[k].name;
    if (t->n == MOST_LOADS)
      return false;
    if (!l.name) {
      uint32_t array = ww_node_bare(x, ww_node_child(x, i, 0));
      const char *base = ww_fmt(x->a, "%s_tile", x->v[array].name);
      uint32_t same = 0;
      for (uint32_t k = 0; k < t->n; k++)
        same += is_first_of(t, k) && ww_starts(t->loads[k].name, base);
      l.name = ww_text_fresh(x, same ? ww_fmt(x->a, "%s%u", base, same) : base);
    }
    t->loads[t->n++] = l;
  }
  return t->n > 0;
}

/* ---- tiles ---- */

/* Rows of a warp that lie in the same banks get apart by 16 bytes. */
static uint32_t row_of(const tiling *t, const load *l) {
  uint32_t bytes = t->x->v[l->node].bytes;
  bool meets = t->block[0] < 32 && t->chunk * (32 / t->block[0]) * bytes > 128;
  return t->chunk + (meets ? (bytes < 16 ? 16 / bytes : 1) : 0);
}

static uint32_t bytes_of(const tiling *t, const load *l) {
  uint32_t n = l->axes == Y   ? t->block[1] * row_of(t, l)
               : l->axes == X ? t->chunk * t->block[0]
                              : t->chunk;
  return n * t->x->v[l->node].bytes;
}

/* Of an element, without what its array is. */
static const char *type_of(const tiling *t, const load *l) {
  static const char *const words[] = {"const ", "__global ", "__constant ", NULL};
  const char *s = t->x->v[l->node].spelled;
  for (int k = 0; words[k]; k++)
    if (ww_starts(s, words[k])) {
      s += strlen(words[k]);
      k = -1;
    }
  return s;
}

static bool is_opencl(const tiling *t) {
  return t->x->in->dialect == WW_OPENCL;
}

static const char *thread(const tiling *t, uint32_t axis) {
  return ww_text_index(t->x, WW_INDEX_THREAD, axis);
}

static const char *declare(const tiling *t, const load *l, const char *gap) {
  ww_arena *a = t->x->a;
  const char *shape = l->axes == Y   ? ww_fmt(a, "[%u][%u]", t->block[1], row_of(t, l))
                      : l->axes == X ? ww_fmt(a, "[%u][%u]", t->chunk, t->block[0])
                                     : ww_fmt(a, "[%u]", t->chunk);
  return ww_fmt(a, "%s%s %s %s %s%s%s;", gap, ww_text_shared(t->x),
                is_opencl(t) ? "__attribute__((aligned(16)))" : "__align__(16)",
                type_of(t, l), l->name, t->ahead ? "[2]" : "", shape);
}

static const char *declarations(const tiling *t, const char *gap) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < t->n; k++)
    if (is_first_of(t, k))
      ww_buf_puts(&b, declare(t, &t->loads[k], gap));
  return ww_buf_text(&b, t->x->a);
}

static const char *place(const tiling *t, const load *l) {
  ww_arena *a = t->x->a;
  const char *tile = t->ahead ? ww_fmt(a, "%s[%s]", l->name, t->half) : l->name;
  return l->axes == Y   ? ww_fmt(a, "%s[%s][%s]", tile, thread(t, 1), t->at)
         : l->axes == X ? ww_fmt(a, "%s[%s][%s]", tile, t->at, thread(t, 0))
                        : ww_fmt(a, "%s[%s]", tile, t->at);
}

/* The load with another round for the counter; NULL: a macro stands in the way. */
static const char *load_text(const tiling *t, const load *l) {
  ww_rewriting *x = t->x;
  uint32_t begin = x->v[l->node].begin;
  ww_buf b = {0};
  uint32_t done = begin;
  for (uint32_t i = l->node; i < x->v[l->node].last; i++) {
    const ww_node *n = &x->v[i];
    if (n->kind != WW_NODE_REFERENCE || n->decl != x->v[t->c.counter].decl ||
        n->begin < done)
      continue;
    if (n->macro)
      return NULL;
    ww_buf_add(&b, x->text + done, n->begin - done);
    ww_buf_fmt(&b, "(%s + %s)", t->from, t->at);
    done = n->end;
  }
  ww_buf_add(&b, x->text + done, x->v[l->node].end - done);
  return ww_buf_text(&b, x->a);
}

/* Is a round of this chunk one of the loop's? */
static const char *in_range(const tiling *t) {
  return ww_fmt(t->x->a, "%s + %s %s %s", t->from, t->at, t->c.inclusive ? "<=" : "<",
                ww_node_text(t->x, t->c.end));
}

/* The threads along which a load is staged take turns in the rounds of a chunk. */
static const char *stage(const tiling *t, const load *l, const char *gap) {
  ww_arena *a = t->x->a;
  uint32_t along = l->axes == Y   ? t->block[0]
                   : l->axes == X ? t->block[1]
                                  : t->block[0] * t->block[1];
  const char *own = l->axes == Y ? thread(t, 0)
                    : l->axes == X
                        ? thread(t, 1)
                        : (t->block[1] > 1 ? ww_fmt(a, "%s * %u + %s", thread(t, 1),
                                                    t->block[0], thread(t, 0))
                                           : thread(t, 0));
  const char *text = load_text(t, l);
  if (!text)
    return NULL;
  const char *more = t->chunk % along ? ww_fmt(a, "%s < %u && ", t->at, t->chunk) : "";
  const char *copy = t->ahead ? ww_fmt(a, "__pipeline_memcpy_async(&%s, &%s, %u);",
                                       place(t, l), text, t->x->v[l->node].bytes)
                              : ww_fmt(a, "%s = %s;", place(t, l), text);
  const char *work = ww_fmt(a, "if (%s%s) %s", more, in_range(t), copy);
  if (t->chunk <= along)
    return ww_fmt(a, "%s{%s\vint %s = %s;%s\v%s%s}", gap, gap, t->at, own, gap, work,
                  gap);
  return ww_fmt(a, "%sfor (int %s = %s; %s < %u; %s += %u)%s\v%s", gap, t->at, own,
                t->at, t->chunk, t->at, along, gap, work);
}

/* ---- the loop ---- */

/* Is the counter used by anything that is not staged? */
static bool needs_counter(const tiling *t) {
  const ww_rewriting *x = t->x;
  for (uint32_t i = t->c.body; i < x->v[t->c.body].last; i++) {
    bool staged = false;
    for (uint32_t k = 0; k < t->n && !staged; k++)
      staged = ww_node_inside(x, i, t->loads[k].node);
    if (!staged && x->v[i].kind == WW_NODE_REFERENCE &&
        x->v[i].decl == x->v[t->c.counter].decl)
      return true;
  }
  return false;
}

/* All loads of the chunk that begins at `from`; false: one cannot be. */
static bool
stage_all(tiling *t, const char *from, const char *half, const char *gap, ww_buf *b) {
  t->from = from;
  t->half = half;
  for (uint32_t k = 0; k < t->n; k++) {
    const char *one = is_first_of(t, k) ? stage(t, &t->loads[k], gap) : "";
    if (!one)
      return false;
    ww_buf_puts(b, one);
  }
  if (t->ahead)
    ww_buf_fmt(b, "%s__pipeline_commit();", gap);
  return true;
}

static const char *loop_head(tiling *t, const char *gap) {
  ww_rewriting *x = t->x;
  const char *type = x->v[t->c.counter].spelled;
  bool outside = !ww_node_inside(x, t->c.counter, t->c.loop);
  ww_buf b = {0};
  if (!is_opencl(t)) {
    const char *shared = declarations(t, gap);
    ww_buf_fmt(&b, "%s%s", shared + strlen(gap), gap);
  }
  const char *start = ww_node_text(x, t->c.start);
  const char *in = ww_fmt(x->a, "%s\v", gap);
  bool can = true;
  if (t->ahead) {
    ww_buf_fmt(&b, "int %s = 0;", t->turn);
    can = stage_all(t, strpbrk(start, " ?") ? ww_fmt(x->a, "(%s)", start) : start, "0",
                    gap, &b);
    ww_buf_puts(&b, gap);
  }
  ww_buf_fmt(&b, "for (%s %s = %s; %s %s %s; %s += %u%s) {", type, t->first, start,
             t->first, t->c.inclusive ? "<=" : "<", ww_node_text(x, t->c.end), t->first,
             t->chunk, t->ahead ? ww_fmt(x->a, ", %s ^= 1", t->turn) : "");
  if (!can ||
      !stage_all(t, t->ahead ? ww_fmt(x->a, "%s + %u", t->first, t->chunk) : t->first,
                 ww_fmt(x->a, "%s ^ 1", t->turn ? t->turn : ""), in, &b)) {
    ww_buf_free(&b);
    return NULL;
  }
  if (t->ahead)
    ww_buf_fmt(&b, "%s\v__pipeline_wait_prior(1);", gap);
  t->from = t->first;
  t->half = t->turn;
  const char *left = ww_fmt(x->a, "%s%s - %s", ww_node_text(x, t->c.end),
                            t->c.inclusive ? " + 1" : "", t->first);
  ww_buf_fmt(&b, "%s\v%s;%s\vconst int %s = %s < %u ? %s : %u;", gap,
             ww_text_barrier(x), gap, t->rounds, left, t->chunk, left, t->chunk);
  ww_buf_fmt(&b, "%s\vfor (int %s = 0; %s < %s; %s++) {", gap, t->at, t->at, t->rounds,
             t->at);
  if (needs_counter(t))
    ww_buf_fmt(&b, "%s\v\v%s%s = %s + %s;", gap,
               outside ? "" : ww_fmt(x->a, "%s ", type), x->v[t->c.counter].name,
               t->first, t->at);
  return ww_buf_text(&b, x->a);
}

static bool is_staged(const tiling *t, uint32_t at) {
  for (uint32_t k = 0; k < t->n; k++) {
    const ww_node *n = &t->x->v[t->loads[k].node];
    if (at > n->begin && at < n->end)
      return true;
  }
  return false;
}

/* The body is one loop deeper than it was: its lines move to the right. */
static void indent_body(tiling *t, uint32_t from, uint32_t to) {
  const char *text = t->x->text;
  for (uint32_t at = from + 1; at < to; at++)
    if (text[at - 1] == '\n' && text[at] != '\n' && !is_staged(t, at))
      ww_edit_put(t->x, &t->edits, at, at, "\v");
}

/* The braces of the body are those of the inner loop; one without gets them. */
static bool put_loop(tiling *t) {
  ww_rewriting *x = t->x;
  uint32_t begin = x->v[t->c.loop].begin;
  uint32_t end = ww_node_end(x, t->c.loop);
  uint32_t body = x->v[t->c.body].begin;
  bool alone = !ww_node_in_block(x, t->c.loop);
  bool braces = x->v[t->c.body].kind == WW_NODE_COMPOUND;
  const char *gap = ww_fmt(x->a, "\n%s", ww_text_indent(x, begin));
  const char *head = loop_head(t, gap);
  if (!head)
    return false;
  uint32_t top = x->v[x->body].begin + 1;
  if (is_opencl(t)) /* local memory is declared in the body itself */
    ww_edit_put(x, &t->edits, top, top, declarations(t, ww_body_gap(x)));
  ww_edit_put(x, &t->edits, begin, body + braces,
              ww_fmt(x->a, "%s%s%s%s%s", alone ? "{" : "", alone ? gap : "", head,
                     braces ? "" : gap, braces ? "" : "\v\v"));
  indent_body(t, body + braces, end);
  for (uint32_t k = 0; k < t->n; k++)
    ww_edit_put(x, &t->edits, x->v[t->loads[k].node].begin, x->v[t->loads[k].node].end,
                place(t, &t->loads[k]));
  ww_edit_put(x, &t->edits, end, end,
              ww_fmt(x->a, "%s%s%s\v%s;%s}%s", braces ? "" : gap, braces ? "" : "\v}",
                     gap, ww_text_barrier(x), gap,
                     alone ? ww_fmt(x->a, "%s}", gap) : ""));
  return true;
}

/* ---- guards ---- */

/* Terms of i < n && j < m, or of i >= n || j >= m where it leaves. */
static bool read_terms(tiling *t, uint32_t node, bool leaves) {
  ww_rewriting *x = t->x;
  node = ww_node_bare(x, node);
  const ww_node *n = &x->v[node];
  if (t->nterms == MOST_TERMS || n->macro)
    return false;
  if (n->kind == WW_NODE_BINARY && !strcmp(n->name, leaves ? "||" : "&&"))
    return read_terms(t, ww_node_child(x, node, 0), leaves) &&
           read_terms(t, ww_node_child(x, node, 1), leaves);
  if (axes_of(x, node, 0) == 0) {
    t->terms[t->nterms++] = (term){WW_NONODE, node, leaves};
    return true;
  }
  if (n->kind != WW_NODE_BINARY || strcmp(n->name, leaves ? ">=" : "<"))
    return false;
  uint32_t name = ww_node_bare(x, ww_node_child(x, node, 0));
  uint32_t bound = ww_node_child(x, node, 1);
  uint32_t d = x->v[name].kind == WW_NODE_REFERENCE
                   ? ww_node_of_decl(x, x->v[name].decl)
                   : WW_NONODE;
  if (d == WW_NONODE || x->v[d].kind != WW_NODE_VARIABLE || axes_of(x, bound, 0) != 0 ||
      x->v[d].type != WW_TYPE_INT || !ww_node_children(x, d) || x->v[d].macro ||
      ww_node_changed(x, x->v[d].decl, x->body))
    return false;
  int32_t declaration = x->v[d].parent;
  if (declaration < 0 || x->v[declaration].parent != (int32_t)x->body)
    return false;
  for (uint32_t i = bound; i < x->v[bound].last; i++) { /* it is known that early */
    uint32_t b = x->v[i].kind == WW_NODE_REFERENCE ? ww_node_of_decl(x, x->v[i].decl)
                                                   : WW_NONODE;
    if (b != WW_NONODE && b > (uint32_t)declaration)
      return false;
  }
  t->terms[t->nterms++] = (term){d, bound, leaves};
  return true;
}

static bool is_return(const ww_rewriting *x, uint32_t node) {
  if (x->v[node].kind == WW_NODE_COMPOUND && ww_node_children(x, node) == 1)
    node = ww_node_child(x, node, 0);
  return x->v[node].kind == WW_NODE_RETURN;
}

static bool has_return(const ww_rewriting *x, uint32_t node) {
  for (uint32_t i = node; i < x->v[node].last; i++)
    if (x->v[i].kind == WW_NODE_RETURN)
      return true;
  return false;
}

/* A statement of the body, before the loop or with it inside. */
static bool read_statement(tiling *t, uint32_t node) {
  ww_rewriting *x = t->x;
  bool around = ww_node_inside(x, t->c.loop, node);
  if (!around && !has_return(x, node))
    return true;
  if (x->v[node].kind != WW_NODE_IF)
    return around;
  uint32_t condition = ww_node_child(x, node, 0);
  if (axes_of(x, condition, 0) == 0)
    return true;
  bool last = x->v[node].last == x->v[x->body].last;
  if (ww_node_children(x, node) != 2 || t->nguards == MOST_TERMS || x->v[node].macro ||
      (around ? !last : !is_return(x, ww_node_child(x, node, 1))))
    return false;
  t->guards[t->nguards++] = node;
  return read_terms(t, condition, !around);
}

/* Do all threads of a block come to the loop, as often? */
static bool is_met_by_all(tiling *t) {
  ww_rewriting *x = t->x;
  for (uint32_t i = ww_node_child(x, x->body, 0); i <= t->c.loop; i = x->v[i].last)
    if (!read_statement(t, i))
      return false;
  for (int32_t p = x->v[t->c.loop].parent; p > (int32_t)x->body; p = x->v[p].parent) {
    uint8_t kind = x->v[p].kind;
    ww_counted_loop c;
    bool guard = false;
    for (uint32_t k = 0; k < t->nguards; k++)
      guard |= t->guards[k] == (uint32_t)p;
    if (kind == WW_NODE_COMPOUND || guard)
      continue;
    if (kind == WW_NODE_IF && axes_of(x, ww_node_child(x, p, 0), 0) == 0 &&
        !has_return(x, p))
      continue;
    if (kind != WW_NODE_FOR || !ww_loop_read(x, p, &c) || ww_node_jumps(x, c.body) ||
        axes_of(x, c.start, 0) || axes_of(x, c.end, 0) ||
        (c.by && axes_of(x, ww_node_child(x, c.step, 1), 0)))
      return false;
  }
  return true;
}

static const char *own_name(const tiling *t, const term *m) {
  return ww_text_fresh(t->x, ww_fmt(t->x->a, "%s_own", t->x->v[m->variable].name));
}

/* Lines before the declaration: where its threads are, which may be beyond the data. */
static const char *own_lines(const tiling *t, uint32_t declaration) {
  ww_rewriting *x = t->x;
  const char *gap = ww_fmt(x->a, "\n%s", ww_text_indent(x, x->v[declaration].begin));
  ww_buf b = {0};
  for (uint32_t k = 0; k < t->nterms; k++) {
    uint32_t d = t->terms[k].variable;
    if (d == WW_NONODE || x->v[d].parent != (int32_t)declaration)
      continue;
    uint32_t init = ww_node_child(x, d, ww_node_children(x, d) - 1);
    const char *bound = ww_node_text(x, t->terms[k].bound);
    if (!b.s || !strstr(b.s, ww_fmt(x->a, "(%s < 1)", bound)))
      ww_buf_fmt(&b, "if (%s < 1) return;%s", bound, gap);
    ww_buf_fmt(&b, "const %s %s = %s;%s", x->v[d].spelled, own_name(t, &t->terms[k]),
               ww_node_text(x, init), gap);
  }
  return ww_buf_text(&b, x->a);
}

/* Threads beyond a bound work on the last element. */
static void put_clamps(tiling *t) {
  ww_rewriting *x = t->x;
  for (uint32_t k = 0; k < t->nterms; k++) {
    uint32_t d = t->terms[k].variable;
    if (d == WW_NONODE)
      continue;
    uint32_t declaration = x->v[d].parent;
    uint32_t init = ww_node_child(x, d, ww_node_children(x, d) - 1);
    const char *own = own_name(t, &t->terms[k]);
    const char *bound = ww_node_text(x, t->terms[k].bound);
    bool done = false;
    for (uint32_t j = 0; j < k; j++)
      done |= t->terms[j].variable != WW_NONODE &&
              x->v[t->terms[j].variable].parent == (int32_t)declaration;
    if (!done)
      ww_edit_put(x, &t->edits, x->v[declaration].begin, x->v[declaration].begin,
                  own_lines(t, declaration));
    ww_edit_put(x, &t->edits, x->v[init].begin, x->v[init].end,
                ww_fmt(x->a, "%s < %s ? %s : %s - 1", own, bound, own, bound));
  }
}

/* What stands where the last guard stood: a block beyond leaves, a thread is named. */
static const char *guard_text(const tiling *t, const char *gap) {
  ww_rewriting *x = t->x;
  const char *text = "";
  const char *inside = "";
  for (uint32_t k = 0; k < t->nterms; k++) {
    const term *m = &t->terms[k];
    const char *bound = ww_node_text(x, m->bound);
    if (m->variable == WW_NONODE)
      text = ww_fmt(x->a, m->leaves ? "%sif (%s) return;%s" : "%sif (!(%s)) return;%s",
                    text, bound, gap);
    else
      inside = ww_fmt(x->a, "%s%s%s < %s", inside, *inside ? " && " : "",
                      own_name(t, m), bound);
  }
  return ww_fmt(x->a, "%sconst bool %s = %s;", text, t->inside, inside);
}

/* Every statement behind the guards that writes memory, if its thread is inside. */
static bool put_stores(tiling *t, uint32_t node) {
  ww_rewriting *x = t->x;
  uint8_t kind = x->v[node].kind;
  if (!ww_node_stores(x, node) || node == t->c.loop)
    return true;
  bool nested = kind == WW_NODE_COMPOUND || kind == WW_NODE_IF || kind == WW_NODE_FOR ||
                kind == WW_NODE_WHILE;
  if (!nested) {
    if (x->v[node].macro || kind == WW_NODE_DECLARATIONS || kind == WW_NODE_RETURN ||
        kind == WW_NODE_SWITCH || kind == WW_NODE_DO || kind == WW_NODE_CASE)
      return false;
    ww_edit_put(x, &t->edits, x->v[node].begin, x->v[node].begin,
                ww_fmt(x->a, "if (%s) ", t->inside));
    return true;
  }
  for (uint32_t i = node + 1; i < x->v[node].last; i = x->v[i].last)
    if (!put_stores(t, i))
      return false;
  return true;
}

static bool put_guards(tiling *t) {
  ww_rewriting *x = t->x;
  uint32_t last = t->guards[t->nguards - 1];
  for (uint32_t i = x->body; i < last; i++)
    if (ww_node_target(x, i) != WW_NONODE && ww_node_stores(x, i))
      return false;
  for (uint32_t k = 0; k < t->nguards; k++) {
    uint32_t g = t->guards[k];
    bool around = ww_node_inside(x, t->c.loop, g);
    const char *gap = ww_fmt(x->a, "\n%s", ww_text_indent(x, x->v[g].begin));
    const char *text = g == last ? guard_text(t, gap) : "";
    ww_edit_put(x, &t->edits, x->v[g].begin,
                around ? x->v[ww_node_child(x, g, 1)].begin : ww_node_end(x, g),
                around ? ww_fmt(x->a, "%s%s", text, gap) : text);
    if (around && !put_stores(t, ww_node_child(x, g, 1)))
      return false;
  }
  put_clamps(t);
  for (uint32_t i = x->v[last].last; i < x->v[x->body].last; i = x->v[i].last)
    if (!put_stores(t, i))
      return false;
  return true;
}

/* ---- the whole ---- */

/* The same rounds for all threads of a block, which in it only load and compute. */
static bool read_tiled_loop(tiling *t, uint32_t loop) {
  ww_rewriting *x = t->x;
  if (x->v[loop].macro || !ww_loop_read(x, loop, &t->c) || t->c.by ||
      ww_text_is_below_directive(x, x->v[loop].begin))
    return false;
  uint32_t below = ww_node_bare(x, t->c.below);
  if (x->v[below].kind != WW_NODE_REFERENCE ||
      x->v[below].decl != x->v[t->c.counter].decl || x->v[t->c.end].macro ||
      axes_of(x, t->c.start, 0) || axes_of(x, t->c.end, 0) ||
      ww_node_stores(x, t->c.body) || ww_node_jumps(x, t->c.body))
    return false;
  for (uint32_t i = t->c.body; i < x->v[t->c.body].last; i++)
    if (ww_node_knows_others(x, i))
      return false;
  return true;
}

/* What cp.async copies, by its size: numbers, which lie where they may. */
static bool is_copied(const tiling *t) {
  for (uint32_t k = 0; k < t->n; k++) {
    const ww_node *n = &t->x->v[t->loads[k].node];
    bool number =
        n->type == WW_TYPE_INT || n->type == WW_TYPE_FLOAT || n->type == WW_TYPE_DOUBLE;
    if (!number || (n->bytes != 4 && n->bytes != 8))
      return false;
  }
  return true;
}

static void put_header(tiling *t) {
  static const char header[] = "cuda_pipeline.h";
  if (!strstr(t->x->text, header))
    ww_edit_put(t->x, &t->edits, 0, 0, ww_fmt(t->x->a, "#include <%s>\n", header));
}

static void offer_tile(ww_rewriting *x, uint32_t loop, uint32_t chunk, bool ahead) {
  tiling t = {.x = x,
              .chunk = chunk,
              .block = {x->in->launch->block[0], x->in->launch->block[1]},
              .inside = ww_text_fresh(x, "inside"),
              .ahead = ahead};
  uint32_t bytes = 0;
  if (!read_tiled_loop(&t, loop) || !is_met_by_all(&t) || !find_loads(&t) ||
      (ahead && !is_copied(&t)))
    return;
  if (ahead) {
    t.turn = ww_text_fresh(x, ww_fmt(x->a, "%s_turn", x->v[t.c.counter].name));
    put_header(&t);
  }
  t.first = ww_text_fresh(x, ww_fmt(x->a, "%s0", x->v[t.c.counter].name));
  t.at = ww_text_fresh(x, ww_fmt(x->a, "%s_at", x->v[t.c.counter].name));
  t.rounds = ww_text_fresh(x, ww_fmt(x->a, "%s_rounds", x->v[t.c.counter].name));
  for (uint32_t k = 0; k < t.n; k++)
    bytes += is_first_of(&t, k) ? bytes_of(&t, &t.loads[k]) : 0;
  if (bytes << ahead > MOST_SHARED || !put_loop(&t) || (t.nguards && !put_guards(&t)))
    return;
  ww_rewrite_offer(
      x, &t.edits,
      &(ww_rewritten){.title = ww_fmt(x->a, "tiles of %u rounds in shared memory%s",
                                      chunk, ahead ? ", copied ahead" : ""),
                      .apart = true});
}

static void offer_tiles(ww_rewriting *x, bool ahead) {
  const ww_launch *l = x->in->launch;
  uint32_t threads = l->block[0] * l->block[1];
  uint32_t chunks[] = {16, 32, 64, threads > 64 && threads <= 512 ? threads : 0};
  if (l->block[2] > 1 || threads < 32)
    return;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++)
    for (uint32_t k = 0; x->v[i].kind == WW_NODE_FOR && k < WW_COUNT(chunks); k++)
      if (chunks[k])
        offer_tile(x, i, chunks[k], ahead);
}

void ww_rewrite_tile(ww_rewriting *x) {
  if (x->in->dialect != WW_HIP)
    offer_tiles(x, false);
}

void ww_rewrite_tile_ahead(ww_rewriting *x) {
  if (x->in->dialect == WW_CUDA)
    offer_tiles(x, true);
}
