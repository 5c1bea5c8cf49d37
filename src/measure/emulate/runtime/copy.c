/* copy.c - memory of an emulated program: allocations, copies, fills. Device memory is
 * ordinary memory, so that a copy is a memmove; what the real runtime would refuse (a
 * pointer that is no device pointer, a size beyond the allocation) is refused here,
 * because programs test for it and because running over an end would not be seen
 * otherwise. */
#include "emu.h"

/* ---- allocations ---- */

int __wwMalloc(void **p, size_t n, int kind) {
  static const ww_emu_kind kinds[] = {EMU_DEVICE, EMU_MANAGED, EMU_PINNED, EMU_DEVICE};
  if (!p)
    return ww_emu_error(EMU_INVALID_VALUE);
  *p = NULL;
  if (!n)
    return kind == 0 || kind == 2 ? EMU_OK : ww_emu_error(EMU_INVALID_VALUE);
  *p = ww_emu_alloc(n, kinds[kind]);
  return *p ? EMU_OK : ww_emu_error(EMU_OUT_OF_MEMORY);
}

int cudaFree(void *p) {
  ww_emu_written(p);
  return !p || ww_emu_free(p, false) ? EMU_OK : ww_emu_error(EMU_INVALID_VALUE);
}
int cudaFreeHost(void *p) {
  ww_emu_written(p);
  return !p || ww_emu_free(p, true) ? EMU_OK : ww_emu_error(EMU_INVALID_VALUE);
}
int cudaHostRegister(void *p, size_t n) {
  if (!p || !n)
    return ww_emu_error(EMU_INVALID_VALUE);
  ww_emu_adopt(p, n, EMU_REGISTERED);
  return EMU_OK;
}
int cudaHostUnregister(void *p) {
  return ww_emu_free(p, true) ? EMU_OK : ww_emu_error(EMU_INVALID_VALUE);
}
WW_EMU_ANSWER(cudaHostGetFlags, unsigned, 2)
WW_EMU_SAME(cudaFree) cudaFreeAsync, cuMemFree, cuMemFreeAsync, cuMemAddressFree;
WW_EMU_SAME(cudaFreeHost) cuMemFreeHost;
WW_EMU_SAME(cudaHostRegister) cuMemHostRegister;
WW_EMU_SAME(cudaHostUnregister) cuMemHostUnregister;
int __wwHostPointer(void **device, void *host) {
  ww_emu_block b;
  if (!ww_emu_find((uintptr_t)host, &b))
    return ww_emu_error(EMU_INVALID_VALUE);
  *device = host;
  return EMU_OK;
}
int __wwPointer(const void *p, int *type, void **base) {
  static const int types[] = {[EMU_DEVICE] = 2,     [EMU_MANAGED] = 3, [EMU_PINNED] = 1,
                              [EMU_REGISTERED] = 1, [EMU_SYMBOL] = 2,  [EMU_ARRAY] = 2};
  ww_emu_block b;
  bool found = ww_emu_find((uintptr_t)p, &b);
  *type = found ? types[b.kind] : 0;
  *base = found ? (void *)b.base : NULL;
  return EMU_OK;
}
int cudaMemGetInfo(size_t *free_bytes, size_t *total) {
  uint64_t all = ww_emu_get()->memory;
  uint64_t reserved = 512u << 20; /* what a context takes */
  *total = all;
  *free_bytes = all - ww_emu_used() > reserved ? all - ww_emu_used() - reserved : 0;
  return EMU_OK;
}
WW_EMU_SAME(cudaMemGetInfo) cuMemGetInfo;
WW_EMU_ANSWER(cudaDeviceGetDefaultMemPool, void *, (void *)1)
WW_EMU_SAME(cudaDeviceGetDefaultMemPool) cudaDeviceGetMemPool, cudaMemPoolCreate;
int cudaMemPoolGetAttribute(void *pool, int attribute, void *out) {
  if (attribute <= 3)
    *(int *)out = 1;
  else
    *(uint64_t *)out = attribute >= 5 ? ww_emu_used() : 0;
  return EMU_OK;
}
int cudaMemRangeGetAttribute(void *out, size_t n) {
  memset(out, 0, n);
  return EMU_OK;
}

/* Within one process the handle is the address. */
int cudaIpcGetMemHandle(void *handle, void *p) {
  memcpy(handle, &p, sizeof p);
  return EMU_OK;
}

/* ---- copies ---- */

/* Bytes that may be used from p on; host memory has no bound that is known here. */
static uint64_t room(const void *p) {
  ww_emu_block b;
  return ww_emu_find((uintptr_t)p, &b) ? b.bytes - ((uintptr_t)p - b.base) : UINT64_MAX;
}

static bool is_device(const void *p) {
  return room(p) != UINT64_MAX;
}

/* kind: host-host, host-device, device-host, device-device, by address. */
static int check_sides(const void *dst, const void *src, int kind) {
  if (kind < 0 || kind > 4)
    return EMU_INVALID_DIRECTION;
  if ((kind == 1 || kind == 3) && !is_device(dst))
    return EMU_INVALID_VALUE;
  if ((kind == 2 || kind == 3) && !is_device(src))
    return EMU_INVALID_VALUE;
  return EMU_OK;
}

