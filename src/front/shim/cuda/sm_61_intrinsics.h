#include "ww_cuda.h" /* sm_61_intrinsics.h: all of it is in the prelude */
