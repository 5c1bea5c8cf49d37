/* verify_cover.c - what the cases of a verdict did not show: code that none reached,
 * and what no small run can. */
#include "verify_int.h"

bool **ww_cover_open(const ww_plan *p, int side) {
  const ww_module *m = p->side[side]->module;
  bool **reached = WW_NEWN(p->a, bool *, m->nfns + 1);
  for (uint32_t f = 0; f < m->nfns; f++)
    reached[f] = WW_NEWN(p->a, bool, m->fns[f].nblocks + 1);
  return reached;
}

static void
add_place(ww_arena *a, const ww_module *m, const ww_block *b, ww_places *to) {
  for (uint32_t k = 0; k < b->nins; k++) {
    uint32_t loc = b->ins[k].loc;
    if (!loc || loc >= m->nlocs || !m->locs[loc].line)
      continue;
    ww_place at = {m->nfiles ? ww_strdup(a, m->files[m->locs[loc].file]) : NULL,
                   m->locs[loc].line};
    for (uint32_t n = 0; n < to->n; n++)
      if (to->v[n].line == at.line)
        return;
    ww_push(a, to, at);
    return;
  }
}

static void
find_unreached(const ww_plan *p, bool *const *reached, int side, ww_verdict *out) {
  const ww_verify_side *s = p->side[side];
  bool *in = WW_NEWN(p->a, bool, s->module->nfns + 1);
  ww_reach(s->module, s->fn, in);
  for (uint32_t f = 0; f < s->module->nfns; f++)
    for (uint32_t b = 0; in[f] && b < s->module->fns[f].nblocks; b++) {
      const ww_block *t = &s->module->fns[f].blocks[b];
      if (t->nins && ww_terminator(t)->op == WW_OP_TRAP)
        continue;
      out->blocks[side]++;
      if (reached[f][b])
        continue;
      out->missed[side]++;
      add_place(p->a, s->module, t, &out->unreached[side]);
    }
}

static void list_limits(const ww_plan *p, ww_verdict *out) {
  static const char *const always[] = {
      "indices beyond 2^31: buffers are far smaller",
      "lanes of a warp that run apart: here they run in lock step",
      "the order in which writes reach other threads: here at once",
      "errors that grow with size beyond the sizes that ran",
  };
  ww_strings_add(p->a, &out->limits, always, WW_COUNT(always));
  for (uint32_t k = 0; k < out->nsizes; k++)
    if (out->cases && out->sizes[k].most < out->sizes[k].given)
      ww_push(p->a, &out->limits,
              ww_fmt(p->a, "`%s` above %lld, and what only happens there (given: %lld)",
                     out->sizes[k].name, (long long)out->sizes[k].most,
                     (long long)out->sizes[k].given));
  if (out->missed[1])
    ww_push(p->a, &out->limits,
            ww_fmt(p->a,
                   "what %u of the new kernel's %u blocks of code do: no case "
                   "reached them",
                   out->missed[1], out->blocks[1]));
}

void ww_cover_close(const ww_plan *p, bool **const reached[2], ww_verdict *out) {
  for (int s = 0; s < 2; s++)
    find_unreached(p, reached[s], s, out);
  list_limits(p, out);
}
