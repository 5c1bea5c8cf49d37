#include "ww_cuda.h" /* sm_35_intrinsics.h: all of it is in the prelude */
