/* driver.c - the driver API of an emulated program, as far as programs of the runtime API mix it
 * in. Device pointers are integers there; everything is the runtime's own function under another
 * name. */
#include "emu.h"

#include <stdlib.h>

int cudaFree(void *p), cudaFreeHost(void *p), cudaHostRegister(void *p, size_t n, unsigned f),
    cudaHostUnregister(void *p);
int cudaMemGetInfo(size_t *f, size_t *t), cudaMemcpy(void *d, const void *s, size_t n, int kind);
int cudaDeviceGetAttribute(int *v, int a, int d), __wwMalloc(void **p, size_t n, int kind);
int cudaStreamCreate(void **s), cudaStreamDestroy(void *s),
    cudaEventCreateWithFlags(void **e, unsigned f);
int cudaEventDestroy(void *e), cudaEventRecord(void *e, void *s),
    cudaEventElapsedTime(float *ms, void *a, void *b);
const char *cudaGetErrorString(int code), *cudaGetErrorName(int code);

typedef unsigned long long ptr;
#define P(x) ((void *)(uintptr_t)(x))

/* ---- devices and contexts: one of each ---- */

WW_EMU_EXPORT int cuDriverGetVersion(int *v) {
  return *v = 12080, 0;
}
WW_EMU_EXPORT int cuGetErrorString(int code, const char **s) {
  return *s = cudaGetErrorString(code), 0;
}
WW_EMU_EXPORT int cuGetErrorName(int code, const char **s) {
  return *s = cudaGetErrorName(code), 0;
}
WW_EMU_EXPORT int cuDeviceGet(int *d, int i) {
  return *d = i, i ? EMU_INVALID_DEVICE : 0;
}
WW_EMU_EXPORT int cuDeviceGetCount(int *n) {
  return *n = 1, 0;
}
WW_EMU_EXPORT int cuDeviceGetName(char *s, int n, int d) {
  snprintf(s, (size_t)n, "%s", ww_emu_get()->gpu_name);
  return d ? EMU_INVALID_DEVICE : 0;
}
WW_EMU_EXPORT int cuDeviceGetUuid(void *u, int d) {
  return memset(u, 0, 16), d ? EMU_INVALID_DEVICE : 0;
}
WW_EMU_EXPORT int cuDeviceGetAttribute(int *v, int a, int d) {
  return cudaDeviceGetAttribute(v, a, d);
}
WW_EMU_EXPORT int cuDeviceTotalMem(size_t *n, int d) {
  return *n = ww_emu_get()->memory, d ? EMU_INVALID_DEVICE : 0;
}
WW_EMU_EXPORT int cuDeviceComputeCapability(int *major, int *minor, int d) {
  *major = ww_emu_get()->major;
  *minor = ww_emu_get()->minor;
  return d ? EMU_INVALID_DEVICE : 0;
}
WW_EMU_EXPORT int cuDeviceCanAccessPeer(int *can, int d, int e) {
  return (void)d, (void)e, *can = 0, 0;
}
WW_EMU_EXPORT int cuDevicePrimaryCtxRetain(void **c, int d) {
  return *c = P(1), d ? EMU_INVALID_DEVICE : 0;
}
WW_EMU_EXPORT int cuCtxCreate(void **c, unsigned f, int d) {
  return (void)f, cuDevicePrimaryCtxRetain(c, d);
}
WW_EMU_EXPORT int cuCtxGetCurrent(void **c) {
  return *c = P(1), 0;
}
WW_EMU_EXPORT int cuCtxPopCurrent(void **c) {
  return cuCtxGetCurrent(c);
}
WW_EMU_EXPORT int cuCtxGetDevice(int *d) {
  return *d = 0, 0;
}

/* ---- modules: code for a device, which cannot be taken apart here ---- */

