/* trace.c - `warpwise trace`: runs sampled blocks of a kernel and counts what the
 * hardware would do. */
#include "../base/watchdog.h"
#include "../gpu/gpu.h"
#include "../trace/run.h"

#include "source.h"

typedef struct {
  ww_source_options source;
  bool full, print;
  ww_limit_options limits;
  uint64_t budget, max_steps;
  const char *dump;
} options;

static const ww_option table[] = {
    WW_SOURCE_OPTIONS(options),
    WW_OPTION(full, NULL, "run every block and every iteration"),
    WW_OPTION(budget, "N", "warp instructions to spend on sampling (default 500000)"),
    WW_OPTION_AS(max_steps, "max-steps", "N", "give up after N warp instructions"),
    WW_OPTION(dump, "DIR", "write the buffers' contents afterwards: arg0.bin, ..."),
    WW_OPTION(print,
              NULL,
              "show what the kernel prints, in the blocks that run (not with --json)"),
    WW_LIMIT_OPTIONS(options, "60"),
    {0},
};

/* Lanes and multiprocessors of the GPU that --gpu names. */
static ww_status target(const ww_cmd *c,
                        const ww_source_cache *read,
                        ww_arena *a,
                        ww_trace_options *t,
                        ww_err *e) {
  ww_gpu g;
  if (!c->gpu)
    return WW_OK;
  ww_status st = ww_gpu_load(c->gpu, a, &g, e);
  if (!st)
    st = ww_lanes_fit(read->module, read->fn, &g, ": name another GPU", e);
  if (st)
    return st;
  t->lanes = g.lanes;
  t->sms = g.sms;
  return WW_OK;
}

static ww_status trace_one(ww_cmd *c, ww_source_cache *cache, ww_launch *launch) {
  const options *o = c->opt;
  ww_status st = ww_source_kernel(c, &o->source, cache, launch);
  if (st)
    return st;
  ww_arena *a = ww_arena_new();
  const ww_module *m = cache->module;
  const ww_fn *fn = cache->fn;
  ww_trace_options t = {.sampling = {.full = o->full, .budget = o->budget},
                        .max_steps = o->max_steps,
                        .print = o->print && !c->json,
                        .cancelled = ww_watchdog_over,
                        .dump = o->dump};
  ww_trace_result r;
  st = target(c, cache, a, &t, &c->err);
  const char *what = ww_fmt(a, "kernel `%s`", fn->name);
  ww_limits_begin(c, what);
  if (!st)
    st = ww_trace(m, fn, launch, &t, a, &r, &c->err);
  ww_limits_end(c);
  if (st == WW_ECANCEL)
    st = ww_limits_late(c, what, &c->err); /* nobody else cancels here */
  if (!st) {
    ww_report report;
    ww_assumptions_add(&cache->said, &r.assumed.list, a);
    r.assumed.list = cache->said;
    r.launch.file = launch->file;
    r.launch.kernel = fn->name;
    ww_trace_report(fn, &r, &report);
    report.file = launch->file;
    report.gpu = c->gpu;
    if (c->json)
      ww_print_report(&report, ww_trace_write, &(ww_trace_json){m, fn, &r});
    else
      ww_trace_print(m, fn, &r, stdout);
  }
  if (st == WW_EUNSUPPORTED)
    ww_diags_blame(cache->read.unit, fn, &c->err);
  if (st && c->err.file)
    c->err.file = ww_strdup(c->arena, c->err.file);
  ww_arena_free(a);
  return st;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  ww_launch *launches;
  uint32_t n;
  ww_source_cache cache = {0};
  if (ww_limits_read(&o->limits, 60, 0, c) ||
      ww_source_launches(c, &o->source, &launches, &n))
    return c->err.code;
  ww_status worst = WW_OK;
  for (uint32_t k = 0; k < n; k++) {
    ww_status one = trace_one(c, &cache, &launches[k]);
    if (one && n > 1)
      ww_cmd_complain(c); /* a batch goes on with the next line */
    worst = ww_worse(worst, one);
  }
  ww_source_free(&cache);
  return worst;
}

const ww_command ww_cmd_trace = {
    "trace",
    "run sampled blocks of a kernel and count instructions, bytes, sectors, conflicts",
    "FILE... [options] [-- clang flags]",
    .details =
        "What the launch does not say is found by running the kernel with unbounded "
        "buffers, or assumed and listed.\n"
        "Without any launch, the host code's own or a comment in the source is used:\n"
        "  // warpwise: grid=n/256 block=256 n=1<<20 x=[n] y=[n]",
    .examples = "  warpwise trace saxpy.cu --grid n/256 --block 256 --arg 'n=1<<20'\n"
                "  warpwise trace main.cu --launch launches.jsonl --json\n"
                "  warpwise trace spmv.cl -k spmv_csr -g 4096 -b 64 --arg "
                "'rowptr=i32[n+1]:monotone(0,nnz)' --arg n=262144 --arg nnz=4e6\n",
    WW_OPTIONS,
    .run = run,
};
