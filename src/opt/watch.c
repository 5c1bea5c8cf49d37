/* watch.c - see watch.h.
 *
 * Each granule of memory remembers who wrote it last and two of those that read it
 * since. An access is ordered behind another one of the same block where a barrier or
 * an mbarrier lies between: every warp has a clock for each warp of its block, as in
 * other detectors of races. Two blocks are ordered by a barrier of the grid alone;
 * where a kernel uses fences, blocks may tell each other by flags, and only races
 * inside a block are seen. Lanes of one warp run in lock step here and never race; that
 * one reads what another wrote with no syncwarp between is told apart. What an
 * asynchronous copy stores counts as not there until its warp has waited for it. Two
 * warps that write the same place by the same line are left to the comparison of
 * results in several orders. */
#include "watch.h"

#include <stdlib.h>

#include "../trace/roles.h"

#define MOST_CELLS (1ull << 24) /* of a buffer that is watched */

typedef struct {
  uint32_t block; /* 1 + its number; 0: nobody */
  uint32_t clock; /* of that warp */
  uint32_t loc;
  uint16_t epoch; /* barriers of the grid before it */
  uint8_t warp;
  bool atomic : 1, read : 1;
} visit;

typedef struct {
  visit write, read[2];
  uint32_t atomics;
  uint32_t group; /* of the writer's asynchronous copies that brings it; 0: none */
  uint32_t syncs; /* of the writer's warp before it */
  uint8_t lane;   /* of the writer */
} cell;

/* One lane's access, before it is entered. */
typedef struct {
  visit at;
  uint32_t group, syncs; /* as a cell's */
  uint8_t lane;
  bool write;
} visitor;

typedef struct {
  uint32_t syncs; /* syncwarps and barriers that it went through */
  /* asynchronous copies: the group that is open, and the last one waited for */
  uint32_t group, waited;
} warp_state;

/* What warps that came to an mbarrier had seen. */
typedef struct {
  uint64_t at;      /* in shared memory */
  uint32_t *clocks; /* [warps] */
} meeting;

typedef struct {
  uint32_t *clocks; /* [warps][warps] */
  warp_state *warps;
  cell *shared;
  meeting *meetings;
  uint32_t nmeetings;
} block_state;

typedef struct {
  const ww_region *region;
  cell *cells;
  uint32_t shift; /* log2 of the bytes of a cell */
  bool reads;     /* something writes it, so that reads matter */
} shadow;

struct ww_watch {
  const ww_run_spec *spec;
  const ww_setup *setup;
  bool **reached;
  uint32_t warps;
  uint32_t shared_shift, shared_bytes;
  uint64_t variable[2]; /* offsets of the one in shared memory accessed last */
  bool fenced, stores_alone;
  bool copies; /* stores that are parts are those of asynchronous copies */
  uint16_t epoch;
  block_state *blocks; /* per block of the grid */
  uint64_t nblocks;
  shadow *shadows;
  uint32_t nshadows;
  shadow *last;
  ww_mishap first[WW_NMISHAPS];
};

/* ---- set-up ---- */

static bool is_written(const ww_watch *w, const ww_region *r, const ww_role *roles) {
  bool parameter = false;
  for (uint32_t p = 0; p < w->spec->fn->nparams; p++)
    if (w->setup->arg[p] == r) {
      parameter = true;
      if (roles[p].stored)
        return true;
    }
  return !parameter;
}

static void add_shadows(ww_watch *w, ww_arena *a) {
  const ww_region *r;
  uint32_t n = 0;
  ww_role *roles = WW_NEWN(a, ww_role, w->spec->fn->nparams + 1);
  ww_roles_find(w->spec->fn, a, roles);
  while (ww_memory_region(w->spec->memory, n))
    n++;
  w->shadows = ww_xcalloc(n + 1, sizeof *w->shadows);
  for (uint32_t k = 0; k < n; k++) {
    r = ww_memory_region(w->spec->memory, k);
    uint32_t size = r->type ? ww_elem_size(r->type) : 4;
    uint32_t shift = size == 1 || size == 2 ? size - 1 : 2;
    if (r->space != WW_GLOBAL || r->size >> shift > MOST_CELLS)
      continue;
    w->shadows[w->nshadows++] =
        (shadow){.region = r,
                 .cells = ww_xcalloc((r->size >> shift) + 2, sizeof(cell)),
                 .shift = shift,
                 .reads = is_written(w, r, roles)};
  }
}

/* The store of an asynchronous copy follows the load whose value it stores; others that
 * are parts belong to matrices. */
