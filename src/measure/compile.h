/* compile.h - from source to code that a device loads, many at a time, in child
 * processes, kept in a cache.
 *
 * CUDA: nvcc where it is found (the whole file, host code and all), else NVRTC on the
 * device code taken out of the file. NVRTC holds a lock per process, so parallel
 * compilation is by processes
 * (`warpwise` runs itself as a worker). */
#ifndef WW_MEASURE_COMPILE_H
#define WW_MEASURE_COMPILE_H

#include "../report/launch.h"

typedef struct {
  const char *file; /* source path */
  const char *text; /* source text when there is no file; NULL: read file */
  /* plain or mangled name, or a name expression: scale<float, 4>; NULL: no entry asked
   * for */
  const char *kernel;
  const char **flags; /* -D -I -std --use_fast_math ...; what the compiler does not know
                         is left out */
  uint32_t nflags;
  /* out */
  const char *binary;   /* path of the .cubin in the cache */
  const char *entry;    /* mangled name of the kernel in it */
  const char *compiler; /* "nvcc 13.0.88", "NVRTC 13.0" */
  /* code WW_OK when it worked; the compiler's first error otherwise, with its line */
  ww_err error;
} ww_compile_job;

typedef struct {
  const char *architecture; /* "sm_90" */
  const char *with;         /* "nvcc", "nvrtc", NULL: nvcc where found */
  uint32_t processes;       /* 0: one per core */
  uint32_t limit_s;         /* of nvcc for one file; 0: 600 */
  /* the program's own path, run as the worker; NULL: one after another in this process
   */
  const char *self;
  const char *cache;          /* folder; NULL: warpwise's cache folder */
  const _Atomic bool *cancel; /* becomes true: WW_ECANCEL; NULL */
} ww_compile_options;

/* Jobs with the same source and flags share a run. Fails only when no compiler is there
 * at all; else see each job's error. */
ww_status ww_compile(ww_compile_job *jobs,
                     uint32_t n,
                     const ww_compile_options *o,
                     ww_arena *a,
                     ww_err *e);
/* One unit after another, from lines on stdin; the worker (`warpwise measure
 * --compile-worker`). */
ww_status ww_compile_worker(FILE *in, FILE *out, ww_err *e);
/* An OpenCL source with the headers it includes, as one text. */
ww_status ww_opencl_source(const char *path,
                           const char *const *flags,
                           uint32_t nflags,
                           ww_arena *a,
                           const char **text,
                           ww_err *e);

#endif
