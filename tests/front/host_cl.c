// An OpenCL host program beside its kernels.
#include <CL/cl.h>

void go(cl_command_queue q, cl_program program, cl_mem x) {
  cl_int error, n = 4096;
  cl_kernel k = clCreateKernel(program, "scale", &error);
  size_t global[2] = {4096, 8}, local[2] = {64, 2};
  clSetKernelArg(k, 0, sizeof x, &x);
  clSetKernelArg(k, 1, sizeof n, &n);
  clSetKernelArg(k, 2, 256, NULL);
  clEnqueueNDRangeKernel(q, k, 2, NULL, global, local, 0, NULL, NULL);
}