static bool copies_alone(const ww_fn *fn) {
  ww_ins_walk at = {.fn = fn};
  const ww_ins *load = NULL;
  for (const ww_ins *i; (i = ww_next_ins(&at));) {
    if (i->op == WW_OP_LD)
      load = i;
    if (i->op == WW_OP_ST && i->space == WW_SHARED && ww_is_part(i) &&
        (!load || load->space != WW_GLOBAL ||
         fn->pool[i->ext] - load->dst >= load->nres))
      return false;
  }
  return true;
}

/* What the kernel's own code tells: bytes and halves in shared memory want a cell each;
 * a fence may order blocks. */
static void look_at_code(ww_watch *w, ww_arena *a) {
  const ww_module *m = w->spec->module;
  bool *in = WW_NEWN(a, bool, m->nfns + 1);
  ww_reach(m, w->spec->fn, in);
  w->shared_shift = 2;
  w->copies = true;
  for (uint32_t f = 0; f < m->nfns; f++) {
    w->copies = w->copies && (!in[f] || copies_alone(&m->fns[f]));
    ww_ins_walk at = {.fn = &m->fns[f]};
    for (const ww_ins *i; in[f] && (i = ww_next_ins(&at));) {
      w->fenced |= i->op == WW_OP_FENCE;
      bool shared = i->space == WW_SHARED || i->space == WW_GENERIC;
      if (ww_accesses(i) && shared && ww_type_bytes[i->type] < 1u << w->shared_shift)
        w->shared_shift = ww_type_bytes[i->type] - 1;
    }
  }
}

ww_watch *
ww_watch_new(const ww_run_spec *spec, const ww_setup *s, bool **reached, ww_arena *a) {
  ww_watch *w = ww_xcalloc(1, sizeof *w);
  uint32_t lanes = spec->lanes ? spec->lanes : spec->module->warp;
  w->spec = spec;
  w->setup = s;
  w->reached = reached;
  w->warps = (ww_volume(spec->block) + lanes - 1) / lanes;
  look_at_code(w, a);
  w->shared_bytes = ((spec->shared_static + 15) & ~15ull) + spec->shared;
  w->nblocks = ww_volume(spec->grid);
  w->blocks = ww_xcalloc(w->nblocks, sizeof *w->blocks);
  add_shadows(w, a);
  return w;
}

static void drop(block_state *b) {
  free(b->clocks);
  free(b->warps);
  free(b->shared);
  for (uint32_t k = 0; k < b->nmeetings; k++)
    free(b->meetings[k].clocks);
  free(b->meetings);
  *b = (block_state){0};
}

void ww_watch_free(ww_watch *w) {
  if (!w)
    return;
  for (uint64_t b = 0; b < w->nblocks; b++)
    drop(&w->blocks[b]);
  for (uint32_t k = 0; k < w->nshadows; k++)
    free(w->shadows[k].cells);
  free(w->blocks);
  free(w->shadows);
  free(w);
}

void ww_watch_stores_alone(ww_watch *w) {
  w->stores_alone = true;
}

const ww_mishap *ww_watch_mishaps(const ww_watch *w) {
  return w->first;
}

/* ---- barriers ---- */

static void on_block_start(void *ctx, uint64_t block) {
  ww_watch *w = ctx;
  block_state *b = &w->blocks[block];
  drop(b);
  b->clocks = ww_xcalloc((size_t)w->warps * w->warps, sizeof *b->clocks);
  b->warps = ww_xcalloc(w->warps, sizeof *b->warps);
  for (uint32_t k = 0; k < w->warps; k++) {
    b->clocks[k * w->warps + k] = 1;
    b->warps[k].group = 1;
  }
  b->shared = ww_xcalloc((w->shared_bytes >> w->shared_shift) + 2, sizeof(cell));
}

static void on_block_end(void *ctx, uint64_t block) {
  drop(&((ww_watch *)ctx)->blocks[block]);
}

static void meet(const ww_watch *w, const block_state *b, uint64_t warps) {
  uint32_t latest[64] = {0};
  for (uint32_t k = 0; k < w->warps; k++)
    for (uint32_t u = 0; warps >> k & 1 && u < w->warps; u++)
      if (b->clocks[k * w->warps + u] > latest[u])
        latest[u] = b->clocks[k * w->warps + u];
  for (uint32_t k = 0; k < w->warps; k++)
    if (warps >> k & 1) {
      memcpy(&b->clocks[k * w->warps], latest, w->warps * sizeof *latest);
      b->clocks[k * w->warps + k]++;
      b->warps[k].syncs++;
    }
}

