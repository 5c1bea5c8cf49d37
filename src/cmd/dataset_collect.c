/* dataset_collect.c - `warpwise dataset collect`, `merge` and `pack`: campaigns, and
 * what becomes of their stores.
 *
 * A campaign's plan is shown before the device is touched. Ctrl-C ends with the batch
 * in hand, a second one at once; either way, and after a crash, the same command goes
 * on where it stopped. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../data/collect.h"
#include "cmd.h"

typedef struct {
  const char *store, *counters, *ready, *seconds, *again, *dialect, *grammar, *only;
  uint64_t seed, count, first, launches, processes, batch, sample;
  bool retry, dry_run;
} options;

static const ww_option table[] = {
    WW_OPTION(store, "FILE", "where rows go; of several ranks, FILE.rank<r>"),
    WW_OPTION(grammar,
              "V",
              "version of the generator's grammar, 1 or 2 (default: the newest)"),
    WW_OPTION(only,
              "FAMILY,...",
              "generated kernels of these productions alone; others do not count"),
    WW_OPTION(seed, "S", "of the generator (default 1)"),
    WW_OPTION(count, "N", "generated kernels (default 0)"),
    WW_OPTION(first, "K", "leave out the seed's first K kernels"),
    WW_OPTION(launches, "L", "of each generated kernel (default 8)"),
    WW_OPTION(counters,
              "SHARE",
              "of the launches, the part that gets all counters (default 0.15)"),
    WW_OPTION(ready,
              "SPECS",
              "ready launches of corpus or imported kernels, from `dataset plan`"),
    WW_OPTION(
        again, "OLD", "a repeat campaign: measure launches of this store once more"),
    WW_OPTION(sample, "N", "of --again: that many at random (seed)"),
    WW_OPTION(retry, NULL, "launches that failed, too"),
    WW_OPTION(seconds, "T", "be done by then; the same command goes on"),
    WW_OPTION_AS(dry_run,
                 "dry-run",
                 NULL,
                 "only the plan; with --gpu NAME for a GPU that is not here"),
    WW_OPTION(dialect,
              "NAME",
              "of generated kernels: cuda or opencl (default: cuda on a CUDA device)"),
    WW_OPTION(processes, "P", "that compile (default: all cores but two)", 'j'),
    WW_OPTION(
        batch, "N", "launches on the device at once (default 256, with counters 512)"),
    {0},
};

/* ---- options ---- */

static ww_status
real(ww_cmd *c, const char *name, const char *text, double most, double *out) {
  if (!text || ww_real(text, "", 0, most, out))
    return WW_OK;
  return ww_usage(c, "--%s: expected a number from 0 to %g, not '%.60s'", name, most,
                  text);
}

static ww_status campaign_of(ww_cmd *c, const options *o, ww_campaign *g) {
  if (o->count > UINT32_MAX || o->first > UINT32_MAX || o->launches > 10000 ||
      o->batch > 4096)
    return ww_usage(c, "--count and --first are below 2^32, --launches at most 10000, "
                       "--batch at most 4096");
  *g = (ww_campaign){.seed = o->seed ? o->seed : 1,
                     .first = o->first,
                     .count = o->count,
                     .launches = o->launches ? o->launches : 8,
                     .counters = 0.15,
                     .ready = o->ready,
                     .device = c->device,
                     .dialect = o->dialect,
                     .processes = o->processes < 256 ? o->processes : 256,
                     .batch = o->batch,
                     .retry = o->retry,
                     .again = o->again,
                     .sample = o->sample < UINT32_MAX ? o->sample : UINT32_MAX};
  if (ww_gen_grammar(o->grammar, o->only, &g->version, &g->only, &c->err) ||
      real(c, "counters", o->counters, 1, &g->counters) ||
      real(c, "seconds", o->seconds, 1e7, &g->seconds))
    return c->err.code;
  if (!g->count && !g->ready && !g->again)
    return ww_usage(c, "nothing to collect: --count N generated kernels, --ready "
                       "SPECS, or --again STORE");
  return o->store || o->dry_run ? WW_OK : ww_usage(c, "name the store: --store FILE");
}

