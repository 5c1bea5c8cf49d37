/* copy.c - memory of an emulated program: allocations, copies, fills. Device memory is ordinary
 * memory, so that a copy is a memmove; what the real runtime would refuse (a pointer that is no
 * device pointer, a size beyond the allocation) is refused here, because programs test for it and
 * because running over an end would not be seen otherwise. */
#include "emu.h"

#include <stdlib.h>

/* ---- allocations ---- */

WW_EMU_EXPORT int __wwMalloc(void **p, size_t n, int kind) {
  static const ww_emu_kind kinds[] = {EMU_DEVICE, EMU_MANAGED, EMU_PINNED, EMU_DEVICE};
  if (!p)
    return ww_emu_error(EMU_INVALID_VALUE);
  *p = NULL;
  if (!n)
    return kind == 0 || kind == 2 ? EMU_OK : ww_emu_error(EMU_INVALID_VALUE);
  *p = ww_emu_alloc(n, kinds[kind]);
  return *p ? EMU_OK : ww_emu_error(EMU_OUT_OF_MEMORY);
}

WW_EMU_EXPORT int cudaFree(void *p) {
  return !p || ww_emu_free(p, false) ? EMU_OK : ww_emu_error(EMU_INVALID_VALUE);
}
WW_EMU_EXPORT int cudaFreeAsync(void *p, void *stream) {
  return (void)stream, cudaFree(p);
}
WW_EMU_EXPORT int cudaFreeHost(void *p) {
  return !p || ww_emu_free(p, true) ? EMU_OK : ww_emu_error(EMU_INVALID_VALUE);
}
WW_EMU_EXPORT int cudaHostRegister(void *p, size_t n, unsigned flags) {
  (void)flags;
  if (!p || !n)
    return ww_emu_error(EMU_INVALID_VALUE);
  ww_emu_adopt(p, n, EMU_REGISTERED);
  return EMU_OK;
}
WW_EMU_EXPORT int cudaHostUnregister(void *p) {
  return ww_emu_free(p, true) ? EMU_OK : ww_emu_error(EMU_INVALID_VALUE);
}
WW_EMU_EXPORT int cudaHostGetFlags(unsigned *f, void *p) {
  return (void)p, *f = 2, EMU_OK;
}
WW_EMU_EXPORT int __wwHostPointer(void **device, void *host) {
  ww_emu_block b;
  if (!ww_emu_find((uint64_t)(uintptr_t)host, &b))
    return ww_emu_error(EMU_INVALID_VALUE);
  *device = host;
  return EMU_OK;
}
WW_EMU_EXPORT int __wwPointer(const void *p, int *type, void **base) {
  static const int types[] = {[EMU_DEVICE] = 2,     [EMU_MANAGED] = 3, [EMU_PINNED] = 1,
                              [EMU_REGISTERED] = 1, [EMU_SYMBOL] = 2,  [EMU_ARRAY] = 2};
  ww_emu_block b;
  bool found = ww_emu_find((uint64_t)(uintptr_t)p, &b);
  *type = found ? types[b.kind] : 0;
  *base = found ? (void *)(uintptr_t)b.base : NULL;
  return EMU_OK;
}
WW_EMU_EXPORT int cudaMemGetInfo(size_t *free_bytes, size_t *total) {
  uint64_t all = ww_emu_get()->memory, reserved = 512u << 20; /* what a context takes */
  *total = all;
  *free_bytes = all - ww_emu_used() > reserved ? all - ww_emu_used() - reserved : 0;
  return EMU_OK;
}
WW_EMU_EXPORT int cudaDeviceGetDefaultMemPool(void **pool, int device) {
  return (void)device, *pool = (void *)1, 0;
}
WW_EMU_EXPORT int cudaDeviceGetMemPool(void **pool, int device) {
  return (void)device, *pool = (void *)1, 0;
}
WW_EMU_EXPORT int cudaMemPoolCreate(void **pool, const void *props) {
  return (void)props, *pool = (void *)1, 0;
}
WW_EMU_EXPORT int cudaMemPoolGetAttribute(void *pool, int attribute, void *out) {
  (void)pool;
  if (attribute <= 3)
    *(int *)out = 1;
  else
    *(uint64_t *)out = attribute >= 5 ? ww_emu_used() : 0;
  return EMU_OK;
}
WW_EMU_EXPORT int cudaMemRangeGetAttribute(void *out, size_t n, int attribute, const void *p,
                                           size_t bytes) {
  (void)attribute;
  (void)p;
  (void)bytes;
  memset(out, 0, n);
  return EMU_OK;
}

/* Within one process the handle is the address. */
WW_EMU_EXPORT int cudaIpcGetMemHandle(void *handle, void *p) {
  return memcpy(handle, &p, sizeof p), EMU_OK;
}

/* ---- copies ---- */

/* Bytes that may be used from p on; host memory has no bound that is known here. */
static uint64_t room(const void *p) {
  ww_emu_block b;
  return ww_emu_find((uint64_t)(uintptr_t)p, &b) ? b.bytes - ((uint64_t)(uintptr_t)p - b.base)
                                                 : UINT64_MAX;
}

