/* spin.c - loops that wait for others: a warp that goes round without changing anything
 * gives its turn away.
 *
 * Found once per function: loops that no counter of their own ends. Watched at run
 * time: an iteration that brings the same lanes back to the header with the same
 * values, and in which the warp has changed no memory, will be repeated for ever unless
 * another warp changes what it reads. Such a warp looks once more, unseen by observers,
 * and notes the bytes it reads and the way it takes; then it waits until one of these
 * bytes is another. It looks again, still unseen, and is seen again from where it
 * leaves that way. So a wait counts as one look, however long it lasts: how often a GPU
 * looks depends on time, which is not here. */
#include "code.h"

#include <stdlib.h>

enum {
  MOST_PATH = 64,    /* segments of an iteration */
  MOST_WATCHED = 256 /* places that an iteration reads */
};

/* ---- which loops ---- */

typedef struct {
  const ww_fn *fn;
  const ww_ins **def;
  uint32_t loop;
} finder;

static bool in_loop(const finder *f, uint32_t block) {
  return ww_ir_in_loop(f->fn, block, f->loop);
}

static bool made_inside(const finder *f, ww_val v) {
  return f->fn->vals[v].kind == WW_VAL_RESULT && in_loop(f, f->fn->vals[v].ref);
}

/* v is the phi after a step that changes it: plus or times something that is the same
 * each time, or shifted by it. */
static bool stepped(const finder *f, ww_val v, ww_val phi) {
  const ww_ins *d = made_inside(f, v) ? f->def[v] : NULL;
  if (!d)
    return false;
  switch (d->op) {
  case WW_OP_ADD:
  case WW_OP_SUB:
  case WW_OP_MUL:
  case WW_OP_SHL:
  case WW_OP_LSHR:
  case WW_OP_ASHR:
  case WW_OP_LEA:
    return (d->a == phi && !made_inside(f, d->b)) ||
           (d->op == WW_OP_ADD && d->b == phi && !made_inside(f, d->a));
  default:
    return false;
  }
}

/* A phi that each iteration moves: the loop is no wait. */
static bool counts(const finder *f) {
  const ww_block *h = &f->fn->blocks[f->fn->loops[f->loop].header];
  for (uint32_t k = 0; k < h->nphis; k++) {
    bool moves = true;
    for (uint32_t n = 0; n < h->phis[k].n; n++)
      if (in_loop(f, ww_phi_from(f->fn, &h->phis[k], n)))
        moves &= stepped(f, ww_phi_value(f->fn, &h->phis[k], n), h->phis[k].dst);
    if (moves)
      return true;
  }
  return false;
}

/* Reads what another warp may write. */
static bool polls(const ww_ins *i) {
  if (i->op == WW_OP_LD)
    return i->space != WW_CONST && i->space != WW_PARAM && i->space != WW_LOCAL &&
           !(i->flags & WW_F_READONLY);
  return ww_is_atomic(i);
}

/* Something that the loop computes is used behind it. */
static bool leaves_values(const finder *f) {
  const ww_fn *fn = f->fn;
  ww_val use[256];
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    if (in_loop(f, b))
      continue;
    const ww_block *bb = &fn->blocks[b];
    for (uint32_t p = 0; p < bb->nphis; p++)
      for (uint32_t n = 0; n < bb->phis[p].n; n++)
        if (made_inside(f, ww_phi_value(fn, &bb->phis[p], n)))
          return true;
    for (uint32_t k = 0; k < bb->nins; k++) {
      uint32_t n = ww_ins_uses(fn, &bb->ins[k], use, 256);
      for (uint32_t u = 0; u < n; u++)
        if (made_inside(f, use[u]))
          return true;
    }
  }
  return false;
}

/* It has instructions that wait by themselves: nobody has to guess that it does. */
static bool has_waits(const finder *f) {
  for (uint32_t b = 0; b < f->fn->nblocks; b++)
    for (uint32_t k = 0; in_loop(f, b) && k < f->fn->blocks[b].nins; k++)
      if (ww_is_wait(&f->fn->blocks[b].ins[k]))
        return true;
  return false;
}

