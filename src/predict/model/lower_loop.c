/* lower_loop.c - loops as the compiler leaves them: unrolled iterations, addresses that
 * become pointers.
 *
 * nvcc unrolls 4 iterations of an innermost loop that counts by a constant, ptxas
 * another 4 where the body stays small; loops whose every trip is known at compile time
 * vanish. Inside, an address that moves evenly is a pointer: with a constant step it is
 * an immediate offset of one pointer per array, with another step one addition each.
 * Both were read off the code of the corpus. What the source computes for such
 * addresses is computed once, before the loop. The result is a share per instruction:
 * of its block's executions, those that still have it. */
#include "lower_int.h"

enum {
  INVARIANT = WW_INVARIANT,
  STEADY = WW_STEADY,
  STRIDED = WW_STRIDED,
  OTHER = WW_MOVES
};

static bool in_loop(const ww_lowering *x, ww_val v, uint32_t loop) {
  const ww_value *t = &x->fn->vals[v];
  return t->kind == WW_VAL_RESULT && ww_ir_in_loop(x->fn, t->ref, loop);
}

static uint8_t kind_of(const ww_lowering *x, ww_val v, uint32_t loop) {
  if (!in_loop(x, v, loop))
    return INVARIANT;
  return x->fn->blocks[x->fn->vals[v].ref].loop == loop ? x->moves[v] : OTHER;
}

static bool is_iv_step(const ww_ins *d, ww_val phi) {
  return d && (d->op == WW_OP_ADD || d->op == WW_OP_SUB || d->op == WW_OP_LEA) &&
         (d->a == phi || (d->op == WW_OP_ADD && d->b == phi));
}

static uint8_t larger(uint8_t a, uint8_t b) {
  return a > b ? a : b;
}

/* A value that the loop carries and only ever adds to. */
static void classify_phi(ww_lowering *x, const ww_phi *p, uint32_t loop) {
  const ww_fn *fn = x->fn;
  uint8_t kind = INVARIANT;
  for (uint32_t k = 0; k < p->n; k++) {
    ww_phi_way in = ww_phi_edge(fn, p, k);
    if (!ww_ir_in_loop(fn, in.from, loop))
      continue;
    const ww_ins *d = ww_lower_def(x, in.value);
    if (!is_iv_step(d, p->dst)) {
      kind = OTHER;
      continue;
    }
    ww_val step = d->a == p->dst ? d->b : d->a;
    kind = larger(kind, ww_lower_constant(x, step) ? STEADY
                        : in_loop(x, step, loop)   ? OTHER
                                                   : STRIDED);
  }
  x->moves[p->dst] = ww_is_float(fn->vals[p->dst].type) ? OTHER : kind;
}

static uint8_t classify(const ww_lowering *x, const ww_ins *i, uint32_t loop) {
  uint8_t a = i->a == WW_NOVAL ? OTHER : kind_of(x, i->a, loop);
  uint8_t b = i->b == WW_NOVAL ? INVARIANT : kind_of(x, i->b, loop);
  switch (i->op) {
  case WW_OP_ADD:
  case WW_OP_SUB:
  case WW_OP_LEA:
    return larger(a, b);
  case WW_OP_OR:
    return ww_lower_constant(x, i->b) || b == INVARIANT
               ? a
               : OTHER; /* low bits that are free: an addition */
  case WW_OP_SEXT:
  case WW_OP_ZEXT:
  case WW_OP_TRUNC:
  case WW_OP_MOV:
  case WW_OP_FREEZE:
    return i->type2 == WW_I1 ? OTHER : a;
  case WW_OP_SHL:
    return ww_lower_constant(x, i->b) ? a : OTHER;
  case WW_OP_MUL:
    if (a == INVARIANT && b == INVARIANT)
      return INVARIANT;
    if (ww_lower_constant(x, i->b) || ww_lower_constant(x, i->a))
      return larger(a, b);
    return a == INVARIANT || b == INVARIANT ? larger(STRIDED, larger(a, b)) : OTHER;
  default:
    return OTHER;
  }
}

