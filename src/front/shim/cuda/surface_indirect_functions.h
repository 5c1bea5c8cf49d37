#include "ww_cuda.h" /* surface_indirect_functions.h: all of it is in the prelude */
