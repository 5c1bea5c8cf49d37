#include "ww_cuda.h" /* cuda_runtime.h: all of it is in the prelude */
