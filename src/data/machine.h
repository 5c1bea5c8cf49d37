/* machine.h - how many SMs and how much L2 the GPU of a row has: from its description,
 * read once.
 */
#ifndef WW_DATA_MACHINE_H
#define WW_DATA_MACHINE_H

#include "../gpu/gpu.h"

typedef struct {
  const char *name;
  bool known;
  ww_gpu gpu;
} ww_known_gpu;

typedef struct {
  ww_arena *arena; /* NULL: nothing asked yet */
  WW_VEC(ww_known_gpu *) v;
} ww_machines;

/* *out is NULL where there is no description of that name; one that is there and cannot
 * be read is an error. */
ww_status ww_machine_of(ww_machines *m, const char *gpu, const ww_gpu **out, ww_err *e);
void ww_machines_free(ww_machines *m);

#endif
