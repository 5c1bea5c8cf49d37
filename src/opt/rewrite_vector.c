/* rewrite_vector.c - see rewrite_vector.h: walks of a piece of code, and its text. */
#include "rewrite_vector.h"

#define MOST_DEPTH 6   /* local variables that an index is looked through */
#define MOST_WINDOW 32 /* elements that one walk keeps in registers */
#define MOST_WALKS 12
#define MOST_VECTOR 16u /* bytes */

static bool in_code(const ww_vector *v, uint32_t node) {
  return node >= v->first && node < v->last;
}

static bool code_changes(const ww_vector *v, uint32_t decl) {
  for (uint32_t i = v->first; i < v->last; i = v->x->v[i].last)
    if (ww_node_changed(v->x, decl, i))
      return true;
  return false;
}

/* ---- indices as sums of terms ---- */

typedef struct {
  const char *rest;  /* what is the same for all elements, as text */
  const char *range; /* terms that count over a few constants */
  int64_t stride, low, high;
  int64_t constant;
} linear;

/* for (int d = -4; d <= 4; d++): its first and last value. */
static bool
counts_constants(const ww_vector *v, uint32_t variable, int64_t *from, int64_t *to) {
  const ww_rewriting *x = v->x;
  uint32_t loop = ww_node_above(x, variable, WW_NODE_FOR);
  if (loop == WW_NONODE || !in_code(v, loop) || ww_node_children(x, loop) != 4 ||
      !ww_node_inside(x, variable, ww_node_child(x, loop, 0)) ||
      !ww_node_children(x, variable) ||
      ww_node_changed(x, x->v[variable].decl, ww_node_child(x, loop, 3)))
    return false;
  uint32_t start =
      ww_node_bare(x, ww_node_child(x, variable, ww_node_children(x, variable) - 1));
  uint32_t end = ww_node_bare(x, ww_node_child(x, loop, 1));
  uint32_t step = ww_node_bare(x, ww_node_child(x, loop, 2));
  if (x->v[end].kind != WW_NODE_BINARY || strcmp(x->v[step].name, "++"))
    return false;
  uint32_t left = ww_node_bare(x, ww_node_child(x, end, 0));
  uint32_t right = ww_node_bare(x, ww_node_child(x, end, 1));
  bool below = !strcmp(x->v[end].name, "<");
  if (x->v[left].decl != x->v[variable].decl || !x->v[right].constant ||
      !x->v[start].constant || (!below && strcmp(x->v[end].name, "<=")))
    return false;
  *from = x->v[start].value;
  *to = x->v[right].value - below;
  return *to >= *from && *to - *from < MOST_WINDOW;
}

/* The value of a variable of the code that is set once: a node; WW_NONODE. */
static uint32_t value_of(const ww_vector *v, uint32_t reference) {
  const ww_rewriting *x = v->x;
  uint32_t d = ww_node_of_decl(x, x->v[reference].decl);
  if (d == WW_NONODE || x->v[d].kind != WW_NODE_VARIABLE || !in_code(v, d) ||
      !ww_node_children(x, d) || x->v[d].type != WW_TYPE_INT ||
      ww_node_changed(x, x->v[d].decl, x->body))
    return WW_NONODE;
  return ww_node_child(x, d, ww_node_children(x, d) - 1);
}

static bool depends(const ww_vector *v, uint32_t node, int depth) {
  const ww_rewriting *x = v->x;
  for (uint32_t i = node; i < x->v[node].last; i++) {
    if (x->v[i].kind != WW_NODE_REFERENCE)
      continue;
    if (x->v[i].decl == v->decl)
      return true;
    uint32_t value = value_of(v, i);
    if (value != WW_NONODE && depth < MOST_DEPTH && depends(v, value, depth + 1))
      return true;
  }
  return false;
}

static bool code_stores(const ww_vector *v) {
  for (uint32_t i = v->first; i < v->last; i++) {
    uint32_t to = ww_node_target(v->x, i);
    if (to != WW_NONODE && v->x->v[to].kind != WW_NODE_REFERENCE)
      return true;
  }
  return false;
}

