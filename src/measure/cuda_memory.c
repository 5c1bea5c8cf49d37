/* cuda_memory.c - device memory from a pool, and contents made where they are needed:
 * on the device.
 *
 * A campaign loads thousands of launches of similar sizes, and cuMemAlloc and cuMemFree
 * take up to a millisecond each: so blocks come in size classes (at most a quarter
 * larger than asked for), may serve for sizes somewhat smaller, and stay with us until
 * memory is short. */
#include "cuda_int.h"

#include <stdlib.h>

#define SMALLEST 512
#define LARGE (1ull << 30)      /* beyond it no classes: too much would be wasted */
#define LARGE_STEP (2ull << 20) /* the driver's own granularity */

/* A power of two, or 1.25, 1.5 or 1.75 of one. */
static uint64_t size_class(uint64_t bytes) {
  if (bytes <= SMALLEST)
    return SMALLEST;
  if (bytes > LARGE)
    return (bytes + LARGE_STEP - 1) / LARGE_STEP * LARGE_STEP;
  uint64_t power = (uint64_t)1 << (63 - __builtin_clzll(bytes));
  uint64_t quarter = power / 4;
  return (bytes + quarter - 1) / quarter * quarter;
}

void ww_cuda_pool_close(ww_device *d) {
  for (uint32_t i = 0; i < d->pool.free.n; i++)
    d->api->cuMemFree(d->pool.free.v[i].at);
  d->pool.free.n = 0;
  d->pool.free_bytes = 0;
}

ww_status ww_cuda_take(ww_device *d, uint64_t bytes, ww_cuda_block *out, ww_err *e) {
  *out = (ww_cuda_block){0};
  if (bytes > d->memory)
    return ww_fail(e, WW_ELIMIT,
                   "a buffer of %.1f GB does not fit the device's %.1f GB", bytes / 1e9,
                   d->memory / 1e9);
  uint64_t size = size_class(bytes);
  /* of that size, else the smallest that is not much larger */
  uint32_t best = d->pool.free.n;
  for (uint32_t i = d->pool.free.n; i-- > 0;) {
    uint64_t have = d->pool.free.v[i].bytes;
    if (have < size || have > size + size / 2)
      continue;
    if (best == d->pool.free.n || have < d->pool.free.v[best].bytes)
      best = i;
    if (have == size)
      break;
  }
  if (best < d->pool.free.n) {
    *out = d->pool.free.v[best];
    d->pool.free.v[best] = d->pool.free.v[--d->pool.free.n];
    d->pool.free_bytes -= out->bytes;
    return WW_OK;
  }
  uint64_t at = 0;
  ww_cuda_status s = d->api->cuMemAlloc(&at, size);
  if (s == 2 && d->pool.free.n) {
    ww_cuda_pool_close(d);
    s = d->api->cuMemAlloc(&at, size);
  }
  if (s == 2)
    return ww_fail(
        e, WW_ELIMIT,
        "no device memory for a buffer of %.1f MB: make buffers smaller, or batches",
        bytes / 1e6);
  if (s)
    return ww_cuda_fail(d->api, s, "allocating device memory", e);
  *out = (ww_cuda_block){at, size};
  return WW_OK;
}

void ww_cuda_give(ww_device *d, ww_cuda_block *b) {
  if (b->bytes && d->pool.free_bytes + b->bytes > d->memory / 2) {
    d->api->cuMemFree(b->at);
  } else if (b->bytes) {
    ww_push(d->a, &d->pool.free, *b);
    d->pool.free_bytes += b->bytes;
  }
  *b = (ww_cuda_block){0};
}

ww_status
ww_cuda_copy(ww_device *d, uint64_t to, uint64_t from, uint64_t bytes, ww_err *e) {
  return ww_cuda_check(d, d->api->cuMemcpyDtoDAsync(to, from, bytes, NULL), d->last, e);
}

ww_status
ww_cuda_help(ww_device *d, void *kernel, uint64_t items, void **params, ww_err *e) {
  uint64_t blocks = (items + 255) / 256;
  uint64_t most = (uint64_t)d->sms * 16;
  if (blocks > most)
    blocks = most;
  if (ww_cupti_kernel(d->cupti, false, e))
    return WW_EDEVICE;
  return ww_cuda_check(d,
                       d->api->cuLaunchKernel(kernel, blocks ? blocks : 1, 1, 1, 256, 1,
                                              1, 0, NULL, params, NULL),
                       d->last, e);
}

/* ---- contents ---- */

static ww_status upload(
    ww_device *d, const ww_cuda_region *r, const void *bytes, uint64_t n, ww_err *e) {
  return ww_cuda_check(d, n ? d->api->cuMemcpyHtoD(r->pristine.at, bytes, n) : 0,
                       d->last, e);
}

static ww_status make_on_host(ww_device *d, const ww_cuda_region *r, ww_err *e) {
  void *bytes = ww_xmalloc(r->filled ? r->filled : 1);
  ww_status st = ww_contents_make(&r->fill, r->type, r->filled, r->seed, 0, bytes, e);
  if (!st)
    st = upload(d, r, bytes, r->filled, e);
  free(bytes);
  return st;
}

/* Contents and the zeros behind them, up to the last whole 8 bytes of the block. */
static ww_status
make_on_device(ww_device *d, const ww_cuda_region *r, ww_fill_job *job, ww_err *e) {
  uint64_t at = r->pristine.at;
  uint64_t words = (r->bytes + 7) / 8;
  return ww_cuda_help(d, d->fill, words, (void *[]){&at, job, &words}, e);
}

ww_status ww_cuda_pristine(ww_device *d, ww_cuda_region *r, ww_err *e) {
  ww_fill_job job;
  ww_status st = ww_cuda_take(d, r->bytes, &r->pristine, e);
  if (st)
    return st;
  if (r->inherited)
    return ww_cuda_copy(d, r->pristine.at, r->at, r->bytes, e);
  if (r->raw)
    return upload(d, r, r->raw, r->bytes, e);
  bool zeros = r->fill.kind == WW_FILL_NONE || r->fill.kind == WW_FILL_ZEROS;
  if (!zeros && ww_contents_job(&r->fill, r->type, r->filled, r->seed, &job))
    return make_on_device(d, r, &job, e);
  st = ww_cuda_check(d, d->api->cuMemsetD8Async(r->pristine.at, 0, r->bytes, NULL),
                     d->last, e);
  return st || zeros ? st : make_on_host(d, r, e);
}
