/* probe_rig.c - the device under the probe: opening, launching, clocks. One context, the default
 * stream, one launch at a time. */
#include "probe_int.h"

#include <stdlib.h>
#include <strings.h>

#define SMALL (4u << 20) /* bytes of r->result */

ww_status ww_rig_try(ww_rig *r, ww_cuda_status s, const char *doing, ww_err *e) {
  if (!s)
    return WW_OK;
  ww_status st = ww_cuda_fail(r->api, s, doing, e);
  if (st == WW_EDEVICE)
    r->broken = true;
  return st;
}

int ww_rig_attribute(const ww_rig *r, int which) {
  int v = 0;
  return r->api->cuDeviceGetAttribute(&v, which, r->device) ? 0 : v;
}

static ww_status choose(ww_rig *r, ww_err *e) {
  char name[128] = "";
  int n = 0;
  const char *list = "", *part = r->o->device;
  ww_cuda_status s = r->api->cuDeviceGetCount(&n);
  if (s || !n)
    return ww_fail(e, WW_EDEVICE,
                   "no CUDA device is visible; look at nvidia-smi and CUDA_VISIBLE_DEVICES");
  for (int i = 0; i < n; i++) {
    if (r->api->cuDeviceGet(&r->device, i) || r->api->cuDeviceGetName(name, sizeof name, r->device))
      continue;
    r->out->device = ww_strdup(r->a, name);
    if (!part || strcasestr(name, part))
      return WW_OK;
    list = ww_fmt(r->a, "%s%s%s", list, *list ? ", " : "", name);
  }
  return ww_fail(e, WW_EDEVICE, "no CUDA device is called '%.60s'; there are: %s", part ? part : "",
                 list);
}

/* Operands of the kernels: floats of about 1, which are harmless as integers and halves too; zeros
 * behind them. */
static ww_status fill_operands(ww_rig *r, ww_err *e) {
  uint32_t words[4096] = {0};
  for (uint32_t i = 0; i < 256; i++)
    words[i] = 0x3f800000u | (i * 37u);
  return ww_rig_try(r, r->api->cuMemcpyHtoD(r->in, words, sizeof words), "filling operands", e);
}

static ww_status make_buffers(ww_rig *r, ww_err *e) {
  const ww_cuda_api *api = r->api;
  size_t left = 0, total = 0;
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
    return ww_fail(e, WW_ELIMIT, "the probe needs 1 GB of free memory on %s", r->out->device);
  return s ? ww_rig_try(r, s, "taking memory for the probe", e) : fill_operands(r, e);
}

ww_status ww_rig_open(ww_rig *r, ww_err *e) {
  ww_status st = ww_cuda_open(&r->api, e);
  if (!st)
    st = choose(r, e);
  if (st)
    return st;
  st = ww_rig_try(r, r->api->cuDevicePrimaryCtxRetain(&r->context, r->device), r->out->device, e);
  if (st) {
    r->context = NULL;
    return st;
  }
  st = ww_rig_try(r, r->api->cuCtxSetCurrent(r->context), r->out->device, e);
  r->out->sms = (uint32_t)ww_rig_attribute(r, WW_CUDA_SMS);
  r->out->lanes = 32;
  r->out->architecture = ww_fmt(r->a, "sm_%d%d", ww_rig_attribute(r, WW_CUDA_CAPABILITY_MAJOR),
                                ww_rig_attribute(r, WW_CUDA_CAPABILITY_MINOR));
  r->threads_per_sm = (uint32_t)ww_rig_attribute(r, WW_CUDA_THREADS_PER_SM);
  r->l2_bytes = (uint32_t)ww_rig_attribute(r, WW_CUDA_L2_BYTES);
  return st ? st : make_buffers(r, e);
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

ww_status ww_rig_load(ww_rig *r, ww_probe_module m, const char *path, ww_err *e) {
  char *image;
  size_t n;
  ww_status st = ww_read_file(r->a, path, 64u << 20, &image, &n, e);
  if (st)
    return st;
  st =
      ww_rig_try(r, r->api->cuModuleLoadData(&r->modules[m], image), "loading the probe's code", e);
  if (st)
    r->modules[m] = NULL;
  return st;
}

ww_status ww_rig_kernel(ww_rig *r, ww_probe_module m, const char *name, void **kernel, ww_err *e) {
  if (r->broken)
    return ww_fail(e, WW_EDEVICE, "an earlier probe broke the device's context");
  if (!r->modules[m])
    return ww_fail(e, WW_EUNSUPPORTED, "its code did not compile");
  if (r->api->cuModuleGetFunction(kernel, r->modules[m], name))
    return ww_fail(e, WW_EUNSUPPORTED, "%s has no such instruction", r->out->architecture);
  return WW_OK;
}

ww_status ww_rig_launch(ww_rig *r, void *kernel, uint32_t blocks, uint32_t threads, void **params,
                        ww_err *e) {
  return ww_rig_try(
      r, r->api->cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, NULL, params, NULL),
      "launching", e);
}

