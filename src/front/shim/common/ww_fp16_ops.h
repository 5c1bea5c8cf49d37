/* Operators and intrinsics that half and bfloat16 have in common, for one type at a time.
 *
 * No include guard: ww_half.h and ww_bf16.h include it with
 *   WW_H   the scalar class (member `v` of type WW_N)      WW_H2  the pair (members x, y)
 *   WW_N   the native type, _Float16 or __bf16             WW_V2  its 2-vector
 * Pair arithmetic is done on the 2-vector, so that one HADD2 stays one instruction in the IR. Transcendental
 * functions compute in float and round once, as the hardware's do. */

WW_HD constexpr WW_H __ww_wrap(WW_N n) { return WW_H(WW_H::native{n}); }
WW_HD WW_V2 __ww_vec(WW_H2 a) { return __builtin_bit_cast(WW_V2, a); }
WW_HD WW_H2 __ww_pair(WW_V2 v) { return __builtin_bit_cast(WW_H2, v); }

/* ---- operators ---- */
#define WW_OP(O)                                                                            \
  WW_HD WW_H operator O(const WW_H &a, const WW_H &b) { return __ww_wrap(a.v O b.v); }      \
  WW_HD WW_H &operator O##=(WW_H &a, const WW_H &b) { return a = a O b; }                   \
  WW_HD WW_H2 operator O(const WW_H2 &a, const WW_H2 &b) { return __ww_pair(__ww_vec(a) O __ww_vec(b)); } \
  WW_HD WW_H2 &operator O##=(WW_H2 &a, const WW_H2 &b) { return a = a O b; }
WW_OP(+) WW_OP(-) WW_OP(*) WW_OP(/)
#undef WW_OP
#define WW_OP(O)                                                                            \
  WW_HD bool operator O(const WW_H &a, const WW_H &b) { return a.v O b.v; }                 \
  WW_HD bool operator O(const WW_H2 &a, const WW_H2 &b) { return a.x.v O b.x.v && a.y.v O b.y.v; }
WW_OP(==) WW_OP(<) WW_OP(>) WW_OP(<=) WW_OP(>=)
#undef WW_OP
WW_HD bool operator!=(const WW_H &a, const WW_H &b) { return a.v != b.v; }
WW_HD bool operator!=(const WW_H2 &a, const WW_H2 &b) { return a.x.v != b.x.v || a.y.v != b.y.v; }
WW_HD WW_H operator+(const WW_H &a) { return a; }
WW_HD WW_H operator-(const WW_H &a) { return __ww_wrap(-a.v); }
WW_HD WW_H2 operator+(const WW_H2 &a) { return a; }
WW_HD WW_H2 operator-(const WW_H2 &a) { return __ww_pair(-__ww_vec(a)); }
WW_HD WW_H &operator++(WW_H &a) { return a = __ww_wrap(a.v + (WW_N)1.0f); }
WW_HD WW_H &operator--(WW_H &a) { return a = __ww_wrap(a.v - (WW_N)1.0f); }
WW_HD WW_H operator++(WW_H &a, int) { WW_H old = a; ++a; return old; }
WW_HD WW_H operator--(WW_H &a, int) { WW_H old = a; --a; return old; }

/* ---- scalar arithmetic ---- */
WW_HD WW_H __ww_clamp01(WW_H a) { return a.v > (WW_N)0.0f ? a.v < (WW_N)1.0f ? a : __ww_wrap((WW_N)1.0f) : __ww_wrap((WW_N)0.0f); }
WW_HD WW_H __hadd(WW_H a, WW_H b) { return a + b; }
WW_HD WW_H __hsub(WW_H a, WW_H b) { return a - b; }
WW_HD WW_H __hmul(WW_H a, WW_H b) { return a * b; }
WW_HD WW_H __hdiv(WW_H a, WW_H b) { return a / b; }
WW_HD WW_H __hadd_rn(WW_H a, WW_H b) { return a + b; }
WW_HD WW_H __hsub_rn(WW_H a, WW_H b) { return a - b; }
WW_HD WW_H __hmul_rn(WW_H a, WW_H b) { return a * b; }
WW_HD WW_H __hadd_sat(WW_H a, WW_H b) { return __ww_clamp01(a + b); }
WW_HD WW_H __hsub_sat(WW_H a, WW_H b) { return __ww_clamp01(a - b); }
WW_HD WW_H __hmul_sat(WW_H a, WW_H b) { return __ww_clamp01(a * b); }
WW_HD WW_H __hfma(WW_H a, WW_H b, WW_H c) { return __ww_wrap(__builtin_elementwise_fma(a.v, b.v, c.v)); }
WW_HD WW_H __hfma_sat(WW_H a, WW_H b, WW_H c) { return __ww_clamp01(__hfma(a, b, c)); }
WW_HD WW_H __hfma_relu(WW_H a, WW_H b, WW_H c) { WW_H r = __hfma(a, b, c); return r.v < (WW_N)0.0f ? __ww_wrap((WW_N)0.0f) : r; }
WW_HD WW_H __hneg(WW_H a) { return -a; }
WW_HD WW_H __habs(WW_H a) { return __ww_wrap(__builtin_elementwise_abs(a.v)); }

