/* order.c - in which order the launches of a program ran.
 *
 * A recording has a line for each distinct launch and, where it was kept, at which
 * places of the program that one ran. Places that no line claims are skipped. */
#include "program.h"

#include <stdlib.h>

typedef struct {
  uint64_t at, n;
  uint32_t launch;
} piece;

static int by_place(const void *a, const void *b) {
  const piece *x = a;
  const piece *y = b;
  return x->at < y->at ? -1 : x->at > y->at ? 1 : x->launch < y->launch ? -1 : 1;
}

static void add_run(ww_program_runs *out, ww_arena *a, uint32_t launch, uint64_t n) {
  if (out->n && out->v[out->n - 1].launch == launch)
    out->v[out->n - 1].n += n;
  else if (n)
    ww_push(a, out, (ww_program_run){launch, n});
}

void ww_program_order(const ww_program *p, ww_arena *a, ww_program_runs *out) {
  WW_VEC(piece) pieces = {0};
  uint64_t end = 0;
  *out = (ww_program_runs){0};
  for (uint32_t k = 0; k < p->n; k++) {
    const ww_program_launch *l = &p->v[k];
    uint64_t left = l->count;
    for (uint32_t i = 0; i + 1 < l->nat && left; i += 2) {
      uint64_t n = l->at[i + 1] < left ? l->at[i + 1] : left;
      ww_push(a, &pieces, (piece){l->at[i], n, k});
      end = l->at[i] + n > end ? l->at[i] + n : end;
      left -= n;
    }
    if (left) /* not known: behind what is, in the order of the lines */
      ww_push(a, &pieces, (piece){l->nat ? UINT64_MAX : end, left, k});
  }
  if (pieces.n)
    qsort(pieces.v, pieces.n, sizeof *pieces.v, by_place);
  for (uint32_t k = 0; k < pieces.n; k++)
    add_run(out, a, pieces.v[k].launch, pieces.v[k].n);
}
