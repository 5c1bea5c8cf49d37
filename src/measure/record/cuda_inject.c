/* cuda_inject.c - records the launches of a CUDA program: the driver loads this library
 * (CUDA_INJECTION64_PATH) and calls InitializeInjection; CUPTI then calls back before
 * each launch and for each loaded module.
 *
 * Locks: `lock` guards the tables here and is held while the driver is called.
 * Callbacks about modules come while the driver holds locks of its own, so they touch
 * cuda_images.c's tables alone, whose lock is never held across a call of the driver.
 * Nothing is read from the device but for a launch that is new, and never while its
 * stream is being captured. Copies go through a stream of our own, as the legacy stream
 * would order itself after the program's. */
#include "cuda_int.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "../../cuda/cuda_toolkit.h"
#include "handle_table.h"
#include "loaded_ptx.h"

/* A kernel as launched: its parameters, where its code and variables are. */
typedef struct {
  char *name;
  uint32_t generation; /* of the loaded modules when this was looked up */
  size_t *offsets;
  ww_raw_arg *args; /* sizes; bytes are set for each launch */
  uint32_t nargs;
  const ww_cuda_image *image;
  ww_raw_symbol *symbols;
  uint32_t nsymbols;
} function;

/* An allocation by its base address; another size is another allocation. */
typedef struct {
  uint64_t bytes, id;
} allocation;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool inside; /* our own calls of the driver call back too */
/* of the loaded modules: a handle may come to mean another kernel */
static atomic_uint generation;
static cuda_calls cuda;
static ww_recorder *recorder;
/* by handle, by base address, by context */
static ww_handles functions, allocations, streams;
static uint64_t next_id = 1;
static void *launch_stream; /* of the launch at hand */
static bool settled;        /* everything before it has finished */

/* ---- memory ---- */

static bool
find(void *ctx, uint64_t address, uint64_t *base, uint64_t *bytes, uint64_t *id) {
  size_t n = 0;
  (void)ctx;
  if (cuda.cuMemGetAddressRange(base, &n, address) || !n || !*base)
    return false;
  const void *key = (const void *)*base;
  allocation *x = ww_handles_get(&allocations, key);
  if (!x)
    ww_handles_put(&allocations, key, x = ww_xcalloc(1, sizeof *x));
  if (x->bytes != n)
    *x = (allocation){.bytes = n, .id = next_id++};
  *bytes = n;
  *id = x->id;
  return true;
}

static void *own_stream(void) {
  void *context = NULL;
  if (cuda.cuCtxGetCurrent(&context) || !context)
    return NULL;
  void *s = ww_handles_get(&streams, context);
  if (!s && !cuda.cuStreamCreate(&s, 1 /* not ordered with the legacy stream */))
    ww_handles_put(&streams, context, s);
  return s;
}

static bool copy_out(uint64_t address, void *out, size_t n) {
  int status = 0;
  if (cuda.cuStreamIsCapturing(launch_stream, &status) || status)
    return false;
  if (!settled && cuda.cuStreamSynchronize(launch_stream))
    return false;
  settled = true;
  void *s = own_stream();
  return s && !cuda.cuMemcpyDtoHAsync(out, address, n, s) &&
         !cuda.cuStreamSynchronize(s);
}

static bool read_memory(void *ctx, uint64_t address, void *out, size_t n) {
  int mode = 2; /* relaxed: another stream of this thread may be in capture */
  (void)ctx;
  cuda.cuThreadExchangeStreamCaptureMode(&mode);
  bool ok = copy_out(address, out, n);
  cuda.cuThreadExchangeStreamCaptureMode(&mode);
  return ok;
}

/* ---- kernels ---- */

/* The handle may be a CUfunction or a CUkernel; either question fails for the other
 * kind. */
static bool parameter(void *handle, size_t i, size_t *offset, size_t *size) {
  return (cuda.cuFuncGetParamInfo &&
          !cuda.cuFuncGetParamInfo(handle, i, offset, size)) ||
         (cuda.cuKernelGetParamInfo &&
          !cuda.cuKernelGetParamInfo(handle, i, offset, size));
}

