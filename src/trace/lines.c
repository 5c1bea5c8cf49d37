/* lines.c - the result by source line and by kernel argument, from the committed
 * tables.
 *
 * Instructions without a location appear in the totals only. */
#include "count_int.h"

#include <stdlib.h>

static void
add_ins(ww_line_counts *l, const ww_fn *fn, const ww_ins *i, const ww_cell *x) {
  ww_type type;
  l->warp_instructions += x->warps;
  l->thread_instructions += x->lanes;
  l->flops += x->lanes * ww_ins_flops(fn, i, &type);
  if (i->op == WW_OP_MMA || i->op == WW_OP_WGMMA)
    l->flops += x->warps * i->imm;
}

static void add_slot(ww_line_counts *l, const ww_row *r) {
  ww_row_add(&l->ld_requests, &r[WW_CAT_GLOBAL_LD]);
  ww_row_add(&l->st_requests, &r[WW_CAT_GLOBAL_ST]);
  ww_row_add(&l->ld_requests, &r[WW_CAT_BULK_LD]);
  ww_row_add(&l->st_requests, &r[WW_CAT_BULK_ST]);
  l->shared_requests += r[WW_CAT_SHARED_LD].requests + r[WW_CAT_SHARED_ST].requests;
  l->shared_passes += r[WW_CAT_SHARED_LD].units + r[WW_CAT_SHARED_ST].units;
  l->shared_ideal_passes += r[WW_CAT_SHARED_LD].extra + r[WW_CAT_SHARED_ST].extra;
  l->atomics += r[WW_CAT_ATOMIC].requests;
}

static int by_line(const void *a, const void *b) {
  const ww_line_counts *x = a, *y = b;
  if (x->file != y->file)
    return x->file < y->file ? -1 : 1;
  return x->line < y->line ? -1 : x->line > y->line;
}

/* Locations that name the same line become one. */
static uint32_t merge(ww_line_counts *l, uint32_t n) {
  uint32_t out = 0;
  qsort(l, n, sizeof *l, by_line);
  for (uint32_t k = 0; k < n; k++)
    if (out && !by_line(&l[out - 1], &l[k]))
      ww_add_doubles(&l[out - 1].warp_instructions, &l[k].warp_instructions,
                     sizeof *l - offsetof(ww_line_counts, warp_instructions), 1);
    else
      l[out++] = l[k];
  return out;
}

/* A line is counted at each call that leads to it, at any depth. */
static void add_calls(const ww_module *m,
                      const ww_line_counts *l,
                      uint32_t k,
                      ww_arena *a,
                      ww_tally *out) {
  const ww_loc *own = &m->locs[k];
  uint32_t first = out->ncalls;
  for (uint32_t at = own->caller; at; at = m->locs[at].caller) {
    const ww_loc *from = &m->locs[at];
    bool seen = from->file == own->file && from->line == own->line;
    for (uint32_t n = first; n < out->ncalls; n++)
      seen |= out->calls[n].from_file == from->file &&
              out->calls[n].from_line == from->line;
    if (seen)
      continue; /* itself: it counts once */
    out->calls = ww_grow(a, out->calls, out->ncalls * sizeof *out->calls,
                         (out->ncalls + 1) * sizeof *out->calls);
    out->calls[out->ncalls++] = (ww_call_counts){own->file, own->line, from->file,
                                                 from->line, l[k].warp_instructions};
  }
}

void ww_count_lines(const ww_counter *c, ww_arena *a, ww_tally *out) {
  const ww_module *m = c->m;
  ww_line_counts *l = WW_NEWN(a, ww_line_counts, m->nlocs + 1);
  uint32_t n = 0;
  for (uint32_t f = 0; f < m->nfns; f++)
    for (uint32_t b = 0; b < m->fns[f].nblocks; b++) {
      const ww_cell *x = &c->total[c->base[f] + b];
      const ww_block *bb = &m->fns[f].blocks[b];
      for (uint32_t k = 0; x->warps && k < bb->nins; k++)
        if (bb->ins[k].loc < m->nlocs)
          add_ins(&l[bb->ins[k].loc], &m->fns[f], &bb->ins[k], x);
    }
  for (uint32_t k = 0; k < c->slots.n; k++)
    if (c->slots.v[k]->ins->loc < m->nlocs)
      add_slot(&l[c->slots.v[k]->ins->loc], c->slots.v[k]->total);
  for (uint32_t k = 1; k < m->nlocs; k++) { /* 0 is unknown */
    if (!l[k].warp_instructions)
      continue;
    l[k].file = m->locs[k].file;
    l[k].line = m->locs[k].line;
    add_calls(m, l, k, a, out);
    l[n++] = l[k];
  }
  out->lines = l;
  out->nlines = merge(l, n);
}

/* ---- arguments ---- */

/* Arguments in order, then symbols, then the rest. */
static int by_arg(const void *a, const void *b) {
  const ww_arg_counts *x = a, *y = b;
  if ((x->arg < 0) != (y->arg < 0))
    return x->arg < 0 ? 1 : -1;
  if (x->arg != y->arg)
    return x->arg < y->arg ? -1 : 1;
  return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

void ww_count_args(const ww_counter *c, ww_arena *a, ww_tally *out) {
  out->args = WW_NEWN(a, ww_arg_counts, c->touches.n + 1);
  for (uint32_t k = 0; k < c->touches.n; k++) {
    const ww_touch *t = c->touches.v[k];
    const ww_touched *x = &t->total;
    if (x->lo >= x->hi)
      continue; /* only seen in what was cleared */
    const ww_region *r = t->region;
    ww_arg_counts *to = &out->args[out->nargs++];
    *to = (ww_arg_counts){.name = r->name ? ww_strdup(a, r->name) : "",
                          .arg = r->arg,
                          .symbol = r->symbol,
                          .atomics = x->atom.requests,
                          .lo = x->lo - r->origin,
                          .hi = x->hi - r->origin,
                          .unique_sectors = x->unique,
                          .block_sectors = t->most};
    ww_row_add(&to->ld_requests, &x->ld);
    ww_row_add(&to->st_requests, &x->st);
  }
  qsort(out->args, out->nargs, sizeof *out->args, by_arg);
}
