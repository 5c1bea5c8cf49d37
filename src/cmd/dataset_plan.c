/* dataset_plan.c - `warpwise dataset plan`: launches of all kernels of the corpus,
 * ready for a machine that only measures. */
#include "gather.h"

typedef struct {
  const char *output, *with;
  uint64_t launches, seed, jobs;
  bool listed;
} options;

#define LAUNCHES 12

static const ww_option table[] = {
    WW_OPTION(output,
              "OUT",
              "the ready launches, one a line; their code goes into OUT.d",
              'o'),
    WW_OPTION(launches,
              "N",
              "sampled launches of a kernel, beside those listed (default 12)"),
    WW_OPTION(listed, NULL, "only the launches that the corpus lists, none sampled"),
    WW_OPTION(seed, "N", "of the sampled launches (default 1)"),
    WW_OPTION(with, "COMPILER", "nvcc or nvrtc; else nvcc where it is found"),
    WW_OPTION(jobs, "N", "processes (default: one per core)", 'j'),
    {0},
};

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  ww_gpu gpu;
  ww_gathered g;
  if (c->noperands != 1 || !o->output)
    return ww_usage(
        c, "name the corpus and where the launches go: corpus/ -o ready.jsonl");
  ww_params params;
  if (!c->gpu)
    c->gpu = "h200";
  if (ww_gpu_load(c->gpu, c->arena, &gpu, &c->err) ||
      ww_params_load(c->arena, &params, &c->err))
    return c->err.code;
  ww_gather_options how = {.dir = c->operands[0],
                           .corpus = true,
                           .launches = true,
                           .jobs = o->jobs,
                           .variants = {.gpu = &gpu,
                                        .params = &params,
                                        .launches = o->listed     ? 0
                                                    : o->launches ? o->launches
                                                                  : LAUNCHES,
                                        .seed = o->seed ? o->seed : 1}};
  if (ww_gather(c, &how, &g) || ww_gather_write(c, o->output, o->with, o->jobs, &g))
    return c->err.code;
  return ww_gather_print(c, &g, &gpu, o->output)
             ? WW_OK
             : ww_fail(&c->err, WW_EDATA, "no launch is ready");
}

const ww_command ww_cmd_dataset_plan = {
    "plan",
    "launches of all kernels of the corpus, compiled and ready for a machine that only "
    "measures",
    "CORPUS -o OUT.jsonl [--launches N] [--gpu NAME]",
    .details = "The launches that the corpus lists (launches*.jsonl, the comments "
               "above the kernels), and "
               "sampled ones around them: sizes\n"
               "from cache-resident to many times L2, grids from idle SMs to many "
               "waves, blocks where the "
               "kernel allows it. Each\n"
               "is run by the interpreter first. `dataset collect --ready OUT.jsonl` "
               "measures them.",
    .examples =
        "  warpwise dataset plan corpus/ --launches 12 --gpu h200 -o ready.jsonl\n",
    WW_OPTIONS,
    .run = run,
};
