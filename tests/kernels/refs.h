/* refs.h - what each test kernel should leave in memory, computed on the host. */
#ifndef WW_REFS_H
#define WW_REFS_H

#include "../../src/report/launch.h"

#define REF_MAX 16

typedef struct {
  const ww_launch *launch;
  uint8_t *arg[REF_MAX];    /* by argument: where its pointer points, NULL for values */
  uint8_t *ptr[REF_MAX];    /* pointers inside by-value structs, in order over all arguments */
  uint8_t *symbol[REF_MAX]; /* by position in launch->symbols */
} ref_state;

typedef void (*ref_fn)(ref_state *r); /* turns initial contents into the expected final ones */

ref_fn ref_find(const char *name); /* NULL: none */
ref_fn ref_find_hopper(const char *name); /* refs_hopper.c: its part of them */

#endif
