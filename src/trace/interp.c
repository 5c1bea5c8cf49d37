/* interp.c - the warp interpreter: lock-step lanes, reconvergence at post-dominators.
 *
 * Compiled once per lane count (WW_LANES 32, 64) and instruction set (WW_ISA base,
 * avx2, avx512): every handler is a loop of fixed length over a row of lanes, which the
 * compiler turns into a few vector instructions. Each straight-line handler exists
 * twice: for "all live lanes are active" (rows are overwritten whole: dead lanes hold
 * garbage nobody reads) and for a partial mask (lanes waiting elsewhere keep their
 * values). An instruction without a vector form goes lane by lane through ww_scalar.
 * Nothing here counts: blocks and accesses are told to the observer. */
#include "async.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define L WW_LANES
#define CAT3_(a, b, c) a##b##c
#define CAT3(a, b, c) CAT3_(a, b, c)
#define STR_(a) #a
#define STR(a) STR_(a)
#define ALL_LANES (L == 64 ? ~0ull : 0xffffffffull)
#ifdef __clang__
#define EACH for (int l = 0; l < L; l++)
#else
#define EACH _Pragma("GCC ivdep") for (int l = 0; l < L; l++)
#endif
#define ACTIVE(mask_) for (ww_mask m_ = (mask_); m_; m_ &= m_ - 1)
#define LANE ((uint32_t)__builtin_ctzll(m_))

#define ROW(T, o) ((T *)__builtin_assume_aligned(x->F + (o), 64))

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

/* ---- masks ---- */

/* Bit l: row[l] is odd (a predicate row holds 0 or 1 in live lanes). */
static inline ww_mask bits_of(const u32 *row) {
  ww_mask r = 0;
#if defined(__AVX512F__)
  for (int v = 0; v < L / 16; v++)
    r |= (ww_mask)_mm512_test_epi32_mask(_mm512_load_si512(row + 16 * v),
                                         _mm512_set1_epi32(1))
         << (16 * v);
#elif defined(__AVX2__)
  for (int v = 0; v < L / 8; v++) {
    __m256i p =
        _mm256_slli_epi32(_mm256_load_si256((const __m256i *)(row + 8 * v)), 31);
    r |= (ww_mask)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(p)) << (8 * v);
  }
#else
  for (int l = 0; l < L; l++)
    r |= (ww_mask)(row[l] & 1) << l;
#endif
  return r;
}

static void set_mask(ww_exec *x, ww_mask mask) {
  x->mask = mask;
  x->part = (x->live & ~mask) != 0;
  if (x->part)
    EACH x->m[l] = -(mask >> l & 1);
}

#include "interp_rows.h"
#include "interp_lanes.h"
#include "interp_memory.h"

/* ---- choosing a handler ---- */

/* Handlers that go over the active lanes themselves, whatever the mask. */
static ww_handler *const by_lane[WW_NOPS] = {[WW_OP_LOCALADDR] = localaddr_any,
                                             [WW_OP_SREG] = sreg_any,
                                             [WW_OP_CLOCK] = clock_any,
                                             [WW_OP_LD] = ld_any,
                                             [WW_OP_ST] = st_any,
                                             [WW_OP_ATOM] = atom_any,
                                             [WW_OP_CAS] = atom_any,
                                             [WW_OP_MEMCPY] = bulk_any,
                                             [WW_OP_MEMSET] = bulk_any,
                                             [WW_OP_FENCE] = nothing,
                                             [WW_OP_SYNCWARP] = order_any,
                                             [WW_OP_SHFL] = shfl_any,
                                             [WW_OP_VOTE] = vote_any,
                                             [WW_OP_MATCH] = match_any,
                                             [WW_OP_REDUX] = redux_any,
                                             [WW_OP_ACTIVEMASK] = activemask_any,
                                             [WW_OP_BPERMUTE] = lane_read,
                                             [WW_OP_READLANE] = lane_read,
                                             [WW_OP_READFIRST] = lane_read,
                                             [WW_OP_PERMUTE] = permute_any,
                                             [WW_OP_MBCNT] = mbcnt_any,
                                             [WW_OP_PRINTF] = printf_any,
                                             [WW_OP_MALLOC] = malloc_any,
                                             [WW_OP_TEXDIM] = texdim_any,
                                             [WW_OP_MBAR] = ww_exec_mbar,
                                             [WW_OP_BULK] = ww_exec_bulk,
                                             [WW_OP_TMA] = ww_exec_tma,
                                             [WW_OP_WGMMA] = ww_exec_wgmma,
                                             [WW_OP_CLUSTERBAR] = clusterbar_any,
                                             [WW_OP_MAPA] = mapa_any,
                                             [WW_OP_CTARANK] = ctarank_any,
                                             [WW_OP_GROUP] = order_any,
                                             [WW_OP_MAXREG] = nothing,
                                             [WW_OP_MMA] = ww_exec_mma};

