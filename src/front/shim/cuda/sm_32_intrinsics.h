#include "ww_cuda.h" /* sm_32_intrinsics.h: all of it is in the prelude */