/* Rows of a copy or a fill, done now or kept by a captured stream. */
typedef struct {
  void *dst;
  const void *src; /* NULL: a fill */
  size_t dpitch, spitch, width, rows, elem;
  unsigned value;
} operation;

static int copy_rows(const operation *o) {
  size_t last = o->rows - 1;
  if (!o->dst)
    return EMU_INVALID_VALUE;
  if (last && (o->width > o->dpitch || o->width > o->spitch))
    return EMU_INVALID_PITCH;
  if (last * o->dpitch + o->width > room(o->dst) ||
      last * o->spitch + o->width > room(o->src))
    return EMU_INVALID_VALUE;
  for (size_t r = 0; r < o->rows; r++)
    memmove((char *)o->dst + r * o->dpitch, (const char *)o->src + r * o->spitch,
            o->width);
  return EMU_OK;
}

static int fill_rows(const operation *o) {
  if (!is_device(o->dst) || (o->rows - 1) * o->dpitch + o->width > room(o->dst))
    return EMU_INVALID_VALUE;
  for (size_t r = 0; r < o->rows; r++) {
    char *row = (char *)o->dst + r * o->dpitch;
    if (o->elem == 1)
      memset(row, o->value, o->width);
    for (size_t i = 0; o->elem > 1 && i + o->elem <= o->width; i += o->elem)
      memcpy(row + i, &o->value, o->elem < 4 ? o->elem : 4);
  }
  return EMU_OK;
}

/* What is written over as a whole is known again; a copy is as well known as what it is
 * of. */
static void settle(const operation *o) {
  ww_emu_block from = {0};
  ww_emu_block to;
  if (!ww_emu_find((uintptr_t)o->dst, &to))
    return;
  bool doubtful = o->src && ww_emu_find((uintptr_t)o->src, &from) && from.unknown;
  if (doubtful || o->width * o->rows >= to.bytes)
    ww_emu_set_unknown(to.base, doubtful);
}

static int perform_now(const operation *o) {
  if (!o->width || !o->rows)
    return EMU_OK;
  if (o->src)
    ww_emu_read(o->src, is_device(o->dst) ? 0 : o->width * o->rows);
  ww_emu_written(o->dst);
  settle(o);
  return ww_emu_error(o->src ? copy_rows(o) : fill_rows(o));
}

static void perform(void *data) {
  perform_now(data);
}

static int later_or_now(const operation *o, bool async) {
  return async && ww_emu_capture_call(perform, o, sizeof *o) ? EMU_OK : perform_now(o);
}

static int copy(const operation *o, int kind, bool async) {
  if (!o->width || !o->rows)
    return EMU_OK;
  int rc = !o->dst || !o->src ? EMU_INVALID_VALUE : check_sides(o->dst, o->src, kind);
  return rc ? ww_emu_error(rc) : later_or_now(o, async);
}

static int copy_bytes(void *dst, const void *src, size_t n, int kind, bool async) {
  return copy(&(operation){dst, src, n, n, n, 1, 0, 0}, kind, async);
}

int __wwCopyRows(void *dst,
                 size_t dpitch,
                 const void *src,
                 size_t spitch,
                 size_t width,
                 size_t rows) {
  operation o = {dst, src, dpitch, spitch, width, rows, 0, 0};
  return !src && width && rows ? ww_emu_error(EMU_INVALID_VALUE) : perform_now(&o);
}

/* A function and the one of a stream. */
#define WITH_ASYNC(name, parameters, expression) \
  int name parameters {                          \
    const bool async = false;                    \
    return expression;                           \
  }                                              \
  int name##Async parameters {                   \
    const bool async = true;                     \
    return expression;                           \
  }
WITH_ASYNC(cudaMemcpy,
           (void *dst, const void *src, size_t n, int kind),
           copy_bytes(dst, src, n, kind, async))
WITH_ASYNC(cudaMemcpyPeer,
           (void *dst, int to, const void *src, int from, size_t n),
           copy_bytes(dst, src, n, 3, async))
WITH_ASYNC(
    cudaMemcpy2D,
    (void *dst, size_t dp, const void *src, size_t sp, size_t w, size_t h, int kind),
    copy(&(operation){dst, src, dp, sp, w, h, 0, 0}, kind, async))

static int
fill(void *dst, size_t pitch, int value, size_t width, size_t rows, bool async) {
  return later_or_now(&(operation){dst, NULL, pitch, 0, width, rows, 1, value & 255},
                      async);
}

WITH_ASYNC(cudaMemset, (void *p, int v, size_t n), fill(p, n, v, n, 1, async))
WITH_ASYNC(cudaMemset2D,
           (void *p, size_t pitch, int v, size_t w, size_t h),
           fill(p, pitch, v, w, h, async))

/* ---- the graph nodes that copy: stream.c keeps them ---- */

int __wwGraphCopy(void **node,
                  void *graph,
                  void *dst,
                  size_t dpitch,
                  const void *src,
                  size_t spitch,
                  size_t w,
                  size_t h,
                  int set,
                  int value,
                  size_t elem) {
  operation o = {
      dst,  set ? NULL : src, dpitch ? dpitch : w, spitch ? spitch : w, w, h, elem,
      value};
  return ww_emu_graph_operation(node, graph, perform, &o, sizeof o);
}