/* May it be computed before the code: names from outside that the code leaves alone. */
static bool is_same_before(const ww_vector *v, uint32_t node) {
  const ww_rewriting *x = v->x;
  for (uint32_t i = node; i < x->v[node].last; i++) {
    const ww_node *n = &x->v[i];
    uint32_t axis;
    const char *callee = ww_node_callee(x, i);
    if ((*callee && strcmp(callee, "min") && strcmp(callee, "max") &&
         ww_index_of(x, i, &axis) < 0) ||
        (n->kind == WW_NODE_SUBSCRIPT && code_stores(v)) ||
        ww_node_target(x, i) != WW_NONODE)
      return false;
    uint32_t d = n->kind == WW_NODE_REFERENCE ? ww_node_of_decl(x, n->decl) : WW_NONODE;
    if (d != WW_NONODE && (in_code(v, d) || code_changes(v, n->decl)))
      return false;
  }
  return true;
}

/* The sum with one more term. */
static const char *
plus(ww_arena *a, const char *sum, int64_t factor, const char *term, bool plain) {
  const char *sign = factor < 0 ? (*sum ? " - " : "-") : *sum ? " + " : "";
  long long size = factor < 0 ? -factor : factor;
  const char *by = size == 1 ? "" : ww_fmt(a, "%lld * ", size);
  return ww_fmt(a, plain ? "%s%s%s%s" : "%s%s%s(%s)", sum, sign, by, term);
}

static const char *plus_number(ww_arena *a, const char *sum, int64_t number) {
  if (!number)
    return sum;
  return ww_fmt(a, number < 0 ? "%s - %lld" : "%s + %lld", sum,
                (long long)(number < 0 ? -number : number));
}

/* Binds at least as a product does. */
static bool is_plain(const ww_rewriting *x, uint32_t node) {
  while (x->v[node].kind == WW_NODE_UNEXPOSED && ww_node_children(x, node) == 1)
    node = ww_node_child(x, node, 0);
  uint8_t kind = x->v[node].kind;
  return kind == WW_NODE_REFERENCE || kind == WW_NODE_SUBSCRIPT ||
         kind == WW_NODE_CALL || kind == WW_NODE_MEMBER || kind == WW_NODE_INTEGER ||
         (kind == WW_NODE_BINARY && !strcmp(x->v[node].name, "*"));
}

static bool
add_terms(const ww_vector *v, uint32_t node, int64_t factor, int depth, linear *out);

/* A term without the counter. */
static bool
add_rest(const ww_vector *v, uint32_t node, int64_t factor, int depth, linear *out) {
  ww_rewriting *x = v->x;
  const ww_node *n = &x->v[node];
  int64_t from;
  int64_t to;
  if (is_same_before(v, node)) {
    out->rest = plus(x->a, out->rest, factor, ww_node_text(x, node), is_plain(x, node));
    return true;
  }
  uint32_t d = n->kind == WW_NODE_REFERENCE ? ww_node_of_decl(x, n->decl) : WW_NONODE;
  if (d != WW_NONODE && counts_constants(v, d, &from, &to)) {
    out->range = plus(x->a, out->range, factor, n->name, true);
    out->low += factor * (factor < 0 ? to : from);
    out->high += factor * (factor < 0 ? from : to);
    return true;
  }
  uint32_t value = d != WW_NONODE ? value_of(v, node) : WW_NONODE;
  if (value == WW_NONODE || depth >= MOST_DEPTH || !is_same_before(v, value))
    return false;
  out->rest =
      plus(x->a, out->rest, factor,
           ww_fmt(x->a, "(%s)(%s)", x->v[d].spelled, ww_node_text(x, value)), true);
  return true;
}

static bool
add_product(const ww_vector *v, uint32_t node, int64_t factor, int depth, linear *out) {
  const ww_rewriting *x = v->x;
  for (uint32_t k = 0; k < 2; k++) {
    uint32_t by = ww_node_bare(x, ww_node_child(x, node, k));
    int64_t value = x->v[by].value;
    if (x->v[by].constant && value > -64 && value < 64)
      return add_terms(v, ww_node_child(x, node, !k), factor * value, depth, out);
  }
  return false;
}

