/* Integer and bit intrinsics, reinterpretations, conversions with a rounding mode, cache-hinted loads and stores. */
#ifndef WW_HIP_INTRIN_H
#define WW_HIP_INTRIN_H

/* Bits. The ctz/clz builtins are undefined at 0, the HIP functions are not. */
WW_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
WW_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
WW_DEVICE int __clz(int x) { return x ? __builtin_clz(x) : 32; }
WW_DEVICE int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
WW_DEVICE int __ffs(int x) { return x ? __builtin_ctz(x) + 1 : 0; }
WW_DEVICE int __ffs(unsigned x) { return x ? __builtin_ctz(x) + 1 : 0; }
WW_DEVICE int __ffsll(long long x) { return x ? __builtin_ctzll(x) + 1 : 0; }
WW_DEVICE int __ffsll(unsigned long long x) { return x ? __builtin_ctzll(x) + 1 : 0; }
WW_DEVICE int __ffsll(unsigned long x) { return x ? __builtin_ctzll(x) + 1 : 0; }
WW_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
WW_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

/* Byte i of the result is byte (selector >> 4i) & 7 of y:x, or that byte's sign if bit 3 is set. */
WW_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  unsigned long long bytes = (unsigned long long)y << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; i++) {
    unsigned pick = selector >> (4 * i) & 15;
    unsigned byte = bytes >> (8 * (pick & 7)) & 255;
    if (pick & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
WW_DEVICE unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { return ((unsigned long long)hi << 32 | lo) << (n & 31) >> 32; }
WW_DEVICE unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { return ((unsigned long long)hi << 32 | lo) >> (n & 31); }
WW_DEVICE unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) { return n >= 32 ? lo : __funnelshift_l(lo, hi, n); }
WW_DEVICE unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) { return n >= 32 ? hi : __funnelshift_r(lo, hi, n); }
WW_DEVICE unsigned __bitextract_u32(unsigned x, unsigned offset, unsigned width) {
  return width == 0 ? 0 : x >> (offset & 31) & (~0u >> (32 - width));
}
WW_DEVICE unsigned __bitinsert_u32(unsigned x, unsigned y, unsigned offset, unsigned width) {
  unsigned mask = width >= 32 ? ~0u : (1u << width) - 1;
  return (x & ~(mask << (offset & 31))) | (y & mask) << (offset & 31);
}

/* Multiplication and averages. */
WW_DEVICE int __mul24(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
WW_DEVICE unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
WW_DEVICE int __mulhi(int x, int y) { return (long long)x * y >> 32; }
WW_DEVICE unsigned __umulhi(unsigned x, unsigned y) { return (unsigned long long)x * y >> 32; }
WW_DEVICE long long __mul64hi(long long x, long long y) { return (__int128)x * y >> 64; }
WW_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) { return (unsigned __int128)x * y >> 64; }
WW_DEVICE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
WW_DEVICE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
WW_DEVICE unsigned __uhadd(unsigned x, unsigned y) { return ((unsigned long long)x + y) >> 1; }
WW_DEVICE unsigned __urhadd(unsigned x, unsigned y) { return ((unsigned long long)x + y + 1) >> 1; }
WW_DEVICE unsigned __sad(int x, int y, unsigned z) { return (x > y ? (unsigned)x - (unsigned)y : (unsigned)y - (unsigned)x) + z; }
WW_DEVICE unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x > y ? x - y : y - x) + z; }

/* Dot products of four bytes or two halves of a word, with accumulation. */
WW_DEVICE int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += (int)(signed char)(a >> i) * (signed char)(b >> i);
  return c;
}
WW_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
  return c;
}
WW_DEVICE int amd_mixed_dot(char4 a, char4 b, int c, bool) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
WW_DEVICE unsigned amd_mixed_dot(uchar4 a, uchar4 b, unsigned c, bool) { return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
WW_DEVICE int amd_mixed_dot(short2 a, short2 b, int c, bool) { return c + a.x * b.x + a.y * b.y; }

/* Packed bytes and halves (the SIMD-in-a-word functions that HIP code carries over from CUDA). */
#define WW_PACKED(name, lanes, type, expr)                                                   \
  WW_DEVICE unsigned name(unsigned a, unsigned b) {                                          \
    unsigned r = 0;                                                                          \
    for (int i = 0; i < 32; i += 32 / lanes) {                                               \
      type x = a >> i, y = b >> i;                                                           \
      r |= (unsigned)(unsigned type)(expr) << i;                                             \
    }                                                                                        \
    return r;                                                                                \
  }
WW_PACKED(__vadd4, 4, char, x + y)
WW_PACKED(__vsub4, 4, char, x - y)
WW_PACKED(__vadd2, 2, short, x + y)
WW_PACKED(__vsub2, 2, short, x - y)
WW_PACKED(__vmaxs2, 2, short, x > y ? x : y)
WW_PACKED(__vmins2, 2, short, x < y ? x : y)
#undef WW_PACKED

/* Same bits, other type. */
WW_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
WW_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
WW_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
WW_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
WW_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
WW_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
WW_DEVICE int __double2hiint(double x) { return __builtin_bit_cast(unsigned long long, x) >> 32; }
WW_DEVICE int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long long, x); }
WW_DEVICE double __hiloint2double(int hi, int lo) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned)hi << 32 | (unsigned)lo);
}

