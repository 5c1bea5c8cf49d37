/* guards.c - which sizes end what: the whole grid's threads, those of one block, a
 * loop.
 *
 * `if (blockIdx.x * blockDim.x + threadIdx.x < n)` compares n with a number that a
 * block index is part of: n is what the grid covers. `for (i = threadIdx.x; i < cols; i
 * += blockDim.x)` compares cols with a number of the thread inside its block: cols is a
 * row that one block or warp works on. `for (k = 0; k < K; k++)` has neither: each
 * thread goes K times round. Forward over the SSA graph to a fixed point. */
#include "guess.h"

enum {
  OF_BLOCK = 1,
  OF_THREAD = 2,
  OF_WARP = 4,   /* a thread's index divided by a constant */
  OF_LOOP = 8,   /* counts how often a loop went round */
  OF_X = 16,     /* the axis of a block's index; y and z are the next bits */
  OF_TILE = 128, /* a block's index times a constant: where its elements begin */
  OF_DATA = 256, /* an integer that was loaded */
  IDS = OF_BLOCK | OF_THREAD | OF_WARP
};

typedef struct {
  uint16_t ids;      /* indices that it contains */
  uint64_t scalars;  /* parameters that are numbers (bit p, p < 64) */
  uint64_t squared;  /* those that were multiplied by one */
  uint64_t cubed;    /* by two */
  uint64_t narrowed; /* those that a search makes smaller turn by turn */
  uint8_t shift;     /* and divided by two to this power */
} content;

static bool take(content *to, content from) {
  content old = *to;
  to->ids |= from.ids;
  to->scalars |= from.scalars;
  to->squared |= from.squared;
  to->cubed |= from.cubed;
  to->narrowed |= from.narrowed;
  to->shift = from.shift > to->shift ? from.shift : to->shift;
  return old.ids != to->ids || old.scalars != to->scalars ||
         old.squared != to->squared || old.cubed != to->cubed ||
         old.narrowed != to->narrowed || old.shift != to->shift;
}

static content of_index(const ww_fn *fn, uint8_t sreg) {
  if (sreg >= WW_SREG_CTAID_X && sreg <= WW_SREG_CTAID_Z) {
    int d = sreg - WW_SREG_CTAID_X;
    return (content){.ids = OF_BLOCK |
                            OF_X << (ww_has_axis(fn, WW_SREG_CTAID_X, d) ? d : 0)};
  }
  bool thread = sreg <= WW_SREG_TID_Z; /* the first three */
  return (content){.ids = thread || sreg == WW_SREG_LANEID ? OF_THREAD : 0};
}

static bool carries(const ww_ins *i) {
  uint8_t cls = ww_ops[i->op].cls;
  return cls == WW_CLASS_MOV || cls == WW_CLASS_INT || cls == WW_CLASS_CVT;
}

/* The power of two of i / 8, i >> 3; 0: it is no division by a constant. */
static uint8_t divided_by(const ww_fn *fn, const ww_ins *i) {
  bool shift = i->op == WW_OP_LSHR || i->op == WW_OP_ASHR;
  bool divide = i->op == WW_OP_UDIV || i->op == WW_OP_SDIV;
  if ((!shift && !divide) || fn->vals[i->b].kind != WW_VAL_CONST)
    return 0;
  uint64_t by = fn->vals[i->b].bits;
  if (shift)
    return by < 16 ? (uint8_t)by : 0;
  return by > 1 && by < 65536 ? (uint8_t)(31 - __builtin_clz((uint32_t)by)) : 0;
}

static bool is_multiple(const ww_fn *fn, const ww_ins *i) {
  return (i->op == WW_OP_MUL || i->op == WW_OP_SHL) &&
         fn->vals[i->b].kind == WW_VAL_CONST;
}

static content multiplied(const content *a, const content *b) {
  content c = {0};
  uint64_t all = a->scalars | b->scalars;
  if (a->scalars && b->scalars)
    c.squared = all;
  if ((a->squared && b->scalars) || (a->scalars && b->squared))
    c.cubed = all;
  return c;
}

