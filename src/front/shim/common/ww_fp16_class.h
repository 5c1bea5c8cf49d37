/* The class of a 16-bit float and of its pair, for half and bfloat16.
 *
 * No include guard: include with WW_H, WW_H2, WW_H_RAW, WW_H2_RAW (names) and WW_N (native type) defined. They
 * stay defined, ww_fp16_ops.h uses them next. Conversions are implicit both ways, as in CUDA, so mixed
 * expressions such as `h + 1.0f` are ambiguous here exactly where they are there. */

struct WW_H_RAW { unsigned short x; };
struct WW_ALIGN(4) WW_H2_RAW { unsigned short x, y; };

struct WW_ALIGN(2) WW_H {
  struct native { WW_N n; }; /* tags the constructor that takes the bits as they are */
  WW_N v;
  WW_H() = default;
  WW_MHD constexpr explicit WW_H(native x) : v(x.n) {}
  WW_MHD constexpr WW_H(WW_H_RAW r) : v(__builtin_bit_cast(WW_N, r.x)) {}
  WW_MHD constexpr operator WW_H_RAW() const { return WW_H_RAW{__builtin_bit_cast(unsigned short, v)}; }
  WW_MHD WW_H &operator=(WW_H_RAW r) { v = __builtin_bit_cast(WW_N, r.x); return *this; }
  template <class O, class = typename O::native> WW_MHD constexpr explicit WW_H(const O &o) : v((WW_N)(float)o.v) {} /* the other 16-bit type */
  WW_MHD constexpr WW_H(float f) : v((WW_N)f) {}
  WW_MHD constexpr WW_H(double d) : v((WW_N)d) {}
  WW_MHD constexpr operator float() const { return (float)v; }
  WW_MHD explicit constexpr operator bool() const { return (float)v != 0.0f; }
#define WW_INT(T)                                        \
  WW_MHD constexpr WW_H(T i) : v((WW_N)(float)i) {}      \
  WW_MHD constexpr operator T() const { return (T)(float)v; }
  WW_INT(short) WW_INT(unsigned short) WW_INT(int) WW_INT(unsigned int) WW_INT(long) WW_INT(unsigned long)
  WW_INT(long long) WW_INT(unsigned long long)
#undef WW_INT
  WW_MHD constexpr operator char() const { return (char)(float)v; }
  WW_MHD constexpr operator signed char() const { return (signed char)(float)v; }
  WW_MHD constexpr operator unsigned char() const { return (unsigned char)(float)v; }
};

struct WW_ALIGN(4) WW_H2 {
  WW_H x, y;
  WW_H2() = default;
  WW_MHD constexpr WW_H2(const WW_H &a, const WW_H &b) : x(a), y(b) {}
  WW_MHD WW_H2(WW_H2_RAW r) : x(WW_H_RAW{r.x}), y(WW_H_RAW{r.y}) {}
  WW_MHD operator WW_H2_RAW() const { return __builtin_bit_cast(WW_H2_RAW, *this); }
};
