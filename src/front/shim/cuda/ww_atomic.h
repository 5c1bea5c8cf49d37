/* atomicAdd and its kin: each is one atomicrmw or cmpxchg in the IR, relaxed as CUDA's are.
 *
 * The _block and _system variants differ in scope only, which does not change what a simulated launch
 * computes; they map to the same instruction. half and bf16 are in cuda_fp16.h and cuda_bf16.h. */
#ifndef WW_ATOMIC_H
#define WW_ATOMIC_H
#include "ww_vec.h"

#define WW_SCOPES2(F, T) /* the scoped names of F(p, v) */                    \
  WW_D T F##_block(T *p, T v) { return F(p, v); }                             \
  WW_D T F##_system(T *p, T v) { return F(p, v); }
#define WW_RMW(F, OP, T)                                                      \
  WW_D T F(T *p, T v) { return OP(p, v, __ATOMIC_RELAXED); }                  \
  WW_SCOPES2(F, T)
#define WW_CAS(T)                                                             \
  WW_D T atomicCAS(T *p, T expected, T v) {                                   \
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                          \
  }                                                                           \
  WW_D T atomicCAS_block(T *p, T e, T v) { return atomicCAS(p, e, v); }       \
  WW_D T atomicCAS_system(T *p, T e, T v) { return atomicCAS(p, e, v); }

#define WW_ATOMIC_INT(T)                                                      \
  WW_RMW(atomicAdd, __atomic_fetch_add, T)                                    \
  WW_RMW(atomicSub, __atomic_fetch_sub, T)                                    \
  WW_RMW(atomicMin, __atomic_fetch_min, T)                                    \
  WW_RMW(atomicMax, __atomic_fetch_max, T)                                    \
  WW_RMW(atomicAnd, __atomic_fetch_and, T)                                    \
  WW_RMW(atomicOr, __atomic_fetch_or, T)                                      \
  WW_RMW(atomicXor, __atomic_fetch_xor, T)                                    \
  WW_RMW(atomicExch, __atomic_exchange_n, T)                                  \
  WW_CAS(T)
WW_ATOMIC_INT(int)
WW_ATOMIC_INT(unsigned int)
WW_ATOMIC_INT(long)
WW_ATOMIC_INT(unsigned long)
WW_ATOMIC_INT(long long)
WW_ATOMIC_INT(unsigned long long)
WW_CAS(unsigned short)
WW_RMW(atomicAdd, __atomic_fetch_add, float)
WW_RMW(atomicAdd, __atomic_fetch_add, double)

/* Exchanges of floats travel as integers. */
WW_D float atomicExch(float *p, float v) {
  return __uint_as_float(atomicExch((unsigned *)p, __float_as_uint(v)));
}
WW_D double atomicExch(double *p, double v) {
  return __longlong_as_double(atomicExch((long long *)p, __double_as_longlong(v)));
}
WW_SCOPES2(atomicExch, float)
WW_SCOPES2(atomicExch, double)

/* Wrapping increment and decrement: llvm.nvvm.atomic.load.inc/dec.32. */
WW_D unsigned atomicInc(unsigned *p, unsigned limit) { return __nvvm_atom_inc_gen_ui(p, limit); }
WW_D unsigned atomicDec(unsigned *p, unsigned limit) { return __nvvm_atom_dec_gen_ui(p, limit); }
WW_SCOPES2(atomicInc, unsigned)
WW_SCOPES2(atomicDec, unsigned)

/* Vector adds (sm_90) are atomic per element. */
WW_D float2 atomicAdd(float2 *p, float2 v) { return float2{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)}; }
WW_D float4 atomicAdd(float4 *p, float4 v) {
  return float4{atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z), atomicAdd(&p->w, v.w)};
}
WW_SCOPES2(atomicAdd, float2)
WW_SCOPES2(atomicAdd, float4)
#undef WW_ATOMIC_INT
#undef WW_CAS

#include "ww_nv_atomic.h"
#endif
