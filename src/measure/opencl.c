/* opencl.c - launches on any OpenCL device, PoCL on the CPU included.
 *
 * The code is the .cl source, built for the device when it is loaded. Everything goes
 * through one in-order queue with profiling on, so that a kernel's time is its own
 * (start to end on the device) and restore, flush and launch need no waiting between
 * them. OpenCL has no counters and does not tell the clock: time is the only metric
 * that it gives. */
#include "opencl_api.h"

#include <math.h>
#include <stdlib.h>

#include "../gpu/gpu.h"
#include "backend.h"
#include "contents.h"

#define CHUNK (16 << 20) /* bytes read back at once */
#define MOST_FLUSH (256 << 20)
#define LEAST_FLUSH (16 << 20)

/* Item g reads elements g * first + k * step: neighbours together on a GPU, one stretch
 * per item on a CPU. */
static const char flush_source[] =
    "__kernel void ww_flush(__global const uint4 *x, ulong first, ulong step, ulong n, "
    "__global "
    "uint *out) {\n"
    "  uint4 s = 0;\n"
    "  for (ulong k = 0; k < n; k++) s += x[get_global_id(0) * first + k * step];\n"
    "  if (s.x + s.y + s.z + s.w == 0x12345677) *out = s.x;\n"
    "}\n";

struct ww_device {
  ww_opencl cl;
  cl_device_id id;
  cl_context context;
  cl_command_queue queue;
  uint64_t memory, most, held; /* bytes: of the device, of one buffer, in use */
  bool cpu;
  uint32_t align; /* of a pointer into a buffer, bytes */
  cl_kernel flusher;
  cl_program flush_program;
  cl_mem flush_data, flush_out;
  size_t flush_items, flush_local;
  cl_event *events; /* one per counted range */
  uint32_t nevents;
};

typedef struct {
  cl_mem now, pristine;
  uint64_t bytes;
  bool changed; /* a run writes it */
} buffer;

struct ww_ready {
  ww_arena *a;
  cl_program program;
  cl_kernel kernel;
  ww_buffer_contents contents;
  buffer *buffers;
  cl_mem *subs; /* pointers into the middle of a buffer */
  uint32_t nsubs;
  uint64_t bytes, local; /* local: given by arguments */
  cl_uint dims;
  size_t global[3], block[3];
};

/* A result of OpenCL as ours: an error is what the kernel or the launch asks for too
 * much, or a broken device. */
static ww_status check(ww_err *e, cl_int rc, const char *what) {
  if (!rc)
    return WW_OK;
  bool limit = rc == CL_MEM_OBJECT_ALLOCATION_FAILURE || rc == CL_OUT_OF_HOST_MEMORY ||
               rc == CL_INVALID_BUFFER_SIZE;
  bool ours = rc <= -30 && rc > -70;
  return ww_fail(e,
                 limit  ? WW_ELIMIT
                 : ours ? WW_EDATA
                        : WW_EDEVICE,
                 "%s: %s", what, ww_opencl_error(rc));
}

/* ---- the device ---- */

static uint64_t device_number(const ww_device *d, cl_uint what, size_t size) {
  uint64_t v = 0;
  d->cl.GetDeviceInfo(d->id, what, size, &v, NULL);
  return v;
}

static const char *device_text(const ww_device *d, cl_uint what, ww_arena *a) {
  char text[256] = "";
  d->cl.GetDeviceInfo(d->id, what, sizeof text, text, NULL);
  text[255] = 0;
  return ww_strdup(a, text + strspn(text, " "));
}

