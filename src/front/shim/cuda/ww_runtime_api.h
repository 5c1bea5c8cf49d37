/* The CUDA runtime API as host code calls it.
 *
 * Host code is only type-checked, so a function is declared `f(...)`: it accepts whatever the real one does,
 * costs nothing to parse, and one declaration lists a whole chapter. Templates remain where an argument can be
 * of class type (symbols, kernels), fixed signatures where device code may call (dynamic parallelism). */
#ifndef WW_RUNTIME_API_H
#define WW_RUNTIME_API_H
#include "ww_runtime_types.h"

extern "C" {
/* what clang calls for kernel<<<...>>>() */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);

/* callable on the device too */
__host__ __device__ cudaError_t cudaDeviceSynchronize(void);
__host__ __device__ cudaError_t cudaGetLastError(void);
__host__ __device__ cudaError_t cudaPeekAtLastError(void);
__host__ __device__ const char *cudaGetErrorString(cudaError_t);
__host__ __device__ const char *cudaGetErrorName(cudaError_t);
__host__ __device__ cudaError_t cudaGetDevice(int *);
__host__ __device__ cudaError_t cudaGetDeviceCount(int *);
__host__ __device__ cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
__host__ __device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned int);
__host__ __device__ cudaError_t cudaStreamDestroy(cudaStream_t);
__host__ __device__ cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t = 0);
__host__ __device__ cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
__host__ __device__ cudaError_t cudaFree(void *);
/* an argument may be a class that converts to a pointer */
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaFreeHost(void *);

cudaError_t
    /* devices */
    cudaSetDevice(...), cudaGetDeviceProperties(...), cudaGetDeviceProperties_v2(...), cudaSetDeviceFlags(...), cudaGetDeviceFlags(...),
    cudaChooseDevice(...), cudaSetValidDevices(...), cudaInitDevice(...), cudaDeviceReset(...), cudaDeviceSetLimit(...), cudaDeviceGetLimit(...),
    cudaDeviceSetCacheConfig(...), cudaDeviceGetCacheConfig(...), cudaDeviceSetSharedMemConfig(...), cudaDeviceGetSharedMemConfig(...),
    cudaDeviceCanAccessPeer(...), cudaDeviceEnablePeerAccess(...), cudaDeviceDisablePeerAccess(...), cudaDeviceGetP2PAttribute(...),
    cudaDeviceGetStreamPriorityRange(...), cudaDeviceGetPCIBusId(...), cudaDeviceGetByPCIBusId(...), cudaDeviceGetDefaultMemPool(...),
    cudaDeviceGetMemPool(...), cudaDeviceSetMemPool(...), cudaDriverGetVersion(...), cudaRuntimeGetVersion(...), cudaCtxResetPersistingL2Cache(...),
#ifndef cudaThreadSynchronize /* gone from CUDA 13: programs define it as a macro of today's name */
    cudaThreadSynchronize(...),
#endif
#ifndef cudaThreadExit
    cudaThreadExit(...),
