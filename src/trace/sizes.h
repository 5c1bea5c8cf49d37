/* sizes.h - the same launch, larger or smaller. */
#ifndef WW_SIZES_H
#define WW_SIZES_H

#include "../ir/ir.h"
#include "../report/launch.h"

/* Elements of a size of v for each of n blocks of b threads along an axis; 0: none. */
uint64_t ww_elements_per_block(uint64_t v, uint64_t n, uint64_t b);

/* A completed launch (inputs.h) with its sizes times f: arguments that end the grid's
 * work or that its blocks divide among them, the grid and the buffers that follow them.
 * `names` lists those arguments. False: none is known to be a size, or contents come
 * from a file. */
bool ww_launch_scale(const ww_fn *fn,
                     const ww_launch *l,
                     double f,
                     ww_arena *a,
                     ww_launch *out,
                     const char **names);

#endif
