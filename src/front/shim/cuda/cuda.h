/* cuda.h: the driver API, for host code to parse. Same approach as ww_runtime_api.h: `f(...)` accepts every call. */
#ifndef WW_CUDA_DRIVER_H
#define WW_CUDA_DRIVER_H
#include "ww_cuda.h"

typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef cudaGraph_t CUgraph;
typedef cudaGraphExec_t CUgraphExec;
typedef cudaGraphNode_t CUgraphNode;
typedef cudaMemPool_t CUmemoryPool;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel;
typedef struct CUlib_st *CUlibrary;
typedef struct CUarray_st *CUarray;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUtexref_st *CUtexref;
typedef int CUdevice, CUdevice_v1;
typedef unsigned long long CUdeviceptr, CUdeviceptr_v2;
typedef unsigned long long CUtexObject, CUsurfObject, CUmemGenericAllocationHandle;
struct CUtensorMap { alignas(64) unsigned long long opaque[16]; };
#define CU_DEVICE_CPU ((CUdevice)-1)
#define CU_DEVICE_INVALID ((CUdevice)-2)

enum CUresult {
  CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_DEINITIALIZED = 4, CUDA_ERROR_NO_DEVICE = 100, CUDA_ERROR_INVALID_DEVICE = 101, CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201, CUDA_ERROR_NO_BINARY_FOR_GPU = 209, CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_SOURCE = 300, CUDA_ERROR_FILE_NOT_FOUND = 301, CUDA_ERROR_INVALID_HANDLE = 400, CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600, CUDA_ERROR_ILLEGAL_ADDRESS = 700, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701, CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_LAUNCH_FAILED = 719, CUDA_ERROR_NOT_SUPPORTED = 801, CUDA_ERROR_UNKNOWN = 999,
};
enum CUdevice_attribute {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE, CU_DEVICE_ATTRIBUTE_MAX_PITCH, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
};
enum CUjit_option {
  CU_JIT_MAX_REGISTERS, CU_JIT_THREADS_PER_BLOCK, CU_JIT_WALL_TIME, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
  CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_TARGET_FROM_CUCONTEXT,
  CU_JIT_TARGET, CU_JIT_FALLBACK_STRATEGY, CU_JIT_GENERATE_DEBUG_INFO, CU_JIT_LOG_VERBOSE, CU_JIT_GENERATE_LINE_INFO, CU_JIT_CACHE_MODE,
};
enum CUfunction_attribute {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_PTX_VERSION, CU_FUNC_ATTRIBUTE_BINARY_VERSION,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
};
enum CUfunc_cache { CU_FUNC_CACHE_PREFER_NONE, CU_FUNC_CACHE_PREFER_SHARED, CU_FUNC_CACHE_PREFER_L1, CU_FUNC_CACHE_PREFER_EQUAL };
enum CUmemAllocationType { CU_MEM_ALLOCATION_TYPE_INVALID, CU_MEM_ALLOCATION_TYPE_PINNED };
enum CUmemLocationType { CU_MEM_LOCATION_TYPE_INVALID, CU_MEM_LOCATION_TYPE_DEVICE };
enum CUmemAccess_flags { CU_MEM_ACCESS_FLAGS_PROT_NONE, CU_MEM_ACCESS_FLAGS_PROT_READ, CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3 };
enum CUmemAllocationGranularity_flags { CU_MEM_ALLOC_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED };
struct CUmemLocation { CUmemLocationType type; int id; };
struct CUmemAllocationProp { CUmemAllocationType type; int requestedHandleTypes; CUmemLocation location; void *win32HandleMetaData; };
struct CUmemAccessDesc { CUmemLocation location; CUmemAccess_flags flags; };
enum {
  CU_CTX_SCHED_AUTO = 0, CU_CTX_SCHED_SPIN = 1, CU_CTX_SCHED_YIELD = 2, CU_CTX_SCHED_BLOCKING_SYNC = 4, CU_CTX_MAP_HOST = 8,
  CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2,
  CU_MEMHOSTALLOC_PORTABLE = 1, CU_MEMHOSTALLOC_DEVICEMAP = 2, CU_MEM_ATTACH_GLOBAL = 1,
};
#define CU_LAUNCH_PARAM_END ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)

