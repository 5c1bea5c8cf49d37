/* split.c - lanes of a warp that go their own ways while others of it wait, as on GPUs
 * with independent thread scheduling.
 *
 * Lanes wait for each other where a branch's sides meet. When some spin on what others
 * of the same warp have to do first (a lock that one lane holds), those others become a
 * warp of their own: the same registers, another stack, no lanes in common. They meet
 * again at the next instruction that names the whole warp (shuffle, vote, __syncwarp,
 * barrier), once all that are left have come to it.
 *
 * Invariant: the warps of a block with the same id have disjoint `live` masks. */
#include "machine_int.h"

/* The same warp once more, under its own registers. */
static void copy_warp(const ww_machine *m, ww_exec *to, const ww_exec *from) {
  ww_exec own = *to;
  uint8_t *base = own.frames[0].frame;
  *to = *from;
  to->region_cache = own.region_cache;
  to->loops = own.loops;
  to->spins = own.spins;
  to->look = own.look;
  to->borrows = true;
  for (uint32_t d = 0; d < from->depth; d++)
    to->frames[d].frame = base + (from->frames[d].frame - from->frames[0].frame);
  to->F = base + (from->F - from->frames[0].frame);
  memcpy(base, from->frames[0].frame,
         (size_t)(from->F - from->frames[0].frame) + from->prog->frame);
  size_t rows = (size_t)(m->max_phis + 2) * m->lanes * sizeof(uint64_t);
  for (uint32_t l = 0; l < m->n_loops; l++) {
    ww_loop_state keep = to->loops[l];
    to->loops[l] = from->loops[l];
    to->loops[l].prev = keep.prev;
    to->loops[l].step = keep.step;
    to->loops[l].affine = keep.affine;
    memcpy(keep.prev, from->loops[l].prev, 2 * rows);
    memcpy(keep.affine, from->loops[l].affine, m->max_phis + 1);
  }
  for (uint32_t s = 0; s < m->n_spins; s++)
    to->spins[s].inside = false;
  ww_spin_start(to, from->told);
}

/* A place in the block for one warp more: one that has ended, or a new one. */
static ww_exec *free_warp(ww_machine *m, thread_block *b, ww_err *e) {
  for (uint32_t w = m->warps; w < b->n; w++)
    if (b->state[w] == WW_RUN_DONE) {
      b->state[w] = WW_RUN_SLICE;
      return b->warps[w];
    }
  ww_exec *x = ww_machine_warp(m, 0, true, e);
  if (!x)
    return NULL;
  b->warps = ww_xrealloc(b->warps, (b->n + 1) * sizeof *b->warps);
  b->state = ww_xrealloc(b->state, (b->n + 1) * sizeof *b->state);
  b->warps[b->n] = x;
  b->state[b->n++] = WW_RUN_SLICE;
  return x;
}

bool ww_split(ww_machine *m, thread_block *b, uint32_t w, ww_err *e) {
  ww_exec *x = b->warps[w];
  ww_mask others = x->live & ~x->mask;
  ww_exec *y = others ? free_warp(m, b, e) : NULL;
  if (!y)
    return false;
  copy_warp(m, y, x);
  y->steps = 0;
  y->live = others;
  y->mask = 0; /* it takes up what is pending */
  x->live = x->mask;
  x->part = false;
  x->split = y->split = true;
  return true;
}

/* ---- meeting again ---- */

static bool same_place(const ww_exec *a, const ww_exec *b) {
  if (a->pc != b->pc || a->rpc != b->rpc || a->depth != b->depth || a->sp != b->sp ||
      a->bar != b->bar)
    return false;
  for (uint32_t d = 0; d < a->depth; d++)
    if (a->frames[d].prog != b->frames[d].prog ||
        a->frames[d].call != b->frames[d].call ||
        a->frames[d].stack != b->frames[d].stack)
      return false;
  for (uint32_t k = 0; k < a->sp; k++)
    if (a->stack[k].pc != b->stack[k].pc || a->stack[k].rpc != b->stack[k].rpc)
      return false;
  return true;
}