static void on_sync(void *ctx, uint64_t block, uint64_t warps) {
  ww_watch *w = ctx;
  if (block != UINT64_MAX) {
    meet(w, &w->blocks[block], warps);
    return;
  }
  w->epoch++;
  for (uint64_t k = 0; k < w->nblocks; k++)
    if (w->blocks[k].clocks)
      meet(w, &w->blocks[k], UINT64_MAX);
}

static void on_order(void *ctx, ww_warp_id id, const ww_ins *i) {
  const ww_watch *w = ctx;
  warp_state *s = &w->blocks[id.block].warps[id.warp];
  if (i->op == WW_OP_SYNCWARP)
    s->syncs++;
  else if (i->sub == WW_GROUP_COPY_COMMIT)
    s->group++;
  else if (i->sub == WW_GROUP_COPY_WAIT && s->waited + 1 + i->imm < s->group)
    s->waited = s->group - 1 - i->imm;
}

static uint32_t *meeting_at(const ww_watch *w, block_state *b, uint64_t at) {
  for (uint32_t k = 0; k < b->nmeetings; k++)
    if (b->meetings[k].at == at)
      return b->meetings[k].clocks;
  b->meetings = ww_xrealloc(b->meetings, (b->nmeetings + 1) * sizeof *b->meetings);
  b->meetings[b->nmeetings] =
      (meeting){at, ww_xcalloc(w->warps, sizeof *b->meetings->clocks)};
  return b->meetings[b->nmeetings++].clocks;
}

/* Who waits at an mbarrier is behind all that came to it, in earlier phases or in later
 * ones; copies that one waits for count as there. */
static void on_mbarrier(void *ctx, const ww_mbar_event *e) {
  ww_watch *w = ctx;
  block_state *b = &w->blocks[e->warp.block];
  uint32_t *mine = &b->clocks[e->warp.warp * w->warps];
  if (e->kind == WW_MBAR_COPIED)
    b->warps[e->warp.warp].waited = b->warps[e->warp.warp].group;
  if (e->barrier == UINT64_MAX)
    return;
  uint32_t *met = meeting_at(w, b, e->barrier);
  bool waits = e->kind == WW_MBAR_AWAITED;
  for (uint32_t k = 0; k < w->warps; k++) {
    uint32_t latest = mine[k] > met[k] ? mine[k] : met[k];
    *(waits ? &mine[k] : &met[k]) = latest;
  }
  if (e->kind == WW_MBAR_ARRIVED || e->kind == WW_MBAR_COPIED)
    mine[e->warp.warp]++;
}

/* ---- accesses ---- */

static void on_block(void *ctx,
                     ww_warp_id id,
                     const ww_fn *fn,
                     uint32_t block,
                     ww_mask lanes,
                     double weight) {
  const ww_watch *w = ctx;
  (void)id;
  (void)lanes;
  (void)weight;
  if (w->reached)
    w->reached[fn - w->spec->module->fns][block] = true;
}

static ww_mishap *
mishap(ww_watch *w, ww_mishap_kind kind, const ww_access *a, uint32_t other_loc) {
  ww_mishap *m = &w->first[kind];
  if (m->seen)
    return NULL;
  *m = (ww_mishap){
      .seen = true, .loc = a->ins->loc, .other_loc = other_loc, .block = a->warp.block};
  return m;
}

static void name_shared(const ww_watch *w, ww_mishap *m, uint64_t off) {
  const ww_module *mod = w->spec->module;
  uint64_t best = 0;
  for (uint32_t s = 0; s < mod->nsymbols; s++) {
    uint64_t at = w->setup->symbol_addr[s];
    if (mod->symbols[s].space != WW_SHARED || at == UINT64_MAX || at > off || at < best)
      continue;
    best = at;
    m->name = mod->symbols[s].name;
    m->at = off - at;
  }
}

static bool unordered(const ww_watch *w, const visit *me, const visit *v) {
  if (!v->block || (v->block == me->block && v->warp == me->warp))
    return false;
  if (v->block != me->block)
    return !w->fenced && v->epoch == w->epoch;
  const block_state *b = &w->blocks[me->block - 1];
  return b->clocks[me->warp * w->warps + v->warp] < v->clock;
}

/* The visit that a new one races with; NULL: none. */
static const visit *
clash(const ww_watch *w, const visit *me, const cell *c, bool write) {
  const visit *v = &c->write;
  const ww_loc *locs = w->spec->module->locs;
  bool same_line = write && locs[v->loc].line == locs[me->loc].line;
  if (!(v->atomic && me->atomic) && !same_line && unordered(w, me, v))
    return v;
  for (int k = 0; write && k < 2; k++)
    if (!(c->read[k].atomic && me->atomic) && unordered(w, me, &c->read[k]))
      return &c->read[k];
  return NULL;
}

