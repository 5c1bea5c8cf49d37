/* opencl_int.h - the little of OpenCL that the interposer passes through, declared here so that no
 * SDK is needed.
 *
 * Handles are opaque pointers; names and values are those of the OpenCL 3.0 specification. */
#ifndef WW_RECORD_OPENCL_H
#define WW_RECORD_OPENCL_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t cl_int;
typedef uint32_t cl_uint, cl_bool;
typedef uint64_t cl_flags;
typedef void *cl_handle; /* cl_context, cl_mem, cl_program, cl_kernel, cl_command_queue, cl_event,
                            cl_device_id */
typedef struct {
  size_t origin, size;
} cl_region;
typedef void (*cl_notify)(cl_handle, void *);

enum {
  CL_MEM_SIZE = 0x1102,
  CL_MEM_REFERENCE_COUNT = 0x1105,
  CL_KERNEL_FUNCTION_NAME = 0x1190,
  CL_KERNEL_NUM_ARGS = 0x1191,
  CL_KERNEL_ARG_TYPE_NAME = 0x1198,
  CL_KERNEL_COMPILE_WORK_GROUP_SIZE = 0x11B1,
  CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x11B3,
  CL_QUEUE_DEVICE = 0x1091,
  CL_BUFFER_CREATE_TYPE_REGION = 0x1220,
};

#endif
