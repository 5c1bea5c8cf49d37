/* Geometric functions on 1 to 4 components. */
#ifndef WW_CL_GEOMETRIC_H
#define WW_CL_GEOMETRIC_H

#define WW_LENGTHS(T, V)                                                                       \
  static T WW_CL length(V a) { return sqrt(dot(a, a)); }                                              \
  static T WW_CL distance(V a, V b) { return length(a - b); }                                         \
  static V WW_CL normalize(V a) { return a * rsqrt(dot(a, a)); }
#define WW_GEOMETRIC(T)                                                                        \
  static T WW_CL dot(T a, T b) { return a * b; }                                                      \
  static T WW_CL dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; }                                \
  static T WW_CL dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                    \
  static T WW_CL dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }        \
  static T##3 WW_CL cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }                   \
  static T##4 WW_CL cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), 0); }                  \
  WW_LENGTHS(T, T) WW_LENGTHS(T, T##2) WW_LENGTHS(T, T##3) WW_LENGTHS(T, T##4)
WW_GEOMETRIC(float)
WW_GEOMETRIC(double)
#undef WW_GEOMETRIC
#undef WW_LENGTHS
#define WW_FAST(V)                                                                             \
  static float WW_CL fast_length(V a) { return half_sqrt(dot(a, a)); }                                \
  static float WW_CL fast_distance(V a, V b) { return fast_length(a - b); }                           \
  static V WW_CL fast_normalize(V a) { return a * half_rsqrt(dot(a, a)); }
WW_FAST(float) WW_FAST(float2) WW_FAST(float3) WW_FAST(float4)
#undef WW_FAST

#endif
