/* reach.c - which functions of a module a kernel can get to. */
#include "setup.h"

static void reach(const ww_module *m, uint32_t fn, bool *in) {
  if (in[fn])
    return;
  in[fn] = true;
  const ww_fn *f = &m->fns[fn];
  for (uint32_t v = 0; v < f->nvals; v++)
    if (f->vals[v].kind == WW_VAL_FN)
      reach(m, f->vals[v].ref, in);
  ww_ins_walk w = {.fn = f};
  for (const ww_ins *i; (i = ww_next_ins(&w));)
    if (i->op == WW_OP_CALL)
      reach(m, i->imm, in);
}

/* When it calls through pointers, every function that a symbol's table names counts as
 * well. */
void ww_reach(const ww_module *m, const ww_fn *fn, bool *in) {
  reach(m, fn - m->fns, in);
  bool indirect = false;
  for (uint32_t f = 0; f < m->nfns; f++)
    indirect |= in[f] && ww_fn_has(&m->fns[f], WW_OP_CALLI);
  if (!indirect)
    return;
  for (uint32_t s = 0; s < m->nsymbols; s++)
    for (uint32_t r = 0; r < m->symbols[s].nrelocs; r++)
      if (m->symbols[s].relocs[r].fn)
        reach(m, m->symbols[s].relocs[r].ref, in);
}
