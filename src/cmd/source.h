/* source.h - from what a user names (files, a kernel, a launch) to a kernel's IR and what is known
 * of its launch. */
#ifndef WW_CMD_SOURCE_H
#define WW_CMD_SOURCE_H

#include "../query/query.h"
#include "cmd.h"

/* What source files, kernel and launch were asked for; a command's options struct has it as
 * `source`. */
typedef struct {
  const char *kernel, *launch, *lang, *database, *grid, *block, *shared;
  ww_strings args, instantiate;
  bool no_sdk;
} ww_source_options;

/* Options of every command that reads source files: how to read them. */
/* clang-format off */
#define WW_FRONT_OPTIONS(T) \
  WW_OPTION(T, source.lang, "lang", "LANG", \
            "cuda, opencl, hip or openmp; else by name and contents"), \
  WW_OPTION(T, source.instantiate, "instantiate", "T", \
            "instantiate a template: 'kern<float,256>' (repeatable)"), \
  WW_OPTION(T, source.no_sdk, "no-sdk", NULL, \
            "ignore installed CUDA and ROCm headers"), \
  WW_OPTION(T, source.database, "compile-commands", "FILE", \
            "compile_commands.json or its folder; else found upward", 'p')
/* clang-format on */

/* And of those about one kernel and its launch. */
/* clang-format off */
#define WW_SOURCE_OPTIONS(T) \
  WW_OPTION(T, source.kernel, "kernel", "NAME", \
            "which kernel: plain or mangled name", 'k'), \
  WW_OPTION(T, source.launch, "launch", "FILE", \
            "launch spec: one JSON object, or one per line", 'l'), \
  WW_OPTION(T, source.grid, "grid", "N[,N,N]", \
            "blocks; expressions over arguments: n/256", 'g'), \
  WW_OPTION(T, source.block, "block", "N[,N,N]", "threads of a block", 'b'), \
  WW_OPTION(T, source.shared, "shared", "BYTES", "dynamic shared memory"), \
  WW_OPTION(T, source.args, "arg", "NAME=VALUE", \
            "n=1e6, 'x=f32[n]', 'idx=[n]:permutation' (repeatable; quote [ and <)", 'a'), \
  WW_FRONT_OPTIONS(T)
/* clang-format on */

/* Checks the files and collects what reading them needs: the options, flags of the project's build,
 * those of the launch spec (may be NULL), those behind `--`. */
ww_status ww_source_of(ww_cmd *c, const ww_source_options *o, const char **files, uint32_t n,
                       const ww_launch *l, ww_source *out);

/* The source that was read last, kept while the next launch is about the same one. All zero: none.
 */
typedef struct {
  ww_query *query;
  ww_query_unit read;
} ww_source_cache;
ww_status ww_source_read(ww_cmd *c, const ww_source *s, ww_source_cache *cache); /* within limits */

/* The launches that the command line asks for: those of --launch, else one, with nothing but the
 * options in it. */
ww_status ww_source_launches(ww_cmd *c, const ww_source_options *o, ww_launch **out, uint32_t *n);
/* The same, one for each kernel of the files where neither a spec nor --kernel names one. */
ww_status ww_source_each(ww_cmd *c, const ww_source_options *o, ww_source_cache *cache,
                         ww_launch **out, uint32_t *n);
/* What the options say of a launch (--grid, --arg, ...), to be put over what a spec says. */
ww_status ww_source_over(ww_cmd *c, const ww_source_options *o, ww_launch *over);
/* The kernel one of them is about, and the launch with the weaker sources under it: the host code's
 * own launch, then the
 * `// warpwise:` comment. `said` collects what was taken from the host code. */
ww_status ww_source_kernel(ww_cmd *c, const ww_source_options *o, ww_source_cache *cache,
                           ww_launch *launch, const ww_fn **fn, ww_assumptions *said);
void ww_source_free(ww_source_cache *cache);

#endif
