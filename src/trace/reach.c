/* reach.c - which functions of a module a kernel can get to. */
#include "setup.h"

static bool calls_pointers(const ww_fn *f) {
  for (uint32_t b = 0; b < f->nblocks; b++)
    for (uint32_t k = 0; k < f->blocks[b].nins; k++)
      if (f->blocks[b].ins[k].op == WW_OP_CALLI)
        return true;
  return false;
}

static void reach(const ww_module *m, uint32_t fn, bool *in) {
  if (in[fn])
    return;
  in[fn] = true;
  const ww_fn *f = &m->fns[fn];
  for (uint32_t v = 0; v < f->nvals; v++)
    if (f->vals[v].kind == WW_VAL_FN)
      reach(m, f->vals[v].ref, in);
  for (uint32_t b = 0; b < f->nblocks; b++)
    for (uint32_t k = 0; k < f->blocks[b].nins; k++)
      if (f->blocks[b].ins[k].op == WW_OP_CALL)
        reach(m, f->blocks[b].ins[k].imm, in);
}

/* When it calls through pointers, every function that a symbol's table names counts as well. */
void ww_reach(const ww_module *m, const ww_fn *fn, bool *in) {
  reach(m, fn - m->fns, in);
  bool indirect = false;
  for (uint32_t f = 0; f < m->nfns; f++)
    indirect |= in[f] && calls_pointers(&m->fns[f]);
  if (!indirect)
    return;
  for (uint32_t s = 0; s < m->nsymbols; s++)
    for (uint32_t r = 0; r < m->symbols[s].nrelocs; r++)
      if (m->symbols[s].relocs[r].fn)
        reach(m, m->symbols[s].relocs[r].ref, in);
}
