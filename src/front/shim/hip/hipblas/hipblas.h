/* hipBLAS's host API, and hipBLAS's types that rocBLAS and hipBLASLt share. */
#ifndef WW_HIPBLAS_H
#define WW_HIPBLAS_H
#include <ww_hip.h>
#include <hip/hip_fp16.h>
#include <hip/hip_bf16.h>
#include <hip/hip_complex.h>

WW_HOST_HANDLE(hipblasHandle_t)
typedef enum hipblasStatus_t {
  HIPBLAS_STATUS_SUCCESS, HIPBLAS_STATUS_NOT_INITIALIZED, HIPBLAS_STATUS_ALLOC_FAILED, HIPBLAS_STATUS_INVALID_VALUE, HIPBLAS_STATUS_MAPPING_ERROR,
  HIPBLAS_STATUS_EXECUTION_FAILED, HIPBLAS_STATUS_INTERNAL_ERROR, HIPBLAS_STATUS_NOT_SUPPORTED, HIPBLAS_STATUS_ARCH_MISMATCH, HIPBLAS_STATUS_HANDLE_IS_NULLPTR,
  HIPBLAS_STATUS_INVALID_ENUM, HIPBLAS_STATUS_UNKNOWN
} hipblasStatus_t;
typedef enum { HIPBLAS_OP_N = 111, HIPBLAS_OP_T = 112, HIPBLAS_OP_C = 113 } hipblasOperation_t;
typedef enum { HIPBLAS_POINTER_MODE_HOST, HIPBLAS_POINTER_MODE_DEVICE } hipblasPointerMode_t;
typedef enum { HIPBLAS_FILL_MODE_UPPER = 121, HIPBLAS_FILL_MODE_LOWER = 122, HIPBLAS_FILL_MODE_FULL = 123 } hipblasFillMode_t;
typedef enum { HIPBLAS_DIAG_NON_UNIT = 131, HIPBLAS_DIAG_UNIT = 132 } hipblasDiagType_t;
typedef enum { HIPBLAS_SIDE_LEFT = 141, HIPBLAS_SIDE_RIGHT = 142, HIPBLAS_SIDE_BOTH = 143 } hipblasSideMode_t;
typedef enum { HIPBLAS_ATOMICS_NOT_ALLOWED, HIPBLAS_ATOMICS_ALLOWED } hipblasAtomicsMode_t;
typedef enum { HIPBLAS_GEMM_DEFAULT = 160 } hipblasGemmAlgo_t;
typedef enum { HIPBLAS_DEFAULT_MATH, HIPBLAS_XF32_XDL_MATH, HIPBLAS_PEDANTIC_MATH, HIPBLAS_TF32_TENSOR_OP_MATH, HIPBLAS_TENSOR_OP_MATH } hipblasMath_t;
typedef enum {
  HIPBLAS_COMPUTE_16F, HIPBLAS_COMPUTE_16F_PEDANTIC, HIPBLAS_COMPUTE_32F, HIPBLAS_COMPUTE_32F_PEDANTIC, HIPBLAS_COMPUTE_32F_FAST_16F,
  HIPBLAS_COMPUTE_32F_FAST_16BF, HIPBLAS_COMPUTE_32F_FAST_TF32, HIPBLAS_COMPUTE_64F, HIPBLAS_COMPUTE_64F_PEDANTIC, HIPBLAS_COMPUTE_32I, HIPBLAS_COMPUTE_32I_PEDANTIC
} hipblasComputeType_t;
typedef hipDataType hipblasDatatype_t;
#define HIPBLAS_R_16F HIP_R_16F
#define HIPBLAS_R_32F HIP_R_32F
#define HIPBLAS_R_64F HIP_R_64F
#define HIPBLAS_C_32F HIP_C_32F
#define HIPBLAS_C_64F HIP_C_64F
#define HIPBLAS_R_8I HIP_R_8I
#define HIPBLAS_R_8U HIP_R_8U
#define HIPBLAS_R_32I HIP_R_32I
#define HIPBLAS_R_32U HIP_R_32U
#define HIPBLAS_R_16B HIP_R_16BF
#define HIPBLAS_C_16B HIP_C_16BF
typedef unsigned short hipblasHalf;
typedef signed char hipblasInt8;
typedef float2 hipblasComplex;
typedef double2 hipblasDoubleComplex;
typedef __hip_bfloat16 hipblasBfloat16;
typedef long hipblasStride;

