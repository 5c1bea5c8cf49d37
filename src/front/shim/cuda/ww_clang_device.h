/* clang's own CUDA device headers, with the parts replaced that could not be executed.
 *
 * Three groups of clang's functions are inline PTX, which an interpreter of LLVM IR would have to parse:
 * SIMD-in-a-word (__vadd4 ...), funnel shifts, float2/float4 atomicAdd. They are renamed or redirected here;
 * ww_simd.h, ww_intrinsics.h and ww_atomic.h define them in C++. */
#ifndef WW_CLANG_DEVICE_H
#define WW_CLANG_DEVICE_H
#include "ww_vec.h"

/* As CUDA 9.1, clang's __vadd4(a, b) calls __nv_vadd4(a, b), a name ww_simd.h can define. */
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010
#define __trap __ww_asm_trap
#define __brkpt __ww_asm_brkpt
#include "ww_libdevice.h"
#include <__clang_cuda_device_functions.h>
#undef __trap
#undef __brkpt
#pragma pop_macro("CUDA_VERSION")

WW_D void __trap(void) { __builtin_trap(); }
WW_D void __brkpt(void) {}
WW_D void __brkpt(int) {}

/* clang has only min(int, int) and max(int, int), device side; ww_minmax.h has them all. */
#define min __ww_clang_min
#define max __ww_clang_max
#include <__clang_cuda_math.h>
#undef min
#undef max
#include <__clang_cuda_cmath.h>

/* threadIdx and its kin are special types; nvcc's are uint3 and dim3. */
#define WW_BUILTIN_VAR(T)                                                         \
  __device__ inline T::operator dim3() const { return dim3(x, y, z); }            \
  __device__ inline T::operator uint3() const { return uint3{x, y, z}; }
WW_BUILTIN_VAR(__cuda_builtin_threadIdx_t)
WW_BUILTIN_VAR(__cuda_builtin_blockIdx_t)
WW_BUILTIN_VAR(__cuda_builtin_blockDim_t)
WW_BUILTIN_VAR(__cuda_builtin_gridDim_t)
#undef WW_BUILTIN_VAR

/* What __clang_cuda_intrinsics.h expects from the SDK. */
WW_D unsigned int __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
WW_D unsigned int __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
WW_D unsigned int __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
WW_D unsigned int __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
WW_D unsigned int __isGridConstant(const void *) { return 0; }
WW_D size_t __cvta_generic_to_shared(const void *p) { return (size_t)(void __attribute__((address_space(3))) *)p; }
WW_D size_t __cvta_generic_to_global(const void *p) { return (size_t)(void __attribute__((address_space(1))) *)p; }
WW_D size_t __cvta_generic_to_constant(const void *p) { return (size_t)(void __attribute__((address_space(4))) *)p; }
WW_D size_t __cvta_generic_to_local(const void *p) { return (size_t)(void __attribute__((address_space(5))) *)p; }
WW_D void *__cvta_shared_to_generic(size_t p) { return (void *)(void __attribute__((address_space(3))) *)p; }
WW_D void *__cvta_global_to_generic(size_t p) { return (void *)(void __attribute__((address_space(1))) *)p; }

#define __funnelshift_l __ww_asm_funnelshift_l
#define __funnelshift_lc __ww_asm_funnelshift_lc
#define __funnelshift_r __ww_asm_funnelshift_r
#define __funnelshift_rc __ww_asm_funnelshift_rc
#define atomicAdd __ww_asm_atomicAdd
#define atomicAdd_block __ww_asm_atomicAdd_block
#define atomicAdd_system __ww_asm_atomicAdd_system
#include <__clang_cuda_intrinsics.h>
#undef __funnelshift_l
#undef __funnelshift_lc
#undef __funnelshift_r
#undef __funnelshift_rc
#undef atomicAdd
#undef atomicAdd_block
#undef atomicAdd_system

#include "ww_minmax.h"
#include <__clang_cuda_complex_builtins.h> /* complex multiply and divide; uses max */
#endif
