/* The CUDA runtime API with its full signatures, for host code that will really run (record --emulate).
 *
 * Takes the place of ww_runtime_api.h where WW_EMULATE is defined. Functions are defined by the stand-in runtime, which is C:
 * whatever passes a C++ struct or a template is an inline body here, over a few __ww functions of plain types, so that no
 * layout has to be kept in two places. */
#ifndef WW_RUNTIME_FULL_H
#define WW_RUNTIME_FULL_H
#include "ww_runtime_types.h"

extern "C" {
/* what clang calls for kernel<<<...>>>() */
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);

/* ---- the stand-in's own ---- */
cudaError_t __wwLaunch(const void *fn, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t, int cooperative);
void __wwNothing(const char *what); /* says once that a library's call does nothing here */
unsigned long long __wwDevice(int what); /* 0: global memory, 1: shared of a multiprocessor, 2: of a block, 3: L2 */
const char *__wwDeviceName(void);
cudaError_t __wwMalloc(void **, size_t, int kind); /* 0: device, 1: managed, 2: pinned, 3: asynchronous */
cudaError_t __wwArrayMake(cudaArray_t *, size_t elem, size_t w, size_t h, size_t d, const int *desc);
cudaError_t __wwArray(cudaArray_const_t, void **data, size_t *elem, size_t dims[3], int *desc);
cudaError_t __wwTexture(unsigned long long *, const void *data, size_t w, size_t h, size_t d, size_t pitch, int normalized);
cudaError_t __wwSymbol(const void *shadow, void **address, size_t *bytes);
cudaError_t __wwCopyRows(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t rows);
cudaError_t __wwFunc(const void *fn, int what, int *value); /* 0: threads, 1: static shared, 2: registers, 3: local, 4: dynamic allowed */
cudaError_t __wwGraphAdd(cudaGraphNode_t *, cudaGraph_t, int kind, const void *fn, dim3 grid, dim3 block, size_t shared, void **args);
cudaError_t __wwGraphCopy(cudaGraphNode_t *, cudaGraph_t, void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h, int set, int value, size_t elem);
cudaError_t __wwGraphCall(cudaGraphNode_t *, cudaGraph_t, void (*fn)(void *), void *data);
cudaError_t __wwGraphSet(cudaGraphNode_t, const void *fn, dim3 grid, dim3 block, size_t shared, void **args);
cudaError_t __wwGraphChild(cudaGraphNode_t *, cudaGraph_t, cudaGraph_t child);

/* ---- callable on the device too ---- */
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

/* ---- devices ---- */
cudaError_t cudaSetDevice(int);
cudaError_t cudaSetDeviceFlags(unsigned int);
cudaError_t cudaGetDeviceFlags(unsigned int *);
cudaError_t cudaChooseDevice(int *, const cudaDeviceProp *);
cudaError_t cudaSetValidDevices(int *, int);
cudaError_t cudaInitDevice(int, unsigned int, unsigned int);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t);
cudaError_t cudaDeviceGetLimit(size_t *, cudaLimit);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig *);
cudaError_t cudaDeviceCanAccessPeer(int *, int, int);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int);
cudaError_t cudaDeviceDisablePeerAccess(int);
cudaError_t cudaDeviceGetP2PAttribute(int *, cudaDeviceP2PAttr, int, int);
cudaError_t cudaDeviceGetStreamPriorityRange(int *, int *);
cudaError_t cudaDeviceGetPCIBusId(char *, int, int);
cudaError_t cudaDeviceGetByPCIBusId(int *, const char *);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *, int);
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t);
cudaError_t cudaDriverGetVersion(int *);
cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaCtxResetPersistingL2Cache(void);
/* Gone from CUDA 13: programs define them as macros of today's names, which would make a second declaration of those. */
#ifndef cudaThreadSynchronize
cudaError_t cudaThreadSynchronize(void);
#endif
#ifndef cudaThreadExit
cudaError_t cudaThreadExit(void);
#endif
#ifndef cudaThreadSetLimit
cudaError_t cudaThreadSetLimit(cudaLimit, size_t);
#endif
#ifndef cudaThreadSetCacheConfig
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache);
#endif
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* ---- memory ---- */
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t);
cudaError_t cudaHostRegister(void *, size_t, unsigned int);
cudaError_t cudaHostUnregister(void *);
cudaError_t cudaHostGetFlags(unsigned int *, void *);
cudaError_t cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaMemset2D(void *, size_t, int, size_t, size_t);
cudaError_t cudaMemset2DAsync(void *, size_t, int, size_t, size_t, cudaStream_t = 0);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemcpyPeer(void *, int, const void *, int, size_t);
cudaError_t cudaMemcpyPeerAsync(void *, int, const void *, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemRangeGetAttribute(void *, size_t, cudaMemRangeAttribute, const void *, size_t);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *, const cudaMemPoolProps *);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, size_t);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *, void *);
cudaError_t cudaIpcOpenMemHandle(void **, cudaIpcMemHandle_t, unsigned int);
cudaError_t cudaIpcCloseMemHandle(void *);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *, cudaEvent_t);

