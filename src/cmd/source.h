/* source.h - from what a user names (files, a kernel, a launch, GPUs) to a kernel's IR,
 * what is known of its launch, and predictions of it. */
#ifndef WW_CMD_SOURCE_H
#define WW_CMD_SOURCE_H

#include "../query/query.h"
#include "limits.h"

/* What source files, kernel and launch were asked for; a command's options struct has
 * it as `source`. */
typedef struct {
  const char *kernel, *launch, *lang, *via, *database, *grid, *block, *shared;
  ww_strings args, instantiate;
  bool no_sdk;
  bool as_written; /* launches keep their names and expressions */
} ww_source_options;

/* Options of every command that reads source files: how to read them. */
/* clang-format off */
#define WW_FRONT_OPTIONS(T) \
  WW_OPTION_OF(T, source.lang, "lang", "LANG", \
            "cuda, opencl, hip or openmp; else by name and contents; of standard input " \
            "(FILE -) cuda"), \
  WW_OPTION_OF(T, source.via, "via", "COMPILER", \
            "clang, or nvcc, of whose PTX the kernels are read (CUDA)"), \
  WW_OPTION_OF(T, source.instantiate, "instantiate", "T", \
            "instantiate a template: 'kern<float,256>' (repeatable)"), \
  WW_OPTION_OF(T, source.no_sdk, "no-sdk", NULL, \
            "ignore installed CUDA and ROCm headers"), \
  WW_OPTION_OF(T, source.database, "compile-commands", "FILE", \
            "compile_commands.json or its folder; else found upward", 'p')
/* clang-format on */

/* And of those about one kernel and its launch. */
/* clang-format off */
#define WW_SOURCE_OPTIONS(T) \
  WW_OPTION_OF(T, source.kernel, "kernel", "NAME", \
            "which kernel: plain or mangled name", 'k'), \
  WW_OPTION_OF(T, source.launch, "launch", "FILE", \
            "launch spec: one JSON object, or one per line", 'l'), \
  WW_OPTION_OF(T, source.grid, "grid", "N[,N,N]", \
            "blocks; expressions over arguments: n/256", 'g'), \
  WW_OPTION_OF(T, source.block, "block", "N[,N,N]", "threads of a block", 'b'), \
  WW_OPTION_OF(T, source.shared, "shared", "BYTES", "dynamic shared memory"), \
  WW_OPTION_OF(T, source.args, "arg", "NAME=VALUE", \
            "n=1e6, 'x=f32[n]', 'idx=[n]:permutation' (repeatable; quote [ and <)", 'a'), \
  WW_FRONT_OPTIONS(T)
/* clang-format on */

extern const ww_source_options ww_source_plain; /* nothing was said */

/* Checks the files and collects what reading them needs: the options, flags of the
 * project's build, those of the launch spec (may be NULL), those behind `--`. */
ww_status ww_source_of(ww_cmd *c,
                       const ww_source_options *o,
                       const char **files,
                       uint32_t n,
                       const ww_launch *l,
                       ww_source *out);

/* The source that was read last, kept while the next launch is about the same one. All
 * zero: none.
 */
typedef struct {
  ww_query_unit read;
  const ww_module *module; /* of the unit */
  const ww_fn *fn;         /* what ww_source_kernel found: the kernel, */
  /* and what it took from the host code, in the command's arena */
  ww_assumptions said;
} ww_source_cache;
/* within limits */
ww_status ww_source_read(ww_cmd *c, const ww_source *s, ww_source_cache *cache);
void ww_source_free(ww_source_cache *cache);

/* The launches that the command line asks for: those of --launch, else one, with
 * nothing but the options in it. */
ww_status
ww_source_launches(ww_cmd *c, const ww_source_options *o, ww_launch **out, uint32_t *n);
/* The same, one for each kernel of the files where neither a spec nor --kernel names
 * one. */
ww_status ww_source_each(ww_cmd *c,
                         const ww_source_options *o,
                         ww_source_cache *cache,
                         ww_launch **out,
                         uint32_t *n);
/* What the options say of a launch (--grid, --arg, ...), to be put over what a spec
 * says. */
ww_status ww_source_over(ww_cmd *c, const ww_source_options *o, ww_launch *over);
/* The kernel one of them is about, and the launch with the weaker sources under it: the
 * host code's own launch, then the `// warpwise:` comment. */
ww_status ww_source_kernel(ww_cmd *c,
                           const ww_source_options *o,
                           ww_source_cache *cache,
                           ww_launch *launch);

/* ---- predictions: what predict, explain and roofline share ---- */

typedef struct {
  ww_source_options source;
  ww_limit_options limits;
  const char *cache, *by; /* as given; NULL: not */
  uint64_t budget;
  bool ptxas;
  bool program; /* launches follow one another: --cache may be `program` */
  bool text;    /* the language model is asked: sources are read as text */
} ww_ask_options;

/* Rows of the table of a command whose options struct begins with a `ww_ask_options`.
 */
/* clang-format off */
#define WW_PREDICT_OPTIONS \
  WW_SOURCE_OPTIONS(ww_ask_options), \
  WW_OPTION_OF(ww_ask_options, cache, "cache", "STATE", \
            "warm: caches as a first launch leaves them; cold (default)"), \
  WW_OPTION_OF(ww_ask_options, budget, "budget", "N", \
            "warp instructions to spend on sampling (default 500000)"), \
  WW_OPTION_OF(ww_ask_options, by, "by", "MODEL", \
            "machine: the machine model alone; grounded (default): with what measurements " \
            "taught; text (predict): a language model"), \
  WW_OPTION_OF(ww_ask_options, ptxas, "ptxas", NULL, \
            "CUDA: registers from nvcc or NVRTC where one is installed, else estimated")
/* clang-format on */

typedef struct {
  ww_cmd *c;
  const ww_ask_options *o;
  ww_query_targets targets;
  ww_launch *launches; /* that the options ask for: see ww_source_each */
  uint32_t n;
  ww_source_cache cache;
} ww_ask;
/* Options become GPUs and models, and launches; the first alone. */
ww_status ww_ask_open(ww_cmd *c, const ww_ask_options *o, ww_ask *out);
ww_status ww_ask_targets(ww_cmd *c, const ww_ask_options *o, ww_ask *out);

/* A launch and what the machine model says of it, per GPU of the targets. Lives in
 * `arena`, made per launch. */
typedef struct {
  ww_arena *arena;
  const ww_query_unit *read; /* in the source cache: gone with the next file */
  const ww_module *module;   /* the same */
  const ww_fn *fn;
  ww_launch launch; /* as given, weaker sources merged */
  ww_prediction *p; /* n of the targets; report.error says where there is none */
  uint32_t n;
} ww_answers;

/* HIP code for an AMD GPU as clang's backend builds it (ctx: ww_answers); nothing of
 * other code; nothing and why where it cannot be asked. */
ww_built
ww_built_by_clang(void *ctx, const ww_gpu *g, ww_arena *a, ww_assumptions *said);
/* The same, and CUDA code's registers as NVIDIA's assembler allocates them. */
ww_built
ww_built_by_ptxas(void *ctx, const ww_gpu *g, ww_arena *a, ww_assumptions *said);
/* On failure nothing is to be freed. A GPU that cannot run the code (another warp size)
 * gets an error of its own; the call fails when no GPU gives an answer. */
ww_status ww_answers_make(ww_ask *x, ww_launch *launch, ww_answers *out);
void ww_answers_free(ww_answers *a);

#endif
