/* The prelude: what nvcc gives every .cu file before its first line.
 *
 * The driver passes it with -include, usually as a precompiled header. It is a list of parts; the order
 * matters where a comment says so. Device functions follow one contract (../README.md): a body here,
 * an LLVM/NVVM intrinsic, a libdevice call __nv_*, or one of the few __ww_* externals. */
#ifndef WW_CUDA_H
#define WW_CUDA_H

#include "ww_macros.h"                          /* __global__ ..., CUDA_VERSION; before any C header */
#include <__clang_cuda_builtin_vars.h>          /* threadIdx, blockIdx, blockDim, gridDim, warpSize */
#include <__clang_cuda_math_forward_declares.h> /* device overloads; must precede <cmath> */
#include "ww_libc.h"                            /* <cmath>, <cstdlib>, <stdio.h> ... as nvcc includes */
#include "ww_vec.h"                             /* float4, dim3 */
#include "ww_clang_device.h"                    /* clang's own device math, intrinsics */
#include "ww_math_host.h"                       /* CUDA's extra math functions for host code */
#include "ww_intrinsics.h"                      /* warp and bit intrinsics that clang lacks */
#include "ww_simd.h"                            /* __vadd4 ...: SIMD within a word */
#include "ww_dpx.h"                             /* __viaddmax_s32 ...: dynamic programming */
#include "ww_atomic.h"                          /* atomicAdd ... */
#include "ww_runtime_types.h"                   /* cudaError_t, cudaDeviceProp ... */
#ifdef WW_EMULATE
#include "ww_runtime_full.h"                    /* cudaMalloc ... for host code that will run */
#else
#include "ww_runtime_api.h"                     /* cudaMalloc ... */
#endif
#include "ww_texture.h"                         /* tex2D, surf2Dread ... */
#ifndef WW_NO_TEXTURE_REFERENCES                /* for a program that has its own `texture` or `surface` */
#include "ww_texture_ref.h"
#endif

#endif
