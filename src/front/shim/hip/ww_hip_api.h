/* Functions of the HIP runtime API, declared for the host code around the kernels. */
#ifndef WW_HIP_API_H
#define WW_HIP_API_H
#include "ww_hip_types.h"

/* What clang's <<<...>>> expands to on the host. */
extern "C" hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, hipStream_t stream = 0);
extern "C" hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, hipStream_t *stream);
extern "C" hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t shared = 0, hipStream_t stream = 0);
extern "C" hipError_t hipLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared, hipStream_t stream);

#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
  do { kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__); } while (0)
#define hipLaunchKernelGGLInternal(...) hipLaunchKernelGGL(__VA_ARGS__)

const char *hipGetErrorString(hipError_t);
const char *hipGetErrorName(hipError_t);
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();
hipError_t hipDeviceSynchronize();
hipError_t hipDeviceReset();
hipError_t hipSetDevice(int);
hipError_t hipGetDevice(int *);
hipError_t hipGetDeviceCount(int *);
hipError_t hipGetDeviceProperties(hipDeviceProp_t *, int);
hipError_t hipFree(void *);
hipError_t hipHostFree(void *);
hipError_t hipFreeHost(void *);
hipError_t hipMemcpy(void *, const void *, size_t, hipMemcpyKind);
hipError_t hipMemcpyAsync(void *, const void *, size_t, hipMemcpyKind, hipStream_t = 0);
hipError_t hipMemset(void *, int, size_t);
hipError_t hipMemsetAsync(void *, int, size_t, hipStream_t = 0);
hipError_t hipStreamCreate(hipStream_t *);
hipError_t hipStreamDestroy(hipStream_t);
hipError_t hipStreamSynchronize(hipStream_t);
hipError_t hipStreamWaitEvent(hipStream_t, hipEvent_t, unsigned = 0);
hipError_t hipEventRecord(hipEvent_t, hipStream_t = 0);
hipError_t hipStreamAddCallback(hipStream_t, hipStreamCallback_t, void *, unsigned);
hipError_t hipLaunchHostFunc(hipStream_t, hipHostFn_t, void *);
hipError_t hipLaunchCooperativeKernel(const void *, dim3, dim3, void **, unsigned, hipStream_t);
template <class K> hipError_t hipLaunchCooperativeKernel(K, dim3, dim3, void **, unsigned, hipStream_t) WW_NO_BODY
hipError_t hipCreateTextureObject(hipTextureObject_t *, const hipResourceDesc *, const hipTextureDesc *, const hipResourceViewDesc *);
hipPitchedPtr make_hipPitchedPtr(void *, size_t, size_t, size_t);
hipExtent make_hipExtent(size_t, size_t, size_t);
hipPos make_hipPos(size_t, size_t, size_t);
hipChannelFormatDesc hipCreateChannelDesc(int, int, int, int, hipChannelFormatKind);
template <class T> hipChannelFormatDesc hipCreateChannelDesc() WW_NO_BODY

