/* kept.h - IR of sources that were read before, where WARPWISE_IR names a folder for
 * it. */
#ifndef WW_FRONT_KEPT_H
#define WW_FRONT_KEPT_H

#include "front.h"

/* false: not there */
bool ww_kept_read(const ww_front_options *o, ww_arena *a, ww_unit *out);
void ww_kept_write(const ww_front_options *o, const ww_unit *u, ww_arena *a);

#endif
