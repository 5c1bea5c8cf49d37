/* generate_launch.c - launch number n of a generated kernel: regime, shape, sizes for a
 * wanted time, arguments.
 *
 * Targets of one kernel's launches are stratified: number n takes the n-th point of an
 * additive sequence over the logarithm of the time, another over the regimes, so that
 * few launches cover both evenly (the interquartile range of the times stays that of
 * the whole range). Integers decide, or doubles that only saw + - * /. */
#include "../base/random.h"
#include "generate_int.h"

#ifdef __clang__ /* others do not contract in standard C */
#pragma STDC FP_CONTRACT OFF
#endif

typedef struct {
  uint64_t rng;
  const gen *g;
  const gen_cost *cost;
  gen_sizes z;
  double cap; /* bytes */
} draw;

static uint64_t next(draw *d) {
  return ww_random(&d->rng);
}
static uint32_t below(draw *d, uint32_t n) {
  return ww_random_below(next(d), n);
}

/* 2^x for 0 <= x < 60, by its series. */
static double power2(double x) {
  int k = x;
  double f = (x - k) * 0.6931471805599453;
  double term = 1;
  double v = 1;
  for (int n = 1; n < 16; n++) {
    term *= f / n;
    v += term;
  }
  return v * ((uint64_t)1 << k);
}

static double log2_of(double x) { /* x >= 1 */
  int k = 0;
  while (x >= 2) {
    x *= 0.5;
    k++;
  }
  double t = (x - 1) / (x + 1);
  double t2 = t * t;
  double term = t;
  double v = 0;
  for (int n = 1; n < 30; n += 2, term *= t2)
    v += term / n;
  return k + v * 2.885390081777927;
}

static uint64_t log_uniform(uint64_t bits, uint64_t lo, uint64_t hi) {
  double from = log2_of(lo);
  double to = log2_of(hi + 0.999);
  uint64_t v = power2(from + ww_random_unit(bits) * (to - from));
  return v < lo ? lo : v > hi ? hi : v;
}

/* ---- shape ---- */

static uint64_t draw_blocks(draw *d, uint64_t regime, uint32_t sms) {
  uint32_t percent = (regime >> 32) * 100 >> 32;
  uint64_t u = next(d);
  if (percent < 25)
    return percent < 5 ? 1 : 1 + below(d, sms > 1 ? sms - 1 : 1);
  uint64_t blocks = percent < 85 ? log_uniform(u, sms, 20ull * sms)
                                 : log_uniform(u, 20ull * sms, 1000ull * sms);
  if (below(d, 3) == 0)
    blocks = (blocks + sms - 1) / sms * sms; /* whole waves are common too */
  return blocks;
}

static void block_1d(draw *d, uint32_t most) {
  static const uint16_t usual[] = {32,  64,  96,  128, 128, 128, 160, 192, 256,  256,
                                   256, 256, 320, 384, 512, 512, 640, 768, 1024, 1024};
  static const uint16_t powers[] = {32, 64, 128, 128, 256, 256, 256, 512, 512, 1024};
  uint32_t t = d->g->shape.pow2 ? powers[below(d, 10)] : usual[below(d, 20)];
  while (t > most)
    t = d->g->shape.pow2 || t > 2 * most ? t / 2 : most;
  d->z.block[0] = t;
}

static void draw_block(draw *d) {
  static const uint8_t flat[][2] = {{32, 8},  {16, 16}, {32, 4}, {64, 4},
                                    {8, 8},   {32, 32}, {16, 8}, {128, 1},
                                    {32, 16}, {32, 1},  {64, 8}, {8, 32}};
  static const uint8_t deep[][3] = {{8, 8, 4},   {8, 8, 8}, {32, 4, 2}, {16, 4, 4},
                                    {32, 2, 2},  {4, 4, 4}, {32, 8, 1}, {64, 2, 2},
                                    {16, 16, 1}, {32, 4, 4}};
  const gen_shape *s = &d->g->shape;
  uint64_t *b = d->z.block;
  b[0] = b[1] = b[2] = 1;
  if (s->fixed[0]) {
    for (int i = 0; i < 3; i++)
      b[i] = s->fixed[i];
    return;
  }
  if (s->dims == 1) {
    block_1d(d, s->max_threads);
    return;
  }
  do {
    const uint8_t *k = s->dims == 2 ? flat[below(d, sizeof flat / sizeof *flat)]
                                    : deep[below(d, sizeof deep / sizeof *deep)];
    for (uint32_t i = 0; i < s->dims; i++)
      b[i] = k[i];
  } while (ww_gen_volume(b) > s->max_threads);
}

/* Blocks into a grid of the kernel's dimensions: factors near what images and volumes
 * have. */
