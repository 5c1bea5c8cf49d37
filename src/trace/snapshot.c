/* snapshot.c - what one thread block did, put aside until it is known how many blocks it stands
 * for. */
#include "count_int.h"

struct ww_snapshot {
  ww_cell *cells;           /* [base[nfns]] */
  ww_row (*rows)[WW_NCATS]; /* [nslots] */
  uint32_t nslots;
  ww_touched *touched; /* [ntouches] */
  uint32_t ntouches;
  double blocks;
  ww_depend_sums dep;
};

ww_snapshot *ww_counter_save(ww_counter *c) {
  ww_snapshot *s = WW_NEW(c->a, ww_snapshot);
  uint32_t cells = c->base[c->m->nfns];
  s->cells = WW_NEWN(c->a, ww_cell, cells);
  memcpy(s->cells, c->pend, cells * sizeof *s->cells);
  s->nslots = c->nslots;
  s->rows = ww_alloc(c->a, c->nslots * sizeof *s->rows);
  for (uint32_t k = 0; k < c->nslots; k++)
    memcpy(s->rows[k], c->slots[k]->pend, sizeof *s->rows);
  s->ntouches = c->ntouches;
  s->touched = WW_NEWN(c->a, ww_touched, c->ntouches);
  for (uint32_t k = 0; k < c->ntouches; k++)
    s->touched[k] = c->touches[k]->pend;
  s->blocks = c->pend_blocks;
  s->dep = c->pend_dep;
  ww_counter_commit(c, 0); /* the sectors it touched stay touched */
  return s;
}

void ww_counter_add(ww_counter *c, const ww_snapshot *s, double scale) {
  ww_counter_clear(c);
  memcpy(c->pend, s->cells, c->base[c->m->nfns] * sizeof *s->cells);
  for (uint32_t k = 0; k < s->nslots; k++)
    memcpy(c->slots[k]->pend, s->rows[k], sizeof *s->rows);
  for (uint32_t k = 0; k < s->ntouches; k++)
    c->touches[k]->pend = s->touched[k];
  c->pend_blocks = s->blocks;
  c->pend_dep = s->dep;
  ww_counter_commit(c, scale);
}
