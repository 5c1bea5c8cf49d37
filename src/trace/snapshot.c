/* snapshot.c - what one thread block did, put aside until it is known how many blocks
 * it stands for. */
#include "count_int.h"

struct ww_snapshot {
  ww_cell *cells;           /* [ncells] */
  ww_row (*rows)[WW_NCATS]; /* [nslots] */
  uint32_t nslots;
  ww_touched *touched; /* [ntouches] */
  uint32_t ntouches;
  double blocks;
  ww_depend_sums dep;
};

ww_snapshot *ww_counter_save(ww_counter *c) {
  ww_snapshot *s = WW_NEW(c->a, ww_snapshot);
  s->cells = WW_NEWN(c->a, ww_cell, c->ncells);
  memcpy(s->cells, c->pend, c->ncells * sizeof *s->cells);
  s->nslots = c->slots.n;
  s->rows = ww_alloc(c->a, c->slots.n * sizeof *s->rows);
  for (uint32_t k = 0; k < c->slots.n; k++)
    memcpy(s->rows[k], c->slots.v[k]->pend, sizeof *s->rows);
  s->ntouches = c->touches.n;
  s->touched = WW_NEWN(c->a, ww_touched, c->touches.n);
  for (uint32_t k = 0; k < c->touches.n; k++)
    s->touched[k] = c->touches.v[k]->pend;
  s->blocks = c->pend_blocks;
  s->dep = c->pend_dep;
  ww_counter_commit(c, 0); /* the sectors it touched stay touched */
  return s;
}

void ww_counter_add(ww_counter *c, const ww_snapshot *s, double scale) {
  ww_counter_clear(c);
  memcpy(c->pend, s->cells, c->ncells * sizeof *s->cells);
  for (uint32_t k = 0; k < s->nslots; k++)
    memcpy(c->slots.v[k]->pend, s->rows[k], sizeof *s->rows);
  for (uint32_t k = 0; k < s->ntouches; k++)
    c->touches.v[k]->pend = s->touched[k];
  c->pend_blocks = s->blocks;
  c->pend_dep = s->dep;
  ww_counter_commit(c, scale);
}
