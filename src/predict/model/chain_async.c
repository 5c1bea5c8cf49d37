/* chain_async.c - what warps have in flight beside their instructions, and how they
 * wait for each other at mbarriers.
 *
 * A warp goes on while its matrix products and copies are under way; only a wait for
 * them, or for the mbarrier that they are counted off, puts their end on its way. A
 * phase of an mbarrier ends with the last arrival or copy: whoever waits for it goes on
 * from there, with the way of the warp that came last as its own. So a block's longest
 * way leads through all of its warps, and the chain of one role is not added to
 * another's. Who contends for matrix units and the copy engine is not here: throughput
 * is the time model's. */
#include "chain_int.h"

enum { BARRIERS = 64 }; /* of a block; more are not followed */

typedef struct {
  uint64_t at;   /* in shared memory, + 1; 0: free */
  ww_point now;  /* the latest of this phase so far */
  ww_point over; /* when the last one ended */
} barrier;

struct ww_barriers {
  const ww_gpu *g;
  barrier v[BARRIERS];
};

ww_barriers *ww_barriers_new(const ww_gpu *g, ww_arena *a) {
  ww_barriers *b = WW_NEW(a, ww_barriers);
  b->g = g;
  return b;
}

void ww_barriers_start(ww_barriers *b) {
  memset(b->v, 0, sizeof b->v);
}

/* NULL: there is no room for another. */
static barrier *at(ww_barriers *b, uint64_t place) {
  for (uint32_t k = 0; k < BARRIERS; k++) {
    barrier *v = &b->v[(place / 8 + k) % BARRIERS];
    if (!v->at)
      v->at = place + 1;
    if (v->at == place + 1)
      return v;
  }
  return NULL;
}

void ww_barriers_event(ww_barriers *b, const ww_mbar_event *e, const ww_point *there) {
  barrier *v = e->barrier == UINT64_MAX ? NULL : at(b, e->barrier);
  if (!v)
    return;
  ww_later(&v->now, there);
  if (!e->ends)
    return;
  v->over = v->now;
  v->now = (ww_point){0};
}

ww_point ww_barriers_waited(ww_barriers *b, uint64_t place, ww_point now) {
  barrier *v = place == UINT64_MAX ? NULL : at(b, place);
  if (!v || v->over.t <= now.t)
    return now;
  return ww_plus_fixed(v->over, WW_FIGURE(b->g, mbarrier_latency));
}

ww_point ww_barriers_copy(ww_barriers *b, uint64_t bytes, ww_point p) {
  return ww_plus_fixed(p, bytes / WW_FIGURE(b->g, bulk_rate));
}

/* The end of all of n groups but the last `left`. */
static ww_point awaited(const ww_point *group, uint32_t n, int64_t left) {
  if (left < 0 || left >= (int64_t)n || left >= WW_FLIGHT_GROUPS)
    return (ww_point){0};
  return group[(n - 1 - left) % WW_FLIGHT_GROUPS];
}

/* When a warp at p that commits a group, or waits for one, goes on. Products follow one
 * another in the matrix unit. */
static ww_point of_group(ww_flight *f, const ww_ins *i, const ww_gpu *g, ww_point p) {
  double drain = g->latency[WW_GPU_OP_wgmma_f16];
  ww_point end = p;
  switch (i->sub) {
  case WW_GROUP_WG_COMMIT:
    f->group[f->ngroups++ % WW_FLIGHT_GROUPS] = f->matrix;
    break;
  case WW_GROUP_COPY_COMMIT:
    f->copies[f->ncopies++ % WW_FLIGHT_GROUPS] = f->copied;
    break;
  case WW_GROUP_WG_WAIT:
    end = awaited(f->group, f->ngroups, i->imm);
    if (end.t > 0)
      end = ww_plus_fixed(end, drain > 0 ? drain : 30);
    break;
  case WW_GROUP_COPY_WAIT:
    end = awaited(f->copies, f->ncopies, i->imm);
    break;
  case WW_GROUP_BULK_WAIT:
    end = f->stores;
    break;
  default:
    break;
  }
  ww_later(&p, &end);
  return p;
}

ww_point ww_flight_issue(
    ww_flight *f, const ww_ins *i, const ww_gpu *g, double cycles, ww_point p) {
  switch (i->op) {
  case WW_OP_WGMMA:
    ww_later(&f->matrix, &p);
    f->matrix = ww_plus_fixed(f->matrix, cycles);
    return p;
  case WW_OP_GROUP:
    return of_group(f, i, g, p);
  case WW_OP_BULK:
  case WW_OP_TMA:
    if (i->sub == WW_BULK_STORE)
      f->stores = ww_plus_fixed(p, WW_FIGURE(g, bulk_latency) / 2);
    return p;
  default:
    return p;
  }
}
