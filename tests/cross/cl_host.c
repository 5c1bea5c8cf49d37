/* cl_host.c - runs one OpenCL launch spec on whatever runtime the ICD loader finds and
 * dumps the buffers.
 *
 *   cl_host NAME.launch [--dump DIR] [--platform SUBSTRING] [--options "BUILD OPTIONS"]
 * [--times]
 *
 * The same spec, the same contents and the same dump names (DIR/arg<i>.bin) as
 * `warpwise trace
 * --full --dump DIR`, so that the two can be compared byte by byte. Under `oclgrind`
 * the runtime is Oclgrind. --times prints the kernel's wall and CPU milliseconds. Exit
 * 0 ok, 3 bad input, 4 no device or a runtime error. */
#define CL_TARGET_OPENCL_VERSION 120
#include "../../src/report/launch.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <time.h>

#define MAX_ARGS 32

typedef struct {
  const char *spec, *dump, *platform, *options;
  bool times;
} options;

typedef struct {
  ww_arena *a;
  const ww_launch *l;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem buffers[MAX_ARGS];
} host;

/* Any OpenCL error ends the program: it is a test tool and the runtime cleans up behind
 * it. */
static void must(cl_int rc, const char *what) {
  if (rc == CL_SUCCESS)
    return;
  fprintf(stderr, "cl_host: %s: OpenCL error %d\n", what, rc);
  exit(4);
}

