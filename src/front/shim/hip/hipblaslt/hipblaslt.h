/* hipBLASLt's host API. */
#ifndef WW_HIPBLASLT_H
#define WW_HIPBLASLT_H
#include <hipblas/hipblas.h>
#include <hip/hip_fp8.h>

WW_HOST_HANDLE(hipblasLtHandle_t)
WW_HOST_HANDLE(hipblasLtMatmulDesc_t)
WW_HOST_HANDLE(hipblasLtMatrixLayout_t)
WW_HOST_HANDLE(hipblasLtMatmulPreference_t)
WW_HOST_HANDLE(hipblasLtMatrixTransformDesc_t)
typedef struct { uint8_t data[16]; size_t max_workspace_bytes; } hipblasLtMatmulAlgo_t;
typedef struct { hipblasLtMatmulAlgo_t algo; size_t workspaceSize; hipblasStatus_t state; float wavesCount; int reserved[4]; } hipblasLtMatmulHeuristicResult_t;
typedef __half hipblasLtHalf;
typedef __hip_fp8_e4m3_fnuz hipblaslt_f8_fnuz, hipblaslt_f8;
typedef __hip_fp8_e5m2_fnuz hipblaslt_bf8_fnuz, hipblaslt_bf8;
typedef __hip_bfloat16 hipblasLtBfloat16;
typedef enum {
  HIPBLASLT_MATMUL_DESC_TRANSA, HIPBLASLT_MATMUL_DESC_TRANSB, HIPBLASLT_MATMUL_DESC_EPILOGUE, HIPBLASLT_MATMUL_DESC_BIAS_POINTER, HIPBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
  HIPBLASLT_MATMUL_DESC_A_SCALE_POINTER, HIPBLASLT_MATMUL_DESC_B_SCALE_POINTER, HIPBLASLT_MATMUL_DESC_C_SCALE_POINTER, HIPBLASLT_MATMUL_DESC_D_SCALE_POINTER,
  HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, HIPBLASLT_MATMUL_DESC_POINTER_MODE, HIPBLASLT_MATMUL_DESC_AMAX_D_POINTER, HIPBLASLT_MATMUL_DESC_FAST_ACCUM
} hipblasLtMatmulDescAttributes_t;
typedef enum {
  HIPBLASLT_EPILOGUE_DEFAULT = 1, HIPBLASLT_EPILOGUE_RELU = 2, HIPBLASLT_EPILOGUE_BIAS = 4, HIPBLASLT_EPILOGUE_RELU_BIAS = 6, HIPBLASLT_EPILOGUE_GELU = 32,
  HIPBLASLT_EPILOGUE_GELU_BIAS = 36, HIPBLASLT_EPILOGUE_GELU_AUX = 160, HIPBLASLT_EPILOGUE_GELU_AUX_BIAS = 164, HIPBLASLT_EPILOGUE_DGELU = 192
} hipblasLtEpilogue_t;
typedef enum { HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT, HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, HIPBLASLT_MATRIX_LAYOUT_TYPE, HIPBLASLT_MATRIX_LAYOUT_ORDER, HIPBLASLT_MATRIX_LAYOUT_ROWS, HIPBLASLT_MATRIX_LAYOUT_COLS, HIPBLASLT_MATRIX_LAYOUT_LD } hipblasLtMatrixLayoutAttribute_t;
typedef enum { HIPBLASLT_MATMUL_PREF_SEARCH_MODE, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES } hipblasLtMatmulPreferenceAttributes_t;
typedef enum { HIPBLASLT_ORDER_COL, HIPBLASLT_ORDER_ROW } hipblasLtOrder_t;
#define WW_LT(name) WW_HOST_CALL(hipblasStatus_t, name)
WW_LT(hipblasLtCreate) WW_LT(hipblasLtDestroy) WW_LT(hipblasLtMatmul) WW_LT(hipblasLtMatmulDescCreate) WW_LT(hipblasLtMatmulDescDestroy) WW_LT(hipblasLtMatmulDescInit)
WW_LT(hipblasLtMatmulDescSetAttribute) WW_LT(hipblasLtMatmulDescGetAttribute) WW_LT(hipblasLtMatrixLayoutCreate) WW_LT(hipblasLtMatrixLayoutInit) WW_LT(hipblasLtMatrixLayoutDestroy)
WW_LT(hipblasLtMatrixLayoutSetAttribute) WW_LT(hipblasLtMatmulPreferenceCreate) WW_LT(hipblasLtMatmulPreferenceDestroy) WW_LT(hipblasLtMatmulPreferenceSetAttribute)
WW_LT(hipblasLtMatmulAlgoGetHeuristic) WW_LT(hipblasLtMatrixTransform) WW_LT(hipblasLtMatrixTransformDescCreate)
#undef WW_LT
#endif
