#include "ww_cuda.h" /* texture_fetch_functions.h: all of it is in the prelude */
