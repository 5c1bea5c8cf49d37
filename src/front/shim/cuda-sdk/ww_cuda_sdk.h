/* Prelude for compiling with the toolkit's own headers: what clang-19's runtime wrapper leaves out of CUDA 13.
 *
 * nvcc has these C headers in every file; `cudaConfigureCall` is what clang calls for a launch when it does not know
 * the toolkit's version; the removed runtime names keep older programs parsing. */
#ifndef WW_CUDA_SDK_H
#define WW_CUDA_SDK_H
#include "ww_lenient.h"
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#undef __managed__
#define __managed__ __attribute__((device)) /* clang has managed variables for HIP only */

extern "C" cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);

#define WW_MINMAX_SIDE static __host__ inline
#include "../cuda/ww_minmax.h" /* in host code too, as with nvcc */
#include "../cuda/ww_nv_atomic.h" /* builtins of nvcc */

/* ---- removed in CUDA 13 ---- */
inline cudaError_t cudaThreadSynchronize(void) { return cudaSuccess; }
inline cudaError_t cudaThreadExit(void) { return cudaSuccess; }
#endif
