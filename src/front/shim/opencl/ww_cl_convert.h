/* convert_T(x) with _sat and the rounding modes _rte, _rtz, _rtp, _rtn, for every source and width.
 *
 * Saturation compares in the widest type of the source's kind (long, ulong, or the floating type). Rounding modes of
 * conversions *to* floating point other than _rte are left to clang's declarations (external calls). */
#ifndef WW_CL_CONVERT_H
#define WW_CL_CONVERT_H

/* The limits of int and long round up when compared with a float, which is what saturation needs. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wimplicit-const-int-float-conversion"

/* The vector forms of the scalar convert_D<suffix>(S). */
#define WW_CONVERT_N(D, suffix, S)                                                                                              \
  static D##2 WW_CL convert_##D##2##suffix(S##2 a) { return (D##2)(convert_##D##suffix(a.x), convert_##D##suffix(a.y)); }              \
  static D##3 WW_CL convert_##D##3##suffix(S##3 a) { return (D##3)(convert_##D##suffix(a.x), convert_##D##suffix(a.y), convert_##D##suffix(a.z)); } \
  static D##4 WW_CL convert_##D##4##suffix(S##4 a) { return (D##4)(convert_##D##2##suffix(a.lo), convert_##D##2##suffix(a.hi)); }      \
  static D##8 WW_CL convert_##D##8##suffix(S##8 a) { return (D##8)(convert_##D##4##suffix(a.lo), convert_##D##4##suffix(a.hi)); }      \
  static D##16 WW_CL convert_##D##16##suffix(S##16 a) { return (D##16)(convert_##D##8##suffix(a.lo), convert_##D##8##suffix(a.hi)); }

/* Without saturation: round, then cast. */
#define WW_PLAIN_S(D, suffix, S, round) static D WW_CL convert_##D##suffix(S a) { return (D)round(a); } WW_CONVERT_N(D, suffix, S)
#define WW_PLAIN(D, suffix, round)                                                                                              \
  WW_PLAIN_S(D, suffix, char, ) WW_PLAIN_S(D, suffix, short, ) WW_PLAIN_S(D, suffix, int, ) WW_PLAIN_S(D, suffix, long, )       \
  WW_PLAIN_S(D, suffix, uchar, ) WW_PLAIN_S(D, suffix, ushort, ) WW_PLAIN_S(D, suffix, uint, ) WW_PLAIN_S(D, suffix, ulong, )   \
  WW_PLAIN_S(D, suffix, float, round) WW_PLAIN_S(D, suffix, double, round)
WW_PLAIN(float, , ) WW_PLAIN(float, _rte, ) WW_PLAIN(double, , ) WW_PLAIN(double, _rte, ) WW_PLAIN(half, , )
WW_PLAIN_S(float, , half, ) WW_PLAIN_S(double, , half, ) WW_PLAIN_S(half, , half, )

/* With saturation, by kind of source; NaN gives 0. */
#define WW_SATURATE_I(D, lo, hi, a) ((long)(a) < (long)(lo) ? (D)(lo) : (a) > 0 && (ulong)(a) > (ulong)(hi) ? (D)(hi) : (D)(a))
#define WW_SATURATE_U(D, lo, hi, a) ((ulong)(a) > (ulong)(hi) ? (D)(hi) : (D)(a))
#define WW_SATURATE_F(D, lo, hi, a) ((a) <= (lo) ? (D)(lo) : (a) >= (hi) ? (D)(hi) : (a) == (a) ? (D)(a) : (D)0)
#define WW_SAT_S(D, lo, hi, suffix, S, kind, round)                                                                             \
  static D WW_CL convert_##D##_sat##suffix(S a) { S r = round(a); return WW_SATURATE_##kind(D, lo, hi, r); }                           \
  WW_CONVERT_N(D, _sat##suffix, S)
#define WW_SAT(D, lo, hi, suffix, round)                                                                                        \
  WW_SAT_S(D, lo, hi, suffix, char, I, ) WW_SAT_S(D, lo, hi, suffix, short, I, ) WW_SAT_S(D, lo, hi, suffix, int, I, )          \
  WW_SAT_S(D, lo, hi, suffix, long, I, ) WW_SAT_S(D, lo, hi, suffix, uchar, U, ) WW_SAT_S(D, lo, hi, suffix, ushort, U, )       \
  WW_SAT_S(D, lo, hi, suffix, uint, U, ) WW_SAT_S(D, lo, hi, suffix, ulong, U, )                                                \
  WW_SAT_S(D, lo, hi, suffix, float, F, round) WW_SAT_S(D, lo, hi, suffix, double, F, round)
#define WW_MODE(D, lo, hi, suffix, round) WW_PLAIN(D, suffix, round) WW_SAT(D, lo, hi, suffix, round)
#define WW_CONVERT(D, lo, hi)                                                                                                   \
  WW_MODE(D, lo, hi, , ) WW_MODE(D, lo, hi, _rte, rint) WW_MODE(D, lo, hi, _rtz, ) WW_MODE(D, lo, hi, _rtp, ceil)               \
  WW_MODE(D, lo, hi, _rtn, floor) WW_PLAIN_S(D, , half, )
WW_CONVERT(char, CHAR_MIN, CHAR_MAX)
WW_CONVERT(uchar, 0, UCHAR_MAX)
WW_CONVERT(short, SHRT_MIN, SHRT_MAX)
WW_CONVERT(ushort, 0, USHRT_MAX)
WW_CONVERT(int, INT_MIN, INT_MAX)
WW_CONVERT(uint, 0, UINT_MAX)
WW_CONVERT(long, LONG_MIN, LONG_MAX)
WW_CONVERT(ulong, 0, ULONG_MAX)
#undef WW_CONVERT
#undef WW_MODE
#undef WW_SAT
#undef WW_SAT_S
#undef WW_PLAIN
#undef WW_PLAIN_S
#undef WW_CONVERT_N
#pragma clang diagnostic pop

#endif
