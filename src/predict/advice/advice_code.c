/* advice_code.c - findings about the arithmetic itself: double precision by accident,
 * divisions, values computed too often.
 *
 * All of it is plain dataflow over one function's values, to a fixed point; values that
 * came through calls are taken as unknown, so a rule stays silent rather than wrong. */
#include "advice_int.h"

#include "../../base/half.h"

typedef struct {
  ww_part part;
  ww_worst worst;
  double count; /* executions by warps */
} group;

static void group_add(const ww_advisor *x, const ww_site *s, double share, group *g) {
  ww_part_add(&g->part, s, share);
  g->count += s->warps;
  ww_worst_add(x, s, ww_site_inst(s) * s->warps, &g->worst);
}

static bool is_const(const ww_fn *fn, ww_val v) {
  return v != WW_NOVAL && fn->vals[v].kind == WW_VAL_CONST;
}

enum { MOST_USES = 64 };

/* ---- doubles by accident ---- */

typedef struct {
  /* per value: stems from data that is double; ends in data that is double */
  bool *from, *to;
} doubles;

/* results or operands that are double on purpose */
static bool keeps_double(const ww_ins *i) {
  switch (i->op) {
  case WW_OP_LD:
  case WW_OP_ST:
  case WW_OP_ATOM:
  case WW_OP_CAS:
  case WW_OP_CALL:
  case WW_OP_CALLI:
  case WW_OP_RET:
  case WW_OP_SHFL:
  case WW_OP_MMA:
  case WW_OP_PRINTF:
    return true;
  default:
    return false;
  }
}

static bool mark(bool *set, ww_val v) {
  if (v == WW_NOVAL || set[v])
    return false;
  return set[v] = true;
}

static bool flow_doubles(const ww_fn *fn, const ww_ins *i, doubles *d) {
  ww_val uses[MOST_USES];
  uint32_t n = ww_ins_uses(fn, i, uses, MOST_USES);
  bool changed = false, source = keeps_double(i), sink = source;
  if (n > MOST_USES)
    n = MOST_USES;
  if (i->op == WW_OP_FCVT && i->type != WW_F64)
    return false; /* the way back to float ends both flows */
  for (uint32_t k = 0; k < n; k++)
    source |= fn->vals[uses[k]].type == WW_F64 && d->from[uses[k]];
  for (uint32_t k = 0; k < i->nres; k++) {
    if (fn->vals[i->dst + k].type != WW_F64)
      continue;
    if (source)
      changed |= mark(d->from, i->dst + k);
    sink |= d->to[i->dst + k];
  }
  for (uint32_t k = 0; sink && k < n; k++)
    if (fn->vals[uses[k]].type == WW_F64)
      changed |= mark(d->to, uses[k]);
  return changed;
}

static doubles find_doubles(const ww_fn *fn, ww_arena *a) {
  doubles d = {WW_NEWN(a, bool, fn->nvals + 1), WW_NEWN(a, bool, fn->nvals + 1)};
  for (uint32_t v = 0; v < fn->nvals; v++)
    d.from[v] = fn->vals[v].type == WW_F64 && fn->vals[v].kind == WW_VAL_PARAM;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nphis;
         k++) { /* a double variable that lives through a loop is meant to be one */
      const ww_phi *p = &fn->blocks[b].phis[k];
      if (fn->vals[p->dst].type != WW_F64)
        continue;
      d.from[p->dst] = d.to[p->dst] = true;
      for (uint32_t j = 0; j < p->n; j++)
        d.to[ww_phi_edge(fn, p, j).value] = true;
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < fn->nblocks; b++)
      for (uint32_t i = 0; i < fn->blocks[b].nins; i++)
        changed |= flow_doubles(fn, &fn->blocks[b].ins[i], &d);
  }
  return d;
}

/* -1: no; 0: a conversion that would go; else machine instructions in single precision.
 */
