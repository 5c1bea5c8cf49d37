#include "ww_cuda.h" /* sm_60_atomic_functions.h: all of it is in the prelude */
