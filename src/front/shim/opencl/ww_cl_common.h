/* Common functions: clamp, min, max on floating point, mix, step, smoothstep, sign, degrees, radians. */
#ifndef WW_CL_COMMON_H
#define WW_CL_COMMON_H

#define WW_MINMAX_N(T, n)                                                                      \
  static T##n WW_CL min(T##n a, T##n b) { return fmin(a, b); }                                        \
  static T##n WW_CL max(T##n a, T##n b) { return fmax(a, b); }                                        \
  static T##n WW_CL min(T##n a, T b) { return fmin(a, (T##n)(b)); }                                   \
  static T##n WW_CL max(T##n a, T b) { return fmax(a, (T##n)(b)); }                                   \
  static T##n WW_CL clamp(T##n a, T##n lo, T##n hi) { return fmin(fmax(a, lo), hi); }                 \
  static T##n WW_CL clamp(T##n a, T lo, T hi) { return fmin(fmax(a, (T##n)(lo)), (T##n)(hi)); }       \
  static T##n WW_CL mix(T##n a, T##n b, T##n t) { return a + (b - a) * t; }                           \
  static T##n WW_CL mix(T##n a, T##n b, T t) { return a + (b - a) * t; }                              \
  static T##n WW_CL step(T edge, T##n a) { return step((T##n)(edge), a); }                            \
  static T##n WW_CL smoothstep(T e0, T e1, T##n a) { return smoothstep((T##n)(e0), (T##n)(e1), a); }
#define WW_COMMON(T, pi)                                                                       \
  static T WW_CL min(T a, T b) { return fmin(a, b); }                                                 \
  static T WW_CL max(T a, T b) { return fmax(a, b); }                                                 \
  static T WW_CL clamp(T a, T lo, T hi) { return fmin(fmax(a, lo), hi); }                             \
  static T WW_CL mix(T a, T b, T t) { return a + (b - a) * t; }                                       \
  WW_EXPR2(step, T, b < a ? (T)0 : (T)1)                                                       \
  static T WW_CL smoothstep(T a, T b, T c) { T t = clamp((c - a) / (b - a), (T)0, (T)1); return t * t * (3 - 2 * t); } \
  WW_VEC3(smoothstep, T, T, T, T)                                                              \
  WW_EXPR1(sign, T, a > 0 ? (T)1 : a < 0 ? (T)-1 : a == 0 ? a : (T)0)                          \
  WW_EXPR1(degrees, T, a * (180 / pi))                                                         \
  WW_EXPR1(radians, T, a * (pi / 180))                                                         \
  WW_WIDTHS(WW_MINMAX_N, T)
WW_COMMON(float, M_PI_F)
WW_COMMON(double, M_PI)
#undef WW_COMMON
#undef WW_MINMAX_N

#endif