static int no_modules(void) {
  ww_emu_note("the program loads compiled device code at run time, which the emulation cannot: "
              "those kernels are not seen");
  return EMU_NOT_SUPPORTED;
}
WW_EMU_EXPORT int cuModuleLoad(void **m, const char *f) {
  return (void)m, (void)f, no_modules();
}
WW_EMU_EXPORT int cuModuleLoadData(void **m, const void *d) {
  return (void)m, (void)d, no_modules();
}
WW_EMU_EXPORT int cuModuleLoadDataEx(void **m, const void *d, unsigned n, void *o, void **v) {
  return (void)m, (void)d, (void)n, (void)o, (void)v, no_modules();
}
WW_EMU_EXPORT int cuModuleGetFunction(void **f, void *m, const char *n) {
  return (void)f, (void)m, (void)n, EMU_NOT_FOUND;
}
WW_EMU_EXPORT int cuModuleGetGlobal(ptr *p, size_t *b, void *m, const char *n) {
  return (void)p, (void)b, (void)m, (void)n, EMU_NOT_FOUND;
}

/* ---- memory ---- */

WW_EMU_EXPORT int cuMemAlloc(ptr *p, size_t n) {
  return n ? __wwMalloc((void **)p, n, 0) : EMU_INVALID_VALUE;
}
WW_EMU_EXPORT int cuMemAllocPitch(ptr *p, size_t *pitch, size_t w, size_t h, unsigned e) {
  *pitch = (w + 511) / 512 * 512;
  return (void)e, cuMemAlloc(p, *pitch * h);
}
WW_EMU_EXPORT int cuMemAllocManaged(ptr *p, size_t n, unsigned f) {
  return (void)f, __wwMalloc((void **)p, n, 1);
}
WW_EMU_EXPORT int cuMemAllocAsync(ptr *p, size_t n, void *s) {
  return (void)s, cuMemAlloc(p, n);
}
WW_EMU_EXPORT int cuMemAllocHost(void **p, size_t n) {
  return __wwMalloc(p, n, 2);
}
WW_EMU_EXPORT int cuMemHostAlloc(void **p, size_t n, unsigned f) {
  return (void)f, __wwMalloc(p, n, 2);
}
WW_EMU_EXPORT int cuMemFree(ptr p) {
  return cudaFree(P(p));
}
WW_EMU_EXPORT int cuMemFreeAsync(ptr p, void *s) {
  return (void)s, cudaFree(P(p));
}
WW_EMU_EXPORT int cuMemFreeHost(void *p) {
  return cudaFreeHost(p);
}
WW_EMU_EXPORT int cuMemHostRegister(void *p, size_t n, unsigned f) {
  return cudaHostRegister(p, n, f);
}
WW_EMU_EXPORT int cuMemHostUnregister(void *p) {
  return cudaHostUnregister(p);
}
WW_EMU_EXPORT int cuMemHostGetDevicePointer(ptr *d, void *h, unsigned f) {
  return (void)f, *d = (uintptr_t)h, 0;
}
WW_EMU_EXPORT int cuMemGetInfo(size_t *f, size_t *t) {
  return cudaMemGetInfo(f, t);
}
WW_EMU_EXPORT int cuMemGetAddressRange(ptr *base, size_t *n, ptr p) {
  ww_emu_block b;
  if (!ww_emu_find(p, &b))
    return EMU_INVALID_VALUE;
  if (base)
    *base = b.base;
  if (n)
    *n = b.bytes;
  return 0;
}
WW_EMU_EXPORT int cuMemcpy(ptr d, ptr s, size_t n) {
  return cudaMemcpy(P(d), P(s), n, 4);
}
WW_EMU_EXPORT int cuMemcpyHtoD(ptr d, const void *s, size_t n) {
  return cudaMemcpy(P(d), s, n, 1);
}
WW_EMU_EXPORT int cuMemcpyDtoH(void *d, ptr s, size_t n) {
  return cudaMemcpy(d, P(s), n, 2);
}
WW_EMU_EXPORT int cuMemcpyDtoD(ptr d, ptr s, size_t n) {
  return cudaMemcpy(P(d), P(s), n, 3);
}
WW_EMU_EXPORT int cuMemcpyAsync(ptr d, ptr s, size_t n, void *t) {
  return (void)t, cuMemcpy(d, s, n);
}
WW_EMU_EXPORT int cuMemcpyHtoDAsync(ptr d, const void *s, size_t n, void *t) {
  return (void)t, cuMemcpyHtoD(d, s, n);
}
WW_EMU_EXPORT int cuMemcpyDtoHAsync(void *d, ptr s, size_t n, void *t) {
  return (void)t, cuMemcpyDtoH(d, s, n);
}
WW_EMU_EXPORT int cuMemcpyDtoDAsync(ptr d, ptr s, size_t n, void *t) {
  return (void)t, cuMemcpyDtoD(d, s, n);
}