/* ---- streams, events ---- */
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned int, int);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t, cudaStreamCallback_t, void *, unsigned int);
cudaError_t cudaStreamGetPriority(cudaStream_t, int *);
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned int *);
cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long *);
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue *);
cudaError_t cudaStreamGetAttribute(cudaStream_t, cudaStreamAttrID, cudaStreamAttrValue *);
cudaError_t cudaStreamCopyAttributes(cudaStream_t, cudaStream_t);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned int);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t = 0, unsigned int = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);

/* ---- graphs ---- */
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *);
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *);
cudaError_t cudaGraphCreate(cudaGraph_t *, unsigned int);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphClone(cudaGraph_t *, cudaGraph_t);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *, cudaGraph_t, unsigned long long = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t *, size_t *);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t, cudaGraphNode_t *, size_t *);
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t, const char *, unsigned int);
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t, cudaKernelNodeAttrID, const cudaKernelNodeAttrValue *);

/* ---- textures, surfaces ---- */
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
}

/* ---- allocation ---- */
#define WW_ALLOC(NAME, KIND, ...) template <class T> inline cudaError_t NAME(T **p, size_t n __VA_ARGS__) { return __wwMalloc((void **)p, n, KIND); }
WW_ALLOC(cudaMalloc, 0)
WW_ALLOC(cudaMallocManaged, 1, , unsigned int = cudaMemAttachGlobal)
WW_ALLOC(cudaMallocHost, 2, , unsigned int = 0)
WW_ALLOC(cudaHostAlloc, 2, , unsigned int = 0)
WW_ALLOC(cudaMallocAsync, 3, , cudaStream_t = 0)
WW_ALLOC(cudaMallocAsync, 3, , cudaMemPool_t, cudaStream_t)
WW_ALLOC(cudaMallocFromPoolAsync, 3, , cudaMemPool_t, cudaStream_t)
#undef WW_ALLOC
template <class T> inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return __wwMalloc((void **)p, *pitch * height, 0);
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr *p, cudaExtent e) {
  p->pitch = (e.width + 511) / 512 * 512, p->xsize = e.width, p->ysize = e.height;
  return __wwMalloc(&p->ptr, p->pitch * e.height * e.depth, 0);
}
extern "C" cudaError_t __wwHostPointer(void **, void *);
template <class T> inline cudaError_t cudaHostGetDevicePointer(T **d, void *h, unsigned int = 0) { return __wwHostPointer((void **)d, h); }
extern "C" cudaError_t __wwPointer(const void *, int *type, void **base);
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p) {
  int type = 0;
  void *base = 0;
  cudaError_t e = __wwPointer(p, &type, &base);
  a->type = (cudaMemoryType)type, a->device = type ? 0 : -2;
  a->devicePointer = type ? (void *)p : 0, a->hostPointer = type == 2 ? 0 : (void *)p;
  return e;
}
template <class... A> inline cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, A...) { return cudaSuccess; }
template <class... A> inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, A...) { return cudaSuccess; }
template <class T> inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, T *, size_t = 0, unsigned int = cudaMemAttachSingle) { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t *e, unsigned int flags = 0) { return cudaEventCreateWithFlags(e, flags); }

