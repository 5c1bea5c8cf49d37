/* depend.c - how much of a warp's instruction stream could be in flight at once.
 *
 * Follows the blocks one warp executes and the IR's def-use chains: no addresses, no
 * memory dependencies, no latencies. Time is the number of instructions issued so far.
 * In windows of 64 instructions the longest chain is measured; a global load is
 * outstanding until its first use, and that first use waits for everything outstanding,
 * because loads issued close together come back together. Phis, moves and freezes pass
 * a load on without waiting. A call's results count as ready when it issues, a callee's
 * parameters as ready at its start. Enough is seen after DEPEND_MAX instructions of a
 * warp. */
#include "count_int.h"

enum { WINDOW = 64, DEPEND_MAX = 4096 };

typedef struct {
  uint32_t window, depth; /* chain that ends in the value, valid in that window */
  uint32_t load;          /* time + 1 at which the load it holds was issued; 0: none */
} stamp;

struct ww_depend {
  ww_arena *a;
  const ww_module *m;
  stamp **stamps;        /* per function, [nvals], made on demand */
  uint32_t time;         /* instructions issued by this warp */
  uint32_t window, used; /* current window's number (from 1) and instructions in it */
  uint32_t longest;
  uint32_t first_out; /* time + 1 of the oldest outstanding load */
  uint32_t outstanding;
  bool waited[DEPEND_MAX + 1]; /* by load: its first use has come */
  ww_depend_sums sums;
};

ww_depend *ww_depend_new(const ww_module *m, ww_arena *a) {
  ww_depend *d = WW_NEW(a, ww_depend);
  d->a = a;
  d->m = m;
  d->stamps = WW_NEWN(a, stamp *, m->nfns + 1);
  return d;
}

void ww_depend_start(ww_depend *d) {
  for (uint32_t k = 0; k < d->m->nfns; k++)
    if (d->stamps[k])
      memset(d->stamps[k], 0, d->m->fns[k].nvals * sizeof **d->stamps);
  d->time = d->used = d->longest = d->first_out = d->outstanding = 0;
  d->window = 1;
  memset(d->waited, 0, sizeof d->waited);
  d->sums = (ww_depend_sums){0};
}

static void close_window(ww_depend *d) {
  d->sums.instructions += d->used;
  d->sums.longest += d->longest;
  d->window++;
  d->used = d->longest = 0;
}

static uint32_t depth_of(const ww_depend *d, const stamp *s) {
  return s->window == d->window ? s->depth : 0;
}

/* The instruction at d->time uses what a load brought. */
static void use_load(ww_depend *d, const stamp *s) {
  if (d->waited[s->load])
    return;
  d->waited[s->load] = true;
  d->sums.distance += d->time - s->load;
  d->sums.distances++;
  if (d->outstanding && s->load >= d->first_out) {
    d->sums.in_flight += d->outstanding;
    d->sums.waits++;
    d->outstanding = 0;
  }
}

static void issue(ww_depend *d, const ww_fn *fn, stamp *stamps, const ww_ins *i) {
  ww_val use[3 + 255];
  uint32_t n = ww_ins_uses(fn, i, use, 3 + 255);
  uint32_t depth = 0;
  uint32_t carried = 0;
  bool copy = i->op == WW_OP_MOV || i->op == WW_OP_FREEZE;
  for (uint32_t k = 0; k < n; k++) {
    const stamp *s = &stamps[use[k]];
    if (depth_of(d, s) > depth)
      depth = depth_of(d, s);
    if (copy)
      carried = s->load;
    else if (s->load)
      use_load(d, s);
  }
  if (ww_loads_global(i)) {
    if (!d->outstanding++)
      d->first_out = d->time + 1;
    carried = d->time + 1;
  }
  depth++;
  for (uint32_t k = 0; k < i->nres; k++)
    stamps[i->dst + k] = (stamp){d->window, depth, carried};
  if (depth > d->longest)
    d->longest = depth;
  d->time++;
  if (++d->used == WINDOW)
    close_window(d);
}

/* All values that may come in: the observer does not know along which edge. */
static void pass_phi(ww_depend *d, const ww_fn *fn, stamp *stamps, const ww_phi *phi) {
  stamp out = {.window = d->window};
  for (uint32_t k = 0; k < phi->n; k++) {
    const stamp *s = &stamps[ww_phi_value(fn, phi, k)];
    if (depth_of(d, s) > out.depth)
      out.depth = depth_of(d, s);
    if (s->load > out.load)
      out.load = s->load;
  }
  stamps[phi->dst] = out;
}

bool ww_depend_block(ww_depend *d, const ww_fn *fn, uint32_t block) {
  uint32_t f = fn - d->m->fns;
  const ww_block *b = &fn->blocks[block];
  if (!d->stamps[f])
    d->stamps[f] = WW_NEWN(d->a, stamp, fn->nvals + 1);
  for (uint32_t k = 0; k < b->nphis; k++)
    pass_phi(d, fn, d->stamps[f], &b->phis[k]);
  for (uint32_t k = 0; k < b->nins && d->time < DEPEND_MAX; k++)
    issue(d, fn, d->stamps[f], &b->ins[k]);
  return d->time < DEPEND_MAX;
}

void ww_depend_end(ww_depend *d, ww_depend_sums *add) {
  if (d->used)
    close_window(d);
  ww_add_doubles(add, &d->sums, sizeof *add, 1);
}
