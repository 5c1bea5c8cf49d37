/* memory.c - memory of the device and the way there and back.
 *
 * Uploads go through a ring of pinned buffers: the host's bytes are copied before
 * upload returns, the device's copy follows in the stream. Only download and finish
 * wait. */
#include "runtime.h"

/* Makes the device's context the thread's; false after a failure. */
static bool usable(ww_accel *g) {
  return !g->failed.code &&
         !ww_accel_check(g, g->api->cuCtxSetCurrent(g->context), "the CUDA context");
}
static uint64_t address(const void *p) {
  return (uintptr_t)p;
}

static void *alloc(ww_ops *o, size_t bytes) {
  ww_accel *g = ww_accel_of(o);
  uint64_t at = 0;
  if (!usable(g))
    return NULL;
  if (!bytes)
    bytes = 1;
  ww_cuda_status s = g->api->cuMemAlloc(&at, bytes);
  if (s == 2)
    return NULL; /* not so much: the caller's to say */
  if (ww_accel_check(g, s, "memory of the device"))
    return NULL;
  ww_accel_check(g, g->api->cuMemsetD8Async(at, 0, bytes, g->stream),
                 "clearing memory");
  ww_push(g->a, &g->taken, (ww_accel_piece){at, bytes});
  g->taken_bytes += bytes;
  return (void *)(uintptr_t)at;
}

static void release(ww_ops *o, void *p) {
  ww_accel *g = ww_accel_of(o);
  for (uint32_t i = 0; p && i < g->taken.n; i++) {
    if (g->taken.v[i].at != address(p))
      continue;
    g->taken_bytes -= g->taken.v[i].bytes;
    g->taken.v[i] = g->taken.v[--g->taken.n];
    g->api->cuStreamSynchronize(g->stream); /* what still uses it */
    g->api->cuMemFree(address(p));
    return;
  }
}

static void upload(ww_ops *o, void *to, const void *from, size_t bytes) {
  ww_accel *g = ww_accel_of(o);
  const char *rest = from;
  uint64_t at = address(to);
  if (!usable(g))
    return;
  while (bytes) {
    size_t n = ww_least(bytes, WW_ACCEL_UPLOAD_BYTES);
    uint32_t i = g->up_next++ % WW_ACCEL_UPLOADS;
    if (g->up[i].busy &&
        ww_accel_check(g, g->api->cuEventSynchronize(g->up[i].done), "an upload"))
      return;
    memcpy(g->up[i].host, rest, n);
    if (ww_accel_check(g, g->api->cuMemcpyHtoDAsync(at, g->up[i].host, n, g->stream),
                       "an upload"))
      return;
    if (ww_accel_check(g, g->api->cuEventRecord(g->up[i].done, g->stream), "an upload"))
      return;
    g->up[i].busy = true;
    rest += n;
    at += n;
    bytes -= n;
  }
}

static void download(ww_ops *o, void *to, const void *from, size_t bytes) {
  ww_accel *g = ww_accel_of(o);
  /* a small result is not garbage after a failure */
  memset(to, 0, bytes < 4096 ? bytes : 0);
  if (!usable(g))
    return;
  if (ww_accel_check(g, g->api->cuStreamSynchronize(g->stream), "work on the device"))
    return;
  ww_accel_check(g, g->api->cuMemcpyDtoH(to, address(from), bytes), "a download");
}

static void zero(ww_ops *o, void *p, size_t bytes) {
  ww_accel *g = ww_accel_of(o);
  if (!g->failed.code && bytes)
    ww_accel_check(g, g->api->cuMemsetD8Async(address(p), 0, bytes, g->stream),
                   "clearing memory");
}

static void copy(ww_ops *o, void *to, const void *from, size_t bytes) {
  ww_accel *g = ww_accel_of(o);
  if (!g->failed.code && bytes)
    ww_accel_check(
        g, g->api->cuMemcpyDtoDAsync(address(to), address(from), bytes, g->stream),
        "copying memory");
}

static ww_status finish(ww_ops *o, ww_err *e) {
  ww_accel *g = ww_accel_of(o);
  g->api->cuCtxSetCurrent(g->context);
  ww_accel_check(g, g->api->cuStreamSynchronize(g->stream), "work on the device");
  if (g->failed.code && e)
    *e = g->failed;
  return g->failed.code;
}

static uint64_t memory(ww_ops *o) {
  const ww_accel *g = ww_accel_of(o);
  return g->taken_bytes + g->scratch_n + WW_ACCEL_WORKSPACE;
}

void ww_accel_memory(ww_accel *g) {
  g->o.alloc = alloc;
  g->o.release = release;
  g->o.upload = upload;
  g->o.download = download;
  g->o.zero = zero;
  g->o.copy = copy;
  g->o.finish = finish;
  g->o.memory = memory;
}
