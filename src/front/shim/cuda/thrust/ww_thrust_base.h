/* Thrust's vocabulary: policies, functors, tuples, pairs, pointers, references and fancy iterators. */
#ifndef WW_THRUST_BASE_H
#define WW_THRUST_BASE_H
#include <ww_cuda.h>
#include <functional>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#define THRUST_VERSION 200700
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 7
#define THRUST_SUBMINOR_VERSION 0
#define THRUST_DEVICE_SYSTEM_CUDA 1
#define THRUST_DEVICE_SYSTEM 1
#define THRUST_NS_QUALIFIER thrust

namespace thrust {
/* ---- execution policies ---- */
struct execution_policy_base {
  template <class... A> WW_MHD execution_policy_base on(A &&...) const { return *this; }
  template <class... A> WW_MHD execution_policy_base operator()(A &&...) const { return *this; }
};
template <class D> struct execution_policy : execution_policy_base {};
struct host_tag : execution_policy_base {};
struct host_system_tag : execution_policy_base {};
struct device_system_tag : execution_policy_base {};
#define WW_POLICY(N) static constexpr execution_policy_base N{};
WW_POLICY(seq) WW_POLICY(host) WW_POLICY(device)
namespace cuda { WW_POLICY(par) WW_POLICY(par_nosync) typedef execution_policy_base tag; }
namespace omp { WW_POLICY(par) }
namespace cpp { WW_POLICY(par) }
namespace system { namespace cuda { WW_POLICY(par) WW_POLICY(par_nosync) } }
#undef WW_POLICY
template <class T> struct __ww_is_policy : std::is_base_of<execution_policy_base, typename std::decay<T>::type> {};

/* ---- functors ---- */
#define WW_FUNCTOR2(N, R, E)                                                                                              \
  template <class T = void> struct N { typedef T first_argument_type; typedef T second_argument_type; typedef R result_type; \
    WW_MHD constexpr R operator()(const T &a, const T &b) const { return E; } };                                          \
  template <> struct N<void> { template <class A, class B> WW_MHD constexpr auto operator()(const A &a, const B &b) const -> decltype(E) { return E; } };
WW_FUNCTOR2(plus, T, a + b) WW_FUNCTOR2(minus, T, a - b) WW_FUNCTOR2(multiplies, T, a *b) WW_FUNCTOR2(divides, T, a / b) WW_FUNCTOR2(modulus, T, a % b)
WW_FUNCTOR2(maximum, T, a < b ? b : a) WW_FUNCTOR2(minimum, T, a < b ? a : b) WW_FUNCTOR2(bit_and, T, a &b) WW_FUNCTOR2(bit_or, T, a | b) WW_FUNCTOR2(bit_xor, T, a ^ b)
WW_FUNCTOR2(equal_to, bool, a == b) WW_FUNCTOR2(not_equal_to, bool, a != b) WW_FUNCTOR2(less, bool, a < b) WW_FUNCTOR2(greater, bool, a > b)
WW_FUNCTOR2(less_equal, bool, a <= b) WW_FUNCTOR2(greater_equal, bool, a >= b) WW_FUNCTOR2(logical_and, bool, a &&b) WW_FUNCTOR2(logical_or, bool, a || b)
#undef WW_FUNCTOR2
template <class T = void> struct negate { WW_MHD constexpr T operator()(const T &a) const { return -a; } };
template <class T = void> struct square { WW_MHD constexpr T operator()(const T &a) const { return a * a; } };
template <class T = void> struct logical_not { WW_MHD constexpr bool operator()(const T &a) const { return !a; } };
template <class T = void> struct identity { WW_MHD constexpr const T &operator()(const T &a) const { return a; } };
template <class A, class R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <class A, class B, class R> struct binary_function { typedef A first_argument_type; typedef B second_argument_type; typedef R result_type; };
template <class F> struct __ww_not1 { F f; template <class A> WW_MHD bool operator()(const A &a) const { return !f(a); } };
template <class F> WW_HD __ww_not1<F> not1(F f) { return __ww_not1<F>{f}; }

/* ---- tuples and pairs: the standard library's, whose constructors and accessors are constexpr and so run on both sides.
 * Its operator= is constexpr only from C++20 on; thrust::tuple adds one that kernels can call. ---- */
template <size_t... S, class T, class U> WW_HD void __ww_assign(std::integer_sequence<size_t, S...>, T &t, const U &u) {
  int each[] = {0, ((void)(std::get<S>(t) = std::get<S>(u)), 0)...};
  (void)each;
}
template <class... T> struct tuple : std::tuple<T...> {
  typedef std::make_integer_sequence<size_t, sizeof...(T)> all;
  tuple() = default;
  template <class... U, class = typename std::enable_if<sizeof...(U) == sizeof...(T) && std::is_constructible<std::tuple<T...>, U &&...>::value>::type>
  WW_MHD constexpr tuple(U &&...v) : std::tuple<T...>(std::forward<U>(v)...) {}
  tuple(const tuple &) = default;
  template <class... U> WW_MHD tuple(const std::tuple<U...> &o) : std::tuple<T...>(o) {}
  WW_MHD tuple &operator=(const tuple &o) { __ww_assign(all(), *this, o); return *this; }
  template <class... U> WW_MHD tuple &operator=(const std::tuple<U...> &o) { __ww_assign(all(), *this, o); return *this; }
  template <class A, class B> WW_MHD tuple &operator=(const std::pair<A, B> &o) { __ww_assign(all(), *this, o); return *this; }
};
template <class... T> WW_HD tuple<typename std::decay<T>::type...> make_tuple(T &&...v) { return tuple<typename std::decay<T>::type...>(std::forward<T>(v)...); }
template <class... T> WW_HD tuple<T &...> tie(T &...v) { return tuple<T &...>(v...); }
template <class A, class B> using pair = std::pair<A, B>;
using std::get;
using std::make_pair;
using std::tuple_element;
using std::tuple_size;
using std::swap;

/* ---- device pointers and references ---- */
template <class T> struct device_ptr;
template <class T> struct device_reference {
  T *p;
  WW_MHD device_ptr<T> operator&() const { return device_ptr<T>(p); }
  WW_MHD explicit device_reference(T *q) : p(q) {}
  WW_MHD operator T() const { return *p; }
  WW_MHD const device_reference &operator=(const T &v) const { *p = v; return *this; }
  WW_MHD const device_reference &operator=(const device_reference &v) const { *p = *v.p; return *this; }
  template <class U> WW_MHD const device_reference &operator+=(const U &v) const { *p += v; return *this; }
  template <class U> WW_MHD const device_reference &operator-=(const U &v) const { *p -= v; return *this; }
  template <class U> WW_MHD const device_reference &operator*=(const U &v) const { *p *= v; return *this; }
  WW_MHD const device_reference &operator++() const { ++*p; return *this; }
  WW_MHD T operator++(int) const { return (*p)++; }
};
template <class O, class T> inline auto operator<<(O &o, const device_reference<T> &r) -> decltype(o << (T)r) { return o << (T)r; }
/* One class serves as pointer and as the iterator of device_vector. */
template <class T> struct device_ptr {
  typedef typename std::remove_const<T>::type value_type;
  typedef device_reference<T> reference;
  typedef device_ptr pointer;
  typedef ptrdiff_t difference_type;
  typedef std::random_access_iterator_tag iterator_category;
  T *p;
  WW_MHD device_ptr() : p(0) {}
  WW_MHD explicit device_ptr(T *q) : p(q) {}
  template <class U, class = typename std::enable_if<std::is_convertible<U *, T *>::value>::type> WW_MHD device_ptr(const device_ptr<U> &o) : p(o.p) {}
  WW_MHD T *get() const { return p; }
  WW_MHD T *base() const { return p; }
  WW_MHD reference operator*() const { return reference(p); }
  WW_MHD T *operator->() const { return p; }
  template <class I> WW_MHD reference operator[](I i) const { return reference(p + i); }
  WW_MHD device_ptr &operator++() { ++p; return *this; }
  WW_MHD device_ptr &operator--() { --p; return *this; }
  WW_MHD device_ptr operator++(int) { return device_ptr(p++); }
  WW_MHD device_ptr operator--(int) { return device_ptr(p--); }
  WW_MHD device_ptr &operator+=(ptrdiff_t d) { p += d; return *this; }
  WW_MHD device_ptr &operator-=(ptrdiff_t d) { p -= d; return *this; }
  WW_MHD device_ptr operator+(ptrdiff_t d) const { return device_ptr(p + d); }
  WW_MHD device_ptr operator-(ptrdiff_t d) const { return device_ptr(p - d); }
  WW_MHD explicit operator bool() const { return p != 0; }
};
#define WW_PTR_CMP(O) template <class T, class U> WW_HD bool operator O(const device_ptr<T> &a, const device_ptr<U> &b) { return a.p O b.p; }
WW_PTR_CMP(==) WW_PTR_CMP(!=) WW_PTR_CMP(<) WW_PTR_CMP(>) WW_PTR_CMP(<=) WW_PTR_CMP(>=)
#undef WW_PTR_CMP
template <class T, class U> WW_HD ptrdiff_t operator-(const device_ptr<T> &a, const device_ptr<U> &b) { return a.p - b.p; }
template <class T> WW_HD T *raw_pointer_cast(T *p) { return p; }
template <class T> WW_HD T *raw_pointer_cast(const device_ptr<T> &p) { return p.p; }
template <class T> WW_HD T &raw_reference_cast(T &r) { return r; }
template <class T> WW_HD T &raw_reference_cast(const device_reference<T> &r) { return *r.p; }
template <class T> WW_HD device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T> WW_HD device_ptr<T> device_pointer_cast(device_ptr<T> p) { return p; }
#ifdef WW_EMULATE
template <class T> inline device_ptr<T> device_malloc(size_t n) { T *p = 0; cudaMalloc(&p, n * sizeof(T)); return device_ptr<T>(p); }
template <class T> inline void device_free(device_ptr<T> p) { cudaFree(p.p); }
#else
template <class T> inline device_ptr<T> device_malloc(size_t) { return device_ptr<T>(); }
template <class T> inline void device_free(device_ptr<T>) {}
#endif

/* ---- fancy iterators: AT(d) is the element d places on ---- */
#define WW_ITERATOR(SELF, VALUE, REF, AT, MOVE, DISTANCE)                                                     \
  typedef VALUE value_type; typedef REF reference; typedef void pointer; typedef ptrdiff_t difference_type;   \
  typedef std::random_access_iterator_tag iterator_category;                                                  \
  WW_MHD REF operator*() const { ptrdiff_t d = 0; (void)d; return AT; }                                       \
  template <class I> WW_MHD REF operator[](I i) const { ptrdiff_t d = (ptrdiff_t)i; (void)d; return AT; }     \
  WW_MHD SELF &operator+=(ptrdiff_t d) { MOVE; return *this; }                                                \
  WW_MHD SELF &operator-=(ptrdiff_t d) { return *this += -d; }                                                \
  WW_MHD SELF &operator++() { return *this += 1; }                                                            \
  WW_MHD SELF &operator--() { return *this += -1; }                                                           \
  WW_MHD SELF operator++(int) { SELF o = *this; ++*this; return o; }                                          \
  WW_MHD SELF operator--(int) { SELF o = *this; --*this; return o; }                                          \
  WW_MHD SELF operator+(ptrdiff_t d) const { SELF o = *this; o += d; return o; }                              \
  WW_MHD SELF operator-(ptrdiff_t d) const { SELF o = *this; o += -d; return o; }                             \
  WW_MHD ptrdiff_t operator-(const SELF &o) const { return DISTANCE; }                                        \
  WW_MHD bool operator==(const SELF &o) const { return *this - o == 0; }                                      \
  WW_MHD bool operator!=(const SELF &o) const { return *this - o != 0; }                                      \
  WW_MHD bool operator<(const SELF &o) const { return *this - o < 0; }

template <class T, class = void, class = void, class = void> struct counting_iterator {
  T v;
  WW_MHD counting_iterator() : v() {}
  WW_MHD explicit counting_iterator(T x) : v(x) {}
  WW_ITERATOR(counting_iterator, T, T, (T)(v + d), v += (T)d, (ptrdiff_t)(v - o.v))
};
template <class T> WW_HD counting_iterator<T> make_counting_iterator(T v) { return counting_iterator<T>(v); }

template <class T, class = void, class = void> struct constant_iterator {
  T v;
  ptrdiff_t at = 0;
  WW_MHD constant_iterator() : v() {}
  WW_MHD explicit constant_iterator(T x, ptrdiff_t i = 0) : v(x), at(i) {}
  WW_ITERATOR(constant_iterator, T, T, v, at += d, at - o.at)
};
template <class T, class I = ptrdiff_t> WW_HD constant_iterator<T> make_constant_iterator(T v, I i = 0) { return constant_iterator<T>(v, i); }

struct __ww_sink { template <class T> WW_MHD const __ww_sink &operator=(const T &) const { return *this; } };
template <class = void> struct discard_iterator {
  ptrdiff_t at;
  WW_MHD discard_iterator(ptrdiff_t i = 0) : at(i) {}
  WW_ITERATOR(discard_iterator, __ww_sink, __ww_sink, __ww_sink(), at += d, at - o.at)
};
inline discard_iterator<> make_discard_iterator(ptrdiff_t i = 0) { return discard_iterator<>(i); }

template <class F, class It, class R = void, class = void> struct transform_iterator {
  typedef typename std::decay<decltype(std::declval<F &>()(*std::declval<It &>()))>::type V;
  It it;
  mutable F f;
  WW_MHD transform_iterator() {}
  WW_MHD transform_iterator(It i, F g) : it(i), f(g) {}
  WW_MHD It base() const { return it; }
  WW_ITERATOR(transform_iterator, V, V, f(*(it + d)), it += d, it - o.it)
};
template <class F, class It> WW_HD transform_iterator<F, It> make_transform_iterator(It i, F f) { return transform_iterator<F, It>(i, f); }

template <class It, class Index> struct permutation_iterator {
  typedef typename std::iterator_traits<It>::value_type V;
  typedef typename std::iterator_traits<It>::reference R;
  It it;
  Index ix;
  WW_MHD permutation_iterator() {}
  WW_MHD permutation_iterator(It i, Index x) : it(i), ix(x) {}
  WW_ITERATOR(permutation_iterator, V, R, *(it + (ptrdiff_t) * (ix + d)), ix += d, ix - o.ix)
};
template <class It, class Index> WW_HD permutation_iterator<It, Index> make_permutation_iterator(It i, Index x) { return permutation_iterator<It, Index>(i, x); }

template <class It> struct reverse_iterator {
  typedef typename std::iterator_traits<It>::value_type V;
  typedef typename std::iterator_traits<It>::reference R;
  It it;
  WW_MHD reverse_iterator() {}
  WW_MHD explicit reverse_iterator(It i) : it(i) {}
  WW_ITERATOR(reverse_iterator, V, R, *(it - 1 - d), it -= d, o.it - it)
};
template <class It> WW_HD reverse_iterator<It> make_reverse_iterator(It i) { return reverse_iterator<It>(i); }

/* zip: a tuple of iterators; dereferencing gives a tuple of references that can be assigned through */
template <class... R> struct __ww_zip_reference : tuple<R...> {
  WW_MHD __ww_zip_reference(R... r) : tuple<R...>(static_cast<R>(r)...) {}
  __ww_zip_reference(const __ww_zip_reference &) = default;
  template <class... V> WW_MHD const __ww_zip_reference &operator=(const std::tuple<V...> &v) const {
    __ww_assign(typename tuple<R...>::all(), const_cast<__ww_zip_reference &>(*this), v);
    return *this;
  }
  WW_MHD const __ww_zip_reference &operator=(const __ww_zip_reference &v) const { return *this = static_cast<const std::tuple<R...> &>(v); }
};
template <class Tuple, class = std::make_integer_sequence<size_t, std::tuple_size<Tuple>::value>> struct zip_iterator;
template <class... It, size_t... S> struct zip_iterator<std::tuple<It...>, std::integer_sequence<size_t, S...>> {
  typedef tuple<typename std::iterator_traits<It>::value_type...> V;
  typedef __ww_zip_reference<typename std::iterator_traits<It>::reference...> R;
  std::tuple<It...> t;
  WW_MHD zip_iterator() {}
  WW_MHD zip_iterator(const std::tuple<It...> &x) : t(x) {}
  WW_MHD const std::tuple<It...> &get_iterator_tuple() const { return t; }
  WW_MHD R at(ptrdiff_t d) const { return R(*(std::get<S>(t) + d)...); }
  WW_MHD void advance_all(ptrdiff_t d) { int x[] = {0, (std::get<S>(t) += d, 0)...}; (void)x; }
  WW_ITERATOR(zip_iterator, V, R, at(d), advance_all(d), (ptrdiff_t)(std::get<0>(t) - std::get<0>(o.t)))
};
template <class... It> WW_HD zip_iterator<std::tuple<It...>> make_zip_iterator(const tuple<It...> &t) { return zip_iterator<std::tuple<It...>>(t); }
template <class... It> WW_HD zip_iterator<std::tuple<It...>> make_zip_iterator(const std::tuple<It...> &t) { return zip_iterator<std::tuple<It...>>(t); }
template <class A, class B, class... It> WW_HD zip_iterator<std::tuple<A, B, It...>> make_zip_iterator(A a, B b, It... i) { return zip_iterator<std::tuple<A, B, It...>>(std::tuple<A, B, It...>(a, b, i...)); }
#undef WW_ITERATOR
template <class F> struct zip_function {
  F f;
  template <class... T, size_t... I> WW_MHD auto call(const std::tuple<T...> &t, std::integer_sequence<size_t, I...>) const -> decltype(f(std::get<I>(t)...)) { return f(std::get<I>(t)...); }
  template <class... T> WW_MHD auto operator()(const std::tuple<T...> &t) const -> decltype(call(t, std::index_sequence_for<T...>())) { return call(t, std::index_sequence_for<T...>()); }
};
template <class F> WW_HD zip_function<F> make_zip_function(F f) { return zip_function<F>{f}; }

template <class It> struct iterator_value { typedef typename std::iterator_traits<It>::value_type type; };
template <class It> struct iterator_difference { typedef typename std::iterator_traits<It>::difference_type type; };
template <class It> struct iterator_reference { typedef typename std::iterator_traits<It>::reference type; };
template <class It> struct iterator_traits : std::iterator_traits<It> {};
template <class It> WW_HD typename std::iterator_traits<It>::difference_type distance(It a, It b) { return b - a; }
template <class It, class D> WW_HD void advance(It &i, D d) { i += d; }
template <class It> WW_HD It next(It i) { return i + 1; }
template <class It> WW_HD It prev(It i) { return i - 1; }
} // namespace thrust
namespace std {
template <class... T> struct tuple_size<thrust::tuple<T...>> : tuple_size<tuple<T...>> {};
template <size_t I, class... T> struct tuple_element<I, thrust::tuple<T...>> : tuple_element<I, tuple<T...>> {};
}
#endif
