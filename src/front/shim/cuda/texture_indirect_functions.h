#include "ww_cuda.h" /* texture_indirect_functions.h: all of it is in the prelude */