/* The flush reads four times the cache that the device tells of. */
static ww_status make_flush(ww_device *d, uint64_t cache, ww_err *e) {
  const char *text = flush_source;
  cl_int rc;
  size_t bytes = cache * 4 > MOST_FLUSH    ? MOST_FLUSH
                 : cache * 4 < LEAST_FLUSH ? LEAST_FLUSH
                                           : cache * 4;
  d->flush_items = d->cpu ? 64 : 65536;
  d->flush_local = d->cpu ? 1 : 64;
  uint64_t count = bytes / 16 / d->flush_items;
  uint64_t first = d->cpu ? count : 1;
  uint64_t step = d->cpu ? 1 : d->flush_items;
  d->flush_program = d->cl.CreateProgramWithSource(d->context, 1, &text, NULL, &rc);
  if (!rc)
    rc = d->cl.BuildProgram(d->flush_program, 1, &d->id, "", NULL, NULL);
  if (!rc)
    d->flusher = d->cl.CreateKernel(d->flush_program, "ww_flush", &rc);
  if (!rc)
    d->flush_data = d->cl.CreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, &rc);
  if (!rc)
    d->flush_out = d->cl.CreateBuffer(d->context, CL_MEM_READ_WRITE, 64, NULL, &rc);
  const void *args[] = {&d->flush_data, &first, &step, &count, &d->flush_out};
  _Static_assert(sizeof(cl_mem) == sizeof first, "every argument has eight bytes");
  for (cl_uint k = 0; !rc && k < 5; k++)
    rc = d->cl.SetKernelArg(d->flusher, k, 8, args[k]);
  /* written, or every page read is the one page of zeros */
  void *ones = rc ? NULL : malloc(bytes);
  if (ones) {
    memset(ones, 1, bytes);
    rc = d->cl.EnqueueWriteBuffer(d->queue, d->flush_data, CL_TRUE, 0, bytes, ones, 0,
                                  NULL, NULL);
  }
  free(ones);
  return check(e, rc, "cannot prepare the device's cache flush");
}

static void close_device(ww_device *d) {
  if (!d)
    return;
  if (d->flusher)
    d->cl.ReleaseKernel(d->flusher);
  if (d->flush_program)
    d->cl.ReleaseProgram(d->flush_program);
  if (d->flush_data)
    d->cl.ReleaseMemObject(d->flush_data);
  if (d->flush_out)
    d->cl.ReleaseMemObject(d->flush_out);
  if (d->queue)
    d->cl.ReleaseCommandQueue(d->queue);
  if (d->context)
    d->cl.ReleaseContext(d->context);
  free(d->events);
  free(d);
}

static void describe(const ww_device *d, ww_arena *a, ww_device_info *info) {
  *info =
      (ww_device_info){.device = device_text(d, CL_DEVICE_NAME, a),
                       .backend = "opencl",
                       .driver = device_text(d, CL_DRIVER_VERSION, a),
                       .versions = device_text(d, CL_DEVICE_VERSION, a),
                       .sms = device_number(d, CL_DEVICE_MAX_COMPUTE_UNITS, 4),
                       .l2_bytes = device_number(d, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8),
                       .memory_bytes = d->memory};
  info->gpu = ww_gpu_for_device(info->device, info->sms, a);
}

static ww_status open_queue(ww_device *d, const char *name, ww_err *e) {
  cl_int rc;
  d->context = d->cl.CreateContext(NULL, 1, &d->id, NULL, NULL, &rc);
  if (!rc)
    d->queue =
        d->cl.CreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &rc);
  return rc ? ww_fail(e, WW_EDEVICE, "cannot open %s: %s", name, ww_opencl_error(rc))
            : WW_OK;
}

static ww_status open_device(
    const char *device, ww_arena *a, ww_device **out, ww_device_info *info, ww_err *e) {
  ww_device *d = ww_xcalloc(1, sizeof *d);
  *out = d;
  ww_status st = ww_opencl_open(&d->cl, e);
  if (!st)
    st = ww_opencl_pick(&d->cl, device, &d->id, e);
  if (!st) {
    d->cpu = device_number(d, CL_DEVICE_TYPE, 8) & CL_DEVICE_TYPE_CPU;
    d->memory = device_number(d, CL_DEVICE_GLOBAL_MEM_SIZE, 8);
    d->most = device_number(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8);
    d->align = device_number(d, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4) / 8;
    describe(d, a, info);
    st = open_queue(d, info->device, e);
  }
  if (st || (st = make_flush(d, info->l2_bytes, e))) {
    close_device(d);
    *out = NULL;
  }
  return st;
}

