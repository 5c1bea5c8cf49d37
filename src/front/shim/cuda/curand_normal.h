#include "curand_kernel.h" /* one header holds the device API */
