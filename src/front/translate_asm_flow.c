/* translate_asm_flow.c - labels and branches inside one piece of inline PTX.
 *
 * A label begins a block in which every register known so far that the asm may write is
 * a phi; the ways that
 * lead there are written down as they are met, forward and backward, and the phis are
 * made of them at the end. Phis that nobody reads are left out, so a loop that polls is
 * the poll alone. Registers declared behind a branch are zero on its way. */
#include "translate_asm.h"

typedef struct {
  uint32_t from; /* block */
  ww_val *v;     /* per register known then */
  uint32_t n;
} way;

struct ptx_label {
  const char *name;
  uint32_t block;
  bool placed;
  ww_val *phi; /* per register when it was placed */
  uint32_t nphi;
  WW_VEC(way) ways;
};

static ptx_label *label_named(ptx_state *s, const char *name) {
  for (uint32_t k = 0; k < s->labels.n; k++)
    if (!strcmp(s->labels.v[k]->name, name))
      return s->labels.v[k];
  ptx_label *l = WW_NEW(s->F->a, ptx_label);
  l->name = ww_strdup(s->F->a, name);
  l->block = low_new_block(s->F, NULL);
  ww_push(s->F->a, &s->labels, l);
  return l;
}

static void add_way(ptx_state *s, ptx_label *l, uint32_t from) {
  way w = {.from = from, .n = s->regs.n};
  w.v = low_values(s->F, w.n);
  for (uint32_t k = 0; k < w.n; k++)
    w.v[k] = s->regs.v[k].v;
  ww_push(s->F->a, &l->ways, w);
}

void ptx_place_label(ptx_state *s, const char *name) {
  low_fn *F = s->F;
  ptx_label *l = label_named(s, name);
  if (l->placed) {
    low_refuse(F, "inline PTX: the label %.40s is there twice", name);
    return;
  }
  ptx_settle_all(s);
  if (!low_cur(F)->ended) {
    add_way(s, l, F->cur);
    low_br(F, l->block);
  }
  F->cur = l->block;
  s->fell_from = WW_NOBLOCK;
  l->placed = true;
  l->nphi = s->regs.n;
  l->phi = low_values(F, l->nphi);
  for (uint32_t k = 0; k < l->nphi; k++) {
    ptx_reg *r = &s->regs.v[k];
    l->phi[k] = r->input ? r->v : low_new_val(F, r->declared);
    r->v = l->phi[k];
  }
}

/* A branch right behind a conditional one: that one can go there by itself. */
static bool joins_before(ptx_state *s, ptx_label *l) {
  low_fn *F = s->F;
  if (s->fell_from == WW_NOBLOCK || low_cur(F)->ins.n)
    return false;
  low_block *b = &F->blocks.v[s->fell_from];
  ww_ins *t = &b->ins.v[b->ins.n - 1];
  if (t->imm == l->block)
    return false;
  t->ext = l->block;
  add_way(s, l, s->fell_from);
  low_cur(F)->ended = true;
  return true;
}

void ptx_branch(ptx_state *s, const char *name, ww_val cond) {
  low_fn *F = s->F;
  if (low_cur(F)->ended)
    return;
  ptx_label *l = label_named(s, name);
  ptx_settle_all(s);
  if (cond == WW_NOVAL) {
    if (!joins_before(s, l)) {
      add_way(s, l, F->cur);
      low_br(F, l->block);
    }
    return;
  }
  uint32_t next = low_new_block(F, NULL);
  add_way(s, l, F->cur);
  low_cbr(F, cond, l->block, next);
  s->fell_from = F->cur;
  F->cur = next;
}

/* ---- phis ---- */

static void mark_uses(low_fn *F, uint32_t first, bool *read) {
  const ww_fn view = {.pool = F->pool.v};
  for (uint32_t b = first; b < F->blocks.n; b++)
    for (uint32_t k = 0; k < F->blocks.v[b].ins.n; k++) {
      ww_val v[3 + 255];
      uint32_t n = ww_ins_uses(&view, &F->blocks.v[b].ins.v[k], v, 3 + 255);
      for (uint32_t u = 0; u < n; u++)
        read[v[u]] = true;
    }
}

static ww_val brought(ptx_state *s, const ptx_label *l, const way *w, uint32_t k) {
  return k < w->n ? w->v[k] : low_const(s->F, s->F->vals.v[l->phi[k]].type, 0);
}

/* What a phi that is read brings along is read as well. */
static bool mark_brought(ptx_state *s, const ptx_label *l, bool *read) {
  bool more = false;
  for (uint32_t k = 0; k < l->nphi; k++)
    for (uint32_t w = 0; read[l->phi[k]] && w < l->ways.n; w++) {
      ww_val v = brought(s, l, &l->ways.v[w], k);
      more |= v < s->F->vals.n && !read[v];
      read[v] = true;
    }
  return more;
}

static void make_phis(ptx_state *s, const ptx_label *l, const bool *read) {
  low_fn *F = s->F;
  for (uint32_t k = 0; k < l->nphi; k++) {
    if (s->regs.v[k].input || !read[l->phi[k]])
      continue;
    uint32_t *pairs = WW_NEWN(F->a, uint32_t, 2 * l->ways.n + 1);
    for (uint32_t w = 0; w < l->ways.n; w++) {
      pairs[2 * w] = l->ways.v[w].from;
      pairs[2 * w + 1] = brought(s, l, &l->ways.v[w], k);
    }
    ww_phi p = {l->phi[k], low_pool(F, pairs, 2 * l->ways.n), l->ways.n};
    ww_push(F->a, &F->blocks.v[l->block].phis, p);
  }
}

void ptx_end_flow(ptx_state *s, uint32_t outputs) {
  low_fn *F = s->F;
  if (!s->labels.n || F->fn.refusal)
    return;
  uint32_t first = s->labels.v[0]->block;
  for (uint32_t k = 0; k < s->labels.n; k++)
    if (!s->labels.v[k]->placed)
      low_refuse(F, "inline PTX: there is no label %.40s", s->labels.v[k]->name);
  /* constants are made now: marks have a place for each value */
  for (ww_type t = WW_I1; t < WW_NTYPES; t++)
    low_const(F, t, 0);
  bool *read = WW_NEWN(F->a, bool, F->vals.n + 1);
  mark_uses(F, first, read);
  for (uint32_t k = 0; k < outputs; k++)
    read[s->regs.v[k].v] = true;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = 0; k < s->labels.n; k++)
      more |= mark_brought(s, s->labels.v[k], read);
  }
  for (uint32_t k = 0; k < s->labels.n; k++)
    make_phis(s, s->labels.v[k], read);
}