/* ---- code ---- */

/* The spec's flags that an OpenCL compiler knows, and the source's own folder for its
 * headers. */
static const char *build_options(const ww_launch *l, ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(&b, "-cl-kernel-arg-info");
  for (uint32_t k = 0; k < l->nflags; k++) {
    const char *f = l->flags[k];
    bool apart = !strcmp(f, "-D") || !strcmp(f, "-I");
    bool known = ww_starts(f, "-D") || ww_starts(f, "-I") || ww_starts(f, "-cl-") ||
                 !strcmp(f, "-w");
    if (known)
      ww_buf_fmt(&b, " %s", f);
    if (apart && k + 1 < l->nflags)
      ww_buf_fmt(&b, " %s", l->flags[++k]);
  }
  ww_buf_fmt(&b, " -I%s", ww_path_dir(a, l->binary ? l->binary : l->file));
  return ww_buf_text(&b, a);
}

/* The first line of a build log that is an error, and its place: ...:LINE:COLUMN: ...
 */
static ww_status build_error(
    const ww_device *d, cl_program p, const char *file, ww_arena *a, ww_err *e) {
  size_t n = 0;
  d->cl.GetProgramBuildInfo(p, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &n);
  char *log = ww_alloc(a, n + 1);
  d->cl.GetProgramBuildInfo(p, d->id, CL_PROGRAM_BUILD_LOG, n, log, NULL);
  char *line = strstr(log, "error");
  while (line && line > log && line[-1] != '\n')
    line--;
  if (!line)
    line = log + strspn(log, " \n");
  line[strcspn(line, "\n")] = 0;
  const char *text = line;
  for (char *c = strchr(line, ':'); c; c = strchr(c + 1, ':')) {
    char *end;
    unsigned long row = strtoul(c + 1, &end, 10);
    if (end == c + 1 || *end != ':')
      continue;
    e->line = row;
    unsigned long column = strtoul(end + 1, &end, 10);
    e->col = column;
    text = end + strspn(end, ": ");
    break;
  }
  e->file = file;
  return ww_fail(e, WW_EDATA, "%s",
                 *text ? text
                       : "the device's compiler rejects it and does not say why");
}

static ww_status build(ww_device *d, const ww_launch *l, ww_ready *r, ww_err *e) {
  char *text;
  size_t n;
  cl_int rc;
  const char *path = l->binary ? l->binary : l->file;
  if (!path)
    return ww_fail(e, WW_EUSAGE,
                   "an OpenCL launch needs its source: \"file\": \"kernel.cl\"");
  if (!l->kernel)
    return ww_fail(e, WW_EUSAGE, "name the kernel of %s to measure", path);
  ww_status st = ww_read_file(r->a, path, 64 << 20, &text, &n, e);
  if (st)
    return st;
  r->program =
      d->cl.CreateProgramWithSource(d->context, 1, (const char **)&text, &n, &rc);
  if (rc)
    return check(e, rc, path);
  rc = d->cl.BuildProgram(r->program, 1, &d->id, build_options(l, r->a), NULL, NULL);
  if (rc)
    return build_error(d, r->program, path, r->a, e);
  r->kernel = d->cl.CreateKernel(r->program, l->kernel, &rc);
  return rc == CL_INVALID_KERNEL_NAME
             ? ww_fail(e, WW_EUSAGE, "%s has no kernel `%s`", path, l->kernel)
             : check(e, rc, l->kernel);
}

/* ---- shape ---- */

