#include "ww_cuda.h" /* math_functions.h: all of it is in the prelude */