#ifdef WW_EMULATE
#include "ww_driver_full.h"
#else
extern "C" CUresult
    cuInit(...), cuDriverGetVersion(...), cuGetErrorString(...), cuGetErrorName(...), cuDeviceGet(...), cuDeviceGetCount(...),
    cuDeviceGetName(...), cuDeviceGetUuid(...), cuDeviceGetAttribute(...), cuDeviceTotalMem(...), cuDeviceComputeCapability(...),
    cuDevicePrimaryCtxRetain(...), cuDevicePrimaryCtxRelease(...), cuDevicePrimaryCtxReset(...), cuDeviceCanAccessPeer(...),
    cuCtxCreate(...), cuCtxDestroy(...), cuCtxGetCurrent(...), cuCtxSetCurrent(...), cuCtxPushCurrent(...), cuCtxPopCurrent(...),
    cuCtxSynchronize(...), cuCtxGetDevice(...), cuCtxSetLimit(...), cuCtxSetCacheConfig(...), cuCtxEnablePeerAccess(...),
    cuModuleLoad(...), cuModuleLoadData(...), cuModuleLoadDataEx(...), cuModuleUnload(...), cuModuleGetFunction(...), cuModuleGetGlobal(...),
    cuLibraryLoadData(...), cuLibraryGetKernel(...), cuLinkCreate(...), cuLinkAddData(...), cuLinkComplete(...), cuLinkDestroy(...),
    cuMemAlloc(...), cuMemAllocPitch(...), cuMemAllocHost(...), cuMemAllocManaged(...), cuMemAllocAsync(...), cuMemFree(...), cuMemFreeHost(...),
    cuMemFreeAsync(...), cuMemHostAlloc(...), cuMemHostRegister(...), cuMemHostUnregister(...), cuMemHostGetDevicePointer(...), cuMemGetInfo(...),
    cuMemGetAddressRange(...), cuMemcpy(...), cuMemcpyHtoD(...), cuMemcpyDtoH(...), cuMemcpyDtoD(...), cuMemcpyHtoDAsync(...), cuMemcpyDtoHAsync(...),
    cuMemcpyDtoDAsync(...), cuMemcpyAsync(...), cuMemcpy2D(...), cuMemcpyPeer(...), cuMemsetD8(...), cuMemsetD16(...), cuMemsetD32(...), cuMemsetD8Async(...),
    cuMemsetD32Async(...), cuMemAdvise(...), cuMemPrefetchAsync(...), cuMemAddressReserve(...), cuMemAddressFree(...), cuMemCreate(...), cuMemRelease(...),
    cuMemMap(...), cuMemUnmap(...), cuMemSetAccess(...), cuMemGetAllocationGranularity(...), cuPointerGetAttribute(...),
    cuLaunchKernel(...), cuLaunchKernelEx(...), cuLaunchCooperativeKernel(...), cuLaunchHostFunc(...), cuFuncGetAttribute(...), cuFuncSetAttribute(...),
    cuFuncSetCacheConfig(...), cuFuncSetSharedMemConfig(...), cuOccupancyMaxActiveBlocksPerMultiprocessor(...), cuOccupancyMaxPotentialBlockSize(...),
    cuStreamCreate(...), cuStreamCreateWithPriority(...), cuStreamDestroy(...), cuStreamSynchronize(...), cuStreamQuery(...), cuStreamWaitEvent(...),
    cuEventCreate(...), cuEventDestroy(...), cuEventRecord(...), cuEventSynchronize(...), cuEventQuery(...), cuEventElapsedTime(...),
    cuGraphLaunch(...), cuGraphInstantiate(...), cuProfilerStart(...), cuProfilerStop(...), cuTensorMapEncodeTiled(...), cuTexObjectCreate(...);
#endif
#endif
