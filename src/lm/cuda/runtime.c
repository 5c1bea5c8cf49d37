/* runtime.c - one device: context, stream, kernels by name, scratch memory, the first
 * failure.
 *
 * Everything is asked of one stream. A failure is remembered with its name and whatever
 * comes later does nothing; finish tells of it. */
#include "runtime.h"

#include <stdlib.h>

bool ww_accel_check(ww_accel *g, ww_cuda_status s, const char *doing) {
  if (s && !g->failed.code)
    ww_cuda_fail(g->api, s, doing, &g->failed);
  return s != 0;
}

/* ---- kernels ---- */

static const struct {
  ww_accel_unit unit;
  const char *bf16, *f32;
} names[WW_NKERNELS] = {
#define KERNEL(unit, name) {WW_UNIT_##unit, #name "_bf16", #name "_f32"},
#define FLOATS(unit, name) {WW_UNIT_##unit, #name, #name},
#include "kernels.def"
};

void *
ww_accel_function(ww_accel *g, ww_accel_unit unit, const char *name, size_t shared) {
  void *f = NULL;
  if (g->failed.code || ww_accel_load(g, unit, &g->failed))
    return NULL;
  if (ww_accel_check(g, g->api->cuModuleGetFunction(&f, g->module[unit], name), name))
    return NULL;
  if (shared > 48u << 10)
    ww_accel_check(
        g, g->api->cuFuncSetAttribute(f, WW_CUDA_FN_MAX_DYNAMIC_SHARED, shared), name);
  return f;
}

static ww_status load_kernels(ww_accel *g, ww_err *e) {
  for (int i = 0; i < WW_NKERNELS; i++) {
    g->kernel[i] = ww_accel_function(
        g, names[i].unit, g->o.real == WW_DTYPE_BF16 ? names[i].bf16 : names[i].f32, 0);
    if (g->kernel[i])
      continue;
    if (e)
      *e = g->failed;
    return g->failed.code;
  }
  for (int i = WW_K_rmsnorm_backward1; i <= WW_K_rmsnorm_backward3; i++)
    if (g->api->cuFuncSetAttribute(g->kernel[i], WW_CUDA_FN_MAX_DYNAMIC_SHARED,
                                   g->kernel_shared))
      g->kernel_shared = 47u << 10;
  return WW_OK;
}

/* ---- scratch ---- */

void *ww_accel_scratch(ww_accel *g, size_t bytes) {
  const ww_cuda_api *api = g->api;
  if (g->failed.code)
    return NULL;
  if (bytes > g->scratch_n) {
    uint64_t at = 0;
    size_t room = bytes + bytes / 4 + (1u << 20); /* rarely again */
    if (ww_accel_check(g, api->cuStreamSynchronize(g->stream),
                       "waiting for the device"))
      return NULL;
    if (g->scratch)
      api->cuMemFree(g->scratch);
    g->scratch = g->scratch_n = 0;
    if (ww_accel_check(g, api->cuMemAlloc(&at, room), "scratch memory"))
      return NULL;
    g->scratch = at;
    g->scratch_n = room;
  }
  return (void *)(uintptr_t)g->scratch;
}

/* ---- the device ---- */

static int attribute(const ww_accel *g, int which) {
  int v = 0;
  g->api->cuDeviceGetAttribute(&v, which, g->device);
  return v;
}

static ww_status check_calls(const ww_cuda_api *api, ww_err *e) {
  if (api->cuMemcpyHtoDAsync && api->cuMemHostAlloc && api->cuMemFreeHost)
    return WW_OK;
  return ww_fail(
      e, WW_EDEVICE,
      "this CUDA driver cannot train (no asynchronous copies): install NVIDIA's own");
}

