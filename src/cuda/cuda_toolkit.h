/* cuda_toolkit.h - where the CUDA toolkit is: CUDA_HOME, CUDA_PATH, what the dynamic
 * linker knows, the usual folders. */
#ifndef WW_CUDA_TOOLKIT_H
#define WW_CUDA_TOOLKIT_H

#include "../base/base.h"

/* first toolkit folder that has the file `below`, or NULL */
const char *ww_cuda_root(ww_arena *a, const char *below);
/* Opens lib<name>.so ("cupti", "nvrtc") of the folder that the user names, else any the
 * linker finds, else of the usual folders; NULL: there is none. It stays open. */
void *ww_cuda_library(const char *name);

#endif
