/* Helpers that both 16-bit types need. Directed rounding of a float to a 16-bit type, from the nearest one: step one value over if it went past. */
#ifndef WW_ROUND16_H
#define WW_ROUND16_H
#include "ww_attr.h"

/* A comparison's result as 1.0 or 0.0. */
template <class H> WW_HD H __ww_flag(bool b) { return H(b ? 1.0f : 0.0f); }

enum __ww_rounding { WW_TO_ZERO, WW_DOWN, WW_UP };

template <class N, __ww_rounding R> WW_HD N __ww_round16(float f) {
  N n = (N)f;
  float g = (float)n;
  if (g == f || f != f || __builtin_isinf(f)) return n;
  bool past = R == WW_DOWN ? g > f : R == WW_UP ? g < f : (f > 0 ? g > f : g < f);
  if (!past) return n;
  bool up = R == WW_UP;
  if (R == WW_TO_ZERO) up = f < 0;
  unsigned short bits = __builtin_bit_cast(unsigned short, n);
  if ((bits & 0x7fff) == 0) return __builtin_bit_cast(N, (unsigned short)(up ? 0x0001 : 0x8001));
  bool grow = up == !(bits & 0x8000); /* away from zero: the next larger magnitude */
  return __builtin_bit_cast(N, (unsigned short)(grow ? bits + 1 : bits - 1));
}
#endif
