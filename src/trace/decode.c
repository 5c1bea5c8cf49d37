/* decode.c - from a function of the IR to segments that the interpreter runs.
 *
 * Three decisions live here. Slots: constants and parameters first, then values that
 * live across blocks each in a slot of their own, then slots shared by values that
 * never leave their block (they keep frames small, so that the hot rows stay in the
 * first-level cache). Copies: phi values are moved on edges, in an order that respects
 * their parallel meaning; a loop counter shares the slot of its next value where that
 * is safe. Segments: a block ends where its mask may change or the warp may wait. */
#include "code.h"
#include "setup.h"

#include "../ir/mma.h"

typedef struct {
  const ww_decoding *with;
  const ww_fn *fn;
  ww_arena *a;
  ww_prog *p;
  uint32_t lanes;
  const ww_ins **def;  /* ww_ir_defs, where there are loops */
  uint32_t *slot;      /* per value, UINT32_MAX: none */
  bool *crosses;       /* per value: used outside its block, or by a phi */
  uint32_t *last_use;  /* per block-local value: instruction index of its last use */
  uint32_t *first_seg; /* per block */
  uint32_t top;        /* bytes of frame handed out */
  uint32_t temp[2];    /* scratch rows for cyclic copies, narrow and wide */
  WW_VEC(ww_seg) segs;
} dec;

static bool wide(const dec *d, ww_val v) {
  return ww_type_bytes[d->fn->vals[v].type] == 8;
}
static uint32_t row_bytes(const dec *d, bool w) {
  return d->lanes * (w ? 8 : 4);
}

static uint32_t new_slot(dec *d, bool w) {
  uint32_t s = d->top;
  d->top += row_bytes(d, w);
  return s;
}

static bool exit_only(const ww_block *b) {
  return b->nins == 1 && b->nphis == 0 && b->ins[0].op == WW_OP_EXIT;
}

/* ---- slots ---- */

static bool fixed(const ww_value *v) {
  return v->kind != WW_VAL_RESULT;
}

static bool defined_in(const dec *d, ww_val v, uint32_t block) {
  return !fixed(&d->fn->vals[v]) && d->fn->vals[v].ref == block;
}

static void note_use(dec *d, ww_val v, uint32_t block, uint32_t at) {
  if (!defined_in(d, v, block))
    d->crosses[v] = true;
  else if (at > d->last_use[v])
    d->last_use[v] = at;
}

static void find_uses(dec *d) {
  const ww_fn *fn = d->fn;
  ww_val use[256];
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *bb = &fn->blocks[b];
    for (const ww_phi *p = bb->phis; p && p < bb->phis + bb->nphis; p++) {
      d->crosses[p->dst] = true;
      for (uint32_t n = 0; n < p->n; n++)
        d->crosses[ww_phi_value(fn, p, n)] = true;
    }
    for (uint32_t k = 0; k < bb->nins; k++) {
      uint32_t n = ww_ins_uses(fn, &bb->ins[k], use, 256);
      for (uint32_t u = 0; u < n; u++)
        note_use(d, use[u], b, k);
    }
  }
}

static void give_crossing(dec *d) {
  for (uint32_t v = 0; v < d->fn->nvals; v++)
    if (d->crosses[v] && d->slot[v] == UINT32_MAX)
      d->slot[v] = new_slot(d, wide(d, v));
}

/* Rows for values of one block: taken at the definition, handed back after the last
 * use. */
static void give_local(dec *d, uint32_t b, uint32_t base, uint32_t *high) {
  const ww_block *bb = &d->fn->blocks[b];
  WW_VEC(uint32_t) free[2] = {0}; /* narrow and wide */
  uint32_t top = base;
  ww_val use[256];
  for (uint32_t k = 0; k < bb->nins; k++) {
    const ww_ins *i = &bb->ins[k];
    uint32_t n = ww_ins_uses(d->fn, i, use, 256);
    for (uint32_t r = 0; r < i->nres; r++) {
      ww_val v = i->dst + r;
      if (d->crosses[v])
        continue;
      bool w = wide(d, v);
      if (free[w].n)
        d->slot[v] = free[w].v[--free[w].n];
      else {
        d->slot[v] = top;
        top += row_bytes(d, w);
      }
    }
    /* after the results: an operand's row is never written by its own reader */
    for (uint32_t u = 0; u < n; u++) {
      ww_val v = use[u];
      if (!defined_in(d, v, b) || d->crosses[v] || d->last_use[v] != k)
        continue;
      d->last_use[v] = UINT32_MAX; /* handed back once, however often it is named */
      ww_push(d->a, &free[wide(d, v)], d->slot[v]);
    }
  }
  if (top > *high)
    *high = top;
}

