#include "ww_cuda.h" /* sm_20_intrinsics.h: all of it is in the prelude */