static void find_moves(ww_lowering *x) {
  const ww_fn *fn = x->fn;
  x->moves = WW_NEWN(x->arena, uint8_t, fn->nvals);
  for (ww_val v = 0; v < fn->nvals; v++)
    x->moves[v] = fn->vals[v].kind == WW_VAL_RESULT ? OTHER : INVARIANT;
  for (uint32_t l = 0; l < fn->nloops; l++) {
    const ww_block *h = &fn->blocks[fn->loops[l].header];
    for (uint32_t p = 0; p < h->nphis; p++)
      classify_phi(x, &h->phis[p], l);
  }
  /* Blocks may stand in any order: twice settles what a body that is not in order left
   * open. */
  for (uint32_t turn = 0; turn < 2; turn++)
    for (uint32_t b = 0; b < fn->nblocks; b++)
      for (uint32_t k = 0; k < fn->blocks[b].nins && fn->blocks[b].loop != WW_NOBLOCK;
           k++) {
        const ww_ins *i = &fn->blocks[b].ins[k];
        if (i->dst != WW_NOVAL && i->nres <= 1 && !ww_is_float(i->type))
          x->moves[i->dst] = classify(x, i, fn->blocks[b].loop);
      }
}

/* ---- values that only addresses need ---- */

static bool address_of(const ww_ins *i, ww_val v) {
  if (i->op == WW_OP_LD)
    return true;
  return (i->op == WW_OP_ST || i->op == WW_OP_ATOM || i->op == WW_OP_CAS) &&
         i->a == v && (i->op == WW_OP_ST || i->b != v);
}

static bool only_addresses(const ww_lowering *x, ww_val v, uint32_t loop) {
  const ww_fn *fn = x->fn;
  uint32_t n = ww_lower_nuses(x, v);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t u = x->uses[x->uses_at[v] + k];
    if (u & WW_PHI) {
      uint32_t b = u & ~WW_PHI;
      if (b != fn->loops[loop].header)
        return false;
      for (uint32_t j = 0; j < fn->blocks[b].nphis; j++) {
        const ww_phi *p = &fn->blocks[b].phis[j];
        for (uint32_t e = 0; e < p->n; e++)
          if (ww_phi_edge(fn, p, e).value == v && !x->address[p->dst])
            return false;
      }
      continue;
    }
    const ww_ins *i = ww_lower_ins(x, u);
    if (address_of(i, v))
      continue;
    if (i->dst == WW_NOVAL || !x->address[i->dst] ||
        fn->blocks[x->block_of[u]].loop != loop)
      return false;
  }
  return n > 0;
}

/* What only some iterations reach is computed where it is needed. */
static bool in_every_iteration(const ww_lowering *x, ww_val v) {
  uint32_t b = x->fn->vals[v].ref;
  uint32_t latch = x->fn->loops[x->fn->blocks[b].loop].latch;
  return latch == WW_NOBLOCK || ww_ir_dominates(x->fn, b, latch);
}

/* An address that all lanes share: the uniform datapath computes it. */
static bool shared_address(const ww_lowering *x, ww_val v) {
  return x->same[v] && x->def[v] && x->def[v]->op == WW_OP_LEA;
}

static void find_addresses(ww_lowering *x) {
  const ww_fn *fn = x->fn;
  x->address = WW_NEWN(x->arena, bool, fn->nvals);
  for (ww_val v = 0; v < fn->nvals; v++)
    x->address[v] = fn->vals[v].kind == WW_VAL_RESULT &&
                    fn->blocks[fn->vals[v].ref].loop != WW_NOBLOCK &&
                    x->moves[v] != OTHER && !shared_address(x, v) &&
                    !ww_is_float(fn->vals[v].type) && in_every_iteration(x, v);
  for (bool changed = true; changed;) {
    changed = false;
    for (ww_val v = 0; v < fn->nvals; v++)
      if (x->address[v] && !only_addresses(x, v, fn->blocks[fn->vals[v].ref].loop)) {
        x->address[v] = false;
        changed = true;
      }
  }
}

/* ---- loops ---- */

static bool innermost(const ww_fn *fn, uint32_t loop) {
  for (uint32_t l = 0; l < fn->nloops; l++)
    if (fn->loops[l].parent == loop)
      return false;
  return true;
}

/* The only branch out of the loop stands at its end and compares a value that moves by
 * a constant.
 */
