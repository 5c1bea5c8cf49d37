/* hipSOLVER's host API. */
#ifndef WW_HIPSOLVER_H
#define WW_HIPSOLVER_H
#include <hipblas/hipblas.h>

WW_HOST_HANDLE(hipsolverHandle_t)
WW_HOST_HANDLE(hipsolverDnParams_t)
WW_HOST_HANDLE(hipsolverSyevjInfo_t)
WW_HOST_HANDLE(hipsolverGesvdjInfo_t)
typedef hipsolverHandle_t hipsolverDnHandle_t;
typedef hipblasFillMode_t hipsolverFillMode_t;
typedef hipblasOperation_t hipsolverOperation_t;
typedef hipblasSideMode_t hipsolverSideMode_t;
typedef enum { HIPSOLVER_STATUS_SUCCESS, HIPSOLVER_STATUS_NOT_INITIALIZED, HIPSOLVER_STATUS_ALLOC_FAILED, HIPSOLVER_STATUS_INVALID_VALUE, HIPSOLVER_STATUS_INTERNAL_ERROR } hipsolverStatus_t;
typedef enum { HIPSOLVER_EIG_MODE_NOVECTOR = 201, HIPSOLVER_EIG_MODE_VECTOR } hipsolverEigMode_t;
typedef enum { HIPSOLVER_EIG_TYPE_1 = 211, HIPSOLVER_EIG_TYPE_2, HIPSOLVER_EIG_TYPE_3 } hipsolverEigType_t;
enum { HIPSOLVER_FILL_MODE_UPPER = 121, HIPSOLVER_FILL_MODE_LOWER = 122, HIPSOLVER_OP_N = 111, HIPSOLVER_OP_T = 112, HIPSOLVER_OP_C = 113, HIPSOLVER_SIDE_LEFT = 141, HIPSOLVER_SIDE_RIGHT = 142 };
#define WW_SOL(name) WW_HOST_CALL(hipsolverStatus_t, hipsolver##name)
#define WW_SOL_SDCZ(name) WW_SOL(S##name) WW_SOL(D##name) WW_SOL(C##name) WW_SOL(Z##name) WW_SOL(S##name##_bufferSize) WW_SOL(D##name##_bufferSize) WW_SOL(C##name##_bufferSize) WW_SOL(Z##name##_bufferSize)
#define WW_SOL_BOTH(name) WW_SOL_SDCZ(name) WW_SOL(DnS##name) WW_SOL(DnD##name) WW_SOL(DnC##name) WW_SOL(DnZ##name) WW_SOL(DnS##name##_bufferSize) WW_SOL(DnD##name##_bufferSize) WW_SOL(DnC##name##_bufferSize) WW_SOL(DnZ##name##_bufferSize)
WW_SOL(Create) WW_SOL(Destroy) WW_SOL(SetStream) WW_SOL(DnCreate) WW_SOL(DnDestroy) WW_SOL(DnSetStream) WW_SOL(CreateSyevjInfo) WW_SOL(DestroySyevjInfo)
WW_SOL_BOTH(getrf) WW_SOL_BOTH(getrs) WW_SOL_BOTH(potrf) WW_SOL_BOTH(potrs) WW_SOL_BOTH(geqrf) WW_SOL_BOTH(gesvd) WW_SOL_BOTH(syevd) WW_SOL_BOTH(heevd) WW_SOL_BOTH(syevj) WW_SOL_BOTH(sygvd) WW_SOL_BOTH(gesvdj) WW_SOL_BOTH(ormqr) WW_SOL_BOTH(orgqr) WW_SOL_BOTH(gels) WW_SOL_BOTH(potrfBatched)
#undef WW_SOL_BOTH
#undef WW_SOL_SDCZ
#undef WW_SOL
#endif
