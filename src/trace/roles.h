/* roles.h - what a kernel does with the numbers it loads: which arguments hold indices, bounds, row
 * pointers, counters. */
#ifndef WW_ROLES_H
#define WW_ROLES_H

#include "../ir/ir.h"

typedef struct {
  uint8_t
      elem; /* ww_type of the elements accessed through the pointer, WW_VOID when none or mixed */
  bool loaded, stored;
  bool index;       /* integers loaded from it reach an address */
  uint64_t targets; /* parameters (bit p, p < 64) whose addresses they reach, or a counter's old
                       value does */
  uint32_t ahead;   /* bytes behind the element they name that are touched too: x[i + 1] */
  bool bound;       /* integers loaded from it end a loop */
  bool rows;        /* one of them starts a loop that another ends: row pointers */
  bool counter;     /* an atomic's old value reaches an address: a queue's tail, begins at zero */
} ww_role;

/* roles: one per parameter, zeroed. Looks at the kernel itself, device functions being inlined as a
 * rule. */
void ww_roles_find(const ww_fn *fn, ww_arena *a, ww_role *roles);

#endif