static bool counted(const ww_lowering *x, uint32_t loop) {
  const ww_fn *fn = x->fn;
  uint32_t latch = fn->loops[loop].latch;
  if (latch == WW_NOBLOCK)
    return false;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    if (b == latch || !ww_ir_in_loop(fn, b, loop))
      continue;
    for (uint32_t k = 0; k < fn->blocks[b].nsucc; k++)
      if (!ww_ir_in_loop(fn, fn->blocks[b].succ[k], loop))
        return false;
  }
  const ww_ins *t = ww_block_end(fn, latch);
  const ww_ins *c = t->op == WW_OP_CBR ? ww_lower_def(x, t->a) : NULL;
  if (!c || c->op != WW_OP_ICMP)
    return false;
  uint8_t a = kind_of(x, c->a, loop);
  uint8_t b = kind_of(x, c->b, loop);
  return (a == STEADY && b == INVARIANT) || (b == STEADY && a == INVARIANT);
}

/* Iterations of the source in one of the IR's. */
static uint32_t unrolled_before(const ww_fn *fn, uint32_t loop) {
  uint32_t latch = fn->loops[loop].latch;
  uint32_t by = latch == WW_NOBLOCK ? 0 : ww_block_end(fn, latch)->n;
  return by ? by : 1;
}

/* Bytes that a steady value moves by in an iteration of the IR's loop; 0: not known. */
static double step_of(const ww_lowering *x, ww_val v, uint32_t loop, uint32_t depth) {
  const ww_fn *fn = x->fn;
  if (!depth || !in_loop(x, v, loop))
    return 0;
  const ww_ins *d = x->def[v];
  if (!d) {
    const ww_block *h = &fn->blocks[fn->loops[loop].header];
    for (const ww_phi *p = h->phis; p - h->phis < h->nphis; p++)
      for (uint32_t k = 0; k < p->n && p->dst == v; k++) {
        const ww_ins *s = x->def[ww_phi_edge(fn, p, k).value];
        if (!is_iv_step(s, v) || fn->vals[s->b].kind != WW_VAL_CONST)
          continue;
        return (int64_t)fn->vals[s->b].bits * (s->op == WW_OP_LEA ? (double)s->imm : 1);
      }
    return 0;
  }
  bool fixed = d->b != WW_NOVAL && fn->vals[d->b].kind == WW_VAL_CONST;
  double a = step_of(x, d->a, loop, depth - 1);
  switch (d->op) {
  case WW_OP_ADD:
    return a + step_of(x, d->b, loop, depth - 1);
  case WW_OP_SUB:
    return a - step_of(x, d->b, loop, depth - 1);
  case WW_OP_LEA:
    return a + d->imm * step_of(x, d->b, loop, depth - 1);
  case WW_OP_MUL:
    return fixed ? a * (int64_t)fn->vals[d->b].bits : 0;
  case WW_OP_SHL:
    return fixed ? ldexp(a, fn->vals[d->b].bits) : 0;
  default:
    return a;
  }
}

/* The least step of the loop's counters. */
static double counter_step(const ww_lowering *x, uint32_t loop) {
  const ww_block *h = &x->fn->blocks[x->fn->loops[loop].header];
  double least = INFINITY;
  for (uint32_t p = 0; p < h->nphis; p++) {
    ww_val v = h->phis[p].dst;
    double step = x->moves[v] == STEADY && !ww_is_float(x->fn->vals[v].type)
                      ? fabs(step_of(x, v, loop, 2))
                      : 0;
    if (step > 0)
      least = fmin(least, step);
  }
  return isinf(least) ? 1 : least;
}

/* Arrays that are walked with a constant step: one pointer each. */
static void count_streams(ww_lowering *x, uint32_t loop) {
  const ww_fn *fn = x->fn;
  ww_lower_loop *l = &x->loops[loop];
  ww_val seen[32];
  uint32_t n = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    if (fn->blocks[b].loop != loop)
      continue;
    for (uint32_t k = 0; k < fn->blocks[b].nins && n < 32; k++) {
      const ww_ins *i = &fn->blocks[b].ins[k];
      if (i->op != WW_OP_LEA || x->gone[x->first[b] + k] || x->shares[i->dst] ||
          !x->address[i->dst] || x->moves[i->dst] != STEADY)
        continue;
      ww_val root = i->a;
      for (const ww_ins *d;
           (d = x->def[root]) && d->op == WW_OP_LEA && x->address[root];)
        root = d->a;
      uint32_t s = 0;
      while (s < n && seen[s] != root)
        s++;
      if (s < n)
        continue;
      seen[n++] = root;
      *(ww_lower_short(x, root) ? &l->narrow_pointers : &l->pointers) += 1;
    }
  }
  l->streams =
      l->narrow_pointers + l->pointers * (l->leaps ? 4 : ww_lower_coefs.stream);
}