/* ---- the device's properties ---- */
inline int __wwAttribute(int a) {
  int v = 0;
  cudaDeviceGetAttribute(&v, (cudaDeviceAttr)a, 0);
  return v;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
  int count = 0;
  cudaGetDeviceCount(&count);
  if (device < 0 || device >= count) return cudaErrorInvalidDevice;
  *p = cudaDeviceProp();
  strncpy(p->name, __wwDeviceName(), sizeof p->name - 1);
  p->totalGlobalMem = __wwDevice(0), p->sharedMemPerMultiprocessor = __wwDevice(1);
  p->sharedMemPerBlockOptin = __wwDevice(2), p->l2CacheSize = (int)__wwDevice(3);
  p->sharedMemPerBlock = 49152, p->regsPerBlock = 65536, p->regsPerMultiprocessor = 65536, p->warpSize = 32;
  p->memPitch = 2147483647, p->maxThreadsPerBlock = 1024, p->totalConstMem = 65536;
  p->maxThreadsDim[0] = 1024, p->maxThreadsDim[1] = 1024, p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647, p->maxGridSize[1] = 65535, p->maxGridSize[2] = 65535;
  p->clockRate = __wwAttribute(cudaDevAttrClockRate), p->memoryClockRate = __wwAttribute(cudaDevAttrMemoryClockRate);
  p->memoryBusWidth = __wwAttribute(cudaDevAttrGlobalMemoryBusWidth);
  p->major = __wwAttribute(cudaDevAttrComputeCapabilityMajor), p->minor = __wwAttribute(cudaDevAttrComputeCapabilityMinor);
  p->multiProcessorCount = __wwAttribute(cudaDevAttrMultiProcessorCount);
  p->maxThreadsPerMultiProcessor = __wwAttribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  p->maxBlocksPerMultiProcessor = __wwAttribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  p->textureAlignment = 512, p->texturePitchAlignment = 32, p->surfaceAlignment = 512;
  p->deviceOverlap = p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
  p->streamPrioritiesSupported = p->globalL1CacheSupported = p->localL1CacheSupported = p->concurrentManagedAccess = 1;
  p->pageableMemoryAccess = 0, p->computePreemptionSupported = p->cooperativeLaunch = p->hostRegisterSupported = 1;
  p->memoryPoolsSupported = p->ECCEnabled = 1, p->asyncEngineCount = 3, p->singleToDoublePrecisionPerfRatio = 2;
  p->reservedSharedMemPerBlock = 1024;
  p->maxTexture1D = 131072, p->maxTexture2D[0] = 131072, p->maxTexture2D[1] = 65536, p->maxTexture1DLinear = 268435456;
  p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = 16384;
  return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp *p, int device) { return cudaGetDeviceProperties(p, device); }

/* ---- symbols: arrays, scalars or structs ---- */
inline cudaError_t __wwSymbolCopy(const void *symbol, void *host, size_t n, size_t offset, bool to) {
  void *p;
  size_t bytes;
  cudaError_t e = __wwSymbol(symbol, &p, &bytes);
  if (e) return e;
  if (offset > bytes || n > bytes - offset) return cudaErrorInvalidValue;
  return to ? cudaMemcpy((char *)p + offset, host, n, cudaMemcpyDefault) : cudaMemcpy(host, (char *)p + offset, n, cudaMemcpyDefault);
}
template <class T> inline cudaError_t cudaMemcpyToSymbol(const T &s, const void *h, size_t n, size_t o = 0, cudaMemcpyKind = cudaMemcpyHostToDevice) { return __wwSymbolCopy((const void *)&s, (void *)h, n, o, true); }
template <class T> inline cudaError_t cudaMemcpyToSymbolAsync(const T &s, const void *h, size_t n, size_t o = 0, cudaMemcpyKind = cudaMemcpyHostToDevice, cudaStream_t = 0) { return __wwSymbolCopy((const void *)&s, (void *)h, n, o, true); }
template <class T> inline cudaError_t cudaMemcpyFromSymbol(void *h, const T &s, size_t n, size_t o = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost) { return __wwSymbolCopy((const void *)&s, h, n, o, false); }
template <class T> inline cudaError_t cudaMemcpyFromSymbolAsync(void *h, const T &s, size_t n, size_t o = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost, cudaStream_t = 0) { return __wwSymbolCopy((const void *)&s, h, n, o, false); }
template <class P, class T> inline cudaError_t cudaGetSymbolAddress(P **p, const T &s) { size_t n; return __wwSymbol((const void *)&s, (void **)p, &n); }
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *n, const T &s) { void *p; return __wwSymbol((const void *)&s, &p, n); }