/* Kernels may be template instances, whose address only a deduced parameter takes. */
template <class T> hipError_t hipMalloc(T **, size_t) WW_NO_BODY
template <class T> hipError_t hipMallocManaged(T **, size_t, unsigned = hipMemAttachGlobal) WW_NO_BODY
template <class T> hipError_t hipMallocHost(T **, size_t) WW_NO_BODY
template <class T> hipError_t hipHostMalloc(T **, size_t, unsigned = 0) WW_NO_BODY
template <class T> hipError_t hipHostAlloc(T **, size_t, unsigned = 0) WW_NO_BODY
template <class T> hipError_t hipMallocAsync(T **, size_t, hipStream_t) WW_NO_BODY
template <class T> hipError_t hipMallocPitch(T **, size_t *, size_t, size_t) WW_NO_BODY
template <class T> hipError_t hipMemcpyToSymbol(T &&, const void *, size_t, size_t = 0, hipMemcpyKind = hipMemcpyHostToDevice) WW_NO_BODY
template <class T> hipError_t hipMemcpyToSymbolAsync(T &&, const void *, size_t, size_t, hipMemcpyKind, hipStream_t = 0) WW_NO_BODY
template <class T> hipError_t hipMemcpyFromSymbol(void *, T &&, size_t, size_t = 0, hipMemcpyKind = hipMemcpyDeviceToHost) WW_NO_BODY
template <class T> hipError_t hipGetSymbolAddress(void **, T &&) WW_NO_BODY
template <class T> hipError_t hipGetSymbolSize(size_t *, T &&) WW_NO_BODY
template <class K> hipError_t hipFuncSetAttribute(K, hipFuncAttribute, int) WW_NO_BODY
template <class K> hipError_t hipFuncSetCacheConfig(K, hipFuncCache_t) WW_NO_BODY
template <class K> hipError_t hipFuncSetSharedMemConfig(K, hipSharedMemConfig) WW_NO_BODY
template <class K> hipError_t hipFuncGetAttributes(hipFuncAttributes *, K) WW_NO_BODY
template <class K> hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *, K, int, size_t) WW_NO_BODY
template <class K> hipError_t hipOccupancyMaxPotentialBlockSize(int *, int *, K, size_t = 0, int = 0) WW_NO_BODY
template <class K, class F> hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMem(int *, int *, K, F, int = 0) WW_NO_BODY

