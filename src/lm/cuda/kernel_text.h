/* kernel_text.h - the kernels inside the program: their sources, and their compiled
 * code where nvcc was there at build time. */
#ifndef WW_LM_CUDA_KERNEL_TEXT_H
#define WW_LM_CUDA_KERNEL_TEXT_H

#include "runtime.h"

typedef struct {
  const char *name; /* "norm.cu", "common.cuh" */
  const char *text;
  const uint8_t *code; /* a fat binary, or NULL */
} ww_kernel_text;

extern const ww_kernel_text ww_kernel_units[WW_NUNITS];
extern const ww_kernel_text ww_kernel_headers[]; /* ends with name NULL */

#endif
