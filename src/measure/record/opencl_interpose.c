/* opencl_interpose.c - records the OpenCL launches of a program: LD_PRELOAD puts these
 * functions before the loader's.
 *
 * Each does what the loader's function does, by calling it, and remembers what a launch
 * will need: buffers' sizes, programs' sources and options, kernels' names and
 * arguments. A program that gets its functions by dlopen and dlsym instead of linking
 * the loader is not seen.
 *
 * A cl_mem is no address; the recorder wants one. Buffer in slot s gets the made-up
 * range from (s+1) << 40 on, so that offsets of sub-buffers add up and an address leads
 * back to its slot. One lock guards all tables. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../opencl_api.h"
#include "handle_table.h"
#include "recorder.h"

/* ---- the little of OpenCL that is passed through, so that no SDK is needed ----
 *
 * Handles are opaque pointers; names and values are those of the OpenCL 3.0
 * specification. */

typedef cl_uint cl_bool;
/* cl_context, cl_mem, cl_program, cl_kernel, cl_command_queue, cl_event, cl_device_id
 */
typedef void *cl_handle;
typedef void (*cl_notify)(cl_handle, void *);

enum {
  CL_MEM_REFERENCE_COUNT = 0x1105,
  CL_KERNEL_FUNCTION_NAME = 0x1190,
  CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE = 0x11B3,
  CL_QUEUE_DEVICE = 0x1091,
};

#pragma GCC visibility push( \
    default) /* what is not static here stands before the loader's */
#define SLOT_SHIFT 40
#define MAX_SLOTS (1u << 23)
#define MAX_ARGS 256

/* ---- the real functions ---- */

static void *real(const char *name) {
  void *f = dlsym(RTLD_NEXT, name);
  if (f)
    return f;
  void *loader = dlopen("libOpenCL.so.1", RTLD_LAZY); /* loaded privately by a plugin */
  return loader ? dlsym(loader, name) : NULL;
}

/* The next function of this name, looked up once; what is returned when there is none
 * is not an OpenCL success. */
