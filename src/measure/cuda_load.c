/* cuda_load.c - a ready launch spec on the device: code, buffers, variables,
 * parameters; back to pristine; what a run changed.
 *
 * Nothing is launched before it was checked: shapes, sizes and counts that do not fit
 * are the spec's fault (WW_EUSAGE) and leave the context alive. A launch has a module
 * of its own where the code has variables, so that they are its own too; other code is
 * loaded once for all its launches, which come one behind the other. Restored are all
 * buffers, the variables that the spec sets and, of a cubin, every __device__ variable;
 * variables of PTX and fat binaries that the spec does not name keep what a run wrote.
 */
#include "cubin.h"
#include "cuda_int.h"

#include <stdlib.h>

#define MOST_IMAGE (1u << 30) /* bytes of a module */
#define KEEP                                                                           \
  (64ull << 20) /* pristine copies up to this size are kept, whether a run changes the \
                   buffer or not */
#define PARAM_SLACK \
  4096 /* the driver reads a parameter's whole size, all of a kernel's are smaller */
#define MOST_CODES 16 /* modules kept that no launch uses */
#define NOT_FOUND 500
#define L2_PROMOTION_128B 2 /* of a tensor map: what L2 fetches at a time */

typedef struct {
  ww_device *d;
  const ww_cuda_api *api;
  const ww_launch *l;
  ww_ready *r;
  ww_arena *a; /* of the ready launch */
  uint32_t nparams;
  size_t *sizes; /* of the parameters; 0: the driver is too old to tell */
  bool sizes_known;
} loader;

/* ---- code ---- */

static void drop_code(ww_device *d, ww_cuda_code *c) {
  if (c->module)
    d->api->cuModuleUnload(c->module);
  ww_arena_free(c->a);
}

void ww_cuda_forget(ww_device *d) {
  for (uint32_t i = 0; i < d->codes.n; i++)
    drop_code(d, d->codes.v[i]);
  d->codes.n = 0;
}

static ww_cuda_code *known_code(ww_device *d, const char *path) {
  for (uint32_t i = d->codes.n; i-- > 0;)
    if (!strcmp(d->codes.v[i]->path, path))
      return d->codes.v[i];
  return NULL;
}

/* Kept for other launches, in the place of what nobody has used for longest. */
static void keep_code(ww_device *d, ww_cuda_code *c) {
  uint32_t oldest = d->codes.n;
  c->shared = true;
  for (uint32_t i = 0; i < d->codes.n && d->codes.n >= MOST_CODES; i++)
    if (!d->codes.v[i]->users &&
        (oldest == d->codes.n || d->codes.v[i]->used < d->codes.v[oldest]->used))
      oldest = i;
  if (oldest == d->codes.n) {
    ww_push(d->a, &d->codes, c);
    return;
  }
  drop_code(d, d->codes.v[oldest]);
  d->codes.v[oldest] = c;
}

static void leave_code(ww_device *d, ww_cuda_code *c) {
  if (!c)
    return;
  c->users--;
  if (!c->shared)
    drop_code(d, c);
}

/* Nothing in it that one launch could leave behind for another. */
static bool can_share(const ww_cuda_code *c) {
  ww_cubin_global *all;
  uint32_t n = ww_cubin_globals(c->image, c->n, c->a, &all);
  bool yes = c->n > 4 && !memcmp(c->image, "\177ELF", 4);
  for (uint32_t i = 0; i < n; i++)
    yes = yes && !all[i].writable;
  return yes;
}

