/* The OpenMP API as kernels and host code see it; a small omp.h of our own, so that no libomp-dev is needed.
 *
 * On the device these functions come from ww_devicertl.c; on the host they are only declared. */
#ifndef WW_OMP_H
#define WW_OMP_H
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define WW_OMP_DEFAULT(v) = v
#else
#define WW_OMP_DEFAULT(v)
#endif

typedef enum omp_sched_t { omp_sched_static = 1, omp_sched_dynamic = 2, omp_sched_guided = 3, omp_sched_auto = 4, omp_sched_monotonic = (int)0x80000000 } omp_sched_t;
typedef enum omp_proc_bind_t { omp_proc_bind_false, omp_proc_bind_true, omp_proc_bind_master, omp_proc_bind_close, omp_proc_bind_spread } omp_proc_bind_t;
typedef enum omp_sync_hint_t {
  omp_sync_hint_none = 0, omp_lock_hint_none = 0, omp_sync_hint_uncontended = 1, omp_lock_hint_uncontended = 1, omp_sync_hint_contended = 2,
  omp_lock_hint_contended = 2, omp_sync_hint_nonspeculative = 4, omp_lock_hint_nonspeculative = 4, omp_sync_hint_speculative = 8, omp_lock_hint_speculative = 8
} omp_sync_hint_t;
typedef omp_sync_hint_t omp_lock_hint_t;
typedef enum omp_pause_resource_t { omp_pause_soft = 1, omp_pause_hard = 2 } omp_pause_resource_t;
typedef struct omp_lock_t { void *_lk; } omp_lock_t;
typedef struct omp_nest_lock_t { void *_lk; } omp_nest_lock_t;

/* Threads and teams. */
void omp_set_num_threads(int);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
void omp_set_dynamic(int);
int omp_get_dynamic(void);
void omp_set_nested(int);
int omp_get_nested(void);
int omp_get_thread_limit(void);
void omp_set_max_active_levels(int);
int omp_get_max_active_levels(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_ancestor_thread_num(int);
int omp_get_team_size(int);
int omp_in_final(void);
int omp_get_num_teams(void);
int omp_get_team_num(void);
void omp_set_num_teams(int);
int omp_get_max_teams(void);
void omp_set_teams_thread_limit(int);
int omp_get_teams_thread_limit(void);
int omp_get_cancellation(void);
omp_proc_bind_t omp_get_proc_bind(void);
void omp_set_schedule(omp_sched_t, int);
void omp_get_schedule(omp_sched_t *, int *);

/* Locks. */
void omp_init_lock(omp_lock_t *);
void omp_init_lock_with_hint(omp_lock_t *, omp_sync_hint_t);
void omp_destroy_lock(omp_lock_t *);
void omp_set_lock(omp_lock_t *);
void omp_unset_lock(omp_lock_t *);
int omp_test_lock(omp_lock_t *);
void omp_init_nest_lock(omp_nest_lock_t *);
void omp_destroy_nest_lock(omp_nest_lock_t *);
void omp_set_nest_lock(omp_nest_lock_t *);
void omp_unset_nest_lock(omp_nest_lock_t *);
int omp_test_nest_lock(omp_nest_lock_t *);

/* Time. */
double omp_get_wtime(void);
double omp_get_wtick(void);

/* Devices and their memory. */
int omp_get_num_devices(void);
int omp_get_default_device(void);
void omp_set_default_device(int);
int omp_is_initial_device(void);
int omp_get_initial_device(void);
int omp_get_device_num(void);
void *omp_target_alloc(size_t, int);
void omp_target_free(void *, int);
int omp_target_is_present(const void *, int);
int omp_target_memcpy(void *, const void *, size_t, size_t, size_t, int, int);
int omp_target_memcpy_rect(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *, const size_t *, const size_t *, int, int);
int omp_target_associate_ptr(const void *, const void *, size_t, size_t, int);
int omp_target_disassociate_ptr(const void *, int);
void *omp_get_mapped_ptr(const void *, int);
int omp_target_is_accessible(const void *, size_t, int);
int omp_pause_resource(omp_pause_resource_t, int);
int omp_pause_resource_all(omp_pause_resource_t);
void *llvm_omp_target_alloc_host(size_t, int);
void *llvm_omp_target_alloc_device(size_t, int);
void *llvm_omp_target_alloc_shared(size_t, int);
void *llvm_omp_target_dynamic_shared_alloc(void);

/* Allocators. The handles carry the names and values that clang checks in `allocate` clauses. */
typedef uintptr_t omp_uintptr_t;
typedef enum omp_allocator_handle_t
#ifdef __cplusplus
    : omp_uintptr_t
#endif
{
  omp_null_allocator = 0, omp_default_mem_alloc = 1, omp_large_cap_mem_alloc = 2, omp_const_mem_alloc = 3, omp_high_bw_mem_alloc = 4, omp_low_lat_mem_alloc = 5,
  omp_cgroup_mem_alloc = 6, omp_pteam_mem_alloc = 7, omp_thread_mem_alloc = 8, llvm_omp_target_host_mem_alloc = 100, llvm_omp_target_shared_mem_alloc = 101,
  llvm_omp_target_device_mem_alloc = 102, KMP_ALLOCATOR_MAX_HANDLE = UINTPTR_MAX
} omp_allocator_handle_t;
typedef enum omp_memspace_handle_t
#ifdef __cplusplus
    : omp_uintptr_t
#endif
{
  omp_default_mem_space = 0, omp_large_cap_mem_space = 1, omp_const_mem_space = 2, omp_high_bw_mem_space = 3, omp_low_lat_mem_space = 4,
  KMP_MEMSPACE_MAX_HANDLE = UINTPTR_MAX
} omp_memspace_handle_t;
typedef enum omp_alloctrait_key_t { omp_atk_sync_hint = 1, omp_atk_alignment, omp_atk_access, omp_atk_pool_size, omp_atk_fallback, omp_atk_fb_data, omp_atk_pinned, omp_atk_partition } omp_alloctrait_key_t;
typedef struct omp_alloctrait_t { omp_alloctrait_key_t key; omp_uintptr_t value; } omp_alloctrait_t;
omp_allocator_handle_t omp_init_allocator(omp_memspace_handle_t, int, omp_alloctrait_t[]);
void omp_destroy_allocator(omp_allocator_handle_t);
void omp_set_default_allocator(omp_allocator_handle_t);
omp_allocator_handle_t omp_get_default_allocator(void);
void *omp_alloc(size_t, omp_allocator_handle_t WW_OMP_DEFAULT(omp_null_allocator));
void *omp_aligned_alloc(size_t, size_t, omp_allocator_handle_t WW_OMP_DEFAULT(omp_null_allocator));
void *omp_calloc(size_t, size_t, omp_allocator_handle_t WW_OMP_DEFAULT(omp_null_allocator));
void omp_free(void *, omp_allocator_handle_t WW_OMP_DEFAULT(omp_null_allocator));

#ifdef __cplusplus
}
#endif
#endif
