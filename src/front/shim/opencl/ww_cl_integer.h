/* Integer functions. Scalars are written out per size, vectors component by component. */
#ifndef WW_CL_INTEGER_H
#define WW_CL_INTEGER_H

/* min, max, clamp for all integer types; vectors compare natively and also take a scalar bound. */
#define WW_MINMAX_N(T, n)                                                            \
  static T##n WW_CL min(T##n a, T##n b) { return b < a ? b : a; }                           \
  static T##n WW_CL max(T##n a, T##n b) { return a < b ? b : a; }                           \
  static T##n WW_CL clamp(T##n a, T##n lo, T##n hi) { return min(max(a, lo), hi); }         \
  static T##n WW_CL min(T##n a, T b) { return min(a, (T##n)(b)); }                          \
  static T##n WW_CL max(T##n a, T b) { return max(a, (T##n)(b)); }                          \
  static T##n WW_CL clamp(T##n a, T lo, T hi) { return min(max(a, (T##n)(lo)), (T##n)(hi)); }
#define WW_MINMAX(T)                                                                 \
  static T WW_CL min(T a, T b) { return b < a ? b : a; }                                    \
  static T WW_CL max(T a, T b) { return a < b ? b : a; }                                    \
  static T WW_CL clamp(T a, T lo, T hi) { return min(max(a, lo), hi); }                     \
  WW_WIDTHS(WW_MINMAX_N, T)
WW_INTEGERS(WW_MINMAX)
#undef WW_MINMAX
#undef WW_MINMAX_N

/* Wide is twice the size of T (U its unsigned version), so that the definitions are exact. */
#define WW_SMALL_INTEGER(T, U, W, bits, lowest, highest)                                                    \
  static T WW_CL hadd(T a, T b) { return ((W)a + b) >> 1; }                                                        \
  static T WW_CL rhadd(T a, T b) { return ((W)a + b + 1) >> 1; }                                                   \
  static T WW_CL mul_hi(T a, T b) { return ((W)a * b) >> bits; }                                                   \
  static T WW_CL add_sat(T a, T b) { W s = (W)a + b; return s < lowest ? lowest : s > highest ? highest : s; }     \
  static T WW_CL sub_sat(T a, T b) { W s = (W)a - b; return s < lowest ? lowest : s > highest ? highest : s; }     \
  static U WW_CL abs_diff(T a, T b) { return a > b ? (U)a - (U)b : (U)b - (U)a; }
WW_SMALL_INTEGER(char, uchar, int, 8, CHAR_MIN, CHAR_MAX)
WW_SMALL_INTEGER(uchar, uchar, int, 8, 0, UCHAR_MAX)
WW_SMALL_INTEGER(short, ushort, int, 16, SHRT_MIN, SHRT_MAX)
WW_SMALL_INTEGER(ushort, ushort, long, 16, 0, USHRT_MAX)
WW_SMALL_INTEGER(int, uint, long, 32, INT_MIN, INT_MAX)
WW_SMALL_INTEGER(uint, uint, long, 32, 0, (long)UINT_MAX)
#undef WW_SMALL_INTEGER
static long WW_CL hadd(long a, long b) { return (a >> 1) + (b >> 1) + (a & b & 1); }
static long WW_CL rhadd(long a, long b) { return (a >> 1) + (b >> 1) + ((a | b) & 1); }
static ulong WW_CL hadd(ulong a, ulong b) { return (a >> 1) + (b >> 1) + (a & b & 1); }
static ulong WW_CL rhadd(ulong a, ulong b) { return (a >> 1) + (b >> 1) + ((a | b) & 1); }
static long WW_CL mul_hi(long a, long b) { return (__int128)a * b >> 64; }
static ulong WW_CL mul_hi(ulong a, ulong b) { return (unsigned __int128)a * b >> 64; }
static long WW_CL add_sat(long a, long b) { return __builtin_elementwise_add_sat(a, b); }
static long WW_CL sub_sat(long a, long b) { return __builtin_elementwise_sub_sat(a, b); }
static ulong WW_CL add_sat(ulong a, ulong b) { return __builtin_elementwise_add_sat(a, b); }
static ulong WW_CL sub_sat(ulong a, ulong b) { return __builtin_elementwise_sub_sat(a, b); }
static ulong WW_CL abs_diff(long a, long b) { return a > b ? (ulong)a - (ulong)b : (ulong)b - (ulong)a; }
static ulong WW_CL abs_diff(ulong a, ulong b) { return a > b ? a - b : b - a; }