#define REAL(next, function)           \
  static __typeof__(function) *(next); \
  if (!(next))                         \
  *(void **)&(next) = real(#function)
#define NO_FUNCTION (-34)

cl_int clEnqueueReadBuffer(cl_handle queue,
                           cl_handle buffer,
                           cl_bool wait,
                           size_t at,
                           size_t n,
                           void *out,
                           cl_uint nevents,
                           const cl_handle *events,
                           cl_handle *event);
cl_int
clGetMemObjectInfo(cl_handle memory, cl_uint what, size_t n, void *out, size_t *size);
cl_int
clGetCommandQueueInfo(cl_handle queue, cl_uint what, size_t n, void *out, size_t *size);
cl_int
clGetKernelInfo(cl_handle kernel, cl_uint what, size_t n, void *out, size_t *size);
cl_int clGetKernelArgInfo(
    cl_handle kernel, cl_uint index, cl_uint what, size_t n, void *out, size_t *size);
cl_int clGetKernelWorkGroupInfo(cl_handle kernel,
                                cl_handle device,
                                cl_uint what,
                                size_t n,
                                void *out,
                                size_t *size);

/* ---- tables: handle -> thing ---- */

typedef struct {
  cl_handle handle; /* NULL: free */
  uint64_t bytes, id;
  uint32_t parent; /* slot of the buffer a sub-buffer lies in; its own otherwise */
  uint64_t origin; /* bytes into the parent */
} buffer;

typedef struct {
  ww_buf text; /* source, or a binary */
  const char *suffix;
  char **flags; /* NULL-terminated or NULL */
} program;

typedef struct {
  uint32_t size;
  bool set, local, svm;
  char type[8]; /* "f32"; empty: unknown */
  bool asked, image;
  unsigned char *bytes;
} argument;

typedef struct {
  char *name;
  program *program;
  argument *args;
  uint32_t nargs;
} kernel;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ww_handles buffers_by_handle, programs, kernels;
static buffer *slots;
static uint32_t nslots, first_free; /* no slot below first_free is free */
static uint64_t next_id = 1;
static ww_recorder *recorder;
static cl_handle reading_queue; /* of the launch being recorded */
static const cl_handle *reading_events;
static cl_uint nreading_events;
static bool reading_allowed;

/* ---- the recorder's view of memory ---- */

static const buffer *buffer_at(uint64_t address) {
  uint64_t slot = (address >> SLOT_SHIFT) - 1;
  return slot < nslots && slots[slot].handle ? &slots[slot] : NULL;
}

static bool
find(void *ctx, uint64_t address, uint64_t *base, uint64_t *bytes, uint64_t *id) {
  const buffer *b = buffer_at(address);
  (void)ctx;
  if (!b)
    return false;
  *base = address >> SLOT_SHIFT << SLOT_SHIFT;
  *bytes = b->bytes;
  *id = b->id;
  return true;
}

static bool read_memory(void *ctx, uint64_t address, void *out, size_t n) {
  REAL(next, clEnqueueReadBuffer);
  (void)ctx;
  const buffer *b = buffer_at(address);
  uint64_t offset = address & (((uint64_t)1 << SLOT_SHIFT) - 1);
  if (!next || !reading_allowed || !b)
    return false;
  return !next(reading_queue, b->handle, 1, offset, n, out, nreading_events,
               nreading_events ? reading_events : NULL, NULL);
}

static void open_recorder(void) {
  static bool tried;
  if (tried)
    return;
  tried = true;
  recorder =
      ww_recorder_from_env(&(ww_recorder_memory){.find = find, .read = read_memory});
}

__attribute__((destructor)) static void finish(void) {
  ww_recorder_flush(recorder);
}

/* ---- buffers ---- */

/* Its slot + 1; 0: none. */
static uint32_t slot_of(cl_handle handle) {
  return (uintptr_t)ww_handles_get(&buffers_by_handle, handle);
}

static void
new_buffer(cl_handle handle, uint64_t bytes, cl_handle parent, uint64_t origin) {
  if (!handle)
    return;
  pthread_mutex_lock(&lock);
  uint32_t in = slot_of(parent);
  uint32_t known = slot_of(handle);
  uint32_t slot = known ? known - 1 : first_free;
  while (slot < nslots && slots[slot].handle && slots[slot].handle != handle)
    slot++;
  if (!known)
    first_free = slot;
  if (slot == nslots && nslots < MAX_SLOTS) {
    if ((nslots & (nslots - 1)) == 0)
      slots = ww_xrealloc(slots, (nslots ? 2 * nslots : 1) * sizeof *slots);
    nslots++;
  }
  if (slot < nslots && bytes < (uint64_t)1 << SLOT_SHIFT) {
    slots[slot] =
        (buffer){.handle = handle, .bytes = bytes, .id = next_id++, .parent = slot};
    if (in) {
      slots[slot].parent = slots[in - 1].parent;
      slots[slot].origin = slots[in - 1].origin + origin;
    }
    ww_handles_put(&buffers_by_handle, handle, (void *)(uintptr_t)(slot + 1));
  }
  pthread_mutex_unlock(&lock);
}

cl_handle clCreateBuffer(
    cl_handle context, cl_bitfield flags, size_t bytes, void *host, cl_int *err) {
  REAL(next, clCreateBuffer);
  cl_handle b = next ? next(context, flags, bytes, host, err) : NULL;
  new_buffer(b, bytes, NULL, 0);
  return b;
}

cl_handle clCreateBufferWithProperties(cl_handle context,
                                       const cl_bitfield *properties,
                                       cl_bitfield flags,
                                       size_t bytes,
                                       void *host,
                                       cl_int *err) {
  REAL(next, clCreateBufferWithProperties);
  cl_handle b = next ? next(context, properties, flags, bytes, host, err) : NULL;
  new_buffer(b, bytes, NULL, 0);
  return b;
}

cl_handle clCreateSubBuffer(
    cl_handle parent, cl_bitfield flags, cl_uint type, const void *info, cl_int *err) {
  REAL(next, clCreateSubBuffer);
  cl_handle b = next ? next(parent, flags, type, info, err) : NULL;
  const cl_buffer_region *region = info;
  if (b && type == CL_BUFFER_CREATE_TYPE_REGION)
    new_buffer(b, region->size, parent, region->origin);
  return b;
}

cl_int clReleaseMemObject(cl_handle memory) {
  REAL(next, clReleaseMemObject);
  REAL(info, clGetMemObjectInfo);
  cl_uint references = 0;
  pthread_mutex_lock(&lock);
  uint32_t slot = slot_of(memory);
  bool last =
      slot && info &&
      !info(memory, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL) &&
      references == 1;
  if (last) {
    slots[slot - 1].handle = NULL;
    if (slot - 1 < first_free)
      first_free = slot - 1;
    ww_handles_put(&buffers_by_handle, memory, NULL);
  }
  pthread_mutex_unlock(&lock);
  return next ? next(memory) : NO_FUNCTION;
}

/* ---- programs ---- */

static program *new_program(cl_handle handle, const char *suffix) {
  program *p = ww_xcalloc(1, sizeof *p);
  p->suffix = suffix;
  /* an older one of this handle stays: kernels may still point to it */
  ww_handles_put(&programs, handle, p);
  return p;
}

cl_handle clCreateProgramWithSource(cl_handle context,
                                    cl_uint count,
                                    const char **strings,
                                    const size_t *lengths,
                                    cl_int *err) {
  REAL(next, clCreateProgramWithSource);
  cl_handle h = next ? next(context, count, strings, lengths, err) : NULL;
  if (!h)
    return h;
  pthread_mutex_lock(&lock);
  program *p = new_program(h, "cl");
  for (cl_uint i = 0; i < count; i++)
    ww_buf_add(&p->text, strings[i],
               lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
  pthread_mutex_unlock(&lock);
  return h;
}

cl_handle clCreateProgramWithBinary(cl_handle context,
                                    cl_uint ndevices,
                                    const cl_handle *devices,
                                    const size_t *lengths,
                                    const unsigned char **binaries,
                                    cl_int *status,
                                    cl_int *err) {
  REAL(next, clCreateProgramWithBinary);
  cl_handle h =
      next ? next(context, ndevices, devices, lengths, binaries, status, err) : NULL;
  if (!h || !ndevices)
    return h;
  pthread_mutex_lock(&lock);
  ww_buf_add(&new_program(h, "bin")->text, binaries[0], lengths[0]);
  pthread_mutex_unlock(&lock);
  return h;
}

/* One word of build options; quotes keep blanks together. */
static const char *next_word(const char *s, ww_buf *word) {
  char quote = 0;
  s += strspn(s, " \t\n");
  for (; *s && (quote || !strchr(" \t\n", *s)); s++) {
    if (quote ? *s == quote : *s == '"' || *s == '\'')
      quote = quote ? 0 : *s;
    else
      ww_buf_add(word, s, 1);
  }
  return s;
}

static char *absolute_include(const char *flag) {
  char cwd[PATH_MAX];
  const char *dir = flag + 2;
  ww_buf b = {0};
  if (ww_starts(flag, "-I") && *dir && *dir != '/' && getcwd(cwd, sizeof cwd))
    ww_buf_fmt(&b, "-I%s/%s", cwd, dir);
  else
    ww_buf_puts(&b, flag);
  return b.s;
}

/* Options become flags; includes are found from where the program runs, not from where
 * the spec lies. */
static void set_options(cl_handle handle, const char *options) {
  pthread_mutex_lock(&lock);
  program *p = ww_handles_get(&programs, handle);
  uint32_t n = 0;
  uint32_t cap = 0;
  bool includes =
      p && !strcmp(p->suffix, "cl") && strstr(p->text.s ? p->text.s : "", "#include");
  ww_buf all = {0};
  ww_buf_fmt(&all, "%s%s", options ? options : "", includes ? " -I." : "");
  if (p)
    p->flags = NULL; /* the ones of an earlier build may be in use still */
  for (const char *s = all.s; p && *s;) {
    ww_buf word = {0};
    s = next_word(s, &word);
    if (word.s && !strcmp(word.s, "-I"))
      s = next_word(s, &word);
    if (n + 2 > cap)
      p->flags = ww_xrealloc(p->flags, (cap = 2 * cap + 8) * sizeof *p->flags);
    if (word.s)
      p->flags[n++] = absolute_include(word.s);
    p->flags[n] = NULL;
    ww_buf_free(&word);
  }
  ww_buf_free(&all);
  pthread_mutex_unlock(&lock);
}

cl_int clBuildProgram(cl_handle handle,
                      cl_uint ndevices,
                      const cl_handle *devices,
                      const char *options,
                      cl_notify notify,
                      void *data) {
  REAL(next, clBuildProgram);
  set_options(handle, options);
  return next ? next(handle, ndevices, devices, options, notify, data) : NO_FUNCTION;
}

cl_int clCompileProgram(cl_handle handle,
                        cl_uint ndevices,
                        const cl_handle *devices,
                        const char *options,
                        cl_uint nheaders,
                        const cl_handle *headers,
                        const char **names,
                        cl_notify notify,
                        void *data) {
  REAL(next, clCompileProgram);
  set_options(handle, options);
  return next ? next(handle, ndevices, devices, options, nheaders, headers, names,
                     notify, data)
              : NO_FUNCTION;
}

/* What was linked together is one source: the inputs' texts in order, the first one's
 * flags. */
cl_handle clLinkProgram(cl_handle context,
                        cl_uint ndevices,
                        const cl_handle *devices,
                        const char *options,
                        cl_uint ninputs,
                        const cl_handle *inputs,
                        cl_notify notify,
                        void *data,
                        cl_int *err) {
  REAL(next, clLinkProgram);
  cl_handle h = next ? next(context, ndevices, devices, options, ninputs, inputs,
                            notify, data, err)
                     : NULL;
  if (!h)
    return h;
  pthread_mutex_lock(&lock);
  program *p = new_program(h, "cl");
  for (cl_uint i = 0; i < ninputs; i++) {
    program *in = ww_handles_get(&programs, inputs[i]);
    if (!in || !in->text.s)
      continue;
    ww_buf_add(&p->text, in->text.s, in->text.n);
    ww_buf_add(&p->text, "\n", 1);
    if (!p->flags)
      p->flags = in->flags;
  }
  pthread_mutex_unlock(&lock);
  return h;
}

/* ---- kernels and their arguments ---- */

static void free_kernel(kernel *k) {
  if (!k)
    return;
  for (uint32_t i = 0; i < k->nargs; i++)
    free(k->args[i].bytes);
  free(k->args);
  free(k->name);
  free(k);
}

static cl_int kernel_info(cl_handle handle, cl_uint what, size_t n, void *out) {
  REAL(next, clGetKernelInfo);
  return next ? next(handle, what, n, out, NULL) : NO_FUNCTION;
}

static void new_kernel(cl_handle program_handle, cl_handle handle) {
  char name[4096] = "";
  cl_uint nargs = 0;
  if (!handle || kernel_info(handle, CL_KERNEL_FUNCTION_NAME, sizeof name, name) ||
      kernel_info(handle, CL_KERNEL_NUM_ARGS, sizeof nargs, &nargs) || nargs > MAX_ARGS)
    return;
  pthread_mutex_lock(&lock);
  free_kernel(ww_handles_get(&kernels, handle));
  kernel *k = ww_xcalloc(1, sizeof *k);
  k->name = strcpy(ww_xmalloc(strlen(name) + 1), name);
  k->program = ww_handles_get(&programs, program_handle);
  k->args = ww_xcalloc(nargs + 1, sizeof *k->args);
  k->nargs = nargs;
  ww_handles_put(&kernels, handle, k);
  pthread_mutex_unlock(&lock);
}

cl_handle clCreateKernel(cl_handle program_handle, const char *name, cl_int *err) {
  REAL(next, clCreateKernel);
  cl_handle h = next ? next(program_handle, name, err) : NULL;
  new_kernel(program_handle, h);
  return h;
}

cl_int clCreateKernelsInProgram(cl_handle program_handle,
                                cl_uint n,
                                cl_handle *out,
                                cl_uint *count) {
  REAL(next, clCreateKernelsInProgram);
  cl_uint got = 0;
  cl_int rc = next ? next(program_handle, n, out, &got) : NO_FUNCTION;
  if (count)
    *count = got;
  for (cl_uint i = 0; rc == 0 && out && i < got; i++)
    new_kernel(program_handle, out[i]);
  return rc;
}

/* A copy keeps the arguments that were set. */
cl_handle clCloneKernel(cl_handle from, cl_int *err) {
  REAL(next, clCloneKernel);
  cl_handle h = next ? next(from, err) : NULL;
  if (!h)
    return h;
  new_kernel(NULL, h);
  pthread_mutex_lock(&lock);
  kernel *k = ww_handles_get(&kernels, h);
  kernel *source = ww_handles_get(&kernels, from);
  if (k && source)
    k->program = source->program;
  for (uint32_t i = 0; k && source && i < k->nargs; i++) {
    k->args[i] = source->args[i];
    if (!source->args[i].bytes)
      continue;
    k->args[i].bytes = ww_xmalloc(source->args[i].size + 1);
    memcpy(k->args[i].bytes, source->args[i].bytes, source->args[i].size);
  }
  pthread_mutex_unlock(&lock);
  return h;
}

/* The spec's name of a scalar type, where the runtime knows it (it may have dropped
 * argument information). */
static void ask_type(cl_handle handle, cl_uint index, argument *g) {
  REAL(next, clGetKernelArgInfo);
  static const char *const names[][2] = {
      {"char", "i8"},   {"uchar", "u8"},  {"short", "i16"}, {"ushort", "u16"},
      {"int", "i32"},   {"uint", "u32"},  {"long", "i64"},  {"ulong", "u64"},
      {"float", "f32"}, {"double", "f64"}};
  char name[256] = "";
  g->asked = true;
  if (!next || next(handle, index, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL))
    return;
  g->image = ww_starts(name, "image") || ww_starts(name, "sampler_t") ||
             ww_starts(name, "pipe");
  for (size_t i = 0; i < WW_COUNT(names); i++)
    if (!strcmp(name, names[i][0]))
      strcpy(g->type, names[i][1]);
}

static void keep_argument(
    cl_handle handle, cl_uint index, size_t size, const void *value, bool svm) {
  pthread_mutex_lock(&lock);
  kernel *k = ww_handles_get(&kernels, handle);
  if (k && index < k->nargs && size < (1u << 20)) {
    argument *g = &k->args[index];
    if (!g->asked)
      ask_type(handle, index, g);
    if (value && (!g->bytes || g->size != size))
      g->bytes = ww_xrealloc(g->bytes, size + 1);
    if (value)
      memcpy(g->bytes, value, size);
    g->size = size;
    g->local = !value;
    g->svm = svm;
    g->set = true;
  }
  pthread_mutex_unlock(&lock);
}

cl_int clSetKernelArg(cl_handle handle, cl_uint index, size_t size, const void *value) {
  REAL(next, clSetKernelArg);
  cl_int rc = next ? next(handle, index, size, value) : NO_FUNCTION;
  if (rc == 0)
    keep_argument(handle, index, size, value, false);
  return rc;
}

cl_int clSetKernelArgSVMPointer(cl_handle handle, cl_uint index, const void *value) {
  REAL(next, clSetKernelArgSVMPointer);
  cl_int rc = next ? next(handle, index, value) : NO_FUNCTION;
  if (rc == 0)
    keep_argument(handle, index, sizeof value, &value, true);
  return rc;
}

/* ---- launches ---- */

/* Work-group size when the program leaves it to the runtime: what the kernel requires,
 * else a divisor of the global size near the device's preferred multiple. True: it is a
 * guess. */
static bool group_size(cl_handle queue,
                       cl_handle handle,
                       cl_uint dims,
                       const size_t *global,
                       uint64_t block[3]) {
  REAL(next, clGetKernelWorkGroupInfo);
  REAL(queue_info, clGetCommandQueueInfo);
  cl_handle device = NULL;
  size_t required[3] = {0};
  size_t multiple = 0;
  if (queue_info)
    queue_info(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
  if (next)
    next(handle, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required,
         NULL);
  for (cl_uint i = 0; i < dims && required[0]; i++)
    block[i] = required[i];
  if (required[0])
    return false;
  if (next)
    next(handle, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple,
         &multiple, NULL);
  uint64_t x = multiple >= 64 ? multiple : 64;
  while (x > 1 && global[0] % x)
    x--;
  block[0] = x;
  return true;
}

/* Reading must not wait for what the program itself has yet to trigger, be it for this
 * launch or for one before it in the queue: as long as a user event is open, nothing is
 * read. */
static atomic_uint open_events;

cl_handle clCreateUserEvent(cl_handle context, cl_int *err) {
  REAL(next, clCreateUserEvent);
  cl_handle event = next ? next(context, err) : NULL;
  if (event)
    atomic_fetch_add(&open_events, 1);
  return event;
}

cl_int clSetUserEventStatus(cl_handle event, cl_int status) {
  REAL(next, clSetUserEventStatus);
  cl_int rc = next ? next(event, status) : NO_FUNCTION;
  if (rc == 0)
    atomic_fetch_sub(&open_events, 1); /* it can be set once only */
  return rc;
}

/* Arguments as the recorder takes them; addresses[i] holds the made-up address of a
 * buffer. NULL, or what is amiss. */
static const char *
raw_arguments(const kernel *k, ww_raw_arg *out, uint64_t *addresses) {
  const char *note = NULL;
  for (uint32_t i = 0; i < k->nargs; i++) {
    const argument *g = &k->args[i];
    uint32_t slot = 0;
    out[i] = (ww_raw_arg){.bytes = g->local ? NULL : g->bytes,
                          .size = g->size,
                          .type = g->type[0] ? g->type : NULL};
    if (!g->local && g->size == sizeof(cl_handle) && !g->type[0]) {
      cl_handle h;
      memcpy(&h, g->bytes, sizeof h);
      slot = slot_of(h);
    }
    if (slot) {
      const buffer *b = &slots[slot - 1];
      addresses[i] = ((uint64_t)b->parent + 1) << SLOT_SHIFT | b->origin;
      out[i].bytes = &addresses[i];
      out[i].pointer = 1;
    } else if (g->svm || g->image) {
      note = g->svm
                 ? "shared virtual memory as an argument: its contents are not recorded"
                 : "an image or sampler as an argument: it cannot be replayed";
    }
  }
  return note;
}

static void
set_shape(cl_uint dims, const size_t *global, const size_t *local, ww_raw_launch *l) {
  for (cl_uint i = 0; i < dims; i++) {
    if (local)
      l->block[i] = local[i];
    if (!l->block[i])
      l->block[i] = 1;
    l->grid[i] = (global[i] + l->block[i] - 1) / l->block[i];
  }
}

static void record(cl_handle queue,
                   cl_handle handle,
                   cl_uint dims,
                   const size_t *offset,
                   const size_t *global,
                   const size_t *local,
                   cl_uint nevents,
                   const cl_handle *events) {
  ww_raw_arg args[MAX_ARGS];
  uint64_t addresses[MAX_ARGS];
  ww_raw_launch l = {.args = args, .block = {1, 1, 1}};
  if (!dims || dims > 3)
    return; /* the runtime will refuse it */
  bool guessed = !local && group_size(queue, handle, dims, global, l.block);
  pthread_mutex_lock(&lock);
  const kernel *k = ww_handles_get(&kernels, handle);
  bool ready = k;
  for (uint32_t i = 0; ready && i < k->nargs; i++)
    ready = k->args[i].set;
  open_recorder();
  if (ready && recorder) {
    l.kernel = k->name;
    l.nargs = k->nargs;
    l.note = raw_arguments(k, args, addresses);
    set_shape(dims, global, local, &l);
    for (cl_uint i = 0; i < dims; i++)
      if (offset && offset[i])
        l.note = "the program gives a global offset: a replay starts at 0";
    if (!l.note && guessed)
      l.note = "work-group size left to the runtime: block is a guess";
    if (k->program) {
      l.binary = k->program->text.s;
      l.binary_n = k->program->text.n;
      l.binary_suffix = k->program->suffix;
      l.flags = (const char *const *)k->program->flags;
    }
    reading_queue = queue;
    reading_events = events;
    nreading_events = nevents;
    reading_allowed = !atomic_load(&open_events);
    ww_recorder_launch(recorder, &l);
  }
  pthread_mutex_unlock(&lock);
}

cl_int clEnqueueNDRangeKernel(cl_handle queue,
                              cl_handle handle,
                              cl_uint dims,
                              const size_t *offset,
                              const size_t *global,
                              const size_t *local,
                              cl_uint nevents,
                              const cl_handle *events,
                              cl_handle *event) {
  REAL(next, clEnqueueNDRangeKernel);
  if (global)
    record(queue, handle, dims, offset, global, local, nevents, events);
  return next ? next(queue, handle, dims, offset, global, local, nevents, events, event)
              : NO_FUNCTION;
}

cl_int clEnqueueTask(cl_handle queue,
                     cl_handle handle,
                     cl_uint nevents,
                     const cl_handle *events,
                     cl_handle *event) {
  REAL(next, clEnqueueTask);
  static const size_t one[3] = {1, 1, 1};
  record(queue, handle, 1, NULL, one, one, nevents, events);
  return next ? next(queue, handle, nevents, events, event) : NO_FUNCTION;
}
