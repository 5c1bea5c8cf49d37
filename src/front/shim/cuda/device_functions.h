#include "ww_cuda.h" /* device_functions.h: all of it is in the prelude */
