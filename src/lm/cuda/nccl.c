/* nccl.c - sums over ranks by NCCL, opened at run time, own declarations.
 *
 * One communicator in the device's one stream: a sum runs after all that was asked for
 * before it, and nothing here waits for it. NCCL waits for lost ranks for ever, so
 * ranks.c watches them and calls `broken`, which aborts the communicator: the device
 * goes on, and the next call fails. */
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "../../cuda/cuda_toolkit.h"
#include "../ranks.h"
#include "runtime.h"

typedef int nccl_status; /* ncclResult_t */
typedef struct {
  char bytes[128];
} nccl_id;                               /* ncclUniqueId */
enum { NCCL_FLOAT32 = 7, NCCL_SUM = 0 }; /* ncclDataType_t, ncclRedOp_t */
enum { PCI_BUS = 33, PCI_DEVICE = 34, PCI_DOMAIN = 50 }; /* CUdevice_attribute */

#define PATIENCE_S 2

#define CALLS(CALL)                                                                  \
  CALL(nccl_status, ncclGetVersion, (int *version))                                  \
  CALL(const char *, ncclGetErrorString, (nccl_status s))                            \
  CALL(nccl_status, ncclGetUniqueId, (nccl_id * id))                                 \
  CALL(nccl_status, ncclCommInitRank, (void **comm, int size, nccl_id id, int rank)) \
  CALL(nccl_status, ncclCommDestroy, (void *comm))                                   \
  CALL(nccl_status, ncclCommAbort, (void *comm))                                     \
  CALL(nccl_status, ncclAllReduce,                                                   \
       (const void *from, void *to, size_t n, int type, int op, void *comm,          \
        void *stream))

struct ww_nccl {
#define MEMBER(type, name, params) type(*name) params;
  CALLS(MEMBER)
#undef MEMBER
  void *comm;           /* NULL: not made yet, or aborted */
  pthread_mutex_t lock; /* of comm, which the watching thread may abort */
};

/* ---- the library ---- */

static const struct {
  const char *name;
  size_t at;
} table[] = {
#define ROW(type, name, params) {#name, offsetof(ww_nccl, name)},
    CALLS(ROW)
#undef ROW
};

static ww_status open_library(ww_nccl *n, ww_err *e) {
  void *lib = ww_cuda_library("nccl");
  if (!lib)
    return ww_fail(e, WW_EDEVICE,
                   "no libnccl.so.2 for the ranks' sums: install NCCL, or name its "
                   "folder in LD_LIBRARY_PATH, or the one above its lib/ in CUDA_HOME; "
                   "--ranks sockets does without, more slowly");
  for (size_t k = 0; k < WW_COUNT(table); k++) {
    void *f = dlsym(lib, table[k].name);
    memcpy((char *)n + table[k].at, &f, sizeof f);
    if (!f)
      return ww_fail(e, WW_EDEVICE,
                     "this libnccl.so.2 has no %s: install NCCL 2.4 or "
                     "newer",
                     table[k].name);
  }
  return WW_OK;
}

static ww_status failed(const ww_nccl *n, nccl_status s, const char *doing, ww_err *e) {
  return ww_fail(e, WW_EDEVICE,
                 "NCCL: %s: %.200s (%d); NCCL_DEBUG=WARN in the environment says more",
                 doing, n->ncclGetErrorString(s), s);
}

/* ---- the communicator ---- */