static double accidental(const ww_site *s, const doubles *d) {
  const ww_ins *i = s->ins;
  if (i->op == WW_OP_FCVT && i->type == WW_F64 && i->type2 == WW_F32)
    return d->to[i->dst] || d->from[i->dst] ? -1 : 0;
  if (i->op == WW_OP_FCVT && i->type == WW_F32 && i->type2 == WW_F64)
    return d->from[i->a] ? -1 : 0;
  uint8_t cls = ww_ops[i->op].cls;
  if (i->type != WW_F64 || (cls != WW_CLASS_FP && cls != WW_CLASS_FPX &&
                            cls != WW_CLASS_MATH && i->op != WW_OP_FCMP))
    return -1;
  ww_val uses[MOST_USES];
  uint32_t n = ww_ins_uses(s->fn, i, uses, MOST_USES);
  for (uint32_t k = 0; k < n && k < MOST_USES; k++)
    if (!is_const(s->fn, uses[k]) && d->from[uses[k]])
      return -1;
  if (i->nres && i->op != WW_OP_FCMP && (d->to[i->dst] || d->from[i->dst]))
    return -1;
  return fmax(ww_site_inst(s) / 2, 1);
}

/* The same work on the FP32 pipe. */
static void add_single(const ww_advisor *x, double inst, ww_work *w) {
  double issue = x->g->issue[WW_GPU_OP_ffma];
  w->lowered.inst[WW_PIPE_FMA] += inst;
  w->lowered.cycles[WW_PIPE_FMA] += inst * (issue > 0 ? issue : 1);
  w->lowered.total += inst;
  w->lowered.thread_inst += inst * x->g->lanes;
  w->chain.warp_inst += ww_per_thread(x, inst);
}

static void double_constants(ww_advisor *x) {
  doubles d = find_doubles(x->fn, x->a);
  group g = {0};
  double single = 0;
  double operations = 0;
  for (const ww_site *s = x->sites; s < x->sites_end; s++) {
    double left = s->fn == x->fn ? accidental(s, &d) : -1;
    if (left < 0)
      continue;
    group_add(x, s, 1, &g);
    single += left * s->warps;
    if (left > 0) {
      g.part.latency -= 4 * s->warps;
      operations += s->warps;
    }
  }
  if (operations <= 0)
    return;
  ww_work w = *x->work;
  ww_part_remove(x, &g.part, &w);
  add_single(x, single, &w);
  ww_advice_add(
      x, WW_RULE_DOUBLE_CONSTANT, g.worst.at, &w,
      ww_fmt(x->a,
             "float values are converted to double, computed with and converted back, "
             "%.3g operations a thread",
             ww_per_thread(x, operations)),
      ww_fmt(x->a, "write float constants (0.5f, not 0.5) and %s",
             ww_word_of(x, WW_WORD_FLOATS)));
}

/* ---- divisions, powers ---- */

/* The sites for which `wanted` holds (of the kernel alone where values of it are
 * given), and the work without so much of them; false: there are none. */
static bool without(const ww_advisor *x,
                    bool (*wanted)(const ww_site *, const bool *),
                    const bool *varying,
                    double share,
                    group *g,
                    ww_work *w) {
  *g = (group){0};
  for (const ww_site *s = x->sites; s < x->sites_end; s++)
    if ((!varying || s->fn == x->fn) && wanted(s, varying))
      group_add(x, s, share, g);
  *w = *x->work;
  ww_part_remove(x, &g->part, w);
  return g->count > 0;
}

static bool runtime_division(const ww_site *s, const bool *varying) {
  (void)varying;
  return ww_is_division(s->ins) && !is_const(s->fn, s->ins->b);
}

static void divisions(ww_advisor *x) {
  group g;
  ww_work w;
  if (!without(x, runtime_division, NULL, 0.8, &g, &w))
    return;
  double cost = 0;
  for (int p = 0; p < WW_NPIPES; p++)
    cost += g.part.inst[p] / 0.8;
  ww_advice_add(
      x, WW_RULE_RUNTIME_DIVISION, g.worst.at, &w,
      ww_fmt(x->a,
             "%.3g integer divisions or remainders a thread by values unknown to the "
             "compiler, about %.0f instructions each",
             ww_per_thread(x, g.count), cost / g.count),
      ww_fmt(x->a,
             "take the indices from %s instead, count them up with the loop, or "
             "make the divisor %s",
             ww_word_of(x, WW_WORD_GRID), ww_word_of(x, WW_WORD_CONSTANT)));
}