/* ---- what is shown ---- */

static void show_plan(const ww_cmd *c,
                      const ww_campaign_plan *p,
                      const ww_target *t,
                      const ww_rank *r,
                      const char *store) {
  if (c->json) {
    ww_line_print("plan:{store:%s,gpu:%s,rank:%u,size:%u,kernels:%lu,launches:%lu,"
                  "with_counters:%lu,held:%lu,skipped:%lu,device_s:%g}",
                  store, t->gpu, r->rank, r->size, p->kernels, p->launches,
                  p->with_counters, p->held, p->skipped, p->device_s);
    fflush(stdout);
    return;
  }
  if (r->size > 1)
    printf("rank %u of %u (%s), ", r->rank, r->size, r->from);
  printf("%s on %s: %" PRIu64 " kernels, %" PRIu64 " launches, %" PRIu64
         " of them with counters; %" PRIu64
         " held already; about %.0f device seconds for the rest\n",
         store ? store : "planned", t->gpu, p->kernels, p->launches, p->with_counters,
         p->held, p->device_s);
  if (p->skipped)
    printf("%" PRIu64
           " launches left out: for another kind of device, or of no known kernel\n",
           p->skipped);
  fflush(stdout);
}

typedef struct {
  double shown;
  bool terminal, quiet;
  char rank[32];
} screen;

static void show_progress(void *ctx, const ww_campaign_state *s) {
  screen *x = ctx;
  double now = ww_now();
  if (x->quiet || now - x->shown < (x->terminal ? 0.5 : 10))
    return;
  x->shown = now;
  char left[32] = "";
  if (isfinite(s->left_s))
    snprintf(left, sizeof left, ", %.0f s left", s->left_s);
  fprintf(stderr,
          "%s%s%" PRIu64 " of %" PRIu64 " rows (%.1f %%), %.0f a second, %" PRIu64
          " failed%s%s",
          x->terminal ? "\r\033[K" : "", x->rank, s->done, s->total,
          s->total ? 100.0 * s->done / s->total : 100.0,
          s->elapsed_s > 0 ? s->done / s->elapsed_s : 0, s->failed, left,
          x->terminal ? "" : "\n");
  fflush(stderr);
}

static void show_end_json(const ww_campaign_state *s,
                          const char *store,
                          const char *gpu,
                          bool stopped) {
  ww_json *j = ww_line_begin();
  ww_json_put(
      j,
      "collected:{store:%s,gpu:%s,rows:%lu,failed:%lu,with_counters:%lu,left:%lu,"
      "stopped:%i,elapsed_s:%g,device_s:%g,waited_s:%g,failures:[",
      store, gpu, s->done, s->failed, s->with_counters,
      s->total > s->done ? s->total - s->done : 0, stopped, s->elapsed_s, s->device_s,
      s->waited_s);
  for (uint32_t k = 0; k < s->ncauses; k++)
    ww_json_put(j, "{code:%s,message:%s,n:%lu}", ww_status_name(s->causes[k].code),
                s->causes[k].text, s->causes[k].n);
  ww_json_put(j, "]}");
  ww_line_end(j);
  fflush(stdout);
}

static void show_end(const ww_campaign_state *s, bool stopped) {
  printf("%" PRIu64
         " rows in %.1f s (%.0f a second; %.1f s on the device, %.1f s waiting for "
         "compilers), %" PRIu64 " with counters, %" PRIu64 " failed\n",
         s->done, s->elapsed_s, s->elapsed_s > 0 ? s->done / s->elapsed_s : 0,
         s->device_s, s->waited_s, s->with_counters, s->failed);
  for (uint32_t k = 0; k < s->ncauses && k < 12; k++)
    printf("  %8" PRIu64 "  %s: %s\n", s->causes[k].n,
           ww_status_name(s->causes[k].code), s->causes[k].text);
  if (stopped && s->total > s->done)
    printf("stopped with %" PRIu64 " to go; the same command goes on\n",
           s->total - s->done);
}

/* ---- collect ---- */

static volatile sig_atomic_t signals;
static void on_signal(int sig) {
  if (signals++)
    ww_end_by_signal(sig); /* what is committed is safe */
}