/* Whether every walk through memory leaps, by four elements and more or by what the
 * code does not know: nvcc then counts with the scaled index, in a way that ptxas does
 * not take for counting. */
static bool leaps(const ww_lowering *x, uint32_t loop) {
  double counter = counter_step(x, loop);
  const ww_fn *fn = x->fn;
  uint32_t n = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nins && fn->blocks[b].loop == loop; k++) {
      const ww_ins *i = &fn->blocks[b].ins[k];
      if ((i->op != WW_OP_LD && i->op != WW_OP_ST) || i->a == WW_NOVAL ||
          i->space == WW_SHARED)
        continue;
      uint8_t kind = kind_of(x, i->a, loop);
      if (kind == INVARIANT)
        continue;
      double step = kind == STEADY ? fabs(step_of(x, i->a, loop, 12)) : 0;
      if (kind != STRIDED && step <= 2 * counter * ww_type_bytes[i->type] * i->n)
        return false;
      n++;
    }
  return n > 0;
}

/* Iterations that an unroll pragma asks for, 0: there is none. */
static uint32_t pragma(const ww_fn *fn, uint32_t loop) {
  uint32_t latch = fn->loops[loop].latch;
  return latch == WW_NOBLOCK ? 0 : ww_block_end(fn, latch)->sub;
}

/* What an instruction counts for in the size of a loop: for nvcc, in which a
 * multiply-add is two; for ptxas, which sees what a function becomes. */
static double nvcc_size(const ww_ins *i) {
  return i->op == WW_OP_FMA || i->op == WW_OP_MATH ? 2 : i->op != WW_OP_LEA;
}

static double ptxas_size(const ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  if (x->gone[at] || (i->dst != WW_NOVAL && x->address[i->dst]))
    return 0;
  if (i->op == WW_OP_LEA)
    return ww_lower_short(x, i->dst) ? 1 : 2;
  if (i->op == WW_OP_MATH && ww_lower_rounding(i))
    return 1;
  if (i->op == WW_OP_MATH || i->op == WW_OP_FDIV)
    return i->flags & WW_F_APPROX ? 5 : 12;
  return !ww_is_division(i) ? 1 : ww_lower_constant(x, i->b) ? 4 : 12;
}

static void measure_ins(const ww_lowering *x, uint32_t at, ww_lower_loop *out) {
  const ww_ins *i = ww_lower_ins(x, at);
  double size = ptxas_size(x, at);
  out->size += size;
  out->nvcc_size += nvcc_size(i);
  out->calls += i->op == WW_OP_CALL || i->op == WW_OP_CALLI;
  out->atomics += ww_is_atomic(i);
  if (i->op == WW_OP_LD && (i->space == WW_SHARED || ww_is_global(i)))
    *(i->space == WW_SHARED ? &out->shared : &out->loads) += 1;
  else if (!ww_touches_memory(i) && ww_ops[i->op].cls != WW_CLASS_CTL)
    out->arithmetic += size;
}

/* Per iteration of the source: the counter's addition, compare and branch apart. */
static void measure(ww_lowering *x, uint32_t loop, ww_lower_loop *out) {
  const ww_fn *fn = x->fn;
  enum { CONTROL = 3 };
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t at = x->first[b]; at < x->first[b + 1] && ww_ir_in_loop(fn, b, loop);
         at++)
      measure_ins(x, at, out);
  double n = out->before;
  out->size = fmax(1, out->size - CONTROL) / n;
  out->arithmetic = fmax(0, out->arithmetic - CONTROL + 1) / n;
  out->nvcc_size = fmax(1, out->nvcc_size - CONTROL) / n;
  out->loads /= n;
  out->shared /= n;
}

/* Iterations that nvcc lays side by side. LLVM has done so, but for loops with what
 * lanes must reach together, which it leaves alone. */
