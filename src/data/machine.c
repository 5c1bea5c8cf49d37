/* machine.c - GPU descriptions by the names that rows have, each read once; a store
 * knows few. */
#include "machine.h"

ww_status
ww_machine_of(ww_machines *m, const char *gpu, const ww_gpu **out, ww_err *e) {
  *out = NULL;
  if (!gpu || !*gpu)
    return WW_OK;
  for (uint32_t k = 0; k < m->v.n; k++) {
    const ww_known_gpu *one = m->v.v[k];
    if (!strcmp(one->name, gpu)) {
      *out = one->known ? &one->gpu : NULL;
      return WW_OK;
    }
  }
  if (!m->arena)
    m->arena = ww_arena_new();
  ww_known_gpu *one = WW_NEW(m->arena, ww_known_gpu);
  one->name = ww_strdup(m->arena, gpu);
  ww_status st = ww_gpu_load(one->name, m->arena, &one->gpu, e);
  if (st && st != WW_EUSAGE)
    return st;
  one->known = !st;
  *out = one->known ? &one->gpu : NULL;
  if (st && e)
    *e = (ww_err){0};
  ww_push(m->arena, &m->v, one);
  return WW_OK;
}

void ww_machines_free(ww_machines *m) {
  ww_arena_free(m->arena);
  *m = (ww_machines){0};
}
