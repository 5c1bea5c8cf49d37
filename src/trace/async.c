/* async.c - mbarriers and copies of many bytes: bulk copies, tiles of tensors.
 *
 * A copy is done where it is issued: its bytes are there and counted off its mbarrier
 * before the next instruction runs. That is one of the orders a GPU may choose; a
 * kernel that waits as it should cannot tell. Lanes act one after the other, as if each
 * had issued the instruction alone. */
#include "async.h"

#include <math.h>

#include "../ir/mbarrier.h"

/* The lanes of a mask in their order, until one faults. */
static bool next_lane(const ww_exec *x, ww_mask *left, uint32_t *lane) {
  if (!*left || x->fault)
    return false;
  *lane = __builtin_ctzll(*left);
  *left &= *left - 1;
  return true;
}
#define EACH_LANE(x, lane) for (ww_mask left_ = (x)->mask; next_lane(x, &left_, &lane);)

/* ---- memory ---- */

uint8_t *ww_exec_bytes(ww_exec *x, uint64_t addr, uint64_t n, bool write) {
  if (addr >= WW_GLOBAL_BASE)
    return ww_memory_at(x->memory, addr, n);
  uint64_t off = addr - WW_PARAM_BASE;
  if (off < x->params_n && n <= x->params_n - off && !write)
    return (uint8_t *)(uintptr_t)(x->params + off);
  off = addr - WW_SHARED_BASE;
  if (off < x->shared.size && n <= x->shared.size - off)
    return x->shared.mem + off;
  return ww_exec_in_cluster(x, addr, n);
}

/* The same place in the shared memory of the block of this rank. */
static uint64_t in_block(uint64_t addr, uint32_t rank) {
  uint64_t off = addr < WW_CLUSTER_BASE ? addr - WW_SHARED_BASE
                                        : (addr - WW_CLUSTER_BASE) % WW_CLUSTER_STRIDE;
  return WW_CLUSTER_BASE + rank * WW_CLUSTER_STRIDE + off;
}

/* Whether an allocation has [addr, addr + n). */
static bool is_there(ww_exec *x, uint64_t addr, uint64_t n) {
  const ww_region *r = ww_memory_find(x->memory, addr);
  return r && n <= r->size - (addr - r->base);
}

/* Bytes of a copy; a fault where they are not. Where they need not move, any place that
 * is not NULL. */
static uint8_t *side(ww_exec *x,
                     const ww_code *k,
                     uint32_t lane,
                     uint64_t addr,
                     uint64_t n,
                     bool write) {
  static uint8_t anywhere;
  uint8_t *p = x->idle_values && addr >= WW_GLOBAL_BASE
                   ? (is_there(x, addr, n) ? &anywhere : NULL)
                   : ww_exec_bytes(x, addr, n, write);
  if (!p)
    ww_exec_bad_span(x, k->ins, lane, addr, n, write ? "copy to" : "copy from");
  return p;
}

/* ---- mbarriers ---- */

/* At the mbarrier at addr; bytes and `ends` are the caller's. */
static void tell_barrier(ww_exec *x, const ww_ins *i, uint64_t addr, ww_mbar_event s) {
  if (!x->obs->mbarrier)
    return;
  uint64_t own = addr - WW_SHARED_BASE;
  if (addr >= WW_CLUSTER_BASE)
    own = addr - WW_CLUSTER_BASE - x->rank * WW_CLUSTER_STRIDE;
  s.warp = x->id;
  s.ins = i;
  s.barrier = own < x->shared.size ? own : UINT64_MAX;
  s.weight = x->weight;
  x->obs->mbarrier(x->obs->ctx, &s);
}

static bool misaligned(ww_exec *x, const ww_ins *i, uint64_t addr, uint32_t to) {
  if (addr % to == 0)
    return false;
  ww_exec_fault(x, i, "%s at address 0x%llx, which is no multiple of %u",
                i->op == WW_OP_MBAR || i->op == WW_OP_MWAIT ? "an mbarrier" : "a copy",
                (unsigned long long)addr, to);
  return true;
}

