// An error in a header of one's own costs what it stands in, not the file.
#include "header_bad.h"

__global__ void uses_header(float *x) { x[threadIdx.x] = header_sound(x[threadIdx.x]); }
__global__ void uses_lost(float *x) { x[threadIdx.x] = header_lost(x[threadIdx.x]); }
