/* cuda_gl_interop.h: the calls are in ww_runtime_api.h, which needs no OpenGL types. */
#include "ww_cuda.h"
