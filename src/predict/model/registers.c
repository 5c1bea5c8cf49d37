/* registers.c - registers a thread, from how many values live at once; and with them,
 * how many blocks of a kernel an SM holds at once, and what limits it.
 *
 * Liveness over the IR with what the lowering folds away looked through: a folded value
 * keeps its operands alive instead of itself. Parameters and constants are operands
 * from the constant bank, predicates and what all lanes share have files of their own.
 * What a compiler adds (addresses in flight, alignment of pairs, scheduling loads
 * early) is a line over the largest number of live words, fitted on the corpus against
 * what nvcc gave its kernels.
 *
 * The rules of occupancy are those of CUDA's calculator: registers are given to whole
 * warps in granules, and each sub-core has its own part of the register file; shared
 * memory is given to blocks in granules, the system's own bytes included. AMD's compute
 * units follow the same rules with other granules (a SIMD is a sub-core) and have no
 * carve-outs. A figure that the description does not give limits nothing. */
#include "lower_int.h"

typedef struct {
  ww_lowering *x;
  uint64_t **in; /* per block: values live at its begin */
  uint64_t *now;
  uint32_t words; /* of 64 bits in a set */
  double *weight; /* per value: 32-bit registers */
  double live;    /* of now */
} liveness;

static bool member(const uint64_t *set, ww_val v) {
  return set[v / 64] >> (v % 64) & 1;
}

static double weight_of(const ww_lowering *x, ww_val v) {
  const ww_value *t = &x->fn->vals[v];
  if (t->kind != WW_VAL_RESULT || t->type == WW_I1 || x->uniform[v])
    return 0;
  if (t->type == WW_F16 || t->type == WW_BF16)
    return 0.5;
  if (ww_type_bytes[t->type] <= 4)
    return 1;
  return t->type == WW_I64 && ww_lower_short(x, v) ? 1 : 2;
}

static void begin(liveness *l, ww_val v) {
  if (member(l->now, v))
    return;
  l->now[v / 64] |= 1ull << (v % 64);
  l->live += l->weight[v];
}

static void end(liveness *l, ww_val v) {
  if (!member(l->now, v))
    return;
  l->now[v / 64] &= ~(1ull << (v % 64));
  l->live -= l->weight[v];
}

/* Is what defines it part of another instruction? */
static bool folded(const ww_lowering *x, ww_val v) {
  uint32_t b = x->fn->vals[v].ref;
  return x->def[v] && x->gone[x->first[b] + (x->def[v] - x->fn->blocks[b].ins)];
}

static void use(liveness *l, ww_val v, uint32_t depth) {
  if (v == WW_NOVAL || l->x->fn->vals[v].kind != WW_VAL_RESULT)
    return;
  if (l->x->shares[v] == WW_SAME)
    v = l->x->base[v];
  if (!folded(l->x, v) || depth > 8) {
    begin(l, v);
    return;
  }
  ww_val of[16];
  uint32_t n = ww_ins_uses(l->x->fn, l->x->def[v], of, 16);
  for (uint32_t k = 0; k < n; k++)
    use(l, of[k], depth + 1);
}

static void load_set(liveness *l, const uint64_t *from) {
  memcpy(l->now, from, l->words * sizeof *l->now);
  l->live = 0;
  for (uint32_t w = 0; w < l->words; w++)
    for (uint64_t bits = l->now[w]; bits; bits &= bits - 1)
      l->live += l->weight[64 * w + __builtin_ctzll(bits)];
}

/* What lives behind the block: what its successors need, their phis' operands for this
 * edge among it. */
