/* sample.c - draws launches around a known one, asks the interpreter and the machine
 * model about each, keeps those that spread best.
 *
 * Workload: some hundred kernels, a dozen launches of each, 20 to 50 ms for an
 * estimate; so a few more variants are tried than are wanted, not many. */
#include "sample.h"

#include <math.h>
#include <stdlib.h>

#include "../base/map.h"
#include "../base/random.h"
#include "../measure/plan.h"
#include "sample_int.h"
#include "text.h"

#define BUDGET 50000
#define MOST_US 10000.0
#define SECONDS 3.0
#define SHARED_PLAIN 49152 /* what a block gets without asking for more */

const char *const ww_regime_names[WW_NREGIMES] = {"idle SMs", "under-utilised",
                                                  "fully utilised"};
/* Shares of the draws. Real programs leave SMs idle in a quarter of their launches. */
#define IDLE_SHARE 0.22
#define UNDER_SHARE 0.63

ww_regime ww_regime_of(uint64_t blocks, uint32_t sms) {
  return blocks < sms            ? WW_REGIME_IDLE
         : blocks <= 20ull * sms ? WW_REGIME_UNDER
                                 : WW_REGIME_FULL;
}

typedef struct {
  const ww_variants_options *o;
  const ww_unit *u;
  const ww_knobs *k;
  ww_arena *a;
  uint64_t state; /* of the random numbers */
  double most_bytes;
  ww_map drawn; /* launches before, told apart by what was set */
} sampler;

/* ---- chance ---- */

static double chance(sampler *s) { /* 0 <= x < 1 */
  return ww_random_unit(ww_random(&s->state));
}

static double log_between(sampler *s, double lo, double hi) {
  return lo * pow(hi / lo, chance(s));
}

static uint64_t draw_blocks(sampler *s) {
  double sms = s->o->gpu->sms;
  double x = chance(s);
  if (x < IDLE_SHARE)
    return 1 + (uint64_t)(chance(s) * (sms - 1));
  return x < IDLE_SHARE + UNDER_SHARE ? log_between(s, sms, 20 * sms)
                                      : log_between(s, 20 * sms, 1000 * sms);
}

/* ---- sizes ---- */

static uint64_t power_below(double v) {
  return v < 1 ? 1 : 1ull << (int)log2(v);
}

/* Keeps what kernels divide by: large values stay multiples of the power of two that
 * the base is one of, small ones have few bits. */
static int64_t round_size(double v, int64_t base) {
  uint64_t granule = (uint64_t)base & (~(uint64_t)base + 1);
  uint64_t few = power_below(v) / 4;
  if (granule > 1024)
    granule = 1024;
  if (few < granule)
    granule = few;
  if (granule < 1)
    granule = 1;
  double n = floor(v / granule + 0.5) * granule;
  return n < granule ? (int64_t)granule : (int64_t)n;
}

/* Sizes at scale x: each base value times x to the power of its weight. */
static void
scale(const sampler *s, const double *weight, double x, ww_knob_setting *out) {
  for (uint32_t i = 0; i < s->k->n; i++) {
    const ww_knob *v = &s->k->v[i];
    if (v->kind != WW_KNOB_SIZE)
      continue;
    double to = v->value * pow(x, weight[i]);
    out->value[i] = to > 2e9 ? (int64_t)2e9 : round_size(to, v->value);
    if (v->value < 8 && out->value[i] > 8 * v->value)
      out->value[i] = 8 * v->value; /* layers, channels: not the extent */
  }
}

static double bytes_of(const ww_launch *l) {
  double sum = 0;
  for (uint32_t p = 0; p < l->nargs; p++) {
    const ww_arg *g = &l->args[p];
    if (g->kind == WW_ARG_BUFFER && !g->buffer.local)
      sum += g->buffer.bytes;
    for (uint32_t k = 0; k < g->nptrs; k++)
      sum += g->ptrs[k].buffer.bytes;
  }
  return sum;
}

typedef double (*measure)(const ww_launch *l);
static double count_blocks(const ww_launch *l) {
  return ww_blocks(l);
}

static double at_scale(const sampler *s,
                       const double *weight,
                       double x,
                       ww_knob_setting *set,
                       measure of) {
  ww_arena *a = ww_arena_new();
  ww_launch l;
  ww_err e;
  scale(s, weight, x, set);
  double v = ww_knobs_turn(s->k, set, a, &l, &e) ? (x < 1 ? 0 : HUGE_VAL) : of(&l);
  ww_arena_free(a);
  return v;
}