static bool step(const ww_fn *fn, const ww_ins *i, content *of) {
  if (i->op == WW_OP_SREG)
    return take(&of[i->dst], of_index(fn, i->sub));
  if (i->op == WW_OP_LD && !ww_is_float(i->type) && i->nres == 1)
    return take(&of[i->dst], (content){.ids = OF_DATA});
  if (!carries(i) || i->dst == WW_NOVAL)
    return false;
  ww_val use[8];
  uint32_t n = ww_ins_uses(fn, i, use, 8);
  content all = {0};
  for (uint32_t u = i->op == WW_OP_SELECT ? 1 : 0; u < n; u++)
    take(&all, of[use[u]]);
  uint8_t shift = divided_by(fn, i);
  if (shift >= 3 && all.ids & OF_THREAD) /* threads share what it is the number of */
    all.ids = (all.ids & ~OF_THREAD) | OF_WARP;
  if (is_multiple(fn, i) && (all.ids & IDS) == OF_BLOCK)
    all.ids |= OF_TILE;
  if (shift && all.scalars && !(all.ids & IDS) && !of[i->a].shift)
    all.shift = shift;
  if (i->op == WW_OP_MUL)
    take(&all, multiplied(&of[i->a], &of[i->b]));
  return take(&of[i->dst], all);
}

/* `len - len / 2`, `at + (a <= b)`: by how much is not the same each time. */
static bool is_uneven(const ww_ins *by, ww_val phi, const ww_ins *const *defs) {
  while (by && (by->op == WW_OP_ZEXT || by->op == WW_OP_SEXT || by->op == WW_OP_TRUNC))
    by = by->a == phi ? NULL : defs[by->a];
  bool halves = by && (by->op == WW_OP_LSHR || by->op == WW_OP_ASHR ||
                       by->op == WW_OP_UDIV || by->op == WW_OP_SDIV);
  return by && (by->op == WW_OP_ICMP || (halves && by->a == phi));
}

/* The value that a phi has next is made from the phi: a loop counts with it. */
static bool counts(const ww_phi *p, const ww_ins *next, const ww_ins *const *defs) {
  if (!next || (next->op != WW_OP_ADD && next->op != WW_OP_SUB))
    return false;
  return (next->a == p->dst && !is_uneven(defs[next->b], p->dst, defs)) ||
         (next->b == p->dst && !is_uneven(defs[next->a], p->dst, defs));
}

/* Of a value that a loop halves each time: `for (s = n; s > 0; s /= 2)`. */
static bool is_halved(const ww_ins *next, ww_val phi, const ww_ins *const *defs) {
  bool halves = next && (next->op == WW_OP_LSHR || next->op == WW_OP_ASHR ||
                         next->op == WW_OP_UDIV || next->op == WW_OP_SDIV);
  const ww_ins *was = halves && next->a != phi ? defs[next->a] : NULL;
  return halves && (next->a == phi || (was && (was->a == phi || was->b == phi)));
}

/* A size to begin with, something else in the next turn: the end of what a search has
 * not ruled out. */
static bool narrows(const ww_fn *fn,
                    uint32_t block,
                    const ww_phi *p,
                    const ww_ins *const *defs,
                    const content *of) {
  bool starts = false, changes = false;
  for (uint32_t l = 0; p->n == 2 && l < fn->nloops; l++)
    for (uint32_t n = 0; fn->loops[l].header == block && n < 2; n++) {
      ww_val v = ww_phi_value(fn, p, n);
      bool again = ww_ir_in_loop(fn, ww_phi_from(fn, p, n), l);
      starts |= !again && of[v].scalars && !of[v].ids;
      changes |= again && v != p->dst && fn->vals[v].kind == WW_VAL_RESULT &&
                 !counts(p, defs[v], defs) && !is_halved(defs[v], p->dst, defs);
    }
  return starts && changes;
}

static bool pass(const ww_fn *fn, const ww_ins *const *defs, content *of) {
  bool changed = false;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *t = &fn->blocks[b];
    for (uint32_t p = 0; p < t->nphis; p++)
      for (uint32_t n = 0; n < t->phis[p].n; n++) {
        ww_val from = ww_phi_value(fn, &t->phis[p], n);
        content c = of[from];
        if (counts(&t->phis[p], defs[from], defs)) /* what is added is no size of it */
          c = (content){.ids = c.ids | OF_LOOP};
        if (narrows(fn, b, &t->phis[p], defs, of))
          c.narrowed = c.scalars;
        changed |= take(&of[t->phis[p].dst], c);
      }
    for (uint32_t k = 0; k < t->nins; k++)
      changed |= step(fn, &t->ins[k], of);
  }
  return changed;
}