/* ---- kernels: a function, a pointer to one, or void* ---- */
template <class F> inline cudaError_t cudaLaunchKernel(F *f, dim3 g, dim3 b, void **a, size_t n = 0, cudaStream_t s = 0) { return __wwLaunch((const void *)f, g, b, a, n, s, 0); }
template <class F> inline cudaError_t cudaLaunchCooperativeKernel(F *f, dim3 g, dim3 b, void **a, size_t n = 0, cudaStream_t s = 0) { return __wwLaunch((const void *)f, g, b, a, n, s, 1); }
inline int __wwCooperative(const cudaLaunchConfig_t *c) {
  for (unsigned i = 0; i < c->numAttrs; i++)
    if (c->attrs[i].id == cudaLaunchAttributeCooperative) return c->attrs[i].val.cooperative;
  return 0;
}
template <class F> inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, F *f, void **a) { return __wwLaunch((const void *)f, c->gridDim, c->blockDim, a, c->dynamicSmemBytes, c->stream, __wwCooperative(c)); }
template <class... P, class... A> inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *c, void (*f)(P...), A &&...a) {
  return [&](P... p) {
    void *v[] = {(void *)&p..., 0};
    return cudaLaunchKernelExC(c, f, v);
  }(static_cast<A &&>(a)...);
}
template <class F> inline cudaError_t cudaFuncSetAttribute(F *f, cudaFuncAttribute a, int v) { return a == cudaFuncAttributeMaxDynamicSharedMemorySize ? __wwFunc((const void *)f, 4, &v) : cudaSuccess; }
template <class F> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, F *f) {
  int v[4] = {0, 0, 0, 0};
  cudaError_t e = cudaSuccess;
  for (int i = 0; i < 4 && !e; i++) e = __wwFunc((const void *)f, i, &v[i]);
  *a = cudaFuncAttributes();
  a->maxThreadsPerBlock = v[0], a->sharedSizeBytes = (size_t)v[1], a->numRegs = v[2], a->localSizeBytes = (size_t)v[3];
  a->binaryVersion = a->ptxVersion = 10 * __wwAttribute(cudaDevAttrComputeCapabilityMajor) + __wwAttribute(cudaDevAttrComputeCapabilityMinor);
  a->maxDynamicSharedSizeBytes = 49152 - v[1];
  return e;
}
template <class F> inline cudaError_t cudaFuncSetCacheConfig(F *, cudaFuncCache) { return cudaSuccess; }
template <class F> inline cudaError_t cudaFuncSetSharedMemConfig(F *, cudaSharedMemConfig) { return cudaSuccess; }
extern "C" cudaError_t __wwOccupancy(int *blocks, const void *fn, int threads, size_t shared);
template <class F> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, F *f, int t, size_t s) { return __wwOccupancy(n, (const void *)f, t, s); }
template <class F> inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, F *f, int t, size_t s, unsigned) { return __wwOccupancy(n, (const void *)f, t, s); }
template <class F, class S> inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, F *f, S bytes, int limit = 0) {
  int most = 1024, best = 0;
  cudaError_t e = __wwFunc((const void *)f, 0, &most);
  if (limit > 0 && limit < most) most = limit;
  *grid = *block = 0;
  for (int t = (most + 31) / 32 * 32; t > 0; t -= 32) {
    int use = t < most ? t : most, n = 0;
    if (__wwOccupancy(&n, (const void *)f, use, (size_t)bytes(use)) == cudaSuccess && n * use > best)
      best = n * use, *block = use, *grid = n * __wwAttribute(cudaDevAttrMultiProcessorCount);
  }
  return e;
}
template <class F> inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F *f, size_t s = 0, int limit = 0) { return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, f, [s](int) { return s; }, limit); }
template <class F> inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, F *f, size_t s = 0, int limit = 0, unsigned = 0) { return cudaOccupancyMaxPotentialBlockSize(grid, block, f, s, limit); }
template <class F> inline cudaError_t cudaOccupancyMaxActiveClusters(int *n, F *f, const cudaLaunchConfig_t *c) { return __wwOccupancy(n, (const void *)f, (int)(c->blockDim.x * c->blockDim.y * c->blockDim.z), c->dynamicSmemBytes); }
template <class F> inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *n, F *, int blocks, int) { *n = __wwDevice(1) / (size_t)(blocks > 0 ? blocks : 1); return cudaSuccess; }

