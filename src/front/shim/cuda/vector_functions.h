#include "ww_cuda.h" /* vector_functions.h: all of it is in the prelude */
