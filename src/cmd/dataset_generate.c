/* dataset_generate.c - `warpwise dataset generate`: kernels from the grammar, and
 * launches of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "../data/generate.h"
#include "../gpu/gpu.h"
#include "cmd.h"

typedef struct {
  uint64_t seed, count, first, style, launches;
  const char *dialect, *out, *grammar, *only;
} options;

static const ww_option table[] = {
    WW_OPTION(seed, "S", "which sequence of kernels (default 1)"),
    WW_OPTION(
        count, "N", "how many kernels (default 1); near-duplicates do not count", 'n'),
    WW_OPTION(first, "K", "leave out the first K of the sequence"),
    WW_OPTION(grammar, "V", "version of the grammar, 1 or 2 (default: the newest)"),
    WW_OPTION(
        only, "FAMILY,...", "kernels of these productions alone; others do not count"),
    WW_OPTION(dialect, "NAME", "cuda (default) or opencl"),
    WW_OPTION(style, "K", "0 is plain; others rename and reformat, the meaning stays"),
    WW_OPTION(
        launches, "L", "launches of each kernel for the GPU of --gpu (default h200)"),
    WW_OPTION(out,
              "PATH",
              "a folder: one file per kernel and launches.jsonl; a name that ends in "
              ".cu or .cl: "
              "all in it, "
              "launches in NAME.jsonl",
              'o'),
    {0},
};

typedef struct {
  ww_cmd *c;
  const options *o;
  ww_gen_dialect dialect;
  uint32_t sms;
  uint64_t l2;
  uint32_t grammar;
  ww_gen_some only;
  bool folder;
  ww_buf sources, launches; /* of the one file; of all kernels */
} job;

static const char *file_of(job *j, const ww_gen_kernel *k) {
  return j->folder ? ww_fmt(j->c->arena, "%s.%s", k->name,
                            j->dialect == WW_GEN_CUDA ? "cu" : "cl")
                   : ww_path_base(j->o->out ? j->o->out : "generated");
}

static ww_status
add_launches(job *j, const ww_gen_kernel *k, ww_arena *a, ww_json *members) {
  for (uint32_t n = 0; n < j->o->launches; n++) {
    ww_launch l;
    double us;
    ww_json line = {.out = &j->launches};
    ww_status st = ww_gen_launch(k, n, j->sms, j->l2, a, &l, &us, &j->c->err);
    if (st)
      return st;
    if (j->o->out)
      l.file = file_of(j, k);
    l.note = ww_fmt(a, "estimate_us %.3g", us);
    ww_launch_write(&l, members ? members : &line);
    if (!members)
      ww_buf_puts(&j->launches, "\n");
  }
  return WW_OK;
}

static ww_status
print_json(job *j, const ww_gen_kernel *k, const ww_buf *text, ww_arena *a) {
  ww_json *w = ww_line_begin();
  ww_json_put(
      w,
      "kernel:%s,index:%u,family:%s,productions:%s,structure:%s,source:%s,launches:[",
      k->name, k->index, k->family, k->productions,
      ww_fmt(a, "%016" PRIx64, k->structure), text->s);
  ww_status st = add_launches(j, k, a, w);
  ww_json_end_arr(w);
  ww_line_end(w);
  return st;
}

static ww_status one(job *j, const ww_gen_kernel *k, ww_arena *a) {
  ww_buf text = {0};
  ww_status st = WW_OK;
  const options *o = j->o;
  ww_gen_print(k, j->dialect, o->style, &text);
  if (j->c->json)
    st = print_json(j, k, &text, a);
  if (!st && o->out && o->launches)
    st = add_launches(j, k, a, NULL);
  if (!st && j->folder)
    st = ww_write_buf(ww_path_join(a, o->out, file_of(j, k)), &text, &j->c->err);
  else if (!st && o->out)
    ww_buf_add(&j->sources, text.s, text.n);
  else if (!st && !j->c->json)
    fwrite(text.s, 1, text.n, stdout);
  ww_buf_free(&text);
  return st;
}

static ww_status each(job *j) {
  ww_gen_stream *s =
      ww_gen_stream_new(j->grammar, j->o->seed ? j->o->seed : 1, &j->only);
  uint64_t last = j->o->first + (j->o->count ? j->o->count : 1);
  ww_status st = WW_OK;
  for (uint64_t at = 0; !st && at < last; at++) {
    ww_arena *a = ww_arena_new();
    ww_gen_kernel k;
    st = ww_gen_stream_next(s, a, &k, &j->c->err);
    if (!st && at >= j->o->first)
      st = one(j, &k, a);
    ww_arena_free(a);
    if (j->folder)
      ww_progress("kernels", at + 1, last);
  }
  ww_gen_stream_free(s);
  return st;
}

static ww_status prepare(job *j) {
  ww_cmd *c = j->c;
  const options *o = j->o;
  ww_gpu gpu;
  if (ww_word_option(c, "dialect", o->dialect, "cuda opencl") < 0)
    return WW_EUSAGE;
  j->dialect = ww_is(o->dialect, "opencl") ? WW_GEN_OPENCL : WW_GEN_CUDA;
  ww_status st = ww_gen_grammar(o->grammar, o->only, &j->grammar, &j->only, &c->err);
  if (st)
    return st;
  j->folder = o->out && !ww_ends(o->out, ".cu") && !ww_ends(o->out, ".cl");
  if (o->launches && !o->out && !c->json)
    return ww_usage(c, "--launches: name a folder with --out, or use --json");
  if (j->folder && mkdir(o->out, 0777) != 0 && errno != EEXIST)
    return ww_fail(&c->err, WW_EIO, "cannot make the folder '%s': %s", o->out,
                   strerror(errno));
  if (!o->launches)
    return WW_OK;
  st = ww_gpu_load(c->gpu ? c->gpu : "h200", c->arena, &gpu, &c->err);
  if (st)
    return st;
  j->sms = gpu.sms;
  j->l2 = gpu.l2_bytes;
  return WW_OK;
}

static ww_status run(ww_cmd *c) {
  job j = {
      .c = c,
      .o = c->opt,
  };
  const char *out = j.o->out;
  ww_status st = prepare(&j);
  if (!st)
    st = each(&j);
  if (!st && out && !j.folder)
    st = ww_write_buf(out, &j.sources, &c->err);
  if (!st && out && j.o->launches)
    st =
        ww_write_buf(ww_fmt(c->arena, j.folder ? "%s/launches.jsonl" : "%s.jsonl", out),
                     &j.launches, &c->err);
  ww_buf_free(&j.sources);
  ww_buf_free(&j.launches);
  return st;
}

const ww_command ww_cmd_dataset_generate = {
    "generate",
    "kernels from the grammar: the same numbers give the same sources everywhere",
    "[--seed S] [--count N] [--grammar V] [--only FAMILY,...] [--launches L] [--out "
    "PATH]",
    .details =
        "Prints sources, or with --json a line per kernel with its family, its source "
        "and "
        "its launches. Kernels are valid by\n"
        "construction; near-duplicates by structure are left out. Launches are spread "
        "over "
        "grids from one block to a\n"
        "thousand an SM and over times from 1.5 us to 10 ms on the GPU of --gpu.",
    .examples = "  warpwise dataset generate --seed 7 --count 3\n"
                "  warpwise dataset generate --count 100 --launches 4 --out kernels\n"
                "  warpwise dataset generate --count 10 --only gen.tree,gen.ode\n"
                "  warpwise dataset generate --count 10 --dialect opencl --json\n",
    WW_OPTIONS,
    .run = run,
};
