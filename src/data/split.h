/* split.h - which family is for training, validation and test, fixed and published; and
 * how alike two kernels are. */
#ifndef WW_DATA_SPLIT_H
#define WW_DATA_SPLIT_H

#include "../ir/ir.h"
#include "store.h"

extern const char *const ww_split_names[WW_NSPLITS]; /* "train", "validation", "test" */
/* By the table split.def (families of the corpus, productions of the generator); a
 * family that is not in it by the hash of its name, an imported kernel by that of its
 * repository's or, where it stands in no folder, of its structure, 8:1:1. */
ww_split ww_split_of(const ww_store_kernel *k);
/* As others do it: launches of one kernel on all sides, 8:1:1. For comparison alone. */
ww_split ww_split_at_random(const ww_store_row *r);

typedef struct {
  const char *name;
  ww_split split;
} ww_split_family;
extern const ww_split_family ww_split_families[]; /* the table */
extern const uint32_t ww_nsplit_families;
bool ww_split_known(const char *family,
                    ww_split *out); /* whether it is in the table; out may be NULL */

/* structure.c: what a kernel does, as a sorted set of hashes of short paths through its
 * IR (operation, type, space, shape of the control flow; no names, constants or order
 * of independent instructions). */
typedef struct {
  uint64_t *v;
  uint32_t n;
} ww_structure;
void ww_structure_of(const ww_module *m,
                     const ww_fn *fn,
                     ww_arena *a,
                     ww_structure *out);
/* Jaccard index, 0..1 */
double ww_structure_alike(const ww_structure *a, const ww_structure *b);
uint64_t ww_structure_hash(const ww_structure *s);

#endif
