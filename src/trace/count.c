/* count.c - the counting observer: events into tables, tables into totals.
 *
 * It runs inside the interpreter's loop, so an event adds to a few numbers and no more:
 * a block event to the cell of its block, an access to the row of its instruction.
 * Everything else (classes, flops, lines) follows from these and the IR when somebody
 * asks. Each table is there twice: `pend` since the last commit, `total` committed and
 * scaled. */
#include "count_int.h"

#include "../ir/mma.h"

#include <stdlib.h>

const ww_count_info ww_count_table[] = {
#define COUNT(name, meaning) {#name, meaning, offsetof(ww_counts, name)},
#include "counts.def"
};
const uint32_t ww_ncounts = sizeof ww_count_table / sizeof *ww_count_table;

/* A window of dependencies costs more than its instructions: after the first thread
 * blocks only some are followed. */
enum { DEPEND_ALL = 8, DEPEND_EVERY = 64 };

/* ---- what the IR says ---- */

double ww_ins_flops(const ww_fn *fn, const ww_ins *i, ww_type *type) {
  *type = i->type;
  if (i->op == WW_OP_MATH && !ww_is_float(*type))
    *type = fn->vals[i->a].type; /* ilogb: i32 of a float */
  if (i->op == WW_OP_FMA)
    return 2;
  return ww_ops[i->op].cls == WW_CLASS_FP || i->op == WW_OP_MATH ? 1 : 0;
}

static bool is_shuffle(const ww_ins *i) {
  return ww_ops[i->op].cls == WW_CLASS_WARP && i->op != WW_OP_ACTIVEMASK &&
         i->op != WW_OP_MBCNT;
}

static void add_static(ww_static *s, const ww_fn *fn, const ww_ins *i) {
  ww_type type;
  double flops = ww_ins_flops(fn, i, &type);
  uint32_t cls = ww_ops[i->op].cls;
  ww_counts *warp = &s->per_warp;
  ww_counts *lane = &s->per_lane;
  s->by_class[cls]++;
  warp->warp_instructions++;
  warp->branches += ww_is_branch(i);
  warp->barriers += i->op == WW_OP_BAR;
  warp->shuffles += is_shuffle(i);
  if (i->op == WW_OP_MMA || i->op == WW_OP_WGMMA)
    warp->flops_tensor += i->imm;
  if (i->op == WW_OP_WGMMA)
    warp->matrix_shared_bytes += ww_wgmma_shared_bytes(i->sub, i->n);
  lane->thread_instructions++;
  double *of_type = type == WW_F64   ? &lane->flops_fp64
                    : type == WW_F32 ? &lane->flops_fp32
                                     : &lane->flops_fp16;
  *of_type += flops;
  lane->int_ops +=
      (cls == WW_CLASS_INT && i->op != WW_OP_SELECT) || i->op == WW_OP_ICMP;
  lane->math_ops += i->op == WW_OP_MATH;
}

static void make_statics(ww_counter *c) {
  c->statics = WW_NEWN(c->a, ww_static, c->ncells + 1);
  for (uint32_t f = 0; f < c->m->nfns; f++) {
    const ww_fn *fn = &c->m->fns[f];
    for (uint32_t b = 0; b < fn->nblocks && !fn->refusal; b++)
      for (uint32_t k = 0; k < fn->blocks[b].nins; k++)
        add_static(&c->statics[c->base[f] + b], fn, &fn->blocks[b].ins[k]);
  }
}

/* ---- making ---- */

ww_counter *ww_counter_new(const ww_module *m, ww_memory *mem, uint32_t lanes) {
  ww_arena *a = ww_arena_new();
  ww_counter *c = WW_NEW(a, ww_counter);
  if (!lanes)
    lanes = m->warp;
  c->a = a;
  c->m = m;
  c->mem = mem;
  c->full = lanes == 64 ? UINT64_MAX : 0xffffffffu;
  c->full_lanes = lanes;
  c->base = WW_NEWN(a, uint32_t, m->nfns + 1);
  for (uint32_t f = 0; f < m->nfns; f++)
    c->ncells = c->base[f + 1] = c->base[f] + m->fns[f].nblocks;
  c->pend = WW_NEWN(a, ww_cell, c->ncells + 1);
  c->total = WW_NEWN(a, ww_cell, c->ncells + 1);
  make_statics(c);
  c->depend = ww_depend_new(m, a);
  c->dep_block = UINT64_MAX;
  return c;
}

