/* optimize.c - `warpwise optimize`: a kernel rewritten to be faster, verified, as a
 * patch. */
#include "../opt/optimize.h"

#include <stdlib.h>
#include <unistd.h>

#include "../predict/show/show.h"
#include "source.h"

#define SECONDS 110

typedef struct {
  ww_ask_options ask;
  const char *patch, *page, *output, *propose, *resume;
  uint64_t beam, rounds, seed, seconds;
  bool allow_approx, may_overlap, all;
} options;

static const ww_option table[] = {
    WW_SOURCE_OPTIONS(ww_ask_options),
    WW_OPTION(patch, "FILE", "write the change for `git apply` ('-': stdout)"),
    WW_OPTION(output, "FILE", "write the new source ('-': stdout)"),
    WW_OPTION(page, "FILE", "write a page: before and after, what was tried"),
    WW_OPTION(
        propose,
        "JOB",
        "write what was verified as a job for `measure --job` on another machine"),
    WW_OPTION(resume, "JOB", "take the fastest that was measured of such a job"),
    WW_OPTION(beam, "N", "kernels that each round goes on from (default 3)"),
    WW_OPTION(rounds, "N", "rewrites on top of one another (default 5)"),
    WW_OPTION_AS(allow_approx,
                 "allow-approx",
                 NULL,
                 "rewrites that give other last digits, such as fast math"),
    WW_OPTION_AS(may_overlap,
                 "may-overlap",
                 NULL,
                 "buffers may overlap: no rewrite that needs them apart"),
    WW_OPTION(all, NULL, "list candidates without a gain, too"),
    WW_OPTION(seed, "N", "of verify's contents (default: another each time)"),
    WW_OPTION(seconds, "N", "time that it may take (default 110)"),
    WW_OPTION_OF(ww_ask_options,
                 by,
                 "by",
                 "MODEL",
                 "machine: the machine model alone; grounded (default): with what "
                 "measurements taught"),
    {0},
};

static ww_status request(ww_cmd *c, ww_ask *ask, ww_optimize_request *out) {
  const options *o = c->opt;
  ww_launch *launches;
  uint32_t n;
  ww_status st = ww_source_launches(c, &o->ask.source, &launches, &n);
  if (!st)
    st = ww_ask_targets(c, &o->ask, ask);
  if (st)
    return st;
  if (n != 1)
    return ww_usage(c, "optimize takes one launch at a time");
  c->file = launches->file;
  *out = (ww_optimize_request){.targets = &ask->targets,
                               .launch = *launches,
                               .beam = o->beam,
                               .rounds = o->rounds,
                               .seed = o->seed ? o->seed : ww_verify_fresh_seed(),
                               .approximate = o->allow_approx,
                               .overlap = o->may_overlap};
  out->deadline = ww_now() + (o->seconds ? o->seconds : SECONDS);
  const char *file = launches->file;
  const char **files = c->noperands ? c->operands : &file;
  return ww_source_of(c, &o->ask.source, files, c->noperands ? c->noperands : 1,
                      launches, &out->source);
}

/* As it is seen from here: what a patch calls the file. */
static const char *seen_from_here(const char *path, ww_arena *a) {
  char *here = getcwd(NULL, 0);
  size_t n = here ? strlen(here) : 0;
  const char *out = path;
  if (n > 1 && !strncmp(path, here, n) && path[n] == '/')
    out = ww_strdup(a, path + n + 1);
  free(here);
  return ww_starts(out, "./") ? out + 2 : out;
}

