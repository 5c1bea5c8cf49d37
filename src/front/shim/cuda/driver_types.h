#include "ww_cuda.h" /* driver_types.h: all of it is in the prelude */
