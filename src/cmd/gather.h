/* gather.h - all kernels of a folder of sources, and launches of them: what `dataset
 * plan`, `import` and `check` begin with.
 *
 * Each file is read in a process of its own. A kernel's launches are those that are
 * listed for it, the one its comment or the host code says, and sampled ones around
 * that (data/sample.h). */
#ifndef WW_CMD_GATHER_H
#define WW_CMD_GATHER_H

#include "../data/import.h"
#include "../data/note.h"
#include "../data/sample.h"
#include "../data/split.h"
#include "ready.h"

typedef struct {
  /* in */
  const char *dir;
  /* keys are corpus/<file>:<kernel>, and launches*.jsonl of the folder are listed
   * launches */
  bool corpus;
  bool structures; /* what the kernels are like is wanted */
  bool launches;   /* launches are wanted */
  ww_variants_options variants;
  const char *database;   /* compile_commands.json, as -p */
  const char *keep;       /* folder for what was read of each file; NULL: none */
  const char *dialect;    /* launches of this one alone: "cuda", "opencl"; NULL: of what
                             can be measured */
  uint32_t jobs, limit_s; /* processes; seconds for a file, 0: 600 */
} ww_gather_options;

typedef struct {
  const char *key, *family, *file, *name;
  ww_structure structure;
} ww_gathered_kernel;

typedef struct {
  ww_item item; /* its note is a ww_note */
  ww_note note;
  uint32_t kernel; /* index into kernels */
} ww_gathered_launch;

typedef struct {
  const char *file, *kernel; /* kernel: NULL, of the whole file */
  const char *message;
} ww_gathered_failure;

typedef struct {
  ww_source_files files;
  WW_VEC(ww_gathered_kernel) kernels;
  WW_VEC(ww_gathered_launch) launches;
  WW_VEC(ww_gathered_failure) failures;
  ww_variants_count count;
  uint32_t duplicates; /* kernels whose launches were dropped by ww_gather_distinct */
  uint32_t evaluated;  /* and by ww_gather_without */
} ww_gathered;

/* Where a person has to look: a kernel with other names, formatting, language, integer
 * types or tile sizes is 0.85 to 1 like itself; two people's plain loops for the same
 * thing have 0.5 to 0.74, different kernels of one shape reach 0.71 (docs/splits.md).
 */
#define WW_GATHER_ALIKE 0.7
/* Distinct paths: below it a kernel is a line or two that have no other form. */
#define WW_GATHER_LEAST 60

ww_status ww_gather(ww_cmd *c, const ww_gather_options *o, ww_gathered *out);
/* Drops the launches of kernels that are as alike to an earlier one as `alike` (0 to
 * 1). Needs structures. */
void ww_gather_distinct(ww_gathered *g, double alike);
/* Drops the launches of kernels that are as alike to one of `other` as copies are, and
 * large enough to be judged. Needs structures of both. */
void ww_gather_without(ww_gathered *g, const ww_gathered *other);
/* gather_write.c: compiles the launches (for --gpu, else for the device that is there)
 * and writes them as ready specs; those that do not compile become failures. */
ww_status ww_gather_write(
    ww_cmd *c, const char *path, const char *with, uint32_t jobs, ww_gathered *g);
void ww_gather_failed(ww_gathered *g,
                      const char *file,
                      const char *kernel,
                      const char *message,
                      ww_arena *a);
/* What was written, for a person or as JSON; returns how many launches are ready. */
uint32_t
ww_gather_print(ww_cmd *c, const ww_gathered *g, const ww_gpu *gpu, const char *path);
/* The value of an option: above 0, at most 1; NULL leaves *out. */
ww_status ww_share_option(ww_cmd *c, const char *name, const char *text, double *out);
/* Failures by cause (the message without what is special to one kernel), the most
 * frequent first.
 */
void ww_gather_print_failures(const ww_gathered *g, ww_arena *a, FILE *f);

#endif
