/* min and max as CUDA overloads them: every pair of equal types and the mixed pairs of one width.
 * Mixed signedness compares as unsigned, mixed float/double as double; NaN loses, as in fmin. */
#ifndef WW_MINMAX_H
#define WW_MINMAX_H
#include "ww_attr.h"
#ifndef WW_MINMAX_SIDE /* the toolkit's headers have the device side; cuda-sdk asks for the host's */
#define WW_MINMAX_SIDE WW_HD
#endif

#define WW_MINMAX(R, A, B)                                                   \
  WW_MINMAX_SIDE R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                \
  WW_MINMAX_SIDE R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define WW_MINMAX_INT(S, U)                                                  \
  WW_MINMAX(S, S, S) WW_MINMAX(U, U, U) WW_MINMAX(U, S, U) WW_MINMAX(U, U, S)
WW_MINMAX_INT(int, unsigned int)
WW_MINMAX_INT(long, unsigned long)
WW_MINMAX_INT(long long, unsigned long long)

#define WW_MINMAX_FP(R, A, B, FMIN, FMAX)                                    \
  WW_MINMAX_SIDE R min(A a, B b) { return FMIN(a, b); }                               \
  WW_MINMAX_SIDE R max(A a, B b) { return FMAX(a, b); }
WW_MINMAX_FP(float, float, float, __builtin_fminf, __builtin_fmaxf)
WW_MINMAX_FP(double, double, double, __builtin_fmin, __builtin_fmax)
WW_MINMAX_FP(double, float, double, __builtin_fmin, __builtin_fmax)
WW_MINMAX_FP(double, double, float, __builtin_fmin, __builtin_fmax)
#undef WW_MINMAX_INT
#undef WW_MINMAX
#undef WW_MINMAX_FP
#endif
