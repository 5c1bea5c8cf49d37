#include "ww_cuda.h" /* host_defines.h: all of it is in the prelude */
