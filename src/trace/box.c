/* box.c - which blocks of a grid work: a guard like `if (i >= n) return` leaves a box
 * of them from the grid's corner.
 *
 * A block is run up to its first access to memory; one that ends without any is idle.
 * The box's edges are found by bisection along the axes, then some blocks inside and
 * outside are looked at: one that does not fit makes it the whole grid. A few thousand
 * instructions, so that a launch much larger than its work neither hides the work from
 * the samples nor counts as work. */
#include "sample.h"

enum { TURN = 64 }; /* warp instructions between two looks */
/* warp instructions after which a block works, whatever it does */
#define ENOUGH 100000ull

typedef struct {
  const ww_run_spec *spec;
  ww_machine *m;
  ww_arena *a;
  bool touched;
} prober;

static void on_access(void *ctx, const ww_access *a) {
  ((prober *)ctx)->touched |= a->space != WW_PARAM && a->space != WW_CONST;
}
static bool on_poll(void *ctx) {
  return ((prober *)ctx)->touched;
}

static bool works(prober *p, const uint64_t at[3]) {
  uint64_t block = ww_number_of(p->spec->grid, at);
  ww_observer obs = {.ctx = p, .access = on_access, .cancelled = on_poll};
  p->touched = false;
  return ww_machine_run(p->m, &block, 1, 1, &obs, NULL, p->a, NULL) || p->touched;
}

/* Along one axis, from the corner: the first block that is idle, or the grid's end. */
static uint64_t edge(prober *p, int d) {
  uint64_t at[3] = {0};
  uint64_t lo = 0;
  uint64_t hi = p->spec->grid[d] - 1;
  at[d] = hi;
  if (hi == 0 || works(p, at))
    return hi + 1;
  while (hi - lo > 1) {
    at[d] = lo + (hi - lo) / 2;
    if (works(p, at))
      lo = at[d];
    else
      hi = at[d];
  }
  return hi;
}

/* The box's far corner and its middle work; behind each of its faces, and at the grid's
 * far corner, nothing does. */
static bool fits(prober *p, const uint64_t box[3]) {
  const uint64_t *g = p->spec->grid;
  uint64_t in[2][3];
  uint64_t far[3] = {g[0] - 1, g[1] - 1, g[2] - 1};
  for (int d = 0; d < 3; d++) {
    in[0][d] = box[d] - 1;
    in[1][d] = box[d] / 2;
  }
  if (!works(p, in[0]) || !works(p, in[1]) || works(p, far))
    return false;
  for (int d = 0; d < 3; d++)
    for (int k = 0; box[d] < g[d] && k < 2; k++) {
      uint64_t at[3] = {in[k][0], in[k][1], in[k][2]};
      at[d] = k ? box[d] + (g[d] - box[d]) / 2 : box[d];
      if (works(p, at))
        return false;
    }
  return true;
}

void ww_work_box(const ww_run_spec *spec, uint64_t box[3], ww_arena *a) {
  ww_run_spec quick = *spec;
  prober p = {.spec = spec, .a = a};
  uint64_t corner[3] = {0};
  uint64_t found[3];
  memcpy(box, spec->grid, sizeof found);
  quick.slice = TURN;
  quick.max_steps = ENOUGH;
  quick.extrapolate = quick.print = false;
  quick.pass_waits = true;
  if (ww_volume(spec->grid) < 2 || ww_machine_new(&quick, &p.m, NULL))
    return;
  if (works(&p, corner)) {
    for (int d = 0; d < 3; d++)
      found[d] = edge(&p, d);
    if (memcmp(found, box, sizeof found) && fits(&p, found))
      memcpy(box, found, sizeof found);
  }
  ww_machine_free(p.m);
  ww_memory_reset(spec->memory);
}
