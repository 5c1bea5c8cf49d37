/* cufft.h: names for host code to type-check; `f(...)` accepts every call and nothing is run. */
#ifndef WW_CUFFT_H
#define WW_CUFFT_H
#include "ww_cuda.h"
#include <cuComplex.h>
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
typedef int cufftHandle;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
enum cufftResult {
  CUFFT_SUCCESS = 0x0, CUFFT_INVALID_PLAN = 0x1, CUFFT_ALLOC_FAILED = 0x2, CUFFT_INVALID_TYPE = 0x3,
  CUFFT_INVALID_VALUE = 0x4, CUFFT_INTERNAL_ERROR = 0x5, CUFFT_EXEC_FAILED = 0x6, CUFFT_SETUP_FAILED = 0x7,
  CUFFT_INVALID_SIZE = 0x8, CUFFT_UNALIGNED_DATA = 0x9, CUFFT_INVALID_DEVICE = 0xB, CUFFT_NO_WORKSPACE = 0xD,
  CUFFT_NOT_IMPLEMENTED = 0xE, CUFFT_NOT_SUPPORTED = 0x10, CUFFT_MISSING_DEPENDENCY = 0x11,
  CUFFT_NVRTC_FAILURE = 0x12, CUFFT_NVJITLINK_FAILURE = 0x13, CUFFT_NVSHMEM_FAILURE = 0x14
};
typedef cufftResult cufftResult_t;
enum cufftType {
  CUFFT_R2C = 0x2a, CUFFT_C2R = 0x2c, CUFFT_C2C = 0x29, CUFFT_D2Z = 0x6a, CUFFT_Z2D = 0x6c, CUFFT_Z2Z = 0x69
};
typedef cufftType cufftType_t;
enum cufftCompatibility {
  CUFFT_COMPATIBILITY_FFTW_PADDING = 0x01
};
typedef cufftCompatibility cufftCompatibility_t;
enum cufftProperty {
  NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT = 0x1, NVFFT_PLAN_PROPERTY_INT64_MAX_NUM_HOST_THREADS = 0x2
};
typedef cufftProperty cufftProperty_t;
enum cufftXtSubFormat {
  CUFFT_XT_FORMAT_INPUT = 0x00, CUFFT_XT_FORMAT_OUTPUT = 0x01, CUFFT_XT_FORMAT_INPLACE = 0x02,
  CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 0x03, CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 0x04,
  CUFFT_XT_FORMAT_DISTRIBUTED_INPUT = 0x05, CUFFT_XT_FORMAT_DISTRIBUTED_OUTPUT = 0x06, CUFFT_FORMAT_UNDEFINED = 0x07
};
typedef cufftXtSubFormat cufftXtSubFormat_t;
enum cufftXtCopyType {
  CUFFT_COPY_HOST_TO_DEVICE = 0x00, CUFFT_COPY_DEVICE_TO_HOST = 0x01, CUFFT_COPY_DEVICE_TO_DEVICE = 0x02,
  CUFFT_COPY_UNDEFINED = 0x03
};
typedef cufftXtCopyType cufftXtCopyType_t;
enum cufftXtQueryType {
  CUFFT_QUERY_1D_FACTORS = 0x00, CUFFT_QUERY_UNDEFINED = 0x01
};
typedef cufftXtQueryType cufftXtQueryType_t;
enum cufftXtWorkAreaPolicy {
  CUFFT_WORKAREA_MINIMAL = 0, CUFFT_WORKAREA_USER = 1, CUFFT_WORKAREA_PERFORMANCE = 2
};
typedef cufftXtWorkAreaPolicy cufftXtWorkAreaPolicy_t;
enum cufftXtCallbackType {
  CUFFT_CB_LD_COMPLEX = 0x0, CUFFT_CB_LD_COMPLEX_DOUBLE = 0x1, CUFFT_CB_LD_REAL = 0x2, CUFFT_CB_LD_REAL_DOUBLE = 0x3,
  CUFFT_CB_ST_COMPLEX = 0x4, CUFFT_CB_ST_COMPLEX_DOUBLE = 0x5, CUFFT_CB_ST_REAL = 0x6, CUFFT_CB_ST_REAL_DOUBLE = 0x7,
  CUFFT_CB_UNDEFINED = 0x8
};
typedef cufftXtCallbackType cufftXtCallbackType_t;
extern "C" cufftResult
    cufftCreate(...), cufftDestroy(...), cufftEstimate1d(...), cufftEstimate2d(...), cufftEstimate3d(...),
    cufftEstimateMany(...), cufftExecC2C(...), cufftExecC2R(...), cufftExecD2Z(...), cufftExecR2C(...),
    cufftExecZ2D(...), cufftExecZ2Z(...), cufftGetPlanPropertyInt64(...), cufftGetProperty(...), cufftGetSize(...),
    cufftGetSize1d(...), cufftGetSize2d(...), cufftGetSize3d(...), cufftGetSizeMany(...), cufftGetSizeMany64(...),
    cufftGetVersion(...), cufftMakePlan1d(...), cufftMakePlan2d(...), cufftMakePlan3d(...), cufftMakePlanMany(...),
    cufftMakePlanMany64(...), cufftPlan1d(...), cufftPlan2d(...), cufftPlan3d(...), cufftPlanMany(...),
    cufftResetPlanProperty(...), cufftSetAutoAllocation(...), cufftSetPlanPropertyInt64(...), cufftSetStream(...),
    cufftSetWorkArea(...), cufftXtClearCallback(...), cufftXtExec(...), cufftXtExecDescriptor(...),
    cufftXtExecDescriptorC2C(...), cufftXtExecDescriptorC2R(...), cufftXtExecDescriptorD2Z(...),
    cufftXtExecDescriptorR2C(...), cufftXtExecDescriptorZ2D(...), cufftXtExecDescriptorZ2Z(...), cufftXtFree(...),
    cufftXtGetSizeMany(...), cufftXtMakePlanMany(...), cufftXtMalloc(...), cufftXtMemcpy(...), cufftXtQueryPlan(...),
    cufftXtSetCallback(...), cufftXtSetCallbackSharedSize(...), cufftXtSetGPUs(...), cufftXtSetJITCallback(...),
    cufftXtSetWorkArea(...), cufftXtSetWorkAreaPolicy(...);
#endif
