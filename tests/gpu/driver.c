/* driver.c - the CUDA driver through dlopen; see driver.h. */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>

typedef int status; /* CUresult */

static struct {
  status (*cuInit)(unsigned);
  status (*cuDeviceGet)(int *, int);
  status (*cuDevicePrimaryCtxRetain)(void **, int);
  status (*cuCtxSetCurrent)(void *);
  status (*cuCtxSynchronize)(void);
  status (*cuModuleLoad)(gpu_module *, const char *);
  status (*cuModuleUnload)(gpu_module);
  status (*cuModuleGetFunction)(gpu_kernel *, gpu_module, const char *);
  status (*cuModuleGetGlobal_v2)(gpu_ptr *, size_t *, gpu_module, const char *);
  status (*cuMemAlloc_v2)(gpu_ptr *, size_t);
  status (*cuMemFree_v2)(gpu_ptr);
  status (*cuMemcpyHtoD_v2)(gpu_ptr, const void *, size_t);
  status (*cuMemcpyDtoH_v2)(void *, gpu_ptr, size_t);
  status (*cuLaunchKernel)(gpu_kernel,
                           unsigned,
                           unsigned,
                           unsigned,
                           unsigned,
                           unsigned,
                           unsigned,
                           unsigned,
                           void *,
                           void **,
                           void **);
  status (*cuGetErrorString)(status, const char **);
} cu;

static const struct {
  const char *name;
  void *at;
} calls[] = {
#define CALL(f) \
  { #f, &cu.f }
    CALL(cuInit),          CALL(cuDeviceGet),         CALL(cuDevicePrimaryCtxRetain),
    CALL(cuCtxSetCurrent), CALL(cuCtxSynchronize),    CALL(cuModuleLoad),
    CALL(cuModuleUnload),  CALL(cuModuleGetFunction), CALL(cuModuleGetGlobal_v2),
    CALL(cuMemAlloc_v2),   CALL(cuMemFree_v2),        CALL(cuMemcpyHtoD_v2),
    CALL(cuMemcpyDtoH_v2), CALL(cuLaunchKernel),      CALL(cuGetErrorString),
#undef CALL
};

static bool ok(status s, const char *call, const char *about) {
  const char *text = "";
  if (s == 0)
    return true;
  if (cu.cuGetErrorString)
    cu.cuGetErrorString(s, &text);
  fprintf(stderr, "%s %s: %s (%d)\n", call, about, text ? text : "", s);
  return false;
}
#define TRY(f, about, ...) ok(cu.f(__VA_ARGS__), #f, about)

bool gpu_open(void) {
  void *lib = dlopen("libcuda.so.1", RTLD_NOW), *context;
  int device;
  for (size_t i = 0; lib && i < sizeof calls / sizeof *calls; i++)
    if (!(*(void **)calls[i].at = dlsym(lib, calls[i].name)))
      lib = NULL;
  if (!lib) {
    fprintf(stderr, "no CUDA driver here: %s\n", dlerror());
    return false;
  }
  return TRY(cuInit, "", 0) && TRY(cuDeviceGet, "0", &device, 0) &&
         TRY(cuDevicePrimaryCtxRetain, "", &context, device) &&
         TRY(cuCtxSetCurrent, "", context);
}

bool gpu_load(gpu_module *m, const char *cubin) {
  return TRY(cuModuleLoad, cubin, m, cubin);
}
void gpu_unload(gpu_module m) {
  TRY(cuModuleUnload, "", m);
}
bool gpu_find(gpu_kernel *k, gpu_module m, const char *mangled) {
  return TRY(cuModuleGetFunction, mangled, k, m, mangled);
}
bool gpu_symbol(gpu_ptr *p, size_t *bytes, gpu_module m, const char *name) {
  return TRY(cuModuleGetGlobal_v2, name, p, bytes, m, name);
}
bool gpu_alloc(gpu_ptr *p, size_t bytes) {
  return TRY(cuMemAlloc_v2, "", p, bytes);
}
void gpu_free(gpu_ptr p) {
  TRY(cuMemFree_v2, "", p);
}
bool gpu_put(gpu_ptr to, const void *from, size_t bytes) {
  return TRY(cuMemcpyHtoD_v2, "", to, from, bytes);
}
bool gpu_get(void *to, gpu_ptr from, size_t bytes) {
  return TRY(cuMemcpyDtoH_v2, "", to, from, bytes);
}

bool gpu_launch(gpu_kernel k,
                const uint64_t grid[3],
                const uint64_t block[3],
                uint64_t shared,
                void **params) {
  unsigned g[3], b[3];
  for (int i = 0; i < 3; i++) {
    g[i] = grid[i] ? (unsigned)grid[i] : 1;
    b[i] = block[i] ? (unsigned)block[i] : 1;
  }
  return TRY(cuLaunchKernel, "", k, g[0], g[1], g[2], b[0], b[1], b[2],
             (unsigned)shared, NULL, params, NULL) &&
         TRY(cuCtxSynchronize, "after a launch");
}