/* ---- copy coalescing: a phi and the value its latch brings share a row when no use of
 * the phi comes after that value ---- */

static uint32_t phi_uses(const ww_fn *fn, ww_val v) {
  uint32_t c = 0;
  for (const ww_block *b = fn->blocks; b && b < fn->blocks + fn->nblocks; b++)
    for (const ww_phi *p = b->phis; p && p < b->phis + b->nphis; p++)
      for (uint32_t n = 0; n < p->n; n++)
        c += ww_phi_value(fn, p, n) == v;
  return c;
}

/* Every use of p happens before v is written, whichever way the code runs. */
static bool dead_before(const dec *d, ww_val p, uint32_t header, ww_val v) {
  const ww_fn *fn = d->fn;
  uint32_t block = fn->vals[v].ref;
  if (!d->def[v] || !ww_ir_dominates(fn, header, block) || phi_uses(fn, p))
    return false;
  ww_val use[256];
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *bb = &fn->blocks[b];
    bool before =
        b != block && ww_ir_dominates(fn, header, b) && ww_ir_dominates(fn, b, block);
    for (uint32_t k = 0; k < bb->nins; k++) {
      uint32_t n = ww_ins_uses(fn, &bb->ins[k], use, 256);
      for (uint32_t u = 0; u < n; u++)
        if (use[u] == p && !before && !(b == block && &bb->ins[k] <= d->def[v]))
          return false;
    }
  }
  return true;
}

static void coalesce(dec *d) {
  const ww_fn *fn = d->fn;
  if (fn->nblocks > 400)
    return; /* quadratic; huge kernels go without */
  for (const ww_loop *l = fn->loops; l && l < fn->loops + fn->nloops; l++) {
    const ww_block *h = &fn->blocks[l->header];
    for (uint32_t k = 0; l->latch != WW_NOBLOCK && k < h->nphis; k++) {
      ww_val p = h->phis[k].dst;
      ww_val v = ww_phi_of(fn, &h->phis[k], l->latch);
      if (v == WW_NOVAL || fixed(&fn->vals[v]) || d->slot[v] != UINT32_MAX ||
          d->slot[p] != UINT32_MAX)
        continue;
      if (phi_uses(fn, v) == 1 && wide(d, v) == wide(d, p) &&
          dead_before(d, p, l->header, v))
        d->slot[v] = d->slot[p] = new_slot(d, wide(d, p));
    }
  }
}

static void give_slots(dec *d) {
  const ww_fn *fn = d->fn;
  d->slot = WW_NEWN(d->a, uint32_t, fn->nvals + 1);
  d->crosses = WW_NEWN(d->a, bool, fn->nvals + 1);
  d->last_use = WW_NEWN(d->a, uint32_t, fn->nvals + 1);
  memset(d->slot, 0xff, fn->nvals * sizeof *d->slot); /* UINT32_MAX */
  find_uses(d);
  /* looked at when the header is entered again */
  for (uint32_t s = 0; s < d->p->nsteady; s++)
    d->crosses[d->p->steady[s].a] = d->crosses[d->p->steady[s].b] = true;
  /* constants first: they are the image that a frame starts from */
  for (uint32_t v = 0; v < fn->nvals; v++)
    if (fixed(&fn->vals[v]))
      d->slot[v] = new_slot(d, wide(d, v));
  d->p->fixed = d->top;
  coalesce(d);
  give_crossing(d);
  for (int w = 0; w < 2; w++)
    d->temp[w] = new_slot(d, w);
  uint32_t base = d->p->shared_rows = d->top;
  uint32_t high = d->top;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    give_local(d, b, base, &high);
  for (uint32_t v = 0; v < fn->nvals; v++) /* results nobody uses */
    if (d->slot[v] == UINT32_MAX)
      d->slot[v] = high;
  high += row_bytes(d, true);
  d->p->frame = (high + 63) & ~63u;
}