/* ---- channel descriptors ---- */
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) { return cudaChannelFormatDesc{x, y, z, w, f}; }
template <class T> struct __wwChannel { static cudaChannelFormatDesc of() { return cudaChannelFormatDesc{8 * (int)sizeof(T), 0, 0, 0, cudaChannelFormatKindNone}; } };
#define WW_CHANNEL(N, T, K)                                                                                                              \
  template <> struct __wwChannel<T> { static cudaChannelFormatDesc of() { return {8 * (int)sizeof(T), 0, 0, 0, K}; } };                    \
  WW_CHANNELS(N, T, K)
#define WW_CHANNELS(N, T, K)                                                                                                             \
  template <> struct __wwChannel<N##1> { static cudaChannelFormatDesc of() { return {8 * (int)sizeof(T), 0, 0, 0, K}; } };                 \
  template <> struct __wwChannel<N##2> { static cudaChannelFormatDesc of() { return {8 * (int)sizeof(T), 8 * (int)sizeof(T), 0, 0, K}; } }; \
  template <> struct __wwChannel<N##4> { static cudaChannelFormatDesc of() { return {8 * (int)sizeof(T), 8 * (int)sizeof(T), 8 * (int)sizeof(T), 8 * (int)sizeof(T), K}; } };
WW_CHANNEL(char, signed char, cudaChannelFormatKindSigned) WW_CHANNEL(uchar, unsigned char, cudaChannelFormatKindUnsigned)
WW_CHANNEL(short, short, cudaChannelFormatKindSigned) WW_CHANNEL(ushort, unsigned short, cudaChannelFormatKindUnsigned)
WW_CHANNEL(int, int, cudaChannelFormatKindSigned) WW_CHANNEL(uint, unsigned int, cudaChannelFormatKindUnsigned)
WW_CHANNEL(float, float, cudaChannelFormatKindFloat)
#undef WW_CHANNEL
#undef WW_CHANNELS
template <> struct __wwChannel<char> { static cudaChannelFormatDesc of() { return {8, 0, 0, 0, cudaChannelFormatKindSigned}; } };
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc(void) { return __wwChannel<T>::of(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf(void) { return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat); }

/* ---- arrays: rows behind one another ---- */
inline size_t __wwTexel(const cudaChannelFormatDesc *d) { return (size_t)(d->x + d->y + d->z + d->w + 7) / 8; }
inline cudaError_t cudaMallocArray(cudaArray_t *a, const cudaChannelFormatDesc *d, size_t w, size_t h = 0, unsigned int = 0) { return __wwArrayMake(a, __wwTexel(d), w, h, 0, (const int *)d); }
inline cudaError_t cudaMalloc3DArray(cudaArray_t *a, const cudaChannelFormatDesc *d, cudaExtent e, unsigned int = 0) { return __wwArrayMake(a, __wwTexel(d), e.width, e.height, e.depth, (const int *)d); }
inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *d, cudaArray_const_t a) { void *p; size_t e, n[3]; return __wwArray(a, &p, &e, n, (int *)d); }
inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *d, cudaExtent *x, unsigned int *flags, cudaArray_t a) {
  void *p;
  size_t e, n[3] = {0, 0, 0};
  cudaChannelFormatDesc own;
  cudaError_t r = __wwArray(a, &p, &e, n, (int *)(d ? d : &own));
  if (x) *x = cudaExtent{n[0], n[1], n[2]};
  if (flags) *flags = 0;
  return r;
}
struct __wwPlace { char *p; size_t pitch, rows; cudaError_t e; };
inline __wwPlace __wwIn(cudaArray_const_t a, size_t x, size_t y, size_t z) { /* x in bytes */
  void *p = 0;
  size_t e = 0, n[3] = {0, 0, 0};
  int d[5];
  cudaError_t r = __wwArray(a, &p, &e, n, d);
  size_t pitch = n[0] * e, rows = n[1] ? n[1] : 1;
  return __wwPlace{(char *)p + x + y * pitch + z * pitch * rows, pitch, rows, r};
}
inline cudaError_t cudaMemcpy2DToArray(cudaArray_t a, size_t x, size_t y, const void *s, size_t pitch, size_t w, size_t h, cudaMemcpyKind) { __wwPlace d = __wwIn(a, x, y, 0); return d.e ? d.e : __wwCopyRows(d.p, d.pitch, s, pitch, w, h); }
inline cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t a, size_t x, size_t y, const void *s, size_t pitch, size_t w, size_t h, cudaMemcpyKind k, cudaStream_t = 0) { return cudaMemcpy2DToArray(a, x, y, s, pitch, w, h, k); }
inline cudaError_t cudaMemcpy2DFromArray(void *d, size_t pitch, cudaArray_const_t a, size_t x, size_t y, size_t w, size_t h, cudaMemcpyKind) { __wwPlace s = __wwIn(a, x, y, 0); return s.e ? s.e : __wwCopyRows(d, pitch, s.p, s.pitch, w, h); }
inline cudaError_t cudaMemcpy2DFromArrayAsync(void *d, size_t pitch, cudaArray_const_t a, size_t x, size_t y, size_t w, size_t h, cudaMemcpyKind k, cudaStream_t = 0) { return cudaMemcpy2DFromArray(d, pitch, a, x, y, w, h, k); }
inline cudaError_t cudaMemcpyToArray(cudaArray_t a, size_t x, size_t y, const void *s, size_t n, cudaMemcpyKind) { __wwPlace d = __wwIn(a, x, y, 0); return d.e ? d.e : __wwCopyRows(d.p, n, s, n, n, 1); }
inline cudaError_t cudaMemcpyToArrayAsync(cudaArray_t a, size_t x, size_t y, const void *s, size_t n, cudaMemcpyKind k, cudaStream_t = 0) { return cudaMemcpyToArray(a, x, y, s, n, k); }
inline cudaError_t cudaMemcpyFromArray(void *d, cudaArray_const_t a, size_t x, size_t y, size_t n, cudaMemcpyKind) { __wwPlace s = __wwIn(a, x, y, 0); return s.e ? s.e : __wwCopyRows(d, n, s.p, n, n, 1); }
inline cudaError_t cudaMemcpyArrayToArray(cudaArray_t d, size_t dx, size_t dy, cudaArray_const_t s, size_t sx, size_t sy, size_t n, cudaMemcpyKind = cudaMemcpyDeviceToDevice) { __wwPlace f = __wwIn(s, sx, sy, 0), t = __wwIn(d, dx, dy, 0); return f.e ? f.e : t.e ? t.e : __wwCopyRows(t.p, n, f.p, n, n, 1); }
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *m) {
  size_t elem = 1, dims[3];
  int desc[5];
  void *base;
  if (m->srcArray) __wwArray(m->srcArray, &base, &elem, dims, desc); /* an extent that touches an array is in its elements */
  else if (m->dstArray) __wwArray(m->dstArray, &base, &elem, dims, desc);
  __wwPlace s = m->srcArray ? __wwIn(m->srcArray, m->srcPos.x * elem, m->srcPos.y, m->srcPos.z)
                            : __wwPlace{(char *)m->srcPtr.ptr + m->srcPos.x + m->srcPos.y * m->srcPtr.pitch + m->srcPos.z * m->srcPtr.pitch * m->srcPtr.ysize, m->srcPtr.pitch, m->srcPtr.ysize, cudaSuccess};
  __wwPlace d = m->dstArray ? __wwIn(m->dstArray, m->dstPos.x * elem, m->dstPos.y, m->dstPos.z)
                            : __wwPlace{(char *)m->dstPtr.ptr + m->dstPos.x + m->dstPos.y * m->dstPtr.pitch + m->dstPos.z * m->dstPtr.pitch * m->dstPtr.ysize, m->dstPtr.pitch, m->dstPtr.ysize, cudaSuccess};
  cudaError_t e = s.e ? s.e : d.e;
  size_t h = m->extent.height ? m->extent.height : 1;
  for (size_t z = 0; z < (m->extent.depth ? m->extent.depth : 1) && !e; z++)
    e = __wwCopyRows(d.p + z * d.pitch * d.rows, d.pitch, s.p + z * s.pitch * s.rows, s.pitch, m->extent.width * elem, h);
  return e;
}
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *m, cudaStream_t = 0) { return cudaMemcpy3D(m); }
inline cudaError_t cudaMemset3D(cudaPitchedPtr p, int v, cudaExtent e) {
  cudaError_t r = cudaSuccess;
  for (size_t z = 0; z < e.depth && !r; z++) r = cudaMemset2D((char *)p.ptr + z * p.pitch * p.ysize, p.pitch, v, e.width, e.height);
  return r;
}
inline cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int v, cudaExtent e, cudaStream_t = 0) { return cudaMemset3D(p, v, e); }

