/* rocBLAS's host API. */
#ifndef WW_ROCBLAS_H
#define WW_ROCBLAS_H
#include <hipblas/hipblas.h>

WW_HOST_HANDLE(rocblas_handle)
typedef int rocblas_int;
typedef long rocblas_stride;
typedef __half rocblas_half;
typedef __hip_bfloat16 rocblas_bfloat16;
typedef float2 rocblas_float_complex;
typedef double2 rocblas_double_complex;
typedef enum rocblas_status { rocblas_status_success, rocblas_status_invalid_handle, rocblas_status_not_implemented, rocblas_status_invalid_pointer, rocblas_status_invalid_size, rocblas_status_memory_error, rocblas_status_internal_error } rocblas_status;
typedef enum rocblas_operation { rocblas_operation_none = 111, rocblas_operation_transpose = 112, rocblas_operation_conjugate_transpose = 113 } rocblas_operation;
typedef enum rocblas_fill { rocblas_fill_upper = 121, rocblas_fill_lower, rocblas_fill_full } rocblas_fill;
typedef enum rocblas_diagonal { rocblas_diagonal_non_unit = 131, rocblas_diagonal_unit } rocblas_diagonal;
typedef enum rocblas_side { rocblas_side_left = 141, rocblas_side_right, rocblas_side_both } rocblas_side;
typedef enum rocblas_datatype { rocblas_datatype_f16_r = 150, rocblas_datatype_f32_r, rocblas_datatype_f64_r, rocblas_datatype_f16_c, rocblas_datatype_f32_c, rocblas_datatype_f64_c, rocblas_datatype_i8_r = 160, rocblas_datatype_u8_r, rocblas_datatype_i32_r, rocblas_datatype_u32_r, rocblas_datatype_bf16_r = 168 } rocblas_datatype;
typedef enum rocblas_pointer_mode { rocblas_pointer_mode_host, rocblas_pointer_mode_device } rocblas_pointer_mode;
typedef enum rocblas_gemm_algo { rocblas_gemm_algo_standard, rocblas_gemm_algo_solution_index } rocblas_gemm_algo;
typedef enum rocblas_gemm_flags { rocblas_gemm_flags_none } rocblas_gemm_flags;
#define WW_ROC(name) WW_HOST_CALL(rocblas_status, rocblas_##name)
#define WW_ROC_SDCZ(name) WW_ROC(s##name) WW_ROC(d##name) WW_ROC(c##name) WW_ROC(z##name) WW_ROC(s##name##_batched) WW_ROC(d##name##_batched) WW_ROC(s##name##_strided_batched) WW_ROC(d##name##_strided_batched)
const char *rocblas_status_to_string(rocblas_status);
void rocblas_initialize(void);
WW_ROC(create_handle) WW_ROC(destroy_handle) WW_ROC(set_stream) WW_ROC(get_stream) WW_ROC(set_pointer_mode) WW_ROC(set_vector) WW_ROC(get_vector) WW_ROC(set_matrix) WW_ROC(get_matrix)
WW_ROC(hgemm) WW_ROC(hgemm_batched) WW_ROC(hgemm_strided_batched) WW_ROC(gemm_ex) WW_ROC(gemm_batched_ex) WW_ROC(gemm_strided_batched_ex)
WW_ROC_SDCZ(gemm) WW_ROC_SDCZ(gemv) WW_ROC_SDCZ(axpy) WW_ROC_SDCZ(dot) WW_ROC_SDCZ(scal) WW_ROC_SDCZ(nrm2) WW_ROC_SDCZ(copy) WW_ROC_SDCZ(trsm) WW_ROC_SDCZ(ger) WW_ROC_SDCZ(geam)
#undef WW_ROC_SDCZ
#undef WW_ROC
#endif
