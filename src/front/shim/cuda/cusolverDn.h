/* cusolverDn.h: names for host code to type-check; `f(...)` accepts every call and nothing is run. */
#ifndef WW_CUSOLVERDN_H
#define WW_CUSOLVERDN_H
#include <cublas_v2.h>

typedef struct cusolverDnContext *cusolverDnHandle_t;
typedef struct syevjInfo *syevjInfo_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
typedef struct cusolverDnIRSParams *cusolverDnIRSParams_t;
typedef struct cusolverDnIRSInfos *cusolverDnIRSInfos_t;
typedef struct cusolverDnParams *cusolverDnParams_t;
enum cusolverStatus_t {
  CUSOLVER_STATUS_SUCCESS = 0, CUSOLVER_STATUS_NOT_INITIALIZED = 1, CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3, CUSOLVER_STATUS_ARCH_MISMATCH = 4, CUSOLVER_STATUS_MAPPING_ERROR = 5,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6, CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8, CUSOLVER_STATUS_NOT_SUPPORTED = 9, CUSOLVER_STATUS_ZERO_PIVOT = 10,
  CUSOLVER_STATUS_INVALID_LICENSE = 11, CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED = 12,
  CUSOLVER_STATUS_IRS_PARAMS_INVALID = 13, CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC = 14,
  CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE = 15, CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER = 16,
  CUSOLVER_STATUS_IRS_INTERNAL_ERROR = 20, CUSOLVER_STATUS_IRS_NOT_SUPPORTED = 21,
  CUSOLVER_STATUS_IRS_OUT_OF_RANGE = 22, CUSOLVER_STATUS_IRS_NRHS_NOT_SUPPORTED_FOR_REFINE_GMRES = 23,
  CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED = 25, CUSOLVER_STATUS_IRS_INFOS_NOT_DESTROYED = 26,
  CUSOLVER_STATUS_IRS_MATRIX_SINGULAR = 30, CUSOLVER_STATUS_INVALID_WORKSPACE = 31
};
enum cusolverEigType_t {
  CUSOLVER_EIG_TYPE_1 = 1, CUSOLVER_EIG_TYPE_2 = 2, CUSOLVER_EIG_TYPE_3 = 3
};
enum cusolverEigMode_t {
  CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1
};
enum cusolverEigRange_t {
  CUSOLVER_EIG_RANGE_ALL = 1001, CUSOLVER_EIG_RANGE_I = 1002, CUSOLVER_EIG_RANGE_V = 1003
};
enum cusolverNorm_t {
  CUSOLVER_INF_NORM = 104, CUSOLVER_MAX_NORM = 105, CUSOLVER_ONE_NORM = 106, CUSOLVER_FRO_NORM = 107
};
enum cusolverIRSRefinement_t {
  CUSOLVER_IRS_REFINE_NOT_SET = 1100, CUSOLVER_IRS_REFINE_NONE = 1101, CUSOLVER_IRS_REFINE_CLASSICAL = 1102,
  CUSOLVER_IRS_REFINE_CLASSICAL_GMRES = 1103, CUSOLVER_IRS_REFINE_GMRES = 1104,
  CUSOLVER_IRS_REFINE_GMRES_GMRES = 1105, CUSOLVER_IRS_REFINE_GMRES_NOPCOND = 1106, CUSOLVER_PREC_DD = 1150,
  CUSOLVER_PREC_SS = 1151, CUSOLVER_PREC_SHT = 1152
};
enum cusolverPrecType_t {
  CUSOLVER_R_8I = 1201, CUSOLVER_R_8U = 1202, CUSOLVER_R_64F = 1203, CUSOLVER_R_32F = 1204, CUSOLVER_R_16F = 1205,
  CUSOLVER_R_16BF = 1206, CUSOLVER_R_TF32 = 1207, CUSOLVER_R_AP = 1208, CUSOLVER_C_8I = 1211, CUSOLVER_C_8U = 1212,
  CUSOLVER_C_64F = 1213, CUSOLVER_C_32F = 1214, CUSOLVER_C_16F = 1215, CUSOLVER_C_16BF = 1216,
  CUSOLVER_C_TF32 = 1217, CUSOLVER_C_AP = 1218
};
enum cusolverAlgMode_t {
  CUSOLVER_ALG_0 = 0, CUSOLVER_ALG_1 = 1, CUSOLVER_ALG_2 = 2
};
enum cusolverStorevMode_t {
  CUBLAS_STOREV_COLUMNWISE = 0, CUBLAS_STOREV_ROWWISE = 1
};
enum cusolverDirectMode_t {
  CUBLAS_DIRECT_FORWARD = 0, CUBLAS_DIRECT_BACKWARD = 1
};
enum cusolverDeterministicMode_t {
  CUSOLVER_DETERMINISTIC_RESULTS = 1, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS = 2
};
enum cusolverMathMode_t {
  CUSOLVER_DEFAULT_MATH = 1, CUSOLVER_FP32_EMULATED_BF16X9_MATH = 2
};
enum cusolverDnFunction_t {
  CUSOLVERDN_GETRF = 0, CUSOLVERDN_POTRF = 1, CUSOLVERDN_SYEVBATCHED = 2
};
extern "C" cusolverStatus_t
    cusolverDnCCgels(...), cusolverDnCCgels_bufferSize(...), cusolverDnCCgesv(...), cusolverDnCCgesv_bufferSize(...),
    cusolverDnCEgels(...), cusolverDnCEgels_bufferSize(...), cusolverDnCEgesv(...), cusolverDnCEgesv_bufferSize(...),
    cusolverDnCKgels(...), cusolverDnCKgels_bufferSize(...), cusolverDnCKgesv(...), cusolverDnCKgesv_bufferSize(...),
    cusolverDnCYgels(...), cusolverDnCYgels_bufferSize(...), cusolverDnCYgesv(...), cusolverDnCYgesv_bufferSize(...),
    cusolverDnCgebrd(...), cusolverDnCgebrd_bufferSize(...), cusolverDnCgeqrf(...), cusolverDnCgeqrf_bufferSize(...),
    cusolverDnCgesvd(...), cusolverDnCgesvd_bufferSize(...), cusolverDnCgesvdaStridedBatched(...),
    cusolverDnCgesvdaStridedBatched_bufferSize(...), cusolverDnCgesvdj(...), cusolverDnCgesvdjBatched(...),
    cusolverDnCgesvdjBatched_bufferSize(...), cusolverDnCgesvdj_bufferSize(...), cusolverDnCgetrf(...),
    cusolverDnCgetrf_bufferSize(...), cusolverDnCgetrs(...), cusolverDnCheevd(...), cusolverDnCheevd_bufferSize(...),
    cusolverDnCheevdx(...), cusolverDnCheevdx_bufferSize(...), cusolverDnCheevj(...), cusolverDnCheevjBatched(...),
    cusolverDnCheevjBatched_bufferSize(...), cusolverDnCheevj_bufferSize(...), cusolverDnChegvd(...),
    cusolverDnChegvd_bufferSize(...), cusolverDnChegvdx(...), cusolverDnChegvdx_bufferSize(...),
    cusolverDnChegvj(...), cusolverDnChegvj_bufferSize(...), cusolverDnChetrd(...), cusolverDnChetrd_bufferSize(...),
    cusolverDnClaswp(...), cusolverDnClauum(...), cusolverDnClauum_bufferSize(...), cusolverDnCpotrf(...),
    cusolverDnCpotrfBatched(...), cusolverDnCpotrf_bufferSize(...), cusolverDnCpotri(...),
    cusolverDnCpotri_bufferSize(...), cusolverDnCpotrs(...), cusolverDnCpotrsBatched(...), cusolverDnCreate(...),
    cusolverDnCreateGesvdjInfo(...), cusolverDnCreateParams(...), cusolverDnCreateSyevjInfo(...),
    cusolverDnCsytrf(...), cusolverDnCsytrf_bufferSize(...), cusolverDnCsytri(...), cusolverDnCsytri_bufferSize(...),
    cusolverDnCungbr(...), cusolverDnCungbr_bufferSize(...), cusolverDnCungqr(...), cusolverDnCungqr_bufferSize(...),
    cusolverDnCungtr(...), cusolverDnCungtr_bufferSize(...), cusolverDnCunmqr(...), cusolverDnCunmqr_bufferSize(...),
    cusolverDnCunmtr(...), cusolverDnCunmtr_bufferSize(...), cusolverDnDBgels(...), cusolverDnDBgels_bufferSize(...),
    cusolverDnDBgesv(...), cusolverDnDBgesv_bufferSize(...), cusolverDnDDgels(...), cusolverDnDDgels_bufferSize(...),
    cusolverDnDDgesv(...), cusolverDnDDgesv_bufferSize(...), cusolverDnDHgels(...), cusolverDnDHgels_bufferSize(...),
    cusolverDnDHgesv(...), cusolverDnDHgesv_bufferSize(...), cusolverDnDSgels(...), cusolverDnDSgels_bufferSize(...),
    cusolverDnDSgesv(...), cusolverDnDSgesv_bufferSize(...), cusolverDnDXgels(...), cusolverDnDXgels_bufferSize(...),
    cusolverDnDXgesv(...), cusolverDnDXgesv_bufferSize(...), cusolverDnDestroy(...),
    cusolverDnDestroyGesvdjInfo(...), cusolverDnDestroyParams(...), cusolverDnDestroySyevjInfo(...),
    cusolverDnDgebrd(...), cusolverDnDgebrd_bufferSize(...), cusolverDnDgeqrf(...), cusolverDnDgeqrf_bufferSize(...),
    cusolverDnDgesvd(...), cusolverDnDgesvd_bufferSize(...), cusolverDnDgesvdaStridedBatched(...),
    cusolverDnDgesvdaStridedBatched_bufferSize(...), cusolverDnDgesvdj(...), cusolverDnDgesvdjBatched(...),
    cusolverDnDgesvdjBatched_bufferSize(...), cusolverDnDgesvdj_bufferSize(...), cusolverDnDgetrf(...),
    cusolverDnDgetrf_bufferSize(...), cusolverDnDgetrs(...), cusolverDnDlaswp(...), cusolverDnDlauum(...),
    cusolverDnDlauum_bufferSize(...), cusolverDnDorgbr(...), cusolverDnDorgbr_bufferSize(...), cusolverDnDorgqr(...),
    cusolverDnDorgqr_bufferSize(...), cusolverDnDorgtr(...), cusolverDnDorgtr_bufferSize(...), cusolverDnDormqr(...),
    cusolverDnDormqr_bufferSize(...), cusolverDnDormtr(...), cusolverDnDormtr_bufferSize(...), cusolverDnDpotrf(...),
    cusolverDnDpotrfBatched(...), cusolverDnDpotrf_bufferSize(...), cusolverDnDpotri(...),
    cusolverDnDpotri_bufferSize(...), cusolverDnDpotrs(...), cusolverDnDpotrsBatched(...), cusolverDnDsyevd(...),
    cusolverDnDsyevd_bufferSize(...), cusolverDnDsyevdx(...), cusolverDnDsyevdx_bufferSize(...),
    cusolverDnDsyevj(...), cusolverDnDsyevjBatched(...), cusolverDnDsyevjBatched_bufferSize(...),
    cusolverDnDsyevj_bufferSize(...), cusolverDnDsygvd(...), cusolverDnDsygvd_bufferSize(...),
    cusolverDnDsygvdx(...), cusolverDnDsygvdx_bufferSize(...), cusolverDnDsygvj(...),
    cusolverDnDsygvj_bufferSize(...), cusolverDnDsytrd(...), cusolverDnDsytrd_bufferSize(...), cusolverDnDsytrf(...),
    cusolverDnDsytrf_bufferSize(...), cusolverDnDsytri(...), cusolverDnDsytri_bufferSize(...),
    cusolverDnGetDeterministicMode(...), cusolverDnGetEmulationStrategy(...), cusolverDnGetMathMode(...),
    cusolverDnGetStream(...), cusolverDnIRSInfosCreate(...), cusolverDnIRSInfosDestroy(...),
    cusolverDnIRSInfosGetMaxIters(...), cusolverDnIRSInfosGetNiters(...), cusolverDnIRSInfosGetOuterNiters(...),
    cusolverDnIRSInfosGetResidualHistory(...), cusolverDnIRSInfosRequestResidual(...),
    cusolverDnIRSParamsCreate(...), cusolverDnIRSParamsDestroy(...), cusolverDnIRSParamsDisableFallback(...),
    cusolverDnIRSParamsEnableFallback(...), cusolverDnIRSParamsGetMaxIters(...), cusolverDnIRSParamsSetMaxIters(...),
    cusolverDnIRSParamsSetMaxItersInner(...), cusolverDnIRSParamsSetRefinementSolver(...),
    cusolverDnIRSParamsSetSolverLowestPrecision(...), cusolverDnIRSParamsSetSolverMainPrecision(...),
    cusolverDnIRSParamsSetSolverPrecisions(...), cusolverDnIRSParamsSetTol(...), cusolverDnIRSParamsSetTolInner(...),
    cusolverDnIRSXgels(...), cusolverDnIRSXgels_bufferSize(...), cusolverDnIRSXgesv(...),
    cusolverDnIRSXgesv_bufferSize(...), cusolverDnLoggerForceDisable(...), cusolverDnLoggerOpenFile(...),
    cusolverDnLoggerSetFile(...), cusolverDnLoggerSetLevel(...), cusolverDnLoggerSetMask(...), cusolverDnSBgels(...),
    cusolverDnSBgels_bufferSize(...), cusolverDnSBgesv(...), cusolverDnSBgesv_bufferSize(...), cusolverDnSHgels(...),
    cusolverDnSHgels_bufferSize(...), cusolverDnSHgesv(...), cusolverDnSHgesv_bufferSize(...), cusolverDnSSgels(...),
    cusolverDnSSgels_bufferSize(...), cusolverDnSSgesv(...), cusolverDnSSgesv_bufferSize(...), cusolverDnSXgels(...),
    cusolverDnSXgels_bufferSize(...), cusolverDnSXgesv(...), cusolverDnSXgesv_bufferSize(...),
    cusolverDnSetAdvOptions(...), cusolverDnSetDeterministicMode(...), cusolverDnSetEmulationStrategy(...),
    cusolverDnSetMathMode(...), cusolverDnSetStream(...), cusolverDnSgebrd(...), cusolverDnSgebrd_bufferSize(...),
    cusolverDnSgeqrf(...), cusolverDnSgeqrf_bufferSize(...), cusolverDnSgesvd(...), cusolverDnSgesvd_bufferSize(...),
    cusolverDnSgesvdaStridedBatched(...), cusolverDnSgesvdaStridedBatched_bufferSize(...), cusolverDnSgesvdj(...),
    cusolverDnSgesvdjBatched(...), cusolverDnSgesvdjBatched_bufferSize(...), cusolverDnSgesvdj_bufferSize(...),
    cusolverDnSgetrf(...), cusolverDnSgetrf_bufferSize(...), cusolverDnSgetrs(...), cusolverDnSlaswp(...),
    cusolverDnSlauum(...), cusolverDnSlauum_bufferSize(...), cusolverDnSorgbr(...), cusolverDnSorgbr_bufferSize(...),
    cusolverDnSorgqr(...), cusolverDnSorgqr_bufferSize(...), cusolverDnSorgtr(...), cusolverDnSorgtr_bufferSize(...),
    cusolverDnSormqr(...), cusolverDnSormqr_bufferSize(...), cusolverDnSormtr(...), cusolverDnSormtr_bufferSize(...),
    cusolverDnSpotrf(...), cusolverDnSpotrfBatched(...), cusolverDnSpotrf_bufferSize(...), cusolverDnSpotri(...),
    cusolverDnSpotri_bufferSize(...), cusolverDnSpotrs(...), cusolverDnSpotrsBatched(...), cusolverDnSsyevd(...),
    cusolverDnSsyevd_bufferSize(...), cusolverDnSsyevdx(...), cusolverDnSsyevdx_bufferSize(...),
    cusolverDnSsyevj(...), cusolverDnSsyevjBatched(...), cusolverDnSsyevjBatched_bufferSize(...),
    cusolverDnSsyevj_bufferSize(...), cusolverDnSsygvd(...), cusolverDnSsygvd_bufferSize(...),
    cusolverDnSsygvdx(...), cusolverDnSsygvdx_bufferSize(...), cusolverDnSsygvj(...),
    cusolverDnSsygvj_bufferSize(...), cusolverDnSsytrd(...), cusolverDnSsytrd_bufferSize(...), cusolverDnSsytrf(...),
    cusolverDnSsytrf_bufferSize(...), cusolverDnSsytri(...), cusolverDnSsytri_bufferSize(...), cusolverDnXgeev(...),
    cusolverDnXgeev_bufferSize(...), cusolverDnXgeqrf(...), cusolverDnXgeqrf_bufferSize(...), cusolverDnXgesvd(...),
    cusolverDnXgesvd_bufferSize(...), cusolverDnXgesvdjGetResidual(...), cusolverDnXgesvdjGetSweeps(...),
    cusolverDnXgesvdjSetMaxSweeps(...), cusolverDnXgesvdjSetSortEig(...), cusolverDnXgesvdjSetTolerance(...),
    cusolverDnXgesvdp(...), cusolverDnXgesvdp_bufferSize(...), cusolverDnXgesvdr(...),
    cusolverDnXgesvdr_bufferSize(...), cusolverDnXgetrf(...), cusolverDnXgetrf_bufferSize(...),
    cusolverDnXgetrs(...), cusolverDnXlarft(...), cusolverDnXlarft_bufferSize(...), cusolverDnXpotrf(...),
    cusolverDnXpotrf_bufferSize(...), cusolverDnXpotrs(...), cusolverDnXsyevBatched(...),
    cusolverDnXsyevBatched_bufferSize(...), cusolverDnXsyevd(...), cusolverDnXsyevd_bufferSize(...),
    cusolverDnXsyevdx(...), cusolverDnXsyevdx_bufferSize(...), cusolverDnXsyevjGetResidual(...),
    cusolverDnXsyevjGetSweeps(...), cusolverDnXsyevjSetMaxSweeps(...), cusolverDnXsyevjSetSortEig(...),
    cusolverDnXsyevjSetTolerance(...), cusolverDnXsytrs(...), cusolverDnXsytrs_bufferSize(...),
    cusolverDnXtrtri(...), cusolverDnXtrtri_bufferSize(...), cusolverDnZCgels(...), cusolverDnZCgels_bufferSize(...),
    cusolverDnZCgesv(...), cusolverDnZCgesv_bufferSize(...), cusolverDnZEgels(...), cusolverDnZEgels_bufferSize(...),
    cusolverDnZEgesv(...), cusolverDnZEgesv_bufferSize(...), cusolverDnZKgels(...), cusolverDnZKgels_bufferSize(...),
    cusolverDnZKgesv(...), cusolverDnZKgesv_bufferSize(...), cusolverDnZYgels(...), cusolverDnZYgels_bufferSize(...),
    cusolverDnZYgesv(...), cusolverDnZYgesv_bufferSize(...), cusolverDnZZgels(...), cusolverDnZZgels_bufferSize(...),
    cusolverDnZZgesv(...), cusolverDnZZgesv_bufferSize(...), cusolverDnZgebrd(...), cusolverDnZgebrd_bufferSize(...),
    cusolverDnZgeqrf(...), cusolverDnZgeqrf_bufferSize(...), cusolverDnZgesvd(...), cusolverDnZgesvd_bufferSize(...),
    cusolverDnZgesvdaStridedBatched(...), cusolverDnZgesvdaStridedBatched_bufferSize(...), cusolverDnZgesvdj(...),
    cusolverDnZgesvdjBatched(...), cusolverDnZgesvdjBatched_bufferSize(...), cusolverDnZgesvdj_bufferSize(...),
    cusolverDnZgetrf(...), cusolverDnZgetrf_bufferSize(...), cusolverDnZgetrs(...), cusolverDnZheevd(...),
    cusolverDnZheevd_bufferSize(...), cusolverDnZheevdx(...), cusolverDnZheevdx_bufferSize(...),
    cusolverDnZheevj(...), cusolverDnZheevjBatched(...), cusolverDnZheevjBatched_bufferSize(...),
    cusolverDnZheevj_bufferSize(...), cusolverDnZhegvd(...), cusolverDnZhegvd_bufferSize(...),
    cusolverDnZhegvdx(...), cusolverDnZhegvdx_bufferSize(...), cusolverDnZhegvj(...),
    cusolverDnZhegvj_bufferSize(...), cusolverDnZhetrd(...), cusolverDnZhetrd_bufferSize(...), cusolverDnZlaswp(...),
    cusolverDnZlauum(...), cusolverDnZlauum_bufferSize(...), cusolverDnZpotrf(...), cusolverDnZpotrfBatched(...),
    cusolverDnZpotrf_bufferSize(...), cusolverDnZpotri(...), cusolverDnZpotri_bufferSize(...), cusolverDnZpotrs(...),
    cusolverDnZpotrsBatched(...), cusolverDnZsytrf(...), cusolverDnZsytrf_bufferSize(...), cusolverDnZsytri(...),
    cusolverDnZsytri_bufferSize(...), cusolverDnZungbr(...), cusolverDnZungbr_bufferSize(...), cusolverDnZungqr(...),
    cusolverDnZungqr_bufferSize(...), cusolverDnZungtr(...), cusolverDnZungtr_bufferSize(...), cusolverDnZunmqr(...),
    cusolverDnZunmqr_bufferSize(...), cusolverDnZunmtr(...), cusolverDnZunmtr_bufferSize(...),
    cusolverGetProperty(...), cusolverGetVersion(...);
#endif
