/* registers.c - registers a thread, from how many values live at once; and with them,
 * how many blocks of a kernel an SM holds at once, and what limits it.
 *
 * The largest number of live words (live.c) is what a kernel needs. ptxas takes more
 * where that costs no occupancy: up to 32 registers it lays unrolled iterations side by
 * side, keeps pointers of a loop in registers and brings loads forward; above, it
 * brings loads of shared memory forward up to the next number of registers at which an
 * SM would hold fewer warps. Loads of read-only memory it brings forward regardless.
 * Its numbers are fitted on corpus, generated and tuned kernels against what nvcc gave
 * them.
 *
 * The rules of occupancy are those of CUDA's calculator: registers are given to whole
 * warps in granules, and each sub-core has its own part of the register file; shared
 * memory is given to blocks in granules, the system's own bytes included. AMD's compute
 * units follow the same rules with other granules (a SIMD is a sub-core) and have no
 * carve-outs. A figure that the description does not give limits nothing. */
#include "lower_int.h"

/* Of unrolled code: 120 to 1,400 loads of read-only memory took 32 to 190 registers. */
#define READ_AHEAD 0.13
#define READ_AHEAD_BASE 10

/* Words that a load of memory which can change brings; others: 0. */
double ww_lower_loaded(const ww_ins *i) {
  if (i->op != WW_OP_LD || i->space == WW_PARAM || i->space == WW_CONST)
    return 0;
  return i->n * fmax(1, ww_type_bytes[i->type] / 4.0);
}

static double words_to_registers(double live) {
  return ww_lower_coefs.reg_base + ww_lower_coefs.reg_slope * live;
}

/* ---- what stands side by side ---- */

/* Iterations of the block that become straight code. */
static double side_by_side(const ww_lowering *x, uint32_t b) {
  double n = 1;
  for (uint32_t l = x->fn->blocks[b].loop; l != WW_NOBLOCK;
       l = x->fn->loops[l].parent) {
    if (!x->loops[l].whole)
      return n * x->loops[l].unrolled;
    n *= x->loops[l].whole;
  }
  return n;
}

/* Words of an address that no other access shares. */
static double address_words(const ww_lowering *x, ww_val v) {
  const ww_ins *d = ww_lower_def(x, v);
  if (!d || d->op != WW_OP_LEA || x->shares[v] == WW_SAME || x->uniform[v] ||
      ww_lower_constant(x, d->b))
    return 0;
  return ww_lower_short(x, v) ? 1 : 2;
}

/* Pointers among the parameters from which lanes compute addresses in the loops around
 * b: ptxas loads them before the outermost. */
static double pointers_around(const ww_lowering *x, uint32_t b) {
  const ww_fn *fn = x->fn;
  uint32_t loop = fn->blocks[b].loop;
  double n = 0;
  if (loop == WW_NOBLOCK)
    return 0;
  while (fn->loops[loop].parent != WW_NOBLOCK)
    loop = fn->loops[loop].parent;
  for (uint32_t p = 0; p < fn->nparams; p++) {
    bool needed = false;
    for (uint32_t k = x->uses_at[p]; k < x->uses_at[p + 1] && !needed; k++) {
      const ww_ins *i = x->uses[k] & WW_PHI ? NULL : ww_lower_ins(x, x->uses[k]);
      needed = i && i->op == WW_OP_LEA && !x->uniform[i->dst] && !x->address[i->dst] &&
               ww_ir_in_loop(fn, x->block_of[x->uses[k]], loop);
    }
    n += needed;
  }
  return n;
}

/* Straight code of one or several blocks. */
typedef struct {
  double most, moving;  /* live words; of them, those of one iteration alone */
  double loads, stores; /* words that its loads and its stores' addresses take */
  double times, pointers;
} straight;

