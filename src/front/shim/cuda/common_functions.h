#include "ww_cuda.h" /* common_functions.h: all of it is in the prelude */
