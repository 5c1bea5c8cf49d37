/* rewrite_atomic.c - many threads that add to few places: a thread, a warp or a block
 * adds up first. */
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
         (kind == WW_NODE_COMPOUND || ww_node_child(x, above, 0) != i) &&
         is_number(out->type) && x->v[out->to].type == WW_TYPE_POINTER;
}

static const char *lane_text(const ww_rewriting *x) {
  const uint64_t *b = x->in->launch->block;
  return b[1] <= 1 && b[2] <= 1
             ? "threadIdx.x % 32"
             : "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) "
               "% 32";
}

/* The lane that does the atomic: the first of the warp. */
static const char *first_lane(const ww_rewriting *x) {
  return ww_fmt(x->a, "%s == 0", lane_text(x));
}

static const char *
warp_sum(const ww_rewriting *x, const atomic_add *m, const char *indent) {
  const char *sum = ww_text_fresh(x, "sum");
  const char *step = ww_text_fresh(x, "step");
  const char *to = ww_node_text(x, m->to);
  ww_buf b = {0};
  ww_buf_fmt(&b, "{\n%s\v%s %s = %s;\n", indent, m->type, sum,
             ww_node_text(x, m->value));
  ww_buf_fmt(&b, "%s\vif (__activemask() == 0xffffffffu) {\n", indent);
  ww_buf_fmt(&b, "%s\v\vfor (int %s = 16; %s > 0; %s >>= 1)\n", indent, step, step,
             step);
  ww_buf_fmt(&b, "%s\v\v\v%s += __shfl_down_sync(0xffffffffu, %s, %s);\n", indent, sum,
             sum, step);
  ww_buf_fmt(&b, "%s\v\vif (%s)\n%s\v\v\vatomicAdd(%s, %s);\n", indent, first_lane(x),
             indent, to, sum);
  ww_buf_fmt(&b, "%s\v} else\n%s\v\vatomicAdd(%s, %s);\n%s}", indent, indent, to, sum,
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

/* ---- a sum of the lanes that have the same address ---- */

static const char *
group_sum(const ww_rewriting *x, const atomic_add *m, const char *indent) {
  const char *to = ww_text_fresh(x, "to");
  const char *peers = ww_text_fresh(x, "peers");
  const char *own = ww_text_fresh(x, "own");
  const char *sum = ww_text_fresh(x, "sum");
  const char *rest = ww_text_fresh(x, "rest");
  bool whole = *m->type == 'i' || *m->type == 'u';
  ww_buf b = {0};
  ww_buf_fmt(&b, "{\n%s\v%s *%s = %s, %s = %s;\n", indent, m->type, to,
             ww_node_text(x, m->to), own, ww_node_text(x, m->value));
  ww_buf_fmt(&b,
             "%s\vunsigned %s = __match_any_sync(__activemask(), "
             "(unsigned long long)%s);\n",
             indent, peers, to);
  if (whole)
    ww_buf_fmt(&b, "%s\v%s %s = __reduce_add_sync(%s, %s);\n", indent, m->type, sum,
               peers, own);
  else
    ww_buf_fmt(&b,
               "%s\v%s %s = 0;\n%s\vfor (unsigned %s = %s; %s; %s &= %s - 1)\n"
               "%s\v\v%s += __shfl_sync(%s, %s, __ffs(%s) - 1);\n",
               indent, m->type, sum, indent, rest, peers, rest, rest, rest, indent, sum,
               peers, own, rest);
  ww_buf_fmt(&b, "%s\vif (%s == __ffs(%s) - 1)\n%s\v\vatomicAdd(%s, %s);\n%s}", indent,
             lane_text(x), peers, indent, to, sum, indent);
  return ww_buf_text(&b, x->a);
}

void ww_rewrite_atomic_group(ww_rewriting *x) {
  if (x->in->dialect != WW_CUDA || strstr(x->text, "__match_any_sync"))
    return;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    atomic_add m;
    ww_edit_list e = {0};
    if (!read_atomic(x, i, &m) || !address_varies(x, m.to))
      continue;
    ww_edit_put(x, &e, x->v[i].begin, ww_node_end(x, i),
                group_sum(x, &m, ww_text_indent(x, x->v[i].begin)));
    ww_rewrite_offer(
        x, &e, &(ww_rewritten){.title = "one atomic for the lanes of an address"});
  }
}

/* ---- a sum of a thread, then of its warp ---- */

static bool has_returns(const ww_rewriting *x) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++)
    if (x->v[i].kind == WW_NODE_RETURN)
      return true;
  return false;
}

