/* Keywords and macros that <hip/amd_detail/host_defines.h> adds to clang's own HIP keywords. */
#ifndef WW_HIP_KEYWORDS_H
#define WW_HIP_KEYWORDS_H

/* clang's wrapper defines __host__ ... __constant__. A managed variable is one device variable to us. */
#undef __managed__
#define __managed__ __attribute__((device))

#undef __noinline__ /* clang accepts __attribute__((__noinline__)), which libstdc++ uses */
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __hip_pinned_shadow__
#define __grid_constant__

#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(x) x
#define HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE
#define HIP_VERSION 60200000
#define HIPRT_CB
#define HIP_PUBLIC_API

/* Shorthand of these headers. */
#define WW_DEVICE static __device__ inline __attribute__((always_inline))
#define WW_HOST_DEVICE static __host__ __device__ inline __attribute__((always_inline))
#define WW_MEMBER __host__ __device__ __attribute__((always_inline))

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#endif
