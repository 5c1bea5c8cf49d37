#include "ww_cuda.h" /* device_launch_parameters.h: all of it is in the prelude */
