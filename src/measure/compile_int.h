/* compile_int.h - what the files of the compilation share.
 *
 * The way of a job: compile.c groups jobs into units (one run of a compiler each) and
 * looks in the cache, compile_pool.c hands units to child processes, a child compiles
 * with nvcc.c or nvrtc.c and answers with a line of JSON. */
#ifndef WW_MEASURE_COMPILE_INT_H
#define WW_MEASURE_COMPILE_INT_H

#include "../cuda/nvcc.h"
#include "compile.h"

typedef struct {
  const char *name; /* as the #include spells it */
  const char *path, *text;
} ww_header;
typedef WW_VEC(ww_header) ww_headers;

typedef struct {
  ww_arena *a;
  bool nvcc;                /* else NVRTC */
  const char *architecture; /* "sm_90" */
  const char *file, *text;  /* text NULL: in the file */
  ww_strings flags;
  ww_strings kernels; /* distinct, as asked for */
  uint32_t limit_s;   /* of nvcc for this file; 0: 600 */
  const char *out;    /* path of the .cubin to write; the same with .json behind it for
                         what is known of it */
  /* out */
  const char *compiler;
  const char **entries; /* per kernel: its mangled name in the code, NULL: it has none
                           that is meant */
} ww_unit_job;

/* ---- compile_unit.c: one unit, in this process ---- */
/* Compiles, writes out and its .json, fills the outs. The error is the compiler's first
 * one, with its place. */
ww_status ww_unit_compile(ww_unit_job *u, ww_err *e);
/* The error for a kernel that the unit's code has not. */
void ww_unit_no_entry(const ww_unit_job *u, const char *asked, ww_err *e);
/* The same from the cache; false: not there. */
bool ww_unit_cached(ww_unit_job *u);
/* Text of the unit's source; e->file is set when it cannot be read. */
ww_status ww_unit_text(const ww_unit_job *u, const char **text, ww_err *e);

/* ---- compile_pool.c ---- */
typedef struct {
  ww_unit_job job;
  ww_err error;
} ww_pool_unit;
/* Compiles every unit in `processes` children of `self`; results and errors go into the
 * units. */
ww_status ww_pool_run(ww_pool_unit **units,
                      uint32_t n,
                      uint32_t processes,
                      const char *self,
                      const _Atomic bool *cancel,
                      ww_arena *a,
                      ww_err *e);

/* ---- nvcc.c ---- */
/* Writes u->out; `instances` are name expressions of templates to instantiate. */
ww_status ww_nvcc_compile(const ww_unit_job *u,
                          const char *nvcc,
                          const ww_strings *instances,
                          ww_err *e);

/* ---- nvrtc.c ---- */
/* "NVRTC 13.0"; NULL: no library, e says what to do */
const char *ww_nvrtc_version(ww_arena *a, ww_err *e);
/* Writes u->out; `instances` are name expressions of kernels that must be in it. */
ww_status
ww_nvrtc_compile(const ww_unit_job *u, const ww_strings *instances, ww_err *e);

/* ---- nvrtc_headers.c: stand-ins for headers that NVRTC has no use for or no file of
 * ---- */
extern const char *const ww_nvrtc_headers[][2]; /* name, text; ends with NULL */
extern const char ww_nvrtc_prelude[], ww_nvrtc_math[], ww_nvrtc_algorithm[],
    ww_nvrtc_cub[]; /* nvrtc/, by device_text.c */

/* ---- compile_text.c ---- */
/* What stands behind `# name` on a line; NULL: it is another line. */
const char *ww_directive(const char *line, const char *name);
/* Local headers, found by their #include lines, each once: beside the file that
 * includes them, then in -I folders. */
void ww_compile_includes(const char *file,
                         const char *text,
                         const ww_strings *flags,
                         ww_arena *a,
                         ww_headers *out);
/* ---- device_code.c ---- */
/* The device code of a CUDA source: what NVRTC can compile (host functions and host
 * headers taken out, lines kept). Macros of other texts (the file's headers; NULL:
 * none) may stand for __device__ too. */
char *ww_device_code(const char *text, const ww_headers *others, ww_arena *a);
/* Takes out what stands on a line that a compiler rejected, in place; false: nothing to
 * take out.
 */
bool ww_device_code_without(char *text, uint32_t line, ww_arena *a);

/* ---- kernel_names.c ---- */
/* Names of the kernels in compiled code; nothing that is a cubin, or one cut short, is
 * WW_EDATA. */
ww_status
ww_kernels_of_code(const void *data, size_t n, ww_arena *a, ww_strings *out, ww_err *e);
/* The one of `kernels` that is meant by a plain or mangled name or a name expression;
 * NULL: none, or several. */
const char *ww_kernel_match(const ww_strings *kernels, const char *asked, ww_arena *a);
/* scale<float, 4> for _Z5scaleIfLi4EEvPT_; the name itself where it is not mangled. */
const char *ww_kernel_expression(const char *name, ww_arena *a);

#endif
