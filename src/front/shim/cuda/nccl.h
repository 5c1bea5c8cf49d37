/* nccl.h: names for host code to type-check; `f(...)` accepts every call and nothing is run. */
#ifndef WW_NCCL_H
#define WW_NCCL_H
#include "ww_cuda.h"
#define NCCL_MAJOR 2
#define NCCL_VERSION_CODE 22000
#define NCCL_UNIQUE_ID_BYTES 128
struct ncclUniqueId { char internal[NCCL_UNIQUE_ID_BYTES]; };
typedef struct ncclConfig { int blocking; } ncclConfig_t;
#define NCCL_CONFIG_INITIALIZER {0}
typedef struct ncclComm *ncclComm_t;
typedef struct ncclWindow_vidmem *ncclWindow_t;
enum ncclResult_t {
  ncclSuccess = 0, ncclUnhandledCudaError = 1, ncclSystemError = 2, ncclInternalError = 3, ncclInvalidArgument = 4,
  ncclInvalidUsage = 5, ncclRemoteError = 6, ncclInProgress = 7, ncclNumResults = 8
};
enum ncclRedOp_t {
  ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4, ncclNumOps = 5,
  ncclMaxRedOp = 0x7fffffff
};
enum ncclDataType_t {
  ncclInt8 = 0, ncclChar = 0, ncclUint8 = 1, ncclInt32 = 2, ncclInt = 2, ncclUint32 = 3, ncclInt64 = 4,
  ncclUint64 = 5, ncclFloat16 = 6, ncclHalf = 6, ncclFloat32 = 7, ncclFloat = 7, ncclFloat64 = 8, ncclDouble = 8,
  ncclBfloat16 = 9, ncclFloat8e4m3 = 10, ncclFloat8e5m2 = 11, ncclNumTypes = 12
};
enum ncclScalarResidence_t {
  ncclScalarDevice = 0, ncclScalarHostImmediate = 1
};
extern "C" const char *ncclGetErrorString(...);
extern "C" ncclResult_t
    ncclAllGather(...), ncclAllReduce(...), ncclAlltoAll(...), ncclBcast(...), ncclBroadcast(...),
    ncclCommAbort(...), ncclCommCount(...), ncclCommCuDevice(...), ncclCommDeregister(...), ncclCommDestroy(...),
    ncclCommFinalize(...), ncclCommGetAsyncError(...), ncclCommInitAll(...), ncclCommInitRank(...),
    ncclCommInitRankConfig(...), ncclCommInitRankScalable(...), ncclCommRegister(...), ncclCommRevoke(...),
    ncclCommShrink(...), ncclCommSplit(...), ncclCommUserRank(...), ncclCommWindowDeregister(...),
    ncclCommWindowRegister(...), ncclGather(...), ncclGetLastError(...), ncclGetUniqueId(...), ncclGetVersion(...),
    ncclGroupEnd(...), ncclGroupSimulateEnd(...), ncclGroupStart(...), ncclMemAlloc(...), ncclMemFree(...),
    ncclRecv(...), ncclRedOpCreatePreMulSum(...), ncclRedOpDestroy(...), ncclReduce(...), ncclReduceScatter(...),
    ncclResetDebugInit(...), ncclScatter(...), ncclSend(...);
#endif
