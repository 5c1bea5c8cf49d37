/* library.h - calls of NVIDIA's libraries in an emulated program.
 *
 *   library.c   how a call is recorded; thrust
 *   cublas.c    vectors are computed (their results steer solvers), matrices are not
 *   cufft.c     plans; nothing is computed
 *   curand.c    numbers of the right distribution */
#ifndef WW_EMU_LIBRARY_H
#define WW_EMU_LIBRARY_H

#include "emu.h"

#pragma GCC visibility push(hidden)
/* Records the call under the library function's own name; 0, which is success in all
 * the libraries. Sizes that are 0 count as 1. */
int ww_emu_library(const char *function, const ww_library_call *call);
const char *ww_emu_type_of(int data_type); /* a cudaDataType */
#pragma GCC visibility pop

#endif
