/* settings.h - what an editor's user or a project says once and for all: GPU, flags,
 * launches, what is shown.
 *
 * The same members everywhere: `initializationOptions`, the section "warpwise" of the
 * editor's configuration, the project's .warpwise.json. One table (settings.c) reads
 * and checks them and is docs/editors.md's. A member that is wrong is named and left
 * out; the others count. */
#ifndef WW_SERVE_SETTINGS_H
#define WW_SERVE_SETTINGS_H

#include "../base/jsonread.h"
#include "../report/launch.h"

typedef struct {
  const char *kernel;
  ww_launch launch;
} ww_kernel_launch;

typedef struct {
  const char *gpu;   /* NULL: the H200, as assumed */
  const char **gpus; /* to compare; none: all */
  uint32_t ngpus;
  const char **flags; /* checked: definitions, folders, the language's standard */
  uint32_t nflags;
  const char **instantiate;
  uint32_t ninstantiate;
  ww_kernel_launch *launches;
  uint32_t nlaunches;
  const char *cache, *by;    /* as in ww_query_request; NULL: the default */
  uint64_t budget, debounce; /* warp instructions, 0: the default; ms */
  bool code_lens, inlay_hints, diagnostics, hover;
  double hint_percent; /* of the kernel's time that makes a line hot */
  double gain;         /* below it a finding is a hint, not an information */
  const char *project; /* path of the .warpwise.json that counts, NULL: none */
} ww_settings;

extern const ww_settings ww_settings_default;

typedef WW_VEC(const char *) ww_problems;
/* Puts the object's members over *s; everything lives in the arena. `dir`: what
 * relative paths start from, NULL: paths must be absolute. `strict`: members that
 * nobody knows are problems too (an editor's section has others of its own). null and
 * "" are not given. */
void ww_settings_add(ww_settings *s,
                     const cJSON *object,
                     const char *where,
                     const char *dir,
                     bool strict,
                     ww_arena *a,
                     ww_problems *problems);
/* The nearest .warpwise.json at or above the folder of `file` over *s. */
void ww_settings_project(ww_settings *s,
                         const char *file,
                         ww_arena *a,
                         ww_problems *problems);
void ww_settings_table(ww_buf *out);  /* the members as docs/editors.md shows them */
void ww_settings_schema(ww_buf *out); /* JSON Schema of .warpwise.json */

#endif
