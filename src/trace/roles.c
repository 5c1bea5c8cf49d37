/* roles.c - a small data-flow analysis: from which pointer parameters' contents does
 * each value come, and where does it go?
 *
 * Forward over the SSA graph to a fixed point. Facts per value: `from`, the parameters
 * whose loaded integers it contains (a bit each, first 64); `holds`, those whose
 * contents of any type it depends on, comparisons included; and `base`, the parameter
 * that an address points into. Shared memory is one pot: what is stored there may come
 * out of any load from it. */
#include "roles.h"

#include "code.h"

enum { DEEP = 4 };

typedef struct {
  const ww_fn *fn;
  uint64_t *from;
  uint64_t *atomic; /* as `from`, for old values of atomics */
  uint64_t *holds;
  uint64_t *scaled;   /* as `from`, of those that were multiplied on the way */
  int32_t *base;      /* parameter or -1 */
  uint64_t pot;       /* what was stored to shared memory */
  uint64_t pot_holds; /* the same of `holds` */
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

static void add_to(flow *f, uint64_t *to, uint64_t bits) {
  f->changed |= (bits & ~*to) != 0;
  *to |= bits;
}

static uint64_t bit(int32_t p) {
  return p >= 0 && p < 64 ? 1ull << p : 0;
}

/* What comes out is small, whatever goes in: it is no index that must be chosen. */
static bool reduces(const ww_fn *fn, const ww_ins *i) {
  enum { SMALL_MASK = 1 << 24 };
  if (i->op == WW_OP_UREM || i->op == WW_OP_SREM || i->op == WW_OP_CTPOP ||
      i->op == WW_OP_CTLZ || i->op == WW_OP_CTTZ)
    return true;
  for (int s = 0; i->op == WW_OP_AND && s < 2; s++) {
    const ww_value *v = &fn->vals[s ? i->b : i->a];
    if (v->kind == WW_VAL_PARAM || (v->kind == WW_VAL_CONST && v->bits < SMALL_MASK))
      return true;
  }
  return false;
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

/* Contents of which buffers the results of an instruction depend on. */
static void step_holds(flow *f, const ww_ins *i) {
  const ww_fn *fn = f->fn;
  ww_val use[16];
  uint64_t holds = 0;
  if (i->op == WW_OP_ST) {
    if (i->space == WW_SHARED || (i->space == WW_GENERIC && f->base[i->a] < 0))
      for (uint32_t k = 0; k < i->n; k++)
        f->pot_holds |= f->holds[fn->pool[i->ext + k]];
    return;
  }
  if (!i->nres || i->dst == WW_NOVAL)
    return;
  if (i->op == WW_OP_LD || ww_is_atomic(i)) {
    bool from_pot =
        f->base[i->a] < 0 && (i->space == WW_SHARED || i->space == WW_GENERIC);
    holds = from_pot ? f->pot_holds : bit(f->base[i->a]);
  } else {
    uint32_t n = ww_ins_uses(fn, i, use, 16);
    for (uint32_t u = 0; u < n; u++)
      holds |= f->holds[use[u]];
  }
  for (uint32_t r = 0; holds && r < i->nres; r++)
    add_to(f, &f->holds[i->dst + r], holds);
}

static void step(flow *f, const ww_ins *i) {
  const ww_fn *fn = f->fn;
  step_holds(f, i);
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
  } else if (carries(i) && !reduces(fn, i)) {
    ww_val use[8];
    uint32_t n = ww_ins_uses(fn, i, use, 8);
    bool multiplies = i->op == WW_OP_MUL || i->op == WW_OP_SHL;
    for (uint32_t u = i->op == WW_OP_SELECT ? 1 : 0; u < n; u++)
      for (uint32_t r = 0; r < i->nres; r++) {
        add(f, i->dst + r, f->from[use[u]], f->atomic[use[u]],
            ww_type_bytes[i->type] == 8 && i->op != WW_OP_SHFL ? f->base[use[u]] : -1);
        add_to(f, &f->scaled[i->dst + r],
               f->scaled[use[u]] | (multiplies ? f->from[use[u]] : 0));
      }
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
          add_to(f, &f->holds[p->dst], f->holds[s]);
          add_to(f, &f->scaled[p->dst], f->scaled[s]);
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
      f->roles[p].scaled |= f->scaled[i->a] >> p & 1;
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
  r->linked |= (f->from[i->a] & bit(b)) != 0;
  r->searched |= (f->holds[i->a] & ~f->from[i->a] & bit(b)) != 0;
  if (i->op == WW_OP_LD)
    r->loaded = true;
  else
    r->stored = true;
  if (r->elem == WW_VOID)
    r->elem = i->type;
}

static void decide(flow *f, uint64_t holds, uint8_t what) {
  for (uint32_t p = 0; holds && p < f->fn->nparams && p < 64; p++)
    if (holds >> p & 1)
      f->roles[p].decides |= what;
}

/* A branch of block b: of the loop it may leave, or of its own. */
static void note_branch(flow *f, uint32_t b, const ww_ins *t) {
  const ww_fn *fn = f->fn;
  bool leaves = false;
  for (uint32_t l = 0; t->op == WW_OP_CBR && l < fn->nloops; l++)
    leaves |= ww_ir_in_loop(fn, b, l) &&
              (!ww_ir_in_loop(fn, t->imm, l) || !ww_ir_in_loop(fn, t->ext, l));
  decide(f, f->holds[t->a], leaves ? WW_DECIDES_LOOPS : WW_DECIDES_BRANCHES);
}

static void note_constant(ww_role *r, const ww_value *v, ww_type type) {
  uint32_t unused = 64 - 8 * ww_type_bytes[type];
  int64_t c = (int64_t)(v->bits << unused) >> unused;
  r->least = c < r->least ? c : r->least;
  r->most = c > r->most ? c : r->most;
}

/* Integers of some buffers are compared with a value. */
static void note_compare(flow *f, const ww_ins *i, uint64_t from, ww_val with) {
  const ww_value *v = &f->fn->vals[with];
  for (uint32_t p = 0; from && p < f->fn->nparams && p < 64; p++) {
    ww_role *r = &f->roles[p];
    if (!(from >> p & 1))
      continue;
    if (v->kind == WW_VAL_CONST)
      note_constant(r, v, i->type);
    if (v->kind == WW_VAL_PARAM)
      r->compared |= bit(v->ref);
    r->compared |= f->from[with];
    r->equals |= i->op == WW_OP_SWITCH || i->sub == WW_EQ || i->sub == WW_NE;
  }
}

/* Signs, comparisons and switches tell the range of integers. */
static void note_range(flow *f, const ww_ins *i) {
  if (i->op == WW_OP_ICMP) {
    note_compare(f, i, f->from[i->a], i->b);
    note_compare(f, i, f->from[i->b], i->a);
  }
  for (uint32_t k = 0; i->op == WW_OP_SWITCH && k < i->n; k++)
    note_compare(f, i, f->from[i->a], f->fn->pool[i->ext + 2 * k]);
  for (uint32_t p = 0; i->op == WW_OP_SEXT && p < f->fn->nparams && p < 64; p++)
    f->roles[p].negative |= f->from[i->a] >> p & 1;
}

static bool made_in_loop(const ww_fn *fn, ww_val v, uint32_t loop) {
  const ww_value *t = &fn->vals[v];
  return t->kind == WW_VAL_RESULT && ww_ir_in_loop(fn, t->ref, loop);
}

static const ww_phi *phi_of(const ww_fn *fn, ww_val v) {
  const ww_block *b = &fn->blocks[fn->vals[v].ref];
  for (uint32_t k = 0; k < b->nphis; k++)
    if (b->phis[k].dst == v)
      return &b->phis[k];
  return NULL;
}

/* What is loaded inside is data being looked at, not a bound; but a bound may be loaded
 * from the same place each time, where stores of the loop might change it. `deep` phis
 * are followed: by then it is a circle. */
static bool is_bound(
    const ww_fn *fn, ww_val v, uint32_t loop, const ww_ins *const *def, uint32_t deep) {
  if (!made_in_loop(fn, v, loop) || !deep)
    return true;
  if (def[v])
    return def[v]->op == WW_OP_LD && !made_in_loop(fn, def[v]->a, loop);
  const ww_phi *p = phi_of(fn, v);
  for (uint32_t n = 0; p && n < p->n; n++)
    if (!is_bound(fn, ww_phi_value(fn, p, n), loop, def, deep - 1))
      return false;
  return p != NULL;
}

/* Parameters whose integers end a loop that goes on by this condition, or by several:
 * `i < last && j < end`. */
static uint64_t
ends_of(const flow *f, ww_val v, uint32_t loop, const ww_ins **def, uint32_t deep) {
  const ww_ins *c = def[v];
  uint64_t ends = 0;
  if (!c || !deep)
    return 0;
  if (c->op == WW_OP_AND || c->op == WW_OP_OR || c->op == WW_OP_SELECT)
    ends =
        ends_of(f, c->a, loop, def, deep - 1) | ends_of(f, c->b, loop, def, deep - 1);
  if (c->op == WW_OP_SELECT) /* a && b is a ? b : false */
    ends |= ends_of(f, c->c, loop, def, deep - 1);
  if (c->op != WW_OP_ICMP)
    return ends;
  ww_val side[2] = {c->a, c->b};
  for (int s = 0; s < 2; s++)
    if (is_bound(f->fn, side[s], loop, def, DEEP))
      ends |= f->from[side[s]];
  return ends;
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
    ends |= ends_of(f, t->a, loop, def, DEEP);
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
            .holds = WW_NEWN(a, uint64_t, fn->nvals + 1),
            .scaled = WW_NEWN(a, uint64_t, fn->nvals + 1),
            .base = WW_NEWN(a, int32_t, fn->nvals + 1)};
  flow_all(&f);
  return f;
}

ww_origins ww_origins_find(const ww_fn *fn, ww_arena *a) {
  flow f = flow_of(fn, a);
  return (ww_origins){f.base, f.holds};
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
  for (uint32_t p = 0; p < fn->nparams; p++) {
    roles[p].least = INT64_MAX;
    roles[p].most = INT64_MIN;
  }
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nins; k++) {
      const ww_ins *i = &fn->blocks[b].ins[k];
      if (ww_accesses(i)) {
        note_access(&f, i);
        decide(&f, f.holds[i->a], WW_DECIDES_ADDRESSES);
      }
      if (i->op == WW_OP_CBR || i->op == WW_OP_SWITCH)
        note_branch(&f, b, i);
      note_range(&f, i);
    }
  const ww_ins **def = ww_ir_defs(fn, a);
  for (uint32_t l = 0; l < fn->nloops; l++)
    note_loop(&f, l, def);
  note_flags(&f, def, a);
  for (uint32_t p = 0; p < fn->nparams && p < 64; p++)
    for (uint32_t q = 0; q < fn->nparams && q < 64; q++)
      roles[p].sought |= roles[q].searched && roles[p].compared >> q & 1;
}