static int fill(ptr p, const void *value, size_t elem, size_t n) {
  ww_emu_block b;
  if (!ww_emu_find(p, &b) || n > (b.bytes - (p - b.base)) / elem)
    return EMU_INVALID_VALUE;
  for (size_t i = 0; i < n; i++)
    memcpy((char *)P(p) + i * elem, value, elem);
  return 0;
}
WW_EMU_EXPORT int cuMemsetD8(ptr p, unsigned char v, size_t n) {
  return fill(p, &v, 1, n);
}
WW_EMU_EXPORT int cuMemsetD16(ptr p, unsigned short v, size_t n) {
  return fill(p, &v, 2, n);
}
WW_EMU_EXPORT int cuMemsetD32(ptr p, unsigned v, size_t n) {
  return fill(p, &v, 4, n);
}
WW_EMU_EXPORT int cuMemsetD8Async(ptr p, unsigned char v, size_t n, void *s) {
  return (void)s, fill(p, &v, 1, n);
}
WW_EMU_EXPORT int cuMemsetD32Async(ptr p, unsigned v, size_t n, void *s) {
  return (void)s, fill(p, &v, 4, n);
}

WW_EMU_EXPORT int cuMemAddressReserve(ptr *p, size_t n, size_t align, ptr at,
                                      unsigned long long f) {
  return (void)align, (void)at, (void)f, cuMemAlloc(p, n);
}
WW_EMU_EXPORT int cuMemAddressFree(ptr p, size_t n) {
  return (void)n, cuMemFree(p);
}
WW_EMU_EXPORT int cuMemCreate(unsigned long long *h, size_t n, const void *p,
                              unsigned long long f) {
  return (void)n, (void)p, (void)f, *h = 1, 0;
}
WW_EMU_EXPORT int cuMemGetAllocationGranularity(size_t *n, const void *p, int f) {
  return (void)p, (void)f, *n = 2u << 20, 0;
}

/* ---- streams and events ---- */

WW_EMU_EXPORT int cuStreamCreate(void **s, unsigned f) {
  return (void)f, cudaStreamCreate(s);
}
WW_EMU_EXPORT int cuStreamCreateWithPriority(void **s, unsigned f, int p) {
  return (void)p, cuStreamCreate(s, f);
}
WW_EMU_EXPORT int cuStreamDestroy(void *s) {
  return cudaStreamDestroy(s);
}
WW_EMU_EXPORT int cuEventCreate(void **e, unsigned f) {
  return cudaEventCreateWithFlags(e, f);
}
WW_EMU_EXPORT int cuEventDestroy(void *e) {
  return cudaEventDestroy(e);
}
WW_EMU_EXPORT int cuEventRecord(void *e, void *s) {
  return cudaEventRecord(e, s);
}
WW_EMU_EXPORT int cuEventElapsedTime(float *ms, void *a, void *b) {
  return cudaEventElapsedTime(ms, a, b);
}

#define DONE(name)               \
  WW_EMU_EXPORT int name(void) { \
    return EMU_OK;               \
  }
DONE(cuInit)
DONE(cuDevicePrimaryCtxRelease)
DONE(cuDevicePrimaryCtxReset)
DONE(cuCtxDestroy)
DONE(cuCtxSetCurrent)
DONE(cuCtxPushCurrent)
DONE(cuCtxSynchronize)
DONE(cuCtxSetLimit)
DONE(cuCtxSetCacheConfig)
DONE(cuModuleUnload)
DONE(cuStreamSynchronize)
DONE(cuStreamQuery)
DONE(cuStreamWaitEvent)
DONE(cuEventSynchronize)
DONE(cuEventQuery)
DONE(cuProfilerStart)
DONE(cuProfilerStop)
DONE(cuMemRelease)
DONE(cuMemMap)
DONE(cuMemUnmap)
DONE(cuMemSetAccess)