/* The atomic's address, from names that the whole body sees. */
static bool seen_everywhere(const ww_rewriting *x, uint32_t to) {
  for (uint32_t i = to; i < x->v[to].last; i++) {
    uint32_t d = x->v[i].kind == WW_NODE_REFERENCE ? ww_node_of_decl(x, x->v[i].decl)
                                                   : WW_NONODE;
    if (d != WW_NONODE && x->v[d].kind != WW_NODE_PARAMETER)
      return false;
  }
  return true;
}

static const char *zero_of(const char *type) {
  return *type == 'f' ? "0.0f" : *type == 'd' ? "0.0" : "0";
}

/* Behind the last statement: the warp adds up, its first lane does the atomic. */
static const char *sum_up(const ww_rewriting *x, const atomic_add *m, const char *sum) {
  const char *step = ww_text_fresh(x, "step");
  const char *in = ww_text_indent(x, x->v[ww_node_child(x, x->body, 0)].begin);
  return ww_fmt(x->a,
                "%sfor (int %s = 16; %s > 0; %s >>= 1)\n"
                "%s\v%s += __shfl_down_sync(0xffffffffu, %s, %s);\n"
                "%sif (%s)\n%s\vatomicAdd(%s, %s);\n",
                in, step, step, step, in, sum, sum, step, in, first_lane(x), in,
                ww_node_text(x, m->to), sum);
}

static void offer_sum(ww_rewriting *x, const atomic_add *m, uint32_t factor) {
  ww_edit_list e = {0};
  const char *close = "";
  uint32_t block = x->in->launch->block[0];
  if (factor > 1 ? !ww_stride_edits(x, &e, &close) : has_returns(x))
    return;
  uint32_t first = x->v[ww_node_child(x, x->body, 0)].begin;
  const char *sum = ww_text_fresh(x, "sum");
  const char *declared = ww_fmt(x->a, "%s %s = %s;\n%s", m->type, sum, zero_of(m->type),
                                ww_text_indent(x, first));
  bool joined = false;
  for (uint32_t k = 0; k < e.n && !joined; k++)
    if (e.v[k].begin == first) { /* the loop's head begins there */
      e.v[k].text = ww_fmt(x->a, "%s%s", declared, e.v[k].text);
      joined = true;
    }
  if (!joined)
    ww_edit_put(x, &e, first, first, declared);
  ww_edit_put(x, &e, x->v[m->call].begin, x->v[m->call].end,
              ww_fmt(x->a, "%s += %s", sum, ww_node_text(x, m->value)));
  ww_put_at_close(x, &e, ww_fmt(x->a, "%s%s", close, sum_up(x, m, sum)));
  ww_rewrite_offer(
      x, &e,
      &(ww_rewritten){
          .title = factor > 1
                       ? ww_fmt(x->a, "%u elements a thread, one atomic a warp", factor)
                       : "a sum a thread, one atomic a warp",
          .shape = {.was = {factor > 1 ? block : 0}, .now = {block * factor}}});
}

/* Atomics of this kernel whose result nobody uses; how many. */
static uint32_t only_atomic(const ww_rewriting *x, atomic_add *out) {
  uint32_t n = 0;
  atomic_add m;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++)
    if (ww_starts(ww_node_callee(x, i), "atomic")) {
      n += read_atomic(x, i, &m) ? 1 : 2;
      *out = m;
    }
  return n;
}

static const uint32_t factors[] = {1, 4, 16, 64};

void ww_rewrite_atomic_sum(ww_rewriting *x) {
  atomic_add m;
  uint32_t block = x->in->launch->block[0];
  if (x->in->dialect != WW_CUDA || block % 32 || x->in->launch->block[1] > 1 ||
      only_atomic(x, &m) != 1 || address_varies(x, m.to) || !seen_everywhere(x, m.to))
    return;
  for (uint32_t k = 0; k < WW_COUNT(factors); k++)
    if (x->in->launch->grid[0] > factors[k])
      offer_sum(x, &m, factors[k]);
}

/* ---- a table of a block ---- */

#define MOST_TABLE 32768 /* bytes of shared memory */

typedef struct {
  atomic_add m;
  uint32_t array, index; /* nodes */
  uint64_t n;            /* elements */
} table;

/* Can it be said twice: no call, no assignment. */
static bool is_pure(const ww_rewriting *x, uint32_t node) {
  for (uint32_t i = node; i < x->v[node].last; i++)
    if (x->v[i].kind == WW_NODE_CALL || ww_node_target(x, i) != WW_NONODE)
      return false;
  return true;
}

