#include "ww_cuda.h" /* cuda_profiler_api.h: all of it is in the prelude */
