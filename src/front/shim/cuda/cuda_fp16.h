/* cuda_fp16.h: half precision (common/ww_half.h) and its warp shuffles. */
#ifndef WW_CUDA_FP16_H
#define WW_CUDA_FP16_H
#include "ww_cuda.h"
#include "ww_half.h"
#define WW_H __half
#define WW_H2 __half2
#include "ww_shfl16.h"

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#endif
