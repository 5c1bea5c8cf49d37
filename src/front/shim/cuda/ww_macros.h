/* Keywords and version macros of the dialect.
 *
 * `__noinline__` is deliberately absent: clang has it as a keyword in CUDA mode, and as a macro it would
 * break libstdc++'s __attribute__((__noinline__)). */
#ifndef WW_MACROS_H
#define WW_MACROS_H

/* 12.8: the last release line that still has the APIs which CUDA 13 removed, so both old and new code parse. */
#define CUDA_VERSION 12080
#define CUDART_VERSION 12080
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 0
#define __CUDA_API_VERSION 12080
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define __CUDART_API_VERSION CUDART_VERSION
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
/* The guards of the headers that nvcc includes by itself: samples' helper_cuda.h and its copies ask for them. */
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device)) /* one address space: a device variable is right */
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
#define __cluster_dims__(...) __attribute__((annotate("cluster_dims", __VA_ARGS__)))
#define __block_size__(...)
#define __grid_constant__
#define __nv_pure__ __attribute__((pure))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __specialization_static static
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB
#define CUDART_DEVICE __device__
#define __dv(v) = v

#include "ww_lenient.h"
#endif
