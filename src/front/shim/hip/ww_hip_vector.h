/* HIP's vector types: float4 and friends, with the component-wise operators that HIP (unlike CUDA) gives them.
 *
 * Layout as on the device: 2- and 4-vectors are aligned to their size (double4 to 32 bytes, unlike CUDA), 3-vectors to their element.
 * Types are trivially copyable and trivially constructible, so they work in __shared__ memory and unions.
 * Operators are templates: a unit that defines its own operator+(float4, float4) wins overload resolution. */
#ifndef WW_HIP_VECTOR_H
#define WW_HIP_VECTOR_H

namespace ww {
constexpr unsigned vector_align(unsigned size, unsigned n) {
  return n == 3 ? size : n * size;
}
} // namespace ww

template <class T, unsigned N> struct HIP_vector_base;
template <class T> struct HIP_vector_base<T, 1> {
  T x;
};
template <class T> struct alignas(ww::vector_align(sizeof(T), 2)) HIP_vector_base<T, 2> {
  T x, y;
};
template <class T> struct HIP_vector_base<T, 3> {
  T x, y, z;
};
template <class T> struct alignas(ww::vector_align(sizeof(T), 4)) HIP_vector_base<T, 4> {
  T x, y, z, w;
};

template <class T, unsigned N> struct HIP_vector_type : HIP_vector_base<T, N> {
  using value_type = T;
  using base = HIP_vector_base<T, N>;

  HIP_vector_type() = default;
  HIP_vector_type(const HIP_vector_type &) = default;
  HIP_vector_type &operator=(const HIP_vector_type &) = default;

  /* N components, converted as by a cast. */
  template <class... U, std::enable_if_t<sizeof...(U) == N && (N > 1), int> = 0>
  WW_MEMBER constexpr HIP_vector_type(U... c) : base{static_cast<T>(c)...} {}

  /* One scalar fills every component, if asked to. */
  template <class U, std::enable_if_t<std::is_convertible<U, T>::value, int> = 0>
  WW_MEMBER constexpr explicit HIP_vector_type(U c) : base(fill(static_cast<T>(c))) {}

  WW_MEMBER constexpr T &operator[](unsigned i) { return (&this->x)[i]; }
  WW_MEMBER constexpr const T &operator[](unsigned i) const { return (&this->x)[i]; }

private:
  WW_MEMBER static constexpr base fill(T c) {
    if constexpr (N == 1) return base{c};
    else if constexpr (N == 2) return base{c, c};
    else if constexpr (N == 3) return base{c, c, c};
    else return base{c, c, c, c};
  }
};

/* Applies f to the components of one vector (map1), two (map2), or accumulates in place (each). */
namespace ww {
template <class T, unsigned N, class F> WW_MEMBER inline constexpr HIP_vector_type<T, N> map1(const HIP_vector_type<T, N> &a, F f) {
  if constexpr (N == 1) return HIP_vector_type<T, N>(f(a.x));
  else if constexpr (N == 2) return HIP_vector_type<T, N>(f(a.x), f(a.y));
  else if constexpr (N == 3) return HIP_vector_type<T, N>(f(a.x), f(a.y), f(a.z));
  else return HIP_vector_type<T, N>(f(a.x), f(a.y), f(a.z), f(a.w));
}
template <class T, unsigned N, class F>
WW_MEMBER inline constexpr HIP_vector_type<T, N> map2(const HIP_vector_type<T, N> &a, const HIP_vector_type<T, N> &b, F f) {
  if constexpr (N == 1) return HIP_vector_type<T, N>(f(a.x, b.x));
  else if constexpr (N == 2) return HIP_vector_type<T, N>(f(a.x, b.x), f(a.y, b.y));
  else if constexpr (N == 3) return HIP_vector_type<T, N>(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z));
  else return HIP_vector_type<T, N>(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));
}
template <class T, unsigned N> WW_MEMBER inline constexpr bool equal(const HIP_vector_type<T, N> &a, const HIP_vector_type<T, N> &b) {
  if constexpr (N == 1) return a.x == b.x;
  else if constexpr (N == 2) return a.x == b.x && a.y == b.y;
  else if constexpr (N == 3) return a.x == b.x && a.y == b.y && a.z == b.z;
  else return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}
} // namespace ww

