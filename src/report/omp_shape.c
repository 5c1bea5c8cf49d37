/* omp_shape.c - the launch shape that LLVM's offload runtime chooses for an OpenMP
 * target region.
 *
 * Threads: the program's limit, else 128; a generic region with a limit gets one warp
 * more for its main thread. Teams: as the program says, else one iteration of the
 * distributed loop per thread (SPMD) or per team, at most 3200. An SPMD loop too short
 * to fill 3200 teams gets smaller teams, down to one warp, where the program gave no
 * limit. */
#include "omp_shape.h"

enum {
  WARP = 32,
  MOST_THREADS = 1024,
  DEFAULT_THREADS = 128,
  DEFAULT_TEAMS = 3200,
  LEAST_THREADS = 32
};
#define MOST_TEAMS 0x7fffffffull

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static uint64_t power_of_two_from(uint64_t v) {
  uint64_t p = 1;
  while (p < v)
    p *= 2;
  return p;
}

static uint64_t threads_of(const ww_omp_bounds *b, const ww_omp_request *r) {
  uint64_t most =
      b->max_threads > 0 ? least(b->max_threads, MOST_THREADS) : MOST_THREADS;
  uint64_t want =
      b->min_threads > DEFAULT_THREADS ? (uint64_t)b->min_threads : DEFAULT_THREADS;
  if (r->threads > 0)
    want = (uint64_t)r->threads + (b->mode == WW_OMP_GENERIC ? WARP : 0);
  return least(most, want);
}

/* Teams for a loop of which each thread takes one iteration; makes the teams smaller
 * where there would be too few. */
static uint64_t teams_for_loop(uint64_t trips, bool limited, uint64_t *threads) {
  uint64_t small = least(LEAST_THREADS, *threads);
  if (!limited && trips < DEFAULT_TEAMS * *threads) {
    uint64_t fit = power_of_two_from((trips + DEFAULT_TEAMS - 1) / DEFAULT_TEAMS);
    *threads = trips >= DEFAULT_TEAMS * small ? least(*threads, fit) : small;
  }
  return (trips - 1) / *threads + 1;
}

void ww_omp_shape(const ww_omp_bounds *b,
                  const ww_omp_request *r,
                  uint64_t *teams,
                  uint64_t *threads) {
  *threads = threads_of(b, r);
  if (r->teams) {
    *teams = r->teams < 0 ? 1 : least(r->teams, MOST_TEAMS);
    return;
  }
  *teams = DEFAULT_TEAMS;
  if (!r->trips)
    return;
  uint64_t all = b->mode == WW_OMP_SPMD
                     ? teams_for_loop(r->trips, r->threads > 0, threads)
                     : r->trips;
  *teams = least(all, DEFAULT_TEAMS);
}
