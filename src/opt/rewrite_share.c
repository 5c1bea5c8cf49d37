/* rewrite_share.c - several threads an element: rows of threads (threadIdx.y) take
 * turns in a loop that adds up, and meet in shared memory.
 *
 * For kernels with few threads and long loops. A thread that left at a guard before is
 * left by its whole column, so no barrier waits for it. */
#include "rewrite_int.h"

#define MOST_SHARED 49152 /* bytes of a block */

typedef struct {
  ww_rewriting *x;
  ww_counted_loop c;
  ww_loop_work w; /* sums alone */
} shared_loop;

static bool is_sum_loop(const shared_loop *s) {
  for (uint32_t k = 0; k < s->w.n; k++)
    if (*s->w.of[k].op != '+' || s->w.of[k].element)
      return false;
  return s->w.n > 0 && !s->w.stores && !s->w.atomics;
}

/* Before the loop nothing is written that others see. */
static bool quiet_before(const shared_loop *s) {
  const ww_rewriting *x = s->x;
  for (uint32_t i = x->body; i < s->c.loop; i++) {
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
  for (uint32_t k = 0; k < s->w.n; k++)
    ww_buf_fmt(&b, "%s__shared__ %s %s_%s[%u][%u];", gap,
               x->v[s->w.of[k].variable].spelled, part, x->v[s->w.of[k].variable].name,
               rows, columns);
  for (uint32_t k = 0; k < s->w.n; k++)
    ww_buf_fmt(&b, "%s%s_%s[threadIdx.y][threadIdx.x] = %s;", gap, part,
               x->v[s->w.of[k].variable].name, x->v[s->w.of[k].variable].name);
  ww_buf_fmt(&b, "%s__syncthreads();%sif (threadIdx.y > 0) return;", gap, gap);
  ww_buf_fmt(&b, "%sfor (int %s = 1; %s < %u; %s++) {", gap, row, row, rows, row);
  for (uint32_t k = 0; k < s->w.n; k++)
    ww_buf_fmt(&b, "%s\v%s += %s_%s[%s][threadIdx.x];", gap,
               x->v[s->w.of[k].variable].name, part, x->v[s->w.of[k].variable].name,
               row);
  ww_buf_fmt(&b, "%s}", gap);
  return ww_buf_text(&b, x->a);
}

static const char *start_text(const shared_loop *s) {
  ww_rewriting *x = s->x;
  const char *turn =
      s->c.by ? ww_fmt(x->a, "(int)threadIdx.y * (%s)", s->c.by) : "(int)threadIdx.y";
  return ww_node_reads(x, s->c.start, "0")
             ? turn
             : ww_fmt(x->a, "(%s) + %s", ww_node_text(x, s->c.start), turn);
}

static void offer_share(const shared_loop *s, uint32_t rows) {
  ww_rewriting *x = s->x;
  ww_edit_list e = {0};
  uint32_t begin = x->v[s->c.loop].begin;
  uint32_t end = ww_node_end(x, s->c.loop);
  const char *gap = ww_fmt(x->a, "\n%s", ww_text_indent(x, begin));
  const char *zeros = "";
  uint32_t bytes = 0;
  for (uint32_t k = 0; k < s->w.n; k++) {
    zeros = ww_fmt(x->a, "%s%s%s = 0", zeros, k ? ", " : "",
                   x->v[s->w.of[k].variable].name);
    bytes += x->v[s->w.of[k].variable].bytes * rows * x->in->launch->block[0];
  }
  if (!bytes || bytes > MOST_SHARED)
    return;
  ww_edit_put(x, &e, begin, begin,
              ww_fmt(x->a, "if (threadIdx.y > 0) %s;%s", zeros, gap));
  ww_edit_put(x, &e, x->v[s->c.start].begin, x->v[s->c.start].end, start_text(s));
  ww_edit_put(
      x, &e, x->v[s->c.step].begin, x->v[s->c.step].end,
      s->c.by ? ww_fmt(x->a, "%s += (%s) * %u", x->v[s->c.counter].name, s->c.by, rows)
              : ww_fmt(x->a, "%s += %u", x->v[s->c.counter].name, rows));
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
  if (x->in->dialect == WW_OPENCL || !ww_index_independent(x) || l->block[1] > 1 ||
      l->grid[1] > 1 || ww_index_global(x, 0, &size) == WW_NONODE)
    return;
  for (uint32_t i = ww_node_child(x, x->body, 0); i < x->v[x->body].last;
       i = x->v[i].last) {
    shared_loop s = {.x = x};
    if (x->v[i].macro || !ww_loop_read(x, i, &s.c) || !ww_loop_work_of(x, &s.c, &s.w) ||
        !is_sum_loop(&s) || !quiet_before(&s))
      continue;
    for (uint32_t k = 0; k < WW_COUNT(rows); k++)
      if (l->block[0] * rows[k] <= 1024)
        offer_share(&s, rows[k]);
    return;
  }
}