static void live_out(liveness *l, uint32_t b) {
  const ww_fn *fn = l->x->fn;
  uint64_t *sum = l->now;
  memset(sum, 0, l->words * sizeof *sum);
  for (uint32_t k = 0; k < fn->blocks[b].nsucc; k++)
    for (uint32_t w = 0; w < l->words; w++)
      sum[w] |= l->in[fn->blocks[b].succ[k]][w];
  load_set(l, sum);
  for (uint32_t k = 0; k < fn->blocks[b].nsucc; k++) {
    const ww_block *s = &fn->blocks[fn->blocks[b].succ[k]];
    for (uint32_t p = 0; p < s->nphis; p++)
      for (uint32_t e = 0; e < s->phis[p].n; e++)
        if (ww_phi_from(fn, &s->phis[p], e) == b)
          use(l, ww_phi_value(fn, &s->phis[p], e), 0);
  }
}

/* Words that an operation of several instructions needs for itself. */
static double within(const ww_ins *i) {
  if (i->op == WW_OP_MATH &&
      (i->flags & WW_F_APPROX || (i->sub >= WW_MATH_FLOOR && i->sub <= WW_MATH_RINT)))
    return 1;
  if (i->op == WW_OP_MATH || i->op == WW_OP_FDIV)
    return i->type == WW_F64 ? ww_lower_coefs.reg_math64 : ww_lower_coefs.reg_math;
  return ww_is_division(i) ? 3 : 0;
}

/* Backward over the block; the set at its begin stays in now, phis' results taken out.
 * Returns the largest number of words. */
static double walk(liveness *l, uint32_t b) {
  const ww_fn *fn = l->x->fn;
  const ww_block *t = &fn->blocks[b];
  double most = l->live;
  ww_val of[64];
  for (uint32_t k = t->nins; k-- > 0;) {
    const ww_ins *i = &t->ins[k];
    for (uint32_t r = 0; r < i->nres; r++)
      end(l, i->dst + r);
    if (l->x->gone[l->x->first[b] + k])
      continue;
    uint32_t n = ww_ins_uses(fn, i, of, 64);
    for (uint32_t u = 0; u < n; u++)
      use(l, of[u], 0);
    most = fmax(most, l->live + within(i));
  }
  for (uint32_t p = 0; p < t->nphis; p++)
    end(l, t->phis[p].dst);
  return most;
}

/* Words that a load of memory which can change brings; others: 0. */
static double loaded(const ww_ins *i) {
  if (i->op != WW_OP_LD || i->space == WW_PARAM || i->space == WW_CONST)
    return 0;
  return i->n * fmax(1, ww_type_bytes[i->type] / 4.0);
}

/* Words that one block loads, its unrolled iterations included: the scheduler brings
 * them forward, as far as registers that cost no occupancy last. */
static double in_flight(const ww_lowering *x) {
  double most = 0;
  for (uint32_t b = 0; b < x->fn->nblocks; b++) {
    double n = 0;
    uint32_t loop = x->fn->blocks[b].loop;
    bool ordered = false; /* what is stored might be what is loaded next */
    for (uint32_t k = 0; k < x->fn->blocks[b].nins; k++) {
      const ww_ins *i = &x->fn->blocks[b].ins[k];
      if ((i->op == WW_OP_ST && i->space != WW_SHARED && i->space != WW_LOCAL) ||
          ww_is_atomic(i))
        ordered = true;
      n += loaded(i);
    }
    most =
        fmax(most, n * (loop == WW_NOBLOCK || ordered ? 1 : x->loops[loop].unrolled));
  }
  return most;
}

/* Live words at the fullest point of each block; the arena has the sets. */
static double *pressure(ww_lowering *x, ww_arena *a) {
  const ww_fn *fn = x->fn;
  double *most = WW_NEWN(a, double, fn->nblocks + 1);
  liveness l = {.x = x, .words = (fn->nvals + 63) / 64};
  l.now = WW_NEWN(a, uint64_t, l.words);
  l.in = WW_NEWN(a, uint64_t *, fn->nblocks);
  l.weight = WW_NEWN(a, double, (size_t)l.words * 64);
  for (ww_val v = 0; v < fn->nvals; v++)
    l.weight[v] = weight_of(l.x, v);
  for (uint32_t b = 0; b < fn->nblocks; b++)
    l.in[b] = WW_NEWN(a, uint64_t, l.words);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = fn->nblocks; b-- > 0;) {
      live_out(&l, b);
      most[b] = walk(&l, b);
      if (!memcmp(l.in[b], l.now, l.words * sizeof *l.now))
        continue;
      memcpy(l.in[b], l.now, l.words * sizeof *l.now);
      changed = true;
    }
  }
  return most;
}

