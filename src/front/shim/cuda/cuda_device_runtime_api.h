#include "ww_cuda.h" /* cuda_device_runtime_api.h: all of it is in the prelude */
