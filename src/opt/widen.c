/* widen.c - see widen.h.
 *
 * Values change their type where they stand, so operands need no renaming; only what
 * touches memory or bits (loads, stores, atomics, moves between floats and integers)
 * gets a conversion beside it. The flow of the function is the same, block by block. */
#include "widen.h"

#include "../trace/setup.h"

typedef struct {
  const ww_fn *from;
  ww_fn *fn;
  ww_arena *a;
  WW_VEC(ww_value) vals;
  WW_VEC(uint32_t) pool;
  WW_VEC(ww_ins) ins; /* of the block at hand */
  uint32_t block;
} widening;

static bool was_f32(const widening *w, ww_val v) {
  return v != WW_NOVAL && w->from->vals[v].type == WW_F32;
}

static ww_val new_f32(widening *w) {
  ww_push(w->a, &w->vals,
          (ww_value){.type = WW_F32, .kind = WW_VAL_RESULT, .ref = w->block});
  return w->vals.n - 1;
}

static void put(widening *w, ww_ins i) {
  ww_push(w->a, &w->ins, i);
}

static void
convert(widening *w, const ww_ins *beside, ww_type to, ww_val dst, ww_val a) {
  put(w, (ww_ins){.op = WW_OP_FCVT,
                  .type = to,
                  .type2 = to == WW_F64 ? WW_F32 : WW_F64,
                  .nres = 1,
                  .dst = dst,
                  .a = a,
                  .b = WW_NOVAL,
                  .c = WW_NOVAL,
                  .loc = beside->loc});
}

static ww_val rounded(widening *w, const ww_ins *beside, ww_val v) {
  ww_val t = new_f32(w);
  convert(w, beside, WW_F32, t, v);
  return t;
}

static void load(widening *w, const ww_ins *i) {
  ww_ins ld = *i;
  ld.dst = w->vals.n;
  for (uint32_t k = 0; k < i->nres; k++)
    new_f32(w);
  put(w, ld);
  for (uint32_t k = 0; k < i->nres; k++)
    convert(w, i, WW_F64, i->dst + k, ld.dst + k);
}

static void store(widening *w, const ww_ins *i) {
  ww_ins st = *i;
  ww_val values[16];
  for (uint32_t k = 0; k < i->n && k < 16; k++)
    values[k] = rounded(w, i, w->from->pool[i->ext + k]);
  st.ext = w->pool.n;
  for (uint32_t k = 0; k < i->n && k < 16; k++)
    ww_push(w->a, &w->pool, values[k]);
  put(w, st);
}

static void atomic(widening *w, const ww_ins *i) {
  ww_ins at = *i;
  at.b = rounded(w, i, i->b);
  if (i->op == WW_OP_CAS)
    at.c = rounded(w, i, i->c);
  if (i->dst != WW_NOVAL)
    at.dst = new_f32(w);
  put(w, at);
  if (i->dst != WW_NOVAL)
    convert(w, i, WW_F64, i->dst, at.dst);
}

/* Bits that become a float, or a float whose bits are looked at. */
static void move(widening *w, const ww_ins *i) {
  ww_ins mv = *i;
  bool to = was_f32(w, i->dst);
  bool from = was_f32(w, i->a);
  if (to && from)
    mv.type = WW_F64;
  else if (from)
    mv.a = rounded(w, i, i->a);
  else if (to)
    mv.dst = new_f32(w);
  put(w, mv);
  if (to && !from)
    convert(w, i, WW_F64, i->dst, mv.dst);
}

static void other(widening *w, const ww_ins *i) {
  ww_ins o = *i;
  if (o.type == WW_F32) {
    o.type = WW_F64;
    o.flags &= ~(o.op == WW_OP_FDIV || o.op == WW_OP_MATH ? WW_F_APPROX : 0);
  }
  if (o.type2 == WW_F32)
    o.type2 = WW_F64;
  if (o.op == WW_OP_FCVT && o.type == o.type2)
    o.op = WW_OP_MOV;
  put(w, o);
}

static void widen_ins(widening *w, const ww_ins *i) {
  bool f32 = i->type == WW_F32;
  if (i->op == WW_OP_LD && f32)
    load(w, i);
  else if (i->op == WW_OP_ST && f32)
    store(w, i);
  else if (ww_is_atomic(i) && f32)
    atomic(w, i);
  else if (i->op == WW_OP_MOV && (was_f32(w, i->dst) || was_f32(w, i->a)))
    move(w, i);
  else
    other(w, i);
}

static ww_value widen_value(ww_value v) {
  if (v.type != WW_F32)
    return v;
  v.type = WW_F64;
  if (v.kind == WW_VAL_CONST) {
    uint32_t bits = v.bits;
    float f;
    memcpy(&f, &bits, sizeof f);
    double d = f;
    memcpy(&v.bits, &d, sizeof d);
  }
  return v;
}

static void widen_params(ww_fn *fn, ww_arena *a) {
  ww_param *params = WW_NEWN(a, ww_param, fn->nparams + 1);
  for (uint32_t p = 0; p < fn->nparams; p++) {
    params[p] = fn->params[p];
    if (params[p].type == WW_F32) {
      params[p].type = WW_F64;
      params[p].size = params[p].align = 8;
    }
  }
  fn->params = params;
}

static void widen_fn(const ww_fn *from, ww_fn *to, ww_arena *a) {
  widening w = {
      .from = from,
      .fn = to,
      .a = a,
  };
  *to = *from;
  for (uint32_t v = 0; v < from->nvals; v++)
    ww_push(a, &w.vals, widen_value(from->vals[v]));
  for (uint32_t k = 0; k < from->npool; k++)
    ww_push(a, &w.pool, from->pool[k]);
  to->blocks = WW_NEWN(a, ww_block, from->nblocks + 1);
  for (w.block = 0; w.block < from->nblocks; w.block++) {
    const ww_block *b = &from->blocks[w.block];
    w.ins.v = NULL;
    w.ins.n = w.ins.cap = 0;
    for (uint32_t k = 0; k < b->nins; k++)
      widen_ins(&w, &b->ins[k]);
    to->blocks[w.block] = *b;
    to->blocks[w.block].ins = w.ins.v;
    to->blocks[w.block].nins = w.ins.n;
  }
  to->vals = w.vals.v;
  to->nvals = w.vals.n;
  to->pool = w.pool.v;
  to->npool = w.pool.n;
  if (to->ret == WW_F32)
    to->ret = WW_F64;
  widen_params(to, a);
}

bool ww_widen(const ww_module *m, const ww_fn *fn, ww_arena *a, ww_module *out) {
  bool *in = WW_NEWN(a, bool, m->nfns + 1);
  ww_reach(m, fn, in);
  *out = *m;
  out->fns = WW_NEWN(a, ww_fn, m->nfns + 1);
  for (uint32_t f = 0; f < m->nfns; f++) {
    out->fns[f] = m->fns[f];
    if (!in[f])
      continue;
    if (ww_fn_has(&m->fns[f], WW_OP_MMA))
      return false;
    widen_fn(&m->fns[f], &out->fns[f], a);
  }
  return true;
}
