#include "ww_cuda.h" /* library_types.h: all of it is in the prelude */