/* NCCL takes no two ranks on one GPU, and says so in no words. */
static ww_status own_gpu(ww_accel *g, ww_ranks *r, ww_err *e) {
  struct {
    char node[64];
    int domain, bus, device;
  } mine = {0}, *all = ww_xcalloc(ww_ranks_size(r), sizeof mine);
  gethostname(mine.node, sizeof mine.node - 1);
  g->api->cuDeviceGetAttribute(&mine.domain, PCI_DOMAIN, g->device);
  g->api->cuDeviceGetAttribute(&mine.bus, PCI_BUS, g->device);
  g->api->cuDeviceGetAttribute(&mine.device, PCI_DEVICE, g->device);
  ww_status st = ww_ranks_gather(r, &mine, sizeof mine, all, e);
  for (uint32_t k = 1; !st && k < ww_ranks_size(r); k++)
    for (uint32_t i = 0; !st && i < k; i++)
      if (!memcmp(all + i, all + k, sizeof *all))
        st = ww_fail(e, WW_EUSAGE,
                     "ranks %u and %u are on the same GPU of %.60s: NCCL needs one for "
                     "each. Start as many ranks on a machine as it has GPUs (their own "
                     "are chosen by the launcher's local rank, or "
                     "CUDA_VISIBLE_DEVICES), or take --ranks sockets",
                     i, k, mine.node);
  free(all);
  return st;
}

static ww_status connect_all(ww_accel *g, ww_nccl *n, ww_ranks *r, ww_err *e) {
  uint32_t size = ww_ranks_size(r);
  nccl_id mine = {{0}};
  nccl_status s = ww_ranks_rank(r) ? 0 : n->ncclGetUniqueId(&mine);
  if (s)
    return failed(n, s, "the first rank's address", e);
  nccl_id *all = ww_xcalloc(size, sizeof *all);
  ww_status st = ww_ranks_gather(r, &mine, sizeof mine, all, e);
  if (!st && (s = g->api->cuCtxSetCurrent(g->context)))
    st = ww_cuda_fail(g->api, s, "the CUDA context", e);
  if (!st && (s = n->ncclCommInitRank(&n->comm, size, all[0], ww_ranks_rank(r)))) {
    n->comm = NULL;
    st = failed(n, s, "connecting the ranks", e);
  }
  free(all);
  return st;
}

/* A sum that is just being asked for is let through, unless it hangs itself. */
static void broken(void *ctx) {
  ww_nccl *n = ctx;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += PATIENCE_S;
  bool locked = !pthread_mutex_timedlock(&n->lock, &until);
  if (n->comm)
    n->ncclCommAbort(n->comm);
  n->comm = NULL;
  if (locked)
    pthread_mutex_unlock(&n->lock);
}

static ww_status join_ranks(ww_ops *o, ww_ranks *r, ww_err *e) {
  ww_accel *g = ww_accel_of(o);
  ww_nccl *n = g->nccl = ww_xcalloc(1, sizeof *n);
  char by[40];
  int v = 0;
  pthread_mutex_init(&n->lock, NULL);
  ww_status st = open_library(n, e);
  if (!st)
    st = own_gpu(g, r, e);
  if (!st)
    st = connect_all(g, n, r, e);
  if (st)
    return st;
  n->ncclGetVersion(&v);
  snprintf(by, sizeof by, "NCCL %d.%d.%d", v / 10000, v / 100 % 100, v % 100);
  ww_ranks_watch(r, by, broken, n);
  return WW_OK;
}

static void sum_ranks(ww_ops *o, float *x, uint64_t count) {
  ww_accel *g = ww_accel_of(o);
  ww_nccl *n = g->nccl;
  nccl_status s = 0;
  if (g->failed.code ||
      ww_accel_check(g, g->api->cuCtxSetCurrent(g->context), "the CUDA context"))
    return;
  pthread_mutex_lock(&n->lock);
  if (!n->comm)
    ww_fail(&g->failed, WW_EIO, "another rank has ended before the training did");
  else
    s = n->ncclAllReduce(x, x, count, NCCL_FLOAT32, NCCL_SUM, n->comm, g->stream);
  pthread_mutex_unlock(&n->lock);
  if (s)
    failed(n, s, "a sum", &g->failed);
}

void ww_accel_ranks(ww_accel *g) {
  g->o.join_ranks = join_ranks;
  g->o.sum_ranks = sum_ranks;
}

void ww_nccl_close(ww_nccl *n) {
  if (!n)
    return;
  if (n->comm)
    n->ncclCommDestroy(n->comm);
  pthread_mutex_destroy(&n->lock);
  free(n);
}
