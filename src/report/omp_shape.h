/* omp_shape.h - how many teams and threads OpenMP's runtime gives a target region on an
 * NVIDIA GPU.
 *
 * One place for those who read launches out of host code and those who run host code.
 * The rules are those of LLVM 19's offload runtime; environment variables that change
 * them (OMP_NUM_TEAMS, LIBOMPTARGET_...) are not looked at. */
#ifndef WW_OMP_SHAPE_H
#define WW_OMP_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* How a region runs, with the numbers clang writes into a kernel's environment. */
typedef enum {
  /* a main thread with workers waiting for it: one warp more than the team has threads
   */
  WW_OMP_GENERIC = 1,
  WW_OMP_SPMD = 2, /* all threads from the start */
  /* written as generic, made SPMD by the compiler; the grid is still a generic region's
   */
  WW_OMP_GENERIC_SPMD = 3
} ww_omp_mode;

typedef struct {
  uint8_t mode;                     /* ww_omp_mode */
  int64_t min_threads, max_threads; /* 0 or less: no bound */
} ww_omp_bounds;

typedef struct {
  /* num_teams; 0: not given; -1: a plain `target`, which is one team */
  int64_t teams;
  int64_t threads; /* thread_limit; 0: not given */
  uint64_t trips;  /* of the distributed loop; 0: unknown */
} ww_omp_request;

void ww_omp_shape(const ww_omp_bounds *b,
                  const ww_omp_request *r,
                  uint64_t *teams,
                  uint64_t *threads);

#endif