static ww_status shape(const ww_device *d, const ww_launch *l, ww_ready *r, ww_err *e) {
  size_t most = 0;
  size_t threads = 1;
  size_t fixed[3] = {0};
  r->dims = 1;
  if (!l->grid[0] || !l->block[0])
    return ww_fail(e, WW_EUSAGE, "the launch has no grid and block");
  for (int k = 0; k < 3; k++) {
    r->block[k] = l->block[k] ? l->block[k] : 1;
    uint64_t groups = l->grid[k] ? l->grid[k] : 1;
    if (__builtin_mul_overflow(groups, r->block[k], &r->global[k]))
      return ww_fail(e, WW_EUSAGE, "grid times block is beyond 2^64");
    threads *= r->block[k];
    if (r->global[k] > 1)
      r->dims = k + 1;
  }
  d->cl.GetKernelWorkGroupInfo(r->kernel, d->id, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                               &most, NULL);
  d->cl.GetKernelWorkGroupInfo(r->kernel, d->id, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                               sizeof fixed, fixed, NULL);
  if (most && threads > most)
    return ww_fail(
        e, WW_EUSAGE,
        "a work-group of %zu work-items: this kernel takes %zu at most on this device",
        threads, most);
  if (fixed[0] && memcmp(fixed, r->block, sizeof fixed))
    return ww_fail(e, WW_EUSAGE,
                   "the kernel is declared for work-groups of %zux%zux%zu", fixed[0],
                   fixed[1], fixed[2]);
  return WW_OK;
}

/* ---- buffers ---- */

static ww_status
room_for(const ww_device *d, const ww_buffer_contents *c, uint64_t *need, ww_err *e) {
  *need = 0;
  for (uint32_t k = 0; k < c->n; k++) {
    if (d->most && c->v[k].bytes > d->most)
      return ww_fail(e, WW_ELIMIT,
                     "%s: a buffer of %lu bytes; this device takes %lu at most",
                     c->v[k].label, c->v[k].bytes, d->most);
    *need += 2 * c->v[k].bytes;
  }
  /* a CPU's memory is the system's too */
  uint64_t room = d->cpu ? d->memory / 2 : d->memory / 8 * 7;
  if (*need > room)
    return ww_fail(
        e, WW_ELIMIT,
        "its buffers take %lu bytes, twice with the copies that each run starts from; "
        "the device has "
        "%lu",
        *need / 2, d->memory);
  return *need > room - d->held ? ww_fail(e, WW_ELIMIT, "the device's memory is full")
                                : WW_OK;
}

static ww_status
make_buffer(ww_device *d, const ww_allocation *v, buffer *b, ww_err *e) {
  cl_int rc;
  b->bytes = v->bytes;
  void *bytes = malloc(v->bytes ? v->bytes : 1);
  if (!bytes)
    return ww_fail(e, WW_ELIMIT, "%s: no memory for its %lu bytes of contents",
                   v->label, v->bytes);
  if (v->filled < v->bytes)
    memset((char *)bytes + v->filled, 0, v->bytes - v->filled);
  ww_status st = ww_contents_make(&v->fill, v->type, v->filled, v->seed, 0, bytes, e);
  if (!st) {
    b->now = d->cl.CreateBuffer(d->context, CL_MEM_READ_WRITE, v->bytes, NULL, &rc);
    if (!rc)
      b->pristine =
          d->cl.CreateBuffer(d->context, CL_MEM_READ_WRITE, v->bytes, NULL, &rc);
    if (!rc)
      rc = d->cl.EnqueueWriteBuffer(d->queue, b->now, CL_TRUE, 0, v->bytes, bytes, 0,
                                    NULL, NULL);
    if (!rc)
      rc = d->cl.EnqueueWriteBuffer(d->queue, b->pristine, CL_TRUE, 0, v->bytes, bytes,
                                    0, NULL, NULL);
    st = check(e, rc, v->label);
  }
  free(bytes);
  return st;
}

