/* Types and constants of the HIP runtime API (hip_runtime_api.h): errors, handles, properties, descriptors. */
#ifndef WW_HIP_TYPES_H
#define WW_HIP_TYPES_H
#include "ww_hip_host.h"

typedef enum hipError_t {
  hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorOutOfMemory = 2, hipErrorMemoryAllocation = 2, hipErrorNotInitialized = 3,
  hipErrorInitializationError = 3, hipErrorDeinitialized = 4, hipErrorInvalidConfiguration = 9, hipErrorInvalidPitchValue = 12,
  hipErrorInvalidSymbol = 13, hipErrorInvalidDevicePointer = 17, hipErrorInvalidMemcpyDirection = 21, hipErrorInsufficientDriver = 35,
  hipErrorMissingConfiguration = 52, hipErrorInvalidDeviceFunction = 98, hipErrorNoDevice = 100, hipErrorInvalidDevice = 101,
  hipErrorInvalidImage = 200, hipErrorInvalidContext = 201, hipErrorMapFailed = 205, hipErrorNoBinaryForGpu = 209, hipErrorInvalidSource = 300,
  hipErrorFileNotFound = 301, hipErrorInvalidHandle = 400, hipErrorInvalidResourceHandle = 400, hipErrorIllegalState = 401, hipErrorNotFound = 500,
  hipErrorNotReady = 600, hipErrorIllegalAddress = 700, hipErrorLaunchOutOfResources = 701, hipErrorLaunchTimeOut = 702,
  hipErrorPeerAccessAlreadyEnabled = 704, hipErrorPeerAccessNotEnabled = 705, hipErrorContextAlreadyInUse = 708, hipErrorAssert = 710,
  hipErrorHostMemoryAlreadyRegistered = 712, hipErrorHostMemoryNotRegistered = 713, hipErrorLaunchFailure = 719,
  hipErrorCooperativeLaunchTooLarge = 720, hipErrorNotSupported = 801, hipErrorStreamCaptureUnsupported = 900,
  hipErrorCapturedEvent = 907, hipErrorGraphExecUpdateFailure = 910, hipErrorUnknown = 999, hipErrorRuntimeMemory = 1052, hipErrorRuntimeOther = 1053, hipErrorTbd
} hipError_t;
#define HIP_SUCCESS hipSuccess

WW_HOST_HANDLE(hipStream_t)
WW_HOST_HANDLE(hipEvent_t)
WW_HOST_HANDLE(hipCtx_t)
WW_HOST_HANDLE(hipModule_t)
WW_HOST_HANDLE(hipFunction_t)
WW_HOST_HANDLE(hipGraph_t)
WW_HOST_HANDLE(hipGraphExec_t)
WW_HOST_HANDLE(hipGraphNode_t)
WW_HOST_HANDLE(hipMemPool_t)
WW_HOST_HANDLE(hipArray_t)
WW_HOST_HANDLE(hipMipmappedArray_t)
WW_HOST_HANDLE(hiprtcProgram)
typedef hipArray_t hipArray_const_t;
typedef void *hipDeviceptr_t;
typedef int hipDevice_t;
typedef void (*hipStreamCallback_t)(hipStream_t, hipError_t, void *);
typedef void (*hipHostFn_t)(void *);

/* An object is the device address of the array's first element, see ww_hip_texture.h. */
typedef struct __hip_texture *hipTextureObject_t;
typedef struct __hip_surface *hipSurfaceObject_t;

#define hipStreamPerThread ((hipStream_t)2)
#define hipStreamLegacy ((hipStream_t)1)
#define hipCpuDeviceId ((int)-1)
#define hipInvalidDeviceId ((int)-2)

