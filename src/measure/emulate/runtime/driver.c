/* driver.c - the driver API of an emulated program, as far as programs of the runtime
 * API mix it in. Device pointers are integers there. What only has another name than in
 * the runtime's API stands beside that (WW_EMU_SAME). */
#include "emu.h"

int cudaMemcpy(void *dst, const void *src, size_t n, int kind);
int __wwMalloc(void **p, size_t n, int kind);
const char *cudaGetErrorString(int code);
const char *cudaGetErrorName(int code);

typedef unsigned long long ptr;
#define P(x) ((void *)(x))

/* ---- devices and contexts: one of each ---- */

static int one_device(int device) {
  return device ? EMU_INVALID_DEVICE : EMU_OK;
}

int cuGetErrorString(int code, const char **s) {
  *s = cudaGetErrorString(code);
  return EMU_OK;
}
int cuGetErrorName(int code, const char **s) {
  *s = cudaGetErrorName(code);
  return EMU_OK;
}
/* An answer about the device with that number. */
#define OF_DEVICE(name, type, value)   \
  int name(type *answer, int device) { \
    *answer = value;                   \
    return one_device(device);         \
  }
OF_DEVICE(cuDeviceGet, int, device)
OF_DEVICE(cuDeviceTotalMem, size_t, ww_emu_get()->memory)
OF_DEVICE(cuDevicePrimaryCtxRetain, void *, P(1))
int cuDeviceGetName(char *s, int n, int d) {
  snprintf(s, n, "%s", ww_emu_get()->gpu_name);
  return one_device(d);
}
int cuDeviceGetUuid(void *u, int d) {
  memset(u, 0, 16);
  return one_device(d);
}
int cuDeviceComputeCapability(int *major, int *minor, int d) {
  *major = ww_emu_get()->major;
  *minor = ww_emu_get()->minor;
  return one_device(d);
}
int cuCtxCreate(void **c, unsigned flags, int d) {
  return cuDevicePrimaryCtxRetain(c, d);
}
WW_EMU_ANSWER(cuDeviceGetCount, int, 1)
WW_EMU_ANSWER(cuCtxGetDevice, int, 0)
WW_EMU_ANSWER(cuCtxGetCurrent, void *, P(1))
WW_EMU_SAME(cuCtxGetCurrent) cuCtxPopCurrent;

/* ---- modules: code for a device, which cannot be taken apart here ---- */

int cuModuleLoad(void) {
  ww_emu_note(
      "the program loads compiled device code at run time, which the emulation cannot: "
      "those kernels are not seen");
  return EMU_NOT_SUPPORTED;
}
WW_EMU_SAME(cuModuleLoad) cuModuleLoadData, cuModuleLoadDataEx;
WW_EMU_ALWAYS(cuModuleGetFunction, EMU_NOT_FOUND)
WW_EMU_ALWAYS(cuModuleGetGlobal, EMU_NOT_FOUND)

/* ---- memory ---- */

int cuMemAlloc(ptr *p, size_t n) {
  return n ? __wwMalloc((void **)p, n, 0) : EMU_INVALID_VALUE;
}
WW_EMU_SAME(cuMemAlloc) cuMemAllocAsync, cuMemAddressReserve;
int cuMemAllocPitch(ptr *p, size_t *pitch, size_t w, size_t h) {
  *pitch = (w + 511) / 512 * 512;
  return cuMemAlloc(p, *pitch * h);
}
int cuMemAllocManaged(ptr *p, size_t n) {
  return __wwMalloc((void **)p, n, 1);
}
int cuMemAllocHost(void **p, size_t n) {
  return __wwMalloc(p, n, 2);
}
WW_EMU_SAME(cuMemAllocHost) cuMemHostAlloc;
int cuMemHostGetDevicePointer(ptr *d, void *h) {
  *d = (uintptr_t)h;
  return EMU_OK;
}
int cuMemGetAddressRange(ptr *base, size_t *n, ptr p) {
  ww_emu_block b;
  if (!ww_emu_find(p, &b))
    return EMU_INVALID_VALUE;
  if (base)
    *base = b.base;
  if (n)
    *n = b.bytes;
  return 0;
}
#define COPY(name, to, from, kind)              \
  int name(to dst, from src, size_t n) {        \
    return cudaMemcpy(P(dst), P(src), n, kind); \
  }
COPY(cuMemcpy, ptr, ptr, 4)
COPY(cuMemcpyHtoD, ptr, const void *, 1)
COPY(cuMemcpyDtoH, void *, ptr, 2)
COPY(cuMemcpyDtoD, ptr, ptr, 3)
WW_EMU_SAME(cuMemcpy) cuMemcpyAsync;
WW_EMU_SAME(cuMemcpyHtoD) cuMemcpyHtoDAsync;
WW_EMU_SAME(cuMemcpyDtoH) cuMemcpyDtoHAsync;
WW_EMU_SAME(cuMemcpyDtoD) cuMemcpyDtoDAsync;

static int fill(ptr p, const void *value, size_t elem, size_t n) {
  ww_emu_block b;
  if (!ww_emu_find(p, &b) || n > (b.bytes - (p - b.base)) / elem)
    return EMU_INVALID_VALUE;
  for (size_t i = 0; i < n; i++)
    memcpy((char *)P(p) + i * elem, value, elem);
  return 0;
}
#define FILL(name, type)              \
  int name(ptr p, type v, size_t n) { \
    return fill(p, &v, sizeof v, n);  \
  }
FILL(cuMemsetD8, unsigned char)
FILL(cuMemsetD16, unsigned short)
FILL(cuMemsetD32, unsigned)
WW_EMU_SAME(cuMemsetD8) cuMemsetD8Async;
WW_EMU_SAME(cuMemsetD32) cuMemsetD32Async;
WW_EMU_ANSWER(cuMemCreate, unsigned long long, 1)
WW_EMU_ANSWER(cuMemGetAllocationGranularity, size_t, 2u << 20)

/* ---- what has nothing to do here ---- */

WW_EMU_ZERO cuInit, cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxReset, cuCtxDestroy,
    cuCtxSetCurrent, cuCtxPushCurrent, cuCtxSetLimit, cuCtxSetCacheConfig,
    cuModuleUnload, cuStreamQuery, cuStreamWaitEvent, cuEventQuery, cuProfilerStart,
    cuProfilerStop, cuMemRelease, cuMemMap, cuMemUnmap, cuMemSetAccess;