static void look_into(const finder *f, ww_spin *out) {
  bool stores = false;
  for (uint32_t b = 0; b < f->fn->nblocks; b++) {
    const ww_block *bb = &f->fn->blocks[b];
    if (!in_loop(f, b))
      continue;
    for (uint32_t k = 0; k < bb->nins; k++) {
      uint8_t op = bb->ins[k].op;
      out->polls |= polls(&bb->ins[k]);
      out->locks |= ww_is_atomic(&bb->ins[k]);
      out->meets |= op == WW_OP_BAR || op == WW_OP_GRIDSYNC || op == WW_OP_CALL ||
                    op == WW_OP_CALLI;
      stores |= (op == WW_OP_ST && bb->ins[k].space != WW_SHARED) ||
                op == WW_OP_MEMCPY || op == WW_OP_MEMSET;
    }
  }
  out->pure = !stores && !leaves_values(f);
}

void ww_spin_find(
    const ww_fn *fn, const ww_ins **def, ww_arena *a, ww_spin **out, uint32_t *n) {
  *n = 0;
  *out = WW_NEWN(a, ww_spin, fn->nloops + 1);
  finder f = {.fn = fn, .def = def};
  for (f.loop = 0; f.loop < fn->nloops; f.loop++) {
    uint32_t header = fn->loops[f.loop].header;
    if (counts(&f) || has_waits(&f))
      continue;
    ww_spin *s = &(*out)[(*n)++];
    *s = (ww_spin){.loop = f.loop, .header = header, .nphis = fn->blocks[header].nphis};
    look_into(&f, s);
  }
}

ww_repeats ww_repeats_how(const ww_fn *fn, const ww_ins *i, ww_arena *a) {
  uint32_t b = 0;
  while (b < fn->nblocks &&
         (i < fn->blocks[b].ins || i >= fn->blocks[b].ins + fn->blocks[b].nins))
    b++;
  finder f = {.fn = fn, .loop = b < fn->nblocks ? fn->blocks[b].loop : WW_NOBLOCK};
  if (f.loop == WW_NOBLOCK)
    return WW_REPEATS_NOT;
  f.def = ww_ir_defs(fn, a);
  return counts(&f)              ? WW_REPEATS_NOT
         : made_inside(&f, i->a) ? WW_REPEATS_ALONG
                                 : WW_REPEATS_HERE;
}

static const ww_edge *way_out(const ww_prog *p, const ww_spin *s) {
  const ww_fn *fn = p->fn;
  for (const ww_seg *g = p->segs; g < p->segs + p->nsegs; g++)
    for (uint32_t e = 0; ww_ir_in_loop(fn, g->block, s->loop) && e < g->nedges; e++)
      if (g->edge[e].target == WW_NOSEG ||
          !ww_ir_in_loop(fn, p->segs[g->edge[e].target].block, s->loop))
        return &g->edge[e];
  return NULL;
}

/* ---- what a warp looks at ---- */

typedef struct {
  const uint8_t *at; /* host */
  uint32_t bytes;
  uint8_t was[16];
} watched;

typedef struct {
  const ww_prog *prog;
  uint32_t pc;
  ww_mask mask;
} step;

struct ww_look {
  const ww_spin *loop;
  bool learning; /* its way is not known yet */
  bool too_much; /* it reads more than is watched */
  /* a loop whose way is too long to follow: it is seen each time */
  const ww_spin *too_long;
  uint32_t npath, at;
  step path[MOST_PATH];
  uint32_t nwatched;
  watched v[MOST_WATCHED];
  ww_spin_place place; /* of the last thing it read */
  ww_observer unseen;
};

static const uint8_t *host_of(ww_exec *x, const ww_access *a, uint64_t addr) {
  if (a->space == WW_SHARED)
    return x->shared.mem + (addr - WW_SHARED_BASE);
  return a->space == WW_GLOBAL ? ww_memory_at(x->memory, addr, a->bytes) : NULL;
}

static void note_read(void *ctx, const ww_access *a) {
  ww_exec *x = ctx;
  ww_look *l = x->look;
  if (a->kind == WW_ACCESS_STORE)
    return;
  for (ww_mask m = a->lanes; m; m &= m - 1) {
    uint64_t addr = a->addr[__builtin_ctzll(m)];
    const uint8_t *at = host_of(x, a, addr);
    if (!at || (l->nwatched && l->v[l->nwatched - 1].at == at))
      continue;
    l->place = (ww_spin_place){a->ins, a->space, addr, a->bytes, at};
    if (l->nwatched == MOST_WATCHED || a->bytes > sizeof l->v->was) {
      l->too_much = true;
      return;
    }
    watched *w = &l->v[l->nwatched++];
    w->at = at;
    w->bytes = a->bytes;
    memcpy(w->was, at, a->bytes);
  }
}

