/* nvcc.h - nvcc, where it is installed: a CUDA source in, PTX or a cubin out.
 *
 * It runs confined, as clang does, with the programs that it starts: the toolkit's own,
 * the shell, and the host's preprocessor. */
#ifndef WW_CUDA_NVCC_H
#define WW_CUDA_NVCC_H

#include "../base/base.h"

const char *ww_nvcc_find(ww_arena *a);                      /* NULL: none */
const char *ww_nvcc_version(const char *nvcc, ww_arena *a); /* "nvcc 13.0.88" */
/* The last one that it has and whose PTX is read here, "sm_90a". */
const char *ww_nvcc_architecture(const char *nvcc, ww_arena *a);

/* The file of an instance's message; its line is the instance's place, from 1. */
#define WW_NVCC_INSTANCES "warpwise-instances"

typedef struct {
  const char *nvcc;         /* ww_nvcc_find's */
  const char *form;         /* "-ptx" or "-cubin" */
  const char *architecture; /* "sm_90" */
  /* as it is called in lines and messages, NULL: nothing; headers are looked for beside
   * it */
  const char *file;
  const char *text;            /* NULL: what stands in the file */
  const ww_strings *flags;     /* the user's */
  const ww_strings *instances; /* templates to instantiate: "kern<float, 4>"; or NULL */
  /* absolute folders: no file outside of them and of the system's can be read. NULL:
   * any
   */
  const char *const *visible;
  uint32_t nvisible;
  double timeout_s;
  /* out */
  const char *log; /* what it said of a source that it rejects; NULL: nothing */
} ww_nvcc_job;
/* The code lies in the arena. An error in the source is WW_EDATA with its place. */
ww_status ww_nvcc_run(ww_nvcc_job *j, ww_arena *a, char **code, size_t *n, ww_err *e);

/* ---- nvcc_text.c ---- */
/* The user's flags as nvcc or NVRTC takes them; what they do not know is left out. */
void ww_nvcc_words(const ww_strings *flags, bool nvcc, ww_arena *a, ww_strings *out);
/* "file(12): error: text" (nvcc and NVRTC alike), the next one of a log; returns what
 * follows it, NULL: none left. */
const char *ww_nvcc_next_error(const char *log, ww_arena *a, ww_err *out);

#endif
