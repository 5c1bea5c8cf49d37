/* tickets.c - queues of work: which atomics hand out pieces of it.
 *
 * A loop that draws a number by an atomic addition and ends when the number is too high
 * shares its work with all blocks that draw. A block that is run alone would draw
 * everything; where blocks stand for others (ww_run_spec.share), each draw of one
 * counts for all of those, and it gets its own share. */
#include "code.h"

typedef struct {
  const ww_fn *fn;
  uint32_t loop;
  bool *drawn; /* per value: made of what the atomic gave */
  bool shared; /* such a value lies in shared memory */
  bool changed;
} flow;

static void mark(flow *f, ww_val v) {
  f->changed |= !f->drawn[v];
  f->drawn[v] = true;
}

static void step(flow *f, const ww_ins *i) {
  ww_val use[32];
  uint32_t n = ww_ins_uses(f->fn, i, use, 32);
  bool any = i->op == WW_OP_LD && i->space == WW_SHARED && f->shared;
  if (i->op == WW_OP_ST && i->space == WW_SHARED) {
    bool before = f->shared;
    for (uint32_t k = 0; k < i->n; k++)
      f->shared |= f->drawn[f->fn->pool[i->ext + k]];
    f->changed |= f->shared != before;
  }
  if (!ww_touches_memory(i))
    for (uint32_t u = 0; u < n; u++)
      any |= f->drawn[use[u]];
  for (uint32_t r = 0; any && r < i->nres; r++)
    mark(f, i->dst + r);
}

static void flow_on(flow *f) {
  do {
    f->changed = false;
    for (uint32_t b = 0; b < f->fn->nblocks; b++) {
      const ww_block *bb = &f->fn->blocks[b];
      if (!ww_ir_in_loop(f->fn, b, f->loop))
        continue;
      for (uint32_t p = 0; p < bb->nphis; p++)
        for (uint32_t n = 0; n < bb->phis[p].n; n++)
          if (f->drawn[ww_phi_value(f->fn, &bb->phis[p], n)])
            mark(f, bb->phis[p].dst);
      for (uint32_t k = 0; k < bb->nins; k++)
        step(f, &bb->ins[k]);
    }
  } while (f->changed);
}

/* A branch that may leave the loop looks at it. */
static bool ends_loop(const flow *f) {
  for (uint32_t b = 0; b < f->fn->nblocks; b++) {
    const ww_block *bb = &f->fn->blocks[b];
    if (!ww_ir_in_loop(f->fn, b, f->loop))
      continue;
    bool leaves = false;
    for (uint32_t s = 0; s < bb->nsucc; s++)
      leaves |= !ww_ir_in_loop(f->fn, bb->succ[s], f->loop);
    const ww_ins *t = ww_terminator(bb);
    if (leaves && (t->op == WW_OP_CBR || t->op == WW_OP_SWITCH) && f->drawn[t->a])
      return true;
  }
  return false;
}

static bool adds(const ww_ins *i) {
  return i->op == WW_OP_ATOM && i->nres && !ww_is_float(i->type) && ww_is_global(i) &&
         (i->sub == WW_RMW_ADD || i->sub == WW_RMW_SUB);
}

bool ww_is_ticket(const ww_fn *fn, uint32_t block, const ww_ins *i, ww_arena *a) {
  if (!adds(i))
    return false;
  flow f = {.fn = fn, .drawn = WW_NEWN(a, bool, fn->nvals + 1)};
  for (f.loop = fn->blocks[block].loop; f.loop != WW_NOBLOCK;
       f.loop = fn->loops[f.loop].parent) {
    memset(f.drawn, 0, fn->nvals * sizeof *f.drawn);
    f.drawn[i->dst] = true;
    f.shared = false;
    flow_on(&f);
    if (ends_loop(&f))
      return true;
  }
  return false;
}
