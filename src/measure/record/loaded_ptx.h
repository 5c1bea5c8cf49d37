/* loaded_ptx.h - PTX that a recorded program gave the driver: by itself or inside a fat
 * binary. */
#ifndef WW_RECORD_LOADED_PTX_H
#define WW_RECORD_LOADED_PTX_H

#include "../../base/base.h"

/* What a program hands to cuModuleLoadData and its kin, just before it is loaded; what
 * has no PTX is passed over. Calls nothing of the driver. */
void ww_loaded_ptx_add(const void *image);
/* The newest text with this kernel, which stays for good; NULL: none. */
const char *ww_loaded_ptx_of(const char *kernel, size_t *n);

#endif
