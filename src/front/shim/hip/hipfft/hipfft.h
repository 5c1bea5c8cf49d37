/* hipFFT's host API. */
#ifndef WW_HIPFFT_H
#define WW_HIPFFT_H
#include <hip/hip_complex.h>

WW_HOST_HANDLE(hipfftHandle)
typedef enum hipfftResult_t { HIPFFT_SUCCESS, HIPFFT_INVALID_PLAN, HIPFFT_ALLOC_FAILED, HIPFFT_INVALID_TYPE, HIPFFT_INVALID_VALUE, HIPFFT_INTERNAL_ERROR, HIPFFT_EXEC_FAILED } hipfftResult_t, hipfftResult;
typedef enum hipfftType_t { HIPFFT_R2C = 0x2a, HIPFFT_C2R = 0x2c, HIPFFT_C2C = 0x29, HIPFFT_D2Z = 0x6a, HIPFFT_Z2D = 0x6c, HIPFFT_Z2Z = 0x69 } hipfftType_t, hipfftType;
typedef float2 hipfftComplex;
typedef double2 hipfftDoubleComplex;
typedef float hipfftReal;
typedef double hipfftDoubleReal;
#define HIPFFT_FORWARD -1
#define HIPFFT_BACKWARD 1
#define WW_FFT(name) WW_HOST_CALL(hipfftResult, hipfft##name)
WW_FFT(Create) WW_FFT(Destroy) WW_FFT(Plan1d) WW_FFT(Plan2d) WW_FFT(Plan3d) WW_FFT(PlanMany) WW_FFT(MakePlan1d) WW_FFT(MakePlan2d) WW_FFT(MakePlan3d) WW_FFT(MakePlanMany)
WW_FFT(ExecC2C) WW_FFT(ExecR2C) WW_FFT(ExecC2R) WW_FFT(ExecZ2Z) WW_FFT(ExecD2Z) WW_FFT(ExecZ2D) WW_FFT(SetStream) WW_FFT(SetAutoAllocation) WW_FFT(SetWorkArea) WW_FFT(GetSize) WW_FFT(EstimateMany)
#undef WW_FFT
#endif
