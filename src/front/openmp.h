/* openmp.h - OpenMP's device runtime and kernel environments; internal to src/front/.
 */
#ifndef WW_FRONT_OPENMP_H
#define WW_FRONT_OPENMP_H

#include "front_int.h"

typedef WW_VEC(ww_omp_env) ww_omp_envs;

/* Bitcode of the device runtime: a file of the cache, or an anonymous one that the
 * caller closes
 * (*fd >= 0). */
ww_status ww_openmp_runtime(const ww_clang_job *j,
                            bool nested,
                            ww_arena *a,
                            const char **path,
                            int *fd,
                            ww_err *e);
/* omp_args.c: scalars that travel as 64-bit integers get the type their use shows. */
void ww_openmp_scalars(ww_module *m);
void ww_openmp_environments(const ww_compiled *c, ww_arena *a, ww_omp_envs *out);

#endif