static int stop(void *ctx) {
  (void)ctx;
  return signals;
}

static ww_status run_campaign(ww_cmd *c,
                              const ww_campaign *g,
                              const ww_rank *r,
                              const ww_target *t,
                              const ww_campaign_plan *p,
                              ww_store *s) {
  ww_campaign_state end;
  screen x = {.terminal = isatty(STDERR_FILENO),
              .quiet = ww_is_quiet() || c->json,
              .shown = ww_now()};
  if (r->size > 1)
    snprintf(x.rank, sizeof x.rank, "rank %u: ", r->rank);
  struct sigaction on = {.sa_handler = on_signal};
  struct sigaction was;
  sigaction(SIGINT, &on, NULL);
  sigaction(SIGTERM, &on, NULL);
  sigaction(SIGHUP, NULL, &was);
  if (was.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &on, NULL);
  ww_campaign_sink sink = {
      .ctx = &x,
      .progress = show_progress,
      .stop = stop,
  };
  ww_campaign_job job = {.campaign = g,
                         .rank = r,
                         .target = t,
                         .plan = p,
                         .store = s,
                         .self = ww_self_path(c->arena),
                         .sink = &sink};
  bool quiet = ww_is_quiet();
  ww_set_quiet(true); /* one line of progress is enough */
  ww_status st = ww_campaign_run(&job, c->arena, &end, &c->err);
  ww_set_quiet(quiet);
  if (x.terminal && !x.quiet)
    fputs("\r\033[K", stderr);
  bool stopped = st == WW_ECANCEL;
  c->json ? show_end_json(&end, ww_store_path(s), t->gpu, stopped)
          : show_end(&end, stopped);
  if (stopped && !signals)
    st = WW_OK; /* its time was over, as asked for */
  if (st || !end.done || end.failed < end.done)
    return st;
  return ww_fail(&c->err, WW_EDATA, "every launch failed: %s", end.causes[0].text);
}

static ww_status collect(ww_cmd *c) {
  const options *o = c->opt;
  ww_campaign g;
  ww_rank r;
  ww_target t;
  ww_campaign_plan p;
  ww_store *s = NULL;
  const char *path = o->store;
  if (c->noperands)
    return ww_usage(c, "'%.60s': collect takes options only", c->operands[0]);
  if (campaign_of(c, o, &g) || ww_rank_find(&r, &c->err))
    return c->err.code;
  ww_rank_device(&r);
  if (path && r.size > 1)
    path = ww_fmt(c->arena, "%s.rank%u", path, r.rank);
  ww_status st = ww_target_find(&g, o->dry_run ? c->gpu : NULL, c->arena, &t, &c->err);
  if (!st && path && (!o->dry_run || ww_file_exists(path)))
    st = ww_store_open(path, o->dry_run ? WW_STORE_READ : WW_STORE_WRITE, &s, &c->err);
  if (!st)
    st = ww_campaign_plan_make(&g, &r, &t, s, &p, &c->err);
  if (!st)
    show_plan(c, &p, &t, &r, path);
  if (!st && !o->dry_run)
    st = run_campaign(c, &g, &r, &t, &p, s);
  ww_store_close(s);
  return st;
}

const ww_command ww_cmd_dataset_collect = {
    "collect",
    "measure launches of generated and corpus kernels into a store",
    "--store FILE [--count N] [--ready SPECS] [options]",
    .details = "Generates, compiles and measures; shows what it will do and the device "
               "seconds "
               "that will take first. A launch that\n"
               "the store has is never measured again: after Ctrl-C, a crash or "
               "--seconds the same "
               "command goes on. Under mpirun,\n"
               "srun or an indexed Kubernetes job each rank takes its part and writes "
               "FILE.rank<r>; `dataset merge` joins them.",
    .examples =
        "  warpwise dataset collect --store h200.sqlite --seed 7 --count 40000 "
        "--launches 8 "
        "--counters 0.15\n"
        "  warpwise dataset collect --store more.sqlite --count 2000 --grammar 2 "
        "--only "
        "gen.tree,gen.ode\n"
        "  warpwise dataset collect --store h200.sqlite --ready ready.jsonl --counters "
        "1\n"
        "  warpwise dataset collect --seed 7 --count 40000 --gpu h200 --dry-run\n"
        "  warpwise dataset collect --store small.sqlite --count 8 --launches 2 "
        "--device pocl\n"
        "  warpwise dataset collect --store repeat.sqlite --again h200.sqlite --sample "
        "500\n"
        "  mpirun -n 8 warpwise dataset collect --store h200.sqlite --seed 7 --count "
        "40000\n",
    WW_OPTIONS,
    .run = collect,
};

