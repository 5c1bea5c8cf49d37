/* cuda_api.h - the CUDA driver as this project uses it: own declarations, opened at run
 * time.
 *
 * One table makes the struct and the loop that fills it. Names are without version
 * suffix; the table holds the exported ones. Handles (CUcontext, CUmodule, CUfunction,
 * CUstream, CUevent) are void *, CUdevice is int, CUdeviceptr uint64_t. */
#ifndef WW_CUDA_API_H
#define WW_CUDA_API_H

#include "../base/base.h"

typedef int ww_cuda_status; /* CUresult */

/* CUlaunchAttribute and CUlaunchConfig */
typedef struct {
  int id;
  char pad[4];
  union {
    unsigned value[3];
    char room[64];
  } u;
} ww_cuda_attribute;
typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream;
  ww_cuda_attribute *attributes;
  unsigned n;
} ww_cuda_config;
enum { WW_CUDA_LAUNCH_COOPERATIVE = 2, WW_CUDA_LAUNCH_CLUSTER = 4 };

/* CALL: without it there is no backend. MAYBE: newer drivers have it (12.4 and up), or
 * stand-ins for one lack it: else NULL. */
#define WW_CUDA_CALLS(CALL, MAYBE)                                                     \
  CALL(cuInit, "cuInit", (unsigned flags))                                             \
  CALL(cuDriverGetVersion, "cuDriverGetVersion", (int *version))                       \
  CALL(cuGetErrorName, "cuGetErrorName", (ww_cuda_status s, const char **text))        \
  CALL(cuGetErrorString, "cuGetErrorString", (ww_cuda_status s, const char **text))    \
  CALL(cuDeviceGetCount, "cuDeviceGetCount", (int *n))                                 \
  CALL(cuDeviceGet, "cuDeviceGet", (int *device, int ordinal))                         \
  CALL(cuDeviceGetName, "cuDeviceGetName", (char *name, int size, int device))         \
  CALL(cuDeviceGetAttribute, "cuDeviceGetAttribute",                                   \
       (int *value, int attribute, int device))                                        \
  CALL(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, int device))          \
  CALL(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain",                           \
       (void **context, int device))                                                   \
  CALL(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device))        \
  CALL(cuCtxSetCurrent, "cuCtxSetCurrent", (void *context))                            \
  CALL(cuCtxGetCurrent, "cuCtxGetCurrent", (void **context))                           \
  CALL(cuCtxSynchronize, "cuCtxSynchronize", (void))                                   \
  CALL(cuModuleLoadData, "cuModuleLoadData", (void **module, const void *image))       \
  CALL(cuModuleLoadDataEx, "cuModuleLoadDataEx",                                       \
       (void **module, const void *image, unsigned n, int *options, void **values))    \
  CALL(cuModuleUnload, "cuModuleUnload", (void *module))                               \
  CALL(cuModuleGetFunction, "cuModuleGetFunction",                                     \
       (void **function, void *module, const char *name))                              \
  CALL(cuModuleGetGlobal, "cuModuleGetGlobal_v2",                                      \
       (uint64_t * at, size_t * bytes, void *module, const char *name))                \
  CALL(cuFuncGetAttribute, "cuFuncGetAttribute",                                       \
       (int *value, int attribute, void *function))                                    \
  CALL(cuFuncSetAttribute, "cuFuncSetAttribute",                                       \
       (void *function, int attribute, int value))                                     \
  CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                    \
       "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                  \
       (int *blocks, void *function, int threads, size_t shared))                      \
  CALL(cuMemGetInfo, "cuMemGetInfo_v2", (size_t * left, size_t * total))               \
  CALL(cuMemAlloc, "cuMemAlloc_v2", (uint64_t * at, size_t bytes))                     \
  CALL(cuMemFree, "cuMemFree_v2", (uint64_t at))                                       \
  CALL(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t bytes)) \
  CALL(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t bytes))       \
  CALL(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2",                                      \
       (uint64_t to, uint64_t from, size_t bytes, void *stream))                       \
  CALL(cuMemsetD8Async, "cuMemsetD8Async",                                             \
       (uint64_t at, unsigned char value, size_t n, void *stream))                     \
  CALL(cuStreamCreate, "cuStreamCreate", (void **stream, unsigned flags))              \
  CALL(cuStreamDestroy, "cuStreamDestroy_v2", (void *stream))                          \
  CALL(cuStreamSynchronize, "cuStreamSynchronize", (void *stream))                     \
  CALL(cuEventCreate, "cuEventCreate", (void **event, unsigned flags))                 \
  CALL(cuEventDestroy, "cuEventDestroy_v2", (void *event))                             \
  CALL(cuEventRecord, "cuEventRecord", (void *event, void *stream))                    \
  CALL(cuEventSynchronize, "cuEventSynchronize", (void *event))                        \
  CALL(cuEventElapsedTime, "cuEventElapsedTime", (float *ms, void *from, void *to))    \
  CALL(cuLaunchKernel, "cuLaunchKernel",                                               \
       (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,            \
        unsigned by, unsigned bz, unsigned shared, void *stream, void **params,        \
        void **extra))                                                                 \
  CALL(cuLaunchCooperativeKernel, "cuLaunchCooperativeKernel",                         \
       (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,            \
        unsigned by, unsigned bz, unsigned shared, void *stream, void **params))       \
  MAYBE(cuLaunchKernelEx, "cuLaunchKernelEx",                                          \
        (const ww_cuda_config *config, void *function, void **params, void **extra))   \
  MAYBE(cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled",                              \
        (void *map, int type, unsigned rank, void *at, const uint64_t *dims,           \
         const uint64_t *strides, const unsigned *box, const unsigned *steps,          \
         int interleave, int swizzle, int l2, int outside))                            \
  MAYBE(cuFuncGetParamInfo, "cuFuncGetParamInfo",                                      \
        (void *function, size_t index, size_t *offset, size_t *size))                  \
  MAYBE(cuFuncGetName, "cuFuncGetName", (const char **name, void *function))           \
  MAYBE(cuModuleGetFunctionCount, "cuModuleGetFunctionCount",                          \
        (unsigned *n, void *module))                                                   \
  MAYBE(cuModuleEnumerateFunctions, "cuModuleEnumerateFunctions",                      \
        (void **functions, unsigned n, void *module))                                  \
  MAYBE(cuMemHostAlloc, "cuMemHostAlloc", (void **host, size_t bytes, unsigned flags)) \
  MAYBE(cuMemFreeHost, "cuMemFreeHost", (void *host))                                  \
  MAYBE(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                     \
        (uint64_t to, const void *from, size_t bytes, void *stream))

