/* cublas_v2.h: names for host code to type-check; `f(...)` accepts every call and nothing is run. */
#ifndef WW_CUBLAS_V2_H
#define WW_CUBLAS_V2_H
#include "ww_cuda.h"
#include "cuComplex.h"
#include "cuda_fp16.h"
#include "cuda_bf16.h"
#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 8
#define CUBLAS_VERSION 120800
typedef cudaDataType cublasDataType_t;
typedef void (*cublasLogCallback)(const char *);
typedef struct cublasContext *cublasHandle_t;
enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1, CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7, CUBLAS_STATUS_ARCH_MISMATCH = 8, CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13, CUBLAS_STATUS_INTERNAL_ERROR = 14, CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
};
enum cublasFillMode_t {
  CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2
};
enum cublasDiagType_t {
  CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1
};
enum cublasSideMode_t {
  CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1
};
enum cublasOperation_t {
  CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2, CUBLAS_OP_HERMITAN = 2, CUBLAS_OP_CONJG = 3
};
enum cublasPointerMode_t {
  CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1
};
enum cublasAtomicsMode_t {
  CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1
};
enum cublasGemmAlgo_t {
  CUBLAS_GEMM_DFALT = -1, CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_ALGO0 = 0, CUBLAS_GEMM_ALGO1 = 1,
  CUBLAS_GEMM_ALGO2 = 2, CUBLAS_GEMM_ALGO3 = 3, CUBLAS_GEMM_ALGO4 = 4, CUBLAS_GEMM_ALGO5 = 5, CUBLAS_GEMM_ALGO6 = 6,
  CUBLAS_GEMM_ALGO7 = 7, CUBLAS_GEMM_ALGO8 = 8, CUBLAS_GEMM_ALGO9 = 9, CUBLAS_GEMM_ALGO10 = 10,
  CUBLAS_GEMM_ALGO11 = 11, CUBLAS_GEMM_ALGO12 = 12, CUBLAS_GEMM_ALGO13 = 13, CUBLAS_GEMM_ALGO14 = 14,
  CUBLAS_GEMM_ALGO15 = 15, CUBLAS_GEMM_ALGO16 = 16, CUBLAS_GEMM_ALGO17 = 17, CUBLAS_GEMM_ALGO18 = 18,
  CUBLAS_GEMM_ALGO19 = 19, CUBLAS_GEMM_ALGO20 = 20, CUBLAS_GEMM_ALGO21 = 21, CUBLAS_GEMM_ALGO22 = 22,
  CUBLAS_GEMM_ALGO23 = 23, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99, CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100, CUBLAS_GEMM_ALGO1_TENSOR_OP = 101, CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
  CUBLAS_GEMM_ALGO3_TENSOR_OP = 103, CUBLAS_GEMM_ALGO4_TENSOR_OP = 104, CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
  CUBLAS_GEMM_ALGO6_TENSOR_OP = 106, CUBLAS_GEMM_ALGO7_TENSOR_OP = 107, CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
  CUBLAS_GEMM_ALGO9_TENSOR_OP = 109, CUBLAS_GEMM_ALGO10_TENSOR_OP = 110, CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
  CUBLAS_GEMM_ALGO12_TENSOR_OP = 112, CUBLAS_GEMM_ALGO13_TENSOR_OP = 113, CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
  CUBLAS_GEMM_ALGO15_TENSOR_OP = 115, CUBLAS_GEMM_AUTOTUNE = 999
};
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0, CUBLAS_TENSOR_OP_MATH = 1, CUBLAS_PEDANTIC_MATH = 2, CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_FP32_EMULATED_BF16X9_MATH = 4, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
};
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64, CUBLAS_COMPUTE_16F_PEDANTIC = 65, CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69, CUBLAS_COMPUTE_32F_FAST_16F = 74, CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77, CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78, CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79, CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73
};
enum cublasEmulationStrategy_t {
  CUBLAS_EMULATION_STRATEGY_DEFAULT = 0, CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
  CUBLAS_EMULATION_STRATEGY_EAGER = 2
};
extern "C" const char *cublasGetStatusName(...), *cublasGetStatusString(...);
extern "C" cublasStatus_t
    cublasAsumEx(...), cublasAxpyEx(...), cublasCaxpy(...), cublasCaxpy_v2(...), cublasCcopy(...),
    cublasCcopy_v2(...), cublasCdgmm(...), cublasCdotc(...), cublasCdotc_v2(...), cublasCdotu(...),
    cublasCdotu_v2(...), cublasCgbmv(...), cublasCgbmv_v2(...), cublasCgeam(...), cublasCgelsBatched(...),
    cublasCgemm(...), cublasCgemm3m(...), cublasCgemm3mBatched(...), cublasCgemm3mEx(...),
    cublasCgemm3mStridedBatched(...), cublasCgemmBatched(...), cublasCgemmEx(...), cublasCgemmStridedBatched(...),
    cublasCgemm_v2(...), cublasCgemv(...), cublasCgemvBatched(...), cublasCgemvStridedBatched(...),
    cublasCgemv_v2(...), cublasCgeqrfBatched(...), cublasCgerc(...), cublasCgerc_v2(...), cublasCgeru(...),
    cublasCgeru_v2(...), cublasCgetrfBatched(...), cublasCgetriBatched(...), cublasCgetrsBatched(...),
    cublasChbmv(...), cublasChbmv_v2(...), cublasChemm(...), cublasChemm_v2(...), cublasChemv(...),
    cublasChemv_v2(...), cublasCher(...), cublasCher2(...), cublasCher2_v2(...), cublasCher2k(...),
    cublasCher2k_v2(...), cublasCher_v2(...), cublasCherk(...), cublasCherk3mEx(...), cublasCherkEx(...),
    cublasCherk_v2(...), cublasCherkx(...), cublasChpmv(...), cublasChpmv_v2(...), cublasChpr(...), cublasChpr2(...),
    cublasChpr2_v2(...), cublasChpr_v2(...), cublasCmatinvBatched(...), cublasCopyEx(...), cublasCreate(...),
    cublasCreate_v2(...), cublasCrot(...), cublasCrot_v2(...), cublasCrotg(...), cublasCrotg_v2(...),
    cublasCscal(...), cublasCscal_v2(...), cublasCsrot(...), cublasCsrot_v2(...), cublasCsscal(...),
    cublasCsscal_v2(...), cublasCswap(...), cublasCswap_v2(...), cublasCsymm(...), cublasCsymm_v2(...),
    cublasCsymv(...), cublasCsymv_v2(...), cublasCsyr(...), cublasCsyr2(...), cublasCsyr2_v2(...), cublasCsyr2k(...),
    cublasCsyr2k_v2(...), cublasCsyr_v2(...), cublasCsyrk(...), cublasCsyrk3mEx(...), cublasCsyrkEx(...),
    cublasCsyrk_v2(...), cublasCsyrkx(...), cublasCtbmv(...), cublasCtbmv_v2(...), cublasCtbsv(...),
    cublasCtbsv_v2(...), cublasCtpmv(...), cublasCtpmv_v2(...), cublasCtpsv(...), cublasCtpsv_v2(...),
    cublasCtpttr(...), cublasCtrmm(...), cublasCtrmm_v2(...), cublasCtrmv(...), cublasCtrmv_v2(...),
    cublasCtrsm(...), cublasCtrsmBatched(...), cublasCtrsm_v2(...), cublasCtrsv(...), cublasCtrsv_v2(...),
    cublasCtrttp(...), cublasDasum(...), cublasDasum_v2(...), cublasDaxpy(...), cublasDaxpy_v2(...),
    cublasDcopy(...), cublasDcopy_v2(...), cublasDdgmm(...), cublasDdot(...), cublasDdot_v2(...), cublasDestroy(...),
    cublasDestroy_v2(...), cublasDgbmv(...), cublasDgbmv_v2(...), cublasDgeam(...), cublasDgelsBatched(...),
    cublasDgemm(...), cublasDgemmBatched(...), cublasDgemmGroupedBatched(...), cublasDgemmStridedBatched(...),
    cublasDgemm_v2(...), cublasDgemv(...), cublasDgemvBatched(...), cublasDgemvStridedBatched(...),
    cublasDgemv_v2(...), cublasDgeqrfBatched(...), cublasDger(...), cublasDger_v2(...), cublasDgetrfBatched(...),
    cublasDgetriBatched(...), cublasDgetrsBatched(...), cublasDmatinvBatched(...), cublasDnrm2(...),
    cublasDnrm2_v2(...), cublasDotEx(...), cublasDotcEx(...), cublasDrot(...), cublasDrot_v2(...), cublasDrotg(...),
    cublasDrotg_v2(...), cublasDrotm(...), cublasDrotm_v2(...), cublasDrotmg(...), cublasDrotmg_v2(...),
    cublasDsbmv(...), cublasDsbmv_v2(...), cublasDscal(...), cublasDscal_v2(...), cublasDspmv(...),
    cublasDspmv_v2(...), cublasDspr(...), cublasDspr2(...), cublasDspr2_v2(...), cublasDspr_v2(...),
    cublasDswap(...), cublasDswap_v2(...), cublasDsymm(...), cublasDsymm_v2(...), cublasDsymv(...),
    cublasDsymv_v2(...), cublasDsyr(...), cublasDsyr2(...), cublasDsyr2_v2(...), cublasDsyr2k(...),
    cublasDsyr2k_v2(...), cublasDsyr_v2(...), cublasDsyrk(...), cublasDsyrk_v2(...), cublasDsyrkx(...),
    cublasDtbmv(...), cublasDtbmv_v2(...), cublasDtbsv(...), cublasDtbsv_v2(...), cublasDtpmv(...),
    cublasDtpmv_v2(...), cublasDtpsv(...), cublasDtpsv_v2(...), cublasDtpttr(...), cublasDtrmm(...),
    cublasDtrmm_v2(...), cublasDtrmv(...), cublasDtrmv_v2(...), cublasDtrsm(...), cublasDtrsmBatched(...),
    cublasDtrsm_v2(...), cublasDtrsv(...), cublasDtrsv_v2(...), cublasDtrttp(...), cublasDzasum(...),
    cublasDzasum_v2(...), cublasDznrm2(...), cublasDznrm2_v2(...), cublasGemmBatchedEx(...), cublasGemmEx(...),
    cublasGemmGroupedBatchedEx(...), cublasGemmStridedBatchedEx(...), cublasGetAtomicsMode(...),
    cublasGetCudartVersion(...), cublasGetEmulationSpecialValuesSupport(...), cublasGetEmulationStrategy(...),
    cublasGetFixedPointEmulationMantissaBitCountPointer(...), cublasGetFixedPointEmulationMantissaBitOffset(...),
    cublasGetFixedPointEmulationMantissaControl(...), cublasGetFixedPointEmulationMaxMantissaBitCount(...),
    cublasGetLoggerCallback(...), cublasGetMathMode(...), cublasGetMatrix(...), cublasGetMatrixAsync(...),
    cublasGetPointerMode(...), cublasGetPointerMode_v2(...), cublasGetProperty(...), cublasGetSmCountTarget(...),
    cublasGetStream(...), cublasGetStream_v2(...), cublasGetVector(...), cublasGetVectorAsync(...),
    cublasGetVersion(...), cublasGetVersion_v2(...), cublasHSHgemvBatched(...), cublasHSHgemvStridedBatched(...),
    cublasHSSgemvBatched(...), cublasHSSgemvStridedBatched(...), cublasHgemm(...), cublasHgemmBatched(...),
    cublasHgemmStridedBatched(...), cublasIamaxEx(...), cublasIaminEx(...), cublasIcamax(...), cublasIcamax_v2(...),
    cublasIcamin(...), cublasIcamin_v2(...), cublasIdamax(...), cublasIdamax_v2(...), cublasIdamin(...),
    cublasIdamin_v2(...), cublasIsamax(...), cublasIsamax_v2(...), cublasIsamin(...), cublasIsamin_v2(...),
    cublasIzamax(...), cublasIzamax_v2(...), cublasIzamin(...), cublasIzamin_v2(...), cublasLoggerConfigure(...),
    cublasMigrateComputeType(...), cublasNrm2Ex(...), cublasRotEx(...), cublasRotgEx(...), cublasRotmEx(...),
    cublasRotmgEx(...), cublasSasum(...), cublasSasum_v2(...), cublasSaxpy(...), cublasSaxpy_v2(...),
    cublasScalEx(...), cublasScasum(...), cublasScasum_v2(...), cublasScnrm2(...), cublasScnrm2_v2(...),
    cublasScopy(...), cublasScopy_v2(...), cublasSdgmm(...), cublasSdot(...), cublasSdot_v2(...),
    cublasSetAtomicsMode(...), cublasSetEmulationSpecialValuesSupport(...), cublasSetEmulationStrategy(...),
    cublasSetFixedPointEmulationMantissaBitCountPointer(...), cublasSetFixedPointEmulationMantissaBitOffset(...),
    cublasSetFixedPointEmulationMantissaControl(...), cublasSetFixedPointEmulationMaxMantissaBitCount(...),
    cublasSetLoggerCallback(...), cublasSetMathMode(...), cublasSetMatrix(...), cublasSetMatrixAsync(...),
    cublasSetPointerMode(...), cublasSetPointerMode_v2(...), cublasSetSmCountTarget(...), cublasSetStream(...),
    cublasSetStream_v2(...), cublasSetVector(...), cublasSetVectorAsync(...), cublasSetWorkspace(...),
    cublasSetWorkspace_v2(...), cublasSgbmv(...), cublasSgbmv_v2(...), cublasSgeam(...), cublasSgelsBatched(...),
    cublasSgemm(...), cublasSgemmBatched(...), cublasSgemmEx(...), cublasSgemmGroupedBatched(...),
    cublasSgemmStridedBatched(...), cublasSgemm_v2(...), cublasSgemv(...), cublasSgemvBatched(...),
    cublasSgemvStridedBatched(...), cublasSgemv_v2(...), cublasSgeqrfBatched(...), cublasSger(...),
    cublasSger_v2(...), cublasSgetrfBatched(...), cublasSgetriBatched(...), cublasSgetrsBatched(...),
    cublasSmatinvBatched(...), cublasSnrm2(...), cublasSnrm2_v2(...), cublasSrot(...), cublasSrot_v2(...),
    cublasSrotg(...), cublasSrotg_v2(...), cublasSrotm(...), cublasSrotm_v2(...), cublasSrotmg(...),
    cublasSrotmg_v2(...), cublasSsbmv(...), cublasSsbmv_v2(...), cublasSscal(...), cublasSscal_v2(...),
    cublasSspmv(...), cublasSspmv_v2(...), cublasSspr(...), cublasSspr2(...), cublasSspr2_v2(...),
    cublasSspr_v2(...), cublasSswap(...), cublasSswap_v2(...), cublasSsymm(...), cublasSsymm_v2(...),
    cublasSsymv(...), cublasSsymv_v2(...), cublasSsyr(...), cublasSsyr2(...), cublasSsyr2_v2(...), cublasSsyr2k(...),
    cublasSsyr2k_v2(...), cublasSsyr_v2(...), cublasSsyrk(...), cublasSsyrk_v2(...), cublasSsyrkx(...),
    cublasStbmv(...), cublasStbmv_v2(...), cublasStbsv(...), cublasStbsv_v2(...), cublasStpmv(...),
    cublasStpmv_v2(...), cublasStpsv(...), cublasStpsv_v2(...), cublasStpttr(...), cublasStrmm(...),
    cublasStrmm_v2(...), cublasStrmv(...), cublasStrmv_v2(...), cublasStrsm(...), cublasStrsmBatched(...),
    cublasStrsm_v2(...), cublasStrsv(...), cublasStrsv_v2(...), cublasStrttp(...), cublasSwapEx(...),
    cublasTSSgemvBatched(...), cublasTSSgemvStridedBatched(...), cublasTSTgemvBatched(...),
    cublasTSTgemvStridedBatched(...), cublasUint8gemmBias(...), cublasXerbla(...), cublasZaxpy(...),
    cublasZaxpy_v2(...), cublasZcopy(...), cublasZcopy_v2(...), cublasZdgmm(...), cublasZdotc(...),
    cublasZdotc_v2(...), cublasZdotu(...), cublasZdotu_v2(...), cublasZdrot(...), cublasZdrot_v2(...),
    cublasZdscal(...), cublasZdscal_v2(...), cublasZgbmv(...), cublasZgbmv_v2(...), cublasZgeam(...),
    cublasZgelsBatched(...), cublasZgemm(...), cublasZgemm3m(...), cublasZgemmBatched(...),
    cublasZgemmStridedBatched(...), cublasZgemm_v2(...), cublasZgemv(...), cublasZgemvBatched(...),
    cublasZgemvStridedBatched(...), cublasZgemv_v2(...), cublasZgeqrfBatched(...), cublasZgerc(...),
    cublasZgerc_v2(...), cublasZgeru(...), cublasZgeru_v2(...), cublasZgetrfBatched(...), cublasZgetriBatched(...),
    cublasZgetrsBatched(...), cublasZhbmv(...), cublasZhbmv_v2(...), cublasZhemm(...), cublasZhemm_v2(...),
    cublasZhemv(...), cublasZhemv_v2(...), cublasZher(...), cublasZher2(...), cublasZher2_v2(...), cublasZher2k(...),
    cublasZher2k_v2(...), cublasZher_v2(...), cublasZherk(...), cublasZherk_v2(...), cublasZherkx(...),
    cublasZhpmv(...), cublasZhpmv_v2(...), cublasZhpr(...), cublasZhpr2(...), cublasZhpr2_v2(...),
    cublasZhpr_v2(...), cublasZmatinvBatched(...), cublasZrot(...), cublasZrot_v2(...), cublasZrotg(...),
    cublasZrotg_v2(...), cublasZscal(...), cublasZscal_v2(...), cublasZswap(...), cublasZswap_v2(...),
    cublasZsymm(...), cublasZsymm_v2(...), cublasZsymv(...), cublasZsymv_v2(...), cublasZsyr(...), cublasZsyr2(...),
    cublasZsyr2_v2(...), cublasZsyr2k(...), cublasZsyr2k_v2(...), cublasZsyr_v2(...), cublasZsyrk(...),
    cublasZsyrk_v2(...), cublasZsyrkx(...), cublasZtbmv(...), cublasZtbmv_v2(...), cublasZtbsv(...),
    cublasZtbsv_v2(...), cublasZtpmv(...), cublasZtpmv_v2(...), cublasZtpsv(...), cublasZtpsv_v2(...),
    cublasZtpttr(...), cublasZtrmm(...), cublasZtrmm_v2(...), cublasZtrmv(...), cublasZtrmv_v2(...),
    cublasZtrsm(...), cublasZtrsmBatched(...), cublasZtrsm_v2(...), cublasZtrsv(...), cublasZtrsv_v2(...),
    cublasZtrttp(...);
#endif