/* ---- merge ---- */

static bool same_file(const char *a, const char *b) {
  struct stat x;
  struct stat y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}

static ww_status merge(ww_cmd *c) {
  ww_store *s = NULL;
  if (c->noperands < 2)
    return ww_usage(c, "name the store to write and those to read: merge OUT IN...");
  for (uint32_t k = 1; k < c->noperands; k++) {
    if (same_file(c->operands[0], c->operands[k]))
      return ww_usage(c, "'%s' is both read and written", c->operands[k]);
    if (!ww_file_exists(c->operands[k]))
      return ww_fail(&c->err, WW_EIO, "no store '%s'; nothing was merged",
                     c->operands[k]);
  }
  ww_status st = ww_store_open(c->operands[0], WW_STORE_WRITE, &s, &c->err);
  for (uint32_t k = 1; !st && k < c->noperands; k++) {
    uint64_t added;
    uint64_t duplicates;
    st = ww_store_merge(s, c->operands[k], &added, &duplicates, &c->err);
    if (!st && c->json) {
      ww_line_print("merged:{from:%s,added:%lu,duplicates:%lu}", c->operands[k], added,
                    duplicates);
      fflush(stdout);
    } else if (!st && !ww_is_quiet())
      printf("%s: %" PRIu64 " rows added, %" PRIu64 " were there\n", c->operands[k],
             added, duplicates);
  }
  ww_store_close(s);
  return st;
}

const ww_command ww_cmd_dataset_merge = {
    "merge",
    "join stores, of the ranks of a campaign or of many machines",
    "OUT IN...",
    .details =
        "OUT is made, or added to. Of a launch that is there twice for the same GPU a "
        "measured row wins over a failure, one\n"
        "with counters adds them to one without, and else the first stays. A packed "
        "table "
        "(.zst) can be read, not written.",
    .examples = "  warpwise dataset merge all.sqlite h200.sqlite.rank*\n"
                "  warpwise dataset merge open.sqlite data/h200.sqlite.zst\n",
    .run = merge,
};

/* ---- pack ---- */

static ww_status pack(ww_cmd *c) {
  ww_store *s;
  struct stat there;
  if (c->noperands != 2)
    return ww_usage(c, "name a store and the packed file: pack STORE OUT.sqlite.zst");
  const char *out = c->operands[1];
  if (!ww_ends(out, ".zst"))
    return ww_usage(
        c, "'%s': a packed store's name ends in .zst, that is how it is known", out);
  ww_status st = ww_store_open(c->operands[0], WW_STORE_READ, &s, &c->err);
  if (st)
    return st;
  uint64_t rows;
  st = ww_store_count(s, &(ww_store_filter){.origin = -1, .failed = true}, &rows,
                      &c->err);
  if (!st)
    st = ww_store_pack(s, out, &c->err);
  ww_store_close(s);
  if (st || ww_is_quiet() || c->json)
    return st;
  if (stat(out, &there))
    return ww_fail(&c->err, WW_EIO, "%s: written, and cannot be looked at: %s", out,
                   strerror(errno));
  printf("%s: %" PRIu64 " rows in %.2f MB\n", out, rows, there.st_size / 1e6);
  return WW_OK;
}

const ww_command ww_cmd_dataset_pack = {
    "pack",
    "a store as one small file, as the shipped table is",
    "STORE OUT.sqlite.zst",
    .details = "Sorted, rounded to 16 significant bits and compressed. Every command "
               "that reads "
               "stores reads it.",
    .examples = "  warpwise dataset pack h200.sqlite data/h200.sqlite.zst\n",
    .run = pack,
};
