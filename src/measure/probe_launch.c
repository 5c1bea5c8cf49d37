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
  /* of the members, in their order */
  static const char *const names[] = {
      "cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphInstantiateWithFlags",
      "cuGraphLaunch",           "cuGraphExecDestroy", "cuGraphDestroy"};
  void *calls[6];
  void *lib = dlopen("libcuda.so.1", RTLD_NOW); /* open already: this only finds it */
  for (int i = 0; i < 6; i++)
    if (!lib || !(calls[i] = dlsym(lib, names[i])))
      return false;
  memcpy(g, calls, sizeof *g);
  return true;
}

/* Seconds of `n` empty kernels in a row; the least of five. */
static double row_of_launches(ww_rig *r, void *kernel, int n) {
  double least = INFINITY;
  for (int k = 0; k < 5; k++) {
    ww_rig_begin(r, NULL);
    for (int i = 0; i < n; i++)
      ww_rig_launch(r, kernel, 1, 32, (void *[]){&r->result});
    least = fmin(least, ww_rig_end(r, NULL));
  }
  return ww_rig_ok(r) ? least : NAN;
}

static void stream_of_kernels(ww_rig *r) {
  void *kernel = ww_rig_kernel(r, WW_PROBE_MEMORY, "empty");
  double few = row_of_launches(r, kernel, 20);
  double many = row_of_launches(r, kernel, 400);
  ww_rig_add(r, "launch.stream_us", (many - few) / 380 * 1e6);
  ww_rig_gap(r, "launch.stream_us");
}

/* A graph of n empty kernels, one after the other. */
static void *
make_graph(ww_rig *r, const graph_api *g, void *stream, void *kernel, int n) {
  enum { RELAXED = 2 };
  void *graph = NULL;
  void *exec = NULL;
  void *params[] = {&r->result};
  ww_cuda_status rc = g->begin(stream, RELAXED);
  if (!rc) {
    for (int i = 0; i < n && !rc; i++)
      rc = r->api->cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, params, NULL);
    ww_cuda_status end = g->end(stream, &graph);
    rc = rc ? rc : end;
  }
  if (!rc)
    rc = g->instantiate(&exec, graph, 0);
  if (graph)
    g->destroy(graph);
  ww_rig_try(r, rc, "a graph of kernels");
  return exec;
}

/* Seconds of one run of a graph of n kernels; the least of six. */
static double
time_graph(ww_rig *r, const graph_api *g, void *stream, void *kernel, int n) {
  double least = INFINITY;
  void *exec = ww_rig_ok(r) ? make_graph(r, g, stream, kernel, n) : NULL;
  for (int k = 0; k < 6 && ww_rig_ok(r); k++) {
    ww_rig_begin(r, stream);
    if (ww_rig_ok(r))
      ww_rig_try(r, g->launch(exec, stream), "a graph of kernels");
    least = fmin(least, ww_rig_end(r, stream));
  }
  if (exec)
    g->destroy_exec(exec);
  return ww_rig_ok(r) ? least : NAN;
}

static void graph_of_kernels(ww_rig *r) {
  graph_api g;
  void *kernel = ww_rig_kernel(r, WW_PROBE_MEMORY, "empty");
  void *stream = NULL;
  if (ww_rig_ok(r) && !open_graphs(&g))
    ww_fail(&r->e, WW_EUNSUPPORTED, "this driver has no graphs");
  if (ww_rig_ok(r))
    ww_rig_try(r, r->api->cuStreamCreate(&stream, 0), "making a stream");
  double few = time_graph(r, &g, stream, kernel, 20);
  double many = time_graph(r, &g, stream, kernel, 400);
  if (stream)
    r->api->cuStreamDestroy(stream);
  ww_rig_add(r, "launch.graph_us", (many - few) / 380 * 1e6);
  ww_rig_gap(r, "launch.graph_us");
}

/* Seconds per block of `threads` threads, whole GPU, from two grids of empty blocks. */
static double per_block(ww_rig *r, uint32_t threads) {
  void *params[] = {&r->result};
  uint32_t few = r->out->sms * 64;
  uint32_t many = r->out->sms * 576;
  double base = ww_rig_seconds(r, WW_PROBE_MEMORY, "empty", few, threads, params);
  double all = ww_rig_seconds(r, WW_PROBE_MEMORY, "empty", many, threads, params);
  return (all - base) / (many - few);
}

static void blocks(ww_rig *r) {
  static const uint32_t sizes[] = {32, 64, 128, 256, 512, 1024};
  for (size_t k = 0; k < WW_COUNT(sizes); k++) {
    double s = per_block(r, sizes[k]);
    uint32_t resident =
        r->threads_per_sm / sizes[k] < 16 ? r->threads_per_sm / sizes[k] : 16;
    ww_rig_point(r, "launch.block_ns_by_threads", sizes[k], s * r->out->sms * 1e9);
    if (sizes[k] == 32)
      ww_rig_add(r, "launch.blocks_per_us", 1e-6 / s);
    if (sizes[k] == 1024)
      ww_rig_add(r, "launch.block_ns", s * r->out->sms * resident * 1e9);
  }
  ww_rig_gap(r, "launch.block_ns");
}

static void join(ww_rig *r) {
  int loops = 200;
  int64_t t[2] = {0};
  void *kernel = ww_rig_kernel(r, WW_PROBE_MEMORY, "grid_sync");
  void *params[] = {&r->result, &loops, &r->clocks};
  if (ww_rig_ok(r))
    ww_rig_try(r, r->api->cuMemsetD8Async(r->result, 0, 64, NULL), "clearing");
  if (ww_rig_ok(r)) /* cooperative: all blocks are resident, or it does not start */
    ww_rig_try(r,
               r->api->cuLaunchCooperativeKernel(kernel, r->out->sms, 1, 1, 32, 1, 1, 0,
                                                 NULL, params),
               "launching");
  if (ww_rig_ok(r))
    ww_rig_try(r, r->api->cuCtxSynchronize(), "running");
  ww_rig_read(r, t, r->clocks, sizeof t);
  if (ww_rig_ok(r))
    ww_rig_add(r, "launch.grid_sync_us", (double)(t[1] - t[0]) / loops / r->mhz);
  ww_rig_gap(r, "launch.grid_sync_us");
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
