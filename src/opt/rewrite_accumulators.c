/* rewrite_accumulators.c - a loop that adds up does it in several variables by turns:
 * each addition waits for one of several rounds before, not for the last one.
 *
 * A compiler does not do that of floats, whose sum changes with its order; the rounds
 * themselves run in the order in which they ran. */
#include "rewrite_int.h"

#define MOST_LOOPS 4

typedef struct {
  ww_rewriting *x;
  ww_counted_loop c;
  ww_loop_work w;
  uint32_t n; /* variables a sum has */
} summing;

static const char *name_of(const summing *s, uint32_t sum, uint32_t k) {
  const char *name = s->x->v[s->w.of[sum].variable].name;
  return k ? ww_text_fresh(s->x, ww_fmt(s->x->a, "%s_%u", name, k)) : name;
}

/* Nothing but variables is added to, round by round, by this thread alone. */
static bool only_sums(const summing *s) {
  const ww_rewriting *x = s->x;
  for (uint32_t k = 0; k < s->w.n; k++)
    if (s->w.of[k].element)
      return false;
  for (uint32_t i = s->c.body; i < x->v[s->c.body].last; i++) {
    uint8_t kind = x->v[i].kind;
    if (kind == WW_NODE_FOR || kind == WW_NODE_WHILE || kind == WW_NODE_DO ||
        kind == WW_NODE_CONTINUE || ww_node_knows_others(x, i))
      return false;
  }
  return s->w.n && !s->w.stores && !s->w.atomics;
}

static bool read_sums(summing *s, uint32_t loop) {
  const ww_rewriting *x = s->x;
  if (x->v[loop].kind != WW_NODE_FOR || x->v[loop].macro ||
      ww_text_is_below_directive(x, x->v[loop].begin) ||
      !ww_loop_read(x, loop, &s->c) || !ww_loop_work_of(x, &s->c, &s->w))
    return false;
  uint32_t below = ww_node_bare(x, s->c.below);
  bool by = !s->c.by || ww_node_invariant(x, ww_node_child(x, s->c.step, 1), loop);
  return x->v[below].kind == WW_NODE_REFERENCE &&
         x->v[below].decl == x->v[s->c.counter].decl && !x->v[s->c.end].macro && by &&
         ww_node_invariant(x, s->c.end, loop) && only_sums(s);
}

/* The k-th round from the counter's on; NULL: a macro stands in the way. */
static const char *round_text(const summing *s, uint32_t k) {
  ww_rewriting *x = s->x;
  ww_edit_list e = {0};
  for (uint32_t i = s->c.body; k && i < x->v[s->c.body].last; i++) {
    const ww_node *n = &x->v[i];
    const char *to = NULL;
    if (n->kind != WW_NODE_REFERENCE)
      continue;
    if (n->decl == x->v[s->c.counter].decl)
      to = s->c.by ? ww_fmt(x->a, "(%s + %u * (%s))", n->name, k, s->c.by)
                   : ww_fmt(x->a, "(%s + %u)", n->name, k);
    for (uint32_t v = 0; v < s->w.n; v++)
      if (n->decl == x->v[s->w.of[v].variable].decl)
        to = name_of(s, v, k);
    if (to && n->macro)
      return NULL;
    if (to)
      ww_edit_put(x, &e, n->begin, n->end, to);
  }
  return ww_text_edited(x, x->v[s->c.body].begin, ww_node_end(x, s->c.body), &e);
}

/* Variables beside each sum, and the lines in which they become one again. */
static void
put_sums(const summing *s, const char *gap, ww_buf *before, ww_buf *behind) {
  ww_rewriting *x = s->x;
  for (uint32_t v = 0; v < s->w.n; v++) {
    const char *zero = ww_reduction_neutral(s->w.of[v].op);
    const char *sum = name_of(s, v, 0);
    ww_buf_fmt(before, "%s%s", gap, x->v[s->w.of[v].variable].spelled);
    for (uint32_t k = 1; k < s->n; k++) {
      ww_buf_fmt(before, "%s %s = %s", k > 1 ? "," : "", name_of(s, v, k),
                 zero ? zero : sum);
      ww_buf_fmt(behind, "%s%s", gap,
                 ww_reduction_combined(x->a, s->w.of[v].op, sum, name_of(s, v, k)));
    }
    ww_buf_puts(before, ";");
  }
}

static void offer_sums(const summing *s) {
  ww_rewriting *x = s->x;
  const char *in = ww_text_indent(x, x->v[s->c.loop].begin);
  const char *gap = ww_fmt(x->a, "\n%s\v", in);
  const char *counter = x->v[s->c.counter].name;
  bool outside = !ww_node_inside(x, s->c.counter, s->c.loop);
  const char *sign = s->c.inclusive ? "<=" : "<";
  const char *end = ww_node_text(x, s->c.end);
  const char *by = s->c.by ? ww_fmt(x->a, " * (%s)", s->c.by) : "";
  ww_buf b = {0};
  ww_buf behind = {0};
  ww_edit_list e = {0};
  ww_buf_puts(&b, "{");
  put_sums(s, gap, &b, &behind);
  ww_buf_fmt(&b, "%s%s%s%s = %s;", gap, outside ? "" : x->v[s->c.counter].spelled,
             outside ? "" : " ", counter, ww_node_text(x, s->c.start));
  ww_buf_fmt(&b, "%sfor (; %s + %u%s %s %s; %s += %u%s) {", gap, counter, s->n - 1, by,
             sign, end, counter, s->n, by);
  const char *last = NULL;
  for (uint32_t k = 0; k < s->n && (last = round_text(s, k)); k++)
    ww_buf_fmt(&b, "%s\v%s", gap, ww_text_deeper(x, last, "\v\v"));
  ww_buf_fmt(&b, "%s}%sfor (; %s %s %s; %s)%s\v%s%s\n%s}", gap, gap, counter, sign, end,
             ww_node_text(x, s->c.step), gap, ww_text_deeper(x, round_text(s, 0), "\v"),
             ww_buf_text(&behind, x->a), in);
  ww_edit_put(x, &e, x->v[s->c.loop].begin, ww_node_end(x, s->c.loop),
              ww_buf_text(&b, x->a));
  if (last)
    ww_rewrite_offer(
        x, &e,
        &(ww_rewritten){.title = ww_fmt(x->a, "`%s` of `for (%s...)` in %u variables",
                                        name_of(s, 0, 0), counter, s->n)});
}

void ww_rewrite_accumulators(ww_rewriting *x) {
  static const uint32_t factors[] = {4, 8};
  uint32_t loops = 0;
  for (uint32_t i = x->body; i < x->v[x->body].last && loops < MOST_LOOPS; i++) {
    summing s = {.x = x};
    if (!read_sums(&s, i))
      continue;
    loops++;
    for (uint32_t k = 0; k < WW_COUNT(factors); k++) {
      s.n = factors[k];
      offer_sums(&s);
    }
  }
}
