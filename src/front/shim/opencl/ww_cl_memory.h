/* vload, vstore, half in memory, async copies, prefetch, shuffle. */
#ifndef WW_CL_MEMORY_H
#define WW_CL_MEMORY_H

/* A vector at the alignment of its element: one vector access in the IR. A 3-vector is three elements. */
#define WW_VLOAD_N(T, n, S)                                                                                               \
  static T##n WW_CLM vload##n(size_t i, const S T *p) { typedef T##n V __attribute__((aligned(sizeof(T)))); return *(const S V *)(p + i * n); }
#define WW_VSTORE_N(T, n, S)                                                                                              \
  static void WW_CLM vstore##n(T##n v, size_t i, S T *p) { typedef T##n V __attribute__((aligned(sizeof(T)))); *(S V *)(p + i * n) = v; }
#define WW_VLOAD(T, S)                                                                                                    \
  WW_VLOAD_N(T, 2, S) WW_VLOAD_N(T, 4, S) WW_VLOAD_N(T, 8, S) WW_VLOAD_N(T, 16, S)                                        \
  static T##3 WW_CLM vload3(size_t i, const S T *p) { p += i * 3; return (T##3)(p[0], p[1], p[2]); }
#define WW_VSTORE(T, S)                                                                                                   \
  WW_VSTORE_N(T, 2, S) WW_VSTORE_N(T, 4, S) WW_VSTORE_N(T, 8, S) WW_VSTORE_N(T, 16, S)                                    \
  static void WW_CLM vstore3(T##3 v, size_t i, S T *p) { p += i * 3; p[0] = v.x; p[1] = v.y; p[2] = v.z; }
#define WW_ALL_TYPES(X, S) X(char, S) X(uchar, S) X(short, S) X(ushort, S) X(int, S) X(uint, S) X(long, S) X(ulong, S) X(float, S) X(double, S)
#define WW_VLOAD_SPACE(S) WW_ALL_TYPES(WW_VLOAD, S)
#define WW_VSTORE_SPACE(S) WW_ALL_TYPES(WW_VSTORE, S)
WW_READABLE_SPACES(WW_VLOAD_SPACE)
WW_WRITABLE_SPACES(WW_VSTORE_SPACE)

/* Half in memory, float in registers. Rounding to nearest even; the other rounding modes are left to clang's declarations. */
#define WW_VLOAD_HALF(S)                                                                                                  \
  static float WW_CLM vload_half(size_t i, const S half *p) { return p[i]; }                                                     \
  static float2 WW_CLM vload_half2(size_t i, const S half *p) { p += i * 2; return (float2)(p[0], p[1]); }                       \
  static float3 WW_CLM vload_half3(size_t i, const S half *p) { p += i * 3; return (float3)(p[0], p[1], p[2]); }                 \
  static float4 WW_CLM vload_half4(size_t i, const S half *p) { p += i * 4; return (float4)(p[0], p[1], p[2], p[3]); }           \
  static float2 WW_CLM vloada_half2(size_t i, const S half *p) { return vload_half2(i, p); }                                     \
  static float3 WW_CLM vloada_half3(size_t i, const S half *p) { p += i * 4; return (float3)(p[0], p[1], p[2]); }                \
  static float4 WW_CLM vloada_half4(size_t i, const S half *p) { return vload_half4(i, p); }
#define WW_VSTORE_HALF(S)                                                                                                 \
  static void WW_CLM vstore_half(float v, size_t i, S half *p) { p[i] = v; }                                                     \
  static void WW_CLM vstore_half(double v, size_t i, S half *p) { p[i] = v; }                                                    \
  static void WW_CLM vstore_half_rte(float v, size_t i, S half *p) { p[i] = v; }                                                 \
  static void WW_CLM vstore_half2(float2 v, size_t i, S half *p) { p += i * 2; p[0] = v.x; p[1] = v.y; }                         \
  static void WW_CLM vstore_half3(float3 v, size_t i, S half *p) { p += i * 3; p[0] = v.x; p[1] = v.y; p[2] = v.z; }             \
  static void WW_CLM vstore_half4(float4 v, size_t i, S half *p) { p += i * 4; p[0] = v.x; p[1] = v.y; p[2] = v.z; p[3] = v.w; } \
  static void WW_CLM vstorea_half4(float4 v, size_t i, S half *p) { vstore_half4(v, i, p); }
WW_READABLE_SPACES(WW_VLOAD_HALF)
WW_WRITABLE_SPACES(WW_VSTORE_HALF)

/* Async copies: the work-items of the group share the copy, the wait is a barrier. */
#define WW_ASYNC_T(T)                                                                                                     \
  static event_t WW_CLM async_work_group_strided_copy(__local T *d, const __global T *s, size_t n, size_t stride, event_t e) {   \
    size_t step = get_local_size(0) * get_local_size(1) * get_local_size(2);                                              \
    for (size_t i = get_local_linear_id(); i < n; i += step) d[i] = s[i * stride];                                        \
    return e;                                                                                                             \
  }                                                                                                                       \
  static event_t WW_CLM async_work_group_strided_copy(__global T *d, const __local T *s, size_t n, size_t stride, event_t e) {   \
    size_t step = get_local_size(0) * get_local_size(1) * get_local_size(2);                                              \
    for (size_t i = get_local_linear_id(); i < n; i += step) d[i * stride] = s[i];                                        \
    return e;                                                                                                             \
  }                                                                                                                       \
  static event_t WW_CLM async_work_group_copy(__local T *d, const __global T *s, size_t n, event_t e) { return async_work_group_strided_copy(d, s, n, 1, e); } \
  static event_t WW_CLM async_work_group_copy(__global T *d, const __local T *s, size_t n, event_t e) { return async_work_group_strided_copy(d, s, n, 1, e); } \
  static void WW_CLM prefetch(const __global T *p, size_t n) {}
#define WW_ASYNC(T) WW_ASYNC_T(T) WW_ASYNC_T(T##2) WW_ASYNC_T(T##3) WW_ASYNC_T(T##4) WW_ASYNC_T(T##8) WW_ASYNC_T(T##16)
WW_INTEGERS(WW_ASYNC) WW_ASYNC(float) WW_ASYNC(double)
static void WW_CLM __attribute__((convergent)) wait_group_events(int n, event_t *e) { __syncthreads(); }

/* shuffle(a, m): component m & (len a - 1); shuffle2 picks from a then b. */
#define WW_SHUFFLE_MN(T, U, m, n)                                                                                         \
  static T##n WW_CL shuffle(T##m a, U##n k) { T##n r; for (int i = 0; i < n; i++) r[i] = a[k[i] & (m - 1)]; return r; }          \
  static T##n WW_CL shuffle2(T##m a, T##m b, U##n k) {                                                                           \
    T##n r;                                                                                                               \
    for (int i = 0; i < n; i++) { int j = k[i] & (2 * m - 1); r[i] = j < m ? a[j] : b[j - m]; }                           \
    return r;                                                                                                             \
  }
#define WW_SHUFFLE_M(T, U, m) WW_SHUFFLE_MN(T, U, m, 2) WW_SHUFFLE_MN(T, U, m, 4) WW_SHUFFLE_MN(T, U, m, 8) WW_SHUFFLE_MN(T, U, m, 16)
#define WW_SHUFFLE(T, U) WW_SHUFFLE_M(T, U, 2) WW_SHUFFLE_M(T, U, 4) WW_SHUFFLE_M(T, U, 8) WW_SHUFFLE_M(T, U, 16)
WW_SHUFFLE(char, uchar) WW_SHUFFLE(uchar, uchar) WW_SHUFFLE(short, ushort) WW_SHUFFLE(ushort, ushort) WW_SHUFFLE(int, uint)
WW_SHUFFLE(uint, uint) WW_SHUFFLE(long, ulong) WW_SHUFFLE(ulong, ulong) WW_SHUFFLE(float, uint) WW_SHUFFLE(double, ulong)

#endif