static ww_status open_device(ww_accel *g, int ordinal, ww_err *e) {
  const ww_cuda_api *api = g->api;
  int n = 0;
  ww_cuda_status s = api->cuDeviceGetCount(&n);
  if (!s && (ordinal < 0 || ordinal >= n))
    return ww_fail(e, WW_EDEVICE,
                   "there is no CUDA device %d: this machine has %d, counted from 0",
                   ordinal, n);
  if (!s)
    s = api->cuDeviceGet(&g->device, ordinal);
  if (!s)
    s = api->cuDevicePrimaryCtxRetain(&g->context, g->device);
  if (!s)
    s = api->cuCtxSetCurrent(g->context);
  if (!s)
    s = api->cuStreamCreate(&g->stream, 1 /* does not wait for the default stream */);
  if (s)
    return ww_cuda_fail(api, s, "opening the CUDA device", e);
  g->capability = attribute(g, WW_CUDA_CAPABILITY_MAJOR) * 10 +
                  attribute(g, WW_CUDA_CAPABILITY_MINOR);
  g->sms = attribute(g, WW_CUDA_SMS);
  g->shared_most = attribute(g, WW_CUDA_SHARED_OPTIN);
  g->kernel_shared = g->shared_most > 48u << 10 ? g->shared_most - 1024 : 47u << 10;
  if (g->capability < 80 && g->o.real == WW_DTYPE_BF16)
    return ww_fail(e, WW_EDEVICE,
                   "this GPU (compute capability %d.%d) has no bf16: train in fp32, or "
                   "on one of 8.0 and up",
                   g->capability / 10, g->capability % 10);
  char name[64] = "";
  api->cuDeviceGetName(name, sizeof name, g->device);
  snprintf(g->o.name, sizeof g->o.name, "%s (%s)", name,
           g->o.real == WW_DTYPE_BF16 ? "bf16" : "fp32");
  return WW_OK;
}

static ww_status open_uploads(ww_accel *g, ww_err *e) {
  ww_cuda_status s = 0;
  for (int i = 0; i < WW_ACCEL_UPLOADS && !s; i++) {
    s = g->api->cuMemHostAlloc(&g->up[i].host, WW_ACCEL_UPLOAD_BYTES, 0);
    if (!s)
      s = g->api->cuEventCreate(&g->up[i].done, 2 /* no timing */);
  }
  if (!s)
    s = g->api->cuMemAlloc(&g->workspace, WW_ACCEL_WORKSPACE);
  return s ? ww_cuda_fail(g->api, s, "buffers for uploads and matrix products", e)
           : WW_OK;
}

ww_status ww_accel_new(int ordinal, ww_dtype real, ww_accel **out, ww_err *e) {
  ww_accel *g = ww_xcalloc(1, sizeof *g);
  *out = NULL;
  g->a = ww_arena_new();
  g->o.real = real;
  ww_status st = real == WW_DTYPE_BF16 || real == WW_DTYPE_F32
                     ? WW_OK
                     : ww_fail(e, WW_EUSAGE, "training is in bf16 or fp32");
  if (!st)
    st = ww_cuda_open(&g->api, e);
  if (!st)
    st = check_calls(g->api, e);
  if (!st)
    st = open_device(g, ordinal, e);
  if (!st)
    st = open_uploads(g, e);
  if (!st)
    st = load_kernels(g, e);
  if (!st)
    g->lt = ww_lt_open();
  if (st)
    ww_accel_free(g);
  else
    *out = g;
  return st;
}

void ww_accel_free(ww_accel *g) {
  if (!g)
    return;
  const ww_cuda_api *api = g->api;
  if (g->context) {
    api->cuCtxSetCurrent(g->context);
    if (g->stream)
      api->cuStreamSynchronize(g->stream);
    ww_nccl_close(g->nccl);
    ww_lt_close(g->lt);
    for (int i = 0; i < WW_ACCEL_UPLOADS; i++) {
      if (g->up[i].host)
        api->cuMemFreeHost(g->up[i].host);
      if (g->up[i].done)
        api->cuEventDestroy(g->up[i].done);
    }
    for (uint32_t i = 0; i < g->taken.n; i++)
      api->cuMemFree(g->taken.v[i].at);
    if (g->scratch)
      api->cuMemFree(g->scratch);
    if (g->workspace)
      api->cuMemFree(g->workspace);
    for (int i = 0; i < WW_NUNITS; i++)
      if (g->module[i])
        api->cuModuleUnload(g->module[i]);
    if (g->stream)
      api->cuStreamDestroy(g->stream);
    api->cuDevicePrimaryCtxRelease(g->device);
  }
  ww_arena_free(g->a);
  free(g);
}
