/* cuda.c - the CUDA backend: opens a device, launches, flushes, tells resources;
 * counting is cupti.c's.
 *
 * Nothing here waits but sync, digest and loading: a batch is a queue of restores,
 * flushes and launches on one stream. */
#include "cuda_int.h"

#include <dlfcn.h>

#include "../gpu/gpu.h"

#define LEAST_FLUSH (64ull << 20) /* bytes */

/* ---- choosing the device ---- */

static int attribute(const ww_device *d, int which) {
  int v = 0;
  return d->api->cuDeviceGetAttribute(&v, which, d->device) ? 0 : v;
}

static ww_status make_context(ww_device *d, const char *name, ww_err *e) {
  ww_cuda_status s = d->api->cuDevicePrimaryCtxRetain(&d->context, d->device);
  if (s)
    d->context = NULL;
  if (!s)
    s = d->api->cuCtxSetCurrent(d->context);
  if (s == 46 || s == 101)
    return ww_fail(e, WW_EDEVICE,
                   "%s is taken by another program (exclusive mode): wait for it, or "
                   "choose another",
                   name);
  if (s == 2)
    return ww_fail(e, WW_EDEVICE,
                   "%s has no memory left for a context: end other programs on it",
                   name);
  return ww_cuda_check(d, s, name, e);
}

static void ask_limits(ww_device *d) {
  d->sms = attribute(d, WW_CUDA_SMS);
  d->max_threads = attribute(d, WW_CUDA_MAX_THREADS);
  d->threads_per_sm = attribute(d, WW_CUDA_THREADS_PER_SM);
  d->shared_default = attribute(d, WW_CUDA_SHARED_PER_BLOCK);
  d->shared_most = attribute(d, WW_CUDA_SHARED_OPTIN);
  if (d->shared_most < d->shared_default)
    d->shared_most = d->shared_default;
  d->cooperative = attribute(d, WW_CUDA_COOPERATIVE);
  for (int i = 0; i < 3; i++) {
    d->max_block[i] = attribute(d, WW_CUDA_MAX_BLOCK_X + i);
    d->max_grid[i] = attribute(d, WW_CUDA_MAX_GRID_X + i);
  }
  size_t bytes = 0;
  d->api->cuDeviceTotalMem(&bytes, d->device);
  d->memory = bytes;
}

static ww_status load_helpers(ww_device *d, ww_err *e) {
  const struct {
    const char *name;
    void **to;
  } kernels[] = {
      {"ww_fill", &d->fill}, {"ww_compare", &d->compare}, {"ww_flush", &d->read}};
  static const char doing[] = "loading warpwise's own device code";
  ww_cuda_status s = d->api->cuModuleLoadData(&d->helpers, ww_cuda_helpers);
  if (s)
    d->helpers = NULL;
  for (size_t i = 0; i < 3 && !s; i++)
    s = d->api->cuModuleGetFunction(kernels[i].to, d->helpers, kernels[i].name);
  if (!s)
    return WW_OK;
  ww_cuda_fail(d->api, s, doing, e);
  /* our code, so it is the device or its driver that is wrong */
  if (e)
    e->code = WW_EDEVICE;
  return WW_EDEVICE;
}

static ww_status make_flush(ww_device *d, uint64_t l2, ww_err *e) {
  uint64_t bytes = 4 * l2 > LEAST_FLUSH ? 4 * l2 : LEAST_FLUSH;
  if (ww_cuda_take(d, bytes, &d->flush, e))
    return ww_fail(e, WW_EDEVICE,
                   "the device has no %.0f MB left to flush its caches with: end other "
                   "programs on it",
                   bytes / 1e6);
  ww_cuda_status s = d->api->cuMemsetD8Async(d->flush.at, 0, d->flush.bytes, NULL);
  if (!s)
    s = d->api->cuCtxSynchronize();
  return ww_cuda_check(d, s, d->last, e);
}

/* ---- what there is to say of it ---- */

