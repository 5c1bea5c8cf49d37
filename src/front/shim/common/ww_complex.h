/* Complex numbers as pairs: cuFloatComplex and cuDoubleComplex are float2 and double2. */
#ifndef WW_COMPLEX_H
#define WW_COMPLEX_H
#include "ww_vec.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* WW_COMPLEX(scalar, pair, suffix of the names, make_ function, sqrt, fabs) */
#define WW_COMPLEX(T, C, F, MAKE, SQRT, FABS)                                                       \
  WW_HD T cuCreal##F(C a) { return a.x; }                                                           \
  WW_HD T cuCimag##F(C a) { return a.y; }                                                           \
  WW_HD C MAKE(T r, T i) { return C{r, i}; }                                                        \
  WW_HD C cuConj##F(C a) { return C{a.x, -a.y}; }                                                   \
  WW_HD C cuCadd##F(C a, C b) { return C{a.x + b.x, a.y + b.y}; }                                   \
  WW_HD C cuCsub##F(C a, C b) { return C{a.x - b.x, a.y - b.y}; }                                   \
  WW_HD C cuCmul##F(C a, C b) { return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }           \
  WW_HD C cuCfma##F(C a, C b, C c) {                                                                \
    return C{(a.x * b.x + c.x) - a.y * b.y, (a.y * b.x + c.y) + a.x * b.y};                         \
  }                                                                                                 \
  WW_HD C cuCdiv##F(C a, C b) { /* scaled, so that |b|^2 can't overflow */                          \
    T s = FABS(b.x) + FABS(b.y), o = (T)1 / s;                                                      \
    T ar = a.x * o, ai = a.y * o, br = b.x * o, bi = b.y * o, q = (T)1 / (br * br + bi * bi);       \
    return C{(ar * br + ai * bi) * q, (ai * br - ar * bi) * q};                                     \
  }                                                                                                 \
  WW_HD T cuCabs##F(C a) {                                                                          \
    T x = FABS(a.x), y = FABS(a.y), big = x > y ? x : y, small = x > y ? y : x;                     \
    if (big == 0 || big > (T)(sizeof(T) == 4 ? 3.402823466e38f : 1.79769313486231570e308)) return x + y; \
    T t = small / big;                                                                              \
    return big * SQRT((T)1 + t * t);                                                                \
  }
WW_COMPLEX(float, cuFloatComplex, f, make_cuFloatComplex, sqrtf, __builtin_fabsf)
WW_COMPLEX(double, cuDoubleComplex, , make_cuDoubleComplex, sqrt, __builtin_fabs)
#undef WW_COMPLEX
WW_HD cuComplex make_cuComplex(float r, float i) { return cuComplex{r, i}; }
WW_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return cuDoubleComplex{c.x, c.y}; }
WW_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) { return cuFloatComplex{(float)c.x, (float)c.y}; }
#endif