static ww_status
make_buffers(ww_device *d, const ww_launch *l, ww_ready *r, ww_err *e) {
  uint64_t need;
  ww_status st = ww_contents_plan(l, r->a, &r->contents, e);
  if (st || (st = room_for(d, &r->contents, &need, e)))
    return st;
  r->buffers = WW_NEWN(r->a, buffer, r->contents.n + 1);
  r->subs = WW_NEWN(r->a, cl_mem, r->contents.npointers + 1);
  r->bytes = need;
  d->held += need;
  for (uint32_t k = 0; !st && k < r->contents.n; k++)
    st = make_buffer(d, &r->contents.v[k], &r->buffers[k], e);
  return st;
}

/* ---- arguments ---- */

static ww_status set(const ww_device *d,
                     ww_ready *r,
                     uint32_t arg,
                     size_t n,
                     const void *bytes,
                     ww_err *e) {
  char what[32];
  cl_int rc = d->cl.SetKernelArg(r->kernel, arg, n, bytes);
  if (rc == CL_INVALID_ARG_SIZE)
    return ww_fail(e, WW_EUSAGE,
                   "argument %u: the kernel takes another number of bytes than %zu",
                   arg, n);
  snprintf(what, sizeof what, "argument %u", arg);
  return check(e, rc, what);
}

static ww_status
set_pointer(ww_device *d, ww_ready *r, const ww_pointer *p, ww_err *e) {
  const buffer *b = &r->buffers[p->allocation];
  cl_mem mem = b->now;
  cl_buffer_region rest = {p->offset, b->bytes - p->offset};
  cl_int rc;
  if (p->at)
    return ww_fail(e, WW_EUNSUPPORTED,
                   "argument %u: OpenCL has no pointers inside structs", p->arg);
  if (p->offset && (!d->align || p->offset % d->align))
    return ww_fail(e, WW_EUNSUPPORTED,
                   "argument %u points %lu bytes into its buffer; OpenCL on this "
                   "device takes multiples of %u",
                   p->arg, p->offset, d->align);
  if (p->offset >= b->bytes && p->offset)
    return ww_fail(e, WW_EUSAGE, "argument %u: offset %lu lies outside its %lu bytes",
                   p->arg, p->offset, b->bytes);
  if (p->offset) {
    mem = d->cl.CreateSubBuffer(b->now, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                &rest, &rc);
    if (rc)
      return check(e, rc, "a pointer into a buffer");
    r->subs[r->nsubs++] = mem;
  }
  return set(d, r, p->arg, sizeof mem, &mem, e);
}

static const struct {
  const char *name;
  uint8_t bytes;
} scalars[] = {
    {"float", 4},         {"double", 8}, /* the others are whole numbers */
    {"char", 1},          {"uchar", 1},        {"unsigned char", 1},  {"bool", 4},
    {"short", 2},         {"ushort", 2},       {"unsigned short", 2}, {"int", 4},
    {"uint", 4},          {"unsigned int", 4}, {"long", 8},           {"ulong", 8},
    {"unsigned long", 8}, {"size_t", 8},
};

/* "" where the compiler does not tell. */
static const char *type_of(const ww_device *d, const ww_ready *r, uint32_t arg) {
  char name[128] = "";
  d->cl.GetKernelArgInfo(r->kernel, arg, CL_KERNEL_ARG_TYPE_NAME, sizeof name - 1, name,
                         NULL);
  return ww_strdup(r->a, name);
}