static double words_to_registers(double live) {
  return ww_lower_coefs.reg_base + ww_lower_coefs.reg_slope * live;
}

/* Iterations are unrolled, and the address moves by what the code does not know: each
 * has one of its own. */
static bool own_address(const ww_lowering *x, uint32_t loop, ww_val v) {
  if (loop == WW_NOBLOCK || x->moves[v] != WW_STRIDED || x->shares[v] == WW_SAME ||
      ww_lower_short(x, v))
    return false;
  return x->loops[loop].unrolled > 1 || x->loops[loop].before > 1;
}

/* Words that a load takes from when it is brought forward until its value is used; of
 * two for an address of its own, one on average: it is free again once the load has
 * gone. */
static float *load_words(const ww_lowering *x, uint32_t b) {
  const ww_block *t = &x->fn->blocks[b];
  float *out = WW_NEWN(x->arena, float, t->nins + 1);
  for (uint32_t k = 0; k < t->nins; k++) {
    out[k] = loaded(&t->ins[k]);
    if (out[k] > 0 && own_address(x, t->loop, t->ins[k].a))
      out[k] += 1;
  }
  return out;
}

/* Up to what costs no occupancy registers are free; a kernel that needs more gets the
 * next step, and one to spare. */
static ww_block_plan *
plans_of(const ww_lowering *x, const double *live, double most_live) {
  const ww_fn *fn = x->fn;
  ww_block_plan *out = WW_NEWN(x->arena, ww_block_plan, fn->nblocks + 1);
  double need = words_to_registers(most_live);
  double most = ww_lower_coefs.reg_free;
  if (need > most)
    most = 8 * ceil(need / 8) + 8;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    uint32_t loop = fn->blocks[b].loop;
    bool whole = loop != WW_NOBLOCK && x->vanishes[loop];
    uint32_t unrolled = whole                ? UINT32_MAX
                        : loop == WW_NOBLOCK ? 1
                                             : x->loops[loop].unrolled;
    out[b] = (ww_block_plan){most - words_to_registers(live[b]), load_words(x, b),
                             unrolled, loop != WW_NOBLOCK && x->fixed[loop]};
  }
  return out;
}

void ww_lower_registers(ww_lowering *x, ww_fn_code *out) {
  ww_arena *a = ww_arena_new();
  double *live = pressure(x, a);
  for (uint32_t b = 0; b < x->fn->nblocks; b++)
    out->live_words = fmax(out->live_words, live[b]);
  out->in_flight_words = in_flight(x);
  out->plan = plans_of(x, live, out->live_words);
  ww_arena_free(a);
}

/* ---- resident blocks ---- */

const char *const ww_limit_names[WW_NLIMITS] = {"warps", "blocks", "registers",
                                                "shared memory"};

static double known(double figure, double otherwise) {
  return isnan(figure) ? otherwise : figure;
}

static double round_up(double x, double granule) {
  return granule > 0 ? ceil(x / granule) * granule : x;
}

/* No limit: as many as fit a counter. */
static uint32_t blocks_of(double n) {
  return n < 0 ? 0 : n > 1e6 ? 1000000 : n;
}

static uint32_t by_warps(const ww_gpu *g, double warps) {
  double most = known(g->max_warps, INFINITY);
  if (!isnan(g->max_threads))
    most = fmin(most, floor(g->max_threads / g->lanes));
  return blocks_of(floor(most / warps));
}

