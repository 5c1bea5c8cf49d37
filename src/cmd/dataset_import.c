/* dataset_import.c - `warpwise dataset import`: kernels of other people's sources,
 * found, compiled, launched, measured; or reports that were measured elsewhere. What is
 * imported stays in the user's store: it is never shipped. */
#include <inttypes.h>

#include "../data/collect.h"
#include "../data/reports.h"
#include "gather.h"

extern const ww_command ww_cmd_dataset_collect;

typedef struct {
  const char *store, *plan, *seconds, *counters, *with, *database, *alike, *keep;
  ww_strings reports, against;
  uint64_t launches, seed, jobs;
} options;

#define LAUNCHES 6
#define ALIKE 0.95 /* a copy: other names, another tile size */
#define FILE_S 25  /* a file with many kernels that are slow to interpret gets fewer */
/* Of a device without a description (a CPU under OpenCL) nothing is known but that it
 * is no H200.
 */
#define SLOW_US 300.0
#define SLOW_BYTES 3.2e7

static const ww_option table[] = {
    WW_OPTION(store, "FILE", "where measured rows go"),
    WW_OPTION(launches, "N", "sampled launches of a kernel (default 6)"),
    WW_OPTION(
        plan,
        "OUT",
        "ready launches to be measured elsewhere, by `dataset collect --ready OUT`"),
    WW_OPTION(
        reports,
        "FILE",
        "measured reports (`measure --json`, .zst too) into the store (repeatable)"),
    WW_OPTION(seconds, "T", "stop measuring after that; the same command goes on"),
    WW_OPTION(counters,
              "SHARE",
              "of the launches, the part that gets all counters (default 1)"),
    WW_OPTION(
        alike, "X", "leave out kernels that are so like an earlier one (default 0.95)"),
    WW_OPTION_AS(database,
                 "compile-commands",
                 "FILE",
                 "compile_commands.json or its folder; else found upward",
                 'p'),
    WW_OPTION(against,
              "DIR",
              "leave out kernels that `dataset check` would call alike to one of this "
              "checkout (repeatable)"),
    WW_OPTION(
        keep,
        "DIR",
        "keep what was read of each file there: the same command goes on with it"),
    WW_OPTION(seed, "N", "of the sampled launches (default 1)"),
    WW_OPTION(with, "COMPILER", "nvcc or nvrtc; else nvcc where it is found"),
    WW_OPTION(jobs, "N", "processes (default: one per core)", 'j'),
    {0},
};

/* ---- reports ---- */

static ww_status import_reports(ww_cmd *c, const options *o) {
  ww_store *s = NULL;
  ww_status st = o->store ? ww_store_open(o->store, WW_STORE_WRITE, &s, &c->err)
                          : ww_usage(c, "name the store: --store FILE");
  for (uint32_t k = 0; !st && k < o->reports.n; k++) {
    uint64_t added = 0;
    st = ww_reports_import(s, o->reports.v[k], WW_ORIGIN_IMPORTED, &added, &c->err);
    if (!st && !c->json && !ww_is_quiet())
      printf("%" PRIu64 " rows from %s\n", added, o->reports.v[k]);
  }
  ww_store_close(s);
  return st;
}

/* ---- sources ---- */

/* What the launches are sampled for: the GPU named, else the device that is there. */
static ww_status
target(ww_cmd *c, const options *o, ww_gpu *gpu, ww_gather_options *how) {
  ww_target t = {0};
  ww_err ignored = {0};
  const char *name = c->gpu;
  if (!o->plan) {
    ww_campaign g = {.device = c->device};
    ww_status st = ww_target_find(&g, NULL, c->arena, &t, &c->err);
    if (st)
      return st;
    how->dialect = t.opencl ? "opencl" : "cuda";
    if (!name && t.gpu && !ww_gpu_load(t.gpu, c->arena, gpu, &ignored))
      name = t.gpu;
  }
  how->variants.gpu = gpu;
  if (!name && !o->plan) {
    how->variants.most_us = SLOW_US;
    how->variants.most_bytes = SLOW_BYTES;
  }
  if (o->plan && !name)
    c->gpu = "h200";
  ww_status st = ww_gpu_load(name ? name : "h200", c->arena, gpu, &c->err);
  if (!st && !name && t.sms)
    gpu->sms = t.sms;
  return st;
}

