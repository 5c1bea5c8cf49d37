/* opencl_source.h - an OpenCL source with the headers it includes, as one text. */
#ifndef WW_OPENCL_SOURCE_H
#define WW_OPENCL_SOURCE_H

#include "../base/base.h"

ww_status ww_opencl_source(const char *path, const char *const *flags, uint32_t nflags, ww_arena *a,
                           const char **text, ww_err *e);

#endif