/* The mbarrier at addr; NULL and a fault where there is none. `fresh`: it may be. */
static uint8_t *
barrier_at(ww_exec *x, const ww_ins *i, uint32_t lane, uint64_t addr, bool fresh) {
  uint64_t word;
  uint8_t *p = misaligned(x, i, addr, 8) ? NULL : ww_exec_bytes(x, addr, 8, true);
  if (!p) {
    ww_exec_bad_span(x, i, lane, addr, 8, "mbarrier");
    return NULL;
  }
  memcpy(&word, p, 8);
  if (!fresh && !ww_mbarrier_of(word).expected) {
    ww_exec_fault(x, i,
                  "no mbarrier has been initialised at shared memory offset %llu, "
                  "thread %u",
                  (unsigned long long)(addr - WW_SHARED_BASE), x->tid0 + lane);
    return NULL;
  }
  return p;
}

static void take_arrivals(ww_exec *x, const ww_ins *i, ww_mbarrier *b, uint32_t n) {
  if (n > b->pending) {
    ww_exec_fault(
        x, i,
        "%u arrivals at an mbarrier whose phase awaits %u: it was initialised "
        "with %u",
        n, b->pending, b->expected);
    return;
  }
  b->pending -= n;
}

/* True when the phase has ended by it. */
static bool change(ww_exec *x, const ww_ins *i, ww_mbarrier *b, uint32_t n) {
  switch (i->sub) {
  case WW_MBAR_INIT:
    *b = (ww_mbarrier){.pending = n, .expected = n};
    if (!n || n > WW_MBAR_MOST)
      ww_exec_fault(x, i, "an mbarrier of %u arrivals: 1 to %u can be", n,
                    WW_MBAR_MOST);
    return false;
  case WW_MBAR_INVAL:
    *b = (ww_mbarrier){0};
    return false;
  case WW_MBAR_DROP:
    take_arrivals(x, i, b, n);
    b->expected -= n < b->expected ? n : b->expected;
    break;
  case WW_MBAR_EXPECT:
    b->bytes += (int32_t)n;
    return false;
  case WW_MBAR_COMPLETE:
    b->bytes -= (int32_t)n;
    break;
  default: /* arrive, copies */
    take_arrivals(x, i, b, n);
    break;
  }
  return ww_mbarrier_turn(b);
}

void ww_exec_mbar(ww_exec *x, const ww_code *k) {
  const ww_ins *i = k->ins;
  uint32_t lane;
  bool told = i->sub < WW_MBAR_ARRIVE || i->sub == WW_MBAR_EXPECT;
  x->changes++;
  EACH_LANE(x, lane) {
    uint64_t addr = ww_cell_of(x, k->a, k->wide & 2, lane) + k->imm;
    uint8_t *p = barrier_at(x, i, lane, addr, i->sub == WW_MBAR_INIT);
    uint64_t word = 0;
    if (p)
      memcpy(&word, p, 8);
    if (i->nres)
      ww_cell_put(x, k->d, true, lane, word);
    if (!p)
      return;
    ww_mbarrier b = ww_mbarrier_of(word);
    bool ends = change(x, i, &b, ww_cell_of(x, k->b, k->wide & 4, lane));
    word = ww_mbarrier_word(b);
    memcpy(p, &word, 8);
    ww_mbar_kind kind = i->sub == WW_MBAR_COPIES ? WW_MBAR_COPIED : WW_MBAR_ARRIVED;
    if (!told || ends) /* of many lanes one speaks, and who ends the phase */
      tell_barrier(x, i, addr, (ww_mbar_event){.kind = kind, .ends = ends});
    told = true;
  }
}

/* ---- waiting ---- */

static uint64_t awaited(const ww_exec *x, const ww_seg *s, uint32_t lane) {
  return ww_cell_of(x, s->a, true, lane) + s->ins->imm;
}