static void read_parameters(function *f, void *handle) {
  size_t offset;
  size_t size;
  for (; parameter(handle, f->nargs, &offset, &size); f->nargs++) {
    f->offsets = ww_xrealloc(f->offsets, (f->nargs + 1) * sizeof *f->offsets);
    f->args = ww_xrealloc(f->args, (f->nargs + 1) * sizeof *f->args);
    f->offsets[f->nargs] = offset;
    f->args[f->nargs] =
        (ww_raw_arg){.size = size, .pointer = size >= 8 ? -1 : 0, .struct_ = size > 8};
  }
}

/* Modules may be loaded as late as the launch itself: asking for the function makes the
 * driver load it now. */
static void *load(void *handle, void **library) {
  void *fn = NULL;
  *library = NULL;
  bool kernel =
      cuda.cuKernelGetFunction && !cuda.cuKernelGetFunction(&fn, handle) && fn;
  if (kernel && cuda.cuKernelGetLibrary)
    cuda.cuKernelGetLibrary(library, handle);
  if (!kernel)
    fn = handle;
  if (cuda.cuFuncLoad)
    cuda.cuFuncLoad(fn);
  return fn;
}

static void find_symbols(function *f, void *handle) {
  void *library;
  void *module = NULL;
  void *fn = load(handle, &library);
  f->image = ww_cuda_image_of(f->name);
  if (!f->image || !f->image->nglobals)
    return;
  if (cuda.cuFuncGetModule(&module, fn))
    module = NULL;
  f->symbols = ww_xcalloc(f->image->nglobals, sizeof *f->symbols);
  for (uint32_t i = 0; i < f->image->nglobals; i++) {
    uint64_t at = 0;
    size_t n = 0;
    const char *name = f->image->globals[i];
    bool ok = (module && !cuda.cuModuleGetGlobal(&at, &n, module, name)) ||
              (library && cuda.cuLibraryGetGlobal &&
               !cuda.cuLibraryGetGlobal(&at, &n, library, name));
    if (ok)
      f->symbols[f->nsymbols++] =
          (ww_raw_symbol){.name = name, .address = at, .bytes = n};
  }
}

static function *function_of(void *handle, const char *name) {
  uint32_t now = atomic_load(&generation);
  function *f = ww_handles_get(&functions, handle);
  if (f && f->generation == now && !strcmp(f->name, name))
    return f;
  if (f) {
    free(f->name);
    free(f->offsets);
    free(f->args);
    free(f->symbols);
    free(f);
  }
  f = ww_xcalloc(1, sizeof *f);
  f->name = strcpy(ww_xmalloc(strlen(name) + 1), name);
  f->generation = now;
  ww_handles_put(&functions, handle, f);
  read_parameters(f, handle);
  find_symbols(f, handle);
  return f;
}

/* ---- launches ---- */

static const unsigned char *packed(void **extra) {
  for (; extra && *extra != CUDA_EXTRA_END; extra += 2)
    if (*extra == (void *)CUDA_EXTRA_BUFFER)
      return extra[1];
  return NULL;
}

static void describe(function *f, void **params, void **extra, ww_raw_launch *l) {
  const unsigned char *all = params ? NULL : packed(extra);
  if (f->nargs && !params && !all)
    l->note = "arguments not found";
  if (!f->nargs && !cuda.cuFuncGetParamInfo)
    l->note = "arguments not recorded: they need a driver of CUDA 12.4 or newer";
  for (uint32_t i = 0; i < f->nargs && (params || all); i++)
    f->args[i].bytes = params ? params[i] : all + f->offsets[i];
  l->kernel = f->name;
  l->args = f->args;
  l->nargs = params || all ? f->nargs : 0;
  l->symbols = f->symbols;
  l->nsymbols = f->nsymbols;
  if (f->image && f->image->code) {
    l->binary = f->image->code;
    l->binary_n = f->image->bytes;
    l->binary_suffix = "cubin";
  }
  l->ptx = ww_loaded_ptx_of(f->name, &l->ptx_n);
}

