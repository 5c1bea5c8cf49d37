/* Warp shuffles of 16-bit floats and their pairs: the bits travel in a 32-bit shuffle. Include with WW_H and WW_H2
 * defined; no guard. */
#define WW_SHFL(F, OFF)                                                                                               \
  WW_D WW_H F(unsigned m, WW_H v, OFF o, int w = 32) {                                                                \
    return __builtin_bit_cast(WW_H, (unsigned short)F(m, (int)__builtin_bit_cast(unsigned short, v), o, w));          \
  }                                                                                                                   \
  WW_D WW_H2 F(unsigned m, WW_H2 v, OFF o, int w = 32) { return __builtin_bit_cast(WW_H2, F(m, __builtin_bit_cast(int, v), o, w)); }
WW_SHFL(__shfl_sync, int) WW_SHFL(__shfl_up_sync, unsigned) WW_SHFL(__shfl_down_sync, unsigned) WW_SHFL(__shfl_xor_sync, int)
#undef WW_SHFL
#define WW_SHFL(F, OFF)                                                                                               \
  WW_D WW_H F(WW_H v, OFF o, int w = 32) {                                                                            \
    return __builtin_bit_cast(WW_H, (unsigned short)F((int)__builtin_bit_cast(unsigned short, v), o, w));             \
  }                                                                                                                   \
  WW_D WW_H2 F(WW_H2 v, OFF o, int w = 32) { return __builtin_bit_cast(WW_H2, F(__builtin_bit_cast(int, v), o, w)); }
WW_SHFL(__shfl, int) WW_SHFL(__shfl_up, unsigned) WW_SHFL(__shfl_down, unsigned) WW_SHFL(__shfl_xor, int)
#undef WW_SHFL
#undef WW_H
#undef WW_H2
