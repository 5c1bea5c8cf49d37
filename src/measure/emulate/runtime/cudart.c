/* cudart.c - the CUDA runtime API of an emulated program: registration, launches,
 * devices, errors.
 *
 * Called by the code that clang makes for <<<...>>> and by the bodies of the shim's
 * ww_runtime_full.h, whose prototypes these are; enumerations are plain ints here. What
 * has no effect on the program is one table at the end. */
#include "emu.h"

/* ---- registration: module constructors call it for every kernel and variable ---- */

static WW_VEC(struct {
  const void *fn;
  ww_emu_kernel *kernel;
}) stubs;
static WW_VEC(struct {
  const void *shadow;
  ww_emu_symbol *symbol;
  uint64_t bytes;
}) shadows;

void **__cudaRegisterFatBinary(void) {
  static void *handle;
  ww_emu_get();
  return &handle;
}

WW_EMU_ZERO __cudaRegisterFatBinaryEnd, __cudaUnregisterFatBinary;

int __cudaRegisterFunction(void **h, const char *host, char *name, const char *device) {
  ww_emu *s = ww_emu_get();
  ww_emu_lock();
  ww_push(s->arena, &stubs, (__typeof__(*stubs.v)){host, ww_emu_kernel_named(device)});
  ww_emu_unlock();
  return 0;
}

void __cudaRegisterVar(void **h,
                       char *shadow,
                       char *address,
                       const char *name,
                       int external,
                       size_t size) {
  ww_emu *s = ww_emu_get();
  ww_emu_lock();
  ww_emu_symbol *y = ww_emu_symbol_named(name, size);
  /* static variables of two files that have only the name in common */
  if (y->address && y->bytes != size) {
    y = WW_NEW(s->arena, ww_emu_symbol);
    y->name = y->mangled = ww_strdup(s->arena, name);
  }
  ww_emu_symbol_place(y, shadow, size);
  ww_push(s->arena, &shadows, (__typeof__(*shadows.v)){shadow, y, size});
  ww_emu_unlock();
}
void __cudaRegisterManagedVar(void **h,
                              void **shadow,
                              char *address,
                              const char *name,
                              int external,
                              size_t size) {
  *shadow = ww_emu_alloc(size, EMU_MANAGED);
  __cudaRegisterVar(h, *shadow, NULL, name, external, size);
}
/* References: the device's variable holds a handle, which nobody sets here. */
void __cudaRegisterTexture(void **h,
                           const void *shadow,
                           const void **address,
                           const char *name) {
  ww_emu_get();
  ww_emu_symbol_named(name, 8)->texture = true;
}
WW_EMU_SAME(__cudaRegisterTexture) __cudaRegisterSurface;

static ww_emu_kernel *kernel_of(const void *fn) {
  ww_emu_kernel *k = NULL;
  ww_emu_lock();
  for (uint32_t i = stubs.n; i-- && !k;)
    if (stubs.v[i].fn == fn)
      k = stubs.v[i].kernel;
  ww_emu_unlock();
  return k;
}

int __wwSymbol(const void *shadow, void **address, size_t *bytes) {
  for (uint32_t i = 0; i < shadows.n; i++) {
    if (shadows.v[i].shadow != shadow)
      continue;
    *address = (void *)shadows.v[i].symbol->address;
    *bytes = shadows.v[i].bytes;
    return EMU_OK;
  }
  return ww_emu_error(EMU_INVALID_SYMBOL);
}

/* ---- launches ---- */

#define MOST_NESTED 16

typedef struct {
  dim3 grid, block;
  size_t shared;
} configuration;

/* <<<...>>> first, then each argument, then the launch; an argument may launch
 * something itself. */
static __thread struct {
  configuration calls[MOST_NESTED];
  uint32_t ncalls, nargs, used;
  uint8_t bytes[WW_EMU_MOST_ARGS * 16];
  const void *values[WW_EMU_MOST_ARGS];
  uint32_t sizes[WW_EMU_MOST_ARGS];
} pending;

static int launch(const ww_emu_launch *l) {
  return ww_emu_capture_launch(l) ? EMU_OK : ww_emu_error(ww_emu_launch_now(l));
}

int cudaConfigureCall(dim3 grid, dim3 block, size_t shared) {
  if (pending.ncalls == MOST_NESTED)
    return ww_emu_error(EMU_INVALID_CONFIGURATION);
  pending.calls[pending.ncalls++] = (configuration){grid, block, shared};
  return EMU_OK;
}

int cudaSetupArgument(const void *value, size_t size, size_t offset) {
  if (!offset)
    pending.nargs = pending.used = 0;
  size_t at = (pending.used + 15u) & ~15u;
  if (pending.nargs == WW_EMU_MOST_ARGS || size > sizeof pending.bytes - at)
    return ww_emu_error(EMU_INVALID_VALUE);
  memcpy(pending.bytes + at, value, size);
  pending.values[pending.nargs] = pending.bytes + at;
  pending.sizes[pending.nargs++] = size;
  pending.used = at + size;
  return EMU_OK;
}

