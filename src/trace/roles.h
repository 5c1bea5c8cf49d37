/* roles.h - what a kernel does with the numbers it loads and is given: which arguments
 * hold indices, bounds, row pointers, counters, and which are sizes of what. */
#ifndef WW_ROLES_H
#define WW_ROLES_H

#include "../ir/ir.h"
#include "../report/assume.h"

typedef struct {
  /* ww_type of the elements accessed through the pointer, WW_VOID when none or mixed */
  uint8_t elem;
  bool loaded, stored;
  bool index;  /* integers loaded from it reach an address */
  bool scaled; /* some are multiplied first: they name rows */
  /* parameters (bit p, p < 64) whose addresses they reach, or a counter's old value
   * does */
  uint64_t targets;
  /* bytes behind the element they name that are touched too: x[i + 1] */
  uint32_t ahead;
  bool bound; /* integers loaded from it end a loop */
  bool rows;  /* one of them starts a loop that another ends: row pointers */
  /* an atomic's old value reaches an address: a queue's tail, begins at zero */
  bool counter;
  /* threads look at it again and again until it changes, or take it as a lock by
   * comparing with zero: it begins at zero */
  bool flag;
  uint8_t decides; /* WW_DECIDES_*: what its contents decide, numbers of any type */
  bool negative;   /* loaded integers are extended with their sign */
  /* where a thread looks next in it depends on what it found: as in a binary search */
  bool searched;
  bool sought; /* integers loaded from it are compared with those of a searched one */
  bool linked; /* an integer loaded from it tells where in it the next one is */
  bool equals; /* some comparisons are for equality */
  /* constants that integers loaded from it are compared with lie in [least, most];
   * none where least > most */
  int64_t least, most;
  uint64_t compared; /* parameters (bit p, p < 64) that they are compared with */
} ww_role;

/* roles: one per parameter, zeroed. Looks at the kernel itself, device functions being
 * inlined as a rule. */
void ww_roles_find(const ww_fn *fn, ww_arena *a, ww_role *roles);

/* Per value of the function: the parameter that an address points into, or -1, and the
 * parameters (bit p, p < 64) whose contents are part of the value. */
typedef struct {
  const int32_t *base;
  const uint64_t *holds;
} ww_origins;
ww_origins ww_origins_find(const ww_fn *fn, ww_arena *a);

/* May the kernel write to what this parameter points to? -1: to a symbol. */
bool ww_may_write(const ww_fn *fn, int32_t param, ww_arena *a);

/* guards.c: what a number that is a parameter ends. */
enum {
  WW_ENDS_GRID = 1, /* compared with what a block index is part of */
  WW_ENDS_BLOCK = 2 /* compared with an index inside a block alone */
};
/* ends: one per parameter, zeroed. */
void ww_guards_find(const ww_fn *fn, ww_arena *a, uint8_t *ends);

#endif
