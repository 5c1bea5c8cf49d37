/* Operators, pairs, iterators and traits of hipCUB. */
#ifndef WW_CUB_TYPES_H
#define WW_CUB_TYPES_H
#include "../ww_hip.h"
#include <iterator>

namespace hipcub {

struct Sum { template <class T, class U> WW_MEMBER constexpr auto operator()(const T &a, const U &b) const { return a + b; } };
struct Difference { template <class T, class U> WW_MEMBER constexpr auto operator()(const T &a, const U &b) const { return a - b; } };
struct Max { template <class T, class U> WW_MEMBER constexpr auto operator()(const T &a, const U &b) const -> std::common_type_t<T, U> { return a < b ? b : a; } };
struct Min { template <class T, class U> WW_MEMBER constexpr auto operator()(const T &a, const U &b) const -> std::common_type_t<T, U> { return b < a ? b : a; } };
struct Equality { template <class T, class U> WW_MEMBER constexpr bool operator()(const T &a, const U &b) const { return a == b; } };
struct Inequality { template <class T, class U> WW_MEMBER constexpr bool operator()(const T &a, const U &b) const { return a != b; } };

template <class K, class V> struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  KeyValuePair() = default;
  WW_MEMBER KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
  WW_MEMBER bool operator!=(const KeyValuePair &o) const { return key != o.key || value != o.value; }
};
struct ArgMax {
  template <class K, class V> WW_MEMBER KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V> WW_MEMBER KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

template <class T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector = 0;
  DoubleBuffer() = default;
  WW_MEMBER DoubleBuffer(T *a, T *b) : d_buffers{a, b} {}
  WW_MEMBER T *Current() { return d_buffers[selector]; }
  WW_MEMBER T *Alternate() { return d_buffers[selector ^ 1]; }
};
typedef int OffsetT;
struct NullType {};
template <class T> struct Uninitialized {
  alignas(T) char bytes[sizeof(T)];
  WW_MEMBER T &Alias() { return *(T *)bytes; }
};

/* Keys as unsigned integers of the same order. */
template <class T> struct Traits {
  typedef std::conditional_t<sizeof(T) == 1, unsigned char, std::conditional_t<sizeof(T) == 2, unsigned short, std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>> UnsignedBits;
  static constexpr UnsignedBits HIGH_BIT = UnsignedBits(1) << (sizeof(T) * 8 - 1);
  static constexpr UnsignedBits LOWEST_KEY = std::is_unsigned<T>::value ? 0 : std::is_integral<T>::value ? HIGH_BIT : UnsignedBits(-1);
  static constexpr UnsignedBits MAX_KEY = std::is_unsigned<T>::value ? UnsignedBits(-1) : UnsignedBits(-1) ^ HIGH_BIT;
  WW_MEMBER static UnsignedBits TwiddleIn(UnsignedBits k) {
    if (std::is_unsigned<T>::value) return k;
    if (std::is_integral<T>::value) return k ^ HIGH_BIT;
    return k ^ (k & HIGH_BIT ? UnsignedBits(-1) : HIGH_BIT);
  }
  WW_MEMBER static UnsignedBits TwiddleOut(UnsignedBits k) {
    if (std::is_unsigned<T>::value) return k;
    if (std::is_integral<T>::value) return k ^ HIGH_BIT;
    return k ^ (k & HIGH_BIT ? HIGH_BIT : UnsignedBits(-1));
  }
};

/* Iterators. */
#define WW_ITERATOR(self, value)                                                                     \
  typedef self self_type;                                                                            \
  typedef value value_type;                                                                          \
  typedef value reference;                                                                           \
  typedef ptrdiff_t difference_type;                                                                 \
  typedef value *pointer;                                                                            \
  typedef std::random_access_iterator_tag iterator_category;                                         \
  WW_MEMBER value operator*() const { return (*this)[0]; }                                           \
  WW_MEMBER self &operator++() { return *this = *this + 1; }                                         \
  WW_MEMBER self &operator+=(difference_type n) { return *this = *this + n; }
template <class T, class Offset = ptrdiff_t> struct CountingInputIterator {
  WW_ITERATOR(CountingInputIterator, T)
  T first;
  WW_MEMBER CountingInputIterator(T f) : first(f) {}
  WW_MEMBER CountingInputIterator operator+(difference_type n) const { return CountingInputIterator(first + (T)n); }
  WW_MEMBER T operator[](difference_type i) const { return first + (T)i; }
};
template <class T, class Offset = ptrdiff_t> struct ConstantInputIterator {
  WW_ITERATOR(ConstantInputIterator, T)
  T held;
  WW_MEMBER ConstantInputIterator(T v, Offset = 0) : held(v) {}
  WW_MEMBER ConstantInputIterator operator+(difference_type) const { return *this; }
  WW_MEMBER T operator[](difference_type) const { return held; }
};
template <class T, class F, class In, class Offset = ptrdiff_t> struct TransformInputIterator {
  WW_ITERATOR(TransformInputIterator, T)
  In in;
  F f;
  WW_MEMBER TransformInputIterator(In i, F fn) : in(i), f(fn) {}
  WW_MEMBER TransformInputIterator operator+(difference_type n) const { return TransformInputIterator(in + n, f); }
  WW_MEMBER T operator[](difference_type i) const { return f(in[i]); }
};
template <class In, class Offset = ptrdiff_t, class V = typename std::iterator_traits<In>::value_type> struct ArgIndexInputIterator {
  typedef KeyValuePair<Offset, V> pair;
  WW_ITERATOR(ArgIndexInputIterator, pair)
  In in;
  Offset at;
  WW_MEMBER ArgIndexInputIterator(In i, Offset o = 0) : in(i), at(o) {}
  WW_MEMBER ArgIndexInputIterator operator+(difference_type n) const { return ArgIndexInputIterator(in, at + (Offset)n); }
  WW_MEMBER pair operator[](difference_type i) const { return pair(at + (Offset)i, in[at + i]); }
};
#undef WW_ITERATOR

enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier M, class In> WW_DEVICE auto ThreadLoad(In p) { return *p; }
template <CacheStoreModifier M, class Out, class T> WW_DEVICE void ThreadStore(Out p, T v) { *p = v; }

} // namespace hipcub
#endif