int cudaLaunch(const void *fn) {
  if (!pending.ncalls)
    return ww_emu_error(EMU_MISSING_CONFIGURATION);
  configuration c = pending.calls[--pending.ncalls];
  ww_emu_kernel *k = kernel_of(fn);
  ww_emu_launch l = {.kernel = k,
                     .grid = {c.grid.x, c.grid.y, c.grid.z},
                     .block = {c.block.x, c.block.y, c.block.z},
                     .shared = c.shared,
                     .values = pending.values,
                     .sizes = pending.sizes,
                     .nargs = k && k->known && !k->nparams ? 0 : pending.nargs};
  int rc = k ? launch(&l) : ww_emu_error(EMU_INVALID_FUNCTION);
  pending.nargs = pending.used = 0;
  return rc;
}

WW_EMU_SAME(cudaConfigureCall) __cudaPushCallConfiguration;

/* Only the table tells how many arguments there are. */
int ww_emu_stub_launch(const void *fn,
                       dim3 g,
                       dim3 b,
                       size_t shared,
                       void **args,
                       uint32_t sizes[WW_EMU_MOST_ARGS],
                       ww_emu_launch *l) {
  ww_emu_kernel *k = kernel_of(fn);
  *l = (ww_emu_launch){.kernel = k,
                       .grid = {g.x, g.y, g.z},
                       .block = {b.x, b.y, b.z},
                       .shared = shared,
                       .values = (const void *const *)args,
                       .sizes = sizes};
  if (!k)
    return ww_emu_error(EMU_INVALID_FUNCTION);
  for (; args && l->nargs < k->nparams && l->nargs < WW_EMU_MOST_ARGS; l->nargs++)
    sizes[l->nargs] = k->params[l->nargs].size;
  return EMU_OK;
}

int __wwLaunch(const void *fn,
               dim3 g,
               dim3 b,
               void **args,
               size_t shared,
               void *stream,
               int cooperative) {
  uint32_t sizes[WW_EMU_MOST_ARGS];
  ww_emu_launch l;
  int rc = ww_emu_stub_launch(fn, g, b, shared, args, sizes, &l);
  l.cooperative = cooperative;
  return rc ? rc : launch(&l);
}

/* ---- functions ---- */

int __wwFunc(const void *fn, int what, int *value) {
  ww_emu_kernel *k = kernel_of(fn);
  if (!k)
    return ww_emu_error(EMU_INVALID_FUNCTION);
  const int answers[] = {k->max_threads ? k->max_threads : 1024, k->shared_static, 32,
                         0};
  if (what >= 0 && what < 4)
    *value = answers[what];
  if (what != 4)
    return EMU_OK;
  if (*value < 0 || (uint64_t)*value + k->shared_static > ww_emu_get()->shared_block)
    return ww_emu_error(EMU_INVALID_VALUE);
  k->shared_allowed = *value;
  return EMU_OK;
}

int __wwOccupancy(int *blocks, const void *fn, int threads, size_t shared) {
  ww_emu *s = ww_emu_get();
  ww_emu_kernel *k = kernel_of(fn);
  *blocks = 0;
  if (!k)
    return ww_emu_error(EMU_INVALID_FUNCTION);
  if (threads <= 0 || threads > 1024)
    return threads <= 0 ? ww_emu_error(EMU_INVALID_VALUE) : EMU_OK;
  uint32_t warps = ((uint32_t)threads + 31) / 32;
  uint32_t n = s->threads_sm / (32 * warps);
  uint64_t bytes = shared + k->shared_static + 1024;
  if (n > s->blocks_sm)
    n = s->blocks_sm;
  if (n > s->shared_sm / bytes)
    n = s->shared_sm / bytes;
  *blocks = n;
  return EMU_OK;
}

/* ---- devices ---- */

int cudaSetDevice(int device) {
  return device == 0 ? EMU_OK : ww_emu_error(EMU_INVALID_DEVICE);
}
WW_EMU_SAME(cudaSetDevice) cudaInitDevice;
static int answer(int *to, int value) {
  if (!to)
    return ww_emu_error(EMU_INVALID_VALUE);
  *to = value;
  return EMU_OK;
}
int cudaGetDeviceCount(int *n) {
  return answer(n, 1);
}
int cudaGetDevice(int *d) {
  return answer(d, 0);
}
WW_EMU_ANSWER(cudaChooseDevice, int, 0)
WW_EMU_SAME(cudaChooseDevice)
cudaDeviceGetCacheConfig, cudaDeviceCanAccessPeer, cudaDeviceGetP2PAttribute;
WW_EMU_ANSWER(cudaGetDeviceFlags, unsigned, 0)
WW_EMU_ANSWER(cudaDriverGetVersion, int, 12080)
WW_EMU_SAME(cudaDriverGetVersion) cudaRuntimeGetVersion;
WW_EMU_ANSWER(cudaDeviceGetSharedMemConfig, int, 1)
WW_EMU_ANSWER(cudaDeviceGetByPCIBusId, int, 0)
WW_EMU_SAME(cudaDriverGetVersion) cuDriverGetVersion;
WW_EMU_SAME(cudaDeviceCanAccessPeer) cuDeviceCanAccessPeer;
int cudaDeviceGetLimit(size_t *v, int limit) {
  *v = limit == 2 ? 8u << 20 : 1024;
  return EMU_OK;
}
int cudaDeviceGetStreamPriorityRange(int *low, int *high) {
  if (low)
    *low = 0;
  if (high)
    *high = -5;
  return EMU_OK;
}
int cudaDeviceGetPCIBusId(char *out, int n, int d) {
  snprintf(out, n, "0000:00:00.0");
  return cudaSetDevice(d);
}