/* ---- comparisons; the `u` forms are true when an operand is NaN ---- */
WW_HD bool __hisnan(WW_H a) { return a.v != a.v; }
WW_HD int __hisinf(WW_H a) { return (float)a.v == __builtin_inff() ? 1 : (float)a.v == -__builtin_inff() ? -1 : 0; }
#define WW_CMP(N, O)                                                                                                 \
  WW_HD bool __h##N(WW_H a, WW_H b) { return a.v O b.v; }                                                            \
  WW_HD bool __h##N##u(WW_H a, WW_H b) { return __hisnan(a) || __hisnan(b) || a.v O b.v; }                           \
  WW_HD WW_H2 __h##N##2(WW_H2 a, WW_H2 b) { return WW_H2(__ww_flag<WW_H>(__h##N(a.x, b.x)), __ww_flag<WW_H>(__h##N(a.y, b.y))); }\
  WW_HD WW_H2 __h##N##u2(WW_H2 a, WW_H2 b) { return WW_H2(__ww_flag<WW_H>(__h##N##u(a.x, b.x)), __ww_flag<WW_H>(__h##N##u(a.y, b.y))); } \
  WW_HD bool __hb##N##2(WW_H2 a, WW_H2 b) { return __h##N(a.x, b.x) && __h##N(a.y, b.y); }                           \
  WW_HD bool __hb##N##u2(WW_H2 a, WW_H2 b) { return __h##N##u(a.x, b.x) && __h##N##u(a.y, b.y); }                    \
  WW_HD unsigned __h##N##2_mask(WW_H2 a, WW_H2 b) { return (__h##N(a.x, b.x) ? 0xffffu : 0) | (__h##N(a.y, b.y) ? 0xffff0000u : 0); }
WW_CMP(eq, ==) WW_CMP(ne, !=) WW_CMP(le, <=) WW_CMP(ge, >=) WW_CMP(lt, <) WW_CMP(gt, >)
#undef WW_CMP
WW_HD WW_H2 __hisnan2(WW_H2 a) { return WW_H2(__ww_flag<WW_H>(__hisnan(a.x)), __ww_flag<WW_H>(__hisnan(a.y))); }
WW_HD WW_H __hmax(WW_H a, WW_H b) { return __ww_wrap(__builtin_elementwise_max(a.v, b.v)); } /* llvm.maxnum: NaN loses */
WW_HD WW_H __hmin(WW_H a, WW_H b) { return __ww_wrap(__builtin_elementwise_min(a.v, b.v)); }
WW_HD WW_H __hmax_nan(WW_H a, WW_H b) { return __hisnan(a) ? a : __hisnan(b) ? b : a.v > b.v ? a : b; }
WW_HD WW_H __hmin_nan(WW_H a, WW_H b) { return __hisnan(a) ? a : __hisnan(b) ? b : a.v < b.v ? a : b; }