enum hipMemcpyKind { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice, hipMemcpyDefault, hipMemcpyDeviceToDeviceNoCU = 1024 };
enum hipMemoryType { hipMemoryTypeHost, hipMemoryTypeDevice, hipMemoryTypeArray, hipMemoryTypeUnified, hipMemoryTypeManaged, hipMemoryTypeUnregistered };
enum ww_hipHostMalloc_flags { hipHostMallocDefault = 0, hipHostMallocPortable = 1, hipHostMallocMapped = 2, hipHostMallocWriteCombined = 4, hipHostMallocNumaUser = 0x20000000, hipHostMallocCoherent = 0x40000000, hipHostMallocNonCoherent = (int)0x80000000 };
enum ww_hipHostAlloc_flags { hipHostAllocDefault = 0, hipHostAllocPortable = 1, hipHostAllocMapped = 2, hipHostAllocWriteCombined = 4 };
enum ww_hipHostRegister_flags { hipHostRegisterDefault = 0, hipHostRegisterPortable = 1, hipHostRegisterMapped = 2, hipHostRegisterIoMemory = 4, hipHostRegisterReadOnly = 8 };
enum ww_hipMemAttach_flags { hipMemAttachGlobal = 1, hipMemAttachHost = 2, hipMemAttachSingle = 4 };
enum ww_hipStream_flags { hipStreamDefault = 0, hipStreamNonBlocking = 1 };
enum ww_hipEvent_flags { hipEventDefault = 0, hipEventBlockingSync = 1, hipEventDisableTiming = 2, hipEventInterprocess = 4, hipEventReleaseToDevice = 0x40000000 };
enum ww_hipDevice_flags { hipDeviceScheduleAuto = 0, hipDeviceScheduleSpin = 1, hipDeviceScheduleYield = 2, hipDeviceScheduleBlockingSync = 4, hipDeviceMapHost = 8, hipDeviceLmemResizeToMax = 16 };
enum hipMemoryAdvise { hipMemAdviseSetReadMostly = 1, hipMemAdviseUnsetReadMostly, hipMemAdviseSetPreferredLocation, hipMemAdviseUnsetPreferredLocation, hipMemAdviseSetAccessedBy, hipMemAdviseUnsetAccessedBy, hipMemAdviseSetCoarseGrain = 100, hipMemAdviseUnsetCoarseGrain };
enum hipLimit_t { hipLimitStackSize, hipLimitPrintfFifoSize, hipLimitMallocHeapSize, hipLimitRange };
enum hipFuncCache_t { hipFuncCachePreferNone, hipFuncCachePreferShared, hipFuncCachePreferL1, hipFuncCachePreferEqual };
enum hipSharedMemConfig { hipSharedMemBankSizeDefault, hipSharedMemBankSizeFourByte, hipSharedMemBankSizeEightByte };
enum hipFuncAttribute { hipFuncAttributeMaxDynamicSharedMemorySize = 8, hipFuncAttributePreferredSharedMemoryCarveout = 9, hipFuncAttributeMax };
enum hipComputeMode { hipComputeModeDefault, hipComputeModeExclusive, hipComputeModeProhibited, hipComputeModeExclusiveProcess };
enum hipStreamCaptureMode { hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed };
enum hipMemPoolAttr { hipMemPoolReuseFollowEventDependencies = 1, hipMemPoolReuseAllowOpportunistic, hipMemPoolReuseAllowInternalDependencies, hipMemPoolAttrReleaseThreshold, hipMemPoolAttrReservedMemCurrent, hipMemPoolAttrReservedMemHigh, hipMemPoolAttrUsedMemCurrent, hipMemPoolAttrUsedMemHigh };
enum hipDeviceP2PAttr { hipDevP2PAttrPerformanceRank, hipDevP2PAttrAccessSupported, hipDevP2PAttrNativeAtomicSupported, hipDevP2PAttrHipArrayAccessSupported };
enum hipDeviceAttribute_t {
  hipDeviceAttributeEccEnabled, hipDeviceAttributeAccessPolicyMaxWindowSize, hipDeviceAttributeAsyncEngineCount, hipDeviceAttributeCanMapHostMemory,
  hipDeviceAttributeClockRate, hipDeviceAttributeComputeMode, hipDeviceAttributeConcurrentKernels, hipDeviceAttributeConcurrentManagedAccess,
  hipDeviceAttributeCooperativeLaunch, hipDeviceAttributeIntegrated, hipDeviceAttributeL2CacheSize, hipDeviceAttributeManagedMemory,
  hipDeviceAttributeMaxBlockDimX, hipDeviceAttributeMaxBlockDimY, hipDeviceAttributeMaxBlockDimZ, hipDeviceAttributeMaxGridDimX,
  hipDeviceAttributeMaxGridDimY, hipDeviceAttributeMaxGridDimZ, hipDeviceAttributeMaxThreadsPerBlock, hipDeviceAttributeMaxThreadsPerMultiProcessor,
  hipDeviceAttributeMaxRegistersPerBlock, hipDeviceAttributeMaxSharedMemoryPerBlock, hipDeviceAttributeMaxSharedMemoryPerMultiprocessor,
  hipDeviceAttributeSharedMemPerBlockOptin, hipDeviceAttributeMemoryBusWidth, hipDeviceAttributeMemoryClockRate, hipDeviceAttributeMemoryPoolsSupported,
  hipDeviceAttributeMultiprocessorCount, hipDeviceAttributeName, hipDeviceAttributePageableMemoryAccess, hipDeviceAttributePciBusId,
  hipDeviceAttributePciDeviceId, hipDeviceAttributeTotalConstantMemory, hipDeviceAttributeTotalGlobalMem, hipDeviceAttributeUnifiedAddressing,
  hipDeviceAttributeWarpSize, hipDeviceAttributeWallClockRate, hipDeviceAttributeComputeCapabilityMajor, hipDeviceAttributeComputeCapabilityMinor,
  hipDeviceAttributeHostNativeAtomicSupported, hipDeviceAttributeVirtualMemoryManagementSupported, hipDeviceAttributeMaxPitch, hipDeviceAttributeTextureAlignment,
  hipDeviceAttributeMaxTexture1DWidth, hipDeviceAttributeMaxTexture2DWidth, hipDeviceAttributeMaxTexture2DHeight
};

