/* roles.c - a small data-flow analysis: from which pointer parameters' contents does
 * each value come, and where does it go?
 *
 * Forward over the SSA graph to a fixed point. Two facts per value: `from`, the
 * parameters whose loaded integers it contains (a bit each, first 64), and `base`, the
 * parameter that an address points into. Shared memory is one pot: what is stored there
 * may come out of any load from it. */
#include "roles.h"

#include "code.h"

typedef struct {
  const ww_fn *fn;
  uint64_t *from;
  uint64_t *atomic; /* as `from`, for old values of atomics */
  int32_t *base;    /* parameter or -1 */
  uint64_t pot;     /* what was stored to shared memory */
  ww_role *roles;
  bool changed;
} flow;

static void add(flow *f, ww_val v, uint64_t from, uint64_t atomic, int32_t base) {
  bool new_base = base >= 0 && f->base[v] < 0;
  f->changed |= from & ~f->from[v] || atomic & ~f->atomic[v] || new_base;
  f->from[v] |= from;
  f->atomic[v] |= atomic;
  if (new_base)
    f->base[v] = base;
}

static uint64_t bit(int32_t p) {
  return p >= 0 && p < 64 ? 1ull << p : 0;
}

static bool carries(const ww_ins *i) {
  switch (ww_ops[i->op].cls) {
  case WW_CLASS_MOV:
  case WW_CLASS_INT:
  case WW_CLASS_CVT:
  case WW_CLASS_WARP:
  case WW_CLASS_FPX:
  case WW_CLASS_FP:
    return true;
  default:
    return false;
  }
}

static void step(flow *f, const ww_ins *i) {
  const ww_fn *fn = f->fn;
  if (i->op == WW_OP_LD) {
    int32_t b = f->base[i->a];
    bool from_pot = b < 0 && (i->space == WW_SHARED || i->space == WW_GENERIC);
    uint64_t from = ww_is_float(i->type) ? 0 : from_pot ? f->pot : bit(b);
    for (uint32_t r = 0; r < i->nres; r++)
      add(f, i->dst + r, from, 0, -1);
  } else if (i->op == WW_OP_ST) {
    if (i->space == WW_SHARED || (i->space == WW_GENERIC && f->base[i->a] < 0))
      for (uint32_t k = 0; k < i->n; k++)
        f->pot |= f->from[fn->pool[i->ext + k]];
  } else if (ww_is_atomic(i) && i->nres) {
    add(f, i->dst, 0, bit(f->base[i->a]), -1);
  } else if (carries(i)) {
    ww_val use[8];
    uint32_t n = ww_ins_uses(fn, i, use, 8);
    for (uint32_t u = i->op == WW_OP_SELECT ? 1 : 0; u < n; u++)
      for (uint32_t r = 0; r < i->nres; r++)
        add(f, i->dst + r, f->from[use[u]], f->atomic[use[u]],
            ww_type_bytes[i->type] == 8 && i->op != WW_OP_SHFL ? f->base[use[u]] : -1);
  }
}

static void flow_all(flow *f) {
  const ww_fn *fn = f->fn;
  for (uint32_t v = 0; v < fn->nvals; v++)
    f->base[v] = fn->vals[v].kind == WW_VAL_PARAM && fn->params[fn->vals[v].ref].pointer
                     ? (int32_t)fn->vals[v].ref
                     : -1;
  for (int pass = 0; pass < 12; pass++) {
    f->changed = false;
    for (const ww_block *b = fn->blocks; b && b < fn->blocks + fn->nblocks; b++) {
      for (const ww_phi *p = b->phis; p && p < b->phis + b->nphis; p++)
        for (uint32_t n = 0; n < p->n; n++) {
          ww_val s = ww_phi_value(fn, p, n);
          add(f, p->dst, f->from[s], f->atomic[s], f->base[s]);
        }
      for (uint32_t k = 0; k < b->nins; k++)
        step(f, &b->ins[k]);
    }
    if (!f->changed)
      return;
  }
}

static void note_access(flow *f, const ww_ins *i) {
  int32_t b = f->base[i->a];
  for (uint32_t p = 0; p < f->fn->nparams && p < 64; p++) {
    if (f->from[i->a] >> p & 1) {
      f->roles[p].index = true;
      f->roles[p].targets |= bit(b);
      if (i->imm > f->roles[p].ahead && i->imm < 4096)
        f->roles[p].ahead = i->imm;
    }
    if (f->atomic[i->a] >> p & 1) {
      f->roles[p].counter = true;
      f->roles[p].targets |= bit(b);
    }
  }
  if (b < 0)
    return;
  ww_role *r = &f->roles[b];
  if (i->op == WW_OP_LD)
    r->loaded = true;
  else
    r->stored = true;
  if (r->elem == WW_VOID)
    r->elem = i->type;
}

