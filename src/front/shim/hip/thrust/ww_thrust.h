/* Thrust as host and kernel code around it sees it: functors, tuples, complex and fancy iterators work on the device; vectors and
 * algorithms are declared only, since their kernels belong to the library. A call of an algorithm from a kernel stays
 * an unresolved call, which the interpreter reports. */
#ifndef WW_THRUST_H
#define WW_THRUST_H
#include <ww_hip.h>
#include <complex>
#include <iterator>
#include <tuple>
#include <utility>
#include <vector>

#define THRUST_VERSION 200200
#define THRUST_MAJOR_VERSION 2

namespace thrust {

/* Execution policies. */
struct ww_policy { template <class... A> WW_MEMBER ww_policy on(A &&...) const { return ww_policy(); } template <class... A> ww_policy operator()(A &&...) const { return ww_policy(); } };
static const ww_policy device = {}, host = {}, seq = {};
namespace hip { static const ww_policy par = {}, par_nosync = {}; struct tag {}; }
namespace cuda { static const ww_policy par = {}, par_nosync = {}; }
namespace omp { static const ww_policy par = {}; }
struct device_system_tag {};
struct host_system_tag {};

/* Functors. */
template <class A, class R> struct unary_function { typedef A argument_type; typedef R result_type; };
template <class A, class B, class R> struct binary_function { typedef A first_argument_type; typedef B second_argument_type; typedef R result_type; };
#define WW_OP2(name, expr, R)                                                                        \
  template <class T = void> struct name {                                                            \
    typedef T first_argument_type; typedef T second_argument_type; typedef R result_type;            \
    WW_MEMBER constexpr R operator()(const T &a, const T &b) const { return expr; }                  \
  };                                                                                                 \
  template <> struct name<void> { template <class T, class U> WW_MEMBER constexpr auto operator()(const T &a, const U &b) const { return expr; } };
WW_OP2(plus, a + b, T) WW_OP2(minus, a - b, T) WW_OP2(multiplies, a * b, T) WW_OP2(divides, a / b, T) WW_OP2(modulus, a % b, T)
WW_OP2(bit_and, a & b, T) WW_OP2(bit_or, a | b, T) WW_OP2(bit_xor, a ^ b, T) WW_OP2(maximum, (a < b ? b : a), T) WW_OP2(minimum, (b < a ? b : a), T)
WW_OP2(equal_to, a == b, bool) WW_OP2(not_equal_to, a != b, bool) WW_OP2(less, a < b, bool) WW_OP2(greater, a > b, bool) WW_OP2(less_equal, a <= b, bool)
WW_OP2(greater_equal, a >= b, bool) WW_OP2(logical_and, a && b, bool) WW_OP2(logical_or, a || b, bool)
#undef WW_OP2
template <class T = void> struct negate { WW_MEMBER T operator()(const T &a) const { return -a; } };
template <class T = void> struct square { WW_MEMBER T operator()(const T &a) const { return a * a; } };
template <class T = void> struct logical_not { WW_MEMBER bool operator()(const T &a) const { return !a; } };
template <class T = void> struct identity { typedef T argument_type; typedef T result_type; WW_MEMBER const T &operator()(const T &a) const { return a; } };
template <> struct identity<void> { template <class T> WW_MEMBER T operator()(T a) const { return a; } };

/* Pairs and tuples: the standard ones, whose members are constexpr and so usable on the device. */
using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::swap;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;

/* Complex numbers. */
template <class T> struct complex {
  typedef T value_type;
  T re, im;
  complex() = default;
  WW_MEMBER constexpr complex(const T &r, const T &i = T()) : re(r), im(i) {}
  template <class U> WW_MEMBER constexpr complex(const complex<U> &z) : re((T)z.re), im((T)z.im) {}
  WW_MEMBER complex(const std::complex<T> &z) : re(((const T *)&z)[0]), im(((const T *)&z)[1]) {}
  operator std::complex<T>() const { return std::complex<T>(re, im); }
  WW_MEMBER T real() const { return re; }
  WW_MEMBER T imag() const { return im; }
  WW_MEMBER void real(T r) { re = r; }
  WW_MEMBER void imag(T i) { im = i; }
  WW_MEMBER complex &operator+=(const complex &b) { return *this = *this + b; }
  WW_MEMBER complex &operator-=(const complex &b) { return *this = *this - b; }
  WW_MEMBER complex &operator*=(const complex &b) { return *this = *this * b; }
  WW_MEMBER complex &operator/=(const complex &b) { return *this = *this / b; }
  WW_MEMBER complex operator-() const { return complex(-re, -im); }
  friend WW_MEMBER complex operator+(const complex &a, const complex &b) { return complex(a.re + b.re, a.im + b.im); }
  friend WW_MEMBER complex operator-(const complex &a, const complex &b) { return complex(a.re - b.re, a.im - b.im); }
  friend WW_MEMBER complex operator*(const complex &a, const complex &b) { return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }
  friend WW_MEMBER complex operator/(const complex &a, const complex &b) {
    T s = (b.re < 0 ? -b.re : b.re) + (b.im < 0 ? -b.im : b.im), o = 1 / s; /* scaled against overflow */
    T ar = a.re * o, ai = a.im * o, br = b.re * o, bi = b.im * o, q = 1 / (br * br + bi * bi);
    return complex((ar * br + ai * bi) * q, (ai * br - ar * bi) * q);
  }
  friend WW_MEMBER bool operator==(const complex &a, const complex &b) { return a.re == b.re && a.im == b.im; }
  friend WW_MEMBER bool operator!=(const complex &a, const complex &b) { return !(a == b); }
};
template <class T> WW_HOST_DEVICE T norm(const complex<T> &z) { return z.re * z.re + z.im * z.im; }
template <class T> WW_HOST_DEVICE T abs(const complex<T> &z) { return hypot(z.re, z.im); }
template <class T> WW_HOST_DEVICE T arg(const complex<T> &z) { return atan2(z.im, z.re); }
template <class T> WW_HOST_DEVICE complex<T> conj(const complex<T> &z) { return complex<T>(z.re, -z.im); }
template <class T> WW_HOST_DEVICE complex<T> polar(const T &r, const T &t = T()) { return complex<T>(r * cos(t), r * sin(t)); }
template <class T> WW_HOST_DEVICE complex<T> exp(const complex<T> &z) { return polar(::exp(z.re), z.im); }
template <class T> WW_HOST_DEVICE complex<T> log(const complex<T> &z) { return complex<T>(::log(abs(z)), arg(z)); }
template <class T> WW_HOST_DEVICE complex<T> sqrt(const complex<T> &z) { return polar(::sqrt(abs(z)), arg(z) / 2); }
template <class T> WW_HOST_DEVICE complex<T> pow(const complex<T> &z, const T &p) { return polar(::pow(abs(z), p), arg(z) * p); }

/* Pointers and vectors. */
template <class T> struct device_ptr;
template <class T> struct device_reference {
  T *p;
  WW_MEMBER operator T() const { return *p; }
  WW_MEMBER device_reference &operator=(const T &v) { *p = v; return *this; }
  WW_MEMBER device_reference &operator=(const device_reference &o) { *p = *o.p; return *this; }
  device_reference(const device_reference &) = default;
  WW_MEMBER explicit device_reference(T *q) : p(q) {}
  WW_MEMBER inline device_ptr<T> operator&() const;
  template <class U> device_reference &operator+=(const U &v) { *p += v; return *this; }
};
template <class T> struct device_ptr {
  typedef T value_type; typedef device_reference<T> reference; typedef ptrdiff_t difference_type; typedef T *pointer; typedef std::random_access_iterator_tag iterator_category;
  T *p = nullptr;
  device_ptr() = default;
  WW_MEMBER device_ptr(decltype(nullptr)) {}
  WW_MEMBER explicit device_ptr(T *q) : p(q) {}
  template <class U> WW_MEMBER device_ptr(const device_ptr<U> &o) : p(o.p) {}
  WW_MEMBER T *get() const { return p; }
  WW_MEMBER reference operator*() const { return reference(p); }
  WW_MEMBER reference operator[](ptrdiff_t i) const { return reference(p + i); }
  WW_MEMBER device_ptr operator+(ptrdiff_t n) const { return device_ptr(p + n); }
  WW_MEMBER device_ptr operator-(ptrdiff_t n) const { return device_ptr(p - n); }
  WW_MEMBER ptrdiff_t operator-(const device_ptr &o) const { return p - o.p; }
  WW_MEMBER device_ptr &operator++() { ++p; return *this; }
  WW_MEMBER device_ptr operator++(int) { device_ptr old = *this; ++p; return old; }
  WW_MEMBER device_ptr &operator+=(ptrdiff_t n) { p += n; return *this; }
  WW_MEMBER bool operator==(const device_ptr &o) const { return p == o.p; }
  WW_MEMBER bool operator!=(const device_ptr &o) const { return p != o.p; }
  WW_MEMBER bool operator<(const device_ptr &o) const { return p < o.p; }
};
template <class S, class T> auto &operator<<(S &out, const device_reference<T> &r) { return out << (T)r; }
template <class T> WW_MEMBER inline device_ptr<T> device_reference<T>::operator&() const { return device_ptr<T>(p); }
template <class T> WW_HOST_DEVICE device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T> WW_HOST_DEVICE T *raw_pointer_cast(T *p) { return p; }
template <class T> WW_HOST_DEVICE T *raw_pointer_cast(device_ptr<T> p) { return p.get(); }
template <class T> WW_HOST_DEVICE T &raw_reference_cast(device_reference<T> r) { return *r.p; }
template <class T> device_ptr<T> device_malloc(size_t);
template <class T> void device_free(T);

template <class T> struct device_allocator { typedef T value_type; };
template <class T, class A = std::allocator<T>> struct host_vector : std::vector<T> {
  using std::vector<T>::vector;
  host_vector() = default;
  template <class V, class = typename V::ww_device> host_vector(const V &);
  template <class V, class = typename V::ww_device> host_vector &operator=(const V &);
};
template <class T, class A = device_allocator<T>> struct device_vector {
  typedef T value_type; typedef device_ptr<T> iterator, const_iterator, pointer; typedef device_reference<T> reference; typedef size_t size_type; typedef void ww_device;
  device_vector();
  explicit device_vector(size_t);
  device_vector(size_t, const T &);
  device_vector(std::initializer_list<T>);
  device_vector(const device_vector &);
  template <class V, class = typename V::value_type> device_vector(const V &);
  template <class I, class = typename std::iterator_traits<I>::value_type> device_vector(I, I);
  ~device_vector();
  device_vector &operator=(const device_vector &);
  template <class V> device_vector &operator=(const V &);
  iterator begin() const, end() const, cbegin() const, cend() const, rbegin() const, rend() const, data() const;
  size_t size() const, capacity() const;
  bool empty() const;
  void resize(size_t), resize(size_t, const T &), reserve(size_t), clear(), push_back(const T &), pop_back(), shrink_to_fit(), swap(device_vector &), assign(size_t, const T &);
  template <class I> void assign(I, I);
  template <class... B> iterator insert(B &&...);
  template <class... B> iterator erase(B &&...);
  reference operator[](size_t) const, front() const, back() const;
};
template <class T, class A = device_allocator<T>> using universal_vector = device_vector<T, A>;

/* Iterators that compute. */
template <class I> using iterator_value_t = typename std::iterator_traits<I>::value_type;
template <class I> struct iterator_value { typedef iterator_value_t<I> type; };
template <class I> struct iterator_difference { typedef ptrdiff_t type; };
template <class I> struct iterator_traits : std::iterator_traits<I> {};
#define WW_ITERATOR(self, value)                                                                                              \
  typedef value value_type; typedef value reference; typedef ptrdiff_t difference_type; typedef value *pointer;               \
  typedef std::random_access_iterator_tag iterator_category;                                                                  \
  WW_MEMBER value operator*() const { return (*this)[0]; }                                                                    \
  WW_MEMBER self &operator++() { return *this = *this + 1; }                                                                  \
  WW_MEMBER self &operator+=(ptrdiff_t n) { return *this = *this + n; }                                                       \
  WW_MEMBER ptrdiff_t operator-(const self &) const { return 0; }
template <class T, class...> struct counting_iterator {
  T at;
  counting_iterator() = default;
  WW_MEMBER explicit counting_iterator(T v) : at(v) {}
  typedef T value_type; typedef T reference; typedef ptrdiff_t difference_type; typedef T *pointer; typedef std::random_access_iterator_tag iterator_category;
  WW_MEMBER T operator*() const { return at; }
  WW_MEMBER T operator[](ptrdiff_t i) const { return at + (T)i; }
  WW_MEMBER counting_iterator operator+(ptrdiff_t n) const { return counting_iterator(at + (T)n); }
  WW_MEMBER counting_iterator &operator++() { ++at; return *this; }
  WW_MEMBER ptrdiff_t operator-(const counting_iterator &o) const { return at - o.at; }
  WW_MEMBER bool operator==(const counting_iterator &o) const { return at == o.at; }
  WW_MEMBER bool operator!=(const counting_iterator &o) const { return at != o.at; }
};
template <class T, class...> struct constant_iterator {
  T held;
  WW_MEMBER constant_iterator(T v = T(), ptrdiff_t = 0) : held(v) {}
  WW_ITERATOR(constant_iterator, T)
  WW_MEMBER T operator[](ptrdiff_t) const { return held; }
  WW_MEMBER constant_iterator operator+(ptrdiff_t) const { return *this; }
};
template <class F, class I, class R = std::decay_t<decltype(std::declval<F>()(*std::declval<I>()))>, class = void> struct transform_iterator {
  I in;
  F f;
  WW_MEMBER transform_iterator(I i, F fn) : in(i), f(fn) {}
  WW_ITERATOR(transform_iterator, R)
  WW_MEMBER R operator[](ptrdiff_t i) const { return f(*(in + i)); }
  WW_MEMBER transform_iterator operator+(ptrdiff_t n) const { return transform_iterator(in + n, f); }
};
template <class V, class K> struct permutation_iterator {
  V in;
  K keys;
  WW_MEMBER permutation_iterator(V v = V(), K k = K()) : in(v), keys(k) {}
  typedef iterator_value_t<V> ww_value;
  WW_ITERATOR(permutation_iterator, ww_value)
  WW_MEMBER decltype(auto) operator[](ptrdiff_t i) const { return in[(ptrdiff_t)keys[i]]; }
  WW_MEMBER permutation_iterator operator+(ptrdiff_t n) const { return permutation_iterator(in, keys + n); }
};
template <class Tuple> struct zip_iterator;
template <class... I> struct zip_iterator<tuple<I...>> {
  tuple<I...> its;
  WW_MEMBER zip_iterator(tuple<I...> t) : its(t) {}
  typedef tuple<iterator_value_t<I>...> ww_value;
  WW_ITERATOR(zip_iterator, ww_value)
  WW_MEMBER ww_value operator[](ptrdiff_t i) const { return std::apply([=](auto... it) { return ww_value(it[i]...); }, its); }
  WW_MEMBER zip_iterator operator+(ptrdiff_t n) const { return std::apply([=](auto... it) { return zip_iterator(tuple<I...>((it + n)...)); }, its); }
  WW_MEMBER const tuple<I...> &get_iterator_tuple() const { return its; }
};
#undef WW_ITERATOR
template <class T> WW_HOST_DEVICE counting_iterator<T> make_counting_iterator(T v) { return counting_iterator<T>(v); }
template <class T> WW_HOST_DEVICE constant_iterator<T> make_constant_iterator(T v) { return constant_iterator<T>(v); }
template <class I, class F> WW_HOST_DEVICE transform_iterator<F, I> make_transform_iterator(I i, F f) { return transform_iterator<F, I>(i, f); }
template <class V, class K> WW_HOST_DEVICE permutation_iterator<V, K> make_permutation_iterator(V v, K k) { return permutation_iterator<V, K>(v, k); }
template <class... I> WW_HOST_DEVICE zip_iterator<tuple<I...>> make_zip_iterator(tuple<I...> t) { return zip_iterator<tuple<I...>>(t); }
template <class... I> WW_HOST_DEVICE zip_iterator<tuple<I...>> make_zip_iterator(I... i) { return zip_iterator<tuple<I...>>(tuple<I...>(i...)); }
struct discard_iterator { template <class T> WW_MEMBER const discard_iterator &operator=(const T &) const { return *this; } WW_MEMBER const discard_iterator &operator[](ptrdiff_t) const { return *this; } };
WW_HOST_DEVICE discard_iterator make_discard_iterator() { return discard_iterator(); }

/* Algorithms, with or without a policy in front. What a call returns is deduced from its first iterator. */
template <class A, class... B> struct ww_first { typedef A type; };
template <class A, class... B> struct ww_first<ww_policy, A, B...> { typedef std::decay_t<A> type; };
template <class... A> using ww_first_t = typename ww_first<std::decay_t<A>...>::type;
#define WW_VOID(name) template <class... A> __host__ __device__ void name(A &&...) { __ww_unsupported("thrust::" #name); }
#define WW_FIRST(name) template <class... A> __host__ __device__ ww_first_t<A...> name(A &&...) { __ww_unsupported("thrust::" #name); }
#define WW_VALUE(name) template <class... A> __host__ __device__ iterator_value_t<ww_first_t<A...>> name(A &&...) { __ww_unsupported("thrust::" #name); }
WW_VOID(sort) WW_VOID(stable_sort) WW_VOID(sort_by_key) WW_VOID(stable_sort_by_key) WW_VOID(fill) WW_VOID(sequence) WW_VOID(generate) WW_VOID(replace) WW_VOID(replace_if)
WW_VOID(tabulate) WW_VOID(reverse) WW_VOID(shuffle) WW_VOID(scatter) WW_VOID(scatter_if) WW_VOID(uninitialized_fill)
WW_FIRST(for_each) WW_FIRST(for_each_n) WW_FIRST(fill_n) WW_FIRST(generate_n) WW_FIRST(remove) WW_FIRST(remove_if) WW_FIRST(unique) WW_FIRST(partition) WW_FIRST(stable_partition) WW_FIRST(find)
WW_FIRST(find_if) WW_FIRST(find_if_not) WW_FIRST(max_element) WW_FIRST(min_element) WW_FIRST(lower_bound) WW_FIRST(upper_bound) WW_FIRST(partition_point) WW_FIRST(adjacent_difference)
/* Copies return an output iterator; their result is nearly always subtracted from an iterator of the same type. */
template <class I, class O> __host__ __device__ O copy(I, I, O) { __ww_unsupported("thrust::copy"); }
template <class I, class O> __host__ __device__ O copy(ww_policy, I, I, O) { __ww_unsupported("thrust::copy"); }
template <class I, class N, class O> __host__ __device__ O copy_n(I, N, O) { __ww_unsupported("thrust::copy_n"); }
template <class I, class N, class O> __host__ __device__ O copy_n(ww_policy, I, N, O) { __ww_unsupported("thrust::copy_n"); }
template <class I, class O, class P> __host__ __device__ O copy_if(I, I, O, P) { __ww_unsupported("thrust::copy_if"); }
template <class I, class O, class P> __host__ __device__ O copy_if(ww_policy, I, I, O, P) { __ww_unsupported("thrust::copy_if"); }
template <class I, class S, class O, class P> __host__ __device__ O copy_if(I, I, S, O, P) { __ww_unsupported("thrust::copy_if"); }
template <class I, class S, class O, class P> __host__ __device__ O copy_if(ww_policy, I, I, S, O, P) { __ww_unsupported("thrust::copy_if"); }
template <class I, class O, class F> __host__ __device__ O transform(I, I, O, F) { __ww_unsupported("thrust::transform"); }
template <class I, class O, class F> __host__ __device__ O transform(ww_policy, I, I, O, F) { __ww_unsupported("thrust::transform"); }
template <class I, class J, class O, class F> __host__ __device__ O transform(I, I, J, O, F) { __ww_unsupported("thrust::transform"); }
template <class I, class J, class O, class F> __host__ __device__ O transform(ww_policy, I, I, J, O, F) { __ww_unsupported("thrust::transform"); }
WW_FIRST(inclusive_scan) WW_FIRST(exclusive_scan) WW_FIRST(inclusive_scan_by_key) WW_FIRST(exclusive_scan_by_key) WW_FIRST(transform_inclusive_scan) WW_FIRST(transform_exclusive_scan)
WW_FIRST(unique_copy) WW_FIRST(remove_copy) WW_FIRST(remove_copy_if) WW_FIRST(gather) WW_FIRST(gather_if) WW_FIRST(transform_if) WW_FIRST(merge) WW_FIRST(set_union) WW_FIRST(set_intersection) WW_FIRST(set_difference)
WW_VALUE(reduce)
template <class... A> __host__ __device__ ptrdiff_t count(A &&...) { __ww_unsupported("thrust::count"); }
template <class... A> __host__ __device__ ptrdiff_t count_if(A &&...) { __ww_unsupported("thrust::count_if"); }
template <class... A> __host__ __device__ ptrdiff_t distance(A &&...) { __ww_unsupported("thrust::distance"); }
template <class... A> __host__ __device__ bool equal(A &&...) { __ww_unsupported("thrust::equal"); }
template <class... A> __host__ __device__ bool is_sorted(A &&...) { __ww_unsupported("thrust::is_sorted"); }
template <class... A> __host__ __device__ bool all_of(A &&...) { __ww_unsupported("thrust::all_of"); }
template <class... A> __host__ __device__ bool any_of(A &&...) { __ww_unsupported("thrust::any_of"); }
template <class... A> __host__ __device__ bool none_of(A &&...) { __ww_unsupported("thrust::none_of"); }
template <class I, class F, class T, class G> __host__ __device__ T transform_reduce(I, I, F, T, G) { __ww_unsupported("thrust::transform_reduce"); }
template <class I, class F, class T, class G> __host__ __device__ T transform_reduce(ww_policy, I, I, F, T, G) { __ww_unsupported("thrust::transform_reduce"); }
template <class I, class J, class T, class... F> __host__ __device__ T inner_product(I, I, J, T, F...) { __ww_unsupported("thrust::inner_product"); }
template <class I, class J, class T, class... F> __host__ __device__ T inner_product(ww_policy, I, I, J, T, F...) { __ww_unsupported("thrust::inner_product"); }
template <class... A> pair<ww_first_t<A...>, ww_first_t<A...>> minmax_element(A &&...) { __ww_unsupported("thrust::minmax_element"); }
template <class K, class V, class L, class M, class... F> __host__ __device__ pair<L, M> reduce_by_key(K, K, V, L, M, F...) { __ww_unsupported("thrust::reduce_by_key"); }
template <class K, class V, class L, class M, class... F> __host__ __device__ pair<L, M> reduce_by_key(ww_policy, K, K, V, L, M, F...) { __ww_unsupported("thrust::reduce_by_key"); }
template <class K, class V, class... F> __host__ __device__ pair<K, V> unique_by_key(K, K, V, F...) { __ww_unsupported("thrust::unique_by_key"); }
template <class K, class V, class... F> __host__ __device__ pair<K, V> unique_by_key(ww_policy, K, K, V, F...) { __ww_unsupported("thrust::unique_by_key"); }
#undef WW_VOID
#undef WW_FIRST
#undef WW_VALUE

/* Random numbers: the minimal standard engine and two distributions. */
struct minstd_rand {
  typedef unsigned result_type;
  unsigned x;
  WW_MEMBER explicit minstd_rand(unsigned seed = 1) : x(seed % 2147483647u ? seed % 2147483647u : 1) {}
  WW_MEMBER void seed(unsigned s) { *this = minstd_rand(s); }
  WW_MEMBER unsigned operator()() { return x = (unsigned)(x * 48271ull % 2147483647u); }
  WW_MEMBER void discard(unsigned long long n) { for (; n; n--) (*this)(); }
  static constexpr unsigned min = 1, max = 2147483646u;
};
typedef minstd_rand default_random_engine;
template <class T = double> struct uniform_real_distribution {
  T a, b;
  WW_MEMBER uniform_real_distribution(T lo = 0, T hi = 1) : a(lo), b(hi) {}
  template <class G> WW_MEMBER T operator()(G &g) { return a + (b - a) * ((T)(g() - G::min) / ((T)G::max - G::min + 1)); }
};
template <class T = int> struct uniform_int_distribution {
  T a, b;
  WW_MEMBER uniform_int_distribution(T lo = 0, T hi = 2147483647) : a(lo), b(hi) {}
  template <class G> WW_MEMBER T operator()(G &g) { return a + (T)((unsigned long long)(g() - G::min) % ((unsigned long long)(b - a) + 1)); }
};
template <class T = double> struct normal_distribution {
  T mean, stddev;
  WW_MEMBER normal_distribution(T m = 0, T s = 1) : mean(m), stddev(s) {}
  template <class G> WW_MEMBER T operator()(G &g) {
    uniform_real_distribution<T> u(0, 1);
    T r = ::sqrt(-2 * ::log(1 - u(g)));
    return mean + stddev * r * ::cos((T)6.283185307179586 * u(g));
  }
};
namespace random { using thrust::default_random_engine; using thrust::normal_distribution; using thrust::uniform_int_distribution; using thrust::uniform_real_distribution; }

} // namespace thrust
#endif
