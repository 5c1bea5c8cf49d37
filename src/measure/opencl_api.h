/* opencl_api.h - the part of OpenCL 1.2 that the backend uses, declared here so that no
 * SDK is needed to build, and found by dlopen so that none is needed to start. Names
 * and values are those of the Khronos headers. */
#ifndef WW_OPENCL_API_H
#define WW_OPENCL_API_H

#include "../base/base.h"

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong, cl_bitfield;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_event *cl_event;
typedef struct {
  size_t origin, size;
} cl_buffer_region;

enum {
  CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
  CL_OUT_OF_RESOURCES = -5,
  CL_OUT_OF_HOST_MEMORY = -6,
  CL_INVALID_KERNEL_NAME = -46,
  CL_INVALID_ARG_SIZE = -51,
  CL_INVALID_WORK_GROUP_SIZE = -54,
  CL_INVALID_BUFFER_SIZE = -61,

  CL_PLATFORM_VERSION = 0x0901,
  CL_PLATFORM_NAME = 0x0902,

  CL_DEVICE_TYPE_CPU = 1 << 1,
  CL_DEVICE_TYPE_GPU = 1 << 2,
  CL_DEVICE_TYPE = 0x1000,
  CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
  CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
  CL_DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019,
  CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101E,
  CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
  CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
  CL_DEVICE_NAME = 0x102B,
  CL_DRIVER_VERSION = 0x102D,
  CL_DEVICE_VERSION = 0x102F,

  CL_QUEUE_PROFILING_ENABLE = 1 << 1,
  CL_MEM_READ_WRITE = 1 << 0,
  CL_BUFFER_CREATE_TYPE_REGION = 0x1220,
  CL_PROGRAM_BUILD_LOG = 0x1183,
  CL_KERNEL_NUM_ARGS = 0x1191,
  CL_KERNEL_ARG_ADDRESS_QUALIFIER = 0x1196,
  CL_KERNEL_ARG_TYPE_NAME = 0x1198,
  CL_KERNEL_ARG_ADDRESS_LOCAL = 0x119C,
  CL_KERNEL_ARG_ADDRESS_PRIVATE = 0x119E,
  CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
  CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1,
  CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2,
  CL_PROFILING_COMMAND_START = 0x1282,
  CL_PROFILING_COMMAND_END = 0x1283,
};
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFFu
#define CL_TRUE 1u

/* clang-format off */
#define WW_OPENCL_FUNCTIONS(F) \
  F(cl_int, GetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *)) \
  F(cl_int, GetPlatformInfo, (cl_platform_id, cl_uint, size_t, void *, size_t *)) \
  F(cl_int, GetDeviceIDs, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id *, cl_uint *)) \
  F(cl_int, GetDeviceInfo, (cl_device_id, cl_uint, size_t, void *, size_t *)) \
  F(cl_context, CreateContext, \
    (const intptr_t *, cl_uint, const cl_device_id *, void (*)(const char *, const void *, \
     size_t, void *), void *, cl_int *)) \
  F(cl_int, ReleaseContext, (cl_context)) \
  F(cl_command_queue, CreateCommandQueue, (cl_context, cl_device_id, cl_bitfield, cl_int *)) \
  F(cl_int, ReleaseCommandQueue, (cl_command_queue)) \
  F(cl_program, CreateProgramWithSource, \
    (cl_context, cl_uint, const char **, const size_t *, cl_int *)) \
  F(cl_int, BuildProgram, \
    (cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *), \
     void *)) \
  F(cl_int, GetProgramBuildInfo, (cl_program, cl_device_id, cl_uint, size_t, void *, size_t *)) \
  F(cl_int, ReleaseProgram, (cl_program)) \
  F(cl_kernel, CreateKernel, (cl_program, const char *, cl_int *)) \
  F(cl_int, ReleaseKernel, (cl_kernel)) \
  F(cl_int, GetKernelInfo, (cl_kernel, cl_uint, size_t, void *, size_t *)) \
  F(cl_int, GetKernelArgInfo, (cl_kernel, cl_uint, cl_uint, size_t, void *, size_t *)) \
  F(cl_int, GetKernelWorkGroupInfo, (cl_kernel, cl_device_id, cl_uint, size_t, void *, size_t *)) \
  F(cl_int, SetKernelArg, (cl_kernel, cl_uint, size_t, const void *)) \
  F(cl_mem, CreateBuffer, (cl_context, cl_bitfield, size_t, void *, cl_int *)) \
  F(cl_mem, CreateSubBuffer, (cl_mem, cl_bitfield, cl_uint, const void *, cl_int *)) \
  F(cl_int, ReleaseMemObject, (cl_mem)) \
  F(cl_int, EnqueueWriteBuffer, \
    (cl_command_queue, cl_mem, cl_uint, size_t, size_t, const void *, cl_uint, \
     const cl_event *, cl_event *)) \
  F(cl_int, EnqueueReadBuffer, \
    (cl_command_queue, cl_mem, cl_uint, size_t, size_t, void *, cl_uint, const cl_event *, \
     cl_event *)) \
  F(cl_int, EnqueueCopyBuffer, \
    (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *, \
     cl_event *)) \
  F(cl_int, EnqueueNDRangeKernel, \
    (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, \
     cl_uint, const cl_event *, cl_event *)) \
  F(cl_int, Finish, (cl_command_queue)) \
  F(cl_int, GetEventProfilingInfo, (cl_event, cl_uint, size_t, void *, size_t *)) \
  F(cl_int, ReleaseEvent, (cl_event))
/* clang-format on */

typedef struct {
#define F(ret, name, args) ret(*name) args;
  WW_OPENCL_FUNCTIONS(F)
#undef F
} ww_opencl;

/* The loader's functions; stays open. WW_EDEVICE says what to install. */
ww_status ww_opencl_open(ww_opencl *out, ww_err *e);
/* "out of resources (-5)" in words, for messages */
const char *ww_opencl_error(cl_int rc);
/* The device whose name, platform or version contains `want` (any case), else the first
 * GPU, else the first of any kind. */
ww_status
ww_opencl_pick(const ww_opencl *cl, const char *want, cl_device_id *device, ww_err *e);

#endif