/* "580.159.04" from the kernel module, else from NVML; "" unknown */
static const char *driver_version(ww_arena *a) {
  char text[96] = "";
  FILE *f = fopen("/sys/module/nvidia/version", "r");
  if (f) {
    if (!fgets(text, sizeof text, f))
      *text = 0;
    fclose(f);
  }
  void *lib = *text ? NULL : dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (lib) {
    int (*start)(void) = NULL;
    int (*stop)(void) = NULL;
    int (*ask)(char *, unsigned) = NULL;
    start = dlsym(lib, "nvmlInit_v2");
    stop = dlsym(lib, "nvmlShutdown");
    ask = dlsym(lib, "nvmlSystemGetDriverVersion");
    if (start && stop && ask && !start()) {
      if (ask(text, sizeof text))
        *text = 0;
      stop();
    }
    dlclose(lib);
  }
  text[strcspn(text, "\n")] = 0;
  return ww_strdup(a, text);
}

static void
describe(const ww_device *d, const char *name, ww_arena *a, ww_device_info *info) {
  int v = d->api->version;
  *info = (ww_device_info){.device = ww_strdup(a, name),
                           .backend = "cuda",
                           .driver = driver_version(a),
                           .versions = ww_fmt(a, "CUDA %d.%d", v / 1000, v % 1000 / 10),
                           .sms = d->sms,
                           .lanes = 32,
                           .l2_bytes = attribute(d, WW_CUDA_L2_BYTES),
                           .memory_bytes = d->memory};
  if (!*info->driver)
    info->driver = info->versions;
  info->gpu = ww_gpu_for_device(name, info->sms, a);
}

/* ---- open and close ---- */

static void cuda_close(ww_device *d) {
  if (!d)
    return;
  ww_cupti_close(d->cupti);
  ww_cuda_give(d, &d->flush);
  ww_cuda_give(d, &d->results);
  ww_cuda_forget(d);
  if (d->context)
    ww_cuda_pool_close(d);
  if (d->helpers)
    d->api->cuModuleUnload(d->helpers);
  if (d->context)
    d->api->cuDevicePrimaryCtxRelease(d->device);
  ww_arena_free(d->a);
}

static ww_status cuda_open(
    const char *device, ww_arena *a, ww_device **out, ww_device_info *info, ww_err *e) {
  const ww_cuda_api *api;
  char name[128] = "";
  *out = NULL;
  ww_status st = ww_cuda_open(&api, e);
  if (st)
    return st;
  ww_arena *own = ww_arena_new();
  ww_device *d = WW_NEW(own, ww_device);
  *d = (ww_device){.api = api, .a = own, .last = "opening the device"};
  *out = d;
  st = ww_cuda_choose(d->api, device, d->a, &d->device, name, e);
  if (!st)
    st = make_context(d, name, e);
  if (!st) {
    ask_limits(d);
    describe(d, name, a, info);
    st = load_helpers(d, e);
  }
  if (st || (st = make_flush(d, info->l2_bytes, e))) {
    cuda_close(d);
    *out = NULL;
  }
  return st;
}

/* Asks the driver alone: no context, so that the process that compiles holds nothing on
 * the device.
 */
static ww_status cuda_architecture(const char *device, char out[16], ww_err *e) {
  ww_device d = {.a = ww_arena_new()};
  char name[128] = "";
  ww_status st = ww_cuda_open(&d.api, e);
  if (!st)
    st = ww_cuda_choose(d.api, device, d.a, &d.device, name, e);
  if (!st) {
    int major = attribute(&d, WW_CUDA_CAPABILITY_MAJOR);
    int minor = attribute(&d, WW_CUDA_CAPABILITY_MINOR);
    /* wgmma and its kin are of this architecture alone */
    snprintf(out, 16, "sm_%d%d%s", major, minor, major == 9 && !minor ? "a" : "");
  }
  ww_arena_free(d.a);
  return st;
}

/* ---- running ---- */

static ww_status cuda_flush(ww_device *d, ww_err *e) {
  uint64_t at = d->flush.at;
  uint64_t words = d->flush.bytes / 16;
  uint64_t never = d->flush.at;
  return ww_cuda_help(d, d->read, words, (void *[]){&at, &words, &never}, e);
}