typedef struct hipUUID_t { char bytes[16]; } hipUUID;
typedef struct { unsigned hasGlobalInt32Atomics, hasGlobalFloatAtomicExch, hasSharedInt32Atomics, hasFloatAtomicAdd, hasGlobalInt64Atomics, hasSharedInt64Atomics, hasDoubles, hasWarpVote, hasWarpBallot, hasWarpShuffle, hasFunnelShift, hasThreadFenceSystem, hasSyncThreadsExt, hasSurfaceFuncs, has3dGrid, hasDynamicParallelism; } hipDeviceArch_t;
typedef struct hipDeviceProp_t {
  char name[256];
  hipUUID uuid;
  size_t totalGlobalMem, sharedMemPerBlock, memPitch, totalConstMem, textureAlignment, texturePitchAlignment, surfaceAlignment;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture1DLinear, maxTexture2D[2], maxTexture3D[3], concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID;
  int tccDriver, asyncEngineCount, unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor, sharedMemPerBlockOptin, reservedSharedMemPerBlock, maxSharedMemoryPerMultiProcessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio;
  int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
  int cooperativeMultiDeviceLaunch, pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize, memoryPoolsSupported, clockInstructionRate, isLargeBar, gcnArch, asicRevision;
  hipDeviceArch_t arch;
  char gcnArchName[256];
} hipDeviceProp_t;

typedef struct hipPitchedPtr { void *ptr; size_t pitch, xsize, ysize; } hipPitchedPtr;
typedef struct hipExtent { size_t width, height, depth; } hipExtent;
typedef struct hipPos { size_t x, y, z; } hipPos;
typedef struct hipMemcpy3DParms { hipArray_t srcArray; hipPos srcPos; hipPitchedPtr srcPtr; hipArray_t dstArray; hipPos dstPos; hipPitchedPtr dstPtr; hipExtent extent; hipMemcpyKind kind; } hipMemcpy3DParms;
typedef struct hipPointerAttribute_t { hipMemoryType type, memoryType; int device; void *devicePointer, *hostPointer; int isManaged; unsigned allocationFlags; } hipPointerAttribute_t;
typedef struct hipFuncAttributes { int binaryVersion, cacheModeCA; size_t constSizeBytes, localSizeBytes; int maxDynamicSharedSizeBytes, maxThreadsPerBlock, numRegs, preferredShmemCarveout, ptxVersion; size_t sharedSizeBytes; } hipFuncAttributes;
typedef struct hipLaunchParams { void *func; dim3 gridDim, blockDim; void **args; size_t sharedMem; hipStream_t stream; } hipLaunchParams;
typedef struct hipKernelNodeParams { dim3 blockDim; void **extra; void *func; dim3 gridDim; void **kernelParams; unsigned sharedMemBytes; } hipKernelNodeParams;
typedef struct hipMemsetParams { void *dst; unsigned elementSize; size_t height, pitch; unsigned value; size_t width; } hipMemsetParams;
typedef struct hipHostNodeParams { hipHostFn_t fn; void *userData; } hipHostNodeParams;
typedef struct hipIpcMemHandle_t { char reserved[64]; } hipIpcMemHandle_t;

