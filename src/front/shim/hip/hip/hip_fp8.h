/* 8-bit floats under HIP's names. The arithmetic is ../../common/ww_fp8.h's OCP format; gfx90a has none of its own, so the
 * FNUZ names of later chips share it. */
#ifndef WW_HIP_FP8_H
#define WW_HIP_FP8_H
#include "hip_bf16.h"
#define __nv_bfloat16 __hip_bfloat16
#define __nv_bfloat162 __hip_bfloat162
#include "ww_fp8.h"
#undef __nv_bfloat16
#undef __nv_bfloat162

typedef __nv_fp8_storage_t __hip_fp8_storage_t;
typedef __nv_fp8x2_storage_t __hip_fp8x2_storage_t;
typedef __nv_fp8x4_storage_t __hip_fp8x4_storage_t;
typedef __nv_saturation_t __hip_saturation_t;
typedef __nv_fp8_interpretation_t __hip_fp8_interpretation_t;
#define __HIP_NOSAT __NV_NOSAT
#define __HIP_SATFINITE __NV_SATFINITE
#define __HIP_E4M3 __NV_E4M3
#define __HIP_E5M2 __NV_E5M2
#define __HIP_E4M3_FNUZ __NV_E4M3
#define __HIP_E5M2_FNUZ __NV_E5M2
typedef __nv_fp8_e4m3 __hip_fp8_e4m3, __hip_fp8_e4m3_fnuz;
typedef __nv_fp8_e5m2 __hip_fp8_e5m2, __hip_fp8_e5m2_fnuz;
typedef __nv_fp8x2_e4m3 __hip_fp8x2_e4m3, __hip_fp8x2_e4m3_fnuz;
typedef __nv_fp8x4_e4m3 __hip_fp8x4_e4m3, __hip_fp8x4_e4m3_fnuz;
typedef __nv_fp8x2_e5m2 __hip_fp8x2_e5m2, __hip_fp8x2_e5m2_fnuz;
typedef __nv_fp8x4_e5m2 __hip_fp8x4_e5m2, __hip_fp8x4_e5m2_fnuz;
WW_HOST_DEVICE __hip_fp8_storage_t __hip_cvt_float_to_fp8(float f, __hip_saturation_t sat, __hip_fp8_interpretation_t kind) { return __nv_cvt_float_to_fp8(f, sat, kind); }
WW_HOST_DEVICE __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t x, __hip_fp8_interpretation_t kind) { return __nv_cvt_fp8_to_halfraw(x, kind); }
#endif
