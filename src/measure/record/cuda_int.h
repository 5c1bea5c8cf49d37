/* cuda_int.h - the parts of the CUDA driver's and CUPTI's interfaces that the injection
 * library uses, declared here.
 *
 * Handles are void *, device addresses uint64_t. Layouts and values are those of CUDA
 * 12 and 13. */
#ifndef WW_RECORD_CUDA_H
#define WW_RECORD_CUDA_H

#include "recorder.h"

/* ---- CUPTI callbacks ---- */

enum { CUPTI_DOMAIN_DRIVER = 1, CUPTI_DOMAIN_RESOURCE = 3 };
enum { CUPTI_MODULE_LOADED = 6, CUPTI_MODULE_UNLOAD = 7, CUPTI_MODULE_PROFILED = 8 };
enum {
  CBID_cuModuleLoadData = 19,
  CBID_cuModuleLoadDataEx = 20,
  CBID_cuModuleLoadFatBinary = 21,
  CBID_cuLibraryLoadData = 678,
  CBID_cuLaunchKernel = 307,
  CBID_cuLaunchKernel_ptsz = 442,
  CBID_cuLaunchCooperativeKernel = 477,
  CBID_cuLaunchCooperativeKernel_ptsz = 478,
  CBID_cuGraphLaunch = 514,
  CBID_cuGraphLaunch_ptsz = 515,
  CBID_cuLaunchKernelEx = 652,
  CBID_cuLaunchKernelEx_ptsz = 653,
};

typedef struct {
  int site; /* 0: before the call */
  const char *function;
  const void *params;
  void *result;
  const char *symbol; /* the kernel's mangled name */
  void *context;
  uint32_t context_uid;
  uint64_t *correlation;
  uint32_t correlation_id;
} cupti_call;

typedef struct {
  void *context, *stream, *descriptor; /* of a module: cupti_module */
} cupti_resource;

typedef struct {
  uint32_t id;
  size_t bytes;
  const char *cubin;
} cupti_module;

/* ---- the driver's parameters ---- */

/* Of cuModuleLoadData, its kin, and cuLibraryLoadData: what they begin with. */
typedef struct {
  void **handle;
  const void *image;
} cuda_load;

typedef struct {
  void *function;
  unsigned grid[3], block[3], shared;
  void *stream;
  void **params, **extra; /* the cooperative launch has no extra */
} cuda_launch;

typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream;
  const void *attributes;
  unsigned nattributes;
} cuda_config;

typedef struct {
  const cuda_config *config;
  void *function;
  void **params, **extra;
} cuda_launch_ex;

typedef struct {
  int id;
  int pad;
  union {
    int cooperative;
    unsigned cluster[3];
    char bytes[64];
  } value;
} cuda_attribute;
enum { CUDA_ATTRIBUTE_COOPERATIVE = 2, CUDA_ATTRIBUTE_CLUSTER = 4 };
enum { CUDA_EXTRA_END = 0, CUDA_EXTRA_BUFFER = 1 };
#define CUDA_STREAM_PER_THREAD ((void *)2)

/* ---- the driver's functions; those marked MAYBE came later than CUDA 12.0 ---- */

#define CUDA_CALLS(CALL, MAYBE)                                                      \
  CALL(cuCtxGetCurrent, "cuCtxGetCurrent", (void **context))                         \
  CALL(cuMemGetAddressRange, "cuMemGetAddressRange_v2",                              \
       (uint64_t * base, size_t * bytes, uint64_t at))                               \
  CALL(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                    \
       (void *to, uint64_t from, size_t n, void *stream))                            \
  CALL(cuStreamCreate, "cuStreamCreate", (void **stream, unsigned flags))            \
  CALL(cuStreamSynchronize, "cuStreamSynchronize", (void *stream))                   \
  CALL(cuStreamIsCapturing, "cuStreamIsCapturing", (void *stream, int *status))      \
  CALL(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode",       \
       (int *mode))                                                                  \
  CALL(cuFuncGetModule, "cuFuncGetModule", (void **module, void *function))          \
  CALL(cuModuleGetGlobal, "cuModuleGetGlobal_v2",                                    \
       (uint64_t * at, size_t * bytes, void *module, const char *name))              \
  MAYBE(cuFuncGetParamInfo, "cuFuncGetParamInfo",                                    \
        (void *function, size_t i, size_t *offset, size_t *size))                    \
  MAYBE(cuFuncLoad, "cuFuncLoad", (void *function))                                  \
  MAYBE(cuKernelGetParamInfo, "cuKernelGetParamInfo",                                \
        (void *kernel, size_t i, size_t *offset, size_t *size))                      \
  MAYBE(cuKernelGetFunction, "cuKernelGetFunction", (void **function, void *kernel)) \
  MAYBE(cuKernelGetLibrary, "cuKernelGetLibrary", (void **library, void *kernel))    \
  MAYBE(cuLibraryGetGlobal, "cuLibraryGetGlobal",                                    \
        (uint64_t * at, size_t * bytes, void *library, const char *name))

typedef struct {
#define CUDA_MEMBER(name, exported, params) int(*name) params;
  CUDA_CALLS(CUDA_MEMBER, CUDA_MEMBER)
#undef CUDA_MEMBER
} cuda_calls;

/* ---- code images (cuda_images.c): what the loaded modules hold ---- */

typedef struct {
  const void *code; /* a copy that stays; NULL: not kept */
  size_t bytes;
  const char **globals; /* names of its __constant__ and __device__ variables */
  uint32_t nglobals;
} ww_cuda_image;

/* Called while the driver holds its own locks: calls nothing of it. keep: the code
 * itself is wanted. */
void ww_cuda_image_add(const void *cubin, size_t bytes, bool keep);
/* The newest image with this kernel, or NULL; it stays for good. */
const ww_cuda_image *ww_cuda_image_of(const char *kernel);

#endif
