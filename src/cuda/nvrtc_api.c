/* nvrtc_api.c - opens libnvrtc and finds its functions. */
#include "nvrtc_api.h"

#include <dlfcn.h>
#include <pthread.h>

#include "cuda_toolkit.h"

static ww_nvrtc_api rtc;
static void *library;
static const char *missing; /* the first function that it has not; NULL: it has all */

/* Of the members of ww_nvrtc_api, in their order. */
static const char *const names[] = {"nvrtcVersion",           "nvrtcCreateProgram",
                                    "nvrtcDestroyProgram",    "nvrtcCompileProgram",
                                    "nvrtcGetCUBINSize",      "nvrtcGetCUBIN",
                                    "nvrtcGetProgramLogSize", "nvrtcGetProgramLog",
                                    "nvrtcAddNameExpression", "nvrtcGetErrorString"};
_Static_assert(sizeof rtc == sizeof names, "a name for each");

static void open_library(void) {
  void *calls[WW_COUNT(names)] = {NULL};
  library = ww_cuda_library("nvrtc");
  for (size_t i = 0; library && !missing && i < WW_COUNT(names); i++)
    if (!(calls[i] = dlsym(library, names[i])))
      missing = names[i];
  memcpy(&rtc, calls, sizeof rtc);
}

ww_status ww_nvrtc_open(const ww_nvrtc_api **out, ww_err *e) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  if (!library)
    return ww_fail(
        e, WW_EDEVICE,
        "no NVRTC: libnvrtc.so was not found; install the CUDA toolkit, or set "
        "CUDA_HOME to its folder or "
        "LD_LIBRARY_PATH to the library's");
  if (missing)
    return ww_fail(
        e, WW_EDEVICE,
        "libnvrtc.so has no %s: it is older than CUDA 11.1; install a newer one",
        missing);
  *out = &rtc;
  return WW_OK;
}
