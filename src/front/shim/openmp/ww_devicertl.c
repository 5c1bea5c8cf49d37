/* The OpenMP device runtime as one translation unit: kernels and parallel regions here, the rest in the included parts. */
#include "ww_devicertl.h"

SHARED team_state team;
#ifdef WW_NESTED
SHARED uint8_t nesting[MAX_THREADS];
#endif

/* Compiled without passes (-disable-llvm-passes), so that OpenMPOpt sees the calls before anything is inlined. */
KEEP int8_t __kmpc_is_spmd_exec_mode(void) { return team.spmd; }

#include "ww_rtl_query.c"
#include "ww_rtl_sync.c"
#include "ww_rtl_schedule.c"
#include "ww_rtl_memory.c"
#include "ww_rtl_reduce.c"
#include "ww_rtl_task.c"

/* ---- kernels ---- */

/* The region that workers are to run next; true if this worker takes part. */
KEEP bool __kmpc_kernel_parallel(void **region) {
  *region = (void *)team.region;
  return team.region && thread_id() < team.size;
}
KEEP void __kmpc_kernel_end_parallel(void) {}
KEEP void __kmpc_barrier_simple_generic(ident *loc, int32_t tid) { meeting_barrier(); }
KEEP void __kmpc_barrier_simple_spmd(ident *loc, int32_t tid) { block_barrier(); }

static void worker_loop(void) {
  for (;;) {
    void *region;
    meeting_barrier();
    bool active = __kmpc_kernel_parallel(&region);
    if (!region) return;
    if (active) ((void (*)(uint16_t, uint32_t))region)(0, thread_id());
    meeting_barrier();
  }
}

/* -1 for a thread that is to run the kernel's code, its id for a worker that is done. */
API int32_t __kmpc_target_init(kernel_environment *env, void *launch) {
  bool spmd = env->exec_mode & MODE_SPMD;
  if (thread_id() == (spmd ? 0 : main_thread())) {
    team.spmd = spmd;
    team.size = spmd ? block_size() : 1;
    team.wanted = team.stack_used = 0;
    team.region = NULL;
#ifdef WW_NESTED
    team.level = team.any_nested = 0;
#endif
  }
  block_barrier();
  if (spmd || thread_id() == main_thread()) return -1;
  if (env->use_generic_state_machine && thread_id() < block_size() - WARP) worker_loop();
  return thread_id();
}
/* Sends the workers home. */
API void __kmpc_target_deinit(void) {
  if (is_spmd()) return;
  team.region = NULL;
  meeting_barrier();
}

/* ---- parallel regions ---- */