static void record(const cuda_launch *c,
                   bool cooperative,
                   bool per_thread,
                   const char *name,
                   const char *note) {
  ww_raw_launch l = {
      .cooperative = cooperative,
      .shared = c->shared,
      .note = note,
  };
  for (int i = 0; i < 3; i++) {
    l.grid[i] = c->grid[i];
    l.block[i] = c->block[i];
  }
  pthread_mutex_lock(&lock);
  launch_stream = !c->stream && per_thread ? CUDA_STREAM_PER_THREAD : c->stream;
  settled = false;
  describe(function_of(c->function, name), c->params, c->extra, &l);
  int status = 0;
  if (!l.note && !cuda.cuStreamIsCapturing(launch_stream, &status) && status)
    l.note = "captured into a CUDA graph: counted once, contents not read";
  ww_recorder_launch(recorder, &l);
  pthread_mutex_unlock(&lock);
}

static void record_ex(const cuda_launch_ex *x, bool per_thread, const char *name) {
  const cuda_config *g = x->config;
  const cuda_attribute *a = g->attributes;
  cuda_launch c = {.function = x->function,
                   .stream = g->stream,
                   .params = x->params,
                   .extra = x->extra};
  bool cooperative = false;
  const char *note = NULL;
  c.shared = g->shared;
  memcpy(c.grid, g->grid, sizeof c.grid);
  memcpy(c.block, g->block, sizeof c.block);
  for (unsigned i = 0; i < g->nattributes; i++) {
    const unsigned *k = a[i].value.cluster;
    if (a[i].id == CUDA_ATTRIBUTE_COOPERATIVE)
      cooperative = a[i].value.cooperative;
    if (a[i].id == CUDA_ATTRIBUTE_CLUSTER && (k[0] > 1 || k[1] > 1 || k[2] > 1))
      note = "launched in clusters of blocks: a replay has none";
  }
  record(&c, cooperative, per_thread, name, note);
}

static void on_call(uint32_t id, const cupti_call *c) {
  const char *name = c->symbol ? c->symbol : "?";
  bool per_thread = id == CBID_cuLaunchKernel_ptsz ||
                    id == CBID_cuLaunchCooperativeKernel_ptsz ||
                    id == CBID_cuLaunchKernelEx_ptsz;
  switch (id) {
  case CBID_cuModuleLoadData:
  case CBID_cuModuleLoadDataEx:
  case CBID_cuModuleLoadFatBinary:
  case CBID_cuLibraryLoadData:
    ww_loaded_ptx_add(((const cuda_load *)c->params)->image);
    break;
  case CBID_cuLaunchKernel:
  case CBID_cuLaunchKernel_ptsz:
    record(c->params, false, per_thread, name, NULL);
    break;
  case CBID_cuLaunchCooperativeKernel:
  case CBID_cuLaunchCooperativeKernel_ptsz: {
    cuda_launch x = {0};
    memcpy(&x, c->params, offsetof(cuda_launch, extra));
    record(&x, true, per_thread, name, NULL);
    break;
  }
  case CBID_cuLaunchKernelEx:
  case CBID_cuLaunchKernelEx_ptsz:
    record_ex(c->params, per_thread, name);
    break;
  case CBID_cuGraphLaunch:
  case CBID_cuGraphLaunch_ptsz:
    ww_recorder_note(recorder, "the program launches CUDA graphs: kernels captured "
                               "into them are counted once, when "
                               "captured; kernels added as nodes are not seen");
    break;
  default:
    break;
  }
}

static void on_resource(uint32_t id, const cupti_resource *r) {
  const cupti_module *m = r->descriptor;
  if (id == CUPTI_MODULE_UNLOAD)
    atomic_fetch_add(&generation, 1);
  if ((id == CUPTI_MODULE_LOADED || id == CUPTI_MODULE_PROFILED) && m)
    ww_cuda_image_add(m->cubin, m->bytes, ww_recorder_asked(recorder)->binaries);
}