/* Whether the phase that the lane waits for is over. */
static bool is_over(ww_exec *x, const ww_seg *s, uint32_t lane, ww_mbarrier *b) {
  uint64_t word = 0;
  bool state = s->ins->type == WW_I64;
  const uint8_t *p = barrier_at(x, s->ins, lane, awaited(x, s, lane), false);
  if (!p)
    return true; /* a fault */
  memcpy(&word, p, 8);
  *b = ww_mbarrier_of(word);
  uint64_t of = ww_cell_of(x, s->slots[1], state, lane);
  return b->parity != (state ? ww_mbarrier_of(of).parity : (of & 1));
}

bool ww_exec_mwait(ww_exec *x, const ww_seg *s) {
  ww_mask over = 0;
  ww_mbarrier b;
  uint32_t lane;
  EACH_LANE(x, lane) over |= (ww_mask)is_over(x, s, lane, &b) << lane;
  bool all = over == x->mask;
  if (!all && !x->timed_out && !x->fault)
    return false;
  if (all)
    tell_barrier(x, s->ins, awaited(x, s, __builtin_ctzll(x->mask)),
                 (ww_mbar_event){.kind = WW_MBAR_AWAITED});
  x->timeouts = all ? 0 : x->timeouts + 1;
  x->timed_out = false;
  EACH_LANE(x, lane) ww_cell_put(x, s->dsts[0], false, lane, over >> lane & 1);
  return true;
}

const ww_seg *ww_exec_wait_of(const ww_exec *x) {
  const ww_seg *s = x->mask ? &x->prog->segs[x->pc] : NULL;
  bool waits = s && (s->ctl == WW_OP_MWAIT || s->ctl == WW_OP_CLUSTERBAR);
  return waits ? s : NULL;
}

void ww_exec_waits_for(ww_exec *x, char *out, size_t n) {
  const ww_seg *s = ww_exec_wait_of(x);
  uint32_t lane;
  ww_mbarrier b;
  if (s->ctl == WW_OP_CLUSTERBAR) {
    snprintf(out, n, "waits for ever at the cluster's barrier: not every warp arrives");
    return;
  }
  EACH_LANE(x, lane) {
    if (is_over(x, s, lane, &b))
      continue;
    snprintf(out, n,
             "waits for ever for an mbarrier (shared memory offset %llu): its phase "
             "still awaits %u of %u arrivals and %d bytes of copies; thread %u",
             (unsigned long long)(awaited(x, s, lane) - WW_SHARED_BASE), b.pending,
             b.expected, b.bytes, x->tid0 + lane);
    return;
  }
}

/* ---- telling observers: up to 16 bytes a lane, all of an instruction one request ----
 */

typedef struct {
  ww_exec *x;
  const ww_code *k;
  uint8_t kind;  /* ww_access_kind */
  uint8_t bytes; /* a lane */
  uint32_t n;    /* lanes filled of x->addr */
  bool more;     /* a part has been told */
  bool silent;   /* what comes has been told */
} teller;

static void flush(teller *t) {
  ww_exec *x = t->x;
  if (!t->n || !x->obs->access) {
    t->n = 0;
    return;
  }
  uint64_t lo = UINT64_MAX;
  uint64_t hi = 0;
  uint64_t low = 0;
  bool contiguous = t->n == x->lanes;
  for (uint32_t l = 0; l < t->n; l++) {
    ww_range_add(&lo, &hi, x->addr[l], x->addr[l] + t->bytes);
    contiguous &= x->addr[l] == x->addr[0] + (uint64_t)t->bytes * l;
    low |= x->addr[l];
  }
  ww_access a = {.warp = x->id,
                 .fn = x->prog->fn,
                 .ins = t->k->ins,
                 .ins_id = t->k->ins_id,
                 .kind = t->kind,
                 .space = WW_GLOBAL,
                 .bytes = t->bytes,
                 .pattern = contiguous ? WW_PATTERN_CONTIG : WW_PATTERN_ANY,
                 .lanes = t->n == 64 ? ~0ull : (1ull << t->n) - 1,
                 .addr = x->addr,
                 .lo = lo,
                 .hi = hi,
                 .aligned = !(low & (t->bytes - 1u)),
                 .more = t->more,
                 .weight = x->weight};
  x->obs->access(x->obs->ctx, &a);
  t->n = 0;
  t->more = true;
}