static bool
add_terms(const ww_vector *v, uint32_t node, int64_t factor, int depth, linear *out) {
  const ww_rewriting *x = v->x;
  uint32_t bare = ww_node_bare(x, node);
  const ww_node *n = &x->v[bare];
  bool binary = n->kind == WW_NODE_BINARY;
  if (n->constant) {
    out->constant += factor * n->value;
    out->low += factor * n->value;
    out->high += factor * n->value;
    return n->value > -4096 && n->value < 4096;
  }
  if (n->kind == WW_NODE_REFERENCE && n->decl == v->decl) {
    out->stride += factor;
    return true;
  }
  if (binary && (!strcmp(n->name, "+") || !strcmp(n->name, "-")))
    return add_terms(v, ww_node_child(x, bare, 0), factor, depth, out) &&
           add_terms(v, ww_node_child(x, bare, 1), *n->name == '-' ? -factor : factor,
                     depth, out);
  if (!depends(v, bare, 0)) /* with the casts around it */
    return add_rest(v, is_same_before(v, node) ? node : bare, factor, depth, out);
  if (binary && !strcmp(n->name, "*"))
    return add_product(v, bare, factor, depth, out);
  uint32_t value = n->kind == WW_NODE_REFERENCE ? value_of(v, bare) : WW_NONODE;
  return value != WW_NONODE && depth < MOST_DEPTH &&
         add_terms(v, value, factor, depth + 1, out);
}

/* ---- walks ---- */

/* The pointer that it goes through, a name that the code leaves alone; WW_NONODE. */
static uint32_t base_of(const ww_vector *v, uint32_t subscript) {
  const ww_rewriting *x = v->x;
  uint32_t base = ww_node_bare(x, ww_node_child(x, subscript, 0));
  if (base == WW_NONODE || x->v[base].kind != WW_NODE_REFERENCE)
    return WW_NONODE;
  uint32_t d = ww_node_of_decl(x, x->v[base].decl);
  if (d == WW_NONODE || x->v[d].type != WW_TYPE_POINTER || x->v[d].is_volatile ||
      in_code(v, d) || code_changes(v, x->v[d].decl))
    return WW_NONODE;
  return d;
}

static const char *element_type(const ww_rewriting *x, uint32_t subscript) {
  const char *type = x->v[subscript].spelled;
  return ww_starts(type, "const ") ? type + strlen("const ") : type;
}

static uint32_t
walk_of(ww_vector *v, uint32_t subscript, uint32_t base, const linear *l) {
  ww_rewriting *x = v->x;
  const char *index = plus(x->a, l->rest, l->stride, v->counter, true);
  for (uint32_t k = 0; k < v->walks.n; k++) {
    ww_walk *w = &v->walks.v[k];
    if (w->base != base || w->stride != l->stride || strcmp(w->index, index))
      continue;
    w->low = l->low < w->low ? l->low : w->low;
    w->high = l->high > w->high ? l->high : w->high;
    return k;
  }
  ww_push(x->a, &v->walks,
          (ww_walk){.base = base,
                    .index = index,
                    .stride = l->stride,
                    .low = l->low,
                    .high = l->high,
                    .bytes = x->v[subscript].bytes,
                    .type = element_type(x, subscript),
                    .taken = true});
  return v->walks.n - 1;
}

/* Is its value used, or is it assigned alone? A member of it keeps the others. */
static void note_use(const ww_vector *v, uint32_t subscript, ww_walk *w) {
  const ww_rewriting *x = v->x;
  uint32_t at = subscript;
  for (int32_t p = x->v[subscript].parent; p >= (int32_t)v->first; p = x->v[p].parent) {
    const ww_node *n = &x->v[p];
    if (ww_node_target(x, p) == at) {
      w->stored = true;
      w->loaded |= n->kind != WW_NODE_BINARY || at != subscript;
      return;
    }
    if (n->kind == WW_NODE_UNARY && !strcmp(n->name, "&"))
      w->taken = false;
    if (n->kind == WW_NODE_MEMBER)
      at = p;
    else if (n->kind != WW_NODE_UNEXPOSED && n->kind != WW_NODE_PARENTHESES)
      break;
  }
  w->loaded = true;
}

/* Done once for each element: not in a loop, a condition or half of && and ?:. */
static bool is_always_done(const ww_vector *v, uint32_t node) {
  const ww_rewriting *x = v->x;
  for (int32_t p = x->v[node].parent; p >= (int32_t)v->first; p = x->v[p].parent) {
    const ww_node *n = &x->v[p];
    bool half =
        n->kind == WW_NODE_BINARY && (!strcmp(n->name, "&&") || !strcmp(n->name, "||"));
    if (n->kind == WW_NODE_IF || n->kind == WW_NODE_FOR || n->kind == WW_NODE_WHILE ||
        n->kind == WW_NODE_DO || n->kind == WW_NODE_SWITCH ||
        n->kind == WW_NODE_CONDITIONAL || half)
      return false;
  }
  return true;
}

