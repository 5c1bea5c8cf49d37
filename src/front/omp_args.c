/* omp_args.c - what an OpenMP region's scalar arguments really are.
 *
 * Captured scalars travel as 64-bit integers, whatever the source says; debug
 * information calls them `unsigned long`. The region unpacks them first thing, and that
 * tells: bits reread as a float, or cut to a narrower integer. */
#include "openmp.h"

static const ww_ins *reader_of(const ww_block *b, ww_val v) {
  for (const ww_ins *i = b->ins; i && i < b->ins + b->nins; i++)
    if (i->a == v && (i->op == WW_OP_MOV || i->op == WW_OP_TRUNC))
      return i;
  return NULL;
}

/* The first instruction of the function that unpacks v, and the one that rereads its
 * result. */
static void unpack(const ww_fn *fn, ww_val v, ww_param *p) {
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_ins *i = reader_of(&fn->blocks[b], v);
    if (!i)
      continue;
    if (i->op == WW_OP_MOV && i->type == WW_F64) {
      p->elem = WW_F64;
      p->ctype = "double";
    }
    if (i->op != WW_OP_TRUNC || i->type != WW_I32)
      return;
    p->ctype = "int";
    for (uint32_t c = 0; c < fn->nblocks; c++) {
      const ww_ins *m = reader_of(&fn->blocks[c], i->dst);
      if (m && m->op == WW_OP_MOV && m->type == WW_F32) {
        p->elem = WW_F32;
        p->ctype = "float";
      }
    }
    return;
  }
}

void ww_openmp_scalars(ww_module *m) {
  for (uint32_t f = 0; f < m->nfns; f++) {
    ww_fn *fn = &m->fns[f];
    for (uint32_t v = 0; fn->kernel && !fn->refusal && v < fn->nvals; v++) {
      if (fn->vals[v].kind != WW_VAL_PARAM)
        continue;
      ww_param *p = &fn->params[fn->vals[v].ref];
      if (!p->pointer && !p->byval && p->type == WW_I64)
        unpack(fn, v, p);
    }
  }
}