/* With the attributes of a launch whose clusters its caller chooses. */
static ww_cuda_status launch_clusters(ww_device *d, ww_ready *r) {
  ww_cuda_attribute with[2] = {{.id = WW_CUDA_LAUNCH_CLUSTER},
                               {.id = WW_CUDA_LAUNCH_COOPERATIVE, .u = {.value = {1}}}};
  memcpy(with[0].u.value, r->cluster, sizeof r->cluster);
  ww_cuda_config c = {
      .shared = r->shared, .attributes = with, .n = r->cooperative ? 2 : 1};
  memcpy(c.grid, r->grid, sizeof c.grid);
  memcpy(c.block, r->block, sizeof c.block);
  return d->api->cuLaunchKernelEx(&c, r->function, r->params, NULL);
}

static ww_status enqueue(ww_device *d, ww_ready *r, bool counted, ww_err *e) {
  const unsigned *g = r->grid;
  const unsigned *b = r->block;
  snprintf(d->last, sizeof d->last, "%s", r->kernel);
  if (ww_cupti_kernel(d->cupti, counted, e))
    return WW_EDEVICE;
  ww_cuda_status s =
      r->cluster[0] ? launch_clusters(d, r)
      : r->cooperative
          ? d->api->cuLaunchCooperativeKernel(r->function, g[0], g[1], g[2], b[0], b[1],
                                              b[2], r->shared, NULL, r->params)
          : d->api->cuLaunchKernel(r->function, g[0], g[1], g[2], b[0], b[1], b[2],
                                   r->shared, NULL, r->params, NULL);
  return s ? ww_cuda_fail(d->api, s, d->last, e)
           : ww_cupti_kernel_end(d->cupti, counted, e);
}

static ww_status cuda_launch(ww_device *d, ww_ready *r, ww_err *e) {
  return enqueue(d, r, false, e);
}

static ww_status cuda_sync(ww_device *d, ww_err *e) {
  return ww_cuda_check(d, d->api->cuCtxSynchronize(), d->last, e);
}

static void cuda_resources(ww_device *d, const ww_ready *r, ww_report *out) {
  unsigned threads = r->block[0] * r->block[1] * r->block[2];
  unsigned warps = (threads + 31) / 32;
  int blocks = 0;
  ww_report_set(out, WW_M_registers, r->registers);
  ww_report_set(out, WW_M_shared_bytes, (double)r->shared_static + r->shared);
  ww_report_set(out, WW_M_local_bytes, r->local);
  if (r->no_half)
    ww_report_set(out, WW_M_flops_fp16, 0);
  if (d->threads_per_sm < 32)
    return;
  if (!d->api->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, r->function,
                                                           threads, r->shared))
    ww_report_set(out, WW_M_occupancy_limit_pct,
                  100.0 * blocks * warps / (d->threads_per_sm / 32));
}

/* ---- counting ---- */

/* The kernels of a pass: for each range the launch itself and the flush, or the run
 * that warms the caches, before it. */
static ww_status cuda_begin(
    ww_device *d, ww_counter_set set, uint32_t ranges, uint32_t *passes, ww_err *e) {
  ww_status st = d->cupti ? WW_OK : ww_cupti_open(d->context, d->device, &d->cupti, e);
  return st ? st : ww_cupti_begin(d->cupti, set, 2 * ranges, passes, e);
}

static ww_status cuda_pass_begin(ww_device *d, ww_err *e) {
  return ww_cupti_pass_begin(d->cupti, e);
}

static ww_status cuda_count(ww_device *d, ww_ready *r, ww_err *e) {
  return enqueue(d, r, true, e);
}
static ww_status cuda_pass_end(ww_device *d, ww_err *e) {
  return ww_cupti_pass_end(d->cupti, e);
}
static ww_status cuda_end(ww_device *d, double values[][WW_NMETRICS], ww_err *e) {
  return ww_cupti_end(d->cupti, values, e);
}

const ww_backend ww_backend_cuda = {.name = "cuda",
                                    .open = cuda_open,
                                    .close = cuda_close,
                                    .load = ww_cuda_load,
                                    .unload = ww_cuda_unload,
                                    .resources = cuda_resources,
                                    .restore = ww_cuda_restore,
                                    .flush = cuda_flush,
                                    .launch = cuda_launch,
                                    .sync = cuda_sync,
                                    .digest = ww_cuda_digest,
                                    .begin = cuda_begin,
                                    .pass_begin = cuda_pass_begin,
                                    .count = cuda_count,
                                    .pass_end = cuda_pass_end,
                                    .end = cuda_end,
                                    .dump = ww_cuda_dump,
                                    .architecture = cuda_architecture};