static ww_status read_code(loader *k, ww_cuda_code *c, ww_err *e) {
  char log[400] = "";
  int options[] = {WW_CUDA_JIT_ERROR_LOG, WW_CUDA_JIT_ERROR_LOG_BYTES};
  void *values[] = {log, (void *)(sizeof log - 1)};
  ww_status st = ww_read_packed(c->a, k->l->binary, MOST_IMAGE, &c->image, &c->n, e);
  if (st)
    return st;
  ww_cuda_status s =
      k->api->cuModuleLoadDataEx(&c->module, c->image, 2, options, values);
  if (!s)
    return WW_OK;
  c->module = NULL;
  for (char *x = log; *x; x++)
    if (*x == '\n')
      *x = ' ';
  return ww_cuda_fail(
      k->api, s,
      ww_fmt(k->a, "loading %s%s%s", ww_path_base(k->l->binary), *log ? ": " : "", log),
      e);
}

static ww_status load_module(loader *k, ww_err *e) {
  if (!k->l->binary)
    return ww_fail(
        e, WW_EUSAGE,
        "the launch names no compiled code: give a spec with `binary` (.cubin, .ptx, "
        ".fatbin), as planning and compiling makes it");
  if (!k->l->kernel)
    return ww_fail(e, WW_EUSAGE, "the launch names no kernel: add `kernel`");
  ww_cuda_code *c = k->l->nsymbols ? NULL : known_code(k->d, k->l->binary);
  if (!c) {
    ww_arena *a = ww_arena_new();
    c = WW_NEW(a, ww_cuda_code);
    *c = (ww_cuda_code){.a = a, .path = ww_strdup(a, k->l->binary)};
    ww_status st = read_code(k, c, e);
    if (st) {
      ww_arena_free(a);
      return st;
    }
    if (!k->l->nsymbols && can_share(c))
      keep_code(k->d, c);
  }
  c->users++;
  c->used = ++k->d->asks;
  k->r->code = c;
  k->r->module = c->module;
  return WW_OK;
}

/* Launches of one kernel come one behind the other: its code is looked through once. */
static bool without_half(const loader *k) {
  ww_cuda_code *c = k->r->code;
  if (!c->kernel || strcmp(c->kernel, k->l->kernel)) {
    c->kernel = ww_strdup(c->a, k->l->kernel);
    c->no_half = !ww_cubin_half(c->image, c->n, c->kernel);
  }
  return c->no_half;
}

/* The names of the module's kernels; 0 where the driver cannot tell. */
static unsigned list_kernels(loader *k, void ***functions, const char ***names) {
  const ww_cuda_api *c = k->api;
  unsigned n = 0;
  if (!c->cuModuleGetFunctionCount || !c->cuModuleEnumerateFunctions ||
      !c->cuFuncGetName)
    return 0;
  if (c->cuModuleGetFunctionCount(&n, k->r->module) || !n)
    return 0;
  *functions = WW_NEWN(k->a, void *, n);
  *names = WW_NEWN(k->a, const char *, n);
  if (c->cuModuleEnumerateFunctions(*functions, n, k->r->module))
    return 0;
  for (unsigned i = 0; i < n; i++)
    if (c->cuFuncGetName(&(*names)[i], (*functions)[i]) || !(*names)[i])
      (*names)[i] = "";
  return n;
}

static ww_status find_by_plain_name(loader *k, ww_err *e) {
  void **functions = NULL;
  const char **names = NULL;
  const char *list = "";
  const char *module = ww_path_base(k->l->binary);
  unsigned n = list_kernels(k, &functions, &names);
  unsigned hits = 0;
  unsigned hit = 0;
  for (unsigned i = 0; i < n; i++)
    if (ww_name_matches(k->l->kernel, names[i])) {
      hits++;
      hit = i;
    }
  if (hits == 1) {
    k->r->function = functions[hit];
    return WW_OK;
  }
  for (unsigned i = 0, shown = 0; i < n && shown < 8; i++)
    if (!hits || ww_name_matches(k->l->kernel, names[i]))
      list = ww_fmt(k->a, "%s%s%.80s", list, shown++ ? ", " : "", names[i]);
  if (hits)
    return ww_fail(e, WW_EUSAGE,
                   "%s has %u kernels called `%s`: name one by its mangled name: %s",
                   module, hits, k->l->kernel, list);
  return ww_fail(e, WW_EUSAGE, "%s has no kernel `%s`%s%s", module, k->l->kernel,
                 n ? "; it has " : "; give its mangled name", list);
}

