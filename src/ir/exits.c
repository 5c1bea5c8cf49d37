/* exits.c - early returns of kernels as exits.
 *
 * Optimisers merge all returns of a function into one block, so `if (i >= n) return;`
 * becomes a branch to where everyone ends, and lanes that are done would seem to wait
 * there for the rest. The hardware lets them leave: a conditional edge to a bare return
 * becomes an edge to an exit, which post-dominators ignore (flow.c). */
#include "ir.h"

static bool bare_return(const ww_block *b) {
  return b->nphis == 0 && b->nins == 1 && b->ins[0].op == WW_OP_RET && b->ins[0].n == 0;
}

static bool jumped_to(const ww_fn *fn, uint32_t block) {
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_ins *t = ww_terminator(&fn->blocks[b]);
    if (t->op == WW_OP_BR && t->imm == block)
      return true;
  }
  return false;
}

/* Conditional edges to `from` lead to `to` now; whether there are any. */
static bool redirect(ww_fn *fn, uint32_t from, uint32_t to) {
  bool found = false;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    ww_ins *t = &fn->blocks[b].ins[fn->blocks[b].nins - 1];
    bool many = t->op == WW_OP_SWITCH;
    if (t->op != WW_OP_CBR && !many)
      continue;
    if (t->imm == from) {
      t->imm = to;
      found = true;
    }
    for (uint32_t k = 0; k < (many ? t->n : 1); k++) {
      uint32_t *target = many ? &fn->pool[t->ext + 2 * k + 1] : &t->ext;
      if (*target != from)
        continue;
      *target = to;
      found = true;
    }
  }
  return found;
}

void ww_ir_split_exits(ww_fn *fn, ww_arena *a) {
  if (!fn->kernel)
    return;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    if (!bare_return(&fn->blocks[b]) || !redirect(fn, b, b))
      continue;
    if (!jumped_to(fn, b)) { /* everyone who comes here comes by a branch */
      fn->blocks[b].ins[0].op = WW_OP_EXIT;
      continue;
    }
    ww_block *blocks = WW_NEWN(a, ww_block, fn->nblocks + 1);
    memcpy(blocks, fn->blocks, fn->nblocks * sizeof *blocks);
    ww_ins *exit = WW_NEW(a, ww_ins);
    *exit = fn->blocks[b].ins[0];
    exit->op = WW_OP_EXIT;
    blocks[fn->nblocks] = (ww_block){.ins = exit, .nins = 1, .name = "exit"};
    fn->blocks = blocks;
    redirect(fn, b, fn->nblocks);
    fn->nblocks++;
    return;
  }
}
