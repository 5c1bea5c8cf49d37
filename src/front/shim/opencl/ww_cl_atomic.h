/* Atomics: each call is one atomicrmw or cmpxchg instruction. The OpenCL 1.x forms are defined here; the OpenCL 2.0 forms on
 * atomic_int and friends map to clang's __opencl_atomic builtins. */
#ifndef WW_CL_ATOMIC_H
#define WW_CL_ATOMIC_H

#define WW_RMW(f, op, T, S) static T WW_CLM f(volatile S T *p, T v) { return __scoped_atomic_##op(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
#define WW_ATOMICS_T(prefix, T, S)                                                                                            \
  WW_RMW(prefix##_add, fetch_add, T, S) WW_RMW(prefix##_sub, fetch_sub, T, S) WW_RMW(prefix##_xchg, exchange_n, T, S)         \
  WW_RMW(prefix##_min, fetch_min, T, S) WW_RMW(prefix##_max, fetch_max, T, S) WW_RMW(prefix##_and, fetch_and, T, S)           \
  WW_RMW(prefix##_or, fetch_or, T, S) WW_RMW(prefix##_xor, fetch_xor, T, S)                                                   \
  static T WW_CLM prefix##_inc(volatile S T *p) { return prefix##_add(p, (T)1); }                                                    \
  static T WW_CLM prefix##_dec(volatile S T *p) { return prefix##_sub(p, (T)1); }                                                    \
  static T WW_CLM prefix##_cmpxchg(volatile S T *p, T expected, T v) {                                                               \
    __scoped_atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);        \
    return expected;                                                                                                          \
  }
#define WW_ATOMICS(S)                                                                                                         \
  WW_ATOMICS_T(atomic, int, S) WW_ATOMICS_T(atomic, uint, S)                                                                  \
  WW_ATOMICS_T(atom, int, S) WW_ATOMICS_T(atom, uint, S) WW_ATOMICS_T(atom, long, S) WW_ATOMICS_T(atom, ulong, S)             \
  static float WW_CLM atomic_xchg(volatile S float *p, float v) { return as_float(atomic_xchg((volatile S int *)p, as_int(v))); }
WW_ATOMICS(__global)
WW_ATOMICS(__local)
#ifdef __opencl_c_generic_address_space
WW_ATOMICS(__generic)
#endif
#undef WW_ATOMICS
#undef WW_ATOMICS_T
#undef WW_RMW

#if __OPENCL_C_VERSION__ == 200 || defined(__opencl_c_atomic_order_seq_cst)
/* Scope and order default as in the specification: device, sequentially consistent. */
#define WW_SEQ memory_order_seq_cst, memory_scope_device
#define atomic_init(p, v) __opencl_atomic_init(p, v)
#define atomic_load(p) __opencl_atomic_load(p, WW_SEQ)
#define atomic_store(p, v) __opencl_atomic_store(p, v, WW_SEQ)
#define atomic_exchange(p, v) __opencl_atomic_exchange(p, v, WW_SEQ)
#define atomic_fetch_add(p, v) __opencl_atomic_fetch_add(p, v, WW_SEQ)
#define atomic_fetch_sub(p, v) __opencl_atomic_fetch_sub(p, v, WW_SEQ)
#define atomic_fetch_and(p, v) __opencl_atomic_fetch_and(p, v, WW_SEQ)
#define atomic_fetch_or(p, v) __opencl_atomic_fetch_or(p, v, WW_SEQ)
#define atomic_fetch_xor(p, v) __opencl_atomic_fetch_xor(p, v, WW_SEQ)
#define atomic_fetch_min(p, v) __opencl_atomic_fetch_min(p, v, WW_SEQ)
#define atomic_fetch_max(p, v) __opencl_atomic_fetch_max(p, v, WW_SEQ)
#define atomic_compare_exchange_strong(p, e, v) __opencl_atomic_compare_exchange_strong(p, e, v, memory_order_seq_cst, WW_SEQ)
#define atomic_compare_exchange_weak(p, e, v) __opencl_atomic_compare_exchange_weak(p, e, v, memory_order_seq_cst, WW_SEQ)

/* The _explicit forms take an order and, optionally, a scope. */
#define WW_PICK(_1, _2, name, ...) name
#define WW_SCOPE1(order) order, memory_scope_device
#define WW_SCOPE2(order, scope) order, scope
#define WW_SCOPE(...) WW_PICK(__VA_ARGS__, WW_SCOPE2, WW_SCOPE1)(__VA_ARGS__)
#define WW_PICK3(_1, _2, _3, name, ...) name
#define WW_SCOPES2(success, failure) success, failure, memory_scope_device
#define WW_SCOPES3(success, failure, scope) success, failure, scope
#define WW_SCOPES(...) WW_PICK3(__VA_ARGS__, WW_SCOPES3, WW_SCOPES2)(__VA_ARGS__)
#define atomic_load_explicit(p, ...) __opencl_atomic_load(p, WW_SCOPE(__VA_ARGS__))
#define atomic_store_explicit(p, v, ...) __opencl_atomic_store(p, v, WW_SCOPE(__VA_ARGS__))
#define atomic_exchange_explicit(p, v, ...) __opencl_atomic_exchange(p, v, WW_SCOPE(__VA_ARGS__))
#define atomic_fetch_add_explicit(p, v, ...) __opencl_atomic_fetch_add(p, v, WW_SCOPE(__VA_ARGS__))
#define atomic_fetch_sub_explicit(p, v, ...) __opencl_atomic_fetch_sub(p, v, WW_SCOPE(__VA_ARGS__))
#define atomic_fetch_and_explicit(p, v, ...) __opencl_atomic_fetch_and(p, v, WW_SCOPE(__VA_ARGS__))
#define atomic_fetch_or_explicit(p, v, ...) __opencl_atomic_fetch_or(p, v, WW_SCOPE(__VA_ARGS__))
#define atomic_fetch_xor_explicit(p, v, ...) __opencl_atomic_fetch_xor(p, v, WW_SCOPE(__VA_ARGS__))
#define atomic_fetch_min_explicit(p, v, ...) __opencl_atomic_fetch_min(p, v, WW_SCOPE(__VA_ARGS__))
#define atomic_fetch_max_explicit(p, v, ...) __opencl_atomic_fetch_max(p, v, WW_SCOPE(__VA_ARGS__))
#define atomic_compare_exchange_strong_explicit(p, e, v, ...) __opencl_atomic_compare_exchange_strong(p, e, v, WW_SCOPES(__VA_ARGS__))
#define atomic_compare_exchange_weak_explicit(p, e, v, ...) __opencl_atomic_compare_exchange_weak(p, e, v, WW_SCOPES(__VA_ARGS__))
#define atomic_flag_test_and_set(p) __opencl_atomic_exchange(p, 1, WW_SEQ)
#define atomic_flag_clear(p) __opencl_atomic_store(p, 0, WW_SEQ)
#define atomic_flag_test_and_set_explicit(p, ...) __opencl_atomic_exchange(p, 1, WW_SCOPE(__VA_ARGS__))
#define atomic_flag_clear_explicit(p, ...) __opencl_atomic_store(p, 0, WW_SCOPE(__VA_ARGS__))
#endif

#endif
