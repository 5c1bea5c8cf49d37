/* verify.c - `warpwise verify`: are two kernels the same? */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../opt/verify.h"

#include "../base/watchdog.h"
#include "../opt/verify_job.h"
#include "measure_job.h"
#include "source.h"

#define MOST_TEXT (16u << 20) /* bytes of a source */

typedef struct {
  ww_source_options source;
  ww_limit_options limits;
  const char *new_kernel, *new_launch, *new_grid, *new_block, *new_shared;
  const char *propose, *resume;
  ww_strings sizes;
  uint64_t seed, budget;
  bool finite, no_overlap, measure;
} options;

static const ww_option table[] = {
    WW_SOURCE_OPTIONS(options),
    WW_OPTION_AS(
        new_kernel, "new-kernel", "NAME", "the new kernel, else the same name"),
    WW_OPTION_AS(new_launch, "new-launch", "FILE", "launch spec of the new kernel"),
    WW_OPTION_AS(new_grid, "new-grid", "N[,N,N]", "its blocks, else the old kernel's"),
    WW_OPTION_AS(new_block, "new-block", "N[,N,N]", "threads of its blocks"),
    WW_OPTION_AS(new_shared, "new-shared", "BYTES", "its dynamic shared memory"),
    WW_OPTION_AS(sizes,
                 "size",
                 "NAME=N[,N...]",
                 "only these values of a size: 'n=32,64' (repeatable)"),
    WW_OPTION(
        seed, "N", "of the contents, to repeat a run (default: another each time)"),
    WW_OPTION(budget, "N", "warp instructions over all runs (default 50 million)"),
    WW_OPTION(finite, NULL, "no NaN and no infinity among the inputs"),
    WW_OPTION_AS(no_overlap, "no-overlap", NULL, "no two pointers to the same buffer"),
    WW_OPTION(propose,
              "JOB",
              "if they are the same, write both at full size as a job for `measure "
              "--job` on another machine"),
    WW_OPTION(resume, "JOB", "what a device found of such a job"),
    WW_OPTION(measure, NULL, "if they are the same, run both at full size on a device"),
    WW_LIMIT_OPTIONS(options, "120"),
    {0},
};

/* One of the two: its source read, its kernel and what is known of its launch found. */
static ww_status read_side(ww_cmd *c,
                           const ww_source_options *o,
                           const char *file,
                           ww_source_cache *cache,
                           ww_verify_side *out) {
  ww_launch *launches;
  uint32_t n;
  ww_source_options keep = *o;
  keep.as_written = true; /* names and expressions follow the sizes */
  c->operands = WW_NEWN(c->arena, const char *, 2);
  c->operands[0] = file;
  c->noperands = 1;
  ww_status st = ww_source_launches(c, &keep, &launches, &n);
  if (!st)
    st = ww_source_kernel(c, &keep, cache, launches);
  if (!st)
    *out = (ww_verify_side){cache->module, cache->fn, *launches};
  if (st == WW_EUNSUPPORTED)
    ww_diags_blame(cache->read.unit, cache->fn, &c->err);
  return st;
}

/* Without a name it is the kernel of the old one's, else the only one. */
static ww_status read_new(ww_cmd *c,
                          const options *o,
                          const char *file,
                          const char *old,
                          ww_source_cache *cache,
                          ww_verify_side *out) {
  ww_source_options s = o->source;
  s.kernel = o->new_kernel ? o->new_kernel : old;
  s.launch = o->new_launch;
  s.grid = o->new_grid;
  s.block = o->new_block;
  s.shared = o->new_shared;
  s.args = (ww_strings){0};
  ww_status st = read_side(c, &s, file, cache, out);
  if (st != WW_EUSAGE || o->new_kernel)
    return st;
  s.kernel = NULL;
  c->err = (ww_err){0};
  return read_side(c, &s, file, cache, out);
}