/* A number takes the type that its parameter has. */
static ww_status
set_value(const ww_device *d, ww_ready *r, uint32_t arg, const ww_arg *g, ww_err *e) {
  const char *type = type_of(d, r, arg);
  float f = g->value;
  uint64_t v = g->is_int ? (uint64_t)g->ivalue : (uint64_t)(int64_t)g->value;
  size_t k = 0;
  size_t n = WW_COUNT(scalars);
  while (k < n && strcmp(scalars[k].name, type))
    k++;
  if (strchr(type, '*'))
    return g->value == 0
               ? set(d, r, arg, sizeof(cl_mem), NULL, e)
               : ww_fail(e, WW_EUSAGE, "argument %u is %s: give a buffer", arg, type);
  if (k == n)
    return ww_fail(e, WW_EUSAGE, "argument %u is %s: give its bytes as hex", arg,
                   *type ? type : "of unknown type");
  bool whole = k >= 2;
  uint32_t size = scalars[k].bytes;
  double span = ldexp(1, 8 * size);
  if (whole && !g->is_int && g->value != trunc(g->value))
    return ww_fail(e, WW_EDATA, "argument %u is %s and takes a whole number, not %g",
                   arg, type, g->value);
  if (whole && size < 8 && (g->value < -span / 2 || g->value >= span))
    return ww_fail(e, WW_EDATA, "argument %u is %s of %u bytes and cannot hold %.17g",
                   arg, type, size, g->value);
  if (whole)
    return set(d, r, arg, size, &v, e);
  return size == 4 ? set(d, r, arg, 4, &f, e) : set(d, r, arg, 8, &g->value, e);
}

static bool is_local(const ww_device *d, const ww_ready *r, uint32_t arg) {
  cl_uint space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  d->cl.GetKernelArgInfo(r->kernel, arg, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space,
                         &space, NULL);
  return space == CL_KERNEL_ARG_ADDRESS_LOCAL;
}

/* The launch with its local buffers marked: the kernel knows them even where the spec
 * does not. */
static ww_status check_args(const ww_device *d, ww_ready *r, ww_launch *l, ww_err *e) {
  cl_uint n = 0;
  d->cl.GetKernelInfo(r->kernel, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL);
  if (l->nargs != n)
    return ww_fail(e, WW_EUSAGE, "%s takes %u arguments, the launch gives %u",
                   l->kernel, n, l->nargs);
  if (l->nsymbols)
    return ww_fail(
        e, WW_EUNSUPPORTED,
        "the launch sets `%s`: OpenCL programs have no symbols that can be set",
        l->symbols[0].name);
  ww_arg *args = WW_NEWN(r->a, ww_arg, n + 1);
  if (n)
    memcpy(args, l->args, n * sizeof *args);
  for (cl_uint k = 0; k < n; k++) {
    if (args[k].kind == WW_ARG_NONE)
      return ww_fail(e, WW_EUSAGE, "argument %u is not given", k);
    if (args[k].expr || args[k].buffer.bytes_expr || args[k].buffer.count_expr)
      return ww_fail(e, WW_EUSAGE,
                     "argument %u is an expression: only a planned launch can be run",
                     k);
    if (args[k].kind == WW_ARG_BUFFER)
      args[k].buffer.local = is_local(d, r, k);
    const char *type = type_of(d, r, k);
    if (ww_starts(type, "image") || ww_starts(type, "sampler"))
      return ww_fail(
          e, WW_EUNSUPPORTED,
          "argument %u is %s: images and samplers cannot be given in a launch", k,
          type);
  }
  l->args = args;
  return WW_OK;
}

static ww_status set_args(ww_device *d, const ww_launch *l, ww_ready *r, ww_err *e) {
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < l->nargs; k++) {
    const ww_arg *g = &l->args[k];
    if (g->kind == WW_ARG_VALUE)
      st = set_value(d, r, k, g, e);
    if (g->kind == WW_ARG_HEX)
      st = set(d, r, k, g->hex_n, g->hex, e);
    if (g->kind != WW_ARG_BUFFER || !g->buffer.local)
      continue;
    if (!g->buffer.bytes)
      return ww_fail(e, WW_EUSAGE, "argument %u is local memory: give its size", k);
    st = set(d, r, k, g->buffer.bytes, NULL, e);
    r->local += g->buffer.bytes;
  }
  uint64_t most = device_number(d, CL_DEVICE_LOCAL_MEM_SIZE, 8);
  if (!st && most && r->local > most)
    return ww_fail(e, WW_ELIMIT, "%lu bytes of local memory; this device has %lu",
                   r->local, most);
  for (uint32_t k = 0; !st && k < r->contents.npointers; k++)
    st = set_pointer(d, r, &r->contents.pointers[k], e);
  return st;
}

