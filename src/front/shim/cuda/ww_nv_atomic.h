/* __nv_atomic_* (compiler builtins of nvcc 12.8): GCC-style atomics with an order and a scope. Scope does not change what
 * a simulated launch computes; every operation is relaxed, as CUDA's other atomics are. Needs atomicAdd and its kin. */
#ifndef WW_NV_ATOMIC_H
#define WW_NV_ATOMIC_H
#include "ww_attr.h"

enum { __NV_ATOMIC_RELAXED, __NV_ATOMIC_CONSUME, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_SEQ_CST };
enum { __NV_THREAD_SCOPE_THREAD, __NV_THREAD_SCOPE_BLOCK, __NV_THREAD_SCOPE_CLUSTER, __NV_THREAD_SCOPE_DEVICE, __NV_THREAD_SCOPE_SYSTEM };
template <class T> WW_D T __nv_atomic_load_n(T *p, int, int = __NV_THREAD_SCOPE_SYSTEM) { T v; __atomic_load(p, &v, __ATOMIC_RELAXED); return v; }
template <class T, class V> WW_D void __nv_atomic_store_n(T *p, V v, int, int = __NV_THREAD_SCOPE_SYSTEM) { T t = v; __atomic_store(p, &t, __ATOMIC_RELAXED); }
template <class T, class V> WW_D T __nv_atomic_exchange_n(T *p, V v, int, int = __NV_THREAD_SCOPE_SYSTEM) { return atomicExch(p, (T)v); }
template <class T, class V> WW_D bool __nv_atomic_compare_exchange_n(T *p, T *expected, V v, bool, int, int, int = __NV_THREAD_SCOPE_SYSTEM) {
  T old = *expected;
  *expected = atomicCAS(p, old, (T)v);
  return *expected == old;
}
#define WW_NV_ATOMIC(NAME, F)                                                                                              \
  template <class T, class V> WW_D T __nv_atomic_fetch_##NAME(T *p, V v, int, int = __NV_THREAD_SCOPE_SYSTEM) { return F(p, (T)v); } \
  template <class T, class V> WW_D void __nv_atomic_##NAME(T *p, V v, int, int = __NV_THREAD_SCOPE_SYSTEM) { F(p, (T)v); }
WW_NV_ATOMIC(add, atomicAdd) WW_NV_ATOMIC(sub, atomicSub) WW_NV_ATOMIC(min, atomicMin) WW_NV_ATOMIC(max, atomicMax)
WW_NV_ATOMIC(and, atomicAnd) WW_NV_ATOMIC(or, atomicOr) WW_NV_ATOMIC(xor, atomicXor)
#undef WW_NV_ATOMIC
WW_D void __nv_atomic_thread_fence(int, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (scope <= __NV_THREAD_SCOPE_BLOCK) __threadfence_block(); else __threadfence();
}
#endif
