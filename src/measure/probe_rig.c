/* probe_rig.c - the device under the probe: opening, launching, clocks. One context,
 * the default stream, one launch at a time. */
#include "probe_int.h"

#include <stdlib.h>

#define SMALL (4u << 20) /* bytes of r->result */

bool ww_rig_try(ww_rig *r, ww_cuda_status s, const char *doing) {
  if (s && ww_cuda_fail(r->api, s, doing, &r->e) == WW_EDEVICE)
    r->broken = true;
  return !s;
}

int ww_rig_attribute(const ww_rig *r, int which) {
  int v = 0;
  return r->api->cuDeviceGetAttribute(&v, which, r->device) ? 0 : v;
}

/* Operands of the kernels: floats of about 1, which are harmless as integers and halves
 * too; zeros behind them. */
static void fill_operands(ww_rig *r) {
  uint32_t words[4096] = {0};
  for (uint32_t i = 0; i < 256; i++)
    words[i] = 0x3f800000u | (i * 37u);
  ww_rig_try(r, r->api->cuMemcpyHtoD(r->in, words, sizeof words), "filling operands");
}

static void make_buffers(ww_rig *r) {
  const ww_cuda_api *api = r->api;
  size_t left = 0;
  size_t total = 0;
  ww_cuda_status s = api->cuMemAlloc(&r->in, 1u << 20);
  if (!s)
    s = api->cuMemAlloc(&r->result, SMALL);
  if (!s)
    s = api->cuMemAlloc(&r->clocks, WW_RIG_CLOCKS * 8);
  for (int i = 0; i < 2 && !s; i++)
    s = api->cuEventCreate(&r->events[i], 0);
  if (!s)
    s = api->cuMemGetInfo(&left, &total);
  for (r->big_bytes = 64ull << 30; !s && r->big_bytes >= 1u << 30; r->big_bytes /= 2)
    if (r->big_bytes < left / 10 * 9 && !api->cuMemAlloc(&r->big, r->big_bytes))
      break;
  if (!s && !r->big)
    ww_fail(&r->e, WW_ELIMIT, "the probe needs 1 GB of free memory on %s",
            r->out->device);
  else if (ww_rig_try(r, s, "taking memory for the probe"))
    fill_operands(r);
}

ww_status ww_rig_open(ww_rig *r) {
  char name[128] = "";
  if (ww_cuda_open(&r->api, &r->e) ||
      ww_cuda_choose(r->api, r->o->device, r->a, &r->device, name, &r->e))
    return r->e.code;
  r->out->device = ww_strdup(r->a, name);
  if (!ww_rig_try(r, r->api->cuDevicePrimaryCtxRetain(&r->context, r->device),
                  r->out->device)) {
    r->context = NULL;
    return r->e.code;
  }
  ww_rig_try(r, r->api->cuCtxSetCurrent(r->context), r->out->device);
  r->out->sms = ww_rig_attribute(r, WW_CUDA_SMS);
  r->out->lanes = 32;
  r->out->architecture =
      ww_fmt(r->a, "sm_%d%d", ww_rig_attribute(r, WW_CUDA_CAPABILITY_MAJOR),
             ww_rig_attribute(r, WW_CUDA_CAPABILITY_MINOR));
  r->threads_per_sm = ww_rig_attribute(r, WW_CUDA_THREADS_PER_SM);
  r->l2_bytes = ww_rig_attribute(r, WW_CUDA_L2_BYTES);
  if (ww_rig_ok(r))
    make_buffers(r);
  return r->e.code;
}

void ww_rig_close(ww_rig *r) {
  if (!r->context)
    return;
  if (!r->broken) {
    for (int i = 0; i < WW_NPROBE_MODULES; i++)
      if (r->modules[i])
        r->api->cuModuleUnload(r->modules[i]);
    for (int i = 0; i < 2; i++)
      if (r->events[i])
        r->api->cuEventDestroy(r->events[i]);
    const uint64_t all[] = {r->in, r->result, r->clocks, r->big};
    for (size_t i = 0; i < 4; i++)
      if (all[i])
        r->api->cuMemFree(all[i]);
  }
  r->api->cuDevicePrimaryCtxRelease(r->device);
  r->context = NULL;
}

void ww_rig_load(ww_rig *r, ww_probe_module m, const char *path) {
  char *image;
  size_t n;
  if (ww_read_file(r->a, path, 64u << 20, &image, &n, &r->e))
    return;
  if (!ww_rig_try(r, r->api->cuModuleLoadData(&r->modules[m], image),
                  "loading the probe's code"))
    r->modules[m] = NULL;
}