/* ---- load and unload ---- */

static void unload(ww_device *d, ww_ready *r) {
  if (!r)
    return;
  for (uint32_t k = 0; k < r->nsubs; k++)
    d->cl.ReleaseMemObject(r->subs[k]);
  for (uint32_t k = 0; r->buffers && k < r->contents.n; k++) {
    if (r->buffers[k].now)
      d->cl.ReleaseMemObject(r->buffers[k].now);
    if (r->buffers[k].pristine)
      d->cl.ReleaseMemObject(r->buffers[k].pristine);
  }
  if (r->kernel)
    d->cl.ReleaseKernel(r->kernel);
  if (r->program)
    d->cl.ReleaseProgram(r->program);
  d->held -= r->bytes;
  ww_arena_free(r->a);
}

static ww_status load(ww_device *d, const ww_launch *given, ww_ready **out, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_ready *r = WW_NEW(a, ww_ready);
  ww_launch l = *given;
  ww_status st;
  r->a = a;
  *out = r;
  if ((st = build(d, &l, r, e)) || (st = shape(d, &l, r, e)) ||
      (st = check_args(d, r, &l, e)) || (st = make_buffers(d, &l, r, e)) ||
      (st = set_args(d, &l, r, e))) {
    if (e->file)
      e->file = given->file; /* the arena goes */
    unload(d, r);
    *out = NULL;
  }
  return st;
}

static void resources(ww_device *d, const ww_ready *r, ww_report *out) {
  cl_ulong local = 0;
  if (!d->cl.GetKernelWorkGroupInfo(r->kernel, d->id, CL_KERNEL_LOCAL_MEM_SIZE,
                                    sizeof local, &local, NULL))
    ww_report_set(out, WW_M_shared_bytes,
                  (double)(local > r->local ? local : r->local));
}

/* ---- running ---- */

static ww_status restore(ww_device *d, ww_ready *r, ww_err *e) {
  cl_int rc = 0;
  for (uint32_t k = 0; !rc && k < r->contents.n; k++) {
    const buffer *b = &r->buffers[k];
    if (b->changed)
      rc = d->cl.EnqueueCopyBuffer(d->queue, b->pristine, b->now, 0, 0, b->bytes, 0,
                                   NULL, NULL);
  }
  return check(e, rc, "restoring the buffers");
}

static ww_status flush(ww_device *d, ww_err *e) {
  return check(e,
               d->cl.EnqueueNDRangeKernel(d->queue, d->flusher, 1, NULL,
                                          &d->flush_items, &d->flush_local, 0, NULL,
                                          NULL),
               "flushing the caches");
}

static ww_status enqueue(ww_device *d, ww_ready *r, cl_event *event, ww_err *e) {
  return check(e,
               d->cl.EnqueueNDRangeKernel(d->queue, r->kernel, r->dims, NULL, r->global,
                                          r->block, 0, NULL, event),
               "the launch");
}

static ww_status launch(ww_device *d, ww_ready *r, ww_err *e) {
  return enqueue(d, r, NULL, e);
}

static ww_status sync_device(ww_device *d, ww_err *e) {
  cl_int rc = d->cl.Finish(d->queue);
  return rc ? ww_fail(e, WW_EDEVICE, "the kernel failed: %s", ww_opencl_error(rc))
            : WW_OK;
}

