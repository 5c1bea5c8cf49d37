/* probe_launch.c - what it costs to start kernels and blocks, and to join them. */
#include "probe_int.h"

#include <dlfcn.h>

/* Graphs: only the probe uses them, and a driver without them leaves one figure out. */
typedef struct {
  ww_cuda_status (*begin)(void *stream, int mode);
  ww_cuda_status (*end)(void *stream, void **graph);
  ww_cuda_status (*instantiate)(void **exec, void *graph, unsigned long long flags);
  ww_cuda_status (*launch)(void *exec, void *stream);
  ww_cuda_status (*destroy_exec)(void *exec);
  ww_cuda_status (*destroy)(void *graph);
} graph_api;

static bool open_graphs(graph_api *g) {
  const struct {
    const char *name;
    void *to;
  } calls[] = {{"cuStreamBeginCapture_v2", &g->begin},           {"cuStreamEndCapture", &g->end},
               {"cuGraphInstantiateWithFlags", &g->instantiate}, {"cuGraphLaunch", &g->launch},
               {"cuGraphExecDestroy", &g->destroy_exec},         {"cuGraphDestroy", &g->destroy}};
  void *lib = dlopen("libcuda.so.1", RTLD_NOW); /* open already: this only finds it */
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (!lib || !(*(void **)calls[i].to = dlsym(lib, calls[i].name)))
      return false;
  return true;
}

/* Seconds of `n` empty kernels in a row; the least of five. */
static ww_status row_of_launches(ww_rig *r, void *kernel, int n, double *s, ww_err *e) {
  void *params[] = {&r->result};
  *s = INFINITY;
  for (int k = 0; k < 5; k++) {
    float ms = 0;
    ww_status st = ww_rig_try(r, r->api->cuEventRecord(r->events[0], NULL), "timing", e);
    for (int i = 0; i < n && !st; i++)
      st = ww_rig_launch(r, kernel, 1, 32, params, e);
    if (st)
      return st;
    ww_cuda_status rc = r->api->cuEventRecord(r->events[1], NULL);
    if (!rc)
      rc = r->api->cuEventSynchronize(r->events[1]);
    if (!rc)
      rc = r->api->cuEventElapsedTime(&ms, r->events[0], r->events[1]);
    if (rc)
      return ww_rig_try(r, rc, "timing", e);
    if (ms / 1e3 < *s)
      *s = ms / 1e3;
  }
  return WW_OK;
}

static void stream_of_kernels(ww_rig *r) {
  ww_err e = {0};
  void *kernel;
  double few, many;
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, "empty", &kernel, &e);
  if (!st)
    st = row_of_launches(r, kernel, 20, &few, &e);
  if (!st)
    st = row_of_launches(r, kernel, 400, &many, &e);
  if (!st)
    ww_rig_add(r, "launch.stream_us", (many - few) / 380 * 1e6);
  ww_rig_gap(r, "launch.stream_us", st, &e);
}

/* A graph of n empty kernels, one after the other. */
static ww_cuda_status make_graph(ww_rig *r, const graph_api *g, void *stream, void *kernel, int n,
                                 void **exec) {
  enum { RELAXED = 2 };
  void *graph = NULL, *params[] = {&r->result};
  ww_cuda_status rc = g->begin(stream, RELAXED), rc2;
  if (rc)
    return rc;
  for (int i = 0; i < n && !rc; i++)
    rc = r->api->cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL);
  rc2 = g->end(stream, &graph);
  if (!rc)
    rc = rc2;
  if (!rc)
    rc = g->instantiate(exec, graph, 0);
  if (graph)
    g->destroy(graph);
  return rc;
}

/* Seconds of one run of it; the least of five. */
static ww_cuda_status time_graph(ww_rig *r, const graph_api *g, void *stream, void *exec,
                                 double *s) {
  ww_cuda_status rc = 0;
  *s = INFINITY;
  for (int k = 0; k < 6 && !rc; k++) {
    float ms = 0;
    rc = r->api->cuEventRecord(r->events[0], stream);
    if (!rc)
      rc = g->launch(exec, stream);
    if (!rc)
      rc = r->api->cuEventRecord(r->events[1], stream);
    if (!rc)
      rc = r->api->cuEventSynchronize(r->events[1]);
    if (!rc)
      rc = r->api->cuEventElapsedTime(&ms, r->events[0], r->events[1]);
    if (!rc && ms / 1e3 < *s)
      *s = ms / 1e3;
  }
  return rc;
}

