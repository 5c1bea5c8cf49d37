#include "ww_cuda.h" /* builtin_types.h: all of it is in the prelude */
