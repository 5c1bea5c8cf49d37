/* advice_sync.c - findings about barriers of the block that one warp alone would need.
 *
 * A block of one warp, and the end of a sum by halves: from 32 threads on all that are
 * left belong to one warp. The tree is known by what it does: each round works with
 * half of the threads before, so that all rounds together take as many lanes as the
 * block has threads. */
#include "advice_int.h"

static double log2_of(double v) {
  return v > 1 ? log2(v) : 0;
}

static bool has_both(const ww_block *b) {
  bool loads = false;
  bool stores = false;
  for (uint32_t k = 0; k < b->nins; k++) {
    loads |= b->ins[k].op == WW_OP_LD && b->ins[k].space == WW_SHARED;
    stores |= b->ins[k].op == WW_OP_ST && b->ins[k].space == WW_SHARED;
  }
  return loads && stores;
}

/* Rounds of trees that one warp does alone, of one block of threads. */
typedef struct {
  double rounds;
  ww_loc at;
  ww_part part; /* what they execute, of all warps */
} tree;

static const ww_site *barrier_of(const ww_advisor *x, uint32_t loop) {
  for (const ww_site *s = x->sites; s < x->sites_end; s++)
    if (s->fn == x->fn && s->ins->op == WW_OP_BAR && loop != WW_NOBLOCK &&
        ww_ir_in_loop(x->fn, s->block, loop))
      return s;
  return NULL;
}

/* A loop: its rounds, and the lanes that work in all of them. */
static void add_loop(const ww_advisor *x, uint32_t block, tree *t) {
  const ww_work *w = x->work;
  const ww_site *bar = barrier_of(x, x->fn->blocks[block].loop);
  double want = log2_of(w->block_threads);
  double rounds = bar ? bar->warps / (w->blocks * (double)w->warps_per_block) : 0;
  double trees = want > 0 ? rounds / want : 0;
  double lanes = x->of[block]->lanes / w->blocks;
  if (trees < 0.9 || fabs(trees - round(trees)) > 0.1 ||
      fabs(lanes / (round(trees) * w->block_threads) - 1) > 0.1)
    return;
  double alone = log2_of(x->g->lanes);
  t->rounds += round(trees) * alone;
  t->at = ww_site_loc(x, bar);
  for (const ww_site *s = x->sites; s < x->sites_end; s++)
    if (s->fn == x->fn && ww_ir_in_loop(x->fn, s->block, x->fn->blocks[block].loop))
      ww_part_add(&t->part, s, alone / want);
}

/* Rounds that were unrolled: blocks of code in which at most half a warp works. */
static void add_straight(const ww_advisor *x, uint32_t block, tree *t) {
  double lanes = x->of[block]->lanes / x->work->blocks;
  const ww_block *b = &x->fn->blocks[block];
  if (lanes > x->g->lanes / 2.0 || lanes <= 0)
    return;
  t->rounds += 1;
  for (uint32_t k = 0; k < b->nins && !t->at.line; k++)
    t->at = x->m->locs[b->ins[k].loc];
}

static tree find_trees(const ww_advisor *x) {
  tree loops = {0};
  tree straight = {0};
  for (uint32_t b = 0; b < x->fn->nblocks; b++) {
    if (!x->of[b] || !has_both(&x->fn->blocks[b]))
      continue;
    if (x->fn->blocks[b].loop == WW_NOBLOCK)
      add_straight(x, b, &straight);
    else
      add_loop(x, b, &loops);
  }
  return loops.rounds > 0 || straight.rounds < 4 ? loops : straight;
}

static void add(ww_advisor *x, const tree *t, const char *cause) {
  ww_work w = *x->work;
  ww_part_remove(x, &t->part, &w);
  w.chain.barriers = fmax(w.chain.barriers - t->rounds, 0);
  /* a shuffle takes the place of a store and a load */
  w.chain.shared_waits = fmax(0, w.chain.shared_waits - 0.5 * t->rounds);
  ww_advice_add(x, WW_RULE_WARP_BARRIER, t->at, &w, cause,
                ww_fmt(x->a, "use %s there instead of %s",
                       ww_word_of(x, WW_WORD_WARP_SYNC),
                       ww_word_of(x, WW_WORD_BARRIER)));
}

void ww_advise_sync(ww_advisor *x) {
  const ww_work *w = x->work;
  const ww_site *first = NULL;
  if (w->chain.barriers <= 0)
    return;
  for (const ww_site *s = x->sites; s < x->sites_end; s++)
    if (s->ins->op == WW_OP_BAR && s->warps > (first ? first->warps : 0))
      first = s;
  if (!first)
    return;
  if (w->warps_per_block == 1) {
    tree all = {w->chain.barriers, ww_site_loc(x, first), {{0}, 0}};
    for (const ww_site *s = x->sites; s < x->sites_end; s++)
      if (s->ins->op == WW_OP_BAR)
        ww_part_add(&all.part, s, 1);
    add(x, &all,
        ww_fmt(x->a, "the %s is one warp, and its %.3g barriers are for more",
               ww_word_of(x, WW_WORD_BLOCK), w->chain.barriers));
    return;
  }
  tree t = find_trees(x);
  if (t.rounds > 0)
    add(x, &t,
        ww_fmt(x->a,
               "%.3g rounds of a sum by halves, each with a barrier of the %s, are "
               "between threads of one warp",
               t.rounds, ww_word_of(x, WW_WORD_BLOCK)));
}