static ww_status find_kernel(loader *k, ww_err *e) {
  ww_cuda_status s =
      k->api->cuModuleGetFunction(&k->r->function, k->r->module, k->l->kernel);
  return s == NOT_FOUND ? find_by_plain_name(k, e)
                        : ww_cuda_check(k->d, s, k->r->kernel, e);
}

/* ---- shape ---- */

static ww_status check_dims(const ww_device *d, const ww_launch *l, ww_err *e) {
  static const char axis[] = "xyz";
  for (int i = 0; i < 3; i++) {
    uint64_t g = l->grid[i];
    uint64_t b = l->block[i];
    if ((!g || !b) && i == 0)
      return ww_fail(e, WW_EUSAGE, "the launch has no %s: give it",
                     g ? "block" : "grid");
    if (g > (uint64_t)d->max_grid[i])
      return ww_fail(e, WW_EUSAGE, "grid %c is %lu, the device takes at most %d",
                     axis[i], g, d->max_grid[i]);
    if (b > (uint64_t)d->max_block[i])
      return ww_fail(e, WW_EUSAGE, "block %c is %lu, the device takes at most %d",
                     axis[i], b, d->max_block[i]);
  }
  return WW_OK;
}

static ww_status check_shared(loader *k, ww_err *e) {
  ww_device *d = k->d;
  uint64_t all = k->l->shared + k->r->shared_static;
  if (k->l->shared > (uint64_t)d->shared_most || all > (uint64_t)d->shared_most)
    return ww_fail(
        e, WW_EUSAGE,
        "a block takes %lu bytes of shared memory (%d static, %lu dynamic), the "
        "device has %d for it",
        all, k->r->shared_static, k->l->shared, d->shared_most);
  k->r->shared = k->l->shared;
  if (all <= (uint64_t)d->shared_default || !k->l->shared)
    return WW_OK;
  /* only ever raised: another launch of the same function may need more */
  int most = 0;
  if (!d->api->cuFuncGetAttribute(&most, WW_CUDA_FN_MAX_DYNAMIC_SHARED,
                                  k->r->function) &&
      most >= (int)k->l->shared)
    return WW_OK;
  return ww_cuda_check(d,
                       d->api->cuFuncSetAttribute(
                           k->r->function, WW_CUDA_FN_MAX_DYNAMIC_SHARED, k->l->shared),
                       k->r->kernel, e);
}

static ww_status check_cooperative(loader *k, uint64_t threads, ww_err *e) {
  int per_sm = 0;
  uint64_t blocks = (uint64_t)k->r->grid[0] * k->r->grid[1] * k->r->grid[2];
  if (!k->d->cooperative)
    return ww_fail(e, WW_EUNSUPPORTED, "the device has no cooperative launches");
  k->api->cuOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, k->r->function, threads,
                                                      k->r->shared);
  uint64_t most = per_sm * (uint64_t)k->d->sms;
  if (blocks > most)
    return ww_fail(e, WW_EUSAGE,
                   "a cooperative launch of %lu blocks: at most %lu of them are "
                   "resident at once here",
                   blocks, most);
  return WW_OK;
}

static ww_status check_cluster(loader *k, ww_err *e) {
  const uint64_t *size = k->l->cluster;
  for (int i = 0; i < 3; i++)
    k->r->cluster[i] = size[i];
  if (!size[0])
    return WW_OK;
  if (!k->api->cuLaunchKernelEx)
    return ww_fail(e, WW_EUNSUPPORTED, "the driver has no launches with clusters");
  if (size[0] * size[1] * size[2] <= 8)
    return WW_OK;
  return ww_cuda_check(
      k->d, k->api->cuFuncSetAttribute(k->r->function, WW_CUDA_FN_LARGE_CLUSTERS, 1),
      k->r->kernel, e);
}