static ww_status write_files(ww_cmd *c, const ww_optimized *r, const ww_gpu *g) {
  const options *o = c->opt;
  const char *old = r->v.v[0].text;
  const char *now = r->v.v[r->best].text;
  ww_status st = WW_OK;
  ww_buf b = {0};
  if (o->patch) {
    ww_patch_write(seen_from_here(r->path, c->arena), old, now, c->arena, &b);
    st = ww_write_text(o->patch, &b, &c->err);
  }
  if (!st && o->output) {
    ww_buf_puts(&b, now);
    st = ww_write_text(o->output, &b, &c->err);
  }
  if (!st && o->page) {
    ww_optimized_page(r, g, c->arena, &b);
    st = ww_write_text(o->page, &b, &c->err);
  }
  return st;
}

static void show(const ww_cmd *c, const ww_optimized *r) {
  const options *o = c->opt;
  bool taken = ww_is(o->patch, "-") || ww_is(o->output, "-");
  if (c->json) {
    ww_json *j = ww_line_begin();
    ww_optimized_write(r, j);
    ww_line_end(j);
  } else if (!taken) {
    ww_buf text = {0};
    ww_optimized_print(r, o->all, &text);
    if (r->best && !o->patch) {
      ww_buf_puts(&text, "\n");
      ww_patch_write(seen_from_here(r->path, c->arena), r->v.v[0].text,
                     r->v.v[r->best].text, c->arena, &text);
    }
    ww_print_buf(&text);
  }
}

/* A line that counts on a terminal. */
static void tell(void *ctx, const ww_candidate *k, uint32_t id) {
  const ww_cmd *c = ctx;
  char us[16];
  if (c->quiet || !isatty(STDERR_FILENO))
    return;
  fprintf(stderr, "\r\033[K%u %s: %s", id, k->title, ww_show_us(k->us, us));
}

static ww_status search(ww_cmd *c, ww_ask *ask, ww_optimized *r) {
  const options *o = c->opt;
  ww_optimize_request q;
  ww_status st = request(c, ask, &q);
  if (st)
    return st;
  q.ctx = c;
  q.tried = tell;
  st = ww_optimize(&q, c->arena, r, &c->err);
  if (!c->quiet && isatty(STDERR_FILENO))
    fputs("\r\033[K", stderr);
  if (!st && o->propose)
    st = ww_optimized_propose(r, &q, o->propose, c->arena, &c->err);
  return st;
}

/* The job says all: which kernel, which texts, which times. */
static ww_status resume(ww_cmd *c, ww_optimized *r) {
  const options *o = c->opt;
  uint32_t measured;
  if (o->page || o->propose || c->noperands)
    return ww_usage(c,
                    "--resume takes the job alone, with --patch, --output or --json");
  ww_status st = ww_optimized_resume(o->resume, c->arena, r, &measured, &c->err);
  if (!st && !measured)
    st = ww_fail(&c->err, WW_EUSAGE,
                 "nothing of '%s' is measured yet: run `warpwise measure --job` on it",
                 o->resume);
  return st;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  ww_ask ask = {0};
  ww_optimized r;
  if (!c->noperands && !o->ask.source.launch && !o->resume)
    return ww_usage(c, "name a source file");
  ww_status st = o->resume ? resume(c, &r) : search(c, &ask, &r);
  if (!st)
    st = write_files(c, &r, ask.targets.gpus);
  if (!st)
    show(c, &r);
  return st;
}

const ww_command ww_cmd_optimize = {
    "optimize",
    "makes a kernel faster: rewrites are predicted, verified, and come as a patch",
    "FILE [options] [-- clang flags]",
    .details =
        "Rewrites of the source (block sizes, coalescing, atomics, registers, loops) "
        "are "
        "tried on top of one another;\n"
        "what promises a gain is verified against the original in the interpreter. No "
        "GPU is needed. A change of the\n"
        "launch is made in the kernel's comment and in <<<...>>> of the same file.",
    .examples = "  warpwise optimize matmul.cu --patch matmul.patch\n"
                "  warpwise optimize sum.cu --kernel sum --arg n=1e7 --gpu h200\n"
                "  warpwise optimize blur.cu --page blur.html --json\n",
    WW_OPTIONS,
    .run = run,
};
