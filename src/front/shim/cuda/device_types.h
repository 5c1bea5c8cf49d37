#include "ww_cuda.h" /* device_types.h: all of it is in the prelude */
