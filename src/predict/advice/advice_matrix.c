/* advice_matrix.c - findings about matrix units: products of half precision that are
 * computed by ordinary arithmetic, and matrix instructions below the full rate.
 *
 * A product of matrices is told from a sum over data that is read once by its
 * arithmetic for each byte: every element takes part in many results. */
#include "advice_int.h"

enum {
  RICH = 32,    /* multiply-adds for each byte that the launch touches */
  PRODUCT = 64, /* multiply-adds of a lane that one m16n8k16 instruction stands for */
  DEPTH = 6
};

static bool is_half(uint8_t type) {
  return type == WW_F16 || type == WW_BF16;
}

/* The value is, or was before it was converted, a number of half precision. */
static bool was_half(const ww_fn *fn, const ww_ins **defs, ww_val v, int depth) {
  if (v == WW_NOVAL || !depth)
    return false;
  if (is_half(fn->vals[v].type))
    return true;
  const ww_ins *i = defs[v];
  if (!i)
    return false;
  if (i->op == WW_OP_FCVT)
    return is_half(i->type2);
  /* bf16 becomes a float by a shift of its bits */
  bool bits = i->op == WW_OP_SHL || i->op == WW_OP_AND || i->op == WW_OP_ZEXT ||
              i->op == WW_OP_MOV || i->op == WW_OP_PRMT;
  return bits && (was_half(fn, defs, i->a, depth - 1) ||
                  ww_type_bytes[fn->vals[i->a].type] == 2);
}

typedef struct {
  ww_part part;
  ww_worst worst;
  double adds; /* multiply-adds by warps */
} product;

static bool
multiplies_halves(const ww_advisor *x, const ww_ins **defs, const ww_site *s) {
  const ww_ins *i = s->ins;
  bool inside = s->fn->blocks[s->block].loop != WW_NOBLOCK;
  return inside && i->op == WW_OP_FMA && (i->type == WW_F32 || is_half(i->type)) &&
         was_half(x->fn, defs, i->a, DEPTH) && was_half(x->fn, defs, i->b, DEPTH);
}

static product find_product(const ww_advisor *x) {
  const ww_ins **defs = ww_ir_defs(x->fn, x->a);
  product p = {0};
  for (const ww_site *s = x->sites; s < x->sites_end; s++) {
    if (s->fn != x->fn || !multiplies_halves(x, defs, s))
      continue;
    ww_part_add(&p.part, s, 1);
    ww_worst_add(x, s, s->warps, &p.worst);
    p.adds += s->warps;
  }
  /* the conversions go too */
  for (const ww_site *s = x->sites; p.adds > 0 && s < x->sites_end; s++)
    if (s->fn == x->fn && s->ins->op == WW_OP_FCVT && is_half(s->ins->type2))
      ww_part_add(&p.part, s, 1);
  return p;
}

/* Fragments are read by the warp, once for 16 rows or 8 columns of results. */
static void multiply(const ww_advisor *x, const product *p, ww_work *w) {
  const ww_counts *c = &x->t->c;
  double issue = x->g->issue[WW_GPU_OP_mma_f16];
  double inst = p->adds / PRODUCT;
  ww_part part = p->part;
  part.inst[WW_PIPE_LSU] += 0.875 * c->shared_ld_requests;
  ww_part_remove(x, &part, w);
  w->lowered.inst[WW_PIPE_TENSOR] += inst;
  w->lowered.cycles[WW_PIPE_TENSOR] += inst * issue;
  w->lowered.total += inst;
  w->chain.warp_inst += ww_per_thread(x, inst);
  w->traffic.shared_cycles *= 0.125;
  w->chain.shared_waits *= 0.125;
  w->chain.passes *= 0.125;
}

static void plain_products(ww_advisor *x) {
  double issue = x->g->issue[WW_GPU_OP_mma_f16];
  product p = find_product(x);
  double bytes = 0;
  for (uint32_t k = 0; k < x->t->nargs; k++)
    bytes += ww_advice_touched(x, &x->t->args[k]);
  if (!(issue > 0) || p.adds <= 0 || p.adds * x->g->lanes < RICH * bytes ||
      x->work->lowered.inst[WW_PIPE_TENSOR] > 0)
    return;
  ww_work w = *x->work;
  multiply(x, &p, &w);
  ww_advice_add(
      x, WW_RULE_MATRIX_UNITS, p.worst.at, &w,
      ww_fmt(
          x->a,
          "%.3g multiply-adds of half precision a thread, each an instruction of its "
          "own: the matrix units do %d of them for each lane at once",
          ww_per_thread(x, p.adds), PRODUCT),
      ww_fmt(x->a, "compute tiles of 16 x 16 with %s", ww_word_of(x, WW_WORD_MATRIX)));
}

/* Sum of matrix products of a warp; the rates of the same product by a group of four
 * warps, which is asynchronous. */
static void slow_products(ww_advisor *x) {
  double warp = x->g->issue[WW_GPU_OP_mma_f16];
  double group = x->g->issue[WW_GPU_OP_wgmma_f16];
  ww_worst worst = {0};
  if (!(warp > 0) || !(group > 0) || group >= 0.9 * warp)
    return;
  for (const ww_site *s = x->sites; s < x->sites_end; s++) {
    if (s->ins->op == WW_OP_WGMMA)
      return;
    if (s->ins->op == WW_OP_MMA && is_half(s->ins->type2))
      ww_worst_add(x, s, s->warps, &worst);
  }
  if (!worst.at.line)
    return;
  ww_work w = *x->work;
  w.lowered.cycles[WW_PIPE_TENSOR] *= group / warp;
  ww_advice_add(x, WW_RULE_MATRIX_UNITS, worst.at, &w,
                ww_fmt(x->a,
                       "matrix products of single warps reach %.0f %% of this GPU's "
                       "rate",
                       100 * group / warp),
                "let groups of four warps multiply from shared memory (wgmma)");
}

void ww_advise_matrix(ww_advisor *x) {
  plain_products(x);
  slow_products(x);
}
