#include "ww_cuda.h" /* host_config.h: all of it is in the prelude */
