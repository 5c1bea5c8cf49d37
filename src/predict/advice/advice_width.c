/* advice_width.c - findings about neighbours that one thread takes one by one, where
 * one wide access would fetch them.
 *
 * Loads and stores of one block of the code with the same base and constant offsets are
 * neighbours. A wide access has to be aligned: that the address is a multiple of its
 * bytes must be seen in the code, buffers themselves being aligned to 16 bytes. */
#include "advice_int.h"

enum { WIDEST = 16, DEPTH = 12 };

typedef struct {
  const ww_fn *fn;
  const ww_ins **defs;
} code;

static uint32_t zeros_of(const code *c, ww_val v, int depth);

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static uint32_t zeros_of_number(uint64_t n) {
  return n ? least(__builtin_ctzll(n), 8) : 8;
}

static uint32_t zeros_of_result(const code *c, const ww_ins *i, int depth) {
  switch (i->op) {
  case WW_OP_ADD:
  case WW_OP_SUB:
  case WW_OP_OR:
    return least(zeros_of(c, i->a, depth), zeros_of(c, i->b, depth));
  case WW_OP_MUL:
    return least(zeros_of(c, i->a, depth) + zeros_of(c, i->b, depth), 8);
  case WW_OP_SHL:
    if (c->fn->vals[i->b].kind != WW_VAL_CONST)
      return zeros_of(c, i->a, depth);
    return least(zeros_of(c, i->a, depth) + least(c->fn->vals[i->b].bits, 8), 8);
  case WW_OP_LEA:
    return least(zeros_of(c, i->a, depth),
                 least(zeros_of(c, i->b, depth) + zeros_of_number(i->imm), 8));
  case WW_OP_MOV:
  case WW_OP_SEXT:
  case WW_OP_ZEXT:
  case WW_OP_TRUNC:
  case WW_OP_FREEZE:
    return zeros_of(c, i->a, depth);
  default:
    return 0;
  }
}

/* Low bits of a value that are zero, at most 8: seen in the code, or a pointer's. */
static uint32_t zeros_of(const code *c, ww_val v, int depth) {
  if (v == WW_NOVAL || !depth)
    return 0;
  const ww_value *t = &c->fn->vals[v];
  if (t->kind == WW_VAL_CONST)
    return zeros_of_number(t->bits);
  if (t->kind == WW_VAL_PARAM)
    return t->ref < c->fn->nparams && c->fn->params[t->ref].pointer ? 4 : 0;
  return c->defs[v] ? zeros_of_result(c, c->defs[v], depth - 1) : 0;
}

static uint32_t bytes_of(const ww_ins *i) {
  return ww_type_bytes[i->type] * (i->n ? i->n : 1);
}

static bool is_narrow(const ww_ins *i) {
  return (i->op == WW_OP_LD || i->op == WW_OP_ST) && i->space == WW_GLOBAL &&
         !(i->flags & WW_F_VOLATILE) && !ww_is_part(i) && bytes_of(i) < WIDEST;
}

/* Bytes of the aligned access that the instruction could be part of. */
static uint32_t window_of(const code *c, const ww_ins *i) {
  uint32_t zeros = zeros_of(c, i->a, DEPTH);
  return zeros >= 4 ? WIDEST : zeros == 3 ? WIDEST / 2 : 0;
}

/* An instruction before it in its block fetches a neighbour within the same window. */
static bool joins(const code *c, const ww_site *s) {
  const ww_ins *i = s->ins;
  uint32_t window = is_narrow(i) ? window_of(c, i) : 0;
  if (!window || bytes_of(i) >= window)
    return false;
  for (uint32_t k = 0; k < s->index; k++) {
    const ww_ins *j = &s->fn->blocks[s->block].ins[k];
    if (is_narrow(j) && j->op == i->op && j->a == i->a && j->imm != i->imm &&
        j->imm >= 0 && i->imm >= 0 && j->imm / window == i->imm / window)
      return true;
  }
  return false;
}

typedef struct {
  ww_part part;
  ww_worst worst;
  double loads, stores; /* requests that a wide access saves */
  uint32_t bytes;       /* of the worst one */
} narrow;

static void widen(const ww_advisor *x, const narrow *n, ww_work *w) {
  const ww_counts *c = &x->t->c;
  ww_traffic *f = &w->traffic;
  double ld = ww_ratio(n->loads, c->global_ld_requests);
  double st = ww_ratio(n->stores, c->global_st_requests);
  double all = f->l1_ld_sectors + f->l1_st_sectors;
  double saved = ld * f->l1_ld_sectors;
  if (all > 0)
    f->l1_wavefronts *= 1 - (saved + st * f->l1_st_sectors) / all;
  f->l1_ld_hits -= fmin(saved, f->l1_ld_hits);
  f->l1_ld_sectors -= saved;
  f->l1_st_sectors *= 1 - st;
  f->l1_st_hits *= 1 - st;
  f->l2_lookups -= st * f->l2_writes;
  f->l2_hits -= fmin(st * f->l2_writes, f->l2_hits);
  f->l2_writes *= 1 - st;
  f->partial_writes *= 1 - st;
  w->chain.store_lines *= 1 - st;
  ww_part_remove(x, &n->part, w);
}

void ww_advise_width(ww_advisor *x) {
  code c = {x->fn, ww_ir_defs(x->fn, x->a)};
  narrow n = {0};
  for (const ww_site *s = x->sites; s < x->sites_end; s++) {
    if (s->fn != x->fn || !joins(&c, s))
      continue;
    double most = n.worst.most;
    ww_part_add(&n.part, s, 1);
    *(s->ins->op == WW_OP_LD ? &n.loads : &n.stores) += s->warps;
    ww_worst_add(x, s, s->warps, &n.worst);
    if (n.worst.most > most)
      n.bytes = bytes_of(s->ins);
  }
  if (n.loads + n.stores <= 0)
    return;
  ww_work w = *x->work;
  widen(x, &n, &w);
  ww_advice_add(
      x, WW_RULE_SPLIT_ACCESS, n.worst.at, &w,
      ww_fmt(x->a,
             "a thread %s neighbouring elements of %u byte%s one by one, %.3g requests "
             "a thread more than aligned accesses of 16 bytes take",
             n.stores > n.loads ? "stores" : "loads", n.bytes, n.bytes > 1 ? "s" : "",
             ww_per_thread(x, n.loads + n.stores)),
      ww_fmt(x->a, "take them together with one %s access",
             ww_word_of(x, n.bytes == 1   ? WW_WORD_WIDE1
                           : n.bytes == 2 ? WW_WORD_WIDE2
                                          : WW_WORD_WIDE4)));
}