void *ww_rig_kernel(ww_rig *r, ww_probe_module m, const char *name) {
  void *kernel = NULL;
  if (!ww_rig_ok(r))
    return NULL;
  if (r->broken)
    ww_fail(&r->e, WW_EDEVICE, "an earlier probe broke the device's context");
  else if (!r->modules[m])
    ww_fail(&r->e, WW_EUNSUPPORTED, "its code did not compile");
  else if (r->api->cuModuleGetFunction(&kernel, r->modules[m], name))
    ww_fail(&r->e, WW_EUNSUPPORTED, "%s has no such instruction", r->out->architecture);
  return kernel;
}

void ww_rig_launch(
    ww_rig *r, void *kernel, uint32_t blocks, uint32_t threads, void **params) {
  if (ww_rig_ok(r))
    ww_rig_try(r,
               r->api->cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, NULL,
                                      params, NULL),
               "launching");
}

void ww_rig_run(ww_rig *r,
                ww_probe_module m,
                const char *name,
                uint32_t blocks,
                uint32_t threads,
                void **params) {
  void *kernel = ww_rig_kernel(r, m, name);
  ww_rig_launch(r, kernel, blocks, threads, params);
  if (ww_rig_ok(r))
    ww_rig_try(r, r->api->cuCtxSynchronize(), "running");
}

void ww_rig_read(ww_rig *r, void *to, uint64_t from, size_t bytes) {
  if (ww_rig_ok(r))
    ww_rig_try(r, r->api->cuMemcpyDtoH(to, from, bytes), "reading results");
}

double ww_rig_cycles(ww_rig *r,
                     ww_probe_module m,
                     const char *name,
                     uint32_t blocks,
                     uint32_t threads,
                     void **params) {
  int64_t t[64];
  uint32_t warps = (threads + 31) / 32;
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    ww_rig_run(r, m, name, blocks, threads, params);
    ww_rig_read(r, t, r->clocks, warps * 16);
    if (!ww_rig_ok(r))
      return NAN;
    int64_t begin = t[0];
    int64_t end = t[1];
    for (uint32_t w = 1; w < warps; w++) {
      if (t[2 * w] < begin)
        begin = t[2 * w];
      if (t[2 * w + 1] > end)
        end = t[2 * w + 1];
    }
    least = fmin(least, end - begin);
  }
  return least;
}

double ww_rig_per_loop(ww_rig *r,
                       ww_probe_module m,
                       const char *name,
                       uint32_t blocks,
                       uint32_t threads,
                       int loops,
                       int stride) {
  int n = loops;
  void *params[] = {&r->in, &r->result, &r->clocks, &n, &stride};
  double once = ww_rig_cycles(r, m, name, blocks, threads, params);
  n = 2 * loops;
  double twice = ww_rig_cycles(r, m, name, blocks, threads, params);
  if (twice <= once) {
    ww_fail(&r->e, WW_EDATA, "twice the work took no longer: the compiler dropped it");
    return NAN;
  }
  return (twice - once) / loops;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return x < y ? -1 : x > y;
}

void ww_rig_begin(ww_rig *r, void *stream) {
  if (ww_rig_ok(r))
    ww_rig_try(r, r->api->cuEventRecord(r->events[0], stream), "timing");
}

double ww_rig_end(ww_rig *r, void *stream) {
  float ms = 0;
  if (!ww_rig_ok(r))
    return NAN;
  ww_cuda_status s = r->api->cuEventRecord(r->events[1], stream);
  if (!s)
    s = r->api->cuEventSynchronize(r->events[1]);
  if (!s)
    s = r->api->cuEventElapsedTime(&ms, r->events[0], r->events[1]);
  return ww_rig_try(r, s, "timing") ? ms / 1e3 : NAN;
}

double ww_rig_seconds(ww_rig *r,
                      ww_probe_module m,
                      const char *name,
                      uint32_t blocks,
                      uint32_t threads,
                      void **params) {
  double took[6];
  void *kernel = ww_rig_kernel(r, m, name);
  for (int k = 0; k < 6; k++) {
    ww_rig_begin(r, NULL);
    ww_rig_launch(r, kernel, blocks, threads, params);
    took[k] = ww_rig_end(r, NULL);
  }
  qsort(took + 1, 5, sizeof *took, ascending);
  return ww_rig_ok(r) ? took[3] : NAN;
}

void ww_rig_gap(ww_rig *r, const char *probe) {
  if (!ww_rig_ok(r))
    ww_push(r->a, &r->out->gaps,
            ((ww_probe_gap){ww_strdup(r->a, probe), ww_strdup(r->a, r->e.msg)}));
  r->e = (ww_err){0};
}

double ww_rig_figure(const ww_rig *r, const char *name, double otherwise) {
  for (uint32_t i = r->out->points.n; i-- > 0;)
    if (!strcmp(r->out->points.v[i].name, name))
      return r->out->points.v[i].value;
  return otherwise;
}
