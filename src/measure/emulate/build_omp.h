/* build_omp.h - what the build of an emulated program needs for OpenMP. */
#ifndef WW_BUILD_OMP_H
#define WW_BUILD_OMP_H

#include "../../front/front.h"

/* C source of the table of regions that the runtime reads (runtime/omp.h, ww_omp_regions); goes
 * into the program's link. */
char *ww_emulate_omp_table(const ww_unit *u, ww_arena *a);

#endif