/* Textures. */
enum hipChannelFormatKind { hipChannelFormatKindSigned, hipChannelFormatKindUnsigned, hipChannelFormatKindFloat, hipChannelFormatKindNone };
enum hipTextureReadMode { hipReadModeElementType, hipReadModeNormalizedFloat };
enum hipTextureFilterMode { hipFilterModePoint, hipFilterModeLinear };
enum hipTextureAddressMode { hipAddressModeWrap, hipAddressModeClamp, hipAddressModeMirror, hipAddressModeBorder };
enum hipResourceType { hipResourceTypeArray, hipResourceTypeMipmappedArray, hipResourceTypeLinear, hipResourceTypePitch2D };
enum hipSurfaceBoundaryMode { hipBoundaryModeZero, hipBoundaryModeTrap, hipBoundaryModeClamp };
enum ww_hipArray_flags { hipArrayDefault = 0, hipArrayLayered = 1, hipArraySurfaceLoadStore = 2, hipArrayCubemap = 4, hipArrayTextureGather = 8 };
enum ww_hipTextureType_flags { hipTextureType1D = 1, hipTextureType2D = 2, hipTextureType3D = 3, hipTextureType1DLayered = 0xf1, hipTextureType2DLayered = 0xf2 };
typedef struct hipChannelFormatDesc { int x, y, z, w; hipChannelFormatKind f; } hipChannelFormatDesc;
typedef struct hipResourceDesc {
  hipResourceType resType;
  union {
    struct { hipArray_t array; } array;
    struct { hipMipmappedArray_t mipmap; } mipmap;
    struct { void *devPtr; hipChannelFormatDesc desc; size_t sizeInBytes; } linear;
    struct { void *devPtr; hipChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
  } res;
} hipResourceDesc;
typedef struct hipTextureDesc {
  hipTextureAddressMode addressMode[3];
  hipTextureFilterMode filterMode;
  hipTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  hipTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
} hipTextureDesc;
typedef struct hipResourceViewDesc { int format; size_t width, height, depth; } hipResourceViewDesc;

/* Element types, shared by hipBLAS, hipSPARSE and friends. */
enum hipDataType {
  HIP_R_32F, HIP_R_64F, HIP_R_16F, HIP_R_8I, HIP_C_32F, HIP_C_64F, HIP_C_16F, HIP_C_8I, HIP_R_8U, HIP_C_8U, HIP_R_32I, HIP_C_32I, HIP_R_32U, HIP_C_32U,
  HIP_R_16BF, HIP_C_16BF, HIP_R_4I, HIP_C_4I, HIP_R_4U, HIP_C_4U, HIP_R_16I, HIP_C_16I, HIP_R_16U, HIP_C_16U, HIP_R_64I, HIP_C_64I, HIP_R_64U, HIP_C_64U,
  HIP_R_8F_E4M3, HIP_R_8F_E5M2, HIP_R_8F_E4M3_FNUZ = 1000, HIP_R_8F_E5M2_FNUZ = 1001
};
enum hipLibraryPropertyType { HIP_LIBRARY_MAJOR_VERSION, HIP_LIBRARY_MINOR_VERSION, HIP_LIBRARY_PATCH_LEVEL };

#endif
