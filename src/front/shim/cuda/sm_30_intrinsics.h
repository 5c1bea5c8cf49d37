#include "ww_cuda.h" /* sm_30_intrinsics.h: all of it is in the prelude */