static void resolve(const ww_ins *i, bool by_scalar, ww_handler *out[2]) {
  if (by_lane[i->op])
    out[0] = out[1] = i->op == WW_OP_LD && i->type == WW_I1 ? ld_bool : by_lane[i->op];
  else if (by_scalar || !vector_handler(i, out))
    out[0] = out[1] = scalar_any;
}

/* ---- control ---- */

#define MOVE(T)                       \
  {                                   \
    T *d = ROW(T, v->d);              \
    const T *s = ROW(T, v->s);        \
    if (part)                         \
      EACH d[l] = m[l] ? s[l] : d[l]; \
    else                              \
      EACH d[l] = s[l];               \
  }

static void run_moves(ww_exec *x, const ww_edge *e, ww_mask lanes) {
  bool part = (x->live & ~lanes) != 0;
  i32 m[L];
  if (part)
    EACH m[l] = -(i32)(lanes >> l & 1);
  for (uint32_t n = 0; n < e->nmoves; n++) {
    const ww_move *v = &e->moves[n];
    if (v->wide)
      MOVE(u64)
    else
      MOVE(u32)
  }
}

static bool leave_frame(ww_exec *x);

/* Takes up the next pending side, of a caller where this frame has none left; false:
 * all is done.
 */
static bool pop(ww_exec *x) {
  uint32_t floor = x->frames[x->depth - 1].stack;
  while (x->sp > floor) {
    ww_pending p = x->stack[--x->sp];
    p.mask &= x->live;
    if (!p.mask)
      continue;
    x->pc = p.pc;
    x->rpc = p.rpc;
    x->weight = p.weight;
    set_mask(x, p.mask);
    return true;
  }
  return leave_frame(x);
}

static void push(ww_exec *x, uint32_t pc, uint32_t rpc, ww_mask mask, double weight) {
  if (x->sp == WW_MAX_STACK) {
    ww_exec_fault(x, NULL, "more than %d divergent branches are open at once",
                  WW_MAX_STACK);
    return;
  }
  x->stack[x->sp++] = (ww_pending){pc, rpc, mask, weight};
}

/* The current lanes go to segment `target`: waits when that is where they meet the
 * others. */
static bool go(ww_exec *x, uint32_t target) {
  if (target != x->rpc || x->rpc == WW_NOSEG) {
    x->pc = target;
    return true;
  }
  return pop(x);
}

/* Every lane of the frame has returned or left. */
static bool leave_frame(ww_exec *x) {
  ww_frame *f = &x->frames[x->depth - 1];
  if (x->depth == 1)
    return false;
  x->depth--;
  x->local_top = f->local;
  x->prog = x->frames[x->depth - 1].prog;
  x->F = x->frames[x->depth - 1].frame;
  x->rpc = f->ret_rpc;
  set_mask(x, f->mask & x->live);
  if (!x->mask)
    return pop(x);
  return go(x, f->ret_pc);
}

static bool exit_lanes(ww_exec *x, ww_mask lanes) {
  x->live &= ~lanes;
  ww_mask rest = x->mask & ~lanes;
  if (rest) {
    set_mask(x, rest);
    return true;
  }
  return pop(x);
}

/* The weight behind an edge: back to what it was outside the loops that the edge
 * leaves. */
static double edge_weight(const ww_exec *x, const ww_edge *e) {
  return e->leaves && x->spec->extrapolate
             ? x->loops[x->prog->steady[e->leaves - 1].number].weight_in
             : x->weight;
}