static void
add_block(const ww_lowering *x, uint32_t b, const ww_block_words *live, straight *s) {
  const ww_block *t = &x->fn->blocks[b];
  s->most = fmax(s->most, live->most);
  s->moving = fmax(s->moving, live->most - live->least);
  s->times = fmax(s->times, side_by_side(x, b));
  s->pointers = fmax(s->pointers, pointers_around(x, b));
  for (uint32_t k = 0; k < t->nins; k++) {
    const ww_ins *i = &t->ins[k];
    double words = ww_lower_loaded(i);
    if (words > 0 && i->space != WW_LOCAL)
      s->loads += fmax(words, address_words(x, i->a));
    else if (i->op == WW_OP_ST || ww_is_atomic(i))
      s->stores += address_words(x, i->a);
  }
}

/* Registers with which everything overlaps that could. */
static double wanted(const ww_lowering *x, const ww_block_words *live, ww_arena *a) {
  const ww_lower_coef *c = &ww_lower_coefs;
  straight *all = WW_NEWN(a, straight, x->fn->nblocks + 1);
  double most = 0;
  for (uint32_t b = 0; b < x->fn->nblocks; b++)
    add_block(x, b, &live[b], &all[ww_lower_straight(x, b)]);
  for (uint32_t b = 0; b < x->fn->nblocks; b++) {
    const straight *s = &all[b];
    double words = s->most + (s->times - 1) * s->moving;
    double flight = s->times * (c->reg_flight * s->loads + c->reg_store * s->stores);
    most = fmax(most, c->reg_pointer * s->pointers +
                          fmax(words_to_registers(words),
                               words_to_registers(s->most) + flight));
  }
  return most;
}

/* The same with loads of shared memory brought forward: as many words as the fullest
 * point has, some times over. */
static double brought_forward(const ww_lowering *x, const ww_block_words *live) {
  double most = 0;
  for (uint32_t b = 0; b < x->fn->nblocks; b++) {
    const ww_block *t = &x->fn->blocks[b];
    double words = 0;
    if (t->loop == WW_NOBLOCK)
      continue;
    for (uint32_t k = 0; k < t->nins; k++)
      words += t->ins[k].space == WW_SHARED ? ww_lower_loaded(&t->ins[k]) : 0;
    double more = fmax(0, words * side_by_side(x, b) - live[b].loaded);
    more = fmin(more, ww_lower_coefs.reg_ahead * live[b].loaded);
    most = fmax(most, words_to_registers(live[b].most + more));
  }
  return most;
}

/* What a branch at the end of block b asks; NOVAL: there is none. */
static ww_val asked(const ww_lowering *x, uint32_t b) {
  const ww_ins *end = ww_block_end(x->fn, b);
  return end->op == WW_OP_CBR ? end->a : WW_NOVAL;
}

/* Loads that nothing can change (ld.global.nc) are brought forward in straight code
 * without a loop whatever occupancy that costs; loads of shared memory and others are
 * not. A load that a condition guards is, unless the condition waits for a load; bodies
 * under the same condition become one, and are brought forward no further. */
static double read_ahead(const ww_lowering *x, ww_arena *a) {
  enum { DEPTH = 6 };
  const ww_fn *fn = x->fn;
  uint32_t *from = WW_NEWN(a, uint32_t, fn->nblocks + 1);
  double *words = WW_NEWN(a, double, fn->nblocks + 1);
  double most = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *t = &fn->blocks[b];
    uint32_t p = t->idom;
    bool behind = p < b && ww_lower_straight(x, p) == ww_lower_straight(x, b) &&
                  !ww_lower_waits_for_load(x, asked(x, p), DEPTH);
    uint32_t before = behind ? fn->blocks[p].idom : b;
    bool again = before < p && x->predicated[b] && asked(x, before) == asked(x, p);
    from[b] = behind ? from[p] : b;
    for (uint32_t k = 0; k < t->nins && t->loop == WW_NOBLOCK && !again; k++)
      words[from[b]] +=
          t->ins[k].flags & WW_F_READONLY ? ww_lower_loaded(&t->ins[k]) : 0;
    most = fmax(most, words[from[b]]);
  }
  return fmin(WW_FIGURE(x->g, max_thread_registers),
              READ_AHEAD_BASE + READ_AHEAD * most);
}

