/* cuda_api.c - finds the CUDA driver's functions at run time and puts its errors into
 * words a user can act on. */
#include "cuda_api.h"

#include <dlfcn.h>
#include <pthread.h>

static ww_cuda_api calls;
static ww_err opened; /* how the one attempt went */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct {
  const char *exported;
  size_t at;
  bool needed;
} table[] = {
#define NEEDED(name, exported, params) {exported, offsetof(ww_cuda_api, name), true},
#define OPTIONAL(name, exported, params) {exported, offsetof(ww_cuda_api, name), false},
    WW_CUDA_CALLS(NEEDED, OPTIONAL)
#undef NEEDED
#undef OPTIONAL
};

static ww_status bind_calls(void *lib, ww_err *e) {
  for (size_t i = 0; i < WW_COUNT(table); i++) {
    void *f = dlsym(lib, table[i].exported);
    memcpy((char *)&calls + table[i].at, &f, sizeof f);
    if (!f && table[i].needed)
      return ww_fail(e, WW_EDEVICE,
                     "the CUDA driver (libcuda.so.1) is too old: it has no %s; install "
                     "one of CUDA "
                     "11 or newer",
                     table[i].exported);
  }
  return WW_OK;
}

static ww_status init_failed(ww_cuda_status s, ww_err *e) {
  const char *hint;
  switch (s) {
  case 100:
    hint = "no NVIDIA GPU is visible here; look at nvidia-smi and CUDA_VISIBLE_DEVICES";
    break;
  case 34:
    hint = "the libcuda.so.1 found is a stub; take the stubs folder out of "
           "LD_LIBRARY_PATH";
    break;
  case 803:
    hint =
        "driver and kernel module have different versions; reboot or reload the module";
    break;
  case 304:
  case 999:
    hint = "the kernel module does not answer; are /dev/nvidia* there and open to this "
           "user?";
    break;
  default:
    hint = "look at nvidia-smi";
  }
  return ww_fail(e, WW_EDEVICE, "the CUDA driver does not start: %s; %s",
                 ww_cuda_error(&calls, s), hint);
}

static void open_once(void) {
  void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (!lib)
    lib = dlopen("libcuda.so", RTLD_NOW | RTLD_GLOBAL);
  if (!lib) {
    ww_fail(&opened, WW_EDEVICE,
            "no CUDA driver here (%.120s): install NVIDIA's driver, or go to a machine "
            "that has "
            "one (measure --plan makes "
            "launches ready for it)",
            dlerror());
    return;
  }
  if (bind_calls(lib, &opened))
    return;
  ww_cuda_status s = calls.cuInit(0);
  if (s)
    init_failed(s, &opened);
  else
    calls.cuDriverGetVersion(&calls.version);
}

ww_status ww_cuda_open(const ww_cuda_api **out, ww_err *e) {
  pthread_once(&once, open_once);
  *out = opened.code ? NULL : &calls;
  if (opened.code && e)
    *e = opened;
  return opened.code;
}

const char *ww_cuda_error(const ww_cuda_api *api, ww_cuda_status s) {
  static _Thread_local char text[256];
  const char *words = NULL;
  if (!api->cuGetErrorString || api->cuGetErrorString(s, &words) || !words)
    words = "unknown error";
  snprintf(text, sizeof text, "%s (%d)", words, s);
  return text;
}

/* What a user can do about it, and what it means for the context. */
static const struct {
  ww_cuda_status s;
  ww_status code;
  const char *hint;
} meanings[] = {
    {1, WW_EUSAGE,
     "the driver does not take these values: check shape, shared memory and arguments"},
    {2, WW_ELIMIT,
     "the device has not enough memory: make buffers smaller, or free it from other "
     "programs"},
    {200, WW_EDATA,
     "this is no compiled code that the driver knows (.cubin, .ptx, .fatbin)"},
    {209, WW_EDATA,
     "it was compiled for another architecture: compile it again for this device"},
    {214, WW_EDEVICE, "the device's memory has an error that ECC could not correct"},
    {218, WW_EDATA, "the PTX is not valid"},
    {221, WW_EDATA,
     "the driver's PTX compiler is missing: install libnvidia-ptxjitcompiler"},
    {222, WW_EDATA,
     "the PTX is newer than the driver: compile to .cubin, or install a newer driver"},
    {223, WW_EDATA,
     "compilation of PTX is switched off (CUDA_DISABLE_PTX_JIT): compile to .cubin"},
    {700, WW_EDEVICE,
     "it accessed memory outside its buffers: check the sizes and offsets of its "
     "buffers, its "
     "grid, and the contents of index arrays"},
    {701, WW_EUSAGE,
     "a block needs more registers or shared memory than a multiprocessor has: make "
     "the block "
     "smaller"},
    {702, WW_EDEVICE, "it ran longer than the device's watchdog allows"},
    {710, WW_EDEVICE, "an assert in it failed: check its arguments and contents"},
    {714, WW_EDEVICE,
     "its call stack broke, probably by memory accesses outside its arrays"},
    {715, WW_EDEVICE,
     "it ran an illegal instruction: a trap in its code, or code of another "
     "architecture"},
    {716, WW_EDEVICE,
     "it accessed an address that is not a multiple of the access's size: check "
     "offsets of "
     "buffers"},
    {717, WW_EDEVICE, "it used an address in the wrong memory space"},
    {718, WW_EDEVICE, "it jumped to no code: check function pointers in its arguments"},
    {719, WW_EDEVICE, "it failed: an access outside shared or local memory, or a trap"},
    {720, WW_EUSAGE,
     "a cooperative launch needs all its blocks resident at once: make the grid "
     "smaller"},
    {801, WW_EUNSUPPORTED, "this device or driver cannot do it"},
    {912, WW_EUSAGE,
     "its grid is no multiple of its cluster, or the cluster is too large"},
};

ww_status
ww_cuda_fail(const ww_cuda_api *api, ww_cuda_status s, const char *doing, ww_err *e) {
  for (size_t i = 0; i < WW_COUNT(meanings); i++)
    if (meanings[i].s == s)
      return ww_fail(e, meanings[i].code, "%.160s: %s; %s", doing,
                     ww_cuda_error(api, s), meanings[i].hint);
  return ww_fail(e, WW_EDEVICE, "%.160s: %s", doing, ww_cuda_error(api, s));
}

ww_status ww_cuda_choose(const ww_cuda_api *api,
                         const char *wanted,
                         ww_arena *a,
                         int *device,
                         char name[128],
                         ww_err *e) {
  int n = 0;
  const char *list = "";
  ww_cuda_status s = api->cuDeviceGetCount(&n);
  if (s || !n)
    return ww_fail(
        e, WW_EDEVICE,
        "no CUDA device is visible%s; look at nvidia-smi and CUDA_VISIBLE_DEVICES",
        s ? ww_fmt(a, ": %s", ww_cuda_error(api, s)) : "");
  for (int i = 0; i < n; i++) {
    if (api->cuDeviceGet(device, i) || api->cuDeviceGetName(name, 128, *device))
      continue;
    if (!wanted || strcasestr(name, wanted))
      return WW_OK;
    list = ww_fmt(a, "%s%s%s", list, *list ? ", " : "", name);
  }
  return ww_fail(e, WW_EDEVICE, "no CUDA device is called '%.60s'; there are: %s",
                 wanted ? wanted : "", list);
}
