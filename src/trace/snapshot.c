/* snapshot.c - what one thread block did, put aside until it is known how many blocks it stands
 * for. */
#include "count_int.h"

#include <stdlib.h>

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
  ww_snapshot *s = ww_xcalloc(1, sizeof *s);
  size_t cells = c->base[c->m->nfns] * sizeof *s->cells;
  s->cells = ww_xmalloc(cells + 1);
  memcpy(s->cells, c->pend, cells);
  s->nslots = c->nslots;
  s->rows = ww_xmalloc(c->nslots * sizeof *s->rows + 1);
  for (uint32_t k = 0; k < c->nslots; k++)
    memcpy(s->rows[k], c->slots[k]->pend, sizeof *s->rows);
  s->ntouches = c->ntouches;
  s->touched = ww_xmalloc(c->ntouches * sizeof *s->touched + 1);
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

void ww_snapshot_free(ww_snapshot *s) {
  if (!s)
    return;
  free(s->cells);
  free(s->rows);
  free(s->touched);
  free(s);
}
