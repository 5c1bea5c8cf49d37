/* Atomics. Each call is one atomicrmw or cmpxchg in the IR, whatever its type; the scope is in the syncscope. */
#ifndef WW_HIP_ATOMIC_H
#define WW_HIP_ATOMIC_H

#define WW_SCOPE_ __HIP_MEMORY_SCOPE_AGENT
#define WW_SCOPE__block __HIP_MEMORY_SCOPE_WORKGROUP
#define WW_SCOPE__system __HIP_MEMORY_SCOPE_SYSTEM

#define WW_RMW(name, op, T, suffix) \
  WW_DEVICE T name##suffix(T *p, T v) { return __hip_atomic_##op(p, v, __ATOMIC_RELAXED, WW_SCOPE_##suffix); }
#define WW_RMW_SCOPES(name, op, T) WW_RMW(name, op, T, ) WW_RMW(name, op, T, _block) WW_RMW(name, op, T, _system)

/* fetch_sub is the addition of the negative, which also covers unsigned. */
#define WW_SUB(T, suffix) \
  WW_DEVICE T atomicSub##suffix(T *p, T v) { return __hip_atomic_fetch_add(p, (T)-v, __ATOMIC_RELAXED, WW_SCOPE_##suffix); }
#define WW_CAS(T, suffix)                                                                                          \
  WW_DEVICE T atomicCAS##suffix(T *p, T expected, T v) {                                                           \
    __hip_atomic_compare_exchange_strong(p, &expected, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, WW_SCOPE_##suffix);  \
    return expected;                                                                                               \
  }

#define WW_INTEGER_ATOMICS(T)                \
  WW_RMW_SCOPES(atomicAdd, fetch_add, T)     \
  WW_RMW_SCOPES(atomicMin, fetch_min, T)     \
  WW_RMW_SCOPES(atomicMax, fetch_max, T)     \
  WW_RMW_SCOPES(atomicAnd, fetch_and, T)     \
  WW_RMW_SCOPES(atomicOr, fetch_or, T)       \
  WW_RMW_SCOPES(atomicXor, fetch_xor, T)     \
  WW_RMW_SCOPES(atomicExch, exchange, T)     \
  WW_SUB(T, ) WW_SUB(T, _block) WW_SUB(T, _system) WW_CAS(T, ) WW_CAS(T, _block) WW_CAS(T, _system)
WW_INTEGER_ATOMICS(int)
WW_INTEGER_ATOMICS(unsigned)
WW_INTEGER_ATOMICS(long)
WW_INTEGER_ATOMICS(unsigned long)
WW_INTEGER_ATOMICS(long long)
WW_INTEGER_ATOMICS(unsigned long long)
WW_CAS(unsigned short, )

#define WW_FLOAT_ATOMICS(T)                                      \
  WW_RMW_SCOPES(atomicAdd, fetch_add, T)                         \
  WW_RMW_SCOPES(atomicMin, fetch_min, T)                         \
  WW_RMW_SCOPES(atomicMax, fetch_max, T)                         \
  WW_RMW_SCOPES(atomicExch, exchange, T)                         \
  WW_RMW_SCOPES(unsafeAtomicAdd, fetch_add, T)                   \
  WW_RMW_SCOPES(unsafeAtomicMin, fetch_min, T)                   \
  WW_RMW_SCOPES(unsafeAtomicMax, fetch_max, T)                   \
  WW_RMW_SCOPES(safeAtomicAdd, fetch_add, T)                     \
  WW_RMW_SCOPES(safeAtomicMin, fetch_min, T)                     \
  WW_RMW_SCOPES(safeAtomicMax, fetch_max, T)                     \
  WW_SUB(T, ) WW_SUB(T, _block) WW_SUB(T, _system) WW_CAS(T, ) WW_CAS(T, _block) WW_CAS(T, _system)
WW_FLOAT_ATOMICS(float)
WW_FLOAT_ATOMICS(double)
WW_DEVICE void atomicAddNoRet(float *p, float v) { atomicAdd(p, v); }

/* Wrapping counters: atomicrmw uinc_wrap / udec_wrap. */
#define WW_WRAP(suffix, scope)                                                                                                           \
  WW_DEVICE unsigned atomicInc##suffix(unsigned *p, unsigned limit) { return __builtin_amdgcn_atomic_inc32(p, limit, __ATOMIC_RELAXED, scope); } \
  WW_DEVICE unsigned atomicDec##suffix(unsigned *p, unsigned limit) { return __builtin_amdgcn_atomic_dec32(p, limit, __ATOMIC_RELAXED, scope); }
WW_WRAP(, "agent")
WW_WRAP(_block, "workgroup")
WW_WRAP(_system, "")
#undef WW_WRAP

#undef WW_INTEGER_ATOMICS
#undef WW_FLOAT_ATOMICS
#undef WW_RMW_SCOPES
#undef WW_RMW
#undef WW_SUB
#undef WW_CAS

#endif