#define WW_VECTOR_OP(op)                                                                                                        \
  template <class T, unsigned N>                                                                                                \
  WW_MEMBER inline constexpr HIP_vector_type<T, N> operator op(const HIP_vector_type<T, N> &a, const HIP_vector_type<T, N> &b) { \
    return ww::map2(a, b, [](T p, T q) -> T { return p op q; });                                                                \
  }                                                                                                                             \
  template <class T, unsigned N, class U, std::enable_if_t<std::is_arithmetic<U>::value, int> = 0>                              \
  WW_MEMBER inline constexpr HIP_vector_type<T, N> operator op(const HIP_vector_type<T, N> &a, U s) {                           \
    return a op HIP_vector_type<T, N>(s);                                                                                       \
  }                                                                                                                             \
  template <class T, unsigned N, class U, std::enable_if_t<std::is_arithmetic<U>::value, int> = 0>                              \
  WW_MEMBER inline constexpr HIP_vector_type<T, N> operator op(U s, const HIP_vector_type<T, N> &a) {                           \
    return HIP_vector_type<T, N>(s) op a;                                                                                       \
  }                                                                                                                             \
  template <class T, unsigned N, class U>                                                                                       \
  WW_MEMBER inline constexpr HIP_vector_type<T, N> &operator op##=(HIP_vector_type<T, N> &a, const U & b) {                     \
    return a = a op b;                                                                                                          \
  }
WW_VECTOR_OP(+)
WW_VECTOR_OP(-)
WW_VECTOR_OP(*)
WW_VECTOR_OP(/)
WW_VECTOR_OP(%)
WW_VECTOR_OP(&)
WW_VECTOR_OP(|)
WW_VECTOR_OP(^)
WW_VECTOR_OP(<<)
WW_VECTOR_OP(>>)
#undef WW_VECTOR_OP

template <class T, unsigned N> WW_MEMBER inline constexpr HIP_vector_type<T, N> operator-(const HIP_vector_type<T, N> &a) {
  return ww::map1(a, [](T p) -> T { return -p; });
}
template <class T, unsigned N> WW_MEMBER inline constexpr HIP_vector_type<T, N> operator+(const HIP_vector_type<T, N> &a) { return a; }
template <class T, unsigned N> WW_MEMBER inline constexpr HIP_vector_type<T, N> operator~(const HIP_vector_type<T, N> &a) {
  return ww::map1(a, [](T p) -> T { return ~p; });
}
template <class T, unsigned N> WW_MEMBER inline constexpr bool operator==(const HIP_vector_type<T, N> &a, const HIP_vector_type<T, N> &b) {
  return ww::equal(a, b);
}
template <class T, unsigned N> WW_MEMBER inline constexpr bool operator!=(const HIP_vector_type<T, N> &a, const HIP_vector_type<T, N> &b) {
  return !ww::equal(a, b);
}

#define WW_VECTOR(name, T)                                                                        \
  typedef HIP_vector_type<T, 1> name##1;                                                          \
  typedef HIP_vector_type<T, 2> name##2;                                                          \
  typedef HIP_vector_type<T, 3> name##3;                                                          \
  typedef HIP_vector_type<T, 4> name##4;                                                          \
  WW_HOST_DEVICE constexpr name##1 make_##name##1(T x) { return name##1(x); }                      \
  WW_HOST_DEVICE constexpr name##2 make_##name##2(T x, T y) { return name##2(x, y); }              \
  WW_HOST_DEVICE constexpr name##3 make_##name##3(T x, T y, T z) { return name##3(x, y, z); }      \
  WW_HOST_DEVICE constexpr name##4 make_##name##4(T x, T y, T z, T w) { return name##4(x, y, z, w); }
WW_VECTOR(char, signed char)
WW_VECTOR(uchar, unsigned char)
WW_VECTOR(short, short)
WW_VECTOR(ushort, unsigned short)
WW_VECTOR(int, int)
WW_VECTOR(uint, unsigned int)
WW_VECTOR(long, long)
WW_VECTOR(ulong, unsigned long)
WW_VECTOR(longlong, long long)
WW_VECTOR(ulonglong, unsigned long long)
WW_VECTOR(float, float)
WW_VECTOR(double, double)
#undef WW_VECTOR

struct dim3 {
  uint32_t x, y, z;
  WW_MEMBER constexpr dim3(uint32_t x_ = 1, uint32_t y_ = 1, uint32_t z_ = 1) : x(x_), y(y_), z(z_) {}
  WW_MEMBER constexpr dim3(const uint3 &v) : x(v.x), y(v.y), z(v.z) {}
  WW_MEMBER constexpr operator uint3() const { return uint3(x, y, z); }
};

#endif
