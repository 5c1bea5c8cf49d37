/* machine.c - GPU descriptions by the names that rows have, each read once; a store knows few. */
#include "machine.h"

const ww_gpu *ww_machine_of(ww_machines *m, const char *gpu) {
  ww_err e;
  if (!gpu || !*gpu) return NULL;
  for (uint32_t k = 0; k < m->v.n; k++)
    if (!strcmp(m->v.v[k]->name, gpu)) return m->v.v[k]->known ? &m->v.v[k]->gpu : NULL;
  if (!m->arena) m->arena = ww_arena_new();
  ww_machine *one = WW_NEW(m->arena, ww_machine);
  one->name = ww_strdup(m->arena, gpu);
  one->known = ww_gpu_load(one->name, m->arena, &one->gpu, &e) == WW_OK;
  ww_push(m->arena, &m->v, one);
  return one->known ? &one->gpu : NULL;
}

void ww_machines_free(ww_machines *m) {
  ww_arena_free(m->arena);
  *m = (ww_machines){0};
}
