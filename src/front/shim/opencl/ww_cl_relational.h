/* Relational functions: comparisons give 1 for scalars and -1 (all bits) for vector components; any, all, select, bitselect. */
#ifndef WW_CL_RELATIONAL_H
#define WW_CL_RELATIONAL_H

/* f(x, y) by an operator: vectors compare natively. */
#define WW_COMPARE_T(f, op, T, I)                                                    \
  static int WW_CL f(T a, T b) { return a op b; }                                           \
  static I##2 WW_CL f(T##2 a, T##2 b) { return a op b; }                                    \
  static I##3 WW_CL f(T##3 a, T##3 b) { return a op b; }                                    \
  static I##4 WW_CL f(T##4 a, T##4 b) { return a op b; }                                    \
  static I##8 WW_CL f(T##8 a, T##8 b) { return a op b; }                                    \
  static I##16 WW_CL f(T##16 a, T##16 b) { return a op b; }
#define WW_COMPARE(f, op) WW_COMPARE_T(f, op, float, int) WW_COMPARE_T(f, op, double, long)
WW_COMPARE(isequal, ==)
WW_COMPARE(isnotequal, !=)
WW_COMPARE(isgreater, >)
WW_COMPARE(isgreaterequal, >=)
WW_COMPARE(isless, <)
WW_COMPARE(islessequal, <=)
#undef WW_COMPARE
#undef WW_COMPARE_T

/* f(x), f(x, y) by an expression in a and b. */
#define WW_TEST1(f, T, I, e)                                                         \
  static int WW_CL f(T a) { return e; }                                                     \
  static I##2 WW_CL f(T##2 a) { return e; }                                                 \
  static I##3 WW_CL f(T##3 a) { return e; }                                                 \
  static I##4 WW_CL f(T##4 a) { return e; }                                                 \
  static I##8 WW_CL f(T##8 a) { return e; }                                                 \
  static I##16 WW_CL f(T##16 a) { return e; }
#define WW_TEST2(f, T, I, e)                                                         \
  static int WW_CL f(T a, T b) { return e; }                                                \
  static I##2 WW_CL f(T##2 a, T##2 b) { return e; }                                         \
  static I##3 WW_CL f(T##3 a, T##3 b) { return e; }                                         \
  static I##4 WW_CL f(T##4 a, T##4 b) { return e; }                                         \
  static I##8 WW_CL f(T##8 a, T##8 b) { return e; }                                         \
  static I##16 WW_CL f(T##16 a, T##16 b) { return e; }
WW_TEST1(isnan, float, int, a != a)
WW_TEST1(isnan, double, long, a != a)
WW_TEST1(isinf, float, int, (a == INFINITY) | (a == -INFINITY))
WW_TEST1(isinf, double, long, (a == (double)INFINITY) | (a == -(double)INFINITY))
WW_TEST1(isfinite, float, int, (a > -INFINITY) & (a < INFINITY))
WW_TEST1(isfinite, double, long, (a > -(double)INFINITY) & (a < (double)INFINITY))
WW_TEST2(islessgreater, float, int, (a < b) | (a > b))
WW_TEST2(islessgreater, double, long, (a < b) | (a > b))
WW_TEST2(isordered, float, int, (a == a) & (b == b))
WW_TEST2(isordered, double, long, (a == a) & (b == b))
WW_TEST2(isunordered, float, int, (a != a) | (b != b))
WW_TEST2(isunordered, double, long, (a != a) | (b != b))
#undef WW_TEST1
#undef WW_TEST2

static int WW_CL isnormal(float a) { uint e = as_uint(a) >> 23 & 255; return e != 0 && e != 255; }
static int WW_CL isnormal(double a) { uint e = as_ulong(a) >> 52 & 2047; return e != 0 && e != 2047; }
static int WW_CL signbit(float a) { return as_uint(a) >> 31; }
static int WW_CL signbit(double a) { return as_ulong(a) >> 63; }
#define WW_SIGNS(T, I, n)                                                            \
  static I##n WW_CL signbit(T##n a) { return as_##I##n(a) < (I##n)0; }
WW_SIGNS(float, int, 2) WW_SIGNS(float, int, 3) WW_SIGNS(float, int, 4) WW_SIGNS(float, int, 8) WW_SIGNS(float, int, 16)
WW_SIGNS(double, long, 2) WW_SIGNS(double, long, 3) WW_SIGNS(double, long, 4) WW_SIGNS(double, long, 8) WW_SIGNS(double, long, 16)
#undef WW_SIGNS