static ww_status check_shape(loader *k, ww_err *e) {
  ww_ready *r = k->r;
  int most = k->d->max_threads;
  ww_status st = check_dims(k->d, k->l, e);
  if (st)
    return st;
  uint64_t threads = 1;
  for (int i = 0; i < 3; i++) {
    r->grid[i] = k->l->grid[i] ? k->l->grid[i] : 1;
    r->block[i] = k->l->block[i] ? k->l->block[i] : 1;
    threads *= r->block[i];
  }
  const struct {
    int attribute, *to;
  } asked[] = {{WW_CUDA_FN_MAX_THREADS, &most},
               {WW_CUDA_FN_SHARED, &r->shared_static},
               {WW_CUDA_FN_LOCAL, &r->local},
               {WW_CUDA_FN_REGISTERS, &r->registers}};
  for (size_t i = 0; i < WW_COUNT(asked); i++) {
    ww_cuda_status s =
        k->api->cuFuncGetAttribute(asked[i].to, asked[i].attribute, r->function);
    if (s)
      return ww_cuda_fail(k->api, s, r->kernel, e);
  }
  if (threads > (uint64_t)most)
    return ww_fail(
        e, WW_EUSAGE,
        "a block of %lu threads: this kernel takes at most %d (%d registers a thread)",
        threads, most, r->registers);
  st = check_shared(k, e);
  if (!st)
    st = check_cluster(k, e);
  r->cooperative = k->l->cooperative;
  return st || !r->cooperative ? st : check_cooperative(k, threads, e);
}

/* ---- parameters ---- */

static void ask_sizes(loader *k) {
  const ww_cuda_api *c = k->api;
  size_t offset;
  size_t size;
  k->sizes_known = c->cuFuncGetParamInfo;
  while (k->sizes_known &&
         !c->cuFuncGetParamInfo(k->r->function, k->nparams, &offset, &size))
    k->nparams++;
  if (!k->sizes_known)
    k->nparams = k->l->nargs;
  k->sizes = WW_NEWN(k->a, size_t, k->nparams + 1);
  for (uint32_t i = 0; k->sizes_known && i < k->nparams; i++)
    c->cuFuncGetParamInfo(k->r->function, i, &offset, &k->sizes[i]);
}

/* "4, 8, 8" */
static const char *sizes_text(const loader *k) {
  const char *text = "";
  for (uint32_t i = 0; i < k->nparams && i < 24; i++)
    text = ww_fmt(k->a, "%s%s%zu", text, i ? ", " : "", k->sizes[i]);
  return text;
}

/* A driver that cannot tell sizes takes what it needs from a long enough value; only a
 * float's width must be known. */
static ww_status put_value(const loader *k, uint32_t i, uint8_t *to, ww_err *e) {
  const ww_arg *g = &k->l->args[i];
  const char *what = ww_fmt(k->a, "argument %u", i);
  if (k->sizes_known || g->is_int)
    return ww_contents_scalar(g, what, k->sizes_known ? k->sizes[i] : 8, to, e);
  return ww_fail(e, WW_EUSAGE,
                 "this driver does not tell whether argument %u is a float or a "
                 "double: give it as hex",
                 i);
}

static ww_status put_hex(const loader *k, uint32_t i, uint8_t *to, ww_err *e) {
  const ww_arg *g = &k->l->args[i];
  size_t size = k->sizes_known ? k->sizes[i] : g->hex_n;
  if (g->hex_n != size && !(g->hex_n > size && size <= 8))
    return ww_fail(e, WW_EUSAGE, "argument %u takes %zu bytes, the hex given has %u", i,
                   size, g->hex_n);
  memcpy(to, g->hex, size);
  return WW_OK;
}

