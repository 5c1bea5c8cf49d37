/* decode.c - from a function of the IR to segments that the interpreter runs.
 *
 * Three decisions live here. Slots: constants and parameters first, then values that live across
 * blocks each in a slot of their own, then slots shared by values that never leave their block
 * (they keep frames small, so that the hot rows stay in the first-level cache). Copies: phi values
 * are moved on edges, in an order that respects their parallel meaning; a loop counter shares the
 * slot of its next value where that is safe. Segments: a block ends where its mask may change or
 * the warp may wait. */
#include "code.h"

#include "../ir/mma.h"

typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  ww_arena *a;
  const ww_isa *isa;
  const uint64_t *symbol_addr;
  ww_prog *p;
  uint32_t lanes;
  uint32_t *slot;          /* per value, UINT32_MAX: none */
  uint32_t *def_block;     /* per value: block, WW_NOBLOCK for fixed ones */
  bool *crosses;           /* per value: used outside its block, or by a phi */
  uint32_t *last_use;      /* per block-local value: instruction index of its last use */
  uint32_t *first_seg;     /* per block */
  uint32_t top;            /* bytes of frame handed out */
  uint32_t temp32, temp64; /* scratch rows for cyclic copies, UINT32_MAX until needed */
  const ww_prog *const *progs;
  uint32_t *next_ins_id;
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

static void note_use(dec *d, ww_val v, uint32_t block, uint32_t at) {
  if (d->def_block[v] != block)
    d->crosses[v] = true;
  else if (at > d->last_use[v])
    d->last_use[v] = at;
}

static void find_uses(dec *d) {
  const ww_fn *fn = d->fn;
  ww_val use[256];
  for (uint32_t v = 0; v < fn->nvals; v++)
    d->def_block[v] = WW_NOBLOCK;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *bb = &fn->blocks[b];
    for (uint32_t k = 0; k < bb->nphis; k++) {
      d->def_block[bb->phis[k].dst] = b;
      d->crosses[bb->phis[k].dst] = true;
    }
    for (uint32_t k = 0; k < bb->nins; k++)
      for (uint32_t r = 0; r < bb->ins[k].nres; r++)
        d->def_block[bb->ins[k].dst + r] = b;
  }
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *bb = &fn->blocks[b];
    for (uint32_t k = 0; k < bb->nphis; k++)
      for (uint32_t n = 0; n < bb->phis[k].n; n++)
        d->crosses[fn->pool[bb->phis[k].ext + 2 * n + 1]] = true;
    for (uint32_t k = 0; k < bb->nins; k++) {
      uint32_t n = ww_ins_uses(fn, &bb->ins[k], use, 256);
      for (uint32_t u = 0; u < n; u++)
        note_use(d, use[u], b, k);
    }
  }
}

static bool fixed(const ww_value *v) {
  return v->kind != WW_VAL_RESULT;
}

static void give_crossing(dec *d) {
  for (uint32_t v = 0; v < d->fn->nvals; v++)
    if (d->crosses[v] && d->slot[v] == UINT32_MAX)
      d->slot[v] = new_slot(d, wide(d, v));
}

/* Rows for values of one block: taken at the definition, handed back after the last use. */
static void give_local(dec *d, uint32_t b, uint32_t base, uint32_t *high) {
  const ww_block *bb = &d->fn->blocks[b];
  WW_VEC(uint32_t) free32 = {0}, free64 = {0};
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
      if (w && free64.n)
        d->slot[v] = free64.v[--free64.n];
      else if (!w && free32.n)
        d->slot[v] = free32.v[--free32.n];
      else {
        d->slot[v] = top;
        top += row_bytes(d, w);
      }
    }
    for (uint32_t u = 0; u < n;
         u++) { /* after the results: an operand's row is never written by its own reader */
      ww_val v = use[u];
      if (d->def_block[v] != b || d->crosses[v] || d->last_use[v] != k)
        continue;
      d->last_use[v] = UINT32_MAX; /* handed back once, however often it is named */
      if (wide(d, v))
        ww_push(d->a, &free64, d->slot[v]);
      else
        ww_push(d->a, &free32, d->slot[v]);
    }
  }
  if (top > *high)
    *high = top;
}

/* ---- copy coalescing: a phi and the value its latch brings share a row when no use of the phi
 * comes after that value ---- */

typedef struct {
  uint32_t block, at;
} place;