/* The most registers with which a sub-core holds as many warps as with `need`. */
static double step_above(const ww_gpu *g, double need) {
  enum { GRANULE = 8 }; /* of a thread */
  double file = WW_FIGURE(g, registers) / g->lanes / WW_FIGURE(g, subcores);
  double warps = fmax(1, floor(file / (GRANULE * ceil(need / GRANULE))));
  return fmin(WW_FIGURE(g, max_thread_registers),
              GRANULE * floor(file / warps / GRANULE));
}

static double
registers_of(const ww_lowering *x, const ww_block_words *live, ww_arena *a) {
  const ww_lower_coef *c = &ww_lower_coefs;
  double need = 0;
  for (uint32_t b = 0; b < x->fn->nblocks; b++)
    need = fmax(need, words_to_registers(live[b].most));
  double step = step_above(x->g, need + c->reg_spare);
  double more =
      fmax(fmin(c->reg_free, wanted(x, live, a)), fmin(step, brought_forward(x, live)));
  return fmax(fmax(need, more), read_ahead(x, a));
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
    out[k] = ww_lower_loaded(&t->ins[k]);
    if (out[k] > 0 && own_address(x, t->loop, t->ins[k].a))
      out[k] += 1;
  }
  return out;
}

/* Up to what costs no occupancy registers are free; a kernel that needs more gets the
 * next step, and one to spare. */
static ww_block_plan *plans_of(const ww_lowering *x, const ww_block_words *live) {
  const ww_fn *fn = x->fn;
  ww_block_plan *out = WW_NEWN(x->arena, ww_block_plan, fn->nblocks + 1);
  double need = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    need = fmax(need, words_to_registers(live[b].most));
  double most = ww_lower_coefs.reg_free;
  if (need + ww_lower_coefs.reg_spare > most)
    most = 8 * ceil(need / 8) + 8;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    uint32_t loop = fn->blocks[b].loop;
    bool whole = loop != WW_NOBLOCK && x->vanishes[loop];
    uint32_t unrolled = whole                ? UINT32_MAX
                        : loop == WW_NOBLOCK ? 1
                                             : x->loops[loop].unrolled;
    out[b] = (ww_block_plan){.room = most - words_to_registers(live[b].most),
                             .words = load_words(x, b),
                             .unrolled = unrolled,
                             .exact_trips = loop != WW_NOBLOCK && x->fixed[loop],
                             .straight = ww_lower_straight(x, b),
                             .under = x->predicated[b]};
    for (uint32_t k = 0; k < fn->blocks[b].nsucc; k++)
      out[b].joined |= x->predicated[fn->blocks[b].succ[k]];
  }
  return out;
}

void ww_lower_registers(ww_lowering *x, ww_fn_code *out) {
  ww_arena *a = ww_arena_new();
  const ww_block_words *live = ww_lower_live(x, a);
  out->registers = registers_of(x, live, a);
  out->plan = plans_of(x, live);
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
  double need = c->registers;
  double most_of_all = WW_FIGURE(g, max_thread_registers);
  double most = most_of_all;
  uint64_t threads = fn->max_threads ? fn->max_threads : block_threads;
  uint32_t blocks = fn->max_threads && fn->min_blocks ? fn->min_blocks : 1;
  if (threads)
    most = fmin(most, floor(WW_FIGURE(g, registers) / (threads * blocks) / 8) * 8);
  need = fmax(ceil(need), 8);
  *spill_bytes = need > most ? 4 * (need - most) : 0;
  /* a compiler that has registers left has spilled nothing, whatever is estimated */
  if (compiled > 0 && compiled < (fn->max_threads ? most : most_of_all))
    *spill_bytes = 0;
  ww_occupancy_of(g, block_threads, compiled > 0 ? compiled : fmin(need, most),
                  shared_bytes, out);
}