/* The driver's own 128 bytes of a tensor map. */
static ww_status put_map(const loader *k, uint32_t i, uint8_t *to, ww_err *e) {
  const ww_arg *g = &k->l->args[i];
  ww_tensor_map m = *g->map;
  const char *why = ww_tensor_map_complete(&m);
  if (k->sizes_known && k->sizes[i] != WW_TENSOR_MAP_BYTES)
    why = "the kernel does not take one there";
  if (why)
    return ww_fail(e, WW_EUSAGE, "argument %u: no such tensor map: %s", i, why);
  if (!k->api->cuTensorMapEncodeTiled)
    return ww_fail(e, WW_EUNSUPPORTED, "the driver has no tensor maps");
  uint64_t base = 0;
  for (uint32_t p = 0; p < k->r->contents.npointers; p++)
    if (k->r->contents.pointers[p].arg == i)
      base = k->r->regions.v[k->r->contents.pointers[p].allocation].at +
             k->r->contents.pointers[p].offset;
  _Alignas(64) uint8_t map[WW_TENSOR_MAP_BYTES];
  ww_cuda_status s = k->api->cuTensorMapEncodeTiled(
      map, ww_tensor_type_named(m.type)->driver, m.rank, (void *)(uintptr_t)base,
      m.dims, m.strides + 1, m.box, m.steps, 0, m.swizzle, L2_PROMOTION_128B,
      m.nan_fill);
  memcpy(to, map, sizeof map);
  return s ? ww_cuda_fail(k->api, s, "the tensor map", e) : WW_OK;
}

static ww_status put_param(const loader *k, uint32_t i, uint8_t *to, ww_err *e) {
  const ww_arg *g = &k->l->args[i];
  switch (g->kind) {
  case WW_ARG_VALUE:
    return put_value(k, i, to, e);
  case WW_ARG_HEX:
    return put_hex(k, i, to, e);
  case WW_ARG_TENSORMAP:
    return put_map(k, i, to, e);
  case WW_ARG_BUFFER:
    if (g->buffer.local)
      return ww_fail(e, WW_EUSAGE,
                     "argument %u is local memory, which CUDA kernels do not take", i);
    if (k->sizes_known && k->sizes[i] != 8)
      return ww_fail(
          e, WW_EUSAGE,
          "argument %u takes %zu bytes, no pointer, but a buffer is given for it", i,
          k->sizes[i]);
    return WW_OK;
  default:
    return ww_fail(e, WW_EUSAGE, "argument %u of `%s` is not given%s", i, k->l->kernel,
                   k->sizes_known ? ww_fmt(k->a, "; it takes %zu bytes", k->sizes[i])
                                  : "");
  }
}

/* Addresses of the launch's allocations, where its parameters hold them. */
static void put_addresses(const loader *k, uint32_t arg, uint64_t size, uint8_t *to) {
  for (uint32_t i = 0; i < k->r->contents.npointers; i++) {
    const ww_pointer *p = &k->r->contents.pointers[i];
    bool map = arg < k->l->nargs && k->l->args[arg].kind == WW_ARG_TENSORMAP;
    if (p->arg != arg || p->at + 8ull > size || map)
      continue;
    uint64_t v = k->r->regions.v[p->allocation].at + p->offset;
    memcpy(to + p->at, &v, 8);
  }
}

static ww_status check_count(loader *k, ww_err *e) {
  ask_sizes(k);
  return k->l->nargs == k->nparams
             ? WW_OK
             : ww_fail(e, WW_EUSAGE,
                       "`%s` takes %u arguments (bytes: %s), the launch gives %u",
                       k->l->kernel, k->nparams, sizes_text(k), k->l->nargs);
}