static void graph_of_kernels(ww_rig *r) {
  ww_err e = {0};
  graph_api g;
  void *kernel, *stream = NULL;
  double s[2] = {0};
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, "empty", &kernel, &e);
  if (!st && !open_graphs(&g))
    st = ww_fail(&e, WW_EUNSUPPORTED, "this driver has no graphs");
  if (!st)
    st = ww_rig_try(r, r->api->cuStreamCreate(&stream, 0), "making a stream", &e);
  for (int k = 0; k < 2 && !st; k++) {
    void *exec = NULL;
    ww_cuda_status rc = make_graph(r, &g, stream, kernel, k ? 400 : 20, &exec);
    if (!rc)
      rc = time_graph(r, &g, stream, exec, &s[k]);
    if (exec)
      g.destroy_exec(exec);
    st = ww_rig_try(r, rc, "a graph of kernels", &e);
  }
  if (stream)
    r->api->cuStreamDestroy(stream);
  if (!st)
    ww_rig_add(r, "launch.graph_us", (s[1] - s[0]) / 380 * 1e6);
  ww_rig_gap(r, "launch.graph_us", st, &e);
}

/* Seconds per block of `threads` threads, whole GPU, from two grids of empty blocks. */
static ww_status per_block(ww_rig *r, uint32_t threads, double *s, ww_err *e) {
  void *kernel, *params[] = {&r->result};
  uint32_t few = r->out->sms * 64, many = r->out->sms * 576;
  double a, b;
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, "empty", &kernel, e);
  if (!st)
    st = ww_rig_seconds(r, kernel, few, threads, params, &a, e);
  if (!st)
    st = ww_rig_seconds(r, kernel, many, threads, params, &b, e);
  if (!st)
    *s = (b - a) / (many - few);
  return st;
}

static void blocks(ww_rig *r) {
  static const uint32_t sizes[] = {32, 64, 128, 256, 512, 1024};
  ww_err e = {0};
  ww_status st = WW_OK;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes && !st; k++) {
    double s;
    st = per_block(r, sizes[k], &s, &e);
    if (st)
      break;
    uint32_t resident = r->threads_per_sm / sizes[k] < 16 ? r->threads_per_sm / sizes[k] : 16;
    ww_rig_point(r, "launch.block_ns_by_threads", sizes[k], s * r->out->sms * 1e9);
    if (sizes[k] == 32)
      ww_rig_add(r, "launch.blocks_per_us", 1e-6 / s);
    if (sizes[k] == 1024)
      ww_rig_add(r, "launch.block_ns", s * r->out->sms * resident * 1e9);
  }
  ww_rig_gap(r, "launch.block_ns", st, &e);
}

static void join(ww_rig *r) {
  ww_err e = {0};
  int loops = 200;
  int64_t t[2];
  void *kernel, *params[] = {&r->result, &loops, &r->clocks};
  ww_status st = ww_rig_kernel(r, WW_PROBE_MEMORY, "grid_sync", &kernel, &e);
  if (!st)
    st = ww_rig_try(r, r->api->cuMemsetD8Async(r->result, 0, 64, NULL), "clearing", &e);
  if (!st) /* cooperative: all blocks are resident, or it does not start */
    st = ww_rig_try(
        r, r->api->cuLaunchCooperativeKernel(kernel, r->out->sms, 1, 1, 32, 1, 1, 0, NULL, params),
        "launching", &e);
  if (!st)
    st = ww_rig_sync(r, &e);
  if (!st)
    st = ww_rig_try(r, r->api->cuMemcpyDtoH(t, r->clocks, sizeof t), "reading clocks", &e);
  if (!st)
    ww_rig_add(r, "launch.grid_sync_us", (double)(t[1] - t[0]) / loops / r->mhz);
  ww_rig_gap(r, "launch.grid_sync_us", st, &e);
}

void ww_probe_launch(ww_rig *r) {
  ww_progress("launches", 1, 3);
  stream_of_kernels(r);
  graph_of_kernels(r);
  ww_progress("launches", 2, 3);
  blocks(r);
  ww_progress("launches", 3, 3);
  join(r);
}