static void make_image(dec *d) {
  uint8_t *img = ww_alloc(d->a, d->p->fixed + 1);
  const ww_fn *fn = d->fn;
  for (uint32_t v = 0; v < fn->nvals; v++) {
    const ww_value *x = &fn->vals[v];
    if (!fixed(x) || x->kind == WW_VAL_PARAM)
      continue;
    struct ww_reloc place = {.fn = x->kind == WW_VAL_FN, .ref = x->ref, .add = x->bits};
    uint64_t bits = x->kind == WW_VAL_CONST
                        ? x->bits
                        : ww_setup_address(d->with->m, d->with->symbol_addr, &place);
    uint32_t bytes = WW_CELL_BYTES(x->type);
    for (uint32_t l = 0; l < d->lanes; l++)
      memcpy(img + d->slot[v] + bytes * l, &bits, bytes);
  }
  d->p->image = img;
  d->p->slots = d->slot;
}

/* ---- edges ---- */

/* Orders parallel copies: one whose target nobody still reads goes first; a cycle is
 * broken through a scratch row. */
static void order_moves(dec *d, ww_move *in, uint32_t n, ww_edge *e) {
  WW_VEC(ww_move) out = {0};
  bool *done = WW_NEWN(d->a, bool, n + 1);
  for (uint32_t left = n; left;) {
    bool moved = false;
    for (uint32_t k = 0; k < n; k++) {
      if (done[k])
        continue;
      bool blocked = false;
      for (uint32_t o = 0; o < n; o++)
        blocked |= o != k && !done[o] && in[o].s == in[k].d;
      if (blocked)
        continue;
      ww_push(d->a, &out, in[k]);
      done[k] = moved = true;
      left--;
    }
    if (moved)
      continue;
    /* cycle: park one source, its reader takes it from there */
    for (uint32_t k = 0; k < n; k++) {
      if (done[k])
        continue;
      uint32_t t = d->temp[in[k].wide];
      ww_push(d->a, &out, (ww_move){t, in[k].d, in[k].wide});
      for (uint32_t o = 0; o < n; o++)
        if (!done[o] && in[o].s == in[k].d)
          in[o].s = t;
      break;
    }
  }
  e->moves = out.v;
  e->nmoves = out.n;
}

static void mark_loops(dec *d, uint32_t from, uint32_t to, ww_edge *e) {
  uint32_t outer = UINT32_MAX;
  for (uint32_t s = 0; s < d->p->nsteady; s++) {
    const ww_steady *st = &d->p->steady[s];
    bool a = ww_ir_in_loop(d->fn, from, st->loop),
         b = ww_ir_in_loop(d->fn, to, st->loop);
    if (!a && b && st->header == to)
      e->enters = s + 1;
    if (a && !b && d->fn->loops[st->loop].depth < outer) {
      outer = d->fn->loops[st->loop].depth;
      e->leaves = s + 1;
    }
  }
}

static void mark_waits(dec *d, uint32_t from, uint32_t to, ww_edge *e) {
  for (uint32_t s = 0; s < d->p->nspins; s++) {
    bool inside = ww_ir_in_loop(d->fn, from, d->p->spins[s].loop);
    if (d->p->spins[s].header == to && !inside)
      e->waits = s + 1;
    e->quits |= inside && !ww_ir_in_loop(d->fn, to, d->p->spins[s].loop);
  }
}

static void make_edge(dec *d, uint32_t from, uint32_t to, ww_edge *e) {
  const ww_fn *fn = d->fn;
  const ww_block *t = &fn->blocks[to];
  if (fn->kernel && exit_only(t)) {
    *e = (ww_edge){.target = WW_NOSEG};
    return;
  }
  *e = (ww_edge){.target = to}; /* block; becomes a segment once all are laid out */
  ww_move *in = WW_NEWN(d->a, ww_move, t->nphis + 1);
  uint32_t n = 0;
  for (const ww_phi *p = t->phis; p && p < t->phis + t->nphis; p++) {
    ww_val v = ww_phi_of(fn, p, from);
    if (v != WW_NOVAL && d->slot[v] != d->slot[p->dst])
      in[n++] = (ww_move){d->slot[p->dst], d->slot[v], wide(d, v)};
  }
  order_moves(d, in, n, e);
  mark_loops(d, from, to, e);
  mark_waits(d, from, to, e);
}