void ww_counter_tell(ww_counter *c, ww_footprints *f) {
  c->prints = f;
}

void ww_counter_free(ww_counter *c) {
  if (!c)
    return;
  free(c->journal.v);
  ww_arena_free(c->a);
}

/* ---- block events ---- */

static void on_block(void *ctx,
                     ww_warp_id w,
                     const ww_fn *fn,
                     uint32_t block,
                     ww_mask lanes,
                     double weight) {
  ww_counter *c = ctx;
  if (fn != c->fn) {
    c->fn = fn;
    c->cells = c->pend + c->base[fn - c->m->fns];
  }
  ww_cell *cell = &c->cells[block];
  cell->warps += weight;
  cell->lanes +=
      weight * (lanes == c->full ? c->full_lanes : __builtin_popcountll(lanes));
  if (w.block == c->dep_block && w.warp == 0 &&
      !ww_depend_block(c->depend, fn, block)) {
    ww_depend_end(c->depend, &c->pend_dep);
    c->dep_block = UINT64_MAX;
  }
}

static void
on_diverge(void *ctx, ww_warp_id w, const ww_fn *fn, uint32_t block, double weight) {
  (void)w;
  ww_counter *c = ctx;
  if (ww_is_branch(ww_terminator(&fn->blocks[block])))
    c->pend[c->base[fn - c->m->fns] + block].splits += weight;
}

static void on_block_start(void *ctx, uint64_t block) {
  ww_counter *c = ctx;
  c->pend_blocks++;
  if (c->dep_block != UINT64_MAX)
    return;
  if (c->dep_seen++ >= DEPEND_ALL && c->dep_seen % DEPEND_EVERY)
    return;
  c->dep_block = block;
  ww_depend_start(c->depend);
}

static void on_block_end(void *ctx, uint64_t block) {
  ww_counter *c = ctx;
  if (c->prints)
    ww_footprints_block(c->prints, block);
  if (block != c->dep_block)
    return;
  ww_depend_end(c->depend, &c->pend_dep);
  c->dep_block = UINT64_MAX;
}

/* ---- accesses ---- */

/* The first access of an instruction, or a machine that numbers them otherwise: the
 * instruction itself decides. */
static ww_slot *bind_slot(ww_counter *c, const ww_access *a) {
  if (a->ins_id >= c->nindex) {
    uint32_t n = 2 * a->ins_id + 64;
    c->index =
        ww_grow(c->a, c->index, c->nindex * sizeof *c->index, n * sizeof *c->index);
    c->nindex = n;
  }
  uint32_t k = 0;
  while (k < c->slots.n && c->slots.v[k]->ins != a->ins)
    k++;
  if (k == c->slots.n) {
    ww_push(c->a, &c->slots, WW_NEW(c->a, ww_slot));
    c->slots.v[k]->ins = a->ins;
  }
  c->index[a->ins_id] = k + 1;
  return c->slots.v[k];
}

static inline ww_slot *slot_of(ww_counter *c, const ww_access *a) {
  if (a->ins_id < c->nindex && c->index[a->ins_id]) {
    ww_slot *s = c->slots.v[c->index[a->ins_id] - 1];
    if (s->ins == a->ins)
      return s;
  }
  return bind_slot(c, a);
}

static ww_touch *find_touch(ww_counter *c, uint64_t addr) {
  const ww_region *r = c->mem ? ww_memory_find(c->mem, addr) : NULL;
  if (!r)
    return NULL;
  for (uint32_t k = 0; k < c->touches.n; k++)
    if (c->touches.v[k]->region == r)
      return c->touches.v[k];
  ww_push(c->a, &c->touches, ww_touch_new(r, c->a));
  return c->touches.v[c->touches.n - 1];
}

static inline void
touch(ww_counter *c, ww_slot *s, const ww_access *a, const ww_span *span) {
  uint64_t addr = a->addr[__builtin_ctzll(a->lanes)];
  if (!s->touch || addr - s->touch->region->base >= s->touch->region->size)
    s->touch = find_touch(c, addr);
  if (s->touch)
    ww_touch_access(s->touch, &c->journal, a, span);
}