static ww_status make_params(loader *k, ww_err *e) {
  k->r->params = WW_NEWN(k->a, void *, k->nparams + 1);
  for (uint32_t i = 0; i < k->nparams; i++) {
    size_t room = k->sizes_known                           ? k->sizes[i]
                  : k->l->args[i].kind == WW_ARG_TENSORMAP ? WW_TENSOR_MAP_BYTES
                                                           : k->l->args[i].hex_n;
    uint8_t *to = ww_alloc(k->a, room + 16 + (k->sizes_known ? 0 : PARAM_SLACK));
    ww_status st = put_param(k, i, to, e);
    if (st)
      return st;
    put_addresses(k, i, room > 8 ? room : 8, to);
    k->r->params[i] = to;
  }
  return WW_OK;
}

/* ---- buffers and variables ---- */

/* Its pristine copy is made, and a variable that only the code sets keeps its contents.
 */
static ww_status add_region(loader *k, ww_cuda_region r, ww_err *e) {
  ww_push(k->a, &k->r->regions, r);
  ww_cuda_region *in = &k->r->regions.v[k->r->regions.n - 1];
  ww_status st = ww_cuda_pristine(k->d, in, e);
  return st || in->inherited
             ? st
             : ww_cuda_copy(k->d, in->at, in->pristine.at, in->bytes, e);
}

static ww_status add_buffers(loader *k, ww_err *e) {
  ww_status st = WW_OK;
  for (uint32_t i = 0; i < k->r->contents.n && !st; i++) {
    const ww_allocation *b = &k->r->contents.v[i];
    ww_cuda_region r = {.label = b->label,
                        .bytes = b->bytes,
                        .fill = b->fill,
                        .type = b->type,
                        .filled = b->filled,
                        .seed = b->seed};
    st = ww_cuda_take(k->d, b->bytes, &r.own, e);
    r.at = r.own.at;
    if (!st)
      st = add_region(k, r, e);
  }
  return st;
}

/* By its name, else of a cubin by the last part of a mangled one (ns::coef). */
static ww_status find_variable(loader *k,
                               const char *name,
                               const ww_cubin_global *all,
                               uint32_t n,
                               ww_cuda_region *r,
                               ww_err *e) {
  size_t bytes = 0;
  ww_cuda_status s = k->api->cuModuleGetGlobal(&r->at, &bytes, k->r->module, name);
  const char *list = "";
  for (uint32_t i = 0; s == NOT_FOUND && i < n; i++)
    if (ww_name_matches(name, all[i].name))
      s = k->api->cuModuleGetGlobal(&r->at, &bytes, k->r->module, all[i].name);
  for (uint32_t i = 0; s == NOT_FOUND && i < n && i < 8; i++)
    list = ww_fmt(k->a, "%s%s%.80s", list, i ? ", " : "; it has ", all[i].name);
  if (s == NOT_FOUND)
    return ww_fail(
        e, WW_EUSAGE,
        "the launch sets a symbol `%s`, but the compiled code has none of that name%s",
        name, list);
  if (s)
    return ww_cuda_fail(k->api, s, k->r->kernel, e);
  r->bytes = bytes;
  return WW_OK;
}

/* What the spec gives goes over what the variable holds: bytes that hex does not reach
 * stay as initialised. */
static ww_status variable_bytes(loader *k, uint32_t i, ww_cuda_region *r, ww_err *e) {
  const ww_arg *g = &k->l->symbols[i].arg;
  uint8_t *raw = ww_alloc(k->a, r->bytes + 8);
  ww_cuda_status s = k->api->cuMemcpyDtoH(raw, r->at, r->bytes);
  if (s)
    return ww_cuda_fail(k->api, s, k->r->kernel, e);
  r->raw = raw;
  if (g->kind == WW_ARG_VALUE)
    return ww_contents_scalar(g, r->label, r->bytes, raw, e);
  if (g->hex_n > r->bytes)
    return ww_fail(e, WW_EUSAGE, "%s has %lu bytes, the hex given has %u", r->label,
                   r->bytes, g->hex_n);
  memcpy(raw, g->hex, g->hex_n);
  put_addresses(k, WW_SYMBOL_ARG + i, r->bytes, raw);
  return WW_OK;
}