static void begin_look(ww_exec *x, const ww_spin *s, bool learning) {
  ww_look *l = x->look;
  l->loop = s;
  l->learning = learning;
  l->at = l->nwatched = 0;
  l->too_much = false;
  if (learning)
    l->npath = 0;
  x->obs = &l->unseen;
}

static void end_look(ww_exec *x) {
  if (x->look)
    x->look->loop = NULL;
  x->obs = x->told;
}

void ww_spin_follow(ww_exec *x) {
  ww_look *l = x->look;
  step now = {x->prog, x->pc, x->mask};
  const step *then = &l->path[l->at];
  if (l->learning && l->npath < MOST_PATH) {
    l->path[l->npath++] = now;
    return;
  }
  if (!l->learning && l->at < l->npath && then->prog == now.prog &&
      then->pc == now.pc && then->mask == now.mask) {
    l->at++;
    return;
  }
  if (l->learning)
    l->too_long = l->loop;
  end_look(x);
}

/* ---- at run time ---- */

/* Are the header's values those of the last iteration? Remembers them. */
static bool same_values(const ww_exec *x, const ww_spin *s, ww_spin_state *st) {
  bool same = true;
  for (uint32_t k = 0; k < s->nphis; k++) {
    uint64_t *prev = st->prev + (size_t)k * x->lanes;
    for (ww_mask m = x->mask; m; m &= m - 1) {
      uint32_t l = __builtin_ctzll(m);
      uint64_t v = ww_cell_of(x, s->phi[k].slot, s->phi[k].wide, l);
      same &= prev[l] == v;
      prev[l] = v;
    }
  }
  return same;
}

bool ww_spin_iteration(ww_exec *x, const ww_spin *s) {
  ww_spin_state *st = &x->spins[s->number];
  bool again = st->inside && st->mask == x->mask && st->changes == x->changes;
  bool same = same_values(x, s, st) && again;
  ww_look *l = x->look;
  bool looking = l && l->loop == s;
  st->inside = true;
  st->mask = x->mask;
  st->changes = x->changes;
  if (x->paused) { /* and has its turn again */
    x->paused = false;
    if (looking)
      begin_look(x, s, false);
    return false;
  }
  if (!same) {
    x->in_vain = 0;
    if (l && l->loop)
      end_look(x);
    return false;
  }
  x->in_vain++;
  x->vain = s;
  if (x->leaves) {
    x->leaves = false;
    x->way_out = way_out(x->prog, s);
    return x->way_out != NULL;
  }
  if (s->meets)
    return false;
  if (!l) {
    x->look = l = ww_xcalloc(1, sizeof *l);
    l->unseen = (ww_observer){.ctx = x, .access = note_read};
  }
  if (looking || l->too_long == s)
    return x->paused = true;
  begin_look(x, s, true);
  return false;
}

bool ww_spin_wakes(const ww_exec *x) {
  const ww_look *l = x->look;
  if (!l->loop || l->too_much)
    return true;
  for (uint32_t k = 0; k < l->nwatched; k++)
    if (memcmp(l->v[k].at, l->v[k].was, l->v[k].bytes))
      return true;
  return false;
}

const ww_spin *ww_spin_of(const ww_exec *x) {
  return x->paused ? x->look->loop : NULL;
}

const ww_spin_place *ww_spin_reads(const ww_exec *x) {
  return ww_spin_of(x) && x->look->nwatched ? &x->look->place : NULL;
}

bool ww_spin_leave(ww_exec *x) {
  x->way_out = way_out(x->prog, x->look->loop);
  if (!x->way_out)
    return false;
  x->paused = false;
  end_look(x);
  return true;
}

void ww_spin_start(ww_exec *x, const ww_observer *obs) {
  x->told = obs;
  x->changes = x->in_vain = 0;
  x->paused = x->leaves = false;
  x->way_out = NULL;
  end_look(x);
}