#define WW_BITS(T, U, bits)                                                                                          \
  static U WW_CL abs(T a) { return a < 0 ? -(U)a : (U)a; }                                                                  \
  static T WW_CL clz(T a) { return (U)a ? __builtin_clzl((ulong)(U)a) - (64 - bits) : bits; }                               \
  static T WW_CL ctz(T a) { return (U)a ? __builtin_ctzl((ulong)(U)a) : bits; }                                             \
  static T WW_CL popcount(T a) { return __builtin_popcountl((ulong)(U)a); }                                                 \
  static T WW_CL rotate(T a, T n) { U s = (U)n & (bits - 1); return (U)((U)a << s) | (U)((U)a >> ((bits - s) & (bits - 1))); }
WW_BITS(char, uchar, 8) WW_BITS(uchar, uchar, 8) WW_BITS(short, ushort, 16) WW_BITS(ushort, ushort, 16)
WW_BITS(long, ulong, 64) WW_BITS(ulong, ulong, 64)
#undef WW_BITS
/* 32-bit ones as the native width. */
#define WW_BITS_32(T)                                                                                                \
  static uint WW_CL abs(T a) { return a < 0 ? -(uint)a : (uint)a; }                                                         \
  static T WW_CL clz(T a) { return a ? __builtin_clz(a) : 32; }                                                             \
  static T WW_CL ctz(T a) { return a ? __builtin_ctz(a) : 32; }                                                             \
  static T WW_CL popcount(T a) { return __builtin_popcount(a); }                                                            \
  static T WW_CL rotate(T a, T n) { return __builtin_rotateleft32(a, n); }
WW_BITS_32(int) WW_BITS_32(uint)
#undef WW_BITS_32

#define WW_COMPOSED(T)                                                                                               \
  static T WW_CL mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }                                                         \
  WW_VEC2(hadd, T, T, T) WW_VEC2(rhadd, T, T, T) WW_VEC2(mul_hi, T, T, T) WW_VEC2(add_sat, T, T, T) WW_VEC2(sub_sat, T, T, T) \
  WW_VEC1(clz, T, T) WW_VEC1(ctz, T, T) WW_VEC1(popcount, T, T) WW_VEC2(rotate, T, T, T) WW_VEC3(mad_hi, T, T, T, T)
WW_INTEGERS(WW_COMPOSED)
#undef WW_COMPOSED
#define WW_ABS(T, U) WW_VEC1(abs, U, T) WW_VEC1(abs, U, U) WW_VEC2(abs_diff, U, T, T) WW_VEC2(abs_diff, U, U, U)
WW_SIGNED_UNSIGNED(WW_ABS)
#undef WW_ABS

/* mad_sat: exact product and sum in the wide type, then saturated. */
#define WW_MAD_SAT(T, W, lowest, highest) \
  static T WW_CL mad_sat(T a, T b, T c) { W s = (W)a * b + c; return s < (W)(lowest) ? (T)(lowest) : s > (W)(highest) ? (T)(highest) : (T)s; } \
  WW_VEC3(mad_sat, T, T, T, T)
WW_MAD_SAT(char, int, CHAR_MIN, CHAR_MAX) WW_MAD_SAT(uchar, int, 0, UCHAR_MAX) WW_MAD_SAT(short, long, SHRT_MIN, SHRT_MAX)
WW_MAD_SAT(ushort, long, 0, USHRT_MAX) WW_MAD_SAT(int, long, INT_MIN, INT_MAX) WW_MAD_SAT(uint, __int128, 0, UINT_MAX)
WW_MAD_SAT(long, __int128, LONG_MIN, LONG_MAX)
static ulong WW_CL mad_sat(ulong a, ulong b, ulong c) { return mul_hi(a, b) || a * b > ULONG_MAX - c ? ULONG_MAX : a * b + c; }
WW_VEC3(mad_sat, ulong, ulong, ulong, ulong)
#undef WW_MAD_SAT

static int WW_CL mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
static uint WW_CL mul24(uint a, uint b) { return (a & 0xffffff) * (b & 0xffffff); }
static int WW_CL mad24(int a, int b, int c) { return mul24(a, b) + c; }
static uint WW_CL mad24(uint a, uint b, uint c) { return mul24(a, b) + c; }
WW_VEC2(mul24, int, int, int) WW_VEC2(mul24, uint, uint, uint) WW_VEC3(mad24, int, int, int, int) WW_VEC3(mad24, uint, uint, uint, uint)

/* upsample(hi, lo): the two halves of a value of twice the size. */
#define WW_UPSAMPLE(R, H, L, bits) static R WW_CL upsample(H hi, L lo) { return (R)((R)hi << bits) | (R)lo; } WW_VEC2(upsample, R, H, L)
WW_UPSAMPLE(short, char, uchar, 8) WW_UPSAMPLE(ushort, uchar, uchar, 8) WW_UPSAMPLE(int, short, ushort, 16)
WW_UPSAMPLE(uint, ushort, ushort, 16) WW_UPSAMPLE(long, int, uint, 32) WW_UPSAMPLE(ulong, uint, uint, 32)
#undef WW_UPSAMPLE

#endif