static void note_loop(flow *f, uint32_t loop, const ww_ins **def) {
  const ww_fn *fn = f->fn;
  const ww_block *h = &fn->blocks[fn->loops[loop].header];
  uint64_t starts = 0, ends = 0;
  for (const ww_phi *p = h->phis; p && p < h->phis + h->nphis; p++)
    for (uint32_t n = 0; n < p->n; n++)
      if (!ww_ir_in_loop(fn, ww_phi_from(fn, p, n), loop))
        starts |= f->from[ww_phi_value(fn, p, n)];
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    if (!ww_ir_in_loop(fn, b, loop) || !fn->blocks[b].nins)
      continue;
    const ww_ins *t = ww_terminator(&fn->blocks[b]);
    if (t->op != WW_OP_CBR ||
        (ww_ir_in_loop(fn, t->imm, loop) && ww_ir_in_loop(fn, t->ext, loop)))
      continue;
    const ww_ins *c = def[t->a];
    if (!c || c->op != WW_OP_ICMP)
      continue;
    ww_val side[2] = {c->a, c->b};
    /* what is loaded inside is data being looked at, not a bound */
    for (int s = 0; s < 2; s++) {
      const ww_value *v = &fn->vals[side[s]];
      if (v->kind != WW_VAL_RESULT || !ww_ir_in_loop(fn, v->ref, loop))
        ends |= f->from[side[s]];
    }
  }
  for (uint32_t p = 0; p < fn->nparams && p < 64; p++) {
    f->roles[p].bound |= ends >> p & 1;
    f->roles[p].rows |= (ends & starts) >> p & 1;
  }
}

/* What threads wait for: volatile loads and atomics of a loop that waits; and what they
 * take when it is zero. */
static void note_flags(flow *f, const ww_ins **def, ww_arena *a) {
  ww_spin *s;
  uint32_t n;
  ww_spin_find(f->fn, def, a, &s, &n);
  for (uint32_t b = 0; b < f->fn->nblocks; b++)
    for (uint32_t k = 0; k < f->fn->blocks[b].nins; k++) {
      const ww_ins *i = &f->fn->blocks[b].ins[k];
      bool looks = i->op == WW_OP_LD && i->flags & WW_F_VOLATILE;
      const ww_value *was = i->op == WW_OP_CAS ? &f->fn->vals[i->b] : NULL;
      if (!ww_accesses(i) || f->base[i->a] < 0)
        continue;
      bool flag = was && was->kind == WW_VAL_CONST && !was->bits;
      for (uint32_t l = 0; l < n; l++)
        flag |= looks && ww_ir_in_loop(f->fn, b, s[l].loop);
      f->roles[f->base[i->a]].flag |= flag;
    }
}

static flow flow_of(const ww_fn *fn, ww_arena *a) {
  flow f = {.fn = fn,
            .from = WW_NEWN(a, uint64_t, fn->nvals + 1),
            .atomic = WW_NEWN(a, uint64_t, fn->nvals + 1),
            .base = WW_NEWN(a, int32_t, fn->nvals + 1)};
  flow_all(&f);
  return f;
}

bool ww_may_write(const ww_fn *fn, int32_t param, ww_arena *a) {
  flow f = flow_of(fn, a);
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));) {
    if (i->op == WW_OP_CALL || i->op == WW_OP_CALLI)
      return true;
    if (!ww_touches_memory(i) || i->op == WW_OP_LD || i->space == WW_SHARED)
      continue;
    if (f.base[i->a] < 0 || f.base[i->a] == param)
      return true;
  }
  return false;
}

void ww_roles_find(const ww_fn *fn, ww_arena *a, ww_role *roles) {
  flow f = flow_of(fn, a);
  f.roles = roles;
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));)
    if (ww_accesses(i))
      note_access(&f, i);
  const ww_ins **def = ww_ir_defs(fn, a);
  for (uint32_t l = 0; l < fn->nloops; l++)
    note_loop(&f, l, def);
  note_flags(&f, def, a);
}