const char *hipblasStatusToString(hipblasStatus_t);

#define WW_BLAS(name) WW_HOST_CALL(hipblasStatus_t, name)
/* One routine in the four precisions, plain, batched and strided, with 32- and 64-bit sizes. */
#define WW_BLAS_FORMS(name) \
  WW_BLAS(name) WW_BLAS(name##_64) WW_BLAS(name##Batched) WW_BLAS(name##Batched_64) WW_BLAS(name##StridedBatched) WW_BLAS(name##StridedBatched_64)
#define WW_BLAS_SDCZ(routine) WW_BLAS_FORMS(hipblasS##routine) WW_BLAS_FORMS(hipblasD##routine) WW_BLAS_FORMS(hipblasC##routine) WW_BLAS_FORMS(hipblasZ##routine)
WW_BLAS(hipblasCreate) WW_BLAS(hipblasDestroy) WW_BLAS(hipblasSetStream) WW_BLAS(hipblasGetStream) WW_BLAS(hipblasSetPointerMode) WW_BLAS(hipblasGetPointerMode)
WW_BLAS(hipblasSetMathMode) WW_BLAS(hipblasGetMathMode) WW_BLAS(hipblasSetAtomicsMode) WW_BLAS(hipblasSetVector) WW_BLAS(hipblasGetVector) WW_BLAS(hipblasSetMatrix)
WW_BLAS(hipblasGetMatrix) WW_BLAS(hipblasSetVectorAsync) WW_BLAS(hipblasGetVectorAsync) WW_BLAS(hipblasSetMatrixAsync) WW_BLAS(hipblasGetMatrixAsync) WW_BLAS(hipblasSetWorkspace)
WW_BLAS_SDCZ(axpy) WW_BLAS_SDCZ(copy) WW_BLAS_SDCZ(scal) WW_BLAS_SDCZ(swap) WW_BLAS_SDCZ(dot) WW_BLAS_SDCZ(dotu) WW_BLAS_SDCZ(dotc) WW_BLAS_SDCZ(nrm2) WW_BLAS_SDCZ(asum)
WW_BLAS_SDCZ(rot) WW_BLAS_SDCZ(rotg) WW_BLAS_SDCZ(gemv) WW_BLAS_SDCZ(ger) WW_BLAS_SDCZ(geru) WW_BLAS_SDCZ(gerc) WW_BLAS_SDCZ(symv) WW_BLAS_SDCZ(syr) WW_BLAS_SDCZ(trsv) WW_BLAS_SDCZ(trmv)
WW_BLAS_SDCZ(gemm) WW_BLAS_SDCZ(symm) WW_BLAS_SDCZ(syrk) WW_BLAS_SDCZ(herk) WW_BLAS_SDCZ(trsm) WW_BLAS_SDCZ(trmm) WW_BLAS_SDCZ(geam) WW_BLAS_SDCZ(dgmm)
WW_BLAS_SDCZ(getrf) WW_BLAS_SDCZ(getrs) WW_BLAS_SDCZ(getri) WW_BLAS_SDCZ(geqrf) WW_BLAS_SDCZ(gels)
WW_BLAS_FORMS(hipblasIsamax) WW_BLAS_FORMS(hipblasIdamax) WW_BLAS_FORMS(hipblasIcamax) WW_BLAS_FORMS(hipblasIzamax) WW_BLAS_FORMS(hipblasIsamin) WW_BLAS_FORMS(hipblasIdamin)
WW_BLAS_FORMS(hipblasScnrm2) WW_BLAS_FORMS(hipblasDznrm2) WW_BLAS_FORMS(hipblasScasum) WW_BLAS_FORMS(hipblasDzasum) WW_BLAS_FORMS(hipblasHgemm)
WW_BLAS(hipblasGemmEx) WW_BLAS(hipblasGemmEx_64) WW_BLAS(hipblasGemmBatchedEx) WW_BLAS(hipblasGemmStridedBatchedEx) WW_BLAS(hipblasAxpyEx) WW_BLAS(hipblasDotEx)
WW_BLAS(hipblasDotEx_64) WW_BLAS(hipblasDotcEx) WW_BLAS(hipblasScalEx) WW_BLAS(hipblasNrm2Ex) WW_BLAS(hipblasTrsmEx)
#undef WW_BLAS_SDCZ
#undef WW_BLAS_FORMS
#undef WW_BLAS
#endif
