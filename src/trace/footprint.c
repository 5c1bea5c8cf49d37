/* footprint.c - which bytes each memory instruction touches as a function of the block
 * index.
 *
 * Per instruction and thread block: lowest and highest byte. An affine function through
 * them is exact for regular kernels; it is solved from the first blocks that span the
 * axes and then checked against every other block seen. */
#include "sample.h"

#include <math.h>

typedef struct {
  uint64_t block, lo, hi;
} range;

typedef struct {
  const ww_ins *ins;
  const ww_fn *fn;
  uint8_t kind;
  int32_t arg;
  uint64_t origin;
  uint64_t lo, hi; /* of the block that runs */
  WW_VEC(range) seen;
} entry;

struct ww_footprints {
  ww_arena *a; /* it and all that it has */
  ww_memory *mem;
  uint64_t grid[3];
  entry **by_id; /* per ins_id */
  uint32_t n;
  uint64_t shared_to; /* address behind the last touched byte of shared memory */
};

ww_footprints *ww_footprints_new(ww_memory *mem, const uint64_t grid[3]) {
  ww_arena *a = ww_arena_new();
  ww_footprints *f = WW_NEW(a, ww_footprints);
  f->a = a;
  f->mem = mem;
  memcpy(f->grid, grid, sizeof f->grid);
  return f;
}

void ww_footprints_free(ww_footprints *f) {
  if (f)
    ww_arena_free(f->a);
}

static entry *entry_of(ww_footprints *f, const ww_access *a) {
  if (a->ins_id >= f->n) {
    uint32_t n = a->ins_id + 64;
    f->by_id = ww_grow(f->a, f->by_id, f->n * sizeof *f->by_id, n * sizeof *f->by_id);
    f->n = n;
  }
  entry *e = f->by_id[a->ins_id];
  if (e)
    return e;
  const ww_region *r = ww_memory_find(f->mem, a->addr[__builtin_ctzll(a->lanes)]);
  e = f->by_id[a->ins_id] = WW_NEW(f->a, entry);
  *e = (entry){.ins = a->ins,
               .fn = a->fn,
               .kind = a->kind,
               .arg = r ? r->arg : -1,
               .origin = r ? r->origin : 0,
               .lo = UINT64_MAX};
  return e;
}

uint64_t ww_footprints_shared(const ww_footprints *f) {
  return f->shared_to ? f->shared_to - WW_SHARED_BASE : 0;
}

void ww_footprints_access(ww_footprints *f, const ww_access *a) {
  if (a->space == WW_SHARED && a->hi > f->shared_to)
    f->shared_to = a->hi;
  if (a->space != WW_GLOBAL && a->space != WW_CONST)
    return;
  entry *e = entry_of(f, a);
  ww_range_add(&e->lo, &e->hi, a->lo, a->hi);
}

void ww_footprints_block(ww_footprints *f, uint64_t block) {
  for (uint32_t k = 0; k < f->n; k++) {
    entry *e = f->by_id[k];
    if (!e || e->lo >= e->hi)
      continue;
    ww_push(f->a, &e->seen, (range){block, e->lo, e->hi});
    e->lo = UINT64_MAX;
    e->hi = 0;
  }
}

static void coordinates(const ww_footprints *f, uint64_t block, double c[3]) {
  for (int d = 0; d < 3; d++)
    c[d] = ww_axis_of(f->grid, block, d);
}

/* The stride along one axis from two blocks that differ in it and else only in axes
 * whose strides are known; false: there are none. */
static bool solve_axis(const ww_footprints *f,
                       const entry *e,
                       int axis,
                       const bool known[3],
                       double stride[3]) {
  uint32_t most = e->seen.n < 32 ? e->seen.n : 32; /* the first ones span the grid */
  for (uint32_t i = 0; i < most; i++)
    for (uint32_t k = i + 1; k < most; k++) {
      double p[3];
      double q[3];
      coordinates(f, e->seen.v[i].block, p);
      coordinates(f, e->seen.v[k].block, q);
      double rise = (int64_t)(e->seen.v[k].lo - e->seen.v[i].lo);
      bool others = true;
      for (int d = 0; d < 3; d++) {
        others &= d == axis || known[d] || p[d] == q[d];
        rise -= known[d] ? stride[d] * (q[d] - p[d]) : 0;
      }
      if (others && p[axis] != q[axis]) {
        stride[axis] = rise / (q[axis] - p[axis]);
        return true;
      }
    }
  return false;
}

static void solve_strides(const ww_footprints *f, const entry *e, double stride[3]) {
  bool known[3] = {false};
  for (int round = 0; round < 3; round++)
    for (int d = 0; d < 3; d++)
      if (!known[d])
        known[d] = solve_axis(f, e, d, known, stride);
}

static ww_footprint fit(const ww_footprints *f, const entry *e) {
  ww_footprint o = {
      .ins = e->ins, .fn = e->fn, .kind = e->kind, .arg = e->arg, .affine = true};
  double c[3];
  coordinates(f, e->seen.v[0].block, c);
  o.at = (int64_t)(e->seen.v[0].lo - e->origin);
  solve_strides(f, e, o.stride);
  for (int d = 0; d < 3; d++)
    o.at -= o.stride[d] * c[d];
  for (uint32_t k = 0; k < e->seen.n; k++) {
    double bytes = e->seen.v[k].hi - e->seen.v[k].lo;
    if (bytes > o.bytes)
      o.bytes = bytes;
    coordinates(f, e->seen.v[k].block, c);
    double want = o.at + o.stride[0] * c[0] + o.stride[1] * c[1] + o.stride[2] * c[2];
    double off = fabs(want - (int64_t)(e->seen.v[k].lo - e->origin));
    o.off = fmax(o.off, off);
    o.affine &= off < 0.5;
  }
  return o;
}

void ww_footprints_fit(ww_footprints *f, ww_arena *a, ww_footprint **out, uint32_t *n) {
  *out = WW_NEWN(a, ww_footprint, f->n + 1);
  *n = 0;
  for (uint32_t k = 0; k < f->n; k++)
    if (f->by_id[k] && f->by_id[k]->seen.n)
      (*out)[(*n)++] = fit(f, f->by_id[k]);
}