static void split_grid(draw *d, uint64_t blocks) {
  uint64_t *n = d->z.grid;
  n[0] = blocks;
  n[1] = n[2] = 1;
  if (d->g->shape.dims >= 2) {
    n[0] = log_uniform(next(d), 1, blocks < 512 ? blocks : 512);
    n[1] = (blocks + n[0] - 1) / n[0];
    if (n[1] > 60000)
      n[1] = 60000;
  }
  if (d->g->shape.dims == 3) {
    n[2] = log_uniform(next(d), 1, n[1] < 64 ? n[1] : 64);
    n[1] = (n[1] + n[2] - 1) / n[2];
  }
}

/* ---- sizes ---- */

static void set_grid_sizes(draw *d, uint64_t bits) {
  for (uint32_t i = 0; i < d->g->nparams; i++) {
    const gen_param *p = &d->g->params[i];
    if (p->role != GEN_GRID)
      continue;
    uint64_t v = ww_gen_eval(d->g, p->expr, &d->z);
    uint64_t less = v / 8 < 31 ? v / 8 : 31;
    bits = bits * 6364136223846793005ull + 1442695040888963407ull;
    if (bits >> 62 && less)
      v -= (bits >> 40 & 0xffff) % (less + 1);
    d->z.value[i] = v;
  }
}

static uint64_t stepped(const gen_param *p, uint64_t v) {
  uint64_t step = p->step ? p->step : 1;
  v = v / step * step;
  return v < p->lo ? (p->lo + step - 1) / step * step : v;
}

static void draw_sizes(draw *d) {
  for (uint32_t i = 0; i < d->g->nparams; i++) {
    const gen_param *p = &d->g->params[i];
    if (p->role == GEN_DRAW)
      d->z.value[i] = stepped(p, log_uniform(next(d), p->lo, p->hi));
    if (p->role == GEN_PRIMARY)
      d->z.value[i] = stepped(p, p->lo);
  }
}

static double estimate(draw *d) {
  ww_gen_counts(d->g, &d->z);
  return ww_gen_cost_us(d->cost, &d->z);
}

static bool fits(draw *d) {
  ww_gen_counts(d->g, &d->z);
  return ww_gen_bytes(d->g, &d->z) <= d->cap;
}

/* The largest value of size i whose launch fits and takes at most `us`; its least where
 * none does. Counts in the logarithm, then exactly: sizes reach 2^28. */
static void solve(draw *d, uint32_t i, double us) {
  const gen_param *p = &d->g->params[i];
  uint64_t lo = stepped(p, p->lo);
  uint64_t hi = p->role == GEN_DRAW && p->most ? p->most : p->hi;
  for (int k = 0; k < 24 && hi - lo > (p->step ? p->step : 1) + lo / 64; k++) {
    uint64_t mid = hi / 2 > lo ? hi / 2 > lo * 8 ? lo * 8 : hi / 2 : lo + (hi - lo) / 2;
    d->z.value[i] = stepped(p, mid);
    if (fits(d) && estimate(d) <= us)
      lo = mid;
    else
      hi = mid;
  }
  d->z.value[i] = stepped(p, lo);
}

/* The primary size first; where it ends short of the time, or cannot get below it, the
 * drawn ones. `share`: the part of the time that the primary gets first, so that small
 * footprints with many trips come up too. */
static double solve_all(draw *d, double us, double share) {
  int primary = ww_gen_role(d->g, GEN_PRIMARY);
  if (primary >= 0)
    solve(d, primary, us * share);
  double got = estimate(d);
  for (uint32_t i = 0; i < d->g->nparams && (got < us * 0.7 || got > us * 1.4); i++) {
    const gen_param *p = &d->g->params[i];
    if (p->role != GEN_DRAW || (got < us && !p->most))
      continue;
    double was = d->z.value[i];
    solve(d, i, us);
    if (got < us && d->z.value[i] < was)
      d->z.value[i] = was;
    got = estimate(d);
  }
  if (primary < 0 || got >= us * 0.7 || share >= 1)
    return got;
  solve(d, primary, us);
  return estimate(d);
}

static void double_grid(draw *d) {
  uint64_t *n = d->z.grid;
  n[d->g->shape.dims > 1 && n[1] < n[0] && n[1] < 30000] *= 2;
}

static void halve_grid(draw *d) {
  uint64_t *n = d->z.grid;
  int most = n[1] > n[0];
  if (n[2] > n[most])
    most = 2;
  n[most] = (n[most] + 1) / 2;
}

/* Sizes for the wanted time. Where the grid is the work, the grid moves too, inside its
 * regime; where memory or 10 ms would be exceeded it shrinks in any case. */
