/* rewrite_constant.c - another value for a number with a name: the sides of a tile, the
 * elements of a thread. Which names may be worth it `tune` knows (space_source.c); here
 * each value is a rewrite like others, tried on top of them.
 *
 * The name belongs to the kernel alone: what a launch or another kernel computes with
 * it would change too. Where it is a side of the block, the launch follows. Whether the
 * kernel holds at another value cannot be seen from here: verify says. */
#include "../base/words.h"
#include "rewrite_int.h"
#include "space.h"

/* Is it named nowhere but where it is defined and in the kernel? */
static bool is_own(const ww_rewriting *x, const ww_axis *c) {
  const ww_node *kernel = &x->v[x->kernel];
  for (const char *p = x->text; (p = ww_find_word(p, c->name)); p++) {
    size_t at = p - x->text;
    bool inside = at >= kernel->begin && at < kernel->end;
    bool defines = at < c->at && !memchr(p, '\n', c->at - at);
    bool guards = at && !inside && c->kind == WW_AXIS_MACRO && at < c->at;
    if (!inside && !defines && !guards)
      return false;
  }
  return true;
}

static void offer_value(ww_rewriting *x, const ww_axis *c, uint32_t value) {
  const ww_launch *l = x->in->launch;
  ww_edit_list e = {0};
  ww_rewritten r = {
      .title = ww_fmt(x->a, "%s is %u, not %.0f", c->name, value, c->original)};
  for (int k = 0; k < 3 && c->original > 1; k++)
    if (l->block[k] == c->original) {
      r.shape.block[k] = value;
      r.shape.was[k] = l->block[k];
      r.shape.now[k] = value;
    }
  ww_edit_put(x, &e, c->at, c->end, ww_fmt(x->a, "%u", value));
  ww_rewrite_offer(x, &e, &r);
}

void ww_rewrite_constant(ww_rewriting *x) {
  static const uint64_t no_block[3] = {0};
  ww_axes s = {.a = x->a};
  ww_err none = {0};
  if (ww_space_propose(&s, x->text, x->in->kernel, no_block, &none) ||
      ww_space_bind(&s, x->text, x->in->kernel, &none))
    return;
  for (uint32_t k = 0; k < s.n; k++) {
    const ww_axis *c = &s.axes[k];
    if (!c->end || c->kind == WW_AXIS_BOUNDS || !is_own(x, c))
      continue;
    for (uint32_t v = 0; v < c->n; v++)
      if (c->v[v] != c->original)
        offer_value(x, c, c->v[v]);
  }
}