static void enter_loop(ww_exec *x, const ww_edge *e) {
  if (e->enters)
    x->loops[x->prog->steady[e->enters - 1].number].iteration = 0;
  if (e->waits)
    x->spins[x->prog->spins[e->waits - 1].number].inside = false;
  if (e->quits)
    x->in_vain = 0;
}

/* Its moves are made. */
static bool follow(ww_exec *x, const ww_edge *e) {
  x->weight = edge_weight(x, e);
  enter_loop(x, e);
  return go(x, e->target);
}

static bool take(ww_exec *x, const ww_edge *e) {
  if (e->target == WW_NOSEG)
    return exit_lanes(x, x->mask);
  if (e->nmoves)
    run_moves(x, e, x->mask);
  return follow(x, e);
}

/* Weight at the meeting point: an edge that leads straight there tells whether it lies
 * outside a loop. */
static double meet_weight(const ww_exec *x,
                          const ww_edge *edges,
                          const ww_mask *masks,
                          uint32_t n,
                          uint32_t meet) {
  for (uint32_t i = 0; i < n; i++)
    if (masks[i] && edges[i].target == meet)
      return edge_weight(x, &edges[i]);
  return x->weight;
}

/* Lanes part: the reconvergence point waits below, the other sides above it. */
static bool diverge(ww_exec *x,
                    const ww_seg *s,
                    const ww_edge *edges,
                    const ww_mask *masks,
                    uint32_t n) {
  if (x->obs->diverge)
    x->obs->diverge(x->obs->ctx, x->id, x->prog->fn, s->block, x->weight);
  ww_mask whole = x->mask, gone = 0;
  for (uint32_t i = 0; i < n; i++)
    if (masks[i] && edges[i].target == WW_NOSEG)
      gone |= masks[i];
  x->live &= ~gone;
  whole &= ~gone;
  uint32_t meet = s->ipdom, sides = 0, last = 0;
  for (uint32_t i = 0; i < n; i++)
    if (masks[i] && edges[i].target != WW_NOSEG) {
      run_moves(x, &edges[i], masks[i]);
      sides++;
      last = i;
    }
  if (sides == 1) { /* the others left the kernel: no split */
    set_mask(x, whole);
    return follow(x, &edges[last]);
  }
  bool meets = meet != WW_NOSEG;
  if (meets && meet != x->rpc)
    push(x, meet, x->rpc, whole, meet_weight(x, edges, masks, n, meet));
  for (uint32_t i = n; i-- > 0;) {
    if (!masks[i] || edges[i].target == WW_NOSEG || (meets && edges[i].target == meet))
      continue;
    push(x, edges[i].target, meets ? meet : x->rpc, masks[i],
         edge_weight(x, &edges[i]));
    enter_loop(x, &edges[i]);
  }
  return pop(x);
}

static bool branch(ww_exec *x, const ww_seg *s) {
  ww_mask t = bits_of(ROW(u32, s->a)) & x->mask;
  if (t == x->mask)
    return take(x, &s->edge[0]);
  if (!t)
    return take(x, &s->edge[1]);
  ww_mask masks[2] = {t, x->mask & ~t};
  return diverge(x, s, s->edge, masks, 2);
}

static bool switch_(ww_exec *x, const ww_seg *s) {
  ww_mask masks[256] = {0};
  uint32_t used = 0, only = 0, n = s->nedges;
  ACTIVE(x->mask) {
    u64 v = ww_cell_of(x, s->a, s->wide, LANE);
    uint32_t e = 0;
    while (e + 1 < n && s->cases[e] != v)
      e++;
    used += !masks[e];
    only = e;
    masks[e] |= 1ull << LANE;
  }
  return used == 1 ? take(x, &s->edge[only]) : diverge(x, s, s->edge, masks, n);
}