/* ---- instructions ---- */

static uint32_t slot_or_0(const dec *d, ww_val v) {
  return v == WW_NOVAL ? 0 : d->slot[v];
}

/* Slots of n values in the pool from `ext` on. */
static const uint32_t *slot_list(dec *d, uint32_t ext, uint32_t n) {
  uint32_t *s = WW_NEWN(d->a, uint32_t, n + 1);
  for (uint32_t k = 0; k < n; k++)
    s[k] = slot_or_0(d, d->fn->pool[ext + k]);
  return s;
}

/* Results are values in a row. */
static const uint32_t *result_slots(const dec *d, const ww_ins *i) {
  return i->nres ? d->slot + i->dst : NULL;
}

static bool wide_if_any(const dec *d, ww_val v) {
  return v != WW_NOVAL && wide(d, v);
}

static ww_type type_if_any(const dec *d, ww_val v) {
  return v != WW_NOVAL ? d->fn->vals[v].type : WW_VOID;
}

/* A shift whose count is of another width than its value: rows do not match, lane by
 * lane. */
static bool uneven(const dec *d, const ww_ins *i) {
  return (i->op == WW_OP_SHL || i->op == WW_OP_LSHR || i->op == WW_OP_ASHR) &&
         wide(d, i->a) != wide(d, i->b);
}

static ww_code make_code(dec *d, uint32_t block, const ww_ins *i) {
  ww_code k = {.ins = i,
               .imm = i->imm,
               .d = slot_or_0(d, i->dst),
               .a = slot_or_0(d, i->a),
               .b = slot_or_0(d, i->b),
               .c = slot_or_0(d, i->c)};
  d->with->isa->resolve(i, uneven(d, i), k.fn);
  k.wide = wide_if_any(d, i->dst) | wide_if_any(d, i->a) << 1 |
           wide_if_any(d, i->b) << 2 | wide_if_any(d, i->c) << 3;
  if (ww_touches_memory(i)) {
    k.ins_id = (*d->with->next_ins_id)++;
    k.esize = ww_type_bytes[i->type];
    k.n = i->n ? i->n : 1;
    k.bytes = k.esize * k.n;
    if (i->op == WW_OP_LD)
      k.slots = result_slots(d, i);
    else if (i->op == WW_OP_ST || i->op == WW_OP_BULK || i->op == WW_OP_TMA)
      k.slots = slot_list(d, i->ext, k.n);
    else if (!ww_is_atomic(i))
      k.bytes = 4; /* a piece of a copy */
    k.ticket = ww_is_ticket(d->fn, block, i, d->a);
  } else if (i->op == WW_OP_SHFL || i->op == WW_OP_MATCH) {
    k.n = i->n;
    k.slots = result_slots(d, i);
  } else if (i->op == WW_OP_PRINTF || i->op == WW_OP_MMA || i->op == WW_OP_WGMMA) {
    k.n = i->n;
    k.slots = slot_list(d, i->ext, i->n);
  } else if (i->op == WW_OP_LEA) {
    if (i->imm > 0 && !(i->imm & (i->imm - 1)))
      k.imm = __builtin_ctzll(i->imm);
  } else { /* types of the operands, for ww_scalar */
    k.n = type_if_any(d, i->a);
    k.esize = type_if_any(d, i->b);
  }
  return k;
}

/* Lanes may come back to it: nothing stands before it in its segment. */
static bool comes_back(const ww_ins *i) {
  return i->op == WW_OP_CALLI || ww_is_wait(i);
}

static bool splits(const ww_ins *i) {
  return i->op == WW_OP_BAR || i->op == WW_OP_GRIDSYNC || i->op == WW_OP_CALL ||
         comes_back(i);
}

/* Names the whole warp. */
static bool meets(const dec *d, uint8_t op) {
  return d->with->meets && (op == WW_OP_SYNCWARP || op == WW_OP_SHFL ||
                            op == WW_OP_VOTE || op == WW_OP_MATCH ||
                            op == WW_OP_REDUX || op == WW_OP_MMA || op == WW_OP_WGMMA);
}

