/* rewrite_atomic.c - many threads that add to few places: the warp adds up first. */
#include "rewrite_int.h"

/* An atomicAdd whose result nobody uses: its two arguments. */
typedef struct {
  uint32_t call, to, value; /* nodes */
  const char *type;         /* of the element */
} atomic_add;

static bool is_number(const char *type) {
  static const char *const numbers[] = {"float", "double", "int", "unsigned int", NULL};
  for (int k = 0; numbers[k]; k++)
    if (!strcmp(type, numbers[k]))
      return true;
  return false;
}

static bool read_atomic(const ww_rewriting *x, uint32_t i, atomic_add *out) {
  if (strcmp(ww_node_callee(x, i), "atomicAdd") || x->v[i].macro ||
      ww_node_children(x, i) != 3)
    return false;
  int32_t above = x->v[i].parent;
  uint8_t kind = above < 0 ? WW_NODE_OTHER : x->v[above].kind;
  bool statement = kind == WW_NODE_COMPOUND || kind == WW_NODE_IF ||
                   kind == WW_NODE_FOR || kind == WW_NODE_WHILE;
  *out = (atomic_add){i, ww_node_child(x, i, 1), ww_node_child(x, i, 2), NULL};
  out->type = x->v[out->to].spelled;
  return statement && x->text[ww_node_end(x, i) - 1] == ';' &&
         ww_node_child(x, above, 0) != i && is_number(out->type) &&
         x->v[out->to].type == WW_TYPE_POINTER;
}

/* The lane that does the atomic: the first of the warp. */
static const char *first_lane(const ww_rewriting *x) {
  const uint64_t *b = x->in->launch->block;
  return b[1] <= 1 && b[2] <= 1
             ? "threadIdx.x % 32 == 0"
             : "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) "
               "% 32 == 0";
}

static const char *
warp_sum(const ww_rewriting *x, const atomic_add *m, const char *indent) {
  const char *sum = ww_text_fresh(x, "sum");
  const char *step = ww_text_fresh(x, "step");
  const char *to = ww_node_text(x, m->to);
  ww_buf b = {0};
  ww_buf_fmt(&b, "{\n%s  %s %s = %s;\n", indent, m->type, sum,
             ww_node_text(x, m->value));
  ww_buf_fmt(&b, "%s  if (__activemask() == 0xffffffffu) {\n", indent);
  ww_buf_fmt(&b, "%s    for (int %s = 16; %s > 0; %s >>= 1)\n", indent, step, step,
             step);
  ww_buf_fmt(&b, "%s      %s += __shfl_down_sync(0xffffffffu, %s, %s);\n", indent, sum,
             sum, step);
  ww_buf_fmt(&b, "%s    if (%s)\n%s      atomicAdd(%s, %s);\n", indent, first_lane(x),
             indent, to, sum);
  ww_buf_fmt(&b, "%s  } else\n%s    atomicAdd(%s, %s);\n%s}", indent, indent, to, sum,
             indent);
  return ww_buf_text(&b, x->a);
}

/* `out`, `&out[block]`: the index alone counts, not what lies there. */
static bool address_varies(const ww_rewriting *x, uint32_t to) {
  uint32_t n = ww_node_bare(x, to);
  if (x->v[n].kind == WW_NODE_UNARY && !strcmp(x->v[n].name, "&"))
    n = ww_node_bare(x, ww_node_child(x, n, 0));
  if (x->v[n].kind != WW_NODE_SUBSCRIPT)
    return ww_index_varies(x, n, 0);
  return ww_index_varies(x, ww_node_child(x, n, 0), 0) ||
         ww_index_varies(x, ww_node_child(x, n, 1), 0);
}

void ww_rewrite_atomic_warp(ww_rewriting *x) {
  if (x->in->dialect != WW_CUDA || strstr(x->text, "__activemask"))
    return;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    atomic_add m;
    ww_edit_list e = {0};
    if (!read_atomic(x, i, &m) || address_varies(x, m.to))
      continue;
    uint32_t end = ww_node_end(x, i);
    ww_edit_put(x, &e, x->v[i].begin, end,
                warp_sum(x, &m, ww_text_indent(x, x->v[i].begin)));
    ww_rewrite_offer(
        x, &e, &(ww_rewritten){.title = "one atomic a warp, added up by shuffles"});
  }
}
