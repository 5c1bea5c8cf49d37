/* thrust::complex: arithmetic and the common functions, both sides. */
#ifndef WW_THRUST_COMPLEX_H
#define WW_THRUST_COMPLEX_H
#include "ww_thrust_base.h"
#include <complex>

namespace thrust {
template <class T> struct WW_ALIGN(2 * sizeof(T)) complex {
  typedef T value_type;
  T re, im;
  complex() = default;
  WW_MHD constexpr complex(const T &r, const T &i = T()) : re(r), im(i) {}
  template <class U> WW_MHD constexpr complex(const complex<U> &o) : re((T)o.real()), im((T)o.imag()) {}
  template <class U> WW_MHD complex(const std::complex<U> &o) : re((T)o.real()), im((T)o.imag()) {}
  WW_MHD constexpr T real() const { return re; }
  WW_MHD constexpr T imag() const { return im; }
  WW_MHD void real(T v) { re = v; }
  WW_MHD void imag(T v) { im = v; }
  WW_MHD operator std::complex<T>() const { return std::complex<T>(re, im); }
  WW_MHD complex &operator=(const T &v) { re = v, im = T(); return *this; }
  WW_MHD complex &operator+=(const complex &o) { re += o.re, im += o.im; return *this; }
  WW_MHD complex &operator-=(const complex &o) { re -= o.re, im -= o.im; return *this; }
  WW_MHD complex &operator*=(const complex &o) { return *this = complex(re * o.re - im * o.im, re * o.im + im * o.re); }
  WW_MHD complex &operator/=(const complex &o) {
    T s = (o.re < 0 ? -o.re : o.re) + (o.im < 0 ? -o.im : o.im), q = T(1) / s;
    T ar = re * q, ai = im * q, br = o.re * q, bi = o.im * q, d = T(1) / (br * br + bi * bi);
    return *this = complex((ar * br + ai * bi) * d, (ai * br - ar * bi) * d);
  }
};
#define WW_COMPLEX_OP(O, A)                                                                                       \
  template <class T> WW_HD complex<T> operator O(const complex<T> &a, const complex<T> &b) { complex<T> r = a; r A b; return r; } \
  template <class T> WW_HD complex<T> operator O(const complex<T> &a, const T &b) { complex<T> r = a; r A complex<T>(b); return r; } \
  template <class T> WW_HD complex<T> operator O(const T &a, const complex<T> &b) { complex<T> r(a); r A b; return r; }
WW_COMPLEX_OP(+, +=) WW_COMPLEX_OP(-, -=) WW_COMPLEX_OP(*, *=) WW_COMPLEX_OP(/, /=)
#undef WW_COMPLEX_OP
template <class T> WW_HD complex<T> operator-(const complex<T> &a) { return complex<T>(-a.re, -a.im); }
template <class T> WW_HD bool operator==(const complex<T> &a, const complex<T> &b) { return a.re == b.re && a.im == b.im; }
template <class T> WW_HD bool operator!=(const complex<T> &a, const complex<T> &b) { return !(a == b); }
template <class T> WW_HD T abs(const complex<T> &a) { return ::hypot(a.re, a.im); }
template <class T> WW_HD T arg(const complex<T> &a) { return ::atan2(a.im, a.re); }
template <class T> WW_HD T norm(const complex<T> &a) { return a.re * a.re + a.im * a.im; }
template <class T> WW_HD complex<T> conj(const complex<T> &a) { return complex<T>(a.re, -a.im); }
template <class T> WW_HD complex<T> polar(const T &r, const T &t = T()) { return complex<T>(r * ::cos(t), r * ::sin(t)); }
template <class T> WW_HD complex<T> exp(const complex<T> &a) { return polar((T)::exp(a.re), a.im); }
template <class T> WW_HD complex<T> log(const complex<T> &a) { return complex<T>(::log(abs(a)), arg(a)); }
template <class T> WW_HD complex<T> sqrt(const complex<T> &a) { return polar((T)::sqrt(abs(a)), arg(a) / T(2)); }
template <class T> WW_HD complex<T> pow(const complex<T> &a, const T &p) { return exp(log(a) * p); }
template <class T> WW_HD complex<T> pow(const complex<T> &a, const complex<T> &p) { return exp(log(a) * p); }
template <class T> WW_HD complex<T> sin(const complex<T> &a) { return complex<T>(::sin(a.re) * ::cosh(a.im), ::cos(a.re) * ::sinh(a.im)); }
template <class T> WW_HD complex<T> cos(const complex<T> &a) { return complex<T>(::cos(a.re) * ::cosh(a.im), -::sin(a.re) * ::sinh(a.im)); }
template <class O, class T> inline auto operator<<(O &o, const complex<T> &a) -> decltype(o << std::complex<T>(a.re, a.im)) { return o << std::complex<T>(a.re, a.im); }
} // namespace thrust
#endif