static bool is_device(const void *p) {
  ww_emu_block b;
  return ww_emu_find((uint64_t)(uintptr_t)p, &b);
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

static int copy_rows(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                     size_t rows) {
  if (!width || !rows)
    return EMU_OK;
  if (!dst || !src)
    return ww_emu_error(EMU_INVALID_VALUE);
  if (rows > 1 && (width > dpitch || width > spitch))
    return ww_emu_error(EMU_INVALID_PITCH);
  if ((rows - 1) * dpitch + width > room(dst) || (rows - 1) * spitch + width > room(src))
    return ww_emu_error(EMU_INVALID_VALUE);
  for (size_t r = 0; r < rows; r++)
    memmove((char *)dst + r * dpitch, (const char *)src + r * spitch, width);
  return EMU_OK;
}

static int fill_rows(void *dst, size_t pitch, unsigned value, size_t elem, size_t width,
                     size_t rows) {
  if (!width || !rows)
    return EMU_OK;
  if (!dst || !is_device(dst) || (rows - 1) * pitch + width > room(dst))
    return ww_emu_error(EMU_INVALID_VALUE);
  for (size_t r = 0; r < rows; r++) {
    char *row = (char *)dst + r * pitch;
    if (elem == 1)
      memset(row, (int)value, width);
    for (size_t i = 0; elem > 1 && i + elem <= width; i += elem)
      memcpy(row + i, &value, elem < 4 ? elem : 4);
  }
  return EMU_OK;
}

/* An operation that a captured stream keeps. */
typedef struct {
  void *dst;
  const void *src; /* NULL: a fill */
  size_t dpitch, spitch, width, rows, elem;
  unsigned value;
} operation;

static void perform(void *data) {
  const operation *o = data;
  if (o->src)
    copy_rows(o->dst, o->dpitch, o->src, o->spitch, o->width, o->rows);
  else
    fill_rows(o->dst, o->dpitch, o->value, o->elem, o->width, o->rows);
}

static int later_or_now(const operation *o) {
  if (ww_emu_capture_call(perform, o, sizeof *o))
    return EMU_OK;
  return o->src ? copy_rows(o->dst, o->dpitch, o->src, o->spitch, o->width, o->rows)
                : fill_rows(o->dst, o->dpitch, o->value, o->elem, o->width, o->rows);
}

static int copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t rows,
                int kind, bool async) {
  if (!width || !rows)
    return EMU_OK;
  int rc = !dst || !src ? EMU_INVALID_VALUE : check_sides(dst, src, kind);
  if (rc)
    return ww_emu_error(rc);
  operation o = {
      .dst = dst, .src = src, .dpitch = dpitch, .spitch = spitch, .width = width, .rows = rows};
  return async ? later_or_now(&o) : copy_rows(dst, dpitch, src, spitch, width, rows);
}

WW_EMU_EXPORT int __wwCopyRows(void *dst, size_t dpitch, const void *src, size_t spitch,
                               size_t width, size_t rows) {
  return copy_rows(dst, dpitch, src, spitch, width, rows);
}
WW_EMU_EXPORT int cudaMemcpy(void *dst, const void *src, size_t n, int kind) {
  return copy(dst, n, src, n, n, 1, kind, false);
}
WW_EMU_EXPORT int cudaMemcpyAsync(void *dst, const void *src, size_t n, int kind, void *stream) {
  return (void)stream, copy(dst, n, src, n, n, 1, kind, true);
}
WW_EMU_EXPORT int cudaMemcpy2D(void *dst, size_t dp, const void *src, size_t sp, size_t w, size_t h,
                               int kind) {
  return copy(dst, dp, src, sp, w, h, kind, false);
}
WW_EMU_EXPORT int cudaMemcpy2DAsync(void *dst, size_t dp, const void *src, size_t sp, size_t w,
                                    size_t h, int kind, void *stream) {
  return (void)stream, copy(dst, dp, src, sp, w, h, kind, true);
}
WW_EMU_EXPORT int cudaMemcpyPeer(void *dst, int d, const void *src, int s, size_t n) {
  return (void)d, (void)s, copy(dst, n, src, n, n, 1, 3, false);
}
WW_EMU_EXPORT int cudaMemcpyPeerAsync(void *dst, int d, const void *src, int s, size_t n,
                                      void *stream) {
  return (void)d, (void)s, (void)stream, copy(dst, n, src, n, n, 1, 3, true);
}

static int fill(void *dst, size_t pitch, int value, size_t width, size_t rows, bool async) {
  operation o = {.dst = dst,
                 .dpitch = pitch,
                 .value = (unsigned)value & 255,
                 .elem = 1,
                 .width = width,
                 .rows = rows};
  return async ? later_or_now(&o) : fill_rows(dst, pitch, o.value, 1, width, rows);
}

WW_EMU_EXPORT int cudaMemset(void *p, int v, size_t n) {
  return fill(p, n, v, n, 1, false);
}
WW_EMU_EXPORT int cudaMemsetAsync(void *p, int v, size_t n, void *stream) {
  return (void)stream, fill(p, n, v, n, 1, true);
}
WW_EMU_EXPORT int cudaMemset2D(void *p, size_t pitch, int v, size_t w, size_t h) {
  return fill(p, pitch, v, w, h, false);
}
WW_EMU_EXPORT int cudaMemset2DAsync(void *p, size_t pitch, int v, size_t w, size_t h,
                                    void *stream) {
  return (void)stream, fill(p, pitch, v, w, h, true);
}

/* ---- the graph nodes that copy: stream.c keeps them ---- */

WW_EMU_EXPORT int __wwGraphCopy(void **node, void *graph, void *dst, size_t dpitch, const void *src,
                                size_t spitch, size_t w, size_t h, int set, int value,
                                size_t elem) {
  operation o = {.dst = dst,
                 .src = set ? NULL : src,
                 .dpitch = dpitch ? dpitch : w,
                 .spitch = spitch ? spitch : w,
                 .width = w,
                 .rows = h,
                 .value = (unsigned)value,
                 .elem = elem};
  return ww_emu_graph_operation(node, graph, perform, &o, sizeof o);
}