static place def_place(const ww_fn *fn, ww_val v, uint32_t block) {
  const ww_block *b = &fn->blocks[block];
  for (uint32_t k = 0; k < b->nins; k++)
    if (b->ins[k].dst != WW_NOVAL && v >= b->ins[k].dst && v < b->ins[k].dst + b->ins[k].nres)
      return (place){block, k};
  return (place){block, UINT32_MAX}; /* a phi */
}

/* Every use of p happens before v is written, whichever way the code runs. */
static bool dead_before(const dec *d, ww_val p, uint32_t header, ww_val v) {
  const ww_fn *fn = d->fn;
  place w = def_place(fn, v, d->def_block[v]);
  if (w.at == UINT32_MAX || d->def_block[v] == WW_NOBLOCK || !ww_ir_dominates(fn, header, w.block))
    return false;
  ww_val use[256];
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *bb = &fn->blocks[b];
    bool before = b != w.block && ww_ir_dominates(fn, header, b) && ww_ir_dominates(fn, b, w.block);
    for (uint32_t k = 0; k < bb->nins; k++) {
      uint32_t n = ww_ins_uses(fn, &bb->ins[k], use, 256);
      for (uint32_t u = 0; u < n; u++)
        if (use[u] == p && !before && !(b == w.block && k <= w.at))
          return false;
    }
    for (uint32_t k = 0; k < bb->nphis; k++)
      for (uint32_t n = 0; n < bb->phis[k].n; n++)
        if (fn->pool[bb->phis[k].ext + 2 * n + 1] == p)
          return false;
  }
  return true;
}

static uint32_t phi_uses(const ww_fn *fn, ww_val v) {
  uint32_t c = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nphis; k++)
      for (uint32_t n = 0; n < fn->blocks[b].phis[k].n; n++)
        c += fn->pool[fn->blocks[b].phis[k].ext + 2 * n + 1] == v;
  return c;
}

static void coalesce(dec *d) {
  const ww_fn *fn = d->fn;
  if (fn->nblocks > 400)
    return; /* quadratic; huge kernels go without */
  for (uint32_t l = 0; l < fn->nloops; l++) {
    uint32_t h = fn->loops[l].header, latch = fn->loops[l].latch;
    if (latch == WW_NOBLOCK)
      continue;
    const ww_block *hb = &fn->blocks[h];
    for (uint32_t k = 0; k < hb->nphis; k++) {
      ww_val p = hb->phis[k].dst, v = WW_NOVAL;
      for (uint32_t n = 0; n < hb->phis[k].n; n++)
        if (fn->pool[hb->phis[k].ext + 2 * n] == latch)
          v = fn->pool[hb->phis[k].ext + 2 * n + 1];
      if (v == WW_NOVAL || fixed(&fn->vals[v]) || d->slot[v] != UINT32_MAX ||
          d->slot[p] != UINT32_MAX)
        continue;
      if (d->def_block[v] == WW_NOBLOCK || phi_uses(fn, v) != 1 || wide(d, v) != wide(d, p))
        continue;
      if (dead_before(d, p, h, v))
        d->slot[v] = d->slot[p] = new_slot(d, wide(d, p));
    }
  }
}

static void give_slots(dec *d) {
  const ww_fn *fn = d->fn;
  d->slot = WW_NEWN(d->a, uint32_t, fn->nvals + 1);
  d->def_block = WW_NEWN(d->a, uint32_t, fn->nvals + 1);
  d->crosses = WW_NEWN(d->a, bool, fn->nvals + 1);
  d->last_use = WW_NEWN(d->a, uint32_t, fn->nvals + 1);
  for (uint32_t v = 0; v < fn->nvals; v++)
    d->slot[v] = UINT32_MAX;
  find_uses(d);
  for (uint32_t s = 0; s < d->p->nsteady; s++) /* looked at when the header is entered again */
    d->crosses[d->p->steady[s].a] = d->crosses[d->p->steady[s].b] = true;
  /* constants first: they are the image that a frame starts from */
  for (uint32_t v = 0; v < fn->nvals; v++)
    if (fixed(&fn->vals[v]))
      d->slot[v] = new_slot(d, wide(d, v));
  d->p->fixed = d->top;
  coalesce(d);
  give_crossing(d);
  d->temp32 = new_slot(d, false);
  d->temp64 = new_slot(d, true);
  uint32_t base = d->top, high = d->top;
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
    uint64_t bits = x->bits;
    if (x->kind == WW_VAL_SYMBOL) {
      bits += d->symbol_addr[x->ref];
      if (d->m->symbols[x->ref].space == WW_SHARED)
        bits += WW_SHARED_BASE;
    } else if (x->kind == WW_VAL_FN)
      bits = WW_FN_BASE + 16ull * x->ref;
    for (uint32_t l = 0; l < d->lanes; l++)
      if (wide(d, v))
        memcpy(img + d->slot[v] + 8 * l, &bits, 8);
      else
        memcpy(img + d->slot[v] + 4 * l, &bits, 4);
  }
  d->p->image = img;
  uint32_t *ps = WW_NEWN(d->a, uint32_t, fn->nparams + 1);
  uint8_t *pw = WW_NEWN(d->a, uint8_t, fn->nparams + 1);
  for (uint32_t n = 0; n < fn->nparams; n++)
    ps[n] = UINT32_MAX;
  for (uint32_t v = 0; v < fn->nvals; v++)
    if (fn->vals[v].kind == WW_VAL_PARAM) {
      ps[fn->vals[v].ref] = d->slot[v];
      pw[fn->vals[v].ref] = wide(d, v);
    }
  d->p->param_slots = ps;
  d->p->param_wide = pw;
}

