/* opencl.c - kernels on PoCL, the OpenCL runtime that compiles for this processor; see diff.h. */
#include "diff.h"

#include "../../src/measure/opencl_api.h"

struct diff_device {
  ww_opencl cl;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  char name[256];
};

struct diff_program {
  cl_program program;
};

static ww_status fail(ww_err *e, cl_int rc, const char *what) {
  return ww_fail(e, WW_EDEVICE, "%s: %s", what, ww_opencl_error(rc));
}

static ww_status open_device(bool run, ww_arena *a, diff_device **out, ww_err *e) {
  diff_device *d = *out = WW_NEW(a, diff_device);
  cl_int rc = 0;
  (void)run;
  ww_status st = ww_opencl_open(&d->cl, e);
  if (!st)
    st = ww_opencl_pick(&d->cl, "Portable", &d->id, e);
  if (st)
    return st;
  d->context = d->cl.CreateContext(NULL, 1, &d->id, NULL, NULL, &rc);
  if (!rc)
    d->queue = d->cl.CreateCommandQueue(d->context, d->id, 0, &rc);
  if (rc)
    return fail(e, rc, "opening PoCL");
  char version[64] = "";
  d->cl.GetDeviceInfo(d->id, CL_DRIVER_VERSION, sizeof version - 1, version, NULL);
  snprintf(d->name, sizeof d->name, "PoCL %s", version);
  return WW_OK;
}

static void close_device(diff_device *d) {
  if (!d)
    return;
  if (d->queue)
    d->cl.ReleaseCommandQueue(d->queue);
  if (d->context)
    d->cl.ReleaseContext(d->context);
}

static ww_status build(diff_device *d,
                       const diff_kernel *const *k,
                       uint32_t n,
                       diff_variant v,
                       ww_arena *a,
                       diff_program **out,
                       ww_err *e) {
  const char *text = diff_source(k, n, WW_GEN_OPENCL, v, a);
  char log[400] = "";
  size_t bytes = strlen(text);
  cl_int rc = 0;
  diff_program *p = *out = WW_NEW(a, diff_program);
  p->program = d->cl.CreateProgramWithSource(d->context, 1, &text, &bytes, &rc);
  if (rc)
    return fail(e, rc, "a program");
  rc = d->cl.BuildProgram(p->program, 1, &d->id, "-cl-std=CL1.2", NULL, NULL);
  if (!rc)
    return WW_OK;
  d->cl.GetProgramBuildInfo(p->program, d->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
  d->cl.ReleaseProgram(p->program);
  *out = NULL;
  return ww_fail(e, WW_EDATA, "build: %s: %.300s", ww_opencl_error(rc), log);
}

static cl_int set_args(
    diff_device *d, cl_kernel kernel, const diff_kernel *k, const uint8_t *image, cl_mem *mem) {
  cl_int rc = 0;
  uint32_t b = 0;
  for (uint32_t i = 0; !rc && i < k->launch.nargs; i++) {
    const ww_arg *g = &k->launch.args[i];
    if (b < k->nbuffers && k->buffers[b].arg == i) {
      const diff_buffer *f = &k->buffers[b];
      mem[b] = d->cl.CreateBuffer(d->context, CL_MEM_READ_WRITE, f->bytes, NULL, &rc);
      if (!rc)
        rc = d->cl.EnqueueWriteBuffer(d->queue, mem[b], CL_TRUE, 0, f->bytes, image + f->at, 0,
                                      NULL, NULL);
      if (!rc)
        rc = d->cl.SetKernelArg(kernel, i, sizeof mem[b], &mem[b]);
      b++;
    } else {
      rc = d->cl.SetKernelArg(kernel, i, g->hex_n, g->hex);
    }
  }
  return rc;
}

static cl_int launch(diff_device *d, cl_kernel kernel, const ww_launch *l) {
  size_t global[3], local[3];
  for (int i = 0; i < 3; i++) {
    local[i] = l->block[i];
    global[i] = l->grid[i] * l->block[i];
  }
  cl_int rc = d->cl.EnqueueNDRangeKernel(d->queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
  return rc ? rc : d->cl.Finish(d->queue);
}

static ww_status
run(diff_device *d, diff_program *p, const diff_kernel *k, uint8_t *image, ww_err *e) {
  cl_mem mem[DIFF_BUFFERS] = {NULL};
  cl_int rc = 0;
  cl_kernel kernel = d->cl.CreateKernel(p->program, k->gen.name, &rc);
  if (rc)
    return fail(e, rc, k->gen.name);
  rc = set_args(d, kernel, k, image, mem);
  if (!rc)
    rc = launch(d, kernel, &k->launch);
  for (uint32_t b = 0; b < k->nbuffers; b++) {
    const diff_buffer *f = &k->buffers[b];
    if (!rc)
      rc = d->cl.EnqueueReadBuffer(d->queue, mem[b], CL_TRUE, 0, f->bytes, image + f->at, 0, NULL,
                                   NULL);
    if (mem[b])
      d->cl.ReleaseMemObject(mem[b]);
  }
  d->cl.ReleaseKernel(kernel);
  return rc ? fail(e, rc, k->gen.name) : WW_OK;
}

static void drop(diff_device *d, diff_program *p) {
  if (p)
    d->cl.ReleaseProgram(p->program);
}

static const char *describe(diff_device *d) {
  return d->name;
}

const diff_backend diff_opencl = {.name = "opencl",
                                  .dialect = WW_GEN_OPENCL,
                                  .together = 16,
                                  .open = open_device,
                                  .close = close_device,
                                  .build = build,
                                  .run = run,
                                  .drop = drop,
                                  .describe = describe};