static bool cheap_power(const ww_site *s, const bool *varying) {
  const ww_ins *i = s->ins;
  (void)varying;
  if (i->op != WW_OP_MATH ||
      (i->sub != WW_MATH_POW && i->sub != WW_MATH_POWI && i->sub != WW_MATH_POWR) ||
      !is_const(s->fn, i->b))
    return false;
  const ww_value *v = &s->fn->vals[i->b];
  double e = v->type == WW_F32 ? ww_bits_float(v->bits) : (int32_t)v->bits;
  if (v->type == WW_F64)
    memcpy(&e, &v->bits, 8);
  return fabs(e) <= 8 && (e == floor(e) || fabs(e) == 0.5 || fabs(e) == 1.5);
}

static void powers(ww_advisor *x) {
  group g;
  ww_work w;
  if (!without(x, cheap_power, NULL, 0.95, &g, &w))
    return;
  ww_advice_add(x, WW_RULE_EXPENSIVE_MATH, g.worst.at, &w,
                ww_fmt(x->a, "pow with a small constant exponent, %.3g times a thread",
                       ww_per_thread(x, g.count)),
                "multiply (x * x * x) or take a square root instead");
}

/* ---- the same value in every thread ---- */

static bool varies_by_itself(const ww_ins *i) {
  switch (i->op) {
  case WW_OP_SREG:
    return i->sub == WW_SREG_TID_X || i->sub == WW_SREG_TID_Y ||
           i->sub == WW_SREG_TID_Z || i->sub == WW_SREG_LANEID ||
           i->sub == WW_SREG_WARPID ||
           (i->sub >= WW_SREG_LANEMASK_EQ && i->sub <= WW_SREG_LANEMASK_GE);
  case WW_OP_ATOM:
  case WW_OP_CAS:
  case WW_OP_SHFL:
  case WW_OP_MATCH:
  case WW_OP_MMA:
  case WW_OP_CALL:
  case WW_OP_CALLI:
  case WW_OP_CLOCK:
  case WW_OP_MALLOC:
  case WW_OP_LOCALADDR:
    return true;
  case WW_OP_LD:
    return i->space == WW_LOCAL;
  default:
    return false;
  }
}

/* Per value: threads of a block may disagree on it. Branches are not looked at: the
 * same value on both sides stays one. */
static const bool *find_varying(const ww_fn *fn, ww_arena *a) {
  bool *v = WW_NEWN(a, bool, fn->nvals + 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < fn->nblocks; b++) {
      const ww_block *block = &fn->blocks[b];
      for (uint32_t k = 0; k < block->nphis; k++)
        for (uint32_t j = 0; j < block->phis[k].n; j++)
          if (v[ww_phi_edge(fn, &block->phis[k], j).value])
            changed |= mark(v, block->phis[k].dst);
      for (uint32_t k = 0; k < block->nins; k++) {
        const ww_ins *i = &block->ins[k];
        ww_val uses[MOST_USES];
        uint32_t n = i->nres ? ww_ins_uses(fn, i, uses, MOST_USES) : 0;
        bool varying = varies_by_itself(i);
        for (uint32_t j = 0; j < n && j < MOST_USES; j++)
          varying |= v[uses[j]];
        for (uint32_t j = 0; varying && j < i->nres; j++)
          changed |= mark(v, i->dst + j);
      }
    }
  }
  return v;
}

static bool same_everywhere(const ww_site *s, const bool *varying) {
  const ww_ins *i = s->ins;
  ww_val uses[MOST_USES];
  return (i->op == WW_OP_MATH || i->op == WW_OP_FDIV || ww_is_division(i)) &&
         ww_site_inst(s) >= 4 && ww_ins_uses(s->fn, i, uses, MOST_USES) &&
         !varying[i->dst];
}

static void recomputations(ww_advisor *x) {
  group g;
  ww_work w;
  if (!without(x, same_everywhere, find_varying(x->fn, x->a), 0.9, &g, &w))
    return;
  ww_advice_add(x, WW_RULE_RECOMPUTATION, g.worst.at, &w,
                ww_fmt(x->a,
                       "every thread of the %s computes the same value, %.3g "
                       "expensive operations a thread",
                       ww_word_of(x, WW_WORD_BLOCK), ww_per_thread(x, g.count)),
                ww_fmt(x->a,
                       "compute it once: on the host as an argument, %s, or by one "
                       "thread into %s",
                       ww_word_of(x, WW_WORD_TABLE), ww_word_of(x, WW_WORD_SHARED)));
}

void ww_advise_code(ww_advisor *x) {
  double_constants(x);
  divisions(x);
  powers(x);
  recomputations(x);
}