static double settle(draw *d, double us) {
  uint64_t bits = next(d);
  uint64_t blocks = ww_gen_volume(d->z.grid);
  uint64_t sms = d->z.sms;
  uint64_t least = blocks < sms ? 1 : blocks <= 20 * sms ? sms : 20 * sms;
  uint64_t most = blocks < sms ? sms - 1 : blocks <= 20 * sms ? 20 * sms : 1000 * sms;
  double share = below(d, 3) ? 1 : power2(ww_random_unit(next(d)) * 8) / 256;
  bool movable = ww_gen_role(d->g, GEN_GRID) >= 0, shrunk = false, grown = false;
  for (;;) {
    set_grid_sizes(d, bits);
    double got = solve_all(d, us, share);
    blocks = ww_gen_volume(d->z.grid);
    if ((!fits(d) || got > (us < 8000 ? 10000 : us * 1.2)) && blocks > 1) {
      shrunk = true;
      halve_grid(d);
    } else if (movable && !shrunk && got < us * 0.6 && blocks * 2 <= most) {
      grown = true;
      double_grid(d);
    } else if (movable && !grown && got > us * 1.6 && blocks >= 2 * least) {
      shrunk = true;
      halve_grid(d);
    } else
      return estimate(d);
  }
}

/* ---- arguments ---- */

static ww_arg buffer_arg(const draw *d, uint32_t i) {
  const gen_param *p = &d->g->params[i];
  const gen_type_info *t = &ww_gen_types[p->type];
  ww_buffer b = {
      .bytes = (uint64_t)d->z.value[i] * t->bytes,
      .type = t->data,
  };
  b.fill.kind = p->fill;
  if (p->fill_lo)
    b.fill.lo = ww_gen_eval(d->g, p->fill_lo, &d->z);
  if (p->fill_hi)
    b.fill.hi = ww_gen_eval(d->g, p->fill_hi, &d->z);
  if (!b.bytes)
    b.bytes = t->bytes;
  return (ww_arg){.kind = WW_ARG_BUFFER, .buffer = b};
}

static ww_arg value_arg(draw *d, uint32_t i, ww_arena *a) {
  const gen_param *p = &d->g->params[i];
  uint32_t n = ww_gen_types[p->type].bytes;
  uint8_t *bytes = ww_alloc(a, 8);
  int64_t v = d->z.value[i];
  double scalar = (1 + below(d, 15)) * 0.0625;
  float narrow = scalar;
  if (p->role != GEN_SCALAR)
    memcpy(bytes, &v, n); /* little-endian hosts only, as the devices are */
  else if (n == 4)
    memcpy(bytes, &narrow, 4);
  else
    memcpy(bytes, &scalar, 8);
  return (ww_arg){.kind = WW_ARG_HEX, .hex = bytes, .hex_n = n};
}

static void write_launch(draw *d, const ww_gen_kernel *k, ww_arena *a, ww_launch *out) {
  *out = (ww_launch){.kernel = k->name,
                     .seed = 1,
                     .count = 1,
                     .nargs = d->g->nparams,
                     .shared_given = true};
  memcpy(out->grid, d->z.grid, sizeof out->grid);
  memcpy(out->block, d->z.block, sizeof out->block);
  out->args = WW_NEWN(a, ww_arg, d->g->nparams + 1);
  for (uint32_t i = 0; i < d->g->nparams; i++)
    out->args[i] =
        d->g->params[i].role == GEN_BUFFER ? buffer_arg(d, i) : value_arg(d, i, a);
}

#define MIB 1048576.0
#define FIRST_US 1.5
#define RANGE_LOG2                                                                     \
  12.4 /* 8 ms / 1.5 us: estimates are off by a factor now and then, and nothing above \
          10 ms is wanted */

ww_status ww_gen_launch(const ww_gen_kernel *k,
                        uint32_t number,
                        uint32_t sms,
                        uint64_t l2_bytes,
                        ww_arena *a,
                        ww_launch *out,
                        double *estimate_us,
                        ww_err *e) {
  if (!sms || !k->tree)
    return ww_fail(e, WW_EUSAGE, "launches of %s: give the GPU's number of SMs",
                   k->name ? k->name : "a kernel");
  uint64_t own[2] = {k->seed, k->index};
  uint64_t base = ww_hash(own, sizeof own, 77 + k->version);
  uint64_t one[2] = {base, number};
  draw d = {.rng = ww_hash(one, sizeof one, 5),
            .g = k->tree,
            .cost = ww_gen_cost_new(k->tree, a)};
  uint64_t time = base + number * WW_GOLDEN;
  uint64_t regime = base * 3 + number * 0xc13fa9a902a6328full;
  double us = FIRST_US * power2(ww_random_unit(time) * RANGE_LOG2);
  uint32_t large = below(&d, 100);
  d.cap = (large < 60 ? 96 : large < 85 ? 250 : large < 96 ? 640 : 2000) * MIB;
  d.z.sms = sms;
  d.z.l2 = l2_bytes;
  draw_block(&d);
  split_grid(&d, draw_blocks(&d, regime, sms));
  draw_sizes(&d);
  double got = settle(&d, us);
  write_launch(&d, k, a, out);
  if (estimate_us)
    *estimate_us = got;
  return WW_OK;
}