/* Bytes of global memory that a copy moves, in pieces that divide them. */
static void tell(teller *t, uint64_t addr, uint64_t n) {
  uint64_t piece = (n | 16) & -(n | 16);
  if (t->silent)
    return;
  if (t->bytes != piece)
    flush(t);
  t->bytes = piece;
  for (uint64_t at = 0; at < n; at += piece) {
    t->x->addr[t->n++] = addr + at;
    if (t->n == t->x->lanes)
      flush(t);
  }
}

/* That the last of n bytes of shared memory is touched: how much of it there must be.
 */
static void tell_shared(teller *t, uint64_t addr, uint64_t n) {
  ww_exec *x = t->x;
  const ww_code *k = t->k;
  flush(t);
  if (!x->obs->access || n < 16 || addr >= WW_CLUSTER_BASE)
    return;
  x->addr[0] = addr + n - 16;
  ww_access a = {.warp = x->id,
                 .fn = x->prog->fn,
                 .ins = k->ins,
                 .ins_id = k->ins_id,
                 .kind = WW_ACCESS_STORE,
                 .space = WW_SHARED,
                 .bytes = 16,
                 .pattern = WW_PATTERN_SAME,
                 .lanes = 1,
                 .addr = x->addr,
                 .lo = x->addr[0],
                 .hi = addr + n,
                 .aligned = true,
                 .weight = x->weight};
  x->obs->access(x->obs->ctx, &a);
}

static ww_access_kind kind_of(const ww_ins *i) {
  return i->imm                    ? WW_ACCESS_ATOMIC
         : i->sub == WW_BULK_STORE ? WW_ACCESS_STORE
                                   : WW_ACCESS_LOAD;
}

/* ---- moving bytes ---- */

static uint64_t operand(const ww_exec *x, const ww_code *k, uint32_t n, uint32_t lane) {
  const ww_fn *fn = x->prog->fn;
  bool wide = ww_type_bytes[fn->vals[fn->pool[k->ins->ext + n]].type] == 8;
  return ww_cell_of(x, k->slots[n], wide, lane);
}

/* A copy, or a reduction of elements of `type`. */
static void
combine(int64_t rmw, ww_type type, uint8_t *to, const uint8_t *from, uint64_t n) {
  uint32_t size = ww_type_bytes[type];
  if (!rmw) {
    memmove(to, from, n);
    return;
  }
  for (uint64_t at = 0; at + size <= n; at += size) {
    uint64_t old = 0;
    uint64_t b = 0;
    memcpy(&old, to + at, size);
    memcpy(&b, from + at, size);
    old = ww_rmw_apply(rmw - 1, type, old, b);
    memcpy(to + at, &old, size);
  }
}

/* Bytes have come: they are counted off the mbarrier. */
static void
complete(ww_exec *x, const ww_code *k, uint32_t lane, uint64_t addr, uint64_t n) {
  uint8_t *p = barrier_at(x, k->ins, lane, addr, false);
  if (!p)
    return;
  uint64_t word;
  memcpy(&word, p, 8);
  ww_mbarrier b = ww_mbarrier_of(word);
  b.bytes -= (int32_t)n;
  bool ends = ww_mbarrier_turn(&b);
  word = ww_mbarrier_word(b);
  memcpy(p, &word, 8);
  tell_barrier(x, k->ins, addr,
               (ww_mbar_event){.kind = WW_MBAR_FILLED, .bytes = n, .ends = ends});
}

/* Where a copy goes, and the mbarrier that is told: a copy for many blocks goes to the
 * same places of each. */
typedef struct {
  uint64_t to, bar;
  bool done;
} target;