/* ---- edges ---- */

/* Orders parallel copies: one whose target nobody still reads goes first; a cycle is broken through
 * a scratch row. */
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
    for (uint32_t k = 0; k < n; k++) { /* cycle: park one source, its reader takes it from there */
      if (done[k])
        continue;
      uint32_t t = in[k].wide ? d->temp64 : d->temp32;
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

static bool in_loop(const ww_fn *fn, uint32_t block, uint32_t loop) {
  for (uint32_t l = fn->blocks[block].loop; l != WW_NOBLOCK; l = fn->loops[l].parent)
    if (l == loop)
      return true;
  return false;
}

static void mark_loops(dec *d, uint32_t from, uint32_t to, ww_edge *e) {
  uint32_t outer = UINT32_MAX;
  for (uint32_t s = 0; s < d->p->nsteady; s++) {
    const ww_steady *st = &d->p->steady[s];
    bool a = in_loop(d->fn, from, st->loop), b = in_loop(d->fn, to, st->loop);
    if (!a && b && st->header == to)
      e->enters = s + 1;
    if (a && !b && d->fn->loops[st->loop].depth < outer) {
      outer = d->fn->loops[st->loop].depth;
      e->leaves = s + 1;
    }
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
  for (uint32_t k = 0; k < t->nphis; k++)
    for (uint32_t q = 0; q < t->phis[k].n; q++) {
      if (fn->pool[t->phis[k].ext + 2 * q] != from)
        continue;
      ww_val v = fn->pool[t->phis[k].ext + 2 * q + 1];
      if (d->slot[v] != d->slot[t->phis[k].dst])
        in[n++] = (ww_move){d->slot[t->phis[k].dst], d->slot[v], wide(d, v)};
      break;
    }
  order_moves(d, in, n, e);
  mark_loops(d, from, to, e);
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

static const uint32_t *result_slots(dec *d, const ww_ins *i) {
  uint32_t *s = WW_NEWN(d->a, uint32_t, i->nres + 1);
  for (uint32_t k = 0; k < i->nres; k++)
    s[k] = i->dst == WW_NOVAL ? UINT32_MAX : d->slot[i->dst + k];
  return s;
}

static bool touches_memory(uint8_t op) {
  return op == WW_OP_LD || op == WW_OP_ST || op == WW_OP_ATOM || op == WW_OP_CAS ||
         op == WW_OP_MEMCPY || op == WW_OP_MEMSET;
}

/* A shift whose count is of another width than its value: rows do not match, lane by lane. */
static bool uneven(const dec *d, const ww_ins *i) {
  return (i->op == WW_OP_SHL || i->op == WW_OP_LSHR || i->op == WW_OP_ASHR) &&
         wide(d, i->a) != wide(d, i->b);
}

static ww_code make_code(dec *d, const ww_ins *i) {
  const ww_fn *fn = d->fn;
  ww_code k = {.ins = i,
               .imm = i->imm,
               .d = slot_or_0(d, i->dst),
               .a = slot_or_0(d, i->a),
               .b = slot_or_0(d, i->b),
               .c = slot_or_0(d, i->c)};
  d->isa->resolve(i, uneven(d, i), k.fn);
  k.wide = (i->dst != WW_NOVAL && wide(d, i->dst)) | (i->a != WW_NOVAL && wide(d, i->a)) << 1 |
           (i->b != WW_NOVAL && wide(d, i->b)) << 2 | (i->c != WW_NOVAL && wide(d, i->c)) << 3;
  if (touches_memory(i->op)) {
    k.ins_id = (*d->next_ins_id)++;
    k.esize = ww_type_bytes[i->type];
    k.n = i->n ? i->n : 1;
    k.bytes = k.esize * k.n;
    if (i->op == WW_OP_LD)
      k.slots = result_slots(d, i);
    else if (i->op == WW_OP_ST)
      k.slots = slot_list(d, i->ext, k.n);
    else if (i->op == WW_OP_MEMCPY || i->op == WW_OP_MEMSET)
      k.bytes = 4;
  } else if (i->op == WW_OP_SHFL || i->op == WW_OP_MATCH) {
    k.n = i->n;
    k.slots = result_slots(d, i);
  } else if (i->op == WW_OP_MMA) { /* operands, then results */
    uint32_t *s = WW_NEWN(d->a, uint32_t, i->n + i->nres + 1u);
    for (uint32_t o = 0; o < i->n; o++)
      s[o] = d->slot[fn->pool[i->ext + o]];
    for (uint32_t r = 0; r < i->nres; r++)
      s[i->n + r] = d->slot[i->dst + r];
    k.slots = s;
  } else if (i->op == WW_OP_PRINTF) {
    k.n = i->n;
    k.slots = slot_list(d, i->ext, i->n);
  } else if (i->op == WW_OP_LEA) {
    if (i->imm > 0 && !(i->imm & (i->imm - 1)))
      k.imm = __builtin_ctzll(i->imm);
  } else { /* types of the operands, for ww_scalar */
    k.n = i->a != WW_NOVAL ? fn->vals[i->a].type : WW_VOID;
    k.esize = i->b != WW_NOVAL ? fn->vals[i->b].type : WW_VOID;
  }
  return k;
}

static bool splits(uint8_t op) {
  return op == WW_OP_BAR || op == WW_OP_GRIDSYNC || op == WW_OP_CALL || op == WW_OP_CALLI;
}

static void control(dec *d, uint32_t b, const ww_ins *i, ww_seg *s) {
  const ww_fn *fn = d->fn;
  ww_edge *e;
  s->ins = i;
  if (i->a != WW_NOVAL) {
    s->a = d->slot[i->a];
    s->wide = wide(d, i->a);
  }
  switch (i->op) {
  case WW_OP_BR:
    s->ctl = WW_CTL_BR;
    s->edge = e = WW_NEWN(d->a, ww_edge, s->nedges = 1);
    make_edge(d, b, i->imm, e);
    break;
  case WW_OP_CBR:
    s->ctl = WW_CTL_CBR;
    s->edge = e = WW_NEWN(d->a, ww_edge, s->nedges = 2);
    make_edge(d, b, i->imm, &e[0]);
    make_edge(d, b, i->ext, &e[1]);
    if (i->imm == i->ext)
      s->ctl = WW_CTL_BR;
    break;
  case WW_OP_SWITCH: {
    s->ctl = WW_CTL_SWITCH;
    s->edge = e = WW_NEWN(d->a, ww_edge, s->nedges = i->n + 1u);
    uint64_t *c = WW_NEWN(d->a, uint64_t, i->n + 1u);
    for (uint32_t k = 0; k < i->n; k++) {
      c[k] = fn->vals[fn->pool[i->ext + 2 * k]].bits;
      make_edge(d, b, fn->pool[i->ext + 2 * k + 1], &e[k]);
    }
    make_edge(d, b, i->imm, &e[i->n]);
    s->cases = c;
    break;
  }
  case WW_OP_RET:
    s->ctl = WW_CTL_RET;
    s->slots = slot_list(d, i->ext, i->n);
    if (!d->p->slot_wide_ret) {
      uint8_t *w = WW_NEWN(d->a, uint8_t, i->n + 1u);
      for (uint32_t k = 0; k < i->n; k++)
        w[k] = wide(d, fn->pool[i->ext + k]);
      d->p->slot_wide_ret = w;
    }
    break;
  case WW_OP_EXIT:
    s->ctl = WW_CTL_EXIT;
    break;
  case WW_OP_TRAP:
    s->ctl = WW_CTL_TRAP;
    break;
  case WW_OP_BAR:
    s->ctl = WW_CTL_BAR;
    s->dsts = result_slots(d, i);
    break;
  case WW_OP_GRIDSYNC:
    s->ctl = WW_CTL_GRIDSYNC;
    break;
  default:
    s->ctl = i->op == WW_OP_CALL ? WW_CTL_CALL : WW_CTL_CALLI;
    s->slots = slot_list(d, i->ext, i->n);
    s->dsts = result_slots(d, i);
    if (i->op == WW_OP_CALL)
      s->callee = d->progs[i->imm];
    break;
  }
}

/* The edge into the segment behind the one about to be added; nedges stays 0, as it names a segment
 * already. */
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
  d->first_seg[b] = d->segs.n;
  for (uint32_t k = 0; k < bb->nins;) {
    ww_seg s = {.code = codes + at,
                .enter = enter,
                .block = b,
                .nins = bb->nins,
                .ipdom = bb->ipdom,
                .loop = WW_NOSEG};
    enter = false;
    while (k < bb->nins && !splits(bb->ins[k].op) && !ww_ends_block(bb->ins[k].op))
      codes[at++] = make_code(d, &bb->ins[k++]);
    s.n = codes + at - s.code;
    if (bb->ins[k].op == WW_OP_CALLI &&
        (s.n || s.enter)) { /* lanes come back to an indirect call: nothing may stand before it */
      s.edge = next_segment(d);
      ww_push(d->a, &d->segs, s);
      s = (ww_seg){
          .code = codes + at, .block = b, .nins = bb->nins, .ipdom = bb->ipdom, .loop = WW_NOSEG};
    }
    control(d, b, &bb->ins[k], &s);
    if (splits(bb->ins[k].op))
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
    const ww_block *h = &d->fn->blocks[st->header];
    uint32_t *slots = WW_NEWN(d->a, uint32_t, h->nphis + 1);
    uint8_t *w = WW_NEWN(d->a, uint8_t, h->nphis + 1), *f = WW_NEWN(d->a, uint8_t, h->nphis + 1);
    for (uint32_t k = 0; k < h->nphis; k++) {
      slots[k] = d->slot[h->phis[k].dst];
      w[k] = wide(d, h->phis[k].dst);
      ww_type t = d->fn->vals[h->phis[k].dst].type;
      f[k] = ww_is_float(t) || ww_type_bytes[t] < 4 || !st->jumps[k];
    }
    st->nphis = h->nphis;
    st->phi = slots;
    st->phi_wide = w;
    st->phi_float = f;
    st->cmp_wide = wide(d, st->a);
    st->a = d->slot[st->a];
    st->b = d->slot[st->b];
    d->segs.v[d->first_seg[st->header]].loop = s;
  }
}

/* The IR leaves shapes open; ww_exec_mma knows these. */
static bool mma_fits(const ww_fn *fn, const ww_ins *i) {
  if (i->sub >= ww_nmma_shapes || ww_is_float(i->type) != ww_is_float(i->type2))
    return false;
  const ww_mma_shape *s = &ww_mma_shapes[i->sub];
  uint32_t in = ww_mma_elements(s, WW_MATRIX_A) + ww_mma_elements(s, WW_MATRIX_B),
           nc = ww_mma_elements(s, WW_MATRIX_C);
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
  dec d = {.m = with->m,
           .fn = &with->m->fns[fn],
           .a = a,
           .isa = with->isa,
           .symbol_addr = with->symbol_addr,
           .p = out,
           .lanes = with->lanes,
           .progs = with->progs,
           .next_ins_id = with->next_ins_id};
  for (uint32_t b = 0; b < d.fn->nblocks; b++)
    for (uint32_t k = 0; k < d.fn->blocks[b].nins; k++) {
      const ww_ins *i = &d.fn->blocks[b].ins[k];
      if (i->op == WW_OP_SWITCH && i->n > 250)
        return ww_fail(e, WW_EUNSUPPORTED, "%s: a switch with %u cases", d.fn->name, i->n);
      if (i->op == WW_OP_MMA && !mma_fits(d.fn, i))
        return ww_fail(e, WW_EUNSUPPORTED,
                       "%s: a matrix instruction whose fragments do not fit its shape", d.fn->name);
    }
  out->fn = d.fn;
  ww_steady_find(d.fn, a, &out->steady, &out->nsteady);
  give_slots(&d);
  make_image(&d);
  d.first_seg = WW_NEWN(a, uint32_t, d.fn->nblocks + 1);
  for (uint32_t b = 0; b < d.fn->nblocks; b++)
    decode_block(&d, b);
  place_steady(&d);
  resolve_targets(&d);
  out->segs = d.segs.v;
  return WW_OK;
}
