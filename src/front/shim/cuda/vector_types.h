#include "ww_cuda.h" /* vector_types.h: all of it is in the prelude */