static void show(const ww_cmd *c,
                 const ww_verdict *v,
                 const ww_verify_side *old,
                 const ww_verify_side *new) {
  if (c->json) {
    ww_json *j = ww_line_begin();
    ww_json_put(j, "old:{kernel:%s,file?:%s},new:{kernel:%s,file?:%s}", old->fn->name,
                old->fn->file, new->fn->name, new->fn->file);
    ww_verdict_write(v, j);
    ww_line_end(j);
    return;
  }
  ww_buf text = {0};
  ww_verdict_print(v, old, new, &text);
  ww_print_buf(&text);
}

/* It looks at the clock between cases and inside them, but a busy machine may leave it
 * no second in which to do so. */
#define LATE_GRACE_S 20.0

/* No verdict, but what was compared until then is not lost. */
static ww_status late(ww_cmd *c, const char *what, const ww_verdict *v) {
  ww_status st = ww_limits_late(c, what, &c->err);
  size_t n = strlen(c->err.msg);
  if (v->cases && v->same)
    snprintf(c->err.msg + n, sizeof c->err.msg - n,
             " (until then they were the same in %u cases, seed %llu)", v->cases,
             (unsigned long long)v->seed);
  return st;
}

static ww_status
compare(ww_cmd *c, const ww_verify_side *old, const ww_verify_side *new) {
  const options *o = c->opt;
  ww_arena *a = ww_arena_new();
  ww_verify_options how = {.seed = o->seed ? o->seed : ww_verify_fresh_seed(),
                           .budget = o->budget,
                           .finite = o->finite,
                           .apart = o->no_overlap,
                           .sizes = o->sizes,
                           .cancelled = ww_watchdog_over};
  ww_verdict v;
  const char *what = ww_fmt(a, "kernels `%s` and `%s`", old->fn->name, new->fn->name);
  c->limits.grace = LATE_GRACE_S;
  ww_limits_begin(c, what);
  ww_status st = ww_verify(old, new, &how, a, &v, &c->err);
  ww_limits_end(c);
  if (st == WW_ECANCEL)
    st = late(c, what, &v);
  if (!st) {
    show(c, &v, old, new);
    c->missed = !v.same;
  } else if (c->err.file)
    c->err.file = ww_strdup(c->arena, c->err.file);
  ww_arena_free(a);
  return st;
}

/* ---- at full size, on a device ---- */

/* What a device found of a job of ours. */
static ww_status show_found(ww_cmd *c, const char *path) {
  ww_job job;
  bool same;
  ww_status st = ww_verify_resume(path, c->arena, &job, &same, &c->err);
  if (st)
    return st;
  const ww_job_candidate *new = &job.v.v[1];
  const ww_job_result *r = &new->result;
  c->missed = !same;
  if (c->json) {
    ww_json *j = ww_line_begin();
    ww_json_put(j, "kernel:%s,full_size:%i,same:%i", new->kernel, true, same);
    ww_job_result_write(new->id, r, j);
    ww_line_end(j);
    return WW_OK;
  }
  printf("%s at full size  %s  on %s\n", same ? "same" : "different", new->kernel,
         r->device ? r->device : "?");
  if (!same)
    printf("  %s: %s\n", ww_job_state_names[r->state], r->why ? r->why : "?");
  return WW_OK;
}

static ww_status propose(ww_cmd *c,
                         const ww_verify_side *side,
                         const char *const *file,
                         const char *to) {
  ww_source source[2] = {0};
  for (int s = 0; s < 2; s++) {
    char *text;
    size_t n;
    ww_status st = ww_read_file(c->arena, file[s], MOST_TEXT, &text, &n, &c->err);
    if (st)
      return st;
    source[s] = (ww_source){.path = file[s],
                            .text = text,
                            .flags = (const char **)c->rest,
                            .nflags = c->nrest};
  }
  return ww_verify_propose(side, source, to, c->arena, &c->err);
}