static bool has_variable(const ww_ready *r, uint64_t at) {
  for (uint32_t i = 0; i < r->regions.n; i++)
    if (r->regions.v[i].at == at)
      return true;
  return false;
}

static ww_status add_variables(loader *k, ww_err *e) {
  ww_cubin_global *all;
  uint32_t n = ww_cubin_globals(k->r->code->image, k->r->code->n, k->a, &all);
  for (uint32_t i = 0; i < k->l->nsymbols; i++) {
    const ww_symbol_arg *y = &k->l->symbols[i];
    ww_cuda_region r = {
        .label = ww_fmt(k->a, "symbol `%s`", y->name),
        .type = "i32",
    };
    if (y->arg.kind == WW_ARG_NONE)
      continue;
    ww_status st = find_variable(k, y->name, all, n, &r, e);
    if (st)
      return st;
    if (y->arg.kind == WW_ARG_BUFFER) {
      r.fill = y->arg.buffer.fill;
      if (y->arg.buffer.type)
        r.type = y->arg.buffer.type;
      r.filled = r.bytes;
      r.seed = ww_fill_seed(k->l->seed, WW_SYMBOL_ARG + i);
    } else if ((st = variable_bytes(k, i, &r, e))) {
      return st;
    }
    if ((st = add_region(k, r, e)))
      return st;
  }
  for (uint32_t i = 0; i < n; i++) { /* those that only a run sets */
    size_t bytes;
    ww_cuda_region r = {
        .label = all[i].name,
        .inherited = true,
    };
    if (!all[i].writable ||
        k->api->cuModuleGetGlobal(&r.at, &bytes, k->r->module, all[i].name))
      continue;
    if (has_variable(k->r, r.at))
      continue;
    r.bytes = bytes;
    ww_status st = add_region(k, r, e);
    if (st)
      return st;
  }
  return WW_OK;
}

/* ---- the backend's functions ---- */

ww_status ww_cuda_load(ww_device *d, const ww_launch *l, ww_ready **out, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_ready *r = WW_NEW(a, ww_ready);
  loader k = {
      .d = d,
      .api = d->api,
      .l = l,
      .r = r,
      .a = a,
  };
  r->a = a;
  const char *name = l->kernel ? l->kernel : "?";
  r->kernel = ww_fmt(a, "kernel `%s`", name);
  snprintf(d->last, sizeof d->last, "loading `%.120s`", name);
  ww_status st;
  *out = r;
  if ((st = load_module(&k, e)) || (st = find_kernel(&k, e)) ||
      (st = check_shape(&k, e)) || (st = check_count(&k, e)) ||
      (st = ww_contents_plan(l, a, &r->contents, e)) || (st = add_buffers(&k, e)) ||
      (st = make_params(&k, e)) || (st = add_variables(&k, e))) {
    ww_cuda_unload(d, r);
    *out = NULL;
    return st;
  }
  r->no_half = without_half(&k);
  return WW_OK;
}

void ww_cuda_unload(ww_device *d, ww_ready *r) {
  if (!r)
    return;
  for (uint32_t i = 0; i < r->regions.n; i++) {
    ww_cuda_give(d, &r->regions.v[i].own);
    ww_cuda_give(d, &r->regions.v[i].pristine);
  }
  leave_code(d, r->code);
  ww_arena_free(r->a);
}

ww_status ww_cuda_restore(ww_device *d, ww_ready *r, ww_err *e) {
  for (uint32_t i = 0; i < r->regions.n; i++) {
    ww_cuda_region *g = &r->regions.v[i];
    if (g->checked && !g->changed)
      continue;
    ww_status st = ww_cuda_copy(d, g->at, g->pristine.at, g->bytes, e);
    if (st)
      return st;
  }
  return WW_OK;
}

/* ---- what a run changed ---- */