static uint32_t by_registers(const ww_gpu *g, double warps, double registers) {
  double file = known(g->registers, INFINITY);
  double cores = known(g->subcores, 1);
  double of_warp = round_up(ceil(registers) * g->lanes, known(g->register_granule, 1));
  if (of_warp <= 0 || isinf(file))
    return blocks_of(INFINITY);
  if (registers > known(g->max_thread_registers, INFINITY))
    return 0;
  /* The hardware checks a block as if every sub-core got as many warps as the fullest
   * one. */
  if (of_warp * round_up(warps, known(g->warp_granule, 1)) > file)
    return 0;
  return blocks_of(floor(cores * floor(file / cores / of_warp) / warps));
}

static double shared_of(const ww_gpu *g, double shared) {
  return round_up(shared + known(g->shared_reserved, 0), known(g->shared_granule, 1));
}

static uint32_t by_shared(const ww_gpu *g, double shared) {
  double of_block = shared_of(g, shared);
  if (shared > known(g->shared_block_max, INFINITY))
    return 0;
  if (of_block <= 0)
    return blocks_of(INFINITY);
  return blocks_of(floor(known(g->shared_max, INFINITY) / of_block));
}

/* The driver takes the smallest carve-out that holds the resident blocks; L1 keeps the
 * rest of the array. */
static void split_l1(const ww_gpu *g, ww_occupancy *o) {
  double need = o->blocks * shared_of(g, o->shared_bytes);
  o->l1_bytes = g->l1_bytes;
  o->carveout_bytes = 0;
  if (!g->carveouts.n)
    return;
  uint32_t k = 0;
  while (k + 1 < g->carveouts.n && g->carveouts.x[k] < need)
    k++;
  o->carveout_bytes = g->carveouts.x[k];
  o->l1_bytes -= o->carveout_bytes;
}

void ww_occupancy_of(const ww_gpu *g,
                     uint64_t block_threads,
                     double registers,
                     double shared_bytes,
                     ww_occupancy *out) {
  double warps = fmax(1, ceil((double)block_threads / g->lanes));
  memset(out, 0, sizeof *out);
  out->registers = registers;
  out->shared_bytes = shared_bytes;
  out->by[WW_LIMIT_WARPS] = by_warps(g, warps);
  out->by[WW_LIMIT_BLOCKS] = blocks_of(known(g->max_blocks, INFINITY));
  out->by[WW_LIMIT_REGISTERS] = by_registers(g, warps, registers);
  out->by[WW_LIMIT_SHARED] = by_shared(g, shared_bytes);
  if (block_threads > known(g->max_block_threads, INFINITY))
    out->by[WW_LIMIT_WARPS] = 0;
  for (uint32_t k = 1; k < WW_NLIMITS; k++)
    if (out->by[k] < out->by[out->limiter])
      out->limiter = k;
  out->blocks = out->by[out->limiter];
  out->warps = out->blocks * (uint32_t)warps;
  out->limit_pct = 100 * out->warps / known(g->max_warps, out->warps ? out->warps : 1);
  split_l1(g, out);
}

/* ---- both ---- */

void ww_resources(const ww_fn_code *c,
                  uint64_t block_threads,
                  double shared_bytes,
                  double compiled,
                  ww_occupancy *out,
                  double *spill_bytes) {
  const ww_gpu *g = c->lowering->g;
  const ww_fn *fn = c->lowering->fn;
  double need = words_to_registers(c->live_words);
  need = fmax(need, fmin(ww_lower_coefs.reg_free,
                         need + ww_lower_coefs.reg_flight * c->in_flight_words));
  double most = WW_FIGURE(g, max_thread_registers);
  uint64_t threads = fn->max_threads ? fn->max_threads : block_threads;
  uint32_t blocks = fn->max_threads && fn->min_blocks ? fn->min_blocks : 1;
  if (threads)
    most = fmin(most, floor(WW_FIGURE(g, registers) / (threads * blocks) / 8) * 8);
  need = fmax(ceil(need), 8);
  *spill_bytes = need > most ? 4 * (need - most) : 0;
  ww_occupancy_of(g, block_threads, compiled > 0 ? compiled : fmin(need, most),
                  shared_bytes, out);
}
