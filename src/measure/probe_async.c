/* probe_async.c - what a Hopper SM does beside its warps: products of warp groups, bulk
 * copies, mbarriers, clusters (probe/async.cu). Every figure is one of the description;
 * on other GPUs all of them are gaps. */
#include "probe_int.h"

enum {
  GROUP = 128,    /* threads of a warp group */
  WAITED = 16,    /* products a loop of lat_, of 8 columns */
  QUEUED = 64,    /* of issue_ */
  COLUMNS = 128,  /* of each of those */
  COPIES = 64,    /* a loop of bulk_many */
  LONG = 4096,    /* bytes of a long copy */
  LOADS = 4 * 16, /* bytes that a thread loads in a loop of cluster_stream */
  FLOAT32 = 7     /* CU_TENSOR_MAP_DATA_TYPE_FLOAT32 */
};

static double
per_loop(ww_rig *r, const char *name, uint32_t threads, int loops, int stride) {
  return ww_rig_per_loop(r, WW_PROBE_ASYNC, name, 1, threads, loops, stride);
}

static void probe_products(ww_rig *r) {
  for (int i = 0; i < WW_NGPU_OPS; i++) {
    const char *op = ww_gpu_op_names[i];
    if (!ww_starts(op, "wgmma_"))
      continue;
    double waited = per_loop(r, ww_fmt(r->a, "lat_%s", op), GROUP, 16, 0) / WAITED;
    double queued = per_loop(r, ww_fmt(r->a, "issue_%s", op), GROUP, 16, 0) / QUEUED;
    ww_rig_add(r, ww_fmt(r->a, "ops.%s.latency", op), waited);
    ww_rig_add(r, ww_fmt(r->a, "ops.%s.issue", op), queued * 8 / COLUMNS);
    ww_rig_gap(r, ww_fmt(r->a, "ops.%s", op));
  }
}

/* The SM clock while all SMs run this for about a tenth of a second. */
static double sustained(ww_rig *r, const char *name, int loops) {
  int stride = 0;
  int64_t t[2] = {0};
  void *params[] = {&r->in, &r->result, &r->clocks, &loops, &stride};
  double seconds = ww_rig_seconds(r, WW_PROBE_ASYNC, name, r->out->sms, GROUP, params);
  ww_rig_read(r, t, r->clocks, sizeof t);
  return (t[1] - t[0]) / seconds / 1e6;
}

static void probe_clock(ww_rig *r) {
  double little = sustained(r, "lat_wgmma_f16", 200000);
  double peak = sustained(r, "issue_wgmma_f16", 40000);
  ww_rig_add(r, "clock.tensor_mhz", little);
  ww_rig_add(r, "clock.tensor_drop", fmax(0, 1 - peak / little));
  ww_rig_gap(r, "clock.tensor_mhz");
}

static void probe_copies(ww_rig *r) {
  double one = per_loop(r, "bulk_one", 1, 64, 16);
  double issue = (per_loop(r, "bulk_many", 1, 64, 16) - one) / (COPIES - 1);
  double bytes = (double)LONG * COPIES;
  ww_rig_add(r, "mbarrier.latency", per_loop(r, "mbarrier", 64, 256, 0) / 2);
  ww_rig_add(r, "bulk.latency", one);
  ww_rig_add(r, "bulk.issue", issue);
  ww_rig_add(r, "bulk.bytes_per_clock",
             bytes / (per_loop(r, "bulk_many", 1, 64, LONG) - one));
  ww_rig_gap(r, "bulk");
}

/* Tiles of 8 rows of 32 floats, from rows of 256. */
static void probe_tiles(ww_rig *r) {
  _Alignas(64) uint8_t map[128];
  const uint64_t dims[] = {256, 256};
  const uint64_t pitch[] = {1024};
  const unsigned box[] = {32, 8};
  const unsigned steps[] = {1, 1};
  double took[2] = {NAN, NAN};
  if (!r->api->cuTensorMapEncodeTiled)
    ww_fail(&r->e, WW_EUNSUPPORTED, "the driver has no tensor maps");
  else
    ww_rig_try(r,
               r->api->cuTensorMapEncodeTiled(map, FLOAT32, 2, (void *)(uintptr_t)r->in,
                                              dims, pitch, box, steps, 0, 0, 0, 0),
               "making a tensor map");
  for (int k = 0; k < 2; k++) {
    int loops = 64 << k;
    void *params[] = {map, &r->result, &r->clocks, &loops};
    took[k] = ww_rig_cycles(r, WW_PROBE_ASYNC, "tile", 1, 1, params);
  }
  ww_rig_add(r, "bulk.tile_latency", (took[1] - took[0]) / 64);
  ww_rig_gap(r, "bulk.tile_latency");
}

static double
per_loop_of_pair(ww_rig *r, const char *name, uint32_t threads, int loops) {
  return ww_rig_per_loop(r, WW_PROBE_ASYNC, name, 2, threads, loops, 0);
}

static void probe_clusters(ww_rig *r) {
  const uint32_t many = 1024;
  ww_rig_add(r, "cluster.barrier", per_loop_of_pair(r, "cluster_barrier", 128, 256));
  ww_rig_add(r, "cluster.shared_latency", per_loop_of_pair(r, "cluster_chase", 1, 256));
  ww_rig_add(r, "cluster.bytes_per_clock",
             LOADS * many / per_loop_of_pair(r, "cluster_stream", many, 256));
  ww_rig_gap(r, "cluster");
}

void ww_probe_async(ww_rig *r) {
  probe_products(r);
  probe_copies(r);
  probe_tiles(r);
  probe_clusters(r);
  probe_clock(r);
}
