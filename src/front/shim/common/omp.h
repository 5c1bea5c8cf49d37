/* omp.h: for host code to parse where clang's OpenMP headers are not installed; a real one wins. */
#ifndef WW_OMP_H
#define WW_OMP_H
#if __has_include_next(<omp.h>)
#include_next <omp.h>
#else
typedef struct { int unused; } omp_lock_t, omp_nest_lock_t;
enum omp_sched_t { omp_sched_static = 1, omp_sched_dynamic, omp_sched_guided, omp_sched_auto };
extern "C" {
double omp_get_wtime(void), omp_get_wtick(void);
int omp_get_num_threads(void), omp_get_max_threads(void), omp_get_thread_num(void), omp_get_num_procs(void), omp_in_parallel(void),
    omp_get_num_devices(void), omp_get_default_device(void), omp_is_initial_device(void), omp_get_dynamic(void), omp_get_nested(void), omp_test_lock(omp_lock_t *);
void omp_set_num_threads(int), omp_set_dynamic(int), omp_set_nested(int), omp_set_schedule(omp_sched_t, int), omp_set_default_device(int),
    omp_init_lock(omp_lock_t *), omp_destroy_lock(omp_lock_t *), omp_set_lock(omp_lock_t *), omp_unset_lock(omp_lock_t *);
}
#endif
#endif
