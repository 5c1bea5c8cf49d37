/* callees_mma.c - NVVM's wmma, mma and ldmatrix intrinsics. */
#include "callees_int.h"
#include "emit_mma.h"

/* ---- intrinsics ---- */

/* All components of arguments [from, to) in order. */
static uint32_t
gather(low_callee *c, uint32_t from, uint32_t to, ww_val *out, uint32_t max) {
  uint32_t n = 0;
  for (uint32_t a = from; a < to; a++)
    for (uint32_t k = 0; k < c->at[a]->n && n < max; k++)
      out[n++] = call_comp(c, a, k);
  return n;
}

/* <geom>.load.<a|b|c>.<row|col>.stride.<type>.pN(ptr, ld),
 * <geom>.store.d.<row|col>.stride.<type>.pN(ptr, elements ..., ld) */
static bool wmma_fragment(
    low_callee *c, const ww_mma_shape *g, char tok[][24], uint32_t n, low_fragment *f) {
  bool u;
  *f = (low_fragment){.F = c->F, .g = g, .which = WW_MATRIX_C};
  if (n < 6 || !low_mma_type(tok[n - 2], &f->t, &u) || strcmp(tok[4], "stride"))
    return false;
  f->col = !strcmp(tok[3], "col");
  if (tok[2][0] == 'a' || tok[2][0] == 'b')
    f->which = tok[2][0] == 'a' ? WW_MATRIX_A : WW_MATRIX_B;
  return true;
}

static void wmma_access(low_callee *c, low_fragment *f, bool store, ww_val *v) {
  f->base = call_ptr(c, 0, ww_type_bytes[f->t]);
  f->ld = call_arg_as(c, c->nargs - 1, WW_I64, true);
  low_fragment_access(f, store, v);
}

static bool wmma_load(low_callee *c, low_fragment *f) {
  uint32_t count = ww_mma_elements(f->g, f->which);
  uint32_t bits = 0;
  ww_val v[64];
  wmma_access(c, f, false, v);
  for (uint32_t i = 0; i < c->rt->n; i++)
    bits += c->rt->c[i].bits;
  /* a multiple of what the lane really owns */
  uint32_t want = bits / ww_type_bits(f->t);
  if (want < count || want > 64)
    return false;
  for (uint32_t i = count; i < want; i++)
    v[i] = v[i % count];
  low_comp from[64];
  low_repack(c->F, low_elements(from, f->t, want), want, v, c->rt->c, c->rt->n, c->res);
  return true;
}

static bool wmma_store(low_callee *c, low_fragment *f) {
  ww_val reg[64];
  ww_val v[64];
  uint32_t nreg = gather(c, 1, c->nargs - 1, reg, 64);
  if (low_mma_unpack(c->F, reg, nreg, f->t, v) < ww_mma_elements(f->g, f->which))
    return false;
  wmma_access(c, f, true, v);
  return true;
}

/* Registers of A, B and C are the arguments. */
static bool product(low_callee *c, const low_product *p) {
  low_fn *F = c->F;
  ww_val reg[128];
  ww_val d[64];
  uint32_t nc = ww_mma_elements(p->g, WW_MATRIX_C);
  uint32_t from_here = low_here(F);
  uint32_t nreg = gather(c, 0, c->nargs, reg, 128);
  if (!low_wmma(F, p, reg, nreg, d))
    return false;
  low_comp from[64];
  low_repack(F, low_elements(from, p->d, nc), nc, d, c->rt->c, c->rt->n, c->res);
  low_parts(F, from_here, WW_OP_MMA);
  return true;
}

/* <geom>[.mma].<row|col>.<row|col>[.rn].<types>[.satfinite]: two float types are those
 * of D and C around f16 operands */
static bool mma_types(char tok[][24], uint32_t n, uint32_t at, low_product *p) {
  ww_type t[4];
  bool u[4];
  uint32_t k = 0;
  for (uint32_t i = at; i < n && k < 4; i++)
    if (low_mma_type(tok[i], &t[k], &u[k]))
      k++;
    else if (strcmp(tok[i], "rn") && strcmp(tok[i], "satfinite"))
      return false;
  if (!k)
    return false;
  p->flags = 0;
  if (k == 1 || t[0] == WW_I8) { /* the operands' type; the accumulator follows */
    p->in = t[0];
    p->c = p->d = t[0] == WW_I8 ? WW_I32 : t[0] == WW_F64 ? WW_F64 : WW_F32;
    if (t[0] == WW_I8)
      p->flags = (u[0] ? WW_F_UNSIGNED_A : 0) | (u[k - 1] ? WW_F_UNSIGNED_B : 0);
    if (k == 1 && t[0] == WW_F16)
      p->c = p->d = WW_F16;
    return true;
  }
  p->in = WW_F16;
  p->d = t[0];
  p->c = t[1];
  return k == 2;
}

void call_nv_wmma(low_callee *c) { /* x: llvm.nvvm.mma */
  char tok[10][24];
  low_fragment f;
  uint32_t n = call_tokens(c, tok, 10);
  low_product p = {.g = n > 3 ? low_mma_shape(tok[0], 1) : NULL, .per_word = 1};
  bool ok = p.g;
  if (ok && !c->x && !strcmp(tok[1], "load"))
    ok = wmma_fragment(c, p.g, tok, n, &f) && wmma_load(c, &f);
  else if (ok && !c->x && !strcmp(tok[1], "store"))
    ok = wmma_fragment(c, p.g, tok, n, &f) && wmma_store(c, &f);
  else if (ok)
    ok = mma_types(tok, n, c->x ? 3 : 4, &p) && product(c, &p);
  if (!ok)
    call_tensor(c);
}

/* llvm.nvvm.ldmatrix.sync.aligned.m8n8.x<n>[.trans].b16.p<as>(ptr) */
void call_nv_ldmatrix(low_callee *c) {
  if (!ww_starts(c->tail, "sync.aligned.m8n8.x") || !strstr(c->tail, "b16")) {
    call_tensor(c);
    return;
  }
  ww_val a = low_int_to(c->F, call_arg(c, 0), WW_I64, WW_I32, false);
  uint32_t from = low_here(c->F);
  for (uint32_t i = 0; i < c->rt->n; i++)
    c->res[i] = low_matrix_word(c->F, a, i, strstr(c->tail, "trans") != NULL);
  low_parts(c->F, from, WW_OP_LD);
}