/* The scale at which `of` reaches the target: both grow together. */
static double solve(const sampler *s,
                    const double *weight,
                    ww_knob_setting *set,
                    measure of,
                    double target) {
  double lo = 1e-5;
  double hi = 1e4;
  for (int step = 0; step < 24; step++) {
    double mid = sqrt(lo * hi);
    if (at_scale(s, weight, mid, set, of) < target)
      lo = mid;
    else
      hi = mid;
  }
  return hi;
}

/* ---- the other knobs ---- */

static void draw_weights(sampler *s, double *weight) {
  uint32_t only = chance(s) * s->k->n;
  bool one = chance(s) < 0.25;
  for (uint32_t i = 0; i < s->k->n; i++)
    weight[i] = one && i != only ? 0 : 0.6 + 0.8 * chance(s);
  if (one && s->k->v[only].kind != WW_KNOB_SIZE)
    draw_weights(s, weight);
}

static int64_t draw_work(sampler *s, const ww_knob *v) {
  if (v->mask)
    return (v->value >> (int)(chance(s) * 6)) | 7;
  double to = v->value * log_between(s, 0.125, 8);
  bool power = (v->value & (v->value - 1)) == 0;
  return power ? (int64_t)power_below(to) : to < 1 ? 1 : (int64_t)to;
}

static void draw_others(sampler *s, ww_knob_setting *set) {
  for (uint32_t i = 0; i < s->k->n; i++) {
    const ww_knob *v = &s->k->v[i];
    int64_t *to = &set->value[i];
    double x = chance(s);
    if (v->kind == WW_KNOB_WORK && x < 0.35)
      *to = draw_work(s, v);
    if (v->kind == WW_KNOB_SMALL && x < 0.5)
      *to = power_below(v->value * (x < 0.17 ? 0.25 : x < 0.35 ? 0.5 : 2));
    if (v->kind == WW_KNOB_TABLE && x < 0.7)
      *to = power_below(log_between(s, 16384, s->most_bytes / 2) / v->elem);
    if (*to < 1)
      *to = 1;
  }
}

static const uint16_t blocks_1d[] = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
static const uint16_t blocks_2d[][2] = {{8, 8},  {16, 8}, {32, 4},  {16, 16}, {32, 8},
                                        {64, 4}, {64, 2}, {32, 16}, {32, 32}, {128, 2}};

static uint64_t most_threads(const sampler *s) {
  return s->k->fn->max_threads ? s->k->fn->max_threads
                               : (uint64_t)s->o->gpu->max_block_threads;
}

static void draw_block(sampler *s, ww_knob_setting *set) {
  const ww_knobs *k = s->k;
  const uint64_t *was = k->at.block;
  if (!k->block_free || was[2] > 1 || chance(s) > 0.4)
    return;
  uint32_t i = chance(s) * 10;
  bool flat = was[1] > 1;
  set->block[0] = flat ? blocks_2d[i][0] : blocks_1d[i];
  set->block[1] = flat ? blocks_2d[i][1] : 1;
  set->block[2] = 1;
  if (set->block[0] * set->block[1] > most_threads(s))
    set->block[0] = 0;
}

/* ---- the grid apart from the sizes ---- */

/* As many blocks as asked for, in the shape that the launch has; axes that the kernel
 * does not look at stay. */
static void set_grid(const ww_knobs *k, uint64_t blocks, bool grow, ww_launch *l) {
  uint32_t axes = 0;
  for (int d = 0; d < 3; d++)
    axes += k->axis[d] && (l->grid[d] > 1 || (d == 0 && l->grid[1] * l->grid[2] == 1));
  if (!axes)
    return;
  double factor = pow(blocks / (double)ww_blocks(l), 1.0 / axes);
  for (int d = 0; d < 3; d++) {
    uint64_t *side = &l->grid[d];
    if (!k->axis[d] || (*side < 2 && !(d == 0 && axes == 1)))
      continue;
    double to = floor(*side * factor + 0.5);
    if (!grow && to > *side)
      to = *side;
    if (d && to > 65535)
      to = 65535;
    *side = to < 1 ? 1 : (uint64_t)to;
  }
}

/* ---- one variant ---- */