static void find_walks(ww_vector *v) {
  ww_rewriting *x = v->x;
  for (uint32_t i = v->first; i < v->last && v->walks.n < MOST_WALKS; i++) {
    linear l = {
        .rest = "",
        .range = "",
    };
    if (x->v[i].kind != WW_NODE_SUBSCRIPT || x->v[i].macro || !x->v[i].bytes)
      continue;
    uint32_t base = base_of(v, i);
    uint32_t index = ww_node_child(x, i, 1);
    if (base == WW_NONODE || !depends(v, index, 0) || !add_terms(v, index, 1, 0, &l) ||
        l.stride < 1 || l.stride > 8)
      continue;
    uint32_t k = walk_of(v, i, base, &l);
    note_use(v, i, &v->walks.v[k]);
    if (v->walks.v[k].stored && (v->leaves || !is_always_done(v, i)))
      v->walks.v[k].taken = false;
    const char *place = plus(x->a, "", l.stride, v->item, true);
    if (*l.range)
      place = ww_fmt(x->a, *l.range == '-' ? "%s - %s" : "%s + %s", place,
                     l.range + (*l.range == '-'));
    ww_push(x->a, &v->uses, (ww_walk_use){i, k, place, l.constant});
  }
}

/* ---- which of them are taken ---- */

static uint32_t lowest_bit(uint64_t n) {
  return n & -n;
}

/* Elements from one vector to the next, 0: vectors do not begin with elements. */
static uint32_t elements(const ww_walk *w) {
  return w->vector % w->bytes ? 0 : w->vector / w->bytes;
}

/* One access to the next lie side by side, without a margin on both sides. */
static bool is_packed(const ww_walk *w) {
  return w->high - w->low + 1 == w->stride;
}

static int64_t round_down(int64_t n, int64_t to) {
  int64_t rest = n % to;
  return n - (rest < 0 ? rest + to : rest);
}

/* Does a vector lie within the margins? */
static bool fits(const ww_vector *v, ww_walk *w) {
  uint32_t bytes = lowest_bit((uint64_t)v->width * w->stride * w->bytes);
  w->vector = bytes < MOST_VECTOR ? bytes : MOST_VECTOR;
  w->origin = w->low;
  if (w->vector <= lowest_bit(w->bytes))
    return false;
  if (is_packed(w))
    return v->width * w->stride <= MOST_WINDOW;
  if (w->stride != 1 || w->stored || !elements(w) ||
      w->high - w->low + v->width > MOST_WINDOW)
    return false;
  int64_t each = elements(w);
  w->origin = round_down(w->low, each);
  int64_t from = w->origin == w->low ? w->low : w->origin + each;
  return from + each - 1 <= w->high + v->width - 1;
}

/* What else is done with the pointer: stores in another way, addresses. */
static bool is_used_otherwise(const ww_vector *v, uint32_t walk) {
  const ww_rewriting *x = v->x;
  const ww_walk *w = &v->walks.v[walk];
  bool stored = w->stored;
  uint32_t others = 0;
  for (uint32_t i = v->first; i < v->last; i++) {
    if (x->v[i].kind != WW_NODE_REFERENCE || x->v[i].decl != x->v[w->base].decl)
      continue;
    bool own = false;
    for (uint32_t k = 0; k < v->uses.n && !own; k++)
      own = v->uses.v[k].walk == walk && ww_node_inside(x, i, v->uses.v[k].node);
    others += !own;
  }
  for (uint32_t i = v->first; i < v->last && !stored; i++) {
    uint32_t to = ww_node_target(x, i);
    bool address = x->v[i].kind == WW_NODE_UNARY && !strcmp(x->v[i].name, "&");
    if ((to != WW_NONODE && ww_node_uses(x, to, x->v[w->base].decl)) ||
        (address && ww_node_uses(x, i, x->v[w->base].decl)))
      stored = true;
  }
  return stored && (others || !w->stored);
}

static void count_bases(ww_vector *v) {
  const ww_rewriting *x = v->x;
  bool stores = code_stores(v);
  uint32_t first = UINT32_MAX;
  for (uint32_t i = v->first; i < v->last; i++) {
    stores |= ww_starts(ww_node_callee(x, i), "atomic");
    if (x->v[i].kind != WW_NODE_REFERENCE || x->v[i].type != WW_TYPE_POINTER)
      continue;
    v->apart |= first != UINT32_MAX && first != x->v[i].decl;
    first = x->v[i].decl;
  }
  v->apart &= stores;
}

