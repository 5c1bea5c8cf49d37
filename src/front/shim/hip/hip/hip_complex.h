/* Complex numbers as pairs: hipFloatComplex and hipDoubleComplex are float2 and double2. */
#ifndef WW_HIP_COMPLEX_H
#define WW_HIP_COMPLEX_H
#include "../ww_hip.h"

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

#define WW_COMPLEX(T, C, f, make, root)                                                                      \
  WW_HOST_DEVICE T hipCreal##f(C z) { return z.x; }                                                          \
  WW_HOST_DEVICE T hipCimag##f(C z) { return z.y; }                                                          \
  WW_HOST_DEVICE C make(T a, T b) { return C(a, b); }                                                        \
  WW_HOST_DEVICE C hipConj##f(C z) { return C(z.x, -z.y); }                                                  \
  WW_HOST_DEVICE T hipCsqabs##f(C z) { return z.x * z.x + z.y * z.y; }                                       \
  WW_HOST_DEVICE C hipCadd##f(C p, C q) { return C(p.x + q.x, p.y + q.y); }                                  \
  WW_HOST_DEVICE C hipCsub##f(C p, C q) { return C(p.x - q.x, p.y - q.y); }                                  \
  WW_HOST_DEVICE C hipCmul##f(C p, C q) { return C(p.x * q.x - p.y * q.y, p.y * q.x + p.x * q.y); }          \
  WW_HOST_DEVICE C hipCdiv##f(C p, C q) {                                                                    \
    T s = hipCsqabs##f(q);                                                                                   \
    return C((p.x * q.x + p.y * q.y) / s, (p.y * q.x - p.x * q.y) / s);                                      \
  }                                                                                                          \
  WW_HOST_DEVICE T hipCabs##f(C z) { return root(hipCsqabs##f(z)); }                                         \
  WW_HOST_DEVICE C hipCfma##f(C p, C q, C r) { return C(p.x * q.x - p.y * q.y + r.x, p.y * q.x + p.x * q.y + r.y); }
WW_COMPLEX(float, hipFloatComplex, f, make_hipFloatComplex, __builtin_sqrtf)
WW_COMPLEX(double, hipDoubleComplex, , make_hipDoubleComplex, __builtin_sqrt)
#undef WW_COMPLEX
WW_HOST_DEVICE hipComplex make_hipComplex(float a, float b) { return hipComplex(a, b); }
WW_HOST_DEVICE hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) { return hipDoubleComplex(z.x, z.y); }
WW_HOST_DEVICE hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) { return hipFloatComplex(z.x, z.y); }
#endif