ww_status ww_variant_make(const ww_unit *u,
                          const ww_fn *fn,
                          const ww_launch *l,
                          const ww_variants_options *o,
                          ww_arena *a,
                          ww_sample_variant *out,
                          ww_err *e) {
  ww_arena *own = ww_arena_new();
  const ww_module *m = &u->module;
  ww_launch ready = *l;
  ww_assumed said = {0};
  double us = NAN;
  ww_status st = WW_OK;
  ready.file = ready.note = ready.binary = NULL;
  if (!fn->refusal) {
    ww_prediction p;
    ww_query_targets q = {.gpus = o->gpu,
                          .n = 1,
                          .params = o->params,
                          .one_contents = true,
                          .budget = o->budget ? o->budget : BUDGET};
    ww_launch_params params = ww_kernel_params(m, fn, own);
    st = ww_launch_resolve(&ready, &params, own, e);
    if (!st)
      st = ww_query_predict(u, fn, &ready, &q, NULL, own, &p, e);
    if (!st) {
      us = p.timing.us;
      ready = p.trace.launch;
    }
  }
  ready.file = NULL;
  if (!st)
    st = ww_plan(m, fn, &ready, &said, own, e);
  if (!st) {
    char *json = ww_text_launch(&ready, a);
    *out = (ww_sample_variant){.json = json,
                               .us = us,
                               .blocks = ww_blocks(&ready),
                               .threads = ww_block_threads(&ready),
                               .bytes = bytes_of(&ready),
                               .identity = ww_text_hash(json, 0)};
  }
  ww_arena_free(own);
  return st;
}

static bool fits(const sampler *s, const ww_launch *l) {
  uint64_t threads = ww_block_threads(l);
  bool shared = l->shared + s->k->fn->shared_bytes <= SHARED_PLAIN ||
                l->shared <= s->k->at.shared;
  return threads >= 1 && threads <= most_threads(s) && shared && l->grid[1] <= 65535 &&
         l->grid[2] <= 65535 && l->grid[0] < 1u << 31 &&
         bytes_of(l) <= 1.05 * s->most_bytes;
}

typedef struct {
  ww_knob_setting set;
  double weight[WW_KNOBS_MAX];
  uint64_t blocks;
  double bytes;
  bool apart; /* sizes are for the bytes, the grid is set on its own */
} dice;

/* Whether there are sizes to be scaled; weight NULL: to any power. */
static bool has_sizes(const ww_knobs *k, const double *weight) {
  for (uint32_t i = 0; i < k->n; i++)
    if (k->v[i].kind == WW_KNOB_SIZE && (!weight || weight[i] > 0))
      return true;
  return false;
}

/* Sizes for a number of blocks, or for a number of bytes with the grid set apart. */
static ww_status
draw(sampler *s, double shrink, dice *d, ww_arena *a, ww_launch *out, ww_err *e) {
  const ww_knobs *k = s->k;
  bool sizes = has_sizes(k, d->weight);
  double x = 1;
  if (sizes) {
    double most = solve(s, d->weight, &d->set, bytes_of, s->most_bytes);
    if (!d->apart)
      x = solve(s, d->weight, &d->set, count_blocks, d->blocks);
    if (d->apart || x > 1e3)
      x = solve(s, d->weight, &d->set, bytes_of,
                d->bytes); /* sizes that the grid does not depend on */
    if (x > most)
      x = most;
    scale(s, d->weight, x * shrink, &d->set);
  }
  ww_status st = ww_knobs_turn(k, &d->set, a, out, e);
  if (st)
    return st;
  bool grow = (k->strides || !k->moves_grid) && !k->base.cooperative;
  if (d->apart || !sizes)
    set_grid(k, sizes ? d->blocks : (uint64_t)fmax(1, d->blocks * shrink), grow, out);
  return WW_OK;
}

static void roll(sampler *s, dice *d) {
  const ww_knobs *k = s->k;
  *d = (dice){0};
  for (uint32_t i = 0; i < k->n; i++)
    d->set.value[i] = k->v[i].value;
  if (has_sizes(k, NULL))
    draw_weights(s, d->weight);
  draw_others(s, &d->set);
  draw_block(s, &d->set);
  d->blocks = draw_blocks(s);
  d->bytes = log_between(s, 32768, s->most_bytes);
  d->apart = !k->moves_grid || (k->strides ? chance(s) < 0.6 : chance(s) < 0.2);
}

/* Whether the same was drawn before: an estimate costs more than a look. */
static bool drawn_before(sampler *s, const ww_launch *l) {
  uint64_t h =
      ww_hash(l->grid, sizeof l->grid, ww_hash(l->block, sizeof l->block, l->shared));
  for (uint32_t p = 0; p < l->nargs; p++)
    h = ww_hash(&(uint64_t[2]){l->args[p].ivalue, l->args[p].buffer.bytes}, 16, h);
  bool fresh;
  ww_map_at(&s->drawn, s->a, h | 1, &fresh);
  return !fresh;
}