static void note_size(ww_size_use *u, uint16_t ids, bool equal, bool across) {
  if (!(ids & IDS)) {
    u->loop |= ids & OF_LOOP;
    return;
  }
  if (equal)
    return; /* one thread or block is singled out */
  if (!(ids & OF_BLOCK)) {
    u->ends |= WW_ENDS_BLOCK;
    return;
  }
  u->ends |= WW_ENDS_GRID;
  u->axes |= ids / OF_X & 7;
  if (!(ids & OF_THREAD) && (ids & OF_WARP || !(ids & OF_TILE)))
    u->whole |= ids & OF_WARP ? WW_BY_WARPS : WW_BY_BLOCKS;
  u->parts |= across && ids & OF_THREAD ? ids / OF_X & 7 : 0;
}

/* What others have written: a counter that is waited for, a flag. */
static bool is_loaded(const ww_ins *def) {
  return def && (def->op == WW_OP_LD || def->op == WW_OP_ATOM || def->op == WW_OP_CAS);
}

/* An index against a size; or a constant against what is left of a size. */
static void note(const ww_ins *i,
                 const ww_ins *const *defs,
                 const content *of,
                 ww_size_use *use,
                 uint32_t n) {
  content a = of[i->a];
  content b = of[i->b];
  uint16_t ids = a.ids | b.ids;
  bool both = a.ids & IDS && b.ids & IDS;
  bool equal = i->sub == WW_EQ || i->sub == WW_NE;
  uint64_t sizes = both ? 0 : a.ids & IDS ? b.scalars : b.ids & IDS ? a.scalars : 0;
  bool across = sizes; /* an index on one side, the size on the other */
  bool waits = is_loaded(defs[i->a]) || is_loaded(defs[i->b]);
  if (!sizes && !both && !waits)
    sizes = a.scalars | b.scalars;
  /* an index that begins where loaded row pointers say, the range of a search: neither
   * is as long as what threads share */
  uint64_t total = ids & OF_DATA && !(ids & OF_BLOCK) && ids & IDS ? sizes : 0;
  total |= a.narrowed | b.narrowed;
  for (uint32_t p = 0; ids && p < n && p < 64; p++) {
    if (total >> p & 1)
      use[p].total = true;
    if (!(sizes >> p & 1) || total >> p & 1)
      continue;
    note_size(&use[p], ids, equal, across);
    if (ids & OF_BLOCK && (a.ids & IDS ? b.shift : a.shift) > use[p].shift)
      use[p].shift = a.ids & IDS ? b.shift : a.shift;
    use[p].power = (a.cubed | b.cubed) >> p & 1       ? 3
                   : (a.squared | b.squared) >> p & 1 ? 2
                                                      : use[p].power;
  }
}

/* row * width + column */
static void
note_pitch(const ww_ins *i, const content *of, ww_size_use *use, uint32_t n) {
  for (int k = 0; k < 2; k++) {
    content size = of[k ? i->b : i->a];
    content index = of[k ? i->a : i->b];
    for (uint32_t p = 0; !size.ids && index.ids && p < n && p < 64; p++)
      if (size.scalars >> p & 1) {
        if (index.ids != OF_DATA)
          use[p].pitch |= index.ids & OF_BLOCK ? WW_OF_INDICES : WW_OF_TURNS;
        use[p].gathered |= (index.ids & (OF_DATA | IDS)) == OF_DATA;
      }
  }
}

void ww_sizes_find(const ww_fn *fn, ww_arena *a, ww_size_use *use) {
  content *of = WW_NEWN(a, content, fn->nvals + 1);
  const ww_ins **defs = ww_ir_defs(fn, a);
  for (ww_val v = 0; v < fn->nvals; v++) {
    const ww_value *t = &fn->vals[v];
    if (t->kind == WW_VAL_PARAM && t->ref < 64 && !fn->params[t->ref].pointer)
      of[v].scalars = 1ull << t->ref;
  }
  for (int turn = 0; turn < 12 && pass(fn, defs, of); turn++)
    ;
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));)
    if (i->op == WW_OP_ICMP)
      note(i, defs, of, use, fn->nparams);
    else if (i->op == WW_OP_MUL)
      note_pitch(i, of, use, fn->nparams);
  for (uint32_t p = 0; p < fn->nparams; p++)
    if (use[p].parts) /* counted both ways: the threads are what there is of it */
      use[p].whole = 0;
}

void ww_guards_find(const ww_fn *fn, ww_arena *a, uint8_t *ends) {
  ww_size_use *use = WW_NEWN(a, ww_size_use, fn->nparams + 1);
  ww_sizes_find(fn, a, use);
  for (uint32_t p = 0; p < fn->nparams; p++)
    ends[p] |= use[p].ends;
}