static void make_switch(dec *d, uint32_t b, const ww_ins *i, ww_seg *s, ww_edge *e) {
  const uint32_t *pair = d->fn->pool + i->ext;
  uint64_t *c = WW_NEWN(d->a, uint64_t, i->n + 1u);
  for (uint32_t k = 0; k < i->n; k++, pair += 2) {
    c[k] = d->fn->vals[pair[0]].bits;
    make_edge(d, b, pair[1], &e[k]);
  }
  make_edge(d, b, i->imm, &e[i->n]);
  s->cases = c;
}

/* Of the mbarrier's address, and of what says which phase; of a barrier's id, and of
 * the threads it waits for. */
static const uint32_t *wait_slots(dec *d, const ww_ins *i) {
  uint32_t *s = WW_NEWN(d->a, uint32_t, 2);
  s[0] = i->a == WW_NOVAL ? 0 : d->slot[i->a];
  s[1] = i->b == WW_NOVAL ? 0 : d->slot[i->b];
  return s;
}

static void control(dec *d, uint32_t b, const ww_ins *i, ww_seg *s) {
  s->ins = i;
  s->ctl = i->op;
  if (i->a != WW_NOVAL) {
    s->a = d->slot[i->a];
    s->wide = wide(d, i->a);
  }
  s->nedges = i->op == WW_OP_BR       ? 1
              : i->op == WW_OP_CBR    ? 2
              : i->op == WW_OP_SWITCH ? i->n + 1
                                      : 0;
  ww_edge *e = WW_NEWN(d->a, ww_edge, s->nedges);
  s->edge = e;
  switch (i->op) {
  case WW_OP_CBR:
    if (i->imm == i->ext)
      s->ctl = WW_OP_BR;
    make_edge(d, b, i->ext, &e[1]);
    /* fallthrough */
  case WW_OP_BR:
    make_edge(d, b, i->imm, e);
    break;
  case WW_OP_SWITCH:
    make_switch(d, b, i, s, e);
    break;
  case WW_OP_CALL:
    s->callee = d->with->progs[i->imm];
    /* fallthrough */
  case WW_OP_CALLI:
  case WW_OP_RET:
    s->slots = slot_list(d, i->ext, i->n);
    break;
  case WW_OP_MWAIT:
  case WW_OP_BAR:
    s->slots = wait_slots(d, i);
    break;
  default:
    break;
  }
  if (splits(i))
    s->dsts = result_slots(d, i);
}

/* The edge into the segment behind the one about to be added; nedges stays 0, as it
 * names a segment already. */
static const ww_edge *next_segment(dec *d) {
  ww_edge *e = WW_NEWN(d->a, ww_edge, 1);
  e->target = d->segs.n + 1;
  return e;
}

static void decode_block(dec *d, uint32_t b) {
  const ww_block *bb = &d->fn->blocks[b];
  ww_code *codes = WW_NEWN(d->a, ww_code, bb->nins + 1);
  uint32_t at = 0;
  bool enter = true;
  bool met = false; /* the instruction at hand has been waited for */
  d->first_seg[b] = d->segs.n;
  for (uint32_t k = 0; k < bb->nins;) {
    ww_seg s = {.code = codes + at,
                .ctl = WW_OP_BR,
                .enter = enter,
                .block = b,
                .nins = bb->nins,
                .ipdom = bb->ipdom,
                .loop = WW_NOSEG,
                .spin = WW_NOSEG};
    enter = false;
    while (!splits(&bb->ins[k]) && !ww_ends_block(bb->ins[k].op) &&
           (met || !meets(d, bb->ins[k].op))) {
      codes[at++] = make_code(d, b, &bb->ins[k++]);
      met = false;
    }
    s.n = codes + at - s.code;
    if (meets(d, bb->ins[k].op)) {
      s.ctl = WW_OP_SYNCWARP;
      s.edge = next_segment(d);
      ww_push(d->a, &d->segs, s);
      met = true;
      continue;
    }
    if (comes_back(&bb->ins[k]) && (s.n || s.enter)) {
      s.edge = next_segment(d);
      ww_push(d->a, &d->segs, s);
      s.code = codes + at;
      s.n = s.enter = 0;
    }
    control(d, b, &bb->ins[k], &s);
    if (splits(&bb->ins[k]))
      s.edge = next_segment(d);
    k++;
    ww_push(d->a, &d->segs, s);
  }
}