bool ww_vector_find(ww_vector *v) {
  ww_rewriting *x = v->x;
  uint32_t taken = 0;
  find_walks(v);
  for (uint32_t k = 0; k < v->walks.n; k++) {
    ww_walk *w = &v->walks.v[k];
    w->taken = w->taken && fits(v, w) && !is_used_otherwise(v, k);
    if (!w->taken)
      continue;
    taken++;
    const char *name = ww_fmt(x->a, "%s%u", x->v[w->base].name, v->width);
    w->name = ww_text_fresh(x, name);
    for (uint32_t j = 0; j < k; j++)
      if (v->walks.v[j].taken && v->walks.v[j].base == w->base)
        w->name = ww_text_fresh(x, ww_fmt(x->a, "%s_%u", name, k));
  }
  count_bases(v);
  return taken > 0;
}

/* ---- texts ---- */

static const char *vector_type(const ww_walk *w) {
  bool real = ww_starts(w->type, "float");
  if (w->vector == 16)
    return ww_starts(w->type, "double") ? "double2" : real ? "float4" : "uint4";
  if (w->vector == 8)
    return real ? "float2" : "uint2";
  return w->vector == 4 ? "unsigned" : "unsigned short";
}

static const char *address_text(const ww_vector *v, const ww_walk *w, int64_t offset) {
  ww_arena *a = v->x->a;
  return ww_fmt(a, "%s[%s]", v->x->v[w->base].name, plus_number(a, w->index, offset));
}

static const char *is_aligned(const ww_vector *v, const ww_walk *w, const char *sign) {
  return ww_fmt(v->x->a, "(size_t)&%s %% %u %s 0",
                address_text(v, w, is_packed(w) ? w->low : 0), w->vector, sign);
}

const char *ww_vector_aligned(const ww_vector *v) {
  const char *out = "";
  for (uint32_t k = 0; k < v->walks.n; k++)
    if (v->walks.v[k].taken)
      out = ww_fmt(v->x->a, "%s%s%s", out, *out ? " && " : "",
                   is_aligned(v, &v->walks.v[k], "=="));
  return out;
}

const char *ww_vector_before(const ww_vector *v) {
  for (uint32_t k = 0; k < v->walks.n; k++)
    if (v->walks.v[k].taken)
      return is_aligned(v, &v->walks.v[k], "!=");
  return "0";
}

const char *ww_vector_names(const ww_vector *v) {
  const char *out = "";
  for (uint32_t k = 0; k < v->walks.n; k++) {
    const char *name = v->x->v[v->walks.v[k].base].name;
    if (v->walks.v[k].taken && !strstr(out, name))
      out = ww_fmt(v->x->a, "%s%s%s", out, *out ? ", " : "", name);
  }
  return out;
}

/* All of a packed walk, in one direction. */
static void packed_text(const ww_vector *v, const ww_walk *w, bool store, ww_buf *out) {
  const char *at = address_text(v, w, w->low);
  const char *type = vector_type(w);
  uint32_t n = v->width * w->stride * w->bytes / w->vector;
  for (uint32_t j = 0; j < n; j++) {
    const char *own = n == 1 ? ww_fmt(v->x->a, "*(%s *)%s", type, w->name)
                             : ww_fmt(v->x->a, "((%s *)%s)[%u]", type, w->name, j);
    const char *there =
        n == 1
            ? ww_fmt(v->x->a, "*(%s%s *)&%s", store ? "" : "const ", type, at)
            : ww_fmt(v->x->a, "((%s%s *)&%s)[%u]", store ? "" : "const ", type, at, j);
    ww_buf_fmt(out, "%s = %s;\n", store ? there : own, store ? own : there);
    if (j + 1 < n)
      ww_buf_puts(out, "\f"); /* the caller's indent */
  }
}

/* With margins: what does not fill a vector one by one. */
static void window_text(const ww_vector *v, const ww_walk *w, ww_buf *out) {
  int64_t end = w->high + v->width;
  int64_t each = elements(w);
  for (int64_t at = w->low; at < end;) {
    bool whole = round_down(at, each) == at && at + each <= end;
    const char *there = address_text(v, w, at);
    long long place = at - w->origin;
    if (at > w->low)
      ww_buf_puts(out, "\f");
    if (whole)
      ww_buf_fmt(out, "*(%s *)&%s[%lld] = *(const %s *)&%s;\n", vector_type(w), w->name,
                 place, vector_type(w), there);
    else
      ww_buf_fmt(out, "%s[%lld] = %s;\n", w->name, place, there);
    at += whole ? each : 1;
  }
}