/* One frame's values of some lanes. Rows of values that never leave their block are
 * shared by blocks: those of the block at hand count. */
static void
copy_lanes(ww_exec *to, const ww_exec *from, uint32_t depth, uint32_t block) {
  const ww_prog *p = from->frames[depth].prog;
  const uint8_t *s = from->frames[depth].frame;
  uint8_t *d = to->frames[depth].frame;
  for (uint32_t v = 0; v < p->fn->nvals; v++) {
    uint32_t bytes = WW_CELL_BYTES(p->fn->vals[v].type);
    if (p->slots[v] >= p->shared_rows && p->fn->vals[v].ref != block)
      continue;
    for (ww_mask m = from->live; m; m &= m - 1) {
      size_t at = p->slots[v] + (size_t)bytes * __builtin_ctzll(m);
      memcpy(d + at, s + at, bytes);
    }
  }
}

static void join(ww_exec *a, const ww_exec *b) {
  for (uint32_t d = 0; d < a->depth; d++) {
    const ww_seg *at = d + 1 < a->depth ? a->frames[d + 1].call : NULL;
    copy_lanes(a, b, d, at ? at->block : a->prog->segs[a->pc].block);
    a->frames[d].mask |= b->frames[d].mask;
  }
  for (uint32_t k = 0; k < a->sp; k++)
    a->stack[k].mask |= b->stack[k].mask;
  a->live |= b->live;
  a->mask |= b->mask;
  a->bar_result += b->bar_result;
  a->steps += b->steps;
  a->changes += b->changes + 1;
  a->part = (a->live & ~a->mask) != 0;
  for (uint32_t l = 0; l < a->lanes; l++)
    a->m[l] = -(int32_t)(a->mask >> l & 1);
}

static bool at_meeting(ww_run_end state) {
  return state == WW_RUN_MEET || state == WW_RUN_BARRIER || state == WW_RUN_GRIDSYNC;
}

/* Those of the warp that stand at the same place become one. */
static void join_warp(thread_block *b, uint32_t warp) {
  for (uint32_t v = 0; v < b->n; v++) {
    ww_exec *x = b->warps[v];
    if (x->id.warp != warp || !at_meeting(b->state[v]))
      continue;
    for (uint32_t w = v + 1; w < b->n; w++)
      if (b->warps[w]->id.warp == warp && b->state[w] == b->state[v] &&
          same_place(x, b->warps[w])) {
        join(x, b->warps[w]);
        b->state[w] = WW_RUN_DONE;
      }
    if (b->state[v] == WW_RUN_MEET)
      b->state[v] = WW_RUN_SLICE;
  }
}

bool ww_split_meet(ww_machine *m, thread_block *b, bool now) {
  bool any = false;
  for (uint32_t warp = 0; warp < m->warps; warp++) {
    uint32_t live = 0;
    uint32_t here = 0;
    uint32_t meet = 0;
    for (uint32_t w = 0; w < b->n; w++) {
      if (b->warps[w]->id.warp != warp || b->state[w] == WW_RUN_DONE)
        continue;
      live++;
      here += at_meeting(b->state[w]);
      meet += b->state[w] == WW_RUN_MEET;
    }
    bool all = live == here && (live > 1 || meet);
    if (!(all || (now && meet)))
      continue;
    any |= meet > 0;
    join_warp(b, warp);
  }
  for (uint32_t w = 0; w < b->n; w++) {
    uint32_t live = 0;
    for (uint32_t v = 0; v < b->n; v++)
      live +=
          b->warps[v]->id.warp == b->warps[w]->id.warp && b->state[v] != WW_RUN_DONE;
    b->warps[w]->split = live > 1;
  }
  return any;
}
