/* curand_kernel.h: the device random number API; see common/ww_rng_*.h for what is exact and what is simplified. */
#ifndef WW_CURAND_KERNEL_H
#define WW_CURAND_KERNEL_H
#include "ww_cuda.h"
#include <curand.h>
#include "ww_rng_dist.h"
#endif