/* ---- pairs ---- */
#define WW_EACH2(N2, N) WW_HD WW_H2 N2(WW_H2 a, WW_H2 b) { return WW_H2(N(a.x, b.x), N(a.y, b.y)); }
WW_HD WW_H2 __hadd2(WW_H2 a, WW_H2 b) { return a + b; }
WW_HD WW_H2 __hsub2(WW_H2 a, WW_H2 b) { return a - b; }
WW_HD WW_H2 __hmul2(WW_H2 a, WW_H2 b) { return a * b; }
WW_HD WW_H2 __h2div(WW_H2 a, WW_H2 b) { return a / b; }
WW_HD WW_H2 __hadd2_rn(WW_H2 a, WW_H2 b) { return a + b; }
WW_HD WW_H2 __hsub2_rn(WW_H2 a, WW_H2 b) { return a - b; }
WW_HD WW_H2 __hmul2_rn(WW_H2 a, WW_H2 b) { return a * b; }
WW_EACH2(__hadd2_sat, __hadd_sat) WW_EACH2(__hsub2_sat, __hsub_sat) WW_EACH2(__hmul2_sat, __hmul_sat)
WW_EACH2(__hmax2_nan, __hmax_nan) WW_EACH2(__hmin2_nan, __hmin_nan)
#undef WW_EACH2
WW_HD WW_H2 __hmax2(WW_H2 a, WW_H2 b) { return __ww_pair(__builtin_elementwise_max(__ww_vec(a), __ww_vec(b))); }
WW_HD WW_H2 __hmin2(WW_H2 a, WW_H2 b) { return __ww_pair(__builtin_elementwise_min(__ww_vec(a), __ww_vec(b))); }
WW_HD WW_H2 __hfma2(WW_H2 a, WW_H2 b, WW_H2 c) { return __ww_pair(__builtin_elementwise_fma(__ww_vec(a), __ww_vec(b), __ww_vec(c))); }
WW_HD WW_H2 __hfma2_sat(WW_H2 a, WW_H2 b, WW_H2 c) { return WW_H2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
WW_HD WW_H2 __hfma2_relu(WW_H2 a, WW_H2 b, WW_H2 c) { return WW_H2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
WW_HD WW_H2 __hcmadd(WW_H2 a, WW_H2 b, WW_H2 c) { /* complex multiply-add */
  return WW_H2(__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}
WW_HD WW_H2 __hneg2(WW_H2 a) { return -a; }
WW_HD WW_H2 __habs2(WW_H2 a) { return __ww_pair(__builtin_elementwise_abs(__ww_vec(a))); }
WW_HD float __low2float(WW_H2 a) { return (float)a.x.v; }
WW_HD float __high2float(WW_H2 a) { return (float)a.y.v; }
WW_HD WW_H2 __lowhigh2highlow(WW_H2 a) { return WW_H2(a.y, a.x); }

/* ---- functions of one argument, scalar and pair ---- */
#define WW_FN(N, E)                                                                          \
  WW_D WW_H h##N(WW_H a) { float x = (float)a.v; return __ww_wrap((WW_N)(E)); }              \
  WW_D WW_H2 h2##N(WW_H2 a) { return WW_H2(h##N(a.x), h##N(a.y)); }
WW_FN(exp, expf(x)) WW_FN(exp2, exp2f(x)) WW_FN(exp10, exp10f(x)) WW_FN(log, logf(x)) WW_FN(log2, log2f(x))
WW_FN(log10, log10f(x)) WW_FN(sqrt, sqrtf(x)) WW_FN(rsqrt, rsqrtf(x)) WW_FN(rcp, 1.0f / x) WW_FN(sin, sinf(x)) WW_FN(cos, cosf(x))
WW_FN(tanh, tanhf(x)) WW_FN(tanh_approx, tanhf(x)) WW_FN(floor, floorf(x)) WW_FN(ceil, ceilf(x)) WW_FN(trunc, truncf(x)) WW_FN(rint, rintf(x))
#undef WW_FN

/* ---- memory ---- */
WW_D WW_H __ldg(const WW_H *p) { return *p; }
WW_D WW_H2 __ldg(const WW_H2 *p) { return *p; }
WW_D WW_H atomicAdd(WW_H *p, WW_H v) { return __ww_wrap(__atomic_fetch_add((WW_N *)p, v.v, __ATOMIC_RELAXED)); }
WW_D WW_H2 atomicAdd(WW_H2 *p, WW_H2 v) { return WW_H2(atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y)); } /* atomic per element */

#undef WW_H
#undef WW_H2
#undef WW_N
#undef WW_V2