static ww_status digest_buffer(
    ww_device *d, buffer *b, char *now, char *pristine, uint64_t *hash, ww_err *e) {
  cl_int rc = 0;
  for (uint64_t at = 0; at < b->bytes; at += CHUNK) {
    size_t n = b->bytes - at < CHUNK ? b->bytes - at : CHUNK;
    rc = d->cl.EnqueueReadBuffer(d->queue, b->now, CL_TRUE, at, n, now, 0, NULL, NULL);
    if (!rc)
      rc = d->cl.EnqueueReadBuffer(d->queue, b->pristine, CL_TRUE, at, n, pristine, 0,
                                   NULL, NULL);
    if (rc)
      break;
    b->changed |= memcmp(now, pristine, n) != 0;
    *hash = ww_hash(now, n, *hash);
  }
  return check(e, rc, "reading back");
}

static ww_status digest(ww_device *d, ww_ready *r, uint64_t *out, ww_err *e) {
  char *chunks = ww_xmalloc(2 * CHUNK);
  ww_status st = WW_OK;
  *out = 1;
  for (uint32_t k = 0; !st && k < r->contents.n; k++)
    st = digest_buffer(d, &r->buffers[k], chunks, chunks + CHUNK, out, e);
  free(chunks);
  return st;
}

/* ---- counting: the time alone, in one pass ---- */

static ww_status begin(
    ww_device *d, ww_counter_set which, uint32_t ranges, uint32_t *passes, ww_err *e) {
  (void)e;
  d->nevents = 0;
  d->events = ww_xrealloc(d->events, (ranges + 1) * sizeof *d->events);
  *passes = which == WW_SET_TIME;
  return WW_OK;
}

/* Waited for, so that a launch that never ends is the one that was announced last. */
static ww_status count(ww_device *d, ww_ready *r, ww_err *e) {
  ww_status st = enqueue(d, r, &d->events[d->nevents], e);
  if (st)
    return st;
  d->nevents++;
  return sync_device(d, e);
}

static ww_status end(ww_device *d, double values[][WW_NMETRICS], ww_err *e) {
  cl_int rc = 0;
  for (uint32_t k = 0; k < d->nevents; k++) {
    cl_ulong from = 0;
    cl_ulong to = 0;
    if (!rc)
      rc = d->cl.GetEventProfilingInfo(d->events[k], CL_PROFILING_COMMAND_START, 8,
                                       &from, NULL);
    if (!rc)
      rc = d->cl.GetEventProfilingInfo(d->events[k], CL_PROFILING_COMMAND_END, 8, &to,
                                       NULL);
    values[k][WW_M_time_us] = (to - from) * 1e-3;
    d->cl.ReleaseEvent(d->events[k]);
  }
  d->nevents = 0;
  return check(e, rc, "the kernel's time");
}

static ww_status dump(ww_device *d, ww_ready *r, const char *dir, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < r->contents.npointers; k++) {
    const ww_pointer *p = &r->contents.pointers[k];
    const buffer *b = &r->buffers[p->allocation];
    void *bytes = malloc(b->bytes ? b->bytes : 1);
    if (!bytes)
      return ww_fail(e, WW_ELIMIT, "--dump: no memory for %lu bytes", b->bytes);
    cl_int rc = d->cl.EnqueueReadBuffer(d->queue, b->now, CL_TRUE, 0, b->bytes, bytes,
                                        0, NULL, NULL);
    st = check(e, rc, "reading back");
    if (!st)
      st = ww_write_file_atomic(ww_path_join(a, dir, ww_fmt(a, "arg%u.bin", p->arg)),
                                bytes, b->bytes, e);
    free(bytes);
  }
  ww_arena_free(a);
  return st;
}

const ww_backend ww_backend_opencl = {
    .name = "opencl",
    .open = open_device,
    .close = close_device,
    .load = load,
    .unload = unload,
    .resources = resources,
    .restore = restore,
    .flush = flush,
    .launch = launch,
    .sync = sync_device,
    .digest = digest,
    .begin = begin,
    .count = count,
    .pass_end = sync_device,
    .end = end,
    .dump = dump,
};