ww_status ww_rig_sync(ww_rig *r, ww_err *e) {
  return ww_rig_try(r, r->api->cuCtxSynchronize(), "running", e);
}

ww_status ww_rig_cycles(ww_rig *r, void *kernel, uint32_t threads, void **params, double *cycles,
                        ww_err *e) {
  int64_t t[64];
  uint32_t warps = (threads + 31) / 32;
  *cycles = INFINITY;
  for (int k = 0; k < 3; k++) {
    ww_status st = ww_rig_launch(r, kernel, 1, threads, params, e);
    if (!st)
      st = ww_rig_sync(r, e);
    if (!st)
      st = ww_rig_try(r, r->api->cuMemcpyDtoH(t, r->clocks, warps * 16), "reading clocks", e);
    if (st)
      return st;
    int64_t begin = t[0], end = t[1];
    for (uint32_t w = 1; w < warps; w++) {
      if (t[2 * w] < begin)
        begin = t[2 * w];
      if (t[2 * w + 1] > end)
        end = t[2 * w + 1];
    }
    if ((double)(end - begin) < *cycles)
      *cycles = (double)(end - begin);
  }
  return WW_OK;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

ww_status ww_rig_seconds(ww_rig *r, void *kernel, uint32_t blocks, uint32_t threads, void **params,
                         double *s, ww_err *e) {
  double took[5];
  for (int k = -1; k < 5; k++) {
    float ms = 0;
    ww_cuda_status rc = r->api->cuEventRecord(r->events[0], NULL);
    ww_status st =
        rc ? ww_rig_try(r, rc, "timing", e) : ww_rig_launch(r, kernel, blocks, threads, params, e);
    if (st)
      return st;
    rc = r->api->cuEventRecord(r->events[1], NULL);
    if (!rc)
      rc = r->api->cuEventSynchronize(r->events[1]);
    if (!rc)
      rc = r->api->cuEventElapsedTime(&ms, r->events[0], r->events[1]);
    if (rc)
      return ww_rig_try(r, rc, "timing", e);
    if (k >= 0)
      took[k] = ms / 1e3;
  }
  qsort(took, 5, sizeof *took, ascending);
  *s = took[2];
  return WW_OK;
}

void ww_rig_gap(ww_rig *r, const char *probe, ww_status st, const ww_err *e) {
  if (st == WW_OK)
    return;
  ww_push(r->a, &r->out->gaps, ((ww_probe_gap){ww_strdup(r->a, probe), ww_strdup(r->a, e->msg)}));
}

double ww_rig_figure(const ww_rig *r, const char *name, double otherwise) {
  for (uint32_t i = r->out->points.n; i-- > 0;)
    if (!strcmp(r->out->points.v[i].name, name))
      return r->out->points.v[i].value;
  return otherwise;
}
