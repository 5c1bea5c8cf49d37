/* Half precision; the types are those of ../../common/ww_half.h. */
#ifndef WW_HIP_FP16_H
#define WW_HIP_FP16_H
#include "../ww_hip.h"
#define WW_VEC_NO_TYPES
#include "ww_half.h"

#define HIPRT_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define HIPRT_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define HIPRT_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define HIPRT_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define HIPRT_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define HIPRT_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#define HIPRT_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)

WW_SHUFFLES(__half)
WW_SHUFFLES(__half2)
WW_DEVICE __half2 unsafeAtomicAdd(__half2 *p, __half2 v) { return atomicAdd(p, v); }
WW_DEVICE __half unsafeAtomicAdd(__half *p, __half v) { return atomicAdd(p, v); }
#endif