/* any, all: the most significant bit of a component decides. */
#define WW_ANY_ALL(T)                                                                                              \
  static int WW_CL any(T a) { return a < 0; }                                                                             \
  static int WW_CL any(T##2 a) { return any((T)(a.x | a.y)); }                                                            \
  static int WW_CL any(T##3 a) { return any((T)(a.x | a.y | a.z)); }                                                      \
  static int WW_CL any(T##4 a) { return any(a.lo | a.hi); }                                                               \
  static int WW_CL any(T##8 a) { return any(a.lo | a.hi); }                                                               \
  static int WW_CL any(T##16 a) { return any(a.lo | a.hi); }                                                              \
  static int WW_CL all(T a) { return a < 0; }                                                                             \
  static int WW_CL all(T##2 a) { return all((T)(a.x & a.y)); }                                                            \
  static int WW_CL all(T##3 a) { return all((T)(a.x & a.y & a.z)); }                                                      \
  static int WW_CL all(T##4 a) { return all(a.lo & a.hi); }                                                               \
  static int WW_CL all(T##8 a) { return all(a.lo & a.hi); }                                                               \
  static int WW_CL all(T##16 a) { return all(a.lo & a.hi); }
WW_ANY_ALL(char) WW_ANY_ALL(short) WW_ANY_ALL(int) WW_ANY_ALL(long)
#undef WW_ANY_ALL

/* select(a, b, c): b where c is set (scalar: c != 0, vector: top bit of c). C runs over the signed and unsigned type. */
#define WW_SELECT(T, I, U)                                                                                       \
  static T WW_CL select(T a, T b, I c) { return c ? b : a; }                                                            \
  static T WW_CL select(T a, T b, U c) { return c ? b : a; }                                                            \
  WW_SELECT_N(T, I, U, 2) WW_SELECT_N(T, I, U, 3) WW_SELECT_N(T, I, U, 4) WW_SELECT_N(T, I, U, 8) WW_SELECT_N(T, I, U, 16)
#define WW_SELECT_N(T, I, U, n)                                                                                  \
  static T##n WW_CL select(T##n a, T##n b, I##n c) { return c < (I##n)0 ? b : a; }                                         \
  static T##n WW_CL select(T##n a, T##n b, U##n c) { return as_##I##n(c) < (I##n)0 ? b : a; }
WW_SELECT(char, char, uchar) WW_SELECT(uchar, char, uchar) WW_SELECT(short, short, ushort) WW_SELECT(ushort, short, ushort)
WW_SELECT(int, int, uint) WW_SELECT(uint, int, uint) WW_SELECT(long, long, ulong) WW_SELECT(ulong, long, ulong)
WW_SELECT(float, int, uint) WW_SELECT(double, long, ulong)
#undef WW_SELECT
#undef WW_SELECT_N

/* bitselect(a, b, c): each bit of b where c's bit is set. U is the unsigned type of the same shape. */
#define WW_BITSELECT(T, U) \
  static T WW_CL bitselect(T a, T b, T c) { return __builtin_astype((__builtin_astype(a, U) & ~__builtin_astype(c, U)) | (__builtin_astype(b, U) & __builtin_astype(c, U)), T); }
#define WW_BITSELECT_ALL(T, U) WW_BITSELECT(T, U) WW_BITSELECT(T##2, U##2) WW_BITSELECT(T##3, U##3) WW_BITSELECT(T##4, U##4) WW_BITSELECT(T##8, U##8) WW_BITSELECT(T##16, U##16)
WW_BITSELECT_ALL(int, uint) WW_BITSELECT_ALL(uint, uint) WW_BITSELECT_ALL(long, ulong) WW_BITSELECT_ALL(ulong, ulong)
WW_BITSELECT_ALL(float, uint) WW_BITSELECT_ALL(double, ulong)
#define WW_BITSELECT_SMALL(T, n) static T##n WW_CL bitselect(T##n a, T##n b, T##n c) { return (a & ~c) | (b & c); }
#define WW_BITSELECT_SMALLS(T) static T WW_CL bitselect(T a, T b, T c) { return (a & ~c) | (b & c); } WW_WIDTHS(WW_BITSELECT_SMALL, T)
WW_BITSELECT_SMALLS(char) WW_BITSELECT_SMALLS(uchar) WW_BITSELECT_SMALLS(short) WW_BITSELECT_SMALLS(ushort)
#undef WW_BITSELECT
#undef WW_BITSELECT_ALL
#undef WW_BITSELECT_SMALL
#undef WW_BITSELECT_SMALLS

#endif