/* Variables may lie at any address: compared is a copy in memory of ours. */
static ww_status
compare(ww_device *d, const ww_cuda_region *g, uint64_t result, ww_err *e) {
  ww_cuda_block copy = {0};
  uint64_t now = g->at;
  uint64_t was = g->pristine.at;
  uint64_t bytes = g->bytes;
  ww_status st = WW_OK;
  if (!g->own.bytes) {
    st = ww_cuda_take(d, bytes, &copy, e);
    if (!st)
      st = ww_cuda_copy(d, copy.at, now, bytes, e);
    now = copy.at;
  }
  if (!st)
    st = ww_cuda_help(d, d->compare, (bytes + 15) / 16,
                      (void *[]){&now, &was, &bytes, &result}, e);
  ww_cuda_give(d, &copy);
  return st;
}

/* One region's verdict. A large buffer that no run changed gives its pristine copy
 * back; its hash still tells if a later run does, and the copy is made anew then. */
static ww_status
judge(ww_device *d, ww_cuda_region *g, const uint64_t result[2], ww_err *e) {
  bool changed = g->pristine.bytes ? result[1] : result[0] != g->hash;
  g->checked = true;
  if (changed) {
    g->changed = true;
    return g->pristine.bytes ? WW_OK : ww_cuda_pristine(d, g, e);
  }
  g->hash = result[0];
  if (!g->changed && g->bytes > KEEP && !g->inherited)
    ww_cuda_give(d, &g->pristine);
  return WW_OK;
}

static uint64_t mix(uint64_t hash, uint32_t i) {
  return core_mix(hash + (i + 1) * 0x9e3779b97f4a7c15ull);
}

static ww_status make_room(ww_device *d, uint64_t bytes, ww_err *e) {
  if (d->results.bytes >= bytes)
    return WW_OK;
  ww_cuda_give(d, &d->results);
  return ww_cuda_take(d, bytes, &d->results, e);
}

ww_status ww_cuda_digest(ww_device *d, ww_ready *r, uint64_t *out, ww_err *e) {
  uint64_t bytes = 16ull * r->regions.n;
  uint64_t *results;
  *out = 0;
  if (!bytes)
    return WW_OK;
  ww_status st = make_room(d, bytes, e);
  if (st)
    return st;
  st = ww_cuda_check(d, d->api->cuMemsetD8Async(d->results.at, 0, bytes, NULL), d->last,
                     e);
  for (uint32_t i = 0; i < r->regions.n && !st; i++)
    st = compare(d, &r->regions.v[i], d->results.at + 16ull * i, e);
  if (st)
    return st;
  results = ww_xmalloc(bytes);
  st =
      ww_cuda_check(d, d->api->cuMemcpyDtoH(results, d->results.at, bytes), d->last, e);
  for (uint32_t i = 0; i < r->regions.n && !st; i++) {
    st = judge(d, &r->regions.v[i], results + 2 * i, e);
    if (r->regions.v[i].changed)
      *out += mix(results[2 * i], i);
  }
  free(results);
  return st;
}

/* ---- for a person to look at ---- */

ww_status ww_cuda_dump(ww_device *d, ww_ready *r, const char *dir, ww_err *e) {
  ww_status st = WW_OK;
  for (uint32_t i = 0; i < r->contents.npointers && !st; i++) {
    const ww_pointer *p = &r->contents.pointers[i];
    const ww_cuda_region *g = &r->regions.v[p->allocation];
    if (!p->plain)
      continue;
    ww_arena *a = ww_arena_new();
    void *bytes = ww_alloc(a, g->bytes);
    st = ww_cuda_check(d, d->api->cuMemcpyDtoH(bytes, g->at, g->bytes), d->last, e);
    if (!st)
      st = ww_write_file_atomic(ww_path_join(a, dir, ww_fmt(a, "arg%u.bin", p->arg)),
                                bytes, g->bytes, e);
    ww_arena_free(a);
  }
  return st;
}