#endif
    cudaThreadSetLimit(...), cudaThreadSetCacheConfig(...),
    cudaProfilerStart(...), cudaProfilerStop(...), cudaProfilerInitialize(...),
    /* memory */
    cudaFreeAsync(...), cudaFreeArray(...), cudaFreeMipmappedArray(...), cudaHostRegister(...), cudaHostUnregister(...),
    cudaHostGetFlags(...), cudaHostGetDevicePointer(...), cudaMemGetInfo(...), cudaPointerGetAttributes(...), cudaMemset2D(...),
    cudaMemset2DAsync(...), cudaMemset3D(...), cudaMemset3DAsync(...), cudaMemcpy2D(...), cudaMemcpy2DAsync(...),
    cudaMemcpy2DToArray(...), cudaMemcpy2DToArrayAsync(...), cudaMemcpy2DFromArray(...), cudaMemcpy2DFromArrayAsync(...),
    cudaMemcpy2DArrayToArray(...), cudaMemcpyToArray(...), cudaMemcpyToArrayAsync(...), cudaMemcpyFromArray(...), cudaMemcpyArrayToArray(...),
    cudaMemcpy3D(...), cudaMemcpy3DAsync(...), cudaMemcpy3DPeer(...), cudaMemcpy3DPeerAsync(...), cudaMemcpyPeer(...), cudaMemcpyPeerAsync(...),
    cudaMemAdvise(...), cudaMemPrefetchAsync(...), cudaMemRangeGetAttribute(...), cudaMemRangeGetAttributes(...),
    cudaMalloc(...), cudaMallocHost(...), cudaHostAlloc(...), cudaMallocManaged(...), cudaMallocAsync(...), cudaMallocFromPoolAsync(...),
    cudaMallocPitch(...), cudaMalloc3D(...), cudaMallocArray(...), cudaMalloc3DArray(...), cudaMallocMipmappedArray(...), cudaGetMipmappedArrayLevel(...),
    cudaArrayGetInfo(...), cudaMemPoolCreate(...), cudaMemPoolDestroy(...), cudaMemPoolTrimTo(...), cudaMemPoolSetAttribute(...),
    cudaMemPoolGetAttribute(...), cudaMemPoolSetAccess(...), cudaMemPoolGetAccess(...), cudaIpcGetMemHandle(...), cudaIpcOpenMemHandle(...),
    cudaIpcCloseMemHandle(...), cudaIpcGetEventHandle(...), cudaIpcOpenEventHandle(...),
    /* streams, events */
    cudaStreamCreate(...), cudaStreamCreateWithPriority(...), cudaStreamSynchronize(...), cudaStreamQuery(...),
    cudaStreamWaitEvent(...), cudaStreamAddCallback(...), cudaStreamAttachMemAsync(...), cudaStreamGetPriority(...), cudaStreamGetFlags(...),
    cudaStreamSetAttribute(...), cudaStreamGetAttribute(...), cudaStreamCopyAttributes(...), cudaLaunchHostFunc(...), cudaEventCreate(...),
    cudaEventCreateWithFlags(...), cudaEventRecord(...), cudaEventRecordWithFlags(...), cudaEventSynchronize(...), cudaEventQuery(...),
    cudaEventElapsedTime(...), cudaEventDestroy(...),
    /* graphs */
    cudaStreamBeginCapture(...), cudaStreamEndCapture(...), cudaStreamIsCapturing(...), cudaStreamGetCaptureInfo(...), cudaThreadExchangeStreamCaptureMode(...),
    cudaGraphCreate(...), cudaGraphDestroy(...), cudaGraphClone(...), cudaGraphInstantiate(...), cudaGraphInstantiateWithFlags(...), cudaGraphLaunch(...),
    cudaGraphUpload(...), cudaGraphExecDestroy(...), cudaGraphExecUpdate(...), cudaGraphAddNode(...), cudaGraphAddKernelNode(...), cudaGraphAddMemcpyNode(...),
    cudaGraphAddMemcpyNode1D(...), cudaGraphAddMemsetNode(...), cudaGraphAddHostNode(...), cudaGraphAddEmptyNode(...), cudaGraphAddChildGraphNode(...),
    cudaGraphAddDependencies(...), cudaGraphGetNodes(...), cudaGraphGetRootNodes(...), cudaGraphGetEdges(...), cudaGraphKernelNodeGetParams(...),
    cudaGraphKernelNodeSetParams(...), cudaGraphExecKernelNodeSetParams(...), cudaGraphExecMemcpyNodeSetParams(...), cudaGraphExecMemsetNodeSetParams(...),
    cudaGraphNodeGetType(...), cudaGraphDestroyNode(...), cudaGraphDebugDotPrint(...), cudaGraphKernelNodeSetAttribute(...),
    /* textures, surfaces, graphics */
    cudaCreateTextureObject(...), cudaDestroyTextureObject(...), cudaCreateSurfaceObject(...), cudaDestroySurfaceObject(...),
    cudaGetChannelDesc(...), cudaGetTextureObjectResourceDesc(...), cudaGraphicsMapResources(...), cudaGraphicsUnmapResources(...),
    cudaGraphicsResourceGetMappedPointer(...), cudaGraphicsUnregisterResource(...), cudaGraphicsGLRegisterBuffer(...),
    cudaGraphicsGLRegisterImage(...), cudaGraphicsSubResourceGetMappedArray(...), cudaGLSetGLDevice(...), cudaGetDriverEntryPoint(...);
}