static uint32_t by_nvcc(const ww_lower_loop *l) {
  if (l->before > 1)
    return l->before;
  double most = ww_lower_coefs.unroll_most;
  return 4 * l->nvcc_size <= most ? 4 : 2 * l->nvcc_size <= most ? 2 : 1;
}

/* ptxas lays four of them side by side again, where that lets loads overlap and the
 * code stays short. By what it did to some thousand loops: the more loads of shared
 * memory, the longer; those of global memory take registers. */
static bool again(const ww_lower_loop *l, double body) {
  double size = body + 4 + l->pointers + l->narrow_pointers;
  if (l->leaps && l->arithmetic < 6)
    return false;
  if (l->loads > 0)
    return size + l->pointers + 2 * l->loads + 4 * l->shared <=
           ww_lower_coefs.unroll_again;
  return size <= fmin(ww_lower_coefs.unroll_bare + 17 * l->shared, 72);
}

static void plan_loop(ww_lowering *x, uint32_t loop) {
  ww_lower_loop *l = &x->loops[loop];
  const ww_fn *fn = x->fn;
  l->unrolled = 1;
  l->before = unrolled_before(fn, loop);
  measure(x, loop, l);
  l->counted = counted(x, loop);
  l->leaps = leaps(x, loop);
  count_streams(x, loop);
  if (l->calls || !innermost(fn, loop) || !l->counted || x->vanishes[loop])
    return;
  uint32_t asked = pragma(fn, loop);
  if (asked) { /* what the source asks for, and no more */
    l->unrolled = asked > l->before ? asked / l->before : 1;
    return;
  }
  if (x->m->compiled) { /* what nvcc left to ptxas */
    l->unrolled = again(l, l->size) ? 4 : 1;
    return;
  }
  uint32_t total = by_nvcc(l);
  if (total == 4 && again(l, 4 * l->size))
    total = 16;
  /* Where the number of trips is a constant, as many as fit. */
  if (x->fixed[loop])
    for (total = total > 4 ? 4 : total;
         total < 64 && l->size * 2 * total <= ww_lower_coefs.unroll_fixed;)
      total *= 2;
  l->unrolled = total > l->before ? total / l->before : 1;
}

/* The step of a value that the loop carries: once for the unrolled iterations. What is
 * computed from it is computed for each. */
static bool steps(const ww_lowering *x, const ww_ins *i, uint32_t loop) {
  const ww_block *h = &x->fn->blocks[x->fn->loops[loop].header];
  for (const ww_phi *p = h->phis; p - h->phis < h->nphis; p++)
    for (uint32_t k = 0; k < p->n; k++)
      if (ww_phi_edge(x->fn, p, k).value == i->dst && is_iv_step(i, p->dst))
        return true;
  return false;
}

/* How much of an instruction is left in the loop, and what stays for its stream of
 * addresses. */
static void share_of(ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  const ww_fn *fn = x->fn;
  uint32_t loop = fn->blocks[x->block_of[at]].loop;
  x->share[at] = 1;
  if (loop == WW_NOBLOCK)
    return;
  const ww_lower_loop *l = &x->loops[loop];
  bool end = x->block_of[at] == fn->loops[loop].latch;
  if (x->vanishes[loop] &&
      (i->op == WW_OP_BR || (i->op == WW_OP_CBR && ww_lower_constant(x, i->a))))
    x->share[at] = 0;
  if (i->dst != WW_NOVAL && x->shares[i->dst] == WW_ONE_STEP)
    return;
  if (l->counted && i->dst != WW_NOVAL && x->address[i->dst]) {
    bool addition = i->op == WW_OP_LEA && !x->gone[at] && x->moves[i->dst] == STRIDED;
    x->share[at] = addition ? -1 : 0;
    return;
  }
  if (l->unrolled == 1 || !end)
    return;
  /* The counter, its compare and branch: once for the unrolled iterations. */
  bool counter = i->dst != WW_NOVAL && i->nres <= 1 && x->moves[i->dst] == STEADY &&
                 steps(x, i, loop);
  if (counter || i->op == WW_OP_CBR ||
      (i->op == WW_OP_ICMP && kind_of(x, i->a, loop) != OTHER &&
       kind_of(x, i->b, loop) != OTHER))
    x->share[at] = 1.0f / l->unrolled;
}

