/* bfloat16 under HIP's names; the types are those of ../../common/ww_bf16.h. */
#ifndef WW_HIP_BF16_H
#define WW_HIP_BF16_H
#include <hip/hip_fp16.h>
#define WW_BF16_NAME __hip_bfloat16
#define WW_BF162_NAME __hip_bfloat162
#include "ww_bf16.h"

typedef __hip_bfloat16 hip_bfloat16;
typedef __nv_bfloat16_raw __hip_bfloat16_raw;
typedef __nv_bfloat162_raw __hip_bfloat162_raw;
#define HIPRT_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define HIPRT_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define HIPRT_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define HIPRT_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define HIPRT_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#define HIPRT_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)

WW_SHUFFLES(__hip_bfloat16)
WW_SHUFFLES(__hip_bfloat162)
WW_DEVICE __hip_bfloat162 unsafeAtomicAdd(__hip_bfloat162 *p, __hip_bfloat162 v) { return atomicAdd(p, v); }
#endif