/* The same warp between the same barriers: what could be said of it was. */
static bool again(const visit *me, const visit *v) {
  return v->block == me->block && v->warp == me->warp && v->clock == me->clock &&
         v->epoch == me->epoch && v->atomic == me->atomic;
}

static void enter(const ww_watch *w, const ww_access *a, const visitor *by, cell *c) {
  const visit *me = &by->at;
  if (by->write) {
    uint32_t met = a->kind != WW_ACCESS_ATOMIC     ? 0
                   : a->pattern == WW_PATTERN_SAME ? __builtin_popcountll(a->lanes)
                                                   : 1;
    *c = (cell){.write = *me,
                .atomics = c->atomics + met,
                .group = by->group,
                .syncs = by->syncs,
                .lane = by->lane};
    return;
  }
  const visit *r = &c->read[0];
  bool mine = r->block == me->block && r->warp == me->warp;
  c->read[mine || !unordered(w, me, r) ? 0 : 1] = *me;
}

static visitor visitor_of(const ww_watch *w, const ww_access *a) {
  const block_state *b = &w->blocks[a->warp.block];
  uint32_t warp = a->warp.warp;
  bool copy = w->copies && a->kind == WW_ACCESS_STORE && ww_is_part(a->ins);
  return (visitor){
      .at = {.block = 1 + a->warp.block,
             .clock = b->clocks[warp * w->warps + warp],
             .loc = a->ins->loc,
             .epoch = w->epoch,
             .warp = warp,
             .atomic = a->kind == WW_ACCESS_ATOMIC || a->ins->flags & WW_F_VOLATILE,
             .read = a->kind == WW_ACCESS_LOAD},
      .group = copy && a->space == WW_SHARED ? b->warps[warp].group : 0,
      .syncs = b->warps[warp].syncs,
      .write = a->kind != WW_ACCESS_LOAD};
}

/* Who looks at global memory before an atomic, or while others have theirs, means to: a
 * slot of a table that is taken already. In shared memory a barrier is missing. */
static bool is_look(const ww_access *a, const visit *v, ww_mishap_kind race) {
  bool load = a->kind == WW_ACCESS_LOAD && v->atomic;
  bool after = a->kind == WW_ACCESS_ATOMIC && !v->atomic && v->read;
  return race == WW_MISHAP_GLOBAL_RACE && (load || after);
}

/* An access to the cells of one lane; the mishap where it is the first race. */
static ww_mishap *touch(ww_watch *w,
                        const ww_access *a,
                        const visitor *by,
                        cell *c,
                        uint32_t n,
                        ww_mishap_kind race) {
  const visit *me = &by->at;
  ww_mishap *first = NULL;
  for (; n--; c++) {
    if (!by->write && (again(me, &c->read[0]) || again(me, &c->read[1])))
      continue;
    const visit *v = clash(w, me, c, by->write);
    if (v && !first && !is_look(a, v, race))
      first = mishap(w, race, a, v->loc);
    enter(w, a, by, c);
  }
  return first;
}

/* ---- spaces ---- */

static bool in_variable(ww_watch *w, uint64_t off, uint32_t bytes) {
  const ww_module *m = w->spec->module;
  if (off >= w->variable[0] && off + bytes <= w->variable[1])
    return true;
  if (off >= ((w->spec->shared_static + 15) & ~15ull))
    return off + bytes <= w->shared_bytes;
  for (uint32_t s = 0; s < m->nsymbols; s++) {
    uint64_t at = w->setup->symbol_addr[s];
    if (m->symbols[s].space != WW_SHARED || at == UINT64_MAX || off < at ||
        off + bytes > at + m->symbols[s].size)
      continue;
    w->variable[0] = at;
    w->variable[1] = at + m->symbols[s].size;
    return true;
  }
  return false;
}

/* Cells that [off, off + bytes) lies in. */
static uint32_t cells_in(uint64_t off, uint32_t bytes, uint32_t shift) {
  return ((off + bytes - 1) >> shift) - (off >> shift) + 1;
}

/* What another lane or an asynchronous copy has put there may not be there yet. */
static void look_for_early(
    ww_watch *w, const ww_access *a, const visitor *by, const cell *c, uint64_t off) {
  const block_state *b = &w->blocks[a->warp.block];
  ww_mishap *m = NULL;
  if (c->group > b->warps[c->write.warp].waited && !by->group)
    m = mishap(w, WW_MISHAP_COPY, a, c->write.loc);
  else if (!by->write && !by->at.atomic && c->write.block &&
           c->write.warp == by->at.warp && c->lane != by->lane && c->syncs == by->syncs)
    m = mishap(w, WW_MISHAP_LANES, a, c->write.loc);
  if (m)
    name_shared(w, m, off);
}