/* The next of the blocks in the mask; without a mask, the addresses as they are. */
static bool next_target(target *t, uint32_t *mask) {
  if (!*mask) {
    bool first = !t->done;
    t->done = true;
    return first;
  }
  uint32_t rank = __builtin_ctz(*mask);
  *mask &= *mask - 1;
  t->done = true;
  t->to = in_block(t->to, rank);
  t->bar = t->bar ? in_block(t->bar, rank) : 0;
  return true;
}

enum { TO, FROM, BYTES, BULK_BARRIER, BULK_MASK };

static void bulk_lane(ww_exec *x, const ww_code *k, uint32_t lane, teller *t) {
  const ww_ins *i = k->ins;
  uint64_t to = operand(x, k, TO, lane);
  uint64_t from = operand(x, k, FROM, lane);
  uint64_t n = operand(x, k, BYTES, lane);
  uint64_t bar = operand(x, k, BULK_BARRIER, lane);
  bool prefetch = i->sub == WW_BULK_PREFETCH;
  if (misaligned(x, i, from, 16) || (!prefetch && misaligned(x, i, to, 16)))
    return;
  if (n % 16) {
    ww_exec_fault(x, i, "a bulk copy of %llu bytes, which is no multiple of 16",
                  (unsigned long long)n);
    return;
  }
  const uint8_t *p = side(x, k, lane, from, n, false);
  if (p && i->sub != WW_BULK_CLUSTER)
    tell(t, i->sub == WW_BULK_STORE ? to : from, n);
  if (p && !prefetch)
    tell_shared(t, i->sub == WW_BULK_STORE ? from : to, n);
  target d = {.to = to, .bar = bar};
  for (uint32_t mask = operand(x, k, BULK_MASK, lane); p && next_target(&d, &mask);) {
    uint8_t *q = prefetch ? NULL : side(x, k, lane, d.to, n, true);
    if (q && !x->idle_values)
      combine(i->imm, i->type, q, p, n);
    if (q && d.bar)
      complete(x, k, lane, d.bar, n);
  }
}

void ww_exec_bulk(ww_exec *x, const ww_code *k) {
  teller t = {.x = x, .k = k, .kind = kind_of(k->ins)};
  uint32_t lane;
  x->changes++;
  EACH_LANE(x, lane) bulk_lane(x, k, lane, &t);
  flush(&t);
}

/* ---- tiles of tensors ---- */

enum { MAP, TILE, TILE_BARRIER, TILE_MASK, COORDINATES };

/* What a tile holds where it lies outside the tensor. */
static void fill_outside(const ww_tma_tensor *t, uint8_t *to, uint32_t n) {
  uint64_t nan = ww_is_float(t->type) ? ww_from_double(t->type, NAN, WW_RN) : 0;
  for (uint32_t at = 0; at < n; at += t->bytes)
    if (t->nan_fill)
      memcpy(to + at, &nan, t->bytes);
    else
      memset(to + at, 0, t->bytes);
}

/* A tile's reduction is named without a type: the tensor map knows it. */
static int64_t reduction_of(int64_t rmw, const ww_tma_tensor *t) {
  bool real = ww_is_float(t->type);
  switch (rmw - 1) {
  case WW_RMW_ADD:
    return 1 + (real ? WW_RMW_FADD : WW_RMW_ADD);
  case WW_RMW_UMIN:
    return 1 + (real ? WW_RMW_FMIN : t->sign ? WW_RMW_SMIN : WW_RMW_UMIN);
  case WW_RMW_UMAX:
    return 1 + (real ? WW_RMW_FMAX : t->sign ? WW_RMW_SMAX : WW_RMW_UMAX);
  default:
    return rmw;
  }
}

typedef struct {
  ww_exec *x;
  const ww_code *k;
  uint32_t lane;
  const ww_tma_tensor *t;
  uint64_t shared; /* where the tile begins */
} tile;