/* ---- loops that are unrolled in full ---- */

static bool known_step(const ww_lowering *x, const ww_ins *d, ww_val phi) {
  if (!d || d->a != phi || !ww_lower_constant(x, d->b))
    return false;
  return d->op == WW_OP_ADD || d->op == WW_OP_SUB || d->op == WW_OP_SHL ||
         d->op == WW_OP_LSHR || d->op == WW_OP_ASHR;
}

/* A carried value that begins and moves by constants. */
static bool known(const ww_lowering *x, const ww_phi *p, uint32_t loop) {
  const ww_fn *fn = x->fn;
  for (uint32_t k = 0; k < p->n; k++) {
    ww_phi_way in = ww_phi_edge(fn, p, k);
    if (ww_ir_in_loop(fn, in.from, loop) ? !known_step(x, x->def[in.value], p->dst)
                                         : !ww_lower_constant(x, in.value))
      return false;
  }
  return !ww_is_float(fn->vals[p->dst].type);
}

static void spread_known(ww_lowering *x, uint32_t loop) {
  const ww_fn *fn = x->fn;
  ww_val of[8];
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nins; k++) {
      const ww_ins *i = &fn->blocks[b].ins[k];
      if (i->dst == WW_NOVAL || i->nres > 1 || !ww_ir_in_loop(fn, b, loop))
        continue;
      if (ww_ops[i->op].cls > WW_CLASS_MATH)
        continue; /* arithmetic of any kind */
      uint32_t n = ww_ins_uses(fn, i, of, 8);
      bool all = n > 0 && i->op != WW_OP_LOCALADDR;
      for (uint32_t u = 0; u < n && u < 8; u++)
        all = all && ww_lower_constant(x, of[u]);
      x->known[i->dst] = all;
    }
}

static bool exits_known(const ww_lowering *x, uint32_t loop) {
  const ww_fn *fn = x->fn;
  uint32_t exits = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    const ww_block *t = &fn->blocks[b];
    if (!ww_ir_in_loop(fn, b, loop) || !t->nins)
      continue;
    const ww_ins *e = ww_block_end(fn, b);
    for (uint32_t k = 0; k < t->nsucc; k++) {
      if (ww_ir_in_loop(fn, t->succ[k], loop))
        continue;
      if (e->op != WW_OP_CBR || !ww_lower_constant(x, e->a))
        return false;
      exits++;
    }
  }
  return exits > 0;
}

static uint64_t stepped(uint8_t op, uint64_t v, uint64_t by) {
  if (op == WW_OP_ADD || op == WW_OP_SUB)
    return op == WW_OP_ADD ? v + by : v - by;
  return op == WW_OP_SHL ? v << (by & 63) : v >> (by & 63);
}

static bool holds(uint8_t cmp, int32_t a, int32_t b) {
  switch (cmp) {
  case WW_EQ:
    return a == b;
  case WW_NE:
    return a != b;
  case WW_SLT:
    return a < b;
  case WW_SLE:
    return a <= b;
  case WW_SGT:
    return a > b;
  case WW_SGE:
    return a >= b;
  case WW_ULT:
    return (uint32_t)a < (uint32_t)b;
  case WW_ULE:
    return (uint32_t)a <= (uint32_t)b;
  case WW_UGT:
    return (uint32_t)a > (uint32_t)b;
  default:
    return (uint32_t)a >= (uint32_t)b;
  }
}

/* Iterations of a loop that counts from one constant to another; 6 where the begin
 * depends on an outer one, as in sorting networks. */
