/* hipSPARSE's host API. */
#ifndef WW_HIPSPARSE_H
#define WW_HIPSPARSE_H
#include <ww_hip.h>
#include <hip/hip_complex.h>

WW_HOST_HANDLE(hipsparseHandle_t)
WW_HOST_HANDLE(hipsparseMatDescr_t)
WW_HOST_HANDLE(hipsparseSpMatDescr_t)
WW_HOST_HANDLE(hipsparseDnMatDescr_t)
WW_HOST_HANDLE(hipsparseDnVecDescr_t)
WW_HOST_HANDLE(hipsparseSpVecDescr_t)
WW_HOST_HANDLE(hipsparseSpGEMMDescr_t)
WW_HOST_HANDLE(hipsparseSpSVDescr_t)
WW_HOST_HANDLE(hipsparseSpSMDescr_t)
WW_HOST_HANDLE(csrilu02Info_t)
WW_HOST_HANDLE(csric02Info_t)
WW_HOST_HANDLE(csrsv2Info_t)
WW_HOST_HANDLE(csrsm2Info_t)
WW_HOST_HANDLE(bsrsv2Info_t)
typedef hipsparseSpMatDescr_t hipsparseConstSpMatDescr_t;
typedef hipsparseDnMatDescr_t hipsparseConstDnMatDescr_t;
typedef hipsparseDnVecDescr_t hipsparseConstDnVecDescr_t;
typedef enum {
  HIPSPARSE_STATUS_SUCCESS, HIPSPARSE_STATUS_NOT_INITIALIZED, HIPSPARSE_STATUS_ALLOC_FAILED, HIPSPARSE_STATUS_INVALID_VALUE, HIPSPARSE_STATUS_ARCH_MISMATCH,
  HIPSPARSE_STATUS_MAPPING_ERROR, HIPSPARSE_STATUS_EXECUTION_FAILED, HIPSPARSE_STATUS_INTERNAL_ERROR, HIPSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
  HIPSPARSE_STATUS_ZERO_PIVOT, HIPSPARSE_STATUS_NOT_SUPPORTED, HIPSPARSE_STATUS_INSUFFICIENT_RESOURCES
} hipsparseStatus_t;
typedef enum { HIPSPARSE_OPERATION_NON_TRANSPOSE, HIPSPARSE_OPERATION_TRANSPOSE, HIPSPARSE_OPERATION_CONJUGATE_TRANSPOSE } hipsparseOperation_t;
typedef enum { HIPSPARSE_INDEX_BASE_ZERO, HIPSPARSE_INDEX_BASE_ONE } hipsparseIndexBase_t;
typedef enum { HIPSPARSE_INDEX_16U = 1, HIPSPARSE_INDEX_32I, HIPSPARSE_INDEX_64I } hipsparseIndexType_t;
typedef enum { HIPSPARSE_MATRIX_TYPE_GENERAL, HIPSPARSE_MATRIX_TYPE_SYMMETRIC, HIPSPARSE_MATRIX_TYPE_HERMITIAN, HIPSPARSE_MATRIX_TYPE_TRIANGULAR } hipsparseMatrixType_t;
typedef enum { HIPSPARSE_FILL_MODE_LOWER, HIPSPARSE_FILL_MODE_UPPER } hipsparseFillMode_t;
typedef enum { HIPSPARSE_DIAG_TYPE_NON_UNIT, HIPSPARSE_DIAG_TYPE_UNIT } hipsparseDiagType_t;
typedef enum { HIPSPARSE_DIRECTION_ROW, HIPSPARSE_DIRECTION_COLUMN } hipsparseDirection_t;
typedef enum { HIPSPARSE_ACTION_SYMBOLIC, HIPSPARSE_ACTION_NUMERIC } hipsparseAction_t;
typedef enum { HIPSPARSE_ORDER_COLUMN = 1, HIPSPARSE_ORDER_COL = 1, HIPSPARSE_ORDER_ROW = 2 } hipsparseOrder_t;
typedef enum { HIPSPARSE_SOLVE_POLICY_NO_LEVEL, HIPSPARSE_SOLVE_POLICY_USE_LEVEL } hipsparseSolvePolicy_t;
typedef enum { HIPSPARSE_POINTER_MODE_HOST, HIPSPARSE_POINTER_MODE_DEVICE } hipsparsePointerMode_t;
typedef enum { HIPSPARSE_SPMAT_FILL_MODE, HIPSPARSE_SPMAT_DIAG_TYPE } hipsparseSpMatAttribute_t;
typedef enum { HIPSPARSE_SPMV_ALG_DEFAULT, HIPSPARSE_MV_ALG_DEFAULT = 0, HIPSPARSE_SPMV_COO_ALG1, HIPSPARSE_SPMV_CSR_ALG1, HIPSPARSE_CSRMV_ALG1 = 2, HIPSPARSE_SPMV_CSR_ALG2, HIPSPARSE_SPMV_COO_ALG2 } hipsparseSpMVAlg_t;
typedef enum { HIPSPARSE_SPMM_ALG_DEFAULT, HIPSPARSE_MM_ALG_DEFAULT = 0, HIPSPARSE_SPMM_COO_ALG1, HIPSPARSE_SPMM_COO_ALG2, HIPSPARSE_SPMM_CSR_ALG1, HIPSPARSE_SPMM_CSR_ALG2, HIPSPARSE_SPMM_CSR_ALG3 } hipsparseSpMMAlg_t;
typedef enum { HIPSPARSE_SPGEMM_DEFAULT, HIPSPARSE_SPGEMM_ALG1, HIPSPARSE_SPGEMM_ALG2, HIPSPARSE_SPGEMM_ALG3 } hipsparseSpGEMMAlg_t;
typedef enum { HIPSPARSE_SDDMM_ALG_DEFAULT } hipsparseSDDMMAlg_t;
typedef enum { HIPSPARSE_SPSV_ALG_DEFAULT } hipsparseSpSVAlg_t;
typedef enum { HIPSPARSE_SPSM_ALG_DEFAULT } hipsparseSpSMAlg_t;
typedef enum { HIPSPARSE_DENSETOSPARSE_ALG_DEFAULT } hipsparseDenseToSparseAlg_t;
typedef enum { HIPSPARSE_SPARSETODENSE_ALG_DEFAULT } hipsparseSparseToDenseAlg_t;
typedef enum { HIPSPARSE_CSR2CSC_ALG_DEFAULT, HIPSPARSE_CSR2CSC_ALG1 = 0, HIPSPARSE_CSR2CSC_ALG2 } hipsparseCsr2CscAlg_t;
const char *hipsparseGetErrorString(hipsparseStatus_t);
const char *hipsparseGetErrorName(hipsparseStatus_t);
#define WW_SP(name) WW_HOST_CALL(hipsparseStatus_t, hipsparse##name)
#define WW_SP_SDCZ(name) WW_SP(S##name) WW_SP(D##name) WW_SP(C##name) WW_SP(Z##name)
#define WW_SP_PHASES(name) WW_SP(name) WW_SP(name##_bufferSize) WW_SP(name##_preprocess) WW_SP(name##_analysis) WW_SP(name##_solve) WW_SP(name##_convert) WW_SP(name##_workEstimation) WW_SP(name##_compute) WW_SP(name##_copy) WW_SP(name##_createDescr) WW_SP(name##_destroyDescr)
WW_SP(Create) WW_SP(Destroy) WW_SP(SetStream) WW_SP(GetStream) WW_SP(SetPointerMode) WW_SP(CreateMatDescr) WW_SP(DestroyMatDescr) WW_SP(SetMatType) WW_SP(SetMatIndexBase)
WW_SP(SetMatFillMode) WW_SP(SetMatDiagType) WW_SP(CreateCsr) WW_SP(CreateCsc) WW_SP(CreateCoo) WW_SP(CreateBlockedEll) WW_SP(CreateDnMat) WW_SP(CreateDnVec) WW_SP(CreateSpVec)
WW_SP(DestroySpMat) WW_SP(DestroyDnMat) WW_SP(DestroyDnVec) WW_SP(DestroySpVec) WW_SP(SpMatGetSize) WW_SP(SpMatSetAttribute) WW_SP(CsrSetPointers) WW_SP(CooSetPointers) WW_SP(DnMatSetStridedBatch)
WW_SP(CsrSetStridedBatch) WW_SP(CooSetStridedBatch) WW_SP(DnVecSetValues) WW_SP(Gather) WW_SP(Scatter) WW_SP(Axpby) WW_SP(Rot)
WW_SP_PHASES(SpMV) WW_SP_PHASES(SpMM) WW_SP_PHASES(SpGEMM) WW_SP_PHASES(SDDMM) WW_SP_PHASES(SpSV) WW_SP_PHASES(SpSM) WW_SP_PHASES(DenseToSparse) WW_SP_PHASES(SparseToDense) WW_SP_PHASES(SpVV)
WW_SP(CreateCsrilu02Info) WW_SP(DestroyCsrilu02Info) WW_SP(CreateCsric02Info) WW_SP(DestroyCsric02Info) WW_SP(CreateCsrsv2Info) WW_SP(DestroyCsrsv2Info)
WW_SP_SDCZ(csrilu02) WW_SP_SDCZ(csrilu02_bufferSize) WW_SP_SDCZ(csrilu02_analysis) WW_SP_SDCZ(csric02) WW_SP_SDCZ(csric02_bufferSize) WW_SP_SDCZ(csric02_analysis)
WW_SP_SDCZ(csrsv2_solve) WW_SP_SDCZ(csrsv2_bufferSize) WW_SP_SDCZ(csrsv2_analysis) WW_SP_SDCZ(csrmv) WW_SP_SDCZ(csrmm) WW_SP_SDCZ(nnz) WW_SP_SDCZ(dense2csr) WW_SP_SDCZ(csr2dense) WW_SP_SDCZ(csr2csc)
WW_SP_SDCZ(gtsv2) WW_SP_SDCZ(gtsv2_bufferSizeExt) WW_SP_SDCZ(gtsv2StridedBatch) WW_SP_SDCZ(gtsv2StridedBatch_bufferSizeExt) WW_SP_SDCZ(gthr) WW_SP_SDCZ(bsrmv)
WW_SP(Xcsrilu02_zeroPivot) WW_SP(Xcsric02_zeroPivot) WW_SP(Xcsrsv2_zeroPivot) WW_SP(Xcsr2coo) WW_SP(Xcoo2csr) WW_SP(Xcsrsort) WW_SP(Xcsrsort_bufferSizeExt) WW_SP(Xcoosort_bufferSizeExt)
WW_SP(XcoosortByRow) WW_SP(CreateIdentityPermutation) WW_SP(Csr2cscEx2) WW_SP(Csr2cscEx2_bufferSize)
#undef WW_SP_PHASES
#undef WW_SP_SDCZ
#undef WW_SP
#endif