static void loads_text(const ww_vector *v, ww_buf *out) {
  for (uint32_t k = 0; k < v->walks.n; k++) {
    const ww_walk *w = &v->walks.v[k];
    if (!w->taken)
      continue;
    long long n = is_packed(w) ? v->width * w->stride : w->high + v->width - w->origin;
    ww_buf_fmt(out, "\falignas(%u) %s %s[%lld];\n", w->vector, w->type, w->name, n);
    if (!w->loaded)
      continue;
    ww_buf_puts(out, "\f");
    if (is_packed(w))
      packed_text(v, w, false, out);
    else
      window_text(v, w, out);
  }
}

static bool is_use(const ww_vector *v, uint32_t node, const ww_walk_use **out) {
  for (uint32_t k = 0; k < v->uses.n; k++)
    if (v->uses.v[k].node == node && v->walks.v[v->uses.v[k].walk].taken) {
      *out = &v->uses.v[k];
      return true;
    }
  return false;
}

/* The code for one of the elements. */
static const char *element_text(const ww_vector *v) {
  ww_rewriting *x = v->x;
  ww_edit_list e = {0};
  uint32_t last = UINT32_MAX;
  for (uint32_t i = v->first; i < v->last; i++) {
    const ww_node *n = &x->v[i];
    const ww_walk_use *use;
    if (is_use(v, i, &use)) {
      const ww_walk *w = &v->walks.v[use->walk];
      ww_edit_put(x, &e, n->begin, n->end,
                  ww_fmt(x->a, "%s[%s]", w->name,
                         plus_number(x->a, use->place, use->constant - w->origin)));
      i = n->last - 1;
    } else if (n->kind == WW_NODE_RETURN) {
      ww_edit_put(x, &e, n->begin, n->end, "continue");
    } else if (n->kind == WW_NODE_REFERENCE && n->decl == v->decl && n->begin != last) {
      if (n->macro)
        return NULL;
      last = n->begin;
      ww_edit_put(x, &e, n->begin, n->end,
                  ww_fmt(x->a, "(%s + %s)", v->counter, v->item));
    }
  }
  return ww_text_edited(x, v->begin, v->end, &e);
}

/* Lines, each behind a form feed, with that indent. */
static const char *lines_text(const ww_vector *v, ww_buf *lines, const char *indent) {
  const char *text = ww_buf_text(lines, v->x->a);
  ww_buf b = {0};
  for (; *text; text++)
    if (*text == '\f')
      ww_buf_puts(&b, indent);
    else
      ww_buf_add(&b, text, 1);
  return ww_buf_text(&b, v->x->a);
}

/* The code as one statement, with that indent. */
static const char *statement_text(const ww_vector *v, const char *indent) {
  ww_arena *a = v->x->a;
  const char *old = ww_text_indent(v->x, v->begin);
  const char *deeper = ww_starts(indent, old) ? indent + strlen(old) : "";
  const char *code = element_text(v);
  if (!code || !v->statements)
    return code ? ww_text_deeper(v->x, code, deeper) : NULL;
  size_t n = strlen(code);
  while (n && strchr(" \t\n", code[n - 1]))
    n--;
  code = ww_text_deeper(v->x, ww_strndup(a, code, n), ww_fmt(a, "%s\v", deeper));
  return ww_fmt(a, "{\n%s\v%s\n%s}", indent, code, indent);
}

const char *ww_vector_text(const ww_vector *v, const char *indent) {
  ww_buf b = {0};
  const char *code = statement_text(v, indent);
  if (!code)
    return NULL;
  loads_text(v, &b);
  ww_buf_fmt(&b, "#pragma unroll\n\ffor (int %s = 0; %s < %u; %s++) ", v->item, v->item,
             v->width, v->item);
  const char *head = lines_text(v, &b, indent);
  for (uint32_t k = 0; k < v->walks.n; k++)
    if (v->walks.v[k].taken && v->walks.v[k].stored) {
      ww_buf_puts(&b, "\f");
      packed_text(v, &v->walks.v[k], true, &b);
    }
  return ww_fmt(v->x->a, "%s%s\n%s", head, code, lines_text(v, &b, indent));
}
