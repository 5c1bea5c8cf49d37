/* cuda.c - kernels through NVRTC and the CUDA driver, both opened at run time; see diff.h. */
#include "diff.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../src/cuda/cuda_api.h"
#include "../../src/measure/compile.h"

#define MEMORY ((size_t)256 << 20) /* device bytes held for images */

struct diff_device {
  const ww_cuda_api *api; /* NULL: compiles alone */
  uint64_t memory;
  char cache[64]; /* folder for compiled code */
  char name[128];
};

struct diff_program {
  void *module;
};

static ww_status open_device(bool run, ww_arena *a, diff_device **out, ww_err *e) {
  diff_device *d = *out = WW_NEW(a, diff_device);
  void *context;
  int device;
  snprintf(d->cache, sizeof d->cache, "/tmp/ww_diff.XXXXXX");
  if (!mkdtemp(d->cache))
    return ww_fail(e, WW_EIO, "no folder for compiled code in /tmp");
  if (!run)
    return snprintf(d->name, sizeof d->name, "NVRTC alone"), WW_OK;
  ww_status st = ww_cuda_open(&d->api, e);
  if (st)
    return st;
  ww_cuda_status s = d->api->cuDeviceGet(&device, 0);
  if (!s)
    s = d->api->cuDevicePrimaryCtxRetain(&context, device);
  if (!s)
    s = d->api->cuCtxSetCurrent(context);
  if (!s)
    s = d->api->cuMemAlloc(&d->memory, MEMORY);
  if (s)
    return ww_cuda_fail(d->api, s, "opening the first GPU", e);
  char gpu[64] = "";
  d->api->cuDeviceGetName(gpu, sizeof gpu, device);
  snprintf(d->name, sizeof d->name, "%s, CUDA %d.%d", gpu, d->api->version / 1000,
           d->api->version % 1000 / 10);
  return WW_OK;
}

static void close_device(diff_device *d) {
  if (!d)
    return;
  char path[96];
  snprintf(path, sizeof path, "%s/cubin", d->cache);
  rmdir(path);
  rmdir(d->cache);
}

/* The code of a text, its file taken away again. */
static ww_status compile(diff_device *d,
                         const diff_kernel *const *k,
                         uint32_t n,
                         diff_variant v,
                         ww_arena *a,
                         char **code,
                         ww_err *e) {
  const char *text = diff_source(k, n, WW_GEN_CUDA, v, a);
  static const char *const flags[] = {"--fmad=false"};
  ww_compile_job *jobs = WW_NEWN(a, ww_compile_job, n);
  ww_compile_options o = {.architecture = "sm_90", .with = "nvrtc", .cache = d->cache};
  for (uint32_t i = 0; i < n; i++)
    jobs[i] = (ww_compile_job){.text = text,
                               .kernel = k[i]->gen.name,
                               .flags = (const char **)flags,
                               .nflags = v != DIFF_PLAIN};
  ww_status st = ww_compile(jobs, n, &o, a, e);
  for (uint32_t i = 0; !st && i < n; i++)
    if (jobs[i].error.code)
      st = ww_fail(e, WW_EDATA, "%s: %.300s", k[i]->gen.name, jobs[i].error.msg);
  if (!st)
    st = ww_read_file(a, jobs[0].binary, (size_t)1 << 28, code, NULL, e);
  if (jobs[0].binary) {
    unlink(jobs[0].binary);
    unlink(ww_fmt(a, "%s.json", jobs[0].binary));
  }
  return st;
}

static ww_status build(diff_device *d,
                       const diff_kernel *const *k,
                       uint32_t n,
                       diff_variant v,
                       ww_arena *a,
                       diff_program **out,
                       ww_err *e) {
  char *code;
  diff_program *p = WW_NEW(a, diff_program);
  ww_status st = compile(d, k, n, v, a, &code, e);
  if (!st && d->api) {
    ww_cuda_status s = d->api->cuModuleLoadData(&p->module, code);
    if (s)
      st = ww_cuda_fail(d->api, s, "loading the code", e);
  }
  *out = st ? NULL : p;
  return st;
}

static ww_status launch(diff_device *d, void *function, const diff_kernel *k, ww_err *e) {
  const ww_launch *l = &k->launch;
  uint64_t at[DIFF_BUFFERS];
  void *params[64];
  uint32_t b = 0;
  if (l->nargs > 64)
    return ww_fail(e, WW_ELIMIT, "%u arguments", l->nargs);
  for (uint32_t i = 0; i < l->nargs; i++) {
    bool buffer = b < k->nbuffers && k->buffers[b].arg == i;
    if (buffer)
      at[b] = d->memory + k->buffers[b].at;
    params[i] = buffer ? (void *)&at[b] : (void *)l->args[i].hex;
    b += buffer;
  }
  ww_cuda_status s =
      d->api->cuLaunchKernel(function, (unsigned)l->grid[0], (unsigned)l->grid[1],
                             (unsigned)l->grid[2], (unsigned)l->block[0], (unsigned)l->block[1],
                             (unsigned)l->block[2], (unsigned)l->shared, NULL, params, NULL);
  if (!s)
    s = d->api->cuCtxSynchronize();
  return s ? ww_cuda_fail(d->api, s, k->gen.name, e) : WW_OK;
}

static ww_status
run(diff_device *d, diff_program *p, const diff_kernel *k, uint8_t *image, ww_err *e) {
  void *function;
  if (k->bytes > MEMORY)
    return ww_fail(e, WW_ELIMIT, "%s needs %llu bytes", k->gen.name, (unsigned long long)k->bytes);
  ww_cuda_status s = d->api->cuModuleGetFunction(&function, p->module, k->gen.name);
  if (!s)
    s = d->api->cuMemcpyHtoD(d->memory, image, k->bytes);
  if (s)
    return ww_cuda_fail(d->api, s, k->gen.name, e);
  ww_status st = launch(d, function, k, e);
  if (st)
    return st;
  s = d->api->cuMemcpyDtoH(image, d->memory, k->bytes);
  return s ? ww_cuda_fail(d->api, s, k->gen.name, e) : WW_OK;
}

static void drop(diff_device *d, diff_program *p) {
  if (p && p->module)
    d->api->cuModuleUnload(p->module);
}

static const char *describe(diff_device *d) {
  return d->name;
}

const diff_backend diff_cuda = {.name = "cuda",
                                .dialect = WW_GEN_CUDA,
                                .together = 64,
                                .open = open_device,
                                .close = close_device,
                                .build = build,
                                .run = run,
                                .drop = drop,
                                .describe = describe};
