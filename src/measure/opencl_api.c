/* opencl_api.c - opens the OpenCL loader, chooses a device, names errors. */
#include "opencl_api.h"

#include <dlfcn.h>

#define MOST 32 /* platforms, devices of one */

ww_status ww_opencl_open(ww_opencl *out, ww_err *e) {
  void *lib = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!lib)
    lib = dlopen("libOpenCL.so", RTLD_NOW | RTLD_GLOBAL);
  if (!lib)
    return ww_fail(
        e, WW_EDEVICE,
        "there is no OpenCL here: libOpenCL.so.1 cannot be loaded; install an OpenCL "
        "loader and a "
        "driver, on Debian and Ubuntu: apt install ocl-icd-libopencl1 pocl-opencl-icd");
#define F(ret, name, args)            \
  out->name = dlsym(lib, "cl" #name); \
  if (!out->name)                     \
    return ww_fail(e, WW_EDEVICE,     \
                   "libOpenCL.so.1 has no cl%s: it is older than OpenCL 1.2", #name);
  WW_OPENCL_FUNCTIONS(F)
#undef F
  return WW_OK;
}

const char *ww_opencl_error(cl_int rc) {
  static const struct {
    cl_int code;
    const char *text;
  } known[] = {
      {-2, "the device is not available"},
      {-3, "no compiler for this device"},
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, "the device's memory is full"},
      {CL_OUT_OF_RESOURCES,
       "out of resources: the kernel faulted, or needs more than the device has"},
      {CL_OUT_OF_HOST_MEMORY, "out of memory"},
      {-11, "the program does not build"},
      {-14, "a command that it waited for failed"},
      {-30, "invalid value"},
      {-36, "the command queue is broken"},
      {-45, "the program has no code for this device"},
      {CL_INVALID_KERNEL_NAME, "there is no kernel of that name"},
      {-48, "invalid kernel"},
      {-49, "there is no such argument"},
      {-50, "the argument's value is not valid"},
      {CL_INVALID_ARG_SIZE, "the argument has another size"},
      {-52, "not all arguments are set"},
      {-53, "work-groups of 1 to 3 dimensions only"},
      {CL_INVALID_WORK_GROUP_SIZE,
       "the device or the kernel does not take this work-group size"},
      {-55, "the device does not take this work-group size"},
      {CL_INVALID_BUFFER_SIZE, "the device does not take a buffer of this size"},
      {-63, "the device does not take this many work-items"},
      {-1001, "no OpenCL platform is installed"},
  };
  static _Thread_local char other[48];
  for (size_t k = 0; k < WW_COUNT(known); k++)
    if (known[k].code == rc)
      return known[k].text;
  snprintf(other, sizeof other, "OpenCL error %d", rc);
  return other;
}

static void
platform_text(const ww_opencl *cl, cl_platform_id p, cl_uint what, char out[256]) {
  *out = 0;
  cl->GetPlatformInfo(p, what, 256, out, NULL);
  out[255] = 0;
}

static void
device_text(const ww_opencl *cl, cl_device_id d, cl_uint what, char out[256]) {
  *out = 0;
  cl->GetDeviceInfo(d, what, 256, out, NULL);
  out[255] = 0;
}

static bool
fits(const ww_opencl *cl, cl_platform_id p, cl_device_id d, const char *want) {
  char text[4][256];
  platform_text(cl, p, CL_PLATFORM_NAME, text[0]);
  platform_text(cl, p, CL_PLATFORM_VERSION, text[1]);
  device_text(cl, d, CL_DEVICE_NAME, text[2]);
  device_text(cl, d, CL_DEVICE_VERSION, text[3]);
  for (int k = 0; k < 4; k++)
    if (strcasestr(text[k], want))
      return true;
  return false;
}

ww_status
ww_opencl_pick(const ww_opencl *cl, const char *want, cl_device_id *device, ww_err *e) {
  cl_platform_id p[MOST];
  cl_device_id d[MOST];
  cl_uint np = 0;
  cl_uint nd = 0;
  cl_uint seen = 0;
  bool gpu = false;
  ww_buf names = {0};
  *device = NULL;
  if (cl->GetPlatformIDs(MOST, p, &np))
    np = 0;
  for (cl_uint i = 0; i < np && i < MOST; i++) {
    if (cl->GetDeviceIDs(p[i], CL_DEVICE_TYPE_ALL, MOST, d, &nd))
      continue;
    for (cl_uint k = 0; k < nd && k < MOST; k++) {
      char name[256];
      cl_bitfield type = 0;
      device_text(cl, d[k], CL_DEVICE_NAME, name);
      ww_buf_fmt(&names, "%s%s", seen++ ? ", " : "", name);
      cl->GetDeviceInfo(d[k], CL_DEVICE_TYPE, sizeof type, &type, NULL);
      bool better = !*device || (!want && !gpu && (type & CL_DEVICE_TYPE_GPU));
      if (!better || (want && !fits(cl, p[i], d[k], want)))
        continue;
      *device = d[k];
      gpu = type & CL_DEVICE_TYPE_GPU;
    }
  }
  ww_status st = WW_OK;
  if (!seen)
    st = ww_fail(
        e, WW_EDEVICE,
        "OpenCL finds no device; install a driver (apt install pocl-opencl-icd runs "
        "kernels on the CPU), or "
        "point the loader at one: OCL_ICD_VENDORS=DIR with a file nvidia.icd that "
        "holds "
        "libnvidia-opencl.so.1");
  else if (!*device)
    st = ww_fail(e, WW_EDEVICE, "no OpenCL device is called '%.60s'; there are: %.300s",
                 want, names.s);
  ww_buf_free(&names);
  return st;
}