typedef struct {
#define WW_CUDA_MEMBER(name, exported, params) ww_cuda_status(*name) params;
  WW_CUDA_CALLS(WW_CUDA_MEMBER, WW_CUDA_MEMBER)
#undef WW_CUDA_MEMBER
  int version; /* of the driver's CUDA: 13000 is 13.0 */
} ww_cuda_api;

/* CUdevice_attribute, CUfunction_attribute, CUjit_option: those in use */
enum {
  WW_CUDA_MAX_THREADS = 1,
  WW_CUDA_MAX_BLOCK_X = 2, /* Y and Z follow */
  WW_CUDA_MAX_GRID_X = 5,  /* Y and Z follow */
  WW_CUDA_SHARED_PER_BLOCK = 8,
  WW_CUDA_SMS = 16,
  WW_CUDA_L2_BYTES = 38,
  WW_CUDA_THREADS_PER_SM = 39,
  WW_CUDA_CAPABILITY_MAJOR = 75,
  WW_CUDA_CAPABILITY_MINOR = 76,
  WW_CUDA_COOPERATIVE = 95,
  WW_CUDA_SHARED_OPTIN = 97,
};
enum {
  WW_CUDA_FN_MAX_THREADS = 0,
  WW_CUDA_FN_SHARED = 1, /* static */
  WW_CUDA_FN_LOCAL = 3,
  WW_CUDA_FN_REGISTERS = 4,
  WW_CUDA_FN_MAX_DYNAMIC_SHARED = 8,
  WW_CUDA_FN_LARGE_CLUSTERS = 14, /* of more than 8 blocks */
};
enum { WW_CUDA_JIT_ERROR_LOG = 5, WW_CUDA_JIT_ERROR_LOG_BYTES = 6 };

/* Opens libcuda and calls cuInit, once per process. */
ww_status ww_cuda_open(const ww_cuda_api **out, ww_err *e);
/* "an illegal memory access was encountered (700)"; the text lives until the thread's
 * next call. */
const char *ww_cuda_error(const ww_cuda_api *api, ww_cuda_status s);
/* A status other than 0 as ours: WW_EDEVICE where the context is lost, WW_ELIMIT for
 * memory, WW_EDATA for code that does not load. `doing` begins the message: "kernel
 * `k`", "loading x.cubin". */
ww_status
ww_cuda_fail(const ww_cuda_api *api, ww_cuda_status s, const char *doing, ww_err *e);
/* The first device whose name contains `wanted` (NULL: the first there is), and its
 * name. */
ww_status ww_cuda_choose(const ww_cuda_api *api,
                         const char *wanted,
                         ww_arena *a,
                         int *device,
                         char name[128],
                         ww_err *e);

#endif