typedef void (*microtask)(int32_t *, int32_t *, ...);
/* Calls fn(&thread, &zero, args[0], ... args[n-1]). */
INLINE void run_microtask(void *fn, void **a, int64_t n) {
  int32_t tid = thread_id(), zero = 0;
#define T1 int32_t *, int32_t *
#define CALL(types, ...) ((void (*)(T1 types))fn)(&tid, &zero, ##__VA_ARGS__); break
#define P , void *
  switch (n) {
  case 0: CALL();
  case 1: CALL(P, a[0]);
  case 2: CALL(P P, a[0], a[1]);
  case 3: CALL(P P P, a[0], a[1], a[2]);
  case 4: CALL(P P P P, a[0], a[1], a[2], a[3]);
  case 5: CALL(P P P P P, a[0], a[1], a[2], a[3], a[4]);
  case 6: CALL(P P P P P P, a[0], a[1], a[2], a[3], a[4], a[5]);
  case 7: CALL(P P P P P P P, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
  case 8: CALL(P P P P P P P P, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
#include "ww_rtl_calls.inc"
  default: __builtin_trap();
  }
#undef T1
#undef CALL
#undef P
}

INLINE uint32_t choose_team_size(int32_t clause) {
  uint32_t most = max_team_size();
  uint32_t n = clause > 0 ? (uint32_t)clause : team.wanted ? team.wanted : most;
  if (n > most) n = most;
  if (!is_spmd() && n > WARP) n &= ~(WARP - 1); /* whole warps, so that their barrier can count them */
  return n;
}

#ifdef WW_NESTED
INLINE void set_level(uint32_t level) { team.level = level; }

/* A region inside a region: the encountering thread alone. */
static void run_nested(void *fn, void **args, int64_t n) {
  uint32_t me = thread_id();
  if (!nested_levels()) {
    nesting[me] = 0;
    __nvvm_atom_add_gen_i((int *)&team.any_nested, 1);
  }
  nesting[me]++;
  run_microtask(fn, args, n);
  if (--nesting[me] == 0) __nvvm_atom_add_gen_i((int *)&team.any_nested, -1);
}
#else
INLINE void set_level(uint32_t level) {}
#endif

/* A region of fewer threads than the block has, or one whose size or level must be known to its threads. */
static void run_spmd_sized(uint32_t size, void *fn, void **args, int64_t n) {
  block_barrier(); /* nobody reads the state of the previous region any more */
  if (thread_id() == 0) {
    team.size = size;
    set_level(1);
  }
  block_barrier();
  if (thread_id() < size) run_microtask(fn, args, n);
  block_barrier();
  if (thread_id() == 0) {
    team.size = block_size();
    set_level(0);
  }
  block_barrier();
}
KEEP API void __kmpc_parallel_spmd(ident *loc, int32_t num_threads, void *fn, void **args, int64_t n) {
#ifndef WW_NESTED
  if (num_threads <= 0 && !team.wanted) {
    run_microtask(fn, args, n);
    block_barrier();
    return;
  }
#endif
  run_spmd_sized(choose_team_size(num_threads), fn, args, n);
}

/* The arguments of the running region, where the workers can read them: args itself is in the main thread's own memory. */
enum { MAX_ARGS = 64 };
typedef void *argument;
static SHARED argument shared_args[MAX_ARGS];

static void run_on_workers(int32_t num_threads, void *wrapper, void **args, int64_t n) {
  team.size = choose_team_size(num_threads);
  for (int64_t i = 0; i < n && i < MAX_ARGS; i++) shared_args[i] = args[i];
  if (n > MAX_ARGS) __builtin_trap();
  team.region = (void (*)(uint16_t, uint32_t))wrapper;
  set_level(1);
  meeting_barrier(); /* workers start */
  meeting_barrier(); /* workers are done */
  set_level(0);
  team.region = NULL;
}

API void __kmpc_parallel_51(ident *loc, int32_t tid, int32_t if_clause, int32_t num_threads, int proc_bind, void *fn, void *wrapper, void **args, int64_t n) {
#ifdef WW_NESTED
  if (team.level) {
    run_nested(fn, args, n);
    return;
  }
#endif
  if (is_spmd()) {
    if (if_clause) __kmpc_parallel_spmd(loc, num_threads, fn, args, n);
    else run_spmd_sized(1, fn, args, n);
  } else if (if_clause) run_on_workers(num_threads, wrapper, args, n);
  else run_microtask(fn, args, n); /* the main thread is a team of one */
}

/* A wrapper asks for the region's arguments. */
API void __kmpc_get_shared_variables(void ***args) { *args = (void **)shared_args; }
void __kmpc_begin_sharing_variables(void ***args, uint64_t n) {}
void __kmpc_end_sharing_variables(void) {}
void __kmpc_push_num_threads(ident *loc, int32_t tid, int32_t n) { team.wanted = n; }
void __kmpc_push_num_teams(ident *loc, int32_t tid, int32_t teams, int32_t limit) {}
void __kmpc_push_proc_bind(ident *loc, int32_t tid, int bind) {}
void __kmpc_serialized_parallel(ident *loc, uint32_t tid) {}
void __kmpc_end_serialized_parallel(ident *loc, uint32_t tid) {}