static bool enter_call(ww_exec *x, const ww_seg *s, const ww_prog *p, ww_mask mask) {
  uint8_t *from = x->F;
  if (x->depth == WW_MAX_DEPTH) {
    ww_exec_fault(x, s->ins, "calls nest deeper than %d", WW_MAX_DEPTH);
    return false;
  }
  ww_frame *me = &x->frames[x->depth - 1], *f = &x->frames[x->depth++];
  *f = (ww_frame){.prog = p,
                  .call = s,
                  .frame = me->frame + x->prog->frame,
                  .ret_pc = s->edge[0].target,
                  .ret_rpc = x->rpc,
                  .stack = x->sp,
                  .mask = mask,
                  .local = x->local_top};
  if (p->fn->local_bytes > x->local_stride - x->local_top) {
    ww_exec_fault(x, s->ins, "local memory of nested calls exceeds %u bytes",
                  x->local_stride);
    return false;
  }
  x->local_top += p->fn->local_bytes;
  memcpy(f->frame, p->image, p->fixed);
  for (uint32_t n = 0; n < p->fn->nparams; n++)
    memcpy(f->frame + p->slots[n], from + s->slots[n],
           WW_CELL_BYTES(p->fn->vals[n].type) * L);
  x->prog = p;
  x->F = f->frame;
  x->rpc = WW_NOSEG;
  set_mask(x, mask);
  x->pc = 0;
  return true;
}

/* Arguments and result of an indirect call are as wide as the function takes them: rows
 * of the frame depend on it. */
static bool fits(const ww_fn *caller, const ww_ins *i, const ww_prog *p) {
  if (p->fn->nparams != i->n ||
      (i->nres == 1 &&
       ww_type_bytes[caller->vals[i->dst].type] != ww_type_bytes[p->fn->ret]))
    return false;
  for (uint32_t n = 0; n < i->n; n++)
    if (WW_CELL_BYTES(caller->vals[caller->pool[i->ext + n]].type) !=
        WW_CELL_BYTES(p->fn->vals[n].type))
      return false;
  return true;
}

/* Indirect: the lanes of the first target go now, the others come back to the same
 * call. */
static bool call_indirect(ww_exec *x, const ww_seg *s) {
  u64 target = ww_cell_of(x, s->a, true, __builtin_ctzll(x->mask));
  ww_mask same = 0;
  ACTIVE(x->mask) same |= (ww_mask)(ww_cell_of(x, s->a, true, LANE) == target) << LANE;
  const ww_prog *p = ww_exec_callee(x, target);
  if (!p || !fits(x->prog->fn, s->ins, p)) {
    ww_exec_fault(x, s->ins,
                  "call through a pointer that is no function of this kernel's module "
                  "with %u arguments",
                  s->ins->n);
    return false;
  }
  /* both groups meet behind the call; this one stays at its own pc for the rest */
  if (same != x->mask) {
    uint32_t back = x->pc, meet = s->edge[0].target;
    if (x->rpc != meet)
      push(x, meet, x->rpc, x->mask, x->weight);
    push(x, back, meet, x->mask & ~same, x->weight);
    x->rpc = meet;
  }
  return enter_call(x, s, p, same);
}

static bool ret(ww_exec *x, const ww_seg *s) {
  if (x->depth == 1)
    return exit_lanes(x, x->mask);
  const ww_seg *c = x->frames[x->depth - 1].call;
  const ww_fn *fn = x->prog->fn;
  uint8_t *to = x->frames[x->depth - 2].frame;
  for (uint32_t n = 0; n < c->ins->nres && n < s->ins->n; n++) {
    uint32_t bytes = WW_CELL_BYTES(fn->vals[fn->pool[s->ins->ext + n]].type);
    ACTIVE(x->mask)
    memcpy(to + c->dsts[n] + bytes * LANE, x->F + s->slots[n] + bytes * LANE, bytes);
  }
  return pop(x);
}

static void trap(ww_exec *x, const ww_seg *s) {
  int64_t why = s->ins ? s->ins->imm : 0;
  ww_exec_fault(x, s->ins,
                why == 1   ? "an assertion of the kernel failed"
                : why == 2 ? "the kernel ran into code that must be unreachable, "
                             "as behind an access through a null pointer"
                           : "the kernel executed a trap");
}

/* Its id and what it waits for are those of the warp's first lane: PTX asks that all
 * have the same. */
