#include "ww_cuda.h" /* surface_types.h: all of it is in the prelude */