static void resolve_targets(dec *d) {
  for (uint32_t k = 0; k < d->segs.n; k++) {
    ww_seg *s = &d->segs.v[k];
    if (s->ipdom != WW_NOBLOCK)
      s->ipdom = d->first_seg[s->ipdom];
    for (uint32_t e = 0; e < s->nedges; e++) {
      ww_edge *ed = (ww_edge *)&s->edge[e];
      if (ed->target != WW_NOSEG)
        ed->target = d->first_seg[ed->target];
    }
  }
}

static void place_steady(dec *d) {
  for (uint32_t s = 0; s < d->p->nsteady; s++) {
    ww_steady *st = &d->p->steady[s];
    for (uint32_t k = 0; k < st->nphis; k++) {
      ww_val v = d->fn->blocks[st->header].phis[k].dst;
      st->phi[k].slot = d->slot[v];
      st->phi[k].wide = wide(d, v);
    }
    st->cmp_wide = wide(d, st->a);
    st->a = d->slot[st->a];
    st->b = d->slot[st->b];
    d->segs.v[d->first_seg[st->header]].loop = s;
  }
}

static void place_spins(dec *d) {
  for (uint32_t s = 0; s < d->p->nspins; s++) {
    ww_spin *w = &d->p->spins[s];
    w->phi = WW_NEWN(d->a, struct ww_spin_phi, w->nphis + 1);
    for (uint32_t k = 0; k < w->nphis; k++) {
      ww_val v = d->fn->blocks[w->header].phis[k].dst;
      w->phi[k] = (struct ww_spin_phi){d->slot[v], wide(d, v)};
    }
    d->segs.v[d->first_seg[w->header]].spin = s;
  }
}

/* The IR leaves shapes open; ww_exec_mma knows these. */
static bool mma_fits(const ww_fn *fn, const ww_ins *i) {
  if (i->sub >= ww_nmma_shapes || ww_is_float(i->type) != ww_is_float(i->type2))
    return false;
  const ww_mma_shape *s = &ww_mma_shapes[i->sub];
  uint32_t in = ww_mma_elements(s, WW_MATRIX_A) + ww_mma_elements(s, WW_MATRIX_B);
  uint32_t nc = ww_mma_elements(s, WW_MATRIX_C);
  if (i->n != in + nc || i->nres != nc || !ww_type_bytes[i->type2])
    return false;
  for (uint32_t k = 0; k < i->n; k++)
    if (fn->vals[fn->pool[i->ext + k]].type != (k < in ? i->type2 : i->type))
      return false;
  for (uint32_t k = 0; k < nc; k++)
    if (fn->vals[i->dst + k].type != i->type)
      return false;
  return true;
}

ww_status ww_decode(const ww_decoding *with, uint32_t fn, ww_prog *out, ww_err *e) {
  ww_arena *a = with->a;
  dec d = {
      .with = with, .fn = &with->m->fns[fn], .a = a, .p = out, .lanes = with->lanes};
  ww_ins_walk w = {.fn = d.fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));) {
    if (i->op == WW_OP_SWITCH && i->n > 250)
      return ww_fail(e, WW_EUNSUPPORTED, "%s: a switch with %u cases", d.fn->name,
                     i->n);
    if (i->op == WW_OP_MMA && !mma_fits(d.fn, i))
      return ww_fail(e, WW_EUNSUPPORTED,
                     "%s: a matrix instruction whose fragments do not fit its shape",
                     d.fn->name);
  }
  out->fn = d.fn;
  if (d.fn->nloops)
    d.def = ww_ir_defs(d.fn, a);
  ww_steady_find(d.fn, d.def, a, &out->steady, &out->nsteady);
  ww_spin_find(d.fn, d.def, a, &out->spins, &out->nspins);
  give_slots(&d);
  make_image(&d);
  d.first_seg = WW_NEWN(a, uint32_t, d.fn->nblocks + 1);
  for (uint32_t b = 0; b < d.fn->nblocks; b++)
    decode_block(&d, b);
  place_steady(&d);
  place_spins(&d);
  resolve_targets(&d);
  out->segs = d.segs.v;
  out->nsegs = d.segs.n;
  return WW_OK;
}
