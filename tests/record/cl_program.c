/* cl_program.c - an OpenCL program to be recorded: three kernels, several sizes, local
 * memory, a sub-buffer, a struct, a thousand repeated launches; with an argument N, N
 * launches that differ in a scalar alone; with N below 0, a launch behind a command
 * that waits for the program itself. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

static const char *source =
    "typedef struct { int shift; float scale; } how;\n"
    "kernel void scale(global float *x, float a, int n) { int i = get_global_id(0); if "
    "(i < n) "
    "x[i] *= a; }\n"
    "kernel void sum(global const int *len, global const float *x, global float *out, "
    "local float "
    "*t) {\n"
    "  int l = get_local_id(0), g = get_group_id(0); float s = 0;\n"
    "  for (int i = 0; i < len[g]; i++) s += x[g * 64 + i];\n"
    "  t[l] = s; barrier(CLK_LOCAL_MEM_FENCE); if (l == 0) out[g] = t[0] + t[N - 1];\n"
    "}\n"
    "kernel void move(global int *to, how h) { to[get_global_id(0)] += h.shift; }\n";

static void check(cl_int rc, const char *what) {
  if (rc == CL_SUCCESS)
    return;
  fprintf(stderr, "%s: %d\n", what, rc);
  exit(1);
}

static void launch(cl_command_queue q, cl_kernel k, size_t global, size_t local) {
  check(clEnqueueNDRangeKernel(q, k, 1, NULL, &global, local ? &local : NULL, 0, NULL,
                               NULL),
        "launch");
}

/* In order behind a copy that an event of ours holds back: whoever waits for the queue
 * before we let it go waits for ever. */
static void launch_behind_event(
    cl_context c, cl_command_queue q, cl_kernel k, cl_mem from, cl_mem to) {
  cl_int rc;
  cl_event held = clCreateUserEvent(c, &rc);
  check(rc, "event");
  check(clEnqueueCopyBuffer(q, from, to, 0, 0, 64, 1, &held, NULL), "copy");
  launch(q, k, 8, 8); /* a new one: a recorder wants to read */
  check(clSetUserEventStatus(held, CL_COMPLETE), "event");
}

int main(int argc, char **argv) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int rc, n = 1024, len[16];
  float x[1024], a = 0.5f;
  struct {
    cl_int shift;
    float scale;
  } how = {3, 1.5f};
  for (int i = 0; i < 1024; i++)
    x[i] = (float)(i % 17);
  for (int i = 0; i < 16; i++)
    len[i] = i * 4; /* the work depends on contents */
  check(clGetPlatformIDs(1, &platform, NULL), "platform");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
  cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &rc);
  check(rc, "context");
  cl_command_queue q = clCreateCommandQueue(c, device, 0, &rc);
  check(rc, "queue");
  cl_mem bx =
      clCreateBuffer(c, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof x, x, &rc);
  cl_mem bl =
      clCreateBuffer(c, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof len, len, &rc);
  cl_mem half = clCreateSubBuffer(bx, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                  &(cl_buffer_region){2048, 2048}, &rc);
  check(rc, "sub-buffer");
  cl_mem out = clCreateBuffer(c, CL_MEM_READ_WRITE, 64, NULL, &rc);
  cl_program p = clCreateProgramWithSource(c, 1, &source, NULL, &rc);
  check(clBuildProgram(p, 1, &device, "-DN=32 -w", NULL, NULL), "build");
  cl_kernel scale = clCreateKernel(p, "scale", &rc),
            sum = clCreateKernel(p, "sum", &rc), move = clCreateKernel(p, "move", &rc);
  clSetKernelArg(sum, 0, sizeof bl, &bl);
  clSetKernelArg(sum, 1, sizeof bx, &bx);
  clSetKernelArg(sum, 2, sizeof out, &out);
  clSetKernelArg(sum, 3, 32 * sizeof(float), NULL);
  launch(q, sum, 16 * 32, 32);
  clSetKernelArg(scale, 0, sizeof bx, &bx);
  clSetKernelArg(scale, 1, sizeof a, &a);
  clSetKernelArg(scale, 2, sizeof n, &n);
  for (int i = 0; i < 1000; i++)
    launch(q, scale, 1024, 64);
  clSetKernelArg(scale, 0, sizeof half, &half);
  launch(q, scale, 512, 64);
  launch(q, scale, 512, 0); /* the runtime chooses the work-group */
  clSetKernelArg(move, 0, sizeof out, &out);
  clSetKernelArg(move, 1, sizeof how, &how);
  launch(q, move, 16, 16);
  for (int i = 0, more = argc > 1 ? atoi(argv[1]) : 0; i < more; i++) {
    clSetKernelArg(move, 1, sizeof how, &how);
    how.shift = i;
    launch(q, move, 16, 16);
    if (i % 1000 == 0)
      clFinish(q);
  }
  if (argc > 1 && atoi(argv[1]) < 0)
    launch_behind_event(c, q, move, bl, out);
  clFinish(q);
  printf("program output\n");
  return argc > 2 ? atoi(argv[2]) : 0;
}