static ww_status attempt(sampler *s,
                         dice *d,
                         double shrink,
                         ww_variants_count *count,
                         ww_sample_variant *v) {
  ww_arena *a = ww_arena_new();
  ww_launch l;
  ww_err e = {0};
  ww_status st = draw(s, shrink, d, a, &l, &e);
  bool large = !st && !fits(s, &l), again = !st && !large && drawn_before(s, &l);
  if (large || again) {
    count->large += large;
    count->same += again;
    ww_arena_free(a);
    return WW_ELIMIT;
  }
  if (!st)
    st = ww_variant_make(s->u, s->k->fn, &l, s->o, s->a, v, &e);
  if (st == WW_EDATA) { /* more threads than the buffers were meant for */
    ww_knobs_free_sizes(s->k, &l);
    st = ww_variant_make(s->u, s->k->fn, &l, s->o, s->a, v, &e);
  }
  count->fault += st != WW_OK;
  ww_arena_free(a);
  return st;
}

/* Tries once more at a smaller size what would run too long. */
static bool try_one(sampler *s, ww_variants_count *count, ww_sample_variant *v) {
  double most = s->o->most_us > 0 ? s->o->most_us : MOST_US;
  double shrink = 1;
  dice d;
  roll(s, &d);
  count->tried++;
  for (int again = 0; again < 3; again++) {
    dice same = d;
    if (attempt(s, &same, shrink, count, v))
      return false;
    if (v->us <= most && v->bytes <= 1.05 * s->most_bytes)
      return true;
    shrink *= v->us > most ? sqrt(most / v->us) * 0.7 * (0.5 + chance(s)) : 0.5;
  }
  count->slow++;
  return false;
}

/* ---- which to keep ---- */

static int by_time(const void *a, const void *b) {
  const ww_sample_variant *x = a;
  const ww_sample_variant *y = b;
  return (x->us > y->us) - (x->us < y->us);
}

/* One after another the variant that is farthest in log time from those chosen, from
 * the ends inwards. */
static void choose(ww_sample_variant *v, uint32_t n, uint32_t want) {
  for (uint32_t c = 0; c < want; c++) {
    uint32_t best = c;
    double far = -HUGE_VAL;
    for (uint32_t i = c; i < n; i++) {
      double near = c ? HUGE_VAL : -v[i].us; /* the quickest one first */
      for (uint32_t k = 0; k < c; k++)
        near = fmin(near, fabs(log(v[i].us / v[k].us)));
      if (near > far) {
        far = near;
        best = i;
      }
    }
    ww_sample_variant t = v[c];
    v[c] = v[best];
    v[best] = t;
  }
  qsort(v, want, sizeof *v, by_time);
}

static bool
seen(const ww_variants_found *f, const ww_variants_options *o, uint64_t identity) {
  for (uint32_t k = 0; k < f->n; k++)
    if (f->v[k].identity == identity)
      return true;
  for (uint32_t k = 0; k < o->nknown; k++)
    if (o->known[k] == identity)
      return true;
  return false;
}

ww_status ww_variants(const ww_unit *u,
                      const ww_fn *fn,
                      const ww_launch *base,
                      const ww_variants_options *o,
                      ww_arena *a,
                      ww_variants_found *out,
                      ww_err *e) {
  ww_arena *own = ww_arena_new();
  ww_knobs k;
  ww_status st = fn->refusal
                     ? ww_fail(e, WW_EUNSUPPORTED, "%s cannot be interpreted: %s",
                               fn->name, fn->refusal)
                     : ww_knobs_find(&u->module, fn, base, own, &k, e);
  sampler s = {
      .o = o, .u = u, .k = &k, .a = a, .state = ww_text_hash(fn->mangled, o->seed)};
  s.most_bytes = o->most_bytes > 0 ? o->most_bytes : 8 * o->gpu->l2_bytes;
  uint32_t most = o->launches + o->launches / 3 + 2;
  double end = ww_cpu() + (o->seconds > 0 ? o->seconds : SECONDS);
  *out = (ww_variants_found){.v = WW_NEWN(a, ww_sample_variant, most + 1)};
  for (uint32_t tries = 0; !st && tries < 4 * most && out->n < most && ww_cpu() < end;
       tries++) {
    if (!try_one(&s, &out->count, &out->v[out->n]))
      continue;
    if (seen(out, o, out->v[out->n].identity))
      out->count.same++;
    else
      out->n++;
  }
  if (out->n > o->launches) {
    choose(out->v, out->n, o->launches);
    out->n = o->launches;
  }
  out->count.kept = out->n;
  ww_arena_free(own);
  return st;
}
