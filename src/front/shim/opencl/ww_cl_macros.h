/* Qualifiers and the macros that stamp one definition over types and vector widths. */
#ifndef WW_CL_MACROS_H
#define WW_CL_MACROS_H

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define WW_CL inline __attribute__((overloadable, always_inline, const))    /* value in, value out */
#define WW_CLM inline __attribute__((overloadable, always_inline))          /* touches memory or other work-items */
#define WW_EXTERN __attribute__((const))


/* A scalar function f(A), f(A, B), f(A, B, C) returning R becomes f on every vector width, halves first.
 * The scalar version must be defined before. */
#define WW_VEC1(f, R, A)                                                                            \
  static R##2 WW_CL f(A##2 a) { return (R##2)(f(a.x), f(a.y)); }                                           \
  static R##3 WW_CL f(A##3 a) { return (R##3)(f(a.x), f(a.y), f(a.z)); }                                   \
  static R##4 WW_CL f(A##4 a) { return (R##4)(f(a.lo), f(a.hi)); }                                         \
  static R##8 WW_CL f(A##8 a) { return (R##8)(f(a.lo), f(a.hi)); }                                         \
  static R##16 WW_CL f(A##16 a) { return (R##16)(f(a.lo), f(a.hi)); }
#define WW_VEC2(f, R, A, B)                                                                         \
  static R##2 WW_CL f(A##2 a, B##2 b) { return (R##2)(f(a.x, b.x), f(a.y, b.y)); }                         \
  static R##3 WW_CL f(A##3 a, B##3 b) { return (R##3)(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)); }            \
  static R##4 WW_CL f(A##4 a, B##4 b) { return (R##4)(f(a.lo, b.lo), f(a.hi, b.hi)); }                     \
  static R##8 WW_CL f(A##8 a, B##8 b) { return (R##8)(f(a.lo, b.lo), f(a.hi, b.hi)); }                     \
  static R##16 WW_CL f(A##16 a, B##16 b) { return (R##16)(f(a.lo, b.lo), f(a.hi, b.hi)); }
#define WW_VEC3(f, R, A, B, C)                                                                                         \
  static R##2 WW_CL f(A##2 a, B##2 b, C##2 c) { return (R##2)(f(a.x, b.x, c.x), f(a.y, b.y, c.y)); }                          \
  static R##3 WW_CL f(A##3 a, B##3 b, C##3 c) { return (R##3)(f(a.x, b.x, c.x), f(a.y, b.y, c.y), f(a.z, b.z, c.z)); }        \
  static R##4 WW_CL f(A##4 a, B##4 b, C##4 c) { return (R##4)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi)); }                    \
  static R##8 WW_CL f(A##8 a, B##8 b, C##8 c) { return (R##8)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi)); }                    \
  static R##16 WW_CL f(A##16 a, B##16 b, C##16 c) { return (R##16)(f(a.lo, b.lo, c.lo), f(a.hi, b.hi, c.hi)); }

/* The second argument may be a scalar: f(float4, float). */
#define WW_VEC2_SCALAR(f, T)                                                                        \
  static T##2 WW_CL f(T##2 a, T b) { return f(a, (T##2)(b)); }                                             \
  static T##3 WW_CL f(T##3 a, T b) { return f(a, (T##3)(b)); }                                             \
  static T##4 WW_CL f(T##4 a, T b) { return f(a, (T##4)(b)); }                                             \
  static T##8 WW_CL f(T##8 a, T b) { return f(a, (T##8)(b)); }                                             \
  static T##16 WW_CL f(T##16 a, T b) { return f(a, (T##16)(b)); }

/* X(T) for the integer types; X(T, U) with the unsigned type of the same size. */
#define WW_INTEGERS(X) X(char) X(uchar) X(short) X(ushort) X(int) X(uint) X(long) X(ulong)
#define WW_SIGNED_UNSIGNED(X) X(char, uchar) X(short, ushort) X(int, uint) X(long, ulong)
/* X(T, n) for every width. */
#define WW_WIDTHS(X, T) X(T, 2) X(T, 3) X(T, 4) X(T, 8) X(T, 16)

/* X(address space) for functions that take a pointer. WW_PRIVATE takes private pointers and, where the language has them, generic
 * ones: to NVPTX both are address space 0, so one overload must serve both. */
#ifdef __opencl_c_generic_address_space
#define WW_PRIVATE __generic
#else
#define WW_PRIVATE __private
#endif
#define WW_WRITABLE_SPACES(X) X(__global) X(__local) X(WW_PRIVATE)
#define WW_READABLE_SPACES(X) WW_WRITABLE_SPACES(X) X(__constant)

#endif
