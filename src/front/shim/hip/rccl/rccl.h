/* RCCL's host API. */
#ifndef WW_RCCL_H
#define WW_RCCL_H
#include "../ww_hip.h"
WW_HOST_HANDLE(ncclComm_t)
typedef struct { char internal[128]; } ncclUniqueId;
typedef enum { ncclSuccess, ncclUnhandledCudaError, ncclSystemError, ncclInternalError, ncclInvalidArgument, ncclInvalidUsage } ncclResult_t;
typedef enum { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg } ncclRedOp_t;
typedef enum { ncclInt8, ncclChar = 0, ncclUint8, ncclInt32, ncclInt = 2, ncclUint32, ncclInt64, ncclUint64, ncclFloat16, ncclHalf = 6, ncclFloat32, ncclFloat = 7, ncclFloat64, ncclDouble = 8, ncclBfloat16 } ncclDataType_t;
const char *ncclGetErrorString(ncclResult_t);
#define WW_NCCL(name) WW_HOST_CALL(ncclResult_t, nccl##name)
WW_NCCL(GetUniqueId) WW_NCCL(CommInitRank) WW_NCCL(CommInitAll) WW_NCCL(CommDestroy) WW_NCCL(CommFinalize) WW_NCCL(CommAbort) WW_NCCL(CommUserRank) WW_NCCL(CommCount) WW_NCCL(AllReduce) WW_NCCL(Broadcast) WW_NCCL(Bcast) WW_NCCL(Reduce)
WW_NCCL(AllGather) WW_NCCL(ReduceScatter) WW_NCCL(Send) WW_NCCL(Recv) WW_NCCL(GroupStart) WW_NCCL(GroupEnd) WW_NCCL(GetVersion)
#undef WW_NCCL
#endif
