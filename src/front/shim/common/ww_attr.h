/* Function qualifiers shared by the CUDA and HIP shims.
 *
 * Everything in common/ is written with these five macros and so does not care which dialect it is
 * compiled as. The dialect's prelude (ww_cuda.h, or HIP's) has already defined __host__, __device__ ...
 * Device helpers are `static` and always inlined: what a kernel does not use never reaches its IR,
 * and what it does use is counted where it is called. */
#ifndef WW_ATTR_H
#define WW_ATTR_H

#define WW_D static __device__ __inline__ __attribute__((always_inline))            /* device function */
#define WW_HD static __host__ __device__ __inline__ __attribute__((always_inline))  /* both sides */
#define WW_MD __device__ __inline__ __attribute__((always_inline))                  /* device member */
#define WW_MHD __host__ __device__ __inline__ __attribute__((always_inline))        /* member, both sides */
#define WW_ALIGN(n) __attribute__((aligned(n)))

#endif