static void callback(void *user, int domain, uint32_t id, const void *data) {
  (void)user;
  if (domain == CUPTI_DOMAIN_RESOURCE) {
    on_resource(id, data);
  } else if (domain == CUPTI_DOMAIN_DRIVER && !inside &&
             ((const cupti_call *)data)->site == 0) {
    inside = true;
    on_call(id, data);
    inside = false;
  }
}

/* ---- start ---- */

/* NULL, or what is missing. */
static const char *open_driver(void) {
  void *l = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!l)
    l = dlopen("libcuda.so.1", RTLD_LAZY);
  if (!l)
    return "libcuda.so.1 cannot be opened";
#define OPEN(name, exported, params) \
  cuda.name = dlsym(l, exported);    \
  if (!cuda.name)                    \
    return "the CUDA driver has no " exported ": it is older than CUDA 12.0";
#define OPEN_MAYBE(name, exported, params) cuda.name = dlsym(l, exported);
  CUDA_CALLS(OPEN, OPEN_MAYBE)
#undef OPEN
#undef OPEN_MAYBE
  return NULL;
}

/* NULL, or why there will be no callbacks. */
static const char *subscribe(void) {
  static const uint32_t calls[] = {CBID_cuLaunchKernel,
                                   CBID_cuLaunchKernel_ptsz,
                                   CBID_cuLaunchCooperativeKernel,
                                   CBID_cuLaunchCooperativeKernel_ptsz,
                                   CBID_cuLaunchKernelEx,
                                   CBID_cuLaunchKernelEx_ptsz,
                                   CBID_cuGraphLaunch,
                                   CBID_cuGraphLaunch_ptsz,
                                   CBID_cuModuleLoadData,
                                   CBID_cuModuleLoadDataEx,
                                   CBID_cuModuleLoadFatBinary,
                                   CBID_cuLibraryLoadData};
  static const uint32_t modules[] = {CUPTI_MODULE_LOADED, CUPTI_MODULE_UNLOAD,
                                     CUPTI_MODULE_PROFILED};
  void *cupti = ww_cuda_library("cupti");
  void *subscriber = NULL;
  int (*begin)(void **, void (*)(void *, int, uint32_t, const void *), void *);
  int (*enable)(uint32_t, void *, int, uint32_t);
  if (!cupti)
    return "libcupti.so was not found: install CUPTI (it comes with the CUDA toolkit) "
           "or set "
           "CUDA_HOME";
  begin = dlsym(cupti, "cuptiSubscribe");
  enable = dlsym(cupti, "cuptiEnableCallback");
  if (!begin || !enable)
    return "libcupti.so has no callbacks";
  int rc = begin(&subscriber, callback, NULL);
  if (rc)
    return "CUPTI refused: another profiler may be at work in this program, or CUPTI "
           "and driver do "
           "not match";
  for (size_t i = 0; i < WW_COUNT(modules); i++)
    enable(1, subscriber, CUPTI_DOMAIN_RESOURCE, modules[i]);
  for (size_t i = 0; i < WW_COUNT(calls); i++) {
    int one = enable(1, subscriber, CUPTI_DOMAIN_DRIVER, calls[i]);
    if (i < 2)
      rc |= one; /* the others are newer than some CUPTI */
  }
  return rc ? "CUPTI cannot watch launches with this driver" : NULL;
}

__attribute__((destructor)) static void finish(void) {
  ww_recorder_flush(recorder);
}

/* The driver calls it once, inside cuInit; 1: loaded. */
__attribute__((visibility("default"))) int InitializeInjection(void) {
  recorder =
      ww_recorder_from_env(&(ww_recorder_memory){.find = find, .read = read_memory});
  if (!recorder)
    return 1;
  const char *amiss = open_driver();
  if (!amiss)
    amiss = subscribe();
  if (amiss)
    ww_recorder_note(recorder, amiss);
  return 1;
}