void __wwNothing(const char *what) {
  ww_emu_note("%s computes nothing in an emulated program: what depends on its results "
              "is not right",
              what);
}

unsigned long long __wwDevice(int what) {
  ww_emu *s = ww_emu_get();
  return what == 0   ? s->memory
         : what == 1 ? s->shared_sm
         : what == 2 ? s->shared_block
                     : s->l2;
}
const char *__wwDeviceName(void) {
  return ww_emu_get()->gpu_name;
}

int cudaDeviceGetAttribute(int *v, int attribute, int device) {
  const ww_emu *s = ww_emu_get();
  if (device)
    return ww_emu_error(EMU_INVALID_DEVICE);
  static const int yes[] = {15, 19, 31, 32, 41, 78, 79,
                            80, 83, 89, 90, 95, 99, 115}; /* what it can do */
  const struct {
    int attribute;
    uint64_t value;
  } all[] = {
      {1, 1024},
      {2, 1024},
      {3, 1024},
      {4, 64},
      {5, 2147483647},
      {6, 65535},
      {7, 65535},
      {8, 49152},
      {9, 65536},
      {10, 32},
      {11, 2147483647},
      {12, 65536},
      {13, s->clock_khz},
      {14, 512},
      {16, s->sms},
      {36, s->memory_clock_khz},
      {37, s->bus_bits},
      {38, s->l2},
      {39, s->threads_sm},
      {40, 3},
      {75, s->major},
      {76, s->minor},
      {81, s->shared_sm},
      {82, 65536},
      {87, 2},
      {97, s->shared_block},
      {106, s->blocks_sm},
      {108, s->l2 / 2},
      {109, 134217728},
      {111, 1024},
      {120, s->major >= 9},
  };
  *v = 0;
  for (size_t i = 0; i < WW_COUNT(yes); i++)
    *v |= yes[i] == attribute;
  for (size_t i = 0; i < WW_COUNT(all); i++)
    if (all[i].attribute == attribute)
      *v = all[i].value;
  return EMU_OK;
}

WW_EMU_SAME(cudaDeviceGetAttribute) cuDeviceGetAttribute;

/* ---- errors ---- */

static const struct {
  int code;
  const char *name, *text;
} errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {500, "cudaErrorSymbolNotFound", "named symbol not found"},
    {600, "cudaErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {720, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {910, "cudaErrorGraphExecUpdateFailure", "the graph update was not performed"},
};

static const char *error_text(int code, bool name) {
  for (size_t i = 0; i < WW_COUNT(errors); i++)
    if (errors[i].code == code)
      return name ? errors[i].name : errors[i].text;
  return "unrecognized error code";
}
const char *cudaGetErrorString(int code) {
  return error_text(code, false);
}
const char *cudaGetErrorName(int code) {
  return error_text(code, true);
}
int cudaGetLastError(void) {
  return ww_emu_last_error(true);
}
int cudaPeekAtLastError(void) {
  return ww_emu_last_error(false);
}

/* ---- what has nothing to do here; arguments are not looked at ---- */

int cudaDeviceSynchronize(void) {
  ww_emu_waited();
  return EMU_OK;
}
WW_EMU_SAME(cudaDeviceSynchronize)
cudaThreadSynchronize, cuCtxSynchronize, cuStreamSynchronize, cuEventSynchronize;
WW_EMU_ZERO cudaDeviceReset, cudaSetDeviceFlags, cudaSetValidDevices,
    cudaDeviceSetLimit, cudaDeviceSetCacheConfig, cudaDeviceSetSharedMemConfig,
    cudaDeviceEnablePeerAccess, cudaDeviceDisablePeerAccess, cudaDeviceSetMemPool,
    cudaCtxResetPersistingL2Cache, cudaThreadExit, cudaThreadSetLimit,
    cudaThreadSetCacheConfig, cudaProfilerStart, cudaProfilerStop, cudaMemPoolDestroy,
    cudaMemPoolTrimTo, cudaMemPoolSetAttribute, cudaMemPoolSetAccess,
    cudaIpcCloseMemHandle, cudaIpcGetEventHandle;
