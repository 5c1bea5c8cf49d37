/* cuda_bf16.h: bfloat16 (common/ww_bf16.h), its warp shuffles, and conversions to half. */
#ifndef WW_CUDA_BF16_H
#define WW_CUDA_BF16_H
#include "ww_cuda.h"
#include <cuda_fp16.h>
#include "ww_bf16.h"
#define WW_H __nv_bfloat16
#define WW_H2 __nv_bfloat162
#include "ww_shfl16.h"

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#endif
