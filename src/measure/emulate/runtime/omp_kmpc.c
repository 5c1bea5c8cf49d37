/* omp_kmpc.c - stand-ins for libomp's entry points: parallel regions of the host code,
 * run by one thread.
 *
 * One thread is a team that every OpenMP program must work with, and it needs neither
 * locks nor an installed libomp. Work is done where it is announced: tasks run when
 * they are made, loops hand out all iterations at once. Only the device's work is of
 * interest here, so the host's speed does not matter. */
#include <stdarg.h>
#include <stdlib.h>

#include "omp.h"

typedef int32_t kmp;

/* ---- parallel regions ---- */

#define MOST_CAPTURED 256

/* Each captured variable is an argument of its own. Passing more than the callee takes
 * is harmless in the calling conventions of x86-64, AArch64, POWER and RISC-V, so a few
 * fixed counts are enough. */
#define A4(i) v[i], v[i + 1], v[i + 2], v[i + 3]
#define A16(i) A4(i), A4(i + 4), A4(i + 8), A4(i + 12)
#define A64(i) A16(i), A16(i + 16), A16(i + 32), A16(i + 48)
static void call(void *fn, kmp argc, void **v) {
  kmp zero = 0;
  kmp bound = 0;
  if (argc <= 4)
    ((void (*)(kmp *, kmp *, void *, void *, void *, void *))fn)(&zero, &bound, A4(0));
#define FOUR void *, void *, void *, void *
#define SIXTEEN FOUR, FOUR, FOUR, FOUR
#define SIXTY_FOUR SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN
  else if (argc <= 16)
    ((void (*)(kmp *, kmp *, SIXTEEN))fn)(&zero, &bound, A16(0));
  else if (argc <= 64)
    ((void (*)(kmp *, kmp *, SIXTY_FOUR))fn)(&zero, &bound, A64(0));
  else
    ((void (*)(kmp *, kmp *, SIXTY_FOUR, SIXTY_FOUR, SIXTY_FOUR, SIXTY_FOUR))fn)(
        &zero, &bound, A64(0), A64(64), A64(128), A64(192));
}

static __thread int level;

static void enter(void *fn, kmp argc, va_list ap) {
  void *v[MOST_CAPTURED] = {0};
  if (argc > MOST_CAPTURED) {
    fprintf(stderr, "OpenMP: a parallel region captures %d variables, more than %d\n",
            argc, MOST_CAPTURED);
    abort();
  }
  for (kmp i = 0; i < argc; i++)
    v[i] = va_arg(ap, void *);
  level++;
  call(fn, argc, v);
  level--;
}

int omp_get_level(void) {
  return level;
}

void __kmpc_fork_call(void *loc, kmp argc, void *fn, ...) {
  va_list ap;
  va_start(ap, fn);
  enter(fn, argc, ap);
  va_end(ap);
}

WW_EMU_SAME(__kmpc_fork_call) __kmpc_fork_teams;

void __kmpc_fork_call_if(void *loc, kmp argc, void *fn, kmp condition, void *args) {
  void *v[MOST_CAPTURED] = {args};
  level++;
  call(fn, argc, v);
  level--;
}

void __kmpc_serialized_parallel(void) {
  level++;
}

void __kmpc_end_serialized_parallel(void) {
  level--;
}

WW_EMU_ZERO __kmpc_global_thread_num, __kmpc_bound_thread_num, __kmpc_in_parallel,
    __kmpc_begin, __kmpc_end, __kmpc_push_num_threads, __kmpc_push_num_teams,
    __kmpc_push_num_teams_51, __kmpc_set_thread_limit, __kmpc_push_proc_bind;
WW_EMU_ONE __kmpc_global_num_threads, __kmpc_bound_num_threads, __kmpc_ok_to_fork;

/* ---- one thread meets nobody ---- */

WW_EMU_ZERO __kmpc_barrier, __kmpc_flush, __kmpc_critical, __kmpc_critical_with_hint,
    __kmpc_end_critical, __kmpc_ordered, __kmpc_end_ordered, __kmpc_end_single,
    __kmpc_end_master, __kmpc_end_masked, __kmpc_scope, __kmpc_end_scope,
    __kmpc_end_reduce, __kmpc_end_reduce_nowait, __kmpc_end_barrier_master,
    __kmpc_doacross_init, __kmpc_doacross_post, __kmpc_doacross_wait,
    __kmpc_doacross_fini, __kmpc_atomic_start, __kmpc_atomic_end, __kmpc_cancel_barrier,
    __kmpc_cancel, __kmpc_cancellationpoint;
WW_EMU_ONE __kmpc_single, __kmpc_master, __kmpc_masked, __kmpc_barrier_master,
    __kmpc_barrier_master_nowait;
WW_EMU_ONE __kmpc_reduce,
    __kmpc_reduce_nowait; /* the caller adds its part into the variable itself */

void *__kmpc_threadprivate_cached(void *loc, kmp gtid, void *data) {
  return data;
}

WW_EMU_ZERO __kmpc_threadprivate_register, __kmpc_threadprivate_register_vec,
    __kmpc_copyprivate;

void __kmpc_error(void *loc, int severity, const char *message) {
  fprintf(stderr, "OpenMP: %s\n", message ? message : "error directive");
  if (severity == 2)
    abort();
}

/* ---- loops: all iterations in one chunk ---- */