static inline void add(ww_row *r, const ww_access *a, double units, double extra) {
  r->requests += a->more ? 0 : a->weight;
  r->units += a->weight * units;
  r->bytes += a->weight * a->bytes * ww_popcount(a->lanes);
  r->extra += a->weight * extra;
}

static void on_access(void *ctx, const ww_access *a) {
  ww_counter *c = ctx;
  if (!a->lanes || !a->bytes)
    return;
  if (c->prints)
    ww_footprints_access(c->prints, a);
  ww_slot *s = slot_of(c, a);
  if (ww_is_bulk(a->ins)) {
    if (a->space != WW_GLOBAL)
      return;
    ww_span moved = ww_coalesce(a);
    bool load = a->kind == WW_ACCESS_LOAD;
    add(&s->pend[load ? WW_CAT_BULK_LD : WW_CAT_BULK_ST], a, moved.sectors, 0);
    touch(c, s, a, &moved);
    return;
  }
  bool shared = a->space == WW_SHARED, atomic = a->kind == WW_ACCESS_ATOMIC,
       store = a->kind == WW_ACCESS_STORE;
  if (atomic && a->space != WW_LOCAL)
    add(&s->pend[WW_CAT_ATOMIC], a, ww_most_same(a), ww_popcount(a->lanes));
  if (shared && atomic) {
    add(&s->pend[WW_CAT_SHARED_ATOMIC], a, ww_most_in_bank(a), 0);
    return;
  }
  if (shared) {
    uint32_t ideal;
    uint32_t passes = ww_shared_passes(a, &ideal);
    add(&s->pend[store ? WW_CAT_SHARED_ST : WW_CAT_SHARED_LD], a, passes, ideal);
    return;
  }
  if (a->space == WW_LOCAL) {
    add(&s->pend[WW_CAT_LOCAL], a, 0, 0);
    return;
  }
  bool constant =
      a->kind == WW_ACCESS_LOAD && (a->space == WW_CONST || a->space == WW_PARAM);
  if (constant)
    add(&s->pend[WW_CAT_CONST], a, ww_const_words(a), 0);
  if (constant && a->space == WW_PARAM)
    return;
  ww_span span = ww_coalesce(a);
  if (!constant && !atomic)
    add(&s->pend[store ? WW_CAT_GLOBAL_ST : WW_CAT_GLOBAL_LD], a, span.sectors, 0);
  touch(c, s, a, &span);
}

ww_observer ww_counter_observer(ww_counter *c) {
  return (ww_observer){.ctx = c,
                       .block = on_block,
                       .access = on_access,
                       .block_start = on_block_start,
                       .block_end = on_block_end,
                       .diverge = on_diverge};
}

/* ---- commit and clear ---- */

static void forget_pending(ww_counter *c) {
  memset(c->pend, 0, c->ncells * sizeof *c->pend);
  for (uint32_t k = 0; k < c->slots.n; k++)
    memset(c->slots.v[k]->pend, 0, sizeof c->slots.v[k]->pend);
  c->pend_blocks = 0;
  c->pend_dep = (ww_depend_sums){0};
}

void ww_counter_clear(ww_counter *c) {
  forget_pending(c);
  for (uint32_t k = 0; k < c->touches.n; k++)
    c->touches.v[k]->pend = ww_touched_nothing;
  ww_journal_undo(&c->journal);
}

void ww_add_doubles(void *to, const void *from, size_t bytes, double scale) {
  double *t = to;
  const double *f = from;
  for (size_t k = 0; k < bytes / sizeof(double); k++)
    t[k] += scale * f[k];
}

void ww_counter_commit(ww_counter *c, double scale) {
  ww_add_doubles(c->total, c->pend, c->ncells * sizeof *c->pend, scale);
  for (uint32_t k = 0; k < c->slots.n; k++)
    ww_add_doubles(c->slots.v[k]->total, c->slots.v[k]->pend,
                   sizeof c->slots.v[k]->pend, scale);
  for (uint32_t k = 0; k < c->touches.n; k++)
    ww_touch_commit(c->touches.v[k], scale);
  ww_add_doubles(&c->total_dep, &c->pend_dep, sizeof c->pend_dep, scale);
  c->total_blocks += scale * c->pend_blocks;
  c->journal.n = 0;
  forget_pending(c);
}

/* ---- totals ---- */