#define WW_HIP(name) WW_HOST_CALL(hipError_t, name)
/* Device and context. */
WW_HIP(hipInit) WW_HIP(hipDriverGetVersion) WW_HIP(hipRuntimeGetVersion) WW_HIP(hipDeviceGet) WW_HIP(hipDeviceGetName) WW_HIP(hipDeviceGetAttribute)
WW_HIP(hipDeviceGetLimit) WW_HIP(hipDeviceSetLimit) WW_HIP(hipDeviceSetCacheConfig) WW_HIP(hipDeviceGetCacheConfig) WW_HIP(hipDeviceSetSharedMemConfig)
WW_HIP(hipDeviceGetPCIBusId) WW_HIP(hipDeviceGetUuid) WW_HIP(hipDeviceTotalMem) WW_HIP(hipDeviceComputeCapability) WW_HIP(hipSetDeviceFlags) WW_HIP(hipGetDeviceFlags)
WW_HIP(hipChooseDevice) WW_HIP(hipDeviceCanAccessPeer) WW_HIP(hipDeviceEnablePeerAccess) WW_HIP(hipDeviceDisablePeerAccess) WW_HIP(hipDeviceGetP2PAttribute)
WW_HIP(hipDeviceGetStreamPriorityRange) WW_HIP(hipDeviceGetDefaultMemPool) WW_HIP(hipDeviceGetMemPool) WW_HIP(hipDeviceSetMemPool)
WW_HIP(hipCtxCreate) WW_HIP(hipCtxDestroy) WW_HIP(hipCtxSetCurrent) WW_HIP(hipCtxGetCurrent) WW_HIP(hipCtxSynchronize) WW_HIP(hipDevicePrimaryCtxRetain) WW_HIP(hipDevicePrimaryCtxRelease)
/* Memory. */
WW_HIP(hipMemGetInfo) WW_HIP(hipMalloc3D) WW_HIP(hipMallocArray) WW_HIP(hipMalloc3DArray) WW_HIP(hipFreeArray) WW_HIP(hipFreeAsync) WW_HIP(hipExtMallocWithFlags)
WW_HIP(hipMemcpy2D) WW_HIP(hipMemcpy2DAsync) WW_HIP(hipMemcpy3D) WW_HIP(hipMemcpy3DAsync) WW_HIP(hipMemcpyPeer) WW_HIP(hipMemcpyPeerAsync) WW_HIP(hipMemcpyWithStream)
WW_HIP(hipMemcpyHtoD) WW_HIP(hipMemcpyDtoH) WW_HIP(hipMemcpyDtoD) WW_HIP(hipMemcpyHtoDAsync) WW_HIP(hipMemcpyDtoHAsync) WW_HIP(hipMemcpyDtoDAsync)
WW_HIP(hipMemcpyToArray) WW_HIP(hipMemcpy2DToArray) WW_HIP(hipMemcpy2DFromArray) WW_HIP(hipMemcpyFromArray) WW_HIP(hipMemcpyFromSymbolAsync)
WW_HIP(hipMemset2D) WW_HIP(hipMemset2DAsync) WW_HIP(hipMemset3D) WW_HIP(hipMemsetD8) WW_HIP(hipMemsetD16) WW_HIP(hipMemsetD32) WW_HIP(hipMemsetD32Async)
WW_HIP(hipMemAdvise) WW_HIP(hipMemPrefetchAsync) WW_HIP(hipMemRangeGetAttribute) WW_HIP(hipPointerGetAttributes) WW_HIP(hipPointerGetAttribute) WW_HIP(hipMemGetAddressRange)
WW_HIP(hipHostRegister) WW_HIP(hipHostUnregister) WW_HIP(hipHostGetDevicePointer) WW_HIP(hipHostGetFlags) WW_HIP(hipStreamAttachMemAsync)
WW_HIP(hipMemPoolCreate) WW_HIP(hipMemPoolDestroy) WW_HIP(hipMemPoolSetAttribute) WW_HIP(hipMemPoolGetAttribute) WW_HIP(hipMemPoolTrimTo) WW_HIP(hipMallocFromPoolAsync)
WW_HIP(hipIpcGetMemHandle) WW_HIP(hipIpcOpenMemHandle) WW_HIP(hipIpcCloseMemHandle)
/* Streams, events, graphs. */
WW_HIP(hipStreamCreateWithFlags) WW_HIP(hipStreamCreateWithPriority) WW_HIP(hipStreamQuery) WW_HIP(hipStreamGetFlags) WW_HIP(hipStreamGetPriority)
WW_HIP(hipEventCreate) WW_HIP(hipEventCreateWithFlags) WW_HIP(hipEventDestroy) WW_HIP(hipEventSynchronize) WW_HIP(hipEventElapsedTime) WW_HIP(hipEventQuery)
WW_HIP(hipStreamBeginCapture) WW_HIP(hipStreamEndCapture) WW_HIP(hipStreamIsCapturing) WW_HIP(hipGraphCreate) WW_HIP(hipGraphDestroy) WW_HIP(hipGraphInstantiate)
WW_HIP(hipGraphLaunch) WW_HIP(hipGraphExecDestroy) WW_HIP(hipGraphExecUpdate) WW_HIP(hipGraphGetNodes) WW_HIP(hipGraphAddKernelNode) WW_HIP(hipGraphAddMemcpyNode)
WW_HIP(hipGraphAddMemcpyNode1D) WW_HIP(hipGraphAddMemsetNode) WW_HIP(hipGraphAddHostNode) WW_HIP(hipGraphAddEmptyNode) WW_HIP(hipGraphAddDependencies) WW_HIP(hipGraphClone)
WW_HIP(hipGraphUpload) WW_HIP(hipGraphKernelNodeSetParams) WW_HIP(hipGraphExecKernelNodeSetParams)
/* Textures, modules, launches. */
WW_HIP(hipDestroyTextureObject) WW_HIP(hipCreateSurfaceObject) WW_HIP(hipDestroySurfaceObject) WW_HIP(hipBindTexture) WW_HIP(hipBindTexture2D) WW_HIP(hipBindTextureToArray) WW_HIP(hipUnbindTexture)
WW_HIP(hipModuleLoad) WW_HIP(hipModuleLoadData) WW_HIP(hipModuleUnload) WW_HIP(hipModuleGetFunction) WW_HIP(hipModuleGetGlobal) WW_HIP(hipModuleLaunchKernel)
WW_HIP(hipExtLaunchKernel) WW_HIP(hipExtLaunchKernelGGL) WW_HIP(hipModuleOccupancyMaxPotentialBlockSize) WW_HIP(hipLaunchCooperativeKernelMultiDevice)
WW_HIP(hipProfilerStart) WW_HIP(hipProfilerStop) WW_HIP(hiprtcCreateProgram) WW_HIP(hiprtcCompileProgram) WW_HIP(hiprtcGetCode) WW_HIP(hiprtcGetCodeSize) WW_HIP(hiprtcDestroyProgram)
#undef WW_HIP

#endif
