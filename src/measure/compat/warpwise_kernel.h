/* warpwise_kernel.h - one kernel for CUDA, HIP and OpenCL C, where the three say the
 * same thing in other words.
 *
 * Only names are mapped: qualifiers, indices, barriers, 32-bit integer atomics. What
 * differs in meaning (warps, subgroups, textures, dynamic shared memory, the precision
 * of math functions) is not, so that a kernel that uses it is honestly a kernel of one
 * language. Kernels have C names, the same in all three. */
#ifndef WARPWISE_KERNEL_H
#define WARPWISE_KERNEL_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

#define KERNEL __kernel
#define DEVICE          /* a function that kernels call */
#define GLOBAL __global /* of a pointer */
#define LOCAL __local   /* of an array in a kernel: one per block */
#define RESTRICT restrict
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define LOCAL_ID(d) ((int)get_local_id(d))
#define LOCAL_SIZE(d) ((int)get_local_size(d))
#define GROUP_ID(d) ((int)get_group_id(d))
#define NUM_GROUPS(d) ((int)get_num_groups(d))
#define GLOBAL_ID(d) ((int)get_global_id(d))
#define GLOBAL_SIZE(d) ((int)get_global_size(d))
#define ATOMIC_ADD(p, v) atomic_add(p, v)
#define ATOMIC_MAX(p, v) atomic_max(p, v)

#else /* CUDA and HIP */

#ifdef __HIP__
#include <hip/hip_runtime.h>
#endif
#define KERNEL extern "C" __global__
#define DEVICE static __device__
#define GLOBAL
#define LOCAL __shared__
#define RESTRICT __restrict__
#define BARRIER() __syncthreads()
#define WARPWISE_DIM(v, d)                                   \
  ((int)((d) == 0   ? (v).x                                  \
         : (d) == 1 ? (v).y                                  \
                    : (v).z)) /* d is a constant: folds away \
                               */
#define LOCAL_ID(d) WARPWISE_DIM(threadIdx, d)
#define LOCAL_SIZE(d) WARPWISE_DIM(blockDim, d)
#define GROUP_ID(d) WARPWISE_DIM(blockIdx, d)
#define NUM_GROUPS(d) WARPWISE_DIM(gridDim, d)
#define GLOBAL_ID(d) (GROUP_ID(d) * LOCAL_SIZE(d) + LOCAL_ID(d))
#define GLOBAL_SIZE(d) (NUM_GROUPS(d) * LOCAL_SIZE(d))
#define ATOMIC_ADD(p, v) atomicAdd(p, v)
#define ATOMIC_MAX(p, v) atomicMax(p, v)

#endif
#endif
