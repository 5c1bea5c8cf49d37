/* The parts of the device runtime that its files share: launch geometry, team state, barriers.
 *
 * The runtime is written against the interface that clang 19 emits calls to (__kmpc_*). It is compiled once to bitcode and
 * linked into every OpenMP unit before optimisation, so that kernels become ordinary NVPTX IR:
 *
 *   clang-19 -x c --target=nvptx64-nvidia-cuda -march=sm_80 -ffreestanding -nogpulib -std=c17 -O2 -Xclang -disable-llvm-passes -emit-llvm -c ww_devicertl.c [-DWW_NESTED]
 *
 * There are two builds. The flat one assumes that no parallel region runs inside another, which clang nearly always proves; it
 * keeps no levels, so a combined `target teams distribute parallel for` costs little more than the CUDA kernel a person would
 * write. A unit with a kernel whose environment still says may_use_nested_parallelism is compiled again with the WW_NESTED build.
 *
 * What remains outside: llvm.nvvm.* intrinsics, malloc, free and vprintf, as in CUDA.
 *
 * Execution modes. SPMD: every thread of the block runs the kernel from its start; block = team. Generic: one main thread,
 * the first of the block's last warp, runs the kernel; the other warps are workers that wait in a state machine for parallel
 * regions. So a generic launch has one warp more than the team's threads. Blocks are one-dimensional. */
#ifndef WW_DEVICERTL_H
#define WW_DEVICERTL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IN_SHARED __attribute__((address_space(3)))
#define SHARED IN_SHARED __attribute__((loader_uninitialized)) /* for definitions */
#define WARP 32u
#define MAX_THREADS 1024
#define ALL_LANES 0xffffffffu
#define API __attribute__((always_inline)) /* of the interface, folded into the kernel once OpenMPOpt has seen the calls */
#define KEEP __attribute__((used)) /* OpenMPOpt may add calls to it after linking */
#define INLINE static inline __attribute__((always_inline))

typedef struct ident ident; /* source location; never read */

/* Kernel environment, emitted by clang next to each kernel (a constant). */
enum { MODE_GENERIC = 1, MODE_SPMD = 2 }; /* bits: a generic kernel that became SPMD has both */
typedef struct {
  uint8_t use_generic_state_machine, may_use_nested_parallelism, exec_mode;
  int32_t min_threads, max_threads, min_teams, max_teams;
  int32_t reduction_data_size, reduction_buffer_length; /* bytes, records */
  ident *location;
  void *dynamic;
} kernel_environment;

/* State of the team. Set by the main thread (generic) or thread 0 (SPMD) between barriers. */
typedef struct {
  bool spmd;
  uint32_t size;       /* threads of the running parallel region (SPMD: of the next one, when none runs) */
  uint32_t wanted;     /* omp_set_num_threads; 0: not set */
  uint32_t stack_used; /* bytes of the main thread's shared stack, see ww_rtl_memory.c */
  void (*region)(uint16_t, uint32_t); /* generic: the region the workers are to run; NULL ends them */
#ifdef WW_NESTED
  uint32_t level;      /* 0 outside, 1 inside a parallel region */
  uint32_t any_nested; /* threads that are inside a nested, hence serialised, region */
#endif
} team_state;
extern IN_SHARED team_state team;

INLINE uint32_t thread_id(void) { return __nvvm_read_ptx_sreg_tid_x(); }
INLINE uint32_t block_size(void) { return __nvvm_read_ptx_sreg_ntid_x(); }
INLINE uint32_t team_id(void) { return __nvvm_read_ptx_sreg_ctaid_x(); }
INLINE uint32_t team_count(void) { return __nvvm_read_ptx_sreg_nctaid_x(); }
INLINE uint32_t main_thread(void) { return (block_size() - 1) & ~(WARP - 1); } /* of generic mode */

/* A call of its own: OpenMPOpt replaces it by a constant where the mode is known. */
int8_t __kmpc_is_spmd_exec_mode(void);
INLINE bool is_spmd(void) { return __kmpc_is_spmd_exec_mode(); }

/* Threads that a parallel region can have. */
INLINE uint32_t max_team_size(void) { return is_spmd() ? block_size() : block_size() - WARP; }

#ifdef WW_NESTED
extern IN_SHARED uint8_t nesting[MAX_THREADS]; /* nested levels of each thread; read only if any_nested */
INLINE uint32_t nested_levels(void) { return team.any_nested ? nesting[thread_id()] : 0; }
INLINE bool in_parallel(void) { return team.level && !nested_levels(); } /* and not alone in a nested region */
INLINE uint32_t parallel_level(void) { return team.level + nested_levels(); }
#else
/* Outside parallel regions an SPMD kernel has no code that could ask, and a generic one runs in its main thread. */
INLINE bool in_parallel(void) { return is_spmd() || thread_id() != main_thread(); }
INLINE uint32_t parallel_level(void) { return in_parallel(); }
#endif
INLINE uint32_t team_size(void) { return in_parallel() ? team.size : 1; }
INLINE uint32_t team_thread(void) { return in_parallel() ? thread_id() : 0; }

/* Barrier 0: all threads of the block that have not exited. In SPMD code all threads reach the same one, and LLVM may remove it
 * where nothing happened since the last; the main thread and its workers meet from different places, which only the second
 * form tells LLVM. */
INLINE void block_barrier(void) { __syncthreads(); }
INLINE void meeting_barrier(void) { __nvvm_barrier_sync(0); }
/* Barrier of the running parallel region: its warps only, because the main thread and idle threads wait at barrier 0. */
INLINE void region_barrier(void) {
  if (!in_parallel()) return;
  if (is_spmd() && team.size == block_size()) block_barrier();
  else __nvvm_barrier_sync_cnt(7, (team.size + WARP - 1) & ~(WARP - 1));
}

#endif
