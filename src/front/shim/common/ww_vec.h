/* The built-in vector types char1 .. double4, dim3, and their make_ functions.
 *
 * Invariant: size and alignment are those of the CUDA programming guide (table "Alignment
 * Requirements"), and every type is an aggregate, so that `float4 v = {1, 2}` works, memcpy of one
 * becomes four adjacent scalar accesses, and LLVM's load-store vectoriser can make one wide access. */
#ifndef WW_VEC_H
#define WW_VEC_H
#include "ww_attr.h"

/* WW_VEC(name, element, alignment of the 2-vector, alignment of the 4-vector) */
#define WW_VEC(N, T, A2, A4)                                                         \
  struct N##1 { T x; };                                                              \
  struct WW_ALIGN(A2) N##2 { T x, y; };                                              \
  struct N##3 { T x, y, z; };                                                        \
  struct WW_ALIGN(A4) N##4 { T x, y, z, w; };                                        \
  WW_HD constexpr N##1 make_##N##1(T x) { return N##1{x}; }                          \
  WW_HD constexpr N##2 make_##N##2(T x, T y) { return N##2{x, y}; }                  \
  WW_HD constexpr N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; }          \
  WW_HD constexpr N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }

#ifndef WW_VEC_NO_TYPES /* a dialect with richer vector types (HIP's have operators) brings its own */
WW_VEC(char, signed char, 2, 4)
WW_VEC(uchar, unsigned char, 2, 4)
WW_VEC(short, short, 4, 8)
WW_VEC(ushort, unsigned short, 4, 8)
WW_VEC(int, int, 8, 16)
WW_VEC(uint, unsigned int, 8, 16)
WW_VEC(long, long, 16, 16)
WW_VEC(ulong, unsigned long, 16, 16)
WW_VEC(longlong, long long, 16, 16)
WW_VEC(ulonglong, unsigned long long, 16, 16)
WW_VEC(float, float, 8, 16)
WW_VEC(double, double, 16, 16)

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
#endif
#endif
