/* Arithmetic on float2 .. uint4: the operators and geometry functions of the samples' helper_math.h. */
#ifndef WW_VEC_MATH_H
#define WW_VEC_MATH_H
#include "ww_vec.h"

#define WW_VEC_BIN(V, T, N, O)                                                   \
  WW_HD V operator O(V a, V b) { WW_BIN##N(V, O) }                               \
  WW_HD V operator O(V a, T s) { WW_BINS##N(V, O) }                              \
  WW_HD V operator O(T s, V b) { WW_SBIN##N(V, O) }                              \
  WW_HD void operator O##=(V &a, V b) { a = a O b; }                             \
  WW_HD void operator O##=(V &a, T s) { a = a O s; }
#define WW_BIN2(V, O) return V{a.x O b.x, a.y O b.y};
#define WW_BIN3(V, O) return V{a.x O b.x, a.y O b.y, a.z O b.z};
#define WW_BIN4(V, O) return V{a.x O b.x, a.y O b.y, a.z O b.z, a.w O b.w};
#define WW_BINS2(V, O) return V{a.x O s, a.y O s};
#define WW_BINS3(V, O) return V{a.x O s, a.y O s, a.z O s};
#define WW_BINS4(V, O) return V{a.x O s, a.y O s, a.z O s, a.w O s};
#define WW_SBIN2(V, O) return V{s O b.x, s O b.y};
#define WW_SBIN3(V, O) return V{s O b.x, s O b.y, s O b.z};
#define WW_SBIN4(V, O) return V{s O b.x, s O b.y, s O b.z, s O b.w};
#define WW_FN1_2(V, F) return V{F(a.x), F(a.y)};
#define WW_FN1_3(V, F) return V{F(a.x), F(a.y), F(a.z)};
#define WW_FN1_4(V, F) return V{F(a.x), F(a.y), F(a.z), F(a.w)};
#define WW_FN2_2(V, F) return V{F(a.x, b.x), F(a.y, b.y)};
#define WW_FN2_3(V, F) return V{F(a.x, b.x), F(a.y, b.y), F(a.z, b.z)};
#define WW_FN2_4(V, F) return V{F(a.x, b.x), F(a.y, b.y), F(a.z, b.z), F(a.w, b.w)};
#define WW_SUM2 a.x * b.x + a.y * b.y
#define WW_SUM3 a.x * b.x + a.y * b.y + a.z * b.z
#define WW_SUM4 a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w

#define WW_VEC_INT(V, T, N)                                                      \
  WW_VEC_BIN(V, T, N, +) WW_VEC_BIN(V, T, N, -) WW_VEC_BIN(V, T, N, *)           \
  WW_HD V min(V a, V b) { WW_FN2_##N(V, min) }                                   \
  WW_HD V max(V a, V b) { WW_FN2_##N(V, max) }                                   \
  WW_HD V clamp(V v, V lo, V hi) { return max(lo, min(v, hi)); }                 \
  WW_HD T dot(V a, V b) { return WW_SUM##N; }
#define WW_VEC_FLOAT(V, N)                                                       \
  WW_VEC_BIN(V, float, N, +) WW_VEC_BIN(V, float, N, -) WW_VEC_BIN(V, float, N, *) WW_VEC_BIN(V, float, N, /) \
  WW_HD V operator-(V a) { WW_FN1_##N(V, -) }                                    \
  WW_HD V fminf(V a, V b) { WW_FN2_##N(V, fminf) }                               \
  WW_HD V fmaxf(V a, V b) { WW_FN2_##N(V, fmaxf) }                               \
  WW_HD V fabs(V a) { WW_FN1_##N(V, fabsf) }                                     \
  WW_HD V floorf(V a) { WW_FN1_##N(V, floorf) }                                  \
  WW_HD V fracf(V a) { return a - floorf(a); }                                   \
  WW_HD V fmodf(V a, V b) { WW_FN2_##N(V, fmodf) }                               \
  WW_HD float dot(V a, V b) { return WW_SUM##N; }                                \
  WW_HD float length(V a) { return sqrtf(dot(a, a)); }                           \
  WW_HD V normalize(V a) { return a * rsqrtf(dot(a, a)); }                       \
  WW_HD V lerp(V a, V b, float t) { return a + t * (b - a); }                    \
  WW_HD V reflect(V i, V n) { return i - 2.0f * n * dot(n, i); }                 \
  WW_HD V clamp(V v, V lo, V hi) { return fmaxf(lo, fminf(v, hi)); }             \
  WW_HD V clamp(V v, float lo, float hi) { V a = v, s; for (int i = 0; i < N; i++) (&s.x)[i] = fmaxf(lo, fminf((&a.x)[i], hi)); return s; } \
  WW_HD V smoothstep(V lo, V hi, V x) { V t = clamp((x - lo) / (hi - lo), 0.0f, 1.0f); return t * t * (3.0f - 2.0f * t); }
WW_HD float lerp(float a, float b, float t) { return a + t * (b - a); }
WW_HD float fracf(float v) { return v - floorf(v); }
WW_HD float clamp(float v, float lo, float hi) { return fmaxf(lo, fminf(v, hi)); }
WW_HD int clamp(int v, int lo, int hi) { return max(lo, min(v, hi)); }
WW_HD unsigned clamp(unsigned v, unsigned lo, unsigned hi) { return max(lo, min(v, hi)); }
WW_VEC_FLOAT(float2, 2) WW_VEC_FLOAT(float3, 3) WW_VEC_FLOAT(float4, 4)
WW_VEC_INT(int2, int, 2) WW_VEC_INT(int3, int, 3) WW_VEC_INT(int4, int, 4)
WW_VEC_INT(uint2, unsigned, 2) WW_VEC_INT(uint3, unsigned, 3) WW_VEC_INT(uint4, unsigned, 4)
WW_HD float3 cross(float3 a, float3 b) { return float3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

/* make_float4 and its kin from narrower and other vectors */
WW_HD float2 make_float2(float s) { return float2{s, s}; }
WW_HD float2 make_float2(float3 a) { return float2{a.x, a.y}; }
WW_HD float2 make_float2(int2 a) { return float2{(float)a.x, (float)a.y}; }
WW_HD float2 make_float2(uint2 a) { return float2{(float)a.x, (float)a.y}; }
WW_HD float3 make_float3(float s) { return float3{s, s, s}; }
WW_HD float3 make_float3(float2 a) { return float3{a.x, a.y, 0}; }
WW_HD float3 make_float3(float2 a, float z) { return float3{a.x, a.y, z}; }
WW_HD float3 make_float3(float4 a) { return float3{a.x, a.y, a.z}; }
WW_HD float3 make_float3(int3 a) { return float3{(float)a.x, (float)a.y, (float)a.z}; }
WW_HD float3 make_float3(uint3 a) { return float3{(float)a.x, (float)a.y, (float)a.z}; }
WW_HD float4 make_float4(float s) { return float4{s, s, s, s}; }
WW_HD float4 make_float4(float3 a) { return float4{a.x, a.y, a.z, 0}; }
WW_HD float4 make_float4(float3 a, float w) { return float4{a.x, a.y, a.z, w}; }
WW_HD float4 make_float4(int4 a) { return float4{(float)a.x, (float)a.y, (float)a.z, (float)a.w}; }
WW_HD float4 make_float4(uint4 a) { return float4{(float)a.x, (float)a.y, (float)a.z, (float)a.w}; }
WW_HD int2 make_int2(int s) { return int2{s, s}; }
WW_HD int2 make_int2(float2 a) { return int2{(int)a.x, (int)a.y}; }
WW_HD int3 make_int3(int s) { return int3{s, s, s}; }
WW_HD int3 make_int3(float3 a) { return int3{(int)a.x, (int)a.y, (int)a.z}; }
WW_HD int4 make_int4(int s) { return int4{s, s, s, s}; }
WW_HD int4 make_int4(float4 a) { return int4{(int)a.x, (int)a.y, (int)a.z, (int)a.w}; }
WW_HD uint2 make_uint2(unsigned s) { return uint2{s, s}; }
WW_HD uint3 make_uint3(unsigned s) { return uint3{s, s, s}; }
WW_HD uint4 make_uint4(unsigned s) { return uint4{s, s, s, s}; }
#endif