static uint32_t trips(const ww_lowering *x, uint32_t loop) {
  const ww_fn *fn = x->fn;
  uint32_t latch = fn->loops[loop].latch;
  const ww_block *h = &fn->blocks[fn->loops[loop].header];
  if (latch == WW_NOBLOCK)
    return 6;
  const ww_ins *t = ww_block_end(fn, latch);
  const ww_ins *c = t->op == WW_OP_CBR ? x->def[t->a] : NULL;
  for (uint32_t p = 0; c && c->op == WW_OP_ICMP && p < h->nphis; p++) {
    const ww_phi *phi = &h->phis[p];
    const ww_ins *s = NULL;
    uint64_t v = 0;
    bool literal = true;
    for (uint32_t k = 0; k < phi->n; k++) {
      ww_phi_way in = ww_phi_edge(fn, phi, k);
      const ww_value *begin = &fn->vals[in.value];
      if (ww_ir_in_loop(fn, in.from, loop))
        s = x->def[in.value];
      else {
        literal = begin->kind == WW_VAL_CONST;
        v = begin->bits;
      }
    }
    if (!s || !known_step(x, s, phi->dst) || (c->a != phi->dst && c->a != s->dst) ||
        fn->vals[c->b].kind != WW_VAL_CONST)
      continue;
    if (!literal)
      return 6;
    bool stays = (uint32_t)t->imm == fn->loops[loop].header;
    for (uint32_t n = 1; n <= 1024; n++) {
      uint64_t next = stepped(s->op, v, fn->vals[s->b].bits);
      if (holds(c->sub, c->a == phi->dst ? v : next, fn->vals[c->b].bits) != stays)
        return n;
      v = next;
    }
    return 1024;
  }
  return 6;
}

/* Instructions of the loop laid out in full, the loops inside it too. */
static double laid_out(const ww_lowering *x, uint32_t loop) {
  const ww_fn *fn = x->fn;
  double sum = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    if (!ww_ir_in_loop(fn, b, loop))
      continue;
    double n = fn->blocks[b].nins;
    for (uint32_t l = fn->blocks[b].loop; l != WW_NOBLOCK;
         l = l == loop ? WW_NOBLOCK : fn->loops[l].parent)
      n *= trips(x, l);
    sum += n;
  }
  return sum;
}

void ww_lower_unrolled(ww_lowering *x) {
  const ww_fn *fn = x->fn;
  x->known = WW_NEWN(x->arena, bool, fn->nvals);
  x->vanishes = WW_NEWN(x->arena, bool, fn->nloops + 1);
  x->fixed = WW_NEWN(x->arena, bool, fn->nloops + 1);
  for (uint32_t depth = 1; depth <= 8; depth++)
    for (uint32_t l = 0; l < fn->nloops; l++) {
      if (fn->loops[l].depth != depth ||
          (depth > 1 && fn->loops[l].parent != WW_NOBLOCK &&
           !x->vanishes[fn->loops[l].parent] && !innermost(fn, l)))
        continue;
      const ww_block *h = &fn->blocks[fn->loops[l].header];
      for (uint32_t p = 0; p < h->nphis; p++)
        x->known[h->phis[p].dst] = known(x, &h->phis[p], l);
      spread_known(x, l);
      x->fixed[l] = exits_known(x, l);
      uint32_t asked = pragma(fn, l);
      bool all = !asked || asked >= trips(x, l) * unrolled_before(fn, l);
      x->vanishes[l] =
          x->fixed[l] && all && laid_out(x, l) <= ww_lower_coefs.unroll_full;
      if (x->vanishes[l])
        continue;
      for (ww_val v = 0; v < fn->nvals; v++)
        if (in_loop(x, v, l))
          x->known[v] = false;
    }
}

/* Unrolled bodies run while enough iterations are left, then the rest by fours and one
 * by one: how often the loop's own instructions run, for `trips` iterations of the IR's
 * loop, against trips / unrolled. */
double ww_lower_rounds(const ww_lower_loop *l, double trips) {
  if (l->unrolled == 1 || trips <= 0)
    return 1;
  bool whole = fabs(trips - round(trips)) < 1e-3;
  double rounds = 0;
  double left = trips;
  for (uint32_t by = l->unrolled; by > 1; by /= 4) {
    double n = whole ? floor(round(left) / by) : fmax(0, left / by - 0.5);
    rounds += n;
    left -= n * by;
  }
  return (rounds + left) / (trips / l->unrolled);
}

void ww_lower_loops(ww_lowering *x) {
  x->loops = WW_NEWN(x->arena, ww_lower_loop, x->fn->nloops + 1);
  x->share = WW_NEWN(x->arena, float, x->nins + 1);
  find_moves(x);
  find_addresses(x);
  for (uint32_t l = 0; l < x->fn->nloops; l++) {
    plan_loop(x, l);
    x->loops[l].whole = x->vanishes[l] ? trips(x, l) : 0;
  }
  for (uint32_t at = 0; at < x->nins; at++)
    share_of(x, at);
}