/* Bytes [at, at + n) of a row between the tile and `row`, which holds it as it
 * lies in the tensor: in pieces of 16 bytes, each in its shuffled place. */
static void shuffle(const tile *c, const ww_tile_run *r, uint8_t *row, bool store) {
  for (uint32_t at = 0; at < r->bytes; at += 16) {
    uint32_t n = r->bytes - at < 16 ? r->bytes - at : 16;
    uint64_t addr = ww_swizzled(c->t->swizzle, c->shared + r->shared + at);
    uint8_t *p = side(c->x, c->k, c->lane, addr, n, !store);
    if (!p)
      return;
    if (store)
      memcpy(row + at, p, n);
    else
      memcpy(p, row + at, n);
  }
}

/* A row is at most 256 elements of 8 bytes. */
static void move_row(const tile *c, const ww_tile_run *r, teller *t) {
  const ww_ins *i = c->k->ins;
  uint8_t row[256 * 8];
  bool store = i->sub == WW_BULK_STORE;
  uint8_t *p =
      r->here ? side(c->x, c->k, c->lane, r->global + r->before, r->here, store) : NULL;
  if (c->x->fault)
    return;
  if (p)
    tell(t, r->global + r->before, r->here);
  if (i->sub == WW_BULK_PREFETCH || c->x->idle_values)
    return;
  if (store) {
    shuffle(c, r, row, true);
    if (p)
      combine(reduction_of(i->imm, c->t), c->t->type, p, row + r->before, r->here);
    return;
  }
  fill_outside(c->t, row, r->bytes);
  if (p)
    memcpy(row + r->before, p, r->here);
  shuffle(c, r, row, false);
}

static bool
read_map(ww_exec *x, const ww_code *k, uint32_t lane, uint64_t at, ww_tma_tensor *out) {
  const uint8_t *p = side(x, k, lane, at, WW_TENSOR_MAP_BYTES, false);
  if (p && ww_tensor_decode(p, out))
    return true;
  ww_exec_fault(
      x, k->ins,
      "no tensor map lies there, or it was changed into none: describe it in the "
      "launch spec (\"tensormap\")");
  return false;
}

static void tma_lane(ww_exec *x, const ww_code *k, uint32_t lane, teller *t) {
  const ww_ins *i = k->ins;
  ww_tma_tensor map;
  uint32_t rank = i->n - COORDINATES;
  if (!read_map(x, k, lane, operand(x, k, MAP, lane), &map))
    return;
  if (rank != map.rank) {
    ww_exec_fault(x, i, "a tile of %u dimensions from a tensor map of %u", rank,
                  map.rank);
    return;
  }
  tile c = {x, k, lane, &map, operand(x, k, TILE, lane)};
  ww_tile_walk w = {.t = &map};
  for (uint32_t d = 0; d < rank; d++)
    w.at[d] = operand(x, k, COORDINATES + d, lane);
  if (i->sub != WW_BULK_PREFETCH && misaligned(x, i, c.shared, 128))
    return;
  if (i->sub != WW_BULK_PREFETCH)
    tell_shared(t, c.shared, ww_tensor_tile_bytes(&map));
  target d = {.to = c.shared, .bar = operand(x, k, TILE_BARRIER, lane)};
  for (uint32_t mask = operand(x, k, TILE_MASK, lane); next_target(&d, &mask);) {
    ww_tile_walk rows = w;
    c.shared = d.to;
    for (ww_tile_run r; !x->fault && ww_tile_next(&rows, &r);)
      move_row(&c, &r, t);
    if (d.bar && !x->fault)
      complete(x, k, lane, d.bar, ww_tensor_tile_bytes(&map));
    t->silent = true; /* read once for all */
  }
  t->silent = false;
}

void ww_exec_tma(ww_exec *x, const ww_code *k) {
  teller t = {.x = x, .k = k, .kind = kind_of(k->ins)};
  uint32_t lane;
  x->changes++;
  EACH_LANE(x, lane) tma_lane(x, k, lane, &t);
  flush(&t);
}
