/* runtime.h - what the files of this folder share: one device with one stream, its
 * kernels by name, scratch memory, the first failure.
 *
 * All work goes to one stream in the order it is asked for, so scratch memory and
 * workspaces need no locks and no waiting. Nothing waits for the device but download,
 * finish and the first use of a matrix shape. */
#ifndef WW_LM_CUDA_RUNTIME_H
#define WW_LM_CUDA_RUNTIME_H

#include "../../cuda/cuda_api.h"
#include "../ops.h"

#define WW_ACCEL_UPLOADS 8               /* pinned buffers in turn */
#define WW_ACCEL_UPLOAD_BYTES (4u << 20) /* of each */
#define WW_ACCEL_WORKSPACE (64u << 20)   /* of cuBLASLt */
/* kernel handles that attention_accel.c keeps */
#define WW_ACCEL_ATTENTION 32

/* The kernels of the .cu files here but attention's: kernels.def, a name in bf16 and
 * one in fp32 each. */
typedef enum {
#define KERNEL(unit, name) WW_K_##name,
#include "kernels.def"
  WW_NKERNELS
} ww_accel_kernel;

typedef enum {
#define UNIT(name) WW_UNIT_##name,
#include "units.def"
  WW_NUNITS
} ww_accel_unit;

typedef struct ww_lt ww_lt;     /* lt.c */
typedef struct ww_nccl ww_nccl; /* nccl.c */

typedef struct {
  uint64_t at;
  size_t bytes;
} ww_accel_piece;

typedef struct {
  ww_ops o; /* first: a ww_ops * of this kind is a ww_accel * */
  const ww_cuda_api *api;
  int device, capability, sms; /* capability: 90 */
  size_t shared_most;          /* bytes of dynamic shared memory a block may have */
  /* the same for those of kernels.def, which have some of their own */
  size_t kernel_shared;
  void *context, *stream;
  void *module[WW_NUNITS];
  void *kernel[WW_NKERNELS];           /* in o.real */
  void *attention[WW_ACCEL_ATTENTION]; /* attention_accel.c's, NULL at first */
  ww_lt *lt;
  ww_nccl *nccl; /* NULL: not one of several ranks, or they sum otherwise */
  uint64_t scratch, scratch_n; /* device memory, bytes */
  uint64_t workspace;          /* device memory, WW_ACCEL_WORKSPACE bytes */
  struct {
    void *host, *done; /* pinned memory; event: the copy out of it is over */
    bool busy;
  } up[WW_ACCEL_UPLOADS];
  uint32_t up_next;
  WW_VEC(ww_accel_piece) taken;
  uint64_t taken_bytes;
  ww_err failed; /* the first failure, code WW_OK: none */
  ww_arena *a;   /* lives as long as this */
} ww_accel;

static inline ww_accel *ww_accel_of(ww_ops *o) {
  return (ww_accel *)o;
}
static inline unsigned ww_ceil_div(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

/* ---- runtime.c ---- */
/* Remembers the first failure: `doing` failed with `s` (0: nothing is done). True where
 * it did fail. */
bool ww_accel_check(ww_accel *g, ww_cuda_status s, const char *doing);
/* Device memory that is this operation's until it returns (work it has asked for
 * included): what another asks for may be the same. One area for all of an operation:
 * ask once, carve it yourself (256-byte aligned). NULL after a failure. */
void *ww_accel_scratch(ww_accel *g, size_t bytes);
/* The kernel `name` of a unit of units.def; `shared` is the most dynamic shared memory
 * it will be launched with. NULL after a failure. */
void *
ww_accel_function(ww_accel *g, ww_accel_unit unit, const char *name, size_t shared);
/* Asks for a launch on the stream; params as cuLaunchKernel takes them. Does nothing
 * after a failure. */
static inline void ww_accel_launch(ww_accel *g,
                                   void *function,
                                   const unsigned grid[3],
                                   unsigned threads,
                                   unsigned shared,
                                   void **params,
                                   const char *name) {
  if (g->failed.code || !grid[0] || !grid[1] || !grid[2])
    return;
  ww_cuda_status s =
      g->api->cuLaunchKernel(function, grid[0], grid[1], grid[2], threads, 1, 1, shared,
                             g->stream, params, NULL);
  if (s)
    ww_accel_check(g, s, name);
}
ww_status ww_accel_new(int ordinal, ww_dtype real, ww_accel **out, ww_err *e);
void ww_accel_free(ww_accel *g); /* accepts NULL */
ww_status ww_accel_load(ww_accel *g,
                        ww_accel_unit unit,
                        ww_err *e); /* modules.c: fills g->module[unit] */

/* ---- memory.c: the members of ww_ops about memory ---- */
void ww_accel_memory(ww_accel *g);

/* ---- lt.c ---- */
/* False: no cuBLASLt here or it cannot do this one; nothing was asked for then. */
bool ww_lt_multiply(ww_accel *g, const ww_matmul *p);
ww_lt *ww_lt_open(void);    /* NULL: there is no cuBLASLt */
void ww_lt_close(ww_lt *l); /* accepts NULL */

/* ---- nccl.c: the members of ww_ops about ranks ---- */
void ww_accel_ranks(ww_accel *g);
void ww_nccl_close(ww_nccl *n); /* accepts NULL */

#endif
