#include "ww_cuda.h" /* cudaProfiler.h: all of it is in the prelude */