/* A job that is made, measured and answered in one. */
static ww_status
measure_here(ww_cmd *c, const ww_verify_side *side, const char *const *file) {
  const char *tmp = getenv("TMPDIR");
  char *folder =
      ww_fmt(c->arena, "%s/warpwise-verify-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  int slot = -1;
  if (!ww_temp_folder(folder, &slot))
    return ww_fail(&c->err, WW_EIO, "cannot make '%s': %s", folder, strerror(errno));
  const char *job = ww_fmt(c->arena, "%s/job", folder);
  ww_status st = propose(c, side, file, job);
  if (!st)
    st = ww_cmd_measure_job(c, job, &(ww_job_how){.device = c->device});
  if (!st)
    st = show_found(c, job);
  ww_remove_tree(folder);
  ww_cleanup_forget(slot);
  return st;
}

static ww_status go_on(ww_cmd *c, const ww_verify_side *side, const char *const *file) {
  const options *o = c->opt;
  if (c->missed)
    return WW_OK;
  if (o->measure)
    return measure_here(c, side, file);
  ww_status st = o->propose ? propose(c, side, file, o->propose) : WW_OK;
  if (!st && o->propose && !c->json)
    printf("next: `warpwise measure --job %s` where the device is, then `warpwise "
           "verify --resume %s`\n",
           o->propose, o->propose);
  return st;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  if (o->resume)
    return c->noperands ? ww_usage(c, "--resume takes the job alone")
                        : show_found(c, o->resume);
  ww_source_cache cache[2] = {0};
  ww_verify_side side[2];
  const char *files[2] = {c->noperands ? c->operands[0] : NULL,
                          c->noperands ? c->operands[c->noperands - 1] : NULL};
  if (!c->noperands || c->noperands > 2)
    return ww_usage(c, "name two sources, or one and the kernels of it by --kernel and "
                       "--new-kernel");
  if (c->noperands == 1 && !o->new_kernel)
    return ww_usage(c, "one source: name its second kernel by --new-kernel");
  if (ww_limits_read(&o->limits, 120, 0, c))
    return c->err.code;
  ww_status st = read_side(c, &o->source, files[0], &cache[0], &side[0]);
  /* one source is read once: what was read of it is kept. An instance of a template is
   * a reading of its own, and ends the one before it. */
  bool two = !st && (strcmp(files[0], files[1]) != 0 || strchr(side[0].fn->name, '<'));
  if (!st)
    st = read_new(c, o, files[1], side[0].fn->name, &cache[two], &side[1]);
  if (!st)
    st = compare(c, &side[0], &side[1]);
  if (!st)
    st = go_on(c, side, files);
  for (int s = 0; s < 2; s++)
    ww_source_free(&cache[s]);
  return st;
}

const ww_command ww_cmd_verify = {
    "verify",
    "are two kernels the same? both run whole at small sizes, over cases that tell "
    "them "
    "apart",
    "OLD NEW [options] [-- clang flags] | --resume JOB",
    .details =
        "Exit code 0: the same in every case; 1: different, and the first difference "
        "is "
        "named. Cases: sizes around warps, blocks\n"
        "and tiles, 0, 1, primes, powers of two; negative, tiny, huge and special "
        "floats; pointers moved by an element; buffers\n"
        "that overlap. Results in several orders of the threads, races, accesses out "
        "of "
        "range. Floats may be as far from\n"
        "double precision as twice the old kernel's own.",
    .examples =
        "  warpwise verify matmul.cu tiled.cu\n"
        "  warpwise verify matmul.cu --kernel naive --new-kernel tiled\n"
        "  warpwise verify sum.cu fast.cu --new-grid 'n/1024+1' --new-block 256 "
        "--json\n"
        "  warpwise verify old.cu new.cu --size n=64,128,4096 --seed 7\n"
        "  warpwise verify old.cu new.cu --measure              # and at full size\n",
    WW_OPTIONS,
    .run = run,
};