#define LOOPS(suffix, T, S)                                                          \
  void __kmpc_for_static_init_##suffix(void *loc, kmp gtid, kmp schedule, kmp *last, \
                                       T *lower, T *upper, S *stride, S step) {      \
    if (last)                                                                        \
      *last = 1;                                                                     \
    *stride = step > 0 ? (S)(*upper - *lower + 1) : -(S)(*lower - *upper + 1);       \
  }                                                                                  \
  void __kmpc_dist_for_static_init_##suffix(void *loc, kmp gtid, kmp schedule,       \
                                            kmp *last, T *lower, T *upper,           \
                                            T *upper_dist, S *stride, S step) {      \
    *upper_dist = *upper;                                                            \
    __kmpc_for_static_init_##suffix(loc, gtid, schedule, last, lower, upper, stride, \
                                    step);                                           \
  }                                                                                  \
  void __kmpc_dispatch_init_##suffix(void *loc, kmp gtid, kmp schedule, T lower,     \
                                     T upper, S step) {                              \
    push_loop(lower, upper, step, step > 0 ? lower <= upper : lower >= upper);       \
  }                                                                                  \
  void __kmpc_dist_dispatch_init_##suffix(void *loc, kmp gtid, kmp schedule,         \
                                          kmp *last, T lower, T upper, S step) {     \
    if (last)                                                                        \
      *last = 1;                                                                     \
    __kmpc_dispatch_init_##suffix(loc, gtid, schedule, lower, upper, step);          \
  }                                                                                  \
  kmp __kmpc_dispatch_next_##suffix(void *loc, kmp gtid, kmp *last, T *lower,        \
                                    T *upper, S *step) {                             \
    if (!loops || !chunk_of[loops - 1].left) {                                       \
      loops -= loops > 0;                                                            \
      return 0;                                                                      \
    }                                                                                \
    chunk_of[loops - 1].left = false;                                                \
    if (last)                                                                        \
      *last = 1;                                                                     \
    *lower = (T)chunk_of[loops - 1].lower;                                           \
    *upper = (T)chunk_of[loops - 1].upper;                                           \
    *step = (S)chunk_of[loops - 1].step;                                             \
    return 1;                                                                        \
  }                                                                                  \
  WW_EMU_ZERO __kmpc_dispatch_fini_##suffix;

/* Loops nest through calls; a loop that is left by a cancelled region would stay, which
 * nobody does to sixty-four of them. */
static __thread struct {
  int64_t lower, upper, step;
  bool left;
} chunk_of[64];
static __thread uint32_t loops;

static void push_loop(int64_t lower, int64_t upper, int64_t step, bool any) {
  if (loops == WW_COUNT(chunk_of))
    abort();
  chunk_of[loops++] = (__typeof__(*chunk_of)){lower, upper, step, any};
}

LOOPS(4, int32_t, int32_t)
LOOPS(4u, uint32_t, int32_t)
LOOPS(8, int64_t, int64_t)
LOOPS(8u, uint64_t, int64_t)
WW_EMU_ZERO __kmpc_for_static_fini, __kmpc_dispatch_deinit, __kmpc_next_section;

/* ---- tasks: run where they are made ---- */

typedef struct task {
  void *shared;
  kmp (*run)(kmp gtid, struct task *t);
  kmp part_id;
  void *destructors, *priority;
} task; /* the compiler's own fields follow */

void *__kmpc_omp_task_alloc(
    void *loc, kmp gtid, kmp flags, size_t bytes, size_t shared_bytes, void *run) {
  size_t at = (bytes + 15) / 16 * 16;
  /* stays: tasks are few, and taskloop runs one again */
  task *t = calloc(1, at + shared_bytes + 16);
  if (!t)
    abort();
  t->shared = shared_bytes ? (char *)t + at : NULL;
  t->run = (kmp(*)(kmp, task *))run;
  return t;
}

WW_EMU_SAME(__kmpc_omp_task_alloc) __kmpc_omp_target_task_alloc;

kmp __kmpc_omp_task(void *loc, kmp gtid, task *t) {
  t->run(0, t);
  return 0;
}
WW_EMU_SAME(__kmpc_omp_task) __kmpc_omp_task_with_deps;

/* The task's own bounds hold the whole loop already. */
WW_EMU_SAME(__kmpc_omp_task) __kmpc_taskloop, __kmpc_taskloop_5;

WW_EMU_ZERO __kmpc_omp_taskwait, __kmpc_omp_taskyield,
    __kmpc_omp_reg_task_with_affinity, __kmpc_omp_task_begin_if0,
    __kmpc_omp_task_complete_if0, __kmpc_omp_wait_deps, __kmpc_omp_taskwait_deps_51,
    __kmpc_taskgroup, __kmpc_end_taskgroup;

/* A reduction over tasks: there is one copy, the variable itself. */
WW_EMU_SAME(__kmpc_threadprivate_cached) __kmpc_taskred_init;

void *
__kmpc_taskred_modifier_init(void *loc, kmp gtid, kmp for_loop, kmp n, void *data) {
  return data;
}

WW_EMU_SAME(__kmpc_threadprivate_cached) __kmpc_task_reduction_get_th_data;

WW_EMU_ZERO __kmpc_task_reduction_modifier_fini;

/* ---- memory of allocators ---- */

void *__kmpc_alloc(kmp gtid, size_t bytes) {
  return malloc(bytes ? bytes : 1);
}

void *__kmpc_aligned_alloc(kmp gtid, size_t align, size_t bytes) {
  return omp_aligned_alloc(align, bytes);
}

void __kmpc_free(kmp gtid, void *p) {
  free(p);
}