static bool come_to_barrier(ww_exec *x, const ww_seg *s) {
  enum { BARRIERS = 16 }; /* of a block */
  const ww_ins *i = s->ins;
  uint32_t lane = __builtin_ctzll(x->mask);
  bool reduces = ww_bar_reduces(i);
  if (reduces)
    x->bar_result = __builtin_popcountll(bits_of(ROW(u32, s->a)) & x->mask);
  x->bar_id = i->imm + (reduces || i->a == WW_NOVAL ? 0 : ROW(u32, s->slots[0])[lane]);
  x->bar_threads = i->b == WW_NOVAL ? 0 : ROW(u32, s->slots[1])[lane];
  if (x->bar_id < BARRIERS)
    return true;
  ww_exec_fault(x, i, "barrier %u: a block has %d, from 0 on", x->bar_id, BARRIERS);
  return false;
}

static ww_run_end run(ww_exec *x) {
  if (x->paused && !ww_spin_wakes(x))
    return WW_RUN_WAIT;
  if (!x->mask && !pop(x))
    return WW_RUN_DONE;
  if (x->way_out) {
    const ww_edge *e = x->way_out;
    x->way_out = NULL;
    if (!take(x, e))
      return WW_RUN_DONE;
  }
  if (x->bar) { /* back from a barrier */
    const ww_seg *s = x->bar;
    x->bar = NULL;
    if (s->ins && s->ins->nres)
      ACTIVE(x->mask) ww_cell_put(x, s->dsts[0], false, LANE, x->bar_result);
  }
  for (;;) {
    const ww_seg *s = &x->prog->segs[x->pc];
    if (s->enter) {
      if (x->steps >= x->slice)
        return WW_RUN_SLICE;
      if (s->spin != WW_NOSEG && ww_spin_iteration(x, &x->prog->spins[s->spin]))
        return WW_RUN_WAIT;
      if (x->obs != x->told)
        ww_spin_follow(x);
      x->steps += s->nins;
      if (s->loop != WW_NOSEG)
        ww_steady_iteration(x, &x->prog->steady[s->loop]);
      if (x->obs->block)
        x->obs->block(x->obs->ctx, x->id, x->prog->fn, s->block, x->mask, x->weight);
    }
    const ww_code *k = s->code, *end = k + s->n;
    int part = x->part;
    for (; k < end; k++)
      k->fn[part](x, k);
    if (__builtin_expect(x->fault != NULL, 0))
      return WW_RUN_FAULT;
    bool on;
    switch (s->ctl) {
    case WW_OP_BR:
      on = take(x, &s->edge[0]);
      break;
    case WW_OP_CBR:
      on = branch(x, s);
      break;
    case WW_OP_SWITCH:
      on = switch_(x, s);
      break;
    case WW_OP_CALL:
      on = enter_call(x, s, s->callee, x->mask);
      break;
    case WW_OP_CALLI:
      on = call_indirect(x, s);
      break;
    case WW_OP_RET:
      on = ret(x, s);
      break;
    case WW_OP_EXIT:
      on = exit_lanes(x, x->mask);
      break;
    case WW_OP_TRAP:
      trap(x, s);
      on = false;
      break;
    case WW_OP_SYNCWARP:
      x->pc = s->edge[0].target;
      if (x->split)
        return WW_RUN_MEET;
      on = true;
      break;
    case WW_OP_MWAIT:
    case WW_OP_CLUSTERBAR:
      if (!(s->ctl == WW_OP_MWAIT ? ww_exec_mwait(x, s) : ww_exec_cluster_came(x)))
        return WW_RUN_WAIT;
      x->pc = s->edge[0].target;
      on = true;
      break;
    default: /* barriers: the block waits */
      x->bar = s;
      x->pc = s->edge[0].target;
      x->bar_result = 0;
      if (s->ctl != WW_OP_BAR)
        return WW_RUN_GRIDSYNC;
      return come_to_barrier(x, s) ? WW_RUN_BARRIER : WW_RUN_FAULT;
    }
    if (__builtin_expect(x->fault != NULL, 0))
      return WW_RUN_FAULT;
    if (!on)
      return WW_RUN_DONE;
  }
}

const ww_isa CAT3(ww_isa_, WW_ISA, WW_LANES) = {
    .name = STR(WW_ISA), .lanes = L, .resolve = resolve, .run = run};