/* Float to integer: round (rn nearest even, rd down, ru up, rz to zero), then convert. */
#define WW_TO_INT(from, F, name, I, suffix)                                                 \
  WW_DEVICE I __##from##2##name##_rn(F x) { return (I)__builtin_rint##suffix(x); }          \
  WW_DEVICE I __##from##2##name##_rd(F x) { return (I)__builtin_floor##suffix(x); }         \
  WW_DEVICE I __##from##2##name##_ru(F x) { return (I)__builtin_ceil##suffix(x); }          \
  WW_DEVICE I __##from##2##name##_rz(F x) { return (I)x; }
WW_TO_INT(float, float, int, int, f)
WW_TO_INT(float, float, uint, unsigned, f)
WW_TO_INT(float, float, ll, long long, f)
WW_TO_INT(float, float, ull, unsigned long long, f)
WW_TO_INT(double, double, int, int, )
WW_TO_INT(double, double, uint, unsigned, )
WW_TO_INT(double, double, ll, long long, )
WW_TO_INT(double, double, ull, unsigned long long, )
#undef WW_TO_INT

/* Wide to narrow with a rounding mode: convert to nearest, then step one value if that rounded the wrong way. Exact,
 * because every source value converts exactly to W (a wider type). */
namespace ww {
template <class F> WW_DEVICE F step(F x, bool up) {
  using I = std::conditional_t<sizeof(F) == 4, int, long long>;
  if (x == 0) return up ? __builtin_bit_cast(F, (I)1) : -__builtin_bit_cast(F, (I)1);
  return __builtin_bit_cast(F, (I)(__builtin_bit_cast(I, x) + ((x > 0) == up ? 1 : -1)));
}
template <class F, class W> WW_DEVICE F round_down(W exact, F nearest) { return (W)nearest > exact ? step(nearest, false) : nearest; }
template <class F, class W> WW_DEVICE F round_up(W exact, F nearest) { return (W)nearest < exact ? step(nearest, true) : nearest; }
} // namespace ww
#define WW_ROUNDED(from, T, name, F, W)                                                                                      \
  WW_DEVICE F __##from##2##name##_rn(T x) { return (F)x; }                                                                  \
  WW_DEVICE F __##from##2##name##_rd(T x) { return ww::round_down<F, W>(x, (F)x); }                                         \
  WW_DEVICE F __##from##2##name##_ru(T x) { return ww::round_up<F, W>(x, (F)x); }                                           \
  WW_DEVICE F __##from##2##name##_rz(T x) { return x < 0 ? ww::round_up<F, W>(x, (F)x) : ww::round_down<F, W>(x, (F)x); }
WW_ROUNDED(int, int, float, float, double)
WW_ROUNDED(uint, unsigned, float, float, double)
WW_ROUNDED(double, double, float, float, double)
WW_ROUNDED(ll, long long, float, float, __int128)
WW_ROUNDED(ull, unsigned long long, float, float, __int128)
WW_ROUNDED(ll, long long, double, double, __int128)
WW_ROUNDED(ull, unsigned long long, double, double, __int128)
#undef WW_ROUNDED
WW_DEVICE double __int2double_rn(int x) { return x; }
WW_DEVICE double __uint2double_rn(unsigned x) { return x; }

/* Loads and stores with a cache hint are plain accesses. */
#define WW_LOAD(name) template <class T> WW_DEVICE T name(const T *p) { return *p; }
WW_LOAD(__ldg) WW_LOAD(__ldca) WW_LOAD(__ldcg) WW_LOAD(__ldcs) WW_LOAD(__ldlu) WW_LOAD(__ldcv)
#undef WW_LOAD
#define WW_STORE(name) template <class T> WW_DEVICE void name(T *p, T v) { *p = v; }
WW_STORE(__stcs) WW_STORE(__stcg) WW_STORE(__stwb) WW_STORE(__stwt)
#undef WW_STORE

/* Address spaces of a generic pointer: llvm.amdgcn.is.shared / is.private. */
WW_DEVICE bool __isShared(const void *p) { return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void *)p); }
WW_DEVICE bool __isLocal(const void *p) { return __builtin_amdgcn_is_private((const __attribute__((address_space(0))) void *)p); }
WW_DEVICE bool __isGlobal(const void *p) { return !__isShared(p) && !__isLocal(p); }
WW_DEVICE size_t __cvta_generic_to_shared(const void *p) { return (size_t)(const __attribute__((address_space(3))) char *)p; }

#endif