static bool pick_device(host *h, const char *want) {
  cl_platform_id p[16];
  cl_uint n = 0;
  if (clGetPlatformIDs(16, p, &n) != CL_SUCCESS)
    return false;
  for (cl_uint i = 0; i < n; i++) {
    char name[256] = "";
    clGetPlatformInfo(p[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (want && !strstr(name, want))
      continue;
    if (clGetDeviceIDs(p[i], CL_DEVICE_TYPE_ALL, 1, &h->device, NULL) == CL_SUCCESS)
      return true;
  }
  return false;
}

static void build(host *h, const char *build_options) {
  char *text, log[16384] = "";
  size_t n;
  ww_err e = {0};
  cl_int rc;
  if (ww_read_file(h->a, h->l->file, 1 << 24, &text, &n, &e) != WW_OK) {
    fprintf(stderr, "cl_host: %s\n", e.msg);
    exit(3);
  }
  h->program = clCreateProgramWithSource(h->context, 1, (const char **)&text, &n, &rc);
  must(rc, "program");
  rc = clBuildProgram(h->program, 1, &h->device, build_options, NULL, NULL);
  if (rc != CL_SUCCESS) {
    clGetProgramBuildInfo(h->program, h->device, CL_PROGRAM_BUILD_LOG, sizeof log, log,
                          NULL);
    fputs(log, stderr);
  }
  must(rc, "build");
  h->kernel = clCreateKernel(h->program, h->l->kernel, &rc);
  must(rc, h->l->kernel);
}

static void set_buffer(host *h, cl_uint i, const ww_buffer *b) {
  uint32_t size = b->type ? ww_elem_size(b->type) : 1;
  uint8_t *p = ww_alloc(h->a, b->bytes);
  cl_int rc;
  if (b->fill.kind != WW_FILL_NONE && size)
    ww_fill_bytes(&b->fill, b->type, b->bytes / size, ww_fill_seed(h->l->seed, i), 0,
                  b->bytes / size, p);
  h->buffers[i] = clCreateBuffer(h->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 b->bytes, p, &rc);
  must(rc, "buffer");
  must(clSetKernelArg(h->kernel, i, sizeof(cl_mem), &h->buffers[i]), "buffer argument");
}

/* A scalar takes the type its parameter has. */
static void set_value(host *h, cl_uint i, const ww_arg *arg) {
  char type[64] = "";
  must(clGetKernelArgInfo(h->kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type,
                          NULL),
       "argument's type");
  float f = (float)arg->value;
  double d = arg->value;
  int32_t w = (int32_t)arg->ivalue;
  int64_t l = arg->ivalue;
  if (strcmp(type, "float") == 0)
    must(clSetKernelArg(h->kernel, i, 4, &f), "argument");
  else if (strcmp(type, "double") == 0)
    must(clSetKernelArg(h->kernel, i, 8, &d), "argument");
  else if (strcmp(type, "long") == 0 || strcmp(type, "ulong") == 0)
    must(clSetKernelArg(h->kernel, i, 8, &l), "argument");
  else
    must(clSetKernelArg(h->kernel, i, 4, &w), "argument");
}

static void set_args(host *h) {
  for (cl_uint i = 0; i < h->l->nargs && i < MAX_ARGS; i++) {
    const ww_arg *arg = &h->l->args[i];
    cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    clGetKernelArgInfo(h->kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                       &space, NULL);
    if (space == CL_KERNEL_ARG_ADDRESS_LOCAL)
      must(clSetKernelArg(h->kernel, i, arg->buffer.bytes, NULL), "local argument");
    else if (arg->kind == WW_ARG_BUFFER)
      set_buffer(h, i, &arg->buffer);
    else if (arg->kind == WW_ARG_HEX)
      must(clSetKernelArg(h->kernel, i, arg->hex_n, arg->hex), "argument");
    else
      set_value(h, i, arg);
  }
}

static double cpu_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void launch(host *h, bool times) {
  size_t global[3], local[3];
  cl_uint dims = 1;
  for (int k = 0; k < 3; k++) {
    local[k] = h->l->block[k] ? h->l->block[k] : 1;
    global[k] = (h->l->grid[k] ? h->l->grid[k] : 1) * local[k];
    if (global[k] > 1)
      dims = (cl_uint)k + 1;
  }
  double start = ww_now(), cpu = cpu_now();
  must(clEnqueueNDRangeKernel(h->queue, h->kernel, dims, NULL, global, local, 0, NULL,
                              NULL),
       "launch");
  must(clFinish(h->queue), "kernel");
  if (times)
    printf("kernel_ms %.3f\nkernel_cpu_ms %.3f\n", (ww_now() - start) * 1e3,
           (cpu_now() - cpu) * 1e3);
}

static void dump(host *h, const char *dir) {
  for (cl_uint i = 0; i < h->l->nargs && i < MAX_ARGS; i++) {
    if (!h->buffers[i])
      continue;
    size_t n = h->l->args[i].buffer.bytes;
    uint8_t *p = ww_alloc(h->a, n);
    ww_err e = {0};
    must(clEnqueueReadBuffer(h->queue, h->buffers[i], CL_TRUE, 0, n, p, 0, NULL, NULL),
         "read back");
    if (ww_write_file_atomic(ww_path_join(h->a, dir, ww_fmt(h->a, "arg%u.bin", i)), p,
                             n, &e) != WW_OK) {
      fprintf(stderr, "cl_host: %s\n", e.msg);
      exit(3);
    }
  }
}

static bool parse(options *o, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--times") == 0)
      o->times = true;
    else if (strcmp(argv[i], "--dump") == 0 && i + 1 < argc)
      o->dump = argv[++i];
    else if (strcmp(argv[i], "--platform") == 0 && i + 1 < argc)
      o->platform = argv[++i];
    else if (strcmp(argv[i], "--options") == 0 && i + 1 < argc)
      o->options = argv[++i];
    else if (argv[i][0] == '-' || o->spec)
      return false;
    else
      o->spec = argv[i];
  }
  return o->spec != NULL;
}

int main(int argc, char **argv) {
  options o = {.options = "-cl-std=CL1.2 -cl-kernel-arg-info"};
  host h = {.a = ww_arena_new()};
  ww_launch *l;
  uint32_t n = 0;
  ww_err e = {0};
  cl_int rc;
  if (!parse(&o, argc, argv)) {
    fprintf(stderr,
            "usage: %s NAME.launch [--dump DIR] [--platform SUBSTRING] [--options "
            "OPTIONS] [--times]\n",
            argv[0]);
    return 2;
  }
  if (ww_launch_read(o.spec, h.a, &l, &n, &e) != WW_OK || n != 1 || !l->file ||
      !l->kernel) {
    fprintf(stderr, "cl_host: %s: %s\n", o.spec,
            e.msg[0] ? e.msg : "one launch with \"file\" and \"kernel\" is needed");
    return 3;
  }
  h.l = l;
  if (!pick_device(&h, o.platform)) {
    fprintf(stderr, "cl_host: no OpenCL device%s%s\n",
            o.platform ? " of platform " : "", o.platform ? o.platform : "");
    return 4;
  }
  h.context = clCreateContext(NULL, 1, &h.device, NULL, NULL, &rc);
  must(rc, "context");
  h.queue = clCreateCommandQueue(h.context, h.device, 0, &rc);
  must(rc, "queue");
  build(&h, o.options);
  set_args(&h);
  launch(&h, o.times);
  if (o.dump)
    dump(&h, o.dump);
  for (int i = 0; i < MAX_ARGS; i++)
    if (h.buffers[i])
      clReleaseMemObject(h.buffers[i]);
  clReleaseKernel(h.kernel);
  clReleaseProgram(h.program);
  clReleaseCommandQueue(h.queue);
  clReleaseContext(h.context);
  ww_arena_free(h.a);
  return 0;
}