/* ---- symbols: arrays, scalars or structs ---- */
template <class T, class... A> inline cudaError_t cudaMemcpyToSymbol(const T &, const void *, size_t, A...) { return cudaSuccess; }
template <class T, class... A> inline cudaError_t cudaMemcpyToSymbolAsync(const T &, const void *, size_t, A...) { return cudaSuccess; }
template <class T, class... A> inline cudaError_t cudaMemcpyFromSymbol(void *, const T &, size_t, A...) { return cudaSuccess; }
template <class T, class... A> inline cudaError_t cudaMemcpyFromSymbolAsync(void *, const T &, size_t, A...) { return cudaSuccess; }
template <class P, class T> inline cudaError_t cudaGetSymbolAddress(P **, const T &) { return cudaSuccess; }
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *, const T &) { return cudaSuccess; }

/* ---- kernels: a function, a pointer to one, or void* ---- */
template <class F, class... A> inline cudaError_t cudaLaunchKernel(F *, dim3, dim3, void **, A...) { return cudaSuccess; }
template <class F, class... A> inline cudaError_t cudaLaunchCooperativeKernel(F *, dim3, dim3, void **, A...) { return cudaSuccess; }
template <class... A> inline cudaError_t cudaLaunchCooperativeKernelMultiDevice(A...) { return cudaSuccess; }
template <class F, class... A> inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *, F *, A &&...) { return cudaSuccess; }
template <class F> inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, F *, void **) { return cudaSuccess; }
template <class F> inline cudaError_t cudaFuncSetAttribute(F *, cudaFuncAttribute, int) { return cudaSuccess; }
template <class F> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, F *) { return cudaSuccess; }
template <class F> inline cudaError_t cudaFuncSetCacheConfig(F *, cudaFuncCache) { return cudaSuccess; }
template <class F> inline cudaError_t cudaFuncSetSharedMemConfig(F *, cudaSharedMemConfig) { return cudaSuccess; }
template <class F> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, F *, int, size_t) { return cudaSuccess; }
template <class F> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, F *, int, size_t, unsigned) { return cudaSuccess; }
template <class F> inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *, int *, F *, size_t = 0, int = 0) { return cudaSuccess; }
template <class F> inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *, int *, F *, size_t = 0, int = 0, unsigned = 0) { return cudaSuccess; }
template <class F, class S> inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *, int *, F *, S, int = 0) { return cudaSuccess; }
template <class F> inline cudaError_t cudaOccupancyMaxActiveClusters(int *, F *, const cudaLaunchConfig_t *) { return cudaSuccess; }
template <class F> inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, F *, int, int) { return cudaSuccess; }

/* ---- channel descriptors ---- */
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return cudaChannelFormatDesc{x, y, z, w, f};
}
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc(void) {
  return cudaChannelFormatDesc{8 * (int)sizeof(T), 0, 0, 0, cudaChannelFormatKindNone};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf(void) { return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat); }

/* ---- programmatic dependent launch: without a preceding grid there is nothing to wait for ---- */
WW_D void cudaGridDependencySynchronize(void) {}
WW_D void cudaTriggerProgrammaticLaunchCompletion(void) {}
#endif
