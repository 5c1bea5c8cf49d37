/* Barriers, fences, clocks, printf, assert: what a thread asks of the machine around it. */
#ifndef WW_HIP_SYSTEM_H
#define WW_HIP_SYSTEM_H

WW_DEVICE void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
WW_DEVICE void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
WW_DEVICE void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
WW_DEVICE void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

/* Lanes of a wavefront run in step: only memory order is needed. */
WW_DEVICE void __syncwarp(unsigned long long = ~0ull) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

/* Barriers that combine a predicate over the block, through one shared word. */
namespace ww {
static __shared__ int vote_word;
template <class F> WW_DEVICE int block_vote(int start, F combine) {
  bool first = __builtin_amdgcn_workitem_id_x() == 0 && __builtin_amdgcn_workitem_id_y() == 0 && __builtin_amdgcn_workitem_id_z() == 0;
  __syncthreads();
  if (first) vote_word = start;
  __syncthreads();
  combine(&vote_word);
  __syncthreads();
  return vote_word;
}
} // namespace ww
WW_DEVICE int __syncthreads_count(int predicate) {
  return ww::block_vote(0, [=](int *w) { __hip_atomic_fetch_add(w, predicate != 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); });
}
WW_DEVICE int __syncthreads_or(int predicate) {
  return ww::block_vote(0, [=](int *w) { __hip_atomic_fetch_or(w, predicate != 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); });
}
WW_DEVICE int __syncthreads_and(int predicate) {
  return ww::block_vote(1, [=](int *w) { __hip_atomic_fetch_and(w, predicate != 0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); });
}

WW_DEVICE long long int clock64() { return __builtin_readcyclecounter(); }
WW_DEVICE long long int __clock64() { return __builtin_readcyclecounter(); }
WW_DEVICE long long int wall_clock64() { return __builtin_readsteadycounter(); }
__device__ static inline clock_t clock() { return __builtin_readcyclecounter(); }
__device__ static inline clock_t __clock() { return __builtin_readcyclecounter(); }
WW_DEVICE void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(1); }
WW_DEVICE void abort() { __builtin_trap(); }
WW_DEVICE void __trap() { __builtin_trap(); }
WW_DEVICE void __brkpt() { __builtin_debugtrap(); }

extern "C" {
/* Stays one variadic call in the IR (units are compiled with -fno-builtin-printf). */
__device__ int printf(const char *format, ...);
__device__ __attribute__((noreturn)) void __ww_assert_fail(const char *message, const char *file, unsigned line, const char *function);
__device__ __attribute__((noreturn)) static inline void __assert_fail(const char *message, const char *file, unsigned line, const char *function) {
  __ww_assert_fail(message, file, line, function);
}
}

/* Memory functions of the C library. */
extern "C" {
__device__ static inline void *memcpy(void *d, const void *s, size_t n) { return __builtin_memcpy(d, s, n); }
__device__ static inline void *memset(void *d, int c, size_t n) { return __builtin_memset(d, c, n); }
__device__ static inline void *memmove(void *d, const void *s, size_t n) { return __builtin_memmove(d, s, n); }
}

/* A library function whose device code this shim lacks: an unresolved call, which the interpreter reports by name. */
extern "C" __host__ __device__ __attribute__((noreturn)) void __ww_unsupported(const char *what);

#endif
