/* cubin.h - what can be read off compiled CUDA code without a driver: its variables,
 * and names behind mangled names. */
#ifndef WW_MEASURE_CUBIN_H
#define WW_MEASURE_CUBIN_H

#include "../base/base.h"

typedef struct {
  const char *name; /* mangled, as the driver wants it; lives as long as the image */
  uint64_t bytes;
  bool writable; /* __device__; else __constant__ */
} ww_cubin_global;

/* What stands behind `prefix` in the names of a cubin's sections, copies: ".text."
 * gives its functions. Every section must have a name inside the image: false where one
 * has not, or for anything but a cubin. */
bool ww_cubin_sections(
    const void *image, size_t n, const char *prefix, ww_arena *a, ww_strings *out);

/* The variables of a cubin; 0 for anything else (PTX, fat binaries, no ELF). */
uint32_t
ww_cubin_globals(const void *image, size_t n, ww_arena *a, ww_cubin_global **out);

/* What the assembler gave a thread of `kernel`; false: the image does not tell. */
typedef struct {
  uint32_t registers;
  uint32_t local_bytes; /* arrays, spills, the stack of calls */
} ww_cubin_resources;
bool ww_cubin_resources_of(const void *image,
                           size_t n,
                           const char *kernel,
                           ww_cubin_resources *out);

/* Whether `kernel`, or a function of the image that it may call, computes in half
 * precision. Compilers load constants and widen halves with the same instructions, and
 * the counters count those too: their first operand is the zero register. Code that
 * cannot be read (no cubin, before sm_70, no such kernel) may compute: true. */
bool ww_cubin_half(const void *image, size_t n, const char *kernel);

/* Whether `name`, as a source has it (scale, ns::scale, scale<float, 4>), may stand for
 * `mangled`: same last name. */
bool ww_name_matches(const char *name, const char *mangled);

#endif