/* ---- textures, surfaces ---- */
inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t *t, const cudaResourceDesc *r, const cudaTextureDesc *d, const cudaResourceViewDesc * = 0) {
  int norm = d && d->normalizedCoords;
  void *p = 0;
  size_t e = 1, n[3] = {0, 0, 0};
  int desc[5];
  switch (r->resType) {
  case cudaResourceTypeArray: {
    cudaError_t x = __wwArray(r->res.array.array, &p, &e, n, desc);
    return x ? x : __wwTexture(t, p, n[0], n[1], n[2], n[0] * e, norm);
  }
  case cudaResourceTypeLinear: e = __wwTexel(&r->res.linear.desc); return __wwTexture(t, r->res.linear.devPtr, r->res.linear.sizeInBytes / (e ? e : 1), 0, 0, r->res.linear.sizeInBytes, norm);
  case cudaResourceTypePitch2D: return __wwTexture(t, r->res.pitch2D.devPtr, r->res.pitch2D.width, r->res.pitch2D.height, 0, r->res.pitch2D.pitchInBytes, norm);
  default: return cudaErrorInvalidValue;
  }
}
inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *t, const cudaResourceDesc *r) { return cudaCreateTextureObject(t, r, (const cudaTextureDesc *)0); }

/* ---- graphs ---- */
template <class... A> inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *e, cudaGraph_t g, A...) { return cudaGraphInstantiateWithFlags(e, g, 0); }
inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *n, cudaGraph_t g, const cudaGraphNode_t *, size_t, const cudaKernelNodeParams *p) { return __wwGraphAdd(n, g, 0, p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams); }
inline cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t n, const cudaKernelNodeParams *p) { return __wwGraphSet(n, p->func, p->gridDim, p->blockDim, p->sharedMemBytes, p->kernelParams); }
inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t n, const cudaKernelNodeParams *p) { return cudaGraphKernelNodeSetParams(n, p); }
inline cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *n, cudaGraph_t g, const cudaGraphNode_t *, size_t, void *d, const void *s, size_t b, cudaMemcpyKind) { return __wwGraphCopy(n, g, d, b, s, b, b, 1, 0, 0, 1); }
inline cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *n, cudaGraph_t g, const cudaGraphNode_t *, size_t, const cudaMemcpy3DParms *m) {
  return __wwGraphCopy(n, g, m->dstPtr.ptr, m->dstPtr.pitch, m->srcPtr.ptr, m->srcPtr.pitch, m->extent.width, (m->extent.height ? m->extent.height : 1) * (m->extent.depth ? m->extent.depth : 1), 0, 0, 1);
}
inline cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *n, cudaGraph_t g, const cudaGraphNode_t *, size_t, const cudaMemsetParams *p) { return __wwGraphCopy(n, g, p->dst, p->pitch, 0, 0, p->width * p->elementSize, p->height ? p->height : 1, 1, (int)p->value, p->elementSize); }
inline cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *n, cudaGraph_t g, const cudaGraphNode_t *, size_t, const cudaHostNodeParams *p) { return __wwGraphCall(n, g, p->fn, p->userData); }
inline cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *n, cudaGraph_t g, const cudaGraphNode_t *, size_t, cudaGraph_t c) { return __wwGraphChild(n, g, c); }
template <class... A> inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, A...) { return cudaErrorGraphExecUpdateFailure; }
template <class... A> inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, cudaStreamCaptureStatus *st, A...) { return cudaStreamIsCapturing(s, st); }

/* ---- programmatic dependent launch: without a preceding grid there is nothing to wait for ---- */
WW_D void cudaGridDependencySynchronize(void) {}
WW_D void cudaTriggerProgrammaticLaunchCompletion(void) {}
#endif
