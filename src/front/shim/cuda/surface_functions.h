#include "ww_cuda.h" /* surface_functions.h: all of it is in the prelude */