static void
shared_lane(ww_watch *w, const ww_access *a, const visitor *by, uint64_t addr) {
  uint64_t off = addr - WW_SHARED_BASE;
  if (off >= w->shared_bytes || off + a->bytes > w->shared_bytes)
    return; /* the run ends with a fault */
  cell *c = &w->blocks[a->warp.block].shared[off >> w->shared_shift];
  ww_mishap *m = NULL;
  if (!in_variable(w, off, a->bytes) && (m = mishap(w, WW_MISHAP_SHARED_GAP, a, 0)))
    name_shared(w, m, off);
  if (a->kind != WW_ACCESS_STORE && !c->write.block &&
      (m = mishap(w, WW_MISHAP_STALE, a, 0)))
    name_shared(w, m, off);
  look_for_early(w, a, by, c, off);
  uint32_t n = cells_in(off, a->bytes, w->shared_shift);
  m = touch(w, a, by, c, n, WW_MISHAP_SHARED_RACE);
  if (m)
    name_shared(w, m, off);
}

static shadow *shadow_of(ww_watch *w, uint64_t addr) {
  shadow *s = w->last;
  if (s && addr - s->region->base < s->region->size)
    return s;
  for (s = w->shadows; s < w->shadows + w->nshadows; s++)
    if (addr - s->region->base < s->region->size)
      return w->last = s;
  return NULL;
}

static void
global_lane(ww_watch *w, const ww_access *a, const visitor *by, uint64_t addr) {
  shadow *s = shadow_of(w, addr);
  if (!s || addr - s->region->base + a->bytes > s->region->size ||
      (!s->reads && a->kind == WW_ACCESS_LOAD))
    return;
  uint64_t off = addr - s->region->base;
  uint32_t n = cells_in(off, a->bytes, s->shift);
  ww_mishap *m = touch(w, a, by, &s->cells[off >> s->shift], n, WW_MISHAP_GLOBAL_RACE);
  if (m) {
    m->name = s->region->name;
    m->at = off;
  }
}

static void check_alignment(ww_watch *w, const ww_access *a, uint64_t addr) {
  if (a->bytes & (a->bytes - 1) || addr % a->bytes == 0)
    return;
  ww_mishap *m = mishap(w, WW_MISHAP_MISALIGNED, a, 0);
  const ww_region *r = m ? ww_memory_find(w->spec->memory, addr) : NULL;
  if (r) {
    m->name = r->name;
    m->at = addr - r->base;
  }
}

static void on_access(void *ctx, const ww_access *a) {
  ww_watch *w = ctx;
  ww_mask lanes = a->lanes;
  if (w->stores_alone && (a->space != WW_GLOBAL || a->kind == WW_ACCESS_LOAD))
    return;
  visitor me = visitor_of(w, a);
  if (a->pattern == WW_PATTERN_SAME)
    lanes &= -lanes; /* a warp visits a place once */
  bool all = lanes != a->lanes && !me.write;
  for (; lanes; lanes &= lanes - 1) {
    uint64_t addr = a->addr[__builtin_ctzll(lanes)];
    me.lane = all ? UINT8_MAX : __builtin_ctzll(lanes);
    if (!a->aligned)
      check_alignment(w, a, addr);
    if (a->space == WW_SHARED)
      shared_lane(w, a, &me, addr);
    else if (a->space == WW_GLOBAL)
      global_lane(w, a, &me, addr);
  }
}

ww_observer ww_watch_observer(ww_watch *w) {
  return (ww_observer){.ctx = w,
                       .block = on_block,
                       .access = on_access,
                       .block_start = on_block_start,
                       .block_end = on_block_end,
                       .mbarrier = on_mbarrier,
                       .sync = on_sync,
                       .order = on_order};
}

uint32_t ww_watch_writer(const ww_watch *w, const ww_region *r, uint64_t at) {
  for (uint32_t k = 0; k < w->nshadows; k++)
    if (w->shadows[k].region == r && at < r->size)
      return w->shadows[k].cells[at >> w->shadows[k].shift].write.loc;
  return 0;
}

uint64_t ww_watch_atomics(const ww_watch *w, const ww_region *r) {
  uint64_t most = 0;
  for (const shadow *s = w->shadows; s < w->shadows + w->nshadows; s++)
    for (uint64_t c = 0; s->region == r && c < r->size >> s->shift; c++)
      if (s->cells[c].atomics > most)
        most = s->cells[c].atomics;
  return most;
}