/* The rest is a campaign over ready launches. */
static ww_status collect(ww_cmd *c, const options *o, const char *ready) {
  const char *words[] = {"warpwise",
                         "--store",
                         o->store,
                         "--ready",
                         ready,
                         "--counters",
                         o->counters ? o->counters : "1",
                         "--seconds",
                         o->seconds};
  int n = o->seconds ? 9 : 7;
  ww_cmd own = {.arena = c->arena};
  ww_status st = ww_options_parse(&ww_cmd_dataset_collect, n, (char **)words, &own);
  own.json = c->json;
  own.device = c->device; /* its own GPU, not the one of --gpu */
  if (!st)
    st = ww_cmd_dataset_collect.run(&own);
  c->err = own.err;
  return st;
}

/* What is kept for evaluation is not learned from under another name. */
static ww_status leave_out(ww_cmd *c, const options *o, ww_gathered *g) {
  for (uint32_t k = 0; k < o->against.n; k++) {
    ww_gathered other;
    ww_gather_options how = {.dir = o->against.v[k],
                             .structures = true,
                             .limit_s = FILE_S,
                             .keep = o->keep,
                             .jobs = o->jobs};
    ww_status st = ww_gather(c, &how, &other);
    if (st)
      return st;
    ww_gather_without(g, &other);
  }
  return WW_OK;
}

static ww_status import_sources(ww_cmd *c, const options *o, const char *dir) {
  ww_gpu gpu;
  ww_params params;
  ww_gathered g;
  double alike = ALIKE;
  ww_gather_options how = {
      .dir = dir,
      .structures = true,
      .launches = true,
      .limit_s = FILE_S,
      .database = o->database,
      .keep = o->keep,
      .jobs = o->jobs,
      .variants = {.params = &params,
                   .launches = o->launches ? o->launches : LAUNCHES,
                   .seed = o->seed ? o->seed : 1}};
  const char *ready = o->plan ? o->plan : ww_fmt(c->arena, "%s.ready.jsonl", o->store);
  if (o->keep && !ww_make_dirs(ww_strdup(c->arena, o->keep)))
    return ww_fail(&c->err, WW_EIO, "cannot make the folder '%s'", o->keep);
  if (ww_share_option(c, "alike", o->alike, &alike) || target(c, o, &gpu, &how) ||
      ww_params_load(c->arena, &params, &c->err) || ww_gather(c, &how, &g))
    return c->err.code;
  ww_gather_distinct(&g, alike);
  if (leave_out(c, o, &g))
    return c->err.code;
  if (ww_gather_write(c, ready, o->with, o->jobs, &g))
    return c->err.code;
  if (!ww_gather_print(c, &g, &gpu, ready))
    return ww_fail(&c->err, WW_EDATA, "no launch of '%s' is ready", dir);
  return o->plan ? WW_OK : collect(c, o, ready);
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  if (!c->noperands && !o->reports.n)
    return ww_usage(c, "name a folder of sources, or --reports FILE");
  if (c->noperands && !o->plan && !o->store)
    return ww_usage(c, "name the store that rows go to, --store FILE, or --plan OUT "
                       "for ready launches");
  ww_status st = o->reports.n ? import_reports(c, o) : WW_OK;
  for (uint32_t k = 0; !st && k < c->noperands; k++)
    st = import_sources(c, o, c->operands[k]);
  return st;
}

const ww_command ww_cmd_dataset_import = {
    "import",
    "kernels of other sources: found, compiled, launched, measured",
    "DIR [--store FILE | --plan OUT] [options] [-- clang flags]",
    .details = "Reads every .cu, .cl and .hip file of DIR and C files with OpenMP "
               "target regions, "
               "with the flags of\n"
               "compile_commands.json where there is one; finds inputs by the memory "
               "analysis, "
               "samples launches, measures them on\n"
               "the device, puts the rows in the store. Copies of a kernel under other "
               "names are "
               "left out; what cannot be read, run\n"
               "or measured is counted by cause.",
    .examples =
        "  warpwise dataset import ~/src/app --store mine.sqlite\n"
        "  warpwise dataset import kernels/ --store mine.sqlite --device pocl "
        "--launches 3\n"
        "  warpwise dataset import ~/src/app --plan ready.jsonl --gpu h200\n"
        "  warpwise dataset import ~/src/app --plan ready.jsonl --against rodinia\n"
        "  warpwise dataset import --reports measured.jsonl.zst --store mine.sqlite\n",
    WW_OPTIONS,
    .run = run,
};
