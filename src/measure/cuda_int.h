/* cuda_int.h - what the files of the CUDA backend share: the device, its memory pool, a
 * loaded launch.
 *
 *   cuda.c         the backend's table; device, launches, counting
 *   cuda_load.c    a launch spec on the device: code, buffers, symbols, parameters;
 * restore and digest cuda_memory.c  the pool, contents made on the device
 *
 * All work goes to the default stream, in order: memory that is given back may be
 * handed out again at once. */
#ifndef WW_MEASURE_CUDA_INT_H
#define WW_MEASURE_CUDA_INT_H

#include "backend.h"
#include "contents.h"
#include "../cuda/cuda_api.h"
#include "cupti.h"

typedef struct {
  uint64_t at, bytes; /* device address, size class */
} ww_cuda_block;

typedef struct {
  WW_VEC(ww_cuda_block)
  free; /* given back, not returned to the driver; allocated in the device's arena */
  uint64_t free_bytes;
} ww_cuda_pool;

/* Loaded code. Launches of it share a module where it has no variables that a run may
 * write. */
typedef struct {
  ww_arena *a; /* holds it */
  const char *path;
  char *image;
  size_t n;
  void *module;
  bool shared;
  uint32_t users;     /* launches; a shared one without any stays for the next */
  uint64_t used;      /* when it was last asked for, in asks */
  const char *kernel; /* `no_half` is of this one; NULL: of none */
  bool no_half;
} ww_cuda_code;

struct ww_device {
  const ww_cuda_api *api;
  ww_arena *a; /* lives as long as the device */
  int device;
  void *context;
  uint64_t memory; /* bytes */
  int sms, max_threads, threads_per_sm, max_block[3], max_grid[3];
  /* bytes a block may have, without and with asking for it */
  int shared_default, shared_most;
  bool cooperative;
  void *helpers;               /* module of ww_cuda_helpers */
  void *fill, *compare, *read; /* its kernels */
  ww_cuda_pool pool;
  WW_VEC(ww_cuda_code *) codes; /* the shared ones */
  uint64_t asks;
  ww_cuda_block flush;   /* zeros, at least four times L2 */
  ww_cuda_block results; /* of compare: two uint64_t for each region */
  ww_cupti *cupti;       /* opened by the first begin */
  /* "kernel `name`": the last launched, for messages of what fails later */
  char last[160];
};

/* Device memory that a launch may write: a buffer of the pool or a variable of the
 * module. */
typedef struct {
  const char *label;
  uint64_t at, bytes;
  ww_cuda_block own;      /* a buffer's memory; bytes 0 for variables */
  ww_cuda_block pristine; /* bytes 0: given back, as no run changed it */
  ww_fill fill;           /* how the pristine copy was made; `raw` first */
  const char *type;
  uint64_t filled, seed;
  const uint8_t *raw; /* contents given byte by byte, `bytes` long; NULL: by fill */
  /* a variable as the code initialises it: its pristine copy can't be made anew */
  bool inherited;
  bool changed;  /* a run changed it; once set, stays */
  bool checked;  /* a digest has looked at it */
  uint64_t hash; /* of the contents before any run; valid when checked */
} ww_cuda_region;

struct ww_ready {
  ww_arena *a;
  const char *kernel;
  ww_cuda_code *code;
  void *module, *function;
  unsigned grid[3], block[3], shared;
  unsigned cluster[3]; /* that the launch asks for; 0: none but the kernel's own */
  bool cooperative;
  int shared_static, registers, local;
  bool no_half; /* its code does nothing in half precision, whatever the counters say */
  void **params;
  ww_buffer_contents contents; /* allocation i is region i */
  WW_VEC(ww_cuda_region) regions;
};

/* A driver's status as ours: WW_OK, or an error whose message begins with what was
 * done. */
static inline ww_status
ww_cuda_check(const ww_device *d, ww_cuda_status s, const char *doing, ww_err *e) {
  return s ? ww_cuda_fail(d->api, s, doing, e) : WW_OK;
}

extern const char ww_cuda_helpers[]; /* device_text.c */

/* ---- cuda_memory.c ---- */
ww_status ww_cuda_take(ww_device *d,
                       uint64_t bytes,
                       ww_cuda_block *out,
                       ww_err *e);                 /* WW_ELIMIT when memory is out */
void ww_cuda_give(ww_device *d, ww_cuda_block *b); /* zeroes *b; accepts a zeroed one */
/* all that was given back goes to the driver */
void ww_cuda_pool_close(ww_device *d);
/* Makes r->pristine with the contents that r says. */
ww_status ww_cuda_pristine(ww_device *d, ww_cuda_region *r, ww_err *e);
ww_status ww_cuda_copy(ww_device *d,
                       uint64_t to,
                       uint64_t from,
                       uint64_t bytes,
                       ww_err *e); /* on the device, no waiting */
/* Runs one of the helper kernels with enough threads for `items`. */
ww_status
ww_cuda_help(ww_device *d, void *kernel, uint64_t items, void **params, ww_err *e);

/* ---- cuda_load.c: the backend's functions of the same names ---- */
ww_status ww_cuda_load(ww_device *d, const ww_launch *l, ww_ready **out, ww_err *e);
void ww_cuda_unload(ww_device *d, ww_ready *r);
void ww_cuda_forget(ww_device *d); /* all code, before the context goes */
ww_status ww_cuda_restore(ww_device *d, ww_ready *r, ww_err *e);
ww_status ww_cuda_digest(ww_device *d, ww_ready *r, uint64_t *out, ww_err *e);
ww_status ww_cuda_dump(ww_device *d, ww_ready *r, const char *dir, ww_err *e);

#endif