/* atomicAdd(&bins[index], value) on a parameter whose size the launch tells. */
static bool read_table(const ww_rewriting *x, table *t) {
  if (only_atomic(x, &t->m) != 1)
    return false;
  uint32_t n = ww_node_bare(x, t->m.to);
  if (x->v[n].kind != WW_NODE_UNARY || strcmp(x->v[n].name, "&"))
    return false;
  n = ww_node_bare(x, ww_node_child(x, n, 0));
  if (x->v[n].kind != WW_NODE_SUBSCRIPT)
    return false;
  t->array = ww_node_bare(x, ww_node_child(x, n, 0));
  t->index = ww_node_child(x, n, 1);
  uint32_t d = x->v[t->array].kind == WW_NODE_REFERENCE
                   ? ww_node_of_decl(x, x->v[t->array].decl)
                   : WW_NONODE;
  if (d == WW_NONODE || x->v[d].kind != WW_NODE_PARAMETER || !x->v[d].bytes ||
      !is_pure(x, t->index) || !ww_index_varies(x, t->index, 0))
    return false;
  uint32_t parameter = 0;
  for (uint32_t i = x->kernel + 1; i < d; i++)
    parameter += x->v[i].kind == WW_NODE_PARAMETER;
  if (parameter >= x->in->launch->nargs)
    return false;
  const ww_arg *g = &x->in->launch->args[parameter];
  t->n = g->kind == WW_ARG_BUFFER ? g->buffer.bytes / x->v[d].bytes : 0;
  return t->n && t->n * x->v[d].bytes <= MOST_TABLE;
}

/* A loop in which the block's threads go over it together. */
static const char *over_table(const ww_rewriting *x, const table *t, const char *what) {
  const char *in = ww_text_indent(x, x->v[ww_node_child(x, x->body, 0)].begin);
  return ww_fmt(x->a, "for (int k = threadIdx.x; k < %llu; k += blockDim.x)\n%s\v%s\n",
                (unsigned long long)t->n, in, what);
}

static void offer_table(ww_rewriting *x, const table *t, uint32_t factor) {
  ww_edit_list e = {0};
  const char *close = "";
  uint32_t block = x->in->launch->block[0];
  if (factor > 1 ? !ww_stride_edits(x, &e, &close) : has_returns(x))
    return;
  uint32_t first = x->v[ww_node_child(x, x->body, 0)].begin;
  const char *in = ww_text_indent(x, first);
  const char *part = ww_text_fresh(x, "part");
  const char *array = ww_node_text(x, t->array);
  const char *index = ww_node_text(x, t->index);
  const char *value = ww_node_text(x, t->m.value);
  const char *head = ww_fmt(x->a, "__shared__ %s %s[%llu];\n%s%s%s__syncthreads();\n%s",
                            t->m.type, part, (unsigned long long)t->n, in,
                            over_table(x, t, ww_fmt(x->a, "%s[k] = 0;", part)), in, in);
  bool joined = false;
  for (uint32_t k = 0; k < e.n && !joined; k++)
    if (e.v[k].begin == first) {
      e.v[k].text = ww_fmt(x->a, "%s%s", head, e.v[k].text);
      joined = true;
    }
  if (!joined)
    ww_edit_put(x, &e, first, first, head);
  ww_edit_put(x, &e, x->v[t->m.call].begin, ww_node_end(x, t->m.call),
              ww_fmt(x->a,
                     "{\n%s\vif ((unsigned)(%s) < %lluu) atomicAdd(&%s[%s], %s);\n"
                     "%s\velse atomicAdd(&%s[%s], %s);\n%s}",
                     in, index, (unsigned long long)t->n, part, index, value, in, array,
                     index, value, in));
  ww_put_at_close(
      x, &e,
      ww_fmt(x->a, "%s%s__syncthreads();\n%s%s", close, in, in,
             over_table(x, t,
                        ww_fmt(x->a, "if (%s[k] != 0) atomicAdd(&%s[k], %s[k]);", part,
                               array, part))));
  ww_rewrite_offer(
      x, &e,
      &(ww_rewritten){
          .title = ww_fmt(x->a, "a table a block, %u element%s a thread", factor,
                          factor > 1 ? "s" : ""),
          .shape = {.was = {factor > 1 ? block : 0}, .now = {block * factor}}});
}

void ww_rewrite_atomic_table(ww_rewriting *x) {
  table t;
  if (x->in->dialect != WW_CUDA || x->in->launch->block[1] > 1 ||
      !ww_index_independent(x) || !read_table(x, &t))
    return;
  for (uint32_t k = 0; k < WW_COUNT(factors); k++)
    if (x->in->launch->grid[0] > factors[k])
      offer_table(x, &t, factors[k]);
}