static void count_block(ww_counts *o, const ww_static *s, const ww_cell *x) {
  ww_add_doubles(o, &s->per_warp, sizeof *o, x->warps);
  ww_add_doubles(o, &s->per_lane, sizeof *o, x->lanes);
  o->divergent_branches += x->splits;
}

static void count_slot(ww_counts *o, const ww_row *r) {
  ww_row_add(&o->global_ld_requests, &r[WW_CAT_GLOBAL_LD]);
  ww_row_add(&o->global_st_requests, &r[WW_CAT_GLOBAL_ST]);
  ww_row_add(&o->shared_ld_requests, &r[WW_CAT_SHARED_LD]);
  ww_row_add(&o->shared_st_requests, &r[WW_CAT_SHARED_ST]);
  o->shared_ideal_passes += r[WW_CAT_SHARED_LD].extra + r[WW_CAT_SHARED_ST].extra;
  o->local_requests += r[WW_CAT_LOCAL].requests;
  o->local_bytes += r[WW_CAT_LOCAL].bytes;
  o->const_requests += r[WW_CAT_CONST].requests;
  o->const_words += r[WW_CAT_CONST].units;
  o->atomic_requests += r[WW_CAT_ATOMIC].requests;
  o->atomic_max_same += r[WW_CAT_ATOMIC].units;
  o->atomic_lanes += r[WW_CAT_ATOMIC].extra;
  ww_row_add(&o->bulk_ld_requests, &r[WW_CAT_BULK_LD]);
  ww_row_add(&o->bulk_st_requests, &r[WW_CAT_BULK_ST]);
  o->shared_atomic_requests += r[WW_CAT_SHARED_ATOMIC].requests;
  o->shared_atomic_lanes += r[WW_CAT_SHARED_ATOMIC].units;
}

static void sum_counts(const ww_counter *c, bool pending, ww_counts *o) {
  const ww_cell *cells = pending ? c->pend : c->total;
  *o = (ww_counts){.blocks = pending ? c->pend_blocks : c->total_blocks};
  for (uint32_t f = 0; f < c->m->nfns; f++) {
    if (c->m->fns[f].kernel && c->m->fns[f].nblocks)
      o->warps += cells[c->base[f]].warps; /* each enters once */
    for (uint32_t k = c->base[f]; k < c->base[f + 1]; k++)
      if (cells[k].warps)
        count_block(o, &c->statics[k], &cells[k]);
  }
  for (uint32_t k = 0; k < c->slots.n; k++)
    count_slot(o, pending ? c->slots.v[k]->pend : c->slots.v[k]->total);
}

void ww_counter_vector(ww_counter *c, ww_counts *pending) {
  sum_counts(c, true, pending);
}

static void list_blocks(const ww_counter *c, ww_arena *a, ww_tally *out) {
  out->blocks = WW_NEWN(a, ww_block_counts, c->ncells + 1);
  for (uint32_t f = 0; f < c->m->nfns; f++)
    for (uint32_t k = c->base[f]; k < c->base[f + 1]; k++) {
      const ww_cell *t = &c->total[k];
      if (t->warps > 0)
        out->blocks[out->nblocks++] = (ww_block_counts){&c->m->fns[f], k - c->base[f],
                                                        t->warps, t->lanes, t->splits};
    }
}

double ww_tally_runs(const ww_tally *t, const ww_fn *fn, uint32_t block) {
  for (uint32_t k = 0; k < t->nblocks; k++)
    if (t->blocks[k].fn == fn && t->blocks[k].block == block)
      return t->blocks[k].warps;
  return 0;
}

void ww_counter_result(ww_counter *c, ww_arena *a, ww_tally *out) {
  *out = (ww_tally){0};
  list_blocks(c, a, out);
  sum_counts(c, false, &out->c);
  for (uint32_t k = 0; k < c->ncells; k++)
    for (int cls = 0; cls < WW_NCLASSES; cls++)
      out->by_class[cls] += c->total[k].warps * c->statics[k].by_class[cls];
  ww_count_lines(c, a, out);
  ww_count_args(c, a, out);
  out->dep.ilp = ww_ratio(c->total_dep.instructions, c->total_dep.longest);
  out->dep.load_use_distance = ww_ratio(c->total_dep.distance, c->total_dep.distances);
  out->dep.loads_in_flight = ww_ratio(c->total_dep.in_flight, c->total_dep.waits);
}
