#include "ww_cuda.h" /* texture_types.h: all of it is in the prelude */
